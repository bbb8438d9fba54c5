"""The grid walk of Applegate and Kannan (1991) on a cube: step by step, and its exact law on small grids."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dprepro.problems.problem_data import FloatArray

BLOCK = 4096  # steps whose randomness is drawn at once
LARGEST = 1e18  # steps beyond which no mixing time is looked for


@dataclass(frozen=True)
class Grid:
    """The centres of cells^p equal cells that fill the cube [-half_edge, half_edge]^p."""

    p: int
    cells: int
    half_edge: float

    @property
    def edge(self) -> float:
        """gamma, the edge of a cell."""
        return 2 * self.half_edge / self.cells

    @property
    def size(self) -> int:
        """Number of cells."""
        return int(self.cells**self.p)

    @property
    def middle(self) -> tuple[int, ...]:
        """The cell at the centre of the cube, or one beside it: where walks start."""
        return (self.cells // 2,) * self.p

    def centre(self, cell: ArrayLike) -> FloatArray:
        """The centre of a cell, or of several, shape like the cells' numbers along the axes."""
        return (np.asarray(cell, dtype=np.float64) + 0.5) * self.edge - self.half_edge

    def centres(self) -> FloatArray:
        """All centres, the last coordinate moving first, shape (size, p)."""
        return self.centre(np.indices((self.cells,) * self.p).reshape(self.p, -1).T)

    def number(self, cell: tuple[int, ...]) -> int:
        """Where a cell stands among the centres."""
        return int(np.ravel_multi_index(cell, (self.cells,) * self.p))


def walk(
    log_weight: Callable[[FloatArray], float], grid: Grid, steps: int, lazy: bool, rng: np.random.Generator
) -> tuple[int, ...]:
    """The cell that the walk has reached after that many steps from the middle.

    A lazy step stays with probability 1/2. Else one of the 2p neighbours v of the cell u is chosen, and the walk moves
    there with probability min(1, F(v)/F(u)) if v belongs to the grid.
    """
    seen: dict[tuple[int, ...], float] = {}

    def level(cell: tuple[int, ...]) -> float:
        if cell not in seen:
            seen[cell] = log_weight(grid.centre(cell))
        return seen[cell]

    here = grid.middle
    for first in range(0, steps, BLOCK):
        count = min(BLOCK, steps - first)
        moves = np.ones(count, dtype=bool) if not lazy else rng.random(count) < 0.5
        axes, sides = rng.integers(grid.p, size=count), 2 * rng.integers(2, size=count) - 1
        thresholds = -rng.standard_exponential(count)  # the logarithm of a uniform number
        for step in np.flatnonzero(moves):
            axis = int(axes[step])
            there = here[axis] + int(sides[step])
            if 0 <= there < grid.cells:
                beside = (*here[:axis], there, *here[axis + 1 :])
                if thresholds[step] <= level(beside) - level(here):
                    here = beside
    return here


@dataclass(frozen=True, eq=False)
class WalkLaw:
    """The law of the walk, by the spectrum of its transition matrix P.

    P is reversible with stationary law pi ~ F, so D P D^-1 is symmetric, D = diag(sqrt pi), and P^t(u, v)/pi(v) =
    1 + sum_k lambda_k^t f_k(u) f_k(v) over the eigenvalues but the first: relative deviations without a difference of
    near-equal numbers, for any t.

    Attributes:
        logs: log F at the centres, shape (cells,) * p.
        lazy: see `walk`.
    """

    logs: FloatArray
    lazy: bool = True

    @cached_property
    def stationary(self) -> FloatArray:
        """pi, shape (size,)."""
        weight = np.exp(self.logs - self.logs.max()).ravel()
        return np.asarray(weight / weight.sum())

    @cached_property
    def transitions(self) -> FloatArray:
        """P, shape (size, size)."""
        size, p = self.logs.size, self.logs.ndim
        numbers = np.arange(size).reshape(self.logs.shape)
        logs, matrix = self.logs.ravel(), np.zeros((size, size))
        for axis in range(p):
            low = np.take(numbers, range(self.logs.shape[axis] - 1), axis).ravel()
            high = np.take(numbers, range(1, self.logs.shape[axis]), axis).ravel()
            for here, there in ((low, high), (high, low)):
                matrix[here, there] = np.exp(np.minimum(0.0, logs[there] - logs[here])) / (2 * p)
        if self.lazy:
            matrix *= 0.5
        np.fill_diagonal(matrix, 1.0 - matrix.sum(axis=1))
        return matrix

    @cached_property
    def _spectrum(self) -> tuple[FloatArray, FloatArray]:
        """lambda_k, ascending, and f_k as columns, without the first of them, 1 and the constant."""
        root = np.sqrt(self.stationary)
        values, vectors = np.linalg.eigh(root[:, None] * self.transitions / root)
        return np.clip(values[:-1], -1.0, 1.0), vectors[:, :-1] / root[:, None]

    def deviation(self, start: int, steps: float) -> FloatArray:
        """P^steps(start, v)/pi(v) - 1, shape (size,)."""
        values, functions = self._spectrum
        return np.asarray(functions @ (values**steps * functions[start]))

    def after(self, start: int, steps: float) -> FloatArray:
        """P^steps(start, .), shape (size,); what rounding makes negative is 0."""
        law = np.maximum(0.0, self.stationary * (1 + self.deviation(start, steps)))
        return np.asarray(law / law.sum())

    def farthest(self, steps: float) -> float:
        """max |P^steps(u, v)/pi(v) - 1|; for a lazy walk, which is positive semidefinite, that is at some u = v."""
        values, functions = self._spectrum
        if self.lazy:
            return float((functions**2 @ values**steps).max())
        return float(np.abs((functions * values**steps) @ functions.T).max())

    def mixing(self, precision: float) -> float:
        """The least number of steps from which on `farthest` is at most that; infinite where that is never."""
        high = 1.0
        while self.farthest(high) > precision:
            high *= 2
            if high > LARGEST:
                return math.inf
        low = high / 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.farthest(middle) > precision else (low, middle)
        return high
