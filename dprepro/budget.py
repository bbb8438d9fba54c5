"""The privacy budget: epsilon, delta and the neighbouring relation that gives them a meaning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from dprepro.errors import InputError


class Neighbours(StrEnum):
    """When two data sets count as neighbours.

    ``replace_one``: one record differs. ``zero_out``: one record is replaced by a zeroed-out one, whose loss does not
    depend on theta (`Domain.zeroed_out`), or such a record by another. In both n is public. ``add_or_remove_one``: one
    data set has one record more, so n is private: only for algorithms whose noise, divisor and steps do not read n, nor
    whether they answer at all. Every data set has at least one record.

    A data set is a multiset of records. A list in any order, distinct records with their counts, one-hot counts and
    moments are representations of it: what is certified holds between any of those of two neighbours. Where the order
    is a part of the data (`Records.in_order`), a record is replaced at its place.
    """

    REPLACE_ONE = "replace_one"
    ZERO_OUT = "zero_out"
    ADD_OR_REMOVE_ONE = "add_or_remove_one"

    @property
    def n_is_public(self) -> bool:
        """Whether neighbours have the same number of records, so that an algorithm may read it."""
        return self is not Neighbours.ADD_OR_REMOVE_ONE


@dataclass(frozen=True)
class Budget:
    """An (epsilon, delta) guarantee under a neighbouring relation.

    ``epsilon`` is positive; infinity means no privacy asked. ``delta`` is a probability in [0, 1); 0 is
    pure differential privacy.

    Raises:
        InputError: a value outside its range, named.
    """

    epsilon: float
    delta: float
    neighbours: Neighbours

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise InputError(f"epsilon must be positive, got epsilon={self.epsilon:g}")
        if not 0 <= self.delta < 1:
            raise InputError(f"delta must be in [0, 1), got delta={self.delta:g}")
        if self.neighbours not in list(Neighbours):
            raise InputError(f"neighbours must be one of {', '.join(Neighbours)}, got {self.neighbours!r}")

    @property
    def is_private(self) -> bool:
        """Whether any privacy is asked at all."""
        return math.isfinite(self.epsilon)
