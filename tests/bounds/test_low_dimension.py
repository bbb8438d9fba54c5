"""The lower bound in low dimension: its data, record by record, and its level by a linear programme of answers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from dprepro.algorithms import DirectionCounts, ExactMinimiser
from dprepro.bounds import low_dimension
from dprepro.bounds.low_dimension import Instance
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import SignedDirections
from dprepro.errors import InputError, PremiseError
from dprepro.problems import Records

POINT = {"n": 2e6, "p": 65.0, "epsilon": 1e-2, "delta": 1e-9, "norm": 4.0}


@pytest.mark.parametrize(
    ("d", "flips", "radius", "label", "bound", "n"),
    [(4, 10, 3.0, 1.0, 1.0, 3000), (16, 4, 0.2, 1.0, 2.0, 2000), (9, 5, 5.0, 2.0, 1.0, 4000), (2, 1, 0.1, 1.0, 1.0, 9)],
)
def test_the_risk_of_the_records_is_the_completed_square_and_the_minimiser_has_norm_b(
    d: int, flips: int, radius: float, label: float, bound: float, n: int
) -> None:
    family = SignedDirections(feature_bound=bound, label_bound=label, flips=flips)
    rng = np.random.default_rng(d)
    point = {"n": float(n), "p": d + 1.0, "epsilon": 0.1, "delta": 0.0, "norm": radius}
    hidden = family.challenge(point, 0.0, rng)
    records = hidden.problem.records.records
    x, y, weights = records.features, records.targets, records.copies / n
    assert records.copies.sum() == pytest.approx(n)
    assert np.linalg.norm(x, axis=1).max() <= bound * (1 + 1e-12)
    least = np.linalg.solve((x.T * weights) @ x, (x.T * weights) @ y)
    assert np.linalg.norm(least) == pytest.approx(radius, rel=1e-9)

    def risk(w: np.ndarray) -> float:
        return float(weights @ (x @ w - y) ** 2)

    for _ in range(3):
        w = rng.normal(size=d + 1) * radius
        assert hidden.risk(w) == pytest.approx(risk(w) - risk(least), rel=1e-9)
        assert hidden.problem.excess_risk(w) == pytest.approx(hidden.risk(w), rel=1e-6)


def test_data_sets_of_neighbouring_signs_differ_in_d_records() -> None:
    family = SignedDirections(flips=6)
    data = family.instance(POINT | {"p": 5.0})
    signs = np.ones(4)
    other = signs * [1, -1, 1, 1]
    first, second = (family.records(data, some).merged() for some in (signs, other))
    assert np.array_equal(first.features, second.features)
    moved = first.copies - second.copies
    assert moved[moved > 0].sum() == 6 == -moved[moved < 0].sum()


def test_no_private_mechanism_on_a_grid_of_answers_is_below_the_level_and_at_one_record_one_attains_it() -> None:
    """A linear programme over all private mechanisms of answers on a grid: two signs, one record tells a sign."""
    for epsilon, delta in ((0.7, 0.0), (1.5, 0.01)):
        data = Instance(40.0, 2, 1, 2.0, 0.5, 1.0)
        level = data.level(epsilon, delta)
        worlds = list(itertools.product((-1, 1), repeat=2))
        hidden = 1 / math.cosh(epsilon / 2) ** 2
        pulled = hidden * 2 * data.pull * data.tilt**2
        slopes = data.slope * np.array([0.0, data.bend / (data.bend + pulled), 1.0])
        reach = data.tilt * math.tanh(epsilon / 2)
        answers = [
            (first, one, two)
            for first in slopes
            for one in first * reach * np.array([-1, -0.5, 0, 0.5, 1])
            for two in first * reach * np.array([-1, -0.5, 0, 0.5, 1])
        ]
        answers += [(data.slope, -a * data.tilt * data.slope, -b * data.tilt * data.slope) for a, b in worlds]
        costs = np.array(
            [
                [
                    data.bend * (w[0] - data.slope) ** 2
                    + data.pull * sum((w[j + 1] + signs[j] * data.tilt * w[0]) ** 2 for j in range(2))
                    for w in answers
                ]
                for signs in worlds
            ]
        )
        count = len(answers)
        pairs = [(i, k) for i in range(4) for k in range(4) if sum(np.abs(np.subtract(worlds[i], worlds[k]))) == 2]
        size = 4 * count + len(pairs) * count  # laws, and what exceeds e^epsilon times the other
        above, limits = [], []
        for place, (i, k) in enumerate(pairs):
            rows = np.zeros((count, size))
            rows[:, i * count : (i + 1) * count] = np.eye(count)
            rows[:, k * count : (k + 1) * count] = -math.exp(epsilon) * np.eye(count)
            start = 4 * count + place * count
            rows[:, start : start + count] = -np.eye(count)
            total = np.zeros((1, size))
            total[0, start : start + count] = 1
            above += [rows, total]
            limits += [np.zeros(count), [delta]]
        equal = np.zeros((4, size))
        for i in range(4):
            equal[i, i * count : (i + 1) * count] = 1
        found = linprog(
            np.append(costs.ravel() / 4, np.zeros(size - 4 * count)), np.vstack(above), np.concatenate(limits), equal,
            np.ones(4),
        )  # fmt: skip
        assert found.status == 0
        assert found.fun >= level * (1 - 1e-9)
        if delta == 0:  # randomised response to both signs
            assert found.fun == pytest.approx(level, rel=1e-6)


def test_the_records_needed_are_the_least_that_have_a_feature_within_its_bound() -> None:
    """By a scan over features, for short and long minimisers: just above it the norm is reached, below it is not."""
    places = np.linspace(1e-4, 1, 4001)
    for radius in (0.02, 0.2, 0.7, 0.8, 3.0):
        needed = low_dimension.needed(17, 0.1, 2.0, radius, 1.0)
        data = Instance(1.001 * needed, 16, 10, 2.0, radius, 1.0)
        assert 0 < data.feature <= 1
        share = 1.001, 0.99
        most = [
            max(low_dimension.reached(17, 0.1, 2.0, radius, 1.0, some, place) for place in places) for some in share
        ]
        assert most[0] > 1 > most[1]
        with pytest.raises(ValueError, match="fewer"):
            Instance(0.999 * needed, 16, 10, 2.0, radius, 1.0).level(0.1, 0.0)
    with pytest.raises(PremiseError, match="fewer"):
        SignedDirections().instance(POINT | {"n": 1e5})


def test_the_constant_is_what_the_derivation_says() -> None:
    """.0983 in the limit and no more, .085 from d = 16 on."""
    size = {"smoothness": 2.0, "radius": 1.0, "label_level": 1.0}
    far = low_dimension.level(1e30, 1e8 + 1, 1e-6, 0.0, **size) / low_dimension.rate(1e30, 1e8 + 1, 1e-6, 2.0, 1.0)
    assert far == pytest.approx(1 / (8 * math.cosh(0.5) ** 2), rel=1e-4)
    assert low_dimension.level(1e9, 17, 0.0501, 5e-4, **size) / low_dimension.rate(1e9, 17, 0.0501, 2.0, 1.0) >= 0.085


def test_what_is_stated_is_below_the_level_and_what_is_supposed_above_what_is_needed() -> None:
    """At the corner where the constant is least; for short and for long minimisers."""
    size = {"smoothness": 2.0, "radius": 1.0, "label_level": 1.0}
    level = low_dimension.level(1e9, 17, 0.0501, 5e-4, **size)
    assert 0.9 * level < low_dimension.stated(1e9, 17, 0.0501, 2.0, 1.0) <= level
    for radius in (1e-3, 0.7, 1.0, 1e3):
        beside = size | {"radius": radius}
        assert low_dimension.needed(3, 0.1, **beside) <= low_dimension.supposed(3, 0.1, **beside)


def test_counts_of_directions_come_near_the_level_and_the_minimiser_is_far_below() -> None:
    """300 answers have a standard error of .007; 4 of them."""
    family, rng = SignedDirections(), np.random.default_rng(1)
    budget = Budget(POINT["epsilon"], POINT["delta"], Neighbours.REPLACE_ONE)

    def shares(algorithm: DirectionCounts | ExactMinimiser, runs: int) -> np.ndarray:
        found = []
        for _ in range(runs):
            hidden = family.challenge(POINT, 0.0, rng)
            found.append(hidden.risk(algorithm.solve(hidden.problem, budget, rng).theta) / hidden.level)
        return np.array(found)

    counts = shares(DirectionCounts(), 300)
    error = counts.std(ddof=1) / math.sqrt(300)
    assert 1 - 4 * error < counts.mean() < 1.08 + 4 * error
    assert shares(ExactMinimiser(), 3).max() < 1e-9


def test_replacing_any_record_moves_the_counts_by_two_at_most() -> None:
    rng = np.random.default_rng(0)
    kinds = np.array([[1, 1, 0, 0], [1, -1, 0, 0], [-1, 0.5, 2, -2], [0, 1, 1, 1], [1, 0, 0, 0], [2, 1, 1, 1.0]])
    moved = []
    for _ in range(200):
        rows = np.where(rng.random((5, 1)) < 0.5, kinds[rng.integers(6, size=5)], rng.normal(size=(5, 4)))
        other = np.vstack([kinds[rng.integers(6)], rows[1:]])
        moved.append(np.abs(DirectionCounts.counts(Records(rows)) - DirectionCounts.counts(Records(other))).sum())
    assert max(moved) == 2
    domain = SignedDirections().domain(POINT)
    privacy_loss = DirectionCounts().privacy_loss(domain, Budget(0.5, 0.0, Neighbours.REPLACE_ONE))
    assert privacy_loss.epsilon == pytest.approx(0.5)
    with pytest.raises(InputError, match="p=1"):
        DirectionCounts().schedule(
            SignedDirections().domain(POINT | {"p": 1.0}), Budget(0.5, 0.0, Neighbours.REPLACE_ONE)
        )
