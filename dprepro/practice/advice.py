"""Which private algorithm to take where nothing is known but public numbers; no data of anybody's are read.

Choosing by public numbers costs no privacy. Every number here comes from counts and fixed seeds, and is rounded to
three digits: it is the same on any machine, however busy.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np

from dprepro.algorithms import Algorithm
from dprepro.dispatch import Numbers, dispatch
from dprepro.errors import DpreproError, InputError
from dprepro.practice.constants import fitted, losses_of
from dprepro.practice.ordinary import FAMILIES, AdviceQuestion, of
from dprepro.practice.prediction import predict, source_of, trivial
from dprepro.problems import Domain
from dprepro.problems.problem_data import FloatArray
from dprepro.support import typed

BEATS = 0.95
"""Of what answering zero loses: an algorithm that is expected to lose more does not beat it."""

FLOOR = 1e-3
"""Of what answering zero loses: below it no user sees a difference."""

DIGITS = 3
"""Significant digits of what is said, and by which choices are ranked."""

TINY = 1e-300

SETTINGS: dict[str, tuple[dict[str, Any], ...]] = {
    # 300 full gradients instead of as many as the noise allows: the risk hardly depends on it
    "noisy_sgd_full": ({"steps": 300},),
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
    "noisy_sgd": "takes n^2 steps; noisy_sgd_full has its noise, its bound and about its risk",
}


@dataclass(frozen=True)
class Choice:
    """What is known of one algorithm at a point.

    Attributes:
        name, changes: of the configuration, and the parameters that differ from it.
        typical: predicted mean excess risk on ordinary data, the largest of the kinds' means; else None.
        low, high: the range that holds in nine of ten cases. median: the error that half of the cases keep to.
        share: of what answering zero loses on the same data.
        regret: how many times what the best choice is predicted to lose, answering zero being one; else None.
        bound: of the expected excess risk on any data, from the explicit bound of the algorithm's paper; else None.
        certified_epsilon: by the accountant, where that was asked for.
        source: where the prediction comes from, a key of `prediction.SOURCES`. note: why there is none.
    """

    name: str
    changes: Mapping[str, Any]
    typical: float | None = None
    low: float | None = None
    high: float | None = None
    median: float | None = None
    share: float | None = None
    regret: float | None = None
    bound: float | None = None
    certified_epsilon: float | None = None
    source: str = ""
    note: str = ""

    @property
    def label(self) -> str:
        """The name with its changed parameters."""
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.changes.items())])


Candidate: TypeAlias = tuple[str, Mapping[str, Any], Algorithm]
"""The name of a configuration, the parameters that differ from it, and the algorithm."""


@dataclass(frozen=True)
class Advice:
    """What is said of a point.

    Attributes:
        choices: from the best to the worst, those without a prediction last. refused: names by the reason.
        zero: what answering zero loses on ordinary data. most: what any answer can lose on any data.
        resolution: by how much the minimum on ordinary data may be missed; see `unresolved`.
    """

    choices: Sequence[Choice]
    refused: Mapping[str, Sequence[str]]
    zero: float
    most: float
    resolution: float = 0.0

    def unresolved(self, choice: Choice) -> bool:
        """Whether the predicted risk is below the resolution, of which alone it is told."""
        return self.zero > 0 and choice.typical is not None and choice.typical < self.resolution

    @property
    def best(self) -> Choice | None:
        """The first choice; none where it does not beat answering zero by more than a hair."""
        first = next(iter(self.choices), None)
        if first is None or first.typical is None or first.typical >= BEATS * self.zero:
            return None
        return first


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
        known = {field.name for field in fields(base)}
        least = {"constants": "exact"} if "constants" in known and getattr(base, "constants", "") != "exact" else {}
        for more in SETTINGS.get(name, ({},)):
            changes = {**least, **more}
            yield name, changes, typed.build(Algorithm, {**block, **changes}, name)  # type: ignore[type-abstract]


def rounded(value: float) -> float:
    """To `DIGITS` significant digits: what sums in another order change lies far behind them."""
    return float(f"{value:.{DIGITS}g}")


def expected(algorithm: Algorithm, asked: AdviceQuestion) -> tuple[FloatArray, str, tuple[float, float]]:
    """Predicted mean risks by kind of data, the source, and the errors that half and nine of ten cases keep to.

    Raises:
        InputError: the algorithm has no prediction there.
    """
    found = predict(algorithm, asked)
    constant = fitted(found.source, losses_of(asked.domain.loss))
    # what is as bad as it can be stays so: constants are of noise, not of the set's ends
    risks = np.minimum(found.risks * constant.constant, np.maximum(found.risks, asked.domain.largest_risk))
    bound = certified(algorithm, asked, asked.domain)
    risks = risks if bound is None else np.minimum(risks, bound)  # a model is not above what is proven
    return np.array([rounded(risk) for risk in risks]), found.source, (constant.median, constant.nine_of_ten)


def advise(
    asked: AdviceQuestion, known: Iterable[Candidate], sources: Collection[str] = (), account: bool = False
) -> Advice:
    """Choices from the least predicted risk to the largest, by public numbers alone.

    With ``sources`` only predictions of these are made; with ``account`` choices say what they spend.
    """
    domain, zero = asked.domain, rounded(float(trivial(asked).max()))
    refused: dict[str, list[str]] = {}
    choices: list[Choice] = []
    for name, changes, algorithm in known:
        if sources and source_of(algorithm) not in sources:
            continue
        try:
            with _schedulable():
                dispatch(algorithm, asked.family(FAMILIES[0]), asked.point, asked.budget)
                loss = algorithm.privacy_loss(domain, asked.budget) if account else None
        except DpreproError as error:
            reason = str(error).removeprefix("RandomDesign: ").removeprefix(f"{type(algorithm).__name__} ")
            refused.setdefault(reason, []).append(name)
            continue
        bound = certified(algorithm, asked, domain)
        choice = Choice(name, changes, bound=bound, certified_epsilon=loss.epsilon if loss else None)
        try:
            choices.append(_with_prediction(choice, algorithm, asked, zero))
        except DpreproError as error:
            choices.append(replace(choice, note=str(error)))
    floor = FLOOR * zero + TINY
    least = max(floor, min([zero, *(choice.typical for choice in choices if choice.typical is not None)]))
    ranked = [
        choice if choice.typical is None else replace(choice, regret=rounded(max(choice.typical, floor) / least))
        for choice in choices
    ]
    ranked.sort(key=lambda choice: (
        math.inf if choice.typical is None else choice.typical, choice.bound or math.inf, choice.label
    ))  # fmt: skip
    reasons = {why: sorted(set(names)) for why, names in refused.items()}
    return Advice(ranked, reasons, zero, domain.largest_risk, rounded(of(asked).resolution))


@contextmanager
def _schedulable() -> Iterator[None]:
    """Turns a schedule that cannot be computed into a refusal of the algorithm alone."""
    try:
        yield
    except ArithmeticError as error:
        raise InputError("its schedule leaves the range of floats there") from error


def _with_prediction(choice: Choice, algorithm: Algorithm, asked: AdviceQuestion, zero: float) -> Choice:
    """With what is predicted."""
    risks, source, (median, most) = expected(algorithm, asked)
    typical = float(risks.max())
    share = rounded(typical / zero) if zero > 0 else None
    found = replace(choice, typical=typical, share=share, source=source)
    if not math.isfinite(most):
        return found
    return replace(found, low=rounded(typical / (1 + most)), high=rounded(typical * (1 + most)), median=median)


def best_bound(asked: AdviceQuestion, known: Iterable[Candidate]) -> tuple[float, Choice | None]:
    """The smallest explicit bound at a point, and whose it is; infinite where there is none."""
    domain, least, best = asked.domain, math.inf, None
    for name, changes, algorithm in known:
        with suppress(DpreproError, ArithmeticError):
            dispatch(algorithm, asked.family(FAMILIES[0]), asked.point, asked.budget)
            bound = certified(algorithm, asked, domain)
            if bound is not None and bound < least:
                least, best = bound, Choice(name, changes)
    return least, best


def certified(algorithm: Algorithm, asked: AdviceQuestion, domain: Domain) -> float | None:
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
