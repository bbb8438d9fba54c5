"""What the source of one module says: its digest, what it imports, and what nobody can follow. Nothing is imported.

Syntax trees are compared, without comments and docstrings. A module that finds code or data by other ways than an
``import`` names them in two constants, each a tuple of texts:

- ``DPREPRO_IMPORTS``: modules that it imports by a name that it computes; ``"package.*"`` is a package with all that
  lies in its folder;
- ``DPREPRO_READS``: files that it reads, relative to its own folder; ``"data/*.csv"`` are all that match.

``importlib.import_module``, ``__import__`` and ``entry_points(group=...)`` of a text are followed as they are.
"""

from __future__ import annotations

import ast
import hashlib
import json
import marshal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.metadata import PackageNotFoundError, distribution, entry_points, packages_distributions, version
from importlib.util import cache_from_source
from pathlib import Path
from pkgutil import get_importer

from dprepro.engine.sealed import read_sealed, write_sealed
from dprepro.errors import InputError, OtherCode

IMPORTS = "DPREPRO_IMPORTS"
READS = "DPREPRO_READS"
WHOLE = "*"
"""Asked of a package: all that it imports, where nobody can tell what is used of it."""
GROUP = "entry points "
"""Before the name of a group of entry points: the module that leads to all of theirs."""
INSTALLED = "installed "
"""Before the name of a package of a library: its files as they were installed."""
LIBRARY = "version of "
"""Before the name of a distribution."""

_FINDERS = ("importlib.import_module", "importlib.__import__", "builtins.__import__", "__import__")
_BUILTINS = frozenset({"__import__", "eval", "exec", "open", "__file__", "__loader__", "__path__", "__spec__"})
"""Names that need no import."""
_GROUPS = ("importlib.metadata.entry_points", "importlib_metadata.entry_points")
_CODE = (
    *_FINDERS, *_GROUPS, "builtins.eval", "builtins.exec", "eval", "exec", "imp", "importlib.abc",
    "importlib.machinery", "importlib.util", "lazy_loader", "pkgutil", "runpy", "zipimport",
)  # fmt: skip
"""What code is found with that no import names."""
_DATA = (
    "__file__", "__loader__", "__path__", "__spec__", "aiohttp", "bz2", "cffi", "configparser", "ctypes", "dbm",
    "diskcache", "duckdb", "fileinput", "gzip", "h5py", "http", "httpx", "importlib.resources", "importlib_resources",
    "joblib.Memory", "linecache", "lzma", "mmap", "netCDF4", "os.popen", "os.system", "requests", "shelve", "socket",
    "sqlite3", "subprocess", "tarfile", "urllib", "xml.etree", "zarr", "zipfile",
)  # fmt: skip
"""What files, programs and the network are read with, and what leads to files beside a module."""
_READERS = frozenset({
    "fromfile", "genfromtxt", "get_data", "getline", "getlines", "glob", "imread", "iterdir", "listdir", "load",
    "load_npz", "loadmat", "loadtxt", "memmap", "mmread", "open", "open_memmap", "read_bytes", "read_text", "rglob",
    "scandir",
})  # fmt: skip
_READING = ("read_", "open_", "scan_")
"""Whoever has them, functions that read files have these names, or names that begin so."""
PLAIN = frozenset({*sys.stdlib_module_names, "matplotlib", "numba", "numpy", "pandas", "scipy"})
"""What the project itself measures with, whose versions stand with every run: nobody asks what is used of it."""
_ITSELF = ("self", "cls")


@dataclass(frozen=True)
class Module:
    """A source file.

    Attributes:
        digest: 32 hexadecimal digits, of the files too that it says it reads.
        package: whether it is a package's ``__init__``.
        imports: (module, name, own name) of all that it imports; an empty name is the module itself, an empty own name
            a mere use.
        unclear: where it finds code or reads files that it does not name, and what to type; empty if nowhere.
        reads: whether there are files that it says it reads.
    """

    digest: str
    package: bool
    imports: tuple[tuple[str, str, str], ...]
    unclear: str = ""
    reads: bool = False


