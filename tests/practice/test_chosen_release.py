"""The choice that a table's own records make: what it spends, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.cheap_experiment import command

from dprepro.budget import Budget, Neighbours
from dprepro.config.group_pairs import blocks
from dprepro.practice.advice import candidates
from dprepro.practice.chosen_release import choose
from dprepro.practice.table import File


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("chosen")
    a, z = rng.uniform(10, 50, 4000), rng.integers(0, 2, 4000)
    rows = [f"{10 + x + 5 * k:.3f},{x:.3f},{'uv'[k]}" for x, k in zip(a, z, strict=True)]
    (folder / "t.csv").write_text("\n".join(["y,a,c", *rows]), "utf-8")
    schema = "target: y\ncolumns:\n  y: {range: [0, 100]}\n  a: {range: [10, 50]}\n  c: {categories: [u, v]}\n"
    (folder / "t.yaml").write_text(schema, "utf-8")
    return [f"table={folder / 't.csv'}", f"schema={folder / 't.yaml'}", "epsilon=3", "--private-choice"]


def test_the_choice_says_its_price_and_spends_the_budget_as_a_whole(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("advise", *words, "seed=1", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["chosen"] in found["among"]
    assert len(found["among"]) == 4
    assert found["epsilon"] <= 3 * (1 + 1e-6)
    assert found["delta"] <= 1e-6 * (1 + 1e-6)
    assert found["run_epsilon"] == pytest.approx(1.0)
    assert found["unpriced_epsilon"] == 12
    assert found["predicted_alone"] < found["predicted_run"]
    assert set(found["coefficients"]) == {"intercept", "a", "c=u", "c=v"}
    assert command("advise", *words, "seed=1") == 0
    said = capsys.readouterr().out
    assert said.splitlines()[1].startswith("Chosen by the records: ")
    assert "each run has epsilon=1 and" in said
    assert "spends 4 times as much, epsilon=12" in said
    assert "no finite epsilon" in said
    assert "_" not in said.split("\n", 1)[1]


def test_nothing_but_public_numbers_decides_who_may_be_chosen(words: list[str], tmp_path: Path) -> None:
    """The same candidates on records whose labels are noise; a table is read only to be learnt from."""
    path, schema = (word.partition("=")[2] for word in words[:2])
    lines = Path(path).read_text("utf-8").splitlines()
    rng = np.random.default_rng(1)
    other = [lines[0], *(f"{rng.uniform(0, 100)},{line.partition(',')[2]}" for line in lines[1:])]
    (tmp_path / "other.csv").write_text("\n".join(other), "utf-8")
    known, budget = list(candidates(blocks("algorithm"))), Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
    found = [
        choose(File(path=str(one), schema=schema, constraint_set="l2_ball"), known, budget, np.random.default_rng(2))
        for one in (path, tmp_path / "other.csv")
    ]
    assert found[0].among == found[1].among
    assert found[0].privacy_loss == found[1].privacy_loss


def test_a_schema_alone_is_a_question_of_public_numbers(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command("advise", words[1], "n=4000", "epsilon=1") == 0
    assert capsys.readouterr().out.startswith("squared loss, l2_ball of radius 1, replace_one: n=4000, p=4, ")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["table=t.csv"], "schema= asks by public numbers alone"),
        (["seed=1"], "are for --private-choice"),
        (["--private-choice"], "needs table=FILE and schema=FILE.yaml"),
        (["--private-choice", "table=t.csv", "schema=t.yaml", "risk=.1"], "answers at a point"),
        (["--private-choice", "table=t.csv", "schema=nowhere.yaml"], "cannot read the schema nowhere.yaml"),
        (["schema=nowhere.yaml"], "cannot read the schema nowhere.yaml"),
    ],
)
def test_keys_of_a_table_that_do_not_fit_are_one_line(
    capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    assert command("advise", *more) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_seed_that_is_no_number_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command("advise", *words, "seed=x") == 2
    assert "seed must be a whole number" in capsys.readouterr().err
