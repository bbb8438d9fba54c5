"""Formulas in the statements' plain notation: found among words, and set as MathML and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from matplotlib.mathtext import MathTextParser

from dprepro.report.formulas import latex, prose, tex_text
from dprepro.report.nodes import Formula
from dprepro.report.notation import parse
from dprepro.statements.papers import papers


def formulas(text: str) -> list[str]:
    return [one.text for one in parse(text) if isinstance(one, Formula)]


def sentences() -> Iterator[str]:
    """All that statements and errata say."""
    for described in papers().values():
        for claim in described.claims:
            for says in (claim.says, claim.repaired):
                yield from [says.text] if says else ()
            yield from (claim.note, claim.nothing)
        for erratum in described.errata:
            yield from (erratum.printed, erratum.holds, erratum.range)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a risk of order log(n p) sqrt(log 1/delta) (n epsilon)^(-2/3).",
            ["log(n p) sqrt(log 1/delta) (n epsilon)^(-2/3)"],
        ),
        ("It is (epsilon, delta)-private for epsilon of at most 1e-6.", ["(epsilon, delta)", "epsilon", "1e-6"]),
        ("the score <s, grad L(theta)> of a vertex s", ["<s, grad L(theta)>", "s"]),
        ("B = 2 max(||w*||, 1) on 1-Lipschitz losses", ["B = 2 max(||w*||, 1)"]),
        ("x_j = (X_j1, ..., X_jk), eta/n-strongly convex", ["x_j = (X_j1, ..., X_jk)", "eta/n"]),
        ("with ln(1/delta') and log2(2/beta), not theta^priv", ["ln(1/delta')", "log2(2/beta)", "theta^priv"]),
        ("Theorem F.3 (a) and (18), the paper's 1/2, a step, A map", []),
        ("gamma noise, Gaussian and (gamma), with probability 1 - gamma", ["1 - gamma"]),
        ("sparse_fits and lasso_delta, kst_limits:theorem_36_as_printed", []),
        ("from gamma = .993 (p = 10) on", ["gamma = .993", "(p = 10)"]),
        ("n^( and ||x and sqrt", []),
        ("on |y| <= s, ||theta||_inf <= 1", ["|y| <= s", "||theta||_inf <= 1"]),
    ],
)
def test_formulas_are_found_and_words_left_alone(text: str, expected: list[str]) -> None:
    assert formulas(text) == expected


@pytest.mark.parametrize("text", ["(" * 300 + "n" + ")" * 300, "n <" * 300, "n|" * 300, "n^(p_(" * 300, "sqrt " * 300])
def test_what_nests_without_end_is_read_soon_and_stays_whole(text: str) -> None:
    assert "".join(one if isinstance(one, str) else one.text for one in parse(text)) == text


def test_every_sentence_of_the_papers_is_whole_and_no_notation_is_left_among_its_words() -> None:
    left = re.compile(r"\w\^|\^\w|\|\||_\(|\)\^|\bsqrt\b|\bepsilon\b|\bdelta\b")
    for text in sentences():
        parts = parse(text)
        assert "".join(one if isinstance(one, str) else one.text for one in parts) == text
        words = " ".join(one for one in parts if isinstance(one, str))
        assert not left.search(words), text


def test_every_formula_of_the_papers_is_well_formed_in_both_languages() -> None:
    parser = MathTextParser("path")
    known = {one for text in sentences() for one in formulas(text)}
    assert len(known) > 300
    for text in known:
        ElementTree.fromstring(str(prose(text)))
        one = latex(text)
        assert one.count("$") == 2
        assert one.count("{") - one.count(r"\{") == one.count("}") - one.count(r"\}")
    for text in sorted(known)[::60]:
        parser.parse(latex(text))


@pytest.mark.parametrize(
    ("text", "mathml", "tex"),
    [
        (
            "n^(-2/3)",
            "<msup><mi>n</mi><mrow><mrow><mo>−</mo><mrow><mn>2</mn><mo>/</mo><mn>3</mn></mrow></mrow></mrow></msup>",
            "$n^{- 2/3}$",
        ),
        ("L_1^2", "<msubsup><mi>L</mi><mn>1</mn><mn>2</mn></msubsup>", "$L_{1}^{2}$"),
        (
            "delta <= 8e-5",
            "<mi>δ</mi><mo>≤</mo><mrow><mn>8</mn><mo>·</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>5</mn></mrow></msup></mrow>",
            r"$\delta \leq 8\cdot 10^{-5}$",
        ),
        ("sqrt p", "<msqrt><mi>p</mi></msqrt>", r"$\sqrt{p}$"),
        ("theta_hat", "<mover><mi>θ</mi><mo>^</mo></mover>", r"$\hat{\theta}$"),
        ("||C||", '<mrow><mo stretchy="false">‖</mo><mi>C</mi><mo stretchy="false">‖</mo></mrow>', r"$\|C\|$"),
        ("n = 1", "<mi>n</mi><mo>=</mo><mn>1</mn>", "$n = 1$"),
        ("epsilon = inf", "<mi>ε</mi><mo>=</mo><mi>∞</mi>", r"$\epsilon = \infty$"),
        ("log p", '<mi>log</mi><mspace width=".2em"/><mi>p</mi>', r"$\log p$"),
    ],
)
def test_a_formula_is_set(text: str, mathml: str, tex: str) -> None:
    alone = "" if text == "n = 1" else f' alttext="{text.replace("<", "&lt;")}"'
    assert prose(text) == f"<math{alone}>{mathml}</math>"
    assert latex(text) == tex


def test_words_are_escaped() -> None:
    assert prose("<br> & 2 <= 3 - 'x'") == "&lt;br&gt; &amp; 2 ≤ 3 – &#39;x&#39;"
    assert tex_text(r"a_b & 5% of {x} \ #1 ~ ^ $ σ") == (
        r"a\_b \& 5\% of \{x\} \textbackslash{} \#1 \textasciitilde{} \textasciicircum{} \$ $\sigma$"
    )
