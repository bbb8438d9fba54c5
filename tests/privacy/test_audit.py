"""The audit's engine, on draws of laws that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import Gaussian, Laplace
from dprepro.privacy import noise_for
from dprepro.privacy.audit import audit, lower_limit, ranked
from dprepro.privacy.outcomes import Answer, Answers, Refused, as_row, outcomes

DRAWS = 20_000


def shifted(kind: str, scale: float, draws: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Draws of noise around 0 and around 1, shape (draws, 1)."""
    noise = rng.laplace if kind == "laplace" else rng.normal
    return [noise(centre, scale, (draws, 1)) for centre in (0.0, 1.0)]


def scale_for(kind: str, epsilon: float, delta: float) -> float:
    mechanism = Laplace if kind == "laplace" else Gaussian
    return noise_for(
        lambda candidate: mechanism(candidate).guarantee(1.0), 1, Budget(epsilon, delta, Neighbours.REPLACE_ONE)
    )


@pytest.mark.parametrize(("kind", "delta"), [("laplace", 0.0), ("normal", 0.1)])
def test_a_violation_by_1_3_is_refuted_at_epsilon_1(kind: str, delta: float) -> None:
    scale = scale_for(kind, 1.3, delta)
    for seed in range(5):
        found = audit(*shifted(kind, scale, DRAWS, np.random.default_rng(seed)), delta)
        assert 1 < found.epsilon < 1.3


@pytest.mark.parametrize(("kind", "delta"), [("laplace", 0.0), ("normal", 0.1), ("normal", 1e-3)])
def test_what_spends_all_of_its_epsilon_is_not_refuted_in_50_seeds(kind: str, delta: float) -> None:
    """Each limit fails with probability 1% at most; of 50 three or more would fail with probability 1.4% at most.

    The limits of both probabilities would have to fail together, so that none is expected in the lifetime of this test.
    """
    scale = scale_for(kind, 1.0, delta)
    limits = [audit(*shifted(kind, scale, 4000, np.random.default_rng(seed)), delta).epsilon for seed in range(50)]
    assert max(limits) < 1
    assert np.median(limits) > (0.2 if delta == 1e-3 else 0.6)  # and yet they say something


def test_spherical_noise_is_told_apart_by_its_distances() -> None:
    rng = np.random.default_rng(0)

    def drawn(centre: list[float]) -> np.ndarray:
        direction = rng.standard_normal((DRAWS, 3))
        direction /= np.linalg.norm(direction, axis=1)[:, None]
        return np.array(centre) + rng.gamma(3.0, 1.0, (DRAWS, 1)) * direction

    found = audit(drawn([0.0, 0.0, 0.0]), drawn([2.0, 0.0, 0.0]), 0.0)
    assert 1.2 < found.epsilon < 2.0


def test_an_answer_that_betrays_a_record_is_found_among_few_answers() -> None:
    """The third of four answers comes up on one data set only, one time in ten."""
    rng, words = np.random.default_rng(0), np.eye(4)
    first = words[rng.choice(4, DRAWS, p=[0.3, 0.3, 0.1, 0.3])]
    second = words[rng.choice(4, DRAWS, p=[0.4, 0.3, 0.0, 0.3])]
    assert audit(first, second, 0.05).epsilon > 3


def test_equal_laws_are_not_told_apart() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert audit(rng.random((400, 2)), rng.random((400, 2)), 0.0).epsilon == 0.0


@pytest.mark.parametrize(("p", "q", "delta"), [(0.5, 0.2, 0.0), (0.03, 0.01, 0.0), (0.3, 0.1, 0.1)])
def test_the_limit_of_a_fixed_event_is_above_the_truth_in_less_than_one_per_cent(
    p: float, q: float, delta: float
) -> None:
    """By the exact binomial laws of both counts, not by draws."""
    draws, truth = 400, math.log((p - delta) / q)
    counts = np.arange(draws + 1)
    limits = lower_limit(*np.meshgrid(counts, counts, indexing="ij"), draws, delta)
    weight = np.outer(binom.pmf(counts, draws, p), binom.pmf(counts, draws, q))
    assert weight[limits > truth].sum() < 0.01


REFUSAL = Refused(InputError("needs n >= 4, got n=3"))
NOTHING = (float("nan"), float("inf"), -float("inf"), 1e200)


@pytest.mark.parametrize("nothing", [*NOTHING, REFUSAL])
def test_an_answer_that_is_no_number_on_one_data_set_alone_tells_them_apart(nothing: float | Refused) -> None:
    """As often as all of 200 answers can: q = (1 - .99)/4 is the chance that a limit fails."""
    rng = np.random.default_rng(0)
    numbers = list(rng.standard_normal((400, 2)))
    others = [nothing if isinstance(nothing, Refused) else np.array([0.0, nothing])] * 400
    most = 0.0025 ** (1 / 200)
    for first, second in ((numbers, others), (others, numbers)):
        found = audit(first, second, 0.0)
        assert found.epsilon == pytest.approx(math.log(most / (1 - most)))


def test_kinds_of_no_answers_are_told_apart_by_how_often_they_come() -> None:
    """NaN with chances .9 and .1, else infinity, or a refusal: ln 9 = 2.2 is spent."""
    rng = np.random.default_rng(1)
    for other in (np.array([np.inf]), REFUSAL):
        first, second = (
            [np.array([np.nan]) if u < chance else other for u in rng.random(4000)] + [np.array([0.0])]
            for chance in (0.9, 0.1)
        )
        assert 1.8 < audit(first, second, 0.0).epsilon < 2.2


def test_what_is_no_number_alike_on_both_tells_nothing_and_hides_nothing() -> None:
    rng = np.random.default_rng(2)
    draws = [rng.normal(centre, 1.0, (4000, 1)) for centre in (0.0, 3.0)]
    for some in draws:
        some[rng.random(4000) < 0.5] = np.nan
    assert audit(draws[0], draws[0], 0.0).epsilon < 0.1
    assert audit(*draws, 0.0).epsilon > 1


def test_an_algorithm_that_answers_nowhere_says_why() -> None:
    with pytest.raises(InputError, match="needs n >= 4"):
        audit([REFUSAL] * 10, [REFUSAL] * 10, 0.0)


def test_of_many_kinds_of_errors_the_words_that_change_each_time_are_left_open() -> None:
    rng = np.random.default_rng(6)

    def said(total: int, numbers: int) -> list[Answer]:
        drawn = rng.normal(size=numbers)
        return [Refused(ValueError(f"{value:.3f} is negative; the sum is {total}")) for value in drawn]

    pair = outcomes(said(3, 200), said(4, 200))
    assert pair.kinds == ("ValueError: * is negative; the sum is 3", "ValueError: * is negative; the sum is 4")
    assert as_row(said(4, 1)[0], 0, pair.kinds).tolist() == [0.0, 1.0]
    assert audit(said(3, 200), said(4, 200), 0.0).epsilon > 2
    halves = outcomes([np.zeros(1), Refused(KeyError("late"))], [np.zeros(1), np.zeros(1)], halves=True)
    assert halves.kinds == ()  # of answers that are counted no kind is made
    assert halves.first.tolist() == [[0.0], [0.0]]


def test_of_many_coordinates_those_are_looked_at_whose_laws_differ() -> None:
    rng = np.random.default_rng(7)
    first, second = rng.normal(size=(2, 4000, 30))
    second[:, 21] *= 4
    assert audit(first, second, 0.0).epsilon > 1
    assert "coordinate 21" in audit(first, second, 0.0).event


def test_noise_that_cancels_is_looked_for_among_many_coordinates() -> None:
    rng = np.random.default_rng(8)
    noise = 1000 * rng.normal(size=(2, 2000, 1))
    shift = np.where(np.arange(30) < 3, 0.5, 0.0)
    first, second = noise[0] + shift, noise[1] + np.zeros(30)
    assert "noise cancels" in audit(first, second, 0.0).event


def test_of_many_coordinates_their_common_scale_and_their_support_are_looked_at() -> None:
    rng = np.random.default_rng(4)
    scaled = rng.laplace(size=(4000, 50)), 1.5 * rng.laplace(size=(4000, 50))
    found = audit(*scaled, 0.0)
    assert found.epsilon > 3
    assert "distance to the median" in found.event
    sparse = [np.where(rng.random((4000, 40)).argsort(axis=1) < k, rng.normal(size=(4000, 1)), 0.0) for k in (10, 11)]
    found = audit(sparse[0], sparse[1], 0.0)
    assert found.epsilon > 3
    assert "how many numbers are not zero" in found.event
    assert found.found is not None
    assert eval(found.found.code, {"np": np, "answer": sparse[not found.found.swapped][0]}) in (True, False)


def test_few_answers_of_many_numbers_rank_the_pair_first_that_differs() -> None:
    # of equal laws each of nine is first with a chance of 1/9: six of six by chance, 2e-6
    def some(size: int, draws: int, rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        sizes = size + rng.integers(0, 6, size=(draws, 1))
        return np.where(rng.random((draws, 40)).argsort(axis=1) < sizes, rng.normal(size=(draws, 1)), 0.0)

    for seed in range(6):
        rng = np.random.default_rng(seed)

        def draw(place: int, draws: int, rng: np.random.Generator = rng) -> tuple[Answers, Answers]:
            return some(10, draws, rng), some(12 if place == 5 else 10, draws, rng)

        assert ranked(range(9), draw, [(80, 1)], 0.0, 0.5) == [5]


def test_two_hundred_answers_of_two_thousand_numbers_show_which_number_differs() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=(2, 400, 2000))
    second[:, 1000] += 2
    found = audit(first, second, 0.01)
    assert found.epsilon > 1
    assert "coordinate 1000" in found.event
