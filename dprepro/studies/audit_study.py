"""What a distinguisher achieves on an algorithm's own answers, beside what is claimed and what is certified."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from dprepro import laws
from dprepro.algorithms import Algorithm
from dprepro.algorithms.base import Parts
from dprepro.axes import at
from dprepro.budget import Budget, Neighbours
from dprepro.constructions.corners import Corners, Pair, promised
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.errors import InputError, PremiseError
from dprepro.mechanisms import NoiseMoments
from dprepro.privacy import compose
from dprepro.privacy.audit import Audited, audit, ranked
from dprepro.privacy.losses import MOST
from dprepro.privacy.outcomes import Answers, answered
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.studies.base import Declaration, Design, Role, Study, certified_rows, points
from dprepro.studies.describe import describe
from dprepro.studies.transcripts import as_vector, audit_transcripts, worst_transcripts

Columns: TypeAlias = dict[str, float | int | str | bool | None]

SEARCH = (100, 600)
"""Draws with which pairs are looked for: on each pair, then on each of the `BEST`."""
BEST = 4

LEAST = 1e-11
"""No smaller delta is looked for."""


@dataclass(frozen=True)
class AuditSeries:
    """One algorithm on pairs of small data sets.

    Attributes:
        role: ``claim``, ``control`` (must be refuted) or ``context``.
        algorithm: an axis of the sweep that bears the name of one of its fields sets that field; so for what follows.
        data: the pairs among which the worst is looked for.
        draws: answers on each of the two data sets, of which half choose the event; 0 for the exact law alone.
        multiple: of the claimed epsilon, at which delta is looked at; for no draws only.
        relation: under which the data sets are neighbours; by default the experiment's.
        believed: the relation that the algorithm is told, where that is another (negative control).
        promised: the bound on labels that the algorithm is told, where labels exceed it (negative control).
        epsilon_factor: it is given that multiple of the epsilon that is claimed; 1 for a claim.
        repeats: answers that are published where one is accounted for; 1 for a claim.
        transcript: all that its mechanisms publish is audited, not the answer alone (see `transcripts`).
        share: of epsilon and delta that is claimed of what the pair can see: of the part that has the record, where an
            algorithm spends less than its budget.
        sweep: axes on which this series departs from the experiment's sweep.
    """

    role: Role
    algorithm: Algorithm
    data: Corners = field(default_factory=Corners)
    draws: int = 10_000
    multiple: float = 1.0
    relation: Neighbours | None = None
    believed: Neighbours | None = None
    promised: float | None = None
    epsilon_factor: float = 1.0
    repeats: int = 1
    transcript: bool = False
    share: float = 1.0
    sweep: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if 0 < self.draws < 100 or self.draws < 0 or self.repeats < 1 or not self.epsilon_factor > 0:
            said = f"draws={self.draws}, repeats={self.repeats}, epsilon_factor={self.epsilon_factor:g}"
            raise InputError(
                f"draws must be 0 or at least 100, repeats at least 1 and epsilon_factor positive, got {said}"
            )
        if self.transcript and not (self.draws and self.repeats == 1):
            raise InputError(f"transcripts need draws and repeats=1, got draws={self.draws}, repeats={self.repeats}")
        if not 0 < self.share <= 1:
            raise InputError(f"share must be in (0, 1], got share={self.share:g}")


@dataclass(frozen=True)
class AuditStudy(Study):
    """Answers of ``solve`` on two neighbours, told apart by an event that other draws have chosen.

    Quantities, with the claimed epsilon as bound: ``audited_epsilon``, which is spent at least, at the claimed delta,
    with 99% confidence for each cell (see `privacy.audit`); for a claim ``violating_epsilon``, the same of a run that
    was given the least of ``epsilon_factors`` which the audit notices, or the largest (column ``epsilon_factor``), at
    the same draws and on the same pair: what an audit cannot refute there, it cannot support here either;
    ``certified_epsilon`` of an honest run; ``slack``, certified over audited, where that is not zero;
    ``noise_moments``; and ``lower_epsilon``, what is spent on this pair at least, where the law of the answer is
    known: read off events that part the answers (`laws.NeighbourLaws`), so a lower value, if near, of what is spent.

    Without draws, by the law: ``lower_epsilon``, the largest over the pairs, and from it ``violating_epsilon`` and
    ``slack`` as above; and ``exact_delta``, the largest over the pairs at ``multiple`` times epsilon, by the exact law
    but a lower value likewise, with ``certified_delta``, that of an honest run there, as bound.

    The limit says nothing of other pairs of data sets and of other events: it is one from below.

    Attributes:
        epsilon_factors: multiples of epsilon, ascending.
    """

    version: ClassVar[int] = 1

    series: Mapping[str, AuditSeries]
    epsilon_factors: tuple[float, ...] = (1.3, 2.0, 4.0)

    def cells(self, design: Design) -> list[Cell]:
        """Series by series, with all replicates."""
        cells = []
        for label, value in self.series.items():
            grid = self._grid(label, design)
            for point in grid:
                series = at(value, point)
                given = self._given_budget(series, point)
                at(value.algorithm, point).admit(value.data.domain(point), given)
            epsilon_factors = self.epsilon_factors if value.role == "claim" else ()
            measured = {KEYS.get(name, name): describe(getattr(value, name)) for name in MEASURED}
            measured |= {
                name: getattr(value, name) for name, default in LATER.items() if getattr(value, name) != default
            }
            science = canonical(self.identity(overspends=epsilon_factors, **measured))
            code = self.code(value.algorithm, value.data, laws.law_of(type(value.algorithm)) or laws.Law)
            cells += [
                Cell(label, value.role, point, replicate, design.seed, science, code)
                for point in grid
                for replicate in range(design.replicates)
            ]
        return cells

    def declare(self, design: Design) -> Declaration:
        """As the class says; whether noise is counted and a law is known, only a run can tell."""
        found = {}
        for label, series in self.series.items():
            names = {"slack", "lower_epsilon"}
            names |= {"audited_epsilon", "noise_moments"} if series.draws else {"exact_delta", "certified_delta"}
            names |= {"violating_epsilon"} if series.role == "claim" else set()
            names |= {"certified_epsilon"} if series.algorithm.promises() else set()
            found[label] = frozenset(names)
        axes = {axis for label in self.series for point in self._grid(label, design) for axis in point}
        return Declaration(found, frozenset(COLUMNS), frozenset(axes))

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        series = at(self.series[cell.series], cell.axes)
        algorithm = at(series.algorithm, cell.axes)
        epsilon, delta = series.share * cell.axes["epsilon"], series.share * cell.axes["delta"]
        given, relation = self._given_budget(series, cell.axes), series.relation or self.neighbours
        data = promised(series.data.neighbours(cell.axes, relation), series.promised)
        if not series.draws:
            return self._by_law(algorithm, data, series, cell.axes)
        if series.transcript:
            name, (first, second) = worst_transcripts(algorithm, data, given, rng)
        else:
            name = worst_pair(algorithm, data, given, series.repeats, rng)
            first, second = data[name]

        def drawn(budget: Budget) -> tuple[Audited, NoiseMoments]:
            if series.transcript:
                return audit_transcripts(algorithm, (first, second), budget, series.draws, delta, rng)
            counted = [
                answers(algorithm, problem, budget, series.draws, series.repeats, rng) for problem in (first, second)
            ]
            return audit(counted[0][0], counted[1][0], delta), counted[0][1]

        found, noise = drawn(given)
        columns: Columns = {"pair": name, "relation": relation.value, "event": found.event, "draws": found.draws}
        rows = [Row("audited_epsilon", found.epsilon, epsilon, columns | {"deterministic": True})]
        if series.role == "claim":
            rows.append(self._violating(given, epsilon, lambda budget: drawn(budget)[0].epsilon))
        if (
            series.repeats == 1
            and not series.transcript
            and (exact := laws.beside(algorithm, given, data[name])) is not None
        ):
            rows.append(Row("lower_epsilon", min(MOST, exact.lower_epsilon(delta)), epsilon, {"deterministic": True}))
        schedule = algorithm.schedule(first.domain, given)
        rows += self._certified(algorithm, first.domain, given, cell.axes["epsilon"], found.epsilon)
        if schedule.noise_scale > 0 and noise.unit > 0:
            rows.append(Row("noise_moments", noise.ratio(schedule.noise_scale), 1.0, {"freedom": noise.freedom}))
        return rows

    def _by_law(
        self, algorithm: Algorithm, data: Mapping[str, Pair], series: AuditSeries, point: Mapping[str, float]
    ) -> list[Row]:
        """What is spent over all pairs, and delta against epsilon, beside what is certified."""
        given, epsilon = self._given_budget(series, point), series.share * point["epsilon"]

        pairs = {key: law for key, pair in data.items() if (law := laws.beside(algorithm, given, pair)) is not None}
        if not pairs:
            raise PremiseError(f"no exact law of {type(algorithm).__name__} is known here, and no draws are asked for")
        losses = {key: min(MOST, law.lower_epsilon(series.share * given.delta)) for key, law in pairs.items()}
        name = max(losses, key=lambda key: losses[key])

        def known(budget: Budget) -> float:
            law = laws.beside(algorithm, budget, data[name])
            assert law is not None
            return min(MOST, law.lower_epsilon(series.share * budget.delta))

        columns: Columns = {"pair": name, "relation": (series.relation or self.neighbours).value, "deterministic": True}
        rows = [Row("lower_epsilon", losses[name], epsilon, columns)]
        if series.role == "claim":
            rows.append(self._violating(given, epsilon, known))
        domain, multiple = series.data.domain(point), series.multiple * epsilon
        rows += self._certified(algorithm, domain, given, point["epsilon"], losses[name])
        parts = algorithm.parts(domain, Budget(point["epsilon"], point["delta"], given.neighbours))
        bound = None if parts is None else certified_delta(parts, multiple)
        columns = {"deterministic": True}
        rows.append(Row("exact_delta", max(pair.lower_delta(multiple) for pair in pairs.values()), bound, columns))
        return rows if bound is None else [*rows, Row("certified_delta", bound, None, columns)]

    def _violating(self, given: Budget, epsilon: float, found: Callable[[Budget], float]) -> Row:
        """The run with the least factor of epsilon whose violation is noticed."""
        row = None
        for factor in self.epsilon_factors:
            most = found(Budget(factor * given.epsilon, given.delta, given.neighbours))
            row = Row("violating_epsilon", most, epsilon, {"epsilon_factor": factor, "deterministic": True})
            if most > epsilon:
                break
        assert row is not None
        return row

    @staticmethod
    def _certified(algorithm: Algorithm, domain: Domain, given: Budget, epsilon: float, seen: float) -> list[Row]:
        """What an honest run is certified to spend, and how many times that is of what was seen."""
        privacy_loss = algorithm.privacy_loss(domain, Budget(epsilon, given.delta, given.neighbours))
        rows = certified_rows(privacy_loss, epsilon, algorithm.schedule(domain, given).steps)
        return [*rows, Row("slack", privacy_loss.epsilon / seen)] if privacy_loss is not None and seen > 0 else rows

    def _given_budget(self, series: AuditSeries, point: Mapping[str, float]) -> Budget:
        """The budget that the algorithm is given."""
        relation = series.believed or series.relation or self.neighbours
        return Budget(series.epsilon_factor * point["epsilon"], point["delta"], relation)

    def _grid(self, label: str, design: Design) -> list[dict[str, float]]:
        series = self.series[label]
        return points(label, design.axes(series.sweep), series.algorithm, series)


MEASURED = ("algorithm", "data", "draws", "multiple", "relation", "believed", "epsilon_factor", "repeats")
"""What of a series its measurements depend on."""

KEYS = {"epsilon_factor": "overspend"}
"""Words of the cells' keys, which stay the first ones: with others all draws would be others."""

