"""Each value is read by its own column's rule: no record changes how another one is read."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.cheap_experiment import command
from hypothesis import given, settings
from hypothesis import strategies as st

from dprepro.errors import InputError
from dprepro.practice.encoding import Encoded, encode
from dprepro.practice.reading import RawTable, Values, read_table
from dprepro.practice.schema import Schema, load_schema
from dprepro.support import typed
from dprepro.support.yaml_files import load, parse

CASES = Path(__file__).parent / "cases"


def of(schema: Schema, path: Path) -> Encoded:
    return encode(read_table(str(path), schema.separator, schema.encoding, schema.used), schema, path.name)


def by_label(schema: Schema, path: Path) -> list[list[float]]:
    """Encoded features without the intercept, in the order of the labels, which are 0, 1, 2, ... in all cases."""
    found = of(schema, path)
    rows = found.features[np.argsort(found.labels, kind="stable")][:, 1:]
    return [[round(float(entry), 6) for entry in row] for row in rows]


READ = {
    "codes7": [[1, 0], [0, 1], [0, 0]],  # 4805003 is no category; seven digits tell 4805001 from 4805002
    "million": [[1, 0], [0, 1], [1, 0]],
    "longfloat": [[1, 0], [0, 0], [1, 0]],  # 1234567.25 is not 1234567.5
    "float_cat": [[0, 0, 1], [0, 1, 0], [1, 0, 0]],
    "missingcat": [[1, 0, 0], [0, 0, 1], [0, 1, 0]],  # a category `missing` is no missing value
    "mixedbool": [[1, 0], [0, 1], [0, 0]],
    "n_bool_A": [[0, 0, 1], [0, 0, 0], [0, 0, 1]],  # as texts: TRUE is not True, FALSE is none of them
    "n_exp_A": [[1, 0, 0], [0, 1, 0], [1, 0, 0]],  # 1e3 is not 1000
    "n_zip_A": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],  # 02139 keeps its zero
    "na_na": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "namibia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "none_cat": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "dunder": [[-1], [-0.95], [-0.9]],
    "remainder": [[-1], [-0.95], [-0.9]],
    "huge1": [[-1], [-0.98], [-0.96]],
    "pq_decimal": [[-1], [-0.95], [-0.9]],
    "pq_null": [[0], [0], [0]],
}


@pytest.mark.parametrize("name", READ)
def test_tables_that_pandas_misread_are_read_as_their_schemas_say(name: str) -> None:
    stem = name.removesuffix("_A") if name.startswith("n_") else name
    path = next(path for path in (CASES / f"{name}.csv", CASES / f"{name}.parquet") if path.exists())
    rows = by_label(load_schema(str(CASES / f"{stem}.yaml")), path)
    assert rows[:3] == READ[name]
    assert len(rows) == 40


REFUSED = {
    "trailing": r"line 2 of .*trailing\.csv has 4 values and there are 3 names",
    "n_trail_B": r"line 2 of .*n_trail_B\.csv has 3 values and there are 2 names",
    "inf": r"r of inf\.csv has 10 infinite values .*unreadable: missing",
    "codes7far": r"has 13 values .* outside of what is public: 4805001, 9805003",
    "target_code": "are alike as the schema reads them",
}


@pytest.mark.parametrize("name", REFUSED)
def test_tables_that_do_not_fit_are_refused_in_one_line(name: str) -> None:
    schema = load_schema(str(CASES / f"{name.removesuffix('_B') if name.startswith('n_') else name}.yaml"))
    with pytest.raises(InputError, match=REFUSED[name]) as refused:
        of(schema, CASES / f"{name}.csv")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("stem", ["n_bool", "n_exp", "n_zip"])
def test_a_word_in_one_record_changes_that_record_alone(stem: str) -> None:
    """Files A and B differ in the last record; types guessed from values changed 27 of the other 39."""
    schema = load_schema(str(CASES / f"{stem}.yaml"))
    first, second = (of(schema, CASES / f"{stem}_{which}.csv") for which in "AB")
    differ = np.flatnonzero((first.features != second.features).any(axis=1))
    assert (first.labels == second.labels).all()
    assert first.labels[differ].tolist() == [0.95]  # y = 39


def test_a_schema_from_a_shell_that_writes_utf_16_is_read() -> None:
    assert load_schema(str(CASES / "ps16.yaml")).target == "y"
    assert load(CASES / "ps16.yaml")["columns"]["x"]["range"] == [0, 40]


def test_words_of_a_schema_stay_as_they_are_written() -> None:
    text = "target: 1e3\ncolumns: {1e3: {categories: [1.50, 007, true, null, ~, 0x1F]}, 2: {range: [0, 1e3]}}"
    assert parse(text, "s", {"target", "categories"}) == {
        "target": "1e3",
        "columns": {"1e3": {"categories": ["1.50", "007", "true", "null", "~", "0x1F"]}, "2": {"range": [0, 1000.0]}},
    }
    assert parse("a: [1.50, null]", "s") == {"a": [1.5, None]}


Y = "y: {range: [0, 20]}"


def table(tmp_path: Path, lines: list[str] | bytes, rule: str, more: str = "", name: str = "t.csv") -> Any:
    """The encoded column x of a table of fourteen records, in their order, or the line that refuses it."""
    path, yaml = tmp_path / name, tmp_path / "s.yaml"
    if isinstance(lines, bytes):
        path.write_bytes(lines)
    else:
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    yaml.write_text(f"{more}\ntarget: y\nintercept: true\ncolumns:\n  {Y}\n  {rule}\n", encoding="utf-8")
    try:
        schema = load_schema(str(yaml))
        found = of(schema, path)
    except InputError as error:
        return str(error).replace(f"{tmp_path}/", "")
    rows = found.features[np.argsort(found.labels, kind="stable")][:, 1:]
    return [[round(float(entry), 4) for entry in row] for row in rows]


def lines(values: list[str], head: str = "y,x") -> list[str]:
    """Fourteen records with labels 0, 1, ... whose first values are these, the others the last of them."""
    return [head, *(f"{place},{value}" for place, value in enumerate(values + values[-1:] * (14 - len(values))))]


NUMBERS = "x: {range: [0, 10], missing: fill}"
NASTY: dict[str, tuple[Any, str, str, Any]] = {
    "spaces around numbers": (lines([" 5", "10 ", "\t0"]), NUMBERS, "", [[0], [1], [-1]]),
    "signs and exponents": (lines(["+5", "1E1", "-0", "5.", ".5"]), NUMBERS, "", [[0], [1], [-1], [0], [-0.9]]),
    "thousands": (lines(['"1,000"', "5"]), NUMBERS, "", "is not numeric: 1 of its 14"),
    "an underscore": (lines(["1_0", "5"]), NUMBERS, "", "is not numeric"),
    "digits of another script": (lines(["٣", "5"]), NUMBERS, "", "is not numeric"),
    "hexadecimal": (lines(["0x5", "5"]), NUMBERS, "", "is not numeric"),
    "a currency": (lines(["$5", "5"]), NUMBERS, "", "unreadable: missing"),
    "taken as missing": (
        lines(["$5", "10"]), "x: {range: [0, 10], missing: fill, unreadable: missing}", "", [[0], [1]]),
    "missing words": (lines(["NA", "", "nan", "NULL", "10"]), NUMBERS, "", [[0], [0], [0], [0], [1]]),
    "a code for missing": (
        lines(["-99", "0"]), "x: {range: [0, 10], missing: indicator, missing_words: [-99]}", "", [[0, 1], [-1, 0]]),
    "a decimal comma": (lines(["2,5", "5"], "y;x"), NUMBERS, "", 'write separator: ";" into the schema'),
    "a decimal comma, said": (
        [line.replace(",", ";", 1) for line in lines(["2,5", "5"])], NUMBERS, "separator: ;\ndecimal: ','",
        [[-0.5], [0]]),
    "a decimal comma, not said": (
        [line.replace(",", ";", 1) for line in lines(["2,5", "5"])], NUMBERS, "separator: ;", 'write decimal: ","'),
    "tabs": ([line.replace(",", "\t", 1) for line in lines(["5", "10"])], NUMBERS, "separator: \\t", [[0], [1]]),
    "a separator of two characters": (lines(["5"]), NUMBERS, "separator: '::'", "separator must be one character"),
    "a byte order mark": (b"\xef\xbb\xbf" + "\n".join(lines(["5", "10"])).encode(), NUMBERS, "", [[0], [1]]),
    "UTF-16": ("\n".join(lines(["5", "10"])).encode("utf-16"), NUMBERS, "", [[0], [1]]),
    "UTF-16 without a mark": ("\n".join(lines(["5"])).encode("utf-16-le"), NUMBERS, "", "encoding: utf-16-le"),
    "latin-1": (
        "\n".join(lines(["é", "a"])).encode("latin-1"), "x: {categories: [é, a]}", "encoding: latin-1",
        [[1, 0], [0, 1]]),
    "latin-1, not said": ("\n".join(lines(["é", "a"])).encode("latin-1"), NUMBERS, "", "write encoding: latin-1"),
    "an unknown encoding": (lines(["5"]), NUMBERS, "encoding: klingon", "unknown encoding 'klingon'"),
    "an encoding of bytes": (lines(["5"]), NUMBERS, "encoding: base64", "unknown encoding 'base64'"),
    "ends of lines of Windows": ("\r\n".join(lines(["5", "10"])).encode(), NUMBERS, "", [[0], [1]]),
    "ends of lines of an old Mac": ("\r".join(lines(["5", "10"])).encode(), NUMBERS, "", [[0], [1]]),
    "empty lines": ([*lines(["5", "10"]), "", ""], NUMBERS, "", [[0], [1]]),
    "a line of spaces": ([*lines(["5", "10"]), "  "], NUMBERS, "", "line 16 of t.csv holds nothing but spaces"),
    "the end of a file of DOS": ([*lines(["5", "10"]), "\x1a"], NUMBERS, "", "line 16 of t.csv holds nothing"),
    "a letter and its accent apart": (
        lines(["e\u0301", "\u00e9", "b"]), "x: {categories: [\u00e9, b]}", "", [[1, 0], [1, 0], [0, 1]]),
    "an accent apart in a name": (lines(["5", "10"], "y,e\u0301"), "\u00e9: {range: [0, 10]}", "", [[0], [1]]),
    "a newline of Windows in quotation marks": (
        lines(['"a\r\nb"', "c"]), 'x: {categories: ["a\\nb", c]}', "", [[1, 0], [0, 1]]),
    "numbers in the place of names": (lines(["5"], "1,2"), NUMBERS, "", "has no column y, and its first line, which"),
    "a JSON file": (b'[{"x": 1, "y": 2}]', NUMBERS, "", "t.csv is a JSON file: save it as CSV"),
    "a web page": (b"<!DOCTYPE html>", NUMBERS, "", "t.csv is a web page: save it as CSV"),
    "marks between thousands": (
        lines(['"1.234,5"']), NUMBERS, "", "take out the marks between thousands"),
    "marks that may be decimal": (
        lines(['"1,000"']), NUMBERS, "", 'between thousands, as in 1000 for 1,000, or write decimal: ","'),
    "a newline in quotation marks": (
        lines(['"a\nb"', "c"]), 'x: {categories: ["a\\nb", c]}', "", [[1, 0], [0, 1]]),
    "doubled quotation marks": (lines(['"a ""b"""', "c"]), "x: {categories: ['a \"b\"', c]}", "", [[1, 0], [0, 1]]),
    "a comma in quotation marks": (lines([' "a,b"', "c"]), "x: {categories: ['a,b', c]}", "", [[1, 0], [0, 1]]),
    "an open quotation mark": (lines(['"a', "c"]), "x: {categories: [a, c]}", "", "line 2 of t.csv cannot be re"),
    "text after a quotation mark": (lines(["a", '"b"c']), "x: {categories: [a, b]}", "",
                                    "line 3 of t.csv cannot be read: text follows a closing quotation mark; double"),
    "a longer record": (lines(["5", "6,7", "8"]), NUMBERS, "", "line 3 of t.csv has 3 values and there are 2 names"),
    "a shorter record": ([*lines(["5"]), "3"], NUMBERS, "", "line 16 of t.csv has 1 values"),
    "an empty file": (b"", NUMBERS, "", "t.csv is empty; its first line must name the columns"),
    "names only": (["y,x"], NUMBERS, "", "t.csv has no records, at least 10 are needed"),
    "one column": (["y", *map(str, range(14))], NUMBERS, "", "unknown column of t.csv: 'x'; choices: y"),
    "a workbook": (b"PK\x03\x04junk", NUMBERS, "", "t.csv is a zip or Excel file: save it as CSV"),
    "huge whole numbers": (lines(["9" * 400, "-" + "9" * 400, "5"]), NUMBERS, "", [[1], [-1], [0]]),
    "no whole number of a float": (
        lines(["9007199254740993", "9007199254740992"]),
        "x: {categories: [9007199254740993, 9007199254740992]}", "", [[1, 0], [0, 1]]),
    "numbers compared as numbers": (
        lines(["1.0", "02", "1e0"]), "x: {type: number, categories: [1, 2]}", "", [[1, 0], [0, 1], [1, 0]]),
    "numbers compared as texts": (lines(["1.0"]), "x: {categories: [1, 2]}", "", "write type: number to compare"),
    "booleans of all kinds": (
        lines(["TRUE", "no", "1", "f", "Yes", ""]), "x: {type: boolean, missing: fill}", "",
        [[1], [-1], [1], [-1], [1], [0]]),
    "no boolean": (lines(["maybe", "no"]), "x: {type: boolean}", "", "is not boolean: 1 of its 14"),
    "booleans as categories": (lines(["TRUE", "FALSE"]), "x: {categories: [true, false]}", "", "type: boolean in the"),
    "a boolean with a range": (lines(["1"]), "x: {type: boolean, range: [0, 2]}", "", "a boolean needs no range"),
    "dates with times": (
        lines(["2020-01-01", "2020-01-02 12:00", "2020-01-03T00:00:00"]),
        "x: {since: 2020-01-01, until: 2020-01-05}", "", [[-1], [-0.25], [0]]),
    "dates with zones": (lines(["2020-01-01T00:00:00Z"]), "x: {since: 2020-01-01, until: 2020-01-05}", "",
                         "without time zones: 14 of its 14"),
    "no such day": (lines(["2020-02-30"]), "x: {since: 2020-01-01, until: 2020-03-05}", "", "is not a column of dates"),
    "days the other way round": (lines(["31.01.2020"]), "x: {since: 2020-01-01, until: 2020-03-05}", "", "2020-01-31"),
    "today": (lines(["today"]), "x: {since: 2020-01-01, until: 2020-03-05}", "", "is not a column of dates"),
    "a date without days": (lines(["2020-01-01"]), "x: {type: date}", "", "dates need two public days"),
    "a name that stands twice": (lines(["5,6"], "y,x,x"), NUMBERS, "", "say which of them: x#1, x#2"),
    "the second of them": (lines(["5,10"], "y,x,x"), 'x#2: {range: [0, 10]}', "", [[1], [1]]),
    "no name": (lines(["5", "10"], "y,"), '"#2": {range: [0, 10]}', "", [[0], [1]]),
    "spaces around names": (lines(["5", "10"], "y , x"), NUMBERS, "", [[0], [1]]),
    "a name that is a number": (lines(["5", "10"], "y,1e3"), "1e3: {range: [0, 10]}", "", [[0], [1]]),
    "a name that is nothing": (lines(["5", "10"], "y,null"), "null: {range: [0, 10]}", "", [[0], [1]]),
    "a category and missing": (lines(["a"]), "x: {categories: [a, b], missing_words: [a]}", "", "a category and a"),
    "an empty category": (lines(["", "b"]), 'x: {categories: ["", b]}', "", [[1, 0], [0, 1]]),
    # a record is read by its column's rule
    "names with all that is odd": (
        lines(["5", "10"], 'y,"a b[=]{x}.y__z: é #1"'), '"a b[=]{x}.y__z: é #1": {range: [0, 10]}', "", [[0], [1]]),
    "a name of 900 letters": (lines(["5"], f"y,{'a' * 900}"), f"{'a' * 900}: {{range: [0, 10]}}", "", [[0]]),
    "a name that the schema has as a key": (lines(["5"], "y,fill"), "fill: {range: [0, 10]}", "", [[0]]),
    "a name over two lines": (lines(["5"], 'y,"a\nb"'), '"a\\nb": {range: [0, 10]}', "", [[0]]),
    "a name with a mark that turns text round": (lines(["5"], "y,x\u202e"), NUMBERS, "", "which nobody sees; take it"),
    "words of YAML as categories": (
        lines(["on", "0o17", "12:30:45", "~"]), "x: {categories: [on, 0o17, 12:30:45, ~]}", "",
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    "codes of as many zeros": (
        lines(["007", "07", "7"]), "x: {categories: [007, 07, 7]}", "", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "a missing word that is listed in another case": (
        lines(["nan", "NaN"]), "x: {categories: [nan, a], missing: indicator}", "", [[1, 0, 0], [0, 0, 1]]),
    "beyond all floats": (lines(["1e400", "-1e400", "1e-400"]), NUMBERS, "", [[1], [-1], [-1]]),
    "a percent sign": (lines(["5%", "5"]), NUMBERS, "", "is not numeric: 1 of its 14"),
    "digits in full width": (lines(["５", "5"]), NUMBERS, "", "is not numeric: 1 of its 14"),
    "an infinity as a word": (lines(["-Infinity", "5"]), NUMBERS, "", "has 1 infinite values"),
    "booleans of a program that made floats of them": (
        lines(["1.0", "0.0"]), "x: {type: boolean}", "", "or numbers a range"),
    "days with slashes": (lines(["2020/01/31"]), "x: {since: 2020-01-01, until: 2020-03-05}", "", "dates like 2020-01"),
    "days without hyphens": (lines(["20200131"]), "x: {since: 2020-01-01, until: 2020-03-05}", "", "dates like 2020-0"),
    "days of other centuries": (
        lines(["0001-01-01", "9999-12-31", "2020-01-03"]), "x: {since: 2020-01-01, until: 2020-01-05}", "",
        [[-1], [1], [0]]),
    "a day that fills": (
        lines(["", "2020-01-05"]), "x: {since: 2020-01-01, until: 2020-01-05, missing: fill, fill: 2020-01-02}", "",
        [[-0.5], [1]]),
    "a day that fills and is outside": (
        lines(["2020-01-05"]), "x: {since: 2020-01-01, until: 2020-01-05, missing: fill, fill: 2020-02-01}", "",
        "fill must be a day in the range [0, 4], got 2020-02-01"),
    "a note to a spreadsheet": (["sep=;", *lines(["5"], "y;x")], NUMBERS, "separator: ;", "sep=: take it out"),
    "a comment above the names": (["# of 2020", *lines(["5"])], NUMBERS, "", "the first line must name the columns"),
    "a line of units": (["y,x", "kg,m", *lines(["5"])[1:]], NUMBERS, "", "y of t.csv is not numeric: 1 of its 15"),
    "a separator of YAML": (lines(["5"], "y|x"), NUMBERS, "separator: |", "separator must be one character such as"),
    "vertical bars": ([line.replace(",", "|") for line in lines(["5"])], NUMBERS, "separator: '|'", [[0]]),
    "a separator that the names have not": (lines(["5"]), NUMBERS, "separator: ;", 'write separator: ","'),
    "UTF-16 of another order, with a mark": (
        b"\xfe\xff" + "\n".join(lines(["5"])).encode("utf-16-be"), NUMBERS, "", [[0]]),
    "UTF-16 of another order": ("\n".join(lines(["5"])).encode("utf-16-be"), NUMBERS, "", "encoding: utf-16-be"),
    "UTF-16 without a mark, said": ("\n".join(lines(["5"])).encode("utf-16-le"), NUMBERS, "encoding: utf-16", [[0]]),
    "UTF-16 of another order without a mark, said": (
        "\n".join(lines(["5"])).encode("utf-16-be"), NUMBERS, "encoding: utf-16", [[0]]),
    "UTF-32": ("\n".join(lines(["5"])).encode("utf-32"), NUMBERS, "", [[0]]),
    "an encoding of Windows": (
        "\n".join(lines(["€", "a"])).encode("cp1252"), "x: {categories: [€, a]}", "encoding: cp1252", [[1, 0], [0, 1]]),
    "three ends of lines in one file": (
        b"y,x\r\n" + b"".join(b"%d,5%s" % (place, (b"\n", b"\r\n", b"\r")[place % 3]) for place in range(14)),
        NUMBERS, "", [[0]] * 14),
    "a category that is a quotation": (lines(['"5"""', "6"]), "x: {categories: ['5\"', 6]}", "", [[1, 0], [0, 1]]),
    "backslashes before marks": (lines(['"a\\"b"', "c"]), "x: {categories: [a, c]}", "", "line 2 of t.csv cannot be"),
    "an empty value that names have": (
        ["y,x,", *(f"{line}," for line in lines(["5"])[1:])], NUMBERS, "", [[0]] * 14),
    "a target that is always the same": (["y,x", *["5,5"] * 14], NUMBERS, "", "are alike as the schema reads them"),
    "a target that is never in its range": (
        ["y,x", *(f"{100 + place},5" for place in range(14))], NUMBERS, "", "all values of column y of t.csv"),
    "a column in another case": (lines(["5"], "y,X"), NUMBERS, "", "unknown column of t.csv: 'x'"),
    "a list without brackets": (lines(["a"]), "x: {categories: a, b}", "", "a list in brackets: categories: [a, b]"),
    "a rule without keys": (lines(["a"]), "x: [0, 10]", "", "x must say what is public of it, such as"),
    "a range of thousands": (lines(["5"]), "x: {range: [0, 1,000]}", "", "range must be [low, high]"),
    "a range without end": (lines(["5"]), "x: {range: [0, .inf]}", "", "range must be [low, high]"),
    "a range the other way round": (lines(["5"]), "x: {range: [10, 0]}", "", "range must be [low, high]"),
    "one category": (lines(["a"]), "x: {categories: [a]}", "", "categories must be at least two different values"),
    "a key twice": (lines(["5"]), "x: {range: [0, 10]}\n  x: {range: [0, 5]}", "", "the key x stands twice"),
    "compressed": (gzip.compress("\n".join(lines(["5", "10"])).encode()), NUMBERS, "", "compressed: name it .csv.gz"),
}  # fmt: skip


@pytest.mark.parametrize("name", NASTY)
def test_a_nasty_table_is_read_rightly_or_refused_with_what_to_type(tmp_path: Path, name: str) -> None:
    written, rule, more, wanted = NASTY[name]
    found = table(tmp_path, written, rule, more)
    if isinstance(wanted, str):
        assert wanted in str(found)
        assert "\n" not in str(found)
    else:
        assert found[: len(wanted)] == wanted


def test_a_compressed_table_is_the_same_table(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(lines(["5", "10"])).encode())
    assert table(tmp_path, packed, NUMBERS, name="t.csv.gz")[:2] == [[0], [1]]
    assert "is not compressed: name it .csv" in table(tmp_path, lines(["5"]), NUMBERS, name="u.csv.gz")


def column(array: Any, rule: dict[str, Any]) -> Any:
    """The encoded column x of an Arrow array of fourteen values."""
    raw = RawTable(("y", "x"), {"y": Values(array=pa.array(range(14))), "x": Values(array=array)}, 14)
    schema = typed.build(Schema, {"target": "y", "columns": {"y": {"range": [0, 20]}, "x": rule}})
    try:
        found = encode(raw, schema)
    except InputError as error:
        return str(error)
    return found.features[np.argsort(found.labels)][:, 1:].round(4).tolist()


def repeated(values: list[Any], kind: Any = None) -> Any:
    return pa.array((values * 14)[:14], kind)


TEN = {"range": [0, 10], "missing": "fill"}
DAYS = {"since": "2020-01-01", "until": "2020-01-05", "missing": "fill"}
ARROWS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "decimals": (repeated([Decimal("0.10"), None], pa.decimal128(10, 2)), TEN, [[-0.98], [0]]),
    "half and single floats": (repeated([2.5, float("nan")], pa.float32()), TEN, [[-0.5], [0]]),
    "infinite": (repeated([2.5, float("inf")]), TEN, "has 7 infinite values"),
    "large whole numbers": (repeated([2**64 - 1, None], pa.uint64()), TEN, [[1], [0]]),
    "nothing at all": (pa.nulls(14), TEN, [[0], [0]]),
    "booleans as numbers": (repeated([True, None]), {"range": [0, 1], "missing": "fill"}, [[1], [0]]),
    "booleans": (repeated([True, False, None]), {"type": "boolean", "missing": "fill"}, [[1], [-1], [0]]),
    "booleans as texts": (repeated([True, False]), {"categories": ["TRUE", "FALSE"]}, [[1, 0], [0, 1]]),
    "codes as floats": (repeated([1.0, 2.0]), {"categories": ["1", "2"]}, [[1, 0], [0, 1]]),
    "codes that lost their zeros": (repeated([2139, 1002]), {"categories": ["02139", "01002"]}, [[1, 0], [0, 1]]),
    "codes that cannot be told apart": (repeated([2139, 1]), {"categories": ["02139", "2139"]}, "are one: list one"),
    "codes of seven digits": (repeated([4805001, 4805002]), {"categories": ["4805001", "4805002"]}, [[1, 0], [0, 1]]),
    "codes of nineteen digits": (
        repeated([2**53 + 1, 2**53]), {"categories": [str(2**53 + 1), str(2**53)]}, [[1, 0], [0, 1]]),
    "singles as categories": (repeated([0.1, 0.2], pa.float32()), {"categories": ["0.1", "0.2"]}, [[1, 0], [0, 1]]),
    "a dictionary": (repeated(["a", "b"]).dictionary_encode(), {"categories": ["a", "b"]}, [[1, 0], [0, 1]]),
    "a missing code": (repeated([-99, 5]), TEN | {"missing": "indicator", "missing_words": [-99]}, [[0, 1], [0, 0]]),
    "decimals as categories": (
        repeated([Decimal("1.50"), Decimal("2.00")], pa.decimal128(10, 2)), {"categories": ["1.5", "2"]},
        [[1, 0], [0, 1]]),
    "decimals of fifty digits": (repeated([Decimal("5.00")], pa.decimal256(50, 2)), TEN, [[0]]),
    "a float that is not what it seems": (repeated([0.1 + 0.2, 0.3]), {"categories": ["0.3", "1"]}, [[0, 0], [1, 0]]),
    "a dictionary of numbers": (repeated([5, 10]).dictionary_encode(), TEN, [[0], [1]]),
    "a negative zero": (repeated([-0.0, 5.0]), TEN, [[-1], [0]]),
    "days as texts": (
        repeated([18264, 18265], pa.date32()), {"categories": ["2020-01-03", "2020-01-04"]}, [[1, 0], [0, 1]]),
    "whole numbers as booleans": (repeated([0, 1], pa.uint8()), {"type": "boolean"}, [[-1], [1]]),
    "structs": (repeated([{"a": 1}]), TEN, "which cannot be read as number: save it as another type"),
    "durations": (repeated([5], pa.duration("s")), TEN, "which cannot be read as number: save it as another type"),
    "numbers as texts": (repeated(["5", "10"]), TEN, [[0], [1]]),
    "days": (repeated([18264, None], pa.date32()), DAYS, [[0], [0]]),
    "times": (repeated([1577836800, 1577880000], pa.timestamp("s")), DAYS, [[-1], [-0.75]]),
    "times before all nanoseconds": (
        repeated([1577836800 * 10**9], pa.timestamp("ns")), {"since": "1200-01-01", "until": "2840-01-01"}, [[0]]),
    "far times": (repeated([1577836800, 253402300799], pa.timestamp("s")), DAYS, [[-1], [1]]),
    "times with a zone": (repeated([1577836800], pa.timestamp("s", "UTC")), DAYS, "with the time zone UTC"),
    "times as numbers": (repeated([1577836800], pa.timestamp("s")), TEN, "which cannot be read as number"),
    "numbers as days": (repeated([5]), DAYS, "has the type int64, which cannot be read as date"),
    "lists": (repeated([[1], [2]]), TEN, "which cannot be read as number: save it as another type"),
    "bytes": (repeated([b"a", b"b"]), {"categories": ["a", "b"]}, "has the type binary, which cannot be read as text"),
}  # fmt: skip


