"""dprepro: measure what theorems on differentially private convex optimisation claim, and say which hold.

``run("lasso_rate")`` does what ``python -m dprepro +experiment=lasso_rate`` does, and returns tables, verdict, figure;
``load("lasso_rate")`` returns the same of a run that is stored; ``audit(fit, epsilon=1)`` holds a function of anybody's
against the privacy that it claims.
"""

from __future__ import annotations

import os
import sys


def _leave(number: int, _: object) -> None:
    """End a command that has not begun; later the `supervisor` does."""
    reason = "interrupted" if _NAMES[number] == "SIGINT" else f"stopped by {_NAMES[number]}"
    again = ascii(" ".join(["python", *sys.orig_argv[1:]]))[1:-1]
    os.write(2, f"{reason} before it began: {again}\n".encode())
    os._exit(128 + number)


# A command is being started, by -m (Python is still looking for its module) or by the console script: signals are heard
# from the first moment on, by what needs no import. What the caller ignores (nohup) is left alone.
if (sys.argv[:1] == ["-m"] and "dprepro" in sys.orig_argv) or any(
    os.path.basename(text) in ("dprepro", "dprepro.exe") for text in sys.orig_argv[1:2]
):
    import _signal  # type: ignore[import-not-found]

    _NAMES = {getattr(_signal, name, 0): name for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU")}
    for _number in _NAMES:
        if _number and _signal.getsignal(_number) in (_signal.SIG_DFL, _signal.default_int_handler):
            _signal.signal(_number, _leave)

from typing import TYPE_CHECKING, Any  # noqa: E402  it takes a while

if TYPE_CHECKING:
    from pathlib import Path

    from dprepro.auditing import audit
    from dprepro.report.outcome import Outcome
    from dprepro.session import run

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """`run` and `audit` are imported when they are asked for: most commands need none of what they need."""
    if name == "run":
        from dprepro.session import run

        return run
    if name == "audit":
        from dprepro.auditing import audit

        return audit
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load(run: str | Path, *, results_dir: str | Path = "results", config_dir: str | None = None) -> Outcome:
    """The outcome of a stored run, without measuring: ``load("lasso_rate")``.

    Args:
        run: an experiment's name, ``NAME/overridden/LABEL``, or the path of such a folder in any results folder.
        results_dir: where names are looked for.
        config_dir: the folder of an experiment of your own.

    Raises:
        InputError: there is no such run.
    """
    from functools import partial

    from dprepro.config.sources import changes
    from dprepro.report.outcome import load as load_stored

    return load_stored(run, results_dir, partial(changes, config_dir=config_dir))


__all__ = ["__version__", "audit", "load", "run"]
