"""The better of two runs of the exponential mechanism in one dimension, chosen privately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dprepro.algorithms import ExponentialMechanism, HighProbability
from dprepro.errors import Incompatible
from dprepro.laws.exponential_law import ExponentialLaw
from dprepro.problems import Problem
from dprepro.problems.problem_data import FloatArray

CELLS = 1600
"""Of the set; within one the risk is taken to be that of its middle."""


@dataclass(frozen=True)
class HighProbabilityLaw(ExponentialLaw):
    """Of two runs of density f one is published: 2 f(x) E 1/(1 + exp((risk(x) - risk(Y))/scale)), Y of density f."""

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        algorithm = self.algorithm
        assert isinstance(algorithm, HighProbability)
        schedule = algorithm.schedule(problem.domain, self.budget)
        if schedule.runs > 2 or schedule.blind or not isinstance(algorithm.inner, ExponentialMechanism):
            raise Incompatible("the output distribution of repeated runs is known for two of the exponential mechanism")
        borders = np.linspace(-problem.domain.radius, problem.domain.radius, CELLS + 1)
        mass = np.diff(super().below(problem, borders))  # of one run, whose noise_scale the schedule says
        if schedule.runs == 2:
            middles = (borders[1:] + borders[:-1]) / 2
            risk = np.array([problem.dense.value(middles[i : i + 1]) for i in range(CELLS)])
            mass *= 2 * (mass / (1 + np.exp((risk[:, None] - risk) / schedule.selection_scale))).sum(axis=1)
        return np.asarray(np.interp(places, borders, np.concatenate([[0.0], np.cumsum(mass)])))

    def expected_risk(self, problem: Problem) -> float:
        raise Incompatible("no expected risk is known for HighProbability")
