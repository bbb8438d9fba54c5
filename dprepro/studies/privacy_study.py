"""What an algorithm spends between neighbouring data sets, by the exact law of its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dprepro import laws
from dprepro.algorithms import Algorithm
from dprepro.axes import at
from dprepro.budget import Budget, Neighbours
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.errors import InputError
from dprepro.laws.noise_law import LaplaceNoise, NormalNoise
from dprepro.mechanisms import Gaussian, Laplace
from dprepro.privacy import noise_for
from dprepro.problems import Domain
from dprepro.studies.base import Declaration, Design, Role, Study, certified_rows, points
from dprepro.studies.describe import describe

PLACES, POINTS = 40.0, 40_001
"""How far and how finely a known law is cut into intervals, in units of its scale."""


@dataclass(frozen=True)
class PrivacySeries:
    """One algorithm whose privacy is computed.

    Attributes:
        role: ``claim``, ``control`` (must be refuted) or ``context``.
        algorithm: an axis of the sweep that bears the name of one of its fields sets that field.
        domain: what is public about the data; without one the law's own domain of unit constants at the grid point.
        law: parameters of the law, by name; axes set them likewise.
        sweep: axes on which this series departs from the experiment's sweep.
    """

    role: Role
    algorithm: Algorithm
    domain: Domain | None = None
    law: Mapping[str, float] = field(default_factory=dict)
    sweep: Mapping[str, Sequence[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class PrivacyStudy(Study):
    """The exact delta(epsilon) and the largest privacy loss over the worst neighbours that the law knows.

    Pairs of neighbours give a lower bound on what the algorithm spends: exceeding the budget disproves privacy. The law
    of each is exact, and what is read off it a lower value: events part the answers (`laws.NeighbourLaws`).

    Quantities: where delta > 0, ``exact_delta``, the largest over pairs and directions, with the budget's delta as
    bound, ``lower_epsilon``, the least at which all pairs keep to delta, which tells how near that is, and under
    replacement also ``exact_delta_zeroed_out``, over pairs with a zeroed-out record; where delta = 0,
    ``largest_loss``, the largest |ln p/p'|, with epsilon as bound; what the law `report`s; and, where the algorithm
    promises privacy, ``certified_epsilon``, and ``certified_delta`` or ``certified_loss``: the largest
    over the pairs at that epsilon, which must keep to it. ``known_delta`` and ``known_loss`` are those of a pair whose
    answer is known, to test the computation: additive noise of the least scale within the budget attains it.
    """

    version: ClassVar[int] = 3

    series: Mapping[str, PrivacySeries]

    def cells(self, design: Design) -> list[Cell]:
        """Series by series; one replicate, since nothing is random."""
        cells = []
        for label, series in self.series.items():
            grid = self._grid(label, design)
            for point in grid:
                law = self._law(label, point)
                law.algorithm.admit(law.domain, law.budget)
            parts = {"algorithm": series.algorithm, "domain": series.domain or law.plain, "law": dict(series.law)}
            science = canonical(self.identity(**describe(parts)))
            code = self.code(law)
            cells += [Cell(label, series.role, point, 0, design.seed, science, code) for point in grid]
        return cells

    def declare(self, design: Design) -> Declaration:
        """As the class says."""
        grids = {label: self._grid(label, design) for label in self.series}
        quantities = {
            label: frozenset(
                name
                for point in grid
                for name in (*self._spent(point), *self._law(label, point).measures, *self._tested(label, point))
            )
            for label, grid in grids.items()
        }
        axes = frozenset(axis for grid in grids.values() for point in grid for axis in point)
        return Declaration(quantities, frozenset({"total_steps", "deterministic"}), axes)

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class; nothing is random."""
        law, epsilon, delta = self._law(cell.series, cell.axes), cell.axes["epsilon"], cell.axes["delta"]
        privacy_loss = law.algorithm.privacy_loss(law.domain, law.budget)
        largest: dict[str, float] = dict.fromkeys(self._spent(cell.axes), 0.0)
        certified = 0.0
        for pair in law.pairs():
            for name in largest:
                if name == "lower_epsilon":
                    largest[name] = max(largest[name], pair.lower_epsilon(delta))
                elif name != "exact_delta_zeroed_out" or pair.zeroed_out:
                    largest[name] = max(largest[name], pair.lower_delta(epsilon) if delta > 0 else pair.lower_loss())
            if privacy_loss is not None:
                certified = max(certified, pair.lower_delta(privacy_loss.epsilon) if delta > 0 else pair.lower_loss())
        what, bound = ("delta", delta) if delta > 0 else ("loss", epsilon)
        rows = [Row(name, value, epsilon if name == "lower_epsilon" else bound) for name, value in largest.items()]
        rows += [Row(name, value, limit) for name, (value, limit) in law.report().items()]
        known = known_pair(law.budget)
        rows.append(Row(f"known_{what}", known.lower_delta(epsilon) if delta > 0 else known.lower_loss(), bound))
        if privacy_loss is not None:
            rows.append(Row(f"certified_{what}", certified, delta if delta > 0 else privacy_loss.epsilon))
        schedule = law.algorithm.schedule(law.domain, law.budget)
        return rows + certified_rows(privacy_loss, epsilon, schedule.steps)

    def _spent(self, point: Mapping[str, float]) -> list[str]:
        """What is measured of the pairs."""
        if point["delta"] == 0:
            return ["largest_loss"]
        silent = ["exact_delta_zeroed_out"] if self.neighbours is Neighbours.REPLACE_ONE else []
        return ["exact_delta", "lower_epsilon", *silent]

    def _tested(self, label: str, point: Mapping[str, float]) -> list[str]:
        """What the computation and the certificate are tested by."""
        what = "delta" if point["delta"] > 0 else "loss"
        own = ["certified_epsilon", f"certified_{what}"] if self.series[label].algorithm.promises() else []
        return [f"known_{what}", *own]

    def _grid(self, label: str, design: Design) -> list[dict[str, float]]:
        series = self.series[label]
        return points(
            label, design.axes(series.sweep), series.algorithm, laws.law_of(type(series.algorithm)) or laws.Law
        )

    def _law(self, label: str, point: Mapping[str, float]) -> laws.Law:
        """The law at a grid point; raises InputError where none is known."""
        series, budget = self.series[label], Budget(point["epsilon"], point["delta"], self.neighbours)
        try:
            law = laws.find(at(series.algorithm, point), series.domain, budget, point).with_parameters(series.law)
            law.pairs()
        except InputError as error:
            raise InputError(f"series {label}: {error}") from error
        return at(law, point)


def known_pair(budget: Budget) -> laws.NeighbourLaws:
    """A number with additive noise that spends just the budget, beside the same number one larger.

    Gaussian noise, or Laplace noise where delta is 0, at the least scale that is certified.
    """
    noise, law = (Gaussian, NormalNoise()) if budget.delta > 0 else (Laplace, LaplaceNoise())
    scale = noise_for(lambda value: noise(value).guarantee(1.0), 1, budget)
    ends = np.concatenate([[-math.inf], np.linspace(-PLACES, PLACES, POINTS), [math.inf]])
    return laws.NeighbourLaws(law.masses(ends), law.masses(ends - 1 / scale), zeroed_out=True)
