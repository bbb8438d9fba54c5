"""A curve of a rate: an algorithm on a construction, the grid that it has, and its parts at one point of that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from dprepro import bounds
from dprepro.algorithms import Algorithm, Schedule, Solution
from dprepro.axes import at, check_axis
from dprepro.budget import Budget
from dprepro.constructions import Construction
from dprepro.dispatch import Dispatch, Numbers
from dprepro.engine.cell import Row
from dprepro.engine.grid import MOST_CELLS
from dprepro.errors import InputError, PremiseError
from dprepro.problems import Domain, Problem
from dprepro.reductions import AUTOMATIC, Reduction, solver
from dprepro.studies.base import Design, Role, points
from dprepro.support import expressions

PUBLIC = ("sparsity", "loss_bound")
"""Numbers of schedules that are parameters of the algorithm or constants of the domain: no noise, steps or weights."""

NONE, OWN = "none", "own"  # in place of a bound's name

PROVED = {"rate": "proved_rate"}
"""What an algorithm calls its own, where that is not the key: a parameter of many is called `rate`."""

COLUMNS = ("rate", "law")
"""Columns of every frame, whose names no axis can have."""

SCHEDULED = ("step_size", "sketch", "weight", "regulariser")
"""Numbers of schedules that not every algorithm has, and that become columns."""

PRINTED = ("total_steps", "noise_scale", *SCHEDULED)
"""Columns of the schedule as run, beside each of which there may be the schedule as printed."""


@dataclass(frozen=True)
class Series:
    """One curve: an algorithm on a construction.

    Attributes:
        role: ``claim``, ``control`` (must be refuted) or ``context``.
        algorithm: what is run; an axis of the sweep that bears the name of one of its fields sets that field.
        construction: the data; axes set its fields likewise.
        reduction: ``automatic`` (the cheapest that serves), ``literal``, or a reduction's name.
        bound: explicit bound, by name; empty for the study's, ``none`` for no bound, ``own`` for the algorithm's own.
        rate: the rate, without its constant, likewise.
        law: what the series' risk is, or tends to, by a derivation; empty for none.
        schedule: the schedule as printed, by names of functions of public numbers, for each of the columns `PRINTED`
            that has one; for the others the study's, ``none`` for none.
        premise: conditions of the statements that the series is held against, each with the statement that asks for it
            (``{"epsilon <= 3": "Theorem 2.4"}``; see `dprepro.statements.conditions`): points that do not meet one are
            skipped.
        lemmas: what lemmas say of the algorithm's answers, by name (see `laws.lemmas_of`); empty for the study's.
        sweep: axes on which this series departs from the experiment's sweep.
        at_most: largest value of an axis for this series: it keeps what is costly off the far end of the grid.
        one_point: whether the series has the first value of every axis only, whatever is swept.
        replicates: repetitions, where they differ from the experiment's.
        tied: axes that follow the others, by formulas in their names: ``{delta: n^-2}`` instead of the sweep's delta.
        epsilon_factor: the algorithm runs with this multiple of the grid point's epsilon, which stays the one that is
            claimed: above 1 it is under-noised on purpose. A control that cannot exist at so much has the largest
            multiple at which it can, in hundredths.
        most_operations: on data of somebody's size, points whose full gradients cost more (steps x n x p, or steps x
            p^2 by moments) are skipped.
    """

    role: Role
    algorithm: Algorithm
    construction: Construction
    reduction: str = AUTOMATIC
    bound: str = ""
    rate: str = ""
    law: str = ""
    schedule: Mapping[str, str] = field(default_factory=dict)
    premise: Mapping[str, str] = field(default_factory=dict)
    lemmas: tuple[str, ...] = ()
    sweep: Mapping[str, Sequence[float]] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)
    one_point: bool = False
    replicates: int | None = None
    tied: Mapping[str, str] = field(default_factory=dict)
    epsilon_factor: float = 1.0
    most_operations: float = math.inf

    def __post_init__(self) -> None:
        if not 0 < self.epsilon_factor < math.inf:
            raise InputError(f"epsilon_factor must be positive, got epsilon_factor={self.epsilon_factor:g}")

    def given(self, algorithm: Algorithm, domain: Domain, claimed: Budget) -> Budget:
        """The budget that the algorithm runs with; see `epsilon_factor`."""

        def times(hundredths: int) -> Budget:
            return replace(claimed, epsilon=hundredths / 100 * claimed.epsilon)

        whole = replace(claimed, epsilon=self.epsilon_factor * claimed.epsilon)
        low, high = 100, math.ceil(100 * self.epsilon_factor)
        if self.role != "control" or high <= low or not algorithm.refusal(domain, whole):
            return whole
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if algorithm.refusal(domain, times(middle)) else (middle, high)
        return times(low) if low > 100 else whole

    def axes(self, label: str, design: Design) -> dict[str, list[float]]:
        """The values of every axis; raises InputError for a limit on what is no axis."""
        axes = design.axes(self.sweep)
        for axis, limit in self.at_most.items():
            if axis not in axes:
                raise InputError(f"series {label}: at_most.{axis} is no axis; choices: {', '.join(axes)}")
            axes[axis] = [value for value in axes[axis] if value <= limit]
        return {axis: values[:1] for axis, values in axes.items()} if self.one_point else axes

    def grid(self, label: str, design: Design, parts: Sequence[Any]) -> list[dict[str, float]]:
        """All points, each once, as the construction resolves them and with the tied axes.

        Raises:
            InputError: too many points, or an axis that sets a field of none of the ``parts``.
        """
        axes, found = self.axes(label, design), dict[tuple[float, ...], dict[str, float]]()
        wanted = math.prod(len(values) for values in axes.values()) * (self.replicates or design.replicates)
        if wanted > MOST_CELLS:
            raise InputError(f"series {label} asks for {wanted:.3g} cells, more than {MOST_CELLS:.0e} in one run")
        points(label, {axis: [] for axis in self.tied}, *parts)  # a tied axis is known too
        if clash := [axis for axis in (*axes, *self.tied) if axis in COLUMNS]:
            raise InputError(
                f"series {label}: sweep.{clash[0]}: a column of every table is called {clash[0]}; "
                "give the parameter another name, as sampling_rate"
            )
        for point in points(label, axes, *parts):
            place = at(self.construction, point).resolve(point)
            place |= {axis: _formula(label, axis, text, place) for axis, text in self.tied.items()}
            found.setdefault(tuple(place.values()), place)
        return list(found.values())


@dataclass(frozen=True)
class References:
    """What a series' risks are compared with, by name: its bound, its rate and its law; empty where there is none.

    Those in ``own`` are the algorithm's own, which may ask for constants that the domain lacks. ``schedule`` has the
    schedule as printed, by column. Those in ``theirs`` the series itself names, the others its study.
    """

    names: Mapping[str, str]
    own: frozenset[str]
    schedule: Mapping[str, str]
    theirs: frozenset[str]

    @classmethod
    def of(cls, series: Series, usual: Mapping[str, str], schedule: Mapping[str, str]) -> Self:
        """The references of a series; where it names none, the study's ``usual`` ones and ``schedule``."""
        mine = {kind: name for kind in ("bound", "rate", "law") if (name := getattr(series, kind))}
        said = {kind: mine.get(kind, usual.get(kind, "")) for kind in ("bound", "rate", "law")}
        own = frozenset(kind for kind, name in said.items() if name == OWN)
        proved = {kind: getattr(series.algorithm, PROVED.get(kind, kind), "") for kind in own}
        named = {kind: proved.get(kind, name) for kind, name in said.items()}
        printed = {column: name for column, name in {**schedule, **series.schedule}.items() if name not in ("", NONE)}
        theirs = frozenset([*mine, *(f"schedule.{column}" for column in series.schedule)])
        return cls({kind: "" if name == NONE else name for kind, name in named.items()}, own, printed, theirs)

    @property
    def functions(self) -> list[object]:
        """The functions of those that there are."""
        return [bounds.find(name) for name in (*self.names.values(), *self.schedule.values()) if name]

    def check(self, label: str, context: CellContext) -> None:
        """Raise InputError for one that was named and that needs a number which nobody has, with what to type."""
        everything = context.numbers(initial_risk=1.0, level=1.0)
        asked = [(kind, name, everything if kind == "bound" else context.public) for kind, name in self.names.items()]
        asked += [(f"schedule.{column}", name, context.public) for column, name in self.schedule.items()]
        for kind, name, numbers in asked:
            if name and kind not in self.own and (lack := numbers.lacks(name)):
                # a key with ++ may be new: a series may have it from another one, or from the study's defaults
                where = f"++study.series.{label}" if kind in self.theirs else "study"
                ran = type(context.algorithm).__name__
                lacking = lack if "," in lack else f"{lack}, which {ran} does not have here"
                raise InputError(
                    f"series {label}: the {kind} {name} is a function of {lacking}; "
                    f"{where}.{kind}={NONE} leaves the {kind} out"
                )

    def printed(self, numbers: Numbers) -> dict[str, float | None]:
        """The schedule as printed, one column each; None where it has no finite value, as with delta = 0."""
        found: dict[str, float | None] = {}
        for column, name in self.schedule.items():
            value = math.nan
            if not numbers.lacks(name):
                with suppress(ArithmeticError, ValueError):
                    value = numbers.evaluate(name)
            found[f"{column}_printed"] = value if math.isfinite(value) else None
        return found

    def value(self, kind: str, numbers: Numbers) -> float | None:
        """The bound, rate or law, if any; a rate with ln(1/delta) has no value at delta = 0.

        Raises:
            PremiseError: a bound that was named divides by zero here: it says nothing, as Lemma 3 at Delta = 0.
        """
        name = self.names[kind]
        if not name or (kind in self.own and numbers.lacks(name)):
            return None
        try:
            return numbers.evaluate(name)
        except ZeroDivisionError as error:
            if kind != "bound" or kind in self.own:
                return None
            zero = ", ".join(argument for argument in bounds.arguments(name) if not numbers.find(argument))
            raise PremiseError(f"{name} says nothing where {zero} is 0") from error


