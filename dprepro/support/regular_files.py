"""Files in folders that others may have changed: no reading waits for a pipe, no writing follows a link elsewhere."""

from __future__ import annotations

import errno
import glob
import gzip
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dprepro.errors import InputError
from dprepro.support.interrupts import defer_signals, ends

PARTIAL = ".partial"
"""How the names of files end that are being written."""
LEFT_SECONDS = 600.0
"""Nobody who still writes one has not touched it for so long."""

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


def packed(content: bytes) -> bytes:
    """The content of a ``.gz`` file, the same whenever it is packed."""
    return gzip.compress(content, 9, mtime=0)


def unpacked(path: str | Path) -> bytes:
    """What a ``.gz`` file holds; raises OSError, or EOFError for one that is cut off."""
    return gzip.decompress(bytes_of(path))


def replace_file(path: Path, new: bytes) -> None:
    """Write beside the file and rename, so that a kill or a full disk leaves the old one or the new one.

    Several processes may write one file at a time: each of them writes beside it under a name of its own, and the last
    one to rename counts. What a killed one has left is taken away by the next, once it is old.
    """
    defer_signals(_replace, path, new)  # so that a signal leaves nothing beside the file


def replace_texts(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write these texts under their names into a folder, which is made; raises InputError where it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            replace_file(folder / name, text.encode())
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}") from error
    return [folder / name for name in texts]


def _replace(path: Path, new: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.urandom(8).hex()}{PARTIAL}")
    try:
        with open(partial, "xb") as file:  # which follows no link
            file.write(new)
            now = os.fstat(file.fileno()).st_mtime  # by the disk's clock, which may be another machine's
        os.replace(partial, path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
    for left in path.parent.glob(f".{glob.escape(path.name)}.*{PARTIAL}"):
        with suppress(OSError):  # another one took it away
            if now - left.lstat().st_mtime > LEFT_SECONDS:
                left.unlink()


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """An empty folder that is gone afterwards, and after a signal too, which in a command raises nothing."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:

        def end(_: int) -> None:
            shutil.rmtree(name, ignore_errors=True)

        ends.insert(0, end)
        try:
            yield Path(name)
        finally:
            ends.remove(end)


def kept_within(folder: Path, results_dir: str | Path) -> Path:
    """A folder of ``results_dir``; raises InputError where a link would lead what is written there out of it."""
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(results_dir)):
        raise InputError(f"{folder} is a link that leads out of {results_dir}; remove it")
    return folder
