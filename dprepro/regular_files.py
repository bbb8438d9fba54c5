"""Files in folders that others may have changed: no reading waits for a pipe, no writing follows a link elsewhere."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from dprepro.errors import InputError

DPREPRO_READS = ()  # results, not measurements


def bytes_of(path: str | Path, most: int = -1) -> bytes:
    """The bytes of a regular file, or the first ``most`` of them.

    Raises:
        OSError: it cannot be read, or is a pipe, a socket or a device, which might never end.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with open(path, "rb") as file:
        return file.read(most)


def replace_file(path: Path, new: bytes) -> None:
    """Write beside the file and rename, so that a kill or a full disk leaves the old one or the new one."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)  # of a run that was killed; a link in its place would be followed
        with open(partial, "xb") as file:
            file.write(new)
        os.replace(partial, path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def kept_within(folder: Path, results_dir: str | Path) -> Path:
    """A folder of ``results_dir``; raises InputError where a link would lead what is written there out of it."""
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(results_dir)):
        raise InputError(f"{folder} is a link that leads out of {results_dir}; remove it")
    return folder
