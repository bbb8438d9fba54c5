"""``python -m dprepro.schema TABLE``: a draft of a table's public schema, from names and declared types alone."""

from __future__ import annotations

from dprepro.command import console
from dprepro.errors import InputError, unknown

HELP = """usage: python -m dprepro.schema TABLE.csv [target=COLUMN] > schema.yaml

Drafts the public schema of a CSV or Parquet file on standard output. Of a CSV
file it reads the line of names and nothing else; of a Parquet file the names and
the types that the file declares, and no value. Replace every FILL IN by what is
public knowledge: bounds and lists that were known before the data were. Delete
columns that are not to be used.

keys
  target=COLUMN     the column to be predicted
  separator=";"     what stands between values; by default seen in the names
  encoding=latin-1  of a CSV file; by default UTF-8, or as its first bytes say

exit codes: 0 drafted, 2 bad input"""

KEYS = ("target", "separator", "encoding")


def main(arguments: list[str]) -> int:
    """The exit code; see HELP."""
    values, paths = dict.fromkeys(KEYS, ""), []
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if argument in ("-h", "--help"):
            print(HELP)
            return 0
        if equals and key in KEYS:
            values[key] = value
        elif argument.startswith("-") or equals:
            raise unknown("argument", argument, ["TABLE.csv", *(f"{key}=" for key in KEYS)])
        else:
            paths.append(argument)
    if len(paths) != 1:
        raise InputError("give one table: python -m dprepro.schema TABLE.csv")
    from dprepro.practice.draft import draft
    from dprepro.practice.reading import read_names

    separator = "\t" if values["separator"] == "\\t" else values["separator"]
    names, separator = read_names(paths[0], separator, values["encoding"])
    print(draft(names, paths[0], values["target"], separator, values["encoding"]), end="")
    return 0


if __name__ == "__main__":
    console(main, "dprepro.schema")
