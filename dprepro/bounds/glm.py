"""Arora, Bassily, Guzman, Menart and Ullah (2022), DP generalised linear models revisited. Population risk, means.

``smoothness`` is H X^2, ``radius`` is B, ``label_level`` is ||Y||, ``self_bounding_lipschitz`` is G of Lemma 2 times X.
In Theorems 5 and 6, about Lipschitz losses, G X is ``lipschitz``.

Derivation of the explicit bound of Theorem 1 (the text at hand has no appendix). All second moments are of the sample,
the noise and, for stability, the replaced record.

1. A non-negative H-smooth f has ||grad f||^2 <= 2 H f.
2. Regret. Projected steps eta with noise sigma, compared with w*, ||w*|| <= B, and step 1 for the mean loss at w_t:
   R := mean_t E[L_S(w_t) - L_S(w*)] <= B^2/(2 eta T) + eta/2 (2 H (R + Y^2) + sigma^2 p), as E L_S(w*) = L(w*) <= Y^2;
   hence (1 - eta H) R <= B^2/(2 eta T) + eta H Y^2 + eta sigma^2 p/2.
3. Stability. Two runs that share the noise, record i replaced in one: without record i the step is nonexpansive
   (eta <= 2/H), so their distance grows by at most eta/n (a_t + b_t), the gradient norms of the record that each run
   does see. By step 1 the mean squares over i of a_t and b_t are at most 2 H m_t, m_t = E L_S(w_t), of mean at most
   M = Y^2 + R. The averages are apart by eta/(n T) sum_t (T - t)(a_t + b_t), whose root mean square is at most
   eta/(n T) 2 sqrt(2 H) sum_t (T - t) sqrt(m_t) <= eta T/n sqrt(8 H M/3): squared, 8/3 H eta^2 M at T = n.
4. Generalisation. L(w) - L_S(w) is in the mean f_i(w^(i)) - f_i(w), w^(i) being the run with record i replaced. By
   smoothness and step 1 that is at most H M/c + (H + c)/2 (8/3 H eta^2 M) for every c > 0 (Lei and Ying 2020, Theorem
   2): 4/sqrt(3) H eta M + 4/3 (H eta)^2 M at the best c.
"""

from __future__ import annotations

import math

from dprepro.bounds import bst_lower


def theorem_1_rate(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, self_bounding_lipschitz: float,
    label_level: float,
) -> float:  # fmt: skip
    """Theorem 1's two terms: sqrt(H) B Y/sqrt(n) + G B sqrt(p ln(1/delta))/(n epsilon)."""
    private = (
        theorem_1_private(n, p, epsilon, delta, radius, self_bounding_lipschitz) if math.isfinite(epsilon) else 0.0
    )
    return corollary_1_rate(n, smoothness, radius, label_level) + private


def theorem_1_private(
    n: float, p: float, epsilon: float, delta: float, radius: float, self_bounding_lipschitz: float
) -> float:
    """The second term alone, G B sqrt(p ln(1/delta))/(n epsilon)."""
    return self_bounding_lipschitz * radius * math.sqrt(p * math.log(1 / delta)) / (n * epsilon)


def corollary_1_rate(n: float, smoothness: float, radius: float, label_level: float) -> float:
    """Corollary 1's rate, sqrt(H) B Y/sqrt(n)."""
    return math.sqrt(smoothness) * radius * label_level / math.sqrt(n)


def theorem_1(
    p: float, steps: float, noise_scale: float, step_size: float, smoothness: float, radius: float, label_level: float
) -> float:
    """Theorem 1 with its constants, for T = n, noise and step as run: R + (4/sqrt(3) H eta + 4/3 (H eta)^2) (Y^2 + R).

    Raises ValueError unless H eta < 1; the printed step has H eta <= 1/4.
    """
    noise = step_size * noise_scale**2 * p / 2
    return _descent(radius**2 / (2 * step_size * steps) + noise, smoothness * step_size, label_level**2)


def corollary_1_low_noise_rate(n: float, smoothness: float, radius: float) -> float:
    """What Corollary 1 becomes where the best risk L* is zero: H B^2/n (Srebro, Sridharan and Tewari 2010)."""
    return smoothness * radius**2 / n


def corollary_1_low_noise(steps: float, step_size: float, smoothness: float, radius: float) -> float:
    """`corollary_1_low_noise_rate` with constants.

    The derivation above compares with a mean loss of L* = 0 instead of Y^2.
    """
    return _descent(radius**2 / (2 * step_size * steps), smoothness * step_size, 0.0)


def _descent(start_and_noise: float, step: float, level: float) -> float:
    """Regret and generalisation gap of steps 2 to 4; ``step`` is H eta, ``level`` bounds the loss compared with."""
    if not step < 1:
        raise ValueError(f"H eta must be below 1, got {step:g}")
    regret = (start_and_noise + step * level) / (1 - step)
    return regret + (4 / math.sqrt(3) * step + 4 / 3 * step**2) * (level + regret)


