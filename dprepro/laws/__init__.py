"""Exact laws of answers, found by algorithm, and what lemmas say of every answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from dprepro.algorithms import (
    Algorithm,
    EfficientSampler,
    ExponentialMechanism,
    ExponentialSupport,
    HighProbability,
    HuberisedObjectivePerturbation,
    Localization,
    NoisySGD,
    ObjectivePerturbation,
    OutputPerturbation,
    RegularisedOutputPerturbation,
    RegularisedRelease,
    ReleasedMarginals,
    SampleAndAggregate,
    SparseRegression,
    StronglyConvexPerturbation,
)
from dprepro.budget import Budget
from dprepro.errors import Incompatible, InputError
from dprepro.laws.base import Law, NeighbourLaws
from dprepro.laws.descent_law import DescentLaw
from dprepro.laws.exponential_law import ExponentialLaw
from dprepro.laws.high_probability_law import HighProbabilityLaw
from dprepro.laws.huberised_law import HuberisedLaw
from dprepro.laws.lemmas import Lemmas, huberisation_lemmas, perturbation_lemmas
from dprepro.laws.localization_law import LocalizationLaw
from dprepro.laws.perturbation_law import ObjectivePerturbationLaw
from dprepro.laws.release_law import ReleaseLaw
from dprepro.laws.sampling_law import SamplerLaw
from dprepro.laws.sparse_regression_law import SparseRegressionLaw
from dprepro.laws.support_law import ExponentialSupportLaw
from dprepro.laws.votes_law import VotesLaw
from dprepro.problems import Domain, Problem

LAWS: dict[type[Algorithm], type[Law]] = {
    EfficientSampler: SamplerLaw,
    ExponentialMechanism: ExponentialLaw,
    ExponentialSupport: ExponentialSupportLaw,
    HighProbability: HighProbabilityLaw,
    HuberisedObjectivePerturbation: HuberisedLaw,
    Localization: LocalizationLaw,
    NoisySGD: DescentLaw,
    ObjectivePerturbation: ObjectivePerturbationLaw,
    OutputPerturbation: ReleaseLaw,
    RegularisedOutputPerturbation: ReleaseLaw,
    RegularisedRelease: ReleaseLaw,
    ReleasedMarginals: ReleaseLaw,
    SampleAndAggregate: VotesLaw,
    SparseRegression: SparseRegressionLaw,
    StronglyConvexPerturbation: ReleaseLaw,
}
"""By the very class of the algorithm: a subclass may answer otherwise. An algorithm of one's own adds its law."""

LEMMAS: dict[type[Algorithm], Lemmas] = {
    ObjectivePerturbation: Lemmas(("lemma_24", "corollary_25", "lemma_3", "theorem_30"), perturbation_lemmas),
    HuberisedObjectivePerturbation: Lemmas(
        (
            "minimiser_as_printed", "huber_minimiser", "huber_minimiser_as_printed", "huber_curvature",
            "second_derivative_jump",
        ),
        huberisation_lemmas,
    ),
}  # fmt: skip
"""By the very class of the algorithm; an algorithm of one's own adds its lemmas."""


def find(
    algorithm: Algorithm, domain: Domain | None, budget: Budget, point: Mapping[str, float] = MappingProxyType({})
) -> Law:
    """The law of an algorithm's answer on data of a domain; of unit constants at a grid point, where none is given.

    Raises:
        Incompatible: none is known.
    """
    kind = LAWS.get(type(algorithm))
    if kind is None:
        names = ", ".join(sorted(kind.__name__ for kind in LAWS))
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
        return NeighbourLaws(np.array([0.0, 1.0]), np.array([1.0, 0.0]), silent=False)
    try:
        known = [find(algorithm, problem.domain, budget) for problem in pair]
        return known[0].beside(known[1], *pair)
    except Incompatible:
        return None


__all__ = [
    "LAWS",
    "LEMMAS",
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
    "find",
]
