"""Talwar, Thakurta and Zhang (2015), Nearly-Optimal Private LASSO. All risks are means over n.

``l1_lipschitz`` is L_1, ``l1_radius`` is ||C||_1, ``lipschitz`` is L_2, ``curvature`` is Gamma, ``vertices`` is |S|.

Derivation used by the explicit bounds. Let h_t be the excess risk of theta_t and mu_t = 2/(t+2). Definition 2.1 gives
h_{t+1} <= (1 - mu_t) h_t + mu_t r_t + mu_t^2 Gamma/2, r_t being the regret of step t's choice for the linear score.
Multiplied by (t+1)(t+2) and summed over t = 1..T-1 it telescopes:

    T (T+1) h_T <= 2 h_1 + 2 Gamma (T-1) + 2 sum_t (t+1) r_t.

No logarithm of n appears: the printed log(n |S|) of Theorem 2.5 comes from a union bound over the steps, which the
expectation does not need. The bounds below therefore imply the printed ones.
"""

from __future__ import annotations

import math

from dprepro.bounds.bst import least_deviation

LOST_TO_NOISE = max(s * (1 - s / math.hypot(1, s)) for s in (0.78 + 1e-4 * k for k in range(120)))
"""max over s of s (1 - s/sqrt(1 + s^2)), .3003."""


def theorem_2_2_rate(curvature: float, steps: float) -> float:
    """Theorem 2.2's rate: Gamma / T."""
    return curvature / steps


def theorem_2_2(curvature: float, steps: float, initial_risk: float) -> float:
    """Theorem 2.2 with its constant, for mu_t = 2/(t+2) and t from 1: 2 h_1/(T(T+1)) + 2 Gamma (T-1)/(T(T+1)).

    At most 2 h_1/(T(T+1)) + 2 Gamma/(T+2). The first term is there because the loop starts at t = 1, where mu_1 = 2/3
    keeps a third of the first point; the statement's O(Gamma/T) alone fails for a linear loss, whose Gamma is 0.
    """
    return (2 * initial_risk + 2 * curvature * (steps - 1)) / (steps * (steps + 1))


def theorem_2_5_rate(
    n: float, epsilon: float, delta: float, curvature: float, l1_lipschitz: float, l1_radius: float, vertices: float
) -> float:
    """Theorem 2.5's rate without log n: Gamma^(1/3) (L_1 ||C||_1)^(2/3) ln|S| sqrt(ln(1/delta)) (n epsilon)^(-2/3)."""
    scale: float = curvature ** (1 / 3) * (l1_lipschitz * l1_radius) ** (2 / 3)
    private: float = (n * epsilon) ** (-2 / 3)
    return scale * math.log(vertices) * math.sqrt(math.log(1 / delta)) * private


def theorem_2_5(curvature: float, steps: float, initial_risk: float, step_regret: float) -> float:
    """Theorem 2.5 with its constants, at T and noise as run: E risk <= Theorem 2.2's bound + E[regret of a step].

    ``step_regret`` bounds E[r_t] given the past: lambda E[max of |S| unit Laplace draws], or lambda W((|S|-1)/e) for
    Gumbel noise. Its weight sum_t 2 (t+1) / (T (T+1)) is at most one.
    """
    return theorem_2_2(curvature, steps, initial_risk) + step_regret * (1 - 2 / (steps * (steps + 1)))


def theorem_2_5_steps(n: float, epsilon: float, curvature: float, l1_lipschitz: float, l1_radius: float) -> float:
    """T of Theorems 2.5 and A.1 as printed, before it is rounded up: Gamma^(2/3) (n epsilon)^(2/3)/(L_1 ||C||_1)^(2/3).

    4^(1/3) (n epsilon)^(2/3) on the unit LASSO, whose Gamma is 8 and L_1 is 4.
    """
    steps: float = curvature ** (2 / 3) * (n * epsilon) ** (2 / 3) / (l1_lipschitz * l1_radius) ** (2 / 3)
    return steps


def theorem_2_4_noise(
    n: float, epsilon: float, delta: float, curvature: float, l1_lipschitz: float, l1_radius: float
) -> float:
    """The scale in line 3 of Algorithm 2 as printed, L_1 ||C||_1 sqrt(8 T log(1/delta))/(n epsilon), at that T."""
    steps = max(1, math.ceil(theorem_2_5_steps(n, epsilon, curvature, l1_lipschitz, l1_radius)))
    return l1_lipschitz * l1_radius * math.sqrt(8 * steps * math.log(1 / delta)) / (n * epsilon)


def theorem_b_2_steps(n: float, epsilon: float, curvature: float, lipschitz: float, width: float) -> float:
    """T of Theorem B.2 as printed, before it is rounded up: Gamma^(2/3) (n epsilon)^(2/3)/(L_2 G_C)^(2/3)."""
    steps: float = curvature ** (2 / 3) * (n * epsilon) ** (2 / 3) / (lipschitz * width) ** (2 / 3)
    return steps


