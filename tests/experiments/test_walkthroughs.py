"""The walkthroughs: scripts from top to bottom, notebooks cell by cell, and every experiment in one of them."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cheap_experiment import ENVIRONMENT

from dprepro.errors import InputError

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = {path.stem: path for path in sorted((ROOT / "experiments").glob("*.py")) if path.stem != "walkthrough"}
CONFIRMED = re.compile(": confirmed( up to logarithms)?; all checks came out as expected$")
CELL = re.compile(r"^# %%( \[markdown\])?$", re.MULTILINE)


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
            assert [one.name for one in node.names if not hasattr(module, one.name)] == []


def test_every_experiment_is_run_in_a_walkthrough() -> None:
    run = {name for path in SCRIPTS.values() for name in re.findall(r'dprepro\.run\("(\w+)"', path.read_text("utf-8"))}
    known = {path.stem for path in (ROOT / "conf/experiment").glob("*.yaml")}
    assert known - run <= {"pair"}


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


@pytest.mark.parametrize("argument", ["nothing", "results_dir=", "results_dir=nowhere"])
def test_the_record_of_walkthroughs_is_not_renewed_from_what_is_none(
    argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.chdir(tmp_path)
    from docs import walkthroughs

    with pytest.raises(InputError, match=r"unknown argument|no measurements in nowhere"):
        walkthroughs.main([argument])
    assert not list(tmp_path.iterdir())
