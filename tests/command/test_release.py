"""A private answer on a person's table: its coefficients predict, and nothing is spent on what does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.cheap_experiment import command

SCHEMA = """\
target: cost
columns:
  age: {range: [20, 80]}
  plan: {categories: [none, full]}
  smoker: {type: boolean}
  cost: {range: [0, 100]}
"""


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    rows = ["age,plan,smoker,cost"]
    for _ in range(2000):
        age, plan, smoker = rng.uniform(20, 80), rng.choice(["none", "full"]), rng.choice(["yes", "no"])
        cost = 20 + 0.5 * (age - 20) + 10 * (plan == "full") + 5 * (smoker == "yes") + rng.normal(0, 3)
        rows.append(f"{age:.3f},{plan},{smoker},{cost:.3f}")
    (tmp_path / "t.csv").write_text("\n".join(rows), "utf-8")
    (tmp_path / "s.yaml").write_text(SCHEMA, "utf-8")
    return tmp_path / "t.csv", tmp_path / "s.yaml"


def asked(table: tuple[Path, Path], *words: str) -> int:
    return command("release", table[0], f"schema={table[1]}", *words)


def test_a_prediction_from_the_columns_as_they_are_is_that_of_the_encoded_record(
    table: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(table, "algorithm=sufficient_statistics", "epsilon=50", "radius=2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    own = dict(zip(found["names"], found["coefficients"], strict=True))
    assert own["age"] == pytest.approx(0.5, abs=0.1)
    assert own["smoker"] == pytest.approx(5, abs=1.5)
    assert own["plan=full"] - own["plan=none"] == pytest.approx(10, abs=3)
    record = np.array([1, (70 - 50) / 30, 0, 1, 1])
    said = found["middle"] + own["intercept"] + own["age"] * (70 - 50) + own["plan=full"] + own["smoker"] * (1 - 0.5)
    assert said == pytest.approx(50 + 50 * record @ found["theta"])
    assert said == pytest.approx(60, abs=5)
    assert found["intervals"] is None
    assert found["privacy_loss"]["epsilon"] <= 50


def test_two_answers_have_noise_of_their_own_and_intervals_where_its_law_is_known(
    table: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for _ in range(2):
        assert asked(table, "algorithm=regularised_release noise=gaussian", "epsilon=2") == 0
        printed.append(capsys.readouterr().out.splitlines())
    assert printed[0][0] != printed[1][0]
    assert [line.split("  ")[0] for line in printed[0][:5]] == ["intercept", "age", "plan=none", "plan=full", "smoker"]
    assert all("[" in line for line in printed[0][:5])
    assert printed[0][5].startswith("prediction: 50 + each coefficient times (value - middle of its range)")
    assert printed[0][6].startswith("epsilon=2, delta=1e-06; 95% intervals, all together")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["algorithm=sufficient_statistics"], "epsilon is not given"),
        (["epsilon=1"], "algorithm is not given; add algorithm=sufficient_statistics or another that python -m"),
        (["epsilon=1", "algorithm=statistics"], "did you mean sufficient_statistics"),
        (["epsilon=inf", "algorithm=sufficient_statistics"], "epsilon"),
        (["epsilon=1", "algorithm=sufficient_statistics", "loss=logistic"], "needs a target of two classes"),
        (["epsilon=1", "algorithm=sufficient_statistics", "set=l3"], "unknown set 'l3'"),
        (["epsilon=1", "algorithm=sufficient_statistics", "delta=0"], "delta"),
    ],
)
def test_what_does_not_fit_is_one_line_and_draws_no_noise(
    table: tuple[Path, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    words: list[str], said: str,
) -> None:  # fmt: skip
    monkeypatch.setattr("dprepro.mechanisms.Gaussian.release", lambda *_: pytest.fail("noise is drawn"))
    assert asked(table, *words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_a_table_that_does_not_fit_its_schema_is_refused(
    table: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    table[0].write_text(table[0].read_text("utf-8").replace("full", "part"), "utf-8")
    table[1].write_text(SCHEMA.replace("[none, full]}", "[none, full], outside: error}"), "utf-8")
    assert asked(table, "epsilon=1", "algorithm=sufficient_statistics") == 2
    assert "outside of what is public: none, full" in capsys.readouterr().err