def read(name: str) -> Module | None:
    """The source of a module; None where there is none.

    Raises:
        InputError: a file that it says it reads cannot be read.
    """
    if name.startswith(GROUP):
        points = sorted({point.module for point in entry_points(group=name.removeprefix(GROUP))})
        return Module(digest(repr(points)), False, tuple((point, WHOLE, "") for point in points))
    if name.startswith(LIBRARY):
        try:
            return Module(version(name.removeprefix(LIBRARY)), False, ())
        except PackageNotFoundError:
            return None
    if name.startswith(INSTALLED):
        return Module(_installed(name.removeprefix(INSTALLED)), False, ())
    path = path_of(name)
    if path is None:
        return None
    stat = path.stat()
    module, reads = _parsed(str(path), name, stat.st_mtime_ns, stat.st_size)
    if not reads:
        return module
    content = [_content(file, name) for pattern in reads for file in _matching(path.parent, pattern, name)]
    return replace(module, digest=digest(repr([module.digest, *content])), reads=True)


def file_state(path: Path) -> tuple[int, int]:
    """What changes with a file: its time and size; raises OSError."""
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size


def path_of(name: str) -> Path | None:
    """The source of a module or its compiled extension, found as an import would find it; None where there is none."""
    spec = spec_of(name)
    path = Path(spec.origin) if spec is not None and spec.origin else None
    return path if path is not None and path.name.endswith((".py", *EXTENSION_SUFFIXES)) and path.is_file() else None


def is_opaque(name: str) -> bool:
    """Whether an import finds a module whose source nobody can read; a package without ``__init__`` has none."""
    spec = spec_of(name)
    return spec is not None and spec.origin is not None and path_of(name) is None


def is_library(package: str) -> bool:
    """Whether a package, by its first name, is one that was installed, from a wheel and not to be edited."""
    spec = spec_of(package)
    places = [*places_of(spec), spec.origin or ""] if spec else []
    return any(part in ("site-packages", "dist-packages") for place in places for part in Path(place).parts)


def submodules(package: str) -> Iterator[str]:
    """The names of all modules in the folders of a package, its own first."""
    yield package
    spec = spec_of(package)
    for place in sorted(places_of(spec)) if spec else ():
        for path in sorted(Path(place).iterdir()):
            inner = path.name.partition(".")[0]
            if not inner.isidentifier() or inner.startswith("__"):
                continue
            if path.is_dir():
                yield from submodules(f"{package}.{inner}")
            elif path.name.endswith((".py", *EXTENSION_SUFFIXES)):
                yield f"{package}.{inner}"


@lru_cache(maxsize=8192)
def spec_of(name: str) -> ModuleSpec | None:
    """How a module would be imported; nothing is run for it."""
    parent, _, inner = name.rpartition(".")
    if not inner:
        return None
    if parent:
        package = spec_of(parent)
        if package is None or package.submodule_search_locations is None:
            return None
        return _within(package, name)
    for finder in tuple(sys.meta_path):  # that of an editable installation is one of them
        find = getattr(finder, "find_spec", None)
        spec: ModuleSpec | None = find(name, None) if find else None
        if spec is not None:
            return spec
    return None


def _within(package: ModuleSpec, name: str) -> ModuleSpec | None:
    """A module of a package; Python's own way asks for packages that were imported, where one has no ``__init__``."""
    portions: list[str] = []
    for place in places_of(package):
        finder = get_importer(place)
        spec = finder.find_spec(name) if finder is not None else None
        if spec is not None and spec.loader is not None:
            return spec
        portions += places_of(spec) if spec is not None else ()
    if not portions:
        return None
    found = ModuleSpec(name, None, is_package=True)
    found.submodule_search_locations = portions
    return found


def places_of(package: ModuleSpec) -> list[str]:
    """The folders of a package."""
    places = package.submodule_search_locations
    return list(getattr(places, "_path", places) or ())


