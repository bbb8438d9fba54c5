"""Noisy gradient descent in few steps on one-hot samples, before and after a random projection."""

import numpy as np
import pytest
from helpers.reduction_problems import ALARM, p_value

from dprepro.algorithms import JohnsonLindenstrauss, NoisyGD
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import OneHotFamily
from dprepro.errors import Incompatible, PremiseError
from dprepro.problems import Problem
from dprepro.reductions import BidiagonalSketch, CompiledDescent, FewSteps, IsotropicTail, SketchedFewSteps, choose

POINT = {"n": 1500.0, "p": 8.0, "norm": 1.0}
SKETCH = {"n": 1000.0, "p": 60.0, "norm": 1.0}


def answers(solver, family, point, epsilon, draws, seed, delta=1e-5):
    """Of fresh samples: the risk by the population, the coordinates with a signal, and the square of all others."""
    budget, rng = Budget(epsilon, delta, Neighbours.REPLACE_ONE), np.random.default_rng(seed)
    result = []
    for _ in range(draws):
        drawn = family.draw(point, 0.0, rng)
        problem = Problem(drawn.domain, {"one_hot": drawn.one_hot}, population=drawn.population)
        theta = solver.solve(problem, budget, rng).theta
        signal, others = theta[: family.coordinates], theta[family.coordinates : drawn.one_hot.touched]
        result.append([problem.excess_risk(theta), *signal, float(others @ others)])
    return np.array(result)


@pytest.mark.parametrize(
    "epsilon", [pytest.param(0.05, marks=pytest.mark.slow), 1.0]
)  # the walk fills the ball; the walk stays inside
def test_few_steps_have_the_law_of_n_steps(epsilon):
    family = OneHotFamily(coordinates=3, mass=0.8)
    literal = answers(NoisyGD(), family, POINT, epsilon, 100, seed=1)
    few = answers(FewSteps(NoisyGD(), minimum_steps=500), family, POINT, epsilon, 300, seed=2)
    assert p_value(literal, few) > ALARM
    # Steps of half the size are noticed by the same test.
    planted = FewSteps(NoisyGD(step_factor=0.5), minimum_steps=500)
    assert p_value(literal, answers(planted, family, POINT, epsilon, 300, seed=3)) < ALARM


def test_idle_coordinates_enter_by_their_norm_alone():
    family = OneHotFamily(coordinates=1, mass=0.8)
    every = FewSteps(NoisyGD(), minimum_steps=1500)  # n steps: nothing but the idle coordinates is reduced
    literal = answers(NoisyGD(), family, POINT, 0.3, 100, seed=4)
    assert p_value(literal, answers(every, family, POINT, 0.3, 250, seed=5)) > ALARM


@pytest.mark.slow
def test_few_steps_agree_with_many_where_the_ball_is_always_touched():
    family = OneHotFamily(coordinates=3, mass=0.8)
    few, many = (
        answers(FewSteps(NoisyGD(), minimum_steps=steps), family, POINT, 0.01, 4000, 6 + steps) for steps in (400, 1500)
    )
    assert p_value(few, many) > ALARM


def sketched_answers(solver, draws, seed, epsilon=2.0, mass=0.4):
    return answers(solver, OneHotFamily(coordinates=1, mass=mass, tail=-1), SKETCH, epsilon, draws, seed, delta=1e-3)


@pytest.mark.parametrize(
    "transform",
    ["gaussian", *(pytest.param(name, marks=pytest.mark.slow) for name in ("rademacher", "srht", "countsketch"))],
)
def test_the_descent_in_the_eigenbasis_has_the_law_of_algorithm_2(transform):
    algorithm = JohnsonLindenstrauss(transform=transform)
    literal = sketched_answers(algorithm, 60, seed=11)
    fast = SketchedFewSteps(algorithm, minimum_steps=500)
    assert p_value(literal, sketched_answers(fast, 250, seed=12)) > ALARM
    assert p_value(literal, sketched_answers(fast, 250, seed=13, epsilon=0.7)) < ALARM


def test_beyond_the_largest_matrix_the_eigenbasis_comes_from_singular_values(monkeypatch):
    seen = []
    fast = SketchedFewSteps(JohnsonLindenstrauss(dimension_factor=0.8), minimum_steps=1)
    monkeypatch.setattr(SketchedFewSteps, "_descend", lambda *given: (np.zeros(given[4].size), seen.append(given[4:])))
    for limit in (5000, 10):
        monkeypatch.setattr("dprepro.problems.problem.MOMENTS_LIMIT", limit)
        sketched_answers(fast, 1, seed=12)
    (values, _, linear, none), (fewer, _, less, idle) = seen
    assert none == 0
    assert values.size == fewer.size + idle
    np.testing.assert_allclose(np.sort(values)[idle:], np.sort(fewer), atol=1e-12)
    np.testing.assert_allclose(values @ linear**2, fewer @ less**2)
    monkeypatch.setattr("dprepro.algorithms.johnson_lindenstrauss.MAP_LIMIT", 1000)
    with pytest.raises(PremiseError, match="too large to write out"):
        sketched_answers(fast, 1, seed=1)


