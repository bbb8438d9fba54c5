"""Numbers of an article: a text names each, and a file beside it says once what it is."""

from __future__ import annotations

import math
from collections.abc import Callable

DIGITS = 4


class Numbers:
    """The numbers that the texts name, each defined once."""

    def __init__(self) -> None:
        self.defined: dict[str, str] = {}

    def __call__(self, name: str, value: float | int | None, direction: Callable[[float], float] | None = None) -> str:
        """The command that prints it, to four digits: up (`math.ceil`), down (`math.floor`), or to the nearest.

        Raises:
            ValueError: another number has this name.
        """
        text = printed(value, direction)
        if self.defined.setdefault(name, text) != text:
            raise ValueError(f"{name} is {self.defined[name]} and {text}")
        return rf"\measured{{{name}}}"

    def file(self) -> str:
        """The content of numbers.tex."""
        lines = [rf"\setmeasured{{{name}}}{{{text}}}" for name, text in self.defined.items()]
        return "\n".join(["% made by python -m docs.articles from results/reference", *lines]) + "\n"


def printed(value: float | int | None, direction: Callable[[float], float] | None = None) -> str:
    """A number in LaTeX; a dash for none."""
    if value is None:
        return "--"
    if direction and value:
        unit = 10.0 ** (math.floor(math.log10(abs(value))) - DIGITS + 1)
        slack = 1e-9 * abs(value) * (1 if direction is math.floor else -1)  # a bound's last bits are no digit
        value = direction((value + slack) / unit) * unit
    text = str(value) if isinstance(value, int) else f"{value:.{DIGITS}g}"
    mantissa, e, power = text.partition("e")
    if not e:
        return rf"\ensuremath{{{mantissa}}}"
    factor = "" if mantissa == "1" else rf"{mantissa}\cdot "
    return rf"\ensuremath{{{factor}10^{{{int(power)}}}}}"
