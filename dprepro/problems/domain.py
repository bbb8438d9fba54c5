"""What is public about a problem: its loss, its constraint set, the bounds on one record, and n."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import Incompatible, InputError
from dprepro.problems.losses import DistanceLoss, Loss, MarginLoss
from dprepro.problems.problem_data import FloatArray, Records
from dprepro.problems.sets import NORMS, ConstraintSet, norm_ratio

BOUND_SLACK = 1e-9  # relative, for records that were scaled to their bound in floating point


@dataclass(frozen=True)
class Domain:
    """Everything that may be known before a private record is seen. All constants of a problem follow from it.

    Attributes:
        loss: of one record.
        constraint_set: what theta is confined to.
        n: number of records.
        feature_bound, feature_norm: every record has ||x||_feature_norm <= feature_bound; the order is 1, 2 or inf.
        label_bound: every record has |y| <= label_bound.
        l1_weight: r(theta) = l1_weight ||theta||_1 is added to the **sum** of the losses, as Kifer, Smith and Thakurta
            have it; 0 for no regulariser.
        proper: whether an answer has to lie in the set. For generalised linear models the ball is what minimisers are
            compared with; answers may leave it.

    What does not exist is None (a strong convexity, a number of vertices) or infinite (a smoothness), never 0; 0 is the
    smoothness of a linear loss.

    Raises:
        InputError: a bound that is not positive or beyond the loss's own, another norm, or an n below 1.
    """

    loss: Loss
    constraint_set: ConstraintSet
    n: float
    feature_bound: float = 1.0
    feature_norm: float = 2
    label_bound: float = 1.0
    l1_weight: float = 0.0
    proper: bool = True

    def __post_init__(self) -> None:
        for name in ("feature_bound", "label_bound"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise InputError(f"{name} must be finite and positive, got {name}={getattr(self, name):g}")
        if self.label_bound > self.loss.largest_label:
            raise InputError(
                f"{type(self.loss).__name__} needs labels of at most {self.loss.largest_label:g}, got "
                f"label_bound={self.label_bound:g}"
            )
        if self.feature_norm not in NORMS:
            raise InputError(f"feature_norm must be 1, 2 or inf, got feature_norm={self.feature_norm:g}")
        for name, value, least in (("n", self.n, 1), ("l1_weight", self.l1_weight, 0)):
            if not (math.isfinite(value) and value >= least):
                raise InputError(f"{name} must be finite and at least {least}, got {name}={value:g}")

    # the set

    @property
    def p(self) -> int:
        """Dimension of theta."""
        return self.constraint_set.p

    @cached_property
    def radius(self) -> float:
        """max ||theta||_2 over the set."""
        return self.constraint_set.norm_bound(2)

    @cached_property
    def l1_radius(self) -> float:
        """||C||_1 = max ||theta||_1 over the set."""
        return self.constraint_set.norm_bound(1)

    @cached_property
    def diameter(self) -> float:
        """l2 diameter of the set."""
        return self.constraint_set.diameter(2)

    @cached_property
    def width(self) -> float:
        """G_C, the set's Gaussian width."""
        return self.constraint_set.gaussian_width()

    @property
    def vertices(self) -> int | None:
        """|S|, where the set is a polytope whose vertices are listed."""
        return self.constraint_set.vertices

    @property
    def contains_zero(self) -> float:
        """1 where theta = 0 lies in the set, else 0: a number, as premises compare numbers."""
        return float(self.constraint_set.contains_zero)

    # one record's loss

    @cached_property
    def reach(self) -> float:
        """Largest |s| of the loss's argument (a prediction or a distance) over the set and all records."""
        return self.loss.reach(self.constraint_set, self.feature_bound, self.feature_norm)

    @cached_property
    def slope(self) -> float:
        """Largest |phi'| over the set and all records."""
        return self.loss.slope_bound(self.reach, self.label_bound)

    @property
    def swing(self) -> float:
        """Bound on how much one record's loss varies over the set: what gaps of minima are measured in."""
        return 2 * self.slope * self.reach

    @cached_property
    def largest_risk(self) -> float:
        """No point of the set has a larger excess risk: L_2 or L_1 times the set's diameter, or the swing of a loss."""
        across = min(self.lipschitz * self.diameter, self.l1_lipschitz * self.constraint_set.diameter(1), self.swing)
        return across + self.l1_weight * self.l1_radius

    @cached_property
    def loss_range(self) -> tuple[float, float]:
        """The least and the largest loss of a record over the set, the former not above 0.

        The largest is convex in s and in y, hence at a corner; so is what is negative, of losses of one sign or linear.
        """
        first = 0.0 if isinstance(self.loss, DistanceLoss) else -self.reach
        s, y = np.meshgrid([first, self.reach], [-self.label_bound, self.label_bound])
        corners = self.loss.value(s, y)
        return min(0.0, float(corners.min())), float(corners.max())

    @cached_property
    def lipschitz(self) -> float:
        """L_2: bound on the l2 norm of one record's gradient."""
        return self._gradient_norm(2)

    @cached_property
    def gradient_diameter(self) -> float:
        """Bound on the l2 norm of the difference of two records' gradients at one theta: 2 L_2, or less."""
        return self.loss.gradient_diameter(self.slope, self.p, self.feature_bound, self.feature_norm)

    @cached_property
    def l1_lipschitz(self) -> float:
        """L_1: bound on the sup norm of one record's gradient, the Lipschitz constant for the l1 norm."""
        return self._gradient_norm(math.inf)

    @cached_property
    def feature_length(self) -> float:
        """X: bound on ||x||_2."""
        return self.feature_bound * norm_ratio(self.p, self.feature_norm, 2)

    @cached_property
    def smoothness(self) -> float:
        """l2 Lipschitz constant of one record's gradient; infinite for a loss that is not smooth."""
        if not math.isfinite(self.loss.smoothness):
            return math.inf
        pull = self.loss.gradient_norm(1.0, self.p, self.feature_bound, self.feature_norm, 2)
        return self.loss.smoothness * pull**2

    @property
    def hessian_rank(self) -> float:
        """Bound on the rank of the Hessian of one record's loss, wherever it has one.

        0 for a linear loss, 1 for other losses of one inner product <x, theta>, p for all others.
        """
        if self.loss.smoothness == 0:
            return 0.0
        return 1.0 if isinstance(self.loss, MarginLoss) else float(self.p)

    @property
    def strong_convexity(self) -> float | None:
        """Delta of one record's loss, in l2; None where it is only convex."""
        return self.loss.strong_convexity

    @cached_property
    def curvature(self) -> float:
        """Gamma of Talwar et al., Definition 2.1, over all data sets of the domain; infinite where there is none."""
        if not math.isfinite(self.loss.smoothness):
            return math.inf
        return self.loss.curvature(self.constraint_set, self.feature_bound, self.feature_norm)

    @cached_property
    def label_level(self) -> float:
        """||Y|| of generalised linear models: the root of the largest loss of a record at theta = 0."""
        ends = np.array([-self.label_bound, 0.0, self.label_bound])
        at_zero = self.feature_length if isinstance(self.loss, DistanceLoss) else 0.0
        return math.sqrt(max(0.0, float(self.loss.value(at_zero, ends).max())))

    @cached_property
    def self_bounding_lipschitz(self) -> float:
        """G of Arora et al., Lemma 2: 2 Y sqrt(H) X + 2 H B X^2 for a smooth loss, or G X for one of slope at most G.

        The former from ||grad f||^2 <= 2 H f for a non-negative f; for the squared loss L_2 is 1.4 to 2 times smaller.
        The latter holds beyond the set too.
        """
        slope = self.loss.slope_bound(math.inf, self.label_bound)
        if math.isfinite(slope) or not math.isfinite(self.smoothness):
            return self.loss.gradient_norm(slope, self.p, self.feature_bound, self.feature_norm, 2)
        return 2 * self.label_level * math.sqrt(self.smoothness) + 2 * self.smoothness * self.radius

    def section(self, size: int) -> Domain:
        """The same records on ``size`` of the coordinates, theta being zero on all others.

        Raises:
            Incompatible: a set of which it matters which coordinates these are.
        """
        within = self.constraint_set.section(size)
        if within is None:
            raise Incompatible(f"{self.constraint_set.title} is not alike in all coordinates")
        return replace(self, constraint_set=within)

    def zeroed_out(self, records: Records) -> NDArray[np.bool_]:
        """Which of the distinct records are zeroed out, shape (K,): their loss does not depend on theta at all.

        This is what the relation `zero_out` puts in a record's place, and any of them may stand there: x = 0 with
        **any** label within the bound, for one. What an algorithm reads of a record otherwise than through differences
        of its loss, a zeroed-out record still has. A loss of the distance has no such record; certificates then speak
        of a record that is left out of the sum, with the same n.
        """
        return self.loss.ignores(records.features, records.targets)

    def hold(self, records: Records) -> None:
        """Hold records against the bounds.

        Raises:
            InputError: another n or p, or the first record that breaks a bound most.
        """
        if not math.isclose(records.n, self.n, rel_tol=BOUND_SLACK) or records.p != self.p:
            raise InputError(
                f"records have n={records.n:g}, p={records.p}; needed are n={self.n:g}, p={self.p} of the domain"
            )
        sizes = np.linalg.norm(records.features, ord=self.feature_norm, axis=1)
        name = f"||x||_{self.feature_norm:g}"
        labels = np.abs(records.targets)
        for what, size, bound in ((name, sizes, self.feature_bound), ("|y|", labels, self.label_bound)):
            worst = int(np.argmax(size))
            if not size[worst] <= bound * (1 + BOUND_SLACK):
                raise InputError(f"every record must have {what} <= {bound:g}, record {worst} has {size[worst]:g}")

    def hold_quadratic(self, constant: float, slope: float, form: float, unit: float) -> None:
        """Hold a quadratic risk against the bounds: itself and its slope at zero, its curvature along a direction v.

        Args:
            constant: the risk at zero. slope, form: the largest |2 <cross, v>| and <v, G v>.
            unit: largest |<x, v>| of a record within the bounds.

        Raises:
            InputError: no records within the bounds have such a risk.
        """
        assert self.loss.quadratic is not None
        a = self.loss.quadratic[0]
        steepest = 2 * a if isinstance(self.loss, DistanceLoss) else self.loss.slope_bound(0.0, self.label_bound)
        largest = a if isinstance(self.loss, DistanceLoss) else a * unit**2
        limits = (
            ("risk at zero", constant, self.label_level**2),
            ("slope at zero", slope, steepest * unit),
            ("curvature", form, largest),
        )
        for what, found, bound in limits:
            if not found <= bound * (1 + BOUND_SLACK):
                raise InputError(f"records within the bounds have a {what} of at most {bound:g}, got {found:g}")

    def _gradient_norm(self, order: float) -> float:
        return self.loss.gradient_norm(self.slope, self.p, self.feature_bound, self.feature_norm, order)


def clip(features: FloatArray, bound: float) -> FloatArray:
    """Rows shortened to the l2 norm ``bound``, shape as given."""
    size = np.linalg.norm(features, axis=-1, keepdims=True)
    return np.asarray(features * np.minimum(1.0, bound / np.maximum(size, 1e-300)))
