"""The audit itself: pairs of neighbours are compared by few draws, and the best by fresh ones, which are counted.

What chose a pair is never counted for it. There are a few tests, each on draws of its own, and their levels add up to
what is left of the level of all: the largest of their limits holds with probability ``level``.
"""

from __future__ import annotations

import inspect
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dprepro.auditing.answers import Both, Draws, Kept, answers_on, joined, stream
from dprepro.auditing.data import Data, DataDomain
from dprepro.auditing.neighbours import NeighbourPair, pairs, threshold_pairs
from dprepro.auditing.power import power
from dprepro.auditing.replay import Replayed, replay_calls, replayed
from dprepro.auditing.subject import Subject
from dprepro.auditing.verdict import AttainedBy, Verdict
from dprepro.budget import Budget, Neighbours
from dprepro.engine.pools import Processes
from dprepro.errors import InputError
from dprepro.privacy.audit import LEVEL, Audited, ranked
from dprepro.privacy.audit import audit as compared
from dprepro.privacy.outcomes import FloatArray, Refused, same_error

TESTS = ((0, 0.06, 0.25), (1, 0.04, 0.125), (0, 0.12, 0.125), (0, 0.5, 0.5))
"""Which of the best pairs, with which share of all draws, and of 1 - level. The first ones end an audit early."""

RANKED = 0.28
"""Share of all draws by which pairs are ranked."""

FIRST, LEAST, MOST = 40, 2000, 4_000_000
"""Draws on each data set at which pairs are first compared, and draws of an audit in all."""

RANKING = 0.5
"""The level at which pairs are compared with one another: they are ranked, and nothing is claimed."""

