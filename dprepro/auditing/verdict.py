"""What an audit came to: a lower limit of epsilon, what it would have noticed, and a script that shows a violation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dprepro.auditing.neighbours import NeighbourPair
from dprepro.auditing.replay import Replayed
from dprepro.budget import Budget
from dprepro.privacy.audit import Event

IN_ORDER = (
    "the records are in another order there: where their order is a part of the data, as of answers for each record, "
    "add order=fixed to the domain"
)
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


def seen_by(statistic: str) -> str:
    """A statistic of answers in words: ``likelihood by shift, turned`` is the likelihood ratio of the means' shift."""
    plain = statistic.removesuffix(", turned")
    of = plain.removeprefix("likelihood by ")
    words = "the shift between the means" if of == "shift" else of
    return words if of == plain else f"the likelihood ratio of {words}"


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
        shown: what attains the limit by counts, None where nothing was told apart.
        level: the confidence of the limit.
        seed: of the audit.
        target: ``FILE.py:NAME`` where the function lies in a file.
        parameters: further arguments of the function.
        timed: whether the first number of an answer is the time of the call.
        bits: whether the last bits of all numbers are the end of an answer.
        lacking: what would give power, in words, where there is none.
        replayed: what the recorded noise says, where it was asked for.
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
    parameters: Mapping[str, Any] = field(default_factory=dict)
    timed: bool = False
    bits: bool = False
    lacking: str = ""
    replayed: Replayed | None = None

    @property
    def violates(self) -> bool:
        """Whether more is spent than is claimed, with confidence ``level``."""
        return self.epsilon > self.claimed.epsilon * (1 + 1e-9)

    @property
    def verdict(self) -> str:
        """``violates its guarantee``, ``not contradicted`` or ``without power``."""
        if self.violates:
            return "violates its guarantee"
        return "not contradicted" if self.noticed is not None else "without power"

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, as the recorded noise tells: names of `replay.FAULTS`; only of what violates its guarantee."""
        return tuple(fault.name for fault in self.replayed.faults) if self.violates and self.replayed else ()

    def __str__(self) -> str:
        budget = self.claimed
        claim = f"epsilon={budget.epsilon:g} delta={budget.delta:g} relation={budget.neighbours}"
        lines = [f"{self.name}: {claim}: {self.verdict}{self._noticed()}"]
        lines.append(
            f"it spends at least epsilon={self.epsilon:.4g} at delta={budget.delta:g} (level {self.level:g}; "
            f"{self.draws} calls on {self.pairs} pairs of neighbours, seed {self.seed})"
        )
        if self._by_replay:
            assert self.replayed is not None
            assert self.replayed.pair is not None
            lines.append(f"told apart: {self.replayed.pair.name}; by the losses of recorded noise")
        elif self.shown and self.epsilon > 0:
            lines.append(f"told apart: {self.shown.pair.name}; by {seen_by(self.shown.event.name)}")
        if self.violates and self._pair is not None and self._pair.reordered:
            lines.append(IN_ORDER)
        if self.timed:
            lines.append("the first number of an answer, coordinate 0, is the time of the call in microseconds")
        if self.bits:
            lines.append("the last half of an answer's coordinates are the last bits of its numbers, as powers of two")
        if self.violates and self.replayed:
            lines += [f"{fault.name}: {fault.text}" for fault in self.replayed.faults]
        elif self.replayed and self.replayed.unknown:
            lines.append(f"losses are not known by replay: {self.replayed.unknown}")
        elif not (self.violates or self.replayed) and budget.delta > 0:
            lines.append("at delta > 0 draws see a part of what additive noise spends; replay=true sees all of it")
        return "\n".join(lines)

    @property
    def _by_replay(self) -> bool:
        """Whether recorded noise attains the limit, and not counts."""
        return self.replayed is not None and self.replayed.epsilon >= self.epsilon > 0

    @property
    def _pair(self) -> NeighbourPair | None:
        """The pair of neighbours that attains the limit."""
        if self._by_replay and self.replayed is not None:
            return self.replayed.pair
        return self.shown.pair if self.shown else None

    def _noticed(self) -> str:
        if self.violates:
            return ""
        if self.noticed is None:
            return f"; {self.lacking}" if self.lacking else ""
        return f", would have noticed {self.noticed:g} times epsilon"

    @property
    def script(self) -> str:
        """A script that shows the limit on fresh draws of the pair in a process of its own; empty without one."""
        if self._by_replay:
            return self._replaying
        return self._counting if self.shown else ""

    @property
    def _source(self) -> str:
        file, _, name = self.target.rpartition(":")
        return f"fit = run_path({file!r})[{name!r}]" if file else f"fit = {self.name}  # put the function in here"

    @property
    def _subject(self) -> str:
        budget = self.claimed
        given = f"Subject(fit, {budget.epsilon!r}, {budget.delta!r}"
        given += f", {dict(self.parameters)!r}" if self.parameters else ""
        return given + ", timed=True" * self.timed + ", bits=True" * self.bits + ")"

    @property
    def _counting(self) -> str:
        assert self.shown is not None
        shown, budget = self.shown, self.claimed
        first, second = (
            (shown.pair.second, shown.pair.first) if shown.event.swapped else (shown.pair.first, shown.pair.second)
        )
        row = f"{shown.size}, {shown.kinds!r}"
        return f"""\
from runpy import run_path
import numpy as np
from dprepro.auditing import Data, Subject, as_row, lower_limit
{self._source}
subject, rng, draws = {self._subject}, np.random.default_rng({self.seed}), {max(SURER * shown.draws, SHOWN)}
pair = Data({first.code}), Data({second.code})  # {shown.pair.name}
event = lambda answer: bool({shown.event.code})
hits = [sum(event(as_row(subject.answer(data, rng), {row})) for _ in range(draws)) for data in pair]
epsilon = lower_limit(np.array(hits[:1]), np.array(hits[1:]), draws, {budget.delta!r}, {shown.level!r})[0]
print(f"{{hits[0]}} and {{hits[1]}} of {{draws}}: epsilon is at least {{epsilon:.4g}}, claimed {budget.epsilon:g}")
"""

    @property
    def _replaying(self) -> str:
        assert self.replayed is not None
        assert self.replayed.pair is not None
        budget, pair = self.claimed, self.replayed.pair
        return f"""\
from runpy import run_path
import numpy as np
from dprepro.auditing import Data, NeighbourPair, Subject, replayed
from dprepro.budget import Budget, Neighbours
{self._source}
pair = NeighbourPair({pair.name!r}, Data({pair.first.code}), Data({pair.second.code}))
claim = Budget({budget.epsilon!r}, {budget.delta!r}, Neighbours({str(budget.neighbours)!r}))
found = replayed({self._subject}, [pair], claim, seed={self.seed})
print(f"by the losses of recorded noise epsilon is at least {{found.epsilon:.4g}}, claimed {budget.epsilon:g}")
print(*(f"{{fault.name}}: {{fault.text}}" for fault in found.faults), sep="\\n")
"""
