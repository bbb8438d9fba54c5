"""The rule `coverage` notices intervals that are too narrow, and none that are not."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.analysis_frames import decades, make_frame

from dprepro.analysis import fits, inequality
from dprepro.analysis.checks import build
from dprepro.analysis.rule import CheckResult
from dprepro.errors import InputError


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """500 replicates of eight points that scatter by a third."""
    return make_frame(
        decades("n", 3, 6, 8), lambda at: 3 / at["n"], noise=0.3, replicates=500, bound=lambda at: 4 / at["n"],
        rate=lambda at: 1 / at["n"],
    )  # fmt: skip


def judged(frame: pd.DataFrame, **check: object) -> CheckResult:
    settings = {"rule": "coverage", "role": "control", "expect": "confirmed", "series": "hard", **check}
    return build("intervals", settings).judge(frame)


@pytest.mark.parametrize("check", [{"divide": "rate"}, {}])
def test_the_intervals_of_verdicts_hold_what_they_should(frame: pd.DataFrame, check: dict[str, object]) -> None:
    """With a fixed seed; at 99% one choice of the seed in fifty would fail."""
    assert judged(frame, **check).verdict == "confirmed"


def test_intervals_of_half_the_width_are_not_confirmed(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, limits = fits._half_width, inequality.half_widths
    monkeypatch.setattr(fits, "_half_width", lambda *given: 0.5 * whole(*given))
    monkeypatch.setattr(inequality, "half_widths", lambda *given: 0.5 * limits(*given))
    assert judged(frame, divide="rate").verdict != "confirmed"


def test_limits_of_one_point_are_confirmed_and_those_of_half_the_width_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a fixed seed; 1 choice in 500 would fail."""
    many = make_frame([{}], lambda at: 3 / at["n"], noise=0.3, replicates=2000, bound=lambda at: 4 / at["n"])
    assert judged(many, batch=16, margin=0.1).verdict == "confirmed"
    limits = inequality.half_widths
    monkeypatch.setattr(inequality, "half_widths", lambda *given: 0.5 * limits(*given))
    assert judged(many, batch=16, margin=0.1).verdict != "confirmed"


def test_few_batches_are_not_enough(frame: pd.DataFrame) -> None:
    found = judged(frame[frame["replicate"] < 39], divide="rate")
    assert found.verdict == "inconclusive"
    assert "9 batches of 4 replicates, and 10 are needed" in found.reason


def test_a_batch_of_one_is_refused(frame: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="batch is 1"):
        judged(frame, batch=1)
