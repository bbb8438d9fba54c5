"""What a risk may be computed from: records, moments, groups of vertices, one-hot counts."""

from dprepro.problems.views.base import View
from dprepro.problems.views.groups import GroupsView
from dprepro.problems.views.moments import MomentsView
from dprepro.problems.views.one_hot import OneHotView
from dprepro.problems.views.records import RecordsView, RiskAxis
from dprepro.problems.views.supports import SupportsView

__all__ = ["GroupsView", "MomentsView", "OneHotView", "RecordsView", "RiskAxis", "SupportsView", "View"]
