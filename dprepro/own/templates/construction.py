"""Data of one's own: change what it draws, and run it again; what was measured of another text is not reused."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def my_name(n: int, p: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """X of shape (n, p) and y of shape (n,), drawn once for each n and p, and the same for all replicates.

    What is public about one record is said where it is used, and held against the data: by default ||x||_2 <= 1 and
    |y| <= 1 (feature_bound=, feature_norm=, label_bound=), the squared loss over the l2 ball of radius 1 (loss=,
    constraint_set=, radius=).
    """
    features = rng.standard_normal((n, p))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = features[:, 0] / 2 + 0.1 * rng.standard_normal(n)
    return features, np.clip(labels, -1, 1)
