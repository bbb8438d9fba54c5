"""The privacy budget: epsilon, delta and the neighbouring relation that gives them a meaning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from dprepro.errors import InputError


class Neighbours(StrEnum):
    """When two data sets count as neighbours."""

    REPLACE_ONE = "replace_one"
    ADD_OR_REMOVE_ONE = "add_or_remove_one"


@dataclass(frozen=True)
class Budget:
    """An (epsilon, delta) guarantee under a neighbouring relation.

    ``epsilon`` is in nats, positive; infinity means no privacy asked. ``delta`` is a probability in [0, 1); 0 is
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
