r"""What objective perturbation with Gaussian noise loses: accounts, each derived here.

theta = argmin sum_i f_i(<x_i, theta>) + R(theta) + lambda/2 |theta|^2 + <b, theta>, b ~ N(0, sigma^2 I). Every f_i is
convex and smooth, |f'||x| <= L and f''|x|^2 <= beta; R is convex; neighbours differ by one record (x, f) that comes
(`addition`) or goes (`removal`). Two numbers rule: mu = L/sigma, and the curvature r = beta/lambda.

**Reduction to one dimension.** Let P be the law of theta on the data set where b is drawn, b' the noise that leads to
the same theta on the other one, u = <b, x>/(sigma |x|) and g = f'(<x, theta>) |x|/sigma. Given what of b is orthogonal
to x, u is standard normal, and theta is a function of u. The minimiser is monotone: <x, theta> falls with u, and so
does g. With q = f'' x^T (H + lambda)^-1 x in [0, r], H the Hessian of what both data sets share, the Jacobians of
theta -> b have the quotient 1 + q, and

* removal, P without the record: dg/du = -q, b' = b - f' x, loss -u g + g^2/2 - ln(1 + q);
* addition, P with the record: dg/du = -q/(1 + q), b' = b + f' x, loss u g + g^2/2 + ln(1 + q).

So with v = u - g (removal) both laws are those of a standard normal number, seen through an increasing map u -> v with
slopes in [1, 1 + r] and |v - u| <= mu; in the other direction addition. Whatever the dimension, the other records and R
are, delta(epsilon) is a mean over what is orthogonal to x of values of this problem in one dimension; and each such map
is a record in one dimension, without others. (R and sets that are not smooth are limits, at which delta does not rise.)

**Removal.** The loss is convex in g, so at most mu |u| + mu^2/2: delta <= T(epsilon), with no determinant. The map that
goes from u - mu to u + mu with slope 1 + r attains it where it is done before the loss exceeds epsilon: for r >=
mu^2/(epsilon - mu^2/2).

**Addition.** For v ~ P let u = v + g, g falling by at most s = r/(1 + r) a unit of v; epsilon >= ln(1 + r), so that
e^epsilon du >= dv. Where g changes its sign, at v = u, nothing counts on the side away from 0: there u lies between v
and 0, where the density is no smaller. So g may be taken as positive, falling from mu to 0. Where dg = 0 a place v
counts (phi(v) - e^epsilon phi(v + g))_+, which is 0 up to c(g) = epsilon/g - g/2; where g falls at its full rate, for
(phi(v) - e^epsilon phi(v + g)/(1 + r))_+; what counts is convex in the rate, so at most what both do in turn. Beyond
c(g) the sum is the change of W = Phi(v) - e^epsilon Phi(v + g), whichever way it goes, and W(infinity, g) - W(c(g), g)
is the Gaussian's delta(epsilon; g), of derivative phi(c(g)) in g. So delta is at most the integral over g in [0, mu] of
K(v(g), g), K = (phi(v) - e^epsilon phi(v + g)/(1 + r))_+/s for v <= c(g) and phi(c(g)) beyond. K is largest where
v g + g^2/2 = epsilon - ln(1 + r) + ln(1 + g/v), with the value phi(v) g/((v + g) s), if that is below c(g), which is:
g^2 <= r (epsilon - g^2/2); else it is phi(c(g)). Hence `addition_delta`. It is attained, in the limit of losses that
bend and do not in turn, if that place moves by 1/s at least as g falls by one: if v ((v + g)^2 - 1)/(g (v (v + g) + 1))
is (1 + r)/r at least. `removal_delta` and the integral, `addition_delta`, are the core's, which calibrates by them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dprepro.errors import PremiseError
from dprepro.privacy.perturbed_minimisers import addition_delta, best_places, removal_delta, shift_delta

FloatArray = NDArray[np.float64]
Account = Callable[[float, float, float], float]
"""delta(mu, curvature, epsilon)."""


def plain_addition(mu: float, curvature: float, epsilon: float) -> float:
    """Determinant and one-sided shift: the loss is at most ln(1 + r) + max(mu u + mu^2/2, 0).

    It is the Gaussian's delta(epsilon - ln(1 + r)), continued below ln(1 + r).
    """
    left = epsilon - math.log1p(curvature)
    return shift_delta(mu, left) if left >= 0 else 1 - 2 * math.exp(left) * float(ndtr(-mu / 2))


def addition_is_attained(mu: float, curvature: float, epsilon: float) -> bool:
    """Whether the best place moves fast enough for all g up to mu; epsilon >= ln(1 + r)."""
    left = epsilon - math.log1p(curvature)
    if left < 0:
        return False
    g = np.geomspace(1e-3, 1, 200) * min(mu, math.sqrt(curvature * epsilon / (1 + curvature / 2)))
    v = best_places(g, left)
    moves = v * ((v + g) ** 2 - 1) / (g * (v * (v + g) + 1))
    return bool(np.all(moves >= (1 + curvature) / curvature))


def removal_is_attained(mu: float, curvature: float, epsilon: float) -> bool:
    """r >= mu^2/(epsilon - mu^2/2)."""
    return curvature * (epsilon - mu**2 / 2) >= mu**2


def profile(mu: float, curvature: float, epsilon: float) -> float:
    """delta where a record comes or goes."""
    return max(removal_delta(mu, epsilon), addition_delta(mu, curvature, epsilon))


def plain_profile(mu: float, curvature: float, epsilon: float) -> float:
    """The same by the determinant and a one-sided shift."""
    return max(removal_delta(mu, epsilon), plain_addition(mu, curvature, epsilon))


def two_sided(mu: float, curvature: float, epsilon: float) -> float:
    """Determinant and two-sided shift, T(epsilon - ln(1 + r)): what follows Kifer, Smith and Thakurta's proof."""
    return removal_delta(mu, epsilon - math.log1p(curvature))


