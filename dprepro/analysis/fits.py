"""Least squares on the logarithms of a few grid points, with intervals that do not promise too much.

Pure functions on arrays. A grid point is the mean of a few replicates (often one, often an exact computation), and
there are few points, so two sources of error are looked at, and the wider interval counts:

- the **replicates**: standard errors of the points, carried through the fit: each point's own with Satterthwaite
  degrees of freedom, and those of the spread that all points of a series have in common, with the degrees of freedom
  of all (`Errors`), the wider of both;
- the **misfit**: the residuals of the points, as the larger of the usual estimate and HC3 (which allows for points
  of unequal noise), with points minus unknowns degrees of freedom. It is all there is for one replicate.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprepro.errors import DpreproError

LEVEL = 0.99
"""Confidence level of every interval of a verdict."""

CURVATURE_LEVEL = 0.90
"""Curvature beyond its interval of this level is believed. Lower than LEVEL: overlooking it is the worse error."""

EXTRAPOLATION = 2.0
"""How far a believed curvature is followed, in half lengths of the grid from its centre: 1 would be its end."""

Vector = NDArray[np.float64]


class NotEnoughError(DpreproError):
    """The points cannot carry the fit; the message says why, and the check is inconclusive."""


@dataclass(frozen=True)
class Interval:
    """An estimate with its limits, in the units of the fitted quantity."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Slope(Interval):
    """A common slope of y on x; `drift` is the part of the half width that stands for curvature."""

    drift: float


@dataclass(frozen=True)
class Errors:
    """Standard errors of points by their replicates, in two ways; arrays of one entry for each point.

    Attributes:
        own: each point's own, that of its pool where it has one replicate; ``freedom`` are their degrees of freedom.
        pooled: by the common spread of all points of a pool; ``pool_freedom`` are the degrees of freedom of the pool.
        pool: the number of each point's pool, from 0.
    """

    own: Vector
    freedom: Vector
    pooled: Vector
    pool_freedom: Vector
    pool: NDArray[np.intp]

    def half_width(self, weights: Vector, level: float) -> float:
        """Half width of the interval of ``weights`` @ values, by both ways: the wider one.

        Two to four replicates say next to nothing about the spread of their point: that of a pool has the degrees of
        freedom of all. Where spreads differ, the points' own errors with Satterthwaite degrees of freedom see it.
        """
        own = (weights * self.own) ** 2
        pools: Vector = np.bincount(self.pool, (weights * self.pooled) ** 2).astype(float)
        freedom = np.bincount(self.pool, self.pool_freedom) / np.bincount(self.pool)
        return max(_satterthwaite(own, self.freedom, level), _satterthwaite(pools, freedom, level))


def _satterthwaite(parts: Vector, freedom: Vector, level: float) -> float:
    """Half width by independent parts of a variance, each with its degrees of freedom."""
    from scipy.special import stdtrit

    total = float(parts.sum())
    if not total > 0:
        return 0.0
    return float(np.sqrt(total) * stdtrit(total**2 / float(np.sum(parts**2 / freedom)), 0.5 + level / 2))


def replicate_errors(error: Vector, count: Vector, series: ArrayLike | None = None) -> Errors | None:
    """The errors of points with the standard errors ``error`` and ``count`` replicates; None where none has replicates.

    ``series`` are labels: the points of each are a pool. One without any replicates has the pool of all.
    """
    several = (count > 1) & np.isfinite(error)
    if not several.any():
        return None
    labels = np.zeros(len(error)) if series is None else np.asarray(series)
    pool = np.unique(labels, return_inverse=True)[1]
    pool[~np.isin(pool, pool[several])] = pool.max() + 1
    pool = np.unique(pool, return_inverse=True)[1]
    freedom = np.where(several, count - 1, 0)
    squares = np.where(several, freedom * np.nan_to_num(error) ** 2 * count, 0.0)
    sums, known = np.bincount(pool, squares), np.bincount(pool, freedom)
    sums, known = (np.where(known > 0, vector, vector.sum()) for vector in (sums, known))
    pooled = np.sqrt((sums / known)[pool] / count)
    return Errors(
        own=np.where(several, error, pooled),
        freedom=np.where(several, freedom, known[pool]).astype(float),
        pooled=pooled,
        pool_freedom=known[pool].astype(float),
        pool=pool,
    )


