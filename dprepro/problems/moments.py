"""A quadratic risk by its coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dprepro.errors import InputError
from dprepro.problems.problem_data import FloatArray, IntArray, check_constant, finite, symmetric
from dprepro.support.frozen import copied, normalise


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
        check_constant(self.constant)
        ridge = finite("ridge", self.ridge, np.ndim(self.ridge))
        if ridge.shape not in ((), cross.shape):
            raise InputError(f"ridge must have shape {cross.shape} like cross, got {ridge.shape}")
        if ridge.min() < 0:
            raise InputError(f"ridge must be at least 0, got a smallest entry of {ridge.min()}")
        if self.gram is not None:
            normalise(self, gram=symmetric("gram", self.gram, cross.size))
        if self.factor is not None:
            factor = finite("factor", self.factor, 2)
            if factor.shape[1] != cross.size:
                raise InputError(f"factor must have {cross.size} columns like cross, got {factor.shape[1]}")
            normalise(self, factor=factor)
        if self.spare and not (self.diagonal and cross[-1] == 0):
            raise InputError("spare directions need a diagonal G and no linear term in the last coordinate")
        normalise(self, cross=cross, ridge=np.broadcast_to(ridge, cross.shape))

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
        """These moments, with G as a matrix where its rows are many."""
        if self.factor is None or len(self.factor) < self.p:
            return self
        return Moments(self.cross, self.constant, self.matrix(), spare=self.spare)

    def plus(self, linear: FloatArray | float, ridge: float) -> Moments:
        """The moments of the risk plus linear.theta + (ridge/2) ||theta||^2."""
        # what is added keeps all that was checked
        return copied(self, cross=self.cross - 0.5 * linear, ridge=self.ridges + 0.5 * ridge)
