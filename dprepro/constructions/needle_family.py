"""Data sets for the LASSO with parameters to search over: needles among rivals, and blocks that are curved."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from dprepro.constructions.base import LISTED_LIMIT, Construction, Point, offered, unit_lasso
from dprepro.constructions.needles import hardest_gap
from dprepro.problems import Domain, Moments, Problem, Records, VertexGroups
from dprepro.problems.data import FloatArray, IntArray
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

    Attributes:
        level: in [-1, 1]. gap: in noise scales of the algorithm, at least 0.
        heads, rivals: log k/log p and log r/log(p - k), both in [0, 1]; at least one of each where there is room.
        label: y in [0, 1].
        curved: s in [0, 1], rounded down to a whole number of copies of the code (none where n is too small).
        fill: h in [0, 1].
    """

    level: float = 0.0
    gap: float = 3.0
    heads: float = 0.0
    rivals: float = 1.0
    label: float = 1.0
    curved: float = 0.0
    fill: float = 1.0

    def __post_init__(self) -> None:
        self._demand("level", -1 <= self.level <= 1, "in [-1, 1]")
        self._demand("gap", 0 <= self.gap < math.inf, "at least 0 and finite")
        for name in ("heads", "rivals", "label", "curved", "fill"):
            self._demand(name, 0 <= getattr(self, name) <= 1, "in [0, 1]")

    def domain(self, point: Point) -> Domain:
        return unit_lasso(point)

    def counts(self, point: Point) -> tuple[int, int, int]:
        """Heads, rivals and the rest."""
        p = int(point["p"])
        heads = round(p**self.heads)
        rivals = round((p - heads) ** self.rivals) if p > heads else 0
        return heads, rivals, p - heads - rivals

    def share(self, point: Point) -> float:
        """s as it is: a whole number of copies of the code."""
        code = 2 ** math.ceil(math.log2(self.counts(point)[0] + 1))
        copies = math.floor(self.curved * point["n"] / code)
        return float(min(1.0, copies * code / point["n"]))

    def views(self, point: Point) -> frozenset[str]:
        """Equal records have groups at any p; with a curved block the coordinates are listed."""
        listed = {"moments"} if point["p"] <= LISTED_LIMIT else set()
        return frozenset(listed if self.share(point) else {"groups", *listed, *({"records"} if listed else ())})

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where no view is left."""
        domain, sizes, s = self.domain(point), np.array(self.counts(point)), self.share(point)
        height = min(1.0, self.level + self.gap * noise_scale)
        entries, y = np.array([height, self.level, 0.0]), self.label

        def groups() -> GroupsView:
            inner, there = np.concatenate([entries, -entries]), np.tile(sizes, 2) > 0
            inner, counts = inner[there], np.tile(sizes, 2)[there].astype(np.float64)
            return GroupsView(domain, VertexGroups(counts, np.outer(inner, inner), y * inner, y * y))

        def record() -> FloatArray:
            return np.repeat(entries, sizes)

        def moments() -> MomentsView:
            block = np.repeat([s, 0.0, 0.0], sizes)
            cross = (1 - s) * y * record() + self.fill / sizes[0] * block
            constant = (1 - s) * y * y + s * self.fill**2 / sizes[0]
            form = Moments(cross, constant, ridge=block, factor=math.sqrt(1 - s) * record()[None])
            return MomentsView(domain, form, known=self._minimiser(sizes, entries, s))

        def records() -> RecordsView:
            return RecordsView(domain, Records(record()[None], np.array([y]), np.array([domain.n])))

        return offered(domain, self.views(point), groups=groups, moments=moments, records=records)

    def _minimiser(self, sizes: IntArray, entries: FloatArray, s: float) -> FloatArray:
        """A minimiser, shape (p,).

        The risk is convex and heads, rivals and others may be permuted, so one of them is equal on each: in the total
        weights of heads and rivals that is a programme in two dimensions.
        """
        k, (head, rival, _) = sizes[0], entries * (sizes > 0)
        level, ridge = 1 - s, s / k
        if ridge and rival:  # where the gradient is zero
            inside = self.fill, (self.label - head * self.fill) / rival
            if abs(inside[0]) + abs(inside[1]) <= 1:
                return self._spread(inside, sizes)
        found = []
        for sign, other in itertools.product((1.0, -1.0), repeat=2):  # on an edge, t in heads and 1 - t in rivals
            end, slope = other * rival, sign * head - other * rival
            bend = ridge + level * slope**2
            pull = level * slope * (self.label - end) + ridge * self.fill * sign
            t = min(1.0, max(0.0, pull / bend)) if bend else 0.0
            risk = bend * t**2 - 2 * pull * t + level * (end**2 - 2 * self.label * end)
            found.append((risk, sign * t, other * (1 - t)))
        _, heads, rivals = min(found)
        return self._spread((heads, rivals), sizes)

    @staticmethod
    def _spread(totals: tuple[float, float], sizes: IntArray) -> FloatArray:
        return np.repeat([*totals, 0.0] / np.maximum(sizes, 1), sizes)


def known_hard(point: Point, noise_scale: float) -> list[dict[str, float]]:
    """Parameters of `NeedleFamily` that proofs and searches have shown to be hard: where a search may begin.

    The centred and the tuned needle; all coordinates alike; blocks whose minimiser lies on many heads, where the
    records (m, y) pull with a slope of (1 - s)/2 to the face of the heads, and T steps leave s (4/(3 T) - 1/k) of the
    curved rest. Searches found blocks with as many heads as lie at the hardest gap all at once, and, for T far below p,
    blocks that are nearly all curved, with their minimiser inside.
    """
    p, none = point["p"], {"rivals": 0.0, "gap": 0.1}
    one = hardest_gap(1.0, 2 * p)
    tuned = max(-1.0, 0.5 - one * noise_scale)
    faces = [
        {"level": 0.5, "heads": heads, "curved": curved, "fill": 1.0} | none
        for heads, curved in ((0.8, 0.8), (0.95, 0.6))
    ]
    faces += [
        {"level": 0.0, "heads": heads, "label": 0.9, "curved": 0.95, "fill": 0.6} | none for heads in (0.85, 0.99)
    ]
    gaps = []
    for gap in (1.0, 2.0, 4.0) if noise_scale else ():
        heads = min(1.0, math.log(max(2.0, gap / (one * noise_scale))) / math.log(p))
        gaps.append({"level": -0.15, "heads": heads, "label": 0.6, "curved": 0.85, "fill": 0.7} | none)
    return [{"gap": hardest_gap(1.0, 2 * p - 1) / 2}, {"level": tuned, "gap": one}, {"level": 1.0}, *faces, *gaps]
