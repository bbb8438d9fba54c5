"""The grid walk of Bassily, Smith and Thakurta, exactly: where it ends, how often in the set, and what that reveals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from dprepro.algorithms import EfficientSampler
from dprepro.algorithms.efficient_sampler import WalkSchedule, grid_of
from dprepro.algorithms.samplers.grid_walk import Grid, WalkLaw
from dprepro.laws.base import Law, NeighbourLaws
from dprepro.problems import Domain, L2Ball, LinearLoss, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray

FINE = (9, 9, 5)  # points of a cell along an edge, by which what lies in the set is counted: p = 1, 2, more


@dataclass(frozen=True)
class Walked:
    """The walk on one data set: its law, and the shares of the cells that lie in the set, shape (size,)."""

    law: WalkLaw
    end: FloatArray
    inside: FloatArray

    @property
    def acceptance(self) -> float:
        """The probability that a walk ends in the set."""
        return float(self.end @ self.inside)


@dataclass(frozen=True)
class SamplerLaw(Law):
    """Of Algorithm 7 on linear losses with k records c and n - k records -c, c = (1, ..., 1)/sqrt p.

    Replacing c by -c moves the exponent most of all replacements, so the pairs are k and k + 1 for all k. Within a cell
    the density of the answer is constant: events are the cells' parts in the set.
    """

    plain: ClassVar[Domain] = Domain(LinearLoss(), L2Ball(1), 1)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        flag = isinstance(domain.loss, LinearLoss)
        return "" if flag else f"is known for linear losses, not for {type(domain.loss).__name__}"

    @classmethod
    def domain_at(cls, point: Mapping[str, float]) -> Domain:
        return replace(cls.plain, n=point["n"], constraint_set=L2Ball(int(point["p"])))

    @cached_property
    def schedule(self) -> WalkSchedule:
        """The algorithm's own."""
        assert isinstance(self.algorithm, EfficientSampler)
        return self.algorithm.schedule(self.domain, self.budget)

    @property
    def grid(self) -> Grid:
        """The cells."""
        return grid_of(self.domain, self.schedule)

    @property
    def fine(self) -> int:
        """Points of a cell along an edge."""
        return FINE[min(self.domain.p, len(FINE)) - 1]

    @cached_property
    def data(self) -> list[Problem]:
        """With k = 0..n records c, the others -c."""
        n, c, found = int(self.domain.n), np.full(self.domain.p, 1 / math.sqrt(self.domain.p)), []
        for k in range(n + 1):
            counts = np.array([k, n - k], dtype=np.float64)
            records = Records(np.array([c, -c])[counts > 0], counts=counts[counts > 0])
            found.append(Problem(self.domain, {"records": RecordsView(self.domain, records)}))
        return found

    def walked(self, problem: Problem) -> Walked:
        """The walk on these data after the algorithm's steps."""
        assert isinstance(self.algorithm, EfficientSampler)
        law = self.algorithm.walk_law(problem, self.schedule)
        return Walked(law, law.after(self.grid.number(self.grid.middle), self.schedule.steps), self.shares)

    @cached_property
    def parts(self) -> tuple[FloatArray, FloatArray]:
        """The share of each cell that lies in the set, and the mean point of that part: shapes (size,), (size, p)."""
        centres, total, sums = self.grid.centres(), np.zeros(self.grid.size), np.zeros((self.grid.size, self.grid.p))
        places = _lattice((np.arange(self.fine) + 0.5) / self.fine - 0.5, self.grid)
        for place in places:
            points = centres + place
            inside = np.linalg.norm(points, axis=1) <= self.domain.constraint_set.radius
            total += inside
            sums += inside[:, None] * points
        return total / len(places), sums / np.maximum(total, 1.0)[:, None]

    @property
    def shares(self) -> FloatArray:
        """The first of the `parts`."""
        shares, _ = self.parts
        return shares

    def density(self, walked: Walked) -> FloatArray:
        """The density of Algorithm 6's answer in the part of each cell that lies in the set, over a cell's volume.

        After m misses it is uniform on the unit ball, which is the set.
        """
        missed = (1 - walked.acceptance) ** self.schedule.attempts
        uniform = 1 / float(self.shares.sum())
        return np.asarray((1 - missed) * walked.end / walked.acceptance + missed * uniform)

    @cached_property
    def _answers(self) -> list[FloatArray]:
        """The densities on the `data`."""
        return [self.density(self.walked(problem)) for problem in self.data]

    def pairs(self) -> Iterator[NeighbourLaws]:
        seen = self.shares > 0
        for answer, other in zip(self._answers[:-1], self._answers[1:], strict=True):
            yield NeighbourLaws((answer * self.shares)[seen], (other * self.shares)[seen], False)

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        mass = self.density(self.walked(problem)) * self.shares
        ends = self.grid.centres()[:, 0] + self.grid.edge / 2
        return np.asarray(np.interp(places, np.append(-self.grid.half_edge, ends), np.append(0.0, np.cumsum(mass))))

    def expected_risk(self, problem: Problem) -> float:
        """By the mean points of the cells' parts in the set, the losses being linear."""
        zero = np.zeros(self.grid.p)
        mean = self.density(self.walked(problem)) * self.shares @ self.parts[1]
        return problem.excess_risk(zero) + float(problem.gradient(zero) @ mean)

    @property
    def measures(self) -> tuple[str, ...]:
        return ("walk_distance", "distance", "acceptance", "mixing_steps", "excess_risk")

    def report(self) -> Mapping[str, tuple[float, float]]:
        """Of the worst of the data sets, with what is claimed as bound.

        ``walk_distance``: Dist_inf of the walk's end from its limit, half the cube's precision (Lemma 6.1);
        ``distance``: of the answer's density from the exponential mechanism's, epsilon/3 (Lemma 6.5); ``acceptance``:
        at least 1/2 (Lemma 6.4); ``mixing_steps``: steps after which a walk from anywhere is as near as that, the
        printed number (Lemma 6.2); ``excess_risk``: the mean risk (Theorem 3.4).
        """
        plan, found = self.schedule, dict.fromkeys(self.measures, 0.0)
        found["acceptance"] = math.inf
        for problem in self.data:
            walked = self.walked(problem)
            far = _distance(walked.end, walked.law.stationary)
            entry = {
                "walk_distance": far,
                "distance": self._distance_from_target(problem, walked),
                "mixing_steps": walked.law.mixing(plan.precision / 2),
                "excess_risk": self.expected_risk(problem),
            }
            found |= {name: max(found[name], value) for name, value in entry.items()}
            found["acceptance"] = min(found["acceptance"], walked.acceptance)
        wanted = self.budget.epsilon / 3
        loss = self.domain.p * plan.noise_scale
        bounds = (plan.precision / 2, wanted, 0.5, plan.printed_steps, loss * math.exp(wanted))
        return {name: (found[name], bound) for name, bound in zip(self.measures, bounds, strict=True)}

    def _distance_from_target(self, problem: Problem, walked: Walked) -> float:
        """Dist_inf over the cells' parts in the set, looked at on a lattice of each cell with its corners."""
        grid, pull = self.grid, -problem.gradient(np.zeros(self.grid.p)) / self.schedule.noise_scale
        ends = np.ones(self.fine)
        ends[[0, -1]] = 0.5  # the trapezoidal rule
        rule = np.stack(np.meshgrid(*[ends] * grid.p, indexing="ij"), -1).reshape(-1, grid.p).prod(axis=1)
        logs = []
        for place in _lattice(np.linspace(-0.5, 0.5, self.fine), grid):
            points = grid.centres() + place
            inside = np.linalg.norm(points, axis=1) <= self.domain.constraint_set.radius * (1 + 1e-12)
            logs.append(np.where(inside, points @ pull, -math.inf))
        total = float(rule @ np.exp(logs).sum(axis=1)) / (self.fine - 1) ** grid.p
        far = np.abs(np.array(logs) - math.log(total) - np.log(np.maximum(self.density(walked), 1e-300)))
        return float(far[np.isfinite(far)].max())


def _lattice(offsets: FloatArray, grid: Grid) -> FloatArray:
    """All points with such coordinates, in edges of a cell, shape (offsets^p, p)."""
    return grid.edge * np.stack(np.meshgrid(*[offsets] * grid.p, indexing="ij"), -1).reshape(-1, grid.p)


def _distance(array: FloatArray, other: FloatArray) -> float:
    """sup |ln P/Q|; infinite where one is zero."""
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(array) - np.log(other)).max())
