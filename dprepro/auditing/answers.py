"""Answers of an audited function, drawn block by block: each block has a stream of its own, by the audit's seed.

So the same answers come from any number of workers, and those that are kept in a file need not be drawn again.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import pickle
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Protocol

import numpy as np

from dprepro.auditing.data import Data
from dprepro.auditing.neighbours import NeighbourPair
from dprepro.auditing.subject import Subject, quiet
from dprepro.errors import InputError
from dprepro.privacy.outcomes import Answer, Answers, Refused
from dprepro.support.global_generators import seeded

BLOCK = 250
"""Answers on each of two data sets that are drawn together."""

SAID = 2.0
"""Seconds between two lines of progress."""

Both = tuple[Answers, Answers]
"""Answers on the first and on the second of two data sets."""


class Pool(Protocol):
    """Processes that carry out tasks."""

    def submit(self, task: Callable[[], bytes]) -> Any:
        """The future of a task."""

    def close(self, drop: bool) -> None:
        """End; at once where what is under way is dropped."""


def stream(seed: int, label: str) -> np.random.Generator:
    """The generator of what bears this label in the audit of this seed."""
    digest = hashlib.blake2b(label.encode(), digest_size=16).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest, dtype=np.uint32).tolist()])


def _nothing() -> None:
    """What is done after a call of which nobody wants to know."""


def answers_on(
    subject: Subject, data: Data, draws: int, rng: np.random.Generator, after: Callable[[], None] = _nothing
) -> list[Answer]:
    """So many answers on one data set; ``after`` is called after each."""
    found = []
    with seeded(rng), quiet():
        for _ in range(draws):
            found.append(subject.answer(data, rng))
            after()
    return found


def block(
    subject: Subject, pair: NeighbourPair, draws: int, seed: int, label: str, after: Callable[[], None] = _nothing
) -> bytes:
    """So many answers on each of two data sets, as `packed` writes them; ``after`` is called after each.

    In an order of chance where time is part of an answer: a machine is slower at one time than at another.
    """
    rng = stream(seed, label)
    if not subject.timed:
        both = [answers_on(subject, data, draws, rng, after) for data in (pair.first, pair.second)]
        return packed([*both[0], *both[1]])
    order = rng.permutation(2 * draws)
    found: list[Answer] = [np.empty(0)] * (2 * draws)
    with seeded(rng), quiet():
        for place in order:
            found[place] = subject.answer(pair.first if place < draws else pair.second, rng)
            after()
    return packed(found)


@dataclass
class Draws:
    """Draws answers, keeps them, and says how far it is.

    Attributes:
        subject, seed: of the audit.
        kept: where answers are kept, None for nowhere.
        pool: processes that draw, None for this one.
        say: called with a line of progress.
        total: calls that are planned.
        spent: calls that were asked for, of which some may have been kept before.
    """

    subject: Subject
    seed: int
    kept: Kept | None = None
    pool: Pool | None = None
    say: Callable[[str], None] = lambda _: None
    total: int = 0
    spent: int = 0
    _began: float = field(default_factory=time.monotonic)
    _said: float = 0.0
    _fresh: int = 0
    _under_way: int = 0

    def both(self, pair: NeighbourPair, draws: int, stage: str) -> Both:
        """So many answers on each, those of one ``stage``."""
        sizes = [min(BLOCK, draws - start) for start in range(0, draws, BLOCK)]
        labels = [f"{stage}|{pair.name}|{place}|{size}" for place, size in enumerate(sizes)]
        found = [
            unpacked(written, size) for written, size in zip(self._blocks(pair, labels, sizes), sizes, strict=True)
        ]
        return joined([some[0] for some in found]), joined([some[1] for some in found])

    def _blocks(self, pair: NeighbourPair, labels: list[str], sizes: list[int]) -> Iterator[bytes]:
        known = [self.kept.get(label) if self.kept else None for label in labels]
        tasks = [
            partial(block, self.subject, pair, size, self.seed, label)
            for label, size in zip(labels, sizes, strict=True)
        ]
        waiting = [
            self.pool.submit(task) if self.pool is not None and before is None else None
            for task, before in zip(tasks, known, strict=True)
        ]
        for label, size, task, future, before in zip(labels, sizes, tasks, waiting, known, strict=True):
            written = (
                before if before is not None else future.result() if future is not None else task(after=self._call)
            )
            self._under_way = 0
            if before is None:
                self._fresh += 2 * size
                if self.kept:
                    self.kept.put(label, written)
            self.spent += 2 * size
            self._report()
            yield written

    def _call(self) -> None:
        """Note a call of this process: a block of a slow function takes minutes."""
        self._under_way += 1
        self._report()

    def _report(self) -> None:
        now, fresh, spent = time.monotonic(), self._fresh + self._under_way, self.spent + self._under_way
        if now - self._said < SAID or not fresh:
            return
        self._said = now
        left = (now - self._began) / fresh * max(self.total - spent, 0)
        self.say(f"{spent} of {self.total} calls at most, about {left:.0f} s left")


@dataclass(frozen=True)
class Kept:
    """A file that keeps answers of audits, so that one which was killed goes on where it was.

    Attributes:
        path: of the SQLite file. audit: the digest of all that answers depend on.
    """

    path: Path
    audit: str

    @classmethod
    def at(cls, path: str | Path, subject: Subject, *rest: object) -> Kept:
        """The file, made where there is none, for this function and whatever else answers depend on.

        Raises:
            InputError: no such file can be made, or it is none of ours; the function's code, or what it holds beside
                it (as closures, parts and callable objects do), cannot be read.
        """
        given = _held(sorted(subject.parameters.items()))
        settings = (subject.epsilon, subject.delta, given, subject.timed, subject.bits, np.__version__)
        try:
            said = repr((_code_of(subject.function), settings, rest))
        except RecursionError:
            raise InputError("keep cannot tell what the function holds: it holds itself") from None
        digest = hashlib.blake2b(said.encode(), digest_size=16).hexdigest()
        try:
            with closing(sqlite3.connect(path)) as base, base:
                base.execute("PRAGMA journal_mode=WAL")
                base.execute(
                    "CREATE TABLE IF NOT EXISTS answers"
                    " (audit TEXT, label TEXT, answers BLOB, digest BLOB, PRIMARY KEY (audit, label))"
                )
                base.execute("SELECT audit, label, answers, digest FROM answers LIMIT 1")
        except sqlite3.Error as error:
            raise InputError(f"keep={path} cannot hold answers: {error}") from error
        return cls(Path(path), digest)

    def get(self, label: str) -> bytes | None:
        """What is kept under this label; None where nothing is, or it is damaged."""
        with suppress(sqlite3.Error), closing(sqlite3.connect(self.path)) as base:
            row = base.execute(
                "SELECT answers, digest FROM answers WHERE audit = ? AND label = ?", (self.audit, label)
            ).fetchone()
            if row and _digest(row[0]) == row[1]:
                return bytes(row[0])
        return None

    def put(self, label: str, answers: bytes) -> None:
        """Keep it."""
        with closing(sqlite3.connect(self.path, timeout=60)) as base, base:
            row = (self.audit, label, answers, _digest(answers))
            base.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row)


def _code_of(function: Any) -> tuple[object, ...]:
    """The code of a function and whatever it holds beside it: defaults, the variables of its closure, its object's."""
    if isinstance(function, partial):
        return "part", _code_of(function.func), _held(function.args), _held(function.keywords)
    if inspect.ismethod(function):
        return "method", _code_of(function.__func__), _held(function.__self__)
    if not inspect.isroutine(function) and not inspect.isclass(function):
        return "object", _code_of(type(function).__call__), _held(function)
    try:
        module = inspect.getmodule(function)
        source = inspect.getsource(function if module is None or module.__name__ == "__main__" else module)
    except (OSError, TypeError):
        raise InputError("keep needs the function's code, which cannot be read: put it into a file") from None
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    beside = cells, getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)
    return source, function.__qualname__, _written(getattr(function, "__code__", None)), _held(beside)


