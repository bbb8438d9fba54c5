"""Two articles in LaTeX, made of the reference folder: the errata of the papers, and what was measured and how.

``python -m docs.articles`` writes them into ``paper``, as ``errata.tex`` and ``report.tex``, with the tables of all
statements, ``ledger.tex``. No number of a measurement stands in a text: a command names it, and ``numbers.tex`` defines
it from ``ledger.json``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from docs.sources import ROOT, reference
from dprepro.report.formulas import latex, tex_text
from dprepro.report.tex import tex
from dprepro.report.text import SEVERITIES, by_paper, of_papers
from dprepro.statements.papers import citation

PAPER = ROOT / "paper"
TEMPLATES = Path(__file__).parent / "templates"
IN_BLOCKS = tuple(severity for severity in SEVERITIES if severity != "typo")
"""Errata with a paragraph each; typos stand in a table."""

HEADINGS = {
    "privacy failure": "What is published loses more than its budget",
    "false": "False statements",
    "constant": "Constants that are too small",
    "proof gap": "Proofs with a gap",
    "corner": "Degenerate corners",
}


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


GREEK = _pairs("""
    Δ Delta Θ Theta Γ Gamma Ω Omega Σ Sigma Λ Lambda Φ Phi Π Pi α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon
    ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau φ varphi ϕ phi χ chi ψ psi ω omega
    ∈ in ∞ infty √ surd · cdot × times ∇ nabla ‖ | ∥ | ⟨ langle ⟩ rangle → to ← leftarrow ⇒ Rightarrow ∑ sum ∏ prod
    ∫ int ≈ approx ∼ sim ∪ cup ∩ cap ⊆ subseteq ⊂ subset ≠ neq ∀ forall ∃ exists ℓ ell ∂ partial ≻ succ ≺ prec
    ⪯ preceq ⪰ succeq ≼ preceq ≽ succeq ∖ setminus ⊥ perp ∧ wedge ∨ vee ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ≡ equiv
    ⊤ top ∅ emptyset ≫ gg ≪ ll ∝ propto ℝ mathbb{R} ℕ mathbb{N} ℒ mathcal{L} 𝒞 mathcal{C}
""")
SCRIPTS = _pairs("""
    ⁰ ^0 ¹ ^1 ² ^2 ³ ^3 ⁴ ^4 ⁵ ^5 ⁶ ^6 ⁷ ^7 ⁸ ^8 ⁹ ^9 ⁺ ^+ ⁻ ^- ⁿ ^n ⁱ ^i ᵀ ^T ᵏ ^k ᵗ ^t ᵖ ^p ᵈ ^d
    ₀ _0 ₁ _1 ₂ _2 ₃ _3 ₄ _4 ₅ _5 ₆ _6 ₇ _7 ₈ _8 ₉ _9 ₊ _+ ₋ _- ₙ _n ᵢ _i ⱼ _j ₚ _p ₖ _k ₜ _t
