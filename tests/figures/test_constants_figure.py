"""Between which constants a theorem lies."""

from __future__ import annotations

import pandas as pd
import pytest

from dprepro import figures
from dprepro.errors import InputError

AXES = {"p": 1.0, "epsilon": 1.0, "delta": 0.0, "norm": 1.0, "status": "ok"}
VERDICT = {"claim": "Constants", "verdict": "confirmed", "checks": {}}


def frame(**roles: str) -> pd.DataFrame:
    """Two replicates of each series, of risks 1 and 3 at n = 1 and 2 and 6 at n = 2, whose rates are 1 and 2."""
    found = []
    for name, role in roles.items():
        for n in (1.0, 2.0):
            common = {**AXES, "n": n, "series": name, "role": role, "bound": n}
            found += [{**common, "quantity": "worst_known_risk", "value": n * value} for value in (1.0, 3.0)]
            found += [{**common, "quantity": "explicit_bound", "value": 5 * n} for _ in range(2)]
    return pd.DataFrame(found)


def test_each_line_goes_from_the_worst_known_to_the_bound_over_the_rate() -> None:
    config = {"study": {"series": {"b": {}, "a": {}, "false": {}}}, "checks": {}}
    drawing = figures.build({"name": "constants", "labels": {"b": "B"}})
    (panel,) = drawing.draw(frame(false="control", a="claim", b="claim"), VERDICT, config).axes
    texts = [tick.get_text() for tick in panel.get_yticklabels()]
    assert texts == [f"{name}; n = {n}" for name in ("B", "a", "false") for n in (1, 2)]
    marks = [(line.get_marker(), float(line.get_xdata()[0])) for line in panel.lines if line.get_marker() != "None"]
    assert marks == [("D", 5.0), (">", 2.0)] * 4 + [("D", 5.0), ("x", 2.0)] * 2
    assert [text.get_text() for text in panel.texts] == ["2.5"] * 6 + ["ratio"]


def test_measurements_without_a_worst_known_risk_are_refused() -> None:
    with pytest.raises(InputError, match="worst_known_risk"):
        figures.build({"name": "constants"}).draw(frame(a="claim").assign(quantity="excess_risk"), VERDICT, {})
