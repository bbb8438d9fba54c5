"""What noisy training leaks by composition, and what accounts of packs make of it."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from dprepro.budget import Neighbours
from dprepro.errors import InputError
from dprepro.practice import final_model as practice
from dprepro.practice.final_model import (
    FinalModelAccount,
    NoisyTraining,
    every_iterate,
    final_model,
    gradient_distance,
    installed_accounts,
)

TOLD = NoisyTraining(100, 0.1, 1.0)


def exact_delta(epsilon: float, mu: float) -> float:
    return float(norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2))


@pytest.mark.parametrize("steps", [1, 100, 3000])
def test_every_iterate_costs_what_one_gaussian_of_all_shifts_does(steps: int) -> None:
    epsilon, by = every_iterate(replace(TOLD, steps=steps), 1e-6)
    assert exact_delta(epsilon, 0.1 * math.sqrt(steps)) == pytest.approx(1e-6, rel=1e-6)
    assert by == "Gaussian, exact"


def test_a_record_of_cyclic_batches_is_used_once_a_round() -> None:
    """In 21 steps of 5 rounds one batch is used five times."""
    for steps, uses in ((1, 1), (5, 1), (6, 2), (20, 4), (21, 5)):
        epsilon, _ = every_iterate(replace(TOLD, steps=steps, batches="cyclic", rounds=5.0), 1e-6)
        assert epsilon == every_iterate(replace(TOLD, steps=uses), 1e-6)[0]


def test_sampling_hides_a_record_among_any_others_and_not_among_silent_ones() -> None:
    """One of 20 records at N(1), the others at N(-1) and at N(0): one law is a mixture with the record, one without."""
    sensitivity, apart = gradient_distance(1.0, 20.0, Neighbours.ZERO_OUT, 1.0)
    assert (sensitivity, apart) == (1.0, 2.0)
    told = NoisyTraining(1, sensitivity, 1.0, batches="sampled", rounds=20.0, apart=apart)
    delta, others = 1e-6, -1.0
    t = np.linspace(-6, 12, 4001)
    with_it, without = (0.95 * norm.sf(t - others) + 0.05 * norm.sf(t - place) for place in (1.0, 0.0))
    inside = with_it > delta
    exact = float(np.max(np.log(with_it[inside] - delta) - np.log(without[inside])))
    assert exact <= every_iterate(told, delta)[0]
    assert exact > every_iterate(replace(told, apart=sensitivity), delta)[0] + 0.5  # the planted falsehood


@pytest.mark.parametrize(
    ("neighbours", "mean", "batch", "expected"),
    [
        (Neighbours.REPLACE_ONE, True, None, (0.06, 0.06)),
        (Neighbours.ZERO_OUT, True, None, (0.03, 0.06)),
        (Neighbours.REPLACE_ONE, True, 10.0, (0.6, 0.6)),
        (Neighbours.ZERO_OUT, False, None, (3.0, 6.0)),
        (Neighbours.ADD_OR_REMOVE_ONE, False, None, (3.0, 6.0)),
        (Neighbours.REPLACE_ONE, False, 10.0, (6.0, 6.0)),
    ],
)
def test_gradients_of_neighbours_are_apart_by_one_record_or_two(
    neighbours: Neighbours, mean: bool, batch: float | None, expected: tuple[float, float]
) -> None:
    assert gradient_distance(3.0, 100.0, neighbours, batch, mean) == pytest.approx(expected)
    rng = np.random.default_rng(0)
    records = rng.standard_normal((100, 2))
    records *= 3.0 / np.linalg.norm(records, axis=1, keepdims=True)  # gradients of 3-Lipschitz losses
    size = 1.0 if not mean else 100.0 if batch is None else batch
    other = {Neighbours.REPLACE_ONE: -records[0]}.get(neighbours, np.zeros(2))
    assert np.linalg.norm(records[0] - other) / size == pytest.approx(expected[0])


@pytest.mark.parametrize(
    ("mean", "batch", "said"), [(True, None, "the mean divides by n"), (False, 5.0, "batch= reads n")]
)
def test_where_n_is_private_nothing_may_read_it(mean: bool, batch: float | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        gradient_distance(1.0, 100.0, Neighbours.ADD_OR_REMOVE_ONE, batch, mean)


def promised(epsilon: float | None, **more: Any) -> Any:
    return lambda training, delta: (FinalModelAccount("some theorem", "", "", epsilon, **more),)


def test_the_least_of_all_accounts_answers_and_composition_where_it_is_less() -> None:
    every = every_iterate(TOLD, 1e-6)[0]
    better = final_model(
        TOLD, 1e-6, {"a": promised(2.0, limit=3.0), "b": promised(1.0), "c": promised(None, lacks="x")}
    )
    assert (better.every, better.last, better.limit) == (every, 1.0, 3.0)
    assert better.by is not None
    assert better.by.epsilon == 1.0
    worse = final_model(TOLD, 1e-6, {"a": promised(9.0, limit=9.0), "b": promised(0.5, at_least=True)})
    assert (worse.last, worse.by, worse.limit) == (every, None, 9.0)
    assert worse.at_least is not None
    assert worse.at_least.epsilon == 0.5
    assert worse.saturation is not None
    at, before = (every_iterate(replace(TOLD, steps=round(share * worse.saturation)), 1e-6)[0] for share in (1, 0.98))
    assert before < 0.99 * 9.0 <= at
    alone = final_model(TOLD, 1e-6, {})
    assert (alone.last, alone.by, alone.limit, alone.saturation) == (every, None, math.inf, None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": 0}, "steps must be at least 1"),
        ({"noise": 0.0}, "noise must be positive"),
        ({"sensitivity": math.inf}, "sensitivity must be positive, between 1e-30 and 1e\\+30, got sensitivity=inf"),
        ({"diameter": -1.0}, "diameter must be positive"),
        ({"convexity": 2.0, "smoothness": 1.0}, "convexity must be at most smoothness=1"),
        ({"convexity": math.nan}, "convexity must be finite"),
        ({"rounds": 2.0}, "rounds must be 1 of full batches"),
        ({"batches": "cyclic", "rounds": 2.5}, "n in whole batches"),
        ({"noise": 1e-20}, "give both in the same unit"),
    ],
)
def test_a_training_that_cannot_be_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        replace(TOLD, **changes)


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_a_gaussian_has_no_epsilon_at_such_a_delta(delta: float) -> None:
    with pytest.raises(InputError, match="delta must be in"):
        final_model(TOLD, delta, {})


def test_an_account_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        raise ImportError("no module of that name")

    points = [SimpleNamespace(name="lab", value="lab.accounts:mine", load=load)]
    monkeypatch.setattr(practice, "entry_points", lambda group: points)
    with pytest.raises(InputError, match=r"lab\.accounts:mine, declared by an entry point dprepro\.accounts, cannot"):
        installed_accounts()
    points[0].load = lambda: 3
    with pytest.raises(InputError, match="is no function"):
        installed_accounts()