@dataclass(frozen=True)
class CellContext:
    """The parts of one cell, their parameters set by its axes."""

    series: Series
    point: Mapping[str, float]
    algorithm: Algorithm
    construction: Construction
    budget: Budget
    dispatch: Dispatch
    references: References

    @cached_property
    def _found(self) -> dict[tuple[object, ...], float | None]:
        """The bounds, rates and laws that have been asked for: all replicates of a grid point share them."""
        return {}

    @cached_property
    def constant(self) -> bool:
        """Whether all replicates are one, by what algorithm and construction declare."""
        return self.algorithm.deterministic and not self.construction.varies

    @cached_property
    def held(self) -> list[tuple[Row, ...]]:
        """The rows of every replicate, once one that is `constant` was measured and drew nothing at random."""
        return []

    @cached_property
    def schedule(self) -> Schedule:
        """The algorithm's, on this domain."""
        return self.algorithm.schedule(self.dispatch.domain, self.budget)

    def build(self) -> Problem:
        """The construction's data; raises PremiseError."""
        return self.construction.build(self.point, self.schedule.noise_scale)

    def solve(self, problem: Problem, rng: np.random.Generator, draws: int = 1) -> Sequence[Solution]:
        """Some runs, at once where a reduction can."""
        runs = solver(self.dispatch.backend, self.algorithm)
        if draws > 1 and isinstance(runs, Reduction):
            return runs.solve_many(problem, self.budget, [rng] * draws)
        return [runs.solve(problem, self.budget, rng) for _ in range(draws)]

    def solve_many(self, problem: Problem, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        """A run for each stream, to the bits of `solve`."""
        runs = solver(self.dispatch.backend, self.algorithm)
        if isinstance(runs, Reduction) and not runs.to_the_bits:
            return [runs.solve(problem, self.budget, rng) for rng in rngs]
        return runs.solve_many(problem, self.budget, rngs)

    def value(self, kind: str, **further: float) -> float | None:
        """The series' ``bound``, ``rate`` or ``law`` here, if any."""
        asked = (kind, *further.values())
        if asked not in self._found:
            numbers = self.numbers(**further) if kind == "bound" else self.public
            self._found[asked] = self.references.value(kind, numbers)
        return self._found[asked]

    @cached_property
    def printed(self) -> Mapping[str, float | None]:
        """The schedule as printed here, one column each."""
        return self.references.printed(self.public)

    def numbers(self, **further: float) -> Numbers:
        """What a bound may ask for."""
        return Numbers(self.dispatch.domain, vars(self.schedule), self.point, further)

    @property
    def public(self) -> Numbers:
        """What a rate, a law, a schedule as printed or a premise may ask for."""
        constants = {name: value for name, value in vars(self.schedule).items() if name in PUBLIC}
        return Numbers(self.dispatch.domain, constants, self.point)


def _formula(label: str, axis: str, text: str, point: Mapping[str, float]) -> float:
    """The value of a tied axis; raises InputError for a formula that has none, or one that is out of range."""
    try:
        value = expressions.evaluate(text, point)
    except ValueError as error:
        choices = ", ".join(point)
        raise InputError(f"series {label}: tied.{axis} is {text!r}: {error}; names: {choices}") from error
    check_axis(axis, value)
    return value
