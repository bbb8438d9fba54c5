"""Noisy gradient descent: in two dimensions where the risk has an axis, and compiled where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, JohnsonLindenstrauss, NoisyGD, NoisySGD, Solution
from dprepro.algorithms.noisy_sgd import FullGradient, SampledGradient
from dprepro.budget import Budget
from dprepro.mechanisms import NoiseMoments
from dprepro.problems import DistanceLoss, Domain, L2Ball, MarginLoss, Problem, derived_representations
from dprepro.problems.problem_data import FloatArray
from dprepro.reductions.base import Reduction
from dprepro.reductions.frank_wolfe_reductions import GRAM_COST, coefficients, costs_a_matrix

MANY_RECORDS = 1000
"""Distinct records from which on numpy's products over all of them take less time than a loop over each."""


@dataclass(frozen=True)
class AxisDescent(Reduction):
    """Algorithm 1 with the full gradient, where the risk is symmetric about an axis u: any p at the cost of p = 2.

    Why it is exact: projection and gradient move theta within the plane of theta and u only, and the isotropic noise
    splits into its parts along u, along the rest of theta, and across both, which are independent: two normals, and a
    squared norm with the chi-square law of p - 2 degrees of freedom. So (<theta, u>, ||theta_perp||) is a Markov chain
    by itself. Starting at zero, the direction of theta_perp is uniform given that chain, and is drawn at the end.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisySGD,)
    representations: ClassVar[tuple[str, ...]] = ("axis", "records")

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        assert isinstance(algorithm, NoisySGD)
        if not isinstance(algorithm.gradient, FullGradient):
            return f"serves gradient full, not {algorithm.gradient.name}: a single record need not lie on the axis"
        if not isinstance(domain.constraint_set, L2Ball):
            return f"needs an l2 ball, not {domain.constraint_set.title}"
        return _lacks_slope(domain)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        from dprepro.reductions.kernels import compiled, descent_kernels  # numba is imported only to run

        domain, axis = problem.domain, problem.records.axis
        assert isinstance(self.algorithm, NoisySGD)
        schedule = self.algorithm.schedule(domain, budget)
        along, aside, square = descent_kernels.about_axis(
            compiled.slope_of(domain.loss), isinstance(domain.loss, DistanceLoss), axis.places, axis.labels,
            axis.weights, domain.p, domain.constraint_set.radius, schedule.steps, schedule.step_size,
            schedule.decay, schedule.noise_scale, rng,
        )  # fmt: skip
        theta: FloatArray = along * axis.unit
        if domain.p > 1:
            direction = rng.standard_normal(domain.p)
            direction -= (direction @ axis.unit) * axis.unit
            theta = theta + aside * direction / float(np.linalg.norm(direction))
        noise = NoiseMoments.normal(square, (schedule.steps - 1) * domain.p)
        return Solution(theta, schedule, self.algorithm.privacy_loss(domain, budget), noise=noise)


@dataclass(frozen=True)
class CompiledDescent(Reduction):
    """Algorithm 1 of either paper in machine code, with sampled records or the full gradient, on records or moments.

    Why it is exact: it is the same loop, drawing the same numbers in the same order; results agree up to rounding. Of
    Algorithm 2 (Johnson-Lindenstrauss) it is the descent after the projection.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisyGD, NoisySGD, JohnsonLindenstrauss)

    @classmethod
    def obstacle(cls, algorithm: Algorithm, domain: Domain, representations: frozenset[str]) -> str:
        """Moments serve the full gradient; records need the loss's slope as a function that can be compiled."""
        if reason := super().obstacle(algorithm, domain, representations) or algorithm.needs(representations):
            return reason
        if isinstance(algorithm, NoisySGD) and not isinstance(algorithm.gradient, FullGradient | SampledGradient):
            return f"{cls.__name__} serves gradient full and sampled, not {type(algorithm.gradient).__name__}"
        sketched = isinstance(algorithm, JohnsonLindenstrauss)  # then there are records, and it is an l2 ball
        if not sketched and not type(domain.constraint_set).projection:
            return f"{cls.__name__} needs a set with a compiled projection, {domain.constraint_set.title} has none"
        if (
            _full(algorithm)
            and domain.loss.quadratic
            and (sketched or "moments" in derived_representations(domain, representations))
        ):
            return ""
        if not sketched and "records" not in representations:
            return f"{cls.__name__} needs records for such steps; this problem has {', '.join(sorted(representations))}"
        reason = _lacks_slope(domain)
        return f"{cls.__name__} {reason}" if reason else ""

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        algorithm, domain = self.algorithm, problem.domain
        if isinstance(algorithm, JohnsonLindenstrauss):
            sketched, phi = algorithm.project(problem, budget, rng)
            inner = CompiledDescent(algorithm.descent).solve(sketched, budget, rng)
            theta = algorithm.lift(domain, phi, inner.theta)
            return Solution(theta, algorithm.schedule(domain, budget), inner.privacy_loss, noise=inner.noise)
        from dprepro.reductions.kernels import compiled, descent_kernels  # numba is imported only to run

        assert isinstance(algorithm, NoisyGD | NoisySGD)
        schedule, ball = algorithm.schedule(domain, budget), domain.constraint_set
        theta = ball.start()
        project = compiled.projection_of(type(ball), ball.radius)
        plan = (schedule.steps, schedule.step_size, schedule.decay, schedule.noise_scale, schedule.averaged, rng)
        if _full(algorithm) and _moments_are_cheaper(problem, schedule.steps):
            gram, factor, ridge, cross = coefficients(problem.moments.moments)
            square = descent_kernels.on_moments(gram, factor, ridge, cross, project, ball.radius, theta, *plan)
        elif _full(algorithm) and _many(problem):
            theta, noise = schedule.run(problem.records.gradient, ball, rng)
            return Solution(theta, schedule, algorithm.privacy_loss(domain, budget), noise=noise)
        else:
            records = problem.records.records
            last = np.zeros(0) if _full(algorithm) else np.cumsum(records.copies)
            square = descent_kernels.on_records(
                compiled.slope_of(domain.loss), isinstance(domain.loss, DistanceLoss), records.features,
                records.targets, records.weights, last, project, ball.radius, theta, *plan,
            )  # fmt: skip
        noise = NoiseMoments.normal(square, (schedule.steps - 1) * domain.p)
        return Solution(theta, schedule, algorithm.privacy_loss(domain, budget), noise=noise)


def _full(algorithm: Algorithm) -> bool:
    return not (isinstance(algorithm, NoisySGD) and isinstance(algorithm.gradient, SampledGradient))


def _many(problem: Problem) -> bool:
    return isinstance(problem.domain.loss, MarginLoss) and len(problem.records.records.targets) >= MANY_RECORDS


def _lacks_slope(domain: Domain) -> str:
    loss = domain.loss
    return "" if type(loss).slope else f"needs a loss with a slope that can be compiled, {type(loss).__name__} has none"


def _moments_are_cheaper(problem: Problem, steps: int) -> bool:
    """Judged by sizes alone, so that equal seeds give equal bits whatever has been computed before."""
    if not problem.domain.loss.quadratic or "moments" not in problem.representations:
        return False
    if not costs_a_matrix(problem) or not type(problem.domain.loss).slope:
        return True
    records, p = problem.records.records.features.shape
    return bool(steps * p * p + 2 * records * p * p / GRAM_COST < 2 * steps * records * p)
