"""What the walkthroughs share: a verdict with its figure, means along an axis, and sentences for practitioners."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dprepro.analysis.points import grid_points
from dprepro.axes import AXES
from dprepro.report.text import verdict_lines

if TYPE_CHECKING:
    import pandas as pd

    from dprepro.report.outcome import Outcome


def verdict(outcome: Outcome) -> None:
    """Print what the checks say and where the figure is. A notebook shows the figure where a cell ends with it."""
    print(verdict_lines(outcome.verdict))
    print(f"figure: {outcome.folder / 'figure.png'}\n")


def check(outcome: Outcome, name: str) -> float:
    """The estimate of a check."""
    return float(outcome.verdict["checks"][name]["estimate"])


def constant(outcome: Outcome, name: str) -> float:
    """The constant that a check has fitted: risk over rate."""
    return float(outcome.verdict["checks"][name]["constant"])


def means(
    outcome: Outcome, series: str, axis: str = "n", quantity: str = "excess_risk", envelope: tuple[str, ...] = ()
) -> pd.Series:
    """Means of a series by the values of an axis; with ``envelope``, of the worst member of the family."""
    axes = list(dict.fromkeys([*AXES, axis]))
    points = grid_points(outcome.frame, series, quantity, axes=axes, envelope=envelope)
    return points.dropna(subset="mean").set_index(axis)["mean"].sort_index()


def practice(*sentences: str) -> None:
    """Print what to take from the measurements."""
    print(textwrap.fill("In practice: " + " ".join(sentences), 100))
