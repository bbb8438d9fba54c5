"""Composition of an experiment's configuration by Hydra's compose API.

Hydra's own application decorator would write folders and logs, print several lines for one error and exit with 1; the
compose API does neither, and the few lines of command line around it are in `dprepro.__main__`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.errors import InputError, unknown

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override
    from hydra.errors import OverrideParseException
    from omegaconf import DictConfig

#: Overrides that say how and where to run; they change no measurement and no verdict.
EXECUTION_KEYS = ("results_dir", "workers")

#: What an attack is aimed at: blocks that a name from the config group of their last word may fill.
ATTACKED = ("attack.algorithm", "attack.construction")

#: Blocks that only some experiments have.
PARTS = ("algorithm", "construction", "attack")


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
    files: dict[str, Path] = {}
    for folder in _folders(config_dir):
        for path in sorted((folder / "experiment").glob("*.yaml")):
            files.setdefault(path.stem, path)
    return files


def headers(config_dir: str | None = None) -> dict[str, dict[str, str]]:
    """Paper and claim of every experiment, read without composing anything."""
    import yaml

    answer = {}
    for name, path in experiment_files(config_dir).items():
        try:
            # The compiled loader, where PyYAML has it, is ten times as fast.
            found = yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            answer[name] = {key: str(found.get(key, "?")) for key in ("paper", "claim")}
        except (yaml.YAMLError, AttributeError, OSError, UnicodeDecodeError):
            answer[name] = {"paper": "not readable", "claim": str(path)}
    return answer


def compose(overrides: Sequence[str], config_dir: str | None = None) -> Composed:
    """Compose one experiment from overrides in Hydra's grammar, among them ``+experiment=NAME``.

    Raises:
        InputError: anything that Hydra or OmegaConf refuses, in one line.
    """
    files = experiment_files(config_dir)
    overrides = [_chosen_target(override) for override in overrides]
    name = _experiment_of(overrides)
    if name not in files:
        raise unknown("experiment", name, files)
    _check_blocks(name, files, overrides)
    for override in overrides:
        if _key_of(override) == "hydra" or _key_of(override).startswith("hydra."):
            raise InputError(f"{override}: Hydra's own settings have no effect here; see --help")
    with _refusals(files[name], overrides, config_dir):
        from omegaconf import OmegaConf

        config = OmegaConf.to_container(_composed(overrides, config_dir), resolve=True, throw_on_missing=True)
    assert isinstance(config, dict)
    return Composed(
        name,
        {str(key): value for key, value in config.items()},
        tuple(o for o in overrides if _key_of(o) not in ("experiment", *EXECUTION_KEYS)),
    )


def expand_sweeps(overrides: Sequence[str], config_dir: str | None = None) -> list[list[str]]:
    """Multirun: every combination of comma-separated values, ranges and globs, as Hydra's basic sweeper has it.

    Raises:
        InputError: what is no override, or a glob that nothing matches.
    """
    from hydra.core.override_parser.types import Glob

    choices: list[list[str]] = []
    for override in _parsed(overrides):
        written = override.input_line or ""
        prefix = written.partition("=")[0]
        glob = override.value()
        if isinstance(glob, Glob):
            options = _group_options(override.key_or_group.rpartition(".")[2], config_dir)
            values: list[str] = glob.filter(options)
            if not values:
                raise InputError(f"{written} matches nothing; choices: {', '.join(options) or 'none'}")
        elif override.is_sweep_override():
            values = list(override.sweep_string_iterator())
        else:
            choices.append([written])
            continue
        choices.append([f"{prefix}={value}" for value in values])
    return [list(combination) for combination in itertools.product(*choices)]


def _chosen_target(override: str) -> str:
    """``attack.algorithm=NAME`` chooses from the group ``algorithm``, as ``algorithm@attack.algorithm=NAME`` would."""
    key, equals, value = override.partition("=")
    bare, value = key.lstrip("+"), value.strip("'\"")
    if bare not in ATTACKED or not equals or not value.isidentifier():
        return override
    return f"{bare.rpartition('.')[2]}@{bare}={value}"


def _check_blocks(name: str, files: Mapping[str, Path], overrides: Sequence[str]) -> None:
    """Refuse to set a part that the experiment does not have: nothing would use it, and no verdict would say so."""
    for override in overrides:
        key, _, place = override.lstrip("+~").partition("=")[0].partition("@")
        parts = (place or key).split(".")
        block = ".".join(parts[: 2 if parts[0] == "attack" else 1])
        if parts[0] not in PARTS or block in _parts(files[name]):
            continue
        having = [one for one, path in sorted(files.items()) if block in _parts(path)]
        raise InputError(f"{name} has no {block}; experiments that have one: {', '.join(having) or 'none'}")


def _parts(file: Path) -> set[str]:
    """Which of `PARTS` an experiment has, by its defaults list or by a block of its own."""
    import yaml

    try:
        found = yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, OSError, UnicodeDecodeError):
        return set()  # composing it will say why
    if not isinstance(found, dict):
        return set()
    chosen = [str(key) for one in found.get("defaults") or () if isinstance(one, dict) for key in one]
    places = {key.lstrip("/").rpartition("@")[2].removeprefix("override ").lstrip("/") for key in chosen}
    attack = found.get("attack")
    own = {f"attack.{key}" for key in attack} if isinstance(attack, dict) else set()
    return places | own | {key for key in PARTS if key in found}


def _parsed(overrides: Sequence[str]) -> list[Override]:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    try:
        return OverridesParser.create().parse_overrides(list(overrides))
    except OverrideParseException as error:
        raise _grammar(error) from error


def _grammar(error: OverrideParseException) -> InputError:
    return InputError(f"{error.override!r} is not in Hydra's grammar of overrides: {_lines(error)[0]}")


def _group_options(group: str, config_dir: str | None) -> list[str]:
    return sorted({path.stem for folder in _folders(config_dir) for path in (folder / group).glob("*.yaml")})


def _composed(overrides: Sequence[str], config_dir: str | None) -> DictConfig:
    """What Hydra makes of the overrides, whether or not the caller uses Hydra too."""
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from omegaconf import OmegaConf

    users = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    path = [f"hydra.searchpath=['file://{_checked_dir(config_dir)}']"] if config_dir else []
    try:
        with initialize_config_dir(version_base="1.3", config_dir=str(conf_dir())):
            composed = hydra_compose("config", overrides=[*path, *overrides], return_hydra_config=True)
    finally:
        GlobalHydra.instance().hydra = users
    chosen = {(group.partition("@")[0], choice) for group, choice in composed.hydra.runtime.choices.items()}
    for file in hidden_files(config_dir):
        if (file.parent.name, file.stem) in chosen:
            raise InputError(f"{file} has the name of a shipped one, which would be used in its place; rename it")
    return OmegaConf.masked_copy(composed, [str(key) for key in composed if key != "hydra"])


def _folders(config_dir: str | None) -> list[Path]:
    """The shipped folder, and the user's if there is one."""
    return [conf_dir(), _checked_dir(config_dir)] if config_dir else [conf_dir()]


