"""Equation (9), and the exponential mechanism beside it in one dimension. Seeds are fixed; p-values below 1e-4 fail."""

import math

import numpy as np
import pytest
from scipy.stats import kstest

from dprepro.algorithms import ExponentialMechanism, HuberisedObjectivePerturbation, NoisySGD
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import HuberCounterexample, OneWayMarginals
from dprepro.errors import Incompatible, InputError
from dprepro.problems import BallRisk, L2Ball
from dprepro.reductions import CompiledDescent
from dprepro.studies.smoothing import expected_risk

BUDGET = Budget(0.5, 1e-6, Neighbours.REPLACE_ONE)
PURE = Budget(0.5, 0.0, Neighbours.REPLACE_ONE)
ALARM = 1e-4


def f_hat(z, h):
    """As printed, branch by branch."""
    return np.where(z < -h, 0.0, np.where(z > h, z, z**2 / (4 * h) + z / 2 + h / 4))


@pytest.mark.parametrize("regulariser", ["printed", "corrected"])
@pytest.mark.parametrize("h", [0.01, 0.4, 3.0])
def test_the_answer_minimises_the_printed_objective(regulariser, h):
    """No point of a fine grid of [-2, 2] does better, for random records and labels inside [-1, 1]."""
    rng = np.random.default_rng(1)
    x, y, counts = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6), rng.integers(1, 9, 6)
    problem = BallRisk("positive_part", L2Ball(1, 2.0), x[:, None], counts, y)
    algorithm = HuberisedObjectivePerturbation(h, regulariser)
    grid = np.linspace(-2, 2, 40_001)
    share = 8 if regulariser == "printed" else 2

    def objective(theta, b):
        sums = f_hat(y - np.outer(theta, x), h) @ counts
        return sums + theta**2 / (share * BUDGET.epsilon * h) + b * theta

    for seed in range(20):
        b = algorithm.schedule(problem.constants, BUDGET).noise_scale * np.random.default_rng(seed).standard_normal()
        theta = algorithm.solve(problem, BUDGET, np.random.default_rng(seed)).theta
        assert objective(theta, b)[0] <= objective(grid, b).min() + 1e-9


def test_the_noise_has_the_printed_variance():
    constants = HuberCounterexample().constants({"n": 30.0})
    scale = HuberisedObjectivePerturbation().schedule(constants, BUDGET).noise_scale
    assert scale**2 == pytest.approx(8 * math.log(1e6) / 0.25)
    assert (constants.lipschitz, constants.diameter) == (1.0, 4.0)


@pytest.mark.parametrize("data", ["d1", "d2"])
@pytest.mark.parametrize("algorithm", [HuberisedObjectivePerturbation(0.05), ExponentialMechanism()])
def test_the_expected_risk_is_the_mean_of_many_runs(algorithm, data):
    """Small n and a large h, so that all of the law matters; 4.4 standard errors are a false alarm in 1e-5."""
    problem = HuberCounterexample(data, 0.05).build({"n": 40.0}, 0.0)
    budget = PURE if isinstance(algorithm, ExponentialMechanism) else BUDGET
    rng = np.random.default_rng(2)
    risks = np.array([problem.excess_risk(algorithm.solve(problem, budget, rng).theta) for _ in range(4000)])
    expected = expected_risk(algorithm, problem, budget)
    assert abs(risks.mean() - expected) < 4.4 * risks.std() / math.sqrt(risks.size)


def test_the_exponential_mechanism_has_its_density_between_the_kinks():
    problem = HuberCounterexample("d1").build({"n": 12.0}, 0.0)
    rng = np.random.default_rng(3)
    draws = [float(ExponentialMechanism().solve(problem, PURE, rng).theta[0]) for _ in range(3000)]
    grid = np.linspace(-2, 2, 200_001)
    density = np.exp(-(0.5 / 8) * 12 * np.array([problem.risk(np.array([t])) for t in grid[::100]]))
    distribution = np.cumsum(np.interp(grid, grid[::100], density))
    assert kstest(draws, lambda t: np.interp(t, grid, distribution / distribution[-1])).pvalue > ALARM


def test_the_compiled_loop_knows_the_positive_part():
    """The same numbers in the same order as the printed loop, with sampled records and with the full gradient."""
    problem = HuberCounterexample("d1").build({"n": 12.0}, 0.0)
    for gradient in ("sampled", "full"):
        algorithm = NoisySGD(gradient=gradient)
        both = (algorithm, CompiledDescent(algorithm))
        literal, compiled = (one.solve(problem, BUDGET, np.random.default_rng(5)).theta for one in both)
        assert compiled == pytest.approx(literal)


def test_what_cannot_be_huberised_is_refused():
    other = OneWayMarginals().build({"n": 10.0, "p": 1.0}, 0.0)
    with pytest.raises(Incompatible, match="positive_part"):
        HuberisedObjectivePerturbation().solve(other, BUDGET, np.random.default_rng(0))
    with pytest.raises(InputError, match="delta > 0"):
        HuberisedObjectivePerturbation().schedule(other.constants, PURE)
    with pytest.raises(InputError, match="smoothing must be positive"):
        HuberisedObjectivePerturbation(0.0)
