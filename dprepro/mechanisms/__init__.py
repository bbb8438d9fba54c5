"""Noise and private selection at a given scale, each with the privacy that one use of it costs."""

from dprepro.mechanisms.additive import Gaussian, L2Laplace, Laplace, vector_noise
from dprepro.mechanisms.guarantees import BoundedRange, GaussianShift, Guarantee, PureLoss, SampledGaussianShift
from dprepro.mechanisms.noise_moments import NoiseMoments
from dprepro.mechanisms.published import Transcript, noted
from dprepro.mechanisms.selection import GumbelMin, LaplaceMin, PrivateSelection, selection
from dprepro.mechanisms.subsets import NoisyTop, SubsetChoice

__all__ = [
    "BoundedRange",
    "Gaussian",
    "GaussianShift",
    "Guarantee",
    "GumbelMin",
    "L2Laplace",
    "Laplace",
    "LaplaceMin",
    "NoiseMoments",
    "NoisyTop",
    "PrivateSelection",
    "PureLoss",
    "SampledGaussianShift",
    "SubsetChoice",
    "Transcript",
    "noted",
    "selection",
    "vector_noise",
]
