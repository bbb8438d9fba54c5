"""What the private choice spends, against the exact law of the best of K runs with finitely many outcomes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from dprepro.algorithms import ConstantPrediction, DataFree, OutputPerturbation, RegularisedOutputPerturbation
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.practice.choice import PrivateChoice, Stopping
from dprepro.privacy import PrivacyLoss
from dprepro.problems import Domain, L2Ball, Problem, Records, RecordsView, SquaredLoss

Law = NDArray[np.float64]
EPSILON = 0.7


def best_of(stopping: Stopping, run: Law) -> Law:
    """The law of the best of K draws from ``run``, whose outcomes ascend: f(F(s)) - f(F(s-))."""
    return np.diff(stopping.generating(np.concatenate([[0.0], np.cumsum(run)])))


def responses(outcomes: int, epsilon: float) -> list[tuple[Law, Law]]:
    """Pairs of laws of a run with log-ratios of +-epsilon: each set of outcomes is likelier under the first."""
    found = []
    for code in range(1, 2**outcomes - 1):
        likely = np.array([(code >> place) & 1 for place in range(outcomes)], dtype=float)
        # masses w with sum w = 1 and sum w e^(+-epsilon) = 1
        a, b = likely.sum(), outcomes - likely.sum()
        share = (1 - math.exp(-epsilon)) / (math.exp(epsilon) - math.exp(-epsilon))
        second = np.where(likely == 1, share / a, (1 - share) / b)
        found.append((second * np.exp(np.where(likely == 1, epsilon, -epsilon)), second))
    return found


@pytest.mark.parametrize("eta", [0, 1])
@pytest.mark.parametrize("expected", [1.5, 12.0, 300.0])
def test_the_best_of_k_runs_spends_at_most_two_or_three_times_what_one_does(eta: int, expected: float) -> None:
    """Exactly, of all randomised responses of five outcomes; a price of one epsilon would be too low."""
    stopping = Stopping(eta, expected)
    losses = []
    for first, second in responses(5, EPSILON):
        assert first.sum() == pytest.approx(1)
        losses.append(np.abs(np.log(best_of(stopping, first) / best_of(stopping, second))).max())
    price = stopping.price(PrivacyLoss(EPSILON, 0.0, "")).epsilon
    assert price == pytest.approx((2 + eta) * EPSILON)
    assert max(losses) <= price * (1 + 1e-12)
    if expected > 10:
        assert max(losses) > 1.3 * EPSILON  # a price of one epsilon is violated


@pytest.mark.parametrize("eta", [0, 1])
def test_the_law_of_the_choice_is_the_sum_over_the_number_of_runs_and_keeps_to_its_price(eta: int) -> None:
    """By another formula: P(best = j) = sum over k of P(K = k) (F_j^k - F_(j-1)^k), term by term, of 4 outcomes."""
    stopping = Stopping(eta, 8.0)
    runs = np.arange(1, 4000, dtype=float)
    weights = (1 - stopping.gamma) ** runs / (1.0 if eta else runs)
    weights /= weights.sum()
    assert weights @ runs == pytest.approx(8.0, rel=1e-9)

    def by_terms(run: Law) -> Law:
        ends = np.concatenate([[0.0], np.cumsum(run)])
        return np.diff((ends[:, None] ** runs) @ weights)

    losses = []
    for first, second in responses(4, EPSILON):
        one, other = by_terms(first), by_terms(second)
        assert one == pytest.approx(best_of(stopping, first), rel=1e-9)
        losses.append(np.abs(np.log(one / other)).max())
    assert EPSILON < max(losses) <= (2 + eta) * EPSILON


@pytest.mark.parametrize("eta", [0, 1])
def test_the_price_is_nearly_attained_by_many_runs(eta: int) -> None:
    """A rare outcome that is likelier, before a rare tail that is less likely; the bulk is better than both."""
    stopping, grown, rare, tail = Stopping(eta, 1e5), math.exp(EPSILON), 1e-6, 1e-2
    first = np.array([1 - rare - tail, rare, tail])
    second = np.array([1 - rare / grown - tail * grown, rare / grown, tail * grown])
    loss = np.log(best_of(stopping, first) / best_of(stopping, second))[1]
    assert 0.99 * (2 + eta) * EPSILON < loss <= (2 + eta) * EPSILON


@pytest.mark.parametrize("eta", [0, 1])
def test_a_run_with_a_delta_is_priced_with_its_delta(eta: int) -> None:
    """Randomised response that tells all with probability delta, the worst (epsilon, delta)-private run."""
    stopping, delta = Stopping(eta, 10.0), 1e-3
    price, unpriced = stopping.price(PrivacyLoss(EPSILON, delta, "")), 0.0
    for pure_first, pure_second in responses(3, EPSILON):
        for order in ([0, 1, 2, 3, 4], [4, 0, 1, 2, 3], [3, 0, 4, 1, 2]):
            first = np.append(np.append((1 - delta) * pure_first, delta), 0.0)[order]
            second = np.append(np.append((1 - delta) * pure_second, 0.0), delta)[order]
            one, other = best_of(stopping, first), best_of(stopping, second)
            for p, q in ((one, other), (other, one)):
                assert np.maximum(p - math.exp(price.epsilon) * q, 0).sum() <= price.delta
                unpriced = max(unpriced, float(np.maximum(p - math.exp(EPSILON) * q, 0).sum()))
    assert unpriced > 5 * delta  # at the run's own epsilon and delta the choice is not private


@pytest.mark.parametrize("eta", [0, 1])
def test_the_number_of_runs_has_the_law_that_is_priced(eta: int) -> None:
    """Mean and generating function at 1/2 of 20,000 draws: 4.5 standard errors, 1 of 10^5 seeds fails."""
    stopping, rng = Stopping(eta, 12.0), np.random.default_rng(1)
    draws = np.array([stopping.draw(rng) for _ in range(20_000)], dtype=float)
    for found, wanted in ((draws, 12.0), (0.5**draws, float(stopping.generating(np.array(0.5))))):
        assert abs(found.mean() - wanted) < 4.5 * found.std() / math.sqrt(draws.size)


@pytest.fixture(scope="module")
def problem() -> Problem:
    rng = np.random.default_rng(0)
    features = np.column_stack([np.ones(4000), rng.uniform(-1, 1, (4000, 2))])
    labels = np.clip(features @ [0.1, 0.6, 0.0] + 0.1 * rng.standard_normal(4000), -1, 1)
    domain = Domain(SquaredLoss(), L2Ball(3, 1.0), 4000, math.sqrt(3), 2)
    return Problem(domain, {"records": RecordsView(domain, Records(features, labels))})


INNER = (ConstantPrediction(), RegularisedOutputPerturbation(constants="exact"), OutputPerturbation())


def test_the_choice_stays_within_its_budget_and_finds_the_better_candidate(problem: Problem) -> None:
    """At epsilon = 20, of choices among seven runs or more, one of which is a regression but with chance 2^-7."""
    choice, rng = PrivateChoice(INNER, Stopping(1, 20.0)), np.random.default_rng(2)
    budget = Budget(20.0, 1e-6, Neighbours.REPLACE_ONE)
    answers = [choice.solve(problem, budget, rng) for _ in range(10)]
    assert choice.candidates(problem.domain, budget) == [0, 1]  # output perturbation needs strong convexity
    privacy_loss = answers[0].privacy_loss
    assert privacy_loss is not None
    assert privacy_loss.epsilon <= 20 * (1 + 1e-6)
    assert privacy_loss.delta <= 1e-6 * (1 + 1e-6)
    several = [answer for answer in answers if answer.diagnostics["runs"] > 6]
    assert len(several) >= 5
    assert {one.diagnostics["chosen"] for one in several} == {1.0}


def test_a_choice_that_is_priced_as_one_run_spends_more_than_its_budget(problem: Problem) -> None:
    privacy_loss = PrivateChoice(INNER, price=1.0).privacy_loss(
        problem.domain, Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
    )
    assert privacy_loss is not None
    assert privacy_loss.epsilon == pytest.approx(3.0, rel=1e-5)


def test_a_candidate_that_promises_nothing_or_too_few_of_them_are_no_choice(problem: Problem) -> None:
    with pytest.raises(InputError, match="two candidates or more"):
        PrivateChoice((DataFree(),))
    with pytest.raises(InputError, match="mean number of runs"):
        Stopping(expected=1.0)
    with pytest.raises(InputError, match=r"needs two candidates that run at epsilon=0\.333"):
        PrivateChoice((OutputPerturbation(), ConstantPrediction())).admit(
            problem.domain, Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
        )
