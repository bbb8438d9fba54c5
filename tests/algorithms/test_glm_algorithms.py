"""The algorithms of Arora et al. (2022), against formulas that do not come from their code."""

import dataclasses
import math

import numpy as np
import pytest
from helpers.small_problems import at, one_hot, random_problem, unit_ball

from dprepro.algorithms import JohnsonLindenstrauss, LowNoiseStep, NoisyGD, RegularisedOutputPerturbation, SignedCounts
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import AbsoluteLoss, HuberLoss, L2Ball, LinearLoss, LogisticLoss, OneHotView, Problem, SquaredLoss

SAMPLE = {"n": 2000.0, "p": 20, "tail": 4}


def budget(epsilon=0.5, delta=1e-5, neighbours=Neighbours.REPLACE_ONE):
    return Budget(epsilon, delta, neighbours)


def shift(epsilon, delta, multiplier):
    """mu of Gaussian noise sigma = multiplier x sensitivity x sqrt(ln(1/delta))/epsilon."""
    return epsilon / (multiplier * math.sqrt(math.log(1 / delta)))


def gaussian_delta(epsilon, mu):
    from scipy.stats import norm

    return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


def test_printed_noise_and_step_are_those_of_theorem_1():
    n, p, epsilon, delta = 1e4, 64, 0.5, 1e-5
    g = 2 * math.sqrt(2) + 4  # Lemma 2 at H = 2, B = X = Y = 1
    schedule = NoisyGD().schedule(unit_ball(SquaredLoss(), n, p), budget(epsilon, delta))
    sigma = math.sqrt(8 * g**2 * n * math.log(1 / delta)) / (n * epsilon)
    assert (schedule.steps, schedule.noise_scale) == (n, pytest.approx(sigma))
    assert schedule.step_size == pytest.approx(1 / (math.sqrt(n) * max(math.sqrt(2), sigma * math.sqrt(p))))
    assert schedule.step(1) == schedule.step(17) == schedule.step_size
    quiet = NoisyGD(step=LowNoiseStep()).schedule(unit_ball(SquaredLoss(), n, p), budget(math.inf, 0.0))
    assert (quiet.noise_scale, quiet.step_size) == (0, 1 / 8)


