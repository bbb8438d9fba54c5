"""Short forms of checks, written out; their meaning is described in `templates`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from dprepro.analysis.checks import RULES
from dprepro.analysis.exponent import Exponent
from dprepro.analysis.inequality import Below
from dprepro.analysis.margins import frozen
from dprepro.errors import InputError, unknown
from dprepro.support import expressions

Block = dict[str, Any]
Speaks = Callable[[str, Mapping[str, Any]], dict[str, str] | None]
"""The statements that a check judges, from its name and its keys; None where no YAML names any."""

SECTIONS = {"claims": "claim", "controls": "control", "context": "context", "errata": "erratum"}
USUAL: dict[str, Block] = {
    "below_bound": {"rule": "below"},
    "within_budget": {"rule": "below", "quantity": "certified_epsilon", "precondition": True},
    "noise_as_scheduled": {"rule": "noise", "precondition": True},
    "as_derived": {"rule": "ratio", "divide": "law"},
}
FAMILY = "exponents"
NUMBERS = {
    field.name
    for rule in RULES.values()
    for field in fields(rule)
    if field.type in ("float", "int", "Mapping[str, float]")
}
"""Fields of the rules that hold a number, or numbers by name."""

_JUDGEMENT = ("role", "expect", "reason")  # belongs to one check alone
_OF_RULES = {"like", "rule", "evidence", *(field.name for rule in RULES.values() for field in fields(rule))}
_EXPECTED = {
    name: field.default
    for name, rule in RULES.items()
    for field in fields(rule)
    if field.name == "expected" and field.default is not MISSING
}


def matching(names: Any, series: Mapping[str, Any], where: str) -> Any:
    """A list of names of series, with all that match in the place of a name with a star; anything else as it is."""
    if not isinstance(names, list):
        return names
    found: list[Any] = []
    for name in names:
        if isinstance(name, str) and "*" in name:
            new = [text for text in series if fnmatchcase(text, name) and text not in found]
            if not any(fnmatchcase(text, name) for text in series):
                raise InputError(f"{where}: {unknown('series', name, series)}")
            found += new
        else:
            found.append(name)
    return found


class CheckForms:
    """The checks of an experiment, each written out once."""

    def __init__(self, given: Mapping[str, Any], series: Mapping[str, Any], speaks: Speaks) -> None:
        self._series, self._speaks = series, speaks
        self._given: dict[str, tuple[str, Any]] = {}
        for name, family in self._families(self._sections(given)):
            if name in self._given:
                raise InputError(f"check {name} is given twice")
            self._given[name] = family

    def all(self) -> Block:
        return {name: _with_numbers(self._one(name, ())) for name in self._given}

    def _sections(self, given: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, Any]]]:
        for name, value in given.items():
            if name not in SECTIONS:
                yield name, ("", value)
            elif isinstance(value, Mapping):
                yield from ((inner, (SECTIONS[name], check)) for inner, check in ungrouped(value))
            elif value is not None:
                raise InputError(f"checks.{name} is {value!r}; it must be a block of checks")

    def _families(self, given: Iterator[tuple[str, tuple[str, Any]]]) -> Iterator[tuple[str, tuple[str, Any]]]:
        every = list(given)
        for name, (role, entry) in every:
            if isinstance(entry, Mapping) and isinstance(ends := entry.get("between"), list) and len(ends) == 2:
                left = {key: value for key, value in entry.items() if key != "between"}
                first = {} if "like" in left else {"rule": Below.name}
                yield name, (role, {**first, "side": "at_least", **left, "expected": ends[0]})
                yield f"{name}_most", (role, {"like": name, "side": "at_most", "expected": ends[1]})
                continue
            pattern = "exponent_*" if name == FAMILY else str(name)
            if "*" not in pattern:
                yield name, (role, entry)
                continue
            if not isinstance(entry, Mapping):
                raise InputError(f"checks.{name} is {entry!r}; a family of checks must be a block of keys")
            shared = {key: value for key, value in entry.items() if key in _OF_RULES}
            if of := next((key for key in ("quantity", "series") if _named(entry, key)), ""):
                values = entry[of] if isinstance(entry[of], Mapping) else {label: label for label in entry[of]}
                for label, value in values.items():
                    yield pattern.replace("*", str(label)), (role, {**_member(entry, label, values), of: value})
            elif axes := [key for key in entry if key not in shared]:
                for axis in axes:
                    own = self._exponent(name, str(axis), _member(shared, axis, axes), entry[axis])
                    yield pattern.replace("*", str(axis)), (role, own)
            elif isinstance(entry.get("series"), list) or (role and "series" not in entry):
                said = entry.get("series", self._left(role, every))
                if not said:
                    raise InputError(f"checks.{name} judges nothing: other checks name every series of role {role}")
                labels = matching(said, self._series, f"checks.{name}")
                for label in labels:
                    yield pattern.replace("*", str(label)), (role, {**_member(entry, label, labels), "series": label})
            else:
                raise InputError(
                    f"checks.{name} is a family; it needs axes with their exponents (n: -2/3), or a list of series"
                )

    def _left(self, role: str, every: Sequence[tuple[str, tuple[str, Any]]]) -> list[str]:
        """The series of a role that no other check of its section is called after, or is about."""
        own = [(name, item) for name, (section, item) in every if section == role]
        about = {name for name, _ in own} | {str(entry.get("series")) for _, entry in own if isinstance(entry, Mapping)}
        return [
            label
            for label, value in self._series.items()
            if isinstance(value, Mapping) and value.get("role") == role and label not in about
        ]

    def _exponent(self, family: str, axis: str, shared: Mapping[str, Any], said: Any) -> Block:
        check: Block = {} if "like" in shared else {"rule": Exponent.name}
        check |= {"axis": axis} | ({"transform": "log_log_inverse"} if axis == "delta" else {}) | dict(shared)
        if isinstance(said, Mapping):
            check |= said
        elif isinstance(said, str) and said.isidentifier() and not _is_number(said):
            check |= {"divide": said, "expected": 0}
        else:
            check["expected"] = said
        if "series" not in check and "like" not in check:
            claims = [label for label, value in self._series.items() if _is_claim(value)]
            if len(claims) != 1:
                raise InputError(f"checks.{family} does not say of which series; choices: {', '.join(self._series)}")
            check["series"] = claims[0]
        for key in ("series", "like"):
            if isinstance(check.get(key), str):
                check[key] = check[key].replace("*", axis)
        return check

    def _one(self, name: str, asking: tuple[str, ...]) -> Any:
        role, given = self._given[name]
        if name in USUAL and isinstance(given, str | list):
            given = {"series": given}
        elif isinstance(given, str):
            if name not in self._series:
                raise InputError(
                    f"check {name}: {given!r} alone is the check that a series is held against: "
                    f"{unknown('series', name, self._series)}"
                )
            given = {"like": given}
        if not isinstance(given, Mapping):
            return given  # refused where it is built
        check = dict(USUAL.get(name, {})) | self._inherited(name, role, given, asking) | dict(given)
        check.pop("like", None)
        if role and check.setdefault("role", role) != role:
            raise InputError(f"check {name}: role is {check['role']!r}, and it stands in the section of role {role}")
        if "rule" not in check and get_close_matches(name, SECTIONS, n=1):
            raise InputError(f"checks.{name} has no rule: {unknown('section', name, SECTIONS)}")
        if "series" in check:
            check["series"] = matching(check["series"], self._series, f"check {name}")
        own = self._speaks(name, {**check, "about": None}) or {}
        if "about" not in given and own.keys() - check.get("about", own):
            check.pop("about")  # its own name says more than what it is like
        about = self._speaks(name, check)
        if about is not None:
            check["about"] = about
        check.pop("evidence", None)
        return check

    def _inherited(self, name: str, section: str, given: Mapping[str, Any], asking: tuple[str, ...]) -> Block:
        """What a check takes over from the one that it is like, with the series of its own name where there is one."""
        if "like" not in given:
            return {}
        other = str(given["like"])
        if other in (*asking, name):
            raise InputError(f"check {name}: like: {' -> '.join((*asking, name, other))} goes round in a circle")
        if other in self._given:
            taken = self._one(other, (*asking, name))
        elif other in USUAL:
            taken = USUAL[other]
        else:
            raise InputError(f"check {name}: like: {unknown('check', other, {*self._given, *USUAL})}")
        taken = {key: value for key, value in dict(taken).items() if key not in _JUDGEMENT}
        if (section or given.get("role")) != "claim":
            taken.pop("about", None)
        return taken | ({"series": name} if name in self._series else {})


def _with_numbers(check: Any) -> Any:
    """The check with its `expected` and `margin`, which people override most, whether its YAML says them or not."""
    if not isinstance(check, Mapping) or check.get("rule") not in RULES:
        return check
    rule = str(check["rule"])
    full = ({"expected": _EXPECTED[rule]} if rule in _EXPECTED else {}) | dict(check)
    expected = full.get("expected")
    if isinstance(expected, str) and _is_number(expected):
        expected = expressions.evaluate(expected)
    if isinstance(expected, int | float):
        full = {"margin": frozen(rule, full, float(expected))} | full
    return full


def ungrouped(section: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The checks of a section, those that stand under the name of another check as checks that are like it.

    A number in the place of such a check is what it expects, anything else that is no block its series.
    """
    for name, value in section.items():
        plain = (
            not isinstance(value, Mapping)
            or not value
            or _OF_RULES & value.keys()
            or {"between", *_JUDGEMENT} & value.keys()
        )
        if plain or name == FAMILY or "*" in str(name):
            yield name, value
            continue
        for inner, own in value.items():
            yield inner, {"like": name, **_varied(own)}


