"""An algorithm of one's own: change what it does, and run it again; what was measured of another text is not reused."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dprepro.algorithms import Algorithm, Schedule, Solution
from dprepro.algorithms.base import Parts, gradient_sensitivity
from dprepro.budget import Budget
from dprepro.mechanisms import Gaussian, NoiseMoments
from dprepro.problems import Domain, Problem


@dataclass(frozen=True)  # its fields are parameters: algorithm.steps=20 on the command line, sweep.steps=[10,20,40]
class MyName(Algorithm):
    """Gradient descent with Gaussian noise on each gradient."""

    steps: int = 40

    def noise(self, domain: Domain, budget: Budget) -> Gaussian:
        """The noise of one step; the domain is what is public: loss, set, n, and the constants that follow."""
        per_unit = math.sqrt(8 * self.steps * math.log(1 / budget.delta)) / budget.epsilon
        return Gaussian(gradient_sensitivity(domain, budget.neighbours) * per_unit)

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        """Steps and noise, from public numbers only; hard constructions are tuned to this noise."""
        self.admit(domain, budget)
        return Schedule(self.steps, self.noise(domain, budget).scale)

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """What is used of the data, and how often; an accountant composes it. Without this nothing is promised."""
        sensitivity = gradient_sensitivity(domain, budget.neighbours)
        return ((self.noise(domain, budget).guarantee(sensitivity), self.steps),)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """The algorithm; all randomness comes from rng."""
        domain, constraint_set = problem.domain, problem.constraint_set
        noise, theta = self.noise(domain, budget), constraint_set.start()
        drawn = NoiseMoments()  # what was drawn, which is held against the schedule's noise
        for _ in range(self.steps):
            noisy, moments = noise.release(problem.gradient(theta), rng)
            theta, drawn = constraint_set.project(theta - noisy / domain.smoothness), drawn + moments
        return Solution(theta, self.schedule(domain, budget), self.privacy_loss(domain, budget), noise=drawn)
