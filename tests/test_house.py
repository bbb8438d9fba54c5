"""Who may import whom: the table of the design, held against the imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "dprepro"

GROUND = {"axes", "errors", "support"}  # fmt: skip
"""What every room may use: axes of cells; where configurations lie; `yaml_files` is the one door for YAML, `user_files`
that for a user's files of Python, and `typed` turns plain data into the dataclasses of all rooms, numbers being
expressions."""

ROOMS: dict[str, set[str]] = {
    "__init__": {"auditing", "config", "report", "session"},
    "__main__": {"commands"},
    "commands": {
        "__init__", "auditing", "config", "own", "report", "replication", "session", "studies", "refute",
        "register",
        "statements", "practice", "dispatch", "figures", "budget", "constructions.base",
        "engine.merging", "engine.pools", "engine.progress",
        "engine.runner", "engine.slurm", "engine.store", "engine.workers",
    },
    "register": {
        "adversary", "auditing", "config", "own", "refute", "statements", "studies", "dispatch", "constructions",
        "algorithms", "mechanisms", "problems", "budget", "engine.cell", "engine.store",
    },
    "replication": {"config", "report", "session", "engine"},
    "session": {"config", "engine", "report", "own", "budget"},
    "own": {
        "config", "statements", "dispatch", "reductions", "constructions", "algorithms", "mechanisms", "problems",
        "bounds", "budget",
    },
    "config": {"studies", "dispatch", "engine", "analysis", "figures", "statements"},
    "report": {
        "statements", "engine.code", "engine.progress", "engine.resources", "engine.store", "analysis", "figures",
    },
    "auditing": {"privacy", "mechanisms", "peers", "problems", "budget", "engine.pools"},
    "peers": {"algorithms", "privacy", "problems", "budget"},
    "studies": {
        "adversary", "laws", "minimax", "dispatch", "reductions", "refute", "constructions", "algorithms", "privacy",
        "mechanisms", "problems", "bounds", "budget", "statements", "engine.blocks", "engine.cell", "engine.code",
        "engine.grid",
    },
    "engine": set(),
    "analysis": set(),
    "figures": {"analysis"},
    "adversary": {"constructions", "problems"},
    "minimax": {"problems"},
    "refute": {
        "adversary", "laws", "minimax", "dispatch", "reductions", "constructions", "algorithms", "privacy", "problems",
        "bounds", "budget", "statements",
    },
    "reductions": {
        "algorithms", "privacy", "mechanisms", "problems", "budget", "engine.code", "engine.sealed", "engine.source",
    },
    "laws": {"algorithms", "privacy", "mechanisms", "problems", "budget"},
    "practice": {
        "studies", "laws", "dispatch", "reductions", "constructions", "algorithms", "privacy", "mechanisms", "problems",
        "bounds", "budget", "engine.cell",
    },
    "statements": {"bounds", "problems"},
    "dispatch": {"reductions", "constructions", "algorithms", "problems", "bounds", "budget"},
    "constructions": {"problems", "bounds", "budget"},
    "algorithms": {"problems", "mechanisms", "privacy", "budget"},
    "privacy": {"mechanisms", "budget"},
    "mechanisms": {"budget"},
    "problems": set(),
    "bounds": set(),
    "budget": set(),
    "axes": set(),
    "errors": set(),
    "support": set(),
}  # fmt: skip


@cache
def files() -> Sequence[tuple[str, Path]]:
    """Every file of the package with its room."""
    inside = [(path.relative_to(HOUSE).parts[0], path) for path in sorted(HOUSE.rglob("*.py"))]
    return [(first.removesuffix(".py"), path) for first, path in inside if first != "conf"]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """Everything of the project that a file imports, inside functions too, without the leading `dprepro.`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (name.name.removeprefix("dprepro.") for name in node.names if name.name.startswith("dprepro."))
        elif isinstance(node, ast.ImportFrom) and node.level:
            raise AssertionError(f"{path}: write imports in full, not relative")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dprepro."):
            yield (node.module or "").removeprefix("dprepro.")
        elif isinstance(node, ast.ImportFrom) and node.module == "dprepro":
            yield from ("__init__" if name.name == "__version__" else name.name for name in node.names)


