"""The ledger: every published verdict of a results folder, rebuilt from its store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dprepro.engine.store import Store
from dprepro.errors import InputError
from dprepro.report.publish import Published, publish, replace_file


def build_ledger(results_dir: str | Path) -> tuple[dict[str, Any], list[Published]]:
    """Rebuild the folder of every experiment that has a finished run without overrides, and write ledger.json.

    Experiments of which the store holds only overridden or unfinished runs, or one that can no longer be judged, are
    listed with the verdict ``not measured`` and a note that says so. No algorithm is imported.

    Raises:
        InputError: the store is missing or cannot be read.
    """
    claims, published = [], []
    with Store.open(results_dir) as store:
        for name in sorted({run.experiment for run in store.runs()}):
            run = store.latest(name)
            newest = store.latest(name, published=False)
            if run is None or newest is None:
                claims.append(_not_measured(name, "only overridden or unfinished runs are stored"))
                continue
            try:
                one = publish(store, run, results_dir)
            except InputError as error:
                # Rules change; one experiment that no longer fits them must not take the others away.
                claims.append(_not_measured(name, str(error)))
                continue
            published.append(one)
            claims.append(_claim(one, overridden_since=bool(newest.overrides)))
    ledger = {"claims": claims, "errata": []}
    replace_file(Path(results_dir) / "ledger.json", (json.dumps(ledger, indent=2, allow_nan=False) + "\n").encode())
    return ledger, published


def _not_measured(name: str, note: str) -> dict[str, Any]:
    return {"experiment": name, "verdict": "not measured", "note": note}


def _claim(one: Published, overridden_since: bool) -> dict[str, Any]:
    verdict = one.verdict
    note = "a later run had overrides; it is not shown here" if overridden_since else ""
    return {key: value for key, value in verdict.items() if key != "overrides"} | {
        "note": note,
        "figure": f"{one.folder.name}/figure.png",
        "command": f"python -m dprepro +experiment={verdict['experiment']}",
    }