def test_exact_noise_rests_on_the_true_lipschitz_constant():
    domain = unit_ball(SquaredLoss(), 1e4, 64)
    assert domain.lipschitz == 4
    assert domain.self_bounding_lipschitz == pytest.approx(2 * math.sqrt(2) + 4)
    exact = NoisyGD(constants="exact")
    mu = 2 * 4 / 1e4 * math.sqrt(9999) / exact.schedule(domain, budget()).noise_scale
    assert gaussian_delta(0.5, mu) == pytest.approx(1e-5, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_printed_noise_spends_what_the_closed_formula_says_whatever_the_steps(epsilon):
    found = NoisyGD().privacy_loss(unit_ball(SquaredLoss(), 2000, 20), budget(epsilon)).epsilon
    # sigma^2 = 8 G^2 T L/(n eps)^2 against the sensitivity 2 G/n: mu = eps/sqrt(2 L), up to T - 1 against T steps.
    mu = shift(epsilon, 1e-5, math.sqrt(2))
    assert gaussian_delta(found, mu) == pytest.approx(1e-5, rel=0.02)
    assert found < epsilon


def test_the_printed_lipschitz_noise_is_short_and_the_exact_one_is_not():
    one, rng = one_hot(AbsoluteLoss(), coordinates=1, **SAMPLE), np.random.default_rng(1)
    printed = RegularisedOutputPerturbation(setting="lipschitz").solve(one, budget(1.0), rng)
    exact = RegularisedOutputPerturbation(setting="lipschitz", constants="exact").solve(one, budget(1.0), rng)
    assert printed.privacy_loss.epsilon == pytest.approx(1.11, abs=0.01)
    assert exact.privacy_loss.epsilon <= 1.0 + 1e-9
    assert RegularisedOutputPerturbation(setting="lipschitz").solve(one, budget(0.3), rng).privacy_loss.epsilon < 0.3


def test_lambda_and_sigma_are_those_of_theorems_3_and_5():
    n, epsilon, logarithm, g = 1e6, 0.5, math.log(1e5), 2 * math.sqrt(2) + 4
    smooth = RegularisedOutputPerturbation().schedule(unit_ball(SquaredLoss(), n, 20), budget(epsilon))
    assert smooth.weight == pytest.approx((math.sqrt(2) * g / (n * epsilon)) ** (2 / 3) * logarithm ** (1 / 3))
    assert smooth.noise_scale == pytest.approx(g * math.sqrt(8 * logarithm) / (smooth.weight * n * epsilon))
    other = RegularisedOutputPerturbation(setting="lipschitz")
    lipschitz = other.schedule(unit_ball(AbsoluteLoss(), n, 20, radius=2.0), budget(epsilon))
    assert lipschitz.weight == pytest.approx(logarithm**0.25 / (2 * math.sqrt(n * epsilon)))
    assert lipschitz.noise_scale == pytest.approx(2 * math.sqrt(logarithm) / (lipschitz.weight * n * epsilon))


def test_output_perturbation_adds_noise_of_the_stated_scale_to_every_coordinate():
    one = one_hot(SquaredLoss(), **SAMPLE)
    algorithm, rng = RegularisedOutputPerturbation(), np.random.default_rng(3)
    answers = np.array([algorithm.solve(one, budget(), rng).theta for _ in range(2000)])
    schedule = algorithm.schedule(one.domain, budget())
    counts = one.one_hot
    touched = counts.linear / (counts.hessian + schedule.weight)  # the ball does not bind
    assert np.linalg.norm(touched) < 1
    centre = np.concatenate([touched, np.zeros(14)])
    error = schedule.noise_scale / math.sqrt(2000)
    assert (np.abs(answers.mean(axis=0) - centre) < 4.5 * error).all()  # false alarm: 1.4e-4
    spread = answers.std(axis=0) / schedule.noise_scale
    assert (np.abs(spread - 1) < 4.5 / math.sqrt(2 * 2000)).all()


@pytest.mark.parametrize("loss", [SquaredLoss(), HuberLoss(), LogisticLoss()])
@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT])
def test_the_sensitivity_of_the_regularised_minimiser_is_never_exceeded(loss, neighbours):
    """On records of any smooth loss, one of which is replaced by the opposite one, or is zeroed out (x = 0)."""
    algorithm, rng = RegularisedOutputPerturbation(), np.random.default_rng(4)
    domain, given = unit_ball(loss, 12, 3), budget(neighbours=neighbours)
    bound, weight = algorithm.sensitivity(domain, given), algorithm.schedule(domain, given).weight
    share = 0 if neighbours is Neighbours.ZERO_OUT else -1
    largest = 0.0
    for _ in range(20):
        x, y = rng.normal(size=(12, 3)), rng.choice([-1.0, 1.0], 12)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        other = np.concatenate([share * x[:1], x[1:]])
        before, after = (
            at(domain, data, np.ones(12), y).dense.minimise(np.zeros(3), weight).theta for data in (x, other)
        )
        largest = max(largest, float(np.linalg.norm(before - after)))
    assert 0 < largest <= bound


def test_the_literal_descent_without_noise_follows_the_closed_form_of_its_average():
    one = one_hot(SquaredLoss(), n=300, p=3, coordinates=1, seed=5)
    counts = one.one_hot
    solution = NoisyGD().solve(one, budget(math.inf, 0.0), np.random.default_rng(6))
    eta, steps = solution.schedule.step_size, solution.schedule.steps
    h, target = 2 * counts.share[0], counts.lean[0] / counts.share[0]
    iterates = np.minimum(target * (1 - (1 - eta * h) ** np.arange(steps)), 1.0)
    assert solution.theta[0] == pytest.approx(iterates.mean(), rel=1e-9)
    assert solution.privacy_loss is None


