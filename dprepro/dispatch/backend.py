"""How an algorithm runs on a construction at a grid point, known from declarations: before measuring, and in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from dprepro import bounds
from dprepro.algorithms import Algorithm
from dprepro.budget import Budget
from dprepro.constructions import Construction
from dprepro.errors import InputError, PremiseError
from dprepro.problems import Domain, derived_representations
from dprepro.reductions import AUTOMATIC, choose


@dataclass(frozen=True)
class Dispatch:
    """The domain, the representations that the data will have, and the backend: ``literal`` or a reduction's name."""

    domain: Domain
    representations: frozenset[str]
    backend: str


def dispatch(
    algorithm: Algorithm,
    construction: Construction,
    point: Mapping[str, float],
    budget: Budget,
    reduction: str = AUTOMATIC,
    where: str = "",
) -> Dispatch:
    """How the algorithm runs there, without building the data.

    Raises:
        PremiseError: the point lies outside the construction's premise, or its data are too large to write out.
        InputError: the algorithm refuses the domain or the budget. Incompatible: no backend knows the representations.
    """
    domain = construction.domain(point)
    representations = derived_representations(domain, construction.representations(point))
    if reason := algorithm.refusal(domain, budget):
        raise InputError(f"{where}: {reason}" if where else reason)
    if not representations:
        raise PremiseError(f"the data at n={domain.n:g}, p={domain.p:g} are too large to write out")
    return Dispatch(
        domain,
        representations,
        choose(reduction, algorithm, domain, representations, where or type(construction).__name__),
    )


class Numbers:
    """What a bound may ask for, looked up when it does: in what is ``given``, then among the domain's constants."""

    def __init__(self, domain: Domain, *given: Mapping[str, float]) -> None:
        self.domain, self.given = domain, given

    def find(self, name: str) -> float | None:
        """The number of that name, if anybody has it; a constant may be infinite."""
        value = next((entry[name] for entry in self.given if name in entry), getattr(self.domain, name, None))
        return value if isinstance(value, int | float) else None

    def lacks(self, bound: str) -> str:
        """The first number that the bound needs and that nobody has, with what may be said of it; empty if none.

        An infinite constant is lacking where the bound would be infinite too: it may be the lesser of two.
        """
        found = {name: self.find(name) for name in bounds.arguments(bound)}
        lacking = [name for name, value in found.items() if value is None]
        if not lacking and math.inf in found.values():
            with suppress(ArithmeticError, ValueError):
                if not math.isfinite(bounds.evaluate(bound, {name: value or 0.0 for name, value in found.items()})):
                    lacking = [name for name, value in found.items() if value == math.inf and name != "epsilon"]
        if not lacking:
            return ""
        domain = f"{type(self.domain.loss).__name__} over {self.domain.constraint_set.title}"
        return f"{lacking[0]}, which {domain} does not have" if hasattr(self.domain, lacking[0]) else lacking[0]

    def evaluate(self, bound: str) -> float:
        """The bound; raises InputError for a number that is lacking."""
        found = {name: value for name in bounds.arguments(bound) if (value := self.find(name)) is not None}
        return bounds.evaluate(bound, found)
