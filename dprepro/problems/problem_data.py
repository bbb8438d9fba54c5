"""What a problem may stand on: records, or groups of interchangeable vertices; moments have a file of their own.

All are checked when they are made: shapes, finiteness, symmetry. Arrays are kept as they are given, not copied.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import InputError
from dprepro.support.frozen import normalise

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct records with their numbers of copies: features (K, p), labels (K,), counts (K,).

    n = sum of the counts may be as large as 1e12 while K records are held. Without counts each record stands once;
    without labels they are 1. Equal records may be held once with their count, or apart.

    Attributes:
        in_order: whether the order of the records is a part of the data, public and the same between neighbours: record
            i is somebody's, whatever the others are. Distinct records with counts then stand in turn: all of them, then
            again those with a second copy, and so on. By default the data are a multiset, and an algorithm that reads
            an order from how they happen to be held would tell them apart where they do not differ.

    Raises:
        InputError: where shapes do not fit, there are no records, an entry is not finite or a count not positive.
    """

    features: FloatArray
    labels: FloatArray | None = None
    counts: FloatArray | None = None
    in_order: bool = False

    def __post_init__(self) -> None:
        features = np.ascontiguousarray(finite("features", self.features, 2))
        if not features.size:
            raise InputError(f"features must have at least one row and one column, got shape {features.shape}")
        rows = features.shape[0]
        normalise(self, features=features)
        for name in ("labels", "counts"):
            given = getattr(self, name)
            column = np.ones(rows) if given is None else np.ascontiguousarray(finite(name, given, 1))
            if column.size != rows:
                raise InputError(f"features has {rows} rows and {name} has {column.size}; one of each per row")
            normalise(self, **{name: column})
        if not self.copies.min() > 0:
            raise InputError(f"counts must be positive, got {self.copies.min():g}")

    def merged(self) -> Records:
        """The same multiset, whatever way it is held: distinct records, ascending, with their counts."""
        table = np.column_stack([self.features, self.targets]) + 0.0  # -0 is 0
        distinct, kinds = np.unique(table, axis=0, return_inverse=True)
        counts = np.bincount(kinds.ravel(), weights=self.copies).astype(np.float64)
        return Records(distinct[:, :-1], distinct[:, -1], counts)

    @property
    def targets(self) -> FloatArray:
        """The labels, shape (K,)."""
        assert self.labels is not None
        return self.labels

    @property
    def copies(self) -> FloatArray:
        """The counts, shape (K,)."""
        assert self.counts is not None
        return self.counts

    @cached_property
    def n(self) -> float:
        """Number of records, copies included."""
        return float(self.copies.sum())

    @cached_property
    def weights(self) -> FloatArray:
        """counts/n, shape (K,)."""
        return self.copies / self.n

    @property
    def p(self) -> int:
        """Number of features."""
        return int(self.features.shape[1])


@dataclass(frozen=True, eq=False)
class VertexGroups:
    """Vertices of a polytope that are interchangeable: the risk depends on the total weight w of each group only.

    risk(w) = w^T gram w - 2 cross.w + constant; the vertices (with their radius) are inside gram and cross.

    Attributes:
        sizes: numbers of vertices, shape (G,), whole and positive; as large as 1e12.
        gram: s^T G s' of vertices s, s' of the two groups, shape (G, G), symmetric positive semidefinite.
        cross: <s, cross of the moments>, shape (G,).
        constant: y.y / n.

    Raises:
        InputError: where shapes do not fit, an entry is not finite, sizes are not whole and positive, or gram is not
            symmetric positive semidefinite.
    """

    sizes: FloatArray
    gram: FloatArray
    cross: FloatArray
    constant: float

    def __post_init__(self) -> None:
        sizes, cross = finite("sizes", self.sizes, 1), finite("cross", self.cross, 1)
        if not sizes.size or np.any(sizes < 1) or np.any(sizes != np.floor(sizes)):
            raise InputError(f"sizes must be whole numbers of at least 1, got {sizes.tolist()}")
        if cross.shape != sizes.shape:
            raise InputError(f"cross must have shape {sizes.shape} like sizes, got {cross.shape}")
        check_constant(self.constant)
        gram = symmetric("gram", self.gram, sizes.size)
        smallest = float(np.linalg.eigvalsh(gram)[0])
        if smallest < -1e-9 * max(float(np.abs(gram).max()), 1e-300):
            raise InputError(f"gram must be positive semidefinite, got a smallest eigenvalue of {smallest}")
        normalise(self, sizes=sizes, gram=gram, cross=cross)

    @property
    def groups(self) -> int:
        """The number of groups, G."""
        return self.sizes.size


def finite(name: str, value: object, dimensions: int) -> FloatArray:
    """The value as an array of that many dimensions; raises InputError where it is none, or not finite."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, got {type(value).__name__}") from None
    if array.ndim != dimensions:
        raise InputError(f"{name} must have {dimensions} dimensions, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite, got {np.count_nonzero(~np.isfinite(array))} entries that are not")
    return array


def symmetric(name: str, value: object, size: int) -> FloatArray:
    """The value as a symmetric array of that size; raises InputError where it is none."""
    array = finite(name, value, 2)
    if array.shape != (size, size):
        raise InputError(f"{name} must have shape ({size}, {size}), got {array.shape}")
    asymmetry = float(np.abs(array - array.T).max())
    if asymmetry > 1e-9 * float(np.abs(array).max()):
        raise InputError(f"{name} must be symmetric, got entries that differ by {asymmetry}")
    return array


def check_constant(constant: float) -> None:
    """Raise InputError unless a risk at zero is finite and not negative."""
    if not (math.isfinite(constant) and constant >= 0):
        raise InputError(f"constant must be finite and at least 0, got {constant}")
