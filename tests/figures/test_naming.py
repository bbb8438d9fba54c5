"""Names of curves beside them: what is drawn is kept clear of, whatever it is."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from dprepro.figures.naming import _drawn


def test_bars_without_numbers_are_nothing_to_keep_clear_of() -> None:
    panel = Figure(dpi=100).subplots()
    panel.errorbar([1.0, 2.0], [1.0, np.nan], yerr=[[0.1, np.nan], [0.1, np.nan]], fmt="o")
    assert any(len(segment) == 0 for bars in panel.collections for segment in bars.get_segments())  # type: ignore[attr-defined]
    dots = _drawn(panel, 100)
    assert len(dots) >= 3  # of the point and its bar
    assert np.isfinite(dots).all()
