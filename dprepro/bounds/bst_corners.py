"""Bassily, Smith and Thakurta (2014): what statements meet at their corners, exactly or by a bound derived here.

Risks are sums over n where the docstring says so, else means; L = C = 1 where no constant is an argument.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from dprepro.bounds.bst import least_deviation, theorem_3_2
from dprepro.bounds.bst_generic import theorem_e_2
from dprepro.bounds.bst_lemmas import extension_bend, extension_slope

RIDGE = 2.0
"""Delta epsilon/beta of Kifer, Smith and Thakurta's Algorithm 1; Appendix E prints 1/2."""


# Section 2: rates against what their proofs give


def theorem_2_4_1_proved(n: float, p: float, epsilon: float, delta: float) -> float:
    """`bst.theorem_2_4_1` at the printed T = n^2 and sigma."""
    square = 32 * math.log(n / delta) * math.log(1 / delta) / epsilon**2
    return math.sqrt(1 + p * square) * (2.5 + 3 * math.log(n)) / n


def quadratic_last_iterate(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """What Algorithm 1 with steps 1/(Delta n t) loses on Delta ||theta - c||^2/2 from noise alone, far from the ends.

    theta_{t+1} - c = (1 - 1/t)(theta_t - c) - b_t/(Delta t) with b of deviation s: E ||theta_T - c||^2 = p s^2/(Delta^2
    (T - 1)); half of Delta times that, T = n^2, and no more than L^2/(2 Delta).
    """
    square = 32 * lipschitz**2 * math.log(n / delta) * math.log(1 / delta) / epsilon**2
    return min(p * square / (n**2 - 1), lipschitz**2) / (2 * strong_convexity)


# Section 3: rays, and the time of the sampler


def ray_of_a_hinge(kink: float, steep: float, number: float) -> float:
    """r_i - r_{i-1} where the risk is r up to ``kink`` and has the slope 1 + ``steep`` beyond."""
    return _hinge_place(kink, steep, number) - _hinge_place(kink, steep, number - 1)


def ray_of_a_hinge_before(kink: float, steep: float, number: float) -> float:
    """r_{i-1} - r_{i-2}."""
    return ray_of_a_hinge(kink, steep, number - 1)


def _hinge_place(kink: float, steep: float, level: float) -> float:
    return level if level <= kink else kink + (level - kink) / (1 + steep)


# Section 4: localisation


def missed_localisation(n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """L E(||b|| - r)_+, what Algorithm 3 costs at most where C_0 misses the minimiser; ||b|| has a gamma law of p.

    r = 3 ln(n) p scales, of 4 L/(Delta epsilon n). E(x - a)_+ = p Q(p + 1, a) - a Q(p, a).
    """
    from scipy.special import gammaincc

    scale, a = 4 * lipschitz / (strong_convexity * epsilon * n), 3 * math.log(n) * p
    return lipschitz * scale * max(0.0, float(p * gammaincc(p + 1, a) - a * gammaincc(p, a)))


def theorem_4_3_proved(n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """Theorem 4.3 as proved, without a diameter: 96 times the rate, and `missed_localisation`."""
    local = 24 * math.log(n) * lipschitz * p / (strong_convexity * epsilon * n)
    missed = missed_localisation(n, p, epsilon, lipschitz, strong_convexity)
    return theorem_3_2(n, p, epsilon / 2, lipschitz, local) + missed


def theorem_b_2_proved(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """Theorem B.2 with Algorithm 2 inside and the least noise: 2 p L C_0/(n epsilon/2), and L E(||b|| - r)_+.

    r = sqrt(3 ln(n) p) deviations. E(||b|| - r)_+ <= E ||b||^2/r times a chi-square tail of p + 2 degrees at r^2.
    """
    from scipy.special import gammaincc

    deviation = 2 * lipschitz / (strong_convexity * n) * least_deviation(epsilon / 2, delta / 2)
    reach = math.sqrt(3 * math.log(n) * p)
    missed = deviation * (p / reach * float(gammaincc(p / 2 + 1, reach**2 / 2)) if reach else math.sqrt(p / 2))
    return theorem_3_2(n, p, epsilon / 2, lipschitz, 2 * reach * deviation) + lipschitz * missed


# Section 5: answers of private algorithms, as exact as is known


def exact_answer_fails(n: float, p: float, epsilon: float, delta: float) -> float:
    """The largest chance, over data sets of +-1/sqrt p, that a private answer is not the mean; 1 if none is known.

    n = 1: randomised response on the 2^p records. p = 1: the number of ones plus two-sided geometric noise, cut off at
    its ends, is right with chance tanh(epsilon/2) or more; for n = 2, the law s, s e^-epsilon, s e^(-epsilon) around
    the middle, s = 1/(1 + 2 e^-epsilon), with what is left at the ends put into the middle. With chance delta besides
    the data are published.
    """
    if n == 1:
        others = math.expm1(min(p, 900.0) * math.log(2))
        wrong = others / (math.exp(min(epsilon, 600.0)) + others)
    elif p == 1:
        wrong = 2 / (math.exp(epsilon) + (2 if n == 2 else 1))
    else:
        return 1.0
    return (1 - delta) * wrong


def marginals_error_known(n: float, p: float, epsilon: float, delta: float, chance: float) -> float:
    """An l2 error of the marginals that some private answer exceeds with less than ``chance``, whatever the data.

    0 where `exact_answer_fails` less often. Else that of 0, or of the mean plus the noise of density exp(-n epsilon
    ||b||/2), or for delta > 0 of the least Gaussian noise.
    """
    from scipy.special import chdtri, gammainccinv

    if exact_answer_fails(n, p, epsilon, delta) < chance:
        return 0.0
    found = min(1.0, 2 / (n * epsilon) * float(gammainccinv(p, chance)))
    if delta > 0:
        found = min(found, 2 / n * least_deviation(epsilon, delta) * math.sqrt(float(chdtri(p, chance))))
    return found


def linear_risk_known(n: float, p: float, epsilon: float, delta: float, chance: float) -> float:
    """`marginals_error_known`, for the mean risk of -<theta, d> over the unit ball: at most twice that error, and 1.

    theta has the direction of q + b: <theta, q> = ||q + b|| - <theta, b> >= ||q|| - 2 ||b||.
    """
    return min(1.0, 2 * marginals_error_known(n, p, epsilon, delta, chance))


def squares_risk_known(n: float, p: float, epsilon: float, delta: float, chance: float) -> float:
    """`marginals_error_known`, for the mean risk of half the squared distance."""
    return marginals_error_known(n, p, epsilon, delta, chance) ** 2 / 2


# Section 6: the gauge, and the repetitions


def gauge_outside(p: float, steep: float, precision: float) -> float:
    """e^(2 epsilon~) times the mass of F outside C along a ray, alpha = 3 e^(2 epsilon~)(eta C + p), Lemma 6.4.

    The worst ray: f falls by ``steep`` = eta C over its length, within and beyond. The integral of e^(-a (r - 1))
    r^(p-1) from 1, a = alpha - eta C, is 1/(a - p + 1) at most, since r <= e^(r - 1); in units of e^(eta C).
    """
    a = 3 * math.exp(2 * precision) * (steep + p) - steep
    return math.exp(2 * precision) / (a - p + 1)


def gauge_inside(p: float, steep: float) -> float:
    """The mass within, in the same units: the integral of e^(-eta C u) (1 - u)^(p-1) over [0, 1], by Gauss's rule."""
    import numpy as np

    places, weights = np.polynomial.legendre.leggauss(60)
    width = min(1.0, 40 / (steep + p))
    u = width * (places + 1) / 2
    return float(weights @ np.exp(-steep * u + (p - 1) * np.log1p(-u)) * width / 2)


def repeated_distance(p: float, steep: float, diameter: float, precision: float) -> float:
    """e^Dist of Algorithm 6 at most, m with logarithms to the base 2: e^(eps~/4) + 2^-m e^(2 eta C) C^p.

    Lemma 6.5's proof: the ball's uniform law beside the least density e^(-2 eta C)/(C^p Vol B).
    """
    exponent = 2 * steep + p * math.log(diameter) - math.log(2) * 4 * steep - p * math.log(diameter)
    return math.exp(precision / 4) + math.exp(exponent) * -math.expm1(-precision / 4)


# Appendix A: the Huberised hinge, in closed form


def _smoothed_mean(counts: tuple[float, float, float], h: float, ridge: float, deviation: float) -> float:
    """E f(theta)/n for f = a (1 - theta)_+ + b (theta - 1)_+ + c (1 + theta)_+ less its minimum, by equation (9).

    theta <= t where b >= -S(t) - Delta t, S being the smoothed slope: P(theta <= t) = Phi((S(t) + Delta t)/deviation).
    E f = f(-2) + integral of f' P(theta > t), over the pieces on which S is linear.
    """
    a, b, c = counts
    n = a + b + c

    def slope(t: float) -> float:
        right, left = (min(1.0, max(0.0, (z / h + 1) / 2)) for z in (t - 1, t + 1))
        return -a * (1 - right) + b * right + c * left

    def loss(t: float) -> float:
        return a * max(0.0, 1 - t) + b * max(0.0, t - 1) + c * max(0.0, 1 + t)

    ends = sorted({min(2.0, max(-2.0, t)) for t in (-2, 2, -1, 1, -1 - h, -1 + h, 1 - h, 1 + h)})
    total = loss(-2.0)
    for low, high in pairwise(ends):
        rise = (loss(high) - loss(low)) / (high - low)
        u, v = ((slope(t) + ridge * t) / deviation for t in (low, high))
        total += rise * (high - low) * _mean_above(u, v)
    return max(0.0, total - min(loss(t) for t in (-2.0, -1.0, 1.0, 2.0))) / n


def _mean_above(u: float, v: float) -> float:
    """The mean of P(Z > x) over x between u <= v."""
    from scipy.special import ndtr

    if v - u < 1e-6:
        return float(ndtr(-(u + v) / 2))

    def primitive(x: float) -> float:
        return x * float(ndtr(-x)) - math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)

    return min(1.0, max(0.0, (primitive(v) - primitive(u)) / (v - u)))


def huberised_first(n: float, epsilon: float, delta: float, smoothing: float) -> float:
    """Lemma A.2's mean risk, in closed form, with the printed regulariser: n/3 of (1, 1) and 2n/3 of (-1, -1)."""
    ridge, deviation = 1 / (4 * epsilon * smoothing), math.sqrt(8 * math.log(1 / delta)) / epsilon
    return _smoothed_mean((n / 3, 2 * n / 3, 0.0), smoothing, ridge, deviation)


def huberised_second(n: float, epsilon: float, delta: float, smoothing: float) -> float:
    """Lemma A.3's: max(n/2 - 1/(32 h), 0) of (-1, 1), the others (1, 1)."""
    ridge, deviation = 1 / (4 * epsilon * smoothing), math.sqrt(8 * math.log(1 / delta)) / epsilon
    fewer = max(n / 2 - 1 / (32 * smoothing), 0.0)
    return _smoothed_mean((n - fewer, 0.0, fewer), smoothing, ridge, deviation)


def huberised_worse(n: float, epsilon: float, delta: float, smoothing: float) -> float:
    """The larger of the two."""
    return max(f(n, epsilon, delta, smoothing) for f in (huberised_first, huberised_second))


def huberised_at_most(n: float, p: float, epsilon: float, delta: float) -> float:
    """What Huberised hinges of <x, theta> lose at most, in the mean, at the width h = sqrt(2/(n epsilon)); L = C = 1.

    f <= f^ <= f + h/4. With Delta = 1/(epsilon h), 2 beta/epsilon for beta = 1/(2 h), and ||theta|| <= 1: h/4 +
    Delta/(2 n) for the regulariser, and E ||b|| for the noise, twice N(0, 8 ln(2/delta) + 4 epsilon)/epsilon^2.
    """
    h = math.sqrt(2 / (n * epsilon))
    noise = 2 * math.sqrt(p * (8 * math.log(2 / delta) + 4 * epsilon)) / epsilon
    return h / 4 + 1 / (2 * n * epsilon * h) + noise / n


# Appendix D: boosting


def boosted_chance(rho: float, level: float, granted: float) -> float:
    """The chance that Appendix D's answer exceeds ``granted`` times F(epsilon/k), for an algorithm of that mean risk.

    Each of k = log2(2/rho) runs loses r = granted F(epsilon/k) with chance 1/granted and else nothing. ``level`` is
    F(epsilon) epsilon/(L C) in the sum, F falling as 1/epsilon; the choice has epsilon, so exp(-epsilon r/(2 L C)).
    """
    runs = math.ceil(math.log2(2 / rho))
    chance, weight = 1 / granted, math.exp(-min(700.0, granted * level * runs / 2))
    total = 0.0
    for bad in range(1, runs + 1):
        taken = bad * weight / (bad * weight + runs - bad) if bad < runs else 1.0
        total += math.comb(runs, bad) * chance**bad * (1 - chance) ** (runs - bad) * taken
    return total


# Appendix E: objective perturbation


def curved_delta(hessian_rank: float, epsilon: float, delta: float) -> float:
    """A delta that is spent at epsilon beside a zeroed-out record, with Delta = 2 beta/epsilon and the repaired noise.

    n = 1: a record of the loss beta ||theta||^2/2 within ||theta|| <= L/beta, in so many coordinates, against none.
    The answers -b/(Delta + beta) and -b/Delta have densities of ratio (1 + beta/Delta)^k exp(-||theta||^2 ((Delta +
    beta)^2 - Delta^2)/(2 sigma^2)); the event is that it exceeds e^epsilon, within the ball. Chi-square laws.
    """
    deviation = math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon
    return _curved(hessian_rank, epsilon, RIDGE / epsilon, deviation)


def curved_delta_as_printed(hessian_rank: float, epsilon: float, delta: float) -> float:
    """`curved_delta` with Delta = beta/(2 epsilon) and variance 8 L^2 ln(1/delta)/epsilon^2."""
    return _curved(hessian_rank, epsilon, 0.5 / epsilon, math.sqrt(8 * math.log(1 / delta)) / epsilon)


def curved_delta_replaced(hessian_rank: float, epsilon: float, delta: float) -> float:
    """`curved_delta` with twice the noise, which a replaced record needs."""
    deviation = 2 * math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon
    return _curved(hessian_rank, epsilon, RIDGE / epsilon, deviation)


def _curved(rank: float, epsilon: float, ridge: float, deviation: float) -> float:
    from scipy.special import chdtr

    excess = rank * math.log1p(1 / ridge) - epsilon
    if excess <= 0:
        return 0.0
    square = min(1.0, 2 * deviation**2 * excess / ((ridge + 1) ** 2 - ridge**2))
    inside = [float(chdtr(rank, (curve * math.sqrt(square) / deviation) ** 2)) for curve in (ridge + 1, ridge)]
    return max(0.0, inside[0] - math.exp(epsilon) * inside[1])


def curved_loss(hessian_rank: float, epsilon: float) -> float:
    """The loss with gamma noise and Delta = 2 beta/epsilon: epsilon/2 for the slope, k ln(1 + epsilon/2) besides."""
    return epsilon / 2 + hessian_rank * math.log1p(epsilon / RIDGE)


def curved_loss_as_printed(hessian_rank: float, epsilon: float) -> float:
    """`curved_loss` with Delta = beta/(2 epsilon): k ln(1 + 2 epsilon)."""
    return epsilon / 2 + hessian_rank * math.log1p(2 * epsilon)


def without_regulariser_loss(n: float, strong_convexity: float, smoothness: float, rank: float) -> float:
    """The loss of determinants where a record of curvature Delta becomes one of beta, in so many coordinates."""
    return rank * math.log1p((smoothness - strong_convexity) / (n * strong_convexity))


def ridge_risk(p: float, epsilon: float, size: float, share: float, power: float) -> float:
    """What objective perturbation loses on a linear loss in the sum, L = C = 1: Delta/16, whatever the noise.

    beta = p^power, n = size p/epsilon and delta = share/n. Delta is the larger of beta/(2 epsilon) and Theorem E.1's
    sqrt(p ln(1/delta))/epsilon. A slope s = Delta/4, at most n, pulls theta to P((s e - b)/Delta) in the ball of radius
    1/2. Its part along e is an odd function of that of b, concave where positive, so its mean is at most 1/4: the risk
    is s/4 or more.
    """
    return max(math.pow(p, power) / 2, math.sqrt(p * _logarithm(p, epsilon, size, share))) / epsilon / 16


def table_1_smooth(p: float, epsilon: float, size: float, share: float) -> float:
    """Table 1's cell sqrt(p) ln(1/delta)/epsilon at the same place."""
    return math.sqrt(p) * _logarithm(p, epsilon, size, share) / epsilon


def _logarithm(p: float, epsilon: float, size: float, share: float) -> float:
    return max(0.0, math.log(size * p / epsilon / share))


def ridge_risk_gamma(p: float, epsilon: float, power: float) -> float:
    """`ridge_risk` with gamma noise, whose Delta is p/epsilon or more."""
    return max(math.pow(p, power) / 2, p) / epsilon / 16


def shifted_risk(epsilon: float, delta: float, shift: float, slope: float) -> float:
    """What objective perturbation loses on [shift - 1/2, shift + 1/2] in the sum, for the slope ``slope`` times Delta.

    p = L = C = 1 and Delta = sqrt(ln(1/delta))/epsilon: theta is (slope Delta - b)/Delta, cut off, b of deviation
    sqrt 8 Delta. Its mean in closed form.
    """
    low, high = shift - 0.5 - slope, shift + 0.5 - slope
    root = math.sqrt(8)
    below = _mean_above(low / root, high / root)  # of P(theta > t) over the set
    return slope * math.sqrt(math.log(1 / delta)) / epsilon * (1 - below)


# Appendix F


def least_population_risk(n: float) -> float:
    """No algorithm has less population risk on -x theta over [-1/2, 1/2], records x = +-1: about .07/sqrt n.

    Means h and -h: the larger of the two risks is h/2 (1 - TV) or more, and 1 - TV >= exp(-KL)/2 with KL = n h ln((1 +
    h)/(1 - h)) between n records; h = 1/(2 sqrt n) has n h ln(..) <= .55 (Bretagnolle and Huber).
    """
    h = 1 / (2 * math.sqrt(n))
    return h / 4 * math.exp(-n * h * math.log((1 + h) / (1 - h)))


def theorem_f_2_proved(n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """Theorem F.1 with Theorem 4.3 in the mean, gamma left out: sqrt(2 L^2/Delta R) + 4 L^2/(Delta n)."""
    empirical = theorem_4_3_proved(n, p, epsilon, lipschitz, strong_convexity)
    return math.sqrt(2 * lipschitz**2 / strong_convexity * empirical) + 4 * lipschitz**2 / (strong_convexity * n)


def theorem_f_3_proved(n: float, p: float, epsilon: float, delta: float) -> float:
    """`bst_population.theorem_f_3` at the best weight, L = R = 1: 2 sqrt(l/n) + 1/sqrt(n l), l = E ||b|| n Delta/2.

    l = p/epsilon, or sqrt(p) times the least deviation.
    """
    length = p / epsilon if delta == 0 else math.sqrt(p) * least_deviation(epsilon, delta)
    return 2 * math.sqrt(length / n) + 1 / math.sqrt(n * length)


def theorem_f_6_proved(n: float, p: float) -> float:
    """Lemma F.5 and Theorem 3.2 at epsilon = sqrt(p/n), L = C = 1."""
    epsilon = math.sqrt(p / n)
    return min(1.0, math.tanh(epsilon / 2) + 2 * p / (n * epsilon))


def published_gap(epsilon: float, delta: float, lipschitz: float) -> float:
    """Population less empirical risk where one record, n = 1, is answered right with the chance that privacy allows.

    Losses L max(0, d theta) on [-1, 1] for d = +-1, theta = -d with the chance s of `exact_answer_fails`, else d: the
    population risk L/2 less the empirical L (1 - s).
    """
    return lipschitz * (0.5 - exact_answer_fails(1, 1, epsilon, delta))


def centre_of_c_0(n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """L E ||b|| = 4 L^2 p/(Delta epsilon n): what the centre of C_0, which is theta* + b or nearer, loses at most."""
    return 4 * lipschitz**2 * p / (strong_convexity * epsilon * n)


def theorem_f_3_unit(n: float, p: float, epsilon: float, delta: float) -> float:
    """`bst_population.theorem_f_3_rate` at L = 1, C = 2."""
    return 2 * math.sqrt((p if delta == 0 else math.sqrt(p * math.log(1 / delta))) / (n * epsilon))


def theorem_f_6_gaussian_proved(n: float, p: float, delta: float) -> float:
    """Lemma F.5 and Theorem 2.4.1 at epsilon = p^(1/4) ln(n/delta)/sqrt n and delta' = min(delta, 1/n^2); L = C = 1.

    What is (epsilon, delta')-private is (epsilon, delta)-private.
    """
    epsilon, least = p**0.25 * math.log(n / delta) / math.sqrt(n), min(delta, 1 / (n + 1) ** 2)
    return min(1.0, math.tanh(epsilon / 2) + least + theorem_2_4_1_proved(n, p, epsilon, least))


def theorem_e_2_proved(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """`bst_generic.theorem_e_2` at the printed noise."""
    scale = lipschitz * (2.0 if delta == 0 else math.sqrt(8 * math.log(1 / delta))) / epsilon
    return theorem_e_2(n, p, delta, scale, strong_convexity)


# Privacy, in closed form


def iterates_delta(n: float, epsilon: float, delta: float) -> float:
    """A delta that the n^2 - 1 noisy gradients of Algorithm 1 spend at epsilon, through their sum, from below.

    One record has the gradient L or -L, the others 0: the sum has the law of N(k n L, T sigma^2) with k binomial, T
    draws of chance 1/n, or its mirror image, whose ratio rises. More than the answer alone tells; n up to 100.
    """
    import numpy as np
    from scipy.special import gammaln, ndtr

    steps = n**2 - 1
    if steps < 1:
        return 0.0
    unit = epsilon / math.sqrt(32 * math.log(n / delta) * math.log(1 / delta) * steps)  # n L over the sum's deviation
    k = np.arange(min(steps, math.ceil(n + 12 * math.sqrt(n))) + 1)
    logs = gammaln(steps + 1) - gammaln(k + 1) - gammaln(steps - k + 1) - k * math.log(n)
    chances = np.exp(logs + (steps - k) * math.log1p(-1 / n))
    low, high = 0.0, 40.0 + float(k[-1]) * unit + epsilon / unit

    def log_ratio(x: float) -> float:
        up, down = (
            logs_ - (x - sign * k * unit) ** 2 / 2 for sign, logs_ in ((1, np.log(chances)), (-1, np.log(chances)))
        )
        return float(np.logaddexp.reduce(up) - np.logaddexp.reduce(down))

    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if log_ratio(middle) < epsilon else (low, middle)
    return max(0.0, float(chances @ (ndtr(k * unit - high) - math.exp(epsilon) * ndtr(-k * unit - high))))


def exponential_loss(n: float, epsilon: float) -> float:
    """The loss of Algorithm 2 on linear losses over [-1, 1], n records 1 of which one becomes -1; tends to epsilon.

    The density is a e^(a theta)/(2 sinh a) with a = epsilon n/4 or epsilon (n - 2)/4, so the logarithm of the ratio is
    epsilon theta/2 and that of the masses, m(a) = 2 sinh(a)/a: at theta = 1 and -1.
    """
    value, other = epsilon * n / 4, epsilon * abs(n - 2) / 4
    grown = abs(n - 2) / 4 * epsilon - value if n < 2 else -epsilon / 2
    masses = grown + _log_mass(other) - _log_mass(value)
    return max(abs(epsilon / 2 + masses), abs(-epsilon / 2 + masses))


def _log_mass(a: float) -> float:
    """ln of 2 sinh(a)/a, less a."""
    return math.log(-math.expm1(-2 * a) / a) if a > 1e-9 else math.log(2)


def released_delta(epsilon: float, delta: float, noise: float) -> float:
    """The delta of one number of sensitivity 1 with ``noise`` times `bst.least_deviation`, by its own formula."""
    from scipy.special import log_ndtr

    s = noise * least_deviation(epsilon, delta)
    return math.exp(log_ndtr(0.5 / s - epsilon * s)) - math.exp(epsilon + log_ndtr(-0.5 / s - epsilon * s))


def released_delta_as_printed(epsilon: float, delta: float) -> float:
    """`released_delta` with sigma_0^2 = ln(1/delta)/epsilon^2."""
    from scipy.special import log_ndtr

    s = math.sqrt(math.log(1 / delta)) / epsilon
    return math.exp(log_ndtr(0.5 / s - epsilon * s)) - math.exp(epsilon + log_ndtr(-0.5 / s - epsilon * s))


def equation_9_delta(epsilon: float, delta: float) -> float:
    """What equation (9) spends beside a zeroed-out record with Delta = 2 beta/epsilon, over that delta."""
    return _bent(1.0, epsilon, RIDGE, math.sqrt(8 * math.log(1 / delta)) / epsilon, zeroed_out=True)


def equation_9_delta_replaced(epsilon: float, delta: float) -> float:
    """`equation_9_delta` where a record is replaced, with twice the noise."""
    return _bent(1.0, epsilon, RIDGE, 2 * math.sqrt(8 * math.log(1 / delta)) / epsilon, zeroed_out=False)


def appendix_e_delta(epsilon: float, delta: float) -> float:
    """The delta of a Huber function beside a zeroed-out record, in one dimension, with the repaired noise and Delta."""
    deviation = math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon
    return _bent(2.0, epsilon, RIDGE, deviation, zeroed_out=True)


def appendix_e_delta_replaced(epsilon: float, delta: float) -> float:
    """`appendix_e_delta` where a record is replaced, with twice the noise."""
    deviation = 2 * math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon
    return _bent(2.0, epsilon, RIDGE, deviation, zeroed_out=False)


def appendix_e_delta_as_printed(epsilon: float, delta: float) -> float:
    """`appendix_e_delta_replaced` with Delta = beta/(2 epsilon) and the printed noise, where a record is replaced."""
    return _bent(2.0, epsilon, 0.5, math.sqrt(8 * math.log(1 / delta)) / epsilon, zeroed_out=False)


def _bent(rise: float, epsilon: float, ridge: float, deviation: float, zeroed_out: bool) -> float:
    """The largest delta between a record whose slope goes from -1 to rise - 1, and none, or one of slope 1.

    In units of v = Delta theta: the answer v needs the noise -(S(v) + v), so its density is phi((S + v)/deviation) (1 +
    S'), S' = epsilon/ridge where the slope bends, around any place c. By midpoints; both directions.
    """
    import numpy as np

    width = ridge * rise / epsilon
    reach = 9 * deviation + width + 2
    v = np.linspace(-reach, reach, 2001)[:, None]
    v = (v[1:] + v[:-1]) / 2
    step = 2 * reach / 2000
    c = np.linspace(-1, 1, 25) * (6 * deviation + width / 2)
    bend = np.clip((v - c) / width + 0.5, 0.0, 1.0)
    first = np.exp(-(((v - 1 + rise * bend) / deviation) ** 2) / 2) * (
        1 + (epsilon / ridge) * ((bend > 0) & (bend < 1))
    )
    second = np.exp(-(((v + (0 if zeroed_out else 1)) / deviation) ** 2) / 2) * np.ones_like(c)
    unit = step / (deviation * math.sqrt(2 * math.pi))
    tell = [
        (np.maximum(0.0, p - math.exp(epsilon) * q).sum(axis=0) * unit).max()
        for p, q in ((first, second), (second, first))
    ]
    return float(max(tell))


def section_1_1_huberisation_rate(n: float, p: float, epsilon: float) -> float:
    """Section 1.1's rate for Huberised losses: sqrt(p/n)/epsilon in the mean, and 1 at most."""
    return min(1.0, math.sqrt(p / n) / epsilon)


def extension_bend_at(quarters: float) -> float:
    """`bst_lemmas.extension_bend` at a slope of so many quarters, which takes long."""
    return _extension(round(quarters))[0]


def extension_slope_at(quarters: float) -> float:
    """`bst_lemmas.extension_slope` likewise."""
    return _extension(round(quarters))[1]


@lru_cache(maxsize=16)
def _extension(quarters: int) -> tuple[float, float]:
    return extension_bend(quarters / 4), extension_slope(quarters / 4)
