"""Units that numbers rest on are drawn independently: answers, instances, bystanders, replicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from dprepro.algorithms import DataFree, ExactMinimiser
from dprepro.constructions import Attackable, Challenge, Finding, RandomDesign
from dprepro.constructions.base import unit_lasso
from dprepro.engine import measure_cell
from dprepro.engine.cell import Cell, canonical
from dprepro.engine.seeding import generator
from dprepro.practice import study as advice_module
from dprepro.practice.study import AdviceStudy
from dprepro.problems import Problem, Records, RecordsView
from dprepro.studies import AttackStudy, Design, Series

SWEEP = {"n": [20.0], "p": [3.0], "epsilon": [1.0], "delta": [1e-6]}


@dataclass(frozen=True)
class Told(Challenge):
    """An instance that tells which random numbers it was made of and attacked with."""

    own: float

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        SEEN.append((self.own, float(np.asarray(theta)[0]), float(rng.random())))
        return [Finding("hit", 1.0)]


SEEN: list[tuple[float, float, float]] = []


@dataclass(frozen=True)
class Telling(Attackable):
    """See `Told`."""

    def domain(self, point: Any) -> Any:
        return unit_lasso(point)

    def representations(self, point: Any) -> frozenset[str]:
        return frozenset({"records"})

    def challenge(self, point: Any, noise_scale: float, rng: np.random.Generator) -> Told:
        x = np.zeros((20, 3))
        view = RecordsView(self.domain(point), Records(x, np.zeros(20)))
        return Told(Problem(view.domain, {"records": view}), float(rng.random()))


@dataclass(frozen=True)
class Noisy(DataFree):
    """Answers with noise alone."""

    deterministic = False

    def solve(self, problem: Problem, budget: Any, rng: np.random.Generator) -> Any:
        return replace(super().solve(problem, budget, rng), theta=np.append(rng.random(), np.zeros(2)))


def test_instances_answers_and_bystanders_of_all_trials_and_replicates_have_numbers_of_their_own() -> None:
    SEEN.clear()
    study = AttackStudy(series={"one": Series("claim", algorithm=Noisy(), construction=Telling())}, trials=7)
    cells = study.cells(Design(SWEEP, 5))
    assert len(cells) == 5
    for cell in cells:
        assert measure_cell(study.measure, cell).status == "ok"
    told = np.array(SEEN)
    assert told.shape == (35, 3)
    assert len(np.unique(told)) == told.size
    # 35 independent lines: correlations within and between neighbours, at 4.5 standard errors of 1/sqrt 35
    within = np.corrcoef(told.T) - np.eye(3)
    between = np.corrcoef(np.hstack([told[1:], told[:-1]]).T) - np.eye(6)
    assert max(np.abs(within).max(), np.abs(between).max()) < 4.5 / np.sqrt(35)


def test_advice_takes_the_mean_over_draws_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer is drawn anew, and a risk is the mean excess risk of exactly these answers."""
    given: dict[str, list[np.ndarray]] = {}

    class Runs:
        def __init__(self, name: str) -> None:
            self.name = name

        def solve(self, problem: Problem, budget: Any, rng: np.random.Generator) -> Any:
            theta = 0.1 * rng.random(problem.domain.p)
            given.setdefault(self.name, []).append(theta)
            return replace(DataFree().solve(problem, budget, rng), theta=theta)

    algorithms = {"first": DataFree(), "second": ExactMinimiser()}
    names = {id(algorithm): name for name, algorithm in algorithms.items()}
    monkeypatch.setattr(advice_module, "solver", lambda how, algorithm: Runs(names[id(algorithm)]))
    design = RandomDesign(kind="planted", rows=20, constraint_set="l2_ball")
    study = AdviceStudy(algorithms, ("first", "second"), designs={"planted": design}, draws=6)
    cell = study.cells(Design(SWEEP, 1))[0]
    problem = design.build(cell.axes, 0.0)
    from dprepro.budget import Budget, Neighbours

    budget = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
    risks = study._risks(design, cell.axes, budget, np.random.default_rng(0))
    assert set(given) == {"first", "second"}
    every = np.array([theta[0] for answers in given.values() for theta in answers])
    assert every.size == len(np.unique(every)) == 12
    for name, answers in given.items():
        assert risks[name] == pytest.approx(np.mean([problem.excess_risk(theta) for theta in answers]))
    assert risks[advice_module.ZERO] == pytest.approx(problem.trivial_risk)


def test_no_two_cells_of_other_axes_replicates_seeds_or_science_share_numbers() -> None:
    """Also measured: what a cell is given, not its key alone."""
    base = Cell("s", "claim", {"n": 10, "epsilon": 1.0}, 0, 0, canonical({"algorithm": "a"}))
    cells = [
        *(replace(base, replicate=k) for k in range(20)), *(replace(base, seed=k) for k in range(1, 20)),
        *(replace(base, axes={"n": 10, "epsilon": 1.0 + k}) for k in range(1, 20)),
        *(replace(base, axes={"n": 10 + k, "epsilon": 1.0}) for k in range(1, 20)),
        *(replace(base, science=canonical({"algorithm": f"a{k}"})) for k in range(1, 20)),
    ]  # fmt: skip
    first = []

    def measure(cell: Cell, rng: np.random.Generator) -> Any:
        first.append(rng.random(64))
        return ()

    for cell in cells:
        measure_cell(measure, cell)
    numbers = np.array(first)
    assert len(np.unique(numbers)) == numbers.size
    apart = np.corrcoef(numbers) - np.eye(len(cells))
    assert np.abs(apart).max() < 5.5 / np.sqrt(64)  # of 4560 pairs; 1 choice of seeds in 2000 fails
    assert (generator(base.stream).random(64) == numbers[0]).all()
