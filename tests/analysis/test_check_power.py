"""The smallest errors that checks notice, from measurements whose answer is known."""

from __future__ import annotations

import pytest
from helpers.analysis_frames import decades, make_frame

from dprepro.analysis.check_power import CheckPower, power
from dprepro.analysis.checks import build

POINTS = decades("n", 3, 8, 11)


def rate_frame(replicates: int = 3):  # type: ignore[no-untyped-def]
    """Values 3 n^-1, with bound 4 n^-1 and rate n^-1, scattered by a tenth of a percent."""
    return make_frame(
        POINTS, lambda at: 3 / at["n"], noise=0.001, replicates=replicates, bound=lambda at: 4 / at["n"],
        rate=lambda at: 1 / at["n"],
    )  # fmt: skip


def of(**check: object) -> CheckPower:
    return power(build("check", {"role": "claim", "series": "hard", **check}), rate_frame(), -0.5)


def test_an_exponent_notices_powers_beyond_its_margin_and_no_factor() -> None:
    found = of(rule="exponent", axis="n", expected=-1, margin=0.03)
    assert (found.steeper, found.flatter, found.axis) == (0.05, 0.05, "n") or (found.steeper, found.flatter) == (
        0.03, 0.03,
    )  # fmt: skip
    assert found.above is None
    assert found.below is None


def test_a_bound_notices_a_factor_above_its_room_and_none_below() -> None:
    found = of(rule="below", expected=1)
    assert found.above == 1.5, "4/3 is the room"
    assert found.below is None


def test_a_constant_notices_factors_on_both_sides_and_they_become_epsilons() -> None:
    found = of(rule="ratio", divide="rate", expected=3, margin=0.3)
    assert found.above == 1.1
    assert found.below == pytest.approx(1 / 1.15)
    assert found.epsilon == pytest.approx(1.15**2)


def test_a_check_with_a_point_to_spare_says_so_and_one_without_names_what_it_needs() -> None:
    assert of(rule="exponent", axis="n", expected=-1).spare is True
    found = of(rule="exponent", axis="n", expected=-1, minimum_span=5)
    assert found.spare is False
    assert found.needed == (1e3, 1e8)
    assert of(rule="below", expected=1).spare is None


def test_a_spent_epsilon_is_its_own_error() -> None:
    frame = make_frame(POINTS, lambda at: 0.9, quantity="certified_epsilon", bound=lambda at: 1.0)
    rule = build(
        "budget", {"role": "claim", "rule": "below", "series": "hard", "quantity": "certified_epsilon", "expected": 1}
    )
    assert power(rule, frame).epsilon == 1.15


def test_nothing_of_what_is_compared_with_is_changed() -> None:
    both = [rate_frame(), rate_frame().assign(series="other")]
    import pandas as pd

    check = {"role": "claim", "rule": "ratio", "series": "hard", "against": "other", "expected": 1, "margin": 0.1}
    found = power(build("agree", check), pd.concat(both, ignore_index=True))
    assert found.above == 1.1
