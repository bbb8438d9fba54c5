"""Claims on held-out grids: what is counted, what is explained, and that a falsehood is noticed there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.cheap_experiment import CHEAP, command, write_config_dir

from dprepro import run
from dprepro.__main__ import main
from dprepro.analysis.noise_rule import NO_NOISE
from dprepro.errors import InputError
from dprepro.replication.heldout_runs import judged
from dprepro.report.heldout_report import (
    NO_STATEMENT,
    OTHERWISE,
    SAME,
    counts,
    entries,
    markdown,
    otherwise,
    outcome,
)
from dprepro.report.heldout_words import EXPLANATIONS
from dprepro.support.regular_files import unpacked

pytestmark = pytest.mark.usefixtures("undrawn", "one_process")

REFERENCE = Path(__file__).parents[2] / "results/reference/heldout.json.gz"


def result(verdict: str, role: str = "claim", **details: str) -> dict[str, Any]:
    numbers = dict.fromkeys(("estimate", "low", "high", "expected", "margin"), 1.0)
    return {"verdict": verdict, "role": role, "reason": "", "rule": "below", "details": details, **numbers}


FOUND: list[dict[str, Any]] = [
    {"experiment": "one", "state": "judged", "grid": "sweep={n:[3]}", "checks": entries(
        {"steady": result("confirmed"), "shaky": result("refuted"), "read_off": result("inconclusive"),
         "elsewhere": result("inconclusive", lacks="no grid"), "broken": result("refuted", "control"),
         "new": result("refuted")},
        {"steady": {}, "shaky": {}, "read_off": {"pinned": "0.84 was chosen"}, "elsewhere": {}, "broken": {}},
        {"steady": "confirmed", "shaky": "confirmed", "read_off": "confirmed", "elsewhere": "confirmed",
         "broken": "refuted"},
    )},
    {"experiment": "two", "state": "too long", "grid": "", "checks": []},
]  # fmt: skip


@pytest.mark.parametrize("reason", ["the sweep has no grid point for private", f"{NO_NOISE}: solve returns it"])
def test_no_statement_is_made_where_a_series_was_not_measured(reason: str) -> None:
    assert outcome({**result("inconclusive"), "reason": reason}, "", "confirmed") == NO_STATEMENT
    assert outcome({**result("inconclusive"), "reason": "2 usable values"}, "", "confirmed") == OTHERWISE


def test_claims_are_counted_by_what_came_out_and_numbers_of_the_shipped_grid_apart() -> None:
    assert counts(FOUND) == {SAME: 1, OTHERWISE: 1, NO_STATEMENT: 2}
    assert counts(FOUND, "control") == {SAME: 1}
    assert list(otherwise(FOUND)) == ["one:shaky"]
    words = markdown(FOUND, {})
    assert "2 experiments: 1 judged, 1 too long." in words
    assert (
        "2 claims were judged on a grid that no YAML holds; 1 came out otherwise (50.0%), 0 of them explained" in words
    )
    assert "| one | shaky | confirmed | refuted |  | unexplained |" in words
    assert "| one | shaky | confirmed | refuted |  | too few sizes |" in markdown(FOUND, {"one:shaky": "too few sizes"})


def test_every_case_of_the_reference_is_explained_and_every_explanation_has_its_case() -> None:
    cases = otherwise(json.loads(unpacked(REFERENCE)))
    assert {*EXPLANATIONS} == {*cases}


PLANTED = CHEAP.replace(
    "checks:", "checks:\n  exponent_n: {rule: exponent, role: claim, series: needle, axis: n, expected: -0.5}"
)


@pytest.fixture(scope="module")
def results(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of experiments whose false exponent is said to have been confirmed on the shipped grid."""
    folder = tmp_path_factory.mktemp("there")
    conf = write_config_dir(folder / "conf", planted=PLANTED)
    for name in ("cheap", "planted"):
        run(name, config_dir=str(conf), results_dir=str(folder / "results"), progress=False)
    file = folder / "results/planted/verdict.json"
    verdict = json.loads(file.read_text(encoding="utf-8"))
    verdict["checks"]["exponent_n"]["verdict"] = "confirmed"
    file.write_text(json.dumps(verdict), encoding="utf-8")
    return folder / "results"


def test_a_false_exponent_is_noticed_on_the_held_out_grid_and_a_true_bound_is_confirmed(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [f"results_dir={results}", f"--config-dir={results.parent / 'conf'}"]
    assert command("heldout", *arguments) == 0
    assert "1 of 3 claims came out otherwise on a held-out grid" in capsys.readouterr().out
    found = json.loads((results / "heldout.json").read_text(encoding="utf-8"))
    cases = otherwise(found)
    assert {key: case["held_out"] for key, case in cases.items()} == {"planted:exponent_n": "refuted"}
    assert "p:[1401.0]" in found[0]["grid"]


def test_the_reference_keeps_what_was_found_and_the_shipped_runs_are_as_they_were(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (results / "cheap/measurements.parquet").read_bytes()
    arguments = [f"results_dir={results}", f"--config-dir={results.parent / 'conf'}"]
    assert command("heldout", "cheap", *arguments) == 0
    assert (results / "cheap/measurements.parquet").read_bytes() == before
    assert command("ledger", f"results_dir={results}") == 0
    assert command("reference", f"results_dir={results}", f"reference_dir={tmp_path}") == 0
    assert unpacked(tmp_path / "heldout.json.gz") == (results / "heldout.json").read_bytes()
    assert (tmp_path / "heldout.md").read_bytes() == (results / "heldout.md").read_bytes()


def test_an_experiment_that_takes_too_long_is_left_out(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("dprepro.replication.heldout_runs.measured", busy)
    assert judged("cheap", results, 1, None)["state"] == "too long"


def test_wrong_arguments_are_refused_in_one_line(results: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="seconds must be a whole number of at least 1"):
        main(["heldout", "seconds=0"])
    with pytest.raises(InputError, match="there is no store"):
        main(["heldout", f"results_dir={tmp_path}"])
    with pytest.raises(InputError, match=r"unknown experiment .*chaep"):
        main(["heldout", "chaep", f"results_dir={results}"])
