"""``python -m dprepro [key=value ...]``: list the experiments, or run some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from dprepro.commands.ending import tell_error
from dprepro.commands.parser import config_dir, flag, option, words
from dprepro.errors import InputError

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
  workers=2                  local processes, auto, or a Dask scheduler such as
                             tcp://host:8786
  results_dir=DIR            where the store and the results are [results]
  reuse=any                  keep cells that were measured by other code; such a
                             run never enters the ledger
  checks.NAME.expected=-0.5  plant a false claim and watch it being refuted
  algorithm=NAME  construction=NAME
                             where the experiment leaves the choice, as in pair

exit codes
  0 measured, whatever the verdict; 1 some cells, or some experiments of -m,
  failed; 2 bad input; 130 interrupted, 143 SIGTERM, 129 SIGHUP (128 + signal;
  the same command resumes)"""


def job(name: str, given: str) -> str:
    """What --cfg takes."""
    if given != "job":
        raise InputError(f"{name} takes job, got {given!r}")
    return given


@dataclass(frozen=True)
class Arguments:
    """The command line of a run."""

    overrides: tuple[str, ...] = words("[COMMAND | key=value ...]")
    multirun: bool = flag("run every combination of comma-separated values and globs", "-m")
    config_dir: str | None = config_dir()
    cfg: str | None = option("job", "print the resolved configuration and stop", job)
    checks: bool = flag("print the checks that the experiment has, and what each expects of which series, and stop")
    version: bool = flag("print the version")


def main(arguments: Arguments) -> int:
    """List, show or run; the exit code."""
    if arguments.version:
        from dprepro import __version__

        print(__version__)
        return 0
    overrides, folder = list(arguments.overrides), arguments.config_dir
    elsewhere = [override.partition("=")[2] for override in overrides if override.startswith("results_dir=")]
    if len(overrides) == len(elsewhere) and not (arguments.cfg or arguments.checks):
        return _list(elsewhere[-1] if elsewhere else "results", folder)
    from dprepro.config.compose import expand_sweeps

    jobs = expand_sweeps(overrides, folder) if arguments.multirun else [overrides]
    if arguments.cfg or arguments.checks:
        return _show(jobs, folder, checks=not arguments.cfg)
    from dprepro.commands.jobs import run_all, run_one

    return run_one(jobs[0], folder) if len(jobs) == 1 else run_all(jobs, folder)


def _list(results: str, config_dir: str | None) -> int:
    """The experiments with their last verdicts."""
    from dprepro.config.files import headers
    from dprepro.config.sources import changes
    from dprepro.folders import unused_files
    from dprepro.report.listing import listing
    from dprepro.statements.papers import papers

    described = papers(config_dir)
    print(listing(headers(config_dir), results, partial(changes, config_dir=config_dir), described))
    for said in unused_files(config_dir):
        tell_error(f"not used: {said}")
    return 0


def _show(jobs: Sequence[list[str]], config_dir: str | None, checks: bool) -> int:
    """The configurations of jobs, or their checks."""
    from dprepro.config.compose import compose

    configs = [compose(overrides, config_dir).config for overrides in jobs]
    if checks:
        from dprepro.config.experiment import check
        from dprepro.report.checks import check_lines

        for config in configs:
            print(check_lines(config, check(config).rules))
    else:
        import yaml

        print(yaml.safe_dump_all(configs, sort_keys=False, allow_unicode=True, width=100), end="")
    return 0
