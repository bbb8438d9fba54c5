"""Talwar, Thakurta and Zhang (2015): both sides of what section 2 and Appendix B quote, as numbers.

``draw`` seeds a random polytope or record. Noise has scale 1: regrets are in its units.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def one() -> float:
    """1: the other side of an equality, whose left one is 1 + how far both sides are apart."""
    return 1.0


# Fact 2.3: vertices


def _polytope(p: float, draw: float) -> tuple[Vector, Vector, Vector, Vector]:
    """Ax <= b with the box of side 2 and 4 random cuts, its vertices by solving p of the constraints, a direction."""
    rng, size = np.random.default_rng(int(draw)), int(p)
    normals = rng.standard_normal((4, size))
    a = np.concatenate([np.eye(size), -np.eye(size), normals / np.linalg.norm(normals, axis=1)[:, None]])
    b = np.concatenate([np.ones(2 * size), np.full(4, 0.8)])
    found = []
    for rows in itertools.combinations(range(len(a)), size):
        part = a[list(rows)]
        if abs(np.linalg.det(part)) > 1e-9:
            vertex = np.linalg.solve(part, b[list(rows)])
            if (a @ vertex <= b + 1e-9).all():
                found.append(vertex)
    return a, b, np.array(found), rng.standard_normal(size)


def fact_2_3(p: float, draw: float) -> float:
    """1 + the least value at a vertex less that of the linear programme."""
    from scipy.optimize import linprog

    a, b, vertices, direction = _polytope(p, draw)
    least = linprog(direction, a, b, bounds=(None, None)).fun
    return 1 + float((vertices @ direction).min() - least)


def fact_2_3_curved(p: float, draw: float) -> float:
    """A falsehood: the same for ||x||^2, whose least value in the polytope is 0."""
    return 1 + float((_polytope(p, draw)[2] ** 2).sum(axis=1).min())


# Definition 2.1: the curvature constant of (<x, theta> - y)^2 over the unit l1 ball, ||x||_inf <= 1


def largest_bend(p: float, draw: float, step: float) -> float:
    """max over vertices s, theta of 2/gamma^2 (L(theta + gamma (s - theta)) - L(theta) - <..., grad L(theta)>).

    x is random in the cube, draw 0 has x = (1, -1, 1, ...), where a vertex and its opposite attain the largest.
    """
    rng, size = np.random.default_rng(int(draw)), int(p)
    x = rng.uniform(-1, 1, size) if draw else np.where(np.arange(size) % 2, -1.0, 1.0)
    y = float(rng.uniform(-1, 1))
    at = np.concatenate([x, -x])  # <x, vertex>
    theta, s = at[:, None], at[None]
    moved = theta + step * (s - theta)
    excess = (moved - y) ** 2 - (theta - y) ** 2 - 2 * (theta - y) * step * (s - theta)
    return 2 / step**2 * float(excess.max()) / (1 + 1e-9)


def gamma() -> float:
    """8, the constant of the unit LASSO."""
    return 8.0


def gamma_halved() -> float:
    """A falsehood: 4, with the largest norm of a member in the place of the diameter."""
    return 4.0


# Equation (5): the regrets of all T - 1 choices at once, for the worst scores


def zeta(level: float) -> float:
    """zeta = exp(-level)."""
    return math.exp(-level)


def _some_step(chance: float, steps: float) -> float:
    """Of one in T - 1 independent choices, each with that chance."""
    return -math.expm1((steps - 1) * math.log1p(-chance))


def _worse(vertices: float, regret: float) -> float:
    """The chance that Gumbel noise of scale 1 chooses a vertex of that regret, all but one having it."""
    odds = (vertices - 1) * math.exp(-regret)
    return odds / (1 + odds)


def gumbel_regret(vertices: float, steps: float, level: float) -> float:
    """P(some regret is ln(|S| T/zeta)), scores being such that all vertices but one have it."""
    return _some_step(_worse(vertices, math.log(vertices * steps) + level), steps)


def gumbel_regret_without_steps(vertices: float, steps: float, level: float) -> float:
    """A falsehood: the same of ln(|S|/zeta)."""
    return _some_step(_worse(vertices, math.log(vertices) + level), steps)


def gumbel_regret_without_vertices(vertices: float, steps: float, level: float) -> float:
    """A falsehood: the same of ln(T/zeta)."""
    return _some_step(_worse(vertices, math.log(steps) + level), steps)


def laplace_noise(vertices: float, steps: float, level: float) -> float:
    """P(some of |S| (T - 1) Laplace variables exceeds ln(|S| T/zeta)): else no regret exceeds twice that."""
    return -math.expm1(vertices * (steps - 1) * math.log1p(-math.exp(-math.log(vertices * steps) - level)))
