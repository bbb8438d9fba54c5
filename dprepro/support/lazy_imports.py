"""Lazy imports of a package: what its ``__init__`` lists is imported when somebody first asks for it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

DPREPRO_IMPORTS = DPREPRO_READS = ()  # the imports that a package lists are read as its own by a fingerprint


def lazy_imports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` (PEP 562) of a package that writes its imports under ``if TYPE_CHECKING:``.

    An experiment needs two or three of forty algorithms. A package writes each import once, where type checkers and the
    fingerprint of the code (`dprepro.engine.source`) look for it, and this function reads the same lines::

        if TYPE_CHECKING:
            from dprepro.algorithms.data_free import DataFree
        else:
            __getattr__, __dir__ = lazy_imports(__name__)

    Args:
        package: its ``__name__``.
    """

    @lru_cache(maxsize=1)
    def modules() -> dict[str, str]:
        import ast

        with open(str(sys.modules[package].__file__), "rb") as source:
            tree = ast.parse(source.read())
        blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
        return {name.name: str(node.module) for node in imports for name in node.names}

    def get(name: str) -> Any:
        if name.startswith("__") or name not in modules():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(modules()[name]), name)
        setattr(sys.modules[package], name, value)  # Python finds it there the next time
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *modules()})
