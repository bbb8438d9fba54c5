"""Objective perturbation of Kifer, Smith and Thakurta (2012) where answers have closed forms, in one dimension.

The total objective, n times the mean, is h/2 (theta - c)^2 + k |theta - a| over an interval, or a Huber function with
curvature eta within psi of its minimiser 0 and affine beyond, where slopes of records have a limit and curvature need
not. Risks are divided by n. The unit of zeta is 1, and so is that of lambda.
"""

from __future__ import annotations

import math

from scipy import special


def _minimiser(
    curvature: float, centre: float, kink: float, place: float, low: float, width: float, ridge: float, pull: float
) -> float:
    """argmin of h/2 (t - c)^2 + k |t - a| + ridge/2 t^2 + pull t over [low, low + width]; the least |t| of several."""
    steep, target = curvature + ridge, curvature * centre - pull
    if steep > 0:
        left, right = (target + kink) / steep, (target - kink) / steep
        free = left if left < place else right if right > place else place
    else:
        free = place if kink > 0 else 0.0
    return min(max(free, low), low + width)


def _objective(t: float, curvature: float, centre: float, kink: float, place: float) -> float:
    return curvature / 2 * (t - centre) ** 2 + kink * abs(t - place)


def lemma_24_distance(
    curvature: float, centre: float, kink: float, place: float, low: float, width: float, ridge: float, pull: float
) -> float:
    """|theta# - theta^priv|."""
    where = (curvature, centre, kink, place, low, width, ridge)
    return abs(_minimiser(*where, 0.0) - _minimiser(*where, pull))


def lemma_24(pull: float, ridge: float) -> float:
    """Lemma 24: 2 ||b||/Delta."""
    return 2 * abs(pull) / ridge


def corollary_25_loss(
    curvature: float, centre: float, kink: float, place: float, low: float, width: float, ridge: float, pull: float
) -> float:
    """n (J#(theta^priv) - J#(theta#)), but for its rounding."""
    where = (curvature, centre, kink, place, low, width, ridge)
    plain, noisy = _minimiser(*where, 0.0), _minimiser(*where, pull)
    values = [_objective(t, curvature, centre, kink, place) + ridge / 2 * t**2 for t in (noisy, plain)]
    return values[0] - values[1] - 1e-14 * max(values)


def corollary_25(pull: float, ridge: float) -> float:
    """Corollary 25, times n: 2 ||b||^2/Delta."""
    return 2 * pull**2 / ridge


def lemma_3_risk(
    curvature: float, centre: float, kink: float, place: float, low: float, width: float, ridge: float, pull: float
) -> float:
    """n times the risk, but for its rounding."""
    best = _minimiser(curvature, centre, kink, place, low, width, 0.0, 0.0)
    noisy = _minimiser(curvature, centre, kink, place, low, width, ridge, pull)
    values = [_objective(t, curvature, centre, kink, place) for t in (noisy, best)]
    return values[0] - values[1] - 1e-14 * max(values)


def lemma_3(
    curvature: float, centre: float, kink: float, place: float, low: float, width: float, ridge: float, pull: float
) -> float:
    """Lemma 3, times n: 2 ||b||^2/Delta + Delta ||theta_hat||^2/2."""
    best = _minimiser(curvature, centre, kink, place, low, width, 0.0, 0.0)
    return 2 * pull**2 / ridge + ridge / 2 * best**2


# Huber functions with their kink at the radius that a theorem asks for, around theta_hat; Delta = 2 lambda/epsilon


def noise_deviation(epsilon: float, delta: float) -> float:
    """sqrt(8 ln(2/delta) + 4 epsilon)/epsilon, the deviation of b at zeta = 1."""
    return math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon


def _steepness(n: float, epsilon: float, radius: float) -> tuple[float, float]:
    """eta and Delta where all n records have the curvature 1 within the radius.

    Raises:
        ValueError: their slopes would exceed zeta.
    """
    if radius > 1:
        raise ValueError("a record's slope would exceed zeta")
    return n, 2 / epsilon


def _beyond(t: float, eta: float, ridge: float, radius: float, deviation: float, norm: float) -> float:
    """P(|theta^priv - theta_hat| > t), theta_hat = ``norm``: the ridge pulls towards 0."""
    slope = eta * min(t, radius)
    return sum(0.5 * math.erfc((slope + ridge * (t + value)) / (deviation * math.sqrt(2))) for value in (norm, -norm))


