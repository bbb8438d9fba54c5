"""Rounding tells neighbours apart where noise is added to floats, and does not on one grid."""

from __future__ import annotations

import numpy as np
import pytest

from dprepro.auditing.supports import Additive, compared, last_bits, mechanisms, rounded_to
from dprepro.privacy.audit import audit

BY_NAME = {mechanism.name: mechanism for mechanism in mechanisms()}


def test_the_last_bit_is_the_power_of_two_of_which_a_float_is_an_odd_multiple() -> None:
    values = np.array([1.0, 3.0, 0.75, -6.0, 2.0**-1074, 0.1, 2.0**53 + 2, 0.0])
    expected = [0, 0, -2, 1, -1074, -55, 1, 1100]
    assert last_bits(values).tolist() == expected
    some = np.random.default_rng(0).standard_normal(500)
    units = some / 2.0 ** last_bits(some)
    assert np.array_equal(units % 2, np.ones(500))


@pytest.mark.parametrize("name", ["dprepro Laplace", "dprepro Gaussian", "numpy Laplace"])
def test_rounding_tells_answers_of_additive_noise_apart(name: str) -> None:
    found = compared(BY_NAME[name], 8000)
    assert found.verdict == "different"
    assert found.epsilon > 3
    assert found.only > 0.03


def test_last_bits_of_gaussian_sums_tell_more_than_one_at_the_delta_that_gaussian_noise_is_promised_at() -> None:
    bits = [
        last_bits(BY_NAME["dprepro Gaussian"].release(value, 20_000, place)) for place, value in enumerate((0.0, 1.0))
    ]
    limits = [audit(bits[0][:, None], bits[1][:, None], delta).epsilon for delta in (0.0, 1e-3)]
    assert limits[0] - 0.1 < limits[1] < limits[0]
    assert limits[1] > 4


def test_a_sum_near_one_is_a_multiple_of_the_last_bit_of_one_half_and_a_small_noise_is_not() -> None:
    noise = np.random.default_rng(0).laplace(size=100_000)
    assert last_bits(1 + noise).min() >= -53
    assert last_bits(1 + noise * 2.0 ** np.random.default_rng(1).integers(-60, 9, noise.size)).min() >= -53
    # noise from 2^-j-1 to 2^-j is a multiple of 2^-54-j, of which one in 2^j is one of 2^-53-1
    starts = 2.0 ** -np.arange(1, 60)
    share = float(((np.exp(-starts / 2) - np.exp(-starts)) * (1 - starts)).sum())
    assert share == pytest.approx(0.272, abs=5e-4)
    # five standard errors: a right law is refused once in two million seeds
    assert (last_bits(noise) < -53).mean() == pytest.approx(share, abs=5 * 0.5 / noise.size**0.5)


def test_on_one_grid_rounding_tells_nothing() -> None:
    """The level of each limit is .99, seeds are fixed."""
    assert [compared(rounded_to(2.0**-20), 8000, seed).epsilon > 1 for seed in range(5)] == [False] * 5


def test_a_set_of_values_that_one_data_set_never_has_is_told_from_one_that_both_have() -> None:
    fair = Additive(
        "coins", "numpy", lambda value, draws, seed: np.random.default_rng(seed).integers(1, 9, draws) * 1.0
    )
    assert compared(fair, 4000).epsilon == 0

    def parity(value: float, draws: int, seed: int) -> np.ndarray:
        return 2.0 * np.random.default_rng(seed).integers(1, 9, draws) + value

    assert compared(Additive("parity", "numpy", parity), 4000).only == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what libraries warn of is their own affair
@pytest.mark.parametrize(
    ("name", "different"),
    [("opendp laplace", False), ("diffprivlib Laplace", True), ("diffprivlib Snapping", False), ("opacus noise", True)],
)
def test_libraries_whose_supports_are_one_and_those_whose_are_not(name: str, different: bool) -> None:
    pytest.importorskip(BY_NAME[name].package, reason=f"{BY_NAME[name].package} is not installed")
    assert (compared(BY_NAME[name], 20_000).verdict == "different") is different
