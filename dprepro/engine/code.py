"""The fingerprint of the code behind a measurement, read from source files: nothing is imported.

It covers all modules that can be reached by imports from those that a cell is made by (:mod:`dprepro.engine.source`).
In the project a package's ``__init__`` is looked through: what is imported from it by name leads to the module that
defines the name, so that a registry of all algorithms does not tie every cell to all of them; a study names what it
takes from a registry. Nobody knows what a plug-in's ``__init__`` does: with a module of a plug-in come the ``__init__``
of all packages that it lies in, and what they import.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from inspect import getmro
from pathlib import Path
from typing import Protocol, runtime_checkable

from dprepro.engine import source
from dprepro.engine.source import GROUP, INSTALLED, LIBRARY, PLAIN, WHOLE, Module, digest, read
from dprepro.errors import DpreproError, InputError, OtherCode

PROJECT = __name__.partition(".")[0]
ENGINE = ("dprepro.engine.measuring",)
"""How cells are run and seeded is behind every measurement."""

ITSELF = frozenset(f"{PROJECT}.engine.{name}" for name in ("code", "sealed", "source"))
"""What a fingerprint is made by is no part of it: another fingerprint says so itself."""


@dataclass(frozen=True)
class CodeDigest:
    """What made a cell.

    Attributes:
        digest: of all modules, 32 hexadecimal digits.
        modules: the digest of each, by name.
    """

    digest: str
    modules: Mapping[str, str] = field(compare=False)


def code_of(start: tuple[str, ...], packages: frozenset[str], engine: tuple[str, ...] = ENGINE) -> CodeDigest:
    """The code reached from modules and from ``engine``, within packages by their first names.

    Raises:
        DpreproError: a module of ``start``, or one of a plug-in, has no source file.
        InputError: a plug-in finds code or data that nobody can follow, or this process has loaded another source.
    """
    return _graph(packages).code(start, engine)


def forget() -> None:
    """Read all sources again if one of them has changed since it was read."""
    if not all(graph.stands() for graph in _GRAPHS.values()):
        _GRAPHS.clear()


def fingerprint(modules: Mapping[str, str]) -> str:
    """The digest of code from those of its modules: what is on record of a code is held against its name."""
    return digest("".join(f"{name}={modules[name]};" for name in sorted(modules)))


_BEHIND: dict[str, Mapping[str, str]] = {}


def behind(digests: Iterable[str]) -> dict[str, Mapping[str, str]]:
    """The modules behind each of these digests that `code_of` has given in this process."""
    return {digest: _BEHIND[digest] for digest in digests if digest in _BEHIND}


def libraries(names: Iterable[str]) -> dict[str, str]:
    """The versions of installed distributions, as those of modules are told in :class:`CodeDigest`."""
    found = {f"{LIBRARY}{name}": read(f"{LIBRARY}{name}") for name in names}
    return {name: module.digest for name, module in found.items() if module is not None}


def changed(modules: Mapping[str, str]) -> list[str]:
    """Those modules whose source is not what it was, by name."""
    return [name for name, digest in modules.items() if _digest_of(name) != digest]


class Guard:
    """Holds the sources that a process loads against those that its measurements are stored under.

    Args:
        modules: the digest of each by its name, as in :class:`CodeDigest`.
    """

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules
        self._loaded = 0
        self._reading = {name: digest for name, digest in modules.items() if (module := read(name)) and module.reads}

    def check(self) -> None:
        """Look at all sources if this process has loaded any module since, and at files that are read.

        Raises:
            OtherCode: some are others than those.
        """
        loaded = len(sys.modules)
        grown = self._loaded != loaded
        wrong = changed(self._modules if grown else self._reading) or (_stale((), self._modules) if grown else [])
        if wrong:
            raise OtherCode(f"{', '.join(wrong[:3])}{f' and {len(wrong) - 3} more' if len(wrong) > 3 else ''}")
        self._loaded = loaded  # only now: another thread of this process may be here too


@lru_cache(maxsize=8)
def guard(modules: tuple[tuple[str, str], ...]) -> Guard:
    """The guard of this process for these modules."""
    return Guard(dict(modules))


def _digest_of(name: str) -> str | None:
    try:
        module = read(name)
    except InputError:  # a file that it reads is gone
        return None
    return None if module is None else module.digest


def _without_source(name: str) -> DpreproError:
    return DpreproError(f"the source of {name} cannot be read, so that its measurements could not be told from others")


class _Graph:
    """Modules with those that they import, each read once."""

    def __init__(self, packages: frozenset[str]) -> None:
        self._packages = packages
        self._modules: dict[str, Module | None] = {}
        self._states: dict[Path, tuple[int, int]] = {}
        self._targets: dict[str, tuple[tuple[str, bool], ...]] = {}
        self._codes: dict[tuple[tuple[str, ...], tuple[str, ...]], CodeDigest] = {}

    def stands(self) -> bool:
        """Whether all files are as they were read."""
        with suppress(OSError):
            return all(source.file_state(path) == file_state for path, file_state in self._states.items())
        return False

    def code(self, start: tuple[str, ...], engine: tuple[str, ...]) -> CodeDigest:
        """See `code_of`."""
        known = self._codes.get((start, engine))
        if known is not None:
            return known
        own = [name for name in start if self._leads_to(name, True) == name]
        for name in own:
            if self._read(name) is None:
                raise _without_source(name)
        found = self._reached([*own, *engine], start)
        source.keep()
        if stale := _stale(self._packages, found):
            raise OtherCode(
                f"{stale[0]}, or a file that it reads, has been edited since this Python loaded it; start Python anew"
            )
        code = CodeDigest(fingerprint(found), found)
        self._codes[start, engine] = code
        _BEHIND[code.digest] = code.modules
        return code

    def _reached(self, names: Iterable[str], start: Collection[str]) -> dict[str, str]:
        """The digests of all modules that these lead to, by name; packages of ``start`` are not looked through."""
        found: dict[str, str] = {}
        followed: set[str] = set()
        todo = [(name, name in start) for name in names]
        while todo:
            name, whole = todo.pop()
            if name in followed or (name in found and not whole):
                continue
            module = self._read(name)
            if module is None:
                continue
            found[name] = module.digest
            if whole or not module.package or _is_foreign(name):
                followed.add(name)
                todo += self._imported(name, module)
        return dict(sorted(found.items()))

    def _read(self, name: str) -> Module | None:
        """A module; raises DpreproError for one of a plug-in that is there and cannot be read."""
        if name not in self._modules:
            module, foreign = read(name), _is_foreign(name)
            if foreign and module is None and source.is_opaque(name):
                raise _without_source(name)
            if foreign and module is not None and module.unclear:
                raise InputError(module.unclear)
            if module is not None and (path := source.path_of(name)) is not None:
                self._states[path] = source.file_state(path)
            self._modules[name] = module
        return self._modules[name]

    def _imported(self, name: str, module: Module) -> tuple[tuple[str, bool], ...]:
        """What a module needs, each with whether all that it imports is needed."""
        if name not in self._targets:
            foreign, parts = _is_foreign(name), name.split(".")
            around = [(".".join(parts[:depth]), True) for depth in range(1, len(parts))] if foreign else []
            needed = [item for where, asked, _ in module.imports for item in self._defining(where, asked, foreign)]
            self._targets[name] = tuple(
                spec for spec in dict.fromkeys([*around, *needed]) if self._read(spec[0]) is not None
            )
        return self._targets[name]

    def _leads_to(self, name: str, foreign: bool) -> str:
        """What an import leads to, by a module of a plug-in, if ``foreign``, or of the project; empty for nothing.

        What a plug-in imports from packages that lie in plain folders is its own; of one that was installed the list of
        its files counts, which changes with its version.
        """
        package = name.partition(".")[0]
        if name in ITSELF:
            return ""
        if name.startswith(GROUP):
            return name if foreign else ""  # what the project finds by entry points a study names
        if package in self._packages:
            return name
        if not foreign or package in PLAIN:
            return ""
        return INSTALLED + package if source.is_library(package) else name

    def _defining(
        self, where: str, asked: str, foreign: bool, tried: frozenset[tuple[str, str]] = frozenset()
    ) -> Iterator[tuple[str, bool]]:
        """The modules that ``from where import asked`` needs, each with whether all that it imports is needed."""
        place = self._leads_to(where, foreign)
        if place != where:
            yield from [(place, False)] if place else []
            return
        if where.endswith(".*"):
            yield from ((name, True) for name in source.submodules(where.removesuffix(".*")))
            return
        module = self._read(where)
        if asked in ("", WHOLE) or module is None or not module.package:
            yield where, asked == WHOLE
            if module is None and asked not in ("", WHOLE):
                yield f"{where}.{asked}", False  # of a package without `__init__`
            return
        found = [(f"{where}.{asked}", False)] if self._read(f"{where}.{asked}") is not None else []
        for further, name, own in module.imports:
            wanted = asked if own == WHOLE else name
            if own in (asked, WHOLE) and (further, wanted) not in tried:
                found += self._defining(further, wanted, foreign, tried | {(where, asked), (further, wanted)})
        # What an `__init__` defines itself may use all that it imports. The project's studies say what they use.
        yield from found if found and not _is_foreign(where) else [*found, (where, foreign)]


_GRAPHS: dict[frozenset[str], _Graph] = {}


def _graph(packages: frozenset[str]) -> _Graph:
    return _GRAPHS.setdefault(packages, _Graph(packages))


def _is_foreign(name: str) -> bool:
    """Whether a module is none of the project's."""
    return name.partition(".")[0] != PROJECT


