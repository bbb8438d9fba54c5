"""The short forms of a YAML say what their long forms say, and an override reaches every key of the long form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.cheap_experiment import CHEAP, write_config_dir

from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import Composed, compose
from dprepro.config.templates import expand, parts_in_use, resolve
from dprepro.errors import InputError, unknown
from dprepro.statements.statement import Says, Statement

GROUPS = {
    "algorithm": {"gd": {"_target_": "GD", "step": 1}, "sgd": {"_target_": "SGD"}},
    "construction": {"needle": {"_target_": "Needle"}},
}


def find(group: str, name: str) -> dict[str, Any]:
    if name not in GROUPS[group]:
        raise unknown(group, name, GROUPS[group])
    return GROUPS[group][name]


def full(text: str) -> dict[str, Any]:
    """A YAML written out, with the experiment's own algorithm and construction."""
    config = {"algorithm": GROUPS["algorithm"]["gd"], "construction": {"_target_": "Own"}} | yaml.safe_load(text)
    once = expand(config, find)
    assert expand(once, find) == once, "written out twice"
    return once


def series(text: str) -> dict[str, Any]:
    found: dict[str, Any] = full(f"study: {{{text}}}")["study"]["series"]
    return found


NAMES = "a: {role: claim}, b: {role: control}, in_n: {role: context}, in_p: {role: context}"


def checks(text: str, names: str = NAMES) -> dict[str, Any]:
    """The checks, but for the expected 1 and the margin that rules `below` and `ratio` have by default."""
    found: dict[str, Any] = full(f"study: {{series: {{{names}}}}}\nchecks: {{{text}}}")["checks"]
    usual = {
        "below": {"expected": 1, "margin": 0},
        "ratio": {"expected": 1, "margin": 0.05},
        "exponent": {"margin": 0.03},
    }
    return {
        name: {key: value for key, value in check.items() if usual[check["rule"]].get(key) != value}
        for name, check in found.items()
    }


OWN = {"role": "claim", "algorithm": "${algorithm}", "construction": "${construction}"}


def test_a_series_has_the_defaults_and_the_experiments_own_parts_where_it_says_nothing() -> None:
    assert series("defaults: {replicates: 3}, series: {a: , b: {replicates: 5, role: control}}") == {
        "a": {**OWN, "replicates": 3},
        "b": {**OWN, "role": "control", "replicates": 5},
    }
    found = expand({"study": {"series": {"a": {}}}, "attack": {"algorithm": {"_target_": "GD"}}}, find)
    assert found["study"]["series"]["a"] == {"role": "claim", "algorithm": "${attack.algorithm}"}


def test_a_series_like_another_has_its_keys_and_its_sweep_axis_by_axis() -> None:
    found = series(
        "series: {a: {role: claim, bound: x, sweep: {n: [1], p: [2]}}, "
        "b: {like: a, role: context, sweep: {p: null, epsilon: [3]}}, c: {like: b, sweep: {n: [4]}}}"
    )
    assert found["b"] == {**OWN, "role": "context", "bound": "x", "sweep": {"n": [1], "epsilon": [3]}}
    assert found["c"]["sweep"] == {"n": [4], "epsilon": [3]}


def test_a_part_is_named_from_its_group_changed_or_replaced() -> None:
    found = series(
        "defaults: {construction: needle}, series: {a: {algorithm: sgd}, b: {algorithm: {name: gd, noise: 2}}, "
        "c: {like: b, algorithm: {noise: 3, step: 4}}, d: {like: b, algorithm: {_target_: X}}, "
        "e: {algorithm: {noise: 5}}}"
    )
    assert [one["construction"] for one in found.values()] == [{"_target_": "Needle"}] * 5
    assert [one["algorithm"] for one in found.values()] == [
        {"_target_": "SGD"},
        {"_target_": "GD", "step": 1, "noise": 2},
        {"_target_": "GD", "step": 4, "noise": 3},
        {"_target_": "X"},
        {"noise": 5},
    ]


