"""Checks: rules by name, built from plain mappings, applied to a frame, summed up in one verdict."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dprepro.analysis.comparisons import Affine, Ratio
from dprepro.analysis.exponent import Exponent
from dprepro.analysis.inequality import Below
from dprepro.analysis.rule import ROLES, VERDICTS, CheckResult, Rule
from dprepro.errors import InputError, unknown

__all__ = ["ROLES", "RULES", "VERDICTS", "CheckResult", "Rule", "as_expected", "build", "judge", "worst"]

RULES: dict[str, type[Rule]] = {rule.name: rule for rule in (Exponent, Below, Ratio, Affine)}


def build(name: str, mapping: Mapping[str, Any]) -> Rule:
    """The rule that a check named `name` of a YAML describes: `rule` and the fields of that rule.

    Raises:
        InputError: an unknown rule or key, a missing field, a wrong type, a choice that does not exist.
    """
    given = dict(mapping)
    kind = given.pop("rule", None)
    try:
        if kind is None:
            raise InputError(f"no rule is named; choices: {', '.join(sorted(RULES))}")
        if kind not in RULES:
            raise unknown("rule", kind, RULES)
        cls = RULES[kind]
        hints = typing.get_type_hints(cls)
        fields = {field.name: field for field in dataclasses.fields(cls)}
        for key in given:
            if key not in fields:
                raise unknown(f"key of rule {kind}", key, ["rule", *fields])
        if missing := [key for key, field in fields.items() if key not in given and field.default is _MISSING]:
            raise InputError(f"rule {kind} needs {', '.join(missing)}")
        return cls(**{key: _converted(key, value, hints[key]) for key, value in given.items()})
    except InputError as error:
        raise InputError(f"check {name}: {error}") from None


_MISSING = dataclasses.MISSING

_NAMES = {
    str: "a text",
    float: "a finite number",
    int: "a whole number",
    tuple[str, ...]: "a list of texts",
    str | tuple[str, ...]: "a text or a list of texts",
}


def _converted(key: str, value: Any, hint: Any) -> Any:
    """`value` as the field's type, or InputError. Booleans are no numbers, and texts such as "1e6" are none either."""
    plain_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if hint is float and plain_number:
        return float(value)
    if hint is int and plain_number and value == int(value):
        return int(value)
    if hint in (str, str | tuple[str, ...]) and isinstance(value, str):
        return value
    listed = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    if hint in (tuple[str, ...], str | tuple[str, ...]) and listed:
        return tuple(value)
    raise InputError(f"{key} is {value!r}; it must be {_NAMES[hint]}")


def judge(frame: pd.DataFrame, rules: Mapping[str, Rule]) -> dict[str, CheckResult]:
    """The answer of each check.

    Raises:
        InputError: a check asks for a series, quantity or column that the frame does not have; the check is named.
    """
    results = {}
    for name, rule in rules.items():
        try:
            results[name] = rule.judge(frame)
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
