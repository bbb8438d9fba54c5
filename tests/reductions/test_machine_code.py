"""Machine code that is kept from run to run: never of other code, never a damaged file's."""

from __future__ import annotations

import ast
import importlib
import os
import random
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from numba import config

from dprepro.engine import code, source
from dprepro.engine.sealed import read_sealed, write_sealed
from dprepro.reductions.kernels import machine_code

ROOT = Path(__file__).parents[2]
FILES = {
    "__init__": "",
    "selection": """\
from dprepro.reductions.kernels.compiled import jit


@jit()
def least_of(a, b):
    return min(a, b)
""",
    "plain": "FACTOR = 1.0\n",
    "groups": """\
from dprepro.reductions.kernels.compiled import entry, jit
from kernels_under_test import plain
from kernels_under_test.selection import least_of


@jit()
def least(a, b):
    return plain.FACTOR * least_of(a, b)
""",
}
SOURCES = "kernels_under_test"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of kernels."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(source, "_KEPT", source._Kept(tmp_path / "kept" / "modules.json"))
    (tmp_path / SOURCES).mkdir()
    for name, text in FILES.items():
        (tmp_path / SOURCES / f"{name}.py").write_text(text, encoding="utf-8")
    yield tmp_path / SOURCES
    forget()


def forget() -> None:
    """What a new process would not know."""
    for name in [name for name in (*sys.modules, *code._LOADED) if name.startswith(SOURCES)]:
        sys.modules.pop(name, None)
        code._LOADED.pop(name, None)
    for cached in (machine_code._folder, machine_code._is_writable, source.spec_of, source._parsed):
        cached.cache_clear()
    code._GRAPHS.clear()
    importlib.invalidate_caches()


def edit(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    later = path.stat().st_mtime + 2  # Python knows a file by its second and its size
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, (later, later))


def run(name: str = "groups", function: str = "least") -> tuple[float, bool]:
    """What a new process computes, and whether it took machine code from a file."""
    forget()
    kernel: Any = getattr(importlib.import_module(f"{SOURCES}.{name}"), function)
    value = kernel(2.0, 3.0)
    return value, bool(kernel.stats.cache_hits)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "__pycache__").glob("*/*.machine"))


def test_an_edit_of_a_helper_in_another_module_is_compiled_anew_and_nothing_else_is(folder: Path) -> None:
    assert run() == (2.0, False)
    assert run() == (2.0, True)
    edit(folder, "selection", "min(a, b)", "max(a, b)")
    assert run() == (3.0, False)
    edit(folder, "selection", "max(a, b)", "max(a, b)  # why")
    assert run() == (3.0, True)
    edit(folder, "plain", "1.0", "10.0")
    assert run() == (30.0, False)
    assert run("selection", "least_of") == (3.0, True)
    edit(folder, "plain", "10.0", "1.0")
    edit(folder, "selection", "max(a, b)  # why", "min(a, b)")
    assert run() == (2.0, True)  # as it was at first


def test_other_values_in_the_process_than_the_sources_say_are_compiled_anew(folder: Path) -> None:
    assert run() == (2.0, False)
    forget()
    plain: Any = importlib.import_module(f"{SOURCES}.plain")
    plain.FACTOR = 5.0
    kernel: Any = importlib.import_module(f"{SOURCES}.groups").least
    assert kernel(2.0, 3.0) == 10.0
    assert not kernel.stats.cache_hits
    assert run() == (2.0, True)


def test_another_compiler_takes_no_file_of_this_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run() == (2.0, False)
    monkeypatch.setattr(machine_code, "_versions", lambda: "numba 99")
    assert run() == (2.0, False)
    monkeypatch.undo()
    sys.path.insert(0, str(folder.parent))
    assert run() == (2.0, True)
    sys.path.remove(str(folder.parent))


def test_a_damaged_file_is_noticed_before_it_is_loaded_and_compiled_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    (path,) = [path for path in files(folder) if path.name.startswith("least-")]
    whole = path.read_bytes()
    rng = random.Random(0)
    damages = [b"", whole[:-1], whole + b"\0", b"\n", os.urandom(200), whole[33:]]
    for _ in range(200):
        place = rng.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        damages.append(bytes(flipped))
    loaded: list[bytes] = []
    with monkeypatch.context() as patched:
        patched.setattr(machine_code.pickle, "loads", loaded.append)
        for damage in damages:
            path.write_bytes(damage)
            assert read_sealed(path) is None
    assert run() == (2.0, False)
    assert loaded == []
    assert path.read_bytes() != damages[-1]
    assert run() == (2.0, True)


