"""What the algorithms of Arora et al. (2022) lose on one-hot populations with the squared loss, derived here.

With the papers' own schedules, as functions of n, p, epsilon, delta, B and the mass q alone: a measured risk is held
against these with its constant. All are limits of many dimensions.

Derivation. T steps of size eta with noise sigma in d dimensions are the diffusion dw = -grad L dt + eta sigma sqrt(T/S)
dW up to time S = eta T, reflected at the sphere of radius rho. Let time run over [0, 1] and lengths be in units of rho:
the noise adds d (eta sigma)^2 T/rho^2 to ||w||^2, which is 1 where the noise decides on the step. Let e be the
direction of the signal, with slope -(pull - along m) for m = <w, e>, and let every other direction shrink at the rate
``across``. For large d both m and R = ||w||^2 are certain:

    m' = pull - along m - nu m,    R' = 2 pull m - 2 along m^2 - 2 across (R - m^2) + noise - 2 nu R,

nu >= 0 being what keeps R <= 1. The part of w across e is Gaussian given the shrinkage across + nu, so the average
iterate has the mean square 2 int int V(u) exp(-int_u^v (across + nu)) there, V = R - m^2. A random walk of n >= 1e6
steps is this diffusion; what n records add to a population is of order p/n and left out.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

POINTS = 400


def noisy_gd_all_directions(
    n: float, p: float, epsilon: float, delta: float, mass: float, smoothness: float, radius: float,
    label_level: float, self_bounding_lipschitz: float,
) -> float:  # fmt: skip
    """Theorem 1's Algorithm 1 where the mass q lies on all p coordinates alike, w* = B/sqrt(p) (1, ..., 1).

    Every direction shrinks at the rate H q/p, so the risk is H q/(2 p) E||w - w*||^2. At the worst q, with the noise in
    charge, that is .8352 G B sqrt(p ln(1/delta))/(n epsilon).
    """
    time, noise = _time(n, p, epsilon, delta, smoothness, radius, label_level, self_bounding_lipschitz)
    rate = smoothness * mass / p * time
    mean, square = mean_field(rate, rate, rate, noise)
    return smoothness * mass / (2 * p) * radius**2 * ((1 - mean) ** 2 + square)


def noisy_gd_without_noise(n: float, mass: float, smoothness: float, radius: float, label_level: float) -> float:
    """Corollary 1 where one coordinate has the mass q: H q/2 B^2 ((1 - e^-x)/x)^2, x = H q eta n."""
    step = min(radius / (math.sqrt(n * smoothness) * label_level), 1 / (4 * smoothness))
    x = smoothness * mass * step * n
    return float(smoothness * mass / 2 * radius**2 * (-math.expm1(-x) / x) ** 2)


def johnson_lindenstrauss_one_direction(
    n: float, p: float, epsilon: float, delta: float, mass: float, smoothness: float, radius: float,
    label_level: float, feature_length: float,
) -> float:  # fmt: skip
    """Theorem 2's Algorithm 2 there, p being far above k = (A n epsilon/(Y + A))^(2/3)/4, A = sqrt(H) B X.

    Embedded by Phi, the signal is a direction of length 1, w* has length B in a ball of 2B, and the tail's Hessian is
    H (1 - q)/k in every direction, the signal's too. Features are clipped at X (1 + sqrt(2 ln(10^6 p)/k)), which enters
    the noise with G. The tail costs H (1 - q)/(2k) ||w||^2 in the mean over Phi.
    """
    scale = math.sqrt(smoothness) * radius
    k: int = math.ceil(0.25 * (scale * n * epsilon / (label_level + scale)) ** (2 / 3))
    longer = 1 + math.sqrt(2 * math.log(1e6 * p) / k)
    steeper = smoothness * longer**2
    lipschitz = 2 * label_level * math.sqrt(steeper) + 2 * steeper * 2 * radius
    time, noise = _time(n, k, epsilon, delta, steeper, 2 * radius, label_level, lipschitz)
    signal, tail = smoothness * mass, smoothness * (1 - mass) / k
    mean, square = mean_field(signal * time / 2, (signal + tail) * time, tail * time, noise)
    along = signal * (radius - 2 * radius * mean) ** 2 + tail * (2 * radius * mean) ** 2
    return (along + smoothness / k * (2 * radius) ** 2 * square) / 2


def output_perturbation_smooth(
    n: float, epsilon: float, delta: float, mass: float, smoothness: float, radius: float,
    self_bounding_lipschitz: float,
) -> float:  # fmt: skip
    """Theorem 3's Algorithm 3 where one coordinate has the mass q, lambda = (sqrt(H) G/(B n epsilon))^(2/3) L^(1/3).

    The regularised minimiser is B H q/(H q + lambda), and sigma^2 = 8 G^2 L/(lambda n epsilon)^2 = 8 lambda B^2/H costs
    H sigma^2/2 on features of length 1.
    """
    logarithm, signal = math.log(1 / delta), smoothness * mass
    weight: float = (smoothness * (self_bounding_lipschitz / (radius * n * epsilon)) ** 2 * logarithm) ** (1 / 3)
    return float(signal / 2 * (radius * weight / (signal + weight)) ** 2 + 4 * weight * radius**2)


def output_perturbation_absolute(
    n: float, epsilon: float, delta: float, mass: float, radius: float, lipschitz: float
) -> float:
    """Theorem 5's Algorithm 3 with |<x, w> - y|: q B less what the minimiser has, and the noise.

    The minimiser is min(B, G q/lambda) on the coordinate; lambda = G L^(1/4)/(B sqrt(n epsilon)). sigma = 2 lambda
    B^2/G costs G sigma sqrt(2/pi) on the records of label 0, and nothing where the residual is far from zero.
    """
    weight = lipschitz * math.log(1 / delta) ** 0.25 / (radius * math.sqrt(n * epsilon))
    left = radius - min(radius, lipschitz * mass / weight)
    sigma = 2 * weight * radius**2 / lipschitz
    met = 1 - mass if left > sigma else 1.0
    return float(lipschitz * (mass * left + met * sigma * math.sqrt(2 / math.pi)))


def _time(
    n: float, d: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float,
    lipschitz: float,
) -> tuple[float, float]:  # fmt: skip
    """S = eta T and d (eta sigma)^2 T/rho^2 of Theorem 1's schedule in d dimensions."""
    sigma = lipschitz * math.sqrt(8 * n * math.log(1 / delta)) / (n * epsilon)
    step = min(
        radius / (math.sqrt(n) * max(math.sqrt(smoothness) * label_level, sigma * math.sqrt(d))), 1 / (4 * smoothness)
    )
    return step * n, d * (step * sigma) ** 2 * n / radius**2


