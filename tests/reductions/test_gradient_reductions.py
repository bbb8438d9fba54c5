"""Equality in distribution of the reductions of noisy gradient descent. Seeds are fixed; a p-value below 1e-4 fails."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from dprepro.algorithms import JohnsonLindenstrauss, NoisyGD
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import OneHotFamily
from dprepro.errors import Incompatible
from dprepro.reductions import BidiagonalSketch, FewSteps, IsotropicTail, SketchedFewSteps

ALARM = 1e-4
POINT = {"n": 1500.0, "p": 8.0, "norm": 1.0}


def risks(solver, budget, draws, seed, coordinates=3):
    rng = np.random.default_rng(seed)
    population = OneHotFamily(coordinates=coordinates, mass=0.8).build(POINT, 0.0)
    result = []
    for _ in range(draws):
        problem = population.sample(rng)
        result.append(problem.excess_risk(solver.solve(problem, budget, rng).theta))
    return np.array(result)


@pytest.mark.parametrize("epsilon", [0.05, 1.0])  # the walk fills the ball; the walk stays inside
def test_few_steps_have_the_law_of_n_steps(epsilon):
    budget = Budget(epsilon, 1e-5, Neighbours.REPLACE_ONE)
    literal = risks(NoisyGD(), budget, 100, seed=1)
    assert ks_2samp(literal, risks(FewSteps(NoisyGD(), minimum_steps=500), budget, 4000, seed=2)).pvalue > ALARM
    # A third less noise is noticed by the same test.
    louder = Budget(epsilon, 1e-5, Neighbours.REPLACE_ONE)
    planted = risks(FewSteps(NoisyGD(step_factor=0.5), minimum_steps=500), louder, 4000, seed=3)
    assert ks_2samp(literal, planted).pvalue < ALARM


def test_idle_coordinates_enter_by_their_norm_alone():
    budget = Budget(0.3, 1e-5, Neighbours.REPLACE_ONE)
    every = FewSteps(NoisyGD(), minimum_steps=1500)  # n steps: nothing but the idle coordinates is reduced
    literal = risks(NoisyGD(), budget, 100, seed=4, coordinates=1)
    assert ks_2samp(literal, risks(every, budget, 4000, seed=5, coordinates=1)).pvalue > ALARM


def test_few_steps_agree_with_many_where_the_ball_is_always_touched():
    budget = Budget(0.01, 1e-5, Neighbours.REPLACE_ONE)
    few, many = (risks(FewSteps(NoisyGD(), minimum_steps=steps), budget, 4000, 6 + steps) for steps in (400, 1500))
    assert ks_2samp(few, many).pvalue > ALARM


SKETCH = {"n": 1000.0, "p": 60.0, "norm": 1.0}


def sketched_risks(solver, draws, seed, epsilon=2.0, mass=0.4):
    rng = np.random.default_rng(seed)
    population = OneHotFamily(coordinates=1, mass=mass, tail=-1).build(SKETCH, 0.0)
    budget = Budget(epsilon, 1e-3, Neighbours.REPLACE_ONE)
    result = []
    for _ in range(draws):
        problem = population.sample(rng)
        result.append(problem.excess_risk(solver.solve(problem, budget, rng).theta))
    return np.array(result)


@pytest.mark.parametrize("transform", ["gaussian", "rademacher", "srht", "countsketch"])
def test_the_descent_in_the_eigenbasis_has_the_law_of_algorithm_2(transform):
    algorithm = JohnsonLindenstrauss(transform=transform)
    literal = sketched_risks(algorithm, 60, seed=11)
    fast = sketched_risks(SketchedFewSteps(algorithm, minimum_steps=500), 500, seed=12)
    assert ks_2samp(literal, fast).pvalue > ALARM
    planted = sketched_risks(SketchedFewSteps(algorithm, minimum_steps=500), 500, seed=13, epsilon=0.7)
    assert ks_2samp(literal, planted).pvalue < ALARM


@pytest.mark.parametrize(("mass", "factor"), [(0.4, 0.12), (0.05, 0.25)])
def test_the_bidiagonal_sketch_has_the_law_of_a_gaussian_map(mass, factor):
    algorithm = JohnsonLindenstrauss(dimension_factor=factor)
    dense = sketched_risks(SketchedFewSteps(algorithm, minimum_steps=500), 800, seed=14, epsilon=2.0, mass=mass)
    fast = sketched_risks(BidiagonalSketch(algorithm, minimum_steps=500), 800, seed=15, epsilon=2.0, mass=mass)
    assert ks_2samp(dense, fast).pvalue > ALARM
    # A k that is half as large is noticed.
    wrong = JohnsonLindenstrauss(dimension_factor=factor * 0.5)
    planted = sketched_risks(BidiagonalSketch(wrong, minimum_steps=500), 800, seed=16, epsilon=2.0, mass=mass)
    assert ks_2samp(dense, planted).pvalue < ALARM


def test_the_bidiagonal_sketch_refuses_other_maps():
    with pytest.raises(Incompatible, match="Gaussian map"):
        sketched_risks(BidiagonalSketch(JohnsonLindenstrauss(transform="srht")), 1, seed=17)


@pytest.mark.parametrize("epsilon", [0.05, 2.0])
def test_the_isotropic_tail_has_the_law_of_all_coordinates(epsilon):
    every = FewSteps(NoisyGD(), minimum_steps=400)
    budget = Budget(epsilon, 1e-3, Neighbours.REPLACE_ONE)
    population = OneHotFamily(coordinates=1, mass=0.2, tail=-1).build(SKETCH, 0.0)
    wide = OneHotFamily(coordinates=1, mass=0.2, tail=-1).build({**SKETCH, "p": 90.0}, 0.0)

    def risks_of(solver, population, seed):
        rng = np.random.default_rng(seed)
        samples = [population.sample(rng) for _ in range(2500)]
        return [one.excess_risk(solver.solve(one, budget, rng).theta) for one in samples]

    tail = IsotropicTail(NoisyGD(), minimum_steps=400)
    sample = risks_of(every, population, 21)
    assert ks_2samp(sample, risks_of(tail, population, 22)).pvalue > ALARM
    assert ks_2samp(sample, risks_of(tail, wide, 23)).pvalue < ALARM
