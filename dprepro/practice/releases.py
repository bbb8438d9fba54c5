"""Predicted risks of answers with one release: a minimiser with noise, a noisy objective, noisy moments.

Where the risk is quadratic and no answer reaches the border of the set, the mean over whole bases of noise is exact:
tr(H Sigma)/2 with the covariance Sigma of the noise. Elsewhere it is the mean over as many vectors as stand here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dprepro.algorithms import (
    Huberised,
    ObjectivePerturbation,
    OutputPerturbation,
    RegularisedOutputPerturbation,
    RegularisedRelease,
    ReleasedMarginals,
    StronglyConvexPerturbation,
    SufficientStatistics,
)
from dprepro.practice.ordinary import (
    AdviceQuestion,
    Ordinary,
    accelerated,
    effort,
    gamma_lengths,
    noises,
    normal_lengths,
    of,
)
from dprepro.problems import HingeLoss, MarginLoss
from dprepro.problems.problem_data import FloatArray

RELEASED = 2048
"""Coordinates of noise of one release, draws times p, and at least `LEAST` draws."""

PERTURBED = 512
"""Coordinates of noise of a noisy objective, each draw of which is minimised."""

LEAST = 12

LANCZOS = 40
"""Products with a matrix that find its least eigenvalue to about a relative 1e-4."""


def draws_of(coordinates: int, p: int, least: int = LEAST) -> int:
    """How many draws of p coordinates."""
    return max(least, coordinates // p)


def released(data: Ordinary, centre: FloatArray, scale: float, noise: str, projected: bool = True) -> FloatArray:
    """Answers, shape (kinds, draws, p): a centre with noise, back in the set."""
    p = data.within.p
    lengths = normal_lengths if noise == "gaussian" else gamma_lengths
    theta = centre + scale * noises(p, draws_of(RELEASED, p), lengths)[None]
    return data.project(theta) if projected else theta


def output_perturbation(algorithm: OutputPerturbation, asked: AdviceQuestion) -> FloatArray:
    """The minimiser with noise; shape (kinds,), as all that follow."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    return data.mean_excess(released(data, data.best, schedule.noise_scale, algorithm.noise))


def regularised_output_perturbation(algorithm: RegularisedOutputPerturbation, asked: AdviceQuestion) -> FloatArray:
    """The regularised minimiser with Gaussian noise."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    centre = data.minimise(data.best, schedule.weight)
    return data.mean_excess(released(data, centre, schedule.noise_scale, "gaussian"))


def regularised_release(algorithm: RegularisedRelease, asked: AdviceQuestion) -> FloatArray:
    """The regularised minimiser with noise."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    centre = data.minimise(data.best, schedule.weight)
    return data.mean_excess(released(data, centre, schedule.noise_scale, algorithm.noise))


def released_marginals(algorithm: ReleasedMarginals, asked: AdviceQuestion) -> FloatArray:
    """The mean record with noise."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    mean = data.features.mean(axis=1)[:, None, :]
    return data.mean_excess(released(data, mean, schedule.noise_scale, algorithm.release))


def objective_perturbation(algorithm: ObjectivePerturbation, asked: AdviceQuestion) -> FloatArray:
    """The minimiser of the noisy objective."""
    data, domain = of(asked), asked.domain
    schedule = algorithm.schedule(domain, asked.budget)
    tilt = tilts(asked, schedule.coordinate_scale, algorithm.noise)
    return data.mean_excess(perturbed(data, tilt, schedule.regulariser / domain.n))


def strongly_convex_perturbation(algorithm: StronglyConvexPerturbation, asked: AdviceQuestion) -> FloatArray:
    """The minimiser of the noisy objective, without a regulariser."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    return data.mean_excess(perturbed(data, tilts(asked, schedule.noise_scale, algorithm.noise), 0.0))


def huberised(algorithm: Huberised, asked: AdviceQuestion) -> FloatArray:
    """Objective perturbation of rounded losses, judged by the losses themselves."""
    data, domain, inner = of(asked), asked.domain, algorithm.inner
    assert isinstance(inner, ObjectivePerturbation)
    within, h = algorithm.smoothed(domain, asked.budget), algorithm.at(domain, asked.budget)
    x, y = data.features, data.labels
    if isinstance(data.loss, HingeLoss):
        x, y = y[..., None] * x, np.ones_like(y)
    loss = data.loss.rounded()
    assert loss is not None, "a loss without kinks is refused"
    rounded = Ordinary(loss, data.within, x / h, y / h)
    schedule = inner.schedule(within, asked.budget)
    rounded.__dict__["best"] = data.best  # less and less rounded; at once, steps are too short to come there
    theta = perturbed(rounded, tilts(asked, schedule.coordinate_scale, inner.noise), schedule.regulariser / domain.n)
    return data.mean_excess(theta)


