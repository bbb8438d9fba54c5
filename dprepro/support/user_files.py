"""Files of Python that a user names, as modules known by their content: ``FILE.py:NAME`` is ``own_FILE_DIGEST.NAME``.

A module of this kind is found by its name like any other, in this process and in workers, once the user has named its
file. Its name tells its content, without comments and docstrings: a file that is edited is another module, so that what
was loaded before does no harm, and keys of cells depend on it.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import pickle
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from dprepro.errors import InputError, shortened, unknown

DPREPRO_IMPORTS = DPREPRO_READS = ()  # what is loaded counts with what holds it

T = TypeVar("T")
PREFIX = "own_"
_TARGET = re.compile(r"(?P<file>[^\0]+\.py):(?P<name>[A-Za-z_]\w*)")
_PROJECT = __name__.partition(".")[0]
_DIGITS = 12
_DOTTED = re.compile(rf"{PREFIX}\w+_[0-9a-f]{{{_DIGITS}}}\.[A-Za-z_]\w*")


@dataclass
class _Known:
    """What the user has named: files by the names of their modules, folders of configurations; and folders of files."""

    files: dict[str, Path] = field(default_factory=dict)
    folders: list[Path] = field(default_factory=list)
    beside: set[str] = field(default_factory=set)


_KNOWN = _Known()
_READ: dict[str, Path] = {}
"""Files of which the module's name was told: not all of them may be loaded."""

WRAPPED = {"algorithm": "dprepro.own.adapters.Fitted", "construction": "dprepro.own.adapters.Made"}
"""What makes algorithms and constructions of functions and estimators."""


def is_target(text: object) -> bool:
    """Whether a text names a class or a function of a file: ``FILE.py:NAME``."""
    return isinstance(text, str) and _TARGET.fullmatch(text) is not None


def dotted(target: str) -> str:
    """``own_FILE_DIGEST.NAME`` of ``FILE.py:NAME``; the file is read, and nothing of it is run.

    Raises:
        InputError: no such file, one that is no Python, or without such a name; and a text of another form.
    """
    path, name = split(target)
    tree = _parsed(path)
    defined = _defined(tree)
    if name not in defined:
        raise InputError(f"{target}: {unknown(f'name in {path.name}', name, defined)}")
    module = _module_of(path.stem, tree)
    _READ[module] = path
    return f"{module}.{name}"


def names_in(file: str) -> list[str]:
    """The classes and functions that a file defines itself; raises InputError for a file that is no Python."""
    kinds = ast.FunctionDef | ast.ClassDef
    body = _parsed(Path(file).expanduser()).body
    return [node.name for node in body if isinstance(node, kinds) and not node.name.startswith("_")]


def is_dotted(text: object) -> bool:
    """Whether a text is the dotted name of a class or a function of a file."""
    return isinstance(text, str) and _DOTTED.fullmatch(text) is not None


def split(target: str) -> tuple[Path, str]:
    """File and name; raises InputError for a text of another form, and where there is no such file."""
    found = _TARGET.fullmatch(target)
    if found is None:
        raise InputError(f"{shortened(target)} names no class or function of a file; it must be FILE.py:NAME")
    path = Path(found["file"]).expanduser()
    path = next((file for file in (path, *(folder / path for folder in _KNOWN.folders)) if _is_file(file)), path)
    if not _is_file(path):
        raise InputError(f"{target}: there is no file {path} in {Path.cwd()}" if not path.is_absolute() else
                         f"{target}: there is no file {path}")  # fmt: skip
    return path.resolve(), found["name"]


def trust(target: str) -> str:
    """The dotted name of what the user has named, which may be loaded from now on; raises as `dotted`."""
    name = dotted(target)
    module = name.partition(".")[0]
    register(module, split(target)[0])
    keep_copy(module)
    return name


def trust_folder(folder: str | Path) -> None:
    """Files in a folder of configurations may be loaded: the user has said so."""
    path = Path(folder).expanduser().resolve()
    if path not in _KNOWN.folders:
        _KNOWN.folders.append(path)


def is_trusted(module: str) -> bool:
    """Whether the user has named the file of this module."""
    return module.partition(".")[0] in _KNOWN.files


def may_load(target: str) -> bool:
    """Whether the user has named a file, or its folder of configurations; raises as `dotted`."""
    path, _ = split(target)
    inside = any(folder in path.parents for folder in _KNOWN.folders)
    return inside or is_trusted(dotted(target))


