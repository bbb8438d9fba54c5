"""The articles: every number in them is one of the reference folder, every erratum stands in them, both compile."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from docs import articles, laws
from docs.shown import PLACE, shown
from docs.sources import checks, reference
from docs.tex_numbers import Numbers, printed
from docs.typeset import quoted, signs, words
from dprepro.laws import LAWS

TEXTS = articles.texts()
SETS = dict(re.findall(r"^\\setmeasured\{(.+?)\}\{(.+)\}$", TEXTS["numbers.tex"], flags=re.MULTILINE))
NAMED = {name: set(re.findall(r"\\measured\{(.+?)\}", TEXTS[name])) for name in ("errata.tex", "report.tex")}
LETTERS = set("–’‘“”")
GIVEN = [
    r"$99\%$",  # the level of every interval
    "Theorem 2.5 of",
    "Theorem 5 of",
    r"$\epsilon = 1$",
    r"$\epsilon = 1$, $\delta = 10^{-5}$",
    r"$(s/n) e^{-\epsilon s/2}$",
    r"$2/(e n \epsilon)$",
]
"""Levels, places and formulas that a text may hold, longest last."""
SET_UP = r"<<.*?>>|<%.*?%>|\\(?:begin|multicolumn)\{.*?\}(?:\{.*\})?|\\measured\{.*?\}"
"""What sets the type, and numbers that are named."""


def typed(template: str) -> list[str]:
    """The numbers that a template has by itself."""
    prose = re.sub(SET_UP, "", template)
    for given in sorted(GIVEN, key=len, reverse=True):
        prose = prose.replace(given, "")
    return re.findall(r"\d+", prose)


@pytest.mark.parametrize("name", TEXTS)
def test_a_committed_text_is_what_the_reference_says(name: str) -> None:
    assert (articles.PAPER / name).read_text(encoding="utf-8") == TEXTS[name], "python -m docs.articles writes it"


def test_every_number_that_a_text_names_is_defined() -> None:
    assert all(len(named) > 20 for named in NAMED.values())
    assert not set().union(*NAMED.values()) - set(SETS)


def traced() -> dict[str, str]:
    """Every number by its name, taken from where it was measured and by other lines than the articles'."""
    ledger, found = reference("ledger.json"), {}
    for erratum in ledger["errata"]:
        for one in erratum["shown_by"]:
            if "check" in one:
                check = checks(one["experiment"])[one["check"]]  # in a file of its own
                name = f"{erratum['id']}/{one['check']}"
                found |= {name: printed(check["estimate"]), f"{name}/expected": printed(check["expected"])}
                point = PLACE.match(check["reason"])
                for axis, value in re.findall(r", (\w+)=(\S+?)(?=,| the )", point[0]) if point else ():
                    found[f"{name}/{axis}"] = printed(float(value))
    places = Counter(erratum["severity"] for erratum in ledger["errata"])
    causes = {(one["severity"], one["paper"], one["cause"]) for one in ledger["errata"]}
    for severity, count in places.items():
        found[f"errata/{severity}/places"] = printed(count)
        found[f"errata/{severity}/causes"] = printed(sum(cause[0] == severity for cause in causes))
    found["errata/places"] = printed(len(ledger["errata"]))
    found["errata/causes"] = printed(len({cause[1:] for cause in causes}))
    rows = [row for row in ledger["claims"] if row["kind"] != "further" and row["paper"] != "derived"]
    corners = sum("corner" in row["words"] for row in rows)
    refuted = sum(row["verdict"] == "refuted" for row in rows)
    found["statements refuted as printed/corners"] = printed(corners)
    found["statements refuted as printed/rows"] = printed(refuted - corners)
    found["statements refuted as printed/causes"] = printed(ledger["causes"]["causes"])
    found["statements"] = printed(len(rows))
    for verdict, count in Counter(row["verdict"] for row in rows).items():
        found[f"statements/{verdict}"] = printed(count)
    forms = rows + [row["repaired"] for row in rows if row["repaired"]]
    found["repaired"] = printed(len(forms) - len(rows))
    found["attacked"] = printed(sum(1 for form in forms if form["attack"]))
    for name, key in (("corners tried", "corners"), ("points searched", "searched")):
        found[name] = printed(sum(form["attack"][key] for form in forms if form["attack"]))
    of_papers = [row for row in ledger["claims"] if "proof" not in row]
    found["experiments"] = printed(len(set().union(*(row["experiments"] for row in of_papers))))
    for row in rows:
        for side, direction in (("lower", math.floor), ("upper", math.ceil)) if row["constant"] else ():
            found[f"{row['id']}/{side}"] = printed(row["constant"][side], direction)
    stability, heldout, planted = (reference(f"{name}.json") for name in ("stability", "heldout", "mutants"))
    found["seeds/checks"] = printed(len(stability))
    found["seeds/flipped"] = printed(sum(len(set(entry["verdicts"])) > 1 for entry in stability))
    claims = [check for entry in heldout for check in entry["checks"] if check["role"] == "claim"]
    otherwise = [check for check in claims if check["outcome"] == "otherwise"]
    found["held out/otherwise"] = printed(len(otherwise))
    found["held out/claims"] = printed(len([check for check in claims if check["outcome"] != "no statement"]))
    found["falsehoods"] = printed(sum(not entry["harmless"] for entry in planted))
    found["falsehoods/noticed"] = printed(sum(bool(entry["good"]) and not entry["harmless"] for entry in planted))
    for name in ("packing", "fingerprinting"):
        found[f"minimax_linear/{name}"] = printed(checks("minimax_linear")[name]["high"], math.ceil)
    return found


