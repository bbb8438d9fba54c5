"""Connections to stores: each is closed by `with`, and queries are ones that every Python takes without a warning."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.databases import opened

ROOT = Path(__file__).parents[2]
MAY_CONNECT = {"dprepro/engine/connection.py", "dprepro/auditing/answers.py", "tests/helpers/databases.py"}
HERE = "tests/engine/test_connections.py"
ROOMS = ("benchmarks", "docs", "dprepro", "experiments", "mutants", "packs", "paper_figures", "tests")
FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every file of the checkout in which a store, a connection or a numbered parameter may stand, parsed."""
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
    return {name: ast.parse(text) for name, text in texts.items() if re.search(r"Store|connect|\?\d", text)}


def written(function: ast.expr) -> str:
    """What is called, as ``a.b.c``; of what is itself called or indexed, the attributes behind it."""
    if isinstance(function, ast.Attribute):
        return f"{written(function.value)}.{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    """The calls of ``something.name(...)`` or ``name(...)``, by how they are written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and written(node.func).endswith(name):
            yield node


def closed(tree: ast.AST) -> set[int]:
    """The calls that a `with` closes, that are closed in the same breath, or that must raise, by their identity."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.With):
            found |= {id(item.context_expr) for item in node.items}
            if any(True for item in node.items for _ in calls(item.context_expr, "pytest.raises")):
                found |= {id(inner) for line in node.body for inner in ast.walk(line)}
        elif isinstance(node, ast.Call) and written(node.func).endswith(".enter_context"):
            found |= {id(given) for given in node.args}
        elif isinstance(node, ast.Attribute) and node.attr == "close":
            found.add(id(node.value))
    return found


def test_every_connection_and_every_store_is_closed_by_with(trees: dict[str, ast.Module]) -> None:
    wrong = []
    for name, tree in trees.items():
        fine = closed(tree)
        left = [call for call in calls(tree, "Store.open") if id(call) not in fine]
        if name not in MAY_CONNECT:
            left += calls(tree, "sqlite3.connect")
        wrong += [f"{name}:{call.lineno}: {ast.unparse(call)}" for call in left]
    assert wrong == []


def test_no_query_numbers_its_parameters(trees: dict[str, ast.Module]) -> None:
    """Python warns of a sequence for ``?1`` below 3.12.4, as if the parameter had a name."""
    query = re.compile(r"\b(SELECT|VALUES|SET|FROM|WHERE)\b.*\?\d", re.DOTALL)
    wrong = []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(node, ast.JoinedStr):
                text = ast.unparse(node)
            if isinstance(text, str) and name != HERE and query.search(text):
                wrong.append(f"{name}:{node.lineno}")
    assert wrong == []


def test_changes_are_kept_and_the_connection_is_closed_whatever_happens(tmp_path: Path) -> None:
    letters = tmp_path / "letters.sqlite"
    with opened(letters) as database:
        database.execute("CREATE TABLE letters(a TEXT)")
        database.execute("INSERT INTO letters VALUES ('x')")

    def fails() -> None:
        with opened(letters) as again:
            used.append(again)
            assert again.execute("SELECT a FROM letters").fetchall() == [("x",)]
            raise ZeroDivisionError

    used: list[sqlite3.Connection] = []
    with pytest.raises(ZeroDivisionError):
        fails()
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        used[0].execute("SELECT 1")
