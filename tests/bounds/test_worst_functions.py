"""Certified worst cases: stored duals, runs of the algorithms as feasible points, and a worst function run again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from dprepro.algorithms import FrankWolfe
from dprepro.algorithms.descent import Descent
from dprepro.bounds import worst_functions
from dprepro.bounds.lasso import theorem_2_2
from dprepro.bounds.worst_functions import PROGRAMMES, frank_wolfe_programme, reached, solved, verified
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import RandomDesign
from dprepro.problems import (
    ConstraintSet,
    Domain,
    HalfSquaredDistance,
    L2Ball,
    Minimum,
    Moments,
    Problem,
    Simplex,
    View,
)
from dprepro.problems.minimise.quadratic import minimise_quadratic

STORED = json.loads(Path(__file__).with_name("worst_functions.json").read_text(encoding="utf-8"))
BUDGET = Budget(1.0, 0.0, Neighbours.REPLACE_ONE)


def stored(one):
    programme = PROGRAMMES[one["programme"]](*one["numbers"])
    multipliers = np.zeros(len(programme.limits))
    multipliers[one["constraints"]] = one["multipliers"]
    return programme, multipliers


@pytest.mark.parametrize("one", STORED, ids=lambda pair: f"{pair['programme']}-{pair['numbers'][0]}")
def test_a_stored_dual_certifies_its_limit_without_a_solver(one):
    programme, multipliers = stored(one)
    assert verified(programme, multipliers) == pytest.approx(one["limit"], rel=1e-6)
    # no part of it can be left out: what the others do not cover is charged for
    largest = multipliers.copy()
    largest[multipliers.argmax()] = 0
    assert verified(programme, largest) > 1.05 * one["limit"]
    assert verified(programme, 0.98 * multipliers) > one["limit"]


def test_no_multipliers_certify_less_than_a_feasible_point_has():
    programme = frank_wolfe_programme(4, 0.5)
    multipliers, _, scalars = solved(programme)
    value = programme.objective @ scalars
    for seed in range(20):
        noise = np.random.default_rng(seed).lognormal(0, 0.3, multipliers.size)
        assert verified(programme, noise * multipliers) >= value - 1e-8


def test_only_a_feasible_point_counts_as_reached():
    programme = frank_wolfe_programme(4, 0.5)
    multipliers, gram, scalars = solved(programme)
    assert 0 < reached(programme, gram, scalars) <= verified(programme, multipliers)
    assert reached(programme, 0 * gram, 0 * scalars) == 0
    assert reached(programme, gram, 1.01 * scalars) == reached(programme, 1.01 * gram, scalars) == 0
    off = gram - 2e-7 * np.eye(programme.size)  # no Gram matrix
    assert reached(programme, off, scalars) == 0


def holds(programme, vectors, scalars, risk):
    """The constraints hold for what a run has left, and the objective is its risk."""
    gram = vectors @ vectors.T
    excess = [np.sum(form * gram) + row @ scalars - limit
              for form, row, limit in zip(programme.forms, programme.rows, programme.limits, strict=True)]  # fmt: skip
    assert max(excess) < 1e-9
    assert programme.objective @ scalars == pytest.approx(risk, abs=1e-12)
    assert max(np.diag(gram).max(), np.abs(scalars).max()) <= programme.reach + 1e-9


@pytest.mark.parametrize("kind", ["iid", "correlated", "planted"])
def test_runs_of_frank_wolfe_are_feasible_points_of_its_programme(kind):
    steps, problem = 7, RandomDesign(kind=kind, rows=40).build({"n": 40, "p": 6}, 0.0)
    within, view = problem.constraint_set, problem.dense
    size, unit = within.diameter(2), problem.domain.smoothness * within.diameter(2) ** 2
    best = view.minimum.theta
    at = [FrankWolfe(steps=t).solve(problem, BUDGET, np.random.default_rng(0)).theta for t in range(1, steps + 1)]
    toward = [within.minimise_linear(problem.gradient(theta)) for theta in at[:-1]]
    z, pull = np.array([at[0], *toward]) - best, problem.gradient(best)
    d = np.array([problem.gradient(theta) - pull for theta in at])
    risks = np.array([view.excess(theta) for theta in at])
    programme = frank_wolfe_programme(steps, risks[0] / unit)
    holds(programme, np.vstack([z / size, d * size / unit]), np.concatenate([risks, z @ pull]) / unit, risks[-1] / unit)


def descended(descent, gradient, ball):
    at = [Descent(t, 0.0, descent.step_size, descent.decay).run(gradient, ball, np.random.default_rng(0))[0]
          for t in range(1, descent.steps + 1)]  # fmt: skip
    off = [at[t] - descent.step(t + 1) * gradient(at[t]) - at[t + 1] for t in range(descent.steps - 1)]
    return np.array(at), np.array(off)


def test_runs_of_noisy_sgd_without_noise_are_feasible_points_of_the_subgradient_programme():
    centre, steps = np.array([0.31, -0.2, 0.1]), 9
    gradient = lambda x: (x - centre) / max(1e-300, np.linalg.norm(x - centre))  # noqa: E731
    at, off = descended(Descent(steps, 0.0, 1.0, 0.5), gradient, L2Ball(3, 0.5))
    risks = np.linalg.norm(at - centre, axis=1)
    vectors = np.vstack([at[:1] - centre, [gradient(x) for x in at], off])
    holds(worst_functions.subgradient_programme(steps), vectors, risks, risks[-1])


def test_runs_of_noisy_descent_without_noise_are_feasible_points_of_the_averaged_programme():
    curvatures, steps, best = np.array([1.0, 0.3, 0.02]), 8, np.array([0.1, -0.5, 0.8])
    gradient = lambda x: curvatures * (x - best)  # noqa: E731
    descent = Descent(steps, 0.0, 0.25, 0.0, averaged=True)
    at, off = descended(descent, gradient, L2Ball(3, 1.0))
    answer = descent.run(gradient, L2Ball(3, 1.0), np.random.default_rng(0))[0]
    points = np.vstack([at, answer])
    risks = 0.5 * ((points - best) ** 2 @ curvatures)
    vectors = np.vstack([at[:1] - best, [gradient(x) for x in points], off])
    holds(worst_functions.averaged_programme(steps), vectors, risks, risks[-1])


@pytest.mark.parametrize("steps", [3, 12])
def test_the_average_of_steps_of_a_quarter_loses_two_over_three_more_than_their_number(steps):
    assert worst_functions.averaged(steps) == pytest.approx(2 / (steps + 3), rel=1e-6)


@dataclass(frozen=True, eq=False)
class Hull(ConstraintSet):
    """The hull of some points, the first of them its start: what Frank-Wolfe asks of a set."""

    title = "a hull"
    points: np.ndarray = field(default_factory=lambda: np.zeros((1, 1)))

    def minimise_linear(self, direction):
        return self.points[int(np.argmin(self.points @ direction))]

    def start(self):
        return self.points[0]

    def diameter(self, order=2):
        return 1.0

    def norm_bound(self, order=2):
        return 1.0

    project = contains = gaussian_width = None


class Interpolant(View):
    """The convex hull of parabolas f_i + <g_i, . - x_i> + ||. - x_i||^2/2: smoothness 1, through all values."""

    def __init__(self, domain, x, g, f):
        super().__init__(domain)
        self.feet, self.heights = x - g, f - 0.5 * np.sum(g**2, axis=1)

    def _weights(self, theta):
        form = Moments(self.feet @ theta / 2 - self.heights / 2, 0.0, factor=self.feet.T / np.sqrt(2))
        return minimise_quadratic(form, Simplex(len(self.feet)))[0]

    def value(self, theta):
        weights = self._weights(theta)
        return 0.5 * float(np.sum((theta - weights @ self.feet) ** 2)) + float(weights @ self.heights)

    def gradient(self, theta):
        return theta - self._weights(theta) @ self.feet

    def minimise(self, linear=0.0, ridge=0.0):
        return Minimum(np.zeros(self.domain.p), 0.0, 0.0)


@pytest.mark.parametrize("steps", [3, 6])
def test_the_worst_function_costs_the_project_s_frank_wolfe_what_the_programme_says(steps):
    # a regret below zero is a margin: each choice is then the only one, and no tie is broken by rounding
    _, gram, scalars = solved(frank_wolfe_programme(steps, 0.5, -1e-5))
    values, basis = np.linalg.eigh(gram)
    vectors = basis * np.sqrt(np.maximum(values, 0))
    z, d = vectors[:steps], vectors[steps:]
    risks, pulled = scalars[:steps], scalars[steps:]
    pull = np.linalg.lstsq(z, pulled, rcond=1e-7)[0]  # g* among the points
    assert np.abs(z @ pull - pulled).max() < 1e-5
    at = [z[0]]
    for t in range(1, steps):
        at.append(at[-1] + 2 / (t + 2) * (z[t] - at[-1]))
    x, g = np.vstack([np.zeros(z.shape[1]), at]), np.vstack([pull, d + pull])
    domain = Domain(HalfSquaredDistance(), Hull(z.shape[1], points=np.vstack([z[0], 0 * z[0], z[1:]])), 1.0)
    view = Interpolant(domain, x, g, np.concatenate([[0.0], risks]))
    answer = FrankWolfe(steps=steps).solve(Problem(domain, {"records": view}), BUDGET, np.random.default_rng(0))
    worst = worst_functions.frank_wolfe(steps, 0.5)
    assert view.value(answer.theta) == pytest.approx(worst, abs=1e-4)
    assert worst < theorem_2_2(1.0, steps, 0.5)