@dataclass
class _Loaded:
    """A module that this process has imported: its specification, its file's state when first seen, and its digest."""

    spec: object
    file_state: tuple[int, int]
    digest: str = ""


_LOADED: dict[str, _Loaded] = {}


def _stale(packages: Collection[str], found: Mapping[str, str]) -> list[str]:
    """Note the modules of packages that this process has loaded; those whose digest was another than is given."""
    wrong = []
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in packages and name not in found:
            continue
        spec, file = getattr(module, "__spec__", None), getattr(module, "__file__", None)
        known = _LOADED.get(name)
        with suppress(OSError):
            if file and (known is None or known.spec is not spec):  # one that was loaded again has another one
                _LOADED[name] = known = _Loaded(spec, source.file_state(Path(file)))
        digest = found.get(name)
        if known is None or digest is None:
            continue
        path = source.path_of(name)
        if known.digest not in ("", digest) or (
            not known.digest and path and known.file_state != source.file_state(path)
        ):
            wrong.append(name)
        else:
            known.digest = digest
    return wrong


def modules_of(things: Iterable[object], packages: Collection[str]) -> tuple[str, ...]:
    """The modules that define these classes and functions, and the classes of other objects and of all in their fields.

    Of a class its bases are counted too, as a subclass inherits their code, and functions of ``packages`` that others
    have put into it. What an object says that it is ``made_of`` counts like its fields.
    """
    found: set[str] = set()
    todo, seen = list(things), set[int]()
    kept = list(todo)  # identities stay unique while all live
    while todo:
        thing = todo.pop()
        if id(thing) in seen or isinstance(thing, _DATA):
            continue
        seen.add(id(thing))
        inner: list[object] = []
        if isinstance(thing, Mapping):
            inner += thing.values()
        elif isinstance(thing, list | tuple | set | frozenset):
            inner += thing
        elif isinstance(thing, type):
            own, put = _of_class(thing)
            found |= own | {name for name in put if name.partition(".")[0] in packages}
        elif isinstance(thing, functools.partial):
            inner += [thing.func, thing.args, thing.keywords]
        elif isinstance(thing, types.MethodType):
            inner += [thing.__func__, thing.__self__]
        elif callable(thing) and hasattr(thing, "__wrapped__"):
            inner += [thing.__wrapped__]
            found.add(thing.__module__)
        elif isinstance(thing, types.FunctionType):
            found.add(thing.__module__)
        else:
            inner.append(type(thing))
            if is_dataclass(thing):
                inner += [getattr(thing, named_field.name, None) for named_field in fields(thing)]
            if isinstance(thing, _Composed):
                inner += thing.made_of()
        kept += inner
        todo += inner
    return tuple(sorted(name for name in found if name.partition(".")[0] not in PLAIN))


@runtime_checkable
class _Composed(Protocol):
    """What says which further objects it is made of."""

    def made_of(self) -> Sequence[object]:
        """The objects."""


_DATA = (str, bytes, int, float, complex, type(None), Path)


@lru_cache(maxsize=4096)
def _of_class(kind: type) -> tuple[frozenset[str], frozenset[str]]:
    """The modules of a class and its bases, and those of the functions in them."""
    own, put = set[str](), set[str]()
    for ancestor in (*getmro(kind), *getmro(type(kind))):
        own.add(ancestor.__module__)
        todo = list(vars(ancestor).values())
        while todo:
            value = todo.pop()
            if isinstance(value, types.FunctionType):
                put.add(str(value.__globals__.get("__name__")))  # a decorator may have changed what it says itself
                todo += [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
            todo += [
                inner
                for name in ("__func__", "__wrapped__", "fget", "func")
                if (inner := getattr(value, name, None)) is not None and not isinstance(value, type)
            ]
    return frozenset(own), frozenset(put)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return isinstance(cell.cell_contents, types.FunctionType)
    except ValueError:
        return False
