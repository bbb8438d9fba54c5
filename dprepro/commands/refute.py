"""``python -m dprepro refute STATEMENT``: attack a statement over its whole premise."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dprepro.commands.parser import config_dir, key, number_that, results_dir, whole, words
from dprepro.errors import InputError

if TYPE_CHECKING:
    from dprepro.refute import Tried

ABOUT = """\
Attacks a statement over its whole premise: at the corners first (one record, one
coordinate, budgets at the ends of their ranges, constants towards 0 and at their
largest), then by a search. Prints what was tried, the least margin (how many
times what was taken fits into what the statement allows), and a witness where
the margin is below 1, measured again on fresh draws. STATEMENT is an address of
the ledger, such as kst-theorem-31; its printed and its repaired form are both
attacked, unless form= names one."""

NOTES = "exit codes: 0 whatever was found, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The statement to attack, and the time that the attack may take."""

    statement: tuple[str, ...] = words(
        "STATEMENT", least=1, most=1, needed="refute needs a statement, such as refute kst-theorem-31"
    )
    minutes: float = key("1/3", "of the processor, for each form", number_that("positive", lambda x: 0 < x < math.inf))
    form: str | None = key(None, "the one form to attack", shown="printed|repaired")
    seed: int = key("0", "of the search and of the draws", whole(0))
    results_dir: str = results_dir("witnesses go to results_dir/witnesses")
    config_dir: str | None = config_dir("adds the papers of DIR/papers")


def main(arguments: Arguments) -> int:
    """Attack every form that is asked for, and print; 0."""
    from dprepro.engine.progress import say, spell
    from dprepro.refute.all_attacks import attacked
    from dprepro.refute.find import attacks_on, forms, says_of, statement_at, untried
    from dprepro.report.formulas import plain
    from dprepro.statements.papers import citation, heads, papers
    from dprepro.statements.statement import identity

    folder = arguments.config_dir
    paper, statement = statement_at(arguments.statement[0], folder)
    described = papers(folder)[paper]
    print(f"{citation(paper, heads(papers(folder)))}, {statement.item}")
    targets = [(statement, form) for form in ((arguments.form,) if arguments.form else forms(statement))]
    tried = [target for target in targets if attacks_on(paper, *target, folder)]
    if not tried and statement.restates:
        print(f"restates {', '.join(statement.restates)}, which is attacked in its place")
        others = [described.find(item) for item in statement.restates]
        targets = [(other, forms(other)[-1]) for other in others]
    for target, form in targets:
        says = says_of(target, form)
        print(f"\n{f'{target.item}, ' if target is not statement else ''}as {form}: {plain(says.text)}")
        print(f"  premise: {'; '.join([*says.premise, *says.assumes]) or 'none'}")
        attacks = attacks_on(paper, target, form, folder)
        if not attacks:
            print(f"  nothing is tried: {untried(paper, target, folder) or 'no attack is known'}")
            continue
        if sys.stderr.isatty():
            say(sys.stderr, f"  searching for {spell(60 * arguments.minutes)} of the processor at most")
        found = attacked(attacks, says, 60 * arguments.minutes, arguments.seed)
        for line in _lines(found):
            print(f"  {line}")
        _keep(found, identity(paper, target.item), form, Path(arguments.results_dir))
    return 0


def _lines(found: Sequence[Tried]) -> list[str]:
    """What was tried, and what came of it."""
    lines = []
    within = [item for item in found if item.numbers]
    for attempt in within:
        corners = f"{attempt.corners} corner{'s' * (attempt.corners != 1)}"
        tried = f"{corners}, {attempt.searched} searched, {attempt.outside} outside the premise"
        lines.append(f"- {attempt.attack}: {tried}; least margin {_margin(attempt)}")
    if len(within) < len(found):
        lines.append(f"- {len(found) - len(within)} further attacks: no place that was tried lies within the premise")
    worst = found[0]
    at_corners, searched = sum(item.corners for item in found), sum(item.searched for item in found)
    if worst.violated:
        times = "infinitely many" if math.isinf(worst.least_share) else f"{worst.least_share:.4g}"
        lines.append(f"COUNTEREXAMPLE, by {worst.attack}: {times} times what the statement allows, measured again, at")
        lines.append(f"  {', '.join(f'{name}={value:.6g}' for name, value in worst.numbers.items())}")
    elif within:
        tried = f"{at_corners} corners and {searched} places of a search"
        lines.append(f"no counterexample at {tried}; least margin {_margin(worst)}")
    else:
        lines.append("no place that was tried lies within the premise: nothing was shown")
    return lines


def _margin(attempt: Tried) -> str:
    """How many times what is taken fits into what is allowed."""
    if not attempt.numbers:
        return "unknown"
    return "infinite" if attempt.least_share == 0 else f"{1 / attempt.least_share:.4g}"


def _keep(found: Sequence[Tried], address: str, form: str, results: Path) -> None:
    """Write the witness of a counterexample, and say where."""
    from dprepro.refute.witness import Witness
    from dprepro.support.regular_files import replace_file

    worst = found[0]
    if not worst.violated:
        return
    path = results / "witnesses" / f"{address}-{form}.json"
    witness = Witness(address, form, worst.attack, dict(worst.numbers), worst.least_share)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, (json.dumps(witness.to_dict(), indent=1) + "\n").encode())
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another results_dir") from error
    print(f"  witness: {path}")
