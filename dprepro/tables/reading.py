"""Tables from files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: str, rows: int | None = None) -> pd.DataFrame:
    """A CSV or Parquet file, its first ``rows`` or all of it.

    Raises:
        InputError: no such file, not a file, another type, or content that cannot be read.
    """
    import pandas as pd

    file = Path(path).expanduser()
    kind = file.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise unknown(f"file type of {path}:", file.suffix, [".csv", ".parquet"])
    if file.exists() and not file.is_file():
        raise InputError(f"cannot read {path}: it is not a regular file")
    try:
        if kind == ".csv":
            return pd.read_csv(file, nrows=rows)
        return pd.read_parquet(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"cannot read {path}: {reason}") from error
