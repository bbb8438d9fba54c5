"""Record and replay: the noise behind an answer, and the noise that would give the same answer on the neighbour.

Where every draw of a function is additive noise of a known law that its answer shows, an answer on one data set is
reached on the other by one noise only. It is found by runs there, and it says the privacy loss of the answer, ln P/Q,
which is then known and not counted. The noise tells the fault as well: `FAULTS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprepro.auditing.data import Data
from dprepro.auditing.forms import CLOSE, FloatArray, IntArray
from dprepro.auditing.neighbours import NeighbourPair
from dprepro.auditing.power import FACTORS
from dprepro.auditing.recording import generator, recording, repeated
from dprepro.auditing.subject import Subject, flat, quiet
from dprepro.auditing.torch_noise import ROUGH
from dprepro.budget import Budget
from dprepro.privacy.audit import LEVEL
from dprepro.privacy.losses import MOST, limit_of_losses
from dprepro.privacy.worst_pairs import gaussian_epsilon

FAULTS = {
    "sensitivity": "noise is too small for what one record changes",
    "scale": "the noise's scale, or its law, does not follow from the claim",
    "composition": "each answer keeps the claim, all of them together do not",
    "bounds from data": "the noise's scale depends on the data",
    "noise reused": "two answers have the same noise, and tell their difference",
    "few seeds": "different calls draw the same numbers",
    "no noise": "an answer depends on the data without any noise",
}
"""Names of faults, and what each is."""

TRIED, COUNTED, CALLS = 3, 400, 1000
"""Calls by which pairs are compared, by which the worst is judged, and that are held against one another."""

PASSES = 40
"""Runs on the neighbour in which the noise is looked for; each finds that of one more step of an adaptive function."""

SIMULATED = 100_000
"""Losses that are drawn from the laws themselves, where what one record changes does not depend on noise."""

ROUNDED = 1e-12
"""Relative rounding error of a number before noise is added: a loss is known up to what it makes of it."""

STEEPEST = 40.0
"""How steeply a log density falls at noise that is met; that of Laplace noise is 1."""

FAR, UNSEEN = 3, 1e-9
"""Noise that is forced, far out, where the limit comes from; share of delta that lies farther out still."""

WHOLE = 0.9
"""Share of the claim that one draw of noise spends where it has the whole budget and not a part of it."""

LOG_DENSITY: dict[str, Callable[[FloatArray], FloatArray]] = {
    "laplace": lambda noise: -np.abs(noise),
    "normal": lambda noise: -0.5 * noise**2,
    "gumbel": lambda noise: -(noise + np.exp(-np.minimum(noise, 700.0))),
    "logistic": lambda noise: -np.abs(noise) - 2 * np.log1p(np.exp(-np.abs(noise))),
    "cauchy": lambda noise: -np.log1p(noise**2),
    "exponential": lambda noise: np.where(noise >= 0, -noise, -np.inf),
}
"""Of noise in units of its scale, up to a constant."""


@dataclass(frozen=True)
class Fault:
    """What is wrong: the ``name`` of one of `FAULTS`, and a line with its numbers."""

    name: str
    text: str


@dataclass(frozen=True)
class Replayed:
    """What recorded noise says of a function.

    Attributes:
        epsilon: with confidence ``level`` it spends at least so much; 0 where losses are not known.
        pair: on which it does, or which looks worst; None where nothing was told apart.
        faults: what is wrong, the first the likeliest to be the cause. They are accusations only where the function
            violates its guarantee.
        unknown: why losses are not known, in words; empty where they are.
        calls: of the function.
        claimed: epsilon as claimed.
    """

    epsilon: float
    pair: NeighbourPair | None
    faults: tuple[Fault, ...]
    unknown: str
    calls: int
    claimed: float

    @property
    def violates(self) -> bool:
        """Whether more is spent than is claimed."""
        return self.epsilon > self.claimed * (1 + 1e-9)

    @property
    def noticed(self) -> float | None:
        """The least of the planted multiples of what it spends that exceeds the claim; None if losses are unknown."""
        return next((factor for factor in FACTORS if factor * self.epsilon > self.claimed), None)


@dataclass(frozen=True)
class Call:
    """An answer and the noise behind it.

    Attributes:
        answer: as numbers in a row; None where the function refused.
        noise, laws, calls: of the `Ledger`.
        raw: as drawn. hidden: draws of other laws.
        tags, offsets, factors: of each number of the answer; the tag is -1 where it has no noise.
        full: whether there was more noise than is remembered. rough: whether it is of single precision.
        aliases: draws that repeat earlier ones.
    """

    answer: FloatArray | None
    noise: FloatArray
    laws: tuple[str, ...]
    calls: IntArray
    raw: tuple[float, ...]
    hidden: int
    tags: IntArray
    offsets: FloatArray
    factors: FloatArray
    full: bool
    rough: bool
    aliases: frozenset[int] = frozenset()

    @property
    def shown(self) -> IntArray:
        """Where in the answer each noise is met first."""
        found: dict[int, int] = {}
        for place, tag in enumerate(self.tags.tolist()):
            if tag >= 0:
                found.setdefault(tag, place)
        return np.array(list(found.values()), dtype=np.int64)


@dataclass(frozen=True)
class Replay:
    """An answer on one data set, and the noise that would give it on the other.

    Attributes:
        first: the call. again: the last one on the neighbour.
        noise: that would give the same answer there, for each draw.
        loss: ln P/Q of the answer; NaN where it is not known.
        unknown: why, in words.
        steady: whether what the record changes is the same for all noise.
        apart: places of the answer that no noise makes equal: noise is used twice there, or missing.
    """

    first: Call
    again: Call
    noise: FloatArray
    loss: float
    unknown: str
    steady: bool
    apart: IntArray


def call(subject: Subject, data: Data, seed: int, forced: FloatArray | None = None) -> Call:
    """Call the function on these data with the random numbers of this seed, and record them."""
    arrays, given = subject.given(data, np.random.default_rng(seed))
    given |= {name: generator(seed) for name, value in given.items() if isinstance(value, np.random.Generator)}
    with quiet(), recording(subject.function, seed, np.empty(0) if forced is None else forced) as recorder:
        try:
            answer: FloatArray | None = flat(subject.function(*arrays, **given))
        except Exception:
            answer = None
    ledger = recorder.ledger
    made = [ledger.known.get(value, (-1, value, 0.0)) for value in ([] if answer is None else answer.tolist())]
    tags, offsets, factors = (np.array(some) for some in zip(*made, strict=True)) if made else (np.empty(0),) * 3
    return Call(
        answer, np.array(ledger.noise), tuple(ledger.laws), np.array(ledger.calls, dtype=np.int64), tuple(recorder.raw),
        recorder.hidden, tags.astype(np.int64), offsets.astype(np.float64), factors.astype(np.float64), ledger.full,
        recorder.rough, frozenset(recorder.aliases),
    )  # fmt: skip


def replay(subject: Subject, first: Data, second: Data, seed: int, forced: FloatArray | None = None) -> Replay:
    """The loss of an answer that is drawn, or made of ``forced`` noise, on the first data set, where it is known."""
    there = call(subject, first, seed, forced)
    noise = there.noise
    again = call(subject, second, seed, noise)
    steady = True

    def unknown(why: str) -> Replay:
        return Replay(there, again, noise, math.nan, why, False, np.empty(0, dtype=np.int64))

    if there.answer is None or again.answer is None:
        return unknown("it refuses to answer")
    if there.full:
        return unknown("it draws more noise than is remembered")
    if there.hidden:
        return unknown("it draws other random numbers than additive noise, or uses them otherwise")
    if not there.laws:
        return unknown("no noise of a generator that is recorded is drawn")
    places = there.shown
    if len(places) < len({*range(len(there.laws))} - there.aliases):
        return unknown("not all of its noise is in its answer")
    for turn in range(PASSES):
        alike = again.answer is not None and again.answer.shape == there.answer.shape and again.laws == there.laws
        if not alike or again.tags[places].tolist() != there.tags[places].tolist():
            return unknown("on the neighbour it draws other noise")
        moved = noise.copy()
        tags, factors = there.tags[places], again.factors[places]
        shift = (there.offsets[places] - again.offsets[places]) / factors
        moved[tags] = there.noise[tags] * (there.factors[places] / factors) + shift
        same = np.allclose(moved, noise, rtol=CLOSE, atol=CLOSE)
        steady &= turn <= 1 or same
        if turn and same:
            break
        noise = moved
        again = call(subject, second, seed, noise)
    else:
        return unknown("the noise of the same answer on the neighbour is not found")
    apart = np.flatnonzero(~_equal(there, again))
    if np.isin(places, apart).any():
        return unknown("numbers of its answer are not what its noise says")
    density = _density(there.laws, there.noise, there.tags[places]) - _density(there.laws, noise, there.tags[places])
    loss = float(np.sum(density - np.log(np.abs(there.factors[places] / again.factors[places]))))
    return Replay(there, again, noise, math.inf if apart.size else loss, "", steady, apart)


def _equal(there: Call, again: Call) -> np.ndarray[Any, np.dtype[np.bool_]]:
    assert there.answer is not None
    assert again.answer is not None
    size = np.maximum(np.abs(there.offsets), np.abs(again.offsets)) + np.abs(there.answer)
    size += np.where(there.tags >= 0, np.abs(there.factors), 0.0)
    near = np.abs(there.answer - again.answer) <= (ROUGH if there.rough else 1e-7) * size
    return np.asarray(near | (there.answer == again.answer) | (np.isnan(there.answer) & np.isnan(again.answer)))


def _density(laws: Sequence[str], noise: FloatArray, tags: IntArray) -> FloatArray:
    return np.array([float(LOG_DENSITY[laws[tag]](noise[tag])) for tag in tags.tolist()])


def replayed(
    subject: Subject, pairs: Sequence[NeighbourPair], budget: Budget, seed: int = 0, level: float = LEVEL
) -> Replayed:
    """What recorded noise says of the worst of these pairs, in the worse of its two directions.

    Losses of fresh answers give the limit (`limit_of_losses`), which fails with half of 1 - level; where what a record
    changes does not depend on noise, they are drawn from the laws, and Gaussian noise is computed exactly.
    """
    seeds = iter(np.random.default_rng([seed, 17]).choice(2**31, size=COUNTED + CALLS + 8, replace=False).tolist())
    subject = replace(subject, timed=False, bits=False)
    shared = [next(seeds) for _ in range(TRIED)]
    ways = [
        (replace(pair, first=first, second=second), [replay(subject, first, second, some) for some in shared])
        for pair in pairs
        for first, second in ((pair.first, pair.second), (pair.second, pair.first))
    ]
    calls = sum(2 * TRIED + 1 for _ in ways)
    best, tries = max(ways, key=lambda way: _badness(way[1]))
    odd = next((way for way in ways if all(_distance(some) == math.inf for some in way[1])), None)
    unknown = next((some.unknown for some in tries if some.unknown), "")
    if not unknown and not _repeats(subject, best.first, shared[0]):
        unknown = "it draws from a generator that is not recorded"
    again = [call(subject, best.first, next(seeds)) for _ in range(CALLS)]
    faults = _streams(again)
    found = tries if unknown else [replay(subject, best.first, best.second, next(seeds)) for _ in range(COUNTED)]
    calls += CALLS + (0 if unknown else 3 * COUNTED)
    unknown = unknown or next((some.unknown for some in found if some.unknown), "")

    def forced(noise: FloatArray) -> Replay:
        return replay(subject, best.first, best.second, shared[0], noise)

    epsilon = 0.0 if unknown else _epsilon(found, budget, (1 + level) / 2, seed, forced)
    if epsilon:
        epsilon = max(epsilon * (1 - ROUGH if found[0].first.rough else 1) - _rounding(found), 0.0)
    faults += _faults(subject, best, found, budget, epsilon, next(seeds))
    if odd is not None:
        faults.append(Fault("no noise", f"with all noise that was tried answers are of unlike kinds: {odd[0].name}"))
        best = best if epsilon > 0 else odd[0]
    told_apart = best if odd is not None or any(_tells(some) for some in found) else None
    return Replayed(epsilon, told_apart, tuple(faults), unknown, calls, budget.epsilon)


def replay_calls(pairs: int) -> int:
    """So many calls are made, about; more of a function whose steps depend on their noise."""
    return 2 * pairs * (2 * TRIED + 1) + CALLS + 3 * COUNTED


def _tells(found: Replay) -> bool:
    """Whether answers differ with the same noise."""
    return bool(found.unknown) or found.loss != 0


def _badness(tries: Sequence[Replay]) -> tuple[float, float]:
    """By which pairs are compared: the largest loss that is known, and how far answers of equal noise lie apart."""
    losses = [some.loss for some in tries if not some.unknown]
    return max(losses, default=-1.0), max(_distance(some) for some in tries)


def _distance(found: Replay) -> float:
    vector, other = found.first.answer, found.again.answer
    if vector is None or other is None or vector.shape != other.shape:
        return 0.0 if vector is None and other is None else math.inf
    if not np.array_equal(np.isfinite(vector), np.isfinite(other)):
        return math.inf
    return float(np.nan_to_num(np.linalg.norm(vector - other), nan=0.0))


def _repeats(subject: Subject, data: Data, seed: int) -> bool:
    """Whether the recorded random numbers decide on the answer."""
    vector, other = call(subject, data, seed).answer, call(subject, data, seed).answer
    return vector is not None and other is not None and np.array_equal(vector, other, equal_nan=True)


def _epsilon(
    found: Sequence[Replay], budget: Budget, level: float, seed: int, forced: Callable[[FloatArray], Replay]
) -> float:
    """The lower limit, by losses of which none is unknown.

    By the laws themselves only where ``forced`` noise far out, which the calls hardly meet, acts as theirs does: what
    is clipped or drawn anew there spends less.
    """
    from scipy.special import ndtri

    losses = np.array([some.loss for some in found])
    counted = limit_of_losses(losses, budget.delta, level)
    shifts = _shifts(found)
    if shifts is None or np.isinf(losses).any() or not shifts.any():
        return counted
    first = found[0].first
    tags = first.tags[first.shown]
    laws = [first.laws[tag] for tag in tags.tolist()]
    rng = np.random.default_rng([seed, 23])
    if set(laws) == {"normal"}:
        size = float(np.linalg.norm(shifts))
        epsilon = gaussian_epsilon(size, budget.delta) if budget.delta > 0 else MOST
        # the loss is size * x + size^2/2 at noise x along the shifts
        if budget.delta > 0:
            places = np.linspace(epsilon / size - size / 2, -ndtri(max(budget.delta * UNSEEN, 1e-320)), FAR)
        else:
            places = np.geomspace(min(2 * budget.epsilon, MOST), MOST, FAR) / size - size / 2
        rest = rng.standard_normal((FAR, shifts.size))
        along = shifts / size
        noise = rest + (places - rest @ along)[:, None] * along
    else:
        drawn = np.column_stack([_drawn(law, SIMULATED, rng) for law in laws])
        simulated = np.zeros(SIMULATED)
        for law, column, shift in zip(laws, drawn.T, shifts, strict=True):
            simulated += LOG_DENSITY[law](column) - LOG_DENSITY[law](column + shift)
        epsilon = limit_of_losses(simulated, budget.delta, level)
        worst = drawn[simulated >= epsilon * (1 - CLOSE)]
        noise = worst[np.argsort(-np.abs(worst).max(axis=1))[:FAR]]
    far = []
    for row in noise:
        whole = first.noise.copy()
        whole[tags] = row
        far.append(forced(whole))
    if not any(some.unknown for some in far) and _shifts([*found, *far]) is not None:
        return epsilon
    known = [some.loss for some in far if not some.unknown and not some.apart.size]
    return max(counted, *known, 0.0) if budget.delta == 0 else counted


def _rounding(found: Sequence[Replay]) -> float:
    """How much of a loss may be rounding of what noise is added to."""
    most = 0.0
    for some in found:
        places = some.first.shown
        size = np.abs(some.first.offsets[places]) + np.abs(some.again.offsets[places])
        most = max(most, ROUNDED * float((size / np.abs(some.again.factors[places])).sum()))
    return most * (1.0 if {*found[0].first.laws} == {"laplace"} else STEEPEST)


def _drawn(law: str, draws: int, rng: np.random.Generator) -> FloatArray:
    name = f"standard_{law}" if law in ("normal", "cauchy", "exponential") else law
    return np.asarray(getattr(rng, name)(size=draws))


def _shifts(found: Sequence[Replay]) -> FloatArray | None:
    """How far noise moves, in its scale, if that is the same in all calls and its scale is on both data sets."""
    rows = []
    for some in found:
        if not some.steady or some.apart.size:
            return None
        places = some.first.shown
        if not np.allclose(some.first.factors[places], some.again.factors[places], rtol=CLOSE, atol=0):
            return None
        rows.append((some.noise - some.first.noise)[some.first.tags[places]])
    if len({row.shape for row in rows}) > 1 or len({some.first.laws for some in found}) > 1:
        return None
    table = np.array(rows)
    return table[0] if np.allclose(table, table[0], rtol=CLOSE, atol=CLOSE) else None


def _streams(calls: Sequence[Call]) -> list[Fault]:
    """Calls of different seeds that draw the same numbers."""
    drawn = [some.raw for some in calls]
    equal = repeated(drawn)
    if not equal:
        return []
    others = len({noise for noise in drawn if noise})
    return [Fault("few seeds", f"{equal} of {len(drawn)} calls drew what another had drawn; {others} differ")]


def _faults(
    subject: Subject, pair: NeighbourPair, found: Sequence[Replay], budget: Budget, epsilon: float, seed: int
) -> list[Fault]:
    """What is wrong on this pair, the worst first."""
    some = max(found, key=lambda replay: -math.inf if math.isnan(replay.loss) else replay.loss)
    there, again = some.first, some.again
    if there.answer is None or again.answer is None or there.tags.shape != again.tags.shape:
        return []
    faults = []
    noised = (there.tags >= 0) & (there.tags == again.tags)
    ratio = np.divide(again.factors, there.factors, out=np.ones_like(there.factors), where=noised)
    if (np.abs(ratio - 1) > 1e-6).any():
        place = int(np.argmax(np.abs(np.log(np.abs(ratio)))))
        scales = abs(there.factors[place]), abs(again.factors[place])
        said = f"noise has scale {scales[0]:.4g} on one data set and {scales[1]:.4g} on the other"
        faults.append(Fault("bounds from data", said))
    tags = there.tags[noised].tolist()
    apart = some.apart.tolist()
    if len(set(tags)) < len(tags) and (not some.unknown and any(there.tags[place] >= 0 for place in apart)):
        faults.append(Fault("noise reused", f"{len(tags)} numbers of the answer have {len(set(tags))} draws of noise"))
    if any(there.tags[place] < 0 for place in apart):
        faults.append(Fault("no noise", f"number {apart[0]} of the answer has no noise and depends on the data"))
    if faults or some.unknown or not epsilon > budget.epsilon:
        return faults
    return [_size(subject, pair, some, budget, seed)]


def _size(subject: Subject, pair: NeighbourPair, some: Replay, budget: Budget, seed: int) -> Fault:
    """Noise that is there, once each, of one scale, and too small."""
    there = some.first
    places = there.shown
    tags = there.tags[places]
    laws = {there.laws[tag] for tag in tags.tolist()}
    factors, moved = np.abs(there.factors[places]), (some.noise - there.noise)[tags]
    if "normal" in laws and budget.delta == 0:
        return Fault("scale", "Gaussian noise has no epsilon at delta = 0")
    if subject.takes_epsilon:
        wide = call(replace(subject, epsilon=budget.epsilon / 2), pair.first, seed)
        if wide.tags.tolist() == there.tags.tolist():
            grown = float(np.median(np.abs(wide.factors[places]) / factors))
            if not 1.2 < grown < 3:
                return Fault("scale", f"at half of epsilon the noise is {grown:.3g} times as large, and not 2 times")
    if subject.takes_delta and laws == {"normal"}:
        small = call(replace(subject, delta=budget.delta**2), pair.first, seed)
        if small.tags.tolist() == there.tags.tolist() and not (np.abs(small.factors[places]) > 1.05 * factors).any():
            return Fault("scale", f"the noise is no larger at delta={budget.delta**2:g} than at delta={budget.delta:g}")
    groups = [there.calls[tags] == number for number in np.unique(there.calls[tags])]
    alone = max(_alone(laws, moved[group], budget) for group in groups) / budget.epsilon
    if len(groups) > 1 and WHOLE <= alone <= 1 + 1e-6:
        return Fault("composition", f"{len(groups)} draws of noise keep epsilon={budget.epsilon:g} each, not together")
    order = 2 if laws == {"normal"} else 1
    change, scale = float(np.linalg.norm(moved * factors, order)), float(np.median(factors))
    covered = budget.epsilon if order == 1 else _shift(budget)
    return Fault(
        "sensitivity",
        f"a record changes the answer by {change:.4g} (L{order}); noise of scale {scale:.4g} is enough for "
        f"{covered * scale:.4g}",
    )


def _alone(laws: set[str], moved: FloatArray, budget: Budget) -> float:
    """What one draw of noise spends."""
    if laws == {"normal"}:
        return gaussian_epsilon(float(np.linalg.norm(moved)), budget.delta)
    return float(np.abs(moved).sum())


def _shift(budget: Budget) -> float:
    """The largest shift of Gaussian noise, in its scale, that keeps the budget."""
    low, high = 0.0, 1.0
    while gaussian_epsilon(high, budget.delta) <= budget.epsilon:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_epsilon(middle, budget.delta) <= budget.epsilon else (low, middle)
    return low
