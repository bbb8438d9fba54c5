"""The checks that follow from the statements which an experiment is about.

``statements`` maps an item of the experiment's paper to the series that are held against it: those that ``attain`` its
rate, and those that lie ``within`` it. From the statement come the bound, the rate and the schedule as printed,
the premise of these series, and the ordinary checks:

``exponent_AXIS``      of each axis that a series which attains sweeps: the pure power where the statement has one, else
                       the slope of its own formula on this grid; further series of an axis have their name at the end
``below_bound``        the explicit bound, on all series but those under ``equals``, of which it is the value:
``equals_bound``       the explicit bound with equality, which draws cannot confirm from one side
``as_derived``         the predicted risk of the series that have one
``schedule_COLUMN``    the schedule as printed, on the series that attain
``noise_as_scheduled`` the noise that was drawn, on all series of the experiment
``within_budget``      of a privacy statement, the certified epsilon of its series

``about`` names further statements of which the same checks speak, ``evidence`` their kind where it is another one than
usual. The checks of a second statement bear its name at the end. What the section ``claims`` says under one of these
names replaces what it says of it; ``none`` in the place of a check leaves it out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from dprepro.axes import AXES
from dprepro.config.check_forms import SECTIONS, matching, ungrouped
from dprepro.errors import InputError, unknown
from dprepro.statements.statement import Says, Statement

Block = dict[str, Any]

SERIES = ("attains", "within")
NAMED = (*SERIES, "equals")
"""Keys that hold names of series."""
KEYS = (*NAMED, "exponents", "envelope", "margin", "margin_reason", "about", "evidence", "checks", "made")
FROM = {"bound": "bound", "rate": "rate", "schedule": "schedule"}
"""Keys of a study, and the parts of a statement that they are."""

FEWEST = 3
"""Values of an axis from which on a series is taken to sweep it."""


def with_statements(config: Mapping[str, Any], known: Mapping[str, Statement]) -> Block:
    """The configuration with what follows from its statements; its series are written out already.

    ``made`` in a statement's block holds the checks that were made of it: doing it twice is the same as once, and an
    axis that is swept later has its check then.

    Raises:
        InputError: an item that the paper does not have, a series that does not exist, or an unknown key.
    """
    given = config.get("statements")
    if given is None:
        return dict(config)
    study = config.get("study")
    if not isinstance(given, Mapping) or not isinstance(study, Mapping) or not isinstance(study.get("series"), Mapping):
        raise InputError(
            "statements must map items of the paper to series of the study, as in Theorem 2.5: {attains: needle}"
        )
    forms = [_Form(item, value, config, known, first=not i) for i, (item, value) in enumerate(given.items())]
    full = dict(config)
    full["study"] = _study(study, forms)
    full["checks"] = _checks(config.get("checks") or {}, forms)
    full["statements"] = {form.item: form.written for form in forms}
    return full


def without_series(config: Block, gone: Collection[str]) -> Block:
    """The configuration without series that are no more in its statements, the checks made of them and its figure."""
    if not gone:
        return config
    full = {**config, "checks": dict(config.get("checks") or {})}
    if isinstance(given := config.get("statements"), Mapping):
        full["statements"] = {item: _without(value, NAMED, gone) for item, value in given.items()}
        for name in (
            name for entry in given.values() if isinstance(entry, Mapping) for name in entry.get("made") or ()
        ):
            check = full["checks"].get(name)
            if isinstance(check, Mapping) and {*_listed(check.get("series") or [])} & {*gone}:
                full["checks"][name] = _without(check, ("series",), gone)
                if not full["checks"][name]["series"]:
                    del full["checks"][name]
    if isinstance(figure := config.get("figure"), Mapping):
        full["figure"] = _without(figure, ("series", "hide"), gone)
        if isinstance(labels := figure.get("labels"), Mapping):
            full["figure"]["labels"] = {name: text for name, text in labels.items() if name not in gone}
    return full


def _without(block: Any, keys: Collection[str], gone: Collection[str]) -> Any:
    if not isinstance(block, Mapping):
        return block
    return {key: _kept(value, gone) if key in keys and value else value for key, value in block.items()}


def _kept(said: Any, gone: Collection[str]) -> list[str]:
    return [item for item in _listed(said) if item not in gone]


def _study(study: Mapping[str, Any], forms: Sequence[_Form]) -> Block:
    """The study with bound, rate and schedule of its statements, and with the premise of each series."""
    whole, series = dict(study), dict(study["series"])
    for form in forms:
        for key, part in FROM.items():
            said = getattr(form.says, part)
            if not said:
                continue
            if form.first or key not in whole:
                whole.setdefault(key, said if isinstance(said, str) else dict(said))
            elif whole[key] != said:
                for name in form.series:
                    if isinstance(series[name], Mapping):
                        series[name] = {key: said if isinstance(said, str) else dict(said), **series[name]}
        where = [condition.text for condition in form.says.conditions if not condition.of_algorithm]
        if where and study.get("_target_", "").rpartition(".")[2] in PREMISED:
            premise = dict.fromkeys(where, form.item)
            for name in form.series:
                if isinstance(series[name], Mapping):
                    series[name] = {**series[name], "premise": {**premise, **series[name].get("premise", {})}}
    return whole | {"series": series}


PREMISED = ("RateStudy", "EnvelopeStudy", "AttackStudy", "WorstCaseStudy")
"""Studies whose series hold an algorithm and data, which a premise can be held against."""


def _checks(given: Mapping[str, Any], forms: Sequence[_Form]) -> Block:
    """The checks that were given, with those that follow from the statements in the section of claims."""
    sections = {key: value for key, value in given.items() if key in SECTIONS}
    named = {
        name for section in sections.values() if isinstance(section, Mapping) for name, _ in ungrouped(section)
    } | set(given)
    claims = dict(given.get("claims") or {})
    made: Block = {}
    for form in forms:
        for name, check in form.checks():
            if name in made:  # of two privacy statements
                both = [*made[name]["series"], *(item for item in check["series"] if item not in made[name]["series"])]
                made[name] = {**check, "series": both, "about": [*made[name]["about"], *check["about"]]}
            else:
                made[name] = check
    fitted: Block = {}
    for name, check in made.items():
        own = claims.get(name)
        if own == "none":
            del claims[name]
        elif isinstance(own, str | list):
            fitted[name] = {**check, "series": own}
        elif isinstance(own, Mapping) and not {"rule", "like"} & own.keys():
            fitted[name] = {**check, **own}
        elif name not in named:
            fitted[name] = {"role": "claim", **check}
    claims = fitted | {name: claim for name, claim in claims.items() if name not in fitted}
    rest = {key: value for key, value in given.items() if key != "claims"}
    return {"claims": claims, **rest} if claims else rest


class _Form:
    """One statement, and the series that are held against it."""

    def __init__(
        self, item: str, given: Any, config: Mapping[str, Any], known: Mapping[str, Statement], first: bool
    ) -> None:
        kind = f"statement of {config.get('paper')}"
        if item not in known:
            raise InputError(f"statements: {unknown(kind, item, known)}")
        if not isinstance(given, Mapping):
            raise InputError(f"statements.{item} is {given!r}; it must be a block such as {{attains: SERIES}}")
        for key in given:
            if key not in KEYS:
                raise InputError(f"statements.{item}: {unknown('key', key, KEYS)}")
        self.item, self.statement, self.first, self._given, self._config = item, known[item], first, given, config
        self.says: Says = self.statement.holds
        self._all: Mapping[str, Any] = config["study"]["series"]
        self._made = list(given.get("made") or [])
        self.attains, self.within = (self._named(key) for key in SERIES)
        self.series = [*self.attains, *self.within]
        self.equals = self._named("equals")
        for name in self.equals:
            if name not in self.series:
                kind = "series that attains or is within"
                raise InputError(f"statements.{item}.equals: {unknown(kind, name, self.series)}")

    def _named(self, key: str) -> list[str]:
        names = matching(_listed(self._given.get(key) or []), self._all, f"statements.{self.item}.{key}")
        if "made" in self._given:  # written out before: what is missing was taken away since
            return [name for name in names if name in self._all]
        for name in names:
            if name not in self._all:
                raise InputError(f"statements.{self.item}.{key}: {unknown('series', name, self._all)}")
        return list(names)

    @property
    def written(self) -> Block:
        """The block with lists of series, and with the checks that were made."""
        made = list(dict.fromkeys([*self._made, *(name for name, _ in self.checks())]))
        return {**self._given, "attains": self.attains, "within": self.within, "equals": self.equals, "made": made}

    def checks(self) -> Iterator[tuple[str, Block]]:
        """The checks that follow and that were not made before, by name."""
        wanted = self._given.get("checks")
        for name, check in self._every():
            if name not in self._made and (wanted is None or any(name.startswith(item) for item in wanted)):
                yield name, check

    def _every(self) -> Iterator[tuple[str, Block]]:
        end = "" if self.first else "_" + self.item.lower().replace(" ", "_").replace(".", "_")
        about = [self.item, *_listed(self._given.get("about") or [])]
        envelope = {key: self._given[key] for key in ("envelope",) if key in self._given}

        def speaks(kind: str) -> Block:
            return {"about": about, "evidence": self._given.get("evidence", kind)}

        if self.statement.kind == "privacy":
            yield "within_budget", {"series": self.series, **speaks("certified")}
            return
        for name, check in self._exponents(end):
            yield name, {**check, **envelope, **speaks("attained")}
        if self._has("bound"):
            # of every point: the largest of an envelope may have the largest bound
            own = self._usual("below_bound", end)
            if self.says.direction == "at_least":
                own = {"side": "at_least", **own}
            if below := [name for name in self.series if name not in self.equals]:
                yield f"below_bound{end}", {**own, "series": below, **speaks("holds")}
            if self.equals:
                equal = {"rule": "below", "side": "equals", "series": self.equals}
                yield f"equals_bound{end}", {**equal, **speaks("holds")}
        if laws := [name for name in self.series if (self._all[name] or {}).get("law", "none") != "none"]:
            yield f"as_derived{end}", {"series": laws, **envelope, **self._usual("as_derived", end)}
        for column in self.says.schedule:
            if self.attains:
                yield f"schedule_{column}{end}", {"rule": "scheduled", "column": column, "series": self.attains,
                                                  "precondition": True}  # fmt: skip
        if self.first:
            yield "noise_as_scheduled", {"series": "*"}

    def _usual(self, name: str, end: str) -> Block:
        from dprepro.config.check_forms import USUAL

        return dict(USUAL[name]) if end else {}

    def _has(self, part: str) -> bool:
        study = self._config["study"]
        return bool(getattr(self.says, part) or study.get(part, "none") != "none")

    def _exponents(self, end: str) -> Iterator[tuple[str, Block]]:
        """One for each axis that a series which attains sweeps."""
        said = self._given.get("exponents") or {}
        taken = set[str]()
        for series in self.attains:
            for axis in self._swept(series):
                own = said.get(f"{axis}_{series}", said.get(axis))
                if own == "none" or self.statement.kind not in ("rate", "attack"):
                    continue
                name = f"exponent_{axis}{end}" if axis not in taken else f"exponent_{axis}_{series}"
                taken.add(axis)
                yield name, self._exponent(series, axis, own)

    def _exponent(self, series: str, axis: str, own: Any) -> Block:
        check: Block = {"rule": "exponent", "series": series, "axis": axis}
        check |= {"transform": "log_log_inverse"} if axis == "delta" else {}
        check |= {"side": self.says.direction} if self.says.upper_only else {}
        tied = (self._all[series] or {}).get("tied") or {}
        if axis in self.says.powers and not tied:
            check["expected"] = self.says.powers[axis]
        else:
            check |= {"divide": "rate", "expected": 0}
        check |= {key: self._given[key] for key in ("margin", "margin_reason") if key in self._given}
        if isinstance(own, Mapping):
            check |= own
        elif isinstance(own, str) and own in ("rate", "law", "bound"):
            check |= {"divide": own, "expected": 0}
        elif own is not None:
            check |= {"expected": own, "divide": ""}
        return check

    def _swept(self, series: str) -> list[str]:
        """The axes of a series with several values, the main ones and those of which the statement has a power."""
        described = self._all[series] or {}
        sweep = {**(self._config.get("sweep") or {}), **(described.get("sweep") or {})}
        tied = described.get("tied") or {}
        axes = [axis for axis in (*AXES, *self.says.powers) if axis not in tied]
        return [axis for axis in dict.fromkeys(axes) if _several(sweep.get(axis))]


def _listed(said: Any) -> list[Any]:
    return [said] if isinstance(said, str) else list(said)


def _several(values: object) -> bool:
    return isinstance(values, list | tuple) and len(values) >= FEWEST
