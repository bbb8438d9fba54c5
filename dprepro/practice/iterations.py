"""Predicted risks of noisy iterations: descent and Frank-Wolfe, many steps of a schedule taken as one.

A block of m steps moves like one step of their total length, with the noise of all of them; on the quadratic model of
the risk it is stable at any length. Where a schedule has few steps they are taken one by one.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from dprepro.algorithms import GaussianFrankWolfe, JohnsonLindenstrauss, NoisyFrankWolfe, NoisyGD, NoisySGD
from dprepro.algorithms.descent import Descent
from dprepro.algorithms.frank_wolfe import DecayingStep
from dprepro.errors import InputError
from dprepro.practice.ordinary import AdviceQuestion, Ordinary, effort, of
from dprepro.problems import Box, L2Ball, Simplex
from dprepro.problems.problem_data import FloatArray

BLOCKS = 300
"""Steps that are taken one by one; of more as many blocks are made."""

WALKED = 400
"""Coordinates of all walks side by side, walks times p."""

DRAWN = 16
"""Vertices that stand for those of a block, where their law is drawn."""

FAR = 20.0
"""Deviations of noise from which on the mean direction needs no special function."""

FEW = 5
"""Private choices of a block that are drawn one by one; more have their mean and their covariance."""

STABLE = 0.3
"""Length of a block times curvature from which on steps are implicit."""

MOST_STEPS = 2_000_000
"""Of a schedule with decaying steps, which are summed one by one."""


def walks_of(p: int) -> int:
    """How many walks side by side: of many coordinates one alone has nearly the mean risk."""
    return int(min(64, max(1, round(WALKED / p))))


def blocks_of(schedule: Descent, p: int) -> tuple[FloatArray, FloatArray]:
    """Lengths of blocks of steps, and the sums of squares of the steps in them."""
    taken, most = schedule.steps - 1, effort(BLOCKS, p, 40)
    if schedule.decay == 0:
        count = min(taken, most)
        many = taken / max(1, count)
        return np.full(count, schedule.step_size * many), np.full(count, schedule.step_size**2 * many)
    if taken > MOST_STEPS:
        raise InputError(f"its {taken:g} steps are more than are summed here; give steps=300")
    steps = schedule.step_size / np.arange(1, taken + 1, dtype=np.float64) ** schedule.decay
    if taken <= most:
        return steps, steps**2
    ends, squares = np.cumsum(steps), np.cumsum(steps**2)
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, most + 1) / most).clip(0, taken - 1)
    cuts = np.unique(np.append(cuts, taken - 1))
    return np.diff(ends[cuts], prepend=0.0), np.diff(squares[cuts], prepend=0.0)


def descended(data: Ordinary, schedule: Descent) -> FloatArray:
    """Answers of noisy descent over the set, shape (kinds, walks, p)."""
    p = data.within.p
    rng, walks = np.random.default_rng(23), walks_of(p)
    lengths, squares = blocks_of(schedule, p)
    theta = np.tile(data.start, (1, walks, 1))
    total, share = theta / schedule.steps, (schedule.steps - 1) / schedule.steps / max(1, len(lengths))
    coarse = len(lengths) < schedule.steps - 1 and math.isfinite(data.loss.smoothness)
    coarse = coarse and float((lengths.max() * data.bend()).max()) > STABLE
    implicit = data.implicit(float(lengths[0])) if coarse and not schedule.decay else None
    for length, square in zip(lengths, squares, strict=True):
        moved = length * data.gradient(theta)
        if schedule.noise_scale:
            moved = moved + math.sqrt(square) * schedule.noise_scale * rng.standard_normal((1, walks, p))
        if implicit is not None:  # in the quadratic model
            moved = implicit(moved)
        elif coarse:
            moved = data.damped(moved, length)
        theta = data.project(theta - moved)
        if schedule.averaged:
            total = total + share * theta
    return total if schedule.averaged else theta


def noisy_descent(algorithm: NoisyGD | NoisySGD, asked: AdviceQuestion) -> FloatArray:
    """Noisy gradient descent; shape (kinds,), as all that follow."""
    data = of(asked)
    return data.mean_excess(descended(data, algorithm.schedule(asked.domain, asked.budget)))


def johnson_lindenstrauss(algorithm: JohnsonLindenstrauss, asked: AdviceQuestion) -> FloatArray:
    """Noisy descent after a Gaussian map to k dimensions.

    Of k > p dimensions those matter in which the map's columns lie, p of them, and in all others the length alone.
    """
    data, domain = of(asked), asked.domain
    schedule = algorithm.schedule(domain, asked.budget)
    k, p, rng, walks = schedule.sketch, domain.p, np.random.default_rng(29), walks_of(domain.p)
    inner, radius = min(k, p), algorithm.embedded(domain, asked.budget).constraint_set.radius
    if k > p:  # Bartlett: the triangular factor of the map
        phi = np.triu(rng.standard_normal((walks, p, p)), 1)
        phi[:, np.arange(p), np.arange(p)] = np.sqrt(rng.chisquare(k - np.arange(p), (walks, p)))
    else:
        phi = rng.standard_normal((walks, k, p))
    phi = phi / math.sqrt(k)
    back = phi.transpose(0, 2, 1)
    lengths, squares = blocks_of(schedule, p)
    implicit = data.implicit(float(lengths[0]), phi)
    w, aside = np.zeros((data.kinds, walks, 1, inner)), np.zeros((data.kinds, walks, 1, 1))
    total, share = 0 * w, (schedule.steps - 1) / schedule.steps / max(1, len(lengths))
    for length, square in zip(lengths, squares, strict=True):
        scale = math.sqrt(square) * schedule.noise_scale
        slope = _mapped(data.gradient(_mapped(w[:, :, 0], phi)), back)[:, :, None]
        moved = length * slope + scale * rng.standard_normal((1, walks, 1, inner))
        w = w - implicit(moved)
        if k > p:
            across = rng.chisquare(k - p - 1, (1, walks, 1, 1)) if k > p + 1 else 0.0
            aside = np.sqrt((aside + scale * rng.standard_normal((1, walks, 1, 1))) ** 2 + scale**2 * across)
        size = np.sqrt(np.sum(w**2, axis=3, keepdims=True) + aside**2)
        shrink = np.minimum(1.0, radius / np.maximum(size, 1e-300))
        w, aside = w * shrink, aside * shrink
        total = total + share * w
    return data.mean_excess(data.project(_mapped(total[:, :, 0], phi)))


def _mapped(points: FloatArray, phi: FloatArray) -> FloatArray:
    """Of the shape (kinds, walks, .), each walk's by its own map; all kinds at once, as a map is large."""
    return np.asarray((points.transpose(1, 0, 2) @ phi).transpose(1, 0, 2))


