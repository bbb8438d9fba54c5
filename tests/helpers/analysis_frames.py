"""Frames as the store gives them, for the rules to judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

AXES = {"n": 1e6, "p": 1000.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}


def make_frame(
    points: Sequence[dict[str, float]],
    value: Callable[[dict[str, float]], float],
    *,
    series: str = "hard",
    role: str = "claim",
    replicates: int = 3,
    noise: float = 0.0,
    seed: int = 0,
    quantity: str = "excess_risk",
    bound: Callable[[dict[str, float]], float] | None = None,
    status: Callable[[dict[str, float], int], str] = lambda at, replicate: "ok",
    **columns: Callable[[dict[str, float]], float],
) -> pd.DataFrame:
    """One row for each point and replicate, with log-normal noise on the value."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for point in points:
        at = {**AXES, **point}
        for replicate in range(replicates):
            said = status(at, replicate)
            measured = value(at) * np.exp(noise * rng.standard_normal()) if said == "ok" else np.nan
            rows.append(
                {
                    "experiment": "test", "series": series, "role": role, **at, "replicate": replicate,
                    "quantity": quantity, "value": measured, "bound": bound(at) if bound else np.nan,
                    "status": said, "seconds": 0.1, **{name: column(at) for name, column in columns.items()},
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def decades(axis: str, low: float, high: float, count: int) -> list[dict[str, float]]:
    """Grid points on one axis from 10^low to 10^high."""
    return [{axis: float(value)} for value in np.logspace(low, high, count)]


def noise_scale(at: dict[str, float]) -> float:
    return float(200 * at["n"] ** (-2 / 3))


def lasso_frame() -> pd.DataFrame:
    """A -2/3 rate with the saturation that the noise scale brings: what the tuned needle gives."""
    return make_frame(
        decades("n", 8, 11, 8),
        lambda at: noise_scale(at) * np.exp(-3 * noise_scale(at)),
        noise=0.0005,
        replicates=5,
        bound=lambda at: 50 * noise_scale(at),
        rate=lambda at: at["n"] ** (-2 / 3),
        noise_scale=noise_scale,
        trivial_risk=lambda at: 1.0,
    )
