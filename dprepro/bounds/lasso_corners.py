"""Talwar, Thakurta and Zhang (2015) at the corners: what must be lost there, beside what the statements allow.

All risks are means over n. theta_1 is arbitrary in the paper, and Gamma any upper limit: a linear loss may be run with
any Gamma, and from the worst vertex, which loses 2 L_1 ||C||_1. Steps 2/(t+2) with t from 1 keep 2/(T (T + 1)) of it
whatever is chosen: the other parts of the answer lose at least nothing.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr, ndtr
from scipy.stats import binom

from dprepro.bounds import lasso
from dprepro.bounds.bst import least_deviation
from dprepro.bounds.lasso_lemmas import Vector

GUESSED = 1.0
"""What zero loses at most on the unit LASSO."""


def largest_gumbel_regret(vertices: float) -> float:
    """The largest mean regret of a choice by Gumbel noise of scale 1: W((|S| - 1)/e), at the gap 1 + W."""
    return lasso._lambert((vertices - 1) / math.e)


# Every private algorithm, n = 1


def two_records(epsilon: float, delta: float) -> float:
    """What every private algorithm loses on (1, 1) or on (1, -1), p = 1: at least (2 - 4 delta)/(1 + e^epsilon).

    R_+ = E_+ (theta - 1)^2, and E_+ (theta + 1)^2 <= e^epsilon R_- + 4 delta; their sum is at least 2.
    """
    return max(0.0, 2 - 4 * delta) / (1 + math.exp(epsilon))


def two_slopes(epsilon: float, delta: float, lipschitz: float, radius: float, curvature: float) -> float:
    """`two_records`, for the losses +-L theta + a theta^2 on [-R, R], a <= L/(2 R), with Gamma = 8 a R^2.

    Both excess risks together are 2 L R + 2 a (theta^2 - R^2) >= 2 L R - Gamma/4, and neither exceeds 2 L R.
    """
    least = 2 * lipschitz * radius * (1 - delta) - curvature / 4
    return max(0.0, least) / (1 + math.exp(epsilon)) if curvature <= 4 * lipschitz * radius else 0.0


def theorem_1_1(n: float, p: float, epsilon: float, delta: float) -> float:
    """Theorem 1.1 as printed: log(n p) sqrt(log 1/delta) (n epsilon)^(-2/3)."""
    private: float = (n * epsilon) ** (-2 / 3)
    return math.log(n * p) * math.sqrt(math.log(1 / delta)) * private


def theorem_1_1_explicit(n: float, p: float, epsilon: float, delta: float) -> float:
    """`theorem_2_5_explicit` on the unit LASSO, of which no risk exceeds 4."""
    return min(4.0, 4 * theorem_2_5_explicit(n, epsilon, delta, 2.0, 2 * p))


def theorem_1_1_repaired(n: float, p: float, epsilon: float, delta: float) -> float:
    """Theorem 1.1 with log(2 p) in the place of log(n p)."""
    private: float = (n * epsilon) ** (-2 / 3)
    return math.log(2 * p) * math.sqrt(math.log(1 / delta)) * private


def theorem_2_6(n: float, epsilon: float, delta: float, curvature: float, lipschitz: float, radius: float) -> float:
    """Theorem 2.6 as printed on [-R, R], whose Gaussian width is R sqrt(2/pi)."""
    scale: float = curvature ** (1 / 3) * (lipschitz * radius * math.sqrt(2 / math.pi)) ** (2 / 3)
    private: float = (n * epsilon) ** (-2 / 3)
    return scale * math.log(n / delta) ** 2 * private


# Algorithms 2 and 3 on linear losses; `bend` is Gamma/(L ||C||), and risks are shares of L ||C||


def steps(n: float, epsilon: float, bend: float) -> int:
    """T of Theorems 2.5 and B.2, at least 1."""
    ratio: float = (bend * n * epsilon) ** (2 / 3)
    return max(1, math.ceil(ratio))


def first_point_kept(n: float, epsilon: float, bend: float) -> float:
    """What Algorithm 2 keeps of a worst first point, of 2 L_1 ||C||_1, at that T."""
    last = steps(n, epsilon, bend)
    return 4 / (last * (last + 1))


def kept_after(total: float) -> float:
    """`first_point_kept`, after T steps."""
    return 4 / (total * (total + 1))


def kept_by_constant_steps(n: float, epsilon: float, bend: float) -> float:
    """What T - 1 steps 1/(T+2) keep of 2 L_2 R: a share of (1 - 1/(T+2))^(T-1), about 1/e."""
    last = steps(n, epsilon, bend)
    return 2 * float((1 - 1 / (last + 2)) ** (last - 1))


def one_choice(total: float, n: float, epsilon: float, delta: float, vertices: float) -> float:
    """What Algorithm 2 with Gumbel noise loses on linear losses from the best vertex, over L_1 ||C||_1, at T steps.

    All other vertices have the regret lambda (1 + W): every choice loses lambda W((|S| - 1)/e) in the mean, and the
    weights of the choices sum to 1 - 2/(T (T + 1)). The regret may be 2 at most.
    """
    scale = math.sqrt(8 * total * math.log(1 / delta)) / (n * epsilon)
    worst = largest_gumbel_regret(vertices)
    gap = min(2.0, scale * (1 + worst))
    odds = (vertices - 1) * math.exp(-gap / scale) if scale else 0.0
    return gap * odds / (1 + odds) * (1 - 2 / (total * (total + 1)))


def theorem_2_5(n: float, epsilon: float, delta: float, bend: float, vertices: float) -> float:
    """Theorem 2.5 as printed, over L_1 ||C||_1."""
    private: float = (n * epsilon) ** (-2 / 3)
    scale: float = bend ** (1 / 3)
    return scale * math.log(n * vertices) * math.sqrt(math.log(1 / delta)) * private


def theorem_2_5_repaired(n: float, epsilon: float, delta: float, bend: float, vertices: float) -> float:
    """Theorem 2.5 as repaired, over L_1 ||C||_1: without log n, with one step's noise and the first point's share."""
    logarithms = math.log(vertices) * math.sqrt(math.log(1 / delta))
    private: float = bend ** (1 / 3) * (n * epsilon) ** (-2 / 3)
    return private * logarithms + logarithms / (n * epsilon) + first_point_kept(n, epsilon, bend)


def theorem_2_5_explicit(n: float, epsilon: float, delta: float, bend: float, vertices: float) -> float:
    """`lasso.theorem_2_5` over L_1 ||C||_1 for Laplace noise, of which no regret exceeds 1 + ln|S| scales twice."""
    last = steps(n, epsilon, bend)
    scale = math.sqrt(8 * last * math.log(1 / delta)) / (n * epsilon)
    return lasso.theorem_2_5(bend, last, 2.0, 2 * scale * (1 + math.log(vertices)))


def theorem_2_6_repaired(n: float, epsilon: float, delta: float, bend: float) -> float:
    """Theorem 2.6 as repaired, over L_2 G_C, `bend` being Gamma/(L_2 G_C)."""
    private: float = bend ** (1 / 3) * (n * epsilon) ** (-2 / 3)
    return (private + 1 / (n * epsilon)) * math.sqrt(math.log(1 / delta)) + first_point_kept(n, epsilon, bend)


def theorem_2_6_explicit(n: float, epsilon: float, delta: float, bend: float) -> float:
    """`lasso.theorem_2_6` over L_2 G_C with the least noise; the first point loses L_2 ||C||_2 <= sqrt(2 pi) L_2 G_C.

    G_C >= E |<b, w>| = sqrt(2/pi) ||w||, and the diameter is at most twice the largest ||w||.
    """
    last = max(2, steps(n, epsilon, bend))
    sigma = 2 * math.sqrt(last - 1) * least_deviation(epsilon, delta) / n
    return lasso.theorem_2_6(bend, last, math.sqrt(2 * math.pi), sigma, 1.0)


def theorem_b_2(n: float, epsilon: float, delta: float, bend: float) -> float:
    """Theorem B.2 as printed, over L_2 R, on [-R, R] with `bend` = Gamma/(L_2 R); its width is R sqrt(2/pi)."""
    width = math.sqrt(2 / math.pi)
    scale: float = bend ** (1 / 3) * width ** (2 / 3)
    private: float = (n * epsilon) ** (-2 / 3)
    return scale * math.log(n / delta) ** 2 * private


def equation_5(
    total: float, n: float, epsilon: float, delta: float, bend: float, vertices: float, zeta: float
) -> float:
    """Equation (5) as printed, over L_1 ||C||_1."""
    noise = math.sqrt(8 * total * math.log(1 / delta)) / (n * epsilon)
    return bend / total + noise * math.log(vertices * total / zeta)


def equation_6(total: float, n: float, epsilon: float, delta: float, vertices: float, unit: float) -> float:
    """Equation (6) as printed at Gamma = 0, over L_1 ||C||_1 = ``unit``; its logarithm is negative below 1/(T |S|)."""
    noise = math.sqrt(8 * total * math.log(1 / delta)) / (n * epsilon)
    return max(0.0, noise * math.log(total * unit * vertices))


def equation_6_repaired(total: float, n: float, epsilon: float, delta: float, vertices: float) -> float:
    """Equation (6) as repaired at Gamma = 0, over L_1 ||C||_1."""
    return math.sqrt(8 * total * math.log(1 / delta)) / (n * epsilon) * math.log(vertices) + kept_after(total)


# Corollary 2.7: T balanced with the logarithms


def corollary_2_7_steps(n: float, p: float, epsilon: float, delta: float) -> int:
    """T = (2 n epsilon/(ln(2p) sqrt(ln 1/delta)))^(2/3), at least 1: with the logarithms that Theorem 2.5's T lacks."""
    logarithms = math.log(2 * p) * math.sqrt(math.log(1 / delta))
    ratio: float = (2 * n * epsilon / logarithms) ** (2 / 3)
    return max(1, math.ceil(ratio))


