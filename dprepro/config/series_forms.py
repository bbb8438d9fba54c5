"""Short forms of series, written out; their meaning is described in `templates`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dprepro.errors import InputError, unknown

Block = dict[str, Any]
Find = Callable[[str, str], Mapping[str, Any]]

PARTS = ("algorithm", "construction")
BY_AXIS = ("sweep", "at_most")


def own_place(config: Mapping[str, Any], part: str) -> str:
    """Where the experiment has its own algorithm or construction; empty where it has none."""
    return next((place for place in (f"attack.{part}", part) if at(config, place) is not None), "")


def at(config: Mapping[str, Any], place: str) -> Any:
    """What stands under a dotted key; None where nothing does."""
    node: Any = config
    for key in place.split("."):
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


def changes_parameters(part: Any) -> bool:
    """Whether a block changes parameters of another instead of being one."""
    return isinstance(part, Mapping) and "_target_" not in part


def _families(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """All series, with one for each of those under `like` in the place of a family."""
    for name, value in given.items():
        others = value.get("like") if isinstance(value, Mapping) and "*" in str(name) else None
        if not isinstance(others, Mapping | list):
            yield name, value
            continue
        for star, other in others.items() if isinstance(others, Mapping) else zip(others, others, strict=True):
            yield name.replace("*", str(star)), {**value, "like": other}


class SeriesForms:
    """The series of a study, each written out once."""

    def __init__(
        self, given: Mapping[str, Any], defaults: Mapping[str, Any], own: Mapping[str, str], find: Find
    ) -> None:
        if not isinstance(defaults, Mapping):
            raise InputError(f"study.defaults is {defaults!r}; it must be a block of keys")
        self._given: Block = {}
        for name, family in _families(given):
            if name in self._given:
                raise InputError(f"series {name} is given twice")
            self._given[name] = family
        self._find = find
        self._own: Block = {part: f"${{{place}}}" for part, place in own.items()}
        self._base = self._with({"role": "claim", **self._own}, defaults, "study.defaults")

    def all(self) -> Block:
        return {label: self._one(label, ()) for label in self._given}

    def _one(self, label: str, asking: tuple[str, ...]) -> Any:
        given = self._given[label]
        if given is None:
            given = {}
        if not isinstance(given, Mapping):
            return given  # refused where it is built
        given, base = dict(given), self._base
        if "like" in given:
            other = str(given.pop("like"))
            if other not in self._given:
                raise InputError(f"series {label}: like: {unknown('series', other, self._given)}")
            if other in (*asking, label):
                raise InputError(f"series {label}: like: {' -> '.join((*asking, label, other))} goes round in a circle")
            base = self._one(other, (*asking, label))
        return self._with(base, given, f"series {label}")

    def _with(self, base: Block, given: Mapping[str, Any], where: str) -> Block:
        full = {**base, **given}
        full |= {part: self._part(part, base.get(part), given[part], where) for part in PARTS if part in given}
        for key in BY_AXIS:
            if isinstance(given.get(key), Mapping):
                inherited = base.get(key) or {}
                for axis in [axis for axis, values in given[key].items() if values is None]:
                    if axis not in inherited:
                        raise InputError(f"{where}: {key}.{axis} is null: {unknown('axis', axis, inherited)}")
                merged = {**inherited, **given[key]}
                full[key] = {axis: values for axis, values in merged.items() if values is not None}
        return full

    def _part(self, part: str, base: Any, said: Any, where: str) -> Any:
        if isinstance(said, str) and not said.startswith("${"):
            return dict(self._named(part, said, where))
        if isinstance(said, Mapping) and "name" in said and "_target_" not in said:
            changes = {key: value for key, value in said.items() if key != "name"}
            return {**self._named(part, said["name"], where), **changes}
        if not changes_parameters(said) or base is None or base == self._own.get(part):
            return said
        if not isinstance(base, Mapping):
            raise InputError(f"{where}: {part} changes parameters of {base}; say which {part} by name")
        return {**base, **said}

    def _named(self, part: str, name: Any, where: str) -> Mapping[str, Any]:
        try:
            return self._find(part, str(name))
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
