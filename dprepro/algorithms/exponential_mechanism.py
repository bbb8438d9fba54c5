"""Algorithm 2 of Bassily, Smith and Thakurta (2014): the exponential mechanism over a convex set."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import BoundedRange
from dprepro.privacy import spent
from dprepro.problems import BallRisk, L2Ball, LocalBall
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray
from dprepro.problems.problem import Problem
from dprepro.problems.sets import ConstraintSet

GRID = 4001  # points of the quadrature behind an inverse distribution function
TRIES = 100_000


@dataclass(frozen=True)
class ExponentialMechanism(Algorithm):
    """Samples theta from the set with density proportional to exp(-kappa sum_i l(theta; d_i)).

    Attributes:
        constants: ``printed`` kappa = epsilon/(2 L C). Replacing a record changes the exponent by a function whose
            range is at most 2 kappa L C, so this is the smallest scale under replacement and ``exact`` is the same;
            under addition or removal the range is kappa L C, and ``exact`` is epsilon/(L C), the scale of the
            paper's proof of Theorem 3.1.
        sampler: ``exact`` for linear losses over a ball around zero, where the risk depends on the distance from one
            point only, and in one dimension where it is piecewise linear; ``hit_and_run`` for all losses, in the limit
            of many steps.
        steps: hit-and-run steps of each chain, per dimension; half of them are thrown away.
        chains: independent chains, the first of which gives the answer; the others serve the diagnostics.
        scale_factor: multiplies kappa; 1 is the paper's (others are negative controls).
    """

    constants: Literal["printed", "exact"] = "printed"
    sampler: Literal["exact", "hit_and_run"] = "exact"
    steps: int = 200
    chains: int = 4
    scale_factor: float = 1.0

    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("records", "moments")

    def __post_init__(self) -> None:
        if self.steps < 4:
            raise InputError(f"steps must be at least 4, got steps={self.steps}")
        if self.chains < 1:
            raise InputError(f"chains must be at least 1, got chains={self.chains}")
        if not 0 < self.scale_factor < math.inf:
            raise InputError(f"scale_factor must be positive, got scale_factor={self.scale_factor:g}")

    def admit(self, constants: Constants, budget: Budget) -> None:
        """A finite epsilon and an l2 diameter are needed."""
        if not budget.is_private:
            raise InputError(f"ExponentialMechanism needs a finite epsilon, got epsilon={budget.epsilon:g}")
        if not constants.diameter > 0:
            raise InputError("ExponentialMechanism needs a set of known l2 diameter")

    def kappa(self, constants: Constants, budget: Budget) -> float:
        """Inverse temperature of the sum of the losses; raises InputError as `admit`."""
        self.admit(constants, budget)
        doubled = self.constants == "printed" or budget.neighbours is Neighbours.REPLACE_ONE
        scale = (2 if doubled else 1) * constants.lipschitz * constants.diameter
        return self.scale_factor * budget.epsilon / scale

    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """One draw; ``noise_scale`` is the temperature of the mean risk, 1/(n kappa)."""
        steps = 1 if self.sampler == "exact" else self.steps * int(constants.p)
        return Schedule(steps, 1 / (constants.n * self.kappa(constants, budget)))

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """One draw. Raises Incompatible where no exact sampler is known and one was asked for."""
        constants = problem.constants
        schedule = self.schedule(constants, budget)
        inverse_temperature = 1 / schedule.noise_scale
        diagnostics: dict[str, float] = {}
        if self.sampler == "hit_and_run":
            theta, diagnostics["r_hat"] = hit_and_run(
                lambda point: -inverse_temperature * problem.risk(point),
                problem.constraint_set,
                self.steps * problem.constraint_set.p,
                self.chains,
                rng,
            )
        else:
            theta = _exact(problem, inverse_temperature, rng)
        doubled = 2 if budget.neighbours is Neighbours.REPLACE_ONE else 1
        # adding a record moves the log-density by a function of range kappa L C before, and after, normalisation
        span = doubled * self.kappa(constants, budget) * constants.lipschitz * constants.diameter
        return Solution(theta, schedule, spent(BoundedRange(span), 1, budget.delta), diagnostics)


def _exact(problem: Problem, inverse_temperature: float, rng: np.random.Generator) -> FloatArray:
    if not isinstance(problem, BallRisk):
        raise Incompatible("sampler exact needs a BallRisk; choices: hit_and_run")
    loss, constraint_set = problem.loss, problem.constraint_set
    if loss.code == 0 and isinstance(constraint_set, L2Ball):
        return linear_on_ball(inverse_temperature * problem.mean_record, constraint_set.radius, rng)
    if loss.code == 1 or (loss.code in (2, 3) and len(problem.distinct) == 1):
        profile = {1: _half_square, 2: _distance, 3: _sharp}[loss.code]
        return radial_on_set(profile, problem.mean_record, inverse_temperature, constraint_set, rng)
    if loss.code in (4, 5) and constraint_set.p == 1 and isinstance(constraint_set, L2Ball):
        values = np.array([problem.risk(np.array([place])) for place in problem.kinks])
        return piecewise_linear(problem.kinks, inverse_temperature * values, rng)
    raise Incompatible(f"no exact sampler is known for this {loss.name} risk; choices: hit_and_run")


def _half_square(r: FloatArray) -> FloatArray:
    return np.asarray(0.5 * r**2)


def _distance(r: FloatArray) -> FloatArray:
    return r


def _sharp(r: FloatArray) -> FloatArray:
    return np.asarray(r + 0.5 * r**2)


def linear_on_ball(pull: FloatArray, radius: float, rng: np.random.Generator) -> FloatArray:
    """A draw from the ball ||theta|| <= radius with density proportional to exp(<pull, theta>), shape (p,).

    With a = ||pull|| radius, 1 - x for x = <theta, pull>/a has density t^q (2 - t)^q exp(-a t), q = (p - 1)/2: a Gamma
    law of shape (p + 1)/2 and rate a, accepted with probability (1 - t/2)^q. Where a < p + 1 that accepts too rarely,
    and the distribution function is inverted by quadrature. Across, theta is uniform in a ball of dimension p - 1.
    """
    p = pull.size
    norm = float(np.linalg.norm(pull))
    a, power = norm * radius, (p - 1) / 2
    if a > p + 1:
        for _ in range(TRIES):
            t = float(rng.standard_gamma(power + 1) / a)
            if t < 2 and rng.random() < (1 - t / 2) ** power:
                break
        else:
            raise InputError(f"the sampler accepted nothing in {TRIES} tries at a={a:g}, p={p}")
    else:
        angle = np.linspace(0.0, math.pi, GRID)[1:-1]  # t = 1 - cos(angle) has no singular density
        t = float(1 - math.cos(_invert(angle, -a * (1 - np.cos(angle)) + p * np.log(np.sin(angle)), rng)))
    axis = pull / norm if norm > 0 else np.eye(1, p)[0]
    if p == 1:
        return np.asarray(radius * (1 - t) * axis)
    across = rng.standard_normal(p)
    across -= (across @ axis) * axis
    length = math.sqrt(max(0.0, t * (2 - t))) * rng.random() ** (1 / (p - 1))
    return np.asarray(radius * ((1 - t) * axis + length * across / float(np.linalg.norm(across))))


def piecewise_linear(places: FloatArray, energy: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A draw, shape (1,), with density proportional to exp(-energy), linear between the ascending ``places``."""
    share = shares(places, energy)
    piece = int(rng.choice(share.size, p=share))
    # from the lower end on, a truncated exponential law of rate |slope|, by its inverse distribution function
    drop, width = float(energy[piece + 1] - energy[piece]), float(places[piece + 1] - places[piece])
    u = rng.random()
    size = abs(drop)
    part = -math.log1p(u * math.expm1(-size)) / size if size > 1e-12 else u
    return np.array([places[piece] + width * part if drop >= 0 else places[piece + 1] - width * part])


