"""The envelope over a family, and the rule `crossing`, on frames whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from dprepro.analysis.checks import build
from dprepro.analysis.points import grid_points
from dprepro.errors import InputError


def rows(series, value, ns, masses=(1.0,), ps=(64.0,), replicates=3, trivial=1e9, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    return [
        {"series": series, "role": "claim", "quantity": "excess_risk", "status": "ok", "n": n, "p": p, "epsilon": 1.0,
         "delta": 0.0, "norm": 1.0, "mass": mass, "replicate": r, "trivial_risk": trivial, "bound": np.nan,
         "value": value(n, p, mass) * np.exp(noise * rng.normal())}
        for n in ns for p in ps for mass in masses for r in range(replicates)
    ]  # fmt: skip


NS = [1e3, 1e4, 1e5, 1e6, 1e7]
MASSES = [10.0**-k for k in range(9)]


def member(n, p, mass):
    """Largest over the mass at mass = 1/n, where it is 1/(4 n)."""
    return mass / (1 + n * mass) ** 2


def test_the_envelope_keeps_the_member_with_the_largest_mean_and_the_largest_trivial_risk():
    frame = pd.DataFrame(rows("a", member, NS, MASSES))
    frame["trivial_risk"] = frame["mass"]
    points = grid_points(frame, "a", envelope=["mass"])
    np.testing.assert_allclose(points["mean"], 1 / (4 * np.array(NS)))
    np.testing.assert_allclose(points["mass"], 1 / np.array(NS))
    assert set(points["state"]) == {"used"}  # each worst member alone would be saturated


def test_the_envelope_of_a_family_with_a_failed_member_is_no_evidence():
    frame = pd.DataFrame(rows("a", member, NS, MASSES, replicates=1))
    frame.loc[(frame["n"] == 1e4) & (frame["mass"] == 1e-2), "status"] = "failed: x"
    points = grid_points(frame, "a", envelope=["mass"]).set_index("n")
    assert points.loc[1e4, "state"] == "failed"
    assert points.loc[1e5, "state"] == "used"


def test_the_exponent_of_the_envelope_is_found_where_every_member_has_another():
    frame = pd.DataFrame(rows("a", member, NS, MASSES, noise=0.01))
    check = {"rule": "exponent", "role": "claim", "series": "a", "axis": "n", "margin": 0.05, "envelope": ["mass"]}
    assert build("x", {**check, "expected": -1.0}).judge(frame).verdict == "confirmed"
    assert build("x", {**check, "expected": -0.8}).judge(frame).verdict == "refuted"
    with pytest.raises(InputError, match="further axes"):
        build("x", {**check, "expected": -1.0, "envelope": []}).judge(frame)


def crossing_frame(power, noise=0.01):
    ps = [2.0**k for k in range(1, 21)]
    first = rows("a", lambda n, p, mass: np.sqrt(p) / n, NS, ps=ps, noise=noise)
    second = rows("b", lambda n, p, mass: np.sqrt(3) * n ** (power / 2 - 1), NS, ps=ps, noise=noise, seed=1)
    return pd.DataFrame(first + second)


def test_the_crossing_of_two_curves_moves_with_the_exponent_that_was_planted():
    check = {"rule": "crossing", "role": "claim", "series": "a", "against": "b", "margin": 0.05}
    result = build("x", {**check, "expected": 2 / 3}).judge(crossing_frame(2 / 3))
    assert result.verdict == "confirmed"
    assert result.constant == pytest.approx(3, rel=0.1)
    assert build("x", {**check, "expected": 1.0}).judge(crossing_frame(2 / 3)).verdict == "refuted"


def test_curves_that_do_not_cross_are_inconclusive_and_named():
    check = {"rule": "crossing", "role": "claim", "series": "a", "against": "b", "expected": 2 / 3, "margin": 0.05}
    result = build("x", check).judge(crossing_frame(30.0))
    assert result.verdict == "inconclusive"
    assert "no crossing at n=1000" in result.reason
