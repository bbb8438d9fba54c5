"""Hard members that are tuned to a noise: outside their premise they are skipped, inside they keep their promises."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro.constructions import (
    Construction,
    DirectionRegression,
    LinearSlope,
    NiceRegression,
    OrthogonalRegression,
)
from dprepro.errors import PremiseError


@pytest.mark.parametrize(
    ("family", "n", "noise", "words"),
    [
        (DirectionRegression(), 1e4, 10.0, "bound on a record"),
        (LinearSlope(size=2.0), 1e3, 1e3, "bound on a record"),
        (OrthogonalRegression(size=1.0), 1e3, 1e9, "bound on a row"),
        (NiceRegression(), 60.0, 1.0, r"below p\^2"),
    ],
)
def test_members_outside_the_premise_are_skipped(family: Construction, n: float, noise: float, words: str) -> None:
    with pytest.raises(PremiseError, match=words):
        family.build({"n": n, "p": 8.0, "norm": 1.0}, noise)


def test_the_orthogonal_regression_has_the_gradients_and_curvatures_it_promises() -> None:
    """Rows of norm sqrt p, labels <x, theta*> and the ball of radius sqrt p: |<x, theta> - y| ||x|| <= 2 p^1.5."""
    p = 6
    point = {"n": 60.0, "p": float(p)}
    promised = OrthogonalRegression().domain(point)
    rng = np.random.default_rng(4)
    target = np.r_[math.sqrt(p), np.zeros(p - 1)]
    for _ in range(200):
        theta = rng.normal(size=p)
        theta *= math.sqrt(p) / np.linalg.norm(theta)
        row = math.sqrt(p) * np.eye(p)[rng.integers(p)]
        assert np.linalg.norm((row @ theta - row @ target) * row) <= promised.lipschitz
        assert row @ row <= promised.smoothness + 1e-12
    problem = NiceRegression().build(point, 0.0)
    rows = np.repeat(math.sqrt(p) * np.eye(p), 10, axis=0)
    theta = rng.normal(size=p) / 10
    loss = 0.5 * np.mean((rows @ theta - rows @ target) ** 2)
    assert problem.dense.value(theta) == pytest.approx(loss)
    assert problem.excess_risk(theta) == pytest.approx(loss)
