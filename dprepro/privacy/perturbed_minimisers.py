"""What the minimiser of an objective perturbed by Gaussian noise loses: exactly, or as near as is proved.

theta = argmin sum_i f_i(<x_i, theta>) + R(theta) + Delta/2 ||theta||^2 + <b, theta> over a convex set, with b normal;
a record comes or goes. ``mu`` is zeta over the deviation of b's coordinates, ``curvature`` r = lambda/Delta; f_i and R
are convex, the slope |f_i'| ||x_i|| at most zeta and f_i'' ||x_i||^2 at most lambda.

Given what of b is orthogonal to the record's x, theta is a function of u = <b, x>/(sigma ||x||), and v, the same of the
noise that leads to this theta on the other data set, is an increasing function of u: the minimiser is monotone. Its
slopes lie in [1, 1 + r], and |v - u| <= mu; what is orthogonal to x stays. So no data set loses more than such a map
of one standard normal number. No density or second derivative is needed, nor a limit of smooth sets: minimisers
theta, theta' for the noises b, b' have ||theta - theta'||^2 Delta <= <b' - b, theta - theta'>, wherever they lie, so
that <x, theta> is a monotone function of u with slopes of at most sigma ||x||/Delta, and f_i' one of <x, theta>.

* A record that goes (u normal without it): the loss (v^2 - u^2)/2 - ln v' is convex in v - u, and at most mu |u| +
  mu^2/2.
* A record that comes (v normal with it): u = v + g, where g may be taken as positive and falls by s = r/(1 + r) a unit
  of v at most. Where it falls at its full rate, v tells (phi(v) - e^epsilon phi(v + g)/(1 + r))_+; where it stays,
  (phi(v) - e^epsilon phi(v + g))_+, that is from c(g) = epsilon/g - g/2 on, where the sum is the same whichever way g
  goes. So delta is at most the integral over g in [0, mu] of K: the most of the first over s, at v g + g^2/2 =
  epsilon - ln(1 + r) + ln(1 + g/v), if that is below c(g), which is g^2 <= r (epsilon - g^2/2); phi(c(g)) beyond.
  The loss is also at most ln(1 + r) + max(mu v + mu^2/2, 0), which is less where mu is large.

The whole proof, pairs that attain both, and the conditions under which they do are in `packs/objective_perturbation`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dprepro.errors import InputError
from dprepro.privacy.worst_pairs import LEAST_DELTA, FloatArray, gaussian_delta, gaussian_epsilon

ROUNDING = 1e-9
"""Relative, of delta: what the quadrature may err by (1e-13 wherever tried, epsilon at most 1e4)."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_ENDS = np.array([0.0, 1e-5, 2e-4, 2e-3, 1e-2, 5e-2, 0.25, 1.25, 3.0, 6.0, 10.0, 20.0, 40.0])
"""Panels in -ln(g/mu): K falls from its largest value within (mu/epsilon)^2, however small that is.

Near epsilon = ln(1 + r) it falls late, where g comes down to epsilon - ln(1 + r).
"""

_HALF = np.diff(_ENDS)[:, None] / 2
_SHARES: FloatArray = np.exp(-(_ENDS[:-1, None] + _HALF * (_NODES + 1)).ravel())
_LENGTHS: FloatArray = (_HALF * _WEIGHTS).ravel() * _SHARES


def perturbed_delta(mu: float, curvature: float, epsilon: float) -> float:
    """delta(epsilon), epsilon >= 0; where the losses are linear (curvature 0) that of a Gaussian."""
    if not curvature:
        return shift_delta(mu, epsilon)
    return max(removal_delta(mu, epsilon), addition_delta(mu, curvature, epsilon))