def test_every_number_is_traced_to_what_was_measured() -> None:
    """None is left: a number that has no line above fails, as one that is another does."""
    assert traced() == SETS
    assert sum("/" in name for name in SETS) > 150


@pytest.mark.parametrize("name", ["errata", "report", "references"])
def test_no_number_of_a_measurement_is_typed(name: str) -> None:
    assert not typed((articles.TEMPLATES / f"{name}.tex.j2").read_text(encoding="utf-8"))


@pytest.mark.parametrize("planted", ["a risk of 0.93", r"spends $1.2$ times", r"up to 3\cdot 10^{4} records"])
def test_a_number_that_is_typed_is_noticed(planted: str) -> None:
    assert not typed(r"At \measured{a/b} of \cite{<< key(2) >>}, $\epsilon = 1$, $\delta = 10^{-5}$.")
    assert typed(rf"At \measured{{a/b}} it has {planted} at $\epsilon = 1$.")


def test_every_erratum_stands_in_the_article_once() -> None:
    rows = reference("ledger.json")["errata"]
    blocks = re.findall(r"\\subsection\*", TEXTS["errata.tex"])
    assert len(blocks) == sum(row["severity"] != "typo" for row in rows)
    typos = TEXTS["errata.tex"].partition(r"\section{Typos}")[2]
    assert typos.count(r" \\ \addlinespace") == sum(row["severity"] == "typo" for row in rows)
    assert {row["severity"] for row in rows} <= {*articles.IN_BLOCKS, "typo"}


@pytest.mark.parametrize("name", TEXTS)
def test_no_letter_is_left_that_latex_lacks(name: str) -> None:
    assert {sign for sign in TEXTS[name] if ord(sign) > 0xFF} <= LETTERS


def test_signs_become_commands_and_neighbours_one_formula() -> None:
    assert signs("θ² of ℓ̂ and $x$") == r"$\theta ^{2}$ of $\hat{\ell}$ and $x$"
    assert words('a "word"') == "a “word”"


@pytest.mark.parametrize(
    ("quote", "made"),
    [
        ("θ_{t+1}", r"$\theta$\textsubscript{t+1}"),
        ("μ^i_D(E) ≤ e^ε", r"$\mu$\textsuperscript{i}\textsubscript{D}(E) $\leq$ e\textsuperscript{$\epsilon$}"),
        ("X_(i), ‖C‖_q²", r"X\textsubscript{(i)}, $\|$C$\|$\textsubscript{q}$^{2}$"),
        ("√n √(2 (p))/(nε)", r"$\sqrt{\mbox{n}}$ $\sqrt{\mbox{2 (p)}}$/\allowbreak{}(n$\epsilon$)"),
    ],
)
def test_scripts_and_roots_of_a_quote_are_set_as_such(quote: str, made: str) -> None:
    assert quoted(quote) == made


