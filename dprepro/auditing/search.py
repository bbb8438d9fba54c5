"""The audit itself: pairs of neighbours are compared by few draws, and the best by fresh ones, which are counted.

What chose a pair is never counted for it. There are a few tests, each on draws of its own, and their levels add up to
what is left of the level of all: the largest of their limits holds with probability ``level``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprepro.auditing.data import Data, DataDomain
from dprepro.auditing.neighbours import NeighbourPair, pairs, threshold_pairs
from dprepro.auditing.subject import Subject
from dprepro.auditing.verdict import AttainedBy, Verdict, least_noticed
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.privacy.audit import LEVEL, Audited, chosen
from dprepro.privacy.audit import audit as compared
from dprepro.privacy.outcomes import Answer, FloatArray, Refused, outcomes

TESTS = ((0, 0.06, 0.25), (1, 0.04, 0.125), (0, 0.12, 0.125), (0, 0.5, 0.5))
"""Which of the best pairs, with which share of all draws, and of 1 - level. The first ones end an audit early."""

FIRST, LEAST, MOST = 40, 2000, 4_000_000
"""Draws on each data set at which pairs are first compared, and draws of an audit in all."""

RANKING = 0.5
"""The level at which pairs are compared with one another: they are ranked, and nothing is claimed."""

FACTORS = (1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Multiples of the claimed epsilon that are planted."""

LARGEST = 1024
"""Data sets are searched up to so many records for a threshold on a private n."""


@dataclass(frozen=True)
class _Draws:
    """Draws answers on data sets, and counts them."""

    subject: Subject
    rng: np.random.Generator

    def on(self, data: Data, draws: int) -> list[Answer]:
        """So many answers."""
        return [self.subject.answer(data, self.rng) for _ in range(draws)]

    def both(self, pair: NeighbourPair, draws: int) -> tuple[list[Answer], list[Answer]]:
        """So many answers on each."""
        return self.on(pair.first, draws), self.on(pair.second, draws)


def audit(
    function: Callable[..., Any],
    epsilon: float,
    delta: float = 0.0,
    *,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    domain: DataDomain | str | None = None,
    seconds: float = 60.0,
    draws: int | None = None,
    seed: int = 0,
    level: float = LEVEL,
    parameters: Mapping[str, Any] | None = None,
    target: str = "",
    progress: Callable[[str], None] | None = None,
) -> Verdict:
    """Hold a function that answers on data against the privacy that it claims, as a black box.

    Args:
        function: ``fit(X, y, epsilon, delta, rng)`` or less of it: see `Subject`. It is asked for ``epsilon`` and
            ``delta`` where it has such arguments.
        epsilon, delta: what it claims.
        neighbours: the relation: ``replace_one``, ``zero_out`` or ``add_or_remove_one``.
        domain: which data it takes, as `DataDomain` or as words of it, ``"n=20 p=3 x=-1..1 norm=1 y=-1|1"``.
        seconds: of processor time, about; the number of draws follows from the time of a call.
        draws: calls in all, in place of ``seconds``: the same answer on every machine.
        seed: of pairs and draws.
        level: confidence of the lower limit.
        parameters: further arguments of the function, by name.
        target: ``FILE.py:NAME`` of the function, for the script that shows a violation.
        progress: called with a line now and then.

    Raises:
        InputError: a function that takes no data or never answers, a budget outside its range, a domain that is none.
    """
    if neighbours not in list(Neighbours):
        raise InputError(f"neighbours must be one of {', '.join(Neighbours)}, got {neighbours!r}")
    budget = Budget(epsilon, delta, Neighbours(neighbours))
    subject = Subject(function, epsilon, delta, dict(parameters or {}))
    public = _domain(domain, subject)
    rng = np.random.default_rng(seed)
    drawn = _Draws(subject, rng)
    say = progress or (lambda _: None)
    found = list(pairs(public, budget.neighbours, rng))
    if not budget.neighbours.n_is_public:
        found = [*threshold_pairs(public, lambda data: _signature(drawn, data), LARGEST), *found]
    total = draws or _affordable(drawn, found, seconds)
    if total < LEAST:
        raise InputError(f"an audit needs {LEAST} calls at least, got {total}: give more seconds, or draws")
    say(f"{len(found)} pairs of neighbours, {total} calls")
    ranked, spent = _ranked(drawn, found, delta, int(0.28 * total))
    best: tuple[Audited, AttainedBy | None] = (Audited(0.0, "none", 0), None)
    last: tuple[NeighbourPair, tuple[list[Answer], list[Answer]], float] | None = None
    for place, share, part in TESTS:
        pair, each = ranked[min(place, len(ranked) - 1)], int(share * total / 2)
        answers = drawn.both(pair, each)
        spent += 2 * each
        own = 1 - part * (1 - level)
        if _alike(*answers):
            say(f"{pair.name}: the same error on both data sets")
            continue
        result = compared(*answers, delta, own)
        last = (pair, answers, own) if place == 0 else last
        if result.epsilon > best[0].epsilon:
            size = outcomes(*answers).first.shape[1] - len(result.kinds)
            event = result.found
            best = result, AttainedBy(pair, event, size, result.kinds, result.draws, own) if event else None
        say(f"{pair.name}: at least {result.epsilon:.4g} by {2 * each} calls")
        if best[0].epsilon > epsilon:
            break
    name = getattr(function, "__name__", type(function).__name__)
    verdict = Verdict(name, budget, best[0].epsilon, None, spent, len(found), best[1], level, seed, target)
    if verdict.violates or last is None:
        return verdict
    return replace(verdict, noticed=_noticed(last, budget, rng))