""")
OTHERS = {"…": r"\ldots{}", "′": "$'$", "∗": "$*$", "−": "$-$", "½": r"$\frac12$", "\u2009": r"\,", "\u00a0": "~"}
LETTERS = (
    {letter: rf"$\{name}$" for letter, name in GREEK.items()}
    | OTHERS
    | {letter: f"${script[0]}{{{script[1]}}}$" for letter, script in SCRIPTS.items()}
)
COMBINING = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar"}


def signs(text: str) -> str:
    """Letters that engines of LaTeX lack, as commands; the text is LaTeX already, with formulas between dollars."""
    parts = re.split(r"(\$[^$]*\$)", text)
    made = "".join(part if i % 2 else _outside(part) for i, part in enumerate(parts))
    return made.replace("$$", " ")  # two formulas side by side are one: together these would begin a display


def _outside(words: str) -> str:
    for mark, command in COMBINING.items():
        parts = re.split(f"(.){mark}", words)
        words = "".join(f"${command}{{{_letter(part)}}}$" if i % 2 else part for i, part in enumerate(parts))
    parts = re.split(r"(\$[^$]*\$)", words)
    return "".join(part if i % 2 else "".join(LETTERS.get(sign, sign) for sign in part) for i, part in enumerate(parts))


def _letter(sign: str) -> str:
    return LETTERS.get(sign, sign).strip("$")


class Numbers:
    """The numbers that the texts name, each defined once."""

    def __init__(self) -> None:
        self.defined: dict[str, str] = {}

    def __call__(self, name: str, value: float | int | None) -> str:
        """The command that prints it.

        Raises:
            ValueError: another number has this name.
        """
        text = _number(value)
        if self.defined.setdefault(name, text) != text:
            raise ValueError(f"{name} is {self.defined[name]} and {text}")
        return rf"\measured{{{name}}}"

    def file(self) -> str:
        """The content of numbers.tex."""
        lines = [rf"\setmeasured{{{name}}}{{{text}}}" for name, text in self.defined.items()]
        return "\n".join(["% made by python -m docs.articles from results/reference/ledger.json", *lines]) + "\n"


def _number(value: float | int | None) -> str:
    if value is None:
        return "--"
    text = str(value) if isinstance(value, int) else f"{value:.4g}"
    mantissa, e, power = text.partition("e")
    shown = {"": "", "1": ""}.get(mantissa, rf"{mantissa}\cdot ") if e else mantissa
    return rf"\ensuremath{{{shown}10^{{{int(power)}}}}}" if e else rf"\ensuremath{{{shown}}}"


def shown(erratum: Mapping[str, Any], number: Numbers) -> list[str]:
    """What shows that the print is false: each check with what it found, each test with its path."""
    sides = {"at_most": "at most", "at_least": "at least"}
    said = []
    for shown in erratum["shown_by"]:
        if "test" in shown:
            said.append(rf"\test{{{shown['test']}}}")
            continue
        name = f"{erratum['id']}/{shown['check']}"
        found = number(name, shown["estimate"])
        claimed = number(f"{name}/expected", shown["expected"])
        words = f"{sides.get(shown['side'], 'equal to')} {claimed}"
        said.append(
            rf"check \code{{{shown['check']}}} finds {found} where the print has {words} (\code{{{shown['command']}}})"
            if shown["verdict"] == "refuted"
            else rf"check \code{{{shown['check']}}}: {found}, {words}, {shown['verdict']} (\code{{{shown['command']}}})"
        )
    return said


def causes(rows: Iterable[Mapping[str, Any]]) -> int:
    """For how many causes: a slip that several places repeat is one."""
    return len({(row["paper"], row["cause"]) for row in rows})


def texts() -> dict[str, str]:
    """Each file of the folder ``paper`` by its name."""
    ledger, number = reference("ledger.json"), Numbers()
    rows, heads = ledger["errata"], ledger["papers"]
    blocks = {severity: [row for row in rows if row["severity"] == severity] for severity in IN_BLOCKS}
    typos = [row for row in rows if row["severity"] == "typo"]
    for severity in SEVERITIES:
        mine = [row for row in rows if row["severity"] == severity]
        number(f"errata/{severity}/places", len(mine))
        number(f"errata/{severity}/causes", causes(mine))
    number("errata/places", len(rows))
    number("errata/causes", causes(rows))
    for key, value in ledger["causes"].items():
        number(f"statements refuted as printed/{key}", value)
    claims = [row for row in of_papers(ledger["claims"]) if row["kind"] != "further"]
    number("statements", len(claims))
    for verdict, count in Counter(row["verdict"] for row in claims).items():
        number(f"statements/{verdict}", count)
    number("repaired", sum(1 for row in claims if row["repaired"]))
    number("experiments", len({name for row in of_papers(ledger["claims"]) for name in row["experiments"]}))
    attacked = [form for row in claims for form in (row, row["repaired"]) if form and form.get("attack")]
    number("attacked", len(attacked))
    number("corners tried", sum(form["attack"]["corners"] for form in attacked))
    number("points searched", sum(form["attack"]["searched"] for form in attacked))
    constants = [row for row in claims if row["constant"]]
    for row in constants:
        for side in ("lower", "upper"):
            number(f"{row['id']}/{side}", row["constant"][side])
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "latex": lambda text: signs(latex(text)),
        "words": lambda text: signs(tex_text(text)),
    }
    context = {
        "heads": heads,
        "cited": lambda paper: citation(paper, heads),
        "blocks": {severity: group for severity, group in blocks.items() if group},
        "headings": HEADINGS,
        "typos": typos,
        "constants": constants,
        "papers": list(by_paper(claims)),
        "shown": lambda erratum: shown(erratum, number),
    }
    made = {f"{name}.tex": environment.get_template(f"{name}.tex.j2").render(context) for name in ("errata", "report")}
    return {**made, "ledger.tex": signs(tex(ledger)), "numbers.tex": number.file()}


if __name__ == "__main__":
    PAPER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (PAPER / name).write_text(text, encoding="utf-8")
        print(f"paper/{name}")
