"""Wolfe's nearest-point method for a convex quadratic over an l1 ball or a simplex."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import DpreproError
from dprepro.problems.moments import Moments
from dprepro.problems.problem_data import FloatArray, IntArray
from dprepro.problems.sets import L1Ball, Simplex

GAP_TARGET = 1e-15  # the search ends here, times the risk's scale, or where rounding lets nothing improve
DEEP = 0.9  # a point whose norm is below this share of the radius lies deep inside
MANY = 200  # atoms beyond which a search that leads deep inside is left to the spectrum
PIVOT_LIMIT = 1e-12  # an atom whose squared distance to the active hull is below this share of its norm is dependent


class ActiveSet:
    """Wolfe's nearest-point method in the quadratic's own geometry (fully corrective Frank-Wolfe) over signed atoms.

    An atom is +-radius e_j; an active set of atoms carries positive weights of sum one. A major step adds the atoms
    that the gradient asks for most; minor steps move to the minimiser over the active atoms' affine hull, or to the
    first weight that would turn negative on the way, whose atom is dropped. The atom of the steepest violation is
    affinely independent of the active ones in exact arithmetic, so the lifted matrix Q + kappa 1 1^T (the same
    quadratic where weights sum to one) stays positive definite, and its Cholesky factor grows and shrinks with the
    set. Atoms added beside the steepest only save passes over the data: each minor step stays a descent step.

    Args:
        one_by_one: one atom a step: slower, but safer where atoms are nearly dependent.
        leaves: whether to give up once many atoms have led deep inside the set, where the spectrum is quicker.
    """

    def __init__(
        self, quadratic: Moments, constraint_set: L1Ball | Simplex, one_by_one: bool = False, leaves: bool = False
    ) -> None:
        self.quadratic = quadratic
        self.constraint_set = constraint_set
        self.radius = constraint_set.radius
        self.one_by_one, self.leaves = one_by_one, leaves
        self.index: IntArray = np.empty(0, dtype=np.intp)
        self.sign: FloatArray = np.empty(0)
        self.weights: FloatArray = np.empty(0)
        self.matrix: FloatArray = np.empty((0, 0))
        self.factor: FloatArray = np.empty((0, 0))
        self.lift = 0.0

    def run(self) -> FloatArray:
        """The best point found: the first below the target gap, or where rounding lets nothing improve."""
        start = -self.quadratic.cross
        first = int(np.argmax(np.abs(start))) if isinstance(self.constraint_set, L1Ball) else int(np.argmin(start))
        column = np.array([first], dtype=np.intp)
        self.lift = self.radius**2 * float(self.quadratic.block(column, column)[0, 0]) or 1.0
        self._append(column, self._wanted_signs(start, column))
        self.weights = np.ones(1)
        scale = self.quadratic.scale or self.lift  # of the risk, where labels are not all zero
        best, best_gap, lowest, stalled = self._theta(), np.inf, np.inf, 0
        while stalled < 25:
            theta = self._theta()
            gradient = self.quadratic.gradient(theta, np.unique(self.index))
            gap = float(gradient @ theta) + self.constraint_set.support(-gradient)
            # the risk less its constant; it falls strictly until the fall drowns in rounding, then only the gap tells
            risk = float((0.5 * gradient - self.quadratic.cross) @ theta)
            falls = risk < lowest - 1e-15 * scale
            stalled = 0 if falls or gap < 0.5 * best_gap else stalled + 1
            lowest = min(lowest, risk)
            if gap < best_gap:
                best, best_gap = theta, gap
            if gap <= GAP_TARGET * scale:
                break
            if self.leaves and self.index.size > MANY and np.abs(theta).sum() < DEEP * self.radius:
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
