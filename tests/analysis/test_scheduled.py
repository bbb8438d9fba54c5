"""The rule `scheduled`: what an algorithm was run with is the schedule as printed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import make_frame

from dprepro.analysis.checks import build
from dprepro.analysis.rule import CheckResult
from dprepro.errors import InputError

POINTS = [{"n": n, "p": p, "delta": d} for n in (1e4, 1e6, 1e7) for p in (10.0, 100.0) for d in (1e-3, 1e-9)]


def formula(at: dict[str, float]) -> float:
    return float(3 * at["n"] ** (-2 / 3) * math.log(1 / at["delta"]) ** 0.5)


def run(power: float = -2 / 3, factor: float = 1.0, series: str = "hard") -> pd.DataFrame:
    """Noise scales that were run with, beside the printed ones."""
    return make_frame(
        POINTS, lambda at: 1.0, series=series, noise_scale_printed=formula,
        noise_scale=lambda at: factor * formula(at) * at["n"] ** (power + 2 / 3),
    )  # fmt: skip


def judged(frame: pd.DataFrame, **changes: object) -> CheckResult:
    check = {"rule": "scheduled", "role": "claim", "series": "hard", "column": "noise_scale", **changes}
    return build("schedule", check).judge(frame)


def steps(ran: float, printed: float) -> pd.DataFrame:
    return make_frame(
        [{"n": 1e4}], lambda at: 1.0, total_steps=lambda at: ran, total_steps_printed=lambda at: printed,
        step_size=lambda at: ran, step_size_printed=lambda at: printed,
    )  # fmt: skip


def test_a_schedule_as_printed_is_confirmed_and_a_power_off_by_a_hundredth_refuted() -> None:
    found = judged(run())
    assert (found.verdict, found.reason, found.details["points"]) == ("confirmed", "", 12)
    assert [found.estimate, found.low, found.high] == pytest.approx([1, 1, 1])
    wrong = judged(run(-0.65))
    assert wrong.verdict == "refuted"
    assert wrong.reason.startswith("noise_scale is 1.308 of the printed formula at hard, n=1e7")
    assert judged(run(factor=1.1)).verdict == "refuted"
    assert judged(run(factor=0.0)).verdict == "refuted"
    assert judged(run(factor=1.01)).verdict == "confirmed"
    assert judged(run(factor=2.0), expected=2.0).verdict == "confirmed"


def test_one_of_several_series_that_ran_otherwise_is_named() -> None:
    frame = pd.concat([run(), run(factor=0.5, series="lazy")])
    found = judged(frame, series=["hard", "lazy"])
    assert found.verdict == "refuted"
    assert "0.5 of the printed formula at lazy" in found.reason
    assert (found.low, found.high) == pytest.approx((0.5, 1.0))
    assert judged(frame).verdict == "confirmed"


def test_a_point_without_a_printed_value_is_open_unless_another_one_refutes() -> None:
    def without(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(noise_scale_printed=frame["noise_scale_printed"].where(frame["n"] < 5e6, np.nan))

    found = judged(without(run()))
    assert found.verdict == "inconclusive"
    assert found.reason.startswith("no formula is printed for noise_scale at hard, n=1e7")
    assert found.reason.endswith("and 3 more")
    assert judged(without(run(factor=2.0))).verdict == "refuted"
    nothing = judged(run().assign(noise_scale_printed=np.nan))
    assert (nothing.verdict, nothing.estimate) == ("inconclusive", None)
    assert judged(run().assign(noise_scale=np.nan)).reason.startswith("noise_scale has no value at hard")
    assert judged(run().drop(columns="noise_scale_printed")).reason == "no formula is printed for noise_scale"


@pytest.mark.parametrize(("ran", "printed"), [(2.0, 1.2), (1.0, 1.9), (1.0, 0.3), (7.0, 7.0)])
def test_steps_may_be_rounded_to_either_side_and_a_step_size_may_not(ran: float, printed: float) -> None:
    assert judged(steps(ran, printed), column="total_steps").verdict == "confirmed"
    assert (judged(steps(ran, printed), column="step_size").verdict == "confirmed") == (ran == printed)


def test_a_step_too_many_is_refuted_and_nothing_agrees_with_nothing() -> None:
    assert judged(steps(12.0, 10.7), column="total_steps").verdict == "refuted"
    assert judged(steps(0.0, 0.0), column="step_size").verdict == "confirmed"
    endless = judged(steps(1.0, 0.0), column="step_size")
    assert (endless.verdict, endless.to_dict()["high"]) == ("refuted", None)


def test_points_outside_the_premise_are_none_of_the_schedules_business() -> None:
    frame = make_frame(
        POINTS, lambda at: 1.0, noise_scale=formula, noise_scale_printed=formula,
        status=lambda at, replicate: "skipped: n is too small" if at["n"] < 1e5 else "ok",
    )  # fmt: skip
    assert judged(frame).details["points"] == 8


def test_a_guard_says_so_and_an_unknown_column_is_refused() -> None:
    assert judged(run(), precondition=True).details["precondition"]
    with pytest.raises(InputError, match=r"unknown column 'noise_scal'.*noise_scale"):
        judged(run(), column="noise_scal")
