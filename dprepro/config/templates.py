"""The short forms of an experiment's YAML, written out in full: plain data in, plain data out, nothing built yet.

Series: `study.defaults` are the keys of every series, and its role is claim; `like: NAME` takes over another one's;
what a series says itself replaces what it takes over, in `sweep` axis by axis (null for the experiment's). A name with
a star and a list under `like` is a family: one series like each, whose name replaces the star; a mapping gives other
names. A series without `algorithm` or `construction` has the experiment's own. In these two a text is a name of
the config group, a block with `name` such a block with changed parameters, and a block without `name` and `_target_`
changes parameters of what the series would have otherwise.

Checks: the sections `claims`, `controls`, `context` and `errata` give the checks in them their role. `like: NAME` takes
over another check but for its role, expect and reason, and so does each of a block of checks under another one's name:
`exponent_n: {half: -1/2, constant_step: null}` (a number there is what is expected, a text or a list the series). A
text alone is the check that the series of this name is held against. `below_bound`, `within_budget`,
`noise_as_scheduled` and `as_derived` need only their series. `between` has two ends and makes a second check, with
`_most` after its name, of rule `below` unless `like` says another. A name with a star is a family: of exponents, an
axis for each further key (`exponents` is `exponent_*`), or else one check for each of its series; without these it is
of all series of the section's role that have no check of their own in the section. A list of quantities, or a mapping
in the place of `quantity` or `series`, makes it one check for each; a mapping's keys
replace the star.

A check speaks of the statements that it is `about` (see `dprepro.statements.about`): an item of the experiment's paper,
a list of them, or a mapping to kinds of evidence; `evidence` is the kind where it is not the usual one. A check `like`
another speaks of the same if it is a claim, unless its own name names a statement. In a family `about` may be a mapping
of its members.

``statements`` names the statements that an experiment is about, and which series are held against them: bound, rate,
schedule, premise and checks follow (`statement_forms`).

In a list of series, of a check or of the figure, a name with a star stands for all that match.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any

from dprepro.config.check_forms import NUMBERS, CheckForms, matching
from dprepro.config.series_forms import BY_AXIS, PARTS, Block, Find, SeriesForms, at, changes_parameters, own_place
from dprepro.config.statement_forms import with_statements
from dprepro.errors import InputError
from dprepro.statements.about import Find as Statements
from dprepro.statements.about import spoken_of
from dprepro.statements.papers import statements_of
from dprepro.support import expressions

ATTACKED = "attacked"
"""The series of an attack's own algorithm; figures tell which that is."""

_LISTS_OF_SERIES = ("series", "hide", "across")  # of a figure


def expand(config: Mapping[str, Any], find: Find, statements: Statements = statements_of) -> Block:
    """The configuration with every short form replaced; interpolations stay as they are.

    ``find`` gives the block of a config group by group and name, ``statements`` those of a paper. Writing out twice is
    the same as once.

    Raises:
        InputError: a short form that names what does not exist, or cannot be understood.
    """
    full, statements = dict(config), cache(statements)  # every check asks for those of its paper
    study = full.get("study")
    series: Mapping[str, Any] = {}
    if isinstance(study, Mapping) and isinstance(study.get("series"), Mapping):
        own = {part: place for part in PARTS if (place := own_place(config, part))}
        series = SeriesForms(study["series"], study.get("defaults") or {}, own, find).all()
        full["study"] = {key: value for key, value in study.items() if key != "defaults"} | {"series": series}
    if full.get("statements"):
        full = with_statements(
            full, {statement.item: statement for statement in statements(str(full.get("paper", "")))}
        )
    if isinstance(full.get("checks"), Mapping):
        full["checks"] = CheckForms(full["checks"], series, partial(_spoken_of, full, statements)).all()
    if isinstance(figure := full.get("figure"), Mapping):
        full["figure"] = {
            key: matching(value, series, f"figure.{key}") if key in _LISTS_OF_SERIES else value
            for key, value in figure.items()
        }
        if ATTACKED in series and isinstance(labels := figure.get("labels", {}), Mapping):
            full["figure"]["labels"] = {ATTACKED: f"{ATTACKED}: ${{attack.algorithm._target_}}", **labels}
    return full


def _spoken_of(
    config: Mapping[str, Any], statements: Statements, name: str, check: Mapping[str, Any]
) -> dict[str, str] | None:
    study = config.get("study")
    target = str(study.get("_target_", "")) if isinstance(study, Mapping) else ""
    return spoken_of(name, check, str(config.get("paper", "")), target, statements)


def resolve(config: Mapping[str, Any]) -> Block:
    """As it is, but with numbers for expressions in sweeps and checks, and with every series' parts in full.

    A series may change parameters of the experiment's own part. This comes after the overrides, so that those of the
    own part reach such series too.
    """
    study, checks = config.get("study"), config.get("checks")
    full = {**config, "sweep": _numbers(config.get("sweep"))}
    if isinstance(checks, Mapping):
        full["checks"] = {name: _numbers(check, NUMBERS) for name, check in checks.items()}
    if not (isinstance(study, Mapping) and isinstance(study.get("series"), Mapping)):
        return full
    series = {}
    for label, value in study["series"].items():
        block = dict(value) if isinstance(value, Mapping) else value
        for key in BY_AXIS if isinstance(value, Mapping) else ():
            if key in value:
                block[key] = _numbers(value[key])
        for part in PARTS:
            if isinstance(value, Mapping) and changes_parameters(value.get(part)):
                place = own_place(config, part)
                whole = at(config, place)
                if not isinstance(whole, Mapping):
                    raise InputError(
                        f"series {label}: {part} changes parameters of the experiment's own {part}, and it has none; "
                        "say which by name"
                    )
                block[part] = {**whole, **value[part]}
        series[label] = block
    return {**full, "study": {**study, "series": series}}


def _numbers(block: Any, keys: Container[str] | None = None) -> Any:
    """A block with numbers for its expressions, under all keys or some; what is none is refused where it is built."""
    if not isinstance(block, Mapping):
        return block
    numbers = dict(block)
    for key, value in block.items():
        with suppress(ValueError):
            if isinstance(value, Mapping):
                numbers[key] = _numbers(value) if keys is None or key in keys else value
            elif keys is None or key in keys:
                many = expressions.spread(value) if isinstance(value, list) else [value]
                found = [expressions.evaluate(each) if isinstance(each, str) else each for each in many]
                numbers[key] = found if isinstance(value, list) else found[0]
    return numbers


def parts_in_use(config: Mapping[str, Any]) -> frozenset[str]:
    """Where the experiment has own parts that its study takes, as they are or with changes."""
    study = config.get("study")
    text = str(study)
    found = {place for part in PARTS for place in (part, f"attack.{part}") if f"${{{place}" in text}
    series = study.get("series") if isinstance(study, Mapping) else None
    for entry in series.values() if isinstance(series, Mapping) else ():
        block = entry if isinstance(entry, Mapping) else {}
        found |= {own_place(config, part) for part in PARTS if changes_parameters(block.get(part))}
    return frozenset(found)
