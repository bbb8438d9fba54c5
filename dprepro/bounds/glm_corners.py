"""Arora, Bassily, Guzman, Menart and Ullah (2022) at corners: what attacks hold against the statements, exactly.

``smoothness`` is H X^2, ``radius`` B, ``label_level`` Y, and A = sqrt(H) X B. The squared loss has H = 2. A share is
what is taken over what is allowed. Where a statement has an O() or leaves a constant open, `refute` grants it 100;
functions that need it inside take it as ``granted``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dprepro.bounds import glm, glm_adaptation, glm_schedule

Vector = NDArray[np.float64]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)

# Gaussian noise against the claimed budget


def gaussian_share(shift: float, epsilon: float, delta: float) -> float:
    """delta(epsilon) of N(0, 1) beside N(shift, 1), over delta."""
    if shift <= 0:
        return 0.0
    return float(np.exp(min(_log_delta(np.array([shift]), epsilon)[0] - math.log(delta), 700.0)))


def theorem_1_privacy(epsilon: float, delta: float) -> float:
    """Noise sigma^2 = 8 G^2 T L/(n epsilon)^2 in T steps of sensitivity 2 G/n: a shift of epsilon/sqrt(2 L)."""
    return gaussian_share(epsilon / math.sqrt(2 * math.log(1 / delta)), epsilon, delta)


def theorem_5_privacy_printed(epsilon: float, delta: float) -> float:
    """Noise with 4 in the place of 8, in one release: a shift of epsilon/sqrt(L), attained by linear losses."""
    return gaussian_share(epsilon / math.sqrt(math.log(1 / delta)), epsilon, delta)


def theorem_1_privacy_at_two_records(epsilon: float, delta: float) -> float:
    """Exactly what is published at n = T = 2, squared loss, B X far below Y: one noisy gradient, in a far larger ball.

    The record (X, Y) becomes (X, -Y): the mean gradient at 0 moves by 2 X Y, G = 2 sqrt(2) X Y and sigma^2 = 4 G^2
    L/epsilon^2, hence the shift is epsilon/sqrt(8 L).
    """
    return gaussian_share(epsilon / math.sqrt(8 * math.log(1 / delta)), epsilon, delta)


def theorem_2_privacy_printed(epsilon: float, delta: float, ratio: float, granted: float) -> float:
    """Algorithm 2 as printed, features not clipped, at n = 2 in many dimensions: delta over what is claimed.

    A record (X e_1, Y) beside a zeroed-out one becomes (X e_1, -Y); squared loss, ``ratio`` = A/Y. As n = T = 2 one
    noisy gradient is published, and Phi with it: in many dimensions the lengths of the other columns tell w up to a
    sign that Phi e_1 has too. Given Phi the shift is |Phi e_1| epsilon/(sqrt(8 L) (1 + ratio)), and k |Phi e_1|^2 is
    chi-square with k degrees of freedom: the noise fits |Phi e_1| = 1. k is the printed one times ``granted``.
    """
    logarithm = math.log(1 / delta)
    k = max(1, math.ceil(granted * (ratio * math.log(4 / delta) * 2 * epsilon / (1 + ratio)) ** (2 / 3)))
    return _unclipped(epsilon / (math.sqrt(8 * logarithm) * (1 + ratio)), epsilon, delta, k)


def _unclipped(shift: float, epsilon: float, delta: float, rows: float) -> float:
    """E over z^2 = chi^2_k/k of delta(epsilon) at the shift z times this one, over delta."""
    s = np.linspace(math.log(1e-4), math.log(400.0), 2001)  # ln z^2
    half = rows / 2
    density = half * math.log(half) - special.gammaln(half) + half * (s - np.exp(s))
    exponent = density + _log_delta(shift * np.exp(s / 2), epsilon) - math.log(delta)
    return float(np.trapezoid(np.exp(np.minimum(exponent, 700.0)), s))


def theorem_3_privacy_printed(
    n: float, epsilon: float, delta: float, feature_length: float, radius: float, label_level: float, granted: float
) -> float:
    """Theorem 3 with the printed lambda and ``granted`` times the printed sigma^2, squared loss: delta over delta.

    One record (X, Y) becomes (X, -Y) among n - 1 zeroed-out ones: the minimiser, X Y/n over X^2/n + lambda/2, turns
    round.
    """
    x, y, smoothness = feature_length, label_level, 2 * feature_length**2
    weight, sigma = _theorem_3_printed(n, epsilon, delta, x, radius, y)
    minimiser = min(radius, x * y / n / (smoothness / 2 / n + weight / 2))
    return gaussian_share(2 * minimiser / (math.sqrt(granted) * sigma), epsilon, delta)


def _theorem_3_printed(
    n: float, epsilon: float, delta: float, x: float, radius: float, y: float
) -> tuple[float, float]:
    """lambda and sigma as printed: X stands apart from H."""
    top, logarithm = y + 2 * radius * x**2, math.log(1 / delta)
    weight = (top * math.sqrt(2) * x / (radius * n * epsilon)) ** (2 / 3) * logarithm ** (1 / 3)
    return float(weight), math.hypot(y, 2 * radius * x**2) * math.sqrt(logarithm) / (weight * n * epsilon)


def theorem_7_privacy(epsilon: float, divided: float) -> float:
    """Of epsilon: K runs at epsilon/(2K) on one half, or the choice at epsilon/4 on the other."""
    return max(divided * epsilon / (2 * divided), epsilon / 4) / epsilon


def theorem_7_delta(epsilon: float, delta: float, divided: float) -> float:
    """Of delta: K runs at delta/(2K); or of the choice K events of chance delta/(4K), on either of two data sets."""
    return max(divided * delta / (2 * divided), (1 + math.exp(epsilon / 4)) * delta / 4) / delta


# risks of the algorithms in closed form


def theorem_2_step_printed(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> float:
    """What Theorem 2 loses with the printed step over its rate: (A^2/2) (1 - H X^2 eta n)^2 if that is positive.

    All records (X e_1, X B), B X <= Y: the mean of <x, w> grows by H X^2 B X eta a step at most, and its risk is at
    least that of its mean. eta falls as 1/sqrt(d), d = p.
    """
    g = 2 * label_level * math.sqrt(smoothness) + 2 * smoothness * radius
    step = glm_schedule.theorem_1_step_size(n, p, epsilon, delta, smoothness, radius, label_level, g)
    loss = smoothness * radius**2 / 2 * max(0.0, 1 - smoothness * step * n) ** 2
    return loss / glm.theorem_2_rate(n, epsilon, delta, smoothness, radius, label_level)


def theorem_2_sketch_printed(
    n: float, epsilon: float, delta: float, feature_length: float, radius: float, label_level: float, granted: float
) -> float:
    """What Theorem 2 loses with ``granted`` times the printed k over its rate, where that k is 1: A^2/8.

    Features X e_1 and X e_2 alike, labels <x, w*>: the risk is X^2/2 ||w - w*||^2, and the answer lies on a line of
    random direction, to which w* has mean squared distance B^2/2.
    """
    smoothness = 2 * feature_length**2
    k = glm_schedule.theorem_2_sketch_printed(n, epsilon, delta, smoothness, radius, label_level, feature_length)
    loss = smoothness * radius**2 / 8 if granted * k <= 1 else 0.0
    return loss / glm.theorem_2_rate(n, epsilon, delta, smoothness, radius, label_level)


def theorem_3_risk_printed(
    n: float, epsilon: float, delta: float, feature_length: float, radius: float, label_level: float
) -> float:
    """What Theorem 3 loses with the printed lambda over its rate: the ridge alone, at the worst mass.

    x = X e_1 with chance q, else 0; labels X B <= Y. Of q' n such records the minimiser is B 2 q' X^2/(2 q' X^2 +
    lambda), the distance from B is convex in q', and so the mean risk is at least that of q' = q.
    """
    x, y = feature_length, label_level
    weight, _ = _theorem_3_printed(n, epsilon, delta, x, radius, y)
    return _ridge(weight, x, radius) / _theorem_3_rate(n, epsilon, delta, x, radius, y)


def _ridge(weight: float, x: float, radius: float) -> float:
    """max over q of q X^2 B^2 lambda^2/(2 q X^2 + lambda)^2, at q = lambda/(2 X^2)."""
    mass = min(1.0, weight / (2 * x**2))
    return mass * (x * radius * weight / (2 * mass * x**2 + weight)) ** 2


def _theorem_3_rate(n: float, epsilon: float, delta: float, x: float, radius: float, y: float) -> float:
    g = 2 * math.sqrt(2) * x * y + 4 * radius * x**2
    return glm.theorem_3_rate(n, epsilon, delta, 2 * x**2, radius, g, y)


def theorem_3_risk(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float, mass: float,
    noisy: float,
) -> float:  # fmt: skip
    """What Theorem 3 loses as repaired over its rate: the ridge, the noise, and what the sample costs one coordinate.

    x = X e_1 with chance q. The labels are X B <= Y, or X B c give or take Y (1 - c), c = 1 - ``noisy``, a fair coin:
    their mean is off by Y (1 - c)/sqrt(q n), which the ridge shrinks.
    """
    g = 2 * label_level * math.sqrt(smoothness) + 2 * smoothness * radius
    loss = _released(n, epsilon, delta, smoothness, radius, radius, label_level, mass, noisy)
    return loss / glm.theorem_3_rate(n, epsilon, delta, smoothness, radius, g, label_level)


def theorem_8_risk(
    n: float, epsilon: float, delta: float, norm: float, smoothness: float, label_level: float, mass: float,
    noisy: float, guesses: float,
) -> float:  # fmt: skip
    """What the same loses at B = 2 max(||w*||, 1), on half of the records at epsilon/(2K), over Theorem 8's rate.

    The powers of K and ln(1/delta) that the rate hides are granted.
    """
    share = epsilon / (2 * guesses), delta / (2 * guesses)
    loss = _released(n / 2, *share, smoothness, 2 * max(norm, 1.0), norm, label_level, mass, noisy)
    hidden = float(guesses ** (2 / 3) * math.log(1 / share[1]) ** (1 / 3))
    return min(label_level**2, loss) / (
        hidden * glm_adaptation.theorem_8_rate(n, epsilon, norm, smoothness, label_level)
    )


def _released(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, norm: float, y: float, mass: float,
    noisy: float,
) -> float:  # fmt: skip
    g = 2 * y * math.sqrt(smoothness) + 2 * smoothness * radius
    weight = glm_schedule.theorem_3_weight(n, epsilon, delta, smoothness, radius, g)
    sigma = glm_schedule.theorem_3_noise(n, epsilon, delta, smoothness, radius, g)
    pull, signal = smoothness * mass, min(math.sqrt(smoothness / 2) * norm, y) * (1 - noisy)
    kept, some = pull / (pull + weight), min(1.0, mass * n)
    sampled = kept**2 * (y * noisy) ** 2 / max(1.0, mass * n)
    return mass * (some * (1 - kept) ** 2 * signal**2 + sampled) + smoothness * mass * sigma**2 / 2


def theorem_1_risk(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float,
    noisy: float,
) -> float:  # fmt: skip
    """What Theorem 1 loses over its rate on records X e_1 where no step leaves the ball; a lower value.

    T = n steps from 0: the average has the mean c w, c = 1 - mean (1 - H eta)^t. Labels as in `theorem_3_risk`.
    """
    g = 2 * label_level * math.sqrt(smoothness) + 2 * smoothness * radius
    step = glm_schedule.theorem_1_step_size(n, p, epsilon, delta, smoothness, radius, label_level, g)
    rate = glm.theorem_1_rate(n, p, epsilon, delta, smoothness, radius, g, label_level)
    return _descended(n, smoothness * step, smoothness, radius, label_level, noisy) / rate


def corollary_1_risk(n: float, smoothness: float, radius: float, label_level: float, noisy: float) -> float:
    """`theorem_1_risk` without noise, where the whole risk is known: over the rate of Corollary 1."""
    step = glm_schedule.corollary_1_step_size(n, smoothness, radius, label_level)
    rate = glm.corollary_1_rate(n, smoothness, radius, label_level)
    return _descended(n, smoothness * step, smoothness, radius, label_level, noisy) / rate


def corollary_1_mass(n: float, smoothness: float, radius: float, label_level: float, mass: float) -> float:
    """`corollary_1_risk` where a record has features with probability q, in the limit of many records.

    See `glm_laws.noisy_gd_without_noise`.
    """
    step = smoothness * mass * glm_schedule.corollary_1_step_size(n, smoothness, radius, label_level)
    left = 1 - _moved(n, step)
    return smoothness * mass / 2 * radius**2 * left**2 / glm.corollary_1_rate(n, smoothness, radius, label_level)


def _moved(n: float, step: float) -> float:
    """c = 1 - (1 - (1 - step)^n)/(n step)."""
    return 1 + math.expm1(n * math.log1p(-step)) / (n * step)


def _descended(n: float, step: float, smoothness: float, radius: float, y: float, noisy: float) -> float:
    moved, signal = _moved(n, step), min(math.sqrt(smoothness / 2) * radius, y) * (1 - noisy)
    return (1 - moved) ** 2 * signal**2 + moved**2 * (y * noisy) ** 2 / n


def low_dimension_least(n: float, epsilon: float, delta: float, scale: float) -> float:
    """What Algorithm 3 loses in one dimension, whatever its lambda, over the rate said after Theorem 3; Y = 1.

    Squared loss, X = 1, A = ``scale`` <= 1, B = A/sqrt 2. Labels B where x = 1, which has chance q, else x = 0: at q =
    min(1, lambda/2) the ridge costs q B^2 lambda^2/(2 q + lambda)^2. At q = 1 the noise costs sigma^2, sigma being at
    least what the record (1, 1) needs that becomes (1, -1) among zeroed-out ones: the minimiser moves by 2 min(B, 2/(2
    + lambda n)), over the largest shift that (epsilon, delta) allows. The larger of the two is least where they are
    equal. The rate, which has no delta, is given sqrt(ln(1/delta)).
    """
    radius, shift = scale / math.sqrt(2), largest_shift(epsilon, delta)
    t = np.geomspace(1e-3 / n, 1e30, 6001)  # lambda
    mass = np.minimum(1.0, t / 2)
    noise = (2 * np.minimum(radius, 2 / (2 + t * n)) / shift) ** 2
    least = float(np.min(np.maximum(mass * (radius * t / (2 * mass + t)) ** 2, noise)))
    g = 2 * math.sqrt(2) + 4 * radius
    rate = glm.low_dimension_rate(n, 1, epsilon, 2.0, radius, g, 1.0)
    return least / (rate * math.sqrt(math.log(1 / delta)))


def largest_shift(epsilon: float, delta: float) -> float:
    """mu at which a Gaussian shift has delta(epsilon) = delta, by bisection of its logarithm."""
    low, high = math.log(1e-30), math.log(1e4)
    for _ in range(80):
        middle = (low + high) / 2
        private = _log_delta(np.array([math.exp(middle)]), epsilon)[0] <= math.log(delta)
        low, high = (middle, high) if private else (low, middle)
    return math.exp(low)


# lower bounds: rates beside what private answers are known to lose


def zero_risk(smoothness: float, radius: float, label_level: float) -> float:
    """What answer 0 exceeds a minimiser of norm B by, on any data: at most Y^2, and H X^2 B^2/2 by smoothness."""
    return min(label_level**2, smoothness * radius**2 / 2)


def theorem_4_known(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> float:
    """The least of `zero_risk` and what noisy descent with many steps loses at most: sqrt(8 p L) G B/(n epsilon)."""
    g = 2 * label_level * math.sqrt(smoothness) + 2 * smoothness * radius
    return min(
        zero_risk(smoothness, radius, label_level), glm.theorem_1_private(n, 8 * p, epsilon, delta, radius, g)
    )  # fmt: skip


def theorem_6_known(n: float, p: float, epsilon: float, delta: float, radius: float, lipschitz: float) -> float:
    """The least that is known of answers that are private: zero, a published sample, noisy descent, perturbation.

    A record is published with chance delta: (0, delta)-private; of m records regularised minimisation loses 2 G B/sqrt
    m (and m is below n delta/2 with chance exp(-n delta/8)). Noisy descent loses sqrt(8 p L) G B/(n epsilon) more than
    without noise.
    """
    scale, logarithm = lipschitz * radius, math.log(1 / delta)
    sample = scale * (2 / math.sqrt(max(n * delta / 2, 4.0)) + math.exp(-n * delta / 8))
    descent = scale * (2 / math.sqrt(n) + math.sqrt(8 * p * logarithm) / (n * epsilon))
    weight = glm_schedule.theorem_5_weight(n, epsilon, delta, radius, lipschitz)
    sigma = lipschitz * math.sqrt(8 * logarithm) / (weight * n * epsilon)
    released = glm.output_perturbation_lipschitz(n, weight, sigma, radius, lipschitz)
    return min(scale, sample, descent, released)


def corollary_4_zero(norm: float, lipschitz: float) -> float:
    """What answer 0 loses at most: G B."""
    return lipschitz * norm


def lemma_1_printed(epsilon: float, delta: float, flips: float) -> float:
    """1/4 over E|A(S) - tau| + E|A(S') - tau'| of a private answer, for |tau - tau'| = 1; D = ``flips`` records differ.

    It publishes tau' with chance p_i where i of them are replaced: p falls from the middle to either side as fast as
    (epsilon, delta) lets it, p -> (p - delta)/e^epsilon; the middle is 1/2, or (1 - delta)/(1 + e^epsilon) of an odd D.
    """
    if flips == 0:
        return 0.25
    odd = flips % 2
    start = (1 - delta) / (1 + math.exp(epsilon)) if odd else 0.5
    spread = delta / math.expm1(epsilon)
    least = max(0.0, (start + spread) * math.exp(-epsilon * (flips - odd) / 2) - spread)
    return math.inf if least == 0 else 0.25 / (2 * least)


# Table 1 and the transition


def table_1_cell(n: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """The upper cell of high dimension as printed, small ||w*||: A^(2/3) Y^(2/3)/(n epsilon)^(2/3), and A Y/sqrt n."""
    scale = math.sqrt(smoothness) * radius
    return float((scale * label_level / (n * epsilon)) ** (2 / 3)) + scale * label_level / math.sqrt(n)


def table_1_repaired(n: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """`table_1_cell` with the exponent 4/3."""
    scale = math.sqrt(smoothness) * radius
    front: float = scale ** (4 / 3) * label_level ** (2 / 3)
    return float(front / (n * epsilon) ** (2 / 3)) + scale * label_level / math.sqrt(n)


def table_1_lower_printed(
    n: float, p: float, epsilon: float, smoothness: float, radius: float, label_level: float
) -> float:
    """The lower cells as printed: (A Y/(n epsilon))^(2/3) above d = (n epsilon)^(2/3), else sqrt(d) A Y/(n epsilon)."""
    scale, signal = math.sqrt(smoothness) * radius, n * epsilon
    flat = float((scale * label_level / signal) ** (2 / 3))
    return flat if p > signal ** (2 / 3) else math.sqrt(p) * scale * label_level / signal


def hidden_signs(n: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """What no private algorithm loses less than in many dimensions, by the signs that the proof of Theorem 4 hides.

    A third of its rate for delta <= 1e-9 and small epsilon, as `SignedLabels` certifies .48; 0 unless the construction
    has room: one coordinate at least, b <= 1.
    """
    scale, signal = math.sqrt(smoothness) * radius, n * epsilon
    if not (scale * signal >= 8 * label_level and scale**2 <= label_level**2 * signal and n >= 8 and epsilon <= 0.1):
        return 0.0
    return glm.theorem_4_rate(n, 1e300, epsilon, smoothness, radius, label_level) / 3


def transition_crossing(n: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """The dimension in which the private terms of Theorems 1 and 2 are equal."""
    scale, y = math.sqrt(smoothness) * radius, label_level
    front: float = scale ** (4 / 3) * y ** (2 / 3) + scale**2
    return float((front / (2 * scale * (y + scale))) ** 2 * (n * epsilon) ** (2 / 3))


def transition_of_unit_losses(n: float, epsilon: float, norm: float) -> float:
    """`transition_crossing` for H = X = Y = 1, as the introduction writes rates."""
    return transition_crossing(n, epsilon, 1.0, norm, 1.0)


# Theorem 7: the middle term, on candidates that two halves of the features tell apart


def theorem_7_choice(n: float, epsilon: float, failure: float, label_level: float, gap: float, squared: float) -> float:
    """What Algorithm 4 exceeds ERR(B*) by, with chance beta, over the last two terms of Theorem 7.

    Features X e_1 with chance (1 - s)/2, X e_2 with (1 + s)/2; labels Y. The inner algorithm answers (0, Y/X) at B = 2,
    whose risk is (1 - s) Y^2/2 = ERR(2), then (Y/X, 0), of (1 + s) Y^2/2 = ERR(4), and 0 at B = 8, K = 3: it sees no
    data, hence is private. ||w*|| = sqrt(2) Y/X <= 1. All losses are at most Y^2 = Delta. The validation half counts
    N_1 and N_2 = n/2 - N_1 records: scores differ by Y^2 (N_2 - N_1)/(n/2), sensitivities are 2 Y^2/n, t =
    8 ln(16/beta)/epsilon. Where N_1 exceeds N_2 by a margin of 160/epsilon, answer 2 is chosen but with chance 2 e^-10.
    ``gap`` is s sqrt(n/2). ``squared`` is 1 with the term as printed, sqrt(4 Y^2 ln(4K/beta)/n), and Y^2 Delta for 2.
    """
    y, k, s = label_level, 3, gap / math.sqrt(n / 2)
    if not (s < 0.5 and n * epsilon > 1e5):
        return 0.0
    margin = 160 / epsilon
    deviation = (margin + s * n / 2 + 1) / math.sqrt(n / 2 * (1 - s**2))
    chance = float(special.ndtr(-deviation)) * (1 - 2 * math.exp(-10)) - 1 / math.sqrt(n)  # Berry and Esseen
    taken = s * y**2 if chance > failure else 0.0
    power = 1.0 if squared < 2 else y**2
    middle = math.sqrt(4 * y**2 * power * math.log(4 * k / failure) / n) * (1 if squared < 2 else 2)
    last = 36 * math.log(4 * (k + 1) / failure) * y**2 / (n * epsilon)
    return taken / (middle + last)


# lemmas


def definition_1_rows(precision: float, level: float) -> float:
    """P(|<Phi u, Phi u> - 1| > alpha) over beta = e^-level, of a Gaussian map with k = 8 ln(1/beta)/alpha^2 rows."""
    k = math.ceil(8 * level / precision**2)
    above = special.chdtrc(k, k * (1 + precision))
    below = special.chdtr(k, max(0.0, k * (1 - precision)))
    return float(above + below) * math.exp(level)


def self_bounding(place: float, smooth: float, raised: float, shape: float) -> float:
    """|f'(u)|/sqrt(4 H f(u)) of H-smooth functions: a parabola, Huber's, softplus, 1 - cos, plus a constant.

    ``shape`` is 0 to 3; Huber's has its kink at 1; ``raised`` is the constant.
    """
    u = place
    if shape == 0:
        slope, value = smooth * u, smooth * u**2 / 2
    elif shape == 1:
        slope = smooth * max(-1.0, min(1.0, u))
        value = smooth * (u**2 / 2 if abs(u) <= 1 else abs(u) - 0.5)
    elif shape == 2:
        slope, value = 4 * smooth * float(special.expit(u)), 4 * smooth * float(np.logaddexp(0.0, u))
    else:
        slope, value = smooth * math.sin(u), 2 * smooth * math.sin(u / 2) ** 2
    allowed = math.sqrt(4 * smooth * (value + raised))
    return abs(slope) / allowed if allowed > 0 else 0.0


def lemma_2_share(smooth: float, size: float, radius: float, label: float, centre: float, place: float) -> float:
    """||grad||/(2 Y sqrt(H) X + 2 H B X^2) of f = H/2 (z - c)^2 + r at z = ``place`` B X, Y^2 = H c^2/2 + r.

    c = ``centre`` Y sqrt(2/H), at most where r is 0: c is then as large as Y allows.
    """
    c = centre * label * math.sqrt(2 / smooth)
    slope = smooth * abs(place * radius * size - c) * size
    return slope / (2 * label * math.sqrt(smooth) * size + 2 * smooth * radius * size**2)


def lemma_12_share(sum_error: float, difference_error: float, cosine: float, ratio: float) -> float:
    """|<Phi u, Phi v> - <u, v>| over alpha |u| |v|, the squares of |u + v| and |u - v| being off by these shares.

    |u| = ``ratio`` |v|; alpha is the larger of the two. By polarisation.
    """
    alpha = max(abs(sum_error), abs(difference_error))
    if alpha == 0:
        return 0.0
    square, product = ratio**2 + 1, 2 * cosine * ratio
    moved = (sum_error * (square + product) - difference_error * (square - product)) / 4
    return abs(moved) / (alpha * ratio)


def chosen_chunk(n: float, smoothness: float, radius: float, label_level: float, gap: float, mass: float) -> float:
    """What a choice between two answers by n records costs over A Y/sqrt n: Appendix D without privacy.

    Answers of predictions B X and -B X on features X e_1 with chance q, B X <= Y, labels +-Y of mean m: losses differ
    by 4 B X m q in the mean, with deviation 4 B X Y sqrt(q); the worse is chosen with a normal chance at a ``gap`` of
    so many deviations.
    """
    reach = min(math.sqrt(smoothness / 2) * radius, label_level)
    deviation = 4 * reach * label_level * math.sqrt(mass / n)
    apart = min(gap * deviation, 4 * reach * label_level * mass)
    scale = math.sqrt(smoothness) * radius
    return apart * float(special.ndtr(-apart / deviation)) / (scale * label_level / math.sqrt(n))


def _log_delta(shift: Vector, epsilon: float) -> Vector:
    """ln delta(epsilon) of shifts mu > 0, stable for small ones.

    phi(a) (m(a) - m(a + mu)) with the Mills ratio m and a = epsilon/mu - mu/2; for mu <= 1/2 and a >= 0 the difference
    is an integral of -m' = 1 - t m over [a, a + mu], else Phi(-a) - e^epsilon Phi(-a - mu).
    """
    a = epsilon / shift - shift / 2
    with np.errstate(all="ignore"):
        density = -0.5 * a**2 - 0.5 * math.log(2 * math.pi)
        root = math.sqrt(2.0)
        t = a[:, None] + shift[:, None] * (NODES + 1) / 2
        mills = math.sqrt(math.pi / 2) * special.erfcx(t / root)
        slope = np.where(t > 100, 1 / t**2 - 3 / t**4, 1 - t * mills)
        small = density + np.log(shift * (slope @ WEIGHTS) / 2)
        first = special.log_ndtr(-a)
        apart = -np.expm1(np.minimum(epsilon + special.log_ndtr(-a - shift) - first, 0.0))
        large = first + np.log(np.maximum(apart, 1e-300))
    return np.where((shift <= 0.5) & (a >= 0), small, large)
