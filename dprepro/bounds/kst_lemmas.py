"""Kifer, Smith and Thakurta (2012): both sides of the lemmas behind Theorems 1 and 2 and Algorithm 6, as numbers.

`draw` seeds a random matrix; `index` is i, that of the approximations of Appendix C; their kernel is K_i, the density
proportional to exp(-1/(1 - (i ||y||^2)^2)) on ||y||^2 < 1/i. The objective is n J = Delta/2 ||theta||^2 + <b, theta> +
||theta||_1, Delta = ``ridge``, or one of the same slopes.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

Vector = NDArray[np.float64]
POINTS = 4001


def one() -> float:
    """1: the other side of an equality, whose left one is 1 + how far both sides are apart."""
    return 1.0


# Lemma 15: determinants after a change of rank two


def _changed(p: float, draw: float, rank: int) -> tuple[float, Vector]:
    """det(A + E)/det(A) - 1 of a random A and E of that rank, and the eigenvalues of A^-1 E, largest modulus first."""
    rng, size = np.random.default_rng(int(draw)), int(p)
    a = rng.standard_normal((size, size))
    change = np.linalg.solve(a, rng.standard_normal((size, rank)) @ rng.standard_normal((rank, size)))
    values = np.linalg.eigvals(change)
    values = values[np.argsort(-np.abs(values))]
    return float(np.linalg.det(np.eye(size) + change)) - 1, values


def _apart(left: float, right: complex) -> float:
    return 1 + abs(left - right) / (1 + abs(left))


def lemma_15(p: float, draw: float) -> float:
    """1 + |left - right|/(1 + |left|); lambda_1, lambda_2 are the eigenvalues that are not zero."""
    left, values = _changed(p, draw, 2)
    return _apart(left, values[0] + values[1] + values[0] * values[1])


def lemma_15_without_product(p: float, draw: float) -> float:
    """A falsehood: lambda_1 + lambda_2 alone."""
    left, values = _changed(p, draw, 2)
    return _apart(left, values[0] + values[1])


def lemma_15_rank_three(p: float, draw: float) -> float:
    """A falsehood: the same for E of rank three."""
    left, values = _changed(p, draw, 3)
    return _apart(left, values[0] + values[1] + values[0] * values[1])


def lemma_15_as_printed(p: float) -> float:
    """With the two highest eigenvalues, A = I, E = diag(1, -1/2, 0, ...), p >= 3: they are 1 and 0."""
    values = np.sort(np.concatenate([[1.0, -0.5], np.zeros(int(p) - 2)]))[::-1]
    return _apart(2 * 0.5 - 1, values[0] + values[1] + values[0] * values[1])


# Lemma 16: projections of a Gaussian vector


@lru_cache(maxsize=32)
def _density_of_sum(p: float, kind: str) -> tuple[Vector, Vector]:
    """Of sum_j Z_j/j on a grid, Z_j of variance 1, by convolution of the p densities."""
    step = 1 / 200
    grid = np.arange(-12, 12 + step / 2, step)
    total = np.zeros(0)
    for j in range(1, int(p) + 1):
        x = grid * j
        one_of = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) if kind == "normal" else (np.abs(x) < 3**0.5) / 12**0.5
        total = one_of * j if not total.size else np.convolve(total, one_of * j, mode="same") * step
    return grid, total


def lemma_16(p: float) -> float:
    """1 + the largest difference between the density of <Z, v>, v_j = 1/j, and that of N(0, ||v||^2)."""
    return _from_normal(*_density_of_sum(p, "normal"), math.sqrt(sum(j**-2.0 for j in range(1, int(p) + 1))))


def lemma_16_l1(p: float) -> float:
    """A falsehood: the deviation is ||v||_1."""
    return _from_normal(*_density_of_sum(p, "normal"), sum(1.0 / j for j in range(1, int(p) + 1)))


def lemma_16_uniform(p: float) -> float:
    """A falsehood: the same for uniform Z_j of variance 1."""
    return _from_normal(*_density_of_sum(p, "uniform"), math.sqrt(sum(j**-2.0 for j in range(1, int(p) + 1))))


def _from_normal(grid: Vector, density: Vector, deviation: float) -> float:
    normal = np.exp(-((grid / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
    return 1 + float(np.abs(density - normal).max())


# Claims 12 and 19, Lemma 18: mollified penalties


@lru_cache(maxsize=16)
def _kernel(p: int) -> tuple[Vector, Vector]:
    """Places u in [-1, 1] and the distribution function there of sqrt(i) Y_1, Y of density K_i in p dimensions."""
    u = np.linspace(-1, 1, POINTS)

    def bump(square: Vector) -> Vector:
        with np.errstate(divide="ignore"):
            return np.exp(-1 / np.maximum(1 - square**2, 0.0))

    density = bump(u**2)
    if p > 1:
        across = np.linspace(0, 1, 801) * np.sqrt(1 - u**2)[:, None]
        weight = bump(u[:, None] ** 2 + across**2) * across ** (p - 2)
        density = np.asarray(np.trapezoid(weight, across, axis=1))
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return u, below / below[-1]


def _moment(p: int, power: float) -> float:
    """E |sqrt(i) Y_1|^power."""
    u, below = _kernel(p)
    return float(np.diff(below) @ np.abs((u[1:] + u[:-1]) / 2) ** power)


def _slope(p: int, index: float, places: Vector) -> Vector:
    """r_i' along a coordinate, r = ||theta||_1."""
    u, below = _kernel(p)
    return np.asarray(2 * np.interp(places * math.sqrt(index), u, below) - 1)


