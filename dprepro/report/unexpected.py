"""What of a store and its ledger did not come out as expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprepro.report.measured import MeasuredStore


def unexpected(ledger: Mapping[str, Any], measured: MeasuredStore) -> list[str]:
    """What did not come out as expected: checks by experiment, runs without a verdict, statements, errata."""
    odd = []
    for name, published in measured.published.items():
        odd += [f"{name}: {key}" for key, check in published.verdict["checks"].items() if not check["as_expected"]]
    odd += [f"{name}: {note}" for name, note in measured.notes.items() if name not in measured.published]
    odd += [row["id"] for row in ledger["claims"] if row["as_expected"] is False]
    return odd + [erratum["id"] for erratum in ledger["errata"] if erratum["state"] == "not as expected"]
