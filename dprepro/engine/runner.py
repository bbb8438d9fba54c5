"""Measure the cells that the store does not hold yet, wherever the workers are, and store what comes back."""

from __future__ import annotations

import math
import re
import signal
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from dprepro.engine import manifest, pools
from dprepro.engine.blocks import MeasureMany
from dprepro.engine.cell import Cell, Result, keys_of
from dprepro.engine.cell_lines import Line, lines_of
from dprepro.engine.code import guard
from dprepro.engine.long_cells import CellLimit, Watch, time_limit, watched
from dprepro.engine.measuring import Measure, cpu_type, measure_block, measure_cell, one_thread
from dprepro.engine.progress import LINE_SECONDS, Indicator, Progress, indicator
from dprepro.engine.resources import gc_frozen, gc_paused
from dprepro.engine.shards import BLOCK_CELLS, blocks, first_key
from dprepro.engine.slurm import has_jobs
from dprepro.engine.store import Store
from dprepro.engine.workers import is_scheduler, is_setup, parallel
from dprepro.errors import Detached, DpreproError, Interrupted, OtherCode
from dprepro.support import shared_memory
from dprepro.support.interrupts import CTRL_C, defer_signals, handle_signals
from dprepro.support.supervisor import reason

Reuse = Literal["same", "any"]
Measures = tuple[Measure, MeasureMany | None]
"""How one cell is measured, and how several at once, if they can be."""

CHUNK_SECONDS = 0.4  # a worker hands in what it has after this long
CHUNK_CELLS = 20_000
# A forecast below this stays in one process: two workers save half of it, but take 4 to 6 s to import what measuring
# needs and to load its kernels, which this process has done.
SERIAL_SECONDS = 10.0
KNOWN_SECONDS = 5.0  # less measured forecasts nothing: first cells import, load and compile, and costs differ by 1e4
MOST_TOGETHER, TOGETHER_SECONDS = 512, 0.1  # cells of one call, and about how long it takes at most
DEATHS = 3  # a cell that was in this many broken chunks is run alone


@dataclass(frozen=True)
class Chunk:
    """Cells with all that measuring them needs, in whatever process.

    Attributes:
        made: the commit and versions that stand beside each.
        sources: the modules behind them with their digests.
        cell_seconds: the limit of each.
    """

    measures: Measures
    cells: Sequence[Cell]
    made: str
    sources: tuple[tuple[str, str], ...] = ()
    cell_seconds: float | None = None

    def __call__(self) -> list[Line]:
        """Measure until the time of a chunk is over; those left undone are missing from the end of the lines.

        Raises:
            OtherCode: this process has other sources.
        """
        return _work(self.measures, self.cells, self.made, self.sources, self.cell_seconds)

    def into(self, folder: str, processes: int) -> None:
        """Measure, in so many processes, all that the store of a folder lacks."""
        with Store.open(folder, create=True) as store:
            store.made = self.made
            done = store.done({cell.key: cell.code for cell in self.cells}).keys
            todo = [cell for cell in self.cells if cell.key not in done]
            pool, counts = pools.local(processes), (len(done), len(self.cells))
            loop = _Loop(self, todo, store, Counter(), indicator(len(todo), folder, False), lambda: pool, counts)
            try:
                loop.run(at_once=True)
            finally:
                pool.close(drop=True)  # a job ends with its work: no other experiment follows


@dataclass(frozen=True)
class RunCounts:
    """What :func:`execute` did, in distinct cells; `failed` and `skipped` are among the `measured`; wall `seconds`.

    Of the measured ones `other` were stored by other code and `damaged` not as they had been stored; `changed` are the
    modules that made the difference, where that is known. `digest` is that of all cells, each of which was stored here
    or held against its own, as `manifest.together` has it; None where cells of other code are among them.
    """

    total: int
    reused: int
    measured: int
    failed: int
    skipped: int
    seconds: float
    other: int = 0
    damaged: int = 0
    changed: tuple[str, ...] = ()
    digest: int | None = None


