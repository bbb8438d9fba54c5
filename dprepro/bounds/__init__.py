"""The papers' rates and explicit bounds, as pure functions of plain numbers, called by name (`lasso.theorem_2_5`).

A short one needs no function: ``p/(n*epsilon)``, an expression of the same numbers, is one itself.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from dprepro.errors import InputError, MissingDependency, unknown
from dprepro.support import expressions
from dprepro.support.typed import allowed_packages
from dprepro.support.user_files import is_dotted, is_target, load

DPREPRO_IMPORTS = DPREPRO_READS = ()  # a study names the bounds that it found

Bound = Callable[..., float]

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@lru_cache(maxsize=256)
def find(name: str) -> Bound:
    """The bound of that name: ``paper.function``, or ``package.module.function`` of a package declared as a plug-in.

    A function of a file that the user has named is one, too (`dprepro.support.user_files`). A text that is no name is
    read as an expression.

    Raises:
        InputError: no such bound, with the choices, or no expression.
        MissingDependency: the plug-in's module needs a package.
    """
    if is_target(name) or is_dotted(name):
        found = load(name)
        if not inspect.isfunction(found):
            raise InputError(f"bound {name} is no function")
        return found
    if not _NAME.fullmatch(name):
        return _formula(name)
    papers = [module.name for module in pkgutil.iter_modules(__path__)]
    plugins = allowed_packages() - {__name__.partition(".")[0]}
    where, _, function = name.rpartition(".")
    if where in papers:
        module = importlib.import_module(f"{__name__}.{where}")
    elif where.partition(".")[0] in plugins:
        try:
            module = importlib.import_module(where)
        except ModuleNotFoundError as error:
            if error.name and error.name.partition(".")[0] in allowed_packages() and error.name not in where:
                raise InputError(f"bound {name} cannot be imported: {error}") from error
            if error.name and not f"{where}.".startswith(f"{error.name}."):
                raise MissingDependency(f"bound {name} needs {error.name}: pip install {error.name}") from error
            raise InputError(f"bound {name}: there is no module {where}") from error
    else:
        raise unknown("bound", name, [f"{text}.*" for text in (*papers, *sorted(plugins))])
    # only the package's own functions: what it imports from elsewhere may do anything
    package = where.partition(".")[0] if where not in papers else __name__.partition(".")[0]
    choices = {
        key: value
        for key, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__.partition(".")[0] == package and not key.startswith("_")
    }
    if function not in choices:
        raise unknown("bound", name, [f"{where}.{key}" for key in choices])
    return choices[function]


def _formula(text: str) -> Bound:
    """A bound that is written out; what divides by zero raises ZeroDivisionError, as a function does."""
    names = expressions.asked(text)
    if not names:
        raise InputError(f"bound {text!r} is neither a name, as lasso.theorem_2_5, nor a formula, as p/(n*epsilon)")

    def bound(**numbers: float) -> float:
        try:
            return float(expressions.evaluate(text, numbers))
        except ValueError as error:
            raise error.__cause__ or error from None

    if fault := expressions.fault(text):
        raise InputError(f"bound {text!r} is no formula: {fault}")
    bound.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    )
    return bound


@lru_cache(maxsize=256)
def arguments(name: str) -> tuple[str, ...]:
    """The names of the numbers that a bound takes; raises InputError for an unknown one."""
    return tuple(inspect.signature(find(name)).parameters)


def evaluate(name: str, numbers: Mapping[str, float]) -> float:
    """The bound at these numbers, of which it takes those that its signature names.

    Raises:
        InputError: an unknown bound, or a number that it needs and nobody gave.
    """
    bound = find(name)
    needed = arguments(name)
    try:
        taken = {key: numbers[key] for key in needed}
    except KeyError:
        missing = ", ".join(key for key in needed if key not in numbers)
        raise InputError(f"bound {name} needs {missing}; given are {', '.join(sorted(numbers))}") from None
    return float(bound(**taken))
