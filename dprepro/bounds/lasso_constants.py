"""Constants that section 2 and Appendix A of Talwar, Thakurta and Zhang (2015) quote: curvature, sensitivity, steps."""

from __future__ import annotations


def curvature_of_square(low: float, high: float) -> float:
    """Definition 2.1 by search, for theta^2 on [low, high]: a lower bound on Gamma, from 41 x 41 points and 4 shares.

    theta^2 is the loss of the LASSO in one dimension with records x = 1, y = 0, and has lambda = 2 and A = 1.
    """
    places = [low + k * (high - low) / 40 for k in range(41)]
    found = 0.0
    for start in places:
        for end in places:
            for share in (0.01, 0.1, 0.5, 1.0):
                moved = start + share * (end - start)
                found = max(found, 2 / share**2 * (moved**2 - start**2 - (moved - start) * 2 * start))
    return found


def remark_1(low: float, high: float) -> float:
    """Remark 1, lambda ||C||^2, with the diameter for ||C||, as Theorem 2.6 has it."""
    return 2 * (high - low) ** 2


def remark_1_largest_norm(low: float, high: float) -> float:
    """`remark_1` with the largest norm of a member, which Algorithm 2 writes ||C||_1."""
    return 2 * max(abs(low), abs(high)) ** 2


def remark_2_as_printed(low: float, high: float) -> float:
    """Remark 2: max ||a - b||^2 over A C."""
    return (high - low) ** 2


def remark_2(low: float, high: float) -> float:
    """Twice that, since Definition 2.1 has a factor 2 in front."""
    return 2 * (high - low) ** 2


def score_change() -> float:
    """The most that <s, grad L> changes with one record of the LASSO, times n, over corners of x, y and x.theta."""
    signs = (-1.0, 1.0)
    scores = [2 * x * (fit - y) for x in signs for fit in signs for y in signs]
    return max(scores) - min(scores)


def score_sensitivity() -> float:
    """2 L_1 ||C||_1, times 1/n: the constant of section 2.1's O(L_1 ||C||_1/n) for a replaced record."""
    return 2 * 4 * 1


def theorem_a_2(steps: float, beta: float) -> float:
    """Theorem A.2 over Gamma: 2 (1 + beta)/(T + 2)."""
    return 2 * (1 + beta) / (steps + 2)


def inexact_steps(steps: float, beta: float) -> float:
    """The largest risk over Gamma after T steps 2/(t+2), t from 0, that the recursion of its proof allows.

    h_{t+1} <= (1 - mu_t) h_t + mu_t^2 Gamma (1 + beta)/2 by Definition 2.1, for every convex loss, every set and every
    choice within beta mu_t Gamma/2 of the best; mu_0 = 1 forgets the first point.
    """
    risk = 0.0
    for t in range(int(steps)):
        step_size = 2 / (t + 2)
        risk = (1 - step_size) * risk + step_size**2 * (1 + beta) / 2
    return risk


def constant_step(steps: float) -> float:
    """The risk over Gamma after T - 1 steps 1/(T+2) from -1 on (phi - 1)^2 in [-1, 1], Gamma = 8, without error.

    The best vertex is always 1: 4 (1 - 1/(T+2))^(2(T-1))/8, which tends to 1/(2 e^2).
    """
    return 0.5 * float((1 - 1 / (steps + 2)) ** (2 * (steps - 1)))
