"""The fingerprint of the code behind a measurement."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dprepro.engine import code, source
from dprepro.engine.code import changed, code_of, modules_of
from dprepro.errors import DpreproError, InputError, OtherCode

NAME = "a_package_under_test"
FILES = {
    "__init__": "from {0}.used import solve\nfrom {0}.idle import other\n",
    "used": '"""Text."""\nfrom {0} import helper\n\n\ndef solve():\n    """More."""\n'
    "    return helper.step() * 2  # why\n",
    "helper": "def step():\n    return 1\n",
    "idle": "def other():\n    return 3\n",
    "study": "from {0} import solve\n\n\ndef measure():\n    return solve()\n",
}


def forget() -> None:
    code._GRAPHS.clear()
    for name in [name for name in (*code._LOADED, *sys.modules) if name.partition(".")[0] in (NAME, "lab", "kit")]:
        code._LOADED.pop(name, None)
        sys.modules.pop(name, None)
    for cached in (source.spec_of, source._parsed, source._hash, source._installed):
        cached.cache_clear()
    importlib.invalidate_caches()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of imports, with nothing in it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(source, "_KEPT", source._Kept(tmp_path / "kept" / "modules.json"))
    forget()
    yield tmp_path
    forget()


@pytest.fixture
def package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """A package that is taken for the project."""
    write(folder, {f"{NAME}/{module}.py": text.format(NAME) for module, text in FILES.items()})
    monkeypatch.setattr(code, "_is_foreign", lambda name: name.partition(".")[0] not in (NAME, code.PROJECT))
    return NAME, folder / NAME


def write(folder: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
    forget()


def digest(name: str, module: str = "study") -> str:
    forget()
    return code_of((f"{name}.{module}",), frozenset({name})).digest


def test_what_the_project_imports_by_name_is_reached_through_the_package_and_nothing_else(
    package: tuple[str, Path],
) -> None:
    name, _ = package
    reached = set(code_of((f"{name}.study",), frozenset({name})).modules)
    assert {one for one in reached if one.startswith(name)} == {f"{name}.{one}" for one in ("study", "used", "helper")}
    assert name not in sys.modules


def test_comments_docstrings_and_layout_do_not_count_and_a_number_does(package: tuple[str, Path]) -> None:
    name, folder = package
    before = digest(name)
    text = (folder / "used.py").read_text()
    (folder / "used.py").write_text(
        text.replace("# why", "# because").replace("More.", "Less.").replace("* 2", " *  2")
    )
    assert digest(name) == before
    (folder / "idle.py").write_text("def other():\n    return 4\n")
    assert digest(name) == before
    (folder / "helper.py").write_text("def step():\n    return 10\n")
    assert digest(name) != before


@pytest.mark.parametrize(
    ("files", "edited"),
    [
        ({"__init__": "from {0}.used import solve as run\n", "study": "from {0} import run\n"}, "helper"),
        ({"__init__": "from {0}.used import *\n", "study": "from {0} import solve\n"}, "helper"),
        ({"study": "from {0} import *\n"}, "idle"),
        ({"study": "import {0}\n\n\ndef measure():\n    return {0}.solve()\n"}, "helper"),
        ({"study": "import {0} as all_of_it\n\n\ndef measure(name):\n    return getattr(all_of_it, name)()\n"}, "idle"),
        ({"__init__": "from {0} import used\n", "study": "import {0}\n\nrun = {0}.used.solve\n"}, "used"),
    ],
)
def test_a_package_of_the_project_is_looked_through_to_all_that_is_used_of_it(
    package: tuple[str, Path], files: dict[str, str], edited: str
) -> None:
    name, folder = package
    write(folder, {f"{module}.py": text.format(name) for module, text in files.items()})
    before = digest(name)
    write(folder, {f"{edited}.py": FILES[edited].format(name).replace("return ", "return 7 + ")})
    assert digest(name) != before


ALGORITHM = "lab/algorithm.py"
START = {"lab/__init__.py": "", ALGORITHM: ""}
SHAPES: dict[str, tuple[dict[str, str], str]] = {
    # name: files of a plug-in, and the file of which an edit must be noticed
    "the __init__ of the package": ({"lab/__init__.py": "FACTOR = 1\n"}, "lab/__init__.py"),
    "a helper that an __init__ uses, reached indirectly": (
        {
            "lab/tools/__init__.py": "from lab.tools.inner import step\n\n\ndef run():\n    return step()\n",
            "lab/tools/inner.py": "def step():\n    return 1\n",
            "lab/middle.py": "from lab.tools import run\n",
            ALGORITHM: "from lab.middle import run\n",
        },
        "lab/tools/inner.py",
    ),
    "import a.b; a.b.f()": (
        {
            "lab/tools/__init__.py": "from lab.tools.inner import run\n",
            "lab/tools/inner.py": "def run():\n    return 1\n",
            ALGORITHM: "import lab.tools\n\n\ndef solve():\n    return lab.tools.run()\n",
        },
        "lab/tools/inner.py",
    ),
    "import a; a.b.f(), where somebody else imports a.b": (
        {
            "lab/tools.py": "def run():\n    return 1\n",
            ALGORITHM: "import lab\n\n\ndef solve():\n    return lab.tools.run()\n",
        },
        "lab/tools.py",
    ),
    "a registry that the __init__ fills": (
        {
            "lab/__init__.py": "from lab import steps\n",
            "lab/registry.py": "STEPS = {}\n",
            "lab/steps.py": "from lab.registry import STEPS\n\nSTEPS['long'] = 1\n",
            ALGORITHM: "from lab.registry import STEPS\n",
        },
        "lab/steps.py",
    ),
    "a registry filled by an __init__ of a folder between": (
        {
            "lab/deep/__init__.py": "from . import steps as _\n",
            "lab/deep/steps.py": "import lab.registry\n\nlab.registry.STEPS['long'] = 1\n",
            "lab/deep/registry.py": "",
            "lab/registry.py": "STEPS = {}\n",
            ALGORITHM: "from lab.deep.registry import *\n",
        },
        "lab/deep/steps.py",
    ),
    "importlib with a text": (
        {"lab/tools.py": "A = 1\n", ALGORITHM: "import importlib\n\nTOOLS = importlib.import_module('lab.tools')\n"},
        "lab/tools.py",
    ),
    "import_module with a name relative to the package": (
        {
            "lab/tools.py": "A = 1\n",
            ALGORITHM: "from importlib import import_module as get\n\nW = '.tools'\nTOOLS = get(W, __package__)\n",
        },
        "lab/tools.py",
    ),
    "__import__": (
        {"lab/tools.py": "A = 1\n", ALGORITHM: "TOOLS = __import__('lab.tools', fromlist=['A'])\n"},
        "lab/tools.py",
    ),
    "imports that are declared": (
        {
            "lab/kinds/__init__.py": "",
            "lab/kinds/one.py": "A = 1\n",
            ALGORITHM: "import importlib\n\nDPREPRO_IMPORTS = ('lab.kinds.*',)\n\n\n"
            "def kind(name):\n    return importlib.import_module(f'lab.kinds.{name}')\n",
        },
        "lab/kinds/one.py",
    ),
    "a lazy package": (
        {
            "lab/__init__.py": "DPREPRO_IMPORTS = ('lab.lazy',)\n\n\ndef __getattr__(name):\n"
            "    import importlib\n\n    return importlib.import_module(f'lab.{name}')\n",
            "lab/lazy.py": "A = 1\n",
        },
        "lab/lazy.py",
    ),
    "a data file": (
        {
            "lab/data.csv": "1\n",
            ALGORITHM: "DPREPRO_READS = ('data.csv',)\nDATA = open(__file__[:-12] + 'data.csv').read()\n",
        },
        "lab/data.csv",
    ),
    "one of many data files": (
        {"lab/data/a.csv": "1\n", "lab/data/b.csv": "1\n", ALGORITHM: "DPREPRO_READS = ('data/*.csv',)\n"},
        "lab/data/b.csv",
    ),
    "a data file of a helper": (
        {
            "lab/data/a.json": "{}",
            "lab/tools.py": "DPREPRO_READS = ('data/a.json',)\n",
            ALGORITHM: "import lab.tools\n",
        },
        "lab/data/a.json",
    ),
    "a relative import": (
        {"lab/tools.py": "def run():\n    return 1\n", ALGORITHM: "from .tools import run\n"},
        "lab/tools.py",
    ),
    "from . import x as y": ({"lab/tools.py": "A = 1\n", ALGORITHM: "from . import tools as kit\n"}, "lab/tools.py"),
    "a star import": ({"lab/tools.py": "A = 1\n", ALGORITHM: "from lab.tools import *\n"}, "lab/tools.py"),
    "an import under a condition": (
        {
            "lab/tools.py": "A = 1\n",
            ALGORITHM: "try:\n    import lab.quick as tools\nexcept ImportError:\n    from lab import tools\n",
        },
        "lab/tools.py",
    ),
    "an import within a function": (
        {"lab/tools.py": "A = 1\n", ALGORITHM: "def solve():\n    from lab import tools\n\n    return tools.A\n"},
        "lab/tools.py",
    ),
    "a decorator": (
        {
            "lab/tools.py": "def twice(f):\n    return f\n",
            ALGORITHM: "import lab.tools as t\n\n\n@t.twice\ndef f():\n    pass\n",
        },
        "lab/tools.py",
    ),
    "a default factory": (
        {
            "lab/tools.py": "def steps():\n    return [1]\n",
            ALGORITHM: "from dataclasses import field\nfrom lab.tools import steps\n\nX = field(default_factory=steps)",
        },
        "lab/tools.py",
    ),
    "a patch of the project when the __init__ is imported": (
        {"lab/__init__.py": "import lab.patch\n", "lab/patch.py": "import dprepro.errors\n\ndprepro.errors.A = 1\n"},
        "lab/patch.py",
    ),
    "a package without __init__": (
        {"lab/spaces/tools.py": "A = 1\n", ALGORITHM: "from lab.spaces import tools\n"},
        "lab/spaces/tools.py",
    ),
    "a package beside it that nobody declares": (
        {"kit/__init__.py": "", "kit/tools.py": "A = 1\n", ALGORITHM: "from kit.tools import A\n"},
        "kit/tools.py",
    ),
    "a single module beside it": ({"kit.py": "A = 1\n", ALGORITHM: "import kit\n"}, "kit.py"),
    "a compiled extension": (
        {f"lab/quick{source.EXTENSION_SUFFIXES[0]}": "machine code", ALGORITHM: "from lab import quick\n"},
        f"lab/quick{source.EXTENSION_SUFFIXES[0]}",
    ),
    "what a package of the project passes on": (
        {
            "lab/tools.py": "A = 1\n",
            "lab/__init__.py": "from lab.inner import *\n",
            "lab/inner.py": "from lab import tools\n",
        },
        "lab/tools.py",
    ),
}


@pytest.mark.parametrize(("files", "edited"), SHAPES.values(), ids=SHAPES)
def test_an_edit_of_a_plug_in_is_noticed_whatever_its_shape(folder: Path, files: dict[str, str], edited: str) -> None:
    write(folder, START | files)
    before = digest("lab", "algorithm")
    assert digest("lab", "algorithm") == before
    text = (START | files)[edited]
    write(
        folder,
        {edited: f"{text} " if edited.endswith((".csv", ".json", source.EXTENSION_SUFFIXES[0])) else f"{text}B = 2\n"},
    )
    assert digest("lab", "algorithm") != before
    assert not {"lab", "kit"} & {name.partition(".")[0] for name in sys.modules}  # nothing was imported


def test_a_module_of_a_plug_in_that_nobody_imports_does_not_count(folder: Path) -> None:
    write(folder, START | {"lab/other.py": "A = 1\n"})
    before = digest("lab", "algorithm")
    write(folder, {"lab/other.py": "A = 2\n"})
    assert digest("lab", "algorithm") == before


def test_a_module_that_comes_later_is_noticed(folder: Path) -> None:
    write(folder, START | {ALGORITHM: "try:\n    import lab.quick\nexcept ImportError:\n    pass\n"})
    before = digest("lab", "algorithm")
    write(folder, {"lab/quick.py": "A = 1\n"})
    assert digest("lab", "algorithm") != before


def test_what_a_plug_in_uses_of_a_registry_of_the_project_is_followed(folder: Path) -> None:
    write(folder, START | {ALGORITHM: "from dprepro.reductions import solver\n"})
    modules = code_of(("lab.algorithm",), frozenset({"dprepro", "lab"})).modules
    assert "dprepro.reductions.kernels.selection_kernels" in modules


def declare(folder: Path, distribution: str, group: str, value: str) -> None:
    write(
        folder,
        {
            f"{distribution}-1.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n",
            f"{distribution}-1.dist-info/entry_points.txt": f"[{group}]\nsome = {value}\n",
        },
    )


@pytest.mark.parametrize(
    "text",
    [
        "from importlib.metadata import entry_points\n\nFOUND = entry_points(group='lab.steps')\n",
        "import importlib.metadata as about\n\nGROUP = 'lab.steps'\nFOUND = about.entry_points(group=GROUP)\n",
    ],
)
def test_entry_points_of_a_plug_in_are_followed_to_other_packages_and_one_that_comes_is_noticed(
    folder: Path, text: str
) -> None:
    write(
        folder,
        START
        | {
            ALGORITHM: text,
            "kit/__init__.py": "",
            "kit/steps.py": "from kit import inner\n",
            "kit/inner.py": "A = 1\n",
        },
    )
    without = digest("lab", "algorithm")
    declare(folder, "kit", "lab.steps", "kit.steps:Steps")
    before = digest("lab", "algorithm")
    assert before != without
    write(folder, {"kit/inner.py": "A = 2\n"})
    assert digest("lab", "algorithm") != before


def test_a_plug_in_that_is_installed_changes_nothing_of_the_project_s_own_measurements(folder: Path) -> None:
    before = code_of(("dprepro.studies.rate_study",), frozenset({"dprepro"}))
    declare(folder, "lab", "dprepro.papers", "lab")
    write(folder, START)
    assert code_of(("dprepro.studies.rate_study",), frozenset({"dprepro", "lab"})) == before


def test_an_editable_installation_is_found_by_the_finder_that_it_brings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, {f"elsewhere/{name}": text for name, text in START.items()} | {"elsewhere/lab/tools.py": "A = 1\n"})
    write(folder, {f"elsewhere/{ALGORITHM}": "from lab.tools import A\n"})

    class Finder:
        @staticmethod
        def find_spec(name: str, path: object, target: object = None) -> Any:
            place = folder / "elsewhere" / "lab" / "__init__.py"
            return importlib.util.spec_from_file_location(name, place) if name == "lab" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    before = digest("lab", "algorithm")
    write(folder, {"elsewhere/lab/tools.py": "A = 2\n"})
    assert digest("lab", "algorithm") != before


def test_of_an_installed_library_the_list_of_its_files_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = folder / "site-packages"
    monkeypatch.syspath_prepend(str(site))
    write(
        folder,
        START
        | {
            ALGORITHM: "from kit.tools import A\n",
            "site-packages/kit/__init__.py": "",
            "site-packages/kit/tools.py": "",
        },
    )
    declare(site, "kit", "nothing", "kit")
    write(site, {"kit-1.dist-info/RECORD": "kit/tools.py,sha256=1,1\nkit/__init__.py,sha256=0,0\n"})
    before = code_of(("lab.algorithm",), frozenset({"lab"}))
    assert "installed kit" in before.modules
    write(site, {"kit-1.dist-info/RECORD": "kit/tools.py,sha256=2,1\nkit/__init__.py,sha256=0,0\n"})
    after = code_of(("lab.algorithm",), frozenset({"lab"}))
    assert after.digest != before.digest
    assert changed(before.modules) == ["installed kit"]


REFUSED = {
    "a computed name": "import importlib\n\n\ndef f(name):\n    return importlib.import_module(name)\n",
    "import_module under another name": "from importlib import import_module as get\n\nF = get(f'lab.{1}')\n",
    "__import__ of a computed name": "def f(name):\n    return __import__(name)\n",
    "a function that is handed on": "from importlib import import_module\n\nF = map(import_module, ['lab'])\n",
    "getattr": "import importlib\n\nF = getattr(importlib, 'import_module')\n",
    "a loader": "import importlib.util\n",
    "pkgutil": "import pkgutil\n\nALL = pkgutil.walk_packages()\n",
    "runpy": "from runpy import run_path\n",
    "exec": "def f(text):\n    exec(text)\n",
    "eval": "F = eval\n",
    "all entry points": "from importlib.metadata import entry_points\n\nF = entry_points().select(group='lab')\n",
}
READING = {
    "open": "DATA = open('data.csv').read()\n",
    "open under another name": "read = open\n",
    "Path.read_text": "from pathlib import Path\n\nDATA = Path('data.csv').read_text()\n",
    "Path.read_bytes": "def f(path):\n    return path.read_bytes()\n",
    "Path.open": "def f(path):\n    return path.open()\n",
    "importlib.resources": "from importlib.resources import files\n",
    "importlib.resources in full": "import importlib.resources as there\n",
    "pkgutil.get_data": "import lab\n\nF = lab.get_data\n",
    "np.load": "import numpy as np\n\nDATA = np.load('data.npy')\n",
    "np.loadtxt": "from numpy import loadtxt as get\n",
    "np.fromfile": "import numpy\n\nDATA = numpy.fromfile('data')\n",
    "pd.read_csv": "import pandas as pd\n\nDATA = pd.read_csv('data.csv')\n",
    "read_parquet": "from pandas import read_parquet\n",
    "pickle.load": "import pickle\n\n\ndef f(file):\n    return pickle.load(file)\n",
    "sqlite3": "import sqlite3\n",
    "__file__": "WHERE = __file__\n",
    "getattr": "import numpy as np\n\nF = getattr(np, 'genfromtxt')\n",
    "another program": "import subprocess\n",
    "the network": "from urllib.request import urlopen\n",
    "a listing": "def f(path):\n    return list(path.glob('*'))\n",
    "linecache": "import linecache\n",
    "gzip": "from gzip import decompress\n",
}


@pytest.mark.parametrize(
    ("text", "constant"),
    [(text, "DPREPRO_IMPORTS") for text in REFUSED.values()] + [(text, "DPREPRO_READS") for text in READING.values()],
    ids=[*REFUSED, *(f"reads by {name}" for name in READING)],
)
def test_what_nobody_can_follow_is_refused_with_what_to_type_and_declared_it_is_not(
    folder: Path, text: str, constant: str
) -> None:
    write(folder, START | {ALGORITHM: "import lab.tools\n", "lab/tools.py": text})
    with pytest.raises(InputError, match=rf"^lab\.tools, line \d+: .*write {constant} = ") as refusal:
        digest("lab", "algorithm")
    assert "\n" not in str(refusal.value)
    write(folder, {"lab/tools.py": f"{constant} = ()\n{text}"})
    assert digest("lab", "algorithm")


@pytest.mark.parametrize(
    "text",
    [
        "from numba import njit\n\n\n@njit(cache=True)\ndef f():\n    pass\n",
        "import numba as nb\n\nF = nb.jit(cache=1)\n",
    ],
)
def test_machine_code_that_numba_would_keep_by_itself_is_refused_in_a_plug_in(folder: Path, text: str) -> None:
    write(folder, START | {ALGORITHM: text})
    with pytest.raises(InputError, match=r"^lab\.algorithm, line \d: numba's cache=True keeps .* take jit of dprepro"):
        digest("lab", "algorithm")
    write(folder, {ALGORITHM: text.replace("cache=True", "cache=False").replace("cache=1", "")})
    assert digest("lab", "algorithm")


@pytest.mark.parametrize(
    "text",
    [
        "import json\n\nDATA = json.loads('{}')\n",
        "import numpy as np\n\nDATA = np.zeros(3).sum()\n",
        "import re\n\nFORM = re.compile('a')\n",
        "from importlib.metadata import version\n\nV = version('numpy')\n",
        "class A:\n    def load(self):\n        return 1\n\n    def run(self):\n        return self.load()\n",
        "def read(path):\n    return path\n",
        "def f(requests, http):\n    return requests.append(http.status)\n",
    ],
)
def test_what_reads_nothing_is_not_refused(folder: Path, text: str) -> None:
    write(folder, START | {ALGORITHM: text})
    assert digest("lab", "algorithm")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("DPREPRO_READS = ('data.csv',)\n", "names data.csv, which is no file in"),
        ("DPREPRO_READS = ('data/*.csv',)\n", r"names data/\*\.csv, which is no file in"),
        ("DPREPRO_READS = 'data.csv'\n", "must be a tuple of texts, written once"),
        ("NAME = 'a'\nDPREPRO_READS = (NAME,)\n", "must be a tuple of texts, written once"),
        ("DPREPRO_IMPORTS = ()\nDPREPRO_IMPORTS = ('lab',)\n", "must be a tuple of texts, written once"),
        ("if True:\n    DPREPRO_IMPORTS = ('lab',)\n", "must be a tuple of texts, written once"),
    ],
)
def test_a_declaration_that_is_none_is_refused(folder: Path, text: str, words: str) -> None:
    write(folder, START | {ALGORITHM: text})
    with pytest.raises(InputError, match=rf"^lab\.algorithm: .*{words}"):
        digest("lab", "algorithm")


def test_a_module_of_a_plug_in_whose_source_cannot_be_read_is_refused(folder: Path) -> None:
    write(folder, START | {"lab/hidden.py": "A = 1\n", ALGORITHM: "from lab import hidden\n"})
    import py_compile

    py_compile.compile(str(folder / "lab" / "hidden.py"), str(folder / "lab" / "hidden.pyc"))
    write(folder, {"lab/hidden.py": None})
    with pytest.raises(DpreproError, match=r"the source of lab\.hidden cannot be read"):
        digest("lab", "algorithm")


def test_all_that_finds_code_or_data_behind_the_project_s_own_measurements_says_so() -> None:
    root = Path(source.__file__).parents[1]
    rooms = (
        "studies",
        "reductions",
        "constructions",
        "algorithms",
        "laws",
        "problems",
        "mechanisms",
        "privacy",
        "bounds",
    )
    names = [
        ".".join((root.name, *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        for room in rooms
        for path in (root / room).rglob("*.py")
    ]
    reached = code_of(tuple(names), frozenset({"dprepro"})).modules
    assert len(reached) > 150
    assert not code.ITSELF & reached.keys()
    assert [module.unclear for name in reached if (module := source.read(name)) is not None and module.unclear] == []


def test_the_data_that_the_project_ships_are_behind_what_is_measured_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    known = "dprepro.constructions.known"
    before = source.read(known)
    content = source._content
    monkeypatch.setattr(
        source, "_content", lambda file, name: content(file, name).replace("worst_known.json ", "other ")
    )
    assert source.read(known) != before
    package = Path(source.__file__).parents[1]
    data = {
        path.name
        for room in ("constructions", "problems", "bounds", "laws", "algorithms", "reductions", "minimax")
        for path in (package / room).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc", ".machine")
    }
    assert data == {"worst_known.json"}


def test_changed_names_the_modules_whose_source_is_another_or_gone(package: tuple[str, Path]) -> None:
    name, folder = package
    modules = code_of((f"{name}.study",), frozenset({name})).modules
    assert changed(modules) == []
    (folder / "helper.py").write_text("def step():\n    return 10\n")
    (folder / "used.py").unlink()
    forget()
    assert changed(modules) == [f"{name}.helper", f"{name}.used"]


def test_changed_names_the_module_whose_data_is_another_or_gone(folder: Path) -> None:
    write(folder, START | {"lab/data.csv": "1", ALGORITHM: "DPREPRO_READS = ('data.csv',)\n"})
    modules = code_of(("lab.algorithm",), frozenset({"lab"})).modules
    for text in ("2", None):
        write(folder, {"lab/data.csv": text})
        assert changed(modules) == ["lab.algorithm"]


def test_a_process_that_has_loaded_other_code_than_it_would_tell_is_refused(folder: Path) -> None:
    write(folder, START | {ALGORITHM: "from lab import tools\n", "lab/tools.py": "A = 1\n"})
    importlib.import_module("lab.algorithm")
    start, packages = ("lab.algorithm",), frozenset({"lab"})
    before = code_of(start, packages)
    (folder / "lab" / "tools.py").write_text("A = 1  # why\n")
    code.forget()
    assert code_of(start, packages) == before  # a comment is no other code
    (folder / "lab" / "tools.py").write_text("A = 20\n")
    assert code_of(start, packages) == before  # what was loaded
    code.forget()
    with pytest.raises(InputError, match=r"^lab\.tools, or a file that it reads, has been edited since this Python"):
        code_of(start, packages)
    source.spec_of.cache_clear()
    importlib.reload(sys.modules["lab.tools"])
    code.forget()
    assert code_of(start, packages) != before


def test_an_edit_of_what_was_loaded_before_it_was_asked_for_is_refused(folder: Path) -> None:
    write(folder, START | {"lab/tools.py": "A = 1\n", "lab/second.py": "from lab import tools\n"})
    for name in ("lab.algorithm", "lab.second"):
        importlib.import_module(name)
    code_of(("lab.algorithm",), frozenset({"lab"}))
    (folder / "lab" / "tools.py").write_text("A = 20\n")
    with pytest.raises(InputError, match=r"^lab\.tools, or a file"):
        code_of(("lab.second",), frozenset({"lab"}))


def test_what_python_compiled_of_an_older_source_of_the_same_second_and_size_is_not_trusted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, START | {ALGORITHM: "A = 1\n"})
    os.utime(folder / ALGORITHM, (1e9, 1e9))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert importlib.import_module("lab.algorithm").A == 1
    before = digest("lab", "algorithm")
    write(folder, {ALGORITHM: "A = 2\n"})
    os.utime(folder / ALGORITHM, (1e9, 1e9))
    assert importlib.import_module("lab.algorithm").A == 1  # Python itself
    source._parsed.cache_clear()
    with pytest.raises(OtherCode, match=r"^Python has loaded lab\.algorithm as it was before an edit"):
        code_of(("lab.algorithm",), frozenset({"lab"}))
    forget()
    assert importlib.import_module("lab.algorithm").A == 2
    assert digest("lab", "algorithm") != before


def test_a_class_counts_with_its_bases() -> None:
    from dprepro.algorithms import NoisyFrankWolfe

    assert {"dprepro.algorithms.noisy_frank_wolfe", "dprepro.algorithms.base"} <= set(
        modules_of([NoisyFrankWolfe()], ())
    )


def test_what_is_held_in_fields_counts_whatever_holds_it(folder: Path) -> None:
    write(folder, START | {"lab/held.py": "class Held:\n    pass\n\n\ndef step():\n    pass\n"})
    held = importlib.import_module("lab.held")

    @dataclass(frozen=True)
    class Holder:
        value: Any
        more: Mapping[str, Any] = field(default_factory=dict)

    values: list[Any] = [
        held.Held(), held.Held, held.step, [held.Held()], ({held.step},), {"a": held.Held()},
        functools.partial(held.step), functools.lru_cache(held.step), Holder(held.Held()),
    ]  # fmt: skip
    for value in values:
        assert "lab.held" in modules_of([Holder(value)], ()), value
        assert "lab.held" in modules_of([Holder(1, {"a": value})], ()), value
    assert "lab.held" not in modules_of([Holder(1)], ())


def test_a_function_that_was_put_into_a_class_counts_and_one_of_a_test_does_not(folder: Path) -> None:
    write(
        folder,
        START
        | {
            "lab/patch.py": "def solve(self):\n    return 1\n\n\n"
            "def twice(f):\n    def g():\n        return f()\n\n    return g\n"
        },
    )
    patch = importlib.import_module("lab.patch")

    def kind(solve: Callable[..., Any]) -> type:
        return type("Kind", (), {"solve": solve, "__module__": "dprepro.errors"})

    for put in (patch.solve, patch.twice(forget), property(patch.solve), staticmethod(patch.solve)):
        assert "lab.patch" in modules_of([kind(put)], {"lab"}), put  # type: ignore[arg-type]
        assert "lab.patch" not in modules_of([kind(put)], ())  # type: ignore[arg-type]
    assert modules_of([kind(forget)], {"lab"}) == ("dprepro.errors",)


def test_an_object_counts_with_what_it_says_that_it_is_made_of() -> None:
    from dprepro.constructions import WorstKnown

    found = WorstKnown()
    kinds = {type(entry).__module__ for _, entry in found.entries}
    assert kinds
    assert kinds <= set(modules_of([found], ()))


def test_code_without_source_is_refused() -> None:
    with pytest.raises(DpreproError, match="cannot be read"):
        code_of(("a_module_that_does_not_exist",), frozenset({"dprepro"}))


def test_what_was_found_in_a_module_is_kept_by_its_content_and_a_damaged_file_is_none(
    package: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, folder = package
    file = tmp_path / "again" / "modules.json"
    file.parent.mkdir()
    read: list[str] = []
    parse = source._Reading.of

    def noted(reading: Any, text: bytes) -> Any:
        read.append(reading.name)
        return parse(reading, text)

    monkeypatch.setattr(source._Reading, "of", noted)

    def anew() -> str:
        monkeypatch.setattr(source, "_KEPT", source._Kept(file))
        read.clear()
        return digest(name)

    before = anew()
    content = file.read_bytes()
    assert f"{name}.helper" in read
    assert anew() == before
    assert read == []
    (folder / "helper.py").write_text("def step():\n    return 10\n")
    assert anew() != before
    assert read == [f"{name}.helper"]
    (folder / "helper.py").write_text(FILES["helper"])
    for damaged in (b"", content[:-1], content.replace(b"used", b"usee", 1), b"\xff", b"x\n{}"):
        file.write_bytes(damaged)
        assert anew() == before
        assert file.read_bytes() == content
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_where_no_file_can_be_written_nothing_is_kept(
    package: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(source, "_KEPT", source._Kept(tmp_path / "file" / "modules.json"))
    assert digest(package[0])
