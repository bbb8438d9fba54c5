"""A witness: the numbers of an attack on a statement, and what they show; kept as JSON, and measured again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dprepro.errors import InputError, unknown
from dprepro.refute.attack import Attack, Trial
from dprepro.refute.find import attacks_on, says_of, statement_at
from dprepro.refute.hunt import measured_again
from dprepro.support import typed

DPREPRO_READS = ()  # a witness is measured, and stands behind no measurement


@dataclass(frozen=True)
class Witness:
    """A place in the space of an attack.

    Attributes:
        statement: its address, ``kst-theorem-31``. form: ``printed`` or ``repaired``.
        attack: its name. numbers: the place.
        share: of what the statement allows, as found; above 1 the statement fails there.
    """

    statement: str
    form: str
    attack: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    share: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON; an infinite share is none."""
        share = self.share if math.isfinite(self.share) else None
        return {**vars(self), "numbers": dict(self.numbers), "share": share}

    @property
    def where(self) -> str:
        """The place in words."""
        return ", ".join(f"{name}={value:.6g}" for name, value in self.numbers.items())

    def find(self, config_dir: str | None = None) -> Attack:
        """The attack; raises InputError where there is none of that name, or one with other axes."""
        paper, statement = statement_at(self.statement, config_dir)
        known = {attack.name: attack for attack in attacks_on(paper, statement, self.form, config_dir)}
        if self.attack not in known:
            raise unknown(f"attack on {self.statement}", self.attack, known)
        attack = known[self.attack]
        if lacking := sorted(attack.axes.keys() - self.numbers.keys()):
            raise InputError(f"the attack {self.attack} needs {lacking[0]}; given are {', '.join(self.numbers)}")
        return attack

    def measured(self, seed: int, config_dir: str | None = None) -> Trial:
        """What it shows on fresh draws.

        Raises:
            InputError: as `find`. PremiseError: it lies outside the premise of the statement.
        """
        _, statement = statement_at(self.statement, config_dir)
        return measured_again(self.find(config_dir), says_of(statement, self.form), self.numbers, seed)


def read_witness(path: Path) -> Witness:
    """A witness from its file; raises InputError for one that is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} holds no witness: {error}") from error
    if isinstance(content, dict) and content.get("share") is None:
        content["share"] = math.inf
    return typed.build(Witness, content, str(path))
