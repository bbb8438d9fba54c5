"""A number of steps for private Frank-Wolfe against all data sets: what each T costs, and the T that costs least.

The unit LASSO, n records of p coordinates, L(theta) = mean (<x, theta> - y)^2 over the l1 ball; theta_1 = 0, steps 2/(t
+ 2), choices by Gumbel noise of scale lambda = 4 sqrt(8 T l)/(n epsilon), l = ln(1/delta) (lasso, Algorithm 2). V(T) is
the largest expected excess risk over all data sets. What is derived here holds for every T, and for T >= 2 where steps
are read.

**Weights.** theta_T = sum_t w_t s_t over the vertices chosen, w_t = 2 (t + 1)/(T (T + 1)), which sum to 1 - 2/(T (T +
1)); the largest is m = 2/(T + 1), and the sum of squares A = 2 (2 T + 1)/(3 T (T + 1)) - 4/(T (T + 1))^2, about 4/(3
T).

**Block**, whatever is chosen. Of k <= p coordinates, the heads, a share s of the records has orthogonal signs (columns
of a Hadamard matrix of c < 2 k rows, equally often) and the labels of theta* = (1, ..., 1)/k; the others are equal,
with 1/2 in all heads and the label 1. L = (1 - s) (S/2 - 1)^2 + s |theta - theta*|^2 over heads, S their sum, is least
at theta*. Let N be the weight of choices that are no positive head. S <= 1 - N, so the first part exceeds its least
value by (1 - s) N/2
or more. If P and Q are the weights of +e_j and -e_j, (P - Q)^2 >= sum of squares of the weights in P, - 2 m Q (where P
<= m, Q^2 + 2 (m - P) Q >= 0; else the left side is at least m P - 2 m Q); choices of none of both lack w^2 <= m w. So
|theta|^2 >= A - 3 m N, and the risk is at least s (A - 1/k) where (1 - s)/2 >= 3 m s: s = (T + 1)/(T + 13), which
rounding to whole copies lowers by less than 2 k/n (`block`).

**Needle.** Equal records (a e_1, 1), a <= 1/2. Scores of +-e_1 are -+2 a r, others are 0, r = 1 - a theta_1 <= 1 + a:
each choice is another one than e_1 with probability q >= 1/(1 + e^(2 a (1 + a)/lambda)/(2 p - 2)), hence E (1 -
theta_1) >= q, and the risk a (1 - theta_1) (2 - a - a theta_1) is at least 2 a (1 - a) q in the mean. At 2 a (1 + a) =
lambda (1 + W), W = W((2 p - 2)/e), it is (1 - a)/(1 + a) lambda W (`needle`), the most that one choice can lose but for
a's factor; beyond a = 1/2 it stays at W/(2 (1 + W)), as q grows with lambda.

**Most.** V(T) <= (2 + 16 (T - 1))/(T (T + 1)) + lambda W((2 p - 1)/e) (1 - 2/(T (T + 1))) (`lasso.theorem_2_5` at Gamma
= 8, h <= 1). With b sqrt(T) for lambda W it is 48/x + 2/x^2 at most at T = ceil(x), x = (32/b)^(2/3) (`balanced`).

**Law.** A T that costs no more than ceil(x) costs 48/x + 2/x^2 at most: `block` says T >= x/36, and `needle` T <= 9
x/4, up to factors that tend to 1. From x >= 5000, p >= x/5, n >= 4 x on x/50 <= T <= 5 x/2: at T = x/50, with k = 10 T,
s >= .89, 2 k/n <= .1 and A - 1/k >= 1.22/T give 48.1/x; at 5 x/2, a <= .01 leaves .97 32 sqrt(5/2) > 49 over x. Smaller
T cost more by the block (T = 1 costs 1 on (e_1, 1)), larger ones by the same needle.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dprepro.bounds import lasso

CURVATURE, FIRST_RISK = 8.0, 1.0
"""Gamma of the unit LASSO, and the largest excess risk of theta_1 = 0."""


def squares(steps: float) -> float:
    """A, the sum of the squared weights of T - 1 choices."""
    pairs = steps * (steps + 1)
    return 2 * (2 * steps + 1) / (3 * pairs) - 4 / pairs**2


def block(n: float, p: float, steps: float) -> float:
    """What T >= 2 steps cost on some block at least, whatever they choose: (s - 2 k/n) (A - 1/k), the best k."""
    share, every = (steps + 1) / (steps + 13), squares(steps)
    heads = max(1, math.floor(min(p, math.sqrt(share * n / (2 * every)))))
    return max(0.0, share - 2 * heads / n) * max(0.0, every - 1 / heads)


def needle(p: float, noise_scale: float) -> float:
    """What choices by Gumbel noise of this scale cost on some needle at least."""
    value = lasso._lambert((2 * p - 2) / math.e)
    gap = noise_scale * (1 + value)
    entry = min(0.5, gap / (1 + math.sqrt(1 + 2 * gap)))  # 2 a (1 + a) = gap
    return 2 * entry * (1 - entry) * value / (1 + value)


def noise(n: float, epsilon: float, delta: float, steps: float) -> float:
    """lambda, 4 sqrt(8 T ln(1/delta))/(n epsilon)."""
    return 4 * math.sqrt(8 * steps * math.log(1 / delta)) / (n * epsilon)


def known(n: float, p: float, epsilon: float, delta: float, steps: float) -> float:
    """What T >= 2 steps cost on the worse of block and needle at least: no more than V(T)."""
    return max(block(n, p, steps), needle(p, noise(n, epsilon, delta, steps)))


def most(n: float, p: float, epsilon: float, delta: float, steps: float) -> float:
    """What T steps cost at most on any data set: no less than V(T)."""
    regret = noise(n, epsilon, delta, steps) * lasso._lambert((2 * p - 1) / math.e)
    return lasso.theorem_2_5(CURVATURE, steps, FIRST_RISK, regret)


def balanced(n: float, p: float, epsilon: float, delta: float) -> float:
    """x = (32/b)^(2/3): (sqrt(8) n epsilon/(W((2p - 1)/e) sqrt(ln(1/delta))))^(2/3), where `most` is least."""
    logarithms = lasso._lambert((2 * p - 1) / math.e) * math.sqrt(math.log(1 / delta))
    steps: float = (math.sqrt(8) * n * epsilon / logarithms) ** (2 / 3)
    return steps


def least_cost(n: float, p: float, epsilon: float, delta: float) -> float:
    """What ceil(x) steps cost at most, as V does where it is least."""
    return most(n, p, epsilon, delta, math.ceil(balanced(n, p, epsilon, delta)))


def game(n: float, p: float, epsilon: float, delta: float) -> float:
    """T where `known` is least, not rounded: where the falling block meets the rising needle."""

    def ahead(steps: float) -> float:
        return needle(p, noise(n, epsilon, delta, steps)) - block(n, p, steps)

    return _root(ahead, 3.0, 3 * balanced(n, p, epsilon, delta))


def fewest(n: float, p: float, epsilon: float, delta: float) -> float:
    """T up to which the block costs more than `least_cost`: no best T is smaller. Not rounded."""
    cost = least_cost(n, p, epsilon, delta)
    return _root(lambda steps: cost - block(n, p, steps), 13.0, balanced(n, p, epsilon, delta))


def largest(n: float, p: float, epsilon: float, delta: float) -> float:
    """T from which the needle costs more than `least_cost`: no best T is larger. Not rounded."""
    cost, x = least_cost(n, p, epsilon, delta), balanced(n, p, epsilon, delta)
    return _root(lambda steps: needle(p, noise(n, epsilon, delta, steps)) - cost, x / 50, 1e3 * x)


def stated_fewest(n: float, p: float, epsilon: float, delta: float) -> float:
    """x/50."""
    return balanced(n, p, epsilon, delta) / 50


def stated_largest(n: float, p: float, epsilon: float, delta: float) -> float:
    """5 x/2."""
    return 2.5 * balanced(n, p, epsilon, delta)


def widest_slope(n: float, decades: float, p: float, epsilon: float, delta: float) -> float:
    """The most by which the slope of any best T's, fitted over sizes n, 10 n, ..., may depart from 2/3.

    One T is chosen between `fewest` and `largest` at each of ``decades`` + 1 sizes, as bad as can be: least squares are
    linear in ln T.
    """
    sizes = [n * 10.0**power for power in range(round(decades) + 1)]
    middle = len(sizes) / 2 - 0.5
    weights = [(index - middle) / math.log(10) for index in range(len(sizes))]
    spread = sum((weight * math.log(10)) ** 2 for weight in weights)
    ends = [
        (math.log(fewest(size, p, epsilon, delta)), math.log(largest(size, p, epsilon, delta))) for size in sizes
    ]  # fmt: skip
    steep = sum(weight * (high if weight > 0 else low) for weight, (low, high) in zip(weights, ends, strict=True))
    flat = sum(weight * (low if weight > 0 else high) for weight, (low, high) in zip(weights, ends, strict=True))
    return max(steep / spread - 2 / 3, 2 / 3 - flat / spread)


def one() -> float:
    """1."""
    return 1.0


def _root(rises: Callable[[float], float], low: float, high: float) -> float:
    """Where a function of a positive number changes its sign from below, by halving in the logarithm.

    Raises:
        ValueError: it does not between these ends.
    """
    if not rises(low) < 0 < rises(high):
        raise ValueError(f"no change of sign between {low:g} and {high:g}")
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return math.sqrt(low * high)
