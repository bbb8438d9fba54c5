"""Figures that are read at a glance: few entries, a verdict on one line, no text on another, grey is enough."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers.drawn_figures import (
    alike_in_grey,
    cells,
    check,
    collisions,
    config,
    entries,
    laid_out,
    plain,
    texts_of,
    title,
    verdict,
)

from dprepro import figures
from dprepro.figures.fitting import MOST_ENTRIES
from dprepro.figures.style import WIDTHS, rendered, styled
from paper_figures.measured import Measurements

ROOT = Path(__file__).parent.parent.parent
NAMES = sorted(path.stem for path in (ROOT / "conf" / "experiment").glob("*.yaml"))
SIZES = list(np.geomspace(1e2, 1e4, 5))
PRIVACY = [0.1, 0.3, 1.0, 3.0]
LONG = "noisy gradient descent with steps that decay, averaged over the second half of its run"


def rates():
    """A claim along n and epsilon, one along n for three masses, a control, what is false as printed, and context."""

    def risk(at):
        return 1 / (at["n"] * at["epsilon"])

    rows = cells("slow", "control", {"n": SIZES}, lambda at: at["n"] ** -0.5)
    rows += cells("main_n", "claim", {"n": SIZES}, risk, bound=lambda at: 3 * risk(at), rate=risk)
    rows += cells("main_epsilon", "claim", {"epsilon": PRIVACY}, risk, bound=lambda at: 3 * risk(at), rate=risk)
    rows += cells("printed", "context", {"n": SIZES}, lambda at: 2 * at["n"] ** -0.7)
    return rows + cells("other", "context", {"n": SIZES}, lambda at: 0.3 / at["n"])


OPTIONS = {
    "exponent_n": {"series": "main_n", "axis": "n"},
    "exponent_epsilon": {"series": "main_epsilon", "axis": "epsilon"},
    "slow": {"series": "slow", "axis": "n"},
}


def judged(**further):
    return verdict(
        exponent_n=check(constant=1.0), exponent_epsilon=check(constant=1.1),
        slow=check(role="control", estimate=-0.5, verdict="refuted"), **further,
    )  # fmt: skip


def rate(which="draw", result=None, **options):
    drawing = figures.build({"name": "rate", "axis": ["n", "epsilon"], **options})
    return getattr(drawing, which)(pd.DataFrame(rates()), result or judged(), config(**OPTIONS))


def masses(**options):
    """Three curves of a claim, two of which nearly meet, and a control with three."""
    rows = cells("steep", "claim", {"n": SIZES, "mass": [1.0, 1.1, 30.0]}, lambda at: at["mass"] / at["n"])
    rows += cells("flat", "control", {"n": SIZES, "mass": [1.0, 1.1, 30.0]}, lambda at: at["mass"] / at["n"] ** 0.5)
    settings = config({"mass": [1.0]}, steep={"series": "steep"}, flat={"series": "flat"})
    result = verdict(steep=check(), flat=check(role="control", verdict="refuted"))
    return figures.build({"name": "rate", **options}).draw(pd.DataFrame(rows), result, settings)


def attack(**options):
    """A claim that is caught never, one that is caught seldom, and a control that is caught always."""
    rows = []
    for name, role, rate in (("private", "claim", 0.0), ("seldom", "claim", 0.1), ("broken", "control", 1.0)):
        for quantity in ("caught", "risk"):
            found = cells(name, role, {"epsilon": PRIVACY}, rate, bound=0.4)
            rows += [row | {"quantity": quantity, "trials": 40} for row in found]
    data = pd.DataFrame(rows).assign(value=lambda rows: rows["value"].clip(upper=1))
    settings = config(caught={"series": "private", "quantity": "caught"}, risk={"series": "seldom", "quantity": "risk"})
    below = check("below", 0.3, expected=1, margin=0)
    drawing = figures.build({"name": "attack", "panels": ["caught", "risk"], "logarithmic": ["caught"], **options})
    return drawing.draw(data, verdict(caught=below, risk=below), settings)


DRAWN = {"rate": rate, "masses": masses, "attack": attack}


@pytest.mark.parametrize(("style", "columns"), [("screen", None), ("paper", 1), ("paper", 2)])
@pytest.mark.parametrize("name", DRAWN)
def test_no_text_lies_on_another_or_leaves_the_figure(name, style, columns):
    more = {} if columns is None else {"columns": columns}
    figure = DRAWN[name](style=style, labels={"main_n": LONG, "steep": LONG, "private": LONG}, **more)
    with styled(style):
        assert collisions(laid_out(figure)) == []
    if columns:
        assert figure.get_figwidth() == WIDTHS[style][columns]


def test_texts_that_lie_on_one_another_are_seen():
    figure = rate()
    panel = figure.axes[0]
    for height in (0.5, 0.51):  # planted
        panel.text(0.5, height, "a text", transform=panel.transAxes)
    panel.text(
        0.99, 0.2, "a text that goes on and on beyond the edge of the figure and the paper", fontsize=20
    ).set_in_layout(False)
    found = collisions(laid_out(figure))
    assert any(one == "'a text' lies on 'a text'" for one in found)
    assert any("leaves the figure" in one for one in found)


@pytest.mark.parametrize("name", DRAWN)
def test_without_colour_markers_and_dashes_tell_lines_apart(name):
    figure = DRAWN[name]()
    assert alike_in_grey(figure) == []
    first = next(line for line in figure.axes[0].lines if len(line.get_xdata()) > 1)
    (copy,) = figure.axes[0].plot([1, 2], [1, 2], color="red")  # planted: the same in another colour
    copy.update_from(first)
    copy.set_color("red")
    assert alike_in_grey(figure)


def test_a_panel_for_each_axis_has_claim_bound_rate_and_one_control():
    figure = rate()
    assert [panel.get_xlabel() for panel in figure.axes] == ["records n", "privacy ε"]
    assert entries(figure) == [
        "claim: measured",
        "control: slow (refuted)",
        "explicit bound",
        "rate × 1 to 1.1 (fitted)",
    ]
    assert plain(figure.get_suptitle()) == "Theorem 7: confirmed"


def test_what_the_first_figure_leaves_out_stands_in_the_second():
    said = [text for text, _ in texts_of(laid_out(rate("draw_all")))]
    for series in (
        "main n (claim)",
        "main epsilon (claim)",
        "printed",
        "other",
        "slow (control, refuted by its slope)",
    ):
        assert series in said
    assert "printed" not in entries(rate())
    assert {"local slope"} <= {panel.get_ylabel() for panel in rate("draw_all").axes}


def test_what_is_not_confirmed_is_never_left_out():
    refuted = judged(exponent_p=check(estimate=0.9, expected=0.5, verdict="refuted")) | {"verdict": "refuted"}
    rows = rates() + cells("main_p", "claim", {"p": [10.0, 100.0, 1000.0]}, lambda at: at["p"] ** 0.9)
    rows += cells("main_m", "claim", {"norm": [1.0, 2.0, 4.0]}, lambda at: at["norm"])
    settings = config(
        **OPTIONS, exponent_p={"series": "main_p", "axis": "p"}, exponent_norm={"series": "main_m", "axis": "norm"}
    )
    refuted["checks"]["exponent_norm"] = check()
    drawing = figures.build({"name": "rate", "axis": ["n", "epsilon", "norm"]})
    said = title(drawing.draw(pd.DataFrame(rows), refuted, settings))
    assert "Theorem 7: refuted (exponent_p)" in said
    assert "0.900 ± 0.010, claimed 0.5 ± 0.05: refuted" in said


def test_a_long_statement_stands_on_one_line_and_its_verdict_stays_whole():
    long = judged() | {"claim": f"Theorem 7, the rate of {LONG} on all data of the family that it names"}
    head = rate(result=long).get_suptitle()
    assert "\n" not in head
    assert head.endswith("…: confirmed")


def test_curves_are_named_beside_themselves_and_those_on_one_another_once():
    names = {text.get_text() for text in masses().axes[0].texts}
    assert names == {"mass = 1, 1.1", "mass = 30"}


def test_a_claim_that_is_never_caught_is_seen_at_zero():
    caught, risk = attack().axes
    assert caught.get_yscale() == "linear"
    assert caught.get_ylim()[0] < 0
    assert [line.get_ydata()[0] for line in caught.lines if line.get_marker() == "o"] == [0.0]
    assert not [line for line in risk.lines if line.get_marker() == "o"]  # nothing is claimed of it there


def test_a_label_that_names_a_class_says_the_name_of_the_algorithm():
    figure = attack(labels={"private": "attacked: dprepro.algorithms.NoisyGD"})
    assert "claim: attacked: Noisy GD" in entries(figure)


def test_series_that_are_named_stand_in_the_first_figure():
    assert "other" in entries(rate(main=["main_n", "other", "main_epsilon"]))


def test_an_axis_up_to_the_largest_numbers_has_ticks():
    rows = cells("steep", "claim", {"p": [1e10, 1e100, 1e250]}, lambda at: np.log(at["p"]))
    drawing = figures.build({"name": "rate", "axis": "p"})
    figure = drawing.draw(pd.DataFrame(rows), verdict(steep=check()), config(steep={"series": "steep", "axis": "p"}))
    assert collisions(laid_out(figure)) == []
    assert 2 <= len(figure.axes[0].get_xticks()) <= 8


def test_the_text_of_a_pdf_can_be_edited():
    content = rendered(rate(style="paper"), style="paper")["pdf"]
    assert b"/Type42" in content or b"/TrueType" in content or b"/CIDFontType2" in content
    assert b"/Type3" not in content


@pytest.mark.slow
@pytest.mark.parametrize("style", ["screen", "paper"])
@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_figure_is_read_without_overlaps_colour_or_a_long_legend(name, style):
    if not (ROOT / "results" / name / "verdict.json").is_file():
        pytest.skip("not measured in this checkout")
    one = Measurements(str(ROOT / "results")).of(name)
    drawing = figures.build(one.config["figure"] | {"style": style})
    figure = drawing.draw(one.frame, one.verdict, one.config)
    with styled(drawing.style):
        assert collisions(laid_out(figure)) == []
    assert alike_in_grey(figure) == []
    if drawing.leaves_out:
        assert len(entries(figure)) <= MOST_ENTRIES
