"""Risks and errors on a table, held against a computation that shares no line with the package."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from dprepro.algorithms import ConstantPrediction, SufficientStatistics
from dprepro.algorithms.base import Algorithm
from dprepro.budget import Budget, Neighbours
from dprepro.practice.table import File

EPSILON, DELTA, DRAWS = 1.0, 1e-6, 150
LEVELS, DAY = ["low", "mid", "high"], pd.Timestamp("2020-01-01")
SCHEMA = """\
target: cost
columns:
  age: {range: [18, 98], missing: drop}
  level: {categories: [low, mid, high], missing: indicator}
  seen: {since: 2020-01-01, until: 2020-12-31}
  cost: {range: [0, 100]}
"""
Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def raw() -> pd.DataFrame:
    rng, rows = np.random.default_rng(5), 3000
    age, level = rng.integers(15, 101, rows).astype(float), rng.choice(LEVELS, rows)
    days = rng.integers(0, 366, rows)
    cost = 20 + 0.4 * (age - 18) + 20 * (level == "high") + 0.03 * days + 8 * rng.standard_normal(rows)
    frame = pd.DataFrame({"age": age, "level": level, "seen": (DAY + pd.to_timedelta(days, "D")).astype(str)})
    frame["cost"] = np.clip(cost, 0, 110)
    frame.loc[rng.random(rows) < 0.05, "level"] = None
    frame.loc[rng.random(rows) < 0.05, "age"] = None
    return frame


@pytest.fixture(scope="module")
def table(raw: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> File:
    folder: Path = tmp_path_factory.mktemp("table")
    raw.to_csv(folder / "t.csv", index=False)
    (folder / "t.yaml").write_text(SCHEMA, encoding="utf-8")
    return File(path=str(folder / "t.csv"), schema=str(folder / "t.yaml"), constraint_set="l2_ball")


def by_hand(raw: pd.DataFrame) -> tuple[Array, Array]:
    """Features and labels in [-1, 1]: intercept, age, three levels, the indicator, the day."""
    kept = raw[raw["age"].notna()]
    age = 2 * (kept["age"].clip(18, 98) - 18) / 80 - 1
    day = 2 * (pd.to_datetime(kept["seen"]) - DAY).dt.days / 365 - 1
    levels = [(kept["level"] == level).astype(float) for level in LEVELS]
    x = np.column_stack([np.ones(len(kept)), age, *levels, kept["level"].isna().astype(float), day])
    return x, np.asarray(2 * kept["cost"].clip(0, 100) / 100 - 1, dtype=float)


def in_ball(gram: Array, cross: Array) -> Array:
    """argmin t^T G t - 2 c^T t over the unit ball, by bisection of the multiplier."""
    values, vectors = np.linalg.eigh(gram)
    turned = vectors.T @ cross

    def at(more: float) -> Array:
        return np.asarray(turned / (values + more))

    low, high = max(0.0, -float(values[0])) + 1e-12, 1e6
    if values[0] > 0 and np.linalg.norm(at(0.0)) <= 1:
        return np.asarray(vectors @ at(0.0))
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if np.linalg.norm(at(middle)) > 1 else (low, middle)
    return np.asarray(vectors @ at(high))


def gaussian_scale(sensitivity: float) -> float:
    """Balle and Wang (2018), Theorem 8: the least standard deviation for (EPSILON, DELTA), by bisection."""
    cdf, low, high = NormalDist().cdf, 1e-9, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        half, shift = sensitivity / (2 * middle), EPSILON * middle / sensitivity
        short = cdf(half - shift) - math.exp(EPSILON) * cdf(-half - shift) > DELTA
        low, high = (middle, high) if short else (low, middle)
    return high


def noisy_moments(x: Array, y: Array, rng: np.random.Generator) -> Array:
    """Least squares from noisy moments: symmetric noise, off the diagonal smaller by sqrt 2, an adapted ridge."""
    n, p = x.shape
    length, cosine = math.sqrt(5), 1 / 10  # five entries at most 1 in absolute value; labels in [-1, 1]
    moved = length * math.sqrt((2 - 2 * cosine**2) * length**2 + (2 + 2 * cosine)) / n
    sigma = gaussian_scale(moved)
    noise = np.triu(rng.standard_normal((p, p)) * sigma, 1) / math.sqrt(2)
    gram = x.T @ x / n + noise + noise.T + np.diag(sigma * rng.standard_normal(p))
    ridge = max(0.0, 2 * sigma * math.sqrt(p) - float(np.linalg.eigvalsh(gram)[0]))
    return in_ball(gram + ridge * np.eye(p), x.T @ y / n + sigma * rng.standard_normal(p))


def private_mean(x: Array, y: Array, rng: np.random.Generator) -> Array:
    """The mean label with Laplace noise of scale 2/(n epsilon), clipped."""
    return np.eye(x.shape[1])[0] * float(np.clip(y.mean() + rng.laplace(scale=2 / (len(y) * EPSILON)), -1, 1))


@pytest.mark.parametrize(
    ("algorithm", "own"), [(SufficientStatistics(), noisy_moments), (ConstantPrediction(), private_mean)]
)
def test_mean_excess_risks_agree_with_a_computation_by_hand_within_three_standard_errors(
    raw: pd.DataFrame, table: File, algorithm: Algorithm, own: object
) -> None:
    """At this seed; by chance 0.3% of seeds would not."""
    x, y = by_hand(raw)
    problem = table.build(table.resolve({"n": 1e9, "p": 1.0}), 0.0)
    assert (problem.domain.n, problem.domain.p) == x.shape
    least = float(np.mean((x @ in_ball(x.T @ x / len(y), x.T @ y / len(y)) - y) ** 2))
    assert problem.dense.minimum.value == pytest.approx(least, rel=1e-8)
    budget, rng = Budget(EPSILON, DELTA, Neighbours.REPLACE_ONE), np.random.default_rng(11)
    ours = [problem.excess_risk(algorithm.solve(problem, budget, rng).theta) for _ in range(DRAWS)]
    theirs = [float(np.mean((x @ own(x, y, rng) - y) ** 2)) - least for _ in range(DRAWS)]  # type: ignore[operator]
    error = math.hypot(np.std(ours, ddof=1), np.std(theirs, ddof=1)) / math.sqrt(DRAWS)
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * error
