"""Which private algorithm to take where nothing is known but public numbers; no data of anybody's are read."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np

from dprepro import typed
from dprepro.algorithms import Algorithm, ExponentialMechanism, HighProbability, SparseRegression
from dprepro.budget import Budget
from dprepro.constructions import RandomDesign
from dprepro.errors import DpreproError
from dprepro.plans.plan import Numbers, plan
from dprepro.problems import Domain, Problem
from dprepro.problems.data import FloatArray

FAMILIES = ("iid", "correlated", "noise")
"""Ordinary data on which typical risks are simulated; in the last labels do not depend on the features."""

BEATS = 0.95
"""Of what answering zero loses: an algorithm that loses more does not beat it."""

WORK, STEP = 3e7, 1e4
"""Operations of a run that is simulated, a few hundredths of a second; and of a step on no data."""

SLOW = (ExponentialMechanism, HighProbability, SparseRegression)
"""Long searches in a few steps: samplers, and supports."""

FLOOR = 1e-3
"""Of what answering zero loses: below it no user sees a difference."""

TINY = 1e-300
ROWS = 500  # distinct records of them, repeated up to n
DRAWS = 4

SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    # 300 full gradients instead of as many as the noise allows: the risk hardly depends on it
    "noisy_sgd_full": ({"steps": 300},),
    "exponential_mechanism": ({"chains": 1, "steps": 100},),
    "objective_perturbation": ({}, {"regulariser": "least"}),
    "regularised_release": ({}, {"noise": "gaussian"}),
}
"""Parameters that are tried beside the least noise that is certified, which all have that can."""

LEFT_OUT = {
    "exponential_support": "answers a support, not a point",
    "sample_and_aggregate": "answers a support, not a point",
    "constant_prediction": "answers one prediction for all: take it as a baseline",
    "data_free": "",  # is what all are compared with
    "noisy_frank_wolfe_exact": "",  # is noisy_frank_wolfe with constants=exact
    "noisy_frank_wolfe_laplace": "is certified for more than its budget",
}


@dataclass(frozen=True)
class Choice:
    """What is known of one algorithm at a point.

    Attributes:
        name, changes: of the configuration, and the parameters that differ from it.
        bound: of the expected excess risk on any data, from the explicit bound of the algorithm's paper; else None.
        typical: mean excess risk on ordinary data, the larger of the families' means; else None.
        error: its standard error. share: of what answering zero loses on the same data.
        regret: how many times what the best choice loses, in the family where that is most; else None.
        spent: epsilon that the accountant certifies.
        note: why a number is missing.
    """

    name: str
    changes: Mapping[str, Any]
    bound: float | None = None
    typical: float | None = None
    error: float | None = None
    share: float | None = None
    regret: float | None = None
    spent: float | None = None
    note: str = ""

    @property
    def label(self) -> str:
        """The name with its changed parameters."""
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.changes.items())])


@dataclass(frozen=True)
class Asked:
    """What is asked for: n, p, the budget, and what losses and parameters are like.

    Features lie in [-1, 1] (or, ``feature_norm`` 2, have an l2 norm of at most 1), labels in [-1, 1].
    """

    n: float
    p: float
    budget: Budget
    loss: str
    constraint_set: str
    radius: float

    @property
    def rows(self) -> int:
        """How many distinct records the ordinary data have."""
        return int(max(2, min(ROWS, self.n)))

    @property
    def point(self) -> dict[str, float]:
        """The grid point; n is a multiple of the rows that are repeated."""
        n = float(self.rows * max(1, round(self.n / self.rows)))
        return {"n": n, "p": self.p, "epsilon": self.budget.epsilon, "delta": self.budget.delta, "norm": 1.0}

    def family(self, kind: str) -> RandomDesign:
        """Ordinary data of one kind."""
        block = {"kind": kind, "rows": self.rows, "loss": self.loss, "constraint_set": self.constraint_set}
        return typed.build(RandomDesign, {**block, "radius": self.radius}, "advise")


Candidate: TypeAlias = tuple[str, Mapping[str, Any], Algorithm]
"""The name of a configuration, the parameters that differ from it, and the algorithm."""


@dataclass(frozen=True)
class Advice:
    """What is said of a point.

    Attributes:
        choices: from the best to the worst. refused: names by the reason.
        zero, zero_regret: of answering zero, as of a choice; most: what any answer can lose.
    """

    choices: Sequence[Choice]
    refused: Mapping[str, Sequence[str]]
    zero: float
    zero_regret: float
    most: float

    @property
    def best(self) -> Choice | None:
        """The first choice; none where answering zero has less regret, or is not beaten by more than chance.

        One run alone may be lucky; so may the first of many algorithms.
        """
        for one in self.choices:
            if one.typical is None or one.error is None or one.regret is None or one.regret > self.zero_regret:
                continue
            if one.typical + 3 * one.error < BEATS * self.zero:
                return one
        return None


def candidates(blocks: Mapping[str, Any]) -> Iterator[Candidate]:
    """Algorithms that promise privacy and answer a point, with the least noise that can be certified."""
    for name, block in blocks.items():
        if name in LEFT_OUT:
            continue
        try:
            base = typed.build(Algorithm, block, name)  # type: ignore[type-abstract]
        except DpreproError:
            continue
        if not base.promises():
            continue
        known = {one.name for one in fields(base)}
        least = {"constants": "exact"} if "constants" in known and getattr(base, "constants", "") != "exact" else {}
        for more in SETTINGS.get(name, ({},)):
            changes = {**least, **more}
            yield name, changes, typed.build(Algorithm, {**block, **changes}, name)  # type: ignore[type-abstract]


def advise(asked: Asked, known: Iterable[Candidate], seconds: float = math.inf, each: float = math.inf) -> Advice:
    """Choices from the best to the worst by public numbers alone.

    The best has the least regret in the family where it has the most, answering zero being a choice too; algorithms
    that are not simulated follow by their bounds. One is simulated where a run takes at most `WORK` operations, by its
    schedule; so the answer is the same on all machines, unless the time ends it: all simulations take at most
    ``seconds``, those of one algorithm ``each``.
    """
    point, domain = asked.point, asked.family(FAMILIES[0]).domain(asked.point)
    problems = [asked.family(kind).build(point, 0.0) for kind in FAMILIES]
    zeros = np.array([problem.trivial_risk for problem in problems])
    refused: dict[str, list[str]] = {}
    usable: list[tuple[Choice, Algorithm]] = []
    for name, changes, algorithm in known:
        try:
            plan(algorithm, asked.family(FAMILIES[0]), point, asked.budget)
            spent = algorithm.spent(domain, asked.budget)
        except DpreproError as error:
            reason = str(error).removeprefix("RandomDesign: ").removeprefix(f"{type(algorithm).__name__} ")
            refused.setdefault(reason, []).append(name)
            continue
        bound = certified(algorithm, asked, domain)
        usable.append((Choice(name, changes, bound, spent=spent.epsilon if spent else None), algorithm))
    usable.sort(key=lambda one: work(one[1], domain, asked.budget, asked.rows))
    deadline, simulated = time.monotonic() + seconds, []
    for choice, algorithm in usable:
        quick = work(algorithm, domain, asked.budget, asked.rows) <= WORK
        left = min(each, deadline - time.monotonic()) if quick else 0.0
        simulated.append((choice, _risks(algorithm, asked, problems, left)))
    least = np.min([zeros, *(risks.mean(axis=1) for _, risks in simulated if risks.size)], axis=0)
    least = np.maximum(least, FLOOR * zeros + TINY)
    found = [_told(choice, risks, zeros, least) for choice, risks in simulated]
    found.sort(key=lambda one: (math.inf if one.regret is None else one.regret, one.bound or math.inf))
    reasons = {why: sorted(set(names)) for why, names in refused.items()}
    return Advice(found, reasons, float(zeros.max()), float((zeros / least).max()), domain.largest_risk)


def work(algorithm: Algorithm, domain: Domain, budget: Budget, rows: int) -> float:
    """About how many operations a run takes: steps times entries; more than any where one step is a long search."""
    if isinstance(algorithm, SLOW):
        return math.inf
    with suppress(DpreproError):
        return float(algorithm.schedule(domain, budget).steps) * (rows * domain.p + STEP)
    return math.inf


def best_bound(asked: Asked, known: Iterable[Candidate]) -> tuple[float, str]:
    """The smallest explicit bound at a point, and whose it is; infinite where there is none."""
    domain, found = asked.family(FAMILIES[0]).domain(asked.point), [(math.inf, "")]
    for name, changes, algorithm in known:
        with suppress(DpreproError):
            plan(algorithm, asked.family(FAMILIES[0]), asked.point, asked.budget)
            bound = certified(algorithm, asked, domain)
            found.append((math.inf if bound is None else bound, Choice(name, changes).label))
    return min(found)


def certified(algorithm: Algorithm, asked: Asked, domain: Domain) -> float | None:
    """The explicit bound of the algorithm's paper at this point, where it has one and the domain has its constants."""
    if not algorithm.bound:
        return None
    known = {"initial_risk": domain.largest_risk}
    numbers = Numbers(domain, vars(algorithm.schedule(domain, asked.budget)), asked.point, known)
    with suppress(DpreproError, ArithmeticError, ValueError):
        if not numbers.lacks(algorithm.bound):
            found = numbers.evaluate(algorithm.bound)
            return found if math.isfinite(found) else None
    return None


