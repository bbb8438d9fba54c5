"""How to measure a kind of claim; a few kinds serve all."""

from dprepro.studies.attack import AttackStudy
from dprepro.studies.audit import AuditSeries, AuditStudy
from dprepro.studies.base import Declaration, Design, Study
from dprepro.studies.envelope import EnvelopeStudy
from dprepro.studies.inequality import Inequality, InequalityStudy
from dprepro.studies.minimax import MinimaxSeries, MinimaxStudy
from dprepro.studies.privacy import PrivacySeries, PrivacyStudy
from dprepro.studies.rate import RateStudy
from dprepro.studies.refute import RefuteStudy
from dprepro.studies.series import Series
from dprepro.studies.worst_case import Hunt, WorstCaseStudy

__all__ = [
    "AttackStudy",
    "AuditSeries",
    "AuditStudy",
    "Declaration",
    "Design",
    "EnvelopeStudy",
    "Hunt",
    "Inequality",
    "InequalityStudy",
    "MinimaxSeries",
    "MinimaxStudy",
    "PrivacySeries",
    "PrivacyStudy",
    "RateStudy",
    "RefuteStudy",
    "Series",
    "Study",
    "WorstCaseStudy",
]
