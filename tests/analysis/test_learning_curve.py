"""Learning curves, and rule `share`."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.analysis_frames import make_frame

from dprepro.analysis.checks import build, judge
from dprepro.analysis.learning_curve import learning_curve

SIZES = [500.0, 1000, 2000, 4000, 8000]


def splits(exponent: float, seed: int, noise: float = 0.03) -> dict[float, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {n: np.sqrt(9 + 2000 * n**exponent * np.exp(noise * rng.standard_normal(8))) for n in SIZES}


def test_a_power_law_is_found_and_followed_to_the_target() -> None:
    """9 + 2000/n falls below 3.02^2 at n = 16611, beyond what was measured."""
    law = learning_curve(splits(-1, 0), np.full(8, 3.0), 3.02, power=2)
    assert law is not None
    assert abs(law.exponent + 1) < law.half < 0.2
    middle, low, high = law.reached
    assert low is not None
    assert middle is not None
    assert high is not None
    assert low < 16611 < high
    assert middle == pytest.approx(16611, rel=0.1)


def test_the_band_holds_what_is_measured_later_in_nearly_all_data_sets() -> None:
    """At n = 40000 the truth is inside the band of 99%; a wrong law (an exponent one higher) is not."""
    inside = outside = 0
    for seed in range(60):
        law = learning_curve(splits(-1, seed), np.full(8, 3.0), 3.02, power=2)
        assert law is not None
        low, high = (float(np.interp(40000, law.places, one)) for one in (law.low, law.high))
        inside += low < np.sqrt(9 + 2000 / 40000) < high
        outside += not low < np.sqrt(9 + 2000 / 8000) < high
    assert inside >= 57
    assert outside >= 57


def test_there_is_no_law_of_too_few_points_or_below_the_best() -> None:
    assert learning_curve({n: np.ones(8) for n in SIZES[:3]}, np.zeros(8), 1.0) is None
    assert learning_curve({n: np.ones(8) for n in SIZES}, np.full(8, 2.0), 1.0) is None


@pytest.mark.parametrize(("late", "verdict"), [(6, "confirmed"), (7, "refuted")])
def test_a_share_of_these_cases_alone_has_no_sampling_error(late: int, verdict: str) -> None:
    points = [{"n": float(n)} for n in range(1, 61)]
    frame = make_frame(points, lambda at: 3.0 if at["n"] <= late else 1.0, replicates=1, quantity="regret")
    rule = {"rule": "share", "role": "claim", "quantity": "regret", "limit": 2, "expected": 0.9}
    found = judge(frame, {"one": build("one", rule)})["one"]
    assert found.verdict == verdict
    assert found.low == found.high == pytest.approx(1 - late / 60)
