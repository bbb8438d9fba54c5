"""What is read at a glance: a title on one line, a legend of few entries, lines that fit over their panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dprepro.figures.naming import NamedCurves, name_all
from dprepro.figures.style import letters
from dprepro.figures.text_sizes import height_of, width_of
from dprepro.figures.words import headlines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MOST_ENTRIES = 4
"""Of a legend that is read at a glance."""

MOST_PANELS = 3
"""Side by side."""

HEIGHT = {"screen": 2.0, "paper": 1.9}
"""Of a panel with its axis, in each style, inches."""

SIDE = 0.06
"""Left free beside a title and a legend, inches."""

_APART = 0.1  # between what stands over two panels, inches

_HANDLE, _GAP, _BETWEEN = 2.6, 0.8, 1.4  # of a legend: what stands beside a text, its distance, that of columns; ems
_SHORTER = 24  # letters that a name keeps where a title has no room for all
_MARK = " (overridden)"
_ENDS = " ,;:"
_SAFE = 0.96  # of the room for a legend: on a coarse screen letters are wider than where they are measured


def broken(text: str, room: float, kind: str) -> list[str]:
    """The text in lines that have room, broken at spaces; what has no space is not broken."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and width_of(f"{lines[-1]} {word}", kind) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def cut(text: str, room: float, kind: str) -> str:
    """The text as far as it has room on one line, with an ellipsis for the rest: whole words of it, if several fit."""
    if width_of(text, kind) <= room:
        return text
    kept = len(text)
    while kept > 1 and width_of(f"{text[:kept].rstrip(_ENDS)}…", kind) > room:
        kept -= 1
    whole = text.rfind(" ", 0, kept + 1)
    if whole > kept / 2:
        return f"{text[:whole].rstrip(_ENDS)} …"
    return f"{text[:kept].rstrip(_ENDS)}…"


def headed(figure: Figure, verdict: Mapping[str, Any], heading: str = "") -> float:
    """Statement and verdict on one line above all; the first says less where both have no room. Its height."""
    kind, room = "figure.titlesize", figure.get_figwidth() - 2 * SIDE
    name, verdicts = headlines(verdict, heading)
    mark = _MARK if name.endswith(_MARK) else ""
    whole = [f"{name}: {said}" for said in verdicts]
    text = next((word for word in whole if width_of(word, kind) <= room), "")
    if not text:
        for said in verdicts:
            left = room - width_of(f"{mark}: {said}", kind)
            text = f"{cut(name.removesuffix(mark), left, kind)}{mark}: {said}"
            if len(text) - len(said) >= min(len(name), _SHORTER):
                break
    figure.suptitle(text, x=SIDE / figure.get_figwidth(), ha="left")
    return height_of(1.4, kind)


def finish(
    figure: Figure, height: float, said: Sequence[tuple[Axes, Sequence[str]]], names: Sequence[NamedCurves] = ()
) -> None:
    """Sizes the figure, then says over each panel what is said of it and names curves, in the room that is there.

    Args:
        figure: with title, panels and legend.
        height: of all but the lines over the panels, inches.
        said: the panels from left to right, each with what may be said of it, ever shorter.
        names: series with several curves.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    width, kind = figure.get_figwidth(), "legend.fontsize"
    figure.set_size_inches(width, height + height_of(1, kind))
    FigureCanvasAgg(figure)
    if engine := figure.get_layout_engine():
        engine.execute(figure)  # widths are those of the final figure: only heights change with the lines
    starts = [*(panel.get_position().x0 * width for panel, _ in said), width + _APART - SIDE]
    rooms = [_SAFE * (end - start - _APART) for start, end in pairwise(starts)]
    lines = max((_over(panel, words, room) for (panel, words), room in zip(said, rooms, strict=True)), default=0)
    name_all(figure, names)
    figure.set_size_inches(width, height + height_of(lines, kind))


def _over(panel: Axes, variants: Sequence[str], room: float) -> int:
    """What is said of a panel, above it: the first of the variants that two lines hold. The number of lines."""
    if not variants:
        return 0
    kind = "legend.fontsize"
    found = [broken(variant, room, kind) for variant in variants]
    lines = next(
        (lines for lines in found if len(lines) <= 2 and all(width_of(line, kind) <= room for line in lines)),
        [cut(line, room, kind) for line in found[-1][:2]],
    )
    panel.set_title("\n".join(lines), loc="left", fontsize=letters())
    return len(lines)


def keys(figure: Figure | SubFigure, handles: Mapping[str, Any]) -> float:
    """The legend below all, in as many columns as have room; its height."""
    kind = "legend.fontsize"
    em, room = letters(kind) / 72, _SAFE * (figure.bbox.width / figure.dpi - 2 * SIDE)
    texts = list(handles)
    if not texts:
        return 0.0
    for columns in range(len(texts), 0, -1):
        each = -(-len(texts) // columns)
        parts = [texts[at : at + each] for at in range(0, len(texts), each)]
        width = sum(max(width_of(text, kind) for text in part) + (_HANDLE + _GAP) * em for part in parts)
        if len(parts) == columns and width + (columns - 1) * _BETWEEN * em <= room:
            break
    else:
        columns = 1
        texts = ["\n".join(broken(text, room - (_HANDLE + _GAP) * em, kind)) for text in texts]
    figure.legend(
        list(handles.values()), texts, loc="outside lower center", ncols=columns, frameon=False, handlelength=_HANDLE,
        handletextpad=_GAP, columnspacing=_BETWEEN, labelspacing=0.3, borderpad=0.1, borderaxespad=0.3,
    )  # fmt: skip
    lines = sum(text.count("\n") + 1 for text in texts) if columns == 1 else -(-len(texts) // columns)
    return height_of(lines * 1.1 + 0.4, kind)
