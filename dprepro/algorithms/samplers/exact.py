"""Exact draws from exp(-inverse temperature x risk) on a set, for the risks whose law is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from dprepro.errors import InputError
from dprepro.problems import ConstraintSet, DistanceLoss, Domain, L2Ball, LinearLoss, MarginLoss, Problem
from dprepro.problems.problem_data import FloatArray

GRID = 4001  # points of the quadrature behind an inverse distribution function
TRIES = 100_000

Sampler: TypeAlias = Callable[[float, np.random.Generator], FloatArray | None]


def known_law(domain: Domain, places: int = 2) -> Literal["", "linear", "radial", "affine"]:
    """Which law exp(-risk) has whatever the data are, their records lying at so many places; "" where none is known."""
    loss, within = domain.loss, domain.constraint_set
    if domain.l1_weight:
        return ""
    if isinstance(loss, LinearLoss) and isinstance(within, L2Ball):
        return "linear"
    flat = type(within).tangent is not ConstraintSet.tangent
    if isinstance(loss, DistanceLoss) and not flat and (loss.quadratic or places == 1):
        return "radial"  # about the mean record, or about the only one
    on_line = domain.p == 1 and isinstance(loss, MarginLoss)
    return "affine" if on_line and loss.affine(np.ones(1)) is not None else ""


def exact_sampler(problem: Problem) -> Sampler | None:
    """The sampler of exp(-inverse_temperature risk) for these data, or None where no law is known.

    It takes the inverse temperature and a generator, and gives a draw of shape (p,), or None where `radial_on_set`
    misses the set.
    """
    loss, within, start = problem.domain.loss, problem.constraint_set, problem.constraint_set.start()
    view = problem.records if "records" in problem.representations else None
    places = len(view.records.features) if view else 2
    law = known_law(problem.domain, places)
    if law == "linear":
        pull = -problem.gradient(start)  # the same everywhere
        return lambda inverse, rng: linear_on_ball(inverse * pull, within.radius, rng)
    if law == "radial":
        centre = view.records.features[0] if view and places == 1 else start - problem.gradient(start)
        return lambda inverse, rng: radial_on_set(lambda r: loss.value(r, 1.0), centre, inverse, within, rng)
    if law == "affine" and view:
        kinks = view.kinks
        values = np.array([view.value(np.array([kink])) for kink in kinks])
        return lambda inverse, rng: piecewise_linear(kinks, inverse * values, rng)
    return None


def linear_on_ball(pull: FloatArray, radius: float, rng: np.random.Generator) -> FloatArray:
    """A draw from the ball ||theta|| <= radius with density proportional to exp(<pull, theta>), shape (p,).

    With a = ||pull|| radius, 1 - x for x = <theta, pull>/a has density t^q (2 - t)^q exp(-a t), q = (p - 1)/2: a Gamma
    law of shape (p + 1)/2 and rate a, accepted with probability (1 - t/2)^q, about exp(-p^2/(8 a)). Where that is too
    rare, the distribution function is inverted by quadrature. Across, theta is uniform in a ball of dimension p - 1.
    """
    p = pull.size
    norm = float(np.linalg.norm(pull))
    a, power = norm * radius, (p - 1) / 2
    if 8 * a > p * max(p, 8):
        for _ in range(TRIES):
            t = float(rng.standard_gamma(power + 1) / a)
            if t < 2 and rng.random() < (1 - t / 2) ** power:
                break
        else:
            raise InputError(f"the sampler accepted nothing in {TRIES} tries at a={a:g}, p={p}")
    else:

        def exponent(angle: FloatArray) -> FloatArray:  # t = 1 - cos(angle) has no singular density
            return np.asarray(p * np.log(np.sin(angle)) - 2 * a * np.sin(angle / 2) ** 2)

        angle = np.linspace(0.0, math.pi, GRID)[1:-1]
        levels = exponent(angle)
        held = angle[levels > levels.max() - 60.0]
        fine = np.linspace(max(held[0] - angle[0], 1e-9), min(held[-1] + angle[0], math.pi - 1e-9), GRID)
        t = 2 * math.sin(_invert(fine, exponent(fine), rng) / 2) ** 2
    axis = pull / norm if norm > 0 else np.eye(1, p)[0]
    if p == 1:
        return np.asarray(radius * (1 - t) * axis)
    across = rng.standard_normal(p)
    across -= (across @ axis) * axis
    length = math.sqrt(max(0.0, t * (2 - t))) * rng.random() ** (1 / (p - 1))
    return np.asarray(radius * ((1 - t) * axis + length * across / float(np.linalg.norm(across))))


def piecewise_linear(places: FloatArray, energy: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A draw, shape (1,), with density proportional to exp(-energy), linear between the ascending ``places``."""
    share = shares(places, energy)
    piece = int(rng.choice(share.size, p=share))
    # from the lower end on, a truncated exponential law of rate |slope|, by its inverse distribution function
    drop, width = float(energy[piece + 1] - energy[piece]), float(places[piece + 1] - places[piece])
    u = rng.random()
    size = abs(drop)
    part = -math.log1p(u * math.expm1(-size)) / size if size > 1e-12 else u
    return np.array([places[piece] + width * part if drop >= 0 else places[piece + 1] - width * part])


