"""The rules `below`, `ratio` and `affine`, and the local slopes of figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import decades, make_frame

from dprepro.analysis.comparisons import Affine, Ratio
from dprepro.analysis.inequality import Below, half_widths
from dprepro.analysis.rule import CheckResult
from dprepro.errors import InputError

GRID = decades("n", 3, 6, 6)


def rate(at: dict[str, float]) -> float:
    return float(at["n"] ** -0.5)


def below(frame: pd.DataFrame, **fields: Any) -> CheckResult:
    return Below(**{"role": "claim", **fields}).judge(frame)


def ratio(frame: pd.DataFrame, **fields: Any) -> CheckResult:
    return Ratio(**{"role": "claim", "series": "hard", **fields}).judge(frame)


def test_a_bound_that_holds_is_confirmed_and_one_that_is_broken_at_one_point_refuted() -> None:
    frame = make_frame(GRID, rate, noise=0.05, bound=lambda at: 2 * rate(at))
    assert below(frame).verdict == "confirmed"
    broken = make_frame(GRID, rate, noise=0.05, bound=lambda at: rate(at) * (0.5 if at["n"] > 5e5 else 2.0))
    result = below(broken)
    assert result.verdict == "refuted"
    assert "n=1e6" in result.reason
    assert result.estimate == pytest.approx(2, rel=0.1)


def test_a_lower_bound_is_judged_the_other_way_round() -> None:
    frame = make_frame(GRID, rate, noise=0.05, bound=lambda at: rate(at) * (1.5 if at["n"] > 5e5 else 0.5))
    result = below(frame, side="at_least")
    assert result.verdict == "refuted"
    assert "n=1e6 the upper limit" in result.reason
    assert result.estimate == pytest.approx(2 / 3, rel=0.1)
    assert below(frame, side="at_least", expected=0.5).verdict == "confirmed"
    assert below(make_frame(GRID, rate, noise=0.2, bound=rate, replicates=2), side="at_least").verdict == "inconclusive"
    assert below(make_frame(GRID, lambda at: 0.0, bound=rate, replicates=1), side="at_least").verdict == "refuted"


def test_a_violation_within_its_error_is_inconclusive() -> None:
    frame = make_frame(GRID, rate, noise=0.2, bound=rate, replicates=2)
    assert below(frame).verdict == "inconclusive"


def test_exact_values_are_judged_exactly_and_equality_up_to_rounding_holds() -> None:
    frame = make_frame(GRID, rate, replicates=1, bound=lambda at: rate(at) * (1 - 1e-14))
    assert below(frame).verdict == "confirmed"
    assert below(frame, expected=0.999).verdict == "refuted"


def test_saturated_points_have_to_obey_a_bound_too() -> None:
    frame = make_frame(GRID, lambda at: 0.5, bound=lambda at: 0.4, trivial_risk=lambda at: 1.0)
    assert below(frame).verdict == "refuted"


def test_a_failed_cell_keeps_a_bound_from_being_confirmed_and_a_skipped_one_does_not() -> None:
    def status(word: str) -> Any:
        return lambda at, replicate: word if at["n"] < 2e3 and replicate == 0 else "ok"

    failed = below(make_frame(GRID, rate, bound=lambda at: 2 * rate(at), status=status("failed: overflow")))
    assert failed.verdict == "inconclusive"
    assert "failed: n=1000 (1 of 3 cells: overflow)" in failed.reason
    skipped = make_frame(GRID, rate, replicates=1, bound=lambda at: 2 * rate(at), status=status("skipped: n too small"))
    assert below(skipped).verdict == "confirmed"
    refuted = make_frame(GRID, rate, bound=lambda at: rate(at) / 2, status=status("failed: overflow"))
    assert below(refuted).verdict == "refuted"


def test_a_star_takes_the_claims_and_contexts_with_a_bound_and_no_controls() -> None:
    fine = make_frame(GRID, rate, bound=lambda at: 2 * rate(at))
    control = make_frame(GRID, rate, bound=lambda at: rate(at) / 2, series="bad", role="control")
    unbounded = make_frame(GRID, rate, series="free", role="context")
    context = make_frame(GRID, rate, bound=lambda at: rate(at) / 2, series="users", role="context")
    assert below(pd.concat([fine, control, unbounded])).verdict == "confirmed"
    result = below(pd.concat([fine, control, context]))
    assert result.verdict == "refuted"
    assert "users" in result.reason
    assert below(pd.concat([fine, control]), series=("hard", "bad")).verdict == "refuted"
    assert below(unbounded).verdict == "inconclusive"
    alone = below(unbounded, series="free")
    assert alone.verdict == "inconclusive"
    assert alone.reason == "no point has a bound for excess_risk to be held against"


def test_a_bound_that_is_not_positive_is_named_not_divided_by() -> None:
    result = below(make_frame(GRID, rate, bound=lambda at: -1.0))
    assert result.verdict == "inconclusive"
    assert "unusable: n=1000" in result.reason


def test_a_true_bound_that_is_tight_is_refuted_in_at_most_one_percent() -> None:
    """By the rule's own limits: a frame of every data set would take twenty times as long."""
    refuted = confirmed = 0
    for seed in range(200):
        for replicates in (2, 5):
            # The mean of the log-normal values is the bound: the worst true case.
            drawn = np.exp(0.1 * np.random.default_rng(seed).standard_normal((len(GRID), replicates)) - 0.005)
            mean, error = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / np.sqrt(replicates)
            half = half_widths(pd.DataFrame({"mean": mean, "error": error, "count": replicates}), len(GRID))
            refuted += bool((mean - half > 1).any())
            confirmed += bool((mean + half <= 1).all())
    assert refuted <= 4
    assert confirmed <= 4


