"""Where configurations lie: the shipped folder, those of installed packs of papers, and a user's own.

A pack is a package with a folder ``conf``, declared by an entry point of the group ``dprepro.papers``. Its folder has
what a ``--config-dir`` has, ``papers/*.yaml`` among it, and its classes and bounds may be named as a plug-in's.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from dprepro.errors import InputError, experiment_fault, folded

DPREPRO_IMPORTS = DPREPRO_READS = ()  # folders are found, and nothing is imported

PACKS = "dprepro.papers"
_HIDDEN = "has the name of a shipped one"


def conf_dir() -> Path:
    """The shipped configurations: inside an installed wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "conf", package.parent / "conf"):
        if (candidate / "config.yaml").is_file():
            return candidate
    raise InputError(f"the configuration folder conf is missing beside {package}")


@lru_cache(maxsize=1)
def pack_dirs() -> tuple[Path, ...]:
    """The configurations of the packs that are installed, by the names of their packages; nothing is imported.

    Raises:
        InputError: a pack without them.
    """
    found = []
    for package in sorted({re.split("[:.]", point.value)[0] for point in entry_points(group=PACKS)}):
        spec = find_spec(package)  # by whatever finder an editable installation has
        places = [Path(text) / "conf" for text in (spec and spec.submodule_search_locations) or ()]
        there = [place for place in places if place.is_dir()]
        if not there:
            raise InputError(
                f"the package {package}, declared by an entry point {PACKS}, has no folder conf; mend or uninstall it"
            )
        found.append(there[0].resolve())
    return tuple(found)


def checked_dir(config_dir: str) -> Path:
    """The user's folder; raises InputError where there is none."""
    try:
        path = Path(config_dir).expanduser().resolve()
        there = path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # nobody's home, a link to itself, a name that is too long
        raise InputError(f"--config-dir {config_dir} leads nowhere: {error}") from error
    if not there:
        raise InputError(f"--config-dir {config_dir} is not a folder")
    return path


def folders(config_dir: str | None = None) -> list[Path]:
    """The shipped folder, those of packs, and the user's if there is one: of equal names the first counts."""
    return [conf_dir(), *pack_dirs(), *([checked_dir(config_dir)] if config_dir else [])]


def experiment_files(config_dir: str | None = None) -> dict[str, Path]:
    """Experiment names with their YAML files, shipped ones first; packs and a user's folder may add to them."""
    return {path.stem: path for path, fault in _experiments(config_dir) if not fault}


def refused_experiments(config_dir: str | None = None) -> dict[str, str]:
    """Names of files that are no experiments, each with the file and the reason."""
    return {path.stem: f"{path}: {fault}" for path, fault in _experiments(config_dir) if fault and fault != _HIDDEN}


def _experiments(config_dir: str | None) -> Iterator[tuple[Path, str]]:
    """The files of experiments, with what keeps each of them from being used."""
    names: dict[str, str] = {}
    for folder in folders(config_dir):
        for path in sorted((folder / "experiment").glob("*.yaml")):
            fault, other = experiment_fault(path.stem), names.setdefault(folded(path.stem), str(path))
            if not fault and other != str(path):
                same = Path(other).stem == path.stem
                fault = _HIDDEN if same else f"its name differs from that of {other} by case only; rename it"
            yield path, fault


def hidden_files(config_dir: str | None) -> list[Path]:
    """Files of packs and of the user with the name of an earlier one: Hydra would take that one without a word."""
    seen: set[Path] = set()
    hidden = []
    for folder in folders(config_dir):
        files = {path.relative_to(folder): path for path in sorted(folder.glob("*/*.yaml"))}
        hidden += [path for name, path in files.items() if name in seen]
        seen |= files.keys()
    return hidden


def unused_files(config_dir: str | None) -> list[str]:
    """Files of packs and of the user that no command uses, with the reason: Hydra would say nothing of them."""
    said = [f"{path} {_HIDDEN}; rename it" for path in hidden_files(config_dir)]
    return said + list(refused_experiments(config_dir).values())


def command(experiment: str, config_dir: str | None = None) -> str:
    """How to measure an experiment; what is neither shipped nor in a pack needs its folder, ``DIR`` if unknown."""
    known = any((folder / "experiment" / f"{experiment}.yaml").is_file() for folder in folders())
    where = "" if known else f" --config-dir {shlex.quote(config_dir or 'DIR')}"
    return f"python -m dprepro{where} +experiment={experiment}"
