"""What is planted, and on which grids it is run: plain data in the YAML files beside this module."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from dprepro.config.checked_experiment import Checked, check
from dprepro.config.compose import Composed, compose
from dprepro.errors import InputError, unknown
from dprepro.studies.base import ANYTHING
from dprepro.support import typed
from dprepro.support.yaml_files import load

HERE = Path(__file__).parent
ROOT = HERE.parent
GRIDS = "grids.yaml"


@dataclass(frozen=True)
class Mutant:
    """One expression or statement of the package that says something false.

    Attributes:
        name: of the mutant.
        says: the falsehood in words.
        where: the module, and after a colon the function, class or method: ``dprepro.privacy.audit:Audit.power``.
        expression, replace: what stands there once, and what stands in its place: an expression, or a statement, for
            which there may be several on one line. Blanks, line ends and brackets that change nothing do not count.
        experiment: whose verdict must notice, run on its grid of `grids.yaml`.
        tests: files of tests, of which one must notice, in the place of an experiment: where no verdict can, as of a
            rule that every verdict rests on.
        checks: those that are run, of which one has to notice; empty for all of the experiment's.
        harmless: whether it is true after all (another order of draws, say), and no verdict may notice.
    """

    name: str
    says: str
    where: str
    expression: str
    replace: str
    experiment: str = ""
    tests: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    harmless: bool = False

    def __post_init__(self) -> None:
        if bool(self.experiment) == bool(self.tests):
            raise InputError(f"mutant {self.name}: give an experiment or tests that must notice it, one of them")

    @property
    def judge(self) -> str:
        """The experiment, or the tests, by name."""
        return self.experiment or " ".join(self.tests)

    @property
    def file(self) -> str:
        """The module's file, from the root of the checkout."""
        path = self.where.partition(":")[0].replace(".", "/")
        return f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"

    def planted(self, source: str) -> str:
        """The module's source with the falsehood.

        Raises:
            InputError: there is no such function, or it does not have the expression exactly once.
        """
        wanted, new = (_parsed(text, self.name) for text in (self.expression, self.replace))
        if isinstance(new[0], ast.stmt) or isinstance(wanted[0], ast.stmt):  # then both are
            wanted, new = ([_statement(node) for node in nodes] for nodes in (wanted, new))
        scope = _found(_tree(source), self.where.partition(":")[2])
        if scope is None:
            raise InputError(f"mutant {self.name}: there is no {self.where}")
        same = [node for node in ast.walk(scope) if _same([node], wanted)]
        if len(same) != 1:
            times = f"{len(same)} times, not once"
            raise InputError(f"mutant {self.name}: {self.where} has {self.expression!r} {times}")
        first, last = _extent(source, same[0])
        for text in (self.replace, f"({self.replace})"):  # in brackets where it binds less than what stood there
            planted = source[:first] + text + source[last:]
            if _replaced(_tree(source), same[0], new, _tree(planted)):
                return planted
        raise InputError(f"mutant {self.name}: {self.replace!r} cannot stand in the place of {self.expression!r}")


def _parsed(text: str, name: str) -> list[ast.AST]:
    """One expression, or statements."""
    try:
        body = ast.parse(text.strip()).body
    except SyntaxError as error:
        raise InputError(f"mutant {name}: {text!r} is no expression and no statement") from error
    return [body[0].value] if len(body) == 1 and isinstance(body[0], ast.Expr) else [*body]


def _statement(node: ast.AST) -> ast.AST:
    return ast.Expr(node) if isinstance(node, ast.expr) else node


def _found(tree: ast.Module, name: str) -> ast.AST | None:
    """The function or class of that name, dots between a class and what it holds; the module where there is none."""
    scope: ast.AST | None = tree
    for part in name.split(".") if name else ():
        within = ast.walk(scope) if scope else ()
        kinds = (ast.FunctionDef, ast.ClassDef)
        scope = next(
            (
                function
                for function in within
                if isinstance(function, kinds) and function.name == part and function is not scope
            ),
            None,
        )
    return scope


def _same(some: object, others: object) -> bool:
    """Whether they say the same, a name that is read and one that is set being one name."""
    if isinstance(some, list) and isinstance(others, list):
        return len(some) == len(others) and all(map(_same, some, others))
    if not isinstance(some, ast.AST) or type(some) is not type(others):
        return type(some) is type(others) and some == others
    return all(_same(getattr(some, name), getattr(others, name)) for name in some._fields if name != "ctx")


def _extent(source: str, node: ast.AST) -> tuple[int, int]:
    """Where its text begins and ends; columns of syntax trees count bytes."""
    assert isinstance(node, ast.expr | ast.stmt)
    lines = source.splitlines(keepends=True)
    places = ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
    first, last = (
        sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode()) for line, column in places
    )
    return first, last


def _replaced(old: ast.Module, node: ast.AST, new: list[ast.AST], planted: ast.Module) -> bool:
    """Whether a tree is the old one with others in the place of one of its nodes: of the statement that holds it."""
    place = next(
        number for number, statement in enumerate(old.body) if any(part is node for part in ast.walk(statement))
    )
    more = len(planted.body) - len(old.body)
    changed = _Put(node, new).visit(copy.deepcopy(old.body[place], {id(node): node}))
    changed = changed if isinstance(changed, list) else [changed]
    return more == len(changed) - 1 and _same(planted.body[place : place + more + 1], changed)


