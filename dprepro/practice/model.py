"""A model that may be published: coefficients in the columns' own units, with intervals where the noise has a law.

An interval says how far noise has moved a coefficient from that of the same fit without noise, on the same records. It
is made of the answer and of public numbers, so that it costs no privacy. It says nothing of how records vary.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprepro.algorithms import (
    Algorithm,
    ConstantPrediction,
    ObjectivePerturbation,
    OutputPerturbation,
    RegularisedOutputPerturbation,
    RegularisedRelease,
)
from dprepro.algorithms.objective_perturbation import PerturbationSchedule
from dprepro.budget import Budget
from dprepro.errors import InputError, unknown
from dprepro.practice.advice import Choice, candidates
from dprepro.practice.schema import Schema
from dprepro.practice.table import Table
from dprepro.privacy import PrivacyLoss
from dprepro.problems import Domain
from dprepro.problems.losses import SquaredLoss
from dprepro.problems.problem_data import FloatArray

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Model:
    """A released answer.

    Attributes:
        names: of the coefficients, shape (p,). theta: in the unit of the encoded records.
        coefficients: of the columns as they are: units of the target (or log-odds, of a logistic loss) for one unit of
            the column.
        half: half the width of each coefficient's interval; all of them hold together with probability ``level``. None
            where the law of the noise is not known, which ``note`` explains.
        middle: what is added to make a prediction: the middle of the target's range; None for log-odds and the like.
        privacy_loss: what is certified of it.
    """

    names: tuple[str, ...]
    theta: FloatArray
    coefficients: FloatArray
    half: FloatArray | None
    level: float
    privacy_loss: PrivacyLoss | None
    note: str
    middle: float | None = None

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = []
        for place, name in enumerate(self.names):
            ends = ""
            if self.half is not None:
                low, high = self.coefficients[place] + self.half[place] * np.array([-1, 1])
                ends = f"  [{low:.4g}, {high:.4g}]"
            lines.append(f"{name:<{width}}  {self.coefficients[place]:>10.4g}{ends}")
        certified = (
            "no privacy"
            if self.privacy_loss is None
            else f"epsilon={self.privacy_loss.epsilon:.4g}, delta={self.privacy_loss.delta:.2g}"
        )
        said = "each coefficient times (value - middle of its range), or the coefficient of its category"
        made = (
            f"prediction: {self.middle:g} + {said}" if self.middle is not None else f"score, its sign the class: {said}"
        )
        return "\n".join([*lines, made, f"{certified}; {self.note}"])

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        ends = None if self.half is None else np.column_stack([self.coefficients - self.half,
                                                               self.coefficients + self.half]).tolist()  # fmt: skip
        loss = self.privacy_loss
        return {
            "names": [*self.names], "coefficients": self.coefficients.tolist(), "intervals": ends, "level": self.level,
            "theta": self.theta.tolist(), "note": self.note, "middle": self.middle,
            "privacy_loss": loss and {"epsilon": loss.epsilon, "delta": loss.delta},
        }  # fmt: skip


def fit(table: Table, algorithm: Algorithm, budget: Budget, rng: np.random.Generator, level: float = LEVEL) -> Model:
    """The answer of an algorithm on all records that the table does not hold out.

    Args:
        table: with its public schema. algorithm, budget: what is run.
        rng: has to be secret for the answer to be private.
        level: of all intervals together.

    Raises:
        InputError: the algorithm refuses the data or the budget.
    """
    point = table.resolve({"n": 1e12, "p": 1.0, "epsilon": budget.epsilon, "delta": budget.delta, "norm": 1.0})
    problem = table.build(point, 0.0)
    answer = algorithm.solve(problem, budget, rng)
    theta = np.asarray(answer.theta, dtype=np.float64)
    half, note = halves(algorithm, problem.domain, budget, theta, level)
    units = own_units(table.public)
    target = table.public.columns[table.public.target]
    middle = None if table.public.classification else 0.5 * (target.range[0] + target.range[1])
    return Model(
        table.public.names,
        theta,
        theta * units,
        None if half is None else half * units,
        level,
        answer.privacy_loss,
        note,
        middle,
    )


def named(label: str, blocks: Mapping[str, Any]) -> Algorithm:
    """The algorithm of that name, perhaps with changed parameters behind it, with the least noise that is certified.

    Raises:
        InputError: no such algorithm, or one that the advisor knows no answer of.
    """
    known: dict[str, Algorithm] = {"constant_prediction": ConstantPrediction()}
    for name, changes, algorithm in candidates(blocks):
        short = {key: value for key, value in changes.items() if key != "constants"}
        known.setdefault(name, algorithm)
        known[Choice(name, short).label] = known[Choice(name, changes).label] = algorithm
    if label not in known:
        raise unknown("algorithm", label, [name for name in known if "constants=" not in name])
    return known[label]


def own_units(schema: Schema) -> FloatArray:
    """What a coefficient of the encoded records is multiplied by for one of the columns as they are, shape (p,)."""
    found = [1.0] if schema.intercept else []
    for name in schema.features:
        column = schema.columns[name]
        own = [1.0] * len(column.words) or [2 / (column.range[1] - column.range[0])]
        found += own + ([1.0] if column.missing == "indicator" else [])
    return schema.scale() * np.array(found)


def halves(
    algorithm: Algorithm, domain: Domain, budget: Budget, theta: FloatArray, level: float
) -> tuple[FloatArray | None, str]:
    """Half the width of each coordinate's interval, shape (p,), all of them together, and what they are; or None.

    Where output perturbation's noise is Gaussian and the answer lies inside the set, no projection has moved it: the
    largest of p normals is all that counts. Both cases take half of what may fail, so that which one it is, which the
    noise decides, costs nothing.
    """
    if isinstance(algorithm, ConstantPrediction) and type(domain.loss) is SquaredLoss:
        half = np.zeros(domain.p)
        # the mean of the labels with Laplace noise, clipped, which brings no two numbers further apart
        half[algorithm.coordinate] = algorithm.schedule(domain, budget).noise_scale * -math.log(1 - level)
        return half, f"{100 * level:g}% interval of the mean without noise"
    gaussian = isinstance(algorithm, RegularisedOutputPerturbation) or (
        isinstance(algorithm, OutputPerturbation | RegularisedRelease) and algorithm.noise == "gaussian"
    )
    if not gaussian:
        radius, note = moved(algorithm, domain, budget, level)
        return None if radius is None else np.full(domain.p, radius), note
    radius, note = moved(algorithm, domain, budget, 1 - (1 - level) / 2, level)
    assert radius is not None
    inside = np.linalg.norm(domain.constraint_set.project(theta * (1 + 1e-9)) - theta * (1 + 1e-9)) == 0
    if inside:
        from scipy.stats import norm

        radius = float(algorithm.schedule(domain, budget).noise_scale * norm.isf((1 - level) / (4 * domain.p)))
        note = _note(level)
    return np.full(domain.p, radius), note


def _note(level: float) -> str:
    return f"{100 * level:g}% intervals, all together, of the same regularised fit without noise"


def moved(
    algorithm: Algorithm, domain: Domain, budget: Budget, level: float, told: float | None = None
) -> tuple[float | None, str]:
    """How far noise moves the answer in l2, but with probability 1 - level; None, and why, where that is not known.

    The words name the level ``told``, where it is another.

    Output perturbation: the answer is the projection of w + b, w being the minimiser of the regularised risk, which
    lies in the set; a projection brings no two points further apart, so it is at most ||b|| from w. Objective
    perturbation: the minimisers of n L + Delta/2 ||.||^2 with and without b.theta are at most ||b||/Delta apart, by
    strong convexity. ||b|| has a known law: chi with p degrees of freedom, or gamma of shape p, times its scale.
    """
    if not 0 < level < 1:
        raise InputError(f"level must be in (0, 1), got level={level:g}")
    schedule, p = algorithm.schedule(domain, budget), domain.p
    if isinstance(algorithm, ObjectivePerturbation):
        assert isinstance(schedule, PerturbationSchedule)
        if not schedule.regulariser:
            return None, "no intervals: without a regulariser nothing bounds how far the noise moves the minimiser"
        radius = schedule.coordinate_scale * _norm(algorithm.noise == "gaussian", p, level) / schedule.regulariser
    elif isinstance(algorithm, OutputPerturbation | RegularisedRelease):
        radius = schedule.noise_scale * _norm(algorithm.noise == "gaussian", p, level)
    elif isinstance(algorithm, RegularisedOutputPerturbation):
        radius = schedule.noise_scale * _norm(True, p, level)
    else:
        name = type(algorithm).__name__
        return (
            None,
            f"no intervals: the law of the noise in an answer of {name} is not known, as it depends on the data",
        )
    note = _note(told or level)
    if radius >= domain.diameter:
        return (
            domain.diameter,
            f"{note}; the noise may have moved the answer anywhere in the set: take a larger epsilon",
        )
    return radius, note


def _norm(gaussian: bool, p: int, level: float) -> float:
    """The quantile of ||b||_2 in units of its scale."""
    from scipy.stats import chi2, gamma

    return math.sqrt(chi2.ppf(level, p)) if gaussian else float(gamma.ppf(level, p))
