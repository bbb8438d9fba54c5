"""The articles: every number in them is one of the reference folder, every erratum stands in them, both compile."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from docs import articles
from docs.sources import reference

TEXTS = articles.texts()
SETS = dict(re.findall(r"^\\setmeasured\{(.+?)\}\{(.+)\}$", TEXTS["numbers.tex"], flags=re.MULTILINE))
NAMED = {name: set(re.findall(r"\\measured\{(.+?)\}", TEXTS[name])) for name in ("errata.tex", "report.tex")}
LETTERS = set("–’‘“”")


@pytest.mark.parametrize("name", TEXTS)
def test_a_committed_text_is_what_the_reference_says(name: str) -> None:
    assert (articles.PAPER / name).read_text(encoding="utf-8") == TEXTS[name], "python -m docs.articles writes it"


def test_every_number_that_a_text_names_is_defined() -> None:
    assert all(len(named) > 20 for named in NAMED.values())
    assert not set().union(*NAMED.values()) - set(SETS)


def test_every_number_of_an_erratum_is_what_its_check_found() -> None:
    """The checks of the full run stand in a file of their own."""
    checks, traced = reference("checks.json"), 0
    for erratum in reference("ledger.json")["errata"]:
        for one in erratum["shown_by"]:
            if "check" in one:
                found = checks[one["experiment"]][one["check"]]
                for name, key in (("", "estimate"), ("/expected", "expected")):
                    printed = SETS[f"{erratum['id']}/{one['check']}{name}"]
                    assert printed == articles._number(found[key])
                    traced += 1
    assert traced > 60


@pytest.mark.parametrize("name", ["errata", "report"])
def test_no_number_of_a_measurement_is_typed(name: str) -> None:
    template = (articles.TEMPLATES / f"{name}.tex.j2").read_text(encoding="utf-8")
    prose = re.sub(r"<[<%].*?[>%]>|\\(?:begin|measured)\{.*?\}(?:\{.*\})?", "", template)
    assert set(re.findall(r"\d+", prose)) <= {"99"}  # the level of every interval


def test_every_erratum_stands_in_the_article_once() -> None:
    rows = reference("ledger.json")["errata"]
    blocks = re.findall(r"\\subsection\*", TEXTS["errata.tex"])
    assert len(blocks) == sum(row["severity"] != "typo" for row in rows)
    typos = TEXTS["errata.tex"].partition(r"\section{Typos}")[2]
    assert len(re.findall(r" \\\\$", typos, flags=re.MULTILINE)) >= sum(row["severity"] == "typo" for row in rows)
    assert {row["severity"] for row in rows} <= {*articles.IN_BLOCKS, "typo"}


@pytest.mark.parametrize("name", TEXTS)
def test_no_letter_is_left_that_latex_lacks(name: str) -> None:
    assert {sign for sign in TEXTS[name] if ord(sign) > 0xFF} <= LETTERS


def test_signs_become_commands_and_neighbours_one_formula() -> None:
    assert articles.signs("θ² of ℓ̂ and $x$") == r"$\theta ^{2}$ of $\hat{\ell}$ and $x$"


def test_one_name_has_one_number() -> None:
    number = articles.Numbers()
    assert number("a", 0.5) == number("a", 0.5) == r"\measured{a}"
    with pytest.raises(ValueError, match="a is"):
        number("a", 0.25)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("name", ["errata", "report"])
def test_they_compile(tmp_path: Path, name: str) -> None:
    for file, text in TEXTS.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (tmp_path / f"{name}.pdf").stat().st_size > 100_000
