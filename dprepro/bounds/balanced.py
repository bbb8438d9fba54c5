"""Private Frank-Wolfe whose number of steps is balanced against the logarithms: a result of this project.

Proof, from the recursion at the top of `lasso`. Write a = L_1 ||C||_1, K = |S|, l = ln(1/delta), b = a ln(K) sqrt(8
l)/(n epsilon). A choice by Gumbel noise of scale lambda = a sqrt(8 T l)/(n epsilon) has the law that minimises mean
regret minus lambda times entropy, which is 0 for the best choice: its mean regret is at most lambda ln K. So, h being
the first point's excess risk,

    E risk <= (2 h + 2 Gamma (T - 1))/(T (T + 1)) + b sqrt(T) (1 - 2/(T (T + 1))).

2 Gamma/x + b sqrt(x) is least at x = (4 Gamma/b)^(2/3), `steps`, where b = 4 Gamma x^(-3/2) and it is 6 Gamma/x, 3
2^(2/3) times `rate`. Rounding up costs nothing. x <= 1: T = 1, and the answer is the first point, whose risk is 2
h/(1 2). 1 < x <= 2: T = 2, and Gamma/3 + (8 sqrt(2)/3) Gamma x^(-3/2) <= 6 Gamma/x. x > 2: (T - 1)/(T (T + 1)) <= 1/(T
+ 2) <= 1/(x + 2) gains 4 Gamma/(x (x + 2)) >= 2 Gamma/x^2, and sqrt(T) <= sqrt(x + 1) <= sqrt(x) + 1/(2 sqrt(x)) loses
at most b/(2 sqrt(x)) = 2 Gamma/x^2.
"""

from __future__ import annotations

import math

from dprepro.bounds import lasso


def steps(
    n: float, epsilon: float, delta: float, curvature: float, l1_lipschitz: float, l1_radius: float, vertices: float
) -> float:
    """T before it is rounded up: (sqrt(2) Gamma n epsilon/(L_1 ||C||_1 ln|S| sqrt(ln(1/delta))))^(2/3).

    Theorem 2.5's T times (2/(ln^2|S| ln(1/delta)))^(1/3).
    """
    logarithms = math.log(vertices) * math.sqrt(math.log(1 / delta))
    ratio = math.sqrt(2) * curvature * n * epsilon / (l1_lipschitz * l1_radius * logarithms)
    return float(ratio ** (2 / 3))


def rate(
    n: float, epsilon: float, delta: float, curvature: float, l1_lipschitz: float, l1_radius: float, vertices: float
) -> float:
    """Gamma^(1/3) (L_1 ||C||_1 ln|S|)^(2/3) ln(1/delta)^(1/3) (n epsilon)^(-2/3)."""
    scale = l1_lipschitz * l1_radius * math.log(vertices)
    return float(curvature ** (1 / 3) * scale ** (2 / 3) * math.log(1 / delta) ** (1 / 3) * (n * epsilon) ** (-2 / 3))


def risk(
    n: float, epsilon: float, delta: float, curvature: float, l1_lipschitz: float, l1_radius: float, vertices: float,
    initial_risk: float,
) -> float:  # fmt: skip
    """What it loses at most in the mean: 3 2^(2/3) times the rate, and 2 h/(T (T + 1)).

    On the unit LASSO, where Gamma = 8 and L_1 = 4, 24 ln(2p)^(2/3) ln(1/delta)^(1/3) (n epsilon)^(-2/3) and the
    same.
    """
    numbers = (n, epsilon, delta, curvature, l1_lipschitz, l1_radius, vertices)
    total = max(1, math.ceil(steps(*numbers)))
    return 3 * 2 ** (2 / 3) * rate(*numbers) + 2 * initial_risk / (total * (total + 1))


def needle_law(n: float, p: float, epsilon: float, delta: float) -> float:
    """What it loses on the tuned needle of the LASSO as T grows: `lasso.needle_law` at this T.

    That law knows T and delta by the noise scale alone, and this by T ln(1/delta).
    """
    fewer = max(1, math.ceil(steps(n, epsilon, delta, 8.0, 4.0, 1.0, 2 * p))) / math.ceil((2 * n * epsilon) ** (2 / 3))
    return lasso.needle_law(n, p, epsilon, delta**fewer)
