"""Hydra's options and settings mean here what they mean in Hydra 1.3, or are refused with what to type instead."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from helpers.cheap_experiment import ENVIRONMENT, command

from dprepro.commands import run
from dprepro.commands.parser import declared_by

PAIR = "+experiment=pair"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert command(*arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


APPLICATION = """\
import hydra
from hydra.core.hydra_config import HydraConfig

@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(config):
    pass

main()
"""
FILES = {
    "config.yaml": "defaults:\n  - _self_\npaper: x\nseed: 0\nsame: ${seed}\n",
    "experiment/pair.yaml": (
        "# @package _global_\ndefaults:\n  - /algorithm: descent\n  - _self_\nclaim: ${algorithm}\n"
    ),
    "algorithm/descent.yaml": "steps: 3\n",
    "algorithm/release.yaml": "steps: 1\n",
}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An application of Hydra's own with an experiment that is named like ours."""
    folder = tmp_path_factory.mktemp("hydra")
    for name, text in FILES.items():
        path = folder / "conf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "application.py").write_text(APPLICATION, encoding="utf-8")
    return folder


def hydra(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "application.py", *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, env=ENVIRONMENT)


def test_every_option_that_hydra_lists_is_one_here_with_the_same_short_name(theirs: Path) -> None:
    ours: dict[str, tuple[str, ...]] = {
        f"--{name.replace('_', '-')}": declared.short
        for name, declared in declared_by(run).items()
        if declared.form != "words"
    }
    ours["--help"] = ("-h",)
    listed = hydra(theirs, "--hydra-help").stdout
    found = re.findall(r"^ *(--[\w-]+)(?:,(-\w+))? *:", listed, re.MULTILINE)
    assert len(found) > 10
    for long, short in found:
        assert not short or short in ours[long], long


