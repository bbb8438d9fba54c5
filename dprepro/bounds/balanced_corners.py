"""Balanced private Frank-Wolfe at the corners: what it loses there, exactly, beside what `balanced` allows."""

from __future__ import annotations

import math

import numpy as np

from dprepro.bounds import balanced, lasso, lasso_corners


def _total(n: float, epsilon: float, delta: float, bend: float, vertices: float) -> int:
    return max(1, math.ceil(balanced.steps(n, epsilon, delta, bend, 1.0, 1.0, vertices)))


def allowed(n: float, epsilon: float, delta: float, bend: float, vertices: float) -> float:
    """`balanced.risk` over L_1 ||C||_1, from a worst first point; ``bend`` is Gamma/(L_1 ||C||_1)."""
    return balanced.risk(n, epsilon, delta, bend, 1.0, 1.0, vertices, 2.0)


def as_run(n: float, epsilon: float, delta: float, bend: float, vertices: float) -> float:
    """The bound before it is simplified, `lasso.theorem_2_5` at T as it is run, over L_1 ||C||_1."""
    total = _total(n, epsilon, delta, bend, vertices)
    scale = math.sqrt(8 * total * math.log(1 / delta)) / (n * epsilon)
    return lasso.theorem_2_5(bend, total, 2.0, scale * lasso_corners.largest_gumbel_regret(vertices))


def linear(n: float, epsilon: float, delta: float, bend: float, vertices: float) -> float:
    """What it loses on linear losses, whose Gamma may be any number, from a first point that loses 2, exactly."""
    total = _total(n, epsilon, delta, bend, vertices)
    return lasso_corners.one_choice(total, n, epsilon, delta, vertices) + lasso_corners.kept_after(total)


def squared(aimed: float, delta: float, vertices: float, gap: float, level: float, label: float, first: float) -> float:
    """What it loses on equal records over the simplex, exactly, as a share of `balanced.risk`.

    The loss is (m.theta - y)^2, one entry of m is ``level`` + ``gap`` noise scales (1 at most) and the others are
    ``level``; both of these and y are in [-1, 1]: Gamma = 8, L_1 = 4. n epsilon is such that T is ``aimed`` before it
    is rounded up. theta_1 has the share ``first`` on that entry. The share after t steps is a sum of whole numbers over
    t (t + 1), of which the law is carried along.
    """
    total, bits = max(1, math.ceil(aimed)), math.log(1 / delta)
    budget = aimed**1.5 * 4 * math.log(vertices) * math.sqrt(bits) / (math.sqrt(2) * 8)
    scale = 4 * math.sqrt(8 * total * bits) / budget
    apart = min(1.0, level + gap * scale) - level
    law = np.zeros(total * (total + 1) // 2 + 1)
    law[0] = 1.0
    for t in range(1, total):
        reached = np.flatnonzero(law)
        share = (2 * first + 2 * reached) / (t * (t + 1))
        better = 2 * (label - level - apart * share) * apart / scale - math.log(vertices - 1)
        chosen = law[reached] / (1 + np.exp(-np.clip(better, -700, 700)))
        law[reached] -= chosen
        law[reached + t + 1] += chosen
    shares = (2 * first + 2 * np.arange(len(law))) / (total * (total + 1))
    least = max(0.0, abs(label - level - apart / 2) - apart / 2) ** 2
    lost = float(law @ (label - level - apart * shares) ** 2) - least
    start = (label - level - apart * first) ** 2 - least
    return float(lost / balanced.risk(budget, 1.0, delta, 8.0, 4.0, 1.0, vertices, start))
