"""Algorithm 2 (Johnson-Lindenstrauss) in few steps: dense in k dimensions, or at a cost linear in k and free of p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, JohnsonLindenstrauss, Solution
from dprepro.budget import Budget
from dprepro.errors import Incompatible, PremiseError
from dprepro.problems import OneHot, SquaredLoss
from dprepro.problems.data import FloatArray
from dprepro.problems.problem import Problem
from dprepro.reductions.base import Reduction
from dprepro.reductions.few_steps import few


@dataclass(frozen=True)
class SketchedFewSteps(Reduction):
    """Algorithm 2 for the squared loss with any map: the map is drawn, the descent runs in the Hessian's eigenbasis.

    Rotating R^k leaves the ball and the law of the noise alone, so this is exact; the number of steps is reduced as in
    `FewSteps`. Costs k^2 m + k^3.
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (JohnsonLindenstrauss,)

    minimum_steps: int = 1000

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta has the touched coordinates."""
        algorithm, sample = _parts(self.algorithm, problem)
        sketched = algorithm.project(sample, budget, rng)
        hessian, linear = sketched.quadratic()
        values, vectors = np.linalg.eigh(hessian)
        values = np.maximum(values, 0.0)
        average = _descend(algorithm, sample, budget, rng, values, np.zeros(0), vectors.T @ linear, self.minimum_steps)
        spent = algorithm.spent(sample.constants, budget)
        return Solution(sketched.lift(vectors @ average), algorithm.schedule(sample.constants, budget), spent)


@dataclass(frozen=True)
class BidiagonalSketch(Reduction):
    """Algorithm 2 with a Gaussian map on one coordinate with a signal and a balanced tail of t >= k coordinates.

    Why it is exact. The embedded tail has the Hessian 2 (1-q)/(t k) G G^T, G a k x t Gaussian matrix, and the signal
    the direction phi, |phi|^2 = chi^2_k/k, independent. Rotate R^k so that phi points along e_1; G keeps its law.
    Householder reflections from the right and, leaving e_1 alone, from the left bring G to lower bidiagonal form L with
    independent entries: chi_t, chi_{t-1}, ..., chi_{t-k+1} on the diagonal, chi_{k-1}, ..., chi_1 below (Golub-Kahan;
    Dumitriu and Edelman 2002). The left ones rotate w, and with it the isotropic noise, whose law they leave alone,
    since they depend on G only. The gradient is then tridiagonal in the rotated w. The risk sees the tail through
    sum_j p_j <phi_j, w>^2 = (1-q)/(t k) |L^T w|^2 alone: theta is returned with t equal entries of that mean square.
    Clipping is left out: it acts with probability at most 1e-6, which bounds the distance in total variation. Steps are
    reduced as in `FewSteps`.
    """

    needs: ClassVar[tuple[str, ...]] = ("population",)
    serves: ClassVar[tuple[type[Algorithm], ...]] = (JohnsonLindenstrauss,)

    minimum_steps: int = 1000

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is compressed.

        Raises:
            Incompatible: another map, or another shape of the population. PremiseError: a tail shorter than k.
        """
        algorithm, sample = _parts(self.algorithm, problem)
        tail, k = sample.balanced, algorithm.dimension(sample.constants, budget)
        if algorithm.transform != "gaussian" or sample.touched != tail + 1:
            raise Incompatible(
                "BidiagonalSketch needs a Gaussian map, one coordinate and a balanced tail; got "
                f"{algorithm.transform}, {sample.touched - tail} and {tail}"
            )
        if tail < k:
            raise PremiseError(f"the projection to k={k} dimensions needs a tail of at least as many, got {tail}")
        if np.ptp(sample.probability[1:]) > 0:
            raise Incompatible("BidiagonalSketch needs a tail of equal probabilities")
        x2 = sample.feature_bound**2
        length = math.sqrt(float(rng.chisquare(k)) / k)
        share = float(sample.probability[1]) / k
        diagonal = np.sqrt(rng.chisquare(tail - np.arange(k)))
        below = np.sqrt(rng.chisquare(np.arange(k - 1, 0, -1))) if k > 1 else np.zeros(0)
        hessian = 2 * x2 * share * (diagonal**2 + np.concatenate([[0.0], below**2]))
        hessian[0] += 2 * x2 * length**2 * sample.count[0] / sample.n
        off = 2 * x2 * share * below * diagonal[:-1]
        linear = np.zeros(k)
        lean = sample.label[0] * (2 * sample.positive[0] - sample.count[0]) / sample.n
        linear[0] = 2 * sample.feature_bound * length * lean
        w = _descend(algorithm, sample, budget, rng, hessian, off, linear, self.minimum_steps)
        folded = diagonal * w
        folded[:-1] += below * w[1:]
        theta = np.full(sample.touched, math.sqrt(float(folded @ folded) / (tail * k)))
        theta[0] = length * w[0]
        spent = algorithm.spent(sample.constants, budget)
        return Solution(theta, algorithm.schedule(sample.constants, budget), spent)


def _parts(algorithm: Algorithm, problem: Problem) -> tuple[JohnsonLindenstrauss, OneHot]:
    if not isinstance(problem, OneHot) or not isinstance(problem.loss, SquaredLoss):
        raise Incompatible("sketched reductions need a one-hot sample with squared loss")
    assert isinstance(algorithm, JohnsonLindenstrauss)
    return algorithm, problem


def _descend(
    algorithm: JohnsonLindenstrauss, sample: OneHot, budget: Budget, rng: np.random.Generator, diagonal: FloatArray,
    off: FloatArray, linear: FloatArray, minimum: int,
) -> FloatArray:  # fmt: skip
    """The average iterate of the descent in k dimensions, with a diagonal or tridiagonal Hessian."""
    from dprepro.reductions import gradient_kernels  # numba is imported only to run

    schedule = algorithm.schedule(sample.constants, budget)
    largest = float(diagonal.max()) + (2 * float(np.abs(off).max()) if off.size else 0.0)
    result: FloatArray = gradient_kernels.noisy_descent(
        diagonal, off, linear, 0,
        *few(schedule.steps, schedule.step_size, schedule.noise_scale, largest, minimum),
        2 * sample.constants.radius, rng,
    )  # fmt: skip
    return result
