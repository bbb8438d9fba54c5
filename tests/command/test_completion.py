"""Completion in bash, as bash asks for it, and by Hydra's protocol of queries."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import private_mirror
from helpers.cheap_experiment import ENVIRONMENT, command

from dprepro.commands.completion import INSTALL, completed


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("dprepro ref", "refute"),
        ("dprepro +exp", "+experiment="),
        ("dprepro +experiment=lasso_rat", "+experiment=lasso_rate"),
        ("dprepro -m +experiment=lasso_rate,pai", "+experiment=lasso_rate,pair"),
        ("dprepro +experiment=pair algorithm=noisy_frank_wolfe_l", "algorithm=noisy_frank_wolfe_laplace"),
        ("dprepro +experiment=lasso_tardos attack.algorithm=noisy_s", "attack.algorithm=noisy_sgd"),
        ("dprepro +experiment=pair +construction=tuned", "+construction=tuned_needle"),
        ("dprepro +experiment=pair swee", "sweep."),
        ("dprepro +experiment=pair sweep.eps", "sweep.epsilon="),
        ("dprepro +experiment=pair sweep.epsilon=", "sweep.epsilon=[1]"),
        ("dprepro +experiment=pair ~checks.viol", "~checks.violates."),
        ("dprepro +experiment=pair checks.violates.role=con", "checks.violates.role=context"),
        ("dprepro +experiment=pair see", "seed="),
        ("dprepro see", "seed="),
        ("dprepro +experiment=pair neighbours=z", "neighbours=zero_out"),
        ("dprepro +experiment=pair reuse=", "reuse=any"),
        ("dprepro +experiment=pair --che", "--checks"),
        ("dprepro --cfg h", "hydra"),
        ("dprepro --info defaults-", "defaults-tree"),
        ("dprepro -sc ins", "install=bash"),
        ("dprepro '+experiment=lasso_rat", "+experiment=lasso_rate"),
        ("python -m dprepro +experiment=lasso_rat", "+experiment=lasso_rate"),
        ("dprepro rate algo", "algorithm="),
        ("dprepro rate algorithm=noisy_s", "algorithm=noisy_sgd"),
        ("dprepro rate algorithm=noisy_sgd sweep.e", "sweep.epsilon="),
        ("dprepro rate direction=eq", "direction=equals"),
        ("dprepro rate loss=sq", "loss=squared"),
        ("dprepro rate constraint_set=l1", "constraint_set=l1_ball"),
        (f"dprepro rate algorithm={private_mirror.__file__}:Mir", f"algorithm={private_mirror.__file__}:MirrorDescent"),
        ("python -m dprepro", ""),
    ],
)
def test_a_line_is_completed_by_what_may_stand_there(line: str, word: str) -> None:
    assert word in completed(line) if word else completed("dprepro +experiment=no_such_name_at_all") == []


def test_runs_are_completed_for_a_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in ("lasso_rate", "lasso_rate/overridden/small"):
        (tmp_path / "results" / run).mkdir(parents=True)
        (tmp_path / "results" / run / "verdict.json").touch()
    monkeypatch.chdir(tmp_path)
    assert completed("dprepro plot las") == ["lasso_rate", "lasso_rate/overridden/small"]


def test_keys_are_those_of_the_experiment_on_the_line_and_of_the_folder_that_is_named(config_dir: Path) -> None:
    own = f"dprepro --config-dir {shlex.quote(str(config_dir))} +experiment="
    assert completed(f"{own}chea") == ["+experiment=cheap", "+experiment=cheap_too"]
    assert completed(f"{own}cheap checks.") == ["checks.below_bound.", "checks.both.", "checks.half_the_bound."]
    assert completed(f"{own}cheap study.series.needle.r") == ["study.series.needle.role="]


def test_a_query_takes_the_line_up_to_the_cursor_and_a_broken_one_gives_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "dprepro +experiment=lasso_rat seed=1"
    monkeypatch.setenv("COMP_LINE", line)
    monkeypatch.setenv("COMP_POINT", str(line.index(" seed")))
    assert command("-sc", "query=bash") == 0
    assert capsys.readouterr().out == "+experiment=lasso_rate\n"
    monkeypatch.setenv("COMP_LINE", "dprepro --config-dir /nowhere +experiment=la")
    monkeypatch.setenv("COMP_POINT", "999")
    assert command("-sc", "query=bash") == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_behind_the_equals_sign_at_which_it_breaks_words(tmp_path: Path) -> None:
    program = tmp_path / "dprepro"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m dprepro "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "python").symlink_to(program.with_name("interpreter"))
    (tmp_path / "interpreter").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
    (tmp_path / "interpreter").chmod(0o755)
    script = f"""
{INSTALL}
ask() {{ COMP_LINE=$1 COMP_POINT=${{#1}}; _dprepro_complete dprepro; printf '<%s>' "${{COMPREPLY[@]}}"; echo; }}
ask 'dprepro +experiment=lasso_rat'
ask 'dprepro +experiment=pair seed'
COMP_WORDBREAKS=${{COMP_WORDBREAKS//=}}
ask 'dprepro +experiment=lasso_rat'
complete -p dprepro
eval "$(python -m dprepro -sc install=bash)"
COMP_LINE='python -m dprepro +experiment=lasso_rat' COMP_POINT=39; _dprepro_complete python; echo "${{COMPREPLY[@]}}"
COMP_LINE='python -m pytest +experiment=lasso_rat' COMP_POINT=38; _dprepro_complete python; echo "${{#COMPREPLY[@]}}"
complete -p python
eval "$(dprepro -sc uninstall=bash)"
complete -p dprepro 2>/dev/null || complete -p python 2>/dev/null || echo gone
"""
    environment = {**ENVIRONMENT, "PATH": os.pathsep.join((str(tmp_path), os.environ["PATH"]))}
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.stdout.splitlines() == [
        "<lasso_rate>",
        "<seed=>",
        "<+experiment=lasso_rate>",
        "complete -o default -o nospace -F _dprepro_complete dprepro",
        "+experiment=lasso_rate",
        "0",
        "complete -o default -o nospace -F _dprepro_complete python",
        "gone",
    ], done.stderr
