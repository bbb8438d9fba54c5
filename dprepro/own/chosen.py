"""`dprepro.run` takes objects as well as names: this module turns what a call gives into a block of a configuration.

A call may give an object, a class, a function, arrays (X, y), or the name of something in a file.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import inspect
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dprepro.algorithms.base import Algorithm
from dprepro.constructions.base import Construction
from dprepro.errors import InputError, shortened
from dprepro.own.adapters import Arrays, Made, _Bounded
from dprepro.own.capture import captured
from dprepro.problems.problem_data import finite
from dprepro.support.named import name_of
from dprepro.support.typed import allowed_packages
from dprepro.support.user_files import block_of, is_target, kept_dir, trust, written

KINDS = {"algorithm": Algorithm, "construction": Construction}
OF_THE_GRID = ("n", "p", "epsilon", "delta", "eps")
"""Arguments that each grid point sets, and no parameter."""
LARGEST = 2e8
"""Arrays (X, y) have at most so many numbers."""


@dataclass(frozen=True)
class Chosen:
    """The algorithm or the construction that a call has chosen.

    Attributes:
        name: its name in the config group, or the dotted name of what a file defines.
        parameters: the keys of its block that the call sets.
        title: one word that names it in tables and figures.
        said: the text that names it on a command line; empty where none does.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    said: str = ""


def chosen(group: str, given: object) -> Chosen:
    """The part that a call gives; ``group`` is ``algorithm`` or ``construction``.

    Raises:
        InputError: what the call gives is neither.
    """
    kind = KINDS[group]
    if isinstance(given, str):
        if not is_target(given):
            return Chosen(given, {}, given, given)
        return Chosen(trust(given), {}, given.rpartition(":")[2], given)
    if group == "construction" and isinstance(given, tuple | list):
        return _arrays(given)
    if inspect.isclass(given) and issubclass(given, kind):
        return Chosen(_name_of(given), {}, given.__name__)
    if isinstance(given, kind):
        return Chosen(_name_of(type(given)), _fields(given, group), type(given).__name__)
    if isinstance(given, functools.partial):
        return _partial(group, given)
    if (
        group == "algorithm"
        and inspect.ismethod(given)
        and given.__name__ == "fit"
        and not inspect.isclass(given.__self__)
    ):
        return chosen(group, given.__self__)
    if inspect.isroutine(given) or inspect.isclass(given) or hasattr(given, "__wrapped__"):
        title = str(getattr(given, "__name__", "function")).replace("<lambda>", "function")
        if inspect.ismethod(given) and title == "__call__":
            return chosen(group, given.__self__)
        return Chosen(_name_of(given, title), {}, title)
    if group == "algorithm" and callable(getattr(given, "fit", None)):
        return Chosen(_name_of(type(given)), _parameters(given), type(given).__name__)
    if callable(given):
        title = type(given).__name__
        return Chosen(_name_of(given, f"{title.lower()}_object"), {}, title)
    if group == "algorithm":
        raise InputError(
            f"algorithm={shortened(given)} is none: give a name of the configuration, 'FILE.py:NAME', an object or a "
            "class of Algorithm, an object or a class with fit(X, y, ...), or a function fit(X, y, epsilon, delta, rng)"
        )
    raise InputError(
        f"construction={shortened(given)} is none: give a name of the configuration, 'FILE.py:NAME', an object or a "
        "class of Construction, arrays (X, y), or a function of n, p and rng that returns them"
    )


def _partial(group: str, given: functools.partial[Any]) -> Chosen:
    """A function or a class with some of its arguments: parameters where these are plain, else written down."""
    for name in given.keywords:
        if name in OF_THE_GRID:
            axis = "epsilon" if name == "eps" else name
            raise InputError(
                f"{group}: {name} is set by functools.partial, and each grid point sets it too; leave it out there, "
                f"and give sweep={{'{axis}': [...]}}"
            )
    if not given.args and (group == "algorithm" or inspect.isclass(given.func)):
        of = chosen(group, given.func)
        with suppress(InputError):
            own = {name: plain(value, f"{group}.{name}") for name, value in given.keywords.items()}
            return dataclasses.replace(of, parameters={**of.parameters, **own})
    title = str(getattr(given.func, "__name__", "function")).replace("<lambda>", "function")
    return Chosen(_name_of(given, f"{title}_partial"), {}, title)


