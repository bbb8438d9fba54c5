"""Newton's method for a smooth convex risk over a set: every step minimises a quadratic over the set exactly."""

from __future__ import annotations

from collections.abc import Callable

from dprepro.problems.minimise.quadratic import best_point, duality_gap
from dprepro.problems.moments import Moments
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import ConstraintSet

STEPS = 200
SMALLEST = 1e-12  # share of a step that is still tried


def minimise_smooth(
    value: Callable[[FloatArray], float],
    gradient: Callable[[FloatArray], FloatArray],
    model: Callable[[FloatArray], Moments],
    constraint_set: ConstraintSet,
    target: float,
) -> tuple[FloatArray, float]:
    """The best point found, shape (p,), and its duality gap.

    Args:
        value, gradient: of the risk.
        model: the quadratic with the risk's gradient at a point and about its Hessian there.
        constraint_set: the set; the first point is its own.
        target: gap at which the search ends; it also ends where rounding lets nothing improve.

    A step goes toward the model's minimiser, and is halved until the risk falls by a share of what the gradient
    promises, or the gap halves: at the last digits the risk says nothing more.
    """
    theta = constraint_set.start()
    level, slope = value(theta), gradient(theta)
    best, best_gap = theta, duality_gap(slope, theta, constraint_set)
    for _ in range(STEPS):
        if best_gap <= target:
            break
        direction = best_point(model(theta), constraint_set) - theta
        promised, size = float(slope @ direction), 1.0
        while size > SMALLEST:
            moved = theta + size * direction
            reached, slope_there = value(moved), gradient(moved)
            gap = duality_gap(slope_there, moved, constraint_set)
            if reached < min(level, level + 1e-4 * size * promised) or gap < 0.5 * best_gap:
                break
            size *= 0.5
        else:
            break
        theta, level, slope = moved, reached, slope_there
        if gap < best_gap:
            best, best_gap = theta, gap
    return best, best_gap
