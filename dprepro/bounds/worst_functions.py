"""Worst cases over **all** convex functions, by semidefinite programmes whose dual solutions are verified.

Performance estimation (Drori and Teboulle 2014; Taylor, Hendrickx and Glineur 2017): T steps touch finitely many
points, and values and gradients there belong to a convex function of a class if and only if its interpolation
inequalities hold. Those are linear in the Gram matrix of points and gradients and in the values, and so is the final
risk: its supremum, in any dimension, is a semidefinite programme. Units: smoothness or Lipschitz constant, and
diameter, are 1.

Nothing from above rests on the solver: `verified` takes multipliers of any origin, and bounds every feasible risk in a
few lines. From below there is the risk of a point that is feasible up to `ROUGHNESS`, hence as good as reached, not
proved to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]


ROUGHNESS = 1e-7
"""By how much a point may break a constraint, or the Gram matrix fail to be one, and still be taken for feasible."""


@dataclass
class Programme:
    """Maximise a scalar over Gram matrices and scalars: every constraint reads <form, G> + scalars.F <= limit.

    Attributes:
        size, scalars: how many vectors the Gram matrix has, and how many scalars there are.
        reach: a bound on every squared length and every scalar of a feasible point, derived with the class.
        forms, rows, limits: the constraints; shapes (size, size), (scalars,) and ().
        objective: the scalars' weights.
    """

    size: int
    scalars: int
    reach: float
    forms: list[Vector] = field(default_factory=list)
    rows: list[Vector] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    objective: Vector = field(default_factory=lambda: np.zeros(0))

    def demand(self, form: Vector | float, row: Vector | float = 0.0, limit: float = 0.0) -> None:
        """Add one constraint."""
        zero = np.zeros((self.size, self.size))
        self.forms.append(np.asarray((form + np.transpose(form)) / 2 + zero))
        self.rows.append(np.asarray(row + np.zeros(self.scalars)))
        self.limits.append(limit)


def verified(programme: Programme, multipliers: Vector) -> float:
    """An upper limit of the programme's value by multipliers, which are cut at zero: weak duality, and no more.

    Every feasible G and F has objective.F <= limits.m + <-S, G> + (objective - sum m row).F with S = sum m form. With
    -e the least eigenvalue of S and r what the rows leave, that is at most limits.m + e size reach + sum |r| reach.
    """
    m = np.maximum(multipliers, 0.0)
    slack = np.tensordot(m, np.array(programme.forms), axes=1)
    left = programme.objective - m @ np.array(programme.rows)
    short = max(0.0, -float(np.linalg.eigvalsh(slack)[0]))
    rest = short * programme.size + float(np.abs(left).sum())
    return float(m @ np.array(programme.limits)) + rest * programme.reach


def solved(programme: Programme) -> tuple[Vector, Vector, Vector]:
    """Multipliers, the Gram matrix and the scalars of an interior-point solution; nothing is promised of them."""
    import clarabel
    from scipy import sparse

    n = programme.size
    rows, columns = np.tril_indices(n)  # clarabel's order, column by column of the upper triangle
    double = np.where(rows == columns, 1.0, 2.0)
    forms = np.array([form[rows, columns] * double for form in programme.forms])
    linear = np.hstack([forms, np.array(programme.rows)])
    cone = np.hstack([-np.diag(np.where(rows == columns, 1.0, np.sqrt(2.0))), np.zeros((rows.size, programme.scalars))])
    cost = np.concatenate([np.zeros(rows.size), -programme.objective])
    settings: Any = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    answer = clarabel.DefaultSolver(
        sparse.csc_array((cost.size, cost.size)), cost, sparse.csc_array(np.vstack([linear, cone])),
        np.concatenate([programme.limits, np.zeros(rows.size)]),
        [clarabel.NonnegativeConeT(len(programme.limits)), clarabel.PSDTriangleConeT(n)], settings,
    ).solve()  # fmt: skip
    found = np.asarray(answer.x)
    gram = np.zeros((n, n))
    gram[rows, columns] = gram[columns, rows] = found[: rows.size]
    return np.asarray(answer.z)[: len(programme.limits)], gram, found[rows.size :]


def frank_wolfe_programme(steps: int, initial_risk: float, regret: float = 0.0) -> Programme:
    """Algorithm 1 of Talwar, Thakurta and Zhang with mu_t = 2/(t+2), T = ``steps``, every choice within ``regret``.

    Over convex functions of smoothness 1 on sets of diameter 1, so that Gamma <= 1, with h_1 <= ``initial_risk``. The
    vectors are theta_1 and s_1..s_{T-1}, from theta* on, and d_t = g_t - g*; the scalars h_1..h_T and <g*, .> of the
    former. That those of g* are free scalars loses nothing: g* may have parts across all else. Reach: h_t <= 2 h_1 + 1
    + regret by the theorem's own recursion, ||d_t||^2 <= 2 h_t, lengths are at most 1, and <g*, s_t> <= regret +
    ||d_t||.
    """
    points = steps  # theta_1, s_1, ..., s_{T-1}
    programme = Programme(points + steps, steps + points, 2 * (2 * initial_risk + 1 + regret) + 2)
    vectors, scalars = np.eye(programme.size), np.eye(programme.scalars)
    z, pull, d, h = vectors[:points], scalars[steps:], vectors[points:], scalars[:steps]
    at, pulled = [z[0]], [pull[0]]
    for t in range(1, steps):
        mu = 2 / (t + 2)
        at.append((1 - mu) * at[-1] + mu * z[t])
        pulled.append((1 - mu) * pulled[-1] + mu * pull[t])
    zero, none = np.zeros(programme.size), np.zeros(programme.scalars)
    every = [(zero, none, zero, none), *zip(at, pulled, d, h, strict=True)]  # the minimiser first
    for i, (x, c, g, f) in enumerate(every):
        for j, (x_j, c_j, g_j, f_j) in enumerate(every):
            if i != j:  # f_i >= f_j + <g_j, x_i - x_j> + ||g_i - g_j||^2/2
                programme.demand(np.outer(g_j, x - x_j) + np.outer(g - g_j, g - g_j) / 2, f_j - f + c - c_j)
    corners = [(zero, none), *zip(z, pull, strict=True)]
    for i, (x, c) in enumerate(corners):
        if i:
            programme.demand(0.0, -c)  # g* is normal at the minimiser
        for x_j, _ in corners[:i]:
            programme.demand(np.outer(x - x_j, x - x_j), limit=1.0)
        if i > 1:
            for j, (x_j, c_j) in enumerate(corners):
                if j != i:
                    programme.demand(np.outer(d[i - 2], x - x_j), c - c_j, regret)
    programme.demand(0.0, h[0], initial_risk)
    programme.objective = h[-1]
    return programme


def subgradient_programme(steps: int) -> Programme:
    """Projected subgradient steps 1/sqrt t, T - 1 of them: Algorithm 1 of Bassily, Smith and Thakurta without noise.

    Over convex functions of Lipschitz constant 1 on sets of diameter 1; the risk of the last iterate. The vectors are
    theta_1 - theta*, g_1..g_T, and the normals that the projections take off; the scalars are the risks. A zero
    subgradient at theta* loses nothing: max(f, f*) has the same values and subgradients where h_t > 0. Reach: h_t <= 1;
    a normal is at most eta_t ||g_t|| <= 1 long, since theta_t lies in the set.
    """
    programme = Programme(2 * steps, steps, 1.0)
    vectors, h = np.eye(programme.size), np.eye(steps)
    g, at = vectors[1 : steps + 1], [vectors[0]]
    for t in range(1, steps):
        at.append(at[-1] - g[t - 1] / np.sqrt(t) - vectors[steps + t])
    zero = np.zeros(programme.size)
    corners = [zero, *at]
    for i, x in enumerate(at):
        programme.demand(np.outer(g[i], g[i]), limit=1.0)
        programme.demand(0.0, -h[i])
        programme.demand(np.outer(g[i], -x), h[i])
        for j, x_j in enumerate(at):
            if i != j:  # f_j >= f_i + <g_i, x_j - x_i>
                programme.demand(np.outer(g[i], x_j - x), h[i] - h[j])
        for x_j in corners[: i + 1]:
            programme.demand(np.outer(x - x_j, x - x_j), limit=1.0)
        if i:
            for x_j in corners:
                if x_j is not x:
                    programme.demand(np.outer(vectors[steps + i], x_j - x))
    programme.objective = h[-1]
    return programme


def averaged_programme(steps: int) -> Programme:
    """Projected gradient steps 1/4, T - 1 of them, and their average: Algorithm 1 of Arora et al. without noise.

    Over non-negative functions of smoothness 1 whose best value is 0, on sets within 1 of the start: Corollary 1 where
    the best risk is zero. The vectors are theta_1 - theta*, the gradients at theta_1..theta_T and at their average, and
    what the projections take off. Reach: a risk is at most 2^2/2, a squared gradient at most twice that.
    """
    programme = Programme(2 * steps + 1, steps + 1, 4.0)
    vectors, h = np.eye(programme.size), np.eye(steps + 1)
    g, at = vectors[1 : steps + 2], [vectors[0]]
    for t in range(1, steps):
        at.append(at[-1] - g[t - 1] / 4 - vectors[steps + 1 + t])
    zero, none = np.zeros(programme.size), np.zeros(steps + 1)
    every = [(zero, zero, none), *zip([*at, np.mean(at, axis=0)], g, h, strict=True)]
    for i, (x, g_i, f) in enumerate(every):
        for j, (x_j, g_j, f_j) in enumerate(every):
            if i != j:
                programme.demand(np.outer(g_j, x - x_j) + np.outer(g_i - g_j, g_i - g_j) / 2, f_j - f)
    for i, x in enumerate([zero, *at]):
        if i != 1:
            programme.demand(np.outer(x - at[0], x - at[0]), limit=1.0)
        if i > 1:
            for x_j in (zero, *at):
                if x_j is not x:
                    programme.demand(np.outer(vectors[steps + i], x_j - x))
    programme.objective = h[-1]
    return programme


def reached(programme: Programme, gram: Vector, scalars: Vector) -> float:
    """The risk of a point that is feasible up to `ROUGHNESS`; 0, which every programme reaches, of any other."""
    excess = np.tensordot(programme.forms, gram, axes=2) + np.array(programme.rows) @ scalars - programme.limits
    broken = max(float(excess.max()), -float(np.linalg.eigvalsh(gram)[0]))
    return float(programme.objective @ scalars) if broken <= ROUGHNESS else 0.0


def frank_wolfe(steps: float, initial_risk: float) -> float:
    """The certified worst risk of `frank_wolfe_programme`, from above."""
    return inexact_frank_wolfe(steps, initial_risk, 0.0)


def inexact_frank_wolfe(steps: float, initial_risk: float, step_regret: float) -> float:
    """`frank_wolfe` where every choice may be worse than the best one by ``step_regret`` in its linear score."""
    return _certified("frank_wolfe", int(steps), initial_risk, step_regret)


def subgradient(steps: float) -> float:
    """The certified worst risk of `subgradient_programme`, from above."""
    return _certified("subgradient", int(steps))


def averaged(steps: float) -> float:
    """The certified worst risk of `averaged_programme`, from above."""
    return _certified("averaged", int(steps))


def frank_wolfe_reached(steps: float, initial_risk: float) -> float:
    """A risk that some function costs in `frank_wolfe_programme`, from below; see `reached`."""
    return inexact_frank_wolfe_reached(steps, initial_risk, 0.0)


def inexact_frank_wolfe_reached(steps: float, initial_risk: float, step_regret: float) -> float:
    """`frank_wolfe_reached` where every choice may be worse than the best one in its linear score.

    It may be worse by ``step_regret``.
    """
    return _reached("frank_wolfe", int(steps), initial_risk, step_regret)


def subgradient_reached(steps: float) -> float:
    """A risk that some function costs in `subgradient_programme`, from below; see `reached`."""
    return _reached("subgradient", int(steps))


def averaged_regret(steps: float) -> float:
    """What the proof of Corollary 1 leaves there: B^2/(2 eta T)/(1 - H eta) with eta = 1/4 and H = B = 1."""
    return 8 / (3 * steps)


PROGRAMMES: dict[str, Callable[..., Programme]] = {
    "frank_wolfe": frank_wolfe_programme,
    "subgradient": subgradient_programme,
    "averaged": averaged_programme,
}


@lru_cache(maxsize=64)
def _solution(name: str, *numbers: float) -> tuple[Programme, Vector, Vector, Vector]:
    programme = PROGRAMMES[name](*numbers)
    return programme, *solved(programme)


def _certified(name: str, *numbers: float) -> float:
    programme, multipliers, _, _ = _solution(name, *numbers)
    return verified(programme, multipliers)


def _reached(name: str, *numbers: float) -> float:
    programme, _, gram, scalars = _solution(name, *numbers)
    return reached(programme, gram, scalars)
