"""Noisy gradient descent on a quadratic of one-hot records, in a few thousand steps and at a cost free of p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, JohnsonLindenstrauss, NoisyGD, Solution
from dprepro.algorithms.descent import Descent
from dprepro.algorithms.johnson_lindenstrauss import SketchedDescent
from dprepro.budget import Budget
from dprepro.errors import PremiseError
from dprepro.mechanisms import NoiseMoments
from dprepro.problems import Domain, OneHotView, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.reductions.base import Reduction, lacks_coefficients


@dataclass(frozen=True)
class _FewSteps(Reduction):
    """The number of steps is reduced.

    T steps of size eta with noise sigma are the Euler scheme, with time step eta, of the reflected diffusion
    dw = -grad L dt + sqrt(eta) sigma dB on the ball, run up to time S = eta T: its law depends on S and
    s^2 = eta^2 sigma^2 T only. T' steps with eta' = S/T' and sigma' = sigma sqrt(T'/T) are another Euler scheme of the
    same diffusion, so both laws agree up to their discretisation errors. These are O(largest eigenvalue x S/T') in the
    drift, held at 1/8 a step, and an inward shift of the sphere by 0.58 s/sqrt(T') where the projection is at work (the
    overshoot of a normal walk), against B of order s sqrt(p): in p dimensions it is 0.58/sqrt(T' p) of B. So from 50
    dimensions on ``minimum_steps`` are divided by p/50, by 4 at most. Exact where T' = T.
    """

    minimum_steps: int = 1000
    version: ClassVar[int] = 2  # since there are fewer steps in many dimensions

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        return lacks_coefficients(domain)

    def effort(self, problem: Problem, budget: Budget) -> tuple[int, int]:
        """The fewer steps, in the coordinates that occur."""
        sample, schedule = problem.one_hot, self.algorithm.schedule(problem.domain, budget)
        assert isinstance(schedule, Descent)
        return self._few(schedule, float(sample.hessian.max()), problem.domain.p)[0], sample.touched

    def _few(self, schedule: Descent, largest: float, dimensions: int) -> tuple[int, float, float]:
        """(T', eta', sigma'): the fewest steps with eta' x largest eigenvalue <= 1/8, from the minimum up to T."""
        steps, eta = schedule.steps, schedule.step_size
        least = math.ceil(self.minimum_steps / min(4.0, max(1.0, dimensions / 50)))
        fewer = min(steps, max(least, math.ceil(8 * largest * eta * steps)))
        return fewer, eta * steps / fewer, schedule.noise_scale * math.sqrt(fewer / steps)

    def _solution(self, problem: Problem, budget: Budget, theta: FloatArray, noise: NoiseMoments) -> Solution:
        domain, algorithm = problem.domain, self.algorithm
        return Solution(theta, algorithm.schedule(domain, budget), algorithm.privacy_loss(domain, budget), noise=noise)


def _moments(square: float, fewer: int, steps: int, p: int) -> NoiseMoments:
    """The noise of T' steps, each with T'/T of the square of the schedule's, in p dimensions."""
    return NoiseMoments.normal(square * steps / fewer, (fewer - 1) * p)


@dataclass(frozen=True)
class FewSteps(_FewSteps):
    """Algorithm 1 for a quadratic loss on a one-hot sample; theta has the m touched coordinates only.

    The p - m idle coordinates have no gradient and enter only through the norm that the projection needs: by rotation
    invariance a step takes their norm r to sqrt((r + eta sigma g)^2 + (eta sigma)^2 chi^2_{p-m-1}), with g a unit
    normal, and the projection scales r like all else. This is exact. The number of steps is reduced: see `_FewSteps`.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisyGD,)
    representations: ClassVar[tuple[str, ...]] = ("one_hot",)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        from dprepro.reductions.kernels import few_steps_kernels  # numba is imported only to run

        sample, domain = problem.one_hot, problem.domain
        assert isinstance(self.algorithm, NoisyGD)
        schedule = self.algorithm.schedule(domain, budget)
        plan = self._few(schedule, float(sample.hessian.max()), domain.p)
        average, square = few_steps_kernels.noisy_descent(
            sample.hessian, np.zeros(0), sample.linear, domain.p - sample.touched, *plan, domain.radius, rng
        )
        return self._solution(problem, budget, average, _moments(square, plan[0], schedule.steps, domain.p))


@dataclass(frozen=True)
class IsotropicTail(_FewSteps):
    """Algorithm 1 where a balanced tail of equal probabilities fills all coordinates but a few, at a cost free of p.

    Why it is exact. The tail's Hessian is a multiple of the identity and its linear term is zero, so the law of its
    iterate u is rotation invariant: a step shrinks u, adds isotropic noise, and scales. The projection needs |u|, the
    risk the length of the sum s of the iterates; both follow from |u|^2, <u, s> and |s|^2, which form a Markov chain:
    the noise has independent components along u and along the part of s orthogonal to it, and a chi-square length
    elsewhere. theta is returned with equal tail entries of the right mean square, which is all that the risk sees of
    them. Steps are reduced as in `FewSteps`.
    """

    serves: ClassVar[tuple[type[Algorithm], ...]] = (NoisyGD,)
    representations: ClassVar[tuple[str, ...]] = ("one_hot", "tail")

    def effort(self, problem: Problem, budget: Budget) -> tuple[int, int]:
        """As `FewSteps`, the tail being one coordinate."""
        steps, listed = super().effort(problem, budget)
        return steps, listed - problem.one_hot.tail + 1

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``."""
        from dprepro.reductions.kernels import few_steps_kernels

        sample, domain = problem.one_hot, problem.domain
        assert isinstance(self.algorithm, NoisyGD)
        free = sample.touched - sample.tail
        schedule = self.algorithm.schedule(domain, budget)
        plan = self._few(schedule, float(sample.hessian.max()), domain.p)
        average, mean_square, square = few_steps_kernels.noisy_descent_with_tail(
            sample.hessian[:free], sample.linear[:free], sample.tail, float(sample.hessian[free]), *plan,
            domain.radius, rng,
        )  # fmt: skip
        theta = np.concatenate([average, np.full(sample.tail, math.sqrt(mean_square))])
        return self._solution(problem, budget, theta, _moments(square, plan[0], schedule.steps, domain.p))


@dataclass(frozen=True)
class _Sketched(_FewSteps):
    serves: ClassVar[tuple[type[Algorithm], ...]] = (JohnsonLindenstrauss,)

    def effort(self, problem: Problem, budget: Budget) -> tuple[int, int]:
        """As for the half of the largest eigenvalue, which a map hardly ever fails to keep."""
        schedule = self.algorithm.schedule(problem.domain, budget)
        assert isinstance(schedule, SketchedDescent)
        self._admit(problem.one_hot, schedule.sketch)
        half = float(problem.one_hot.hessian.max()) / 2
        return self._few(schedule, half, schedule.sketch)[0], min(schedule.sketch, problem.one_hot.touched)

    def _admit(self, sample: OneHotView, k: int) -> None:
        """Raise PremiseError for data that cannot be projected to k dimensions."""

    def _descend(
        self, problem: Problem, budget: Budget, rng: np.random.Generator,
        diagonal: FloatArray, off: FloatArray, linear: FloatArray, idle: int = 0,
    ) -> tuple[FloatArray, NoiseMoments]:  # fmt: skip
        """The average iterate of the descent in k dimensions, with a diagonal or tridiagonal Hessian, and its noise.

        ``idle`` further dimensions have neither curvature nor slope; see `FewSteps`.
        """
        from dprepro.reductions.kernels import few_steps_kernels

        assert isinstance(self.algorithm, JohnsonLindenstrauss)
        schedule = self.algorithm.schedule(problem.domain, budget)
        largest = float(diagonal.max()) + (2 * float(np.abs(off).max()) if off.size else 0.0)
        k, radius = linear.size + idle, 2 * problem.domain.radius
        plan = self._few(schedule, largest, k)
        average, square = few_steps_kernels.noisy_descent(diagonal, off, linear, idle, *plan, radius, rng)
        return average, _moments(square, plan[0], schedule.steps, k)


@dataclass(frozen=True)
class SketchedFewSteps(_Sketched):
    """Algorithm 2 for a quadratic loss with any map: the map is drawn, the descent runs in the Hessian's eigenbasis.

    Rotating R^k leaves the ball and the law of the noise alone, so this is exact; the number of steps is reduced as in
    `FewSteps`. Costs k^2 m + k^3, or k m^2 where that matrix is too large: it has m eigenvalues besides zero.
    """

    representations: ClassVar[tuple[str, ...]] = ("one_hot",)

    def _admit(self, sample: OneHotView, k: int) -> None:
        assert isinstance(self.algorithm, JohnsonLindenstrauss)
        self.algorithm.check_map(k, sample.domain.p if sample.domain.proper else sample.touched)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta has the touched coordinates."""
        algorithm = self.algorithm
        assert isinstance(algorithm, JohnsonLindenstrauss)
        sketched, phi = algorithm.project(problem, budget, rng)
        if "moments" in sketched.representations:
            moments = sketched.moments.moments
            values, vectors = np.linalg.eigh(moments.matrix())
            cross = vectors.T @ moments.cross
        else:
            values, cross, basis = sketched.records.coefficients.formed().spectrum()
            assert basis is not None  # records are rows, not a diagonal
            vectors = basis
        average, noise = self._descend(
            problem, budget, rng, 2 * np.maximum(values, 0.0), np.zeros(0), 2 * cross, len(vectors) - values.size
        )
        return self._solution(problem, budget, algorithm.lift(problem.domain, phi, vectors @ average), noise)


@dataclass(frozen=True)
class BidiagonalSketch(_Sketched):
    """Algorithm 2 with a Gaussian map on one coordinate with a signal and a balanced tail of t >= k coordinates.

    Why it is exact. The embedded tail has the Hessian h/k G G^T, h being that of a tail coordinate, G a k x t Gaussian
    matrix, and the signal the direction phi, |phi|^2 = chi^2_k/k, independent. Rotate R^k so that phi points along e_1;
    G keeps its law. Householder reflections from the right and, leaving e_1 alone, from the left bring G to lower
    bidiagonal form L with independent entries: chi_t, chi_{t-1}, ..., chi_{t-k+1} on the diagonal, chi_{k-1}, ...,
    chi_1 below (Golub-Kahan; Dumitriu and Edelman 2002). The left ones rotate w, and with it the isotropic noise, whose
    law they leave alone, since they depend on G only. The gradient is then tridiagonal in the rotated w. The risk sees
    the tail through the sum of <phi_j, w>^2 = |L^T w|^2/k alone: theta is returned with t equal entries of that mean
    square. Clipping is left out: it acts with probability at most 1e-6, which bounds the distance in total variation.
    Steps are reduced as in `FewSteps`.
    """

    representations: ClassVar[tuple[str, ...]] = ("one_hot", "signal")

    @classmethod
    def premise(cls, algorithm: Algorithm, domain: Domain) -> str:
        assert isinstance(algorithm, JohnsonLindenstrauss)
        if algorithm.transform != "gaussian":
            return f"needs a Gaussian map, not {algorithm.transform}"
        if domain.proper:
            return "needs a problem whose answers may leave the ball"
        return super().premise(algorithm, domain)

    def _admit(self, sample: OneHotView, k: int) -> None:
        if sample.tail < k:
            raise PremiseError(
                f"the projection to k={k} dimensions needs a tail of at least as many, got {sample.tail}"
            )

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """As ``Algorithm.solve``; theta is compressed. Raises PremiseError for a tail shorter than k."""
        algorithm, sample = self.algorithm, problem.one_hot
        assert isinstance(algorithm, JohnsonLindenstrauss)
        tail, k = sample.tail, algorithm.dimension(problem.domain, budget)
        self._admit(sample, k)
        length = math.sqrt(float(rng.chisquare(k)) / k)
        diagonal = np.sqrt(rng.chisquare(tail - np.arange(k)))
        below = np.sqrt(rng.chisquare(np.arange(k - 1, 0, -1))) if k > 1 else np.zeros(0)
        signal, flat = sample.hessian[:2]
        hessian = flat / k * (diagonal**2 + np.concatenate([[0.0], below**2]))
        hessian[0] += length**2 * signal
        linear = np.zeros(k)
        linear[0] = length * sample.linear[0]
        w, noise = self._descend(problem, budget, rng, hessian, flat / k * below * diagonal[:-1], linear)
        folded = diagonal * w
        folded[:-1] += below * w[1:]
        theta = np.full(sample.touched, math.sqrt(float(folded @ folded) / (tail * k)))
        theta[0] = length * w[0]
        return self._solution(problem, budget, theta, noise)
