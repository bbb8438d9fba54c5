"""A challenge from the witness to the entry: measured without the lock, judged and written with it."""

from __future__ import annotations

import secrets
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from dprepro.engine.cell import canonical
from dprepro.errors import InputError, PremiseError
from dprepro.mechanisms import NoiseMoments
from dprepro.refute.attack import VIOLATED
from dprepro.refute.hunt import AGAIN
from dprepro.refute.witness import Witness
from dprepro.register.challenge_rules import BATCHES, PILOT, Decision, Estimate, judged, level_of, planned
from dprepro.register.constants_register import (
    ConstantsRegister,
    Kind,
    RegisterEntry,
    append,
    locked,
    read_register,
)
from dprepro.register.fresh_seeds import FreshTrial, RateStatement, algorithm_of, data_of, rate_statement
from dprepro.register.own_promise import unaccounted, unkept
from dprepro.register.submission import Submission
from dprepro.support import typed
from dprepro.support.user_files import split

LARGEST_SOURCE = 64_000
LARGEST_SHARE = 1e300
"""Written for an infinite one."""
FALSE_ALARM = 1 / 30_000
"""Of a counterexample that is drawn: see `dprepro.refute.attack.ERRORS`."""
AUDIT_SHARE = 0.2
"""Of the time, for the audit of an algorithm in somebody's file; a quarter is for searches."""
SEARCH_SHARE = 0.25
ROUNDS = 5
"""How often a schedule is measured anew because data were found by others meanwhile."""


