"""From the declared arguments of a command to its help, and to their values.

The first word names the command; without one, all words are a run's. Only its module is imported.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from dprepro.commands import COMMANDS
from dprepro.errors import InputError, unknown

Kind = Callable[[str, str], Any]
"""From an argument's name and the text that is given to its value; raises InputError."""

WIDTH = 80
COLUMN = 21
"""Where the words about an argument begin."""


@dataclass(frozen=True)
class Declared:
    """How an argument is written, and what is said of it.

    Attributes:
        form: ``key`` (``name=value``), ``option`` (``--name VALUE``), ``flag`` (``--name``), ``words`` (all others).
        about: for the help.
        kind: of its value, or of each word.
        shown: the value as the help writes it: the default, or a word for it.
        short: further names of a flag or option.
        alone: the value of an option that is given without one; empty where it needs one.
        least, most: how many words there must and may be; None is any number.
        needed: what is said where there are fewer.
    """

    form: str
    about: str
    kind: Kind
    shown: str = ""
    short: tuple[str, ...] = ()
    alone: str = ""
    least: int = 0
    most: int | None = None
    needed: str = ""


def text(name: str, given: str) -> str:
    """Any text."""
    return given


def folder(name: str, given: str) -> str:
    """A folder, with ~ for the home of a user."""
    return os.path.expanduser(given)


def number(name: str, given: str) -> float:
    """A number, or an expression such as ``1/3``."""
    from dprepro.support import expressions

    try:
        return float(expressions.evaluate(given))
    except ValueError as error:
        raise InputError(f"{name} must be a number, got {name}={given}: {error}") from error


def number_that(rule: str, holds: Callable[[float], bool]) -> Kind:
    """A number that must be what ``rule`` says, such as ``in (0, 1]``."""

    def kind(name: str, given: str) -> float:
        value = number(name, given)
        if not holds(value):
            raise InputError(f"{name} must be {rule}, got {name}={given}")
        return value

    return kind


def whole(least: int) -> Kind:
    """A whole number of at least ``least``, which is not negative; 2e4 is one."""

    def kind(name: str, given: str) -> int:
        found = -1
        if re.fullmatch("[0-9]{1,18}", given):
            found = int(given)
        elif re.fullmatch(r"[0-9]([.][0-9]{1,9})?[eE][+]?[0-9]{1,2}", given) and float(given).is_integer():
            found = int(float(given)) if float(given) < 1e15 else -1
        if found < least:
            raise InputError(f"{name} must be a whole number of at least {least}, got {name}={given}")
        return found

    return kind


def true_or_false(name: str, given: str) -> bool:
    """A truth value."""
    if given not in ("true", "false"):
        raise InputError(f"{name} must be true or false, got {name}={given}")
    return given == "true"


def key(default: str | None, about: str, kind: Kind = text, shown: str = "") -> Any:
    """Declare ``name=value``, with the default as a person would type it; None has none."""
    value = None if default is None else kind("", default)
    return field(default=value, metadata={"": Declared("key", about, kind, default or shown)})


def flag(about: str, *short: str) -> Any:
    """Declare ``--name``, which is off unless it is given."""
    return field(default=False, metadata={"": Declared("flag", about, text, short=short)})


def option(shown: str, about: str, kind: Kind = text, *short: str, alone: str = "") -> Any:
    """Declare ``--name VALUE``, None unless it is given; ``shown`` is the help's word for the value.

    Without words about it, it is not in the help: what another tool has, and this one answers.
    """
    return field(default=None, metadata={"": Declared("option", about, kind, shown, short, alone)})


def words(shown: str, least: int = 0, most: int | None = None, needed: str = "", kind: Kind = text) -> Any:
    """Declare the words that are no ``key=value`` (all words where the command has no keys), a tuple."""
    return field(default=(), metadata={"": Declared("words", "", kind, shown, least=least, most=most, needed=needed)})


def results_dir(about: str = "where the store and the results are") -> Any:
    """Declare the folder of results."""
    return key("results", about, folder)


def config_dir(about: str = "add your own experiment/, algorithm/, construction/, papers/") -> Any:
    """Declare the folder of a user's own configuration; its argument is called ``config_dir``."""
    return option("DIR", about, text, "-cd")


