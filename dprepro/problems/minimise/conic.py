"""Exact minimisers as conic programmes for the solver Clarabel: for risks with kinks, and sets without an own method.

min x^T P x / 2 + q.x subject to A x + slack = b, slack in a product of cones. The vector x holds theta, then further
variables of the risk and of the set. The caller certifies the solution, so nothing rests on the solver's tolerances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dprepro.errors import DpreproError
from dprepro.problems.problem_data import FloatArray, Records
from dprepro.problems.sets import Box, ConstraintSet, L1Ball, L2Ball, LocalBall, LqBall, Simplex, SpikedBall


def minimise_over_cones(constraint_set: ConstraintSet, matrix: FloatArray, linear: FloatArray) -> FloatArray:
    """argmin theta^T matrix theta + linear.theta over the set, shape (p,)."""
    return solve_cones(constraint_set, 2.0 * matrix, linear)[0]


def minimise_norms(
    bend: float, records: Records, constraint_set: ConstraintSet, linear: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray]:
    """argmin of the mean of ||theta - x|| + bend/2 ||theta - x||^2, + linear.theta + ridge/2 ||theta||^2.

    Returns theta, and from the multipliers a subgradient of each record's norm, shape (K, p), of length at most 1.
    """
    from clarabel import SecondOrderConeT
    from scipy import sparse

    rows, p = records.features.shape
    steps = sparse.kron(sparse.csc_array(np.ones((rows, 1))), _step(p))
    levels = sparse.kron(sparse.eye_array(rows), sparse.csc_array(-np.eye(p + 1, 1)))
    limits = np.hstack([np.zeros((rows, 1)), -records.features]).ravel()
    theta, multipliers = solve_cones(
        constraint_set,
        (ridge + bend) * sparse.eye_array(p),
        np.concatenate([linear - bend * (records.weights @ records.features), records.weights]),
        (steps, levels, limits, [SecondOrderConeT(p + 1)] * rows),
    )
    pulls = -multipliers.reshape(rows, p + 1)[:, 1:] / records.weights[:, None]
    return theta, pulls / np.maximum(1.0, np.linalg.norm(pulls, axis=1, keepdims=True))


def solve_cones(
    constraint_set: ConstraintSet,
    form: Any,
    cost: FloatArray,
    risk: tuple[Any, Any, FloatArray, list[Any]] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """theta, projected onto the set, and the multipliers of the risk's constraints.

    Args:
        form: P, an array or a sparse one of shape (p, p), of theta alone.
        cost: q, of theta and the risk's own variables.
        risk: A for theta, A for its own variables, b and the cones.
    """
    import clarabel
    from scipy import sparse

    p = constraint_set.p
    inside, added, limits, cones = _within(constraint_set)
    added = sparse.csc_array((limits.size, 0)) if added is None else added
    blocks, rows = [[inside, added]], 0
    if risk is not None:
        blocks, rows = [[risk[0], risk[1], None], [inside, None, added]], risk[2].size
        limits, cones = np.concatenate([risk[2], limits]), [*risk[3], *cones]
    cost = np.concatenate([cost, np.zeros(added.shape[1])])
    unit = float(np.abs(cost).max()) or 1.0
    others = sparse.csc_array((cost.size - p, cost.size - p))
    quadratic = sparse.block_diag([sparse.triu(form / unit), others], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13  # it stops at what rounding lets it reach
    # shorter steps and finer solves end with gaps that are smaller by a factor of 30
    settings.max_step_fraction, settings.iterative_refinement_max_iter = 0.9, 30
    settings.iterative_refinement_abstol = settings.iterative_refinement_reltol = 1e-15
    matrix = sparse.block_array(blocks, format="csc")
    answer = clarabel.DefaultSolver(quadratic, cost / unit, matrix, limits, cones, settings).solve()
    found = np.asarray(answer.x)[:p]
    if not np.isfinite(found).all():
        raise DpreproError(f"the conic solver gave no point: {answer.status}")
    return constraint_set.project(found), unit * np.asarray(answer.z)[:rows]


def _within(constraint_set: ConstraintSet) -> tuple[Any, Any, FloatArray, list[Any]]:
    """theta in the set: A for theta, A for the set's own variables (None without any), b and the cones.

    Raises:
        DpreproError: a set without a description by cones.
    """
    from clarabel import NonnegativeConeT, PowerConeT, SecondOrderConeT, ZeroConeT
    from scipy import sparse

    p, radius, zero = constraint_set.p, constraint_set.radius, np.zeros(constraint_set.p)
    matrix, total = sparse.eye_array(p, format="csc"), sparse.csc_array(np.ones((1, p)))
    match constraint_set:
        case L2Ball():
            return _step(p), None, np.append(radius, zero), [SecondOrderConeT(p + 1)]
        case LocalBall():
            limits = np.concatenate([[radius], zero, [constraint_set.reach], -constraint_set.centre])
            return sparse.vstack([_step(p), _step(p)]), None, limits, [SecondOrderConeT(p + 1)] * 2
        case Box():
            return sparse.vstack([matrix, -matrix]), None, np.full(2 * p, radius), [NonnegativeConeT(2 * p)]
        case Simplex():
            return sparse.vstack([total, -matrix]), None, np.append(radius, zero), [ZeroConeT(1), NonnegativeConeT(p)]
        case L1Ball():  # |theta_j| <= size_j, and the sizes sum to the radius at most
            inside, sizes = sparse.vstack([matrix, -matrix, 0 * total]), sparse.vstack([-matrix, -matrix, total])
            return inside, sizes, np.concatenate([zero, zero, [radius]]), [NonnegativeConeT(2 * p + 1)]
        case SpikedBall():  # theta = tip e_1 + rest with |tip| <= radius share, ||rest|| <= ball (1 - share)
            own = np.zeros((p + 3, 2))
            own[:4] = [[1.0, -radius], [-1.0, -radius], [0.0, constraint_set.ball], [1.0, 0.0]]
            inside = sparse.vstack([sparse.csc_array((2, p)), _step(p)])
            limits = np.concatenate([[0.0, 0.0, constraint_set.ball], zero])
            return inside, sparse.csc_array(own), limits, [NonnegativeConeT(2), SecondOrderConeT(p + 1)]
        case LqBall():  # |theta_j|/radius <= size_j^(1/q), and the sizes sum to 1 at most
            entries = sparse.kron(matrix, sparse.csc_array([[0.0], [0.0], [-1 / radius]]), format="csc")
            sizes = sparse.vstack([sparse.kron(matrix, sparse.csc_array([[-1.0], [0.0], [0.0]]), format="csc"), total])
            cones = [*[PowerConeT(1 / constraint_set.q)] * p, NonnegativeConeT(1)]
            return sparse.vstack([entries, 0 * total]), sizes, np.append(np.tile([0.0, 1.0, 0.0], p), 1.0), cones
        case _:
            raise DpreproError(f"no minimiser knows {constraint_set.title}")


def _step(p: int) -> Any:
    """A with b - A theta = (reach, theta - centre) for b = (reach, -centre): in the second-order cone within a ball."""
    from scipy import sparse

    return -sparse.eye_array(p + 1, p, k=-1, format="csc")
