"""Constraint sets: projection, linear minimisation oracle, diameter and Gaussian width.

Sets hold no arrays, so their constants (widths, diameters, numbers of vertices) are available at p = 1e12.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dprepro.errors import Incompatible, InputError

FloatArray: TypeAlias = NDArray[np.float64]

ORDERS = (1, 2, math.inf)


@dataclass(frozen=True)
class ConstraintSet(ABC):
    """A closed, bounded, convex set of parameters theta of shape (p,), scaled by `radius`.

    Attributes:
        p: dimension; an integral float such as 1e12 is accepted.
        radius: size in the set's own norm, finite and positive.

    Raises:
        InputError: where p is not a positive whole number or radius is not finite and positive.
    """

    p: int
    radius: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.p) and self.p >= 1 and self.p == int(self.p)):
            raise InputError(f"p must be a positive whole number, got p={self.p}")
        if not (math.isfinite(self.radius) and self.radius > 0):
            raise InputError(f"radius must be finite and positive, got radius={self.radius}")
        object.__setattr__(self, "p", int(self.p))
        object.__setattr__(self, "radius", float(self.radius))

    @property
    @abstractmethod
    def vertices(self) -> int:
        """Number of vertices, |S| of Talwar et al.; 0 where the set is not a polytope."""

    @abstractmethod
    def project(self, point: ArrayLike) -> FloatArray:
        """The Euclidean projection argmin ||s - point||_2 over the set, shape (p,)."""

    @abstractmethod
    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        """A point argmin <direction, s> over the set, shape (p,): the first such vertex where the set is a polytope."""

    @abstractmethod
    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether theta breaks none of the set's (in)equalities by more than `tolerance`."""

    @abstractmethod
    def diameter(self, order: float = 2) -> float:
        """max ||a - b||_order over a, b in the set, for order 1, 2 or inf."""

    @abstractmethod
    def norm_bound(self, order: float = 2) -> float:
        """max ||s||_order over the set, for order 1, 2 or inf."""

    @abstractmethod
    def gaussian_width(self) -> float:
        """E sup_w |<b, w>| with b ~ N(0, I_p), the definition of Talwar et al., section 1; without arrays of size p."""

    @abstractmethod
    def vertex(self, index: int) -> FloatArray:
        """Vertex number `index` (0 <= index < vertices), shape (p,). Raises Incompatible where there are none."""

    @abstractmethod
    def scores(self, gradient: ArrayLike) -> FloatArray:
        """<s, gradient> for every vertex s, shape (vertices,), in the order of :meth:`vertex`.

        Raises Incompatible where there are no vertices.
        """

    def start(self) -> FloatArray:
        """The data-free first point: zero, which the balls contain; a set without zero overrides this."""
        return np.zeros(self.p)

    def _vector(self, value: ArrayLike) -> FloatArray:
        array = np.asarray(value, dtype=np.float64)
        if array.shape != (self.p,):
            raise InputError(f"a point of this set has shape ({self.p},), got {array.shape}")
        return array

    def _vertex_number(self, index: int) -> int:
        if not 0 <= index < self.vertices:
            raise InputError(f"vertex must be in [0, {self.vertices}), got {index}")
        return int(index)


