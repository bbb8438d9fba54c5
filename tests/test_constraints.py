"""The files of pinned versions: each is for extras that can be installed together, and pages name the right one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
SETS = {
    "constraints.txt": {"dask", "data", "docs", "slurm", "test", "dev"},
    "constraints-peers.txt": {"accountants", "dask", "data", "peers"},
}
"""The extras that each file is for, all together."""
PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+")
INSTALL = re.compile(r"pip install [^`\n#]*")


def lines(file: str) -> list[str]:
    return [line for line in (ROOT / file).read_text("utf-8").splitlines() if not line.startswith("# ")]


def pins(file: str) -> dict[str, Version]:
    return {canonicalize_name(name): Version(version) for name, version in (line.split("==") for line in lines(file))}


def requirements(extras: set[str]) -> Iterator[Requirement]:
    """What the package needs with these extras, those that an extra names in turn too."""
    for text in [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:
            yield from requirements(requirement.extras)
        else:
            yield requirement


def test_every_extra_is_in_a_set() -> None:
    assert set().union(*SETS.values()) == set(EXTRAS)
    assert {path.name for path in ROOT.glob("constraints*.txt")} == set(SETS)


@pytest.mark.parametrize("file", SETS)
def test_a_line_is_a_name_and_a_version_and_no_name_stands_twice(file: str) -> None:
    assert [line for line in lines(file) if not PIN.fullmatch(line)] == []
    assert len(pins(file)) == len(lines(file))
    assert list(pins(file)) == sorted(pins(file))


@pytest.mark.parametrize("file", SETS)
def test_the_pins_of_a_set_are_versions_that_all_of_its_extras_take(file: str) -> None:
    pinned = pins(file)
    wrong = [
        f"{requirement}: {pinned.get(canonicalize_name(requirement.name))}"
        for requirement in requirements(SETS[file])
        if pinned.get(canonicalize_name(requirement.name)) not in requirement.specifier
    ]
    assert wrong == []


@pytest.mark.parametrize("file", SETS)
def test_pinned_packages_take_one_another(file: str) -> None:
    """As far as they are installed here in the version pinned: their own metadata say what they need."""
    pinned, wrong = pins(file), []
    for distribution in metadata.distributions():
        name = canonicalize_name(distribution.metadata["Name"])
        if pinned.get(name) != Version(distribution.version):
            continue
        for text in distribution.requires or ():
            need = Requirement(text)
            version = pinned.get(canonicalize_name(need.name))
            asked = need.marker is None or need.marker.evaluate({"extra": ""})
            if asked and (version is None or version not in need.specifier):
                wrong.append(f"{name} needs {need}, pinned: {version}")
    assert wrong == []


def test_libraries_of_both_sets_have_one_version_unless_peers_ask_for_an_older_one() -> None:
    newest, older = (pins(file) for file in SETS)
    assert {name for name in newest.keys() & older.keys() if newest[name] != older[name]} == {"mpmath", "scikit-learn"}
    assert all(older[name] < newest[name] for name in ("mpmath", "scikit-learn"))


def commands() -> Iterator[tuple[str, str]]:
    """Every ``pip install`` that a file of the checkout tells a person or a machine to type."""
    shown = [*ROOT.glob("*.md"), *ROOT.glob("packs/*/README.md"), *(ROOT / "docs").rglob("*.md*")]
    shown += [*ROOT.glob("constraints*.txt"), *ROOT.glob(".github/workflows/*.yaml"), *ROOT.glob("experiments/*.py")]
    for path in sorted(shown):
        for command in INSTALL.findall(path.read_text("utf-8")):
            yield path.relative_to(ROOT).as_posix(), command.strip()


def test_every_install_of_this_package_names_the_constraints_of_its_set() -> None:
    found, wrong = 0, []
    for page, command in commands():
        chosen = re.search(r"(?:^|[ '])(?:\.|dprepro|dist/\*\.whl)(?:\[([\w,]+)\])?'?(?: |$)", command)
        if not chosen:
            continue
        found += 1
        extras = set((chosen[1] or "").split(",")) - {""}
        file = re.search(r"--constraint (\S+)", command)
        if file is None or not extras <= SETS.get(file[1], set()):
            wrong.append(f"{page}: {command}")
    assert wrong == []
    assert found > 8
