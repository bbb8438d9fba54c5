"""From the rows of a frame to grid points: mean, standard error, and whether a point is evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dprepro.analysis.fits import NotEnoughError, Vector
from dprepro.axes import AXES
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd

SATURATION = 0.1
SATURATED_IN_WORDS = "saturated (risk above a tenth of the trivial risk)"
"""A point whose mean risk is above this share of the trivial risk measures the trivial answer, not the rate."""

STATES = ("used", "saturated", "skipped", "failed", "unusable")


def number(value: float) -> str:
    """A short spelling of a number, as in `1e4`."""
    return re.sub(r"e([+-])0*", lambda sign: "e" if sign[1] == "+" else "e-", f"{value:.4g}")


def require_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise InputError for the first of `names` that is not a column of `frame`.

    A frame without a single cell that was measured has no columns to speak of: NotEnoughError.
    """
    for name in names:
        if name not in frame.columns:
            if not (frame["status"] == "ok").any():
                raise NotEnoughError("no cell could be measured")
            raise unknown("column", name, map(str, frame.columns))


def _selected(frame: pd.DataFrame, series: str, quantity: str, cell: list[str], columns: Sequence[str]) -> pd.DataFrame:
    """Columns of a series and quantity, with the cells, told apart by ``cell``, that were lost before they had it."""
    import pandas as pd

    mine = (frame["series"] == series).to_numpy(dtype=bool)
    if not mine.any():
        raise unknown("series", series, map(str, frame["series"].unique()))
    chosen = mine & (frame["quantity"] == quantity).to_numpy(dtype=bool)
    left = mine & ~chosen & (frame["status"] != "ok").to_numpy(dtype=bool)
    own, lost = (pd.DataFrame({name: frame[name].array[vector] for name in columns}) for vector in (chosen, left))
    if own.empty and lost.empty:
        # An algorithm may lack a quantity that others have (nothing is spent where nothing is private): no slip.
        if quantity in frame["quantity"].unique():
            raise NotEnoughError(f"series {series} has no {quantity}")
        raise unknown("quantity", quantity, map(str, frame["quantity"].unique()))
    if lost.empty:
        return own
    lost = lost.drop_duplicates(cell)
    known = pd.MultiIndex.from_frame(own[cell])
    return pd.concat([own, lost[~pd.MultiIndex.from_frame(lost[cell]).isin(known)]])


