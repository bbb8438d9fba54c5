"""The fingerprint of the code behind a measurement."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dprepro.engine import code
from dprepro.engine.code import changed, code_of, modules_of
from dprepro.errors import DpreproError

FILES = {
    "__init__": "from {0}.used import solve\nfrom {0}.idle import other\n",
    "used": '"""Text."""\nfrom {0} import helper\n\n\ndef solve():\n    """More."""\n'
    "    return helper.step() * 2  # why\n",
    "helper": "def step():\n    return 1\n",
    "idle": "def other():\n    return 3\n",
    "study": "from {0} import solve\n\n\ndef measure():\n    return solve()\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    name = "a_package_under_test"
    folder = tmp_path / name
    folder.mkdir()
    for module, text in FILES.items():
        (folder / f"{module}.py").write_text(text.format(name))
    monkeypatch.syspath_prepend(str(tmp_path))
    forget()
    yield name, folder
    forget()
    sys.modules.pop(name, None)


def forget() -> None:
    for cached in (code.code_of, code._path, code._parsed):
        cached.cache_clear()


def digest(name: str) -> str:
    forget()
    return code_of((f"{name}.study",), frozenset({name})).digest


def test_what_is_imported_by_name_is_reached_through_the_package_and_nothing_else(package: tuple[str, Path]) -> None:
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


def test_changed_names_the_modules_whose_source_is_another_or_gone(package: tuple[str, Path]) -> None:
    name, folder = package
    modules = code_of((f"{name}.study",), frozenset({name})).modules
    assert changed(modules) == []
    (folder / "helper.py").write_text("def step():\n    return 10\n")
    (folder / "used.py").unlink()
    forget()
    assert changed(modules) == [f"{name}.helper", f"{name}.used"]


def test_a_class_counts_with_its_bases() -> None:
    from dprepro.algorithms import NoisyFrankWolfe

    assert {"dprepro.algorithms.noisy_frank_wolfe", "dprepro.algorithms.base"} <= set(modules_of([NoisyFrankWolfe()]))


def test_code_without_source_is_refused() -> None:
    with pytest.raises(DpreproError, match="cannot be read"):
        code_of(("a_module_that_does_not_exist",), frozenset({"dprepro"}))


def test_what_was_found_in_a_module_is_kept_by_its_content_and_a_damaged_file_is_none(
    package: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, folder = package
    file = tmp_path / "kept" / "modules.json"

    def anew() -> str:
        monkeypatch.setattr(code, "_KEPT", code._Kept(file))
        return digest(name)

    before = anew()
    content = file.read_bytes()
    read: list[str] = []
    parse = code._read
    monkeypatch.setattr(code, "_read", lambda source, path, module: read.append(module) or parse(source, path, module))
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
    monkeypatch.setattr(code, "_KEPT", code._Kept(tmp_path / "file" / "modules.json"))
    assert digest(package[0])
