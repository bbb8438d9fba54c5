"""A program of a page, or its stand-in: ``stand_in.py NAME WORDS`` looks the words up in a table and runs what it says.

In the folder in which a test runs a page's commands, every program on the path is a script that calls this one. So the
shell sees each command as a person types it, quotes, pipes and all, and only what is too long for a test, or needs the
network, is replaced. A command that no row covers ends with the code ``UNCOVERED``.

The first row whose pattern matches NAME WORDS decides; ``{0}`` stands for the command as it was typed, ``{1}`` for the
pattern's first group. Imports nothing but the standard library, since it is started some hundred times.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import sys
from pathlib import Path

UNCOVERED = 97
SELF = "{0}"
HELP = "{0} --help"
"""Options before ``--help`` are parsed, so that those which a program does not have are refused."""
NOTHING = "true"

# What a page tells people to type. At the right: what is run, and why it is not the command itself.
TYPED: tuple[tuple[str, str], ...] = (
    (r"make .*", "{0} --dry-run"),  # every target is made by a test of its own
    (r"python -m dprepro( --help)?", SELF),
    (r"python -m dprepro --cfg job \+experiment=\w+", SELF),
    (r"python -m dprepro \+experiment=lasso_rate( checks\.\S+)?", SELF),
    # all: a quarter of an hour
    (r"python -m dprepro -m \+experiment=glob\(\*\)", "python -m dprepro -m '+experiment=glob(l*_lemmas)'"),
    # there is no such host; tests/engine/test_runner.py has a scheduler
    (r"python -m dprepro \+experiment=lasso_rate workers=tcp://host:8786", "python -m dprepro +experiment=glm_lemmas"),
    (r"python -m dprepro \+experiment=glm_lemmas", SELF),
    (r"python -m dprepro \+experiment=one_vertex_rate( \S+)?", SELF),
    (r"python -m dprepro \+experiment=pair algorithm=one_vertex .*", "{0} replicates=1"),
    (r"python -m dprepro \+experiment=pair .*", "{0} replicates=1"),
    (
        r"python -m dprepro (-m \+experiment=pair algorithm=\S+) construction=glob\(\*_design\)",
        "python -m dprepro {1} 'construction=glob(pl*_design)'",
    ),
    (
        r"python -m dprepro \+experiment=\w+ attack\.algorithm=\w+",
        "{0} study.trials=1 replicates=1 'sweep.epsilon=[0.001]' ~figure",
    ),
    (r"python -m dprepro \+experiment=table_regression construction=table .*", "{0} replicates=1"),
    (r"python -m dprepro \+experiment=table_regression", "{0} --cfg job"),
    (r"python -m dprepro --config-dir packs/peers/conf \+experiment=\w+", SELF),  # without the extra: skipped
    (r"python -m dprepro -m \+experiment=adassp_rate,adassp_split,adassp_audit", "{0} replicates=1"),
    (r"python -m dprepro\.(ledger|check|pairs|schema)( .*)?", SELF),
    (r"python -m dprepro\.verify share=\.02", SELF),
    (r"python -m dprepro\.advise", "python -m dprepro.advise n=1e4 p=3 epsilon=1"),
    (r"python -m dprepro\.advise .*", SELF),
    (r"python -m dprepro\.reference", "{0} reference_dir=reference"),  # not into the checkout
    (r"python -m dprepro\.stability", "{0} seeds=2"),
    (r"python -m paper_figures", "{0} lasso_rate output_dir=figures"),  # the others need more measurements
    (r"python -m paper_figures \w+", HELP),
    (r"python -m docs\.walkthroughs", HELP),  # minutes; tests/experiments/test_walkthroughs.py
    (r"python (experiments/\w+\.py)", "python -m ast {1}"),  # likewise
    (r"python -m mutants --list", "{0} least_loss_*"),
    (r"python -m mutants( \S+)?", "python -m mutants least_loss_triple reference_dir=reference"),
    (r"python benchmarks/\w+\.py --(quick|tables)", SELF),
    (r"python -m pytest \S+", "{0} --collect-only --quiet"),
    (r"python -m build", "python -m hatchling metadata"),  # installed by the release; the package's own hook runs
    (r"pip install -e (\S+)", "pip install {1}"),  # an editable one needs a package from the network
    (r"pip (install|uninstall) .*", SELF),  # from this machine alone
    (r"dask (scheduler|worker( tcp://host:8786)?)", HELP),  # they would not end
    (r"pre-commit install", "pre-commit validate-config .pre-commit-config.yaml"),  # not into the checkout's .git
)

# What a recipe of the Makefile, a step of a workflow or .ci/run does: that it exists and takes its arguments.
RECIPES: tuple[tuple[str, str], ...] = (
    (r"make .*", SELF),
    (r"python -c .*", SELF),
    (r"python -m venv --clear (\S+)", SELF),  # of stand-ins, see below
    (r"python -m dprepro", SELF),
    (r"python -m dprepro -m \+experiment=glob\(\*\)", "python -m dprepro --cfg job -m '+experiment=glob(lasso_lem*)'"),
    (r"python -m dprepro .*", "{0} --cfg job"),
    (r"python -m (dprepro\.\w+|mutants|paper_figures|docs\.walkthroughs)( .*)?", HELP),
    (r"python benchmarks/\w+\.py .*", HELP),
    (r"python -m (build|twine|pip list)( .*)?", NOTHING),  # the step before installs them, from the network
    (r"python -m mkdocs .*", HELP),
    (r"python -m pytest( .*)?", "{0} --collect-only --quiet tests/test_expressions.py"),
    (r"pip install --no-deps \./packs/adassp", SELF),
    (r"pip uninstall .*", SELF),
    (r"pip .*", HELP),
    (r"(ruff|mypy).*", HELP),
)

TABLES = {"TYPED": TYPED, "RECIPES": RECIPES}

TOOLS = ("python", "python3", "pip", "make", "dask", "pre-commit", "ruff", "mypy")
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
    if name == "python" and words[:2] == ["-m", "pip"] and words[2:3] != ["list"]:
        return "pip", words[2:]
    return name, words


def looked_up(table: tuple[tuple[str, str], ...], name: str, words: list[str]) -> list[str] | None:
    """What a table has for a command, as words; None where no row covers it."""
    typed = " ".join([name, *words])
    for pattern, told in table:
        if found := re.fullmatch(pattern, typed):
            return shlex.split(told.format(shlex.join([name, *words]), *(one or "" for one in found.groups())))
    return None


def main(name: str, words: list[str]) -> int:
    """Run the command or what stands in for it; returns where neither is to be run."""
    name, words = known_as(name, words)
    where = "RECIPES" if os.environ.get("DPREPRO_RECIPES") else "TYPED"
    command = looked_up(TABLES[where], name, words)
    if command is None:
        typed = " ".join([name, *words])
        print(f"no row of {where} in tests/documentation/stand_in.py covers: {typed}", file=sys.stderr)
        return UNCOVERED
    settings = json.loads(os.environ["DPREPRO_STAND_IN"])
    if command[:3] == ["python", "-m", "venv"]:
        tools(Path(command[-1]) / "bin")
        return 0
    environment = {**os.environ, **settings["environment"]}
    if command[0] == "make":  # whose recipes are to find stand-ins
        environment = dict(os.environ)
    if command[0] == "pip":  # the checkout itself, not the folder with links to it
        command = ["python", "-m", *(re.sub(r"^\.(?=$|\[)", settings["root"], word) for word in command)]
    program = settings["programs"].get(command[0])
    if program is None:
        print(f"{command[0]} is not installed here", file=sys.stderr)
        return 0
    return os.execve(program, [program, *command[1:]], environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