def execute(
    measure: Measure,
    cells: Iterable[Cell],
    store: Store,
    *,
    workers: int | str,
    many: MeasureMany | None = None,
    cell_seconds: float | None = None,
    progress: bool | Progress = True,
    label: str = "",
    reuse: Reuse = "same",
    sources: Mapping[str, str] | None = None,
    detach: bool = False,
) -> RunCounts:
    """Measure those of `cells` that `store` does not hold, each distinct key once, and store the results.

    `many` measures several cells of a grid point at once, to the same bits. A cell that takes longer than
    `cell_seconds` has failed. `progress` is whether to show it on stderr, or what to tell instead. `workers` is a
    number of local processes, the address of a Dask scheduler, or a file that sets jobs of a queue up; with `detach`
    nobody waits for such jobs, and the same call collects them. The results are the same bits for all of them.

    Cells that other code made, or that are not as they were stored, are measured again; with `reuse` "any" those of
    other code are kept. `sources` are the modules behind the cells with their digests: a process that has others
    measures nothing.

    Raises `InputError` for `workers` that cannot be, `OtherCode` where a process has other sources, `MissingDependency`
    without Dask or submitit, `Interrupted` on Ctrl-C, on a signal that the command takes for it, or when the scheduler
    is lost, `Detached` where jobs are left to their queue, `DpreproError` where jobs have ended without their cells
    time and again; what was measured by then is stored.
    """
    start = time.perf_counter()
    open_pool = parallel(workers, store.path.parent, label)
    with gc_paused():
        every = list(cells)
        distinct = dict(zip(keys_of(every), every, strict=True))
        held = store.done({key: cell.code for key, cell in distinct.items()}, any_code=reuse == "any")
        done = held.keys
        todo = [cell for key, cell in distinct.items() if key not in done]
    tally: Counter[str] = Counter()
    digest = held.digest
    if todo:
        from threadpoolctl import ThreadpoolController

        queue = is_setup(workers)
        if queue:
            at_once = has_jobs(store.path.parent, {cell.key: cell.code for cell in todo})
        else:
            at_once = is_scheduler(workers) or pools.STARTED.is_set()
        bar = indicator(len(todo), label, progress)
        # the chunks set one BLAS thread and leave it so; this gives the caller's threads back
        chunk = Chunk((measure, many), (), store.made, tuple((sources or {}).items()), cell_seconds)
        loop = _Loop(
            chunk, todo, store, tally, bar, open_pool, (len(done), len(distinct)),
            [cell for key, cell in distinct.items() if key in done] if queue else [], detach,
        )  # fmt: skip
        with ThreadpoolController().limit(limits=1), handle_signals(CTRL_C), gc_frozen():
            try:
                loop.run(at_once)
            except (KeyboardInterrupt, CancelledError) as error:
                number = getattr(error, "number", signal.SIGINT)
                why = reason(number)
                if isinstance(error, CancelledError):
                    why = f"{error}" if isinstance(error, pools.NoWorkers) else f"lost the scheduler at {workers}"
                if queue:
                    why += "; jobs go on"
                raise Interrupted(
                    f"{why}: {loop.kept} of {len(distinct)} cells are stored; the same command resumes", number
                ) from None
            except OtherCode as error:
                so_far = f"{loop.kept} of {len(distinct)} cells are stored"
                if isinstance(workers, str):
                    raise OtherCode(
                        f"a worker of {workers} has other sources or libraries than this process ({error}); {so_far}; "
                        "bring it up to date, or measure here with workers=1"
                    ) from None
                raise OtherCode(
                    f"edited during the run: {error}; {so_far}; the same command measures what the edit changes"
                ) from None
            finally:
                bar.close()
                shared_memory.progress(0, 0)
        digest ^= loop.digest
    return RunCounts(
        total=len(distinct),
        reused=len(done),
        measured=tally.total(),
        failed=tally["failed"],
        skipped=tally["skipped"],
        seconds=time.perf_counter() - start,
        other=sum(held.other.values()),
        damaged=len(held.damaged),
        changed=store.difference(held.other, {cell.code for cell in distinct.values()}),
        digest=None if reuse == "any" else digest,
    )


