"""A sign hidden in each coordinate's labels, after Arora, Bassily, Guzman, Menart and Ullah (2022).

Theorem 4 (squared loss) is about data sets S_sigma and their **empirical** risk, Theorem 6 (Lipschitz losses) about
populations D_sigma and the **population** risk of what is answered to n independent records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dprepro.bounds import glm
from dprepro.constructions.base import Point
from dprepro.constructions.challenge import Attackable, Challenge, Finding
from dprepro.constructions.one_hot_populations import one_hot, one_hot_representations
from dprepro.errors import PremiseError
from dprepro.problems import AbsoluteLoss, Domain, L2Ball, OneHotView, Problem, SquaredLoss
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.views.one_hot_view import sampled

SEEN = 1e-4
"""Misses that an answer must have in the mean for a level to be one: of rarer ones no sample of answers has any."""


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


@dataclass(frozen=True)
class HiddenSigns(Challenge):
    """S_sigma, or n records of D_sigma, and its secret sigma.

    Attributes:
        sigma, plan: the signs, and the whole numbers.
        missed: the least chance with which a private answer misses a sign.
        level: mean risk that no private algorithm is below, by the two-point argument on this very instance.
        rate: the theorem's, without its constant.
    """

    sigma: FloatArray
    plan: Plan
    missed: float
    level: float
    rate: float

    @property
    def mean_level(self) -> float:
        return self.level

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """How many signs an answer has right, and its risk; a coordinate that is zero is guessed.

        ``sign_recovered``: coordinate 1, one trial an answer; ``signs_recovered``: the share over all coordinates,
        which one answer's noise makes dependent; ``risk_over_zero``: excess risk over that of the answer zero;
        ``lemma_1``: |w_j - sigma_j a|/a, averaged; all with the two-point bound. ``certified_risk`` is the level.
        """
        plan = self.plan
        w = np.asarray(theta, dtype=np.float64)[: plan.coordinates]
        guess = np.where(w == 0, rng.choice([-1.0, 1.0], plan.coordinates), np.sign(w))
        hits, zero = guess == self.sigma, self.problem.trivial_risk
        distance = float(np.mean(np.abs(w - self.sigma * plan.size))) / plan.size
        seen = self.missed * plan.coordinates >= SEEN
        return [
            Finding("sign_recovered", float(hits[0]), 1 - self.missed),
            Finding("signs_recovered", float(hits.mean()), 1 - self.missed, trials=0),
            Finding("risk_over_zero", self.problem.excess_risk(w) / zero, seen * self.level / zero, trials=0),
            Finding("lemma_1", distance, seen * 2 * self.missed, trials=0),
            Finding("certified_risk", self.level, self.rate, trials=0),
        ]


@dataclass(frozen=True)
class SignedLabels(Attackable):
    """Theorem 4's S_sigma: m copies of X e_j with labels +-Y, m b = D = floor(1/epsilon) more of the sign sigma_j.

    S_sigma and S_sigma' that differ in one sign differ in D records; all else of n records is x = 0. The minimiser is
    w_j = sigma_j Y b/X, of norm at most B = ``norm``. d = ``p``. Where d allows it all records are used (the paper's
    p = 1) and d' = (n B X/(D Y))^(2/3); else d' = d and m = D sqrt(d) Y/(B X). Whole numbers: m = D mod 2, m >= D, d' m
    <= n, with d' or m moved until the norm fits. Features of different coordinates are orthogonal: the data are held as
    counts by coordinate.

    Errata: Delta = p b n/d' (n is missing); b <= 1 needs B X/Y <= sqrt(d) where p < 1, which is not said.

    Attributes:
        feature_bound: X. label_bound: Y.
        flips: D; 0 for floor(1/epsilon). The exact level holds for every D, which may stay while epsilon moves.

    Premise: epsilon in [1/n, 1], delta <= (1 - e^-epsilon)/16, b <= 1.
    """

    findings: ClassVar[tuple[str, ...]] = (
        "sign_recovered", "signs_recovered", "risk_over_zero", "lemma_1", "certified_risk"
    )  # fmt: skip
    certificates: ClassVar[tuple[str, ...]] = ("coordinates", "copies", "flips", "norm_over_radius", "records_used")

    feature_bound: float = 1.0
    label_bound: float = 1.0
    flips: int = 0

    def __post_init__(self) -> None:
        self._demand("flips", self.flips >= 0, "at least 1, or 0 for floor(1/epsilon)")
        self._demand("feature_bound", 0 < self.feature_bound < math.inf, "positive")
        self._demand("label_bound", 0 < self.label_bound < math.inf, "positive")

    @property
    def proves(self) -> str:
        return "glm.theorem_4_rate"

    def domain(self, point: Point) -> Domain:
        """Squared loss over the ball of radius B, which answers may leave."""
        ball, x, y = L2Ball(int(point["p"]), point["norm"]), self.feature_bound, self.label_bound
        return Domain(SquaredLoss(), ball, point["n"], x, label_bound=y, proper=False)

    def representations(self, point: Point) -> frozenset[str]:
        return one_hot_representations(self.domain(point), point["p"])

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

    def _flips(self, point: Point) -> int:
        """D; raises PremiseError outside the theorems' epsilon and delta."""
        n, epsilon, delta = point["n"], point["epsilon"], point["delta"]
        if not 1 / n <= epsilon <= 1:
            raise PremiseError(f"epsilon={epsilon:g} must be in [1/n, 1], n={n:g}")
        most = -math.expm1(-epsilon) / 16  # Lemma 1's premise
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
        view, mirror = (self.data(point, plan, signs) for signs in (sigma, -sigma))
        missed, level = self.two_points(point, view, mirror)
        norm = plan.size * math.sqrt(plan.coordinates)
        certificates = {
            "coordinates": float(plan.coordinates),
            "copies": float(plan.copies),
            "flips": float(plan.flips),
            "norm_over_radius": norm / point["norm"],
            "records_used": plan.coordinates * plan.copies / n,
        }
        problem, rate = self.problem(point, view, rng), self.rate(point)
        return HiddenSigns(problem, sigma, plan, missed, level, rate, certificates=certificates)

    def data(self, point: Point, plan: Plan, sigma: FloatArray) -> OneHotView:
        """S_sigma as counts: (m + sigma_j D)/2 of the m labels in coordinate j are positive."""
        plus, minus = ((plan.copies + sign * sigma * plan.flips) / (2 * point["n"]) for sign in (1, -1))
        labels = np.full(plan.coordinates, self.label(plan))
        return OneHotView(self.domain(point), labels, plus, minus, known=sigma * plan.size)

    def problem(self, point: Point, view: OneHotView, rng: np.random.Generator) -> Problem:
        """What the algorithm is given."""
        return one_hot(view, self.representations(point))

    def two_points(self, point: Point, view: OneHotView, mirror: OneHotView) -> tuple[float, float]:
        """The least chance of missing a sign, and the level: the sum over coordinates of what two points lose.

        S_sigma and the same with the other sign in one coordinate differ in as many records as have another label
        there. The risk is the sum of h_j (w_j - w_j^sigma)^2/2 over coordinates, h_j the Hessian's entry, and private
        answers to both err by half their distance squared times `glm.two_point_square` at least, in the mean.
        """
        epsilon, delta = point["epsilon"], point["delta"]
        differ = np.rint(point["n"] * np.abs(view.plus - mirror.plus))
        flips = float(differ.max())  # the coordinate that is hardest to hide
        half = (np.asarray(view.minimum.theta) - np.asarray(mirror.minimum.theta)) / 2
        level = float(np.sum(view.hessian / 2 * half**2)) * glm.two_point_square(epsilon, delta, flips)
        return glm.two_point_error(epsilon, delta, flips), level

    def rate(self, point: Point) -> float:
        """The theorem's rate."""
        domain = self.domain(point)
        n, p, epsilon = point["n"], point["p"], point["epsilon"]
        return glm.theorem_4_rate(n, p, epsilon, domain.smoothness, domain.radius, domain.label_level)

    def label(self, plan: Plan) -> float:
        """|y| of the records that are not zero."""
        return self.label_bound


