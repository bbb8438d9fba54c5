"""The register as a table in a terminal, and as parts of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dprepro.axes import AXES
from dprepro.register.constants_register import ConstantsRegister, RegisterEntry


def rows(register: ConstantsRegister) -> Iterator[tuple[str, RegisterEntry | None, RegisterEntry | None]]:
    """Each statement with its record of data and the best schedule or algorithm at that record's place, if any."""
    for address in register.statements():
        record = register.record(address)
        best = register.best(address, record.place) if record else None
        yield address, record, best


def sizes(entry: RegisterEntry) -> str:
    """The sizes and the budget, in words."""
    order = [*(axis for axis in AXES if axis in entry.at), *sorted(entry.at.keys() - set(AXES))]
    shown = [axis for axis in order if not (axis == "norm" and entry.at[axis] == 1)]
    return ", ".join(f"{axis}={entry.at[axis]:g}" for axis in shown)


def table(register: ConstantsRegister) -> list[str]:
    """Lines for a terminal."""
    lines = ["least constant known (certified), largest proved there, best schedule or algorithm on the same data"]
    for address, record, best in rows(register):
        if record is None:
            continue
        proved = "none" if record.proved is None else f"{record.proved:.4g}"
        if record.kind == "family":
            least = best or record
            lines.append(f"{address}, from below: {least.certified:.4g} at most, proved {proved}; {sizes(record)}")
            lines.append(f"  {least.who}, {least.date}, entry {least.id}; data of entry {record.id}")
            continue
        other = "" if best is None else f"; {best.kind} of {best.who}: {best.certified:.4g} or less"
        lines.append(f"{address}: at least {record.certified:.4g}, proved {proved}{other}; {sizes(record)}")
        lines.append(f"  {record.who}, {record.date}, entry {record.id}")
    counter = [one for one in register.entries if one.kind == "counterexample" and one.accepted]
    lines += [f"{one.statement}: {one.reason}; {one.who}, {one.date}, entry {one.id}" for one in counter]
    return lines if len(lines) > 1 else ["the register is empty; challenge WITNESS.json enters what you have"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _name(text: str) -> str:
    """A stranger's words, as nothing but words on a page."""
    return "".join(f"&#{ord(one)};" if one in "<>&*_`[]()#!|\\~^$" else one for one in text)


def constants_table(register: ConstantsRegister) -> str:
    """In Markdown: a row for each upper bound."""
    lines = [
        _row(["statement", "least known", "largest proved", "best schedule", "at", "witness", "who, when"]),
        _row(["---"] * 7),
    ]
    for address, record, best in rows(register):
        if record is None or record.kind == "family":
            continue
        proved = "none" if record.proved is None else f"{record.proved:.4g}"
        better = "none" if best is None else f"{best.certified:.4g}, {_name(best.who)}"
        who = f"{_name(record.who)}, {record.date}"
        lines.append(
            _row([f"[{address}](ledger.html#{address})", f"{record.certified:.4g}", proved, better, sizes(record),
                  f"`{record.id}`", who])
        )  # fmt: skip
    return "\n".join(lines)


def lower_table(register: ConstantsRegister) -> str:
    """In Markdown: a row for each lower bound."""
    lines = [
        _row(["statement", "largest proved", "nearest from above", "algorithm", "at", "witness", "who, when"]),
        _row(["---"] * 7),
    ]
    for address, record, best in rows(register):
        if record is None or record.kind != "family":
            continue
        least = best or record
        lines.append(
            _row([f"[{address}](ledger.html#{address})", f"{record.proved or 0:.4g}", f"{least.certified:.4g}",
                  _algorithm(least), sizes(record), f"`{least.id}`", f"{_name(least.who)}, {least.date}"])
        )  # fmt: skip
    return "\n".join(lines)


def _algorithm(entry: RegisterEntry) -> str:
    """What was run, by its name or class."""
    given = entry.witness.get("algorithm", "")
    named = given if isinstance(given, str) else given.get("name") or given.get("_target_", "")
    return _name(str(named).rpartition(".")[2] or str(named))


def history(register: ConstantsRegister) -> str:
    """In Markdown: every challenge, the last one first."""
    lines = [_row(["entry", "when", "who", "statement", "kind", "what came of it", "remark"]), _row(["---"] * 7)]
    for one in reversed(register.entries):
        verdict = "accepted" if one.accepted else "not accepted"
        lines.append(
            _row([f"`{one.id}`", one.date, _name(one.who), one.statement, one.kind,
                  f"{verdict}: {_name(one.reason)}", _name(one.remark)])
        )  # fmt: skip
    return "\n".join(lines)