@lru_cache(maxsize=64)
def _installed(package: str) -> str:
    """The digest of what was installed with a package, by the lists of files that installers write."""
    names = sorted(set(packages_distributions().get(package, ())))
    return digest(repr([(name, distribution(name).version, distribution(name).read_text("RECORD")) for name in names]))


def _matching(folder: Path, pattern: str, name: str) -> list[Path]:
    """The files that a module says it reads."""
    if any(letter in pattern for letter in "*?["):
        files = sorted(path for path in folder.glob(pattern) if path.is_file())
    else:
        files = [folder / pattern]
    if not files or not all(file.is_file() for file in files):
        raise InputError(f"{name}: {READS} names {pattern}, which is no file in {folder}; mend the name")
    return files


def _content(file: Path, name: str) -> str:
    try:
        return f"{file.name} {_hash(str(file), *file_state(file))}"
    except OSError as error:
        raise InputError(f"{name}: {READS} names {file}, which cannot be read: {error.strerror or error}") from error


@lru_cache(maxsize=256)
def _hash(path: str, _time: int, _size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


@lru_cache(maxsize=4096)
def _parsed(path: str, name: str, time: int, size: int) -> tuple[Module, tuple[str, ...]]:
    source, package = Path(path).read_bytes(), Path(path).name == "__init__.py"
    content = hashlib.blake2b(source, digest_size=16).hexdigest()
    if not path.endswith(".py"):
        return Module(content, False, ()), ()
    _check_compiled(Path(path), name, source, (f"{path} {time // 10**9} {size}", content))
    entry = f"{name} {package} {content}"
    if entry not in _KEPT.modules:
        _KEPT.add(entry, _Reading(name, package).of(source))
    found, imports, unclear, reads = _KEPT.modules[entry]
    return Module(found, package, tuple((where, asked, own) for where, asked, own in imports), unclear), tuple(reads)


def _check_compiled(path: Path, name: str, source: bytes, seen: tuple[str, str]) -> None:
    """Take away what Python has compiled of an older source, which it knows by second and size, and so for this one.

    Raises:
        OtherCode: this process has loaded it.
    """
    stamped, content = seen
    known = _KEPT.modules.get(stamped)
    if known is None or known[0] != content:
        _KEPT.add(stamped, (content, [], "", []))
    if known is None or known[0] == content:
        return
    compiled = Path(cache_from_source(str(path)))
    try:
        old = marshal.loads(compiled.read_bytes()[16:]) != compile(source, str(path), "exec", dont_inherit=True)
    except (OSError, ValueError, EOFError, TypeError, SyntaxError):
        return
    if old:
        with suppress(OSError):
            compiled.unlink()
        if name in sys.modules:
            raise OtherCode(f"Python has loaded {name} as it was before an edit in the same second; start it anew")


_Entry = tuple[str, list[tuple[str, str, str]], str, list[str]]


class _Reading:
    """Reads the syntax tree of one module."""

    def __init__(self, name: str, package: bool) -> None:
        self.name = name
        self.within = name if package else name.rpartition(".")[0]
        self.texts: dict[str, str] = {}
        self.bound: dict[str, str] = {}  # what names stand for that an import has given
        self.imports: dict[tuple[str, str, str], None] = {}
        self.defined: set[str] = set()
        self.code: list[tuple[int, str]] = []  # line and what is said there
        self.data: list[tuple[int, str]] = []
        self.compiled: list[int] = []  # lines where numba keeps machine code by itself

    def of(self, source: bytes) -> _Entry:
        """Digest, imports, what is unclear, and the files that it says it reads."""
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):  # nor can it be imported
            return hashlib.blake2b(source, digest_size=16).hexdigest(), [], "", []
        named, reads = self._declared(tree, IMPORTS), self._declared(tree, READS)
        nodes = list(ast.walk(tree))
        self._constants(tree)
        for node in nodes:
            self._import(node)
            self._strip(node)
        handled: set[int] = set()
        for node in nodes:  # outer ones first
            if isinstance(node, ast.Call):
                self._call(node, handled)
            elif isinstance(node, ast.Attribute | ast.Name) and id(node) not in handled:
                self._use(node, handled)
        for text in named or ():
            package = text.removesuffix(".*")
            self.imports[package, WHOLE, ""] = None
            if package != text:
                self.imports[text, "", ""] = None
        return digest(ast.dump(tree)), list(self.imports), self._unclear(named, reads), list(reads or ())

    def _unclear(self, named: tuple[str, ...] | None, reads: tuple[str, ...] | None) -> str:
        if self.compiled:
            return (
                f"{self.name}, line {min(self.compiled)}: numba's cache=True keeps what was compiled of older helpers; "
                "take jit of dprepro.reductions.kernels.compiled instead of numba's"
            )
        if self.code and named is None:
            line, what = min(self.code)
            return self._said(line, f"{what} finds code that no import names", IMPORTS, "package.module", "imports")
        if self.data and reads is None:
            line, what = min(self.data)
            return self._said(line, f"{what} may read a file", READS, "data.csv", "reads")
        return ""

    def _said(self, line: int, what: str, constant: str, example: str, does: str) -> str:
        return (
            f"{self.name}, line {line}: {what}, and an edit of it would not be noticed; write "
            f'{constant} = ("{example}",) with what it {does} into {self.name}, or {constant} = () for nothing'
        )

    def _declared(self, tree: ast.Module, constant: str) -> tuple[str, ...] | None:
        """The texts of a constant of the module; None without it."""
        found: tuple[str, ...] | None = None
        for node in ast.walk(tree):
            targets = _targets(node)
            if not any(isinstance(target, ast.Name) and target.id == constant for target in targets):
                continue
            try:
                value = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            except (ValueError, TypeError):
                value = None
            if found is not None or node not in tree.body or not _is_texts(value):
                raise InputError(
                    f'{self.name}: {constant} must be a tuple of texts, written once: {constant} = ("...",)'
                )
            found = tuple(value)
        return found

    def _constants(self, tree: ast.Module) -> None:
        """Texts that names of the module stand for."""
        times: dict[str, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                times[node.id] = times.get(node.id, 0) + 1
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.defined.add(node.name)
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and (text := _text(node.value)) is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name) and times[target.id] == 1:
                        self.texts[target.id] = text

    def _import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                self.imports[alias.name, "", alias.asname or first] = None
                self.bound[alias.asname or first] = alias.name if alias.asname else first
                self._judge(alias.name, node.lineno, True)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                base = self.within.split(".")
                source = ".".join([*base[: len(base) - node.level + 1], *([source] if source else [])])
            for name in node.names:
                self.imports[source, name.name, name.asname or name.name] = None
                self.bound[name.asname or name.name] = f"{source}.{name.name}"
                if f"{source}.{name.name}" not in (*_FINDERS, *_GROUPS):
                    self._judge(f"{source}.{name.name}", node.lineno, True)

    def _strip(self, node: ast.AST) -> None:
        """Take a docstring away."""
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and _text(body[0].value) is not None:
            body[0] = ast.Pass()

    def _call(self, node: ast.Call, handled: set[int]) -> None:
        """Follow what names a module, a group or an attribute by a text."""
        path, first = self._path(node.func), node.args[0] if node.args else None
        if path in _FINDERS and first is not None:
            source = self._value(first)
            if source is not None and source.startswith("."):
                source = self._absolute(source, node)
            if source:
                self.imports[source, WHOLE, ""] = None
                handled |= _inside(node.func)
        elif path in _GROUPS:
            group = next((self._value(keyword.value) for keyword in node.keywords if keyword.arg == "group"), None)
            if group:
                self.imports[GROUP + group, WHOLE, ""] = None
                handled |= _inside(node.func)
        elif path is not None and path.startswith("numba."):
            self.compiled += [
                node.lineno
                for keyword in node.keywords
                if keyword.arg == "cache"
                and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
            ]
        elif path == "getattr" and len(node.args) > 1:
            name, owner = self._value(node.args[1]), self._path(node.args[0])
            if name is not None:
                self._judge(f"{owner or '?'}.{name}", node.lineno, owner is not None)

    def _absolute(self, source: str, node: ast.Call) -> str | None:
        """A name that begins with dots, within what the call says it is relative to."""
        given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "package")]
        at = given[0] if given else None
        if isinstance(at, ast.Name) and at.id in ("__package__", "__name__"):
            base: str | None = self.within if at.id == "__package__" else self.name
        else:
            base = self._value(at) if at is not None else None
        if not base:
            return None
        name = source.lstrip(".")
        parts = base.split(".")
        return ".".join([*parts[: len(parts) - (len(source) - len(name) - 1)], *([name] if name else [])])

    def _use(self, node: ast.Attribute | ast.Name, handled: set[int]) -> None:
        """What is used of a module that has a name, and what may find code or read files."""
        handled |= _inside(node)
        parts = _chain(node)
        root = self.bound.get(parts[0], parts[0]) if parts[0] else "?"
        own = parts[0] in _ITSELF and len(parts) == 2 and parts[1] in self.defined
        if isinstance(node.ctx, ast.Load) and not own:
            self._judge(".".join([root, *parts[1:]]), node.lineno, parts[0] in self.bound)
        if parts[0] in self.bound and root.partition(".")[0] not in PLAIN:
            for depth, asked in enumerate(parts[1:]):
                self.imports[".".join([root, *parts[1 : depth + 1]]), asked, ""] = None
            if len(parts) == 1:
                self.imports[root, WHOLE, ""] = None

    def _judge(self, path: str, line: int, imported: bool) -> None:
        """Note what may find code or read files."""
        first, _, last = f".{path}".rpartition(".")
        known = imported or path in _BUILTINS
        if known and _lies_in(path, _CODE):
            self.code.append((line, path))
        elif (known and (path == "open" or _lies_in(path, _DATA))) or (
            first and (last in _READERS or last.startswith(_READING))
        ):
            self.data.append((line, path.removeprefix("?.")))

    def _path(self, node: ast.AST) -> str | None:
        """What a name or a chain of attributes stands for."""
        if not isinstance(node, ast.Attribute | ast.Name):
            return None
        parts = _chain(node)
        return ".".join([self.bound.get(parts[0], parts[0]), *parts[1:]]) if parts[0] else None

    def _value(self, node: ast.AST) -> str | None:
        return self.texts.get(node.id) if isinstance(node, ast.Name) else _text(node)


