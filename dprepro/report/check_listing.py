"""The checks that an experiment has, one line each, before anything is measured."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dprepro.analysis.rule import Rule
from dprepro.report.text import SIDES, number

LARGEST = 12
"""The largest denominator of an exponent that is written as a fraction."""

INNER = {"log_log": "ln {}", "log_log_double": "ln(2 {})", "log_log_inverse": "ln(1/{})"}
"""What an exponent is one of, where it is not the axis itself."""


def check_lines(config: Mapping[str, Any], rules: Mapping[str, Rule]) -> str:
    """Of each check its name, role, rule and expectation, its series, and the statements with the kind of evidence.

    What keeps a check from deciding after an override stands at its end.

    Args:
        config: the composed experiment.
        rules: its checks.
    """
    rows = [(name, rule.role, rule.name) for name, rule in rules.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [f"{config.get('claim')}: {config.get('statement')}".replace("\n", " ")]
    for row, rule in zip(rows, rules.values(), strict=True):
        words = "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True))
        series = ", ".join(dict.fromkeys(rule.uses())) or "every series"
        lines.append(f"  {words}  {'; '.join([_asked(rule), series, *_further(rule)])}")
    return "\n".join(lines)


def _asked(rule: Rule) -> str:
    """What is held against what: ``exponent of n: -2/3 +- 0.03``, ``certified_epsilon over its bound: at most 1``."""
    axis, along, against = (_text(rule, key) for key in ("axis", "along", "against"))
    over = _text(rule, "divide")
    if axis:
        said = f"exponent of {INNER.get(_text(rule, 'transform'), '{}').format(along or axis)}"
        said = f"{axis} that is enough" if rule.name == "attainment" else said
        said += f" beside that of {over}" if over else ""
    elif column := _text(rule, "column"):
        said = f"{column} over the printed one"
    else:
        of = over or against or ("its bound" if rule.name in ("below", "proportion", "audit") else "")
        said = rule.quantity + (f" over {of}" if of else "")
    side, expected = SIDES.get(rule.direction(), ""), _fraction(rule.expected)
    margin = number(rule.margin)
    if side:
        return f"{said}: {side} {expected}" + (f" (margin {margin})" if rule.margin else "")
    return f"{said}: {expected}" + (f" +- {margin}" if rule.margin else "")


def _further(rule: Rule) -> list[str]:
    """Statements, an unusual verdict that is expected, and what an override leaves."""
    found = [", ".join(f"{item} ({kind})" for item, kind in rule.about.items())] if rule.about else []
    if rule.expect != ("refuted" if rule.role in ("control", "erratum") else "confirmed"):
        found.append(f"must come out {rule.expect}")
    found += [f"lacks: {rule.lacks}"] if rule.lacks else []
    found += [f"refutes nothing: {rule.pinned}"] if rule.pinned else []
    return found


def _text(rule: Rule, name: str) -> str:
    value = getattr(rule, name, "")
    return value if isinstance(value, str) else ""


def _fraction(value: float) -> str:
    """-2/3 rather than -0.6667."""
    near = Fraction(value).limit_denominator(LARGEST)
    exact = near.denominator in (3, 6, 7, 9, 11, 12) and abs(float(near) - value) < 1e-12
    return str(near) if exact else number(value)
