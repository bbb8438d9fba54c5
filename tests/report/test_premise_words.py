"""A premise as the code checks it, in words; what is words already, or long, stays as it is."""

from __future__ import annotations

import pytest

from dprepro.report.premise_words import in_words


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("relation is replace_one", "neighbours replace a record"),
        ("algorithm is NoisySGD or ExponentialMechanism", "algorithm: noisy SGD or exponential mechanism"),
        ("algorithm is NoisyFrankWolfe", "algorithm: noisy Frank-Wolfe"),
        ("algorithm.step_size is decaying", "step size: decaying"),
        ("hessian_rank <= 1", "Hessians of rank 1 at most"),
        ("delta <= 1/2", r"$\delta$ <= 1/2"),
        ("vertices >= 2", "$|S|$ >= 2"),
        ("delta >= 1e-200", r"$\delta$ >= $10^{-200}$"),
        ("p == 1", "$p$ = 1"),
    ],
)
def test_a_condition_is_told_in_the_fields_words(condition: str, words: str) -> None:
    assert in_words(condition) == words


@pytest.mark.parametrize(
    "said",
    [
        "records are independent draws",
        "n is sufficiently large",
        "B >= ||w*||",
        "epsilon <= 2.4 + 1.1*ln(ln(1/delta))",
        "Delta is at least 2 lambda/(epsilon/2)",
    ],
)
def test_words_and_long_formulas_stay_as_they_are_written(said: str) -> None:
    assert in_words(said) == said
