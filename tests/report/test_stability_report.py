"""Verdicts at several seeds, and what the reference says of the checks' power."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.cheap_experiment import command, write_config_dir

from dprepro import run
from dprepro.__main__ import main
from dprepro.engine.store import Store
from dprepro.errors import InputError
from dprepro.report.power_report import markdown, powers
from dprepro.report.stability_report import flips
from dprepro.support.regular_files import unpacked

pytestmark = pytest.mark.usefixtures("undrawn", "one_process")


def verdict(folder: Path, **checks: str) -> None:
    folder.mkdir(parents=True)
    content = {
        "checks": {name: {"verdict": said, "role": "claim", "expect": "confirmed"} for name, said in checks.items()}
    }
    (folder / "verdict.json").write_text(json.dumps(content), encoding="utf-8")


def test_a_check_flips_where_it_says_something_else_than_the_first_run(tmp_path: Path) -> None:
    verdict(tmp_path / "one", steady="confirmed", shaky="confirmed", new="confirmed")
    verdict(tmp_path / "seed-1/one/overridden/seed-1", steady="confirmed", shaky="inconclusive")
    verdict(tmp_path / "seed-2/one/overridden/seed-2", steady="confirmed", shaky="confirmed")
    found = {entry["check"]: entry for entry in flips(tmp_path, ["one"], [1, 2])}
    assert (found["steady"]["flips"], found["steady"]["seeds"]) == (0, 3)
    assert (found["shaky"]["flips"], found["shaky"]["verdicts"]) == (1, ["confirmed", "inconclusive", "confirmed"])
    assert found["new"]["seeds"] == 1


@pytest.fixture(scope="module")
def results(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("there")
    run("cheap", config_dir=str(write_config_dir(folder / "conf")), results_dir=str(folder / "results"), progress=False)
    return folder / "results"


def test_every_experiment_of_a_store_is_run_with_further_seeds_and_the_reference_keeps_what_was_found(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [f"results_dir={results}", "seeds=2", f"--config-dir={results.parent / 'conf'}"]
    assert command("stability", *arguments) == 0
    assert "of 3 checks said something else" in capsys.readouterr().out
    found = json.loads((results / "stability.json").read_text(encoding="utf-8"))
    assert {entry["check"] for entry in found} == {"below_bound", "half_the_bound", "both"}
    assert {entry["seeds"] for entry in found} == {2}
    with Store.open(results / "seed-1") as store:
        assert store.latest("cheap", published=False).config["seed"] == 1  # type: ignore[union-attr]
    assert command("ledger", f"results_dir={results}") == 0
    assert command("reference", f"results_dir={results}", f"reference_dir={tmp_path}") == 0
    assert unpacked(tmp_path / "stability.json.gz") == (results / "stability.json").read_bytes()
    noticed = {entry["check"]: entry for entry in json.loads(unpacked(tmp_path / "power.json.gz"))["checks"]}
    assert noticed["below_bound"]["above"] is not None
    assert "| cheap | below_bound | claim | confirmed |" in (tmp_path / "power.md").read_text(encoding="utf-8")
    margins = (tmp_path / "margins.md").read_text(encoding="utf-8")
    assert "| rate | 0.03 | exponent of an axis |" in margins
    assert "| inequality | none |" in margins


def test_the_power_of_checks_that_came_out_as_expected_is_told(results: Path) -> None:
    found = powers(results, workers=1)
    assert {entry["check"] for entry in found} >= {"below_bound", "half_the_bound"}
    assert "## By statement" in markdown(found)


def test_a_wrong_number_of_seeds_or_a_folder_without_a_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="seeds must be a whole number of at least 2"):
        main(["stability", "seeds=1"])
    with pytest.raises(InputError, match="there is no store"):
        main(["stability", f"results_dir={tmp_path}"])
