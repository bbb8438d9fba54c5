"""How every command ends: in one line, and with an exit code of the design."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import NoReturn

from dprepro.errors import DpreproError, InputError, Interrupted, MissingDependency, printable
from dprepro.support.interrupts import CTRL_C, ENDING, handle_signals
from dprepro.support.shared_memory import left
from dprepro.support.supervisor import SIGNALLED, again, supervised, what_is_kept
from dprepro.support.texts import shown, visible


def say(error: DpreproError) -> int:
    """One line on stderr for what the project raises on purpose; the exit code."""
    skipped = isinstance(error, MissingDependency)
    tell_error(f"{'skipped' if skipped else 'error'}: {error}")
    return 0 if skipped else 2 if isinstance(error, InputError) else 1


def tell_error(message: str) -> None:
    """One line on stderr, if there is still somebody to read it."""
    with suppress(OSError):
        print(printable(message), file=sys.stderr, flush=True)


def tell_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A fault of ours or of a plug-in, on stderr, with its traceback."""
    with suppress(OSError):
        print(visible("".join(traceback.format_exception(kind, error, trace))), end="", file=sys.stderr, flush=True)


def console(command: Callable[[list[str]], int], name: str = "dprepro") -> NoReturn:
    """Run a command with this process's arguments, supervised, and end; ``name`` is the command's module."""
    arguments = sys.argv[1:]
    # Cells and results hold no circles; to look for some takes a tenth of a large run.
    gc.set_threshold(100_000, 50, 1000)
    sys.excepthook = tell_traceback
    leave(supervised(lambda: guarded(command, arguments, name), name, arguments))


def leave(code: int) -> NoReturn:
    """End the process with this exit code."""
    with suppress(OSError, ValueError, AttributeError):  # full, closed, or none
        sys.stdout.flush()
    try:
        sys.stderr.flush()
    except OSError:  # full: Python would try again, and fail with a code of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    except (ValueError, AttributeError):  # closed, or none
        pass
    left(code)
    if code > SIGNALLED:
        # At once: an import or a compilation that was interrupted half-way may crash when the interpreter is taken
        # down, and Python may prefer to die of the signal.
        os._exit(code)
    sys.exit(code)


def guarded(command: Callable[[list[str]], int], arguments: list[str], name: str = "dprepro") -> int:
    """Run a command and turn what it raises into one line and an exit code; ``name`` is the command's module."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by the caller: nothing is to be written there
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    output = sys.stdout
    try:
        with handle_signals(CTRL_C + ENDING):
            _stand_somewhere()
            sys.stdout = shown(output)
            code = command(arguments)
            sys.stdout.flush()  # so that a full disk is noticed here
            return code
    except (Interrupted, KeyboardInterrupt) as error:
        tell_error(f"{str(error) or f'interrupted; {what_is_kept(arguments)}'}: {again(name, arguments)}")
        return SIGNALLED + int(getattr(error, "number", signal.SIGINT))
    except DpreproError as error:
        return say(error)
    except SystemExit as error:
        return say(DpreproError(f"something that was loaded ended the command (exit code {error.code})"))
    except MemoryError:
        return say(DpreproError(f"out of memory; {what_is_kept(arguments)}: sweep less, or take fewer workers"))
    except ImportError as error:
        if "failed to map segment" not in str(error):  # what a library says that found no room for its code
            raise
        return say(DpreproError("out of memory: the limit leaves no room for the libraries"))
    except BrokenPipeError:
        # The reader of our output went away; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.ELOOP) and error.filename:
            return say(InputError(f"{error.filename}: {error.strerror}"))
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
        where = f" {error.filename}" if error.filename else " the output"
        with suppress(OSError, ValueError):  # what could not be printed would be tried again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return say(InputError(f"cannot write{where}: {error.strerror}"))
    except UnicodeEncodeError as error:
        return say(InputError(f"the output takes no {error.object[error.start]!a}: set PYTHONIOENCODING=utf-8"))
    finally:
        sys.stdout = output


def _stand_somewhere() -> None:
    """Raise InputError where the folder in which the command was started is gone: libraries ask for it."""
    try:
        os.getcwd()
    except OSError as error:
        raise InputError(f"the current folder is gone ({error.strerror}); change to another") from error
