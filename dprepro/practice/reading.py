"""Tables from files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dprepro.errors import InputError, unknown
from dprepro.texts import check_texts

if TYPE_CHECKING:
    import pandas as pd

DPREPRO_READS = ()  # see practice.table


def read_table(path: str, rows: int | None = None) -> pd.DataFrame:
    """A CSV or Parquet file, its first ``rows`` or all of it.

    Raises:
        InputError: no such file, not a file, another type, content that cannot be read, a column that stands twice or
            whose name has a character that nobody sees, or another separator than a comma.
    """
    import pandas as pd

    try:
        file = Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"cannot read {path}: {error}") from error
    kind = file.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise unknown(f"file type of {path}:", file.suffix, [".csv", ".parquet"])
    if file.exists() and not file.is_file():
        raise InputError(f"cannot read {path}: it is not a regular file")
    try:
        if kind == ".csv":
            _check_head(pd.read_csv(file, nrows=1, header=None, dtype=str), path)
            table = pd.read_csv(file, nrows=rows, low_memory=False)
        else:
            table = pd.read_parquet(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"cannot read {path}: {reason}") from error
    for name in table.columns:
        check_texts(str(name), path, f"the column {name}")
    return table


def _check_head(head: pd.DataFrame, path: str) -> None:
    """Raise InputError for a name that stands twice, which pandas would change, and for another separator."""
    names = head.iloc[0].dropna()
    if not (twice := names[names.duplicated()]).empty:
        raise InputError(f"the column {twice.iloc[0]} stands twice in {path}")
    if len(names) == 1 and (found := [one for one in ";\t|" if one in names.iloc[0]]):
        raise InputError(f"the columns of {path} are separated by {found[0]!r}; commas are needed")