@pytest.mark.parametrize("loss", [SquaredLoss(), LogisticLoss(), HuberLoss()])
def test_without_noise_a_long_descent_finds_the_minimum_of_records(loss):
    problem = random_problem(loss, L2Ball(3), n=400)
    theta = NoisyGD(step=LowNoiseStep()).solve(problem, budget(math.inf, 0.0), np.random.default_rng(0)).theta
    assert 0 <= problem.excess_risk(theta) < 0.02 * problem.trivial_risk


# Algorithm 2


def test_k_and_the_public_numbers_after_the_projection():
    domain, algorithm = unit_ball(SquaredLoss(), 1e6, 1000, radius=2.0), JohnsonLindenstrauss()
    schedule, after = algorithm.schedule(domain, budget()), algorithm.embedded(domain, budget())
    scale = math.sqrt(2) * 2
    assert schedule.sketch == after.p == math.ceil((scale * 5e5 / (1 + scale)) ** (2 / 3) / 4)
    clip = 1 + math.sqrt(2 * math.log(1000 / 1e-6) / after.p)
    assert after.feature_bound == pytest.approx(clip)
    assert after.constraint_set == L2Ball(after.p, 4.0)
    assert schedule.sketched_smoothness == pytest.approx(2 * clip**2)
    assert schedule.sketched_lipschitz == pytest.approx(2 * math.sqrt(2) * clip + 2 * 2 * clip**2 * 4)
    inner = NoisyGD().schedule(after, budget())
    assert (schedule.steps, schedule.noise_scale, schedule.step_size) == (1e6, inner.noise_scale, inner.step_size)


@pytest.mark.parametrize("transform", ["gaussian", "rademacher", "srht", "countsketch"])
def test_records_and_one_hot_counts_are_mapped_alike(transform):
    """The same data as counts and as records: equal maps, equal data after them, equal answers."""
    counted = one_hot(SquaredLoss(), n=40, p=6, coordinates=6, mass=0.9)
    listed = Problem(counted.domain, {"records": at(counted.domain, *_listed(counted.one_hot)).records})
    algorithm, given = JohnsonLindenstrauss(transform=transform), budget()
    (first, phi), (second, psi) = (algorithm.project(one, given, np.random.default_rng(8)) for one in (counted, listed))
    np.testing.assert_array_equal(phi, psi)
    w = np.random.default_rng(9).normal(size=first.domain.p)
    np.testing.assert_allclose(first.gradient(w), second.gradient(w), atol=1e-12)
    answers = [algorithm.solve(one, given, np.random.default_rng(8)).theta for one in (counted, listed)]
    np.testing.assert_allclose(*answers, atol=1e-9)


def _listed(counts: OneHotView):
    records = counts.to_records()
    return records.features, records.copies, records.targets


def test_features_are_clipped_after_the_map():
    """A count sketch may send all six features into one place, where their sum is longer than any of them."""
    domain = dataclasses.replace(unit_ball(SquaredLoss(), 4, 6), label_bound=1.0)
    problem = at(domain, np.full((1, 6), 1 / math.sqrt(6)), [4])
    algorithm = JohnsonLindenstrauss(transform="countsketch", dimension_factor=1e-9)
    longest = algorithm.embedded(domain, budget()).feature_bound
    sizes = [
        float(
            np.linalg.norm(
                algorithm.project(problem, budget(), np.random.default_rng(seed))[0].records.records.features
            )
        )
        for seed in range(20)
    ]
    assert max(sizes) <= longest * (1 + 1e-12)
    assert max(sizes) > 1


@pytest.mark.parametrize("algorithm", [JohnsonLindenstrauss(), RegularisedOutputPerturbation()])
def test_the_answer_is_projected_only_where_it_has_to_lie_in_the_set(algorithm):
    """All coordinates occur, so that both runs draw the same numbers; with n = 5 all answers would leave the ball."""
    free = one_hot(SquaredLoss(), n=5, p=3, coordinates=3)
    counts, domain = free.one_hot, dataclasses.replace(free.domain, proper=True)
    held = Problem(domain, {"one_hot": OneHotView(domain, counts.label, counts.plus, counts.minus)})
    outside, inside = (algorithm.solve(one, budget(0.01), np.random.default_rng(1)).theta for one in (free, held))
    if isinstance(algorithm, RegularisedOutputPerturbation):
        assert np.linalg.norm(outside) > 1
    np.testing.assert_allclose(inside, L2Ball(3).project(outside))


