"""What a rule is, and what it answers."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dprepro.analysis import margins
from dprepro.analysis.fits import LEVEL, Interval, NotEnoughError
from dprepro.errors import InputError, unknown
from dprepro.support.frozen import copied, normalise

if TYPE_CHECKING:
    import pandas as pd

VERDICTS = ("refuted", "inconclusive", "confirmed")
"""From worst to best."""

ROLES = ("claim", "control", "context", "erratum")

EVIDENCE = ("exact", "certified", "attained", "holds", "audited", "not contradicted")
"""Why a verdict stands, the strongest first; see :mod:`dprepro.report.ledger_rows`."""

RUNGS = tuple(base * 10.0**-power for power in range(2, 12) for base in (1.0, 0.3))
"""Levels of error at which a refutation is tried again, from the usual one down."""

NO_POINT = "the sweep has no grid point for "
"""The first words of a reason: a series of the check was not measured at all."""

MOST_NAMES = 1000
"""Points of one state that a result names: of a sweep of a million the names alone would be 100 MB."""


@dataclass(frozen=True)
class CheckResult:
    """The answer of one check, with the keys that verdict.json has for it; None where a check has no such number.

    `low` and `high` are the limits of a 99% interval around `estimate`; `constant` is the geometric mean of
    value / rate, with limits of the same level. `details` holds numbers and point names for tables and reports.
    """

    role: str
    verdict: str
    expect: str
    as_expected: bool
    estimate: float | None
    low: float | None
    high: float | None
    expected: float
    margin: float
    rule: str
    reason: str
    constant: float | None = None
    constant_low: float | None = None
    constant_high: float | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def doubted(self, problem: str) -> CheckResult:
        """The same as inconclusive, since the measurements are not what they should be."""
        reason = "; ".join(part for part in (problem, self.reason) if part)
        return dataclasses.replace(
            self, verdict="inconclusive", as_expected=self.expect == "inconclusive", reason=reason
        )

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary fit for JSON: numbers that are not finite become None."""
        plain: dict[str, Any] = _plain(dataclasses.asdict(self))
        return plain


