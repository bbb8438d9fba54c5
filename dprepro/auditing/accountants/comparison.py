"""Every accountant on every law, at ordinary and extreme arguments: below, tight, above by how much, or fails.

Each accountant works in a process of its own: what it does to numpy or to the clock is its own affair. An answer may
take so much time of a processor and so much memory. What takes more is `costly`, and no failure of the accountant:
another limit, or a faster machine, may give an answer. Time that other processes take is not counted.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from types import FrameType
from typing import Any

from dprepro.auditing.accountants.laws import Enclosed, KnownLaw, enclosed_epsilons
from dprepro.auditing.accountants.subjects import ABSENT, Unknown, accountants, by_name

TIGHT = 0.01
"""An answer within this share above the exact one is tight."""

ROUNDED = 1e-9
"""An answer below the enclosure by no more than this share is taken for rounded, not for below."""

SECONDS = 20
"""Of the processor, for one answer. The table says how much of it the slowest answer took."""

MEMORY = 4
"""GiB, for one answer."""

COSTLY = "more than"
"""How the error begins of what took too much of either."""


VERDICTS = ("below", "tight", "undecided", "above", "fails", "costly", "unknown")
"""Less than is spent; at most `TIGHT` more; below or above by an enclosure too wide to tell; more than `TIGHT` more; an
error, no number or infinity; too much time or memory; no form for the law."""


@dataclass(frozen=True)
class Case:
    """A law, a delta, and whether both are such as users meet."""

    law: KnownLaw
    delta: float
    ordinary: bool


@dataclass(frozen=True)
class ComparisonRow:
    """What an accountant answered.

    Attributes:
        accountant, version: of whom.
        case: what was asked.
        exact: the enclosure of the right answer.
        epsilon: the answer, NaN where there is none; a negative one is true where 0 is, and counts as 0.
        error: why there is none.
        seconds: of the processor that it took.
    """

    accountant: str
    version: str
    case: Case
    exact: Enclosed
    epsilon: float
    error: str = ""
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`; ``undecided`` where the enclosure is too wide to tell the others apart."""
        if self.error == "unknown":
            return "unknown"
        if self.error.startswith(COSTLY):
            return "costly"
        if self.error or math.isnan(self.epsilon) or math.isinf(self.epsilon):
            return "fails"
        if max(self.epsilon, 0.0) < self.exact.low * (1 - ROUNDED):
            return "below"
        if self.epsilon > self.exact.high * (1 + TIGHT) + 1e-300:
            return "above"
        return "tight" if self.epsilon <= self.exact.low * (1 + TIGHT) + 1e-300 else "undecided"

    @property
    def ratio(self) -> float:
        """The answer over the exact one (its nearer end), NaN where there is none."""
        if self.verdict in ("fails", "unknown", "costly"):
            return math.nan
        end = self.exact.low if self.epsilon < self.exact.low else self.exact.high
        if not end:
            return 1.0 if self.epsilon <= 0 else math.inf
        return max(self.epsilon, 0.0) / end


def cases() -> Iterator[Case]:
    """One use and up to a million of each law, epsilon from 1e-8 to 1e4, delta from 1e-300 to .5."""
    for mu, delta in product((1e-8, 0.1, 1.0, 130.0), (0.5, 0.3, 1e-2, 1e-6, 1e-12, 1e-300)):
        yield Case(KnownLaw("gaussian", mu), delta, mu in (0.1, 1.0) and 1e-12 <= delta < 0.1)
    for (whole, uses), delta in product(((1.0, 2**10), (10.0, 2**10), (1.0, 2**20)), (1e-6, 1e-12, 1e-100)):
        yield Case(KnownLaw("gaussian", whole / math.sqrt(uses), uses), delta, delta > 1e-20 and uses < 2**20)
    for kind in ("laplace", "response"):
        for epsilon, delta in (*product((1e-8, 1.0, 1e4), (1e-2, 1e-6, 1e-300)), (0.1, 1e-6), (10.0, 1e-6)):
            yield Case(KnownLaw(kind, epsilon), delta, 0.1 <= epsilon <= 10 and delta > 1e-20)
        for (whole, uses), delta in product(
            ((3.0, 2**4), (0.3, 2**10), (3.0, 2**10), (3.0, 2**20)), (1e-2, 1e-6, 1e-12)
        ):
            yield Case(KnownLaw(kind, whole / math.sqrt(uses), uses), delta, uses < 2**20)
    for rate, delta in product((1e-6, 1e-2, 0.5), (1e-6, 1e-12, 1e-300)):
        yield Case(KnownLaw("sampled", 1.0, 1, rate), delta, rate > 1e-6 and delta > 1e-20)
    several = (
        (1.0, 2**4, 0.01), (1.0, 2**10, 0.01), (1.0, 2**14, 0.01),
        (2.0, 2**7, 0.1), (4.0, 2**4, 0.5), (0.1, 2**20, 0.01),
    )  # fmt: skip
    for (mu, uses, rate), delta in product(several, (1e-2, 1e-6, 1e-12)):
        yield Case(KnownLaw("sampled", mu, uses, rate), delta, uses < 2**20)