def _groups(rows: pd.DataFrame, keys: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The number of each row's group, in the order of the keys' values (NaN last), and the first row of each group."""
    import pandas as pd

    group = np.zeros(len(rows), dtype=np.intp)
    for key in keys:
        own, values = pd.factorize(rows[key], sort=True, use_na_sentinel=False)
        if len(values) > 1:
            # Numbered anew each time, so that many axes cannot overflow.
            group = np.unique(group * len(values) + own, return_inverse=True)[1]
    first = np.full(int(group.max(initial=-1)) + 1, len(rows), dtype=np.intp)
    np.minimum.at(first, group, np.arange(len(rows)))
    return group, first


def _repeated(group: NDArray[np.intp], replicate: NDArray[Any]) -> bool:
    """Whether a group has a replicate twice."""
    order = np.lexsort((replicate, group))
    return bool(((np.diff(group[order]) == 0) & (replicate[order][1:] == replicate[order][:-1])).any())


@dataclass(frozen=True)
class _Replicates:
    """Means over the rows of each group that are `good`; NaN where there is none."""

    group: NDArray[np.intp]
    groups: int
    good: NDArray[np.bool_]

    def count(self, of: NDArray[np.bool_]) -> NDArray[np.intp]:
        """How many rows of each group have a property."""
        return np.bincount(self.group[of], minlength=self.groups)

    def mean(self, values: pd.Series[Any] | Vector) -> tuple[Vector, Vector]:
        """The means of the values that are not NaN, and the sums of squared deviations from them."""
        array = np.asarray(values, dtype=float)
        there = self.good & ~np.isnan(array)
        group, array, count = self.group[there], array[there], self.count(there)
        # Sums go over deviations from one value of the group, so that equal replicates have no spread at all.
        middle = np.full(self.groups, np.nan)
        middle[group] = array
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            away = np.where(np.isfinite(array), array - middle[group], array)
            shift = np.bincount(group, away, minlength=self.groups) / count
            middle = np.where(np.isfinite(middle), middle, 0.0) + shift
            squares = np.bincount(group, (array - middle[group]) ** 2, minlength=self.groups)
        return middle, np.asarray(squares, dtype=float)

    def largest(self, values: pd.Series[Any] | Vector) -> Vector:
        """The largest value; NaN is none."""
        found = np.full(self.groups, -np.inf)
        np.fmax.at(found, self.group[self.good], np.asarray(values, dtype=float)[self.good])
        return np.where(self.count(self.good & ~np.isnan(np.asarray(values, dtype=float))) > 0, found, np.nan)


def grid_points(
    frame: pd.DataFrame,
    series: str,
    quantity: str = "excess_risk",
    *,
    divide: str = "",
    columns: Sequence[str] = (),
    axes: Sequence[str] = AXES,
    distinct: bool = False,
    envelope: Sequence[str] = (),
) -> pd.DataFrame:
    """One line for each grid point of a series, sorted by `axes`.

    `envelope` names further axes, of a family of instances: of the points that differ in them only the one with the
    largest mean value is kept, before any division, which is the family's worst (the maximum of means, not the mean of
    maxima; among points whose means are closer than their errors it is biased upwards by a fraction of these). Its
    trivial risk is the largest of the family, since a minimax claim compares both with the worst instance. If any point
    of a family failed, all did.

    Columns: the axes; `mean`, `error` (standard error of the mean, NaN for one replicate) and `count` over the
    replicates with status ok, of value divided by the column `divide` where one is named; `raw`, the mean of value
    itself; `largest`, the largest single cell; `lost`, how many cells failed; `state` and `why`; the means of
    `columns`; and `trivial`, the trivial risk, NaN where it is not known. States: `used`; `saturated` (mean value above
    a tenth of the trivial risk, where that is known); `skipped` and `failed` (no ok row at all); `unusable` (not a
    finite number, after the division). A point of which some replicates failed goes by the others, and `lost` says so.

    Raises:
        InputError: an unknown series, quantity or column, or, with `distinct`, several values for one grid point
            and replicate, which means that `axes` lacks an axis of the sweep.
    """
    import pandas as pd

    keys = [*(axis for axis in axes if axis not in envelope), *envelope]
    wanted = list(dict.fromkeys([*columns, *([divide] if divide else [])]))
    require_columns(frame, [*keys, *wanted])
    trivial = ["trivial_risk"] if "trivial_risk" in frame else []
    needed = dict.fromkeys([*keys, "replicate", "value", "status", *wanted, *trivial])
    rows = _selected(frame, series, quantity, [*keys, "replicate"], list(needed))
    good = (rows["status"] == "ok").to_numpy(dtype=bool)
    group, first = _groups(rows, keys)
    if distinct and _repeated(group[good], rows["replicate"].to_numpy()[good]):
        # Averaging over a further axis would hide both slopes and violations.
        raise InputError(
            f"series {series} has several values of {quantity} for one replicate at equal {', '.join(keys)}; "
            "name the sweep's further axes in axes"
        )
    over = _Replicates(group, len(first), good)
    value = rows["value"].astype(float)
    measured = value / rows[divide].astype(float) if divide else value
    count = over.count(good)
    why, failed = np.full(len(first), "", dtype=object), np.zeros(len(rows), dtype=bool)
    if not good.all():
        status = rows["status"].astype(str)
        why = status.where(~good).groupby(group).first().fillna("").to_numpy(dtype=object)
        failed = status.str.startswith("failed").to_numpy(dtype=bool)
    (mean, squares), raw = over.mean(measured), over.mean(value)[0]
    known = over.count(good & measured.notna().to_numpy())
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(known > 1, np.sqrt(squares / (known - 1.0) / count), np.nan)
    points = pd.DataFrame(
        {
            **{key: rows[key].array[first] for key in keys},
            # A NaN among the replicates must not be averaged away: it makes the point unusable.
            "mean": np.where(known == count, mean, np.nan),
            "error": error,
            "count": count,
            "raw": raw,
            "largest": over.largest(measured),
            "lost": over.count(failed),
            "why": why,
            **{name: over.mean(rows[name])[0] for name in wanted if name not in keys},
            "trivial": over.mean(rows["trivial_risk"])[0] if trivial else np.nan,
        }
    )
    if envelope:
        points = _worst(points, [key for key in keys if key not in envelope])
    saturated = points["raw"] > SATURATION * points["trivial"]
    bad = ~np.isfinite(points["mean"])
    none = points["count"] == 0
    points["state"] = np.select(
        [none & (points["lost"] > 0), none, bad, saturated], ["failed", "skipped", "unusable", "saturated"], "used"
    )
    return points.reset_index(drop=True)


def _worst(points: pd.DataFrame, outer: Sequence[str]) -> pd.DataFrame:
    """The point with the largest mean value of each family; see :func:`grid_points`."""
    family, _ = _groups(points, outer)
    raw = np.where(points["mean"].notna(), points["raw"], -np.inf)
    order = np.lexsort((-raw, family))
    worst = points.iloc[order[np.unique(family[order], return_index=True)[1]]]
    lost = np.bincount(family, points["lost"])
    trivial = points["trivial"].groupby(family).max()
    return worst.assign(lost=lost.astype(int), count=np.where(lost == 0, worst["count"], 0), trivial=trivial.to_numpy())


def averaged(frame: pd.DataFrame, over: Sequence[str]) -> pd.DataFrame:
    """The frame in which points that differ in these axes only are replicates of one point."""
    if not over:
        return frame
    require_columns(frame, over)
    replicate = frame.groupby([*over, "replicate"], dropna=False).ngroup()
    return frame.assign(replicate=replicate, **dict.fromkeys(over, 0.0))


def further_axes(frame: pd.DataFrame, config: Mapping[str, Any]) -> list[str]:
    """The axes of a run's sweeps beyond the main ones."""
    sweeps = [config.get("sweep", {})]
    series = config["study"].get("series", {})
    sweeps += [entry.get("sweep") or {} for entry in series.values() if isinstance(entry, Mapping)]
    return sorted({axis for sweep in sweeps for axis in sweep if axis not in AXES and axis in frame.columns})


