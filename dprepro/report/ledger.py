"""The ledger: every numbered statement with the verdict of what a results folder measured of it, and the errata."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dprepro.engine.store import Changes, Run
from dprepro.errors import InputError
from dprepro.regular_files import replace_file
from dprepro.report.entries import claims, further, slips
from dprepro.report.measured import BESIDE, Measured, measure
from dprepro.report.registry import heads, registries
from dprepro.texts import visible


def build_ledger(
    results_dir: str | Path,
    since: Callable[[Run], Changes],
    config_dir: str | None = None,
    single_file: bool = False,
) -> tuple[dict[str, Any], Measured]:
    """Rebuild the folder of every experiment that has a finished run without overrides, and write the ledger's files.

    Experiments of which the store holds only overridden or unfinished runs, or one that can no longer be judged, leave
    their rows ``not measured`` with a note that says so. What an experiment asks for now, and did not when it was run,
    as ``since`` says, is confirmed by nothing. No algorithm is imported. With ``single_file`` there is a
    second page, ``ledger_single.html``, with its figures inside.

    Raises:
        InputError: the store is missing or cannot be read, a registry is wrong, or a file cannot be written.
    """
    from dprepro.report.markdown import markdown
    from dprepro.report.page import page
    from dprepro.report.pictures import beside, inside
    from dprepro.report.tex import tex

    papers, root = registries(config_dir), Path(results_dir)
    measured = replace(measure(results_dir, since), registries=papers, config_dir=config_dir)
    rows = [*claims(measured), *further(measured)]
    ledger = {"papers": heads(papers), "claims": rows, "errata": list(slips(measured))}
    path = root / BESIDE
    try:
        shown = [(one, beside(one, path)) for one in measured.published.values()]
        files = {
            "ledger.json": json.dumps(ledger, indent=2, allow_nan=False) + "\n",
            "ledger.md": markdown(ledger),
            "ledger.tex": tex(ledger),
            "ledger.html": page(ledger, shown, config_dir),
        }
        if single_file:
            framed = [(one, inside(picture, root)) for one, picture in shown]
            files["ledger_single.html"] = page(ledger, framed, config_dir)
        for name, text in files.items():
            path = root / name
            replace_file(path, visible(text).encode())
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another results_dir") from error
    return ledger, measured
