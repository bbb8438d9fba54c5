"""Exact minimisers of a convex quadratic over an l1 ball, a simplex or an l2 ball, each with its certificate.

The quadratic is risk(theta) = theta^T G theta - 2 cross.theta + second_moment. The certificate is the Frank-Wolfe
duality gap max_s <gradient(theta), theta - s>, computed afresh at the returned point: by convexity it bounds the excess
risk, however the point was found. No minimiser returns a point whose gap exceeds `GAP_LIMIT`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import DpreproError
from dprepro.problems.data import Moments, Records
from dprepro.problems.sets import ConstraintSet, L1Ball, L2Ball, Simplex

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]

GAP_LIMIT = 1e-9  # a certificate above this, times max(1, second moment), is an error
GAP_TARGET = 1e-15  # the search ends here, times the risk's scale, or where rounding lets nothing improve
PIVOT_LIMIT = 1e-12  # an atom whose squared distance to the active hull is below this share of its norm is dependent


class Quadratic(ABC):
    """theta^T G theta - 2 cross.theta + second_moment through the products that the minimisers need."""

    cross: FloatArray
    second_moment: float

    @property
    def p(self) -> int:
        return self.cross.size

    @abstractmethod
    def gradient(self, theta: FloatArray, support: IntArray | None = None) -> FloatArray:
        """2 (G theta - cross), shape (p,); theta is zero outside of `support` where that is given."""

    @abstractmethod
    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """G[rows, columns], shape (rows, columns)."""

    @abstractmethod
    def spectrum(self) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Eigenvalues (k,) of G, cross in their basis (k,), and the basis (p, k), None for the coordinates themselves.

        Directions left out have eigenvalue and cross zero.
        """

    @abstractmethod
    def diagonal(self) -> FloatArray | None:
        """The diagonal of G, shape (p,), where everything else is known to be zero; else None."""


class RecordsQuadratic(Quadratic):
    """Mean squared loss of records; G = X^T X / n is never formed."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.cross = records.features.T @ records.labels / records.n
        self.second_moment = float(records.labels @ records.labels) / records.n

    def gradient(self, theta: FloatArray, support: IntArray | None = None) -> FloatArray:
        features = self.records.features
        fitted = features @ theta if support is None else features[:, support] @ theta[support]
        return (2.0 / self.records.n) * (features.T @ (fitted - self.records.labels))

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        features = self.records.features
        return features[:, rows].T @ features[:, columns] / self.records.n

    def spectrum(self) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        left, singular, right = np.linalg.svd(self.records.features, full_matrices=False)
        n = self.records.n
        # cross from the left factor, so that it vanishes with the singular values instead of carrying rounding
        return singular**2 / n, singular * (left.T @ self.records.labels) / n, right.T

    def diagonal(self) -> FloatArray | None:
        return None


class MomentsQuadratic(Quadratic):
    """The quadratic of moments; only the parts that are present are touched."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments
        self.cross = moments.cross
        self.second_moment = float(moments.second_moment)
        self.ridge = np.broadcast_to(np.asarray(moments.ridge, dtype=np.float64), moments.cross.shape)

    def gradient(self, theta: FloatArray, support: IntArray | None = None) -> FloatArray:
        if support is None:
            return 2.0 * (self.moments.times(theta) - self.cross)
        product = self.ridge * theta - self.cross
        gram, factor = self.moments.gram, self.moments.factor
        if gram is not None:
            product += theta[support] @ gram[support]  # rows of a symmetric matrix: contiguous
        if factor is not None:
            product += factor.T @ (factor[:, support] @ theta[support])
        return 2.0 * product

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        gram, factor = self.moments.gram, self.moments.factor
        block = np.where(rows[:, None] == columns[None, :], self.ridge[rows][:, None], 0.0)
        if gram is not None:
            block += gram[np.ix_(rows, columns)]
        if factor is not None:
            block += factor[:, rows].T @ factor[:, columns]
        return block

    def spectrum(self) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        diagonal = self.diagonal()
        if diagonal is not None:
            return diagonal, self.cross, None
        gram = np.diag(self.ridge)
        if self.moments.gram is not None:
            gram += self.moments.gram
        if self.moments.factor is not None:
            gram += self.moments.factor.T @ self.moments.factor
        eigenvalues, basis = np.linalg.eigh(gram)
        return np.maximum(eigenvalues, 0.0), basis.T @ self.cross, basis

    def diagonal(self) -> FloatArray | None:
        return self.ridge if self.moments.gram is None and self.moments.factor is None else None


