"""Why claims come out otherwise on held-out grids, written by hand, one entry for each case of the reference."""

from __future__ import annotations

EXPLANATIONS: dict[str, str] = {}
"""By ``experiment:check``."""