def shares(places: FloatArray, energy: FloatArray) -> FloatArray:
    """The probability of each piece under that density: width e^-least (1 - e^-size)/size, normalised."""
    size = np.abs(np.diff(energy))
    least = np.minimum(energy[1:], energy[:-1])
    mean = np.where(size > 1e-12, -np.expm1(-size) / np.maximum(size, 1e-12), 1.0)
    weight = np.exp(least.min() - least) * mean * np.diff(places)
    return np.asarray(weight / weight.sum())


def radial_on_set(
    profile: Callable[[FloatArray], FloatArray],
    centre: FloatArray,
    inverse_temperature: float,
    constraint_set: ConstraintSet,
    rng: np.random.Generator,
) -> FloatArray:
    """A draw from the set with density proportional to exp(-inverse_temperature profile(||theta - centre||)).

    In the whole space the distance r has density r^(p-1) exp(-inverse_temperature profile(r)), inverted by quadrature;
    draws outside the set are drawn again. Raises InputError where the set is hit too rarely.
    """
    p = centre.size
    reach = 2 * constraint_set.radius  # no point of the set is farther from a centre in the ball

    def exponent(r: FloatArray) -> FloatArray:
        return np.asarray((p - 1) * np.log(r) - inverse_temperature * profile(r))

    coarse = reach * np.exp(np.linspace(-60.0, 0.0, GRID))
    levels = exponent(coarse)
    held = coarse[levels > levels.max() - 60.0]
    grid = np.linspace(0.0 if p == 1 else held[0] / 1.02, min(reach, held[-1] * 1.02), GRID)
    grid[0] = max(grid[0], grid[1] * 1e-9)
    logs = exponent(grid)
    for _ in range(TRIES):
        r = _invert(grid, logs, rng)
        direction = rng.standard_normal(p)
        theta = np.asarray(centre + r * direction / float(np.linalg.norm(direction)))
        if constraint_set.contains(theta, 0.0):
            return theta
    raise InputError(f"the sampler hit the set never in {TRIES} tries; choices: hit_and_run")


