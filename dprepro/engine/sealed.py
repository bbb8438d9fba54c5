"""Files that are kept from run to run only to save time: one that is not as it was written counts as none."""

from __future__ import annotations

import hashlib
from pathlib import Path

from dprepro.support.regular_files import replace_file


def write_sealed(path: Path, content: bytes, salt: bytes = b"") -> None:
    """Write a file with a digest of its content, and of ``salt``, at once: readers and writers may be many.

    Raises:
        OSError: it cannot be written.
    """
    replace_file(path, _seal(content, salt) + b"\n" + content)


def read_sealed(path: Path, salt: bytes = b"") -> bytes | None:
    """The content of a file; None where there is none that is as it was written, and with the same ``salt``."""
    try:
        seal, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if seal == _seal(content, salt) else None


def _seal(content: bytes, salt: bytes) -> bytes:
    hasher = hashlib.blake2b(salt, digest_size=16)
    hasher.update(content)
    return hasher.hexdigest().encode()
