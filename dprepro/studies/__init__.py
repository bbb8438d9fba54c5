"""How to measure a kind of claim; a few kinds serve all."""

from dprepro.studies.attack import AttackStudy
from dprepro.studies.base import Design, Study
from dprepro.studies.envelope import EnvelopeStudy
from dprepro.studies.inequality import Inequality, InequalityStudy
from dprepro.studies.limits import LimitStudy
from dprepro.studies.one_dimension import OneDimensionStudy
from dprepro.studies.rate import RateStudy, Series
from dprepro.studies.smoothing import SmoothingStudy

__all__ = [
    "AttackStudy",
    "Design",
    "EnvelopeStudy",
    "Inequality",
    "InequalityStudy",
    "LimitStudy",
    "OneDimensionStudy",
    "RateStudy",
    "Series",
    "SmoothingStudy",
    "Study",
]
