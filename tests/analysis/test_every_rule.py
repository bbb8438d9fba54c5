"""What every rule keeps: an answer of the contract, with a reason, the same whatever order the rows have.

Every rule of `RULES` is tried, on what its required fields ask for; a new one is so covered by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import lasso_frame

from dprepro.analysis.checks import RULES, build, judge
from dprepro.analysis.fits import Interval
from dprepro.analysis.margins import MEANING
from dprepro.analysis.margins import kind as kind_of
from dprepro.analysis.rule import Measured, Rule
from dprepro.errors import InputError

KEYS = ["role", "verdict", "expect", "as_expected", "estimate", "low", "high", "expected", "margin", "rule", "reason",
        "constant", "constant_low", "constant_high"]  # fmt: skip
ASKED: dict[str, object] = {
    "role": "claim", "series": "hard", "against": "other", "column": "noise_scale", "axis": "n", "expected": 0.5,
    "limit": 1.0, "target": 1.0,
}  # fmt: skip
"""What a field that has no default is given, by its name."""
FURTHER: dict[str, dict[str, object]] = {
    "ratio": {"against": "other"},
    "crossing": {"series": "hard"},
    "affine": {"axis": "n"},
    "noise": {"quantity": "excess_risk"},
    "audit": {"quantity": "excess_risk"},
    "attainment": {"axis": "n", "quantity": "excess_risk", "target": 1},
    "share": {"quantity": "excess_risk"},
    "coverage": {"divide": "rate"},
}
"""Fields with a default that these rules cannot do without."""


def frame() -> pd.DataFrame:
    lasso = lasso_frame().assign(freedom=1e5)
    return pd.concat([lasso, lasso.assign(series="other")])


def check_of(name: str, **changes: object) -> Rule:
    """The plainest check of a rule."""
    asked = [
        field.name for field in fields(RULES[name]) if field.default is MISSING and field.default_factory is MISSING
    ]
    return build("it", {"rule": name, **{key: ASKED[key] for key in asked}, **FURTHER.get(name, {}), **changes})


def answer(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    return judge(rows, {"it": check_of(name)})["it"].to_dict()


every = pytest.mark.parametrize("name", RULES)


@every
def test_its_answer_has_the_keys_of_the_contract_and_no_nan(name: str) -> None:
    plain = answer(name, frame())
    assert [key for key in plain if key != "details"] == KEYS
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


@every
def test_it_says_why_where_it_decides_nothing_and_its_estimate_lies_within_its_limits(name: str) -> None:
    for rows in (frame(), frame().query("n < 2e8")):
        plain = answer(name, rows)
        assert plain["verdict"] != "inconclusive" or plain["reason"]
        if plain["estimate"] is None:
            assert plain["verdict"] == "inconclusive"
        else:
            assert plain["low"] <= plain["estimate"] <= plain["high"]


@every
def test_its_answer_is_the_same_for_rows_in_any_order(name: str) -> None:
    plain, shuffled = answer(name, frame()), answer(name, frame().sample(frac=1, random_state=np.random.RandomState(0)))
    assert shuffled["verdict"] == plain["verdict"]
    for key in ("estimate", "low", "high"):
        assert (shuffled[key] is None) == (plain[key] is None)
        assert shuffled[key] == pytest.approx(plain[key] or 0.0, rel=1e-9) or plain[key] is None


@every
def test_a_series_without_a_grid_point_decides_nothing(name: str) -> None:
    check = check_of(name)
    if check.uses():
        found = check.judge(frame(), frozenset(check.uses()))
        assert (found.verdict, found.reason[:28]) == ("inconclusive", "the sweep has no grid point ")


@every
def test_its_margin_is_that_of_a_kind(name: str) -> None:
    assert kind_of(name, {}) in MEANING


@dataclass(frozen=True, kw_only=True)
class Largest(Rule):
    """A new rule: the largest value of a series."""

    name: ClassVar[str] = "largest"
    series: str

    def measure(self, frame: pd.DataFrame) -> Measured:
        rows = frame[(frame["series"] == self.series) & (frame["quantity"] == self.quantity)]
        if rows.empty:
            raise InputError(f"unknown quantity {self.quantity}")
        found = float(rows["value"].max())
        return Measured(Interval(found, found, found))


class Silent(Largest):
    """It decides nothing and does not say why."""

    def measure(self, frame: pd.DataFrame) -> Measured:
        super().measure(frame)
        return Measured()


class Reversed(Largest):
    """Its limits are exchanged."""

    def measure(self, frame: pd.DataFrame) -> Measured:
        interval = super().measure(frame).interval
        assert interval is not None
        return Measured(Interval(interval.estimate, interval.high + 1, interval.low - 1))


class First(Largest):
    """It judges whatever row comes first."""

    def measure(self, frame: pd.DataFrame) -> Measured:
        super().measure(frame)
        first = float(frame["value"].iloc[0])
        return Measured(Interval(first, first, first))


class Wordy(Largest):
    """It adds what no file of a verdict can hold."""

    def measure(self, frame: pd.DataFrame) -> Measured:
        found = super().measure(frame)
        return Measured(found.interval, details={"rows": {1, 2}})


PLANTED: dict[type[Largest], Callable[[str], None]] = {
    Silent: test_it_says_why_where_it_decides_nothing_and_its_estimate_lies_within_its_limits,
    Reversed: test_it_says_why_where_it_decides_nothing_and_its_estimate_lies_within_its_limits,
    First: test_its_answer_is_the_same_for_rows_in_any_order,
    Wordy: test_its_answer_has_the_keys_of_the_contract_and_no_nan,
}


@pytest.mark.parametrize("wrong", PLANTED)
def test_a_new_rule_is_covered_by_itself(wrong: type[Largest], monkeypatch: pytest.MonkeyPatch) -> None:
    """One entry of `RULES` is all it needs: a sound one passes the test that a planted one fails."""
    test = PLANTED[wrong]
    monkeypatch.setitem(RULES, Largest.name, Largest)
    assert Largest.name in every.args[1]
    test(Largest.name)
    monkeypatch.setitem(RULES, Largest.name, wrong)
    with pytest.raises((AssertionError, TypeError)):
        test(Largest.name)
