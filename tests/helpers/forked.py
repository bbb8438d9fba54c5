"""A command in a copy of this process, as a shell's own: but an interpreter that loads all anew takes some seconds."""

from __future__ import annotations

import faulthandler
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dprepro.__main__ import console
from dprepro.support import typed
from dprepro.support.folders import pack_dirs


def forked(*words: str | Path, folder: Path, path: Sequence[str | Path] = ()) -> subprocess.CompletedProcess[str]:
    """``python -m dprepro``, supervised, in a folder; packages that lie in ``path`` are found before all others.

    What this process has not imported the copy imports afresh, and this process still has not.
    """
    arguments = [str(word) for word in words]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            code = 70
            try:
                faulthandler.disable()  # pytest's, which would tell where a copy died that is meant to
                for stream, number in ((out, 1), (err, 2)):
                    os.dup2(stream.fileno(), number)
                sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
                sys.argv = ["dprepro", *arguments]
                sys.path[:0] = [str(place) for place in path]
                importlib.invalidate_caches()
                pack_dirs.cache_clear()
                typed.allowed_packages.cache_clear()
                os.chdir(folder)
                console()
            except SystemExit as end:
                code = int(end.code or 0)
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode())
    return subprocess.CompletedProcess(arguments, code, *said)
