"""Exact laws of the last iterate in one dimension, by a transfer matrix with a certified error.

x_{t+1} = clip(x_t - eta (F'(x_t) + Z_t), 0, D), Z_t ~ N(0, sigma^2), v = eta sigma, F' affine on the panels of a
partition of [0, D] with |1 - eta F''| <= 1. The law of x_t (t >= 1) has two atoms, at 0 and D, a density in between.
A state is the mass of both atoms and w_i p(x_i) at the Gauss-Legendre nodes x_i, w_i of all panels.

**Error of a half-line's probability.** The density before a quadrature is mass times an average of normal densities
with means g(z), so at a distance tau from the real axis it is at most e^{tau^2/2v^2}/(sqrt(2 pi) v); what the further
steps make of an event is an average of values in [0, 1] against such a density in y, so at most e^{tau^2/2v^2}, since
|g'| <= 1. Their product M is what Gauss-Legendre integrates over a panel of half length h: on the ellipse of Bernstein
with rho = e^theta, tau <= h sinh theta, the error is at most (64/15) h M rho^{-2n}/(1 - rho^{-2}) (Trefethen 2013,
Theorem 19.3; from memory, tested). The first step (from a point) and the last one (into a half-line) use the normal law
itself, so T steps have T - 1 such errors, which add up, as all maps are contractions of mass. All terms are positive:
rounding is relative.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dprepro.errors import PremiseError

FloatArray = NDArray[np.float64]

MOST_NODES = 600
"""Of a panel; a law that needs more is refused."""

ROUNDING = 2e-12
"""Relative, of a step: sums of some hundred positive terms, and exp(-x^2/2) for x up to 40.

Weights at the ends of a panel of 100 nodes or more are worse than that, by up to 1e-9 of themselves, but carry little
mass: of laws that press against an end a test measures less than a tenth of this.
"""

UNDERFLOW = 1e-280
"""Absolute, of every probability: what terms below the smallest number add up to."""

THRESHOLDS = 65
"""Half-lines on each side: a search needs few, its result more."""


@dataclass(frozen=True)
class Slope:
    """F' on [0, D]: affine between ``breaks``, from ``left`` to ``right`` on each piece."""

    breaks: tuple[float, ...]
    left: tuple[float, ...]
    right: tuple[float, ...]

    def at(self, x: FloatArray) -> FloatArray:
        """F' at points; at a jump that of the piece on the right."""
        breaks, left, right = map(np.asarray, (self.breaks, self.left, self.right))
        piece = np.searchsorted(breaks[1:-1], x, side="right")
        share = (x - breaks[piece]) / (breaks[piece + 1] - breaks[piece])
        return np.asarray((1 - share) * left[piece] + share * right[piece])

    def plus(self, number: float) -> Slope:
        """F' + number."""
        return Slope(self.breaks, tuple(a + number for a in self.left), tuple(b + number for b in self.right))


def constant(slope: float, diameter: float = 1.0) -> Slope:
    """The slope of a linear loss."""
    return Slope((0.0, diameter), (slope,), (slope,))


def affine(at_zero: float, curvature: float, diameter: float = 1.0) -> Slope:
    """The slope of a quadratic."""
    return Slope((0.0, diameter), (at_zero,), (at_zero + curvature * diameter,))


def joined(knots: Sequence[float], values: Sequence[float]) -> Slope:
    """A continuous, piecewise linear slope through the values at the knots."""
    return Slope(tuple(knots), tuple(values[:-1]), tuple(values[1:]))


def steps_of(knots: Sequence[float], values: Sequence[float]) -> Slope:
    """A piecewise constant slope, one value a piece."""
    return Slope(tuple(knots), tuple(values), tuple(values))


THETA = np.geomspace(1e-3, 6, 400)


def quadrature_error(nodes: int, half: float) -> float:
    """Of one step on a panel of half length ``half`` (in units of v): the bound above, at the best of many theta."""
    power = np.minimum((half * np.sinh(THETA)) ** 2 - 2 * nodes * THETA, 700.0)
    bound = 64 / 15 * half / math.sqrt(2 * math.pi) * np.exp(power) / -np.expm1(-2 * THETA)
    return float(bound.min())


@lru_cache(maxsize=1024)
def needed_nodes(half: float, error: float) -> int:
    """Of a panel, for an error of a step; raises PremiseError where there are too many."""
    for nodes in range(8, MOST_NODES + 1, 4):
        if quadrature_error(nodes, half) <= error:
            return nodes
    raise PremiseError(f"an exact law with D/v={2 * half:.3g} needs more than {MOST_NODES} nodes")


