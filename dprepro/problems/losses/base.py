"""What every loss is: a convex function phi(s; y) of one number s that a record makes of theta.

Two families. A :class:`MarginLoss` sees s = <x, theta> (generalised linear models); a :class:`DistanceLoss` sees
s = ||theta - x||_2. All constants of a problem follow from those of phi and from the bounds on s: see
:class:`~dprepro.problems.domain.Domain`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprepro.problems.problem_data import FloatArray
from dprepro.problems.sets import ConstraintSet, dual_order, norm_ratio

EVERYWHERE = 1e9  # a convex function that is the same at zero and this far to both sides is constant
HAIR = 1e-9  # relative: how far to both sides of s its subgradients are looked for


@dataclass(frozen=True)
class Loss(ABC):
    """phi(s; y), convex in s; arguments broadcast.

    A loss is two static functions of (s, y) with its constants:

    Class attributes:
        phi: the loss. slope: its derivative in s, any subgradient at a kink. Both take numbers and arrays; slope uses
            nothing but arithmetic and numpy's functions of numbers, so that it can be compiled too. A loss whose slope
            is None overrides :meth:`derivative`, and runs in the literal algorithms only.
        smoothness: H with |phi'(a; y) - phi'(b; y)| <= H |a - b|; infinite where there is none, 0 for a linear loss.
        strong_convexity: Delta of one record's loss in theta (l2); None where it is only convex.
        quadratic: (a, b, c) with phi = a s^2 - b s y + c y^2 for a margin (or phi = -s: all three are 0), a s^2 for a
            distance; None for all other losses. Moments carry the whole risk of such a loss.
        largest_label: |y| beyond which the constants do not hold.
    """

    phi: ClassVar[Any]
    slope: ClassVar[Any] = None
    smoothness: ClassVar[float] = math.inf
    strong_convexity: ClassVar[float | None] = None
    quadratic: ClassVar[tuple[float, float, float] | None] = None
    largest_label: ClassVar[float] = math.inf

    def __init_subclass__(cls) -> None:
        """A class that says anew what phi is has no slope, coefficients or pieces of the one that it is made from."""
        super().__init_subclass__()
        if {"phi", "value"} & set(vars(cls)):
            plain = {"slope": None, "quadratic": None, "norms": None, "affine": Loss.affine, "rounded": Loss.rounded}
            for name in set(plain) - set(vars(cls)):
                setattr(cls, name, plain[name])

    def value(self, s: ArrayLike, y: ArrayLike) -> FloatArray:
        """phi(s; y), elementwise."""
        return _applied(type(self).phi, s, y)

    def derivative(self, s: ArrayLike, y: ArrayLike) -> FloatArray:
        """A subgradient of phi in s, elementwise."""
        slope = type(self).slope
        assert slope is not None, "a loss without slope overrides derivative"
        return _applied(slope, s, y)

    def second_derivative(self, s: FloatArray, y: FloatArray) -> FloatArray:
        """phi'' by a central difference: for Newton's steps, whose certificate does not rest on it."""
        step = 1e-5 * (1.0 + np.abs(s))
        bend = (self.derivative(s + step, y) - self.derivative(s - step, y)) / (2.0 * step)
        return np.asarray(np.clip(bend, 0.0, self.smoothness))

    def beside(self, s: FloatArray, y: FloatArray, side: int) -> tuple[FloatArray, FloatArray]:
        """The slope of a tangent of phi a hair below (side -1) or above (1) s, and how far below phi(s) it lies at s.

        The two slopes enclose what subgradients there are at s: at a kink all of them, up to that slack.
        """
        near = s + side * HAIR * (1.0 + np.abs(s))
        slope = self.derivative(near, y)
        return slope, np.maximum(0.0, self.value(s, y) - self.value(near, y) - slope * (s - near))

    def affine(self, y: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Slopes and offsets, both (pieces, K), of the affine functions whose maximum phi is; else None."""
        return None

    def rounded(self) -> Loss | None:
        """psi, where h psi(s/h; y/h) is the loss with its kinks rounded within h: see `Huberised`; None without one."""
        return None

    @abstractmethod
    def ignores(self, features: FloatArray, labels: FloatArray) -> NDArray[np.bool_]:
        """Whether a record's loss is the same at every theta whatever, shape (K,): see `Domain.zeroed_out`."""

    @abstractmethod
    def slope_bound(self, reach: float, label_bound: float) -> float:
        """max |phi'(s; y)| over the s that occur, |s| <= reach, and |y| <= label_bound."""

    # what a record's features make of phi

    @abstractmethod
    def reach(self, constraint_set: ConstraintSet, feature_bound: float, feature_norm: float) -> float:
        """max |s| over the set and the features x with ||x||_feature_norm <= feature_bound."""

    @abstractmethod
    def gradient_norm(self, slope: float, p: float, feature_bound: float, feature_norm: float, order: float) -> float:
        """max ||gradient in theta||_order of one record's loss where |phi'| <= slope."""

    def gradient_diameter(self, slope: float, p: float, feature_bound: float, feature_norm: float) -> float:
        """What the gradients of two records at one theta differ by at most, in l2, where |phi'| <= slope.

        Twice their norm, which a loss attains whose slope is as large at zero as anywhere, of either sign by the label:
        absolute, linear, Huber of labels beyond 1. For the squared loss it is too much, by 8/6 or more on unit bounds
        (the difference of x x^T and x' x'^T has an l2 norm of at most one), which is not made use of.
        """
        return 2 * self.gradient_norm(slope, p, feature_bound, feature_norm, 2)

    @abstractmethod
    def curvature(self, constraint_set: ConstraintSet, feature_bound: float, feature_norm: float) -> float:
        """Gamma of Talwar et al., Definition 2.1, over all data sets, of a smooth loss."""


class MarginLoss(Loss):
    """phi(z; y) of the prediction z = <x, theta> and the label y: generalised linear models.

    The gradient is phi'(z; y) x. In more than one dimension no such loss is strongly convex.
    """

    def ignores(self, features: FloatArray, labels: FloatArray) -> NDArray[np.bool_]:
        """Where x = 0, whatever the label, and where phi(.; y) is constant: of a hinge at y = 0."""
        with np.errstate(over="ignore"):
            zero, far = self.value(0.0, labels), [self.value(side * EVERYWHERE, labels) for side in (-1, 1)]
        return np.asarray(~features.any(axis=1) | ((far[0] == zero) & (far[1] == zero)), dtype=np.bool_)

    def slope_bound(self, reach: float, label_bound: float) -> float:
        # at a corner: phi' is monotone in z as phi is convex, and in y for every loss here; another overrides this
        z, y = np.array([-reach, -reach, reach, reach]), label_bound * np.array([-1.0, 1.0, -1.0, 1.0])
        return float(np.abs(self.derivative(z, y)).max())

    def reach(self, constraint_set: ConstraintSet, feature_bound: float, feature_norm: float) -> float:
        return feature_bound * constraint_set.norm_bound(dual_order(feature_norm))

    def gradient_norm(self, slope: float, p: float, feature_bound: float, feature_norm: float, order: float) -> float:
        return slope * norm_ratio(p, feature_norm, order) * feature_bound

    def curvature(self, constraint_set: ConstraintSet, feature_bound: float, feature_norm: float) -> float:
        # the mean of (x_i.(a - b))^2 is at most the largest; phi lies below its tangent plus H/2 times that
        return self.smoothness * (feature_bound * constraint_set.diameter(dual_order(feature_norm))) ** 2


class DistanceLoss(Loss):
    """phi(r) of the distance r = ||theta - x||_2; rising and convex in r >= 0. Labels are not used.

    The gradient is phi'(r) (theta - x)/r, and zero is chosen at theta = x.

    Class attributes:
        norms: (t, b) with phi = t r + b r^2/2, or None. With a tip, t > 0, only such a phi has a certified minimiser.
    """

    norms: ClassVar[tuple[float, float] | None] = None

    def ignores(self, features: FloatArray, labels: FloatArray) -> NDArray[np.bool_]:
        """Nowhere: every place pulls."""
        return np.zeros(len(features), dtype=np.bool_)

    def slope_bound(self, reach: float, label_bound: float) -> float:
        return float(self.derivative(reach, label_bound))

    def reach(self, constraint_set: ConstraintSet, feature_bound: float, feature_norm: float) -> float:
        return constraint_set.norm_bound(2) + norm_ratio(constraint_set.p, feature_norm, 2) * feature_bound

    def gradient_norm(self, slope: float, p: float, feature_bound: float, feature_norm: float, order: float) -> float:
        return slope * norm_ratio(p, 2, order)

    def gradient_diameter(self, slope: float, p: float, feature_bound: float, feature_norm: float) -> float:
        """2 t + 2 b X for phi = t r + b r^2/2 and ||x||_2 <= X, attained by x and -x at theta = 0.

        The gradient is t u + b (theta - x) with ||u|| <= 1: the theta is common to both, and drops out.
        """
        whole = super().gradient_diameter(slope, p, feature_bound, feature_norm)
        if self.norms is None:
            return whole
        tip, bend = self.norms
        return min(whole, 2 * tip + 2 * bend * feature_bound * norm_ratio(p, feature_norm, 2))

    def curvature(self, constraint_set: ConstraintSet, feature_bound: float, feature_norm: float) -> float:
        return self.smoothness * constraint_set.diameter(2) ** 2


def _applied(formula: Any, s: ArrayLike, y: ArrayLike) -> FloatArray:
    return np.asarray(formula(np.asarray(s, dtype=np.float64), np.asarray(y, dtype=np.float64)), dtype=np.float64)
