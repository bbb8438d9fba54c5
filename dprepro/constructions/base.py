"""What every construction is: a family of data sets, one for each grid point."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.errors import InputError, PremiseError, unknown
from dprepro.problems import ConstraintSet, Domain, Loss, Problem, View, derived_representations, losses, sets
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last

Point = Mapping[str, float]

DENSE_LIMIT = 4096
"""Families whose data lie in few directions list all p coordinates up to this p; their reductions go on beyond."""

RECORDS_LIMIT = 2e7
"""Entries of a matrix of records that is still written out."""

LOSSES: dict[str, Loss] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Loss")).lower(): kind()
    for name, kind in vars(losses).items()
    if isinstance(kind, type) and issubclass(kind, Loss) and hasattr(kind, "phi")
}
"""What a YAML calls losses (`HalfSquaredDistance` is half_squared_distance), and below sets."""

SETS: dict[str, type[ConstraintSet]] = {
    "l1_ball": sets.L1Ball, "l2_ball": sets.L2Ball, "simplex": sets.Simplex, "box": sets.Box
}  # fmt: skip


@dataclass(frozen=True)
class Construction(ABC):
    """A hard instance or an ordinary family. Subclasses are frozen dataclasses of its parameters.

    Attributes of the class, or properties where they depend on the parameters:
        version: raise it when the data change.
        measures: names of the further quantities that `report` stores.
    """

    version: ClassVar[int] = 1

    @property
    def measures(self) -> tuple[str, ...]:
        return ()

    @abstractmethod
    def domain(self, point: Point) -> Domain:
        """What is public at a grid point (n, p, ...), without building any data.

        Raises:
            PremiseError: the point lies outside the construction's premise.
        """

    @abstractmethod
    def representations(self, point: Point) -> frozenset[str]:
        """The representations that `build` and `draw` will offer there, without building them.

        Four further words help to choose a reduction: ``axis`` (`RecordsView.axis` exists), ``tail`` (a balanced tail
        of equal weights fills all coordinates of the one-hot counts but a few), ``signal`` (one coordinate stands
        beside such a tail, which need not fill the others) and ``orthogonal`` (the risk is a sum over coordinates, by
        one-hot counts or moments with a diagonal G).
        """

    @abstractmethod
    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set at a grid point; hard families are tuned to the algorithm's ``noise_scale`` in one step.

        Raises:
            PremiseError: the point lies outside the construction's premise.
        """

    def draw(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Problem:
        """What an algorithm is given: `build`'s data, built once for all replicates of a grid point.

        A population draws its n records from ``rng``.
        """
        return built(self, dict(point), noise_scale)

    @property
    def varies(self) -> bool:
        """Whether replicates of a grid point are given data of their own."""
        return type(self).draw is not Construction.draw

    def resolve(self, point: Point) -> dict[str, float]:
        """The grid point as the construction fixes it: a table, say, has its own p."""
        return dict(point)

    def report(self, point: Point) -> Mapping[str, float]:
        """Further quantities of the data set to store beside the risk, by name."""
        return {}

    def score(self, point: Point, theta: FloatArray) -> Mapping[str, float]:
        """Further quantities of an answer, shape (p,), by name: what it is worth on records that were held out."""
        return {}

    def fingerprint(self) -> Mapping[str, str]:
        """Hashes of input data, by name: they enter the key of a cell."""
        return {}

    def _demand(self, name: str, fine: bool, rule: str) -> None:
        """Raise InputError, with the rule and the value, unless that parameter is fine."""
        if not fine:
            raise InputError(f"{name} must be {rule}, got {name}={getattr(self, name):g}")


@cache_last
def built(construction: Construction, point: Point, noise_scale: float) -> Problem:
    """The data of `build`, held for the next call."""
    return construction.build(point, noise_scale)


def unit_lasso(point: Point) -> Domain:
    """The paper's LASSO: |x_ij| <= 1, |y| <= 1, ||theta||_1 <= 1, hence L_1 = 4, Gamma = 8, |S| = 2p."""
    return Domain(LOSSES["squared"], sets.L1Ball(int(point["p"])), point["n"], feature_norm=math.inf)


def loss_of(said: Loss | str) -> Loss:
    """The loss that a word names; a loss is itself. Raises InputError for another word."""
    if isinstance(said, Loss):
        return said
    if said not in LOSSES:
        raise InputError(f"loss: {unknown('loss', said, LOSSES)}")
    return LOSSES[said]


def constraint_set(word: str, p: float, radius: float = 1.0, q: float = 1.5) -> ConstraintSet:
    """The set of that name and size in p dimensions; ``q`` is the order of an ``lq_ball``.

    Raises InputError for another name.
    """
    if word == "lq_ball":
        return sets.LqBall(int(p), radius, q)
    if word not in SETS:
        raise unknown("set", word, (*SETS, "lq_ball"))
    return SETS[word](int(p), radius)


def recorded(domain: Domain, rows: float, *words: str) -> frozenset[str]:
    """The representations of that many distinct records, and further words; none where they are too many to hold."""
    small = rows * domain.p <= RECORDS_LIMIT
    return derived_representations(domain, frozenset({"records"})) | set(words) if small else frozenset()


def offered(domain: Domain, representations: frozenset[str], **known: View | Callable[[], View]) -> Problem:
    """The problem with those of the ``known`` that are among the ``representations``; PremiseError where none is."""
    if not representations:
        raise PremiseError(f"p={domain.p} coordinates are too many to list the data")
    return Problem(domain, {name: view for name, view in known.items() if name in representations})
