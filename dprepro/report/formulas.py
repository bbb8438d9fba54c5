"""Formulas of statements as MathML for the page and as LaTeX for papers.

Quotients stay on one line, as they are written: nothing is added to the notation that it does not say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from markupsafe import Markup, escape

from dprepro.report.nodes import GREEK, Formula, Node
from dprepro.report.notation import parse

LETTERS = {**GREEK, "inf": "∞"}
TEX_LETTERS = {"inf": r"\infty", "ℓ": r"\ell"}
SIGNS = {"<=": "≤", ">=": "≥", "-": "−", "<": "&lt;", ">": "&gt;"}
FENCES = {"||": "‖", "<": "⟨", ">": "⟩"}
WORDS = ((" - ", " – "), ("<=", "≤"), (">=", "≥"))
"""Signs among words."""

WIDE = 24
"""Letters of a formula that may be wider than a telephone; it is then scrolled by itself."""

TEX_FUNCTIONS = {"log", "ln", "exp", "min", "max", "det", "Pr"}
TEX_SIGNS = {"<=": r"\leq", ">=": r"\geq", "…": r"\ldots"}
TEX_FENCES = {"||": r"\|", "<": r"\langle ", ">": r"\rangle", "{": r"\{", "}": r"\}"}
TEX_TEXT = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "≤": r"$\leq$", "≥": r"$\geq$", "±": r"$\pm$", "–": "--", "−": "$-$", "\n": " ",
    **{sign: rf"$\{name}$" for name, sign in GREEK.items()},
}  # fmt: skip


@lru_cache(maxsize=16384)
def prose(text: str) -> Markup:
    """A statement's sentence as HTML, its formulas as MathML that keeps the plain spelling as ``alttext``.

    A formula that shows its plain spelling has none. The sentence may be trusted as markup: words are escaped, and a
    formula has only names, numbers and signs of the notation.
    """
    return Markup("".join(_words(one) if isinstance(one, str) else _math(one) for one in parse(text)))


def latex(text: str) -> str:
    """A statement's words for LaTeX, without packages: what has a meaning there is escaped, formulas within ``$``."""
    return "".join(tex_text(one) if isinstance(one, str) else f"${_tex(one.node)}$" for one in parse(text))


def tex_text(words: str) -> str:
    """Words for LaTeX; signs that its engines may lack are replaced."""
    for plain, sign in WORDS:
        words = words.replace(plain, sign)
    return "".join(TEX_TEXT.get(sign, sign) for sign in words)


def _words(words: str) -> str:
    for plain, sign in WORDS:
        words = words.replace(plain, sign)
    return str(escape(words))


def _math(formula: Formula) -> str:
    inner = _inner(formula.node)
    same = Markup(inner).striptags() == formula.text.replace(" = ", "=")
    spelling = "" if same else f' alttext="{escape(formula.text)}"'
    math = f"<math{spelling}>{inner}</math>"
    return f'<span class="wide">{math}</span>' if len(formula.text) > WIDE else math


def _inner(node: Node) -> str:
    """What stands in a row: its members without a row of their own."""
    return "".join(_members(node)) if node.kind == "row" else _mathml(node)


def _members(node: Node) -> Iterator[str]:
    for before, part in zip((None, *node.parts), node.parts, strict=False):
        if before is not None and _apart(before, part):
            yield '<mspace width=".2em"/>'
        yield _mathml(part)


def _apart(left: Node, right: Node) -> bool:
    """Whether there is a space between factors: beside the name of a function, but before its bracket."""
    if "sign" in (left.kind, right.kind):
        return False
    return _named(right) or (_named(left) and not (right.kind == "fence" and right.text == "( )"))


def _named(node: Node) -> bool:
    first = node.parts[0] if node.kind in ("power", "index", "row") else node
    return node.kind == "function" or (first is not node and _named(first))


def _mathml(node: Node) -> str:
    if node.kind in ("number", "name", "function", "sign", "row", "fence"):
        return _MATHML[node.kind](node)
    tag, parts = {"power": "msup", "prime": "msup", "index": "msub", "root": "msqrt", "hat": "mover"}[node.kind], ""
    if node.kind == "power" and node.parts[0].kind == "index":  # one above the other
        tag, parts = "msubsup", "".join(map(_mathml, (*node.parts[0].parts, node.parts[1])))
    elif node.kind == "root":
        parts = _inner(node.parts[0])
    else:
        parts = "".join(map(_mathml, node.parts))
        parts += {"prime": "<mo>′</mo>", "hat": "<mo>^</mo>"}.get(node.kind, "")
    return f"<{tag}>{parts}</{tag}>"


def _number(node: Node) -> str:
    mantissa, e, power = node.text.partition("e")
    if not e:
        return f"<mn>{mantissa}</mn>"
    sign = "<mo>−</mo>" * power.startswith("-")
    ten = f"<msup><mn>10</mn><mrow>{sign}<mn>{power.lstrip('+-')}</mn></mrow></msup>"
    return ten if mantissa == "1" else f"<mrow><mn>{mantissa}</mn><mo>·</mo>{ten}</mrow>"


def _fence(node: Node) -> str:
    left, right = (f'<mo stretchy="false">{FENCES.get(one, one)}</mo>' for one in node.text.split())
    return f"<mrow>{left}{''.join(_members(node))}{right}</mrow>"


_MATHML: dict[str, Callable[[Node], str]] = {
    "number": _number,
    "name": lambda node: f"<mi>{LETTERS.get(node.text, node.text)}</mi>",
    "function": lambda node: f"<mi>{node.text}</mi>",
    "sign": lambda node: f"<mo>{SIGNS.get(node.text, node.text)}</mo>",
    "row": lambda node: f"<mrow>{_inner(node)}</mrow>",
    "fence": _fence,
}


def _tex(node: Node) -> str:
    parts = [_tex(part) for part in node.parts]
    match node.kind:
        case "number":
            mantissa, e, power = node.text.partition("e")
            ten = f"10^{{{power.lstrip('+')}}}"
            return mantissa if not e else ten if mantissa == "1" else rf"{mantissa}\cdot {ten}"
        case "name":
            return rf"\{node.text}" if node.text in GREEK else TEX_LETTERS.get(node.text, node.text)
        case "function":
            return rf"\{node.text}" if node.text in TEX_FUNCTIONS else rf"\mathrm{{{node.text}}}"
        case "sign":
            return TEX_SIGNS.get(node.text, node.text)
        case "fence":
            left, right = (TEX_FENCES.get(one, one) for one in node.text.split())
            return f"{left}{_spaced(parts)}{right}"
        case "row":
            return _spaced(parts)
        case "root":
            return rf"\sqrt{{{parts[0]}}}"
        case "hat":
            return rf"\hat{{{parts[0]}}}"
        case "prime":
            return f"{parts[0]}'"
    base = f"{{{parts[0]}}}" if node.parts[0].kind in ("power", "prime", "row") else parts[0]
    return f"{base}{'^' if node.kind == 'power' else '_'}{{{parts[1]}}}"


def _spaced(parts: list[str]) -> str:
    """Joined; a space where a command would run into a letter, and around relations for the eye."""
    text = " ".join(parts)
    return re.sub(r" ?/ ?", "/", re.sub(r" ([,;])", r"\1", text))
