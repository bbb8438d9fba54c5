"""A theorem and a family that somebody adds as the pages say: it runs, and every test still passes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.cheap_experiment import ENVIRONMENT
from helpers.shown import ROOT, add, files

pytestmark = pytest.mark.skipif(not (ROOT / "conf").is_dir(), reason="needs a checkout")

LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "results", "build", "dist", "*.egg-info")
PAGES = ("CONTRIBUTING.md", "docs/pages/howto/families.md")
"""Pages that show files to add."""
THEOREM = ("dprepro/algorithms/", "conf/algorithm/", "conf/papers/", "conf/experiment/")
"""Where its statement, its algorithm and its experiment stand."""
CHEAP = (
    "tests/algorithms/test_protocol.py", "-k", "noisy_slope or table_of_theorems",
)  # fmt: skip
LISTING = (
    "tests/algorithms/test_protocol.py", "tests/command/test_packs.py", "tests/config", "tests/constructions",
    "tests/documentation/test_site.py", "tests/documentation/test_commands_of_pages.py", "tests/experiments",
    "tests/mutants", "tests/report", "tests/statements", "tests/test_advise.py", "tests/test_house.py",
    "tests/test_pairs.py",
)  # fmt: skip
"""Tests that go through all that there is of something."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the checkout with the files that the page shows."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.is_dir() and not LEFT_OUT(str(ROOT), [path.name]):
            shutil.copytree(path, folder / path.name, ignore=LEFT_OUT)
        elif path.is_file():
            shutil.copy(path, folder / path.name)
    if (ROOT / "results/reference").is_dir():
        shutil.copytree(ROOT / "results/reference", folder / "results/reference")
    for name, text in (shown for page in PAGES for shown in files(page).items()):
        add(folder / name, text)
    return folder


def python(checkout: Path, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {**ENVIRONMENT, "PYTHONPATH": str(checkout)}
    return subprocess.run(
        [sys.executable, *words], cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )


def passes(checkout: Path, words: Sequence[str]) -> None:
    done = python(checkout, ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-n", "0", *words])
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr
    assert re.search(r"\d+ passed", done.stdout)


def confirmed(checkout: Path) -> None:
    (name,) = [Path(file).stem for file in files("CONTRIBUTING.md") if file.startswith("conf/experiment/")]
    done = python(checkout, ["-m", "dprepro", f"+experiment={name}"])
    assert done.returncode == 0, done.stderr
    assert re.search(r"^verdict: .*: confirmed.*; all checks came out as expected$", done.stdout, re.MULTILINE)


def test_statement_algorithm_and_experiment_of_the_example_have_ninety_lines_at_most() -> None:
    theorem = {name: text for name, text in files("CONTRIBUTING.md").items() if name.startswith(THEOREM)}
    assert {name.rpartition("/")[0] + "/" for name in theorem} == set(THEOREM)
    assert sum(len(text.splitlines()) for text in theorem.values()) <= 90


@pytest.mark.pages
def test_the_example_of_a_theorem_is_confirmed_and_its_algorithm_keeps_the_protocol(checkout: Path) -> None:
    confirmed(checkout)
    passes(checkout, CHEAP)


@pytest.mark.slow
def test_every_test_that_goes_through_all_there_is_passes_with_the_example_pasted_in(checkout: Path) -> None:
    passes(checkout, [*LISTING, *(name for name in files("CONTRIBUTING.md") if name.startswith("tests/"))])
