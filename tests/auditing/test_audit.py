"""The referee: wrong functions are named with a pair that can be shown, right ones are not contradicted."""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers import audited_functions as functions
from helpers.databases import opened
from helpers.exact_spenders import EXACT
from helpers.scripts import shown_again

from dprepro import audit
from dprepro.auditing import answers
from dprepro.auditing.answers import Kept
from dprepro.auditing.data import DataDomain
from dprepro.auditing.neighbours import pairs
from dprepro.auditing.power import power
from dprepro.auditing.search import _calls, _planned
from dprepro.auditing.subject import Subject, flat
from dprepro.auditing.verdict import seen_by
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.privacy.audit import lower_limit
from dprepro.privacy.outcomes import Refused

FILE = Path(functions.__file__)
RARE = 0.0005
QUICK = ("half_sensitivity", "seed_of_one_byte", "noise_that_is_reused")
STRANGE = ("names_by_the_data", "exact_in_an_error", "exact_in_a_record", "exact_in_an_estimator")
"""Of the wrong ones, those that the default tests audit."""


def audited(name: str, draws: int, seed: int = 0):
    function = getattr(functions, name)
    relation = "add_or_remove_one" if name == "threshold_on_n" else "replace_one"
    return audit(
        function, 1.0, neighbours=relation, domain="n=10", draws=draws, seed=seed, target=f"{FILE}:{name}"
    )  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_a_wrong_function_is_named_and_its_script_shows_it_in_a_process_of_its_own(name):
    verdict = audited(name, 20_000)
    assert verdict.verdict == "violates its guarantee"
    assert verdict.epsilon > 1
    if name == QUICK[0]:
        assert shown_again(verdict) > 1


def test_the_script_finds_a_function_of_a_file_that_was_not_told_and_leaves_a_place_for_others():
    verdict = audit(functions.half_sensitivity, 1.0, domain="n=10", draws=20_000)
    assert verdict.target == f"{FILE}:half_sensitivity"
    assert shown_again(verdict) > 1
    within = audit(lambda values: values[0], 1.0, domain="n=10", draws=2_000)
    assert within.violates
    assert "put the function in here" in within.script


def test_a_right_function_is_not_contradicted_and_a_violation_would_have_been_noticed():
    verdict = audited("laplace_mean", 40_000)
    assert verdict.verdict == "not contradicted"
    assert 0.8 <= verdict.epsilon <= 1
    assert verdict.noticed is not None
    assert verdict.noticed <= 1.3


def test_an_answer_that_says_nothing_leaves_the_audit_without_power():
    verdict = audit(lambda values: 0.0, 1.0, draws=3_000)
    assert verdict.verdict == "without power"
    assert verdict.epsilon == 0
    assert "all answers were the same" in str(verdict)


def test_an_audit_without_power_says_how_many_calls_would_have_it():
    def sparse(values, rng):
        return float(rng.random() < RARE)

    few = audit(sparse, 1.0, draws=2_000)
    assert few.verdict == "without power"
    enough = int(str(few).partition("give draws=")[2].split()[0])
    assert 4_000 <= enough <= 2_000_000
    assert power_of(sparse, enough) <= 3
    far = audit(sparse, 60.0, draws=2_000)
    assert "claim a smaller epsilon" in str(far)


def power_of(function, draws):
    """The multiple of epsilon that so many calls notice in its answers, by the last of an audit's tests."""
    rng, each = np.random.default_rng(3), int(draws * 0.25)
    answers = tuple((rng.random((each, 1)) < RARE).astype(float) for _ in range(2))
    return power(answers, Budget(1.0, 0.0, Neighbours.REPLACE_ONE), 1 - 0.5 * 0.01, 0.5, rng).noticed


