"""The file of the register: entries that are appended one at a time, each sealed together with the one before."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from dprepro.engine.cell import canonical
from dprepro.errors import InputError, unknown
from dprepro.register.submission import read_json
from dprepro.support import typed
from dprepro.support.folders import conf_dir
from dprepro.support.regular_files import replace_file

FILE = "constants.json"
SCHEMA_VERSION = 1
LARGEST_REGISTER = 200_000_000

Kind = Literal["data", "schedule", "algorithm", "counterexample", "family"]
Verdict = Literal["accepted", "rejected"]


@dataclass(frozen=True, kw_only=True)
class RegisterEntry:
    """One challenge that was measured.

    Attributes:
        id: digest of all else; previous: that of the entry before.
        date: when, in UTC. who: the name that was given.
        statement: its address. kind: what was submitted; a ``family`` is data of a lower bound's proof.
        verdict, reason: what came of it.
        at: the sizes and the budget.
        witness: the submission without its name: `measure again` needs nothing else.
        source: the text of the file, where the algorithm stands in one.
        value, error: mean of what was measured over the rate, and its standard error.
        certified: the limit of it that fresh draws leave, one-sided: the lower one of data, the upper one of a
            schedule, an algorithm, or a family with one.
        level: the probability with which this limit is wrong, or a witness that is no better is accepted.
        draws: on each data set. seed: from where. seconds: what a search could take.
        proved: the explicit bound over the rate there; None where none is known. Of a lower bound what its proof leaves
            every private algorithm on these data, over the rate.
        against: entries whose data a schedule or an algorithm was run on. found: data that a search found against it.
        remark: what the submitter says besides; nothing rests on it.
        version: of the project.
    """

    id: str = ""
    previous: str = ""
    date: str
    who: str
    statement: str
    kind: Kind
    verdict: Verdict
    reason: str
    at: Mapping[str, float]
    witness: Mapping[str, Any]
    source: str = ""
    value: float
    error: float
    certified: float
    level: float
    draws: Sequence[int]
    seed: int
    seconds: float = 0.0
    proved: float | None = None
    against: Sequence[str] = ()
    found: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    remark: str = ""
    version: str = ""

    @property
    def accepted(self) -> bool:
        """Whether it was."""
        return self.verdict == "accepted"

    @property
    def content(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def sealed(self, previous: str) -> RegisterEntry:
        """This entry, placed after the one with the digest `previous`, with a digest of its own."""
        after = replace(self, id="", previous=previous)
        return replace(after, id=hashlib.sha256(canonical(after.content).encode()).hexdigest()[:16])

    @property
    def place(self) -> str:
        """Sizes and budget, as what two entries have in common that can be compared."""
        return canonical({"at": dict(self.at), "neighbours": self.witness.get("neighbours", "")})


@dataclass(frozen=True)
class ConstantsRegister:
    """All entries, in the order in which they came."""

    entries: Sequence[RegisterEntry] = ()

    def record(self, statement: str) -> RegisterEntry | None:
        """The data set with the largest constant known; each that was accepted beat the one before.

        Of a lower bound the family of its proof, which is entered once.
        """
        return self._last(statement, ("data", "family"))

    def best(self, statement: str, place: str) -> RegisterEntry | None:
        """The schedule or algorithm that loses least there."""
        return self._last(statement, ("schedule", "algorithm"), place)

    def known(self, statement: str, place: str) -> list[RegisterEntry]:
        """All data that are known there: those accepted."""
        kinds = ("data", "family")
        return [one for one in self._accepted(statement, kinds) if one.place == place]

    def found(self, statement: str, place: str) -> list[Mapping[str, Any]]:
        """Data that searches found against schedules there; rejected ones found some too."""
        some = [one for one in self.entries if one.statement == statement and one.place == place]
        return [data for one in some for data in one.found]

    def attempts(self, statement: str) -> int:
        """How many challenges of a statement were measured: chances that luck has had."""
        return sum(one.statement == statement and one.kind != "counterexample" for one in self.entries)

    def find(self, identifier: str) -> RegisterEntry:
        """The entry with this id; raises InputError."""
        known = {one.id: one for one in self.entries}
        if identifier not in known:
            raise unknown("entry", identifier, known)
        return known[identifier]

    def statements(self) -> list[str]:
        """Those with a record, in the order in which they came."""
        return list(dict.fromkeys(one.statement for one in self.entries if one.accepted))

    def _accepted(self, statement: str, kinds: Sequence[str]) -> Iterator[RegisterEntry]:
        return (one for one in self.entries if one.statement == statement and one.kind in kinds and one.accepted)

    def _last(self, statement: str, kinds: Sequence[str], place: str = "") -> RegisterEntry | None:
        some = [one for one in self._accepted(statement, kinds) if not place or one.place == place]
        return some[-1] if some else None

    def to_json(self) -> str:
        """The file's text: an entry on each line, so that versions can be compared."""
        lines = ",\n".join(canonical(one.content) for one in self.entries)
        history = f"[\n{lines}\n]" if lines else "[]"
        return f'{{"schema_version":{SCHEMA_VERSION},"history":{history}}}\n'


def shipped() -> Path:
    """The register that came with the project."""
    return conf_dir().parent / FILE


def read_register(path: Path) -> ConstantsRegister:
    """The register in a file; where there is none yet, the one that came with the project.

    Raises:
        InputError: a damaged file, or one in which an entry was changed or taken out.
    """
    if not path.exists():
        beside = shipped()
        return read_register(beside) if beside.exists() and beside.resolve() != path.resolve() else ConstantsRegister()
    content = read_json(path, LARGEST_REGISTER)
    if not isinstance(content, dict) or content.get("schema_version") != SCHEMA_VERSION:
        raise InputError(f"{path} is no register of constants of schema_version {SCHEMA_VERSION}")
    if not isinstance(content.get("history"), list):
        raise InputError(f"{path}: history must be a list")
    entries, previous = [], ""
    for number, line in enumerate(content["history"], 1):
        entry = typed.build(RegisterEntry, line, f"{path}: entry {number}")
        if entry.previous != previous or entry.sealed(previous).id != entry.id:
            raise InputError(
                f"{path}: entry {number} was changed, or one before it taken out; the history is only appended to: "
                "restore the file"
            )
        entries.append(entry)
        previous = entry.id
    return ConstantsRegister(entries)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold back every other process that writes this register: of two that append at once, one entry would be lost.

    Without effect on Windows.

    Raises:
        InputError: the folder cannot be opened or locked.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    try:
        handle = os.open(path.parent, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}; choose another register") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:
            raise InputError(f"cannot lock {path.parent}: {error.strerror}; choose another register") from error
        yield
    finally:
        os.close(handle)  # which lets go of the lock


def append(path: Path, register: ConstantsRegister, entry: RegisterEntry) -> RegisterEntry:
    """Write the register with a further entry, whole or not at all; called by who holds the lock.

    Raises:
        InputError: the file cannot be written.
    """
    last = register.entries[-1].id if register.entries else ""
    # as it will be read: numbers that JSON writes otherwise have the digest of what is written
    entry = typed.build(RegisterEntry, json.loads(canonical(entry.content)), "entry").sealed(last)
    try:
        replace_file(path, ConstantsRegister([*register.entries, entry]).to_json().encode())
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another register") from error
    return entry
