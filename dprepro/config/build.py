"""Plain data into frozen dataclasses, by their type annotations.

Every value is checked against its field, inside ``_target_`` blocks too, and an unknown key is refused with the keys
that exist. A ``_target_`` names a dataclass of this project, or of a package that an installed distribution declares
as a plug-in by an entry point of the group ``dprepro.plugins``; nothing else is imported, let alone called.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import importlib
import inspect
import math
import types
import typing
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, TypeVar

from dprepro.errors import InputError, unknown

T = TypeVar("T")
PLUGINS = "dprepro.plugins"


def build(kind: type[T], value: Any, where: str) -> T:
    """``value`` as an instance of ``kind``; ``where`` is its dotted key, for messages.

    Raises:
        InputError: a wrong type, an unknown key, a missing one, a ``_target_`` that is not allowed.
    """
    return typing.cast(T, _convert(kind, value, where))


def _convert(kind: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(kind)
    if kind is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _convert_union(typing.get_args(kind), value, where)
    if origin is typing.Literal:
        if value not in typing.get_args(kind):
            raise unknown(f"{where}:", value, typing.get_args(kind))
        return value
    if origin in (collections.abc.Mapping, dict):
        if not isinstance(value, Mapping):
            raise _wrong(where, "a mapping", value)
        inner = typing.get_args(kind)[1]
        return {str(key): _convert(inner, one, f"{where}.{key}") for key, one in value.items()}
    if origin in (collections.abc.Sequence, list, tuple):
        if not isinstance(value, list | tuple):
            raise _wrong(where, "a list, for example [1, 2]", value)
        inner = typing.get_args(kind)[0]
        return tuple(_convert(inner, one, f"{where}[{i}]") for i, one in enumerate(value))
    if inspect.isclass(kind) and issubclass(kind, enum.Enum):
        choices = [one.value for one in kind]
        if value not in choices:
            raise unknown(f"{where}:", value, choices)
        return kind(value)
    if dataclasses.is_dataclass(kind):
        return _convert_dataclass(typing.cast(type, kind), value, where)
    return _convert_scalar(kind, value, where)


def _convert_union(options: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in options:
        return None
    refused = None
    for option in options:
        if option is type(None):
            continue
        try:
            return _convert(option, value, where)
        except InputError as error:
            refused = refused or error
    raise refused or _wrong(where, "something else", value)


def _convert_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(where, "a number", value)
        if math.isnan(value):
            raise InputError(f"{where} must be a number, got nan")
        return value
    if kind is int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(where, "a whole number", value)
        return value
    if kind is bool:
        if not isinstance(value, bool):
            raise _wrong(where, "true or false", value)
        return value
    if kind is str:
        if not isinstance(value, str):
            raise _wrong(where, "text", value)
        return value
    raise InputError(f"{where} cannot be set from a configuration")


def _convert_dataclass(kind: type, value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise _wrong(where, f"a block that describes a {kind.__name__}", value)
    given = {str(key): one for key, one in value.items()}
    if "_target_" in given:
        kind = resolve(str(given.pop("_target_")), kind, where)
    elif inspect.isabstract(kind):
        raise InputError(f"{where} needs a _target_ that names a {kind.__name__}")
    hints = typing.get_type_hints(kind)
    known = {field.name: field for field in dataclasses.fields(kind) if field.init}
    for key in given:
        if key not in known:
            raise unknown(f"key {where}.{key} of {kind.__name__}:", key, known)
    for name, field in known.items():
        optional = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
        if name not in given and not optional:
            raise InputError(f"{where}.{name} is missing; {kind.__name__} needs it")
    arguments = {key: _convert(hints[key], one, f"{where}.{key}") for key, one in given.items()}
    try:
        return kind(**arguments)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def resolve(target: str, kind: type, where: str) -> type:
    """The dataclass that a ``_target_`` names, which must be a ``kind``; see the module's text for what is allowed."""
    module_name, _, name = target.rpartition(".")
    package = target.partition(".")[0]
    if package not in allowed_packages():
        raise InputError(
            f"{where}._target_={target} is refused: only {', '.join(sorted(allowed_packages()))} and packages declared "
            f"by an entry point {PLUGINS} may be named"
        )
    try:
        found = getattr(importlib.import_module(module_name), name, None)
    except ModuleNotFoundError as error:
        raise InputError(f"{where}._target_={target}: {error}") from error
    if not (inspect.isclass(found) and dataclasses.is_dataclass(found) and issubclass(found, kind)):
        raise InputError(f"{where}._target_={target} is not a {kind.__name__}; choices: {', '.join(_choices(kind))}")
    if inspect.isabstract(found):
        raise InputError(f"{where}._target_={target} is abstract; choices: {', '.join(_choices(kind))}")
    return found


@lru_cache(maxsize=1)
def allowed_packages() -> frozenset[str]:
    """The project and the packages that installed distributions declare as plug-ins."""
    return frozenset({"dprepro"} | {point.value.partition(":")[0].partition(".")[0] for point in entry_points(group=PLUGINS)})


def _choices(kind: type) -> list[str]:
    found, todo = set(), [kind]
    while todo:
        one = todo.pop()
        todo += one.__subclasses__()
        if not inspect.isabstract(one):
            found.add(f"{one.__module__}.{one.__name__}")
    return sorted(found)


def _wrong(where: str, wanted: str, value: Any) -> InputError:
    return InputError(f"{where} must be {wanted}, got {value!r}")
