"""The oracle that algorithms see: risk, gradient and a certified minimum behind declared capabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from dprepro.errors import Incompatible, InputError
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray, GroupPoint, Minimum, Moments, Point, Records, VertexGroups
from dprepro.problems.sets import ConstraintSet

CAPABILITIES = ("axis", "groups", "moments", "population", "quadratic", "records", "subspace")


class Problem(ABC):
    """A convex risk, always the mean over n records, over a constraint set.

    Capabilities say what an algorithm may ask for beyond risk and gradient: "records", "moments", "groups",
    "population", "quadratic" (a :class:`~dprepro.problems.quadratic.Quadratic`, to which terms can be added),
    "subspace" (only the coordinates along the data are listed). Asking for another raises :class:`Incompatible` with
    the reason.
    """

    @property
    @abstractmethod
    def constants(self) -> Constants:
        """The public constants, from which schedules and noise scales are computed."""

    @property
    @abstractmethod
    def constraint_set(self) -> ConstraintSet:
        """The set that theta is confined to."""

    @property
    @abstractmethod
    def capabilities(self) -> frozenset[str]:
        """The subset of `CAPABILITIES` that this problem offers."""

    @abstractmethod
    def risk(self, theta: Point) -> float:
        """Mean loss over the n records (or the population risk)."""

    @abstractmethod
    def gradient(self, theta: Point) -> FloatArray:
        """Gradient of the risk: shape (p,), or (G,) for a :class:`GroupPoint`, whose entries are <s, gradient>."""

    @abstractmethod
    def _find_minimum(self) -> Minimum:
        """The certified minimum; called once."""

    @property
    @abstractmethod
    def start(self) -> Point:
        """The set's data-free first point, in the form that this problem computes with."""

    @cached_property
    def minimum(self) -> Minimum:
        """The exact minimum over the set with its duality gap, computed once; raises DpreproError without it."""
        return self._find_minimum()

    def sample(self, rng: np.random.Generator) -> Problem:
        """The problem as an algorithm sees it: a population draws its n records, a data set is its own sample."""
        return self

    def excess_risk(self, theta: Point) -> float:
        """risk(theta) - minimum.value; at least -minimum.gap for theta in the set."""
        return self.risk(theta) - self.minimum.value

    @cached_property
    def trivial_risk(self) -> float:
        """Excess risk of the answer that looks at no data: the set's start point."""
        return self.excess_risk(self.start)

    @property
    def records(self) -> Records:
        """The records; raises Incompatible where there are none."""
        raise self._incompatible("records")

    @property
    def moments(self) -> Moments:
        """The moments; raises Incompatible where there are none."""
        raise self._incompatible("moments")

    @property
    def groups(self) -> VertexGroups:
        """The groups of interchangeable vertices; raises Incompatible where there are none."""
        raise self._incompatible("groups")

    def require(self, *capabilities: str) -> None:
        """Check that all of `capabilities` are offered.

        Raises:
            Incompatible: for the first one that is not, with the reason.
            InputError: for a name that is no capability.
        """
        for capability in capabilities:
            if capability not in CAPABILITIES:
                raise InputError(f"unknown capability {capability!r}; choices: {', '.join(CAPABILITIES)}")
            if capability not in self.capabilities:
                raise self._incompatible(capability)

    def _incompatible(self, capability: str) -> Incompatible:
        offered = ", ".join(sorted(self.capabilities)) or "none"
        reason = self._reason(capability)
        return Incompatible(f"{type(self).__name__} offers no {capability}{reason}; it has: {offered}")

    def _reason(self, capability: str) -> str:
        """Why a capability is missing, as the rest of a sentence; empty where there is no more to say."""
        return ""


def as_theta(theta: Point, p: int) -> FloatArray:
    """theta as an array of shape (p,). Raises Incompatible for a :class:`GroupPoint`, InputError for another shape."""
    if isinstance(theta, GroupPoint):
        raise Incompatible("a GroupPoint can only be judged by a problem with groups")
    if theta.shape != (p,):
        raise InputError(f"theta must have shape ({p},), got {theta.shape}")
    return theta
