"""A real table as a LASSO data set: bounds come from the user, never from the private values."""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dprepro.constructions.base import Construction, Point, unit_lasso_constants
from dprepro.errors import InputError, MissingDependency, unknown
from dprepro.problems import L1Ball, LeastSquares
from dprepro.problems.constants import Constants

if TYPE_CHECKING:
    import pandas as pd

FEWEST_ROWS = 10


@dataclass(frozen=True)
class Scaled:
    """A table mapped to [-1, 1]: features (rows, p), labels (rows,), how many values were clipped, and a hash."""

    features: NDArray[np.float64]
    labels: NDArray[np.float64]
    clipped_features: int
    clipped_labels: int
    digest: str


@dataclass(frozen=True)
class Table(Construction):
    """Columns of a table, clipped to public bounds and mapped affinely to [-1, 1]; l1 ball of radius 1.

    The data set at n is the first n rows of one random order of the table; an n beyond its length means all of it.

    Attributes:
        target: column of the labels.
        bounds: for every column used, [low, high] known without looking at the data. Values outside are clipped, and
            counted; the count is a plain statistic of the data, for the analyst's eyes, not a private release.
        features: columns to use; empty means all with bounds but the target.
        intercept: whether a column of ones is added.
        seed: of the random order.
    """

    target: str = ""
    bounds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    features: Sequence[str] = ()
    intercept: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.target:
            raise InputError("target names no column; give the one to be predicted, for example construction.target=y")
        for column in self.columns:
            if column not in self.bounds:
                raise InputError(
                    f"bounds for column {column} are missing; give them from public knowledge, for example "
                    f"'+construction.bounds={{{column}:[0,1]}}'"
                )
        for column, bound in self.bounds.items():
            if len(bound) != 2 or not -math.inf < bound[0] < bound[1] < math.inf:
                raise InputError(f"bounds of {column} must be [low, high] with low < high, got {list(bound)}")
        if self.target in self.used or len(set(self.used)) < len(self.used):
            raise InputError(f"features must be different columns without the target, got {', '.join(self.used)}")
        if not self.used:
            raise InputError("no feature is left; give bounds for at least one column besides the target")

    @property
    def used(self) -> tuple[str, ...]:
        """Feature columns, in order."""
        return tuple(self.features) or tuple(column for column in self.bounds if column != self.target)

    @property
    def columns(self) -> tuple[str, ...]:
        """Feature columns and the target."""
        return (*self.used, self.target)

    @abstractmethod
    def source(self) -> tuple[str, str]:
        """What to read, for messages and for the cache: a name and a version of its content."""

    @abstractmethod
    def read(self) -> pd.DataFrame:
        """The raw table; raises InputError or MissingDependency."""

    def scaled(self) -> Scaled:
        """The table in [-1, 1]; raises InputError for a column that is missing, not numeric or not complete."""
        return _scaled(self, self.source())

    def fingerprint(self) -> Mapping[str, str]:
        """SHA-256 of the scaled values: the same data under another path are the same data."""
        return {"data": self.scaled().digest}

    def settle(self, point: Point) -> dict[str, float]:
        """p is the table's, and n at most its length."""
        rows, p = self.scaled().features.shape
        return dict(point) | {"n": min(point["n"], rows), "p": p}

    def constants(self, point: Point) -> Constants:
        """Those of the unit LASSO at the table's p."""
        return unit_lasso_constants(point["n"], point["p"])

    def capabilities(self, point: Point) -> frozenset[str]:
        """Records, and moments made from them."""
        return frozenset({"records", "moments"})

    def build(self, point: Point, noise_scale: float) -> LeastSquares:
        """The first n rows in random order."""
        return _subsample(self, self.source(), int(point["n"]))

    def report(self, point: Point) -> Mapping[str, float]:
        """``clipped_features`` and ``clipped_labels``: how many values of the whole table lay outside their bounds."""
        scaled = self.scaled()
        return {"clipped_features": scaled.clipped_features, "clipped_labels": scaled.clipped_labels}


