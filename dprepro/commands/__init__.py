"""The commands: ``python -m dprepro COMMAND ...``, one thin module each, from arguments to a call and its printing.

A command is a module of this package with

- ``ABOUT``, what ``--help`` says first; ``NOTES``, where there is one, what it says last;
- ``Arguments``, a frozen dataclass whose fields are declared by `dprepro.commands.parser`;
- ``main(arguments)``, which returns the exit code; see `dprepro.commands.ending` for what it may raise;

and an entry here. Nothing heavy is imported at its top: the help needs none of it.
"""

from __future__ import annotations

COMMANDS = {
    "rate": "hold an algorithm of your own, in a file or by name, against a rate",
    "refute": "attack a statement over its whole premise",
}
"""What there is beside `run`, which needs no name: by name, in a line."""