def theorem_b_1_noise(
    n: float, epsilon: float, delta: float, curvature: float, lipschitz: float, width: float
) -> float:
    """sigma in line 3 of Algorithm 3 as printed, with the first power of L_2: sqrt(32 L_2 T) log(n/delta)/(n epsilon).

    It is not private; L_2^2 is meant.
    """
    steps = max(1, math.ceil(theorem_b_2_steps(n, epsilon, curvature, lipschitz, width)))
    return math.sqrt(32 * lipschitz * steps) * math.log(n / delta) / (n * epsilon)


def section_1_gap(p: float) -> float:
    """What Theorem 2.6 costs beside Theorem 2.5 on the LASSO, by section 1: p^(1/3)."""
    gap: float = p ** (1 / 3)
    return gap


def corollary_2_7_rate(n: float, p: float, epsilon: float, delta: float) -> float:
    """Corollary 2.7's rate as printed, log(n p/delta) / (n epsilon)^(2/3).

    The sum of logarithms where Theorem 2.5 has their product: not implied by it.
    """
    private: float = (n * epsilon) ** (-2 / 3)
    return (math.log(n) + math.log(p) + math.log(1 / delta)) * private


def theorem_2_6_rate(n: float, epsilon: float, delta: float, curvature: float, lipschitz: float, width: float) -> float:
    """Theorem 2.6's rate: Gamma^(1/3) (L_2 G_C)^(2/3) sqrt(ln(1/delta)) (n epsilon)^(-2/3).

    The printed log^2(n/delta) is what the printed noise costs; the exact noise needs the root of one logarithm.
    """
    scale: float = curvature ** (1 / 3) * (lipschitz * width) ** (2 / 3)
    private: float = (n * epsilon) ** (-2 / 3)
    return scale * math.sqrt(math.log(1 / delta)) * private


def theorem_2_6(curvature: float, steps: float, initial_risk: float, noise_scale: float, width: float) -> float:
    """Theorem 2.6 = B.2 with its constants, at T and sigma as run, for mu_t = 2/(t+2).

    A step's regret for the linear score is at most <b, s* - s~>, s* being the minimiser without noise, which does not
    depend on b: its mean is at most sigma G_C. The rest is the derivation at the top of this file.
    """
    return theorem_2_5(curvature, steps, initial_risk, noise_scale * width)


def needle_law(n: float, p: float, epsilon: float, delta: float) -> float:
    """What Algorithm 2 with Gumbel noise loses on the tuned needle of the LASSO as T grows, derived here.

    T = (2 n epsilon)^(2/3) and lambda = 4 sqrt(8 T ln(1/delta))/(n epsilon), as Theorem 2.5 has them for L_1 = 4, Gamma
    = 8. The records are equal, m_1 = 1/2 and m_j = 1/2 - kappa, kappa = lambda (1 + W((2p - 1)/e)). Let Q be the weight
    that theta has on the p - 1 rivals: <m, theta> = 1/2 - kappa Q, the gap of a rival's score is 2 kappa (1/2 + kappa
    Q), and a step takes a rival with probability r/(1 + r), r = (p - 1) exp(-gap/lambda). The weights mu_t average over
    many steps, so Q is that probability. The risk is (1/2 + kappa Q)^2 - 1/4.
    """
    steps = math.ceil((2 * n * epsilon) ** (2 / 3))
    scale = 4 * math.sqrt(8 * steps * math.log(1 / delta)) / (n * epsilon)
    kappa = scale * (1 + _lambert((2 * p - 1) / math.e))
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        odds = (p - 1) * math.exp(-2 * kappa * (0.5 + kappa * share) / scale)
        low, high = (share, high) if odds / (1 + odds) > share else (low, share)
    return kappa * share + (kappa * share) ** 2


def zero_risk() -> float:
    """What zero loses at most on the LASSO: y^2 - 0 for |y| <= 1, reached by equal records (e_1, 1)."""
    return 1.0


def _lambert(x: float) -> float:
    """W(x) for x > 0, by Newton's method for w + ln w = ln x."""
    w = math.log1p(x)
    for _ in range(50):
        w -= (w + math.log(w) - math.log(x)) / (1 + 1 / w)
    return w


def direction_law(n: float, epsilon: float, delta: float, curvature: float, lipschitz: float, width: float) -> float:
    """The supremum of Algorithm 3's risk over equal records on an l2 ball, with the least noise: .3003 sigma G.

    Derived here. A slope of s sigma G against noise of length sigma G, orthogonal for large p, leaves <theta, e> =
    s/sqrt(1 + s^2) in every step: the loss is sigma G s (1 - s/sqrt(1 + s^2)), at most .3003 sigma G. T =
    (Gamma n epsilon/(L_2 G))^(2/3); sigma = 2 L_2 sqrt(T - 1)/n times `bst.least_deviation`.
    """
    steps = max(2, math.ceil((curvature * n * epsilon / (lipschitz * width)) ** (2 / 3)))
    sigma = 2 * lipschitz * math.sqrt(steps - 1) * least_deviation(epsilon, delta) / n
    return LOST_TO_NOISE * sigma * width


