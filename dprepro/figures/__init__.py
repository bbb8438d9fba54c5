"""Drawing, by name: a figure is built from a YAML's options and turns measurements and verdicts into matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprepro.figures.attack import AttackFigure
from dprepro.figures.base import Drawing
from dprepro.figures.choice import ChoiceFigure
from dprepro.figures.constants import ConstantsFigure
from dprepro.figures.ledger import PrivacyFigure
from dprepro.figures.margins import MarginsFigure
from dprepro.figures.phase import PhaseFigure
from dprepro.figures.rate import RateFigure
from dprepro.figures.shares import SharesFigure
from dprepro.support import typed

FIGURES: dict[str, type[Drawing]] = {
    kind.name: kind
    for kind in (
        RateFigure,
        PhaseFigure,
        AttackFigure,
        ChoiceFigure,
        SharesFigure,
        PrivacyFigure,
        ConstantsFigure,
        MarginsFigure,
    )
}


def build(options: Mapping[str, Any]) -> Drawing:
    """The figure that the block ``figure`` of a YAML describes: `name` and the options of that figure.

    Raises:
        InputError: an unknown figure or option, or a wrong type.
    """
    return typed.build_named(FIGURES, "name", options, "figure")


__all__ = ["FIGURES", "Drawing", "build"]
