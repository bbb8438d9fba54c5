"""What a command line asks to be run, one experiment after the other, and what is said of each."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from dprepro.commands.ending import say, tell_traceback
from dprepro.config.checked_experiment import Experiment, build_experiment
from dprepro.config.compose import compose
from dprepro.errors import DpreproError, InputError, Interrupted, MissingDependency
from dprepro.session import StoredRun, measure_experiment
from dprepro.support import shared_memory

if TYPE_CHECKING:
    from concurrent.futures import Future

    from dprepro.engine.progress import Progress
    from dprepro.report.outcome import Outcome
    from dprepro.report.text import Ending

Job = list[str]


@dataclass(frozen=True)
class Report:
    """What is said of a run; small enough to come back from another process."""

    text: str
    failed: int
    verdict: str
    as_expected: bool | None
    folder: str

    @classmethod
    def of(cls, outcome: Outcome, verbose: bool) -> Report:
        """Of what a run gave; ``verbose``: with all that is known of each check."""
        again = f" (of them {outcome.again})" if outcome.again else ""
        cells = f"cells: {outcome.measured} measured now{again}, {outcome.reused} from the store"
        said, verdict = outcome.published.verbose() if verbose else str(outcome), outcome.verdict
        text = f"{said}\n{cells}; files: {outcome.folder}"
        return cls(text, outcome.failed, verdict["verdict"], verdict["as_expected"], str(outcome.folder))

    @classmethod
    def of_shard(cls, stored: StoredRun) -> Report:
        """Of a run that measured a shard."""
        assert stored.shard is not None
        done, folder = stored.done, stored.shard.folder(stored.results_dir)
        again = f" (of them {stored.again})" if stored.again else ""
        merging = shlex.join(["python", "-m", "dprepro", "merge", f"results_dir={stored.results_dir}"])
        text = (
            f"shard {stored.shard} of {stored.experiment}: {done.total} of {stored.provenance['cells']} cells\n"
            f"cells: {done.measured} measured now{again}, {done.reused} from the store; files: {folder}\n"
            f"once all shards are measured: {merging} {shlex.quote(str(folder.parent))}/*"
        )
        return cls(text, done.failed, "sharded", None, str(folder))

    @classmethod
    def of_detached(cls, stored: StoredRun) -> Report:
        """Of a run whose jobs are left to their queue."""
        given = shlex.join([f"workers={stored.workers}", f"results_dir={stored.results_dir}"])
        text = (
            f"{stored.experiment}: {stored.detached}\n"
            f"once they have ended, or to wait for them: python -m dprepro collect {given}"
        )
        return cls(text, 0, "detached", None, stored.results_dir)

    def tell(self) -> int:
        """Print it; the exit code."""
        print(self.text, flush=True)
        if self.failed:
            print(f"{_cells(self.failed)} failed; type the same command to try again", file=sys.stderr)
        return 1 if self.failed else 0


def run_one(job: Job, config_dir: str | None, verbose: bool = False, detach: bool = False) -> int:
    """Run one experiment; the exit code. ``verbose`` tells all that is known of each check."""
    return run_built(_built(job, config_dir), (), verbose, detach)


def run_built(experiment: Experiment, said: Sequence[str] = (), verbose: bool = False, detach: bool = False) -> int:
    """Run one experiment that is built; the exit code. ``said`` is printed first; ``detach`` leaves jobs alone."""
    for line in (*said, *experiment.reach) if not shared_memory.died else ():  # a command that begins again has said it
        print(line, flush=True)
    stored = measure_experiment(experiment, detach=detach)
    del experiment  # a million cells are half a gigabyte, and what follows takes as much again
    return _report(stored, verbose).tell()


def run_all(jobs: list[Job], config_dir: str | None, verbose: bool = False, detach: bool = False) -> int:
    """Run every job; one that fails does not stop the rest.

    While one is measured, the one before is judged and drawn, and the one after is composed.

    The exit code: 0 if all were measured or skipped, 2 if all were refused, and 1 if only some went wrong.
    """
    from concurrent.futures import ThreadPoolExecutor

    from dprepro.report.batch_progress import Overall
    from dprepro.report.text import Ending, short

    overall, names = Overall(len(jobs)), short(jobs)
    ends = [Ending(**json.loads(line)) for line in shared_memory.noted()]  # told by a process that has died since
    if len(ends) == len(jobs):
        return _exit_code(ends)
    folders: dict[str, Sequence[str]] = {}
    ahead: list[_Judged] = []  # at most one, so that runs are published in their order

    def tell_ahead(wait: bool = True) -> None:
        if ahead and (wait or ahead[0].ready()):
            overall.clear()
            ends.append(ahead.pop().end())
            shared_memory.note(json.dumps(asdict(ends[-1])))

    def progress(done: int, total: int) -> None:
        tell_ahead(wait=False)
        overall.cells(done, total)

    beside = ThreadPoolExecutor(1)
    begun = len(ends)
    following = beside.submit(_built, jobs[begun], config_dir)
    try:
        for number, job in enumerate(jobs[begun:], begun + 1):
            overall.start(number, names[number - 1])
            judged = _Judged(f"[{number}/{len(jobs)}] {shlex.join(job)}", job, verbose, detach)
            built = following
            if number < len(jobs):
                following = beside.submit(_built, jobs[number], config_dir)
            judged.start(built, progress, folders)
            tell_ahead()
            ahead.append(judged)
            judged.submit()
        tell_ahead()
    finally:
        beside.shutdown(wait=False, cancel_futures=True)
        tell_ahead(wait=False)
        overall.clear()
    return _exit_code(ends)


def _cells(count: int) -> str:
    """``1 cell``, ``2 cells``."""
    return f"{count} cell{'s' if count > 1 else ''}"


def _exit_code(ends: list[Ending]) -> int:
    """Say how all runs ended; the exit code."""
    from dprepro.report.text import endings

    print(endings(ends))
    for end in ends:
        if end.code:
            print(f"not complete (exit code {end.code}): {shlex.join(end.job)}", file=sys.stderr)
    codes = {end.code for end in ends}
    return codes.pop() if len(codes) == 1 else 1


class _Judged:
    """A job that is measured here and judged by one of the local workers, where there are some."""

    def __init__(self, title: str, job: Job, verbose: bool, detach: bool) -> None:
        self._title = title
        self._verbose = verbose
        self._detach = detach
        self._job = job
        self._words: tuple[str, ...] = ()
        self._stored: StoredRun | None = None
        self._future: Future[Report] | None = None
        self._error: Exception | None = None

    def start(self, built: Future[Experiment], progress: Progress, folders: dict[str, Sequence[str]]) -> None:
        """Measure; what goes wrong is said at the end. ``folders`` are those of labels, with whose overrides."""
        try:
            experiment = built.result()
            label = f"{experiment.name}/{experiment.settings.label}"
            if experiment.settings.label and folders.setdefault(label, experiment.overrides) != experiment.overrides:
                raise InputError(f"label={experiment.settings.label} is the folder of a run before; take another label")
            self._words = experiment.reach
            self._stored = measure_experiment(experiment, progress, self._detach)
        except Interrupted:
            raise
        except Exception as error:
            self._error = error

    def submit(self) -> None:
        """Have it judged elsewhere, if there is an elsewhere; where no worker can start, it is judged here."""
        from dprepro.engine.pools import Processes

        if not self._stored or not isinstance(self._stored.workers, int) or self._stored.workers < 2:
            return
        with suppress(OSError, ImportError):  # no semaphores or shared memory, as in some containers
            self._future = Processes(self._stored.workers).submit(partial(_report, self._stored, self._verbose))

    def ready(self) -> bool:
        """Whether the end can be told without waiting."""
        future = self._future
        return future is not None and future.done() and not future.cancelled() and future.exception() is None

    def end(self) -> Ending:
        """Say how it ended, whatever happened but an interrupt."""
        from dprepro.report.text import Ending

        print("\n".join([self._title, *self._words]), flush=True)
        try:
            report = self._result()
            code, note = report.tell(), f"{_cells(report.failed)} failed" if report.failed else ""
            return Ending(self._job, code, report.verdict, report.as_expected, note, report.folder)
        except (Interrupted, BrokenPipeError, UnicodeEncodeError):  # the last two: of the output
            raise
        except DpreproError as error:
            verdict = "skipped" if isinstance(error, MissingDependency) else "failed"
            return Ending(self._job, say(error), verdict, note=str(error))
        except Exception as error:
            # A fault of ours or of a plug-in: worth its traceback, but not the other experiments.
            tell_traceback(type(error), error, error.__traceback__)
            return Ending(self._job, 1, "failed", note=f"{type(error).__name__}: {error}")

    def _result(self) -> Report:
        from concurrent.futures import BrokenExecutor

        if self._error is not None:
            raise self._error
        assert self._stored is not None
        if self._future is not None:
            try:
                return self._future.result()
            except BrokenExecutor:  # a cell of the next run took the worker with it
                pass
        return _report(self._stored, self._verbose)


def _report(stored: StoredRun, verbose: bool) -> Report:
    if stored.detached:
        return Report.of_detached(stored)
    return Report.of_shard(stored) if stored.shard else Report.of(stored.publish(), verbose)


def _built(job: Job, config_dir: str | None) -> Experiment:
    return build_experiment(compose(job, config_dir))
