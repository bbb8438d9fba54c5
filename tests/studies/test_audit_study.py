"""Audits of solve itself: pairs, rows, and falsehoods that must be noticed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from dprepro import laws
from dprepro.algorithms import (
    CodewordResponse,
    ExactMinimiser,
    ExponentialMechanism,
    ExponentialSupport,
    LeastRegulariser,
    NoisyGD,
    ObjectivePerturbation,
    ReleasedMarginals,
    SampleAndAggregate,
    SignedCounts,
    SparseRegression,
)
from dprepro.algorithms.base import Algorithm, Solution
from dprepro.algorithms.marginals import mean_record
from dprepro.budget import Budget, Neighbours
from dprepro.constructions.corners import Corners
from dprepro.engine import measure_cell
from dprepro.errors import InputError, PremiseError
from dprepro.privacy.audit import audit
from dprepro.problems import Domain, Problem, Records, RecordsView
from dprepro.studies import AuditSeries, AuditStudy, Design
from dprepro.studies.audit_study import answers, certified_delta, worst_pair
from dprepro.studies.transcripts import losses_of

ADD, REPLACE, ZERO = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT
LAPLACE = ReleasedMarginals(release="laplace")
BOTH = Corners(pairs=("plus minus both",))
GAMMA = ObjectivePerturbation(noise="gamma", constants="exact", regulariser=LeastRegulariser())
HUBER = Corners(loss="huber", radius=10.0, label_bound=4.0, pairs=("plus silent silent",))
AXES = Corners(loss="half_squared", over="box", feature_norm=np.inf, pairs=("first silent second", "plus silent axes"))


def rows(series: AuditSeries, neighbours: Neighbours = REPLACE, **point: float):
    study = AuditStudy({"one": series}, neighbours=neighbours)
    axes = {"n": [20.0], "p": [1.0], "epsilon": [1.0], "delta": [0.0]} | {key: [value] for key, value in point.items()}
    design = Design(axes)
    (cell,) = study.cells(design)
    result = measure_cell(study.measure, cell)
    assert result.status == "ok", result.traceback
    found = {row.quantity: row for row in result.rows}
    declared = study.declare(design)
    assert set(found) <= declared.series["one"]
    assert {name for row in result.rows for name in row.columns} <= declared.columns
    return found


def test_what_is_audited_lies_below_what_is_exact_and_that_below_what_is_certified() -> None:
    found = rows(AuditSeries("claim", LAPLACE, BOTH, draws=3000))
    assert 0.6 < found["audited_epsilon"].value < found["lower_epsilon"].value
    assert found["lower_epsilon"].value == pytest.approx(found["certified_epsilon"].value, rel=1e-3)
    assert found["slack"].value == found["certified_epsilon"].value / found["audited_epsilon"].value
    assert found["violating_epsilon"].value > 1
    assert found["violating_epsilon"].columns["epsilon_factor"] in (1.3, 2.0)
    assert found["noise_moments"].value == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("series", "neighbours", "point"),
    [
        (AuditSeries("control", ReleasedMarginals(release="laplace", noise_factor=0.5), BOTH, 3000), REPLACE, {}),
        (AuditSeries("control", LAPLACE, BOTH, 3000, repeats=2), REPLACE, {}),
        (AuditSeries("control", LAPLACE, BOTH, 3000, believed=ZERO), REPLACE, {}),
        (AuditSeries("control", LAPLACE, BOTH, 3000, epsilon_factor=2.0), REPLACE, {}),
        # one record is a run of no step at all, two are one of one step
        (AuditSeries("control", NoisyGD(constants="exact"), BOTH, 1000, believed=REPLACE), ADD, {"n": 2, "delta": 0.1}),
        (AuditSeries("control", CodewordResponse(), Corners(listing="words"), 3000, epsilon_factor=2.0), REPLACE,
         {"n": 2, "p": 8}),
    ],
)  # fmt: skip
def test_a_falsehood_is_noticed(series: AuditSeries, neighbours: Neighbours, point: dict[str, float]) -> None:
    assert rows(series, neighbours, **point)["audited_epsilon"].value > 1


def test_counts_of_signs_are_audited_by_their_one_hot_view() -> None:
    data = Corners(loss="squared", listing="one_hot", pairs=("plus flipped both",))
    assert 0.5 < rows(AuditSeries("context", SignedCounts(), data, 3000))["audited_epsilon"].value < 1


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("n", [1.0, 2.0, 5.0])
def test_neighbours_differ_in_one_record(n: float, relation: Neighbours) -> None:
    if relation is ADD and n == 1:
        return
    pairs = Corners(loss="squared").neighbours({"n": n, "p": 2.0}, relation)
    assert pairs
    for name, problems in pairs.items():
        lists = [
            sorted(
                map(
                    tuple, np.column_stack([problem.records.records.features, problem.records.records.targets]).tolist()
                )
            )
            for problem in problems
        ]
        left = list(lists[0])
        for record in lists[1]:
            if record in left:
                left.remove(record)
        assert len(left) <= 1, name
        assert len(lists[0]) - len(lists[1]) == (relation is ADD)


def test_the_pair_that_tells_most_is_found() -> None:
    """The mean of records alike moves most where a record changes sides, not where it is zeroed out."""
    pairs = Corners(loss="linear").neighbours({"n": 5.0, "p": 2.0}, REPLACE)
    named = {name: pairs[name] for name in ("plus aside plus", "plus minus both")}
    budget = Budget(4.0, 0.0, REPLACE)
    assert worst_pair(LAPLACE, named, budget, 1, np.random.default_rng(0)) == "plus minus both"


def test_a_curve_has_the_exact_delta_below_the_certified_one() -> None:
    data = Corners(pairs=("plus minus both",), radius=10.0)
    for multiple in (0.5, 1.0, 1.5):
        found = rows(AuditSeries("claim", ReleasedMarginals(), data, draws=0), delta=0.01, multiple=multiple)
        assert found["exact_delta"].value == pytest.approx(found["certified_delta"].value, rel=0.01)
    assert certified_delta(LAPLACE.parts(BOTH.domain({"n": 20, "p": 1}), Budget(1, 0, REPLACE)), 0.5) == pytest.approx(
        (np.e - np.exp(0.5)) / (1 + np.e), rel=1e-3  # randomised response
    )  # fmt: skip


def test_what_has_an_exact_law_needs_no_draws() -> None:
    found = rows(AuditSeries("claim", GAMMA, HUBER, draws=0), ZERO, n=2)
    assert found["lower_epsilon"].value == pytest.approx(1.0, abs=2e-3)  # attained, up to the width of intervals
    assert found["violating_epsilon"].columns["epsilon_factor"] == 1.3
    assert found["slack"].value == found["certified_epsilon"].value / found["lower_epsilon"].value
    assert "audited_epsilon" not in found


@pytest.mark.parametrize(
    "algorithm",
    [
        ExponentialSupport(1, constants="exact"),
        SampleAndAggregate(1, blocks=2, deviation=1e-4, partition="assigned"),
        SparseRegression(ExponentialSupport(), sparsity=1, noise="gamma"),
    ],
)
@pytest.mark.parametrize("relation", [ZERO, ADD])
def test_laws_of_finite_answers_keep_to_the_budget(algorithm: Algorithm, relation: Neighbours) -> None:
    found = rows(AuditSeries("claim", algorithm, AXES, draws=0), relation, n=3, p=2)
    assert 0.1 < found["lower_epsilon"].value <= found["certified_epsilon"].value <= 1 + 1e-9


def test_where_no_law_is_known_draws_are_asked_for() -> None:
    study = AuditStudy({"one": AuditSeries("context", NoisyGD(), BOTH, draws=0)}, neighbours=REPLACE)
    (cell,) = study.cells(Design({"n": [2.0], "p": [1.0], "epsilon": [1.0], "delta": [0.1]}))
    with pytest.raises(PremiseError, match="no draws are asked for"):
        study.measure(cell, np.random.default_rng(0))


def test_a_revealed_record_gives_the_limit_of_all_hits_and_none() -> None:
    series = AuditSeries("control", ExactMinimiser(), Corners(pairs=("plus minus plus",)), draws=400)
    q = 0.0025 ** (1 / 200)
    assert rows(series, n=2, delta=0.1)["audited_epsilon"].value == pytest.approx(np.log((q - 0.1) / (1 - q)))


def test_a_record_beyond_its_bound_is_refused_before_anything_is_drawn() -> None:
    domain = Corners(loss="squared").domain({"n": 1.0, "p": 1.0})
    with pytest.raises(InputError, match=r"every record must have \|y\| <= 1"):
        RecordsView(domain, Records(np.ones((1, 1)), np.array([2.0])))


SPENDERS = [(LAPLACE, BOTH, REPLACE, 20.0, 0.0), (ReleasedMarginals(), BOTH, REPLACE, 20.0, 0.1),
            (GAMMA, HUBER, ZERO, 2.0, 0.0)]  # fmt: skip
"""Algorithms that spend all that they claim on these pairs, by their exact laws."""


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "data", "relation", "n", "delta"), SPENDERS)
def test_what_spends_its_epsilon_is_not_refuted_in_50_seeds_and_1_3_times_that_is(
    algorithm: Algorithm, data: Corners, relation: Neighbours, n: float, delta: float
) -> None:
    """A limit fails with probability 1% at most; by the independence of its two halves, hardly ever."""
    (pair,) = data.neighbours({"n": n, "p": 1.0}, relation).values()

    def limit(epsilon: float, draws: int, seed: int) -> float:
        rng, told = np.random.default_rng(seed), Budget(epsilon, delta, relation)
        return audit(*(answers(algorithm, one, told, draws, 1, rng)[0] for one in pair), delta).epsilon

    assert max(limit(1.0, 1000, seed) for seed in range(50)) < 1
    assert min(limit(1.3, 30_000, seed) for seed in range(50, 53)) > 1


def test_no_law_is_known_in_two_dimensions() -> None:
    data, budget = Corners(pairs=("plus aside plus",)), Budget(1.0, 0.0, REPLACE)
    pair = data.neighbours({"n": 2.0, "p": 2.0}, REPLACE)["plus aside plus"]
    assert laws.beside(ExponentialMechanism(), budget, pair) is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Corners(pairs=("plus plus both",)), "pairs must be like"),
        (lambda: AuditSeries("claim", LAPLACE, draws=50), "draws=50"),
        (lambda: Corners(loss="median").neighbours({"n": 2.0, "p": 1.0}, ZERO), "no record that says nothing"),
        (lambda: rows(AuditSeries("claim", ReleasedMarginals())), "delta > 0"),
    ],
)
def test_what_cannot_be_audited_is_refused(make, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


def test_the_law_of_an_answer_is_part_of_the_code_behind_its_cells() -> None:
    from dprepro.config.checked_experiment import build_experiment
    from dprepro.config.compose import compose
    from dprepro.engine.code import behind
    from dprepro.laws import law_of

    experiment = build_experiment(compose(["+experiment=privacy_laws"]))
    series, found = experiment.study.series, 0
    for cell in experiment.cells:
        law = law_of(type(series[cell.series].algorithm))
        assert law.__module__ in behind([cell.code])[cell.code], cell.series
        found += 1
    assert found > 50


@dataclass(frozen=True)
class Bordered(ReleasedMarginals):
    """Private, but for those whom it does not answer: where the mean record is negative, or from two records on."""

    border: str = "nan"
    relations: ClassVar[tuple[Neighbours, ...]] = (REPLACE, ADD)

    def premise(self, domain: Domain, budget: Budget) -> str:
        return "needs n >= 2" if self.border == "n" and domain.n < 2 else super().premise(domain, budget)

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        solution = super().solve(problem, budget, rng)
        if mean_record(problem)[0] > 0 or self.border == "n":
            return solution
        if self.border == "nan":
            return replace(solution, theta=np.full(1, np.nan))
        raise ValueError("negative")


@pytest.mark.parametrize("border", ["nan", "raises"])
@pytest.mark.parametrize("transcript", [False, True])
def test_no_answer_to_some_is_an_answer(border: str, transcript: bool) -> None:
    data = Corners(pairs=("plus minus plus",))
    series = AuditSeries("claim", Bordered("laplace", border=border), data, draws=400, transcript=transcript)
    found = rows(series, n=1)
    assert found["audited_epsilon"].value > 3.4  # the most that 200 answers show
    assert found["violating_epsilon"].value > 1


def test_a_refusal_that_reads_a_private_n_spends_all() -> None:
    algorithm, point = Bordered("laplace", border="n"), {"n": 2.0, "p": 1.0}
    (pair,) = Corners(pairs=("plus silent plus",)).neighbours(point, ADD).values()
    assert laws.beside(algorithm, Budget(1.0, 0.0, ADD), pair).lower_epsilon(0.5) == np.inf
    found = rows(AuditSeries("control", algorithm, Corners(pairs=("plus silent plus",)), draws=400), ADD, n=2)
    assert found["audited_epsilon"].value > 3.4  # the most that 200 answers show


def test_a_transcript_needs_records_at_the_same_places() -> None:
    data = Corners(pairs=("plus minus uneven",), representations=("order",))
    (pair,) = data.neighbours({"n": 6.0, "p": 1.0}, REPLACE).values()
    with pytest.raises(PremiseError, match="records that stand at the same places"):
        losses_of(LAPLACE, pair, Budget(1.0, 0.0, REPLACE), 10, np.random.default_rng(0))


@pytest.mark.parametrize("how", ["list", "counts", "order"])
def test_pairs_are_the_same_neighbours_in_every_representation(how: str) -> None:
    data = Corners(loss="squared", representations=(how,))
    plain = Corners(loss="squared").neighbours({"n": 5.0, "p": 2.0}, REPLACE)
    for (name, pair), expected in zip(
        data.neighbours({"n": 5.0, "p": 2.0}, REPLACE).items(), plain.values(), strict=True
    ):
        assert name.endswith({"list": "", "counts": "by counts", "order": "in another order"}[how])
        for one, other in zip(pair, expected, strict=True):
            merged = [view.records.records.merged() for view in (one, other)]
            np.testing.assert_array_equal(merged[0].features, merged[1].features)
            np.testing.assert_array_equal(merged[0].copies, merged[1].copies)
            assert one.records.records.in_order == (how == "list")
    with pytest.raises(InputError, match="representations must be some of list, counts, order"):
        Corners(representations=())
