"""``python -m dprepro audit FILE.py:fit claim=...``: hold a function of somebody's against the privacy it claims."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dprepro.commands.parser import key, number, number_that, true_or_false, whole, words
from dprepro.errors import InputError

if TYPE_CHECKING:
    from dprepro.auditing import DataDomain

ABOUT = """\
Calls a function that answers on data as a black box, on pairs of neighbouring
data sets, and says what it spends at least: whether it violates its guarantee
(with the pair and a script that shows it), is not contradicted (and which
violation would have been noticed), or whether this cannot be told. The
function is FILE.py:fit, fit(X, y, epsilon, delta, rng) or less of it, such as
fit(values, epsilon). The file is run, as it is yours. diffprivlib:mean,
opendp:laplace_mean, opacus:sgd and their like are functions of libraries."""

NOTES = "exit codes: 0 whatever was found, 2 bad input"

RELATIONS = ("replace_one", "zero_out", "add_or_remove_one")


EXAMPLE = 'claim="epsilon=1 delta=1e-6 relation=replace_one"'


def claimed(name: str, given: str) -> tuple[float, float, str]:
    """Epsilon, delta and the relation of ``epsilon=1 delta=1e-6 relation=replace_one``; epsilon is needed."""
    found: dict[str, str] = {}
    for part in given.replace(",", " ").split():
        word, equals, value = part.partition("=")
        if not equals or word not in ("epsilon", "delta", "relation"):
            raise InputError(f"claim: {part!r} is not understood; type {EXAMPLE}")
        if word in found:
            raise InputError(f"claim: {word} is said twice, {word}={found[word]} and {part}")
        found[word] = value
    if "epsilon" not in found:
        raise InputError(f"claim needs epsilon; type {EXAMPLE}")
    found = {"delta": "0", "relation": RELATIONS[0]} | found
    if found["relation"] not in RELATIONS:
        raise InputError(f"claim: relation must be one of {', '.join(RELATIONS)}, got relation={found['relation']}")
    return number("claim: epsilon", found["epsilon"]), number("claim: delta", found["delta"]), found["relation"]


@dataclass(frozen=True)
class Arguments:
    """The function to audit, and the time that the audit may take."""

    target: tuple[str, ...] = words(
        "FILE.py:fit", least=1, most=1, needed='audit needs a function, such as audit mine.py:fit claim="epsilon=1"'
    )
    claim: tuple[float, float, str] | None = key(None, f"such as {EXAMPLE}", claimed, shown='"epsilon=1"')
    domain: str | None = key(
        None, 'its data, such as domain="n=20 p=3 x=-1..1 norm=1 y=-1|1"; p=0: numbers', shown='"n=20 p=0 x=0..1"'
    )
    budget: float = key("60", "seconds of the processor", number_that("positive", lambda seconds: seconds > 0))
    draws: int | None = key(None, "calls in all, 2000 or more, in place of budget", whole(2000), shown="100000")
    seed: int = key("0", "of pairs and draws", whole(0))
    replay: bool = key("false", "record the noise, and replay it on the neighbour: faults get names", true_or_false)
    timed: bool = key("false", "the time of a call is part of the answer", true_or_false)
    bits: bool = key("false", "the last bits of its numbers are part of the answer", true_or_false)
    keep: str | None = key(None, "a file for the answers: an audit that was killed goes on from them", shown="FILE")
    workers: int = key("1", "processes; the verdict does not depend on how many", whole(1))
    level: float = key(".99", "confidence of the limit", number_that("in (0, 1)", lambda level: 0 < level < 1))


def main(arguments: Arguments) -> int:
    """Audit and print; 0."""
    from dprepro.auditing import audit
    from dprepro.auditing.peers import is_peer, peer, warned
    from dprepro.support.user_files import is_target, load, trust

    target = arguments.target[0]
    if arguments.claim is None:
        raise InputError(f"audit needs a claim: add {EXAMPLE}")
    epsilon, delta, relation = arguments.claim
    domain: DataDomain | str | None = arguments.domain
    parameters: dict[str, Any] = {}
    function: Any
    if is_peer(target):
        known = peer(target)
        domain = known.domain(arguments.domain)
        function, target, parameters = known.function, known.target, known.parameters(domain)
        print("; ".join([known.version, *warned(known, domain, epsilon, delta)]))
    elif is_target(target):
        function = load(trust(target))
    else:
        raise InputError(f"{target!r} is no function in a file; type FILE.py:NAME, such as mine.py:fit")
    found = audit(
        function, epsilon, delta, neighbours=relation, domain=domain, seconds=arguments.budget, parameters=parameters,
        draws=arguments.draws, seed=arguments.seed, level=arguments.level, target=target,
        timed=arguments.timed, bits=arguments.bits, replay=arguments.replay, keep=arguments.keep,
        workers=arguments.workers, progress=_progress if sys.stderr.isatty() else None,
    )  # fmt: skip
    print(found)
    if found.violates:
        print(f"\nto see it in a process of its own, run:\n\n{found.script}")
    return 0


def _progress(line: str) -> None:
    print(re.sub(r"\s+", " ", line), file=sys.stderr, flush=True)
