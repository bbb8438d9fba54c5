"""Random neighbouring data sets in every representation, and what an algorithm spends on them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprepro import laws
from dprepro.algorithms import (
    Algorithm,
    CodewordResponse,
    ConfidenceBoosting,
    GridSearch,
    SampleAndAggregate,
    SparseRegression,
)
from dprepro.algorithms.base import Parts
from dprepro.algorithms.codeword_response import word_weights
from dprepro.budget import Budget, Neighbours
from dprepro.errors import Incompatible
from dprepro.mechanisms import (
    BoundedRange,
    Gaussian,
    GaussianShift,
    Guarantee,
    GumbelMin,
    L2Laplace,
    Laplace,
    LaplaceMin,
    NoisyTop,
    PureLoss,
    noted,
)
from dprepro.mechanisms.published import Noisy
from dprepro.privacy import compose
from dprepro.privacy.outcomes import Refused, answered
from dprepro.problems import (
    Box,
    Domain,
    HalfSquaredLoss,
    L2Ball,
    LinearLoss,
    LqBall,
    MarginLoss,
    MomentsView,
    OneHotView,
    Problem,
    Records,
    RecordsView,
    Simplex,
    SpikedBall,
)
from dprepro.problems.codes import double_circulant_code
from dprepro.problems.problem_data import FloatArray
from dprepro.studies.transcripts import as_vector
from helpers.small_problems import LOSSES, sets

ADD, REPLACE, ZERO_OUT = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT

MOST = 6
"""Records."""

Row = tuple[tuple[float, ...], float]
"""Features and a label."""


@dataclass(frozen=True)
class Pair:
    """Two neighbouring data sets as lists in step: they differ at one place, or the first has one record more there.

    Attributes:
        labels: a_j of one-hot records (X e_j, +-a_j), where all are such; else none.
    """

    domain: Domain
    budget: Budget
    first: tuple[Row, ...]
    second: tuple[Row, ...]
    labels: tuple[float, ...] = ()

    @property
    def zeroed_out(self) -> bool:
        """Whether a record is zeroed out in one of the two."""
        both = [zeroed_out(self.domain, row) for row in {*self.first} ^ {*self.second}]
        return any(both)


def zeroed_out(domain: Domain, row: Row) -> bool:
    """By the one definition."""
    return bool(domain.zeroed_out(Records(np.array([row[0]]), np.array([row[1]])))[0])


# domains and neighbours


def domains(rng: np.random.Generator, p: int, slow: bool = False) -> Iterator[Domain]:
    """Small domains of all losses and sets, in random order and of random bounds, n not said."""
    found = []
    for loss, within in itertools.product(LOSSES.values(), sets(p).values()):
        if isinstance(within, LqBall | SpikedBall) and not slow:
            continue  # a projection onto the former takes 20 ms
        if isinstance(within, Simplex) and p == 1:
            continue  # one point
        label = min(float(rng.choice([0.5, 1.0, 2.0])), loss.largest_label)
        radius = {} if isinstance(within, SpikedBall) else {"radius": float(rng.choice([0.5, 1.0, 3.0]))}
        bound, order = float(rng.choice([0.5, 1.0, 2.0])), float(rng.choice([1, 2, np.inf]))
        found.append(Domain(loss, replace(within, **radius), 1, bound, order, label, proper=bool(rng.integers(2))))
    yield from (found[i] for i in rng.permutation(len(found)))
    if p == 1:  # labels and noise have room in them
        yield Domain(LOSSES["HuberLoss"], L2Ball(1, 20.0), 1, label_bound=8.0)
    if p == 2:
        yield Domain(HalfSquaredLoss(), Box(2), 1, feature_norm=np.inf)


def random_row(domain: Domain, rng: np.random.Generator) -> Row:
    """At a corner of what the domain allows, or anywhere."""
    p = domain.p
    match rng.integers(5):
        case 0:
            x = rng.choice([-1.0, 1.0], p)
        case 1:
            x = rng.standard_normal(p)
        case 2:
            x = np.zeros(p)
        case _:
            x = np.eye(p)[rng.integers(p)] * rng.choice([-1.0, 1.0])
    size = float(np.linalg.norm(x, domain.feature_norm))
    x = x * domain.feature_bound / size if size else x
    x = x * (rng.random() if rng.random() < 0.2 else 1.0)
    label = rng.choice([-1.0, 1.0, -1.0, 1.0, 0.0, rng.uniform(-1, 1)]) * domain.label_bound
    return tuple(x.tolist()), float(label)


def zeroed_row(domain: Domain, rng: np.random.Generator) -> Row | None:
    """One that is zeroed out, with any label; None where there is none."""
    for _ in range(30):
        x, label = random_row(domain, rng)
        row = (tuple(0.0 for _ in x), label) if rng.random() < 0.8 else (x, 0.0)
        if zeroed_out(domain, row):
            return row
    return None


def one_hot_row(domain: Domain, labels: Sequence[float], rng: np.random.Generator) -> Row:
    """(X e_j, +-a_j), or one of x = 0."""
    if rng.random() < 0.2:
        return tuple(0.0 for _ in labels), 0.0
    j = int(rng.integers(len(labels)))
    x = np.eye(len(labels))[j] * domain.feature_bound
    return tuple(x.tolist()), float(labels[j] * rng.choice([-1.0, 1.0]))


def random_pair(
    algorithm: Algorithm,
    relation: Neighbours,
    rng: np.random.Generator,
    slow: bool = False,
    p: int = 0,
    most: int = MOST,
    accepted: Callable[[Domain, Budget], bool] = lambda domain, budget: True,
) -> Pair:
    """At most so many records on a domain that is accepted, with a budget under which the algorithm runs.

    ``p`` is the number of coordinates, any where it is 0.
    """
    if isinstance(algorithm, CodewordResponse):
        return _words(algorithm, relation, rng)
    for _ in range(30):
        size = p or int(rng.integers(1, 4))
        n = int(rng.integers(1 + (relation is ADD), most + 1))
        epsilon = float(rng.choice([0.3, 1.0, 3.0]))
        for delta in rng.permutation([0.0, 1e-6, 0.05]):
            budget = Budget(epsilon, float(delta), relation)
            for domain in domains(rng, size, slow):
                domain = replace(domain, n=n)
                margin = isinstance(domain.loss, MarginLoss)
                listed = margin and isinstance(domain.constraint_set, L2Ball | Box)
                counted = algorithm.representations == ("one_hot",)
                if counted and not listed:
                    continue
                if (
                    not accepted(domain, budget)
                    or algorithm.refusal(domain, budget)
                    or (relation is ZERO_OUT and not margin)
                ):
                    continue
                one_hot = counted or (listed and rng.random() < 0.25)
                return _neighbours(domain, budget, rng, one_hot)
    raise AssertionError(f"no small domain is known on which {algorithm} runs under {relation}")


def _neighbours(domain: Domain, budget: Budget, rng: np.random.Generator, one_hot: bool) -> Pair:
    labels = (
        tuple(float(domain.label_bound * share) for share in rng.choice([0.0, 1.0, 1.0], domain.p)) if one_hot else ()
    )

    def row() -> Row:
        return one_hot_row(domain, labels, rng) if one_hot else random_row(domain, rng)

    n = round(domain.n)
    pool = [row() for _ in range(int(rng.integers(1, n + 2)))]  # few: duplicates
    first = [pool[rng.integers(len(pool))] for _ in range(n)]
    at = int(rng.integers(n))
    second = first.copy()
    match budget.neighbours:
        case Neighbours.ADD_OR_REMOVE_ONE:
            first[at] = row()
            del second[at]
        case Neighbours.ZERO_OUT:
            silent = (tuple(0.0 for _ in range(domain.p)), 0.0) if one_hot else zeroed_row(domain, rng)
            first[at], second[at] = row(), silent or row()
        case Neighbours.REPLACE_ONE:
            first[at] = row()
            second[at] = pool[rng.integers(len(pool))] if rng.random() < 0.4 else row()
    pair = Pair(domain, budget, tuple(first), tuple(second), labels)
    if rng.random() < 0.5 and budget.neighbours is not ADD:
        return replace(pair, first=pair.second, second=pair.first)
    return pair


def _words(algorithm: Algorithm, relation: Neighbours, rng: np.random.Generator) -> Pair:
    """Records that are words of a code, or others, or zeroed out."""
    words = double_circulant_code(4).words
    epsilon, n = float(rng.choice([0.2, 0.5])), int(rng.integers(1, 4))
    domain = Domain(LinearLoss(), L2Ball(4), n)

    def row() -> Row:
        if rng.random() < 0.2:
            return random_row(domain, rng)
        return tuple(words[rng.integers(len(words))].tolist()), 1.0

    first = [row() for _ in range(n)]
    second = first.copy()
    second[0] = row() if relation is REPLACE else (zeroed_row(domain, rng) or row())
    assert not algorithm.refusal(domain, Budget(epsilon, 0.0, relation))
    return Pair(domain, Budget(epsilon, 0.0, relation), tuple(first), tuple(second))


# representations


def problem(pair: Pair, rows: Sequence[Row], how: str, rng: np.random.Generator) -> Problem:
    """The data set of these rows in one representation; raises Incompatible where it has none of that kind."""
    domain = replace(pair.domain, n=len(rows))
    if how == "one_hot":
        if not pair.labels:
            raise Incompatible("not all records are one-hot")
        return Problem(domain, {"one_hot": _one_hot(domain, pair.labels, rows, rng)})
    records = listed(rows, in_order=how == "list")
    if how == "order":
        records = listed([rows[i] for i in rng.permutation(len(rows))])
    if how == "counts":
        kinds = [row for row in dict.fromkeys([*pair.first, *pair.second]) if row in rows]
        if rng.random() < 0.5:
            kinds = [kinds[i] for i in rng.permutation(len(kinds))]
        records = replace(listed(kinds), counts=np.array([float(rows.count(kind)) for kind in kinds]))
    view = RecordsView(domain, records)
    if how == "moments":
        if domain.loss.quadratic is None:
            raise Incompatible("a loss that is not quadratic has no moments")
        return Problem(domain, {"moments": MomentsView(domain, view.coefficients.formed())})
    return Problem(domain, {"records": view})


REPRESENTATIONS = ("list", "order", "counts", "one_hot", "moments")


def listed(rows: Sequence[Row], in_order: bool = False) -> Records:
    return Records(np.array([x for x, _ in rows]), np.array([label for _, label in rows]), in_order=in_order)


def _one_hot(domain: Domain, labels: Sequence[float], rows: Sequence[Row], rng: np.random.Generator) -> OneHotView:
    """Records of label 0 have a weight on either side."""
    plus, minus = np.zeros(len(labels)), np.zeros(len(labels))
    for x, label in rows:
        if any(x):
            j = int(np.argmax(x))
            side = label > 0 if labels[j] else rng.random() < 0.5
            (plus if side else minus)[j] += 1 / len(rows)
    return OneHotView(domain, np.array(labels), plus, minus)


# what is spent


def published(algorithm: Algorithm, first: Problem, second: Problem, budget: Budget, seed: int) -> float:
    """Of the certified epsilon, what the mechanisms of one run spend: by how much what they release really moves.

    The second run publishes what the first one did; its other random numbers are the same. Infinite where it publishes
    more or fewer, by other mechanisms, or answers otherwise: its answer then tells what no mechanism has hidden.
    """

    def solve(data: Problem) -> Callable[[], FloatArray]:
        return lambda: as_vector(algorithm.solve(data, budget, np.random.default_rng(seed)).theta, data.domain.p)

    with noted() as one:
        answer = answered(solve(first))
    with noted(one.outputs) as other:
        again = answered(solve(second))
    if isinstance(answer, Refused) or isinstance(again, Refused):
        raise AssertionError(f"no answer: {answer}, {again}")
    if len(one.mechanisms) != len(other.mechanisms) or answer.shape != again.shape:
        return math.inf
    if not np.allclose(answer, again, rtol=1e-6, atol=1e-6 * first.domain.radius):
        return math.inf
    steps = zip(one.mechanisms, other.mechanisms, one.values, other.values, one.outputs, strict=True)
    spent = [cost(*step) for step in steps]
    if (share := _shares(spent, algorithm.parts(first.domain, budget))) <= 1:
        return share
    certified = algorithm.privacy_loss(first.domain, budget)
    assert certified is not None
    return _over(compose([(guarantee, 1) for guarantee in spent], budget.delta).epsilon, certified.epsilon)


def _over(spent: float, certified: float) -> float:
    """The share; infinite where anything is spent of nothing."""
    return spent / certified if certified else math.inf if spent else 0.0


def _shares(spent: Sequence[Guarantee], parts: Parts | None) -> float:
    """The dearest use over what is certified of one, where uses are of one kind and not too many; else infinite."""
    if not any(guarantee.loss for guarantee in spent):
        return 0.0
    if not parts:
        return math.inf
    kinds = {type(guarantee) for guarantee in spent if guarantee.loss}
    (one, uses), *others = parts
    if kinds != {type(one)} or others or len(spent) > uses:
        return math.inf
    return max(guarantee.loss for guarantee in spent) / one.loss


def cost(mechanism: Noisy, another: Noisy, value: FloatArray, other: FloatArray, output: Any) -> Guarantee:
    """The guarantee of a mechanism for two values, by definition: shifts over scales, and ratios of all outputs.

    A choice may have another scale on each side, as scores that are means over a private n do.
    """
    if isinstance(mechanism, GumbelMin | LaplaceMin | NoisyTop) and type(mechanism) is type(another):
        before, after = value / mechanism.scale, other / another.scale
        if isinstance(mechanism, GumbelMin):
            return BoundedRange(float(np.ptp(before - after)))
        size = len(output) if isinstance(mechanism, NoisyTop) else 1
        choices = [np.array(some) if isinstance(mechanism, NoisyTop) else some[0]
                   for some in itertools.combinations(range(value.size), size)]  # fmt: skip
        unit = type(mechanism)(1.0)
        return PureLoss(max(abs(unit.log_chance(before, some) - unit.log_chance(after, some)) for some in choices))
    if mechanism != another:
        return PureLoss(math.inf)
    match mechanism:
        case Laplace():
            return PureLoss(float(np.abs(value - other).sum()) / mechanism.scale)
        case L2Laplace():
            return PureLoss(float(np.linalg.norm(value - other)) / mechanism.scale)
        case Gaussian():
            return GaussianShift(float(np.linalg.norm(value - other)) / mechanism.scale)
    raise AssertionError(f"what {type(mechanism).__name__} costs is not known: add it here")


def by_law(algorithm: Algorithm, first: Problem, second: Problem, budget: Budget) -> float:
    """The share of the certified epsilon that is spent at least, by the law of the answer.

    Raises:
        Incompatible: none is known of these data.
    """
    certified = algorithm.privacy_loss(first.domain, budget)
    assert certified is not None
    one, other = (laws.find(algorithm, data.domain, budget) for data in (first, second))
    pair = one.beside(other, first, second)
    return _over(pair.lower_epsilon(max(budget.delta, certified.delta) + LOST), certified.epsilon)


LOST = 1e-9
"""Probabilities by differences have no more digits."""


def words(algorithm: Algorithm, first: Problem, second: Problem, budget: Budget) -> float:
    """The share that `CodewordResponse` spends: all of its answers have known probabilities."""
    chances = []
    for data in (first, second):
        records, code = data.records.records, double_circulant_code(data.domain.p)
        counts: dict[int, float] = {}
        for record, copies in zip(records.features, records.copies, strict=True):
            if (word := code.find(record)) is not None:
                counts[word] = counts.get(word, 0.0) + float(copies)
        extras, total = word_weights(counts, data.domain.n, code.size, budget.epsilon)
        level = (total - sum(extras.values())) / code.size
        chances.append(np.array([level + extras.get(word, 0.0) for word in range(code.size)]) / total)
    certified = algorithm.privacy_loss(first.domain, budget)
    assert certified is not None
    return float(np.abs(np.log(chances[0] / chances[1])).max()) / certified.epsilon


def reads_places(algorithm: Algorithm) -> bool:
    """Whether what is random and public falls on records by the places at which they stand."""
    return isinstance(algorithm, ConfidenceBoosting | GridSearch | SampleAndAggregate | SparseRegression)