@lru_cache(maxsize=64)
def _gauss(nodes: int) -> tuple[FloatArray, FloatArray]:
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return points, weights


@dataclass(frozen=True)
class Rule:
    """Nodes and weights on [0, D], panel by panel, with the error of a step that they leave."""

    nodes: FloatArray
    weights: FloatArray
    breaks: tuple[float, ...]
    error: float


def rule_for(breaks: Sequence[float], noise: float, error: float) -> Rule:
    """A rule with panels that end at the ``breaks``, and with at most this ``error`` a step."""
    nodes, weights, total = [], [], 0.0
    for start, end in itertools.pairwise(breaks):
        half = (end - start) / 2
        count = needed_nodes(half / noise, error / (len(breaks) - 1))
        points, masses = _gauss(count)
        nodes.append(start + half * (1 + points))
        weights.append(half * masses)
        total += quadrature_error(count, half / noise)
    return Rule(np.concatenate(nodes), np.concatenate(weights), tuple(breaks), total)


Mixture = Sequence[tuple[float, Slope]]
"""Of one step: with which probability it takes which slope."""


def _means(slope: Slope, rule: Rule, step: float) -> FloatArray:
    """x - eta F'(x) at the atom 0, at the nodes, at the atom D."""
    diameter = rule.breaks[-1]
    _check(slope, step)
    inside = rule.nodes - step * slope.at(rule.nodes)
    return np.concatenate([[-step * slope.left[0]], inside, [diameter - step * slope.right[-1]]])


def _check(slope: Slope, step: float) -> None:
    pieces = zip(slope.breaks[:-1], slope.breaks[1:], slope.left, slope.right, strict=True)
    for start, end, left, right in pieces:
        if not -1e-12 <= step * (right - left) / (end - start) <= 2 + 1e-12:
            raise PremiseError("the law needs 0 <= eta F'' <= 2 on each piece")


def _spread(means: FloatArray, rule: Rule, noise: float) -> FloatArray:
    """The matrix from points with these means of the next step to the states."""
    z = (rule.nodes[:, None] - means[None, :]) / noise
    inner = rule.weights[:, None] * np.exp(-(z**2) / 2) / (math.sqrt(2 * math.pi) * noise)
    low, high = ndtr(-means / noise), ndtr((means - rule.breaks[-1]) / noise)
    return np.concatenate([low[None, :], inner, high[None, :]])


def _events(means: FloatArray, rule: Rule, noise: float, thresholds: int) -> FloatArray:
    """Probabilities of upper half-lines {y >= t} and lower ones {y <= t}, of the next step before it is clipped."""
    t = np.linspace(0, rule.breaks[-1], thresholds)
    z = (means[None, :] - t[:, None]) / noise
    return np.concatenate([ndtr(z), ndtr(-z)])


@dataclass(frozen=True)
class HalfLines:
    """Probabilities of half-lines under both laws, after each of some numbers of steps.

    Attributes:
        steps: the numbers of steps.
        first, second: shape (steps, events).
        error: of each, absolute and (after the comma of `ROUNDING`) relative to itself.
    """

    steps: NDArray[np.int64]
    first: FloatArray
    second: FloatArray
    error: FloatArray

    def epsilons(self, delta: float, certified: bool = True) -> FloatArray:
        """The largest ln((P(S) - delta)/Q(S)) over half-lines and both orders: a lower value of epsilon, at least 0.

        It is epsilon itself where the likelihood ratio is monotone. ``certified``: less the error.
        """
        absolute = self.error[:, None] if certified else np.zeros((len(self.steps), 1))
        relative = ROUNDING * (self.steps[:, None] + 1) if certified else 0.0
        best = np.zeros(len(self.steps))
        for p, q in ((self.first, self.second), (self.second, self.first)):
            top, bottom = p * (1 - relative) - absolute - delta, q * (1 + relative) + absolute + UNDERFLOW * certified
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.where(top > 0, np.log(np.maximum(top, 1e-320)) - np.log(bottom), 0.0)
            best = np.maximum(best, found.max(axis=1))
        return best


