"""Predicted risks of samplers and of private choices among several answers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dprepro.algorithms import (
    ConfidenceBoosting,
    ExponentialMechanism,
    GridSearch,
    HighProbability,
    NoisyGD,
    RegularisedOutputPerturbation,
)
from dprepro.algorithms.grid_search import normalised
from dprepro.errors import InputError
from dprepro.practice.iterations import descended
from dprepro.practice.ordinary import AdviceQuestion, Ordinary, effort, of
from dprepro.problems import Box, ConstraintSet, L1Ball, L2Ball, Simplex
from dprepro.problems.problem_data import FloatArray

CHAINS, DRAWN, KEPT = 24, 1200, 16
"""Of the sampler of the quadratic model: chains side by side, coordinates drawn in each, and points kept of each."""

MOST_SAMPLED = 150
"""Coordinates up to which it is run."""

CHOSEN = 24
"""Runs of a private choice, up to 200 coordinates."""


def sampled(data: Ordinary, temperature: float) -> FloatArray:
    """Points of density exp(-model/temperature) on the set, shape (kinds, chains times kept, p).

    The model of the risk is its expansion to second order about the minimiser, kinks being rounded within what
    predictions vary at this temperature. Coordinates are drawn in turn, from their law given all others.
    """
    p, within = data.within.p, data.within
    if p > MOST_SAMPLED:
        raise InputError(f"its law is sampled here up to p={MOST_SAMPLED}, got p={p}")
    if isinstance(within, Simplex) and p == 1:
        return data.start
    width = 0.0
    if not math.isfinite(data.loss.smoothness):
        width = float(min(1.0, max(0.02, math.sqrt(p * temperature))))
    hessian, slope = data.hessian(data.best, width), data.gradient(data.best, width)
    rng = np.random.default_rng(41)
    theta = np.tile(data.best, (1, CHAINS, 1))
    gradient = np.tile(slope, (1, CHAINS, 1))
    sweeps, found = int(min(200, max(12, DRAWN / p))), []
    pairs = isinstance(within, Simplex)
    for sweep in range(sweeps):
        for j in range(p):
            # on a simplex what one coordinate gains another loses
            i = (j + 1 + int(rng.integers(p - 1))) % p if pairs else j
            bend = hessian[:, j, j][:, None]
            steep = gradient[..., j]
            if pairs:
                bend = bend + (hessian[:, i, i] - 2 * hessian[:, i, j])[:, None]
                steep = steep - gradient[..., i]
            low, high = _chord(within, theta, i, j)
            step = _drawn(steep / temperature, bend / temperature, low, high, rng)
            theta[..., j] += step
            gradient += step[..., None] * hessian[:, None, j, :]
            if pairs:
                theta[..., i] -= step
                gradient -= step[..., None] * hessian[:, None, i, :]
        if sweep >= sweeps // 3 and (sweep + 1) % max(1, sweeps // (2 * KEPT)) == 0:
            found.append(theta.copy())
    return np.concatenate(found, axis=1)


def _chord(within: ConstraintSet, theta: FloatArray, i: int, j: int) -> tuple[FloatArray, FloatArray]:
    """How far coordinate j may go down and up, shapes (kinds, chains)."""
    here, radius = theta[..., j], within.radius
    if isinstance(within, Simplex):
        return -here, theta[..., i]
    if isinstance(within, Box):
        return -radius - here, radius - here
    if isinstance(within, L2Ball):
        reach = np.sqrt(np.maximum(0.0, radius**2 - np.sum(theta**2, axis=2) + here**2))
    else:
        assert isinstance(within, L1Ball)
        reach = np.maximum(0.0, radius - np.abs(theta).sum(axis=2) + np.abs(here))
    return -reach - here, reach - here


PLACES = np.linspace(0.0, 1.0, 33)


def _drawn(
    slope: FloatArray, bend: FloatArray, low: FloatArray, high: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draws of density exp(-slope t - bend t^2/2) on [low, high], by their distribution function on a grid."""
    middle = np.clip(-slope / np.maximum(bend, 1e-12), low, high)
    # how far it matters: some deviations, or some lengths of an exponential law at an end
    far = np.minimum(6 / np.sqrt(np.maximum(bend, 1e-300)), 12 / np.maximum(np.abs(slope + bend * middle), 1e-300))
    far = np.where(np.abs(slope + bend * middle) > 1e-9, far, 6 / np.sqrt(np.maximum(bend, 1e-300)))
    low, high = np.maximum(low, middle - far), np.minimum(high, middle + far)
    places = low[..., None] + (high - low)[..., None] * PLACES
    power = slope[..., None] * places + 0.5 * bend[..., None] * places**2
    weights = np.exp(power.min(axis=-1, keepdims=True) - power)
    mass = np.cumsum(0.5 * (weights[..., 1:] + weights[..., :-1]), axis=-1)
    wanted = rng.random(slope.shape)[..., None] * mass[..., -1:]
    cell = np.sum(mass < wanted, axis=-1, keepdims=True).clip(0, len(PLACES) - 2)
    mass = np.concatenate([np.zeros_like(mass[..., :1]), mass], axis=-1)
    below, above = (np.take_along_axis(mass, cell + k, axis=-1) for k in (0, 1))
    share = (wanted - below) / np.maximum(above - below, 1e-300)
    return np.asarray((low[..., None] + (high - low)[..., None] * (cell + share) / (len(PLACES) - 1))[..., 0])


