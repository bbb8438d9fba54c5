"""Words, formulas and quotes of the ledger as LaTeX that every engine sets: letters as commands, scripts, roots."""

from __future__ import annotations

import re

from dprepro.report.formulas import latex, tex_text


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


GREEK = _pairs("""
    Δ Delta Θ Theta Γ Gamma Ω Omega Σ Sigma Λ Lambda Φ Phi Π Pi α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon
    ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau φ varphi ϕ phi χ chi ψ psi ω omega
    Ψ Psi ∈ in ∞ infty √ surd · cdot × times ∇ nabla ‖ | ∥ | ⟨ langle ⟩ rangle → to ← leftarrow ⇒ Rightarrow ∑ sum
    ∏ prod ∫ int ≈ approx ∼ sim ∪ cup ∩ cap ⊆ subseteq ⊂ subset ≠ neq ∀ forall ∃ exists ℓ ell ∂ partial ≻ succ ≺ prec
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
MARKS = {"^": r"\textsuperscript{{{}}}", "_": r"\textsubscript{{{}}}", "√": r"$\sqrt{{\mbox{{{}}}}}$"}
"""What a mark of a quote does to its argument: a word, a letter under a root, or what stands in brackets."""
CLOSING = {"{": "}", "(": ")"}
SIMPLE = "A-Za-z0-9\u0391-\u03c9"
BREAK = "\u200b"
"""Where a line may break."""


def signs(text: str) -> str:
    """Letters that engines of LaTeX lack, as commands; the text is LaTeX already, with formulas between dollars."""
    parts = re.split(r"(\$[^$]*\$)", text)
    made = "".join(part if i % 2 else _outside(part) for i, part in enumerate(parts))
    return made.replace("$$", " ")  # two formulas side by side are one: together these would begin a display


def sentence(text: str) -> str:
    """A sentence of the ledger, with formulas between dollars."""
    return signs(latex(text))


def words(text: str) -> str:
    """Words of the ledger without formulas."""
    return signs(tex_text(re.sub('"([^"]*)"', "\u201c\\1\u201d", text)))


def quoted(text: str) -> str:
    """A quote, in which scripts and roots are marked as in plain text: ``e^{−ε} θ_t √(2p)``."""
    made, rest = [], text
    while found := re.search(r"[\^_√]", rest):
        made.append(_breakable(rest[: found.start()]))
        argument, rest = _argument(rest[found.end() :], found[0] == "√")
        made.append(MARKS[found[0]].format(quoted(argument)))
    made.append(_breakable(rest))
    return "".join(made).replace("$$", "${}$")


def _argument(rest: str, root: bool) -> tuple[str, str]:
    """What a mark belongs to, and what follows; brackets go that only hold it together, as a bar or a script does."""
    close = CLOSING.get(rest[:1])
    if close is None:
        found = re.match(rf"[{SIMPLE}]{'?' if root else '*'}", rest)
        assert found  # of nothing as well
        return found[0], rest[found.end() :]
    depth = 0
    for place, sign in enumerate(rest):
        depth += (sign == rest[0]) - (sign == close)
        if depth == 0:
            held = rest[1:place] if root or close == "}" else rest[: place + 1]
            return held, rest[place + 1 :]
    raise ValueError(f"{rest!r} opens with a bracket that nothing closes")


def _breakable(plain: str) -> str:
    """Plain words of a quote; a line may break after a bracket or a stroke."""
    return words(re.sub(rf"(?<=[)/])(?=[{SIMPLE}(\u2016])", BREAK, plain)).replace(BREAK, r"\allowbreak{}")


def _outside(plain: str) -> str:
    for mark, command in COMBINING.items():
        parts = re.split(f"(.){mark}", plain)
        plain = "".join(f"${command}{{{_letter(part)}}}$" if i % 2 else part for i, part in enumerate(parts))
    parts = re.split(r"(\$[^$]*\$)", plain)
    return "".join(part if i % 2 else "".join(LETTERS.get(sign, sign) for sign in part) for i, part in enumerate(parts))


def _letter(sign: str) -> str:
    return LETTERS.get(sign, sign).strip("$")
