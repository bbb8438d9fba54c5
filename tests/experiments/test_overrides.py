"""Whatever a user changes, no claim is called refuted that is true; a falsehood is, and what is lacking is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.shipped import composed

from dprepro.config import checked_experiment
from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.errors import InputError
from dprepro.report import picture
from dprepro.session import run_experiment
from dprepro.support.folders import experiment_files

pytestmark = pytest.mark.usefixtures("undrawn", "unforetold")

MOVED = {"n": 1.7, "p": 1.5, "epsilon": 0.5, "delta": 0.1, "norm": 0.5}
"""By axis what its values are multiplied with: another grid, of the same span."""

WITH_TABLES = ("linear_regression_table", "lasso_data", "advice", "pair")
"""They are about a table of the user's, or about the advice, and have no grid of a theorem."""

NEVER = ("privacy_audit", "privacy_audit_glm")
"""An hour and more at another grid."""


@pytest.fixture
def unforetold(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long is not said before, for which every override is composed away; see test_reach."""
    monkeypatch.setattr(checked_experiment, "reach", lambda *_: [])


def values(axis: str, given: object) -> list[float]:
    found = [MOVED[axis] * one for one in given if isinstance(one, int | float)] if isinstance(given, list) else []
    return [float(round(one)) if axis in ("n", "p") else one for one in found]


def moved(config: Mapping[str, Any], axis: str) -> list[str]:
    """Overrides that move an axis wherever it is swept."""
    said = [f"sweep.{axis}={one}" for one in [values(axis, config["sweep"].get(axis))] if one]
    for label, value in (config["study"].get("series") or {}).items():
        own = values(axis, (value.get("sweep") or {}).get(axis)) if isinstance(value, Mapping) else []
        said += [f"study.series.{label}.sweep.{axis}={own}"] if own else []
    return said


def refuted(name: str, overrides: list[str], results_dir: Path) -> dict[str, str]:
    """The claims that come out refuted, each with its reason, and those that are inconclusive without one."""
    asked = [f"+experiment={name}", f"results_dir={results_dir}", "workers=1", *overrides]
    checks = run_experiment(build_experiment(compose(asked)), progress=False).verdict["checks"]
    claims = {key: check for key, check in checks.items() if check["role"] == "claim"}
    silent = [key for key, claim in claims.items() if claim["verdict"] == "inconclusive" and not claim["reason"]]
    assert not silent
    return {key: claim["reason"] for key, claim in claims.items() if claim["verdict"] == "refuted"}


def moves() -> Iterator[tuple[str, str]]:
    for name in experiment_files():
        if name not in (*WITH_TABLES, *NEVER):
            yield from ((name, axis) for axis in MOVED)


CHEAP = ["~study.series.steps_too_many", "~checks.steps_too_many", "~study.series.as_printed", "replicates=2",
         "~checks.exponent_n_as_printed", "~checks.laplace_within_budget", "~checks.context_below_bound",
         "study.series.tuned_needle.replicates=2"]  # fmt: skip
"""What takes most of the time of lasso_rate."""
FEW = ["study.draws=8", "replicates=2", "study.series.gaussian.replicates=2", "~study.series.box",
       "~study.series.box_l1", "~study.series.l1_ball", "~study.series.l2_ball_gamma", "~study.series.literal",
       "~study.series.literal_gamma", "~checks.as_literal", "~checks.as_literal_gamma"]  # fmt: skip
"""What takes most of the time of objective_perturbation, and is no claim or has an epsilon of its own."""
QUICK = [
    ("lasso_rate", [*CHEAP, "sweep.epsilon=[0.5]"]),
    ("lasso_rate", [*CHEAP, "construction=iid_design", "sweep.p=[200]"]),
    ("lasso_rate", [*CHEAP, "sweep.epsilon=[5]", "sweep.delta=[1e-3]", "sweep.p=[300]"]),
    ("objective_perturbation", [*FEW, "sweep.epsilon=[0.5]"]),
]


@pytest.fixture(scope="module")
def results_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for all: what only judges otherwise measures nothing again."""
    return tmp_path_factory.mktemp("results")


@pytest.mark.parametrize(("name", "overrides"), QUICK)
def test_an_override_of_numbers_or_data_refutes_no_theorem(name: str, overrides: list[str], results_dir: Path) -> None:
    assert refuted(name, overrides, results_dir) == {}


@pytest.fixture
def unpictured(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figure: of these overrides another test puts it together."""
    monkeypatch.setattr(picture, "files", lambda *_: {})


@pytest.mark.usefixtures("unpictured")
@pytest.mark.parametrize(
    ("overrides", "check"),
    [
        (["checks.exponent_n.expected=-0.5"], "exponent_n"),
        (["checks.below_bound.expected=0.5"], "below_bound"),
    ],
)
def test_a_falsehood_that_is_planted_is_refuted(overrides: list[str], check: str, results_dir: Path) -> None:
    assert check in refuted("lasso_rate", [*CHEAP, "sweep.epsilon=[0.5]", *overrides], results_dir)


@pytest.mark.usefixtures("unpictured")
def test_an_algorithm_with_half_its_noise_is_refuted_whatever_the_epsilon(results_dir: Path) -> None:
    overrides = [
        "+algorithm.noise_factor=0.5",
        "sweep.epsilon=[0.5]",
        "study.values=[2,inf]",  # noise and budget read no data
        *FEW,
        "+study.series.exact_noise.algorithm.noise_factor=0.5",
    ]  # half of what is printed the budget allows
    assert {"schedule_noise_scale", "within_budget"} <= {*refuted("objective_perturbation", overrides, results_dir)}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "axis"), list(moves()))
def test_no_experiment_is_refuted_at_other_values_of_an_axis(name: str, axis: str, tmp_path: Path) -> None:
    overrides = moved(composed(name).config, axis)
    if not overrides:
        pytest.skip(f"{name} does not sweep {axis}")
    try:
        found = refuted(name, overrides, tmp_path)
    except InputError:  # in one line: an algorithm may refuse other numbers
        found = {}
    assert found == {}
