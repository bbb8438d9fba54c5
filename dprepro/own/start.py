"""Starting files: an algorithm, data, a statement, an experiment or a pack of one's own that runs as it is written."""

from __future__ import annotations

import keyword
import re
import shlex
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from dprepro.errors import InputError, checked_name, unknown
from dprepro.support.folders import experiment_files, folders
from dprepro.support.user_files import is_found_beside

TEMPLATES = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class Start:
    """What is written of a kind, and what is typed next.

    Attributes:
        files: their places below the folder, with the templates that they are made of.
        command: what is typed next; ``{algorithm}``, ``{construction}``, ``{folder}``, ``{package}``: where they lie.
        module: whether Python imports something by the name.
        experiments: names of experiments that are made.
        group: the folder of configurations in which the name must be new.
    """

    files: dict[str, str]
    command: str
    module: bool = False
    experiments: tuple[str, ...] = ()
    group: str = ""


STARTS = {
    "algorithm": Start(
        {"my_name.py": "algorithm.py"},
        "python -m dprepro rate {algorithm} construction=nice_regression sweep.p=4 "
        "'sweep.n=[1e4,3e4,1e5,3e5,1e6,3e6,1e7]' 'sweep.epsilon=[0.03,0.1,0.3,1,3,10,30]' "
        "'rate=1/(n*epsilon)**2' replicates=150",
        module=True,
    ),
    "construction": Start(
        {"my_name.py": "construction.py"},
        "python -m dprepro rate algorithm=sufficient_statistics {construction} sweep.p=4 "
        "'sweep.n=[3e3,5e3,8e3,13e3,2e4,3e4,5e4,8e4,13e4]' epsilon=4 'rate=1/(n*epsilon)**2'",
        module=True,
    ),
    "statement": Start(
        {"papers/my_name.yaml": "statement.yaml", "experiment/my_name_rate.yaml": "statement_experiment.yaml"},
        "python -m dprepro --config-dir {folder} +experiment=my_name_rate",
        experiments=("my_name_rate",),
        group="papers",
    ),
    "experiment": Start(
        {"experiment/my_name.yaml": "experiment.yaml"},
        "python -m dprepro --config-dir {folder} +experiment=my_name",
        experiments=("my_name",),
    ),
    "pack": Start(
        {
            "my_name/pyproject.toml": "pack.toml",
            "my_name/README.md": "pack.md",
            "my_name/my_name/__init__.py": "pack_package.py",
            "my_name/my_name/algorithm.py": "algorithm.py",
            "my_name/my_name/conf/algorithm/my_name.yaml": "pack_algorithm.yaml",
            "my_name/my_name/conf/papers/my_name.yaml": "pack_statement.yaml",
            "my_name/my_name/conf/experiment/my_name_rate.yaml": "pack_experiment.yaml",
        },
        "pip install {package} && python -m dprepro +experiment=my_name_rate",
        module=True,
        experiments=("my_name_rate",),
        group="papers",
    ),
}
"""The kinds, by name; ``my_name`` and ``MyName`` stand for the name that is given."""


@dataclass(frozen=True)
class Started:
    """What was written, and the command to type next."""

    paths: tuple[Path, ...]
    command: str


def start(kind: str, name: str, folder: str = ".") -> Started:
    """Write the starting files of a kind.

    Args:
        kind: algorithm, construction, statement, experiment or pack.
        name: of what is made, in small letters: the file's and the function's; a class is its name in capitals.
        folder: where; it is made if need be.

    Raises:
        InputError: an unknown kind; a name that cannot be, or is taken; a file that is there already: none is written.
    """
    if kind not in STARTS:
        raise unknown("kind", kind, STARTS)
    made = STARTS[kind]
    _check_word(name, kind)
    where = Path(folder).expanduser()
    paths = [where / _named(place, name) for place in made.files]
    for path in paths:
        if path.exists() or path.is_symlink():
            raise InputError(f"{path} is there already, and nothing is overwritten; give another name, or a DIR")
    _check_free(name, made)
    for path, template in zip(paths, made.files.values(), strict=True):
        text = _named((TEMPLATES / template).read_text(encoding="utf-8"), name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}; give another DIR") from error
    return Started(tuple(paths), _next(made, where, name))


def _next(made: Start, where: Path, name: str) -> str:
    file = where / f"{name}.py"
    words = {
        "algorithm": f"algorithm={file}:{_class(name)}", "construction": f"construction={file}:{name}",
        "folder": str(where), "package": f"./{where / name}" if not where.is_absolute() else str(where / name),
    }  # fmt: skip
    return _named(made.command, name).format(**{key: shlex.quote(word) for key, word in words.items()})


def _check_word(name: str, kind: str) -> None:
    """Raise InputError for a name that cannot be."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or keyword.iskeyword(name) or keyword.iskeyword(_class(name)):
        raise InputError(
            f"{name!r} is no name for a new {kind}: it must be small letters, digits and _, such as private_descent"
        )


def _check_free(name: str, made: Start) -> None:
    """Raise InputError for a name that something else has."""
    if made.module and _imports(name):
        raise InputError(f"{name} is a package of Python, which a file of that name would hide; give another name")
    known = experiment_files()
    for experiment in (_named(text, name) for text in made.experiments):
        checked_name("experiment", experiment)
        if experiment in known:
            raise InputError(f"{experiment} is the name of an experiment; give another name")
    if made.group and any((path / made.group / f"{name}.yaml").is_file() for path in folders()):
        raise InputError(f"{name} is the name of a paper; give another name")


def _imports(name: str) -> bool:
    """Whether Python would import something else by the name, not counting files beside one that the user has named."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return True
    return spec is not None and not is_found_beside(spec.origin or "")


def _named(text: str, name: str) -> str:
    return text.replace("my_name", name).replace("MyName", _class(name))


def _class(name: str) -> str:
    """``PrivateDescent`` of ``private_descent``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
