"""What is read at a glance: a title on one line, a legend of few entries, and widths of texts as they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dprepro.figures.style import letters
from dprepro.figures.words import headlines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ENTRIES = 4
"""Of a legend that is read at a glance."""

MOST_PANELS = 3
"""Side by side."""

HEIGHT = {"screen": 2.0, "paper": 1.9}
"""Of a panel with its axis, in each style, inches."""

LINE = 1.3
"""Height of a line of text, as a multiple of its letters' size."""

SIDE = 0.06
"""Left free beside a title and a legend, inches."""

_HANDLE, _GAP, _BETWEEN = 2.6, 0.8, 1.4  # of a legend: what stands beside a text, its distance, that of columns; ems
_DOTS = 300  # an inch, at which widths are measured: hinting changes them little there
_SHORTER = 24  # letters that a name keeps where a title has no room for all
_MARK = " (overridden)"


def height_of(lines: float, kind: str) -> float:
    """Inches that lines of a kind of text take."""
    return lines * LINE * letters(kind) / 72


def width_of(text: str, kind: str) -> float:
    """Inches that the longest line of a text takes, mathematics too."""
    return max(_width(line, letters(kind), _family()) for line in text.split("\n"))


def _family() -> tuple[str, ...]:
    import matplotlib

    return tuple(matplotlib.rcParams["font.family"])


@lru_cache(maxsize=4096)
def _width(line: str, size: float, family: tuple[str, ...]) -> float:
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.cbook import is_math_text
    from matplotlib.font_manager import FontProperties

    renderer = RendererAgg(1, 1, _DOTS)  # type: ignore[no-untyped-call]
    font = FontProperties(family=list(family), size=size)
    mathematics = is_math_text(line)
    plain = line if mathematics else line.replace(r"\$", "$")
    width = renderer.get_text_width_height_descent(plain, font, ismath=bool(mathematics))[0]  # type: ignore[no-untyped-call]
    return float(width) / _DOTS


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
    """The text as far as it has room on one line, with an ellipsis for the rest."""
    if width_of(text, kind) <= room:
        return text
    kept = len(text)
    while kept > 1 and width_of(f"{text[:kept].rstrip(' ,;:')}…", kind) > room:
        kept -= 1
    return f"{text[:kept].rstrip(' ,;:')}…"


def headed(figure: Figure, verdict: Mapping[str, Any], heading: str = "") -> float:
    """Statement and verdict on one line above all; the first says less where both have no room. Its height."""
    kind, room = "figure.titlesize", figure.get_figwidth() - 2 * SIDE
    name, verdicts = headlines(verdict, heading)
    mark = _MARK if name.endswith(_MARK) else ""
    whole = [f"{name}: {said}" for said in verdicts]
    text = next((one for one in whole if width_of(one, kind) <= room), "")
    if not text:
        for said in verdicts:
            left = room - width_of(f"{mark}: {said}", kind)
            text = f"{cut(name.removesuffix(mark), left, kind)}{mark}: {said}"
            if len(text) - len(said) >= min(len(name), _SHORTER):
                break
    figure.suptitle(text, x=SIDE / figure.get_figwidth(), ha="left")
    return height_of(1.4, kind)


def over(panel: Axes, variants: Sequence[str], room: float) -> int:
    """What is said of a panel, above it: the first of the variants that two lines hold. The number of lines."""
    if not variants:
        return 0
    kind = "legend.fontsize"
    found = [broken(one, room, kind) for one in variants]
    lines = next(
        (lines for lines in found if len(lines) <= 2 and all(width_of(line, kind) <= room for line in lines)),
        [cut(line, room, kind) for line in found[-1][:2]],
    )
    panel.set_title("\n".join(lines), loc="left", fontsize=letters())
    return len(lines)


def keys(figure: Figure, handles: Mapping[str, Any]) -> float:
    """The legend below all, in as many columns as have room; its height."""
    kind = "legend.fontsize"
    em, room = letters(kind) / 72, figure.get_figwidth() - 2 * SIDE
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
