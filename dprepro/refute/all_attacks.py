"""All attacks on a statement within the time that is given, the most promising longest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from dprepro.refute.attack import Attack
from dprepro.refute.hunt import Effort, Tried, hunt
from dprepro.statements.statement import Says

CORNERS_SHARE = 0.4
"""Of the time, for the corners of all attacks."""
LEAST_SECONDS = 0.2
"""Of each attack's corners, where the time is short."""


def attacked(attacks: Sequence[Attack], says: Says, seconds: float, seed: int) -> list[Tried]:
    """All attacks, the one that came nearest first; ends early with a counterexample.

    The corners of all come first; then each is searched, in the order of what was found, for an equal share of the time
    that is left.
    """
    until = time.process_time() + seconds
    found: dict[str, Tried] = {}
    for place, attack in enumerate(attacks):
        left = (until - time.process_time() - (1 - CORNERS_SHARE) * seconds) / (len(attacks) - place)
        found[attack.name] = hunt(attack, says, Effort(1000, 0, seconds=max(left, LEAST_SECONDS)), seed)
        if found[attack.name].violated:
            return _ranked(found)
    by_name = {attack.name: attack for attack in attacks}
    order = [attempt for attempt in _ranked(found) if attempt.numbers or attempt.outside]
    for place, tried in enumerate(order):
        attack, left = by_name[tried.attack], (until - time.process_time()) / (len(order) - place)
        if not attack.axes or left <= 0:
            continue
        further = hunt(attack, says, Effort(100, 400, rounds=1000, seconds=left), seed + 1)
        found[attack.name] = _together(tried, further)
        if further.violated:
            break
    return _ranked(found)


def _together(first: Tried, second: Tried) -> Tried:
    worst = max(first, second, key=lambda attempt: (attempt.least_share, attempt.share))
    return replace(
        worst, corners=first.corners, searched=first.searched + second.corners + second.searched,
        outside=first.outside + second.outside,
    )  # fmt: skip


def _ranked(found: dict[str, Tried]) -> list[Tried]:
    return sorted(found.values(), key=lambda attempt: (-attempt.least_share, -attempt.share))
