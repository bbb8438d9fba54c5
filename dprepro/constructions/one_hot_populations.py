"""One-hot populations for generalised linear models, with a mass that is swept to find the worst of a family.

A minimax rate is about the worst population at each n. Here the family has one parameter, the mass q that the
directions with a signal have together: for large q the algorithm finds them, for small q they hardly matter, and the
worst q falls as n grows. Sweep the axis ``mass`` and let the check take the envelope, the largest mean risk over it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dprepro.constructions.base import LOSSES, RECORDS_LIMIT, Construction, Point, offered, recorded
from dprepro.errors import InputError, PremiseError
from dprepro.problems import Domain, L2Ball, MomentsView, OneHotView, Problem, RecordsView
from dprepro.problems.views.one_hot_view import sampled
from dprepro.support.last_result import cache_last


@dataclass(frozen=True)
class OneHotFamily(Construction):
    """x = e_j (X = 1), with labels whose minimiser has |w*_j| = B/sqrt(m) on m coordinates, B = ``norm``.

    Answers may leave the ball of radius B; they are judged by the population.

    Attributes:
        loss: squared: labels +-1 of mean B/sqrt(m). absolute: all labels B/sqrt(m). logistic: labels +-1 of mean
            tanh(B/(2 sqrt(m))).
        coordinates: m; 0 for all p.
        mass: q, the total probability of these coordinates.
        spectrum: ``flat`` p_j = q/m, or ``log_uniform``: p_j in geometric progression over ``decades`` decades, of sum
            q: many scales in one population.
        decades: see ``spectrum``.
        tail: on how many further coordinates, with label 0, the mass 1 - q lies in equal parts. 0 for none (the other
            records are x = 0), -1 for all the others.

    Premise: m <= p - tail, and for the squared loss B <= sqrt(m), or a mean label would exceed 1.
    """

    loss: Literal["squared", "absolute", "logistic"] = "squared"
    coordinates: int = 0
    mass: float = 1.0
    spectrum: Literal["flat", "log_uniform"] = "flat"
    decades: float = 4.0
    tail: int = 0

    def __post_init__(self) -> None:
        self._demand("mass", 0 < self.mass <= 1, "in (0, 1]")
        if self.coordinates < 0 or self.tail < -1 or (self.tail == -1 and not self.coordinates):
            raise InputError(
                f"coordinates must be at least 0 and tail at least -1 (all others, then with coordinates > 0), got "
                f"coordinates={self.coordinates}, tail={self.tail}"
            )

    def domain(self, point: Point) -> Domain:
        """The loss over the ball of radius B; labels are at most 1, for the absolute loss the largest prediction B."""
        bound = point["norm"] if self.loss == "absolute" else 1.0
        ball = L2Ball(int(point["p"]), point["norm"])
        return Domain(LOSSES[self.loss], ball, point["n"], label_bound=bound, proper=False)

    def representations(self, point: Point) -> frozenset[str]:
        """One-hot counts, and what is listed where that is not too much."""
        m, size = self._sizes(point)
        words = {"tail"} if size and m + size == point["p"] else set()
        return (
            one_hot_representations(self.domain(point), m + size) | words | ({"signal"} if size and m == 1 else set())
        )

    def build(self, point: Point, noise_scale: float) -> Problem:
        """The population; raises PremiseError outside the premise."""
        return one_hot(self.population(point), self.representations(point))

    def draw(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Problem:
        """n records of the population, by which answers are judged; raises PremiseError."""
        population = _population(self, dict(point))
        return one_hot(sampled(population, rng), self.representations(point), population)

    def population(self, point: Point) -> OneHotView:
        """Probabilities by coordinate and label; raises PremiseError outside the premise."""
        norm, (m, size) = point["norm"], self._sizes(point)
        if not 1 <= m <= point["p"] - size:
            raise PremiseError(f"{m} coordinates and a tail of {size} do not fit into p={point['p']:g}")
        entry = norm / math.sqrt(m)
        if self.loss == "squared" and entry > 1 + 1e-12:
            raise PremiseError(f"norm={norm:g} exceeds sqrt(m)={math.sqrt(m):.4g}, a mean label would exceed 1")
        weights = np.ones(m) if self.spectrum == "flat" else 10.0 ** np.linspace(0, -self.decades, m)
        weights *= self.mass / weights.sum()
        label, bias = {
            "squared": (1.0, min(entry, 1.0)),
            "absolute": (entry, 1.0),
            "logistic": (1.0, math.tanh(entry / 2)),
        }[self.loss]
        zero, even = np.zeros(size), np.full(size, (1 - self.mass) / (2 * max(1, size)))
        return OneHotView(
            self.domain(point),
            np.concatenate([np.full(m, label), zero]),
            np.concatenate([weights * (1 + bias) / 2, even]),
            np.concatenate([weights * (1 - bias) / 2, even]),
            size,
            known=np.concatenate([np.full(m, entry), zero]),
        )

    def _sizes(self, point: Point) -> tuple[int, int]:
        """m and the length of the tail."""
        p = int(point["p"])
        size = p - self.coordinates if self.tail == -1 else self.tail
        return self.coordinates or p - size, size


@cache_last
def _population(family: OneHotFamily, point: Point) -> OneHotView:
    return family.population(point)


def one_hot(counts: OneHotView, representations: frozenset[str], population: OneHotView | None = None) -> Problem:
    """The problem of one-hot counts, of which all representations are made, and of the population that judges."""
    domain = counts.domain
    problem = offered(
        domain,
        representations,
        one_hot=counts,
        records=lambda: RecordsView(domain, counts.to_records()),
        moments=lambda: MomentsView(domain, counts.to_moments()),
    )
    problem.population = population
    return problem


def one_hot_representations(domain: Domain, touched: float) -> frozenset[str]:
    """The representations of that many touched coordinates, each with two distinct records at most."""
    return frozenset({"one_hot"} if touched <= RECORDS_LIMIT else ()) | recorded(domain, 2 * touched + 1)
