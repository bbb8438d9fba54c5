"""The papers' algorithms, one file each, readable beside the printed pseudocode."""

from dprepro.algorithms.base import Algorithm, Schedule, Solution
from dprepro.algorithms.data_free import DataFree
from dprepro.algorithms.frank_wolfe import FrankWolfe
from dprepro.algorithms.noisy_frank_wolfe import NoisyFrankWolfe
from dprepro.algorithms.noisy_gradient_descent import NoisyGD
from dprepro.algorithms.output_perturbation import OutputPerturbation

__all__ = [
    "Algorithm",
    "DataFree",
    "FrankWolfe",
    "NoisyFrankWolfe",
    "NoisyGD",
    "OutputPerturbation",
    "Schedule",
    "Solution",
]
