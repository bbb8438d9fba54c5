"""Machine code of compiled functions, kept from run to run and used again for the same code only.

Numba's own cache knows the file of the function that it keeps, and nothing of what that function calls from others.
Here a folder holds what one module was compiled to, and its name has the digest of all modules that are reached from it
and the versions of the compiler. A file's name has the signature, the processor, and the function itself with the
values of the global names that it reads. A file that is not as it was written counts as none.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import config, serialize
from numba.core.caching import CompileResultCacheImpl
from numba.misc import appdirs

from dprepro.engine.code import code_of
from dprepro.engine.sealed import read_sealed, write_sealed
from dprepro.engine.source import digest, path_of
from dprepro.errors import DpreproError
from dprepro.support.typed import allowed_packages

DPREPRO_READS = ()  # what it reads was compiled from what the fingerprint covers

KEPT = 4
"""Folders of a module that are kept, the last used ones: of other branches, and of other environments."""

MOST = 256
"""Files in a folder: a signature may name what no other process has."""

_Serialised: Any = CompileResultCacheImpl
_dumps: Any = serialize.dumps
_Dirs: Any = appdirs.AppDirs
_VALUES = (bool, int, float, complex, str, bytes, tuple, np.generic)


class _Results(_Serialised):  # type: ignore[misc]
    """What numba makes of a compiled function to keep it, and back; places are none of its business here."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = types.SimpleNamespace(_py_file=function.__code__.co_filename)


class MachineCode:
    """What numba asks of the cache of a function, of which ``folder`` is that of its module."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self.cache_path = str(folder)
        self._folder = folder
        self._function = function
        self._results = _Results(function)
        self._enabled = True

    def enable(self) -> None:
        """Use the files."""
        self._enabled = True

    def disable(self) -> None:
        """Leave the files alone."""
        self._enabled = False

    def flush(self) -> None:
        """Take the files of the function away."""
        for path in self._folder.glob(f"{_plain(self._function.__qualname__)}-*"):
            _remove(path)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """What was kept for a signature; None where there is nothing that is sound."""
        if not self._enabled:
            return None
        target.refresh()
        path = self._file(signature, target.codegen())
        content = read_sealed(path)
        if content is None:
            return None
        try:
            return self._results.rebuild(target, pickle.loads(content))
        except Exception:  # sound, and yet of another numba's making
            _remove(path)
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        """Keep what was compiled; where nothing can be written, nothing is kept."""
        if not (self._enabled and self._results.check_cachable(made)):
            return
        try:
            if not self._folder.is_dir():
                self._folder.mkdir(parents=True, exist_ok=True)
                _forget_old(self._folder.parent, f"{self._folder.name.rpartition('.')[0]}.*", KEPT)
            _forget_old(self._folder, "*", MOST)
            write_sealed(self._file(signature, made.codegen), _dumps(self._results.reduce(made)))
        except OSError:
            self.disable()

    def _file(self, signature: Any, codegen: Any) -> Path:
        content = digest(repr([str(signature), codegen.magic_tuple(), list(_content(self._function, set()))]))
        return self._folder / f"{_plain(self._function.__qualname__)}-{content}.machine"


def cache_of(function: Callable[..., Any]) -> MachineCode | None:
    """The cache of a function; None where its source cannot be told or nothing can be written."""
    folder = _folder(str(function.__globals__.get("__name__")), function.__code__.co_filename)
    return None if folder is None else MachineCode(function, folder)


@lru_cache(maxsize=256)
def _folder(module: str, file: str) -> Path | None:
    """Where the machine code of a module lies."""
    source = path_of(module)
    try:
        if source is None or not source.samefile(file):
            return None  # typed at a prompt, or made by another program
        code = code_of((module,), allowed_packages(), ())
    except (DpreproError, OSError):
        return None  # an edit since this process loaded it, or what nobody can follow
    name = f"{module}.{sys.implementation.cache_tag}"
    for place in _places(source):
        folder = place / f"{name}.{digest(code.digest + _versions())}"
        if _is_writable(place):
            with suppress(OSError):
                os.utime(folder)
            return folder
    return None


@lru_cache(maxsize=1)
def _versions() -> str:
    return repr([sys.version, *(metadata.version(name) for name in ("numba", "llvmlite", "numpy"))])


def _places(source: Path) -> Iterator[Path]:
    """Where machine code may lie: where numba was told to, beside the source, or among the person's own files."""
    if folder := getattr(config, "CACHE_DIR", ""):
        yield Path(folder) / "dprepro"
        return
    yield source.parent / "__pycache__"
    yield Path(_Dirs(appname="dprepro", appauthor=False).user_cache_dir)


@lru_cache(maxsize=64)
def _is_writable(place: Path) -> bool:
    probe = place / f"probe.{os.getpid()}.partial"
    try:
        place.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


def _forget_old(place: Path, pattern: str, most: int) -> None:
    """Keep those files or folders that were used last."""
    found = []
    for path in place.glob(pattern):
        with suppress(OSError):
            found.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(found)[:-most]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _plain(name: str) -> str:
    """A name that any file system takes."""
    return "".join(letter if letter.isalnum() or letter in "._" else "" for letter in name)[:80]


def _content(function: Any, seen: set[int]) -> Iterator[str]:
    """What a function does, and what the global names stand for that it reads: numbers, arrays and further functions.

    The digest of the sources has all that they say; this has what the process made of them.
    """
    function = getattr(function, "py_func", function)
    if id(function) in seen:
        return
    seen.add(id(function))
    names = set[str]()
    yield from _of_code(function.__code__, names, function.__doc__)
    known = [(name, function.__globals__[name]) for name in sorted(names & function.__globals__.keys())]
    for name, value in [*known, *(("", cell.cell_contents) for cell in function.__closure__ or ())]:
        yield name
        yield from _of_value(value, names, seen)


def _of_value(value: Any, names: set[str], seen: set[int]) -> Iterator[str]:
    if isinstance(value, _VALUES):
        yield repr(value)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape} {hashlib.blake2b(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    elif isinstance(getattr(value, "py_func", value), types.FunctionType):
        yield from _content(value, seen)
    elif isinstance(value, types.ModuleType) and path_of(value.__name__) is not None:
        for name in sorted(names & vars(value).keys()):
            if isinstance(inner := vars(value)[name], (*_VALUES, np.ndarray)) or hasattr(inner, "py_func"):
                yield name
                yield from _of_value(inner, set(), seen)


def _of_code(code: types.CodeType, names: set[str], text: str | None = None) -> Iterator[str]:
    """Instructions and constants but for the docstring; the names that are read are added to ``names``."""
    names.update(code.co_names)
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _of_code(constant, names)
        elif isinstance(constant, frozenset):
            yield repr(sorted(map(repr, constant)))
        elif text is None or constant != text:
            yield repr(constant)
