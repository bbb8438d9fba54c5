"""What a problem's oracle may stand on: records, their moments, or groups of interchangeable vertices.

All are checked when they are made: shapes, finiteness, symmetry. Arrays are kept as they are given, not copied.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import InputError

FloatArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Records:
    """n records: features (n, p) and labels (n,).

    Raises:
        InputError: where shapes do not fit, there are no records, or an entry is not finite.
    """

    features: FloatArray
    labels: FloatArray

    def __post_init__(self) -> None:
        features, labels = _finite("features", self.features, 2), _finite("labels", self.labels, 1)
        if not features.size:
            raise InputError(f"features must have at least one row and one column, got shape {features.shape}")
        if features.shape[0] != labels.size:
            raise InputError(f"features has {features.shape[0]} rows and labels has {labels.size}; one label per row")
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", labels)

    @property
    def n(self) -> int:
        return self.labels.size

    @property
    def p(self) -> int:
        return int(self.features.shape[1])


@dataclass(frozen=True, eq=False)
class Moments:
    """All that squared loss sees of n records: risk(theta) = theta^T G theta - 2 cross.theta + second_moment.

    G = X^T X / n is held as gram + factor^T factor + diag(ridge), each of which may be absent: an orthogonal design
    is a ridge alone, and a few dense rows beside many orthogonal ones are a factor and a ridge. For moments of records
    cross lies in the range of G; the minimisers over polytopes rely on that, and raise where they miss their gap.

    Attributes:
        n: number of records; as large as 1e12.
        cross: X^T y / n, shape (p,).
        second_moment: y.y / n.
        gram: shape (p, p), symmetric positive semidefinite (symmetry is checked), or None.
        ridge: shape (p,) or one number, not negative.
        factor: shape (rows, p), or None.

    Raises:
        InputError: where shapes do not fit, an entry is not finite, or gram is not symmetric.
    """

    n: float
    cross: FloatArray
    second_moment: float
    gram: FloatArray | None = None
    ridge: FloatArray | float = 0.0
    factor: FloatArray | None = None

    def __post_init__(self) -> None:
        _check_count(self.n)
        cross = _finite("cross", self.cross, 1)
        if not cross.size:
            raise InputError("cross must have at least one entry, got shape (0,)")
        _check_second_moment(self.second_moment)
        ridge: FloatArray | float = float(self.ridge) if np.ndim(self.ridge) == 0 else _finite("ridge", self.ridge, 1)
        if isinstance(ridge, np.ndarray) and ridge.shape != cross.shape:
            raise InputError(f"ridge must have shape {cross.shape} like cross, got {ridge.shape}")
        if not (np.all(np.isfinite(ridge)) and np.all(np.asarray(ridge) >= 0)):
            raise InputError(f"ridge must be finite and at least 0, got a smallest entry of {np.min(ridge)}")
        if self.gram is not None:
            object.__setattr__(self, "gram", _symmetric("gram", self.gram, cross.size))
        if self.factor is not None:
            factor = _finite("factor", self.factor, 2)
            if factor.shape[1] != cross.size:
                raise InputError(f"factor must have {cross.size} columns like cross, got {factor.shape[1]}")
            object.__setattr__(self, "factor", factor)
        object.__setattr__(self, "cross", cross)
        object.__setattr__(self, "ridge", ridge)

    @property
    def p(self) -> int:
        return self.cross.size

    def times(self, theta: FloatArray) -> FloatArray:
        """G theta, shape (p,)."""
        product = self.ridge * theta
        if self.gram is not None:
            product = product + self.gram @ theta
        if self.factor is not None:
            product = product + self.factor.T @ (self.factor @ theta)
        return product

    def quadratic_form(self, theta: FloatArray) -> float:
        """theta^T G theta, never negative through rounding of its factor and ridge parts."""
        form = float(np.sum(self.ridge * theta**2))
        if self.gram is not None:
            form += float(theta @ (self.gram @ theta))
        if self.factor is not None:
            form += float(np.sum((self.factor @ theta) ** 2))
        return form


@dataclass(frozen=True, eq=False)
class GroupPoint:
    """A point theta = sum_g (weights_g spread over the vertices of group g); the rest of the weight is on zero.

    Attributes:
        weights: shape (G,), not negative, with a sum of at most 1.

    Raises:
        InputError: where a weight is negative or not finite, or they sum to more than 1 (beyond rounding, 1e-9).
    """

    weights: FloatArray

    def __post_init__(self) -> None:
        weights = _finite("weights", self.weights, 1)
        if not weights.size or weights.min() < -1e-12 or weights.sum() > 1 + 1e-9:
            raise InputError(f"weights must be at least 0 and sum to at most 1, got {weights.tolist()}")
        object.__setattr__(self, "weights", weights)


@dataclass(frozen=True, eq=False)
class VertexGroups:
    """Vertices of a polytope that are interchangeable: the risk depends on the total weight w of each group only.

    risk(w) = w^T gram w - 2 cross.w + second_moment; the vertices (with their radius) are inside gram and cross.

    Attributes:
        sizes: numbers of vertices, shape (G,), whole and positive; as large as 1e12.
        gram: s^T G s' of vertices s, s' of the two groups, shape (G, G), symmetric positive semidefinite.
        cross: <s, X^T y / n>, shape (G,).
        second_moment: y.y / n.

    Raises:
        InputError: where shapes do not fit, an entry is not finite, sizes are not whole and positive, or gram is not
            symmetric positive semidefinite.
    """

    sizes: FloatArray
    gram: FloatArray
    cross: FloatArray
    second_moment: float

    def __post_init__(self) -> None:
        sizes, cross = _finite("sizes", self.sizes, 1), _finite("cross", self.cross, 1)
        if not sizes.size or np.any(sizes < 1) or np.any(sizes != np.floor(sizes)):
            raise InputError(f"sizes must be whole numbers of at least 1, got {sizes.tolist()}")
        if cross.shape != sizes.shape:
            raise InputError(f"cross must have shape {sizes.shape} like sizes, got {cross.shape}")
        _check_second_moment(self.second_moment)
        gram = _symmetric("gram", self.gram, sizes.size)
        smallest = float(np.linalg.eigvalsh(gram)[0])
        if smallest < -1e-9 * max(float(np.abs(gram).max()), 1e-300):
            raise InputError(f"gram must be positive semidefinite, got a smallest eigenvalue of {smallest}")
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "gram", gram)
        object.__setattr__(self, "cross", cross)

    @property
    def groups(self) -> int:
        """The number of groups, G."""
        return self.sizes.size


Point: TypeAlias = FloatArray | GroupPoint
"""A parameter: theta of shape (p,), or its weights on groups of vertices."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """An exact minimiser with its certificate: value - gap <= min risk <= value.

    Attributes:
        theta: the minimiser.
        value: its risk.
        gap: max_s <gradient(theta), theta - s> over the set, which bounds its excess risk for every convex risk.
    """

    theta: Point
    value: float
    gap: float


def _finite(name: str, value: object, dimensions: int) -> FloatArray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, got {type(value).__name__}") from None
    if array.ndim != dimensions:
        raise InputError(f"{name} must have {dimensions} dimensions, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite, got {np.count_nonzero(~np.isfinite(array))} entries that are not")
    return array


def _symmetric(name: str, value: object, size: int) -> FloatArray:
    array = _finite(name, value, 2)
    if array.shape != (size, size):
        raise InputError(f"{name} must have shape ({size}, {size}), got {array.shape}")
    asymmetry = float(np.abs(array - array.T).max())
    if asymmetry > 1e-9 * float(np.abs(array).max()):
        raise InputError(f"{name} must be symmetric, got entries that differ by {asymmetry}")
    return array


def _check_count(n: float) -> None:
    if not (math.isfinite(n) and n >= 1):
        raise InputError(f"n must be finite and at least 1, got n={n}")


def _check_second_moment(second_moment: float) -> None:
    if not (math.isfinite(second_moment) and second_moment >= 0):
        raise InputError(f"second_moment must be finite and at least 0, got {second_moment}")
