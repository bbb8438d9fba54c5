"""From raw columns to features and labels in [-1, 1], by the schema alone: no value sets a scale or a type.

What a record becomes depends on that record and the schema only. Changing one record in any way changes no other
encoded record, nor its place in the random order or the part that is held out.

A unit (`Schema.unit`) is all rows of one person, and becomes one record: the mean of the rows' features, and the mean
of their labels; of classes that which most rows have. Each row lies in a convex set, [-1, 1]^p within the ball of
radius sqrt(`Schema.squared_length`), and so does their mean, with a label in [-1, 1]. Units therefore are records of
the same domain: one unit's loss is the loss of one record, its gradient is bounded by the same Lipschitz constant and
its Hessian has the same rank, however many rows it has. Replacing all rows of a unit replaces one of n records, where n
is the number of units: every algorithm's guarantee holds for units as it does for records, at its own epsilon. (Group
privacy for k rows would cost k epsilon; a mean over rows costs nothing, and where all units have k rows, noise of
sensitivity 2 L/n is as small as k rows of 2 L/(k n) each would need at best.)
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import InputError
from dprepro.practice.reading import RawTable, Values
from dprepro.practice.schema import FALSE, TRUE, Column, Schema, is_number, word_of
from dprepro.practice.values import RAW, WRONG, read_values, units_of, unreadable

if TYPE_CHECKING:
    from dprepro.problems.problem_data import FloatArray, IntArray

FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table by its schema; records are its units, where it has some.

    Attributes:
        features: shape (records, p), entries in [-1, 1]. labels: shape (records,), in [-1, 1].
        counts: how many values were clipped or filled, and how many rows were dropped, by what was done. They are
            computed from the private data: for the analyst's eyes, not a private release.
        digest: SHA-256 of features and labels, and of what units are called.
        places: shape (records,): which of the ``total`` places each record has, dropped ones included, so that no
            record that is dropped moves another.
        units: of every place a hash of its unit's name; empty where records have no units.
    """

    features: FloatArray
    labels: FloatArray
    counts: dict[str, int] = field(default_factory=dict)
    digest: str = ""
    places: IntArray = field(default_factory=lambda: np.arange(0))
    total: int = 0
    units: Sequence[bytes] = ()

    def shuffled(self, seed: int, split: int) -> IntArray:
        """All places in a random order, that of the places or of the hashes of units.

        A unit that takes another's place, under another name, changes the order of no other two.
        """
        if not self.units:
            return np.random.default_rng([seed, split]).permutation(self.total)
        keys = [hashlib.sha256(f"{seed}\0{split}\0".encode() + unit).digest() for unit in self.units]
        return np.array(sorted(range(self.total), key=keys.__getitem__), dtype=np.intp)

    def at(self, places: IntArray) -> IntArray:
        """The records that stand at these places, in their order."""
        index = np.full(self.total, -1)
        index[self.places] = np.arange(len(self.places))
        found = index[places]
        return found[found >= 0]


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A column after its rule: numbers, or numbers of categories (-1 for none); who is missing, and who stays."""

    values: FloatArray
    missing: NDArray[np.bool_]
    keep: NDArray[np.bool_]


def encode(raw: RawTable, schema: Schema, name: str = "the table", seed: int = 0) -> Encoded:
    """Features and labels of the records that the schema keeps, in one random order.

    Numbers are clipped to their range and mapped affinely to [-1, 1]; categories become 0 or 1 each.

    Raises:
        InputError: a column that is missing or of the wrong kind, a value that the schema forbids, too few records, all
            labels alike.
    """
    columns = {column: raw.column(column, name) for column in schema.used}
    if not raw.rows:
        raise InputError(f"{name} has no records, at least {FEWEST_ROWS} are needed")
    counts = {"clipped": 0, "filled": 0, "dropped": 0, "clipped_labels": 0, "surplus": 0}
    keep, clean = np.ones(raw.rows, dtype=bool), dict[str, Cleaned]()
    for column, rule in schema.columns.items():
        where = f"column {column} of {name}"
        clean[column] = _cleaned(columns[column], rule, where, counts, column == schema.target, schema.decimal)
        keep &= clean[column].keep
    counts["dropped"] = int((~keep).sum())
    features = np.column_stack(_features(schema, clean, raw.rows))
    labels = _labels(schema, clean[schema.target])
    hashes: Sequence[bytes] = ()
    if schema.unit:
        units = units_of(columns[schema.unit], f"column {schema.unit} of {name}")
        features, labels, places, hashes = _by_unit(units, features, labels, keep, schema, seed, counts)
        total = len(hashes)
    else:
        order = np.random.default_rng(seed).permutation(raw.rows)
        places = np.flatnonzero(keep[order])
        features, labels, total = features[order[places]], labels[order[places]], raw.rows
    if len(labels) < FEWEST_ROWS:
        kind = "units" if schema.unit else "records"
        raise InputError(f"{name} has {len(labels)} usable {kind} {RAW}, at least {FEWEST_ROWS} are needed")
    if (labels == labels[0]).all():
        raise InputError(
            f"all labels of {name}, its {schema.target}, are alike as the schema reads them (seen in the raw "
            "table, not private): nothing is left to predict"
        )
    features = np.ascontiguousarray(features)
    digest = hashlib.sha256(features.tobytes() + labels.tobytes() + b"".join(hashes)).hexdigest()
    return Encoded(features, labels, counts, digest, places, total, hashes)


def _features(schema: Schema, clean: Mapping[str, Cleaned], rows: int) -> list[FloatArray]:
    """The encoded columns, in the order of `Schema.names`."""
    found = [np.ones(rows)] if schema.intercept else []
    for column in schema.features:
        rule, own = schema.columns[column], clean[column]
        if rule.categories:
            found += [(own.values == number).astype(np.float64) for number in range(len(rule.words))]
        else:
            found.append(_scaled(own.values, *rule.range))
        if rule.missing == "indicator":
            found.append(own.missing.astype(np.float64))
    return found


def _labels(schema: Schema, target: Cleaned) -> FloatArray:
    rule = schema.columns[schema.target]
    if rule.categories:
        return np.where(target.values == 1, 1.0, -1.0)
    if rule.above is not None:
        return np.where(target.values > rule.above, 1.0, -1.0)
    return _scaled(target.values, *rule.range)


def _scaled(values: FloatArray, low: float, high: float) -> FloatArray:
    return np.asarray(np.clip(2 * (values - low) / (high - low) - 1, -1.0, 1.0))


def _by_unit(
    units: Sequence[str],
    features: FloatArray,
    labels: FloatArray,
    keep: NDArray[np.bool_],
    schema: Schema,
    seed: int,
    counts: dict[str, int],
) -> tuple[FloatArray, FloatArray, IntArray, Sequence[bytes]]:
    """One record for each unit, in an order by a hash of its name; places, and the hashes of all units in that order.

    Which rows of a unit are kept depends on its name, the number of its rows and the seed: on no other unit.
    """
    rows: dict[str, list[int]] = {unit: [] for unit in units}
    for row, unit in enumerate(units):
        if keep[row]:
            rows[unit].append(row)
    hashes = {unit: _hash(seed, unit) for unit in rows}
    ordered = sorted(rows, key=hashes.__getitem__)
    keys = [hashes[unit] for unit in ordered]
    most, chosen = schema.rows_per_unit, []
    for unit in ordered:
        own = rows[unit]
        if most and len(own) > most:
            counts["surplus"] += len(own) - most
            stream = np.random.default_rng(int.from_bytes(hashes[unit]))
            own = sorted(own[place] for place in stream.permutation(len(own))[:most])
        chosen.append(own)
    places = np.array([place for place, own in enumerate(chosen) if own], dtype=np.intp)
    kept = [chosen[place] for place in places]
    if not kept:
        return features[:0], labels[:0], places, keys
    sizes = np.array([len(own) for own in kept])
    flat, starts = np.concatenate([np.array(own) for own in kept]), np.cumsum(sizes) - sizes
    means = np.add.reduceat(features[flat], starts, axis=0) / sizes[:, None]
    answers = np.add.reduceat(labels[flat], starts) / sizes
    if schema.classification:
        coins = np.array([1.0 if keys[place][-1] % 2 else -1.0 for place in places])
        answers = np.where(answers == 0, coins, np.sign(answers))
    return np.clip(means, -1.0, 1.0), np.clip(answers, -1.0, 1.0), places, keys


def _hash(seed: int, unit: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{unit}".encode("utf-8", "surrogatepass")).digest()


def _cleaned(raw: Values, rule: Column, where: str, counts: dict[str, int], label: bool, decimal: str) -> Cleaned:
    """The column with clipped and filled values, and which records it lets stay; ``counts`` are added to."""
    values, status = read_values(raw, rule, where, decimal)
    wrong = status <= WRONG
    if wrong.any() and rule.unreadable == "error":
        raise InputError(unreadable(raw, rule, where, status, decimal))
    missing = status < 0
    keep = np.ones(len(values), dtype=bool)
    if missing.any():
        if rule.missing == "error":
            raise InputError(
                f"{where} has {int(missing.sum())} missing values {RAW}; say what becomes of them: missing: drop"
                + ("" if label else ", fill or indicator")
            )
        if rule.missing == "drop":
            keep &= ~missing
        else:
            words = rule.words
            filling = float(words.index(word_of(rule.fill)) if rule.fill is not None else -1) if words else rule.filling
            values = np.where(missing, filling, values)
            counts["filled"] += int(missing.sum())
    low, high = (0, math.inf) if rule.categories else rule.range
    outside = ((values < low) | (values > high)) & ~missing
    if outside.any():
        allowed = ", ".join(rule.words) if rule.categories else f"[{rule.range[0]:g}, {rule.range[1]:g}]"
        if FEWEST_ROWS <= outside.sum() == len(values) - missing.sum():
            raise InputError(f"all values of {where} lie outside of what is public: {allowed}{_hint(rule)}")
        if rule.outside == "error":
            raise InputError(f"{where} has {int(outside.sum())} values {RAW} outside of what is public: {allowed}")
        if rule.outside == "drop" or (label and rule.categories):
            keep &= ~outside
        else:
            counts["clipped_labels" if label else "clipped"] += int(outside.sum())
            if not rule.categories:
                values = np.clip(values, low, high)
    return Cleaned(values, missing, keep)


def _hint(rule: Column) -> str:
    """What to type where no value is among the categories."""
    if rule.type == "text" and all(is_number(word) for word in rule.words):
        return "; texts are compared: write type: number to compare numbers, so that 1.0 is 1"
    if rule.type == "text" and all(word.lower() in TRUE | FALSE for word in rule.words):
        return "; texts are compared: write type: boolean in the place of categories"
    return ""
