"""What every table of a store holds, kept beside them: the number of its entries, and a digest of them all.

It is written in the transaction that changes a table, so that what gets lost later, with or without its neighbours, is
missed: a digest of an entry says that it is as it was stored, and nothing of one that is gone. The digest of a table is
the exclusive or of those of its entries, whatever their order: an entry is added or taken away without reading others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import numpy as np

from dprepro.engine.cell_lines import digest

_SIZE = 16
_ENTRIES = {
    "cells": "SELECT digest FROM cells",
    "runs": "SELECT id, digest FROM runs",
    "origins": "SELECT id, code, made, cpu FROM origins",
    "codes": "SELECT code, modules FROM codes",
}


def together(digests: Iterable[object]) -> int:
    """The digests of entries as one number; what is none counts as an entry only."""
    whole = b"".join([digest for digest in digests if type(digest) is bytes and len(digest) == _SIZE])
    halves = np.bitwise_xor.reduce(np.frombuffer(whole, dtype=">u8").reshape(-1, 2), axis=0)
    return int(halves[0]) << 64 | int(halves[1])


def enter(
    database: sqlite3.Connection, part: str, added: Iterable[bytes], gone: Iterable[object] = (), more: int = 1
) -> None:
    """Enter that a table has entries of these digests now, ``more`` in number, and others no longer.

    A table that the manifest has forgotten, or cannot count, stays so: somebody is to hear of it.
    """
    found = database.execute("SELECT entries, digest FROM manifest WHERE part = ?", (part,)).fetchone()
    if found is None or type(found[0]) is not int:
        return
    combined = together(added) ^ together(gone) ^ together([found[1]])
    changed = (found[0] + more, combined.to_bytes(_SIZE), part)
    database.execute("UPDATE manifest SET entries = ?, digest = ? WHERE part = ?", changed)


def seal(database: sqlite3.Connection) -> None:
    """Enter what all tables hold now."""
    database.execute("DELETE FROM manifest")
    for part in _ENTRIES:
        count, combined = _now(database, part)
        database.execute("INSERT INTO manifest VALUES (?, ?, ?)", (part, count, combined.to_bytes(_SIZE)))


def missed(database: sqlite3.Connection) -> list[str]:
    """The tables that do not hold what was entered, in words."""
    written = {part: (entries, combined) for part, entries, combined in database.execute("SELECT * FROM manifest")}
    said = [f"the manifest has an entry for {part!r}" for part in written if part not in _ENTRIES]
    for part in _ENTRIES:
        count, combined = _now(database, part)
        if part not in written:
            said.append(f"the manifest has no entry for the table {part}")
        elif written[part][0] != count:
            said.append(f"the table {part} holds {count} entries, and {written[part][0]} were stored")
        elif written[part][1] != combined.to_bytes(_SIZE):
            said.append(f"the table {part} holds other entries than were stored")
    return said


def _now(database: sqlite3.Connection, part: str) -> tuple[int, int]:
    entries = database.execute(_ENTRIES[part]).fetchall()
    return len(entries), together(line[0] if part == "cells" else digest(*line) for line in entries)