@pytest.mark.parametrize("name", ARROWS)
def test_a_type_of_a_parquet_file_is_read_rightly_or_refused_with_what_to_type(name: str) -> None:
    array, rule, wanted = ARROWS[name]
    found = column(array, rule)
    if isinstance(wanted, str):
        assert wanted in str(found)
        assert "\n" not in str(found)
    else:
        assert found[: len(wanted)] == wanted


def test_a_file_that_is_parquet_in_name_only_is_refused(tmp_path: Path) -> None:
    assert "is no Parquet file: name it .csv if it is text" in table(tmp_path, lines(["5"]), NUMBERS, name="t.parquet")


SCHEMA = typed.build(
    Schema,
    {
        "target": "y",
        "columns": {
            "y": {"range": [0, 40], "missing": "drop", "unreadable": "missing"},
            "a": {"range": [0, 10], "missing": "fill", "unreadable": "missing"},
            "b": {"categories": ["02139", "NA", "1e3"], "missing": "drop", "outside": "drop"},
            "c": {"type": "boolean", "missing": "indicator", "unreadable": "missing"},
            "d": {"since": "2020-01-01", "until": "2021-01-01", "missing": "fill", "unreadable": "missing"},
        },
    },
)
WORDS = ["0", "7", "7.5", "1e3", "02139", "NA", "", "x", "TRUE", "no", "2020-05-01", "inf", "-1", "None", "9" * 30]
VALUE = st.sampled_from(WORDS) | st.text(max_size=5)
RECORD = st.tuples(VALUE, VALUE, VALUE, VALUE, VALUE)
HELD = [(str(place % 40), str(place % 11), WORDS[3 + place % 3], "yes", "2020-03-01") for place in range(30)]


