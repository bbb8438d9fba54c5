"""The exact optimum of small problems, the levels that theorems draw below it, and how far algorithms are above it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from dprepro import bounds, laws
from dprepro.algorithms import Algorithm
from dprepro.axes import at
from dprepro.budget import Budget, Neighbours
from dprepro.dispatch import Numbers
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.errors import Incompatible, InputError, PremiseError
from dprepro.minimax import Game, optimum, private
from dprepro.problems import Problem
from dprepro.studies.base import Declaration, Design, Role, Study, certified_rows, points
from dprepro.studies.describe import describe

Value = float | int | str | bool | None

SEARCHED = 4
"""The worst data set is looked for with one in so many of the draws that its risk is then measured by."""


@dataclass(frozen=True)
class MinimaxSeries:
    """The optimum of a game, or the worst risk of an algorithm on its data sets.

    Attributes:
        role: ``claim``, ``control`` (must be refuted) or ``context``.
        game: the problem (see `dprepro.minimax`).
        algorithm: what is run on every data set; none for the optimum itself.
        levels: of the optimum: functions of `bounds`, by name, each a quantity of its own.
        rate: of the optimum: a theorem's, without its constant, by name.
        draws: of an algorithm without a known expected risk, on the data set that was found worst.
        symmetric: whether the algorithm has the game's symmetries, so that one data set of each orbit is enough.
        epsilon_factor: mechanism or algorithm have this multiple of the epsilon that is claimed.
        sweep: axes on which this series departs from the experiment's sweep.
        replicates: repetitions, where they differ from the experiment's.
    """

    role: Role
    game: Game
    algorithm: Algorithm | None = None
    levels: tuple[str, ...] = ()
    rate: str = ""
    draws: int = 400
    symmetric: bool = True
    epsilon_factor: float = 1.0
    sweep: Mapping[str, Sequence[float]] = field(default_factory=dict)
    replicates: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.epsilon_factor < math.inf:
            raise InputError(f"epsilon_factor must be positive, got epsilon_factor={self.epsilon_factor:g}")
        if self.draws < SEARCHED:
            raise InputError(f"draws must be at least {SEARCHED}, got draws={self.draws}")
        if self.algorithm is not None and (self.levels or self.rate):
            raise InputError("levels and rate are held against the optimum: a series with an algorithm has none")


@dataclass(frozen=True)
class MinimaxStudy(Study):
    """Measures the least worst-case risk under replacement of one record, and compares with it.

    ``excess_risk`` is the worst over all data sets of n of the game's records, and its bound is the certified lower
    limit for every private mechanism. Of the optimum it is the risk of the mechanism that was found; it also has
    ``minimax_risk``, the same beside the rate; ``certified_risk``, the lower limit beside the rate; ``private``, 1 if
    the mechanism passes the exact check at the epsilon that is claimed and 0 if not, with bound 1; and each level, with
    the lower limit as bound. An algorithm also has ``times_optimum``, bound 1, and ``certified_epsilon``.

    Columns: ``worst``, the data set; ``answers_cost``, what a grid of answers may cost; ``data_sets``, how many orbits
    of them there are; ``deterministic``, and ``total_steps`` of what is spent.
    """

    series: Mapping[str, MinimaxSeries]

    def cells(self, design: Design) -> list[Cell]:
        """Series by series; one replicate where nothing is drawn."""
        if self.neighbours is not Neighbours.REPLACE_ONE:
            raise InputError(f"neighbours must be replace_one here, got {self.neighbours}")
        cells = []
        for label, series in self.series.items():
            grid = self._grid(label, design)
            named = [*series.levels, *([series.rate] if series.rate else [])]
            draws = series.draws if series.algorithm else 0
            science = self.identity(
                game=describe(series.game), algorithm=describe(series.algorithm), levels=named, draws=draws,
                overspend=series.epsilon_factor, symmetric=series.symmetric,
            )  # fmt: skip
            for point in grid:
                if series.algorithm is not None:
                    self._admitted(label, point)
                numbers = _numbers(series, point)
                for name in named:
                    if lack := numbers.lacks(name):
                        raise InputError(f"series {label}: {name} needs {lack}")
            parts: list[object] = [series.game, optimum]
            if series.algorithm is not None:
                law = laws.law_of(type(series.algorithm))
                parts += [series.algorithm, *([law] if law else [])]
            made = canonical(science), self.code(*parts, *(bounds.find(name) for name in named))
            count = series.replicates or design.replicates if series.algorithm is not None else 1
            cells += [Cell(label, series.role, point, k, design.seed, *made) for point in grid for k in range(count)]
        return cells

    def declare(self, design: Design) -> Declaration:
        """As the class says."""
        found = {}
        for label, series in self.series.items():
            if series.algorithm is None:
                names = ["excess_risk", "minimax_risk", "certified_risk", "private", *map(_short, series.levels)]
            else:
                names = [
                    "excess_risk",
                    "times_optimum",
                    *(["certified_epsilon"] if series.algorithm.promises() else []),
                ]
            found[label] = frozenset(names)
        axes = {axis for label in self.series for point in self._grid(label, design) for axis in point}
        columns = frozenset({"worst", "answers_cost", "data_sets", "deterministic", "total_steps"})
        return Declaration(found, columns, frozenset(axes))

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        series = self.series[cell.series]
        return (
            self._optimum(series, cell.axes) if series.algorithm is None else self._worst(cell.series, cell.axes, rng)
        )

    def _optimum(self, series: MinimaxSeries, axes: Mapping[str, float]) -> list[Row]:
        n, p, epsilon, delta = int(axes["n"]), int(axes["p"]), axes["epsilon"], axes["delta"]
        best = optimum(series.game, n, p, series.epsilon_factor * epsilon, delta)
        low, high, numbers = float(best.lower.risk), float(best.upper.risk), _numbers(series, axes)
        columns: dict[str, Value] = {
            "deterministic": True,
            "data_sets": len(best.game.states),
            "answers_cost": float(series.game.cost()),
        }
        rate = numbers.evaluate(series.rate) if series.rate else None
        kept = private(best.game, best.upper.table, epsilon, delta)
        rows = [
            Row("excess_risk", high, low, columns),
            Row("minimax_risk", high, rate, columns),
            Row("certified_risk", low, rate, columns),
            Row("private", float(kept), 1.0, columns),
        ]
        return rows + [Row(_short(name), numbers.evaluate(name), low, columns) for name in series.levels]

    def _worst(self, label: str, axes: Mapping[str, float], rng: np.random.Generator) -> list[Row]:
        """The largest expected risk over data sets; by draws, it is looked for and measured with different ones."""
        series = self.series[label]
        algorithm, budget = self._admitted(label, axes)
        n, p = int(axes["n"]), int(axes["p"])
        low, high, states = _limits(series.game, n, p, axes["epsilon"], axes["delta"])
        if not series.symmetric:
            states = tuple(map(tuple, series.game.table(n, p).states.tolist()))
        unit = series.game.unit(p)
        problems = [series.game.problem(n, p, np.array(state)) for state in states]
        expected = _expected(algorithm, budget, problems[0])
        if expected is not None:
            risks = [expected(problem) for problem in problems]
            worst = int(np.argmax(risks))
            risk = risks[worst]
        else:
            few = series.draws // SEARCHED
            risks = [_mean(algorithm, budget, problem, few, rng) - series.game.least(problem) for problem in problems]
            worst = int(np.argmax(risks))
            risk = _mean(algorithm, budget, problems[worst], series.draws, rng) - series.game.least(problems[worst])
        exact = expected is not None or algorithm.deterministic
        columns: dict[str, Value] = {"deterministic": exact, "worst": " ".join(map(str, states[worst]))}
        rows = [Row("excess_risk", unit * risk, low, columns), Row("times_optimum", unit * risk / high, 1.0, columns)]
        domain = problems[0].domain
        return rows + certified_rows(
            algorithm.privacy_loss(domain, budget), axes["epsilon"], algorithm.schedule(domain, budget).steps
        )

    def _admitted(self, label: str, axes: Mapping[str, float]) -> tuple[Algorithm, Budget]:
        """The algorithm at a grid point with its budget; raises InputError where it refuses."""
        series = self.series[label]
        assert series.algorithm is not None
        algorithm = at(series.algorithm, axes)
        budget = Budget(series.epsilon_factor * axes["epsilon"], axes["delta"], self.neighbours)
        domain = series.game.domain(int(axes["n"]), int(axes["p"]))
        if reason := algorithm.refusal(domain, budget):
            raise InputError(f"series {label}: {reason}")
        return algorithm, budget

    def _grid(self, label: str, design: Design) -> list[dict[str, float]]:
        series = self.series[label]
        return points(label, design.axes(series.sweep), *([series.algorithm] if series.algorithm is not None else []))


@lru_cache(maxsize=512)
def _limits(
    game: Game, n: int, p: int, epsilon: float, delta: float
) -> tuple[float, float, tuple[tuple[int, ...], ...]]:
    """Both limits of the optimum, and one data set of each orbit; the grid of answers matters to no algorithm."""
    best = optimum(game, n, p, epsilon, delta)
    return float(best.lower.risk), float(best.upper.risk), tuple(map(tuple, best.game.states.tolist()))


def _expected(algorithm: Algorithm, budget: Budget, problem: Problem) -> Callable[[Problem], float] | None:
    """The expected risk by a law, where one is known."""
    try:
        law = laws.find(algorithm, problem.domain, budget)
        law.expected_risk(problem)
    except (Incompatible, PremiseError):
        return None
    return law.expected_risk


def _mean(algorithm: Algorithm, budget: Budget, problem: Problem, draws: int, rng: np.random.Generator) -> float:
    count = 1 if algorithm.deterministic else draws
    risks = [problem.excess_risk(algorithm.solve(problem, budget, rng).theta) for _ in range(count)]
    return math.fsum(risks) / count


def _numbers(series: MinimaxSeries, axes: Mapping[str, float]) -> Numbers:
    """What a level may ask for: the grid point, and constants of the domain."""
    return Numbers(series.game.domain(int(axes["n"]), int(axes["p"])), axes)


def _short(name: str) -> str:
    """What a level is called."""
    return name.rpartition(".")[2]
