"""What is taken from `dp_accounting`, held against its definition: a convention that changes upstream fails here."""

from __future__ import annotations

import dp_accounting.dp_event as events
import pytest
from dp_accounting import NeighboringRelation
from dp_accounting.rdp import RdpAccountant

from dprepro.mechanisms import BoundedRange, GaussianShift, PureLoss, SampledGaussianShift
from dprepro.privacy import accounting

ORDERS = (2.0, 8.0)


def divergences(event: events.DpEvent) -> list[float]:
    """Of Renyi, under replacement, at both orders, as accounts of the project ask for them."""
    accountant = RdpAccountant(ORDERS, NeighboringRelation.REPLACE_ONE)
    accountant.compose(event)
    return list(accountant._rdp)


def test_a_gaussian_under_replacement_takes_its_sensitivity_as_it_is_given() -> None:
    """N(0, s^2) beside N(1, s^2) has alpha/(2 s^2); with a sensitivity doubled upstream it would be 2 alpha/s^2."""
    assert divergences(events.GaussianDpEvent(2.0)) == pytest.approx([alpha / 8 for alpha in ORDERS])
    assert divergences(GaussianShift(0.5).event()) == pytest.approx([alpha / 8 for alpha in ORDERS])


def test_a_sample_of_all_records_has_no_less_than_the_gaussian_itself() -> None:
    whole = divergences(SampledGaussianShift(0.5, 1).event())
    assert all(found >= alpha / 8 * (1 - 1e-9) for found, alpha in zip(whole, ORDERS, strict=True))


def test_zcdp_is_its_rho_times_alpha() -> None:
    for guarantee, rho in ((BoundedRange(0.4), 0.4**2 / 8), (PureLoss(5e-4), 5e-4**2 / 2)):
        assert divergences(guarantee.event()) == pytest.approx([rho * alpha for alpha in ORDERS])


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-12])
def test_lines_of_renyi_divergence_are_converted_to_the_bits_of_dp_accounting(delta: float) -> None:
    for eta, uses in ((1e-4, 10**6), (0.01, 300), (0.3, 17), (2.0, 3), (5.0, 40)):
        parts = ((BoundedRange(eta), uses), (BoundedRange(eta / 3), 2 * uses))
        for some in (parts[:1], parts):
            found = accounting._converted(some, accounting.COARSE_ORDERS, delta)
            accountant = accounting._accountant(some, accounting.COARSE_ORDERS)
            assert found == accountant.get_epsilon_and_optimal_order(delta)
