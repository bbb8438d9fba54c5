"""Which false rates a fitted exponent could be mistaken for: powers with a logarithm, n^a ln^b n, and powers near by.

On any grid n^a ln^b n looks like the power whose exponent is its mean local slope, a + b/ln n; the rival that is
worst for a claim n^e has exactly that mean. What tells them apart is curvature. It is tested by a column ln ln n beside
ln n: its coefficient is 0 for a power, b for the rival, and has an interval like the exponent. A rival is *excluded*
where its b lies outside of that interval; where one is not, a verdict holds up to logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dprepro.analysis.fits import LEVEL, LeastSquares, NotEnoughError, Vector, dummies

POWERS_OF_LOG = (-1.0, -0.5, 0.5, 1.0, 1.5)
"""b of the rivals n^a ln^b n."""

NEAR = 0.05
"""Distance of the rivals that are pure powers."""

DRAWS = 200
SEED = 20261122


@dataclass(frozen=True)
class Rival:
    """A false rate.

    Attributes:
        name: in the words of a rate, such as ``n^-0.7 ln n``.
        exponent, log_power: a and b of n^a ln^b n.
        excluded: by these measurements.
        power: share of draws of the claim itself, at this grid and noise, that exclude it.
    """

    name: str
    exponent: float
    log_power: float
    excluded: bool
    power: float

    def to_dict(self) -> dict[str, float | str | bool]:
        """For verdict.json."""
        return dict(vars(self))


def rivals(
    axis: str, x: Vector, y: Vector, error: Vector, count: Vector, curve: Vector, claim: float, low: float, high: float
) -> list[Rival]:
    """The rivals of the claim that y = ln value falls as ``claim`` times x = ln axis.

    Args:
        axis: its name, for words.
        x, y: one entry for each point; axis > e.
        error, count: standard errors of y (NaN where unknown) and replicates.
        curve: labels of curves with constants of their own.
        claim: the exponent that is claimed.
        low, high: the interval of the measured exponent.
    """
    found = [
        Rival(f"{axis}^{_short(claim + off)}", claim + off, 0.0, not low <= claim + off <= high, 1.0)
        for off in (-NEAR, NEAR)
    ]
    lowest, highest, widths = _log_power(x, y, error, count, curve)
    for b in POWERS_OF_LOG:
        # the mean local slope over the grid is the claim's
        exponent = claim - b * (np.log(x.max()) - np.log(x.min())) / (x.max() - x.min())
        name = f"{axis}^{_short(float(exponent))} {_logarithm(axis, b)}"
        excluded = not lowest <= b <= highest
        found.append(Rival(name, float(exponent), b, excluded, float(np.mean(np.abs(b - widths[0]) > widths[1]))))
    return found


def surviving(found: list[Rival]) -> list[Rival]:
    """The rivals with a logarithm that are not excluded."""
    return [rival for rival in found if rival.log_power and not rival.excluded]


def powers_in_words(axis: str, powers: Sequence[float]) -> str:
    """The powers of the logarithm that survive: ``ln^1.5 n``, ``ln^±0.5 n``, ``ln^(-1 to 1.5) n``; empty of none.

    No others than `POWERS_OF_LOG` are tried: where the largest survives, larger ones may.
    """
    low, high = min(powers, default=0.0), max(powers, default=0.0)
    if low < 0 < high:
        return f"ln^±{high:g} {axis}" if -low == high else f"ln^({low:g} to {high:g}) {axis}"
    return _logarithm(axis, max(low, high, key=abs)) if powers else ""


def _log_power(
    x: Vector, y: Vector, error: Vector, count: Vector, curve: Vector
) -> tuple[float, float, tuple[Vector, Vector]]:
    """The interval of the power of the logarithm, and its estimates and half widths in draws of a pure power.

    The draws have the points' own errors and, where replicates say nothing, the scatter about the fit. An interval of
    all numbers where there are too few points.
    """
    half_length = (x.max() - x.min()) / 2
    design = np.hstack([((x - x.mean()) / half_length)[:, None], dummies(curve), np.log(x)[:, None]])
    place = design.shape[1] - 1
    contrast = np.eye(design.shape[1])[place]
    try:
        fit = LeastSquares(design, y, error, count)
    except NotEnoughError:
        return -np.inf, np.inf, (np.zeros(DRAWS), np.full(DRAWS, np.inf))
    half = fit.half_width(contrast)
    estimate = float(fit.coefficients[place])
    scatter = float(np.sqrt(fit.residual @ fit.residual / fit.freedom))
    spread = np.where(np.isfinite(error) & (error > 0), error, 0.0)
    noise = np.maximum(spread, scatter) * np.random.default_rng(SEED).standard_normal((DRAWS, x.size))
    again = fit.again(noise.T)
    return estimate - half, estimate + half, (again.coefficients[place], again.half_widths(contrast))


def _short(value: float) -> str:
    return f"{value:.3g}"


def _logarithm(axis: str, power: float) -> str:
    return f"ln {axis}" if power == 1 else f"ln^{power:g} {axis}"


__all__ = ["LEVEL", "NEAR", "POWERS_OF_LOG", "Rival", "powers_in_words", "rivals", "surviving"]
