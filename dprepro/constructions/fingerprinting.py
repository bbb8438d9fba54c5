"""The fingerprinting data behind Lemma 5.1.2 and Theorems 5.3 and 5.5, and an attack that traces who is in the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dprepro.bounds import bst
from dprepro.constructions.base import Point
from dprepro.constructions.challenge import Attackable, Challenge, Finding
from dprepro.constructions.padding import check_share, padded, secret_rows
from dprepro.errors import InputError
from dprepro.problems import BallRisk, L2Ball, ball_constants
from dprepro.problems.constants import Constants
from dprepro.problems.data import FloatArray


@dataclass(frozen=True)
class FingerprintingChallenge(Challenge):
    """Records of a known population; the attack asks whether one of them is in the data.

    Attributes:
        member: one record of the data, shape (p,). mean: mu, the population's mean record.
        strangers: how many fresh records set the threshold.
        centred: whether theta is first freed of its part along mu.
        line: largest chance of tracing a member under the budget; ``most``: largest E <theta, mu>.
        shape: of the error, sqrt(p)/(epsilon n).
    """

    member: FloatArray
    mean: FloatArray
    strangers: int
    centred: bool
    line: float
    most: float
    shape: float

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """Accuse whoever has a larger <theta, x> than all strangers: a member, and one more stranger.

        Strangers are exchangeable, so one more of them is accused with chance 1/(strangers + 1), no more whatever
        theta is, whether or not the algorithm is private.
        """
        direction = theta
        if self.centred:
            direction = theta - (theta @ self.mean) / (self.mean @ self.mean) * self.mean
        scores = draw_records(self.mean, self.strangers + 1, rng) @ direction
        threshold, stranger = scores[1:].max(), scores[0]
        return [
            Finding("traced", float(self.member @ direction > threshold), self.line),
            Finding("accused", float(stranger > threshold), 1 / (self.strangers + 1)),
            Finding("correlation", float(theta @ self.mean), self.most, trials=0),
            Finding("error", self._error(theta), trials=0, columns={"shape": self.shape}),
        ]

    def _error(self, theta: FloatArray) -> float:
        """l2 error of the marginals; on the linear loss ||q(D)|| theta is the estimate, as in the proof of 5.2."""
        assert isinstance(self.problem, BallRisk)
        target = self.problem.mean_record
        scale = float(np.linalg.norm(target)) if self.problem.loss.code == 0 else 1.0
        return float(np.linalg.norm(scale * theta - target))


@dataclass(frozen=True)
class Fingerprinting(Attackable):
    """n* records from {-1, 1}^p / sqrt p with independent entries of mean mu_j, and (n - n*)/2 of c and -c each.

    sqrt(p) mu_j follows the arcsine law on [-1, 1]. Then sum_i <theta, x_i - mu> has the mean of <theta, mu>, for any
    theta whatsoever: accuracy is paid for in scores of the members (see `bst.fingerprinting_line`). A member's score
    exceeds a stranger's by <theta, mu>/n* in the mean, against a standard deviation of at most 1/sqrt p.

    Attributes:
        loss: ``linear`` (Theorem 5.3) or ``half_squared_distance`` (Theorem 5.5).
        share: n* = share sqrt(p)/epsilon, at most n; infinite: all n records are from the population.
        ratio: if positive, n = ratio sqrt(p) whatever the sweep's n is.
        strangers: how many fresh records a member has to outdo; 19 accuse 5% of further strangers.
        centred: trace with theta less its part along mu. Stronger against theta near q(D), but not tied to accuracy:
            a noise of the size of the sampling error, far too little for privacy, takes its power.
    """

    loss: Literal["linear", "half_squared_distance"] = "linear"
    share: float = math.inf
    ratio: float = 0.0
    strangers: int = 19
    centred: bool = False

    def __post_init__(self) -> None:
        check_share(self.share)
        if not 0 <= self.ratio < math.inf:
            raise InputError(f"ratio must be positive, or 0 for the sweep's n, got ratio={self.ratio:g}")
        if self.strangers < 1:
            raise InputError(f"strangers must be at least 1, got strangers={self.strangers}")

    def settle(self, point: Point) -> dict[str, float]:
        """n = ratio sqrt(p), rounded, where a ratio is given."""
        n = max(1, round(self.ratio * math.sqrt(point["p"]))) if self.ratio else point["n"]
        return dict(point) | {"n": n}

    def constants(self, point: Point) -> Constants:
        """Those of the unit ball and records of norm 1."""
        return ball_constants(self.loss, point["n"], L2Ball(int(point["p"])))

    def capabilities(self, point: Point) -> frozenset[str]:
        """As all linear and quadratic risks."""
        return frozenset({"axis", "moments", "records"})

    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> FingerprintingChallenge:
        """A fresh population and its records; raises PremiseError where n* is below 1."""
        n, p, epsilon, delta = point["n"], int(point["p"]), point["epsilon"], point["delta"]
        rows = secret_rows(self.share, math.sqrt(p), point)
        mean = np.sin(math.pi * (rng.random(p) - 0.5)) / math.sqrt(p)
        members = draw_records(mean, rows, rng)
        records, counts = padded(members, rows, n, rng)
        return FingerprintingChallenge(
            BallRisk(self.loss, L2Ball(p), records, counts),
            members[0],
            mean,
            self.strangers,
            self.centred,
            bst.tracing_line(1 / (self.strangers + 1), epsilon, delta),
            bst.fingerprinting_line(p, rows, epsilon, delta),
            bst.lemma_5_1_2_rate(n, p, epsilon),
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
