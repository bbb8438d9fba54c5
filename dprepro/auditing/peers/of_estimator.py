"""Estimators like those of scikit-learn: a class that takes ``epsilon`` and has ``fit(X, y)`` and ``coef_``."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprepro.errors import InputError

FloatArray = NDArray[np.float64]


def estimator(
    X: FloatArray, y: FloatArray, epsilon: float, delta: float, random_state: int, estimator: str = "",
    low: float = -1.0, high: float = 1.0, norm: float = 1.0, label_low: float = -1.0, label_high: float = 1.0,
) -> Any:  # fmt: skip
    """The fitted estimator; it is told what it asks for by names that are usual."""
    kind = named(estimator)
    known = {
        "epsilon": epsilon, "delta": delta, "random_state": random_state, "data_norm": norm,
        "bounds": (low, high), "bounds_X": (low, high), "bounds_y": (label_low, label_high),
    }  # fmt: skip
    asked = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in known.items() if name in asked}).fit(X, y)


def named(dotted: str) -> Any:
    """The class of a dotted name.

    Raises:
        InputError: there is none, or it takes no epsilon.
    """
    module, _, name = dotted.rpartition(".")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"estimator:{dotted}: {error}; type estimator:PACKAGE.MODULE.CLASS") from None
    if "epsilon" not in inspect.signature(found).parameters:
        raise InputError(f"estimator:{dotted} has no argument epsilon")
    return found
