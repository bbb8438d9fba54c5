"""Laws that are carried through an algorithm's steps, against its own answers and against finer cells."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro import laws
from dprepro.algorithms import (
    ExponentialMechanism,
    FullGradient,
    HighProbability,
    Localization,
    NoisySGD,
    StronglyConvexRate,
)
from dprepro.algorithms.base import Algorithm
from dprepro.budget import Budget, Neighbours
from dprepro.constructions.corners import Corners
from dprepro.errors import Incompatible
from dprepro.laws import descent_law, high_probability_law, localization_law
from dprepro.studies.audit_study import answers

REPLACE = Neighbours.REPLACE_ONE
DRAWS = 500
#: Dvoretzky, Kiefer and Wolfowitz: exceeded by the law itself, whatever its atoms, once in a million tests.
DISTANCE = math.sqrt(math.log(2e6) / (2 * DRAWS))
LINEAR = Corners(pairs=("plus minus both",))
CENTRE = Corners(loss="half_squared_distance", radius=0.1, pairs=("plus minus both",))
CASES = [
    (NoisySGD(noise_factor=0.5), LINEAR, 2.0, 0.1),
    (NoisySGD(gradient=FullGradient(), constants="exact"), LINEAR, 5.0, 0.01),
    (NoisySGD(gradient=FullGradient(), step_size=StronglyConvexRate()), CENTRE, 3.0, 0.1),
    (Localization(constants="exact"), CENTRE, 20.0, 0.0),
    (HighProbability(runs=2), Corners(loss="absolute", pairs=("plus minus plus",)), 20.0, 0.0),
]


@pytest.mark.parametrize(("algorithm", "data", "n", "delta"), CASES)
def test_answers_have_the_law(algorithm: Algorithm, data: Corners, n: float, delta: float) -> None:
    ((problem, _),) = data.neighbours({"n": n, "p": 1.0}, REPLACE).values()
    budget = Budget(8.0, delta, REPLACE)
    drawn = np.sort(answers(algorithm, problem, budget, DRAWS, 1, np.random.default_rng(3))[0][:, 0])
    rank = laws.find(algorithm, problem.domain, budget).below(problem, drawn)
    below, atoms = np.searchsorted(drawn, drawn, side="right") / DRAWS, np.diff(drawn, prepend=-2.0) == 0
    assert float(np.abs(rank - below)[~np.append(atoms[1:], False)].max()) < DISTANCE


@pytest.mark.parametrize(("algorithm", "data", "n", "delta"), CASES)
def test_epsilon_is_known_to_a_thousandth(
    algorithm: Algorithm, data: Corners, n: float, delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cells of half the width: an error of second order falls by 4."""
    (pair,) = data.neighbours({"n": n, "p": 1.0}, REPLACE).values()
    found = []
    for module, cells in ((descent_law, 201), (localization_law, 2001), (high_probability_law, 800)):
        monkeypatch.setattr(module, "CELLS", cells)
    for _ in range(2):
        law = laws.beside(algorithm, Budget(2.0, delta, REPLACE), pair)
        assert law is not None
        found.append(law.lower_epsilon(delta))
        monkeypatch.undo()
    assert found[0] == pytest.approx(found[1], abs=1e-3)


def test_localisation_is_known_around_the_exponential_mechanism_in_one_dimension() -> None:
    budget = Budget(1.0, 0.0, REPLACE)
    nested = Localization(inner=Localization(inner=ExponentialMechanism()))
    ((problem, _),) = CENTRE.neighbours({"n": 20.0, "p": 1.0}, REPLACE).values()
    with pytest.raises(Incompatible, match="around the exponential mechanism"):
        laws.find(nested, problem.domain, budget).below(problem, np.zeros(1))
    for algorithm in (Localization(), NoisySGD()):
        with pytest.raises(Incompatible, match="is known in one dimension, not at p=2"):
            laws.find(algorithm, CENTRE.domain({"n": 20.0, "p": 2.0}), budget)
