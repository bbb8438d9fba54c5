"""opacus: DP-SGD on a domain of this project, as `dprepro.peers` fits it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def sgd(
    X: FloatArray, y: FloatArray, epsilon: float, delta: float, rng: np.random.Generator,
    steps: int = 1, rate: float = 1.0,
) -> FloatArray:  # fmt: skip
    """Logistic loss on the unit ball; a replacement is told to the library as one record that goes and one that comes.

    One step on all records by default: a Gaussian mechanism, of which much can be seen.
    """
    from dprepro.budget import Budget, Neighbours
    from dprepro.peers import OpacusDescent
    from dprepro.problems import Domain, L2Ball, LogisticLoss, Problem, Records, RecordsView

    domain = Domain(LogisticLoss(), L2Ball(X.shape[1], 1.0), len(X))
    problem = Problem(domain, {"records": RecordsView(domain, Records(X, y))})
    descent = OpacusDescent(steps=steps, rate=rate, project=False)
    return descent.solve(problem, Budget(epsilon, delta, Neighbours.REPLACE_ONE), rng).theta
