"""What lemmas say of every single answer of an algorithm: ratios of left to right side, by the lemma's name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dprepro.algorithms import Algorithm, HuberisedObjectivePerturbation, Schedule, Solution
from dprepro.algorithms.huberised_objective_perturbation import huber_slope
from dprepro.algorithms.objective_perturbation import PerturbationSchedule
from dprepro.errors import PremiseError
from dprepro.problems import MomentsView, Point, Problem, View
from dprepro.problems.problem_data import FloatArray

Ratios = Callable[[Algorithm, Problem, Schedule, Sequence[Solution], Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True)
class Lemmas:
    """The lemmas about one algorithm.

    Attributes:
        names: of all of them.
        ratios: of (algorithm, problem, schedule, answers on it, some of the names) the largest ratio over the answers,
            by name; raises PremiseError where a premise fails on these data.
    """

    names: tuple[str, ...]
    ratios: Ratios


def perturbation_lemmas(
    algorithm: Algorithm, problem: Problem, schedule: Schedule, solutions: Sequence[Solution], names: Sequence[str]
) -> Mapping[str, float]:
    """Lemma 24, Corollary 25, Lemma 3 and Theorem 30 of Kifer, Smith and Thakurta, for objective perturbation.

    J# is the risk with Delta/(2n) ||theta||^2 more, theta# its minimiser. Theorem 30 (b) stands before its tail bound
    of ||b||: the distance to theta_hat is at most 2 ||b||/(Delta + eta) + sqrt(Delta/(Delta + eta)) ||theta_hat||
    (equations 18 and 21), the loss being eta/n-strongly convex.
    """
    assert isinstance(schedule, PerturbationSchedule)
    view = problem.judge(solutions[0].theta)
    n, ridge = view.domain.n, schedule.regulariser
    if not ridge:
        raise PremiseError("Lemmas 24 and 3 need a Delta above zero")
    sharp, excess = _regularised(view, ridge / n)
    least = _dense(view, view.minimum.theta)
    eta = _strong_convexity(view) if "theorem_30" in names else 0.0
    found: dict[str, float] = {}
    for solution in solutions:
        norm, theta = solution.diagnostics["noise_norm"], _dense(view, solution.theta)
        energy = 2 * norm**2 / (ridge * n)
        reach = 2 * norm / (ridge + eta) + math.sqrt(ridge / (ridge + eta)) * _norm(least)
        ratios = {
            "lemma_24": _norm(theta - sharp) / (2 * norm / ridge),
            "corollary_25": excess(solution.theta) / energy,
            "lemma_3": view.excess(solution.theta) / (energy + ridge / (2 * n) * _norm(least) ** 2),
            "theorem_30": _norm(theta - least) / reach,
        }
        found = {name: max(ratios[name], found.get(name, -math.inf)) for name in names}
    return found


def huberisation_lemmas(
    algorithm: Algorithm, problem: Problem, schedule: Schedule, solutions: Sequence[Solution], names: Sequence[str]
) -> Mapping[str, float]:
    """What Lemma A.2 of Bassily, Smith and Thakurta says of its data, as distances that are zero where it is right.

    ``minimiser_as_printed`` |theta* - 1|; ``huber_minimiser`` and ``huber_minimiser_as_printed``, the distances of the
    Huberised minimiser from 1 - h/3 and 1 - h, over h; ``huber_curvature``, that of the Huberised sum there over
    n/(2h), less 1; ``second_derivative_jump``, of f^ at h times 2h. No answer enters.
    """
    assert isinstance(algorithm, HuberisedObjectivePerturbation)
    h, n, minimiser = algorithm.smoothing, problem.domain.n, problem.minimum.theta
    assert isinstance(minimiser, np.ndarray)
    places, slopes = algorithm.slope(problem, 0.0)
    theta: float = float(np.interp(0.0, slopes, places))
    piece = int(np.searchsorted(places, theta)) - 1
    curvature = float((slopes[piece + 1] - slopes[piece]) / (places[piece + 1] - places[piece]))
    around = huber_slope(h * np.array([0.5, 1.0, 1.5]), h)
    found = {
        "minimiser_as_printed": abs(float(minimiser[0]) - 1),
        "huber_minimiser": abs(theta - (1 - h / 3)) / h,
        "huber_minimiser_as_printed": abs(theta - (1 - h)) / h,
        "huber_curvature": abs(curvature * 2 * h / n - 1),
        "second_derivative_jump": 4 * float(2 * around[1] - around[0] - around[2]),
    }
    return {name: found[name] for name in names}


def _regularised(view: View, ridge: float) -> tuple[FloatArray, Callable[[Point], float]]:
    """The minimiser of the risk + (ridge/2) ||theta||^2, and what a point has above its minimum."""
    least = view.minimise(0.0, ridge)
    at = _dense(view, least.theta)
    if not isinstance(view, MomentsView):
        return at, lambda point: view.value(point) + 0.5 * ridge * _norm(_dense(view, point)) ** 2 - least.value
    sharp = view.moments.plus(0.0, ridge)  # no difference of near-equal numbers
    return (
        at,
        lambda point: float(sharp.gradient(at) @ (_dense(view, point) - at)) + sharp.form(_dense(view, point) - at),
    )


def _strong_convexity(view: View) -> float:
    """eta of the sum of the losses on these data."""
    eta = 2 * view.domain.n * float(view.moments.spectrum()[0].min()) if isinstance(view, MomentsView) else 0.0
    if not eta > 0:
        raise PremiseError("Theorem 30 needs a quadratic risk that is strongly convex")
    return eta


def _dense(view: View, theta: Point) -> FloatArray:
    if isinstance(view, MomentsView):
        return view.coordinates(theta)
    assert isinstance(theta, np.ndarray)
    return theta


def _norm(vector: FloatArray) -> float:
    return float(np.linalg.norm(vector))


PERTURBATION_LEMMAS = Lemmas(("lemma_24", "corollary_25", "lemma_3", "theorem_30"), perturbation_lemmas)
HUBERISATION_LEMMAS = Lemmas(
    (
        "minimiser_as_printed",
        "huber_minimiser",
        "huber_minimiser_as_printed",
        "huber_curvature",
        "second_derivative_jump",
    ),
    huberisation_lemmas,
)
