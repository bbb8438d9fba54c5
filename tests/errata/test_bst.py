"""Slips of print in Bassily, Smith and Thakurta (2014), each computed from the printed formula and from what holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from dprepro.algorithms import NoisySGD
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import OneWayMarginals


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_arithmetic_of_theorem_2_1_exceeds_epsilon_though_the_theorem_holds(epsilon: float) -> None:
    """n^2 steps of epsilon/(n sqrt(log 1/delta)) each, composed by Lemma 2.3: sqrt(2) epsilon and more."""
    n, delta = 100, 1e-6
    step, steps = epsilon / (n * math.sqrt(math.log(1 / delta))), n**2
    composed = math.sqrt(2 * steps * math.log(1 / delta)) * step + steps * step * math.expm1(step)
    assert composed > 1.41 * epsilon
    constants = OneWayMarginals().constants({"n": n, "p": 4})
    assert NoisySGD().spent(constants, Budget(epsilon, delta, Neighbours.REPLACE_ONE)).epsilon < epsilon


def test_zeta_of_algorithm_4_is_not_below_1() -> None:
    assert 3 * math.log(2) > 1


def test_the_gamma_tail_of_lemma_4_2_fails_for_zeta_below_1() -> None:
    """Pr(||b|| > zeta p) <= e^(-zeta) for a gamma law of shape p: an equality at p = 1."""

    def excess(zeta: float, p: int) -> float:
        return float(stats.gamma.sf(zeta * p, p)) / math.exp(-zeta)

    assert excess(0.5, 1) == pytest.approx(1)
    assert excess(0.5, 2) > 1.2
    assert excess(0.9, 20) > 1.5
    sizes = [1, 2, 3, 10, 100, 1000]
    assert all(excess(3 * math.log(n), p) <= 1 + 1e-12 for n in (2, 3, 10, 1e6) for p in sizes)


def huberised(z: float, h: float) -> float:
    """Appendix A's f-hat."""
    return max(z, 0.0) if abs(z) > h else z**2 / (4 * h) + z / 2 + h / 4


@pytest.mark.parametrize("h", [0.5, 0.01])
def test_the_huberised_hinge_is_once_and_not_twice_differentiable(h: float) -> None:
    step = 1e-3 * h
    for end, slope in ((-h, 0.0), (h, 1.0)):
        inside, outside = (end + step, end - step) if end < 0 else (end - step, end + step)
        assert huberised(inside, h) == pytest.approx(huberised(outside, h), abs=3 * step)
        assert (huberised(end, h) - huberised(inside, h)) / (end - inside) == pytest.approx(slope, abs=1e-3)
        # Three points on one side of the end give the second derivative there, exactly, for a parabola and a line.
        into = [huberised(end + k * (inside - end), h) for k in range(1, 4)]
        out = [huberised(end + k * (outside - end), h) for k in range(1, 4)]
        assert (into[0] - 2 * into[1] + into[2]) / step**2 == pytest.approx(1 / (2 * h), rel=1e-3)
        assert (out[0] - 2 * out[1] + out[2]) / step**2 == pytest.approx(0, abs=1e-3 / h)


def risk(theta: float, *kinds: tuple[float, float, float]) -> float:
    """Mean hinge (y - x theta)^+ over kinds (share, x, y)."""
    return sum(share * max(y - x * theta, 0.0) for share, x, y in kinds)


def test_the_first_data_set_of_appendix_a_does_not_have_its_minimiser_at_1() -> None:
    printed = ((1 / 3, -1.0, 1.0), (2 / 3, 1.0, -1.0))
    meant = ((1 / 3, 1.0, 1.0), (2 / 3, -1.0, -1.0))
    corners = (-2.0, -1.0, 1.0, 2.0)  # a piecewise linear function has its minimum at one of them
    assert min(corners, key=lambda theta: risk(theta, *printed)) == -1
    assert risk(1.0, *printed) == pytest.approx(2 / 3)
    assert min(corners, key=lambda theta: risk(theta, *meant)) == 1


