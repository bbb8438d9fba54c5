"""Rate figures: what is drawn of each claim, and what title and legend say of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.drawn_figures import (
    assert_says_the_verdict,
    bound_lines,
    cells,
    check,
    config,
    entries,
    plain,
    title,
    verdict,
)

from dprepro import figures
from dprepro.errors import InputError
from dprepro.figures.curves import MOST_CURVES, MOST_POINTS, curves, left_out
from dprepro.figures.style import rendered

SIZES = list(np.geomspace(1e2, 1e4, 5))
CONFIG = config(exponent_n={"series": "steep", "axis": "n"}, exponent_flat={"series": "flat", "axis": "n"})
VERDICT = verdict(exponent_n=check(), exponent_flat=check(estimate=-0.5, expected=-0.5))


def claims(flat_bound=20.0):
    """Two claims, 1/n and n^(-1/2), each a half of its bound."""
    return [
        *cells("steep", "claim", {"n": SIZES}, lambda at: 1 / at["n"], bound=lambda at: 2 / at["n"]),
        *cells(
            "flat", "claim", {"n": SIZES}, lambda at: 10 / at["n"] ** 0.5, bound=lambda at: flat_bound / at["n"] ** 0.5
        ),
    ]


def drawn(rows, verdict=VERDICT, config=CONFIG, **options):
    """The figure that is read at a glance."""
    return figures.build({"name": "rate", **options}).draw(pd.DataFrame(rows), verdict, config)


def whole(rows, verdict=VERDICT, config=CONFIG, **options):
    """The figure of all that was measured."""
    return figures.build({"name": "rate", **options}).draw_all(pd.DataFrame(rows), verdict, config)


def line(figure, series):
    [one] = [line for line in figure.axes[0].lines if line.get_gid() == f"bound of {series}"]
    return one.get_ydata()


def test_each_claim_runs_below_a_bound_of_its_own():
    figure = whole(claims())
    assert sorted(bound_lines(figure)) == ["flat", "steep"]
    np.testing.assert_allclose(line(figure, "steep"), 2 / np.array(SIZES))
    np.testing.assert_allclose(line(figure, "flat"), 20 / np.sqrt(SIZES))
    assert "explicit bounds, marked alike" in entries(figure)


def test_claims_that_share_a_bound_have_one_line():
    same = [row | {"bound": 1.0} for row in claims()]
    assert bound_lines(whole(same)) == ["steep"]
    assert "explicit bound" in entries(whole(same))


def test_what_is_held_against_its_bound_shows_it_and_pieces_of_one_curve_are_one_line():
    early = cells("early", "context", {"n": [1.0, 10.0, 50.0]}, lambda at: 1 / at["n"], bound=lambda at: 2 / at["n"])
    broken = cells("broken", "control", {"n": [1.0, 10.0]}, 5.0, bound=lambda at: 3 / at["n"])
    steep = [row for row in claims() if row["series"] == "steep"]
    alone = whole([*steep, *early, *broken], verdict(), config())
    assert bound_lines(alone) == ["steep"]
    held = {"below": check("below", 0.5), "broken": check("below", 9.0, role="control", verdict="refuted")}
    settings = config(below={"series": ["steep", "early"]}, broken={"series": "broken"})
    figure = whole([*steep, *early, *broken], verdict(**held), settings)
    assert sorted(bound_lines(figure)) == ["broken", "steep"]
    x = np.array([1, 10, 50, *SIZES])
    np.testing.assert_allclose(line(figure, "steep"), 2 / x)


def test_claims_that_no_panel_shows_are_told_with_their_numbers_where_they_are_not_confirmed():
    results = verdict(
        exponent_n=check(), within_budget=check("below"), over_p=check(estimate=0.9, expected=0.5, verdict="refuted"),
        schedule=check("scheduled", 1.0),
    )  # fmt: skip
    settings = config(
        exponent_n={"series": "steep"}, within_budget={"quantity": "certified_epsilon"}, over_p={"axis": "p"},
        schedule={"series": "steep", "column": "total_steps"},
    )  # fmt: skip
    said = plain(whole(claims(), results, settings).legends[0].get_title().get_text())
    assert said.endswith(
        "Judged, not drawn: over_p: exponent of p 0.900 ± 0.010, claimed 0.5 ± 0.05: refuted; "
        "within_budget, schedule (confirmed)."
    )


def test_a_slip_of_print_says_what_came_out_of_it():
    printed = cells("printed", "context", {"n": SIZES}, 1e-2)
    results = verdict(**VERDICT["checks"], slip=check("below", 3.0, role="erratum", verdict="refuted"))
    settings = config(**CONFIG["checks"], slip={"series": "printed"})
    assert "printed (refuted by its bound)" in entries(whole([*claims(), *printed], results, settings))


def test_a_series_above_a_bound_that_is_not_its_own_shows_its_own():
    low = cells("low", "context", {"n": SIZES}, 1e-9, bound=1e-3)
    high = cells("high", "context", {"n": SIZES}, lambda at: 10 / at["n"], bound=lambda at: 50 / at["n"])
    steep = [row for row in claims() if row["series"] == "steep"]
    assert bound_lines(whole([*steep, *low, *high])) == ["steep", "high"]


def test_the_title_has_what_was_judged_and_the_bare_slope_as_such():
    judged = check(estimate=0.02, expected=0.0, margin=0.08, details={"measured_slope": -0.706})
    bare = check(estimate=-0.706, role="context", expected=-2 / 3)
    settings = config(exponent_n={"series": "steep", "divide": "bound"}, bare_n={"series": "steep"})
    figure = whole(claims()[:10], verdict(exponent_n=judged, bare_n=bare), settings)
    expected = "exponent less the bound's 0.020 ± 0.010, claimed 0 ± 0.08; log-log slope −0.706"
    assert title(figure) == f"Theorem 7: confirmed {expected}"


def test_several_claims_are_told_apart_in_the_title():
    said = title(whole(claims(), labels={"steep": "Steep one"}))
    assert "Steep one: exponent −1.000 ± 0.010" in said
    assert "flat: exponent −0.500 ± 0.010, claimed −0.5 ± 0.05" in said


def test_up_to_logarithms_stands_in_the_title_and_cannot_be_hidden(monkeypatch):
    logs = verdict(
        exponent_n=check(details={"up_to_logarithms": True}), exponent_flat=VERDICT["checks"]["exponent_flat"]
    )
    assert_says_the_verdict(whole(claims(), logs), logs, CONFIG)
    assert_says_the_verdict(whole(claims(), logs, heading="My own words"), logs, CONFIG, "My own words")
    # planted: a title that says less
    monkeypatch.setattr(
        "dprepro.figures.rate_figure.headline", lambda verdict, heading: f"{verdict['claim']}: confirmed"
    )
    with pytest.raises(AssertionError):
        assert_says_the_verdict(whole(claims(), logs), logs, CONFIG)


def test_without_an_exponent_the_title_has_the_other_claims_on_what_is_whole():
    settings = config(
        below_bound={"series": ["steep"]}, within_budget={"series": "steep", "quantity": "certified_epsilon"}
    )
    results = verdict(below_bound=check("below", 0.5, expected=1), within_budget=check("below", 0.9, expected=1))
    assert title(whole(claims()[:10], results, settings)).endswith(
        "at most 0.5 of the bound (99%: 0.51), claimed at most 1, margin 0.05"
    )


def test_roles_and_what_came_out_of_controls_stand_in_the_legend():
    slow = cells("slow", "control", {"n": SIZES}, 1e-2)
    refuted = verdict(**VERDICT["checks"], half=check(role="control", verdict="refuted"))
    settings = config(**CONFIG["checks"], half={"series": "slow"})
    assert {"steep (claim)", "slow (control, refuted by its slope)"} <= set(
        entries(whole([*claims(), *slow], refuted, settings))
    )


def test_what_is_certified_beyond_the_claimed_epsilon_stands_in_the_legend():
    spent = [row | {"quantity": "certified_epsilon", "value": 1.672} for row in claims() if row["series"] == "flat"]
    kept = [row | {"quantity": "certified_epsilon", "value": 1.0} for row in claims() if row["series"] == "steep"]
    assert {"flat (claim), certified for 1.67 ε", "steep (claim)"} <= set(entries(whole([*claims(), *spent, *kept])))


def test_nothing_is_averaged_over_a_further_axis():
    rows = cells("steep", "claim", {"n": SIZES, "mass": [0.1, 0.2]}, lambda at: at["mass"] / at["n"])
    figure = drawn(rows, config=config({"mass": [0.1, 0.2]}, **CONFIG["checks"]))
    assert len(figure.axes[0].containers) == 2
    assert {text.get_text() for text in figure.axes[0].texts} == {"mass = 0.1", "mass = 0.2"}
    with pytest.raises(InputError, match="several values"):
        drawn(rows)


def test_curves_that_end_in_one_place_are_named_once():
    rows = cells("steep", "claim", {"n": SIZES, "mass": [0.1, 0.2, 0.3]}, lambda at: (1 + at["mass"] / 100) / at["n"])
    figure = drawn(rows, config=config({"mass": [0.1]}, **CONFIG["checks"]))
    assert [text.get_text() for text in figure.axes[0].texts] == ["mass = 0.1, 0.2, 0.3"]


def test_long_names_of_curves_that_end_in_one_place_are_left_out_between_the_first_and_the_last(recwarn):
    grid = {"n": SIZES, "mass": [0.125, 0.25, 0.375], "spread": [1.0, 2.0, 3.0]}
    rows = cells("steep", "claim", grid, lambda at: (1 + at["mass"] / 100) / at["n"])
    figure = drawn(rows, config=config({"mass": [0.125], "spread": [1.0]}, **CONFIG["checks"]))
    [text] = [text.get_text() for text in figure.axes[0].texts]
    assert text == "mass = 0.125, spread = 1, ..., mass = 0.375, spread = 3"
    rendered(figure)
    assert not [str(one.message) for one in recwarn]  # such as of a layout that does not fit


def test_the_worst_of_a_family_is_drawn_and_said_and_so_is_an_edge():
    settings = config({"mass": [1.0]}, **CONFIG["checks"])
    inside = cells("steep", "claim", {"n": SIZES, "mass": [1, 2, 3]}, lambda at: (4 - (at["mass"] - 2) ** 2) / at["n"])
    beyond = cells("slow", "control", {"n": SIZES, "mass": [1, 2, 3]}, lambda at: at["mass"] / at["n"])
    figure = whole([*inside, *beyond], config=settings, envelope=["mass"])
    assert figure.axes[0].get_ylabel() == "excess risk (mean, worst mass)"
    assert {"steep (claim)", "slow (control), worst at the grid's edge"} <= set(entries(figure))


def test_a_level_far_above_is_named_and_does_not_stretch_the_panel():
    zero = cells("output_zero", "context", {"n": SIZES}, 1e3)
    figure = whole([*claims(), *zero])
    assert "output zero: 1005, above the panel" in entries(figure)
    assert figure.axes[0].get_ylim()[1] < 100


def test_the_rate_has_the_constant_of_the_check():
    rows = [row | {"rate": 1 / row["n"]} for row in claims() if row["series"] == "steep"]
    fitted = verdict(exponent_n=check(constant=3.0))
    figure = drawn(rows, fitted)
    [rate] = [line for line in figure.axes[0].lines if line.get_gid() == "rate"]
    np.testing.assert_allclose(rate.get_ydata(), 3 / np.array(SIZES))
    assert "rate × 3 (fitted)" in entries(figure)
    assert "rate, through the points" in entries(drawn(rows))


def test_the_place_of_a_crossing_is_drawn_as_no_rate():
    rows = [row | {"rate": 1 / row["n"]} for row in claims() if row["series"] == "steep"]
    place = verdict(exponent_n=check("crossing", constant=1e6))
    rules = {along: {"rule": "crossing", "against": "steep", "along": along} for along in ("p", "rate")}
    along_p, along_rate = (whole(rows, place, config(exponent_n=rule)) for rule in rules.values())
    assert "rate, through the points" in entries(along_p)
    assert not [line for line in along_rate.axes[0].lines if line.get_gid() == "rate"]
    assert not any("rate" in text for text in entries(along_rate))


def test_slopes_are_held_against_what_is_claimed_of_each():
    lower = whole(claims()).axes[1]
    assert {-1.0, -0.5} <= {float(line.get_ydata()[0]) for line in lower.lines if len(set(line.get_ydata())) == 1}


def test_a_crossing_is_marked_at_its_place():
    growing = cells("growing", "claim", {"n": SIZES}, lambda at: at["n"] ** 0.5)
    level = cells("level", "claim", {"n": SIZES}, 30.0)
    figure = whole([*growing, *level], config=config(), crossings=["growing", "level"])
    assert [text.get_text() for text in figure.axes[0].texts] == ["n = 900"]


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="pairs"):
        figures.build({"name": "rate", "crossings": ["growing"]})
    with pytest.raises(InputError, match="entries"):
        figures.build({"name": "rate", "slope_range": [1]})


def test_of_very_many_curves_and_points_an_even_selection_is_drawn_and_said():
    grid = {"n": list(np.geomspace(1e2, 1e4, MOST_POINTS + 50)), "p": list(range(1, MOST_CURVES + 7))}
    rows = pd.DataFrame(cells("steep", "claim", grid, lambda at: at["p"] / at["n"]))
    found = curves(rows, "steep", "excess_risk", "n")
    assert len(found) == MOST_CURVES
    assert {len(curve.points) for curve in found} == {MOST_POINTS}
    assert found[0].points["x"].agg(["min", "max"]).tolist() == pytest.approx([1e2, 1e4])
    assert (found[0].name, found[-1].name) == ("p = 1", f"p = {MOST_CURVES + 6}")
    counts = f"{MOST_CURVES} of {MOST_CURVES + 6} curves and {MOST_POINTS} of {MOST_POINTS + 50} points"
    assert left_out(found) == f"Drawn are {counts}, evenly spread."


@pytest.mark.parametrize("limits", [[0, 0], [1, -1], [0], [0, 1, 2]])
def test_limits_of_slopes_that_are_none_are_refused(limits):
    with pytest.raises(InputError, match=r"slope_range .*it must be \[lowest, highest\]"):
        figures.build({"name": "rate", "slope_range": limits})


def test_the_lower_panel_has_the_limits_that_are_asked_for():
    assert whole(claims(), slope_range=[-3, 1]).axes[1].get_ylim() == (-3, 1)
