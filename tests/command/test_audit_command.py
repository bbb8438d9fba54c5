"""``python -m dprepro audit``: what it refuses, each in a line that says what to type, and what it prints."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from helpers.cheap_experiment import command

from dprepro.support.supervisor import said

FUNCTIONS = """
def right(values, epsilon, rng):
    print("a line for every call")
    return values.sum() + rng.laplace(scale=1 / epsilon)

def labelled(X, lower, rng):
    return X.sum() + rng.laplace()

def scaled(values, *, epsilon, scale):
    return values.sum()

def by_name(values, epsilon, rng):
    return values["age"].sum()

def slow(values, rng):
    began = process_time()
    while process_time() < began + 0.02:
        pass
    return rng.laplace()

from time import process_time
"""
CLAIM = "claim=epsilon=1"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # the folder of a file that was named is put there
    (tmp_path / "mine.py").write_text(FUNCTIONS, encoding="utf-8")
    return "mine.py"


def test_the_verdict_is_printed_and_not_what_the_function_prints(
    file: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert command("audit", f"{file}:right", CLAIM, "domain=n=3", "draws=2000") == 0
    out, err = capsys.readouterr()
    assert out.startswith("right: epsilon=1 delta=0 relation=replace_one: not contradicted, would have noticed")
    assert "a line for every call" not in out + err
    assert {path.name for path in tmp_path.iterdir()} <= {file, "__pycache__"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("mine.py:right",), 'audit needs a claim: add claim="epsilon=1'),
        (("mine.py:right", "claim=delta=.1"), 'claim needs epsilon; type claim="epsilon=1'),
        (("mine.py:right", "claim=epsilon=1 epsilon=2"), "claim: epsilon is said twice, epsilon=1 and epsilon=2"),
        (("mine.py:right", "claim=epsilon=inf"), "epsilon must be finite"),
        (("mine.py:right", "claim=epsilon=1 relation=swap"), "relation must be one of replace_one, zero_out"),
        (("mine.py:labelled", CLAIM, "domain=n=3"), "asks for labels, its second argument lower: add y=-1|1"),
        (("mine.py:scaled", CLAIM), "scaled asks for scale, which an audit does not give; give it a default"),
        (("mine.py:by_name", CLAIM, "draws=2000"), "the function never answers: IndexError: only integers"),
        (("mine.py:slow", CLAIM, "budget=1"), "an audit of 20 pairs needs 3040 calls, of 0.02 s each: give budget="),
        (("mine.py:nobody", CLAIM), "nobody"),
        (("mine", CLAIM), "type FILE.py:NAME"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_a_line_that_says_what_to_type(
    words: tuple[str, ...], line: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("audit", *words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert line in err, err


def test_after_a_signal_it_is_said_whether_answers_are_kept() -> None:
    asked = ["audit", "mine.py:right", CLAIM]
    assert said(signal.SIGINT, "dprepro", asked).startswith("interrupted; nothing is kept without keep=FILE: python -m")
    kept = said(signal.SIGTERM, "dprepro", [*asked, "keep=a.sqlite"])
    assert kept.startswith("stopped by SIGTERM; the same command resumes: python -m dprepro audit")
    assert "; nothing is kept: python" in said(signal.SIGINT, "dprepro", ["verify"])
