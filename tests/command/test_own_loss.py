"""A loss of one's own: one class in one file of a package that declares itself a plug-in."""

import json
import os
from pathlib import Path

import pytest
from helpers.forked import forked

LOSS = '''
"""Huber regression with a knot at 1/2."""

from dataclasses import dataclass

import numpy as np

from dprepro.problems.losses import MarginLoss


@dataclass(frozen=True)
class Huber(MarginLoss):
    """phi = r^2/2 for |r| = |z - y| <= 1/2, and |r|/2 - 1/8 beyond."""

    smoothness = 1.0

    @staticmethod
    def phi(z, y):
        size, inner = np.abs(z - y), np.minimum(np.abs(z - y), 0.5)
        return inner * (size - 0.5 * inner)

    @staticmethod
    def slope(z, y):
        return np.minimum(np.maximum(z - y, -0.5), 0.5)
'''


def verdict_of(folder: Path) -> dict[str, object]:
    """Of Algorithm 1 of Bassily, Smith and Thakurta on it, from the command line."""
    (folder / "mine.py").write_text(LOSS, encoding="utf-8")
    declared = folder / "mine-1.dist-info"
    declared.mkdir()
    (declared / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n", encoding="utf-8")
    (declared / "entry_points.txt").write_text("[dprepro.plugins]\nmine = mine\n", encoding="utf-8")
    done = forked(
        "+experiment=pair", "algorithm=noisy_sgd_full", "construction=iid_design",
        "construction.loss={_target_: mine.Huber}", "construction.constraint_set=l2_ball", "+construction.rows=100",
        "sweep.n=[1e3,2e3,4e3]", "sweep.p=[4]", "workers=1", "label=mine", f"results_dir={folder}",
        folder=folder, path=[folder],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    verdict: dict[str, object] = json.loads((folder / "pair/overridden/mine/verdict.json").read_text(encoding="utf-8"))
    return verdict


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not copy processes")
@pytest.mark.usefixtures("undrawn")
def test_a_loss_of_one_s_own_runs_compiled_and_judged_from_the_command_line(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path)
    assert (verdict["verdict"], verdict["as_expected"]) == ("confirmed", True)
