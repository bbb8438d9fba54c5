"""``python -m dprepro refute``: what it prints, what it keeps, and what it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dprepro.commands.parser import main
from dprepro.errors import InputError
from dprepro.refute.witness import read_witness


def test_a_false_statement_ends_with_a_witness_that_can_be_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["refute", "kst-theorem-26", "minutes=1/30", f"results_dir={tmp_path}"]) == 0
    said = capsys.readouterr().out
    assert "COUNTEREXAMPLE" in said
    assert "no counterexample" in said  # of the repaired one
    (path,) = (tmp_path / "witnesses").iterdir()
    assert path.name == "kst-theorem-26-printed.json"
    assert json.loads(path.read_text())["statement"] == "kst-theorem-26"
    assert read_witness(path).measured(seed=9).least_share > 1


def test_one_form_alone_can_be_attacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["refute", "kst-theorem-26", "form=repaired", "minutes=1/60", f"results_dir={tmp_path}"]) == 0
    said, waiting = capsys.readouterr()
    assert waiting == "  searching for 1 s of the processor at most\n"
    assert "as repaired" in said
    assert "as printed" not in said
    assert not (tmp_path / "witnesses").exists()


def test_where_nothing_can_be_attacked_the_reason_stands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refute", "kst-definition-1"]) == 0
    assert "nothing is tried: Nothing to measure" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "needs a statement"),
        (["kst-theorem-99"], "unknown statement"),
        (["kst-theorem-31", "minutes=soon"], "minutes must be a number"),
        (["kst-theorem-31", "minutes=-1"], "minutes must be positive"),
        (["kst-theorem-31", "seed=x"], "seed must be a whole number"),
        (["kst-theorem-31", "form=true"], "unknown form"),
        (["kst-theorem-31", "hours=1"], "unknown argument"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        main(["refute", *arguments])
