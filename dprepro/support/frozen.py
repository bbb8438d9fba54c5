"""The one place where fields of frozen dataclasses are set."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

Value = TypeVar("Value")


def normalise(value: object, **fields: Any) -> None:
    """Set fields to what the class promises of them: arrays, whole numbers, a default that depends on other fields.

    For a ``__post_init__`` alone, when nobody else has the object yet. A number that follows from the fields is no
    field: a property.
    """
    for name, content in fields.items():
        object.__setattr__(value, name, content)


def copied(value: Value, **fields: Any) -> Value:
    """A copy with other fields, which are not checked again, and may be none of the constructor's."""
    other = copy.copy(value)
    normalise(other, **fields)
    return other
