"""Slips of print in Talwar, Thakurta and Zhang (2015), each computed from the printed formula and from what holds."""

from __future__ import annotations

import math

import numpy as np
import pytest


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