def corollary_2_7_balanced(n: float, p: float, epsilon: float, delta: float) -> float:
    """The explicit bound of Algorithm 2 with Gumbel noise on the unit LASSO at that T, from any first point."""
    total = corollary_2_7_steps(n, p, epsilon, delta)
    scale = 4 * math.sqrt(8 * total * math.log(1 / delta)) / (n * epsilon)
    return min(4.0, lasso.theorem_2_5(8.0, total, 4.0, scale * largest_gumbel_regret(2 * p)))


# Curvature: random matrices H = A^T A in three dimensions, Hessian 2 H


def _quadratic(draw: float, rank: float) -> Vector:
    rng = np.random.default_rng(int(draw))
    a = rng.standard_normal((int(rank), 3)) * 10.0 ** rng.uniform(-2, 2, (int(rank), 1))
    return np.asarray(a.T @ a)


def _vertices(over: float) -> Vector:
    """Of the l1 ball (0), the cube (1), and a simplex far from 0 (2), shape (K, 3)."""
    if over == 1:
        return np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), dtype=float).reshape(3, -1).T
    simplex = np.eye(3)
    return np.concatenate([simplex, -simplex]) if over == 0 else np.concatenate([simplex, np.zeros((1, 3))]) + 3.0


def bend_in_three(draw: float, rank: float, over: float, share: float) -> float:
    """Definition 2.1 for theta^T H theta at one gamma, over all pairs of vertices."""
    h, corners = _quadratic(draw, rank), _vertices(over)
    start, end = corners[:, None], corners[None]
    moved = start + share * (end - start)

    def loss(theta: Vector) -> Vector:
        return np.asarray(np.einsum("...i,ij,...j", theta, h, theta))

    linear = 2 * share * np.einsum("...i,ij,...j", np.broadcast_to(start, moved.shape), h, end - start)
    return float(np.max(2 / share**2 * (loss(moved) - loss(start) - linear)))


