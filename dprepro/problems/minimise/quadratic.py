"""The minimiser of a convex quadratic over any set of the project, by the method that suits both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dprepro.errors import DpreproError
from dprepro.problems.minimise.active_set import ActiveSet
from dprepro.problems.minimise.closed import diagonal_over_polytope, secular
from dprepro.problems.minimise.conic import minimise_over_cones
from dprepro.problems.moments import Moments
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import Box, ConstraintSet, L1Ball, L2Ball, LqBall, Simplex

ROUNDS = 40  # of the search for a radius; two or three are what it takes
SETTLED = 1e-12  # relative to the risk's scale: the gap at which that search ends
SMALL = 1e-9  # relative to the risk's scale: a gap above this is worth a slower method


def minimise_quadratic(
    quadratic: Moments, constraint_set: ConstraintSet, l1_weight: float = 0.0
) -> tuple[FloatArray, float]:
    """The minimiser of the quadratic + l1_weight ||theta||_1 over the set, shape (p,), and its duality gap.

    Raises:
        DpreproError: an l1 term beside a G that is not diagonal over another set than an l1 ball, or no certificate is
            known for that over the set.
    """
    target = quadratic
    if l1_weight:
        if not quadratic.diagonal and isinstance(constraint_set, L1Ball):
            return _penalised(quadratic, constraint_set, l1_weight)
        if not quadratic.diagonal:
            raise DpreproError("no minimiser is known for an l1 term beside a quadratic that is not diagonal")
        # theta_j has the sign of cross_j, so that the term is linear, or theta_j = 0 where it outweighs cross_j
        cross = quadratic.cross
        target = quadratic.plus(np.copysign(np.minimum(2.0 * np.abs(cross), l1_weight), cross), 0.0)
    theta = best_point(target, constraint_set)
    return theta, duality_gap(quadratic.gradient(theta), theta, constraint_set, l1_weight)


def duality_gap(
    gradient: FloatArray, theta: FloatArray, constraint_set: ConstraintSet, l1_weight: float = 0.0
) -> float:
    """max_s <gradient, theta - s> + l1_weight (||theta||_1 - ||s||_1) over the set; never negative.

    Raises:
        DpreproError: an l1 weight over a set for which the maximum has no closed form.
    """
    if not l1_weight:
        return max(0.0, float(gradient @ theta) + constraint_set.support(-gradient))
    if not isinstance(constraint_set, Box | L1Ball | L2Ball | LqBall):
        raise DpreproError(f"no certificate is known for an l1 term over {constraint_set.title}")
    # of s only the coordinates matter whose pull exceeds the weight
    reached = constraint_set.support(np.maximum(np.abs(gradient) - l1_weight, 0.0))
    return max(0.0, float(gradient @ theta) + l1_weight * float(np.abs(theta).sum()) + reached)


def _penalised(quadratic: Moments, ball: L1Ball, weight: float) -> tuple[FloatArray, float]:
    """argmin of the quadratic + weight ||theta||_1 over the ball, and its duality gap: the LASSO in penalised form.

    Over a ball of radius r the multiplier of ||theta||_1 <= r falls with r, piecewise linearly: Newton's method for the
    r at which it is ``weight``, kept within a bracket. The active set over each ball tells which coordinates are not
    zero and their signs; on those theta solves linear equations, and is the answer once its own gap says so.
    """

    def gap(theta: FloatArray) -> float:
        return duality_gap(quadratic.gradient(theta), theta, ball, weight)

    theta, low, high = np.zeros(quadratic.p), 0.0, ball.radius
    best = theta
    active = np.array([int(np.argmax(np.abs(quadratic.cross)))])
    signs = np.sign(quadratic.cross[active])
    for _ in range(ROUNDS):
        if gap(best) <= SETTLED * quadratic.scale:
            break
        theta, side = np.zeros(quadratic.p), quadratic.cross[active] - 0.5 * weight * signs
        theta[active] = np.linalg.lstsq(quadratic.block(active, active), side, rcond=None)[0]
        if np.abs(theta).sum() <= ball.radius:
            best = min(best, theta, key=gap)
            if gap(best) <= SETTLED * quadratic.scale:
                break
        radius = float(signs @ theta[active])
        if not low < radius < high:
            radius = 0.5 * (low + high)
        theta = ActiveSet(quadratic, replace(ball, radius=radius)).run()
        best = min(best, theta, key=gap)
        level = -float(quadratic.gradient(theta) @ theta) / radius
        low, high = (radius, high) if level > weight else (low, radius)
        active = np.flatnonzero(theta)
        signs = np.sign(theta[active])
    return best, gap(best)


def best_point(quadratic: Moments, constraint_set: ConstraintSet) -> FloatArray:
    """The minimiser over the set, shape (p,), for others to certify."""
    zero = np.zeros(quadratic.p)
    if not quadratic.cross.any() and constraint_set.contains(zero, 0.0):
        return zero
    if quadratic.diagonal:
        cross, ridges = quadratic.cross, quadratic.ridges
        with np.errstate(divide="ignore", invalid="ignore"):
            free = np.where(cross == 0, 0.0, cross / ridges)
        if isinstance(constraint_set, Box) or (isinstance(constraint_set, LqBall) and np.count_nonzero(cross) == 1):
            return np.clip(free, -constraint_set.radius, constraint_set.radius)
        if ridges.max() == 0:
            return constraint_set.minimise_linear(-cross)
        if ridges.min() == ridges.max():
            return constraint_set.project(free)
        if isinstance(constraint_set, L1Ball | Simplex):
            return diagonal_over_polytope(ridges, cross, constraint_set)
    if isinstance(constraint_set, L2Ball):
        return secular(quadratic, constraint_set.radius)
    if isinstance(constraint_set, L1Ball | Simplex):
        return _over_polytope(quadratic, constraint_set)
    inside = _inside(quadratic, constraint_set)
    if inside is not None:
        return inside
    return minimise_over_cones(constraint_set, quadratic.matrix(), -2.0 * quadratic.cross)


def _over_polytope(quadratic: Moments, constraint_set: L1Ball | Simplex) -> FloatArray:
    """By the spectrum where the minimiser lies inside, else by the active set.

    An atom of a very large ball is far away from an interior minimiser, and its weight would carry few digits; how few
    depends on the BLAS kernel. The spectrum knows nothing of the ball.
    """
    inside = _inside(quadratic, constraint_set) if _has_cheap_spectrum(quadratic) else None
    if inside is not None:
        return inside
    limit = SMALL * quadratic.scale

    def gap(theta: FloatArray) -> float:
        return duality_gap(quadratic.gradient(theta), theta, constraint_set)

    theta = ActiveSet(quadratic, constraint_set, leaves=True).run()
    if gap(theta) > 1e-3 * limit and np.abs(theta).sum() <= 0.999 * constraint_set.radius:
        inside = _inside(quadratic, constraint_set)
        theta = theta if inside is None else min(theta, inside, key=gap)
    for one_by_one in (False, True):
        if not gap(theta) <= limit:
            theta = ActiveSet(quadratic, constraint_set, one_by_one).run()
    if not gap(theta) <= limit:  # an added linear term need not lie in the range of G, as that of records does
        theta = minimise_over_cones(constraint_set, quadratic.matrix(), -2.0 * quadratic.cross)
    return theta


def _has_cheap_spectrum(quadratic: Moments) -> bool:
    few, many = sorted((quadratic.p,) * 2 if quadratic.factor is None else quadratic.factor.shape)
    return bool(few**2 * many <= 1.25e8)


def _inside(quadratic: Moments, constraint_set: ConstraintSet) -> FloatArray | None:
    """The unconstrained minimiser of least l2 norm where the set contains it, else None."""
    if isinstance(constraint_set, Simplex):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):  # an added linear term may leave no finite minimum
        theta = secular(quadratic, np.inf)
    return theta if np.isfinite(theta).all() and constraint_set.contains(theta, 0.0) else None
