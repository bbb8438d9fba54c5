"""What every algorithm is: a frozen value with its parameters, a schedule and ``solve``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np

from dprepro.algorithms.premises import (
    AlgorithmRule,
    Assumption,
    Choices,
    Settings,
    ZeroedOut,
    first_lacking,
    with_setting,
)
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Guarantee, NoiseMoments
from dprepro.privacy import PrivacyLoss, compose
from dprepro.problems import DENSE, Domain, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.support.last_result import cache_last

Parts: TypeAlias = tuple[tuple[Guarantee, int], ...]

LATER = {"later": True}
"""Metadata of a field that came later: at its default it is no part of what a measurement depends on."""


@dataclass(frozen=True)
class Schedule:
    """The numbers that an algorithm fixes before it sees the data; algorithms add their own in subclasses.

    Attributes:
        steps: T as the paper counts it; the loops of Talwar, Thakurta and Zhang take T - 1 steps.
        noise_scale: scale of the noise in one step (0 where there is none), in the unit of what it is added to.
    """

    steps: int
    noise_scale: float = 0.0


@dataclass(frozen=True)
class Solution:
    """What ``solve`` returns.

    Attributes:
        theta: the answer: an array of shape (p,), or a point of another view of the problem.
        schedule: the schedule that was run.
        privacy_loss: as the accountant certifies it; None where the algorithm promises none.
        diagnostics: further numbers, by name; `Algorithm.measures` lists them.
        noise: moments of the noise that the mechanisms drew, to be held against the schedule's; None where it is not
            counted.
    """

    theta: Any
    schedule: Schedule
    privacy_loss: PrivacyLoss | None
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    noise: NoiseMoments | None = None


@dataclass(frozen=True)
class Algorithm(ABC):
    """One algorithm of a paper. Subclasses are frozen dataclasses of its parameters.

    Attributes of the class, or properties where they depend on the parameters:
        version: raise it when the law of the output changes; stored measurements of the old one are then not reused.
        representations: of the problem; the literal algorithm needs one of them.
        assumptions: what its theorem assumes of loss, set and budget; checked wherever the algorithm is admitted.
        by_setting: what it assumes besides, by the value of a setting: {"noise": {"gaussian": (Assumption.DELTA,)}}.
            A refusal offers the other values that are named here.
        zeroed_out_noise: the share of the noise against a replaced record that one against a zeroed-out record needs,
            at exact constants: ``half``; ``gradient``: the norm of a gradient over the diameter of all; ``other``.
        relations: neighbouring relations under which it has a certificate; a noise, a divisor or a number of steps that
            reads n excludes add_or_remove_one.
        bound, proved_rate: the explicit bound and the rate that its paper proves of its excess risk, by name; may be
            empty.
        measures: names of the diagnostics of its solutions.
        deterministic: whether equal data give equal answers, so that a single run has no error.
        stepwise: whether the literal form is a loop over the steps of its schedule, which a forecast counts.
    """

    version: ClassVar[int] = 1
    deterministic: ClassVar[bool] = False
    stepwise: ClassVar[bool] = False
    assumptions: ClassVar[tuple[Assumption, ...]] = ()
    by_setting: ClassVar[Settings] = {}
    zeroed_out_noise: ClassVar[ZeroedOut] = "half"

    @property
    def representations(self) -> tuple[str, ...]:
        return DENSE

    @property
    def relations(self) -> tuple[Neighbours, ...]:
        return (Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT)

    @classmethod
    def reductions(cls) -> Mapping[str, Any]:
        """Reductions that come with it, by name, beside those of this project, which know its own algorithms only.

        An algorithm of another package imports them here: they import it.
        """
        return {}

    @classmethod
    def law(cls) -> type | None:
        """The law of its answers, a class of `dprepro.laws.Law`, where it comes with one.

        An algorithm of another package imports it here. A subclass answers otherwise, so it has no law but its own.
        """
        return None

    @property
    def bound(self) -> str:
        return ""

    @property
    def proved_rate(self) -> str:
        return ""

    @property
    def measures(self) -> tuple[str, ...]:
        return ()

    def refusal(self, domain: Domain, budget: Budget) -> str:
        """Why the algorithm cannot run there, by what is known before any data are seen; empty if it can."""
        name = type(self).__name__
        if budget.neighbours not in self.relations:
            why = (
                f"reads n, which {budget.neighbours} keeps private"
                if budget.neighbours is Neighbours.ADD_OR_REMOVE_ONE
                else f"has no certificate under {budget.neighbours}"
            )
            return f"{name} {why}; choices for neighbours: {', '.join(self.relations)}"
        reason = self.lacks(domain, budget)
        return f"{name} {reason}" if reason else ""

    def settings(self) -> Iterator[tuple[str, tuple[Assumption, ...], Choices]]:
        """Settings and rules that it has and that may assume something: in words, what they do, and what others do."""
        for name, table in self.by_setting.items():
            yield f"{name} {getattr(self, name)}", table.get(getattr(self, name), ()), table
        for setting in fields(self):
            if isinstance(rule := getattr(self, setting.name), AlgorithmRule):
                yield f"{setting.name} {rule.name or type(rule).__name__}", rule.assumptions, rule.choices()

    def assumed(self) -> tuple[Assumption, ...]:
        """What is assumed with the settings that it has."""
        return (*self.assumptions, *(assumption for _, some, _ in self.settings() for assumption in some))

    def lacks(self, domain: Domain, budget: Budget) -> str:
        """What an assumption or the `premise` does not find, as the rest of a sentence; empty if all hold."""
        if reason := first_lacking(self.assumptions, domain, budget):
            return reason
        for setting, some, table in self.settings():
            if reason := first_lacking(some, domain, budget):
                others = [other for other, less in table.items() if not first_lacking(less, domain, budget)]
                return with_setting(setting, reason, ", ".join(others))
        return self.premise(domain, budget)

    def premise(self, domain: Domain, budget: Budget) -> str:
        """What else is lacking, above all of numbers such as n and p, as the rest of a sentence; empty if nothing."""
        return ""

    def admit(self, domain: Domain, budget: Budget) -> None:
        """Raise InputError with the `refusal`, if there is one."""
        if reason := self.refusal(domain, budget):
            raise InputError(reason)

    def needs(self, representations: frozenset[str]) -> str:
        """Why the literal algorithm cannot see data that have these representations; empty if it can."""
        if representations & set(self.representations):
            return ""
        wanted = (
            "a dense representation" if set(self.representations) >= set(DENSE) else " or ".join(self.representations)
        )
        return f"{type(self).__name__} needs a problem with {wanted}; this one has {', '.join(sorted(representations))}"

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        """Steps and noise for a data set of this domain, by default one answer; raises InputError as `admit`."""
        self.admit(domain, budget)
        return Schedule(1)

    @abstractmethod
    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Run on the data; all randomness comes from ``rng``."""

    def solve_many(self, problem: Problem, budget: Budget, rngs: Sequence[np.random.Generator]) -> Sequence[Solution]:
        """One answer for each stream, to the bits of `solve`; an algorithm that has a quicker way says so."""
        return [self.solve(problem, budget, rng) for rng in rngs]

    def parts(self, domain: Domain, budget: Budget) -> Parts | None:
        """Guarantee of each mechanism that is used, for the budget's neighbours, and how often; None: no promise."""
        return None

    @classmethod
    def promises(cls) -> bool:
        """Whether it promises any privacy."""
        return (cls.privacy_loss, cls.parts) != (Algorithm.privacy_loss, Algorithm.parts)

    @cache_last
    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss | None:
        """What a run of this schedule is certified to spend at the budget's delta; None where it promises nothing."""
        parts = self.parts(domain, budget)
        return None if parts is None else compose(parts, budget.delta)


