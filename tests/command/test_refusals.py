"""Bad input: one line on stderr, exit code 2, nothing written, no heavy import."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.cheap_experiment import CHEAP, command, python, write_config_dir
from helpers.databases import opened

pytestmark = pytest.mark.usefixtures("undrawn")

LASSO = "+experiment=lasso_rate"
NEEDLE = "study.series.tuned_needle"

BAD: dict[str, tuple[list[str], str]] = {
    "unknown experiment": (
        ["+experiment=lasso_rat"],
        "(did you mean lasso_rate?); nearest of N choices: lasso_rate, ",
    ),
    "no experiment": (["sweep.n=[1e5]"], "name an experiment: +experiment=NAME"),
    "no plus": (["experiment=lasso_rate"], "use +experiment=lasso_rate"),
    "two experiments": ([LASSO, "+experiment=pair"], "one experiment at a time, got lasso_rate, pair"),
    "a list without -m": (["+experiment=lasso_rate,pair"], "add -m"),
    "a glob without -m": (["+experiment=glob(*)"], "add -m"),
    "a glob that matches nothing": (["-m", "+experiment=glob(zz*)"], "matches nothing; nearest of N choices: "),
    "unknown option": ([LASSO, "--verbse"], "unknown option '--verbse' (did you mean --verbose?)"),
    "config-dir without folder": (["--config-dir"], "--config-dir needs a folder"),
    "config-dir that is none": ([LASSO, "--config-dir", "/nowhere/at/all"], "/nowhere/at/all is not a folder"),
    "config-dir of nobody": ([LASSO, "--config-dir", "~nosuch/x"], "--config-dir ~nosuch/x leads nowhere: "),
    "config-dir that is too long": ([LASSO, "--config-dir", "x" * 300], "leads nowhere: [Errno 36]"),
    "config-dir with a NUL": ([LASSO, "--config-dir", "a\0b"], "leads nowhere: "),
    "a figure over nothing": ([LASSO, "figure.axis=[]"], "figure.axis names no axis"),
    "a sweep without end": (["-m", LASSO, "seed=range(1,inf)"], "asks for 100,001 runs or more; at most 100,000"),
    "a sweep of sweeps": (["-m", LASSO, "seed=range(0,1000)", "replicates=range(1,1000)"], "999,000 runs or more"),
    "a sweep without steps": (["-m", LASSO, "seed=range(1,10,0)"], "seed=range(1,10,0) is no list of values"),
    "a sweep without values": (["-m", LASSO, "seed=range(3,1)"], "seed=range(3,1) has no value"),
    "an interval": (["-m", LASSO, "seed=interval(1,5)"], "seed=interval(1,5) is no list of values"),
    "key at the top": (
        [LASSO, "sweeep.n=[1e5]"],
        "sweeep.n: unknown key 'sweeep' (did you mean sweep?); nearest of N choices: sweep, ",
    ),
    "key at the top, added": ([LASSO, "+sweeep=1"], "unknown key 'sweeep' (did you mean sweep?)"),
    "axis at the top": ([LASSO, "epsilon=0.5"], "epsilon is an axis of the sweep: type 'sweep.epsilon=[0.5]'"),
    "one value of an axis": ([LASSO, "sweep.epsilon=2"], "it must be a list of numbers: type 'sweep.epsilon=[2]'"),
    "axis by another name": ([LASSO, "eps=2"], "eps is an axis of the sweep called epsilon: type 'sweep.epsilon=[2]'"),
    "axis of the sweep by another name": (
        [LASSO, "sweep.d=[9]"],
        "d is an axis of the sweep called p: type 'sweep.p=[9]'",
    ),
    "key by another name": ([LASSO, "data=iid_design"], "here it is called construction: type construction=iid_design"),
    "data for which the series are not made": (
        ["+experiment=objective_perturbation", "construction=iid_design"],
        "the series of objective_perturbation are made for the construction that it has: +experiment=pair "
        "algorithm=NAME construction=iid_design",
    ),
    "list of an axis at the top": ([LASSO, "n=[1e5,1e6]"], "n is an axis of the sweep: type 'sweep.n=[1e5,1e6]'"),
    "key inside": ([LASSO, "sweep.m=[1e5]"], "sweep.m: unknown key 'm'; choices: delta, epsilon, n, p"),
    "an axis of nobody": ([LASSO, "+sweep.m=[1e5]"], "sweep.m is neither a main axis nor a parameter"),
    "check": (
        [LASSO, "checks.exponent_nn.expected=1"],
        "unknown key 'exponent_nn' (did you mean exponent_n?); nearest of N choices: exponent_n, ",
    ),
    "key in a check": ([LASSO, "checks.exponent_n.expectd=1"], "unknown key 'expectd' (did you mean expected?)"),
    "key in a check, added": ([LASSO, "+checks.exponent_n.expectd=1"], "check exponent_n: unknown key 'expectd'"),
    "a new check": (
        [LASSO, "+checks.mine.expected=1"],
        "check mine has no rule: say which, as +checks.mine.rule=below; choices: affine, attainment, audit, below, ",
    ),
    "rule": (
        [LASSO, "checks.exponent_n.rule=exponnent"],
        "check exponent_n: unknown rule 'exponnent' (did you mean exp",
    ),
    "series of a check": (
        [LASSO, "checks.exponent_n.series=tuned_nedle"],
        "check exponent_n: unknown series 'tuned_nedle' (did you mean tu",
    ),
    "one of the series of a check": ([LASSO, "checks.below_bound.series=[tuned_needle,x]"], "unknown series 'x'"),
    "type in a check": (
        [LASSO, "checks.exponent_n.margin=wide"],
        "check exponent_n: margin is 'wide'; it must be a number",
    ),
    "no paper": ([LASSO, "~paper"], "every experiment has paper; set it, as paper=TEXT"),
    "checks that are none": (
        [LASSO, "checks=1"],
        "checks is 1; it must be a block of keys, one of which is set by checks.",
    ),
    "a sweep that is none": ([LASSO, "sweep=1"], "sweep is 1; it must be a block of keys"),
    "a list of checks": (
        [LASSO, "checks=[1]"],
        "checks is [1]; it must be a block of keys, one of which is set by checks.",
    ),
    "a series that is a text": (
        [LASSO, f"{NEEDLE}=${{claim}}"],
        f"{NEEDLE} is '${{claim}}'; it must be a block of keys",
    ),
    "series that are none": ([LASSO, "study.series=1"], "study.series is 1; it must be a block of keys"),
    "a series that is none": ([LASSO, f"{NEEDLE}=1"], f"{NEEDLE} is 1; it must be a block of keys"),
    "a check that is null": (
        [LASSO, "checks.exponent_n=null"],
        "checks.exponent_n is null; it must be a block of keys",
    ),
    "a figure that is null": ([LASSO, "figure=null"], "figure is null; it must be a block of keys"),
    "an empty rule": ([LASSO, "checks.exponent_n.rule="], "check exponent_n: rule is empty; choices: affine, "),
    "an algorithm that a bound is not about": (
        [LASSO, "algorithm=noisy_gd"],
        "the bound lasso.theorem_2_5 is a function of step_regret, which NoisyGD does not have here; study.bound=none "
        "leaves the bound out; the series of lasso_rate are made for the algorithm that it has: +experiment=pair "
        "algorithm=noisy_gd holds any algorithm on any data against its own bound",
    ),
    "an algorithm without a key that a series changes": (
        ["+experiment=erm_rate", "algorithm=noisy_gd"],
        "unknown key 'step_size' (did you mean step?); choices: constants, noise_factor, step, step_factor, "
        "steps_factor; the series of erm_rate are made for the algorithm that it has: +experiment=pair",
    ),
    "no algorithm": ([LASSO, "algorithm="], "algorithm is empty; nearest of N choices: "),
    "an experiment that is empty": (["+experiment="], "name an experiment: +experiment=NAME"),
    "an experiment as a command": (
        ["lasso_rate"],
        "lasso_rate is an experiment, and no command; type +experiment=lasso_r",
    ),
    "an experiment misspelt as a command": (["lasso_rat"], "an experiment is run by +experiment=lasso_rate"),
    "a part that few have": (
        ["+experiment=kst_tails", "algorithm=noisy_gd"],
        "kst_tails has no algorithm; experiments that have one: balanced_frank_wolfe, erm_exponential, ",
    ),
    "a key alone": ([LASSO, "seed"], "'seed' is not in Hydra's grammar of overrides: a key is set by seed=VALUE"),
    "a value alone": (
        [LASSO, "seed=", "3"],
        "'3' is not in Hydra's grammar of overrides: an override is KEY=VALUE, wi",
    ),
    "a key as an option": ([LASSO, "--seed=3"], "; a key is set without hyphens, as seed=3"),
    "two values": ([LASSO, "seed=3=4"], "seed is '3=4'; it must be a whole number"),
    "a hole in a list": ([LASSO, "sweep.n=[1e5,,1e6]"], "nothing can follow [1e5,,; a list is [1,2], a text with such"),
    "a glob that is not closed": (["-m", "+experiment=glob(lass"], "nothing can follow glob(lass; a list is"),
    "a list in a path": ([LASSO, "results_dir=a,b [c]"], "is put in two pairs of quotes: \"results_dir='TEXT'\""),
    "a list as a folder": ([LASSO, "results_dir=[a]"], "results_dir is ['a']; it must be a text"),
    "a label that leads away": (
        [LASSO, "label=../x"],
        "label: '../x' names no folder: a label has letters, digits and",
    ),
    "a label of a device": ([LASSO, "label=con"], "label: con is the name of a device on Windows"),
    "an empty label": ([LASSO, "label="], "label: '' names no folder"),
    "several labels": ([LASSO, "label=a,b"], "label=a,b means several runs: add -m"),
    "no claim": (
        ["+experiment=pair", "checks.below_bound.role=context", "checks.within_budget.role=context"],
        "role=claim",
    ),
    "no checks": ([LASSO, "~checks"], "every experiment has checks; delete a part of it, as ~checks.NAME"),
    "key in a series": ([LASSO, f"{NEEDLE}.algoritm=1"], "unknown key 'algoritm' (did you mean algorithm?)"),
    "key in a series, added": ([LASSO, f"+{NEEDLE}.algoritm=1"], f"{NEEDLE}: unknown key 'algoritm'"),
    "key in a target": ([LASSO, "+algorithm.stepz=1"], f"{NEEDLE}.algorithm: unknown key 'stepz'"),
    "key in a target, not added": ([LASSO, "algorithm.steps_factor=2"], "is added by +algorithm.steps_factor=2"),
    "key in a block from elsewhere": (
        [LASSO, f"{NEEDLE}.algorithm.x=2"],
        "is taken from ${algorithm}; set the key there, or for this block",
    ),
    "type in a target": ([LASSO, "+algorithm.steps_factor=two"], "steps_factor is 'two'; it must be a number"),
    "choice in a target": ([LASSO, "algorithm.selection=gauss"], "unknown value 'gauss'; choices: gumbel, laplace"),
    "value in a target": ([LASSO, "+algorithm.steps_exponent=-1"], "steps_exponent must be in (0, 2]"),
    "group": (
        [LASSO, "algorithm=frank_wolf"],
        "unknown algorithm 'frank_wolf' (did you mean frank_wolfe?); nearest of N choices: frank_wolfe, ",
    ),
    "a pair that does not fit": (
        [
            "+experiment=pair",
            "algorithm=frank_wolfe",
            "construction=tuned_needle",
            "+study.series.pair.reduction=few_steps",
        ],
        "series pair: FewSteps serves NoisyGD, not FrankWolfe",
    ),
    "shell": ([LASSO, "study._target_=os.system"], "study._target_=os.system is refused: only dprepro"),
    "no dataclass": (
        [LASSO, "study._target_=dprepro.support.typed.build"],
        "is not of the kind Study; ",
    ),
    "wrong kind": (
        [LASSO, "algorithm._target_=dprepro.budget.Budget"],
        "not of the kind Algorithm; nearest of ",
    ),
    "nothing there": ([LASSO, "algorithm._target_=dprepro.algorithms.SGD"], "not of the kind Algorithm; nearest of "),
    "a module on its own": ([LASSO, "algorithm._target_=dprepro"], "is refused"),
    "bound": ([LASSO, "study.bound=lasso.theorem_9"], "unknown bound 'lasso.theorem_9' (did you mean lasso.theorem_2_"),
    "grammar": ([LASSO, "sweep.n=[1,2"], "'sweep.n=[1,2' is not in Hydra's grammar of overrides: "),
    "grammar with -m": (["-m", LASSO, "sweep.n=[1,2"], "'sweep.n=[1,2' is not in Hydra's grammar of overrides: "),
    "nothing": ([LASSO, ""], "'' is not in Hydra's grammar"),
    "no key": ([LASSO, "++=3"], "++=3 names no key; an override is KEY=VALUE"),
    "an interpolation of nothing": ([LASSO, "seed=${nope}"], "Interpolation key 'nope' not found"),
    "hydra": ([LASSO, "hydra.run.dir=x"], "Hydra's own settings have no effect here"),
    "joblib": ([LASSO, "-m", "hydra/launcher=joblib"], "instead: workers=NUMBER for local processes"),
    "submitit": (["+experiment=glob(*)", "-m", "+hydra/launcher=submitit_slurm"], "for a Dask scheduler"),
    "negative n": ([LASSO, "sweep.n=[-5]"], "sweep.n must hold whole numbers of at least 1, got n=-5"),
    "n infinite": ([LASSO, "sweep.n=[1e400]"], "sweep.n must hold whole numbers of at least 1, got n=inf"),
    "n beyond floats": ([LASSO, f"sweep.n=[1{'0' * 400}]"], "it must be a number"),
    "n broken": ([LASSO, "sweep.n=[1.5]"], "sweep.n must hold whole numbers of at least 1, got n=1.5"),
    "n text": ([LASSO, "sweep.n=[many]"], "sweep.n[0] is 'many'; it must be a number"),
    "an expression of something else": (
        [LASSO, "checks.exponent_n.expected=-2/x"],
        "check exponent_n: expected is '-2/x'; it must be a number or an expression: allowed are numbers, + -",
    ),
    "an expression without a value": (
        [LASSO, "checks.exponent_n.expected=ln(0)"],
        "or an expression: ln has no value there",
    ),
    "an ellipsis that leads nowhere": (
        [LASSO, "sweep.n=[1e5,2e5,...,7e5]"],
        "sweep.n: from 100000, 200000 on no geometric progression of at most 1000 terms comes to 700000",
    ),
    "an override that touches nothing": (
        ["+experiment=lasso_tardos_constants", "replicates=3"],
        "replicates=3 touches none of the 11 series",
    ),
    "quantity of a check": (
        [LASSO, "checks.within_budget.quantity=certified_epsilom"],
        "unknown quantity 'certified_epsilom' (d",
    ),
    "n no list": ([LASSO, "sweep.n=100000"], "sweep.n is 100000; it must be a list of numbers"),
    "no n": ([LASSO, "sweep.n=[]"], "sweep.n is empty"),
    "no sweep": ([LASSO, "~sweep"], "every experiment has sweep; delete a part of it, as ~sweep.AXIS"),
    "p zero": ([LASSO, "sweep.p=[0]"], "sweep.p must hold whole numbers of at least 1, got p=0"),
    "epsilon zero": ([LASSO, "sweep.epsilon=[0]"], "sweep.epsilon must hold positive numbers"),
    "epsilon negative": ([LASSO, "sweep.epsilon=[1,-1]"], "got epsilon=-1"),
    "epsilon nan": ([LASSO, "sweep.epsilon=[nan]"], "sweep.epsilon[0] is nan; it must be a number"),
    "delta one": ([LASSO, "sweep.delta=[1]"], "sweep.delta must hold numbers in [0, 1), got delta=1"),
    "replicates zero": ([LASSO, "replicates=0"], "replicates must be at least 1, got replicates=0"),
    "replicates text": ([LASSO, "replicates=many"], "replicates is 'many'; it must be a whole number"),
    "seed negative": ([LASSO, "seed=-1"], "seed must be at least 0"),
    "workers negative": ([LASSO, "workers=-3"], "workers must be at least 1, got workers=-3"),
    "workers text": (
        [LASSO, "workers=abc"],
        "workers must be a number, auto, a Dask scheduler such as tcp://host:8786, or a file such as slurm.yaml",
    ),
    "neighbours": (
        [LASSO, "neighbours=friends"],
        "unknown value 'friends'; choices: add_or_remove_one, replace_one, zero_out",
    ),
    "neighbours of the study": (
        [LASSO, "+study.neighbours=replace_one"],
        "study.neighbours is set by the key neighbours",
    ),
    "figure": (
        [LASSO, "figure.name=pie"],
        "unknown figure.name 'pie'; choices: attack, choice, constants, ledger",
    ),
    "curves of what has no sweep": (
        ["+experiment=attacks_derived", "~figure", "+figure.name=rate", "+figure.quantity=share"],
        "figure.name=rate draws curves along a sweep, and this study has none, but an axis of its own, attack",
    ),
    "option of the figure": (
        [LASSO, "+figure.axes=n"],
        "figure: unknown key 'axes' (did you mean axis?); nearest of N choices: axis, ",
    ),
    "type in the figure": ([LASSO, "figure.slope_range=[1]"], "slope_range has 1 entries"),
    "results_dir empty": ([LASSO, "results_dir="], "results_dir is empty"),
}


def refused(capsys: pytest.CaptureFixture[str], code: int, words: str) -> None:
    """One line that holds the words, on stderr."""
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert words in re.sub(r"nearest of \d+ choices", "nearest of N choices", err)


@pytest.mark.parametrize(("arguments", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_answered_in_one_line_with_exit_code_2_and_nothing_written(
    arguments: list[str], words: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(capsys, command(*arguments), words)
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize(
    "path", ["my(lab)", "my (lab", "rés=1~x", "a b", "1e3", "true", "7", "a#b", "it's", "x;y", "50%", "a\\b"]
)
def test_a_folder_is_named_by_its_letters_whatever_hydra_s_grammar_makes_of_them(
    path: str, elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = config_dir.rename(elsewhere / path)
    shown = [f"results_dir={path}", "--cfg", "job", "-p", "results_dir"]
    assert command("--config-dir", named, "+experiment=cheap", *shown) == 0
    assert capsys.readouterr() == (f"{path}\n", "")
    assert command(f"--config-dir={named}", "+experiment=cheap", f"claim=of {path}", "--checks") == 0
    capsys.readouterr()


def test_a_folder_beneath_the_home_of_a_user_is_named_by_a_tilde(
    tmp_path: Path, elsewhere: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    assert command("--config-dir", config_dir, "+experiment=cheap", "results_dir=~/there") == 0
    assert (tmp_path / "home/there/cheap/verdict.json").is_file()
    assert command("results_dir=~/there") == 0
    assert not list(elsewhere.iterdir())


def test_an_option_of_the_default_figure_needs_no_name_of_a_figure(
    elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = CHEAP[: CHEAP.index("figure:")].replace("p: [1000]", "p: [1000, 2000]")
    folder = write_config_dir(tmp_path / "mine", plain=plain)
    assert command("--config-dir", folder, "+experiment=plain", "+figure.axis=p") == 0
    assert "cells: 20 measured now" in capsys.readouterr().out
    assert "axis: p" in next(elsewhere.rglob("config.yaml")).read_text(encoding="utf-8")


FILES: dict[str, tuple[str, str]] = {
    "syntax": ("# @package _global_\npaper: x\nclaim: [a\n", "bad.yaml is no valid YAML: "),
    "empty": ("", "bad.yaml lacks a key that every experiment has: Missing mandatory value: "),
    "no claim": (CHEAP.replace("claim: Theorem 2.5, cheaply\n", ""), "Missing mandatory value: claim"),
    "claim is a list": (CHEAP.replace("Theorem 2.5, cheaply", "[1, 2]"), "claim is [1, 2]; it must be a text"),
    "a key too many": (CHEAP + "author: me\n", "unknown key 'author'; nearest of N choices: "),
    "study without target": (
        CHEAP.replace("  _target_: dprepro.studies.RateStudy\n", ""),
        "study: a _target_ must say",
    ),
    "a choice that does not exist": (
        CHEAP.replace("/algorithm: noisy_frank_wolfe", "/algorithm: sgd"),
        "unknown algorithm",
    ),
}


@pytest.mark.parametrize(("text", "words"), FILES.values(), ids=FILES)
def test_a_users_yaml_is_checked_alike(
    text: str, words: str, elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_config_dir(tmp_path / "mine", bad=text)
    refused(capsys, command("--config-dir", folder, "+experiment=bad"), words)
    assert not list(elsewhere.iterdir())


def test_a_users_file_that_a_shipped_one_would_hide_is_refused_where_it_is_meant_and_named_in_the_list(
    elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_config_dir(tmp_path / "mine", lasso_rate=CHEAP)
    said = f"{folder / 'experiment' / 'lasso_rate.yaml'} has the name of a shipped one"
    refused(capsys, command("--config-dir", folder, LASSO), said)
    assert not list(elsewhere.iterdir())
    assert command("--config-dir", folder) == 0
    out, err = capsys.readouterr()
    assert "  lasso_rate " in out
    assert err == f"not used: {said}; rename it\n"
    assert command("--config-dir", folder, "+experiment=cheap", "--cfg", "job") == 0
    capsys.readouterr()

    (folder / "algorithm").mkdir()
    (folder / "algorithm" / "data_free.yaml").write_text("_target_: dprepro.algorithms.NoisyGD\n", encoding="utf-8")
    assert command("--config-dir", folder, "+experiment=cheap", "--cfg", "job") == 0
    capsys.readouterr()
    chosen = ["+experiment=cheap", "algorithm=data_free"]
    refused(capsys, command("--config-dir", folder, *chosen), "data_free.yaml has the name of a shipped one")


def test_a_results_folder_that_cannot_be_made_is_refused(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "file").write_text("in the way", encoding="utf-8")
    for folder in ("file", "file/below", "file/further/below"):
        code = command("--config-dir", config_dir, "+experiment=cheap", f"results_dir={folder}")
        refused(capsys, code, f"cannot create or open the store {folder}/measurements.sqlite: ")
    assert [path.name for path in elsewhere.iterdir()] == ["file"]


def test_a_store_from_a_newer_version_is_refused_by_run_and_ledger(
    elsewhere: Path, config_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "results").mkdir()
    store = elsewhere / "results" / "measurements.sqlite"
    with opened(store) as database:
        database.execute("PRAGMA user_version = 99")
    before = store.read_bytes()
    refused(capsys, command("--config-dir", config_dir, "+experiment=cheap"), "has version 99")
    refused(capsys, command("ledger"), "has version 99")
    assert store.read_bytes() == before
    assert [path.name for path in (elsewhere / "results").iterdir()] == ["measurements.sqlite"]


def test_the_ledger_refuses_what_it_does_not_know_and_a_folder_without_store(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(
        capsys,
        command("ledger", "+experiment=lasso_rate"),
        "unknown argument '+experiment='; choices: --config-dir",
    )
    refused(capsys, command("ledger"), "there is no store in results")
    assert not list(elsewhere.iterdir())


HEAVY = ("pandas", "scipy", "numba", "dp_accounting", "matplotlib", "joblib", "jinja2")


def test_neither_the_listing_nor_a_refusal_imports_what_is_slow(elsewhere: Path) -> None:
    """One after the other in one process: what a command has imported is still there after the next."""
    commands = [[], ["+experiment=lasso_rat"], [LASSO, "checks.exponent_n.series=x"], [LASSO, "sweep.n=[-1]"]]
    code = f"""
import sys
from dprepro.__main__ import main
from dprepro.commands.ending import guarded
for arguments in {commands}:
    code = guarded(main, arguments)
    heavy = {{*{HEAVY}}} if arguments else {{*{HEAVY}, "numpy"}}  # a refusal may have looked at numbers
    print("after", arguments, code, *(heavy & set(sys.modules)), file=sys.stderr)
"""
    said = [line for line in python(code).stderr.splitlines() if line.startswith("after ")]
    assert said == [f"after {arguments} {2 if arguments else 0}" for arguments in commands]
