"""The figure of attacks, on made-up measurements."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from helpers.drawn_figures import check, config, entries, plain, verdict

from dprepro import figures
from dprepro.errors import InputError
from dprepro.figures.attack_figure import AttackFigure

VERDICT = {"claim": "Theorem 3.1", "verdict": "confirmed", "checks": {}}
CONFIG = config()


def frame():
    """Two curves over epsilon and the exact minimiser, with risk and tracing rate, three replicates of 40 trials."""
    rng, rows = np.random.default_rng(0), []
    series = {"private": ("claim", [0.1, 1, 10, 100]), "under_noised": ("control", [0.1, 1]), "exact": ("claim", [1])}
    for name, (role, epsilons) in series.items():
        for epsilon in epsilons:
            rate = 1.0 if name == "exact" else min(1.0, 0.01 * epsilon)
            for replicate in range(3):
                cell = {"series": name, "role": role, "n": 1e3, "p": 50, "epsilon": epsilon, "delta": 0, "norm": 1}
                cell |= {"replicate": replicate, "status": "ok"}
                traced = rng.binomial(40, rate) / 40
                risk = 1e-17 if name == "exact" else 1 / epsilon + 0.01 * rng.random()
                rows.append(
                    cell
                    | {"quantity": "traced", "value": traced, "bound": min(1.0, 0.1 * np.exp(epsilon)), "trials": 40}
                )
                rows.append(cell | {"quantity": "excess_risk", "value": risk, "bound": None, "trials": None})
                rows.append(cell | {"quantity": "level", "value": 0.02, "bound": None, "trials": None})
    return pd.DataFrame(rows)


def attack(**options):
    return figures.build({"name": "attack", "panels": ["excess_risk", "traced"], **options})


def drawn(verdict=VERDICT, config=CONFIG, **options):
    """The figure that is read at a glance."""
    return attack(**options).draw(frame(), verdict, config)


def whole(verdict=VERDICT, config=CONFIG, **options):
    """The figure of all that was measured."""
    return attack(**options).draw_all(frame(), verdict, config)


def test_a_panel_for_each_quantity_and_a_name_for_each_line():
    figure = whole(
        curves={"excess_risk": ["level"]}, bounds={"traced": "limit of privacy"},
        constants={"traced": {"chance": 0.025}}, labels={"private": "private algorithm"},
    )  # fmt: skip
    risk, rate = figure.axes
    assert (risk.get_yscale(), rate.get_yscale()) == ("log", "linear")
    lines = ["level", "limit of privacy", "chance"]
    assert entries(figure) == ["private algorithm (claim)", "exact (claim)", "under noised (control)", *lines]


def test_a_bound_follows_each_curve_and_is_drawn_once_where_curves_share_it():
    def lengths(rows):
        drawing = figures.build({"name": "attack", "panels": ["traced"], "bounds": {"traced": "limit of privacy"}})
        (rate,) = drawing.draw(rows, VERDICT, CONFIG).axes
        return [len(line.get_xdata()) for line in rate.get_lines() if line.get_label() == "limit of privacy"]

    rows = frame()
    assert lengths(rows) == [4]
    rows.loc[rows["series"] == "under_noised", "bound"] /= 2
    assert lengths(rows) == [4, 2]


def test_the_exact_minimiser_is_a_line_across_the_panel_and_its_risk_does_not_stretch_the_axis():
    risk, rate = whole(across=["exact"]).axes
    assert risk.get_ylim()[0] > 1e-4
    assert any(list(line.get_xdata()) == [0, 1] and line.get_ydata()[0] == 1.0 for line in rate.get_lines())


def test_intervals_of_rates_are_exact_binomial_ones_of_the_pooled_trials():
    data = frame()
    own = data[(data["series"] == "private") & (data["quantity"] == "traced")]
    [curve] = AttackFigure()._curves(own, "private", "traced", [])
    at_one = curve.points[curve.points["x"] == 0.1].iloc[0]
    assert at_one["mean"] == 0.0
    assert at_one["high"] == pytest.approx(1 - 0.005 ** (1 / 120))


def test_the_abscissa_may_be_a_product_of_powers():
    data = frame()
    own = data[(data["series"] == "private") & (data["quantity"] == "traced")]
    [curve] = AttackFigure(axis="epsilon", times={"p": -0.5})._curves(own, "private", "traced", [])
    np.testing.assert_allclose(curve.points["x"], np.array([0.1, 1, 10, 100]) / np.sqrt(50))


def test_the_worst_of_a_family_may_be_drawn():
    rows = [
        row for mass in (1, 2, 3) for row in frame().assign(mass=mass, value=frame()["value"] * mass).to_dict("records")
    ]
    drawing = figures.build({"name": "attack", "envelope": ["mass"], "hide": ["under_noised", "exact"]})
    figure = drawing.draw(pd.DataFrame(rows), VERDICT, config({"mass": [1, 2, 3]}))
    [line] = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 4 and line.get_marker() == "o"]
    assert line.get_ydata()[0] > 30  # three times 1/epsilon
    assert figure.axes[0].get_ylabel() == "excess risk (mean, worst mass)"


def test_small_rates_may_have_a_logarithmic_axis_and_few_places_a_tick_each():
    _, rate = whole(logarithmic=["traced"], hide=["private"]).axes
    assert rate.get_yscale() == "log"
    assert [text.get_text() for text in rate.get_xticklabels()] == ["0.1", "1"]


@pytest.mark.parametrize("options", [{"panels": []}, {"bounds": {"agreement": "chance"}}])
def test_senseless_options_are_refused(options):
    with pytest.raises(InputError, match="panel"):
        drawn(**options)


def test_a_quantity_that_nobody_measured_is_refused_with_the_choices():
    with pytest.raises(InputError, match="traced"):
        drawn(panels=["traceed"])


def test_each_panel_says_what_was_judged_of_it():
    result = verdict(
        private=check("proportion", 0.4, high=0.6, expected=1, margin=0),
        risk=check("below", 2.0, expected=1, margin=0, details={"side": "at_least"}),
    )
    settings = config(private={"series": "private", "quantity": "traced"}, risk={"series": "private"})
    figure = whole(result, settings)
    risk, rate = (plain(panel.get_title(loc="left")) for panel in figure.axes)
    assert rate == "private: at most 0.4 of the bound (99%: 0.6), claimed at most 1"
    assert risk == "private: at least 2 (99%: 1.99), claimed at least 1"  # no bound stands beside the risk here
    assert plain(figure.get_suptitle()) == "Theorem 3.1: confirmed".replace("3.1", "7")


def test_what_lies_below_a_panel_is_named_in_it():
    risk, _ = whole().axes
    assert [text.get_text() for text in risk.texts] == ["below the panel: exact: 1e-17"]
