"""Checks: rules by name, built from plain mappings, applied to a frame, summed up in one verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprepro.analysis.attainment import Attainment
from dprepro.analysis.audit_rule import Audit
from dprepro.analysis.comparisons import Affine, Ratio
from dprepro.analysis.coverage import Coverage
from dprepro.analysis.crossing import Crossing
from dprepro.analysis.exponent import Exponent
from dprepro.analysis.inequality import Below
from dprepro.analysis.noise_rule import NoiseRule
from dprepro.analysis.points import number
from dprepro.analysis.proportion import Proportion
from dprepro.analysis.rivals import powers_in_words
from dprepro.analysis.rule import ROLES, VERDICTS, CheckResult, Rule
from dprepro.analysis.scheduled import Scheduled
from dprepro.analysis.share import Share
from dprepro.errors import InputError, choices_in_words
from dprepro.support import typed

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ROLES", "RULES", "VERDICTS", "CheckResult", "Rule", "as_expected", "build", "is_precondition", "judge",
    "qualified", "said", "up_to_logarithms", "worded", "worst",
]  # fmt: skip

RULES: dict[str, type[Rule]] = {
    rule.name: rule
    for rule in (
        Exponent, Below, Ratio, Affine, Crossing, Proportion, Coverage, NoiseRule, Scheduled, Audit, Attainment, Share,
    )
}  # fmt: skip


def build(name: str, mapping: Mapping[str, Any]) -> Rule:
    """The rule that a check named `name` of a YAML describes: `rule` and the fields of that rule.

    Raises:
        InputError: an unknown rule or key, a missing field, a wrong type, a choice that does not exist.
    """
    if "rule" not in mapping:
        raise InputError(
            f"check {name} has no rule: say which, as +checks.{name}.rule={Below.name}; {choices_in_words(RULES)}"
        )
    try:
        return typed.build_named(RULES, "rule", mapping)
    except InputError as error:
        raise InputError(f"check {name}: {error}") from error


def judge(frame: pd.DataFrame, rules: Mapping[str, Rule], series: Iterable[str] = ()) -> dict[str, CheckResult]:
    """The answer of each check; `series` are those that exist, even if the sweep leaves them no grid point.

    Raises:
        InputError: a check asks for a series, quantity or column that the frame does not have; the check is named.
    """
    results = {}
    empty = frozenset(series) - set(frame["series"].unique())
    for name, rule in rules.items():
        try:
            results[name] = rule.judge(frame, empty)
        except InputError as error:
            raise InputError(f"check {name}: {error}") from error
    return results


def worst(results: Mapping[str, CheckResult]) -> str:
    """The worst verdict (refuted < inconclusive < confirmed) over role claim; inconclusive where there is no claim."""
    claims = [result.verdict for result in results.values() if result.role == "claim"]
    return min(claims, key=VERDICTS.index, default="inconclusive")


def as_expected(results: Mapping[str, CheckResult]) -> bool:
    """Whether every check, whatever its role, came out as its `expect`."""
    return all(result.as_expected for result in results.values())


def up_to_logarithms(check: Mapping[str, Any]) -> bool:
    """Whether an exponent of verdict.json is confirmed, and a rival with a logarithm is not excluded."""
    return check["verdict"] == "confirmed" and bool((check.get("details") or {}).get("up_to_logarithms"))


def said(check: Mapping[str, Any]) -> str:
    """The verdict of a check in words: ``confirmed within 0.1 up to ln^±0.5 n``."""
    return qualified(str(check["verdict"]), [check])


def qualified(verdict: str, checks: Sequence[Mapping[str, Any]]) -> str:
    """A verdict that rests on these checks; confirmed: within the widest of wide margins, up to these logarithms."""
    if verdict != "confirmed":
        return verdict
    widest = max((float((check.get("details") or {}).get("within") or 0) for check in checks), default=0.0)
    powers: dict[str, list[float]] = {}
    for check in filter(up_to_logarithms, checks):
        details = check["details"]
        powers.setdefault(str(details.get("axis", "n")), []).extend(details.get("log_powers") or ())
    left = [powers_in_words(axis, some) or "logarithms" for axis, some in powers.items()]
    within = f" within {number(widest)}" if widest else ""
    return verdict + within + (f" up to {', '.join(left)}" if left else "")


def worded(verdict: Mapping[str, Any]) -> str:
    """The verdict of verdict.json in words: what a user's question is answered by, and how far a confirmation goes."""
    claims = [check for check in verdict["checks"].values() if check["role"] == "claim"]
    answers = [
        str((check.get("details") or {}).get("words", "")) for check in claims if check["rule"] == Attainment.name
    ]
    return "".join(f"{answer}: " for answer in answers if answer) + qualified(
        str(verdict["verdict"]), [check for check in claims if not is_precondition(check)]
    )


def is_precondition(check: Mapping[str, Any]) -> bool:
    """Whether a check of verdict.json says that what ran is what was meant to run."""
    return bool((check.get("details") or {}).get("precondition"))
