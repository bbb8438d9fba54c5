"""Scores of hand-made frames whose answer is known: crossings, shares, proportions, audits, and what is good enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.analysis_frames import make_frame

from dprepro.analysis.checks import build
from dprepro.analysis.rule import CheckResult

NS = [1e3, 1e4, 1e5, 1e6, 1e7]
PS = [1.0, 8.0, 64.0, 512.0, 4096.0, 32768.0]
At = Mapping[str, float]


def curves(rising: Callable[[At], float], flat: Callable[[At], float] = lambda at: 1.0, **columns: Any) -> pd.DataFrame:
    points = [{"n": n, "p": p} for n in NS for p in PS]
    both = ((rising, "hard"), (flat, "flat"))
    return pd.concat([make_frame(points, value, series=name, **columns) for value, name in both])  # type: ignore[arg-type]


def crossing(frame: pd.DataFrame, **fields: object) -> CheckResult:
    check = {"rule": "crossing", "role": "claim", "series": "hard", "against": "flat", "expected": 0.5, "margin": 0.01}
    return build("meet", check | fields).judge(frame)


def places(found: CheckResult) -> list[float]:
    return [place for _, place in found.details["crossings"]]


TRUE = [3 * n**0.5 for n in NS]


def ratio(at: At) -> float:
    """Below 1 up to p = 3 sqrt(n)."""
    return at["p"] / (3 * at["n"] ** 0.5)


def test_a_crossing_of_powers_is_found_exactly_between_grid_points() -> None:
    found = crossing(curves(ratio))
    assert places(found) == pytest.approx(TRUE)
    assert found.estimate == pytest.approx(0.5)
    assert found.constant == pytest.approx(3)
    upside_down = crossing(curves(ratio)[::-1])
    assert places(upside_down) == pytest.approx(TRUE)


def test_a_curve_that_crosses_up_down_and_up_again_crosses_where_it_stays_above() -> None:
    def wavy(at: At) -> float:
        return {1.0: 0.5, 8.0: 2.0, 64.0: 0.5, 512.0: 0.25, 4096.0: 4.0, 32768.0: 9.0}[at["p"]]

    assert places(crossing(curves(wavy), expected=0.0)) == pytest.approx([512 * 8**0.5] * 5)


def test_curves_that_meet_at_a_grid_point_cross_there_and_falling_ones_nowhere() -> None:
    assert places(crossing(curves(lambda at: at["p"] / 64), expected=0.0)) == pytest.approx([64.0] * 5)
    assert crossing(curves(lambda at: 64 / at["p"]), expected=0.0).verdict == "inconclusive"


def test_saturated_points_count_for_a_crossing() -> None:
    assert places(crossing(curves(ratio, trivial_risk=lambda at: 1e-9))) == pytest.approx(TRUE)


def test_the_constant_of_a_crossing_is_that_of_its_anchor_and_scale() -> None:
    frame = curves(ratio).assign(epsilon=0.25)
    assert crossing(frame).constant == pytest.approx(3 / 0.25**0.5)
    assert crossing(frame, scale="").constant == pytest.approx(3)
    away = [3 * n**0.5 / (0.25 * n) for n in NS]
    assert crossing(frame, anchor=1.0).constant == pytest.approx(math.exp(np.mean(np.log(away))))


def test_a_crossing_is_compared_with_that_of_the_bounds_or_made_with_one() -> None:
    frame = curves(ratio)
    n, p = (frame[name].astype(float) for name in ("n", "p"))
    bounds = frame.assign(bound=np.where(frame["series"] == "hard", p / (5 * n**0.3), 1.0))
    found = crossing(bounds, versus="bound", expected=0.2)
    assert found.estimate == pytest.approx(0.2)
    assert places(found) == pytest.approx(TRUE)
    column = curves(ratio, lambda at: at["p"] ** 0.5).assign(bound=p**1.5 / (3 * n**0.5))
    instead = build("meet", {"rule": "crossing", "role": "claim", "against": "flat", "column": "bound", "expected": 1})
    assert places(instead.judge(column)) == pytest.approx(TRUE)


def cases(values: list[float], role: str = "claim", series: str = "hard") -> pd.DataFrame:
    return make_frame(
        [{"n": float(k)} for k in range(1, len(values) + 1)], lambda at: values[int(at["n"]) - 1],
        replicates=1, quantity="regret", role=role, series=series,
    )  # fmt: skip


def test_a_share_counts_values_up_to_the_limit_of_series_that_are_claimed() -> None:
    frame = pd.concat([cases([1.0] * 30 + [2.0] * 20 + [2.1] * 10), cases([9.0] * 60, "control", "bad")])
    check = {"rule": "share", "role": "claim", "quantity": "regret", "limit": 2, "expected": 0.7}
    found = build("one", check).judge(frame)
    assert found.estimate == pytest.approx(50 / 60)
    assert (found.details["median"], found.details["quantile_90"], found.details["cases"]) == (1.5, 2.1, 60)
    assert found.low == found.high == found.estimate  # of these cases alone, without an error
    share = 50 / 60
    for expected, margin, verdict in (
        (share - 0.001, 0.0, "confirmed"), (share + 0.001, 0.0, "refuted"),
        (share + 0.049, 0.05, "confirmed"), (share + 0.051, 0.05, "refuted"),
    ):  # fmt: skip
        assert build("one", check | {"expected": expected, "margin": margin}).judge(frame).verdict == verdict


def hits(rates: list[float], **fields: object) -> CheckResult:
    points = [{"n": 10.0**k} for k in range(1, len(rates) + 1)]
    frame = make_frame(
        points, lambda at: rates[round(math.log10(at["n"])) - 1], quantity="hit", trials=lambda at: 200.0,
        trivial_risk=lambda at: 1e-9,
    )  # fmt: skip
    if lost := fields.pop("lost", 0):
        frame.loc[(frame["n"] == lost) & (frame["replicate"] == 0), "status"] = "failed: x"
    return build("one", {"rule": "proportion", "role": "claim", "series": "hard", "quantity": "hit", **fields}).judge(
        frame
    )


def test_one_point_beyond_its_line_refutes_a_proportion_whatever_the_others_are() -> None:
    assert hits([0.01, 0.5, 0.01], expected=0.1).verdict == "refuted"
    assert hits([0.9, 0.05, 0.9], expected=0.5, side="at_least").verdict == "refuted"
    found = hits([0.01, 0.04, 0.02], expected=0.1)
    assert (found.verdict, found.estimate) == ("confirmed", pytest.approx(0.04))
    assert hits([0.9, 0.7, 0.8], expected=0.5, side="at_least").estimate == pytest.approx(0.7)


def test_a_margin_moves_a_proportions_line_away_from_what_is_claimed_and_a_lost_cell_leaves_doubt() -> None:
    assert hits([0.15], expected=0.1).verdict == "refuted"
    assert hits([0.15], expected=0.1, margin=0.1).verdict == "confirmed"
    assert hits([0.45], expected=0.5, side="at_least", margin=0.15).verdict == "confirmed"
    assert hits([0.01, 0.02], expected=0.1).verdict == "confirmed"
    assert hits([0.01, 0.02], expected=0.1, lost=10.0).verdict == "inconclusive"


def audits(*cells: Mapping[str, float]) -> CheckResult:
    """Cells of one series, at n = 1, 2, ...: quantities with their bound."""
    rows = []
    for n, cell in enumerate(cells, 1):
        values, bound = dict(cell), cell.get("bound", 1.0)
        factor = values.pop("epsilon_factor", 2.0)
        values.pop("bound", None)
        rows += [
            {"n": float(n), "p": 1.0, "epsilon": bound, "delta": 0.0, "norm": 1.0, "series": "one", "role": "claim",
             "replicate": 0, "status": "ok", "bound": bound, "quantity": name, "value": value, "epsilon_factor": factor}
            for name, value in values.items()
        ]  # fmt: skip
    return build("one", {"rule": "audit", "role": "claim", "series": "one"}).judge(pd.DataFrame(rows))


FINE = {"audited_epsilon": 0.7, "violating_epsilon": 1.2, "certified_epsilon": 0.9}


def test_one_audit_beyond_its_claim_refutes_and_one_without_power_leaves_doubt() -> None:
    assert audits(FINE, FINE).verdict == "confirmed"
    assert audits({**FINE, "audited_epsilon": 0.1}, {**FINE, "audited_epsilon": 1.1}).verdict == "refuted"
    weak = audits(FINE, FINE, {**FINE, "violating_epsilon": 0.9})
    assert weak.verdict == "inconclusive"
    assert "one, n=3" in weak.reason
    assert audits(FINE, {**FINE, "epsilon_factor": 4.5}).verdict == "inconclusive"


def test_what_is_seen_is_a_share_of_what_is_claimed_up_to_what_is_certified() -> None:
    twice = {"bound": 2.0, "audited_epsilon": 1.5, "violating_epsilon": 2.4, "certified_epsilon": 1.9}
    found = audits(FINE, twice)
    assert (found.verdict, found.estimate, found.high) == ("confirmed", pytest.approx(0.75), pytest.approx(0.95))


EPSILONS = (0.1, 0.3, 1.0, 3.0)


def errors(series: str, values: tuple[float, ...], role: str = "claim", wide: tuple[float, ...] = ()) -> pd.DataFrame:
    """Values at the epsilons in four splits, which differ by much where the epsilon is one of ``wide``, else little."""
    rows = [
        {"n": 1e3, "p": 2.0, "epsilon": epsilon, "delta": 0.0, "norm": 1.0, "split": float(split), "series": series,
         "role": role, "replicate": 0, "quantity": "error", "bound": np.nan, "status": "ok",
         "value": value + (1.0 if epsilon in wide else 1e-3) * (-1) ** split}
        for epsilon, value in zip(EPSILONS, values, strict=True) for split in range(4)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def good_enough(*frames: pd.DataFrame, **fields: object) -> CheckResult:
    check = {"rule": "attainment", "role": "claim", "quantity": "error", "over": ["split"], "target": 10.0, **fields}
    return build("one", check).judge(pd.concat(frames))


def test_the_mean_crosses_the_target_by_linear_interpolation_in_the_logarithm() -> None:
    found = good_enough(errors("one", (13.0, 9.0, 8.0, 8.0)))
    assert found.estimate == pytest.approx(0.3 * (0.1 / 0.3) ** 0.25)
    assert (found.low, found.high) == (0.3, 0.3)


def test_what_is_good_enough_must_be_so_from_there_to_the_end_of_the_grid() -> None:
    gap = good_enough(errors("one", (8.0, 8.0, 12.0, 8.0)))
    assert (gap.high, gap.low) == (3.0, 3.0)
    unsure = good_enough(errors("one", (8.0, 8.0, 9.9, 8.0), wide=(1.0,)))
    assert (unsure.high, unsure.low, unsure.estimate) == (3.0, 0.1, 0.1)
    end = good_enough(errors("one", (8.0, 8.0, 8.0, 12.0)))
    assert end.verdict == "refuted"


def test_what_its_user_would_take_decides_and_limits_that_allow_it_leave_it_open() -> None:
    unsure = errors("one", (8.0, 9.9, 8.0, 8.0), wide=(0.3,))
    assert good_enough(unsure, within=1.0).verdict == "confirmed"
    assert good_enough(unsure, within=0.3).verdict == "inconclusive"
    late = errors("late", (12.0, 12.0, 12.0, 8.0))
    assert good_enough(late, within=1.0).verdict == "refuted"
    assert good_enough(unsure, late, within=0.3).verdict == "inconclusive"
    assert (
        good_enough(errors("one", (12.0, 8.0, 8.0, 8.0)), late).details["words"]
        == "good enough from epsilon ~ 0.3 (one)"
    )


def test_the_target_is_set_at_the_end_of_the_grid_by_the_best_of_its_series() -> None:
    mean, best = errors("mean", (99.0, 99.0, 99.0, 20.0), "context"), errors("best", (0.0, 0.0, 0.0, 4.0), "context")
    found = good_enough(
        errors("one", (9.0, 7.0, 7.0, 7.0)), mean, best, target=None, against="mean", best="best", expected=0.25
    )
    assert found.details["target"] == pytest.approx(8.0)
    assert set(found.details["places"]) == {"one"}
    assert found.high == 0.3
    two = pd.concat([best.assign(radius=1.0), errors("best", (0.0, 0.0, 0.0, 2.0), "context").assign(radius=2.0)])
    rest = pd.concat([errors("one", (9.0, 7.0, 7.0, 7.0)), mean]).assign(radius=1.0)
    fields = {"target": None, "against": "mean", "best": "best", "expected": 0.25, "axes": ["radius"]}
    assert good_enough(rest, two, **fields).details["target"] == pytest.approx(2 + 0.25 * 18)
