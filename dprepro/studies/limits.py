"""Limits of private algorithms (Kifer, Smith and Thakurta 2012, Theorem 1 and Example 1), in one dimension."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dprepro.algorithms import ObjectivePerturbation
from dprepro.budget import Budget
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import expand
from dprepro.errors import InputError
from dprepro.problems.constants import Constants
from dprepro.studies.base import MAIN_AXES, Design, Study
from dprepro.studies.describe import describe
from dprepro.studies.one_dimension import CENTRES, PrivacySeries

Vector = NDArray[np.float64]
NEAR = (1e-2, 1e-4, 1e-6)
"""An atom at zero is looked for within r = NEAR/i of it, NEAR/`STEEPEST` in the limit. Any above 2e-6 shows."""
STEEPEST = 1e5


@dataclass(frozen=True)
class LimitStudy(Study):
    """Objective perturbation with r = w |theta| and with smooth r_i, exactly computed.

    r_i is |theta| convolved with an infinitely differentiable kernel on [-1/i, 1/i] (Appendix C.2), i being the axis
    ``index``; infinity stands for the limit. The data: records that say nothing, and those with one more, of slope at
    most zeta and curvature at most lambda, zeta = lambda = 1, as in `OneDimensionStudy`. A theta > 0 is the answer
    where -b = Delta theta + r_i'(theta) + l'(theta): strictly increasing, so that every phi^i has a density; the limit
    skips 2w there at zero and has an atom.

    Attributes:
        weight: w in units of the noise's scale.
        centres: of the further record, where b is that many times the noise's scale; the worst counts.

    Quantities: ``exact_delta``, as there, atoms included; ``mass_near_zero``, the probability of [-r, r] over 2r, the
    largest for r well below 1/i, with the largest density off zero as bound: with an atom it grows as r shrinks;
    ``limit_mass_near_zero``, the same for the limit, which has one; ``limit_atom``, its size, with erf(w/sqrt 2) as
    bound (|b| <= w); ``largest_gap``, the largest over b of |phi^i(b) - phi(b)|, with the bound 1/i: the two agree
    where |phi^i(b)| >= 1/i, since r_i = r there, and elsewhere phi(b) lies between zero and phi^i(b), as |r_i'| <= w.
    Probabilities near zero are what the density's integral elsewhere leaves of one: none is put in by hand.
    """

    version: ClassVar[int] = 2

    series: Mapping[str, PrivacySeries]
    weight: float = 1.0
    centres: Sequence[float] = CENTRES

    def __post_init__(self) -> None:
        if not 0 < self.weight < math.inf:
            raise InputError(f"weight must be positive, got weight={self.weight:g}")

    def cells(self, design: Design) -> list[Cell]:
        """Series by series; one replicate, since nothing is random. Raises InputError without the axis ``index``."""
        axes = {axis: [value] for axis, value in MAIN_AXES.items()} | {k: list(v) for k, v in design.sweep.items()}
        if not axes.get("index") or not min(axes["index"]) > 0:
            raise InputError("sweep.index must hold positive numbers, inf for the limit")
        shared = {"study": type(self).__name__, "version": self.version, "neighbours": str(self.neighbours)}
        shared |= {"weight": self.weight, "centres": list(self.centres)}
        cells = []
        for label, one in self.series.items():
            if not isinstance(one.algorithm, ObjectivePerturbation) or one.algorithm.noise != "gaussian":
                raise InputError(f"series {label}: LimitStudy is for ObjectivePerturbation with noise=gaussian")
            science = canonical(shared | {"algorithm": describe(one.algorithm)})
            cells += [Cell(label, one.role, point, 0, design.seed, science) for point in expand(axes)]
        return cells

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class; nothing is random."""
        algorithm, index, delta = self.series[cell.series].algorithm, cell.axes["index"], cell.axes["delta"]
        constants = Constants(n=1, p=1, radius=1.0, lipschitz=1.0, curvature=0.0, vertices=0, smoothness=1.0)
        schedule = algorithm.schedule(constants, Budget(cell.axes["epsilon"], delta, self.neighbours))
        scale, ridge = schedule.coordinate_scale, schedule.regulariser
        law = Law(scale, ridge, self.weight * scale, index)
        spent = []
        for centre in self.centres:
            middle = centre * scale / ridge
            alpha = law.grid(middle)
            without, added = law.parts(alpha, None), law.parts(alpha, middle)
            spent += [_excess(alpha, *pair, cell.axes["epsilon"]) for pair in ((without, added), (added, without))]
        rows = [Row("exact_delta", max(spent), delta)]
        radii = [near / min(index, STEEPEST) for near in NEAR]
        masses, highest = zip(*map(law.near_zero, radii), strict=True)
        near_zero = max(mass / (2 * radius) for mass, radius in zip(masses, radii, strict=True)), max(highest)
        if math.isinf(index):
            rows.append(Row("limit_mass_near_zero", *near_zero))
            return [*rows, Row("limit_atom", min(masses), math.erf(self.weight / math.sqrt(2)))]
        return [*rows, Row("mass_near_zero", *near_zero), Row("largest_gap", law.largest_gap(), 1 / index)]


