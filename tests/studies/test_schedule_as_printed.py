"""The schedule as printed stands beside the one that ran, and a statement's premise decides what is measured."""

import pytest

from dprepro.algorithms import DataFree, NoisyFrankWolfe
from dprepro.constructions import TunedNeedle
from dprepro.engine import measure_cell
from dprepro.errors import InputError
from dprepro.studies import Design, RateStudy, Series

SWEEP = {"n": [1e5, 1e6], "p": [20.0], "epsilon": [0.5], "delta": [1e-6]}
STEPS = {"total_steps": "lasso.theorem_2_5_rate"}
"""Any function of public numbers will do."""


def study(printed=None, **changes):
    one = Series(**{"role": "claim", "algorithm": NoisyFrankWolfe(), "construction": TunedNeedle()} | changes)
    return RateStudy(series={"a": one}, rate="lasso.theorem_2_5_rate", schedule=printed or {})


def first(one):
    cell = one.cells(Design(SWEEP))[0]
    return cell, measure_cell(one.measure, cell).rows[0].columns


def test_the_schedule_as_printed_is_a_column_beside_the_one_that_ran_and_is_rebuilt():
    one = study(STEPS)
    cell, columns = first(one)
    assert columns["total_steps_printed"] == columns["rate"] > 0
    assert columns["total_steps"] == one.rebuilt(cell)["excess_risk"]["total_steps"]
    assert one.rebuilt(cell)["excess_risk"]["total_steps_printed"] == columns["total_steps_printed"]
    assert "total_steps_printed" in one.declare(Design(SWEEP)).columns
    assert "noise_scale_printed" not in {*columns, *one.declare(Design(SWEEP)).columns}


def test_what_is_printed_knows_the_claimed_budget_and_not_the_one_that_is_given():
    plain, over = (first(study(STEPS, epsilon_factor=factor))[1] for factor in (1.0, 4.0))
    assert plain["total_steps_printed"] == over["total_steps_printed"]
    assert plain["total_steps"] != over["total_steps"]


def test_a_series_has_the_studys_schedule_unless_it_names_another_or_none():
    assert "total_steps_printed" not in first(study(STEPS, schedule={"total_steps": "none"}))[1]
    own = first(study(STEPS, schedule={"noise_scale": "lasso.zero_risk"}))[1]
    assert {"total_steps_printed", "noise_scale_printed"} <= own.keys()
    other = first(study(STEPS, schedule={"total_steps": "lasso.zero_risk"}))[1]
    assert other["total_steps_printed"] != first(study(STEPS))[1]["total_steps_printed"]


def test_a_schedule_makes_other_cells_only_where_there_is_one():
    keys = [first(one)[0].key for one in (study(), study(STEPS, schedule={"total_steps": "none"}), study(STEPS))]
    assert keys[0] == keys[1] != keys[2]


def test_a_schedule_as_printed_changes_no_draw():
    rows = [measure_cell(one.measure, one.cells(Design(SWEEP))[0]).rows[0].value for one in (study(), study(STEPS))]
    assert rows[0] == rows[1]


def test_where_the_printed_schedule_has_no_finite_value_the_column_is_empty():
    one = study(STEPS, algorithm=DataFree())
    (cell, *_) = one.cells(Design(SWEEP | {"delta": [0.0]}))
    columns = measure_cell(one.measure, cell).rows[0].columns
    assert columns["total_steps_printed"] is None
    assert columns["total_steps"] > 0


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (study({"steps": "lasso.theorem_2_5"}), "unknown column of a schedule 'steps'"),
        (study({"total_steps": "lasso.theorem_9"}), "unknown bound"),
        (
            study({"total_steps": "kst.lemma_3"}),
            "is a function of noise_scale, which .*; study.schedule.total_steps=none leaves",
        ),
        (
            study(schedule={"sketch": "kst.lemma_3"}),
            "is a function of noise_scale, which .*; \\+\\+study.series.a.schedule.sketch=none",
        ),
        (
            study(law="kst.lemma_3"),
            "is a function of noise_scale, which .* here; \\+\\+study.series.a.law=none leaves the law out$",
        ),
        (
            study(rate="kst.lemma_3"),
            "is a function of noise_scale, which .* here; \\+\\+study.series.a.rate=none leaves the rate out$",
        ),
    ],
)
def test_a_name_that_cannot_serve_is_refused_in_one_line_that_says_how_to_leave_it_out(one, words):
    with pytest.raises(InputError, match=words) as refused:
        one.cells(Design(SWEEP))
    assert "\n" not in str(refused.value)


def test_a_grid_point_outside_the_premise_of_a_statement_is_skipped_with_its_reason():
    held, free = study(premise={"n >= 1e6": "Theorem 2.5"}), study()
    low, high = held.cells(Design(SWEEP))
    assert measure_cell(held.measure, low).status == "skipped: Theorem 2.5 asks for n >= 1e6, and n is 100000"
    assert measure_cell(held.measure, high).status == "ok"
    # a series that is held against nothing keeps its measurement, and one that is measured shares it
    keys = [cell.key for cell in free.cells(Design(SWEEP))]
    assert low.key != keys[0]
    assert high.key == keys[1]


def test_a_condition_that_cannot_be_understood_is_refused_before_anything_is_measured():
    with pytest.raises(InputError, match="premise: condition 'n is' is neither"):
        study(premise={"n is": "Theorem 2.5"}).cells(Design(SWEEP))
