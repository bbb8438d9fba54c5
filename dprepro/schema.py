"""``python -m dprepro.schema TABLE``: a draft of a table's public schema, from names and types alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dprepro.commands.ending import console
from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd

HELP = """usage: python -m dprepro.schema TABLE.csv [target=COLUMN] > schema.yaml

Drafts the public schema of a CSV or Parquet file on standard output, from the
columns' names and types alone, never from their values. Replace every FILL IN by
what is public knowledge: bounds and lists that were known before the data were.
Delete columns that are not to be used.

exit codes: 0 drafted, 2 bad input"""

HEAD = """# The public schema of {path}. Replace every FILL IN by public knowledge, never by what the data show.
#   range: [low, high]          numbers
#   since: DAY, until: DAY      dates like 2020-01-31, read as days since the first of these public days
#   categories: [a, b, ...]     all values that may occur
#   outside: clip, drop, error  a value outside (clip is the default; a category becomes none of them)
#   missing: error, drop, fill, indicator (fill: VALUE is the public value; default the middle, or no category)
"""


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    target, paths = "", []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if argument in ("-h", "--help"):
            print(HELP)
            return 0
        if equals and key == "target":
            target = value
        elif argument.startswith("-") or equals:
            raise unknown("argument", argument, ["TABLE.csv", "target="])
        else:
            paths.append(argument)
    if len(paths) != 1:
        raise InputError("give one table: python -m dprepro.schema TABLE.csv")
    from dprepro.practice.reading import read_table

    table = read_table(paths[0])
    if target and target not in table.columns:
        raise unknown(f"column of {paths[0]}:", target, table.columns)
    print(draft(table, paths[0], target), end="")
    return 0


def draft(table: pd.DataFrame, path: str, target: str = "") -> str:
    """The YAML text; it depends on the names and the types of the columns only."""
    from dprepro.practice.schema import PLACEHOLDER

    lines = [HEAD.format(path=path), f"target: {_quoted(target or PLACEHOLDER)}", "columns:"]
    for name, column in table.items():
        if column.dtype.kind == "b":
            rule = '{categories: ["False", "True"], missing: drop}'
        elif column.dtype.kind in "iuf":
            rule = f"{{range: [{PLACEHOLDER}, {PLACEHOLDER}], missing: drop}}"
        elif column.dtype.kind == "M":
            rule = f"{{since: {PLACEHOLDER}, until: {PLACEHOLDER}, missing: drop}}"
        else:
            rule = f"{{categories: [{PLACEHOLDER}], missing: drop}} # dates: {{since: DAY, until: DAY, missing: drop}}"
        lines.append(f"  {_quoted(str(name))}: {rule}")
    return "\n".join(lines) + "\nintercept: true\n"


def _quoted(text: str) -> str:
    """A text as YAML writes it in one line."""
    from yaml import safe_dump

    return str(safe_dump(text, default_flow_style=True, allow_unicode=True, width=10**6)).removesuffix("...\n").strip()


if __name__ == "__main__":
    console(main, "dprepro.schema")