@dataclass(frozen=True)
class File(Table):
    """A CSV or Parquet file: ``path``, relative to where the command is run. The path is not part of a cell's key."""

    path: str = field(default="", metadata={"identity": False})

    def __post_init__(self) -> None:
        if not self.path:
            raise InputError("path names no file; give a CSV or Parquet file, for example construction.path=data.csv")
        super().__post_init__()

    def source(self) -> tuple[str, str]:
        """The path, with size and time of the file."""
        try:
            stat = Path(self.path).expanduser().stat()
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror}") from error
        return self.path, f"{stat.st_size} {stat.st_mtime_ns}"

    def read(self) -> pd.DataFrame:
        """The file's table."""
        import pandas as pd

        path = Path(self.path).expanduser()
        kind = path.suffix.lower()
        if kind not in (".csv", ".parquet"):
            raise unknown(f"file type of {self.path}:", path.suffix, [".csv", ".parquet"])
        try:
            return pd.read_csv(path) if kind == ".csv" else pd.read_parquet(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
            raise InputError(f"cannot read {self.path}: {reason}") from error


@dataclass(frozen=True)
class RandHealth(Table):
    """RAND Health Insurance Experiment, 20190 person-years, as shipped with statsmodels: outpatient visits and health.

    Bounds are set by what the columns can be (shares, indicator variables, logarithms of dollar amounts), not by what
    the sample holds; visits are capped at 20.
    """

    def source(self) -> tuple[str, str]:
        """The data set's name."""
        return "RAND health insurance data", "statsmodels"

    def read(self) -> pd.DataFrame:
        """The table; raises MissingDependency without statsmodels."""
        try:
            from statsmodels.datasets import randhie
        except ImportError as error:
            raise MissingDependency("this data set needs statsmodels: pip install 'dprepro[data]'") from error
        data: pd.DataFrame = randhie.load_pandas().data
        return data


@lru_cache(maxsize=2)
def _scaled_of(key: str, holder: _ByIdentity) -> Scaled:
    table = holder.table
    raw = table.read()
    name = table.source()[0]
    for column in table.columns:
        if column not in raw.columns:
            raise unknown(f"column of {name}:", column, raw.columns)
    if len(raw) < FEWEST_ROWS:
        raise InputError(f"{name} has {len(raw)} rows, at least {FEWEST_ROWS} are needed")
    values = {}
    clipped = {}
    for column in table.columns:
        series = raw[column]
        if series.dtype.kind not in "biuf":
            raise InputError(f"column {column} of {name} is not numeric ({series.dtype})")
        numbers = series.to_numpy(dtype=np.float64)
        if missing := int((~np.isfinite(numbers)).sum()):
            raise InputError(
                f"column {column} of {name} has {missing} values that are NaN or infinite; drop or fill them"
            )
        low, high = table.bounds[column]
        clipped[column] = int(((numbers < low) | (numbers > high)).sum())
        if clipped[column] == len(numbers):
            raise InputError(f"all values of {column} in {name} lie outside its bounds [{low:g}, {high:g}]")
        values[column] = 2 * (np.clip(numbers, low, high) - low) / (high - low) - 1
    order = np.random.default_rng(table.seed).permutation(len(raw))
    ones = [np.ones(len(raw))] if table.intercept else []
    features = np.column_stack([*ones, *(values[column] for column in table.used)])[order]
    labels = values[table.target][order]
    digest = hashlib.sha256(np.ascontiguousarray(features).tobytes() + labels.tobytes()).hexdigest()
    return Scaled(features, labels, sum(clipped[column] for column in table.used), clipped[table.target], digest)


class _ByIdentity:
    """Carries a table past the cache's key, which is the text of what determines the result."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity)


def _scaled(table: Table, source: tuple[str, str]) -> Scaled:
    return _scaled_of(repr((table, source)), _ByIdentity(table))


@lru_cache(maxsize=32)
def _subsample_of(key: str, n: int, holder: _ByIdentity) -> LeastSquares:
    scaled = holder.table.scaled()
    return LeastSquares.from_records(scaled.features[:n], scaled.labels[:n], L1Ball(scaled.features.shape[1]))


def _subsample(table: Table, source: tuple[str, str], n: int) -> LeastSquares:
    return _subsample_of(repr((table, source)), n, _ByIdentity(table))
