import numpy as np
import pytest
from helpers.analysis_frames import make_frame

from dprepro.analysis.checks import build, judge
from dprepro.analysis.proportion import clopper_pearson


def verdict(rate, *, side="at_most", expected=1.0, bound=0.5, trials=200, replicates=5, **changes):
    points = [{"epsilon": 0.1}, {"epsilon": 1.0}]
    frame = make_frame(
        points, lambda at: rate, replicates=replicates, quantity="decoded",
        bound=(lambda at: bound) if bound else None, trials=lambda at: trials,
    )  # fmt: skip
    rule = {"rule": "proportion", "role": "claim", "series": "hard", "quantity": "decoded", "side": side}
    return judge(frame, {"check": build("check", rule | {"expected": expected} | changes)})["check"]


def test_limits_are_the_textbook_ones():
    """Clopper and Pearson 1934: 0 of 20 gives 1 - .025^(1/20) at 95%, and 10 of 20 is symmetric."""
    low, high = clopper_pearson(np.array([0.0, 10.0, 20.0]), np.array([20.0, 20.0, 20.0]), 0.95)
    assert low[0] == 0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 20))
    assert low[1] == pytest.approx(1 - high[1])
    assert (low[2], high[2]) == (pytest.approx(0.025 ** (1 / 20)), 1)


@pytest.mark.parametrize(
    ("rate", "side", "expected", "said"),
    [
        (0.3, "at_most", 1.0, "confirmed"),
        (0.5, "at_most", 1.0, "inconclusive"),
        (0.6, "at_most", 1.0, "refuted"),
        (0.6, "at_least", 1.0, "confirmed"),
        (0.3, "at_least", 1.0, "refuted"),
        (0.0, "at_least", 1.0, "refuted"),
        (1.0, "at_least", 1.9, "confirmed"),
    ],
)
def test_a_rate_is_judged_by_exact_limits_against_its_line(rate, side, expected, said):
    assert verdict(rate, side=side, expected=expected).verdict == said


def test_without_a_bound_the_expectation_is_the_line():
    assert verdict(0.02, bound=None, expected=0.05).verdict == "confirmed"
    assert verdict(0.10, bound=None, expected=0.05).verdict == "refuted"


def test_few_trials_are_inconclusive_and_say_how_many():
    result = verdict(0.0, bound=None, expected=0.05, trials=4)
    assert result.verdict == "inconclusive"
    assert "with 20 trials" in result.reason


def test_an_attained_line_is_refuted_or_confirmed_in_at_most_one_percent_of_data_sets():
    """2000 binomial data sets at the line; each error is at most .5%, so more than 21 has probability < 1e-3."""
    rng = np.random.default_rng(7)
    hits = rng.binomial(300, 0.2, 2000).astype(float)
    low, high = clopper_pearson(hits, np.full(2000, 300.0), 0.99)
    assert (low > 0.2).sum() <= 21
    assert (high < 0.2).sum() <= 21
