"""Objective perturbation on a Huberised loss, in one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import HuberisedObjectivePerturbation
from dprepro.algorithms.huberised_objective_perturbation import huber_slope
from dprepro.laws.noise_law import Noise, NormalNoise
from dprepro.laws.perturbation_law import PerturbationLaw
from dprepro.problems import Domain, L2Ball, PositivePartLoss
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class HuberisedLaw(PerturbationLaw):
    """Equation (9) of Bassily, Smith and Thakurta: the loss in the objective is f^ in the place of (y - z)_+."""

    plain: ClassVar[Domain] = Domain(PositivePartLoss(), L2Ball(1, 2.0), 1, label_bound=2.0)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        flag = domain.p == 1 and isinstance(domain.loss, PositivePartLoss)
        said = f"{type(domain.loss).__name__} at p={domain.p}"
        return "" if flag else f"is known for the positive part in one dimension, not for {said}"

    @property
    def noise(self) -> Noise:
        return NormalNoise()

    @property
    def turns(self) -> FloatArray:
        return self._smoothing * np.array([-1.0, 1.0])

    def slope(self, z: FloatArray, y: FloatArray) -> FloatArray:
        return -huber_slope(y - z, self._smoothing)

    @property
    def _smoothing(self) -> float:
        assert isinstance(self.algorithm, HuberisedObjectivePerturbation)
        return self.algorithm.smoothing