def tilts(asked: AdviceQuestion, scale: float, noise: str) -> FloatArray:
    """b/n of noisy objectives, shape (1, draws, p)."""
    p = asked.domain.p
    lengths = normal_lengths if noise == "gaussian" else gamma_lengths
    return scale / asked.domain.n * noises(p, draws_of(PERTURBED, p, 4), lengths)[None]


def perturbed(data: Ordinary, tilt: FloatArray, ridge: float) -> FloatArray:
    """Minimisers of noisy objectives, shape (kinds, draws, p)."""
    centre = data.minimise(data.best, ridge)
    return data.minimise(centre + 0 * tilt, ridge, tilt, 120)


def sufficient_statistics(algorithm: SufficientStatistics, asked: AdviceQuestion) -> FloatArray:
    """Least squares from noisy moments."""
    data, p = of(asked), asked.domain.p
    scale = algorithm.schedule(asked.domain, asked.budget).noise_scale
    assert isinstance(data.loss, MarginLoss)
    gram, cross, matrices, vectors = _moments(data)
    noise = scale * matrices / np.where(np.eye(p, dtype=bool), 1.0, math.sqrt(2.0))
    noisy = gram[:, None] + noise
    tilted = cross[:, None] + scale * vectors
    least = np.array([[_least_eigenvalue(matrix) for matrix in some] for some in noisy])
    ridge = np.maximum(0.0, algorithm.ridge_factor * scale * math.sqrt(p) - least)
    theta = _least_squares(data, noisy + ridge[..., None, None] * np.eye(p), tilted)
    return data.mean_excess(theta[:, :, 0])


@lru_cache(maxsize=1)
def _moments(data: Ordinary) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Gram matrices, means of label times features, and normal noise: symmetric matrices (draws, p, p), and vectors."""
    rows, p = data.features.shape[1:]
    gram = data.features.transpose(0, 2, 1) @ data.features / rows
    cross = data.labels[:, None, :] @ data.features / rows
    rng, draws = np.random.default_rng(17), max(1, min(32, PERTURBED // p))
    upper = np.triu(rng.standard_normal((draws, p, p)))
    return gram, cross, upper + np.triu(upper, 1).transpose(0, 2, 1), rng.standard_normal((draws, 1, p))


def _least_eigenvalue(matrix: FloatArray) -> float:
    """From 200 coordinates on by Lanczos' method, from above, on a basis that is kept orthogonal."""
    if len(matrix) <= 200:
        return float(np.linalg.eigvalsh(matrix)[0])
    basis, inner = np.empty((LANCZOS, len(matrix))), np.zeros((LANCZOS, LANCZOS))
    v = np.random.default_rng(19).standard_normal(len(matrix))
    for k in range(LANCZOS):
        basis[k] = v / np.linalg.norm(v)
        image = matrix @ basis[k]
        inner[k, : k + 1] = inner[: k + 1, k] = basis[: k + 1] @ image
        v = image - (basis[: k + 1] @ image) @ basis[: k + 1]
        v = v - (basis[: k + 1] @ v) @ basis[: k + 1]
        if np.linalg.norm(v) <= 1e-12 * np.linalg.norm(image):  # the basis holds all that the first vector meets
            break
    return float(np.linalg.eigvalsh(inner[: k + 1, : k + 1])[0])


def _least_squares(data: Ordinary, matrix: FloatArray, cross: FloatArray) -> FloatArray:
    """argmin of theta^T matrix theta - 2 <cross, theta> over the set, shape (kinds, draws, 1, p)."""
    v = np.random.default_rng(7).standard_normal((matrix.shape[2], 1))
    for _ in range(30):
        v = matrix @ (v / np.linalg.norm(v, axis=-2, keepdims=True))
    bend = 1.1 * np.linalg.norm(v, axis=-2, keepdims=True)
    return accelerated(
        lambda ahead: (ahead @ matrix - cross) / bend, data.project, data.start[:, None] + 0 * cross,
        effort(200, data.within.p, 50), data.within.radius,
    )  # fmt: skip