@lru_cache(maxsize=4096)
def perturbed_epsilon(mu: float, curvature: float, delta: float) -> float:
    """The least epsilon with `perturbed_delta` <= delta, from above, to a relative 1e-13.

    Below 1e-290, where floats end, ln(1 + r) and a shift with two sides.
    """
    high = math.log1p(curvature) + max(gaussian_epsilon(mu, delta / 2), mu**2 / 2)
    if delta < LEAST_DELTA or not _keeps(mu, curvature, high, delta):
        return high
    low = 0.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _keeps(mu, curvature, middle, delta) else (middle, high)
    return high


@lru_cache(maxsize=4096)
def perturbed_mu(curvature: float, epsilon: float, delta: float) -> float:
    """The largest mu with `perturbed_epsilon` <= epsilon, from below, to a relative 1e-8.

    Raises:
        InputError: epsilon is no larger than ln(1 + r).
    """
    if epsilon <= math.log1p(curvature):
        raise InputError(f"epsilon must exceed ln(1 + curvature)={math.log1p(curvature):g}, got epsilon={epsilon:g}")
    low = high = 0.0  # of ln mu

    def private(log_mu: float) -> bool:
        mu = math.exp(log_mu)
        if delta < LEAST_DELTA:
            return perturbed_epsilon(mu, curvature, delta) <= epsilon
        return _keeps(mu, curvature, epsilon, delta)

    while not private(low):
        high, low = low, low - 1
    while low == high or private(high):
        low, high = high, high + 1
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if private(middle) else (low, middle)
    return math.exp(low - 1e-8)


def _keeps(mu: float, curvature: float, epsilon: float, delta: float) -> bool:
    return perturbed_delta(mu, curvature, epsilon) * (1 + ROUNDING) <= delta


def shift_delta(mu: float, epsilon: float) -> float:
    """delta(epsilon) of a standard normal number that is shifted by mu."""
    return float(gaussian_delta(mu, np.array([epsilon]))[0])


def removal_delta(mu: float, epsilon: float) -> float:
    """T(epsilon) = E (1 - e^(epsilon - mu |u| - mu^2/2))_+, u normal: the account of a record that goes."""
    if epsilon >= mu**2 / 2:
        return 2 * shift_delta(mu, epsilon)
    return -math.expm1(epsilon + math.log(math.erfc(mu / math.sqrt(2)))) if mu < 37 else 1.0


def addition_delta(mu: float, curvature: float, epsilon: float) -> float:
    """The account of a record that comes: the integral of K, or what the loss's largest value gives, if that is less.

    The latter is the Gaussian's delta(epsilon - ln(1 + r)), alone below ln(1 + r) and where losses are linear.
    """
    if not curvature:
        return shift_delta(mu, epsilon)
    left = epsilon - math.log1p(curvature)
    if left < 0:
        return 1 - math.exp(left) * math.erfc(mu / math.sqrt(8))
    turn = math.sqrt(curvature * epsilon / (1 + curvature / 2))  # g up to which bending tells more
    top = min(mu, turn)
    g = top * _SHARES
    v = best_places(g, left)
    most = np.exp(-(v**2) / 2) / math.sqrt(2 * math.pi) * g / (v + g)
    bent = float(top * _LENGTHS @ most) * ((1 + curvature) / curvature)
    beyond = shift_delta(mu, epsilon) - shift_delta(turn, epsilon) if mu > turn else 0.0
    return min(shift_delta(mu, left), bent + beyond)


def best_places(g: FloatArray, left: float) -> FloatArray:
    """v with v g + g^2/2 = left + ln(1 + g/v): where what g tells counts most.

    Newton from below, where the difference is concave and rises.

    Args:
        g: positive, any shape; the answer has the same.
        left: epsilon - ln(1 + r), at least 0.
    """
    v = np.maximum(left / g - g / 2, g * np.exp(-(g**2) / 2 - 1))
    for _ in range(200):
        step = (v * g + g**2 / 2 - left - np.log1p(g / v)) / (g + g / (v * (v + g)))
        v = v - step
        if np.all(np.abs(step) <= 1e-14 * v):
            break
    return np.asarray(v)
