"""Data sets for the LASSO with parameters to search over: needles among rivals, and blocks that are curved."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np

from dprepro.constructions.base import DENSE_LIMIT, Construction, Point, offered, unit_lasso
from dprepro.constructions.needles import hardest_gap
from dprepro.problems import Domain, Moments, Problem, Records, VertexGroups
from dprepro.problems.problem_data import FloatArray, IntArray
from dprepro.problems.views import GroupsView, MomentsView, RecordsView


@dataclass(frozen=True)
class NeedleFamily(Construction):
    """k heads, r rivals and p - k - r coordinates that say nothing, in the domain of the unit LASSO.

    A share 1 - s of the n records is (m, y): m_j = ``level`` + ``gap`` lambda for heads, at most 1 in size, ``level``
    for rivals and 0 elsewhere. The others are orthogonal in the heads: rows of a Hadamard code of c = 2^ceil(log2(k +
    1)) words, without its constant column and 0 outside the heads, equally often, with the label of x.theta at theta =
    (h/k) sum of the heads. With B the heads the mean loss is

        (1 - s) (m.theta - y)^2 + s (||theta_B||^2 - 2 (h/k) sum_B theta + h^2/k).

    Labels of both signs on equal records would change y to their mean and the excess risk in nothing else.

    With ``apart`` the heads of the block are no needles: m_j = (1 - ``apart``) (``level`` + ``gap`` lambda) on them, 0
    at 1 and against the needle above, and the needle lies on a coordinate of its own. What the needle, its rivals and
    the block each cost then adds up.

    Attributes:
        level: in [-1, 1]. gap: in noise scales of the algorithm, at least 0.
        heads, rivals: log k/log p and log r/log(p - k), both in [0, 1]; at least one of each where there is room.
        label: y in [0, 1].
        curved: s in [0, 1], rounded down to a whole number of copies of the code (none where n is too small).
        fill: h in [0, 1].
        apart: in [0, 2]; see above.
    """

    level: float = 0.0
    gap: float = 3.0
    heads: float = 0.0
    rivals: float = 1.0
    label: float = 1.0
    curved: float = 0.0
    fill: float = 1.0
    apart: float = field(default=0.0, metadata={"later": True})

    def __post_init__(self) -> None:
        self._demand("level", -1 <= self.level <= 1, "in [-1, 1]")
        self._demand("gap", 0 <= self.gap < math.inf, "at least 0 and finite")
        self._demand("apart", 0 <= self.apart <= 2, "in [0, 2]")
        for name in ("heads", "rivals", "label", "curved", "fill"):
            self._demand(name, 0 <= getattr(self, name) <= 1, "in [0, 1]")

    def domain(self, point: Point) -> Domain:
        return unit_lasso(point)

    def needles(self, point: Point) -> int:
        """Needles on coordinates of their own: one, or none."""
        return int(self.apart > 0 and point["p"] >= 2)

    def counts(self, point: Point) -> tuple[int, int, int]:
        """Heads, rivals and the rest."""
        p = int(point["p"]) - self.needles(point)
        heads = round(p**self.heads)
        rivals = round((p - heads) ** self.rivals) if p > heads else 0
        return heads, rivals, p - heads - rivals

    def share(self, point: Point) -> float:
        """s as it is: a whole number of copies of the code."""
        code = 2 ** math.ceil(math.log2(self.counts(point)[0] + 1))
        copies = math.floor(self.curved * point["n"] / code)
        return float(min(1.0, copies * code / point["n"]))

    def representations(self, point: Point) -> frozenset[str]:
        """Equal records have groups at any p; with a curved block the coordinates are listed."""
        listed = {"moments"} if point["p"] <= DENSE_LIMIT else set()
        return frozenset(listed if self.share(point) else {"groups", *listed, *({"records"} if listed else ())})

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where no view is left."""
        domain, s, y = self.domain(point), self.share(point), self.label
        sizes = np.array([self.needles(point), *self.counts(point)])
        height = min(1.0, self.level + self.gap * noise_scale)
        entries = np.array([height, (1 - self.apart) * height if sizes[0] else height, self.level, 0.0])

        def groups() -> GroupsView:
            inner, there = np.concatenate([entries, -entries]), np.tile(sizes, 2) > 0
            inner, counts = inner[there], np.tile(sizes, 2)[there].astype(np.float64)
            return GroupsView(domain, VertexGroups(counts, np.outer(inner, inner), y * inner, y * y))

        def record() -> FloatArray:
            return np.repeat(entries, sizes)

        def moments() -> MomentsView:
            block = np.repeat([0.0, s, 0.0, 0.0], sizes)
            cross = (1 - s) * y * record() + self.fill / sizes[1] * block
            constant = (1 - s) * y * y + s * self.fill**2 / sizes[1]
            form = Moments(cross, constant, ridge=block, factor=math.sqrt(1 - s) * record()[None])
            return MomentsView(domain, form, known=self._minimiser(sizes, entries, s))

        def records() -> RecordsView:
            return RecordsView(domain, Records(record()[None], np.array([y]), np.array([domain.n])))

        return offered(domain, self.representations(point), groups=groups, moments=moments, records=records)

    def _minimiser(self, sizes: IntArray, entries: FloatArray, s: float) -> FloatArray:
        """A minimiser, shape (p,), of sizes and entries of needle, heads, rivals and the rest.

        The risk is convex, and heads, rivals and others may be permuted, so one of them is equal on each. Beside a
        total weight b of the heads the needle or the rivals, whichever have the larger entry M, bring <m, theta> to
        anything within M (1 - |b|) of (entry of the heads) b: the risk is one of b, in five quadratic pieces.
        """
        present = entries * (sizes > 0)
        carrier = int(np.argmax(np.abs(present * [1, 0, 1, 0])))
        most, head, level, ridge = float(abs(present[carrier])), float(entries[1]), 1 - s, s / int(sizes[1])
        places = [0.0, 1.0, -1.0, self.fill]
        for sign, end in itertools.product((1.0, -1.0), (most, -most)):  # the rest of the weight goes to this end
            slope = head - end * sign
            if bend := ridge + level * slope**2:
                places.append((level * slope * (self.label - end) + ridge * self.fill) / bend)
            if slope:  # where it just meets the label
                places.append((self.label - end) / slope)

        def rest(b: float) -> float:
            room = most * (1 - abs(b))
            return min(room, max(-room, self.label - head * b))

        def risk(b: float) -> float:
            return level * (head * b + rest(b) - self.label) ** 2 + ridge * (b * b - 2 * self.fill * b)

        best = min((min(1.0, max(-1.0, place)) for place in places), key=risk)
        totals = np.array([0.0, best, 0.0, 0.0])
        if most:
            totals[carrier] += rest(best) / present[carrier]
        return np.repeat(totals / np.maximum(sizes, 1), sizes)


