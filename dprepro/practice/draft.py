"""A draft of a table's public schema, from names and declared types alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprepro.errors import unknown
from dprepro.practice.schema import PLACEHOLDER

HEAD = """# The public schema of {path}. Replace every FILL IN by public knowledge, never by what the data show,
# and delete the columns that are not to be used. {looked}
#   {{range: [low, high]}}          numbers
#   {{categories: [a, b]}}          all values that may occur, as texts (type: number compares numbers)
#   {{since: DAY, until: DAY}}      dates like 2020-01-31, read as days since the first of these public days
#   {{type: boolean}}               true, yes, 1 and false, no, 0
# and for each of them
#   outside: clip, drop, error    a value outside (clip is the default; a category becomes none of them)
#   missing: error, drop, fill, indicator (fill: VALUE is the public value; default the middle, or no category)
#   missing_words: [-99]          what else says that a value is missing; nothing, NA, null and their like do
#   unreadable: error, missing    a value that is no number, boolean or date
#   above: NUMBER                 of a target: makes two classes of a number
# If a person has several rows: unit: COLUMN says whose a row is, rows_per_unit: 5 is a public limit.
"""

LOOKED = {
    True: "Names and types are the file's; no value was looked at.",
    False: "The names were read, and no record.",
}


def draft(names: Mapping[str, Any], path: str, target: str = "", separator: str = ",", encoding: str = "") -> str:
    """The YAML text of a schema for columns of these names, and of these Arrow types where they are known.

    Raises:
        InputError: a target that is no column.
    """
    if target and target not in names:
        raise unknown(f"column of {path}:", target, names)
    typed = any(kind is not None for kind in names.values())
    lines = [HEAD.format(path=" ".join(path.split()), looked=LOOKED[typed])]
    if separator != ",":
        lines.append(f"separator: {_quoted(separator)}")
    if separator == ";":
        lines.append("# decimal: ','")
    if encoding:
        lines.append(f"encoding: {_quoted(encoding)}")
    lines += [f"target: {_quoted(target or PLACEHOLDER)}", "columns:"]
    lines += [f"  {_quoted(name)}: {_rule(kind)}" for name, kind in names.items()]
    return "\n".join(lines) + "\nintercept: true\n"


def _rule(kind: Any) -> str:
    """What a column of that type can be; without a type anything."""
    said = str(kind)
    if kind is None:
        return PLACEHOLDER
    if said == "bool":
        return "{type: boolean, missing: drop}"
    if said.startswith(("int", "uint", "float", "double", "halffloat", "decimal")):
        return f"{{range: [{PLACEHOLDER}, {PLACEHOLDER}], missing: drop}}"
    if said.startswith(("timestamp", "date")):
        return f"{{since: {PLACEHOLDER}, until: {PLACEHOLDER}, missing: drop}}"
    return f"{{categories: [{PLACEHOLDER}], missing: drop}}"


def _quoted(text: str) -> str:
    """A text as YAML writes it in one line."""
    from yaml import safe_dump

    return str(safe_dump(text, default_flow_style=True, allow_unicode=True, width=10**6)).removesuffix("...\n").strip()
