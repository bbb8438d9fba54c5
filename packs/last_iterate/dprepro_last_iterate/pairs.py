"""Pairs of losses that leak much: linear ones with the best drift, and a search among all convex ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dprepro_last_iterate.published import convex_mu, gaussian_epsilon, ratio_b
from dprepro_last_iterate.transfer import THRESHOLDS, HalfLines, Slope, constant, half_lines

SAFETY = 1e-7
"""What the error of a law may be, over delta e^-epsilon."""
ROUNDS = 8
FINER = 4
"""Times that the pairs near to the best one are looked at."""
CLOSE = 257
"""Thresholds of half-lines of these: with few of them epsilon depends on where they lie."""
FINE = 1025
"""Thresholds of half-lines of what a search found."""
GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Found:
    """A pair with what it leaks.

    Attributes:
        epsilon: certified, from below.
        steps: T. drift: a/s of the linear loss.
    """

    epsilon: float
    steps: int
    drift: float


def allowed_error(delta: float, most: float) -> float:
    """So small that an epsilon of up to ``most`` changes by `SAFETY`."""
    return SAFETY * delta * math.exp(-most)


def linear(
    drift: float,
    s: float,
    eta: float,
    sigma: float,
    steps: Sequence[int],
    error: float,
    start: float = 1.0,
    thresholds: int = THRESHOLDS,
) -> HalfLines:
    """F' = drift, G' = drift + s on [0, 1], from the end that both leave."""
    first, second = constant(drift), constant(drift + s)
    return half_lines((((1.0, first),), ((1.0, second),)), start, eta, sigma, steps, error, thresholds)


def forecast(s: float, eta: float, sigma: float, delta: float) -> float:
    """a/s at which the pair leaks most, by large deviations: l = 2 al^2/(1 + al) B, l = ln(1/delta)."""
    b, level = ratio_b(s, eta, sigma), -math.log(delta)
    return (level + math.sqrt(level**2 + 8 * b * level)) / (4 * b)


def plateau_time(s: float, eta: float) -> float:
    """T* = 4D/(eta s): from here on composition is no better than the convex bound."""
    return 4 / (eta * s)


@lru_cache(maxsize=512)
def worst_linear(s: float, eta: float, sigma: float, delta: float) -> Found:
    """The linear pair that leaks most, over drifts and all T; a search of one number, certified from below."""
    error = allowed_error(delta, gaussian_epsilon(convex_mu(math.inf, s, eta, sigma), delta))

    def at(drift: float) -> Found:
        most = math.ceil(1.5 * plateau_time(s, eta) / (1 + drift)) + 4
        return _best_of(drift, range(max(1, most // 20), most + 1, max(1, most // 200)))

    def _best_of(drift: float, steps: Sequence[int], thresholds: int = THRESHOLDS) -> Found:
        found = linear(drift * s, s, eta, sigma, steps, error, thresholds=thresholds)
        epsilons = found.epsilons(delta)
        best = int(epsilons.argmax())
        return Found(float(epsilons[best]), int(found.steps[best]), drift)

    guess = forecast(s, eta, sigma, delta)
    # a drift carries the start to the other end in a whole number of steps: of few steps epsilon is a saw of the drift
    typical = plateau_time(s, eta) / (1 + guess)
    found = largest(at, guess / 5, 1.5 * guess, min(max(10, round(700 / typical)), 60))
    best = found
    for _ in range(FINER):  # about the best pair, until it stays
        near = range(max(1, round(0.95 * best.steps) - 1), round(1.05 * best.steps) + 2)
        finer = [_best_of(best.drift * math.exp(0.004 * place), near, CLOSE) for place in range(-5, 6)]
        before, best = best, max([best, *finer], key=lambda found: found.epsilon)
        if best == before:
            break
    return _best_of(best.drift, [best.steps], FINE)


@lru_cache(maxsize=512)
def worst_linear_at(steps: int, s: float, eta: float, sigma: float, delta: float) -> Found:
    """The same at one T."""
    error = allowed_error(delta, gaussian_epsilon(convex_mu(steps, s, eta, sigma), delta))

    def at(drift: float) -> Found:
        found = linear(drift * s, s, eta, sigma, [steps], error)
        return Found(float(found.epsilons(delta)[0]), steps, drift)

    # to stay up for T steps costs what the level allows, or the drift carries the start to the other end in time
    stays = math.sqrt(-2 * math.log(delta) / steps) * sigma / s
    guess = min(forecast(s, eta, sigma, delta), max(stays, 1 / (eta * s * steps)))
    drift = largest(at, guess / 16, 4 * guess, 13).drift
    found = linear(drift * s, s, eta, sigma, [steps], error, thresholds=FINE)
    return Found(float(found.epsilons(delta)[0]), steps, drift)


def largest(at: Callable[[float], Found], low: float, high: float, points: int) -> Found:
    """By a geometric grid, then by golden section in the logarithm about its best point."""
    grid = [low * (high / low) ** (place / (points - 1)) for place in range(points)]
    tried = [at(item) for item in grid]
    best = max(range(points), key=lambda place: tried[place].epsilon)
    low, high = math.log(grid[max(best - 1, 0)]), math.log(grid[min(best + 1, points - 1)])
    left, right = (at(math.exp(value)) for value in (high - GOLDEN * (high - low), low + GOLDEN * (high - low)))
    for _ in range(ROUNDS):
        tried += [left, right]
        if left.epsilon >= right.epsilon:
            high = math.log(right.drift)
            left, right = at(math.exp(high - GOLDEN * (high - low))), left
        else:
            low = math.log(left.drift)
            left, right = right, at(math.exp(low + GOLDEN * (high - low)))
    return max([*tried, left, right], key=lambda found: found.epsilon)


def pair_epsilon(
    first: Slope, second: Slope, start: float, eta: float, sigma: float, steps: Sequence[int], delta: float, most: float
) -> float:
    """The largest certified epsilon over the numbers of steps, of any pair of slopes."""
    both = (((1.0, first),), ((1.0, second),))
    found = half_lines(both, start, eta, sigma, steps, allowed_error(delta, most))
    return float(found.epsilons(delta).max())
