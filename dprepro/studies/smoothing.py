"""The price of smoothing: expected risks in one dimension in closed form, and the best smoothing of the worst data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprepro.algorithms import Algorithm, ExponentialMechanism, HuberisedObjectivePerturbation
from dprepro.algorithms.exponential_mechanism import shares
from dprepro.algorithms.huberised_objective_perturbation import huber_slope
from dprepro.budget import Budget
from dprepro.constructions import HuberCounterexample
from dprepro.engine.cell import Cell, Row
from dprepro.errors import InputError
from dprepro.problems import BallRisk
from dprepro.problems.data import FloatArray
from dprepro.studies.rate import RateStudy, Series, at

PER_DECADE = 12
"""Values of h a decade in the first pass; two more passes look between the best one's neighbours."""


@dataclass(frozen=True)
class SmoothingStudy(RateStudy):
    """As RateStudy with expected risks instead of runs: nothing is random.

    Where ``smoothing`` is an axis, ``excess_risk`` is that of the series' own data set at this h. Elsewhere it is the
    least over all h of the largest over the data sets ``members``, made against that h: what the best choice of h
    guarantees. The trivial risk is the largest of zero on the members. h runs from 1/(64 n), where d2 is one-sided and
    the answer is zero, to 64, where the Huberised d1 pulls to the far end of the interval: beyond, nothing gets better.
    Algorithms that do not smooth meet the largest over the data sets of all these h.

    Quantities: ``excess_risk`` (mean over n) and ``sum_risk`` (the paper's sum); with d1 and h an axis also what Lemma
    A.2 says of it, as distances: ``minimiser_as_printed`` |theta* - 1|; ``huber_minimiser`` and
    ``huber_minimiser_as_printed``, |theta^ - (1 - h/3)|/h and |theta^ - (1 - h)|/h; ``huber_curvature``, that of the
    Huberised sum over n/(2h), less 1; ``second_derivative_jump``, of f^ at h times 2h. Column ``best_smoothing``.
    """

    members: Sequence[str] = ("d1", "d2")

    def __post_init__(self) -> None:
        for label, one in self.series.items():
            if not isinstance(one.construction, HuberCounterexample):
                raise InputError(f"series {label}: SmoothingStudy needs the construction HuberCounterexample")
            if not isinstance(one.algorithm, HuberisedObjectivePerturbation | ExponentialMechanism):
                raise InputError(
                    f"series {label}: no expected risk is known for {type(one.algorithm).__name__}; choices: "
                    "HuberisedObjectivePerturbation, ExponentialMechanism"
                )

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class."""
        one, point = self.series[cell.series], cell.axes
        algorithm, family = at(one.algorithm, point), at(one.construction, point)
        assert isinstance(family, HuberCounterexample)
        budget = self._budget(one, point)
        if "smoothing" not in point:
            return self._rows_of(one, point, *self._best(algorithm, family, budget, point))
        problem = family.build(point, 0.0)
        risk = expected_risk(algorithm, problem, budget)
        trivial = max(member.trivial_risk for member in self._data(family, point, point["smoothing"]))
        rows = self._rows_of(one, point, risk, trivial, point["smoothing"])
        if family.data != "d2" and isinstance(algorithm, HuberisedObjectivePerturbation):
            rows += [Row(name, value, 1.0) for name, value in _lemma_a_2(algorithm, problem).items()]
        return rows

    def _rows_of(self, one: Series, point: dict[str, float], risk: float, trivial: float, best: float) -> list[Row]:
        numbers = point | vars(at(one.construction, point).constants(point))
        explicit, shape = one.bound or self.bound, one.shape or self.shape
        columns: dict[str, float | int | str | bool | None] = {
            "shape": self._evaluate(shape, numbers),
            "trivial_risk": trivial,
            "best_smoothing": best,
            "deterministic": True,
        }
        return [
            Row("excess_risk", risk, self._evaluate(explicit, numbers), columns),
            Row("sum_risk", point["n"] * risk, None, {"best_smoothing": best, "deterministic": True}),
        ]

    def _best(
        self, algorithm: Algorithm, family: HuberCounterexample, budget: Budget, point: dict[str, float]
    ) -> tuple[float, float, float]:
        """The guaranteed risk, the largest risk of the answer zero on the same data, and the best h."""
        smooths = isinstance(algorithm, HuberisedObjectivePerturbation)

        def guaranteed(h: float) -> tuple[float, float]:
            tuned = (
                replace(algorithm, smoothing=h) if isinstance(algorithm, HuberisedObjectivePerturbation) else algorithm
            )
            data = self._data(family, point, h)
            return max(expected_risk(tuned, one, budget) for one in data), max(one.trivial_risk for one in data)

        low, high, count = 1 / (64 * point["n"]), 64.0, 0
        risk, trivial, best = math.inf, 0.0, low
        for _ in range(3):
            count = max(2 * PER_DECADE, math.ceil(PER_DECADE * math.log10(high / low)))
            grid = np.geomspace(low, high, count)
            results = [guaranteed(float(h)) for h in grid]
            risks = np.array([result[0] for result in results])
            index = int(risks.argmin() if smooths else risks.argmax())
            risk, trivial, best = float(risks[index]), results[index][1], float(grid[index])
            low, high = float(grid[max(0, index - 1)]), float(grid[min(count - 1, index + 1)])
        return risk, trivial, best

    def _data(self, family: HuberCounterexample, point: dict[str, float], h: float) -> list[BallRisk]:
        changes: list[dict[str, Any]] = [{"data": member, "smoothing": h} for member in self.members]
        return [replace(family, **change).build(point, 0.0) for change in changes]

    def _evaluate(self, name: str, numbers: dict[str, float]) -> float | None:
        from dprepro import bounds

        return bounds.evaluate(name, numbers) if name not in ("", "none") else None

    def _science(self, one: Series) -> dict[str, Any]:
        return super()._science(one) | {"members": list(self.members)}


def expected_risk(algorithm: Algorithm, problem: BallRisk, budget: Budget) -> float:
    """E of the mean excess risk of the algorithm's answer, in closed form, for the two algorithms of the study."""
    places = problem.kinks
    excess = np.array([problem.excess_risk(np.array([place])) for place in places])
    if isinstance(algorithm, ExponentialMechanism):
        rate = 1 / algorithm.schedule(problem.constants, budget).noise_scale
        size = rate * np.abs(np.diff(excess))
        # E of the truncated exponential law from the lower end of a piece on; half the piece where it is flat
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            above = np.where(size > 1e-6, (1 - size / np.expm1(size)) / rate, size / (2 * rate))
        return float(shares(places, rate * excess) @ (np.minimum(excess[1:], excess[:-1]) + above))
    assert isinstance(algorithm, HuberisedObjectivePerturbation)
    schedule = algorithm.schedule(problem.constants, budget)
    fine, slopes = algorithm.slope(problem, schedule.regulariser)
    u = slopes / schedule.coordinate_scale
    # P(theta <= t) = Phi(u(t)). E is the integral of -risk' P(theta <= t) left of the minimiser, and of risk'
    # P(theta > t) right of it. risk and u are linear on the pieces; u Phi(u) + phi(u) is an antiderivative of Phi.
    total = 0.0
    at_minimum = float(np.asarray(problem.minimum.theta)[0])
    level = np.interp(fine, places, excess)
    for k in range(fine.size - 1):
        left = fine[k + 1] <= at_minimum
        a, b = (u[k], u[k + 1]) if left else (-u[k + 1], -u[k])
        mean = (_antiderivative(b) - _antiderivative(a)) / (b - a) if b - a > 1e-6 else _phi((a + b) / 2)
        total += abs(float(level[k + 1] - level[k])) * mean
    return total


