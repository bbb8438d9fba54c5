"""What measuring takes at least is said before it begins, where that is long, and never more than it takes."""

from __future__ import annotations

import time

import numpy as np
import pytest

from dprepro.algorithms import ExactMinimiser, FullGradient, JohnsonLindenstrauss, NoisyFrankWolfe, NoisySGD
from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.constructions import OneHotFamily, OnePlace, TunedNeedle
from dprepro.dispatch.prices import least_seconds, least_steps, takes_few_steps
from dprepro.studies import Design, EnvelopeStudy, RateStudy, Series
from dprepro.studies.forecast import LONG, forecast
from dprepro.studies.rate_study import resolve


def study(algorithm, construction, kind=RateStudy, **changes):
    one = Series(
        "claim", algorithm, construction, bound="none", rate="none", reduction=changes.pop("reduction", "automatic")
    )
    return kind(series={"a": one}, **changes)


def words(one, replicates=1, **axes):
    sweep = {axis: [value] for axis, value in axes.items()}
    return one.remarks(one.cells(Design({"epsilon": [1.0], "delta": [1e-6]} | sweep, replicates)))


def test_what_is_quick_is_not_spoken_of():
    assert words(study(NoisyFrankWolfe(), TunedNeedle()), n=1e6, p=100) == []


def test_a_literal_loop_of_a_hundred_million_steps_is():
    (line,) = words(study(NoisySGD(), OnePlace(), reduction="literal"), n=1e5, p=100, replicates=4)
    assert line.startswith("measuring all cells takes about ")
    assert line.endswith("another sweep or fewer replicates take less")
    assert " or more of processor time, a single one up to " in line
    assert "(series a, n=100000, p=100, epsilon=1, delta=1e-06, norm=1)" in line


def test_measurements_that_two_series_share_count_once_and_so_do_replicates_that_cannot_differ():
    def minutes(series):
        one = RateStudy(series=series)
        (line,) = one.remarks(one.cells(Design({"n": [1e5], "p": [100], "epsilon": [1.0], "delta": [1e-6]}, 4)))
        return line.partition(" or more")[0]

    slow = Series("claim", NoisySGD(), OnePlace(), reduction="literal")
    assert minutes({"a": slow}) == minutes(
        {"a": slow, "b": Series("context", NoisySGD(), OnePlace(), reduction="literal")}
    )
    assert words(study(ExactMinimiser(), OnePlace()), n=1e5, p=10, replicates=1000) == []


def test_where_the_data_tell_the_steps_they_are_drawn():
    one = study(JohnsonLindenstrauss(), OneHotFamily(coordinates=1, tail=-1), reduction="bidiagonal_sketch")
    assert takes_few_steps("bidiagonal_sketch")
    assert words(one, n=1e10, p=1e5, norm=1, replicates=2) == []  # a tail shorter than k cannot be projected
    (line,) = words(one, n=1e10, p=1e6, norm=1, replicates=100)
    assert "a single one up to" in line


def test_expected_risks_by_exact_laws_run_nothing():
    one = study(NoisySGD(), OnePlace(), EnvelopeStudy, reduction="literal", values=(1,), over="nothing", expected=True)
    assert not one._runs()


@pytest.mark.parametrize(
    ("algorithm", "construction", "backend", "axes"),
    [
        (NoisySGD(), OnePlace(), "literal", {"n": 100.0, "p": 20}),
        (NoisySGD(gradient=FullGradient()), OnePlace(), "axis_descent", {"n": 3000.0, "p": 20}),
        (NoisySGD(), OnePlace(), "compiled_descent", {"n": 300.0, "p": 50}),
        (NoisyFrankWolfe(), TunedNeedle(), "grouped_vertices", {"n": 1e7, "p": 1000}),
    ],
)
def test_a_forecast_is_below_what_a_run_takes(algorithm, construction, backend, axes):
    one = study(algorithm, construction, reduction=backend)
    (cell,) = one.cells(Design({axis: [value] for axis, value in axes.items()} | {"epsilon": [1.0], "delta": [1e-6]}))
    context = resolve(one, "a", cell.axes)
    least = least_seconds(context.algorithm, context.dispatch.domain, context.budget, backend)
    problem = context.construction.draw(cell.axes, context.schedule.noise_scale, np.random.default_rng(0))
    begun = time.process_time()
    context.solve(problem, np.random.default_rng(1))
    assert 0 < least < time.process_time() - begun


def test_fewer_steps_than_a_hundred_cost_nothing_and_steps_cost_by_their_coordinates():
    assert least_steps(1000, 10) < least_steps(1000, 100) < LONG
    one = study(NoisySGD(), OnePlace(), reduction="literal")
    (cell,) = one.cells(Design({"n": [9.0], "p": [2000], "epsilon": [1.0], "delta": [1e-6]}))
    context = resolve(one, "a", cell.axes)
    assert least_seconds(context.algorithm, context.dispatch.domain, context.budget, "literal") == 0


def test_without_cells_nothing_is_said():
    assert forecast([], lambda cell: resolve(study(NoisySGD(), OnePlace()), "a", cell.axes)) == ""


@pytest.mark.parametrize(
    "overrides",
    [
        ("+experiment=glm_jl", "sweep.epsilon=[0.5]"),
        ("+experiment=glm_noisy_gd", "+construction.loss=logistic"),
        ("+experiment=erm_rate", "+algorithm.constants=exact", "sweep.epsilon=[2]"),
    ],
)
def test_overrides_that_take_long_say_so_before_anything_is_measured(overrides):
    lines = [line for line in build_experiment(compose(list(overrides))).reach if line.startswith("measuring all")]
    assert len(lines) == 1