def test_changes_of_the_experiments_own_part_are_settled_after_the_overrides() -> None:
    config = full("study: {series: {a: {algorithm: {noise: 5}}, b: {construction: needle}}}")
    assert parts_in_use(config) == {"algorithm", "construction"}
    config["algorithm"] = {"_target_": "Chosen", "noise": 1, "step": 7}
    assert resolve(config)["study"]["series"]["a"]["algorithm"] == {"_target_": "Chosen", "noise": 5, "step": 7}


def test_sections_give_checks_their_role_and_the_usual_ones_need_only_their_series() -> None:
    found = checks(
        "claims: {below_bound: [a], within_budget: {series: [a], margin: 0.1}, x: {rule: ratio}}, "
        "controls: {b: below_bound}, context: {y: {rule: below}}, errata: {z: {rule: below}}, "
        "w: {rule: below, role: claim}"
    )
    assert found == {
        "below_bound": {"rule": "below", "series": ["a"], "role": "claim"},
        "within_budget": {
            "rule": "below", "quantity": "certified_epsilon", "precondition": True, "series": ["a"], "margin": 0.1,
            "role": "claim",
        },
        "x": {"rule": "ratio", "role": "claim"},
        "b": {"rule": "below", "series": "b", "role": "control"},
        "y": {"rule": "below", "role": "context"},
        "z": {"rule": "below", "role": "erratum"},
        "w": {"rule": "below", "role": "claim"},
    }  # fmt: skip


def test_a_check_like_another_has_all_but_its_role_expectation_and_reason() -> None:
    found = checks(
        "claims: {x: {rule: ratio, series: a, margin: 0.2, expect: inconclusive, reason: why}}, "
        "controls: {y: {like: x, margin: 0.3}, b: {like: y}}"
    )
    assert found["y"] == {"rule": "ratio", "series": "a", "margin": 0.3, "role": "control"}
    assert found["b"] == {"rule": "ratio", "series": "b", "margin": 0.3, "role": "control"}, "a series of this name"


def test_under_the_name_of_a_claim_other_sections_hold_checks_like_it() -> None:
    found = checks(
        "claims: {exponents: {series: a, n: -2/3}, y: {rule: below, series: a}}, "
        "controls: {exponent_n: {half: -1/2, b: null, wide: {margin: 0.3}}, z: {like: y}}, context: {y: {c: {}}}"
    )
    like = {"rule": "exponent", "axis": "n", "role": "control"}
    assert found["half"] == like | {"series": "a", "expected": "-1/2"}
    assert found["b"] == like | {"series": "b", "expected": "-2/3"}, "a series of this name"
    assert found["wide"] == like | {"series": "a", "expected": "-2/3", "margin": 0.3}
    assert found["c"] == {"rule": "below", "series": "a", "role": "context"}


def test_between_makes_a_check_on_each_side() -> None:
    found = checks("claims: {x: {series: a, between: [2, 3]}, y: {like: x, series: b, between: [4, 5]}}")
    low, high = ({"rule": "below", "side": side, "role": "claim"} for side in ("at_least", "at_most"))
    assert found == {
        "x": low | {"series": "a", "expected": 2},
        "x_most": high | {"series": "a", "expected": 3},
        "y": low | {"series": "b", "expected": 4},
        "y_most": high | {"series": "b", "expected": 5},
    }


def test_a_family_without_series_is_of_those_of_its_role_that_have_no_check_of_their_own() -> None:
    config = {
        "study": {"series": {name: {"role": "control" if name == "c" else "claim"} for name in "abcd"}},
        "checks": {"claims": {"*": {"rule": "below"}, "b": {"rule": "ratio"}, "x": {"rule": "ratio", "series": "d"}}},
    }
    found = expand(config, find)["checks"]
    assert found["a"].items() >= {"rule": "below", "series": "a", "role": "claim"}.items()
    assert set(found) == {"a", "b", "x"}


