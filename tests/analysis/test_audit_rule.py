"""Rule `audit` on fabricated limits."""

from __future__ import annotations

import pandas as pd
import pytest

from dprepro.analysis.checks import build
from dprepro.errors import InputError

AXES = {"n": 2.0, "p": 1.0, "epsilon": 1.0, "delta": 0.0, "norm": 1.0}


def frame(**values: float) -> pd.DataFrame:
    """Rows of one cell: quantities with the bound 1; ``epsilon_factor`` is the factor."""
    factor = values.pop("epsilon_factor", 2.0)
    common = {**AXES, "series": "one", "role": "claim", "replicate": 0, "status": "ok", "bound": 1.0, "pair": "a b c"}
    return pd.DataFrame(
        [{**common, "quantity": name, "value": value, "epsilon_factor": factor} for name, value in values.items()]
    )


def judge(rows: pd.DataFrame, **options: object):
    return build("one", {"rule": "audit", "role": "claim", "series": "one", **options}).judge(rows)


def test_what_is_not_refuted_is_confirmed_where_a_violation_is_noticed() -> None:
    result = judge(frame(audited_epsilon=0.7, violating_epsilon=1.2, certified_epsilon=0.9))
    assert (result.verdict, result.estimate, result.low, result.high) == ("confirmed", 0.7, 0.7, 0.9)
    assert result.details["notices"] == {"one": 2.0}


def test_an_audit_without_power_supports_nothing() -> None:
    weak = judge(frame(audited_epsilon=0.2, violating_epsilon=0.8))
    assert weak.verdict == "inconclusive"
    assert "without power: one (with epsilon times 2)" in weak.reason
    late = frame(audited_epsilon=0.2, violating_epsilon=1.8, epsilon_factor=4.0)
    assert (judge(late).verdict, judge(late, power=2.0).verdict) == ("confirmed", "inconclusive")
    assert "no violation was tried" in judge(frame(audited_epsilon=0.2)).reason


def test_an_audit_well_beyond_the_law_of_its_pair_contradicts_one_of_them() -> None:
    rows = frame(audited_epsilon=0.7, violating_epsilon=1.2, lower_epsilon=0.5)
    for one in (rows, rows.assign(key=b"cell")):
        result = judge(one)
        assert result.verdict == "inconclusive"
        assert "more is seen than the law has: one" in result.reason
    for lower in (0.7, 0.69):  # a law's cells give a lower value
        assert judge(frame(audited_epsilon=0.7, violating_epsilon=1.2, lower_epsilon=lower)).verdict == "confirmed"


def test_a_limit_above_the_claim_refutes_it_with_or_without_power() -> None:
    for rows in (frame(audited_epsilon=1.1), frame(audited_epsilon=1.1, violating_epsilon=2.0)):
        result = judge(rows)
        assert (result.verdict, result.expect) == ("refuted", "confirmed")
        assert result.details["pair"] == "a b c"


def test_a_failed_cell_makes_a_confirmation_inconclusive() -> None:
    rows = frame(audited_epsilon=0.7, violating_epsilon=1.2)
    failed = rows.iloc[:1].assign(status="failed: x", n=5.0)
    assert judge(pd.concat([rows, failed])).verdict == "inconclusive"
    assert judge(failed).reason == "no audit was measured"


def test_an_unknown_series_is_refused() -> None:
    with pytest.raises(InputError, match="unknown series 'two'"):
        judge(frame(audited_epsilon=0.7), series=["two"])
