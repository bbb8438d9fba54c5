"""Composition by Hydra: what is swept, what counts as an override, and that all shipped experiments are sound."""

from __future__ import annotations

import itertools
import re
from itertools import zip_longest
from pathlib import Path

import pytest
import yaml
from helpers.cheap_experiment import write_config_dir
from helpers.shipped import composed

from dprepro.config import compose as module
from dprepro.config.checked_experiment import build_experiment
from dprepro.config.compose import compose, expand_sweeps
from dprepro.config.config_files import headers, read_block
from dprepro.errors import InputError, MissingDependency
from dprepro.support.folders import conf_dir, experiment_files


@pytest.fixture
def config_dir(tmp_path: Path) -> str:
    return str(write_config_dir(tmp_path / "mine"))


@pytest.mark.parametrize(
    ("overrides", "jobs"),
    [
        (["+experiment=glob(cheap*)"], ["+experiment=cheap", "+experiment=cheap_too"]),
        (["+experiment=glob(cheap*,exclude=cheap_too)"], ["+experiment=cheap"]),
        (["+experiment=glob([cheap_t*,cheap])"], ["+experiment=cheap", "+experiment=cheap_too"]),
        (["+experiment=cheap_too,cheap"], ["+experiment=cheap_too", "+experiment=cheap"]),
        (["+experiment=cheap", "seed=1,2"], ["+experiment=cheap seed=1", "+experiment=cheap seed=2"]),
        (["+experiment=cheap", "seed=range(2)"], ["+experiment=cheap seed=0", "+experiment=cheap seed=1"]),
        (["+experiment=a", "sweep.n=[5],[7,9]"], ["+experiment=a sweep.n=[5]", "+experiment=a sweep.n=[7,9]"]),
        (["+experiment=a", "algorithm=glob(data*)"], ["+experiment=a algorithm=data_free"]),
        (["+experiment=a", "sweep.n=[1,2]", "~seed"], ["+experiment=a sweep.n=[1,2] ~seed"]),
    ],
)
def test_lists_globs_and_ranges_expand_as_in_hydra(overrides: list[str], jobs: list[str], config_dir: str) -> None:
    assert [" ".join(job) for job in expand_sweeps(overrides, config_dir)] == jobs


def test_the_star_takes_every_experiment_shipped_and_own(config_dir: str) -> None:
    every = [job[0].removeprefix("+experiment=") for job in expand_sweeps(["+experiment=glob(*)"], config_dir)]
    assert every == sorted(experiment_files(config_dir))
    assert {"cheap", "cheap_too", "lasso_rate"} <= set(every)


def test_group_choices_are_overrides_and_execution_settings_are_none(config_dir: str) -> None:
    execution = ["results_dir=x", "++workers=2", "+experiment=cheap"]
    assert compose(execution, config_dir).overrides == ()
    changes = ["algorithm=noisy_frank_wolfe_laplace", "++seed=3", "~checks.both"]
    assert compose([*execution, *changes], config_dir).overrides == tuple(changes)


def test_the_stored_configuration_is_resolved_and_has_the_keys_of_the_contract(config_dir: str) -> None:
    experiment = build_experiment(compose(["+experiment=cheap", "algorithm=noisy_frank_wolfe_laplace"], config_dir))
    assert experiment.config["study"]["series"]["needle"]["algorithm"]["selection"] == "laplace"
    assert set(experiment.config) == {
        "paper", "claim", "statement", "neighbours", "study", "sweep", "replicates", "seed", "workers", "results_dir",
        "checks", "figure",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sweep", "axis"), [({}, "n"), ({"n": "[3e5]", "epsilon": "[1,2]"}, "epsilon"), ({"n": "[3e5]"}, "n")]
)
def test_without_a_figure_block_the_rate_is_drawn_over_the_first_swept_axis(
    config_dir: str, sweep: dict[str, str], axis: str
) -> None:
    overrides = [f"sweep.{key}={values}" for key, values in sweep.items()]
    path = Path(config_dir) / "experiment/cheap.yaml"
    path.write_text("\n".join(path.read_text("utf-8").split("figure:")[:1]), encoding="utf-8")
    experiment = build_experiment(compose(["+experiment=cheap", *overrides], config_dir))
    assert experiment.config["figure"] == {"name": "rate", "axis": axis}


