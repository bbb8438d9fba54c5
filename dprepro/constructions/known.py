"""What a search has found, as a family that any experiment can name."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dprepro.constructions.base import Construction, Point
from dprepro.errors import InputError
from dprepro.problems import Domain, Problem
from dprepro.support import typed

DPREPRO_READS = ("worst_known.json",)

SHIPPED = Path(__file__).with_name("worst_known.json")
AXES = ("n", "p", "epsilon", "delta")


@dataclass(frozen=True)
class WorstKnown(Construction):
    """The worst data known of an algorithm: those that a search found at the nearest grid point, scaled to this one.

    Families have their parameters in units of the noise, so that what was found at one n serves at others too. Nearest
    is meant in the logarithms of n, p, epsilon and delta.

    Attributes:
        series: whose data, by the name under which they were found.
        file: the measurements of a study of the worst case (``results/worst_case/measurements.parquet``), or a list in
            JSON like the one that is shipped and used where none is named.
    """

    series: str = "noisy_frank_wolfe"
    file: str = field(default="", metadata={"identity": False})

    @property
    def path(self) -> Path:
        return Path(self.file) if self.file else SHIPPED

    @cached_property
    def entries(self) -> list[tuple[Mapping[str, float], Construction]]:
        """Grid points with what was found there; raises InputError for a file without any of that series."""
        own = [entry for entry in _stored(self.path) if entry["series"] == self.series]
        if not own:
            raise InputError(f"series {self.series} is not among what {self.path} says was found")
        kind: type[Any] = Construction
        return [(entry, typed.build(kind, json.loads(entry["found"]), f"{self.path}: found")) for entry in own]

    def at(self, point: Point) -> Construction:
        """What was found nearest to a point."""

        def distance(described: Mapping[str, float]) -> float:
            return sum(abs(math.log(max(described[axis], 1e-300) / max(point[axis], 1e-300))) for axis in AXES)

        return min(self.entries, key=lambda entry: distance(entry[0]))[1]

    def domain(self, point: Point) -> Domain:
        return self.at(point).domain(point)

    def representations(self, point: Point) -> frozenset[str]:
        return self.at(point).representations(point)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError as the family does."""
        return self.at(point).build(point, noise_scale)

    def made_of(self) -> list[Construction]:
        """The families that were found: their code makes the data."""
        return [construction for _, construction in self.entries]

    def fingerprint(self) -> Mapping[str, str]:
        """The hash of the file."""
        try:
            return {"file": hashlib.sha256(self.path.read_bytes()).hexdigest()}
        except OSError as error:
            raise InputError(f"cannot read {self.path}: {error.strerror or error}") from error


def _stored(path: Path) -> list[dict[str, Any]]:
    """Series, grid point, risk and construction of the worst data of each point."""
    try:
        if path.suffix == ".json":
            return list(json.loads(path.read_text(encoding="utf-8")))
        import pandas as pd

        frame = pd.read_parquet(path)
        found = frame[(frame["quantity"] == "excess_risk") & frame["found"].notna()]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} does not hold what a search has found: {error}") from error
    worst = found.sort_values("value").drop_duplicates(["series", *AXES], keep="last")
    return [
        {str(name): value for name, value in entry.items()}
        for entry in worst[["series", *AXES, "value", "found"]].to_dict("records")
    ]