def test_the_ratio_of_two_series_is_measured_on_the_points_that_both_have() -> None:
    slow = make_frame(GRID, lambda at: 3 * rate(at), noise=0.005)
    fast = make_frame(GRID[1:], rate, noise=0.005, series="fast", seed=1)
    both = pd.concat([slow, fast])
    assert ratio(both, against="fast", expected=3.0).verdict == "confirmed"
    assert ratio(both, against="fast", expected=2.0).verdict == "refuted"
    assert ratio(both, against="fast", expected=3.0).details["groups"] == 5


def test_points_that_share_a_product_collapse_or_do_not() -> None:
    points = [{"n": 10.0**k, "epsilon": 10.0 ** (j - k)} for j in (5, 6, 7) for k in (5, 6, 7)]
    law = make_frame(points, lambda at: (at["n"] * at["epsilon"]) ** -0.7, noise=0.02)
    assert ratio(law, collapse=("n", "epsilon")).verdict == "confirmed"
    other = make_frame(points, lambda at: at["n"] ** -0.7 * at["epsilon"] ** -0.5, noise=0.02)
    result = ratio(other, collapse=("n", "epsilon"))
    assert result.verdict == "refuted"
    assert result.estimate == pytest.approx(10**-0.2, rel=0.05)


def test_one_pair_or_no_pair_of_points_is_no_ratio() -> None:
    one = make_frame(GRID[:1], rate)
    other = make_frame(GRID[1:], rate, series="other")
    assert ratio(pd.concat([one, other]), against="other").verdict == "inconclusive"
    assert ratio(pd.concat([one, one.assign(series="other")]), against="other").verdict == "inconclusive"
    with pytest.raises(InputError, match="one of against"):
        Ratio(role="claim", series="hard")


@pytest.mark.slow
def test_a_true_ratio_is_refuted_in_at_most_one_percent() -> None:
    refuted = 0
    for seed in range(200):
        a = make_frame(GRID, rate, noise=0.2, replicates=2, seed=seed)
        b = make_frame(GRID, rate, noise=0.2, replicates=2, seed=1000 + seed, series="other")
        refuted += ratio(pd.concat([a, b]), against="other", margin=0.0).verdict == "refuted"
    assert refuted <= 2


def test_a_curve_that_is_affine_in_the_logarithm_is_confirmed_and_a_power_of_it_refuted() -> None:
    grid = decades("p", 1, 7, 8)
    affine = make_frame(
        grid, lambda at: 0.1 * (2 + np.log(2 * at["p"])), noise=0.003, replicates=5, noise_scale=lambda at: 0.1
    )
    square = make_frame(grid, lambda at: np.log(2 * at["p"]) ** 2, noise=0.003, replicates=5)
    rule = Affine(role="claim", series="hard", divide="noise_scale")
    assert rule.judge(affine).verdict == "confirmed"
    assert Affine(role="claim", series="hard").judge(square).verdict == "refuted"
    result = Affine(role="claim", series="hard").judge(square)
    centre, half = np.log(2 * 10**4), 3 * np.log(10)
    assert result.estimate == pytest.approx(half / (2 * centre), abs=0.03)


def test_an_affine_curve_needs_points_a_slope_and_no_further_axis() -> None:
    flat = make_frame(decades("p", 1, 7, 8), lambda at: 1.0, noise=0.05)
    assert "too uncertain" in Affine(role="claim", series="hard").judge(flat).reason
    few = make_frame(decades("p", 1, 7, 4), lambda at: np.log(at["p"]))
    assert "4 usable values of p" in Affine(role="claim", series="hard").judge(few).reason
    two = make_frame([{**point, "n": n} for n in (1e3, 1e4) for point in decades("p", 1, 7, 8)], lambda at: 1.0)
    assert "one curve" in Affine(role="claim", series="hard").judge(two).reason


@pytest.mark.slow
def test_an_affine_curve_is_refuted_in_at_most_one_percent() -> None:
    refuted = sum(
        Affine(role="claim", series="hard", margin=0.0).judge(
            make_frame(decades("p", 1, 7, 7), lambda at: 1 + np.log(2 * at["p"]), noise=0.02, replicates=3, seed=seed)
        ).verdict == "refuted"
        for seed in range(200)
    )  # fmt: skip
    assert refuted <= 2


def test_a_constant_is_compared_with_what_theory_says_and_does_not_care_for_the_grid() -> None:
    frame = make_frame(GRID, lambda at: 1.34 * rate(at), noise=0.05, replicates=40, rate=rate)
    assert ratio(frame, divide="rate", expected=1.34, margin=0.07).verdict == "confirmed"
    for wrong in (2.68, 0.67, 1.34 * 1.2):  # twice or half the noise, a fifth more
        assert ratio(frame, divide="rate", expected=wrong, margin=0.07).verdict == "refuted"


@pytest.mark.parametrize("fields", [{}, {"against": "other", "collapse": ("n", "epsilon")}])
def test_ratio_wants_one_thing_to_compare_with(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="divide"):
        ratio(make_frame(GRID, rate), **fields)
