"""``python -m dprepro``: list the experiments, or run some; the exit codes are those of the design."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from dprepro.errors import DpreproError, InputError, Interrupted, MissingDependency

INTERRUPTED = 130

HELP = """usage: python -m dprepro [options] [+experiment=NAME] [key=value ...]

Measures what a theorem claims and prints a table and a verdict; the files go to
results_dir/NAME.

  python -m dprepro                           list experiments and last verdicts
  python -m dprepro +experiment=lasso_rate    run one; what is stored is reused
  python -m dprepro -m '+experiment=glob(*)'  run all; a,b,c sweeps values too

options
  -m, --multirun     run every combination of comma-separated values and globs
  --config-dir DIR   add your own experiment/, algorithm/, construction/
  --cfg job          print the resolved configuration and stop
  --version          print the version
  -h, --help         print this text

useful keys (any key of the YAML can be set, in Hydra's grammar)
  sweep.n=[1e5,1e6,1e7]      axes are lists: n, p, epsilon, delta, norm and
                             parameters by name
  replicates=10  seed=1      repetitions of a grid point, seed of all streams
  workers=2                  local processes, auto, or a Dask scheduler such as
                             tcp://host:8786
  results_dir=DIR            where the store and the results are [results]
  checks.NAME.expected=-0.5  plant a false claim and watch it being refuted
  algorithm=NAME  construction=NAME
                             where the experiment leaves the choice, as in pair

exit codes
  0 measured, whatever the verdict; 1 some cells failed; 2 bad input;
  130 interrupted (the same command resumes)"""


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
    from dprepro.config.compose import compose, expand_sweeps, headers

    elsewhere = [o.partition("=")[2] for o in options.overrides if o.startswith("results_dir=")]
    if len(options.overrides) == len(elsewhere) and not options.show:
        from dprepro.report.listing import listing

        print(listing(headers(options.config_dir), elsewhere[-1] if elsewhere else "results"))
        return 0
    jobs = expand_sweeps(options.overrides, options.config_dir) if options.multirun else [options.overrides]
    if options.show == "job":
        import yaml

        configs = [compose(job, options.config_dir).config for job in jobs]
        print(yaml.safe_dump_all(configs, sort_keys=False, allow_unicode=True, width=100), end="")
        return 0
    return run_one(jobs[0], options) if len(jobs) == 1 else run_all(jobs, options)


def run_one(job: list[str], options: Options) -> int:
    """Run one experiment; the exit code."""
    from dprepro.config.compose import compose
    from dprepro.config.experiment import build_experiment

    experiment = build_experiment(compose(job, options.config_dir))
    from dprepro.session import run_experiment

    outcome = run_experiment(experiment)
    print(outcome)
    print(f"cells: {outcome.measured} measured now, {outcome.reused} from the store; files: {outcome.folder}")
    if outcome.failed:
        print(f"{outcome.failed} cells failed; the same command tries them again", file=sys.stderr)
    return 1 if outcome.failed else 0


def run_all(jobs: list[list[str]], options: Options) -> int:
    """Run every job; one that fails does not stop the rest. The exit code is the largest of theirs."""
    codes: dict[str, int] = {}
    for number, job in enumerate(jobs, 1):
        words = shlex.join(job)
        print(f"[{number}/{len(jobs)}] {words}", flush=True)
        try:
            codes[words] = run_one(job, options)
        except Interrupted:
            raise
        except DpreproError as error:
            codes[words] = say(error)
        except Exception:
            # A fault of ours or of a plug-in: worth its traceback, but not the other experiments.
            traceback.print_exc()
            codes[words] = 1
    failed = {words: code for words, code in codes.items() if code}
    for words, code in failed.items():
        print(f"not complete (exit code {code}): {words}", file=sys.stderr)
    return max(failed.values(), default=0)


def say(error: DpreproError) -> int:
    """One line on stderr for what the project raises on purpose; the exit code."""
    skipped = isinstance(error, MissingDependency)
    print(f"{'skipped' if skipped else 'error'}: {' '.join(str(error).split())}", file=sys.stderr)
    return 0 if skipped else 2 if isinstance(error, InputError) else 1


def leave(code: int) -> NoReturn:
    """End the process with this exit code."""
    if code == INTERRUPTED:
        # At once: an import or a compilation that was interrupted half-way may crash when the interpreter is taken
        # down, and Python may prefer to die of the signal.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def guarded(command: Callable[[list[str]], int], arguments: list[str], name: str = "dprepro") -> int:
    """Run a command and turn what it raises into one line and an exit code; ``name`` is the command's module."""
    try:
        return command(arguments)
    except (Interrupted, KeyboardInterrupt) as error:
        again = shlex.join(["python", "-m", name, *arguments])
        print(f"{str(error) or 'interrupted; what was measured is stored'}: {again}", file=sys.stderr)
        return INTERRUPTED
    except DpreproError as error:
        return say(error)
    except BrokenPipeError:
        # The reader of our output went away; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def console() -> NoReturn:
    """What the console script ``dprepro`` calls."""
    leave(guarded(main, sys.argv[1:]))


if __name__ == "__main__":
    console()
