"""``python -m dprepro refute STATEMENT``: attack a statement over its whole premise."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dprepro.errors import InputError

if TYPE_CHECKING:
    from dprepro.refute import Attack, Tried
    from dprepro.statements.statement import Says

HELP = """usage: python -m dprepro refute STATEMENT [minutes=N] [form=printed|repaired]
                                 [seed=N] [results_dir=DIR] [--config-dir DIR]

Attacks a statement over its whole premise: at the corners first (one record, one
coordinate, budgets at the ends of their ranges, constants towards 0 and at their
largest), then by a search. Prints what was tried, the least margin (how many
times what was taken fits into what the statement allows), and a witness where
the margin is below 1, measured again on fresh draws. STATEMENT is an address of
the ledger, such as kst-theorem-31; its printed and its repaired form are both
attacked, unless form= names one.

  minutes=N          of the processor, for each form [1/3]
  seed=N             of the search and of the draws [0]
  results_dir=DIR    witnesses go to DIR/witnesses [results]

exit codes: 0 whatever was found, 2 bad input"""

DEFAULT_MINUTES = 1 / 3
CORNERS_SHARE = 0.4
"""Of the time, for the corners of all attacks."""
LEAST_SECONDS = 0.2
"""Of each attack's corners, where the time is short."""


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    from dprepro.command import arguments_of

    address, rest = ("", arguments)
    if arguments and not arguments[0].startswith("-") and "=" not in arguments[0]:
        address, rest = arguments[0], arguments[1:]
    choices = {"minutes": "", "form": "", "seed": "0", "results_dir": "results", "--config-dir": ""}
    values = arguments_of(rest, choices, HELP)
    if values is None:
        return 0
    if not address:
        raise InputError("refute needs a statement, such as refute kst-theorem-31; `python -m dprepro refute --help`")
    minutes, seed = _number("minutes", values["minutes"] or str(DEFAULT_MINUTES)), values["seed"]
    if not seed.isdigit():
        raise InputError(f"seed must be a whole number of at least 0, got seed={seed}")
    config_dir = values["--config-dir"] or None
    from dprepro.refute.find import attacks_on, forms, says_of, statement_at, untried
    from dprepro.statements.papers import citation, heads, papers
    from dprepro.statements.statement import identity

    paper, statement = statement_at(address, config_dir)
    described = papers(config_dir)[paper]
    print(f"{citation(paper, heads(papers(config_dir)))}, {statement.item}")
    targets = [(statement, form) for form in ((values["form"],) if values["form"] else forms(statement))]
    tried = [one for one in targets if attacks_on(paper, *one, config_dir)]
    if not tried and statement.restates:
        print(f"restates {', '.join(statement.restates)}, which is attacked in its place")
        others = [described.find(item) for item in statement.restates]
        targets = [(one, forms(one)[-1]) for one in others]
    for one, form in targets:
        says = says_of(one, form)
        print(f"\n{f'{one.item}, ' if one is not statement else ''}as {form}: {says.text}")
        print(f"  premise: {'; '.join([*says.premise, *says.assumes]) or 'none'}")
        attacks = attacks_on(paper, one, form, config_dir)
        if not attacks:
            print(f"  nothing is tried: {untried(paper, one, config_dir) or 'no attack is known'}")
            continue
        found = attacked(attacks, says, 60 * minutes, int(seed))
        for line in _lines(found):
            print(f"  {line}")
        _keep(found, identity(paper, one.item), form, Path(values["results_dir"]))
    return 0


def _number(name: str, text: str) -> float:
    from dprepro import expressions

    try:
        value = float(expressions.evaluate(text))
    except ValueError as error:
        raise InputError(f"{name} must be a number, got {name}={text}: {error}") from error
    if not 0 < value < math.inf:
        raise InputError(f"{name} must be positive, got {name}={text}")
    return value


def attacked(attacks: Sequence[Attack], says: Says, seconds: float, seed: int) -> list[Tried]:
    """All attacks, the one that came nearest first; ends early with a counterexample.

    The corners of all come first; then each is searched, in the order of what was found, for an equal share of the time
    that is left.
    """
    from dprepro.refute import Effort, hunt

    until = time.process_time() + seconds
    found: dict[str, Tried] = {}
    for place, attack in enumerate(attacks):
        left = (until - time.process_time() - (1 - CORNERS_SHARE) * seconds) / (len(attacks) - place)
        found[attack.name] = hunt(attack, says, Effort(1000, 0, seconds=max(left, LEAST_SECONDS)), seed)
        if found[attack.name].violated:
            return _ranked(found)
    by_name = {one.name: one for one in attacks}
    order = [one for one in _ranked(found) if one.numbers or one.outside]
    for place, tried in enumerate(order):
        attack, left = by_name[tried.attack], (until - time.process_time()) / (len(order) - place)
        if not attack.axes or left <= 0:
            continue
        further = hunt(attack, says, Effort(100, 400, rounds=1000, seconds=left), seed + 1)
        found[attack.name] = _together(tried, further)
        if further.violated:
            break
    return _ranked(found)


def _together(first: Tried, second: Tried) -> Tried:
    from dataclasses import replace

    worst = max(first, second, key=lambda one: (one.least_share, one.share))
    return replace(
        worst, corners=first.corners, searched=first.searched + second.corners + second.searched,
        outside=first.outside + second.outside,
    )  # fmt: skip


def _ranked(found: dict[str, Tried]) -> list[Tried]:
    return sorted(found.values(), key=lambda one: (-one.least_share, -one.share))


def _lines(found: Sequence[Tried]) -> list[str]:
    """What was tried, and what came of it."""
    lines = []
    within = [one for one in found if one.numbers]
    for one in within:
        tried = f"{one.corners} corners, {one.searched} searched, {one.outside} outside the premise"
        lines.append(f"- {one.attack}: {tried}; least margin {_margin(one)}")
    if len(within) < len(found):
        lines.append(f"- {len(found) - len(within)} further attacks: no place that was tried lies within the premise")
    worst = found[0]
    corners, searched = sum(one.corners for one in found), sum(one.searched for one in found)
    if worst.violated:
        times = "infinitely many" if math.isinf(worst.least_share) else f"{worst.least_share:.4g}"
        lines.append(f"COUNTEREXAMPLE, by {worst.attack}: {times} times what the statement allows, measured again, at")
        lines.append(f"  {', '.join(f'{name}={value:.6g}' for name, value in worst.numbers.items())}")
    elif within:
        lines.append(
            f"no counterexample at {corners} corners and {searched} places of a search; least margin {_margin(worst)}"
        )
    else:
        lines.append("no place that was tried lies within the premise: nothing was shown")
    return lines


def _margin(one: Tried) -> str:
    """How many times what is taken fits into what is allowed."""
    if not one.numbers:
        return "unknown"
    return "infinite" if one.least_share == 0 else f"{1 / one.least_share:.4g}"


def _keep(found: Sequence[Tried], address: str, form: str, results: Path) -> None:
    """Write the witness of a counterexample, and say where."""
    from dprepro.refute.witness import Witness
    from dprepro.regular_files import replace_file

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