@dataclass(frozen=True)
class WitnessChallenge:
    """A witness that is to be measured.

    Attributes:
        submission: what was submitted. folder: where its file of Python lies, if the user trusts it.
        seconds: about how long all of it may take. version: of the project.
    """

    submission: Submission
    folder: Path | None = None
    seconds: float = 120.0
    version: str = ""

    def enter(self, path: Path, seed: int | None = None, today: str = "") -> RegisterEntry:
        """Measure it on fresh seeds, and append what came of it to the register.

        Args:
            path: the register.
            seed: for tests; by default it comes from the operating system once the witness is fixed, so that nobody
                can look for one with luck.
            today: the date that is written; by default that of the clock.

        Raises:
            InputError: a witness that cannot be measured. PremiseError: it violates a premise or its privacy.
        """
        seed = secrets.randbits(53) if seed is None else seed
        for _ in range(ROUNDS):
            register = read_register(path)
            measured = self.measured(register, seed)
            own, time = bool(self.submission.file), AUDIT_SHARE * self.seconds
            if reason := unkept(measured.trial, measured.noise, own, seed, time):
                raise PremiseError(reason)
            with locked(path):
                now = read_register(path)
                entry = self._entry(now, measured, seed, today or _today())
                if self._pool(now, measured.trial) == measured.pool:
                    return append(path, now, entry)
        raise InputError(f"{path} changes all the time; try again later")

    def measured(self, register: ConstantsRegister, seed: int, sizes: Sequence[int] = ()) -> FreshlyMeasured:
        """What it shows on the streams of a seed, beside what the register holds.

        Args:
            register: what is known.
            seed: of all draws.
            sizes: draws on each data set, where they were planned before.

        Raises:
            InputError, PremiseError: as `enter`.
        """
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # what is not finite is refused
            warnings.simplefilter("ignore")
            return self._measured_once(register, seed, sizes)

    def _measured_once(self, register: ConstantsRegister, seed: int, sizes: Sequence[int]) -> FreshlyMeasured:
        submission = self.submission
        statement = rate_statement(submission.statement)
        algorithm = algorithm_of(submission, self.folder)
        try:
            if submission.has_data:
                if not submission.at and not submission.records:
                    raise InputError("at is missing: a data set has sizes, as at: {n: 1e6, p: 20, epsilon: 1}")
                if reason := statement.unmet(algorithm):
                    raise PremiseError(reason)
                trial = FreshTrial(statement, algorithm, data_of(submission), submission.at, submission.neighbours)
                if not statement.is_lower:
                    return self._measured(register, [trial], "data", seed, sizes)
                if reason := trial.unproved():
                    raise PremiseError(reason)
                if record := register.record(statement.address):
                    raise InputError(
                        f"the data of {statement.address} are those of entry {record.id}: harder ones are another "
                        "proof; submit an algorithm, without construction and at"
                    )
                return self._measured(register, [trial], "family", seed, sizes)
            stranger = submission.file or statement.is_lower or statement.unmet(algorithm, False)
            kind: Kind = "algorithm" if stranger else "schedule"
            return self._measured(register, self._known(register, statement, algorithm), kind, seed, sizes)
        except (ArithmeticError, TypeError, ValueError, IndexError, MemoryError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"the witness cannot be measured: {type(error).__name__}: {error}") from error

    def _known(self, register: ConstantsRegister, statement: RateStatement, algorithm: Any) -> list[FreshTrial]:
        """The algorithm on all data that are known at its place, which must be one of the register's."""
        address, record = statement.address, register.record(statement.address)
        if record is None:
            raise InputError(f"no data are known of {address}; a schedule or an algorithm is run on those: submit some")
        given = self.submission
        place = record.place
        if given.at:
            records = [one for one in register.entries if one.statement == address and one.accepted]
            asked = canonical({"at": {**record.at, **given.at}, "neighbours": given.neighbours})
            place = next((one.place for one in records if one.place == asked), "")
        known = register.known(address, place)
        if not known:
            said = ", ".join(f"{axis}={value:g}" for axis, value in record.at.items())
            raise InputError(f"no data are known of {address} at these sizes; leave out at, for {said}")
        if (relation := known[0].witness["neighbours"]) != given.neighbours:  # less noise would do, and beat nothing
            raise InputError(
                f"data of {address} are known for neighbours={relation}, and the witness has {given.neighbours}"
            )
        trials = []
        for data in [*(one.witness for one in known), *_blocks(register.found(address, place))]:
            submitted = typed.build(Submission, {"statement": address, "who": "known", **data}, "entry")
            trials.append(FreshTrial(statement, algorithm, data_of(submitted), known[0].at, given.neighbours))
        return trials

    def _measured(
        self,
        register: ConstantsRegister,
        trials: Sequence[FreshTrial],
        kind: Kind,
        seed: int,
        sizes: Sequence[int],
    ) -> FreshlyMeasured:
        """Data are planned for and drawn once; a search adds one more of each family that a schedule meets.

        On the data of a lower bound's proof nothing is added.
        """
        trial = trials[0]
        fewest = PILOT * BATCHES * len(trials)
        if trial.seconds * fewest > self.seconds and not trial.exact:
            raise InputError(
                f"{fewest} runs of about {trial.seconds:.2g} s take longer than minutes={self.seconds / 60:g}; "
                "choices: smaller sizes, more minutes"
            )
        if reason := unaccounted(trial, bool(self.submission.file)):
            raise PremiseError(reason)
        pool = self._pool(register, trial)
        record = _incumbent(register, trial, kind)
        level = level_of(register.attempts(trial.statement.address))
        found: list[Mapping[str, Any]] = []
        if kind != "data" and not trial.statement.is_lower:
            trials = [*trials, *_equal(trials[0], self.seconds)]
            families = trials[: len(register.known(trial.statement.address, _place(trial)))]
            time = SEARCH_SHARE * self.seconds / len(families)
            found = [data for one in families if (data := one.searched(seed, time)) is not None]
            trials = [*trials, *(replace(trial, construction=_built(block)) for block in found)]
        most = int(self.seconds * (1 - SEARCH_SHARE) / (trial.seconds * len(trials)))
        estimates: list[Estimate] = []
        draws: list[int] = []
        noise: NoiseMoments | None = None
        for number, one in enumerate(trials):
            size = sizes[number] if number < len(sizes) else 0
            size = size or planned(one.pilot(seed + number), record, level, most, kind != "data")
            estimate, drawn = one.measure(seed + number, size)
            noise = drawn if not number else noise
            estimates.append(estimate)
            draws.append(1 if one.exact else size)
        worst = max(estimates, key=lambda one: one.value)
        searched = zip(found, estimates[len(estimates) - len(found) :], strict=True)
        found = [data for data, estimate in searched if estimate is worst]  # others show nothing
        return FreshlyMeasured(trial, kind, tuple(estimates), draws, noise, found, pool)

    def _pool(self, register: ConstantsRegister, trial: FreshTrial) -> Sequence[str]:
        """What a schedule or an algorithm was run on: entries and data found; of data the record that must not be."""
        if self.submission.has_data:
            record = register.record(trial.statement.address) if trial.statement.is_lower else None
            return (record.id,) if record else ()
        place, address = _place(trial), trial.statement.address
        known = [one.id for one in register.known(address, place)]
        return (*known, *(canonical(dict(one)) for one in register.found(address, place)))

    def _entry(self, register: ConstantsRegister, measured: FreshlyMeasured, seed: int, today: str) -> RegisterEntry:
        trial, address = measured.trial, measured.trial.statement.address
        less = measured.kind != "data"
        level = level_of(register.attempts(address))
        record = _incumbent(register, trial, measured.kind)
        decision: Decision = judged(measured.estimates, record, level, self.submission.claimed, less)
        worst = measured.worst
        each = level / len(measured.estimates)
        certified = max(one.limit(each if less else level, less) for one in measured.estimates)
        reason = decision.reason
        proved: float | None
        if trial.statement.is_lower:
            proved = trial.proved_below(seed, level)
            if measured.kind == "family" and not proved > 0:
                raise PremiseError("nothing is proved on these data at these sizes")
            if certified < proved * (1 - 1e-9):
                reason += f"; it lies below what is proved, {proved:.5g}: a counterexample to the proof"
        else:
            proved = trial.proved() if measured.kind == "data" else None
            if proved is not None and certified > proved * (1 + 1e-9):
                reason += f"; it exceeds what is proved, {proved:.5g}: a counterexample to the explicit bound"
        return RegisterEntry(
            date=today, who=self.submission.who, statement=address, kind=measured.kind,
            verdict="accepted" if decision.accepted else "rejected", reason=reason, at=trial.point,
            witness=self.submission.to_dict(), source=self._source(), value=worst.value, error=worst.error,
            certified=certified, level=level, draws=measured.draws, seed=seed, seconds=self.seconds, proved=proved,
            against=[one.id for one in register.known(address, _place(trial))] if less else (),
            found=measured.found, remark=self.submission.remark, version=self.version,
        )  # fmt: skip

    def _source(self) -> str:
        if not (self.submission.file and self.folder):
            return ""
        path, _ = split(str(self.folder / self.submission.file))
        text = path.read_text(encoding="utf-8")
        if len(text) > LARGEST_SOURCE:
            raise InputError(f"{path.name} has {len(text):,} characters, more than {LARGEST_SOURCE:,}")
        return text


