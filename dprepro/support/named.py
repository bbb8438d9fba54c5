"""Rules of an algorithm as values, which a configuration may give by a name alone: ``step_size: constant``."""

from __future__ import annotations

import dataclasses
from typing import ClassVar


class NamedRule:
    """One rule of an algorithm: a step size, a regulariser. Its classes are frozen dataclasses.

    Attributes:
        name: what YAML writes for it. A rule of a plug-in is a block with a ``_target_`` instead.
    """

    name: ClassVar[str] = ""


def named(kind: type[NamedRule]) -> dict[str, type[NamedRule]]:
    """By name, the rules of a kind that its own module defines; what else is imported does not count."""
    found, to_visit = dict[str, type[NamedRule]](), [kind]
    while to_visit:
        rule = to_visit.pop(0)
        to_visit += rule.__subclasses__()
        if "name" in vars(rule) and rule.__module__ == kind.__module__:
            found[rule.name] = rule
    return found


def name_of(value: object) -> str:
    """The name by which YAML writes a value: of a rule of the project that has no parameters. Empty for others."""
    own = isinstance(value, NamedRule) and type(value).__module__.startswith(f"{__name__.partition('.')[0]}.")
    return value.name if isinstance(value, NamedRule) and own and not dataclasses.fields(value) else ""  # type: ignore[arg-type]
