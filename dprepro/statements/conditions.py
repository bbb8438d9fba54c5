"""The premises of statements: conditions on the numbers of a problem, on the relation of neighbours, on the loss.

A condition is written as text, so that a configuration can hold it and a reader can read it, and is understood before
anything is measured: a comparison of two expressions (``epsilon <= 3``, ``smoothness < inf``), or a word about the
problem (``relation is replace_one``, ``loss is Logistic or Huber``, ``algorithm is NoisyFrankWolfe``). Names of numbers
are those that bounds take: the axes of the grid, and the public constants of the domain.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from dprepro.errors import InputError, unknown
from dprepro.support import expressions

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
FACTS = ("relation", "loss", "set", "algorithm")
"""What a condition may say a word about: the relation of neighbours, and the names of three classes. Of an algorithm it
may be a parameter too, ``algorithm.constants is printed``: its text or number."""

SLACK = 1e-9
"""Relative: a number that is computed to be equal to its limit lies within it."""

_COMPARED = re.compile(r"\s*(.+?)\s*(<=|>=|==|<|>)\s*(.+?)\s*")
_SAID = re.compile(r"\s*(\w+(?:\.\w+)?)\s+is\s+(.+?)\s*")

Find = Callable[[str], float | None]


@dataclass(frozen=True)
class Condition:
    """One condition of a premise.

    Attributes:
        text: as it was written.
        left, sign, right: of a comparison; a word's are empty.
        fact, values: of a word.
    """

    text: str
    left: str = ""
    sign: str = ""
    right: str = ""
    fact: str = ""
    values: tuple[str, ...] = field(default=())

    @property
    def of_algorithm(self) -> bool:
        """Whether it is about the algorithm, and so about what is run and not about where."""
        return self.fact.partition(".")[0] == "algorithm"

    @property
    def names(self) -> frozenset[str]:
        """The numbers that a comparison takes."""
        return frozenset(expressions.asked(self.left) + expressions.asked(self.right))

    def unmet(self, find: Find, facts: Mapping[str, str]) -> str:
        """Why the condition is not met, in words; empty where it is.

        ``find`` gives a number by its name, None where the problem has none; ``facts`` the words.
        """
        if self.fact:
            value = facts.get(self.fact, "")
            fine = any(_same(value, text) for text in self.values)
            return "" if fine else f"{self.text}, and here it is {value or 'unknown'}"
        found = {name: find(name) for name in sorted(self.names)}
        if lacking := [name for name, value in found.items() if value is None]:
            return f"{self.text}, and the problem has no {lacking[0]}"
        numbers = {name: float(value) for name, value in found.items() if value is not None}
        left, right = (_evaluated(side, numbers) for side in (self.left, self.right))
        if left is None or right is None:
            return f"{self.text}, which has no value here"
        near = math.isclose(left, right, rel_tol=SLACK)
        fine = (near and "=" in self.sign) or (COMPARISONS[self.sign](left, right) and not (near and left != right))
        said = ", ".join(f"{name} is {value:.6g}" for name, value in numbers.items())
        return "" if fine else f"{self.text}, and {said}"


@lru_cache(maxsize=1024)
def condition(text: str) -> Condition:
    """A condition from its text.

    Raises:
        InputError: a text that is neither a comparison nor a word about the problem.
    """
    if said := _SAID.fullmatch(text):
        fact = said[1]
        if fact not in FACTS and not fact.startswith("algorithm."):
            raise InputError(f"condition {text!r}: {unknown('word', fact, FACTS)}")
        return Condition(text, fact=fact, values=tuple(word.strip() for word in re.split(r"\bor\b|,", said[2])))
    if compared := _COMPARED.fullmatch(text):
        left, sign, right = compared.groups()
        for side in (left, right):
            if fault := expressions.fault(side):
                raise InputError(f"condition {text!r}: {side!r} is no expression: {fault}")
        return Condition(text, left, sign, right)
    raise InputError(
        f"condition {text!r} is neither a comparison, as epsilon <= 3, nor a word, as relation is zero_out"
    )


def unmet(premise: Mapping[str, str], find: Find, facts: Mapping[str, str]) -> str:
    """The first condition of a premise that is not met, with the statement that asks for it; empty where all are.

    ``premise`` maps the text of a condition to the statement: ``{"epsilon <= 3": "Theorem 2.4"}``.
    """
    for text, owner in premise.items():
        if reason := condition(text).unmet(find, facts):
            return f"{owner} asks for {reason}"
    return ""


def _same(value: str, other: str) -> bool:
    """Whether two words are the same, or the same number."""
    if value == other:
        return True
    try:
        return math.isclose(expressions.evaluate(value), expressions.evaluate(other), rel_tol=SLACK)
    except ValueError:
        return False


def _evaluated(text: str, numbers: Mapping[str, float]) -> float | None:
    try:
        return float(expressions.evaluate(text, numbers))
    except ValueError:
        return None
