"""Losses of one record in generalised linear form, phi(z; y) with z = <x, theta>, and their constants."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprepro.errors import InputError


class Loss(ABC):
    """A convex loss phi(z; y) of the prediction z = <x, theta> and the label y; arguments broadcast."""

    @property
    @abstractmethod
    def smoothness(self) -> float:
        """H with |phi'(a; y) - phi'(b; y)| <= H |a - b|; inf where there is none."""

    @property
    def lipschitz(self) -> float:
        """G with |phi(a; y) - phi(b; y)| <= G |a - b|; inf where there is none."""
        return math.inf

    @abstractmethod
    def value(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """phi(z; y), elementwise."""

    @abstractmethod
    def derivative(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """d phi(z; y) / dz, elementwise: the record's gradient is this times x."""


@dataclass(frozen=True)
class SquaredLoss(Loss):
    """phi(z; y) = (z - y)^2.

    Its constants hold over ||theta|| <= radius, ||x||_* <= feature_bound and |y| <= label_bound, for any norm and its
    dual: l1 with the sup norm of x (Talwar et al.), or l2 with l2.
    """

    @property
    def smoothness(self) -> float:
        return 2.0

    def value(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        return np.square(np.asarray(z, dtype=np.float64) - np.asarray(y, dtype=np.float64))

    def derivative(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        return 2.0 * (np.asarray(z, dtype=np.float64) - np.asarray(y, dtype=np.float64))

    def l1_lipschitz(self, radius: float = 1.0, feature_bound: float = 1.0, label_bound: float = 1.0) -> float:
        """Bound on ||gradient of one record's loss||_*: 2 (feature_bound radius + label_bound) feature_bound.

        With ||theta||_1 <= 1 and all bounds 1 it is L_1 = 4.
        """
        _check_bounds(radius=radius, feature_bound=feature_bound, label_bound=label_bound)
        return 2.0 * (feature_bound * radius + label_bound) * feature_bound

    def curvature(self, radius: float = 1.0, feature_bound: float = 1.0) -> float:
        """Gamma of Talwar et al., Definition 2.1: 8 (feature_bound radius)^2.

        It is 2 max ||A (a - b)||^2 with A = X / sqrt n, over all data sets of the domain and points a, b of the ball
        (their Remark 2 misses the 2).
        """
        _check_bounds(radius=radius, feature_bound=feature_bound)
        return 8.0 * (feature_bound * radius) ** 2


@dataclass(frozen=True)
class AbsoluteLoss(Loss):
    """phi(z; y) = |z - y|; at the kink its derivative here is 0, a subgradient."""

    @property
    def smoothness(self) -> float:
        return math.inf

    @property
    def lipschitz(self) -> float:
        return 1.0

    def value(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        return np.abs(np.asarray(z, dtype=np.float64) - np.asarray(y, dtype=np.float64))

    def derivative(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        return np.sign(np.asarray(z, dtype=np.float64) - np.asarray(y, dtype=np.float64))


@dataclass(frozen=True)
class LogisticLoss(Loss):
    """phi(z; y) = ln(1 + exp(-y z)) for |y| <= 1."""

    @property
    def smoothness(self) -> float:
        return 0.25

    @property
    def lipschitz(self) -> float:
        return 1.0

    def value(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        product = np.asarray(z, dtype=np.float64) * np.asarray(y, dtype=np.float64)
        return np.logaddexp(0.0, -product)

    def derivative(self, z: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        label = np.asarray(y, dtype=np.float64)
        product = np.asarray(z, dtype=np.float64) * label
        return np.asarray(-label / (1 + np.exp(np.minimum(product, 700.0))), dtype=np.float64)


def _check_bounds(**bounds: float) -> None:
    for name, bound in bounds.items():
        if not (math.isfinite(bound) and bound >= 0):
            raise InputError(f"{name} must be finite and at least 0, got {name}={bound}")
