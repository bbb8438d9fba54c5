import math
from itertools import pairwise, product

import dp_accounting.dp_event as events
import numpy as np
import pytest
from dp_accounting.pld import PLDAccountant, common, privacy_loss_distribution
from scipy.integrate import quad
from scipy.stats import binom, norm

from dprepro.privacy import worst_pairs
from dprepro.privacy.worst_pairs import gaussian_epsilon, mixed_epsilon, pure_epsilon


def gaussian_delta(mu, epsilon):
    """delta(epsilon) of a Gaussian shift by quadrature: no term is the difference of two large ones."""
    start = mu / 2 + epsilon / mu  # where the likelihood ratio is e^epsilon

    def excess(t):
        return -math.exp(-((start + t - mu) ** 2) / 2) * math.expm1(-mu * t) / math.sqrt(2 * math.pi)

    middle = max(0.0, mu - start)
    cuts = [0.0, *(middle + k for k in (0.5, 1, 2, 4, 8, 16, 40))]
    return sum(quad(excess, a, b, epsabs=0, epsrel=1e-11)[0] for a, b in pairwise(cuts))


def enumerated_delta(responses, mu, epsilon):
    """delta(epsilon) of randomised responses with these losses beside a Gaussian shift, over all outcomes."""
    total = 0.0
    for truths in product((1, -1), repeat=len(responses)):
        signed = [truth * response for truth, response in zip(truths, responses, strict=True)]
        likely = math.prod(1 / (1 + math.exp(-one)) for one in signed)
        rest = epsilon - sum(signed)  # what the loss of the Gaussian has to exceed
        if mu:
            total += likely * (gaussian_delta(mu, rest) if rest > -30 * mu else -math.expm1(rest))
        else:
            total += likely * max(0.0, -math.expm1(rest))
    return total


@pytest.mark.parametrize(
    ("mu", "delta"),
    [
        pytest.param(mu, delta, marks=[] if mu < 3 or delta == 1e-6 else pytest.mark.slow)
        for mu in (1e-3, 0.03, 0.3, 1.0, 3.0)
        for delta in (1e-2, 1e-6, 1e-8)
    ],
)
def test_the_accountant_agrees_with_the_closed_form_of_a_gaussian_where_it_works(mu, delta):
    accountant = PLDAccountant(value_discretization_interval=min(1e-4, mu * 1e-3))
    accountant.compose(events.GaussianDpEvent(1 / mu))
    theirs = accountant.get_epsilon(delta)
    assert gaussian_epsilon(mu, delta) == pytest.approx(theirs, rel=1e-5, abs=1e-9)
    assert gaussian_epsilon(mu, delta) <= theirs * (1 + 1e-9)  # theirs rounds losses up


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-12, 1e-100, 1e-200])
@pytest.mark.parametrize("mu", [1e-5, 1e-2, 1.0, 10.0, 50.0, 100.0])
def test_the_closed_form_of_a_gaussian_solves_the_integral(mu, delta):
    epsilon = gaussian_epsilon(mu, delta)
    if epsilon == 0:
        assert 2 * norm.cdf(mu / 2) - 1 <= delta
    else:
        assert gaussian_delta(mu, epsilon) == pytest.approx(delta, rel=1e-7)
        assert gaussian_delta(mu, epsilon * (1 - 1e-6)) > delta


@pytest.mark.parametrize("uses", [1, 2, 5, 9])
@pytest.mark.parametrize("delta", [1e-2, 1e-4])
def test_composition_of_pure_losses_is_that_of_all_outcomes(uses, delta):
    epsilon = pure_epsilon(0.4, uses, delta)
    assert epsilon > 0
    assert enumerated_delta([0.4] * uses, 0, epsilon) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize(("single", "uses"), [(0.03, 159), (0.0045, 7114), (6.5e-4, 341_996)])
def test_the_accountants_loss_distribution_agrees_on_pure_losses(single, uses):
    parameters = common.DifferentialPrivacyParameters(single, 0.0)
    # with this step the lattice holds both atoms of a loss exactly
    one = privacy_loss_distribution.from_privacy_parameters(parameters, value_discretization_interval=single)
    accountant = one.self_compose(uses).get_epsilon_for_delta(1e-6)
    assert pure_epsilon(single, uses, 1e-6) == pytest.approx(accountant, rel=2e-6)


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-11, 1e-30])
def test_many_pure_losses_solve_the_equation_of_the_binomial_law(delta):
    single, uses = 6.5e-4, 341_996  # at delta = 1e-11 the accountant says 19, for tails that it cut off
    epsilon = pure_epsilon(single, uses, delta)
    heads, p = np.arange(uses + 1), 1 / (1 + math.exp(-single))
    one, other = binom.logpmf(heads, uses, p), binom.logpmf(heads, uses, 1 - p)
    excess = np.exp(one[one > epsilon + other]) - np.exp(epsilon + other[one > epsilon + other])
    assert excess.sum() == pytest.approx(delta, rel=1e-5)


