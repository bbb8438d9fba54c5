"""Constants of predictions: fitted to one half of the cases, tested on the other."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from dprepro.config.compose import compose
from dprepro.practice.constants import FittedConstant, PredictionCase, fit, fitted, measured_cases, shipped, written
from dprepro.practice.prediction import SOURCES


def cases(factor: float, held_out: float) -> list[PredictionCase]:
    noise = (0.99, 1.0, 1.01, 1.0)
    return [
        *(PredictionCase("release", "smooth", 1.0, factor * one, False) for one in noise),
        *(PredictionCase("release", "smooth", 1.0, held_out * one, True) for one in noise),
    ]


def test_a_factor_that_all_cases_have_is_taken_out_and_the_other_half_tests_it() -> None:
    found = fit(cases(2.0, 2.0))["release smooth"]
    assert found.constant == pytest.approx(2.0, rel=1e-2)
    assert found.low < found.constant < found.high
    assert found.cases == found.tested == 4
    assert found.nine_of_ten < 0.02


def test_the_held_out_half_has_no_part_in_the_fit_and_notices_a_factor_of_two() -> None:
    found = fit(cases(1.0, 2.0))["release smooth"]
    assert found.constant == 1.0
    assert found.median == pytest.approx(0.5, abs=0.01)


def test_what_chance_explains_is_no_constant() -> None:
    some = [PredictionCase("release", "smooth", 1.0, ratio, False) for ratio in (0.8, 1.3, 1.1, 0.9)]
    assert fit(some)["release smooth"].constant == 1.0


def test_kinds_without_cases_have_the_errors_of_their_source_or_of_all() -> None:
    table = fit(cases(1.0, 1.1))
    for key in (("release", "kinked"), ("choice", "smooth")):
        assert fitted(*key, table).median == pytest.approx(0.09, abs=0.01)
    assert fitted("choice", "smooth", {}).constant == 1.0


def test_the_file_that_ships_has_every_source_and_says_what_its_text_says() -> None:
    table = shipped()
    assert {key.split()[0] for key in table} == {*SOURCES, "any"}
    assert all(
        isinstance(one, FittedConstant) and one.tested and 0 < one.median <= one.nine_of_ten for one in table.values()
    )
    assert "NaN" not in written(table)
    # the numbers of the claim: half within 10%, nine of ten within 30%
    assert table["any any"].median < 0.1
    assert table["any any"].nine_of_ten < 0.3
    assert table["any any"].tested >= 30


def test_cases_are_read_from_the_measurements_of_the_experiment(tmp_path: Path) -> None:
    rows = {
        "series": ["fitted", "held_out", "problems", "fitted"], "case": [0.0, 0.0, 0.0, 1.0],
        "quantity": ["excess_risk", "excess_risk", "regret", "prediction_error"], "value": [2.0, 3.0, 1.0, 0.5],
        "status": ["ok"] * 4, "source": ["release"] * 4, "losses": ["smooth"] * 4, "unfitted": [1.0] * 4,
    }  # fmt: skip
    pd.DataFrame(rows).to_parquet(tmp_path / "measurements.parquet")
    assert measured_cases(tmp_path / "measurements.parquet") == [
        PredictionCase("release", "smooth", 1.0, 2.0, False), PredictionCase("release", "smooth", 1.0, 3.0, True)
    ]  # fmt: skip


def test_the_experiment_holds_back_at_least_thirty_of_at_least_sixty_cases_over_all_losses_and_sets() -> None:
    study = compose(["+experiment=advice"]).config["study"]
    held, every = study["held_out"], [*study["held_out"], *study["fitted"]]
    assert len(held) >= 30
    assert len(every) >= 60
    assert {case["algorithm"] for case in held} == set(study["algorithms"]) == {case["algorithm"] for case in every}
    assert {case["set"] for case in held} == {"l2", "l1", "box", "simplex"}
    assert {case["loss"] for case in every} >= {
        "squared", "half_squared", "logistic", "huber", "absolute", "hinge", "positive_part", "linear",
        "half_squared_distance",
    }  # fmt: skip
    assert not math.isnan(float(len(held)))