LARGEST = 1024
"""Data sets are searched up to so many records for a threshold on a private n."""


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
    timed: bool = False,
    bits: bool = False,
    replay: bool = False,
    keep: str | Path | None = None,
    workers: int = 1,
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
        seconds: of processor time, about, of all workers together; the number of draws follows from the time of a call.
        draws: calls in all, in place of ``seconds``: the same answer on every machine.
        seed: of pairs and draws.
        level: confidence of the lower limit.
        parameters: further arguments of the function, by name.
        timed: the time of a call is part of the answer; such an audit comes out otherwise each time.
        bits: the last bits of its numbers are part of the answer (see `last_bits`), and are judged like all else.
        replay: noise is recorded and replayed first, so that losses are known and faults have names: see `replayed`.
        keep: a file that keeps the answers: an audit that was killed goes on from them.
        workers: processes that draw; the verdict does not depend on how many.
        target: ``FILE.py:NAME`` of the function, for the script that shows a violation; looked up where it is not told.
        progress: called with a line now and then.

    Raises:
        InputError: a function that takes no data or never answers, a budget outside its range, a domain that is none,
            a file that cannot keep answers.
    """
    if neighbours not in list(Neighbours):
        raise InputError(f"neighbours must be one of {', '.join(Neighbours)}, got {neighbours!r}")
    if workers < 1:
        raise InputError(f"workers must be at least 1, got workers={workers}")
    if math.isinf(epsilon):
        raise InputError("epsilon must be finite: who claims epsilon=inf claims nothing")
    budget = Budget(epsilon, delta, Neighbours(neighbours))
    subject = Subject(function, epsilon, delta, dict(parameters or {}), timed, bits)
    public = _domain(domain, subject)
    kept = None if keep is None else Kept.at(keep, subject, budget.neighbours, public, seed)
    drawn = Draws(subject, seed, kept, say=progress or (lambda _: None))
    found = list(pairs(public, budget.neighbours, stream(seed, "pairs")))
    calls, same = _affordable(drawn, found, seconds, draws)
    if not budget.neighbours.n_is_public:
        before = len(found)
        found = [*threshold_pairs(public, lambda data: _signature(drawn, data), LARGEST), *found]
        same = same if len(found) == before else ""
    if same:
        raise InputError(f"the function never answers: {same}; give a domain on which it does")
    name = getattr(function, "__name__", type(function).__name__)
    target = target or _file_of(function)
    start = Verdict(name, budget, 0.0, None, 0, len(found), None, level, seed, target, parameters=subject.parameters)
    if replay:
        drawn.say(f"noise is recorded and replayed by about {replay_calls(len(found))} calls")
    noted = replayed(subject, found, budget, seed, level) if replay else None
    if noted is not None and noted.violates:
        return replace(start, epsilon=noted.epsilon, draws=noted.calls, replayed=noted)
    drawn.total = _planned(len(found), calls)
    drawn.say(f"{len(found)} pairs of neighbours, {drawn.total} calls at most")
    if workers == 1:
        return _counted(drawn, found, start, noted, calls)
    drawn.pool = Processes(workers)
    try:
        return _counted(drawn, found, start, noted, calls)
    except BaseException:
        drawn.pool.close(drop=True)
        raise


def _counted(drawn: Draws, found: list[NeighbourPair], start: Verdict, noted: Replayed | None, calls: int) -> Verdict:
    """The audit by counts, of which the level is what replayed losses have left of it."""
    budget, level = start.claimed, start.level if noted is None else (1 + start.level) / 2
    best_pairs = _ranked(drawn, found, budget.delta, calls)
    if noted is not None and noted.pair is not None and best_pairs[0].name != noted.pair.name:
        best_pairs.insert(1, noted.pair)
    best: tuple[Audited, AttainedBy | None] = (Audited(0.0, "none", 0), None)
    last: tuple[Both, float, float] | None = None
    error = ""
    for test, (place, share, part) in enumerate(TESTS):
        pair, each = best_pairs[min(place, len(best_pairs) - 1)], int(share * calls / 2)
        answers = drawn.both(pair, each, f"test {test}")
        own = 1 - part * (1 - level)
        if same_error(*answers):
            assert isinstance(answers[0][0], Refused)
            error = answers[0][0].words
            drawn.say(f"{pair.name}: the same error on both data sets, {error}")
            continue
        result = compared(*answers, budget.delta, own)
        last = (answers, own, share) if place == 0 else last
        if result.epsilon > best[0].epsilon:
            event = result.found
            best = result, AttainedBy(pair, event, result.size, result.kinds, result.draws, own) if event else None
        drawn.say(f"{pair.name}: at least {result.epsilon:.4g} by {2 * each} calls")
        if best[0].epsilon > budget.epsilon:
            break
    spent = drawn.spent + (noted.calls if noted else 0)
    verdict = replace(
        start, epsilon=best[0].epsilon, shown=best[1], draws=spent, timed=drawn.subject.timed, bits=drawn.subject.bits
    )
    if noted is not None:
        verdict = replace(verdict, epsilon=max(verdict.epsilon, noted.epsilon), replayed=noted)
    if verdict.violates:
        return verdict
    if noted is not None and (least := noted.noticed) is not None:
        return replace(verdict, noticed=least)
    if last is None:
        said = f"it answered by one and the same error, {error}; give a domain on which it answers"
        return replace(verdict, lacking=said)
    seen = power(last[0], budget, last[1], last[2], stream(drawn.seed, "planted"))
    return replace(verdict, noticed=seen.noticed, lacking=seen.lacking)


def _file_of(function: Callable[..., Any]) -> str:
    """``FILE.py:NAME`` of a function that a file defines by this name; empty of others, as of a notebook's."""
    module, name = sys.modules.get(getattr(function, "__module__", "")), getattr(function, "__name__", "")
    file = getattr(module, "__file__", None) or ""
    if getattr(module, name, None) is not function or not inspect.isfunction(function):
        return ""
    if inspect.getsourcefile(function) != file or not Path(file).is_file():
        return ""  # of a wrapper that lies elsewhere, or of a cell that was never a file
    return f"{Path(file).resolve()}:{name}"


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
        said = f"the function asks for labels, its second argument {subject.labels}"
        raise InputError(f"{said}: add y=-1|1 or y=-1..1 to the domain")
    return found if subject.takes_labels else replace(found, labels=(), interval=False)


