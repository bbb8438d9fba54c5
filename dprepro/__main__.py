"""``python -m dprepro``: list the experiments, or run some; the exit codes are those of the design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from dprepro import command
from dprepro.errors import InputError
from dprepro.own.files import trust_folder, trust_overrides

HELP = """usage: python -m dprepro [options] [+experiment=NAME] [key=value ...]

Measures what a theorem claims. An experiment compares algorithms with a claim:
it prints a table, a line for every check, and the verdict (confirmed, refuted,
inconclusive); measurements, verdict and figure go to results_dir/NAME. What was
measured is kept and never measured twice; an interrupted run is resumed.

  python -m dprepro                           list experiments and last verdicts
  python -m dprepro +experiment=lasso_rate    run one
  python -m dprepro -m '+experiment=glob(*)'  run all, whatever fails; then the
  python -m dprepro.ledger                    ledger of all theorems and errata
  python -m dprepro refute kst-theorem-31     attack a statement everywhere

options
  -m, --multirun     run every combination of comma-separated values and globs
  --config-dir DIR   add your own experiment/, algorithm/, construction/,
                     papers/
  --trust            run what lies in algorithms/*.py and constructions/*.py of
                     that folder; without it no file of it is run
  --cfg job          print the resolved configuration and stop
  --checks           print the checks that the experiment has, and what each
                     expects of which series, and stop
  --version          print the version
  -h, --help         print this text

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
                             where the experiment leaves the choice, as in pair;
                             FILE.py:NAME is a class or a function of your own

exit codes
  0 measured, whatever the verdict; 1 some cells, or some experiments of -m,
  failed; 2 bad input; 130 interrupted, 143 SIGTERM, 129 SIGHUP (128 + signal;
  the same command resumes)"""


@dataclass
class Options:
    """The command line, taken apart."""

    overrides: list[str]
    multirun: bool = False
    config_dir: str | None = None
    show: str = ""
    trust: bool = False


def parse(arguments: list[str]) -> Options:
    """Options and overrides; raises InputError for an option that does not exist."""
    options = Options([])
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if not argument.startswith("-"):
            options.overrides.append(argument)
        elif argument in ("-m", "--multirun"):
            options.multirun = True
        elif argument == "--trust":
            options.trust = True
        elif argument in ("-h", "--help"):
            options.show = "help"
        elif argument in ("--version", "--checks"):
            options.show = argument[2:]
        elif name in ("--config-dir", "-cd", "--cfg", "-c"):
            value = value if equals else next(rest, "")
            if name in ("--config-dir", "-cd"):
                if not value:
                    raise InputError("--config-dir needs a folder")
                options.config_dir = value
            elif value != "job":
                raise InputError(f"--cfg takes job, got {value!r}")
            else:
                options.show = "job"
        else:
            raise InputError(
                f"unknown option {argument!r}; choices: -m, --config-dir, --trust, --cfg, --checks, --version, --help"
            )
    return options


def main(arguments: list[str]) -> int:
    """Run the command; the exit code."""
    if arguments[:1] == ["refute"]:
        from dprepro.commands import refute

        return refute.main(arguments[1:])
    options = parse(arguments)
    if options.show == "help":
        print(HELP)
        return 0
    if options.show == "version":
        from dprepro import __version__

        print(__version__)
        return 0
    if options.trust:
        if not options.config_dir:
            raise InputError("--trust is said of the files of a folder: add --config-dir DIR")
        trust_folder(options.config_dir)
    trust_overrides(options.overrides)
    from dprepro.config.compose import compose, expand_sweeps
    from dprepro.config.files import headers
    from dprepro.folders import unused_files

    elsewhere = [o.partition("=")[2] for o in options.overrides if o.startswith("results_dir=")]
    if len(options.overrides) == len(elsewhere) and not options.show:
        from functools import partial

        from dprepro.config.sources import changes
        from dprepro.report.listing import listing
        from dprepro.statements.papers import papers

        where, described = elsewhere[-1] if elsewhere else "results", papers(options.config_dir)
        since = partial(changes, config_dir=options.config_dir)
        print(listing(headers(options.config_dir), where, since, described))
        for said in unused_files(options.config_dir):
            command.tell_error(f"not used: {said}")
        return 0
    jobs = expand_sweeps(options.overrides, options.config_dir) if options.multirun else [options.overrides]
    if options.show == "job":
        import yaml

        configs = [compose(job, options.config_dir).config for job in jobs]
        print(yaml.safe_dump_all(configs, sort_keys=False, allow_unicode=True, width=100), end="")
        return 0
    if options.show == "checks":
        from dprepro.config.experiment import check
        from dprepro.report.checks import check_lines

        for job in jobs:
            config = compose(job, options.config_dir).config
            print(check_lines(config, check(config).rules))
        return 0
    from dprepro.jobs import run_all, run_one

    return run_one(jobs[0], options.config_dir) if len(jobs) == 1 else run_all(jobs, options.config_dir)


def console() -> NoReturn:
    """What the console script ``dprepro`` calls."""
    command.console(main)


if __name__ == "__main__":
    console()
