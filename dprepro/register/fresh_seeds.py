"""The constant of a witness, measured on fresh seeds: risk over the statement's rate, at the witness's sizes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dprepro.adversary import space_of
from dprepro.algorithms import Algorithm, Solution
from dprepro.budget import Neighbours
from dprepro.config.compose import group_block
from dprepro.constructions import Attackable, Construction
from dprepro.constructions.base import LOSSES, SETS
from dprepro.dispatch.run_seconds import run_seconds
from dprepro.engine.cell import Cell
from dprepro.errors import DpreproError, InputError, PremiseError, unknown
from dprepro.mechanisms import NoiseMoments
from dprepro.own.adapters import ListedRecords
from dprepro.register.challenge_rules import BATCHES, PILOT, Estimate
from dprepro.register.submission import Submission
from dprepro.statements.papers import papers
from dprepro.statements.statement import Says, identity
from dprepro.studies import RateStudy, WorstCaseStudy
from dprepro.studies.base import Design
from dprepro.studies.rate_study import resolve
from dprepro.studies.series import OWN, CellContext, Series
from dprepro.studies.worst_case_study import Hunt
from dprepro.support import typed
from dprepro.support.user_files import block_of, trust

OUTSIDE = 1e-6
"""Of the radius: answers no farther outside the set are in it but for rounding."""

PILOTED, MEASURED, SEARCHED = 0, 1, 2
"""What streams of random numbers are for; those of data further on follow."""

NAME = "witness"

MOST_COORDINATES = 10_000
"""Of a record that is written out."""

SEARCHES = 40
"""Data that are tried against a schedule or an algorithm, beside those known."""


@dataclass(frozen=True)
class RateStatement:
    """A bound with a rate, whose constant the register holds.

    Attributes:
        address: ``lasso-theorem-2-5``. item: ``Theorem 2.5``. says: what holds.
    """

    address: str
    item: str
    says: Says

    @property
    def is_lower(self) -> bool:
        """Whether it bounds every private algorithm from below, on data of its proof."""
        return self.says.direction == "at_least"

    def unmet(self, algorithm: Algorithm, parameters: bool = True) -> str:
        """The condition on the algorithm that does not hold, in words; without ``parameters`` those of its class only.

        Empty where all hold.
        """
        facts = {"algorithm": type(algorithm).__name__}
        for one in fields(algorithm):
            value = getattr(algorithm, one.name)
            facts[f"algorithm.{one.name}"] = (
                str(value) if isinstance(value, str | int | float) else type(value).__name__
            )
        for condition in self.says.conditions:
            if condition.of_algorithm and (parameters or condition.fact == "algorithm"):
                rule = str(getattr(getattr(algorithm, condition.fact.partition(".")[2], None), "name", ""))
                named = {**facts, condition.fact: rule} if rule else facts
                reason = condition.unmet(lambda _: None, facts)
                if reason and condition.unmet(lambda _: None, named):
                    return f"{self.item} asks for {reason}"
        return ""


def rate_statement(address: str) -> RateStatement:
    """The statement of an address; raises InputError for one whose constant is none of the register's."""
    known: dict[str, RateStatement] = {}
    for paper, described in papers().items():
        for claim in described.claims:
            here, says = identity(paper, claim.item), claim.holds
            upper = says.direction in ("at_most", "equals")
            lower = says.direction == "at_least" and "for every private algorithm" in says.quantifiers
            if not (says.rate and (upper or lower)):
                continue
            # what every algorithm loses with a probability it loses a part of in the mean, and that has a constant
            likely = upper and "with probability" in says.quantifiers and "in expectation" not in says.quantifiers
            if likely and here == address:
                raise InputError(f"{address} holds with a probability, and a constant is of a mean")
            if likely:
                continue
            if claim.restates and here == address:
                first = identity(paper, claim.restates[0])
                raise InputError(f"{address} restates {first}; challenge that")
            if not claim.restates:
                known[here] = RateStatement(here, claim.item, says)
    if address not in known:
        raise unknown("statement with a rate", address, known)
    return known[address]


def part(kind: type[Any], group: str, given: Any) -> Any:
    """An algorithm or a construction of what a witness says; raises InputError."""
    if isinstance(given, str):
        given = {"name": given}
    if not isinstance(given, Mapping):
        raise InputError(f"{group} must be a name or a block with parameters")
    block = dict(given)
    if "_target_" not in block:
        if not isinstance(block.get("name"), str):
            raise InputError(f"{group} needs a name or a _target_")
        block = {**group_block(group, block.pop("name"), None), **block}
    return typed.build(kind, block, group)


