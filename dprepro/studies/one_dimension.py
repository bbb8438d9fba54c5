"""Privacy of objective perturbation in one dimension, where the answer's density is known in closed form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from dprepro.algorithms import HuberisedObjectivePerturbation, ObjectivePerturbation
from dprepro.algorithms.objective_perturbation import PerturbationSchedule
from dprepro.budget import Budget
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import expand
from dprepro.problems.constants import Constants
from dprepro.studies.base import MAIN_AXES, Design, Study
from dprepro.studies.describe import describe

POINTS = 10_001
CENTRES = tuple(0.5 * k for k in range(17))
"""Privacy can fail where b is large: at the printed noise the loss exceeds epsilon only from about 5.5 scales on, and
beyond 8 there is less than 1e-15 left."""


@dataclass(frozen=True)
class PrivacySeries:
    """One algorithm whose privacy is computed."""

    role: Literal["claim", "control", "context"]
    algorithm: ObjectivePerturbation | HuberisedObjectivePerturbation


@dataclass(frozen=True)
class Record:
    """A loss whose slope is ``lowest`` below middle - width, ``highest`` above middle + width, and linear between."""

    lowest: float
    highest: float
    width: float
    middle: float

    def slope(self, alpha: NDArray[np.float64]) -> NDArray[np.float64]:
        """l', at each alpha."""
        share = np.clip((alpha - self.middle) / (2 * self.width) + 0.5, 0.0, 1.0)
        return np.asarray(self.lowest + (self.highest - self.lowest) * share)

    def curve(self, alpha: NDArray[np.float64]) -> NDArray[np.float64]:
        """l''."""
        inside = np.abs(alpha - self.middle) < self.width
        return np.asarray((self.highest - self.lowest) / (2 * self.width) * inside)


