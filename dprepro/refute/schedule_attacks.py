"""Attacks on what is derived here of the number of steps of private Frank-Wolfe."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute.attack import Attack, Sides
from dprepro.refute.search_axes import Axis, axis
from dprepro.statements.schedule_results import COST, STEPS

_SIZES: Mapping[str, Axis] = {
    "n": axis("n", high=1e60, usual=1e9, corners=(1e6, 1e12, 1e30)),
    "p": Axis(2, 1e60, usual=1e12, corners=(3, 1500, 1e6), whole=True),
    "epsilon": axis("epsilon", low=1e-9, high=100.0),
    "delta": axis("delta", low=1e-300, high=0.999, corners=(1e-6, 0.2, 0.9)),
}

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    COST: (
        Sides(
            name="more than any data cost", left="schedule_game.known", right="schedule_game.most",
            axes={**_SIZES, "steps": Axis(2, 1e30, usual=100, corners=(3, 13), whole=True)},
            reason="two steps, two vertices, noise from 0 to all that there is",
        ),
        Sides(
            name="the needle's own law", left="schedule_game.needle", right="schedule_corners.needle_exact",
            axes={
                "p": _SIZES["p"], "noise_scale": Axis(1e-9, 1e6, usual=0.01, corners=(1e-3, 0.1, 1.0)),
                "steps": Axis(1, 40, usual=10, corners=(2, 3), whole=True),
            },
            reason="few steps, large noise, p = 2, where -e_1 is chosen too",
        ),
        Sides(
            name="choices that cancel on the block", left="schedule_game.block",
            right="schedule_corners.block_by_pairs",
            axes={
                "n": axis("n", low=10, high=1e10, usual=1e6, corners=(100, 1e4)),
                "p": Axis(2, 4000, usual=1000, corners=(3, 17), whole=True),
                "steps": Axis(2, 3000, usual=100, corners=(3, 13), whole=True),
                "pairs": Axis(0, 1, usual=0, corners=(0.1, 0.5), log=False),
                "crowd": Axis(0, 1, usual=1, corners=(0.1, 0.5), log=False),
            },
            reason="cancelling pairs, equal weights on few heads, more steps than heads",
        ),
    ),
    STEPS: (
        Sides(
            name="a best T below", left="schedule_game.stated_fewest", right="schedule_game.fewest", axes=_SIZES,
            reason="the least x, p and n that are allowed, delta near 1",
        ),
        Sides(
            name="a best T above", left="schedule_game.largest", right="schedule_game.stated_largest", axes=_SIZES,
            reason="the least x, p and n that are allowed, delta near 1",
        ),
    ),
}  # fmt: skip
