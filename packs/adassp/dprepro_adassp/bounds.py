"""Bounds for AdaSSP, derived here: the text of the paper was not at hand, so that its own constants are not used.

Notation: A = X^T X, b = X^T y, A theta* = b, alpha = lambda_min(A); noise sigma on lambda_min and on the entries of A,
sigma_y on b; L the threshold; risks are means over n of (<x, theta> - y)^2.

With B = A + lambda I, M = B + E and w = e - E theta*, the error is theta - theta* = M^-1 (w - lambda theta*), so that

    n risk = ||theta - theta*||_A^2 <= (1 - k)^-2 (lambda ||theta*||_{B^-1} + ||w||_{B^-1})^2,   k = s/lambda_min(B),

wherever E >= -s I, as A <= B. With u = level + ln 4, each of these fails with probability at most exp(-level)/4:
* s = sigma (2 sqrt p + 2 sqrt u): the mean of lambda_max(E) is at most that of the Gaussian orthogonal ensemble, and it
  is sqrt(2) sigma-Lipschitz in the independent entries;
* lambda_min(B) >= max(alpha, L - g), g = max(0, sigma sqrt(2 u) - shift): lambda_min was not released too high;
* lambda <= max(0, L - max(0, alpha - sigma sqrt(2 u) - shift)): nor too low;
* ||w||_{B^-1} <= sqrt(W) + sqrt(2 u v/lambda_min(B)), v = sigma_y^2 + 2 sigma^2 ||theta*||^2 and
  W = (sigma_y^2 + sigma^2 ||theta*||^2) tr B^-1 + sigma^2 ||theta*||^2/lambda_min(B), as Cov(E theta*) is at most
  2 sigma^2 ||theta*||^2 I, with the trace p sigma^2 ||theta*||^2; tr B^-1 <= min(tr A^-1, p/lambda_min(B)).
"""

from __future__ import annotations

import math

from dprepro.privacy.worst_pairs import gaussian_epsilon

LEVEL = math.log(100)
RHO = 0.05


def threshold_factor(p: float, rho: float) -> float:
    """The threshold in units of the noise: sqrt(p ln(2 p^2/rho))."""
    return math.sqrt(p * math.log(2 * p**2 / rho))


def per_instance(
    level: float,
    n: float,
    p: float,
    noise_scale: float,
    label_noise: float,
    shift: float,
    threshold: float,
    radius: float,
    least_eigenvalue: float,
    inverse_trace: float,
) -> float:
    """Of the data's own alpha and tr A^-1, and ||theta*|| <= radius: the lesser of both theorems, by the formula above.

    The risk is larger with probability at most exp(-level). Infinite where k >= 1.
    """
    u = level + math.log(4)
    slip = noise_scale * math.sqrt(2 * u)
    least = max(least_eigenvalue, threshold - max(0.0, slip - shift))
    ridge = max(0.0, threshold - max(0.0, least_eigenvalue - slip - shift))
    k = noise_scale * (2 * math.sqrt(p) + 2 * math.sqrt(u)) / least if least > 0 else math.inf
    if k >= 1:
        return math.inf
    matrix, labels = (noise_scale * radius) ** 2, label_noise**2
    mean = (labels + matrix) * min(inverse_trace, p / least) + matrix / least
    error = ridge * radius / math.sqrt(least) + math.sqrt(mean) + math.sqrt(2 * u * (labels + 2 * matrix) / least)
    return (error / (1 - k)) ** 2 / n


def any_data(
    level: float,
    n: float,
    p: float,
    noise_scale: float,
    label_noise: float,
    shift: float,
    threshold: float,
    radius: float,
) -> float:
    """Whatever the data: `per_instance` with alpha = 0. Of order sqrt(p ln(1/delta) ln p)/(n epsilon)."""
    return per_instance(level, n, p, noise_scale, label_noise, shift, threshold, radius, 0.0, math.inf)


def per_instance_99(
    n: float,
    p: float,
    noise_scale: float,
    label_noise: float,
    shift: float,
    threshold: float,
    radius: float,
    least_eigenvalue: float,
    inverse_trace: float,
) -> float:
    """`per_instance` with probability 99%."""
    return per_instance(
        LEVEL, n, p, noise_scale, label_noise, shift, threshold, radius, least_eigenvalue, inverse_trace
    )


def per_instance_too_tight(
    level: float,
    n: float,
    p: float,
    noise_scale: float,
    label_noise: float,
    shift: float,
    threshold: float,
    radius: float,
    least_eigenvalue: float,
    inverse_trace: float,
) -> float:
    """Control: a quarter of `per_instance`, which forgets half of the noise."""
    whole = per_instance(
        level, n, p, noise_scale, label_noise, shift, threshold, radius, least_eigenvalue, inverse_trace
    )
    return whole / 4


def answer_zero(level: float, p: float, radius: float) -> float:
    """The risk of answering zero on an even spectrum, ||theta*||^2/p; not a theorem's."""
    return radius**2 / p


def well_conditioned_rate(n: float, p: float, epsilon: float, delta: float) -> float:
    """p^2 ln(6/delta)/(n epsilon)^2: alpha = n/p far above the threshold, X = Y = ||theta*|| = 1, as lambda = 0."""
    return p**2 * math.log(6 / delta) / (n * epsilon) ** 2


def any_data_rate(n: float, p: float, epsilon: float, delta: float) -> float:
    """sqrt(p ln(6/delta) ln(2 p^2/rho))/(n epsilon) at rho = 0.05, X = Y = ||theta*|| = 1: the threshold over n."""
    return threshold_factor(p, RHO) * math.sqrt(math.log(6 / delta)) / (n * epsilon)


def one_release(epsilon: float, delta: float) -> float:
    """Exact epsilon, at delta/3, of one of the three releases where a record comes or goes."""
    return gaussian_epsilon(epsilon / 3 / math.sqrt(math.log(6 / delta)), delta / 3)


def all_releases(epsilon: float, delta: float) -> float:
    """Exact epsilon, at delta, of the three together: one Gaussian of sqrt(3) times the shift."""
    return gaussian_epsilon(math.sqrt(3) * epsilon / 3 / math.sqrt(math.log(6 / delta)), delta)


def all_releases_replaced(epsilon: float, delta: float) -> float:
    """The same where a record is replaced: shifts 1, sqrt(2) and 2."""
    return gaussian_epsilon(math.sqrt(7) * epsilon / 3 / math.sqrt(math.log(6 / delta)), delta)


def all_releases_half_noise(epsilon: float, delta: float) -> float:
    """Control: the three together with half of the noise."""
    return gaussian_epsilon(2 * math.sqrt(3) * epsilon / 3 / math.sqrt(math.log(6 / delta)), delta)


def share(epsilon: float) -> float:
    """A third of the budget."""
    return epsilon / 3


def budget(epsilon: float) -> float:
    """The whole budget."""
    return epsilon