def exponential_mechanism(algorithm: ExponentialMechanism, asked: AdviceQuestion) -> FloatArray:
    """The exponential mechanism over the set; shape (kinds,), as all that follow."""
    data, schedule = of(asked), algorithm.schedule(asked.domain, asked.budget)
    return data.mean_excess(sampled(data, schedule.noise_scale))


def high_probability(algorithm: HighProbability, asked: AdviceQuestion) -> FloatArray:
    """The best of several samples, chosen by softmax."""
    inner, data = algorithm.inner, of(asked)
    if not isinstance(inner, ExponentialMechanism) or algorithm.blind:
        raise InputError("a choice is predicted among samples of the exponential mechanism only")
    schedule = algorithm.schedule(asked.domain, asked.budget)
    share = replace(asked.budget, epsilon=schedule.run_epsilon, delta=asked.budget.delta / schedule.runs)
    risks = data.excess(sampled(data, inner.schedule(asked.domain, share).noise_scale))
    rng = np.random.default_rng(43)
    chosen = risks[:, rng.permutation(risks.shape[1])]
    groups = chosen[:, : risks.shape[1] // schedule.runs * schedule.runs].reshape(data.kinds, -1, schedule.runs)
    weights = np.exp((groups.min(axis=2, keepdims=True) - groups) / schedule.selection_scale)
    return np.asarray((np.sum(weights * groups, axis=2) / weights.sum(axis=2)).mean(axis=1))


def confidence_boosting(algorithm: ConfidenceBoosting, asked: AdviceQuestion) -> FloatArray:
    """One of several answers, each from a chunk of its own, chosen by noisy losses of another chunk."""
    inner, data, domain = algorithm.inner, of(asked), asked.domain
    chunk, schedule = algorithm.chunk(domain), algorithm.schedule(domain, asked.budget)
    runs, rng, tried = algorithm.count, np.random.default_rng(47), effort(CHOSEN, domain.p, 3)
    total = tried * runs
    if isinstance(inner, RegularisedOutputPerturbation):
        own = inner.schedule(chunk, asked.budget)
        centre = data.minimise(data.best, own.weight)
        centre = data.project(centre + _of_a_part(data, centre, own.weight, chunk.n, total, rng))
        answers = centre + own.noise_scale * rng.standard_normal((1, total, domain.p))
    elif isinstance(inner, NoisyGD):
        some = descended(data, inner.schedule(chunk, asked.budget))
        answers = some[:, rng.integers(some.shape[1], size=total)]
    else:
        raise InputError("a choice is predicted among answers of output perturbation and descent only")
    losses = data.value(answers).reshape(data.kinds, tried, runs)
    noisy = losses + schedule.noise_scale * rng.laplace(size=(1, tried, runs))
    noisy = noisy + _noise_of_a_part(data, answers, chunk.n, rng).reshape(losses.shape)
    chosen = np.argmin(noisy, axis=2) + runs * np.arange(tried)
    picked = np.take_along_axis(answers, chosen[..., None], axis=1)
    return data.mean_excess(data.project(picked))


def _of_a_part(
    data: Ordinary, centre: FloatArray, ridge: float, size: float, draws: int, rng: np.random.Generator
) -> FloatArray:
    """How far the minimisers of parts of the records, of that size, are from that of all: one step of Newton's."""
    rows, p = data.features.shape[1:]
    if size >= 1e3 * rows:
        return np.zeros((data.kinds, draws, p))
    shares = rng.multinomial(int(size), np.full(rows, 1 / rows), draws) / size - 1 / rows
    return -data.newton(centre, shares, ridge + 1e-9)


def _noise_of_a_part(data: Ordinary, answers: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """How far the losses on a part of that size are from the losses on all."""
    spread = data.loss.value(answers @ data.features.transpose(0, 2, 1), data.labels[:, None, :]).std(axis=2)
    return np.asarray(spread / math.sqrt(size) * rng.standard_normal(spread.shape))


def grid_search(algorithm: GridSearch, asked: AdviceQuestion) -> FloatArray:
    """One of several radii, chosen by penalised noisy losses; zero is among the answers."""
    inner, data, domain, budget = algorithm.inner, of(asked), asked.domain, asked.budget
    if not isinstance(inner, RegularisedOutputPerturbation):
        raise InputError("a choice of radii is predicted among answers of output perturbation only")
    schedule, n, level = algorithm.schedule(domain, budget), domain.n, domain.label_level
    rng, share, half = np.random.default_rng(53), algorithm.share(budget), domain.n / 2
    tried = effort(CHOSEN, domain.p, 3)
    answers = [np.zeros((data.kinds, tried, domain.p))]
    penalties, sensitivities = [level**2], [0.0]
    losses = [np.zeros((data.kinds, tried))]
    for exponent in range(algorithm.first, algorithm.first + algorithm.guesses):
        ball = algorithm.ball(domain, exponent)
        over, own = data.over(ball.constraint_set), inner.schedule(ball, share)
        centre = over.minimise(over.start, own.weight, steps=80)
        answers.append(centre + own.noise_scale * rng.standard_normal((1, tried, domain.p)))
        delta = algorithm.largest(domain, budget, exponent)
        logarithm = math.log(algorithm.guesses / algorithm.failure)
        penalty = delta * logarithm / n + math.sqrt(4 * level**2 * delta * logarithm / n)
        penalties.append(penalty if algorithm.penalised else 0.0)
        sensitivities.append(delta if algorithm.sensitivities == "printed" else 2 * delta / n)
        losses.append(data.value(answers[-1]) + _noise_of_a_part(data, answers[-1], half, rng))
    scores = np.stack(losses, axis=2) + np.array(penalties)
    threshold = 8 * math.log(4 * len(answers) / algorithm.failure) / budget.epsilon
    every, found = np.stack(answers, axis=2), np.zeros((data.kinds, tried, domain.p))
    for kind in range(data.kinds):
        for run in range(tried):
            normal = normalised(scores[kind, run], np.array(sensitivities), threshold)
            noisy = normal + schedule.noise_scale * rng.gumbel(size=normal.shape)
            chosen = int(np.argmin(normal - (noisy - normal)))
            found[kind, run] = every[kind, run, chosen]
    return data.mean_excess(data.project(found))
