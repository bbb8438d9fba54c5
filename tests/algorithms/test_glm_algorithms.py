"""The algorithms of Arora et al. (2022), against formulas that do not come from their code."""

import math

import numpy as np
import pytest

from dprepro.algorithms import NoisyGD, RegularisedOutputPerturbation
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import OneHotFamily
from dprepro.errors import InputError

POINT = {"n": 2000.0, "p": 20.0, "norm": 1.0}
FAMILY = OneHotFamily(coordinates=2, mass=0.5, tail=4)


def budget(epsilon=0.5, delta=1e-5):
    return Budget(epsilon, delta, Neighbours.REPLACE_ONE)


def shift(epsilon, delta, multiplier):
    """mu of Gaussian noise sigma = multiplier x sensitivity x sqrt(ln(1/delta))/epsilon."""
    return epsilon / (multiplier * math.sqrt(math.log(1 / delta)))


def gaussian_delta(epsilon, mu):
    from scipy.stats import norm

    return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_printed_noise_spends_what_the_closed_formula_says_whatever_the_steps(epsilon):
    found = NoisyGD().spent(FAMILY.constants(POINT), budget(epsilon)).epsilon
    # sigma^2 = 8 G^2 T L/(n eps)^2 against the sensitivity 2 G/n: mu = eps/sqrt(2 L), up to T - 1 against T steps.
    mu = shift(epsilon, 1e-5, math.sqrt(2))
    assert gaussian_delta(found, mu) == pytest.approx(1e-5, rel=0.02)
    assert found < epsilon


def test_the_printed_lipschitz_noise_is_short_and_the_exact_one_is_not():
    one = OneHotFamily(loss="absolute", coordinates=1).build(POINT, 0.0).sample(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    printed = RegularisedOutputPerturbation(setting="lipschitz").solve(one, budget(1.0), rng)
    exact = RegularisedOutputPerturbation(setting="lipschitz", constants="exact").solve(one, budget(1.0), rng)
    assert printed.spent.epsilon == pytest.approx(1.11, abs=0.01)
    assert exact.spent.epsilon <= 1.0 + 1e-9
    assert RegularisedOutputPerturbation(setting="lipschitz").solve(one, budget(0.3), rng).spent.epsilon < 0.3


def test_output_perturbation_adds_noise_of_the_stated_scale_to_every_coordinate():
    one = FAMILY.build(POINT, 0.0).sample(np.random.default_rng(2))
    algorithm, rng = RegularisedOutputPerturbation(), np.random.default_rng(3)
    answers = np.array([algorithm.solve(one, budget(), rng).theta for _ in range(2000)])
    schedule = algorithm.schedule(one.constants, budget())
    centre = np.concatenate([one.regularised_minimum(schedule.weight), np.zeros(14)])
    error = schedule.noise_scale / math.sqrt(2000)
    assert (np.abs(answers.mean(axis=0) - centre) < 4.5 * error).all()  # false alarm: 1.4e-4
    spread = answers.std(axis=0) / schedule.noise_scale
    assert (np.abs(spread - 1) < 4.5 / math.sqrt(2 * 2000)).all()


def test_the_sensitivity_of_the_regularised_minimiser_is_never_exceeded_by_replacing_a_record():
    algorithm = RegularisedOutputPerturbation()
    bound = algorithm.sensitivity(FAMILY.constants(POINT), budget())
    weight = algorithm.schedule(FAMILY.constants(POINT), budget()).weight
    rng = np.random.default_rng(4)
    largest = 0.0
    for _ in range(20):
        one = FAMILY.build(POINT, 0.0).sample(rng)
        before = one.regularised_minimum(weight)
        one.count[0] -= 1
        one.positive[0] -= 1
        one.count[1] += 1  # a record of the second coordinate with the other label
        largest = max(largest, float(np.linalg.norm(one.regularised_minimum(weight) - before)))
    assert 0 < largest <= bound


def test_the_literal_descent_without_noise_follows_the_closed_form_of_its_average():
    point = {"n": 300.0, "p": 3.0, "norm": 1.0}
    one = OneHotFamily(coordinates=1, mass=0.5).build(point, 0.0).sample(np.random.default_rng(5))
    free = Budget(math.inf, 0.0, Neighbours.REPLACE_ONE)
    algorithm = NoisyGD()
    solution = algorithm.solve(one, free, np.random.default_rng(6))
    eta, steps = solution.schedule.step_size, solution.schedule.steps
    h, target = 2 * one.count[0] / one.n, (2 * one.positive[0] - one.count[0]) / one.count[0]
    iterates = np.minimum(target * (1 - (1 - eta * h) ** np.arange(steps)), 1.0)
    assert solution.theta[0] == pytest.approx(iterates.mean(), rel=1e-9)
    assert solution.spent is None


def test_algorithms_with_gaussian_noise_refuse_pure_privacy():
    for algorithm in (NoisyGD(), RegularisedOutputPerturbation()):
        with pytest.raises(InputError, match="delta"):
            algorithm.schedule(FAMILY.constants(POINT), budget(delta=0.0))
