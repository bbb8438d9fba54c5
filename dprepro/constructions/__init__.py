"""Hard instances from the proofs and ordinary families beside them, one data set for each grid point."""

from typing import TYPE_CHECKING

from dprepro.support.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from dprepro.constructions.ball import HingeCorner, HuberCounterexample, OnePlace, OneWayMarginals, SpreadPlaces
    from dprepro.constructions.base import Construction, Point
    from dprepro.constructions.challenge import Attackable, Challenge, Finding
    from dprepro.constructions.designs import FlatOptimum, RandomDesign
    from dprepro.constructions.diagonal_designs import NiceRegression, OrthogonalRegression, RandomQuadratic
    from dprepro.constructions.equal_records import DirectionRegression, LinearSlope
    from dprepro.constructions.few_records import FewRecords
    from dprepro.constructions.fingerprinting import Fingerprinting
    from dprepro.constructions.known import WorstKnown
    from dprepro.constructions.needle_family import ApartNeedleFamily, NeedleFamily
    from dprepro.constructions.needles import CentredNeedle, TunedNeedle
    from dprepro.constructions.one_hot_populations import OneHotFamily
    from dprepro.constructions.packing import Packing
    from dprepro.constructions.planted_supports import PlantedSupport
    from dprepro.constructions.populations import AxisPopulation, CoinPopulation, DirectionPopulation
    from dprepro.constructions.signed_directions import SignedDirections
    from dprepro.constructions.signed_labels import LipschitzSignedLabels, SignedLabels
    from dprepro.constructions.tardos_lasso import TardosLasso
else:
    __getattr__, __dir__ = lazy_imports(__name__)

__all__ = [
    "ApartNeedleFamily",
    "Attackable",
    "AxisPopulation",
    "CentredNeedle",
    "Challenge",
    "CoinPopulation",
    "Construction",
    "DirectionPopulation",
    "DirectionRegression",
    "FewRecords",
    "Finding",
    "Fingerprinting",
    "FlatOptimum",
    "HingeCorner",
    "HuberCounterexample",
    "LinearSlope",
    "LipschitzSignedLabels",
    "NeedleFamily",
    "NiceRegression",
    "OneHotFamily",
    "OnePlace",
    "OneWayMarginals",
    "OrthogonalRegression",
    "Packing",
    "PlantedSupport",
    "Point",
    "RandomDesign",
    "RandomQuadratic",
    "SignedDirections",
    "SignedLabels",
    "SpreadPlaces",
    "TardosLasso",
    "TunedNeedle",
    "WorstKnown",
]
