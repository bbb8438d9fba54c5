"""Linear losses on a box: the last iterate is a product of one-dimensional chains, and its loss has two limits.

**The reduction, exact in any dimension.** The projection on a box clips coordinate by coordinate, the noise has
independent coordinates, and the gradient of a separable loss has as its j-th coordinate a function of x_j alone: the
coordinates of x_t are independent chains, each as in `transfer`, with side d_j, slope a_j and difference h_j. Linear
losses are separable. The sensitivity is shared: sum h_j^2 <= s^2, and the diameter likewise, sum d_j^2 = D^2. In units
of its side a chain has the step size eta/d_j and the same sigma, a_j and h_j. Where h lies in one coordinate, the laws
of the others are the same for both data sets: the loss is that of this one chain.

**Published bounds, coordinate by coordinate.** With one k for all coordinates, sum_j k (d_j/k + eta h_j)^2/v^2 <= k
(D/k + eta s)^2/v^2, by Cauchy and Schwarz for sum d_j h_j <= D s. So what the one-dimensional proof says of each
coordinate, composed, is never above what it says of the box. And in the limit of the stationary law sum 2 B_j <= 2 B.

**Two limits of epsilon.** Each chain's line is cut into cells (both ends are cells of their own). Any set of pairs of
cells is an event, so sum max(P - e^epsilon Q, 0) over such pairs is at most delta(epsilon): the lower limit. For the
upper one the privacy loss L of every point is replaced by the largest in its cell, as delta(epsilon) =
E_P (1 - e^(epsilon - L))_+ grows with L. The density of x_T is a mixture of normal ones, so (ln p)'' = -1/v^2 + Var(m |
y)/v^4, m the mean of the last step, which lies in an interval of length 1: |(ln p/q)''| <= 1/(4 v^4). Between the
values at a cell's ends, w apart, ln p/q rises above the larger by w^2/(32 v^4) at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dprepro_last_iterate.transfer import ROUNDING, FloatArray, Rule, constant, observed, rule_for

SLACK = 1e-6
"""What the error of a density may add to its logarithm; a cell where it is more has a loss without limit."""

SMALLEST = 1e-200
"""A density below this is not relied on."""

LARGEST = 600.0
"""epsilon above which nothing is looked for: e^epsilon is a float."""


@dataclass(frozen=True)
class Cells:
    """A chain's last iterate under both laws, in cells, with the range of the privacy loss in each.

    Attributes:
        first, second: masses, shape (cells,).
        low, high: of ln p/q in a cell, infinite where it is not known.
        error: absolute, of every mass.
        relative: rounding, of every mass.
    """

    first: FloatArray
    second: FloatArray
    low: FloatArray
    high: FloatArray
    error: float
    relative: float

    @property
    def swapped(self) -> Cells:
        """The same with the data sets exchanged."""
        return Cells(self.second, self.first, -self.high, -self.low, self.error, self.relative)


@dataclass(frozen=True)
class Limits:
    """epsilon lies between both."""

    lower: float
    upper: float


def _observe(means: FloatArray, rule: Rule, noise: float, cells: int) -> FloatArray:
    """Masses of both ends and of cells, then densities at all cells' ends, for means of the last step."""
    z = (np.linspace(0, 1, cells + 1)[:, None] - means[None, :]) / noise
    # of the two tails the smaller: differences of numbers near 1 lose digits
    right = z[:-1] > 0
    inner = ndtr(np.where(right, -z[:-1], z[1:])) - ndtr(np.where(right, -z[1:], z[:-1]))
    low, high = ndtr(-means / noise), ndtr((means - 1) / noise)
    return np.concatenate([low[None, :], inner, high[None, :], np.exp(-(z**2) / 2) / (math.sqrt(2 * math.pi) * noise)])


