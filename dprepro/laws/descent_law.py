"""Noisy stochastic gradient descent in one dimension, by carrying the law of theta_t from step to step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import NoisySGD
from dprepro.algorithms.noisy_sgd import FullGradient, SampledGradient
from dprepro.laws.base import Law
from dprepro.problems import Domain, L2Ball, LinearLoss, Problem
from dprepro.problems.problem_data import FloatArray

CELLS = 401
"""Of the set, an odd number, since descent starts in the middle. The law is known at their borders, with an error of
second order in their width over a step's noise."""


@dataclass(frozen=True)
class DescentLaw(Law):
    """theta_T on an interval [-R, R]: cells of equal width, within which theta_t is put into the middle, and both ends.

    A step from theta adds -eta_t (g + b), g the gradient of a record drawn uniformly (or of the mean risk) and b
    normal, and projects: what lands outside is at an end.
    """

    plain: ClassVar[Domain] = Domain(LinearLoss(), L2Ball(1), 20)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        return "" if domain.p == 1 else f"is known in one dimension, not at p={domain.p}"

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        radius = problem.domain.radius
        borders = np.linspace(-radius, radius, CELLS + 1)
        mass = self._last(problem, borders)
        inside = np.interp(places, borders, np.cumsum(mass[:-1]))
        return np.where(places < -radius, 0.0, np.where(places >= radius, 1.0, inside))

    def _last(self, problem: Problem, borders: FloatArray) -> FloatArray:
        """Of the lower end, the cells and the upper end, shape (cells + 2,)."""
        from scipy.special import ndtr

        algorithm = self.algorithm
        assert isinstance(algorithm, NoisySGD)
        assert isinstance(algorithm.gradient, FullGradient | SampledGradient)
        schedule = algorithm.schedule(problem.domain, self.budget)
        radius = float(borders[-1])
        starts = np.concatenate([[-radius], (borders[1:] + borders[:-1]) / 2, [radius]])
        pulls, weights = self._gradients(problem, starts, isinstance(algorithm.gradient, FullGradient))
        mass = np.zeros(starts.size)
        mass[starts.size // 2] = 1.0
        kernel, known = np.empty(0), math.nan
        for t in range(1, schedule.steps):
            if (eta := schedule.step(t)) != known:
                kernel, known = np.zeros((starts.size, starts.size)), eta
                for weight, pull in zip(weights, pulls, strict=True):
                    means = starts - eta * pull
                    rank = ndtr((borders - means[:, None]) / (eta * schedule.noise_scale))
                    kernel += weight * np.diff(rank, axis=1, prepend=0.0, append=1.0)
            mass = mass @ kernel
        return np.asarray(mass)

    @staticmethod
    def _gradients(problem: Problem, places: FloatArray, full: bool) -> tuple[list[FloatArray], FloatArray]:
        """What a step may take for the gradient at the places, and how often."""
        view, points = problem.records, places[:, None]
        if full:
            return [np.array([float(problem.gradient(point)[0]) for point in points])], np.ones(1)
        count = view.records.weights.size
        each = [np.array([float(view.record_gradient(point, i)[0]) for point in points]) for i in range(count)]
        return each, view.records.weights
