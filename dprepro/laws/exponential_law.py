"""The exponential mechanism in one dimension, where the risk is piecewise affine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.laws.base import Law
from dprepro.problems import AbsoluteLoss, Domain, L2Ball, Problem
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class ExponentialLaw(Law):
    """Density proportional to exp(-excess risk/noise_scale): on each piece a truncated exponential law."""

    plain: ClassVar[Domain] = Domain(AbsoluteLoss(), L2Ball(1), 1)

    @classmethod
    def obstacle(cls, domain: Domain) -> str:
        flag = domain.p == 1 and domain.loss.affine(np.ones(1)) is not None
        return "" if flag else f"is known for risks of affine pieces in one dimension, not at p={domain.p}"

    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        kinks, energy = self._energy(problem)
        weight = _integral(energy[:-1], energy[1:], np.diff(kinks))
        piece = np.clip(np.searchsorted(kinks, places, side="right") - 1, 0, kinks.size - 2)
        at = np.clip(places, kinks[0], kinks[-1])
        started = _integral(energy[piece], np.interp(at, kinks, energy), at - kinks[piece])
        return np.asarray((np.concatenate([[0.0], np.cumsum(weight)])[piece] + started) / weight.sum())

    def expected_risk(self, problem: Problem) -> float:
        """By the mean of a truncated exponential law from the lower end of each piece on."""
        kinks, energy = self._energy(problem)
        weight, size = _integral(energy[:-1], energy[1:], np.diff(kinks)), np.abs(np.diff(energy))
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            above = np.where(size > 1e-6, 1 - size / np.expm1(size), 0.5 * size)
        mean = float(weight @ (np.minimum(energy[1:], energy[:-1]) + above)) / float(weight.sum())
        return mean * self.algorithm.schedule(self.domain, self.budget).noise_scale

    def _energy(self, problem: Problem) -> tuple[FloatArray, FloatArray]:
        """The ends and kinks, ascending, and the excess risk there over the noise's scale."""
        kinks = problem.records.kinks
        excess = np.array([problem.excess_risk(kinks[k : k + 1]) for k in range(kinks.size)])
        return kinks, excess / self.algorithm.schedule(self.domain, self.budget).noise_scale


def _integral(start: FloatArray, end: FloatArray, width: FloatArray) -> FloatArray:
    """Of exp(-energy) over pieces on which energy is affine."""
    size = np.abs(end - start)
    mean = np.where(size > 1e-12, -np.expm1(-size) / np.maximum(size, 1e-12), 1.0)
    return np.asarray(width * np.exp(-np.minimum(start, end)) * mean)
