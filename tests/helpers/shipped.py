"""The experiments of the package, composed once for all tests: Hydra takes a twentieth of a second each.

The processes of one run of the tests share what they compose by files in the folder of that run.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from dprepro.config.compose import Composed, compose

T = TypeVar("T")
FOLDER: list[Path] = []
"""Of the files; filled by a fixture of all tests."""


@cache
def composed(name: str) -> Composed:
    """The experiment without overrides; not to be changed, for others see it too."""
    return shared(f"composed {name}", lambda: compose([f"+experiment={name}"]))


def shared(name: str, make: Callable[[], T]) -> T:
    """What another process of this run has made under the name, or a new one."""
    if not FOLDER:
        return make()
    path = FOLDER[0] / hashlib.sha256(name.encode()).hexdigest()
    with suppress(OSError):
        known: T = pickle.loads(path.read_bytes())
        return known
    made = make()
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_bytes(pickle.dumps(made))
    os.replace(partial, path)
    return made
