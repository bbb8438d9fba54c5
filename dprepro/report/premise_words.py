"""The premise of a statement, which stands in a row as the code checks it, in words."""

from __future__ import annotations

import re

from dprepro.report.formulas import with_symbols

KNOWN = {
    "relation is add_or_remove_one or zero_out": "neighbours add or remove a record, or zero one out",
    "relation is replace_one or zero_out": "neighbours replace a record, or zero one out",
    "relation is replace_one": "neighbours replace a record",
    "relation is add_or_remove_one": "neighbours add or remove a record",
    "relation is zero_out": "neighbours zero a record out",
    "algorithm.constants is printed": "constants as printed",
    "lipschitz < inf": "Lipschitz losses",
    "smoothness < inf": "smooth losses",
    "strong_convexity > 0": "strongly convex losses",
    "hessian_rank <= 1": "Hessians of rank 1 at most",
    "curvature < inf": r"finite curvature $\Gamma$",
    "diameter < inf": "a bounded set",
    "radius < inf": "a bounded set",
    "contains_zero == 1": "0 in the set",
    "epsilon < inf": r"finite $\epsilon$",
}
"""Conditions that the field has words for; of others the names are spelled out."""
CHOICE = re.compile(r"(algorithm(\.\w+)?|loss|set|relation) is \w[\w ,]*")
INEQUALITY = re.compile(r"[a-z_0-9]+ [<>=]=? [\w.*/]+(-\d+)?")
"""A number or a ratio beside one name; a longer formula stands as it is written."""
PROPER = {
    "frank wolfe": "Frank-Wolfe", "johnson lindenstrauss": "Johnson-Lindenstrauss", "huber": "Huber",
    "huberised": "Huberised", "gaussian": "Gaussian", "gumbel": "Gumbel", "laplace": "Laplace", "tardos": "Tardos",
    "lipschitz": "Lipschitz", "lasso": "LASSO",
}  # fmt: skip
"""Names that a class writes as any word."""
LETTERS = {
    "smoothness": "H", "diameter": r"\|C\|", "strong_convexity": r"\Delta", "vertices": "|S|", "sparsity": "s",
    "feature_bound": "X", "label_bound": "Y", "l1_radius": "its l1 radius", "gamma": r"\gamma", "eta": r"\eta",
    "beta": r"\beta", "deviations": "t", "steps": "T",
}  # fmt: skip
"""Names of numbers that the papers have a letter for."""


def in_words(condition: str) -> str:
    """``algorithm is NoisySGD`` as `algorithm: noisy SGD`; ``relation is replace_one`` as the field says it."""
    if known := KNOWN.get(condition):
        return known
    if CHOICE.fullmatch(condition):
        what, _, choice = condition.removeprefix("algorithm.").partition(" is ")
        return f"{what}: {spelled(choice)}".replace("_", " ")
    if not INEQUALITY.fullmatch(condition):
        return condition  # an assumption, which is words
    named = re.sub(r"\b[a-z_0-9]+\b", _letter, condition)
    return with_symbols(named.replace("==", "=")).replace("_", " ")


def spelled(text: str) -> str:
    """A class's name as words: `OneHotFamily` as `one hot family`; abbreviations stay."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text).split()
    said = " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words)
    return re.sub(rf"\b({'|'.join(PROPER)})\b", lambda found: PROPER[found[1]], said)


def _letter(found: re.Match[str]) -> str:
    letter = LETTERS.get(found[0])
    return found[0] if letter is None else letter if " " in letter else f"${letter}$"