@dataclass(frozen=True)
class LipschitzSignedLabels(SignedLabels):
    """Theorem 6's populations: x = X e_j with probability D/n, y = sigma_j X B/sqrt(d'), d' = min(d, n/D); else x = 0.

    The loss is G (|z - y| - |y|), zero at zero, so that labels may be as large as they have to; without the constant
    -|y| it is the absolute loss (G = 1). The minimiser is w_j = sigma_j B/sqrt(d'), of norm B; rank <= d'. Answers are
    given to n independent records, of which N, Binomial(n, D/n), tell a sign. Given all else, samples of D_sigma and
    of the same with one other sign differ in these N, and the two-point argument holds for each N.

    Corollary 4 is about lr balls of radius B (r = ``order``, the paper's p): there |w_j| = B/d'^(1/r). The ball that is
    public is then the l2 ball around them, and the loss is G-Lipschitz in every lq norm, X e_j having all norms X.

    Premise: epsilon in [1/n, 1]; the paper has epsilon <= 1.2 (any two signs then differ in one record at least) and
    delta <= epsilon, which is more than the exact level needs.
    """

    order: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._demand("order", self.order > 1, "above 1")

    @property
    def proves(self) -> str:
        return "glm.theorem_6_rate" if self.order == 2 else "glm.corollary_4_rate"

    def domain(self, point: Point) -> Domain:
        """|z - y| over the ball of radius B, which answers may leave; labels reach the largest prediction, X B."""
        domain = replace(super().domain(point), loss=AbsoluteLoss(), label_bound=self.feature_bound * point["norm"])
        if self.order == 2:
            return domain
        plan = self.plan(point)
        return replace(domain, constraint_set=L2Ball(domain.p, plan.size * math.sqrt(plan.coordinates)))

    def plan(self, point: Point) -> Plan:
        """As there, with m = D, in the mean."""
        flips = self._flips(point)
        coordinates = min(int(point["p"]), int(point["n"]) // flips)
        return Plan(coordinates, flips, flips, point["norm"] / coordinates ** (1 / self.order))

    def problem(self, point: Point, view: OneHotView, rng: np.random.Generator) -> Problem:
        """n records, judged by the population."""
        return one_hot(sampled(view, rng), self.representations(point), view)

    def two_points(self, point: Point, view: OneHotView, mirror: OneHotView) -> tuple[float, float]:
        """As there: the risk is the sum of q_j X |w_j - w_j^sigma|, q_j the coordinate's probability.

        Private answers to both err by half their distance times twice the chance of a miss at least, in the mean.
        """
        differ = float(np.abs(view.plus - mirror.plus).max())
        missed = _mean_error(point["n"], differ, point["epsilon"], point["delta"])
        half = np.abs(np.asarray(view.minimum.theta) - np.asarray(mirror.minimum.theta)) / 2
        return missed, float(np.sum(view.share * self.feature_bound * half)) * 2 * missed

    def rate(self, point: Point) -> float:
        lipschitz = self.domain(point).lipschitz
        return glm.corollary_4_rate(point["n"], point["p"], point["epsilon"], point["norm"], lipschitz, self.order)

    def label(self, plan: Plan) -> float:
        """X B/sqrt(d')."""
        return self.feature_bound * plan.size


@lru_cache(maxsize=256)
def _mean_error(n: float, chance: float, epsilon: float, delta: float) -> float:
    """E of `glm.two_point_error` over Binomial(n, chance) records; what is beyond ten deviations is left out."""
    from scipy.stats import binom

    reach = 10 * math.sqrt(n * chance * (1 - chance)) + 10
    flips = np.arange(max(0, math.floor(n * chance - reach)), min(n, math.ceil(n * chance + reach)) + 1)
    errors = [glm.two_point_error(epsilon, delta, float(flip)) for flip in flips]
    return float(binom.pmf(flips, n, chance) @ errors)


def _parity(number: int, flips: int) -> int:
    """The least whole number from ``number`` on that is even or odd as ``flips``."""
    return number + (number - flips) % 2
