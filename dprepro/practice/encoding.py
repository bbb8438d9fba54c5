"""From raw columns to features and labels in [-1, 1], by the schema alone: no value sets a scale."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import InputError, MissingDependency, unknown
from dprepro.practice.schema import Column, Schema, word_of

if TYPE_CHECKING:
    import pandas as pd

FEWEST_ROWS = 10
RAW = "(counted in the raw table, not private)"
_DAY = r"\s*\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.+Z-]*)?\s*$"


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table by its schema.

    Attributes:
        features: shape (rows, p), entries in [-1, 1]. labels: shape (rows,), in [-1, 1].
        counts: how many values were clipped or filled and how many records were dropped, by what was done. They are
            computed from the private data: for the analyst's eyes, not a private release.
        digest: SHA-256 of features and labels.
    """

    features: NDArray[np.float64]
    labels: NDArray[np.float64]
    counts: dict[str, int] = field(default_factory=dict)
    digest: str = ""


def encode(raw: pd.DataFrame, schema: Schema, name: str = "the table", seed: int = 0) -> Encoded:
    """Features and labels of the records that the schema keeps, in one random order.

    Numbers are clipped to their range and mapped affinely to [-1, 1]; categories become 0 or 1 each; a record's row
    depends on that record and the schema only.

    Raises:
        InputError: a column that is missing or of the wrong kind, a value that the schema forbids, too few records, all
            labels alike.
        MissingDependency: scikit-learn is not installed.
    """
    try:
        from sklearn.compose import ColumnTransformer
        from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
    except ImportError as error:
        raise MissingDependency("tables need scikit-learn: pip install 'dprepro[data]'") from error
    import pandas as pd

    for column in schema.columns:
        if column not in raw.columns:
            raise unknown(f"column of {name}:", column, raw.columns)
    if raw.empty:
        raise InputError(f"{name} has no records, at least {FEWEST_ROWS} are needed")
    counts = {"clipped": 0, "filled": 0, "dropped": 0, "clipped_labels": 0}
    keep, clean = np.ones(len(raw), dtype=bool), {}
    for column, rule in schema.columns.items():
        values, kept = _cleaned(raw[column], rule, f"column {column} of {name}", counts, column == schema.target)
        clean[column], keep = values, keep & kept
    counts["dropped"] = int((~keep).sum())
    if keep.sum() < FEWEST_ROWS:
        raise InputError(f"{name} has {int(keep.sum())} usable records {RAW}, at least {FEWEST_ROWS} are needed")
    order = np.random.default_rng(seed).permutation(np.flatnonzero(keep))
    table = pd.DataFrame({column: values.iloc[order].to_numpy() for column, values in clean.items()})
    steps: list[tuple[str, Any, list[str]]] = []
    for column in schema.features:
        rule = schema.columns[column]
        if rule.categories:
            encoder: Any = OneHotEncoder(categories=[rule.words], handle_unknown="ignore", sparse_output=False)
        else:
            encoder = FunctionTransformer(_scaled, kw_args={"low": rule.range[0], "high": rule.range[1]})
        steps.append((column, encoder, [column]))
        if rule.missing == "indicator":
            table[f"{column}=missing"] = raw[column].isna().to_numpy()[order].astype(np.float64)
            steps.append((f"{column}=missing", "passthrough", [f"{column}=missing"]))
    found = np.asarray(ColumnTransformer(steps).fit_transform(table), dtype=np.float64)
    ones = [np.ones((len(found), 1))] if schema.intercept else []
    features = np.ascontiguousarray(np.hstack([*ones, found]))
    target = schema.columns[schema.target]
    if target.categories:
        labels = np.where(table[schema.target].to_numpy() == target.words[1], 1.0, -1.0)
    elif target.above is not None:
        labels = np.where(table[schema.target].to_numpy(dtype=np.float64) > target.above, 1.0, -1.0)
    else:
        labels = _scaled(table[schema.target].to_numpy(dtype=np.float64), *target.range)
    if (labels == labels[0]).all():
        raise InputError(
            f"all labels of {name}, its {schema.target}, are alike as the schema reads them (seen in the raw "
            "table, not private): nothing is left to predict"
        )
    digest = hashlib.sha256(features.tobytes() + labels.tobytes()).hexdigest()
    return Encoded(features, labels, counts, digest)


def _scaled(values: Any, low: float, high: float) -> Any:
    return 2 * (values - low) / (high - low) - 1


def _cleaned(
    raw: pd.Series[Any], rule: Column, where: str, counts: dict[str, int], label: bool
) -> tuple[pd.Series[Any], NDArray[np.bool_]]:
    """The column with clipped and filled values, and which records it lets stay; ``counts`` are added to."""
    values = _words(raw) if rule.categories else _numbers(raw, rule, where)
    missing = values.isna().to_numpy()
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
            fill: Any = (word_of(rule.fill) if rule.fill is not None else "") if rule.categories else rule.filling
            values = values.where(~missing, fill)
            counts["filled"] += int(missing.sum())
    if rule.categories:
        outside = ~values.isin(rule.words).to_numpy() & ~missing
    else:
        low, high = rule.range
        outside = ((values < low) | (values > high)).to_numpy() & ~missing
    if outside.any():
        allowed = ", ".join(rule.words) if rule.categories else f"[{rule.range[0]:g}, {rule.range[1]:g}]"
        if outside.sum() == len(values) - missing.sum():
            raise InputError(f"all values of {where} lie outside of what is public: {allowed}")
        if rule.outside == "error":
            raise InputError(f"{where} has {int(outside.sum())} values {RAW} outside of what is public: {allowed}")
        if rule.outside == "drop" or (label and rule.categories):
            keep &= ~outside
        else:
            counts["clipped_labels" if label else "clipped"] += int(outside.sum())
            if not rule.categories:
                values = values.clip(*rule.range)
    return values, keep


def _words(raw: pd.Series[Any]) -> pd.Series[Any]:
    return raw.map(word_of, na_action="ignore").astype(object)


def _numbers(raw: pd.Series[Any], rule: Column, where: str) -> pd.Series[Any]:
    import pandas as pd

    if rule.since:
        if raw.dtype.kind != "M":
            texts = raw.dropna().map(str).astype(str)
            if not (wrong := texts[~texts.str.match(_DAY)]).empty:
                # pandas would take today and now, and the table would be another one tomorrow
                raise InputError(
                    f"{where} is not a column of dates like 2020-01-31: it has {len(wrong)} other values {RAW}"
                )
        try:
            days = pd.to_datetime(raw, errors="raise", format=None if raw.dtype.kind == "M" else "ISO8601")
            return (days - pd.Timestamp(rule.since)) / pd.Timedelta(days=1)
        except (ValueError, TypeError) as error:  # with a time zone too
            raise InputError(f"{where} is not a column of dates like 2020-01-31, without time zones") from error
    if raw.dtype.kind not in "biuf":
        others = int(pd.to_numeric(raw.dropna().map(str), errors="coerce").isna().sum())
        raise InputError(
            f"{where} is not numeric: {others} of its {len(raw)} values are no numbers {RAW}; mend them, or give a "
            "list of categories, or since: a public day for dates"
        )
    values = raw.astype(np.float64)
    return values.where(np.isfinite(values))
