"""A page for each experiment, and the table of them all."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from docs.explorer import shown
from docs.pictures import reference_figure
from docs.sources import (
    EXPERIMENTS,
    NEIGHBOURS,
    by_paper,
    checks,
    cited,
    has_table,
    header,
    noticed,
    reference,
    rivals,
    series,
    templates,
)  # fmt: skip
from dprepro.report.text import ORDER
from dprepro.support.folders import command


def page(name: str) -> str:
    """What is claimed, of which statements, on which grid, what every check found, and how to repeat it."""
    head, found = header(name), checks(name)
    source, rows = _provenance(name), reference("ledger.json")["claims"]
    return templates().get_template("experiment.md.j2").render(
        name=name,
        head=head,
        neighbours=NEIGHBOURS.get(said := head.get("neighbours", "replace_one"), said),
        verdict=_verdict(name),
        statements=[row for row in rows if name in row["experiments"] and row["statement"]],
        series=series(name),
        checks=found,
        rivals=rivals(name),
        noticed=noticed(name),
        shown_errata=[erratum for erratum in reference("ledger.json")["errata"] if name in _shown_by(erratum)],
        source=source,
        command=command(name),
        table=has_table(name),
        explorer=quote(json.dumps({"e": [name]}, separators=(",", ":"))) if name in shown() else "",
        figure=reference_figure(name).is_file(),
        walkthrough=_walkthrough(name),
        text=EXPERIMENTS[name].read_text(encoding="utf-8").rstrip(),
    )  # fmt: skip


def index() -> str:
    """All experiments by paper: claim, statement and verdict."""
    groups = {
        cited(paper): [(name, header(name), _verdict(name), rivals(name)) for name in names]
        for paper, names in by_paper().items()
    }
    return templates().get_template("experiments.md.j2").render(groups=groups, count=len(EXPERIMENTS))


def gallery() -> str:
    """The figures of all experiments in small, each a link to its page."""
    groups = []
    for paper, names in by_paper().items():
        shown = "\n".join(
            f'<a href="experiments/{name}.html"><img src="assets/experiments/{name}.png" alt="The figure of {name}">'
            f"<span>{name}</span></a>"
            for name in names
            if reference_figure(name).is_file()
        )
        groups.append(f'### {cited(paper)}\n\n<div class="thumbnails">\n{shown}\n</div>')
    return "\n\n## All experiments\n\n" + "\n\n".join(groups) + "\n"


def _verdict(name: str) -> str:
    """The worst of the claims."""
    claims = [check["verdict"] for check in checks(name).values() if check["role"] == "claim"]
    return min(claims, key=ORDER.index, default="not measured")


def _provenance(name: str) -> dict[str, Any]:
    """Cells, seconds, seed and commit of the last full run, as a row of the ledger keeps them; empty if it has none."""
    rows = (item for row in reference("ledger.json")["claims"] for item in row["measurements"])
    return next((row for row in rows if row["experiment"] == name), {})


def _shown_by(erratum: dict[str, Any]) -> set[str]:
    return {item["experiment"] for item in erratum["shown_by"] if "experiment" in item}


def _walkthrough(name: str) -> tuple[str, str] | None:
    """Name and title of the walkthrough that runs it."""
    from docs.walkthroughs import SCRIPTS, title

    told = (key for key, path in SCRIPTS.items() if f'dprepro.run("{name}"' in path.read_text(encoding="utf-8"))
    found = next(told, None)
    return (found, title(found)) if found else None
