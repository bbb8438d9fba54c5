"""Formulas of the registries, written on one line of text, as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable

from markupsafe import Markup, escape

GREEK = {
    "alpha": "α", "beta": "β", "delta": "δ", "Delta": "Δ", "epsilon": "ε", "eta": "η", "Gamma": "Γ", "lambda": "λ",
    "phi": "φ", "psi": "ψ", "Psi": "Ψ", "sigma": "σ", "tau": "τ", "theta": "θ", "xi": "ξ", "zeta": "ζ", "kappa": "κ",
}  # fmt: skip


def _index(letter: str, index: str) -> str:
    return f"{letter}<sub>{index.strip('()')}</sub>"


#: Names of letters, powers, indices of single letters, and signs, as they are printed.
FORMULAS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"(?<![\w.]){'(' + '|'.join(GREEK) + ')'}(?![a-zA-Z])"), lambda at: GREEK[at[1]]),
    (re.compile(r"(?<=[/-])( ?)gamma\b"), lambda at: f"{at[1]}γ"),  # elsewhere it is the name of a law
    (re.compile(r"\bsqrt\b ?"), lambda at: "√"),
    (re.compile(r"\^\(([^()]*)\)|\^(-?\w+(?:\.\d+)?)"), lambda at: f"<sup>{at[1] or at[2]}</sup>"),
    (re.compile(r"θ_hat"), lambda at: "θ\u0302"),
    (re.compile(r"\b(\w)_(\w{1,2}|\([^()]*\))(?!\w)"), lambda at: _index(at[1], at[2])),
    (re.compile(r"&lt;="), lambda at: "≤"),
    (re.compile(r"&gt;="), lambda at: "≥"),
    (re.compile(r" - "), lambda at: " − "),
)


def prose(text: str) -> Markup:
    """A registry's sentence, its formulas set as well as HTML allows without further help.

    It may be trusted as markup: the sentence is escaped first, and setting adds only letters and ``sub`` and ``sup``.
    """
    said = str(escape(text))
    for pattern, sign in FORMULAS:
        said = pattern.sub(sign, said)
    return Markup(said)
