"""Hydra as the composer of blocks, by its public doors: a source of files of our own, its store and its compose.

Whatever Hydra reads, it reads as everything here does, by `read_block`, and from the folders of configurations alone.
What the caller does with Hydra stays as it was.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote

from hydra import compose, initialize, version
from hydra.conf import HydraConf
from hydra.core.config_store import ConfigStore
from hydra.core.default_element import GroupDefault
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.types import RunMode
from omegaconf import OmegaConf

from dprepro.config.config_files import found_file, group_options, read_block, refuse_hidden
from dprepro.errors import InputError
from dprepro.support.folders import conf_dir, folders
from dprepro.support.user_files import block_of, is_dotted
from dprepro.support.yaml_files import text_of

Names = list[str]
PRIMARY, PRIMARY_FILE = "config", "config.yaml"


class Folders(ConfigSource):
    """All folders of configurations as one place of Hydra's search path: of equal names the first counts.

    Its address is `dprepro://` and the user's folder, if there is one, as in a URL.
    """

    read: ClassVar[Names] = []
    """The files that this composition has read, by their places in a folder."""

    def __init__(self, provider: str, path: str) -> None:
        super().__init__(provider, path)
        self.config_dir = unquote(self.path) or None

    @staticmethod
    def scheme() -> str:
        return "dprepro"

    def available(self) -> bool:
        return True

    def is_group(self, config_path: str) -> bool:
        return any(os.path.isdir(folder / config_path) for folder in folders(self.config_dir))

    def is_config(self, config_path: str) -> bool:
        name = self._normalize_file_name(config_path)
        there = any(os.path.isfile(folder / name) for folder in folders(self.config_dir))
        return there or is_dotted(Path(name).stem)

    def list(self, config_path: str, results_filter: ObjectType | None) -> Names:
        return group_options(config_path, self.config_dir)

    def load_config(self, config_path: str) -> ConfigResult:
        """The block of a file; raises InputError where it leads out of its folder, is hidden, or sets Hydra itself."""
        place = Path(self._normalize_file_name(config_path))
        if is_dotted(place.stem):  # of a file of Python that an override names
            written = OmegaConf.create(block_of(place.parts[0], place.stem))
            return ConfigResult(self.provider, self.full_path(), written, self._get_header_dict(""))
        file = found_file(str(place), self.config_dir)
        assert file is not None  # Hydra has asked
        if ".." in place.parts:
            raise InputError(f"{config_path} leads out of {file.parents[len(place.parts) - 1]}")
        refuse_hidden(place.parent.as_posix(), place.stem, self.config_dir)
        content = read_block(file)
        self.read.append(place.as_posix())
        header = self._get_header_dict(text_of(file)[:512])
        if place.parts[0] == "experiment" and header["package"] is None:
            header["package"] = "_global_"  # an experiment's keys are those of the whole configuration
        if "hydra" in (*content, (header["package"] or "").partition(".")[0]):
            raise InputError(f"{file}: Hydra's own settings have no effect here; leave hydra out")
        return ConfigResult(self.provider, self.full_path(), OmegaConf.create(content), header)


@dataclass(frozen=True)
class Defaults:
    """What Hydra follows to compose a configuration.

    Attributes:
        rows: of each part its file's place, its package, whether it is the file's own keys, and the file that names it.
        tree: the same as lines, indented under what names them.
        choices: what was chosen from which group.
    """

    rows: Sequence[tuple[str, str, bool, str]]
    tree: Sequence[str]
    choices: Mapping[str, str]


def chosen(overrides: Sequence[str], config_dir: str | None) -> tuple[dict[str, Any], Names]:
    """What `config.yaml` and overrides that choose files make, and the files; interpolations stay as they are."""
    Folders.read[:] = [PRIMARY_FILE]
    composed = overridden(_primary(config_dir), overrides)
    return composed, [*Folders.read]


def defaults(overrides: Sequence[str], config_dir: str | None) -> Defaults:
    """The list of defaults of what `chosen` composes.

    Raises:
        HydraException: what it refuses.
    """
    with _initialized(_primary(config_dir)):
        loader = GlobalHydra.instance().config_loader()
        found = loader.compute_defaults_list(config_name=PRIMARY, overrides=[*overrides], run_mode=RunMode.RUN)
    rows = [
        (str(default.config_path or ""), default.package or "", bool(default.is_self), default.parent or "")
        for default in found.defaults
    ]
    return Defaults(rows, _lines(found.defaults_tree), dict(found.overrides.known_choices))


def overridden(config: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """A configuration with keys set, and with its list of defaults followed, as Hydra does both.

    Raises:
        HydraException: what it refuses.
    """
    with _initialized(config):
        plain = OmegaConf.to_container(compose(PRIMARY, [*overrides]))
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}


def _primary(config_dir: str | None) -> dict[str, Any]:
    address = f"{Folders.scheme()}://{quote(config_dir or '')}"
    return {**read_block(conf_dir() / PRIMARY_FILE), "hydra": {"searchpath": [address]}}


def _lines(tree: Any, depth: int = 0) -> Names:
    """A tree of defaults as lines; a leaf is an element of the list itself."""
    children = getattr(tree, "children", None) or ()
    node = getattr(tree, "node", tree)
    group = isinstance(node, GroupDefault)
    said = f"{node.get_override_key()}: {node.get_name()}" if group else str(node.get_config_path())
    lines = [f"{'  ' * depth}{said}{':' if children else ''}"]
    return lines + [line for child in children for line in _lines(child, depth + 1)]


@contextmanager
def _initialized(config: Mapping[str, Any]) -> Iterator[None]:
    """Hydra with this primary configuration."""
    with _own_hydra() as store:
        store.store(PRIMARY, config)
        with initialize(config_path=None, job_name="dprepro", version_base="1.3"):
            yield


@contextmanager
def _own_hydra() -> Iterator[ConfigStore]:
    """A store that holds Hydra's own settings and no choices of them; afterwards all is the caller's again."""
    Plugins.instance().register(Folders)  # the first time others are found, which put what they have into the store
    store, base = ConfigStore.instance(), version.VersionBase.instance()
    theirs = store.repo, base.version_base, GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    store.repo = {}
    try:
        # Loggers, launchers and sweepers have no effect here, and to read their files takes longer than all else.
        store.store("config", HydraConf(defaults=[]), group="hydra", provider="hydra")
        yield store
    finally:
        store.repo, base.version_base, GlobalHydra.instance().hydra = theirs
