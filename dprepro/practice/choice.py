"""The private choice among algorithms: the best of a random number of runs, and what naming it costs.

Runs that are compared on the records themselves say more than any one of them. Here every run draws one of the
candidates at random, learns on one part of the records, and has its answer scored on the other with Laplace noise; the
number of runs K is random, and the run with the best score is the answer (Liu and Talwar 2019; Papernot and Steinke
2022).

Pure privacy. Let a run be epsilon-private, and K have the truncated negative binomial law of parameters eta and gamma.
The best of K runs is (2 + eta) epsilon-private, whatever gamma and the number of candidates (Papernot and Steinke,
Theorem 2, in the limit of large orders). Directly: let an outcome have probability q in one run, and x be that of a
better one. The best of K is that outcome with probability f(x + q) - f(x), f being the generating function of K, which
is the integral over u in [0, 1] of q f'(x + u q), where f'(z) is proportional to (gamma + (1 - gamma)(1 - z))^-(1 +
eta). Here 1 - z is a sum of probabilities of worse outcomes and a share of q, so between neighbours it changes by a
factor of at most e^epsilon, as q does; gamma is the same for both. Together that is e^((2 + eta) epsilon).

Approximate privacy. A run that is (epsilon, delta)-private is, on two neighbours, a mixture that has an epsilon-private
pair with probability 1 - delta (Kairouz, Oh and Viswanath 2015). The best of K differs from the best of K of that pair
with probability at most E[K] delta, hence the choice is (e, (1 + exp(e)) E[K] delta)-private with e = (2 + eta)
epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from dprepro.algorithms import Algorithm, Schedule, Solution
from dprepro.algorithms.partition import REPRESENTATIONS, lacks_parts, parted
from dprepro.algorithms.premises import Assumption
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import Laplace
from dprepro.privacy import PrivacyLoss
from dprepro.problems import Domain, Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.support.roots import brentq


@dataclass(frozen=True)
class Stopping:
    """The law of the number of runs K >= 1: truncated negative binomial, of ``eta`` 0 (logarithmic) or 1 (geometric).

    P(K = k) is proportional to (1 - gamma)^k / k, or to (1 - gamma)^k.

    Attributes:
        eta: 1 costs 3 epsilon (as in Liu and Talwar); 0 costs 2, but is often a single run: a quarter of all K are 1
            at a mean of 12, and the one run is of any candidate.
        expected: E[K].
    """

    eta: int = 1
    expected: float = 20.0

    def __post_init__(self) -> None:
        if self.eta not in (0, 1) or not 1 < self.expected < 1e6:
            raise InputError(
                f"eta must be 0 or 1 and expected, the mean number of runs, above 1, got eta={self.eta}, "
                f"expected={self.expected:g}"
            )

    @cached_property
    def gamma(self) -> float:
        """The parameter with that mean: 1/E[K], or the root of (1/gamma - 1)/ln(1/gamma) = E[K]."""
        if self.eta == 1:
            return 1 / self.expected
        log = brentq(lambda x: math.expm1(x) / x - self.expected, 1e-9, 40.0, xtol=1e-14)
        return math.exp(-log)

    def draw(self, rng: np.random.Generator) -> int:
        """K."""
        return int(rng.geometric(self.gamma) if self.eta == 1 else rng.logseries(1 - self.gamma))

    def generating(self, x: FloatArray) -> FloatArray:
        """E[x^K] for 0 <= x <= 1."""
        rest = (1 - self.gamma) * x
        if self.eta == 1:
            return np.asarray(self.gamma * x / (1 - rest))
        return np.asarray(np.log1p(-rest) / math.log(self.gamma))

    def price(self, run: PrivacyLoss) -> PrivacyLoss:
        """What the choice spends, of what one run does; see the module."""
        epsilon = (2 + self.eta) * run.epsilon
        delta = (1 + math.exp(min(epsilon, 700.0))) * self.expected * run.delta
        return PrivacyLoss(epsilon, min(1.0, delta), f"best of a random number of runs; {run.conversion}")

    def share(self, budget: Budget) -> Budget:
        """What one run may spend for the choice to stay within the budget."""
        delta = budget.delta / ((1 + math.exp(min(budget.epsilon, 700.0))) * self.expected)
        return Budget(budget.epsilon / (2 + self.eta), delta, budget.neighbours)


@dataclass(frozen=True)
class ChoiceSchedule(Schedule):
    """Of one run: ``steps`` is the expected number of runs, ``noise_scale`` that of a score; ``candidates`` run."""

    candidates: int = 1


@dataclass(frozen=True)
class PrivateChoice(Algorithm):
    """The best of a random number of runs of the candidates, by noisy scores on records that none of them learnt from.

    Attributes:
        inner: the candidates; one that refuses the data or the budget of a run is none.
        stopping: the law of the number of runs.
        holdout: share of the records that scores are computed on.
        price: what a run's epsilon is multiplied by; 0 for what is proven, 2 + eta. 1 is a negative control.

    A replaced record lies in one part: the candidate's own certificate holds, or that of the score, a mean of losses
    between the least and the largest of the domain, with Laplace noise of a run's whole epsilon.
    """

    representations: ClassVar[tuple[str, ...]] = REPRESENTATIONS
    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.PRIVATE,)
    measures: ClassVar[tuple[str, ...]] = ("chosen", "runs")

    inner: tuple[Algorithm, ...] = ()
    stopping: Stopping = Stopping()
    holdout: float = 0.25
    price: float = 0.0

    def __post_init__(self) -> None:
        if len(self.inner) < 2 or not 0 < self.holdout < 1 or self.price < 0:
            raise InputError(
                f"a choice needs two candidates or more and holdout in (0, 1), got {len(self.inner)} and "
                f"holdout={self.holdout:g}"
            )

    def premise(self, domain: Domain, budget: Budget) -> str:
        if reason := lacks_parts(domain, 2):
            return reason
        if not math.isfinite(sum(map(abs, domain.loss_range))):
            return "needs losses that are bounded over the set"
        train, run = self._part(domain, 0), self.run_budget(budget)
        refused = [reason for algorithm in self.inner if (reason := algorithm.refusal(train, run))]
        if len(self.inner) - len(refused) >= 2:
            return ""
        return f"needs two candidates that run at epsilon={run.epsilon:.3g}, delta={run.delta:.2g}: {refused[0]}"

    def run_budget(self, budget: Budget) -> Budget:
        """Of one run."""
        if not self.price:
            return self.stopping.share(budget)
        return Budget(budget.epsilon / self.price, budget.delta, budget.neighbours)

    def candidates(self, domain: Domain, budget: Budget) -> list[int]:
        """The places of those in ``inner`` that run, which public numbers decide."""
        train, run = self._part(domain, 0), self.run_budget(budget)
        return [place for place, algorithm in enumerate(self.inner) if not algorithm.refusal(train, run)]

    def schedule(self, domain: Domain, budget: Budget) -> ChoiceSchedule:
        self.admit(domain, budget)
        low, high = domain.loss_range
        noise = (high - low) / self._sizes(domain)[1] / self.run_budget(budget).epsilon
        return ChoiceSchedule(round(self.stopping.expected), noise, len(self.candidates(domain, budget)))

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """``chosen`` is the place in ``inner`` of the candidate whose run is the answer, ``runs`` is K.

        K is for experiments only: beside the answer it would tell more than the price covers.
        """
        domain, schedule = problem.domain, self.schedule(problem.domain, budget)
        train, validate = parted(problem, self._sizes(domain), rng)
        places, run = self.candidates(domain, budget), self.run_budget(budget)
        best, chosen, theta = math.inf, -1, np.zeros(domain.p)
        runs = self.stopping.draw(rng)
        for _ in range(runs):
            place = int(rng.choice(places))
            answer = self.inner[place].solve(train, run, rng).theta
            value = np.array([validate.dense.value(answer)])
            score = float(Laplace(schedule.noise_scale).release(value, rng)[0][0])
            if score < best:
                best, chosen, theta = score, place, answer
        answered = {"chosen": float(chosen), "runs": float(runs)}
        return Solution(theta, schedule, self.privacy_loss(domain, budget), answered)

    def privacy_loss(self, domain: Domain, budget: Budget) -> PrivacyLoss | None:
        """By the proven price, whatever ``price`` says, of the dearest candidate or score."""
        run, train = self.run_budget(budget), self._part(domain, 0)
        every = [self.inner[place].privacy_loss(train, run) for place in self.candidates(domain, budget)]
        known = [privacy_loss for privacy_loss in every if privacy_loss is not None]
        if len(known) < len(every):
            return None
        dearest = max(known, key=lambda privacy_loss: privacy_loss.epsilon)
        epsilon = max(dearest.epsilon, run.epsilon)  # a score spends all of it
        return self.stopping.price(PrivacyLoss(epsilon, run.delta, dearest.conversion))

    def _sizes(self, domain: Domain) -> list[int]:
        held = min(max(1, round(self.holdout * domain.n)), int(domain.n) - 1)
        return [int(domain.n) - held, held]

    def _part(self, domain: Domain, part: int) -> Domain:
        return replace(domain, n=self._sizes(domain)[part])
