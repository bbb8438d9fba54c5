"""A cache of its own for each test, and nothing that an earlier one has named."""

from __future__ import annotations

from pathlib import Path

import pytest

from dprepro.support import user_files as files


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "_KNOWN", files._Known())
