"""The matrix of algorithms and constructions as it is printed, with the reasons in words and in full."""

from __future__ import annotations

import string
import textwrap
from collections.abc import Mapping, Sequence

from dprepro.dispatch.pairs import Pair

WORDS = {
    "keeps private": "relation", "which is linear": "curvature", "smooth loss": "smoothness",
    "strongly convex": "strong convexity", "vertices": "vertices", "a kink": "kinks",
    "squared loss": "squares", "<x, theta>": "margins",
    "alike in all": "symmetry", "needs sparsity": "coordinates", "needs p >= 2": "coordinates", "mean record": "means",
    "one dimension": "dimension", " words": "code", "steps >= 2 p": "steps", "delta": "budget",
    "needs a problem": "data", "needs records": "data", "too large": "size", "K - 1": "codewords",
    "that holds the unit ball": "position", " steps on ": "walk",
}  # fmt: skip
"""What a reason is about, in a word, by what it says; the first that fits."""


def table(pairs: Sequence[Pair]) -> str:
    """The matrix, with the words of the reasons, and the reasons in full."""
    algorithms = list(dict.fromkeys(pair.algorithm for pair in pairs))
    constructions = list(dict.fromkeys(pair.construction for pair in pairs))
    words = dict.fromkeys(word(pair.reason) for pair in pairs if not pair.runs)
    letters = dict(zip(words, string.ascii_lowercase, strict=False))
    marks = {(pair.algorithm, pair.construction): _mark(pair, letters) for pair in pairs}
    width = max(map(len, algorithms), default=0)
    lines = [" " * width + "".join(f"{number:>3}" for number in range(1, len(constructions) + 1))]
    for name in algorithms:
        lines.append(name.ljust(width) + "".join(f"{marks[name, data]:>3}" for data in constructions))
    legend = ["L literal", "R reduced", *(f"{letter} {about}" for about, letter in letters.items())]
    lines += ["", _wrapped([f"{number} {data}" for number, data in enumerate(constructions, 1)], "")]
    lines += [
        "",
        _wrapped(legend, ""),
        "",
        f"{sum(pair.runs for pair in pairs)} of {len(pairs)} pairs run. The others:",
    ]
    reasons: dict[str, dict[str, list[str]]] = {}
    for pair in pairs:
        if not pair.runs:
            reasons.setdefault(pair.reason, {}).setdefault(pair.algorithm, []).append(pair.construction)
    for reason, lacking in reasons.items():
        alike: dict[str, list[str]] = {}  # algorithms by the constructions on which they lack the same
        for name, data in lacking.items():
            alike.setdefault(", ".join(data), []).append(name)
        who = [f"{'all' if len(names) == len(algorithms) else ', '.join(names)} on {on}" for on, names in alike.items()]
        lines += [f"{letters.get(word(reason), '?')} {reason}", _wrapped(who, "    ")]
    return "\n".join(lines)


def word(reason: str) -> str:
    """What a reason is about."""
    return next((about for said, about in WORDS.items() if said in reason), "parameters")


def _mark(pair: Pair, letters: Mapping[str, str]) -> str:
    return ("L" if pair.backend == "literal" else "R") if pair.runs else letters.get(word(pair.reason), "?")


def _wrapped(items: Sequence[str], indent: str) -> str:
    return textwrap.fill("; ".join(items), 110, initial_indent=indent, subsequent_indent=indent)
