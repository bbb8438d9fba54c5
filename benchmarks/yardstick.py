"""How fast this machine is at the moment: the speed of one differs by up to 2 from day to day."""

from __future__ import annotations

import time

import numpy as np


def yardstick() -> str:
    """Normals that numpy draws in a second of the processor, the best of five tries."""
    rng, count, least = np.random.default_rng(0), 1_000_000, np.inf
    for _ in range(5):
        start = time.process_time()
        rng.standard_normal(count)
        least = min(least, time.process_time() - start)
    return f"yardstick: {count / least:.2g} normals a second; ratios below are of times measured in this run"