def _risk_reaches(total: float, eta: float, radius: float) -> float:
    """The distance at which the Huber function is `total`."""
    inside = eta * radius**2 / 2
    return math.sqrt(2 * total / eta) if total <= inside else (total + inside) / (eta * radius)


def theorem_31_missed_as_printed(
    n: float, epsilon: float, delta: float, gamma: float, reach: float, granted: float, norm: float
) -> float:
    """P(risk > granted times Theorem 31's rate), psi being the printed one times `reach`.

    It is sqrt(ln(1/delta) ln(1/gamma))/(epsilon (Delta + eta)) + sqrt(Delta/(Delta + eta)) ||theta_hat||.
    """
    logs, steep = math.log(1 / delta) * math.log(1 / gamma), n + 2 / epsilon
    radius = reach * (math.sqrt(logs) / (epsilon * steep) + math.sqrt(2 / (epsilon * steep)) * norm)
    eta, ridge = _steepness(n, epsilon, radius)
    total = granted * (logs / (epsilon**2 * steep) + ridge * norm**2)
    at = _risk_reaches(total, eta, radius)
    return _beyond(at, eta, ridge, radius, noise_deviation(epsilon, delta), norm)


def _of_theorem_30(n: float, epsilon: float, delta: float, gamma: float, norm: float) -> tuple[float, float]:
    """Theorem 30's two distances with 1 + ln(1/gamma): of theta^priv to theta#, and of theta# to theta_hat."""
    noise = math.sqrt(2 * (1 + math.log(1 / gamma))) * noise_deviation(epsilon, delta)
    return noise / (n + 2 / epsilon), math.sqrt(2 / (epsilon * n + 2)) * norm


def theorem_31_missed(
    n: float, epsilon: float, delta: float, gamma: float, reach: float, granted: float, norm: float
) -> float:
    """P(risk > granted times Theorem 31's rate), with 1 + ln(1/gamma) and another radius.

    The radius is Theorem 30's: 4 times its first distance and twice its second.
    """
    noise, bias = _of_theorem_30(n, epsilon, delta, gamma, norm)
    radius = reach * (4 * noise + 2 * bias)
    eta, ridge = _steepness(n, epsilon, radius)
    logs = math.log(1 / delta) * (1 + math.log(1 / gamma))
    total = granted * (logs / (epsilon**2 * (ridge + eta)) + ridge * norm**2)
    return _beyond(_risk_reaches(total, eta, radius), eta, ridge, radius, noise_deviation(epsilon, delta), norm)


def theorem_30_missed(n: float, epsilon: float, delta: float, gamma: float, reach: float, norm: float) -> float:
    """P(|theta^priv - theta_hat| > Theorem 30 (b)), with 1 + ln(1/gamma), the kink at its radius times `reach`."""
    noise, bias = _of_theorem_30(n, epsilon, delta, gamma, norm)
    radius = reach * (4 * noise + 2 * bias)
    eta, ridge = _steepness(n, epsilon, radius)
    return _beyond(noise + bias, eta, ridge, radius, noise_deviation(epsilon, delta), norm)


def theorem_5_risk(n: float, epsilon: float, delta: float, reach: float) -> float:
    """The expected risk over the whole line where psi is Assumption 1's times `reach`: sqrt(ln(1/delta))/(n epsilon^2).

    |theta^priv| is |b|/(Delta + eta) within the radius, and (|b| - eta psi)/Delta beyond; with T = (Delta + eta) psi
    the moments of b that are needed are E b^2 1(|b| <= T), E |b| 1(|b| > T) and P(|b| > T), all closed.
    """
    radius, s = reach * math.sqrt(math.log(1 / delta)) / (n * epsilon**2), noise_deviation(epsilon, delta)
    eta, ridge = _steepness(n, epsilon, radius)
    turn = (ridge + eta) * radius / s
    beyond, height = math.erfc(turn / math.sqrt(2)), math.exp(-(turn**2) / 2) * math.sqrt(2 / math.pi)
    inside = s**2 * (1 - beyond - turn * height)
    far = (s * height - eta * radius * beyond) / ridge
    return (eta / 2 * inside / (ridge + eta) ** 2 + eta * radius * (far - radius / 2 * beyond)) / n