def _domain(domain: DataDomain | str | None, subject: Subject) -> DataDomain:
    if isinstance(domain, DataDomain):
        found = domain
    elif domain is not None:
        found = DataDomain.parse(domain)
    elif subject.takes_labels:
        found = DataDomain(p=2, low=-1.0, high=1.0, norm=1.0, labels=(-1.0, 1.0))
    else:
        found = DataDomain()
    if subject.takes_labels and not found.labels:
        raise InputError("the function asks for labels: add y=-1|1 or y=-1..1 to the domain")
    return found if subject.takes_labels else replace(found, labels=(), interval=False)


def _signature(drawn: _Draws, data: Data) -> tuple[object, ...]:
    """The kind of answers, and whether they vary, by four of them."""
    answers = drawn.on(data, 4)
    kinds = tuple(sorted({answer.words if isinstance(answer, Refused) else _form(answer) for answer in answers}))
    rows = {answer.tobytes() for answer in answers if isinstance(answer, np.ndarray)}
    return kinds, len(rows) > 1


def _form(answer: FloatArray) -> str:
    return f"{answer.size} {np.isnan(answer).any()} {np.isinf(answer).any()}"


def _affordable(drawn: _Draws, found: list[NeighbourPair], seconds: float) -> int:
    """Calls that fit into the time, by the time of a few."""
    answers = drawn.both(found[0], 5)  # what is imported or compiled by the first calls
    began = time.process_time()
    some = found[:: max(len(found) // 10, 1)]
    for pair in some:
        answers = drawn.both(pair, 2)
    each = (time.process_time() - began) / (4 * len(some))
    if all(isinstance(answer, Refused) for answer in (*answers[0], *answers[1])):
        refused = answers[0][0]
        assert isinstance(refused, Refused)
        raise InputError(f"the function never answers: {refused.words}")
    return int(min(seconds / max(each, 1e-7), MOST))


def _ranked(drawn: _Draws, found: list[NeighbourPair], delta: float, draws: int) -> tuple[list[NeighbourPair], int]:
    """Pairs by what few draws tell of them, the best first, by successive halving; and the draws it took."""
    rounds = max(math.ceil(math.log2(len(found))), 1)
    kept, spent = list(found), 0
    known: dict[str, tuple[list[Answer], list[Answer]]] = {}
    for _ in range(rounds):
        each = max(draws // (2 * rounds * len(kept)), FIRST)
        limits = []
        for pair in kept:
            before = known.get(pair.name, ([], []))
            fresh = drawn.both(pair, each)
            spent += 2 * each
            known[pair.name] = ([*before[0], *fresh[0]], [*before[1], *fresh[1]])
            limits.append(_tells(*known[pair.name], delta))
        order = sorted(range(len(kept)), key=lambda place: -limits[place])
        kept = [kept[place] for place in order[: max(len(kept) // 2, 2)]]
        if spent >= draws:
            break
    return kept, spent


def _tells(first: list[Answer], second: list[Answer], delta: float) -> float:
    """What the answers say of the pair's epsilon, at a level that ranks pairs only."""
    if _alike(first, second):
        return -math.inf
    return max(event.limit for event in chosen(first, second, delta, RANKING))


def _alike(first: list[Answer], second: list[Answer]) -> bool:
    """Whether all that is answered on both data sets is one and the same error: nothing is told."""
    said = {answer.words if isinstance(answer, Refused) else "" for answer in (*first, *second)}
    return len(said) == 1 and "" not in said


def _noticed(
    last: tuple[NeighbourPair, tuple[list[Answer], list[Answer]], float], budget: Budget, rng: np.random.Generator
) -> float | None:
    """The least factor at which a leak, planted in these answers, is noticed by the same test.

    The leak: answers that are in an event get likelier on the first data set and, where that is not enough, rarer on
    the second, by leaving out others, until the event's ratio is e^(factor epsilon). The event is the one that the
    answers themselves tell apart best, its threshold such that a leak is well seen.
    """
    _, answers, level = last
    outcome_pair = outcomes(*answers)
    middle = len(outcome_pair.first) // 2
    event = chosen(outcome_pair.first[:middle], outcome_pair.second[:middle], budget.delta, level)[0]
    data = (outcome_pair.second, outcome_pair.first) if event.swapped else (outcome_pair.first, outcome_pair.second)
    noticed = []
    for factor in FACTORS:
        planted = _planted(data, event.holds, factor * budget.epsilon, budget.delta, rng)
        noticed.append(
            planted is not None and compared(planted[0], planted[1], budget.delta, level).epsilon > budget.epsilon
        )
    return least_noticed(FACTORS, noticed)


def _planted(
    data: tuple[FloatArray, FloatArray],
    holds: Callable[[FloatArray], np.ndarray[Any, np.dtype[np.bool_]]],
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray] | None:
    """The answers thinned out, until P = e^epsilon Q + delta holds of the event's shares; None where it cannot."""
    inside = [holds(some) for some in data]
    likely, rare = (float(some.mean()) for some in inside)
    if not 0 < likely < 1 or not 0 < rare < 1:
        return None
    wanted_likely, wanted_rare = min(math.exp(min(epsilon, 700.0)) * rare + delta, 0.9), rare
    if wanted_likely < math.exp(min(epsilon, 700.0)) * rare + delta:
        wanted_rare = (wanted_likely - delta) / math.exp(min(epsilon, 700.0))
    return (
        _thinned(data[0], inside[0], max(wanted_likely, likely), rng),
        _thinned(data[1], inside[1], min(wanted_rare, rare), rng),
    )


def _thinned(
    answers: FloatArray, inside: np.ndarray[Any, np.dtype[np.bool_]], share: float, rng: np.random.Generator
) -> FloatArray:
    """Answers of which the ``share`` is inside, by leaving out some at random of those inside or outside."""
    now = float(inside.mean())
    odds = share * (1 - now) / (now * (1 - share))
    keep = rng.random(len(answers)) < np.where(inside, min(odds, 1.0), min(1 / odds, 1.0))
    return answers[keep]
