"""Jobs of a queue such as Slurm's, handed in by submitit: an array whose jobs each measure a block of cells.

A job is a shard: it measures into a store of its own, which a kill leaves sound, so that it is taken up where it was,
by the queue itself after a preemption or a time-out, and by the waiting process after any other end. Nobody needs to
wait: what stands in the folder of jobs is all that is needed to collect them later, and nothing there is run by
whoever collects; only jobs load the tasks that were written for them.
"""

from __future__ import annotations

import json
import os
import pickle
import platform
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from dprepro.engine.cell import Cell
from dprepro.engine.cell_lines import Line, digest
from dprepro.engine.pools import ChunkPool, Workload
from dprepro.engine.store import FILE_NAME, Store
from dprepro.errors import DpreproError, InputError, OtherCode, printable, shortened, unknown
from dprepro.support import yaml_files
from dprepro.support.user_files import portable

DPREPRO_READS = ()  # where cells are measured stands in none of them

FOLDER = "jobs"
"""The folder, in the one of results, of arrays of jobs."""
CLUSTERS = ("slurm", "local")
MOST_JOBS, JOBS = 100_000, 500
"""Slurm's own limit of an array is 1001 jobs, where nobody has changed it."""
ONE_PROCESS = ("nodes", "tasks_per_node", "gpus_per_node")
"""Keys of submitit that a job has no use for: it is one task, on one node."""
SPARE_MINUTES = 3
"""A job may take so many times as long as it should, before the queue ends it, where ``timeout_min`` says nothing."""
LOOK_SECONDS, LOOK_GROWTH, LONGEST_LOOK = 0.2, 1.2, 10.0
"""How often the queue is asked: at first, by how much more seldom each time, and at the most seldom."""
GONE_LOOKS = 2
"""A job is over that the queue does not know so many times; what it wrote may take a while to be seen here."""
ASKING_SECONDS = 60
_LEFT: list[Any] = []
"""Processes that may run on: Python complains of those that it forgets."""
_LOCK, _LIMIT = "lock", "limit.json"
_MARK = 16
_BATCH = 10_000


@dataclass(frozen=True)
class Setup:
    """What a file such as ``slurm.yaml`` says.

    Attributes:
        path: the file.
        cluster: ``slurm``, or ``local`` for processes of this machine, to try it.
        jobs: the most jobs of an array.
        job_minutes: about how long a job should take.
        resubmit: how often cells are handed in again that jobs have left undone.
        parameters: submitit's own keys.
    """

    path: str
    cluster: str = "slurm"
    jobs: int = JOBS
    job_minutes: float = 10.0
    resubmit: int = 3
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Self:
        """From a file.

        Raises:
            InputError: it cannot be read, or has a key or a value that cannot be; or submitit is not installed.
        """
        given = yaml_files.load(os.path.expanduser(path))
        said = f"workers={path}"
        if not isinstance(given, Mapping):
            raise InputError(f"{said} must be a block of keys, such as slurm_partition: short")
        try:
            from submitit import AutoExecutor, SlurmExecutor
        except ImportError:
            raise InputError(f"{said} needs submitit: pip install 'dprepro[slurm]'") from None
        kinds = {key: kind for key, kind in AutoExecutor._typed_parameters().items() if key not in ONE_PROCESS}
        own = {"cluster": str, "jobs": int, "job_minutes": float, "resubmit": int}
        of_slurm = {f"slurm_{key}" for key in SlurmExecutor._valid_parameters()}
        for key, value in given.items():
            if key in ONE_PROCESS:
                raise InputError(f"{said}: {key} cannot be set, as each job is one task on one node")
            if key not in {*own, *kinds, *of_slurm}:
                raise InputError(f"{said}: {unknown('key', key, {*own, *kinds, *of_slurm})}")
            kind = {**kinds, **own}.get(str(key))
            if kind and not _is(kind, value):
                word = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}[kind]
                raise InputError(f"{said}: {key} is {shortened(value)}; it must be {word}")
        parameters = {str(key): value for key, value in given.items() if key not in own}
        found = cls(path, parameters=parameters, **{key: given[key] for key in own if key in given})
        if found.cluster not in CLUSTERS:
            raise InputError(f"{said}: {unknown('cluster', found.cluster, CLUSTERS)}")
        for key, value, least, most in (
            ("jobs", found.jobs, 1, MOST_JOBS), ("resubmit", found.resubmit, 0, 1000),
            ("job_minutes", found.job_minutes, 0.001, 1_000_000), ("timeout_min", found.timeout_min, 1, 1_000_000),
            ("cpus_per_task", found.processes, 1, 1024),
        ):  # fmt: skip
            if not least <= value <= most:
                raise InputError(f"{said}: {key} must be from {least} to {most}, got {key}={value}")
        if found.cluster == "slurm" and not SlurmExecutor.affinity() > 0:
            raise InputError(f"{said}: this machine has no Slurm (srun is not found); cluster: local tries it without")
        return found

    @property
    def timeout_min(self) -> int:
        """The limit of a job, in minutes."""
        return int(self.parameters.get("timeout_min", SPARE_MINUTES * max(1.0, self.job_minutes)))

    @property
    def processes(self) -> int:
        """How many a job has."""
        return int(self.parameters.get("cpus_per_task", 1))

    def executor(self, folder: Path, label: str) -> Any:
        """Submitit's, which keeps its logs in a folder.

        Raises:
            InputError: submitit takes no such value.
        """
        from submitit import AutoExecutor

        limits = {f"{self.cluster}_max_num_timeout": self.resubmit}
        made: Any = AutoExecutor(folder, cluster=self.cluster, **limits)
        try:
            made.update_parameters(**{"name": label or "dprepro", **self.parameters, "timeout_min": self.timeout_min})
        except (ValueError, NameError, TypeError, AssertionError) as error:
            raise InputError(f"workers={self.path}: {printable(str(error), 300)}") from error
        return made

    def check_accepted(self) -> None:
        """Raise InputError where the queue would not take a job, as for a partition that is not there."""
        if self.cluster != "slurm":
            return
        with tempfile.TemporaryDirectory() as folder:
            script = self.executor(Path(folder), "")._executor._make_submission_file_text("true", "")
            self.asked(["sbatch", "--test-only"], script)

    def asked(self, command: Sequence[str], text: str = "") -> str:
        """What a command of the queue says; raises InputError with what it complains of."""
        try:
            done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=ASKING_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InputError(f"workers={self.path}: {command[0]} does not answer: {error}") from error
        if done.returncode:
            said = " ".join(done.stderr.replace("sbatch: error:", "").replace("sbatch:", "").split())
            raise InputError(f"workers={self.path}: {command[0]} refuses: {printable(said, 300)}")
        return done.stdout


