"""What is said of every mutant: which check noticed it, and what that check said before and after."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dprepro.errors import InputError
from dprepro.support.regular_files import unpacked
from mutants.catalogue import Mutant
from mutants.running import Verdicts

COLUMNS = ("mutant", "experiment", "noticed by", "before", "after", "seconds")


@dataclass(frozen=True)
class Line:
    """One line of the table.

    Attributes:
        mutant, experiment: their names; of a mutant that tests notice, these.
        says, where, expression, replace, harmless: of the mutant.
        noticed: checks that came out as expected without the mutant and do not with it.
        check: the one of them that is shown, a claim or control if there is one.
        before, after: what that check said, verdict and estimate.
        fault: why the mutant could not be judged; empty if it could.
        seconds: of its run.
    """

    mutant: str
    experiment: str
    says: str
    where: str
    expression: str
    replace: str
    harmless: bool
    noticed: Sequence[str]
    check: str
    before: str
    after: str
    fault: str
    seconds: float

    def of(self, mutant: Mutant) -> bool:
        """Whether it is about what is planted now."""
        planted = (mutant.judge, mutant.where, mutant.expression, mutant.replace, mutant.harmless)
        return (self.experiment, self.where, self.expression, self.replace, self.harmless) == planted

    @property
    def good(self) -> bool:
        """Whether it was noticed, or is harmless and was not."""
        return not self.fault and bool(self.noticed) != self.harmless

    @property
    def outcome(self) -> str:
        """In the place of the check: what noticed it, or that nothing did."""
        if self.fault:
            return f"FAULT: {self.fault}"
        if self.harmless:
            return f"NOTICED by {self.check}, though harmless" if self.noticed else "nothing, as it should be"
        return self.check if self.noticed else "NOTHING"


def line(mutant: Mutant, before: Verdicts, after: Verdicts) -> Line:
    """Compare the run of a mutant with that of the code as it is."""
    changed = [
        name
        for name, check in before.checks.items()
        if check["as_expected"] and name in after.checks and not after.checks[name]["as_expected"]
    ]
    claims = [name for name in changed if before.checks[name]["role"] in ("claim", "control")]
    shown = next(iter([*claims, *changed]), "")
    wanted = [name for name in mutant.checks or before.checks if name in before.checks]
    unsound = "; ".join(
        f"{name} {before.checks[name]['verdict']}" for name in wanted if not before.checks[name]["as_expected"]
    )
    fault = (before.fault and f"without the mutant: {before.fault}") or after.fault
    if not (fault or changed) and unsound:
        fault = f"without the mutant: {unsound}"
    return Line(
        mutant=mutant.name, experiment=mutant.judge, says=mutant.says, where=mutant.where,
        expression=mutant.expression, replace=mutant.replace, harmless=mutant.harmless, noticed=changed, check=shown,
        before=_said(before.checks[shown]) if shown else "", after=_said(after.checks[shown]) if shown else "",
        fault=fault, seconds=round(after.seconds, 1),
    )  # fmt: skip


def _said(check: Mapping[str, Any]) -> str:
    if check["estimate"] is None:
        return str(check["verdict"])
    return f"{check['verdict']} {check['estimate']:.4g}"


def text(lines: Sequence[Line]) -> str:
    """For a terminal."""
    rows = [
        COLUMNS,
        *(
            (line.mutant, line.experiment, line.outcome, line.before, line.after, f"{line.seconds:.0f}")
            for line in lines
        ),
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(COLUMNS))]
    padded = (" ".join(cell.ljust(width + 1) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in padded)


def summary(lines: Sequence[Line]) -> str:
    """One sentence."""
    planted = [line for line in lines if not line.harmless]
    harmless = [line for line in lines if line.harmless]
    said = f"{sum(line.good for line in planted)} of {len(planted)} falsehoods were noticed"
    if harmless:
        said += f"; {sum(line.good for line in harmless)} of {len(harmless)} harmless changes were not"
    bad = [line.mutant for line in lines if not line.good]
    return said + (f"; survivors and faults: {', '.join(bad)}" if bad else "")


def markdown(lines: Sequence[Line]) -> str:
    """For a page."""
    parts = [
        "# Falsehoods planted in the code, and what noticed them",
        "",
        f"{summary(lines)}.",
        "",
        "Each is one expression of the code, run on a small grid of one experiment; it is noticed where a check that",
        "came out as expected without it does not with it. Of the rules that every verdict rests on, tests notice it.",
        "`make mutants` runs all, `python -m mutants NAME` renews a line.",
        "",
        "| mutant | what it says | experiment | noticed by | before | after | s |",
        "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    parts += [
        f"| {row.mutant} | {_cell(row.says)} | {row.experiment} | {_cell(row.outcome)} | {row.before} | {row.after} "
        f"| {row.seconds:.0f} |"
        for row in lines
    ]
    return "\n".join(parts) + "\n"


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def renewed(before: Sequence[Line], lines: Sequence[Line], every: Sequence[Mutant]) -> list[Line]:
    """The table with these ``lines`` in it, in the order of the catalogue; of what is planted no more it has none."""
    known = {line.mutant: line for line in (*before, *lines)}
    return [known[mutant.name] for mutant in every if mutant.name in known and known[mutant.name].of(mutant)]


def read(path: Path) -> list[Line]:
    """What `as_json` wrote; nothing where there is no such file.

    Raises:
        InputError: a file that is no such table.
    """
    if not path.is_file():
        return []
    try:
        entries = json.loads(unpacked(path))
        return [Line(**{key: value for key, value in entry.items() if key != "good"}) for entry in entries]
    except (ValueError, TypeError, AttributeError, OSError, EOFError) as error:
        raise InputError(f"{path} is no table of mutants: {error}") from error


def as_json(lines: Sequence[Line]) -> str:
    """As data."""
    return json.dumps([asdict(line) | {"good": line.good} for line in lines], indent=1) + "\n"
