"""How wide and high texts are, as they are drawn."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dprepro.figures.style import letters

LINE = 1.3
"""Height of a line of text, as a multiple of its letters' size."""

_DOTS = 300  # an inch, at which widths are measured: hinting changes them little there


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

    renderer: Any = RendererAgg(1, 1, _DOTS)  # type: ignore[no-untyped-call]
    font = FontProperties(family=list(family), size=size)
    mathematics = is_math_text(line)
    plain = line if mathematics else line.replace(r"\$", "$")
    width, _, _ = renderer.get_text_width_height_descent(plain, font, ismath=bool(mathematics))
    return float(width) / _DOTS
