"""What lies in the folders of configurations: the headers and parts of experiments, the options of groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dprepro.config.interpolation import only_keys
from dprepro.errors import InputError, printable
from dprepro.support.folders import checked_dir, experiment_files, folders, hidden_files
from dprepro.support.yaml_files import load

#: Blocks that only some experiments have.
PARTS = ("algorithm", "construction", "attack")


def read_block(file: Path) -> dict[str, Any]:
    """The keys that a YAML file of the configuration sets; none, if it is empty.

    Raises:
        InputError: no valid YAML, something else than keys with values, or a reference to anything but such a key.
    """
    found = load(file)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InputError(f"{file} has no block of keys, such as claim: Theorem 1")
    only_keys(found, file)
    return {str(key): value for key, value in found.items()}


def headers(config_dir: str | None = None) -> dict[str, dict[str, str]]:
    """Paper and claim of every experiment, read without composing anything."""
    answer = {}
    for name, path in experiment_files(config_dir).items():
        try:
            found = read_block(path)
            answer[name] = {key: printable(str(found.get(key, "?")), 500) for key in ("paper", "claim")}
        except InputError:
            answer[name] = {"paper": "not readable", "claim": str(path)}
    return answer


def parts_of(file: Path) -> set[str]:
    """Which of `PARTS` an experiment has, by its defaults list or by a block of its own."""
    try:
        found = read_block(file)
    except InputError:
        return set()  # composing it will say why
    defaults = found.get("defaults")
    chosen = [
        str(key)
        for default in (defaults if isinstance(defaults, list) else ())
        if isinstance(default, dict)
        for key in default
    ]
    places = {key.lstrip("/").rpartition("@")[2].removeprefix("override ").lstrip("/") for key in chosen}
    attack = found.get("attack")
    own = {f"attack.{key}" for key in attack} if isinstance(attack, dict) else set()
    return places | own | {key for key in PARTS if key in found}


def group_options(group: str, config_dir: str | None) -> list[str]:
    """The names that a config group offers."""
    return sorted({path.stem for folder in folders(config_dir) for path in (folder / group).glob("*.yaml")})


def found_file(name: str, config_dir: str | None) -> Path | None:
    """A file of the configuration by its place in a folder, such as ``algorithm/noisy_gd.yaml``, if there is one."""
    return next((path for folder in folders(config_dir) if (path := folder / name).is_file()), None)


def refuse_hidden(group: str, name: str, config_dir: str | None) -> None:
    """Raise InputError where a choice is meant to be a file of the user that an earlier one hides."""
    for file in hidden_files(config_dir) if config_dir else ():
        if file.parent.parent == checked_dir(config_dir or "") and (file.parent.name, file.stem) == (group, name):
            raise InputError(f"{file} has the name of a shipped one, which would be used in its place; rename it")