class _Put(ast.NodeTransformer):
    """Puts nodes in the place of one."""

    def __init__(self, node: ast.AST, new: list[ast.AST]) -> None:
        self.node, self.new = node, new

    def visit(self, node: ast.AST) -> Any:
        if node is not self.node:
            return self.generic_visit(node)
        return self.new if isinstance(node, ast.stmt) else self.new[0]


@lru_cache(4)
def _tree(source: str) -> ast.Module:
    """The syntax tree; an empty one of what is no Python."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


@dataclass(frozen=True)
class Grid:
    """How an experiment is cut down to seconds.

    Attributes:
        drop: series that are left out, by name or pattern, and with them what checks say of them.
        overrides: further words of the command line; those about a series that is left out are too.
    """

    drop: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()

    def command(self, experiment: str, checks: Sequence[str] = ()) -> list[str]:
        """The words that run some checks of the experiment, or all of them, with the series that they need.

        Raises:
            InputError: a series or a check that the experiment does not have.
        """
        composed, checked = _composed(experiment)
        rules = checked.rules
        series = list(composed.config["study"].get("series", {}))
        for pattern in self.drop:
            if not any(fnmatchcase(item, pattern) for item in series):
                raise unknown(f"series of {experiment}", pattern, series)
        for name in checks:
            if name not in rules:
                raise unknown(f"check of {experiment}", name, rules)
        gone = {item for item in series for pattern in self.drop if fnmatchcase(item, pattern)}
        kept = {name: rule for name, rule in rules.items() if name in checks or not checks}
        used = [rule.uses() for rule in kept.values()]
        if checks and all(used):  # a rule that names no series is about all of them
            gone |= set(series).difference(*used)
        words = [f"~checks.{name}" for name in rules if name not in kept]
        for name, rule in kept.items():
            named = getattr(rule, "series", ())
            if named == "*" and gone:  # all that there are, then
                named = tuple(series)
            left = () if isinstance(named, str) else tuple(item for item in named if item not in gone)
            if left and left != getattr(rule, "series", ()):
                words.append(f"++checks.{name}.series=[{','.join(left)}]")
            elif gone & set(rule.uses()):
                words.append(f"~checks.{name}")
        if all(rule.role != "claim" for rule in kept.values()):  # an experiment needs one
            name, rule = next(iter(kept.items()))
            words += [f"checks.{name}.role=claim", f"++checks.{name}.expect={rule.expect}"]
        words += [f"~study.series.{item}" for item in series if item in gone]
        mine = [
            override for override in self.overrides if not any(f"study.series.{name}." in override for name in gone)
        ]
        blocks = composed.config["study"].get("series", {})
        if all(
            blocks[item].get("replicates") for item in series if item not in gone
        ):  # nobody has the experiment's own
            mine = [text for text in mine if not text.startswith("replicates=")]
        return [f"+experiment={experiment}", *_plain(checked, gone), *words, *mine]


@cache
def _composed(experiment: str) -> tuple[Composed, Checked]:
    """An experiment as it stands; not to be changed."""
    composed = compose([f"+experiment={experiment}"])
    return composed, check(composed.config)


def _plain(checked: Checked, gone: Collection[str]) -> list[str]:
    """In the place of the experiment's figure one that names no series; a study without them has one that does not."""
    if not checked.settings.study.get("series"):
        return []
    kept = [names for series, names in checked.study.declare(checked.design).series.items() if series not in gone]
    quantities = {name for names in kept for name in names}
    if quantities & {"excess_risk", ANYTHING}:
        return ["~figure"]
    return ["~figure", "+figure.name=rate", f"+figure.quantity={min(quantities)}"]


def grids() -> dict[str, Grid]:
    """The grid of every experiment that has one of its own."""
    return {name: typed.build(Grid, block or {}, name) for name, block in _read(HERE / GRIDS).items()}


def mutants(patterns: Sequence[str] = ()) -> list[Mutant]:
    """All mutants, file by file, or those whose names match a pattern.

    Raises:
        InputError: two of one name, a pattern that matches none, or a block that is no mutant.
    """
    found: dict[str, Mutant] = {}
    for path in sorted(HERE.glob("*.yaml")):
        if path.name == GRIDS:
            continue
        for name, block in _read(path).items():
            if name in found:
                raise InputError(f"{path.name}: there are two mutants {name}")
            found[name] = typed.build(Mutant, {**block, "name": name}, f"{path.name}: {name}")
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in found):
            raise unknown("mutant", pattern, found)
    chosen = patterns or ["*"]
    return [mutant for name, mutant in found.items() if any(fnmatchcase(name, pattern) for pattern in chosen)]


def _read(path: Path) -> Mapping[str, Any]:
    content = load(path)
    if not isinstance(content, dict):
        raise InputError(f"{path} must map names to blocks")
    return content
