"""Attacks on the lower bound in low dimension that is derived here."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute.attack import Attack, Sides
from dprepro.refute.search_axes import Axis, axis
from dprepro.statements.low_dimension_results import CONSTANT, LEVEL, RECORDS

_ANY = Axis(1e-6, 1e6, usual=1, corners=(1e-3, 1e3))
_DATA = {
    "p": Axis(3, 1e12, usual=65, corners=(4, 5, 17, 18, 1e6), whole=True),
    "epsilon": axis("epsilon", low=1e-12, high=0.1, corners=(1e-6, 0.0501, 0.0999)),
    "smoothness": _ANY, "radius": _ANY, "label_level": _ANY,
}  # fmt: skip
_SAMPLE = {"n": axis("n", high=1e60, usual=1e9, corners=(1e6, 1e15, 1e30))}
_DELTA = {"delta": axis("delta", low=1e-200, high=0.999, corners=(1e-15, 1e-6, 1e-3))}
_ENOUGH = ("n*epsilon >= 1.2*(p - 1)^1.5*(1.5 + smoothness*radius^2/(2*label_level^2))",)

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    LEVEL: (
        Sides(
            name="private answers that are known", axes={**_SAMPLE, **_DATA, **_DELTA}, left="low_dimension.level",
            right="low_dimension.known", reason="D epsilon far from 1, delta near 1, two signs, few records",
        ),
        Sides(
            name="a longer feature than X", axes={**_SAMPLE, **_DATA}, left="low_dimension.feature",
            reason="the least n, short and long w*", premise=_ENOUGH,
        ),
    ),
    CONSTANT: (
        Sides(
            name="below the level's constant", axes={**_SAMPLE, **_DATA, **_DELTA}, left="low_dimension.stated",
            right="low_dimension.level", reason="d = 16, 1/epsilon just below a whole number, the largest delta",
        ),
        Sides(
            name="private answers that are known", axes={**_SAMPLE, **_DATA, **_DELTA}, left="low_dimension.stated",
            right="low_dimension.known", reason="d = 16, the largest delta",
        ),
    ),
    RECORDS: (
        Sides(
            name="the feature with the least records", axes=_DATA, left="low_dimension.least_feature",
            reason="short w*: a root above X",
        ),
        Sides(
            name="the norm with fewer records", axes={
                **_DATA, "share": Axis(1e-6, 1, usual=0.9, log=False, corners=(0.5, 0.999)),
                "place": Axis(1e-9, 1, usual=0.5, corners=(0.1, 0.9)),
            }, left="low_dimension.reached", reason="any feature within X, long and short w*",
        ),
        Sides(
            name="more records than the premise has", axes=_DATA, left="low_dimension.needed",
            right="low_dimension.supposed", reason="two signs, D of 10, long and short w*",
        ),
    ),
}  # fmt: skip