def minimise(quadratic: Quadratic, constraint_set: ConstraintSet) -> tuple[FloatArray, float]:
    """The minimiser of the quadratic over the set, shape (p,), and its duality gap.

    Diagonal quadratics have a closed form, the l2 ball a secular equation, polytopes an active-set method.

    Raises:
        DpreproError: where the gap stays above `GAP_LIMIT` times max(1, second moment), or no method knows the set.
    """
    limit = GAP_LIMIT * max(1.0, quadratic.second_moment)
    if isinstance(constraint_set, L2Ball):
        theta = _secular(quadratic, constraint_set.radius)
    elif isinstance(constraint_set, L1Ball | Simplex):
        diagonal = quadratic.diagonal()
        if diagonal is not None:
            theta = _diagonal_over_polytope(diagonal, quadratic.cross, constraint_set)
        else:
            theta = _ActiveSet(quadratic, constraint_set).run()
            if not duality_gap(quadratic.gradient(theta), theta, constraint_set) <= limit:
                # atoms that arrive together may be nearly dependent: slower, but safer one by one
                theta = _ActiveSet(quadratic, constraint_set, one_by_one=True).run()
            theta = _polished(quadratic, constraint_set, theta)
    else:
        raise DpreproError(f"no exact minimiser over {type(constraint_set).__name__}; choices: L1Ball, L2Ball, Simplex")
    gap = duality_gap(quadratic.gradient(theta), theta, constraint_set)
    if not gap <= limit:
        raise DpreproError(f"the minimiser's duality gap must be at most {limit:g}, reached gap={gap:g}")
    return theta, gap


def duality_gap(gradient: FloatArray, theta: FloatArray, constraint_set: ConstraintSet) -> float:
    """max_s <gradient, theta - s> over the set: <g, theta> + radius ||g||_inf for the l1 ball; never negative."""
    return max(0.0, float(gradient @ theta) - _support_minimum(gradient, constraint_set))


def _support_minimum(gradient: FloatArray, constraint_set: ConstraintSet) -> float:
    """min_s <gradient, s>, without an array over the vertices where the set is known."""
    if isinstance(constraint_set, L1Ball):
        return -constraint_set.radius * float(np.abs(gradient).max())
    if isinstance(constraint_set, L2Ball):
        return -constraint_set.radius * float(np.linalg.norm(gradient))
    if isinstance(constraint_set, Simplex):
        return constraint_set.radius * float(gradient.min())
    return float(gradient @ constraint_set.minimise_linear(gradient))


