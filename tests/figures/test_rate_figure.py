"""Rate figures: where two curves cross is marked, and options that do not fit are refused."""

import numpy as np
import pandas as pd
import pytest

from dprepro import figures
from dprepro.errors import InputError

VERDICT = {"claim": "Theorem A.1", "verdict": "confirmed", "checks": {}}


def frame():
    """Curves sqrt(n) and 30 over n: they cross at n = 900."""
    rows = []
    for n in np.geomspace(1e2, 1e4, 5):
        for series, value in (("growing", np.sqrt(n)), ("flat", 30.0)):
            cell = {"series": series, "role": "claim", "n": n, "p": 1, "epsilon": 1, "delta": 0, "norm": 1}
            cell |= {"replicate": 0, "status": "ok"}
            rows.append(cell | {"quantity": "excess_risk", "value": value, "bound": None})
    return pd.DataFrame(rows)


def test_a_crossing_is_marked_at_its_place():
    figure = figures.build({"name": "rate", "axis": "n", "crossings": ["growing", "flat"]}).draw(frame(), VERDICT)
    assert [text.get_text() for text in figure.axes[0].texts] == ["n = 900"]


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="pairs"):
        figures.build({"name": "rate", "crossings": ["growing"]})
    with pytest.raises(InputError, match="as many as"):
        figures.build({"name": "rate", "axis": ["n", "p"], "check": ["exponent_n"]})
