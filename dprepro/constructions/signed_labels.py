"""The data sets S_sigma of Arora, Bassily, Guzman, Menart and Ullah (2022): a sign hidden in each coordinate.

Theorem 4 (squared loss) and Theorem 6 (Lipschitz losses). They are data sets, so the risk here is the **empirical**
mean, of which the theorems' proofs speak; the step to population risk is another one and costs logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprepro.bounds import glm
from dprepro.constructions.base import Point
from dprepro.constructions.challenge import Attackable, Challenge, Finding
from dprepro.errors import InputError, PremiseError
from dprepro.problems import AbsoluteLoss, L2Ball, Loss, OneHotData, SquaredLoss, glm_constants
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray

LARGEST_DELTA = 1 / 16
"""Lemma 1's premise: delta <= (1 - e^-epsilon)/16."""


@dataclass(frozen=True)
class Plan:
    """The whole numbers of a data set.

    Attributes:
        coordinates: d', those that occur. copies: m, records X e_j of each. flips: D, how many of them change
            their label with sigma_j. size: |w^sigma_j|.
    """

    coordinates: int
    copies: int
    flips: int
    size: float

    @property
    def bias(self) -> float:
        """b = D/m: (1 + b) m/2 labels have the sign sigma_j, the others its opposite."""
        return self.flips / self.copies


@dataclass(frozen=True)
class HiddenSigns(Challenge):
    """S_sigma and its secret sigma.

    Findings. ``sign_recovered``: whether the answer has sigma_1's sign in coordinate 1, one trial an answer, with the
    two-point bound; ``signs_recovered``: the share over all coordinates, which one answer's noise makes dependent;
    ``risk_over_zero``: excess risk over that of the answer zero, whose mean no private algorithm can have below the
    exact two-point level; ``lemma_1``: |w_j - sigma_j a|/a, averaged, with the two-point bound of Lemma 1.
    """

    sigma: FloatArray
    plan: Plan
    share: float
    epsilon: float
    delta: float

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """See the class; a coordinate that is zero is guessed."""
        plan = self.plan
        w = np.asarray(theta, dtype=np.float64)[: plan.coordinates]
        guess = np.where(w == 0, rng.choice([-1.0, 1.0], plan.coordinates), np.sign(w))
        hits = guess == self.sigma
        line = 1 - glm.two_point_error(self.epsilon, self.delta, plan.flips)
        distance = float(np.mean(np.abs(w - self.sigma * plan.size))) / plan.size
        return [
            Finding("sign_recovered", float(hits[0]), line),
            Finding("signs_recovered", float(hits.mean()), line, trials=0),
            Finding("risk_over_zero", self.problem.excess_risk(w) / self.problem.trivial_risk, self.share, trials=0),
            Finding("lemma_1", distance, glm.lemma_1(self.epsilon, self.delta, plan.flips), trials=0),
        ]