def load(target: str) -> object:
    """The class or function that ``FILE.py:NAME`` or ``own_FILE_DIGEST.NAME`` names; runs its file.

    Raises:
        InputError: as `dotted`; the user has not named the file; or running it raises.
    """
    if is_target(target):
        if not may_load(target):
            raise refusal(target)
        target = trust(target)
    module, _, name = target.rpartition(".")
    if not is_trusted(module):
        raise refusal(f"{_READ[module]}:{name}" if module in _READ else target)
    found = getattr(_imported(module), name, None)
    if found is None:
        raise InputError(f"{_KNOWN.files[module]} defines no {name} when it is run")
    return found


def named(override: str) -> str:
    """An override whose value is FILE.py:NAME, with the dotted name in its place; any other as it is.

    Raises:
        InputError: as `dotted`.
    """
    key, equals, value = override.partition("=")
    bare = value.strip().strip("'\"")
    return f"{key}={dotted(bare)}" if equals and is_target(bare) else override


def trust_overrides(overrides: Sequence[str]) -> None:
    """Files that the user's overrides name may be loaded; several stand between commas. Raises as `dotted`."""
    for override in overrides:
        for value in re.split(r"[,\[\]{}]", override.partition("=")[2]):
            bare = value.rpartition("=")[2].strip().strip("'\"")
            if is_target(bare):
                trust(bare)


def in_folder(group: str, name: str) -> str:
    """``FILE.py:NAME`` of a choice that is a file in a folder that the user trusts, ``algorithms/NAME.py``.

    Empty where there is none. Of several classes and functions that is the one whose name is the file's.

    Raises:
        InputError: a file of which nobody can tell what is meant.
    """
    for folder in _KNOWN.folders:
        path = folder / f"{group}s" / f"{name}.py"
        if not (name.isidentifier() and _is_file(path)):
            continue
        found = names_in(str(path))
        same = [text for text in found if text.replace("_", "").lower() == name.replace("_", "").lower()]
        if len(found) > 1 and len(same) != 1:
            raise InputError(f"{path} has {', '.join(found)}; say which: {group}={path}:{found[0]}")
        if found:
            target = f"{path}:{(same or found)[0]}"
            trust(target)
            return target
    return ""


def block_of(group: str, target: str) -> dict[str, str]:
    """The block of a configuration for what a file has, of ``FILE.py:NAME`` or the dotted name; nothing is run.

    A class stands for itself. A function, an estimator and what is imported are wrapped (`dprepro.own.adapters`).
    """
    name = dotted(target) if is_target(target) else target
    if group not in WRAPPED or not _is_wrapped(group, name):
        return {"_target_": name}
    return {"_target_": WRAPPED[group], "code": name}


def _is_wrapped(group: str, name: str) -> bool:
    module, _, own = name.rpartition(".")
    path = _KNOWN.files.get(module, _READ.get(module))
    for node in _parsed(path).body if path else ():
        if isinstance(node, ast.ClassDef) and node.name == own:
            methods = {function.name for function in node.body if isinstance(function, ast.FunctionDef)}
            return group == "algorithm" and "fit" in methods and "solve" not in methods
        names = [name.asname or name.name for name in node.names] if isinstance(node, ast.ImportFrom) else []
        if own in names and str(getattr(node, "module", "")).partition(".")[0] == _PROJECT:
            return False
    return True


def refusal(target: str) -> InputError:
    """What is said of a file that a configuration names and the user does not."""
    return InputError(
        f"{target} is refused: a configuration runs no code; name the file yourself, as algorithm=FILE.py:NAME or "
        "construction=FILE.py:NAME, or add --trust to run what the files of your --config-dir or your store name"
    )


def register(module: str, path: Path) -> None:
    """Have a module found in this file; its folder is where it finds what it imports."""
    _KNOWN.files[module] = path
    if path.parent != kept_dir() and str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
        _KNOWN.beside.add(str(path.parent))


def is_found_beside(path: str) -> bool:
    """Whether Python finds this file only because it lies beside one that the user has named."""
    return str(Path(path).parent) in _KNOWN.beside


def is_own_file(path: str) -> bool:
    """Whether a path is that of a file that the user has named."""
    return any(path == str(file) for file in _KNOWN.files.values())


def path_of(module: str) -> Path | None:
    """The file of a module that the user has named."""
    return _KNOWN.files.get(module.partition(".")[0])


def written(stem: str, source: str) -> str:
    """The name of a module with this source, which is kept in a folder of its own, and may be loaded."""
    module = _module_of(stem, ast.parse(source))
    _keep(module, source)
    return module


def keep_copy(module: str) -> None:
    """Keep a copy of a file that the user has named: what is stored of it can be read once it is edited."""
    path = _KNOWN.files[module]
    if path.parent != kept_dir():
        with suppress(OSError):
            _write(module, path.read_text(encoding="utf-8"))


