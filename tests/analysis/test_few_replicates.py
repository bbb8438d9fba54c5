"""Two replicates at six points: true claims are refuted at the nominal level, whatever the rule.

Each number of false alarms among `DRAWS` true claims is held against the quantile of the binomial law with probability
1% that is exceeded with probability 1e-4.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import decades, make_frame
from scipy.stats import binom

from dprepro.analysis.checks import build
from dprepro.analysis.fits import Interval, NotEnoughError, fit_bend, fit_mean, fit_slope, fit_step, replicate_errors
from dprepro.analysis.inequality import half_widths

POINTS, REPLICATES, DRAWS = 6, 2, 1500
MOST = int(binom.ppf(1 - 1e-4, DRAWS, 0.01))
X = np.linspace(0.0, 5.0, POINTS)
SPREADS = {"equal": np.full(POINTS, 0.1), "four times larger at the ends": np.array([0.4, 0.1, 0.1, 0.1, 0.1, 0.4])}

Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], Interval]
FITS: dict[str, Fit] = {
    "exponent": lambda y, error, count: fit_slope(X, y, error, count),
    "ratio to a law": lambda y, error, count: fit_mean(y, error, count),
    "ratio of two series": lambda y, error, count: fit_step(y, X > 2.5, X % 3, error, count, X > 2.5),
    "affine": lambda y, error, count: fit_bend(1 + X, (1 + X) * (1 + 0.03 * y), (1 + X) * 0.03 * error, count),
}


def drawn(spread: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Deviations of the points in the logarithm, and standard errors from their two replicates."""
    values = spread[:, None] * np.random.default_rng(seed).standard_normal((POINTS, REPLICATES))
    return values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(REPLICATES)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("rule", FITS)
def test_a_true_claim_is_refuted_in_one_percent_of_data_sets(rule: str, spread: str) -> None:
    count, alarms = np.full(POINTS, float(REPLICATES)), 0
    for seed in range(DRAWS):
        with suppress(NotEnoughError):  # which is inconclusive
            found = FITS[rule](*drawn(SPREADS[spread], seed), count)
            alarms += not found.low <= 0 <= found.high
    assert alarms <= MOST


@pytest.mark.parametrize("spread", SPREADS)
def test_replicates_alone_have_limits_of_the_nominal_level_for_a_slope(spread: str) -> None:
    """Without the misfit, which covers for them elsewhere."""
    weights, count, alarms = (X - X.mean()) / np.sum((X - X.mean()) ** 2), np.full(POINTS, float(REPLICATES)), 0
    for seed in range(DRAWS):
        y, error = drawn(SPREADS[spread], seed)
        errors = replicate_errors(error, count)
        assert errors is not None
        alarms += bool(abs(weights @ y) > errors.half_width(weights, 0.99))
    assert alarms <= MOST


@pytest.mark.parametrize("spread", SPREADS)
def test_a_bound_that_is_attained_everywhere_is_refuted_in_one_percent_of_data_sets(spread: str) -> None:
    alarms = 0
    for seed in range(DRAWS):
        y, error = drawn(SPREADS[spread], seed)
        half = half_widths(pd.DataFrame({"mean": 1 + y, "error": error, "count": REPLICATES}), POINTS)
        alarms += bool((y > half).any())
    assert alarms <= MOST


def test_a_pool_has_the_degrees_of_freedom_of_all_its_points_and_no_other_series() -> None:
    """Their mean squared standardised deviation is that of Student's t with 12 degrees of freedom, 1.2."""
    error, count = np.array([1.0, 3.0, np.nan, 10.0, 10.0]), np.array([2.0, 2.0, 1.0, 3.0, 3.0])
    errors = replicate_errors(error, count, ["a", "a", "a", "b", "b"])
    assert errors is not None
    assert errors.pool_freedom.tolist() == [2, 2, 2, 4, 4]
    assert errors.pooled == pytest.approx([5**0.5, 5**0.5, 10**0.5, 10, 10])
    assert errors.own == pytest.approx([1, 3, 10**0.5, 10, 10])
    squares = []
    for seed in range(DRAWS):
        both = [drawn(SPREADS["equal"], 2 * seed + half) for half in (0, 1)]
        y, own = (np.concatenate([one[part] for one in both]) for part in (0, 1))
        found = replicate_errors(own, np.full(2 * POINTS, 2.0))
        assert found is not None
        squares.append(np.mean((y / found.pooled) ** 2))
    assert np.mean(squares) == pytest.approx(1.2, abs=5 * np.std(squares) / DRAWS**0.5)


def crossing_frame(seed: int) -> pd.DataFrame:
    """Two curves that cross at p = sqrt(n), for six n."""
    points = [{"n": at["n"], "p": p} for at in decades("n", 4, 8, POINTS) for p in 10.0 ** np.arange(1, 6)]
    values = {"rising": lambda at: at["p"] / at["n"], "flat": lambda at: at["n"] ** -0.5}
    frames = [
        make_frame(points, value, series=name, noise=0.1, replicates=REPLICATES, seed=2 * seed + i)
        for i, (name, value) in enumerate(values.items())
    ]
    return pd.concat(frames)


def test_a_true_place_of_a_crossing_is_refuted_in_one_percent_of_data_sets() -> None:
    """In none of 60: more than 5 of them would be an accident of probability 3e-5."""
    rule = {"rule": "crossing", "role": "claim", "series": "rising", "against": "flat", "expected": 0.5, "margin": 0}
    found = [build("it", rule).judge(crossing_frame(seed)) for seed in range(60)]
    assert sum(one.low is None for one in found) == 0
    assert sum(one.verdict == "refuted" for one in found) <= 5
