"""Attacks on the radius of local strong convexity that is derived here."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute.attack import Attack, Sides
from dprepro.refute.search_axes import Axis, axis
from dprepro.statements.radius_results import MEAN, RADIUS

_STEEP = Axis(1e-6, 1e15, usual=1e4, corners=(1e-3, 1.0, 1e8))
_P = Axis(1, 1e6, usual=1, corners=(2, 10, 1e3), whole=True)
_GAMMA = axis("gamma", low=1e-9, high=1 - 1e-6, corners=(0.01, 0.5, 0.9, 0.999))
_ANY = Axis(1e-6, 1e6, usual=1)
_NONE_TOO = Axis(0, 1e6, usual=0, corners=(1e-3, 1.0, 1e3))
_PULL = Axis(0, 30, usual=0, corners=(1e-3, 1.0), log=False)

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    RADIUS: (
        Sides(
            name="a kink at the radius", left="local_convexity.missed", right="kst_tails.level",
            axes={
                "p": _P, "gamma": _GAMMA, "steepness": _STEEP, "pull": _PULL, "reach": Axis(1, 100, usual=1),
                "granted": Axis(4, 4),
            },
            reason="without curvature from the radius on; gamma near 1",
        ),
        Sides(
            name="a quantile above what is stated", left="local_convexity.needed", right="local_convexity.stated",
            axes={"p": _P, "gamma": _GAMMA, "pull": _PULL}, reason="p = 1, gamma near 1",
        ),
        Sides(
            name="one draw", left="local_convexity.draw_risk", right="local_convexity.draw_allowed",
            axes={
                "length": _ANY, "steepness": _STEEP, "stiffer": _NONE_TOO, "slope": _NONE_TOO, "kink": _NONE_TOO,
                "place": _NONE_TOO, "width": _ANY,
            },
            reason="curvature Delta, kinks at theta_hat and beside it, an answer at the end of the set",
        ),
    ),
    MEAN: (
        Sides(
            name="a kink at the radius, in the mean", left="local_convexity.huber_mean",
            right="local_convexity.mean_allowed",
            axes={"p": _P, "steepness": _STEEP, "reach": Axis(1, 100, usual=1)},
            reason="without curvature from the radius on, eta/Delta from 0 to all that there is",
        ),
    ),
}  # fmt: skip
