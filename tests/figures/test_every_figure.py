"""The figures of all experiments, on made-up measurements: the one of all says its verdict and each claim's bound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from helpers.drawn_figures import plain, title
from helpers.fabricated import fabricate

from dprepro import figures
from dprepro.figures.rate_figure import RateFigure
from dprepro.figures.words import comparison, headline, judged
from paper_figures.measured import Measurements

EXPERIMENTS = Path(__file__).parent.parent.parent / "conf" / "experiment"
NAMES = sorted(path.stem for path in EXPERIMENTS.glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_no_label_says_what_a_series_role_or_verdict_is(name: str) -> None:
    figure = yaml.safe_load((EXPERIMENTS / f"{name}.yaml").read_text(encoding="utf-8")).get("figure", {})
    assert "heading" not in figure
    assert not [text for text in figure.get("labels", {}).values() if "(c" in text or "refuted" in text]


def drawn_kinds() -> set[str]:
    texts = [yaml.safe_load((EXPERIMENTS / f"{name}.yaml").read_text(encoding="utf-8")) for name in NAMES]
    return {text.get("figure", {}).get("name", "rate") for text in texts}


def test_every_kind_of_figure_is_that_of_an_experiment_whose_figure_is_tried_below() -> None:
    assert drawn_kinds() == set(figures.FIGURES)


def test_a_new_kind_of_figure_is_covered_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that no experiment draws, and so no test, is noticed."""
    monkeypatch.setitem(figures.FIGURES, "planted", RateFigure)
    with pytest.raises(AssertionError):
        test_every_kind_of_figure_is_that_of_an_experiment_whose_figure_is_tried_below()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_figure_says_its_verdict_and_what_was_judged_of_what_it_shows(name: str, tmp_path: Path) -> None:
    fabricate(tmp_path, [name])
    one = Measurements(str(tmp_path)).of(name)
    drawing = figures.build(one.config["figure"])
    figure = drawing.draw_all(one.frame, one.verdict, one.config)
    said = title(figure)
    assert plain(headline(one.verdict)) in said
    if not isinstance(drawing, RateFigure):
        return
    axes = (drawing.axis,) if isinstance(drawing.axis, str) else drawing.axis
    shown = set(drawing.series or one.frame["series"]) - set(drawing.hide)
    for claim in judged(one.verdict, one.config):
        axis = claim.options.get("axis", "n")
        if claim.rule == "exponent" and axis in axes and claim.series(shown) and claim.quantity == drawing.quantity:
            assert plain(comparison(claim, axis)) in said, claim.name


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_claim_that_a_rate_figure_shows_has_its_own_bound(name: str, tmp_path: Path) -> None:
    fabricate(tmp_path, [name])
    one = Measurements(str(tmp_path)).of(name)
    drawing = figures.build(one.config["figure"])
    if not isinstance(drawing, RateFigure):
        return
    # a bound for each series that no other has
    series = {label: place for place, label in enumerate(dict.fromkeys(one.frame["series"]))}
    frame = one.frame.assign(bound=one.frame["bound"] * np.exp(0.613 * one.frame["series"].map(series)))
    figure = drawing.draw_all(frame, one.verdict, one.config)
    lines = {str(line.get_gid()): line for panel in figure.axes for line in panel.lines}
    shown = [str(handle.get_label()) for panel in figure.axes for handle in panel.containers]
    claims = frame[(frame["role"] == "claim") & (frame["quantity"] == drawing.quantity) & frame["bound"].notna()]
    for label, rows in claims.groupby("series"):
        text = drawing.labels.get(str(label), str(label).replace("_", " "))
        if any(entry.startswith(f"{text} (claim)") for entry in shown):
            drawn = lines[f"bound of {label}"].get_ydata()
            assert np.isclose(np.asarray(drawn)[:, None], rows["bound"].to_numpy()[None, :]).any(axis=1).all()