def main(arguments: list[str]) -> int:
    """Carry out a command line; the exit code."""
    module, rest = chosen(arguments)
    values = parsed(module, rest)
    if values is None:
        print(help_of(module))
        return 0
    code: int = module.main(values)
    return code


def chosen(arguments: Sequence[str]) -> tuple[ModuleType, list[str]]:
    """The module of the command that is meant, and its arguments; raises InputError for one that does not exist."""
    first = arguments[0] if arguments else ""
    if first in COMMANDS:
        return import_module(f"dprepro.commands.{first}"), list(arguments[1:])
    if re.fullmatch(r"[A-Za-z][\w.-]*", first):
        from dprepro.support.folders import experiment_files

        experiments = experiment_files()
        if first in experiments:
            raise InputError(f"{first} is an experiment, and no command; type +experiment={first}")
        near = difflib.get_close_matches(first, experiments, n=1) or ["NAME"]
        refusal = unknown("command", first, COMMANDS)
        raise InputError(f"{refusal}; an experiment is run by +experiment={near[0]}")
    late = [word for word in arguments if word in COMMANDS]
    if late and "=" not in "".join(arguments):
        raise InputError(f"the command comes first: python -m dprepro {late[0]} ...")
    return import_module("dprepro.commands.run"), list(arguments)


class _Parser(argparse.ArgumentParser):
    """Options, as argparse reads them; it neither prints nor ends the process."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message)


def parsed(module: ModuleType, arguments: Sequence[str]) -> Any:
    """The module's `Arguments`, or None where help is asked for.

    Raises:
        InputError: an argument that is not declared, or whose value cannot be; words that are too few or too many.
    """
    declared = declared_by(module)
    parser = _Parser(add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    parser.add_argument("-h", "--help", action="store_true")
    for name, value in declared.items():
        if value.form == "flag":
            parser.add_argument(*value.short, _option(name), dest=name, action="store_true")
        elif value.form == "option":
            parser.add_argument(*value.short, _option(name), dest=name, nargs="?", const=value.alone)
    _check_options(declared, arguments)
    found, rest = parser.parse_known_args(arguments)
    values: dict[str, Any] = vars(found)
    for name in [name for name in values if name in declared and declared[name].form == "option"]:
        if not values[name]:
            raise InputError(f"{_option(name)} needs {_a(declared[name].shown)}")
        values[name] = declared[name].kind(_option(name), values[name])
    values |= _words(declared, rest)
    if values.pop("help", False):
        return None
    for name, value in declared.items():
        if value.form == "words" and len(values.get(name, ())) < value.least:
            raise InputError(f"{value.needed}; see {_typed(module)} --help")
    return module.Arguments(**values)


def _check_options(declared: dict[str, Declared], arguments: Sequence[str]) -> None:
    """Raise InputError for ``-cfg`` and its like, which argparse would read as ``-c fg``."""
    known = {"-h", *(name for key, value in declared.items() for name in (*value.short, _option(key)))}
    for word in arguments:
        name = word.partition("=")[0]
        if re.fullmatch(r"-[A-Za-z][\w-]+", name) and name not in known:
            raise unknown("option", name, options_of(declared))


def _words(declared: dict[str, Declared], rest: Sequence[str]) -> dict[str, Any]:
    """The values of keys and words, of what argparse has left over."""
    keys = {name: number for name, number in declared.items() if number.form == "key"}
    others = next(((name, number) for name, number in declared.items() if number.form == "words"), None)
    choices = [*(f"{name}=" for name in keys), *options_of(declared)]
    values: dict[str, Any] = {}
    room = others[1].most if others else 0
    for word in rest:
        name, equals, value = word.partition("=")
        if word.startswith("-"):
            key = name.lstrip("-").replace("-", "_")
            if key in keys:
                example = value or {"false": "true"}.get(keys[key].shown, keys[key].shown) or "VALUE"
                raise InputError(f"{name} is a key, and keys have no hyphens: {key}={example}")
            more = f"; a key is set without hyphens, as {word.lstrip('-')}" if equals and others else ""
            raise InputError(f"{unknown('option', name, options_of(declared))}{more}")
        if equals and name in keys:
            if not value:
                raise InputError(f"{name} is empty; give {name}={keys[name].shown or 'VALUE'}")
            values[name] = keys[name].kind(name, value)
        elif others and (not (keys and equals) or os.path.isfile(word)) and len(values.get(others[0], ())) != room:
            values[others[0]] = (*values.get(others[0], ()), others[1].kind(others[1].shown, word))
        else:
            part = _is_part_of(name, keys) if equals else ""
            raise (
                InputError(f"{name}= {part}") if part else unknown("argument", f"{name}=" if equals else word, choices)
            )
    return values


def _is_part_of(name: str, keys: dict[str, Declared]) -> str:
    """``is a part of claim: type claim="epsilon=1"``, of what is written within a key's value; empty of all else."""
    for key, declared in keys.items():
        for example in re.findall('"[^"]*"', f"{declared.shown} {declared.about}"):
            if re.search(rf'["\s]{re.escape(name)}=', example):
                return f"is a part of {key}: type {key}={example}"
    return ""


