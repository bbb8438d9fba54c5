"""Packages that import what is asked for, when it is asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from dprepro import algorithms, laws
from dprepro.support.lazy_imports import lazy_imports

HOUSE = Path(__file__).parents[2] / "dprepro"
LAZY = sorted(
    f"dprepro.{path.parent.relative_to(HOUSE).as_posix().replace('/', '.')}"
    for path in HOUSE.rglob("__init__.py")
    if "= lazy_imports(" in path.read_text("utf-8")
)


def test_algorithms_constructions_studies_and_laws_are_lazy() -> None:
    assert {"dprepro.algorithms", "dprepro.constructions", "dprepro.laws", "dprepro.studies"} <= set(LAZY)


@pytest.mark.parametrize("package", LAZY)
def test_every_name_of_a_lazy_package_is_found_and_is_not_one_of_its_modules(package: str) -> None:
    module = importlib.import_module(package)
    names = set(module.__all__)
    assert names <= set(dir(module))
    assert all(getattr(module, name) is not None for name in names)
    # Importing a module of that name would put it in the place of what the package exports.
    assert not names & {path.stem for path in Path(str(module.__file__)).parent.iterdir()}


def test_asking_for_one_algorithm_imports_no_other() -> None:
    code = (
        "import sys; from dprepro.algorithms import OutputPerturbation; import dprepro.laws; "
        "print([name for name in ('algorithms.noisy_sgd', 'algorithms.output_perturbation', 'laws.release_law') "
        "if f'dprepro.{name}' in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=HOUSE.parent, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['algorithms.output_perturbation']"


def test_a_name_that_a_lazy_package_does_not_list_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'NoisyFranckWolfe'"):
        algorithms.NoisyFranckWolfe  # noqa: B018
    get, listed = lazy_imports("dprepro.algorithms")
    with pytest.raises(AttributeError):
        get("__wrapped__")
    assert "NoisyFrankWolfe" in listed()


@pytest.mark.parametrize("table", [laws.LAWS, laws.LEMMAS], ids=["laws", "lemmas"])
def test_tables_of_laws_name_algorithms_and_what_the_package_exports(table: dict[str, str]) -> None:
    assert {*table} <= {*algorithms.__all__}
    assert {*table.values()} <= {*laws.__all__}


def test_a_class_of_ones_own_with_the_name_of_an_algorithm_has_no_law() -> None:
    stranger = type("OutputPerturbation", (algorithms.OutputPerturbation,), {})
    assert laws.law_of(algorithms.OutputPerturbation) is laws.ReleaseLaw
    assert laws.law_of(stranger) is None
