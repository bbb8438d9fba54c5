"""The fingerprint of the code behind a measurement, read from source files: nothing is imported.

Syntax trees are compared, without comments and docstrings, of all modules that can be reached by imports from those
that a cell is made by. A package's ``__init__`` is looked through: what is imported from it by name leads to the module
that defines the name, so that a registry of all algorithms does not tie every cell to all of them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property, lru_cache
from importlib.machinery import PathFinder
from pathlib import Path

from dprepro.errors import DpreproError
from dprepro.regular_files import replace_file

ENGINE = ("dprepro.engine.measuring",)
"""How cells are run and seeded is behind every measurement."""


@dataclass(frozen=True)
class Code:
    """What made a cell.

    Attributes:
        digest: of all modules, 32 hexadecimal digits.
        modules: the digest of each, by name.
    """

    digest: str
    modules: Mapping[str, str] = field(compare=False)


@dataclass(frozen=True)
class _Module:
    """A source file: its digest, whether it is a package's ``__init__``, and (module, name) of all that it imports."""

    digest: str
    package: bool
    imports: tuple[tuple[str, str], ...]


@lru_cache(maxsize=4096)
def code_of(start: tuple[str, ...], packages: frozenset[str]) -> Code:
    """The code reached from modules, within packages by their first names.

    Raises:
        DpreproError: a module of ``start`` has no source file.
    """
    reached: dict[str, str] = {}
    todo = [*start, *ENGINE]
    for name in start:
        if read(name) is None:
            raise DpreproError(
                f"the source of {name} cannot be read, so that its measurements could not be told from others"
            )
    while todo:
        name = todo.pop()
        module = None if name in reached else read(name)
        if module is None:
            continue
        reached[name] = module.digest
        for source, asked in module.imports if not module.package or name in start else ():
            if source.partition(".")[0] in packages:
                todo += _defining(source, asked)
    _KEPT.keep()
    code = Code(fingerprint(reached), dict(sorted(reached.items())))
    _BEHIND[code.digest] = code.modules
    return code


def fingerprint(modules: Mapping[str, str]) -> str:
    """The digest of code from those of its modules: what is on record of a code is held against its name."""
    return _digest("".join(f"{name}={modules[name]};" for name in sorted(modules)))


_BEHIND: dict[str, Mapping[str, str]] = {}


def behind(digests: Iterable[str]) -> dict[str, Mapping[str, str]]:
    """The modules behind each of these digests that `code_of` has given in this process."""
    return {digest: _BEHIND[digest] for digest in digests if digest in _BEHIND}


def changed(modules: Mapping[str, str]) -> list[str]:
    """Those modules whose source is not what it was, by name."""
    return [name for name, digest in modules.items() if (module := read(name)) is None or module.digest != digest]


def _defining(source: str, asked: str) -> Iterator[str]:
    """The modules that ``from source import asked`` needs; ``import source`` asks for nothing."""
    if not asked:
        yield source
        return
    if read(f"{source}.{asked}") is not None:
        yield f"{source}.{asked}"
        return
    module = read(source)
    if module is None:
        return
    passed_on = [one for one in module.imports if one[1] == asked] if module.package else []
    for further, name in passed_on:
        yield from _defining(further, name)
    if not passed_on:
        yield source


def read(name: str) -> _Module | None:
    """The source of a module; None where there is none."""
    path = _path(name)
    if path is None:
        return None
    stat = path.stat()
    return _parsed(str(path), name, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4096)
def _path(name: str) -> Path | None:
    """The source file of a module, found as an import would find it but without running anything."""
    parts = name.split(".")
    spec = PathFinder.find_spec(parts[0])
    for depth in range(1, len(parts)):
        if spec is None or not spec.submodule_search_locations:
            return None
        spec = PathFinder.find_spec(".".join(parts[: depth + 1]), list(spec.submodule_search_locations))
    path = Path(spec.origin) if spec is not None and spec.origin else None
    return path if path is not None and path.suffix == ".py" and path.is_file() else None


@lru_cache(maxsize=4096)
def _parsed(path: str, name: str, _time: int, _size: int) -> _Module:
    source = Path(path).read_bytes()
    entry = f"{name} {path.endswith('__init__.py')} {hashlib.blake2b(source, digest_size=16).hexdigest()}"
    if entry not in _KEPT.modules:
        _KEPT.add(entry, _read(source.decode(), path, name))
    digest, imports = _KEPT.modules[entry]
    return _Module(digest, path.endswith("__init__.py"), tuple((module, asked) for module, asked in imports))


def _read(source: str, path: str, name: str) -> _Entry:
    """The digest of a module's syntax tree, and what it imports."""
    tree = ast.parse(source)
    imports: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [(one.name, "") for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imports += [(node.module, one.name) for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = name.split(".") if path.endswith("__init__.py") else name.split(".")[:-1]
            base = base[: len(base) - node.level + 1]
            imports += [(".".join([*base, *([node.module] if node.module else [])]), one.name) for one in node.names]
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            body[0] = ast.Pass()  # a docstring
    return _digest(ast.dump(tree)), list(dict.fromkeys(imports))


_Entry = tuple[str, list[tuple[str, str]]]


class _Kept:
    """What was found in modules, by their names and contents, kept beside Python's own caches from run to run.

    A second is saved of every command. A file that cannot be read, is not as it was written, or is another version's of
    this module is none; where none can be written, nothing is kept.
    """

    most = 4096

    def __init__(self, file: Path) -> None:
        self._file = file
        self._new = False

    @cached_property
    def modules(self) -> dict[str, _Entry]:
        try:
            told, _, text = self._file.read_text(encoding="utf-8").partition("\n")
            return dict(json.loads(text)) if told == self._seal(text) else {}
        except (OSError, ValueError):
            return {}

    def add(self, entry: str, found: _Entry) -> None:
        self.modules[entry] = found
        self._new = True

    def keep(self) -> None:
        """Write what is new."""
        if not self._new:
            return
        self._new = False
        text = json.dumps(dict([*self.modules.items()][-self.most :]))
        with suppress(OSError):
            self._file.parent.mkdir(exist_ok=True)
            replace_file(self._file, f"{self._seal(text)}\n{text}".encode())

    @staticmethod
    def _seal(text: str) -> str:
        return _digest(Path(__file__).read_text(encoding="utf-8") + text)


_KEPT = _Kept(Path(__file__).parent / "__pycache__" / f"modules.{sys.implementation.cache_tag}.json")


def _is_text(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def modules_of(things: Iterable[object]) -> tuple[str, ...]:
    """The modules that define these classes and functions, and the classes of other objects and of their fields.

    Of a class its bases are counted too, as a subclass inherits their code.
    """
    found: set[str] = set()
    for thing in things:
        if is_dataclass(thing) and not isinstance(thing, type):
            inner = (getattr(thing, one.name, None) for one in fields(thing))
            found |= set(modules_of(one for one in inner if is_dataclass(one)))
        kind = thing if isinstance(thing, type) or hasattr(thing, "__code__") else type(thing)
        found |= {one.__module__ for one in (kind.__mro__ if isinstance(kind, type) else (kind,))}
    return tuple(sorted(found - {"builtins", "abc", "typing"}))
