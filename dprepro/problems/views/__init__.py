"""What a risk may be computed from: records, moments, groups of vertices, one-hot counts."""

from dprepro.problems.views.base import View
from dprepro.problems.views.groups_view import GroupsView
from dprepro.problems.views.moments_view import MomentsView
from dprepro.problems.views.one_hot_view import OneHotView
from dprepro.problems.views.records_view import RecordsView, RiskAxis
from dprepro.problems.views.supports_view import SupportsView

__all__ = ["GroupsView", "MomentsView", "OneHotView", "RecordsView", "RiskAxis", "SupportsView", "View"]