def _half_width(
    weights: Vector,
    residual: Vector,
    leverage: Vector,
    errors: Errors | None,
    freedom: int,
    level: float,
) -> Vector:
    """Half width of the interval of the linear functional `weights` of the points: see the module's docstring.

    ``residual`` has shape (m,), or (m, draws) for several data sets with the same errors; so has the answer, less m.
    """
    from scipy.special import stdtrit

    half = np.zeros(residual.shape[1:])
    if freedom > 0:
        usual = np.sqrt(np.sum(residual**2, axis=0) / freedom * (weights @ weights))
        free = np.clip(1 - leverage, 0, None)
        safe = free > 1e-6  # a point that is fitted exactly by a column of its own has no residual to judge by
        unequal = np.sqrt((weights[safe] / free[safe]) ** 2 @ residual[safe] ** 2)
        half = np.maximum(usual, unequal) * float(stdtrit(freedom, 0.5 + level / 2))
    if errors is not None:
        half = np.maximum(half, errors.half_width(weights, level))
    return np.asarray(half)


class LeastSquares:
    """Ordinary least squares of `y` (m points) on the columns of `design`.

    `error` are the points' standard errors (NaN where unknown), `count` their numbers of replicates, `series` labels of
    points with a common spread.

    Raises:
        NotEnoughError: fewer points than unknowns and one to spare, or columns that the points cannot tell apart.
    """

    def __init__(
        self, design: Vector, y: Vector, error: Vector, count: Vector, series: ArrayLike | None = None
    ) -> None:
        points, unknowns = design.shape
        if points <= unknowns:
            raise NotEnoughError(f"too few points to fit: {points} for {unknowns} unknown{'s' if unknowns > 1 else ''}")
        # Columns of length one make the rank a question of angles, not of units.
        length = np.linalg.norm(design, axis=0)
        if (length == 0).any() or np.linalg.matrix_rank(design / length, tol=1e-8) < unknowns:
            raise NotEnoughError("the regressors cannot be told apart on these points (a constant or collinear column)")
        self.inverse = np.linalg.pinv(design / length) / length[:, None]
        self.design = design
        self._fit(y)
        self.leverage = np.einsum("ij,ji->i", design, self.inverse)
        self.errors = replicate_errors(error, count, series)
        self.freedom = points - unknowns

    def _fit(self, y: Vector) -> None:
        self.coefficients = self.inverse @ y
        self.residual = y - self.design @ self.coefficients

    def again(self, y: Vector) -> LeastSquares:
        """The same fit of other values, shape (m,) or (m, draws), with the same errors."""
        other = copy(self)
        other._fit(y)
        return other

    def half_widths(self, contrast: ArrayLike, level: float = LEVEL) -> Vector:
        """Half width of the interval of `contrast` @ coefficients, for each data set."""
        weights = np.asarray(contrast, dtype=float) @ self.inverse
        return _half_width(weights, self.residual, self.leverage, self.errors, self.freedom, level)

    def half_width(self, contrast: ArrayLike, level: float = LEVEL) -> float:
        """`half_widths`, for one data set."""
        return float(self.half_widths(contrast, level))

    def interval(self, index: int, level: float = LEVEL) -> Interval:
        """Coefficient number `index` with its interval."""
        half = self.half_width(np.eye(len(self.coefficients))[index], level)
        estimate = float(self.coefficients[index])
        return Interval(estimate, estimate - half, estimate + half)


def dummies(group: Vector) -> Vector:
    """One column for each label."""
    dummies: Vector = (group[:, None] == np.unique(group)[None, :]).astype(float)
    return dummies


def _arrays(y: Vector, error: ArrayLike | None, count: ArrayLike | None) -> tuple[Vector, Vector]:
    nothing, vector = np.full(len(y), np.nan), np.ones(len(y))
    return (
        nothing if error is None else np.asarray(error, dtype=float),
        vector if count is None else np.asarray(count, dtype=float),
    )