@dataclass(frozen=True)
class OneDimensionStudy(Study):
    """The exact delta(epsilon) and the largest privacy loss between two neighbouring data sets.

    Objective perturbation answers alpha where the objective's slope psi(alpha) + b is zero: it has the density
    nu(-psi(alpha)) psi'(alpha), with psi = Delta alpha + the slopes of the records' losses.

    Kifer, Smith and Thakurta's algorithm: records that say nothing (x = 0), and those with one more, whose loss is
    (lambda/2) (theta - c)^2, continued with slope +-zeta where it would be steeper, zeta = lambda = 1. (Its Hessian
    jumps; a loss with a continuous one is as near as one likes, and so is its delta.) The record's centre c is where b
    is ``centres`` times the noise's scale; the worst of them counts (see `CENTRES`).

    Equation (9) of Bassily, Smith and Thakurta: one record, (1, c), replaced by one that says nothing, (0, 0), or by
    (-1, -c'), c' at c or ``offsets`` noise scales from it. On [-2, 2] the answer is clipped, which gives nothing away;
    labels stay within 1 where the smoothing is below 1/64.

    Pairs of neighbours give a lower bound on what the mechanism spends: exceeding the budget disproves privacy.

    Quantities: ``exact_delta``, the largest over pairs and directions of the integral of (p - e^epsilon p')_+, with the
    budget's delta as bound (delta > 0 only), for (9) also ``exact_delta_silent``, over pairs with a record that says
    nothing; ``largest_loss``, the largest |ln p/p'|, with epsilon as bound (delta = 0).
    """

    version: ClassVar[int] = 2

    series: Mapping[str, PrivacySeries]
    centres: Sequence[float] = CENTRES
    offsets: Sequence[float] = (0.0, -0.1, 0.1, -0.2, 0.2, -0.5, 0.5)

    def cells(self, design: Design) -> list[Cell]:
        """Series by series; one replicate, since nothing is random."""
        cells = []
        for label, one in self.series.items():
            science = canonical(
                {
                    "study": type(self).__name__,
                    "version": self.version,
                    "neighbours": str(self.neighbours),
                    "algorithm": describe(one.algorithm),
                    "centres": list(self.centres),
                    **(
                        {"offsets": list(self.offsets)}
                        if isinstance(one.algorithm, HuberisedObjectivePerturbation)
                        else {}
                    ),
                }
            )
            axes = {axis: [value] for axis, value in MAIN_AXES.items()} | {k: list(v) for k, v in design.sweep.items()}
            if isinstance(one.algorithm, ObjectivePerturbation) and one.algorithm.noise == "gamma":
                axes["delta"] = [0.0]
            cells += [Cell(label, one.role, point, 0, design.seed, science) for point in expand(axes)]
        return cells

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class; nothing is random."""
        algorithm, epsilon, delta = self.series[cell.series].algorithm, cell.axes["epsilon"], cell.axes["delta"]
        constants = Constants(n=1, p=1, radius=1.0, lipschitz=1.0, curvature=0.0, vertices=0, smoothness=1.0)
        budget = Budget(epsilon, delta, self.neighbours)
        schedule = algorithm.schedule(constants, budget)
        if isinstance(algorithm, HuberisedObjectivePerturbation):
            return self._huberised(algorithm, schedule, epsilon, delta)
        losses, spent = [], []
        for centre in self.centres:
            middle = centre * schedule.coordinate_scale / schedule.regulariser
            densities = _densities(algorithm.noise, schedule, Record(-1.0, 1.0, 1.0, middle), None)
            losses.append(float(np.abs(densities[1] - densities[2]).max()))
            if delta > 0:
                spent.append(_either(densities, epsilon))
        if delta == 0:
            return [Row("largest_loss", max(losses), epsilon)]
        return [Row("exact_delta", max(spent), delta)]

    def _huberised(
        self, algorithm: HuberisedObjectivePerturbation, schedule: PerturbationSchedule, epsilon: float, delta: float
    ) -> list[Row]:
        h, unit = algorithm.smoothing, schedule.coordinate_scale / schedule.regulariser
        silent, spoken = [], []
        for centre in {sign * value for value in self.centres for sign in (1, -1)}:
            record = Record(-1.0, 0.0, h, centre * unit)
            silent.append(_either(_densities("gaussian", schedule, record, None), epsilon))
            for offset in self.offsets:
                other = Record(0.0, 1.0, h, (centre + offset) * unit)
                spoken.append(_either(_densities("gaussian", schedule, record, other), epsilon))
        return [
            Row("exact_delta", max(*silent, *spoken), delta),
            Row("exact_delta_silent", max(silent), delta),
        ]


def _densities(
    noise: str, schedule: PerturbationSchedule, record: Record, other: Record | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Points alpha, and the log densities of theta^priv there with `record` and with `other` (None: nothing) instead.

    b runs to 40 scales on both sides, beyond which is less than e^-40; most points are where l'' is not small, with
    both sides of its jumps among them.
    """
    scale, ridge = schedule.coordinate_scale, schedule.regulariser
    far = (40 * scale + 1) / ridge
    near = min(2 * record.width, far)
    jump = record.width * np.array([1 - 1e-9, 1 + 1e-9])
    points = POINTS if other is None else POINTS // 4  # many more pairs are tried with a second record
    fine = np.unique(np.concatenate([np.linspace(-near, near, points), -jump, jump]))
    outside = np.geomspace(near, 2 * far, points // 4)[1:]
    alpha = record.middle + np.concatenate([-outside[::-1], fine, outside])
    if other is not None:
        alpha = np.union1d(alpha, other.middle + fine)

    def density(one: Record | None) -> NDArray[np.float64]:
        if one is None:
            return _log_density(noise, ridge * alpha, scale) + math.log(ridge)
        return _log_density(noise, ridge * alpha + one.slope(alpha), scale) + np.log(ridge + one.curve(alpha))

    return alpha, density(record), density(other)


def _either(densities: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], epsilon: float) -> float:
    """The larger delta(epsilon) of the two directions."""
    alpha, first, second = densities
    return max(_excess(alpha, first, second, epsilon), _excess(alpha, second, first, epsilon))


def _log_density(noise: str, b: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    if noise == "gaussian":
        return np.asarray(-0.5 * (b / scale) ** 2 - math.log(scale * math.sqrt(2 * math.pi)))
    return np.asarray(-np.abs(b) / scale - math.log(2 * scale))


def _excess(x: NDArray[np.float64], log_p: NDArray[np.float64], log_q: NDArray[np.float64], epsilon: float) -> float:
    """The integral of (p - e^epsilon q)_+ by the trapezoidal rule."""
    return float(np.trapezoid(np.maximum(np.exp(log_p) - np.exp(epsilon + log_q), 0.0), x))
