"""Arora et al. (2022): schedules are the numbers typed here."""

import math

import numpy as np
import pytest
from helpers.shipped import composed
from scipy.special import log_ndtr

from dprepro import bounds
from dprepro.config.checked_experiment import build_experiment
from dprepro.constructions import OneHotFamily
from dprepro.dispatch.backend import Numbers
from dprepro.statements.glm import STATEMENTS

SAMPLE = {
    "n": 1e8, "p": 256.0, "epsilon": 0.1, "delta": 1e-6, "norm": 1.0, "smoothness": 2.0, "radius": 1.0,
    "label_level": 1.0, "feature_length": 1.0, "lipschitz": 1.0, "self_bounding_lipschitz": 2 * math.sqrt(2) + 4,
    "weight": 0.01, "noise_scale": 1e-3, "step_size": 1e-4, "steps": 1e8, "sketch": 100.0, "sketched_smoothness": 3.0,
    "order": 3.0, "flips": 5.0, "guesses": 8.0, "divided": 8.0, "failure": 0.05, "size": 1.0, "label": 1.0,
    "share": 0.5, "level": 3.0,
}  # fmt: skip
BY_ITEM = {one.item: one.holds for one in STATEMENTS}
G = 2 * math.sqrt(2) + 4


def at(column, item, construction=None, **point):
    point = {"n": 1e10, "p": 64, "epsilon": 1e-3, "delta": 1e-8, "norm": 1.0} | point
    domain = (construction or OneHotFamily()).domain(point)
    return Numbers(domain, point).evaluate(BY_ITEM[item].schedule[column])


@pytest.mark.parametrize("epsilon", [3e-5, 2e-6])
def test_the_schedule_of_theorem_1_is_that_of_the_squared_loss_on_unit_records(epsilon):
    n, p, delta = 1e13, 64, 1e-15
    given, logarithm = {"n": n, "p": p, "epsilon": epsilon, "delta": delta}, math.log(1e15)
    noise = math.sqrt(8) * G * math.sqrt(logarithm) / (math.sqrt(n) * epsilon)
    assert at("total_steps", "Theorem 1", **given) == n
    assert at("noise_scale", "Theorem 1", **given) == pytest.approx(noise)
    assert at("step_size", "Theorem 1", **given) == pytest.approx(1 / (noise * math.sqrt(p * n)))


def test_the_step_of_corollary_1_is_b_over_the_root_of_2_t_and_at_most_an_eighth():
    for n, norm in ((1e3, 1.0), (1e7, 1 / 64)):
        step = at("step_size", "Corollary 1", n=n, norm=norm, epsilon=math.inf, delta=0.0)
        assert step == pytest.approx(min(norm / math.sqrt(2 * n), 1 / 8))
    assert at("step_size", "Corollary 1", n=4.0, epsilon=math.inf) == 1 / 8


def test_theorem_2_projects_to_k_and_pays_for_features_of_the_clipped_length_over_the_ball_of_radius_2b():
    n, epsilon, p, delta = 1e12, 1e-5, 1e5, 1e-8
    given = {"n": n, "epsilon": epsilon, "p": p, "delta": delta}
    k = (math.sqrt(2) * n * epsilon / (1 + math.sqrt(2))) ** (2 / 3) / 4
    assert at("sketch", "Theorem 2", **given) == math.ceil(k)
    longer = 1 + math.sqrt(2 * math.log(1e11) / math.ceil(k))
    noise = (2 * math.sqrt(2) * longer + 8 * longer**2) * math.sqrt(8 * math.log(1e8) / n) / epsilon
    assert at("noise_scale", "Theorem 2", **given) == pytest.approx(noise)
    step = at("step_size", "Theorem 2", **given)
    assert step == pytest.approx(2 / (noise * math.sqrt(math.ceil(k) * n)))


def test_the_weights_and_noises_of_theorems_3_and_5_are_those_typed_here():
    n, epsilon, logarithm = 1e10, 1e-3, math.log(1e8)
    signal = n * epsilon
    weight = (4 + 4 * math.sqrt(2)) ** (2 / 3) * signal ** (-2 / 3) * logarithm ** (1 / 3)
    noise = 2 * (4 + 4 * math.sqrt(2)) ** (1 / 3) * signal ** (-1 / 3) * logarithm ** (1 / 6)
    assert at("weight", "Theorem 3") == pytest.approx(weight)
    assert at("noise_scale", "Theorem 3") == pytest.approx(noise)
    for norm in (0.1, 1.0, 30.0):
        given = {"construction": OneHotFamily(loss="absolute"), "norm": norm}
        root = signal**-0.5 * logarithm**0.25
        assert at("weight", "Theorem 5", **given) == pytest.approx(root / norm)
        assert at("noise_scale", "Theorem 5", **given) == pytest.approx(2 * norm * root)


def test_as_printed_theorem_3_has_y_where_a_factor_root_h_x_is_lacking():
    printed = next(statement for statement in STATEMENTS if statement.item == "Theorem 3").says.schedule
    long = SAMPLE | {"smoothness": 200.0}
    weight = bounds.evaluate(printed["weight"], long)
    logarithm, signal = math.log(1e6), 1e7
    assert weight == pytest.approx((201 * math.sqrt(200) / signal) ** (2 / 3) * logarithm ** (1 / 3))
    noise = math.sqrt((1 + 200**2) * logarithm) / (weight * signal)
    assert bounds.evaluate(printed["noise_scale"], long) == pytest.approx(noise)


def test_printed_noise_is_certified_in_the_range_of_epsilon_that_the_premises_name():
    """delta(epsilon) of a Gaussian release with mu = epsilon/sqrt(2 ln(1/delta)), at most delta."""
    for delta in (0.3, 0.1, 1e-2, 1e-5, 1e-8, 1e-15, 1e-32, 1e-64, 1e-128, 1e-250):
        logarithm = math.log(1 / delta)
        for epsilon in 4 * logarithm**0.23 * np.array([1e-3, 0.03, 0.3, 0.7, 1.0]):
            mu = epsilon / math.sqrt(2 * logarithm)
            above, below = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
            assert above + np.log1p(-np.exp(below - above)) <= -logarithm, (delta, epsilon)


@pytest.mark.parametrize("name", ["glm_jl", "glm_lipschitz_lower_bound", "glm_lower_bound", "glm_output_perturbation"])
def test_no_point_of_a_shipped_grid_is_lost_to_a_premise(name):
    experiment = build_experiment(composed(name))
    assert any(one.premise for one in experiment.study.series.values())
    assert not [cell for cell in experiment.cells if "asks for" in str(cell)]