def encoded_records(records: list[tuple[Any, ...]], kinds: tuple[Any, ...] = ()) -> Encoded:
    names = ("y", "a", "b", "c", "d")
    columns = {
        name: Values(array=pa.array(values, kind)) if kinds else Values(texts=list(values))
        for name, values, kind in zip(names, zip(*records, strict=True), kinds or names, strict=True)
    }
    return encode(RawTable(names, columns, len(records)), SCHEMA)


def moved(first: Encoded, second: Encoded) -> int:
    """Of the records that both have, those that became others, by their places."""
    both = np.intersect1d(first.places, second.places)
    rows = [np.column_stack([one.features, one.labels])[one.at(both)] for one in (first, second)]
    return int((rows[0] != rows[1]).any(axis=1).sum())


@settings(max_examples=60, deadline=None)
@given(RECORD, st.integers(0, 29))
def test_a_change_of_one_record_in_any_way_moves_no_other_encoded_record(record: tuple[str, ...], place: int) -> None:
    first = encoded_records(list(HELD))
    second = encoded_records([record if row == place else kept for row, kept in enumerate(HELD)])
    assert len(second.labels) - len(first.labels) in (0, -1)  # dropped by the schema's rule, or not
    own = np.flatnonzero(np.random.default_rng(0).permutation(30) == place)
    others = np.setdiff1d(second.places, own)
    assert len(others) == 29
    assert moved(first, second) <= 1
    for split in (first, second):
        assert np.isin(others, split.places).all()
    unmoved = [np.column_stack([one.features, one.labels])[one.at(others)] for one in (first, second)]
    assert (unmoved[0] == unmoved[1]).all()