def _invert(grid: FloatArray, logs: FloatArray, rng: np.random.Generator) -> float:
    """A draw whose log-density is known on a grid, up to a constant, by the trapezoidal rule."""
    weights = np.exp(logs - logs.max())
    steps = 0.5 * (weights[1:] + weights[:-1]) * np.diff(grid)
    below = np.concatenate([[0.0], np.cumsum(steps)])
    return float(np.interp(rng.random() * below[-1], below, grid))


def hit_and_run(
    log_density: Callable[[FloatArray], float],
    constraint_set: ConstraintSet,
    steps: int,
    chains: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, float]:
    """The last point of a hit-and-run walk, and the split R-hat of the log-density over several walks.

    A step draws a uniform direction, finds the chord of the set through the point, and moves on it by one
    slice step with shrinkage, which leaves the target invariant (Neal 2003). Walks start at uniform draws from the
    segment between the set's start and a random boundary point. R-hat near 1 says that the walks agree; it is a
    diagnostic, not a proof: the sampler is private only in the limit.
    """
    answer = constraint_set.start()
    traces = np.empty((chains, steps - steps // 2))
    diameter = constraint_set.diameter(2)
    for chain in range(chains):
        edge = constraint_set.minimise_linear(rng.standard_normal(constraint_set.p))
        theta = constraint_set.start() + rng.random() * (edge - constraint_set.start())
        height = log_density(theta)
        for step in range(steps):
            direction = rng.standard_normal(constraint_set.p)
            direction /= float(np.linalg.norm(direction))
            low = -_to_boundary(constraint_set, theta, -direction, diameter)
            high = _to_boundary(constraint_set, theta, direction, diameter)
            level = height - rng.standard_exponential()
            while True:
                offset = low + rng.random() * (high - low)
                moved = theta + offset * direction
                reached = log_density(moved)
                if reached >= level:
                    theta, height = moved, reached
                    break
                low, high = (offset, high) if offset < 0 else (low, offset)
                if high - low < 1e-14 * diameter:
                    break
            if step >= steps // 2:
                traces[chain, step - steps // 2] = height
        if chain == 0:
            answer = theta
    return answer, split_r_hat(traces)


def _to_boundary(constraint_set: ConstraintSet, theta: FloatArray, direction: FloatArray, diameter: float) -> float:
    """How far from theta, in the set, a ray of unit length stays in the set: exact for balls, else by bisection."""
    if isinstance(constraint_set, L2Ball | LocalBall):
        far = _chord(theta, direction, constraint_set.radius)
        if isinstance(constraint_set, LocalBall):
            far = min(far, _chord(theta - constraint_set.centre, direction, constraint_set.reach))
        return far
    inside, outside = 0.0, diameter * 1.0000001
    for _ in range(40):
        middle = 0.5 * (inside + outside)
        if constraint_set.contains(theta + middle * direction, 0.0):
            inside = middle
        else:
            outside = middle
    return inside


def _chord(offset: FloatArray, direction: FloatArray, radius: float) -> float:
    """The larger root s of ||offset + s direction|| = radius."""
    along = float(offset @ direction)
    return max(0.0, math.sqrt(max(0.0, along**2 + radius**2 - float(offset @ offset))) - along)


def split_r_hat(traces: FloatArray) -> float:
    """Gelman and Rubin's ratio over half chains (chains, steps): near 1 where they agree."""
    half = traces.shape[1] // 2
    parts = np.concatenate([traces[:, :half], traces[:, half : 2 * half]])
    within = float(np.mean(np.var(parts, axis=1, ddof=1)))
    between = float(np.var(np.mean(parts, axis=1), ddof=1))
    return math.sqrt((half - 1) / half + between / within) if within > 0 else 1.0
