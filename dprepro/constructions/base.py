"""What every construction is: a family of data sets, one for each grid point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprepro.problems import SquaredLoss
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem

Point = Mapping[str, float]


@dataclass(frozen=True)
class Construction(ABC):
    """A hard instance or an ordinary family. Subclasses are frozen dataclasses of its parameters.

    Class attribute ``version``: raise it when the data change.
    """

    version: ClassVar[int] = 1

    @abstractmethod
    def constants(self, point: Point) -> Constants:
        """The public constants at a grid point (n, p, ...), without building any data."""

    @abstractmethod
    def capabilities(self, point: Point) -> frozenset[str]:
        """The views of the data that `build` will offer there, without building them."""

    @abstractmethod
    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set at a grid point; hard families are tuned to the algorithm's ``noise_scale`` in one step.

        Raises:
            PremiseError: the point lies outside the construction's premise.
        """

    def draw(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Problem:
        """What an algorithm is given: `build`'s data, of which a population draws its n records from ``rng``."""
        return self.build(point, noise_scale).sample(rng)

    def settle(self, point: Point) -> dict[str, float]:
        """The grid point as the construction fixes it: a table, say, has its own p."""
        return dict(point)

    def report(self, point: Point) -> Mapping[str, float]:
        """Further quantities of the data set to store beside the risk, by name."""
        return {}

    def fingerprint(self) -> Mapping[str, str]:
        """Hashes of input data, by name: they enter the key of a cell."""
        return {}


def unit_lasso_constants(n: float, p: float) -> Constants:
    """Constants of the paper's LASSO: |x_ij| <= 1, |y| <= 1, ||theta||_1 <= 1, hence L_1 = 4, Gamma = 8, |S| = 2p."""
    return Constants(
        n=n,
        p=p,
        radius=1.0,
        lipschitz=SquaredLoss().l1_lipschitz(1.0, 1.0, 1.0),
        curvature=SquaredLoss().curvature(1.0, 1.0),
        vertices=2 * p,
    )
