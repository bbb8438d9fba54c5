"""Every name in every shipped experiment, misspelt in turn, is refused before anything is measured."""

from __future__ import annotations

import copy
import dataclasses
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest
from helpers.cheap_experiment import CHEAP, command, write_config_dir
from omegaconf import OmegaConf

from dprepro.analysis.checks import build
from dprepro.config import compose as composing
from dprepro.config.check_forms import SECTIONS, ungrouped
from dprepro.config.checked_experiment import build_experiment, check
from dprepro.config.names import check_names
from dprepro.config.templates import expand, resolve
from dprepro.engine import Cell
from dprepro.errors import InputError
from dprepro.figures import Drawing
from dprepro.studies import Declaration, Design, Study
from dprepro.support.folders import experiment_files

EXPERIMENTS = sorted(experiment_files())
QUICK = 3
"""How many of the names of each experiment the quick test draws: 195 of 11600, so that of the kinds of name that make
up 2% of all one that nobody checks is noticed with probability 0.98. The slow test takes all."""

TEXTS = ("paper", "claim", "statement", "reason", "x_label", "heading", "note", "results_dir", "workers")
Place = tuple[str | int, ...]


@cache
def block(group: str, name: str) -> dict[str, Any]:
    return composing.group_block(group, name, config_dir=None)


def leaves(node: Any, path: Place = ()) -> Iterator[tuple[Place, bool]]:
    """Paths of all keys (True) and texts (False) of a tree."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield (*path, key), True
            yield from leaves(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from leaves(value, (*path, i))
    elif isinstance(node, str):
        yield path, False


def names_something(path: Place, is_key: bool, tree: dict[str, Any]) -> bool:
    """Whether a misspelling there is one: not in free text, and not where a name is defined."""
    value = at(tree, path)
    inside = [key for key in path if isinstance(key, str)]
    if is_key:
        named = ("series", "algorithms", "designs", "tables")  # of a study, by names of one's own
        defines = path[:-1] in [("checks",), *(("study", one) for one in named), *(("checks", s) for s in SECTIONS)]
        defines |= path[:-2] in [("checks", section) for section in SECTIONS] and grouped(path[-2], at(tree, path[:-1]))
        section = path[:-1] == ("checks",) and path[-1] in SECTIONS
        of_a_family = len(path) > 2 and path[-2] in ("like", "quantity", "series") and path[-3] != "study"
        drawn_text = inside[:2] == ["figure", "constants"] and len(inside) == 4  # what a line is called
        added = path[-1] in ("algorithm", "construction", "attack") and len(path) == 1
        return (not defines or section) and not drawn_text and not added and not of_a_family
    said = [["figure", name] for name in ("labels", "names", "bounds", "quantities")]
    free = inside[-1] in TEXTS or inside[:2] in said
    number = any(sign in value for sign in "0123456789") and not value.isidentifier() and "." not in value
    return not (free or number or value in ("", "*", "...", "inf") or value.startswith("${"))


def grouped(name: Any, block: Any) -> bool:
    """Whether what stands under a name among checks holds checks, and is none."""
    return dict(ungrouped({name: block})) != {name: block}


def misspelt(tree: dict[str, Any], path: Place, is_key: bool) -> dict[str, Any]:
    changed = copy.deepcopy(tree)
    node: Any = changed
    for key in path[:-1]:
        node = node[key]
    last: Any = path[-1]
    if is_key:
        items = [(f"{key}q" if key == last else key, value) for key, value in node.items()]
        node.clear()
        node.update(items)
    else:
        text = node[last]
        node[last] = text.replace("*", "q*") if "*" in text else f"{text}q"
    return changed


def resolved(node: Any, whole: dict[str, Any]) -> Any:
    """What OmegaConf makes of interpolations, which takes it most of a composition's time."""
    if isinstance(node, dict):
        return {key: resolved(value, whole) for key, value in node.items()}
    if isinstance(node, list):
        return [resolved(one, whole) for one in node]
    if not (isinstance(node, str) and "${" in node):
        return node
    alone = re.fullmatch(r"\$\{([\w.]+)\}", node)
    if alone:
        return resolved(at(whole, tuple(alone[1].split("."))), whole)
    return re.sub(r"\$\{([\w.]+)\}", lambda found: str(at(whole, tuple(found[1].split(".")))), node)


def refusal(tree: dict[str, Any], name: str) -> str:
    """What is said of a raw tree; the empty text where nothing is."""
    try:
        full = resolve(expand(tree, block))
        config = resolved(full, full)
        check(config)
        build_experiment(composing.Composed(name, config, ()))
    except InputError as error:
        return str(error)
    return ""


