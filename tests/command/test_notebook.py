"""`dprepro.run` in a notebook does what the command does, whatever else the notebook does with Hydra."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.cheap_experiment import write_config_dir

import dprepro
from dprepro.errors import DpreproError, InputError

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def config_dir(tmp_path: Path) -> str:
    return str(write_config_dir(tmp_path / "mine"))


def test_it_returns_frame_verdict_and_figure_and_prints_nothing(
    elsewhere: Path, config_dir: str, capfd: pytest.CaptureFixture[str]
) -> None:
    outcome = dprepro.run("cheap", config_dir=config_dir, results_dir=elsewhere / "there")
    assert set(outcome.frame["quantity"]) == {"excess_risk", "noise_moments", "certified_epsilon"}
    assert outcome.verdict["verdict"] == "confirmed"
    assert outcome.verdict["overrides"] == []
    assert outcome.folder == elsewhere / "there/cheap"
    assert len(outcome.figure.axes) == 1
    assert outcome._repr_png_() == (outcome.folder / "figure.png").read_bytes()  # what a cell ending with it shows
    assert (outcome.measured, outcome.reused, outcome.failed) == (10, 0, 0)
    assert str(outcome).endswith("all checks came out as expected")
    assert capfd.readouterr() == ("", "")
    assert [path.name for path in elsewhere.iterdir()] == ["there"]


def test_numbers_of_any_kind_and_nested_changes_are_taken(elsewhere: Path, config_dir: str) -> None:
    changes: list[dict[str, Any]] = [
        {"sweep": {"n": np.array([3e5, 1e6])}, "replicates": np.int64(1)},
        {"sweep": {"n": [300_000, np.float64(1e6)]}, "replicates": 1},
        {"sweep": {"n": (3e5, 10**6), "epsilon": [1]}, "replicates": 1, "workers": 1},
    ]
    first, *others = (dprepro.run("cheap", config_dir=config_dir, **change) for change in changes)
    assert (first.measured, [other.reused for other in others]) == (2, [2, 2])
    planted = dprepro.run(
        "cheap", config_dir=config_dir, checks={"below_bound": {"expected": 0.1, "reason": "it's \\ a test"}}
    )
    assert planted.verdict["verdict"] == "refuted"
    assert planted.verdict["checks"]["below_bound"]["reason"].endswith("it's \\ a test")
    assert planted.reused == 4 - 2


def test_what_the_command_refuses_a_notebook_gets_as_an_error_before_anything_is_written(
    elsewhere: Path, config_dir: str
) -> None:
    bad: list[dict[str, Any]] = [
        {"sweeep": {"n": [1]}}, {"sweep": {"n": []}}, {"sweep": {"n": np.array([np.nan])}}, {"replicates": "many"},
        {"checks": {"below": {"expected": 1}}}, {"figure": {"axes": "n"}}, {"sweep": {"n": {1, 2}}}, {"seed": object()},
    ]  # fmt: skip
    for changes in bad:
        with pytest.raises(InputError):
            dprepro.run("cheap", config_dir=config_dir, **changes)
    with pytest.raises(InputError, match="did you mean cheap"):
        dprepro.run("cheep", config_dir=config_dir)
    assert issubclass(InputError, DpreproError)
    assert not list(elsewhere.iterdir())


def test_it_leaves_the_users_own_hydra_as_it_was(
    elsewhere: Path, config_dir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hydra import compose, initialize_config_dir
    from hydra.core.config_store import ConfigStore
    from hydra.core.global_hydra import GlobalHydra

    store = ConfigStore.instance()
    monkeypatch.setattr(store, "repo", dict(store.repo))
    for group in (None, "algorithm", "replicates"):  # names that this project has too
        store.store("config", {"answer": 41}, group=group)
    stored = dict(store.repo)
    (tmp_path / "users.yaml").write_text("answer: 42\n", encoding="utf-8")
    with initialize_config_dir(version_base=None, config_dir=str(tmp_path)):
        for _ in range(2):
            assert dprepro.run("cheap", config_dir=config_dir, replicates=1).verdict["verdict"]
            with pytest.raises(InputError):
                dprepro.run("cheap", config_dir=config_dir, replicates="x")
        assert compose("users").answer == 42
    assert store.repo == stored
    assert not GlobalHydra.instance().is_initialized()


def test_an_outcome_keeps_its_figure_when_a_later_run_takes_the_folder(elsewhere: Path, tmp_path: Path) -> None:
    folder = str(write_config_dir(tmp_path / "mine"))
    first, _ = (
        dprepro.run("cheap", config_dir=folder, label="one", figure={"heading": heading})
        for heading in ("first", "second")
    )
    assert first.figure.get_suptitle().startswith("first: ")
