"""The explicit bounds of Arora et al. (2022) against their derivations, step by step, on losses where all is known."""

import math

import numpy as np
import pytest

from dprepro import bounds

SQUARED = {"smoothness": 2.0, "radius": 1.0, "label_level": 1.0}


def test_theorem_1_holds_for_the_exact_law_of_one_coordinate_and_by_how_much():
    """Records x = 1, labels +-1 of mean 1: the sample is the population, and the averaged iterate is known.

    The risk is (1 - (1 - e^-x)/x)^2 of the worst mass; the bound is 3.81 sqrt(H) B Y/sqrt(n) there, 19 times 0.2036.
    """
    n = 1e8
    eta = 1 / (math.sqrt(2) * math.sqrt(n))
    numbers = SQUARED | {"p": 1.0, "steps": n, "noise_scale": 0.0, "step_size": eta}
    mass = np.geomspace(1e-8, 1, 2000)
    x = 2 * mass * eta * n
    worst = float((mass * (-np.expm1(-x) / x) ** 2).max())
    rate = math.sqrt(2) / math.sqrt(n)
    bound = bounds.evaluate("glm.theorem_1", numbers)
    assert worst == pytest.approx(0.2036 * rate, rel=1e-3)
    assert bound == pytest.approx((1.5 + 4 / math.sqrt(3)) * rate, rel=1e-3)
    assert worst < bound


def test_averaged_iterates_are_as_stable_as_the_derivation_says():
    """Two runs of gradient descent that differ in one record, against eta^2/n^2 (8/3) H T^2 M summed over records."""
    rng = np.random.default_rng(0)
    n, p = 40, 3
    eta = 0.05
    x = rng.standard_normal((n, p))
    x /= np.linalg.norm(x, axis=1)[:, None]
    y = rng.choice([-1.0, 1.0], n)

    def run(x, y):
        w, total, losses = np.zeros(p), np.zeros(p), 0.0
        for _ in range(n):
            total += w
            losses += float(np.mean((x @ w - y) ** 2))
            w = w - eta * 2 * x.T @ (x @ w - y) / n
            w /= max(1.0, float(np.linalg.norm(w)))
        return total / n, losses / n

    average, level = run(x, y)
    apart, other_levels = [], []
    for i in range(n):
        changed, label = x.copy(), y.copy()
        changed[i], label[i] = -changed[i], rng.choice([-1.0, 1.0])
        other, other_level = run(changed, label)
        apart.append(float(np.sum((average - other) ** 2)))
        other_levels.append(other_level)
    mean_loss = max(level, float(np.mean(other_levels)))
    assert np.mean(apart) <= 8 / 3 * 2 * eta**2 * mean_loss


def test_theorem_1_refuses_a_step_beyond_its_derivation():
    numbers = SQUARED | {"p": 1.0, "steps": 10.0, "noise_scale": 0.0, "step_size": 0.5}
    with pytest.raises(ValueError, match="H eta"):
        bounds.evaluate("glm.theorem_1", numbers)


@pytest.mark.parametrize(
    ("name", "bias", "noise", "share"),
    [("smooth", 1 / 8, 1.0, 0.917), ("lipschitz", 1 / 4, math.sqrt(2 / math.pi), 0.881)],
)
def test_output_perturbation_has_little_room_between_bound_and_worst_case(name, bias, noise, share):
    """lambda and sigma of Theorems 3 and 5 at large n: the worst bias is lambda B^2/8 (squared) or /4 (absolute)."""
    n, epsilon, logarithm = 1e12, 1e-5, math.log(1e8)
    signal = n * epsilon
    if name == "smooth":
        lipschitz = 2 * math.sqrt(2) + 4
        weight = (math.sqrt(2) * lipschitz / signal) ** (2 / 3) * logarithm ** (1 / 3)
        sigma = math.sqrt(8 * logarithm) * lipschitz / (weight * signal)
        risk = bias * weight + sigma**2
        numbers = SQUARED
    else:
        weight = logarithm**0.25 / math.sqrt(signal)
        sigma = 2 * math.sqrt(logarithm) / (weight * signal)
        risk = bias * weight + noise * sigma
        numbers = {"radius": 1.0, "lipschitz": 1.0}
    numbers = numbers | {"n": n, "weight": weight, "noise_scale": sigma}
    bound = bounds.evaluate(f"glm.output_perturbation_{name}", numbers)
    assert risk / bound == pytest.approx(share, abs=0.005)


def test_the_error_of_a_gaussian_map_is_that_of_theorem_2():
    """E (<Phi x, Phi w> - <x, w>)^2 = (|x|^2 |w|^2 + <x, w>^2)/k, judged in standard errors of its sample."""
    rng = np.random.default_rng(1)
    k, draws = 20, 4000
    x, w = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    phi = rng.standard_normal((draws, k, 2)) / math.sqrt(k)
    squares = (np.einsum("dki,i,dkj,j->d", phi, x, phi, w) - x @ w) ** 2
    assert abs(squares.mean() - (1 + 0.36) / k) < 4 * squares.std() / math.sqrt(draws)
