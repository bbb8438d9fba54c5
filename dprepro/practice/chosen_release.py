"""A model of a person's table whose algorithm the records themselves have chosen: released as a whole, the choice paid.

Candidates are named by public numbers alone: the algorithms that are predicted to lose least with what one run may
spend, and the private mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dprepro.algorithms import Algorithm, ConstantPrediction
from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.practice.advice import Candidate, Choice, advise
from dprepro.practice.choice import PrivateChoice, Stopping
from dprepro.practice.model import Model, own_units
from dprepro.practice.ordinary import AdviceQuestion
from dprepro.practice.table import Table
from dprepro.privacy import PrivacyLoss

CANDIDATES = 3
"""Algorithms among which records choose, beside the private mean."""

MEAN = Choice("constant_prediction", {})


@dataclass(frozen=True)
class ChosenRelease:
    """A released answer and how it was chosen.

    Attributes:
        model: the answer. choice: which algorithm's it is. among: all that could have been.
        run: what one run may spend. privacy_loss: of the choice as a whole. expected: the mean number of runs.
        asked: of the whole table and budget.
        alone: what the best algorithm by public numbers is predicted to lose with these; None if none beats zero.
        shared: what the best is predicted to lose with the budget and the records of one run.
    """

    model: Model
    choice: Choice
    among: Sequence[Choice]
    run: Budget
    privacy_loss: PrivacyLoss
    expected: float
    asked: AdviceQuestion
    alone: float | None
    shared: float | None


def choose(
    table: Table, known: Sequence[Candidate], budget: Budget, rng: np.random.Generator, stopping: Stopping | None = None
) -> ChosenRelease:
    """The best of a random number of runs on a table.

    Args:
        table: with its public schema. known: algorithms by name. budget: of the choice as a whole.
        rng: has to be secret for the answer to be private. stopping: the law of the number of runs.

    Raises:
        InputError: fewer than two candidates run on these data at the budget of one run.
    """
    stopping = Stopping() if stopping is None else stopping
    point = table.resolve({"n": 1e12, "p": 1.0, "epsilon": budget.epsilon, "delta": budget.delta, "norm": 1.0})
    problem, run = table.build(point, 0.0), stopping.share(budget)
    whole = AdviceQuestion(point["n"], point["p"], budget, str(table.loss), table.constraint_set, table.radius)
    learnt = max(1.0, round((1 - PrivateChoice.holdout) * point["n"]))
    asked = replace(whole, n=learnt, budget=run)
    here = [item for item in known if not item[2].refusal(problem.domain, run)]
    ranked = [choice for choice in advise(asked, here).choices if choice.typical is not None][:CANDIDATES]
    own: dict[str, Algorithm] = {Choice(name, changes).label: algorithm for name, changes, algorithm in here}
    among = [*ranked, MEAN]
    choice = PrivateChoice((*(own[choice.label] for choice in ranked), ConstantPrediction()), stopping)
    answer = choice.solve(problem, budget, rng)
    if answer.privacy_loss is None:
        raise InputError("a candidate has no certificate of its privacy, and the choice has none")
    theta, units = np.asarray(answer.theta, dtype=np.float64), own_units(table.public)
    model = Model(
        table.public.names, theta, theta * units, None, 0.0, answer.privacy_loss,
        "no intervals: the law of a chosen answer depends on the data",
    )  # fmt: skip
    alone = advise(whole, known).best
    return ChosenRelease(
        model, among[int(answer.diagnostics["chosen"])], [among[place] for place in choice.candidates(problem.domain,
        budget)], run, answer.privacy_loss, stopping.expected, whole, alone.typical if alone else None,
        ranked[0].typical if ranked else None,
    )  # fmt: skip