@dataclass(frozen=True)
class ApartNeedleFamily(NeedleFamily):
    """The same family where a search moves ``apart`` too: needle, block and rivals may lie on coordinates apart."""


def known_apart() -> list[dict[str, float]]:
    """A needle beside a block, as searches found them where steps are few."""
    return [
        {"level": 0.0, "gap": 6.0, "heads": 0.95, "rivals": 0.5, "curved": 0.5, "fill": 0.5, "apart": 1.0},
        {"level": 0.0, "gap": 17.0, "heads": 0.83, "rivals": 0.0, "label": 0.95, "curved": 0.83, "fill": 0.45}
        | {"apart": 0.75},
    ]


def known_hard(point: Point, noise_scale: float) -> list[dict[str, float]]:
    """Parameters of `NeedleFamily` that proofs and searches have shown to be hard: where a search may begin.

    The centred and the tuned needle; all coordinates alike; blocks whose minimiser lies on many heads, where the
    records (m, y) pull with a slope of (1 - s)/2 to the face of the heads, and T steps leave s (4/(3 T) - 1/k) of the
    curved rest. Searches found blocks with as many heads as lie at the hardest gap all at once, and, for T far below p,
    blocks that are nearly all curved, with their minimiser inside.
    """
    p, none = point["p"], {"rivals": 0.0, "gap": 0.1}
    value = hardest_gap(1.0, 2 * p)
    tuned = max(-1.0, 0.5 - value * noise_scale)
    faces = [
        {"level": 0.5, "heads": heads, "curved": curved, "fill": 1.0} | none
        for heads, curved in ((0.8, 0.8), (0.95, 0.6))
    ]
    faces += [
        {"level": 0.0, "heads": heads, "label": 0.9, "curved": 0.95, "fill": 0.6} | none for heads in (0.85, 0.99)
    ]
    gaps = []
    for gap in (1.0, 2.0, 4.0) if noise_scale else ():
        heads = min(1.0, math.log(max(2.0, gap / (value * noise_scale))) / math.log(p))
        gaps.append({"level": -0.15, "heads": heads, "label": 0.6, "curved": 0.85, "fill": 0.7} | none)
    needles = [{"gap": hardest_gap(1.0, 2 * p - 1) / 2}, {"level": tuned, "gap": value}, {"level": 1.0}]
    return [*needles, *faces, *gaps]