def theorem_2_5_over_algorithm_gap(
    n: float, epsilon: float, delta: float, curvature: float, l1_lipschitz: float, l1_radius: float, vertices: float,
    width: float,
) -> float:  # fmt: skip
    """Theorem 2.5's rate with Theorem 2.6's (G_C)^(2/3) in the place of ln|S|: Algorithm 3 exceeds it by p^(1/3).

    On the LASSO L_2 = 4 sqrt p and L_1 = 4, so that p^(1/3) is all that is left between the two rates. (With G_C^2 =
    2 ln(2p), its limit, the logarithms leave ln(2p)^(-2/3).)
    """
    rate = theorem_2_5_rate(n, epsilon, delta, curvature, l1_lipschitz, l1_radius, vertices)
    logarithms: float = width ** (2 / 3) / math.log(vertices)
    return rate * logarithms


def theorem_3_1_rate(n: float) -> float:
    """Theorems 1.2 and 3.1's rate: (n ln n)^(-2/3)."""
    rate: float = (n * math.log(n)) ** (-2 / 3)
    return rate


def sharp_equation_3(users: float, kappa: float, tau: float) -> float:
    """Equation (3) for k = kappa w p with its best point, in the sum over n: min L <= w kappa/(1 - tau + kappa).

    theta = t s_j/c on the c >= (1 - tau) p consensus columns has x_i.theta = t and k ||theta||^2 = kappa w p t^2/c.
    The sum w ((1 - t)^2 + kappa (p/c) t^2) is least at t = 1/(1 + kappa p/c), where it is w kappa/(c/p + kappa).
    """
    return users * kappa / (1 - tau + kappa)


def sharp_lemma_3_3(users: float, kappa: float, tau: float, agreement: float) -> float:
    """Lemma 3.3 for k = kappa w p, in the sum over n: L >= w kappa/(a + tau + kappa) if fewer than a p columns agree.

    Let S_1 be the consensus columns with sign theta_j = s_j, |S_1| <= a p, and S_3 those that are not consensus,
    |S_3| <= tau p. With u = ||theta on S_1 and S_3||_1 every row has x_i.theta <= u (the other consensus columns pull
    down), and k ||theta||^2 >= k u^2/((a + tau) p). So L/w >= (1 - u)_+^2 + kappa u^2/(a + tau), which is least at
    u = (a + tau)/(a + tau + kappa). Above equation (3)'s value exactly if a + tau < 1 - tau.
    """
    return users * kappa / (agreement + tau + kappa)


def printed_columns(m: float, tau: float) -> float:
    """p = m^2/tau of section 3; 1000 m^2 at the printed tau = .001."""
    return m**2 / tau


def printed_block(m: float, tau: float) -> float:
    """k = tau w p with w = m/ln m. Orthogonal +-1 columns need k >= p, that is w >= 1/tau."""
    return tau * m / math.log(m) * printed_columns(m, tau)


def printed_records(m: float, tau: float) -> float:
    """n = w + k, what D_i holds."""
    return m / math.log(m) + printed_block(m, tau)


def printed_records_as_printed(m: float, tau: float) -> float:
    """n = w + w p, as the last step of section 3 has it; w + tau w p is meant."""
    return m / math.log(m) * (1 + printed_columns(m, tau))


def least_loss_at_printed_size(tau: float) -> float:
    """min L/w at kappa = tau by `sharp_equation_3`: tau."""
    return sharp_equation_3(1.0, tau, tau)


def printed_equation_3(tau: float) -> float:
    """Equation (3), over w: tau + 4 tau^2, the planted point without a best size."""
    return tau + 4 * tau**2


def printed_threshold(tau: float) -> float:
    """1.1 tau, the loss over w below which Lemma 3.3 promises agreement; equation (4) needs (3) to lie below it."""
    return 1.1 * tau


def printed_lemma_3_3(tau: float) -> float:
    """(1 - ||theta_1|| - ||theta_3||)_+^2 of Lemma 3.3's proof at loss 1.1 tau w, k = tau w p, without rounding.

    ||theta_1||_1 <= sqrt(1.1 * 3/4) and ||theta_3||_1 <= sqrt(1.1 tau). The contradiction needs at least 1.1 tau here,
    hence tau <= .0019.
    """
    return max(0.0, 1 - math.sqrt(1.1 * 0.75) - math.sqrt(1.1 * tau)) ** 2


def sharp_threshold(tau: float) -> float:
    """`sharp_lemma_3_3` over w at a = 3/4 and kappa = tau: above 1.1 tau for every tau <= .079."""
    return sharp_lemma_3_3(1.0, tau, tau, 0.75)


def printed_level(m: float, tau: float) -> float:
    """c w/n, the mean risk that section 3 proves, at the largest c that equation (4) allows: (.1 tau - 4 tau^2)/3."""
    return (printed_threshold(tau) - printed_equation_3(tau)) / 3 * m / math.log(m) / printed_records(m, tau)


def printed_rate(m: float, tau: float) -> float:
    """`theorem_3_1_rate` at the n of section 3."""
    return theorem_3_1_rate(printed_records(m, tau))