def fit_slope(
    x: ArrayLike,
    y: ArrayLike,
    error: ArrayLike | None = None,
    count: ArrayLike | None = None,
    group: ArrayLike | None = None,
    level: float = LEVEL,
) -> Slope:
    """The slope of `y` on `x` with its interval of `level`; for a rate both are natural logarithms.

    Args:
        x, y: one entry for each grid point.
        error: standard errors of `y` from the replicates, NaN where there is one replicate only.
        count: numbers of replicates.
        group: labels; each group gets its own constant, the slope is common.

    Not weighted: with two to five replicates an estimated weight does more harm than unequal noise does.

    The half width is that of the module's docstring plus a drift. For the drift a quadratic term is added to the fit;
    the part of it beyond its own 90% interval is followed to twice the half length of the grid, and the change of
    slope up to there is added. A straight plot pays nothing, an (exactly) curved one becomes inconclusive.

    Error rates, measured by tests/analysis/test_error_rates.py on power laws with log-normal noise of .01 to .2, 1 to
    5 replicates, 5 to 10 points, noise equal or four times larger at the ends: the interval misses the exponent in
    about 0.15% of data sets (2.5% in the worst regime: one replicate, six points, unequal noise).

    Not protected: curvature that noise hides, and exponents that the grid does not reach. n^(-1/2) log n has local
    slope -1/2 + 1/log n, so on any grid that a machine can run the fit says about -0.43 and, as soon as noise hides
    the curvature, says it firmly: :mod:`dprepro.analysis.rivals` says which such rates are excluded. Where the second
    of two terms dominates all over the grid, its exponent is the one that is measured.

    Raises:
        NotEnoughError: too few points for the unknowns, or collinear columns.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    error, count = _arrays(y, error, count)
    labels = np.zeros(len(x)) if group is None else np.asarray(group, dtype=float)
    half_length = (x.max() - x.min()) / 2
    if not half_length > 0:
        raise NotEnoughError("the axis has one value only")
    u = (x - (x.max() + x.min()) / 2) / half_length
    design = np.hstack([u[:, None], dummies(labels)])
    line = LeastSquares(design, y, error, count).interval(0, level)
    drift = 0.0
    try:
        curve = LeastSquares(np.hstack([design, (u**2)[:, None]]), y, error, count).interval(
            design.shape[1], CURVATURE_LEVEL
        )
        believed = max(0.0, abs(curve.estimate) - (curve.high - curve.low) / 2)
        drift = 2 * EXTRAPOLATION * believed
    except NotEnoughError:
        # One degree of freedom is left, and its quantile of 64 already covers any curvature of the residuals.
        pass
    half = (line.high - line.low) / 2 + drift
    slope = line.estimate / half_length
    return Slope(slope, slope - half / half_length, slope + half / half_length, drift / half_length)


def fit_mean(
    y: ArrayLike,
    error: ArrayLike | None = None,
    count: ArrayLike | None = None,
    series: ArrayLike | None = None,
    level: float = LEVEL,
) -> Interval:
    """The mean of `y` over the points with its interval of `level`; `series` are labels of points of one spread.

    Raises:
        NotEnoughError: fewer than two points.
    """
    y = np.asarray(y, dtype=float)
    return LeastSquares(np.ones((len(y), 1)), y, *_arrays(y, error, count), series).interval(0, level)


def fit_step(
    y: ArrayLike,
    step: ArrayLike,
    group: ArrayLike,
    error: ArrayLike,
    count: ArrayLike,
    series: ArrayLike | None = None,
    level: float = LEVEL,
) -> Interval:
    """The common change of `y` with one unit of `step` within each `group`, with its interval of `level`.

    `series` are labels of points of one spread.

    Raises:
        NotEnoughError: too few points; two groups of two are the least.
    """
    y, step = np.asarray(y, dtype=float), np.asarray(step, dtype=float)
    design = np.hstack([step[:, None], dummies(np.asarray(group, dtype=float))])
    return LeastSquares(design, y, *_arrays(y, error, count), series).interval(0, level)


def fit_bend(x: ArrayLike, y: ArrayLike, error: ArrayLike, count: ArrayLike, level: float = LEVEL) -> Interval:
    """How far positive `y` is from affine in `x`: the quadratic over the linear contribution at the end of the grid.

    0 is affine. x^q on a grid of centre c and half length h gives about (q - 1) h / (2 c). The noise is taken as
    relative to `y`. The interval (`level`) is linearised in the ratio.

    Raises:
        NotEnoughError: too few points, or a slope that is less than twice its own half width, which leaves no ratio.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    error, count = _arrays(y, error, count)
    half_length = (x.max() - x.min()) / 2
    if not half_length > 0:
        raise NotEnoughError("the axis has one value only")
    u = (x - (x.max() + x.min()) / 2) / half_length
    design = np.column_stack([np.ones_like(u), u, u**2]) / y[:, None]
    fit = LeastSquares(design, np.ones_like(y), error / y, count)
    _, slope, quadratic = (float(c) for c in fit.coefficients)
    own = fit.half_width([0, 1, 0])
    if not abs(slope) > 2 * own:
        raise NotEnoughError(f"the slope {slope:.3g} +- {own:.3g} is too uncertain to compare a curvature with")
    bend = quadratic / slope
    half = fit.half_width([0, -bend / slope, 1 / slope], level)
    return Interval(bend, bend - half, bend + half)
