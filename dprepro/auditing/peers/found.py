"""Which functions of other libraries are known, by name; what each needs, and what it warns of."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

import numpy as np

from dprepro.auditing.data import DataDomain
from dprepro.auditing.subject import Subject
from dprepro.errors import InputError, MissingDependency, unknown

PACKAGES = {"diffprivlib": "diffprivlib", "opacus": "opacus", "opendp": "opendp", "estimator": "", "fault": "dprepro"}
"""The file of each kind of functions here, ``of_KIND.py``, and the package that it calls."""

_NAME = re.compile(rf"({'|'.join(PACKAGES)}):[\w.]+")


class MissingPeer(InputError, MissingDependency):
    """A function whose library is not installed."""


@dataclass(frozen=True)
class LibraryFunction:
    """A function of a library.

    Attributes:
        name: ``LIBRARY:FUNCTION``.
        function: as an audit calls it.
        settings: arguments of it that are fixed.
    """

    name: str
    function: Callable[..., Any]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """``FILE.py:NAME`` of the function, for the script that shows a violation."""
        return f"{inspect.getsourcefile(self.function)}:{self.function.__name__}"

    @property
    def package(self) -> str:
        """Of the library."""
        kind = self.name.partition(":")[0]
        return PACKAGES[kind] or str(self.settings["estimator"]).partition(".")[0]

    @property
    def version(self) -> str:
        """The library and its version."""
        try:
            return f"{self.package} {metadata.version(self.package)}"
        except metadata.PackageNotFoundError:
            return f"{self.package} without a version"

    @property
    def takes_labels(self) -> bool:
        """Whether it asks for y."""
        return "y" in inspect.signature(self.function).parameters

    def domain(self, words: str | None = None) -> DataDomain:
        """What data it takes, by words such as ``n=20 x=0..1``, or some that suit it."""
        if words is not None:
            return DataDomain.parse(words)
        return DataDomain(5, 1, -1.0, 1.0, 1.0, (-1.0, 1.0)) if self.takes_labels else DataDomain(5)

    def parameters(self, domain: DataDomain) -> dict[str, Any]:
        """What it is given of what is public, and its settings."""
        norm = min(domain.norm, max(abs(domain.low), abs(domain.high)) * domain.width**0.5)
        public: dict[str, Any] = {"low": domain.low, "high": domain.high, "norm": norm}
        if domain.labels:
            public |= {"label_low": min(domain.labels), "label_high": max(domain.labels)}
        asked = inspect.signature(self.function).parameters
        return {name: value for name, value in public.items() if name in asked} | self.settings


def is_peer(target: str) -> bool:
    """Whether the words name a function of a library and no file."""
    return _NAME.fullmatch(target) is not None


def peer(name: str) -> LibraryFunction:
    """The function of that name; ``estimator:PACKAGE.MODULE.CLASS`` is a class with ``epsilon``, ``fit`` and ``coef_``.

    Raises:
        InputError: there is none.
        MissingPeer: its library is not installed.
    """
    kind, _, rest = name.partition(":")
    if kind not in PACKAGES:
        raise unknown("library", kind, list(PACKAGES))
    if kind == "estimator":
        if not _importable(rest):
            raise MissingPeer(f"{name} needs {rest.partition('.')[0]}, which is not installed")
        from dprepro.auditing.peers.of_estimator import estimator, named

        named(rest)
        return LibraryFunction(name, estimator, {"estimator": rest})
    if not _installed(PACKAGES[kind]):
        raise MissingPeer(f"{name} needs {PACKAGES[kind]}: pip install 'dprepro[peers]'")
    known = _functions(kind)
    if rest not in known:
        raise unknown(f"function of {kind}", rest, list(known))
    return LibraryFunction(name, known[rest])


def peers() -> Iterator[str]:
    """The names of all functions, whether their libraries are installed or not."""
    for kind in PACKAGES:
        if kind != "estimator":
            yield from (f"{kind}:{name}" for name in _functions(kind))


def _functions(kind: str) -> dict[str, Callable[..., Any]]:
    module = import_module(f"dprepro.auditing.peers.of_{kind}")
    return {
        name: function
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _importable(dotted: str) -> bool:
    package = dotted.partition(".")[0]
    return bool(package) and find_spec(package) is not None


def warned(found: LibraryFunction, domain: DataDomain, epsilon: float, delta: float) -> tuple[str, ...]:
    """What the library warns of, of privacy, when it is called once: it is part of its guarantee."""
    rng = np.random.default_rng(0)
    some = [domain.record(rng.uniform(domain.low, domain.high, domain.width)) for _ in range(domain.n)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Subject(found.function, epsilon, delta, found.parameters(domain)).answer(domain.data(some), rng)
    said = [
        f"{warning.category.__name__}: {warning.message}" for warning in caught if "rivacy" in warning.category.__name__
    ]
    return tuple(dict.fromkeys(said))