@pytest.mark.parametrize("seed", range(3))
def test_no_leak_is_said_to_be_noticed_that_counts_cannot_see(seed):
    """A leak on one answer that makes the ratio of all others larger still is not taken for the small one.

    Of the best event at 1.05 times epsilon, expected counts of 2,500 answers give a limit below epsilon.
    """
    most = np.exp(1.05) / (1 + np.exp(1.05))
    counts = [np.array([round(2500 * share)]) for share in (most, 1 - most)]
    assert lower_limit(counts[0], counts[1], 2500, 0.0, 0.995)[0] < 1
    rng = np.random.default_rng(seed)
    stop = 1 - np.exp(-1)
    drawn = [rng.geometric(stop, (5000, 1)) - rng.geometric(stop, (5000, 1)) + place for place in (1.0, 0.0)]
    noticed = power((drawn[0], drawn[1]), Budget(1.0, 0.0, Neighbours.REPLACE_ONE), 0.995, 0.5, rng).noticed
    assert noticed is not None
    assert 1.05 < noticed <= 1.5


def test_what_was_drawn_before_a_kill_is_not_drawn_again_and_the_verdict_is_the_same(tmp_path):
    kept = tmp_path / "answers.sqlite"
    whole = audit(functions.laplace_mean, 1.0, domain="n=10", draws=4_000)
    lines = []

    def killed(line):
        lines.append(line)
        if "at least" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(functions.laplace_mean, 1.0, domain="n=10", draws=4_000, keep=kept, progress=killed)
    with opened(kept) as base:
        before = base.execute("SELECT count(*) FROM answers").fetchone()[0]
    assert before > 10
    again = audit(functions.laplace_mean, 1.0, domain="n=10", draws=4_000, keep=kept)
    assert str(again) == str(whole)
    with opened(kept) as base:
        rows = dict(base.execute("SELECT label, rowid FROM answers").fetchall())
        assert len(rows) > before
        assert sorted(rows.values())[:before] == list(range(1, before + 1))  # none of the first was written again
        base.execute("UPDATE answers SET answers = zeroblob(40) WHERE rowid < 5")
    assert str(audit(functions.laplace_mean, 1.0, domain="n=10", draws=4_000, keep=kept)) == str(whole)


def test_kept_answers_of_another_function_claim_or_seed_are_others(tmp_path):
    subject = Subject(functions.laplace_mean, 1.0, 0.0)
    kept = [
        Kept.at(tmp_path / "a.sqlite", subject, 1),
        Kept.at(tmp_path / "a.sqlite", subject, 2),
        Kept.at(tmp_path / "a.sqlite", Subject(functions.laplace_mean, 2.0, 0.0), 1),
        Kept.at(tmp_path / "a.sqlite", Subject(functions.half_sensitivity, 1.0, 0.0), 1),
    ]
    kept[0].put("x", b"1")
    assert [one.get("x") for one in kept] == [b"1", None, None, None]
    (tmp_path / "no.sqlite").write_text("this is no file of SQLite, and long enough to be read as one" * 20)
    with pytest.raises(InputError, match="cannot hold answers"):
        Kept.at(tmp_path / "no.sqlite", subject)
    with pytest.raises(InputError, match="keep needs the function's code"):
        Kept.at(tmp_path / "a.sqlite", Subject(eval("lambda values: 0.0", {"__name__": "nowhere"}), 1.0, 0.0))


def test_kept_answers_are_told_apart_by_what_a_function_holds_beside_its_code(tmp_path):
    def made(scale, inner=None):
        return lambda values, rng: float(values.sum() + scale * rng.laplace() + (inner(values) if inner else 0.0))

    class Noisy:
        def __init__(self, scale):
            self.scale = scale

        def __call__(self, values, rng):
            return float(values.sum() + self.scale * rng.laplace())

        def fit(self, values, rng):
            return self(values, rng)

    functions_apart = [
        made(1.0), made(2.0), made(1.0, lambda values: values[0]), made(1.0, lambda values: values[1]),
        partial(functions.laplace_mean, epsilon=1.0), partial(functions.laplace_mean, epsilon=2.0),
        partial(functions.half_sensitivity, epsilon=1.0),
    ]  # fmt: skip
    digests = [Kept.at(tmp_path / "a.sqlite", Subject(some, 1.0, 0.0)).audit for some in functions_apart]
    assert len(set(digests)) == len(functions_apart)
    assert Kept.at(tmp_path / "a.sqlite", Subject(made(1.0), 1.0, 0.0)).audit == digests[0]
    for some in (Noisy(1.0), Noisy(1.0).fit):  # of a class that is made inside: its object cannot be written
        with pytest.raises(InputError, match="give it as an argument"):
            Kept.at(tmp_path / "a.sqlite", Subject(some, 1.0, 0.0))


