"""Bassily, Smith and Thakurta (2014), Private Empirical Risk Minimization.

The paper's risk is a sum over n records; all risks here are means, so every power of n is one lower. L is the Lipschitz
constant of one record's loss, C the l2 diameter of the set, Delta the strong convexity of one record's loss.

Units of the noise. The paper adds N(0, sigma^2 I) to a sum gradient; ``noise_scale`` is that of the mean gradient,
s = sigma/n. With G^2 = L^2 + p s^2 the steps C / (G sqrt t) and 1 / (Delta t) of the mean are the printed ones of the
sum. The explicit bounds of Theorem 2.4 are Theorems 2 and 1 of Shamir and Zhang (2013), which its proof cites without
their constants, sharpened where the comments say so; both bound the last iterate of T, whatever the first one is.
"""

from __future__ import annotations

import math

from dprepro.support.roots import brentq


def theorem_2_4_1_rate(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """Theorem 2.4.1's rate: L C ln^(3/2)(n/delta) sqrt(p ln(1/delta)) / (n epsilon)."""
    logarithms: float = math.log(n / delta) ** 1.5 * math.sqrt(math.log(1 / delta))
    return lipschitz * diameter * logarithms * math.sqrt(p) / (n * epsilon)


def theorem_2_4_1_scale(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """`theorem_2_4_1_rate` without ln(n/delta), the ln T of the last iterate.

    It is L C sqrt(p ln(n/delta) ln(1/delta)) / (n epsilon).
    """
    logarithms = math.sqrt(math.log(n / delta) * math.log(1 / delta))
    return lipschitz * diameter * logarithms * math.sqrt(p) / (n * epsilon)


def theorem_2_4_1_tight_scale(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float
) -> float:
    """The rate of the same steps under the least Gaussian noise: L C sqrt(p) s(epsilon, delta)/n, `least_deviation`."""
    return lipschitz * diameter * math.sqrt(p) * least_deviation(epsilon, delta) / n


def least_deviation(epsilon: float, delta: float) -> float:
    """The least deviation s that makes one number of sensitivity 1 private (Balle and Wang 2018, Theorem 8).

    Phi(1/(2 s) - epsilon s) - e^epsilon Phi(-1/(2 s) - epsilon s) = delta; sqrt(2 ln(1/delta))/epsilon for small delta.
    """
    from scipy.special import log_ndtr  # late: names of bounds are looked up where nothing is computed

    def excess(log_deviation: float) -> float:
        deviation = math.exp(log_deviation)
        upper, lower = log_ndtr(0.5 / deviation - epsilon * deviation), log_ndtr(-0.5 / deviation - epsilon * deviation)
        return float(upper + math.log1p(-math.exp(epsilon + lower - upper)) - math.log(delta))

    widest = math.log(4 * math.sqrt(2 * math.log(2 / delta)) / epsilon + 4)
    return math.exp(brentq(excess, math.log(1e-3), widest, xtol=1e-12))


def theorem_2_4_1(p: float, lipschitz: float, diameter: float, steps: float, noise_scale: float) -> float:
    """Theorem 2.4.1 with its constant, at T and noise as run: E risk <= C G (5/2 + 3/2 ln T) / sqrt T.

    Theorem 2 of Shamir and Zhang: steps a/sqrt t give (C^2/a + a G^2)(2 + ln T)/sqrt T. Their proof has room: with S_k
    the mean risk of the last k + 1 iterates, the regret against theta_{T-k} gives S_{k-1} <= S_k + (C^2/(2 a (k + 1)) +
    a G^2/k)/sqrt T, since 1/eta_T - 1/eta_{T-k} <= k/(a sqrt T) and the last k + 1 steps sum to at most
    2 a (k + 1)/sqrt T; and S_{T-1} <= (C^2/(2a) + a G^2)/sqrt T. The sum of all these terms is at most
    (C^2/(2a) (1 + ln T) + a G^2 (2 + ln T))/sqrt T; here a = C/G.
    """
    second_moment = lipschitz**2 + p * noise_scale**2
    return diameter * math.sqrt(second_moment) * (2.5 + 1.5 * math.log(steps)) / math.sqrt(steps)


def linear_law_tight(n: float, p: float, epsilon: float, delta: float, lipschitz: float, diameter: float) -> float:
    """The risk of Algorithm 1 on n equal records c and a linear loss, with the least noise and T = 8 (L/s_1)^2/p.

    Derived here, a limit. Near the end the step eta = C/(G sqrt T) hardly changes, and theta diffuses with drift eta c
    and variance eta^2 s^2 a step, reflected at the sphere of radius C/2: its law is exp(kappa <theta, c>), kappa =
    2/(eta s^2). With a = kappa L C/2 the risk is L C/2 (1 - I_{p/2+1}(a)/I_{p/2}(a)), which tends to (p + 1)/(2 kappa)
    = (p + 1) eta s^2/4. Here p s^2 = 8 L^2, G = 3 L, s = s_1 sqrt T and s_1 = 2 L s(epsilon, delta)/n, with
    `least_deviation` for s(epsilon, delta): the limit is C (p + 1) s_1 sqrt(8)/(12 sqrt p), free of T.
    """
    scale = 2 * lipschitz * least_deviation(epsilon, delta) / n
    kappa = 6 * math.sqrt(p) / (math.sqrt(8) * diameter * scale)
    a = kappa * lipschitz * diameter / 2
    ratio = a / ((p + 1) / 2 + math.hypot((p + 3) / 2, a))  # of Bessel functions, to O(p^-2) (Amos 1974)
    return lipschitz * diameter / 2 * (1 - ratio)


def theorem_2_4_2_rate(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """Theorem 2.4.2's rate: L^2 ln^2(n/delta) p ln(1/delta) / (n^2 Delta epsilon^2)."""
    logarithms: float = math.log(n / delta) ** 2 * math.log(1 / delta)
    return lipschitz**2 * logarithms * p / (n**2 * strong_convexity * epsilon**2)


def theorem_2_4_2_scale(
    n: float, p: float, epsilon: float, delta: float, lipschitz: float, strong_convexity: float
) -> float:
    """`theorem_2_4_2_rate` without the ln T of the last iterate.

    It is L^2 ln(n/delta) p ln(1/delta) / (n^2 Delta epsilon^2).
    """
    logarithms = math.log(n / delta) * math.log(1 / delta)
    return lipschitz**2 * logarithms * p / (n**2 * strong_convexity * epsilon**2)


def theorem_2_4_2(
    p: float, lipschitz: float, strong_convexity: float, smoothness: float, steps: float, noise_scale: float
) -> float:
    """Theorem 2.4.2 with its constant: E risk <= 17 G^2 (1 + ln T) / (Delta T) (Shamir and Zhang, Theorem 1).

    Where the loss is H-smooth too (else H is infinite) and its minimiser is inside the set, H G^2/(Delta^2 T) if that
    is less. With a_t = E||theta_t - theta*||^2 and steps 1/(Delta t): a_{t+1} <= (1 - 2/t) a_t + G^2/(Delta t)^2, as
    <grad, theta - theta*> >= Delta ||theta - theta*||^2. So a_2 <= G^2/Delta^2, and a_t <= 2 G^2/(Delta^2 t) for t >= 2
    by induction; the risk is at most H a_T/2.
    """
    second_moment = lipschitz**2 + p * noise_scale**2
    general = 17 * second_moment * (1 + math.log(steps)) / (strong_convexity * steps)
    smooth = smoothness * second_moment / (strong_convexity**2 * steps)
    return min(general, smooth)


def theorem_3_2_rate(n: float, p: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Theorem 3.2's rate with p + 1 for p: (p + 1) L C / (n epsilon), the exact limit for linear losses on a ball."""
    return (p + 1) * lipschitz * diameter / (n * epsilon)


def theorem_3_2_tail(n: float, p: float, epsilon: float, lipschitz: float, diameter: float, level: float) -> float:
    """The proof's tail: risk >= 8 L C ((p + 1) ln 3 + level) / (n epsilon) with probability at most exp(-level)."""
    return 8 * lipschitz * diameter * ((p + 1) * math.log(3) + level) / (n * epsilon)


def theorem_3_2_tail_too_tight(
    n: float, p: float, epsilon: float, lipschitz: float, diameter: float, level: float
) -> float:
    """A falsehood near it: the same probability at L C ((p + 1)/2 + level) / (n epsilon), half the mean risk."""
    return lipschitz * diameter * ((p + 1) / 2 + level) / (n * epsilon)


def theorem_3_2(n: float, p: float, epsilon: float, lipschitz: float, diameter: float) -> float:
    """Theorem 3.2 with the best constant: E risk <= p/(n kappa) = 2 p L C/(n epsilon), for every convex risk F.

    The divergence of (theta - theta*) exp(-n kappa F) integrates to its flow through the boundary of the convex set,
    which points outwards: p - n kappa E<grad F, theta - theta*> >= 0, and F - F* <= <grad F, theta - theta*>. A norm in
    all of R^p attains it. (The integral of the printed tail over its levels, 8 L C ((p + 1) ln 3 + 1)/(n epsilon), is
    4.4 times as much.)
    """
    return 2 * p * lipschitz * diameter / (n * epsilon)


def theorem_3_2_tail_sharp(
    n: float, p: float, epsilon: float, lipschitz: float, diameter: float, level: float
) -> float:
    """The tail that goes with it: 2 L C (p + sqrt(2 p level) + level)/(n epsilon), probability at most exp(-level).

    kappa^p Z(kappa) grows with kappa, Z being the integral of exp(-n kappa (F - F*)): its logarithm has the derivative
    p/kappa - n E(F - F*) >= 0. Hence E exp(s n kappa (F - F*)) = Z((1 - s) kappa)/Z(kappa) <= (1 - s)^-p: the moments
    of a Gamma law of shape p, whose tail this is.
    """
    return 2 * lipschitz * diameter * (p + math.sqrt(2 * p * level) + level) / (n * epsilon)


def theorem_4_3_rate(n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float) -> float:
    """Theorem 4.3's rate: p^2 L^2 ln n / (n^2 Delta epsilon^2)."""
    return p**2 * lipschitz**2 * math.log(n) / (n**2 * strong_convexity * epsilon**2)


def theorem_4_3(
    n: float, p: float, epsilon: float, lipschitz: float, strong_convexity: float, diameter: float
) -> float:
    """Theorem 4.3 with its constants, from Lemma 4.2 and Theorem 3.2.

    C_0 has radius 3 ln(n) 4 L p / (Delta epsilon n) (Algorithm 3 at epsilon/2), misses the minimiser with probability
    at most n^-3 (worth L C), and Algorithm 2 at epsilon/2 loses at most 2 p L C_0 / (n epsilon/2) on it.
    """
    local = min(diameter, 2 * 3 * math.log(n) * 4 * lipschitz * p / (strong_convexity * epsilon * n))
    return theorem_3_2(n, p, epsilon / 2, lipschitz, local) + lipschitz * diameter / n**3


def lemma_a_2(smoothing: float) -> float:
    """Lemma A.2 with a constant, in the mean: min(1, h)/10.

    On the corrected data set the smoothed minimiser is 1 - h/3, where the hinge has a mean risk of h/9, until it meets
    the end of [-2, 2]; the regulariser and the noise only move it on average further from 1.
    """
    return min(1.0, smoothing) / 10


def lemma_a_3(n: float, smoothing: float) -> float:
    """Lemma A.3 with a constant, in the mean: min(1/h, n)/(22 n).

    The slope is min(1/(16 h), n) between -1 and 1 and the answer stays below epsilon/4 on average, which leaves
    (1 - epsilon/4)/16 of 1/h at the printed regulariser, and more at the larger one: 3/64 of it as epsilon tends to 1.
    """
    return min(1 / smoothing, n) / (22 * n)


def theorem_a_1_rate(n: float) -> float:
    """Theorem A.1's rate, mean risk: n^(-1/2)."""
    return 1 / math.sqrt(n)


def theorem_a_1(n: float, epsilon: float) -> float:
    """What the best h leaves of the worse of Appendix A's data sets, for Delta = 1/(epsilon h); noise left out.

    Derived here, in the sum. On the first data set the Huberised minimiser is 1 - h/3, which Delta moves on by
    2 h Delta/n, and the slope is n/3: n h/9 + 2/(3 epsilon). On the second the answer is 1/(16 h Delta) = epsilon/16,
    the minimiser 1 and the slope 1/(16h): (1 - epsilon/16)/(16h). The best h makes them equal.
    """
    return _meeting(n, 2 / (3 * epsilon), 1 - epsilon / 16)


def theorem_a_1_as_printed(n: float, epsilon: float) -> float:
    """`theorem_a_1` for the printed Delta = 1/(4 epsilon h): n h/9 + 1/(6 epsilon) and (1 - epsilon/4)/(16h)."""
    return _meeting(n, 1 / (6 * epsilon), 1 - epsilon / 4)


def _meeting(n: float, constant: float, share: float) -> float:
    """The mean risk at which n h/9 + constant = share/(16h)."""
    return (constant / 2 + math.sqrt(constant**2 / 4 + share * n / 144)) / n
