"""Randomised response over a code: its privacy on all data sets of a small size, and its law."""

import collections
import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from dprepro.algorithms import CodewordResponse
from dprepro.algorithms.codeword_response import word_weights
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import Packing
from dprepro.errors import InputError
from dprepro.problems import BallRisk, L2Ball
from dprepro.problems.codes import random_linear_code

STRANGE = 9  # a record that is no word


def law(data, size, epsilon):
    counts = {word: q for word, q in collections.Counter(data).items() if word != STRANGE}
    extras, total = word_weights(counts, len(data), size, epsilon)
    uniform = (total - sum(extras.values())) / size
    return np.array([extras.get(word, 0.0) + uniform for word in range(size)]) / total


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_neighbouring_data_sets_never_differ_by_more_than_epsilon(epsilon):
    """All data sets of up to four records from four words and one stranger, with all replacements."""
    worst = 0.0
    for n in (1, 2, 3, 4):
        for data in itertools.combinations_with_replacement([0, 1, 2, 3, STRANGE], n):
            before = law(data, 4, epsilon)
            assert before.sum() == pytest.approx(1)
            for other in (0, 1, 2, 3, STRANGE):
                ratio = law((other, *data[1:]), 4, epsilon) / before
                worst = max(worst, float(np.abs(np.log(ratio)).max()))
    assert 0.5 * epsilon < worst <= epsilon * (1 + 1e-9)


def test_answers_follow_the_law_and_spend_epsilon():
    code, rng, budget = random_linear_code(4), np.random.default_rng(1), Budget(0.5, 0.0, Neighbours.REPLACE_ONE)
    problem = BallRisk("linear", L2Ball(4), code.words[[2, 1]], [4, 1])
    solutions = [CodewordResponse().solve(problem, budget, rng) for _ in range(4000)]
    found = np.bincount([code.find(one.theta) for one in solutions], minlength=4)
    assert chisquare(found, 4000 * law((2, 2, 2, 2, 1), 4, 0.5)).pvalue > 1e-3  # false alarms: 1 in 1000
    assert solutions[0].spent.epsilon == 0.5


def test_on_copies_of_one_word_it_is_randomised_response_but_for_its_last_part():
    a, size = 2.0, 256
    expected = (math.exp(a) + math.exp(a * 0.95) / size) / (size - 1 + math.exp(a) + math.exp(a * 0.95))
    assert law((5,) * 20, size, a / 20)[5] == pytest.approx(expected, rel=1e-9)


def test_what_it_cannot_do_is_refused():
    constants = Packing().constants({"n": 10.0, "p": 8.0})
    with pytest.raises(InputError, match="epsilon=inf"):
        CodewordResponse().schedule(constants, Budget(math.inf, 0.0, Neighbours.REPLACE_ONE))
    with pytest.raises(InputError, match="replace_one"):
        CodewordResponse().admit(constants, Budget(1.0, 0.0, Neighbours.ADD_OR_REMOVE_ONE))
    with pytest.raises(InputError, match="p=7"):
        CodewordResponse().schedule(
            Packing().constants({"n": 10.0, "p": 8.0}).__class__(**{**vars(constants), "p": 7.0}),
            Budget(1.0, 0.0, Neighbours.REPLACE_ONE),
        )
