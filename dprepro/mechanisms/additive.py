"""Release of a vector with independent noise on every coordinate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprepro.mechanisms.guarantees import GaussianShift, PureLoss


@dataclass(frozen=True)
class Laplace:
    """Adds Lap(scale) to every coordinate; density exp(-|x|/scale) / (2 scale)."""

    scale: float

    def release(self, value: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """``value`` plus noise, same shape."""
        return value + rng.laplace(0.0, self.scale, size=np.shape(value))

    def guarantee(self, sensitivity: float) -> PureLoss:
        """Privacy of one release of a quantity whose **l1** sensitivity is given."""
        return PureLoss(sensitivity / self.scale)


@dataclass(frozen=True)
class Gaussian:
    """Adds N(0, scale^2) to every coordinate; ``scale`` is the standard deviation."""

    scale: float

    def release(self, value: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """``value`` plus noise, same shape."""
        return value + rng.normal(0.0, self.scale, size=np.shape(value))

    def guarantee(self, sensitivity: float) -> GaussianShift:
        """Privacy of one release of a quantity whose **l2** sensitivity is given."""
        return GaussianShift(sensitivity / self.scale)