def _power(powers: dict[int, FloatArray], exponent: int) -> FloatArray:
    """A power of the matrix ``powers[1]``; those that it is made of are kept."""
    if exponent not in powers:
        half = _power(powers, exponent // 2)
        powers[exponent] = half @ half if exponent % 2 == 0 else powers[1] @ (half @ half)
    return powers[exponent]


def half_lines(
    pair: tuple[Mixture, Mixture],
    start: float,
    step: float,
    noise_scale: float,
    steps: Sequence[int],
    error: float,
    thresholds: int = THRESHOLDS,
) -> HalfLines:
    """Both laws of x_T from x_0 = ``start``, for all T of ``steps`` in one run; several steps at once by powers.

    Args:
        pair: of both data sets, what a step may take.
        step, noise_scale: eta and sigma.
        error: of every probability, absolute, at the last T.
        thresholds: of half-lines, even over [0, D].
    """
    numbers = np.unique(np.asarray(steps, dtype=np.int64))
    noise, last = step * noise_scale, int(numbers[-1])
    breaks = sorted({b for mixture in pair for _, slope in mixture for b in slope.breaks})
    rule = rule_for(breaks, noise, error / max(last - 1, 1))

    def observe(means: FloatArray) -> FloatArray:
        return _events(means, rule, noise, thresholds)

    both = [observed(mixture, start, step, noise, numbers, rule, observe) for mixture in pair]
    errors = np.maximum(numbers - 1, 0) * rule.error
    return HalfLines(numbers, both[0], both[1], errors.astype(float))


def observed(
    mixture: Mixture,
    start: float,
    step: float,
    noise: float,
    numbers: NDArray[np.int64],
    rule: Rule,
    observe: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """What is observed of x_T, shape (numbers of steps, observations), for one law.

    Args:
        noise: v = eta sigma.
        numbers: of steps, increasing.
        observe: from the means of the last step, shape (states,), to the mean observations, shape (observations,
            states).
    """
    first = [(share, start - step * slope.at(np.array([start]))) for share, slope in mixture]
    later = [(share, _means(slope, rule, step)) for share, slope in mixture]
    matrix = sum(share * _spread(means, rule, noise) for share, means in later)
    events = sum(share * observe(means) for share, means in later)
    state = np.asarray(sum(share * _spread(means, rule, noise)[:, 0] for share, means in first))
    begun = np.asarray(sum(share * observe(means)[:, 0] for share, means in first))
    powers, states, reached = {1: np.asarray(matrix)}, [], 1
    for t in numbers[numbers > 1]:
        if t - 1 > reached:
            state = _power(powers, int(t - 1 - reached)) @ state
            reached = int(t - 1)
        states.append(state)
    found = np.asarray(states).reshape(-1, len(state)) @ np.asarray(events).T
    return np.concatenate([begun[None, :], found]) if numbers[0] == 1 else found


def cyclic_half_lines(
    pair: tuple[Sequence[Slope], Sequence[Slope]],
    start: float,
    step: float,
    noise_scale: float,
    epochs: int,
    error: float,
    thresholds: int = THRESHOLDS,
) -> HalfLines:
    """Both laws after whole epochs, of batches in a fixed order: the slopes of ``pair`` are those of r batches.

    Args:
        error: of every probability, absolute, as in `half_lines`.
    """
    noise, steps = step * noise_scale, epochs * len(pair[0])
    breaks = sorted({b for slopes in pair for slope in slopes for b in slope.breaks})
    rule = rule_for(breaks, noise, error / max(steps - 1, 1))

    def law(slopes: Sequence[Slope]) -> FloatArray:
        matrices = {slope: _spread(_means(slope, rule, step), rule, noise) for slope in slopes}
        place = np.array([start])
        means = place - step * slopes[0].at(place)
        if steps == 1:
            return _events(means, rule, noise, thresholds)[:, 0]

        def taken(state: FloatArray, batches: Sequence[Slope]) -> FloatArray:
            for slope in batches:
                state = matrices[slope] @ state
            return state

        state, left = _spread(means, rule, noise)[:, 0], slopes[1:]
        if epochs > 1:
            state, left = taken(state, left), slopes
            if epochs > 2:
                epoch = taken(np.eye(len(state)), slopes)
                state = np.linalg.matrix_power(epoch, epochs - 2) @ state
        last = _events(_means(slopes[-1], rule, step), rule, noise, thresholds)
        return np.asarray(last @ taken(state, left[:-1]))

    both = [law(slopes)[None, :] for slopes in pair]
    return HalfLines(np.array([steps]), both[0], both[1], np.array([(steps - 1) * rule.error]))
