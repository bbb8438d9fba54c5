"""A numbered statement of a paper as one value, from which its row, its checks and its words follow."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from dprepro.axes import AXES
from dprepro.errors import InputError, unknown
from dprepro.statements.conditions import Condition, condition

Kind = Literal["rate", "inequality", "privacy", "attack", "phase", "definition", "comparison"]
Direction = Literal["at_most", "at_least", "equals", "none"]

QUANTIFIERS = (
    "for all data", "for some data", "for every algorithm", "for every private algorithm", "for some algorithm",
    "in expectation", "with probability", "exactly", "in the limit", "as a conjecture",
)  # fmt: skip
"""Over what a statement ranges; they decide which evidence can carry a verdict."""

COLUMNS = ("total_steps", "noise_scale", "step_size", "sketch", "weight", "regulariser")
"""Numbers of a schedule that a statement may print."""

WORDS = {"at_most": "at most", "at_least": "at least", "equals": "equal to"}


@dataclass(frozen=True, kw_only=True)
class Says:
    """What a statement says, as printed or as repaired.

    Attributes:
        text: its content in our own words; $...$ holds LaTeX.
        latex: its formula as printed, in LaTeX.
        premise: conditions, as `conditions` writes them; what no number tells stands in ``assumes``, in words.
        quantifiers: of `QUANTIFIERS`.
        direction: whether the formula bounds from above, from below, or both.
        rate: the formula without its constant, by the name of a function (``lasso.theorem_2_5_rate``).
        bound: the formula with constants, likewise.
        law: what the measured quantity is or tends to, by a derivation, likewise.
        powers: by axis the pure power of the rate, where it is one; of ``delta`` that of ln(1/delta).
        schedule: by column of `COLUMNS` the number as printed, a function of `dprepro.bounds` by name.
        upper_only: a rate of which only the upper bound is claimed to be seen: no family shows it.
        constant: by experiment two checks of ratios to the rate: of the worst risk known, and of the bound.
    """

    text: str
    latex: str = ""
    premise: Sequence[str] = ()
    assumes: Sequence[str] = ()
    quantifiers: Sequence[str] = ()
    direction: Direction = "none"
    rate: str = ""
    bound: str = ""
    powers: Mapping[str, float] = field(default_factory=dict)
    schedule: Mapping[str, str] = field(default_factory=dict)
    upper_only: bool = False
    constant: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for quantifier in self.quantifiers:
            if quantifier not in QUANTIFIERS:
                raise unknown("quantifier", quantifier, QUANTIFIERS)
        for column in self.schedule:
            if column not in COLUMNS:
                raise unknown("column of a schedule", column, COLUMNS)
        for axis in self.powers:
            if not axis.isidentifier():
                raise unknown("axis", axis, AXES)
        if (self.rate or self.bound) and self.direction == "none":
            raise InputError("a statement with a rate or a bound needs its direction: at_most, at_least or equals")
        if any(len(checks) != 2 for checks in self.constant.values()):
            raise InputError("constant must name two checks, of the worst known risk and of the bound")

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The premise, understood; raises InputError."""
        return tuple(map(condition, self.premise))

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of all functions that the formula is made of."""
        return tuple(name for name in (self.rate, self.bound, *self.schedule.values()) if name)

    def check(self) -> None:
        """Raise InputError for a condition or a function that cannot be understood."""
        from dprepro import bounds  # the ledger reads statements, and imports no science

        assert all(condition.text for condition in self.conditions)
        for name in self.functions:
            bounds.find(name)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A numbered statement of a paper.

    Attributes:
        item: its number: ``Theorem 2.5``.
        kind: what it is about.
        says: what is printed, ``repaired`` what holds where print and truth differ.
        false: items of the errata that disprove the statement as printed.
        restates: items whose evidence is this one's too: the same claim, stated again or made of them.
        nothing: why there is nothing to measure.
        place: where in the paper; ``note`` what a reader of the row should know.
    """

    item: str
    kind: Kind
    says: Says
    repaired: Says | None = None
    false: Sequence[str] = ()
    restates: Sequence[str] = ()
    nothing: str = ""
    place: str = ""
    note: str = ""

    @property
    def holds(self) -> Says:
        """What experiments are held against: the repaired statement where there is one."""
        return self.repaired or self.says


def identity(paper: str, item: str) -> str:
    """The address of a statement: ``lasso-theorem-2-5``."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{paper} {item}".lower())
    return words.strip("-")
