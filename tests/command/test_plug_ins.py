"""Code that is edited between two runs: what it made is measured again, or nothing is and a line says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.cheap_experiment import CHEAP, ENVIRONMENT
from helpers.forked import forked

ROOT = Path(__file__).parents[2]
FILES = {
    "my_lab/__init__.py": "import my_lab.steps\n",
    "my_lab/registry.py": "FACTORS = {}\n",
    "my_lab/steps.py": "from my_lab.registry import FACTORS\n\nFACTORS['own'] = 1.0\n",
    "my_lab/factor.txt": "1.0\n",
    "my_lab/algorithm.py": """\
from dataclasses import dataclass, replace
from pathlib import Path

from dprepro.algorithms import NoisyFrankWolfe
from my_lab.registry import FACTORS

DPREPRO_READS = ("factor.txt",)


@dataclass(frozen=True)
class Scaled(NoisyFrankWolfe):
    def schedule(self, domain, budget):
        made = super().schedule(domain, budget)
        factor = FACTORS["own"] * float(Path(__file__).with_name("factor.txt").read_text())
        return replace(made, noise_scale=factor * made.noise_scale)
""",
    "my_lab/conf/algorithm/scaled.yaml": "_target_: my_lab.algorithm.Scaled\n",
    "my_lab/conf/experiment/scaled.yaml": CHEAP.replace("noisy_frank_wolfe", "scaled").replace(
        "[3.0e5, 6.0e5, 1.0e6, 3.0e6, 1.0e7]", "[3.0e5, 6.0e5]"
    ),
    "my_lab-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: my_lab\nVersion: 1\n",
    "my_lab-1.dist-info/entry_points.txt": "[dprepro.papers]\nsome = my_lab\n",
}


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return forked(*words, f"results_dir={site / 'results'}", "workers=1", folder=site, path=[site])


def risk(site: Path) -> float:
    verdict = json.loads((site / "results" / "scaled" / "verdict.json").read_text(encoding="utf-8"))
    return float(verdict["checks"]["below_bound"]["estimate"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not copy processes")
@pytest.mark.usefixtures("undrawn")
def test_edits_of_a_plug_in_and_its_data_are_measured_again_and_what_nobody_can_follow_is_refused(
    tmp_path: Path,
) -> None:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    first = run(tmp_path, "+experiment=scaled")
    assert "cells: 4 measured now, 0 from the store" in first.stdout, first.stderr
    before = risk(tmp_path)
    (tmp_path / "my_lab" / "steps.py").write_text(FILES["my_lab/steps.py"].replace("1.0", "3.0"))
    (tmp_path / "my_lab" / "factor.txt").write_text("2.0\n")
    second = run(tmp_path, "+experiment=scaled")
    assert "4 had been measured by other code (my_lab.algorithm, my_lab.steps)" in second.stdout, second.stderr
    assert risk(tmp_path) > 1.5 * before
    (tmp_path / "my_lab" / "steps.py").write_text(
        FILES["my_lab/steps.py"] + "\nimport importlib\n\nimportlib.import_module('json'.strip())\n"
    )
    third = run(tmp_path, "+experiment=scaled")
    assert third.returncode == 2
    (line,) = third.stderr.strip().splitlines()
    assert "my_lab.steps, line 7: importlib.import_module finds code that no import names" in line
    assert 'write DPREPRO_IMPORTS = ("package.module",)' in line
    assert risk(tmp_path) > 1.5 * before


@pytest.mark.slow
def test_an_edit_of_a_helper_compiled_into_kernels_changes_the_numbers_with_a_kept_cache(
    tmp_path: Path,
) -> None:
    for part in ("dprepro", "conf"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("*.pyc"))

    def measured() -> list[float]:
        words = ["+experiment=lasso_rate", "replicates=1", "sweep.n=[1e5,2e5]", f"results_dir={tmp_path / 'results'}"]
        environment = {**ENVIRONMENT, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-m", "dprepro", *words, "workers=1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        import pandas as pd

        (path,) = (tmp_path / "results").rglob("measurements.parquet")
        return list(pd.read_parquet(path)["value"])

    before = measured()
    helper = tmp_path / "dprepro" / "reductions" / "kernels" / "selection.py"
    text = helper.read_text(encoding="utf-8")
    old = "e = rng.standard_exponential() / count"
    assert text.count(old) == 1
    helper.write_text(text.replace(old, old.replace("rng", "2.0 * rng")), encoding="utf-8")
    assert measured() != before
