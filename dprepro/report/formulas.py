"""Formulas of statements, LaTeX between dollar signs: as MathML for pages, within LaTeX, and in plain letters."""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

FORMULA = re.compile(r"(?<![\\$])\$(?=\S)([^$]+?)(?<=\S)\$(?!\d)")
"""As Markdown has it: `$5 and $6` is none."""

WIDE = 24
"""Letters of a formula that may be wider than a telephone; it is then scrolled by itself."""

_NAMES = "log|ln|exp|det|arg|min|max|sup|Pr|tr"
_OPERATOR = rf"\\(?:(?:{_NAMES})(?![a-zA-Z])|(?:mathrm|mathsf|operatorname)\{{[^{{}}]*\}})"
_SCRIPTS = r"(?:[_^](?:\{[^{}]*\}|\w|\\[a-zA-Z]+(?![a-zA-Z])))*"
_OPERAND = r"[a-zA-Z0-9{]|\\(?:[td]?frac|sqrt|hat|mathcal|log|ln|[a-zA-Z]*eta|[gG]amma|lambda|delta|Delta|epsilon|phi)"
_BEFORE_OPERATOR = re.compile(rf"(?<=[a-zA-Z0-9)}}\]])\s*(?={_OPERATOR})")
_AFTER_OPERATOR = re.compile(rf"({_OPERATOR}{_SCRIPTS})\s*(?={_OPERAND})")
_OPERATOR_NAME = re.compile(rf"\\(?:({_NAMES})(?![a-zA-Z])|(?:mathrm|mathsf|operatorname)\{{)")

_SYMBOLS = re.compile(r"(?<![\w.$\\])(?:(epsilon|delta)|([np])|(\d*\.?\d+)e([-+]?\d+))(?![\w$])(?!\.\d)")

SIGNS = ((" - ", " – "), ("<=", "≤"), (">=", "≥"))
"""Signs among words."""

TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "≤": r"$\leq$", "≥": r"$\geq$", "±": r"$\pm$", "–": "--", "−": "$-$", "\n": " ",
}  # fmt: skip

_PLAIN = (
    (r"\\(?:[,;:! ]|q?quad\b|(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z]))", " "),
    (r"(?:([\d.]+) ?\\cdot ?)10\^\{(-?\d+)\}", r"\1e\2"),
    (r"(?<![\d.])10\^\{(-?\d+)\}", r"1e\1"),
    (r"\\(?:mathrm|mathcal|mathsf|mathbb|operatorname|text)(?![a-zA-Z])", ""),
    (r"\\\|", "||"),
    (r"\\leq?(?![a-zA-Z])", "<="),
    (r"\\geq?(?![a-zA-Z])", ">="),
    (r"\\langle ?", "<"),
    (r" ?\\rangle", ">"),
    (r"\\[lc]?dots", "..."),
    (r"\\infty", "inf"),
    (r"\\nabla", "grad"),
    (r"\\ell(?:_(?=\d))?", "l"),
    (r"\^\*", "*"),
    (r"(\\[td]?frac) ?(\\[a-zA-Z]+|\w)", r"\1{\2}"),
    (r"\\\{", "\0"),
    (r"\\\}", "\1"),
)
_FRACTION = re.compile(r"\\[td]?frac\{([^{}]*)\} ?(?:\{([^{}]*)\}|(\\[a-zA-Z]+|\w))")
_BRACES = re.compile(r"(\\(?:sqrt|hat)|[_^])\{([^{}]*)\}")
_BARE = re.compile(r"(?<!frac)(?<!sqrt)(?<!hat)(?<![_^}])(?<!\} )\{([^{}]*)\}")
"""Not those of a fraction or a root, whose parts may have braces of their own and come later."""


@lru_cache(maxsize=16384)
def prose(text: str) -> Markup:
    """A statement's sentence as HTML, its formulas as MathML that keeps plain letters as ``alttext``, for the search.

    The sentence may be trusted as markup: words are escaped, and so is what stands in a formula.
    """
    parts = FORMULA.split(text)
    return Markup("".join(_formula(part) if i % 2 else str(escape(_signs(part))) for i, part in enumerate(parts)))