@dataclass(frozen=True)
class Law:
    """The law of argmin r_i(theta) + (ridge/2) theta^2 + l(theta) + b theta, b ~ N(0, scale^2), r_i'(inf) = weight."""

    scale: float
    ridge: float
    weight: float
    index: float

    def grid(self, middle: float, points: int = 5_001) -> Vector:
        """Points theta, dense where r_i'' and l'' are not zero, without zero itself in the limit."""
        far = (40 * self.scale + self.weight + 1) / self.ridge
        parts = [np.linspace(-far, far, 5 * points), middle + np.linspace(-1, 1, points)]
        jump = np.array([1 - 1e-9, 1 + 1e-9])
        parts.append(middle + np.concatenate([-jump, jump]))
        if math.isfinite(self.index):
            parts.append(np.linspace(-1, 1, points) / self.index)
        alpha = np.unique(np.concatenate(parts))
        return alpha[alpha != 0] if math.isinf(self.index) else alpha

    def parts(self, alpha: Vector, middle: float | None) -> tuple[Vector, float]:
        """Density at ``alpha`` and the atom at zero; with a record at ``middle`` or none."""
        slope, curve = (0.0, 0.0) if middle is None else (np.clip(alpha - middle, -1, 1), np.abs(alpha - middle) < 1)
        push, bend = self._regulariser(alpha)
        b = self.ridge * alpha + push + slope
        density = np.exp(-0.5 * (b / self.scale) ** 2) / (self.scale * math.sqrt(2 * math.pi))
        at_zero = 0.0 if middle is None else float(np.clip(-middle, -1, 1))
        atom = self._between(at_zero - self.weight, at_zero + self.weight) if math.isinf(self.index) else 0.0
        return np.asarray(density * (self.ridge + bend + curve)), atom

    def near_zero(self, radius: float) -> tuple[float, float]:
        """Probability of [-radius, radius] without the further record, and the largest density outside.

        By symmetry one minus twice the integral from `radius` on, to about 1e-8.
        """
        far = (40 * self.scale + self.weight) / self.ridge
        parts = [radius + np.geomspace(radius, far, 50_001), np.linspace(radius, 2 * radius, 1_001)]
        if math.isfinite(self.index):
            parts.append(np.linspace(radius, 1 / self.index, 50_001))
        alpha = np.unique(np.concatenate(parts))
        density, _ = self.parts(alpha, None)
        return 1 - 2 * float(np.trapezoid(density, alpha)), float(density.max())

    def largest_gap(self) -> float:
        """sup |phi^i - phi| over b, without the further record; phi is soft thresholding."""
        alpha = self.grid(0.0)
        pull = self.ridge * alpha + self._regulariser(alpha)[0]
        limit = np.copysign(np.maximum(np.abs(pull) - self.weight, 0.0), pull) / self.ridge
        return float(np.abs(alpha - limit).max())

    def _regulariser(self, alpha: Vector) -> tuple[Vector, Vector]:
        """r_i' and r_i'' at ``alpha``, off zero in the limit."""
        if math.isinf(self.index):
            return self.weight * np.sign(alpha), np.zeros_like(alpha)
        u, kernel, below = _kernel()
        at = self.index * alpha
        push = self.weight * (2 * np.interp(at, u, below, left=0.0, right=1.0) - 1)
        return push, 2 * self.weight * self.index * np.interp(at, u, kernel, left=0.0, right=0.0)

    def _between(self, low: float, high: float) -> float:
        root = self.scale * math.sqrt(2)
        return 0.5 * (math.erf(high / root) - math.erf(low / root))


def _kernel(points: int = 20_001) -> tuple[Vector, Vector, Vector]:
    """exp(-1/(1 - u^2)) on [-1, 1], normalised, and its distribution function."""
    u = np.linspace(-1, 1, points)
    with np.errstate(divide="ignore"):
        kernel = np.exp(-1 / np.maximum(1 - u**2, 0.0))
    below = np.concatenate([[0.0], np.cumsum((kernel[1:] + kernel[:-1]) / 2)]) * (u[1] - u[0])
    return u, kernel / below[-1], below / below[-1]


def _excess(alpha: Vector, one: tuple[Vector, float], other: tuple[Vector, float], epsilon: float) -> float:
    """(P - e^epsilon Q)_+ over the densities and the atoms."""
    grown = math.exp(epsilon)
    continuous = float(np.trapezoid(np.maximum(one[0] - grown * other[0], 0.0), alpha))
    return continuous + max(0.0, one[1] - grown * other[1])
