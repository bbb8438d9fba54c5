"""Claims of one side, grids that are not the check's own, and what keeps measurements from deciding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import decades, make_frame

from dprepro.analysis.checks import build
from dprepro.analysis.rule import CheckResult
from dprepro.errors import InputError


def curve(power: float, noise: float = 0.0, axis: str = "n", **columns: Any) -> pd.DataFrame:
    """A power law of the axis on three decades, with columns of theory."""
    low, high = (3, 6) if axis != "epsilon" else (-3, 0)
    return make_frame(decades(axis, low, high, 7), lambda at: float(at[axis] ** power), noise=noise, **columns)


def slope(frame: pd.DataFrame, **fields: Any) -> CheckResult:
    return build("slope", {"rule": "exponent", "role": "claim", "series": "hard", "expected": -0.5, **fields}).judge(
        frame
    )


NOISES = pytest.mark.parametrize("noise", [0.0, 0.005])


@NOISES
def test_a_wrong_exponent_is_refuted_on_its_own_grid_from_both_sides(noise: float) -> None:
    assert slope(curve(-0.5, noise)).verdict == "confirmed"
    assert slope(curve(-0.6, noise)).verdict == "refuted"
    assert slope(curve(-0.4, noise)).verdict == "refuted"


@NOISES
def test_a_claim_at_most_is_confirmed_by_a_steeper_slope_that_does_not_attain_it(noise: float) -> None:
    found = slope(curve(-1.0, noise), side="at_most")
    assert found.verdict == "confirmed"
    assert found.reason.startswith("the risk falls faster on these data, the rate is not attained")
    assert slope(curve(-0.5, noise), side="at_most").reason == ""
    assert slope(curve(-0.4, noise), side="at_most").verdict == "refuted"
    assert "lies above -0.47" in slope(curve(-0.4, noise), side="at_most").reason


@NOISES
def test_a_claim_at_least_is_mirrored(noise: float) -> None:
    found = slope(curve(-0.2, noise), side="at_least")
    assert found.verdict == "confirmed"
    assert found.reason.startswith("the risk falls more slowly on these data, the rate is not attained")
    assert slope(curve(-0.6, noise), side="at_least").verdict == "refuted"
    assert "lies below -0.53" in slope(curve(-0.6, noise), side="at_least").reason


def test_a_risk_that_grows_is_said_to_grow() -> None:
    slower, faster = curve(0.2, axis="p"), curve(0.8, axis="p")
    fields: dict[str, Any] = {"axis": "p", "expected": 0.5}
    assert "the risk grows more slowly on these data" in slope(slower, side="at_most", **fields).reason
    assert "the risk grows faster on these data" in slope(faster, side="at_least", **fields).reason


@NOISES
def test_on_another_grid_a_steeper_slope_confirms_an_upper_bound_and_says_so(noise: float) -> None:
    found = slope(curve(-1.0, noise), grid="other")
    assert found.verdict == "confirmed"
    words = "the risk falls faster on these data: the rate holds as an upper bound and is not attained"
    assert found.reason.startswith(words)
    assert found.details["side"] == "at_most"
    assert found.details["not_attained"]
    assert "not_attained" not in slope(curve(-0.5, noise), grid="other").details
    assert slope(curve(-0.5, noise), grid="other").verdict == "confirmed"
    lower = slope(curve(-0.2, noise), grid="other", side="at_least")
    assert lower.verdict == "confirmed"
    assert "holds as a lower bound and is not attained" in lower.reason


@NOISES
def test_on_another_grid_a_shallower_slope_is_refuted_where_nothing_explains_it(noise: float) -> None:
    assert slope(curve(-0.4, noise), grid="other").verdict == "refuted"
    pure = curve(-0.4, noise, rate=lambda at: at["n"] ** -0.5)
    assert slope(pure, grid="other").verdict == "refuted"
    assert slope(curve(-0.6, noise), grid="other", side="at_least").verdict == "refuted"


def late(at: dict[str, float]) -> float:
    """A bound whose first term rules small sizes and falls as n^-0.1."""
    return float(at["n"] ** -0.5 + 0.05 * at["n"] ** -0.1)


@NOISES
def test_on_another_grid_a_shallower_slope_that_the_bound_shares_is_open(noise: float) -> None:
    def value(at: dict[str, float]) -> float:
        return 0.1 * late(at)

    frame = make_frame(
        decades("n", 3, 6, 7), value, noise=noise, bound=late, rate=lambda at: at["n"] ** -0.5, law=lambda at: np.nan
    )
    found = slope(frame, grid="other")
    assert found.verdict == "inconclusive"
    assert "and the statement's own bound falls as slope -0.2" in found.reason
    assert "on this grid: smaller n is needed" in found.reason, "this bound is pure where n is small"
    assert slope(frame).verdict == "refuted"


def test_the_law_goes_before_the_bound_and_larger_sizes_are_asked_for_where_they_help() -> None:
    def law(at: dict[str, float]) -> float:
        return float(1 / (1 + at["n"] ** 0.5 / 100))

    frame = make_frame(decades("n", 3, 6, 7), law, law=law, bound=lambda at: at["n"] ** -0.5)
    found = slope(frame, grid="other")
    assert found.verdict == "inconclusive"
    assert "the statement's own law falls as slope" in found.reason
    assert "larger n is needed" in found.reason
    sharper = curve(-0.4, law=lambda at: at["n"] ** -0.5, bound=lambda at: at["n"] ** -0.4)
    assert slope(sharper, grid="other").verdict == "refuted"


def test_a_lower_bound_that_is_steeper_than_claimed_is_open_where_theory_is() -> None:
    frame = curve(-0.8, bound=lambda at: at["n"] ** -0.8)
    assert slope(frame, grid="other", side="at_least").verdict == "inconclusive"
    assert slope(curve(-0.8, bound=lambda at: at["n"] ** -0.5), grid="other", side="at_least").verdict == "refuted"


def test_divided_slopes_are_explained_by_divided_ones() -> None:
    fields: dict[str, Any] = {"expected": 0.0, "divide": "rate", "grid": "other"}
    frame = curve(-0.3, rate=lambda at: at["n"] ** -0.5, bound=lambda at: at["n"] ** -0.3)
    found = slope(frame, **fields)
    assert found.verdict == "inconclusive"
    assert "the statement's own bound over rate grows as slope 0.2 on this grid" in found.reason
    assert slope(frame.assign(bound=frame["rate"]), **fields).verdict == "refuted"
    assert slope(frame, **{**fields, "divide": "bound"}).verdict == "confirmed"
    tilted = frame.assign(value=frame["value"] * frame["n"] ** 0.1)
    assert slope(tilted, **{**fields, "divide": "bound"}).verdict == "refuted"


def test_an_interval_across_the_lower_end_confirms_an_upper_bound_on_another_grid_only() -> None:
    frame = curve(-0.53, noise=0.02)
    assert slope(frame).verdict == "inconclusive"
    assert slope(frame, grid="other").verdict == "confirmed"


@pytest.mark.parametrize(("expected", "sure"), [(-0.5, "confirmed"), (-0.8, "refuted")])
def test_what_a_check_lacks_keeps_it_from_deciding_and_stands_first(expected: float, sure: str) -> None:
    frame, lacks = curve(-0.5), "Theorem 2.5 is about epsilon up to 1"
    assert slope(frame, expected=expected).verdict == sure
    found = slope(frame, expected=expected, lacks=lacks, reason="a note")
    assert found.verdict == "inconclusive"
    assert found.reason.startswith(f"{lacks}; ")
    assert found.reason.endswith("; a note")
    assert "-0.5" in found.reason
    assert not found.as_expected
    assert found.details["lacks"] == lacks
    assert slope(frame, expected=expected, lacks=lacks, expect="inconclusive").as_expected


def test_what_a_check_speaks_of_and_is_evidence_for_is_in_no_verdict() -> None:
    known = slope(curve(-0.5), about={"Theorem 2.5": "attained"}).to_dict()
    assert known == slope(curve(-0.5)).to_dict()


def test_every_claim_of_one_side_says_which() -> None:
    sided: dict[str, dict[str, Any]] = {
        "below": {}, "proportion": {"expected": 0.5}, "audit": {"quantity": "excess_risk"},
        "coverage": {"divide": "rate"}, "share": {"limit": 1, "expected": 0.9},
    }  # fmt: skip
    found = {
        rule: build("one", {"rule": rule, "role": "claim", "series": "hard", **fields}).direction()
        for rule, fields in sided.items()
    }
    assert found == {
        "below": "at_most", "proportion": "at_most", "audit": "at_most", "coverage": "at_most", "share": "at_least"
    }  # fmt: skip
    assert build("one", {"rule": "below", "role": "claim", "side": "at_least"}).direction() == "at_least"
    assert "side" not in slope(curve(-0.5)).details


def few(**fields: Any) -> str:
    return slope(make_frame(decades("n", 3, 4, 3), lambda at: at["n"] ** -0.5), **fields).reason


def test_what_a_grid_lacks_is_said_with_the_least_one_that_would_do() -> None:
    assert few() == "3 usable values of n, and 5 are needed: give sweep.n at least 5 values over 1.5 decades"
    assert few(minimum_points=3) == (
        "the usable points span 1 decades of n, and 1.5 are needed: give sweep.n at least 3 values over 1.5 decades"
    )
    short = make_frame(decades("delta", -4, -2, 6), lambda at: np.log(1 / at["delta"]) ** 0.5)
    found = slope(short, axis="delta", transform="log_log_inverse", expected=0.5)
    assert "decades of ln(1/delta), and 0.5 are needed: give sweep.delta at least 5 values" in found.reason
    width = make_frame(decades("n", 3, 4, 3), lambda at: 1.0, width=lambda at: at["n"])
    assert "choose a sweep on which width has at least 5 values" in slope(width, axis="width").reason
    assert "give sweep.width at least 5 values" in slope(width, axis="width", axes=("width",)).reason


def test_an_affine_curve_that_is_too_short_says_so_too() -> None:
    rule = build("line", {"rule": "affine", "role": "claim", "series": "hard", "axis": "p"})
    found = rule.judge(make_frame(decades("p", 1, 3, 4), lambda at: np.log(2 * at["p"])))
    assert found.reason == "4 usable values of p, and 5 are needed: give sweep.p at least 5 values"


def test_saturated_points_say_from_where_on_they_would_not_be() -> None:
    frame = make_frame(decades("n", 1, 4, 4), lambda at: 10 * at["n"] ** -0.5, trivial_risk=lambda at: 2.0)
    found = slope(frame)
    assert found.verdict == "inconclusive"
    assert "saturated (risk above a tenth of the trivial risk): n=10, n=100, n=1000" in found.reason
    assert "a tenth of the trivial risk is 0.2; from n ~ 2500 on the risk is below that" in found.reason
    none = slope(frame.assign(value=frame["value"] * 10))
    assert "from n ~ 2.5e5 on the risk is below that" in none.reason, "by the claimed slope"


def test_a_risk_that_grows_is_saturated_beyond_and_a_flat_one_everywhere() -> None:
    frame = make_frame(decades("p", 1, 4, 4), lambda at: 0.01 * at["p"] ** 0.5, trivial_risk=lambda at: 2.0)
    assert "up to p ~ 400 the risk is below that" in slope(frame, axis="p", expected=0.5).reason
    flat = slope(frame.assign(value=1.0), axis="p", expected=0.0)
    assert "; a tenth of the trivial risk is 0.2; saturated (" in flat.reason
    deltas = make_frame(
        decades("delta", -8, -2, 4), lambda at: np.log(1 / at["delta"]), trivial_risk=lambda at: 92.1034
    )
    found = slope(deltas, axis="delta", transform="log_log_inverse", expected=1.0)
    assert "from delta ~ 0.0001 on the risk is below that" in found.reason


def test_a_kind_of_evidence_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match=r"unknown kind of evidence 'certifed' .did you mean certified"):
        slope(curve(-0.5), about={"Theorem 2.5": "certifed"})
