"""What an attack on a statement is, and attacks by formulas."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro import bounds
from dprepro.errors import InputError, PremiseError
from dprepro.refute.search_axes import Axis
from dprepro.statements.conditions import condition
from dprepro.statements.statement import Says

GRANTED = 100.0
"""The constant that every O() and Omega() is granted."""

VIOLATED = 1 + 1e-6
"""A share of what is allowed above this is a violation, and no rounding."""

ERRORS = 4.0
"""Standard errors by which a share that is drawn must exceed what is allowed: for one place that nobody chose by these
draws, one false alarm in 30,000."""


@dataclass(frozen=True)
class Trial:
    """What one choice of numbers shows.

    Attributes:
        taken: the value of what the statement bounds.
        allowed: the bound that the statement gives, with the constant that an O() is granted.
        error: standard error of ``taken``; 0 where it is exact.
    """

    taken: float
    allowed: float
    error: float = 0.0

    @property
    def share(self) -> float:
        """The value over the bound; above 1 the statement is violated, up to the error."""
        return _over(self.taken, self.allowed)

    @property
    def least_share(self) -> float:
        """The lower end of the share, `ERRORS` standard errors below it."""
        return _over(self.taken - ERRORS * self.error, self.allowed)


def _over(taken: float, allowed: float) -> float:
    if not taken > 0:
        return 0.0
    return taken / allowed if allowed > 0 else math.inf


@dataclass(frozen=True, kw_only=True)
class Attack(ABC):
    """One way to attack a statement.

    Class attributes:
        exact: whether what is shown is computed, and not drawn.

    Attributes:
        name: tells the attacks on a statement apart: a witness names it.
        axes: the numbers that it may choose.
        reason: at which line of the proof, or at which corner, it aims.
        premise: conditions on these numbers beside those of the statement.
    """

    exact: ClassVar[bool] = True

    name: str
    axes: Mapping[str, Axis]
    reason: str = ""
    premise: tuple[str, ...] = ()

    @abstractmethod
    def see(self, says: Says, numbers: Mapping[str, float], rng: np.random.Generator) -> Trial:
        """What these numbers show.

        Raises:
            PremiseError: they lie outside the premise, or the sides have no value there.
            InputError: the attack cannot be made.
        """

    @property
    def parts(self) -> list[object]:
        """Functions and classes by which it is made, for the fingerprint of its code."""
        return [type(self)]

    def hold(self, says: Says, numbers: Mapping[str, float]) -> None:
        """Raise PremiseError for a condition that these numbers alone decide and do not meet.

        Conditions of the statement on further numbers are none of the attack's: its reason says why they hold.
        """
        for text in (*self.premise, *says.premise):
            needed = condition(text)
            own = text in self.premise
            if needed.fact or not (own or needed.names <= numbers.keys()):
                continue
            if reason := needed.unmet(numbers.get, {}):
                raise PremiseError(f"the statement asks for {reason}")


@dataclass(frozen=True, kw_only=True)
class Sides(Attack):
    """Two functions of plain numbers, of which the first may not exceed the second.

    Attributes:
        left, right: by their names in `dprepro.bounds`, or written out; without a right side it is 1.
        constant: times which the right side is allowed: `GRANTED` where the statement has an O().
    """

    left: str
    right: str = ""
    constant: float = 1.0

    def see(self, says: Says, numbers: Mapping[str, float], rng: np.random.Generator) -> Trial:
        """See the class; nothing is random."""
        self.hold(says, numbers)
        return Trial(self._value(self.left, numbers), self.constant * (self._value(self.right, numbers)))

    @property
    def parts(self) -> list[object]:
        return [type(self), *(bounds.find(name) for name in (self.left, self.right) if name)]

    def _value(self, name: str, numbers: Mapping[str, float]) -> float:
        if not name:
            return 1.0
        needed = bounds.arguments(name)
        if lacking := [text for text in needed if text not in numbers]:
            raise InputError(f"attack {self.name}: {name} needs the axis {lacking[0]}; given are {', '.join(numbers)}")
        try:
            with np.errstate(all="ignore"):
                value = bounds.evaluate(name, numbers)
        except (ArithmeticError, ValueError) as error:
            raise PremiseError(f"{name} has no value there: {error}") from error
        if math.isnan(value):
            raise PremiseError(f"{name} has no value there")
        return value
