"""A sign hidden in each coordinate's directions: the lower bound in low dimension that is derived here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprepro.bounds import glm, low_dimension
from dprepro.bounds.low_dimension import Instance
from dprepro.constructions.base import Point, offered, recorded
from dprepro.constructions.challenge import Attackable, Challenge, Finding
from dprepro.errors import PremiseError
from dprepro.problems import Domain, L2Ball, MomentsView, Problem, Records, RecordsView, SquaredLoss
from dprepro.problems.problem_data import FloatArray


@dataclass(frozen=True)
class HiddenDirections(Challenge):
    """The records and their secret.

    Attributes:
        signs: s, shape (d,). instance: the data's numbers.
        missed: the least chance with which a private answer misses a sign.
        level: mean risk over fair signs that no private algorithm is below.
        rate: H B^2 X^2 sqrt(d)/(n epsilon).
    """

    signs: FloatArray
    instance: Instance
    missed: float
    level: float
    rate: float

    @property
    def mean_level(self) -> float:
        return self.level

    def risk(self, theta: FloatArray) -> float:
        """Excess risk: A (w_0 - v)^2 + c sum_j (w_j + s_j b w_0)^2."""
        data, first = self.instance, float(theta[0])
        beside = theta[1:] + self.signs * data.tilt * first
        return data.bend * (first - data.slope) ** 2 + data.pull * float(beside @ beside)

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """What an answer tells of the signs, and its risk; a coordinate that is zero is guessed.

        ``sign_recovered``: whether -w_0 w_1 has the sign s_1, one trial an answer; ``risk_over_level``, of which the
        mean is at least 1 for every private algorithm; ``certified_risk`` is the level, beside the rate.
        """
        w = np.asarray(theta, dtype=np.float64)
        told = -w[0] * w[1]
        guess = np.sign(told) if told else rng.choice([-1.0, 1.0])
        return [
            Finding("sign_recovered", float(guess == self.signs[0]), 1 - self.missed),
            Finding("risk_over_level", self.risk(w) / self.level, 1.0, trials=0),
            Finding("certified_risk", self.level, self.rate, trials=0),
        ]


@dataclass(frozen=True)
class SignedDirections(Attackable):
    """d = p - 1 signs: m records X (e_0 +- e_j)/sqrt 2 for each, label 0, D more of the sign s_j than of the other.

    All other records are xi e_0 with label Y; the numbers are those of `low_dimension.Instance`. The minimiser has
    w_j = -s_j b w_0 and the norm B = ``norm``. Data sets that differ in one sign differ in D records.

    Attributes:
        feature_bound: X. label_bound: Y.
        flips: D; 0 for floor(1/epsilon). The level holds for every D.

    Premise: d >= 2, epsilon <= 1, as many records as `Instance.needed`.
    """

    findings: ClassVar[tuple[str, ...]] = ("sign_recovered", "risk_over_level", "certified_risk")
    certificates: ClassVar[tuple[str, ...]] = ("copies", "flips", "norm_over_radius", "length_over_bound")

    feature_bound: float = 1.0
    label_bound: float = 1.0
    flips: int = 0

    def __post_init__(self) -> None:
        self._demand("flips", self.flips >= 0, "at least 1, or 0 for floor(1/epsilon)")
        self._demand("feature_bound", 0 < self.feature_bound < math.inf, "positive")
        self._demand("label_bound", 0 < self.label_bound < math.inf, "positive")

    @property
    def proves(self) -> str:
        return "low_dimension.rate"

    def domain(self, point: Point) -> Domain:
        """Squared loss over the ball of radius B, which answers may leave."""
        ball, x, y = L2Ball(int(point["p"]), point["norm"]), self.feature_bound, self.label_bound
        return Domain(SquaredLoss(), ball, point["n"], x, label_bound=y, proper=False)

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), 2 * point["p"])

    def instance(self, point: Point) -> Instance:
        """The numbers at a grid point; raises PremiseError where there are none."""
        if not 0 < point["epsilon"] <= 1:
            raise PremiseError(f"epsilon={point['epsilon']:g} must be in (0, 1]")
        if point["p"] < 3:
            raise PremiseError(f"p={point['p']:g} must be at least 3: one coordinate beside those that hide a sign")
        domain, flips = self.domain(point), int(self.flips) or math.floor(1 / point["epsilon"] * (1 + 1e-12))
        found = Instance(point["n"], domain.p - 1, flips, domain.smoothness, domain.radius, domain.label_level)
        if point["n"] < found.needed:
            raise PremiseError(f"n={point['n']:g} records are fewer than the {found.needed:.6g} that hide the signs")
        return found

    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> HiddenDirections:
        """Fair signs. Certificates: m, D, the minimiser's norm over B, the longest record over X."""
        data, epsilon, delta = self.instance(point), point["epsilon"], point["delta"]
        signs = rng.choice([-1.0, 1.0], data.coordinates)
        records = self.records(data, signs)
        minimiser = data.slope * np.concatenate([[1.0], -signs * data.tilt])
        known = minimiser * (1 - 1e-12)  # rounding may not put it outside the ball
        domain = self.domain(point)
        certificates = {
            "copies": float(data.copies),
            "flips": float(data.flips),
            "norm_over_radius": float(np.linalg.norm(minimiser)) / domain.radius,
            "length_over_bound": float(np.linalg.norm(records.features, axis=1).max()) / self.feature_bound,
        }

        def listed() -> RecordsView:
            return RecordsView(domain, records, known)

        def moments() -> MomentsView:
            return MomentsView(domain, listed().to_moments().moments, known)

        problem: Problem = offered(domain, self.representations(point), records=listed, moments=moments)
        missed = glm.two_point_error(epsilon, delta, data.flips)
        rate = low_dimension.rate(point["n"], point["p"], epsilon, domain.smoothness, domain.radius)
        level = data.level(epsilon, delta)
        return HiddenDirections(problem, signs, data, missed, level, rate, certificates=certificates)

    def records(self, data: Instance, signs: FloatArray) -> Records:
        """2 d + 1 distinct ones with their counts; a kind without a record is left out."""
        d, x = data.coordinates, self.feature_bound
        beside = np.eye(d) * (x / math.sqrt(2))
        first = np.full((d, 1), x / math.sqrt(2))
        last = np.zeros((1, d + 1))
        last[0, 0] = data.feature * x
        features = np.vstack([np.hstack([first, beside]), np.hstack([first, -beside]), last])
        labels = np.append(np.zeros(2 * d), self.label_bound)
        plus, minus = ((data.copies + side * signs * data.flips) / 2 for side in (1, -1))
        counts = np.concatenate([plus, minus, [data.n - d * data.copies]])
        held = counts > 0
        return Records(features[held], labels[held], counts[held])
