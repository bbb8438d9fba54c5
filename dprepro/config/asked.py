"""What the checks of experiments are, read from their own files: no override, no file of a group."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dprepro.config.config_files import read_block
from dprepro.config.templates import expand
from dprepro.errors import InputError
from dprepro.statements.papers import statements_of
from dprepro.support.folders import experiment_files


def asked(without: Collection[str], config_dir: str | None = None) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Paper and checks, written out, of all experiments but these; what cannot be read is left out: its run says why.

    It takes 10 ms for each, where a whole composition takes 100.
    """
    found = {}
    for name, file in experiment_files(config_dir).items():
        if name not in without and (read := _read(file, config_dir)):
            found[name] = read
    return found


def _read(file: Path, config_dir: str | None) -> tuple[str, Mapping[str, Any]] | None:
    """Paper and checks of one experiment; None where they cannot be read."""
    try:
        block = read_block(file)
        full = expand(block, lambda group, name: {}, partial(statements_of, config_dir=config_dir))
    except (InputError, TypeError, AttributeError):
        return None
    checks = full.get("checks")
    if isinstance(checks, Mapping) and all(isinstance(check, Mapping) for check in checks.values()):
        return str(full.get("paper", "")), checks
    return None
