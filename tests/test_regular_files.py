"""Files that others may have changed: no reading waits, no writing follows a link elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dprepro.errors import InputError
from dprepro.regular_files import bytes_of, kept_within, replace_file


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among files")
def test_a_pipe_a_device_and_a_folder_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises(OSError, match="not a regular file"):
            bytes_of(path)


def test_no_more_is_read_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert (bytes_of(tmp_path / "a", 3), bytes_of(tmp_path / "a")) == (b"123", b"12345")


def test_a_file_is_replaced_whole_and_a_link_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (tmp_path / "other").write_bytes(b"precious")
    for name in ("verdict.json", ".verdict.json.partial"):
        (folder / name).symlink_to(tmp_path / "other")
    replace_file(folder / "verdict.json", b"new")
    assert (tmp_path / "other").read_bytes() == b"precious"
    assert [(one.name, one.is_symlink(), one.read_bytes()) for one in folder.iterdir()] == [
        ("verdict.json", False, b"new")
    ]


def test_a_folder_that_is_a_link_out_of_the_results_is_refused(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    (results / "inside").symlink_to(results / "elsewhere")
    (results / "out").symlink_to(tmp_path)
    (tmp_path / "way").symlink_to(results)
    for root in (results, tmp_path / "way"):  # the folder itself may be reached by a link
        assert kept_within(root / "inside", root) == root / "inside"
        with pytest.raises(InputError, match="is a link that leads out of"):
            kept_within(root / "out" / "overridden", root)
