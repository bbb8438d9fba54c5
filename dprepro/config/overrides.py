"""Overrides as the texts that they are, before Hydra reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dprepro.errors import InputError, shortened, unknown
from dprepro.support import expressions
from dprepro.support.texts import check_texts
from dprepro.support.user_files import is_dotted

#: What an attack is aimed at: blocks that a name from the config group of their last word may fill.
ATTACKED = ("attack.algorithm", "attack.construction")

LONGEST = 50_000
"""Characters of an override."""
DEEPEST = 20
"""Brackets in brackets: Hydra reads them by recursion."""


def check_text(override: str) -> None:
    """Raise InputError for an override with characters that nobody sees, and for one that is too much for Hydra.

    That is one that is too long, or nested too deeply, for its grammar to be tried.
    """
    check_texts(override, shortened(key_of(override)), "the override")
    if len(override) > LONGEST:
        raise InputError(f"{shortened(override)} has more than {LONGEST:,} characters")
    depth = 0
    for text in override:
        depth += (text in "([{") - (text in ")]}")
        if depth > DEEPEST:
            raise InputError(f"{shortened(override)} is nested deeper than {DEEPEST} levels")


def chosen_target(override: str) -> str:
    """``attack.algorithm=NAME`` chooses from the group ``algorithm``, as ``algorithm@attack.algorithm=NAME`` would."""
    key, equals, value = override.partition("=")
    bare, value = key.lstrip("+"), value.strip("'\"")
    if bare not in ATTACKED or not equals or not (value.isidentifier() or is_dotted(value)):
        return override
    return f"{bare.rpartition('.')[2]}@{bare}={value}"


def place_of(override: str) -> str:
    """The dotted key that an override sets, for ``algorithm@attack.algorithm=NAME`` what stands behind the @."""
    key, _, place = override.lstrip("+~").partition("=")[0].partition("@")
    return place or key


def key_of(override: str) -> str:
    """The dotted key or the config group that an override begins with."""
    return override.lstrip("+~").partition("=")[0].partition("@")[0]


#: What to type instead of a setting of Hydra's own, by how its key begins; the first that fits counts.
INSTEAD = {
    "hydra.run.dir": "results_dir=DIR says where the results go, label=NAME names the folder of a run with overrides",
    "hydra.sweeper": "-m KEY=a,b runs every combination; other sweepers are refused",
    "hydra.sweep": "results_dir=DIR says where the results go, and each run of -m has a folder there; label= names it",
    "hydra.job.name": "label=NAME names the folder of a run with overrides, and its curve in a plot of several",
    "hydra.job.chdir": "a run stays in the folder in which it is started; leave it out",
    "hydra.job.env": "set the variable before the command: NAME=VALUE python -m dprepro ...",
    "hydra.verbose": "--verbose tells all that is known of each check",
    "hydra.mode": "--run, or --multirun for every combination",
    "hydra.searchpath": "--config-dir DIR adds a folder of configurations",
    "hydra.output_subdir": "no further folder is written: config.yaml lies beside the results",
    "hydra.launcher": "workers=NUMBER for local processes, tcp://HOST:8786 for a Dask scheduler, FILE.yaml for Slurm",
    "hydra.job_logging": "run.log beside the results has what is printed",
    "hydra.hydra_logging": "run.log beside the results has what is printed",
    "hydra.help": "--help",
    "hydra.hydra_help": "--hydra-help",
}


def refuse_hydras(overrides: Sequence[str]) -> None:
    """Raise InputError for a setting of Hydra itself, such as ``hydra.run.dir`` or ``hydra/launcher``."""
    for override in overrides:
        if re.match(r"hydra\b", key_of(override)):
            dotted = key_of(override).replace("/", ".")
            said = next((said for begin, said in INSTEAD.items() if dotted.startswith(begin)), "leave it out")
            raise InputError(
                f"{override}: Hydra's own settings have no effect here; instead: {said} (see --hydra-help)"
            )


#: What every experiment has.
NEEDED = ("paper", "claim", "statement", "study", "sweep", "checks")


def refuse_deletions(overrides: Sequence[str]) -> None:
    """Raise InputError where a key that every experiment has is deleted."""
    for override in overrides:
        key = key_of(override)
        if override.startswith("~") and key in NEEDED:
            part = {"study": "study.series.NAME", "sweep": "sweep.AXIS", "checks": "checks.NAME"}.get(key)
            rest = f"delete a part of it, as ~{part}" if part else f"set it, as {key}=TEXT"
            raise InputError(f"{override}: every experiment has {key}; {rest}")


def refuse_no_blocks(config: Mapping[str, Any]) -> None:
    """Raise InputError where something else stands in the place of a block of keys, or of one of its named blocks."""
    study = config.get("study")
    series = study.get("series", {}) if isinstance(study, Mapping) else {}
    blocks = {key: config.get(key, {}) for key in ("sweep", "checks", "study", "figure")} | {"study.series": series}
    for key in ("checks", "study.series"):
        if isinstance(blocks[key], Mapping):
            named = key == "checks"  # the name of a check stands for its block
            blocks |= {
                f"{key}.{name}": value for name, value in blocks[key].items() if not (named and isinstance(value, str))
            }
    for key, block in blocks.items():
        if not isinstance(block, Mapping):
            said = "null" if block is None else shortened(block)
            raise InputError(f"{key} is {said}; it must be a block of keys, one of which is set by {key}.KEY=VALUE")


def read_as_text(override: str, why: str) -> str:
    """What Hydra's grammar cannot read as a value is taken for a text, such as a path with an accent or a bracket.

    Raises:
        InputError: no override, or a value that is meant to be something else than a text, with what to type.
    """
    key, equals, value = override.partition("=")
    if not equals or not key:
        named = re.fullmatch(r"[^\W\d][\w.]*", override)
        said = f"a key is set by {override}=VALUE" if named else "an override is KEY=VALUE, without spaces around ="
        raise InputError(f"{shortened(override)} is not in Hydra's grammar of overrides: {said}")
    if not re.fullmatch(r"[+~]*[\w./@-]+", key):
        raise InputError(f"{shortened(override)} is not in Hydra's grammar of overrides: {shortened(key)} is no key")
    if value[:1] in tuple("[{'\"") or re.match(r"[\w]+\([^)]*$", value) or "," in value:
        hint = "a text with such signs is put in two pairs of quotes: " + f'"{key}={literal("TEXT")}"'
        said = f"{_plainly(why)}; a list is [1,2], {hint}"
        raise InputError(f"{shortened(override)} is not in Hydra's grammar of overrides: {said}")
    return f"{key}={literal(value)}"


def _plainly(why: str) -> str:
    """Hydra's reason without the words of its lexer and parser."""
    found = re.search(r"(?:no viable alternative at|mismatched|extraneous) input '(.*?)'(?: expecting.*)?$", why)
    if found:
        return f"nothing can follow {found[1]}" if found[1] != "<EOF>" else "something is missing at its end"
    return re.sub(r"^\w*Exception: .*", "it has a sign that stands for nothing", why)


