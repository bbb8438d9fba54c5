"""The measurements of a run as a frame."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.axes import AXES

if TYPE_CHECKING:
    import pandas as pd


_UNMEASURED: list[Any] = [["excess_risk", None, None, {}]]


def frame_of(
    experiment: str, places: Sequence[tuple[bytes, str, str]], stored: Mapping[bytes, Sequence[Any]]
) -> pd.DataFrame:
    """One line for each (key, series, role) of ``places`` that is stored, and quantity.

    ``stored`` has status, seconds, axes, replicate, rows of each cell.
    """
    import numpy as np
    import pandas as pd

    # one parse of everything: a call of json.loads per cell would double the time
    rows = json.loads(f"[{','.join([cell[4] for cell in stored.values()])}]")
    points = {text: json.loads(text) for text in {cell[2] for cell in stored.values()}}
    cells = {
        key: (*cell[:4], measured or _UNMEASURED) for (key, cell), measured in zip(stored.items(), rows, strict=True)
    }

    lines: list[tuple[Any, ...]] = []
    for key, series, role in places:
        if key not in cells:
            continue
        status, seconds, axes, replicate, measured = cells[key]
        point = points[axes]
        for quantity, value, bound, own in measured:
            lines.append((key, series, role, point, replicate, quantity, value, bound, own, status, seconds))
    columns = list(zip(*lines, strict=True)) or [()] * 11
    key_of, series_of, role_of, point_of, replicates, quantities, values, bounds, owns, statuses, seconds_of = columns

    further = sorted(set(itertools.chain.from_iterable(points.values())).difference(AXES))
    axis = {name: np.array([p.get(name, np.nan) for p in point_of], dtype=float) for name in (*AXES, *further)}
    for name in ("n", "p"):
        if (axis[name] % 1 == 0).all() and axis[name].max(initial=0.0) < 2.0**63:
            axis[name] = axis[name].astype(np.int64)
    study = {name: [own.get(name) for own in owns] for name in sorted(set(itertools.chain.from_iterable(owns)))}
    return pd.DataFrame(
        {
            "experiment": [experiment] * len(lines),
            "series": series_of,
            "role": role_of,
            **{name: axis[name] for name in AXES},
            "replicate": np.array(replicates, dtype=np.int64),
            "quantity": quantities,
            "value": np.array(values, dtype=float),
            "bound": np.array(bounds, dtype=float),  # None becomes NaN
            "status": statuses,
            "seconds": np.array(seconds_of, dtype=float),
            **{name: axis[name] for name in further},
            **study,
            "key": [key.hex() for key in key_of],
        }
    )
