"""Conditions of premises are understood before anything is measured, and say why they are not met."""

from __future__ import annotations

import math

import pytest

from dprepro.errors import InputError
from dprepro.statements.conditions import condition, unmet

NUMBERS = {"n": 1e5, "epsilon": 0.5, "delta": 1e-6, "smoothness": math.inf, "p": 10.0}


def said(text: str, **facts: str) -> str:
    return condition(text).unmet(NUMBERS.get, {"relation": "replace_one", "algorithm": "NoisyFrankWolfe", **facts})


@pytest.mark.parametrize(
    "text",
    ["epsilon <= 3", "epsilon <= 1/2", "delta < n^-1", "p >= 10", "n*epsilon >= sqrt(p)*ln(1/delta)",
     "relation is replace_one", "relation is zero_out or replace_one", "algorithm is NoisyFrankWolfe"],
)  # fmt: skip
def test_a_condition_that_holds_says_nothing(text: str) -> None:
    assert said(text) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("epsilon < 1/2", "epsilon < 1/2, and epsilon is 0.5"),
        ("epsilon >= ln(1/delta)", "epsilon >= ln(1/delta), and delta is 1e-06, epsilon is 0.5"),
        ("smoothness < inf", "smoothness < inf, and smoothness is inf"),
        ("curvature < 1", "curvature < 1, and the problem has no curvature"),
        ("relation is zero_out", "relation is zero_out, and here it is replace_one"),
        ("algorithm.constants is printed", "algorithm.constants is printed, and here it is unknown"),
    ],
)
def test_a_condition_that_fails_says_itself_and_the_numbers(text: str, words: str) -> None:
    assert said(text) == words


def test_parameters_of_an_algorithm_are_compared_as_numbers_where_they_are_numbers() -> None:
    one = condition("algorithm.steps_exponent is 2/3")
    assert one.of_algorithm
    assert one.unmet(NUMBERS.get, {"algorithm.steps_exponent": "0.6666666666666666"}) == ""
    assert one.unmet(NUMBERS.get, {"algorithm.steps_exponent": "0.5"})


def test_equality_up_to_rounding_meets_a_limit_but_no_strict_one() -> None:
    near = {"x": 1 + 1e-12}.get
    assert condition("x <= 1").unmet(near, {}) == ""
    assert condition("x > 1").unmet(near, {})


@pytest.mark.parametrize("text", ["epsilon", "epsilon <= <= 3", "colour is red", "epsilon <= open(3)", "n is"])
def test_what_is_no_condition_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as refused:
        condition(text)
    assert "\n" not in str(refused.value)


def test_the_first_condition_that_fails_names_its_statement() -> None:
    premise = {"epsilon <= 3": "Theorem 2.4", "p >= 11": "Theorem 2.5", "p >= 12": "Theorem 2.6"}
    assert unmet(premise, NUMBERS.get, {}) == "Theorem 2.5 asks for p >= 11, and p is 10"