def _risks(algorithm: Algorithm, asked: Asked, problems: Sequence[Problem], seconds: float) -> FloatArray:
    """Excess risks of some runs, shape (families, runs), as many as the time allows; none where it allows too few."""
    risks: list[list[float]] = []
    with suppress(DpreproError), limited(seconds):
        for draw in range(DRAWS if seconds > 0 else 0):
            row = []
            for index, problem in enumerate(problems):
                answer = algorithm.solve(problem, asked.budget, np.random.default_rng([index, draw]))
                row.append(problem.excess_risk(answer.theta))
            risks.append(row)
    return np.array(risks, dtype=np.float64).reshape(-1, len(problems)).T


def _told(choice: Choice, risks: FloatArray, zeros: FloatArray, least: FloatArray) -> Choice:
    """With what the simulation says: the largest mean over the families, and the largest regret."""
    if not risks.size:
        return replace(choice, note="too slow to simulate here")
    means = risks.mean(axis=1)
    worst, runs, zero = int(means.argmax()), risks.shape[1], float(zeros.max())
    error = float(np.std(risks[worst], ddof=1) / math.sqrt(runs)) if runs > 1 else None
    regret = float((np.maximum(means, FLOOR * zeros) / least).max())
    mean = float(means[worst])
    return replace(choice, typical=mean, error=error, share=mean / zero if zero > 0 else None, regret=regret)


class _Late(TimeoutError):
    """The time is up."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TimeoutError inside after that time, once; outside of the main thread nothing is limited."""
    if (
        not 0 < seconds < math.inf
        or threading.current_thread() is not threading.main_thread()
        or not hasattr(signal, "setitimer")
    ):
        yield
        return

    def late(number: int, frame: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with suppress(_Late):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
