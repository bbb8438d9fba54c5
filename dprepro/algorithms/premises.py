"""What budgets, losses and parameters may lack, in the words of a refusal; empty where nothing is lacking."""

from __future__ import annotations

import math

from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.problems import Domain


def lacks_privacy(budget: Budget, delta: bool = False) -> str:
    """A finite epsilon and, where ``delta``, a positive delta."""
    if not budget.is_private or (delta and budget.delta == 0):
        wanted = "a finite epsilon and delta > 0" if delta else "a finite epsilon"
        return f"needs {wanted}, got epsilon={budget.epsilon:g}, delta={budget.delta:g}"
    return ""


def lacks_smoothness(domain: Domain, curved: bool = False) -> str:
    """Smoothness and, where ``curved``, more of it than a linear loss has, which no bound keeps non-negative."""
    name = type(domain.loss).__name__
    if domain.smoothness == math.inf:
        return f"needs a smooth loss, {name} has gradients that jump"
    return f"needs a non-negative loss with curvature, {name} is linear" if curved and domain.smoothness == 0 else ""


def lacks_strong_convexity(domain: Domain) -> str:
    """Strong convexity."""
    if domain.strong_convexity:
        return ""
    return f"needs a strongly convex loss, {type(domain.loss).__name__} is only convex"


def with_setting(setting: str, reason: str, choices: str) -> str:
    """The reason, if there is one, as that of one setting, beside the settings that have none."""
    return f"with {setting} {reason}; choices: {choices}" if reason else ""


def check_positive(algorithm: object, *names: str) -> None:
    """Raise InputError unless these parameters are positive and finite."""
    for name in names:
        if not 0 < getattr(algorithm, name) < math.inf:
            raise InputError(f"{name} must be positive, got {name}={getattr(algorithm, name):g}")
