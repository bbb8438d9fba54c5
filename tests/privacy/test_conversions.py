import math
from itertools import permutations

import numpy as np
import pytest

from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import PureLoss
from dprepro.privacy import PrivacyLoss, budget_under, converted, privacy_loss

REPLACE, ZERO, ADD = Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT, Neighbours.ADD_OR_REMOVE_ONE


def delta_between(p, q, epsilon):
    return max(float(np.maximum(a - math.exp(epsilon) * b, 0).sum()) for a, b in ((p, q), (q, p)))


def test_n_is_public_unless_records_come_and_go():
    assert [relation.n_is_public for relation in (REPLACE, ZERO, ADD)] == [True, True, False]


@pytest.mark.parametrize("native", [ZERO, ADD])
@pytest.mark.parametrize("seed", range(20))
def test_a_replacement_costs_at_most_two_zero_outs_of_any_small_mechanism(seed, native):
    """Laws of the answers on D, on D with the record silenced, and on D with another record."""
    rng = np.random.default_rng(seed)
    one, silent, other = rng.dirichlet(np.full(4, rng.uniform(0.3, 5)), size=3)
    for epsilon in (0.1, 0.5, 2.0):
        delta = max(delta_between(one, silent, epsilon), delta_between(silent, other, epsilon))
        claim = converted(PrivacyLoss(epsilon, delta, "enumerated"), native, REPLACE)
        assert claim.epsilon == 2 * epsilon
        assert delta_between(one, other, claim.epsilon) <= claim.delta + 1e-15


@pytest.mark.parametrize(("epsilon", "delta"), [(0.2, 0.01), (1.0, 1e-3), (2.0, 1e-6)])
def test_the_conversion_is_attained_so_that_a_smaller_factor_would_be_false(epsilon, delta):
    factor = 1 + math.exp(epsilon)
    one, silent, other = (np.array([mass, 1 - mass]) for mass in (factor * delta, delta, 0.0))
    assert max(delta_between(one, silent, epsilon), delta_between(silent, other, epsilon)) <= delta * (1 + 1e-12)
    claim = converted(PrivacyLoss(epsilon, delta, "made up"), ZERO, REPLACE)
    assert delta_between(one, other, claim.epsilon) == pytest.approx(claim.delta, rel=1e-9)
    assert delta_between(one, other, claim.epsilon) > 2 * delta  # doubling delta does not do


@pytest.mark.parametrize("native", [ZERO, ADD])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.01, 0.3), (20.0, 1e-9), (1.0, 0.0), (3000.0, 1e-6)])
def test_a_budget_and_what_it_buys_are_inverse(native, epsilon, delta):
    inner = budget_under(native, Budget(epsilon, delta, REPLACE))
    assert inner.neighbours is native
    assert inner.epsilon == epsilon / 2
    back = converted(PrivacyLoss(inner.epsilon, inner.delta, "exact"), native, REPLACE)
    assert (back.epsilon, back.delta) == pytest.approx((epsilon, delta), rel=1e-12)


def test_the_answer_names_the_conversion():
    certified = privacy_loss(PureLoss(0.5), 1, 0.0)
    assert converted(certified, ZERO, REPLACE).conversion == (
        "sum of pure losses; zero_out to replace_one: at most two zero-outs, (2 epsilon, (1 + exp(epsilon)) delta)"
    )
    assert "a removal and an addition" in converted(certified, ADD, REPLACE).conversion
    assert "lies in the domain" in converted(certified, REPLACE, ZERO).conversion
    assert "adds nothing to a sum" in converted(certified, ADD, ZERO, sums_only=True).conversion


def test_what_holds_for_more_neighbours_holds_for_fewer():
    certified = PrivacyLoss(1.0, 1e-6, "x")
    for native, asked, sums_only in [(REPLACE, ZERO, False), (ADD, ZERO, True)]:
        same = converted(certified, native, asked, sums_only=sums_only)
        assert (same.epsilon, same.delta) == (1.0, 1e-6)
        budget = budget_under(native, Budget(1.0, 1e-6, asked), sums_only=sums_only)
        assert budget == Budget(1.0, 1e-6, native)
    for relation in Neighbours:
        assert converted(certified, relation, relation) is certified
    assert converted(certified, ADD, ZERO).epsilon == 2.0  # not known to read sums only


def test_without_privacy_there_is_nothing_to_share():
    assert budget_under(ZERO, Budget(math.inf, 0.1, REPLACE)) == Budget(math.inf, 0.1, ZERO)
    assert converted(PrivacyLoss(800.0, 0.5, "x"), ZERO, REPLACE).delta == 1.0


def test_nothing_with_a_public_n_is_private_where_n_is_private():
    """Publishing n is private under both of the others, and under this one it is not."""
    for native, asked in permutations(Neighbours, 2):
        if asked is ADD:
            with pytest.raises(InputError, match=f"{native} says nothing under neighbours=add_or_remove_one"):
                converted(PrivacyLoss(1.0, 0.0, "x"), native, asked)
            with pytest.raises(InputError, match="n is private"):
                budget_under(native, Budget(1.0, 0.0, asked))
