"""The papers' algorithms, one file each, readable beside the printed pseudocode."""

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.codeword_response import CodewordResponse
from dprepro.algorithms.data_free import DataFree
from dprepro.algorithms.exact_minimiser import ExactMinimiser
from dprepro.algorithms.exponential_mechanism import ExponentialMechanism
from dprepro.algorithms.frank_wolfe import FrankWolfe
from dprepro.algorithms.gaussian_frank_wolfe import GaussianFrankWolfe
from dprepro.algorithms.huberised_objective_perturbation import HuberisedObjectivePerturbation
from dprepro.algorithms.johnson_lindenstrauss import JohnsonLindenstrauss
from dprepro.algorithms.localization import Localization
from dprepro.algorithms.marginals import ReleasedMarginals
from dprepro.algorithms.noisy_frank_wolfe import NoisyFrankWolfe
from dprepro.algorithms.noisy_gradient_descent import NoisyGD
from dprepro.algorithms.noisy_sgd import NoisySGD
from dprepro.algorithms.objective_perturbation import ObjectivePerturbation
from dprepro.algorithms.output_perturbation import OutputPerturbation
from dprepro.algorithms.regularised_output_perturbation import RegularisedOutputPerturbation
from dprepro.algorithms.signed_counts import SignedCounts

__all__ = [
    "Algorithm",
    "CodewordResponse",
    "DataFree",
    "ExactMinimiser",
    "ExponentialMechanism",
    "FrankWolfe",
    "GaussianFrankWolfe",
    "HuberisedObjectivePerturbation",
    "JohnsonLindenstrauss",
    "Localization",
    "NoisyFrankWolfe",
    "NoisyGD",
    "NoisySGD",
    "ObjectivePerturbation",
    "OutputPerturbation",
    "RegularisedOutputPerturbation",
    "ReleasedMarginals",
    "Schedule",
    "SignedCounts",
    "Solution",
]