Step: TypeAlias = Callable[[int, FloatArray], tuple[FloatArray, NoiseMoments]]
"""theta_{t+1}, and the moments of the noise of step t, from t and theta_t."""


def iterate(step: Step, theta: FloatArray, steps: int, averaged: bool = False) -> tuple[FloatArray, NoiseMoments]:
    """theta_T after T - 1 steps from theta_1, t = 1, ..., T - 1, and the moments of all their noise.

    Args:
        step: one step, with what its mechanism says of its noise.
        theta: theta_1, shape (p,).
        steps: T.
        averaged: whether the answer is the mean of theta_1, ..., theta_T.
    """
    noise, total = NoiseMoments(), theta.copy()
    for t in range(1, steps):
        theta, of_step = step(t, theta)
        noise += of_step
        if averaged:
            total += theta
    return total / steps if averaged else theta, noise


def records_changed(neighbours: Neighbours, zeroed_out: float = 0.0) -> float:
    """How many times what one record can add comes or goes between neighbours: the factor of every sensitivity.

    2 for a replacement, 1 for a record that comes or goes. ``zeroed_out`` is the most that a zeroed-out record adds, as
    a share of what any record can: 0 of what is read through differences of losses, such as gradients; 1 of labels.
    """
    return {Neighbours.REPLACE_ONE: 2.0, Neighbours.ZERO_OUT: 1.0 + zeroed_out}.get(neighbours, 1.0)


def gradient_sensitivity(domain: Domain, neighbours: Neighbours, constants: str = "printed") -> float:
    """Largest l2 change of the **mean** gradient between neighbours with the same n: 2 L_2/n, or L_2/n.

    With ``exact`` constants a replacement costs the domain's gradient diameter over n, which may be less.
    """
    if constants == "exact" and neighbours is Neighbours.REPLACE_ONE:
        return domain.gradient_diameter / domain.n
    return records_changed(neighbours) * domain.lipschitz / domain.n