def test_answers_of_all_kinds_are_kept_as_they_are():
    from dprepro.auditing.answers import packed, unpacked

    mixed = [np.array([1.0, np.nan]), Refused(ValueError("no: é")), np.array([np.inf]), np.empty(0)]
    first, second = unpacked(packed(mixed), 2)
    assert np.array_equal(first[0], mixed[0], equal_nan=True)
    assert first[1].words == mixed[1].words
    assert second[0] == np.inf
    assert second[1].size == 0
    refused = unpacked(packed([Refused(KeyError("a"))] * 4), 1)
    assert [len(some) for some in refused] == [1, 3]
    assert refused[1][2].words == Refused(KeyError("a")).words
    rows, others = unpacked(packed([np.array([1.0, 2.0])] * 3), 1)
    assert rows.shape == (1, 2)
    assert others.shape == (2, 2)


@pytest.mark.slow
def test_the_verdict_does_not_depend_on_how_many_processes_draw():
    one = audit(functions.laplace_mean, 1.0, domain="n=10", draws=6_000)
    assert str(audit(functions.laplace_mean, 1.0, domain="n=10", draws=6_000, workers=2)) == str(one)
    with pytest.raises(InputError, match="workers must be at least 1"):
        audit(functions.laplace_mean, 1.0, workers=0)


def test_progress_says_how_far_it_is_and_how_long_it_takes(monkeypatch):
    monkeypatch.setattr(answers, "SAID", 0.0)
    lines = []
    audit(functions.laplace_mean, 1.0, domain="n=10", draws=3_000, progress=lines.append)
    forecasts = [line for line in lines if " calls at most, about " in line and line.endswith(" s left")]
    assert len(forecasts) > 5
    done = [int(line.split()[0]) for line in forecasts]
    assert done == sorted(done)


def test_the_time_of_a_call_tells_data_sets_apart_where_it_is_asked_for():
    def slow(values, rng):
        for _ in range(3_000 if values.max() == 1 else 0):
            pass
        return rng.laplace()

    verdict = audit(slow, 1.0, draws=4_000, timed=True)
    assert verdict.violates
    assert "coordinate 0, is the time" in str(verdict)
    assert "timed=True" in verdict.script
    assert not audit(slow, 1.0, draws=4_000).violates


def count(values):
    return np.count_nonzero(values > 0.5)


def laplace_count(values, epsilon, rng):
    return count(values) + rng.laplace(scale=1 / epsilon)


def geometric_count(values, epsilon, rng):
    share = 1 - np.exp(-epsilon)
    return count(values) + rng.geometric(share) - rng.geometric(share)


def laplace_count_on_a_grid(values, epsilon, rng):
    return count(values) + np.round(rng.laplace(scale=1 / epsilon) * 2.0**20) / 2.0**20


def test_last_bits_tell_data_sets_apart_where_they_are_asked_for_and_noise_is_added_to_floats():
    verdict = audit(laplace_count, 1.0, domain="n=3 x=0..1", draws=8_000, bits=True)
    assert verdict.violates
    assert "are the last bits of its numbers" in str(verdict)
    assert "bits=True" in verdict.script
    assert not audit(laplace_count, 1.0, domain="n=3 x=0..1", draws=8_000).violates


@pytest.mark.parametrize("function", [geometric_count, laplace_count_on_a_grid])
def test_last_bits_do_not_accuse_what_has_one_set_of_values(function):
    assert audit(function, 1.0, domain="n=3 x=0..1", draws=8_000, bits=True).verdict == "not contradicted"


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
    with pytest.raises(InputError, match="asks for scale, which an audit does not give; give it a default"):
        audit(lambda features, y, scale: 0.0, 1.0)