def plain(value: object, where: str) -> Any:
    """A parameter as plain data, objects of dataclasses as blocks; raises InputError for anything else."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, np.generic):
        return value.item()
    if name := name_of(value):
        return name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.ndim <= 1 and value.size <= 1000:
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item, where) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(number, f"{where}.{key}") for key, number in value.items()}
    if isinstance(value, Path):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {"_target_": _name_of(type(value)), **_fields(value, where)}
    raise InputError(
        f"{where} is a {type(value).__name__}, which cannot stand in a configuration: a parameter is a number, a text, "
        "a list of these, or an object of a dataclass"
    )


def _name_of(thing: Any, title: str = "") -> str:
    """The dotted name of a class or a function: of the project's and of plug-ins as it is, others are written down."""
    module = str(getattr(thing, "__module__", ""))
    if inspect.isclass(thing) and module.partition(".")[0] in allowed_packages() and "<" not in thing.__qualname__:
        stem = thing.__name__.lower()
        return f"{written(stem, f'from {module} import {thing.__name__}' + chr(10))}.{thing.__name__}"
    return captured(thing, title)


def _fields(thing: Any, where: str) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults."""
    found = {}
    for declared in dataclasses.fields(thing):
        value = getattr(thing, declared.name)
        usual = declared.default_factory() if declared.default_factory is not dataclasses.MISSING else declared.default
        try:
            same = declared.init and bool(usual == value)
        except (TypeError, ValueError):
            same = False
        if declared.init and not same:
            found[declared.name] = plain(value, f"{where}.{declared.name}")
    return found


def _parameters(estimator: Any) -> dict[str, Any]:
    """The constructor's arguments of an estimator, as scikit-learn tells them, or by attributes of their names."""
    kind = type(estimator)
    if callable(getattr(estimator, "get_params", None)):
        found = dict(estimator.get_params(deep=False))
    else:
        try:
            names = list(inspect.signature(kind).parameters)
        except (TypeError, ValueError):
            names = []
        if lacking := [name for name in names if not hasattr(estimator, name)]:
            raise InputError(
                f"algorithm: {kind.__name__} keeps no attribute {lacking[0]} of its constructor's argument, so that it "
                "cannot be constructed again; set it there, or give the class"
            )
        found = {name: getattr(estimator, name) for name in names}
    return {name: plain(value, f"algorithm.{name}") for name, value in found.items() if _is_kept(name, value)}


def _is_kept(name: str, value: object) -> bool:
    """Whether an argument is kept: each run sets random states anew, and None is the argument's own default."""
    return value is not None and name not in ("random_state", "rng", "generator", "seed", "accountant")


def _arrays(given: tuple[object, ...] | list[object]) -> Chosen:
    """Arrays (X, y), kept in a file beside the sources."""
    if len(given) != 2:
        raise InputError(f"construction is a tuple of {len(given)}; arrays are two: (X, y)")
    features = finite("X", np.asarray(given[0]), 2)
    labels = finite("y", np.ravel(np.asarray(given[1])), 1)
    if len(features) != len(labels) or not features.size:
        raise InputError(
            f"X has shape {features.shape} and y {labels.shape}; they have one row and one label for each record"
        )
    if features.size > LARGEST:
        raise InputError(f"X has {features.size:.2g} numbers, more than {LARGEST:.0e}")
    content = repr(features.shape).encode() + features.tobytes() + labels.tobytes()
    digest = hashlib.sha256(content).hexdigest()[:16]
    path = kept_dir() / f"arrays_{digest}.npz"
    if not path.is_file():
        handle, beside = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            np.savez(file, X=features, y=labels)
        os.replace(beside, path)
    name = _name_of(Arrays)
    return Chosen(name, {"file": str(path)}, f"arrays of {len(features)} records")


def bounded(block: Mapping[str, Any]) -> type[_Bounded] | None:
    """The class of a block whose records have bounds that a call may set; None for another."""
    name = str(block.get("_target_", "")).rpartition(".")[2]
    kinds: dict[str, type[_Bounded]] = {"Arrays": Arrays, "Made": Made}
    return kinds.get(name)


def block(group: str, part: Chosen) -> dict[str, Any]:
    """The block of a part that no config group has; a function's or an estimator's parameters form one of their own."""
    made = block_of(group, part.name)
    if group == "algorithm" and "code" in made:
        return {**made, "parameters": dict(part.parameters)} if part.parameters else made
    return {**made, **part.parameters}