def remark_1_in_three(draw: float, rank: float, over: float, share: float, order: float) -> float:
    """Remark 1: lambda times the squared diameter, in the norms of order 1, 2 and inf (0)."""
    h, corners = 2 * _quadratic(draw, rank), _vertices(over)
    q = math.inf if order == 0 else order
    signs = _vertices(1)
    largest = {1.0: np.abs(h).max(), 2.0: np.linalg.norm(h, 2), math.inf: np.abs(signs @ h).sum(axis=1).max()}[q]
    across = np.linalg.norm(corners[:, None] - corners[None], ord=q, axis=2).max()
    return float(largest * across**2) * (1 + 1e-9) + 1e-6 * (over == 2)


def remark_2_in_three(draw: float, rank: float, over: float, share: float) -> float:
    """Remark 2 as printed: max ||a - b||^2 over A C."""
    h, corners = _quadratic(draw, rank), _vertices(over)
    apart = corners[:, None] - corners[None]
    return float(np.einsum("...i,ij,...j", apart, h, apart).max()) * (1 + 1e-6)


def score_change(feature_bound: float, label_bound: float, l1_radius: float) -> float:
    """The most that n <s, grad L> changes with a record: from 2 X c (X c + Y) to its negative."""
    return 4 * feature_bound * l1_radius * (feature_bound * l1_radius + label_bound)