def shares(places: FloatArray, energy: FloatArray) -> FloatArray:
    """The probability of each piece under that density: width e^-least (1 - e^-size)/size, normalised."""
    size = np.abs(np.diff(energy))
    least = np.minimum(energy[1:], energy[:-1])
    mean = np.where(size > 1e-12, -np.expm1(-size) / np.maximum(size, 1e-12), 1.0)
    weight = np.exp(least.min() - least) * mean * np.diff(places)
    return np.asarray(weight / weight.sum())


def radial_on_set(
    profile: Callable[[FloatArray], FloatArray],
    centre: FloatArray,
    inverse_temperature: float,
    constraint_set: ConstraintSet,
    rng: np.random.Generator,
) -> FloatArray | None:
    """A draw from the set with density proportional to exp(-inverse_temperature profile(||theta - centre||)).

    In the whole space the distance r has density r^(p-1) exp(-inverse_temperature profile(r)), inverted by quadrature;
    draws outside the set are drawn again. None where the set is missed `TRIES` times.
    """
    p = centre.size
    reach = constraint_set.norm_bound(2) + float(np.linalg.norm(centre))  # no point of the set is farther

    def exponent(r: FloatArray) -> FloatArray:
        return np.asarray((p - 1) * np.log(r) - inverse_temperature * profile(r))

    coarse = reach * np.exp(np.linspace(-60.0, 0.0, GRID))
    levels = exponent(coarse)
    held = coarse[levels > levels.max() - 60.0]
    grid = np.linspace(0.0 if p == 1 else held[0] / 1.02, min(reach, held[-1] * 1.02), GRID)
    grid[0] = max(grid[0], grid[1] * 1e-9)
    below = _cumulated(grid, exponent(grid))
    for _ in range(TRIES):
        r = float(np.interp(rng.random() * below[-1], below, grid))
        direction = rng.standard_normal(p)
        theta = np.asarray(centre + r * direction / float(np.linalg.norm(direction)))
        if constraint_set.contains(theta, 0.0):
            return theta
    return None


def _invert(grid: FloatArray, logs: FloatArray, rng: np.random.Generator) -> float:
    """A draw whose log-density is known on a grid, up to a constant, by the trapezoidal rule."""
    below = _cumulated(grid, logs)
    return float(np.interp(rng.random() * below[-1], below, grid))


def _cumulated(grid: FloatArray, logs: FloatArray) -> FloatArray:
    """The cumulated weights of a log-density on a grid, not normalised, by the trapezoidal rule."""
    weights = np.exp(logs - logs.max())
    steps = 0.5 * (weights[1:] + weights[:-1]) * np.diff(grid)
    return np.concatenate([[0.0], np.cumsum(steps)])
