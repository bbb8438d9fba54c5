"""A function that answers on data, as a black box: what it is given, and what counts as its answer."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np

from dprepro.auditing.data import Data
from dprepro.auditing.supports import last_bits
from dprepro.errors import InputError
from dprepro.privacy.outcomes import Answer, FloatArray, Refused

GENERATORS = ("rng", "generator")
SEEDS = ("random_state", "seed")
ANSWERS = ("coef_", "theta_", "intercept_", "classes_")
"""What an estimator that is returned has found; without any of these, whatever has a name such as ``centers_``."""


@dataclass(frozen=True)
class Subject:
    """A function such as ``fit(X, y, epsilon, delta, rng)`` or ``fit(values, epsilon)``, and what it is asked for.

    The first required arguments that have none of the known names (epsilon, eps, delta, rng, generator, random_state,
    seed) are the data: one of them is X, of two the second is y.

    Attributes:
        function: what is called.
        epsilon, delta: what it is asked for, where it has such arguments.
        parameters: further arguments, by name.
        timed: whether the time of a call is the first number of its answer, in microseconds of the processor.
        bits: whether the `last_bits` of all numbers stand at the end of its answer.

    Raises:
        InputError: it is no function, takes no data, or asks for what an audit does not give.
    """

    function: Callable[..., Any]
    epsilon: float
    delta: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
    timed: bool = False
    bits: bool = False

    def __post_init__(self) -> None:
        self._check_function()
        asked, needed, lacking = self._asked
        if asked and not needed:
            raise InputError(f"{self._name} takes no data: its first argument must be the records")
        if lacking := (*needed[2:], *lacking):
            others = ", ".join(lacking)
            raise InputError(f"{self._name} asks for {others}, which an audit does not give; give it a default")

    @property
    def _name(self) -> str:
        return str(getattr(self.function, "__name__", "the function"))

    def _check_function(self) -> None:
        """Raise InputError for an estimator, which is to be made anew for each call, and for what cannot be called."""
        is_class = inspect.isclass(self.function)
        if not (is_class or not callable(self.function)):
            return
        name = self.function.__name__ if is_class else type(self.function).__name__
        if callable(getattr(self.function, "fit", None)):
            raise InputError(
                f"{name} is an estimator; audit a function that makes one: "
                f"def fit(X, y, epsilon): return {name}(epsilon=epsilon).fit(X, y)"
            )
        if not callable(self.function):
            raise InputError(f"an object of {name} is no function")

    @cached_property
    def _asked(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The names of all its arguments, of those that are the data, and of those that only its caller can know.

        None where it does not say them.
        """
        known = {*self._known(None), *self.parameters}
        try:
            asked = list(inspect.signature(self.function).parameters.values())
        except (TypeError, ValueError):
            return (), (), ()
        usual = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        needed = [some for some in asked if some.default is some.empty and some.name not in known]
        return (
            tuple(some.name for some in asked),
            tuple(some.name for some in needed if some.kind in usual),
            tuple(some.name for some in needed if some.kind is some.KEYWORD_ONLY),
        )

    @property
    def takes_labels(self) -> bool:
        """Whether it asks for y."""
        return len(self._asked[1]) == 2

    @property
    def labels(self) -> str:
        """The name of the argument that is given y; empty without one."""
        return self._asked[1][1] if self.takes_labels else ""

    def answer(self, data: Data, rng: np.random.Generator) -> Answer:
        """What it answers, as numbers in a row, or the error that it raises; signals are neither."""
        arrays, given = self.given(data, rng)
        began = time.thread_time_ns()
        try:
            found = self.function(*arrays, **given)
            took = (time.thread_time_ns() - began) / 1000
            row = flat(found)
            return np.concatenate([[took] * self.timed, row, last_bits(row) if self.bits else []])
        except Exception as error:
            return Refused(error)

    def given(self, data: Data, rng: np.random.Generator) -> tuple[tuple[FloatArray, ...], dict[str, Any]]:
        """The arguments of a call: the data, and all others by name."""
        known = {name: value for name, value in self._known(rng).items() if name in self._asked[0]}
        arrays = (data.X.copy(),) if data.y is None or not self.takes_labels else (data.X.copy(), data.y.copy())
        return arrays, {**known, **self.parameters}

    @property
    def takes_epsilon(self) -> bool:
        """Whether it is told epsilon."""
        return bool({"epsilon", "eps"} & set(self._asked[0]))

    @property
    def takes_delta(self) -> bool:
        """Whether it is told delta."""
        return "delta" in self._asked[0]

    def _known(self, rng: np.random.Generator | None) -> dict[str, Any]:
        values: dict[str, Any] = {"epsilon": self.epsilon, "eps": self.epsilon, "delta": self.delta}
        values |= dict.fromkeys(GENERATORS, rng)
        return values | {name: None if rng is None else int(rng.integers(2**31)) for name in SEEDS}


@contextmanager
def quiet() -> Iterator[None]:
    """What the function prints, thousands of times, is not shown."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        yield


def flat(found: object) -> FloatArray:
    """An answer as numbers in a row: numbers, arrays, tensors, sequences and mappings of such, records and estimators.

    Words become numbers by their digest, as do the keys of a mapping, all together: equal words are equal, and nothing
    else is said of them. What cannot be read is NaN, which is an outcome of its own.
    """
    if found is None:
        return np.array([np.nan])
    if isinstance(found, Mapping):
        keys = sorted(found, key=str)
        return _joined([*(found[key] for key in keys), repr([str(key) for key in keys])])
    if isinstance(found, (str, bytes)):
        return np.array([float(crc32(found.encode() if isinstance(found, str) else found))])
    kept = _kept(found)
    if kept is not None:
        return _joined(kept)
    if isinstance(found, (set, frozenset)):
        return _joined(sorted(found, key=repr))
    if isinstance(found, (list, tuple, Iterator)):
        return _joined(found)
    detach = getattr(found, "detach", None)  # a tensor that has a gradient is no array
    try:
        array = np.asarray(found if detach is None else detach())
        if np.iscomplexobj(array):
            return np.concatenate([array.real.ravel(), array.imag.ravel()]).astype(np.float64)
        if array.dtype.kind in "OSU" and array.ndim:
            return _joined(array.ravel().tolist())
        return array.astype(np.float64).ravel()
    except (TypeError, ValueError):
        return np.array([np.nan])


def _kept(found: object) -> list[object] | None:
    """What an estimator has found, or what a record holds; None of all else."""
    known = [getattr(found, name) for name in ANSWERS if hasattr(found, name)]
    if known:
        return known
    if is_dataclass(found) and not isinstance(found, type):
        return [getattr(found, part.name) for part in fields(found)]
    parts = getattr(found, "__dict__", None)
    fitted = [parts[name] for name in sorted(parts) if name[0] != "_" and name[-1] == "_"] if parts else []
    return fitted or None


def _joined(parts: Iterable[object]) -> FloatArray:
    rows = [flat(part) for part in parts]
    return np.concatenate(rows) if rows else np.empty(0)
