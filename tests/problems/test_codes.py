"""Codes: their distance, and decoding."""

import itertools
import math

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.problems.codes import FIRST_ROWS, double_circulant_code

LEAST = dict(zip(range(4, 33, 2), (2, 3, 4, 4, 4, 4, 5, 6, 6, 7, 8, 7, 8, 8, 8), strict=True))


@pytest.mark.parametrize("p", [4, 8, 12])
def test_the_certified_distance_is_the_least_over_all_pairs(p):
    code = double_circulant_code(p)
    assert code.words.shape == (2 ** (p // 2), p)
    np.testing.assert_allclose(np.linalg.norm(code.words, axis=1), 1)
    least = min(int((a != b).sum()) for a, b in itertools.combinations(code.words, 2))
    assert code.distance == least > 0
    gap = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(code.words, 2))
    assert gap == pytest.approx(2 * math.sqrt(code.share))


@pytest.mark.parametrize("p", LEAST)
def test_codes_have_the_least_distances_that_are_said_of_them(p):
    """By listing how far all words are from the last one, where the code counts the weights of all."""
    code = double_circulant_code(p)
    apart = np.sort(np.rint((1 - code.words @ code.words[-1]) * p / 2))
    assert (apart[0], apart[1]) == (0, LEAST[p])
    assert code.distance == LEAST[p]


@pytest.mark.parametrize(("p", "best"), [(8, 4), (16, 5), (24, 8), (32, 8)])
def test_no_linear_code_of_these_lengths_has_a_larger_distance(p, best):
    """As tables of the best binary linear codes of rate 1/2 have it (Grassl, codetables.de)."""
    assert double_circulant_code(p).distance == best


@pytest.mark.parametrize("p", FIRST_ROWS)
def test_codes_meet_the_gilbert_varshamov_distance(p):
    """There is a linear code of distance d if sum_{i < d} C(p, i) < 2^(p/2)."""
    promised = max(d for d in range(1, p) if sum(math.comb(p, i) for i in range(d)) < 2 ** (p // 2))
    assert double_circulant_code(p).distance >= promised


def test_decoding_undoes_less_than_half_the_distance_and_ignores_length():
    code, rng = double_circulant_code(16), np.random.default_rng(0)
    for secret in rng.integers(code.size, size=20):
        error = rng.standard_normal(16)
        error *= 0.999 * math.sqrt(code.share) / np.linalg.norm(error)
        assert code.nearest(7 * (code.words[secret] + error)) == secret
        rival = code.rival(int(secret))
        assert np.linalg.norm(rival - code.words[secret]) == pytest.approx(2 * math.sqrt(code.share))
    assert code.find(code.words[3]) == 3
    assert code.find(np.zeros(16)) is None


@pytest.mark.parametrize("p", [3, 15, 34, 2])
def test_a_length_without_a_code_is_refused(p):
    with pytest.raises(InputError, match=f"even p from 4 to 32, got p={p}"):
        double_circulant_code(p)
