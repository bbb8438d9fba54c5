"""The exponential mechanism over subsets, held against all subsets listed one by one.

Seeds are fixed; a right draw would fail each of the comparisons once in 1e4 seeds.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from dprepro.mechanisms import SubsetChoice

GAINS = np.array([1.2, 0.4, 2.0, 0.4])
SCALE = 0.7


def listed_law(gains: np.ndarray, others: int, size: int) -> dict[tuple[int, ...], float]:
    """The law of the listed members, by the definition."""
    every = np.concatenate([gains, np.zeros(others)])
    subsets = list(itertools.combinations(range(every.size), size))
    weights = np.array([np.exp(every[list(subset)].sum() / SCALE) for subset in subsets])
    law: dict[tuple[int, ...], float] = {}
    for one, weight in zip(subsets, weights / weights.sum(), strict=True):
        members = tuple(j for j in one if j < gains.size)
        law[members] = law.get(members, 0.0) + float(weight)
    return law


@pytest.mark.parametrize(("others", "size"), [(0, 2), (0, 4), (1, 2), (3, 1), (5, 3)])
def test_members_are_as_likely_as_all_subsets_say(others: int, size: int) -> None:
    choice, law = SubsetChoice(GAINS, float(others), size, SCALE), listed_law(GAINS, others, size)
    wanted = [sum(chance for members, chance in law.items() if j in members) for j in range(GAINS.size)]
    assert choice.inclusion() == pytest.approx(wanted, rel=1e-12)
    rng = np.random.default_rng(5)
    drawn = [tuple(choice.draw(rng).tolist()) for _ in range(4000)]
    assert set(drawn) <= set(law)
    if len(law) > 1:
        counts = [drawn.count(members) for members in law]
        assert chisquare(counts, 4000 * np.array(list(law.values()))).pvalue > 1e-4


def test_the_number_of_members_where_all_gain_the_same() -> None:
    law = listed_law(np.full(3, 0.9), 4, 2)
    wanted = [sum(chance for members, chance in law.items() if len(members) == c) for c in range(3)]
    assert SubsetChoice(np.full(3, 0.9), 4.0, 2, SCALE).members() == pytest.approx(wanted, rel=1e-12)
