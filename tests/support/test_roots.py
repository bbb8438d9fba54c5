"""Roots that stand in for SciPy's, bit by bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from dprepro.support.roots import brentq


@pytest.mark.parametrize("xtol", [1e-16, 1e-12, 1e-7])
def test_a_root_has_the_bits_of_scipys(xtol: float) -> None:
    rng, found = np.random.default_rng(0), 0
    for _ in range(300):
        a, b, c, shift = rng.standard_normal(4)

        def function(x: float, a: float = a, b: float = b, c: float = c, shift: float = shift) -> float:
            return math.tanh(a * x - shift) + b * x**3 * 0.1 + c * 0.3 * math.sin(3 * x)

        low, high = -4 * rng.random(), 5 * rng.random()
        if function(low) * function(high) < 0:
            assert brentq(function, low, high, xtol) == optimize.brentq(function, low, high, xtol=xtol)
            found += 1
    assert found > 100


def test_an_end_that_is_a_root_is_the_answer_and_one_sign_is_refused() -> None:
    assert brentq(lambda x: x, 0.0, 1.0) == 0.0
    assert brentq(lambda x: x - 1, 0.0, 1.0) == 1.0
    with pytest.raises(ValueError, match="different signs"):
        brentq(lambda x: x + 1, 0.0, 1.0)
