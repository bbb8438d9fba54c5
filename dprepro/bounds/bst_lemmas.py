"""Bassily, Smith and Thakurta (2014): both sides of lemmas, as numbers. What is exact says how; the rest is printed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


# Lemma 2.2: a private algorithm on a random share of the records


def sampled_epsilon(share: float, epsilon: float) -> float:
    """ln(1 + gamma (e^epsilon - 1)): epsilon of randomised response on a share gamma of the records, exactly."""
    return math.log1p(share * math.expm1(epsilon))


def lemma_2_2(share: float, epsilon: float) -> float:
    """2 gamma epsilon."""
    return 2 * share * epsilon


def lemma_2_2_halved(share: float, epsilon: float) -> float:
    """A falsehood: gamma epsilon."""
    return share * epsilon


# Lemma 2.3: strong composition


def composed_epsilon(uses: float, epsilon: float, delta: float) -> float:
    """The least epsilon at delta of T randomised responses together, which are the worst T pure mechanisms.

    The number of true answers is binomial, and the loss (2k - T) epsilon; beyond 14 deviations nothing is left.
    """
    from scipy.special import gammaln

    true = 1 / (1 + math.exp(-epsilon))
    reach = 14 * math.sqrt(uses * true * (1 - true)) + 14
    k = np.arange(max(0.0, math.floor(uses * true - reach)), min(uses, math.ceil(uses * true + reach)) + 1)
    logs = gammaln(uses + 1) - gammaln(k + 1) - gammaln(uses - k + 1)
    chance, loss = np.exp(logs + k * math.log(true) + (uses - k) * math.log1p(-true)), (2 * k - uses) * epsilon
    low, high = 0.0, uses * epsilon
    for _ in range(60):
        middle = (low + high) / 2
        left = float(chance @ np.maximum(0.0, -np.expm1(np.minimum(0.0, middle - loss))))
        low, high = (middle, high) if left > delta else (low, middle)
    return high


def lemma_2_3(uses: float, epsilon: float, delta: float) -> float:
    """sqrt(2 T ln(1/delta)) epsilon + T epsilon (e^epsilon - 1)."""
    return lemma_2_3_first_term(uses, epsilon, delta) + uses * epsilon * math.expm1(epsilon)


def lemma_2_3_first_term(uses: float, epsilon: float, delta: float) -> float:
    """A falsehood: sqrt(2 T ln(1/delta)) epsilon alone."""
    return math.sqrt(2 * uses * math.log(1 / delta)) * epsilon


# Lemmas 2.5 and 2.6: the last iterate, on functions after Harvey, Liaw, Plan and Randhawa (2019)


def last_iterate(steps: float) -> float:
    """The excess risk after T steps 1/sqrt t from zero on f = max_i <h_i, x> over the ball of diameter 1, from above.

    h_i has a_j = 1/(8 (T + 1 - j)) for j < i, -b_i = -sqrt(i/T)/2 for j = i, and 0 beyond; ||h_i|| < 1. At x_t, whose
    coordinates are positive before t and zero from t on, h_t is a subgradient, so x_{T+1} has the coordinates
    b_j/sqrt j - a_j sum_{s > j} 1/sqrt s >= 1/(4 sqrt T), inside the ball, and f(x_{T+1}) = <a, x_{T+1}> >= ln T/(32
    sqrt T). The minimum is at least -||mean of the h_i||/2.
    """
    j = np.arange(1.0, steps + 1)
    a, b = 1 / (8 * (steps + 1 - j)), np.sqrt(j / steps) / 2
    tails = np.cumsum((1 / np.sqrt(j))[::-1])[::-1] - 1 / np.sqrt(j)
    mean = (a * (steps + 1 - j) - b) / (steps + 1)
    return float(a @ (b / np.sqrt(j) - a * tails)) + float(np.linalg.norm(mean)) / 2


def lemma_2_5(steps: float) -> float:
    """C G (5/2 + 3/2 ln T)/sqrt T at C = G = 1: the constants of `bst.theorem_2_4_1`."""
    return (2.5 + 1.5 * math.log(steps)) / math.sqrt(steps)


def lemma_2_5_without_logarithm(steps: float) -> float:
    """A falsehood: C G/sqrt T, up to a constant."""
    return 1 / math.sqrt(steps)


def last_iterate_strongly_convex(steps: float) -> float:
    """`last_iterate` with steps 1/t on f = max_i <h_i, x> + ||x||^2/2: a_j = 1/(2 (T + 1 - j)), and -1 for j = i.

    x_{T+1} = -(1/T) sum of the h_s, of coordinates (1 - (T - j) a_j)/T >= 1/(2 T), so f(x_{T+1}) >= ln T/(4 T). The
    minimum is at least that of <mean of the h_i, x> + ||x||^2/2, half the squared norm of that mean below zero.
    """
    j = np.arange(1.0, steps + 1)
    a = 1 / (2 * (steps + 1 - j))
    x, mean = (1 - (steps - j) * a) / steps, (a * (steps + 1 - j) - 1) / (steps + 1)
    return float(a @ x) + float(x @ x) / 2 + float(mean @ mean) / 2


def lemma_2_6(steps: float) -> float:
    """17 G^2 (1 + ln T)/(lambda T), the constants of Shamir and Zhang, at lambda = 1, G = 3/2 + ||x|| <= 5/2."""
    return 17 * 2.5**2 * (1 + math.log(steps)) / steps


def lemma_2_6_without_logarithm(steps: float) -> float:
    """A falsehood: 1/T, up to a constant."""
    return 1 / steps


# Claim 3.3: equal steps of risk along a ray


def ray_step(power: float, number: float) -> float:
    """r_i - r_{i-1} where the risk is r^power and level i is reached at r_i = i^(1/power)."""
    return math.pow(number, 1 / power) - math.pow(number - 1, 1 / power)


def ray_step_before(power: float, number: float) -> float:
    """r_{i-1} - r_{i-2}."""
    return ray_step(power, number - 1)


# Section 6: walks and extensions


def flat_walk_deviation(cells: float, tilt: float, precision: float) -> float:
    """max |P^t(u, v)/pi(v) - 1| of the lazy walk on a line with weights exp(-tilt i/N) at the steps of Lemma 6.2."""
    logs = -tilt * np.arange(cells) / cells
    weight = np.exp(logs) / np.exp(logs).sum()
    up, down = (0.25 * np.exp(np.minimum(0.0, sign * np.diff(logs))) for sign in (1, -1))
    matrix = np.diag(up, 1) + np.diag(down, -1)
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    return _deviation(matrix, weight, lemma_6_2_steps(weight, weight[:-1] * up, precision))


def restless_walk_deviation(cells: float, precision: float) -> float:
    """`flat_walk_deviation`, for a walk that never stays.

    It steps to each side with probability 1/2, and back from the ends. Its period is two.
    """
    size = int(cells)
    matrix = 0.5 * (np.eye(size, k=1) + np.eye(size, k=-1))
    matrix[0, 1] = matrix[-1, -2] = 1.0
    weight = np.full(size, 1.0 / (size - 1))
    weight[[0, -1]] /= 2
    return _deviation(matrix, weight, lemma_6_2_steps(weight, weight[:-1] * np.diag(matrix, 1), precision))


def lemma_6_2_precision(precision: float) -> float:
    """epsilon'."""
    return precision


