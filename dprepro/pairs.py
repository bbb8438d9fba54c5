"""``python -m dprepro.pairs``: which algorithm runs on which construction, or why not; nothing is built or measured."""

from __future__ import annotations

import math
import string
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dprepro.commands.ending import arguments_of, console, tell_error
from dprepro.errors import InputError

if TYPE_CHECKING:
    from dprepro.plans.pairs import Pair

HELP = """usage: python -m dprepro.pairs [--json] [--config-dir DIR] [key=value ...]

Which algorithm runs on which construction, of those that may be named by
algorithm=NAME and construction=NAME: literally, by a reduction that is equal to
it in distribution, or not, and why. It is known from declarations: no data are
built and nothing is measured. What a family asks of the noise (data would leave
their bounds) shows only when it is measured, as cells that are skipped.

keys
  n=2000 p=16 epsilon=1 norm=1   the grid point
  delta=1e-6                     a pair runs if this delta or 0 serves, and
  neighbours=NAME                this relation; without it any of the three

options
  --json             a list of {algorithm, construction, runs, how, reason}
  --config-dir DIR   add your own algorithm/, construction/"""

POINT = {"n": 2000.0, "p": 16.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}

WORDS = {
    "keeps private": "relation", "smooth loss": "smoothness", "strongly convex": "strong convexity",
    "with curvature": "curvature", "vertices": "vertices",
    "squared loss": "squares", "<x, theta>": "margins",
    "alike in all": "symmetry", "needs sparsity": "coordinates", "needs p >= 2": "coordinates", "mean record": "means",
    "one dimension": "dimension", " words": "code", "steps >= 2 p": "steps", "delta": "budget",
    "needs a problem": "data", "needs records": "data", "too large": "size", "K - 1": "codewords",
    "that holds the unit ball": "position", " steps on ": "walk", "labels to be predicted": "labels",
    "square of a prediction": "squares", "a kink": "kinks",
}  # fmt: skip
"""What a reason is about, in a word, by what it says; the first that fits."""


def main(arguments: list[str]) -> int:
    """The exit code; see design's Commands."""
    choices = {**{axis: f"{value:g}" for axis, value in POINT.items()}, "neighbours": "", "--json": "false"}
    values = arguments_of(arguments, {**choices, "--config-dir": ""}, HELP)
    if values is None:
        return 0
    pairs = all_pairs(values, values["--config-dir"])
    if values["--json"] == "true":
        import json
        from dataclasses import asdict

        print(json.dumps([asdict(one) for one in pairs], indent=1))
    else:
        print(table(pairs))
    return 0


def all_pairs(keys: Mapping[str, str], config_dir: str = "") -> list[Pair]:
    """All pairs of what the config groups name, at the grid point and under the relation that ``keys`` says.

    Raises:
        InputError: a value out of range, or a file that is no valid YAML.
    """
    from dprepro.axes import check_axis
    from dprepro.plans.pairs import matrix

    point = dict(POINT)
    for axis in [axis for axis in POINT if axis in keys]:
        try:
            point[axis] = float(keys[axis])
        except ValueError as error:
            raise InputError(f"{axis} must be a number, got {axis}={keys[axis]}") from error
        check_axis(axis, point[axis])
    if not math.isfinite(point["epsilon"]):
        raise InputError("epsilon=inf is no privacy; give a finite epsilon")
    groups = blocks("algorithm", config_dir), blocks("construction", config_dir)
    with within_floats():
        return matrix(*groups, point, sorted({point["delta"], 0.0}, reverse=True), keys.get("neighbours", ""))


@contextmanager
def within_floats() -> Iterator[None]:
    """Raise InputError where what is asked for is so large or small that schedules cannot be computed."""
    try:
        yield
    except ArithmeticError as error:
        said = f"{type(error).__name__}: {error}"
        raise InputError(f"schedules at these values leave the range of floats ({said}); give ordinary ones") from error


def blocks(group: str, config_dir: str = "") -> dict[str, Any]:
    """The content of the files of a config group, by name; raises InputError for one that is no valid YAML."""
    from dprepro.config.files import read_block
    from dprepro.folders import folders, hidden_files

    hidden = hidden_files(config_dir or None)
    found: dict[str, Any] = {}
    for file in (file for folder in folders(config_dir or None) for file in sorted((folder / group).glob("*.yaml"))):
        if file.resolve() in hidden:
            tell_error(f"not used: {file} has the name of a shipped one; rename it")
        else:
            found[file.stem] = read_block(file)
    return found


def table(pairs: Sequence[Pair]) -> str:
    """The matrix, with the words of the reasons, and the reasons in full."""
    algorithms = list(dict.fromkeys(one.algorithm for one in pairs))
    constructions = list(dict.fromkeys(one.construction for one in pairs))
    words = dict.fromkeys(word(one.reason) for one in pairs if not one.runs)
    letters = dict(zip(words, string.ascii_lowercase, strict=False))
    marks = {(one.algorithm, one.construction): _mark(one, letters) for one in pairs}
    width = max(map(len, algorithms), default=0)
    lines = [" " * width + "".join(f"{number:>3}" for number in range(1, len(constructions) + 1))]
    for name in algorithms:
        lines.append(name.ljust(width) + "".join(f"{marks[name, data]:>3}" for data in constructions))
    legend = ["L literal", "R reduced", *(f"{letter} {about}" for about, letter in letters.items())]
    lines += ["", _wrapped([f"{number} {data}" for number, data in enumerate(constructions, 1)], "")]
    lines += ["", _wrapped(legend, ""), "", f"{sum(one.runs for one in pairs)} of {len(pairs)} pairs run. The others:"]
    reasons: dict[str, dict[str, list[str]]] = {}
    for one in pairs:
        if not one.runs:
            reasons.setdefault(one.reason, {}).setdefault(one.algorithm, []).append(one.construction)
    for reason, lacking in reasons.items():
        alike: dict[str, list[str]] = {}  # algorithms by the constructions on which they lack the same
        for name, data in lacking.items():
            alike.setdefault(", ".join(data), []).append(name)
        who = [f"{'all' if len(names) == len(algorithms) else ', '.join(names)} on {on}" for on, names in alike.items()]
        lines += [f"{letters.get(word(reason), '?')} {reason}", _wrapped(who, "    ")]
    return "\n".join(lines)


def word(reason: str) -> str:
    """What a reason is about."""
    return next((about for said, about in WORDS.items() if said in reason), "parameters")


def _mark(pair: Pair, letters: Mapping[str, str]) -> str:
    return ("L" if pair.how == "literal" else "R") if pair.runs else letters.get(word(pair.reason), "?")


def _wrapped(items: Sequence[str], indent: str) -> str:
    return textwrap.fill("; ".join(items), 110, initial_indent=indent, subsequent_indent=indent)


if __name__ == "__main__":
    console(main, "dprepro.pairs")
