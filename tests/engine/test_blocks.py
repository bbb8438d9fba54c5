"""Replicates measured in one call: the lines that measuring each alone gives, bit by bit, or each alone."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from helpers import engine_measures as em

from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.engine import Cell, Row, generator, measuring, runner
from dprepro.engine.blocks import VALUE, Block, texts_of
from dprepro.engine.cell_lines import Line
from dprepro.engine.long_cells import CellLimit
from dprepro.engine.measuring import measure_block
from dprepro.engine.rows import text_of
from dprepro.support import shared_memory, supervisor

Streams = Callable[[], list[np.random.Generator]]


def cells(count: int = 8) -> list[Cell]:
    """Replicates of two grid points."""
    return [cell for cell in em.cells(count) if cell.series == "ours" and cell.axes["epsilon"] == 1]


def many(own: Sequence[Cell], streams: Streams) -> Block:
    """What `em.draw` gives."""
    columns = {"note": "x", "step": 3}
    values = [(rng.random(), rng.normal()) for rng in streams()]
    rows = [Row("excess_risk", values[0][0], 1.0, columns), Row("agreement", values[0][1])]
    return Block(rows, {(0, VALUE): [value for value, _ in values], (1, VALUE): [value for _, value in values]})


def lines(measures: runner.Measures, own: Sequence[Cell]) -> list[Line]:
    """Without the seconds, and what follows from them."""
    return [line._replace(seconds=0.0, digest=b"") for line in runner._work(measures, own, "made")]


def test_the_text_of_a_block_is_that_of_its_rows_whatever_stands_in_them() -> None:
    columns = {"a": np.float64(0.1), "b": None, "c": True, "d": '\u00e9 "x"', "e": 3, "f": 2.5, "g": np.int64(4)}
    values, further = [0.1, -0.0, 1e300, 5e-324], [1.0, 2.0, 3e-7, -1.5]
    every = [[Row("risk", value, 1.0, columns | {"f": more}), Row("other", 7)] for value, more in
             zip(values, further, strict=True)]  # fmt: skip
    found = texts_of(Block(every[0], {(0, VALUE): values, (0, "f"): further}), 4)
    assert found == [text_of(rows) for rows in every]
    assert texts_of(Block(every[0], {(0, VALUE): [1.0, 0.1]}), 2)[1] == text_of([every[0][0], every[0][1]])
    assert texts_of(Block(every[0]), 3) == [text_of(every[0])] * 3


def test_cells_that_are_measured_at_once_have_the_lines_of_cells_measured_alone() -> None:
    seen: list[int] = []

    def counted(own: Sequence[Cell], streams: Streams) -> Block:
        seen.append(len(own))
        return many(own, streams)

    assert lines((em.draw, counted), cells()) == lines((em.draw, None), cells())
    assert seen == [8, 8]  # the first of them is held against what it gave alone


def test_a_call_with_other_last_bits_than_a_cell_alone_has_is_not_believed() -> None:
    def rounded(own: Sequence[Cell], streams: Streams) -> Block:
        block = many(own, streams)
        values = [float(np.nextafter(value, 2.0)) for value in block.varying[0, VALUE]]
        return Block(block.rows, {**block.varying, (0, VALUE): values})

    assert lines((em.draw, rounded), cells()) == lines((em.draw, None), cells())


def test_a_limit_that_ends_between_two_cells_of_a_call_ends_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> list[Line]:
        raise CellLimit

    monkeypatch.setattr(runner, "measure_block", late)
    assert lines((em.draw, many), cells()) == lines((em.draw, None), cells())


@pytest.mark.parametrize("fault", ["none", "nan", "raises", "interrupt", "column"])
def test_where_a_call_goes_wrong_each_cell_is_measured_alone(fault: str) -> None:
    def wrong(own: Sequence[Cell], streams: Streams) -> Block | None:
        if fault == "raises":
            raise ValueError
        if fault == "interrupt":
            raise SystemExit
        block = many(own, streams)
        if fault == "nan":
            return Block(block.rows, {**block.varying, (0, VALUE): [float("nan")] * len(own)})
        return None if fault == "none" else Block([Row("excess_risk", 1.0, 1.0, {"key": 1})])

    assert lines((em.draw, wrong), cells()) == lines((em.draw, None), cells())


def test_a_death_among_several_cells_accuses_none_and_the_command_measures_each_alone(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shared_memory, "one_by_one", False)
    monkeypatch.setattr(shared_memory, "memory", memoryview(bytearray(64)))
    states: list[int] = []

    def noting(own: Sequence[Cell], streams: Streams) -> Block:
        states.append(shared_memory.memory[shared_memory.MEASURING])
        return many(own, streams)

    measure_block(noting, cells(), "made")
    assert states == [shared_memory.SEVERAL]
    shared_memory.memory[shared_memory.MEASURING] = shared_memory.SEVERAL
    assert supervisor._ended(int(signal.SIGKILL), "dprepro", []) is None  # the status of a process that was killed
    assert "measures each alone" in capfd.readouterr().err
    assert not shared_memory.died
    lines((em.draw, noting), cells())
    assert len(states) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["algorithm=released_marginals"],
        ["algorithm=released_marginals", "+algorithm.release=laplace", "+construction.ball=0.5"],
        ["algorithm=released_marginals", "+algorithm.release=subsampled", "sweep.n=[200]"],
        ["algorithm=data_free"],
        ["algorithm=noisy_gd", "sweep.n=[200]"],
        ["algorithm=objective_perturbation"],
    ],
)  # fmt: skip
def test_a_study_gives_the_same_bits_for_one_replicate_and_for_many(words: list[str]) -> None:
    at = ["construction=linear_slope", "sweep.n=[200,1e6]", "sweep.p=[1,7,100]", "sweep.epsilon=[1]", "replicates=6"]
    experiment = build_experiment(compose(["+experiment=pair", *at, *words]))
    study = experiment.study
    own = [cell for cell in experiment.cells if cell.series == "pair"]
    for start in range(0, len(own), 6):
        alone = [measuring.measure_cell(study.measure, cell) for cell in own[start : start + 6]]
        if alone[0].status != "ok":
            continue
        streams = [generator(cell.stream) for cell in own[start : start + 6]]
        block = study.measure_many(own[start : start + 6], streams.copy)
        assert block is not None, words
        assert texts_of(block, 6) == [text_of(one.rows) for one in alone]


@pytest.mark.parametrize(
    "words",
    [
        # minimised together by matrix products, whose last bits hang on how many there are
        ["algorithm=objective_perturbation", "construction=correlated_design", "++construction.constraint_set=l2_ball",
         "++construction.loss=logistic", "sweep.n=[4000]", "sweep.p=[12]"],
        # so many normals that the square of their number is no float
        ["algorithm=gaussian_frank_wolfe", "construction=linear_slope", "sweep.n=[2000]", "sweep.p=[100000003]"],
    ],
)  # fmt: skip
def test_a_study_gives_the_same_bits_whatever_a_reduction_does_for_many(words: list[str]) -> None:
    experiment = build_experiment(compose(["+experiment=pair", "sweep.epsilon=[1]", "replicates=6", *words]))
    own = [cell for cell in experiment.cells if cell.series == "pair"]
    alone = [measuring.measure_cell(experiment.study.measure, cell) for cell in own]
    assert alone[0].status == "ok"
    block = experiment.study.measure_many(own, lambda: [generator(cell.stream) for cell in own])
    assert block is not None
    assert texts_of(block, 6) == [text_of(one.rows) for one in alone]