class _ActiveSet:
    """Wolfe's nearest-point method in the quadratic's own geometry (fully corrective Frank-Wolfe) over signed atoms.

    An atom is +-radius e_j; an active set of atoms carries positive weights of sum one. A major step adds the atoms
    that the gradient asks for most; minor steps move to the minimiser over the active atoms' affine hull, or to the
    first weight that would turn negative on the way, whose atom is dropped. The atom of the steepest violation is
    affinely independent of the active ones in exact arithmetic, so the lifted matrix Q + kappa 1 1^T (the same
    quadratic where weights sum to one) stays positive definite, and its Cholesky factor grows and shrinks with the
    set. Atoms added beside the steepest only save passes over the data: each minor step stays a descent step.
    """

    def __init__(self, quadratic: Quadratic, constraint_set: L1Ball | Simplex, one_by_one: bool = False) -> None:
        self.quadratic = quadratic
        self.constraint_set = constraint_set
        self.radius = constraint_set.radius
        self.one_by_one = one_by_one
        self.index: IntArray = np.empty(0, dtype=np.intp)
        self.sign: FloatArray = np.empty(0)
        self.weights: FloatArray = np.empty(0)
        self.matrix: FloatArray = np.empty((0, 0))
        self.factor: FloatArray = np.empty((0, 0))
        self.lift = 0.0

    def run(self) -> FloatArray:
        """The best point found: the first below the target gap, or where rounding lets nothing improve."""
        free = _inside(self.quadratic, self.constraint_set)
        if free is not None:
            return free
        start = -self.quadratic.cross
        first = int(np.argmax(np.abs(start))) if isinstance(self.constraint_set, L1Ball) else int(np.argmin(start))
        column = np.array([first], dtype=np.intp)
        self.lift = self.radius**2 * float(self.quadratic.block(column, column)[0, 0]) or 1.0
        self._append(column, self._wanted_signs(start, column))
        self.weights = np.ones(1)
        scale = self.quadratic.second_moment or self.lift  # of the risk, where labels are not all zero
        best, best_gap, lowest, stalled = self._theta(), np.inf, np.inf, 0
        while stalled < 25:
            theta = self._theta()
            gradient = self.quadratic.gradient(theta, np.unique(self.index))
            gap = duality_gap(gradient, theta, self.constraint_set)
            # the risk less its constant; it falls strictly until the fall drowns in rounding, then only the gap tells
            risk = float((0.5 * gradient - self.quadratic.cross) @ theta)
            falls = risk < lowest - 1e-15 * scale
            stalled = 0 if falls or gap < 0.5 * best_gap else stalled + 1
            lowest = min(lowest, risk)
            if gap < best_gap:
                best, best_gap = theta, gap
            if gap <= GAP_TARGET * scale:
                break
            # single steps once the gap stands still: there the theory of one atom at a time is wanted
            batch = 1 if self.one_by_one or stalled > 15 else max(1, self.index.size // 4)
            if not self._add(gradient, float(gradient @ theta), batch):
                break
            self._correct()
        return best

    def _theta(self) -> FloatArray:
        theta = np.zeros(self.quadratic.p)
        np.add.at(theta, self.index, self.radius * self.sign * self.weights)
        return theta

    def _wanted_signs(self, gradient: FloatArray, columns: IntArray) -> FloatArray:
        if isinstance(self.constraint_set, L1Ball):
            return np.where(gradient[columns] > 0, -1.0, 1.0)
        return np.ones(columns.size)

    def _add(self, gradient: FloatArray, level: float, batch: int) -> bool:
        """Add up to `batch` atoms s with the least <gradient, s>, all below `level`; False where none can be added."""
        scores = -np.abs(gradient) if isinstance(self.constraint_set, L1Ball) else gradient
        if batch == 1:
            columns = np.array([int(np.argmin(scores))], dtype=np.intp)
        else:
            columns = np.argpartition(scores, min(batch, scores.size) - 1)[:batch]
            columns = columns[np.argsort(scores[columns], kind="stable")]
        signs = self._wanted_signs(gradient, columns)
        # an active atom is on the level up to rounding, and may seem to be below it
        known = np.isin(2 * columns + (signs < 0), 2 * self.index + (self.sign < 0))
        fresh = (self.radius * scores[columns] < level) & ~known
        before = self.index.size
        if fresh.any():
            self._append(columns[fresh], signs[fresh])
        self.weights = np.append(self.weights, np.zeros(self.index.size - before))
        return self.index.size > before

    def _append(self, columns: IntArray, signs: FloatArray) -> None:
        """Extend matrix and Cholesky factor by those of the atoms that are affinely independent of what is there."""
        from scipy.linalg import solve_triangular

        scale = self.radius**2
        size = self.index.size
        corner = scale * np.outer(signs, signs) * self.quadratic.block(columns, columns) + self.lift
        side = scale * np.outer(self.sign, signs) * self.quadratic.block(self.index, columns) + self.lift
        rows: FloatArray = np.empty((columns.size, 0))
        if size:
            rows = solve_triangular(self.factor, side, lower=True, check_finite=False).T
        schur = corner - rows @ rows.T
        kept: list[int] = []
        small = np.zeros((columns.size, columns.size))
        for new in range(columns.size):
            row = np.zeros(len(kept))
            for position, old in enumerate(kept):
                above = small[position]
                row[position] = (schur[new, old] - row[:position] @ above[:position]) / above[position]
            pivot = schur[new, new] - row @ row
            if pivot > PIVOT_LIMIT * corner[new, new]:
                small[len(kept), : len(kept)] = row
                small[len(kept), len(kept)] = np.sqrt(pivot)
                kept.append(new)
        if not kept:
            return
        count = len(kept)
        self.matrix = np.block([[self.matrix, side[:, kept]], [side[:, kept].T, corner[np.ix_(kept, kept)]]])
        factor = np.zeros((size + count, size + count))
        factor[:size, :size] = self.factor
        factor[size:, :size] = rows[kept]
        factor[size:, size:] = small[:count, :count]
        self.factor = factor
        self.index = np.append(self.index, columns[kept])
        self.sign = np.append(self.sign, signs[kept])

    def _correct(self) -> None:
        """Minor steps, until the affine minimiser has no negative weight."""
        while True:
            target = self._affine_minimiser()
            falling = target <= 0.0
            if not falling.any():
                self.weights = target
                return
            # a new atom has weight zero and may be refused at once: the ratio is 0 there
            steps = self.weights[falling] / np.maximum(self.weights[falling] - target[falling], 1e-300)
            step = float(steps.min())
            self.weights = self.weights + step * (target - self.weights)
            drop = np.zeros(self.weights.size, dtype=np.bool_)
            drop[np.flatnonzero(falling)[steps <= step]] = True
            if drop.all():
                raise DpreproError("the minimiser lost all its atoms: the quadratic is not positive semidefinite")
            self._drop(drop)

    def _affine_minimiser(self) -> FloatArray:
        """Weights of sum one that minimise the quadratic over the active atoms' affine hull."""
        cross = self.radius * self.sign * self.quadratic.cross[self.index]
        sides = np.column_stack([cross, np.ones_like(cross)])
        solved = self._solve(sides)
        weights = self._sum_to_one(solved)
        if weights.min() > 0.0:  # the last minor step: one step of refinement, for the certificate's last digits
            weights = self._sum_to_one(solved + self._solve(sides - self.matrix @ solved))
        return weights

    @staticmethod
    def _sum_to_one(solved: FloatArray) -> FloatArray:
        weights: FloatArray = solved[:, 0] + solved[:, 1] * ((1.0 - solved[:, 0].sum()) / solved[:, 1].sum())
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def _solve(self, sides: FloatArray) -> FloatArray:
        from scipy.linalg import cho_solve

        # the transpose is what LAPACK takes without a copy
        return np.asarray(cho_solve((self.factor.T, False), sides, check_finite=False), dtype=np.float64)

    def _drop(self, drop: NDArray[np.bool_]) -> None:
        keep = np.flatnonzero(~drop)
        first = int(np.flatnonzero(drop)[0])
        self.index, self.sign, weights = self.index[keep], self.sign[keep], self.weights[keep]
        self.weights = np.maximum(weights, 0.0) / np.maximum(weights, 0.0).sum()
        self.matrix = self.matrix[np.ix_(keep, keep)]
        # rows above the first dropped atom stay; the trailing block is factorised again from its own rows of L
        rows = self.factor[keep]
        factor = np.zeros((keep.size, keep.size))
        factor[:, :first] = rows[:, :first]
        if keep.size > first:
            trailing = rows[first:, first:]
            try:
                factor[first:, first:] = np.linalg.cholesky(trailing @ trailing.T)
            except np.linalg.LinAlgError:  # a pivot near the limit is lost in the square; QR does not square
                upper = np.linalg.qr(trailing.T, mode="r")
                factor[first:, first:] = (np.copysign(1.0, np.diag(upper))[:, None] * upper).T
        self.factor = factor


def _inside(quadratic: Quadratic, constraint_set: ConstraintSet) -> FloatArray | None:
    """The unconstrained minimiser of least l2 norm where the set contains it and it is cheap to find, else None.

    An atom of a very large set is far away from an interior minimiser, and its weight would carry few digits.
    """
    if not isinstance(constraint_set, L1Ball):
        return None
    if isinstance(quadratic, RecordsQuadratic):
        n, p = quadratic.records.features.shape
        if min(n, p) ** 2 * max(n, p) > 1e8:
            return None
    elif quadratic.p > 500:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):  # moments of no data set may have no finite minimum
        theta = _secular(quadratic, np.inf)
    return theta if np.abs(theta).sum() <= constraint_set.radius else None


