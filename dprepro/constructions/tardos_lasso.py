"""The LASSO data sets of section 3 of Talwar, Thakurta and Zhang: who fits them well betrays a user of the code.

D_i holds the w rows of a padded Tardos code other than row i, each with label 1, and k rows of orthogonal +-1 columns
with label 0, so that (sum over records, n = w + k)

    L(theta) = sum_{j != i} (x_j.theta - 1)^2 + k ||theta||^2.

At the paper's constants (tau = .001, k = tau w p) orthogonal columns need w >= 1000 and p near 1e11. Here k = kappa w p
with a kappa of order one, for which sharper inequalities hold (`bounds.lasso.sharp_lemma_3_3`): they leave a gap for
every tau < (1 - a)/2, a being the share of columns to be agreed with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprepro.bounds import lasso as bounds
from dprepro.constructions.base import RECORDS_LIMIT, Point, offered, unit_lasso
from dprepro.constructions.challenge import Attackable, Challenge, Finding
from dprepro.constructions.hadamard import orthogonal_columns, paley_order
from dprepro.constructions.tardos import PaddedCode, agreement_chance, draw_code, required_length
from dprepro.problems import Domain, Moments, MomentsView, Records, RecordsView
from dprepro.support.frozen import normalise

INNOCENTS = 20  # fresh users a challenge; given the answers they are independent


@dataclass(frozen=True)
class TardosLasso(Attackable):
    """The data set D_i of a freshly drawn code, and its tracer. The grid point's n and p follow from the parameters.

    p = length (pi^2/2) w^2 ln(1/fa)/tau columns, as many as the paper's p = m^2/tau for a code of m^2, and among them
    the longest code that leaves (1 - tau) p consensus columns. n = w + k, with k the least order of Paley at or above
    kappa w p and p: the orthogonal columns exist.

    Attributes:
        users: w.
        tau: largest share of columns that are not consensus.
        kappa: k/(w p), before k is rounded up to an order of Paley.
        agreement: a, the share of columns to agree with.
        false_accusation: fa, largest probability that an innocent is accused.
        length: multiple of `required_length`. At 1 whoever agrees with all consensus columns is caught; whoever agrees
            with a p of (1 - tau) p and errs on the rest has 2a/(1 - tau) - 1 of that score, and needs a code longer by
            the inverse square, 9 at the defaults. From there on the level binds every private algorithm.
    """

    findings: ClassVar[tuple[str, ...]] = (
        "agreement", "agrees", "traced", "caught", "least_caught", "accused", "equation_3", "lemma_3_3",
        "loss_at_agreement", "certified_level", "zero_risk", "disagreeing", "certified_risk",
    )  # fmt: skip
    certificates: ClassVar[tuple[str, ...]] = ("code_length", "consensus_share", "level_gap")

    users: int = 5
    tau: float = 0.1
    kappa: float = 0.4
    agreement: float = 0.6
    false_accusation: float = 0.01
    length: float = 1.0

    def __post_init__(self) -> None:
        self._demand("users", self.users == int(self.users) and self.users >= 2, "a whole number of at least 2")
        normalise(self, users=int(self.users))
        self._demand("false_accusation", 0 < self.false_accusation < 1, "in (0, 1)")
        self._demand("kappa", 0 < self.kappa < math.inf, "positive")
        self._demand("length", 1 <= self.length < math.inf, "at least 1, or not even a full agreement is caught")
        half = "in (1/2, 1), since random signs agree with half of the columns"
        self._demand("agreement", 0.5 < self.agreement < 1, half)
        most = (1 - self.agreement) / 2
        gap = f"in (0, (1 - agreement)/2 = {most:g}), or the sharp Lemma 3.3 leaves no gap"
        self._demand("tau", 0 < self.tau < most, gap)

    @property
    def proves(self) -> str:
        return "lasso.theorem_3_1_rate"

    @property
    def columns(self) -> int:
        """p."""
        return math.ceil(self.length * required_length(self.users, self.false_accusation) / self.tau)

    @property
    def block(self) -> int:
        """k, an order of Paley."""
        return paley_order(max(self.kappa * self.users * self.columns, self.columns))

    def resolve(self, point: Point) -> dict[str, float]:
        return dict(point) | {"n": self.users + self.block, "p": self.columns}

    def domain(self, point: Point) -> Domain:
        return unit_lasso(self.resolve(point))

    def representations(self, point: Point) -> frozenset[str]:
        """Moments with the orthogonal block implicit, and records where it can be written out."""
        return frozenset({"moments", "records"} if self.block * self.columns <= RECORDS_LIMIT else {"moments"})

    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> TardosChallenge:
        """A fresh code, without a random row; raises PremiseError where it breaks Theorem 3.2's promise."""
        code = draw_code(self.users, self.columns, self.tau, rng)
        left_out = int(rng.integers(self.users + 1))
        rows = np.delete(code.rows, left_out, axis=0)
        moments = databases(rows, self.block)
        consensus = code.consensus(left_out)
        level, gap, rival = certified_level(moments, rows, self.block, consensus, self.agreement)
        certificates = {
            "code_length": float(code.biases.size),
            "consensus_share": float(np.mean(consensus != 0)),
            "level_gap": gap,
        }

        def records() -> RecordsView:
            features = np.vstack([rows, orthogonal_columns(self.block, self.columns)])
            return RecordsView(moments.domain, Records(features, np.repeat([1.0, 0.0], [self.users, self.block])))

        problem = offered(moments.domain, self.representations(point), moments=moments, records=records)
        return TardosChallenge(
            problem, self, dict(point), code, left_out, consensus, level, rival, certificates=certificates
        )