def curved_risk(n: float, p: float, epsilon: float, delta: float, spread: float) -> float:
    """The expected risk where the whole loss is eta/2 ||theta||^2, over all of space; eta = n lambda spread/p.

    theta^priv = -b/(Delta + eta), p sigma^2 eta/(2 n (Delta + eta)^2).
    """
    eta, ridge = n * spread / p, 2 / epsilon
    return p * noise_deviation(epsilon, delta) ** 2 * eta / (2 * n * (ridge + eta) ** 2)


def table_1_nice(n: float, p: float, epsilon: float, delta: float) -> float:
    """Theorem 5's bound with constants at Table 1's zeta = 2 p^(3/2), lambda = p, R = sqrt p, logarithms left out.

    Table 1 ignores them, and epsilon and delta: E ||b||^2/(2 n (Delta + eta)) is divided by ln(1/delta).
    """
    ridge, eta = 2 * p / epsilon, n
    noise = p * 4 * p**3 * noise_deviation(epsilon, delta) ** 2 / math.log(1 / delta)
    return noise / (2 * n * (ridge + eta)) + ridge * p / (2 * n)


def curved_risk_missed(p: float, epsilon: float, delta: float, gamma: float, share: float, granted: float) -> float:
    """P(risk > granted times Theorem 31's rate with 1 + ln(1/gamma)) on such a loss, eta = share (Delta + eta)."""
    most = granted * p * math.log(1 / delta) * (1 + math.log(1 / gamma)) / epsilon**2
    return float(special.gammaincc(p / 2, most / (share * noise_deviation(epsilon, delta) ** 2)))


# population risks (appendix D.2) on a segment of p dimensions, for sums of n >= 1e4 records, as good as normal


def _clipped_mean(mean: float, deviation: float, most: float) -> float:
    """E min(max(X, -most), most), X normal."""

    def below(limit: float) -> float:  # E (limit - X)_+
        z = (limit - mean) / deviation
        return (limit - mean) * float(special.ndtr(z)) + deviation * math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)

    return most - below(most) + below(-most)


def linear_population_risk(n: float, p: float, epsilon: float, delta: float, signal: float) -> float:
    """Slopes +-1, of mean mu = signal/sqrt n, theta in [-1, 1]: mu (1 - E clip((sum - b)/Delta)), R = L = 1."""
    ridge, mean = math.sqrt(p * math.log(1 / delta)) / epsilon, min(signal / math.sqrt(n), 1.0)
    deviation = math.sqrt(n * (1 - mean**2) + noise_deviation(epsilon, delta) ** 2)
    return mean * (1 - _clipped_mean(n * mean / ridge, deviation / ridge, 1.0))


def curved_population_risk(n: float, p: float, epsilon: float, delta: float, ball: float, norm: float) -> float:
    """Losses lambda/2 (theta - y)^2, n lambda = Delta, y = 1 +- Y, theta in [-ball, ball], Delta for `norm`.

    A slope is 1 at most: lambda (ball + 1 + Y) = 1. The answer (lambda sum y - b)/(2 Delta) is clipped to the set; the
    deviation sqrt(n lambda^2 Y^2 + sigma^2)/(2 Delta) costs about 1/(8 Delta) where the set allows, whatever n.

    Raises:
        ValueError: the set is too large for these slopes.
    """
    ridge = math.sqrt(p * math.log(1 / delta)) / (epsilon * norm)
    curvature = ridge / n
    aside = 1 / curvature - ball - 1
    if aside <= 0 or curvature > epsilon * ridge / 2:
        raise ValueError("a record's slope or curvature would exceed its limit")
    scale = math.hypot(math.sqrt(n) * curvature * aside, noise_deviation(epsilon, delta)) / (2 * ridge)
    low, high = (-ball - 0.5) / scale, (ball - 0.5) / scale  # theta = 1/2 + scale Z

    def moment(z: float) -> tuple[float, float, float]:  # of Z up to z
        density, below = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), float(special.ndtr(z))
        return below, -density, below - z * density

    inside = [b - a for a, b in zip(moment(low), moment(high), strict=True)]
    squared = inside[0] / 4 - scale * inside[1] + scale**2 * inside[2]  # E (scale Z - 1/2)^2 inside
    squared += float(special.ndtr(low)) * (ball + 1) ** 2 + float(special.ndtr(-high)) * (ball - 1) ** 2
    return curvature / 2 * squared


def curved_population_risk_by_radius(n: float, p: float, epsilon: float, delta: float, radius: float) -> float:
    """`curved_population_risk` where the set's radius stands for ||theta|| in Delta too."""
    return curved_population_risk(n, p, epsilon, delta, radius, radius)
