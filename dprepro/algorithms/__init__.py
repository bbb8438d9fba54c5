"""The papers' algorithms, one file each, readable beside the printed pseudocode."""

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.data_free import DataFree
from dprepro.algorithms.frank_wolfe import FrankWolfe
from dprepro.algorithms.johnson_lindenstrauss import JohnsonLindenstrauss
from dprepro.algorithms.noisy_frank_wolfe import NoisyFrankWolfe
from dprepro.algorithms.noisy_gradient_descent import NoisyGD
from dprepro.algorithms.output_perturbation import OutputPerturbation

__all__ = [
    "Algorithm",
    "DataFree",
    "FrankWolfe",
    "JohnsonLindenstrauss",
    "NoisyFrankWolfe",
    "NoisyGD",
    "OutputPerturbation",
    "Schedule",
    "Solution",
]
