"""Two hundred files of a user's configuration with one entry that nobody would write: one line, nothing written."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.cheap_experiment import CHEAP, write_config_dir

from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.errors import InputError, MissingDependency, printable
from dprepro.statements.papers import papers
from dprepro.support.yaml_files import parse

FILES = {
    "experiment": CHEAP,
    "algorithm": "_target_: dprepro.algorithms.NoisyFrankWolfe\nsteps_factor: 1\n",
    "construction": "_target_: dprepro.constructions.RandomDesign\nkind: noise\nloss: squared\nradius: 1\n",
    "papers": (
        "title: A\nauthors: B\nyear: 2018\nclaims:\n- {item: T1, kind: rate, note: n, says: {text: s, "
        "direction: at_most, bound: lasso.theorem_2_5, premise: [epsilon <= 3]}}\nerrata:\n- {item: E1, printed: p, "
        "holds: h, severity: typo, about: [T1], quote: q, source: s, shown_by: [{experiment: cheap, check: both}]}\n"
    ),
    "schema": (
        "target: y\ncolumns:\n  y: {range: [0, 1], missing: drop, above: 0.5}\n  x: {categories: [a, b], missing: fill,"
        " fill: a}\n  t: {since: 2019-01-01, until: 2020-01-01, outside: clip}\nintercept: true\n"
    ),
}
TABLE = "y,x,t\n" + "0.1,a,2019-02-01\n0.9,b,2019-03-01\n" * 30
VALUES: dict[str, Any] = {
    "nothing": None, "true": True, "a list": [], "a block": {}, "a list of lists": [[[]]],
    "a block of blocks": {"a": {"b": 1}},
    "zero": 0, "negative": -1, "huge": 1e308, "tiny": 5e-324, "infinite": float("inf"), "no number": float("nan"),
    "many digits": 10**399, "a power": "9^9^9^9", "a root": "sqrt(-1)", "long": "x" * 20_000, "empty": "",
    "a path": "../../x", "a root path": "/etc/passwd", "a variable": "${oc.env:HOME}", "itself": "${claim}",
    "half a reference": "${", "a star": "*", "a line\nbreak": "a\nb\t", "backwards": "\u202e\u2066x",
    "a surrogate": "\ufffd\u2028",
    "a zero byte": "a\x00b", "an escape": "\x1b[2J", "a range": "[1, ..., 2]", "a class": "os.system",
    "a template": "{{x}}<script>",
    "deep": eval("[" * 30 + "]" * 30), "wide": list(range(3000)), "mixed": [1, "a", None, {}],
}  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to all entries of a document."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


def spoilt(text: str, chance: random.Random) -> str:
    """The text with one entry replaced, renamed, added or taken away."""
    document = copy.deepcopy(parse(text, ""))
    path, value = chance.choice(list(places(document))), chance.choice(list(VALUES.values()))
    node = document
    for key in path[:-1]:
        node = node[key]
    how = chance.randrange(8)
    if how == 0 and isinstance(node, dict):
        node[str(value)] = node.pop(path[-1])
    elif how == 1 and isinstance(node, dict):
        node[str(value)[:50]] = value
    elif how == 2:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    head = "# @package _global_\n" if "@package" in text else ""
    return head + yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def taken(kind: str, folder: Path) -> None:
    """All that is done with a file of that kind before anything is measured."""
    if kind == "papers":
        papers(str(folder))
        return
    words = {
        "experiment": ["+experiment=bad"],
        "algorithm": ["+experiment=cheap", "algorithm=bad"],
        "construction": ["+experiment=cheap", "construction=bad"],
        "schema": [
            "+experiment=table_classification", "construction=table",
            f"construction.path='{folder / 'table.csv'}'", f"construction.schema='{folder / 'schema' / 'bad.yaml'}'",
        ],
    }  # fmt: skip
    build_experiment(compose([*words[kind], f"results_dir='{folder / 'results'}'"], str(folder)))


def spoil_and_take(kind: str, folder: Path, seeds: range) -> int:
    """How many of so many spoilt files were refused; whatever else is raised fails."""
    write_config_dir(folder)
    (folder / "table.csv").write_text(TABLE)
    for name in FILES:
        (folder / name).mkdir(exist_ok=True)
    before, refused = sorted(folder.rglob("*")), 0
    for seed in seeds:
        file = folder / kind / "bad.yaml"
        file.write_text(spoilt(FILES[kind], random.Random(f"{kind} {seed}")), encoding="utf-8")
        refused += said_no(lambda: taken(kind, folder), f"{kind} {seed}: {file.read_text(encoding='utf-8')[:2000]}")
        file.unlink()
        assert sorted(folder.rglob("*")) == before, seed
    return refused


def said_no(action: Callable[[], object], what: str) -> bool:
    said = ""
    try:
        action()
    except (InputError, MissingDependency) as error:
        said = printable(str(error))
    except Exception as error:
        raise AssertionError(what) from error
    assert len(said) < 5000, what
    return bool(said)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_taken_before_it_is_spoilt(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    write_config_dir(folder)
    (folder / "table.csv").write_text(TABLE)
    (folder / kind).mkdir(exist_ok=True)
    (folder / kind / "bad.yaml").write_text(FILES[kind], encoding="utf-8")
    taken(kind, folder)


def test_a_radius_beyond_what_can_be_squared_is_refused(tmp_path: Path) -> None:
    write_config_dir(tmp_path / "mine")
    (tmp_path / "mine" / "construction").mkdir()
    text = FILES["construction"].replace("radius: 1\n", "radius: 1e308\n")
    (tmp_path / "mine" / "construction" / "bad.yaml").write_text(text)
    with pytest.raises(InputError, match="too large or too small to compute with"):
        taken("construction", tmp_path / "mine")


@pytest.mark.parametrize(
    ("entry", "words"),
    [(f"/algorithm: {'x' * 20_000}", r"bad.yaml: .*: 'xxx"), ("'': noisy_frank_wolfe", "cannot read")],
)
def test_a_defaults_list_that_names_no_file_is_refused(entry: str, words: str, tmp_path: Path) -> None:
    write_config_dir(tmp_path, bad=CHEAP.replace("/algorithm: noisy_frank_wolfe", entry))
    with pytest.raises(InputError, match=words) as caught:
        taken("experiment", tmp_path)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("kind", FILES)
def test_a_spoilt_file_is_refused_in_one_line_or_is_sound(kind: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert spoil_and_take(kind, tmp_path / "mine", range(3)) >= 0
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_two_hundred_and_twenty_spoilt_files_are_refused_in_one_line_or_are_sound(kind: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    refused = spoil_and_take(kind, tmp_path / "mine", range(50 if kind != "schema" else 20))
    assert refused >= 8  # the rest replaces a text by another one, or a number by one that can be
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
