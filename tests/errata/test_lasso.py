"""Slips of print in Talwar, Thakurta and Zhang (2015), each computed from the printed formula and from what holds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from dprepro.mechanisms.selection import GumbelMin, LaplaceMin


def test_remark_1_needs_the_diameter_of_the_set() -> None:
    """The parabola theta^2 on [-1, 1], of Hessian lambda = 2: Definition 2.1 gives 8 between the ends."""
    start, end, hessian = -1.0, 1.0, 2.0

    def curvature(gamma: float) -> float:
        point = start + gamma * (end - start)
        return 2 / gamma**2 * (point**2 - start**2 - (point - start) * 2 * start)

    assert [curvature(gamma) for gamma in (0.1, 0.5, 1.0)] == pytest.approx([8, 8, 8])
    assert hessian * max(abs(start), abs(end)) ** 2 == 2  # the largest norm, as ||C||_1 is defined in Algorithm 2
    assert hessian * (end - start) ** 2 == 8  # the diameter


def test_algorithm_3_and_its_proof_print_two_different_noises() -> None:
    """32 L_2 T log^2(n/delta)/(n epsilon)^2 and the same with T/delta, at the T of Theorem B.2."""
    n, delta, curvature, lipschitz_times_width = 1e6, 1e-6, 8, 4
    steps = (curvature * n / lipschitz_times_width) ** (2 / 3)
    assert (math.log(n / delta) / math.log(steps / delta)) ** 2 == pytest.approx(1.38, abs=0.01)


@pytest.mark.parametrize("steps", [100, 1000, 100_000])
def test_theorem_a_2_fails_for_a_constant_step(steps: int) -> None:
    """(phi - 1)^2 on [-1, 1] from -1, whose exact linear minimiser is always 1: beta may be as small as one likes."""
    curvature, beta = 2 * 2**2, 0.01
    bound = 2 * curvature / (steps + 2) * (1 + beta)

    def risk(step_sizes: np.ndarray) -> float:
        return float(4 * np.prod(1 - step_sizes) ** 2)

    rounds = np.arange(1, steps)
    constant = risk(np.full(steps - 1, 1 / (steps + 2)))
    assert constant == pytest.approx(4 / math.e**2, rel=0.1)
    assert constant > 3 * bound
    assert risk(2 / (rounds + 2)) < bound


def test_the_databases_of_theorem_3_1_have_w_plus_tau_w_p_records() -> None:
    """k rows give k ||theta||^2 if their columns are orthogonal; the proof sets k = tau w p and then counts w p."""
    signs = np.array([[1, 1], [1, -1]])
    rows = np.kron(np.kron(signs, signs), signs)[:, :5]  # k = 8 rows, p = 5 orthogonal columns
    theta = np.array([0.3, -0.1, 0.2, 0.0, 0.4])
    assert np.sum((rows @ theta) ** 2) == pytest.approx(len(rows) * theta @ theta)
    for m in (1e4, 1e8):
        w, p, tau = m / math.log(m), 1000 * m**2, 0.001
        k = tau * w * p
        assert (w + k) / (w + w * p) == pytest.approx(tau, rel=1e-3)
        assert k > p  # so an entry x_jk of a row with p entries does not exist


def lap_group_first(gap: float, count: int = 2) -> float:
    """P(least of ``count`` Laplace draws plus ``gap`` < least of ``count`` others), scale 1, by quadrature."""
    x = np.linspace(-50, 50, 200_001)

    def survival(at: np.ndarray) -> np.ndarray:
        tail = np.exp(-np.abs(at)) / 2
        return np.where(at < 0, 1 - tail, tail)

    density = count * survival(x - gap) ** (count - 1) * np.exp(-np.abs(x - gap)) / 2
    return float(np.trapezoid(density * survival(x) ** count, x))


def gumbel_group_first(gap: float) -> float:
    """The same for Gumbel noise, for every count."""
    return 1 / (1 + math.exp(gap))


def spent_delta(epsilon: float, uses: int, first: float, second: float) -> float:
    """Hockey-stick divergence of Binomial(uses, first) from Binomial(uses, second), the larger of both directions."""
    count = np.arange(uses + 1)
    one, other = stats.binom.pmf(count, uses, first), stats.binom.pmf(count, uses, second)
    return max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((one, other), (other, one)))


@pytest.mark.parametrize(("first", "most"), [(lap_group_first, 1.24), (gumbel_group_first, 1.03)])
def test_the_scale_of_theorem_2_4_is_not_private_at_epsilon_10(first: Callable[[float], float], most: float) -> None:
    """Losses linear in theta, so that all steps have one gradient; the vertices are two groups of equal scores.

    (Gamma may be any upper bound, so T is free.) The replaced record raises one group by a sensitivity 2 L_1 ||C||_1/n
    and lowers the other by as much: the gap goes from minus to plus one sensitivity. Which groups T - 1 steps chose is
    binomial, and exactly what their choices tell: a lower bound on what the algorithm that publishes its path spends.
    """
    steps, delta = 1000, 1e-6
    for epsilon, factor in ((10.0, most), (1.0, 0.95)):
        shift = 2 * epsilon / math.sqrt(8 * steps * math.log(1 / delta))  # sensitivity over printed scale
        spent = spent_delta(factor * epsilon, steps - 1, first(-shift), first(shift))
        assert (spent > delta) == (epsilon == 10)  # at epsilon = 1 this pair is within the budget


def test_the_chance_of_a_group_is_that_of_noisy_minima() -> None:
    """4e5 draws of both mechanisms: 4 standard errors, a false alarm in 1 of 8000 runs (of other seeds)."""
    rng, draws, gap = np.random.default_rng(5), 400_000, 0.3
    for mechanism, first in ((LaplaceMin(1.0), lap_group_first), (GumbelMin(1.0), gumbel_group_first)):
        noise = mechanism.noise(4 * draws, rng).reshape(draws, 2, 2).min(axis=2)
        expected = first(gap)
        error = math.sqrt(expected * (1 - expected) / draws)
        assert np.mean(noise[:, 0] + gap < noise[:, 1]) == pytest.approx(expected, abs=4 * error)
