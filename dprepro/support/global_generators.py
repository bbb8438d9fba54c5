"""The global generators of numpy and Python, from which code of others may draw."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def seeded(rng: np.random.Generator) -> Iterator[None]:
    """Both seeded by ours, and afterwards as they were."""
    before, plain, seed = np.random.get_state(), random.getstate(), int(rng.integers(2**32))
    np.random.seed(seed)
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before)
        random.setstate(plain)
