"""Composition of an experiment's configuration by Hydra's compose API.

Hydra's own application decorator would write folders and logs, print several lines for one error and exit with 1; the
compose API does neither, and the few lines of command line around it are in `dprepro.__main__`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprepro.errors import InputError, unknown

#: Overrides that say how and where to run; they change no measurement and no verdict.
EXECUTION_KEYS = ("results_dir", "workers")


@dataclass(frozen=True)
class Composed:
    """A resolved configuration as plain data, and what was overridden in it beyond execution settings."""

    name: str
    config: dict[str, Any]
    overrides: tuple[str, ...]


def conf_dir() -> Path:
    """The shipped configurations: inside an installed wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "conf", package.parent / "conf"):
        if (candidate / "config.yaml").is_file():
            return candidate
    raise InputError(f"the configuration folder conf is missing beside {package}")


def experiment_files(config_dir: str | None = None) -> dict[str, Path]:
    """Experiment names with their YAML files, shipped ones first; a user's folder may add to them."""
    folders = [conf_dir()] + ([_checked_dir(config_dir)] if config_dir else [])
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted((folder / "experiment").glob("*.yaml")):
            found.setdefault(path.stem, path)
    return found


def experiment_names(config_dir: str | None = None) -> list[str]:
    """All experiments that can be named."""
    return list(experiment_files(config_dir))


def headers(config_dir: str | None = None) -> dict[str, dict[str, str]]:
    """Paper and claim of every experiment, read without composing anything."""
    import yaml

    answer = {}
    for name, path in experiment_files(config_dir).items():
        text = "\n".join(re.findall(r"^(?:paper|claim):.*$", path.read_text(encoding="utf-8"), re.MULTILINE))
        answer[name] = {key: str(value) for key, value in (yaml.safe_load(text) or {}).items()}
    return answer


def compose(overrides: Sequence[str], config_dir: str | None = None) -> Composed:
    """Compose one experiment from overrides in Hydra's grammar, among them ``+experiment=NAME``.

    Raises:
        InputError: anything that Hydra or OmegaConf refuses, in one line.
    """
    name = _experiment_of(overrides)
    names = experiment_names(config_dir)
    if name not in names:
        raise unknown("experiment", name, names)
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        with _hydra() as hydra_compose:
            found = hydra_compose("config", overrides=[*_search_path(config_dir), *overrides])
            config = OmegaConf.to_container(found, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise _one_line(error, overrides, config_dir) from error
    except (ValueError, TypeError) as error:
        raise InputError(f"{_first_line(error)}") from error
    assert isinstance(config, dict)
    return Composed(
        name,
        {str(key): value for key, value in config.items()},
        tuple(o for o in overrides if _key_of(o) not in ("experiment", *EXECUTION_KEYS)),
    )


def expand_sweeps(overrides: Sequence[str], config_dir: str | None = None) -> list[list[str]]:
    """Multirun: every combination of comma-separated values, ranges and globs, as Hydra's basic sweeper has it."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Glob
    from hydra.errors import HydraException

    try:
        parsed = OverridesParser.create().parse_overrides(list(overrides))
    except HydraException as error:
        raise InputError(_first_line(error)) from error
    choices: list[list[str]] = []
    for override in parsed:
        key = override.get_key_element()
        prefix = override.input_line[: override.input_line.index(key)] if override.input_line else ""
        if isinstance(override.value(), Glob):
            glob = override.value()
            assert isinstance(glob, Glob)
            values = glob.filter(_group_options(override.key_or_group, config_dir))
            if not values:
                raise unknown(override.key_or_group, "glob", _group_options(override.key_or_group, config_dir))
            choices.append([f"{prefix}{key}={value}" for value in values])
        elif override.is_sweep_override():
            choices.append([f"{prefix}{key}={value}" for value in override.sweep_string_iterator()])
        else:
            choices.append([override.input_line or ""])
    return [list(combination) for combination in itertools.product(*choices)]


def _group_options(group: str, config_dir: str | None) -> list[str]:
    if group == "experiment":
        return experiment_names(config_dir)
    folders = [conf_dir()] + ([_checked_dir(config_dir)] if config_dir else [])
    return sorted({path.stem for folder in folders for path in (folder / group).glob("*.yaml")})


@contextmanager
def _hydra() -> Iterator[Any]:
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir

    with initialize_config_dir(version_base="1.3", config_dir=str(conf_dir())):
        yield hydra_compose


def _search_path(config_dir: str | None) -> list[str]:
    return [f"hydra.searchpath=['file://{_checked_dir(config_dir)}']"] if config_dir else []


def _checked_dir(config_dir: str) -> Path:
    path = Path(config_dir).expanduser().resolve()
    if not path.is_dir():
        raise InputError(f"--config-dir {config_dir} is not a folder")
    return path


def _key_of(override: str) -> str:
    return override.lstrip("+~").partition("=")[0].partition("@")[0]


def _experiment_of(overrides: Sequence[str]) -> str:
    chosen = [o.partition("=")[2].strip() for o in overrides if _key_of(o) == "experiment"]
    if not chosen:
        raise InputError("name an experiment: +experiment=NAME; without arguments the command lists them")
    if len(chosen) > 1:
        raise InputError(f"one experiment at a time, got {', '.join(chosen)}; use -m for several")
    if "," in chosen[0] or chosen[0].startswith("glob("):
        raise InputError(f"experiment={chosen[0]} names several; add -m to run them all")
    return chosen[0]


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _one_line(error: Exception, overrides: Sequence[str], config_dir: str | None) -> InputError:
    """Hydra's refusal in one line; a key that does not exist is answered with the keys that do."""
    text = str(error)
    for override in overrides:
        key = _key_of(override)
        if f"'{key}'" in text and "Could not override" in text and not override.startswith("+"):
            parent, _, leaf = key.rpartition(".")
            choices = _children(parent, overrides, config_dir)
            if choices and leaf not in choices:
                return unknown(f"key {key!r}:" if parent else "key", leaf, choices)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("full_key", "object_type", "reference_type", "set HYDRA"))]
    return InputError("; ".join(lines[:3]) or type(error).__name__)


def _children(parent: str, overrides: Sequence[str], config_dir: str | None) -> list[str]:
    """Keys that exist where a misspelt override pointed, in the experiment without overrides."""
    from omegaconf import DictConfig, OmegaConf

    only = [o for o in overrides if _key_of(o) == "experiment"]
    with _hydra() as hydra_compose:
        found = hydra_compose("config", overrides=[*_search_path(config_dir), *only])
        while True:
            node = OmegaConf.select(found, parent) if parent else found
            if isinstance(node, DictConfig):
                return [str(key) for key in node]
            if not parent:
                return []
            parent = parent.rpartition(".")[0]
