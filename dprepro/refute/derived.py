"""Attacks on the results of this project; see `dprepro.refute.find`."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute import low_dimension_attacks, radius_attacks, schedule_attacks
from dprepro.refute.attack import Attack, Sides
from dprepro.refute.search_axes import Axis, axis

BALANCED: Mapping[str, Axis] = {
    "n": axis("n", high=1e15),
    "epsilon": axis("epsilon", high=2.0),
    "delta": axis("delta", low=1e-300, high=0.2),
    "bend": Axis(1e-30, 1e6, usual=2, corners=(1e-12, 1e-6, 1e-3)),
    "vertices": Axis(2, 1e300, usual=100, corners=(3, 1e12), whole=True),
}

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Balanced private Frank-Wolfe": (
        Sides(
            name="the sum before it is simplified", left="balanced_corners.as_run", right="balanced_corners.allowed",
            axes=BALANCED, reason="T rounded up, at T = 1, 2, 3; |S| = 2; Gamma towards 0",
        ),
        Sides(
            name="linear losses from the worst point", left="balanced_corners.linear",
            right="balanced_corners.allowed", axes=BALANCED,
            reason="what stays of the first point, whatever Gamma is",
        ),
        Sides(
            name="equal records on the simplex, exactly", left="balanced_corners.squared",
            axes={
                "aimed": Axis(1e-3, 100, usual=30, corners=(1, 1.001, 2, 2.001, 3)), "delta": BALANCED["delta"],
                "vertices": BALANCED["vertices"], "gap": Axis(0, 100, usual=3, corners=(1,), log=False),
                "level": Axis(-1, 1, usual=0, log=False), "label": Axis(-1, 1, usual=1, corners=(0,), log=False),
                "first": Axis(0, 1, usual=0, log=False),
            },
            reason="a curved loss, few steps, a first point that is the best one or the worst",
        ),
    ),
    **low_dimension_attacks.ATTACKS,
    **schedule_attacks.ATTACKS,
    **radius_attacks.ATTACKS,
}  # fmt: skip
"""On what is proved."""
