"""The risk that an algorithm is expected to lose on ordinary data: predicted, the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprepro import algorithms as known
from dprepro.algorithms import Algorithm
from dprepro.errors import InputError
from dprepro.practice import choices, iterations, releases
from dprepro.practice.ordinary import AdviceQuestion, of
from dprepro.problems.problem_data import FloatArray

Predictor = Callable[[Any, AdviceQuestion], FloatArray]

SOURCES: Mapping[str, tuple[str, Mapping[type[Algorithm], Predictor]]] = {
    "release": (
        "the law of the released point: the exact minimiser with noise, averaged over fixed vectors of noise",
        {
            known.OutputPerturbation: releases.output_perturbation,
            known.RegularisedOutputPerturbation: releases.regularised_output_perturbation,
            known.RegularisedRelease: releases.regularised_release,
            known.ReleasedMarginals: releases.released_marginals,
        },
    ),
    "objective": (
        "the minimiser of the noisy objective, averaged over fixed vectors of noise",
        {
            known.ObjectivePerturbation: releases.objective_perturbation,
            known.StronglyConvexPerturbation: releases.strongly_convex_perturbation,
            known.Huberised: releases.huberised,
        },
    ),
    "moments": (
        "least squares from moments with noise of the exact law",
        {known.SufficientStatistics: releases.sufficient_statistics},
    ),
    "descent": (
        "noisy descent, many steps of its schedule taken as one",
        {
            known.NoisyGD: iterations.noisy_descent,
            known.NoisySGD: iterations.noisy_descent,
            known.JohnsonLindenstrauss: iterations.johnson_lindenstrauss,
        },
    ),
    "vertices": (
        "Frank-Wolfe's steps, many of its schedule taken as one",
        {
            known.GaussianFrankWolfe: iterations.gaussian_frank_wolfe,
            known.NoisyFrankWolfe: iterations.noisy_frank_wolfe,
        },
    ),
    "expansion": (
        "samples of the risk's expansion to second order about its minimiser",
        {
            known.ExponentialMechanism: choices.exponential_mechanism,
            known.HighProbability: choices.high_probability,
        },
    ),
    "choice": (
        "a private choice among answers, each by the law of the released point",
        {
            known.ConfidenceBoosting: choices.confidence_boosting,
            known.GridSearch: choices.grid_search,
        },
    ),
}
"""How risks are predicted: a name, in words, and for which algorithms by which function of (algorithm, question)."""

_PREDICTORS: dict[type[Algorithm], tuple[str, Predictor]] = {
    kind: (source, predictor) for source, (_, some) in SOURCES.items() for kind, predictor in some.items()
}

WITHOUT: Mapping[type[Algorithm], str] = {
    known.SparseRegression: "the law of its choice of a support on dense data is not known",
    known.EfficientSampler: "its law is the exponential mechanism's, whose prediction stands for it",
    known.CodewordResponse: "it answers with words of a code, for which ordinary data have no use",
    known.Localization: "its second half runs over a ball that the first half chooses",
}
"""Algorithms that have no prediction, with the reason."""


@dataclass(frozen=True)
class Prediction:
    """Mean excess risks, before what experiments found is taken into account.

    Attributes:
        source: a key of `SOURCES`. risks: by kind of data, shape (kinds,).
    """

    source: str
    risks: FloatArray


def source_of(algorithm: Algorithm) -> str:
    """How its risk is predicted: a key of `SOURCES`; empty where it is not."""
    return _PREDICTORS.get(type(algorithm), ("", None))[0]


def predict(algorithm: Algorithm, asked: AdviceQuestion) -> Prediction:
    """What the algorithm is expected to lose.

    Raises:
        InputError: it has no prediction there, with the reason.
    """
    kind = type(algorithm)
    if kind not in _PREDICTORS:
        raise InputError(WITHOUT.get(kind, f"{kind.__name__} brings no prediction of its risk"))
    source, predictor = _PREDICTORS[kind]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # what is no number is refused
        try:
            risks = predictor(algorithm, asked)
        except ArithmeticError as error:
            raise InputError("its schedule leaves the range of floats there") from error
    if not np.isfinite(risks).all():
        raise InputError("its prediction is no number there")
    return Prediction(source, risks)


def trivial(asked: AdviceQuestion) -> FloatArray:
    """What answering the set's start loses, shape (kinds,)."""
    return of(asked).trivial