def test_cfg_job_leaves_references_as_written_and_resolve_follows_them_as_in_hydra(
    theirs: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert yaml.safe_load(hydra(theirs, PAIR, "--cfg", "job").stdout)["claim"] == "${algorithm}"
    assert yaml.safe_load(hydra(theirs, PAIR, "--cfg", "job", "--resolve").stdout)["claim"] == {"steps": 3}
    written = yaml.safe_load(said(capsys, PAIR, "--cfg", "job"))
    resolved = yaml.safe_load(said(capsys, PAIR, "-c", "job", "--resolve"))
    assert written["study"]["series"]["pair"]["algorithm"] == "${algorithm}"
    assert resolved["study"]["series"]["pair"]["algorithm"] == resolved["algorithm"] == written["algorithm"]
    changed = yaml.safe_load(said(capsys, PAIR, "seed=7", "algorithm=data_free", "--cfg=job"))
    assert (changed["seed"], changed["algorithm"]["_target_"]) == (7, "dprepro.algorithms.DataFree")
    assert changed["study"]["series"]["pair"]["algorithm"] == "${algorithm}"
    assert "overridden here" in changed["statement"]
    assert not list(elsewhere.iterdir())


def test_package_prints_a_part_of_the_configuration_under_hydra_s_header(
    theirs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hydra(theirs, PAIR, "--cfg", "job", "-p", "algorithm").stdout == "# @package algorithm\nsteps: 3\n"
    assert hydra(theirs, PAIR, "--cfg", "job", "-p", "seed").stdout == "0\n"
    shown = said(capsys, PAIR, "algorithm=data_free", "--cfg", "job", "-p", "algorithm")
    assert shown == "# @package algorithm\n_target_: dprepro.algorithms.DataFree\n"
    assert said(capsys, PAIR, "--cfg", "job", "--package", "seed") == "0\n"
    assert said(capsys, PAIR, "--cfg", "job", "-p", "_global_") == said(capsys, PAIR, "--cfg", "job")
    assert said(capsys, PAIR, "--cfg", "job", "-p", "study.series.pair.role") == "claim\n"
    assert command(PAIR, "--cfg", "job", "-p", "study.serie") == 2
    assert "unknown key 'serie' (did you mean series?)" in capsys.readouterr().err


def test_cfg_hydra_shows_the_settings_of_hydra_that_hold_here_and_all_shows_both(
    theirs: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (PAIR, "seed=3", "algorithm=release")
    real = yaml.safe_load(hydra(theirs, *arguments, "--cfg", "hydra").stdout)["hydra"]
    ours = yaml.safe_load(said(capsys, PAIR, "seed=3", "algorithm=data_free", "--cfg", "hydra"))["hydra"]
    for key, our in ours.items():
        assert key in real
        assert not isinstance(our, dict) or our.keys() <= real[key].keys()
    assert ours["overrides"]["task"] == [PAIR, "seed=3", "algorithm=data_free"]
    assert real["runtime"]["choices"]["algorithm"] == "release"
    assert ours["runtime"]["choices"] == {
        "experiment": "pair", "algorithm": "data_free", "construction": "correlated_design",
    }  # fmt: skip
    assert ours["run"]["dir"] == "results/pair/overridden/algorithm-data_free,seed-3"
    assert ours["runtime"]["version"] == real["runtime"]["version"]
    both = yaml.safe_load(said(capsys, PAIR, "--cfg", "all"))
    assert both["hydra"]["mode"] == "RUN"
    assert both["paper"] == "lasso"
    assert said(capsys, PAIR, "label=mine", "seed=1", "--cfg", "all", "-p", "hydra.run.dir") == (
        "results/pair/overridden/mine\n"
    )


def test_info_lists_defaults_and_search_path_in_hydra_s_tables(
    theirs: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = hydra(theirs, PAIR, "--info", "defaults").stdout
    ours = said(capsys, PAIR, "--info", "defaults")
    head = next(line for line in ours.splitlines() if "Config path" in line)
    assert head.split() == next(line for line in real.splitlines() if "Config path" in line).split()

    def rows(table: str) -> list[list[str]]:
        cells = ([cell.strip() for cell in line.strip(" |").split("|")] for line in table.splitlines() if "|" in line)
        return [row for row in cells if not row[0].startswith(("hydra", "Config"))]

    assert [row[1:3] for row in rows(real)] == [["", "True"], ["algorithm", "False"], ["", "True"]]
    assert [row[1:3] for row in rows(ours)] == [
        ["", "True"], ["algorithm", "False"], ["construction", "False"], ["", "True"],
    ]  # fmt: skip
    tree = said(capsys, "-i", "defaults-tree", PAIR).splitlines()
    assert tree[-3:] == ["      algorithm: noisy_frank_wolfe", "      construction: correlated_design", "      _self_"]
    path = said(capsys, "--config-dir", str(config_dir), "--info", "searchpath")
    assert f"| command-line | file://{config_dir}" in path
    assert "| main         | file://" in path
    whole = said(capsys, PAIR, "--info")
    assert whole.startswith("Hydra 1.3")
    for title in ("Installed plugins", "Config search path", "Defaults Tree", "Defaults List", "Config"):
        assert f"\n{title}\n" in whole


def test_run_is_what_happens_anyway_and_one_task_is_done_at_a_time_as_in_hydra(
    theirs: Path, elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Only one of --run, --multirun, --cfg" in hydra(theirs, PAIR, "--run", "--multirun").stderr
    assert command("-r", "-m", PAIR) == 2
    assert "--run and --multirun do not go together" in capsys.readouterr().err
    assert command("-r", PAIR, "--cfg", "job") == 2
    assert "--run and --cfg do not go together" in capsys.readouterr().err
    assert "--resolve flag can only be used in conjunction with" in hydra(theirs, PAIR, "--resolve").stderr
    for words in (["--resolve"], ["-p", "seed"]):
        assert command(PAIR, *words) == 2
        assert "add --cfg job" in capsys.readouterr().err
    assert not list(elsewhere.iterdir())
    assert command("--run", "-cd", str(config_dir), "+experiment=cheap") == 0
    assert "files: results/cheap" in capsys.readouterr().out


INSTEAD = {
    "hydra.run.dir=x": "results_dir=DIR",
    "hydra.sweep.dir=x": "results_dir=DIR",
    "hydra.sweep.subdir=x": "label=",
    "hydra.job.name=x": "label=NAME",
    "hydra.job.chdir=true": "leave it out",
    "hydra.verbose=true": "--verbose",
    "hydra.verbose=[a,b]": "--verbose",
    "hydra.mode=MULTIRUN": "--multirun",
    "hydra.searchpath=[x]": "--config-dir DIR",
    "hydra/launcher=joblib": "workers=NUMBER",
    "+hydra/launcher=submitit_slurm": "FILE.yaml for Slurm",
    "hydra/sweeper=optuna": "-m KEY=a,b",
    "hydra.sweeper.params.x=1": "-m KEY=a,b",
    "hydra/job_logging=none": "run.log",
    "hydra.output_subdir=null": "config.yaml lies beside the results",
    "hydra.callbacks.x=1": "leave it out",
}


@pytest.mark.parametrize(("override", "instead"), INSTEAD.items())
def test_a_setting_of_hydra_is_refused_with_what_to_type(
    override: str, instead: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["-m"]):
        assert command(PAIR, override, *more) == 2
        out, err = capsys.readouterr()
        assert err.startswith(f"error: {override}: Hydra's own settings have no effect here; instead: ")
        assert (instead in err, out, err.count("\n")) == (True, "", 1)
    assert not list(elsewhere.iterdir())


OPTIONS = {
    "-cfg": (["-cfg", "job", PAIR], "unknown option '-cfg' (did you mean --cfg?)"),
    "-multirun": (["-multirun", PAIR], "unknown option '-multirun' (did you mean --multirun?)"),
    "cfg of what": ([PAIR, "--cfg", "jobs"], "--cfg takes job, hydra or all, got 'jobs'"),
    "info of what": ([PAIR, "--info", "config-dir"], "--info takes all, config, defaults, "),
    "config name": (["-cn", "lasso_rate"], "to choose an experiment type +experiment=lasso_rate"),
    "config path": (["-cp", "mine"], "is added to them by --config-dir mine"),
    "rerun": (["--experimental-rerun", "config.pickle"], "no run leaves a pickle; type the command again"),
    "completion of zsh": (["-sc", "install=zsh"], "bashcompinit"),
    "completion of fish": (["-sc", "install=fish"], "unknown shell 'fish'; choices: bash"),
    "completion of nothing": (["-sc"], "needs one of install=bash, uninstall=bash, query=bash"),
}


@pytest.mark.parametrize(("arguments", "words"), OPTIONS.values(), ids=OPTIONS)
def test_an_option_that_cannot_be_says_what_to_type(
    arguments: list[str], words: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(*arguments) == 2
    out, err = capsys.readouterr()
    assert (words in err, out, err.count("\n")) == (True, "", 1)
    assert not list(elsewhere.iterdir())


def test_hydra_help_names_every_setting_that_has_another_word_here(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "--hydra-help")
    assert max(map(len, told.splitlines())) <= 80
    for name in ("hydra.run.dir", "hydra.job.name", "hydra.verbose", "hydra/launcher", "--config-name", "results_dir="):
        assert name in told
    assert said(capsys, "-cn", "config", PAIR, "--cfg", "job", "-p", "paper") == "lasso\n"
