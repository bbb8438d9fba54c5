"""What a class or a function is defined by, written down as a module of its own (`dprepro.support.user_files`).

That is its source, the source of what it uses of its own module, the values of constants and of what it encloses, and
an import for everything else. An object of a notebook thus becomes a file that workers, fingerprints and keys know like
any other; another source is another module.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import functools
import inspect
import linecache
import math
import re
import symtable
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dprepro.errors import InputError
from dprepro.support.user_files import written

DPREPRO_IMPORTS = DPREPRO_READS = ()  # sources are read of what then is a module of its own

MOST_NUMBERS = 10_000
"""Entries of an array that is still written down."""

_EXPRESSIONS = ("logging", "re", "types", "typing")
"""Modules of kinds of values that are written as they were made: types, patterns, loggers."""

Definition = Callable[..., Any] | type


class _Unwritable(Exception):
    """Why something cannot be written down, as the end of a sentence."""


def captured(thing: Definition, name: str = "") -> str:
    """The dotted name of a module that defines the class or function anew; ``name`` for one that has none.

    Raises:
        InputError: its source cannot be found, or it uses what cannot be written down; with what to do.
    """
    own = name or _name_of(thing)
    module = _Module(_home(thing))
    try:
        own = module.add(own, thing)
    except _Unwritable as fault:
        raise InputError(f"{own}: {fault}; put it into a file of its own, and name that: 'FILE.py:{own}'") from None
    except RecursionError:
        raise InputError(f"{own}: it uses data that hold themselves; put it into a file: 'FILE.py:{own}'") from None
    return f"{written(re.sub(r'(?<=[a-z])(?=[A-Z])', '_', own).lower(), module.text)}.{own}"


def _name_of(thing: Definition) -> str:
    name = str(getattr(thing, "__name__", type(thing).__name__))
    return name if name.isidentifier() else "function"


def _home(thing: object) -> str:
    """The module that a definition stands in; of a partial call, a method or an object that of what it is made of."""
    if isinstance(thing, functools.partial):
        return _home(thing.func)
    if isinstance(thing, types.MethodType):
        return _home(thing.__self__)
    defined = isinstance(thing, type) or inspect.isroutine(thing) or hasattr(thing, "__wrapped__")
    return str(getattr(thing if defined else type(thing), "__module__", None))


class Source(NamedTuple):
    """A definition: its node, what names in it stand for, whether its types are texts, and all around it."""

    node: ast.expr | ast.stmt
    known: Mapping[str, object]
    future: bool
    tree: ast.Module


class _Module:
    """A module that is being written."""

    def __init__(self, home: str) -> None:
        self._homes = {"__main__", home}
        self._imports: dict[str, None] = {}
        self._parts: list[str] = []
        self._values: dict[str, object] = {}
        self._future = False
        self._trees: list[ast.Module] = []
        self._known: Mapping[str, object] = {}

    @property
    def text(self) -> str:
        """The source of the file that is written."""
        first = ["from __future__ import annotations"] if self._future else []
        return "\n\n".join(["\n".join([*first, *self._imports]), *self._parts]) + "\n"

    def add(self, name: str, value: object) -> str:
        """Have the name stand for the value; its name there."""
        if name in self._values:
            if self._values[name] is not value and self._values[name] != value:
                raise _Unwritable(f"{name} stands for two things in what it uses")
            return name
        self._values[name] = value
        if isinstance(value, types.ModuleType):
            self._import_module(name, value)
        elif found := self._imported(name, value) or _importable(name, value, self._homes):
            module, attribute = found
            self._imports[f"from {module} import {attribute}" + (f" as {name}" if name != attribute else "")] = None
        elif isinstance(value, types.MethodType):
            self._parts.append(f"{name} = {self._literal(value, name)}")
        elif isinstance(value, type) or inspect.isroutine(value) or hasattr(value, "__wrapped__"):
            self._define(name, value)
        elif type(value).__module__ in _EXPRESSIONS and (text := self._expression(name)):
            self._use(text, {name})
            self._parts.append(text)
        else:
            self._parts.append(f"{name} = {self._literal(value, name)}")
        return name

    def _imported(self, name: str, value: object) -> tuple[str, str] | None:
        """What the modules that it was taken from have imported under a name."""
        for tree in self._around():
            for node in ast.walk(tree):
                if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
                    continue
                for alias in node.names:
                    found = getattr(sys.modules.get(node.module), alias.name, _Unwritable)
                    if (alias.asname or alias.name) == name and found is value:
                        return node.module, alias.name
        return None

    def _expression(self, name: str) -> str:
        """How a name was given its value; empty if nobody can tell."""
        for tree in self._around():
            for node in tree.body:
                targets = [name.id for name in getattr(node, "targets", []) if isinstance(name, ast.Name)]
                if isinstance(node, ast.Assign) and targets == [name]:
                    return ast.unparse(node)
        return ""

    def _around(self) -> Iterator[ast.Module]:
        """The source that a definition stands in, then other cells of a notebook."""
        yield from self._trees
        if "__main__" in self._homes:
            yield from _cells()

    def _import_module(self, name: str, value: types.ModuleType) -> None:
        full = value.__name__
        if full in self._homes:
            raise _Unwritable(f"it uses {name}, the module that it stands in")
        self._imports[f"import {full}" + (f" as {name}" if name != full else "")] = None

    def _define(self, name: str, value: object) -> None:
        node, known, future, tree = _source(value)
        self._future |= future
        self._trees.append(tree)
        self._known = known
        defined = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else ""
        text = ast.unparse(node) if defined else f"{name} = {ast.unparse(node)}"
        self._use(text, {defined, name})
        self._parts.append(text)
        if defined not in ("", name):
            self._values.setdefault(defined, value)
            self._parts.append(f"{name} = {defined}")

    def _use(self, text: str, but: set[str]) -> None:
        """Have all names stand there that a text uses; of what is nowhere yet running it will say so."""
        known = self._known
        for used in _used(text):
            if used in known and used not in but:
                self.add(used, known[used])
                self._known = known

    def _literal(self, value: object, name: str) -> str:
        if isinstance(value, enum.Enum):
            return f"{self.add(type(value).__name__, type(value))}.{value.name}"
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, bool | int | str | bytes | types.NoneType):
            return repr(value)
        if isinstance(value, float):
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        if isinstance(value, list | tuple | set | frozenset):
            inner = ", ".join(self._literal(item, name) for item in value)
            if isinstance(value, tuple):
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            kinds = {list: f"[{inner}]", set: f"{{{inner}}}" if inner else "set()"}
            return kinds.get(type(value), f"frozenset([{inner}])")
        if isinstance(value, dict):
            return (
                "{" + ", ".join(f"{self._literal(k, name)}: {self._literal(v, name)}" for k, v in value.items()) + "}"
            )
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size <= MOST_NUMBERS:
            self.add("numpy", np)
            return (
                f"numpy.array({self._literal(value.tolist(), name)}, dtype={str(value.dtype)!r}).reshape({value.shape})"
            )
        if isinstance(value, Path):
            self.add("pathlib", sys.modules["pathlib"])
            return f"pathlib.Path({str(value)!r})"
        if isinstance(value, functools.partial):
            self.add("functools", functools)
            keys = "".join(f", {key}={self._literal(keyword, name)}" for key, keyword in value.keywords.items())
            return (
                f"functools.partial({', '.join(self._literal(item, name) for item in (value.func, *value.args))}{keys})"
            )
        if isinstance(value, types.MethodType):
            return f"{self._literal(value.__self__, name)}.{value.__name__}"
        if isinstance(value, type) or inspect.isroutine(value):
            return self.add(self._free(_name_of(value), value), value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            kind = self.add(type(value).__name__, type(value))
            given = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
            return f"{kind}({', '.join(f'{key}={self._literal(number, name)}' for key, number in given.items())})"
        if callable(value) and type(value).__module__ in self._homes:
            return self._constructed(value, name)
        what = f"an array of {value.size} numbers" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        raise _Unwritable(f"it uses {name}, {what}, which cannot be written down as a constant")

    def _free(self, name: str, value: object) -> str:
        """The name, with a number where another lambda has it."""
        if getattr(value, "__name__", "") != "<lambda>":
            return name
        names = (name, *(f"{name}_{number}" for number in range(2, len(self._values) + 3)))
        return next(text for text in names if self._values.get(text, value) is value)

    def _constructed(self, value: object, name: str) -> str:
        """An object of a class, by those attributes that are called as its constructor's arguments."""
        kind, given = type(value), {}
        for argument in inspect.signature(kind).parameters.values():
            if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD) or not hasattr(value, argument.name):
                raise _Unwritable(
                    f"an object of {kind.__name__} keeps no attribute {argument.name} of its constructor's argument, "
                    "so that it cannot be constructed again; set it there"
                )
            given[argument.name] = getattr(value, argument.name)
        inner = ", ".join(f"{key}={self._literal(number, name)}" for key, number in given.items())
        return f"{self.add(kind.__name__, kind)}({inner})"


