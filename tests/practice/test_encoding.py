"""What a schema makes of a table, and that nothing but the schema sets a scale."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.cheap_experiment import command

from dprepro.algorithms import Algorithm, DataFree, Huberised
from dprepro.budget import Budget, Neighbours
from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.config.group_pairs import blocks
from dprepro.dispatch import dispatch
from dprepro.errors import DpreproError, InputError, PremiseError
from dprepro.practice.encoding import encode
from dprepro.practice.reading import of_frame, read_table
from dprepro.practice.schema import Column, Schema, load_schema
from dprepro.practice.table import File
from dprepro.reductions import solver
from dprepro.studies import RateStudy
from dprepro.studies.rate_study import resolve
from dprepro.support import typed

pytest.importorskip("sklearn", reason="the optional extra data is not installed")

SCHEMA = """\
target: visits
columns:
  visits: {range: [0, 20]}
  age: {range: [0, 100], missing: fill, fill: 50}
  plan: {categories: [none, basic, full], missing: indicator}
  since: {since: 2020-01-01, range: [0, 1000], outside: drop, missing: drop}
"""
RAW = pd.DataFrame(
    {
        "visits": [0.0, 5, 10, 40] * 5,
        "age": [50.0, np.nan, 100, 130] * 5,
        "plan": ["none", "full", None, "other"] * 5,
        "since": ["2020-01-01", "2022-09-27", "2020-01-01", "2021-05-15"] * 5,
    }
)
BUDGET = Budget(0.5, 1e-6, Neighbours.REPLACE_ONE)


@pytest.fixture
def public(tmp_path: Path) -> Schema:
    path = tmp_path / "public.yaml"
    path.write_text(SCHEMA, encoding="utf-8")
    return load_schema(str(path))


def test_each_column_is_encoded_as_its_schema_says(public: Schema) -> None:
    assert public.names == (
        "intercept", "age", "plan=none", "plan=basic", "plan=full", "plan is missing", "since",
    )  # fmt: skip
    found = encode(of_frame(RAW), public)
    rows = {tuple(row) for row in np.column_stack([found.features, found.labels]).tolist()}
    assert rows == {
        (1, 0, 1, 0, 0, 0, -1, -1),
        (1, 0, 0, 0, 1, 0, 1, -0.5),  # a missing age is 50, the middle
        (1, 1, 0, 0, 0, 1, -1, 0),  # a missing plan is no category, and says so
        (1, 1, 0, 0, 0, 0, 0, 1),  # 130 is clipped, 'other' is no category, 40 visits are 20
    }
    assert found.counts == {"clipped": 10, "filled": 10, "dropped": 0, "clipped_labels": 5, "surplus": 0}
    assert np.linalg.norm(found.features, axis=1).max() <= public.squared_length**0.5


def test_records_are_dropped_where_a_date_is_outside_or_missing(public: Schema) -> None:
    raw = RAW.assign(since=["2019-12-31", None, "2020-02-01", "2020-03-01"] * 5)
    found = encode(of_frame(raw), public)
    assert (len(found.labels), found.counts["dropped"]) == (10, 10)


def test_a_threshold_makes_two_classes_of_a_number() -> None:
    schema_ = Schema(
        "visits", {"visits": Column(range=(0, 20), above=4), "age": Column(range=(0, 100), missing="drop")}
    )
    assert schema_.classification
    assert encode(of_frame(RAW), schema_).labels.tolist().count(1.0) == 10
    with pytest.raises(InputError, match="above must be a number in the range"):
        Column(range=(0, 20), above=20)
    with pytest.raises(InputError, match="age is a feature"):
        Schema("visits", {"visits": Column(range=(0, 20)), "age": Column(range=(0, 100), above=1)})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"plan": [1.5, 2, 3, 4] * 5}, "all values of column plan of the table lie outside"),
        ({"since": ["soon"] * 20}, "since of the table is not a column of dates like 2020-01-31"),
        (
            {"age": ["old", *"1234567890123456789"]},
            r"age of the table is not numeric: 1 of its 20 values are no numbers \(counted in the raw table, not priv",
        ),
        ({"visits": [7] * 20}, "all labels of the table, its visits, are alike"),
        ({"visits": [np.nan, 1, 2, 3] * 5}, "visits of the table has 5 missing values"),
    ],
)
def test_what_does_not_fit_the_schema_is_one_line(public: Schema, change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        encode(of_frame(RAW.assign(**change)), public)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,a\n1,2,3\n", "the column a stands twice in .*; say which of them: a#1, a#2"),
        ("a;b\n1;2\n", "are separated by ';': write separator: \";\" into the schema"),
        ("a\tb\n1\t2\n", r'write separator: "\\t" into the schema'),
    ],
)
def test_names_that_stand_twice_and_other_separators_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_table(str(tmp_path / "t.csv")).column("a", "t.csv")


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_twelve_algorithms_run_on_any_table_and_values_inside_the_bounds_change_no_schedule(
    tmp_path: Path, loss: str
) -> None:
    """Two tables that share names, types and rows, and no value: equal domains, schedules, noise and budgets."""
    rng, tables = np.random.default_rng(0), []
    target = {"range": [0, 20], "above": 9} if loss == "logistic" else {"range": [0, 20]}
    columns = {"y": target, "a": {"range": [-5, 5]}, "b": {"range": [0, 3]}, "c": {"categories": ["u", "v", "w"]}}
    for index, size in enumerate((0.01, 1.0)):
        path = tmp_path / f"{index}.csv"
        raw = {"y": 20 * rng.random(60), "a": size * rng.uniform(-5, 5, 60), "b": size * 3 * rng.random(60)}
        pd.DataFrame(raw | {"c": rng.choice(["u", "v", "w"], 60)}).to_csv(path, index=False)
        block = {"target": "y", "columns": columns, "loss": loss, "constraint_set": "l2_ball", "path": str(path)}
        tables.append(typed.build(File, block))
    point, ran = tables[0].resolve({"n": 60.0, "p": 1.0, "epsilon": 0.5, "delta": 1e-6, "norm": 1.0}), []
    for name, block in blocks("algorithm").items():
        algorithm = typed.build(Algorithm, block, name)  # type: ignore[type-abstract]
        try:
            plans = [dispatch(algorithm, table, point, BUDGET) for table in tables]
        except DpreproError:
            continue
        assert plans[0] == plans[1]
        schedules = [algorithm.schedule(plan.domain, BUDGET) for plan in plans]
        assert schedules[0] == schedules[1]
        assert algorithm.privacy_loss(plans[0].domain, BUDGET) == algorithm.privacy_loss(plans[1].domain, BUDGET)
        if schedules[0].steps * max(1.0, schedules[0].noise_scale > 0) < 1e4 and name not in SLOW:
            runs = solver("literal", algorithm)
            answers = [runs.solve(table.build(point, 0.0), BUDGET, np.random.default_rng(1)) for table in tables]
            assert answers[0].schedule == answers[1].schedule == schedules[0]
            assert answers[0].privacy_loss == answers[1].privacy_loss
        ran.append(name)
    assert len(ran) >= 12, ran


SLOW = {"exponential_mechanism", "high_probability", "exponential_support", "sparse_regression_exponential"}
"""Not run here: hit-and-run and lists of supports take seconds."""


def test_a_draft_depends_on_names_alone_and_is_refused_until_it_is_filled_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drafts = []
    for index, raw in enumerate((RAW, RAW.assign(visits="seven", age=3.5, plan=RAW["visits"]))):
        path = tmp_path / f"{index}.csv"
        raw.to_csv(path, index=False)
        assert command("schema", path, "target=visits") == 0
        drafts.append(capsys.readouterr().out.replace(str(path), "TABLE"))
    assert drafts[0] == drafts[1]
    assert "target: visits" in drafts[0]
    assert "130" not in drafts[0]
    filled = tmp_path / "draft.yaml"
    filled.write_text(drafts[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"still has 'FILL IN' at columns\.visits and 3 more"):
        load_schema(str(filled))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give one table"),
        (["absent.csv"], "cannot read absent.csv"),
        (["a.csv", "--values"], "unknown option"),
        (["TABLE", "target=visit"], "did you mean visits"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    path = tmp_path / "table.csv"
    RAW.to_csv(path, index=False)
    assert command("schema", *[str(path) if word == "TABLE" else word for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


OTHER_LOSSES = [("regression", "huber"), ("classification", "logistic"), ("classification", "hinge")]


@pytest.mark.parametrize(
    ("experiment", "loss"),
    [("regression", "absolute"), *(pytest.param(*loss, marks=pytest.mark.slow) for loss in OTHER_LOSSES)],
)
def test_the_experiments_run_twelve_private_algorithms_with_every_loss(experiment: str, loss: str) -> None:
    """Distinct classes, whatever their parameters; a Huberised one counts as what it runs."""
    few = ("sweep.split=[0]", "sweep.epsilon=[0.1,1]")
    built = build_experiment(compose([f"+experiment=table_{experiment}", f"+construction.loss={loss}", *few]))
    assert isinstance(built.study, RateStudy)
    found: set[type[Algorithm]] = set()
    label = ""
    for cell in built.cells:
        if cell.series != label:
            label, algorithm = cell.series, built.study.series[cell.series].algorithm
            with suppress(PremiseError):  # refused, with its reason
                resolve(built.study, label, dict(cell.axes))
                found.add(type(algorithm.inner if isinstance(algorithm, Huberised) else algorithm))
    private = {kind for kind in found if kind.promises()} - {DataFree}
    assert len(private) >= 12, sorted(kind.__name__ for kind in private)
