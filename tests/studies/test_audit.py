"""Audits of solve itself: pairs, rows, and falsehoods that must be noticed."""

from __future__ import annotations

import numpy as np
import pytest

from dprepro.algorithms import CodewordResponse, ExponentialMechanism, NoisyGD, ReleasedMarginals, SignedCounts
from dprepro.budget import Budget, Neighbours
from dprepro.engine import measure_cell
from dprepro.errors import InputError
from dprepro.studies import AuditSeries, AuditStudy, Corners, Design
from dprepro.studies.audit import certified_delta, exact_pair, worst_pair

ADD, REPLACE, ZERO = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT
LAPLACE = ReleasedMarginals(release="laplace")
BOTH = Corners(pairs=("plus minus both",))


def rows(series: AuditSeries, neighbours: Neighbours = REPLACE, **point: float):
    study = AuditStudy({"one": series}, neighbours=neighbours)
    axes = {"n": [20.0], "p": [1.0], "epsilon": [1.0], "delta": [0.0]} | {key: [one] for key, one in point.items()}
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
    assert 0.6 < found["audited_epsilon"].value < found["exact_epsilon"].value
    assert found["exact_epsilon"].value == pytest.approx(found["spent_epsilon"].value, rel=1e-3)
    assert found["slack"].value == found["spent_epsilon"].value / found["audited_epsilon"].value
    assert found["overspent_epsilon"].value > 1
    assert found["overspent_epsilon"].columns["overspend"] in (1.3, 2.0)
    assert found["noise_drawn"].value == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("series", "neighbours", "point"),
    [
        (AuditSeries("control", ReleasedMarginals(release="laplace", noise_factor=0.5), BOTH, 3000), REPLACE, {}),
        (AuditSeries("control", LAPLACE, BOTH, 3000, repeats=2), REPLACE, {}),
        (AuditSeries("control", LAPLACE, BOTH, 3000, believed=ZERO), REPLACE, {}),
        (AuditSeries("control", LAPLACE, BOTH, 3000, overspend=2.0), REPLACE, {}),
        # one record is a run of no step at all, two are one of one step
        (AuditSeries("control", NoisyGD(constants="exact"), BOTH, 1000, believed=REPLACE), ADD, {"n": 2, "delta": 0.1}),
        (AuditSeries("control", CodewordResponse(), Corners(listing="words"), 3000, overspend=2.0), REPLACE,
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
            sorted(map(tuple, np.column_stack([one.records.records.features, one.records.records.targets]).tolist()))
            for one in problems
        ]
        left = list(lists[0])
        for record in lists[1]:
            if record in left:
                left.remove(record)
        assert len(left) <= 1, name
        assert len(lists[0]) - len(lists[1]) == (relation is ADD)


def test_the_pair_that_tells_most_is_found() -> None:
    """The mean of records alike moves most where a record changes sides, not where it falls silent."""
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


def test_no_law_is_known_in_two_dimensions() -> None:
    data, budget = Corners(pairs=("plus aside plus",)), Budget(1.0, 0.0, REPLACE)
    pair = data.neighbours({"n": 2.0, "p": 2.0}, REPLACE)["plus aside plus"]
    assert exact_pair(ExponentialMechanism(), budget, pair) is None


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
