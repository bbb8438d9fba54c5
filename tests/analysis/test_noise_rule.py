"""Rule `noise`: the noise that ran is what was meant to run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import decades, make_frame
from scipy.stats import chi2

from dprepro.analysis.checks import build
from dprepro.analysis.rule import CheckResult
from dprepro.errors import InputError


def draws(ratio: float, freedom: float, rows: int = 20, series: str = "hard", seed: int = 0) -> pd.DataFrame:
    """Second moments of that many rows, chi-square about the ratio."""
    rng = np.random.default_rng(seed)
    frame = make_frame(decades("n", 3, 6, rows), lambda at: 1.0, replicates=1, quantity="noise_moments", series=series)
    return frame.assign(value=ratio * rng.chisquare(freedom, rows) / freedom, freedom=freedom)


def judged(frame: pd.DataFrame, **changes: object) -> CheckResult:
    return build("noise", {"rule": "noise", "role": "claim", **changes}).judge(frame)


def test_the_schedules_noise_is_confirmed_and_half_a_tenth_or_none_of_it_refuted() -> None:
    assert judged(draws(1.0, 2e3)).verdict == "confirmed"
    for factor in (0.0, 0.1, 0.5, 0.9, 1.1, 2.0):
        assert judged(draws(factor**2, 2e3)).verdict == "refuted", factor


def test_the_interval_leaves_out_half_of_a_hundredth_on_either_side_shared_with_the_pool() -> None:
    found = judged(draws(1.0, 40.0))
    estimate, low, high = (float(one) for one in (found.estimate, found.low, found.high) if one is not None)
    total = estimate * 800  # degrees of freedom of all rows
    assert [total / high, total / low] == pytest.approx(chi2.ppf([0.0025, 0.9975], 800))


def test_one_series_without_noise_is_refuted_though_the_others_have_all_the_draws() -> None:
    frame = pd.concat([draws(1.0, 1e5), draws(0.0, 4.0, rows=1, series="few")])
    found = judged(frame)
    assert found.verdict == "refuted"
    assert "few 0" in found.reason
    assert judged(frame, series="hard").verdict == "confirmed"


def test_series_of_few_draws_are_judged_together() -> None:
    several = [draws(1.0, 500.0, rows=1, series=f"s{k}", seed=k) for k in range(60)]
    assert judged(pd.concat(several)).verdict == "confirmed"
    assert judged(pd.concat(several[:3])).verdict == "inconclusive"


def test_true_noise_is_refuted_in_less_than_one_of_a_hundred_data_sets() -> None:
    wrong = sum(judged(draws(1.0, 30.0, seed=seed), margin=0.0).verdict == "refuted" for seed in range(600))
    assert wrong <= 14  # a rate of .01 exceeds that once in 1200


def test_a_guard_says_so_in_its_details() -> None:
    assert judged(draws(1.0, 2e3), precondition=True).details["precondition"]
    assert "precondition" not in judged(draws(1.0, 2e3)).details


def test_nothing_drawn_is_no_confirmation_and_an_unknown_series_no_choice() -> None:
    frame = draws(1.0, 2e3).assign(quantity="excess_risk")
    assert judged(frame).verdict == "inconclusive"
    assert "noise=..." in judged(frame.drop(columns="freedom")).reason
    with pytest.raises(InputError, match="unknown series 'hrd'"):
        judged(frame, series="hrd")
