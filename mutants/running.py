"""One run of an experiment by code that may have been changed: a copy of the package, the command, its verdict."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants.catalogue import ROOT, Mutant

SECONDS = 1800
"""After this long a run is given up."""


@dataclass(frozen=True)
class Verdicts:
    """What a run said.

    Attributes:
        checks: of verdict.json, by name.
        seconds: wall time.
        fault: why there is no verdict; empty if there is one.
        failed: of cells that failed, how the command put it.
    """

    checks: Mapping[str, Mapping[str, Any]]
    seconds: float
    fault: str = ""
    failed: str = ""


def copy_of_package(folder: Path, source: Path = ROOT) -> Path:
    """Package, configuration, packs and tests in a new folder, with machine code: it is for its own code only."""
    for part in ("dprepro", "conf", "packs", "tests"):
        shutil.copytree(source / part, folder / part, ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(source / "pyproject.toml", folder)
    return folder


def plant(mutant: Mutant, tree: Path) -> None:
    """Put the falsehood into a copy."""
    path = tree / mutant.file
    path.write_text(mutant.planted(path.read_text(encoding="utf-8")), encoding="utf-8")


def run(tree: Path, words: Sequence[str], results: Path) -> Verdicts:
    """Run ``python -m dprepro`` on a copy of the package, with a store of its own."""
    experiment = words[0].partition("=")[2]
    command = [sys.executable, "-m", "dprepro", *words, "workers=1", f"results_dir={results}"]
    results.mkdir(parents=True)
    started = time.perf_counter()
    done = _done(command, tree, results)
    if done is None:
        return Verdicts({}, SECONDS, f"no verdict within {SECONDS} s")
    seconds = time.perf_counter() - started
    said = done.stderr.strip().splitlines()
    path = next((results / experiment).rglob("verdict.json"), None)  # of a run with overrides, in a folder of its own
    if done.returncode not in (0, 1) or path is None:
        return Verdicts({}, seconds, said[-1] if said else f"exit code {done.returncode}")
    checks = json.loads(path.read_text(encoding="utf-8"))["checks"]
    return Verdicts(checks, seconds, failed=said[-1] if done.returncode and said else "")


def run_tests(tree: Path, tests: Sequence[str]) -> Verdicts:
    """Run some tests on a copy of the package: a check for each file, confirmed where all of its tests pass."""
    started, checks = time.perf_counter(), dict[str, Mapping[str, Any]]()
    for name in tests:
        done = _done(
            [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", name], tree, tree
        )
        if done is None or done.returncode not in (0, 1):
            reason = "no end" if done is None else (done.stdout + done.stderr).strip().splitlines()[-1]
            return Verdicts({}, time.perf_counter() - started, f"{name}: {reason}")
        passed = done.returncode == 0
        verdict = "confirmed" if passed else "refuted"
        checks[name] = {"verdict": verdict, "as_expected": passed, "estimate": None, "role": "claim"}
    return Verdicts(checks, time.perf_counter() - started)


def _done(command: Sequence[str], tree: Path, folder: Path) -> subprocess.CompletedProcess[str] | None:
    """A command that was run with the package of a copy; None where it took too long."""
    # Nothing compiled by Python is kept: it knows a file by its second, and mutants are made faster than that.
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "agg"}
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
