"""What chooses an answer has not been used to find it: every record is followed through runs and choice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.small_problems import at, unit_ball

from dprepro.algorithms import ConfidenceBoosting, GridSearch, RegularisedOutputPerturbation
from dprepro.algorithms import grid_search as grid_search_module
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import LaplaceMin
from dprepro.problems import Problem, SquaredLoss

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
RECORDS = 60


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Sixty records of which no two are equal."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((RECORDS, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return at(unit_ball(SquaredLoss(), RECORDS, 3), x, np.ones(RECORDS), rng.uniform(-1, 1, RECORDS))


def names(problem: Problem) -> set[int]:
    """The records of a part, by their number in the whole."""
    return {hash(row.tobytes()) for row in problem.records.records.features}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[int], np.ndarray]]:
    """The records and the answer of every run of the inner algorithm."""
    found: list[tuple[set[int], np.ndarray]] = []
    solve = RegularisedOutputPerturbation.solve

    def followed(self: RegularisedOutputPerturbation, given: Problem, *further: Any) -> Any:
        solution = solve(self, given, *further)
        assert given.domain.n == given.records.records.n == len(names(given))
        found.append((names(given), np.asarray(solution.theta)))
        return solution

    monkeypatch.setattr(RegularisedOutputPerturbation, "solve", followed)
    return found


def mean_loss(problem: Problem, chosen: set[int], theta: np.ndarray) -> float:
    """Over some of the records, by the definition of the squared loss."""
    data = problem.records.records
    mine = [hash(row.tobytes()) in chosen for row in data.features]
    return float(np.mean((data.features[mine] @ theta - data.targets[mine]) ** 2))


def test_boosting_runs_on_disjoint_chunks_and_chooses_by_one_that_no_run_has_seen(
    problem: Problem, runs: list[tuple[set[int], np.ndarray]], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[np.ndarray] = []
    select = LaplaceMin.select

    def followed(self: LaplaceMin, scores: np.ndarray, rng: np.random.Generator) -> Any:
        told.append(scores)
        return select(self, scores, rng)

    monkeypatch.setattr(LaplaceMin, "select", followed)
    solution = ConfidenceBoosting(chunks=5).solve(problem, BUDGET, np.random.default_rng(1))
    seen = set().union(*(records for records, _ in runs))
    assert [len(records) for records, _ in runs] == [10] * 5
    assert len(seen) == 50
    held = names(problem) - seen
    assert told[0] == pytest.approx([mean_loss(problem, held, theta) for _, theta in runs])
    assert any(np.array_equal(solution.theta, theta) for _, theta in runs)


def test_grid_search_runs_on_one_half_over_radii_2_to_the_j_and_chooses_by_the_other(
    problem: Problem, runs: list[tuple[set[int], np.ndarray]], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[np.ndarray] = []
    normalised = grid_search_module.normalised

    def followed(scores: np.ndarray, *further: Any) -> Any:
        told.append(scores)
        return normalised(scores, *further)

    monkeypatch.setattr(grid_search_module, "normalised", followed)
    GridSearch(guesses=4, penalised=False).solve(problem, BUDGET, np.random.default_rng(2))
    train = runs[0][0]
    assert all(records == train for records, _ in runs)
    assert len(train) == RECORDS // 2
    held = names(problem) - train
    assert told[0] == pytest.approx([1.0, *(mean_loss(problem, held, theta) for _, theta in runs)])  # Y = 1
