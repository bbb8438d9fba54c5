"""Privacy of objective perturbation in one dimension, where the answer's density is known in closed form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dprepro.algorithms import ObjectivePerturbation
from dprepro.budget import Budget
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import expand
from dprepro.problems.constants import Constants
from dprepro.studies.base import MAIN_AXES, Design, Study
from dprepro.studies.describe import describe

POINTS = 100_001


@dataclass(frozen=True)
class PrivacySeries:
    """One algorithm whose privacy is computed."""

    role: Literal["claim", "control", "context"]
    algorithm: ObjectivePerturbation


@dataclass(frozen=True)
class OneDimensionStudy(Study):
    """The exact delta(epsilon) and the largest privacy loss between two neighbouring data sets.

    The data sets: records that say nothing (x = 0), and those with one more, whose loss is (lambda/2)
    (theta - c)^2, continued with slope +-zeta where it would be steeper, zeta = lambda = 1. (Its Hessian jumps; a loss
    with a continuous one is as near as one likes, and so is its delta.) Then theta^priv = alpha has the density nu(b)
    |db/d alpha| at b = -Delta alpha, and with the further record at b = -(Delta alpha + l'(alpha)). The record's centre
    c is where b is ``centres`` times the noise's scale; the worst of them counts. Pairs of neighbours give a lower
    bound on what the mechanism spends: exceeding the budget disproves privacy.

    Quantities: ``exact_delta``, the largest over pairs and directions of the integral of (p - e^epsilon p')_+, with the
    budget's delta as bound (delta > 0 only); ``largest_loss``, the largest |ln p/p'|, with epsilon as bound (delta =
    0).
    """

    series: Mapping[str, PrivacySeries]
    centres: Sequence[float] = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)

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
                }
            )
            axes = {axis: [value] for axis, value in MAIN_AXES.items()} | {k: list(v) for k, v in design.sweep.items()}
            if one.algorithm.noise == "gamma":
                axes["delta"] = [0.0]
            cells += [Cell(label, one.role, point, 0, design.seed, science) for point in expand(axes)]
        return cells

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class; nothing is random."""
        algorithm, epsilon, delta = self.series[cell.series].algorithm, cell.axes["epsilon"], cell.axes["delta"]
        constants = Constants(n=1, p=1, radius=1.0, lipschitz=1.0, curvature=0.0, vertices=0, smoothness=1.0)
        budget = Budget(epsilon, delta, self.neighbours)
        schedule = algorithm.schedule(constants, budget)
        losses, spent = [], []
        for centre in self.centres:
            alpha, added, without = _densities(algorithm.noise, schedule.coordinate_scale, schedule.regulariser, centre)
            losses.append(float(np.abs(added - without).max()))
            if delta > 0:
                spent += [_excess(alpha, added, without, epsilon), _excess(alpha, without, added, epsilon)]
        if delta == 0:
            return [Row("largest_loss", max(losses), epsilon)]
        return [Row("exact_delta", max(spent), delta)]


def _densities(
    noise: str, scale: float, ridge: float, centre: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Points alpha, and the log densities of theta^priv there with and without the further record.

    b runs to 40 scales on both sides, beyond which is less than e^-40; most points are where l'' is not small.
    """
    far = (40 * scale + 1) / ridge
    middle = centre * scale / ridge
    near = min(2.0, far)
    fine = np.linspace(-near, near, POINTS)
    outside = np.geomspace(near, 2 * far, POINTS // 4)[1:]
    alpha = middle + np.concatenate([-outside[::-1], fine, outside])
    slope, curve = np.clip(alpha - middle, -1, 1), (np.abs(alpha - middle) < 1).astype(float)
    without = _log_density(noise, ridge * alpha, scale) + math.log(ridge)
    added = _log_density(noise, ridge * alpha + slope, scale) + np.log(ridge + curve)
    return alpha, added, without


def _log_density(noise: str, b: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    if noise == "gaussian":
        return np.asarray(-0.5 * (b / scale) ** 2 - math.log(scale * math.sqrt(2 * math.pi)))
    return np.asarray(-np.abs(b) / scale - math.log(2 * scale))


def _excess(x: NDArray[np.float64], log_p: NDArray[np.float64], log_q: NDArray[np.float64], epsilon: float) -> float:
    """The integral of (p - e^epsilon q)_+ by the trapezoidal rule."""
    return float(np.trapezoid(np.maximum(np.exp(log_p) - np.exp(epsilon + log_q), 0.0), x))
