"""A figure's files carry the fingerprint of all that they are drawn from, so that a fresh figure is not drawn again.

The fingerprint covers the measurements, the verdict, and the code that judges and draws. So it covers verdict.json too:
one that was changed since, by a hand or an accident, has another fingerprint and is judged again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dprepro.analysis.checks import RULES
from dprepro.engine.code import code_of
from dprepro.errors import DpreproError, InputError
from dprepro.figures.drawn import drawn
from dprepro.figures.style import rendered
from dprepro.support.regular_files import bytes_of

if TYPE_CHECKING:
    import pandas as pd

    from dprepro.figures import Drawing

KINDS = ("png", "pdf")
MAIN, ALL = "figure", "figure_all"
"""Files without their kind: what is read at a glance, and all that was measured where the first leaves some out."""

JUDGING = ("dprepro.report.publish", "dprepro.analysis.checks", "dprepro.analysis.independence")
"""Where the code begins that makes a verdict of measurements."""

LIBRARIES = ("matplotlib", "numpy", "pandas", "scipy", "seaborn")
"""Packages on which a figure's bytes depend."""

ELSEWHERE = ("results_dir", "workers", "reuse", "label")
"""Keys of a configuration that say where and how to measure: nothing that a figure shows."""

Content: TypeAlias = tuple[str, bytes]
"""What a frame holds: the names of its columns, and a digest of each of its lines."""

_NO_MATTER = ("seconds", "key")  # columns: how long a cell took, and what it is called


def fingerprint(
    drawing: Drawing,
    measured: pd.DataFrame | Content,
    verdict: Mapping[str, Any],
    config: Mapping[str, Any],
    problem: str = "",
) -> str:
    """32 hexadecimal digits that change with the data, verdict, configuration, code and libraries behind a figure.

    ``measured`` is the frame, or the `content` of it; ``problem`` is what is wrong with it.

    Empty for a drawing whose source cannot be read: nobody can tell whether that has changed.
    """
    code = code_behind(drawing, config)
    if not code:
        return ""
    names, table = measured if isinstance(measured, tuple) else content(measured)
    texts = (code, problem, versions(), _without(verdict, ("provenance",)), _without(config, ELSEWHERE), names)
    hasher = hashlib.blake2b(digest_size=16)
    for part in (*(text.encode() for text in texts), table):
        hasher.update(b"%d:" % len(part) + part)
    return hasher.hexdigest()


def code_behind(drawing: Drawing, config: Mapping[str, Any]) -> str:
    """A digest of the code that judges and draws, that of plug-ins too; empty where nobody can tell it."""
    checks = config.get("checks")
    named = (
        [check.get("rule") for check in checks.values() if isinstance(check, dict)] if isinstance(checks, dict) else []
    )
    kinds = {type(drawing).__module__, *(RULES[name].__module__ for name in named if name in RULES)}
    start = tuple(sorted({*kinds, rendered.__module__, *JUDGING}))
    try:
        return code_of(start, frozenset({"dprepro", *(kind.partition(".")[0] for kind in kinds)})).digest
    except DpreproError:
        return ""


def files_of(drawing: Drawing) -> tuple[str, ...]:
    """The names of a drawing's files."""
    return tuple(f"{name}.{kind}" for name in ((MAIN, ALL) if drawing.leaves_out else (MAIN,)) for kind in KINDS)


def is_fresh(folder: Path, wanted: str, files: Iterable[str] = (f"{MAIN}.png",)) -> bool:
    """Whether the folder has these files with this fingerprint, whole."""
    if not wanted:
        return False
    ends = {"png": b"IEND\xaeB`\x82", "pdf": b"%%EOF\n"}
    try:
        return all(
            wanted.encode() in (content := bytes_of(folder / name)) and content.endswith(ends[name.rpartition(".")[2]])
            for name in files
        )
    except OSError:
        return False


def fresh_verdict(
    folder: Path, drawing: Drawing, measured: pd.DataFrame | Content, config: Mapping[str, Any], problem: str
) -> dict[str, Any] | None:
    """The content of the folder's verdict.json, where the figure's fingerprint says that it was judged of just this."""
    try:
        verdict = json.loads(bytes_of(folder / "verdict.json"))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(verdict, dict) and is_fresh(
        folder, fingerprint(drawing, measured, verdict, config, problem), files_of(drawing)
    ):
        return verdict
    return None


def files(
    drawing: Drawing, frame: pd.DataFrame, verdict: Mapping[str, Any], config: Mapping[str, Any], fingerprint: str
) -> dict[str, bytes]:
    """The files of a figure, by name; see `files_of`.

    Raises:
        InputError: an option that cannot be drawn.
    """
    try:
        found = {MAIN: drawn(drawing, frame, verdict, config)}
        if drawing.leaves_out:
            found[ALL] = drawn(drawing, frame, verdict, config, whole=True)
        return {
            f"{name}.{kind}": content
            for name, figure in found.items()
            for kind, content in rendered(figure, fingerprint, drawing.style if name == MAIN else "screen").items()
        }
    except (ValueError, TypeError, KeyError, RuntimeError) as error:  # a title that is no mathematics, no LaTeX
        raise InputError(f"the figure cannot be drawn: {type(error).__name__}: {error}") from error


def _without(mapping: Mapping[str, Any], left_out: Iterable[str]) -> str:
    return json.dumps({key: value for key, value in mapping.items() if key not in left_out}, sort_keys=True)


def versions(libraries: tuple[str, ...] = ()) -> str:
    """The versions of :data:`LIBRARIES`, and of more."""
    return _versions((*LIBRARIES, *libraries))


@lru_cache(maxsize=8)
def _versions(libraries: tuple[str, ...]) -> str:
    found = []
    for name in libraries:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def content(frame: pd.DataFrame) -> Content:
    """Names and content of the columns that are no accident of the run."""
    from pandas.util import hash_pandas_object

    shown = frame.drop(columns=[name for name in _NO_MATTER if name in frame.columns])
    return ", ".join(map(str, shown.columns)), hash_pandas_object(shown, index=False).to_numpy().tobytes()
