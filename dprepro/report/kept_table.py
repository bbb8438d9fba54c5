"""A run's measurements in its folder, ``measurements.parquet``: the file says in itself of what it was made.

So a command that has measured nothing takes the frame from there: the cells, which it has held against their digests to
know that nothing is left to measure, are not read again. What the file holds is held against a digest beside it; a file
without one, or of other cells or code, is made anew of the store.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.engine.code import code_of
from dprepro.engine.store import Run
from dprepro.errors import DpreproError
from dprepro.report import picture
from dprepro.support.regular_files import bytes_of

if TYPE_CHECKING:
    import pandas as pd

NAME = "measurements.parquet"
LINES = 2**18
"""That are written at once: a table of millions of lines is not held a second time."""
_ABOUT = b"dprepro"
"""The key of the file's metadata."""


def source_of(run: Run, digest: int | None) -> str:
    """What a table is made of: a run, all its cells, by their digest, and the code; empty where somebody cannot tell.

    ``digest`` is None where cells are missing, damaged, or made by other code.
    """
    if digest is None:
        return ""
    try:
        code = code_of((__name__,), frozenset({"dprepro"})).digest
    except DpreproError:
        return ""
    parts = (f"{digest:032x}", run.mark, code, picture.versions(("pyarrow",)))
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def file_of(frame: pd.DataFrame, content: picture.Content, source: str) -> bytes:
    """The file; ``content`` is that of the frame.

    Raises:
        ValueError, TypeError, OverflowError: a column has two kinds of values, or whole numbers beyond 2^63.
    """
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.Schema.from_pandas(frame, preserve_index=False)
    if source:
        about = json.dumps({"source": source, "digest": _digest(frame, content)}).encode()
        schema = schema.with_metadata({**schema.metadata, _ABOUT: about})
    buffer = io.BytesIO()
    with parquet.ParquetWriter(buffer, schema, compression="snappy") as writer:
        for start in range(0, max(len(frame), 1), LINES):
            some = frame.iloc[start : start + LINES]
            writer.write_table(pyarrow.Table.from_pandas(some, schema=schema, preserve_index=False))
    return buffer.getvalue()


def kept(folder: Path, source: str) -> tuple[pd.DataFrame, picture.Content] | None:
    """The frame in a folder with its content; None where it is not as it was written, or not of this source."""
    import pandas as pd
    from pyarrow.parquet import read_schema

    if not source:
        return None
    try:
        file = bytes_of(folder / NAME)
        about: Any = json.loads((read_schema(io.BytesIO(file)).metadata or {})[_ABOUT])
        if about["source"] != source:
            return None
        frame = pd.read_parquet(io.BytesIO(file))
        content = picture.content(frame)
        return (frame, content) if about["digest"] == _digest(frame, content) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _digest(frame: pd.DataFrame, content: picture.Content) -> str:
    """Of all that a frame holds, types too: `picture.content` leaves out how long cells took, and their keys."""
    types = [*map(str, frame.dtypes)]
    hasher = hashlib.blake2b(json.dumps([content[0], types]).encode(), digest_size=16)
    hasher.update(content[1])
    hasher.update(frame["seconds"].to_numpy().tobytes())
    for start in range(0, len(frame), LINES // 4):
        hasher.update(_joined(frame["key"].iloc[start : start + LINES // 4]))
    return hasher.hexdigest()


def _joined(texts: pd.Series) -> Any:
    """The bytes of all texts, one after the other; no text becomes an object of Python's."""
    import pyarrow
    from pyarrow import compute

    array = pyarrow.array(texts)
    if isinstance(array, pyarrow.ChunkedArray):
        array = array.combine_chunks()
    whole = pyarrow.ListArray.from_arrays([0, len(array)], array.cast(pyarrow.string()))
    return compute.binary_join(whole, "")[0].as_buffer()
