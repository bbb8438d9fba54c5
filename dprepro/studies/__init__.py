"""How to measure a kind of claim; a few kinds serve all."""

from typing import TYPE_CHECKING

from dprepro.support.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from dprepro.studies.attack_study import AttackStudy
    from dprepro.studies.audit_study import AuditSeries, AuditStudy
    from dprepro.studies.base import Declaration, Design, Study
    from dprepro.studies.envelope_study import EnvelopeStudy
    from dprepro.studies.inequality_study import Inequality, InequalityStudy
    from dprepro.studies.minimax_study import MinimaxSeries, MinimaxStudy
    from dprepro.studies.privacy_study import PrivacySeries, PrivacyStudy
    from dprepro.studies.rate_study import RateStudy
    from dprepro.studies.refute_study import RefuteStudy
    from dprepro.studies.series import Series
    from dprepro.studies.worst_case_study import Hunt, WorstCaseStudy
else:
    __getattr__, __dir__ = lazy_imports(__name__)

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
