"""The papers' numbered statements, as values: what each says, of what, and where it says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Known(Protocol):
    """Public numbers of a grid point and constants of its domain, by name."""

    def find(self, name: str) -> float | None:
        """The number of that name, if anybody has it."""


def unmet(ids: Sequence[str], numbers: Known, relation: str, algorithm: object) -> str:
    """Why one of these statements says nothing of an algorithm at these numbers; empty if all of them do.

    Args:
        ids: of statements, such as ``lasso-theorem-2-5``.
        numbers: what a premise may ask for.
        relation: of neighbours, under which privacy is meant.
        algorithm: what is run there.
    """
    return ""