def theorem_3_rate(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, self_bounding_lipschitz: float,
    label_level: float,
) -> float:  # fmt: skip
    """Theorem 3's terms: (sqrt(H) B X Y + Y^2)/sqrt(n) + (sqrt(H) X B^2 G)^(2/3) (L/(n epsilon)^2)^(1/3).

    The second is lambda B^2 at the lambda of the theorem: ((sqrt(H) B X)^(4/3) Y^(2/3) + (sqrt(H) B X)^2) up to factors
    of 2, with G = 2 sqrt(H) X Y + 2 H X^2 B, and L = ln(1/delta).
    """
    root = math.sqrt(smoothness)
    sampling = (root * radius * label_level + label_level**2) / math.sqrt(n)
    return sampling + theorem_3_private(n, epsilon, delta, smoothness, radius, self_bounding_lipschitz)


def theorem_3_private(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, self_bounding_lipschitz: float
) -> float:
    """The second term alone."""
    power: float = (math.sqrt(smoothness) * radius**2 * self_bounding_lipschitz / (n * epsilon)) ** (2 / 3)
    return float(power * math.log(1 / delta) ** (1 / 3))


def output_perturbation_smooth(
    n: float, weight: float, noise_scale: float, smoothness: float, radius: float, label_level: float
) -> float:
    """Theorem 3 with constants, at lambda and sigma as run: E risk <= lambda B^2/2 + H sigma^2/2 + gen.

    The regularised minimiser beats w* in the regularised mean loss, hence lambda B^2/2. Noise on a prediction <x, w>
    has variance at most sigma^2 X^2 and mean zero, and H-smoothness costs half of it times H. Stability: by strong
    convexity the minimiser with record i, and the one with its replacement, are each within (that record's gradient
    norm there)/(lambda n) of the minimiser without record i; step 1 at the top of this file makes the mean square of
    their distance at most 8 H M/(lambda n)^2, M = Y^2 + lambda B^2/2 bounding the mean loss. Step 4 turns it into
    gen <= 4 H M/(lambda n) + 4 (H/(lambda n))^2 M.
    """
    mean_loss = label_level**2 + weight * radius**2 / 2
    small = smoothness / (weight * n)
    noise = smoothness * noise_scale**2 / 2
    return weight * radius**2 / 2 + noise + 4 * (small + small**2) * mean_loss


def theorem_5_rate(n: float, epsilon: float, delta: float, radius: float, lipschitz: float) -> float:
    """Theorem 5's terms: G B X/sqrt(n) + G B X ln(1/delta)^(1/4)/sqrt(n epsilon)."""
    private = math.log(1 / delta) ** 0.25 / math.sqrt(n * epsilon)
    return float(lipschitz * radius * (1 / math.sqrt(n) + private))


def output_perturbation_lipschitz(
    n: float, weight: float, noise_scale: float, radius: float, lipschitz: float
) -> float:
    """Theorem 5 with constants, at lambda and sigma as run: lambda B^2/2 + G sigma sqrt(2/pi) + 2 G^2/(lambda n).

    As in Theorem 3; noise costs at most G E|sigma N|; uniform stability of a lambda-strongly convex objective bounds
    the generalisation gap by 2 G^2/(lambda n) (Bousquet and Elisseeff 2002). G here is G X.
    """
    noise = lipschitz * noise_scale * math.sqrt(2 / math.pi)
    return weight * radius**2 / 2 + noise + 2 * lipschitz**2 / (weight * n)


