"""What is planted, and on which grids it is run: plain data in the YAML files beside this module."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from dprepro.config.compose import Composed, compose
from dprepro.config.experiment import Checked, check
from dprepro.errors import InputError, unknown
from dprepro.studies.base import ANYTHING
from dprepro.support import typed
from dprepro.support.yaml_files import load

HERE = Path(__file__).parent
ROOT = HERE.parent
GRIDS = "grids.yaml"


@dataclass(frozen=True)
class Mutant:
    """One line of the package that says something false.

    Attributes:
        name: of the mutant.
        says: the falsehood in words.
        file: the file, from the root of the checkout.
        old, new: the line and what stands in its place; blanks at its beginning do not count and are kept.
        experiment: whose verdict must notice, run on its grid of `grids.yaml`.
        tests: files of tests, of which one must notice, in the place of an experiment: where no verdict can, as of a
            rule that every verdict rests on.
        checks: those that are run, of which one has to notice; empty for all of the experiment's.
        inside: the function or class that has the line, where the file has several such lines.
        harmless: whether it is true after all (another order of draws, say), and no verdict may notice.
    """

    name: str
    says: str
    file: str
    old: str
    new: str
    experiment: str = ""
    tests: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    inside: str = ""
    harmless: bool = False

    def __post_init__(self) -> None:
        if bool(self.experiment) == bool(self.tests):
            raise InputError(f"mutant {self.name}: give an experiment or tests that must notice it, one of them")

    @property
    def judge(self) -> str:
        """The experiment, or the tests, by name."""
        return self.experiment or " ".join(self.tests)

    def planted(self, source: str) -> str:
        """The file's source with the line replaced; raises InputError unless it is found exactly once."""
        lines = source.splitlines()
        first, last = _span(source, self.inside) if self.inside else (0, len(lines))
        found = [at for at in range(first, last) if lines[at].strip() == self.old.strip()]
        if len(found) != 1:
            where, times = f"{self.file} {self.inside}".strip(), f"{len(found)} times, not once"
            raise InputError(f"mutant {self.name}: {where} has the line {self.old.strip()!r} {times}")
        line = lines[found[0]]
        lines[found[0]] = line[: len(line) - len(line.lstrip())] + self.new.strip()
        return "\n".join(lines) + "\n"


def _span(source: str, name: str) -> tuple[int, int]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node.lineno - 1, node.end_lineno or node.lineno
    return 0, 0


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
            if not any(fnmatchcase(one, pattern) for one in series):
                raise unknown(f"series of {experiment}", pattern, series)
        for name in checks:
            if name not in rules:
                raise unknown(f"check of {experiment}", name, rules)
        gone = {one for one in series for pattern in self.drop if fnmatchcase(one, pattern)}
        kept = {name: rule for name, rule in rules.items() if name in checks or not checks}
        used = [rule.uses() for rule in kept.values()]
        if checks and all(used):  # a rule that names no series is about all of them
            gone |= set(series).difference(*used)
        words = [f"~checks.{name}" for name in rules if name not in kept]
        for name, rule in kept.items():
            named = getattr(rule, "series", ())
            if named == "*" and gone:  # all that there are, then
                named = tuple(series)
            left = () if isinstance(named, str) else tuple(one for one in named if one not in gone)
            if left and left != getattr(rule, "series", ()):
                words.append(f"++checks.{name}.series=[{','.join(left)}]")
            elif gone & set(rule.uses()):
                words.append(f"~checks.{name}")
        if all(rule.role != "claim" for rule in kept.values()):  # an experiment needs one
            name, rule = next(iter(kept.items()))
            words += [f"checks.{name}.role=claim", f"++checks.{name}.expect={rule.expect}"]
        words += [f"~study.series.{one}" for one in series if one in gone]
        mine = [one for one in self.overrides if not any(f"study.series.{name}." in one for name in gone)]
        blocks = composed.config["study"].get("series", {})
        if all(blocks[one].get("replicates") for one in series if one not in gone):  # nobody has the experiment's own
            mine = [one for one in mine if not one.startswith("replicates=")]
        return [f"+experiment={experiment}", *_plain(checked, gone), *words, *mine]


@cache
def _composed(experiment: str) -> tuple[Composed, Checked]:
    """An experiment as it stands; not to be changed."""
    composed = compose([f"+experiment={experiment}"])
    return composed, check(composed.config)


def _plain(checked: Checked, gone: Collection[str]) -> list[str]:
    """In the place of the experiment's figure one that names no series."""
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
    return [one for name, one in found.items() if any(fnmatchcase(name, pattern) for pattern in chosen)]


def _read(path: Path) -> Mapping[str, Any]:
    content = load(path)
    if not isinstance(content, dict):
        raise InputError(f"{path} must map names to blocks")
    return content