def test_a_users_own_algorithm_construction_and_experiment_are_found(config_dir: str) -> None:
    (Path(config_dir) / "algorithm").mkdir()
    own = {"_target_": "dprepro.algorithms.NoisyFrankWolfe", "steps_factor": 2.0}
    (Path(config_dir) / "algorithm/mine.yaml").write_text(yaml.safe_dump(own), encoding="utf-8")
    found = compose(["+experiment=cheap", "algorithm=mine"], config_dir)
    assert found.config["study"]["series"]["needle"]["algorithm"] == own


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = write_config_dir(tmp_path / "a, 'b' ${c} %20 é")
    assert compose(["+experiment=cheap"], str(folder)).sources[-1] == "experiment/cheap.yaml"


@pytest.mark.parametrize(
    ("overrides", "times"), [(["workers=2"], 1), (["algorithm=data_free"], 2), (["seed=3", "replicates=1"], 2)]
)
def test_an_experiment_is_composed_once_and_once_more_where_it_is_overridden(
    overrides: list[str], times: int, config_dir: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    for part in ("_composed", "_overridden"):  # each asks Hydra once
        hydras = getattr(module, part)
        monkeypatch.setattr(module, part, lambda *given, hydras=hydras: calls.append(given) or hydras(*given))
    compose(["+experiment=cheap", *overrides], config_dir)
    assert len(calls) == times


def test_every_shipped_experiment_is_sound() -> None:
    heads = headers()
    for name in experiment_files():
        assert all(heads[name].values())
        try:
            experiment = build_experiment(composed(name))
        except MissingDependency:
            continue
        roles = {check["role"] for check in experiment.config["checks"].values()}
        assert {"claim", "control"} <= roles, name
        assert experiment.reach == (), name  # nothing takes long, no grid lacks anything


def test_every_shipped_experiment_can_be_read_without_scrolling() -> None:
    texts = {name: path.read_text(encoding="utf-8") for name, path in experiment_files().items()}
    lines = {name: text.splitlines() for name, text in texts.items()}
    assert max(len(line) for some in lines.values() for line in some) <= 120
    longer = {name: len(some) for name, some in lines.items() if len(some) > 80}
    assert longer.pop("advice") <= 205  # it lists its cases
    assert longer == {"privacy_laws": 90, "table_classification": 123, "table_regression": 125}
    assert sum(map(len, lines.values())) <= 65 * len(lines)
    assert sum(len(re.findall(r"\blike:", text)) for text in texts.values()) <= 7.5 * len(lines)


@pytest.mark.parametrize("some", [slice(0, None, 7), pytest.param(slice(None), marks=pytest.mark.slow)])
def test_every_shipped_choice_of_a_group_builds(some: slice) -> None:
    groups = ("algorithm", "construction")
    files = [sorted((conf_dir() / group).glob("*.yaml")) for group in groups]
    for path in itertools.chain(*files):
        assert read_block(path)["_target_"].startswith("dprepro.")
    for paths in list(zip_longest(*files))[some]:
        chosen = [path for path in paths if path]
        config = compose(["+experiment=pair", *(f"{path.parent.name}={path.stem}" for path in chosen)]).config
        for path in chosen:
            assert config[path.parent.name].items() >= read_block(path).items()


@pytest.mark.parametrize(
    "override",
    [
        "attack.algorithm=noisy_gd",
        "++attack.algorithm='noisy_gd'",
        "+attack.foo=1",
        "+attack.algorithm.constants=exact",
    ],
)
def test_an_attack_is_refused_where_the_experiment_has_none(override: str) -> None:
    with pytest.raises(InputError, match=r"^lasso_rate has no attack"):
        compose(["+experiment=lasso_rate", override])


def test_a_part_of_the_configuration_that_nothing_uses_is_refused() -> None:
    with pytest.raises(InputError, match=r"^lasso_tardos has no algorithm; experiments that have one: \w+, erm_exp"):
        compose(["+experiment=lasso_tardos", "+algorithm.foo=1"])


def test_an_attack_takes_an_algorithm_by_name_and_its_label_follows() -> None:
    config = compose(["+experiment=lasso_tardos", "attack.algorithm=data_free"]).config
    assert config["attack"]["algorithm"] == {"_target_": "dprepro.algorithms.DataFree"}
    assert config["figure"]["labels"]["attacked"].endswith("dprepro.algorithms.DataFree")


def test_a_series_that_is_deleted_is_held_against_no_statement() -> None:
    words = ["~study.series.in_norm", "~study.series.in_delta"]
    config = compose(["+experiment=glm_jl", *words]).config
    stated = config["statements"]["Theorem 2"]
    assert not {"in_norm", "in_delta"} & {*stated["attains"], *stated["within"]}
    assert "in_n" in stated["attains"]
    assert "exponent_n" in config["checks"]
    assert not {"exponent_norm", "exponent_delta"} & {*config["checks"]}