def trust_again(module: str, source: str = "") -> None:
    """Let a module of a stored run be loaded: from ``source``, the file that it was, or its copy.

    Raises:
        InputError: none of these has the content that its name tells.
    """
    for path in (Path(source).expanduser(), kept_dir() / f"{module}.py"):
        if _is_file(path) and _module_of(_stem_of(module), _parsed(path.resolve())) == module:
            register(module, path.resolve())
            return
    raise InputError(
        f"the code {module} of {source or 'an object'} is not here any more, or is another by now; run it again"
    )


def portable(task: Callable[[], T]) -> Callable[[], T]:
    """The task, with the files that it may need in the process that runs it; itself where there are none."""
    if not _KNOWN.files:
        return task
    files = [(module, str(path), path.read_text(encoding="utf-8")) for module, path in _KNOWN.files.items()]
    return partial(_unpacked, files, pickle.dumps(task))


def _unpacked(files: Sequence[tuple[str, str, str]], task: bytes) -> Any:
    for module, path, source in files:
        if module in _KNOWN.files:
            continue
        with suppress(InputError):
            if _is_file(Path(path)) and _module_of(_stem_of(module), _parsed(Path(path))) == module:
                register(module, Path(path))
                continue
        _keep(module, source)
    return pickle.loads(task)()


def kept_dir() -> Path:
    """Where sources are kept that stand in no file: beside other programs' caches, or for this process alone."""
    return _writable(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))


@lru_cache(maxsize=8)
def _writable(caches: str) -> Path:
    folder = Path(caches) / "dprepro" / "own"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder.resolve()
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="dprepro-own-")).resolve()


def _keep(module: str, source: str) -> None:
    register(module, _write(module, source))


def _write(module: str, source: str) -> Path:
    path = kept_dir() / f"{module}.py"
    if not path.is_file() or path.read_text(encoding="utf-8") != source:
        handle, beside = tempfile.mkstemp(dir=kept_dir(), suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        os.replace(beside, path)
    return path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (SyntaxError, ValueError, RecursionError) as error:
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise InputError(f"{path}{where} is no Python: {getattr(error, 'msg', error)}") from error


def _defined(tree: ast.Module) -> list[str]:
    """The names that a module defines or imports."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node in tree.body:
            found.append(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom) and node in tree.body:
            found += [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [target.id for target in targets if isinstance(target, ast.Name)]
    return found


def _module_of(stem: str, tree: ast.Module) -> str:
    """The name of a module of this content; comments and docstrings are none of it."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                body[0] = ast.Pass()
    stem = _stem_of(stem) if is_dotted(f"{stem}.x") else stem  # a copy of ours is what it is a copy of
    content = hashlib.blake2b(ast.dump(tree).encode(), digest_size=_DIGITS // 2).hexdigest()
    return f"{PREFIX}{re.sub(r'[^A-Za-z0-9_]', '_', stem)[:40].strip('_') or 'file'}_{content}"


def _stem_of(module: str) -> str:
    return module.removeprefix(PREFIX)[: -_DIGITS - 1]


def _imported(module: str) -> ModuleType:
    path = _KNOWN.files[module]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"{path} needs {error.name}, which cannot be imported: pip install {error.name}") from error
    except InputError:
        raise
    except Exception as error:
        lines = [
            summary.lineno for summary in traceback.extract_tb(error.__traceback__) if summary.filename == str(path)
        ]
        where = f", line {lines[-1]}" if lines else ""
        said = " ".join(str(error).split())
        raise InputError(f"{path}{where}: {type(error).__name__}{f': {said}' if said else ''}") from error


class _Loader(SourceFileLoader):
    """Compiles the file as it is: what Python keeps of older ones is known by their second and size only."""

    def path_stats(self, path: str) -> dict[str, int]:
        raise OSError

    def exec_module(self, module: ModuleType) -> None:
        if not is_trusted(self.name):
            raise refusal(self.name)
        super().exec_module(module)

    def get_data(self, path: str) -> bytes:
        content = super().get_data(path)
        if path == self.path and _module_of(_stem_of(self.name), ast.parse(content)) != self.name:
            raise InputError(f"{path} has been edited while it was being run; run it again")
        return content


class _Finder(MetaPathFinder):
    """Finds the modules that the user has named; those of earlier runs too, whose sources can be read, and not run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or not is_dotted(f"{fullname}.x"):
            return None
        file = _KNOWN.files.get(fullname, kept_dir() / f"{fullname}.py")
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, str(file))) if _is_file(file) else None


sys.meta_path.append(_Finder())
