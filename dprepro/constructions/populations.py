"""Populations of a few distinct records: answers to n records drawn from them are judged by the population."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import LOSSES, Construction, Point, built, recorded
from dprepro.errors import PremiseError
from dprepro.problems import Domain, HingeLoss, L2Ball, Loss, PositivePartLoss, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class Population(Construction):
    """n independent records of some kinds.

    The claim is about every population. Where a signal is much stronger than 1/sqrt n and than the private noise it is
    found, and where it is much weaker it hardly matters: sweep ``size`` and let the check take the envelope.

    Attributes:
        size: strength of the signal, in units of reference/sqrt n; infinite is the strongest. Premise: at most that.
        reference: see ``size``; an axis may tie it to the noise.
    """

    size: float = 1.0
    reference: float = 1.0

    def __post_init__(self) -> None:
        for name in ("size", "reference"):
            self._demand(name, getattr(self, name) > 0, "positive")

    @abstractmethod
    def kinds(self, point: Point) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Features (K, p), labels (K,) and probabilities (K,) of the kinds of records; raises PremiseError."""

    def strength(self, point: Point, most: float) -> float:
        """What the size means; raises PremiseError where that is more than the most."""
        found = most if math.isinf(self.size) else self.size * self.reference / math.sqrt(point["n"])
        if found > most:
            raise PremiseError(f"a signal of {found:.3g} exceeds {most:.3g}, the strongest")
        return found

    def representations(self, point: Point) -> frozenset[str]:
        domain = self.domain(point)
        return recorded(domain, 2 * domain.p + 1, "axis")

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The population itself, as n records in whole and broken numbers."""
        features, labels, chances = self.kinds(point)
        return self._of(point, features, labels, point["n"] * chances)

    def draw(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Problem:
        """n records; raises PremiseError."""
        features, labels, chances = self.kinds(point)
        counts = rng.multinomial(round(point["n"]), chances / chances.sum()).astype(np.float64)
        problem = self._of(point, features, labels, counts)
        problem.population = built(self, dict(point), noise_scale).records
        return problem

    def _of(self, point: Point, features: FloatArray, labels: FloatArray, counts: FloatArray) -> Problem:
        seen, domain = counts > 0, self.domain(point)
        records = Records(features[seen], labels[seen], counts[seen])
        return Problem(domain, {"records": RecordsView(domain, records)})


@dataclass(frozen=True)
class BallPopulation(Population):
    """Records of norm 1 in the unit ball, with E x = strength c, c = (1, ..., 1)/sqrt p."""

    loss: Literal["linear", "half_squared_distance"] = "linear"

    def domain(self, point: Point) -> Domain:
        """The loss over the unit ball, records of norm at most 1."""
        return Domain(LOSSES[self.loss], L2Ball(int(point["p"])), point["n"])


@dataclass(frozen=True)
class AxisPopulation(BallPopulation):
    """Records +-e_j, each of the p axes as often: the mean record of a sample misses E x by about 1/sqrt n all around.

    Premise: strength <= 1/sqrt p.
    """

    def kinds(self, point: Point) -> tuple[FloatArray, FloatArray, FloatArray]:
        p = int(point["p"])
        lean = self.strength(point, 1 / math.sqrt(p)) * math.sqrt(p)
        chances = np.repeat([(1 + lean) / (2 * p), (1 - lean) / (2 * p)], p)
        return np.concatenate([np.eye(p), -np.eye(p)]), np.ones(2 * p), chances


@dataclass(frozen=True)
class DirectionPopulation(BallPopulation):
    """Records +-c: the mean record of a sample misses E x by about 1/sqrt n along c, and may have the wrong sign."""

    def kinds(self, point: Point) -> tuple[FloatArray, FloatArray, FloatArray]:
        p, lean = int(point["p"]), self.strength(point, 1.0)
        c = np.full((1, p), 1 / math.sqrt(p))
        return np.concatenate([c, -c]), np.ones(2), np.array([(1 + lean) / 2, (1 - lean) / 2])


@dataclass(frozen=True)
class CoinPopulation(Population):
    """In one dimension: records (1, 1), (-1, 1) or (1, -1), and (0, 1), half of them of the last kind.

    The second is (1, -1) for ``absolute`` and ``hinge``, (-1, 1) for ``positive_part`` and ``half_squared_distance``,
    so that the first two have opposite slopes. The strength is the difference of their probabilities, at most 1/2.
    """

    loss: Literal["absolute", "hinge", "positive_part", "half_squared_distance"] = "absolute"

    def resolve(self, point: Point) -> dict[str, float]:
        return dict(point) | {"p": 1}

    def domain(self, point: Point) -> Domain:
        """The loss over [-1, 1] with |x| <= 1 and |y| <= 1."""
        further: dict[str, Loss] = {"hinge": HingeLoss(), "positive_part": PositivePartLoss()}
        return Domain((LOSSES | further)[self.loss], L2Ball(1), point["n"])

    def kinds(self, point: Point) -> tuple[FloatArray, FloatArray, FloatArray]:
        lean = self.strength(point, 0.5)
        other = (1.0, -1.0) if self.loss in ("absolute", "hinge") else (-1.0, 1.0)
        x, y = np.array([(1.0, 1.0), other, (0.0, 1.0)]).T
        return x[:, None], y, np.array([0.25 + lean / 2, 0.25 - lean / 2, 0.5])
