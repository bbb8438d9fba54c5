"""Every sixteenth block of a run's cells, or whatever share is asked for: what one job of a queue measures.

A block is a few cells of one grid point. Blocks are taken in the order of their keys, which are hashes: each shard has
cheap and dear points alike, and which cells it has depends on nothing but the cells and the number of shards.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from dprepro.engine.cell import Cell
from dprepro.errors import InputError, shortened

FOLDER = "shards"
"""The folder, in the one of results, of the stores of shards, each in one of its own."""
MOST_SHARDS = 100_000
BLOCK_CELLS = 16


@dataclass(frozen=True)
class Shard:
    """Number ``number``, from 1, of ``of`` shards."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """From ``3/16``; raises InputError for anything else."""
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MOST_SHARDS:
            raise InputError(
                f"shard must be NUMBER/OF with 1 <= NUMBER <= OF <= {MOST_SHARDS}, such as 3/16, got "
                f"shard={shortened(text)}"
            )
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def folder(self, results_dir: str | Path) -> Path:
        """Where its store is, in the folder of results: of its own, so that jobs on many machines share no file."""
        return Path(results_dir) / FOLDER / f"{self.number}-of-{self.of}"

    def share(self, cells: Iterable[Cell]) -> list[Cell]:
        """The cells of this shard, each distinct key once."""
        points: dict[int, list[Cell]] = {}
        for cell in {cell.key: cell for cell in reversed(list(cells))}.values():
            points.setdefault(id(cell.axes), []).append(cell)
        found = blocks(points.values())
        return [cell for block in found[self.number - 1 :: self.of] for cell in block]


def blocks(points: Collection[Sequence[Cell]], start: int = 0, most: int = BLOCK_CELLS) -> list[Sequence[Cell]]:
    """The cells of grid points from ``start`` in blocks, those of a point of one size, in the order of first keys.

    A block has at most ``most`` cells.
    """
    found: list[Sequence[Cell]] = []
    for point in points:
        if count := len(point) - start:
            size = -(-count // -(-count // most))
            found += [point[i : i + size] for i in range(start, len(point), size)]
    return sorted(found, key=first_key)


def first_key(block: Sequence[Cell]) -> bytes:
    """Of a block."""
    return block[0].key
