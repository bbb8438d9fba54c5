"""What an override leaves of an experiment's claims: after it, too, every verdict has to be true.

An experiment's grid, data and numbers were chosen together. Where a user changes the grid or the data, a rate is held
from its own side only and refuted by no slope on a finite grid, but by its explicit bound; a number that was chosen for
the grid as shipped refutes nothing elsewhere; and a statement about one algorithm says nothing of another. A check
whose own keys were set is judged as it was set, and so is one of which no series was touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dprepro.config.overrides import place_of
from dprepro.statements.statement import Statement

Block = dict[str, Any]

ATTACKED = "attacked"
"""The series of an attack's own algorithm, as in `templates`."""

RISK = "excess_risk"

FALSIFYING = ("noise_factor", "scale_factor")
"""Parameters that make an algorithm keep less, or more, than it promises: what is certified of it is judged as ever."""
ALLOWED = ("constants", *FALSIFYING)
"""Parameters with which an algorithm is still the one of its theorem."""

GRID = ("sweep", "at_most", "tied", "one_point")
DATA = ("construction", "data", "law", "reduction")
ALWAYS = ("noise",)
"""Rules that are true of any grid, data and algorithm."""

PINNED = "{expected:g} was chosen for the experiment as shipped, and {what} changed"
OTHER = "{item} is about {named}, and {ran} ran"
SLOPE = "a rate up to a constant is contradicted by no slope where {what} changed, but by its bound"
CERTIFIED = "more is certified than claimed, which is an upper limit, and {what} changed"
MADE = "made for the experiment as shipped, and {what} changed"
CONSTANTS = "the schedule as printed has the printed constants, and algorithm.constants changed"
PARAMETERS = "{item} is about the algorithm as printed, and {what} changed"


def overridden(
    config: Mapping[str, Any], plain: Mapping[str, Any], overrides: Sequence[str], known: Mapping[str, Statement]
) -> Block:
    """The configuration with checks, words and figure that fit what the ``overrides`` made of the ``plain`` one."""
    touched = _touched(config, plain)
    if not touched:
        return dict(config)
    set_by_hand = {
        parts[1] for override in overrides if (parts := place_of(override).split("."))[0] == "checks" and parts[1:]
    }
    whole = any(place_of(override) == "checks" for override in overrides)
    full = dict(config)
    full["checks"] = {
        name: check if whole or name in set_by_hand else _fitted(check, config, touched, known)
        for name, check in config["checks"].items()
    }
    full["figure"] = _figure(config, touched, overrides)
    said = ", ".join(overrides)
    full["statement"] = f"{str(config.get('statement', '')).rstrip('.')} (as shipped; overridden here: {said})."
    return full


class _Change:
    """What is another than shipped about one series."""

    def __init__(self, now: Mapping[str, Any], before: Mapping[str, Any], grid: bool) -> None:
        self.grid = grid or any(now.get(key) != before.get(key) for key in GRID)
        self.data = sorted(key for key in DATA if now.get(key) != before.get(key))
        mine, theirs = (entry.get("algorithm") or {} for entry in (now, before))
        if not (isinstance(mine, Mapping) and isinstance(theirs, Mapping)):
            mine, theirs = {"_target_": str(mine)}, {"_target_": str(theirs)}
        self.ran = _kind(mine)
        self.another = mine.get("_target_") != theirs.get("_target_")
        changed = {key for key in {*mine, *theirs} if mine.get(key) != theirs.get(key)} - {"_target_"}
        # of an algorithm as shipped a premise is asked nothing: where it departs from the theorem's, that is on purpose
        self.facts = {f"algorithm.{key}": _kind(value) for key, value in mine.items() if self.another or key in changed}
        self.facts |= {"algorithm": self.ran} if self.another and self.ran else {}  # an inequality has none
        self.parameters = [] if self.another else sorted(changed - set(ALLOWED))
        self.allowed = bool(changed & set(ALLOWED))
        self.constants = "constants" in changed

    def __bool__(self) -> bool:
        return bool(self.grid or self.data or self.another or self.parameters or self.allowed)

    @property
    def beyond_grid(self) -> bool:
        """Whether more than the grid is another."""
        return bool(self.data or self.another or self.parameters or self.allowed)

    @property
    def what(self) -> list[str]:
        """The changed parts in words."""
        parts = ["the grid"] * self.grid + ["the data"] * ("construction" in self.data or "data" in self.data)
        parts += ["the algorithm"] * self.another + [f"algorithm.{name}" for name in self.parameters]
        parts += ["the constants of the algorithm"] * self.allowed
        return parts or ["its law"]