def test_a_family_of_exponents_has_a_check_for_each_axis() -> None:
    found = checks(
        "claims: {exponents: {series: in_*, margin: 0.1, n: -2/3, p: rate, delta: {expected: 1/2, side: at_most}}}, "
        "context: {bare_*_too: {like: exponent_*, n: -1}}"
    )
    common = {"rule": "exponent", "margin": 0.1, "role": "claim"}
    assert found == {
        "exponent_n": {**common, "series": "in_n", "axis": "n", "expected": "-2/3"},
        "exponent_p": {**common, "series": "in_p", "axis": "p", "divide": "rate", "expected": 0},
        "exponent_delta": {
            **common, "series": "in_delta", "axis": "delta", "transform": "log_log_inverse", "expected": "1/2",
            "side": "at_most",
        },
        "bare_n_too": {**common, "series": "in_n", "axis": "n", "expected": -1, "role": "context"},
    }  # fmt: skip
    assert checks("claims: {exponents: {n: -1}}")["exponent_n"]["series"] == "a", "the only claim"


def test_a_family_without_axes_has_a_check_for_each_of_its_series_and_stars_match_series() -> None:
    found = checks("claims: {x: {rule: below, series: ['in_*', a]}}, controls: {'*_x': {like: x, series: ['in_*']}}")
    assert found["x"]["series"] == ["in_n", "in_p", "a"]
    assert [found[name]["series"] for name in ("in_n_x", "in_p_x")] == ["in_n", "in_p"]
    drawn = full("study: {series: {a: {}, in_n: {}, in_p: {}}}\nfigure: {hide: ['in_*'], series: [a], labels: {a: x*}}")
    assert drawn["figure"] == {"hide": ["in_n", "in_p"], "series": ["a"], "labels": {"a": "x*"}}


def test_a_family_has_a_check_for_each_quantity_and_for_each_series_under_a_name_of_its_own() -> None:
    found = checks(
        "claims: {'*': {rule: below, series: a, quantity: [q, r]}, tail_*: {like: q, quantity: {1: q_1, 3: q_3}}}, "
        "controls: {'*': {like: q, series: {x: in_n, y: in_p}}}"
    )
    said = [(name, value["series"], value["quantity"], value["role"]) for name, value in found.items()]
    claims = [
        ("q", "a", "q", "claim"),
        ("r", "a", "r", "claim"),
        *((f"tail_{i}", "a", f"q_{i}", "claim") for i in (1, 3)),
    ]
    assert said == [*claims, ("x", "in_n", "q", "control"), ("y", "in_p", "q", "control")]


