"""An override says what it touches, and is refused where it touches nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cheap_experiment import CHEAP, command, write_config_dir

from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose
from dprepro.errors import InputError

PINNED = CHEAP.replace(
    "at_most: {n: 1.0e6}", "sweep: {n: [3e5]}, replicates: 3, algorithm: data_free, bound: none"
).replace('bounded: {role: context, algorithm: "${algorithm}",', "bounded: {role: context,")
ALL_PINNED = PINNED.replace(
    'needle: {role: claim, algorithm: "${algorithm}",',
    "needle: {role: claim, algorithm: noisy_frank_wolfe, replicates: 2, sweep: {n: [3e5, 1e6]},",
)


def reached(tmp_path: Path, text: str, *overrides: str) -> tuple[str, ...]:
    folder = write_config_dir(tmp_path / "mine", mine=text)
    return build_experiment(compose(["+experiment=mine", *overrides], str(folder))).reach


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["replicates=4"], ["replicates=4 changes 1 of 2 series"]),
        (["sweep.n=[1e6]"], ["sweep.n=[1e6] changes 1 of 2 series"]),
        (["algorithm=noisy_frank_wolfe_laplace"], ["algorithm=noisy_frank_wolfe_laplace changes 1 of 2 series"]),
        (["study.series.bounded.replicates=9", "seed=5"], ["study.series.bounded.replicates=9 changes 1 of 2 series"]),
        (["+study.series.x={like: needle}"], ["+study.series.x={like: needle} changes 1 of 3 series"]),
        (["seed=1", "sweep.p=[100]", "construction=centred_needle", "study.rate=none"], []),
        (["replicates=2", "+algorithm.steps_factor=1", "+sweep.norm=[1]", "checks.both.margin=0.4"], []),
    ],
)
def test_an_override_says_how_many_series_it_touches_where_it_does_not_touch_all(
    tmp_path: Path, overrides: list[str], said: list[str]
) -> None:
    assert reached(tmp_path, PINNED, *overrides) == tuple(said)


@pytest.mark.parametrize("override", ["replicates=7", "sweep.n=[7e5]", "algorithm=noisy_frank_wolfe_laplace"])
def test_an_override_that_touches_no_series_is_refused(tmp_path: Path, override: str) -> None:
    with pytest.raises(InputError, match=r"touches none of the 2 series: .*; set it in study\.series\.NAME"):
        reached(tmp_path, ALL_PINNED, override)


def test_the_command_says_it_before_the_run_and_refuses_with_nothing_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_config_dir(tmp_path / "mine", mine=PINNED, pinned=ALL_PINNED)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert command("--config-dir", folder, "+experiment=pinned", "replicates=7") == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert not list((tmp_path / "elsewhere").iterdir())
    assert command("--config-dir", folder, "+experiment=mine", "replicates=3", "workers=1") == 0
    assert capsys.readouterr().out.startswith("replicates=3 changes 1 of 2 series\nThe excess risk falls")