def score_limit(feature_bound: float, label_bound: float, l1_radius: float) -> float:
    """2 L_1 ||C||_1, L_1 = 2 X (X c + Y)."""
    return 2 * 2 * feature_bound * (feature_bound * l1_radius + label_bound) * l1_radius


# Privacy: linear losses, whose scores are the same in every step; two vertices or groups of vertices


def path_delta(uses: int, first: float, second: float, epsilon: float) -> float:
    """delta(epsilon) of a number of equal choices between two groups, of chances ``first`` and ``second``."""
    counts = np.arange(uses + 1)
    vector, other = binom.pmf(counts, uses, first), binom.pmf(counts, uses, second)
    grown = math.exp(epsilon)
    return float(max(np.maximum(a - grown * b, 0).sum() for a, b in ((vector, other), (other, vector))))


def _shift(total: float, epsilon: float, delta: float) -> float:
    """2 L_1 ||C||_1/n over the printed scale: how much a record moves the gap of two groups to either side."""
    return 2 * epsilon / math.sqrt(8 * total * math.log(1 / delta))


def gumbel_path(total: float, epsilon: float, delta: float, offset: float) -> float:
    """delta(epsilon) of the T - 1 choices of Algorithm 2 with Gumbel noise at the printed scale.

    One record moves the gap of the groups, ``offset`` scales, by a sensitivity to either side.
    """
    shift = _shift(total, epsilon, delta)
    first, second = (1 / (1 + math.exp(-(offset + move))) for move in (shift, -shift))
    return path_delta(round(total) - 1, first, second, epsilon)


def _sign_shift(n: float, epsilon: float, delta: float, lipschitz: float, total: float) -> float:
    """L_2/(n sigma) with sigma as Algorithm 3 prints it."""
    return lipschitz * epsilon / (math.sqrt(32 * lipschitz * total) * math.log(n / delta))


def printed_signs(n: float, epsilon: float, delta: float, lipschitz: float, total: float) -> float:
    """delta(epsilon) of the T - 1 directions of Algorithm 3 as printed on [-1, 1]: signs of +-L_2/n and noise."""
    chance = float(ndtr(_sign_shift(n, epsilon, delta, lipschitz, total)))
    return path_delta(round(total) - 1, chance, 1 - chance, epsilon)


def squared_noise(n: float, epsilon: float, delta: float, total: float) -> float:
    """delta(epsilon) of T - 1 noisy gradients with L_2^2 in the variance, in any dimension: a Gaussian shift.

    mu = 2 L_2 sqrt(T - 1)/(n sigma) = c epsilon/ln(n/delta), c < 1/sqrt 8. Then delta(epsilon) <= Phi(mu/2 -
    epsilon/mu) is at most delta if ln(n/delta) >= 1 and epsilon <= 8 ln(n/delta)^2.
    """
    shift = 2 * epsilon * math.sqrt((total - 1) / (32 * total)) / math.log(n / delta)
    if shift == 0:
        return 0.0
    upper, lower = log_ndtr(shift / 2 - epsilon / shift), log_ndtr(-shift / 2 - epsilon / shift)
    return float(math.exp(upper) - math.exp(epsilon + lower))


# The lower bound


def scalar_release(n: float, epsilon: float) -> float:
    """What a private algorithm loses at most on the LASSO with p = 1: 24/(n epsilon), and never above 4.

    It publishes the means of x^2 and of x y with Laplace noise of scale b = 4/(n epsilon), since a replaced record
    moves both together by at most 3/n, and answers the minimiser of the published a t^2 - 2 c t on [-1, 1]. The risk is
    at most 2 (|noise of a| + 2 |noise of c|), in the mean 6 b.
    """
    return min(4.0, 24 / (n * epsilon))


def least_known(n: float, p: float, epsilon: float, delta: float) -> float:
    """The least that private algorithms are known to lose at most on the unit LASSO: zero; Algorithm 2 at its best T.

    T selections of scale lambda are mu^2/2-zCDP with mu = 8 sqrt(T)/(n lambda), hence private where mu^2/2 +
    mu sqrt(2 ln 1/delta) <= epsilon.
    """
    mu = math.sqrt(2 * math.log(1 / delta) + 2 * epsilon) - math.sqrt(2 * math.log(1 / delta))
    regret = largest_gumbel_regret(2 * p)
    found = GUESSED
    for total in np.geomspace(1, max(2.0, n * epsilon), 40):
        found = min(found, lasso.theorem_2_5(8.0, total, GUESSED, 8 * math.sqrt(total) / (n * mu) * regret))
    return found


