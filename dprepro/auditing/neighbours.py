"""Pairs of neighbouring data sets on which an audited function may give itself away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dprepro.auditing.data import Data, DataDomain
from dprepro.budget import Neighbours
from dprepro.privacy.outcomes import FloatArray

Record = tuple[FloatArray, float]

SIZES = (1, 2, 3, 5)
"""Sizes beside the domain's own at which data sets are tried where n is private."""


@dataclass(frozen=True)
class NeighbourPair:
    """Two neighbouring data sets, and what is special of them, in words; ``reordered``: order too."""

    name: str
    first: Data
    second: Data
    reordered: bool = False


def pairs(domain: DataDomain, neighbours: Neighbours, rng: np.random.Generator) -> Iterator[NeighbourPair]:
    """Corners, zero, repeated and random records, in which one is replaced, zeroed out, added or removed.

    Neighbours are multisets of records: in some pairs the second data set has another order, unless the domain says
    that records are in order.
    """
    sizes = (domain.n,) if neighbours.n_is_public else tuple(dict.fromkeys((domain.n, *SIZES)))
    for n in sizes:
        for base, records in _bases(domain, n, rng):
            for change, old, new in _changes(domain, neighbours, records, rng):
                first = list(records) if old is None else [old, *records[1:]]
                second = [*records[1:]] if new is None else [new, *records[1:]]
                if not second or not first or _same(first, second):
                    continue
                said = f"n={n}, {base}, {change}"
                yield NeighbourPair(said, domain.data(first), domain.data(second))
                if base == "random records" and change.startswith("one at") and not domain.in_order:
                    order = rng.permutation(len(second))
                    turned = [second[place] for place in order]
                    yield NeighbourPair(f"{said}, in another order", domain.data(first), domain.data(turned), True)


def _bases(domain: DataDomain, n: int, rng: np.random.Generator) -> Iterator[tuple[str, list[Record]]]:
    corners = dict(_corners(domain))
    for name, record in corners.items():
        yield f"all records at {name}", [record] * n
    some = list(corners.values())
    if n > 1:
        yield "records at two corners by turns", [some[place % 2] for place in range(n)]
    yield "random records", [_random(domain, rng) for _ in range(n)]
    yield "one random record repeated", [_random(domain, rng)] * n


def _corners(domain: DataDomain) -> Iterator[tuple[str, Record]]:
    ends = domain.labels or (0.0,)
    ones = np.ones(domain.width)
    yield "the highest corner", domain.record(domain.high * ones, ends[-1])
    yield "the lowest corner", domain.record(domain.low * ones, ends[0])
    yield "zero", domain.record(0.0 * ones, ends[0])
    if domain.labels:
        yield "the highest corner, with the other label", domain.record(domain.high * ones, ends[0])
    if domain.width > 1:
        first = np.zeros(domain.width)
        first[0] = domain.high
        yield "the end of the first axis", domain.record(first, ends[-1])


def _random(domain: DataDomain, rng: np.random.Generator) -> Record:
    features = rng.uniform(domain.low, domain.high, domain.width)
    if not domain.labels:
        return domain.record(features)
    label = rng.uniform(domain.labels[0], domain.labels[1]) if domain.interval else rng.choice(domain.labels)
    return domain.record(features, float(label))


def _changes(
    domain: DataDomain, neighbours: Neighbours, records: list[Record], rng: np.random.Generator
) -> Iterator[tuple[str, Record | None, Record | None]]:
    """How the first record differs, in words: what it is in the first data set and in the second, None if absent."""
    corners = dict(_corners(domain))
    if neighbours is Neighbours.REPLACE_ONE:
        names = list(corners)
        for place, name in enumerate(names):
            for other in names[place + 1 :]:
                yield f"one at {name} replaced by one at {other}", corners[name], corners[other]
        yield "one random record replaced by another", _random(domain, rng), _random(domain, rng)
    elif neighbours is Neighbours.ZERO_OUT:
        # features of 0 say nothing by themselves; the label has to be one that the function takes
        for name, record in corners.items():
            yield f"one at {name} zeroed out", record, corners["zero"]
    else:
        for name, record in corners.items():
            yield f"one at {name} removed", record, None
        yield "one random record removed", _random(domain, rng), None


def _same(first: list[Record], second: list[Record]) -> bool:
    return len(first) == len(second) and all(
        np.array_equal(item[0], other[0]) and item[1] == other[1] for item, other in zip(first, second, strict=True)
    )


def threshold_pairs(domain: DataDomain, signature: Callable[[Data], object], largest: int) -> Iterator[NeighbourPair]:
    """Neighbours of n and n - 1 records between which the ``signature`` of answers changes, found by bisection.

    For a private n: an answer's length, kind or lack of noise that depends on n is a release of n.
    """
    for name, record in _corners(domain):
        sizes = sorted({1, domain.n, *(2**power for power in range(1, largest.bit_length()))} & set(range(largest + 1)))
        said = {n: signature(domain.data([record] * n)) for n in sizes}
        for low, high in pairwise(sizes):
            if said[low] == said[high]:
                continue
            below = said[low]
            while high - low > 1:
                middle = (low + high) // 2
                unchanged = signature(domain.data([record] * middle)) == below
                low, high = (middle, high) if unchanged else (low, middle)
            yield NeighbourPair(
                f"n={high}, all records at {name}, one removed",
                domain.data([record] * high), domain.data([record] * low),
            )  # fmt: skip
