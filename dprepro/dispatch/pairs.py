"""Which algorithm runs on which construction, from declarations alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprepro.algorithms import Algorithm
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import Construction
from dprepro.dispatch.backend import dispatch
from dprepro.errors import InputError, MissingDependency, PremiseError
from dprepro.support import typed


@dataclass(frozen=True)
class Pair:
    """Whether an algorithm runs on a construction, both by name.

    Attributes:
        backend: ``literal``, or the name of the reduction that is used; empty where the pair does not run.
        reason: why it does not run; empty where it does.
    """

    algorithm: str
    construction: str
    runs: bool
    backend: str
    reason: str


def matrix(
    algorithms: Mapping[str, Any],
    constructions: Mapping[str, Any],
    point: Mapping[str, float],
    deltas: Sequence[float],
    neighbours: str = "",
) -> list[Pair]:
    """All pairs of what these blocks of a configuration describe, algorithm by algorithm.

    A pair runs under the first of the deltas and relations that serves; all three relations are tried where none is
    named. Of several reasons the most frequent one is told: it says more than what a single budget lacks.

    Raises:
        InputError: an unknown relation. A block that cannot be built is a reason.
    """
    relations = [typed.build(Neighbours, neighbours, "neighbours")] if neighbours else list(Neighbours)
    families = {data: _built(Construction, data, block) for data, block in constructions.items()}
    found = []
    for name, block in algorithms.items():
        algorithm = _built(Algorithm, name, block)
        for data, family in families.items():
            backend, reason = "", str(algorithm if isinstance(algorithm, InputError | MissingDependency) else family)
            if isinstance(algorithm, Algorithm) and isinstance(family, Construction):
                backend, reason = _served(algorithm, family, point, deltas, relations)
            found.append(Pair(name, data, bool(backend), backend, reason))
    return found


def _built(kind: type[Any], name: str, block: Any) -> Any:
    """What a block describes, or why it cannot be had: a table that no one has given, say."""
    try:
        return typed.build(kind, block, name)
    except (InputError, MissingDependency) as error:
        return error


def _served(
    algorithm: Algorithm,
    construction: Construction,
    point: Mapping[str, float],
    deltas: Sequence[float],
    relations: Sequence[Neighbours],
) -> tuple[str, str]:
    reasons = []
    for delta in deltas:
        for relation in relations:
            at, budget = {**point, "delta": delta}, Budget(point["epsilon"], delta, relation)
            try:
                return dispatch(algorithm, construction, at, budget).backend, ""
            except (InputError, PremiseError) as error:
                reasons.append(" ".join(str(error).split()))
    return "", Counter(reasons).most_common(1)[0][0]