def lower_rate(n: float) -> float:
    """(n ln n)^(-2/3)."""
    return lasso.theorem_3_1_rate(n)


def planted_loss(tau: float, wrong: float) -> float:
    """The planted point's loss over w where a share ``wrong`` of the tau p other columns is against every row."""
    return (2 * wrong * tau) ** 2 + tau


def agreeing_loss(tau: float, agreement: float, mass: float) -> float:
    """The loss over w of an answer of norm ``mass`` on .75 ``agreement`` p columns that agree and the tau p others."""
    return (1 - mass) ** 2 + tau * mass**2 / (0.75 * agreement + tau)


def agreement_by_noise(users: float, epsilon: float, delta: float) -> float:
    """The chance that some (epsilon, delta)-private answer agrees with three quarters of the consensus columns.

    It is at least that of an answer that is published exactly with probability delta, else not at all; and 1 where
    Gaussian noise on all column means, of deviation s = 2 sqrt(p)/(w mu), keeps .75/.999 of the signs: P(N(0, 1) < 1/s)
    above .76 for p = 1000 m^2 columns of w = m/ln m rows. mu by the tail bound of `least_known`.
    """
    m = users * math.log(users) * 1.5 + 2  # w = m/ln m, from above
    mu = math.sqrt(2 * math.log(1 / delta) + 2 * epsilon) - math.sqrt(2 * math.log(1 / delta))
    deviation = 2 * math.sqrt(1000) * m / (users * mu)
    return 1.0 if ndtr(1 / deviation) > 0.77 else delta


def traced(users: float, epsilon: float, delta: float) -> float:
    """The largest chance of an agreement that tracing leaves: 2/3, or (w + 1) (e^epsilon xi + delta).

    Someone is accused with probability 1/(w + 1) times the chance of an agreement, and without their row still with
    e^-epsilon (that - delta) <= xi, the chance to accuse an innocent: about exp(-(ln m)^2/5) for a code of tau p = m^2
    columns.
    """
    m = users * math.log(users) * 1.5 + 2
    exponent = min(700.0, epsilon - math.log(m) ** 2 / 5)
    return max(2 / 3, (users + 1) * (math.exp(exponent) + delta))


def agreement_of_a_fixed_answer(users: float, draw: float) -> float:
    """The least share of consensus columns, over the rows left out, that the majority signs of a matrix agree with.

    The matrix has so many rows and one more: 100 columns of random signs, and 900 of equal ones for padding. Its
    majority signs are an answer that looks at no data, and so (0, 0)-private.
    """
    rng, rows = np.random.default_rng(int(draw)), int(users) + 1
    matrix = np.where(rng.random((rows, 1000)) < 0.5, -1, 1)
    matrix[:, :900] = matrix[:1, :900]
    answer = np.where(matrix.sum(axis=0) >= 0, 1, -1)
    shares = []
    for row in range(rows):
        left = np.delete(matrix, row, axis=0)
        consensus = np.abs(left.sum(axis=0)) == rows - 1
        shares.append(float(np.mean(answer[consensus] == left[0, consensus])))
    return min(shares)


# Section 1


def gap(p: float) -> float:
    """(L_2 G_C/(L_1 ||C||_1))^(2/3) on the LASSO: (sqrt(p) E max |g_j|)^(2/3)."""
    from dprepro.bounds.lasso_population import largest_half_normal

    return float((math.sqrt(p) * largest_half_normal(p)) ** (2 / 3))


def gap_limit(p: float) -> float:
    """p^(1/3) (2 ln(2p))^(1/3)."""
    return float(p ** (1 / 3) * (2 * math.log(2 * p)) ** (1 / 3))


def free_risk(n: float, p: float) -> float:
    """Theorem 2.5 on the LASSO at fixed epsilon and delta: ln(2p) n^(-2/3), times its constants."""
    return math.log(2 * p) * float(n ** (-2 / 3))


def free_error(n: float, p: float) -> float:
    """The generalisation error of section 1, sqrt(ln(2p)/n)."""
    return math.sqrt(math.log(2 * p) / n)