def _is(kind: type, value: object) -> bool:
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


class Task:
    """What a job of the queue runs: the task that was written for it."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __call__(self) -> None:
        """Run it; what the project raises on purpose is left beside it, as trying again does not help."""
        file = Path(self._file)
        try:
            try:
                task = pickle.loads(file.read_bytes())
            except (ImportError, AttributeError) as error:  # this node has other sources
                raise OtherCode(f"{type(error).__name__}: {error}") from error
            task()
        except DpreproError as error:
            text = json.dumps([isinstance(error, OtherCode), str(error)])
            file.with_suffix(".error").write_text(text, encoding="utf-8")

    def checkpoint(self) -> Any:
        """Asked for by submitit before a job is taken away: the same again, as its store has what is measured."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


@dataclass
class _Job:
    """A job, by its array's folder and its number there; ``id`` is the queue's, empty where nobody knows it."""

    array: Path
    number: int
    id: str
    future: Future[list[Line]]
    cells: list[Cell]
    process: Any = None  # of the local cluster
    unseen: int = 0

    @property
    def folder(self) -> Path:
        """Of its store."""
        return self.array / str(self.number)


class Slurm(ChunkPool):
    """The jobs of a queue."""

    def __init__(self, setup: Setup, results_dir: Path, label: str) -> None:
        self._setup = setup
        self._folder = results_dir.absolute() / FOLDER
        self._label = label
        self._jobs: list[_Job] = []
        self._arrays: set[Path] = set()
        self._held: dict[Path, int] = {}  # the files that are locked
        self._left = ""
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._watch: threading.Thread | None = None
        self.job_seconds = 60.0 * setup.job_minutes * setup.processes
        self.tries = 1 + setup.resubmit
        self.standing = ""

    @property
    def width(self) -> int:
        return self._setup.jobs

    def resume(self, todo: Sequence[Cell], stored: Sequence[Cell]) -> dict[Future[list[Line]], list[Cell]]:
        wanted, kept = {_mark(cell): cell for cell in todo}, {_mark(cell) for cell in stored}
        found: dict[Future[list[Line]], list[Cell]] = {}
        for array in _arrays(self._folder):
            jobs = []
            marks = _marks(array)
            every = {mark for own in marks.values() for mark in own}
            followed = not wanted.keys().isdisjoint(every)
            left = bool(marks) and not followed and every <= kept  # by somebody who collected them, and was ended
            if followed or left:
                if waiting := self._hold(array):
                    if left:
                        continue
                    raise InputError(
                        f"{waiting} waits already for the jobs in {array}: let it end, or end it; its jobs go on"
                    )
                marks = _marks(array)  # it may have been collected just now
            for number, own in marks.items():
                if cells := [cell for mark in own if (cell := wanted.pop(mark, None))]:
                    jobs.append(_Job(array, number, _id(array, number), Future(), cells))
            if jobs:
                self._arrays.add(array)
                found |= {job.future: job.cells for job in jobs}
                self._begin(jobs)
            elif left:
                self._remove(array)
        return found

    def submit_all(self, chunks: Sequence[Workload]) -> list[Future[list[Line]]]:
        import cloudpickle

        array = _new_folder(self._folder)
        self._arrays.add(array)
        self._hold(array)
        (array / _LIMIT).write_text(json.dumps(chunks[0].cell_seconds), encoding="utf-8")
        files = []
        for number, chunk in enumerate(chunks):
            (array / f"{number}.cells").write_bytes(b"".join(map(_mark, chunk.cells)))
            task = portable(partial(chunk.into, str(array / str(number)), self._setup.processes))
            files.append(array / f"{number}.task")
            files[-1].write_bytes(cloudpickle.dumps(task))
        handed = self._submitted(array, files)
        ids = [str(job.job_id) for job in handed]
        (array / "ids.json").write_text(json.dumps(ids), encoding="utf-8")
        jobs = [
            _Job(array, number, id_, Future(), list(chunk.cells), getattr(job, "_process", None))
            for number, (id_, chunk, job) in enumerate(zip(ids, chunks, handed, strict=True))
        ]
        self._begin(jobs)
        return [job.future for job in jobs]

    def _submitted(self, array: Path, files: Sequence[Path]) -> list[Any]:
        """The jobs as submitit has them."""
        from submitit.core.utils import FailedJobError, FailedSubmissionError

        try:
            executor = self._setup.executor(array / "log", self._label)
            with executor.batch():
                return [executor.submit(Task(str(file))) for file in files]
        except (FailedJobError, FailedSubmissionError, OSError, subprocess.SubprocessError) as error:
            self._remove(array)
            raise InputError(f"workers={self._setup.path}: {printable(str(error), 300)}") from error

    def close(self, drop: bool) -> None:
        self._closed.set()
        if self._watch:
            self._watch.join()
        _LEFT.extend(job.process for job in self._jobs if job.process)
        if not drop:
            for array in self._arrays:
                self._remove(array)
            with suppress(OSError):  # arrays of other runs are there
                self._folder.rmdir()
        for handle in self._held.values():
            os.close(handle)  # which lets go of the lock
        self._held.clear()

    def _hold(self, array: Path) -> str:
        """Keep all other processes from following an array; who does already, empty if nobody.

        Without effect on Windows, and on disks that lock no files.
        """
        try:
            import fcntl
        except ImportError:
            return ""
        try:
            handle = os.open(array / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)  # a folder cannot be locked on every disk
        except OSError:
            return ""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = printable(os.read(handle, 200).decode(errors="replace"), 200)
            os.close(handle)
            return who or "another command"
        except OSError:
            os.close(handle)
            return ""
        with suppress(OSError):
            os.ftruncate(handle, 0)
            os.write(handle, f"process {os.getpid()} on {platform.node()}".encode())
        self._held[array] = handle
        return ""

    def _remove(self, array: Path) -> None:
        """Take an array's folder away."""
        shutil.rmtree(array, ignore_errors=True)
        if handle := self._held.pop(array, None):
            os.close(handle)
            shutil.rmtree(array, ignore_errors=True)  # a disk of the network keeps a file that is open

    def _begin(self, jobs: Iterable[_Job]) -> None:
        with self._lock:
            self._jobs += jobs
            self.standing = f"jobs: {sum(not job.future.done() for job in self._jobs)} handed in"
        if not self._watch:
            self._watch = threading.Thread(target=self._follow, daemon=True, name="jobs")
            self._watch.start()

    def _follow(self) -> None:
        """Hand over what jobs have left, once they have ended."""
        pause, before = LOOK_SECONDS, 0
        while not self._closed.wait(pause):
            with self._lock:
                open_jobs = [job for job in self._jobs if not job.future.done()]
            pause = LOOK_SECONDS if len(open_jobs) != before else min(pause * LOOK_GROWTH, LONGEST_LOOK)
            before = len(open_jobs)
            if not open_jobs:
                continue
            states = self._states(open_jobs)
            if states is None:  # the queue does not answer now
                continue
            for job in open_jobs:
                try:
                    self._look(job, states)
                except Exception as error:
                    job.future.set_exception(error)
            self._tell(open_jobs, states)

    def _look(self, job: _Job, states: Mapping[str, str]) -> None:
        job.unseen = 0 if job.id in states else job.unseen + 1
        if job.unseen == 0:
            return
        lines = _lines(job)
        if len(lines) < len(job.cells):
            if fault := _fault(job):
                raise fault
            if job.unseen < GONE_LOOKS:
                return
            self._left = f"job {job.id or job.number} ended with {len(lines)} of {len(job.cells)} cells: {_said(job)}"
        job.future.set_result(lines)

    def _tell(self, jobs: Sequence[_Job], states: Mapping[str, str]) -> None:
        with self._lock:
            of, ended = len(self._jobs), sum(job.future.done() for job in self._jobs)
        waiting = sum(states.get(job.id) == "PENDING" for job in jobs if not job.future.done())
        self.standing = f"jobs: {ended} of {of} ended, {of - ended - waiting} running, {waiting} waiting"
        if self._left:
            self.standing += f"; {self._left}"

    def _states(self, jobs: Sequence[_Job]) -> dict[str, str] | None:
        """Those that the queue knows, with their states; None where it does not answer."""
        if self._setup.cluster == "local":
            return {job.id: "RUNNING" for job in jobs if _runs(job)}
        try:
            said = self._setup.asked(["squeue", "--me", "--noheader", "--array", "--format=%i %T"])
        except InputError:
            return None
        return dict(line.split(maxsplit=1) for line in said.splitlines() if " " in line)


