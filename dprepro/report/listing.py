"""The list of experiments with their last verdicts, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from dprepro.errors import InputError, printable
from dprepro.report.standing import newest_overridden, standing, verdict_files
from dprepro.statements.papers import Paper, citation, heads

if TYPE_CHECKING:
    from dprepro.engine.store import Changes, Run

WIDTH = 80
CHANGED = "changed"
"""In place of the verdict of an experiment that asks for something else now."""


def last_verdict(
    results_dir: str | Path, name: str, runs: Mapping[str, Run], since: Callable[[Run], Changes]
) -> tuple[str, str]:
    """The verdict in the experiment's results folder, a hyphen where there is none, and what has changed since.

    Where only runs with overrides have folders it is the newest one's. A star marks one that was measured with
    overrides, an exclamation mark one of which a check came out unexpectedly, a question mark one of which the store
    does not hold the run.
    """
    found = standing(results_dir, name, runs) or newest_overridden(results_dir, name, runs)
    if found is None or found.verdict is None:
        return "-", ""
    marks = ("" if found.verdict.get("as_expected") else "!") + ("*" if found.verdict["overrides"] else "")
    if found.run is None or found.run.damaged:
        return f"{found.verdict['verdict']}{marks}?", ""
    changed = since(found.run)
    return CHANGED if changed.doubt else found.verdict["verdict"] + marks, str(changed)


def stored_runs(results_dir: str | Path) -> dict[str, Run]:
    """All runs of a store by their marks; none where no verdict stands, or there is no store that can be read."""
    if not any(verdict_files(results_dir)):
        return {}
    from dprepro.engine.store import Store

    try:
        with Store.open(results_dir) as store:
            return {run.mark: run for run in store.runs()}
    except InputError:
        return {}


def listing(
    headers: Mapping[str, Mapping[str, str]],
    results_dir: str | Path,
    since: Callable[[Run], Changes],
    described: Mapping[str, Paper] | None = None,
) -> str:
    """Grouped by paper, the papers in the order of their years: name, claim and last verdict of every experiment.

    ``since`` says what an experiment asks for now that its run did not.
    """
    if not headers:
        return "no experiments found"
    runs = stored_runs(results_dir)
    found = {name: last_verdict(results_dir, name, runs, since) for name in headers}
    verdicts = {name: verdict for name, (verdict, _) in found.items()}
    width = max(map(len, headers))
    room = max(12, WIDTH - width - max(map(len, verdicts.values())) - 6)
    known = heads(described or {})
    papers = sorted({head["paper"] for head in headers.values()}, key=lambda text: ([*known, text].index(text), text))
    lines = []
    for paper in papers:
        lines.append(citation(paper, known))
        for name, head in headers.items():
            if head["paper"] == paper:
                first, *rest = wrap(head["claim"], room) or ["?"]
                lines.append(f"  {name:<{width}}  {first:<{room}}  {verdicts[name]}")
                lines += [f"  {'':<{width}}  {line}" for line in rest]
    if any("!" in verdict for verdict in verdicts.values()):
        lines.append("! not all checks came out as expected")
    if any("*" in verdict for verdict in verdicts.values()):
        lines.append("* measured with overrides")
    if any("?" in verdict for verdict in verdicts.values()):
        lines.append("? the store does not hold this run; python -m dprepro check says more")
    for name, (_, changed) in found.items():
        lines += wrap(printable(f"{name}: {changed}"), WIDTH, subsequent_indent="  ") if changed else []
    return "\n".join(lines)
