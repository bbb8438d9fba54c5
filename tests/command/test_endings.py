"""How a command ends when it is told to, or cannot write."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.cheap_experiment import ENVIRONMENT

from dprepro.commands.ending import guarded
from dprepro.support import supervisor

pytestmark = pytest.mark.usefixtures("under_a_terminal")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGINT])
def test_a_signal_that_ends_a_command_is_one_line_and_128_plus_its_number(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(_: list[str]) -> int:
        os.kill(os.getpid(), number)
        return 0

    assert guarded(command, ["+experiment=a b"]) == 128 + number
    assert capsys.readouterr().err == (
        "interrupted; what was measured is stored: python -m dprepro '+experiment=a b'\n"
    )
    assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL or number == signal.SIGINT  # a second one does not cut in


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (["audit", "mine.py:fit"], "nothing is kept without keep=FILE"),
        (["audit", "mine.py:fit", "keep=answers"], "the same command resumes"),
        (["refute", "kst-theorem-31"], "nothing is kept"),
        (["rate", "algorithm=mine.py:fit"], "what was measured is stored"),
    ],
)
def test_a_command_that_is_stopped_says_what_is_kept_of_it(
    arguments: list[str], kept: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(_: list[str]) -> int:
        raise KeyboardInterrupt

    assert guarded(command, arguments) == 130
    assert capsys.readouterr().err == f"interrupted; {kept}: python -m dprepro {' '.join(arguments)}\n"
    assert supervisor.said(signal.SIGTERM, "dprepro", arguments).startswith(f"stopped by SIGTERM; {kept}: ")


def test_a_signal_that_the_caller_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert guarded(lambda _: os.kill(os.getpid(), signal.SIGHUP) or 0, []) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_closed_output_is_no_error() -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        listing = f"{sys.executable} -m dprepro --version {closed}"
        assert subprocess.run(["sh", "-c", listing], check=False, env=ENVIRONMENT).returncode == 0


def test_a_full_disk_under_the_output_is_named() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        listing = [sys.executable, "-m", "dprepro"]
        done = subprocess.run(listing, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (2, "error: cannot write the output: No space left on device\n")


def test_no_memory_and_no_folder_to_stand_in_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def greedy(_: list[str]) -> int:
        raise MemoryError

    assert guarded(greedy, []) == 1
    assert capsys.readouterr().err.startswith("error: out of memory; what was measured is stored")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert guarded(lambda _: 0, []) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_libraries_for_which_a_limit_leaves_no_room_are_one_line_and_other_imports_are_faults() -> None:
    def failing(said: str) -> Callable[[list[str]], int]:
        def command(_: list[str]) -> int:
            raise ImportError(said)

        return command

    assert guarded(failing("libblas.so: failed to map segment from shared object"), []) == 1
    with pytest.raises(ImportError, match="No module"):
        guarded(failing("No module named 'x'"), [])


@pytest.mark.slow
def test_a_limit_of_memory_is_one_line_wherever_it_is_reached(tmp_path: Path) -> None:
    ended = set()
    for megabytes in (100, 300, 400, 500, 700, 1200):
        words = f"ulimit -v {megabytes * 1024}; exec {sys.executable} -m dprepro +experiment=kst_tails workers=1"
        try:
            done = subprocess.run(
                ["sh", "-c", words], capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=tmp_path,
                timeout=60,
            )  # fmt: skip
        except subprocess.TimeoutExpired:  # the import of OpenBLAS itself has no end at some limits
            continue
        ended.add(done.returncode)
        assert "Traceback" not in done.stderr, (megabytes, done.stderr)
        assert done.returncode in (0, 1), (megabytes, done)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("OpenBLAS")]  # which has its say
        assert done.returncode == 0 or [line[:7] for line in lines] == ["error: "], (megabytes, done.stderr)
    assert 1 in ended


def test_something_that_exits_as_it_is_loaded_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda _: sys.exit(7), []) == 1
    assert capsys.readouterr().err == "error: something that was loaded ended the command (exit code 7)\n"