def mathml(latex: str, display: str = "inline") -> Markup:
    """A formula as MathML; LaTeX that cannot be read stands as it is written."""
    from latex2mathml.converter import convert

    spaced = _AFTER_OPERATOR.sub(r"\1\\,", _BEFORE_OPERATOR.sub(r"\\,", " ".join(latex.split())))
    named = _OPERATOR_NAME.sub(lambda found: rf"\text{{{found[1]}}}" if found[1] else r"\text{", spaced)
    named = named.replace(r"\_", "_")  # which stands in names alone
    try:
        return Markup(convert(named, display=display).replace("<mi>&#x02032;</mi>", "<mo>&#x02032;</mo>"))
    except Exception:  # its errors have no common class, and a user's own statement may hold anything
        return Markup(f"<code>{escape(latex)}</code>")


def with_symbols(words: str) -> str:
    """Words that were made from measurements, with their axes and powers of ten as formulas."""
    return _SYMBOLS.sub(_symbol, words)


def latex(text: str) -> str:
    """A statement's sentence for LaTeX, without packages: words are escaped, formulas stand within ``$``."""
    return "".join(f"${part}$" if i % 2 else tex_text(part) for i, part in enumerate(FORMULA.split(text)))


def tex_text(words: str) -> str:
    """Words for LaTeX; signs that its engines may lack are replaced."""
    return "".join(TEX.get(sign, sign) for sign in _signs(words))


@lru_cache(maxsize=16384)
def plain(text: str) -> str:
    """A statement's sentence in plain letters, for terminals: ``(n epsilon)^(-2/3)``."""
    return FORMULA.sub(lambda found: _plain(found[1]), text)


def _symbol(found: re.Match[str]) -> str:
    name, letter, mantissa, power = found.groups()
    if name or letter:
        return rf"$\{name}$" if name else f"${letter}$"
    factor = "" if mantissa == "1" else rf"{mantissa}\cdot "
    return f"${factor}10^{{{int(power)}}}$"


def _signs(words: str) -> str:
    for letters, sign in SIGNS:
        words = words.replace(letters, sign)
    return words


def _formula(formula: str) -> str:
    letters = _plain(formula)
    shown = re.sub("^<math [^>]*>", lambda _: f'<math alttext="{escape(letters)}">', mathml(formula))
    return f'<span class="wide">{shown}</span>' if len(letters) > WIDE else shown


def _plain(formula: str) -> str:
    for pattern, letters in _PLAIN:
        formula = re.sub(pattern, letters, formula)
    while (found := _BARE.sub(r"\1", _BRACES.sub(_unbraced, _FRACTION.sub(_fraction, formula)))) != formula:
        formula = found
    letters = re.sub(r"([^\W_])(?=\\[a-zA-Z])", r"\1 ", formula)
    letters = re.sub(r"\\([a-zA-Z]+)(?![a-zA-Z]) ?(?=[^\W_])", r"\1 ", letters)
    letters = re.sub(r"\\([a-zA-Z]+)", r"\1", letters).replace("\0", "{").replace("\1", "}")
    return re.sub(r"(?<=[(\[{]) | (?=[)\]},;])|(?<=log) (?=\()", "", " ".join(letters.split()))


def _fraction(found: re.Match[str]) -> str:
    over, under = found[1].strip(), (found[2] or found[3] or "").strip()
    return "/".join(part if _is_one(part) else f"({part})" for part in (over, under))


def _unbraced(found: re.Match[str]) -> str:
    command, inner = found[1], found[2].strip()
    if command == r"\hat":
        return f"{inner}_hat"
    if command == r"\sqrt":
        return rf"\sqrt({inner})"
    return f"{command}{inner}" if _is_one(inner) else f"{command}({inner})"


def _is_one(part: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.]+|\\?\w+'?|\([^()]*\)", part) is not None
