"""Equality of the reductions of noisy descent and the readable loop.

Seeds are fixed; a p-value below 1e-4 fails, so a right reduction would fail once in 1e4 seeds.
"""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from dprepro.algorithms import NoisySGD
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import HingeCorner, OnePlace, OneWayMarginals, SpreadPlaces
from dprepro.errors import Incompatible
from dprepro.reductions import AxisDescent, CompiledDescent, choose

ALARM = 1e-4
BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
WITH_AXIS = {
    "linear": (OneWayMarginals(bias=0.6), "lipschitz"),
    "half_squared": (OneWayMarginals(loss="half_squared_distance", bias=0.6), "strongly_convex"),
    "median": (OnePlace(), "lipschitz"),
    "sharp": (OnePlace(loss="sharp_distance"), "strongly_convex"),
}


def answers(solver, problem, draws, seed):
    rng = np.random.default_rng(seed)
    return np.array([solver.solve(problem, BUDGET, rng).theta for _ in range(draws)])


@pytest.mark.parametrize("p", [1, 2, 7])
@pytest.mark.parametrize("name", WITH_AXIS)
def test_axis_descent_has_the_literal_law(name, p):
    construction, step_size = WITH_AXIS[name]
    algorithm = NoisySGD(gradient="full", step_size=step_size, steps=12)
    problem = construction.build({"n": 2000.0, "p": float(p)}, 0.0)
    literal = answers(algorithm, problem, 1500, 1)
    fast = answers(AxisDescent(algorithm), problem, 1500, 2)
    risks = [np.array([problem.excess_risk(theta) for theta in sample]) for sample in (literal, fast)]
    assert ks_2samp(*risks).pvalue > ALARM
    for direction in np.eye(p)[:2]:  # not only the risk: each coordinate of theta
        assert ks_2samp(literal @ direction, fast @ direction).pvalue > ALARM


def test_a_reduction_that_forgets_one_degree_of_freedom_would_be_noticed(monkeypatch):
    algorithm = NoisySGD(gradient="full", steps=12)
    problem = OneWayMarginals(bias=0.6).build({"n": 20000.0, "p": 4.0}, 0.0)
    literal = answers(algorithm, problem, 4000, 1)
    from dprepro.reductions import descent_kernels

    right = descent_kernels.axis_descent

    def planted(loss, centre, along, aside, p, *rest):
        return right(loss, centre, along, aside, p - 1, *rest)

    monkeypatch.setattr(descent_kernels, "axis_descent", planted)
    wrong = answers(AxisDescent(algorithm), problem, 4000, 2)
    lengths = [np.linalg.norm(sample - sample @ np.full(4, 0.5)[:, None] * 0.5, axis=1) for sample in (literal, wrong)]
    assert ks_2samp(*lengths).pvalue < ALARM


@pytest.mark.parametrize("gradient", ["sampled", "full"])
@pytest.mark.parametrize(
    ("construction", "n"),
    [
        (OneWayMarginals(bias=0.5), 24),
        (OneWayMarginals(loss="half_squared_distance", bias=0.5), 24),
        (SpreadPlaces(), 24),
        (SpreadPlaces(loss="sharp_distance"), 24),
        (HingeCorner(), 32),
    ],
)
@pytest.mark.parametrize("step_size", ["lipschitz", "strongly_convex", "constant"])
def test_the_compiled_loop_gives_the_readable_loops_numbers(gradient, construction, n, step_size):
    point = {"n": float(n), "p": 3.0}
    problem = construction.build(point, 0.0)
    if step_size == "strongly_convex" and not problem.constants.strong_convexity:
        pytest.skip("not a strongly convex loss")
    # little noise, so that the gradient matters: a slip in it could not hide
    algorithm = NoisySGD(gradient=gradient, step_size=step_size, steps=200, noise_factor=1e-3)
    literal = algorithm.solve(problem, BUDGET, np.random.default_rng(4))
    compiled = CompiledDescent(algorithm).solve(problem, BUDGET, np.random.default_rng(4))
    np.testing.assert_allclose(compiled.theta, literal.theta, atol=1e-9)
    assert literal.schedule == compiled.schedule
    assert literal.schedule.steps == (n * n if gradient == "sampled" else 200)


def test_the_automatic_choice_is_the_axis_then_the_compiled_loop():
    full, sampled = NoisySGD(gradient="full"), NoisySGD()
    assert choose("automatic", full, frozenset({"axis", "records"}), "x") == "axis_descent"
    assert choose("automatic", full, frozenset({"records"}), "x") == "compiled_descent"
    assert choose("automatic", sampled, frozenset({"axis", "records"}), "x") == "compiled_descent"
    with pytest.raises(Incompatible, match="not sampled"):
        choose("axis_descent", sampled, frozenset({"axis"}), "x")
    with pytest.raises(Incompatible, match="offers no axis"):
        AxisDescent(full).solve(HingeCorner().build({"n": 64.0, "p": 3.0}, 0.0), BUDGET, np.random.default_rng(0))