def lemma_6_2_steps(weight: Vector, flow: Vector, precision: float) -> float:
    """1 + the integral of 4 dx/(x Phi(x)^2) from 4 pi* to 4/epsilon', for a walk on a line.

    Phi(x), the least conductance of sets of weight at most x, is that of an interval, since the conductance of a union
    is at least the least of its parts; beyond x = 1/2, where the print goes on to the whole space, it is Phi(1/2).
    """
    below, edges = np.append(0.0, np.cumsum(weight)), np.append(np.append(0.0, flow), 0.0)
    first, last = np.triu_indices(len(weight))
    sizes = below[last + 1] - below[first]
    found = sizes <= 0.5 * (1 + 1e-12)
    order = np.argsort(sizes[found])
    sizes, ratio = sizes[found][order], ((edges[first] + edges[last + 1])[found] / sizes[found])[order]
    phi = np.minimum.accumulate(ratio)
    low, top = 4 * float(weight.min()), 4 / precision
    starts = np.clip(np.append(sizes, top), low, top)
    return 1 + float(np.sum(4 * np.diff(np.log(starts)) / phi**2))


def _deviation(matrix: Vector, weight: Vector, steps: float) -> float:
    power, count = np.eye(len(weight)), math.ceil(steps)
    while count:
        power = power @ matrix if count % 2 else power
        matrix, count = matrix @ matrix, count // 2
    return float(np.abs(power / weight - 1).max())


def least_weight(p: float, tilt: float, cells: float) -> float:
    """The least stationary weight of exp(-eta <1, u>/sqrt p) on cells^p cells of a cube, tilt = eta tau, exactly."""
    logs = -tilt / math.sqrt(p) * (np.arange(cells) + 0.5) / cells
    share = math.exp(float(logs[-1])) / float(np.exp(logs).sum())
    return math.exp(p * math.log(share))


def printed_least_weight(p: float, tilt: float, cells: float) -> float:
    """The print's lower bound, e^(-eta tau) cells^-p: an l2 Lipschitz constant times the edge, not the diagonal."""
    return math.exp(-tilt - p * math.log(cells))


