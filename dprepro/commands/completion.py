"""Completion in bash, by Hydra's protocol: ``-sc install=bash`` prints a script, which asks ``-sc query=bash``.

Completed are commands, options and what they take, experiments, names from config groups, keys of the experiment that
stands on the line, and their values.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from dprepro.commands import COMMANDS
from dprepro.errors import DpreproError, InputError, unknown

INSTALL = 'eval "$(dprepro -sc install=bash)"'

SCRIPT = """\
_dprepro_complete() {
    local line=${COMP_LINE:0:COMP_POINT} word found
    local -a program=("$1")
    COMPREPLY=()
    if [[ ${1##*/} == python* ]]; then  # of another module bash completes the names of files, as ever
        [[ $line =~ ^[^[:space:]]+[[:space:]]+-m[[:space:]]+dprepro[[:space:]] ]] || return 0
        program+=(-m dprepro)
    fi
    word=${line##*[[:space:]]}
    found=$(COMP_LINE=$COMP_LINE COMP_POINT=$COMP_POINT "${program[@]}" -sc query=bash 2>/dev/null)
    local IFS=$'\\n' one
    for one in $found; do  # bash replaces what stands behind the last = or :, or the whole word
        [[ $COMP_WORDBREAKS == *=* && $word == *=* && $one == *=* ]] && one=${one#"${word%%=*}="}
        [[ $COMP_WORDBREAKS == *:* && $word == *:* && $one == *:* ]] && one=${one#"${word%:*}:"}
        COMPREPLY+=("$one")
    done
}
complete -o nospace -o default -F _dprepro_complete dprepro
"""
OF_PYTHON = "complete -o nospace -o default -F _dprepro_complete python python3\n"
"""Further where ``python -m dprepro`` printed the script, as Hydra's does."""
REMOVAL = """\
complete -r dprepro 2>/dev/null
for one in python python3; do
    [[ $(complete -p $one 2>/dev/null) == *_dprepro_complete* ]] && complete -r $one
done
unset -f _dprepro_complete
"""
TASKS = ("install", "uninstall", "query")
SHELLS = ("bash",)


def completion(words: Sequence[str]) -> str:
    """What ``-sc`` prints.

    Raises:
        InputError: no task of a shell that there is.
    """
    given = [word.partition("=") for word in words]
    tasks = [(name, shell) for name, equals, shell in given if equals and name in TASKS]
    if len(tasks) != 1 or len(words) != 1:
        raise InputError(f"--shell-completion needs one of install=bash, uninstall=bash, query=bash: {INSTALL}")
    ((task, shell),) = tasks
    if shell == "zsh":
        raise InputError(f"zsh takes that of bash: autoload -Uz bashcompinit; bashcompinit; {INSTALL}")
    if shell not in SHELLS:
        raise unknown("shell", shell, SHELLS)
    if task != "query":
        by_python = Path(sys.argv[0]).name == "__main__.py"
        return REMOVAL if task == "uninstall" else SCRIPT + (OF_PYTHON if by_python else "")
    line = os.environ.get("COMP_LINE", "")
    point = os.environ.get("COMP_POINT", "")
    try:
        found = completed(line[: int(point)] if point.isdecimal() else line)
    except DpreproError:
        found = []  # an unfinished line may mean anything; what is wrong with it is said when it is run
    return "".join(f"{text}\n" for text in found)


def completed(line: str) -> list[str]:
    """The words that may stand at the end of a command line, whose first word is the program, in place of its last."""
    before, word = _split(line)
    name = before[0] if before and before[0] in COMMANDS else ""
    declared = _declared(name)
    last = before[-1] if before else ""
    if last in _OPTIONS_WITH_WORDS and not name:
        found: Iterable[str] = _OPTIONS_WITH_WORDS[last]()
    elif word.startswith("-"):
        found = declared["options"]
    elif name == "rate":
        found = _of_a_rate(word)
    elif name:
        found = [*declared["keys"], *(_runs() if name == "plot" else ())]
    elif {"-sc", "--shell-completion"} & {*before}:
        found = (f"{task}={shell}" for task in TASKS for shell in SHELLS)
    else:
        found = [*(COMMANDS if not before else ()), *_overrides(word, before)]
    return sorted({text for text in found if text.startswith(word)})


def _split(line: str) -> tuple[list[str], str]:
    """The words between the program and the last one, and the last one, as the shell takes quotes away."""
    whole = line[-1:].isspace() or not line
    try:
        words = shlex.split(line)
    except ValueError:  # a quote that is not closed yet
        words = [word.lstrip("'\"") for word in line.split()]
    words = [*words, ""] if whole else words
    words = words[2:] if words[1:3] == ["-m", "dprepro"] else words
    return words[1:-1], words[-1] if len(words) > 1 else ""


def _declared(name: str) -> dict[str, list[str]]:
    from importlib import import_module

    from dprepro.commands.parser import declared_by, options_of

    declared = declared_by(import_module(f"dprepro.commands.{name or 'run'}"))
    keys = [f"{key}=" for key, value in declared.items() if value.form == "key"]
    return {"options": options_of(declared), "keys": keys}


def _of_a_rate(word: str) -> list[str]:
    """Keys of the command ``rate``, and the values of those that take words from a list."""
    from dprepro.budget import Neighbours
    from dprepro.commands import rate
    from dprepro.config.config_files import group_options
    from dprepro.constructions.base import LOSSES
    from dprepro.own.adapters import SetName
    from dprepro.own.experiment import DIRECTIONS
    from dprepro.support.user_files import names_in

    key, equals, value = word.partition("=")
    if not equals:
        keys = (*rate.TEXTS, "direction", "margin", *rate.DATA, *rate.SETTINGS, *rate.BUDGET)
        return [*(f"{text}=" for text in keys), *(f"sweep.{axis}=" for axis in ("n", "p", "epsilon", "delta"))]
    values: Iterable[str] = ()
    file = value.rpartition(":")[0]
    if key in (*rate.PARTS, "rate") and file.endswith(".py"):
        values = (f"{file}:{name}" for name in names_in(file))
    elif key in rate.PARTS:
        values = group_options(key, None)
    elif key == "direction":
        values = DIRECTIONS
    elif key == "neighbours":
        values = (neighbours.value for neighbours in Neighbours)
    elif key == "loss":
        values = LOSSES
    elif key == "constraint_set":
        values = get_args(SetName)
    return [f"{key}={value}" for value in values]


def _runs() -> Iterable[str]:
    """The runs in the usual folder of results."""
    return (verdict.parent.relative_to("results").as_posix() for verdict in Path("results").rglob("verdict.json"))


def _cfg() -> Iterable[str]:
    from dprepro.commands.shown import CFG

    return CFG


def _info() -> Iterable[str]:
    from dprepro.commands.shown import INFO

    return INFO


def _files() -> Iterable[str]:
    return ()  # bash completes the names of files by itself


_OPTIONS_WITH_WORDS = {
    **dict.fromkeys(("--cfg", "-c"), _cfg),
    **dict.fromkeys(("--info", "-i"), _info),
    **dict.fromkeys(("--config-dir", "-cd"), _files),
}


def _overrides(word: str, before: Sequence[str]) -> list[str]:
    """Overrides that begin like ``word``, in the way in which it begins: with +, ++, ~ or plainly."""
    bare = word.lstrip("+~")
    prefix, config_dir = word[: len(word) - len(bare)], _config_dir(before)
    key, equals, value = bare.partition("=")
    if not equals:
        return [f"{prefix}{found}" for found in _keys(key, before, config_dir)]
    listed, comma, _ = value.rpartition(",")  # of several the last one is completed
    values = _values(key, before, config_dir)
    return [f"{prefix}{key}={listed}{comma}{text}" for text in values]


def _config_dir(before: Sequence[str]) -> str | None:
    for place, word in enumerate(before):
        name, equals, value = word.partition("=")
        if name in ("--config-dir", "-cd"):
            return value if equals else (before[place + 1] if place + 1 < len(before) else None)
    return None


def _keys(key: str, before: Sequence[str], config_dir: str | None) -> list[str]:
    """Keys of the configuration one level below what stands there already, each with its = or dot."""
    chosen = any(word.lstrip("+").startswith("experiment=") for word in before)
    parent, dot, _ = key.rpartition(".")
    node = _at(_configuration(before, config_dir), parent)
    found = [f"{parent}{dot}{name}{'.' if isinstance(value, Mapping) else '='}" for name, value in node.items()]
    if not dot:
        found += ["label=", "reuse=", *(() if chosen else ("experiment=",))]
        found += [f"{group}=" for group in ("algorithm", "construction") if f"{group}." in found]
    return found


def _values(key: str, before: Sequence[str], config_dir: str | None) -> list[str]:
    from dprepro.config.config_files import group_options
    from dprepro.config.overrides import literal, place_of

    group = key.rpartition(".")[2].partition("@")[0]
    if group in ("experiment", "algorithm", "construction"):
        return group_options(group, config_dir)
    if group in _choices_of():
        return _choices_of()[group]
    parent, _, last = place_of(key).rpartition(".")
    node = _at(_configuration(before, config_dir), parent)
    return [literal(node[last])] if last in node and not isinstance(node[last], Mapping) else []


def _choices_of() -> dict[str, list[str]]:
    """The values of keys that take words from a short list."""
    from dprepro.budget import Neighbours

    return {
        "neighbours": [Neighbour.value for Neighbour in Neighbours],
        "reuse": ["same", "any"],
        "workers": ["auto"],
        "role": ["claim", "context", "control", "erratum"],
        "expect": ["confirmed", "inconclusive", "refuted"],
    }


def _configuration(before: Sequence[str], config_dir: str | None) -> Mapping[str, Any]:
    """The configuration of the experiment on the line, else the one that every experiment starts from."""
    from dprepro.config.compose import compose
    from dprepro.config.config_files import read_block
    from dprepro.support.folders import conf_dir

    overrides = [word for word in before if "=" in word and not word.startswith("-")]
    for attempt in (overrides, [word for word in overrides if word.startswith("+experiment=")]):
        try:
            return compose(attempt, config_dir).config
        except DpreproError:
            continue
    return {key: value for key, value in read_block(conf_dir() / "config.yaml").items() if key != "defaults"}


def _at(config: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    node: Any = config
    for part in place.split(".") if place else ():
        node = node.get(part) if isinstance(node, Mapping) else None
    return node if isinstance(node, Mapping) else {}
