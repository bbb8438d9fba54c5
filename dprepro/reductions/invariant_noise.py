"""Objective perturbation in the few coordinates along the data, with the rest of the noise as one norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, ObjectivePerturbation, Solution
from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.problems.problem import Problem
from dprepro.problems.quadratic import quadratic
from dprepro.reductions.base import Reduction


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

    needs: ClassVar[tuple[str, ...]] = ("subspace",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (ObjectivePerturbation,)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta lists the problem's own coordinates."""
        algorithm = self.algorithm
        if not isinstance(algorithm, ObjectivePerturbation):
            raise Incompatible(f"InvariantNoise serves ObjectivePerturbation, not {type(algorithm).__name__}")
        scale = algorithm.schedule(problem.constants, budget).coordinate_scale
        b = algorithm.draw(problem.constraint_set.p, scale, rng, quadratic(problem).spare)
        return algorithm.answer(problem, budget, b)
