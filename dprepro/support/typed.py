"""Plain data into frozen dataclasses, by their type annotations: how YAML becomes objects.

Every value is checked against its field, inside ``_target_`` blocks too, and an unknown key is refused with the keys
that exist. Where a number belongs, a text is read as arithmetic (`dprepro.support.expressions`). A ``_target_`` names a
dataclass of this project, or of a package that an installed distribution declares by an entry point of the group
``dprepro.plugins``, or as a pack of papers; or one of a file that the user has named
(`dprepro.support.user_files`). Nothing else is imported, let alone called.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import importlib
import inspect
import math
import re
import sys
import types
import typing
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import entry_points
from typing import Any, TypeVar

from dprepro.errors import InputError, MissingDependency, choices_in_words, shortened, unknown
from dprepro.support import expressions
from dprepro.support.folders import PACKS
from dprepro.support.named import NamedRule, named
from dprepro.support.user_files import is_dotted, is_target, load

DPREPRO_IMPORTS = DPREPRO_READS = ()  # what is built counts with what holds it

T = TypeVar("T")
PLUGINS = "dprepro.plugins"
LONGEST_TARGET = 200
"""Characters of a dotted path to a class."""
_WORDS = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}
_PLURALS = {float: "numbers", int: "whole numbers", str: "texts"}


def build(kind: type[T], value: Any, where: str = "") -> T:
    """``value`` as an instance of ``kind``; ``where`` is its dotted key, for messages.

    Raises:
        InputError: a wrong type, an unknown key, a missing one, a ``_target_`` that is not allowed.
        MissingDependency: the module of a ``_target_`` needs a package that is not installed.
    """
    return typing.cast(T, _convert(kind, value, where))


def build_named(kinds: Mapping[str, type[T]], key: str, value: Mapping[str, Any], where: str = "") -> T:
    """As `build`, for a block whose entry ``key`` names one of ``kinds``.

    Raises:
        InputError: as `build`; no name, or an unknown one.
    """
    given = dict(value)
    name = given.pop(key, None)
    if name is None:
        raise InputError(f"{_inside(where, key)} is missing; {choices_in_words(kinds)}")
    if not isinstance(name, str) or name not in kinds:
        raise unknown(_inside(where, key), name, kinds)
    return build(kinds[name], given, where)


def _convert(kind: Any, value: Any, where: str) -> Any:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _convert_union(kind, value, where)
    if origin is typing.Literal:
        if value not in inner:
            raise InputError(f"{where}: {unknown('value', value, inner)}")
        return value
    if origin is collections.abc.Mapping:
        if not isinstance(value, Mapping):
            raise _wrong(where, kind, value)
        return {str(key): _convert(inner[1], number, _inside(where, key)) for key, number in value.items()}
    if origin in (collections.abc.Sequence, tuple):
        if not isinstance(value, list | tuple):
            raise _wrong(where, kind, value)
        if inner[0] in (float, int) and expressions.ELLIPSIS in value:
            try:
                value = expressions.spread(value)
            except ValueError as error:
                raise InputError(f"{where}: {error}") from error
        return tuple(_convert(inner[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if inspect.isclass(kind) and issubclass(kind, enum.Enum):
        return kind(_convert(typing.Literal[tuple(enum.value for enum in kind)], value, where))
    if dataclasses.is_dataclass(kind):
        return _convert_dataclass(typing.cast(type, kind), value, where)
    return _convert_scalar(kind, value, where)


def _convert_union(kind: Any, value: Any, where: str) -> Any:
    options = [option for option in typing.get_args(kind) if option is not type(None)]
    if value is None and type(None) in typing.get_args(kind):
        return None
    blocks = [option for option in options if dataclasses.is_dataclass(option)]
    if len(options) == 1 or (isinstance(value, Mapping) and len(blocks) == 1):
        return _convert((blocks or options)[0], value, where)  # what is wrong inside is said as such
    if isinstance(value, str) and str in options:
        return value  # where a text is welcome it is no arithmetic
    for option in options:
        try:
            return _convert(option, value, where)
        except InputError:
            continue
    raise _wrong(where, kind, value)


def _convert_scalar(kind: Any, value: Any, where: str) -> Any:
    if kind not in _WORDS:
        raise InputError(f"{where} cannot be set from a configuration")
    if kind in (bool, str):
        if isinstance(value, kind):
            return value
        raise _wrong(where, kind, value)
    number = value
    if isinstance(value, str):
        try:
            number = expressions.evaluate(value)
        except ValueError as error:
            raise InputError(f"{_wrong(where, kind, value)} or an expression: {error}") from error
    if isinstance(number, int | float) and not isinstance(number, bool) and _is_number(number):
        if kind is float:
            return number
        if number == number // 1:
            return int(number)
    raise _wrong(where, kind, value)


def _is_number(value: float) -> bool:
    try:
        return not math.isnan(value)
    except OverflowError:  # an integer that no float can hold
        return False


def _convert_dataclass(kind: type, value: Any, where: str) -> Any:
    if isinstance(value, str) and issubclass(kind, NamedRule):
        rules = named(kind)
        if value not in rules:
            raise InputError(f"{where}: {unknown('value', value, rules)}")
        return _convert_dataclass(rules[value], {}, where)
    if not isinstance(value, Mapping):
        raise _wrong(where, kind, value)
    given = {str(key): number for key, number in value.items()}
    prefix = f"{where}: " if where else ""
    if "_target_" in given:
        kind = resolve(given.pop("_target_"), kind, where)
    elif inspect.isabstract(kind):
        raise InputError(f"{prefix}a _target_ must say which {kind.__name__}; {choices_in_words(_choices(kind))}")
    known = {field.name: field for field in dataclasses.fields(kind) if field.init}
    for key in given:
        if key not in known:
            raise InputError(f"{prefix}{unknown('key', key, known)}")
    missing = dataclasses.MISSING
    if lacking := [
        name for name, field in known.items()
        if name not in given and field.default is missing and field.default_factory is missing
    ]:  # fmt: skip
        raise InputError(f"{prefix}{kind.__name__} needs {', '.join(lacking)}")
    annotated = hints(kind)
    arguments = {key: _convert(annotated[key], number, _inside(where, key)) for key, number in given.items()}
    try:
        return kind(**arguments)
    except InputError as error:
        raise InputError(f"{prefix}{error}") from error


@cache
def hints(kind: type) -> Mapping[str, Any]:
    """The types of a class's fields, which take Python a while to evaluate."""
    return types.MappingProxyType(typing.get_type_hints(kind))