def _touched(config: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, _Change]:
    """The series that are others than shipped, each with its change."""
    now, before = (entry["study"].get("series") for entry in (config, plain))
    relation = config.get("neighbours") != plain.get("neighbours")
    beyond = {
        key
        for key in {*config["study"], *plain["study"]} - {"series"}
        if config["study"].get(key) != plain["study"].get(key)
    }
    if not (isinstance(now, Mapping) and isinstance(before, Mapping)):
        change = _Change({}, {}, bool(beyond) or relation or config.get("sweep") != plain.get("sweep"))
        return {"*": change} if change else {}
    found = {}
    for label, value in now.items():
        if not isinstance(value, Mapping):
            continue
        other = before.get(label)
        if not isinstance(other, Mapping):
            continue  # a series of the user's own: the checks that name it are too
        grid = _swept(config, value) != _swept(plain, other)
        change = _Change(value, other, relation or bool(beyond - {"bound", "rate"}) or grid)
        if change:
            found[label] = change
    return found


def _swept(config: Mapping[str, Any], series: Mapping[str, Any]) -> Block:
    """The axes of a series; what is no block is refused where the sweep is built."""
    sweeps = [entry.get("sweep") for entry in (config, series)]
    return {axis: values for sweep in sweeps if isinstance(sweep, Mapping) for axis, values in sweep.items()}


def _series_of(check: Mapping[str, Any], config: Mapping[str, Any]) -> list[str]:
    """The series that a check is about."""
    named: list[str] = []
    for key in ("series", "against", "best"):
        said = check.get(key) or []
        named += [said] if isinstance(said, str) else list(said)
    if not named or "*" in named:
        series = config["study"].get("series") or {}
        roles = ("claim", "context")
        named += [label for label, value in series.items() if isinstance(value, Mapping) and value.get("role") in roles]
    return [*named, "*"]


def _fitted(
    check: Mapping[str, Any], config: Mapping[str, Any], touched: Mapping[str, _Change], known: Mapping[str, Statement]
) -> Block:
    """A check that says no more of the changed series than it can."""
    changes = [touched[label] for label in _series_of(check, config) if label in touched]
    rule = check.get("rule")
    if not changes or rule in ALWAYS:
        return dict(check)
    what = " and ".join(dict.fromkeys(part for change in changes for part in change.what))
    if check.get("role") in ("control", "erratum") and check.get("expect") != "confirmed":
        return {**check, "reason": "; ".join(filter(None, (check.get("reason"), MADE.format(what=what))))}
    sound = check.get("expected", 1) == 1 and not check.get("margin")
    if rule == "below" and check.get("quantity") == "certified_epsilon" and sound:
        # what is certified is an upper limit: more than the budget refutes nothing of an algorithm that is another
        # or where no statement promises anything, unless the noise itself was changed
        other = any(change.another or change.parameters for change in changes)
        other |= not check.get("about") and not any(change.allowed for change in changes)
        return {**check, "pinned": CERTIFIED.format(what=what)} if other else dict(check)
    if rule == "below" and sound and _has_own_bound(check, config):
        return dict(check)
    if _is_law(check) and any(
        change.beyond_grid for change in changes
    ):  # a remark on what ran, and no part of a statement
        lacks = f"the predicted risk is that of the experiment as shipped, and {what} changed"
        return {**check, "role": "context", "expect": "inconclusive", "lacks": lacks}
    items = [item for item in check.get("about") or () if item in known]
    if rule == "scheduled" and not items:  # no evidence by itself, and about what its series attain
        items = [item for item, form in (config.get("statements") or {}).items() if _attained(check, form)]
    if lacking := next(filter(None, (_lacks(change, items, check, known) for change in changes)), ""):
        return {**check, "lacks": lacking}
    if rule == "scheduled" and any(change.constants for change in changes):
        return {**check, "lacks": CONSTANTS}
    if rule == "exponent":
        return {**check, "grid": "other", "pinned": SLOPE.format(what=what)}
    if rule == "scheduled" or (rule == "below" and sound):
        return dict(check)
    return {**check, "pinned": PINNED.format(expected=_number(check.get("expected", 1)), what=what)}


