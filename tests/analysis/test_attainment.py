"""Rule `attainment`: the user's question, on frames whose answer is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import make_frame
from scipy.stats import t

from dprepro.analysis.attainment import Attainment, _limits
from dprepro.analysis.checks import build, judge, worded
from dprepro.errors import InputError

EPSILONS = [0.03, 0.1, 0.3, 1.0, 3.0]
ERROR = "holdout_rmse"
RULE = {
    "rule": "attainment", "role": "claim", "quantity": ERROR, "against": "mean", "best": "optimum", "expected": 0.5,
    "over": ["split"],
}  # fmt: skip


def test_limits_of_a_mean_are_students() -> None:
    units = np.array([1.0, 2.0, 4.0, 8.0])
    low, high = t.interval(0.9, 3, 3.75, units.std(ddof=1) / 2)
    assert _limits(units, 0.9) == pytest.approx((low, 3.75, high))


def line(name: str, value: float, falls: float, seed: int = 0, splits: int = 8, noise: float = 0.002) -> pd.DataFrame:
    """``value`` + falls/epsilon, the same in all splits but for noise; splits differ in how hard they are."""
    points = [{"epsilon": epsilon, "split": float(split)} for epsilon in EPSILONS for split in range(splits)]
    role = "context" if name in ("mean", "optimum", "zero") else "claim"
    rng = np.random.default_rng([seed, len(name)])
    frame = make_frame(
        points, lambda at: value + falls / at["epsilon"], series=name, role=role, replicates=1, quantity=ERROR
    )
    hard = 0.3 * np.sin(frame["split"].astype(float))
    return frame.assign(value=frame["value"] + hard + noise * rng.standard_normal(len(frame)))


def table(*more: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([line("mean", 4.0, 0.0), line("optimum", 3.0, 0.0), *more], ignore_index=True)


def answer(frame: pd.DataFrame, **changes: object):
    return judge(frame, {"one": build("one", RULE | changes)})["one"]


def test_the_smallest_epsilon_from_which_the_error_stays_below_the_target_is_found() -> None:
    """3 + .1/epsilon is below 3.5 from epsilon = .2 on; splits that differ by .3 cost nothing: they are paired."""
    found = answer(table(line("good", 3.0, 0.1), line("bad", 3.0, 1.0)))
    assert (found.verdict, found.high, found.details["words"]) == (
        "confirmed", 0.3, "good enough from epsilon ~ 0.3 (good)",
    )  # fmt: skip
    assert found.estimate == pytest.approx(0.2, rel=0.15)
    assert found.details["target"] == pytest.approx(3.5, abs=0.1)
    assert found.details["places"]["bad"][2] == 3.0


def test_an_epsilon_beyond_what_its_user_would_take_is_no_answer() -> None:
    frame = table(line("bad", 3.0, 1.0))
    assert answer(frame).verdict == "confirmed"
    assert answer(frame, within=1).verdict == "refuted"


@pytest.mark.parametrize("falls", [0.0, 0.5])
def test_what_never_reaches_the_target_is_refuted_however_many_series_there_are(falls: float) -> None:
    found = answer(table(line("zero_", 3.6, falls), line("worse", 3.9, falls)))
    assert found.verdict == "refuted"
    assert "not good enough at any epsilon that was measured" in found.reason


def test_a_target_may_be_a_number_in_the_units_of_the_column_or_an_accuracy() -> None:
    frame = table(line("good", 3.0, 0.1))
    assert answer(frame, target=10.0).high == 0.03
    assert answer(frame, target=2.0).verdict == "refuted"
    upside_down = frame.assign(value=-frame["value"])
    assert answer(upside_down, side="at_least").high == answer(frame).high


def test_noise_as_large_as_the_distance_is_inconclusive() -> None:
    assert answer(table(line("good", 3.45, 0.0, noise=0.3))).verdict == "inconclusive"


def test_one_unit_has_no_error_and_confirms_nothing() -> None:
    frame = table(line("good", 3.0, 0.0))
    assert answer(frame[frame["split"] == 0]).verdict == "inconclusive"


def test_curves_of_one_series_are_kept_apart_by_the_axes_that_are_named() -> None:
    frame = pd.concat([table(line("good", 3.0 + 0.1 * radius, 0.1)).assign(radius=radius) for radius in (1.0, 2.0)])
    assert set(answer(frame, axes=["radius"]).details["places"]) == {"good, radius=1", "good, radius=2"}


def test_a_series_at_the_target_is_called_good_enough_in_at_most_one_data_set_in_a_hundred() -> None:
    """2000 data sets, mean distance 0 at every point: 10 expected at one side of 99%, 26 with chance below 1e-4."""
    rule, rng = build("one", RULE), np.random.default_rng(0)
    assert isinstance(rule, Attainment)
    found = [rule._places([(epsilon, rng.standard_normal(8)) for epsilon in EPSILONS], 0.99)[2] for _ in range(2000)]
    assert sum(np.isfinite(found)) < 26


def test_a_check_without_any_target_is_refused() -> None:
    with pytest.raises(InputError, match="attainment needs a target"):
        build("one", {**RULE, "against": ""})


def test_the_verdict_is_never_a_bare_confirmed() -> None:
    found = answer(table(line("good", 3.0, 0.1)))
    verdict = {"verdict": "confirmed", "checks": {"one": found.to_dict()}}
    assert worded(verdict) == "good enough from epsilon ~ 0.3 (good): confirmed"