class Estimator:
    """A model in scikit-learn's style, which is made with its epsilon."""

    def __init__(self, epsilon=1.0):
        self.epsilon = epsilon

    def fit(self, X, y):  # noqa: N803
        self.coef_ = X.T @ y
        return self


@pytest.mark.parametrize("model", [Estimator, Estimator()])
def test_an_estimator_is_refused_with_the_function_to_write(model):
    with pytest.raises(InputError, match=r"return Estimator\(epsilon=epsilon\)\.fit\(X, y\)") as refused:
        audit(model, 1.0)
    written = str(refused.value).partition("makes one: ")[2]
    names = {"Estimator": Estimator}
    exec(written, names)
    assert audit(names["fit"], 1.0, draws=2_000).violates
    with pytest.raises(InputError, match="an object of int is no function"):
        audit(3, 1.0)


def test_what_told_data_apart_is_said_in_words():
    said = str(audited("half_sensitivity", 20_000))
    assert "; by the likelihood ratio of the shift between the means" in said or "; by the shift between" in said
    assert seen_by("likelihood by shift, turned") == "the likelihood ratio of the shift between the means"
    assert seen_by("coordinate 1, turned") == "coordinate 1"


def test_a_slow_function_is_heard_of_before_its_first_block_is_drawn(monkeypatch):
    monkeypatch.setattr(answers, "SAID", 0.0)
    lines = []

    def slow(values, rng):
        if any("calls at most, about" in line for line in lines):
            raise KeyboardInterrupt
        return values.mean() + rng.laplace()

    with pytest.raises(KeyboardInterrupt):
        audit(slow, 1.0, draws=2_000, progress=lines.append)
    (said,) = (line for line in lines if " calls at most, about " in line)
    assert said.startswith("1 of ")


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
        ("y=2..1", "must be finite values that differ"),
        ("y=nan|1", "must be finite values that differ"),
        ("y=1|1", "must be finite values that differ"),
        ("y=inf..1", "must be finite values that differ"),
        ("n=20 n=30", "n is said twice"),
        ("n=\u2460", "n must be a whole number"),
        ("n=100000000", "is too large"),
        ("x=0...1", "is no range"),
        ("order=up", "order must be any or fixed"),
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


def test_answers_for_each_record_are_private_where_the_order_is_a_part_of_the_data():
    def local(values, epsilon, rng):
        truth = rng.random(len(values)) < 1 / (1 + np.exp(-epsilon))
        return np.where(truth, values > 0.5, values <= 0.5).astype(float)

    turned, fixed = (audit(local, 1.0, domain=f"n=8 order={order}", draws=20_000) for order in ("any", "fixed"))
    assert turned.violates
    assert "add order=fixed to the domain" in str(turned)
    assert fixed.verdict == "not contradicted"
    assert "order=fixed" not in str(fixed)


@pytest.mark.parametrize("number", [1, 20, 98])
def test_the_calls_of_an_audit_are_the_most_that_fit_into_the_time(number):
    for fit in (10_000, 30_000, 400_000):
        calls = _calls(number, fit)
        assert _planned(number, calls) <= fit
        assert calls == fit or _planned(number, calls + 1) > fit
    assert _calls(98, 4_000) == 0  # each pair is looked at, by 40 calls on each data set


def test_the_forecast_counts_the_calls_that_are_made(monkeypatch):
    monkeypatch.setattr(answers, "SAID", 0.0)
    lines = []
    domain = "n=3 p=2 x=-1..1 norm=1 y=-1|1"
    verdict = audit(lambda rows, y, rng: rng.laplace(), 1.0, domain=domain, draws=2_000, progress=lines.append)
    last = [line for line in lines if " calls at most, about " in line][-1]
    assert last.startswith(f"{verdict.draws} of {verdict.draws} calls at most, about 0 s left")


def test_an_error_that_only_few_records_give_is_no_function_that_never_answers():
    def few(values, rng):
        if len(values) < 30:
            raise ValueError("too few")
        return rng.laplace()

    assert audit(few, 1.0, neighbours="add_or_remove_one", domain="n=10", draws=2_000).violates


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
def test_every_wrong_function_is_named_in_ten_seconds_by_a_script_of_ten_lines(name):
    verdict = audited(name, 40_000, seed=3)
    assert verdict.violates
    assert len(verdict.script.strip().splitlines()) == 10
    assert shown_again(verdict) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [function.__name__ for function in functions.RIGHT])