def algorithm_of(submission: Submission, folder: Path | None) -> Algorithm:
    """What it runs; that of a file only where the user trusts the folder in which the file lies.

    Raises:
        InputError: a part that is none, or code that nobody has read.
    """
    if not submission.file:
        return part(Algorithm, "algorithm", submission.algorithm)  # type: ignore[no-any-return]
    if folder is None:
        raise InputError(f"the witness would run {submission.file}; read that file, then add --trust")
    block = block_of("algorithm", trust(str(folder / submission.file)))
    made: Algorithm = typed.build(Algorithm, block, "algorithm")  # type: ignore[type-abstract]
    return made


def data_of(submission: Submission) -> Construction:
    """The data of a submission; raises InputError."""
    if submission.records:
        return typed.build(ListedRecords, dict(submission.records), "records")
    return part(Construction, "construction", submission.construction)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class FreshTrial:
    """An algorithm on data at one place, which can be drawn from any seed.

    Attributes:
        statement: by whose rate the risk is divided.
        algorithm, construction: what is run on what.
        at: the sizes. neighbours: the relation.

    Raises:
        InputError: sizes or parts that cannot be. PremiseError: a premise of the statement or the data is not met.
    """

    statement: RateStatement
    algorithm: Algorithm
    construction: Construction
    at: Mapping[str, float]
    neighbours: str = Neighbours.REPLACE_ONE.value

    @cached_property
    def context(self) -> CellContext:
        """The parts at the place."""
        says, parts = self.statement.says, (self.algorithm, self.construction)
        premise = {one.text: self.statement.item for one in says.conditions if not one.of_algorithm}
        sweep = {axis: [value] for axis, value in self.at.items()}
        series = Series(
            role="claim", algorithm=self.algorithm, construction=self.construction, bound=OWN, rate=says.rate,
            premise=premise, sweep=sweep,
        )  # fmt: skip
        relation = typed.build(Neighbours, self.neighbours, "neighbours")
        study = RateStudy(series={NAME: series}, neighbours=relation)
        (point,) = series.grid(NAME, Design(sweep or {"n": [1]}), parts)
        for axis, value in self.at.items():
            if not math.isclose(point[axis], value):
                raise InputError(f"at.{axis} is {value:g}, and the data have {axis}={point[axis]:g}")
        return resolve(study, NAME, point)

    @property
    def point(self) -> dict[str, float]:
        """All axes with their values."""
        return dict(self.context.point)

    @cached_property
    def rate(self) -> float:
        """The statement's rate there; raises PremiseError where it is no positive number."""
        try:
            value = self.context.public.evaluate(self.statement.says.rate)
        except (ArithmeticError, ValueError) as error:
            raise PremiseError(f"the rate of {self.statement.item} has no value there: {error}") from error
        if not (math.isfinite(value) and value > 0):
            raise PremiseError(f"the rate of {self.statement.item} is {value:g} there, which is no positive number")
        return value

    def unproved(self) -> str:
        """Why the data show no lower bound of the statement's rate, in words; empty where they do."""
        family, rate = self.context.construction, self.statement.says.rate
        if self.neighbours != Neighbours.REPLACE_ONE.value:  # a replacement is two steps of another relation
            return f"{self.statement.item} is proved for neighbours=replace_one, and not for {self.neighbours}"
        if isinstance(family, Attackable) and family.proves == rate:
            return ""
        return (
            f"{self.statement.item} is a lower bound, whose data are a family that proves its rate; "
            f"{type(family).__name__} proves {getattr(family, 'proves', '') or 'none'}, and not {rate}"
        )

    def proved_below(self, seed: int, level: float) -> float:
        """The mean risk over the rate that the data's proof leaves every private algorithm: its lower limit."""
        context, levels = self.context, []
        assert isinstance(context.construction, Attackable)
        for batch in range(BATCHES):
            rng = _stream(seed, MEASURED, batch)
            made = context.construction.challenge(context.point, context.schedule.noise_scale, rng)
            levels.append(made.mean_level / self.rate)
        return Estimate.of(levels).limit(level)

    def proved(self) -> float | None:
        """The least explicit bound over the rate, of the statement's and that of its algorithm; None for neither."""
        risk = self.context.construction.draw(self.point, self.context.schedule.noise_scale, _stream(0)).trivial_risk
        numbers = self.context.numbers(initial_risk=risk)
        found = []
        for name in {self.statement.says.bound, self.algorithm.bound} - {""}:
            if not numbers.lacks(name):
                found.append(numbers.evaluate(name) / self.rate)
        fine = [one for one in found if math.isfinite(one) and one > 0]
        return min(fine, default=None)

    @property
    def exact(self) -> bool:
        """Whether one run tells the risk, as neither the algorithm nor the data are drawn."""
        return self.algorithm.deterministic and not self.construction.varies

    @property
    def seconds(self) -> float:
        """What a run takes, about."""
        context = self.context
        return run_seconds(context.algorithm, context.dispatch.domain, context.budget, context.dispatch.backend)

    def measure(self, seed: int, draws: int, purpose: int = MEASURED) -> tuple[Estimate, NoiseMoments | None]:
        """The constant from so many draws, `BATCHES` or a multiple, and the noise that was drawn; one run may do."""
        context, noise = self.context, NoiseMoments()
        means, counted = [], True
        for batch in range(1 if self.exact else BATCHES):
            rng = _stream(seed, purpose, batch)
            problem = context.construction.draw(context.point, context.schedule.noise_scale, rng)
            answers: Sequence[Solution] = context.solve(problem, rng, 1 if self.exact else draws // BATCHES)
            self._inside(answers)
            view = problem.judge(answers[0].theta)
            risk = math.fsum(view.excess(answer.theta) for answer in answers) / len(answers)
            if not math.isfinite(risk):
                raise InputError(f"the risk of an answer is {risk:g}")
            means.append(risk / self.rate)
            counted = counted and all(answer.noise is not None for answer in answers)
            noise += sum((answer.noise for answer in answers if answer.noise), NoiseMoments())
        return Estimate.of(means), noise if counted else None

    def _inside(self, answers: Sequence[Solution]) -> None:
        """Raises PremiseError for an answer outside the set, which may lose less than all in it."""
        domain = self.context.dispatch.domain
        if not domain.proper:
            return
        for answer in answers:
            theta = answer.theta
            if isinstance(theta, np.ndarray) and not domain.constraint_set.contains(theta, OUTSIDE * domain.radius):
                raise PremiseError(f"{type(self.algorithm).__name__} answers with a point outside the constraint set")

    def pilot(self, seed: int) -> Estimate:
        """A small measurement, by which the size of another is planned."""
        return self.measure(seed, PILOT * BATCHES, PILOTED)[0]

    def equal_records(self) -> FreshTrial | None:
        """The same on n equal records at a vertex of what is public: no answer that is made without data does there.

        None where the domain has no words for them, or the algorithm cannot see records.
        """
        domain = self.context.dispatch.domain
        loss = next((word for word, one in LOSSES.items() if one == domain.loss), "")
        within = next((word for word, kind in SETS.items() if isinstance(domain.constraint_set, kind)), "")
        if not loss or not within or domain.p > MOST_COORDINATES:
            return None
        record = [domain.feature_bound, *[0.0] * (domain.p - 1)]
        with suppress(DpreproError):
            data = typed.build(
                ListedRecords,
                {"X": [record], "y": [domain.label_bound], "copies": [domain.n], "loss": loss, "constraint_set": within,
                 "radius": domain.radius, "feature_bound": domain.feature_bound, "feature_norm": domain.feature_norm,
                 "label_bound": domain.label_bound},
            )  # fmt: skip
            trial = replace(self, construction=data)
            if data.domain(self.point) == domain and trial.rate:
                return trial
        return None

    def searched(self, seed: int, seconds: float) -> dict[str, Any] | None:
        """Data of the family on which the algorithm loses most, by a short search; None for one without a space."""
        with suppress(InputError):
            if not space_of(self.construction).ranges:
                return None
        series = Hunt(
            role="claim", algorithm=self.algorithm, construction=self.construction, bound="none",
            rate=self.statement.says.rate, evaluations=SEARCHES, seconds=seconds,
        )  # fmt: skip
        study = WorstCaseStudy(
            series={NAME: series}, draws=2, search_draws=4, neighbours=self.context.budget.neighbours
        )
        try:
            rows = study.measure(Cell(NAME, "claim", self.point, 0, seed, "", ""), _stream(seed, SEARCHED))
        except DpreproError:
            return None
        found: dict[str, Any] = json.loads(str(rows[0].columns["found"]))
        return found


def _stream(seed: int, *further: int) -> np.random.Generator:
    return np.random.default_rng([seed, *further])
