"""``python -m dprepro new KIND NAME [DIR]``: a file to start from."""

from __future__ import annotations

from dataclasses import dataclass

from dprepro.commands.parser import words

ABOUT = """\
Writes a commented file to start from, which runs as it is, and prints the command
to type next: that one measures, judges and draws. Nothing is overwritten.

  algorithm     NAME.py: a class with schedule, accounting and solve
  construction  NAME.py: a function of n, p and rng that returns X and y
  statement     papers/NAME.yaml and an experiment that measures it
  experiment    experiment/NAME.yaml, about a statement of a paper
  pack          NAME/: a package with an algorithm, a statement, an experiment"""

NOTES = """\
NAME has small letters, digits and _; a class is called by it in capitals. DIR is
the current folder unless it is given.

exit codes: 0 written, 2 bad input"""


@dataclass(frozen=True)
class Arguments:
    """The file to write, and its folder."""

    words: tuple[str, ...] = words(
        "KIND NAME [DIR]", least=2, most=3, needed="new needs a kind and a name, such as new algorithm private_descent"
    )


def main(arguments: Arguments) -> int:
    """Write, and say what to type next; 0."""
    from dprepro.own.start import start

    started = start(*arguments.words)
    for path in started.paths:
        print(f"wrote {path}")
    print(f"next: {started.command}")
    return 0
