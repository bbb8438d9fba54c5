"""A run in a small table: one line for each series, grid point and quantity, as the reference folder keeps it."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dprepro.analysis.points import further_axes, grid_points
from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd

LEADING = ("series", "role", *AXES)
ALL = "*"
MEASURED = ("quantity", "mean", "standard_error", "replicates", "bound", "state")


def summary(frame: pd.DataFrame, config: Mapping[str, Any]) -> pd.DataFrame:
    """Means with standard errors over the replicates, from a run's measurements and its configuration.

    Columns: `series`, `role`, the axes, further axes of the sweep, then `quantity`, `mean`, `standard_error` (empty for
    one replicate), `replicates`, `bound` (mean), `state` (as the rules see the point). Where the experiment judges
    the worst of a family (its figure's `envelope`), only that member's line is kept; of the quantities, the risk and
    those that a check judges in the series.
    """
    import pandas as pd

    further = further_axes(frame, config)
    envelope = [name for name in config["figure"].get("envelope", ()) if name in further]
    tables = []
    judged = _judged(config["checks"])
    measured = frame[["series", "role", "quantity"]].drop_duplicates()
    for series, role, quantity in measured.itertuples(index=False):
        if quantity != "excess_risk" and not judged & {(series, quantity), (ALL, quantity)}:
            continue
        points = grid_points(
            frame, series, quantity, axes=[*AXES, *further], columns=["bound"], envelope=envelope
        )  # fmt: skip
        points = points.assign(series=series, role=role, quantity=quantity)
        tables.append(points.rename(columns={"error": "standard_error", "count": "replicates"}))
    table = pd.concat(tables, ignore_index=True)
    keys = [*LEADING, *further, "quantity"]
    return table[[*LEADING, *further, *MEASURED]].sort_values(keys, kind="stable", ignore_index=True)


def _judged(checks: Mapping[str, Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Series and quantity of all checks."""
    found = set()
    for check in checks.values():
        series = check.get("series", ALL)
        names = [series] if isinstance(series, str) else series or [ALL]
        found |= {(name, check.get("quantity", "excess_risk")) for name in (*names, check.get("against", ""))}
    return found


def to_csv(table: pd.DataFrame) -> bytes:
    """The table as CSV: axes in full, means with five digits, errors with three, the state `used` left empty."""
    digits = {"mean": 5, "standard_error": 3, "bound": 5}
    shown = table.assign(state=table["state"].where(table["state"] != "used", ""))
    for name in shown.columns:
        if shown[name].dtype.kind in "if" and name != "replicates":
            shown[name] = [_short(float(value), digits.get(name, 15)) for value in shown[name]]
    text = io.StringIO()
    shown.to_csv(text, index=False, lineterminator="\n")
    return text.getvalue().encode()


def _short(value: float, digits: int) -> str:
    """The shorter of the plain and the scientific spelling; nothing for NaN."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else f"{value}"
    plain, scientific = f"{value:.{digits}g}", f"{value:.{digits - 1}e}"
    mantissa, _, power = scientific.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return min(plain, f"{mantissa}e{int(power)}", key=len)
