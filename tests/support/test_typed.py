"""Plain data becomes typed values, or one line that says why not."""

from __future__ import annotations

import enum
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal

import pytest

from dprepro.errors import InputError, MissingDependency
from dprepro.studies import Study
from dprepro.support import typed


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Part:
    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"size must be at least 1, got size={self.size}")


@dataclass(frozen=True)
class Whole:
    number: float
    part: Part
    kind: Literal["one", "two"] = "one"
    colour: Colour = Colour.RED
    grid: Mapping[str, Sequence[float]] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    maybe: int | None = None
    either: int | str = 0
    flag: bool = False
    anything: Any = None


GOOD: dict[str, Any] = {"number": 1, "part": {"size": 2}}


def test_values_arrive_typed() -> None:
    more = {"colour": "blue", "grid": {"n": [1, float("inf")]}, "parts": {"a": {}}, "maybe": 3.0, "either": "x"}
    whole = typed.build(Whole, GOOD | more)
    assert whole == Whole(
        1, Part(2), colour=Colour.BLUE, grid={"n": (1, float("inf"))}, parts={"a": Part()}, maybe=3, either="x"
    )


def test_expressions_are_numbers_where_a_number_belongs_and_texts_where_a_text_may_stand() -> None:
    more = {
        "number": "-2/3",
        "grid": {"n": [1, "1/2", "...", "2^-3"]},
        "maybe": "2*3",
        "either": "2*3",
        "anything": "1/2",
    }
    whole = typed.build(Whole, GOOD | more)
    assert (whole.number, whole.maybe, whole.either, whole.anything) == (-2 / 3, 6, "2*3", "1/2")
    assert whole.grid == {"n": (1, 0.5, 0.25, 0.125)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nummer": 1}, "whole: unknown key 'nummer' (did you mean number?); choices: anything, "),
        ({"number": "many"}, "whole.number is 'many'; it must be a number or an expression: allowed are numbers, + -"),
        ({"number": "1/0"}, "whole.number is '1/0'; it must be a number or an expression: it divides by zero"),
        ({"part": {"size": "1/2"}}, "whole.part.size is '1/2'; it must be a whole number"),
        (
            {"grid": {"n": [1, 2, "...", 9]}},
            "whole.grid.n: from 1, 2 on no geometric progression of at most 1000 terms",
        ),
        ({"number": True}, "whole.number is True; it must be a number"),
        ({"number": float("nan")}, "whole.number is nan; it must be a number"),
        ({"number": 10**400}, "it must be a number"),
        ({"part": {"size": 1.5}}, "whole.part.size is 1.5; it must be a whole number"),
        ({"part": {"size": float("inf")}}, "whole.part.size is inf; it must be a whole number"),
        ({"part": {"size": 0}}, "whole.part: size must be at least 1, got size=0"),
        ({"part": {"sise": 1}}, "whole.part: unknown key 'sise' (did you mean size?); choices: size"),
        ({"part": 3}, "whole.part is 3; it must be a block of keys"),
        ({"kind": "too"}, "whole.kind: unknown value 'too' (did you mean two?); choices: one, two"),
        ({"colour": "green"}, "whole.colour: unknown value 'green'"),
        ({"grid": [1]}, "whole.grid is [1]; it must be a block of keys"),
        ({"grid": {"n": 1}}, "whole.grid.n is 1; it must be a list of numbers"),
        ({"grid": {"n": [1, "x"]}}, "whole.grid.n[1] is 'x'; it must be a number"),
        ({"maybe": "x"}, "whole.maybe is 'x'; it must be a whole number"),
        ({"either": 1.5}, "whole.either is 1.5; it must be a whole number or a text"),
        ({"flag": 1}, "whole.flag is 1; it must be true or false"),
        ({"part": {"_target_": "os.system"}}, "whole.part._target_=os.system is refused: only dprepro"),
        ({"part": {"_target_": 5}}, "whole.part._target_=5 is refused"),
        ({"part": {"_target_": "dprepro"}}, "is refused"),
        ({"part": {"_target_": "dprepro..x"}}, "is not of the kind Part"),
        ({"part": {"_target_": "dprepro.session.subprocess"}}, "is not of the kind Part"),
        ({"part": {"_target_": "dprepro.support.typed.build"}}, "is not of the kind Part"),
        ({"part": {"_target_": "dprepro.studies.RateStudy"}}, "is not of the kind Part"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line_with_key_value_and_rule(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        typed.build(Whole, GOOD | change, "whole")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InputError, match="whole: Whole needs number, part"):
        typed.build(Whole, {}, "whole")


def test_an_abstract_kind_asks_for_a_target_and_lists_the_choices() -> None:
    for value in ({}, {"_target_": "dprepro.studies.Study"}):
        with pytest.raises(InputError, match=r"dprepro\.studies\.RateStudy"):
            typed.build(Study, value, "study")  # type: ignore[type-abstract]


PLUGIN = """\
from dataclasses import dataclass
from dprepro.engine import Cell, Row
from dprepro.studies import Study


@dataclass(frozen=True)
class Own(Study):
    size: int = 1

    def cells(self, design):
        return []

    def measure(self, cell, rng):
        return []
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "plugin_of_a_test.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "plugin_that_needs.py").write_text("import a_package_that_is_missing\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ("plugin_of_a_test", "plugin_that_needs")
    points = [EntryPoint(name=name, value=f"{name}:anything", group=typed.PLUGINS) for name in names]
    monkeypatch.setattr(typed, "entry_points", lambda group: points)
    typed.allowed_packages.cache_clear()
    yield
    typed.allowed_packages.cache_clear()
    for name in names:
        sys.modules.pop(name, None)


def test_a_package_declared_as_plug_in_may_be_named(plugin: None) -> None:
    own = typed.build(Study, {"_target_": "plugin_of_a_test.Own", "size": 2}, "study")  # type: ignore[type-abstract]
    assert own.size == 2  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"study\.size is 'x'"):
        typed.build(Study, {"_target_": "plugin_of_a_test.Own", "size": "x"}, "study")  # type: ignore[type-abstract]


def test_without_the_entry_point_it_may_not() -> None:
    with pytest.raises(InputError, match="is refused: only dprepro and packages declared"):
        typed.build(Study, {"_target_": "plugin_of_a_test.Own"}, "study")  # type: ignore[type-abstract]


def test_a_target_whose_module_lacks_a_package_says_what_to_install(plugin: None) -> None:
    with pytest.raises(MissingDependency, match="pip install a_package_that_is_missing"):
        typed.build(Study, {"_target_": "plugin_that_needs.X"}, "study")  # type: ignore[type-abstract]


def test_a_block_chooses_among_named_kinds() -> None:
    class Base(ABC):
        @abstractmethod
        def speak(self) -> str: ...

    @dataclass(frozen=True)
    class Loud(Base):
        times: int = 1

        def speak(self) -> str:
            return "a" * self.times

    kinds: dict[str, type[Base]] = {"loud": Loud}
    assert typed.build_named(kinds, "name", {"name": "loud", "times": 3}, "voice").speak() == "aaa"
    for value, fault in (
        ({"name": "lowd"}, "unknown voice.name 'lowd' (did you mean loud?)"),
        ({}, "voice.name is missing"),
        ({"name": None}, "voice.name is missing"),
        ({"name": ""}, "voice.name is empty"),
        ({"name": ["loud"]}, "unknown voice.name"),
    ):
        with pytest.raises(InputError, match=rf"^{re.escape(fault)}.*; choices: loud$"):
            typed.build_named(kinds, "name", value, "voice")


def test_a_target_longer_than_any_path_is_refused_before_anything_looks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in (typed.LONGEST_TARGET, typed.LONGEST_TARGET + 1, 100_000):
        target = "dprepro.studies." + "x" * (length - len("dprepro.studies."))
        with pytest.raises(InputError) as caught:
            typed.build(Study, {"_target_": target}, "study")  # type: ignore[type-abstract]
        said = str(caught.value)
        assert ("is no dotted path to a class" in said) == (length > typed.LONGEST_TARGET)
        assert len(said) < 1000
