"""Three runs of one small experiment, measured in a second: as it is, at twice the budget, and at one p."""

from __future__ import annotations

from pathlib import Path

from helpers.cheap_experiment import command, write_config_dir

SMALL = """\
defaults:
  - /algorithm: noisy_frank_wolfe
  - /construction: tuned_needle
  - _self_

paper: lasso
claim: Theorem 2.5, small
statement: The excess risk falls as n^(-2/3).

sweep: {n: [1e6, 3e6, 1e7, 3e7, 1e8], p: [100, 1000], epsilon: [1], delta: [1e-6]}
replicates: 3
workers: 1

study:
  _target_: dprepro.studies.RateStudy
  bound: lasso.theorem_2_5
  rate: lasso.theorem_2_5_rate
  series:
    needle: {role: claim, algorithm: "${algorithm}", construction: "${construction}"}
    output_zero: {role: context, algorithm: data_free, construction: "${construction}", bound: none, replicates: 1}
    once: {role: context, algorithm: "${algorithm}", construction: "${construction}", replicates: 1, one_point: true}

checks:
  exponent_n: {rule: exponent, role: claim, series: needle, axis: n, expected: -2/3}
  below_bound: {rule: below, role: claim, series: [needle], expected: 1}
  half_the_bound: {rule: below, role: control, series: [needle], expected: 0.1}

figure: {name: rate, labels: {needle: the needle}}
"""
TWICE = "small/overridden/twice"
"""The run whose epsilon is twice that of the plain one."""
OVERRIDE = "sweep.p=[100]"
"""Of the third run, which has no label."""


def measured(root: Path) -> Path:
    """The results folder of the three runs."""
    folder, results = write_config_dir(root / "mine", small=SMALL), root / "results"
    for overrides in ([], ["sweep.epsilon=[2]", "label=twice"], [OVERRIDE]):
        words = ["--config-dir", folder, "+experiment=small", f"results_dir={results}", *overrides]
        assert command(*words) == 0
    return results
