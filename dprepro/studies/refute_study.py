"""Attacks on all statements of a paper, each of a fixed effort: what a full run tries."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dprepro.axes import DEFAULTS
from dprepro.engine.cell import Cell, Row, canonical
from dprepro.errors import unknown
from dprepro.refute import VIOLATED, Attack, Effort, hunt
from dprepro.refute.find import attacks_on, says_of
from dprepro.refute.witness import Witness
from dprepro.statements.papers import papers
from dprepro.statements.statement import Says, Statement, identity
from dprepro.studies.base import Declaration, Design, Study
from dprepro.studies.describe import describe

SHARE, AS_PRINTED = "share", "share_as_printed"
COLUMNS = ("attack_name", "corners", "searched", "outside", "found", "witness", "deterministic")

LARGEST = 1e300
"""A share that is infinite is stored as this."""


@dataclass(frozen=True)
class Target:
    """A statement in one form: what an attack is on."""

    statement: Statement
    form: str
    attacks: tuple[Attack, ...]

    @property
    def says(self) -> Says:
        """What it says."""
        return says_of(self.statement, self.form)


@dataclass(frozen=True)
class RefuteStudy(Study):
    """Every attack on every statement of a paper, by corners and a short search; nothing depends on a clock.

    A series is a statement, its axis ``attack`` the number of the attack. ``share`` is the largest share found of what
    the statement allows, as it holds (as repaired where it is); ``share_as_printed``, of a series of its own, that of
    what is printed where errata disprove it. Of draws it is the lower end of an interval, on draws that no search has
    seen (`refute.attack.ERRORS`). Above 1 there is a counterexample; up to 1 none was found, and no more is said.

    Attributes:
        of: the paper, by its key.
        corners, searched: of attacks that compute; drawn_corners, drawn_searched: of those that draw.

    Columns: ``attack_name``; ``corners``, ``searched``: how many places were tried; ``outside``: how many more lay
    outside the premise (all, where nothing was tried and the share is 0); ``found``: the share that the search saw;
    ``witness``: the worst place, in JSON.
    """

    version: ClassVar[int] = 1

    of: str
    corners: int = 300
    searched: int = 200
    drawn_corners: int = 24
    drawn_searched: int = 12

    def cells(self, design: Design) -> list[Cell]:
        """Statement by statement, attack by attack; raises InputError for an unknown paper."""
        cells = []
        for series, target in self._targets.items():
            for number, attack in enumerate(target.attacks, 1):
                axes = {**DEFAULTS, "epsilon": math.inf, "attack": float(number)}
                made = canonical(self._science(target, attack)), self.code(*attack.parts)
                cells.append(Cell(series, "claim", axes, 0, design.seed, *made))
        return cells

    def declare(self, design: Design) -> Declaration:
        """As the class says."""
        quantities = {name: frozenset({_quantity(name)}) for name in self._targets}
        return Declaration(quantities, frozenset(COLUMNS), frozenset({*DEFAULTS, "attack"}))

    def measure(self, cell: Cell, rng: np.random.Generator) -> list[Row]:
        """See the class; the effort is the same on every machine, and so are the draws."""
        target = self._targets[cell.series]
        attack = target.attacks[round(cell.axes["attack"]) - 1]
        tried = hunt(attack, target.says, self._effort(attack), cell.seed)
        address = identity(self.of, target.statement.item)
        witness = Witness(address, target.form, attack.name, dict(tried.numbers), tried.least_share)
        columns: dict[str, Any] = {
            "attack_name": attack.name,
            "corners": tried.corners,
            "searched": tried.searched,
            "outside": tried.outside,
            "found": min(tried.share, LARGEST),
            "witness": json.dumps(witness.to_dict()),
            "deterministic": True,
        }
        return [Row(_quantity(cell.series), min(tried.least_share, LARGEST), VIOLATED, columns)]

    def _effort(self, attack: Attack) -> Effort:
        if attack.exact:
            return Effort(self.corners, self.searched)
        return Effort(self.drawn_corners, self.drawn_searched)

    @cached_property
    def _targets(self) -> dict[str, Target]:
        """By series."""
        known = papers()
        if self.of not in known:
            raise unknown("paper", self.of, known)
        found = {}
        for claim in known[self.of].claims:
            name = identity("", claim.item).replace("-", "_")
            holds = "repaired" if claim.repaired is not None else "printed"
            wrong = bool(claim.false)
            if wrong and (attacks := attacks_on(self.of, claim, "printed")):
                found[f"{name}_{AS_PRINTED}"] = Target(claim, "printed", attacks)
            if (not wrong or claim.repaired is not None) and (attacks := attacks_on(self.of, claim, holds)):
                found[name] = Target(claim, holds, attacks)
        return found

    def _science(self, target: Target, attack: Attack) -> dict[str, Any]:
        says = target.says
        said = {"premise": list(says.premise), "rate": says.rate, "bound": says.bound}
        named = {"item": target.statement.item, "form": target.form, "paper": self.of}
        return self.identity(attack=describe(attack), effort=describe(self._effort(attack)), says=said, target=named)


def _quantity(series: str) -> str:
    return AS_PRINTED if series.endswith(AS_PRINTED) else SHARE
