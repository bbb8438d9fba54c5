"""What a study declares is what its cells have: no quantity, column or axis of a measured cell is missing in it."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
import pytest
from helpers.shipped import composed

from dprepro.config.checked_experiment import check
from dprepro.errors import MissingDependency, PremiseError
from dprepro.support.folders import experiment_files

QUICK = {
    "erm_exponential", "glm_lower_bound", "glm_output_perturbation", "huberization", "huberization_privacy",
    "kst_limits", "lasso_data", "lasso_tardos", "lasso_tardos_constants", "linear_regression_table",
    "marginals_packing",
}  # fmt: skip
"""Every study, every construction with a secret, and the algorithms with diagnostics."""


@pytest.mark.parametrize(
    ("name", "every"),
    [
        *(pytest.param(name, False) for name in sorted(QUICK)),
        *(pytest.param(name, True, marks=pytest.mark.slow) for name in sorted(experiment_files())),
    ],
)
def test_a_measured_cell_has_only_declared_names(name: str, every: bool) -> None:
    """One cell of every series, or of every set of names that some series declare."""
    try:
        checked = check(composed(name).config)
    except MissingDependency:
        pytest.skip("an optional package is missing")
    study, declared = checked.study, checked.study.declare(checked.design)
    measured: set[object] = set()
    for cell in sorted(study.cells(checked.design), key=lambda cell: (cell.axes["n"], cell.axes["p"])):
        assert set(cell.axes) <= declared.axes
        kind = cell.series if every else declared.series[cell.series]
        if kind in measured:
            continue
        try:
            rows = study.measure(cell, np.random.default_rng(0))
        except PremiseError:
            continue
        measured.add(kind)
        for row in rows:
            assert any(fnmatchcase(row.quantity, known) for known in declared.series[cell.series]), row.quantity
            assert set(row.columns) <= declared.columns
    assert measured
