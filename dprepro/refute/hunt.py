"""How an attack is carried out: the corners first, then a search, and what is found is measured once more."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dprepro.adversary import search
from dprepro.errors import PremiseError
from dprepro.problems.problem_data import FloatArray
from dprepro.refute.attack import VIOLATED, Attack, Trial
from dprepro.refute.search_axes import corners, place_of, values_at
from dprepro.statements.statement import Says

STARTS = 4
"""Of the best corners, from which the search begins."""

AGAIN = 12
"""How often what was found by draws is measured once more, each time with as many draws."""

FEWEST = 100
"""Places of an attack that computes which are tried however short the time is: the first one may load a library."""

NOWHERE = -1e3
"""The logarithm of a share that is 0, or of a place outside the premise."""


@dataclass(frozen=True)
class Effort:
    """How much is tried: corners, evaluations of a search, rounds of it, and the time of the processor, in seconds.

    Without a limit on time the same is tried on every machine.
    """

    corners: int = 400
    searched: int = 400
    rounds: int = 1
    seconds: float = math.inf


@dataclass(frozen=True)
class Tried:
    """What an attack found.

    Attributes:
        attack: its name. corners, searched: places within the premise that were tried.
        outside: further places, outside of the premise or without a value.
        numbers: the worst place; empty where no place lay within.
        share: of what is allowed, there, as the search saw it.
        least_share: its lower end, measured again on draws that the search has not seen.
    """

    attack: str
    corners: int
    searched: int
    outside: int
    numbers: Mapping[str, float]
    share: float
    least_share: float

    @property
    def violated(self) -> bool:
        """Whether it found a counterexample."""
        return self.least_share > VIOLATED


class _Late(Exception):
    """The time is up."""


def hunt(attack: Attack, says: Says, effort: Effort, seed: int = 0) -> Tried:
    """Try the corners, then search from the best of them; with time left the search goes on from other places.

    It ends early with a violation that is exact. Places are compared on equal draws.
    """
    until = time.process_time() + effort.seconds
    inside: list[tuple[float, dict[str, float]]] = []
    outside = 0

    def share(numbers: dict[str, float]) -> float:
        nonlocal outside
        if time.process_time() > until and not (attack.exact and len(inside) + outside < FEWEST):
            raise _Late
        try:
            found = attack.see(says, numbers, np.random.default_rng([seed, 1])).share
        except PremiseError:
            outside += 1
            return -math.inf
        inside.append((found, numbers))
        return found

    def enough() -> bool:
        return attack.exact and any(found > VIOLATED for found, _ in inside[-1:])

    tried = 0
    try:
        for numbers in corners(attack.axes, effort.corners, seed):
            share(numbers)
            if enough():
                break
        tried = len(inside)
        rounds = 0
        while attack.axes and effort.searched and rounds < effort.rounds and not _violated(attack, inside):
            best = sorted(inside, key=lambda pair: -pair[0])[:STARTS] if rounds % 2 == 0 else []
            starts = [place_of(attack.axes, numbers) for _, numbers in best]
            _search(attack, share, starts, effort.searched * 2 ** min(rounds, 6), [seed, 2, rounds])
            rounds += 1
    except _Late:
        tried = tried or len(inside)
    if not inside:
        return Tried(attack.name, 0, 0, outside, {}, 0.0, 0.0)
    found, numbers = max(inside, key=lambda pair: pair[0])
    return Tried(
        attack.name, tried, len(inside) - tried, outside, numbers, found,
        measured_again(attack, says, numbers, seed).least_share,
    )  # fmt: skip


def measured_again(attack: Attack, says: Says, numbers: Mapping[str, float], seed: int = 0) -> Trial:
    """What a place shows on draws that no search has seen; what is exact is computed once.

    Raises:
        PremiseError: the place lies outside the premise.
    """
    rng = np.random.default_rng([seed, 3])
    shown = [attack.see(says, numbers, rng) for _ in range(1 if attack.exact else AGAIN)]
    if len(shown) == 1 or all(trial.error == 0 for trial in shown):
        return shown[0]
    taken = np.array([trial.taken for trial in shown])
    return Trial(float(taken.mean()), shown[0].allowed, float(np.std(taken, ddof=1) / math.sqrt(len(shown))))


def _violated(attack: Attack, inside: Sequence[tuple[float, Mapping[str, float]]]) -> bool:
    """Whether the search may end: what is drawn must exceed by far, since the largest of many is lucky."""
    return any(found > (VIOLATED if attack.exact else 2.0) for found, _ in inside)


def _search(attack: Attack, share: object, starts: Sequence[FloatArray], evaluations: int, seed: list[int]) -> None:
    assert callable(share)

    def value(place: FloatArray) -> float:
        found = share(values_at(attack.axes, place))
        return min(max(math.log(found), NOWHERE), -NOWHERE) if found > 0 else NOWHERE

    search(value, len(attack.axes), starts, evaluations, np.random.default_rng(seed))