def frank_wolfe_blocks(steps: int, p: int) -> list[tuple[int, float]]:
    """Of steps 2/(t + 2), t = 1..steps - 1: how many each block has, and their common weight."""
    taken, most = steps - 1, effort(BLOCKS, p, 40)
    ends = np.unique(np.concatenate([
        np.arange(0, min(taken, most // 3) + 1),
        np.floor(np.geomspace(most // 3, max(taken, most // 3), most - most // 3)),
    ]).clip(0, taken).astype(int))  # fmt: skip
    found = []
    for before, end in itertools.pairwise(ends):
        first, last = before + 1, end  # their product of t/(t + 2) telescopes
        kept = first * (first + 1) / ((last + 1) * (last + 2))
        found.append((int(end - before), 1 - kept))
    return found


def gaussian_frank_wolfe(algorithm: GaussianFrankWolfe, asked: AdviceQuestion) -> FloatArray:
    """Frank-Wolfe by noisy gradients."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    p, sigma = data.within.p, schedule.noise_scale
    rng, walks = np.random.default_rng(31), walks_of(p)
    theta = np.tile(data.start, (1, walks, 1))
    for many, weight in _weighted(algorithm, schedule.steps, p):
        slope = data.gradient(theta)
        theta = (1 - weight) * theta + weight * _mean_toward(data, slope, sigma, many, rng)
    return data.mean_excess(theta)


def _weighted(algorithm: GaussianFrankWolfe | NoisyFrankWolfe, steps: int, p: int) -> list[tuple[int, float]]:
    if isinstance(algorithm.step_size, DecayingStep):
        return frank_wolfe_blocks(steps, p)
    each = math.ceil((steps - 1) / BLOCKS)
    sizes = [each] * ((steps - 1) // each) + ([(steps - 1) % each] if (steps - 1) % each else [])
    return [(size, 1 - (1 - 1 / (steps + 2)) ** size) for size in sizes]


def _mean_toward(data: Ordinary, slope: FloatArray, sigma: float, many: int, rng: np.random.Generator) -> FloatArray:
    """The mean of that many minimisers of <slope + noise, .>, in law; the noises are those of all kinds of data."""
    shape = (1, *slope.shape[1:])
    if many == 1:
        return data.toward(slope + sigma * rng.standard_normal(shape))
    radius, p = data.within.radius, slope.shape[2]
    if isinstance(data.within, Box):
        from scipy.special import erf

        mean = erf(slope / (sigma * math.sqrt(2)))
        spread = np.sqrt(np.maximum(0.0, 1 - mean**2) / many)
        return np.asarray(radius * np.clip(spread * rng.standard_normal(shape) - mean, -1, 1))
    if isinstance(data.within, L2Ball) and p > 1:
        share = _mean_direction(np.sqrt(np.sum(slope**2, axis=2, keepdims=True)) / sigma, p)
        along = -radius * share * slope / sigma
        left = np.sqrt(np.maximum(0.0, radius**2 - np.sum(along**2, axis=2, keepdims=True)) / (p * many))
        return np.asarray(along + left * rng.standard_normal(shape))
    some = min(many, DRAWN)
    shaken = slope[:, None] + sigma * rng.standard_normal((1, some, *slope.shape[1:]))
    return np.asarray(data.toward(shaken).mean(axis=1))


def _mean_direction(size: FloatArray, p: int) -> FloatArray:
    """c with E (m + b)/||m + b|| = c m for standard normal b and ||m|| = ``size``, in p dimensions.

    c = Gamma((p + 1)/2)/(sqrt 2 Gamma(p/2 + 1)) 1F1(1/2; p/2 + 1; -||m||^2/2); for a long m, 1/sqrt(||m||^2 + p - 1).
    """
    from scipy.special import gammaln, hyp1f1

    half = np.minimum(size, FAR) ** 2 / 2
    front = math.exp(gammaln((p + 1) / 2) - gammaln(p / 2 + 1)) / math.sqrt(2)
    near = front * hyp1f1(0.5, p / 2 + 1, -half)
    far = 1 / np.sqrt(np.maximum(size, 1.0) ** 2 + p - 1)
    return np.where(size < FAR, near, far)


def noisy_frank_wolfe(algorithm: NoisyFrankWolfe, asked: AdviceQuestion) -> FloatArray:
    """Frank-Wolfe by private choices of a vertex: softmax shares, and as many drawn as a block has steps."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    if algorithm.selection != "gumbel":
        raise InputError("its vertices are chosen by Laplace noise, whose law has no softmax")
    p, scale = data.within.p, schedule.noise_scale
    rng, walks = np.random.default_rng(37), walks_of(p)
    theta = np.tile(data.start, (1, walks, 1))
    for many, weight in _weighted(algorithm, schedule.steps, p):
        scores = data.within.radius * data.gradient(theta)
        if isinstance(data.within, Box):  # scores of corners add up: each coordinate is chosen by itself
            mean = 2 * _binary(0.5 - 0.5 * np.tanh(scores / scale), many, rng) - 1
        else:
            if not isinstance(data.within, Simplex):
                scores = np.concatenate([scores, -scores], axis=2)
            chances = np.exp((scores.min(axis=2, keepdims=True) - scores) / scale)
            mean = _shares(chances / chances.sum(axis=2, keepdims=True), many, rng)
            mean = mean if isinstance(data.within, Simplex) else mean[..., :p] - mean[..., p:]
        theta = (1 - weight) * theta + weight * data.within.radius * mean
    return data.mean_excess(theta)


def _shares(chances: FloatArray, many: int, rng: np.random.Generator) -> FloatArray:
    """How often each vertex is chosen, as a share of ``many``; of many choices with their covariance alone."""
    if many == 1:
        first = np.argmax(np.cumsum(chances, axis=2) > rng.random((*chances.shape[:2], 1)), axis=2)
        return np.asarray(np.arange(chances.shape[2]) == first[..., None], dtype=np.float64)
    if many < FEW:
        return np.asarray(rng.multinomial(many, chances) / many)
    noise = np.sqrt(chances / many) * rng.standard_normal(chances.shape)
    return np.asarray(chances + noise - chances * noise.sum(axis=2, keepdims=True))


def _binary(chances: FloatArray, many: int, rng: np.random.Generator) -> FloatArray:
    """How often each coordinate goes up, as a share of ``many``."""
    return np.asarray(rng.binomial(many, np.clip(chances, 0.0, 1.0)) / many)
