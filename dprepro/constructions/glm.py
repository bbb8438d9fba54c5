"""One-hot populations for generalised linear models, with a mass that is swept to find the worst of a family.

A minimax rate is about the worst population at each n. Here the family has one parameter, the mass q that the
directions with a signal have together: for large q the algorithm finds them, for small q they hardly matter, and the
worst q falls as n grows. Sweep the axis ``mass`` and let the check take the envelope, the largest mean risk over it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dprepro.constructions.base import Construction, Point
from dprepro.errors import InputError, PremiseError
from dprepro.problems import AbsoluteLoss, L2Ball, LogisticLoss, Loss, OneHot, SquaredLoss, glm_constants
from dprepro.problems.constants import Constants

LOSSES: dict[str, type[Loss]] = {"squared": SquaredLoss, "absolute": AbsoluteLoss, "logistic": LogisticLoss}


@dataclass(frozen=True)
class OneHotFamily(Construction):
    """x = e_j (X = 1), with labels whose minimiser has |w*_j| = B/sqrt(m) on m coordinates, B = ``norm``.

    Attributes:
        loss: squared: labels +-1 of mean B/sqrt(m). absolute: all labels B/sqrt(m). logistic: labels +-1 of mean
            tanh(B/(2 sqrt(m))).
        coordinates: m; 0 for all p.
        mass: q, the total probability of these coordinates.
        spectrum: ``flat`` p_j = q/m, or ``log_uniform``: p_j in geometric progression over ``decades`` decades, of sum
            q: many scales in one population.
        decades: see ``spectrum``.
        tail: on how many further coordinates, with label 0, the mass 1 - q lies in equal parts. 0 for none (the other
            records are x = 0), -1 for all the others.

    Premise: m <= p - tail, and for the squared loss B <= sqrt(m), or a mean label would exceed 1.
    """

    version: ClassVar[int] = 1

    loss: Literal["squared", "absolute", "logistic"] = "squared"
    coordinates: int = 0
    mass: float = 1.0
    spectrum: Literal["flat", "log_uniform"] = "flat"
    decades: float = 4.0
    tail: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.mass <= 1:
            raise InputError(f"mass must be in (0, 1], got mass={self.mass:g}")
        if self.coordinates < 0 or self.tail < -1 or (self.tail == -1 and not self.coordinates):
            raise InputError(
                f"coordinates must be at least 0 and tail at least -1 (all others, then with coordinates > 0), got "
                f"coordinates={self.coordinates}, tail={self.tail}"
            )

    def constants(self, point: Point) -> Constants:
        """Those of the loss over the ball of radius B."""
        return glm_constants(point["n"], point["p"], point["norm"], LOSSES[self.loss]())

    def capabilities(self, point: Point) -> frozenset[str]:
        """The population."""
        return frozenset({"population"})

    def build(self, point: Point, noise_scale: float) -> OneHot:
        """The population; raises PremiseError outside the premise."""
        p, norm = int(point["p"]), point["norm"]
        size = p - self.coordinates if self.tail == -1 else self.tail
        m = self.coordinates or p - size
        if not 1 <= m <= p - size:
            raise PremiseError(f"{m} coordinates and a tail of {size} do not fit into p={p}")
        entry = norm / math.sqrt(m)
        if self.loss == "squared" and entry > 1 + 1e-12:
            raise PremiseError(f"norm={norm:g} exceeds sqrt(m)={math.sqrt(m):.4g}, a mean label would exceed 1")
        if self.spectrum == "flat":
            weights = np.full(m, self.mass / m)
        else:
            weights = 10.0 ** np.linspace(0, -self.decades, m)
            weights *= self.mass / weights.sum()
        label, bias = {
            "squared": (1.0, min(entry, 1.0)),
            "absolute": (entry, 1.0),
            "logistic": (1.0, math.tanh(entry / 2)),
        }[self.loss]
        tail = np.zeros(size)
        probability = np.concatenate([weights, tail + (1 - self.mass) / max(1, size)])
        labels, biases = np.concatenate([np.full(m, label), tail]), np.concatenate([np.full(m, bias), tail])
        return OneHot(point["n"], L2Ball(p, norm), LOSSES[self.loss](), probability, labels, biases, balanced=size)
