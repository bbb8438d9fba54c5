"""The two sides of the lemmas of kst, lasso and glm, against draws and quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from dprepro.bounds import evaluate


def test_the_kernels_first_moment_is_that_of_its_density_in_one_and_in_two_dimensions():
    for p, cosine in ((1, 1.0), (2, 2 / math.pi)):  # E |cos| of a uniform angle

        def density(r: float, p: int = p) -> float:
            return r ** (p - 1) * math.exp(-1 / (1 - r**4)) if r < 1 else 0.0

        mean = quad(lambda r, density=density: r * density(r), 0, 1)[0] / quad(density, 0, 1)[0]
        found = evaluate("kst_lemmas.claim_19_gap", {"p": p, "index": 4.0})
        assert found == pytest.approx(p * cosine * mean / 2, rel=1e-4)


def test_the_mollified_fourth_power_is_its_mean_over_the_kernel():
    index, place = 3.0, 3.0

    def density(y: float) -> float:
        square = (index * y * y) ** 2
        return math.exp(-1 / (1 - square)) if square < 1 else 0.0

    edge = index**-0.5
    mean = quad(lambda y: (place + y) ** 4 * density(y), -edge, edge)[0] / quad(density, -edge, edge)[0]
    found = evaluate("kst_lemmas.claim_19_everywhere", {"index": index})
    assert found == pytest.approx(mean - place**4, rel=1e-4)


def test_failures_of_gaussian_maps_agree_with_draws():
    rng, rows, cosine, draws = np.random.default_rng(3), 24, 0.5, 40000
    a, b = rng.standard_normal((2, draws, rows))
    products = (a * (cosine * a + math.sqrt(1 - cosine**2) * b)).mean(axis=1)
    share = float((np.abs(products - cosine) > 1.0).mean())
    found = evaluate("glm_lemmas.jl_failure", {"cosine": cosine, "precision": 1.0, "level": 3.0})
    assert abs(share - found) < 4 * math.sqrt(found / draws) + 1e-12  # 6e-5 of false alarms


def test_regrets_of_gumbel_choices_agree_with_draws():
    rng, draws = np.random.default_rng(4), 20000
    vertices, steps, level = 5, 4, 1.0
    regret = math.log(vertices * steps) + level
    scores = np.append(0.0, np.full(vertices - 1, regret))
    noisy = scores + np.log(rng.standard_exponential((draws, steps - 1, vertices)))
    share = float((noisy.argmin(axis=2) > 0).any(axis=1).mean())
    found = evaluate("lasso_lemmas.gumbel_regret", {"vertices": vertices, "steps": steps, "level": level})
    assert abs(share - found) < 4 * math.sqrt(found / draws)  # 6e-5 of false alarms


def test_the_stability_of_descent_is_that_of_runs_on_neighbouring_samples():
    rng, n, decay, steps = np.random.default_rng(5), 10, 0.1, 20

    def average(y):
        w, total = 0.0, 0.0
        for _ in range(steps):
            total += w
            w -= decay * (w - y.mean())
        return total / steps

    squares = []
    for _ in range(4000):
        y = rng.choice([-1.0, 1.0], n)
        other = np.append(y[:-1], rng.choice([-1.0, 1.0]))
        squares.append((n * (average(y) - average(other))) ** 2)
    found = evaluate("glm_lemmas.descent_stability", {"decay": decay, "steps": steps})
    assert abs(np.mean(squares) - found) < 4 * np.std(squares) / math.sqrt(4000)  # 6e-5 of false alarms