def theorem_2_rate(
    n: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> float:
    """Theorem 2's rate: sqrt(H) B X Y/sqrt(n) + ((sqrt(H) B X)^(4/3) Y^(2/3) + (sqrt(H) B X)^2)/(n epsilon)^(2/3)."""
    scale = math.sqrt(smoothness) * radius
    front: float = scale ** (4 / 3) * label_level ** (2 / 3) + scale**2
    power: float = (n * epsilon) ** (-2 / 3)
    return scale * label_level / math.sqrt(n) + front * power


def theorem_2(
    steps: float, noise_scale: float, step_size: float, smoothness: float, radius: float, label_level: float,
    sketch: float, sketched_smoothness: float,
) -> float:  # fmt: skip
    """Theorem 2 with constants for a Gaussian map: Theorem 1's bound in k dimensions plus the map's own error.

    Compared with Phi w*, of E ||Phi w*||^2 = B^2. E L(Phi^T Phi w*) - L(w*) <= H X^2 B^2/k =: J, since <Phi x, Phi w*>
    has mean <x, w*> and variance (||x||^2 ||w*||^2 + <x, w*>^2)/k, and H-smoothness takes half of it times H. So the
    mean loss at the comparison point is at most Y^2 + J. Left out are events of probability 1e-6 and exp(-k/2) at most
    (clipping, ||Phi w*|| > 2B).
    """
    jl_error = smoothness * radius**2 / sketch
    noise = step_size * noise_scale**2 * sketch / 2
    level = label_level**2 + jl_error
    step = sketched_smoothness * step_size
    return jl_error + _descent(radius**2 / (2 * step_size * steps) + noise, step, level)


def group_delta(epsilon: float, delta: float, flips: float) -> float:
    """delta' of D = ``flips`` records: an (epsilon, delta)-private algorithm is (D epsilon, delta')-private for them.

    delta (1 + e^epsilon + ... + e^((D-1) epsilon)) = delta (e^(D epsilon) - 1)/(e^epsilon - 1), at most 1.
    """
    return min(1.0, bst_lower.group_delta(flips, epsilon, delta))


def two_point_error(epsilon: float, delta: float, flips: float) -> float:
    """The least probability with which a private answer misses a fair hidden sign that D records tell: (1 - delta') q.

    q = 1/(1 + e^(D epsilon)). A pair of (epsilon', delta')-close laws is made from the pair that reveals the sign with
    probability delta' and otherwise reports it with error q, by looking at it alone (Kairouz, Oh and Viswanath 2015).
    Every bound below is the best use of that pair.
    """
    return (1 - group_delta(epsilon, delta, flips)) / (1 + math.exp(flips * epsilon))


def lemma_1(epsilon: float, delta: float, flips: float) -> float:
    """Lemma 1, exact: E|A(S) - tau| + E|A(S') - tau'| >= 2 (1 - delta') q |tau - tau'|.

    The left side is at least |tau - tau'| (1 - TV) and TV <= 1 - 2 (1 - delta') q. Printed: 1/4 for Delta <=
    ln(1/(2 gamma))/epsilon, with a gamma that is not defined; at D epsilon = 1 and delta = 0 this is .538.
    """
    return 2 * two_point_error(epsilon, delta, flips)


def two_point_square(epsilon: float, delta: float, flips: float) -> float:
    """For squares: (E(A(S) - a)^2 + E(A(S') + a)^2)/2 >= a^2 (1 - delta') / cosh^2(D epsilon/2).

    The answer's best posterior mean is +-a (1 - 2q), of mean square error 4 a^2 q (1 - q). At D epsilon = 1, delta = 0:
    .786 of the answer zero's.
    """
    return (1 - group_delta(epsilon, delta, flips)) / math.cosh(flips * epsilon / 2) ** 2


def theorem_4_rate(n: float, p: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """Theorem 4's rate with A^2: min(Y^2, A^2, (A^2 Y)^(2/3)/(n epsilon)^(2/3), sqrt(p) A Y/(n epsilon)).

    A = sqrt(H) B X. Its third term is printed with B under the root, where Table 1 has it outside. By smoothness output
    zero loses A^2/2 at most.
    """
    return min(smoothness * radius**2, theorem_4_printed(n, p, epsilon, smoothness, radius, label_level))


def theorem_4_printed(
    n: float, p: float, epsilon: float, smoothness: float, radius: float, label_level: float
) -> float:
    """`theorem_4_rate` without A^2."""
    scale = math.sqrt(smoothness) * radius
    signal = n * epsilon
    flat: float = scale ** (4 / 3) * label_level ** (2 / 3) / signal ** (2 / 3)
    return min(label_level**2, flat, math.sqrt(p) * scale * label_level / signal)


def theorem_6_rate(n: float, p: float, epsilon: float, radius: float, lipschitz: float) -> float:
    """Theorem 6's rate: G B X min(1, 1/sqrt(n epsilon), sqrt(rank)/(n epsilon)), rank at most p."""
    signal = n * epsilon
    return lipschitz * radius * min(1.0, 1 / math.sqrt(signal), math.sqrt(p) / signal)


def corollary_4_rate(n: float, p: float, epsilon: float, norm: float, lipschitz: float, order: float) -> float:
    """Corollary 4's rate with a 1 in the minimum, over the lr ball of radius ``norm``.

    G B min(1, (n epsilon)^(-1/r), p^((r-1)/r)/(n epsilon)): at r = 2 that is Theorem 6's, rank at most p. Output zero
    loses G B at most.
    """
    return min(lipschitz * norm, corollary_4_printed(n, p, epsilon, norm, lipschitz, order))


def corollary_4_printed(n: float, p: float, epsilon: float, norm: float, lipschitz: float, order: float) -> float:
    """`corollary_4_rate` without the 1."""
    signal = n * epsilon
    flat: float = signal ** (-1 / order)
    steep: float = p ** (1 - 1 / order) / signal
    return lipschitz * norm * min(flat, steep)


def transition_printed(n: float, epsilon: float, norm: float) -> float:
    """Section 1.2: d = (||w*|| n epsilon)^(2/3)."""
    return float((norm * n * epsilon) ** (2 / 3))


def transition(n: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """Section 3.1: d = (min(1, sqrt(H) B X/Y) n epsilon)^(2/3)."""
    return float((min(1.0, math.sqrt(smoothness) * radius / label_level) * n * epsilon) ** (2 / 3))


def low_dimension_rate(
    n: float, p: float, epsilon: float, smoothness: float, radius: float, self_bounding_lipschitz: float,
    label_level: float,
) -> float:  # fmt: skip
    """After Theorem 3: (sqrt(H) B X Y + Y^2)/sqrt(n) + G B sqrt(d)/(n epsilon)."""
    sampling = (math.sqrt(smoothness) * radius * label_level + label_level**2) / math.sqrt(n)
    return sampling + self_bounding_lipschitz * radius * math.sqrt(p) / (n * epsilon)