def chosen_experiment(overrides: Sequence[str]) -> str:
    """The one experiment that the overrides name; raises InputError where that is none or several."""
    chosen = [o.partition("=")[2].strip() for o in overrides if key_of(o) == "experiment"]
    if not any(chosen):
        raise InputError("name an experiment: +experiment=NAME; without arguments the command lists them")
    if len(chosen) > 1:
        raise InputError(f"one experiment at a time, got {', '.join(chosen)}; use -m for several")
    if "," in chosen[0] or chosen[0].startswith("glob("):
        raise InputError(f"experiment={chosen[0]} names several; add -m to run them all")
    return chosen[0]


def quoted(override: str) -> str:
    """Expressions with parentheses or ^ in quotes: Hydra would take them for functions of its own, or for nothing."""
    key, equals, value = override.partition("=")
    parts, depth = [""], 0
    for text in value:
        depth += {"(": 1, ")": -1}.get(text, 0)
        if text in "[]{}:," and depth == 0:
            parts += [text, ""]
        else:
            parts[-1] += text
    quotes = [{"(", "^"} & set(part) and expressions.is_meant(part) for part in parts]
    return (
        key
        + equals
        + "".join(f"'{part.strip()}'" if quote else part for part, quote in zip(parts, quotes, strict=True))
    )


def misspelt(overrides: Sequence[str], config: Mapping[str, Any]) -> InputError | None:
    """The first override whose key does not exist, with the keys that do."""
    for override in overrides:
        node: Any = config
        key = key_of(override)
        for part in [] if override.startswith("+") else key.split("."):  # what has a + is meant to be new
            if isinstance(node, str) and node.startswith("${"):
                alone = override.replace(key, f"++{key}", 1)
                return InputError(
                    f"{key}: this block is taken from {node}; set the key there, or for this block alone by {alone}"
                )
            if not isinstance(node, dict):
                break
            if part not in node:
                meant = OF_OTHERS.get(part.casefold(), part)
                axes, value = config.get("sweep"), override.partition("=")[2].strip()
                if key in (part, f"sweep.{part}") and isinstance(axes, Mapping) and meant in axes:
                    return InputError(axis_to_type(part, value, meant))
                if key == part and meant in node:
                    return InputError(f"{key}: unknown key {part!r}; here it is called {meant}: type {meant}={value}")
                open_ended = "_target_" in node or key == f"sweep.{part}"
                more = f"; what the YAML leaves out is added by +{override}" if open_ended else ""
                return InputError(f"{key}: {unknown('key', part, node)}{more}")
            node = node[part]
    return None


OF_OTHERS = {
    **dict.fromkeys(("data", "dataset", "problem", "instance"), "construction"),
    **dict.fromkeys(("algo", "mechanism", "method", "estimator"), "algorithm"),
    **dict.fromkeys(("eps", "privacy_budget"), "epsilon"),
    **dict.fromkeys(("d", "dim", "dimension", "features"), "p"),
    **dict.fromkeys(("size", "samples", "n_samples", "records"), "n"),
    **dict.fromkeys(("reps", "repetitions", "repeats", "trials", "runs"), "replicates"),
    "random_state": "seed",
    "n_jobs": "workers",
}
"""What papers and other libraries call a key, and what it is called here."""


def axis_to_type(given: str, value: str, axis: str) -> str:
    """``p is an axis of the sweep: type 'sweep.p=[4]'``, of an axis that was set at the top, or by another name."""
    listed = value if value.startswith("[") else f"[{value}]"
    called = "" if given == axis else f" called {axis}"
    return f"{given} is an axis of the sweep{called}: type 'sweep.{axis}={listed}'"


def literal(value: Any) -> str:
    """A value as Hydra's grammar writes it; raises InputError for what it has no word for."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{literal(number)}" for key, number in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ",".join(literal(item) for item in value) + "]"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        # In Hydra's grammar a backslash means itself, but before a quote it is to be doubled.
        return "'" + re.sub(r"(\\*)('|$)", lambda at: 2 * at[1] + (at[2] and "\\'"), str(value)) + "'"
    raise InputError(f"{value!r} cannot stand in a configuration")
