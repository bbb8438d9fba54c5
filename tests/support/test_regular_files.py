"""Files that others may have changed: no reading waits, no writing follows a link elsewhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.cheap_experiment import ENVIRONMENT

from dprepro.errors import InputError, Stop
from dprepro.support.interrupts import CTRL_C, handle_signals
from dprepro.support.regular_files import bytes_of, kept_within, replace_file, temporary_folder

UMASK = os.umask(0)
os.umask(UMASK)


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
    (folder / "verdict.json").symlink_to(tmp_path / "other")
    replace_file(folder / "verdict.json", b"new")
    assert (tmp_path / "other").read_bytes() == b"precious"
    assert [(path.name, path.is_symlink(), path.read_bytes()) for path in folder.iterdir()] == [
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


WRITER = """
import sys
from pathlib import Path
from dprepro.support.regular_files import replace_file

target, letter = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for _ in range(300):
    replace_file(target, letter.encode() * 100_000)
"""


def test_three_processes_that_write_one_file_get_no_error_and_leave_it_whole(tmp_path: Path) -> None:
    target = tmp_path / "ledger.json"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(target), letter], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        for letter in "abc"
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    seen = set()
    while any(writer.poll() is None for writer in writers):
        with suppress(FileNotFoundError):
            content = target.read_bytes()
            assert len(content) == 100_000
            seen.add(bytes(set(content)))
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [("", 0)] * 3
    assert seen <= {b"a", b"b", b"c"}
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.json"]
    assert (target.stat().st_mode & 0o777) == 0o666 & ~UMASK  # others may read it as they may read any other


def test_what_a_killed_writer_has_left_goes_away_once_it_is_old(tmp_path: Path) -> None:
    old, fresh, other = (tmp_path / f".{name}.0123456789abcdef.partial" for name in ("a[1]", "a[1]", "b"))
    fresh = fresh.with_name(".a[1].fedcba9876543210.partial")
    for path in (old, fresh, other):
        path.write_bytes(b"half")
    for path in (old, other):
        os.utime(path, (0, 0))
    replace_file(tmp_path / "a[1]", b"new")
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([fresh.name, other.name, "a[1]"])
    assert (tmp_path / "a[1]").read_bytes() == b"new"


@pytest.mark.usefixtures("under_a_terminal")
def test_a_signal_awaits_the_end_of_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def interrupted(source: Path, target: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(Stop), handle_signals(CTRL_C):
        replace_file(tmp_path / "a", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"new")]


@pytest.mark.usefixtures("under_a_terminal")
def test_a_temporary_folder_is_gone_after_its_end_and_before_a_signal_ends_the_process(tmp_path: Path) -> None:
    with temporary_folder("of-a-test-") as folder:
        (folder / "a").write_bytes(b"")
    assert not folder.exists()
    program = (
        "import signal, sys\nfrom dprepro.commands.ending import console\n"
        "from dprepro.support.regular_files import temporary_folder\n"
        "def command(_):\n    with temporary_folder('of-a-test-') as folder:\n        print(folder, flush=True)\n"
        "        signal.raise_signal(signal.SIGTERM)\nconsole(command)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 143
    assert "of-a-test-" in done.stdout
    assert not Path(done.stdout.strip()).exists()