def resolve(target: object, kind: type, where: str) -> type:
    """The dataclass that a ``_target_`` names, which must be a ``kind``; see the module's text for what is allowed."""
    said = f"{_inside(where, '_target_')}={target}"
    module_name, _, name = str(target).rpartition(".")
    if len(str(target)) > LONGEST_TARGET:
        raise InputError(f"{_inside(where, '_target_')}={shortened(target)} is no dotted path to a class")
    allowed = allowed_packages()
    if is_target(target) or is_dotted(target):
        return _of_file(str(target), kind, where)
    if module_name.partition(".")[0] not in allowed:
        raise InputError(
            f"{said} is refused: only {', '.join(sorted(allowed))} and packages declared by an entry point {PLUGINS} "
            f"or {PACKS} may be named"
        )
    try:
        found = getattr(importlib.import_module(module_name), name, None)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in allowed and error.name not in module_name:
            raise InputError(f"{said} cannot be imported: {error}") from error
        if error.name and not f"{module_name}.".startswith(f"{error.name}."):
            raise MissingDependency(f"{said} needs {error.name}: pip install {error.name}") from error
        found = None
    if not (inspect.isclass(found) and dataclasses.is_dataclass(found) and issubclass(found, kind)):
        raise InputError(f"{said} is not of the kind {kind.__name__}; {choices_in_words(_choices(kind), target)}")
    if inspect.isabstract(found):
        raise InputError(f"{said} is abstract; {choices_in_words(_choices(kind), target)}")
    return found


def _of_file(target: str, kind: type, where: str) -> type:
    """A class of a file that the user has named; raises InputError."""
    said = _inside(where, "_target_")
    try:
        found = load(target)
    except InputError as error:
        raise InputError(f"{said}: {error}") from error
    name = found.__name__ if inspect.isclass(found) else target.rpartition(".")[2]
    if not (inspect.isclass(found) and issubclass(found, kind)):
        raise InputError(f"{said}={target} is not of the kind {kind.__name__}: class {name}({kind.__name__})")
    if not dataclasses.is_dataclass(found) or "__dataclass_params__" not in vars(found):
        raise InputError(f"{said}={target} is no dataclass; write @dataclass(frozen=True) above class {name}")
    if inspect.isabstract(found):
        raise InputError(f"{said}={target} lacks {', '.join(sorted(found.__abstractmethods__))}")
    return found


@lru_cache(maxsize=1)
def allowed_packages() -> frozenset[str]:
    """The project and the packages that installed distributions declare as plug-ins or packs."""
    points = [*entry_points(group=PLUGINS), *entry_points(group=PACKS)]
    return frozenset({__name__.partition(".")[0], *(re.split("[:.]", point.value)[0] for point in points)})


def _choices(kind: type) -> list[str]:
    """The concrete subclasses in the room of ``kind`` and in packages of others, by the shortest path that names them.

    What other rooms of the project define is left out: whether it is imported depends on what ran before.
    """
    package, _, rest = kind.__module__.partition(".")
    room = f"{package}.{rest.partition('.')[0]}." if rest else f"{package}."
    whole = sys.modules[room.removesuffix(".")]
    for name in getattr(whole, "__all__", ()):
        getattr(whole, name)  # a package may import it only now
    found, to_visit = set(), [kind]
    while to_visit:
        subclass = to_visit.pop()
        to_visit += subclass.__subclasses__()
        module = f"{subclass.__module__}."
        if inspect.isabstract(subclass) or (module.startswith(f"{package}.") and not module.startswith(room)):
            continue
        parent = subclass.__module__.rpartition(".")[0]
        exported = getattr(importlib.import_module(parent), subclass.__name__, None) is subclass if parent else False
        found.add(f"{parent if exported else subclass.__module__}.{subclass.__name__}")
    return sorted(found)


def _inside(where: str, key: object) -> str:
    return f"{where}.{key}" if where else str(key)


def _words(kind: Any) -> str:
    inner = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_words(option) for option in inner if option is not type(None))
    if origin in (collections.abc.Sequence, tuple):
        return f"a list of {_PLURALS.get(inner[0], 'blocks')}"
    if kind in _WORDS:
        return _WORDS[kind]
    return "a block of keys"


def _wrong(where: str, kind: Any, value: Any) -> InputError:
    return InputError(f"{where} is {shortened(value)}; it must be {_words(kind)}")