LATER = {"transcript": False, "share": 1.0, "promised": None}
"""Options that came later. At these values they are left out of the key, so that older cells keep theirs."""

COLUMNS = ("pair", "relation", "event", "draws", "epsilon_factor", "freedom", "total_steps", "deterministic")


def answers(
    algorithm: Algorithm, problem: Problem, given: Budget, draws: int, repeats: int, rng: np.random.Generator
) -> tuple[Answers, NoiseMoments]:
    """Independent answers, shape (draws, q), and the noise that was drawn for them; ``repeats`` stand side by side.

    One by one where not all are of one length: an error stands in the place of an answer that the algorithm refuses.
    """
    drawn = NoiseMoments()

    def solve() -> FloatArray:
        nonlocal drawn
        row = []
        for _ in range(repeats):
            solution = algorithm.solve(problem, given, rng)
            row.append(as_vector(solution.theta, problem.domain.p))
            drawn += solution.noise or NoiseMoments()
        return row[0] if repeats == 1 else np.concatenate(row)

    rows = [answered(solve) for _ in range(draws)]
    plain = [row for row in rows if isinstance(row, np.ndarray)]
    alike = len(plain) == draws and len({row.shape for row in plain}) == 1
    return np.array(plain) if alike else rows, drawn


def worst_pair(
    algorithm: Algorithm, pairs: Mapping[str, Pair], given: Budget, repeats: int, rng: np.random.Generator
) -> str:
    """The name of the pair that a few draws tell apart best; the draws are used for nothing else."""

    def draw(name: str, draws: int) -> tuple[Answers, Answers]:
        first, second = (answers(algorithm, problem, given, draws, repeats, rng)[0] for problem in pairs[name])
        return first, second

    return ranked(list(pairs), draw, tuple(zip(SEARCH, (BEST, 1), strict=True)), given.delta, level=0.0)[0]


def certified_delta(parts: Parts, epsilon: float) -> float:
    """The least delta, to a relative 1e-6, at which these parts are certified to spend no more than epsilon."""
    low, high = math.log(LEAST), math.log1p(-LEAST)
    while high - low > 1e-6:
        middle = (low + high) / 2
        enough = compose(parts, math.exp(middle)).epsilon <= epsilon
        low, high = (low, middle) if enough else (middle, high)
    return math.exp(high)
