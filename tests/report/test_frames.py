"""The tables, the plot and the HTML of an outcome, held against what is computed here from the bare measurements."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from helpers.cheap_experiment import python
from helpers.small_runs import OVERRIDE, TWICE
from matplotlib.figure import Figure
from scipy.stats import t

import dprepro
from dprepro.errors import InputError
from dprepro.report.outcome import Outcome

SCIENCE = ("algorithms", "reductions", "constructions", "studies", "problems", "mechanisms", "privacy", "bounds")
POINT = ["n", "p"]


@pytest.fixture(scope="module")
def outcome(small_results: Path) -> Outcome:
    return dprepro.load("small", results_dir=small_results)


@pytest.fixture(scope="module")
def twice(small_results: Path) -> Outcome:
    return dprepro.load(TWICE, results_dir=small_results)


def values(outcome: Outcome, series: str, quantity: str = "excess_risk") -> dict[tuple[float, float], np.ndarray]:
    """The replicates of each point, read line by line from the file that the run left."""
    rows = pd.read_parquet(outcome.folder / "measurements.parquet").to_dict("records")
    found: dict[tuple[float, float], list[float]] = {}
    for row in rows:
        if (row["series"], row["quantity"], row["status"]) == (series, quantity, "ok"):
            found.setdefault((row["n"], row["p"]), []).append(row["value"])
    return {point: np.array(several) for point, several in found.items()}


def half_widths(points: dict[tuple[float, float], np.ndarray]) -> dict[tuple[float, float], float]:
    """99% half widths by Student's law: each point's own standard error, or the common relative spread if wider."""
    spread = np.mean([(own.std(ddof=1) / own.mean()) ** 2 for own in points.values()]) ** 0.5
    freedom = sum(len(own) - 1 for own in points.values())
    return {
        point: float(t.ppf(0.995, freedom) * max(own.std(ddof=1), spread * own.mean()) / len(own) ** 0.5)
        for point, own in points.items()
    }


def assert_sums_up(table: pd.DataFrame, outcome: Outcome, series: str) -> None:
    """The lines of a series have the means, intervals and ratios of its measurements."""
    points = values(outcome, series)
    half, own = half_widths(points), table[table["series"] == series]
    bounds = {(row["n"], row["p"]): row["bound"] for row in outcome.frame.query("series == @series").to_dict("records")
              if row["quantity"] == "excess_risk"}  # fmt: skip
    assert {(line["n"], line["p"]) for line in own.to_dict("records")} == points.keys()
    for line in own.to_dict("records"):
        point = (line["n"], line["p"])
        mean = points[point].sum() / len(points[point])
        expected = {
            "mean": mean, "low": mean - half[point], "high": mean + half[point], "bound": bounds[point],
            "ratio": mean / bounds[point], "replicates": len(points[point]),
        }  # fmt: skip
        assert {key: line[key] for key in expected} == pytest.approx(expected, rel=1e-9)


def test_a_summary_has_the_means_intervals_and_ratios_of_the_measurements(outcome: Outcome) -> None:
    assert_sums_up(outcome.summary(), outcome, "needle")


def test_a_ratio_that_is_wrong_by_a_hundredth_is_noticed(outcome: Outcome) -> None:
    table = outcome.summary()
    with pytest.raises(AssertionError):
        assert_sums_up(table.assign(ratio=1.01 * table["ratio"]), outcome, "needle")


def test_a_summary_has_a_line_for_each_series_and_point_and_claims_come_first(outcome: Outcome) -> None:
    table = outcome.summary()
    assert list(dict.fromkeys(zip(table["series"], table["role"], strict=True))) == [
        ("needle", "claim"), ("once", "context"), ("output_zero", "context"),
    ]  # fmt: skip
    assert not table.duplicated(["series", *POINT]).any()
    assert (table["series"] == "needle").sum() == 10


def test_the_exponent_is_the_common_slope_of_the_logarithms(outcome: Outcome) -> None:
    points = values(outcome, "needle")
    dimensions = sorted({p for _, p in points})
    design = [[math.log(n), *(float(p == dimension) for dimension in dimensions)] for n, p in points]
    slope = np.linalg.lstsq(np.array(design), np.log([own.mean() for own in points.values()]), rcond=None)[0][0]
    lines = outcome.summary().query("series == 'needle'")
    assert lines["exponent_n"].to_numpy() == pytest.approx(slope, abs=1e-9)
    assert (lines["exponent_n_low"] < -2 / 3).all()
    assert (lines["exponent_n_high"] > -2 / 3).all()
    assert lines["exponent_p"].isna().all()  # two values carry no slope


def test_a_random_series_without_replicates_has_no_interval_and_one_without_randomness_has_its_mean(
    outcome: Outcome,
) -> None:
    table = outcome.summary().set_index("series")
    assert table.loc[["once"], ["low", "high"]].isna().all(axis=None)
    zero = table.loc["output_zero"]
    assert (zero["low"] == zero["mean"]).all()
    assert (zero["high"] == zero["mean"]).all()
    assert zero["bound"].isna().all()
    assert zero["ratio"].isna().all()


def test_another_quantity_is_summed_up_by_name_and_an_unknown_one_is_refused(outcome: Outcome) -> None:
    table = outcome.summary("noise_moments").query("series == 'needle'")
    points = values(outcome, "needle", "noise_moments")
    assert list(table["mean"]) == pytest.approx(
        [points[n, p].mean() for n, p in zip(table["n"], table["p"], strict=True)]
    )
    with pytest.raises(
        InputError, match=r"unknown quantity 'risk'.* choices: certified_epsilon, excess_risk, noise_moments"
    ):
        outcome.summary("risk")


def test_long_and_wide_hold_every_measurement_once(outcome: Outcome) -> None:
    keys = ["series", *POINT, "replicate"]
    measured = {
        (*(row[key] for key in keys), row["quantity"]): row["value"] for row in outcome.frame.to_dict("records")
    }
    long, wide = outcome.long(), outcome.wide()
    assert len(long) == len(outcome.frame) == len(measured)
    assert {(*(row[key] for key in keys), row["quantity"]): row["value"] for row in long.to_dict("records")} == measured
    assert len(wide) == len(outcome.frame.drop_duplicates(["series", "key"])) == len(wide.drop_duplicates(keys))
    seen = {
        (*(row[key] for key in keys), quantity): row[quantity]
        for row in wide.to_dict("records")
        for quantity in ("excess_risk", "noise_moments", "certified_epsilon")
        if not math.isnan(row[quantity])
    }
    assert seen == measured
    assert "excess_risk_bound" in wide


def test_a_cell_that_failed_stands_in_every_table_and_has_no_numbers(outcome: Outcome) -> None:
    frame = outcome.frame.copy()
    lost = frame["key"] == frame.loc[frame["series"] == "once", "key"].iloc[0]
    frame = frame[~lost | (frame["quantity"] == "excess_risk")]
    frame.loc[lost, ["value", "status"]] = [math.nan, "failed: ValueError: no"]
    damaged = Outcome(_with(outcome, frame=frame), 1, 0, 0)
    (line,) = damaged.summary().query("series == 'once'").to_dict("records")
    assert (line["state"], line["replicates"]) == ("failed", 0)
    assert math.isnan(line["mean"])
    (line,) = damaged.wide().query("series == 'once'").to_dict("records")
    assert line["status"] == "failed: ValueError: no"
    assert math.isnan(line["excess_risk"])


def test_a_comparison_has_the_ratio_of_the_means_with_its_interval_at_every_common_point(
    outcome: Outcome, twice: Outcome
) -> None:
    table = outcome.compare(twice, axis="n")
    mine, theirs = values(outcome, "needle"), values(twice, "needle")
    halves = half_widths(mine), half_widths(theirs)
    assert len(table) == 10
    for line in table.to_dict("records"):
        point = (line["n"], line["p"])
        ratio = mine[point].mean() / theirs[point].mean()
        off = math.hypot(halves[0][point] / mine[point].mean(), halves[1][point] / theirs[point].mean())
        expected = {"ratio": ratio, "low": ratio * math.exp(-off), "high": ratio * math.exp(off)}
        assert {key: line[key] for key in expected} == pytest.approx(expected, rel=1e-9)
    assert set(table["run"]) == {"twice"}
    far = table[table["n"] == table["n"].max()]  # twice the budget: the rate falls by 2^(2/3)
    assert far["ratio"].to_numpy() == pytest.approx(2 ** (2 / 3), rel=0.02)


def test_runs_are_compared_at_the_points_that_both_have(outcome: Outcome, small_results: Path) -> None:
    other = _overridden(small_results)
    assert set(outcome.compare(other)["p"]) == {100}
    assert outcome.compare(other)["ratio"].to_numpy() == pytest.approx(1.0)  # they share their cells
    with pytest.raises(InputError, match=r"unknown axis 'epsilon'.*choices: n, p"):
        outcome.compare(other, axis="epsilon")
    with pytest.raises(InputError, match=r"unknown series 'nail'.*choices: needle, once, output_zero"):
        outcome.compare(other, series="nail")
    with pytest.raises(InputError, match="needs another outcome"):
        outcome.compare()
    for ask in (outcome.compare, outcome.plot):
        with pytest.raises(InputError, match=r"'needle' is no outcome; .* is dprepro.load\('NAME'\)"):
            ask("needle")


def test_a_plot_stands_on_the_axes_that_are_passed_and_shows_the_summary(outcome: Outcome) -> None:
    before = dict(matplotlib.rcParams)
    panel = Figure().subplots()
    assert outcome.plot(axis="n", ax=panel) is panel
    assert dict(matplotlib.rcParams) == before
    table = outcome.summary().query("series == 'needle'")
    drawn = np.concatenate([bars.get_segments() for bars in panel.collections])
    shown = sorted((x, low, high) for (x, low), (_, high) in drawn)
    expected = sorted(zip(table["n"], table["low"], table["high"], strict=True))
    assert np.array(shown) == pytest.approx(np.array(expected))
    assert _texts(panel)[0] == "the needle (claim)"
    constant = outcome.verdict["checks"]["exponent_n"]["constant"]
    assert f"rate × {constant:.4g} (fitted)" in _texts(panel)
    rates = [line for line in panel.lines if line.get_gid() == "rate"]
    expected = outcome.frame.query("series == 'needle' and quantity == 'excess_risk'").groupby(POINT)["rate"].mean()
    assert sorted(y for line in rates for y in line.get_ydata()) == pytest.approx(sorted(constant * expected))
    assert sum(str(line.get_gid()).startswith("bound of") for line in panel.lines) == 2  # one for each p


def test_means_below_zero_keep_their_intervals_on_a_linear_axis(outcome: Outcome) -> None:
    negative = Outcome(_with(outcome, frame=outcome.frame.assign(value=-outcome.frame["value"])), 0, 0, 0)
    panel = negative.plot(axis="n", quantity="noise_moments", ax=Figure().subplots())
    table = negative.summary("noise_moments").query("series == 'needle'")
    lows = [low for bars in panel.collections for (_, low), _ in bars.get_segments()]
    assert panel.get_yscale() == "linear"
    assert sorted(lows) == pytest.approx(sorted(table["low"]))


def test_a_plot_without_axes_makes_new_ones_and_series_can_be_chosen(outcome: Outcome) -> None:
    panel = outcome.plot(axis="p", series=["needle", "output_zero"])
    assert [text for text in _texts(panel) if text.endswith("output zero")]
    assert panel.get_xlabel() == "dimension p"
    assert panel.get_title().startswith("Theorem 2.5, small: confirmed")
    plt.close(panel.figure)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"axis": "epsilon"}, "unknown axis 'epsilon'.*choices: n, p"),
        ({"series": "needel"}, "unknown series 'needel' .did you mean needle.*choices: needle, once, output_zero"),
        ({"quantity": "risk"}, "unknown quantity 'risk'.*choices: certified_epsilon, excess_risk, noise_moments"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_choices(outcome: Outcome, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        outcome.plot(**asked)


def test_runs_are_drawn_over_one_another_each_under_its_name(
    outcome: Outcome, twice: Outcome, small_results: Path
) -> None:
    panel = outcome.plot(twice, _overridden(small_results), axis="n", ax=Figure().subplots())
    assert _texts(panel)[:3] == ["small", "twice", OVERRIDE]


def test_the_representation_is_one_line_and_says_experiment_and_verdict(outcome: Outcome) -> None:
    said = repr(outcome)
    assert "\n" not in said
    assert "small: confirmed" in said
    assert str(outcome.folder) in said


def test_a_notebook_shows_verdict_figure_summary_and_checks_and_nothing_is_markup(outcome: Outcome) -> None:
    verdict = {**outcome.verdict, "claim": '<script>alert(1)</script> & "more"'}
    verdict["checks"] = {"<b>bold</b>": verdict["checks"]["below_bound"]}
    frame = outcome.frame.assign(series=outcome.frame["series"].replace("needle", "<img src=x>"))
    shown = Outcome(_with(outcome, verdict=verdict, frame=frame), 0, 0, 0)._repr_html_()
    for hostile in ("<script", "<b>", "<img src=x"):
        assert hostile not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;" in shown
    assert "&lt;img src=x&gt;" in shown
    assert "data:image/png;base64," in shown
    first = f"{outcome.summary()['mean'].iloc[0]:.4g}"
    assert f"<td>{first}</td>" in outcome._repr_html_()
    assert "<td>half_the_bound</td><td>control</td><td>refuted</td>" in outcome._repr_html_()


def test_a_stored_run_is_loaded_by_name_folder_or_path_and_from_the_store_alone(
    small_results: Path, outcome: Outcome, twice: Outcome, tmp_path: Path
) -> None:
    assert dprepro.load(small_results / TWICE).verdict == twice.verdict
    assert twice.verdict["overrides"] == ["sweep.epsilon=[2]"]
    assert (outcome.measured, outcome.reused, outcome.failed) == (0, 40, 0)
    copy = tmp_path / "results"
    copy.mkdir()
    for file in small_results.glob("measurements.sqlite*"):
        shutil.copy(file, copy)
    alone = dprepro.load("small", results_dir=copy)
    pd.testing.assert_frame_equal(alone.summary(), outcome.summary())
    assert alone.verdict["checks"] == outcome.verdict["checks"]
    assert not (copy / "small").exists()  # nothing is written


def test_a_run_that_is_not_there_is_refused_with_those_that_are(small_results: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"unknown run 'smal'.*choices: small, .*{TWICE}"):
        dprepro.load("smal", results_dir=small_results)
    with pytest.raises(InputError, match="there is no store in"):
        dprepro.load("small", results_dir=tmp_path)


def test_no_algorithm_is_imported_for_a_stored_run(small_results: Path) -> None:
    code = """
import sys, dprepro
from matplotlib.figure import Figure
outcome = dprepro.load("small", results_dir=sys.argv[1])
outcome.summary(), outcome.wide(), outcome.long(), outcome.compare(outcome)
outcome.plot(ax=Figure().subplots()), outcome._repr_html_()
print(sorted(name for name in sys.modules if name.split(".")[:1] == ["dprepro"]))
"""
    done = python(code, small_results)
    assert done.returncode == 0, done.stderr
    assert not [room for room in SCIENCE if f"'dprepro.{room}" in done.stdout]


def _overridden(small_results: Path) -> Outcome:
    (folder,) = (path for path in (small_results / "small/overridden").iterdir() if path.name != "twice")
    return dprepro.load(folder)


def _texts(panel: Any) -> list[str]:
    return [text.get_text() for text in panel.get_legend().get_texts()]


def _with(outcome: Outcome, **changes: Any) -> Any:
    import dataclasses

    return dataclasses.replace(outcome.published, **changes)
