"""Rules `ratio` and `affine`: two curves, or a curve and its rate, that agree up to a factor; an affine curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dprepro.analysis.fits import Interval, NotEnoughError, Vector, fit_bend, fit_mean, fit_step
from dprepro.analysis.lacking import remedy, threshold
from dprepro.analysis.points import by_state, grid_points, require_columns, sentence, single_curve
from dprepro.analysis.rule import Measured, Rule
from dprepro.axes import AXES
from dprepro.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# What the value is affine in, by the transform's name.
REGRESSORS: dict[str, Callable[[Vector], Vector]] = {
    "linear": lambda axis: axis,
    "log": np.log,
    "log_double": lambda axis: np.log(2 * axis),
    "log_inverse": lambda axis: -np.log(axis),
}


def _positive(points: pd.DataFrame) -> pd.DataFrame:
    """The same points; those whose mean is not positive have no logarithm and become unusable."""
    points.loc[(points["state"] == "used") & ~(points["mean"] > 0), "state"] = "unusable"
    return points


@dataclass(frozen=True, kw_only=True)
class Ratio(Rule):
    """Two curves agree up to the factor `expected`.

    These are `series` and `against` on the grid points that both have, or, within one series, the points that share a
    product (`collapse: [n, epsilon]`: only n epsilon enters), or `series` and its own column `divide`: with `rate`,
    which knows nothing of how an algorithm was run, the constant of a rate.

    Attributes:
        series: the numerator; with `divide` alone it may be several series, judged together.
        against: the denominator.
        collapse: instead of `against`: axes of which only the product matters; the other axes must agree. The ratio
            is then the factor by which the value changes over a decade of the first of these axes at a fixed product.
        divide: a column by which values are divided first, such as `rate`.
        axes: further columns that tell grid points apart.

    The estimate is a geometric mean over the points, with the 99% interval of a common factor
    (:func:`dprepro.analysis.fits.fit_step`, or `fit_mean` for a column). Saturated points are left out.

    Error rate: a true ratio is refuted in at most 1% of data sets, noise and scatter of the ratio over the grid
    included. Not protected: a ratio that moves along the grid, of which only the mean is judged; use `exponent` on it.
    """

    name: ClassVar[str] = "ratio"
    at_levels: ClassVar[bool] = True

    series: str | tuple[str, ...]
    against: str = ""
    collapse: tuple[str, ...] = ()
    expected: float = 1.0
    divide: str = ""
    axes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.against and self.collapse) or not (self.against or self.collapse or self.divide):
            raise InputError(
                "ratio needs one of against (a series) and collapse (axes of which the product matters), or divide (a "
                "column) alone"
            )
        if not isinstance(self.series, str) and (self.against or self.collapse):
            raise InputError("ratio compares one series; a list of series needs divide alone")

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        import pandas as pd

        axes = list(dict.fromkeys([*AXES, *self.axes, *self.collapse]))
        several = [self.series] if isinstance(self.series, str) else list(self.series)
        both = [
            _positive(
                grid_points(
                    frame, name, self.quantity, divide=self.divide, axes=axes, distinct=True, envelope=self.envelope
                )
            ).assign(step=step, series=name)
            for name, step in (*((name, 1.0) for name in several), *(((self.against, 0.0),) if self.against else ()))
        ]
        details: dict[str, object] = {}
        words = []
        for name, points in zip((*several, self.against), both, strict=False):
            named = by_state(points, axes[0], axes)
            details[name] = named
            if left_out := sentence(named):
                words.append(f"{name}: {left_out}" if len(both) > 1 else left_out)
        used = pd.concat([points[points["state"] == "used"] for points in both], ignore_index=True)
        if not (self.against or self.collapse):
            return self._constant(used, words, details)
        keys = [axis for axis in axes if axis not in self.collapse]
        if self.collapse:
            # 0.1 * 3e6 and 1 * 3e5 are one product, whatever the last bits say.
            product = used[list(self.collapse)].astype(float).prod(axis=1)
            used["product"] = [float(f"{value:.10g}") for value in product]
            keys.append("product")
        used["group"] = used.groupby(keys, dropna=False).ngroup().astype(float)
        if self.collapse:
            used["step"] = np.log10(used[self.collapse[0]].to_numpy(dtype=float))
        used = used[used.groupby("group")["step"].transform("nunique") > 1]
        if used.empty:
            limits = dict.fromkeys(filter(None, (threshold(points) for points in both)))
            return Measured(reason="; ".join(["no points to compare", *words, *limits]), details=details)
        mean = used["mean"].to_numpy(dtype=float)
        try:
            log = fit_step(
                np.log(mean), used["step"].to_numpy(float), used["group"].to_numpy(float),
                used["error"].to_numpy(float) / mean, used["count"].to_numpy(float), used["series"], self.level,
            )  # fmt: skip
        except NotEnoughError as error:
            return Measured(reason="; ".join([str(error), *words]), details=details)
        details["groups"] = int(used["group"].nunique())
        return Measured(interval=_exponential(log), reason="; ".join(words), details=details)

    def _constant(self, used: pd.DataFrame, words: list[str], details: dict[str, object]) -> Measured:
        mean = used["mean"].to_numpy(dtype=float)
        try:
            error, count = used["error"].to_numpy(float) / mean, used["count"].to_numpy(float)
            log = fit_mean(np.log(mean), error, count, used["series"], self.level)
        except NotEnoughError as error:
            return Measured(reason="; ".join([str(error), *words]), details=details)
        return Measured(interval=_exponential(log), reason="; ".join(words), details=details)


def _exponential(log: Interval) -> Interval:
    # Beyond the largest float a limit is infinite, which says what is to be said.
    with np.errstate(over="ignore"):
        return Interval(*(float(np.exp(value)) for value in (log.estimate, log.low, log.high)))


@dataclass(frozen=True, kw_only=True)
class Affine(Rule):
    """value / `divide` is affine in a transform of an axis (risk / lambda in ln(2p)).

    Attributes:
        series: one curve: only `axis`, and axes tied to it, vary.
        axis, transform: the regressor: `linear`, `log`, `log_double` = ln(2 axis), `log_inverse` = ln(1 / axis).
        divide: the column by which the value is divided.
        minimum_points: how many points must be left.
        axes: further columns that tell grid points apart.

    The estimate is the quadratic contribution at the end of the grid relative to the linear one, 0 for an affine curve
    and (q - 1) h / (2 c) for a power q of a regressor with centre c and half length h on the grid
    (:func:`dprepro.analysis.fits.fit_bend`): the margin .1 tells powers apart that differ by .2 c / h. Saturated
    points are left out.

    Error rate: an affine curve is refuted in at most 1% of data sets. Not protected: bends of third order, such as an
    S around its own chord.
    """

    name: ClassVar[str] = "affine"
    at_levels: ClassVar[bool] = True
    choices: ClassVar[dict[str, tuple[str, ...]]] = {"transform": tuple(REGRESSORS)}

    series: str
    axis: str = "p"
    transform: str = "log_double"
    divide: str = ""
    expected: float = 0.0
    minimum_points: int = 5
    axes: tuple[str, ...] = ()

    def measure(self, frame: pd.DataFrame) -> Measured:
        """See the class."""
        axes = list(dict.fromkeys([*AXES, *self.axes, self.axis]))
        require_columns(frame, [self.axis])
        points = _positive(
            grid_points(
                frame, self.series, self.quantity, divide=self.divide, axes=axes, distinct=True, envelope=self.envelope
            )
        )
        named = by_state(points, self.axis, axes)
        details: dict[str, object] = dict(named)
        left_out = "; ".join(filter(None, (sentence(named), threshold(points))))
        used = points[points["state"] == "used"]

        def no(words: str) -> Measured:
            return Measured(reason="; ".join(filter(None, (words, left_out))), details=details)

        if (values := used[self.axis].nunique()) < self.minimum_points:
            some = f"{values} usable value{'' if values == 1 else 's'} of {self.axis}"
            longer = remedy(self.axis, self.axes, self.minimum_points)
            return no(f"{some}, and {self.minimum_points} are needed: {longer}")
        if single_curve(used, self.axis, axes).nunique() > 1:
            return no(f"further axes than {self.axis} vary, and the rule is about one curve")
        columns = (used[name].to_numpy(dtype=float) for name in (self.axis, "mean", "error", "count"))
        axis, mean, error, count = columns
        try:
            bend = fit_bend(REGRESSORS[self.transform](axis), mean, error, count, self.level)
        except NotEnoughError as problem:
            return no(str(problem))
        return Measured(interval=bend, reason=sentence(named), details=details)
