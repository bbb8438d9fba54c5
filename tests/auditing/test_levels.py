"""What the confidence of an audit rests on: tests share out its level, and none counts draws that chose anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dprepro import audit
from dprepro.auditing import search


def laplace_mean(values, epsilon, rng):
    return values.mean() + rng.laplace(scale=1 / (epsilon * len(values)))


def observed(monkeypatch: pytest.MonkeyPatch, **given: Any) -> tuple[list[float], list[float], list[float]]:
    """Of an audit the level of each of its tests, and the answers that were ranked and those that were tested."""
    levels: list[float] = []
    chose: list[float] = []
    counted: list[float] = []
    compared, ranked = search.compared, search.ranked

    def numbers(both: Any) -> list[float]:
        return [float(answer) for some in both for answer in np.ravel(some)]

    def testing(first: Any, second: Any, delta: float, level: float) -> Any:
        levels.append(level)
        counted.extend(numbers((first, second)))
        return compared(first, second, delta, level)

    def ranking(found: Any, draw: Any, *rest: Any) -> Any:
        def drawn(pair: Any, fresh: int) -> Any:
            both = draw(pair, fresh)
            chose.extend(numbers(both))
            return both

        return ranked(found, drawn, *rest)

    monkeypatch.setattr(search, "compared", testing)
    monkeypatch.setattr(search, "ranked", ranking)
    audit(laplace_mean, 1.0, **({"domain": "n=10", "draws": 2_000} | given))
    return levels, chose, counted


@pytest.mark.parametrize("level", [0.99, 0.8])
def test_the_levels_of_all_tests_add_up_to_that_of_the_audit(monkeypatch, level):
    levels, _, _ = observed(monkeypatch, level=level)
    assert len(levels) == len(search.TESTS)
    assert sum(1 - own for own in levels) == pytest.approx(1 - level)


def test_counts_have_half_of_the_level_where_replayed_losses_have_the_other(monkeypatch):
    levels, _, _ = observed(monkeypatch, replay=True)
    assert sum(1 - own for own in levels) == pytest.approx(0.005)


def test_no_draw_is_tested_twice_or_after_it_ranked_a_pair(monkeypatch):
    _, chose, counted = observed(monkeypatch, draws=40_000)  # so that all of them draw whole blocks
    assert len({*counted}) == len(counted)
    assert len(chose) > 1000
    assert not {*chose} & {*counted}
