"""Batches and jumps: exact laws by code written apart, and points at which weaker bounds are exceeded."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dprepro_last_iterate import batches, bounds, transfer
from dprepro_last_iterate.published import gaussian_delta, gaussian_epsilon

from dprepro.errors import PremiseError

CYCLIC = {"epochs": 8, "batches": 2, "sensitivity": 0.4, "step_size": 0.08, "noise": 0.75, "delta": 1e-8}
ACROSS = {"steps": 20, "sampling_rate": 0.002, "sensitivity": 8, "step_size": 0.2, "noise": 0.8, "delta": 1e-3}


def cyclic_at(**changes: float) -> float:
    return batches.cyclic_convex_loss(**(CYCLIC | {"level": -1.2, "others": -0.9, "bend": 0, "start": 1} | changes))


def test_cyclic_half_lines_have_the_frequencies_of_a_simulation() -> None:
    eta, sigma, epochs, draws = 0.2, 1.0, 3, 100_000
    slopes = transfer.constant(0.8), transfer.affine(-1.0, 2.5), transfer.constant(-0.5)
    law = transfer.cyclic_half_lines((slopes, slopes[::-1]), 0.8, eta, sigma, epochs, 1e-12)
    assert law.steps.tolist() == [9]
    rng = np.random.default_rng(4)
    for seen, order in ((law.first[0], slopes), (law.second[0], slopes[::-1])):
        x = np.full(draws, 0.8)
        for slope in order * epochs:
            x = np.clip(x - eta * (slope.at(x) + sigma * rng.standard_normal(draws)), 0, 1)
        for event, t in ((64, 1.0), (40, 40 / 64), (16, 16 / 64)):
            expected = seen[event]
            # 6 comparisons at 5 standard errors: a false alarm in 290,000
            assert abs(np.mean(x >= t) - expected) < 5 * math.sqrt(expected * (1 - expected) / draws)


@pytest.mark.parametrize("epochs", [1, 2, 3, 7])
def test_one_batch_is_a_full_one_and_an_epoch_of_equal_batches_is_so_many_steps(epochs: int) -> None:
    first, second = transfer.constant(0.3), transfer.affine(0.4, 1.0)
    for r in (1, 3):
        cyclic = transfer.cyclic_half_lines(((first,) * r, (second,) * r), 1.0, 0.2, 1.0, epochs, 1e-13)
        full = transfer.half_lines((((1.0, first),), ((1.0, second),)), 1.0, 0.2, 1.0, [r * epochs], 1e-13)
        assert cyclic.steps == full.steps
        np.testing.assert_allclose(cyclic.first, full.first, rtol=1e-10)
        np.testing.assert_allclose(cyclic.second, full.second, rtol=1e-10)
        assert cyclic.error == pytest.approx(full.error)


def test_exact_laws_of_cyclic_batches_are_below_the_bound_and_above_what_forgets_the_diameter() -> None:
    exact, bound = cyclic_at(), batches.cyclic_convex_bound(**CYCLIC)
    assert 0.65 * bound < exact < bound
    assert exact > 1.3 * batches.free_diameter(**CYCLIC)
    assert cyclic_at(start=0) < exact
    # many epochs: what j uses move counts beside the diameter, in the least over j
    r, eta, s, sigma = 3, 0.08, 0.4, 0.75
    least = min(1 + (1 / (eta * s) + j) ** 2 / (r * j) for j in range(1, 300))
    bound = batches.cyclic_convex_bound(300, r, s, eta, sigma, 1e-5)
    assert bound == pytest.approx(gaussian_epsilon(math.sqrt(least) * s / sigma, 1e-5), rel=1e-9)


def test_quadratics_that_forget_at_once_attain_the_bound_of_one_epoch() -> None:
    told = {"epochs": 1, "batches": 3, "step_size": 0.1, "noise": 0.5, "delta": 1e-5}
    exact = cyclic_at(**told, bend=10, level=-12.5, others=-12.5, start=0.5)
    assert exact == pytest.approx(gaussian_epsilon(0.4 / 0.5, 1e-5), rel=1e-3)
    assert exact < batches.cyclic_convex_bound(**(CYCLIC | told))


def test_exact_laws_of_sampled_batches_are_below_the_bound_and_above_that_of_the_mean_number_of_uses() -> None:
    exact = batches.sampled_convex_loss(**ACROSS, level=-1.2, apart=0, bend=5, start=0)
    bound = batches.sampled_convex_bound(**ACROSS)
    assert 0.5 * bound < exact < bound
    assert exact > 4 * batches.mean_uses(**ACROSS)


@pytest.mark.parametrize("apart", [0.0, -0.5])
def test_one_sampled_step_leaks_what_two_normal_laws_mixed_at_its_rate_do(apart: float) -> None:
    """Against both orders of the hockey stick on a fine grid, over all events: half-lines are a lower value."""
    q, s, eta, sigma, delta = 0.1, 1.0, 0.05, 1.0, 1e-3
    level = -apart / 2
    exact = batches.sampled_convex_loss(1, q, s, eta, sigma, delta, level, apart, 0, 0.5)
    x = np.linspace(-60, 60, 240_001)

    def density(mean: float) -> np.ndarray:
        return np.exp(-((x - mean) ** 2) / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])

    p, other = ((1 - q) * density(level) + q * density(level + apart + more) for more in (0.0, s))
    sticks = [np.maximum(one - math.exp(exact) * two, 0).sum() for one, two in ((p, other), (other, p))]
    if apart == 0:  # half-lines are the worst events
        assert max(sticks) == pytest.approx(delta, rel=0.02)
    else:
        assert max(sticks) >= 0.98 * delta
    told = q * gaussian_delta(exact, s / sigma)
    assert max(sticks) <= told * 1.001


def test_a_gradient_that_jumps_leaks_more_than_the_bound_of_smooth_losses() -> None:
    s, eta, v, lift, width = 0.0032, 1.0, 0.02, 0.7, 0.2
    told = {"sensitivity": s, "step_size": eta, "noise": v, "delta": 1e-5, "lift": lift}
    assert bounds.jump_loss(steps=8193, width=0.22, **told) > 1.3 * bounds.published_epsilon(s, eta, v, 1e-5)
    u = np.linspace(-0.5, 0.5, 1001)
    both = [np.where(abs(u) < width, u, 2 * u + more * s * np.sign(u)) for more in (lift, lift - 1)]
    assert min(np.diff(both[0]).min(), np.diff(both[1]).min()) >= 0  # convex
    assert np.abs(both[0] - both[1]).max() <= s * (1 + 1e-9)
    with pytest.raises(PremiseError, match="jumps upwards"):
        bounds.jump_loss(steps=3, width=0.001, **(told | {"lift": 0.1}))
