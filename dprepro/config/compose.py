"""Composition of an experiment's configuration by Hydra's compose API.

Hydra's own application decorator would write folders and logs, print several lines for one error and exit with 1; the
compose API does neither, and the few lines of command line around it are in `dprepro.__main__`.

Hydra puts the files together and applies what chooses among them (`algorithm=NAME`); then the short forms are written
out (`templates`); then the other overrides are applied, so that every key that exists in the full form can be set.
"""

from __future__ import annotations

import copy
import itertools
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprepro.config.config_files import PARTS, found_file, group_options, parts_of, read_block, refuse_hidden
from dprepro.config.interpolation import bounded, only_keys
from dprepro.config.overrides import (
    check_text,
    chosen_experiment,
    chosen_target,
    key_of,
    misspelt,
    place_of,
    quoted,
    read_as_text,
    refuse_deletions,
    refuse_hydras,
    refuse_no_blocks,
)
from dprepro.errors import InputError, choices_in_words, shortened, unknown
from dprepro.support.folders import experiment_files, folders, refused_experiments
from dprepro.support.user_files import block_of, in_folder, is_dotted, is_target, may_load, named, refusal

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

    from dprepro.config.composer import Defaults

MOST_NAMED = 8
"""Experiments that an error names."""
MOST_RUNS = 100_000  # of one command
#: Overrides that say how and where to run; they change no measurement and no verdict.
EXECUTION_KEYS = ("results_dir", "workers", "reuse", "label", "shard", "cell_minutes")


LABEL = "label"
TEXTS = ("results_dir", LABEL)
"""Execution keys that name folders."""

Base = tuple[list[str], dict[str, Any], list[str]]


@dataclass(frozen=True)
class Composed:
    """A resolved configuration as plain data, every short form written out.

    Attributes:
        name: the experiment.
        config: its configuration.
        overrides: what was overridden in it beyond execution settings.
        config_dir: the user's own folder, if there is one.
        taken: the experiment's own parts (`algorithm`, `attack.algorithm`, ...) that its study takes.
        sources: what it was made of: files by their places in a folder, and modules (see `dprepro.config.sources`).
        base: what chooses files, what those files make, written out, and the files.
        unresolved: the configuration before references such as `${algorithm}` are followed.
    """

    name: str
    config: dict[str, Any]
    overrides: tuple[str, ...]
    config_dir: str | None = None
    parts_in_use: frozenset[str] = frozenset()
    sources: tuple[str, ...] = ()
    base: Base | None = field(default=None, repr=False, compare=False)
    unresolved: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def written(self) -> dict[str, Any]:
        """The configuration with the references that the files and overrides have, as Hydra shows it unresolved."""
        from omegaconf import OmegaConf

        resolved = OmegaConf.to_container(OmegaConf.create(dict(self.unresolved)), resolve=True)
        found = _as_written(self.config, resolved, self.unresolved)
        assert isinstance(found, dict)
        return found

    def without(self, override: str) -> Composed:
        """The experiment composed without one override; raises InputError where the others need it."""
        others = [text for text in self.overrides if text != override]
        return compose([f"+experiment={self.name}", *others], self.config_dir, self.base)


def _is_setup(workers: object) -> bool:
    """Whether it is a file that sets jobs up; what measures is imported for a text alone, as it is slow to come."""
    if not isinstance(workers, str):
        return False
    from dprepro.engine.workers import is_setup

    return is_setup(workers)


