"""Attacks on the statements of Talwar, Thakurta and Zhang (2015); see `dprepro.refute.find`."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.algorithms import FrankWolfe
from dprepro.constructions import FewRecords
from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.generic import RECORDS
from dprepro.refute.risks import Risks
from dprepro.refute.search_axes import Axis, axis

N, P, EPSILON, DELTA = axis("n"), axis("p"), axis("epsilon"), axis("delta")
NEAR_ONE = axis("delta", high=1 - 1e-15, corners=(0.1, 0.99))
TOTAL = axis("steps", high=1e5)
BEND = Axis(1e-30, 1e6, usual=1, corners=(1e-12, 1e-6, 1e-3))
VERTICES = Axis(2, 1e12, usual=100, corners=(3,), whole=True)
LEVEL = Axis(0, 50, usual=3, corners=(0.01, 1), log=False)
ZETA = Axis(1e-12, 1, usual=0.05, corners=(0.9, 0.999))
OFFSET = Axis(-8, 8, usual=0, corners=(-3, 3), log=False)
PATH = Axis(2, 2000, usual=100, corners=(3,), whole=True)
DRAW = Axis(0, 1e6, usual=1, log=False, whole=True)
RANK = Axis(1, 3, usual=3, log=False, whole=True)
OVER = Axis(0, 2, usual=0, log=False, corners=(1,), whole=True)
SHARE = Axis(0.01, 1, usual=1)
SCALE = Axis(1e-3, 1e6, usual=1)
TAU = Axis(1e-9, 1e-3, usual=1e-3)
LOSING = {"n": axis("n", high=1e15), "epsilon": EPSILON, "delta": NEAR_ONE, "bend": BEND, "vertices": VERTICES}


def _sides(
    name: str, left: str, right: str = "", *, axes: Mapping[str, Axis], granted: bool = False, constant: float = 1,
    premise: tuple[str, ...] = (), reason: str = "",
) -> Sides:  # fmt: skip
    """Two functions of `dprepro.bounds.lasso_corners`, or with their module's name."""
    here = [text if not text or "." in text or "*" in text else f"lasso_corners.{text}" for text in (left, right)]
    return Sides(
        name=name, left=here[0], right=here[1], axes=axes, constant=GRANTED if granted else constant, premise=premise,
        reason=reason,
    )  # fmt: skip


def _steps(name: str, repaired: str = "") -> Attack:
    """Frank-Wolfe for any number of steps, on few records whose constants reach their ends."""
    return Risks(
        name=name, algorithm=FrankWolfe(), family=FewRecords(over="l1_ball"), bound=repaired,
        axes={"steps": axis("steps", high=100, usual=10), "p": axis("p", high=50), **RECORDS},
        reason="T = 1, 2; Gamma towards 0",
    )  # fmt: skip


LARGE_GAMMA = "with t from 1 a share 2/(T (T + 1)) of the first point stays, whatever Gamma is"

FIRST_POINT = _sides(
    "linear losses from the worst point", "first_point_kept", "theorem_2_5", granted=True, axes=LOSING,
    reason=f"{LARGE_GAMMA}; and without noise (delta near 1) nothing is left of the bound",
)  # fmt: skip
EXPLICIT_2_5 = _sides(
    "the explicit bound beside the rate", "theorem_2_5_explicit", "theorem_2_5_repaired", granted=True,
    axes=LOSING | {"delta": DELTA}, premise=("delta <= 1/e",), reason="constants of T rounded up, of T = 1, of |S| = 2",
)  # fmt: skip
EXPLICIT_2_6 = _sides(
    "the explicit bound beside the rate", "theorem_2_6_explicit", "theorem_2_6_repaired", granted=True,
    axes={"n": N, "epsilon": EPSILON, "delta": DELTA, "bend": BEND},
    premise=("delta <= 1/e", "epsilon <= ln(1/delta)"), reason="the least noise at both ends of epsilon, T = 2",
)  # fmt: skip
FIRST_STEP_B_2 = _sides(
    "a constant step keeps 1/e of the first point", "kept_by_constant_steps", "theorem_b_2", granted=True,
    axes={"n": axis("n", high=1e15), "epsilon": EPSILON, "delta": NEAR_ONE, "bend": BEND},
    reason="line 4 of Algorithm 3",
)  # fmt: skip
FIRST_STEP_5 = _sides(
    "T free, linear losses from the worst point", "kept_after", "equation_5", granted=True, reason=LARGE_GAMMA,
    axes={"total": TOTAL, "n": N, "epsilon": EPSILON, "delta": NEAR_ONE, "bend": BEND, "vertices": VERTICES,
          "zeta": ZETA},
)  # fmt: skip
UNITS_6 = _sides(
    "a logarithm of L_1 ||C||_1", "one_choice", "equation_6", granted=True,
    axes={"total": TOTAL, "n": N, "epsilon": EPSILON, "delta": DELTA, "vertices": VERTICES,
          "unit": Axis(1e-12, 1e6, usual=1, corners=(1e-3,))},
    reason="T L_1 ||C||_1 |S| is no pure number: in other units its logarithm is negative",
)  # fmt: skip
FIRST_STEP_6 = _sides(
    "T free, linear losses from the worst point", "kept_after", "equation_6", granted=True, reason=LARGE_GAMMA,
    axes=UNITS_6.axes,
)  # fmt: skip
REGRETS = (
    _sides("Gumbel regrets of all steps at once", "lasso_lemmas.gumbel_regret", "lasso_lemmas.zeta",
           axes={"vertices": VERTICES, "steps": TOTAL, "level": LEVEL}, reason="the union over steps and vertices"),
    _sides("Laplace noises of all steps at once", "lasso_lemmas.laplace_noise", "lasso_lemmas.zeta",
           axes={"vertices": VERTICES, "steps": TOTAL, "level": LEVEL}, reason="the union over steps and vertices"),
)  # fmt: skip
DIMENSION_ONE = _sides(
    "one coordinate", "lower_rate", "scalar_release", constant=GRANTED,
    axes={"n": axis("n", low=2, high=1e30, corners=(1e9, 1e18, 1e24)), "epsilon": axis("epsilon", high=0.1, usual=0.1)},
    reason="p is free: with p = 1 published moments lose of order 1/(n epsilon)",
)  # fmt: skip
BEST_KNOWN = _sides(
    "the best private answers known", f"{1 / GRANTED:g}*(n*ln(n))^(-2/3)", "least_known",
    axes={"n": axis("n", low=2), "p": axis("p", high=1e12), "epsilon": axis("epsilon", high=0.1, usual=0.1),
          "delta": DELTA},
    premise=("p >= (n*ln(n))^(2/3)", "delta < n^-2"), reason="zero, and Algorithm 2 at its best number of steps",
)  # fmt: skip
CURVED = {"draw": DRAW, "rank": RANK, "over": OVER, "share": SHARE}
BUDGET = {"total": PATH, "epsilon": EPSILON, "delta": DELTA, "offset": OFFSET}