def _lacks(change: _Change, items: Sequence[str], check: Mapping[str, Any], known: Mapping[str, Statement]) -> str:
    """Why the statements say nothing of the series any more; empty where they still do."""
    bound_as_run = check.get("rule") == "below"
    named = next((names for item in items if (names := _algorithms(known[item]))), [])
    item = items[0] if items else "the claim"
    if change.another and change.ran not in named:
        return OTHER.format(item=item, named=" or ".join(named) or "the algorithm as shipped", ran=change.ran)
    # what is as shipped is held against the statement as it was
    asked = [
        condition for name in items for condition in known[name].holds.conditions if condition.fact in change.facts
    ]
    if reason := next(filter(None, (condition.unmet(lambda _: None, change.facts) for condition in asked)), ""):
        return f"{item} asks for {reason}"
    free = {condition.fact.partition(".")[2] for condition in asked}  # such as the theorem's own premise allows
    if (left := [name for name in change.parameters if name not in free]) and not bound_as_run:
        return PARAMETERS.format(item=item, what=" and ".join(f"algorithm.{name}" for name in left))
    return ""


def _attained(check: Mapping[str, Any], form: Any) -> bool:
    """Whether all series of a check attain a statement, by its written out block."""
    named = check.get("series") or []
    attains = form.get("attains") if isinstance(form, Mapping) else None
    return set([named] if isinstance(named, str) else named) <= set(attains or ())


def _has_own_bound(check: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    """Whether a check holds the risk against the bound that the paper of the algorithm proves, whichever runs."""
    study = config["study"]
    series = study.get("series")
    found = [series.get(label) for label in _series_of(check, config)] if isinstance(series, Mapping) else []
    bounds = [item.get("bound") or study.get("bound") for item in found if isinstance(item, Mapping)]
    return check.get("quantity", RISK) == RISK and bool(bounds) and {*bounds} == {"own"}


def _is_law(check: Mapping[str, Any]) -> bool:
    """Whether a check holds the risk against the one that was predicted."""
    return check.get("rule") == "ratio" and check.get("divide") == "law"


def _algorithms(statement: Statement) -> list[str]:
    """The classes of algorithms that a statement's premise names."""
    return [
        name for condition in statement.holds.conditions if condition.fact == "algorithm" for name in condition.values
    ]


def _kind(entry: Any) -> str:
    """A parameter in a word: of a part, the class that it is of."""
    return str(entry.get("_target_", "")).rpartition(".")[2] if isinstance(entry, Mapping) else str(entry)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _figure(config: Mapping[str, Any], touched: Mapping[str, _Change], overrides: Iterable[str]) -> Block:
    """The figure with legends, note and ranges that are true of what runs."""
    figure = dict(config.get("figure") or {})
    if not figure:
        return figure
    series = config["study"].get("series") or {}
    labels = dict(figure.get("labels") or {})
    choice = figure.get("name") == "choice"  # whose labels are names of algorithms, on anybody's data
    for label, change in touched.items():
        if choice and not (change.another or change.parameters):
            continue
        changed = series.get(label) if label != ATTACKED else None  # whose label says what runs, whatever that is
        if isinstance(changed, Mapping) and (change.another or change.parameters or "construction" in change.data):
            parts = [_words(changed.get(part)) for part in ("construction", "algorithm")]
            labels[label] = f"{', '.join(part for part in parts if part)} (in place of {label.replace('_', ' ')})"
    if labels:
        figure["labels"] = labels
    figure.pop("slope_range", None)
    figure["heading"] = f"{figure.get('heading') or config.get('claim', '')} (overridden)"
    figure["note"] = f"Overridden: {', '.join(overrides)}."
    return figure


def _words(block: Any) -> str:
    name = str(block.get("_target_", "")).rpartition(".")[2] if isinstance(block, Mapping) else ""
    return "".join(f" {text.lower()}" if text.isupper() and i else text.lower() for i, text in enumerate(name))
