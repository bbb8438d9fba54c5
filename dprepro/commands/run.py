"""``python -m dprepro [key=value ...]``: list the experiments, or run some."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from dprepro.commands.completion import INSTALL, completion
from dprepro.commands.ending import tell_error
from dprepro.commands.parser import Kind, config_dir, flag, option, text, words
from dprepro.commands.shown import CFG, HYDRA_HELP, INFO
from dprepro.errors import InputError
from dprepro.support.user_files import trust_folder, trust_overrides

ABOUT = """\
Measures what a theorem claims. An experiment compares algorithms with a claim:
it prints a table, a line for every check, and the verdict (confirmed, refuted,
inconclusive); measurements, verdict and figure go to results_dir/NAME. What was
measured is kept and never measured twice; an interrupted run is resumed.

  python -m dprepro                           list experiments and last verdicts
  python -m dprepro +experiment=lasso_rate    run one
  python -m dprepro -m '+experiment=glob(*)'  run all, whatever fails; then the
  python -m dprepro ledger                    ledger of all theorems and errata
  python -m dprepro COMMAND --help            what a command does and takes"""

NOTES = """\
useful keys (any key of the YAML can be set; the grammar is Hydra's)
  sweep.n=[1e5,1e6,1e7]      axes are lists: n, p, epsilon, delta, norm and
                             parameters by name; -2/3 and 2^-3 are numbers
  replicates=10  seed=1      repetitions of a grid point, seed of all streams
  workers=2                  local processes, auto, a Dask scheduler such as
                             tcp://host:8786, or jobs of a queue: slurm.yaml
  results_dir=DIR            where the store and the results are [results]
  shard=3/16                 every sixteenth block of cells, in a store apart;
                             python -m dprepro merge brings them together
  cell_minutes=30            a cell that takes longer has failed
  reuse=any                  keep cells that were measured by other code; such a
                             run never enters the ledger
  checks.NAME.expected=-0.5  plant a false claim and watch it being refuted
  algorithm=NAME  construction=NAME
                             where the experiment leaves the choice, as in pair;
                             FILE.py:NAME is a class or a function of your own

exit codes
  0 measured, whatever the verdict; 1 some cells, or some experiments of -m,
  failed; 2 bad input; 130 interrupted, 143 SIGTERM, 129 SIGHUP (128 + signal;
  the same command resumes)"""


def _one_of(choices: Sequence[str]) -> Kind:
    """One of these words."""

    def kind(name: str, given: str) -> str:
        if given not in choices:
            raise InputError(f"{name} takes {', '.join(choices[:-1])} or {choices[-1]}, got {given!r}")
        return given

    return kind


def _primary(name: str, given: str) -> str:
    """Hydra's name of the primary configuration, which is always the same here."""
    if given.removesuffix(".yaml") != "config":
        raise InputError(
            f"{name} {given}: every experiment starts from config; to choose an experiment type +experiment={given}"
        )
    return given


def _refused(why: str) -> Kind:
    """An option of Hydra that cannot mean here what it means there."""

    def kind(name: str, given: str) -> str:
        raise InputError(f"{name} {given}: {why.format(given)}")

    return kind


RERUN = "no run leaves a pickle; type the command again, with the overrides that the run's verdict.json has"
PATH = "the shipped configurations are always there; a folder of your own is added to them by --config-dir {}"


@dataclass(frozen=True)
class Arguments:
    """The command line of a run."""

    overrides: tuple[str, ...] = words("[COMMAND | key=value ...]")
    run: bool = flag("run once, which is what happens anyway", "-r")
    multirun: bool = flag("run every combination of comma-separated values and globs", "-m")
    config_dir: str | None = config_dir()
    trust: bool = flag(
        "run what lies in algorithms/*.py and constructions/*.py of that folder; without it no file of it is run"
    )
    verbose: bool = flag("tell each check's constant, rivals and reasons, as verdict.json has them")
    detach: bool = flag("with workers=slurm.yaml: hand the jobs in and end; python -m dprepro collect has the rest")
    cfg: str | None = option("job|hydra|all", "print the configuration and stop", _one_of(CFG), "-c")
    resolve: bool = flag("with --cfg: follow references such as ${algorithm}")
    package: str | None = option("KEY", "with --cfg: print this part, such as study.series", text, "-p")
    info: str | None = option(
        "WHAT",
        f"print what the configuration is made of, and stop: {', '.join(INFO)}",
        _one_of(INFO),
        "-i",
        alone="all",
    )
    checks: bool = flag("print the checks that the experiment has, and what each expects of which series, and stop")
    shell_completion: bool = flag("install=bash prints what completes words in bash; in ~/.bashrc: " + INSTALL, "-sc")
    hydra_help: bool = flag("print what of Hydra's command line holds here")
    version: bool = flag("print the version")
    config_name: str | None = option("NAME", "", _primary, "-cn")
    config_path: str | None = option("DIR", "", _refused(PATH), "-cp")
    experimental_rerun: str | None = option("FILE", "", _refused(RERUN))


def main(arguments: Arguments) -> int:
    """List, show or run; the exit code."""
    _check_together(arguments)
    overrides, folder = list(arguments.overrides), arguments.config_dir
    if arguments.trust:
        if not folder:
            raise InputError("--trust is said of the files of a folder: add --config-dir DIR")
        trust_folder(folder)
    trust_overrides(overrides)
    if arguments.version:
        from dprepro import __version__

        print(__version__)
    elif arguments.hydra_help:
        print(HYDRA_HELP)
    elif arguments.shell_completion:
        print(completion(overrides), end="")
    elif arguments.info:
        from dprepro.commands.shown import information

        print(information(arguments.info, overrides, folder))
    elif arguments.cfg or arguments.checks:
        return _show(arguments)
    elif all(override.startswith("results_dir=") for override in overrides):
        return _list(os.path.expanduser(overrides[-1].partition("=")[2]) if overrides else "results", folder)
    else:
        from dprepro.commands.jobs import run_all, run_one

        jobs = _jobs(arguments)
        verbose = arguments.verbose
        how = folder, verbose, arguments.detach
        return run_one(jobs[0], *how) if len(jobs) == 1 else run_all(jobs, *how)
    return 0


def _check_together(arguments: Arguments) -> None:
    """Raise InputError for options that are no use together."""
    given = {
        "--run": arguments.run,
        "--multirun": arguments.multirun,
        "--cfg": bool(arguments.cfg),
        "--info": bool(arguments.info),
        "--checks": arguments.checks,
        "--shell-completion": arguments.shell_completion,
    }
    said = [name for name, value in given.items() if value]
    of_several = {"--multirun", "--cfg"}, {"--multirun", "--checks"}  # of each job
    if len(said) > 1 and {*said} not in of_several:
        raise InputError(f"{' and '.join(said)} do not go together; give one of them")
    for name, given_here in (("--resolve", arguments.resolve), ("--package", bool(arguments.package))):
        if given_here and not arguments.cfg:
            raise InputError(f"{name} says what --cfg prints: add --cfg job")


def _jobs(arguments: Arguments) -> list[list[str]]:
    from dprepro.config.compose import expand_sweeps

    overrides = list(arguments.overrides)
    return expand_sweeps(overrides, arguments.config_dir) if arguments.multirun else [overrides]


def _list(results: str, config_dir: str | None) -> int:
    """The experiments with their last verdicts."""
    from dprepro.config.config_files import headers
    from dprepro.config.sources import changes
    from dprepro.report.listing import listing
    from dprepro.statements.papers import papers
    from dprepro.support.folders import unused_files

    described = papers(config_dir)
    print(listing(headers(config_dir), results, partial(changes, config_dir=config_dir), described))
    for said in unused_files(config_dir):
        tell_error(f"not used: {said}")
    return 0


def _show(arguments: Arguments) -> int:
    """The configurations of jobs, or their checks."""
    jobs, folder = _jobs(arguments), arguments.config_dir
    if arguments.cfg:
        from dprepro.commands.shown import configuration

        parts = arguments.package, arguments.resolve, arguments.multirun
        print(configuration(jobs, folder, arguments.cfg, *parts), end="")
        return 0
    from dprepro.config.checked_experiment import check
    from dprepro.config.compose import compose
    from dprepro.report.check_listing import check_lines

    for overrides in jobs:
        config = compose(overrides, folder).config
        print(check_lines(config, check(config).rules))
    return 0
