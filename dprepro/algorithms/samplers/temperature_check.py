"""What a draw from exp(-risk/temperature) tells of the temperature, where the law of its excess risk is known.

By quadrature of that law, which shares nothing with the samplers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from dprepro.algorithms.samplers.exact import known_law
from dprepro.mechanisms import NoiseMoments
from dprepro.problems import ConstraintSet, DistanceLoss, L2Ball, LocalBall, Problem
from dprepro.problems.problem_data import FloatArray

POINTS = 4001
DEEP = 60.0  # densities below exp(-DEEP) of the largest one are left out
OUTSIDE = 1e-6  # the mass that a law may have beyond the set


def temperature_check(problem: Problem, temperature: float, theta: FloatArray) -> NoiseMoments | None:
    """The excess risk of a draw, held against its law at this temperature; None where that is not known.

    Known are linear losses over a ball, and losses of the distance whose mass lies within the set.
    """
    loss, within = problem.domain.loss, problem.constraint_set
    places = problem.records.records.features if "records" in problem.representations else np.zeros((2, within.p))
    law, slope = known_law(problem.domain, len(places)), problem.gradient(within.start())
    if law == "linear" and slope.any():
        height = float(np.linalg.norm(slope)) * within.radius
        mean, variance = _linear(within.p, height / temperature)
        return NoiseMoments(temperature * (height + float(slope @ theta)), mean, variance)
    if law == "radial" and isinstance(loss, DistanceLoss):
        centre = places[0] if len(places) == 1 else within.start() - slope
        mean, variance, reach = _radial(loss, within.p, temperature)
        if _room(within, centre) >= reach:
            risk = loss.value(np.array([np.linalg.norm(theta - centre), 0.0]), 1.0)
            return NoiseMoments(temperature * float(risk[0] - risk[1]), mean, variance)
    return None


def _room(within: ConstraintSet, centre: FloatArray) -> float:
    """The radius of the largest ball about the centre in the set, for sets of which that is known."""
    if not isinstance(within, L2Ball | LocalBall):
        return 0.0
    room = within.radius - float(np.linalg.norm(centre))
    local = within.reach - float(np.linalg.norm(centre - within.centre)) if isinstance(within, LocalBall) else room
    return min(room, local)


@lru_cache(maxsize=1024)
def _linear(p: int, a: float) -> tuple[float, float]:
    """Mean and variance of a t, t in [0, 2] having the density (t (2 - t))^((p - 1)/2) exp(-a t).

    1 - t is the cosine of theta with the direction of least risk, a the height of the risk over the temperature.
    """
    t, share = _law(lambda t: np.asarray((p - 1) / 2 * (np.log(t) + np.log1p(-t / 2)) - a * t), 2.0)
    mean = float(share @ t)
    return a * mean, a**2 * float(share @ (t - mean) ** 2)


@lru_cache(maxsize=1024)
def _radial(loss: DistanceLoss, p: int, temperature: float) -> tuple[float, float, float]:
    """Mean and variance of the excess risk over the temperature in the whole space, and a radius that has its mass."""

    def energy(r: FloatArray) -> FloatArray:
        return np.asarray((loss.value(r, 1.0) - loss.value(np.zeros(1), 1.0)) / temperature)

    r, share = _law(lambda r: np.asarray((p - 1) * np.log(r) - energy(r)), 1e3)
    values = energy(r)
    mean = float(share @ values)
    beyond = 1 - np.cumsum(share)
    return mean, float(share @ (values - mean) ** 2), float(r[int(np.argmax(beyond < OUTSIDE))])


def _law(log_density: Callable[[FloatArray], FloatArray], top: float) -> tuple[FloatArray, FloatArray]:
    """Points of (0, top), and their probabilities, by the trapezoidal rule in the logarithm."""
    ends = np.array([np.log(top) - 120.0, np.log(top) - 1e-9])
    for _ in range(3):  # narrower each time, about where the mass is
        v = np.linspace(ends[0], ends[1], POINTS)
        logs = log_density(np.exp(v)) + v
        held = np.flatnonzero(logs > logs.max() - DEEP)
        ends = np.array([v[max(0, held[0] - 1)], v[min(POINTS - 1, held[-1] + 1)]])
    weight = np.exp(logs - logs.max())
    return np.exp(v), weight / weight.sum()
