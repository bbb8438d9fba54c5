"""What Hydra's ``--cfg``, ``--info`` and ``--hydra-help`` show, here too: a configuration and what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

CFG = ("job", "hydra", "all")
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
WHOLE = "_global_"
"""The package that is all of a configuration."""

Overrides = Sequence[str]


def configuration(
    jobs: Sequence[Overrides], config_dir: str | None, cfg: str, package: str | None, resolve: bool, multirun: bool
) -> str:
    """What ``--cfg`` prints: of each job its configuration, or the part of it that ``package`` names, as YAML.

    References such as `${algorithm}` stay as they are unless ``resolve`` is set.

    Raises:
        InputError: as `compose`; a package that no configuration has.
    """
    from dprepro.config.compose import compose

    documents = []
    for overrides in jobs:
        composed = compose(overrides, config_dir)
        config = dict(composed.config) if resolve else composed.written()
        if cfg != "job":
            settings = {"hydra": hydra_settings(overrides, config_dir, multirun)}
            config = settings if cfg == "hydra" else {**config, **settings}
        documents.append(_part(config, package))
    return "---\n".join(documents)


def _part(config: Mapping[str, Any], package: str | None) -> str:
    import yaml

    from dprepro.config.compose import part_of

    found = dict(config) if package in (None, WHOLE) else part_of(config, str(package))
    if not isinstance(found, dict | list):
        return f"{found}\n"
    header = "" if package in (None, WHOLE) else f"# @package {package}\n"
    return header + str(yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=100))


def hydra_settings(overrides: Overrides, config_dir: str | None, multirun: bool) -> dict[str, Any]:
    """Hydra's own settings that have a meaning here, with their values: none of them can be set."""
    from dprepro.config.compose import compose, defaults
    from dprepro.report.standing import OVERRIDDEN, place

    composed, listed = compose(overrides, config_dir), defaults(overrides, config_dir)
    results = str(composed.config.get("results_dir", ""))
    folder = place(composed.name, composed.overrides, composed.config.get("label"))
    _, _, subfolder = folder.partition(f"{composed.name}/")
    return {
        "run": {"dir": f"{results}/{folder}"},
        "sweep": {"dir": f"{results}/{composed.name}", "subdir": subfolder or f"{OVERRIDDEN}/LABEL"},
        "searchpath": [path for _, path in _search_path(config_dir)],
        "mode": "MULTIRUN" if multirun else "RUN",
        "overrides": {"hydra": [], "task": [*overrides]},
        "job": {
            "name": "dprepro",
            "chdir": False,
            "override_dirname": ",".join(sorted(composed.overrides)),
            "config_name": "config",
        },
        "runtime": {
            "version": version("hydra-core"),
            "version_base": "1.3",
            "cwd": str(Path.cwd()),
            "config_sources": [
                {"path": path, "schema": "file", "provider": provider} for provider, path in _search_path(config_dir)
            ],
            "output_dir": f"{results}/{folder}",
            "choices": dict(listed.choices),
        },
        "verbose": False,
    }


def information(what: str, overrides: Overrides, config_dir: str | None) -> str:
    """What ``--info`` prints; raises InputError as `compose`, where it is about a configuration."""
    parts: dict[str, Callable[[], str]] = {
        "searchpath": lambda: _searched(config_dir),
        "plugins": _plugins,
        "defaults": lambda: _listed(overrides, config_dir),
        "defaults-tree": lambda: _tree(overrides, config_dir),
        "config": lambda: configuration([overrides], config_dir, "job", None, False, False),
    }
    titled = {
        "searchpath": "Config search path",
        "plugins": "Installed plugins",
        "defaults": "Defaults List",
        "defaults-tree": "Defaults Tree",
        "config": "Config",
    }
    order = {
        "config": ("searchpath", "defaults-tree", "defaults", "config"),
        "all": ("plugins", "searchpath", "defaults-tree", "defaults", "config"),
    }
    shown = [
        f"{titled[text]}\n{'*' * len(titled[text])}\n{parts[text]().rstrip()}" for text in order.get(what, (what,))
    ]
    if what == "all":
        name = f"Hydra {version('hydra-core')}"
        shown.insert(0, f"{name}\n{'=' * len(name)}")
    return "\n\n".join(shown)


def _search_path(config_dir: str | None) -> Iterator[tuple[str, str]]:
    """Who provides a folder of configurations, and the folder, the first to be looked at first."""
    from dprepro.support.folders import conf_dir, folders, pack_dirs

    for folder in folders(config_dir):
        provider = "main" if folder == conf_dir() else "pack" if folder in pack_dirs() else "command-line"
        yield provider, str(folder)


def _searched(config_dir: str | None) -> str:
    return _boxed(["Provider", "Search path"], [[who, f"file://{path}"] for who, path in _search_path(config_dir)])


def _plugins() -> str:
    from dprepro.practice.final_model import ACCOUNTS
    from dprepro.support.folders import PACKS
    from dprepro.support.typed import PLUGINS

    groups = (PLUGINS, PACKS, ACCOUNTS)
    rows = [[group, point.name, point.value] for group in groups for point in entry_points(group=group)]
    table = _boxed(["Entry point", "Name", "Package"], rows) if rows else "none"
    return f"{table}\nHydra's launchers and sweepers have no effect here; see --hydra-help"


def _listed(overrides: Overrides, config_dir: str | None) -> str:
    from dprepro.config.compose import defaults

    rows = [[path, package, str(own), parent] for path, package, own, parent in defaults(overrides, config_dir).rows]
    return _boxed(["Config path", "Package", "_self_", "Parent"], rows)


def _tree(overrides: Overrides, config_dir: str | None) -> str:
    from dprepro.config.compose import defaults

    return "\n".join(defaults(overrides, config_dir).tree)


def _boxed(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with Hydra's borders."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))} |"

    border = "-" * len(line(head))
    return "\n".join([border, line(head), border, *map(line, rows), border])


HYDRA_HELP = """\
Hydra composes the configuration (https://hydra.cc/docs/1.3), and its command
line is this one's. What is the same:

  KEY=VALUE  +KEY=VALUE  ++KEY=VALUE  ~KEY  GROUP=NAME
                       overrides, in Hydra's grammar; -m takes a,b and glob(*)
                       and range(1,4)
  --cfg job [--resolve] [-p PACKAGE]
                       the configuration; with references followed; a part
  --cfg hydra|all      the settings of Hydra that hold here; both
  --info [all|config|defaults|defaults-tree|plugins|searchpath]
                       where a configuration comes from
  --run, --multirun    one run; every combination
  --config-dir DIR     a folder beside the shipped ones
  --shell-completion   install=bash, uninstall=bash; query=bash for the shell
  --version            of dprepro

What is another here, with what to type instead:

  hydra.run.dir, hydra.sweep.dir   results_dir=DIR
  hydra.sweep.subdir, hydra.job.name
                                   label=NAME, of a run with overrides
  hydra.verbose                    --verbose
  hydra/launcher, hydra.launcher   workers=NUMBER, tcp://..., FILE.yaml
  hydra/sweeper, hydra.sweeper     -m KEY=a,b
  hydra.mode                       --run or --multirun
  hydra.searchpath                 --config-dir DIR
  hydra.job.chdir, hydra.output_subdir
                                   nothing: a run stays in the folder where it
                                   is started, and writes to results_dir alone
  --config-name NAME               +experiment=NAME
  --config-path DIR                --config-dir DIR
  --experimental-rerun FILE        the same command: what is stored is not
                                   measured again"""