@dataclass(frozen=True)
class SignedLabels(Attackable):
    """Theorem 4's S_sigma: m copies of X e_j with labels +-Y, m b = D = floor(1/epsilon) more of the sign sigma_j.

    S_sigma and S_sigma' that differ in one sign differ in D records; all else of n records is x = 0. The minimiser is
    w_j = sigma_j Y b/X, of norm at most B = ``norm``. d = ``p``. Where d allows it all records are used (the paper's
    p = 1) and d' = (n B X/(D Y))^(2/3); else d' = d and m = D sqrt(d) Y/(B X). Whole numbers: m = D mod 2, m >= D, d' m
    <= n, with d' or m moved until the norm fits. Features of different coordinates are orthogonal: the data are held as
    counts by coordinate.

    Printed slips: Delta = p b n/d' (n is missing); b <= 1 needs B X/Y <= sqrt(d) where p < 1, which is not said.

    Attributes:
        feature_bound: X. label_bound: Y.
        flips: D; 0 for floor(1/epsilon). The exact level holds for every D, which may stay while epsilon moves.

    Premise: epsilon in [1/n, 1], delta <= (1 - e^-epsilon)/16, b <= 1.
    """

    feature_bound: float = 1.0
    label_bound: float = 1.0
    flips: int = 0

    def __post_init__(self) -> None:
        if self.flips < 0:
            raise InputError(f"flips must be at least 1, or 0 for floor(1/epsilon), got flips={self.flips}")
        for name, value in (("feature_bound", self.feature_bound), ("label_bound", self.label_bound)):
            if not 0 < value < math.inf:
                raise InputError(f"{name} must be positive, got {name}={value:g}")

    @property
    def loss(self) -> Loss:
        """The loss of one record."""
        return SquaredLoss()

    def constants(self, point: Point) -> Constants:
        """Those of the loss over the ball of radius B."""
        return glm_constants(point["n"], point["p"], point["norm"], self.loss, self.feature_bound, self.label_bound)

    def capabilities(self, point: Point) -> frozenset[str]:
        """A one-hot sample, which is a fixed data set."""
        return frozenset({"population"})

    def plan(self, point: Point) -> Plan:
        """The whole numbers at a grid point; raises PremiseError where there are none."""
        n, d, flips = int(point["n"]), int(point["p"]), self._flips(point)
        ratio = point["norm"] * self.feature_bound / self.label_bound
        coordinates = min(d, int((n * ratio / flips) ** (2 / 3) * (1 + 1e-12)))

        def least_copies(count: int) -> int:
            return _parity(math.ceil(math.sqrt(count) * flips / ratio * (1 - 1e-12)), flips)

        while coordinates > 1 and coordinates * least_copies(coordinates) > n:
            coordinates -= 1
        copies = least_copies(max(1, coordinates))
        if coordinates < 1 or coordinates * copies > n:
            raise PremiseError(f"n={n} records are too few: one coordinate needs {copies} for D={flips}")
        if ratio > math.sqrt(coordinates) * (1 + 1e-9):
            raise PremiseError(
                f"b exceeds 1: B X/Y = {ratio:g} must be at most sqrt(d') = {math.sqrt(coordinates):.3g}"
            )
        if coordinates < d:  # all records are used
            copies = _parity(n // coordinates - 1, flips)
        size = self.label_bound * flips / (copies * self.feature_bound)
        return Plan(coordinates, copies, flips, size)

    def share(self, point: Point, plan: Plan) -> float:
        """What every private algorithm's risk is at least, as a share of output zero's, averaged over sigma."""
        return glm.two_point_square(point["epsilon"], point["delta"], plan.flips)

    def _flips(self, point: Point) -> int:
        """D; raises PremiseError outside the theorems' epsilon and delta."""
        n, epsilon, delta = point["n"], point["epsilon"], point["delta"]
        if not 1 / n <= epsilon <= 1:
            raise PremiseError(f"epsilon={epsilon:g} must be in [1/n, 1], n={n:g}")
        most = -math.expm1(-epsilon) * LARGEST_DELTA
        if delta > most:
            raise PremiseError(f"delta={delta:g} must be at most (1 - e^-epsilon)/16 = {most:.3g}")
        flips = int(self.flips) or math.floor(1 / epsilon * (1 + 1e-12))
        if flips > n:
            raise PremiseError(f"D={flips} records to change are more than n={n:g}")
        return flips

    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> HiddenSigns:
        """Random signs. Certificates: d', m, D, the minimiser's norm over B, records over n."""
        plan, n = self.plan(point), point["n"]
        sigma = rng.choice([-1.0, 1.0], plan.coordinates)
        problem = self.data(point, plan, sigma)
        used = plan.coordinates * plan.copies
        norm = float(np.linalg.norm(np.asarray(problem.minimum.theta)))
        whole = used <= n and (plan.copies + plan.flips) % 2 == 0 and plan.flips <= plan.copies
        if not whole or norm > point["norm"] * (1 + 1e-9):
            raise PremiseError(f"no such data: d'={plan.coordinates}, m={plan.copies}, D={plan.flips}, |w|={norm:g}")
        share = self.share(point, plan)
        certificates = {
            "level": share * problem.trivial_risk,
            "coordinates": float(plan.coordinates),
            "copies": float(plan.copies),
            "flips": float(plan.flips),
            "norm_over_radius": norm / point["norm"],
            "records_used": used / n,
        }
        return HiddenSigns(problem, sigma, plan, share, point["epsilon"], point["delta"], certificates=certificates)

    def data(self, point: Point, plan: Plan, sigma: FloatArray) -> OneHotData:
        """S_sigma as counts: (m + sigma_j D)/2 of the m labels in coordinate j are +Y."""
        labels = np.full(plan.coordinates, self.label_bound)
        positive = (plan.copies + sigma * plan.flips) / 2
        return self._problem(point, plan, labels, positive)

    def _problem(self, point: Point, plan: Plan, labels: FloatArray, positive: FloatArray) -> OneHotData:
        ball = L2Ball(int(point["p"]), point["norm"])
        copies = np.full(plan.coordinates, float(plan.copies))
        return OneHotData(point["n"], ball, self.loss, copies, labels, positive, self.feature_bound, self.label_bound)


@dataclass(frozen=True)
class LipschitzSignedLabels(SignedLabels):
    """Theorem 6's data: D = floor(1/epsilon) copies of X e_j with label y_j = sigma_j X B/sqrt(d'), d' = min(d, n/D).

    The loss is G (|z - y| - |y|), zero at zero, so that labels may be as large as they have to; without the constant
    -|y| it is the absolute loss (G = 1). All D labels of a coordinate change with its sign. rank = d'.

    Premise: epsilon in [1/n, 1]; the paper has epsilon <= 1.2 (any two signs then differ in one record at least) and
    delta <= epsilon, which is more than the exact level needs.
    """

    @property
    def loss(self) -> Loss:
        """|z - y|."""
        return AbsoluteLoss()

    def plan(self, point: Point) -> Plan:
        """As there, with m = D."""
        flips = self._flips(point)
        coordinates = min(int(point["p"]), int(point["n"]) // flips)
        return Plan(coordinates, flips, flips, point["norm"] / math.sqrt(coordinates))

    def share(self, point: Point, plan: Plan) -> float:
        """As there, for absolute values in place of squares."""
        return glm.lemma_1(point["epsilon"], point["delta"], plan.flips)

    def data(self, point: Point, plan: Plan, sigma: FloatArray) -> OneHotData:
        """All labels of coordinate j are sigma_j X B/sqrt(d')."""
        labels = np.full(plan.coordinates, self.feature_bound * plan.size)
        return self._problem(point, plan, labels, (1 + sigma) / 2 * plan.copies)


def _parity(number: int, flips: int) -> int:
    """The least whole number from ``number`` on that is even or odd as ``flips``."""
    return number + (number - flips) % 2
