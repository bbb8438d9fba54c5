"""Objective perturbation in one dimension: the answer is where the objective's slope, which rises, meets the noise."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from dprepro.algorithms import ObjectivePerturbation
from dprepro.algorithms.objective_perturbation import PerturbationSchedule
from dprepro.budget import Neighbours
from dprepro.errors import InputError
from dprepro.laws.base import Law, NeighbourLaws
from dprepro.laws.noise_law import LaplaceNoise, Noise, NormalNoise
from dprepro.problems import Domain, HuberLoss, L2Ball, MarginLoss, Problem
from dprepro.problems.problem_data import FloatArray

POINTS = 4_001
"""Places around a record; a quarter as many lie at equal steps of b."""
FAR = 80.0
"""Scales of b beyond which nothing is left."""
NEAR = (1e-2, 1e-4, 1e-6)
"""An atom at zero is looked for within r = NEAR/i of it, NEAR/`STEEPEST` in the limit. Any above 2e-6 shows."""
STEEPEST = 1e5

Data = tuple[FloatArray, FloatArray, FloatArray]
"""x, y and number of copies of the distinct records, shape (K,) each."""

SILENT: Data = (np.zeros(0), np.zeros(0), np.zeros(0))
"""Records that say nothing."""


@dataclass(frozen=True)
class PerturbationLaw(Law):
    """theta in an interval where psi(theta) = -b, psi = sum_i l'(theta; d_i) + Delta theta + r'(theta).

    psi rises, so P(theta <= t) = P(-b <= psi(t)); where it jumps, and at the ends of the interval, there are atoms.

    Attributes:
        centres: a record is tried at the places where b is that many times its scale. Privacy can fail where b is
            large: at the printed noise the loss exceeds epsilon only from about 5.5 scales on, and beyond 8 there is
            less than 1e-15 left.
        offsets: under replacement, the scales between the record and the one, of opposite sign, in its place.
    """

    centres: tuple[float, ...] = tuple(0.5 * k for k in range(17))
    offsets: tuple[float, ...] = (0.0, -0.1, 0.1, -0.2, 0.2, -0.5, 0.5)

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """The law of b over its scale."""

    @property
    @abstractmethod
    def turns(self) -> FloatArray:
        """The values of z - y at which phi'(z; y) turns, ascending."""

    @abstractmethod
    def slope(self, z: FloatArray, y: FloatArray) -> FloatArray:
        """phi'(z; y) of the loss in the objective."""

    @cached_property
    def schedule(self) -> PerturbationSchedule:
        """The algorithm's own."""
        schedule = self.algorithm.schedule(self.domain, self.budget)
        assert isinstance(schedule, PerturbationSchedule)
        return schedule

    @property
    def unit(self) -> float:
        """How far one scale of b moves the answer where the records say nothing; without Delta, to the set's end."""
        ridge = self.schedule.regulariser
        return self.schedule.coordinate_scale / ridge if ridge else self.domain.radius

    def regulariser_slope(self, places: FloatArray) -> FloatArray:
        """r', its right limit at zero, where alone it may jump."""
        return np.zeros_like(places)

    @property
    def bends(self) -> FloatArray:
        """Places where r' is neither constant nor jumps."""
        return np.zeros(0)

    def psi(self, data: Data, places: FloatArray) -> FloatArray:
        """The slope of the objective without b, over the scale of b; its right limit where it jumps."""
        x, y, copies = data
        records = self.slope(places[:, None] * x, y) @ (copies * x)
        total = records + self.schedule.regulariser * places + self.regulariser_slope(places)
        return np.asarray(total / self.schedule.coordinate_scale)

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        low, high = _ends(self.domain)
        inside = self.noise.below(self.psi(_data(problem), places))
        return np.where(places < low, 0.0, np.where(places >= high, 1.0, inside))

    def expected_risk(self, problem: Problem) -> float:
        """In closed form where the risk is piecewise affine and psi piecewise linear.

        E is the integral of -risk' P(theta <= t) left of the minimiser, and of risk' P(theta > t) right of it; over a
        piece on which both are linear P has the mean value of the noise's distribution function over psi's range.
        """
        kinks, data = problem.records.kinks, _data(problem)
        places = np.unique(np.concatenate([kinks, np.clip(self._turns(data), *_ends(self.domain))]))
        level = np.interp(places, kinks, [problem.excess_risk(kinks[k : k + 1]) for k in range(kinks.size)])
        rise, sign = np.abs(np.diff(level)), np.where(np.diff(level) > 0, -1.0, 1.0)
        # right of the minimiser P(theta > t) = P(b <= -psi(t)), the noise being symmetric
        psi = self.psi(data, places)
        start, end = sign * psi[:-1], sign * psi[1:]
        width = end - start
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (self.noise.integral(end) - self.noise.integral(start)) / width
        flat = np.abs(width) < 1e-6
        return float(rise @ np.where(flat, self.noise.below(0.5 * (start + end)), mean))

    def probabilities(self, data: Data, places: FloatArray) -> FloatArray:
        """Of the intervals between ascending places, each with its right end; the outermost take what is beyond."""
        limits = self.psi(data, places)
        limits[0], limits[-1] = -math.inf, math.inf
        return self.noise.masses(limits)

    def partition(self, *data: Data) -> FloatArray:
        """Places from one end of the set to the other: some at equal steps of b, most around the records."""
        low, high = _ends(self.domain)
        beside = np.array([low, high]) + 1e-9 * (high - low) * np.array([1, -1])  # the ends' atoms stand alone
        parts = [np.array([low, high]), beside, FAR * self.unit * np.linspace(-1, 1, POINTS // 4), self.bends]
        turns = np.concatenate([np.zeros(0), *map(self._turns, data)])
        if turns.size:
            spread = np.ptp(turns) or self.unit
            parts += [turns, turns - 1e-5 * spread, turns + 1e-5 * spread]
            parts += [np.linspace(turns.min() - spread, turns.max() + spread, POINTS)]
        places = np.unique(np.clip(np.concatenate(parts), low, high))
        least = 1e-10 * (high - low)  # probabilities of the intervals that rounding makes would be noise
        places = places[np.append(np.diff(places) > least, True)]
        beside_zero = np.array([np.nextafter(0.0, -1.0), 0.0])  # an atom there is an event of its own
        return np.concatenate([places[places < -least], beside_zero, places[places > least]])

    def _turns(self, data: Data) -> FloatArray:
        """The places at which the slope of a record turns, shape (turns of all records,)."""
        x, y = data[0][data[0] != 0, None], data[1][data[0] != 0, None]
        return np.ravel((y + self.turns) / x)

    def pairs(self) -> Iterator[NeighbourLaws]:
        """Records that say nothing beside one (X, c) more; under replacement also (X, c) beside (-X, -c')."""
        for centre in sorted({sign * value for value in self.centres for sign in (1, -1)}):
            record = self._record(1, centre)
            yield self._pair(SILENT, record)
            for offset in self.offsets if self.budget.neighbours is Neighbours.REPLACE_ONE else ():
                yield self._pair(self._record(-1, centre + offset), record)

    def _record(self, sign: int, centre: float) -> Data:
        x, most = sign * self.domain.feature_bound, self.domain.label_bound
        return np.array([x]), np.clip([x * centre * self.unit], -most, most), np.ones(1)

    def _pair(self, first: Data, second: Data) -> NeighbourLaws:
        places = self.partition(first, second)
        return NeighbourLaws(self.probabilities(first, places), self.probabilities(second, places), first is SILENT)


@dataclass(frozen=True)
class ObjectivePerturbationLaw(PerturbationLaw):
    """Algorithm 1 of Kifer, Smith and Thakurta, with r = w |theta| and its smooth approximations r_i if wanted.

    r_i is |theta| convolved with an infinitely differentiable kernel on [-1/i, 1/i] (Appendix C.2). In the limit psi
    jumps by 2w at zero, where the answer has an atom that it has for no r_i.

    Attributes:
        l1: w in units of the noise's scale, beside the domain's own.
        index: i; infinity for the limit.
    """

    l1: float = 0.0
    index: float = math.inf

    # Records (1, c) with the loss (theta - c)^2/2, continued with slope +-1: zeta = lambda = 1. (Its Hessian jumps; a
    # loss with a continuous one is as near as one likes, and so is its delta.) The interval holds every answer.
    plain: ClassVar[Domain] = Domain(HuberLoss(), L2Ball(1, 1e4), 1, label_bound=1e4)

    def __post_init__(self) -> None:
        if not (0 <= self.l1 < math.inf and self.index > 0):
            raise InputError(f"l1 must be at least 0 and index positive, got l1={self.l1:g}, index={self.index:g}")

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        flag = domain.p == 1 and isinstance(domain.loss, MarginLoss)
        return "" if flag else f"is known for margins in one dimension, not for {_said(domain)}"

    @property
    def noise(self) -> Noise:
        assert isinstance(self.algorithm, ObjectivePerturbation)
        return NormalNoise() if self.algorithm.noise == "gaussian" else LaplaceNoise()

    @property
    def turns(self) -> FloatArray:
        return np.array([-1.0, 1.0]) if isinstance(self.domain.loss, HuberLoss) else np.zeros(1)

    def slope(self, z: FloatArray, y: FloatArray) -> FloatArray:
        return self.domain.loss.derivative(z, y)

    @property
    def weight(self) -> float:
        """w."""
        return self.l1 * self.schedule.coordinate_scale + self.domain.l1_weight

    def regulariser_slope(self, places: FloatArray) -> FloatArray:
        if math.isinf(self.index):
            return self.weight * np.where(places < 0, -1.0, 1.0)
        u, share = _kernel_below()
        return self.weight * (2 * np.interp(self.index * places, u, share, left=0.0, right=1.0) - 1)

    @property
    def bends(self) -> FloatArray:
        return np.linspace(-1, 1, POINTS) / self.index if self.weight else np.zeros(0)

    @property
    def measures(self) -> tuple[str, ...]:
        if not self.l1:
            return ()
        limit = math.isinf(self.index)
        return ("limit_mass_near_zero", "limit_atom") if limit else ("mass_near_zero", "largest_gap")

    def report(self) -> Mapping[str, tuple[float, float]]:
        """What Theorem 1 is about, where l1 > 0: an atom in the limit that no r_i has.

        ``mass_near_zero`` is the probability of [-r, r] over 2r, the largest for r well below 1/i, with the largest
        density off zero as bound: with an atom it grows as r shrinks; ``limit_mass_near_zero`` is the same for the
        limit; ``limit_atom`` the atom's size, with P(|b| <= w) as bound; ``largest_gap`` the largest over b of
        |phi^i(b) - phi(b)|, with the bound 1/i: the two agree where |phi^i(b)| >= 1/i, since r_i = r there, and
        elsewhere phi(b) lies between zero and phi^i(b), as |r_i'| <= w.
        """
        if not self.l1:
            return {}
        radii = np.array(NEAR) / min(self.index, STEEPEST)
        mass = np.array([self.noise.masses(self.psi(SILENT, np.array([-r, r])))[0] for r in radii])
        near_zero = float((mass / (2 * radii)).max()), max(map(self._highest_density, radii))
        if math.isinf(self.index):
            inside = self.l1 + self.domain.l1_weight / self.schedule.coordinate_scale
            bound = 1 - 2 * float(self.noise.below(np.array(-inside)))
            return dict(zip(self.measures, (near_zero, (float(mass.min()), bound)), strict=True))
        return dict(zip(self.measures, (near_zero, (self.largest_gap(), 1 / self.index)), strict=True))

    def largest_gap(self) -> float:
        """sup |phi^i - phi| over b, without records; phi is soft thresholding, and outside the bends they are equal."""
        places, ridge = self.bends, self.schedule.regulariser
        pull = ridge * places + self.regulariser_slope(places)
        limit = np.copysign(np.maximum(np.abs(pull) - self.weight, 0.0), pull) / ridge
        return float(np.abs(places - limit).max())

    def _highest_density(self, radius: float) -> float:
        """The largest density outside [-radius, radius], without records."""
        bend = 1 / min(self.index, STEEPEST)
        places = np.append(np.linspace(radius, bend, POINTS), bend + np.geomspace(bend, FAR * self.unit, POINTS))
        return float((self.noise.masses(self.psi(SILENT, places)) / np.diff(places)).max())


@lru_cache(maxsize=1)
def _kernel_below(points: int = 20_001) -> tuple[FloatArray, FloatArray]:
    """The distribution function of the density proportional to exp(-1/(1 - u^2)) on [-1, 1]."""
    u = np.linspace(-1, 1, points)
    with np.errstate(divide="ignore"):
        kernel = np.exp(-1 / np.maximum(1 - u**2, 0.0))
    below = np.concatenate([[0.0], np.cumsum((kernel[1:] + kernel[:-1]) / 2)])
    return u, below / below[-1]


def _data(problem: Problem) -> Data:
    records = problem.records.records
    return records.features[:, 0], records.targets, records.copies


def _said(domain: Domain) -> str:
    return f"{type(domain.loss).__name__} at p={domain.p}"


def _ends(domain: Domain) -> tuple[float, float]:
    within = domain.constraint_set
    return -within.support(np.array([-1.0])), within.support(np.array([1.0]))
