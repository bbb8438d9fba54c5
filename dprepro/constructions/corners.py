"""Pairs of small neighbouring data sets, at the corners of what a domain allows: where an audit looks for the worst."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from dprepro.budget import Neighbours
from dprepro.constructions.base import constraint_set, loss_of
from dprepro.errors import InputError, PremiseError
from dprepro.problems import DistanceLoss, Domain, OneHotView, Problem, Records, RecordsView
from dprepro.problems.codes import double_circulant_code
from dprepro.problems.problem_data import FloatArray

Record: TypeAlias = tuple[FloatArray, float]
"""Features, shape (p,), and a label."""

Pair: TypeAlias = tuple[Problem, Problem]

WORDS = ("plus", "minus", "flipped", "aside", "tilted", "silent", "first", "second", "against", "zeroed", "again")
"""Records: (X e, Y), its features or its label with the other sign, (X e', Y), one between e and e', and the zeroed-out
(0, 0); (X e_1, Y), (X e_2, Y) and (X e_1, -Y), which are others where features are bounded one by one; the zeroed-out
(0, -Y); and one more copy of the last of those that are shared."""

HELD = {"list": "listed", "counts": "by counts", "order": "in another order"}
"""Representations, in words; see `Corners`."""

FIRST = ("plus", "first")
"""What the first data set may have in the place of the record that differs."""

REST = (*WORDS[:-1], "both", "axes", "uneven", "uneven_axes", "graded")
"""What the records that both data sets share are: all alike, half `plus` and half `flipped` or opposite, or half
`against` and half `second`; or one in four of these, where answers on the other side are rare; or all distinct, along
e_1 and e_2 in turn with rising labels, where what blocks of two say hangs on where they begin."""


@dataclass(frozen=True)
class Corners:
    """Data sets of n records, n - 1 of them shared: pairs by names such as ``plus flipped aside``.

    The names say which record the first data set has, which the second, and what the n - 1 others are. The first is
    `plus`, up to the symmetries of a loss, or `first`; where a record comes or goes the second is `silent`, and where
    it is zeroed out that or `zeroed`: an algorithm may read its label. e is e_1, or (1, ..., 1) where the features are
    bounded coordinate by coordinate, and e' is e_2, or e with its last sign turned.

    Attributes:
        loss: by its name, see `constructions`.
        over: ``l1_ball``, ``l2_ball``, ``box`` or ``simplex``; radius: of it.
        feature_norm: order of the bound 1 on ||x||.
        label_bound: on |y|.
        proper: whether answers have to lie in the set.
        listing: ``records``; ``one_hot`` counts; or ``words`` of a code, the records that codeword response knows.
        pairs: those that are tried; by default all.
        representations: in which every pair is tried, of listed records: as a ``list``, in which a record is replaced
            at its place; by the ``counts`` of the distinct records, which stand as the first data set has them; or the
            second data set in reversed ``order``.
    """

    loss: str = "linear"
    over: str = "l2_ball"
    radius: float = 1.0
    feature_norm: float = 2
    label_bound: float = 1.0
    proper: bool = True
    listing: Literal["records", "one_hot", "words"] = "records"
    pairs: tuple[str, ...] = ()
    representations: tuple[Literal["list", "counts", "order"], ...] = field(default=("list",), metadata={"later": True})

    def __post_init__(self) -> None:
        for name in self.pairs:
            words = name.split()
            if len(words) != 3 or not (words[0] in FIRST and words[1] in WORDS[1:] and words[2] in REST):
                choices = f"{' or '.join(FIRST)}, one of {', '.join(WORDS[1:])}, and one of {', '.join(REST)}"
                raise InputError(f"pairs must be like 'plus flipped aside', {choices}, got {name!r}")
        wrong = [name for name in self.representations if name not in HELD or self.listing == "one_hot"]
        if self.representations != ("list",) and (wrong or not self.representations):
            raise InputError(
                f"representations must be some of {', '.join(HELD)}, and list alone of one_hot, got "
                f"{', '.join(self.representations) or 'none'}"
            )

    def domain(self, point: Mapping[str, float]) -> Domain:
        """What is public at a grid point."""
        within = constraint_set(self.over, point["p"], self.radius)
        return Domain(
            loss_of(self.loss), within, point["n"], feature_norm=self.feature_norm, label_bound=self.label_bound,
            proper=self.proper,
        )  # fmt: skip

    def neighbours(self, point: Mapping[str, float], relation: Neighbours) -> dict[str, Pair]:
        """The pairs by name, each as two problems; where a record comes or goes the second has n - 1.

        Raises:
            PremiseError: the point has no such pair.
        """
        domain, found = self.domain(point), {}
        for name in self.pairs or self._names(domain, relation):
            first, second, rest = name.split()
            shared = self._shared(domain, rest)
            with_first = [self._record(domain, first), *shared]
            if relation is Neighbours.ADD_OR_REMOVE_ONE:
                both = with_first, shared
            else:
                other = shared[-1] if second == "again" and shared else self._record(domain, second)
                both = with_first, [other, *shared]
            for held in self.representations:
                full = name if held == "list" else f"{name}, {HELD[held]}"
                tables = _held(held, both)
                found[full] = self._problem(domain, tables[0]), self._problem(domain, tables[1])
        if not found:
            raise PremiseError(f"no pair of neighbours is known at n={point['n']:g}, p={point['p']:g}")
        return found

    def _names(self, domain: Domain, relation: Neighbours) -> list[str]:
        distance = isinstance(domain.loss, DistanceLoss)
        if relation is Neighbours.ZERO_OUT:
            others = ["silent", *(["zeroed"] if self.listing == "records" else [])]
        elif relation is not Neighbours.REPLACE_ONE:
            others = ["silent"]
        elif distance or self.listing == "words" or self.loss == "linear":
            others = ["minus", "aside", "tilted"]
        else:
            others = ["minus", "flipped", "aside", "tilted", "silent"]
        if distance and relation is Neighbours.ZERO_OUT:
            raise InputError("a loss of the distance has no record that says nothing; choices: replace_one")
        if domain.p == 1:
            others = [other for other in others if other not in ("aside", "tilted")]
        rests = [text for text in REST if text in ("plus", "both", *others) and text != "zeroed"]
        if domain.n == 1:
            rests = rests[:1] if relation is not Neighbours.ADD_OR_REMOVE_ONE else []
        return [f"plus {other} {rest}" for other in others for rest in rests]

    def _shared(self, domain: Domain, rest: str) -> list[Record]:
        count = round(domain.n) - 1
        if rest == "graded":
            axes, x = np.eye(domain.p), domain.feature_bound
            return [
                (x * axes[min((i + 1) % 2, domain.p - 1)], domain.label_bound * (i + 2) / domain.n)
                for i in range(count)
            ]
        words = (rest, rest)
        if rest.endswith("axes"):
            words = ("against", "second")
        elif rest in ("both", "uneven"):
            words = ("minus" if isinstance(domain.loss, DistanceLoss) or self.loss == "linear" else "flipped", "plus")
        period = 4 if rest.startswith("uneven") else 2
        return [self._record(domain, words[min(i % period, 1)]) for i in range(count)]

    def _record(self, domain: Domain, word: str) -> Record:
        p = domain.p
        if self.listing == "words":
            words = double_circulant_code(p).words
            return words[WORDS.index(word)], domain.label_bound
        if self.feature_norm == math.inf:
            straight, aside = np.ones(p), np.ones(p)
            aside[-1] = -1.0
        else:
            straight, aside = np.eye(p)[0], np.eye(p)[min(1, p - 1)]
        tilted = straight + aside
        tilted /= np.linalg.norm(tilted, domain.feature_norm)
        axes = np.eye(p)[0], np.eye(p)[min(1, p - 1)]
        features = {
            "minus": -straight, "aside": aside, "tilted": tilted, "silent": 0 * straight, "first": axes[0],
            "second": axes[1], "against": axes[0], "zeroed": 0 * straight,
        }.get(word, straight)  # fmt: skip
        label = {"flipped": -1.0, "against": -1.0, "silent": 0.0, "zeroed": -1.0}.get(word, 1.0) * domain.label_bound
        return domain.feature_bound * features, label

    def _problem(self, domain: Domain, records: Records) -> Problem:
        domain = replace(domain, n=records.n)
        return Problem(domain, {_view(self.listing): partial(_dense_view, self.listing, domain, records)})


def promised(pairs: Mapping[str, Pair], label_bound: float | None) -> Mapping[str, Pair]:
    """The same data sets with another bound on labels in what is public of them, which labels need not keep."""
    if label_bound is None:
        return pairs

    def restated(problem: Problem) -> Problem:
        domain = replace(problem.domain, label_bound=label_bound)
        return Problem(domain, {name: problem.see(name) for name in problem.given})

    return {name: (restated(first), restated(second)) for name, (first, second) in pairs.items()}


def _view(listing: str) -> str:
    return "one_hot" if listing == "one_hot" else "records"


def _held(representation: str, both: tuple[list[Record], list[Record]]) -> list[Records]:
    """Two data sets in one representation; see `Corners`."""
    if representation == "counts":
        keys = [[(*record[0].tolist(), record[1]) for record in records] for records in both]
        kinds = list(dict.fromkeys([*keys[0], *keys[1]]))
        counts = [np.array([float(some.count(kind)) for kind in kinds]) for some in keys]
        table = np.array(kinds)
        return [Records(table[some > 0, :-1], table[some > 0, -1], some[some > 0]) for some in counts]
    lists = both[0], both[1][::-1] if representation == "order" else both[1]
    return [
        Records(
            np.array([features for features, _ in records]), np.array([label for _, label in records]),
            in_order=representation == "list",
        )
        for records in lists
    ]  # fmt: skip


def _dense_view(listing: str, domain: Domain, records: Records) -> RecordsView | OneHotView:
    if listing != "one_hot":
        return RecordsView(domain, records)
    signs = np.sign(records.targets)[:, None] * np.sign(records.features)
    plus, minus = (np.mean(sign * signs > 0, axis=0) for sign in (1, -1))
    return OneHotView(domain, np.full(domain.p, domain.label_bound), plus, minus)
