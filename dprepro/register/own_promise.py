"""Whether an algorithm keeps the privacy of its budget: by its accounting, by the noise it drew, and by an audit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dprepro.auditing import DataDomain, audit
from dprepro.errors import DpreproError
from dprepro.mechanisms import NoiseMoments
from dprepro.problems import Domain, Problem, Records, RecordsView
from dprepro.register.fresh_seeds import FreshTrial
from dprepro.support.user_files import is_dotted

SLACK = 1e-9
ERRORS = 4.0
"""Standard errors by which the noise that was drawn may fall short of the schedule's."""
LEAST_CALLS, MOST_CALLS = 4000, 100_000
"""Of an audit, counted by what a run is said to take: the same on every machine."""
AUDITED = 16
"""Records of a data set that is audited."""


def unaccounted(trial: FreshTrial, own: bool) -> str:
    """Why the budget is not kept by what is accounted for, in words; empty where it is.

    An algorithm in somebody's file (``own``) states its parts, and the project accounts for them.
    """
    algorithm, context = trial.algorithm, trial.context
    if not context.budget.is_private:
        return ""
    name = type(algorithm).__name__
    if own and any(
        is_dotted(f"{kind.__module__}.privacy_loss") and "privacy_loss" in vars(kind)
        for kind in type(algorithm).__mro__
    ):
        return f"{name} certifies itself by a privacy_loss of its own; let it state its parts, which are accounted for"
    privacy_loss = algorithm.privacy_loss(context.dispatch.domain, context.budget)
    if privacy_loss is None:
        return f"{name} promises no privacy: an algorithm states its parts, and is accounted for"
    if not privacy_loss.epsilon <= context.budget.epsilon * (1 + SLACK):
        return f"{name} spends epsilon={privacy_loss.epsilon:.6g}, and {context.budget.epsilon:g} is allowed"
    return ""


def unkept(trial: FreshTrial, noise: NoiseMoments | None, own: bool, seed: int, seconds: float) -> str:
    """Why what was drawn is not what is accounted for, in words; empty where nothing speaks against it.

    Of an algorithm in somebody's file (``own``) it is also asked that an audit as a black box find no violation.
    """
    context, name = trial.context, type(trial.algorithm).__name__
    if not context.budget.is_private:
        return ""
    scale = context.schedule.noise_scale
    if noise is not None and noise.unit > 0 and scale > 0:  # not every algorithm of somebody's counts it
        ratio = noise.ratio(scale)
        if ratio < 1 - ERRORS * math.sqrt(2 / noise.freedom):
            return f"{name} drew noise whose second moment is {ratio:.4g} times that of its schedule"
    return _audited(trial, seed, seconds) if own else ""


def _audited(trial: FreshTrial, seed: int, seconds: float) -> str:
    """What a black-box audit on few records finds; empty for nothing."""
    domain, budget = trial.context.dispatch.domain, trial.context.budget
    size = domain.feature_bound
    norm = {1: size / domain.p, 2: size, math.inf: math.inf}[domain.feature_norm]
    labels = (-domain.label_bound, domain.label_bound)
    public = DataDomain(n=AUDITED, p=domain.p, low=-size, high=size, norm=norm, labels=labels, interval=True)

    def fit(X: Any, y: Any, rng: np.random.Generator) -> Any:  # noqa: N803
        few = Domain(
            domain.loss, domain.constraint_set, len(X), domain.feature_bound, domain.feature_norm, domain.label_bound,
            domain.l1_weight, domain.proper,
        )  # fmt: skip
        problem = Problem(few, {"records": RecordsView(few, Records(X, y))})
        return trial.algorithm.solve(problem, budget, rng).theta

    try:
        draws = min(max(int(seconds / trial.seconds), LEAST_CALLS), MOST_CALLS)
        found = audit(fit, budget.epsilon, budget.delta, neighbours=budget.neighbours, domain=public, draws=draws,
                      seed=seed)  # fmt: skip
    except DpreproError as error:
        return f"{type(trial.algorithm).__name__} cannot be audited: {error}"
    if not found.violates:
        return ""
    return (
        f"{type(trial.algorithm).__name__} violates its guarantee: an audit finds epsilon={found.epsilon:.4g} or more "
        f"where {budget.epsilon:g} is claimed"
    )