def test_the_compiled_descent_gives_algorithm_2_its_numbers():
    budget, algorithm = Budget(2.0, 1e-3, Neighbours.REPLACE_ONE), JohnsonLindenstrauss()
    problem = OneHotFamily(coordinates=1, mass=0.4, tail=-1).draw(SKETCH, 0.0, np.random.default_rng(0))
    for representations in ({"one_hot"}, {"records"}):
        seen = Problem(
            problem.domain, {name: problem.see(name) for name in representations}, population=problem.population
        )
        literal, fast = (one.solve(seen, budget, np.random.default_rng(1)) for one in (
            algorithm, CompiledDescent(algorithm)
        ))  # fmt: skip
        np.testing.assert_allclose(fast.theta, literal.theta, atol=1e-12)
        assert fast.schedule == literal.schedule
        assert fast.privacy_loss == literal.privacy_loss


@pytest.mark.parametrize(("mass", "factor"), [(0.4, 0.12), pytest.param(0.05, 0.25, marks=pytest.mark.slow)])
def test_the_bidiagonal_sketch_has_the_law_of_a_gaussian_map(mass, factor):
    algorithm = JohnsonLindenstrauss(dimension_factor=factor)
    dense = sketched_answers(SketchedFewSteps(algorithm, minimum_steps=500), 500, seed=14, mass=mass)
    fast = sketched_answers(BidiagonalSketch(algorithm, minimum_steps=500), 500, seed=15, mass=mass)
    assert p_value(dense, fast) > ALARM
    # A k that is half as large is noticed.
    wrong = BidiagonalSketch(JohnsonLindenstrauss(dimension_factor=factor * 0.5), minimum_steps=500)
    assert p_value(dense, sketched_answers(wrong, 500, seed=16, mass=mass)) < ALARM


def test_the_bidiagonal_sketch_skips_a_tail_that_is_shorter_than_k():
    with pytest.raises(PremiseError, match="tail of at least as many"):
        sketched_answers(BidiagonalSketch(JohnsonLindenstrauss(dimension_factor=2.0)), 1, seed=17)


@pytest.mark.parametrize("epsilon", [0.05, pytest.param(2.0, marks=pytest.mark.slow)])
def test_the_isotropic_tail_has_the_law_of_all_coordinates(epsilon):
    family = OneHotFamily(coordinates=1, mass=0.2, tail=-1)
    every, tail = FewSteps(NoisyGD(), minimum_steps=400), IsotropicTail(NoisyGD(), minimum_steps=400)
    sample = answers(every, family, SKETCH, epsilon, 1200, 21, delta=1e-3)
    assert p_value(sample, answers(tail, family, SKETCH, epsilon, 1200, 22, delta=1e-3)) > ALARM
    wide = answers(tail, family, {**SKETCH, "p": 150.0}, epsilon, 1200, 23, delta=1e-3)
    assert p_value(sample, wide) < ALARM


def test_the_words_tail_and_signal_tell_where_the_shortcuts_serve():
    tailed, plain = OneHotFamily(coordinates=1, tail=-1), OneHotFamily(coordinates=1)
    for family, expected in ((tailed, "isotropic_tail"), (plain, "few_steps")):
        assert choose("automatic", NoisyGD(), family.domain(SKETCH), family.representations(SKETCH), "here") == expected
    sketch = JohnsonLindenstrauss()
    assert (
        choose("automatic", sketch, tailed.domain(SKETCH), tailed.representations(SKETCH), "here")
        == "sketched_few_steps"
    )
    assert (
        choose("bidiagonal_sketch", sketch, tailed.domain(SKETCH), tailed.representations(SKETCH), "")
        == "bidiagonal_sketch"
    )
    with pytest.raises(Incompatible, match="BidiagonalSketch needs a problem with signal"):
        choose("bidiagonal_sketch", sketch, plain.domain(SKETCH), plain.representations(SKETCH), "here")
    other = JohnsonLindenstrauss(transform="srht")
    with pytest.raises(Incompatible, match="needs a Gaussian map, not srht"):
        choose("bidiagonal_sketch", other, tailed.domain(SKETCH), tailed.representations(SKETCH), "here")
    absolute = OneHotFamily(loss="absolute", coordinates=1)
    with pytest.raises(Incompatible, match="FewSteps needs a quadratic loss, AbsoluteLoss is none"):
        choose("few_steps", NoisyGD(), absolute.domain(SKETCH), absolute.representations(SKETCH), "here")