@pytest.mark.parametrize("h", [0.9, 0.1])
def test_the_smoothed_minimiser_is_at_1_minus_a_third_of_h_with_curvature_n_over_2h(h: float) -> None:
    def smoothed(theta: float) -> float:
        return huberised(1 - theta, h) / 3 + 2 * huberised(theta - 1, h) / 3

    found = optimize.minimize_scalar(smoothed, bounds=(-2, 2), method="bounded", options={"xatol": 1e-10}).x
    assert found == pytest.approx(1 - h / 3, abs=1e-6)
    step = h / 10
    curvature = (smoothed(found + step) - 2 * smoothed(found) + smoothed(found - step)) / step**2
    assert curvature == pytest.approx(1 / (2 * h), rel=1e-6)  # of the mean; n times it for the sum
    assert all(abs(curvature * h / printed - 1) > 0.4 for printed in (1 / 3, 1 / 6))


def test_the_radius_in_the_proof_of_theorem_b_2_lacks_the_root_of_p() -> None:
    """sigma_0^2 = 4 L^2 log(1/delta)/(Delta epsilon n)^2 at (epsilon/2, delta/2)."""
    p, epsilon, delta, n = 49, 0.3, 1e-6, 1e4
    sigma = 2 * math.sqrt(math.log(2 / delta)) / (epsilon / 2 * n)
    printed = 4 * math.sqrt(math.log(2 / delta)) / (epsilon * n)
    assert sigma * math.sqrt(p) == pytest.approx(math.sqrt(p) * printed)
    norms = np.linalg.norm(np.random.default_rng(0).normal(0, sigma, (200, p)), axis=1)
    assert norms.min() > 4 * printed  # a typical noise, 7 times the printed radius at zeta = 1


@pytest.mark.parametrize(("regulariser", "private"), [(8, False), (2, True)])
def test_equation_9_needs_four_times_the_printed_regulariser_beside_a_silent_record(
    regulariser: int, private: bool
) -> None:
    """theta^2/(8 epsilon h) against theta^2/(2 epsilon h), n = 1: the record (1, y) against (0, 0), which says nothing.

    theta = alpha inside [-2, 2] needs b = -(2 alpha/(regulariser epsilon h) - f-hat'(y - alpha)), of slope 1/(2h) where
    the hinge is smoothed; the ends of [-2, 2] have atoms. Computed exactly at delta = 1e-6; pairs of data sets can
    disprove privacy only.
    """
    epsilon, delta, h = 0.5, 1e-6, 0.05
    ridge, scale = 2 / (regulariser * epsilon * h), math.sqrt(8 * math.log(1 / delta)) / epsilon
    alpha = np.linspace(-2, 2, 400_001)

    def excess(p: tuple[np.ndarray, float, float], q: tuple[np.ndarray, float, float]) -> float:
        inside = np.trapezoid(np.maximum(p[0] - math.exp(epsilon) * q[0], 0), alpha)
        return float(inside + sum(max(p[i] - math.exp(epsilon) * q[i], 0) for i in (1, 2)))

    def law(slope: np.ndarray, curve: np.ndarray) -> tuple[np.ndarray, float, float]:
        noise = ridge * alpha + slope  # -b
        ends = float(stats.norm.cdf(noise[0], scale=scale)), float(stats.norm.sf(noise[-1], scale=scale))
        density = stats.norm.pdf(noise, scale=scale) * (ridge + curve)
        assert np.trapezoid(density, alpha) + sum(ends) == pytest.approx(1, abs=1e-4)
        return density, *ends

    silent = law(np.zeros_like(alpha), np.zeros_like(alpha))
    spent = []
    for y in (-1.0, -0.5, 0.0, 0.5, 1.0):
        z = y - alpha
        speaks = law(-np.clip(z / (2 * h) + 0.5, 0, 1), (np.abs(z) < h) / (2 * h))
        spent += [excess(speaks, silent), excess(silent, speaks)]
    assert (max(spent) <= delta) == private
    if not private:
        assert max(spent) > 1000 * delta
