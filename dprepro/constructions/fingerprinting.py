"""The fingerprinting data behind Lemma 5.1.2 and Theorems 5.3 and 5.5, and an attack that traces who is in the data.

What the experiment expects is from theory. A member is accused where <theta, x - mu> exceeds that of 19 strangers: a
stranger in exactly 5% of trials, and (epsilon, delta)-privacy allows e^epsilon 5% + delta of members, 13.6% at
epsilon = 1. For the exact mean a member stands out by sqrt(2 p)/n standard deviations: at n = sqrt(p)/4 all are traced,
at n = 4 sqrt(p) none, private or not. Gaussian noise of privacy shift m (.24 at epsilon = 1, delta = 1e-6) leaves at
most m/sqrt(8) of them at any n, a fifteenth of it (epsilon = 22) but 1.25. What is certified on n* = share
sqrt(p)/epsilon such records among n that cancel, share = 1/10, up to 1 + 1/n*: share (1/sqrt 2 - share) = .0607 times
the rate for linear losses, share^2 (1/2 - share^2)/2 = .00245 times its square for half the squared distance; output
zero has 1.16 and 1.02 times as much, larger shares bind higher (1/8 and 1/32 at most). With probability 1/3: .2
share/sqrt 2 = .0141, .36 share^2/4 = .0009.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprepro.bounds import bst_lower
from dprepro.constructions.arcsine import MOST_SEARCHED, best_private_correlation, biases, identity
from dprepro.constructions.base import Point
from dprepro.constructions.challenge import Challenge, Finding
from dprepro.constructions.padding import PaddedFamily, padded
from dprepro.errors import PremiseError
from dprepro.problems import LinearLoss
from dprepro.problems.problem_data import FloatArray

PRINTED_CHANCE = 2 / 3  # of an accurate answer, above which Lemma 5.1.2 and Theorems 5.3 and 5.5 say nothing


@dataclass(frozen=True)
class FingerprintingChallenge(Challenge):
    """Records of a known population; the attack asks whether one of them is in the data.

    Attributes:
        family, point: the construction, and where it stands.
        member: one record of the data, shape (p,). mean: mu, the population's mean record.
        rows: m = n*.
    """

    family: Fingerprinting
    point: Point
    member: FloatArray
    mean: FloatArray
    rows: int

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """Accuse whoever has a larger <theta, x> than all strangers: a member, and one more stranger.

        Strangers are exchangeable, so one more of them is accused with chance 1/(strangers + 1), no more whatever
        theta is, whether or not the algorithm is private.

        ``risk``, the excess risk, is in the mean no less than ``certified_risk`` for any private algorithm, which is
        made of the sum of this very instance. ``accurate``: the risk is below `part` of the largest, with the largest
        chance of that under privacy; where this is at most 2/3, the risk that it excludes is ``certified_likely``.
        ``identity`` holds the lemma behind all this against every answer function, ``searched`` its consequence against
        the best private answer to one coordinate.
        """
        strangers, epsilon, delta = self.family.strangers, self.point["epsilon"], self.point["delta"]
        direction = theta
        if self.family.centred:
            direction = theta - (theta @ self.mean) / (self.mean @ self.mean) * self.mean
        scores = draw_records(self.mean, strangers + 1, rng) @ direction
        threshold, stranger = scores[1:].max(), scores[0]
        p, risk, least = self.mean.size, self.problem.excess_risk(theta), self._least_accurate()
        line = bst_lower.fingerprinting_line(p, self.rows, epsilon, delta)
        chance = bst_lower.fingerprinting_chance(p, self.rows, epsilon, delta, self.family.part)
        traceable = bst_lower.tracing_line(1 / (strangers + 1), epsilon, delta)
        level, rate = self._level(), self._rate()
        found = [
            Finding("traced", float(self.member @ direction > threshold), traceable),
            Finding("accused", float(stranger > threshold), 1 / (strangers + 1)),
            Finding("correlation", float(theta @ self.mean), line, trials=0),
            Finding("risk", risk, level, trials=0),
            Finding("accurate", float(risk < least), chance),
            Finding("certified_risk", level, rate, trials=0),
            Finding("certified_likely", least * float(chance <= PRINTED_CHANCE), rate, trials=0),
            Finding("identity", identity(self.rows), 1.0, trials=0),
        ]
        if max(self.rows, epsilon) <= MOST_SEARCHED:
            best = best_private_correlation(self.rows, epsilon, delta) / math.sqrt(p)
            found.append(Finding("searched", best, line, trials=0))
        return found

    @property
    def mean_level(self) -> float:
        """Made of the sum of this very instance."""
        return self._level()

    @property
    def _linear(self) -> bool:
        return isinstance(self.problem.domain.loss, LinearLoss)

    def _rate(self) -> float:
        rate = bst_lower.theorem_5_3_rate if self._linear else bst_lower.theorem_5_5_rate
        return rate(self.point["n"], self.mean.size, self.point["epsilon"])

    def _level(self) -> float:
        """E of it is what no private algorithm has a smaller mean risk than; see the bounds."""
        n, epsilon, delta = self.point["n"], self.point["epsilon"], self.point["delta"]
        length, p = self._length(), self.mean.size
        if self._linear:
            return bst_lower.theorem_5_3_level(length, p, self.rows, epsilon, delta) / n
        return bst_lower.theorem_5_5_level(length**2, n, p, self.rows, epsilon, delta) / n

    def _least_accurate(self) -> float:
        """The risk from which on an answer is not accurate.

        On the linear loss `part` of ||q||. On half the squared distance that of an estimate of q whose direction loses
        as much: if ||a - q|| < c ||q|| then <a, q> > sqrt(1 - c^2) ||a|| ||q||, and c^2 = 1 - (1 - part)^2.
        """
        length, part = self._length() / self.point["n"], self.family.part
        return part * length if self._linear else part * (2 - part) * length**2 / 2

    def _length(self) -> float:
        """||s||, of the sum of all records."""
        return float(self.point["n"] * np.linalg.norm(self.problem.records.mean_record))


@dataclass(frozen=True)
class Fingerprinting(PaddedFamily):
    """n* records from {-1, 1}^p / sqrt p with independent entries of mean mu_j, and (n - n*)/2 of c and -c each.

    sqrt(p) mu_j follows the arcsine law on [-1, 1]. Then sum_i <theta, x_i - mu> has the mean of <theta, mu>, for any
    theta whatsoever: accuracy is paid for in scores of the members (`bst_lower.fingerprinting_line`). A member's score
    exceeds a stranger's by <theta, mu>/n* in the mean, against a standard deviation of at most 1/sqrt p.

    Attributes:
        loss: ``linear`` (Theorem 5.3) or ``half_squared_distance`` (Theorem 5.5).
        share: n* = share sqrt(p)/epsilon, at most n, one fewer where n - n* would be odd; infinite: all n records are
            from the population.
        ratio: if positive, n = ratio sqrt(p) whatever the sweep's n is.
        strangers: how many fresh records a member has to outdo; 19 accuse 5% of further strangers.
        centred: trace with theta less its part along mu. Stronger against theta near q(D), but not tied to accuracy:
            a noise of the size of the sampling error, far too little for privacy, takes its power.
        part: of the largest linear risk, below which an answer counts as accurate.
    """

    findings: ClassVar[tuple[str, ...]] = (
        "traced", "accused", "correlation", "risk", "accurate", "certified_risk", "certified_likely", "identity",
        "searched",
    )  # fmt: skip
    certificates: ClassVar[tuple[str, ...]] = ("rows", "length")

    share: float = math.inf
    ratio: float = 0.0
    strangers: int = 19
    centred: bool = False
    part: float = 0.2

    @property
    def proves(self) -> str:
        return f"bst_lower.theorem_5_{3 if self.loss == 'linear' else 5}_rate"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._demand("ratio", 0 <= self.ratio < math.inf, "positive, or 0 for the sweep's n")
        self._demand("strangers", self.strangers >= 1, "at least 1")
        self._demand("part", 0 < self.part < 1, "in (0, 1)")

    def resolve(self, point: Point) -> dict[str, float]:
        """n = ratio sqrt(p), rounded, where a ratio is given."""
        n = max(1, round(self.ratio * math.sqrt(point["p"]))) if self.ratio else point["n"]
        return dict(point) | {"n": n}

    def secrets(self, point: Point) -> float:
        return min(point["n"], self.share * math.sqrt(point["p"]) / point["epsilon"])

    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> FingerprintingChallenge:
        """A fresh population and its records; raises PremiseError where n* is below 1."""
        n, p = point["n"], int(point["p"])
        rows = self.secret_rows(math.sqrt(p), point)
        rows -= int((n - rows) % 2)
        if rows < 1:
            raise PremiseError(f"n={n:g} leaves no even number of records to cancel")
        mean = biases(rng.random(p)) / math.sqrt(p)
        members = draw_records(mean, rows, rng)
        return FingerprintingChallenge(
            self.problem(point, padded(members, rows, n, rng)),
            self,
            point,
            members[0],
            mean,
            rows,
            certificates={"rows": float(rows), "length": float(np.linalg.norm(members.sum(axis=0))) / rows},
        )


def draw_records(mean: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """``count`` independent records with entries +-1/sqrt p of the given means, shape (count, p)."""
    size = 1 / math.sqrt(mean.size)
    chance = (0.5 * (1 + mean / size)).astype(np.float32)  # to 2^-24, as the draws are
    records = (rng.random((count, mean.size), dtype=np.float32) < chance).astype(np.float64)
    records *= 2 * size  # four times as fast as a choice between two numbers
    records -= size
    return records