def test_every_room_is_in_the_table() -> None:
    assert {room for room, _ in files()} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_the_table_allows(room: str) -> None:
    allowed = ROOMS[room] | GROUND | {room}
    wrong = [
        f"{path.relative_to(HOUSE)} imports {name}"
        for owner, path in files()
        if owner == room
        for name in imports(path)
        if not any(name == one or name.startswith(f"{one}.") for one in allowed)
    ]
    assert not wrong


def test_at_most_forty_rooms_import_each_other_without_a_circle() -> None:
    arrows: dict[str, set[str]] = {room: set() for room in ROOMS}
    for room, path in files():
        arrows[room] |= {name.partition(".")[0] for name in imports(path)} & (ROOMS.keys() - {room})
    assert len(arrows) <= 40
    assert len(list(HOUSE.glob("*.py"))) <= 8
    left = dict(arrows)
    while lowest := [room for room, needed in left.items() if not needed & left.keys()]:
        left = {room: needed for room, needed in left.items() if room not in lowest}
    assert not left, "these rooms, or rooms that import them, form a circle"


def test_paper_figures_know_stored_measurements_and_drawing_only() -> None:
    allowed = (
        "commands.ending",
        "axes",
        "errors",
        "engine.store",
        "report",
        "analysis",
        "figures",
        "support.regular_files",
    )
    for path in sorted((HOUSE.parent / "paper_figures").glob("*.py")):
        wrong = [name for name in imports(path) if not name.startswith(allowed)]
        assert not wrong, path


def test_hydra_and_omegaconf_are_known_in_two_files_only() -> None:
    known = re.compile(r"^ *(from|import) (hydra|omegaconf)\b", re.MULTILINE)
    knowing = [path.relative_to(HOUSE).as_posix() for _, path in files() if known.search(path.read_text("utf-8"))]
    assert knowing == ["config/compose.py", "config/composer.py"]


def test_hydra_is_used_by_its_public_doors_only() -> None:
    private = re.compile(r"\b(hydra|omegaconf)[\w.]*(\.| import )_[a-z]")
    folders = ("dprepro", "tests", "packs", "paper_figures", "benchmarks")
    every = [path for folder in folders for path in sorted((HOUSE.parent / folder).rglob("*.py"))]
    every.remove(HOUSE.parent / "tests/command/test_hydra_habits.py")  # which holds our options against Hydra's own
    assert len(every) > 100
    wrong = [f"{path}: {found[0]}" for path in every if (found := private.search(path.read_text("utf-8")))]
    assert not wrong


COMMAND_CLASS = "Arguments"
"""The class that every command's file has, as `main` and `ABOUT`."""

PAPERS = {"bst", "glm", "kst", "lasso", "derived"}
"""A paper's file has the paper's name in each of the rooms `bounds`, `statements` and `refute`."""


def test_a_class_name_stands_once() -> None:
    places: dict[str, list[str]] = {}
    for _, path in files():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and node.name != COMMAND_CLASS:
                places.setdefault(node.name, []).append(f"{path.relative_to(HOUSE)}:{node.lineno}")
    assert len(places) > 500
    assert {name: stands for name, stands in places.items() if len(stands) > 1} == {}


def test_a_file_name_stands_once() -> None:
    places: dict[str, list[str]] = {}
    for room, path in files():
        paper = path.stem in PAPERS and room in {"bounds", "statements", "refute"}
        # a command's file has the command's name
        if path.stem not in {"__init__", "base"} and room != "commands" and not paper:
            places.setdefault(path.stem, []).append(path.relative_to(HOUSE).as_posix())
    assert len(places) > 250
    assert {name: stands for name, stands in places.items() if len(stands) > 1} == {}
