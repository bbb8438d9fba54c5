"""The verdicts that stand in a results folder, each beside the run of the store that it is of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.regular_files import bytes_of

if TYPE_CHECKING:
    from dprepro.engine.store import Run

OVERRIDDEN = "overridden"
"""Where a run with overrides goes while a run without them stands in the experiment's own folder."""

SHOWN = ("confirmed", "inconclusive", "refuted")
"""What a verdict.json can say; one that says anything else was written by somebody else."""


@dataclass(frozen=True)
class Standing:
    """A verdict.json.

    Attributes:
        place: of its folder in the results folder.
        verdict: its content; None where that cannot be read, or is no verdict.
        run: the run that it is of; None where the store does not hold it.
        later: whether a later run, or one without overrides, was finished, whose verdict should stand here.
    """

    place: str
    verdict: Mapping[str, Any] | None
    run: Run | None
    later: bool = False

    @property
    def problem(self) -> str:
        """Why nobody can tell whether the verdict is that of what is stored; empty if somebody can."""
        if self.verdict is None:
            return "its verdict.json cannot be read; python -m dprepro ledger makes it anew"
        if self.run is None:
            return "its verdict is of no run in the store; run it again, or python -m dprepro ledger, or remove it"
        if self.later:
            return "its verdict is of another run than the latest; python -m dprepro ledger writes that one"
        if not self.run.finished:
            return "its verdict is of a run that was not finished; the same command ends it"
        return ""


def standing(results_dir: str | Path, name: str, runs: Mapping[str, Run]) -> Standing | None:
    """What stands in an experiment's folder, or in one in it, if anything; ``runs`` are the store's, by their marks."""
    try:
        verdict = json.loads(bytes_of(Path(results_dir) / name / "verdict.json"))
        experiment = name.partition("/")[0]
        if verdict["verdict"] not in SHOWN or not isinstance(verdict["provenance"], dict):
            return Standing(name, None, None)
        run = runs.get(str(verdict["provenance"].get("run", "")))
        if run is None or (run.experiment, run.overrides) != (experiment, verdict["overrides"]):
            return Standing(name, verdict, None)
        ended = [one for one in runs.values() if one.experiment == experiment and one.finished]
        if name != experiment:
            return Standing(name, verdict, run, any(one.overrides and one.id > run.id for one in ended))
        return Standing(
            name, verdict, run, any(not one.overrides and (run.overrides or one.id > run.id) for one in ended)
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Standing(name, None, None)


def all_standing(results_dir: str | Path, runs: Mapping[str, Run]) -> Iterator[Standing]:
    """All verdicts in a results folder."""
    for path in sorted(Path(results_dir).glob("*/verdict.json")):
        for name in (path.parent.name, f"{path.parent.name}/{OVERRIDDEN}"):
            if found := standing(results_dir, name, runs):
                yield found
