"""A person's table as a data set: bounds come from its public schema, never from the private values."""

from __future__ import annotations

import hashlib
import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from dprepro.constructions.base import Construction, Point, constraint_set, loss_of
from dprepro.errors import InputError
from dprepro.practice.encoding import Encoded, encode
from dprepro.practice.reading import RawTable, read_table
from dprepro.practice.schema import Column, Schema, load_schema
from dprepro.problems import Domain, Loss, Problem, Records, RecordsView, derived_representations
from dprepro.problems.losses import HingeLoss, LogisticLoss, MarginLoss
from dprepro.problems.problem_data import FloatArray, IntArray
from dprepro.support.frozen import normalise

DPREPRO_READS = ()  # a table's content is in its fingerprint

TABLES_KEPT = 2


@dataclass(eq=False)
class KeptRecords:
    """An encoded table, and the problems that were made of it, by domain and part."""

    encoded: Encoded
    problems: dict[tuple[Domain, float, int], Problem] = field(default_factory=dict)


_tables: dict[str, KeptRecords] = {}  # those read last, by the text of all that determines them


@dataclass(frozen=True)
class Table(Construction):
    """Columns of a table, by their public schema in [-1, 1], with any loss of a margin over any set.

    The data set at n is the first n records of one random order, after those that are held out; an n beyond them means
    all.

    Attributes:
        schema: a YAML file with the public schema (`dprepro.practice.schema.Schema`); or, for numeric columns alone:
        target, bounds, features: the column of the labels, [low, high] of every column used, and the columns to use
            (empty: all with bounds but the target). Values outside are clipped.
        columns: in place of bounds and features, what a schema says of the columns.
        intercept: whether a column of ones is added (a schema says so itself).
        seed: of the random order.
        loss: its word, or the loss itself; empty: logistic for classes, else squared.
        constraint_set, radius: the word of the set and its size.
        holdout: share of the records that is held out, to judge answers by. split: which part that is, counted from 0;
            the parts of different splits overlap like random ones.
        copies: how often each record stands: data like these, and more of them.
        task: what the experiment is for; another target is refused.
    """

    schema: str = field(default="", metadata={"identity": False})
    target: str = ""
    bounds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    features: Sequence[str] = ()
    columns: Mapping[str, Column] = field(default_factory=dict)
    intercept: bool = True
    seed: int = 0
    loss: Loss | str = ""
    constraint_set: Literal["l1_ball", "l2_ball", "simplex", "box"] = "l1_ball"
    radius: float = 1.0
    holdout: float = 0.0
    split: float = 0
    # n is an axis of its own, and tells how many copies there are
    copies: float = field(default=1, metadata={"identity": False})
    task: Literal["", "regression", "classification"] = field(default="", metadata={"identity": False})

    counts: ClassVar[tuple[str, ...]] = (
        "clipped_features", "clipped_labels", "dropped_records", "filled_features", "surplus_rows",
    )  # fmt: skip

    def __post_init__(self) -> None:
        self._demand("holdout", 0 <= self.holdout < 1, "in [0, 1)")
        self._demand("radius", 0 < self.radius < math.inf, "above 0")
        self._demand("split", self.split >= 0 and self.split == int(self.split), "0, 1, 2, ...")
        self._demand("copies", self.copies >= 1 and self.copies == int(self.copies), "1, 2, 3, ...")
        classes = self.public.classification  # a schema that says nothing is refused here
        found = "classification" if classes else "regression"
        if self.task not in ("", found):
            raise InputError(
                f"the target {self.public.target} is a {found}: run +experiment=table_{found}"
                + ("" if classes else ", or make two classes of it by above: a public threshold")
            )
        if not self.loss:
            normalise(self, loss="logistic" if classes else "squared")
        loss = loss_of(self.loss)
        if not isinstance(loss, MarginLoss):
            raise InputError(f"a table needs a loss of a prediction, {type(loss).__name__} is one of a distance")
        if isinstance(loss, LogisticLoss | HingeLoss) and not classes:
            raise InputError(
                f"{type(loss).__name__} needs a target of two classes, {self.public.target} has numbers; give it two "
                "categories, or above: a public threshold"
            )

    @property
    def measures(self) -> tuple[str, ...]:
        scores = ("error_rate", "accuracy", "auc") if self.public.classification else (
            "holdout_rmse", "holdout_mae", "r_squared",
        )  # fmt: skip
        return (*self.counts, *(scores if self.holdout else ()))

    @cached_property
    def public(self) -> Schema:
        """The schema; raises InputError for one that is lacking or wrong."""
        if self.schema:
            if self.target or self.bounds or self.features or self.columns:
                raise InputError("schema stands in the place of target, bounds and features: give one or the other")
            return load_schema(self.schema)
        if not self.target:
            raise InputError(
                "neither schema nor target is given; draft a schema with python -m dprepro schema TABLE.csv, fill it "
                "in, and give construction.schema=FILE.yaml"
            )
        if self.columns:
            if self.bounds or self.features:
                raise InputError("columns stand in the place of bounds and features: give one or the other")
            return Schema(self.target, self.columns, self.intercept)
        used = tuple(self.features) or tuple(column for column in self.bounds if column != self.target)
        for column in (*used, self.target):
            if column not in self.bounds:
                raise InputError(
                    f"bounds for column {column} are missing; give them from public knowledge, for example "
                    f"'+construction.bounds={{{column}:[0,1]}}'"
                )
        if self.target in used or len(set(used)) < len(used):
            raise InputError(f"features must be different columns without the target, got {', '.join(used)}")
        columns = {}
        for column in (*used, self.target):
            try:
                columns[column] = Column(range=tuple(self.bounds[column]))
            except InputError as error:
                raise InputError(f"bounds of {column}: {error}") from error
        return Schema(self.target, columns, self.intercept)

    @abstractmethod
    def source(self) -> tuple[str, str]:
        """What to read, for messages and for the cache: a name and a version of its content."""

    @abstractmethod
    def read(self) -> RawTable:
        """The raw table; raises InputError or MissingDependency."""

    @property
    def encoded(self) -> Encoded:
        """The table in [-1, 1]; raises InputError for a column that is missing or breaks the schema."""
        return self._kept().encoded

    def _kept(self) -> KeptRecords:
        key = repr((self.public, self.source(), self.seed))
        if key not in _tables:
            while len(_tables) >= TABLES_KEPT:
                del _tables[next(iter(_tables))]
            _tables[key] = KeptRecords(encode(self.read(), self.public, self.source()[0], self.seed))
        return _tables[key]

    def fingerprint(self) -> Mapping[str, str]:
        """SHA-256 of the encoded values and of the schema: the same data under another path are the same data."""
        public = hashlib.sha256(repr(self.public).encode()).hexdigest()
        return {"data": self.encoded.digest, "schema": public}

    def resolve(self, point: Point) -> dict[str, float]:
        """p is the table's, and n at most what is not held out."""
        return dict(point) | {"n": min(point["n"], len(self._parts()[0])) * self.copies, "p": self.public.p}

    def domain(self, point: Point) -> Domain:
        """Bounds of one record by the schema: every entry in [-1, 1], and its l2 norm where the set is round."""
        within = constraint_set(self.constraint_set, self.public.p, self.radius)
        loss = loss_of(self.loss)
        if self.constraint_set == "l2_ball":
            return Domain(loss, within, point["n"], math.sqrt(self.public.squared_length), 2)
        return Domain(loss, within, point["n"], feature_norm=math.inf)

    def representations(self, point: Point) -> frozenset[str]:
        return derived_representations(self.domain(point), frozenset({"records"}))

    def build(self, point: Point, noise_scale: float) -> Problem:
        kept, domain, n = self._kept(), self.domain(point), int(point["n"])
        key = domain, self.holdout, int(self.split)
        if key not in kept.problems:
            rows = self._parts()[0][: n // int(self.copies)]
            data = Records(kept.encoded.features[rows], kept.encoded.labels[rows], np.full(len(rows), self.copies))
            records = RecordsView(domain, data)
            # a quadratic risk is the same by its moments, and its gradient then costs p^2 instead of n p
            moments = {"moments": records.to_moments} if domain.loss.quadratic is not None else {}
            kept.problems[key] = Problem(domain, {**moments, "records": records})
        return kept.problems[key]

    def report(self, point: Point) -> Mapping[str, float]:
        """How many values were clipped or filled, and rows dropped, in the whole table: facts of the private data."""
        counts = self.encoded.counts
        found = [counts[what] for what in ("clipped", "clipped_labels", "dropped", "filled", "surplus")]
        return dict(zip(self.counts, found, strict=True))

    def score(self, point: Point, theta: FloatArray) -> Mapping[str, float]:
        """What an answer is worth on the records held out: errors in the target's own unit, or accuracy and AUC."""
        rows = self._parts()[1]
        if not len(rows):
            return {}
        encoded = self.encoded
        prediction, labels = encoded.features[rows] @ theta, encoded.labels[rows]
        if self.public.classification:
            right = float(np.mean(0.5 * (1 + np.sign(prediction) * labels)))  # a tie is a coin's toss
            found = {"error_rate": 1 - right, "accuracy": right}
            area = area_under_curve(labels, prediction)
            return found | ({} if area is None else {"auc": area})
        # predictions are clipped to the public range, as labels are
        residual, scale = np.clip(prediction, -1, 1) - labels, self.public.scale()
        spread = float(np.mean((labels - labels.mean()) ** 2))
        found = {
            "holdout_rmse": scale * math.sqrt(float(np.mean(residual**2))),
            "holdout_mae": scale * float(np.mean(np.abs(residual))),
        }
        return found | ({"r_squared": 1 - float(np.mean(residual**2)) / spread} if spread > 0 else {})

    def _parts(self) -> tuple[IntArray, IntArray]:
        """Numbers of the records to learn from, and of those held out; of a place it is drawn which part it is in."""
        encoded, total = self.encoded, self.encoded.total
        order = encoded.shuffled(self.seed, int(self.split)) if self.holdout else np.arange(total)
        kept = total - round(self.holdout * total)
        learnt, held = encoded.at(order[:kept]), encoded.at(order[kept:])
        if not len(learnt):
            raise InputError(f"holdout={self.holdout:g} leaves no record of {len(encoded.labels)} to learn from")
        return learnt, held


def area_under_curve(labels: FloatArray, prediction: FloatArray) -> float | None:
    """The share of pairs of a +1 and a -1 that predictions order rightly, a tie being half; None of one class alone."""
    from scipy.stats import rankdata

    above = labels > 0
    first, second = int(above.sum()), int((~above).sum())
    if not first or not second:
        return None
    return float((rankdata(prediction)[above].sum() - first * (first + 1) / 2) / (first * second))


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
        except (OSError, RuntimeError, ValueError) as error:  # nobody's home, a NUL
            raise InputError(f"cannot read {self.path}: {getattr(error, 'strerror', None) or error}") from error
        return self.path, f"{stat.st_size} {stat.st_mtime_ns}"

    def read(self) -> RawTable:
        public = self.public
        return read_table(self.path, public.separator, public.encoding, public.used)
