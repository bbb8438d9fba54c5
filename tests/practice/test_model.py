"""Intervals of the coefficients of a released model hold the coefficients of the fit without noise."""

from __future__ import annotations

import numpy as np
import pytest

from dprepro.algorithms import (
    Algorithm,
    ConstantPrediction,
    FullGradient,
    NoisySGD,
    ObjectivePerturbation,
    RegularisedOutputPerturbation,
    RegularisedRelease,
)
from dprepro.budget import Budget, Neighbours
from dprepro.practice.model import fit, halves, moved, own_units
from dprepro.practice.schema import Schema
from dprepro.practice.table import File
from dprepro.support import typed

BUDGET = Budget(2.0, 1e-6, Neighbours.REPLACE_ONE)
COLUMNS = {"y": {"range": [0, 100]}, "a": {"range": [10, 50]}, "c": {"categories": ["u", "v"], "missing": "indicator"}}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> File:
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("model") / "t.csv"
    a = rng.uniform(10, 50, 3000)
    rows = [f"{min(100.0, 10 + x + 5 * z)},{x},{'uv'[z]}" for x, z in zip(a, rng.integers(0, 2, 3000), strict=True)]
    path.write_text("\n".join(["y,a,c", *rows]), "utf-8")
    return typed.build(
        File, {"target": "y", "columns": COLUMNS, "path": str(path), "constraint_set": "l2_ball", "radius": 1.0}
    )


@pytest.mark.parametrize(
    "algorithm",
    [
        ObjectivePerturbation(constants="exact"),
        RegularisedOutputPerturbation(constants="exact"),
        RegularisedRelease("gaussian"),
        RegularisedRelease(),
    ],
)
def test_at_most_one_in_twenty_answers_lies_further_from_the_fit_without_noise(
    table: File, algorithm: Algorithm
) -> None:
    """Of 120 answers: P(15 or more of a binomial of 120 and .05) is 0.0013."""
    problem = table.build(table.resolve({"n": 1e9, "p": 1.0}), 0.0)
    radius, note = moved(algorithm, problem.domain, BUDGET, 0.95)
    assert radius is not None
    assert "95% intervals, all together" in note
    schedule = algorithm.schedule(problem.domain, BUDGET)
    weight = getattr(schedule, "regulariser", 0) / problem.domain.n or getattr(schedule, "weight", 0.0)
    plain = problem.dense.minimise(np.zeros(problem.domain.p), weight).theta
    rng = np.random.default_rng(3)
    far = [np.linalg.norm(algorithm.solve(problem, BUDGET, rng).theta - plain) > radius for _ in range(120)]
    assert sum(far) < 15


@pytest.mark.parametrize("epsilon", [0.03, 200.0])
def test_at_most_one_in_twenty_models_misses_a_coefficient_and_inside_the_set_intervals_are_no_wider_than_they_need(
    table: File, epsilon: float
) -> None:
    """Of 120 models: P(15 or more of a binomial of 120 and .05) is 0.0013."""
    budget, algorithm = Budget(epsilon, 1e-6, Neighbours.REPLACE_ONE), RegularisedRelease("gaussian")
    problem, rng = table.build(table.resolve({"n": 1e9, "p": 1.0}), 0.0), np.random.default_rng(4)
    schedule = algorithm.schedule(problem.domain, budget)
    plain = np.asarray(problem.dense.minimise(np.zeros(problem.domain.p), schedule.weight).theta)
    plain = plain * own_units(table.public)
    missed, inside = 0, 0
    for _ in range(120):
        model = fit(table, algorithm, budget, rng)
        assert model.half is not None
        missed += bool((np.abs(model.coefficients - plain) > model.half).any())
        inside += bool(np.linalg.norm(model.theta) < 1 - 1e-6)
        if np.linalg.norm(model.theta) < 1 - 1e-6:  # p = 5: normals beyond 2.8 in one of twenty answers
            assert (model.half <= 2.9 * schedule.noise_scale * own_units(table.public)).all()
    assert missed < 15
    assert inside > 60


def test_on_the_border_intervals_are_as_wide_as_the_noise_is_long(table: File) -> None:
    """At 97.5%, as inside: a projection may have moved any coordinate by all of it."""
    algorithm, domain = RegularisedRelease("gaussian"), table.build(table.resolve({"n": 1e9, "p": 1.0}), 0.0).domain
    border, note = halves(algorithm, domain, BUDGET, np.eye(domain.p)[0], 0.95)
    inside, _ = halves(algorithm, domain, BUDGET, 0.5 * np.eye(domain.p)[0], 0.95)
    assert border is not None
    assert inside is not None
    assert border.tolist() == [moved(algorithm, domain, BUDGET, 0.975)[0]] * domain.p
    assert (inside < 0.9 * border).all()
    assert "95% intervals" in note


def test_the_interval_of_a_private_mean_is_that_of_its_laplace_noise(table: File) -> None:
    """Noise of scale 2/(n epsilon), which exceeds ln 20 of it in one of twenty answers; 50 is half the target's range.

    Of 200 answers: P(23 or more of a binomial of 200 and .05) is 1.4e-4, and so is about P(no miss at all).
    """
    rng, n = np.random.default_rng(5), 3000
    mean, missed = 50 * float(np.mean(table.encoded.labels)), 0
    for _ in range(200):
        model = fit(table, ConstantPrediction(), BUDGET, rng)
        assert model.half is not None
        assert model.half[0] == pytest.approx(50 * 2 / (n * 2.0) * np.log(20))
        assert not model.half[1:].any()
        missed += abs(float(model.coefficients[0]) - mean) > model.half[0]
    assert 0 < missed < 23


def test_coefficients_are_those_of_the_columns_as_they_are(table: File) -> None:
    """y grows by 1 with a: 100/40 times the slope of what is encoded."""
    model = fit(
        table,
        RegularisedOutputPerturbation(constants="exact"),
        Budget(50.0, 1e-6, Neighbours.REPLACE_ONE),
        np.random.default_rng(0),
    )
    assert model.names == ("intercept", "a", "c=u", "c=v", "c is missing")
    assert own_units(table.public).tolist() == [50, 2.5, 50, 50, 50]
    assert model.half is not None
    np.testing.assert_allclose(model.coefficients, model.theta * own_units(table.public))
    assert 0.2 < model.coefficients[1] < 1.5
    lines = str(model).splitlines()
    assert lines[1].startswith("a ")
    assert "epsilon=50" in lines[-1]


def test_an_algorithm_whose_noise_has_no_known_law_says_so(table: File) -> None:
    model = fit(table, NoisySGD(FullGradient(), steps=20), BUDGET, np.random.default_rng(0))
    assert model.half is None
    assert "no intervals: the law of the noise in an answer of NoisySGD is not known" in model.note


def test_of_a_boolean_a_coefficient_is_that_of_true_over_false() -> None:
    schema = typed.build(
        Schema, {"target": "y", "columns": {"y": {"type": "boolean"}, "b": {"type": "boolean"}}, "intercept": False}
    )
    assert own_units(schema).tolist() == [2.0]