def _varied(own: Any) -> Mapping[str, Any]:
    """What a check under another one's name says of its own."""
    if own is None or isinstance(own, Mapping):
        return own or {}
    number = isinstance(own, int | float) or (isinstance(own, str) and _is_number(own))
    return {"expected": own} if number else {"series": own}


def _member(family: Mapping[str, Any], label: Any, labels: Iterable[Any]) -> Block:
    """What a family says of one of its members: `about` may be a mapping of members to what each is about.

    Raises:
        InputError: of such a mapping, a key that is no member.
    """
    said, members = family.get("about"), [str(label) for label in labels]
    if not isinstance(said, Mapping) or not {*said} & {*members}:
        return dict(family)
    for key in said:
        if key not in members:
            raise InputError(f"about: {unknown('member of its family of checks', str(key), members)}")
    own = {key: value for key, value in family.items() if key != "about"}
    return own | ({"about": said[str(label)]} if str(label) in said else {})


def _is_claim(series: Any) -> bool:
    return isinstance(series, Mapping) and series.get("role") == "claim"


def _named(entry: Mapping[str, Any], key: str) -> bool:
    """Whether a family has a check for each of some quantities, or for each of some series with names of their own."""
    return isinstance(entry.get(key), Mapping) or (key == "quantity" and isinstance(entry.get(key), list))


def _is_number(text: str) -> bool:
    try:
        expressions.evaluate(text)
    except ValueError:
        return False
    return True