def compose(overrides: Sequence[str], config_dir: str | None = None, base: Base | None = None) -> Composed:
    """Compose one experiment from overrides in Hydra's grammar, among them ``+experiment=NAME``; ``base`` saves time.

    Raises:
        InputError: anything that Hydra or OmegaConf refuses, in one line.
    """
    typed = overrides
    name, file, overrides = _checked(overrides, config_dir)
    choices, values, execution = _by_kind(overrides, config_dir)
    with _refusals(file):
        from omegaconf import OmegaConf

        from dprepro.config.overridden import overridden
        from dprepro.config.templates import expand, parts_in_use, resolve
        from dprepro.statements.papers import sources_of, statements_of

        def find(group: str, name: str) -> dict[str, Any]:
            files.append(f"{group}/{name}.yaml")
            return group_block(group, name, config_dir)

        statements = partial(statements_of, config_dir=config_dir)
        if base is None or base[0] != choices:
            composed, files = _composed(choices, config_dir)
            base = choices, expand(composed, find, statements), files
        full, files = copy.deepcopy(base[1]) | execution, [*base[2]]
        if "workers" not in execution and _is_setup(full.get("workers")):
            raise InputError(f"a configuration runs no code, as {full['workers']} may: type workers=FILE.yaml yourself")
        if values:
            changed = _overridden(full, values)
            refuse_no_blocks(changed)
            full = expand(_left(changed, full), find, statements)
        unresolved = resolve(full)
        bounded(unresolved)
        resolved = OmegaConf.to_container(OmegaConf.create(unresolved), resolve=True, throw_on_missing=True)
        assert isinstance(resolved, dict)
        config: dict[str, Any] = {str(key): value for key, value in resolved.items()}
        paper = str(config.get("paper", ""))
        said = tuple(o for o in map(chosen_target, typed) if key_of(o) not in ("experiment", *EXECUTION_KEYS))
        if said:
            plain = _as_shipped(name, config_dir, base)
            config = overridden(config, plain, said, {statement.item: statement for statement in statements(paper)})
        files += sources_of(paper, config_dir) if config.get("statements") else ()
    return Composed(
        name,
        config,
        said,
        config_dir,
        parts_in_use(full),
        tuple(sorted({*files})),
        base,
        unresolved,
    )


def part_of(config: Mapping[str, Any], package: str) -> Any:
    """What stands under a dotted key, as Hydra's packages are written, or an entry of a list (`sweep.n[0]`).

    Raises:
        InputError: there is no such key, or it is none.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        found = OmegaConf.select(OmegaConf.create(dict(config)), package)
    except (OmegaConfBaseException, ValueError, TypeError) as error:
        raise InputError(f"--package {package} is no key: {'; '.join(_lines(error)[:2])}") from error
    if found is None:
        node: Any = config
        for part in package.split("."):
            if not isinstance(node, Mapping) or part not in node:
                raise InputError(
                    f"--package {package}: {unknown('key', part, node if isinstance(node, Mapping) else ())}"
                )
            node = node[part]
        raise InputError(f"--package {package}: it is null")
    return OmegaConf.to_container(found) if OmegaConf.is_config(found) else found


def defaults(overrides: Sequence[str], config_dir: str | None = None) -> Defaults:
    """Hydra's list of defaults of what `compose` would compose; raises as `compose`."""
    from dprepro.config.composer import defaults

    _, file, overrides = _checked(overrides, config_dir)
    with _refusals(file):
        return defaults(_by_kind(overrides, config_dir)[0], config_dir)


def _checked(overrides: Sequence[str], config_dir: str | None) -> tuple[str, Path, list[str]]:
    """The experiment that overrides choose, its file, and the overrides as Hydra is to read them."""
    known = experiment_files(config_dir)
    for override in overrides:
        check_text(override)
        only_keys(override, "override")
    refuse_hydras(overrides)
    refuse_deletions(overrides)
    overrides = [chosen_target(named(_in_folder(override))) for override in overrides]
    name = chosen_experiment(overrides)
    if name not in known:
        if refused := refused_experiments(config_dir).get(name):
            raise InputError(refused)
        raise unknown("experiment", name, known)
    _check_blocks(name, known, overrides)
    return name, known[name], overrides


def _as_written(found: Any, resolved: Any, unresolved: Any) -> Any:
    """``found``, with the references of ``unresolved`` wherever it is still what these lead to."""
    if found == resolved:
        return unresolved
    if isinstance(found, Mapping) and isinstance(resolved, Mapping) and isinstance(unresolved, Mapping):
        return {
            key: _as_written(value, resolved[key], unresolved[key]) if key in resolved and key in unresolved else value
            for key, value in found.items()
        }
    return found


def expand_sweeps(overrides: Sequence[str], config_dir: str | None = None) -> list[list[str]]:
    """Multirun: every combination of comma-separated values, ranges and globs, as Hydra's basic sweeper has it.

    Raises:
        InputError: what is no override, or a glob that nothing matches.
    """
    from hydra.core.override_parser.types import Glob

    refuse_hydras(overrides)
    choices: list[list[str]] = []
    for override in _parsed(overrides):
        written = override.input_line or ""
        prefix = written.partition("=")[0]
        glob = override.value()
        if isinstance(glob, Glob):
            options = group_options(override.key_or_group.rpartition(".")[2], config_dir)
            values: list[str] = glob.filter(options)
            if not values:
                raise InputError(f"{written} matches nothing; {choices_in_words(options, ' '.join(glob.include))}")
        elif override.is_sweep_override():
            values = _swept(override)
        else:
            choices.append([written])
            continue
        choices.append([f"{prefix}={value}" for value in values])
        if (runs := math.prod(len(choice) for choice in choices)) > MOST_RUNS:
            raise InputError(f"-m with {written} asks for {runs:,} runs or more; at most {MOST_RUNS:,}")
    jobs = [list(combination) for combination in itertools.product(*choices)]
    _check_labels(jobs)
    return jobs