def _phi(u: float) -> float:
    return 0.5 * math.erfc(-u / math.sqrt(2))


def _antiderivative(u: float) -> float:
    density = math.exp(-0.5 * u * u) / math.sqrt(2 * math.pi) if abs(u) < 38 else 0.0
    return u * _phi(u) + density


def _lemma_a_2(algorithm: HuberisedObjectivePerturbation, problem: BallRisk) -> dict[str, float]:
    h, n = algorithm.smoothing, problem.constants.n
    places, slopes = algorithm.slope(problem, 0.0)
    theta: float = float(np.interp(0.0, slopes, places))
    piece = int(np.searchsorted(places, theta)) - 1
    curvature = float((slopes[piece + 1] - slopes[piece]) / (places[piece + 1] - places[piece]))
    around: FloatArray = huber_slope(np.array([0.5 * h, h, 1.5 * h]), h)
    return {
        "minimiser_as_printed": abs(float(np.asarray(problem.minimum.theta)[0]) - 1),
        "huber_minimiser": abs(theta - (1 - h / 3)) / h,
        "huber_minimiser_as_printed": abs(theta - (1 - h)) / h,
        "huber_curvature": abs(curvature * 2 * h / n - 1),
        "second_derivative_jump": 2 * h * float(2 * around[1] - around[0] - around[2]) / (0.5 * h),
    }