def _signature(drawn: Draws, data: Data) -> tuple[object, ...]:
    """The kind of answers, and whether they vary, by four of them."""
    answers = answers_on(replace(drawn.subject, timed=False), data, 4, stream(drawn.seed, f"kind|{data.code}"))
    kinds = tuple(sorted({answer.words if isinstance(answer, Refused) else _form(answer) for answer in answers}))
    rows = {answer.tobytes() for answer in answers if isinstance(answer, np.ndarray)}
    return kinds, len(rows) > 1


def _form(answer: FloatArray) -> str:
    return f"{answer.size} {np.isnan(answer).any()} {np.isinf(answer).any()}"


def _affordable(drawn: Draws, found: list[NeighbourPair], seconds: float, draws: int | None) -> tuple[int, str]:
    """The calls that are asked for, or that fit into the time; and the one error in which a few of them ended, or "".

    Those that fit are what an audit which goes on had planned.

    Raises:
        InputError: they are too few.
    """
    label = f"calls in {seconds!r} s"
    if draws is None and drawn.kept and (before := drawn.kept.get(label)):
        return int(before), ""
    rng = stream(drawn.seed, "time of a call")
    answers = answers_on(drawn.subject, found[0].first, 2, rng)  # what is imported or compiled by the first calls
    some = [data for pair in found[:: max(len(found) // 10, 1)] for data in (pair.first, pair.second)]
    timed, began = 0, time.process_time()
    for data in some:
        fresh = answers_on(drawn.subject, data, 1 if draws else 20, rng)
        answers, timed = answers + fresh, timed + len(fresh)
        if not draws and time.process_time() - began > seconds / 10:
            break
    each = max((time.process_time() - began) / timed, 1e-7)
    refused = [answer.words for answer in answers if isinstance(answer, Refused)]
    same = refused[0] if len(refused) == len(answers) and len({*refused}) == 1 else ""
    if draws is not None:
        if draws < LEAST:
            raise InputError(f"an audit needs draws={LEAST} at least, got draws={draws}")
        return draws, same
    least = _planned(len(found), LEAST)
    planned = _calls(len(found), min(seconds / each, MOST))
    if planned < LEAST:
        enough = math.ceil(1.1 * least * each)
        raise InputError(
            f"an audit of {len(found)} pairs needs {least} calls, of {each:.2g} s each: give budget={enough} (seconds)"
        )
    if drawn.kept:
        drawn.kept.put(label, str(planned).encode())
    return planned, same


def _calls(pairs: int, all_calls: float) -> int:
    """Of which number of calls the shares are to be taken, so that an audit has so many; 0 if there is none."""
    low, high = 0, int(all_calls) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _planned(pairs, middle) <= all_calls else (low, middle)
    return low


def _planned(pairs: int, calls: int) -> int:
    """All calls of an audit: a few for every pair, and the shares of its tests."""
    left, ranking = pairs, 0
    for each, kept in _stages(pairs, calls):
        ranking, left = (ranking + 2 * each * left, kept) if left > kept else (ranking, left)
    return ranking + sum(2 * int(share * calls / 2) for _, share, _ in TESTS)


def _stages(pairs: int, calls: int) -> list[tuple[int, int]]:
    """Of successive halving: how many calls on each data set, and how many pairs are kept."""
    draws = int(RANKED * calls)
    rounds = max(math.ceil(math.log2(pairs)), 1)
    stages: list[tuple[int, int]] = []
    left, spent = pairs, 0
    while len(stages) < rounds and (not stages or spent < draws):
        each = max(draws // (2 * rounds * left), FIRST)
        spent += 2 * each * left
        stages.append((each, max(left // 2, 2)))
        left = stages[-1][1]
    return stages


def _ranked(drawn: Draws, found: list[NeighbourPair], delta: float, calls: int) -> list[NeighbourPair]:
    """Pairs by what few draws tell of them, the best first, by successive halving."""
    known: dict[str, list[Both]] = {}

    def draw(pair: NeighbourPair, fresh: int) -> Both:
        parts = known.setdefault(pair.name, [])
        parts.append(drawn.both(pair, fresh, f"ranking {len(parts)}"))
        return joined([part[0] for part in parts]), joined([part[1] for part in parts])

    return ranked(found, draw, _stages(len(found), calls), delta, RANKING)
