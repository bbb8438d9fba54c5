"""Algorithms 5 to 7 of Bassily, Smith and Thakurta (2014): the exponential mechanism by a walk on a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.algorithms.samplers.grid_walk import Grid, WalkLaw, walk
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import PureLoss
from dprepro.problems import Box, Domain, L2Ball, Problem, View
from dprepro.problems.problem_data import FloatArray

MOST_STEPS = 1e7
"""Of one walk, taken one by one."""

MOST_CELLS = 2000
"""Of a grid whose transition matrix is written out."""

GOLDEN = (math.sqrt(5) - 1) / 2
SEARCH = 18  # steps of golden section: the interval shrinks to 2e-4 of what it was, and the error by its square


@dataclass(frozen=True)
class WalkSchedule(Schedule):
    """Of one walk: ``noise_scale`` is the temperature of the mean risk, 1/(n kappa).

    Attributes:
        cells: cells of the grid along an edge of the cube.
        slope: eta = kappa n L, the Lipschitz constant of f.
        gauge: alpha.
        attempts: m of Algorithm 6.
        precision: the cube sampler's epsilon~, half of which is what the walk may be off.
        printed_steps: the steps that Lemmas 6.1 and 6.2 ask for, whatever is run.
        certified: whether the cells are as fine as printed.
    """

    cells: int = 1
    slope: float = 0.0
    gauge: float = 0.0
    attempts: int = 1
    precision: float = 0.0
    printed_steps: float = 0.0
    certified: bool = False


@dataclass(frozen=True)
class EfficientSampler(Algorithm):
    """Algorithm 7: theta from the set with density about exp(-kappa sum_i l(theta; d_i)), kappa = epsilon/(6 L C).

    Algorithm 7 asks Algorithm 6 for a sample within epsilon/3, in every ratio of densities, of the exponential
    mechanism at epsilon/3. That one repeats Algorithm 5 at a quarter of the precision until the set is hit, m times at
    most, with m = 4 eta C + p log2 C + log2(1/(1 - e^(-epsilon/12))), and then gives up and draws from the unit ball.
    Algorithm 5 extends f = kappa sum_i l to the smallest cube around the set, adds the gauge
    alpha (psi - 1)_+ with alpha = 3 e^(2 epsilon~) (eta C + p), and walks on a grid of cells of edge
    epsilon~/(2 (eta + alpha) sqrt p), with half the precision once more (Lemma 6.1); the cells are rounded to fill the
    cube, towards finer ones.

    The steps are those of Lemma 6.2 with the conductance phi of Lemma 6.1,
    1 + 4/phi^2 ln(2/(epsilon~ pi*)), phi = epsilon~/(8 eta tau p^1.5 e^(epsilon~/2)), and the printed least weight
    pi* >= e^(-eta tau) cells^-p.

    Attributes:
        walk: ``steps``: one by one, as many as `MOST_STEPS`. ``law``: the cell is drawn from the exact law of the walk
            after its steps, however many, on a grid of `MOST_CELLS`. ``automatic``: the law, where that can be.
        steps_per_square: if not 0, the walk takes that many times (cells per edge)^2 p steps in place of the printed.
        cells: if not 0, so many cells along an edge of the cube in place of the printed number.
        gauge_factor, scale_factor: multiply alpha and kappa; 1 is the paper's (others are negative controls).
        lazy: whether half of the steps stay (the others are a negative control).
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    measures: ClassVar[tuple[str, ...]] = ("attempts",)
    bound: ClassVar[str] = "bst_generic.theorem_3_4"
    proved_rate: ClassVar[str] = "bst.theorem_3_2_rate"

    walk: Literal["automatic", "steps", "law"] = "automatic"
    steps_per_square: float = 0.0
    cells: int = 0
    gauge_factor: float = 1.0
    scale_factor: float = 1.0
    lazy: bool = True

    def __post_init__(self) -> None:
        check_positive(self, "gauge_factor", "scale_factor")
        if not (self.cells >= 0 and 0 <= self.steps_per_square < math.inf):
            said = f"cells={self.cells}, steps_per_square={self.steps_per_square:g}"
            raise InputError(f"cells and steps_per_square must be at least 0, 0 for the printed numbers, got {said}")

    def premise(self, domain: Domain, budget: Budget) -> str:
        """A set in isotropic position, and a walk that can be run."""
        within = domain.constraint_set
        if type(within) not in (L2Ball, Box) or within.radius < 1:
            return f"needs an l2 ball or a box about zero that holds the unit ball, got {_said(domain)}"
        plan = self._plan(domain, budget)
        if self._by_law(plan, domain.p) or (self.walk != "law" and plan.steps <= MOST_STEPS):
            return ""
        size = f"{plan.steps:.3g} steps on {plan.cells:g}^{domain.p} cells"
        limits = f"{MOST_STEPS:g} steps or, by its law, {MOST_CELLS} cells"
        return f"takes {size} and can take {limits}; choices: smaller n and p, cells, steps_per_square"

    def kappa(self, domain: Domain, budget: Budget) -> float:
        """Inverse temperature of the sum of the losses."""
        return self.scale_factor * budget.epsilon / (6 * domain.lipschitz * domain.diameter)

    def schedule(self, domain: Domain, budget: Budget) -> WalkSchedule:
        self.admit(domain, budget)
        return self._plan(domain, budget)

    def _plan(self, domain: Domain, budget: Budget) -> WalkSchedule:
        p, kappa, diameter = domain.p, self.kappa(domain, budget), domain.diameter
        wanted = budget.epsilon / 3  # of Algorithm 6
        slope, edge = kappa * domain.n * domain.lipschitz, 2 * domain.constraint_set.norm_bound(math.inf)
        spare = math.log2(1 / -math.expm1(-wanted / 4))
        attempts = math.ceil(4 * slope * diameter + p * math.log2(diameter) + spare)
        gauge = self.gauge_factor * 3 * math.exp(2 * wanted / 4) * (slope * diameter + p)
        precision, steep = wanted / 8, slope + gauge  # a quarter for Algorithm 5, half of that for the cube
        fine = math.ceil(edge * 2 * steep * math.sqrt(p) / precision)
        cells = self.cells or fine
        conductance = precision / (8 * steep * edge * p**1.5 * math.exp(precision / 2))
        logarithm = math.log(2 / precision) + steep * edge + p * math.log(cells)
        printed = 1 + 4 / conductance**2 * logarithm
        steps = math.ceil(self.steps_per_square * cells**2 * p) if self.steps_per_square else math.ceil(printed)
        return WalkSchedule(
            steps, 1 / (domain.n * kappa), cells, slope, gauge, attempts, precision, printed, certified=cells >= fine
        )

    def _by_law(self, plan: WalkSchedule, p: int) -> bool:
        return self.walk != "steps" and p * math.log(plan.cells) <= math.log(MOST_CELLS)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Algorithm 6: until a draw lies in the set."""
        domain, within = problem.domain, problem.constraint_set
        schedule, certified = self.schedule(domain, budget), self.privacy_loss(domain, budget)
        for attempt in range(1, schedule.attempts + 1):
            theta = self._cube_sample(problem, schedule, rng)
            if within.contains(theta, 0.0):
                return Solution(theta, schedule, certified, {"attempts": attempt})
        direction = rng.standard_normal(domain.p)
        theta = rng.random() ** (1 / domain.p) / float(np.linalg.norm(direction)) * direction
        return Solution(theta, schedule, certified, {"attempts": schedule.attempts + 1})

    def _cube_sample(self, problem: Problem, schedule: WalkSchedule, rng: np.random.Generator) -> FloatArray:
        """Lemma 6.1: a uniform point of the cell in which the walk ends."""
        grid = grid_of(problem.domain, schedule)
        if self._by_law(schedule, grid.p):
            end = self.walk_law(problem, schedule).after(grid.number(grid.middle), schedule.steps)
            cell = np.unravel_index(int(rng.choice(end.size, p=end)), (grid.cells,) * grid.p)
            centre = grid.centre(tuple(int(index) for index in cell))
        else:
            log_weight = log_weight_of(problem, schedule)
            centre = grid.centre(walk(log_weight, grid, schedule.steps, self.lazy, rng))
        return np.asarray(centre + grid.edge * (rng.random(grid.p) - 0.5))

    def walk_law(self, problem: Problem, schedule: WalkSchedule) -> WalkLaw:
        """The law of the walk on these data; remembered while the problem lives."""
        known = _laws.setdefault(problem, {})
        key = (self, schedule)
        if key not in known:
            log_weight, grid = log_weight_of(problem, schedule), grid_of(problem.domain, schedule)
            logs = np.array([log_weight(centre) for centre in grid.centres()])
            known[key] = WalkLaw(logs.reshape((grid.cells,) * grid.p), self.lazy)
        return known[key]

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        """By Lemma 6.6, twice the distance beside the exponential mechanism's own; None where Lemma 6.5 says nothing.

        That mechanism spends scale_factor epsilon/3 under replacement, and less where a record is zeroed out.
        """
        schedule = self.schedule(domain, budget)
        long = schedule.steps >= schedule.printed_steps
        if not (long and schedule.certified and self.lazy and self.gauge_factor >= 1):
            return None
        return ((PureLoss((self.scale_factor + 2) * budget.epsilon / 3), 1),)


_laws: WeakKeyDictionary[Problem, dict[tuple[EfficientSampler, WalkSchedule], WalkLaw]] = WeakKeyDictionary()


def grid_of(domain: Domain, schedule: WalkSchedule) -> Grid:
    """The grid on the smallest cube around the set."""
    return Grid(domain.p, schedule.cells, domain.constraint_set.norm_bound(math.inf))


def log_weight_of(problem: Problem, schedule: WalkSchedule) -> Callable[[FloatArray], float]:
    """log F = -f_bar - alpha (psi - 1)_+, lines 2 to 4 of Algorithm 5."""
    within, risk, zero = problem.constraint_set, _view(problem).value, np.zeros(problem.domain.p)

    def log_weight(theta: FloatArray) -> float:
        size = float(np.linalg.norm(theta))
        if within.contains(theta, 0.0):
            return -risk(theta) / schedule.noise_scale
        psi = size / within.to_boundary(zero, theta / size)
        return -extension(problem, schedule, theta) - schedule.gauge * max(0.0, psi - 1)

    return log_weight


def extension(problem: Problem, schedule: WalkSchedule, theta: FloatArray) -> float:
    """f_bar(theta) = min over u in the set of f(u) + eta ||theta - u||, line 2 of Algorithm 5.

    ||v|| is the least of (||v||^2/r + r)/2 over r > 0, so f_bar is the least over r of a certified minimum with a
    quadratic term. It is convex in r, whose best value is a distance of theta from a point of the set.
    """
    view, temperature, eta = _view(problem), schedule.noise_scale, schedule.slope
    near = float(np.linalg.norm(theta - problem.constraint_set.project(theta)))
    if near == 0.0:
        return view.value(theta) / temperature

    def least(r: float) -> float:
        pull = eta * temperature / r
        u = np.asarray(view.minimise(-pull * theta, pull).theta)
        return view.value(u) / temperature + eta * (float(np.sum((theta - u) ** 2)) / r + r) / 2

    low, high = near, near + problem.domain.diameter
    inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    values = [least(value) for value in inner]
    for _ in range(SEARCH):
        left = values[0] <= values[1]
        low, high = (low, inner[1]) if left else (inner[0], high)
        kept, new = (0, high - GOLDEN * (high - low)) if left else (1, low + GOLDEN * (high - low))
        pairs = [(new, least(new)), (inner[kept], values[kept])]
        (inner[0], values[0]), (inner[1], values[1]) = pairs if left else pairs[::-1]
    return min(values)


def _view(problem: Problem) -> View:
    """The cheapest view with all coordinates."""
    return problem.moments if {"moments"} <= problem.representations - {"one_hot"} else problem.dense


def _said(domain: Domain) -> str:
    return f"{domain.constraint_set.title} of radius {domain.constraint_set.radius:g}"
