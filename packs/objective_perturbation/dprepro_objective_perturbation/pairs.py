"""Exact losses of explicit neighbours: increasing, piecewise linear maps u -> v, see the text of `accounts`.

A map stands for one record in one dimension, without others: f' = sigma (u - v), f'' lambda the slope less 1.
delta is a sum of differences of the normal distribution function, with no error but rounding: what is found is a lower
end for what objective perturbation loses, `accounts` the upper one. Rounding may exceed a delta of 1e-30 or less, where
epsilon is small, or the Hessian leaves little of it; with 420 digits the worst pairs come to 99.9% of the account down
to delta = 1e-280.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import ndtr

from dprepro.privacy.perturbed_minimisers import best_places, shift_delta
from dprepro_objective_perturbation.accounts import FloatArray

STEPS = 400
"""Steps of the map that comes near to the account of addition."""

REST = math.log(1000)
"""Of ln(mu/g), down to which g is followed."""

FAR = 60.0
"""Where the outermost knots lie: beyond, there is no probability."""


@dataclass(frozen=True)
class Map:
    """A piecewise linear map through knots, and by a constant shift beyond them.

    Attributes:
        u, v: the knots, ascending, shape (K,).
    """

    u: FloatArray
    v: FloatArray

    def fits(self, mu: float, curvature: float) -> bool:
        """Whether a record of these bounds has this map: slopes in [1, 1 + r], |v - u| <= mu, up to rounding."""
        run, rise = np.diff(self.u), np.diff(self.v)
        room = 1e-9 * (1 + np.abs(self.u[1:]) + np.abs(self.v[1:]))
        steep = np.all(rise >= run - room) and np.all(rise <= (1 + curvature) * run + room)
        return bool(steep and np.all(np.abs(self.v - self.u) <= mu + 1e-9))

    def removal(self, epsilon: float) -> float:
        """delta of u ~ N(0, 1) against v ~ N(0, 1), at the same place."""
        return _stick(self._ended(self.u), self._ended(self.v), epsilon)

    def addition(self, epsilon: float) -> float:
        """delta of v ~ N(0, 1) against u ~ N(0, 1)."""
        return _stick(self._ended(self.v), self._ended(self.u), epsilon)

    def losses(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """v at places of u, and the loss of removal there."""
        u, v = self._ended(self.u), self._ended(self.v)
        piece = np.clip(np.searchsorted(u, places) - 1, 0, u.size - 2)
        slope = np.diff(v)[piece] / np.diff(u)[piece]
        at = v[piece] + slope * (places - u[piece])
        return at, (at**2 - places**2) / 2 - np.log(slope)

    def _ended(self, knots: FloatArray) -> FloatArray:
        first, last = min(self.u[0], self.v[0]), max(self.u[-1], self.v[-1])
        return np.concatenate([[knots[0] - first - FAR], knots, [knots[-1] - last + FAR]])


def _stick(first: FloatArray, second: FloatArray, epsilon: float) -> float:
    """The integral of (phi(x) - e^epsilon phi(y(x)) y'(x))_+ dx, y linear between knots.

    On a piece the logarithm of the quotient is a quadratic in x, (y^2 - x^2)/2 - ln y' - epsilon, of which the roots
    bound the places that count.
    """
    run, rise = np.diff(first), np.diff(second)
    kept = (run > 0) & (rise > 0)
    x, y, run, slope = first[:-1][kept], second[:-1][kept], run[kept], rise[kept] / run[kept]
    # with t from x on: a t^2 + b t + c
    a, b = (slope**2 - 1) / 2, slope * y - x
    c = (y**2 - x**2) / 2 - np.log(slope) - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(b**2 - 4 * a * c, 0.0))
        big = -(b + np.where(b >= 0, root, -root)) / 2  # the two roots, without cancellation
        cuts = [np.where(np.isfinite(one), one, 0.0) for one in (big / a, c / big)]
    ends = np.sort(np.clip([np.zeros_like(run), *cuts, run], 0.0, run), axis=0)
    total = 0.0
    for low, high in pairwise(ends):
        middle = (low + high) / 2
        counts = a * middle**2 + b * middle + c > 0
        gained = _mass(x + low, x + high) - math.exp(epsilon) * _mass(y + slope * low, y + slope * high)
        total += float(np.sum(np.where(counts, gained, 0.0)))
    return total


def _mass(low: FloatArray, high: FloatArray) -> FloatArray:
    """P(low < N(0, 1) < high), by the nearer tail."""
    mirrored = low + high > 0
    return np.asarray(np.where(mirrored, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)))


def one_record(mu: float, curvature: float, shift: float) -> Map:
    """f' = L clip(r (u - shift)/mu, -1, 1), up to sign: a Huber loss, bent all at once."""
    half = mu / curvature
    u = shift + np.array([-half, half])
    return Map(u, u + np.array([-mu, mu]))


def bending(mu: float, curvature: float, epsilon: float, steps: int = STEPS) -> Map:
    """Near to the worst map of addition, epsilon >= ln(1 + r): g = u - v falls in ``steps`` steps at their best places.

    A step of g by h is a piece of length h/s, s = r/(1 + r), in v about its best place, or right of the piece before.
    """
    s, left = curvature / (1 + curvature), epsilon - math.log1p(curvature)
    within = (mu / max(left, mu)) ** 2  # of ln(mu/g) what counts most: steps are finer there
    share = np.linspace(0, REST / (REST + within), steps + 1)
    levels = mu * np.exp(-within * share / (1 - share))
    middle = (levels[1:] + levels[:-1]) / 2
    turn = math.sqrt(curvature * epsilon / (1 + curvature / 2))
    place = np.where(middle <= turn, best_places(middle, left), epsilon / middle - middle / 2)
    length = -np.diff(levels) / s
    start = place - length / 2
    for k in range(1, steps):  # pieces do not overlap
        start[k] = max(start[k], start[k - 1] + length[k - 1])
    v = np.column_stack([start, start + length]).ravel()
    u = v + np.column_stack([levels[:-1], levels[1:]]).ravel()
    return Map(u, v)


def knotted(place: FloatArray, mu: float, curvature: float) -> Map:
    """A map from a point of the cube: pieces of lengths up to 4, with shares of r as slopes, clipped to |v - u| <= mu.

    Coordinates: where it begins, v - u there, and a length and a share of every piece.
    """
    lengths, shares = place[2::2], place[3::2]
    u = 12 * place[0] - 6 + np.concatenate([[0.0], np.cumsum(0.01 + 4 * lengths**2)])
    moved = mu * (2 * place[1] - 1) + np.concatenate([[0.0], np.cumsum(curvature * shares * np.diff(u))])
    reached = min(mu, float(moved[-1]))  # a knot where it is clipped
    return Map(*_clipped(u, moved, reached))


def _clipped(u: FloatArray, moved: FloatArray, most: float) -> tuple[FloatArray, FloatArray]:
    if moved[-1] > most:
        last = int(np.searchsorted(moved, most))
        share = (most - moved[last - 1]) / (moved[last] - moved[last - 1])
        u = np.append(u[:last], u[last - 1] + share * (u[last] - u[last - 1]))
        moved = np.append(moved[:last], most)
    return u, u + moved


def largest_addition(mu: float, curvature: float, epsilon: float) -> float:
    """delta of the map that comes near to the account; a shift where nothing is bent."""
    return bending(mu, curvature, epsilon).addition(epsilon) if curvature else shift_delta(mu, epsilon)


def largest_removal(mu: float, curvature: float, epsilon: float) -> float:
    """delta of the map from u - mu to u + mu, all at once."""
    return one_record(mu, curvature, 0.0).removal(epsilon) if curvature else shift_delta(mu, epsilon)


def largest(mu: float, curvature: float, epsilon: float) -> float:
    """The larger of both: what objective perturbation loses at least."""
    return max(largest_addition(mu, curvature, epsilon), largest_removal(mu, curvature, epsilon))


def in_the_plane(mu: float, curvature: float, epsilon: float, stiffness: float, angle: float, shift: float) -> float:
    """delta of addition or removal, the larger, in two dimensions beside another record, by a sum over a fine grid.

    lambda = sigma = 1; the record's slope is mu tanh(r (<x, theta> - shift)/mu), the other's is tanh(stiffness
    <y, theta>) along y at this angle from x. Both bend smoothly, and only once: nothing comes near to the accounts.
    """
    points = np.linspace(-10, 10, 501)
    width = points[1] - points[0]
    one, two = np.meshgrid(points, points, indexing="ij")
    cosine, sine = math.cos(angle), math.sin(angle)
    along = cosine * one + sine * two
    slope, bent = np.tanh(stiffness * along), stiffness / np.cosh(stiffness * along) ** 2
    own = curvature * (one - shift) / mu
    record, curved = mu * np.tanh(own), curvature / np.cosh(own) ** 2
    first, second = one + slope * cosine, two + slope * sine
    without = np.log1p(bent) - (first**2 + second**2) / 2
    beside = np.log((1 + bent) * (1 + curved) - bent * curved * cosine**2) - ((first + record) ** 2 + second**2) / 2
    sums = [
        float(np.maximum(np.exp(high) - np.exp(epsilon + low), 0).sum())
        for high, low in ((without, beside), (beside, without))
    ]
    return float(max(sums) * width**2 / (2 * math.pi))


def renyi(order: float, mu: float, curvature: float, shift: float, comes: bool) -> float:
    """D_alpha of the pair of a Huber loss, by a sum over a fine grid in u."""
    far = order * mu + 12  # the integrand is largest where |u| is at most order mu
    u = np.linspace(-far, far, 40_001)
    _, loss = one_record(mu, curvature, shift).losses(u)
    # the density of v at this place is phi(v) v'; loss = ln phi(u) - ln(phi(v) v')
    log_first = -(u**2) / 2 - math.log(2 * math.pi) / 2 - (loss if comes else 0.0)
    exponents = log_first + (order - 1) * (-loss if comes else loss)
    top = float(exponents.max())
    return (top + math.log(float(np.exp(exponents - top).sum()) * (u[1] - u[0]))) / (order - 1)
