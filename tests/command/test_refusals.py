"""Bad input: one line on stderr, exit code 2, nothing written, no heavy import."""

from __future__ import annotations

from pathlib import Path

import pytest
from cheap_experiment import CHEAP, command, python, write_config_dir
from databases import opened

pytestmark = pytest.mark.usefixtures("undrawn")

LASSO = "+experiment=lasso_rate"
NEEDLE = "study.series.tuned_needle"

BAD: dict[str, tuple[list[str], str]] = {
    "unknown experiment": (["+experiment=lasso_rat"], "(did you mean lasso_rate?); choices: "),
    "no experiment": (["sweep.n=[1e5]"], "name an experiment: +experiment=NAME"),
    "no plus": (["experiment=lasso_rate"], "use +experiment=lasso_rate"),
    "two experiments": ([LASSO, "+experiment=pair"], "one experiment at a time, got lasso_rate, pair"),
    "a list without -m": (["+experiment=lasso_rate,pair"], "add -m"),
    "a glob without -m": (["+experiment=glob(*)"], "add -m"),
    "a glob that matches nothing": (["-m", "+experiment=glob(zz*)"], "matches nothing; choices: "),
    "unknown option": ([LASSO, "--verbose"], "unknown option '--verbose' (did you mean --version?); choices: --cfg, "),
    "cfg of what": ([LASSO, "--cfg", "all"], "--cfg takes job, got 'all'"),
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
        "sweeep.n: unknown key 'sweeep' (did you mean sweep?); choices: algo",
    ),
    "key at the top, added": ([LASSO, "+sweeep=1"], "unknown key 'sweeep' (did you mean sweep?)"),
    "key inside": ([LASSO, "sweep.m=[1e5]"], "sweep.m: unknown key 'm'; choices: delta, epsilon, n, p"),
    "an axis of nobody": ([LASSO, "+sweep.m=[1e5]"], "sweep.m is neither a main axis nor a parameter"),
    "check": (
        [LASSO, "checks.exponent_nn.expected=1"],
        "unknown key 'exponent_nn' (did you mean exponent_n?); choices: ",
    ),
    "key in a check": ([LASSO, "checks.exponent_n.expectd=1"], "unknown key 'expectd' (did you mean expected?)"),
    "key in a check, added": ([LASSO, "+checks.exponent_n.expectd=1"], "check exponent_n: unknown key 'expectd'"),
    "a new check": ([LASSO, "+checks.mine.expected=1"], "check mine: unknown rule ''; choices: affine, audit, below, "),
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
    "no claim": (
        ["+experiment=pair", "checks.below_bound.role=context", "checks.within_budget.role=context"],
        "role=claim",
    ),
    "no checks": ([LASSO, "~checks"], "checks"),
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
        "unknown algorithm 'frank_wolf' (did you mean frank_wolfe?); choices: ",
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
        [LASSO, "study._target_=dprepro.typed.build"],
        "is not of the kind Study; choices: dprepro.studies.",
    ),
    "wrong kind": (
        [LASSO, "algorithm._target_=dprepro.budget.Budget"],
        "not of the kind Algorithm; choices: dprepro.algo",
    ),
    "nothing there": ([LASSO, "algorithm._target_=dprepro.algorithms.SGD"], "not of the kind Algorithm; choices: "),
    "a module on its own": ([LASSO, "algorithm._target_=dprepro"], "is refused"),
    "bound": ([LASSO, "study.bound=lasso.theorem_9"], "unknown bound 'lasso.theorem_9' (did you mean lasso.theorem_2_"),
    "grammar": ([LASSO, "sweep.n=[1,2"], "'sweep.n=[1,2' is not in Hydra's grammar of overrides: "),
    "grammar with -m": (["-m", LASSO, "sweep.n=[1,2"], "'sweep.n=[1,2' is not in Hydra's grammar of overrides: "),
    "nothing": ([LASSO, ""], "'' is not in Hydra's grammar"),
    "no key": ([LASSO, "++=3"], "++=3 names no key; an override is KEY=VALUE"),
    "an interpolation of nothing": ([LASSO, "seed=${nope}"], "Interpolation key 'nope' not found"),
    "hydra": ([LASSO, "hydra.run.dir=x"], "Hydra's own settings have no effect here"),
    "joblib": ([LASSO, "-m", "hydra/launcher=joblib"], "nor have its launchers and sweepers; workers= names local"),
    "submitit": (["+experiment=glob(*)", "-m", "+hydra/launcher=submitit_slurm"], "or a Dask scheduler"),
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
        [LASSO, "checks.within_budget.quantity=spent_epsilom"],
        "unknown quantity 'spent_epsilom' (d",
    ),
    "n no list": ([LASSO, "sweep.n=100000"], "sweep.n is 100000; it must be a list of numbers"),
    "no n": ([LASSO, "sweep.n=[]"], "sweep.n is empty"),
    "no sweep": ([LASSO, "~sweep"], "sweep"),
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
        "workers must be a number, auto, or a Dask scheduler such as tcp://host:8786",
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
    "option of the figure": (
        [LASSO, "+figure.axes=n"],
        "figure: unknown key 'axes' (did you mean axis?); choices: axis, crossings",
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
    assert words in err


@pytest.mark.parametrize(("arguments", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_answered_in_one_line_with_exit_code_2_and_nothing_written(
    arguments: list[str], words: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(capsys, command(*arguments), words)
    assert not list(elsewhere.iterdir())


FILES: dict[str, tuple[str, str]] = {
    "syntax": ("# @package _global_\npaper: x\nclaim: [a\n", "bad.yaml is no valid YAML: "),
    "empty": ("", "bad.yaml lacks a key that every experiment has: Missing mandatory value: "),
    "no claim": (CHEAP.replace("claim: Theorem 2.5, cheaply\n", ""), "Missing mandatory value: claim"),
    "claim is a list": (CHEAP.replace("Theorem 2.5, cheaply", "[1, 2]"), "claim is [1, 2]; it must be a text"),
    "a key too many": (CHEAP + "author: me\n", "unknown key 'author'; choices: "),
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