def claim_12_open(threshold: float) -> float:
    """mu((t, inf)) for the limit, b ~ N(0, 1), Delta = 1, in one dimension: answers beyond t."""
    return float(special.ndtr(-(threshold + (1 if threshold >= 0 else -1))))


def claim_12_closed(threshold: float) -> float:
    """mu([t, inf)), with the atom at zero."""
    return float(special.ndtr(-(threshold + (1 if threshold > 0 else -1))))


def claim_12_before(threshold: float, index: float) -> float:
    """mu^i((t, inf)) = mu^i([t, inf)): no atom before the limit."""
    return float(special.ndtr(-(threshold + float(_slope(1, index, np.array(threshold))))))


def mass_before(distance: float, index: float) -> float:
    """mu^i([-r, r]), r = ``distance``: of Example 1's approximations, which have densities."""
    return claim_12_before(-distance, index) - claim_12_before(distance, index)


def mass_allowed(distance: float, index: float) -> float:
    """2 r times the largest that a density can be: psi' <= 1 + 2 sqrt(i) max K_1, times that of N(0, 1)."""
    u, below = _kernel(1)
    highest = float(np.max(np.diff(below) / np.diff(u)))
    return 2 * distance * (1 + 2 * math.sqrt(index) * highest) / math.sqrt(2 * math.pi) + 1e-15


def claim_19_gap(p: float, index: float) -> float:
    """sup |r_i - r| of r = ||theta||_1, which is at zero: p E|Y_1|."""
    return p * _moment(int(p), 1) / math.sqrt(index)


def claim_19(p: float, index: float) -> float:
    """What the proof's xi is: how much r can move within 1/sqrt(i), the radius of the kernel."""
    return math.sqrt(p / index)


def claim_19_as_printed(p: float, index: float) -> float:
    """How much r can move within 1/i, the radius that the proof has."""
    return math.sqrt(p) / index


def claim_19_everywhere(index: float) -> float:
    """A falsehood: |r_i - r| of r = theta^4 at theta = i, where the set is all of R."""
    return 6 * index * _moment(1, 2) + _moment(1, 4) / index**2


def claim_19_fourth_moves(index: float) -> float:
    """How much theta^4 can move within 1/sqrt(i) where |theta| <= 2."""
    return (2 + 1 / math.sqrt(index)) ** 4 - 2**4


def minimiser_gap(p: float, index: float, ridge: float) -> float:
    """sup over b of ||phi^i(b) - phi(b)||; coordinates are alike, and phi^i = phi beyond 1/sqrt(i)."""
    places = np.linspace(0, 1 / math.sqrt(index), POINTS)
    pull = ridge * places + _slope(int(p), index, places)
    return math.sqrt(p) * float(np.abs(places - np.maximum(pull - 1, 0.0) / ridge).max())


def lemma_18(p: float, index: float, ridge: float) -> float:
    """The proof's sqrt(4 xi/Delta), 3 sup |r_i - r| in the place of xi."""
    return math.sqrt(12 * claim_19_gap(p, index) / ridge)


# Lemma 21: a penalty i f for leaving the set, f the distance; F = [-1, 1], n J = Delta/2 t^2 + log cosh t - pull t


