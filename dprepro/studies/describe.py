"""The scientific identity of a configured object, as plain data: what its measurements depend on."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

from dprepro.support.named import name_of


def describe(value: Any) -> Any:
    """Class name, version and every field of a dataclass, recursively; numbers and strings as they are.

    The package of the class enters (a plug-in may use the project's names), its module does not: code may move. Fields
    with ``metadata={"identity": False}`` are left out (paths), those with ``{"later": True}`` where they have their
    default: a parameter that came later leaves the measurements made before as they are. A ``fingerprint`` (hashes of
    input data) is added. A rule of the project that has no parameters is its name.
    """
    if name := name_of(value):
        return name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        identity: dict[str, Any] = {
            "class": f"{kind.__module__.partition('.')[0]}:{kind.__name__}",
            "version": getattr(kind, "version", 1),
        }
        for field in dataclasses.fields(value):
            kept = getattr(value, field.name)
            unchanged = field.metadata.get("later", False) and kept == field.default
            if field.metadata.get("identity", True) and not unchanged:
                identity[field.name] = describe(kept)
        if hasattr(value, "fingerprint"):
            identity |= value.fingerprint()
        return identity
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): describe(number) for key, number in value.items()}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    return value