@lru_cache(maxsize=8192)
def mean_field(pull: float, along: float, across: float, noise: float) -> tuple[float, float]:
    """The average of m, and the mean square of the average iterate across e, over d dimensions; see the top."""

    def change(m: float, square: float) -> tuple[float, float, float]:
        free = 2 * (pull * m - along * m**2 - across * (square - m**2)) + noise
        back = max(0.0, free / 2) if square >= 1 else 0.0
        return pull - along * m - back * m, free - 2 * back * square, back

    count = max(POINTS, math.ceil(4 * (along + across)))
    step = 1 / count
    path = np.zeros((3, count + 1))  # m, V and across + nu
    path[2, 0] = across
    m = square = 0.0
    for i in range(count):
        first = change(m, square)
        second = change(m + step * first[0], min(1.0, square + step * first[1]))
        m += step * (first[0] + second[0]) / 2
        square = min(1.0, square + step * (first[1] + second[1]) / 2)
        path[:, i + 1] = m, square - m**2, across + second[2]
    weight = np.full(count + 1, step)
    weight[[0, -1]] /= 2
    after = np.zeros(count + 1)  # int over v > u of exp(-int_u^v (across + nu))
    shrunk = step * (path[2, 1:] + path[2, :-1]) / 2
    for i in range(count - 1, -1, -1):
        after[i] = step * -math.expm1(-shrunk[i]) / max(shrunk[i], 1e-300) + math.exp(-shrunk[i]) * after[i + 1]
    return float(weight @ path[0]), float(2 * weight @ (path[1] * after))
