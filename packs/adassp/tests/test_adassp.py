"""AdaSSP by what its pseudocode and its bounds promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dprepro_adassp import bounds
from dprepro_adassp.algorithm import AdaSSP
from dprepro_adassp.design import Spectrum

from dprepro.budget import Budget, Neighbours
from dprepro.errors import PremiseError

BUDGET = Budget(1.0, 1e-6, Neighbours.ADD_OR_REMOVE_ONE)
POINT = {"n": 1e6, "p": 20, "norm": 1.0}


def test_noise_shift_and_threshold_are_the_printed_ones() -> None:
    schedule = AdaSSP().schedule(Spectrum().domain(POINT), BUDGET)
    t = 3 * math.sqrt(math.log(6e6))
    assert math.isclose(schedule.noise_scale, t)
    assert math.isclose(schedule.label_noise, t)
    assert math.isclose(schedule.shift, 3 * math.log(6e6))
    assert math.isclose(schedule.threshold, 3 * math.sqrt(20 * math.log(6e6) * math.log(2 * 400 / 0.05)))


@pytest.mark.parametrize("kind", ["even", "spiked"])
def test_the_ridge_is_gone_where_the_spectrum_is_far_above_the_threshold_and_whole_where_it_is_zero(kind: str) -> None:
    design = Spectrum(kind=kind)  # type: ignore[arg-type]
    noise = AdaSSP().schedule(design.domain(POINT), BUDGET).noise_scale
    solution = AdaSSP().solve(design.build(POINT, noise), BUDGET, np.random.default_rng(0))
    assert solution.diagnostics["ridge_share"] == pytest.approx(0.0 if kind == "even" else 1.0, abs=0.05)


def test_the_risk_on_an_even_spectrum_is_that_of_the_two_noises() -> None:
    problem = Spectrum().build(POINT, 0.0)
    rng, draws = np.random.default_rng(1), 400
    risks = [problem.dense.excess(AdaSSP().solve(problem, BUDGET, rng).theta) for _ in range(draws)]
    # to first order in the noise; the next is of relative size p (p sigma/n)^2 = 1e-6
    expected = 2 * 9 * math.log(6e6) * (20 / 1e6) ** 2
    assert abs(np.mean(risks) - expected) < 4 * np.std(risks) / math.sqrt(draws)


def test_exact_constants_spend_the_budget_and_printed_ones_less_whatever_the_neighbours() -> None:
    for neighbours in Neighbours:
        budget = Budget(1.0, 1e-6, neighbours)
        domain = Spectrum().domain(POINT)
        exact, printed = (AdaSSP(constants=text).privacy_loss(domain, budget) for text in ("exact", "printed"))  # type: ignore[arg-type]
        assert exact is not None
        assert printed is not None
        assert exact.epsilon == pytest.approx(1.0, rel=1e-4)
        assert printed.epsilon < 1
        if neighbours is Neighbours.ADD_OR_REMOVE_ONE:
            assert printed.epsilon == pytest.approx(bounds.all_releases(1.0, 1e-6), rel=1e-6)


def test_the_bound_of_the_data_is_never_above_that_of_any_data() -> None:
    for kind in ("even", "harmonic", "geometric"):
        domain = Spectrum(kind=kind).domain(POINT | {"p": 200})  # type: ignore[arg-type]
        schedule = AdaSSP().schedule(domain, BUDGET)
        numbers = (
            3.0,
            domain.n,
            200,
            schedule.noise_scale,
            schedule.label_noise,
            schedule.shift,
            schedule.threshold,
            1,
        )
        own = bounds.per_instance(*numbers, domain.least_eigenvalue, domain.inverse_trace)
        assert 0 < own <= bounds.any_data(*numbers) < math.inf


def test_a_spike_of_more_records_than_there_are_is_outside_the_premise() -> None:
    with pytest.raises(PremiseError, match="exceeds n"):
        Spectrum(kind="spiked").build(POINT | {"n": 100}, 10.0)