PRINTED: Mapping[str, tuple[Attack, ...]] = {
    "Theorem 1.1": (
        _sides("n = p = 1", "two_records", "theorem_1_1", constant=GRANTED, reason="log(n p) is 0 there",
               axes={"n": Axis(1, 1, whole=True), "p": Axis(1, 1, whole=True), "epsilon": EPSILON, "delta": DELTA}),
    ),
    "Theorem 1.2": (DIMENSION_ONE,),
    "Remark 2": (
        _sides("matrices in three dimensions", "bend_in_three", "remark_2_in_three", axes=CURVED,
               reason="the factor 2"),
        _sides("intervals", "lasso_constants.remark_2", "lasso_constants.remark_2_as_printed",
               axes={"low": Axis(-1e3, 0, usual=-1, log=False), "high": Axis(1e-3, 1e3, usual=1)}),
    ),
    "Theorem 2.2": (_steps("few records, any T"),),
    "Theorem 2.5": (FIRST_POINT,),
    "Theorem A.1": (FIRST_POINT,),
    "Equation (5)": (FIRST_STEP_5,),
    "Equation (6)": (UNITS_6, FIRST_STEP_6),
    "Theorem A.2": (
        _sides("a constant step", "lasso_constants.constant_step", "lasso_constants.theorem_a_2",
               axes={"steps": TOTAL, "beta": Axis(0, 100, usual=0.1)}, reason="a share 1/e of the first point stays"),
    ),
    "Theorem 2.6": (
        _sides("two linear losses", "two_slopes", "theorem_2_6", granted=True, reason="Gamma = 0, every algorithm",
               axes={"n": Axis(1, 1, whole=True), "epsilon": EPSILON, "delta": DELTA, "lipschitz": SCALE,
                     "radius": SCALE, "curvature": Axis(0, 1, usual=1e-9)}),
    ),
    "Theorem B.1": (
        _sides("signs of linear losses", "printed_signs", "1*delta", reason="L_2 in the place of L_2^2",
               axes={"n": N, "epsilon": EPSILON, "delta": DELTA, "lipschitz": Axis(1e-3, 1e12, usual=1),
                     "total": PATH}),
    ),
    "Theorem B.2": (FIRST_STEP_B_2,),
    "Theorem 3.1": (DIMENSION_ONE,),
    "Theorem 3.2": (
        _sides("answers of large budgets", "agreement_by_noise", constant=2 / 3,
               reason="epsilon and delta are left open",
               axes={"users": Axis(5, 1e6, usual=100, whole=True), "epsilon": axis("epsilon", high=1e9),
                     "delta": axis("delta", high=0.99)}),
        _sides("an answer that knows the matrix", "agreement_of_a_fixed_answer", constant=3 / 4,
               axes={"users": Axis(2, 100, usual=5, whole=True), "draw": DRAW},
               reason="one matrix for all algorithms: the signs of its columns, published whatever the data are"),
    ),
}  # fmt: skip
"""On what is printed where it does not hold."""

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Theorem 1.1": (
        _sides("the explicit bound on the LASSO", "theorem_1_1_explicit", "theorem_1_1_repaired", granted=True,
               axes={"n": N, "p": P, "epsilon": EPSILON, "delta": DELTA}, premise=("delta <= 1/e",)),
    ),
    "Theorem 1.2": (BEST_KNOWN,),
    "Definition 2.1": (
        _sides("random records", "lasso_lemmas.largest_bend", "lasso_lemmas.gamma",
               axes={"p": axis("p", high=50), "draw": DRAW, "step": Axis(1e-3, 1, usual=1)}),
    ),
    "Remark 1": (
        _sides("matrices in three dimensions", "bend_in_three", "remark_1_in_three", reason="full rank, 0 outside",
               axes=CURVED | {"order": Axis(0, 2, usual=2, log=False, whole=True)}),
    ),
    "Remark 2": (
        _sides("matrices in three dimensions", "bend_in_three", "remark_2_in_three", constant=2, axes=CURVED,
               reason="full rank, 0 outside"),
    ),
    "Theorem 2.2": (_steps("few records, any T"),),
    "Fact 2.3": (
        _sides("random polytopes", "lasso_lemmas.fact_2_3", "lasso_lemmas.one",
               axes={"p": Axis(1, 3, usual=2, whole=True), "draw": DRAW}),
    ),
    "Theorem 2.4": (
        _sides("paths on linear losses", "gumbel_path", "1*delta", axes=BUDGET,
               reason="all steps on one pair of scores, few and many steps, rare choices"),
    ),
    "Section 2.1, sensitivity": (
        _sides("opposite records", "score_change", "score_limit",
               axes={"feature_bound": SCALE, "label_bound": SCALE, "l1_radius": SCALE}),
    ),
    "Theorem 2.5": (EXPLICIT_2_5,),
    "Theorem A.1": (EXPLICIT_2_5,),
    "Equation (5)": REGRETS,
    "Equation (6)": (
        _sides("linear losses from the best vertex", "one_choice", "equation_6_repaired",
               axes={"total": TOTAL, "n": N, "epsilon": EPSILON, "delta": NEAR_ONE, "vertices": VERTICES}),
    ),
    "Theorem A.2": (
        _sides("the recursion of the proof", "lasso_constants.inexact_steps", "lasso_constants.theorem_a_2",
               axes={"steps": axis("steps", high=2000), "beta": Axis(0, 1e6, usual=1)}, reason="T = 1, beta large"),
    ),
    "Theorem 2.6": (EXPLICIT_2_6,),
    "Theorem B.1": (
        _sides("Gaussian shifts of all steps", "squared_noise", "1*delta", reason="n = 1, large epsilon and delta",
               axes={"n": N, "epsilon": axis("epsilon", high=1e6), "delta": DELTA, "total": PATH}),
    ),
    "Theorem B.2": (EXPLICIT_2_6,),
    "Corollary 2.7": (
        _sides("T balanced with the logarithms", "corollary_2_7_balanced", "lasso.corollary_2_7_rate", constant=30,
               axes={"n": N, "p": axis("p", high=1e300), "epsilon": EPSILON, "delta": axis("delta", low=1e-300)},
               reason="p and 1/delta large together; T = 1"),
    ),
    "Section 1, the gap": (
        _sides("from above", "gap", "gap_limit", axes={"p": axis("p", high=1e15)}),
        _sides("from below", "p^(1/3)*1", "gap", constant=1.2, axes={"p": axis("p", high=1e15)}),
    ),
    "Section 1, privacy for free": (
        _sides("both rates", "free_risk", "free_error", premise=("n >= ln(2*p)^3",),
               axes={"n": N, "p": axis("p", high=1e300, usual=1e10)}),
    ),
    "Theorem 3.1": (BEST_KNOWN,),
    "Theorem 3.2": (
        _sides("answers of large budgets", "agreement_by_noise", "traced", reason="what tracing leaves",
               axes={"users": Axis(5, 1e6, usual=100, whole=True), "epsilon": axis("epsilon", high=1e9),
                     "delta": axis("delta", high=0.99)}),
    ),
    "Equation (3)": (
        _sides("any share of columns against the rows", "planted_loss", "lasso.printed_equation_3",
               axes={"tau": TAU, "wrong": Axis(0, 1, usual=1, log=False)}),
    ),
    "Lemma 3.3": (
        _sides("answers that agree too little", "1.1*tau", "agreeing_loss",
               axes={"tau": TAU, "agreement": Axis(0, 1, usual=1, log=False), "mass": Axis(0, 1, usual=0.9, log=False)},
               reason="the loss that is least at each agreement"),
    ),
}  # fmt: skip
"""On what holds, as repaired where it is."""

UNTRIED: Mapping[str, str] = {
    "Definition 1.3": "a definition",
    "Remark 3": "a comparison with other papers",
}
"""Why no number can be attacked."""
