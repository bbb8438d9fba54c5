"""The papers' rates and explicit bounds, as pure functions of plain numbers, called by name (`lasso.theorem_2_5`)."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping

from dprepro.errors import InputError, unknown

Bound = Callable[..., float]


def find(name: str) -> Bound:
    """The bound of that name, ``paper.function``; raises InputError with the choices."""
    papers = [module.name for module in pkgutil.iter_modules(__path__)]
    paper, _, function = name.partition(".")
    if paper not in papers:
        raise unknown("bound", name, [f"{one}.*" for one in papers])
    module = importlib.import_module(f"{__name__}.{paper}")
    choices = {
        key: value for key, value in vars(module).items() if inspect.isfunction(value) and not key.startswith("_")
    }
    if function not in choices:
        raise unknown("bound", name, [f"{paper}.{key}" for key in choices])
    return choices[function]


def arguments(name: str) -> list[str]:
    """The names of the numbers that a bound takes; raises InputError for an unknown one."""
    return list(inspect.signature(find(name)).parameters)


def evaluate(name: str, numbers: Mapping[str, float]) -> float:
    """The bound at these numbers, of which it takes those that its signature names.

    Raises:
        InputError: an unknown bound, or a number that it needs and nobody gave.
    """
    bound = find(name)
    needed = arguments(name)
    if missing := [key for key in needed if key not in numbers]:
        raise InputError(f"bound {name} needs {', '.join(missing)}; given are {', '.join(sorted(numbers))}")
    return float(bound(**{key: numbers[key] for key in needed}))
