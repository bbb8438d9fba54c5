"""Replicates that are not independent draws are noticed; those that are, are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, kstest

from dprepro.analysis.independence import dependence, friedman
from dprepro.axes import DEFAULTS


def frame(noise: np.ndarray, deterministic: bool = False, series: str = "one") -> pd.DataFrame:
    """Risks 1/n exp(noise) at noise.shape[0] values of n with noise.shape[1] replicates."""
    rows = [
        {
            "series": series, **DEFAULTS, "n": 10.0 ** (3 + point), "replicate": replicate, "quantity": "excess_risk",
            "value": 10.0 ** -(3 + point) * np.exp(noise[point, replicate]), "status": "ok",
            "deterministic": deterministic, "key": f"{series}{point},{replicate}",
        }
        for point in range(noise.shape[0])
        for replicate in range(noise.shape[1])
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_independent_replicates_are_not_suspected() -> None:
    rng = np.random.default_rng(0)
    for shape in ((7, 4), (12, 2), (1, 50), (30, 200)):
        assert not dependence(frame(rng.standard_t(3, shape)))


def test_replicates_that_share_their_random_numbers_over_the_grid_are_noticed() -> None:
    rng = np.random.default_rng(1)
    shared = np.repeat(rng.standard_normal((1, 20)), 7, axis=0) + 0.1 * rng.standard_normal((7, 20))
    assert "share" in dependence(frame(shared))


def test_few_replicates_of_many_series_are_enough() -> None:
    rng = np.random.default_rng(2)
    several = [frame(np.repeat(rng.standard_normal((1, 4)), 6, axis=0), series=f"series {k}") for k in range(6)]
    assert "share" in dependence(pd.concat(several, ignore_index=True))


def test_equal_replicates_everywhere_are_noticed() -> None:
    assert "equal" in dependence(frame(np.zeros((7, 4))))


def test_an_answer_that_loses_nothing_is_no_repetition() -> None:
    assert not dependence(frame(np.full((7, 4), -np.inf)))


def test_equal_replicates_of_one_series_beside_others_are_not() -> None:
    both = [frame(np.zeros((7, 4)), series="discrete"), frame(np.random.default_rng(3).standard_normal((7, 4)))]
    assert not dependence(pd.concat(both, ignore_index=True))


def test_a_deterministic_series_may_repeat_itself() -> None:
    assert not dependence(frame(np.zeros((7, 4)), deterministic=True))
    assert not dependence(frame(np.zeros((7, 4))).drop(columns="deterministic"))


def test_a_measurement_under_two_labels_counts_once() -> None:
    once = frame(np.random.default_rng(4).standard_normal((7, 8)))
    twice = pd.concat([once, once.assign(series="another label")], ignore_index=True)
    assert dependence(twice) == dependence(once) == ""


@pytest.mark.parametrize("shape", [(10, 5), (40, 20)])
def test_the_statistic_has_a_chi_square_law(shape: tuple[int, int]) -> None:
    """At most 1 of 1000 choices of the seed would fail."""
    rng = np.random.default_rng(5)
    found = [friedman(rng.standard_normal(shape))[0] for _ in range(400)]
    assert kstest(found, chi2(shape[1] - 1).cdf).pvalue > 1e-3