def _importable(name: str, value: object, homes: set[str]) -> tuple[str, str] | None:
    """Where an import finds a value that another module defines, and its name there."""
    if isinstance(value, bool | int | float | str | bytes | list | tuple | dict | set | types.NoneType):
        return None
    own = [str(found) for key in ("__name__", "_name") if (found := getattr(value, key, None))]
    module = getattr(value, "__module__", None)
    places = [module] if isinstance(module, str) else ["numpy", "math", "typing"]
    for place in places:
        if place in homes or place == "builtins":
            continue
        for attribute in (*own, name):
            if attribute.isidentifier() and getattr(sys.modules.get(place), attribute, None) is value:
                return place, attribute
    return None


def _source(thing: object) -> Source:
    """What defines a class or a function; raises _Unwritable."""
    if isinstance(thing, type):
        return _class_source(thing)
    function = inspect.unwrap(getattr(thing, "py_func", thing))  # type: ignore[arg-type]
    if not isinstance(function, types.FunctionType):
        raise _Unwritable(f"it uses {_name_of(function)}, which is compiled and which no module defines")
    code = function.__code__
    tree = _tree(code, function.__globals__)
    _check_loaded(tree, code)
    kinds = ast.Lambda | ast.FunctionDef
    fitting = [node for node in ast.walk(tree) if isinstance(node, kinds) and _fits(node, code)]
    if not fitting:
        raise _Unwritable("its source cannot be told from others on its line; give each a line of its own")
    return Source(fitting[-1], {**function.__globals__, **_enclosed(function)}, bool(code.co_flags & _FUTURE), tree)


