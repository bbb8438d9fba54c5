"""Measure cells, keep what was measured, and give it back as a frame; knows nothing of what is measured."""

from dprepro.engine.cell import Cell, Row, canonical
from dprepro.engine.grid import expand
from dprepro.engine.runner import Measure, Outcome, execute, measure_cell
from dprepro.engine.seeding import generator
from dprepro.engine.store import AXES, LEADING, Result, Run, Store

__all__ = [
    "AXES",
    "LEADING",
    "Cell",
    "Measure",
    "Outcome",
    "Result",
    "Row",
    "Run",
    "Store",
    "canonical",
    "execute",
    "expand",
    "generator",
    "measure_cell",
]
