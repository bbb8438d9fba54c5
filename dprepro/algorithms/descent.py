"""Noisy projected gradient descent: the loop that the Algorithms 1 of Bassily et al. and of Arora et al. share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dprepro.algorithms.base import Schedule, iterate
from dprepro.mechanisms import Gaussian, NoiseMoments
from dprepro.problems import ConstraintSet
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class Descent(Schedule):
    """theta_{t+1} = P(theta_t - eta_t (gradient + N(0, noise_scale^2 I))), t = 1..T-1, from the set's start.

    Attributes:
        step_size: eta_1.
        decay: 0, 1/2 or 1, with eta_t = eta_1/t^decay.
        averaged: whether the answer is the mean of theta_1, ..., theta_T, or theta_T.
    """

    step_size: float = 0.0
    decay: float = 0.0
    averaged: bool = False

    def step(self, t: int) -> float:
        """eta_t, t = 1, 2, ..."""
        return self.step_size / float(t**self.decay)

    def run(
        self, gradient: Callable[[FloatArray], FloatArray], constraint_set: ConstraintSet, rng: np.random.Generator
    ) -> tuple[FloatArray, NoiseMoments]:
        """The answer, shape (p,), and the moments of the noise."""
        mechanism = Gaussian(self.noise_scale)

        def step(t: int, theta: FloatArray) -> tuple[FloatArray, NoiseMoments]:
            noisy, noise = mechanism.release(gradient(theta), rng)
            return constraint_set.project(theta - self.step(t) * noisy), noise

        return iterate(step, constraint_set.start(), self.steps, self.averaged)
