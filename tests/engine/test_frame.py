"""A frame put together by columns is the one that each line by itself gives, in types and bits."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from dprepro.engine import Row, frame, rows
from dprepro.engine.rows import text_of

ENTRIES = {
    "floats": [1.5, 2.0, -0.0, 0.0, 1e-300], "gaps": [1.5, None, 2.5], "nan": [1.5, float("nan"), None],
    "far": [float("inf"), 1.0], "whole": [1, 2, 2**40], "whole_gaps": [1, None, 3], "large": [2**62, 1],
    "large_gaps": [2**60 + 1, None], "huge": [2**70, 1], "numbers": [1, 2.5], "truth": [True, False],
    "truth_gaps": [True, None], "truth_or_two": [True, 2], "text": ["a", "b"], "text_gaps": ["a", None],
    "commas": ["a,b", "c"], "escaped": ['\u00e9"x\n', "]\n[", "["], "mixed": ["a", 1.5, None], "nothing": [None],
}  # fmt: skip


def stored(seed: int) -> tuple[list[frame.Place], dict[bytes, tuple[object, ...]]]:
    """Three hundred cells of three kinds of rows, some failed, some in two series."""
    rng = random.Random(seed)
    kinds = [[(quantity, rng.sample(list(ENTRIES), 4)) for quantity in ("excess_risk", "other")] for _ in range(3)]
    points = [f'{{"n":{n},"p":2,"epsilon":1,"delta":0.1,"norm":1}}' for n in (10, 20)]
    points.append('{"n":1,"p":2,"epsilon":1,"delta":0.1,"norm":1,"m":3}')
    places, cells = list[frame.Place](), dict[bytes, tuple[object, ...]]()
    for number in range(300):
        key, sound = number.to_bytes(32), rng.random() < 0.9
        places += [(key, series, "claim", "c") for series in (["a", "b"] if rng.random() < 0.1 else ["a"])]
        made = [
            Row(quantity, rng.choice([rng.random(), 1.0]), rng.choice([None, 1.0]),
                {name: rng.choice(ENTRIES[name]) for name in names})
            for quantity, names in rng.choice(kinds)
        ] if sound else []  # fmt: skip
        cells[key] = ("ok" if sound else "failed: x", rng.random(), rng.choice(points), number, text_of(made), None)
    return places, cells


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("part", [20_000, 37])
def test_a_frame_by_columns_is_the_one_of_lines_read_one_by_one(
    seed: int, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, cells = stored(seed)

    def whole() -> pd.DataFrame:
        return frame.joined([frame.Part("pair", some, cells) for some in frame.parts(places)])

    monkeypatch.setattr(frame, "PART", part)
    monkeypatch.setattr(rows, "FEW", 8)
    by_columns = whole()
    monkeypatch.setattr(rows, "FEW", 10**9)
    one_by_one = whole()
    pd.testing.assert_frame_equal(by_columns, one_by_one, check_exact=True)
    for name in one_by_one:  # NaN and None, -0.0 and 0.0, True and 1 are told apart by their texts
        assert list(map(repr, by_columns[name])) == list(map(repr, one_by_one[name]))
