"""``python -m dprepro schema TABLE``: a draft of a table's public schema, from names and declared types alone."""

from __future__ import annotations

from dataclasses import dataclass

from dprepro.commands.parser import key, words

ABOUT = """\
Drafts the public schema of a CSV or Parquet file on standard output. Of a CSV
file it reads the line of names and nothing else; of a Parquet file the names and
the types that the file declares, and no value. Replace every FILL IN by what is
public knowledge: bounds and lists that were known before the data were. Delete
columns that are not to be used."""

NOTES = "exit codes: 0 drafted, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The table, the column to predict, and the format of a CSV file."""

    table: tuple[str, ...] = words("TABLE.csv", 1, 1, "give one table: python -m dprepro schema TABLE.csv")
    target: str = key("", "the column that is predicted", shown="COLUMN")
    separator: str = key("", "what stands between values; else it is seen in the names", shown="';'")
    encoding: str = key("", "of a CSV file; else UTF-8, or as its first bytes say", shown="latin-1")


def main(arguments: Arguments) -> int:
    """Print the draft; 0."""
    from dprepro.practice.draft import draft
    from dprepro.practice.reading import read_names

    path, asked = arguments.table[0], "\t" if arguments.separator == "\\t" else arguments.separator
    names, separator = read_names(path, asked, arguments.encoding)
    print(draft(names, path, arguments.target, separator, arguments.encoding), end="")
    return 0
