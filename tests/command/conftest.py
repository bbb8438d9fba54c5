"""Fixtures of the tests of the commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cheap_experiment import write_config_dir


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the command is run in."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def config_dir(tmp_path: Path) -> Path:
    """A user's configuration folder with the cheap experiment."""
    return write_config_dir(tmp_path / "mine")
