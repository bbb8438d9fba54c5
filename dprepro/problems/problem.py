"""A problem: a domain with data, seen through one or several representations of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from dprepro.errors import Incompatible
from dprepro.problems.domain import Domain
from dprepro.problems.losses import MarginLoss
from dprepro.problems.point_forms import GroupPoint, Minimum, PlanePoint, Point
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import ConstraintSet
from dprepro.problems.support_answers import SupportPoint
from dprepro.problems.views import GroupsView, MomentsView, OneHotView, RecordsView, SupportsView, View

DENSE = ("one_hot", "moments", "records")
"""Views in which theta is an array of all p coordinates, the cheapest first."""

REPRESENTATIONS = ("groups", "plane", *DENSE)
"""All representations, the cheapest first."""

MOMENTS_LIMIT = 5000  # largest p for which records are turned into a p x p matrix (200 MB)
RECORDS_LIMIT = 2e7  # entries of the matrix of records that one-hot counts are turned into

_Kind = TypeVar("_Kind", bound=View)


def derived_representations(domain: Domain, representations: frozenset[str]) -> frozenset[str]:
    """The representations that data with these have.

    One-hot counts have records, and records of a quadratic loss have moments, where no large matrix arises.
    """
    form, found = domain.loss.quadratic, set(representations)
    if "one_hot" in representations and (2 * domain.p + 1) * domain.p <= RECORDS_LIMIT:
        found.add("records")
    matrix = (
        form is not None and isinstance(domain.loss, MarginLoss) and form[0] > 0 and "one_hot" not in representations
    )
    if "records" in found and form is not None and not (matrix and domain.p > MOMENTS_LIMIT):
        found.add("moments")
    return frozenset(found)


class Problem:
    """The mean loss of the data over the domain's set, with its exact minimum.

    The data may be seen as ``records`` (listed once each), ``moments`` (the coefficients of a quadratic risk),
    ``one_hot`` counts, ``groups`` of interchangeable vertices or a ``plane`` through the data; which of them there are,
    is known before they are built (`Construction.representations`). Each is a `View`, built when it is first used. All
    have the same risk: a point is judged by the view that knows points of its kind.

    Algorithms see :attr:`domain`, :meth:`gradient`, and the representations that they name.

    Args:
        domain: what is public.
        representations: views by name, or functions that build them.
        population: the view by which answers are judged, where that is not the data themselves.
    """

    def __init__(
        self, domain: Domain, representations: Mapping[str, View | Callable[[], View]], population: View | None = None
    ) -> None:
        self.domain = domain
        self._given = dict(representations)
        self._built: dict[str, View] = {}
        self.population = population

    @property
    def given(self) -> frozenset[str]:
        """The names of the representations that were given, without those derived from them."""
        return frozenset(self._given)

    @cached_property
    def representations(self) -> frozenset[str]:
        """The names of all representations."""
        return derived_representations(self.domain, self.given)

    @property
    def constraint_set(self) -> ConstraintSet:
        """The set that theta is confined to."""
        return self.domain.constraint_set

    def see(self, name: str) -> View:
        """The view of that name; raises Incompatible where there is none."""
        if name not in self._built:
            if name not in self.representations:
                raise Incompatible(f"this problem has no {name}; it has: {', '.join(sorted(self.representations))}")
            given = self._given.get(name)
            self._built[name] = self._derived(name) if given is None else given() if callable(given) else given
        return self._built[name]

    @property
    def records(self) -> RecordsView:
        """The records."""
        return self._see("records", RecordsView)

    @property
    def moments(self) -> MomentsView:
        """The moments."""
        return self._see("moments", MomentsView)

    @property
    def plane(self) -> MomentsView:
        """The plane through the data."""
        return self._see("plane", MomentsView)

    @property
    def groups(self) -> GroupsView:
        """The groups of interchangeable vertices."""
        return self._see("groups", GroupsView)

    @property
    def one_hot(self) -> OneHotView:
        """The one-hot counts."""
        return self._see("one_hot", OneHotView)

    @cached_property
    def dense(self) -> View:
        """The view in which theta is an array; raises Incompatible where there is none.

        Moments come first where they were given; those of records alone need not be worth their matrix.
        """
        for name in DENSE:
            if name in self.given:
                return self.see(name)
        raise Incompatible(
            f"this problem of p={self.domain.p} coordinates has no dense representation; it has: "
            f"{', '.join(sorted(self.representations))}"
        )

    @cached_property
    def supports(self) -> SupportsView:
        """Choices among the listed coordinates of what answers are judged by."""
        view = self.population or self.dense
        return SupportsView(
            self.moments if isinstance(view, RecordsView) and "moments" in self.representations else view
        )

    @cached_property
    def cheapest(self) -> View:
        """The view in which a point costs least."""
        return self.see(next(name for name in REPRESENTATIONS if name in self.given))

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Gradient (or a subgradient) of the mean loss of the data, shape (p,)."""
        return self.dense.gradient(theta)

    @property
    def start(self) -> Point:
        """The set's data-free first point, in the cheapest view."""
        return self.cheapest.start

    @cached_property
    def minimum(self) -> Minimum:
        """The exact minimum of what answers are judged by, dense where that is possible."""
        if self.population is not None:
            return self.population.minimum
        return (self.dense if self.given & set(DENSE) else self.cheapest).minimum

    def judge(self, theta: Point) -> View:
        """The view that knows the risk of a point of this kind.

        Raises:
            Incompatible: a kind of point that no view of this problem knows.
        """
        if isinstance(theta, SupportPoint):
            return self.supports
        if self.population is not None:
            return self.population
        if isinstance(theta, GroupPoint):
            return self.groups
        return self.plane if isinstance(theta, PlanePoint) else self.dense

    def excess_risk(self, theta: Point) -> float:
        """The risk of theta above the minimum; at least minus the certificate's gap for theta in the set."""
        return self.judge(theta).excess(theta)

    @cached_property
    def trivial_risk(self) -> float:
        """Excess risk of the answer that looks at no data."""
        return self.excess_risk(self.start)

    def restricted(self, constraint_set: ConstraintSet) -> Problem:
        """The same data over another set."""
        domain = replace(self.domain, constraint_set=constraint_set)
        return Problem(domain, {name: self.see(name).over(domain) for name in self.given & {"records", "moments"}})

    def _derived(self, name: str) -> View:
        if name == "records":
            return RecordsView(self.domain, self.one_hot.to_records())
        if "one_hot" in self.given:
            return MomentsView(self.domain, self.one_hot.to_moments())
        return self.records.to_moments()

    def _see(self, name: str, kind: type[_Kind]) -> _Kind:
        view = self.see(name)
        assert isinstance(view, kind)
        return view