@dataclass(frozen=True)
class FreshlyMeasured:
    """What a challenge showed.

    Attributes:
        trial: of the first data. kind: what was submitted.
        estimates: its constant on each data set. draws: on each.
        noise: what was drawn on the first data; None where it is not counted.
        found: data that searches found. pool: what was known of data as it was measured.
    """

    trial: FreshTrial
    kind: Kind
    estimates: Sequence[Estimate]
    draws: Sequence[int]
    noise: NoiseMoments | None
    found: Sequence[Mapping[str, Any]]
    pool: Sequence[str]

    @property
    def worst(self) -> Estimate:
        """The constant on the data on which it is largest."""
        return max(self.estimates, key=lambda one: one.value)


def enter_counterexample(
    path: Path, witness: Witness, who: str, version: str, seed: int | None = None
) -> RegisterEntry:
    """Measure a place at which a statement fails on fresh draws, and append what came of it.

    Raises:
        InputError: there is no such attack. PremiseError: the place lies outside the premise of the statement.
    """
    seed = secrets.randbits(53) if seed is None else seed
    shown = witness.measured(seed)
    exact = shown.error == 0
    holds = shown.least_share > VIOLATED
    said = f"{shown.share:.5g} times what the statement allows, {shown.least_share:.5g} or more"
    with locked(path):
        entry = RegisterEntry(
            date=_today(), who=who, statement=witness.statement, kind="counterexample",
            verdict="accepted" if holds else "rejected",
            reason=f"a counterexample: {said}" if holds else f"no counterexample on fresh seeds: {said}",
            at=dict(witness.numbers), witness=witness.to_dict(), value=min(shown.share, LARGEST_SHARE),
            error=0.0 if exact else shown.error / shown.allowed, certified=min(shown.least_share, LARGEST_SHARE),
            level=0.0 if exact else FALSE_ALARM, draws=[1 if exact else AGAIN], seed=seed, version=version,
        )  # fmt: skip
        return append(path, read_register(path), entry)


def repeated(register: ConstantsRegister, entry: RegisterEntry, trusted: bool, seed: int) -> FreshlyMeasured:
    """An entry's witness, measured again as it was then: with the register before it, and as many draws.

    Raises:
        InputError: it runs a file, and the user has not said that it may.
    """
    before = ConstantsRegister(list(register.entries)[: [one.id for one in register.entries].index(entry.id)])
    given = {**entry.witness, "statement": entry.statement, "who": entry.who}
    submission = typed.build(Submission, given, f"entry {entry.id}")
    if not submission.file:
        return WitnessChallenge(submission, None, entry.seconds).measured(before, seed, entry.draws)
    if not trusted:
        raise InputError(f"entry {entry.id} runs code, which it holds as source; read that, then add --trust")
    with tempfile.TemporaryDirectory(prefix="dprepro-challenge-") as folder:
        (Path(folder) / submission.file.rpartition(":")[0]).write_text(entry.source, encoding="utf-8")
        return WitnessChallenge(submission, Path(folder), entry.seconds).measured(before, seed, entry.draws)


def _incumbent(register: ConstantsRegister, trial: FreshTrial, kind: Kind) -> Estimate | None:
    """What must be beaten: of data the record, of a schedule the best one there, or else the statement's algorithm.

    On the data of a lower bound the algorithm that was entered with them stands in its place.
    """
    address = trial.statement.address
    record = register.record(address)
    if kind != "data":
        place = _place(trial)
        known = register.known(address, place)
        record = register.best(address, place) or max(known, key=lambda one: one.value, default=None)
    return Estimate(record.value, record.error) if record else None


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


def _place(trial: FreshTrial) -> str:
    return canonical({"at": trial.point, "neighbours": trial.neighbours})


def _equal(trial: FreshTrial, seconds: float) -> list[FreshTrial]:
    """The data of equal records, where they can be afforded."""
    equal = trial.equal_records()
    return [equal] if equal is not None and equal.seconds * PILOT * BATCHES < SEARCH_SHARE * seconds else []


def _blocks(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"construction": dict(one), "algorithm": "known"} for one in found]


def _built(block: Mapping[str, Any]) -> Any:
    return data_of(Submission(statement="", who="search", algorithm="known", construction=dict(block)))