def test_a_family_of_series_has_one_like_each_of_others() -> None:
    found = full(
        "study: {series: {a: {sweep: {n: [1]}}, b: {role: context}, '*_long': {like: [a, b], sweep: {n: [9]}}, "
        "'late_*': {like: {x: a_long}, replicates: 2}}}"
    )["study"]["series"]
    assert list(found) == ["a", "b", "a_long", "b_long", "late_x"]
    assert [found[name]["role"] for name in ("a_long", "b_long", "late_x")] == ["claim", "context", "claim"]
    assert [found[name]["sweep"] for name in ("a_long", "late_x")] == [{"n": [9]}, {"n": [9]}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("study: {series: {a_x: {}, a: {}, '*_x': {like: [a]}}}", "series a_x is given twice"),
        ("study: {series: {a: {}, '*_x': {like: [b]}}}", "series b_x: like: unknown series 'b'"),
        ("study: {series: {a: {like: c}, b: {}}}", "series a: like: unknown series 'c'"),
        ("study: {series: {a: {like: b}, b: {like: a}}}", "series b: like: a -> b -> a goes round in a circle"),
        ("study: {series: {a: {algorithm: gdd}}}", "series a: unknown algorithm 'gdd' (did you mean gd?)"),
        ("study: {series: {a: {sweep: {n: null}}}}", "series a: sweep.n is null: unknown axis 'n'; choices: none"),
        ("study: {defaults: 3, series: {a: {}}}", "study.defaults is 3; it must be a block of keys"),
        (
            "study: {series: {a: {algorithm: '${other}'}, b: {like: a, algorithm: {step: 2}}}}",
            "series b: algorithm changes parameters of ${other}; say which algorithm by name",
        ),
        ("checks: {claims: 3}", "checks.claims is 3; it must be a block of checks"),
        (
            "checks: {clams: {x: {rule: below}}}",
            "checks.clams has no rule: unknown section 'clams' (did you mean claims?)",
        ),
        ("checks: {x: {rule: below}, claims: {x: {rule: below}}}", "check x is given twice"),
        (
            "checks: {controls: {x: {rule: below, role: claim}}}",
            "check x: role is 'claim', and it stands in the section",
        ),
        (
            "checks: {x: {like: y}}",
            "check x: like: unknown check 'y'; choices: as_derived, below_bound, noise_as_scheduled, within_budget, x",
        ),
        ("checks: {x: {like: y}, y: {like: x}}", "check y: like: x -> y -> x goes round in a circle"),
        ("checks: {x: below_bound}", "check x: 'below_bound' alone is the check that a series is held against"),
        ("checks: {'x_*': below_bound}", "checks.x_* is 'below_bound'; a family of checks must be a block of keys"),
        ("checks: {'x_*': {series: a}}", "checks.x_* is a family; it needs axes with their exponents"),
        ("checks: {controls: {'*': {rule: below}}}", "checks.* judges nothing: other checks name every series of role"),
        (
            "study: {series: {a: {}, b: {}}}\nchecks: {'x_*': {rule: below, series: [a, b], about: {a: T, bq: T}}}",
            "about: unknown member of its family of checks 'bq' (did you mean b?)",
        ),
        ("checks: {exponents: {n: -1}}", "checks.exponents does not say of which series"),
        ("study: {series: {a: {}}}\nchecks: {x: {rule: below, series: ['b*']}}", "check x: unknown series 'b*'"),
        ("study: {series: {a: {}}}\nfigure: {hide: ['b*']}", "figure.hide: unknown series 'b*'"),
    ],
)
def test_what_a_short_form_cannot_mean_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        full(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


SHORT = (
    CHEAP.partition("study:")[0]
    + """\
study:
  _target_: dprepro.studies.RateStudy
  bound: lasso.theorem_2_5
  rate: lasso.theorem_2_5_rate
  series:
    needle: {role: claim}
    bounded: {like: needle, role: context, at_most: {n: 10^6}}
    few_steps: {role: control, algorithm: {steps_factor: 1/10}}
checks:
  claims:
    exponents: {n: -2/3}
    below_bound: needle
  controls:
    few_steps: exponent_n
"""
)


@pytest.fixture
def short(tmp_path: Path) -> str:
    return str(write_config_dir(tmp_path / "mine", short=SHORT))


def composed(short: str, *overrides: str) -> Composed:
    return compose(["+experiment=short", *overrides], short)


@pytest.mark.parametrize(
    ("override", "place", "value"),
    [
        ("checks.exponent_n.expected=-0.5", "checks.exponent_n.expected", -0.5),
        ("checks.exponent_n.margin=1/10", "checks.exponent_n.margin", 0.1),
        ("checks.below_bound.margin=0.1", "checks.below_bound.margin", 0.1),
        ("checks.exponent_n.expected=-sqrt(2)/4", "checks.exponent_n.expected", -(2**0.5) / 4),
        ("checks.below_bound.expected=2^-3", "checks.below_bound.expected", 0.125),
        ("+checks.few_steps.axes=[delta]", "checks.few_steps.axes", ["delta"]),
        ("study.series.bounded.at_most.n=2*10^6", "study.series.bounded.at_most.n", 2_000_000),
        ("sweep.n=[10^5,3*10^5,...,9*10^5]", "sweep.n", [100_000, 300_000, 900_000]),
        ("sweep.epsilon=[ln(2),1/3]", "sweep.epsilon", [0.6931471805599453, 1 / 3]),
        ("+study.series.needle.replicates=5", "study.series.needle.replicates", 5),
        ("+algorithm.steps_factor=2", "study.series.needle.algorithm.steps_factor", 2),
        ("algorithm=noisy_frank_wolfe_laplace", "study.series.few_steps.algorithm.selection", "laplace"),
        ("study.series.few_steps.algorithm.steps_factor=1/5", "study.series.few_steps.algorithm.steps_factor", "1/5"),
        ("+study.series.few_steps.algorithm.selection=gumbel", "study.series.few_steps.algorithm.selection", "gumbel"),
        ("study.series.needle.algorithm=noisy_frank_wolfe_exact", "study.series.needle.algorithm.constants", "exact"),
        ("+study.series.more={like: needle, bound: none}", "study.series.more.role", "claim"),
        ("+checks.controls.needle={like: below_bound, expected: 1/100}", "checks.needle.role", "control"),
    ],
)  # fmt: skip
def test_every_key_of_the_long_form_can_be_overridden(short: str, override: str, place: str, value: object) -> None:
    found = composed(short, override)
    node: Any = found.config
    for key in place.split("."):
        node = node[key]
    assert node == value
    assert found.overrides == (override,)
    build_experiment(found)


def test_a_wrong_key_is_answered_with_those_of_the_long_form(short: str) -> None:
    with pytest.raises(InputError, match=r"unknown key 'exponent_nn' \(did you mean exponent_n\?\)"):
        composed(short, "checks.exponent_nn.expected=1")
    with pytest.raises(InputError, match="unknown key 'few_step'"):
        composed(short, "study.series.few_step.replicates=1")


def test_the_stored_configuration_is_the_long_form(short: str) -> None:
    stored = build_experiment(composed(short)).config
    assert set(stored["checks"]) == {"exponent_n", "below_bound", "few_steps"}
    assert stored["checks"]["exponent_n"]["expected"] == -2 / 3
    assert stored["study"]["series"]["bounded"]["algorithm"]["_target_"] == "dprepro.algorithms.NoisyFrankWolfe"


def test_a_users_own_group_may_be_named_in_a_series(short: str) -> None:
    (Path(short) / "algorithm").mkdir()
    own = {"_target_": "dprepro.algorithms.NoisyFrankWolfe", "steps_factor": 2.0}
    (Path(short) / "algorithm/mine.yaml").write_text(yaml.safe_dump(own), encoding="utf-8")
    found = composed(short, "study.series.needle.algorithm=mine")
    assert found.config["study"]["series"]["needle"]["algorithm"] == own
    (Path(short) / "algorithm/lists.yaml").write_text("defaults: [mine]\n", encoding="utf-8")
    with pytest.raises(InputError, match="a series cannot name it"):
        composed(short, "study.series.needle.algorithm=lists")


def test_a_further_axis_is_told_to_the_checks_that_cannot_tell_its_points_apart(short: str) -> None:
    plain = build_experiment(composed(short)).config["checks"]
    assert not any("axes" in check for check in plain.values())
    swept = build_experiment(composed(short, "+sweep.steps_factor=[0.5,1]")).config["checks"]
    assert swept["below_bound"]["axes"] == ["steps_factor"]
    told = build_experiment(
        composed(short, "+sweep.steps_factor=[0.5,1]", "+checks.below_bound.envelope=[steps_factor]")
    )
    assert "axes" not in told.config["checks"]["below_bound"]


@pytest.mark.parametrize(("direction", "side"), [("at_least", "at_least"), ("at_most", None)])
def test_a_bound_from_below_is_held_from_below(direction: str, side: str | None) -> None:
    says = Says(
        text="It is so.", premise=("n >= 1",), quantifiers=("exactly",), direction=direction, bound="bst.lemma_a_2"
    )
    statement = Statement(item="Lemma 1", kind="rate", place="here", says=says)
    config = yaml.safe_load(
        "{paper: own, statements: {Lemma 1: {within: a}}, algorithm: {_target_: GD}, construction: {_target_: Own}, "
        "study: {series: {a: {role: claim}}}, checks: {}}"
    )
    assert expand(config, find, lambda paper: (statement,))["checks"]["below_bound"].get("side") == side
