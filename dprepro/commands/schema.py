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
    """The table, how it is read, and what of it is predicted."""

    table: tuple[str, ...] = words("TABLE.csv", 1, 1, "give one table: python -m dprepro schema TABLE.csv")
    target: str = key("", "the column that is predicted", shown="COLUMN")
    separator: str = key("", "what stands between values; by default seen in the names", shown='";"')
    encoding: str = key("", "of a CSV file; by default UTF-8, or as its first bytes say", shown="latin-1")


def main(arguments: Arguments) -> int:
    """Print the draft; 0."""
    from dprepro.practice.draft import draft
    from dprepro.practice.reading import read_names

    path, encoding = arguments.table[0], arguments.encoding
    separator = "\t" if arguments.separator == "\\t" else arguments.separator
    names, separator = read_names(path, separator, encoding)
    print(draft(names, path, arguments.target, separator, encoding), end="")
    return 0
