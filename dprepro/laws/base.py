"""What a law is: the exact distribution of an algorithm's answer, where one is known in closed form."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm
from dprepro.budget import Budget
from dprepro.errors import Incompatible, unknown
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray

PLACES, SPREAD, LEAST = 8_001, 20.0, 1e-11
"""How finely a law is cut into intervals, how far beyond the set, and what probability is too small to see."""


@dataclass(frozen=True, eq=False)
class NeighbourLaws:
    """The law of the answer on two neighbouring data sets: the probabilities of the same events, shape (K,) each.

    The events part the space of answers, so all that is read off them is that of a post-processing: a lower value,
    never above what the algorithm spends. It is that where answers are finitely many, and in the limit of fine events.

    Attributes:
        first, second: the probabilities.
        zeroed_out: whether the record that differs is zeroed out in one of the two data sets.
    """

    first: FloatArray
    second: FloatArray
    zeroed_out: bool

    def lower_delta(self, epsilon: float) -> float:
        """At least so much is delta(epsilon): the larger of sum (P - e^epsilon Q)_+ and sum (Q - e^epsilon P)_+."""
        both, grown = (self.first, self.second), math.exp(epsilon)
        return max(float(np.maximum(p - grown * q, 0.0).sum()) for p, q in (both, both[::-1]))

    def lower_epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 at which `lower_delta` is delta at most, infinite where there is none."""
        return max(_least_epsilon(p, q, delta) for p, q in ((self.first, self.second), (self.second, self.first)))

    def lower_loss(self) -> float:
        """At least so much is the pure loss: the largest |ln P/Q| over events of more than 1e-250; may be infinite."""
        possible = np.maximum(self.first, self.second) > 1e-250
        with np.errstate(divide="ignore"):
            return float(np.abs(np.log(self.first[possible]) - np.log(self.second[possible])).max())


def _least_epsilon(p: FloatArray, q: FloatArray, delta: float) -> float:
    """Where sum (p - e^x q)_+, which falls and is affine between the ratios of p and q, comes down to delta.

    With the events of ratio above r it is P - e^x Q for x just below ln r, hence x = ln((P - delta)/Q) on that piece;
    the largest of these over all r is the answer, since each is a lower limit.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(p > 0, p / q, 0.0), kind="stable")
        above, below = np.cumsum(p[order]), np.cumsum(q[order])
        found = np.where(above > delta, np.log(np.maximum(above - delta, 0.0) / below), -math.inf)
    return max(0.0, float(found.max()))


@dataclass(frozen=True)
class Law(ABC):
    """The law of ``algorithm``'s answer on data of a domain. Subclasses may add parameters, which an axis can set.

    Class attributes:
        plain: a domain of unit constants, on which privacy is looked at where no other is named.
    """

    algorithm: Algorithm
    domain: Domain
    budget: Budget
    plain: ClassVar[Domain]

    @classmethod
    @abstractmethod
    def obstacle(cls, domain: Domain) -> str:
        """Why the law is not known on the domain, as the rest of a sentence; empty if it is."""

    @classmethod
    def domain_at(cls, point: Mapping[str, float]) -> Domain:
        """The `plain` domain; a law of any size takes n and p of the grid point."""
        return cls.plain

    @abstractmethod
    def below(self, problem: Problem, places: FloatArray) -> FloatArray:
        """P(theta <= place) on these data, for an array of places in one dimension."""

    def beside(self, other: Law, problem: Problem, another: Problem) -> NeighbourLaws:
        """The law on one data set beside that of ``other`` on another, whose n may differ, over fine intervals.

        Probabilities below `LEAST`, differences of numbers near one, are left out of both.
        """
        radius = self.domain.radius
        ends, fine = np.array([-radius, radius]), np.linspace(-radius, radius, PLACES)
        next_to = np.concatenate([np.nextafter(ends, 0.0), np.nextafter(ends, 2 * ends)])
        places = np.unique(np.concatenate([fine, SPREAD * fine, next_to]))
        ranks = (self.below(problem, places), other.below(another, places))
        masses = [np.diff(rank, prepend=0.0, append=1.0) for rank in ranks]
        seen = np.minimum(*masses) > LEAST
        return NeighbourLaws(masses[0][seen], masses[1][seen], zeroed_out=False)

    def with_parameters(self, parameters: Mapping[str, float]) -> Law:
        """This law with some of the class's own parameters replaced; raises InputError for an unknown one."""
        own = {named_field.name for named_field in fields(self) if isinstance(named_field.default, float)}
        for name in parameters:
            if name not in own:
                raise unknown(f"parameter of {type(self).__name__}", name, own)
        return replace(self, **parameters)  # type: ignore[arg-type]

    def expected_risk(self, problem: Problem) -> float:
        """E of the excess risk of the answer on these data; raises Incompatible where it is not known."""
        raise Incompatible(f"no expected risk is known for {type(self.algorithm).__name__}")

    def exceeds(self, problem: Problem, risk: float) -> float:
        """P(excess risk >= risk) on these data; raises Incompatible where it is not known."""
        raise Incompatible(f"no tail of the risk is known for {type(self.algorithm).__name__}")

    def pairs(self) -> Iterator[NeighbourLaws]:
        """Neighbours under the budget's relation on which the algorithm spends most, as far as known.

        They give a lower bound on what it spends: exceeding the budget disproves privacy. Raises Incompatible where no
        pairs are known.
        """
        raise Incompatible(f"no worst neighbours are known for {type(self.algorithm).__name__}")

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of what `report` finds."""
        return ()

    def report(self) -> Mapping[str, tuple[float, float]]:
        """Further quantities of the law, each with its bound."""
        return {}
