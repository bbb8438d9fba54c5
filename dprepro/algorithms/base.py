"""What every algorithm is: a frozen value with its parameters, a schedule and ``solve``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from dprepro.budget import Budget
from dprepro.errors import Incompatible
from dprepro.privacy import Spent
from dprepro.problems.constants import Constants
from dprepro.problems.problem import Problem


@dataclass(frozen=True)
class Schedule:
    """The numbers that an algorithm fixes before it sees the data.

    Attributes:
        steps: T as the paper counts it; the loops of Talwar, Thakurta and Zhang take T - 1 steps.
        noise_scale: scale of the noise in one step (0 where there is none), in the unit of what it is added to.
        step_regret: bound on the expected loss of linear score in one step, caused by that noise.
        step_size: eta of gradient methods with a constant step; 0 for others.
        weight: lambda of a regulariser lambda/2 ||w||^2 of the mean loss; 0 where there is none.
        sketch: dimension k after a random projection; 0 where there is none.
        sketched_lipschitz: G, and sketched_smoothness: H X^2, of the embedded problem; 0 where there is none.
    """

    steps: int
    noise_scale: float = 0.0
    step_regret: float = 0.0
    step_size: float = 0.0
    weight: float = 0.0
    sketch: int = 0
    sketched_lipschitz: float = 0.0
    sketched_smoothness: float = 0.0


@dataclass(frozen=True)
class Solution:
    """What ``solve`` returns.

    Attributes:
        theta: the answer, shape (p,), or a point in group weights where the problem has only groups.
        schedule: the schedule that was run.
        spent: the privacy certified by the accountant; None where the algorithm promises none.
        diagnostics: further numbers, by name.
    """

    theta: Any
    schedule: Schedule
    spent: Spent | None
    diagnostics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Algorithm(ABC):
    """One algorithm of a paper. Subclasses are frozen dataclasses of its parameters.

    Class attributes:
        version: raise it when the law of the output changes; stored measurements of the old one are then not reused.
        needs: capabilities of the problem of which one suffices.
        bound, shape: the explicit bound and the rate that its paper proves of its excess risk, by name; may be empty.
        deterministic: whether equal data give equal answers, so that a single run has no error.
    """

    version: ClassVar[int] = 1
    needs: ClassVar[tuple[str, ...]] = ("records", "moments")
    bound: ClassVar[str] = ""
    shape: ClassVar[str] = ""
    deterministic: ClassVar[bool] = False

    def admit(self, constants: Constants, budget: Budget) -> None:  # noqa: B027  some run wherever they are asked to
        """Raise InputError where the algorithm cannot run at all, by what is known before any data are seen."""

    @abstractmethod
    def schedule(self, constants: Constants, budget: Budget) -> Schedule:
        """Steps and noise for a data set with these public constants; raises InputError as `admit`."""

    @abstractmethod
    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Run on the data; all randomness comes from ``rng``."""

    def check(self, capabilities: frozenset[str], where: str) -> None:
        """Raise Incompatible unless one of the needed capabilities is there; ``where`` names the problem."""
        if not capabilities & set(self.needs):
            raise Incompatible(
                f"{type(self).__name__} needs a problem with {' or '.join(self.needs)}; {where} offers only "
                f"{', '.join(sorted(capabilities))}"
            )
