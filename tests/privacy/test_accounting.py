import math
from itertools import product

import numpy as np
import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from scipy.stats import binom, norm

from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import BoundedRange, Gaussian, GaussianShift, GumbelMin, LaplaceMin, PureLoss
from dprepro.privacy import noise_for, spent

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)


def enumerated_delta(single, uses, epsilon):
    """delta(epsilon) of randomised response used so often, from all outcomes."""
    p = 1 / (1 + math.exp(-single))
    total = 0.0
    for outcome in product((0, 1), repeat=uses):
        heads = sum(outcome)
        a, b = p**heads * (1 - p) ** (uses - heads), p ** (uses - heads) * (1 - p) ** heads
        total += max(0.0, a - math.exp(epsilon) * b)
    return total


@pytest.mark.parametrize("uses", [1, 2, 5, 9])
@pytest.mark.parametrize("delta", [1e-2, 1e-4])
def test_composition_of_pure_losses_is_that_of_all_outcomes(uses, delta):
    epsilon = spent(PureLoss(0.4), uses, delta).epsilon
    if epsilon > 0:
        assert enumerated_delta(0.4, uses, epsilon) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize(("single", "uses"), [(0.03, 159), (0.0045, 7114), (6.5e-4, 341_996)])
def test_the_accountants_loss_distribution_agrees_on_pure_losses(single, uses):
    parameters = common.DifferentialPrivacyParameters(single, 0.0)
    # with this step the lattice holds both atoms of a loss exactly
    one = privacy_loss_distribution.from_privacy_parameters(parameters, value_discretization_interval=single)
    accountant = one.self_compose(uses).get_epsilon_for_delta(1e-6)
    assert spent(PureLoss(single), uses, 1e-6).epsilon == pytest.approx(accountant, rel=2e-6)


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-11, 1e-30])
def test_many_pure_losses_solve_the_equation_of_the_binomial_law(delta):
    single, uses = 6.5e-4, 341_996  # at delta = 1e-11 the accountant says 19, for tails that it cut off
    epsilon = spent(PureLoss(single), uses, delta).epsilon
    heads, p = np.arange(uses + 1), 1 / (1 + math.exp(-single))
    one, other = binom.logpmf(heads, uses, p), binom.logpmf(heads, uses, 1 - p)
    excess = np.exp(one[one > epsilon + other]) - np.exp(epsilon + other[one > epsilon + other])
    assert excess.sum() == pytest.approx(delta, rel=1e-5)


def test_tiny_deltas_are_answered_and_grow_like_their_tail():
    values = [spent(PureLoss(0.001), 10_000, 10.0**-k).epsilon for k in (10, 20, 60, 120)]
    assert all(np.diff(values) > 0)
    # Near a normal law of standard deviation 0.1 the epsilon at delta is about 0.1 sqrt(2 ln(1/delta)).
    assert values[-1] == pytest.approx(0.1 * math.sqrt(2 * 120 * math.log(10)), rel=0.05)


def test_basic_composition_holds_at_delta_zero():
    assert spent(PureLoss(0.1), 30, 0.0).epsilon == pytest.approx(3.0)
    assert spent(BoundedRange(0.1), 30, 0.0).epsilon == pytest.approx(3.0)
    assert spent(GaussianShift(0.1), 30, 0.0).epsilon == math.inf


def test_bounded_range_uses_the_tight_conversion_of_zcdp():
    uses, eta = 1000, 0.01
    rho = uses * eta**2 / 8
    alphas = 1 + np.geomspace(1e-3, 1e5, 200_001)
    tight = rho * alphas + (math.log(1e6) + (alphas - 1) * np.log1p(-1 / alphas) - np.log(alphas)) / (alphas - 1)
    assert spent(BoundedRange(eta), uses, 1e-6).epsilon == pytest.approx(tight.min(), rel=1e-4)
    assert spent(BoundedRange(eta), uses, 1e-6).epsilon < rho + 2 * math.sqrt(rho * math.log(1e6))


def test_gaussian_composition_solves_the_exact_equation():
    epsilon, mu = spent(GaussianShift(0.05), 400, 1e-5).epsilon, 1.0
    delta = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
    assert delta == pytest.approx(1e-5, rel=5e-3)


@pytest.mark.parametrize("mechanism", [LaplaceMin, GumbelMin, Gaussian])
@pytest.mark.parametrize("uses", [1, 50, 7114])
def test_exact_noise_spends_the_budget_and_less_noise_overspends(mechanism, uses):
    scale = noise_for(lambda lam: mechanism(lam).guarantee(0.01), uses, BUDGET)
    assert 0.999 < spent(mechanism(scale).guarantee(0.01), uses, BUDGET.delta).epsilon <= 1.0 + 1e-9
    assert spent(mechanism(scale / 1.01).guarantee(0.01), uses, BUDGET.delta).epsilon > 1.0


@pytest.mark.parametrize(
    ("eta", "uses", "delta", "at_most"), [(1, 1, 1e-6, 1), (0.5, 2, 1e-6, 1), (1, 3, 1e-6, 3), (3, 1, 0.01, 3)]
)
def test_few_uses_of_a_bounded_range_never_spend_more_than_basic_composition(eta, uses, delta, at_most):
    assert spent(BoundedRange(eta), uses, delta).epsilon <= at_most


def test_gaussian_noise_cannot_be_pure():
    with pytest.raises(InputError, match="delta=0"):
        noise_for(lambda lam: Gaussian(lam).guarantee(1.0), 10, Budget(1.0, 0.0, Neighbours.REPLACE_ONE))


def test_no_use_spends_nothing():
    assert spent(PureLoss(1.0), 0, 1e-6).epsilon == 0


@pytest.mark.parametrize(
    ("epsilon", "delta", "word"),
    [(0, 0.1, "epsilon=0"), (math.nan, 0.1, "nan"), (1, 1, "delta=1"), (1, -0.1, "delta=-0.1")],
)
def test_a_budget_outside_its_range_is_refused_with_the_value(epsilon, delta, word):
    with pytest.raises(InputError, match=word):
        Budget(epsilon, delta, Neighbours.REPLACE_ONE)