def test_no_right_function_is_called_wrong_in_fifty_seeds(name):
    # each audit errs with probability 0.01 at most: four of 50 or more by chance in 0.2% of such tests
    wrong = sum(audited(name, 8_000, seed=seed).violates for seed in range(50))
    assert wrong <= 3


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_told_by_names_errors_records_and_estimators_is_looked_at(name):
    function = getattr(functions, name)
    assert audit(function, 1.0, domain=functions.STRANGE_WRONG[function], draws=4_000, seed=1).violates


@pytest.mark.slow
@pytest.mark.parametrize("function", functions.STRANGE_WRONG, ids=lambda function: function.__name__)
def test_what_a_stranger_writes_wrongly_is_named_and_its_script_shows_it(function):
    target = f"{FILE}:{function.__name__}"
    verdict = audit(function, 1.0, domain=functions.STRANGE_WRONG[function], draws=60_000, seed=1, target=target)
    assert verdict.violates
    assert shown_again(verdict) > 1


@pytest.mark.slow
@pytest.mark.parametrize("function", functions.STRANGE_RIGHT, ids=lambda function: function.__name__)
def test_what_a_stranger_writes_rightly_is_not_accused_in_fifty_seeds(function):
    # as above: four of 50 or more by chance in 0.2% of such tests
    domain, relation, delta = functions.STRANGE_RIGHT[function]
    verdicts = [
        audit(function, 1.0, delta, neighbours=relation, domain=domain, draws=8_000, seed=seed) for seed in range(50)
    ]
    assert sum(verdict.violates for verdict in verdicts) <= 3


def test_answers_that_are_no_numbers_leave_the_audit_without_power_and_it_says_so():
    class Opaque:
        pass

    verdict = audit(lambda values: Opaque(), 1.0, draws=2_000)
    assert verdict.verdict == "without power"
    assert "no answer is numbers" in str(verdict)


def test_at_a_delta_that_draws_hardly_see_a_replay_is_advised():
    for delta in (0.0, 1e-6):
        said = str(audit(lambda values, rng: values.sum() + 9 * rng.normal(), 1.0, delta, domain="n=10", draws=4_000))
        assert ("replay=true sees all of it" in said) is (delta > 0)


def test_complex_numbers_words_and_records_are_answers():
    assert flat(np.array([1 + 2j])).tolist() == [1.0, 2.0]
    assert flat(np.array(["a", "b"])).tolist() == flat(["a", "b"]).tolist()
    assert flat({"a": 1.0}).tolist() != flat({"b": 1.0}).tolist()
    assert flat({"b": 2.0, "a": 1.0}).tolist() == flat({"a": 1.0, "b": 2.0}).tolist()
    assert flat(value for value in (1.0, 2.0)).tolist() == [1.0, 2.0]
    assert flat(functions.Summary(1.0, 2.0)).tolist() == [1.0, 2.0]
    assert np.isnan(flat(object())).tolist() == [True]


@pytest.mark.slow
@pytest.mark.parametrize("function", EXACT)
def test_of_fifty_audits_of_what_spends_just_epsilon_hardly_one_says_more(function):
    # each says more with probability 0.01 at most: four of 50 by chance in 0.2% of such tests
    wrong = sum(
        audit(function, 1.0, EXACT[function], domain="n=1", draws=2_000, seed=seed).violates for seed in range(50)
    )
    assert wrong <= 3


@pytest.mark.slow
@pytest.mark.parametrize("function", EXACT)
def test_four_fifths_of_what_is_spent_are_found(function):
    assert audit(function, 1.0, EXACT[function], domain="n=1", draws=400_000, seed=1).epsilon >= 0.8


def test_the_help_of_audit_tells_every_argument():
    said = inspect.getdoc(audit)
    assert all(f"{name}:" in said or f"{name}, " in said for name in inspect.signature(audit).parameters)
