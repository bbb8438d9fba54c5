"""What a grid lacks for a slope that is claimed on it is said before anything is measured, with one that would do."""

from __future__ import annotations

import math
import re
from typing import Any

from helpers.cheap_experiment import write_config_dir
from hypothesis import given, settings
from hypothesis import strategies as st

from dprepro.analysis.exponent import Exponent
from dprepro.axes import DEFAULTS
from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.config.grids import lacking
from dprepro.engine.grid import expand


def said(rule: dict[str, Any], axes: dict[str, list[float]], **series: Any) -> list[str]:
    check = Exponent(**{"role": "claim", "expected": -0.5, "series": "a"} | rule)
    points = expand({axis: [value] for axis, value in DEFAULTS.items()} | axes)
    return lacking({"slope": check}, {"a": points}, {"series": {"a": series}})


def test_three_sizes_over_a_decade_are_too_few_and_five_over_more_are_named() -> None:
    assert said({}, {"n": [1e5, 3e5, 1e6]}) == [
        "check slope: 3 values of n over 1 decade; it needs 5 values over 1.5, "
        "for example sweep.n=[1e5,2.4e5,5.9e5,1.4e6,3.5e6] if none of these is saturated"
    ]
    assert said({}, {"n": [1e5, 2e5, 5e5, 1e6, 3.2e6]}) == []


def test_one_value_alone_has_no_span() -> None:
    assert "1 value of n over 0 decades" in said({}, {"n": [1e5]})[0]


def test_a_span_that_two_curves_share_is_that_of_none() -> None:
    curves = {1: (1e4, 2e4, 1e5), 2: (1e5, 5e5, 1e6)}
    points = [DEFAULTS | {"n": n, "p": p} for p, sizes in curves.items() for n in sizes]
    rule = Exponent(role="claim", expected=-0.5, series="a")
    (words,) = lacking({"slope": rule}, {"a": points}, {})
    assert "5 values of n over 1 decade; it needs 5 values over 1.5" in words
    del points[3]  # each n has one p now, which follows it
    assert lacking({"slope": rule}, {"a": [*points, DEFAULTS | {"n": 3e4, "p": 1}]}, {}) == []


def test_members_of_a_family_are_no_curves_of_their_own() -> None:
    axes = {"n": [1e5, 2e5, 5e5, 1e6, 4e6], "mass": [0.5, 0.25]}
    assert said({"envelope": ("mass",)}, axes) == []


def test_in_delta_the_span_counts_in_decades_of_its_logarithm() -> None:
    (words,) = said({"axis": "delta", "transform": "log_log_inverse"}, {"delta": [1e-6, 1e-7]})
    assert "2 values of delta over 0.06695 decades of ln(1/delta); it needs 5 values over 0.5, " in words
    assert ",1e-6]" in words


def test_a_sweep_of_the_series_own_is_named_and_its_limit_is_kept() -> None:
    (words,) = said({}, {"n": [1e5, 1e6]}, sweep={"n": [1e5, 1e6]}, at_most={"n": 1e6})
    key, values = re.search(r"for example (\S+)=\[(.*)\]", words).groups()  # type: ignore[union-attr]
    assert key == "++study.series.a.sweep.n"
    assert max(map(float, values.split(","))) <= 1e6


def test_controls_and_rules_that_fit_no_slope_ask_for_nothing() -> None:
    assert said({"role": "control"}, {"n": [1e5]}) == []
    assert said({"axis": "total_steps"}, {"n": [1e5]}) == []


def test_where_no_axis_goes_so_far_there_is_no_example() -> None:
    assert said({}, {"n": [1e299, 1e300]})[0].endswith("it needs 5 values over 1.5")


@settings(max_examples=30, deadline=None)
@given(
    axis=st.sampled_from([("n", "log"), ("p", "log"), ("p", "log_log_double"), ("epsilon", "log"), ("norm", "log")]),
    value=st.floats(0.01, 1e6),
    points=st.integers(3, 9),
    span=st.floats(0.05, 4),
)
def test_the_grid_that_is_named_would_do(axis: tuple[str, str], value: float, points: int, span: float) -> None:
    name, transform = axis
    start = float(max(1, round(value))) if name in ("n", "p") else value
    if transform != "log":
        start = min(start, 1000.0)
    rule = {"axis": name, "transform": transform, "minimum_points": points, "minimum_span": span}
    words = said(rule, {name: [start]})
    example = re.search(r"\[(.*)\]", words[0])
    if example is None:  # an exponential of a large logarithm
        assert transform != "log"
        return
    values = [float(word) for word in example[1].split(",")]
    assert said(rule, {name: values}) == []
    assert all(math.isfinite(number) for number in values)


def test_checks_that_lack_the_same_are_named_in_one_line() -> None:
    rules = {name: Exponent(role="claim", expected=-0.5, series="a") for name in ("one", "two")}
    points = expand({axis: [value] for axis, value in DEFAULTS.items()} | {"n": [1e5]})
    (line,) = lacking(rules, {"a": points}, {})
    assert line.startswith("checks one, two: 1 value of n")


def test_what_is_lacking_stands_among_the_words_of_the_experiment(tmp_path: Any) -> None:
    config_dir = str(write_config_dir(tmp_path / "mine"))
    overrides = ["+experiment=lasso_rate", "sweep.n=[4e7,1e8,4e8]"]
    assert "check exponent_n: 3 values of n over 1 decade" in "\n".join(
        build_experiment(compose(overrides, config_dir)).reach
    )
    assert build_experiment(compose(overrides[:1], config_dir)).reach == ()
