"""Whether replicates are what standard errors take them for: independent draws, of one grid point and across them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd

FALSE_ALARM = 1e-9
"""Probability with which independent replicates are said not to be."""

FEWEST = 5
"""Grid points that must repeat themselves before repetition is no accident."""


def dependence(frame: pd.DataFrame) -> str:
    """Why the replicates of random series cannot be independent; empty where nothing speaks against it.

    Two things are looked at, of the risk of all series that their study calls random. That replicates of a grid point
    differ: an answer that has one value only is no accident of a series, but it is one of a whole experiment. And that
    no replicate has the larger risks at all grid points, as it would have if all of them used its random numbers: of
    Friedman's statistic, which knows ranks only, the sum over the series has a chi-square law at most, their cells
    being counted once. Both say nothing of cells that share numbers without sharing a replicate.
    """
    rows = _random(frame)
    if rows.empty:
        return ""
    repeated, points, statistic, freedom = 0, 0, 0.0, 0
    for _, own in rows.groupby("series", sort=False):
        table = own.pivot_table(index=list(AXES), columns="replicate", values="value", dropna=False).dropna()
        if table.shape[0] < 1 or table.shape[1] < 2:
            continue
        values = table.to_numpy(dtype=float)
        values = values[values.any(axis=1)]  # an exact minimiser loses nothing, whatever the draw
        differ = np.ptp(values, axis=1) > 0
        points, repeated = points + len(differ), repeated + int((~differ).sum())
        if differ.sum() >= 2:
            found, free = friedman(values[differ])
            statistic, freedom = statistic + found, freedom + free
    if points >= FEWEST and repeated == points:
        return f"all replicates of each of {points} grid points are equal"
    if freedom:
        from scipy.special import chdtrc

        if float(chdtrc(freedom, statistic)) < FALSE_ALARM:
            return "the same replicates have the larger risk at all grid points, as if they shared their random numbers"
    return ""


def friedman(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> tuple[float, int]:
    """Friedman's statistic of an array (points, replicates), ties at their mean rank, and its degrees of freedom."""
    import pandas as pd

    ranks = pd.DataFrame(values).rank(axis=1).to_numpy()
    replicates = ranks.shape[1]
    centred = ranks - (replicates + 1) / 2
    spread = float((centred**2).sum()) / (replicates - 1)
    return float((centred.sum(axis=0) ** 2).sum()) / spread, replicates - 1


def _random(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of risks that are random, one for each cell that was measured, with what tells grid points apart."""
    if "deterministic" not in frame.columns:
        return frame.iloc[:0]
    good = (frame["quantity"] == "excess_risk") & (frame["status"] == "ok") & (frame["deterministic"] == False)  # noqa: E712
    rows = frame.loc[good, ["series", "replicate", "value", *AXES, *(["key"] if "key" in frame else [])]]
    return rows.drop_duplicates("key") if "key" in rows else rows