@dataclass(frozen=True)
class L1Ball(ConstraintSet):
    """{theta : ||theta||_1 <= radius}, with vertices +radius e_0 .. +radius e_{p-1}, -radius e_0 .. -radius e_{p-1}."""

    @property
    def vertices(self) -> int:
        return 2 * self.p

    def project(self, point: ArrayLike) -> FloatArray:
        vector = self._vector(point)
        size = np.abs(vector)
        if size.sum() <= self.radius:
            return vector.copy()
        return np.copysign(_onto_simplex(size, self.radius), vector)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        return self.vertex(int(np.argmin(self.scores(direction))))

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        return bool(np.abs(self._vector(theta)).sum() <= self.radius + tolerance)

    def diameter(self, order: float = 2) -> float:
        _check_order(order)
        return 2.0 * self.radius

    def norm_bound(self, order: float = 2) -> float:
        _check_order(order)
        return self.radius

    def gaussian_width(self) -> float:
        return self.radius * _mean_largest_absolute_normal(self.p)

    def vertex(self, index: int) -> FloatArray:
        number = self._vertex_number(index)
        theta = np.zeros(self.p)
        theta[number % self.p] = self.radius if number < self.p else -self.radius
        return theta

    def scores(self, gradient: ArrayLike) -> FloatArray:
        scaled = self.radius * self._vector(gradient)
        return np.concatenate([scaled, -scaled])


@dataclass(frozen=True)
class L2Ball(ConstraintSet):
    """{theta : ||theta||_2 <= radius}."""

    @property
    def vertices(self) -> int:
        return 0

    def project(self, point: ArrayLike) -> FloatArray:
        vector = self._vector(point)
        norm = float(np.linalg.norm(vector))
        return vector.copy() if norm <= self.radius else vector * (self.radius / norm)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        vector = self._vector(direction)
        largest = float(np.abs(vector).max())
        if largest == 0.0:
            return self.start()
        scaled = vector / largest  # a gradient of 1e-200 has a squared norm of zero
        return -self.radius / float(np.linalg.norm(scaled)) * scaled

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        return bool(np.linalg.norm(self._vector(theta)) <= self.radius + tolerance)

    def diameter(self, order: float = 2) -> float:
        return 2.0 * self.norm_bound(order)

    def norm_bound(self, order: float = 2) -> float:
        _check_order(order)
        return self.radius * (math.sqrt(self.p) if order == 1 else 1.0)

    def gaussian_width(self) -> float:
        return self.radius * _mean_normal_norm(self.p)

    def vertex(self, index: int) -> FloatArray:
        raise Incompatible("an l2 ball has no vertices; choices: L1Ball, Simplex")

    def scores(self, gradient: ArrayLike) -> FloatArray:
        raise Incompatible("an l2 ball has no vertices to score; choices: L1Ball, Simplex")


@dataclass(frozen=True)
class Box(ConstraintSet):
    """{theta : ||theta||_inf <= radius}; its 2^p vertices are not listed."""

    @property
    def vertices(self) -> int:
        return 0

    def project(self, point: ArrayLike) -> FloatArray:
        return np.clip(self._vector(point), -self.radius, self.radius)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        return np.where(self._vector(direction) > 0, -self.radius, self.radius)

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        return bool(np.abs(self._vector(theta)).max() <= self.radius + tolerance)

    def diameter(self, order: float = 2) -> float:
        return 2.0 * self.norm_bound(order)

    def norm_bound(self, order: float = 2) -> float:
        _check_order(order)
        return self.radius * (self.p if order == 1 else math.sqrt(self.p) if order == 2 else 1.0)

    def gaussian_width(self) -> float:
        return self.radius * self.p * math.sqrt(2 / math.pi)

    def vertex(self, index: int) -> FloatArray:
        raise Incompatible("a box does not list its vertices; choices: L1Ball, Simplex")

    def scores(self, gradient: ArrayLike) -> FloatArray:
        raise Incompatible("a box does not list its vertices; choices: L1Ball, Simplex")