def _chain(node: ast.AST) -> list[str]:
    """The names of ``a.b.c``; the first is empty where that is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [*([node.id] if isinstance(node, ast.Name) else [""]), *reversed(parts)]


def _inside(node: ast.AST) -> set[int]:
    """A chain of attributes with those that it begins with."""
    found = {id(node)}
    while isinstance(node, ast.Attribute):
        node = node.value
        if isinstance(node, ast.Attribute | ast.Name):
            found.add(id(node))
    return found


def _lies_in(path: str, places: tuple[str, ...]) -> bool:
    return any(path == place or path.startswith(f"{place}.") for place in places)


def _targets(node: ast.AST) -> list[ast.expr]:
    """What a statement assigns to."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) else []


def _is_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(text, str) and text for text in value)


def _text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


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
        content = read_sealed(self._file, self._salt)
        return dict(json.loads(content)) if content is not None else {}

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
            write_sealed(self._file, text.encode(), self._salt)

    @cached_property
    def _salt(self) -> bytes:
        return Path(__file__).read_bytes()


_KEPT = _Kept(Path(__file__).parent / "__pycache__" / f"modules.{sys.implementation.cache_tag}.json")


def keep() -> None:
    """Keep what was found in modules for the next command."""
    _KEPT.keep()


def digest(text: str) -> str:
    """32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
