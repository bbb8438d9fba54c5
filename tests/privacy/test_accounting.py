import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import (
    BoundedRange,
    Gaussian,
    GaussianShift,
    GumbelMin,
    LaplaceMin,
    PureLoss,
    SampledGaussianShift,
)
from dprepro.privacy import compose, noise_factor, noise_for, privacy_loss
from dprepro.privacy.accounting import _by_renyi_curves
from dprepro.privacy.sampled import sampled_epsilon
from dprepro.privacy.worst_pairs import gaussian_epsilon, mixed_epsilon, pure_epsilon

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)

MIXES = {
    "pure": [(PureLoss(0.1), 10), (PureLoss(0.02), 50)],
    "gaussian": [(GaussianShift(0.1), 10), (GaussianShift(0.02), 50)],
    "pure_gaussian": [(PureLoss(0.01), 100), (GaussianShift(0.1), 10)],
    "range_gaussian": [(BoundedRange(0.02), 100), (GaussianShift(0.1), 10)],
    "range_pure": [(BoundedRange(0.02), 100), (PureLoss(0.05), 10)],
    "three": [(BoundedRange(0.02), 100), (PureLoss(0.05), 10), (GaussianShift(0.1), 4)],
    "sampled_gaussian": [(SampledGaussianShift(0.5, 100), 100), (GaussianShift(0.1), 4)],
    "sampled_range": [(SampledGaussianShift(0.5, 100), 100), (BoundedRange(0.02), 100)],
}
QUICK_MIXES = [
    pytest.param(name, marks=pytest.mark.slow if name == "sampled_gaussian" else []) for name in MIXES
]  # the other sample is composed by the same curve


def tight(curve, delta):
    """Least epsilon over the orders of a Renyi curve (Canonne, Kamath and Steinke 2020, Proposition 12)."""
    alphas = 1 + np.geomspace(1e-2, 1e5, 20_001)
    conversion = (math.log(1 / delta) + (alphas - 1) * np.log1p(-1 / alphas) - np.log(alphas)) / (alphas - 1)
    return (curve(alphas) + conversion).min()


def hockey_stick(p, q, epsilon):
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def test_basic_composition_holds_at_delta_zero():
    assert privacy_loss(PureLoss(0.1), 30, 0.0).epsilon == pytest.approx(3.0)
    assert privacy_loss(BoundedRange(0.1), 30, 0.0).epsilon == pytest.approx(3.0)
    assert privacy_loss(GaussianShift(0.1), 30, 0.0).epsilon == math.inf
    assert compose([(PureLoss(0.1), 30), (BoundedRange(0.2), 5)], 0.0).epsilon == pytest.approx(4.0)
    assert compose([(PureLoss(0.1), 30), (GaussianShift(0.2), 5)], 0.0).epsilon == math.inf


def test_one_part_costs_what_its_uses_cost_and_equal_parts_add_up():
    for guarantee in (PureLoss(0.1), BoundedRange(0.1), GaussianShift(0.1), SampledGaussianShift(0.1, 50)):
        whole = privacy_loss(guarantee, 12, 1e-6)
        assert compose([(guarantee, 5), (guarantee, 0), (guarantee, 7)], 1e-6) == whole
        assert compose(((one, 1) for one in [guarantee] * 12), 1e-6) == whole


def test_pure_losses_and_gaussians_are_composed_by_their_own_laws():
    assert privacy_loss(PureLoss(0.1), 30, 1e-6).epsilon == pure_epsilon(0.1, 30, 1e-6)
    mu = math.sqrt(10 * 0.1**2 + 50 * 0.02**2)
    assert compose(MIXES["gaussian"], 1e-6).epsilon == pytest.approx(gaussian_epsilon(mu, 1e-6), rel=1e-12)
    assert compose(MIXES["pure"], 1e-6).epsilon == mixed_epsilon(((0.1, 10), (0.02, 50)), 0.0, 1e-6)
    both = compose(MIXES["pure_gaussian"], 1e-6).epsilon
    assert both == pytest.approx(mixed_epsilon(((0.01, 100),), math.sqrt(0.1), 1e-6), rel=1e-9)


