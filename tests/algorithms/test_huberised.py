"""Losses with kinks, rounded: the map of the records, and what rounding costs. No test has a false alarm by chance."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.small_problems import random_problem

from dprepro.algorithms import Huberised, LeastRegulariser, ObjectivePerturbation, RegularisedOutputPerturbation
from dprepro.algorithms.huberised_objective_perturbation import huber_slope
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import AbsoluteLoss, HingeLoss, L2Ball, Loss, MarginLoss, PositivePartLoss, Problem
from dprepro.problems.losses import HuberisedPartLoss

BUDGET = Budget(0.5, 1e-6, Neighbours.REPLACE_ONE)
KINKS = [AbsoluteLoss(), HingeLoss(), PositivePartLoss()]


def rounded(loss: MarginLoss, z: np.ndarray, y: np.ndarray, h: float) -> np.ndarray:
    """f^ of equation (9), branch by branch; an absolute value is two positive parts less h/2."""

    def part(u: np.ndarray) -> np.ndarray:
        return np.where(u < -h, 0.0, np.where(u > h, u, u**2 / (4 * h) + u / 2 + h / 4))

    if isinstance(loss, AbsoluteLoss):
        return part(z - y) + part(y - z) - h / 2
    return part(1 - y * z) if isinstance(loss, HingeLoss) else part(y - z)


def seen(loss: Loss, h: float, problem: Problem) -> Problem:
    """What the inner algorithm is run on."""
    found: list[Problem] = []

    class Spy(ObjectivePerturbation):
        def solve(self, problem, budget, rng):  # type: ignore[no-untyped-def]
            found.append(problem)
            return super().solve(problem, budget, rng)

    Huberised(Spy(), h).solve(problem, BUDGET, np.random.default_rng(0))
    return found[0]


@pytest.mark.parametrize("h", [0.02, 0.7])
@pytest.mark.parametrize("loss", KINKS, ids=lambda loss: type(loss).__name__)
def test_the_inner_risk_is_that_of_the_rounded_loss_over_the_width(loss: MarginLoss, h: float) -> None:
    problem = random_problem(loss, L2Ball(3), n=40)
    inner, records, rng = seen(loss, h, problem), problem.records.records, np.random.default_rng(3)
    for theta in rng.uniform(-0.5, 0.5, (20, 3)):
        printed = records.weights @ rounded(loss, records.features @ theta, records.targets, h)
        assert h * inner.records.value(theta) == pytest.approx(printed, rel=1e-12)
        above = printed - problem.records.value(theta)
        assert (-h / 2 if isinstance(loss, AbsoluteLoss) else 0) - 1e-12 <= above <= h / 4 + 1e-12
    assert inner.domain.smoothness == pytest.approx(inner.domain.loss.smoothness / h**2)


def test_the_slope_of_the_rounded_part_is_that_of_equation_9() -> None:
    z = np.linspace(-3, 3, 601)
    np.testing.assert_allclose(HuberisedPartLoss().derivative(z, 0.0), -huber_slope(-z, 1.0), atol=1e-15)


@pytest.mark.parametrize("loss", KINKS, ids=lambda loss: type(loss).__name__)
def test_with_hardly_any_noise_the_answer_loses_half_the_width_at_most(loss: MarginLoss) -> None:
    problem, free = random_problem(loss, L2Ball(3), n=40), Budget(1e9, 1e-6, Neighbours.REPLACE_ONE)
    for h in (0.02, 0.3):
        inner = ObjectivePerturbation(constants="exact", regulariser=LeastRegulariser())
        theta = Huberised(inner, h).solve(problem, free, np.random.default_rng(1)).theta
        assert problem.excess_risk(theta) <= h / 2 + 1e-3


def test_the_rule_reads_public_numbers_and_stops_where_the_loss_is_quadratic() -> None:
    small, large = (random_problem(AbsoluteLoss(), L2Ball(3), n=n).domain for n in (4, 400))
    assert Huberised().at(small, Budget(0.1, 1e-6, Neighbours.REPLACE_ONE)) == 2.0
    assert Huberised().at(large, BUDGET) == pytest.approx(0.1)
    assert Huberised(width=0.3).at(small, BUDGET) == 0.3


def test_a_width_below_zero_and_an_inner_algorithm_that_does_not_run_are_refused() -> None:
    with pytest.raises(InputError, match=r"width must be positive, or 0 for the rule, got width=-1"):
        Huberised(width=-1.0)
    pure = Budget(0.5, 0.0, Neighbours.REPLACE_ONE)
    domain = random_problem(AbsoluteLoss(), L2Ball(3)).domain
    said = Huberised(RegularisedOutputPerturbation()).refusal(domain, pure)
    assert said.startswith("Huberised needs an inner algorithm that runs: RegularisedOutputPerturbation needs a finite")