def _check_labels(jobs: Sequence[Sequence[str]]) -> None:
    """Refuse a label that several runs of one experiment would share: each is to keep its folder."""
    runs = Counter((chosen_experiment(job), word) for job in jobs for word in job if key_of(word) == LABEL)
    for (name, word), count in runs.items():
        if count > 1 and "${" not in word:
            label = word.partition("=")[2].strip("'\"")
            raise InputError(
                f"{word} names one folder for {count} runs of {name}: leave it out, and each has a folder named by its "
                f"overrides, or name what tells them apart, as label='{label}-${{seed}}'"
            )


def values_of(overrides: Sequence[str]) -> dict[str, Any]:
    """What ``KEY=VALUE`` in Hydra's grammar say, nested by the dots of their keys.

    Raises:
        InputError: what is no override, or means several runs.
    """
    found: dict[str, Any] = {}
    for override in _parsed(overrides):
        if override.is_sweep_override():
            raise InputError(f"{override.input_line} means several runs; a list is written in [ ]")
        *places, last = override.key_or_group.split(".")
        node = found
        for place in places:
            node = node.setdefault(place, {})
        node[last] = override.value()
    return found


def _swept(override: Override) -> list[str]:
    """The values of a sweep; raises InputError where there are none, or no end of them."""
    from hydra.errors import HydraException

    try:
        values = list(itertools.islice(override.sweep_string_iterator(), MOST_RUNS + 1))
    except (HydraException, ValueError, ArithmeticError) as error:
        raise InputError(f"{override.input_line} is no list of values: {error}") from error
    if not values:
        raise InputError(f"{override.input_line} has no value")
    return values


def _check_blocks(name: str, files: Mapping[str, Path], overrides: Sequence[str]) -> None:
    """Refuse to set a part that the experiment does not have: nothing would use it, and no verdict would say so."""
    for override in overrides:
        parts = place_of(override).split(".")
        block = ".".join(parts[: 2 if parts[0] == "attack" else 1])
        if parts[0] not in PARTS or block in parts_of(files[name]):
            continue
        having = [text for text, path in sorted(files.items()) if block in parts_of(path)]
        more = f" and {len(having) - MOST_NAMED} more" if len(having) > MOST_NAMED else ""
        named = ", ".join(having[:MOST_NAMED]) or "none"
        raise InputError(f"{name} has no {block}; experiments that have one: {named}{more}")


def _parsed(overrides: Sequence[str]) -> list[Override]:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    for override in overrides:
        check_text(override)
    parser, found = OverridesParser.create(), []
    for override in overrides:
        try:
            found += parser.parse_overrides([quoted(override)])
        except OverrideParseException as error:
            text = read_as_text(override, _lines(error)[0])
            found += parser.parse_overrides([text])
        except ValueError as error:  # a whole number of thousands of digits
            raise InputError(f"{shortened(override)}: {_lines(error)[0]}") from error
    return found


def _by_kind(overrides: Sequence[str], config_dir: str | None) -> tuple[list[str], list[Override], dict[str, Any]]:
    """Overrides that choose files (``algorithm=NAME``), those that set keys, and what says how and where to run."""
    from hydra.core.override_parser.types import OverrideType

    groups = {path.name for folder in folders(config_dir) for path in folder.iterdir() if path.is_dir()}
    choices, values, execution = list[Any](), list[Any](), dict[str, Any]()
    for override in _parsed(overrides):
        value = None if override.is_sweep_override() else override.value()
        plain = override.type in (OverrideType.CHANGE, OverrideType.FORCE_ADD) and not override.is_sweep_override()
        if plain and override.get_key_element().lstrip("+") in EXECUTION_KEYS:
            text = override.key_or_group in TEXTS and isinstance(value, bool | int | float)
            # 1e3 and true are names of folders as well
            value = (override.input_line or "").partition("=")[2] if text else value
            if isinstance(value, str) and override.key_or_group == "results_dir":
                value = os.path.expanduser(value)
            execution[override.key_or_group] = value
        else:
            chooses = override.key_or_group.partition("/")[0] in groups and not isinstance(override.value(), dict)
            (choices if chooses else values).append(override)
    return [override.input_line or "" for override in choices], values, execution