def _plain(thing: Any) -> Any:
    if isinstance(thing, Mapping):
        return {str(key): _plain(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [_plain(value) for value in thing]
    if isinstance(thing, float):
        return float(thing) if math.isfinite(thing) else None
    return thing


@dataclass(frozen=True)
class Measured:
    """What a rule found, before it is compared: an interval, or the words why there is none."""

    interval: Interval | None = None
    reason: str = ""
    constant: Interval | None = None
    verdict: str = ""
    details: dict[str, Any] = field(default_factory=dict)


class NameUse(NamedTuple):
    """A name that a rule or a figure gives: the field it stands in, and what it names.

    ``kind`` is ``series``, ``quantity``, ``axis`` (or a column that is constant within a grid point), ``column`` or
    ``check``.
    """

    field: str
    kind: str
    name: str


def named(thing: object, kinds: Mapping[str, str]) -> Iterator[NameUse]:
    """What the fields of a dataclass name, by field and kind: a text, a list of texts, or the keys of a mapping."""
    for field_name, kind in kinds.items():
        value = getattr(thing, field_name, ())
        for name in (value,) if isinstance(value, str) else value:
            if name not in ("", "*"):
                yield NameUse(field_name, kind, str(name))


@dataclass(frozen=True, kw_only=True)
class Rule(ABC):
    """One rule with its expectation.

    Class attributes:
        name: of the rule, in a YAML.
        choices: what the fields that are a word may say.
        level: of the limits; a refutation is tried again at others, see `error_of`.
        at_levels: whether limits follow `level`: those of an audit were set where it was measured.
        kinds: fields that name something of the measurements, with what they name; a rule of one's own that has
            further such fields adds them, so that a misspelt name is found before anything is measured.

    Attributes:
        role: claim, control, context or erratum; only claims enter an experiment's verdict.
        expected: the number that the claim states.
        margin: how far off still counts as agreement (absolute, not negative); NaN for that of the check's kind
            (:mod:`dprepro.analysis.margins`).
        margin_reason: why it has another margin than its kind.
        expect: the verdict that is expected to come out; refuted for controls and errata, else confirmed.
        reason: a note, for instance why a claim is out of reach; it is added to the result's reason.
        quantity: which quantity of the frame is judged.
        envelope: axes over which the largest mean is taken first: the worst instance of a family at each grid point.
        precondition: whether nothing may rest on the experiment unless this check is confirmed: it says that what ran
            is what was meant to run.
        about: the statements of which the check speaks, each with the kind of evidence (`EVIDENCE`) that it is.
        lacks: in one line, what keeps the measurements from deciding, whatever they say (a user left the premise, or
            the grid that the check needs): the verdict is then inconclusive.
        pinned: in one line, why a number that is expected may be another where a user changed the grid or the data: it
            refutes nothing there.

    Raises:
        InputError: a role, expect, kind of evidence or other choice that does not exist, a negative margin, or a
            `lacks` of several lines.
    """

    name: ClassVar[str]
    choices: ClassVar[dict[str, tuple[str, ...]]] = {}
    level: ClassVar[float] = LEVEL
    at_levels: ClassVar[bool] = False
    kinds: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("series", "against"), "series"),
        "quantity": "quantity",
        **dict.fromkeys(("axis", "axes", "envelope", "collapse", "along", "scale"), "axis"),
        **dict.fromkeys(("divide", "versus", "column"), "column"),
    }

    role: str
    expected: float
    margin: float = margins.UNSAID
    margin_reason: str = ""
    expect: str = ""
    reason: str = ""
    quantity: str = "excess_risk"
    envelope: tuple[str, ...] = ()
    precondition: bool = False
    about: Mapping[str, str] = field(default_factory=dict)
    lacks: str = ""
    pinned: str = ""

    def __post_init__(self) -> None:
        if not self.expect:
            normalise(self, expect="refuted" if self.role in ("control", "erratum") else "confirmed")
        for key, allowed in {"role": ROLES, "expect": VERDICTS, **self.choices}.items():
            if getattr(self, key) not in allowed:
                raise unknown(key, getattr(self, key), allowed)
        for kind in self.about.values():
            if kind not in EVIDENCE:
                raise unknown("kind of evidence", kind, EVIDENCE)
        if len(self.lacks.splitlines()) > 1:
            raise InputError(f"lacks is {self.lacks!r}; it must be one line")
        if not math.isfinite(self.expected):
            raise InputError(f"expected is {self.expected}; it must be a finite number")
        if math.isnan(self.margin):
            normalise(self, margin=self.frozen_margin)
        if not (math.isfinite(self.margin) and self.margin >= 0):
            raise InputError(f"margin is {self.margin}; it must be a finite number that is not negative")

    @abstractmethod
    def measure(self, frame: pd.DataFrame) -> Measured:
        """What the frame says; NotEnoughError where it says too little."""

    @property
    def kind(self) -> str:
        """Of `margins.FROZEN`."""
        return margins.kind(self.name, vars(self))

    @property
    def frozen_margin(self) -> float:
        """The margin of its kind."""
        return margins.frozen(self.name, vars(self), self.expected)

    def region(self) -> tuple[float, float]:
        """The values that agree with the claim."""
        return self.expected - self.margin, self.expected + self.margin

    def direction(self) -> str:
        """`at_most` or `at_least` where the claim has one side; empty where it has two."""
        side = str(getattr(self, "side", ""))
        return side if side in ("at_most", "at_least") else ""

    def mentions(self) -> list[NameUse]:
        """Everything that must be among what is measured."""
        return list(named(self, self.kinds))

    def uses(self) -> tuple[str, ...]:
        """The series that the rule names."""
        return tuple(mention.name for mention in self.mentions() if mention.kind == "series")

    def judge(self, frame: pd.DataFrame, empty: frozenset[str] = frozenset()) -> CheckResult:
        """Confirmed where the whole interval lies in the region of agreement, refuted where none of it does.

        Inconclusive where it is about one of the `empty` series, of which the sweep has no grid point, and where
        something `lacks`. The details hold the `side` of a claim that has one, and what `lacks`.

        Raises:
            InputError: the frame has no such series, quantity or column.
        """
        try:
            if absent := [name for name in self.uses() if name in empty]:
                raise NotEnoughError(f"{NO_POINT}{', '.join(absent)}")
            found = self.measure(frame)
        except NotEnoughError as error:
            found = Measured(reason=str(error))
        verdict, words = self._verdict(found)
        if self.lacks:
            measured = f"measured: {_place(found.interval)}" if found.interval is not None and not words else words
            verdict, words = "inconclusive", "; ".join(part for part in (self.lacks, measured) if part)
        if self.pinned and verdict == "refuted":
            verdict, words = "inconclusive", "; ".join(part for part in (self.pinned, words) if part)
        doubt = {"error": self.error_of(frame)} if verdict == "refuted" and self.role in ("claim", "erratum") else {}
        estimate, low, high = _limits(found.interval)
        constant, constant_low, constant_high = _limits(found.constant)
        return CheckResult(
            role=self.role,
            verdict=verdict,
            expect=self.expect,
            as_expected=verdict == self.expect,
            estimate=estimate,
            low=low,
            high=high,
            expected=float(self.expected),
            margin=float(self.margin),
            rule=self.name,
            reason="; ".join(part for part in (words, self.reason) if part),
            constant=constant,
            constant_low=constant_low,
            constant_high=constant_high,
            details={**_some_names(found.details), **self._said(), **doubt},
        )

    def error_of(self, frame: pd.DataFrame) -> float:
        """Of a refutation: the least level of error at which it is one, an upper limit of its p-value.

        Limits of the levels `RUNGS` are tried, by bisection; 0 where nothing is random. Limits that are nested make
        this a p-value: of a true claim it is at most x in a share x of data sets, for each x of the rungs.
        """
        if not self.at_levels:
            return 1 - LEVEL
        first, last = 0, len(RUNGS) - 1
        while first < last:
            middle = (first + last + 1) // 2
            first, last = (middle, last) if self._refutes(frame, RUNGS[middle]) else (first, middle - 1)
        wide, narrow = (self._at(level).measure(frame).interval for level in (1 - RUNGS[-1], LEVEL))
        exact = first == len(RUNGS) - 1 and wide == narrow
        return 0.0 if exact else RUNGS[first]

    def _at(self, level: float) -> Rule:
        return copied(self, level=level)

    def _refutes(self, frame: pd.DataFrame, error: float) -> bool:
        other = self._at(1 - error)
        return other._verdict(other.measure(frame))[0] == "refuted"

    def _verdict(self, found: Measured) -> tuple[str, str]:
        """The verdict on what was found, with the reason."""
        if found.interval is None or found.verdict:
            return found.verdict or "inconclusive", found.reason
        verdict, said = self._compare(found.interval)
        return verdict, "; ".join(part for part in (said, found.reason) if part)

    def _said(self) -> dict[str, Any]:
        """What a reader of the result has to know of the rule."""
        wide = margins.is_wide(self.margin, self.name, vars(self), self.expected)
        known = {
            "precondition": self.precondition,
            "side": self.direction(),
            "lacks": self.lacks,
            "within": wide and self.margin,
        }
        return {key: value for key, value in known.items() if value}

    def _compare(self, interval: Interval) -> tuple[str, str]:
        lowest, highest = self.region()
        if lowest <= interval.low and interval.high <= highest:
            return "confirmed", ""
        outside = interval.high < lowest or interval.low > highest
        if math.isinf(lowest) or math.isinf(highest):
            limit, beyond = (highest, "above") if math.isinf(lowest) else (lowest, "below")
            where = f"lies {beyond} {limit:.4g}" if outside else f"reaches {beyond} {limit:.4g}"
        else:
            where = f"{'lies outside' if outside else 'is neither inside nor outside'} [{lowest:.4g}, {highest:.4g}]"
        return "refuted" if outside else "inconclusive", f"the 99% interval {_place(interval)} {where}"


def _place(interval: Interval) -> str:
    return f"[{interval.low:.4g}, {interval.high:.4g}]"


def _some_names(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a check, of a long list of names the first and how many more there are."""
    found: dict[str, Any] = {}
    for key, value in details.items():
        long = isinstance(value, list) and len(value) > MOST_NAMES and isinstance(value[0], str)
        few = [*value[:MOST_NAMES], f"and {len(value) - MOST_NAMES:,} more"] if long else value
        found[key] = _some_names(value) if isinstance(value, Mapping) else few
    return found


def _limits(interval: Interval | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if interval is None else (interval.estimate, interval.low, interval.high)
