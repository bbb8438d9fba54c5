"""Localisation in one dimension: the exponential mechanism on a ball about a noisy minimiser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import ExponentialMechanism, Localization
from dprepro.algorithms.localization import half_of
from dprepro.errors import Incompatible
from dprepro.laws.base import Law
from dprepro.laws.release_law import ReleaseLaw
from dprepro.problems import Domain, HalfSquaredDistance, L2Ball, Problem
from dprepro.problems.problem_data import FloatArray

CELLS = 4_001
"""Of the set, in which the density is taken as constant and theta_0 as the middle."""


@dataclass(frozen=True)
class LocalizationLaw(Law):
    """The density exp(-excess risk/noise_scale) on the part of the set within ``reach`` of theta_0, over theta_0's law.

    The cell j has w_j sum_i P(theta_0 in i)/Z_i over the cells i within reach of it, Z_i the weight within reach of i.
    """

    plain: ClassVar[Domain] = Domain(HalfSquaredDistance(), L2Ball(1, 0.1), 20)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        return "" if domain.p == 1 else f"is known in one dimension, not at p={domain.p}"

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        algorithm, domain = self.algorithm, problem.domain
        assert isinstance(algorithm, Localization)
        if not isinstance(algorithm.inner, ExponentialMechanism):
            raise Incompatible("the output distribution of localisation is known around the exponential mechanism")
        half, borders = half_of(self.budget), np.linspace(-domain.radius, domain.radius, CELLS + 1)
        middles = (borders[1:] + borders[:-1]) / 2
        outer = ReleaseLaw(algorithm.outer, domain, half).below(problem, borders)
        outer[0] = 0.0  # what is projected to the lower end is in the first cell
        risk = np.array([problem.dense.value(middles[i : i + 1]) for i in range(CELLS)])
        weights = np.exp((risk.min() - risk) / algorithm.schedule(domain, self.budget).noise_scale)
        reach = algorithm.reach_factor * algorithm.outer.reach(domain, half)
        first, end = np.searchsorted(middles, middles - reach), np.searchsorted(middles, middles + reach, "right")

        def within(values: FloatArray) -> FloatArray:
            """Their sums over the cells within reach of each cell, added up from the side on which they are small."""
            up, down = (np.concatenate([[0.0], np.cumsum(vector)]) for vector in (values, values[::-1]))
            from_above = down[CELLS - first] - down[CELLS - end]
            return np.asarray(np.where(up[end] < up[-1] / 2, up[end] - up[first], from_above))

        mass = weights * within(np.diff(outer) / within(weights))
        return np.asarray(np.interp(places, borders, np.concatenate([[0.0], np.cumsum(mass)])))
