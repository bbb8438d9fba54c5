"""What a run is judged against, as digests of named sources, and what of it is another today.

A source is a file of the configuration (``experiment/lasso_rate.yaml``) or a module (``dprepro.config.sources``). Of
each a run keeps two digests: of its bytes, which is quick to compare, and of what it says, without comments and layout.
Only where what a source says has changed is the experiment composed again, and held against what the run had.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dprepro.config.compose import EXECUTION_KEYS, Composed, compose
from dprepro.config.config_files import found_file, read_block
from dprepro.errors import DpreproError
from dprepro.support.folders import experiment_files
from dprepro.support.regular_files import bytes_of

if TYPE_CHECKING:
    from dprepro.engine.store import Changes, Run

BUILT = ("algorithm", "construction")
"""Blocks that a run's record leaves out: what series take of them stands in these."""

LONGEST = 60
"""Characters of a value that is shown."""

_NONE = object()


def judged_against(composed: Composed) -> dict[str, list[str]]:
    """The two digests of each source of a configuration."""
    return {name: [digest(name, composed.config_dir) for digest in (_written, _meant)] for name in composed.sources}


def changes(run: Run, config_dir: str | None = None) -> Changes:
    """What the run's experiment asks for now that it did not when the run was made, with the same overrides.

    Nothing is composed where all sources say what they said.
    """
    from dprepro.engine.store import Changes

    if run.config.get("run_as"):  # its configuration stands in its record alone
        return Changes()
    if run.experiment not in experiment_files(config_dir):
        return Changes(absent="its configuration is not here: install its pack, or name its folder by --config-dir")
    try:
        if run.sources and all(_same(name, stored, config_dir) for name, stored in run.sources.items()):
            return Changes()
        composed = compose([f"+experiment={run.experiment}", *run.overrides], config_dir)
    except DpreproError as error:
        return Changes((f"it cannot be composed now: {' '.join(str(error).split())}",))
    return Changes(differences(run.config, composed.config))


def differences(stored: Mapping[str, Any], composed: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of a run's configuration that are others in one just composed, dotted, with both values.

    What building an experiment adds is left out: a figure by default, and axes that tell a check's points apart.
    """
    before, now = _shown(stored), _shown(composed)
    if not now.get("figure"):
        before.pop("figure", None)
        now.pop("figure", None)
    for name, own in (now.get("checks") or {}).items():
        with suppress(LookupError, TypeError):
            check, axes = before["checks"][name], own.get("axes", [])
            if check["axes"][: len(axes)] == axes:
                own["axes"] = check["axes"]
    return tuple(_between(before, now, ""))


def _shown(config: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(json.dumps(dict(config)))
    return {key: value for key, value in kept.items() if key not in (*BUILT, *EXECUTION_KEYS)}


def _between(before: Any, now: Any, place: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            yield from _between(before.get(key, _NONE), now.get(key, _NONE), f"{place}.{key}" if place else str(key))
    elif before is not now and before != now:
        yield f"{place} ({_said(before)} then, {_said(now)} now)"


def _said(value: object) -> str:
    text = "none" if value is _NONE else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _same(name: str, stored: object, config_dir: str | None) -> bool:
    """Whether a source says what it said."""
    if not isinstance(stored, list) or len(stored) != 2:
        return False
    return bool(_written(name, config_dir) == stored[0] or _meant(name, config_dir) == stored[1])


def _written(name: str, config_dir: str | None) -> str:
    """The digest of a source's bytes; empty where it is gone."""
    if name.endswith(".yaml"):
        file = found_file(name, config_dir)
        return _digest(bytes_of(file)) if file else ""
    return _meant(name, config_dir)


def _meant(name: str, config_dir: str | None) -> str:
    """The digest of what a source says; empty where it is gone.

    Raises:
        InputError: a file that is no YAML.
    """
    if name.endswith(".yaml"):
        file = found_file(name, config_dir)
        return _digest(json.dumps(read_block(file)).encode()) if file else ""
    from dprepro.engine.source import read

    module = read(name)
    return module.digest if module else ""


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