def test_tiny_deltas_are_answered_and_grow_like_their_tail():
    values = [pure_epsilon(0.001, 10_000, 10.0**-k) for k in (10, 20, 60, 120)]
    assert all(np.diff(values) > 0)
    # Near a normal law of standard deviation 0.1 the epsilon at delta is about 0.1 sqrt(2 ln(1/delta)).
    assert values[-1] == pytest.approx(0.1 * math.sqrt(2 * 120 * math.log(10)), rel=0.05)


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-9])
@pytest.mark.parametrize("mu", [0.0, 0.2, 1.5])
def test_unlike_pure_losses_beside_a_gaussian_compose_as_all_their_outcomes(mu, delta):
    epsilon, responses = mixed_epsilon(((0.4, 3), (1.1, 2), (0.05, 1)), mu, delta), [0.4, 0.4, 0.4, 1.1, 1.1, 0.05]
    assert enumerated_delta(responses, mu, epsilon) <= delta
    assert enumerated_delta(responses, mu, epsilon * (1 - 1e-8)) > delta


@pytest.mark.parametrize(
    ("delta", "mu"),
    [
        *((delta, 0.0) for delta in (1e-2, 1e-6, 1e-15, 1e-60)),
        *((delta, 0.4) for delta in (1e-2, 1e-6, 1e-15)),
        pytest.param(1e-60, 0.4, marks=pytest.mark.slow),  # a million atoms beside a Gaussian take seconds
    ],
)
def test_the_lattice_is_never_below_the_exact_composition_and_hardly_above(delta, mu, monkeypatch):
    pure = ((0.02, 900), (0.0471, 600))
    coarse = mixed_epsilon(pure, mu, delta)
    monkeypatch.setattr(worst_pairs, "ATOMS", 10**6)  # 901 times 601 atoms, none moved
    exact = mixed_epsilon(pure, mu, delta)
    assert exact * (1 - 1e-9) <= coarse <= exact * (1 + 2e-5)


def test_a_lattice_keeps_the_probabilities_under_both_laws():
    rng = np.random.default_rng(0)
    losses, weights = rng.normal(size=50), rng.dirichlet(np.ones(50))
    first, lattice = worst_pairs._on_lattice((losses, weights), 0.1)
    points = 0.1 * np.arange(first, first + len(lattice))
    assert lattice.sum() == pytest.approx(1, rel=1e-12)
    assert lattice @ np.exp(-points) == pytest.approx(weights @ np.exp(-losses), rel=1e-12)
    for epsilon in np.linspace(-2, 2, 41):  # telling more cannot hide more
        moved = lattice @ np.maximum(0, -np.expm1(epsilon - points))
        assert moved >= weights @ np.maximum(0, -np.expm1(epsilon - losses)) - 1e-12


@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_the_accountant_agrees_on_unlike_parts_where_it_works(delta):
    step = 5e-4

    def response(single):  # losses are multiples of the step
        return privacy_loss_distribution.from_privacy_parameters(
            common.DifferentialPrivacyParameters(single, 0.0), value_discretization_interval=step
        )

    pure = response(10 * step).self_compose(2000).compose(response(30 * step).self_compose(500))
    ours = mixed_epsilon(((10 * step, 2000), (30 * step, 500)), 0.0, delta)
    assert ours == pytest.approx(pure.get_epsilon_for_delta(delta), rel=3e-5)

    gaussian = privacy_loss_distribution.from_gaussian_mechanism(1 / 1.4, value_discretization_interval=step)
    ours = mixed_epsilon(((100 * step, 40),), 1.4, delta)
    both = response(100 * step).self_compose(40).compose(gaussian)
    assert ours == pytest.approx(both.get_epsilon_for_delta(delta), rel=3e-5)


def test_large_losses_cost_their_sum():
    assert mixed_epsilon(((40.0, 2), (60.0, 3)), 0.0, 1e-6) == pytest.approx(260, rel=1e-6)
    assert mixed_epsilon(((400.0, 20), (600.0, 30)), 0.0, 1e-6) == pytest.approx(26_000, rel=1e-3)
    assert pure_epsilon(50.0, 1, 1e-6) == pytest.approx(50, rel=1e-6)


def test_a_delta_below_all_floats_is_still_answered_from_above():
    pure, mu = ((0.01, 100), (0.02, 100)), 0.1
    least = mixed_epsilon(pure, mu, 1e-280)
    assert least < mixed_epsilon(pure, mu, 1e-300) <= 3 + gaussian_epsilon(mu, 1e-300)
