"""Exact laws of answers, found by algorithm, and what lemmas say of every answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dprepro import algorithms
from dprepro.algorithms import Algorithm
from dprepro.budget import Budget
from dprepro.errors import Incompatible, InputError
from dprepro.laws.base import Law, NeighbourLaws
from dprepro.problems import Domain, Problem
from dprepro.support.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from dprepro.laws.descent_law import DescentLaw
    from dprepro.laws.exponential_law import ExponentialLaw
    from dprepro.laws.high_probability_law import HighProbabilityLaw
    from dprepro.laws.huberised_law import HuberisedLaw
    from dprepro.laws.lemmas import HUBERISATION_LEMMAS, PERTURBATION_LEMMAS, Lemmas
    from dprepro.laws.localization_law import LocalizationLaw
    from dprepro.laws.perturbation_law import ObjectivePerturbationLaw
    from dprepro.laws.release_law import ReleaseLaw
    from dprepro.laws.sampling_law import SamplerLaw
    from dprepro.laws.sparse_regression_law import SparseRegressionLaw
    from dprepro.laws.support_law import ExponentialSupportLaw
    from dprepro.laws.votes_law import VotesLaw
else:
    __getattr__, __dir__ = lazy_imports(__name__)

LAWS: dict[str, str] = {
    "EfficientSampler": "SamplerLaw",
    "ExponentialMechanism": "ExponentialLaw",
    "ExponentialSupport": "ExponentialSupportLaw",
    "HighProbability": "HighProbabilityLaw",
    "HuberisedObjectivePerturbation": "HuberisedLaw",
    "Localization": "LocalizationLaw",
    "NoisySGD": "DescentLaw",
    "ObjectivePerturbation": "ObjectivePerturbationLaw",
    "OutputPerturbation": "ReleaseLaw",
    "RegularisedOutputPerturbation": "ReleaseLaw",
    "RegularisedRelease": "ReleaseLaw",
    "ReleasedMarginals": "ReleaseLaw",
    "SampleAndAggregate": "VotesLaw",
    "SparseRegression": "SparseRegressionLaw",
    "StronglyConvexPerturbation": "ReleaseLaw",
}
"""By the name of an algorithm's class that of its law, which is imported when somebody asks for it."""

LEMMAS: dict[str, str] = {
    "ObjectivePerturbation": "PERTURBATION_LEMMAS",
    "HuberisedObjectivePerturbation": "HUBERISATION_LEMMAS",
}
"""By the name of an algorithm's class that of the lemmas about its answers."""


def law_of(kind: type[Algorithm]) -> type[Law] | None:
    """The law of the answers of this very class of algorithms: a subclass may answer otherwise. None where none is."""
    law: type[Law] | None = kind.law() if "law" in vars(kind) else _entry(LAWS, kind)
    return law


def lemmas_of(kind: type[Algorithm]) -> Lemmas | None:
    """The lemmas about the answers of this very class of algorithms; None where there are none."""
    lemmas: Lemmas | None = _entry(LEMMAS, kind)
    return lemmas


def every_lemma() -> frozenset[str]:
    """The names of all lemmas."""
    return frozenset(name for table in LEMMAS.values() for name in getattr(sys.modules[__name__], table).names)


def every_law() -> list[type[Law]]:
    """All laws, each once."""
    return [getattr(sys.modules[__name__], name) for name in dict.fromkeys(LAWS.values())]


def _entry(table: Mapping[str, str], kind: type[Algorithm]) -> Any:
    name = table.get(kind.__name__)
    if name is None or getattr(algorithms, kind.__name__) is not kind:  # or somebody's own class of the same name
        return None
    return getattr(sys.modules[__name__], name)


def find(
    algorithm: Algorithm, domain: Domain | None, budget: Budget, point: Mapping[str, float] = MappingProxyType({})
) -> Law:
    """The law of an algorithm's answer on data of a domain; of unit constants at a grid point, where none is given.

    Raises:
        Incompatible: none is known.
    """
    kind = law_of(type(algorithm))
    if kind is None:
        names = ", ".join(sorted(LAWS))
        raise Incompatible(f"no output distribution is known for {type(algorithm).__name__}; choices: {names}")
    if domain is not None and (obstacle := kind.obstacle(domain)):
        raise Incompatible(f"the output distribution of {type(algorithm).__name__} {obstacle}")
    return kind(algorithm, domain or kind.domain_at(point), budget)


def beside(algorithm: Algorithm, budget: Budget, pair: tuple[Problem, Problem]) -> NeighbourLaws | None:
    """The law of the answer on both data sets, of finite answers or over fine intervals; None where none is known.

    An algorithm that answers on one of them alone has told them apart.
    """
    reasons = [algorithm.refusal(problem.domain, budget) for problem in pair]
    if any(reasons):
        if all(reasons):
            raise InputError(reasons[0])
        return NeighbourLaws(np.array([0.0, 1.0]), np.array([1.0, 0.0]), zeroed_out=False)
    try:
        known = [find(algorithm, problem.domain, budget) for problem in pair]
        return known[0].beside(known[1], *pair)
    except Incompatible:
        return None


__all__ = [
    "HUBERISATION_LEMMAS",
    "LAWS",
    "LEMMAS",
    "PERTURBATION_LEMMAS",
    "DescentLaw",
    "ExponentialLaw",
    "ExponentialSupportLaw",
    "HighProbabilityLaw",
    "HuberisedLaw",
    "Law",
    "Lemmas",
    "LocalizationLaw",
    "NeighbourLaws",
    "ObjectivePerturbationLaw",
    "ReleaseLaw",
    "SamplerLaw",
    "SparseRegressionLaw",
    "VotesLaw",
    "beside",
    "every_law",
    "every_lemma",
    "find",
    "law_of",
    "lemmas_of",
]
