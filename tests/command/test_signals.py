"""Signals at any moment of any command: one line, 128 plus the signal's number, and the same command takes it up."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from helpers.cheap_experiment import ENVIRONMENT, write_config_dir

from dprepro.support.supervisor import LIMIT_SECONDS

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not copy processes"),
    pytest.mark.usefixtures("under_a_terminal"),
]

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
RUN = ("+experiment=cheap", "workers=1", "replicates=40")


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Python with these words, in a group of its own as under a terminal."""
    return subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
        start_new_session=True, cwd=folder,
    )  # fmt: skip


def fault(number: signal.Signals, code: int, err: str, name: str = "dprepro") -> str:
    """What is wrong with the end of a command by a signal; empty if nothing."""
    begins = "interrupted" if number == signal.SIGINT else f"stopped by {number.name}"
    good = code == 128 + number and err.count("\n") == 1 and err.startswith(begins) and f": python -m {name}" in err
    return "" if good else f"{number.name}: {code}: {err}"


def rows(folder: Path) -> pd.DataFrame:
    """What was measured, without how long it took."""
    return pd.read_parquet(folder / "results" / "cheap" / "measurements.parquet").drop(columns="seconds")


# Code of others in which exceptions of handlers were lost, or became others.
PLACES = {
    "hydra.core.config_store.ConfigStore.load": [],
    "omegaconf.OmegaConf.create": [pytest.mark.slow],
    "matplotlib.figure.Figure.draw": [pytest.mark.slow],
    "pyarrow.parquet.ParquetWriter.write_table": [],
    "dprepro.engine.measuring.generator": [],
}
SWALLOWING = """
import importlib, os, sys
from dprepro.__main__ import console

*path, name = sys.argv[1].split(".")
owner = importlib.import_module(path[0])
for place in range(1, len(path)):
    try:
        owner = getattr(owner, path[place])
    except AttributeError:
        owner = importlib.import_module(".".join(path[: place + 1]))
number, real = int(sys.argv[2]), getattr(owner, name)

def interrupted(*given, **named):
    try:
        os.kill(os.getpid(), number)
        sum(range(100))
    except BaseException:
        print("swallowed", file=sys.stderr)
    return real(*given, **named)

setattr(owner, name, staticmethod(interrupted) if isinstance(owner.__dict__[name], staticmethod) else interrupted)
sys.argv[1:] = sys.argv[3:]
console()
"""


@pytest.mark.parametrize("place", [pytest.param(place, marks=marks) for place, marks in PLACES.items()])
def test_a_signal_inside_of_code_that_catches_everything_ends_the_command(place: str, tmp_path: Path) -> None:
    folder, number = write_config_dir(tmp_path / "mine"), NUMBERS[list(PLACES).index(place) % len(NUMBERS)]
    words = ["--config-dir", str(folder), *RUN]
    process = started(tmp_path, "-c", SWALLOWING, place, str(int(number)), *words)
    out, err = process.communicate(timeout=60)
    assert not fault(number, process.returncode, err), out


ENDLESS = """
import os, sys
from dprepro.commands.ending import console

def endless(arguments):
    print("at work", flush=True)
    if arguments == ["deaf"]:
        import itertools
        sum(itertools.repeat(0))  # holds the interpreter, as a kernel does
    while True:
        try:
            sum(range(1000))
        except BaseException:
            print("swallowed")

console(endless, "dprepro.endless")
"""


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_to_the_first_process_alone_or_to_all_ends_both(number: signal.Signals, tmp_path: Path) -> None:
    for send in (os.kill, os.killpg):
        process = started(tmp_path, "-c", ENDLESS)
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        begun = time.monotonic()
        send(process.pid, number)
        out, err = process.communicate(timeout=60)  # which waits until nobody holds the output any more
        assert time.monotonic() - begun < LIMIT_SECONDS  # it has been heard
        assert (fault(number, process.returncode, err, "dprepro.endless"), out) == ("", "")


def test_a_command_that_cannot_hear_ends_within_seconds_and_at_once_after_a_second_signal(tmp_path: Path) -> None:
    for second, most in ((True, 2.0), (False, 10.0)):
        process = started(tmp_path, "-c", ENDLESS, "deaf")
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        if second:
            time.sleep(0.7)
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert not fault(signal.SIGINT, process.returncode, err, "dprepro.endless")
        assert time.monotonic() - begun < most


