"""A submitted witness, as it is read from a file of a stranger: plain data within limits, which runs no code."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dprepro.errors import InputError, shortened
from dprepro.support import typed
from dprepro.support.regular_files import bytes_of
from dprepro.support.texts import check_texts
from dprepro.support.user_files import is_dotted, is_target

LARGEST_FILE = 4_000_000
"""Bytes of a witness."""
DEEPEST = 12
"""Levels of blocks and lists in it."""
LONGEST = {"who": 100, "remark": 500, "statement": 100}

READS_FILES = ("file", "path", "schema", "code", "table")
"""Parameters that name files: a witness holds its data itself."""
_WORD = re.compile(r"[A-Za-z_]\w{0,60}|[0-9.eE+*/() -]{1,40}")
_CLASS = re.compile(r"dprepro(_\w+)?(\.\w+){1,6}")

Part = Literal["algorithm", "construction"]


@dataclass(frozen=True)
class Submission:
    """What somebody submits.

    Attributes:
        statement: its address, ``lasso-theorem-2-5``.
        who: a name, as it will be published.
        algorithm: what is run: a name of the configuration, a block with ``name`` or ``_target_`` and parameters, or
            ``FILE.py:NAME`` of a file beside the witness.
        at: n, p, epsilon, delta and further axes; without it those of the record.
        construction: the data, by the name of a family or a block with its parameters.
        records: the data, written out: ``X``, ``y`` and ``copies``, with what is public about them (``loss``,
            ``constraint_set``, ``radius``, ``feature_bound``, ``feature_norm``, ``label_bound``).
        neighbours: the relation of the budget.
        claimed: the constant that the submitter has seen; 0 where none is said.
        remark: an extrapolation, or whatever else a reader should know; nothing rests on it.
    """

    statement: str
    who: str
    algorithm: Any
    at: Mapping[str, float] = field(default_factory=dict)
    construction: Any = None
    records: Mapping[str, Any] = field(default_factory=dict)
    neighbours: str = "replace_one"
    claimed: float = 0.0
    remark: str = ""

    def __post_init__(self) -> None:
        for name, most in LONGEST.items():
            given = getattr(self, name)
            if len(given) > most:
                raise InputError(f"{name} has {len(given)} characters, more than {most}")
        if not self.who.strip():
            raise InputError("who is empty; give the name under which the entry is published")
        if self.construction is not None and self.records:
            raise InputError("a witness has a construction or records, and not both")
        if not (math.isfinite(self.claimed) and self.claimed >= 0):
            raise InputError(f"claimed must be a finite number of at least 0, got claimed={self.claimed:g}")
        for name in ("algorithm", "construction"):
            _check_block(getattr(self, name), name)
        if isinstance(self.algorithm, Mapping | str) and self.algorithm:
            return
        raise InputError("algorithm must be a name, a block, or FILE.py:NAME")

    @property
    def has_data(self) -> bool:
        """Whether it is a data set; else it is a schedule or an algorithm."""
        return self.construction is not None or bool(self.records)

    @property
    def file(self) -> str:
        """The ``FILE.py:NAME`` that it would run; empty where it runs no code of its own."""
        return self.algorithm if is_target(self.algorithm) else ""

    def to_dict(self) -> dict[str, Any]:
        """As it is stored; what is as by default is left out."""
        every = {"algorithm": self.algorithm, "at": dict(self.at), "neighbours": self.neighbours}
        data = {"construction": self.construction, "records": dict(self.records)}
        return every | {name: one for name, one in data.items() if one}


def _check_block(value: Any, where: str, depth: int = 0) -> None:
    """Raise InputError for what names a file, or a text that is neither a word nor a number."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            if key in READS_FILES:
                raise InputError(f"{where}.{key} is refused: a witness reads no files; records go into the witness")
            if key == "_target_" and not (isinstance(one, str) and _CLASS.fullmatch(one)):
                raise InputError(f"{where}._target_={shortened(one, 80)} is refused: it must be a class of dprepro")
            if key != "_target_":
                _check_block(one, f"{where}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for one in value:
            _check_block(one, where, depth + 1)
    elif isinstance(value, str):
        beside = is_target(value) and where == "algorithm" and not re.search(r"[/\\]|^\.|^~", value)
        if is_dotted(value) or not (beside or _WORD.fullmatch(value)):
            raise InputError(f"{where}={shortened(value, 80)} is refused: it is neither a word nor a number")


def _number(text: str) -> float:
    raise InputError(f'{text} is no number that a witness may hold; infinity is written "inf"')


def _whole(text: str) -> int:
    if len(text) > 300:
        raise InputError(f"a number of {len(text)} digits is refused")
    return int(text)


def _decimal(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _number(text[:40])


def _block(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InputError("a key stands twice in one block")
    return found


def _depth(value: object) -> int:
    """Levels, without recursion."""
    level, here = 0, [value]
    while here:
        level += 1
        inner = [one for one in here if isinstance(one, dict | list)]
        here = [one for block in inner for one in (block.values() if isinstance(block, dict) else block)]
    return level


def read_json(path: Path, most: int) -> Any:
    """The content of a file of JSON, strictly: no NaN, no key twice, not too large, not too deep.

    Raises:
        InputError: a file that is none of that.
    """
    try:
        content = bytes_of(path, most + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', '') or error}") from error
    if len(content) > most:
        raise InputError(f"{path} has more than {most:,} bytes")
    try:
        found = json.loads(
            content.decode("utf-8"), parse_constant=_number, parse_int=_whole, parse_float=_decimal,
            object_pairs_hook=_block,
        )  # fmt: skip
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except RecursionError as error:
        raise InputError(f"{path} is nested too deep") from error
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}") from error
    return found


def submission_of(content: Any, path: Path) -> Submission:
    """A witness from the content of its file.

    Raises:
        InputError: it is too deep, has a hidden character, or a key that is unknown, missing or of another type.
    """
    if not isinstance(content, dict):
        raise InputError(f"{path} holds no witness: it must be a block with statement, who, algorithm and the data")
    if _depth(content) > DEEPEST:
        raise InputError(f"{path} is nested deeper than {DEEPEST} levels")
    check_texts(content, path)
    return typed.build(Submission, content, str(path))