def survivors(name: str, most: int | None) -> list[str]:
    tree, _ = composing._composed([f"+experiment={name}"], None)
    own = {key: tree[key] for key in ("study", "checks", "figure", "sweep", "neighbours")}
    full = resolve(expand(tree, block))
    assert resolved(full, full) == OmegaConf.to_container(OmegaConf.create(full), resolve=True, throw_on_missing=True)
    found = []
    places = [(path, is_key) for path, is_key in leaves(own) if names_something(path, is_key, own)]
    for path, is_key in random.Random(name).sample(places, min(most or len(places), len(places))):
        said = refusal(misspelt(tree, path, is_key), name)
        if not said or "\n" in said:
            found.append(f"{'.'.join(map(str, path))} ({'key' if is_key else at(own, path)}): {said!r}")
    return found


def at(tree: Any, path: Place) -> Any:
    for key in path:
        tree = tree[key]
    return tree


@pytest.mark.parametrize("name", EXPERIMENTS[::3])
def test_a_misspelt_name_in_a_shipped_experiment_is_refused_before_anything_is_measured(name: str) -> None:
    assert not survivors(name, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_misspelt_name_in_a_shipped_experiment_is_refused(name: str) -> None:
    assert not survivors(name, None)


@pytest.mark.parametrize(
    ("misspelt_name", "words"),
    [
        (
            "quantity: certified_epsilom",
            "check new: unknown quantity 'certified_epsilom' (did you mean certified_epsilon?)",
        ),
        ("divide: rat", "check new: divide: unknown column 'rat' (did you mean rate?)"),
        ("axes: [epsilom]", "check new: axes: unknown axis 'epsilom' (did you mean epsilon?)"),
        ("envelope: [mass]", "check new: envelope: unknown axis 'mass'"),
        ("series: needl", "check new: unknown series 'needl' (did you mean needle?)"),
    ],
)
def test_a_name_that_nothing_will_bear_is_one_line_within_two_seconds_and_nothing_is_written(
    misspelt_name: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    new = f"  new: {{rule: ratio, role: context, series: needle, against: bounded, expected: 1, {misspelt_name}}}"
    if "series" in misspelt_name:
        new = new.replace("series: needle, ", "")
    folder = write_config_dir(tmp_path / "mine", bad=CHEAP.replace("\nfigure:", f"{new}\n\nfigure:"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    command("--config-dir", folder, "+experiment=cheap", "--cfg", "job")  # what is imported once
    capsys.readouterr()
    started = time.process_time()
    assert command("--config-dir", folder, "+experiment=bad") == 2
    assert time.process_time() - started < 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err
    assert not list((tmp_path / "elsewhere").iterdir())


@dataclass(frozen=True)
class Own(Drawing):
    """A figure of a plug-in, with a field that names a column."""

    kinds: ClassVar[dict[str, str]] = {"colour": "column"}

    colour: str = "gap"

    def draw(self, frame: Any, verdict: Any, config: Any) -> Any: ...


def test_names_with_an_open_end_and_a_plug_ins_own_fields_are_held_too() -> None:
    declared = Declaration({"a": frozenset({"excess_risk", "tail_*"})}, frozenset({"rate", "gap"}), frozenset({"n"}))

    def held(figure: Drawing, **fields: Any) -> None:
        rule = {"rule": "exponent", "role": "claim", "series": "a", "axis": "n", "expected": 1}
        check_names(declared, ["n"], {"x": build("x", rule | fields)}, figure)

    held(Own(), quantity="tail_3", divide="rate", axes=["gap"])
    for fields, words in (
        ({"quantity": "tial_3"}, "check x: unknown quantity 'tial_3' (did you mean tail_*?)"),
        ({"divide": "gab"}, "check x: divide: unknown column 'gab'"),
    ):
        with pytest.raises(InputError) as caught:
            held(Own(), **fields)
        assert words in str(caught.value)
    with pytest.raises(InputError, match=r"figure\.colour: unknown column 'gsp'"):
        held(Own(colour="gsp"))
    with pytest.raises(InputError, match=r"sweep\.m: unknown axis 'm'"):
        check_names(declared, ["m"], {}, Own())


def test_a_study_that_declares_nothing_may_write_anything() -> None:
    @dataclass(frozen=True)
    class Silent(Study):
        def cells(self, design: Design) -> list[Cell]:
            return [Cell("a", "claim", {"n": 1, "own": 2}, 0, design.seed, "")]

        def measure(self, cell: Cell, rng: Any) -> list[Any]:
            return []

    declared = Silent().declare(Design({"n": [1]}))
    rule = build(
        "x", {"rule": "below", "role": "claim", "series": "a", "quantity": "q", "axes": ["own"], "expected": 1}
    )
    check_names(declared, ["n"], {"x": rule}, Own(colour="anything"))
    with pytest.raises(InputError, match="unknown series 'b'"):
        check_names(declared, ["n"], {"x": dataclasses.replace(rule, series="b")}, Own())
