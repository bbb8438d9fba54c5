"""``python -m dprepro referee``: tables of other libraries' functions and accountants, held against exact laws."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprepro.commands.parser import key, results_dir, whole, words
from dprepro.errors import unknown

ABOUT = """\
Renews the tables peers_audit (functions of diffprivlib, OpenDP and opacus, and
faults that were reported in public, each audited under a named relation),
accountants (dp-accounting, autodp, prv-accountant, opacus and this project's
own against exact laws) and supports (whether rounding alone tells neighbours
apart): all, or the named ones, as JSON and Markdown in results_dir, with a
figure of the accountants. A library that is not installed is skipped by name:
pip install 'dprepro[peers,accountants]'."""

NOTES = "exit codes: 0 whatever was found, 2 bad input"


@dataclass(frozen=True)
class Arguments:
    """The tables to make, and the number of draws."""

    names: tuple[str, ...] = words("[TABLE ...]")
    draws: int | None = key(None, "calls of each audited function, in place of the table's own", whole(2000), "20000")
    seconds: int = key("20", "of a processor, for one answer of an accountant", whole(1))
    results_dir: str = results_dir("where the tables are written")


def main(arguments: Arguments) -> int:
    """Measure, write, and say where; 0."""
    from dprepro.report.referee import TABLES, write

    for name in arguments.names:
        if name not in TABLES:
            raise unknown("table", name, list(TABLES))
    results = Path(arguments.results_dir)
    for name in arguments.names or TABLES:
        skipped: list[str] = []
        rows = _rows(name, arguments, skipped)
        for path in write(name, rows, skipped, results):
            print(path)
        if name == "accountants":
            from dprepro.figures.accountants import draw

            print(draw(rows, results / "accountants.png"))
    return 0


def _rows(name: str, arguments: Arguments, skipped: list[str]) -> list[dict[str, Any]]:
    def say(line: str) -> None:
        if ": skipped, " in line:
            skipped.append(line)
        print(line, file=sys.stderr, flush=True)

    if name == "peers_audit":
        from dprepro.auditing.peers.audited_functions import table as peers

        return [
            {
                "name": row.subject.name, "version": row.version, "relation": row.subject.relation,
                "domain": row.subject.domain, "delta": row.subject.delta, "report": row.subject.report,
                "verdict": row.words, "epsilon": _finite(row.epsilon), "noticed": _finite(row.noticed),
                "pair": row.pair, "warns": list(row.warns),
            }
            for row in peers(arguments.draws, say)
        ]  # fmt: skip
    if name == "supports":
        from dprepro.auditing.supports import table as supports

        return [
            {
                "name": row.name, "version": row.version, "verdict": row.verdict, "epsilon": row.epsilon,
                "pair": row.pair, "only": row.only,
            }
            for row in supports(progress=say)
        ]  # fmt: skip
    from dprepro.auditing.accountants.comparison import table as accountants
    from dprepro.auditing.accountants.subjects import by_name

    return [
        {
            "accountant": row.accountant, "version": row.version, "law": row.case.law.words, "delta": row.case.delta,
            "ordinary": row.case.ordinary, "low": row.exact.low, "high": row.exact.high,
            "epsilon": _finite(row.epsilon), "verdict": row.verdict, "ratio": _finite(row.ratio), "error": row.error,
            "seconds": _rounded(row.seconds), "warns": by_name(row.accountant).warns,
        }
        for row in accountants(progress=say, seconds=arguments.seconds)
    ]  # fmt: skip


def _rounded(seconds: float) -> float | None:
    return round(seconds, 1) if math.isfinite(seconds) else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
