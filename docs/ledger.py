"""The ledger of the last full run: the page that the command writes, and what the site's search knows of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import escape

from docs.sources import EXPERIMENTS, cited, reference
from dprepro.report import page as written
from dprepro.report.formulas import plain

BESIDE = {
    "The documentation": "index.html",
    "What a verdict means": "verdicts.html",
    "The experiments": "experiments/index.html",
    "The explorer": "explorer.html",
}


def page() -> str:
    """Every statement and erratum at an address of its own, with links to the experiments' pages."""
    experiments = {name: f"experiments/{name}.html" for name in EXPERIMENTS}
    return written.page(reference("ledger.json"), [], experiments=experiments, beside=BESIDE)


def searched() -> Iterator[dict[str, str]]:
    """The page and its entries as the search takes them, with texts that it shows as they are."""
    ledger = reference("ledger.json")
    yield {"location": "ledger.html", "title": "Ledger", "text": "Every statement and erratum with its verdict."}
    for row in ledger["claims"]:
        yield _entry(
            written.anchor(row), row, row["statement"], (row["repaired"] or {}).get("statement", ""), row["note"]
        )
    for erratum in ledger["errata"]:
        yield _entry(erratum["id"], erratum, erratum["severity"], erratum["printed"], erratum["holds"])


def _entry(place: str, about: Mapping[str, Any], *texts: str) -> dict[str, str]:
    title, text = f"{cited(about['paper'])}: {about['item']}", " ".join(plain(text) for text in texts if text)
    return {"location": f"ledger.html#{place}", "title": str(escape(title)), "text": str(escape(text))}