def hidden_files(config_dir: str | None) -> list[Path]:
    """The user's files that have the name of a shipped one: Hydra would take the shipped one without a word."""
    if not config_dir:
        return []
    own, shipped = _checked_dir(config_dir), conf_dir()
    return [path for path in sorted(own.glob("*/*.yaml")) if (shipped / path.relative_to(own)).is_file()]


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


@contextmanager
def _refusals(file: Path, overrides: Sequence[str], config_dir: str | None) -> Iterator[None]:
    """Hydra's, OmegaConf's and YAML's refusals in one line; to a wrong key, the keys that exist."""
    from hydra.errors import HydraException, MissingConfigException, OverrideParseException
    from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
    from yaml import YAMLError

    try:
        yield
    except OverrideParseException as error:
        raise _grammar(error) from error
    except MissingMandatoryValue as error:
        raise InputError(f"{file} lacks a key that every experiment has: {_lines(error)[0]}") from error
    except YAMLError as error:
        # With --config-dir any of the user's files may be the one.
        where = getattr(getattr(error, "problem_mark", None), "name", "") or file
        raise InputError(f"{where} is no valid YAML: {'; '.join(_lines(error))}") from error
    except MissingConfigException as error:
        group, _, choice = (error.missing_cfg_file or "").rpartition("/")
        raise unknown(group, choice, error.options or ()) from error
    except HydraException as error:
        raise _misspelt(overrides, config_dir) or InputError("; ".join(_lines(error)[:3])) from error
    except (OmegaConfBaseException, ValueError, TypeError) as error:
        raise InputError(f"{file}: {'; '.join(_lines(error)[:3])}") from error


def _lines(error: BaseException) -> list[str]:
    lines = [line.strip().rstrip(".:") for line in str(error).splitlines()]
    # OmegaConf's further lines name its own objects, and Hydra's link to its manual.
    noise = ("full_key:", "object_type=", "reference_type=", "set HYDRA", "See https", "^")
    return [line for line in lines if line and not line.startswith(noise)] or [type(error).__name__]


def _misspelt(overrides: Sequence[str], config_dir: str | None) -> InputError | None:
    """The first override whose key does not exist in the experiment without such overrides, with the keys that do."""
    from hydra.errors import HydraException
    from omegaconf import OmegaConf

    groups = {path.name for path in conf_dir().iterdir() if path.is_dir()}
    try:
        tree = _composed([o for o in overrides if _key_of(o) in groups], config_dir)
    except HydraException:
        return None
    for override in overrides:
        node: Any = OmegaConf.to_container(tree, resolve=False)
        key = _key_of(override)
        # What has a + is meant to be new, and a group's choice is judged by Hydra.
        for part in [] if override.startswith("+") or key in groups else key.split("."):
            if isinstance(node, str) and node.startswith("${"):
                return InputError(f"{key}: the YAML takes this block from {node}; set the key there")
            if not isinstance(node, dict):
                break
            if part not in node:
                open_ended = "_target_" in node or key == f"sweep.{part}"
                more = f"; what the YAML leaves out is added by +{override}" if open_ended else ""
                return InputError(f"{key}: {unknown('key', part, node)}{more}")
            node = node[part]
    return None
