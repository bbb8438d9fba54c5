"""Worst known risks and games: what ignores the data, what is found again, and what is refused. Fixed seeds."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dprepro.adversary import search, space_of
from dprepro.algorithms import (
    DataFree,
    FullGradient,
    Localization,
    NoisyFrankWolfe,
    NoisyGD,
    NoisySGD,
    ObjectivePerturbation,
)
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import (
    LinearSlope,
    NeedleFamily,
    OneHotFamily,
    OnePlace,
    RandomDesign,
    TunedNeedle,
    WorstKnown,
)
from dprepro.engine import measure_cell
from dprepro.errors import InputError
from dprepro.studies import Design, Hunt, WorstCaseStudy
from dprepro.studies.describe import describe

SWEEP = {"n": [3e4], "p": [16], "epsilon": [1.0], "delta": [1e-6]}


def measured(hunt, **fields):
    study = WorstCaseStudy({"one": hunt}, bound="own", rate="own", **({"own": TunedNeedle(), "draws": 8} | fields))
    result = measure_cell(study.measure, study.cells(Design(SWEEP))[0])
    assert result.status == "ok", result.traceback
    return {row.quantity: row for row in result.rows}


def hunt(algorithm, family=None, **fields):
    return Hunt("claim", algorithm, family or NeedleFamily(), **({"evaluations": 0} | fields))


def test_where_runs_are_dear_fewer_data_are_tried_and_where_they_are_too_dear_none():
    def cell(**fields):
        study = WorstCaseStudy({"one": hunt(NoisyFrankWolfe(), **fields)}, draws=8, search_draws=1)
        made = study.cells(Design(SWEEP))[0]
        return made, measure_cell(study.measure, made)

    (plain, whole), (same, _) = cell(evaluations=50), cell(evaluations=50, seconds=60)
    (key, fewer), (_, none) = cell(evaluations=50, seconds=0.15), cell(evaluations=50, seconds=0.01)
    assert plain.key == same.key != key.key  # what does not bind changes nothing
    tried = [result.rows[0].columns["evaluations"] for result in (whole, fewer)]
    assert tried[1] < tried[0]
    assert "choices: a smaller n or p" in none.status


def test_an_algorithm_without_a_bound_of_its_own_is_searched_too():
    rows = measured(hunt(NoisyGD(steps_factor=0.01), OneHotFamily(), evaluations=0), own=None)
    assert rows["excess_risk"].bound is None
    assert "explicit_bound" not in rows


def test_a_needle_hidden_at_odd_places_is_found():
    odd = {"level": 0.37, "gap": 23.0, "heads": 0.61}
    space = space_of(NeedleFamily())
    hidden = space.place(odd)
    where = [list(space.ranges).index(name) for name in odd]

    def risk(place):  # two thirds of all is elsewhere, a peak as wide as a tenth of a side about the needle
        return 2 / 3 * float(place[-1]) + float(np.exp(-50 * np.sum((place - hidden)[where] ** 2)))

    found = search(risk, len(space.ranges), [], 600, np.random.default_rng(5))
    member = space.parameters(space.member(found.place))
    assert member["level"] == pytest.approx(0.37, abs=0.05)
    assert member["gap"] == pytest.approx(23, rel=0.2)


def test_an_algorithm_that_ignores_the_data_loses_the_trivial_risk():
    rows = measured(hunt(DataFree(), evaluations=90))
    assert rows["excess_risk"].value == pytest.approx(1, abs=1e-12)
    assert rows["times_trivial"].value == 1


def test_frank_wolfe_loses_more_than_on_the_tuned_needle_and_stays_below_its_bound():
    rows = measured(hunt(NoisyFrankWolfe()))
    risk = rows["excess_risk"]
    assert rows["times_own_family"].value > 1.2
    assert risk.value < risk.bound == rows["explicit_bound"].value
    assert rows["times_trivial"].value < 0.5
    assert rows["worst_known_risk"].value / rows["worst_known_risk"].bound < risk.bound / rows["explicit_bound"].bound


def test_the_family_as_configured_is_all_that_is_tried_where_nothing_is_searched():
    rows = measured(hunt(NoisyFrankWolfe(), TunedNeedle(), starts="family"))
    assert rows["times_own_family"].value == 1  # the same data, the same draws


def test_a_schedule_against_itself_gains_nothing():
    assert measured(hunt(NoisyFrankWolfe(), versus={"steps_factor": 1}))["times_versus"].value == 1


def test_a_game_finds_fewer_steps_and_says_what_they_gain():
    rows = measured(
        hunt(NoisyFrankWolfe(constants="exact"), tune="steps_factor", between=[0.05, 1], versus={"steps_factor": 1}),
        search_draws=1,
    )
    assert rows["tuned"].value < 0.7
    assert rows["times_versus"].value < 0.9
    assert rows["tuned_steps"].value == rows["excess_risk"].columns["total_steps"]
    assert {"game_gain", "versus_risk"} <= set(rows)


POINT = {"n": 1e6, "p": 16.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}


@pytest.mark.parametrize(
    ("algorithm", "family", "number", "what", "changed"),
    [
        (NoisyGD(), OneHotFamily(), "steps_factor", lambda run, *given: run.schedule(*given).steps, 0.25),
        (NoisySGD(FullGradient()), OnePlace(), "steps_factor", lambda run, *given: run.schedule(*given).steps, 0.25),
        (Localization(), OnePlace("sharp_distance"), "reach_factor",
         lambda run, *given: run.local(*given).constraint_set.reach, 0.25),
        (ObjectivePerturbation(), LinearSlope(), "regulariser_factor",
         lambda run, *given: run.schedule(*given).regulariser, 0.25),
    ],
)  # fmt: skip
def test_a_number_of_a_schedule_moves_what_it_names_and_spends_no_more(algorithm, family, number, what, changed):
    budget, domain = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE), family.domain(POINT)
    other = replace(algorithm, **{number: changed * getattr(algorithm, number)})
    assert what(other, domain, budget) == pytest.approx(changed * what(algorithm, domain, budget), rel=1e-3)
    assert other.privacy_loss(domain, budget).epsilon <= algorithm.privacy_loss(domain, budget).epsilon * (1 + 1e-9)


def test_a_parameter_that_came_later_leaves_what_was_measured_before_as_it_is():
    assert "reach_factor" not in describe(Localization())
    assert describe(Localization(reach_factor=0.5))["reach_factor"] == 0.5


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"starts": "warm"}, "starts"),
        ({"starts": "none"}, "evaluations=0"),
        ({"evaluations": -1}, "evaluations=-1"),
        ({"versus_share": 2}, "versus_share=2"),
        ({"versus": {"stepsfactor": 1}}, "steps_factor"),
        ({"tune": "steps_factor", "between": [1]}, "between"),
    ],
)
def test_a_hunt_that_cannot_be_is_refused_with_what_can(fields, words):
    with pytest.raises(InputError, match=words):
        hunt(NoisyFrankWolfe(), **fields)


def test_a_family_that_nobody_can_search_is_refused():
    study = WorstCaseStudy({"one": hunt(NoisyFrankWolfe(), RandomDesign())})
    with pytest.raises(InputError, match="NeedleFamily"):
        study.cells(Design(SWEEP))


def test_what_was_found_is_a_construction_for_other_experiments(tmp_path):
    row = measured(hunt(NoisyFrankWolfe()))["excess_risk"]
    other = {"_target_": "dprepro.constructions.LinearSlope", "size": 3.0}
    found = [{"series": "one", **{axis: SWEEP[axis][0] for axis in SWEEP}, "found": row.columns["found"]}]
    found += [{**found[0], "n": 1e9, "found": json.dumps(other)}]
    frame = pd.DataFrame(found).assign(quantity="excess_risk", value=row.value)
    worse = frame.assign(value=0.0, found=json.dumps(other))  # of a replicate that found less
    pd.concat([worse, frame]).to_parquet(tmp_path / "measurements.parquet")
    (tmp_path / "found.json").write_text(json.dumps(found))
    point = {axis: values[0] for axis, values in SWEEP.items()} | {"norm": 1.0}
    for name in ("measurements.parquet", "found.json"):
        known = WorstKnown("one", str(tmp_path / name))
        assert isinstance(known.at(point | {"n": 3e5}), NeedleFamily)
        assert known.at(point | {"n": 1e8}) == LinearSlope(size=3.0)
        theta = np.linspace(-0.1, 0.1, 16)
        own = known.at(point).build(point, 0.05)
        assert known.build(point, 0.05).dense.excess(theta) == own.dense.excess(theta)
    before = known.fingerprint()
    (tmp_path / "found.json").write_text(json.dumps(found[:1]))
    assert WorstKnown("one", str(tmp_path / "found.json")).fingerprint() != before
    with pytest.raises(InputError, match="two"):
        WorstKnown("two", str(tmp_path / "found.json")).at(point)
    with pytest.raises(InputError, match="nowhere"):
        WorstKnown("one", str(tmp_path / "nowhere.json")).at(point)