def test_a_bound_is_rounded_away_from_what_it_bounds() -> None:
    assert [printed(0.049928, math.floor), printed(0.049928)] == [r"\ensuremath{0.04992}", r"\ensuremath{0.04993}"]
    assert printed(96.0000000001885, math.ceil) == r"\ensuremath{96}"
    assert printed(1.92862, math.ceil) == r"\ensuremath{1.929}"
    assert printed(2.06411, math.ceil) == r"\ensuremath{2.065}"


def test_every_law_has_its_words() -> None:
    assert set(laws.IN_WORDS) == set(LAWS.values())


CHECKED = {"check": "too_cold", "experiment": "erm_exponential", "estimate": 2.0, "expected": 1.0, "command": "run"}


@pytest.mark.parametrize(
    ("verdict", "side", "claimed"),
    [
        ("refuted", "at_most", "printed: at most"),
        ("confirmed", "at_least", "stated: at least"),
        ("refuted", "", "printed:"),
    ],
)
def test_evidence_says_what_was_compared_which_side_and_whether_the_number_is_the_printed_one(
    verdict: str, side: str, claimed: str
) -> None:
    one = CHECKED | {"verdict": verdict, "side": side}
    (said,) = shown({"id": "a", "shown_by": [one]}, Numbers())
    assert said == (
        r"check \code{too_cold}: the $\epsilon$ that an accountant certifies is \measured{a/too_cold} times "
        rf"the budget's ({claimed} \measured{{a/too_cold/expected}}; \code{{run}})"
    )


@pytest.mark.parametrize(
    ("experiment", "check", "words_of"),
    [
        ("lasso_dimension", "corollary_2_7_by_theorem_2_5", r"the excess risk over its rate goes as $(\ln p)^{"),
        ("sparse_pipelines", "first_term_as_printed", r"the excess risk goes as $s^{"),
        ("objective_perturbation_population", "as_printed", r"the excess risk goes as $n^{"),
    ],
)
def test_an_exponent_is_told_of_the_axis_in_which_it_was_seen(experiment: str, check: str, words_of: str) -> None:
    one = CHECKED | {"experiment": experiment, "check": check, "verdict": "refuted", "side": ""}
    assert words_of in shown({"id": "a", "shown_by": [one]}, Numbers())[0]


def test_every_piece_of_evidence_of_an_erratum_is_shown_and_a_point_that_decides_is_named() -> None:
    for erratum in reference("ledger.json")["errata"]:
        said = shown(erratum, Numbers())
        assert len(said) == len(erratum["shown_by"])
        for one, words_of in zip(erratum["shown_by"], said, strict=True):
            if "check" in one:
                place = PLACE.match(checks(one["experiment"])[one["check"]]["reason"])
                axes = re.findall(r", (\w+)=", place[1]) if place else []
                assert re.findall(rf"{one['check']}/(\w+)\}}", words_of.partition(" (")[0]) == axes
            else:
                assert one["test"] in words_of


def test_one_name_has_one_number() -> None:
    number = Numbers()
    assert number("a", 0.5) == number("a", 0.5) == r"\measured{a}"
    with pytest.raises(ValueError, match="a is"):
        number("a", 0.25)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
@pytest.mark.parametrize("name", ["errata", "report"])
def test_they_compile_with_every_reference_and_no_line_beyond_the_margin(tmp_path: Path, name: str) -> None:
    for file, text in TEXTS.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    log = (tmp_path / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    assert not re.findall(r"Overfull .*|LaTeX Warning: (?:Citation|Reference).*undefined.*", log)
    assert (tmp_path / f"{name}.pdf").stat().st_size > 100_000
