"""A formula as a tree, and the letters and functions of the plain notation."""

from __future__ import annotations

from dataclasses import dataclass

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ",
    "phi": "φ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Phi": "Φ", "Psi": "Ψ", "Sigma": "Σ", "Omega": "Ω",
}  # fmt: skip
FUNCTIONS = {
    "log", "ln", "exp", "min", "max", "det", "diag", "Pr", "rank", "grad", "argmin", "sqrt", "ERR", "tr",
}  # fmt: skip
ARTICLES = {"a", "A", "I"}
"""Letters that are words too: letters of a formula only inside one."""
RELATIONS = ("=", "<=", ">=", "<", ">")


@dataclass(frozen=True)
class Node:
    """A part of a formula.

    Attributes:
        kind: number, name, function, sign, row, power, index, root, hat, prime or fence.
        text: of the first four; of a fence its two ends, with a space between.
        parts: of the others, in order: base and power, base and index, members of a row or fence.
    """

    kind: str
    text: str = ""
    parts: tuple[Node, ...] = ()

    @property
    def strong(self) -> bool:
        """Whether it is a formula even among words: it has a name or a power, not plain numbers alone."""
        if self.kind in ("power", "index", "root", "hat") or (self.kind == "number" and "e" in self.text):
            return True
        return (self.kind == "name" and self.text not in {*ARTICLES, "inf"}) or any(part.strong for part in self.parts)


@dataclass(frozen=True)
class Formula:
    """A formula with the text that it was read from."""

    text: str
    node: Node


def factor(left: Node, right: Node) -> bool:
    """Whether it can stand after a space: `epsilon 5`, `p (18)` and `.9 (p = 10)` are no products, `log 1/delta` is."""
    if right.kind == "fence" and any(member.kind == "sign" and member.text in RELATIONS for member in _members(right)):
        return False
    return right.strong or right.kind == "function" or _is_function(left)


def _is_function(node: Node) -> bool:
    return node.kind == "function" or (node.kind in ("power", "index") and _is_function(node.parts[0]))


def _members(node: Node) -> tuple[Node, ...]:
    return tuple(inner for part in node.parts for inner in (part, *(part.parts if part.kind == "row" else ())))


def bare(node: Node) -> Node:
    """Without the round brackets that only the plain notation needs."""
    return Node("row", parts=node.parts) if node.kind == "fence" and node.text == "( )" else node
