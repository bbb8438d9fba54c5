"""Noise and private selection at a given scale, each with the privacy that one use of it costs."""

from dprepro.mechanisms.additive import Gaussian, Laplace
from dprepro.mechanisms.guarantees import BoundedRange, GaussianShift, Guarantee, PureLoss, SampledGaussianShift
from dprepro.mechanisms.selection import GumbelMin, LaplaceMin, Selection, selection

__all__ = [
    "BoundedRange",
    "Gaussian",
    "GaussianShift",
    "Guarantee",
    "GumbelMin",
    "Laplace",
    "LaplaceMin",
    "PureLoss",
    "SampledGaussianShift",
    "Selection",
    "selection",
]