@dataclass(frozen=True)
class TardosChallenge(Challenge):
    """D_i with its code: who agrees is found by the tracer.

    Attributes:
        family: its parameters.
        point: with the epsilon and delta that are claimed.
        code, left_out: the code and the row i that is not in the data.
        consensus: signs of the consensus columns of D_i, 0 for the others, shape (p,).
        level: certified mean loss that every theta agreeing with fewer than a p consensus columns exceeds.
        rival: the best such theta that was found.
    """

    family: TardosLasso
    point: Point
    code: PaddedCode
    left_out: int
    consensus: NDArray[np.float64]
    level: float
    rival: NDArray[np.float64]

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """Agreement, the inequalities of section 3, and whom the tracer accuses.

        ``traced``: one random user of the data; (epsilon, delta)-privacy allows e^epsilon fa + delta, because with the
        user's row replaced by a fresh one the user would be innocent. ``caught``: any of the w users, at most w times
        that. ``least_caught``: the same for an answer that agrees with just a p columns, made by the attack.
        ``accused``: innocents. They are independent given the answer, and theory bounds the chance of each given the
        answer; their pooled rate is therefore no more spread than a binomial one (Hoeffding 1956), and its exact
        limits hold. ``disagreeing``: the loss of `rival`, with the level under it. ``certified_risk``: the mean risk
        that no private algorithm is below, since it agrees no more often than `tardos.agreement_chance`.
        """
        family, n, risk_of = self.family, self.problem.domain.n, self.problem.dense.value
        w, mixed = family.users, float(np.mean(self.consensus == 0))
        kappa, tau = family.block / (w * family.columns), family.tau
        agreement = self._agreement(theta)
        risk, excess = risk_of(theta), self.problem.excess_risk(theta)
        # equation (3)'s point, of the best size: s_j/c (1 + k/(w c))^-1 on the c consensus columns, 0 elsewhere
        planted = self.consensus / (np.count_nonzero(self.consensus) + family.block / w)
        answer = self.code.answer(theta)
        threshold = self.code.threshold(answer, family.false_accusation)
        words = np.array([self.code.entries(row) for row in range(w + 1) if row != self.left_out])
        traced = self.code.scores(words, answer) > threshold
        least = self.code.answer(self._least_agreeing(rng))
        least_caught = self.code.scores(words, least) > self.code.threshold(least, family.false_accusation)
        bystanders = np.vstack([self.code.entries(self.left_out), self.code.fresh(INNOCENTS - 1, rng)])
        accused = self.code.scores(bystanders, answer) > threshold
        epsilon, delta = self.point["epsilon"], self.point["delta"]
        private = math.exp(min(epsilon, 700.0)) * family.false_accusation + delta
        level, rate = self.level - self.problem.minimum.value, bounds.theorem_3_1_rate(n)
        rival = risk_of(self.rival) if self._agreement(self.rival) < family.agreement else 0.0
        return [
            Finding("agreement", agreement, trials=0),
            Finding("agrees", float(agreement >= family.agreement)),
            Finding("traced", float(traced[rng.integers(w)]), min(1.0, private)),
            Finding("caught", float(traced.any()), min(1.0, w * private)),
            Finding("least_caught", float(least_caught.any())),
            Finding("accused", float(accused.mean()), family.false_accusation, trials=INNOCENTS),
            Finding("equation_3", risk_of(planted), bounds.sharp_equation_3(w, kappa, tau) / n, trials=0),
            Finding("lemma_3_3", bounds.sharp_lemma_3_3(w, kappa, tau, family.agreement) / n, self.level, trials=0),
            Finding("loss_at_agreement", bounds.sharp_lemma_3_3(w, kappa, mixed, agreement) / n, risk, trials=0),
            Finding("certified_level", level, excess, trials=0),
            Finding("zero_risk", self.problem.trivial_risk, excess, trials=0),
            Finding("disagreeing", rival, self.level, trials=0),
            Finding("certified_risk", self.mean_level, rate, trials=0),
        ]

    @property
    def mean_level(self) -> float:
        """Who does not agree loses the level, and a private answer agrees no more often than the chance.

        As if level and agreement were independent. Levels differ by .3% from code to code and the chance is .08 in the
        register's family, where who agrees on codes of the highest levels alone has a mean lower by .0005 of it.
        """
        family, (epsilon, delta) = self.family, (self.point["epsilon"], self.point["delta"])
        chance = agreement_chance(family.users, family.columns, family.tau, family.agreement, epsilon, delta)
        return (1 - chance) * (self.level - self.problem.minimum.value)

    def _agreement(self, theta: NDArray[np.float64]) -> float:
        """The share of columns that are consensus and have theta's sign."""
        return float(np.mean((self.consensus != 0) & (np.sign(theta) == self.consensus)))

    def _least_agreeing(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Signs that agree with ceil(a p) random consensus columns, and are wrong on all others as on mixed columns.

        What it says on mixed columns does not change the expected sum of the scores: only b near 0 and 1 enters it.
        """
        majority = np.sign(self.code.rows.sum(axis=0) - self.code.rows[self.left_out])
        right = rng.permutation(np.flatnonzero(self.consensus))[: math.ceil(self.family.agreement * majority.size)]
        signs = -majority
        signs[right] *= -1
        return np.asarray(signs)


def databases(rows: NDArray[np.float64], block: int) -> MomentsView:
    """D_i of the rows (w, p) with label 1 and k = ``block`` rows of orthogonal columns with label 0.

    Where the ridge solution theta = X^T (X X^T + k I)^-1 1 lies in the ball (for kappa > tau it does) it is handed on
    as the minimum, which is certified by its duality gap.
    """
    w, p = rows.shape
    n = w + block
    ridge = rows.T @ np.linalg.solve(rows @ rows.T + block * np.eye(w), np.ones(w))
    moments = Moments(rows.sum(axis=0) / n, w / n, ridge=block / n, factor=rows / math.sqrt(n))
    return MomentsView(unit_lasso({"n": n, "p": p}), moments, ridge if np.abs(ridge).sum() <= 1 else None)


def certified_level(
    problem: MomentsView, rows: NDArray[np.float64], block: int, consensus: NDArray[np.float64], agreement: float
) -> tuple[float, float, NDArray[np.float64]]:
    """The least mean loss of a theta that agrees with fewer than a p consensus columns, its duality gap, and the theta.

    The loss treats consensus columns alike once their signs are undone, so it does not matter which of them agree, and
    as many as possible is best: S_1, the first ceil(a p) - 1 of them. What is left is one convex program over the hull
    of 0, +-e_j for j in S_1 or not consensus, and -s_j e_j for the other consensus columns. Setting the latter to zero
    only helps (x_i.theta <= 1 for all i), which gives the candidate; convexity certifies it: its loss less
    max_v <gradient, theta - v> over the hull's vertices v is a lower bound. Returns bound, gap and candidate.
    """
    p = consensus.size
    at_consensus = np.flatnonzero(consensus)
    against = np.zeros(p, dtype=np.bool_)
    against[at_consensus[math.ceil(agreement * p) - 1 :]] = True
    theta = np.zeros(p)
    theta[~against] = np.asarray(databases(rows[:, ~against], block).minimum.theta)
    gradient = problem.gradient(theta)
    steepest = max(0.0, float(np.abs(gradient[~against]).max()))
    if against.any():
        steepest = max(steepest, float((consensus * gradient)[against].max()))
    gap = max(0.0, float(gradient @ theta) + steepest)
    return problem.value(theta) - gap, gap, theta
