"""A program of a page, or its stand-in: ``stand_in.py NAME WORDS`` runs what a table says of the command.

In the folder in which a test runs a page's commands, every program on the path is a script that calls this one. So the
shell sees each command as a person types it, quotes, pipes and all, and only what is too long for a test, needs the
network or does not end is replaced. A command that no row covers ends with the code ``UNCOVERED``.

Imports nothing but the standard library, since it is started some hundred times.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import stat
import sys
from pathlib import Path
from typing import NamedTuple

UNCOVERED = 97
NAMED = re.compile(r"(benchmarks|docs|packs|tests)/\S+|\S+\.txt")
"""Paths of the checkout in a command, which must be there whatever is run in its place."""
SELF = "{0}"
HELP = "{0} --help"
"""Options before ``--help`` are parsed, so that those which a program does not have are refused."""


class Row(NamedTuple):
    """What is run for the commands that match; of several rows the first one counts.

    Attributes:
        pattern: of the whole command.
        told: what is run; ``{0}`` is the command itself, ``{1}`` the pattern's first group.
        why: why it is not the command itself.
        slow: whether a slow test runs the command itself.
        once: whether one run does for all pages, as it leaves nothing behind that other commands read.
    """

    pattern: str
    told: str = SELF
    why: str = ""
    slow: bool = False
    once: bool = False


MUTANT = "python -m mutants least_loss_triple reference_dir=reference"

TYPED = (
    Row(r"make .*", "{0} --dry-run PYTHON=python", "every target is made by a test of its own", once=True),
    Row(r"python -m dprepro( --help| --hydra-help)?"),
    Row(r"python -m dprepro --cfg job \+experiment=\w+"),
    Row(r"python -m dprepro \+experiment=lasso_rate( checks\.\S+)?"),
    Row(r"python -m dprepro \+experiment=lasso_rate \+figure\.style=paper \+figure\.columns=1"),
    Row(r"python -m dprepro \+experiment=lasso_rate( \S+)? --checks"),
    Row(r"python -m dprepro \+experiment=slopes_rate( \S+)?"),
    Row(
        r"python -m dprepro -m \+experiment=glob\(\*\)",
        "python -m dprepro --cfg job -m '+experiment=glob(*_lemmas)'",
        "all take a quarter of an hour; tests/command/test_jobs.py",
    ),
    Row(
        r"python -m dprepro \+experiment=lasso_rate workers=tcp://host:8786",
        "python -m dprepro +experiment=glm_lemmas",
        "there is no such host; tests/engine/test_runner.py starts a scheduler",
    ),
    Row(
        r"python -m dprepro \+experiment=lasso_rate workers=slurm\.yaml( --detach)?",
        "python -m dprepro --cfg job +experiment=lasso_rate",
        "no queue is here; tests/command/test_collect.py",
        once=True,
    ),
    Row(r"python -m dprepro collect( workers=slurm\.yaml)?", HELP, "tests/command/test_collect.py", once=True),
    Row(
        r"python -m dprepro \+experiment=lasso_rate workers=1 shard=\S+",
        "{0}1 --cfg job",
        "no queue is here",
        once=True,
    ),
    Row(r"python -m dprepro merge( results/shards/\* .*)?", HELP, "tests/command/test_merge.py", once=True),
    Row(r"python -m dprepro \+experiment=pair --(cfg|info) .*"),
    Row(r"python -m dprepro (-m )?\+experiment=pair .*", "{0} --cfg job", "five to twenty seconds", slow=True),
    Row(r"python -m dprepro \+experiment=\w+ attack\.algorithm=\w+", "{0} --cfg job", "half a minute", slow=True),
    Row(
        r"python -m dprepro \+experiment=table_regression construction=table .*",
        "{0} replicates=1",
        "half a minute",
        slow=True,
    ),
    Row(r"python -m dprepro \+experiment=table_regression", "{0} --cfg job", "half a minute", slow=True),
    Row(r"python -m dprepro --config-dir packs/peers/conf \+experiment=\w+"),  # skipped without the extra
    Row(r"python -m dprepro -m \+experiment=adassp_\S+", "{0} --cfg job", "twenty seconds", slow=True),
    Row(r"python -m dprepro plot \S+ \S+ axis=n output=both\.png", HELP, "tests/command/test_plot.py", once=True),
    Row(r"python -m dprepro plot RUN .*", HELP, "it needs runs", once=True),
    Row(r"python -m dprepro refute( STATEMENT)?", HELP, "it needs a statement", once=True),
    Row(r"python -m dprepro refute kst-theorem-31", "{0} minutes=1/100", "forty seconds"),
    Row(r"python -m dprepro refute \S+ minutes=1/20"),
    Row(r"python -m dprepro challenge"),
    Row(
        r"python -m dprepro challenge (WITNESS\.json|again=ENTRY)", HELP, "tests/register/test_challenge.py", once=True
    ),
    Row(r"python -m dprepro challenge results_dir=results .*", HELP, "two minutes, and a run", once=True),
    Row(r"python -m dprepro new algorithm private_descent"),
    Row(r"python -m dprepro -sc install=bash"),
    Row(r"python -m dprepro new KIND NAME", HELP, "it needs a kind and a name", once=True),
    Row(r"python -m dprepro release( TABLE)?", HELP, "it needs a table", once=True),
    Row(r"python -m dprepro (new|rate)", HELP, "it needs a kind, or an algorithm", once=True),
    Row(r"python -m dprepro rate .*", "{0} replicates=2 workers=1", "ten seconds", slow=True),
    Row(r"python -m dprepro plot fit wrong axis=n output=both\.png"),
    Row(r"python -m dprepro (ledger|check|pairs|schema|verify)( .*)?"),
    Row(
        r"python -m dprepro audit noisy_mean\.py:fit (.*) draws=40000",
        "python -m dprepro audit noisy_mean.py:fit {1} draws=4000",
    ),
    Row(r"python -m dprepro audit noisy_mean\.py:fit .* draws=4000 replay=true"),
    Row(
        r"python -m dprepro audit (diffprivlib|estimator):.*",
        "python -m dprepro audit --help",
        "the extra peers",
        once=True,
    ),
    Row(r"python -m dprepro referee( \w+)?", HELP, "minutes, and the extras", once=True),
    Row(
        r"pip install \./packs/last_iterate", "python -m ast packs/last_iterate/walkthrough.py", "no network", once=True
    ),
    Row(
        r"python -m dprepro (-m )?\+experiment=(glob\(last_\*\)|attacks_last_iterate)",
        "python -m dprepro --help",
        "the pack is not installed here; packs/last_iterate/tests",
        once=True,
    ),
    Row(
        r"python packs/last_iterate/walkthrough\.py",
        "python -m ast packs/last_iterate/walkthrough.py",
        "the pack is not installed here; packs/last_iterate/tests",
        once=True,
    ),
    Row(r"pip install \./packs/sco", "python -m ast packs/sco/walkthrough.py", "no network", once=True),
    Row(
        r"python -m dprepro (-m )?\+experiment=(glob\(sco_\*\)|attacks_sco)",
        "python -m dprepro --help",
        "the pack is not installed here; packs/sco/tests",
        once=True,
    ),
    Row(
        r"python packs/sco/walkthrough\.py",
        "python -m ast packs/sco/walkthrough.py",
        "the pack is not installed here; packs/sco/tests",
        once=True,
    ),
    Row(
        r"pip install \./packs/objective_perturbation",
        "python -m ast packs/objective_perturbation/walkthrough.py",
        "no network",
        once=True,
    ),
    Row(
        r"python -m dprepro (-m )?\+experiment=(glob\(perturbed_\*\)|attacks_objective_perturbation)",
        "python -m dprepro --help",
        "the pack is not installed here; packs/objective_perturbation/tests",
        once=True,
    ),
    Row(
        r"python packs/objective_perturbation/walkthrough\.py",
        "python -m ast packs/objective_perturbation/walkthrough.py",
        "the pack is not installed here; packs/objective_perturbation/tests",
        once=True,
    ),
    Row(r"python -m dprepro audit FILE\.py:fit .*", HELP, "it needs a function", once=True),
    Row(r"python -m dprepro release survey\.csv .*", HELP, "tests/command/test_release.py", once=True),
    Row(r"python -m dprepro (reference|stability|heldout)", HELP, "tests/report/test_stability_report.py", once=True),
    Row(r"python -m dprepro advise n=1e5 p=100 (.*)", "python -m dprepro advise n=1e4 p=3 {1}", "5 s", slow=True),
    Row(r"python -m dprepro advise p=20 (.*)", "python -m dprepro advise p=3 {1}", "3 s", slow=True),
    Row(r"python -m dprepro advise (schema|table)=.*"),
    Row(r"python -m dprepro advise", HELP, "it needs a point", once=True),
    Row(r"python -m dprepro privacy .*"),
    Row(r"python -m dprepro privacy", HELP, "it needs a training", once=True),
    Row(
        r"python -m paper_figures",
        "{0} lasso_rate output_dir=figures",
        "the others need more measurements, and the folder is the checkout's",
    ),
    Row(r"python -m paper_figures \w+", HELP, "likewise", once=True),
    Row(
        r"python -m docs\.(articles|pictures|release)",
        "python -m pyclbr docs.{1}",
        "it writes into the checkout; tests/documentation, and a figure for each experiment",
        once=True,
    ),
    Row(r"python -m docs\.walkthroughs", HELP, "minutes: tests/experiments/test_walkthroughs.py", once=True),
    Row(r"python (experiments/\w+\.py)", "python -m ast {1}", "likewise"),
    Row(r"python -m mutants --list", MUTANT + " --list", "eight seconds", slow=True, once=True),
    Row(r"python -m mutants( \S+)?", MUTANT, "minutes", once=True),
    Row(r"python benchmarks/peers\.py --tables", HELP, "a part of --quick", slow=True, once=True),
    Row(r"python benchmarks/\w+\.py --quick"),
    Row(r"python -m pytest \S+", HELP, "a test is run by itself", once=True),
    Row(r"python -m build", "python -m hatchling metadata", "the release installs it; the package's own hook runs"),
    Row(r"pip install (--constraint \S+ )?('?dprepro|\.)\[\S+", HELP, "tests/test_constraints.py", once=True),
    Row(r"pip install --constraint \S+ \."),  # from what is here already
    Row(r"pip install -e (\S+)", "pip install ./{1}", "an editable one needs a package from the network"),
    Row(r"pip uninstall .*"),
    Row(r"dask (scheduler|worker tcp://host:8786)", HELP, "it would not end", once=True),
    Row(r"pre-commit install", "pre-commit validate-config .pre-commit-config.yaml", "it belongs to the checkout"),
)
"""What pages tell people to type."""

GONE = "the step before installs it, from the network"

RECIPES = (
    Row(r"make .*"),
    Row(r"python -c .*"),
    Row(r"python -m venv --clear (\S+)"),  # of stand-ins, see below
    Row(r"python -m dprepro"),
    Row(
        r"python -m dprepro -m \+experiment=glob\(\*\)",
        "python -m dprepro --cfg job -m '+experiment=glob(l*_lemmas)'",
        once=True,
    ),
    Row(r"python -m dprepro new algorithm private_descent"),
    Row(r"python -m dprepro -sc install=bash"),
    Row(r"python -m dprepro new KIND NAME", HELP, "it needs a kind and a name", once=True),
    Row(r"python -m dprepro release( TABLE)?", HELP, "it needs a table", once=True),
    Row(r"python -m dprepro (new|rate)", HELP, "it needs a kind, or an algorithm", once=True),
    Row(r"python -m dprepro rate .*", "{0} replicates=2 workers=1", "ten seconds", slow=True),
    Row(r"python -m dprepro plot fit wrong axis=n output=both\.png"),
    Row(
        r"python -m dprepro (ledger|merge|collect|check|verify|reference|stability|heldout|advise|privacy)( .*)?",
        HELP,
        once=True,
    ),
    Row(r"python -m dprepro referee", HELP, "minutes, and the extras", once=True),
    Row(r"python -m dprepro .*", "{0} --cfg job", once=True),
    Row(r"python -m (mutants|paper_figures|docs\.walkthroughs)( .*)?", HELP, once=True),
    Row(r"python -m docs\.(articles|pictures|release)", "python -m pyclbr docs.{1}", "it writes", once=True),
    Row(r"python benchmarks/\w+\.py --quick", HELP, "a page has it", once=True),
    Row(r"python -m (build|twine)( .*)?", "true", GONE),
    Row(r"python -m mkdocs .*", HELP, once=True),
    Row(
        r"python -m pytest (--numprocesses \S+ --dist \S+)( .*)?",
        "python -m pytest {1} --collect-only --quiet tests/support/test_expressions.py",
        once=True,
    ),
    Row(r"python -m pytest tests/test_peers\.py", HELP, "the extra is not here", once=True),
    Row(
        r"python -m pytest -m [a-z ]*(tests/\S+)( tests/\S+)*",
        "python -m ast {1}",
        "its extras are not here",
        once=True,
    ),
    Row(r"pip install --no-deps \./packs/adassp"),
    Row(r"pip (uninstall .*|list)"),
    Row(r"pip .*", HELP, once=True),
    Row(r"(ruff .*|mypy)", HELP, once=True),
    Row(r"sudo apt-get (update|install .*)", "true", "the machine of a workflow is its own"),
    Row(r"pdflatex .*", "true", GONE),
)
"""What recipes of the Makefile, steps of workflows and .ci/run do: that it exists and takes its arguments."""

TABLES = {"TYPED": TYPED, "RECIPES": RECIPES}

TOOLS = ("python", "python3", "pip", "make", "dask", "pre-commit", "ruff", "mypy", "sudo", "pdflatex")
"""Programs that have stand-ins."""
NEEDED = ("bash", "cat", "dirname", "echo", "env", "find", "grep", "mkdir", "rm", "sh", "sort", "touch", "true")
"""Those of the system that a command may use as they are; no others are on the path."""


def tools(folder: Path) -> None:
    """Fill a folder with the stand-ins, as ``bin`` of an environment has them."""
    folder.mkdir(parents=True, exist_ok=True)
    python, here = (shlex.quote(one) for one in (sys.executable, str(Path(__file__).resolve())))
    for name in TOOLS:
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {python} -I -S {here} {name} "$@"\n', encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    (folder / "activate").write_text("", encoding="utf-8")


def known_as(name: str, words: list[str]) -> tuple[str, list[str]]:
    """A program by one name, however it was called."""
    if name == "python3":
        name = "python"
    return ("pip", words[2:]) if name == "python" and words[:2] == ["-m", "pip"] else (name, words)


def looked_up(table: tuple[Row, ...], name: str, words: list[str]) -> tuple[Row, list[str]] | None:
    """The row for a command, and what it says in words; None where no row covers it."""
    typed = " ".join([name, *words])
    for row in table:
        if found := re.fullmatch(row.pattern, typed):
            own = shlex.join([name, *words])
            return row, shlex.split(row.told.format(own, *(group or "" for group in found.groups())))
    return None


def main(name: str, words: list[str]) -> int:
    """Become the command or what stands in for it; returns where neither is to be run."""
    settings = json.loads(os.environ["DPREPRO_STAND_IN"])
    name, words = known_as(name, words)
    where = "RECIPES" if os.environ.get("DPREPRO_RECIPES") else "TYPED"
    found = looked_up(TABLES[where], name, words)
    if found is None:
        typed = " ".join([name, *words])
        print(f"no row of {where} in tests/helpers/stand_in.py covers: {typed}", file=sys.stderr)
        return UNCOVERED
    if gone := [word for word in words if NAMED.fullmatch(word) and not (Path(settings["root"]) / word).exists()]:
        print(f"there is no {gone[0]}", file=sys.stderr)
        return UNCOVERED
    row, command = found
    if settings["slow"] and row.slow:
        command = [name, *words]
    elif row.once and _met(Path(settings["met"]), command):
        return 0
    if command[:3] == ["python", "-m", "venv"]:
        tools(Path(command[-1]) / "bin")
        return 0
    program = settings["programs"].get(command[0])
    if program is None:
        print(f"{command[0]} is not installed here", file=sys.stderr)
        return 0
    environment = {**os.environ, **settings["environment"]}
    if command[0] == "make":  # whose recipes are to find stand-ins
        environment = dict(os.environ)
    if command[0] == "pip":  # the checkout itself, not the folder with links to it
        command = ["python", "-m", *(re.sub(r"^\.(?=$|\[)", settings["root"], word) for word in command)]
        program = settings["programs"]["python"]
    return os.execve(program, [program, *command[1:]], environment)


def _met(folder: Path, command: list[str]) -> bool:
    """Whether another test has run it, or runs it now; from now on one has."""
    try:
        (folder / hashlib.sha256(shlex.join(command).encode()).hexdigest()).touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
