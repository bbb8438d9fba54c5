"""Equation (9), and the exponential mechanism beside it in one dimension. Seeds are fixed; p-values below 1e-4 fail."""

import itertools
import math

import numpy as np
import pytest
from helpers.small_problems import at, copies_of_c, unit_ball
from scipy.stats import kstest, norm

from dprepro.algorithms import (
    CorrectedRegulariser,
    ExponentialMechanism,
    HuberisedObjectivePerturbation,
    PrintedRegulariser,
)
from dprepro.algorithms.samplers.exact import shares
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import LinearLoss, PositivePartLoss

BUDGET = Budget(0.5, 1e-6, Neighbours.REPLACE_ONE)
PURE = Budget(0.5, 0.0, Neighbours.REPLACE_ONE)
ALARM = 1e-4


def interval(x, y, counts):
    """Records (x, y) with loss (y - x theta)_+ over [-2, 2]."""
    domain = unit_ball(PositivePartLoss(), float(np.sum(counts)), 1, radius=2.0)
    return at(domain, np.asarray(x, dtype=float)[:, None], counts, np.asarray(y, dtype=float))


def data_of_appendix_a(name, n, h):
    """d1: n/3 of (1, 1) and 2n/3 of (-1, -1). d2: n/2 + 1/(32h) of (1, 1), the others (-1, 1)."""
    heavy = round(n / 3) if name == "d1" else round(n / 2 + 1 / (32 * h))
    return interval([1, -1], [1, -1] if name == "d1" else [1, 1], [heavy, n - heavy])


def f_hat(z, h):
    """As printed, branch by branch."""
    return np.where(z < -h, 0.0, np.where(z > h, z, z**2 / (4 * h) + z / 2 + h / 4))


@pytest.mark.parametrize("regulariser", [PrintedRegulariser(), CorrectedRegulariser()], ids=lambda rule: rule.name)
@pytest.mark.parametrize("h", [0.01, 0.4, 3.0])
def test_the_answer_minimises_the_printed_objective(regulariser, h):
    """No point of a fine grid of [-2, 2] does better, for random records and labels inside [-1, 1]."""
    rng = np.random.default_rng(1)
    x, y, counts = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6), rng.integers(1, 9, 6)
    problem = interval(x, y, counts)
    algorithm = HuberisedObjectivePerturbation(h, regulariser)
    grid = np.linspace(-2, 2, 40_001)
    share = 8 if regulariser == PrintedRegulariser() else 2

    def objective(theta, b):
        sums = f_hat(y - np.outer(theta, x), h) @ counts
        return sums + theta**2 / (share * BUDGET.epsilon * h) + b * theta

    for seed in range(20):
        b = algorithm.schedule(problem.domain, BUDGET).noise_scale * np.random.default_rng(seed).standard_normal()
        theta = algorithm.solve(problem, BUDGET, np.random.default_rng(seed)).theta
        assert objective(theta, b)[0] <= objective(grid, b).min() + 1e-9


def test_the_noise_has_the_printed_variance():
    domain = data_of_appendix_a("d1", 30, 0.01).domain
    scale = HuberisedObjectivePerturbation().schedule(domain, BUDGET).noise_scale
    assert scale**2 == pytest.approx(8 * math.log(1e6) / 0.25)
    assert (domain.lipschitz, domain.diameter) == (1.0, 4.0)


@pytest.mark.parametrize("data", ["d1", "d2"])
def test_risks_have_the_mean_that_the_law_of_the_noise_gives(data):
    """Small n and a large h, so that all of the law matters; 4.4 standard errors are a false alarm in 1e-5."""
    problem, algorithm = data_of_appendix_a(data, 40, 0.05), HuberisedObjectivePerturbation(0.05)
    rng = np.random.default_rng(2)
    risks = np.array([problem.excess_risk(algorithm.solve(problem, BUDGET, rng).theta) for _ in range(4000)])
    schedule = algorithm.schedule(problem.domain, BUDGET)
    places, slopes = algorithm.slope(problem, schedule.regulariser)
    b = np.linspace(-8, 8, 4001)
    answers = np.interp(-b * schedule.coordinate_scale, slopes, places)
    expected = np.trapezoid([problem.excess_risk(np.array([answer])) for answer in answers] * norm.pdf(b), b)
    assert abs(risks.mean() - expected) < 4.4 * risks.std() / math.sqrt(risks.size)


@pytest.mark.parametrize("data", ["d1", "d2"])
def test_the_exponential_mechanism_has_its_density_between_the_kinks(data):
    problem, rng = data_of_appendix_a(data, 12, 0.05), np.random.default_rng(3)
    draws = [float(ExponentialMechanism().solve(problem, PURE, rng).theta[0]) for _ in range(3000)]
    grid = np.linspace(-2, 2, 200_001)
    density = np.exp(-(0.5 / 8) * 12 * np.array([problem.dense.value(np.array([t])) for t in grid[::100]]))
    distribution = np.cumsum(np.interp(grid, grid[::100], density))
    assert kstest(draws, lambda t: np.interp(t, grid, distribution / distribution[-1])).pvalue > ALARM


def test_pieces_have_the_mass_of_their_density():
    places, energy = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([0.0, 3.0, 3.0, 1.0])
    grid = np.linspace(-1, 2, 300_001)
    density = np.exp(-np.interp(grid, places, energy))
    masses = [np.trapezoid(density[(grid >= a) & (grid <= b)], dx=1e-5) for a, b in itertools.pairwise(places)]
    np.testing.assert_allclose(shares(places, energy), np.array(masses) / np.sum(masses), rtol=1e-4)


def test_what_cannot_be_huberised_is_refused():
    other = copies_of_c(LinearLoss(), 10, 1)
    with pytest.raises(InputError, match="PositivePartLoss in one dimension, got LinearLoss"):
        HuberisedObjectivePerturbation().solve(other, BUDGET, np.random.default_rng(0))
    with pytest.raises(InputError, match="p=2"):
        HuberisedObjectivePerturbation().schedule(unit_ball(PositivePartLoss(), 10, 2), BUDGET)
    with pytest.raises(InputError, match="delta > 0"):
        HuberisedObjectivePerturbation().schedule(data_of_appendix_a("d1", 30, 0.01).domain, PURE)
    with pytest.raises(InputError, match="smoothing must be positive"):
        HuberisedObjectivePerturbation(0.0)
