"""Formulas in sentences, LaTeX between dollar signs: as MathML, within LaTeX, and in plain letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from dprepro.report.formulas import FORMULA, latex, mathml, plain, prose, tex_text, with_symbols
from dprepro.statements.papers import papers


def sentences() -> Iterator[str]:
    """All that statements and errata say."""
    for described in papers().values():
        for claim in described.claims:
            for says in (claim.says, claim.repaired):
                yield from [says.text] if says else ()
            yield from (claim.note, claim.nothing)
        for erratum in described.errata:
            yield from (erratum.printed, erratum.holds, erratum.range)


def test_no_formula_is_left_among_the_words_of_the_papers() -> None:
    left = re.compile(r"\w\^|\^\w|\|\||_\(|\)\^|\bsqrt\b|\bepsilon\b|\bdelta\b|\\|\$")
    for text in sentences():
        assert not left.search(" ".join(FORMULA.split(text)[::2])), text


def test_every_formula_of_the_papers_can_be_set_as_mathml_and_as_plain_words() -> None:
    known = sorted({formula for text in sentences() for formula in FORMULA.findall(text)})
    assert len(known) > 300
    for formula in known:
        ElementTree.fromstring(mathml(formula)).iter("mrow")
        assert "\\" not in plain(f"${formula}$")
        assert formula.count("{") == formula.count("}")


def test_every_printed_formula_becomes_mathml() -> None:
    printed = [
        says.latex
        for described in papers().values()
        for claim in described.claims
        for says in (claim.says, claim.repaired)
        if says and says.latex
    ]
    assert len(printed) > 150
    assert not [formula for formula in printed if "<code>" in mathml(formula)]
    assert not [formula for formula in printed if re.search(r"\(\)|\bt?frac\b", plain(f"${formula}$"))]


@pytest.mark.parametrize(
    ("formula", "letters"),
    [
        (r"(n \epsilon)^{-2/3}", "(n epsilon)^(-2/3)"),
        (r"L_1^2", "L_1^2"),
        (r"\delta \le 8\cdot 10^{-5}", "delta <= 8e-5"),
        (r"10^{-6}", "1e-6"),
        (r"\sqrt{\log 1/\delta}", "sqrt(log 1/delta)"),
        (r"\frac{2 \|b\|^2}{\Delta n}", "(2 ||b||^2)/(Delta n)"),
        (r"\frac{\zeta^{3/2} \|\hat\theta\|_2 \log p}{\epsilon n}", "(zeta^(3/2) ||hat theta||_2 log p)/(epsilon n)"),
        (r"\frac{a_{1}}{b_{\frac1n}} + \frac{2\beta}\epsilon", "a_1/(b_(1/n)) + (2 beta)/epsilon"),
        (r"\tfrac1{(n\epsilon)^{1/p}} e^{-\eta \sqrt{p}}", "1/((n epsilon)^(1/p)) e^(-eta sqrt(p))"),
        (r"\|\hat{\theta}\|_\infty", "||theta_hat||_inf"),
        (r"\langle s, \nabla L(\theta)\rangle", "<s, grad L(theta)>"),
        (r"\theta^{\mathrm{priv}} = \ell_1", "theta^priv = l1"),
        (r"X_{(i)} \in \{0, \ldots, n\}", "X_(i) in {0, ..., n}"),
    ],
)
def test_a_terminal_shows_a_formula_in_plain_letters(formula: str, letters: str) -> None:
    assert plain(f"a ${formula}$ b") == f"a {letters} b"


def test_a_page_keeps_the_plain_letters_of_a_formula_for_the_search() -> None:
    math = "<msup><mi>n</mi><mrow><mo>&#x02212;</mo><mn>2</mn></mrow></msup>"
    assert prose("order $n^{-2}$") == f'order <math alttext="n^-2"><mrow>{math}</mrow></math>'


def test_the_name_of_a_function_stands_apart_from_its_factors_and_not_from_its_bracket() -> None:
    space = r'<mspace width="0\.167em" />'
    assert re.search(rf"<mi>n</mi>{space}<mtext>log</mtext>{space}<mi>p</mi>", mathml(r"n \log p"))
    assert re.search(r"<mtext>log</mtext><mo [^>]*>&#x00028;", mathml(r"\log(p)"))


def test_words_made_from_measurements_have_symbols_and_powers_of_ten() -> None:
    assert with_symbols("n from 1e6 to 3.5e13, the exponent of epsilon, delta = 1e-06, tail_n, in 3e") == (
        r"$n$ from $10^{6}$ to $3.5\cdot 10^{13}$, the exponent of $\epsilon$, $\delta$ = $10^{-6}$, tail_n, in 3e"
    )


def test_latex_of_a_stranger_is_text_on_the_page_whatever_it_holds() -> None:
    assert "<code>\\left(&lt;script&gt;</code>" in prose(r"$\left(<script>$")
    assert "<script" not in prose("$<script>alert(1)</script>$")


def test_prices_are_no_formula() -> None:
    assert prose("from $5 to $6") == plain("from $5 to $6") == "from $5 to $6"


def test_words_are_escaped() -> None:
    assert prose("<br> & 2 <= 3 - 'x'") == "&lt;br&gt; &amp; 2 ≤ 3 – &#39;x&#39;"
    assert latex("5% of $n$") == r"5\% of $n$"
    assert tex_text(r"a_b & 5% of {x} \ #1 ~ ^ $") == (
        r"a\_b \& 5\% of \{x\} \textbackslash{} \#1 \textasciitilde{} \textasciicircum{} \$"
    )
