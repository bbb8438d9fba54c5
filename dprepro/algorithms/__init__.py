"""The papers' algorithms, one file each, readable beside the printed pseudocode."""

from typing import TYPE_CHECKING

from dprepro.support.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from dprepro.algorithms.base import Algorithm, Schedule, Solution
    from dprepro.algorithms.boosting import ConfidenceBoosting
    from dprepro.algorithms.codeword_response import CodewordResponse
    from dprepro.algorithms.constant_prediction import ConstantPrediction
    from dprepro.algorithms.data_free import DataFree
    from dprepro.algorithms.direction_counts import DirectionCounts
    from dprepro.algorithms.efficient_sampler import EfficientSampler
    from dprepro.algorithms.exact_minimiser import ExactMinimiser
    from dprepro.algorithms.exponential_mechanism import ExponentialMechanism
    from dprepro.algorithms.exponential_support import ExponentialSupport
    from dprepro.algorithms.frank_wolfe import ConstantStep, DecayingStep, FrankWolfe, StepSize
    from dprepro.algorithms.gaussian_frank_wolfe import GaussianFrankWolfe
    from dprepro.algorithms.grid_search import GridSearch
    from dprepro.algorithms.high_probability import HighProbability
    from dprepro.algorithms.huberised import Huberised
    from dprepro.algorithms.huberised_objective_perturbation import (
        CorrectedRegulariser,
        HuberisedObjectivePerturbation,
        PrintedRegulariser,
    )
    from dprepro.algorithms.johnson_lindenstrauss import JohnsonLindenstrauss
    from dprepro.algorithms.localization import Localization
    from dprepro.algorithms.marginals import ReleasedMarginals
    from dprepro.algorithms.noisy_frank_wolfe import NoisyFrankWolfe
    from dprepro.algorithms.noisy_gradient_descent import LowNoiseStep, NoisyGD, Theorem1Step
    from dprepro.algorithms.noisy_sgd import (
        ConstantRate,
        FullGradient,
        LipschitzRate,
        NoisySGD,
        SampledGradient,
        StronglyConvexRate,
    )
    from dprepro.algorithms.objective_perturbation import (
        BalancedRegulariser,
        LeastRegulariser,
        ObjectivePerturbation,
        Theorem4Regulariser,
    )
    from dprepro.algorithms.output_perturbation import OutputPerturbation
    from dprepro.algorithms.regularised_output_perturbation import RegularisedOutputPerturbation
    from dprepro.algorithms.regularised_release import RegularisedRelease
    from dprepro.algorithms.sample_and_aggregate import PenalisedLeastSquares, SampleAndAggregate
    from dprepro.algorithms.signed_counts import SignedCounts
    from dprepro.algorithms.sparse_regression import SparseRegression
    from dprepro.algorithms.strongly_convex_perturbation import StronglyConvexPerturbation
    from dprepro.algorithms.sufficient_statistics import SufficientStatistics
else:
    __getattr__, __dir__ = lazy_imports(__name__)

__all__ = [
    "Algorithm",
    "BalancedRegulariser",
    "CodewordResponse",
    "ConfidenceBoosting",
    "ConstantPrediction",
    "ConstantRate",
    "ConstantStep",
    "CorrectedRegulariser",
    "DataFree",
    "DecayingStep",
    "DirectionCounts",
    "EfficientSampler",
    "ExactMinimiser",
    "ExponentialMechanism",
    "ExponentialSupport",
    "FrankWolfe",
    "FullGradient",
    "GaussianFrankWolfe",
    "GridSearch",
    "HighProbability",
    "Huberised",
    "HuberisedObjectivePerturbation",
    "JohnsonLindenstrauss",
    "LeastRegulariser",
    "LipschitzRate",
    "Localization",
    "LowNoiseStep",
    "NoisyFrankWolfe",
    "NoisyGD",
    "NoisySGD",
    "ObjectivePerturbation",
    "OutputPerturbation",
    "PenalisedLeastSquares",
    "PrintedRegulariser",
    "RegularisedOutputPerturbation",
    "RegularisedRelease",
    "ReleasedMarginals",
    "SampleAndAggregate",
    "SampledGradient",
    "Schedule",
    "SignedCounts",
    "Solution",
    "SparseRegression",
    "StepSize",
    "StronglyConvexPerturbation",
    "StronglyConvexRate",
    "SufficientStatistics",
    "Theorem1Step",
    "Theorem4Regulariser",
]