def declared_by(module: ModuleType) -> dict[str, Declared]:
    """What a command takes, by name."""
    return {named_field.name: named_field.metadata[""] for named_field in fields(module.Arguments)}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def options_of(declared: dict[str, Declared]) -> list[str]:
    """All options of a command, as they are typed."""
    shown = [(name, value) for name, value in declared.items() if value.about and value.form in ("option", "flag")]
    return [*(word for name, evidence in shown for word in (*evidence.short, _option(name))), "-h", "--help"]


def _a(shown: str) -> str:
    return {"DIR": "a folder"}.get(shown, shown)


def _typed(module: ModuleType) -> str:
    name = module.__name__.rpartition(".")[2]
    return f"python -m dprepro {name}" if name in COMMANDS else "python -m dprepro"


def help_of(module: ModuleType) -> str:
    """What ``--help`` prints, at 80 columns."""
    declared = declared_by(module)
    usage = [_typed(module)]
    keys, options = [], []
    for name, value in declared.items():
        written = f"{name}={value.shown}" if value.form == "key" else ", ".join([*value.short, _option(name)])
        if value.form == "words":
            usage.append(value.shown)
        elif not value.about:
            continue
        elif value.form == "key":
            keys.append(_entry(written, value.about))
        else:
            options.append(_entry(f"{written} {value.shown}".rstrip(), value.about))
            usage.append(f"[{_option(name)}{f' {value.shown}' if value.shown else ''}]")
    if keys:
        usage.insert(2 if any(item.form == "words" for item in declared.values()) else 1, "[key=value ...]")
    options.append(_entry("-h, --help", "print this text"))
    parts = [
        _usage(usage),
        _filled(module.ABOUT),
        "\n".join(["keys", *keys]) if keys else "",
        "\n".join(["options", *options]),
        _filled(getattr(module, "NOTES", "")),
    ]
    if not _named(module):
        parts.insert(2, "\n".join(["commands", *(_entry(name, about, 13) for name, about in COMMANDS.items())]))
    return "\n\n".join(part for part in parts if part)


def _usage(parts: Sequence[str]) -> str:
    """What may be typed, broken between arguments only."""
    line = " ".join(["usage:", *(part.replace(" ", "\0") for part in parts)])
    return textwrap.fill(line, WIDTH, subsequent_indent=" " * 10, break_on_hyphens=False).replace("\0", " ")


def _filled(paragraphs: str) -> str:
    """Texts with every paragraph filled, but for those that have indented lines."""
    return "\n\n".join(
        part if re.search("^ ", part, re.MULTILINE) else textwrap.fill(part, WIDTH) for part in paragraphs.split("\n\n")
    )


def _named(module: ModuleType) -> bool:
    return module.__name__.rpartition(".")[2] in COMMANDS


def _entry(written: str, about: str, column: int = COLUMN) -> str:
    """An argument and the words about it, beside it or below."""
    head, lines = f"  {written}", textwrap.wrap(about, WIDTH - column)
    if len(head) > column - 2:
        lines.insert(0, "")
    heads = [head, *[""] * (len(lines) - 1)]
    return "\n".join(f"{head:<{column}}{line}".rstrip() for head, line in zip(heads, lines, strict=True))
