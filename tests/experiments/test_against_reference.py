"""A fast subset of the experiments with other seeds, against the committed tables, within their stated errors.

Both sides are means of independent replicates with standard errors. For each series the relative differences over its
grid points are added up and divided by the root of their summed variances: a t value, with Welch and Satterthwaite's
degrees of freedom. With Bonferroni's correction over the series compared, a correct program fails in at most one of a
thousand choices of the seeds, which are fixed here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from helpers.shipped import composed
from scipy import stats

from dprepro import run
from dprepro.analysis.checks import build
from dprepro.axes import AXES
from dprepro.report.outcome import Outcome
from dprepro.report.summary import summary
from dprepro.support.regular_files import unpacked

REFERENCE = Path(__file__).parent.parent.parent / "results/reference"
EXPERIMENTS = REFERENCE.parents[1] / "conf/experiment"
FALSE_ALARM = 1e-3
KEYS = ["series", "quantity", *AXES]

DESIGNS = ("iid_design", "planted_sparse")
SMALL: dict[str, dict[str, Any]] = {
    "lasso_rate": {
        "study": {
            "series": {
                "tuned_needle": {"sweep": {"n": [1e8]}, "replicates": 8},
                "as_printed": {"sweep": {"n": [4e7, 1e8]}, "replicates": 4},
                "steps_too_few": {"sweep": {"n": [1e8]}, "replicates": 2},
                "steps_too_many": {"sweep": {"n": [3e6]}, "replicates": 6},
                "constant_step": {"sweep": {"n": [1e6]}, "replicates": 2},
                **{name: {"sweep": {"n": [3e5, 1e6]}} for name in ("small_n", "centred_needle", "output_zero")},
                **{name: {"sweep": {"n": [3e5]}} for name in DESIGNS},
            },
        },
    },
    "erm_strongly_convex": {
        "study": {
            "series": {
                "against_n": {"sweep": {"n": [1e5, 1e7]}},
                "against_p": {"sweep": {"p": [16, 128]}, "replicates": 60},
                "against_epsilon": {"sweep": {"epsilon": [0.6, 5]}},
                "against_delta": {"sweep": {"delta": [1e-10, 1e-28]}},
                "exact_delta": {"sweep": {"delta": [1e-90]}, "replicates": 60},
                "sharp_p": {"sweep": {"p": [16]}, "replicates": 10},
                "one_place_p": {"sweep": {"p": [16]}, "replicates": 10},
                "many": {"sweep": {"n": [1e5]}, "replicates": 60},
                "lipschitz_step": {"sweep": {"n": [1e5]}, "replicates": 2},
            }
        },
    },
}


def p_values(reference: pd.DataFrame, measured: pd.DataFrame) -> pd.Series:
    """One p-value for each series and quantity with errors on either side; deterministic ones must be equal."""
    both = reference.merge(measured, on=KEYS, suffixes=("", "_now"), validate="one_to_one")
    # A mean of one draw has no error; it is another draw of the law that those of now tell the spread of.
    alone = (both["replicates"] == 1) & (both["standard_error_now"] > 0)
    both.loc[alone, "standard_error_now"] *= np.sqrt(1 + both["replicates_now"])
    both.loc[alone, ["standard_error", "replicates"]] = 0.0, 2
    values = {}
    for name, points in both.groupby(["series", "quantity"]):
        mean, now = points["mean"].to_numpy(), points["mean_now"].to_numpy()
        fixed = (points[["standard_error", "standard_error_now"]].fillna(0) == 0).all(axis=1).to_numpy()
        np.testing.assert_allclose(now[fixed], mean[fixed], rtol=1e-4)
        if fixed.all():
            continue
        points, mean, now = points[~fixed], mean[~fixed], now[~fixed]
        parts = [(points[error].to_numpy() / mean) ** 2 for error in ("standard_error", "standard_error_now")]
        total = sum(part.sum() for part in parts)
        spread = sum(
            (part**2 / (points[count].to_numpy() - 1)).sum()
            for part, count in zip(parts, ("replicates", "replicates_now"), strict=True)
        )
        t = (now / mean - 1).sum() / np.sqrt(total)
        values[name] = 2 * stats.t.sf(abs(t), total**2 / spread)
    return pd.Series(values)


@pytest.fixture(scope="module", params=SMALL)
def compared(
    request: pytest.FixtureRequest, undrawn: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[pd.DataFrame, Outcome]:
    folder = tmp_path_factory.mktemp("results")
    reference = pd.read_csv(REFERENCE / f"{request.param}.csv.gz")
    outcome = run(
        request.param, results_dir=str(folder), workers=1, progress=False, seed=20_140_615, **SMALL[request.param]
    )
    return reference, outcome


def of(outcome: Outcome) -> pd.DataFrame:
    config = yaml.safe_load((outcome.folder / "config.yaml").read_text(encoding="utf-8"))
    table = summary(outcome.frame, config)
    return table[table["state"].isin(["used", "saturated"])]


def test_a_run_with_another_seed_agrees_with_the_reference(compared: tuple[pd.DataFrame, Outcome]) -> None:
    reference, outcome = compared
    assert len(reference.merge(of(outcome), on=KEYS)) == len(of(outcome)), "the reference lacks grid points"
    found = p_values(reference, of(outcome))
    assert len(found) >= 3
    assert found.min() > FALSE_ALARM / len(SMALL) / len(found), found.sort_values()


def test_a_reference_that_is_a_tenth_off_is_noticed(compared: tuple[pd.DataFrame, Outcome]) -> None:
    reference, outcome = compared
    claim = reference[(reference["role"] == "claim") & (reference["quantity"] == "excess_risk")]
    found = p_values(claim.assign(mean=1.1 * claim["mean"]), of(outcome))
    assert found.min() < FALSE_ALARM / len(SMALL) / len(found)


def test_the_reference_has_a_table_of_every_experiment() -> None:
    assert {path.name.removesuffix(".csv.gz") for path in REFERENCE.glob("*.csv.gz")} == {
        path.stem for path in EXPERIMENTS.glob("*.yaml")
    }


def test_the_reference_ledger_judges_by_the_checks_of_today() -> None:
    ledger = json.loads(unpacked(REFERENCE / "ledger.json.gz"))
    measured = {
        measurement["experiment"]: measurement["checks"]
        for claim in ledger["claims"]
        for measurement in claim["measurements"]
    }
    assert set(measured) == {path.stem for path in EXPERIMENTS.glob("*.yaml")}
    stale = []
    for experiment, checks in measured.items():
        today = composed(experiment).config["checks"]
        for name, check in checks.items():
            now = build(name, today[name]) if name in today else None
            if now is None or any(check[key] != getattr(now, key) for key in ("role", "expected", "margin")):
                stale.append((experiment, name))
    assert not stale, "run make reference"