def test_a_proper_answer_lists_all_coordinates():
    domain = unit_ball(SquaredLoss(), 10, 5)
    view = OneHotView(domain, np.ones(2), np.full(2, 0.3), np.full(2, 0.1))
    theta = JohnsonLindenstrauss().solve(Problem(domain, {"one_hot": view}), budget(), np.random.default_rng(1)).theta
    assert theta.shape == (5,)
    assert domain.constraint_set.contains(theta)


# Signed counts


@pytest.mark.parametrize("neighbours", [Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT])
def test_signed_counts_answer_with_the_posterior_of_their_noise(neighbours):
    """Given the noisy count c of +-D, +a has log odds (|c + D| - |c - D|)/s: the mean is a tanh of half of that."""
    one, given = one_hot(SquaredLoss(), n=1000, p=4, coordinates=2), budget(0.5, 0.0, neighbours)
    schedule = SignedCounts().schedule(one.domain, given)
    changed = 2 if neighbours is Neighbours.REPLACE_ONE else 1
    assert schedule.noise_scale == changed / 0.5
    count = np.zeros(4)
    count[:2] = 1000 * (one.one_hot.plus - one.one_hot.minus)
    noisy = count + np.random.default_rng(2).laplace(0, schedule.noise_scale, 4)
    odds = (np.abs(noisy + 2) - np.abs(noisy - 2)) / schedule.noise_scale
    size = 1 / math.sqrt(min(4, 500 ** (2 / 3)))
    solution = SignedCounts().solve(one, given, np.random.default_rng(2))
    np.testing.assert_allclose(solution.theta, size * np.tanh(odds / 2))
    assert solution.privacy_loss.epsilon == pytest.approx(0.5)
    signs = SignedCounts(setting="lipschitz").solve(one, given, np.random.default_rng(2)).theta
    np.testing.assert_allclose(signs, np.sign(noisy) / 2)


# What they refuse


def test_algorithms_with_gaussian_noise_refuse_pure_privacy():
    for algorithm in (NoisyGD(), RegularisedOutputPerturbation(), JohnsonLindenstrauss()):
        with pytest.raises(InputError, match="delta"):
            algorithm.schedule(unit_ball(SquaredLoss(), 2000, 20), budget(delta=0.0))


def test_n_is_not_read_where_it_is_private():
    added = budget(neighbours=Neighbours.ADD_OR_REMOVE_ONE)
    for algorithm in (NoisyGD(), RegularisedOutputPerturbation(), JohnsonLindenstrauss(), SignedCounts()):
        with pytest.raises(InputError, match="reads n, which add_or_remove_one keeps private"):
            algorithm.schedule(unit_ball(SquaredLoss(), 2000, 20), added)


def test_a_linear_loss_is_refused_where_its_smoothness_of_zero_would_be_divided_by():
    domain = unit_ball(LinearLoss(), 2000, 20)
    for algorithm in (
        RegularisedOutputPerturbation(),
        JohnsonLindenstrauss(),
        SignedCounts(),
        NoisyGD(step=LowNoiseStep()),
    ):
        with pytest.raises(InputError, match="got LinearLoss, which is linear"):
            algorithm.schedule(domain, budget())
    sigma = NoisyGD().schedule(domain, budget()).noise_scale
    size = NoisyGD().schedule(domain, budget()).step_size  # the term with the noise decides
    assert size == pytest.approx(1 / (math.sqrt(2000) * sigma * math.sqrt(20)))


def test_signed_counts_need_counts():
    assert "one_hot" in SignedCounts().needs(frozenset({"records", "moments"}))
