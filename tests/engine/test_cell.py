"""Canonical text, keys, grids and streams."""

from __future__ import annotations

import math
import pickle
import time
from dataclasses import replace
from enum import Enum

import numpy as np
import pytest

from dprepro.engine import Cell, canonical, expand, generator
from dprepro.errors import InputError


class Colour(Enum):
    RED = "red"


AXES = {"n": 1000, "p": 10, "epsilon": 0.1, "delta": 1e-6, "norm": 1}
CELL = Cell("ours", "claim", AXES, 3, 7, canonical({"study": "rate", "versions": [1, 2]}))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e6, "1000000"),
        (1000000, "1000000"),
        (np.float64(1e6), "1000000"),
        (np.int64(5), "5"),
        (0.1, "0.1"),
        (1e-6, "1e-06"),
        (-0.0, "0"),
        (2.0**53, "9007199254740992.0"),
        (math.inf, '"inf"'),
        (-math.inf, '"-inf"'),
        (True, "true"),
        (np.True_, "true"),
        (None, "null"),
        (Colour.RED, '"red"'),
        ({"b": (1, 2.0), "a": [True, "x"]}, '{"a":[true,"x"],"b":[1,2]}'),
    ],
)
def test_canonical_text_is_one_for_one_value(value: object, text: str) -> None:
    assert canonical(value) == text


@pytest.mark.parametrize("value", [math.nan, {1: 2}, {1, 2}, object(), np.zeros(2)])
def test_what_has_no_canonical_text_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="specification"):
        canonical(value)


def test_the_key_of_a_cell_never_changes() -> None:
    assert CELL.key.hex() == "5b6a7c066c912aea686917ca1beec280775d3229a1a7f6915d2bd32eec130faf"


def test_the_key_is_the_hash_of_the_canonical_text() -> None:
    import hashlib

    science = hashlib.sha256(CELL.science.encode()).hexdigest()
    spec = {"axes": {**AXES, "epsilon": math.inf}, "replicate": 3, "science": science, "seed": 7}
    cell = replace(CELL, axes={**AXES, "epsilon": math.inf})
    assert cell.key == hashlib.sha256(canonical(spec).encode()).digest()


def test_the_key_ignores_labels_notation_and_order_of_axes() -> None:
    written = {"norm": 1.0, "delta": 1e-6, "epsilon": np.float64(0.1), "p": 10, "n": 1e3}
    assert replace(CELL, series="other", role="control", axes=written).key == CELL.key
    assert pickle.loads(pickle.dumps(CELL)).key == CELL.key


@pytest.mark.parametrize(
    "change",
    [{"replicate": 4}, {"seed": 8}, {"science": "{}"}, {"axes": {**AXES, "n": 1001}}, {"axes": {**AXES, "m": 1}}],
)
def test_the_key_depends_on_everything_scientific(change: dict[str, object]) -> None:
    assert replace(CELL, **change).key != CELL.key  # type: ignore[arg-type]


def test_a_hundred_thousand_keys_take_less_than_a_second_and_a_half() -> None:
    cells = [replace(CELL, replicate=replicate) for replicate in range(100_000)]
    start = time.process_time()
    assert len({cell.key for cell in cells}) == len(cells)
    assert time.process_time() - start < 1.5


def test_a_grid_is_the_product_in_the_order_given_with_whole_numbers_as_ints() -> None:
    points = expand({"n": [100.0, 1e6], "epsilon": [0.5, math.inf]})
    assert points == [
        {"n": 100, "epsilon": 0.5},
        {"n": 100, "epsilon": math.inf},
        {"n": 1000000, "epsilon": 0.5},
        {"n": 1000000, "epsilon": math.inf},
    ]
    assert [type(point["n"]) for point in points] == [int] * 4


def test_a_stream_is_its_key_and_every_byte_counts() -> None:
    first = generator(CELL.key).random(4)
    assert (generator(CELL.key).random(4) == first).all()
    for place in range(32):
        changed = bytearray(CELL.key)
        changed[place] ^= 1
        assert not (generator(bytes(changed)).random(4) == first).any()


def test_a_schedule_as_printed_is_part_of_the_key_and_changes_no_draw() -> None:
    plain, beside = (
        Cell("s", "claim", {"n": 10}, 0, 0, canonical({"algorithm": "a"}), beside=printed)
        for printed in ("", canonical({"schedule": {"total_steps": "x.steps"}}))
    )
    assert plain.key != beside.key
    assert plain.key == plain.stream == beside.stream


def test_streams_of_neighbouring_cells_are_independent_draws() -> None:
    draws = np.array([generator(replace(CELL, replicate=r).key).random(2) for r in range(4000)])
    # 4000 uniforms: mean and both correlations within five standard errors
    assert abs(draws.mean() - 0.5) < 5 * math.sqrt(1 / 12 / 8000)
    assert abs(np.corrcoef(draws.T)[0, 1]) < 5 / math.sqrt(4000)
    assert abs(np.corrcoef(draws[1:, 0], draws[:-1, 0])[0, 1]) < 5 / math.sqrt(4000)


def test_a_stream_can_spawn_children_that_differ() -> None:
    one, two = generator(CELL.key).spawn(2)
    again = generator(CELL.key).spawn(2)[1]
    assert one.random() != (value := two.random())
    assert again.random() == value
