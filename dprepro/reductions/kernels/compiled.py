"""Compilation, with losses and projections handed to kernels as functions: no kernel knows their names."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numba
import numpy as np
from numba import float64, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from dprepro.errors import DpreproError
from dprepro.problems.losses import DistanceLoss, Loss
from dprepro.problems.sets import ConstraintSet
from dprepro.reductions.kernels.machine_code import cache_of
from dprepro.support.interrupts import defer_signals

Function: TypeAlias = Callable[..., Any]

FAST = {"nnan", "nsz", "contract", "reassoc"}  # rounding may differ; infinities keep their meaning
# No power in what is compiled so: numba keeps the code of x ** 2 by the types alone, with the options of whoever asked
# for it first in a process, and rounding would hang on that.

VECTOR = float64[::1]
GIVEN = types.Array(float64, 1, "C", readonly=True)  # also takes arrays that may be written
TABLE = types.Array(float64, 2, "C", readonly=True)
RANDOM: Any = numba.typeof(np.random.default_rng(0))  # type: ignore[no-untyped-call]
_SLOPE = float64(float64, float64)
_PROJECTION = types.void(VECTOR, float64)
SLOPE = types.FunctionType(_SLOPE)
PROJECTION = types.FunctionType(_PROJECTION)

CHECKS = 24  # points at which a compiled function is held against the class that it stands for


def jit(*signature: Any, **options: Any) -> Callable[[Function], Function]:
    """`numba.njit`, kept on disk where there is a place for it; the one door by which the project compiles anything."""

    def compile_it(function: Function) -> Function:
        result: Any = numba.njit(**options)(function)
        if not hasattr(result, "compile"):  # NUMBA_DISABLE_JIT
            return function
        if (cache := cache_of(function)) is not None:
            result._cache = cache  # what its enable_caching does, with ours
        if signature:
            result.compile(*signature)
            result.disable_compile()
        return cast(Function, result)

    return compile_it


def entry(*arguments: Any, returns: Any = types.void) -> Callable[[Function], Function]:
    """A kernel that Python calls, of this signature or of what the first call gives; it may take functions.

    It is compiled, or fetched from disk, at the first call. Numba unpacks a generator by Python code and dies of an
    exception there (0.68: the result of ctypes.cast is used unseen), so that signals await the end of the call.
    """

    def wrap(function: Function) -> Function:
        @lru_cache(maxsize=1)
        def compiled() -> Any:
            with warnings.catch_warnings():  # functions as arguments are called experimental
                warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
                return jit(*([returns(*arguments)] if arguments else []))(function)

        def call(*given: Any) -> Any:
            kernel = compiled()
            if not getattr(kernel, "signatures", True):  # so that a signal ends a compilation at once
                kernel.compile(tuple(numba.typeof(item) for item in given))  # type: ignore[no-untyped-call]
            return defer_signals(kernel, *given)

        return call

    return wrap


@jit(fastmath=FAST)
def inner(a, b):  # type: ignore[no-untyped-def]
    """<a, b>."""
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@lru_cache(maxsize=64)
def slope_of(loss: Loss) -> Function:
    """The compiled derivative of a loss, a function of (s, y).

    Raises:
        DpreproError: it is another function: of a parent class, or of a parameter that it knows nothing of.
    """
    function = type(loss).slope
    assert function is not None
    rng = np.random.default_rng(0)
    s, y = rng.standard_normal(CHECKS) ** 3, rng.choice([-1.0, 1.0, 0.7], CHECKS)
    if isinstance(loss, DistanceLoss):
        s = np.abs(s)
    for place, label, wanted in zip(s, y, loss.derivative(s, y), strict=True):
        if not abs(function(float(place), float(label)) - wanted) <= 1e-9 * (1 + abs(wanted)):
            raise DpreproError(
                f"{type(loss).__name__}.slope must be the derivative, which at s={place:g}, y={label:g} is {wanted:g}"
            )
    return jit(_SLOPE)(function)


@lru_cache(maxsize=64)
def projection_of(kind: type[ConstraintSet], radius: float) -> Function:
    """The compiled projection on sets of a class, a function of (theta, radius).

    Raises:
        DpreproError: it is another function than `project` of the set of that radius in three dimensions.
    """
    function = kind.projection
    assert function is not None
    constraint_set = kind(3, radius)
    for point in radius * np.random.default_rng(0).standard_normal((CHECKS, 3)) ** 3:
        moved = point.copy()
        function(moved, radius)
        if not np.abs(moved - constraint_set.project(point)).max() <= 1e-9 * radius:
            raise DpreproError(f"{kind.__name__}.projection must be its project; it takes {point} to {moved}")
    return jit(_PROJECTION)(function)
