"""Disjoint parts of a data set, chosen at random without a look at the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprepro.problems import Domain, OneHotView, Problem, Records, RecordsView

Counts: TypeAlias = NDArray[np.int64]

MOST_RECORDS = 9e8
"""Of a data set that can be parted: numpy draws hypergeometric numbers below 1e9."""
REPRESENTATIONS = ("one_hot", "records")
"""The representations of which one is needed."""


def sizes(n: float, parts: int) -> list[int]:
    """n records in ``parts`` parts, as equal as they can be."""
    each, more = divmod(int(n), parts)
    return [each + (k < more) for k in range(parts)]


def lacks_parts(domain: Domain, parts: int) -> str:
    """What n lacks for that many parts, as the rest of a sentence; empty if nothing."""
    if parts <= domain.n <= MOST_RECORDS:
        return ""
    return f"needs n from {parts} to {MOST_RECORDS:g}, to part the records, got n={domain.n:g}"


def parted(problem: Problem, parts: Sequence[int], rng: np.random.Generator) -> list[Problem]:
    """Problems of disjoint records, part k of ``parts[k]`` of them; every partition is as likely.

    A replaced record changes one part, whatever the partition. Only counts are drawn: equal records are alike. Of
    one-hot counts those of x = 0 stay what is left over, and numbers that are not whole (a tail's) are rounded.
    """
    if "one_hot" in problem.given:
        view = problem.one_hot
        counts = np.rint(view.domain.n * np.concatenate([view.plus, view.minus])).astype(np.int64)
        drawn = _drawn(np.append(counts, max(0, int(view.domain.n) - int(counts.sum()))), parts, rng)
        return [_one_hot(view, some[:-1], size) for some, size in zip(drawn, parts, strict=True)]
    records = problem.records.records
    drawn = _drawn(np.rint(records.copies).astype(np.int64), parts, rng)
    return [_dense_problem(problem.domain, records, some, size) for some, size in zip(drawn, parts, strict=True)]


def over(problem: Problem, domain: Domain) -> Problem:
    """The same data over another domain of as many records."""
    if "one_hot" in problem.given:
        view = problem.one_hot
        return Problem(domain, {"one_hot": OneHotView(domain, view.label, view.plus, view.minus)})
    return Problem(domain, {"records": RecordsView(domain, problem.records.records)})


def _drawn(counts: Counts, parts: Sequence[int], rng: np.random.Generator) -> list[Counts]:
    """How many of each kind of record every part has."""
    found = []
    for size in parts:
        some = rng.multivariate_hypergeometric(counts, min(size, int(counts.sum())), method="marginals")
        counts = counts - some
        found.append(some)
    return found


def _one_hot(view: OneHotView, counts: Counts, size: int) -> Problem:
    domain, half = replace(view.domain, n=size), view.touched
    shares = counts / max(size, int(counts.sum()))
    return Problem(domain, {"one_hot": OneHotView(domain, view.label, shares[:half], shares[half:])})


def _dense_problem(domain: Domain, records: Records, counts: Counts, size: int) -> Problem:
    kept, within = counts > 0, replace(domain, n=size)
    some = Records(records.features[kept], records.targets[kept], counts[kept].astype(np.float64))
    return Problem(within, {"records": RecordsView(within, some)})