TYPED = (pa.float64(), pa.decimal128(12, 3), pa.string(), pa.bool_(), pa.date32())
TYPED_RECORD = st.tuples(
    st.none() | st.floats(), st.none() | st.decimals(-10**6, 10**6, places=3), st.none() | VALUE,
    st.none() | st.booleans(), st.none() | st.dates(),
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(TYPED_RECORD, st.integers(0, 29))
def test_the_same_holds_for_the_types_of_a_parquet_file(record: tuple[Any, ...], place: int) -> None:
    held = [(float(row % 40), Decimal(row % 11), WORDS[3 + row % 3], row % 2 == 0, None) for row in range(30)]
    first = encoded_records(list(held), TYPED)
    second = encoded_records([record if row == place else kept for row, kept in enumerate(held)], TYPED)
    others = np.setdiff1d(np.arange(30), np.flatnonzero(np.random.default_rng(0).permutation(30) == place))
    unmoved = [np.column_stack([one.features, one.labels])[one.at(others)] for one in (first, second)]
    assert (unmoved[0] == unmoved[1]).all()
    assert len(unmoved[0]) == 29


def test_what_is_held_out_is_drawn_for_places_so_that_a_dropped_record_moves_no_other(tmp_path: Path) -> None:
    from dprepro.practice.table import File

    parts = []
    for name, word in (("a.csv", "5"), ("b.csv", "")):
        values = [word if place == 3 else str(place % 10) for place in range(40)]
        (tmp_path / name).write_text("y,x\n" + "".join(f"{place},{v}\n" for place, v in enumerate(values)), "utf-8")
        columns = {"y": {"range": [0, 40]}, "x": {"range": [0, 10], "missing": "drop"}}
        block = {"target": "y", "columns": columns, "path": str(tmp_path / name), "holdout": 0.25}
        construction = typed.build(File, block)
        labels = construction.encoded.labels
        parts.append([set((20 * (1 + labels[part])).round().astype(int).tolist()) for part in construction._parts()])
    for first, second in zip(*parts, strict=True):
        assert first - {3} == second
    assert len(parts[0][1]) == 10


def test_a_draft_reads_the_names_of_a_csv_file_and_no_record(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'y;a b;a b;\n1;2;3\n"never closed\n')
    assert command("schema", path, "target=y") == 0
    drafted = capsys.readouterr().out
    assert "no record" in drafted
    filled = parse(drafted.replace("FILL IN", "{range: [0, 1]}"), "draft", {"separator"})
    assert (filled["separator"], list(filled["columns"])) == (";", ["y", "a b#1", "a b#2", "#4"])


def test_a_draft_of_a_parquet_file_has_the_types_that_it_declares(tmp_path: Path, capsys: Any) -> None:
    kinds = {"n": pa.int64(), "b": pa.bool_(), "d": pa.date32(), "s": pa.string(), "m": pa.decimal128(8, 2)}
    pq.write_table(pa.table({name: pa.array([None] * 3, kind) for name, kind in kinds.items()}), tmp_path / "t.parquet")
    assert command("schema", tmp_path / "t.parquet") == 0
    columns = parse(capsys.readouterr().out, "draft")["columns"]
    assert {name: next(iter(rule)) for name, rule in columns.items()} == {
        "n": "range", "b": "type", "d": "since", "s": "categories", "m": "range",
    }  # fmt: skip
