"""What the attacks of a store found on each statement: how much was tried, the least margin, and the worst place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dprepro.report.formulas import with_symbols
from dprepro.statements.statement import Statement, identity

if TYPE_CHECKING:
    from dprepro.report.publish import Published

STUDY = "RefuteStudy"
SHARES = ("share", "share_as_printed")


@dataclass(frozen=True)
class Attacked:
    """What the attacks on one statement, in one form, came to.

    Attributes:
        corners, searched: places within the premise that were tried.
        share: the largest measured value over what the statement allows; above ``limit`` it is a violation.
        witness: the worst place, as `dprepro refute` writes it.
    """

    corners: int
    searched: int
    share: float
    limit: float
    witness: Mapping[str, Any]

    @property
    def tried(self) -> int:
        """All places."""
        return self.corners + self.searched

    @property
    def violated(self) -> bool:
        """Whether there is a counterexample."""
        return self.share > self.limit

    def to_dict(self) -> dict[str, Any]:
        """For the ledger. The margin is what the statement allows over the measured value, null if infinite."""
        margin = 1 / self.share if self.share > 0 else None
        return {
            "corners": self.corners, "searched": self.searched, "least_margin": margin, "witness": dict(self.witness)
        }  # fmt: skip

    @property
    def in_words(self) -> str:
        """For a row's note."""
        corners = f"{self.corners} corner{'s' * (self.corners != 1)}"
        tried = f"{corners} and {self.searched} place{'s' * (self.searched != 1)} of a search"
        if self.violated:
            numbers = ", ".join(f"{name} = {value:.4g}" for name, value in self.witness["numbers"].items())
            found = f"a counterexample, {self.share:.3g} times what is allowed, at {numbers}"
            return with_symbols(f"attacked at {tried}: {found}")
        margin = f"{1 / self.share:.3g}" if self.share > 0 else "infinite"
        return f"attacked at {tried}: no counterexample, least margin {margin}"


@dataclass(frozen=True)
class Attacks:
    """The attacks on all statements, by address and form."""

    found: Mapping[tuple[str, str], Attacked]

    @classmethod
    def of(cls, published: Iterable[Published]) -> Attacks:
        """What experiments of attacks hold; cells without a place within the premise add nothing."""
        several: dict[tuple[str, str], list[Attacked]] = {}
        for run in published:
            if str(run.config["study"].get("_target_", "")).rpartition(".")[2] != STUDY:
                continue
            good = run.frame[(run.frame["status"] == "ok") & run.frame["quantity"].isin(SHARES)]
            for row in good.to_dict("records"):
                witness = json.loads(str(row["witness"]))
                attacked = Attacked(
                    int(row["corners"]), int(row["searched"]), float(row["value"]), float(row["bound"]), witness
                )
                several.setdefault((witness["statement"], witness["form"]), []).append(attacked)
        return cls({key: together(some) for key, some in several.items()})

    def on(self, paper: str, statement: Statement, form: str) -> Attacked | None:
        """The attacks on a statement; where it restates others and was not attacked itself, theirs together."""
        own = self.found.get((identity(paper, statement.item), form))
        if own is not None or not statement.restates:
            return own
        others = [
            self.found[identity(paper, item), each]
            for item in statement.restates
            for each in ("repaired", "printed")
            if (identity(paper, item), each) in self.found
        ]
        return together(others) if others and form == _holding(statement) else None


def _holding(statement: Statement) -> str:
    return "repaired" if statement.repaired is not None else "printed"


def together(some: Sequence[Attacked]) -> Attacked:
    """Several attacks as one: all that was tried, and the worst of it."""
    worst = max(some, key=lambda attacked: attacked.share)
    corners, searched = sum(attacked.corners for attacked in some), sum(attacked.searched for attacked in some)
    return Attacked(corners, searched, worst.share, worst.limit, worst.witness)
