"""Bars of a figure are the 99% intervals of a run's table: by Student's law, and the spread that points share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import t

from dprepro.figures.attack_figure import _limits
from dprepro.figures.curves import Curve
from dprepro.figures.lines import draw_curve

MEAN, ERROR, REPLICATES = np.array([4.0, 2.0, 1.0, 0.5]), np.array([0.4, 0.1, 0.1, 0.05]), 3
FREEDOM = MEAN.size * (REPLICATES - 1)


def curve(error: np.ndarray) -> Curve:
    points = {"x": [1.0, 10.0, 100.0, 1000.0], "mean": MEAN, "error": error, "count": REPLICATES, "state": "used"}
    return Curve(pd.DataFrame(points))


def wanted() -> np.ndarray:
    pooled = np.sqrt(np.mean((ERROR / MEAN) ** 2))
    return np.asarray(t.ppf(0.995, FREEDOM) * np.maximum(ERROR, pooled * MEAN))


def test_a_bar_is_an_interval_by_student_s_law_and_what_is_computed_has_none() -> None:
    assert curve(ERROR).half_widths() == pytest.approx(wanted())
    assert (wanted() > 2.576 * ERROR).all()  # by the normal law of 3 replicates each they would be narrower
    assert not curve(np.zeros(4)).half_widths().any()
    assert not curve(np.full(4, np.nan)).half_widths().any()


def test_bars_that_several_curves_share_are_drawn_as_they_were_given() -> None:
    given = Curve(curve(ERROR).points.assign(half=0.25))
    assert given.half_widths().tolist() == [0.25] * 4


def test_bars_are_drawn_and_none_reaches_below_a_logarithmic_axis() -> None:
    panel = Figure().add_subplot()
    (bars,) = draw_curve(panel, curve(ERROR), {"color": "k"}, "one").lines[2]
    low, high = np.array([segment[:, 1] for segment in bars.get_segments()]).T
    assert high - MEAN == pytest.approx(wanted())
    assert MEAN - low == pytest.approx(wanted())
    wide = curve(MEAN)
    (bars,) = draw_curve(panel, wide, {"color": "k"}, "two").lines[2]
    assert all(segment[:, 1].min() > 0 for segment in bars.get_segments())


def test_limits_of_an_attack_s_points_are_such_intervals_too() -> None:
    found = _limits(curve(ERROR).points)
    assert found["high"] - MEAN == pytest.approx(wanted())
    assert MEAN - found["low"] == pytest.approx(wanted())
