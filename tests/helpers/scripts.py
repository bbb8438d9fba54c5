"""Scripts that a verdict prints, run in a process of their own."""

from __future__ import annotations

import subprocess
import sys


def shown_again(verdict):
    """What the printed script says: the limit."""
    done = subprocess.run(
        [sys.executable, "-c", verdict.script], capture_output=True, text=True, check=True, timeout=300
    )  # fmt: skip
    return float(done.stdout.partition("epsilon is at least ")[2].partition(",")[0])
