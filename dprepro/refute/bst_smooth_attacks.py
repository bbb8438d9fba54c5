"""Attacks on appendix E, equation (9) and Table 1's smooth losses, of Bassily, Smith and Thakurta (2014)."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.algorithms import HuberisedObjectivePerturbation, PrintedRegulariser
from dprepro.budget import Neighbours
from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.neighbouring_attacks import Neighbouring
from dprepro.refute.search_axes import Axis, axis

RANK = Axis(1, 50, usual=3, corners=(2, 10), whole=True)
EPSILON, DELTA = axis("epsilon"), axis("delta")
STEEP = Axis(1e-6, 1e6, usual=1)
HUBER = {"epsilon": EPSILON, "delta": DELTA, "smoothing": Axis(1e-6, 1e3, usual=0.01)}
FULL = "Hessians of full rank cost up to p ln(1 + beta/Delta)"


def _curved(suffix: str = "") -> tuple[Attack, ...]:
    both = {"hessian_rank": RANK, "epsilon": EPSILON}
    return (
        Sides(
            name="curvature in some coordinates, Gaussian noise", left=f"bst_corners.curved_delta{suffix}",
            right="1*delta", axes={**both, "delta": DELTA}, reason=FULL,
        ),
        Sides(
            name="curvature in some coordinates, gamma noise", left=f"bst_corners.curved_loss{suffix}",
            right="1*epsilon", axes=both, reason=FULL,
        ),
    )  # fmt: skip


def _bent(name: str, left: str, reason: str) -> Attack:
    return Sides(
        name=name, left=f"bst_corners.{left}", right="1*delta", reason=reason,
        axes={"epsilon": axis("epsilon", low=1e-3), "delta": axis("delta", high=0.999)},
    )  # fmt: skip


def _ridge(most: float) -> tuple[Attack, ...]:
    """The regulariser on linear losses, for beta up to p^most."""
    power = {"power": Axis(0, most, usual=most, log=False)}
    sizes = {"p": axis("p", high=1e15), "epsilon": EPSILON}
    reason = "Delta >= beta/(2 epsilon) is p/(2 epsilon) at beta = p, and costs a linear loss a part of that"
    return (
        Sides(
            name="the regulariser on a linear loss, Gaussian noise", left="bst_corners.ridge_risk",
            right="bst_corners.table_1_smooth", constant=GRANTED, reason=reason, premise=("size*p >= 2*epsilon",),
            axes={**sizes, **power, "size": Axis(1, 1e6, usual=1), "share": Axis(1e-6, 0.99, usual=0.5)},
        ),
        Sides(
            name="the regulariser on a linear loss, gamma noise", left="bst_corners.ridge_risk_gamma",
            right="p/epsilon", constant=GRANTED, axes={**sizes, **power}, reason=reason,
        ),
    )  # fmt: skip


SHIFTED = Sides(
    name="a set without 0", left="bst_corners.shifted_risk", right="sqrt(ln(1/delta))/epsilon", constant=GRANTED,
    axes={"epsilon": EPSILON, "delta": DELTA, "shift": Axis(0, 1e6, usual=0), "slope": Axis(1e-3, 1e6, usual=1),
          "contains_zero": Axis(0, 1, usual=1, log=False, whole=True)},
    premise=("shift <= 0.5 + 10^9*(1 - contains_zero)",),
    reason="the regulariser pulls towards 0, and the bound has the set's diameter",
)  # fmt: skip
PROVED = Sides(
    name="the regulariser's and the noise's parts", left="4*sqrt(p*ln(1/delta))/epsilon + sqrt(p*ln(1/delta))/epsilon",
    right="sqrt(p*ln(1/delta))/epsilon", constant=GRANTED, axes={"p": axis("p"), "epsilon": EPSILON, "delta": DELTA},
    reason="E ||b||^2/(2 Delta) + Delta C^2/2 at Delta = sqrt(p ln(1/delta))/epsilon",
)  # fmt: skip
STRONG = Sides(
    name="E ||b||^2/(2 n^2 Delta) at the printed noise", left="bst_corners.theorem_e_2_proved",
    right="bst_generic.theorem_e_2_rate", constant=GRANTED,
    axes={"n": axis("n"), "p": axis("p"), "epsilon": EPSILON, "delta": axis("delta", low=0.0), "lipschitz": STEEP,
          "strong_convexity": STEEP}, reason="delta near 1/2, where ln(1/delta) is small",
)  # fmt: skip

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Table 1, smooth losses": _ridge(0.5),
    "Table 1, smooth and strongly convex losses": (
        STRONG,
        Sides(
            name="determinants of records that differ", left="bst_corners.without_regulariser_loss", right="epsilon/2",
            premise=("n*strong_convexity >= 2*smoothness/epsilon", "smoothness >= strong_convexity", "rank <= 1"),
            axes={"n": axis("n"), "epsilon": EPSILON, "strong_convexity": STEEP, "smoothness": STEEP,
                  "rank": Axis(1, 50, usual=1, whole=True)},
            reason=FULL,
        ),
    ),
    "Equation (9)": (
        _bent("beside a silent record", "equation_9_delta", "the Hessian's factor, for bends at any place"),
        _bent("a record replaced, twice the noise", "equation_9_delta_replaced", "slopes that differ by 2"),
    ),
    "Appendix E, privacy": (
        *_curved(),
        _bent("a Huber function beside a silent record", "appendix_e_delta", "slope and curvature at any place"),
        _bent("a Huber function replaced, twice the noise", "appendix_e_delta_replaced", "slopes that differ by 2"),
    ),
    "Theorem E.1": (PROVED, SHIFTED),
    "Theorem E.2": (STRONG,),
}  # fmt: skip

PRINTED: Mapping[str, tuple[Attack, ...]] = {
    "Table 1, smooth losses": _ridge(1.0),
    "Equation (9)": (
        Neighbouring(name="beside a silent record", known=True, relation=Neighbours.ZERO_OUT, axes=HUBER,
                     algorithm=HuberisedObjectivePerturbation(regulariser=PrintedRegulariser()),
                     reason="Delta = beta/(2 epsilon): the Hessian's factor 1 + 2 epsilon"),
    ),
    "Appendix E, privacy": (
        _bent("a Huber function replaced", "appendix_e_delta_as_printed", "the Hessian's factor; slopes differ by 2"),
        *_curved("_as_printed"),
    ),
}  # fmt: skip
