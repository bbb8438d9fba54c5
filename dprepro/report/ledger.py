"""The ledger: every published verdict of a results folder, rebuilt from its store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dprepro.engine.store import Store
from dprepro.report.publish import Published, _replace, publish


def build_ledger(results_dir: str | Path) -> tuple[dict[str, Any], list[Published]]:
    """Rebuild the folder of every experiment that has a finished run without overrides, and write ledger.json.

    Experiments of which the store holds only overridden or unfinished runs are listed with the verdict
    ``not measured`` and a note that says so. No algorithm is imported.

    Raises:
        InputError: the store is missing or cannot be read.
    """
    claims, published = [], []
    with Store.open(results_dir) as store:
        for name in sorted({run.experiment for run in store.runs()}):
            run = store.latest(name)
            newest = store.latest(name, published=False)
            if run is None or newest is None:
                note = "only overridden or unfinished runs are stored"
                claims.append({"experiment": name, "verdict": "not measured", "note": note})
                continue
            one = publish(store, run, results_dir)
            published.append(one)
            claims.append(_claim(one, overridden_since=bool(newest.overrides)))
    ledger = {"claims": claims, "errata": []}
    _replace(Path(results_dir) / "ledger.json", (json.dumps(ledger, indent=2, allow_nan=False) + "\n").encode())
    return ledger, published


def _claim(one: Published, overridden_since: bool) -> dict[str, Any]:
    verdict = one.verdict
    note = "a later run had overrides; it is not shown here" if overridden_since else ""
    return {key: value for key, value in verdict.items() if key != "overrides"} | {
        "note": note,
        "figure": f"{one.folder.name}/figure.png",
        "command": f"python -m dprepro +experiment={verdict['experiment']}",
    }