def _polished(quadratic: Quadratic, constraint_set: ConstraintSet, theta: FloatArray) -> FloatArray:
    """The point itself, or where it lies inside an l1 ball the unconstrained minimiser, if that has the smaller gap.

    Weights on the atoms of a ball that is much larger than the minimiser lose digits, and how many depends on the BLAS
    kernel; the spectrum knows nothing of the ball.
    """
    if not isinstance(constraint_set, L1Ball) or np.abs(theta).sum() > 0.999 * constraint_set.radius:
        return theta
    free = _secular(quadratic, np.inf)
    if not np.abs(free).sum() <= constraint_set.radius:
        return theta
    return min((theta, free), key=lambda one: duality_gap(quadratic.gradient(one), one, constraint_set))


def _secular(quadratic: Quadratic, radius: float) -> FloatArray:
    """argmin of the quadratic over ||theta||_2 <= radius: (G + level I) theta = cross, level >= 0 by Newton's method.

    Newton on 1/||theta(level)|| - 1/radius, which is concave and increasing, converges from below without safeguards
    (More and Sorensen).
    """
    eigenvalues, cross, basis = quadratic.spectrum()
    # what is zero up to rounding gets no say: its cross would be divided by an eigenvalue of rounding error
    largest = float(eigenvalues.max(initial=0.0))
    flat = eigenvalues <= 4 * np.finfo(float).eps * eigenvalues.size * largest
    size = max(float(np.linalg.norm(cross)), (largest * quadratic.second_moment) ** 0.5)  # ||X^T|| ||y|| / n
    noise = 1e-14 * cross.size**0.5 * size
    live = ~(flat & (np.abs(cross) <= noise))
    values, target = eigenvalues[live], cross[live]

    coordinates = np.zeros(eigenvalues.size)
    if target.size:
        level = max(0.0, float(np.max(np.abs(target) / radius - values)))
        for _ in range(100):
            shifted = values + level
            theta = target / shifted
            norm = float(np.linalg.norm(theta))
            if norm <= radius * (1 + 1e-15):
                break
            slope = float(np.sum(theta**2 / shifted))
            advance = (norm / radius - 1.0) * norm**2 / slope
            if level + advance == level:
                break
            level += advance
        coordinates[live] = target / (values + level)
    solution = coordinates if basis is None else basis @ coordinates
    norm = float(np.linalg.norm(solution))
    return solution * (radius / norm) if norm > radius else solution


