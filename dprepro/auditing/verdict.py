"""What an audit came to: a lower limit of epsilon, what it would have noticed, and a script that shows a violation."""

from __future__ import annotations

from dataclasses import dataclass

from dprepro.auditing.neighbours import NeighbourPair
from dprepro.budget import Budget
from dprepro.privacy.audit import Event

SURER, SHOWN = 4, 4000
"""Draws of the script that shows a violation: so many times those that found it, and at least so many."""


@dataclass(frozen=True)
class AttainedBy:
    """The pair of neighbours and the event that attain the limit.

    Attributes:
        pair: the two data sets.
        event: which answers are counted.
        size: numbers in an answer; its kinds that are no numbers follow, ``kinds``.
        draws: answers on each data set that were counted.
        level: of the limit, which holds together with those of the other tests.
    """

    pair: NeighbourPair
    event: Event
    size: int
    kinds: tuple[str, ...]
    draws: int
    level: float


@dataclass(frozen=True)
class Verdict:
    """The result of an audit.

    Attributes:
        name: of the function.
        claimed: the budget that it was held against.
        epsilon: with probability ``level`` it spends at least so much, at the claimed delta.
        noticed: the least multiple of the claimed epsilon that would have been noticed, planted in the function's own
            answers; None where none up to ten would have been, or where it was not tried.
        draws: calls in all.
        pairs: neighbours that were tried.
        shown: what attains the limit, None where nothing was told apart.
        level: the confidence of the limit.
        seed: of the audit.
        target: ``FILE.py:NAME`` where the function lies in a file.
    """

    name: str
    claimed: Budget
    epsilon: float
    noticed: float | None
    draws: int
    pairs: int
    shown: AttainedBy | None
    level: float
    seed: int
    target: str = ""

    @property
    def violates(self) -> bool:
        """Whether more is spent than is claimed, with confidence ``level``."""
        return self.epsilon > self.claimed.epsilon * (1 + 1e-12)

    @property
    def verdict(self) -> str:
        """``violates its guarantee``, ``not contradicted`` or ``without power``."""
        if self.violates:
            return "violates its guarantee"
        return "not contradicted" if self.noticed is not None else "without power"

    def __str__(self) -> str:
        budget = self.claimed
        claim = f"epsilon={budget.epsilon:g} delta={budget.delta:g} relation={budget.neighbours}"
        lines = [f"{self.name}: {claim}: {self.verdict}{self._noticed()}"]
        lines.append(
            f"it spends at least epsilon={self.epsilon:.4g} at delta={budget.delta:g} (level {self.level:g}; "
            f"{self.draws} calls on {self.pairs} pairs of neighbours, seed {self.seed})"
        )
        if self.shown and self.epsilon > 0:
            lines.append(f"told apart: {self.shown.pair.name}; by {self.shown.event.name}")
        return "\n".join(lines)

    def _noticed(self) -> str:
        if self.violates:
            return ""
        if self.noticed is None:
            return "; an epsilon ten times as large would not have been noticed: give more draws, or a smaller delta"
        return f", would have noticed {self.noticed:g} times epsilon"

    @property
    def script(self) -> str:
        """A script that counts the event on fresh draws of the pair in a process of its own; empty without one."""
        if self.shown is None:
            return ""
        shown, budget = self.shown, self.claimed
        file, _, name = self.target.rpartition(":")
        source = f"fit = run_path({file!r})[{name!r}]" if file else f"fit = {self.name}  # put the function in here"
        draws = max(SURER * shown.draws, SHOWN)
        first, second = (
            (shown.pair.second, shown.pair.first) if shown.event.swapped else (shown.pair.first, shown.pair.second)
        )
        return f"""\
from runpy import run_path

import numpy as np
from dprepro.auditing.data import Data
from dprepro.auditing.subject import Subject
from dprepro.privacy.audit import lower_limit
from dprepro.privacy.outcomes import as_row

{source}
subject, rng, draws = Subject(fit, {budget.epsilon!r}, {budget.delta!r}), np.random.default_rng(), {draws}
pair = Data({first.code}), Data({second.code})  # {shown.pair.name}
event = lambda answer: {shown.event.code}
rows = ([as_row(subject.answer(data, rng), {shown.size}, {shown.kinds!r}) for _ in range(draws)] for data in pair)
likely, rare = (sum(bool(event(row)) for row in some) for some in rows)
epsilon = lower_limit(np.array([likely]), np.array([rare]), draws, {budget.delta!r}, {shown.level!r})[0]
print(f"event: {{likely}} and {{rare}} of {{draws}}; epsilon is at least {{epsilon:.4g}}, claimed {budget.epsilon:g}")
"""


def least_noticed(factors: tuple[float, ...], noticed: list[bool]) -> float | None:
    """The least factor that was noticed, as was the next one; None where there is none."""
    for place, factor in enumerate(factors):
        if all(noticed[place : place + 2]):
            return factor
    return None
