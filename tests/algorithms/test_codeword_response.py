"""Randomised response over a code: its privacy on all data sets of a small size, and its law."""

import collections
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from helpers.small_problems import at, unit_ball
from scipy.stats import chisquare

from dprepro.algorithms import CodewordResponse
from dprepro.algorithms.codeword_response import word_weights
from dprepro.bounds.bst_lower import packing_line
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import LinearLoss
from dprepro.problems.codes import double_circulant_code

STRANGE = 9  # a record that is no word


def law(data, size, epsilon):
    counts = {word: q for word, q in collections.Counter(data).items() if word != STRANGE}
    extras, total = word_weights(counts, len(data), size, epsilon)
    uniform = (total - sum(extras.values())) / size
    return np.array([extras.get(word, 0.0) + uniform for word in range(size)]) / total


def worst_loss(size, n, epsilon):
    """Over all data sets of n records from the words and one stranger, with all replacements, and all answers."""
    worst, records = 0.0, (*range(size), STRANGE)
    for data in itertools.combinations_with_replacement(records, n):
        before = law(data, size, epsilon)
        assert before.sum() == pytest.approx(1)
        for place, other in itertools.product(range(n), records):
            ratio = law((*data[:place], other, *data[place + 1 :]), size, epsilon) / before
            worst = max(worst, float(np.abs(np.log(ratio)).max()))
    return worst


@pytest.mark.parametrize(("epsilon", "n"), [(0.1, 5), (0.5, 4), (0.9, 3), (1.9, 2), (9.0, 1)])
def test_neighbouring_data_sets_never_differ_by_more_than_epsilon(epsilon, n):
    domain = unit_ball(LinearLoss(), n, 6)
    assert CodewordResponse().premise(domain, Budget(epsilon, 0.0, Neighbours.REPLACE_ONE)) == ""
    assert 0.9 * epsilon < worst_loss(8, n, epsilon) <= epsilon * (1 + 1e-9)


def test_beyond_its_premise_it_would_not_be_private():
    domain, epsilon = unit_ball(LinearLoss(), 3, 4), 2.0
    assert "needs K - 1" in CodewordResponse().premise(domain, Budget(epsilon, 0.0, Neighbours.REPLACE_ONE))
    assert worst_loss(4, 3, epsilon) > 1.01 * epsilon


def test_answers_follow_the_law_and_spend_epsilon():
    code, rng, budget = double_circulant_code(6), np.random.default_rng(1), Budget(0.5, 0.0, Neighbours.REPLACE_ONE)
    problem = at(unit_ball(LinearLoss(), 4, 6), code.words[[2, 1]], [3, 1])
    solutions = [CodewordResponse().solve(problem, budget, rng) for _ in range(4000)]
    found = np.bincount([code.find(solution.theta) for solution in solutions], minlength=8)
    assert chisquare(found, 4000 * law((2, 2, 2, 1), 8, 0.5)).pvalue > 1e-3  # false alarms: 1 in 1000
    assert solutions[0].privacy_loss.epsilon == 0.5


@pytest.mark.parametrize("n", [1, 20, 50])
def test_on_copies_of_one_word_it_is_randomised_response_and_meets_the_line_of_packing(n):
    assert law((5,) * n, 256, 0.1)[5] == pytest.approx(packing_line(256, n, 0.1, 0.0), rel=1e-12)


@pytest.mark.parametrize("size", [2, 4, 16, 65536])
@pytest.mark.parametrize("grown", [Fraction(11, 10), Fraction(7, 2), Fraction(1000)])
def test_randomised_response_and_the_dual_of_group_privacy_meet_in_exact_arithmetic(size, grown):
    """Maximise the mean of P_i(i) under P_i(o) <= t P_j(o), t = e^(epsilon m): primal and dual with rational t.

    By symmetry the primal has two numbers, P_i(i) and P_i(o), and the dual one multiplier y of the constraints
    P_o(o) <= t P_j(o) and one z of each sum of probabilities: z + (K - 1) y >= 1/K at (o, o), z - t y >= 0 at (j, o).
    """
    right, wrong = grown / (size - 1 + grown), 1 / (size - 1 + grown)
    assert right + (size - 1) * wrong == 1
    assert right == grown * wrong
    y = 1 / (size * (size - 1 + grown))
    z = grown * y
    assert z + (size - 1) * y == Fraction(1, size)
    assert size * z == right
    assert float(right) == pytest.approx(packing_line(size, 1, math.log(grown), 0.0), rel=1e-12)


def test_what_it_cannot_do_is_refused():
    domain = unit_ball(LinearLoss(), 10, 8)
    with pytest.raises(InputError, match="epsilon=inf"):
        CodewordResponse().schedule(domain, Budget(math.inf, 0.0, Neighbours.REPLACE_ONE))
    with pytest.raises(InputError, match="replace_one, zero_out"):
        CodewordResponse().admit(domain, Budget(1.0, 0.0, Neighbours.ADD_OR_REMOVE_ONE))
    with pytest.raises(InputError, match="p=7"):
        CodewordResponse().schedule(unit_ball(LinearLoss(), 10, 7), Budget(1.0, 0.0, Neighbours.REPLACE_ONE))
    with pytest.raises(InputError, match=r"of radius 0\.5"):
        CodewordResponse().admit(unit_ball(LinearLoss(), 10, 8, 0.5), Budget(1.0, 0.0, Neighbours.REPLACE_ONE))
    with pytest.raises(InputError, match="n=20 and K - 1 = 15"):
        CodewordResponse().admit(unit_ball(LinearLoss(), 20, 8), Budget(0.01, 0.0, Neighbours.REPLACE_ONE))
    assert "records" in CodewordResponse().needs(frozenset({"moments"}))
