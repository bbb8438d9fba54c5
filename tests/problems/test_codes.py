"""Codes: their distance, and decoding."""

import itertools
import math

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.problems.codes import random_linear_code


@pytest.mark.parametrize("p", [4, 8, 12])
def test_the_certified_distance_is_the_least_over_all_pairs(p):
    code = random_linear_code(p)
    assert code.words.shape == (2 ** (p // 2), p)
    np.testing.assert_allclose(np.linalg.norm(code.words, axis=1), 1)
    least = min(int((a != b).sum()) for a, b in itertools.combinations(code.words, 2))
    assert code.distance == least > 0
    gap = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(code.words, 2))
    assert gap == pytest.approx(2 * math.sqrt(code.share))


@pytest.mark.parametrize("p", range(4, 33, 4))
def test_codes_meet_the_gilbert_varshamov_distance(p):
    """A random linear code has distance d with positive chance if sum_{i < d} C(p, i) < 2^(p/2)."""
    promised = max(d for d in range(1, p) if sum(math.comb(p, i) for i in range(d)) < 2 ** (p // 2))
    assert random_linear_code(p).distance >= promised


def test_decoding_undoes_less_than_half_the_distance_and_ignores_length():
    code, rng = random_linear_code(16), np.random.default_rng(0)
    for secret in rng.integers(code.size, size=20):
        error = rng.standard_normal(16)
        error *= 0.999 * math.sqrt(code.share) / np.linalg.norm(error)
        assert code.nearest(7 * (code.words[secret] + error)) == secret
    assert code.find(code.words[3]) == 3
    assert code.find(np.zeros(16)) is None


@pytest.mark.parametrize("p", [3, 15, 34, 2])
def test_a_length_without_a_code_is_refused(p):
    with pytest.raises(InputError, match=f"even p from 4 to 32, got p={p}"):
        random_linear_code(p)
