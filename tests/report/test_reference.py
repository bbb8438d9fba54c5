"""The reference folder: a small table of each experiment, written from the store."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from helpers.cheap_experiment import command, write_config_dir

from dprepro import run
from dprepro.__main__ import main
from dprepro.errors import InputError
from dprepro.report.summary import summary, to_csv
from dprepro.support.regular_files import unpacked

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def results(undrawn: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("there")
    run("cheap", config_dir=str(write_config_dir(folder / "conf")), results_dir=str(folder / "results"))
    assert command("ledger", f"results_dir={folder / 'results'}") == 0
    return folder / "results"


def test_a_table_has_means_and_standard_errors_of_every_point_and_reads_back(results: Path, tmp_path: Path) -> None:
    assert command("reference", f"results_dir={results}", f"reference_dir={tmp_path}") == 0
    table = pd.read_csv(tmp_path / "cheap.csv.gz")
    frame = pd.read_parquet(results / "cheap/measurements.parquet")
    own = frame[(frame["series"] == "needle") & (frame["n"] == 600_000) & (frame["quantity"] == "excess_risk")]
    line = table[(table["series"] == "needle") & (table["n"] == 600_000) & (table["quantity"] == "excess_risk")]
    assert len(line) == 1
    assert line["mean"].item() == pytest.approx(own["value"].mean(), rel=1e-4)
    assert line["standard_error"].item() == pytest.approx(own["value"].std(ddof=1) / len(own) ** 0.5, rel=1e-2)
    assert line["replicates"].item() == 2
    assert line["bound"].item() == pytest.approx(own["bound"].mean(), rel=1e-4)
    assert unpacked(tmp_path / "ledger.json.gz") == (results / "ledger.json").read_bytes()
    kept = json.loads(unpacked(tmp_path / "checks.json.gz"))
    verdict = json.loads((results / "cheap/verdict.json").read_text())
    assert {name: value["estimate"] for name, value in kept["cheap"].items()} == {
        name: value["estimate"] for name, value in verdict["checks"].items()
    }


@pytest.mark.usefixtures("one_process")
def test_tables_of_experiments_that_are_gone_are_removed_and_other_files_stay(results: Path, tmp_path: Path) -> None:
    for name in ("gone.csv.gz", "README.md"):
        (tmp_path / name).write_text("old")
    command("reference", f"results_dir={results}", f"reference_dir={tmp_path}")
    assert {path.name for path in tmp_path.glob("*.csv.gz")} == {"cheap.csv.gz"}
    assert (tmp_path / "README.md").exists()


def frame_of_a_family() -> pd.DataFrame:
    lines = [
        {"n": 10, "mass": mass, "replicate": replicate, "value": value + replicate / 100}
        for mass, value in ((0.5, 1.0), (0.25, 3.0)) for replicate in (0, 1)
    ]  # fmt: skip
    same = {
        "series": "one", "role": "claim", "p": 1, "epsilon": 1.0, "delta": 0.0, "norm": 1.0, "bound": 5.0,
        "quantity": "excess_risk", "status": "ok",
    }  # fmt: skip
    lines += [{"n": 10, "mass": 0.5, "replicate": 0, "value": 7.0, "quantity": "not_judged"}]
    return pd.DataFrame([same | line for line in lines])


def test_of_a_family_the_worst_member_is_kept_and_of_the_quantities_those_that_are_judged() -> None:
    config = {"sweep": {"mass": [0.5, 0.25]}, "study": {}, "checks": {"one": {}}, "figure": {"envelope": ["mass"]}}
    table = summary(frame_of_a_family(), config)
    assert table[["mass", "mean", "replicates"]].to_dict("records") == [{"mass": 0.25, "mean": 3.005, "replicates": 2}]
    both = summary(frame_of_a_family(), config | {"figure": {}})
    assert both["mass"].tolist() == [0.25, 0.5]


@pytest.mark.parametrize("value", [1e10, 1e-300, 0.000244140625, 65536.0, float("inf"), 0.1, 2000.0, -1.5])
def test_axes_are_written_in_full(value: float) -> None:
    table = pd.DataFrame({"n": [value], "replicates": [1], "state": ["used"]})
    assert pd.read_csv(io.BytesIO(to_csv(table)))["n"].tolist() == [value]


def test_the_command_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no ledger.json in .*run `python -m dprepro ledger` first"):
        main(["reference", f"results_dir={tmp_path}"])
    with pytest.raises(InputError, match=r"unknown argument .reference=. \(did you mean reference_dir=\?\)"):
        main(["reference", "reference=x"])