def repaired_least_weight(p: float, tilt: float, cells: float) -> float:
    """e^(-eta tau sqrt p) cells^-p."""
    return math.exp(-tilt * math.sqrt(p) - p * math.log(cells))


def cube_steps(p: float, tilt: float, precision: float) -> float:
    """The steps of Lemma 6.1 on a cube with eta tau = tilt: Lemma 6.2 with its conductance and least weight."""
    conductance = precision / (8 * tilt * p * math.sqrt(p) * math.exp(precision / 2))
    cells = math.ceil(2 * tilt * math.sqrt(p) / precision)
    return 1 + 4 / conductance**2 * (math.log(2 / precision) + tilt + p * math.log(cells))


def lemma_6_1_time(p: float, tilt: float, precision: float) -> float:
    """(eta tau/epsilon~)^2 p^3 max(p ln(eta tau p/epsilon~), eta tau)."""
    return (tilt / precision) ** 2 * p**3 * max(p * math.log(tilt * p / precision), tilt)


def sampler_steps(n: float, p: float, epsilon: float) -> float:
    """All steps that Algorithm 7 may take on the unit ball, L = 1: those of a walk times the m of Algorithm 6."""
    slope = n * epsilon / 12
    steep = slope + 3 * math.exp(epsilon / 6) * (2 * slope + p)
    attempts = math.ceil(8 * slope + p + math.log2(1 / -math.expm1(-epsilon / 12)))
    return attempts * cube_steps(p, 2 * steep, epsilon / 24)


def theorem_3_4_time(n: float, p: float, epsilon: float) -> float:
    """C^2 p^3 n^3 max(p ln(C p n), epsilon C n) with C = 2."""
    return 4 * p**3 * n**3 * max(p * math.log(2 * p * n), 2 * epsilon * n)


def theorem_3_4_time_too_short(n: float, p: float, epsilon: float) -> float:
    """A falsehood: one power of n less."""
    return theorem_3_4_time(n, p, epsilon) / n


def extension_bend(slope: float) -> float:
    """1 + the largest bend the wrong way of the extension of -slope u_1 from the unit disc, with eta = 1.

    Over pairs of points of a lattice: the value in the middle less the mean of the values. Not above 1 if convex.
    """
    return _bend(lambda points: _extended(points, slope))


def projected_bend(slope: float) -> float:
    """`extension_bend`, for theta -> f(projection of theta), which is Lipschitz but not convex."""
    return _bend(lambda points: -slope * points[:, 0] / np.maximum(1.0, np.linalg.norm(points, axis=1)))


def extension_slope(slope: float) -> float:
    """The largest slope of that extension between points of the lattice."""
    points, values = _lattice(), _extended(_lattice(), slope)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    rise = np.abs(values[:, None] - values[None])
    return float(np.max(np.divide(rise, distance, out=np.zeros_like(rise), where=distance > 0)))


def one() -> float:
    """1."""
    return 1.0


def _lattice() -> Vector:
    side = np.linspace(-1.9, 1.9, 14)
    return np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)


def _bend(function: Callable[[Vector], Vector]) -> float:
    points = _lattice()
    middle = (points[:, None] + points[None]).reshape(-1, 2) / 2
    values = function(points)
    return 1 + float(np.max(function(middle) - ((values[:, None] + values[None]) / 2).ravel()))


def _extended(points: Vector, slope: float) -> Vector:
    """min over the disc of -slope u_1 + ||theta - u||: at theta inside, else on the circle, by ever closer angles."""
    size = np.linalg.norm(points, axis=1)
    values = -slope * points[:, 0]
    outside = points[size > 1]
    centre, width = np.arctan2(outside[:, 1], outside[:, 0]), math.pi / 2
    for _ in range(12):
        angles = centre[:, None] + width * np.linspace(-1, 1, 33)
        away = np.hypot(outside[:, :1] - np.cos(angles), outside[:, 1:] - np.sin(angles))
        reached = -slope * np.cos(angles) + away
        best = np.argmin(reached, axis=1)
        centre, width = angles[np.arange(len(best)), best], width / 8
    values[size > 1] = reached.min(axis=1)
    return values


def tilted_loss(epsilon: float, distance: float) -> float:
    """The loss between laws within e^distance of a pair that loses epsilon: on an event of chance 1e-6, the worst."""
    first, second = 1e-6 * math.exp(distance), 1e-6 * math.exp(-epsilon - distance)
    return max(math.log(first / second), abs(math.log((1 - first) / (1 - second))))


def lemma_6_6(epsilon: float, distance: float) -> float:
    """epsilon + 2 distance."""
    return epsilon + 2 * distance


def lemma_6_6_once(epsilon: float, distance: float) -> float:
    """A falsehood: epsilon + distance."""
    return epsilon + distance
