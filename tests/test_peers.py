"""Fits by other libraries: refused in one line where they are missing, and like any algorithm where they are there."""

from __future__ import annotations

import numpy as np
import pytest

from dprepro.algorithms import Algorithm
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.peers import ABSENT, DiffprivlibLinear, DiffprivlibLogistic, MissingLibrary, OpacusDescent, installed
from dprepro.problems import Domain, L2Ball, LogisticLoss, Loss, Problem, Records, RecordsView, SquaredLoss

BUDGET = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
PEERS: list[tuple[Algorithm, Loss]] = [
    (DiffprivlibLinear(), SquaredLoss()),
    (DiffprivlibLogistic(), LogisticLoss()),
    (OpacusDescent(steps=20), SquaredLoss()),
    (OpacusDescent(steps=20), LogisticLoss()),
]


def problem(loss: Loss, n: int = 400) -> Problem:
    rng = np.random.default_rng(0)
    features = rng.uniform(-0.5, 0.5, (n, 3))
    domain = Domain(loss, L2Ball(3, 1.0), n)
    return Problem(domain, {"records": RecordsView(domain, Records(features, np.sign(features.sum(axis=1))))})


@pytest.mark.parametrize(("algorithm", "loss"), PEERS[:3])
def test_without_its_library_a_fit_is_refused_in_one_line(
    algorithm: Algorithm, loss: Loss, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprepro.peers.installed", lambda package: ABSENT)
    with pytest.raises(MissingLibrary, match=r"needs (diffprivlib|opacus): pip install 'dprepro\[peers\]'"):
        type(algorithm)().admit(problem(loss).domain, BUDGET)


@pytest.mark.parametrize(("algorithm", "loss"), PEERS)
def test_a_library_s_fit_is_an_answer_in_the_set_that_claims_the_budget(algorithm: Algorithm, loss: Loss) -> None:
    package = algorithm.package  # type: ignore[attr-defined]
    pytest.importorskip(package, reason="the optional extra peers is not installed")
    data = problem(loss)
    answers = [algorithm.solve(data, BUDGET, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert np.array_equal(answers[0].theta, answers[1].theta)
    assert not np.array_equal(answers[0].theta, answers[2].theta)
    assert np.linalg.norm(answers[0].theta) <= 1 + 1e-9
    assert answers[0].privacy_loss is not None
    assert (answers[0].privacy_loss.epsilon, answers[0].privacy_loss.delta) == (1.0, 1e-6)
    assert algorithm.library == f"{package} {installed(package)}"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="finite epsilon"):
        algorithm.admit(data.domain, Budget(np.inf, 0.0, Neighbours.REPLACE_ONE))
