"""What theorems assume of losses, sets and budgets, declared by algorithms; and in words what is lacking."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import ClassVar, Literal, TypeAlias

from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.problems import Domain, L2Ball, MarginLoss
from dprepro.support.named import NamedRule, named


class Assumption(Enum):
    """What the theorem behind an algorithm may assume of a loss, a set and a budget, in words."""

    MARGIN = "a loss of <x, theta>"
    SQUARE = "a squared loss of <x, theta>"
    SMOOTH = "a smooth loss"
    CURVED = "a smooth loss that is not linear"
    STRONGLY_CONVEX = "a strongly convex loss"
    SHARED_HESSIAN = "a Hessian that all records share"
    MEAN = "a gradient that reads nothing of the data but the mean record"
    KINK = "a loss of <x, theta> with a kink that can be rounded"
    ALIKE = "a set that is alike in all coordinates"
    VERTICES = "a polytope with a list of at least two vertices"
    L2_BALL = "an l2 ball"
    PRIVATE = "a finite epsilon"
    GAUSSIAN = "delta > 0 where epsilon is finite"
    DELTA = "a finite epsilon and delta > 0"
    PURE = "a finite epsilon and delta = 0"

    def lacks(self, domain: Domain, budget: Budget) -> str:
        """What is not there, as the rest of a sentence that begins with the algorithm; empty if nothing."""
        if self._holds(domain, budget):
            return ""
        if self in (Assumption.PRIVATE, Assumption.GAUSSIAN, Assumption.DELTA, Assumption.PURE):
            return f"needs {self.value}, got epsilon={budget.epsilon:g}, delta={budget.delta:g}"
        if self in (Assumption.ALIKE, Assumption.VERTICES, Assumption.L2_BALL):
            return f"needs {self.value}, got {domain.constraint_set.title} with p={domain.p}"
        return f"needs {self.value}, got {type(domain.loss).__name__}{self._why(domain)}"

    def _holds(self, domain: Domain, budget: Budget) -> bool:
        loss, form = domain.loss, domain.loss.quadratic
        margin = isinstance(loss, MarginLoss)
        match self:
            case Assumption.MARGIN:
                return margin
            case Assumption.SQUARE:
                return margin and form is not None and form[0] > 0
            case Assumption.SMOOTH:
                return domain.smoothness < math.inf
            case Assumption.CURVED:
                return 0 < domain.smoothness < math.inf
            case Assumption.STRONGLY_CONVEX:
                return bool(domain.strong_convexity)
            case Assumption.SHARED_HESSIAN:
                return form is not None and (not margin or form[0] == 0)
            case Assumption.MEAN:
                return form == ((0.0, 0.0, 0.0) if margin else (0.5, 0.0, 0.0))
            case Assumption.KINK:
                return margin and loss.rounded() is not None
            case Assumption.ALIKE:
                return domain.constraint_set.alike
            case Assumption.VERTICES:
                return (domain.vertices or 0) >= 2
            case Assumption.L2_BALL:
                return isinstance(domain.constraint_set, L2Ball)
            case Assumption.PRIVATE:
                return budget.is_private
            case Assumption.GAUSSIAN:
                return budget.delta > 0 or not budget.is_private
            case Assumption.DELTA:
                return budget.is_private and budget.delta > 0
            case Assumption.PURE:
                return budget.is_private and budget.delta == 0

    def _why(self, domain: Domain) -> str:
        """What the loss is instead, where its name does not tell."""
        if self in (Assumption.SMOOTH, Assumption.CURVED):
            return ", which is linear" if domain.smoothness == 0 else ", whose gradients jump"
        return ", which is only convex" if self is Assumption.STRONGLY_CONVEX else ""


Choices: TypeAlias = Mapping[str, tuple[Assumption, ...]]
"""What is assumed with each value of a setting."""
Settings: TypeAlias = Mapping[str, Choices]
"""The same by the names of settings."""
ZeroedOut: TypeAlias = Literal["half", "gradient", "other"]
"""See `Algorithm`."""


class AlgorithmRule(NamedRule):
    """A rule of an algorithm, such as a step size, that may assume something besides.

    Class attributes:
        assumptions: what it assumes, as those of an algorithm.
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = ()

    @classmethod
    def choices(cls) -> Choices:
        """What the rules of this rule's kind assume, by their names."""
        kind = next(
            kind for kind in reversed(cls.__mro__) if issubclass(kind, AlgorithmRule) and kind is not AlgorithmRule
        )
        return {name: value.assumptions for name, value in named(kind).items() if issubclass(value, AlgorithmRule)}


def first_lacking(assumptions: Sequence[Assumption], domain: Domain, budget: Budget) -> str:
    """What the first of them that does not hold lacks; empty if all hold."""
    return next((reason for assumption in assumptions if (reason := assumption.lacks(domain, budget))), "")


def with_setting(setting: str, reason: str, choices: str) -> str:
    """The reason, if there is one, as that of one setting, beside the settings that have none."""
    return f"with {setting} {reason}{f'; choices: {choices}' if choices else ''}" if reason else ""


def check_positive(algorithm: object, *names: str) -> None:
    """Raise InputError unless these parameters are positive and finite."""
    for name in names:
        if not 0 < getattr(algorithm, name) < math.inf:
            raise InputError(f"{name} must be positive, got {name}={getattr(algorithm, name):g}")