_FUTURE = __import__("__future__").annotations.compiler_flag


def _class_source(kind: type) -> Source:
    functions = [function for function in map(_function_of, vars(kind).values()) if function is not None]
    functions = [
        function for function in functions if function.__module__ == kind.__module__ and _has_lines(function.__code__)
    ]
    known: dict[str, object] = dict(vars(sys.modules.get(kind.__module__, builtins)))
    for function in functions:
        known |= function.__globals__
    for function in functions:
        known |= {name: value for name, value in _enclosed(function).items() if name != "__class__"}
    lines = {function.__code__.co_firstlineno for function in functions}
    trees = [_tree(functions[0].__code__, known)] if functions else list(_all_trees(kind))
    for tree in trees:
        found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == kind.__name__]
        fitting = [node for node in found if lines <= _lines(node)]
        if not fitting:
            continue
        for function in functions:
            _check_loaded(tree, function.__code__)
        return Source(fitting[-1], known, any(function.__code__.co_flags & _FUTURE for function in functions), tree)
    raise _Unwritable("its source cannot be found")


def _function_of(value: object) -> types.FunctionType | None:
    """The function behind an entry of a class."""
    for name in ("__func__", "fget", "func"):
        value = getattr(value, name, value)
    value = inspect.unwrap(value) if callable(value) else value
    return value if isinstance(value, types.FunctionType) else None