def redberg(mu: float, curvature: float, epsilon: float) -> float:
    """T(epsilon + ln(1 - r)) for r < 1: after a public implementation of Redberg, Koskela and Wang 2023.

    Raises:
        PremiseError: r >= 1.
    """
    if curvature >= 1:
        raise PremiseError(f"the account asks for beta < lambda, got beta/lambda={curvature:g}")
    return removal_delta(mu, epsilon + math.log1p(-curvature))


def _log_moment(t: float) -> float:
    """ln E e^(t |u|)."""
    from scipy.special import log_ndtr

    return math.log(2) + t**2 / 2 + float(log_ndtr(t))


def renyi_redberg(order: float, mu: float, curvature: float) -> float:
    """|ln(1 - r)| + mu^2/2 + ln E e^((alpha - 1) mu |u|)/(alpha - 1), r < 1: after the same implementation."""
    if curvature >= 1:
        raise PremiseError(f"the account asks for beta < lambda, got beta/lambda={curvature:g}")
    return -math.log1p(-curvature) + mu**2 / 2 + _log_moment((order - 1) * mu) / (order - 1)


def renyi_removal(order: float, mu: float) -> float:
    """mu^2/2 + ln E e^((alpha - 1) mu |u|)/(alpha - 1)."""
    return mu**2 / 2 + _log_moment((order - 1) * mu) / (order - 1)


def renyi_addition(order: float, mu: float, curvature: float) -> float:
    """ln(1 + r) + ln E e^((alpha - 1) max(mu u + mu^2/2, 0))/(alpha - 1)."""
    from scipy.special import log_ndtr

    t = (order - 1) * mu
    above = order * (order - 1) * mu**2 / 2 + float(log_ndtr(t + mu / 2))
    return math.log1p(curvature) + float(np.logaddexp(above, log_ndtr(-mu / 2))) / (order - 1)


@lru_cache(maxsize=4096)
def noise(account: Account, curvature: float, epsilon: float, delta: float) -> float:
    """The least sigma/L with which an account promises (epsilon, delta), from above, to a relative 1e-9."""
    low, high = 0.0, 0.0  # of ln mu
    while account(math.exp(low), curvature, epsilon) > delta:
        high, low = low, low - 1
        if low < -60:
            raise PremiseError(f"no noise suffices: epsilon={epsilon:g} at beta/lambda={curvature:g}")
    while low == high or account(math.exp(high), curvature, epsilon) <= delta:
        low, high = high, high + 1
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if account(math.exp(middle), curvature, epsilon) <= delta else (low, middle)
    return math.exp(-low)


def printed_noise(epsilon: float, delta: float) -> float:
    """sigma/L as Kifer, Smith and Thakurta print it, at lambda >= 2 beta/epsilon."""
    return math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon
