"""The referee: wrong functions are named with a pair that can be shown, right ones are not contradicted."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import audited_functions as functions

from dprepro import audit
from dprepro.auditing.data import DataDomain
from dprepro.auditing.neighbours import pairs
from dprepro.budget import Neighbours
from dprepro.errors import InputError

FILE = Path(functions.__file__)
QUICK = ("half_sensitivity", "seed_of_one_byte", "noise_that_is_reused")
"""Of the wrong ones, those that the default tests audit."""


def audited(name: str, draws: int, seed: int = 0):
    function = getattr(functions, name)
    relation = "add_or_remove_one" if name == "threshold_on_n" else "replace_one"
    return audit(
        function, 1.0, neighbours=relation, domain="n=10", draws=draws, seed=seed, target=f"{FILE}:{name}"
    )  # fmt: skip


def shown_again(verdict):
    """What the printed script says in a process of its own: the limit."""
    done = subprocess.run(
        [sys.executable, "-c", verdict.script], capture_output=True, text=True, check=True, timeout=60
    )
    return float(done.stdout.partition("epsilon is at least ")[2].partition(",")[0])


@pytest.mark.parametrize("name", QUICK)
def test_a_wrong_function_is_named_and_its_script_shows_it_in_a_process_of_its_own(name):
    verdict = audited(name, 20_000)
    assert verdict.verdict == "violates its guarantee"
    assert verdict.epsilon > 1
    if name == QUICK[0]:
        assert shown_again(verdict) > 1


def test_a_right_function_is_not_contradicted_and_overspending_would_have_been_noticed():
    verdict = audited("laplace_mean", 30_000)
    assert verdict.verdict == "not contradicted"
    assert 0.8 <= verdict.epsilon <= 1
    assert verdict.noticed is not None
    assert verdict.noticed <= 1.3


def test_an_answer_that_says_nothing_leaves_the_audit_without_power():
    verdict = audit(lambda values: 0.0, 1.0, draws=3_000)
    assert verdict.verdict == "without power"
    assert verdict.epsilon == 0


def test_the_same_seed_and_draws_give_the_same_verdict():
    assert str(audited("randomised_response", 4_000)) == str(audited("randomised_response", 4_000))


def test_a_function_of_labels_is_given_them_and_one_without_is_not():
    def labels(features, y, epsilon, rng):
        assert features.shape == (6, 2)
        assert set(y) <= {-1.0, 1.0}
        return features.T @ y + rng.laplace(scale=4 / epsilon, size=2)

    verdict = audit(labels, 1.0, domain="n=6 p=2 x=-1..1 norm=1 y=-1|1", draws=4_000)
    assert not verdict.violates
    with pytest.raises(InputError, match="asks for labels"):
        audit(labels, 1.0, domain="n=6 p=2 x=-1..1", draws=4_000)


def test_errors_that_differ_on_two_data_sets_tell_them_apart():
    def refusing(values):
        raise ValueError("a one is among them" if values.max() == 1 else "no one is among them")

    def alike(values):
        if values.max() == 1:
            raise ValueError("no")
        return 0.0

    for function in (refusing, alike):
        assert audit(function, 1.0, draws=4_000).verdict == "violates its guarantee"


def test_a_function_that_never_answers_or_takes_no_data_is_refused():
    def broken(values):
        raise ValueError("no")

    with pytest.raises(InputError, match="never answers: ValueError: no"):
        audit(broken, 1.0, seconds=0.5)
    with pytest.raises(InputError, match="takes no data"):
        audit(lambda epsilon: 0.0, 1.0)
    with pytest.raises(InputError, match="neighbours must be one of replace_one"):
        audit(lambda values: 0.0, 1.0, neighbours="swap")
    with pytest.raises(InputError, match="asks for scale"):
        audit(lambda features, y, scale: 0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n=x", "n must be a whole number"),
        ("n=0", "needs n >= 1"),
        ("m=3", "is not understood; type domain="),
        ("x=3", "is no range"),
        ("x=1..0", "must be a range"),
        ("norm=0", "norm must be positive"),
        ("p=4 x=1..2 norm=1", "no record within"),
        ("y=1", "y must be none"),
        ("y=a|b", "is no number"),
    ],
)
def test_a_domain_that_is_none_is_refused_with_what_to_type(text, said):
    with pytest.raises(InputError, match=said):
        DataDomain.parse(text)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_every_pair_is_one_of_neighbours_in_the_domain(neighbours):
    domain = DataDomain.parse("n=4 p=2 x=-1..1 norm=1 y=-1|1")
    seen = 0
    for pair in pairs(domain, neighbours, np.random.default_rng(1)):
        rows = [
            sorted((*features, label) for features, label in zip(data.X.tolist(), data.y.tolist(), strict=True))
            for data in (pair.first, pair.second)
        ]
        common = [row for row in rows[0] if row in rows[1]]
        for row in rows[1]:
            if row in common:
                common.remove(row)
        left = [list(some) for some in rows]
        for row in rows[0]:
            if row in left[1]:
                left[0].remove(row)
                left[1].remove(row)
        assert [len(some) for some in left] == ([1, 0] if not neighbours.n_is_public else [1, 1]), pair.name
        for data in (pair.first, pair.second):
            assert set(data.y) <= {-1.0, 1.0}, pair.name
            assert (np.linalg.norm(data.X, axis=1) <= 1 + 1e-12).all()
        seen += 1
    assert seen >= 12


def test_every_statistic_and_its_expression_agree_on_every_answer():
    from dprepro.privacy.statistics import statistics

    rng = np.random.default_rng(5)
    first = rng.normal(size=(400, 2))
    first = np.column_stack([first, first[:, 0] - first[:, 1]])  # a direction without noise
    second = first[::-1] + np.array([0.5, 0.0, 0.5])
    names = set()
    for statistic in statistics(first, second):
        value = eval(f"lambda answer: {statistic.code}", {"np": np})
        agree = np.isclose([value(answer) for answer in second[:40]], statistic(second[:40]))
        # where noise cancels, the last bits decide on which side of an edge an answer lies
        assert agree.mean() > (0.5 if "cancels" in statistic.name else 0.99), statistic.name
        names.add(type(statistic).__name__)
    assert {"Along", "Nearer", "Turned", "LikelihoodRatio"} <= names


@pytest.mark.slow
@pytest.mark.parametrize("name", [function.__name__ for function in functions.WRONG])
def test_every_wrong_function_is_named_in_ten_seconds(name):
    verdict = audited(name, 40_000, seed=3)
    assert verdict.violates
    assert shown_again(verdict) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [function.__name__ for function in functions.RIGHT])
def test_no_right_function_is_called_wrong_in_fifty_seeds(name):
    # each audit errs with probability 0.01 at most: four of 50 or more by chance in 0.2% of such tests
    wrong = sum(audited(name, 8_000, seed=seed).violates for seed in range(50))
    assert wrong <= 3


@pytest.mark.slow
def test_of_a_thousand_audits_of_what_spends_just_epsilon_at_most_one_in_a_hundred_says_more():
    wrong = sum(audited("laplace_mean", 2_000, seed=seed).violates for seed in range(1000))
    assert wrong <= 20  # 10 are expected at most; more than 20 has probability 0.2%


def test_the_help_of_audit_tells_every_argument():
    said = inspect.getdoc(audit)
    assert all(f"{name}:" in said or f"{name}, " in said for name in inspect.signature(audit).parameters)