@dataclass(frozen=True)
class LqBall(ConstraintSet):
    """{theta : ||theta||_q <= radius} for 1 < q < inf; its polar has the order q/(q-1).

    Raises:
        InputError: for another q; the ends are L1Ball and Box.
    """

    q: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 < self.q < math.inf:
            raise InputError(f"q must be above 1 and finite (the ends are L1Ball and Box), got q={self.q}")

    @property
    def vertices(self) -> int:
        return 0

    @property
    def dual(self) -> float:
        """q/(q - 1), the order of the dual norm."""
        return self.q / (self.q - 1)

    def project(self, point: ArrayLike) -> FloatArray:
        """By its optimality conditions: s + level s^(q-1) = |point| in every coordinate, the level found by bisection.

        Accurate to about 1e-12 of the radius; the cost is some thousand passes over the p coordinates.
        """
        vector = self._vector(point)
        size = np.abs(vector) / self.radius
        if _norm(size, self.q) <= 1:
            return vector.copy()
        low, high = 0.0, 1.0
        while _norm(_shrunk(size, high, self.q), self.q) > 1:
            high *= 2
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _norm(_shrunk(size, middle, self.q), self.q) > 1 else (low, middle)
        return self.radius * np.copysign(_shrunk(size, high, self.q), vector)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        """-radius sign(v) |v|^(q*-1) / ||v||_q*^(q*-1), where Hoelder's inequality is an equality."""
        vector = self._vector(direction)
        largest = float(np.abs(vector).max())
        if largest == 0.0:
            return self.start()
        power = np.abs(vector / largest) ** (self.dual - 1)
        return -self.radius * np.copysign(power, vector) / _norm(power, self.q)

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        return bool(_norm(np.abs(self._vector(theta)), self.q) <= self.radius + tolerance)

    def diameter(self, order: float = 2) -> float:
        return 2.0 * self.norm_bound(order)

    def norm_bound(self, order: float = 2) -> float:
        _check_order(order)
        return float(self.radius * self.p ** max(0.0, 1 / order - 1 / self.q))

    def gaussian_width(self) -> float:
        return self.radius * _mean_normal_power_norm(self.p, self.dual)

    def vertex(self, index: int) -> FloatArray:
        raise Incompatible("an lq ball has no vertices; choices: L1Ball, Simplex")

    def scores(self, gradient: ArrayLike) -> FloatArray:
        raise Incompatible("an lq ball has no vertices to score; choices: L1Ball, Simplex")


@dataclass(frozen=True)
class Simplex(ConstraintSet):
    """{theta >= 0 : sum theta = radius}, with vertices radius e_0 .. radius e_{p-1}."""

    @property
    def vertices(self) -> int:
        return self.p

    def project(self, point: ArrayLike) -> FloatArray:
        return _onto_simplex(self._vector(point), self.radius)

    def minimise_linear(self, direction: ArrayLike) -> FloatArray:
        return self.vertex(int(np.argmin(self._vector(direction))))

    def contains(self, theta: ArrayLike, tolerance: float = 1e-9) -> bool:
        vector = self._vector(theta)
        return bool(vector.min() >= -tolerance and abs(vector.sum() - self.radius) <= tolerance)

    def start(self) -> FloatArray:
        """The barycentre: zero is not in the simplex."""
        return np.full(self.p, self.radius / self.p)

    def diameter(self, order: float = 2) -> float:
        _check_order(order)
        if self.p == 1:
            return 0.0
        return self.radius * (2.0 if order == 1 else math.sqrt(2.0) if order == 2 else 1.0)

    def norm_bound(self, order: float = 2) -> float:
        _check_order(order)
        return self.radius

    def gaussian_width(self) -> float:
        # the definition takes |<b, w>|, so the simplex is as wide as the l1 ball
        return self.radius * _mean_largest_absolute_normal(self.p)

    def vertex(self, index: int) -> FloatArray:
        theta = np.zeros(self.p)
        theta[self._vertex_number(index)] = self.radius
        return theta

    def scores(self, gradient: ArrayLike) -> FloatArray:
        return self.radius * self._vector(gradient)


def _check_order(order: float) -> None:
    if order not in ORDERS:
        raise InputError(f"order must be 1, 2 or inf, got order={order}")


