"""Gaussian noise that a few numbers tell: Gaussian Frank-Wolfe and objective perturbation, free of n and p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, GaussianFrankWolfe, ObjectivePerturbation, Solution
from dprepro.algorithms.frank_wolfe import ConstantStep
from dprepro.budget import Budget
from dprepro.errors import DpreproError
from dprepro.mechanisms.noise_moments import NoiseMoments, least_normal, raw_moments
from dprepro.problems import Domain, GroupPoint, L1Ball, Problem, VertexGroups
from dprepro.problems.problem_data import FloatArray, IntArray
from dprepro.reductions.base import Reduction
from dprepro.reductions.frank_wolfe_reductions import lacks_compiled_step


@dataclass(frozen=True)
class GaussianGroups(Reduction):
    """Algorithm 3 over the l1 ball or a simplex whose coordinates fall into few interchangeable groups.

    Why it is exact: the minimiser of a linear function is the vertex of least noisy score, and the risk depends on the
    weights of groups only. Of a group with gradient g and K coordinates, the vertex +radius e_j has the noisy score
    radius (g + b_j), and -radius e_j its negative: the least ones are radius (g + min b) and -radius (g + max b). The
    pair (min b, max b) of K normals is drawn jointly by inverting the law of the largest and then that of the least of
    the others, which are independent below it. Which coordinate of a group it was is irrelevant to all that follows.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (GaussianFrankWolfe,)
    representations: ClassVar[tuple[str, ...]] = ("groups",)

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        return lacks_compiled_step(algorithm)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is a GroupPoint."""
        from dprepro.reductions.kernels import gaussian_kernels  # numba is imported only to run

        algorithm, domain, view = self.algorithm, problem.domain, problem.groups
        assert isinstance(algorithm, GaussianFrankWolfe)
        schedule = algorithm.schedule(domain, budget)
        groups, weights = view.groups, view.start.weights.copy()
        sizes, opposite = groups.sizes, np.full(groups.groups, -1)
        if isinstance(domain.constraint_set, L1Ball):
            sizes, opposite = signed_pairs(groups)
        squares = gaussian_kernels.on_groups(
            groups.gram, groups.cross, sizes, opposite, schedule.steps,
            schedule.noise_scale * domain.constraint_set.radius, isinstance(algorithm.step_size, ConstantStep),
            weights, rng,
        )  # fmt: skip
        radius, steps = domain.constraint_set.radius, schedule.steps - 1
        noise = sum(
            (_extremes(square / radius**2, size, steps) for square, size in zip(squares, sizes, strict=True)),
            NoiseMoments(),
        )
        return Solution(GroupPoint(weights), schedule, algorithm.privacy_loss(domain, budget), noise=noise)


def _extremes(square: float, size: float, steps: int) -> NoiseMoments:
    """What the least and the largest of ``size`` normals sum up to; at most four times the variance of one of them."""
    if not size:
        return NoiseMoments()
    second, fourth = raw_moments(least_normal, float(size))
    return NoiseMoments(float(square), 2 * second * steps, 4 * (fourth - second**2) * steps)


def signed_pairs(groups: VertexGroups) -> tuple[FloatArray, IntArray]:
    """For an l1 ball: the coordinates that each group stands for, and the group of their negatives.

    Of two groups with opposite scores the second stands for none, being listed with the first. All vertices without
    scores, as many +e_j as -e_j, count for the first group of them, which is its own opposite.

    Raises:
        DpreproError: a group whose negatives are not in the list.
    """
    sizes, opposite = groups.sizes.copy(), np.full(groups.groups, -1)
    scores = np.column_stack([groups.gram, groups.cross])
    for g in range(groups.groups):
        if opposite[g] >= 0:
            continue
        if not scores[g].any():
            same = np.flatnonzero(~scores.any(axis=1))
            sizes[same], opposite[same] = 0, g
            sizes[g] = groups.sizes[same].sum() / 2
            continue
        apart = np.abs(scores + scores[g]).max(axis=1) <= 1e-12 * np.abs(scores[g]).max()
        found = np.flatnonzero(apart & (groups.sizes == groups.sizes[g]) & (opposite < 0))
        if not found.size:
            raise DpreproError(f"group {g} of the vertices of an l1 ball must have one with the negative vertices")
        opposite[g], opposite[found[0]], sizes[found[0]] = found[0], g, 0
    return sizes, opposite


@dataclass(frozen=True)
class GaussianSubspace(Reduction):
    """Algorithm 3 over an l2 ball, on the coordinates along which there are data and the norm in all others.

    Why it is exact: in the other directions the risk is a multiple of ||theta||^2 and the noise is isotropic, so the
    law is invariant under their rotations: the gradient there points along theta's part, of the noise one coordinate
    does and the others enter by their length, a chi variable, fresh in every step.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (GaussianFrankWolfe,)
    representations: ClassVar[tuple[str, ...]] = ("plane",)
    version: ClassVar[int] = 2  # since the risk may be curved in the other directions

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        return lacks_compiled_step(algorithm)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is a PlanePoint."""
        from dprepro.reductions.kernels import gaussian_kernels

        algorithm, domain, view = self.algorithm, problem.domain, problem.plane
        assert isinstance(algorithm, GaussianFrankWolfe)
        schedule, moments = algorithm.schedule(domain, budget), view.moments
        theta = np.zeros(moments.p)
        square = gaussian_kernels.in_plane(
            2.0 * moments.ridges, 2.0 * moments.cross, float(moments.spare), domain.constraint_set.radius,
            schedule.steps, schedule.noise_scale, isinstance(algorithm.step_size, ConstantStep), theta, rng,
        )  # fmt: skip
        noise = NoiseMoments.normal(square, (schedule.steps - 1) * domain.p)
        return Solution(view.point(theta), schedule, algorithm.privacy_loss(domain, budget), noise=noise)


@dataclass(frozen=True)
class InvariantNoise(Reduction):
    """Objective perturbation on a quadratic that all rotations of a subspace leave alone, at a cost free of p.

    Why it is exact: let S be that subspace, of dimension m: the Hessian is a multiple of the identity on it, the data's
    linear term is orthogonal to it, and the set is an l2 ball. Both noises are rotation invariant, so the axes of S may
    be turned until b's part in S is along the first of them, whose length is then all that is left of m coordinates: a
    chi variable with m degrees of freedom times the scale for Gaussian noise. For the gamma density b is a uniform
    direction times a norm with the gamma law of shape p; a uniform direction is a normal vector divided by its length,
    and its part in S has the same chi law before the division. The minimiser lies in the plane of the data and
    that axis, and risks and distances are unchanged.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (ObjectivePerturbation,)
    representations: ClassVar[tuple[str, ...]] = ("plane",)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is a PlanePoint."""
        return self.solve_many(problem, budget, [rng])[0]

    def solve_many(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        """One answer for each stream, with one schedule."""
        algorithm, plane = self.algorithm, problem.plane
        assert isinstance(algorithm, ObjectivePerturbation)
        scale, moments = algorithm.schedule(problem.domain, budget).coordinate_scale, plane.moments
        noises = [algorithm.density.sample(moments.p, scale, rng, moments.spare) for rng in rngs]
        return algorithm.answers(plane, budget, noises)