class _Loop:
    """Keeps a few chunks in flight, stores what returns, and moves from this process to workers when that pays."""

    def __init__(
        self,
        chunk: Chunk,
        cells: Sequence[Cell],
        store: Store,
        tally: Counter[str],
        bar: Indicator,
        open_pool: Callable[[], pools.ChunkPool] | None,
        counts: tuple[int, int],
        stored: Sequence[Cell] = (),
        detach: bool = False,
    ) -> None:
        self.chunk = chunk
        self.agenda = _Agenda(cells, shuffled=open_pool is not None)
        self.store = store
        self.tally = tally
        self.bar = bar
        self.open_pool = open_pool
        self.stored = stored
        self.detach = detach
        self.pool: pools.ChunkPool = pools.Serial()
        self.strikes: Counter[bytes] = Counter()
        self.lost = 0
        self.digest = 0  # of what was stored
        self.kept, self.total = counts  # of the run's cells, with those that were stored before
        shared_memory.progress(self.kept, self.total)

    def run(self, at_once: bool) -> None:
        """Until all is stored; `at_once` opens the pool without waiting for a forecast."""
        pending: dict[Future[list[Line]], list[Cell]] = {}
        finished = False
        try:
            while self.agenda.queue or pending:
                if self.open_pool and (at_once or self.agenda.forecast() > SERIAL_SECONDS):
                    self.pool, self.open_pool = self.open_pool(), None
                    pending |= self.pool.resume(tuple(self.agenda.queue), self.stored)
                    self.agenda.remove([cell for cells in pending.values() for cell in cells])
                chunks = self.agenda.take(self.pool, len(pending))
                pending |= dict(zip(self._submit(chunks), chunks, strict=True))
                if self.detach and self.pool.job_seconds:
                    raise Detached(f"{self.kept} of {self.total} cells are stored; {self.pool.standing}")
                ready = wait(pending, LINE_SECONDS, FIRST_COMPLETED).done
                self.pool.check()
                if not ready:
                    self.bar.move(0, self.pool.standing)  # a log without a line looks like one of a run that is dead
                if any(isinstance(future.exception(), self.pool.deaths) for future in ready):
                    ready = self._all_of(pending)  # local processes all fall with one
                self._collect({future: pending.pop(future) for future in ready})
            if self.lost:
                raise DpreproError(
                    f"{self.lost} cells are left: {self.pool.standing}; {self.kept} of {self.total} cells are stored; "
                    "the same command takes the rest up"
                )
            finished = True
        finally:
            self.pool.close(drop=not finished)

    def _all_of(self, pending: Collection[Future[list[Line]]]) -> set[Future[list[Line]]]:
        """Wait until all have ended; a log has its lines meanwhile."""
        while wait(pending, LINE_SECONDS).not_done:
            self.pool.check()
            self.bar.move(0, self.pool.standing)
        return {*pending}

    def _submit(self, chunks: Sequence[list[Cell]]) -> list[Future[list[Line]]]:
        return self.pool.submit_all([replace(self.chunk, cells=cells) for cells in chunks]) if chunks else []

    def _collect(self, ready: dict[Future[list[Line]], list[Cell]]) -> None:
        broken: list[Cell] = []
        for future, chunk in ready.items():
            if isinstance(future.exception(), self.pool.deaths):
                broken += chunk
            else:
                lines = self._lines(future)
                self._store(lines)
                if self.pool.job_seconds:
                    self._job_ended(lines, chunk)
                else:
                    self.agenda.learn(lines, chunk)
        if broken:
            self.pool.restart()
            self.strikes.update(cell.key for cell in broken)
            self.agenda.queue.extendleft(cell for cell in broken if self.strikes[cell.key] < DEATHS)
            for cell in broken:
                if self.strikes[cell.key] >= DEATHS:
                    self._alone(cell)

    def _job_ended(self, lines: list[Line], chunk: list[Cell]) -> None:
        """Take up again what a job has left undone, for so many times."""
        there = {line.key for line in lines}
        left = [cell for cell in chunk if cell.key not in there]
        self.strikes.update(cell.key for cell in left)
        again = [cell for cell in left if self.strikes[cell.key] < self.pool.tries]
        self.lost += len(left) - len(again)
        self.agenda.learn(lines, again, in_order=False)

    def _lines(self, future: Future[list[Line]]) -> list[Line]:
        """What a worker has handed in; what goes wrong with a cell is in the lines, all else is no cell's fault."""
        try:
            return future.result()
        except (DpreproError, CancelledError):
            raise
        except Exception as error:
            if not isinstance(self.pool, pools.Dask):
                raise
            said = str(error).strip().partition("\n")[0]
            raise OtherCode(f"{type(error).__name__}: {said}") from error

    def _alone(self, cell: Cell) -> None:
        """Run a suspect by itself, so that a death can only be its own.

        Once more after SIGKILL, which comes from outside: of a person, or of the system, whose memory others took.
        """
        cause, trace = "", ""
        for _ in range(2):
            try:
                (found,) = self._all_of(self._submit([[cell]]))
                self._store(found.result())
                return
            except self.pool.deaths as error:
                self.pool.restart()
                cause, trace = _cause(error), traceback.format_exc()
            if "SIGKILL" not in cause:
                break
        status = f"failed: the process died{cause}"
        result = Result(cell.key, status, 0.0, cell.axes, cell.replicate, (), trace, cell.code, cpu_type())
        self._store(lines_of([result], self.store.made))

    def _store(self, lines: list[Line]) -> None:
        defer_signals(self._commit, lines)
        self.tally.update(line.status.partition(":")[0] for line in lines)
        self.bar.move(len(lines))

    def _commit(self, lines: list[Line]) -> None:
        self.store.commit(lines)
        self.digest ^= manifest.together(line.digest for line in lines)
        self.kept += len(lines)
        shared_memory.progress(self.kept, self.total)


