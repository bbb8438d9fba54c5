"""Names in checks and figures, held against what a study declares before anything is measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from dprepro.analysis.rule import NameUse, Rule
from dprepro.errors import InputError, unknown
from dprepro.figures import Drawing

if TYPE_CHECKING:
    from dprepro.studies import Declaration

#: Columns that every measurement has and that can stand where a rule asks for a column.
EVERYWHERE = frozenset({"bound", "value", "seconds", "replicate"})


def check_names(declared: Declaration, sweep: Iterable[str], rules: Mapping[str, Rule], figure: Drawing) -> None:
    """Raise InputError for the first name that nothing will bear, with the check or option that it stands in."""
    for axis in sweep:
        if axis not in declared.axes:
            raise InputError(f"sweep.{axis}: {unknown('axis', axis, declared.axes)}")
    quantities = frozenset().union(*declared.series.values())
    choices: dict[str, Iterable[str]] = {
        "series": declared.series,
        "quantity": quantities,
        "axis": declared.axes,
        "column": declared.columns | EVERYWHERE,
        "check": rules,
    }
    columns = declared.columns | declared.axes | EVERYWHERE

    def check(use: NameUse, where: str) -> None:
        # A rule's axis may be any column that does not vary within a grid point, and an axis is a column too.
        allowed = columns if use.kind in ("axis", "column") else choices[use.kind]
        if not any(fnmatchcase(use.name, name) for name in allowed):
            raise InputError(f"{where}: {unknown(use.kind, use.name, choices[use.kind])}")

    for name, rule in rules.items():
        for mention in rule.mentions():
            check(mention, f"check {name}" if mention.field == mention.kind else f"check {name}: {mention.field}")
    for mention in figure.mentions():
        check(mention, f"figure.{mention.field}")
