"""``python -m dprepro [COMMAND] ...``, and the console script ``dprepro``, which is the same."""

from __future__ import annotations

from typing import NoReturn

from dprepro.commands import ending


def main(arguments: list[str]) -> int:
    """Carry out a command line; the exit code is one of the design."""
    from dprepro.commands import parser

    return parser.main(arguments)


def console() -> NoReturn:
    """What the console script ``dprepro`` calls."""
    ending.console(main)


if __name__ == "__main__":
    console()
