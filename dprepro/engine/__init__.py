"""Measure cells, keep what was measured, and give it back as a frame; knows nothing of what is measured."""

from dprepro.engine.cell import LEADING, Cell, Result, Row, canonical
from dprepro.engine.grid import expand
from dprepro.engine.measuring import Measure, measure_cell
from dprepro.engine.runner import RunCounts, execute
from dprepro.engine.seeding import generator
from dprepro.engine.store import Integrity, Run, Store

__all__ = [
    "LEADING",
    "Cell",
    "Integrity",
    "Measure",
    "Result",
    "Row",
    "Run",
    "RunCounts",
    "Store",
    "canonical",
    "execute",
    "expand",
    "generator",
    "measure_cell",
]
