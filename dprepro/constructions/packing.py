"""The packing behind Lemma 5.1.1, Theorems 5.2 and 5.4: copies of a secret codeword, and an attack that decodes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprepro.bounds import bst_lower
from dprepro.constructions.base import Point
from dprepro.constructions.challenge import Challenge, Finding
from dprepro.constructions.padding import PaddedFamily, padded
from dprepro.errors import PremiseError
from dprepro.problems import Domain, LinearLoss
from dprepro.problems.codes import Code, check_length, double_circulant_code
from dprepro.problems.problem_data import FloatArray

PRINTED_DISTANCE = 1 / 8  # between any two words, in Appendix C.1
ROUNDING = 1e-9  # an answer exactly between two words has the level as its risk, and decodes to either


@dataclass(frozen=True)
class PackingChallenge(Challenge):
    """Copies of the word number ``secret``; what decoding and the theorems say about any private answer.

    Attributes:
        line: largest mean chance of decoding under the budget (`bst_lower.packing_line`).
        target: q(D), the mean record; ``weight``: copies/n, the norm of its part along the secret word.
        radius: every estimate of q(D) nearer than that decodes; ``level``: so does every answer of smaller risk.
        rates: of Lemma 5.1.1, and of the theorem about the loss.
    """

    code: Code
    secret: int
    line: float
    target: FloatArray
    weight: float
    radius: float
    level: float
    rates: tuple[float, float]

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """Decode to the nearest word; was it right, was the answer that accurate, and how far is it from q(D)?

        On the linear loss weight * theta is the estimate of q(D), as in the proof of Theorem 5.2. ``halfway`` is the
        risk of the best answer that need not decode, half way to the nearest other word: no less than the level, or it
        would be no level, and no more, or there were a better one. ``certified_error`` and ``certified_risk`` are what
        every private answer has on some of the K data sets with a chance of 1 - line; zero where that is below 1/2.
        """
        decoded = self.code.nearest(theta) == self.secret
        accurate = self.problem.excess_risk(theta) < self.level * (1 - ROUNDING)
        estimate = self.weight * theta if self._linear else theta
        error = float(np.linalg.norm(estimate - self.target))
        binds = float(self.line <= 0.5)
        return [
            Finding("decoded", float(decoded), self.line),
            Finding("accurate", float(accurate), self.line),
            Finding("error", error, (1 - self.line) * self.radius, trials=0),
            Finding("halfway", self.problem.excess_risk(self._halfway()), self.level, trials=0),
            Finding("certified_error", binds * self.radius, self.rates[0], trials=0),
            Finding("certified_risk", binds * self.level, self.rates[1], trials=0),
        ]

    @property
    def mean_level(self) -> float:
        """Of the K data sets: who does not decode the secret loses the level."""
        return (1 - self.line) * self.level

    @property
    def _linear(self) -> bool:
        return isinstance(self.problem.domain.loss, LinearLoss)

    def _halfway(self) -> FloatArray:
        """The answer of least risk among those as near to another word as to the secret, where the others cancel."""
        step = (self.code.rival(self.secret) - self.code.words[self.secret]) / 2
        if not self._linear:
            return np.asarray(self.target + self.weight * step)
        between = self.code.words[self.secret] + step
        return np.asarray(between / np.linalg.norm(between))


@dataclass(frozen=True)
class Packing(PaddedFamily):
    """n* copies of one of K = 2^(p/2) codewords, the secret, and (n - n*)/2 records c and -c each, c random.

    Any two of the K data sets differ in n* records, so under replace_one no epsilon-private algorithm lets the secret
    be decoded with a chance above e^a/(K - 1 + e^a), a = epsilon n*. If no two words are nearer than ``distance``
    coordinates, an estimate of q(D) nearer than n*/n sqrt(distance/p) decodes, and so does an answer on the linear loss
    whose risk is below n*/n (1 - sqrt(1 - distance/p)): that is Lemma 5.1.1, and Theorems 5.2 and 5.4, with constants.

    Attributes:
        loss: ``linear`` (Theorem 5.2) or ``half_squared_distance`` (Theorem 5.4).
        share: n* = share p/epsilon, at most n; the paper's is 1/20. Infinite: all n records are copies.
    """

    findings: ClassVar[tuple[str, ...]] = (
        "decoded", "accurate", "error", "halfway", "certified_error", "certified_risk"
    )  # fmt: skip
    certificates: ClassVar[tuple[str, ...]] = ("distance", "copies")

    share: float = 0.05

    @property
    def proves(self) -> str:
        return f"bst_lower.theorem_5_{2 if self.loss == 'linear' else 4}_rate"

    def domain(self, point: Point) -> Domain:
        """As there; raises InputError for a p without a code."""
        check_length(point["p"])
        return super().domain(point)

    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> PackingChallenge:
        """A fresh secret; raises PremiseError where n* is below 1 or two words are nearer than the paper's 1/8."""
        n, p, epsilon = point["n"], int(point["p"]), point["epsilon"]
        copies = self.secret_rows(p, point)
        code = double_circulant_code(p)
        apart = 2 * math.sqrt(code.share)
        if not apart >= PRINTED_DISTANCE:
            raise PremiseError(f"two words are {apart:.3g} apart, and Lemma 5.1 needs {PRINTED_DISTANCE}")
        secret = int(rng.integers(code.size))
        problem = self.problem(point, padded(code.words[secret][None, :], copies, n, rng))
        linear = self.loss == "linear"
        odd = (n - copies) % 2  # one c left over moves q(D) by 1/n, and a linear risk by at most 2/n
        radius = max(0.0, copies * math.sqrt(code.share) - odd) / n
        level = max(0.0, copies * (1 - math.sqrt(1 - code.share)) - 2 * odd) / n
        return PackingChallenge(
            problem,
            code,
            secret,
            bst_lower.packing_line(code.size, copies, epsilon, point["delta"]),
            problem.records.mean_record,
            copies / n,
            radius,
            level if linear else radius**2 / 2,
            (
                bst_lower.lemma_5_1_1_rate(n, p, epsilon),
                (bst_lower.theorem_5_2_rate if linear else bst_lower.theorem_5_4_rate)(n, p, epsilon),
            ),
            certificates={"distance": apart, "copies": float(copies)},
        )