def _onto_simplex(point: FloatArray, radius: float) -> FloatArray:
    """Euclidean projection on {s >= 0, sum s = radius}: (point - level)_+ with the level found by sorting."""
    descending = np.sort(point)[::-1]
    # measured from the largest entry: only differences matter, and far points keep their digits
    offsets = descending - descending[0]
    levels = (np.cumsum(offsets) - radius) / np.arange(1, point.size + 1)
    kept = int(np.flatnonzero(offsets > levels)[-1])
    projected: FloatArray = np.maximum((point - descending[0]) - levels[kept], 0.0)
    return projected


@lru_cache(maxsize=1024)
def _mean_largest_absolute_normal(p: int) -> float:
    """E max_j |b_j| over p independent standard normals: the integral of 1 - (1 - erfc(t/sqrt 2))^p over t > 0."""
    from scipy.special import erfc

    nodes, weights = np.polynomial.legendre.leggauss(16)
    width = 0.1  # the integrand falls from 1 to 0 within about 1/sqrt(2 ln p), and is below 1e-300 at t = 40
    t = (np.arange(0.0, 400.0)[:, None] + 0.5 * (nodes + 1.0)) * width
    with np.errstate(divide="ignore", under="ignore"):
        tail = -np.expm1(p * np.log1p(-erfc(t / math.sqrt(2.0))))
    return float(0.5 * width * (tail @ weights).sum())


def _mean_normal_norm(p: int) -> float:
    """E ||b||_2 = sqrt 2 Gamma((p+1)/2) / Gamma(p/2); the series beyond p = 1000, where gamma functions lose digits."""
    if p <= 1000:
        return math.sqrt(2.0) * math.exp(math.lgamma(0.5 * (p + 1)) - math.lgamma(0.5 * p))
    return math.sqrt(p) * (1 - 1 / (4 * p) + 1 / (32 * p**2) + 5 / (128 * p**3) - 21 / (2048 * p**4))


def _norm(size: FloatArray, order: float) -> float:
    """||size||_order of an array that is not negative."""
    largest = float(size.max())
    return 0.0 if largest == 0.0 else largest * float(np.sum((size / largest) ** order)) ** (1 / order)


def _shrunk(size: FloatArray, level: float, q: float) -> FloatArray:
    """The s in [0, size] with s + level s^(q-1) = size, elementwise, by bisection (the left side rises with s)."""
    low, high = np.zeros_like(size), size.copy()
    for _ in range(52):
        middle = 0.5 * (low + high)
        above = middle + level * middle ** (q - 1) > size
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)


@lru_cache(maxsize=1024)
def _mean_normal_power_norm(p: int, order: float) -> float:
    """E ||b||_order, b ~ N(0, I_p), for 1 < order < inf: E S^r with S = sum |b_j|^order and r = 1/order.

    E S^r = r / Gamma(1 - r) times the integral over t > 0 of (1 - phi(t)^p) t^(-r-1), phi(t) = E exp(-t |b_1|^order).
    Substituted t = exp(x) it is a smooth integral over the line, by the trapezoidal rule; no array of size p.
    """
    r = 1 / order
    nodes, weights = np.polynomial.legendre.leggauss(400)
    b = 20.0 * (0.5 * (nodes + 1)) ** 3  # cubed: exp(-t b^order) falls fast near zero where t is large
    mass = 20.0 * 0.5 * weights * 3 * (0.5 * (nodes + 1)) ** 2 * math.sqrt(2 / math.pi) * np.exp(-0.5 * b**2)
    centre = -math.log(p) - math.log(float(mass @ b**order))  # p times the mean of t |b|^order is 1 there
    x = np.arange(centre - 45 / (1 - r), centre + 45 / r, 0.05)
    deficit = -np.expm1(-np.exp(x)[:, None] * (b**order)[None, :]) @ mass  # 1 - phi
    integrand = -np.expm1(p * np.log1p(-np.minimum(deficit, 1 - 1e-16))) * np.exp(-r * x)
    return float(r / math.gamma(1 - r) * 0.05 * integrand.sum())