def chain(
    slope: float, difference: float, step: float, sigma: float, steps: list[int], error: float, cells: int
) -> list[Cells]:
    """F' = slope, G' = slope + difference on [0, 1], from the end that both leave, after each number of steps.

    Args:
        steps: increasing.
        step: eta over the side.
        error: of every mass, absolute.
        cells: between both ends, of equal width.
    """
    numbers, noise = np.asarray(steps, dtype=np.int64), step * sigma
    rule = rule_for((0.0, 1.0), noise, error / max(int(numbers[-1]) - 1, 1))
    both = [
        observed(
            [(1.0, constant(a))], 1.0, step, noise, numbers, rule, lambda means: _observe(means, rule, noise, cells)
        )
        for a in (slope, slope + difference)
    ]
    bulge = 1 / (32 * noise**4 * cells**2)
    found = []
    for count, p, q in zip(numbers, *both, strict=True):
        mistake, relative = max(count - 1, 0) * rule.error, ROUNDING * (count + 1)
        # a density's error is that of a mass times the height of a normal density
        least = max(mistake / (math.sqrt(2 * math.pi) * noise) / SLACK * 2, SMALLEST)
        masses, densities = np.array([p[: cells + 2], q[: cells + 2]]), np.array([p[cells + 2 :], q[cells + 2 :]])
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.where(densities.min(axis=0) > least, np.log(densities[0]) - np.log(densities[1]), np.nan)
            atoms = np.log(masses[0]) - np.log(masses[1])
        slack = SLACK + 2 * relative
        high, low = np.maximum(ends[1:], ends[:-1]) + bulge + slack, np.minimum(ends[1:], ends[:-1]) - bulge - slack
        sure = masses.min(axis=0)[[0, -1]] > max(2 * mistake / SLACK, SMALLEST)
        first, last = (atoms[place] if sure[place] else np.nan for place in (0, -1))
        high = np.concatenate([[first + slack], high, [last + slack]])
        low = np.concatenate([[first - slack], low, [last - slack]])
        found.append(
            Cells(
                masses[0],
                masses[1],
                np.where(np.isnan(low), -np.inf, low),
                np.where(np.isnan(high), np.inf, high),
                float(mistake),
                float(relative),
            )
        )
    return found


def _stick(one: tuple[FloatArray, ...], other: tuple[FloatArray, ...], epsilon: float) -> tuple[float, float]:
    """Sums of the products of first and of second masses over pairs of cells whose losses exceed epsilon together."""
    first, second, loss = one
    upto_first, upto_second, falling = other
    place = np.searchsorted(falling, loss - epsilon, side="left")
    return float(first @ upto_first[place]), float(second @ upto_second[place])


def _summed(first: FloatArray, second: FloatArray, loss: FloatArray) -> tuple[FloatArray, ...]:
    """Of the cells of largest loss, so many: sums of both masses; and minus the losses, increasing."""
    order = np.argsort(-loss, kind="stable")
    return (
        np.concatenate([[0.0], np.cumsum(first[order])]),
        np.concatenate([[0.0], np.cumsum(second[order])]),
        -loss[order],
    )


class Product:
    """Two independent chains together: both limits of delta(epsilon), one order of the data sets."""

    def __init__(self, one: Cells, other: Cells) -> None:
        self.error = len(one.first) * one.error + len(other.first) * other.error
        self.relative = 2 * (one.relative + other.relative)
        tiny = 1e-300
        self.rough, self.bounded = [], []
        for chain_cells in (one, other):
            seen = np.log(np.maximum(chain_cells.first, tiny)) - np.log(np.maximum(chain_cells.second, tiny))
            self.rough.append((chain_cells.first, chain_cells.second, seen))
            # for the upper limit Q is what the largest loss leaves of P
            self.bounded.append((chain_cells.first, chain_cells.first * np.exp(-chain_cells.high), chain_cells.high))
        self.rough_sums, self.bounded_sums = _summed(*self.rough[1]), _summed(*self.bounded[1])

    def least_delta(self, epsilon: float) -> float:
        """delta(epsilon) is at least this."""
        p, q = _stick(self.rough[0], self.rough_sums, epsilon)
        spare = p * (1 - self.relative) - self.error
        return spare - math.exp(epsilon) * (q * (1 + self.relative) + self.error)

    def most_delta(self, epsilon: float) -> float:
        """delta(epsilon) is at most this."""
        p, q = _stick(self.bounded[0], self.bounded_sums, epsilon)
        return p * (1 + self.relative) + self.error - math.exp(epsilon) * q * (1 - self.relative)

    def lower(self, delta: float, known: float = 0.0) -> float:
        """epsilon is at least this, within 1e-9; ``known`` where it is no more than that."""
        return _last(lambda epsilon: self.least_delta(epsilon) > delta, known)[0]

    def upper(self, delta: float) -> float:
        """epsilon is at most this."""
        return _last(lambda epsilon: self.most_delta(epsilon) > delta, 0.0)[1]


def _last(above: Callable[[float], bool], low: float) -> tuple[float, float]:
    """Neighbouring epsilons, the smaller above and the larger not; twice ``low`` where that is not above."""
    if not above(low):
        return low, low
    high = 2 * low + 1
    while above(high):
        low, high = high, 2 * high
        if high > LARGEST:
            return low, math.inf
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) else (low, middle)
    return low, high


def product_limits(one: Cells, other: Cells, delta: float) -> Limits:
    """Both limits of epsilon of two independent chains together."""
    orders = (Product(one, other), Product(one.swapped, other.swapped))
    return Limits(max(order.lower(delta) for order in orders), max(order.upper(delta) for order in orders))
