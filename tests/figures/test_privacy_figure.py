"""Privacy at a glance."""

from __future__ import annotations

import pandas as pd
import pytest

from dprepro import figures
from dprepro.errors import InputError

AXES = {"n": 2.0, "p": 1.0, "delta": 0.0, "norm": 1.0}
VERDICT = {"claim": "Privacy", "verdict": "confirmed", "checks": {}}


def frame(**series: str) -> pd.DataFrame:
    """Quantities of each series, by their roles, at two epsilons."""
    found = []
    for name, role in series.items():
        for epsilon in (1.0, 2.0):
            common = {**AXES, "series": name, "role": role, "replicate": 0, "status": "ok", "epsilon": epsilon}
            seen = {
                "audited_epsilon": 0.7,
                "certified_epsilon": 0.9,
                "violating_epsilon": 1.3,
                "slack": 9 / 7 / epsilon,
            }
            for quantity, share in seen.items():
                line = {"quantity": quantity, "value": share * epsilon, "bound": epsilon, "epsilon_factor": 2.0}
                found.append({**common, **line})
    return pd.DataFrame(found)


def test_each_series_has_a_line_for_each_point_with_shares_of_what_is_claimed() -> None:
    drawing = figures.build({"name": "ledger", "labels": {"b": "B"}})
    config = {"study": {"series": {"b": {}, "a": {}, "false": {}}}, "checks": {}}
    figure = drawing.draw(frame(a="claim", b="claim", false="control"), VERDICT, config)
    (panel,) = figure.axes
    texts = [tick.get_text() for tick in panel.get_yticklabels()]
    assert texts == [f"{name}; ε = {e}, δ = 0" for name in ("B", "a", "false (control)") for e in (1, 2)]
    marks = {line.get_marker(): float(line.get_xdata()[0]) for line in panel.lines if line.get_marker() != "None"}
    assert marks == pytest.approx({">": 0.7, "D": 0.9, "x": 1.3})
    assert {text.get_text() for text in panel.texts} == {"×2", "slack", "1.3"}


def test_a_line_may_be_that_of_the_point_that_spends_most() -> None:
    rows = frame(a="claim")
    rows.loc[(rows["quantity"] == "audited_epsilon") & (rows["epsilon"] == 2), "value"] = 1.9
    (panel,) = figures.build({"name": "ledger", "worst": ["epsilon"]}).draw(rows, VERDICT, {}).axes
    assert [tick.get_text() for tick in panel.get_yticklabels()] == ["a; ε = 2, δ = 0"]


def test_measurements_of_no_audit_are_refused() -> None:
    with pytest.raises(InputError, match="audited_epsilon"):
        figures.build({"name": "ledger"}).draw(frame(a="claim").assign(quantity="excess_risk"), VERDICT, {})