def table(
    names: tuple[str, ...] = (),
    some: tuple[Case, ...] = (),
    progress: Callable[[str], None] | None = None,
    seconds: int = SECONDS,
) -> list[ComparisonRow]:
    """The rows of all named accountants (default: all) that are installed.

    Args:
        names: of accountants.
        some: the cases, default all.
        progress: called with a line for each accountant.
        seconds: of the processor, for one answer.

    Raises:
        InputError: an accountant that is none.
    """
    say = progress or (lambda _: None)
    asked = some or tuple(cases())
    exact = enclosures(asked)
    rows: list[ComparisonRow] = []
    for accountant in [by_name(name) for name in names] or accountants():
        version = accountant.version
        if version == ABSENT:
            say(f"{accountant.name}: skipped, {accountant.package} is not installed")
            continue
        answers = _answers(accountant.name, asked, seconds)
        rows += [
            ComparisonRow(accountant.name, version, case, enclosed, *answer)
            for case, enclosed, answer in zip(asked, exact, answers, strict=True)
        ]
        own = rows[-len(asked) :]
        told = {verdict: sum(row.verdict == verdict for row in own) for verdict in VERDICTS}
        say(f"{accountant.name} {version}: " + ", ".join(f"{count} {word}" for word, count in told.items() if count))
    return rows


def enclosures(asked: tuple[Case, ...]) -> list[Enclosed]:
    """The right answers, each law's at once."""
    found: dict[tuple[KnownLaw, float], Enclosed] = {}
    for law in dict.fromkeys(case.law for case in asked):
        deltas = tuple(case.delta for case in asked if case.law == law)
        found |= {
            (law, delta): enclosed for delta, enclosed in zip(deltas, enclosed_epsilons(law, deltas), strict=True)
        }
    return [found[case.law, case.delta] for case in asked]


def _answers(name: str, asked: tuple[Case, ...], seconds: int) -> list[tuple[float, str, float]]:
    """In a process of its own, started anew where it dies over a case."""
    found: list[tuple[float, str, float]] = []
    context = multiprocessing.get_context("spawn")
    while len(found) < len(asked):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_serve, args=(name, asked[len(found) :], seconds, theirs), daemon=True)
        process.start()
        theirs.close()
        try:
            while len(found) < len(asked) and ours.poll(100 * seconds + 60):
                found.append(ours.recv())
        except EOFError:
            pass
        finally:
            process.terminate()
            process.join()
        if len(found) < len(asked):
            slow = process.exitcode == -signal.SIGVTALRM
            error = f"{COSTLY} {seconds} s of a processor" if slow else "the process ended or stood still"
            found.append((math.nan, error, math.nan))
    return found


class _TooLong(BaseException):
    """No library catches this by accident."""


def _serve(name: str, asked: tuple[Case, ...], seconds: int, pipe: Any) -> None:
    import logging
    import resource

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    silence = os.open(os.devnull, os.O_WRONLY)  # some print each step of theirs
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    signal.signal(signal.SIGPROF, _stop)  # of the processor, not of the clock
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    own = MEMORY * 2**30
    resource.setrlimit(resource.RLIMIT_DATA, (own if most == resource.RLIM_INFINITY else min(own, most), most))
    accountant = by_name(name)
    with suppress(Exception):  # what it imports or compiles is not counted
        accountant.epsilon(KnownLaw("gaussian", 0.5), 0.1)
    for case in asked:
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_VIRTUAL, 1.5 * seconds)  # ends the process, as no loop of C hears the other one
        try:
            answer = accountant.epsilon(case.law, case.delta), ""
        except Unknown:
            answer = math.nan, "unknown"
        except _TooLong:
            answer = math.nan, f"{COSTLY} {seconds} s of a processor"
        except MemoryError:
            answer = math.nan, f"{COSTLY} {MEMORY} GiB of memory"
        except BaseException as error:  # whatever it raises is its answer
            answer = math.nan, f"{type(error).__name__}: {str(error).splitlines()[0][:100] if str(error) else ''}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        pipe.send((*answer, time.process_time() - began))


def _stop(number: int, frame: FrameType | None) -> None:
    raise _TooLong
