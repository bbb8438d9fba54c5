"""Fixtures of the tests of `analysis`."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.analysis_frames import lasso_frame


@pytest.fixture
def lasso() -> pd.DataFrame:
    """A -2/3 rate with the saturation that the noise scale brings: what the tuned needle gives."""
    return lasso_frame()
