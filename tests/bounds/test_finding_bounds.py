"""Bounds by name: those of the papers, and those of packages declared as plug-ins."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from dprepro import bounds
from dprepro.errors import InputError, MissingDependency
from dprepro.support import typed

MODULE = """
import math
from shutil import rmtree


def rate(n: float) -> float:
    return math.sqrt(n)


def _helper(n: float) -> float:
    return n
"""


def forget() -> None:
    """What is remembered of the packages that are installed."""
    for remembered in (typed.allowed_packages, bounds.find, bounds.arguments):
        remembered.cache_clear()


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "bounds_of_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "claims.py").write_text(MODULE, encoding="utf-8")
    (package / "needy.py").write_text("import a_package_that_is_missing", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint(name="x", value="bounds_of_a_test", group=typed.PLUGINS)
    monkeypatch.setattr(typed, "entry_points", lambda group: [point])
    forget()
    yield
    forget()
    for name in [name for name in sys.modules if name.startswith("bounds_of_a_test")]:
        del sys.modules[name]


def test_a_plug_in_brings_bounds_of_its_own(plugin: None) -> None:
    assert bounds.evaluate("bounds_of_a_test.claims.rate", {"n": 49.0, "p": 3.0}) == 7
    assert bounds.evaluate("lasso.theorem_2_2_rate", {"curvature": 8.0, "steps": 4.0}) == 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bounds_of_a_test.claims.rmtree", r"choices: bounds_of_a_test\.claims\.rate"),
        ("bounds_of_a_test.claims._helper", r"choices: bounds_of_a_test\.claims\.rate"),
        ("bounds_of_a_test.nowhere.rate", r"there is no module bounds_of_a_test\.nowhere"),
        ("shutil.rmtree", r"unknown bound 'shutil\.rmtree'; nearest of \d+ choices: "),
        ("os.path.join", "unknown bound"),
        ("lasso.theorem_9", r"choices: lasso\."),
        ("lasso", r"choices: .*lasso\.\*"),
    ],
)
def test_anything_else_is_refused_with_the_choices(plugin: None, name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        bounds.find(name)


def test_a_short_bound_is_a_formula_of_the_same_numbers() -> None:
    assert bounds.evaluate("4*lipschitz*p/(n*epsilon)", {"lipschitz": 2, "p": 3, "n": 12, "epsilon": 0.5}) == 4
    assert set(bounds.arguments("sqrt(p*ln(1/delta))*lipschitz")) == {"p", "delta", "lipschitz"}
    with pytest.raises(ZeroDivisionError):
        bounds.evaluate("1/(n*epsilon)", {"n": 5, "epsilon": 0})
    with pytest.raises(InputError, match="bound 2/epsilon needs epsilon"):
        bounds.evaluate("2/epsilon", {"n": 1})


@pytest.mark.parametrize("text", ["2/3", "p/(n*", "p and n", "__import__('os').system(p)", "p[0]", "n.real + 1"])
def test_a_text_that_is_neither_a_name_nor_a_formula_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"is neither a name|is no formula"):
        bounds.find(text)


def test_a_plug_ins_bound_whose_module_lacks_a_package_says_what_to_install(plugin: None) -> None:
    with pytest.raises(MissingDependency, match="pip install a_package_that_is_missing"):
        bounds.find("bounds_of_a_test.needy.rate")


def test_without_the_entry_point_a_package_is_no_place_for_bounds() -> None:
    with pytest.raises(InputError, match="unknown bound"):
        bounds.find("bounds_of_a_test.claims.rate")
