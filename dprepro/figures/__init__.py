"""Drawing, by name: a figure is built from a YAML's options and turns measurements and verdicts into matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprepro.figures.attack_figure import AttackFigure
from dprepro.figures.base import Drawing
from dprepro.figures.choice_figure import ChoiceFigure
from dprepro.figures.constants_figure import ConstantsFigure
from dprepro.figures.margins_figure import MarginsFigure
from dprepro.figures.phase_figure import PhaseFigure
from dprepro.figures.privacy_figure import PrivacyFigure
from dprepro.figures.rate_figure import RateFigure
from dprepro.figures.shares_figure import SharesFigure
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
