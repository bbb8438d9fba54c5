"""The papers' algorithms, one file each, readable beside the printed pseudocode."""

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.data_free import DataFree
from dprepro.algorithms.exponential_mechanism import ExponentialMechanism
from dprepro.algorithms.frank_wolfe import FrankWolfe
from dprepro.algorithms.localization import Localization
from dprepro.algorithms.noisy_frank_wolfe import NoisyFrankWolfe
from dprepro.algorithms.noisy_sgd import NoisySGD
from dprepro.algorithms.output_perturbation import OutputPerturbation

__all__ = [
    "Algorithm",
    "DataFree",
    "ExponentialMechanism",
    "FrankWolfe",
    "Localization",
    "NoisyFrankWolfe",
    "NoisySGD",
    "OutputPerturbation",
    "Schedule",
    "Solution",
]
