"""The ledger: every numbered statement with the verdict of what a results folder measured of it, and the errata."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dprepro.engine.store import Changes, Run
from dprepro.errors import InputError
from dprepro.report.entries import causes, claims, errata_rows, further
from dprepro.report.in_short import in_short
from dprepro.report.measured import BESIDE, MeasuredStore, measure
from dprepro.report.multiplicity import corrected
from dprepro.report.spoken import Checks
from dprepro.statements.papers import heads, papers
from dprepro.support.regular_files import replace_file
from dprepro.support.texts import visible

SCHEMA_VERSION = 5
SCHEMA = Path(__file__).parent / "ledger.schema.json"
SCHEMAS = (SCHEMA, SCHEMA.with_name("verdict.schema.json"))
"""JSON Schema of ``ledger.json`` and of every ``verdict.json``, written beside the first."""


def build_ledger(
    results_dir: str | Path,
    since: Callable[[Run], Changes],
    config_dir: str | None = None,
    single_file: bool = False,
    others: Callable[[Collection[str]], Mapping[str, tuple[str, Checks]]] | None = None,
) -> tuple[dict[str, Any], MeasuredStore]:
    """Rebuild the folder of every experiment that has a finished run without overrides, and write the ledger's files.

    Experiments of which the store holds only overridden or unfinished runs, or one that can no longer be judged, leave
    their rows ``not measured`` with a note that says so. One without a configuration, of a paper that nobody describes,
    has no row: its pack was uninstalled. What an experiment asks for now, and did not when it was run,
    as ``since`` says, is confirmed by nothing. ``others`` gives paper and checks of all experiments but some: what
    would speak of a statement and is not published is missing. No algorithm is imported. With ``single_file`` there is
    a second page, ``ledger_single.html``, with its figures inside.

    Raises:
        InputError: the store is missing or cannot be read, a paper is described wrongly, or a file cannot be written.
    """
    from dprepro.report.markdown import markdown
    from dprepro.report.page import page
    from dprepro.report.pictures import beside, inside
    from dprepro.report.tex import tex

    described, root = papers(config_dir), Path(results_dir)
    found = measure(results_dir, since).described_by(described)
    measured = replace(found, published=corrected(found.published), config_dir=config_dir)
    if others is not None:
        measured = replace(measured, elsewhere=others(measured.published))
    ledger: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "papers": heads(described)}
    rows = [row | {"short": in_short(row)} for row in (*claims(measured), *further(measured))]
    ledger |= {"causes": causes(rows, measured), "claims": rows, "errata": list(errata_rows(measured))}
    path = root / BESIDE
    try:
        shown = [(published, beside(published, path)) for published in measured.published.values()]
        files = {
            "ledger.json": json.dumps(ledger, indent=1, allow_nan=False) + "\n",
            **{schema.name: schema.read_text(encoding="utf-8") for schema in SCHEMAS},
            "ledger.md": markdown(ledger),
            "ledger.tex": tex(ledger),
            "ledger.html": page(ledger, shown, config_dir),
        }
        if single_file:
            framed = [(published, inside(picture, root)) for published, picture in shown]
            files["ledger_single.html"] = page(ledger, framed, config_dir)
        for name, text in files.items():
            path = root / name
            replace_file(path, visible(text).encode())
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another results_dir") from error
    return ledger, measured
