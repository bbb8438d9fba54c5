"""What a ledger calls refuted, corrected for how many claims of a paper were tested.

Of a hundred true claims, each judged at 1%, one is refuted by accident. So the refutations of a paper are sifted by
Holm's procedure: among all its claims and errata, with probability 99% no true one is called refuted. Hypotheses are
the checks of role claim and erratum of the experiments of one paper. An erratum is one of them although its refutation
is expected, since it makes a statement `refuted` as printed; a control is none: it states what the paper does not, and
a refutation that is expected of it is no discovery. What is computed exactly has no error and passes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from dprepro.analysis.fits import LEVEL
from dprepro.analysis.rule import VERDICTS
from dprepro.report.publish import Published

K = TypeVar("K", bound=Hashable)
TESTED = ("claim", "erratum")
"""Roles of checks that are hypotheses of a paper."""


def holm(errors: Mapping[K, float], tests: int, level: float = 1 - LEVEL) -> set[K]:
    """The hypotheses that are rejected with a family-wise error of at most `level`.

    Args:
        errors: upper limits of the p-values of those that may be.
        tests: how many hypotheses there are in all.
    """
    rejected: set[K] = set()
    for name, error in sorted(errors.items(), key=lambda pair: pair[1]):
        if error > level / (tests - len(rejected)):
            break
        rejected.add(name)
    return rejected


def corrected(published: Mapping[str, Published]) -> dict[str, Published]:
    """The experiments, with refutations that do not pass turned inconclusive; `corrected` in their details says so."""
    tested: dict[str, dict[tuple[str, str], Mapping[str, Any]]] = {}
    for name, value in published.items():
        own = tested.setdefault(str(value.config.get("paper", "")), {})
        own |= {(name, key): check for key, check in value.verdict["checks"].items() if check["role"] in TESTED}
    doubted: dict[str, dict[str, dict[str, Any]]] = {}
    for own in tested.values():
        refuted = {at: _error(check) for at, check in own.items() if check["verdict"] == "refuted"}
        for name, key in refuted.keys() - holm(refuted, len(own)):
            check = own[name, key]
            doubted.setdefault(name, {})[key] = _doubted(check, refuted[name, key], len(own))
    return {name: _with(number, doubted[name]) if name in doubted else number for name, number in published.items()}


def _error(check: Mapping[str, Any]) -> float:
    """The p-value of a refutation; where none is told that of its interval."""
    return float((check.get("details") or {}).get("error", 1 - LEVEL))


def _doubted(check: Mapping[str, Any], error: float, tests: int) -> dict[str, Any]:
    said = f"refuted by itself, with an error of {error:.1g}, and not among the {tests} claims and errata of its paper"
    reason = "; ".join(filter(None, (said, check["reason"])))
    expected = check["expect"] == "inconclusive"
    details = {**(check.get("details") or {}), "corrected": True}
    return {**check, "verdict": "inconclusive", "as_expected": expected, "reason": reason, "details": details}


def _with(published: Published, doubted: Mapping[str, Mapping[str, Any]]) -> Published:
    checks = {**published.verdict["checks"], **doubted}
    claims = [check["verdict"] for check in checks.values() if check["role"] == "claim"]
    verdict = {
        **published.verdict,
        "checks": checks,
        "verdict": min(claims, key=VERDICTS.index, default="inconclusive"),
    }
    return replace(published, verdict=verdict | {"as_expected": all(check["as_expected"] for check in checks.values())})