def has_jobs(results_dir: str | Path, codes: Mapping[bytes, str]) -> bool:
    """Whether jobs were handed in for some of these cells, given by key and code."""
    return bool(_arrays_of(results_dir, codes))


def limit_of(results_dir: str | Path, codes: Mapping[bytes, str]) -> float | None:
    """The seconds that each of these cells may take in the newest jobs for some of them; None without a limit."""
    for array in reversed(_arrays_of(results_dir, codes)):
        with suppress(OSError, ValueError):
            seconds = json.loads((array / _LIMIT).read_text(encoding="utf-8"))
            return float(seconds) if _is(float, seconds) else None
    return None


def _arrays_of(results_dir: str | Path, codes: Mapping[bytes, str]) -> list[Path]:
    arrays = _arrays(Path(results_dir) / FOLDER)
    marks = {digest(*item) for item in codes.items()} if arrays else set()
    return [array for array in arrays if any(not marks.isdisjoint(own) for own in _marks(array).values())]


def _mark(cell: Cell) -> bytes:
    """What a cell is, and the code that measures it."""
    return digest(cell.key, cell.code)


def _arrays(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted((path for path in folder.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name))
    return []


def _marks(array: Path) -> dict[int, list[bytes]]:
    """By the number of a job, the marks of its cells."""
    found = {}
    for path in array.glob("*.cells"):
        if path.stem.isdecimal():
            marks = path.read_bytes()
            found[int(path.stem)] = [marks[at : at + _MARK] for at in range(0, len(marks), _MARK)]
    return found


def _id(array: Path, number: int) -> str:
    """The queue's word for a job; empty where whoever handed it in did not come to write it down."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        return str(json.loads((array / "ids.json").read_text(encoding="utf-8"))[number])
    return ""


def _new_folder(parent: Path) -> Path:
    number = max((int(path.name) for path in _arrays(parent)), default=0)
    while True:
        number += 1
        with suppress(FileExistsError):
            (parent / str(number)).mkdir(parents=True)
            return parent / str(number)


def _lines(job: _Job) -> list[Line]:
    """What a job has measured of its cells, so far as it is as it was stored."""
    codes = {cell.key: cell.code for cell in job.cells}
    if not (job.folder / FILE_NAME).exists():
        return []
    try:
        with Store.open(job.folder) as store:
            return [
                line for lines in store.every_line(_BATCH) for line in lines
                if line.digest and codes.get(line.key) == line.origin[0]
            ]  # fmt: skip
    except InputError:  # damaged: its cells are measured again
        return []


def _fault(job: _Job) -> DpreproError | None:
    """What a job was refused for, where trying again does not help."""
    with suppress(OSError, ValueError):
        is_code, said = json.loads((job.array / f"{job.number}.error").read_text(encoding="utf-8"))
        return OtherCode(str(said)) if is_code else DpreproError(f"job {job.id}: {said}")
    return None


def _said(job: _Job) -> str:
    """The last line of a job's log, with the file."""
    log = job.array / "log" / f"{job.id}_0_log.err"
    with suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
        if last := next((line.strip() for line in reversed(lines) if line.strip()), ""):
            return f"{printable(last, 200)} ({log})"
    return f"nothing is said in {log}"


def _runs(job: _Job) -> bool:
    """Whether a job of the local cluster runs, be it of this process or of one that is gone."""
    if job.process is not None:
        return job.process.poll() is None
    with suppress(OSError, ValueError):
        return str(job.array).encode() in Path(f"/proc/{int(job.id)}/cmdline").read_bytes()
    return False
