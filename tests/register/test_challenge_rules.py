"""The rule of a challenge: how often luck is accepted, at what size, and what all attempts together may be wrong."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dprepro.register import challenge_rules
from dprepro.register.challenge_rules import BATCHES, LEVEL, PILOT, Decision, Estimate, judged, level_of, planned

SINGLE = 256
"""Draws behind each mean of a batch."""


def measured(rng: np.random.Generator, constant: float, draw: Callable[..., np.ndarray]) -> Estimate:
    return Estimate.of(constant * draw(rng, (BATCHES, SINGLE)).mean(axis=1))


LAWS: dict[str, Callable[..., np.ndarray]] = {
    "exponential": lambda rng, size: rng.exponential(size=size),
    "skewed": lambda rng, size: rng.exponential(size=size) ** 2 / 2,
    "normal": lambda rng, size: 1 + 0.3 * rng.standard_normal(size),
}


@pytest.mark.parametrize("less", [False, True])
@pytest.mark.parametrize("law", LAWS)
def test_luck_is_accepted_no_more_often_than_the_level_says(law: str, less: bool) -> None:
    rng, level, trials = np.random.default_rng(1), 0.05, 1500
    pairs = [[measured(rng, 1.0, LAWS[law]) for _ in range(2)] for _ in range(trials)]
    lucky = sum(judged([one], record, level, less=less).accepted for one, record in pairs)
    # four standard errors: one false alarm in 30,000; and a test that never accepts would be no test
    assert abs(lucky / trials - level) < 4 * math.sqrt(level * (1 - level) / trials) + 0.005


def test_a_submission_with_lucky_draws_of_its_own_is_rejected_at_the_rate_that_is_said() -> None:
    """The submitter takes the best of 200 seeds, and claims what they gave; fresh seeds know nothing of these."""
    rng, trials, level = np.random.default_rng(2), 400, level_of(0)
    accepted = named = 0
    for _ in range(trials):
        record = measured(rng, 1.0, LAWS["exponential"])
        claimed = float(rng.exponential(size=(200, 32)).mean(axis=1).max())
        found = judged([measured(rng, 1.0, LAWS["exponential"])], record, level, claimed)
        accepted += found.accepted
        named += found.reason.startswith("lucky seed")
    # Poisson with mean 2.4: above 10 once in 10,000
    assert accepted <= 10
    assert named > 0.9 * trials


def test_all_attempts_together_share_one_level() -> None:
    levels = [level_of(attempts) for attempts in range(200_000)]
    assert levels[0] == pytest.approx(6 * LEVEL / math.pi**2)
    assert LEVEL * 0.9999 < sum(levels) < LEVEL
    assert levels == sorted(levels, reverse=True)


def test_a_planned_size_notices_what_the_pilot_shows() -> None:
    rng, record, level, noticed = np.random.default_rng(3), Estimate(1.0, 0.001), level_of(0), 0
    for _ in range(200):
        pilot = Estimate.of(1.05 * rng.exponential(size=(BATCHES, PILOT)).mean(axis=1))
        truth = Estimate(1.05, pilot.error)  # the size for the true gap
        draws = planned(truth, record, level, 10**6)
        found = Estimate.of(1.05 * rng.exponential(size=(BATCHES, draws // BATCHES)).mean(axis=1))
        noticed += judged([found], record, level).accepted
    assert noticed > 0.8 * 200


def test_a_size_is_bounded_and_a_multiple_of_the_batches() -> None:
    pilot = Estimate(1.0, 0.1)
    for record in (None, Estimate(1.0), Estimate(1.01), Estimate(5.0)):
        draws = planned(pilot, record, 0.01, 10_000)
        assert draws % BATCHES == 0
        assert BATCHES <= draws <= 10_000
    assert planned(pilot, Estimate(1.0), 0.01, 10**9) <= challenge_rules.MOST_DRAWS
    assert planned(Estimate(1.0), None, 0.01, 10**9) == PILOT * BATCHES
    assert planned(Estimate(1.0), None, 0.01, 10**9, less=True) == challenge_rules.LEAST_FROM_ABOVE


def test_a_schedule_must_lose_less_on_every_data_set_known() -> None:
    record, low, high = Estimate(1.0, 0.001), Estimate(0.5, 0.001), Estimate(1.2, 0.001)
    assert judged([low], record, 0.01, less=True).accepted
    assert not judged([low, high], record, 0.01, less=True).accepted


@pytest.mark.parametrize(
    ("found", "claimed", "said"),
    [
        (Estimate(1.001, 0.01), 0.0, "not better by its error"),
        (Estimate(0.5, 0.01), 0.0, "not better: "),
        (Estimate(0.5, 0.01), 1.4, "lucky seed: 1.4 was claimed"),
        (Estimate(1.0), 0.0, "not better: "),
        (Estimate(0.999, 0.01), 0.0, "not better: "),
    ],
)
def test_a_rejection_says_why(found: Estimate, claimed: float, said: str) -> None:
    decision = judged([found], Estimate(1.0), 0.001, claimed)
    assert not decision.accepted
    assert decision.reason.startswith(said)


def test_constants_without_error_are_compared_as_they_are() -> None:
    assert judged([Estimate(1 + 1e-6)], Estimate(1.0), 1e-9) == Decision(
        True, "better than the record: 1 +- 0 on fresh seeds; the record is 1 +- 0"
    )
    assert not judged([Estimate(1 + 1e-12)], Estimate(1.0), 1e-9).accepted


def test_limits_hold_the_truth_as_often_as_they_say() -> None:
    rng, level, trials = np.random.default_rng(5), 0.05, 1500
    found = [measured(rng, 1.0, LAWS["exponential"]) for _ in range(trials)]
    for upper in (False, True):
        wrong = sum((one.limit(level, upper) < 1) if upper else (one.limit(level) > 1) for one in found)
        assert wrong / trials < level + 4 * math.sqrt(level * (1 - level) / trials) + 0.01


def test_a_first_witness_must_show_a_constant_above_zero() -> None:
    assert judged([Estimate(0.0)], None, 0.01).reason.startswith("it shows no constant")
    assert not judged([Estimate(0.1, 0.1)], None, 0.01).accepted
    assert judged([Estimate(0.1, 0.01)], None, 0.01).accepted
