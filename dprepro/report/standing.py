"""The verdicts that stand in a results folder, each beside the run of the store that it is of."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.errors import checked_name, label_fault
from dprepro.support.regular_files import bytes_of

if TYPE_CHECKING:
    from dprepro.engine.store import Run

OVERRIDDEN = "overridden"
"""The folder, in that of an experiment, of its runs with overrides, each in one of its own."""

LONGEST_READABLE = 60
"""Characters of overrides that name a folder as they are."""
_READABLE = re.compile(r"\w[\w.]*=[\w.][\w.-]*(?<!\.)")

SHOWN = ("confirmed", "inconclusive", "refuted")
"""What a verdict.json can say; one that says anything else was written by somebody else."""


def place_of(run: Run) -> str:
    """The folder of a run in a results folder; see `place`."""
    return place(run.experiment, run.overrides, run.config.get("label"))


def place(experiment: str, overrides: Sequence[str], label: object = None) -> str:
    """The folder in a results folder: ``NAME``, or ``NAME/overridden/LABEL`` of a run with overrides.

    Without a `label=` the overrides are the label where they are short and plain (``seed-1``), else what can be read of
    them, with a digest: runs with the same overrides share a folder, as unchanged ones do, and no others.

    Raises:
        InputError: the experiment's name is none.
    """
    name = checked_name("experiment", experiment)
    if not overrides:
        return name
    chosen = str(label or "")
    return f"{name}/{OVERRIDDEN}/{chosen if chosen and not label_fault(chosen) else _label(overrides)}"


def _label(overrides: Sequence[str]) -> str:
    ordered = sorted(map(str, overrides))
    label = ",".join(text.replace("=", "-", 1) for text in ordered)
    if all(_READABLE.fullmatch(text) for text in ordered) and len(label) <= LONGEST_READABLE and not label_fault(label):
        return label
    digest = hashlib.blake2b(json.dumps(ordered).encode(), digest_size=4).hexdigest()
    readable = (
        re.sub(r"[^\w.]+", "-", ",".join(ordered)).strip("-._")[: LONGEST_READABLE - len(digest) - 1].strip("-._")
    )
    return f"{readable}-{digest}" if readable else digest


@dataclass(frozen=True)
class Standing:
    """A verdict.json.

    Attributes:
        place: of its folder in the results folder.
        verdict: its content; None where that cannot be read, or is no verdict.
        run: the run that it is of; None where the store does not hold it.
        later: whether the verdict of another run should stand here: of a later one, or of one without overrides.
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
            mend = "run it again" if OVERRIDDEN in self.place else "python -m dprepro ledger writes that one"
            return f"its verdict is of another run than the latest; {mend}"
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
        later = any(
            item.id > run.id and item.finished and place_of(item) == name
            for item in runs.values() if item.experiment == experiment
        )  # fmt: skip
        return Standing(name, verdict, run, later or place_of(run) != name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Standing(name, None, None)


def newest_overridden(results_dir: str | Path, name: str, runs: Mapping[str, Run]) -> Standing | None:
    """Of an experiment's runs with overrides what stands of the latest, if anything."""
    found = [standing for standing in all_standing(results_dir, runs, name) if standing.place != name]
    return max(found, key=lambda standing: standing.run.id if standing.run else 0, default=None)


def all_standing(results_dir: str | Path, runs: Mapping[str, Run], experiment: str = "*") -> Iterator[Standing]:
    """All verdicts in a results folder, or those of one experiment."""
    for path in verdict_files(results_dir, experiment):
        if found := standing(results_dir, path.parent.relative_to(results_dir).as_posix(), runs):
            yield found


def verdict_files(results_dir: str | Path, experiment: str = "*") -> list[Path]:
    """The files of all verdicts, or of one experiment's: its own, then those of its runs with overrides."""
    root = Path(results_dir)
    own, theirs = f"{experiment}/verdict.json", f"{experiment}/{OVERRIDDEN}/*/verdict.json"
    return sorted([*root.glob(own), *root.glob(theirs)], key=lambda path: (path.parts[len(root.parts)], path.parts))