def _composed(overrides: Sequence[str], config_dir: str | None) -> tuple[dict[str, Any], list[str]]:
    """What Hydra makes of the files that the overrides choose, and these files; interpolations stay as they are."""
    from dprepro.config.composer import chosen

    return chosen(overrides, config_dir)


def _overridden(config: dict[str, Any], overrides: Sequence[Override]) -> dict[str, Any]:
    """The configuration with keys set, as Hydra sets them; to a wrong key, the keys that exist."""
    from hydra.errors import HydraException

    from dprepro.config.composer import overridden

    lines = [override.input_line or "" for override in overrides]
    for line, override in zip(lines, overrides, strict=True):
        if override.is_sweep_override():
            raise InputError(f"{line} means several runs: add -m; a list is written in [ ]")
        if not override.key_or_group:
            raise InputError(f"{line} names no key; an override is KEY=VALUE")
    try:
        return overridden(config, lines)
    except (HydraException, OSError, ValueError) as error:  # a key may be one that no file could have for a name
        raise misspelt(lines, config) or error from error


def _as_shipped(name: str, config_dir: str | None, base: Base) -> dict[str, Any]:
    """The configuration without overrides; not to be changed."""
    return compose([f"+experiment={name}"], config_dir, base).config


def _left(config: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration once the series that an override deletes are held against no statement."""
    from dprepro.config.statement_forms import without_series

    had, has = (
        entry["study"].get("series") if isinstance(entry.get("study"), Mapping) else {} for entry in (before, config)
    )
    return without_series(config, {*(had or {})} - {*(has or {})})


def _in_folder(override: str) -> str:
    """An override that chooses a file of Python in a folder that the user trusts, with that in its place."""
    key, equals, value = override.partition("=")
    group = key.lstrip("+").partition("@")[0]
    target = in_folder(group, value) if equals and group in ("algorithm", "construction") else ""
    return f"{key}={target}" if target else override


def group_block(group: str, name: str, config_dir: str | None) -> dict[str, Any]:
    """The content of a config group's file, or what a file of Python has, for use inside a series."""
    name = in_folder(group, name) or name
    if is_target(name) and not may_load(name):
        raise refusal(name)
    if is_target(name) or is_dotted(name):
        return dict(block_of(group, name))
    options = group_options(group, config_dir)
    if name not in options:
        raise unknown(group, name, options)
    refuse_hidden(group, name, config_dir)
    file = found_file(f"{group}/{name}.yaml", config_dir)
    assert file is not None  # it is one of the options
    block = read_block(file)
    if "defaults" in block:
        raise InputError(f"{file} has a defaults list: a series cannot name it")
    return block


@contextmanager
def _refusals(file: Path) -> Iterator[None]:
    """Hydra's, OmegaConf's and YAML's refusals in one line."""
    from hydra.errors import HydraException, MissingConfigException
    from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

    try:
        yield
    except InputError:
        raise
    except MissingMandatoryValue as error:
        raise InputError(f"{file} lacks a key that every experiment has: {_lines(error)[0]}") from error
    except MissingConfigException as error:
        group, _, choice = (error.missing_cfg_file or "").rpartition("/")
        raise unknown(group, choice, error.options or ()) from error
    except HydraException as error:
        lines = _lines(error)
        if found := re.fullmatch(r"Error merging override (.*?)=(\[.*)", lines[0]):
            key, value = found.groups()
            said = f"{key} is {value}; it must be a block of keys, one of which is set by {key}.KEY=VALUE"
            raise InputError(said) from error
        raise InputError("; ".join(lines[:3])) from error
    except AssertionError as error:  # Hydra's only word on an entry whose group is empty
        raise InputError(f"{file}: the defaults list has an entry that Hydra cannot read") from error
    except OSError as error:  # the name of a file that no file can have
        name = Path(str(error.filename or "")).name
        raise InputError(f"{file}: {error.strerror or error}: {shortened(name)}") from error
    except (OmegaConfBaseException, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{file}: {'; '.join(_lines(error)[:3])}") from error


def _lines(error: BaseException) -> list[str]:
    lines = [line.strip().rstrip(".:") for line in str(error).splitlines()]
    # OmegaConf's further lines name its own objects, and Hydra's link to its manual.
    noise = ("full_key", "object_type=", "reference_type=", "set HYDRA", "See https", "^")
    return [line for line in lines if line and not line.startswith(noise)] or [type(error).__name__]
