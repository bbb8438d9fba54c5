"""The largest risk that a search over families of data finds, and the best schedule against what is found."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from dprepro.adversary import GAIN, Found, Space, play, search, space_of
from dprepro.algorithms import Solution
from dprepro.constructions import Construction
from dprepro.dispatch import dispatch
from dprepro.dispatch.run_seconds import run_seconds
from dprepro.engine.cell import Cell, Row
from dprepro.errors import Incompatible, InputError, PremiseError, unknown
from dprepro.problems import Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.studies.base import Design, noise_rows
from dprepro.studies.describe import describe
from dprepro.studies.rate_study import RateStudy
from dprepro.studies.series import CellContext, Series

OUTSIDE = -1.0
"""The risk of data outside their premise: below that of any data."""

FEWEST = 20
"""Runs without which there is no search."""


@dataclass(frozen=True)
class Hunt(Series):
    """As Series, its construction being a family that is searched.

    Attributes:
        evaluations: data sets that a search tries; 0 for those alone where it would begin.
        starts: where it begins: ``known`` hard data, ``family`` as it is configured, or ``none``.
        versus: fields of the algorithm with other values: the risk is compared with what is found against that one.
        versus_share: how long that search is, as a share; the shorter, the more is what is gained understated.
        tune: a number of the algorithm that plays against the data (see `dprepro.adversary.play`); its value in the
            algorithm is where the game begins.
        between: the least and the largest value of ``tune``.
        seconds: about how long a cell may take, by `run_seconds`: where runs are dear fewer data are tried and
            scored by fewer draws, and where not even `FEWEST` can be had the cell is skipped.
    """

    evaluations: int = 300
    starts: str = "known"
    versus: Mapping[str, float] = field(default_factory=dict)
    versus_share: float = 0.5
    tune: str = ""
    between: Sequence[float] = ()
    seconds: float = math.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.evaluations < 0:
            raise InputError(f"evaluations must be at least 0, got evaluations={self.evaluations}")
        if not 0 <= self.versus_share <= 1:
            raise InputError(f"versus_share must be in [0, 1], got versus_share={self.versus_share:g}")
        if self.starts not in ("known", "family", "none"):
            raise unknown("starts", self.starts, ("known", "family", "none"))
        if self.starts == "none" and not self.evaluations:
            raise InputError("a search without starts needs evaluations, got evaluations=0")
        numbers = {named_field.name for named_field in fields(self.algorithm)}
        for name in (*self.versus, *([self.tune] if self.tune else [])):
            if name not in numbers:
                raise unknown("parameter of the algorithm", name, numbers)
        if self.tune and not (len(self.between) == 2 and 0 < self.between[0] < self.between[1] < math.inf):
            raise InputError(f"between must be [low, high] with 0 < low < high, got {list(self.between)}")


@dataclass(frozen=True)
class WorstCaseStudy(RateStudy):
    """As RateStudy, but ``excess_risk`` is that on the worst data that a search over the construction's space finds.

    The search sees means over ``search_draws`` runs, with common random numbers; the risk is then measured by
    ``draws`` runs with other ones, so that nothing is gained by luck. A worst *known* risk is a lower limit of the
    supremum over all data, and no more; with replicates, of what such a search finds on average.

    Attributes:
        own: the family that the paper's rate is shown on; where its domain is another, the construction as configured.
        draws, search_draws: runs on a data set.

    Further quantities: ``worst_known_risk``, the same risk beside the rate, and ``explicit_bound`` beside
    it: between the two ratios lies the least constant of the claim. ``own_family_risk``; ``times_own_family``, and
    ``times_trivial``: the risk over the trivial answer's largest one on data that the search has seen, which is also
    the column ``trivial_risk``. With ``versus``: ``versus_risk`` and ``times_versus``. With ``tune``: ``tuned``, the
    value found beside 1, ``tuned_steps``, and ``game_gain``, the last round's gain beside the one at which a game has
    ended.
    Columns: ``found``, the data as a construction in JSON; ``searched_risk``, what the search believed;
    ``evaluations``; ``rounds`` of a game.
    """

    version: ClassVar[int] = 1

    series: Mapping[str, Hunt]
    own: Construction | None = None
    draws: int = 20
    search_draws: int = 2

    def __post_init__(self) -> None:
        if min(self.draws, self.search_draws) < 1:
            raise InputError(f"draws and search_draws must be at least 1, got {self.draws} and {self.search_draws}")

    def cells(self, design: Design) -> list[Cell]:
        """As RateStudy; raises InputError also for a family that has no space."""
        for hunt in self.series.values():
            space_of(hunt.construction)
        return super().cells(design)

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        context = self._context(cell.series, cell.axes)
        if afforded := self._affords(self.series[cell.series], context):
            fewer = replace(self.series[cell.series], evaluations=afforded["evaluations"], seconds=math.inf)
            return replace(self, series={cell.series: fewer}, draws=afforded["draws"]).measure(cell, rng)
        search = self.series[cell.series]
        streams, further = [int(rng.integers(2**62)) for _ in range(3)], list[Row]()
        starts = self._starts(search, context)
        if search.tune:
            context, starts, further = self._game(search, context, starts, streams[0])
        rows = self._found(search, context, starts, streams[1:])
        risk, bound = rows[0].value, rows[0].bound
        rate, trivial = (rows[0].columns[name] for name in ("rate", "trivial_risk"))
        plain = {name: rows[0].columns[name] for name in ("deterministic", "total_steps")}
        own, _, _ = self._risk(context, self._own(context), self.draws, streams[2])
        assert isinstance(trivial, float)
        further += [
            Row("worst_known_risk", risk, rate if isinstance(rate, float) else None, plain),
            Row("own_family_risk", own, bound, plain),
            Row("times_trivial", risk / trivial if trivial else 0.0, 1.0, plain),
        ]
        further += [Row("times_own_family", risk / own, 1.0, plain)] if own > 0 else []
        if bound is not None and isinstance(rate, float):
            further.append(Row("explicit_bound", bound, rate, plain))
        if search.versus:
            other = replace(context, algorithm=replace(self.series[cell.series].algorithm, **search.versus))
            shorter = replace(search, evaluations=round(search.versus_share * search.evaluations))
            against = self._found(shorter, other, self._starts(search, other), streams[1:])[0]
            further.append(Row("versus_risk", against.value, against.bound, plain))
            further.append(Row("times_versus", risk / against.value, 1.0, plain))
        return rows + further

    def rebuilt(self, cell: Cell) -> dict[str, dict[str, Any]]:
        """Nothing: data that are found may be of another reduction, and a game ends with another schedule."""
        return {}

    def _affords(self, series: Series, context: CellContext) -> dict[str, int]:
        """How many data sets and draws ``seconds`` allow, if fewer; raises PremiseError where there is no search."""
        assert isinstance(series, Hunt)
        if math.isinf(series.seconds):
            return {}
        price = run_seconds(context.algorithm, context.dispatch.domain, context.budget, context.dispatch.backend)
        runs = int(series.seconds / price)
        if runs < FEWEST:
            raise PremiseError(
                f"a run takes about {price:.2g} s, and {FEWEST} of them more than seconds={series.seconds:g}; "
                "choices: a smaller n or p, another construction, more seconds"
            )
        if runs >= self.search_draws * series.evaluations + 2 * self.draws:
            return {}
        draws = min(self.draws, runs // 4)
        return {"evaluations": min(series.evaluations, (runs - 2 * draws) // self.search_draws), "draws": draws}

    def _starts(self, search: Hunt, context: CellContext) -> list[FloatArray]:
        found = space_of(context.construction).starts(context.point, context.schedule.noise_scale)
        return {"known": found, "family": found[:1], "none": []}[search.starts]

    def _own(self, context: CellContext) -> Construction:
        same = self.own is not None and self.own.domain(context.point) == context.dispatch.domain
        return self.own if self.own is not None and same else context.construction

    def _risk(
        self, context: CellContext, data: Construction, draws: int, stream: int
    ) -> tuple[float, Problem | None, Sequence[Solution]]:
        """The mean risk on a data set, its problem and the answers; outside its premise there is none."""
        try:
            backend = dispatch(context.algorithm, data, context.point, context.budget, context.series.reduction)
            problem = data.build(context.point, context.schedule.noise_scale)
        except (PremiseError, Incompatible):
            return OUTSIDE, None, []
        runs = 1 if context.algorithm.deterministic else draws
        answers = replace(context, dispatch=backend).solve(problem, np.random.default_rng(stream), runs)
        return math.fsum(problem.excess_risk(answer.theta) for answer in answers) / runs, problem, answers

    def _search(
        self, one: Hunt, context: CellContext, starts: Sequence[FloatArray], stream: int
    ) -> tuple[Space, Found, float]:
        """The space, what is found in it, and the largest risk of the trivial answer on the way."""
        space, trivial = space_of(context.construction), [0.0]

        def risk(place: FloatArray) -> float:
            value, problem, _ = self._risk(context, space.member(place), self.search_draws, stream)
            trivial.append(problem.dense.trivial_risk if problem else 0.0)
            return value

        # what is drawn to search with is not what the answers are drawn with
        rng = np.random.default_rng([stream, 1])
        return space, search(risk, len(space.ranges), starts, one.evaluations, rng), max(trivial)

    def _found(
        self, search: Hunt, context: CellContext, starts: Sequence[FloatArray], streams: Sequence[int]
    ) -> list[Row]:
        """The rows of the worst data found, by the first stream, measured by the second one."""
        space, found, trivial = self._search(search, context, starts, streams[0])
        data = space.member(found.place)
        _, problem, answers = self._risk(context, data, self.draws, streams[1])
        if problem is None:
            raise PremiseError(f"{type(data).__name__} has no member here that can be run")
        backend = dispatch(context.algorithm, data, context.point, context.budget, context.series.reduction)
        rows = self._rows(replace(context, construction=data, dispatch=backend), problem, answers)
        kept = {"_target_": f"{type(data).__module__}.{type(data).__name__}"} | {
            name: value for name, value in describe(data).items() if name not in ("class", "version")
        }
        columns = rows[0].columns | {"trivial_risk": trivial, "found": json.dumps(kept)}
        columns |= {"searched_risk": found.value, "evaluations": found.evaluations}
        rows[0] = replace(rows[0], columns=columns)
        return rows + noise_rows(answers, context.schedule.noise_scale)

    def _game(
        self, search: Hunt, context: CellContext, starts: Sequence[FloatArray], stream: int
    ) -> tuple[CellContext, list[FloatArray], list[Row]]:
        """The context at the value that the game ends with, the data found on the way, and the game's rows."""
        space = space_of(context.construction)

        def at(value: float) -> CellContext:
            return replace(context, algorithm=replace(context.algorithm, **{search.tune: value}))

        def risk(value: float, place: FloatArray) -> float:
            return self._risk(at(value), space.member(place), self.search_draws, stream)[0]

        def worst(value: float, places: Sequence[FloatArray]) -> Found:
            return self._search(search, at(value), places, stream)[1]

        low, high = search.between
        ended = play(risk, worst, (low, high), float(getattr(context.algorithm, search.tune)), starts)
        found = at(ended.choice)
        rows = [
            Row("tuned", ended.choice, 1.0),
            Row("tuned_steps", found.schedule.steps),
            Row("game_gain", ended.gain, GAIN, {"rounds": ended.rounds}),
        ]
        return found, list(ended.pool), rows

    def _quantities(self, series: Series) -> list[str]:
        assert isinstance(series, Hunt)
        found = [
            *super()._quantities(series),
            "worst_known_risk",
            "own_family_risk",
            "times_own_family",
            "times_trivial",
        ]
        references = self._references(series).names
        found += ["explicit_bound"] if references["bound"] and references["rate"] else []
        found += ["versus_risk", "times_versus"] if series.versus else []
        return found + (["tuned", "tuned_steps", "game_gain"] if series.tune else [])

    def _columns(self) -> list[str]:
        tuned = any(search.tune for search in self.series.values())
        return [*super()._columns(), "found", "searched_risk", "evaluations", *(["rounds"] if tuned else [])]

    def _science(self, series: Series) -> dict[str, Any]:
        assert isinstance(series, Hunt)
        hunt = {name: getattr(series, name) for name in ("evaluations", "starts", "tune")}
        hunt |= {"versus": dict(series.versus), "between": list(series.between), "own": describe(self.own)}
        hunt |= {"versus_share": series.versus_share} if series.versus else {}
        return super()._science(series) | hunt | {"draws": self.draws, "search_draws": self.search_draws}