@pytest.mark.parametrize(("eta", "uses", "mu"), [(0.01, 1000, 0.0), (0.02, 100, 0.3), (0.001, 10**6, 0.5)])
def test_bounded_ranges_and_gaussians_add_their_zcdp_with_the_tight_conversion(eta, uses, mu):
    rho = uses * eta**2 / 8 + mu**2 / 2
    epsilon = compose([(BoundedRange(eta), uses), (GaussianShift(mu), 1)], 1e-6).epsilon
    assert epsilon == pytest.approx(tight(lambda alpha: rho * alpha, 1e-6), rel=1e-4)
    assert epsilon < rho + 2 * math.sqrt(rho * math.log(1e6))


def test_a_pure_loss_beside_bounded_ranges_has_the_renyi_curve_of_randomised_response():
    def curve(alpha):
        truth = -math.log1p(math.exp(-1.5))
        response = logsumexp([truth + (alpha - 1) * 1.5, truth - 1.5 - (alpha - 1) * 1.5], axis=0) / (alpha - 1)
        return 2 * response + 200 * 0.1**2 / 8 * alpha

    epsilon = compose([(PureLoss(1.5), 2), (BoundedRange(0.1), 200)], 1e-6).epsilon
    assert epsilon == pytest.approx(tight(curve, 1e-6), rel=1e-4)


@pytest.mark.parametrize(
    ("eta", "uses", "delta", "at_most"), [(1, 1, 1e-6, 1), (0.5, 2, 1e-6, 1), (1, 3, 1e-6, 3), (3, 1, 0.01, 3)]
)
def test_few_uses_of_a_bounded_range_never_spend_more_than_basic_composition(eta, uses, delta, at_most):
    assert privacy_loss(BoundedRange(eta), uses, delta).epsilon <= at_most


def test_a_large_gaussian_beside_a_small_sampled_one_is_cheapest_with_delta_split():
    sampled = [(SampledGaussianShift(0.1, 1000), 1000)]
    answer = compose([(GaussianShift(1.0), 1), *sampled], 1e-6)
    assert answer.conversion.startswith("delta split: Gaussian, exact; loss distribution")
    assert gaussian_epsilon(1.0, 1e-6) < answer.epsilon < gaussian_epsilon(1.0, 1e-6) * 1.05
    split = min(
        gaussian_epsilon(1.0, (1 - share) * 1e-6) + compose(sampled, share * 1e-6).epsilon for share in (0.1, 0.5, 0.9)
    )
    assert answer.epsilon <= split
    assert answer.epsilon < tight(lambda alpha: alpha / 2, 1e-6) * 0.95  # what a Renyi curve says of the Gaussian alone


