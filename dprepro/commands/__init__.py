"""The commands: ``python -m dprepro COMMAND ...``, one thin module each, from arguments to a call and its printing.

A command is a module of this package with

- ``ABOUT``, what ``--help`` says first; ``NOTES``, where there is one, what it says last;
- ``Arguments``, a frozen dataclass whose fields are declared by `dprepro.commands.parser`;
- ``main(arguments)``, which returns the exit code; see `dprepro.commands.ending` for what it may raise;

and an entry here. Nothing heavy is imported at its top: the help needs none of it.
"""

from __future__ import annotations

COMMANDS = {
    "ledger": "rebuild every results folder and the ledger of all theorems",
    "collect": "wait for the jobs of a queue that --detach has left, and judge",
    "merge": "bring stores of shards, seeds or colleagues together in one",
    "check": "test what the store holds; repair=true measures bad cells again",
    "verify": "measure a random share of the store again, and compare",
    "stability": "run everything with further seeds, and count verdicts that flip",
    "heldout": "judge every claim once more, on grids that no YAML holds",
    "reference": "keep the ledger and small tables, to compare later runs with",
    "pairs": "which algorithm runs on which construction, or why not",
    "advise": "which private algorithm to take, and what risk to expect",
    "schema": "draft the public schema of a table, from names and types",
    "release": "one private answer on a table of your own, to be published",
    "plot": "lay the curves of several runs over one another",
    "rate": "hold an algorithm of your own, in a file or by name, against a rate",
    "privacy": "what noisy training leaks, and what its final model alone does",
    "audit": "hold a function that answers on data against the privacy it claims",
    "referee": "audit other libraries, and hold accountants against exact laws",
    "new": "write a file to start from: an algorithm, data, a statement, a pack",
    "refute": "attack a statement over its whole premise",
    "challenge": "hold a witness against the register of constants",
}
"""What there is beside `run`, which needs no name: by name, in a line."""