def lemma_21(ridge: float, pull: float) -> float:
    """1 + |phi^i - phi| at the slope i that the proof takes."""
    return 1 + _left(ridge, pull, slope_of_lemma_21(ridge, pull))


def slope_of_lemma_21(ridge: float, pull: float) -> float:
    """i = 2 m, the proof's."""
    return 2 * _steepest(ridge, pull)


def slope_at_the_border(ridge: float, pull: float) -> float:
    """The slope that would do: that of n J at 1."""
    return pull - ridge - math.tanh(1)


def lemma_21_too_flat(ridge: float, pull: float) -> float:
    """A falsehood: the same at half of the slope of n J at the border."""
    return 1 + _left(ridge, pull, slope_at_the_border(ridge, pull) / 2)


def lemma_21_squared(ridge: float, pull: float) -> float:
    """A falsehood: with the squared distance the minimisers are never equal, here at i = 2 m."""
    weight = slope_of_lemma_21(ridge, pull)
    root = optimize.brentq(lambda t: ridge * t + math.tanh(t) - pull + 2 * weight * (t - 1), 0, pull / ridge + 1)
    return float(root)


def radius_of_lemma_21(ridge: float, pull: float) -> float:
    """||phi - phi^0||, both being in H, for n J = Delta/2 t^2 - pull t."""
    return pull / ridge - 1


def radius_as_printed(ridge: float, pull: float) -> float:
    """d, the root of the difference of n J between them, in which the proof says that H lies."""
    return math.sqrt(ridge / 2) * (pull / ridge - 1)


def radius_as_repaired(ridge: float, pull: float) -> float:
    """d sqrt(2/Delta)."""
    return math.sqrt(2 / ridge) * radius_as_printed(ridge, pull)


def _left(ridge: float, pull: float, weight: float) -> float:
    """phi^i - 1 where phi^i > 1."""
    if ridge + math.tanh(1) - pull + weight >= 0:
        return 0.0
    return float(optimize.brentq(lambda t: ridge * t + math.tanh(t) - pull + weight, 1, pull / ridge)) - 1


def _steepest(ridge: float, pull: float) -> float:
    """m: the steepest rise of n J from the ball around phi^0 that holds H, over twice its radius."""

    def value(t: float) -> float:
        return ridge / 2 * t**2 + abs(t) + math.log1p(math.exp(-2 * abs(t))) - math.log(2) - pull * t

    free = float(optimize.brentq(lambda t: ridge * t + math.tanh(t) - pull, 0, pull / ridge))
    radius = math.sqrt(2 * (value(1.0) - value(free)) / ridge)
    return (value(free + 3 * radius) - value(free + radius)) / (2 * radius)


# Claim 23: difference quotients


def claim_23_near(power: float, start: float) -> float:
    """exp of (g(theta_1 + theta_2) - g(theta_1))/||theta_2||, g = |t|^power, theta_1 = start, theta_2 = 1/2."""
    return _quotient(power, start, 0.5)


def claim_23_far(power: float, start: float, stretch: float) -> float:
    """`claim_23_near` with s theta_2."""
    return _quotient(power, start, 0.5 * stretch)


def _quotient(power: float, start: float, step: float) -> float:
    return math.exp(float(abs(start + step) ** power - abs(start) ** power) / step)


# Lemma 40: eigenvalues of a weighted sum of rank-one matrices


def _weighted(p: float, draw: float) -> tuple[Vector, Vector]:
    rng, size = np.random.default_rng(int(draw)), int(p)
    rows = np.eye(size) if draw == 0 else rng.standard_normal((2 * size, size))
    return rng.standard_normal(len(rows)), rows


def lemma_40_sum(p: float, draw: float) -> float:
    """sum |lambda_i(A)| of A = sum_i w_i x_i^T x_i; draw 0 has orthogonal x_i, where both sides are equal."""
    weights, rows = _weighted(p, draw)
    return float(np.abs(np.linalg.eigvalsh((rows.T * weights) @ rows)).sum()) / (1 + 1e-12)


def lemma_40(p: float, draw: float) -> float:
    """sum |w_i| ||x_i||^2."""
    weights, rows = _weighted(p, draw)
    return float(np.abs(weights) @ (rows**2).sum(axis=1))


def lemma_40_signed(p: float, draw: float) -> float:
    """A falsehood: |sum w_i ||x_i||^2|, the trace."""
    weights, rows = _weighted(p, draw)
    return abs(float(weights @ (rows**2).sum(axis=1)))
