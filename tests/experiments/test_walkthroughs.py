"""The walkthroughs: scripts from top to bottom, notebooks cell by cell, and every experiment in one of them."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from helpers.cheap_experiment import ENVIRONMENT
from helpers.shipped import composed

import dprepro
from docs import walkthroughs
from dprepro.config.config_files import headers
from dprepro.engine.store import FILE_NAME
from dprepro.errors import InputError
from dprepro.support.regular_files import unpacked

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = {path.stem: path for path in sorted((ROOT / "experiments").glob("*.py")) if path.stem != "walkthrough"}
CONFIRMED = re.compile(": confirmed[^:;]*; all checks came out as expected$")
CELL = re.compile(r"^# %%( \[markdown\])?$", re.MULTILINE)
REFERENCE = ROOT / "results/reference"
NOT_KEPT = ('"caught"', '"sum_risk"')
"""Quantities that some cell reads and no check judges, which the reference folder does not keep."""
DETAILS: dict[str, dict[str, Any]] = {
    "bare_n": {"crossings": [[1e4, 1e3], [1e5, 4e3], [1e6, 2e4]]},
    "good_enough": {"places": {"statistics": [0.5, 1.0, 2.0], "sgd": [None, None, None]}},
    "half_within_10": {"cases": 44, "median": 0.05, "quantile_90": 0.2},
    "everywhere_within_2": {"cases": 72, "median": 1.0, "quantile_90": 1.5},
}
"""What checks find besides, which it does not keep either."""


@cache
def _checks() -> dict[str, Any]:
    return dict(json.loads(unpacked(REFERENCE / "checks.json.gz")))


def kept(experiment: str, **changes: Any) -> SimpleNamespace:
    """The outcome of a run as the reference folder keeps it: a mean in the place of each grid point's replicates."""
    assert set(changes) <= {"checks"}, "other measurements than those of the reference"
    frame = pd.read_csv(REFERENCE / f"{experiment}.csv.gz").rename(columns={"mean": "value"})
    frame = frame.assign(experiment=experiment, replicate=0, status="ok", seconds=0.0)
    verdict = {"experiment": experiment, "paper": "", "claim": "", "verdict": "confirmed", "as_expected": True}
    found = {name: check | {"details": DETAILS.get(name)} for name, check in _checks()[experiment].items()}
    folder = Path("results") / experiment
    return SimpleNamespace(frame=frame, folder=folder, verdict=verdict | {"overrides": [], "checks": found})


@pytest.fixture
def nothing_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dprepro, "run", kept)
    monkeypatch.syspath_prepend(ROOT / "experiments")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_walkthrough_is_a_notebook_in_percent_format(name: str) -> None:
    text = SCRIPTS[name].read_text(encoding="utf-8")
    assert text.startswith("# ---\n# jupyter:\n#   jupytext:\n")
    assert "format_name: percent" in text
    kinds, cells = CELL.findall(text), CELL.split(text)[2::2]
    assert kinds[0], "it begins with text"
    for kind, cell in zip(kinds, cells, strict=True):
        if kind:
            assert all(line.startswith("#") for line in cell.strip().splitlines())
        else:
            ast.parse(cell)  # a cell is whole


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_walkthrough_imports_from_the_package_exists(name: str) -> None:
    for node in ast.walk(ast.parse(SCRIPTS[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dprepro"):
            module = importlib.import_module(str(node.module))
            assert [name.name for name in node.names if not hasattr(module, name.name)] == []


def test_every_experiment_of_a_paper_with_a_walkthrough_is_run_in_one() -> None:
    run = {name for path in SCRIPTS.values() for name in re.findall(r'dprepro\.run\("(\w+)"', path.read_text("utf-8"))}
    papers = {name: header["paper"] for name, header in headers().items()}
    told = {papers[name] for name in run}
    assert len(told) >= 4
    others = {"pair", *(f"attacks_{paper}" for paper in told)}  # which walk through no claim
    others.add("kst_constants")  # worst_constants under another relation
    assert {name for name, paper in papers.items() if paper in told} - run <= others


def told_of(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Experiments and the checks that a walkthrough names of them."""
    run = {
        ast.unparse(node.targets[0]): ast.literal_eval(node.value.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if ast.unparse(node.value.func) == "dprepro.run"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("constant", "estimate"):
            yield run[ast.unparse(node.args[0])], ast.literal_eval(node.args[1])
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(".verdict['checks']"):
            yield run[ast.unparse(node.value).partition(".")[0]], ast.literal_eval(node.slice)


def test_every_check_that_a_walkthrough_names_is_one_of_its_experiment() -> None:
    told = {one for path in SCRIPTS.values() for one in told_of(ast.parse(path.read_text("utf-8")))}
    assert len(told) >= 15
    assert [(name, check) for name, check in told if check not in composed(name).config["checks"]] == []


@pytest.mark.usefixtures("nothing_measured")
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_cells_of_a_walkthrough_run_over_what_the_reference_keeps(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in walkthroughs.cells(name):
        if cell.code and not any(word in cell.text for word in NOT_KEPT):
            exec(compile(cell.text, SCRIPTS[name].name, "exec"), namespace)
    assert "In practice: " in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_walkthrough_runs_from_top_to_bottom_and_confirms_what_it_says(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS[name]], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "In practice: " in done.stdout
    assert "NOT all checks" not in done.stdout
    verdicts = [line for line in done.stdout.splitlines() if line.startswith("verdict: ")]
    assert [line for line in verdicts if not CONFIRMED.search(line)] == []
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


@pytest.mark.usefixtures("nothing_measured")
def test_the_record_of_walkthroughs_is_what_each_cell_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE_NAME).touch()
    where = [f"results_dir={tmp_path}", f"reference_dir={tmp_path / 'reference'}"]
    for name in ("privacy", "objective_perturbation"):
        assert walkthroughs.main([name, *where]) == 0
    assert capsys.readouterr().out == "privacy\nobjective_perturbation\n"
    found = walkthroughs.recorded(tmp_path / "reference")
    cells = [cell for cell in walkthroughs.cells("privacy") if cell.code]
    assert list(found) == ["objective_perturbation", "privacy"]
    assert set(found["privacy"]) == {cell.digest for cell in cells}
    assert found["privacy"][cells[2].digest].startswith("In practice: the gradients of noisy descent spend at least ")


@pytest.mark.parametrize("argument", ["nothing", "results_dir=", "results_dir=nowhere"])
def test_the_record_of_walkthroughs_is_not_renewed_from_what_is_none(
    argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"unknown argument|no measurements in nowhere"):
        walkthroughs.main([argument])
    assert not list(tmp_path.iterdir())
