"""Arora, Bassily, Guzman, Menart and Ullah (2022), section 5: adaptation to ||w*||, and boosting. Population risk.

``smoothness`` is H X^2, ``norm`` is ||w*||, B* = 2 max(||w*||, 1). Where numbers of an algorithm enter they are those
of Algorithm 3 with Theorem 3's lambda and sigma, at the n, epsilon and delta that a run has.
"""

from __future__ import annotations

import math

from dprepro.bounds import glm


def theorem_8_rate(n: float, epsilon: float, norm: float, smoothness: float, label_level: float) -> float:
    """Theorem 8's rate, without logarithms."""
    y, scale = label_level, math.sqrt(smoothness) * 2 * max(norm, 1.0)
    front: float = scale ** (4 / 3) * y ** (2 / 3) + scale**2
    power: float = (n * epsilon) ** (-2 / 3)
    sampling = (scale * max(y, 1.0) + y**2) / math.sqrt(n)
    return min(y**2, front * power + sampling + (y**2 + scale**2) / (n * epsilon))


def theorem_7_noise(epsilon: float) -> float:
    """Of Algorithm 4's choice at epsilon/4, with weights exp(-epsilon/4 s/2): Gumbel noise of scale 8/epsilon."""
    return 8 / epsilon


def theorem_7(
    n: float, epsilon: float, delta: float, norm: float, smoothness: float, label_level: float, guesses: float,
    divided: float, failure: float,
) -> float:  # fmt: skip
    """Theorem 7 with constants, ERR(B) being `glm.output_perturbation_smooth` of one run: the mean's bound.

    That is no bound with high probability; where the noise lies on many coordinates a risk keeps near its mean. Printed
    is 5 Delta(B*)/(n epsilon) for the choice, which loses 2 t times a sensitivity, 2 Delta/n, with t = 8 ln(4 (K +
    1)/beta)/epsilon: the printed term hides a logarithm. The n/2 losses of an answer, in [0, Delta] and of mean Y^2 at
    most, have a mean that is off by sqrt(4 Y^2 Delta x/n) + 4 Delta x/(3 n), x = ln(4K/beta), by Bernstein. Line 6 adds
    as much to every score, and the chosen one is paid twice: once as its penalty, once as its error.
    """
    y, radius = label_level, 2 * max(norm, 1.0)
    share, part = epsilon / (2 * divided), delta / (2 * divided)
    weight, sigma = output_perturbation(n / 2, share, part, smoothness, radius, y)
    err = glm.output_perturbation_smooth(n / 2, weight, sigma, smoothness, radius, y)
    return _with_choice(n, epsilon, delta, err, sigma, smoothness, radius, y, guesses, failure)


def theorem_8(
    n: float, epsilon: float, delta: float, norm: float, smoothness: float, label_level: float, guesses: float,
    divided: float, failure: float,
) -> float:  # fmt: skip
    """`theorem_7` with boosted runs: ERR(B) is `boosted`, a bound with probability 1 - beta/(4K)."""
    y, radius = label_level, 2 * max(norm, 1.0)
    share, part, chance = epsilon / (2 * divided), delta / (2 * divided), failure / (4 * guesses)
    err, sigma = boosted(n / 2, share, part, smoothness, radius, y, chance)
    return _with_choice(n, epsilon, delta, err, sigma, smoothness, radius, y, guesses, failure)


def _with_choice(
    n: float, epsilon: float, delta: float, err: float, sigma: float, smoothness: float, radius: float, y: float,
    guesses: float, failure: float,
) -> float:  # fmt: skip
    """min(Y^2, ERR + 2 sqrt(4 Y^2 Delta ln(4 K/beta)/n) + what the choice loses)."""
    largest = _largest(n / 2, sigma, smoothness, radius, y, min(delta, failure) / (4 * guesses))
    choice = 36 * math.log(4 * (guesses + 1) / failure) * largest / (n * epsilon)
    return min(y**2, err + 2 * math.sqrt(4 * y**2 * largest * math.log(4 * guesses / failure) / n) + choice)


def boosted(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float, failure: float
) -> tuple[float, float]:
    """ERR(B), what boosted output perturbation exceeds with chance ``failure`` at most, and a run's sigma.

    m = ceil(log2(2/failure)) runs on chunks of n/(m + 1) records: the best has at most twice the expected risk E of
    `glm.output_perturbation_smooth` but with chance 2^-m. By Bernstein, losses lying in [0, Delta], a chunk's mean loss
    is within d(L) = sqrt(2 Delta L x/n) + Delta x/n of L, x = ln(4 m/failure), with L <= Y^2 + 2 E for the best, and
    d(L) <= r L + Delta x/(2 r n) + Delta x/n for the chosen one, r = sqrt(Delta x/(2 n))/Y: by non-negativity the
    sample costs Y sqrt(Delta/n), not Delta/sqrt(n). The noise of scale 2 Delta/(n epsilon) costs 2 x of it.
    """
    m = math.ceil(math.log2(2 / failure))
    chunk, x, y = n / (m + 1), math.log(4 * m / failure), label_level
    weight, sigma = output_perturbation(chunk, epsilon, delta, smoothness, radius, y)
    best = 2 * glm.output_perturbation_smooth(chunk, weight, sigma, smoothness, radius, y)
    small = _largest(chunk, sigma, smoothness, radius, y, min(delta, failure) / (4 * m)) * x / chunk
    rate = math.sqrt(small / 2) / y
    if not rate < 1:
        return math.inf, sigma
    seen = math.sqrt(2 * small * (y**2 + best)) + 2 * y * math.sqrt(small / 2) + 2 * small
    return (best + seen + 4 * small / epsilon) / (1 - rate), sigma


def output_perturbation(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> tuple[float, float]:
    """lambda and sigma of Algorithm 3 on a smooth loss."""
    g = 2 * label_level * math.sqrt(smoothness) + 2 * smoothness * radius
    logarithm = math.log(1 / delta)
    weight: float = (math.sqrt(smoothness) * g / (radius * n * epsilon)) ** (2 / 3) * logarithm ** (1 / 3)
    return float(weight), g * math.sqrt(8 * logarithm) / (weight * n * epsilon)


def appendix_d(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float, level: float
) -> float:
    """`boosted` at a failure of exp(-level)."""
    return boosted(n, epsilon, delta, smoothness, radius, label_level, math.exp(-level))[0]


def twice_expected(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float, chunks: float
) -> float:
    """Twice the expected risk of one run on a chunk of n/(m + 1) records, without what the choice costs."""
    weight, sigma = output_perturbation(n / (chunks + 1), epsilon, delta, smoothness, radius, label_level)
    return 2 * glm.output_perturbation_smooth(n / (chunks + 1), weight, sigma, smoothness, radius, label_level)


def one_run(n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float) -> float:
    """The expected risk of one run on half of the records."""
    return twice_expected(n, epsilon, delta, smoothness, radius, label_level, 1) / 2


def floor(n: float, label_level: float) -> float:
    """Y^2/sqrt(n), which earlier bounds with high probability have and Appendix D has not."""
    return label_level**2 / math.sqrt(n)


def _largest(tried: float, sigma: float, smoothness: float, radius: float, label_level: float, chance: float) -> float:
    """Delta(B): (Y + sqrt(H/2) X (B + sigma sqrt(2 ln(2 tried/chance))))^2."""
    reach = radius + sigma * math.sqrt(2 * math.log(2 * tried / chance))
    return float((label_level + math.sqrt(smoothness / 2) * reach) ** 2)
