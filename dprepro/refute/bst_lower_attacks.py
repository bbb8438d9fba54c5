"""Attacks on section 5 and appendix A of Bassily, Smith and Thakurta (2014): private answers that lose little."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.search_axes import Axis, axis

HALF, THIRD = Axis(0.5, 0.5), Axis(1 / 3, 1 / 3)
"""Chances that the pure and the approximate bounds print."""
WIDTH = Axis(1e-12, 1e6, usual=0.01, corners=(1e-4, 1))


def _level(rate: str, known: str, delta: bool, reason: str) -> tuple[Attack, ...]:
    axes = {"n": axis("n", usual=100), "p": axis("p"), "epsilon": axis("epsilon"), "chance": THIRD if delta else HALF}
    axes["delta"] = axis("delta") if delta else Axis(0, 0, log=False)
    return (
        Sides(
            name="a private answer", left=f"bst_lower.{rate}", right=f"bst_corners.{known}", constant=GRANTED,
            axes=axes, reason=reason,
        ),
    )  # fmt: skip


CORNER = "the proof takes p large: at p = 1, or one record, exact answers are right with a chance above a half"
PURE = {"Lemma 5.1.1": "marginals_error_known", "Theorem 5.2": "linear_risk_known", "Theorem 5.4": "squares_risk_known"}
APPROXIMATE = {
    "Lemma 5.1.2": "marginals_error_known", "Theorem 5.3": "linear_risk_known", "Theorem 5.5": "squares_risk_known"
}  # fmt: skip
LEVELS: Mapping[str, tuple[Attack, ...]] = {
    item: _level(f"{item.lower().replace(' ', '_').replace('.', '_')}_rate", known, delta, CORNER)
    for delta, group in ((False, PURE), (True, APPROXIMATE))
    for item, known in group.items()
}


def _same(function: str) -> tuple[Attack, ...]:
    """That an equality holds, for seeds of data and answers."""
    scale = Axis(1e-9, 1e9, usual=1)
    return (
        Sides(
            name="rescaled losses", left=f"bst_scaling.{function}", right="bst_scaling.one",
            axes={"p": axis("p", high=100), "draw": Axis(0, 1000, log=False, whole=True), "steep": scale,
                  "wide": scale}, reason="constants of all sizes",
        ),
    )  # fmt: skip


def _huberised(left: str, right: str, width: Axis, reason: str, constant: float = 1.0) -> tuple[Attack, ...]:
    axes = {"n": axis("n", low=3), "epsilon": axis("epsilon"), "delta": axis("delta"), "smoothing": width}
    return (Sides(name="both data sets, in closed form", left=left, right=right, axes=axes, constant=constant,
                  reason=reason),)  # fmt: skip


ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    **LEVELS,
    "Section 5.1, dependence on L and C": _same("linear_losses"),
    "Section 5.2, dependence on L, C and Delta": _same("squares"),
    "Theorem A.1": _huberised(
        "bst.theorem_a_1_rate", "bst_corners.huberised_worse", WIDTH, "widths and budgets at their ends", GRANTED
    ),
    "Lemma A.2": _huberised("bst.lemma_a_2", "bst_corners.huberised_first", WIDTH, "n = 3, tiny and huge widths"),
    "Lemma A.3": _huberised(
        "bst.lemma_a_3", "bst_corners.huberised_second", Axis(1e-12, 1, usual=1e-3), "h near 1/log n, much noise"
    ),
    "Section 1.1, Huberisation": _huberised(
        "bst.theorem_a_1_rate", "bst_corners.huberised_worse", WIDTH, "widths and budgets at their ends", GRANTED
    ),
}

PRINTED: Mapping[str, tuple[Attack, ...]] = {
    "Section 1.1, Huberisation": (
        Sides(
            name="the best width loses less", left="bst_corners.section_1_1_huberisation_rate",
            right="bst_corners.huberised_at_most",
            constant=GRANTED, axes={"n": axis("n", high=1e15), "p": axis("p", high=1e12), "epsilon": axis("epsilon"),
                                    "delta": axis("delta")}, premise=("p <= n*epsilon^2",),
            reason="Hessians of the hinge have rank one, so that the regulariser has no factor sqrt p",
        ),
    ),
}  # fmt: skip