def test_a_command_whose_first_process_is_killed_leaves_nobody_behind(tmp_path: Path) -> None:
    process = started(tmp_path, "-c", ENDLESS)
    assert process.stdout is not None
    assert process.stdout.readline() == "at work\n"
    process.kill()
    assert process.communicate(timeout=60) == ("", "")  # the output has no writer any more


HALF_IMPORTED = """
import os, signal, sys, types
from dprepro.commands.ending import console

def importing(_):
    sys.modules["multiprocessing.process"] = types.ModuleType("multiprocessing.process")

    class Closed:
        def flush(self):
            raise RuntimeError("reentrant call")

    sys.stdout = Closed()
    os.kill(os.getpid(), signal.SIGTERM)
    sum(range(1000))

console(importing)
"""


def test_a_signal_ends_a_command_whatever_state_its_libraries_are_in(tmp_path: Path) -> None:
    process = started(tmp_path, "-c", HALF_IMPORTED)
    _, err = process.communicate(timeout=60)
    assert not fault(signal.SIGTERM, process.returncode, err)


def signalled(folder: Path, words: list[str], longest: float, chance: random.Random) -> tuple[str, str]:
    """Send a signal at a random moment, a third of them in the first tenth of a second; what became of it, and a fault.

    Before its first line the package cannot hear anything: Python itself then ends by the signal, or says that it has
    ignored it.
    """
    number = chance.choice(NUMBERS)
    process = started(folder, "-m", *words)
    time.sleep(chance.uniform(0.0, 0.1) if chance.random() < 1 / 3 else chance.uniform(0.0, longest))
    chance.choice((os.kill, os.killpg))(process.pid, number)
    _, err = process.communicate(timeout=120)
    if process.returncode == 0 and not err:
        return "done before", ""
    ours = "dprepro/" in err.replace("dprepro/__init__.py", "")  # whose first lines these are
    if process.returncode in (-number, 0, 1) and not ours and (not err or "KeyboardInterrupt" in err):
        return "before Python had begun", ""
    return "ended", fault(number, process.returncode, err, words[0])


def storm(folder: Path, signals: int, seed: int) -> Counter[str]:
    """So many signals to runs, ledgers, checks and verifications, by what became of them."""
    config_dir, chance = write_config_dir(folder / "mine"), random.Random(seed)
    more = ["--config-dir", str(config_dir)]
    undisturbed = folder / "undisturbed"
    undisturbed.mkdir()
    words = {
        "run": ["dprepro", *more, *RUN], "ledger": ["dprepro", "ledger", *more],
        "check": ["dprepro", "check", *more], "verify": ["dprepro", "verify", *more, "share=1"],
    }  # fmt: skip
    lengths = {}
    for name, command in words.items():
        begun = time.monotonic()
        out, err = (process := started(undisturbed, "-m", *command)).communicate(timeout=120)
        assert process.returncode == 0, out + err
        lengths[name] = time.monotonic() - begun
    told: Counter[str] = Counter()
    for number in range(signals):
        name = list(words)[number % 4] if number >= 2 * signals // 5 else "run"
        target = folder / f"disturbed-{number // 20}" if name == "run" else undisturbed
        target.mkdir(exist_ok=True)
        what, wrong = signalled(target, words[name], lengths[name], chance)
        assert not wrong, (name, wrong)
        told[what] += 1
    for target in folder.glob("disturbed-*"):
        out, err = (process := started(target, "-m", *words["run"])).communicate(timeout=120)
        assert process.returncode == 0, out + err
        pd.testing.assert_frame_equal(rows(target), rows(undisturbed))
        assert list(target.rglob("*.partial")) == []
    for name in ("ledger", "check", "verify"):
        out, err = (process := started(undisturbed, "-m", *words[name])).communicate(timeout=120)
        assert (process.returncode, err) == (0, ""), out + err
    return told


@pytest.mark.slow
def test_two_hundred_signals_at_random_moments_end_in_one_line_and_lose_nothing(tmp_path: Path) -> None:
    told = storm(tmp_path, 200, seed=20261125)
    assert told["ended"] >= 100, told
    assert told["before Python had begun"] <= 66, told
