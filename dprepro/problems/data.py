"""What a problem's oracle may stand on: records, their moments, or groups of interchangeable vertices.

All are checked when they are made: shapes, finiteness, symmetry. Arrays are kept as they are given, not copied.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import InputError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct records with their numbers of copies: features (K, p), labels (K,), counts (K,).

    n = sum of the counts may be as large as 1e12 while K records are held. Without counts each record stands once;
    without labels they are 1.

    Raises:
        InputError: where shapes do not fit, there are no records, an entry is not finite or a count not positive.
    """

    features: FloatArray
    labels: FloatArray | None = None
    counts: FloatArray | None = None

    def __post_init__(self) -> None:
        features = np.ascontiguousarray(finite("features", self.features, 2))
        if not features.size:
            raise InputError(f"features must have at least one row and one column, got shape {features.shape}")
        rows = features.shape[0]
        object.__setattr__(self, "features", features)
        for name in ("labels", "counts"):
            given = getattr(self, name)
            column = np.ones(rows) if given is None else np.ascontiguousarray(finite(name, given, 1))
            if column.size != rows:
                raise InputError(f"features has {rows} rows and {name} has {column.size}; one of each per row")
            object.__setattr__(self, name, column)
        if not self.copies.min() > 0:
            raise InputError(f"counts must be positive, got {self.copies.min():g}")

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
class Moments:
    """A quadratic risk by its coefficients: risk(theta) = theta^T G theta - 2 cross.theta + constant.

    G is held as gram + factor^T factor + diag(ridge), each of which may be absent: an orthogonal design is a ridge
    alone, and a few dense rows beside many orthogonal ones are a factor and a ridge. For moments of records cross lies
    in the range of G; the minimisers over polytopes rely on that, and raise where they miss their gap. (Squared loss:
    G = X^T X/n, cross = X^T y/n, constant = y.y/n. Linear loss: G = 0 and 2 cross the mean record.)

    Attributes:
        cross: shape (p,).
        constant: not negative.
        gram: shape (p, p), symmetric positive semidefinite (symmetry is checked), or None.
        ridge: shape (p,) or one number, not negative.
        factor: shape (rows, p), or None.
        spare: with spare > 0 the coordinates listed are those along the data, and the last one stands for that many
            more, of equal ridge and without cross: within an l2 ball they matter by their norm only, which is what the
            last coordinate holds.

    Raises:
        InputError: where shapes do not fit, an entry is not finite, gram is not symmetric, a ridge is negative, or the
            spare directions are not alike.
    """

    cross: FloatArray
    constant: float = 0.0
    gram: FloatArray | None = None
    ridge: FloatArray | float = 0.0
    factor: FloatArray | None = None
    spare: float = 0

    def __post_init__(self) -> None:
        cross = finite("cross", self.cross, 1)
        if not cross.size:
            raise InputError("cross must have at least one entry, got shape (0,)")
        _check_constant(self.constant)
        ridge = finite("ridge", self.ridge, np.ndim(self.ridge))
        if ridge.shape not in ((), cross.shape):
            raise InputError(f"ridge must have shape {cross.shape} like cross, got {ridge.shape}")
        if ridge.min() < 0:
            raise InputError(f"ridge must be at least 0, got a smallest entry of {ridge.min()}")
        if self.gram is not None:
            object.__setattr__(self, "gram", _symmetric("gram", self.gram, cross.size))
        if self.factor is not None:
            factor = finite("factor", self.factor, 2)
            if factor.shape[1] != cross.size:
                raise InputError(f"factor must have {cross.size} columns like cross, got {factor.shape[1]}")
            object.__setattr__(self, "factor", factor)
        if self.spare and not (self.diagonal and cross[-1] == 0):
            raise InputError("spare directions need a diagonal G and no linear term in the last coordinate")
        object.__setattr__(self, "cross", cross)
        object.__setattr__(self, "ridge", np.broadcast_to(ridge, cross.shape))

    @property
    def p(self) -> int:
        """Number of coordinates listed."""
        return self.cross.size

    @property
    def ridges(self) -> FloatArray:
        """The ridge, shape (p,)."""
        assert isinstance(self.ridge, np.ndarray)
        return self.ridge

    @property
    def diagonal(self) -> bool:
        """Whether G is diagonal by its parts."""
        return self.gram is None and self.factor is None

    @property
    def scale(self) -> float:
        """What gaps are measured in: the risk at zero, or where that says nothing the largest linear term."""
        return max(self.constant, float(np.abs(self.cross).max()))

    def times(self, theta: FloatArray, support: IntArray | None = None) -> FloatArray:
        """G theta, shape (p,); theta is zero outside of ``support`` where that is given."""
        product = self.ridges * theta
        if self.gram is not None:
            # rows of a symmetric matrix: contiguous
            product += self.gram @ theta if support is None else theta[support] @ self.gram[support]
        if self.factor is not None:
            inner = self.factor @ theta if support is None else self.factor[:, support] @ theta[support]
            product += self.factor.T @ inner
        return product

    def value(self, theta: FloatArray) -> float:
        """The risk at theta."""
        return self.form(theta) - 2.0 * float(self.cross @ theta) + float(self.constant)

    def gradient(self, theta: FloatArray, support: IntArray | None = None) -> FloatArray:
        """2 (G theta - cross), shape (p,)."""
        return 2.0 * (self.times(theta, support) - self.cross)

    def form(self, theta: FloatArray) -> float:
        """theta^T G theta, never negative through rounding of its factor and ridge parts."""
        form = float(self.ridges @ theta**2)
        if self.gram is not None:
            form += float(theta @ (self.gram @ theta))
        if self.factor is not None:
            form += float(np.sum((self.factor @ theta) ** 2))
        return form

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """G[rows, columns], shape (rows, columns)."""
        block = np.where(rows[:, None] == columns[None, :], self.ridges[rows][:, None], 0.0)
        if self.gram is not None:
            block += self.gram[np.ix_(rows, columns)]
        if self.factor is not None:
            block += self.factor[:, rows].T @ self.factor[:, columns]
        return block

    def diagonal_of_g(self) -> FloatArray:
        """The entries G_jj, shape (p,)."""
        entries = self.ridges if self.gram is None else self.ridges + np.diag(self.gram)
        return entries if self.factor is None else entries + np.sum(self.factor**2, axis=0)

    def matrix(self) -> FloatArray:
        """G, shape (p, p)."""
        matrix = np.diag(self.ridges) if self.gram is None else self.gram + np.diag(self.ridges)
        return matrix if self.factor is None else matrix + self.factor.T @ self.factor

    def spectrum(self) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Eigenvalues (k,) of G, cross in their basis (k,), and the basis (p, k), or None for the coordinates.

        Directions may be left out in which cross is zero.
        """
        if self.diagonal:
            return self.ridges, self.cross, None
        if self.gram is None and self.factor is not None and np.ptp(self.ridges) == 0:
            # by the singular values of the rows, which have twice the digits of G's eigenvalues
            _, singular, rows = np.linalg.svd(self.factor, full_matrices=False)
            rest = self.cross - (rows @ self.cross) @ rows
            rest -= (rows @ rest) @ rows
            size = float(np.linalg.norm(rest))
            if size > 1e-14 * float(np.linalg.norm(self.cross)):  # one direction more: what the rows leave of cross
                singular, rows = np.append(singular, 0.0), np.vstack([rows, rest / size])
            return singular**2 + self.ridges[0], rows @ self.cross, rows.T
        eigenvalues, basis = np.linalg.eigh(self.matrix())
        return np.maximum(eigenvalues, 0.0), basis.T @ self.cross, basis

    def formed(self) -> Moments:
        """The same with G as a matrix where its rows are many."""
        if self.factor is None or len(self.factor) < self.p:
            return self
        return Moments(self.cross, self.constant, self.matrix(), spare=self.spare)

    def plus(self, linear: FloatArray | float, ridge: float) -> Moments:
        """The same with linear.theta + (ridge/2) ||theta||^2 added."""
        changed = copy(self)  # what is added keeps all that was checked
        object.__setattr__(changed, "cross", self.cross - 0.5 * linear)
        object.__setattr__(changed, "ridge", self.ridges + 0.5 * ridge)
        return changed


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
        _check_constant(self.constant)
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


def _symmetric(name: str, value: object, size: int) -> FloatArray:
    array = finite(name, value, 2)
    if array.shape != (size, size):
        raise InputError(f"{name} must have shape ({size}, {size}), got {array.shape}")
    asymmetry = float(np.abs(array - array.T).max())
    if asymmetry > 1e-9 * float(np.abs(array).max()):
        raise InputError(f"{name} must be symmetric, got entries that differ by {asymmetry}")
    return array


def _check_constant(constant: float) -> None:
    if not (math.isfinite(constant) and constant >= 0):
        raise InputError(f"constant must be finite and at least 0, got {constant}")
