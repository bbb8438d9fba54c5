"""A support is found wherever it lies: planted data hold theirs in the first coordinates, which a guess might name."""

from __future__ import annotations

import numpy as np
import pytest

from dprepro.algorithms import Algorithm, ExponentialSupport, SampleAndAggregate, SparseRegression
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import PlantedSupport
from dprepro.problems import Problem, Records, RecordsView, SupportPoint

POINT = {"n": 512.0, "p": 8.0, "epsilon": 1e3, "delta": 0.0, "norm": 1.0}
FINDERS: dict[str, tuple[Algorithm, float]] = {
    "listed": (ExponentialSupport(sampler="listed"), 0.0),
    "swaps": (ExponentialSupport(sampler="swaps", swaps=400), 0.0),
    "random blocks": (SampleAndAggregate(blocks=4, deviation=1e-3), 0.0),
    "assigned blocks": (SampleAndAggregate(blocks=4, deviation=1e-3, partition="assigned"), 0.0),
    "contiguous blocks": (SampleAndAggregate(blocks=4, deviation=1e-3, partition="contiguous"), 0.0),
    "sparse regression": (SparseRegression(ExponentialSupport()), 1e-6),
}


def moved(places: list[int]) -> Problem:
    """Planted data with the columns of the support at these places, in the same order of records."""
    plain = PlantedSupport(sparsity=2).build(POINT, 0.0)
    data, order = plain.records.records, [k for k in range(8) if k not in places]
    columns = np.empty(8, dtype=int)
    columns[places], columns[order] = [0, 1], range(2, 8)
    there = Records(data.features[:, columns], data.targets, data.counts, data.in_order)
    return Problem(plain.domain, {"records": RecordsView(plain.domain, there)})


@pytest.mark.parametrize("name", FINDERS)
@pytest.mark.parametrize("places", [[6, 7], [0, 5], [3, 4]])
def test_a_support_is_found_wherever_it_lies(name: str, places: list[int]) -> None:
    algorithm, delta = FINDERS[name]
    budget = Budget(POINT["epsilon"], delta, Neighbours.REPLACE_ONE)
    theta = algorithm.solve(moved(places), budget, np.random.default_rng(0)).theta
    found = list(theta.chosen) if isinstance(theta, SupportPoint) else list(np.argsort(-np.abs(np.asarray(theta)))[:2])
    assert sorted(int(one) for one in found) == places