def _has_lines(code: types.CodeType) -> bool:
    """What `dataclass` makes stands in no file."""
    return not code.co_filename.startswith("<string>") and code.co_name != "<lambda>"


def _tree(code: types.CodeType, known: Mapping[str, object]) -> ast.Module:
    lines = linecache.getlines(code.co_filename, dict(known))
    if not lines:
        raise _Unwritable("its source cannot be found: it was typed at a prompt or made by exec")
    return _parsed("".join(lines))


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise _Unwritable(f"its source is no Python any more ({error})") from None


def _all_trees(kind: type) -> Iterator[ast.Module]:
    """Where a class without functions may stand: its module's file, or cells of a notebook, the last one first."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if file:
        yield _parsed("".join(linecache.getlines(file)))
    else:
        yield from _cells()


def _cells() -> Iterator[ast.Module]:
    """The cells of a notebook, the last one first: sources that stand in no file that they are named after."""
    for name in reversed(list(linecache.cache)):
        if name.endswith(".py") and "ipykernel" not in name:
            continue
        if lines := linecache.getlines(name):
            try:
                yield _parsed("".join(lines))
            except _Unwritable:
                continue


def _lines(node: ast.ClassDef) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _fits(node: ast.AST, code: types.CodeType) -> bool:
    """Whether a node is where a function comes from, by its place and arguments."""
    if isinstance(node, ast.Lambda):
        places = [(line, column) for line, _, column, _ in code.co_positions() if line and column is not None]
        start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        places = [place for place in places if place[1] > 0 or place[0] != code.co_firstlineno]
        if code.co_name != "<lambda>" or not all(start <= place <= end for place in places):
            return False
    elif not isinstance(node, ast.FunctionDef):
        return False
    else:
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        if (node.name, first) != (code.co_name, code.co_firstlineno):
            return False
    arguments = node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return names == list(code.co_varnames[: len(names)])


def _check_loaded(tree: ast.Module, code: types.CodeType) -> None:
    """Raise _Unwritable where a source, compiled again, has no such code: it was edited since it was loaded."""
    if any(name.startswith("@py") for name in code.co_names):
        return  # pytest has rewritten it
    flags = code.co_flags & (_FUTURE | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    todo = [compile(tree, code.co_filename, "exec", flags, dont_inherit=True)]
    while todo:
        code_object = todo.pop()
        if (code_object.co_name, code_object.co_firstlineno, _instructions(code_object)) == (
            code.co_name,
            code.co_firstlineno,
            _instructions(code),
        ):
            return
        todo += [inner for inner in code_object.co_consts if isinstance(inner, types.CodeType)]
    raise _Unwritable(f"the source of {code.co_name} is not what was loaded: it was edited since; load it again")


def _instructions(code: types.CodeType) -> tuple[object, ...]:
    """What code says, wherever it stands."""
    constants = [
        _instructions(constant) if isinstance(constant, types.CodeType) else repr(constant)
        for constant in code.co_consts
    ]
    return code.co_code, code.co_names, tuple(constants)


def _enclosed(function: types.FunctionType) -> dict[str, object]:
    """The values of what a function encloses, by name."""
    found: dict[str, object] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    return found


def _used(text: str) -> list[str]:
    """The names that a definition takes from around it, in order, those in types that are texts too."""
    found: dict[str, None] = {}

    def look(table: symtable.SymbolTable, top: bool) -> None:
        for symbol in table.get_symbols():
            free = symbol.is_global() or (top and not symbol.is_assigned())
            if symbol.is_referenced() and free:
                found[symbol.get_name()] = None
        for inner in table.get_children():
            look(inner, False)

    look(symtable.symtable(text, "<own>", "exec"), True)
    for node in ast.walk(ast.parse(text)):
        annotations = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for annotation in filter(None, annotations):
            for part in ast.walk(annotation):
                if isinstance(part, ast.Name):
                    found[part.id] = None
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    found |= dict.fromkeys(re.findall(r"[A-Za-z_]\w*", part.value))
    return list(found)