def _written(code: object) -> object:
    """Compiled code without the places in memory that its own words have."""
    if not isinstance(code, CodeType):
        return repr(code)
    return code.co_code, code.co_names, tuple(_written(constant) for constant in code.co_consts)


def _held(values: object) -> bytes:
    """What a function holds, as bytes; other functions in it by their code."""
    try:
        return pickle.dumps(values)
    except Exception:
        if isinstance(values, (list, tuple)):
            return repr([_held(value) for value in values]).encode()
        if isinstance(values, ModuleType):
            return values.__name__.encode()
        if inspect.isroutine(values) or isinstance(values, partial):
            return repr(_code_of(values)).encode()
        raise InputError(
            f"keep cannot tell what the function holds, {type(values).__name__}: give it as an argument"
        ) from None


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).digest()


def packed(answers: list[Answer]) -> bytes:
    """Answers as a line of JSON, sizes and errors, and after it all numbers as they are."""
    sizes = [answer.size if isinstance(answer, np.ndarray) else -1 for answer in answers]
    refused = [(type(answer.error).__name__, str(answer.error)) for answer in answers if isinstance(answer, Refused)]
    head = json.dumps([sizes if len(set(sizes)) > 1 else [sizes[0], len(sizes)], len(set(sizes)) > 1, refused])
    numbers = [np.asarray(answer, dtype=np.float64).tobytes() for answer in answers if isinstance(answer, np.ndarray)]
    return head.encode() + b"\n" + b"".join(numbers)


def unpacked(written: bytes, draws: int) -> Both:
    """The first ``draws`` of what `packed` wrote, and the others; errors are of another class of the same name."""
    head, _, content = written.partition(b"\n")
    sizes, unlike, refused = json.loads(head)
    numbers = np.frombuffer(content, dtype=np.float64)
    if not unlike and sizes[0] >= 0:
        rows = numbers.reshape(sizes[1], sizes[0])
        return rows[:draws], rows[draws:]
    found: list[Answer] = []
    errors, start = iter(refused), 0
    for size in sizes if unlike else [sizes[0]] * sizes[1]:
        if size < 0:
            name, said = next(errors)
            found.append(Refused(type(name, (Exception,), {})(said)))
        else:
            found.append(numbers[start : start + size].copy())
            start += size
    return found[:draws], found[draws:]


def joined(parts: list[Answers]) -> Answers:
    """One after another; an array where all are of one length."""
    plain = [part for part in parts if isinstance(part, np.ndarray)]
    if len(plain) == len(parts) and len({part.shape[1] for part in plain}) == 1:
        return np.concatenate(plain)
    return [answer for part in parts for answer in part]