@pytest.mark.parametrize("seed", range(6))
def test_no_account_is_below_the_exact_delta_of_small_mechanisms(seed):
    """Exponential mechanisms and randomised responses of random scores, all outcomes enumerated."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-1, 1, (3, 3)) * rng.uniform(0.2, 2)
    laws, parts = [], []
    for shift in scores:  # neighbours move the scores by at most half the range
        moved = np.exp(shift) / np.exp(shift).sum(), np.full(3, 1 / 3)
        laws.append(moved)
        parts.append((BoundedRange(float(np.ptp(shift))), 1))
    for epsilon in rng.uniform(0.1, 1, 2):
        p = 1 / (1 + math.exp(-epsilon))
        laws.append((np.array([p, 1 - p]), np.array([1 - p, p])))
        parts.append((PureLoss(float(epsilon)), 1))
    p, q = np.ones(1), np.ones(1)
    for law, other in laws:
        p, q = np.outer(p, law).ravel(), np.outer(q, other).ravel()
    for delta in (0.0, 1e-6, 1e-3, 1e-1):
        epsilon = compose(parts, delta).epsilon
        assert max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)) <= delta + 1e-15


@pytest.mark.parametrize("beside", [-0.5, 0.5, 0.1])  # where the other records are
@pytest.mark.parametrize(("mu", "population", "uses"), [(3.0, 2, 1), (0.5, 4, 1), (8.0, 50, 1), (2.0, 3, 2)])
def test_sampling_is_never_below_the_exact_delta_of_a_pair_of_mixtures(mu, population, uses, beside):
    grid = np.linspace(-14, 14, 4001 if uses == 1 else 1401)
    step = grid[1] - grid[0]

    def law(shift):
        one = (1 - 1 / population) * norm.pdf(grid - beside * mu) + norm.pdf(grid - shift) / population
        return one * step if uses == 1 else np.outer(one, one).ravel() * step**2

    p, q = law(mu / 2), law(-mu / 2)
    for delta in (0.25, 1e-1, 1e-3, 1e-6):
        epsilon = privacy_loss(SampledGaussianShift(mu, population), uses, delta).epsilon
        exact = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
        assert exact <= delta * (1 + 1e-6)
        if beside != 0.1 and uses == 1 and epsilon > 0:
            assert exact > 0.999 * delta  # the other records behind one of the two: that is the worst case


def test_one_record_that_is_always_drawn_is_not_hidden_by_sampling():
    always = privacy_loss(SampledGaussianShift(0.3, 1), 7, 1e-6)
    assert always.epsilon == privacy_loss(GaussianShift(0.3), 7, 1e-6).epsilon
    assert "as if not sampled" in always.conversion
    assert privacy_loss(SampledGaussianShift(1e-12, 100), 7, 1e-20).epsilon < 1e-10


def test_a_sample_of_one_record_is_the_gaussian_itself_and_more_uses_cost_more():
    """The transform beside the closed form; and 300 steps beside their Renyi curve, which gives away more than half."""
    assert sampled_epsilon(0.1, 1, 300, 1e-6) == pytest.approx(gaussian_epsilon(0.1 * math.sqrt(300), 1e-6), rel=1e-4)
    costs = [sampled_epsilon(0.5, 20, uses, 1e-6) for uses in (1, 30, 300)]
    assert all(np.diff(costs) > 0)
    assert costs[-1] < 0.7 * _by_renyi_curves(((SampledGaussianShift(0.5, 20), 300),), 1e-6)[0]
    assert sampled_epsilon(0.5, 20, 300, 1e-12) == math.inf  # left to the Renyi curve


def test_a_sampled_record_costs_little():
    whole = privacy_loss(GaussianShift(0.05), 100, 1e-6).epsilon
    assert 0 < privacy_loss(SampledGaussianShift(0.05, 100), 100, 1e-6).epsilon < whole / 5
    assert privacy_loss(SampledGaussianShift(0.05, 100), 100, 0.0).epsilon == math.inf


@pytest.mark.parametrize("name", QUICK_MIXES)
def test_a_part_forgotten_or_counted_once_too_little_is_seen(name):
    parts = MIXES[name]
    whole = compose(parts, 1e-6).epsilon
    for k, (guarantee, count) in enumerate(parts):
        others = parts[:k] + parts[k + 1 :]
        assert compose(others, 1e-6).epsilon < 0.995 * whole
        assert compose([*others, (guarantee, count - 1)], 1e-6).epsilon < 0.9999 * whole
        assert compose([*others, (guarantee, count + 1)], 1e-6).epsilon > 1.0001 * whole


@pytest.mark.parametrize("name", QUICK_MIXES)
def test_epsilon_falls_with_delta_and_with_noise_and_does_not_depend_on_the_order(name):
    parts = MIXES[name]
    assert all(np.diff([compose(parts, delta).epsilon for delta in (1e-12, 1e-9, 1e-6, 1e-3)]) < 0)
    louder = [compose([(part.scaled(noise), count) for part, count in parts], 1e-6).epsilon for noise in (0.5, 1, 2)]
    assert all(np.diff(louder) < 0)
    assert compose(parts[::-1], 1e-6).epsilon == pytest.approx(louder[1], rel=1e-5)


@pytest.mark.parametrize("mechanism", [LaplaceMin, GumbelMin, Gaussian])
@pytest.mark.parametrize("uses", [1, 50, 7114])
def test_exact_noise_spends_the_budget_and_less_noise_violates_the_guarantee(mechanism, uses):
    scale = noise_for(lambda lam: mechanism(lam).guarantee(0.01), uses, BUDGET)
    assert 1 - 1e-6 < privacy_loss(mechanism(scale).guarantee(0.01), uses, BUDGET.delta).epsilon <= 1.0
    assert privacy_loss(mechanism(scale * (1 - 1e-5)).guarantee(0.01), uses, BUDGET.delta).epsilon > 1.0


@pytest.mark.parametrize("mu", [1e-3, 1.0, 10.0, 100.0])
def test_noise_and_epsilon_of_a_gaussian_are_inverse_functions(mu):
    epsilon = gaussian_epsilon(mu, 1e-6)
    sigma = noise_for(lambda scale: Gaussian(scale).guarantee(1.0), 1, Budget(epsilon, 1e-6, Neighbours.ZERO_OUT))
    assert sigma * mu == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("population", [10, 1000])
def test_the_noise_on_a_sampled_record_spends_the_budget_and_less_violates_the_guarantee(population):
    uses = population**2

    def guarantee(scale):
        return SampledGaussianShift(1 / scale, population)

    scale = noise_for(guarantee, uses, BUDGET)
    assert 1 - 1e-5 < privacy_loss(guarantee(scale), uses, BUDGET.delta).epsilon <= 1.0
    assert privacy_loss(guarantee(scale / 1.001), uses, BUDGET.delta).epsilon > 1.0
    assert scale < 0.3 * noise_for(lambda scale: GaussianShift(1 / scale), uses, BUDGET)


@pytest.mark.parametrize("name", [name for name in MIXES if "sampled" not in name])
def test_one_factor_on_all_noise_spends_the_budget_of_all_parts(name):
    parts = MIXES[name]

    def epsilon(factor):
        return compose([(part.scaled(factor), count) for part, count in parts], BUDGET.delta).epsilon

    factor = noise_factor(parts, BUDGET)
    assert 1 - 1e-5 < epsilon(factor) <= 1.0
    assert epsilon(factor / 1.0001) > 1.0
    # a common unit changes nothing
    assert noise_factor([(part.scaled(0.1), count) for part, count in parts], BUDGET) == pytest.approx(
        10 * factor, rel=1e-6
    )


def test_noise_is_proportional_to_the_sensitivity_and_zero_where_nothing_is_asked_or_told():
    at = [noise_for(lambda lam, s=s: GumbelMin(lam).guarantee(s), 30, BUDGET) for s in (1.0, 0.25)]
    assert at[0] == 4 * at[1]
    assert noise_factor([], BUDGET) == 0
    assert noise_factor([(PureLoss(0.0), 3)], BUDGET) == 0
    assert noise_factor(MIXES["pure"], Budget(math.inf, 0.0, Neighbours.REPLACE_ONE)) == 0


def test_gaussian_noise_cannot_be_pure():
    pure = Budget(1.0, 0.0, Neighbours.REPLACE_ONE)
    with pytest.raises(InputError, match="Gaussian noise cannot satisfy delta=0"):
        noise_for(lambda lam: Gaussian(lam).guarantee(1.0), 10, pure)
    with pytest.raises(InputError, match="delta=0"):
        noise_factor(MIXES["pure_gaussian"], pure)
    assert noise_factor(MIXES["pure"], pure) == pytest.approx(2.0, rel=1e-6)


def test_an_infinite_sensitivity_is_never_left_out_of_the_sum():
    parts = [(PureLoss(0.1), 3), (GaussianShift(math.inf), 1)]
    assert compose(parts, 1e-6).epsilon == math.inf
    with pytest.raises(InputError, match="infinite sensitivity"):
        noise_factor(parts, BUDGET)


def test_what_cannot_be_composed_is_refused_with_the_value():
    with pytest.raises(InputError, match="uses=-1"):
        privacy_loss(PureLoss(1.0), -1, 1e-6)
    with pytest.raises(InputError, match="delta=1"):
        compose(MIXES["pure"], 1.0)


def test_no_use_spends_nothing():
    assert privacy_loss(PureLoss(1.0), 0, 1e-6).epsilon == 0
    assert privacy_loss(GaussianShift(0.0), 5, 0.0).epsilon == 0
    assert compose([], 0.0).conversion == "no use"


@pytest.mark.parametrize(
    ("epsilon", "delta", "word"),
    [(0, 0.1, "epsilon=0"), (math.nan, 0.1, "nan"), (1, 1, "delta=1"), (1, -0.1, "delta=-0.1")],
)
def test_a_budget_outside_its_range_is_refused_with_the_value(epsilon, delta, word):
    with pytest.raises(InputError, match=word):
        Budget(epsilon, delta, Neighbours.REPLACE_ONE)
