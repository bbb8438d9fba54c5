"""Both algorithms on a `DirectionStream`, in two coordinates: any number of records and any dimension."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, Solution
from dprepro.budget import Budget
from dprepro.errors import PremiseError
from dprepro.mechanisms import NoiseMoments
from dprepro.problems import Problem
from dprepro.problems.point_forms import PlanePoint
from dprepro.reductions import Reduction
from dprepro_sco.phased import Phased, PhasedERM, PhasedSGD
from dprepro_sco.stream import HalvesView


@dataclass(frozen=True)
class TwoCoordinates(Reduction):
    """Why it is exact: gradients are +-c and the ball is round, so a phase moves w in the plane of c and w only.

    The isotropic noise splits into its parts along c, along the rest of w and across both, which are independent: two
    normals, and a squared norm with the chi-square law of p - 2 degrees of freedom. So (<w, c>, |w - <w, c> c|) is a
    Markov chain by itself. Of the data ERM sees the mean of a phase: with a linear loss the minimum over the ball is
    the projection of P(w_{i-1}) + (eta_i T_i/2) mean. SGD sees the phase's records in a random order, which are drawn
    one after the other from those that are left; within a phase the direction across c stays, so that the mean of the
    points has the mean of their coordinates.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (PhasedERM, PhasedSGD)
    representations: ClassVar[tuple[str, ...]] = ("halves",)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; the answer is a `PlanePoint`."""
        domain, algorithm, sample = problem.domain, self.algorithm, problem.see("halves")
        assert isinstance(algorithm, Phased)
        if not isinstance(sample, HalvesView):
            raise PremiseError("a population has no phases: draw a sample")
        schedule = algorithm.schedule(domain, budget)
        run = _pass if isinstance(algorithm, PhasedSGD) else _minimum
        along = across = square = 0.0
        phases = zip(schedule.sizes, sample.plus, schedule.step_sizes, schedule.noise_scales, strict=False)
        for size, plus, eta, sigma in phases:
            along, across = run(*_projected(along, across), size, plus, eta, rng)
            first, second = rng.standard_normal(2)
            further = float(rng.chisquare(domain.p - 2)) if domain.p > 2 else 0.0
            along += sigma * first
            across = math.sqrt((across + sigma * second) ** 2 + sigma**2 * further)
            square += (schedule.noise_scale**2) * (first**2 + second**2 + further)
        noise = NoiseMoments.normal(square, len(schedule.sizes) * domain.p)
        theta = PlanePoint(np.array(_projected(along, across)))
        return Solution(theta, schedule, algorithm.privacy_loss(domain, budget), noise=noise)

    def effort(self, problem: Problem, budget: Budget) -> tuple[int, int]:
        """A step of a pass is one of a scalar."""
        return self.algorithm.schedule(problem.domain, budget).steps, 1


def _projected(along: float, across: float) -> tuple[float, float]:
    """On the unit ball."""
    size = math.hypot(along, across)
    return (along, across) if size <= 1 else (along / size, across / size)


def _minimum(
    along: float, across: float, size: int, plus: int, eta: float, rng: np.random.Generator
) -> tuple[float, float]:
    return _projected(along + eta / 2 * (2 * plus - size), across)


def _pass(
    along: float, across: float, size: int, plus: int, eta: float, rng: np.random.Generator
) -> tuple[float, float]:
    from dprepro_sco.kernels import one_pass  # numba is imported only to run

    found = one_pass(along, across, size, plus, eta, rng)
    return float(found[0]), float(found[1])
