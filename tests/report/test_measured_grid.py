"""The grid that a check was judged on: what was set and measured, and nothing that stands for it."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from helpers.ledger_rows import GOOD, published

from dprepro.report.measured_grid import from_to, grid, hull, judged_rows, points, spans

PLAIN = {"n": 1.0, "p": 1.0, "epsilon": math.inf, "delta": 0.0, "norm": 1.0, "series": "one"}


def rows(**columns: list[float]) -> pd.DataFrame:
    many = max(map(len, columns.values()), default=1)
    return pd.DataFrame([PLAIN] * many).assign(**columns)


def config(sweep: dict[str, Any] | None = None, target: str = "RateStudy", **series: Any) -> dict[str, Any]:
    return {"study": {"_target_": f"dprepro.studies.{target}", "series": series or {"one": {}}}, "sweep": sweep or {}}


def test_a_size_that_nobody_set_is_not_told_as_one_record_or_one_dimension() -> None:
    """Support privacy has p = 12 inside its law, and 1 in the column that no series sweeps."""
    unset = rows(epsilon=[0.1, 1.0])
    assert grid(unset, config({"epsilon": [0.1, 1.0]})) == {"epsilon": [0.1, 1.0, 2.0]}
    assert grid(unset, config({"epsilon": [0.1, 1.0], "p": [1]}))["p"] == [1.0, 1.0, 1.0]
    assert grid(rows(p=[12.0]), config()) == {"p": [12.0, 12.0, 1.0]}


def test_a_series_that_leaves_an_axis_out_has_it_not_set() -> None:
    left_out = config({"n": [1, 2]}, one={"sweep": {"n": None, "p": [3]}})
    assert grid(rows(p=[3.0]), left_out) == {"p": [3.0, 3.0, 1.0]}


def test_inequalities_between_functions_have_no_sizes_of_data_and_attacks_no_grid() -> None:
    assert grid(rows(), config({"n": [1], "p": [1]}, "InequalityStudy")) == {}
    assert grid(rows(n=[2.0, 3.0]), config({"n": [2, 3]}, "RefuteStudy")) == {}


def test_what_has_no_budget_has_no_delta_either_and_a_pure_budget_has_one() -> None:
    assert "delta" not in grid(rows(n=[2.0]), config({"n": [2], "epsilon": [math.inf], "delta": [0]}))
    assert "delta" in grid(rows(epsilon=[1.0]), config({"epsilon": [1], "delta": [0]}))


def test_an_infinite_end_is_null_and_told_as_infinite() -> None:
    found = grid(rows(epsilon=[1.0, math.inf]), config({"epsilon": [1, math.inf]}))
    assert found == {"epsilon": [1.0, None, 2.0]}
    assert spans(found) == r"$\epsilon$ from 1 to $\infty$ (2 values)"
    assert hull([found, {"epsilon": [0.1, 0.1, 1.0]}]) == {"epsilon": [0.1, None, 2.0]}


def test_a_hull_holds_all_grids_and_one_value_stays_one() -> None:
    assert hull([{"n": [4.0, 9.0, 3.0]}, {"n": [2.0, 5.0, 2.0]}]) == {"n": [2.0, 9.0, 3.0]}
    assert from_to("n", hull([{"n": [4.0, 4.0, 1.0]}] * 2)["n"]) == "$n$ = 4"


def test_points_are_counted_by_series_and_members_of_which_the_worst_is_judged_as_one() -> None:
    swept = config({"n": [1, 2], "mass": [0.1, 0.2]})
    table = rows(n=[1.0, 1.0, 2.0, 2.0], mass=[0.1, 0.2, 0.1, 0.2])
    assert points(table, swept) == {"one": 4}
    assert points(table, swept, ["mass"]) == {"one": 2}


@pytest.mark.parametrize(("rule", "kept"), [("exponent", [1e6, 1e7, 1e8]), ("below", [1e5, 1e6, 1e7, 1e8])])
def test_an_exponent_was_not_seen_where_its_points_are_saturated_and_a_bound_was(rule: str, kept: list[float]) -> None:
    found = published("one", GOOD)
    check = found.verdict["checks"]["slope"]
    check |= {"rule": rule, "details": {"saturated": ["n=1e5, p=100"]}}
    assert sorted(judged_rows(found, "slope", ["iid"])["n"]) == kept
