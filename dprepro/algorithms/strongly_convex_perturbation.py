"""Equation (14) of Bassily, Smith and Thakurta (2014) without its regulariser: Theorem E.2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution
from dprepro.algorithms.premises import Assumption, Settings, check_positive
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import Gaussian, L2Laplace, vector_noise
from dprepro.privacy import noise_for
from dprepro.problems import Domain, Problem


@dataclass(frozen=True)
class StronglyConvexPerturbation(Algorithm):
    """theta^priv = argmin over the set of L(theta) + b.theta/n, for losses that are smooth and strongly convex.

    Attributes:
        noise: ``gamma``, density proportional to exp(-epsilon ||b|| / (2 L)); or ``gaussian``,
            N(0, 8 L^2 ln(1/delta)/epsilon^2).
        constants: ``printed``, or ``exact``: the smallest noise that is certified.
        noise_factor: multiplies the noise; 1 is the paper's (others are negative controls).

    The paper's proof, by Kifer, Smith and Thakurta, is for Hessians of rank one, which no strongly convex loss has for
    p > 1. Here all records share the Hessian, so that a replacement moves the slope of the sum by a vector that does
    not depend on theta, of norm at most 2 max ||x||, and leaves the determinant alone: the answer is a function of
    that vector plus b. (A record that is zeroed out takes its curvature with it.)
    """

    assumptions: ClassVar[tuple[Assumption, ...]] = (
        Assumption.STRONGLY_CONVEX,
        Assumption.SHARED_HESSIAN,
        Assumption.PRIVATE,
    )
    by_setting: ClassVar[Settings] = {"noise": {"gamma": (), "gaussian": (Assumption.DELTA,)}}
    relations: ClassVar[tuple[Neighbours, ...]] = (Neighbours.REPLACE_ONE,)
    measures: ClassVar[tuple[str, ...]] = ("noise_norm",)

    noise: Literal["gamma", "gaussian"] = "gamma"
    constants: Literal["printed", "exact"] = "printed"
    noise_factor: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "noise_factor")

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        """``noise_scale`` is that of b: the scale of the gamma law of ||b||, or the standard deviation."""
        self.admit(domain, budget)
        if self.constants == "exact":
            scale = noise_for(lambda value: self._noise(value).guarantee(self._sensitivity(domain)), 1, budget)
        else:
            root = 1.0 if self.noise == "gamma" else math.sqrt(2 * math.log(1 / budget.delta))
            scale = 2 * domain.lipschitz * root / budget.epsilon
        return Schedule(1, self.noise_factor * scale)

    def _noise(self, scale: float) -> Gaussian | L2Laplace:
        return vector_noise("laplace" if self.noise == "gamma" else "gaussian", scale)

    def _sensitivity(self, domain: Domain) -> float:
        assert domain.loss.quadratic is not None
        return 2 * (2 * domain.loss.quadratic[0]) * domain.feature_length

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        schedule = self.schedule(problem.domain, budget)
        mechanism = self._noise(schedule.noise_scale)
        b, noise = mechanism.release(np.zeros(problem.domain.p), rng)
        theta = problem.dense.minimise(b / problem.domain.n).theta
        return Solution(theta, schedule, self.privacy_loss(problem.domain, budget), {"noise_norm": noise.norm}, noise)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        mechanism = self._noise(self.schedule(domain, budget).noise_scale)
        return ((mechanism.guarantee(self._sensitivity(domain)), 1),)
