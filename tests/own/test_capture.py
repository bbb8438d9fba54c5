"""What a class or a function is defined by becomes a module of its own."""

from __future__ import annotations

import linecache
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.own.capture import captured
from dprepro.support import user_files as files

SCALE = 2.0
WEIGHTS = np.array([1.0, np.inf])
TABLE = {"a": (1, 2), "b": [None, True]}


def helper(x: float) -> float:
    return SCALE * x


def uses_helper(n: float) -> float:
    return helper(n) + len(TABLE) + float(WEIGHTS[0])


def enclosing(factor: float) -> Any:
    return lambda n: factor * helper(n)


class Base:
    def value(self) -> float:
        return helper(1)


class Derived(Base):
    def value(self) -> float:
        return 10 + super().value()


def test_helpers_constants_bases_and_enclosed_values_are_written_down() -> None:
    assert files.load(captured(uses_helper))(3) == uses_helper(3)  # type: ignore[operator]
    assert files.load(captured(enclosing(5.0), "rate"))(3) == 30  # type: ignore[operator]
    assert files.load(captured(Derived))().value() == 12  # type: ignore[operator]


def test_the_name_tells_the_definition() -> None:
    assert captured(enclosing(5.0), "rate") == captured(enclosing(5.0), "rate")
    assert captured(enclosing(5.0), "rate") != captured(enclosing(6.0), "rate")


def test_two_lambdas_on_a_line_are_told_apart() -> None:
    one, two = (lambda n: n + 1), (lambda n: n + 2)
    assert [files.load(captured(each, "rate"))(0) for each in (one, two)] == [1, 2]  # type: ignore[operator]


CELLS = [
    "import math\nfrom math import sqrt as root\nOFFSET = 1\n",
    "def rate(n, p):\n    return root(p) / n + OFFSET\n",
]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """``__main__`` as cells of a notebook leave it, which stand in no file."""
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(linecache, "cache", dict(linecache.cache))
    for number, cell in enumerate(CELLS):
        run_cell(vars(main), number, cell)
    return vars(main)


def run_cell(names: dict[str, Any], number: int, cell: str) -> None:
    """As ipykernel does: each cell is a source of its own, known to linecache."""
    name = f"/tmp/ipykernel_1/{number}.py"
    linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
    exec(compile(cell, name, "exec"), names)


def test_cells_of_a_notebook_are_sources(notebook: dict[str, Any]) -> None:
    name = captured(notebook["rate"])
    assert files.load(name)(2, 4) == 2.0  # type: ignore[operator]
    text = Path(str(files.path_of(name))).read_text(encoding="utf-8")
    assert "from math import sqrt as root" in text
    run_cell(notebook, 2, "OFFSET = 2\n")
    assert files.load(captured(notebook["rate"]))(2, 4) == 3.0  # type: ignore[operator]


def test_a_class_of_a_notebook_is_found_by_its_methods(notebook: dict[str, Any]) -> None:
    run_cell(notebook, 3, "class Fit:\n    def fit(self, X, y):\n        return OFFSET * X[0]\n")
    run_cell(notebook, 4, "class Fit:\n    def fit(self, X, y):\n        return 5 * OFFSET * X[0]\n")
    made = files.load(captured(notebook["Fit"]))
    assert made().fit([1], None) == 5  # type: ignore[operator]


def test_a_source_that_was_edited_since_it_was_loaded_is_refused(
    notebook: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = notebook["rate"]
    edited = CELLS[1].replace("/ n", "* n")
    linecache.cache["/tmp/ipykernel_1/1.py"] = (len(edited), None, edited.splitlines(True), "1")
    with pytest.raises(InputError, match="rate: the source of rate is not what was loaded: it was edited since"):
        captured(fit)


def test_what_cannot_be_written_down_is_named() -> None:
    generator = np.random.default_rng(0)

    def draws(n: float) -> float:
        return float(generator.random())

    with pytest.raises(InputError, match="draws: it uses generator, a Generator, which cannot be written down"):
        captured(draws)
