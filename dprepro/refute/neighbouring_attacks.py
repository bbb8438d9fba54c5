"""Attacks on privacy: the exact laws of an algorithm's answers on two neighbouring data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dprepro import laws
from dprepro.algorithms import Algorithm
from dprepro.axes import DEFAULTS, at
from dprepro.budget import Budget, Neighbours
from dprepro.constructions.corners import Corners
from dprepro.errors import Incompatible, InputError, PremiseError
from dprepro.refute.attack import Attack, Trial
from dprepro.statements.statement import Says


@dataclass(frozen=True, kw_only=True)
class Neighbouring(Attack):
    """What an algorithm's answer tells of the record in which two data sets differ, over what its budget allows.

    Taken is delta at the claimed epsilon, or without a delta the largest loss: lower values, by events that part the
    answers (`laws.NeighbourLaws`), of the worst pair among ``data`` and among those that the law itself knows.

    Attributes:
        algorithm, data: an axis that bears the name of one of their fields sets that field.
        relation: of neighbours. law: parameters of the law; an axis sets them likewise.
        known: whether the law's own pairs are tried; they are of its plain domain.
    """

    algorithm: Algorithm
    data: Corners | None = None
    relation: Neighbours = Neighbours.REPLACE_ONE
    law: Mapping[str, float] = field(default_factory=dict)
    known: bool = False

    def see(self, says: Says, numbers: Mapping[str, float], rng: np.random.Generator) -> Trial:
        """See the class; nothing is random."""
        self.hold(says, numbers)
        point = {**DEFAULTS, **numbers}
        try:
            budget = Budget(point["epsilon"], point["delta"], self.relation)
            algorithm = at(self.algorithm, point)
            pairs = [*self._given(algorithm, point, budget), *self._known(algorithm, point, budget)]
        except (InputError, ArithmeticError) as error:
            raise PremiseError(str(error)) from error
        if not pairs:
            raise PremiseError("no exact law is known there")
        if budget.delta > 0:
            return Trial(max(pair.lower_delta(budget.epsilon) for pair in pairs), budget.delta)
        return Trial(max(pair.lower_loss() for pair in pairs), budget.epsilon)

    @property
    def parts(self) -> list[object]:
        known = laws.law_of(type(self.algorithm))
        return [type(self), self.algorithm, Corners, *([known] if known else [])]

    def _given(self, algorithm: Algorithm, point: Mapping[str, float], budget: Budget) -> list[laws.NeighbourLaws]:
        if self.data is None:
            return []
        every = at(self.data, point).neighbours(point, self.relation).values()
        return [found for pair in every if (found := laws.beside(algorithm, budget, pair)) is not None]

    def _known(self, algorithm: Algorithm, point: Mapping[str, float], budget: Budget) -> list[laws.NeighbourLaws]:
        if not self.known:
            return []
        try:
            law = laws.find(algorithm, None, budget, point).with_parameters(self.law)
            return list(at(law, point).pairs())
        except Incompatible:
            return []
