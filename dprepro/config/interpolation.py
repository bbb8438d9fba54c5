"""References such as ``${algorithm}`` in a configuration: to its own keys only, in no circle, and of bounded length."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dprepro.errors import InputError, shortened

MOST = 200_000
"""Entries of a configuration with all references written out; a text counts once more for every ten characters."""

_REFERENCE = re.compile(r"\$\{(\w[\w.*-]*)\}")


def only_keys(value: Any, where: object) -> None:
    """Raise InputError where a text, or one in a block or list, refers to anything but a key of the experiment.

    OmegaConf would take ``${oc.env:HOME}`` for a call, and a result would depend on more than the configuration says.
    """
    if isinstance(value, str):
        if "${" in _REFERENCE.sub("", value):
            raise InputError(
                f"{where}: {shortened(value)} refers to something else than a key of the experiment, as ${{algorithm}} "
                "does: environment, functions and relative keys are refused"
            )
    elif isinstance(value, Mapping):
        for key, number in value.items():
            only_keys(key, where)
            only_keys(number, where)
    elif isinstance(value, list):
        for number in value:
            only_keys(number, where)


def bounded(config: Mapping[str, Any]) -> None:
    """Raise InputError for references that lead back to themselves, or whose texts and blocks would fill the memory."""
    sizes: dict[str, int] = {}

    def size(value: Any, within: tuple[str, ...]) -> int:
        if isinstance(value, Mapping):
            return 1 + sum(size(item, within) for item in value.values())
        if isinstance(value, list):
            return 1 + sum(size(item, within) for item in value)
        if not isinstance(value, str):
            return 1
        return 1 + len(value) // 10 + sum(referred(key, within) for key in _REFERENCE.findall(value))

    def referred(key: str, within: tuple[str, ...]) -> int:
        if key in within or len(within) > 50:
            raise InputError(
                f"${{{key}}} leads back to itself" if key in within else f"${{{key}}}: too many references"
            )
        if key not in sizes:
            sizes[key] = size(_at(config, key), (*within, key))
        if sizes[key] > MOST:
            raise InputError(f"${{{key}}} stands for more than {MOST:,} entries")
        return sizes[key]

    if size(config, ()) > MOST:
        raise InputError(f"the references of the configuration stand for more than {MOST:,} entries")


def _at(config: Mapping[str, Any], key: str) -> Any:
    """What stands under a dotted key; None where nothing does, which OmegaConf says better."""
    node: Any = config
    for part in key.split("."):
        node = node.get(part) if isinstance(node, Mapping) else None
    return node
