"""Algorithm 2 of Bassily, Smith and Thakurta (2014): the exponential mechanism over a convex set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Parts, Schedule, Solution, records_changed
from dprepro.algorithms.premises import Assumption, check_positive
from dprepro.algorithms.samplers.exact import exact_sampler, known_law
from dprepro.algorithms.samplers.hit_and_run import hit_and_run
from dprepro.algorithms.samplers.temperature_check import temperature_check
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible, InputError
from dprepro.mechanisms import BoundedRange
from dprepro.problems import DistanceLoss, Domain, Problem


@dataclass(frozen=True)
class ExponentialMechanism(Algorithm):
    """Samples theta from the set with density proportional to exp(-kappa sum_i l(theta; d_i)).

    Attributes:
        constants: ``printed`` kappa = epsilon/(2 L C). Replacing a record changes the exponent by a function whose
            range is at most 2 kappa L C, so this is the smallest scale under replacement and ``exact`` is the same;
            where a record is zeroed out, or comes or goes, the range is kappa L C, and ``exact`` is epsilon/(L C), the
            scale of the paper's proof of Theorem 3.1.
        sampler: ``exact`` for linear losses over a ball around zero, where the risk depends on the distance from one
            point only, and in one dimension where it is piecewise linear; ``hit_and_run`` for all losses, in the limit
            of many steps; ``automatic``: exact where that is known, else the walk.
        steps: hit-and-run steps of each chain, per dimension; half of them are thrown away.
        chains: independent chains, the first of which gives the answer; the others serve the diagnostics.
        scale_factor: multiplies kappa; 1 is the paper's (others are negative controls).
    """

    constants: Literal["printed", "exact"] = "printed"
    sampler: Literal["automatic", "exact", "hit_and_run"] = "automatic"
    steps: int = 200
    chains: int = 4
    scale_factor: float = 1.0

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)
    bound: ClassVar[str] = "bst.theorem_3_2"
    proved_rate: ClassVar[str] = "bst.theorem_3_2_rate"
    measures: ClassVar[tuple[str, ...]] = ("r_hat",)

    def __post_init__(self) -> None:
        for name, least in (("steps", 4), ("chains", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, got {name}={getattr(self, name)}")
        check_positive(self, "scale_factor")

    def premise(self, domain: Domain, budget: Budget) -> str:
        loss, title = type(domain.loss).__name__, domain.constraint_set.title
        if domain.diameter == 0:
            return f"needs a set of more than one point, got {title} with p={domain.p}"
        if self.sampler != "hit_and_run" and known_law(domain):
            return ""
        if self.sampler == "exact":
            return f"knows no exact sampler for {loss} over {title}; choices for sampler: automatic, hit_and_run"
        # equal records make a distance radial: only the data tell
        if self.steps < 2 * domain.p and not (self.sampler == "automatic" and isinstance(domain.loss, DistanceLoss)):
            why = "hit-and-run forgets its start in about p^2 steps, and half of its steps x p are for that"
            return f"needs steps >= 2 p for {loss} over {title}: {why}, got steps={self.steps}, p={domain.p}"
        return ""

    def kappa(self, domain: Domain, budget: Budget) -> float:
        """Inverse temperature of the sum of the losses."""
        changed = 2 if self.constants == "printed" else records_changed(budget.neighbours)
        return self.scale_factor * budget.epsilon / (changed * domain.lipschitz * domain.diameter)

    def schedule(self, domain: Domain, budget: Budget) -> Schedule:
        """One draw, or the steps of the walk; ``noise_scale`` is the temperature of the mean risk, 1/(n kappa)."""
        self.admit(domain, budget)
        steps = self.steps * domain.p if self.sampler == "hit_and_run" else 1
        return Schedule(steps, 1 / (domain.n * self.kappa(domain, budget)))

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """One draw. Raises Incompatible where an exact one was asked for and none is found."""
        schedule, certified = self.schedule(problem.domain, budget), self.privacy_loss(problem.domain, budget)
        within, temperature = problem.constraint_set, schedule.noise_scale
        risk = (problem.moments if {"moments"} <= problem.representations - {"one_hot"} else problem.dense).value
        exact = None if self.sampler == "hit_and_run" else exact_sampler(problem)
        if exact is None and self.sampler == "exact":
            raise Incompatible(
                f"no exact sampler is known of {', '.join(sorted(problem.representations))}; choices: hit_and_run"
            )
        # Where the set is missed the walk goes on, which has the same law: whether it is missed, only the data tell.
        if exact is not None and (theta := exact(1 / temperature, rng)) is not None:
            return Solution(theta, schedule, certified, noise=temperature_check(problem, temperature, theta))
        steps = self.steps * within.p
        theta, r_hat = hit_and_run(lambda point: -risk(point) / temperature, within, steps, self.chains, rng)
        assert certified is not None
        limit = replace(certified, conversion=f"{certified.conversion}, in the limit of many hit-and-run steps")
        return Solution(theta, schedule, limit, {"r_hat": r_hat}, temperature_check(problem, temperature, theta))

    def parts(self, domain: Domain, budget: Budget) -> Parts:
        """One draw: a record moves its log-density by a function of range kappa L C, normalised or not."""
        value = self.kappa(domain, budget) * domain.lipschitz * domain.diameter
        return ((BoundedRange(records_changed(budget.neighbours) * value), 1),)
