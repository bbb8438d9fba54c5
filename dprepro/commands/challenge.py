"""``python -m dprepro challenge WITNESS.json``: measure a submitted witness on fresh seeds, and enter it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dprepro.commands.parser import flag, folder, key, number_that, text, words
from dprepro.errors import InputError, PremiseError

if TYPE_CHECKING:
    from dprepro.register import ConstantsRegister, RegisterEntry

ABOUT = """\
Measures a witness on fresh seeds, at its sizes, and enters it into the register of
constants. A witness is a data set with a larger ratio of risk to a statement's
rate than is known; a schedule or an algorithm that loses less than the record on
all data known there and on what a search finds; or a place that `refute` found.
For a lower bound it is a private algorithm that loses less than the record on the
data of the proof. Prints that it is accepted, or why not: a lucky seed, a premise
that is violated, or a gain that is smaller than its error. Without a witness it
prints the register. A file of Python beside the witness is run only with --trust."""

NOTES = "exit codes: 0 measured, accepted or not; 2 bad input"

DEFAULT = "constants.json"


@dataclass(frozen=True)
class Arguments:
    """The witness to measure, and the register to enter it into."""

    witness: tuple[str, ...] = words("[WITNESS.json]", most=1)
    register: str = key(DEFAULT, "the file; one that is missing begins as the project's", folder)
    minutes: float = key("2", "of the processor, about", number_that("positive", lambda x: 0 < x < 1e6))
    who: str | None = key(None, "in place of the name in the witness", text, shown="NAME")
    again: str | None = key(None, "measure this entry as it was measured, and on fresh seeds", text, shown="ENTRY")
    results_dir: str | None = key(
        None, "enter the worst data and the schedules of all stored runs there", folder, shown="DIR"
    )
    trust: bool = flag("run the file of Python that the witness names")


def main(arguments: Arguments) -> int:
    """Measure and print; 0."""
    from dprepro.register.constants_register import read_register

    path = Path(arguments.register)
    asked = [*arguments.witness, *filter(None, (arguments.again, arguments.results_dir))]
    if len(asked) > 1:
        raise InputError("give one of WITNESS.json, again=ENTRY and results_dir=DIR")
    if arguments.witness:
        print(_entered(Path(arguments.witness[0]), path, arguments))
    elif arguments.again:
        print("\n".join(_again(read_register(path), arguments)))
    elif arguments.results_dir:
        for line in _renewed(path, arguments):
            print(line, flush=True)
    else:
        from dprepro.register.register_page import table

        print("\n".join(table(read_register(path))))
    return 0


def _entered(witness: Path, path: Path, arguments: Arguments) -> str:
    from dataclasses import replace

    from dprepro import __version__
    from dprepro.refute.witness import read_witness
    from dprepro.register.challenge_run import WitnessChallenge, enter_counterexample
    from dprepro.register.submission import LARGEST_FILE, read_json, submission_of

    content = read_json(witness, LARGEST_FILE)
    try:
        if isinstance(content, dict) and "attack" in content:
            if not arguments.who:
                raise InputError("who is missing: give the name under which the counterexample is published, who=NAME")
            return in_a_line(enter_counterexample(path, read_witness(witness), arguments.who, __version__))
        submission = submission_of(content | {"who": arguments.who} if arguments.who else content, witness)
        submission = replace(submission, who=arguments.who or submission.who)
        trusted = witness.parent.resolve() if arguments.trust else None
        return in_a_line(WitnessChallenge(submission, trusted, 60 * arguments.minutes, __version__).enter(path))
    except PremiseError as error:
        return f"not accepted: premise violated: {error}; nothing is entered"


def in_a_line(entry: RegisterEntry) -> str:
    """An entry in a line."""
    verdict = "accepted" if entry.accepted else "not accepted"
    return (
        f"{verdict}: {entry.reason} ({sum(entry.draws)} draws, error probability {entry.level:.1g}; entry {entry.id})"
    )


def _again(register: ConstantsRegister, arguments: Arguments) -> Iterator[str]:
    import secrets

    from dprepro.refute.witness import Witness
    from dprepro.register.challenge_run import repeated
    from dprepro.support import typed

    entry = register.find(str(arguments.again))
    fresh = secrets.randbits(53)
    if entry.kind == "counterexample":
        share = entry.witness.get("share")
        witness = typed.build(Witness, {**entry.witness, "share": "inf" if share is None else share}, "entry")
        first, other = (witness.measured(seed).share for seed in (entry.seed, fresh))
        yield f"entry {entry.id}: {entry.value:.9g} as entered, {first:.9g} from the same seed"
        yield f"fresh seeds: {other:.5g}"
        return
    same = repeated(register, entry, arguments.trust, entry.seed).worst
    yield f"entry {entry.id}: {entry.value:.9g} as entered, {same.value:.9g} from the same seed"
    other_one = repeated(register, entry, arguments.trust, fresh).worst
    yield f"fresh seeds: {other_one.value:.5g} +- {other_one.error:.2g}; certified as entered: {entry.certified:.5g}"


def _renewed(path: Path, arguments: Arguments) -> Iterator[str]:
    from dprepro import __version__
    from dprepro.register.challenge_run import WitnessChallenge
    from dprepro.register.stored_witnesses import stored_data, stored_schedules

    results = Path(str(arguments.results_dir))
    for found in (stored_data, stored_schedules):
        for submission in found(results):
            try:
                entry = WitnessChallenge(submission, None, 60 * arguments.minutes, __version__).enter(path)
                yield f"{submission.statement}, {submission.who}: {in_a_line(entry)}"
            except (PremiseError, InputError) as error:
                yield f"{submission.statement}, {submission.who}: not entered: {error}"
