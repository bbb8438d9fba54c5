"""Tables from files, as they stand there: texts of a CSV file, values with their types of a Parquet file.

Nothing is guessed from values, so that one record decides nothing about another; what a value means is decided by its
own column's rule (`practice.encoding`).
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dprepro.errors import InputError, unknown
from dprepro.practice.schema import check_encoding, check_separator, is_number, plain
from dprepro.support.texts import check_texts

if TYPE_CHECKING:
    import pandas as pd

DPREPRO_READS = ()  # see practice.table

SEPARATORS = (",", ";", "\t", "|")
KINDS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
LONGEST = 1_000_000
"""Characters of a value: beyond, a quotation mark is not closed."""
_PARQUET = b"PAR1"
_MAGIC = {
    b"PK\x03\x04": "a zip or Excel file: save it as CSV", _PARQUET: "a Parquet file: name it .parquet",
    b"\xd0\xcf\x11\xe0": "an Excel file: save it as CSV", b"[{": "a JSON file: save it as CSV",
    b'{"': "a JSON file: save it as CSV", b"<!": "a web page: save it as CSV", b"<htm": "a web page: save it as CSV",
    b"<?xm": "an XML file: save it as CSV",
}  # fmt: skip
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Values:
    """A column: ``texts`` as a CSV file has them, or an Arrow ``array``, which knows the types of its values."""

    texts: Sequence[str] | None = None
    array: Any = None


@dataclass(frozen=True, eq=False)
class RawTable:
    """The columns of a table that were asked for.

    Attributes:
        names: of all columns of the file, in order (`numbered`).
        columns: by name. rows: how many records there are.
    """

    names: Sequence[str]
    columns: Mapping[str, Values] = field(default_factory=dict)
    rows: int = 0

    def column(self, name: str, where: str) -> Values:
        """A column; raises InputError for a name that no column has, or more than one."""
        name = plain(name)
        if name in self.columns:
            return self.columns[name]
        if several := [text for text in self.names if text.rpartition("#")[0] == name and name]:
            raise InputError(f"the column {name} stands twice in {where}; say which of them: {', '.join(several)}")
        if self.names and all(map(is_number, self.names)):
            raise InputError(
                f"{where} has no column {name}, and its first line, which must name the columns, has numbers only"
            )
        raise unknown(f"column of {where}:", name, self.names)


def read_table(path: str, separator: str = ",", encoding: str = "", keep: Collection[str] | None = None) -> RawTable:
    """The columns ``keep`` of a CSV or Parquet file, or all of them.

    Raises:
        InputError: no such file, not a file, another type, content that cannot be read, a record that is longer or
            shorter than the names, a name with a character that nobody sees, or another separator.
    """
    file, kind = _file(path)
    kept = None if keep is None else {plain(name) for name in keep}
    with _readable(path):
        if kind == ".parquet":
            return _from_arrow(_parquet(file, path).read(), path, kept)
        check_separator(separator)
        with _text(file, path, encoding) as text:
            return _from_csv(text, path, separator, kept)


def read_names(path: str, separator: str = "", encoding: str = "") -> tuple[Mapping[str, Any], str]:
    """The names of the columns with their types, where a Parquet file says them, and what separates them.

    Of a CSV file the line of names is read and no further one; its columns have no types. Without a ``separator`` it is
    the first of `SEPARATORS` that this line has.

    Raises:
        InputError: as `read_table`.
    """
    file, kind = _file(path)
    with _readable(path):
        if kind == ".parquet":
            schema = _parquet(file, path).schema_arrow
            return dict(zip(numbered(schema.names, path), schema.types, strict=True)), ","
        with _text(file, path, encoding) as text:
            line = text.readline()
            text.seek(0)
            found = separator or next((mark for mark in SEPARATORS if mark in line), ",")
            check_separator(found)
            _, header = next(_records(text, path, found), (0, []))
            return dict.fromkeys(numbered(header, path)), found


def of_frame(frame: pd.DataFrame) -> RawTable:
    """A data frame's columns, whose values keep their types."""
    import pyarrow as pa

    columns = {}
    for place, name in enumerate(numbered([str(name) for name in frame.columns], "the table")):
        series = frame.iloc[:, place]
        try:
            columns[name] = Values(array=pa.array(series, from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # values of several kinds
            columns[name] = Values(texts=["" if absent else str(v) for v, absent in zip(series, series.isna())])  # noqa: B905
    return RawTable(tuple(columns), columns, len(frame))


def numbered(names: Sequence[str], path: str) -> list[str]:
    """What columns are called: without spaces around; ``#3`` is the third, which has no name; equal ones get numbers.

    Two columns ``a`` are ``a#1`` and ``a#2``.

    Raises:
        InputError: a character that nobody sees, or names that are equal even so.
    """
    given = [plain(name) or f"#{place}" for place, name in enumerate(names, 1)]
    for name in given:
        check_texts(name, path, f"the column {name}")
    seen: dict[str, int] = {}
    found = []
    for name in given:
        seen[name] = seen.get(name, 0) + 1
        found.append(f"{name}#{seen[name]}" if given.count(name) > 1 else name)
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise InputError(f"two columns of {path} would be called {twice}; rename one of them")
    return found


def _file(path: str) -> tuple[Path, str]:
    """The file, and the last parts of its name by which it is read."""
    try:
        file = Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"cannot read {path}: {error}") from error
    kind = next((kind for kind in KINDS if file.name.lower().endswith(kind)), "")
    if not kind:
        raise unknown(f"file type of {path}:", file.suffix, KINDS)
    if file.exists() and not file.is_file():
        raise InputError(f"cannot read {path}: it is not a regular file")
    return file, kind


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turns what goes wrong in reading into one line."""
    try:
        yield
    except InputError:
        raise
    except UnicodeError as error:
        said = f"{path} is no text in {getattr(error, 'encoding', 'its encoding')}"
        raise InputError(f"{said}: write encoding: latin-1, or what it is, into the schema") from error
    except (OSError, EOFError, ValueError, zlib.error) as error:
        known = getattr(error, "strerror", None)
        reason = known or f"{(str(error).splitlines() or [type(error).__name__])[0].rstrip('.')}; save or copy it again"
        raise InputError(f"cannot read {path}: {reason}") from error


def _parquet(file: Path, path: str) -> Any:
    import pyarrow.parquet as pq

    with open(file, "rb") as content:
        if content.read(4) != _PARQUET:
            raise InputError(f"{path} is no Parquet file: name it .csv if it is text, or save it again")
    return pq.ParquetFile(file)


@contextmanager
def _text(file: Path, path: str, encoding: str) -> Iterator[TextIO]:
    """The text of a file that may be compressed; a byte order mark says more than anybody."""
    check_encoding(encoding)
    with open(file, "rb") as plain:
        head = plain.read(4)
        plain.seek(0)
        packed = file.name.lower().endswith(".gz")
        if fault := next((said for magic, said in _MAGIC.items() if head.startswith(magic)), ""):
            raise InputError(f"{path} is {fault}")
        if packed != head.startswith(_GZIP) and head:
            raise InputError(
                f"{path} is {'not ' if packed else ''}compressed: name it {'.csv' if packed else '.csv.gz'}"
            )
        with gzip.open(plain, "rb") if packed else plain as content:
            head = content.read(4)
            content.seek(0)
            wide = codecs.lookup(encoding).name if encoding else ""
            if head in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
                encoding = "utf-32"
            elif head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                encoding = "utf-16"
            elif wide == "utf-16":  # without a mark: the first name says which of its bytes come first
                encoding = _ends(head)
            elif head.startswith(codecs.BOM_UTF8) or not encoding:
                encoding = "utf-8-sig"
            if encoding == "utf-8-sig" and b"\0" in head:
                raise InputError(
                    f"{path} is no text in utf-8: write encoding: {_ends(head)}, or what it is, into the schema"
                )
            yield io.TextIOWrapper(content, encoding=encoding, newline="")


def _ends(head: bytes) -> str:
    """Of UTF-16 without a mark, which half of its first character is zero."""
    return "utf-16-be" if head[:1] == b"\0" else "utf-16-le"


def _records(text: TextIO, path: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The records of a CSV file with the lines where they begin; lines without anything are none.

    Values may stand in quotation marks, a mark in them being doubled, and then hold separators and ends of lines.

    Raises:
        InputError: a quotation mark that is not closed, or text after a closed one.
    """
    before = csv.field_size_limit(LONGEST)
    reader = csv.reader(text, delimiter=separator, strict=True, skipinitialspace=not separator.isspace())
    start = 1
    try:
        for record in reader:
            if record:
                yield start, record
            start = reader.line_num + 1
    except csv.Error as error:
        said = f"text follows a closing quotation mark; double the marks within a value, and end it with {separator!r}"
        if "limit" in str(error) or "end of data" in str(error):
            said = f"a quotation mark is not closed, or a value is longer than {LONGEST} characters"
        elif "expected after" not in str(error):
            said = str(error)
        raise InputError(f"line {start} of {path} cannot be read: {said}") from error
    finally:
        csv.field_size_limit(before)


def _from_csv(text: TextIO, path: str, separator: str, keep: Collection[str] | None) -> RawTable:
    records = _records(text, path, separator)
    _, header = next(records, (0, []))
    if not header:
        raise InputError(f"{path} is empty; its first line must name the columns")
    if len(header) == 1 and (found := [mark for mark in SEPARATORS if mark in header[0]]):
        mark = {"\t": "\\t"}.get(found[0], found[0])
        raise InputError(
            f'the columns of {path} are separated by {found[0]!r}: write separator: "{mark}" into the schema'
        )
    if header[0].startswith("sep=") and len(header) <= 2:
        raise InputError(f"line 1 of {path} is a note to a spreadsheet, {header[0]}: take it out")
    names = numbered(header, path)
    places = [place for place, name in enumerate(names) if keep is None or name in keep]
    columns: list[list[str]] = [[] for _ in places]
    rows = 0
    for line, record in records:
        if len(record) != len(names):
            more = "take out a separator, or put a value that holds one in quotation marks"
            if len(record) == 1 and not record[0].strip(" \t\x1a"):
                raise InputError(f"line {line} of {path} holds nothing but spaces: take it out")
            if len(names) == 1:
                more = "the first line must name the columns, with the separator of the schema between them"
            raise InputError(
                f"line {line} of {path} has {len(record)} values and there are {len(names)} names: "
                + (more if len(record) > len(names) else "a separator is lacking for each value that is empty")
            )
        for column, place in zip(columns, places, strict=True):
            column.append(record[place])
        rows += 1
    found_columns = {names[place]: Values(texts=column) for place, column in zip(places, columns, strict=True)}
    return RawTable(tuple(names), found_columns, rows)


def _from_arrow(table: Any, path: str, keep: Collection[str] | None) -> RawTable:
    names = numbered(table.column_names, path)
    columns = {
        name: Values(array=table.column(place)) for place, name in enumerate(names) if keep is None or name in keep
    }
    return RawTable(tuple(names), columns, table.num_rows)
