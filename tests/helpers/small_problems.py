"""Small problems of every loss, set and kind of data, for the tests of algorithms."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from functools import cache
from typing import TypeVar

import numpy as np

from dprepro.problems import (
    ConstraintSet,
    DistanceLoss,
    Domain,
    L1Ball,
    L2Ball,
    Loss,
    OneHotView,
    Problem,
    Records,
    RecordsView,
    Simplex,
    SquaredLoss,
)
from dprepro.problems.views.one_hot_view import sampled

Kind = TypeVar("Kind", Loss, ConstraintSet)


def kinds(of: type[Kind], package: str = "dprepro") -> list[type[Kind]]:
    """The classes that say what they are (a loss its phi, a set its title) of a package or module, by name."""
    below, found = [of], set[type[Kind]]()
    while below:
        one = below.pop()
        below += one.__subclasses__()
        if (
            f"{one.__module__}.".startswith(f"{package}.")
            and not inspect.isabstract(one)
            and {"phi", "title"} & set(dir(one))
        ):
            found.add(one)
    return sorted(found, key=lambda candidate: candidate.__name__)


def losses(package: str = "dprepro") -> dict[str, Loss]:
    return {kind.__name__: kind() for kind in kinds(Loss, package)}


LOSSES = losses()
PARAMETERS: dict[str, Mapping[str, float]] = {"Box": {"radius": 0.5}, "LqBall": {"q": 1.5}, "SpikedBall": {"ball": 0.5}}
"""Of sets that are no unit balls of p alone."""
INNER = {"LocalBall"}  # what localisation makes; nobody chooses it


def sets(p: int, package: str = "dprepro") -> dict[str, ConstraintSet]:
    found = [kind for kind in kinds(ConstraintSet, package) if kind.__name__ not in INNER]
    return {one.__name__: one(p, **PARAMETERS.get(one.__name__, {})) for one in found}


def lasso(n: float, p: int) -> Domain:
    """Squared loss over the unit l1 ball, |x_j| <= 1 and |y| <= 1."""
    return Domain(SquaredLoss(), L1Ball(p), n, feature_norm=math.inf)


def unit_ball(loss: Loss, n: float, p: int, radius: float = 1.0) -> Domain:
    """The loss over an l2 ball, ||x||_2 <= 1 and |y| <= 1."""
    return Domain(loss, L2Ball(p, radius), n)


def at(
    domain: Domain, places: np.ndarray, counts: np.ndarray | list[float], labels: np.ndarray | None = None
) -> Problem:
    """Distinct records with counts; without labels all are 1."""
    records = Records(np.asarray(places, dtype=float), labels, np.asarray(counts, dtype=float))
    return Problem(domain, {"records": RecordsView(domain, records)})


def copies_of_c(loss: Loss, n: float, p: int, bias: float = 1.0) -> Problem:
    """(1 + bias) n/2 copies of c = (1, ..., 1)/sqrt p and the others of -c, in the unit ball."""
    c, heavy = np.full(p, 1 / math.sqrt(p)), round(n * (1 + bias) / 2)
    if heavy == n:
        return at(unit_ball(loss, n, p), c[None, :], [n])
    return at(unit_ball(loss, n, p), np.array([c, -c]), [heavy, n - heavy])


def one_place(loss: Loss, n: float, p: int, place: float = 0.5) -> Problem:
    """n equal records at place c."""
    return at(unit_ball(loss, n, p), np.full((1, p), place / math.sqrt(p)), [n])


@cache
def random_problem(loss: Loss, constraint_set: ConstraintSet, n: int = 40, seed: int = 0) -> Problem:
    """n random records, ||x||_inf <= 1 over an l1 geometry and ||x||_2 <= 1 else, labels +-1 for all but a few."""
    rng = np.random.default_rng(seed)
    order = math.inf if isinstance(constraint_set, L1Ball | Simplex) and not isinstance(loss, DistanceLoss) else 2
    features = rng.uniform(-1, 1, (n, constraint_set.p))
    features /= np.maximum(1.0, np.linalg.norm(features, ord=order, axis=1))[:, None]
    labels = rng.choice([-1.0, 1.0, 0.5], n)
    return at(Domain(loss, constraint_set, n, feature_norm=order), features, np.ones(n), labels)


@cache
def one_hot(
    loss: Loss, n: float, p: int, label: float = 1.0, mass: float = 0.5, coordinates: int = 2, tail: int = 0,
    radius: float = 1.0, seed: int = 0,
) -> Problem:  # fmt: skip
    """A sample of a one-hot population whose signal lies on a few coordinates; answers may leave the ball."""
    domain = Domain(loss, L2Ball(p, radius), n, label_bound=label, proper=False)
    mean = radius / math.sqrt(coordinates)
    share = np.concatenate([np.full(coordinates, mass / coordinates), np.full(tail, (1 - mass) / max(1, tail))])
    bias = np.where(np.arange(share.size) < coordinates, min(1.0, mean / label), 0.0)
    labels = np.where(np.arange(share.size) < coordinates, label, 0.0)
    population = OneHotView(domain, labels, share * (1 + bias) / 2, share * (1 - bias) / 2, tail)
    sample = sampled(population, np.random.default_rng(seed))
    return Problem(domain, {"one_hot": sample}, population=population)
