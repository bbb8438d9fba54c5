"""Labels of logarithmic axes that span little."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from dprepro.figures.ticks import few_labels, plain_ticks


@pytest.mark.parametrize("axis", ["x", "y"])
def test_labels_at_short_ticks_stand_on_the_line_of_those_at_long_ones(axis: str) -> None:
    figure = Figure()
    panel = figure.subplots()
    panel.set(xscale="log", yscale="log", xlim=(0.15, 6), ylim=(0.15, 6))
    few_labels(panel)
    plain_ticks(panel)
    figure.draw_without_rendering()
    side = panel.xaxis if axis == "x" else panel.yaxis
    edges = {}
    for which in ("major", "minor"):
        shown = [label for label in side.get_ticklabels(which=which) if label.get_text() in ("1", "3")]
        assert shown, which
        edges[which] = {
            round(box.y1 if axis == "x" else box.x1, 3) for box in (label.get_window_extent() for label in shown)
        }
    assert edges["major"] == edges["minor"]