def test_a_sound_file_that_numba_cannot_take_is_compiled_again(folder: Path) -> None:
    run()
    (path,) = [path for path in files(folder) if path.name.startswith("least-")]
    for content in (b"no pickle", machine_code._dumps(("other", "things"))):
        write_sealed(path, content)
        assert run() == (2.0, False)
    assert run() == (2.0, True)


def test_readers_and_writers_of_one_file_at_once_see_whole_files_only(tmp_path: Path) -> None:
    path, contents = tmp_path / "file", [bytes([number]) * 200_000 for number in range(4)]
    write_sealed(path, contents[0])
    seen: list[bytes | None] = []
    done = threading.Event()

    def write(content: bytes) -> None:
        for _ in range(50):
            write_sealed(path, content)

    def read() -> None:
        while not done.is_set():
            seen.append(read_sealed(path))

    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    reader = threading.Thread(target=read)
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert seen
    assert set(seen) <= set(contents)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_where_nothing_can_be_written_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "__pycache__").write_text("")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(machine_code, "_Dirs", lambda **_: type("Dirs", (), {"user_cache_dir": folder / "plain.py"}))
    assert run() == (2.0, False)
    assert run() == (2.0, False)


def test_a_folder_that_numba_is_told_to_use_is_used(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "elsewhere"))
    assert run() == (2.0, False)
    assert run() == (2.0, True)
    assert not files(folder)
    assert list((tmp_path / "elsewhere" / "dprepro").glob(f"{SOURCES}.groups.*/least-*.machine"))


def test_what_fails_while_it_is_written_leaves_no_file_and_is_not_tried_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        assert run() == (2.0, False)
    assert not [path for path in (folder / "__pycache__").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert run() == (2.0, False)
    assert run() == (2.0, True)


def test_folders_of_old_code_do_not_pile_up(folder: Path) -> None:
    old = "min(a, b)"
    for number in range(machine_code.KEPT + 2):
        new = f"min(a, b) + {number}"
        edit(folder, "selection", old, new)
        old = new
        assert run("selection", "least_of") == (2.0 + number, False)
    assert len(list((folder / "__pycache__").glob(f"{SOURCES}.selection.*"))) == machine_code.KEPT


def test_nothing_in_the_repository_is_compiled_by_another_door() -> None:
    """Functions that are compiled without being kept are made in tests and benchmarks only."""
    door = ROOT / "dprepro" / "reductions" / "kernels" / "compiled.py"
    found = []
    for place in ("dprepro", "packs", "benchmarks", "experiments", "paper_figures", "mutants", "docs", "tests"):
        for path in (ROOT / place).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if not re.search(r"cache\s*=\s*True|jit|vectorize|cfunc", text):
                continue
            for node in ast.walk(ast.parse(text)):
                kept = isinstance(node, ast.keyword) and node.arg == "cache" and path != door
                if kept and isinstance(node.value, ast.Constant) and node.value.value is True:
                    found.append(f"{path.relative_to(ROOT)} keeps what it compiles by itself")
                names = {"jit", "njit", "vectorize", "guvectorize", "cfunc"}
                own = place in ("dprepro", "packs") and path != door
                if own and isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba"):
                    found += [f"{path} imports {name.name}" for name in node.names if name.name in names]
                if own and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    found += (
                        [f"{path} uses numba.{node.attr}"]
                        if (node.value.id, node.attr in names) == ("numba", True)
                        else []
                    )
    assert found == []


def test_what_is_compiled_to_round_freely_has_no_power_whose_code_others_may_have_asked_for_first():
    """Numba keeps the code of x ** 2 by its types alone: descent on one place had two sets of bits, by what came first.

    `distance` rounded its squares as `noisy_descent` is told to, wherever that had been compiled before it.
    """
    free = [
        function
        for path in sorted((ROOT / "dprepro" / "reductions" / "kernels").glob("*.py"))
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and "FAST" in "".join(map(ast.unparse, function.decorator_list))
    ]
    assert {"distance", "advance", "enter"} <= {function.name for function in free}
    for function in free:
        assert not any(isinstance(node, ast.Pow) for node in ast.walk(function)), function.name
