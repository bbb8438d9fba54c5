"""A store with made-up measurements of real experiments: figures only need their shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dprepro import figures
from dprepro.analysis.checks import build
from dprepro.config.checked_experiment import build_experiment
from dprepro.engine.cell import Result, Row
from dprepro.engine.cell_lines import lines_of
from dprepro.engine.store import Store
from helpers.shipped import composed

PROVENANCE = {"versions": {}, "commit": "", "seed": 0, "platform": "", "cells": 0, "seconds": 0.0, "date": ""}


def fabricate(results_dir: Path, names: Sequence[str], replicates: int = 2, overrides: Sequence[str] = ()) -> None:
    """Enter a finished run of each experiment whose every risk is 1.5 times a rate like sqrt(p)/(n epsilon)."""
    with Store.open(results_dir, create=True) as store:
        for name in names:
            experiment = build_experiment(composed(name))
            cells = [cell for cell in experiment.cells if cell.replicate < replicates]
            rules = [build(check, options) for check, options in experiment.settings.checks.items()]
            drawing = figures.build(experiment.config["figure"])
            named = [mention for part in (*rules, drawing) for mention in part.mentions()]
            quantities = {one.name for one in named if one.kind == "quantity"} | {"excess_risk"}
            judged = dict.fromkeys([one.name for one in named if one.kind == "column"], 1.0)
            results = {}
            for cell in cells:
                axes = dict(cell.axes)
                # Projections are better in many dimensions, as in the phase diagram.
                power = 0.0 if cell.series.startswith("jl") else 0.5
                level = 150.0 if cell.series.startswith("jl") else 1.0
                rate = level * (axes["p"] ** power) / (axes["n"] * min(axes["epsilon"], 1e9)) ** (1 - power / 3)
                value = 1.5 * rate * (1 + 0.01 * cell.replicate)
                columns = judged | {
                    "freedom": 1e6,
                    "rate": rate,
                    "law": 1.5 * rate,
                    "trivial_risk": 1e9,
                    "noise_scale": 1e-3 * rate * axes["n"] ** 0.1,
                }
                rows = [Row(quantity, value, 2 * rate, columns) for quantity in sorted(quantities)]
                results[cell.key] = Result(cell.key, "ok", 0.0, axes, cell.replicate, rows, code=cell.code)
            run = store.begin_run(name, experiment.config, list(overrides), PROVENANCE, cells)
            store.commit(lines_of(results.values(), ""))
            store.finish_run(run, PROVENANCE)
