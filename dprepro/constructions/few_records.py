"""Data sets of at most three distinct records, with any loss over any set: the corners at which bounds may fail."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import Construction, Point, constraint_set, loss_of, offered, recorded
from dprepro.errors import PremiseError
from dprepro.problems import ConstraintSet, DistanceLoss, Domain, LocalBall, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray

Where = Literal["l1_ball", "l2_ball", "simplex", "box", "shifted_ball"]


@dataclass(frozen=True)
class FewRecords(Construction):
    """n records: most are (length X e, label Y); a share ``others`` of them is of another kind, and some say nothing.

    X and Y are the public bounds of the domain, which may be small or large: so constants of the loss reach their ends.

    Attributes:
        loss: by its name. over: the set, of this ``radius``; a ``shifted_ball`` does not hold 0.
        feature_bound, feature_norm, label_bound: what is public about a record.
        length, label: of the records, as shares of the bounds; the label may be negative.
        spread: whether e is (1, ..., 1), scaled to the bound, in the place of e_1.
        others: share of the records that are others: ``opposite`` in the label, or ``aside`` along e_2.
        silent: share of the records that are zero.
        proper: whether answers have to lie in the set.
    """

    loss: str = "squared"
    over: Where = "l2_ball"
    radius: float = 1.0
    feature_bound: float = 1.0
    feature_norm: float = 2
    label_bound: float = 1.0
    length: float = 1.0
    label: float = 1.0
    spread: bool = False
    others: float = 0.0
    kind: Literal["opposite", "aside"] = "opposite"
    silent: float = 0.0
    proper: bool = True

    def __post_init__(self) -> None:
        self._demand("length", 0 <= self.length <= 1, "in [0, 1]")
        self._demand("label", -1 <= self.label <= 1, "in [-1, 1]")
        self._demand("others", 0 <= self.others <= 1, "in [0, 1]")
        self._demand("silent", 0 <= self.silent <= 1, "in [0, 1]")

    def domain(self, point: Point) -> Domain:
        """What is public: loss, set and bounds."""
        loss = loss_of(self.loss)
        label_bound = min(self.label_bound, loss.largest_label)
        return Domain(
            loss, self._within(point["p"]), point["n"], feature_bound=self.feature_bound,
            feature_norm=self.feature_norm, label_bound=label_bound, proper=self.proper,
        )  # fmt: skip

    def representations(self, point: Point) -> frozenset[str]:
        """Records, and what can be derived from them."""
        return recorded(self.domain(point), 3)

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The data set; raises PremiseError where a record would be aside in one dimension."""
        domain, n = self.domain(point), point["n"]
        p = domain.p
        if self.kind == "aside" and p == 1 and self.others > 0:
            raise PremiseError("in one dimension no record lies aside")
        silent = 0.0 if isinstance(domain.loss, DistanceLoss) else round(self.silent * n)
        other = min(round(self.others * n), n - silent)
        counts = np.array([n - silent - other, other, silent], dtype=np.float64)
        straight = np.ones(p) if self.spread else np.eye(p)[0]
        straight = straight / np.linalg.norm(straight, domain.feature_norm) * self.length * domain.feature_bound
        label = self.label * domain.label_bound
        aside = self.length * domain.feature_bound * np.eye(p)[min(1, p - 1)]
        if self.kind == "opposite":
            aside = -straight if isinstance(domain.loss, DistanceLoss) else straight
        features = np.stack([straight, aside, np.zeros(p)])
        labels = np.array([label, -label if self.kind == "opposite" else label, 0.0])
        kept = counts > 0

        def records() -> RecordsView:
            return RecordsView(domain, Records(features[kept], labels[kept], counts[kept]))

        return offered(domain, self.representations(point), records=records)

    def _within(self, p: float) -> ConstraintSet:
        if self.over != "shifted_ball":
            return constraint_set(self.over, p, self.radius)
        centre: FloatArray = 0.75 * self.radius * np.eye(int(p))[0]
        if not math.isfinite(self.radius):
            raise PremiseError("the radius is infinite")
        return LocalBall(int(p), self.radius, centre=centre, reach=0.25 * self.radius)
