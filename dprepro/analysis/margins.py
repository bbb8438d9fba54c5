"""The margins of all checks: one for each kind, fixed for all papers, whatever was measured.

A margin is what a finite grid may leave between a claim and a true measurement; errors of sampling are in the interval
and need none. So an inequality has no margin: what violates it by more than its error is refuted. Slopes on grids of
two or three decades have one, since lower terms bend them; so have constants, which are limits. The values are those
that most checks had before they were fixed. Another margin in a YAML is an exception and says why in `margin_reason`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FROZEN = {
    "rate": 0.03,
    "rate of a logarithm": 0.05,
    "place of a crossing": 0.1,
    "law": 0.03,
    "constant": 0.05,
    "two series": 0.1,
    "attained bound": 0.1,
    "curvature": 0.1,
    "noise": 0.1,
    "schedule": 0.02,
    "inequality": 0.0,
    "probability": 0.0,
    "privacy": 1e-4,
}
"""By kind of check. Those of a ratio (`RELATIVE`) are shares of what is expected."""

MEANING = {
    "rate": "exponent of an axis",
    "rate of a logarithm": "exponent of ln p or ln(1/delta), whose grids span a third of the decades",
    "place of a crossing": "exponent of the place where two curves cross, each place an interpolation",
    "law": "measured over predicted risk, a share of 1",
    "constant": "measured risk over a rate or a bound, a share of what is expected",
    "two series": "two algorithms with the same law, or one product of axes, a share of what is expected",
    "attained bound": "a bound that holds with equality, at each point by itself",
    "curvature": "quadratic over linear contribution at the end of the grid",
    "noise": "second moments drawn over scheduled ones",
    "schedule": "a number of a schedule over its formula",
    "inequality": "value over bound, at most or at least",
    "probability": "share of successes or of cases, at most or at least",
    "privacy": "epsilon spent by a law or an audit over epsilon claimed: laws are integrated to about 1e-5",
}
"""What each kind compares."""

RELATIVE = ("law", "constant", "two series")

WIDE = 0.05
"""A confirmation within a larger margin, of a ratio relative to what is expected, says `within` this margin."""

UNSAID = float("nan")
"""In the place of a margin: the one of the check's kind."""

_KINDS = {
    "crossing": "place of a crossing", "affine": "curvature", "noise": "noise", "scheduled": "schedule",
    "proportion": "probability", "share": "probability", "coverage": "probability", "audit": "privacy",
}  # fmt: skip


def kind(rule: str, said: Mapping[str, Any]) -> str:
    """The kind of a check by its rule and its fields; a rule of a user's own is an inequality."""
    if rule == "exponent":
        return "rate" if said.get("transform", "log") == "log" else "rate of a logarithm"
    if rule == "ratio":
        if said.get("against") or said.get("collapse"):
            return "two series"
        return "law" if said.get("divide") == "law" else "constant"
    if rule == "below" and said.get("side") == "equals":
        return "attained bound"
    return _KINDS.get(rule, "inequality")


def frozen(rule: str, said: Mapping[str, Any], expected: float) -> float:
    """The margin of a check that says none, in the unit of what is `expected`."""
    name = kind(rule, said)
    return FROZEN[name] * (abs(expected) if name in RELATIVE else 1.0)


def is_wide(margin: float, rule: str, said: Mapping[str, Any], expected: float) -> bool:
    """Whether a confirmation has to say within which margin it is one."""
    relative = kind(rule, said) in RELATIVE and expected
    return margin > WIDE * (abs(expected) if relative else 1.0) * (1 + 1e-9)
