import math

import pytest

from dprepro.errors import InputError
from dprepro.mechanisms import BoundedRange, Gaussian, GaussianShift, GumbelMin, Laplace, LaplaceMin, PureLoss
from dprepro.mechanisms import SampledGaussianShift as Sampled

ALL = [PureLoss(0.3), BoundedRange(0.3), GaussianShift(0.3), Sampled(0.3, 50)]


@pytest.mark.parametrize("mechanism", [Laplace, Gaussian, LaplaceMin, GumbelMin])
def test_a_guarantee_scales_as_its_mechanism_does(mechanism):
    assert mechanism(2.0).guarantee(0.5).scaled(4.0) == mechanism(8.0).guarantee(0.5)


@pytest.mark.parametrize("guarantee", ALL)
def test_scaling_there_and_back_leaves_a_guarantee(guarantee):
    assert guarantee.scaled(8.0).loss == guarantee.loss / 8
    assert guarantee.scaled(8.0).scaled(0.125) == guarantee
    assert guarantee.scaled(guarantee.loss).loss == 1


@pytest.mark.parametrize("guarantee", ALL)
def test_exactly_one_pair_dominates_each_guarantee(guarantee):
    assert math.isfinite(guarantee.pure_loss) != math.isfinite(guarantee.shift)


@pytest.mark.parametrize("loss", [-0.1, math.nan])
@pytest.mark.parametrize("kind", [PureLoss, BoundedRange, GaussianShift, lambda mu: Sampled(mu, 10)])
def test_a_loss_that_is_no_loss_is_refused(kind, loss):
    with pytest.raises(InputError, match="must be at least 0"):
        kind(loss)
