"""The forms in which algorithms see a game, and which algorithm is held against which optimum."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dprepro.config.config_files import read_block
from dprepro.errors import InputError
from dprepro.minimax import Cube, Game, Linear, Selection, Sparse, Squared
from dprepro.problems import SupportPoint

CONF = Path(__file__).parents[2] / "conf"
GRID = np.linspace(-1, 1, 9)[:, None]
UNITS = np.eye(3)
CHOICES = [SupportPoint(np.array([k])) for k in range(3)]
FORMS: list[tuple[Game, int, int, Any]] = [
    (Linear(), 5, 1, [np.ones(1), -np.ones(1)]),
    (Linear(form="positive_part"), 5, 1, [2 * np.ones(1), -2 * np.ones(1)]),
    *[(Squared(4, form), 5, 1, GRID) for form in ("distance", "labels", "polytope")],
    (Cube(), 2, 2, np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) / np.sqrt(2)),
    *[(kind(form), 3, 3, answers) for kind in (Selection, Sparse)
      for form, answers in (("simplex", UNITS), ("supports", UNITS), ("supports", CHOICES))],
    (Sparse("squares"), 4, 3, UNITS), (Sparse("squares"), 4, 3, CHOICES),
]  # fmt: skip

UNCOVERED = {
    "direction_counts": "answers on the data of one lower bound, whose level it is held against there",
    "huberised": "maps each record for an algorithm of smooth losses; those are held against an optimum themselves",
    "penalised_least_squares": "promises no privacy, and answers with several coordinates where one is to be chosen",
}
"""Algorithms that no finite problem has, each with the reason."""


@pytest.mark.parametrize(("game", "n", "p", "answers"), FORMS)
def test_every_form_has_the_risks_of_the_game(game: Game, n: int, p: int, answers: Any) -> None:
    table = game.table(n, p)
    for state, risks in zip(table.states, table.risk / table.denominator, strict=True):
        problem = game.problem(n, p, state)
        found = [game.unit(p) * (problem.excess_risk(answer) - game.least(problem)) for answer in answers]
        assert found == pytest.approx(risks, abs=1e-9)


def test_a_fit_on_one_coordinate_loses_no_less_than_its_choice() -> None:
    game = Sparse("squares")
    problem = game.problem(6, 3, np.array([3, 2, 1]))
    for k in range(3):
        fits = [problem.excess_risk(t * UNITS[k]) for t in (-1.0, 0.0, 0.4, 1.0)]
        assert min(fits) == pytest.approx(problem.excess_risk(CHOICES[k]), abs=1e-9)


def test_scores_of_several_candidates_are_no_squares() -> None:
    with pytest.raises(InputError, match="form must be simplex or supports"):
        Selection("squares")


def test_every_algorithm_is_held_against_an_optimum_or_says_why_not() -> None:
    covered = set()
    for path in sorted((CONF / "experiment").glob("minimax_*.yaml")):
        for series in read_block(path)["study"]["series"].values():
            algorithm = series.get("algorithm", "")
            covered.add(algorithm["name"] if isinstance(algorithm, dict) else algorithm)
    names = {path.stem for path in (CONF / "algorithm").glob("*.yaml")}
    assert names - covered == set(UNCOVERED)
    assert all(UNCOVERED.values())
