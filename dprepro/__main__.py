"""``python -m dprepro``: list the experiments, or run some; the exit codes are those of the design."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

from dprepro.errors import DpreproError, InputError, Interrupted, MissingDependency

HELP = """usage: python -m dprepro [options] [+experiment=NAME] [key=value ...]

Measures what a theorem claims and prints a table and a verdict; files go to results_dir/NAME.

  python -m dprepro                              list experiments with their last verdicts
  python -m dprepro +experiment=lasso_rate       run one: only what the store lacks is measured
  python -m dprepro -m '+experiment=glob(*)'     run all; comma-separated values are swept too

options
  -m, --multirun       run every combination of comma-separated values and globs
  --config-dir DIR     add a folder of your own with experiment/, algorithm/, construction/
  --cfg job            print the resolved configuration and stop
  --version            print the version
  -h, --help           this text

useful keys (any key of the YAML can be set, in Hydra's grammar)
  sweep.n=[1e5,1e6,1e7]     axes are lists: n, p, epsilon, delta, norm and parameters by name
  replicates=10  seed=1     repetitions of every grid point, and the seed of all streams
  workers=2                 local processes, auto, or a Dask scheduler tcp://host:8786
  results_dir=DIR           where measurements.sqlite and the results folders are (default: results)
  checks.NAME.expected=-0.5 plant a false claim and watch it being refuted
  algorithm=NAME construction=NAME    in experiments that offer the choice, such as pair

exit codes: 0 measured, whatever the verdict; 1 some cells failed; 2 bad input; 130 interrupted"""


@dataclass
class Options:
    """The command line, taken apart."""

    overrides: list[str]
    multirun: bool = False
    config_dir: str | None = None
    show: str = ""


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
        elif argument in ("-h", "--help"):
            options.show = "help"
        elif argument == "--version":
            options.show = "version"
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
            raise InputError(f"unknown option {argument!r}; choices: -m, --config-dir, --cfg, --version, --help")
    return options


def main(arguments: list[str]) -> int:
    """Run the command; the exit code."""
    options = parse(arguments)
    if options.show == "help":
        print(HELP)
        return 0
    if options.show == "version":
        from dprepro import __version__

        print(__version__)
        return 0
    from dprepro.config import compose, expand_sweeps, headers

    elsewhere = [o.partition("=")[2] for o in options.overrides if o.startswith("results_dir=")]
    if len(options.overrides) == len(elsewhere):
        from dprepro.report.listing import listing

        print(listing(headers(options.config_dir), elsewhere[-1] if elsewhere else "results"))
        return 0
    jobs = expand_sweeps(options.overrides, options.config_dir) if options.multirun else [options.overrides]
    if options.show == "job":
        import yaml

        for job in jobs:
            print(yaml.safe_dump(compose(job, options.config_dir).config, sort_keys=False, allow_unicode=True), end="")
        return 0
    return run_one(jobs[0], options) if len(jobs) == 1 else run_all(jobs, options)


def run_one(job: list[str], options: Options) -> int:
    """Run one experiment; the exit code."""
    from dprepro.config import build_experiment, compose

    experiment = build_experiment(compose(job, options.config_dir))
    from dprepro.session import run_experiment

    outcome = run_experiment(experiment)
    print(outcome.text)
    print(f"cells: {outcome.measured} measured now, {outcome.reused} from the store; files: {outcome.folder}")
    if outcome.failed:
        print(f"{outcome.failed} cells failed; the same command tries them again", file=sys.stderr)
    return 1 if outcome.failed else 0


def run_all(jobs: list[list[str]], options: Options) -> int:
    """Run every job; one that fails does not stop the rest. The exit code is the worst of theirs."""
    codes = {}
    for number, job in enumerate(jobs, 1):
        print(f"[{number}/{len(jobs)}] {' '.join(job)}", flush=True)
        codes[" ".join(job)] = guarded(lambda _, job=job: run_one(job, options), [])  # type: ignore[misc]
        if codes[" ".join(job)] == 130:
            return 130
    failed = {job: code for job, code in codes.items() if code}
    for job, code in failed.items():
        print(f"not complete (exit code {code}): {job}", file=sys.stderr)
    return max(failed.values(), default=0)


def guarded(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Run a command and turn what it raises into one line and an exit code."""
    try:
        return command(arguments)
    except MissingDependency as error:
        print(f"skipped: {error}", file=sys.stderr)
        return 0
    except Interrupted as error:
        print(str(error), file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("interrupted before anything was measured", file=sys.stderr)
        return 130
    except InputError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except DpreproError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of our output went away; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(guarded(main, sys.argv[1:]))