def _cause(error: BaseException) -> str:
    """What a worker died of, where its executor says it: ``{SIGSEGV(-11)}``, or ``{EXIT(3)}``."""
    found = re.search(r"\{[^}]*?(SIG[A-Z]+|EXIT)\((-?\d+)\)", str(error))
    return "" if found is None else f" ({found[1] if found[1] != 'EXIT' else f'exit code {found[2]}'})"


class _Agenda:
    """The cells still to hand out, with what the finished ones tell about the rest.

    Cost may differ by 1e4 between grid points. One cell of each grid point goes first, then blocks of the rest shuffled
    (keys are hashes: their order is a fixed shuffle), so that the mean so far forecasts what is left; the cells of a
    block share a grid point, and with it what a study caches for it. Once all points have been seen the dearest come
    first, so that at the end no worker waits long for another's last cell. Where this process measures all by itself
    nothing is forecast or shared, and the points follow one another: each is set up once.
    """

    @gc_paused()
    def __init__(self, cells: Sequence[Cell], shuffled: bool) -> None:
        points: dict[int, list[Cell]] = {}
        for cell in cells:
            points.setdefault(id(cell.axes), []).append(cell)  # replicates share that of their grid point
        ordered = _shuffled(points.values()) if shuffled else points.values()
        self.queue = deque(cell for block in ordered for cell in block)
        self._points = len(points) if shuffled and len(points) < len(self.queue) else 0
        self._costs: dict[int, float] = {}  # seconds of each point's first cell
        self._size = 1
        self._seconds = 0.0
        self._seen = 0

    def take(self, pool: pools.ChunkPool, pending: int) -> list[list[Cell]]:
        """The next chunks; at the end the queue is shared out evenly.

        A pool of jobs takes all cells at once, in as many jobs as the forecast says.
        """
        width, chunks = pool.width, list[list[Cell]]()
        if pool.job_seconds and self.queue:
            points: dict[int, list[Cell]] = {}
            for cell in self.queue:
                points.setdefault(id(cell.axes), []).append(cell)
            cost = self._cost() if self._seconds > 0 else 0.0
            together = min(BLOCK_CELLS, int(pool.job_seconds / cost)) if cost else BLOCK_CELLS
            found = blocks(points.values(), most=max(1, together))
            jobs = math.ceil(cost * len(self.queue) / pool.job_seconds) if cost else width
            of = max(1, min(jobs, width, len(found)))
            self.queue.clear()
            return [[cell for block in found[number::of] for cell in block] for number in range(of)]
        while self.queue and pending + len(chunks) < width:
            size = min(self._size, -(-len(self.queue) // width))
            chunks.append([self.queue.popleft() for _ in range(size)])
        return chunks

    def remove(self, cells: Sequence[Cell]) -> None:
        """Somebody measures them already."""
        if gone := {cell.key for cell in cells}:
            self.queue = deque(cell for cell in self.queue if cell.key not in gone)

    def learn(self, lines: Sequence[Line], chunk: Sequence[Cell], in_order: bool = True) -> None:
        """Put back what a chunk left undone; adapt the chunk size and the forecast.

        The lines are those of the first cells of the chunk, or, where they are not ``in_order``, of none of them.
        """
        seconds = sum(line.seconds for line in lines)
        if not in_order:
            self.queue.extend(chunk)
            self._seconds += seconds
            self._seen += len(lines)
            return
        self.queue.extendleft(reversed(chunk[len(lines) :]))
        if len(self._costs) < self._points:
            for cell, line in zip(chunk, lines, strict=False):
                self._costs.setdefault(id(cell.axes), line.seconds)
            if len(self._costs) == self._points:
                self.queue = deque(sorted(self.queue, key=lambda cell: self._costs[id(cell.axes)], reverse=True))
        if len(lines) < len(chunk):
            self._size = max(1, len(lines))
        elif seconds < CHUNK_SECONDS / 2:
            self._size = min(4 * max(self._size, 1), CHUNK_CELLS)
        self._seconds += seconds
        self._seen += len(lines)

    def forecast(self) -> float:
        """Seconds that the cells in the queue would take one after the other; 0 while nothing is known."""
        return self._cost() * len(self.queue) if self._seconds > KNOWN_SECONDS else 0.0

    def _cost(self) -> float:
        """Seconds of a cell so far."""
        return self._seconds / self._seen


def _shuffled(points: Collection[Sequence[Cell]]) -> list[Sequence[Cell]]:
    """One cell of each grid point, then the others in blocks."""
    return [*sorted([point[:1] for point in points], key=first_key), *blocks(points, start=1)]


def _work(
    measures: Measures,
    cells: Sequence[Cell],
    made: str,
    sources: tuple[tuple[str, str], ...] = (),
    cell_seconds: float | None = None,
) -> list[Line]:
    """Measure cells until the time of a chunk is over; those left undone are missing from the end of the lines.

    Raises `OtherCode` where this process has other sources.
    """
    checked = guard(sources)
    checked.check()
    one_thread()
    deadline = time.perf_counter() + CHUNK_SECONDS
    measure, many = measures
    if shared_memory.died or shared_memory.one_by_one:
        many = None
    with watched() as watch:
        lines = _measured(measure, many, cells, made, deadline, cell_seconds, watch)
    checked.check()  # measuring loads more, and the files may have been edited since
    return lines


def _measured(
    measure: Measure,
    many: MeasureMany | None,
    cells: Sequence[Cell],
    made: str,
    deadline: float,
    cell_seconds: float | None,
    watch: Watch,
) -> list[Line]:
    """The lines of cells until the deadline, replicates of a point together where that gives the same bits."""

    def alone(cell: Cell) -> Result:
        watch.began, watch.cell = time.monotonic(), cell
        try:
            with time_limit(cell_seconds):
                return measure_cell(measure, cell)
        except CellLimit as error:  # as it dealt with another failure
            status = f"failed: CellLimit: {error}"
            seconds = time.monotonic() - watch.began
            return Result(cell.key, status, seconds, cell.axes, cell.replicate, (), None, cell.code, cpu_type())

    def together(alike: Sequence[Cell]) -> list[Line]:
        watch.began, watch.cell = time.monotonic(), alike[0]
        with suppress(CellLimit), time_limit(cell_seconds):
            return measure_block(many, alike, made) if many else []
        return []

    lines: list[Line] = []
    results: list[Result] = []
    for alike in _alike(cells) if many else [cells]:
        at, refused, held = 0, False, False
        while at < len(alike) and (not (lines or results) or time.perf_counter() < deadline):
            if many and at and not refused and (size := _together(results[-1:], lines[-1:])) > 1:
                lines += lines_of(results, made)
                results.clear()
                # the first call measures the cell before it too: of that one the bits are known
                found = together(alike[at - (not held) : at + size])
                if found and not held:
                    first, *found = found
                    held = first.rows == lines[-1].rows
                refused = not (found and held)
                if not refused:
                    lines += found
                    at += len(found)
                continue
            modules = len(sys.modules)
            result = alone(alike[at])
            if len(sys.modules) != modules and one_thread():
                result = alone(alike[at])  # it loaded a BLAS that ran with threads: other last bits
            results.append(result)
            at += 1
        if at < len(alike):
            break
    return lines + lines_of(results, made)


def _alike(cells: Sequence[Cell]) -> Iterator[Sequence[Cell]]:
    """The cells in stretches of one series, grid point and specification."""
    start = 0
    for at, cell in enumerate(cells):
        first = cells[start]
        if not (
            cell.axes is first.axes and cell.science == first.science and cell.series == first.series
            and cell.code == first.code
        ):  # fmt: skip
            yield cells[start:at]
            start = at
    if cells:
        yield cells[start:]


def _together(results: Sequence[Result], lines: Sequence[Line]) -> int:
    """How many cells to measure at once, by what the last one took; 1 where that was not measured."""
    last: Result | Line | None = results[0] if results else lines[0] if lines else None
    if last is None or last.status != "ok":
        return 1
    return max(1, min(MOST_TOGETHER, int(TOGETHER_SECONDS / max(last.seconds, 1e-7))))