def _diagonal_over_polytope(diagonal: FloatArray, cross: FloatArray, constraint_set: L1Ball | Simplex) -> FloatArray:
    """Soft thresholding theta_j = (cross_j - level)_+ / diagonal_j at the level where the weights fill the radius.

    The l1 ball treats |cross| so, with the signs put back, and a level of at least 0.
    """
    signed = isinstance(constraint_set, L1Ball)
    radius = constraint_set.radius
    height = np.abs(cross) if signed else cross
    curved = np.flatnonzero(diagonal > 0)
    flat = np.flatnonzero(diagonal <= 0)
    floor = 0.0 if signed else -np.inf
    linear = int(flat[np.argmax(height[flat])]) if flat.size else -1
    if linear >= 0:  # a coordinate without curvature takes all weight that is left at its own height
        floor = max(floor, float(height[linear]))
    level = floor
    if curved.size:
        order = curved[np.argsort(-height[curved], kind="stable")]
        inverse = 1.0 / diagonal[order]
        levels = (np.cumsum(height[order] * inverse) - radius) / np.cumsum(inverse)
        kept = int(np.flatnonzero(height[order] > levels)[-1])
        level = max(floor, float(levels[kept]))
    theta = np.zeros(cross.size)
    theta[curved] = np.maximum(height[curved] - level, 0.0) / diagonal[curved]
    total = float(theta.sum())
    if linear >= 0 and level == height[linear] and (level > 0 or not signed):
        theta[linear] = max(0.0, radius - total)
    elif total > radius or not signed:
        theta *= radius / total
    return np.copysign(theta, cross) if signed else theta
