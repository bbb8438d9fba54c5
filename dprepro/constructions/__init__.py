"""Hard instances from the proofs and ordinary families beside them, one data set for each grid point."""

from dprepro.constructions.ball import HingeCorner, OnePlace, OneWayMarginals, SpreadPlaces
from dprepro.constructions.base import Construction, Point
from dprepro.constructions.designs import FlatOptimum, RandomDesign
from dprepro.constructions.needles import CentredNeedle, TunedNeedle
from dprepro.constructions.table import File, RandHealth, Table

__all__ = [
    "CentredNeedle",
    "Construction",
    "File",
    "FlatOptimum",
    "HingeCorner",
    "OnePlace",
    "OneWayMarginals",
    "Point",
    "RandHealth",
    "RandomDesign",
    "SpreadPlaces",
    "Table",
    "TunedNeedle",
]
