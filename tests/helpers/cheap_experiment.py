"""A configuration folder of a user with experiments that take milliseconds, and the command run in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import dprepro
from dprepro.__main__ import main
from dprepro.commands.ending import guarded

CHEAP = """\
defaults:
  - /algorithm: noisy_frank_wolfe
  - /construction: tuned_needle
  - _self_

paper: lasso
claim: Theorem 2.5, cheaply
statement: The excess risk falls as n^(-2/3).

sweep:
  n: [3.0e5, 6.0e5, 1.0e6, 3.0e6, 1.0e7]
  p: [1000]
  epsilon: [1]
  delta: [1.0e-6]
replicates: 2
workers: 1

study:
  _target_: dprepro.studies.RateStudy
  bound: lasso.theorem_2_5
  rate: lasso.theorem_2_5_rate
  series:
    needle: {role: claim, algorithm: "${algorithm}", construction: "${construction}"}
    bounded: {role: context, algorithm: "${algorithm}", construction: "${construction}", at_most: {n: 1.0e6}}

checks:
  below_bound: {rule: below, role: claim, series: [needle], expected: 1}
  half_the_bound: {rule: below, role: control, series: [needle], expected: 0.1}
  both: {rule: ratio, role: context, series: needle, against: bounded, expected: 1, margin: 0.5}

figure: {name: rate, labels: {needle: the needle}}
"""
#: For processes of their own: the package may not be installed.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(dprepro.__file__).parent.parent)}
NAMES = ("cheap", "cheap_too")


def write_config_dir(folder: Path, **texts: str) -> Path:
    """`folder` with the cheap experiment under two names, and any more by name and text."""
    (folder / "experiment").mkdir(parents=True)
    for name, text in {**dict.fromkeys(NAMES, CHEAP), **texts}.items():
        (folder / "experiment" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def command(*arguments: str | Path, function: Callable[[list[str]], int] = main) -> int:
    """The exit code of `python -m dprepro` with these arguments."""
    return guarded(function, [str(argument) for argument in arguments])


def python(code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A new Python process that runs `code`."""
    words = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, env=ENVIRONMENT)
