"""``python -m dprepro plot``: what it draws, what it is called, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.cheap_experiment import command
from helpers.small_runs import OVERRIDE, TWICE

from dprepro.figures import style


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the commands of a test have drawn; their files are tiny."""
    found: list[Any] = []

    def rendered(figure: Any, fingerprint: str = "", style: str = "screen") -> dict[str, bytes]:
        found.append(figure)
        return {"png": b"png", "pdf": b"pdf"}

    monkeypatch.setattr(style, "rendered", rendered)
    return found


def _legend(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_runs_are_drawn_in_one_figure_by_their_labels_overrides_or_names(
    small_results: Path, elsewhere: Path, figures: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    (unnamed,) = (path for path in (small_results / "small/overridden").iterdir() if path.name != "twice")
    assert command("plot", "small", TWICE, unnamed, f"results_dir={small_results}", "axis=n") == 0
    assert capsys.readouterr().out == "written: plot.png\n"
    assert [path.name for path in elsewhere.iterdir()] == ["plot.png"]
    (figure,) = figures
    assert len(figure.axes) == 1
    assert _legend(figure)[:3] == ["small", "twice", OVERRIDE]
    assert figure.axes[0].get_xlabel() == "records n"


def test_the_curves_of_a_run_are_its_measurements(small_results: Path, elsewhere: Path, figures: list[Any]) -> None:
    assert command("plot", TWICE, f"results_dir={small_results}", "quantity=noise_moments", "output=x.pdf") == 0
    assert (elsewhere / "x.pdf").read_bytes() == b"pdf"
    rows = pd.read_parquet(small_results / TWICE / "measurements.parquet")
    own = rows[(rows["series"] == "needle") & (rows["quantity"] == "noise_moments")]
    means = {point: part["value"].mean() for point, part in own.groupby(["n", "p"])}
    shown = [line.get_xydata() for line in figures[0].axes[0].lines if line.get_marker() == "o"]
    drawn = sorted((x, y) for line in shown for x, y in line if line.shape == (5, 2))
    expected = sorted((n, mean) for (n, _), mean in means.items())
    assert np.array(drawn) == pytest.approx(np.array(expected))


def test_runs_of_one_name_are_called_as_they_were_asked_for(
    small_results: Path, elsewhere: Path, figures: list[Any]
) -> None:
    assert command("plot", "small", small_results / "small", f"results_dir={small_results}") == 0
    assert _legend(figures[0])[:2] == ["small", str(small_results / "small")]


def test_chosen_series_of_several_runs_bear_both_names(
    small_results: Path, elsewhere: Path, figures: list[Any]
) -> None:
    assert command("plot", "small", TWICE, "series=needle,output_zero", f"results_dir={small_results}") == 0
    assert _legend(figures[0])[:2] == ["small: the needle (claim)", "small: output zero"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "plot needs a run"),
        (["smal"], "unknown run 'smal' (did you mean small?)"),
        (["small", "axis=epsilon"], "unknown axis 'epsilon'"),
        (["small", "series=nail"], "unknown series 'nail'"),
        (["small", "quantity=risk"], "unknown quantity 'risk'"),
        (["small", "output=plot.gif"], "unknown ending of output '.gif'; choices: .pdf, .png"),
        (["small", "output=nowhere/plot.png"], "cannot write nowhere/plot.png"),
        (["small", "colour=red"], "unknown argument"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    small_results: Path, elsewhere: Path, figures: list[Any], capsys: pytest.CaptureFixture[str],
    arguments: list[str], said: str,
) -> None:  # fmt: skip
    assert command("plot", *arguments, f"results_dir={small_results}") == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(elsewhere.iterdir())


def test_an_axis_that_one_run_does_not_sweep_is_said_of_that_run(
    small_results: Path, elsewhere: Path, figures: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    (unnamed,) = (path for path in (small_results / "small/overridden").iterdir() if path.name != "twice")
    assert command("plot", "small", unnamed, f"results_dir={small_results}", "axis=p") == 2
    assert f"{OVERRIDE} has one value of p only; its axes with several: n" in capsys.readouterr().err
