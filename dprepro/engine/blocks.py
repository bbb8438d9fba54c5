"""Replicates of a grid point measured in one call, and written by columns: what is the same in all is written once.

The text of each cell is the one that measuring it alone would give, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dprepro.engine.cell import Cell, Row, keys_of
from dprepro.engine.cell_lines import Line, digest_before, digest_end, point_text
from dprepro.engine.rows import dump, first_line

VALUE = "value"
"""The name of a row's value among its columns; a study has no column of that name."""


class Block(NamedTuple):
    """The rows of several cells of one grid point.

    Attributes:
        rows: of the first cell.
        varying: what differs, by number of the row and name of the column: a float for each cell, itself a `float`.
    """

    rows: Sequence[Row]
    varying: Mapping[tuple[int, str], Sequence[float]] = {}


MeasureMany = Callable[[Sequence[Cell], Callable[[], list[np.random.Generator]]], Block | None]
"""The rows of cells of one series and grid point from their random streams; None where they are measured one by one."""


def finite(block: Block) -> bool:
    """Whether all that varies is a number."""
    return all(all(map(math.isfinite, column)) for column in block.varying.values())


def block_lines(cells: Sequence[Cell], block: Block, seconds: float, made: str, cpu: str) -> list[Line]:
    """The lines of cells, each of which took so many ``seconds``; as `lines_of` of their rows."""
    first = cells[0]
    point, origin, texts = point_text(first.axes), (first.code, made, cpu), texts_of(block, len(cells))
    end, lines, replicates = digest_end(origin), list[Line](), [cell.replicate for cell in cells]
    for key, replicate, text in zip(keys_of(cells), replicates, texts, strict=True):
        digest = digest_before((key, "ok", seconds, point, replicate, text, None), end)
        lines.append(Line(key, "ok", seconds, point, replicate, text, None, origin, digest))
    return lines


def texts_of(block: Block, count: int) -> list[str]:
    """The rows of each of ``count`` cells as they are stored."""
    constant = [first_line(tuple([(row.quantity, *row.columns) for row in block.rows])) + "["]
    columns: list[Sequence[str]] = []
    for number, row in enumerate(block.rows):
        for name, entry in ((VALUE, row.value), ("bound", row.bound), *row.columns.items()):
            if (number, name) in block.varying:
                columns.append(list(map(float.__repr__, block.varying[number, name])))
                constant.append(",")
            else:
                constant[-1] += f"{dump(entry)},"
    constant[-1] = f"{constant[-1][:-1]}]"
    if not columns:
        return constant * count
    first, *rest = constant
    if len(columns) == 1:
        return [f"{first}{text}{rest[0]}" for text in columns[0]]
    pieces: list[Sequence[str]] = [[first] * count]
    for column, text in zip(columns, rest, strict=True):
        pieces += [column, [text] * count]
    return list(map("".join, zip(*pieces, strict=True)))