def labels(points: pd.DataFrame, axis: str = "", axes: Sequence[str] = AXES) -> list[str]:
    """A name for each line: `n=1e4`, or `n=1e4, p=100` where further axes vary."""
    import pandas as pd

    shown = [name for name in axes if name == axis or points[name].nunique(dropna=False) > 1] or list(axes[:1])
    columns = []
    for name in shown:
        place, values = pd.factorize(points[name].astype(float), use_na_sentinel=False)
        columns.append(np.array([f"{name}={number(value)}" for value in values], dtype=object)[place])
    return [", ".join(line) for line in zip(*columns, strict=True)]


def by_state(points: pd.DataFrame, axis: str = "", axes: Sequence[str] = AXES) -> dict[str, list[str]]:
    """The names of the points of each state, with the reasons of the skipped and failed ones."""
    named: dict[str, list[str]] = {state: [] for state in STATES}
    columns = (points[name].tolist() for name in ("state", "why", "lost", "count"))
    for label, state, why, lost, count in zip(labels(points, axis, axes), *columns, strict=True):
        if state == "used" and not lost:
            named["used"].append(label)
            continue
        reason = str(why).partition(": ")[2]
        named[state].append(f"{label} ({reason})" if state in ("skipped", "failed") and reason else label)
        if lost and state != "failed":
            named["failed"].append(f"{label} ({lost} of {lost + count} cells: {reason})")
    return named


def sentence(named: dict[str, list[str]], most: int = 6) -> str:
    """`skipped: n=1e3 (premise); failed: n=1e4 (each: ZeroDivisionError)`: the points that are not evidence, in words.

    Points that share a reason are listed together with the reason once, `most` of them by name.
    """
    words = {"saturated": SATURATED_IN_WORDS}
    return "; ".join(
        f"{words.get(state, state)}: {_grouped(named[state], most)}" for state in STATES[1:] if named[state]
    )


def _grouped(points: Sequence[str], most: int) -> str:
    groups: dict[str, list[str]] = {}
    for point in points:
        label, _, reason = point.partition(" (")
        groups.setdefault(reason[:-1], []).append(label)
    parts, room = [], most
    for reason, named in groups.items():
        shown = named[:room]
        room -= len(shown)
        if shown:
            rest = f" and {len(named) - len(shown)} more" if len(named) > len(shown) else ""
            why = f" ({'each: ' if len(named) > 1 else ''}{reason})" if reason else ""
            parts.append(f"{', '.join(shown)}{rest}{why}")
    unnamed = sum(len(named) for named in list(groups.values())[len(parts) :])
    return ", ".join(parts) + (f" and {unnamed} more" if unnamed else "")


def single_curve(points: pd.DataFrame, axis: str, axes: Sequence[str] = AXES) -> pd.Series[int]:
    """A label for each line, equal on lines that differ in `axis` and the axes tied to it only.

    An axis is tied where each value of `axis` has one value of it (delta = 1/n^2): it moves along and tells no curves
    apart.
    """
    import pandas as pd

    others = [
        name for name in axes
        if name != axis and (points.groupby(axis)[name].nunique(dropna=False) > 1).any()
    ]  # fmt: skip
    if not others:
        return pd.Series(0, index=points.index)
    return points.groupby(others, dropna=False).ngroup()
