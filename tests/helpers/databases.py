"""SQLite files that tests look into and spoil: the one place where tests open a connection, so that each is closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def opened(file: Path | str, uri: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection whose changes are committed at the end of the block, and which is closed whatever happens in it.

    (``with sqlite3.connect(...)`` ends a transaction and leaves the connection open.)
    """
    with closing(sqlite3.connect(file, uri=uri)) as database, database:
        yield database
