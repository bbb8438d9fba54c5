"""Attacks that follow from a statement: the algorithms that its premise names, on every family that meets it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeAlias

from dprepro.adversary.space import SPACES, Range
from dprepro.algorithms import (
    Algorithm,
    ExponentialMechanism,
    HighProbability,
    Localization,
    ObjectivePerturbation,
    OutputPerturbation,
    RegularisedRelease,
    StronglyConvexPerturbation,
)
from dprepro.axes import DEFAULTS
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import Construction, FewRecords, OneHotFamily
from dprepro.constructions.base import LOSSES
from dprepro.errors import DpreproError
from dprepro.refute.attack import Attack
from dprepro.refute.risks import INSIDE, Risks
from dprepro.refute.search_axes import Axis, axis
from dprepro.statements.statement import Says
from dprepro.support import typed

SIZES: Mapping[str, Axis] = {
    "n": axis("n", high=1e9, usual=1e6),
    "p": axis("p", high=50),
    "epsilon": axis("epsilon", low=1e-4),
    "delta": axis("delta", low=0.0),
}
RECORDS: Mapping[str, Axis] = {
    "radius": Axis(1e-3, 1e3, usual=1),
    "feature_bound": Axis(1e-3, 1e3, usual=1),
    "label_bound": Axis(1e-3, 1e3, usual=1),
    "length": Axis(0, 1, usual=1, log=False, corners=(0.01, 0.5)),
    "label": Axis(-1, 1, usual=1, log=False, corners=(0, 0.01)),
    "others": Axis(0, 1, usual=0, log=False, corners=(0.5, 0.1)),
    "silent": Axis(0, 1, usual=0, log=False, corners=(0.5, 0.99)),
}
SETS = {"l2_ball": "L2Ball", "l1_ball": "L1Ball", "box": "Box", "simplex": "Simplex", "shifted_ball": "LocalBall"}
WORDS: Mapping[str, tuple[Any, ...]] = {
    "kind": ("opposite", "aside"), "spread": (False, True), "feature_norm": (2.0, math.inf)
}  # fmt: skip
USUAL = {"n": 1e4, "p": 16.0, "epsilon": 1.0, "delta": 1e-6}
REJECTING = (ExponentialMechanism, HighProbability, Localization)
"""Algorithms that draw again until they hit the set, which takes times that are exponential in p."""
ONE_RELEASE = (Localization, ObjectivePerturbation, OutputPerturbation, RegularisedRelease, StronglyConvexPerturbation)
"""Algorithms that add noise once: gamma or Laplace noise for delta = 0, a Gaussian one else."""
NEAR = {"radius": Axis(1, 1e3, usual=1), "feature_bound": Axis(1e-3, 1, usual=1)}
"""For these: records that a loss is the distance from lie in the set, which is else missed all the time."""
MOST_ALGORITHMS = 6
"""Of a statement whose premise leaves several of their parameters open."""

Family: TypeAlias = tuple[str, Construction, Mapping[str, Axis], Mapping[str, tuple[Any, ...]]]
"""Name, data, axes, and words among which axes choose."""


def of_algorithms(says: Says) -> tuple[Attack, ...]:
    """Attacks on an upper bound on risk in expectation; none on other statements, nor where no algorithm is named."""
    upper = says.direction == "at_most" and (says.rate or says.bound)
    likely = "with probability" in says.quantifiers and "in expectation" not in says.quantifiers
    population = any("independent draws" in assume for assume in says.assumes)  # the families' risks are empirical
    if not upper or likely or population:
        return ()
    found: list[Attack] = []
    for algorithm in itertools.islice(_algorithms(says), MOST_ALGORITHMS):
        relation = _relation(says, algorithm)
        for name, family, axes, choices in map(partial(_admitted, algorithm, relation), _families(says)):
            free = {named_field.name for part in (algorithm, family) for named_field in fields(part)} | set(DEFAULTS)
            moved = {key: value for key, value in {**SIZES, **axes}.items() if key in free} | _deltas(algorithm)
            if isinstance(algorithm, REJECTING):
                kept = {"p": axis("p", usual=3, high=6, corners=(2,)), **NEAR}
                moved |= {key: value for key, value in kept.items() if key in moved}
            if "epsilon == inf" in says.premise:  # as it is where no axis sets it
                moved = {key: value for key, value in moved.items() if key not in ("epsilon", "delta")}
            found.append(
                Risks(
                    name=f"{_title(algorithm)} on {name}", axes=moved, algorithm=algorithm, family=family,
                    relation=relation, choices=choices, reason="sizes, budgets and data at their ends",
                )
            )  # fmt: skip
    return tuple(found)


def _relation(says: Says, algorithm: Algorithm) -> Neighbours:
    """The first that the premise names and the algorithm has a certificate for."""
    named = [
        Neighbours(value) for condition in says.conditions if condition.fact == "relation" for value in condition.values
    ]
    return next(
        (neighbours for neighbours in named if neighbours in algorithm.relations), (*named, Neighbours.REPLACE_ONE)[0]
    )


def _admitted(algorithm: Algorithm, relation: Neighbours, found: Family) -> Family:
    """The family with only the losses that the algorithm can run with, where there are any."""
    name, family, axes, words = found
    if not isinstance(family, FewRecords):
        return found
    budget = Budget(USUAL["epsilon"], USUAL["delta"], relation)

    def runs(loss: str) -> bool:
        with suppress(DpreproError):
            return not algorithm.refusal(replace(family, loss=loss).domain({**DEFAULTS, **USUAL}), budget)
        return False

    losses = tuple(filter(runs, words["loss"]))
    if losses in ((), words["loss"]):
        return found
    axis_of_losses = Axis(0, len(losses) - 1, usual=0, log=False, whole=True)
    return name, replace(family, loss=losses[0]), {**axes, "loss": axis_of_losses}, {**words, "loss": losses}


def _algorithms(says: Says) -> Iterator[Algorithm]:
    """The algorithms that the premise names, with the parameters that it asks for."""
    asked = {condition.fact: condition.values for condition in says.conditions if condition.of_algorithm}
    kinds = asked.pop("algorithm", ())
    for kind in kinds:
        for values in itertools.product(*asked.values()):
            block: dict[str, Any] = {"_target_": f"dprepro.algorithms.{kind}"}
            block |= {name.partition(".")[2]: value for name, value in zip(asked, values, strict=True)}
            known = _fields(kind)
            parts = {
                name: {"_target_": f"dprepro.algorithms.{value}"} if value[:1].isupper() else value
                for name, value in block.items()
                if name == "_target_" or name in known
            }
            with suppress(DpreproError):
                built = typed.build(Algorithm, parts, kind)  # type: ignore[type-abstract]
                yield built
                if isinstance(built, ONE_RELEASE) and "algorithm.noise" not in asked:
                    yield replace(built, noise=_other_noise(built))


def _other_noise(algorithm: Algorithm) -> Any:
    pure = "gamma" if isinstance(algorithm, ObjectivePerturbation | StronglyConvexPerturbation) else "laplace"
    return pure if getattr(algorithm, "noise", pure) == "gaussian" else "gaussian"


def _deltas(algorithm: Algorithm) -> dict[str, Axis]:
    if not isinstance(algorithm, ONE_RELEASE):
        return {}
    return {"delta": axis("delta") if algorithm.noise == "gaussian" else Axis(0, 0, log=False)}


def _fields(kind: str) -> set[str]:
    from dprepro import algorithms

    return (
        {named_field.name for named_field in fields(getattr(algorithms, kind))} if hasattr(algorithms, kind) else set()
    )


def _families(says: Says) -> Iterator[Family]:
    """Families of data with the axes of their parameters; corners of a domain first."""
    words: dict[str, tuple[Any, ...]] = {
        "loss": tuple(name for name, loss in LOSSES.items() if _allows(says, "loss", type(loss).__name__)),
        "over": tuple(name for name, kind in SETS.items() if _allows(says, "set", kind)),
    }
    if all(words.values()):
        words |= WORDS
        chosen = {name: Axis(0, len(some) - 1, usual=0, log=False, whole=True) for name, some in words.items()}
        first = FewRecords(loss=words["loss"][0], over=words["over"][0], proper=INSIDE not in says.assumes)
        yield "a few records", first, {**RECORDS, **chosen}, words
    others: list[tuple[str, Construction, Mapping[str, Axis]]] = [
        (kind.__name__, kind(), {name: _axis(axis) for name, axis in ranges.items()}) for kind, ranges in SPACES.items()
    ]
    mass = {"mass": Axis(1e-5, 1)}
    others += [("OneHotFamily, absolute", OneHotFamily(loss="absolute"), mass)]
    others += [("OneHotFamily, logistic", OneHotFamily(loss="logistic"), mass)]
    for name, family, axes in others:
        domain = family.domain({**DEFAULTS, **USUAL})
        facts = {"loss": domain.loss, "set": domain.constraint_set}
        if all(_allows(says, fact, type(built).__name__) for fact, built in facts.items()):
            yield name, family, axes, {}


def _allows(says: Says, fact: str, value: str) -> bool:
    return all(value in condition.values for condition in says.conditions if condition.fact == fact)


def _axis(axis: Range) -> Axis:
    return Axis(axis.low, axis.high, log=axis.log)


def _title(algorithm: Algorithm) -> str:
    changed = [
        f"{named_field.name}={getattr(algorithm, named_field.name)}"
        for named_field in fields(algorithm)
        if getattr(algorithm, named_field.name) != named_field.default
        and isinstance(getattr(algorithm, named_field.name), str | int | float)
    ]
    return " ".join([type(algorithm).__name__, *changed])
