"""Hard instances from the proofs and ordinary families beside them, one data set for each grid point."""

from dprepro.constructions.ball import HingeCorner, OnePlace, OneWayMarginals, SpreadPlaces
from dprepro.constructions.base import Construction, Point
from dprepro.constructions.challenge import Attackable, Challenge, Finding
from dprepro.constructions.designs import FlatOptimum, RandomDesign
from dprepro.constructions.direction import DirectionRegression
from dprepro.constructions.fingerprinting import Fingerprinting
from dprepro.constructions.glm import OneHotFamily
from dprepro.constructions.huberization import HuberCounterexample
from dprepro.constructions.needles import CentredNeedle, TunedNeedle
from dprepro.constructions.packing import Packing
from dprepro.constructions.perturbation import (
    LinearSlope,
    NiceRegression,
    OrthogonalRegression,
    RandomQuadratic,
)
from dprepro.constructions.signed_labels import LipschitzSignedLabels, SignedLabels
from dprepro.constructions.table import File, RandHealth, Table
from dprepro.constructions.tardos_lasso import TardosLasso

__all__ = [
    "Attackable",
    "CentredNeedle",
    "Challenge",
    "Construction",
    "DirectionRegression",
    "File",
    "Finding",
    "Fingerprinting",
    "FlatOptimum",
    "HingeCorner",
    "HuberCounterexample",
    "LinearSlope",
    "LipschitzSignedLabels",
    "NiceRegression",
    "OneHotFamily",
    "OnePlace",
    "OneWayMarginals",
    "OrthogonalRegression",
    "Packing",
    "Point",
    "RandHealth",
    "RandomDesign",
    "RandomQuadratic",
    "SignedLabels",
    "SpreadPlaces",
    "Table",
    "TardosLasso",
    "TunedNeedle",
]
