"""The command ``rate`` does what `dprepro.run` does with objects, and `run as` repeats a run of these."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from helpers import private_mirror

import dprepro
from dprepro import __main__ as command
from dprepro.commands import rate
from dprepro.errors import InputError
from dprepro.own.experiment import described
from dprepro.support import user_files as files

pytestmark = pytest.mark.usefixtures("undrawn")

FILE = private_mirror.__file__
N = "1000,1600,2500,4000,6300,10000,16000,25000,40000"


def words(tmp_path: Path, *more: str) -> list[str]:
    usual = ["rate", f"algorithm={FILE}:release", f"construction={FILE}:records", "rate=(p/(n*epsilon))**2"]
    return [*usual, "sweep.p=16", "epsilon=16", "workers=1", f"results_dir={tmp_path / 'results'}", *more]


def test_a_file_is_held_against_a_rate_and_a_wrong_one_is_refuted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """True claims come out inconclusive or worse for fewer than 1 of 10 seeds; the seed is fixed."""
    more = [f"sweep.n=[{N}]", "replicates=40"]
    assert command.main(words(tmp_path, *more)) == 0
    said = capsys.readouterr().out
    assert "confirmed within 0.1; all checks came out as expected" in said
    assert command.main([*words(tmp_path, *more), "rate=(p/(n*epsilon))**2.5", "name=wrong"]) == 0
    assert ": refuted" in capsys.readouterr().out


def test_what_a_run_is_repeated_as_measures_nothing_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = dprepro.run(
        algorithm=private_mirror.MirrorDescent(steps=3), construction=private_mirror.records,
        rate=lambda n, p: p / n, sweep={"n": [200, 400, 800], "p": 4}, replicates=2, progress=False, workers=1,
        results_dir=tmp_path / "results",
    )  # fmt: skip
    said = (first.folder / "run.log").read_text(encoding="utf-8").rpartition("run as: ")[2]
    assert command.main(shlex.split(said)[3:]) == 0
    assert "cells: 0 measured now, 6 from the store" in capsys.readouterr().out


def test_a_stored_run_is_measured_again_with_trust_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = f"results_dir={tmp_path / 'results'}"
    command.main(words(tmp_path, "sweep.n=[200,400,800]", "replicates=2"))
    files._KNOWN = files._Known()
    capsys.readouterr()
    assert command.main(["verify", where]) == 1
    assert "add --trust" in capsys.readouterr().out
    assert command.main(["verify", where, "--trust"]) == 0
    assert "all agree" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["sweep.n=[200,400,800]", "colour=3"], "unknown key 'colour'"),
        (["rate="], "rate is missing: rate needs algorithm="),
        (["sweep.n=[200,400,800]", "rate=p^2/(n eps)^2"], r"rate 'p\^2/\(n eps\)\^2' is no formula: "),
        (["sweep.n=[200,400,800]", "rate=1/(nε)"], r"rate '1/\(nε\)' is no formula: allowed are numbers, "),
        (["p=4"], r"p is an axis of the sweep: type 'sweep\.p=\[4\]'"),
        (["samples=[100,1000]"], r"samples is an axis of the sweep called n: type 'sweep\.n=\[100, 1000\]'"),
        ([], "sweep names no n"),
        (["sweep.n=[200,x]"], "sweep.n"),
        (["sweep.n=[200,400,800]", "algorithm=nofile.py:fit"], "there is no file nofile.py in "),
        (["sweep.n=[200,400,800]", f"algorithm={FILE}:relaese"], r"\(did you mean release\?\)"),
        (["sweep.n=[200,400,800]", "algorithm.step=3"], "release takes no step|unknown key 'step'"),
    ],
)
def test_a_wrong_word_is_refused_in_one_line(tmp_path: Path, more: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        command.main(words(tmp_path, *more))
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_workers_are_handed_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are started at once, as a long run has it, and import what they are handed."""
    from dprepro.engine import pools

    pools.STARTED.set()
    more = ["sweep.n=[200,400,800]", "replicates=20", "workers=2"]
    assert command.main([*words(tmp_path), *more]) == 0
    assert "cells: 60 measured now" in capsys.readouterr().out


def test_a_parameter_of_a_function_is_set_by_its_name_and_said_as_it_is_typed(tmp_path: Path) -> None:
    file = tmp_path / "shrunk.py"
    file.write_text("def fit(X, y, factor, way='mean'):\n    return factor * (X.T @ y) / len(y)\n", encoding="utf-8")
    asked = [f"algorithm={file}:fit", "algorithm.factor=0.5", "algorithm.way=median", f"construction={FILE}:records",
             "loss=squared", "sweep.n=[200,400,800]", "sweep.p=4", "rate=p/n"]  # fmt: skip
    config = described(rate.asked(asked, None)).composed.config
    assert config["study"]["series"]["in_n"]["algorithm"]["parameters"] == {"factor": 0.5, "way": "median"}
    typed = shlex.split(config["run_as"])
    assert [word for word in typed if word.startswith(("algorithm.", "loss"))] == [
        "algorithm.factor=0.5", "algorithm.way=median", "loss=squared"
    ]  # fmt: skip
