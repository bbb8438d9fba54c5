"""Attacks on what Kifer, Smith and Thakurta (2012) say of sparse regression: section 3, appendices F and G."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.search_axes import Axis, axis

EPSILON = axis("epsilon")
P = Axis(2, 1e6, usual=100, corners=(3, 10), whole=True)
SPARSITY = axis("sparsity", high=30, corners=(3, 10))
LEVEL = Axis(0, 500, usual=3, log=False, corners=(0.001, 0.1, 1))
BLOCKS = Axis(1, 2000, usual=100, corners=(2, 10), whole=True)
N = axis("n", low=1, high=1e12, corners=(4, 100, 1e6, 1e9))
PSI = Axis(1e-6, 1, usual=1)
SIGNAL = Axis(0, 1, usual=1, log=False, corners=(0.5, 1e-3))
LOG_DELTA = Axis(0.6931472, 1e9, usual=14, corners=(1, 700))
PIPELINE = {"n": N, "epsilon": EPSILON, "level": LOG_DELTA, "sparsity": SPARSITY, "psi": PSI, "signal": SIGNAL}
WITHIN = ("level >= ln(2)", "epsilon <= level")
SQUARED_CONSTANT = 10 * GRANTED
"""The proofs' own constant is 64 (8 ln(2/delta) + 2 epsilon)/(8 ln(1/delta)), up to 160."""

TURNED = Sides(
    name="one record turns a vote", left="kst_privacy.top_loss", right="1*epsilon",
    axes={"epsilon": axis("epsilon", low=1e-3), "p": Axis(2, 1e4, usual=2, whole=True),
          "sparsity": Axis(1, 20, usual=1, whole=True), "lead": Axis(-20, 300, usual=30, log=False, corners=(0, 1, 2))},
    premise=("sparsity < p",), reason="all scores of the set fall, all others rise, and the lead is long",
)  # fmt: skip
SUPPORT = Sides(
    name="a record on one support", left="kst_privacy.support_loss", right="1*epsilon",
    axes={"epsilon": EPSILON, "supports": Axis(2, 1e12, usual=10, whole=True),
          "gap": Axis(-50, 50, usual=0, log=False), "lowest": Axis(-1, 0, usual=0, log=False)},
    reason="losses of both signs, many supports, and one far above the others",
)  # fmt: skip
FITTED = Sides(
    name="an orthogonal design, with constants", left="kst_selection.fitted_risk", right="kst_selection.fitted_bound",
    axes=PIPELINE, reason="no signal, the box's border, few records, weak columns",
)  # fmt: skip
NINTH = Sides(
    name="an orthogonal design", left="kst_selection.fitted_risk", right="kst_selection.theorem_9",
    constant=SQUARED_CONSTANT, axes=PIPELINE, premise=WITHIN, reason="where noise rules, and where the ridge does",
)  # fmt: skip
MISSED = Sides(
    name="votes of right blocks", left="kst_selection.orthogonal_votes_missed", right="kst_selection.theorem_9_missed",
    axes={"n": axis("n", low=4, high=1e7, usual=1e4), "p": Axis(2, 1e4, usual=100, whole=True), "sparsity": SPARSITY,
          "epsilon": axis("epsilon", low=1e-3)},
    premise=("sparsity <= p",), reason="sqrt n rounded down, few blocks",
)  # fmt: skip
ROTATING = Sides(
    name="fewer signals, and blocks that name others beside them", left="kst_selection.rotating_votes_missed",
    right="kst_selection.theorem_9_missed",
    axes={"n": axis("n", low=4, high=1e10, usual=1e6), "p": Axis(2, 1e4, usual=4, whole=True),
          "sparsity": Axis(2, 100, usual=3, whole=True), "epsilon": axis("epsilon", low=1e-3),
          "signals": Axis(1, 100, usual=1, whole=True)},
    premise=("sparsity < p", "signals < sparsity"),
    reason="Lemma 41's set only contains the support of theta*: where that is smaller than s, blocks may differ",
)  # fmt: skip

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Remark after Definition 2": (
        Sides(
            name="Gaussian rows", left="kst.rows_broken_at_small_deviation", right="kst.small_probability",
            axes={"n": N, "p": axis("p", high=1e12)}, premise=("n*p >= 2",), reason="n p = 2, p = 1",
        ),
    ),
    "Table 2": (
        Sides(
            name="the exponential mechanism", left="kst.records_for_selection", right="sparsity^3*ln(p)/epsilon",
            constant=GRANTED, axes={"p": Axis(2, 1e12, usual=100, whole=True), "sparsity": SPARSITY,
                                    "epsilon": axis("epsilon", low=1e-3, high=1)},
            premise=("2*sparsity <= p",), reason="p = 2, s = 1, large s",
        ),
        Sides(
            name="sample and aggregate", left="kst_selection.aggregation_missed", right="1/10 + 0*p",
            axes={"p": Axis(2, 1e6, usual=100, whole=True), "sparsity": SPARSITY,
                  "epsilon": axis("epsilon", low=1e-3, high=1)},
            premise=("sparsity <= p",), reason="p = 2; k = sqrt n is granted 100 times s ln p/epsilon",
        ),
    ),
    "Theorem 6": (
        Sides(
            name="the worst scores", left="kst.theorem_6", right="kst_selection.theorem_6_with_2",
            axes={"noise_scale": Axis(1e-6, 1e6, usual=1), "p": axis("p", low=2, high=1e12, usual=100),
                  "sparsity": axis("sparsity", high=50)},
            premise=("sparsity <= p",), reason="p = 2, s = p, many supports: 2 alpha s log p/(epsilon n)",
        ),
    ),
    "Theorem 7": (
        Sides(
            name="an orthogonal design", left="kst_selection.fitted_risk", right="kst_selection.theorem_7",
            constant=SQUARED_CONSTANT, axes={**PIPELINE, "p": P}, premise=(*WITHIN, "sparsity <= p"),
            reason="where noise rules, and where the ridge does",
        ),
        FITTED,
    ),
    "Theorem 8": (
        Sides(
            name="exact votes", left="kst.votes_missed", right="kst.theorem_8",
            axes={"p": Axis(1, 1e4, usual=100, corners=(2, 3), whole=True), "sparsity": SPARSITY, "blocks": BLOCKS,
                  "epsilon": axis("epsilon", low=1e-3, high=5)},
            premise=("sparsity <= p",), reason="p = 2, one block, many blocks",
        ),
    ),
    "Theorem 9": (NINTH, FITTED, MISSED),
    "Theorem 43": (NINTH, FITTED, MISSED),
    "Theorem 32": (SUPPORT,),
    "Lemma 33": (
        Sides(
            name="one coordinate", left="kst_selection.score_change", right="kst_selection.largest_loss",
            axes={"curvature": Axis(0, 1e6, usual=1), "centre": Axis(-1e3, 1e3, usual=0, log=False, corners=(1, -1)),
                  "feature": Axis(-1, 1, usual=1, log=False, corners=(0, 0.5)),
                  "label": Axis(-10, 10, usual=1, log=False, corners=(0, -1))},
            reason="no records before, a minimum outside of the box",
        ),
    ),
    "Theorem 34": (
        Sides(
            name="all others lose the bound", left="kst_selection.support_missed", right="kst_selection.probability",
            axes={"p": axis("p", low=1, high=1e12, usual=100), "sparsity": axis("sparsity", high=50), "level": LEVEL},
            premise=("sparsity <= p",), reason="gamma = 1, s = 1, p = s",
        ),
    ),
    "Theorem 35": (
        FITTED,
        Sides(
            name="the tail of the second half", left="kst_selection.theorem_35_missed",
            right="kst_selection.half_probability", axes={"level": LEVEL, "sparsity": axis("sparsity", high=1000)},
            reason="gamma = 1 and gamma -> 0, s = 1 and large s",
        ),
    ),
    "Theorem 36": (TURNED,),
    "Theorem 37": (TURNED,),
    "Theorem 38": (
        TURNED,
        Sides(
            name="the second half", left="kst_privacy.objective_delta", right="1*delta",
            axes={"epsilon": EPSILON, "delta": axis("delta"), "hessian_rank": Axis(1, 1),
                  "centre": Axis(0, 40, usual=4, log=False), "least": Axis(2, 2)},
            reason="squared losses of one row have rank one",
        ),
    ),
    "Lemma 39": (
        Sides(
            name="rows, labels and parameters at their ends", right="kst.lemma_39",
            left="(label*sparsity + length*sparsity)*length*sqrt(sparsity)",
            axes={"label": Axis(0, 1, usual=1, log=False), "length": Axis(0, 1, usual=1, log=False),
                  "sparsity": axis("sparsity", high=1e6)},
            reason="x = (1, ..., 1), y = s, theta = -x",
        ),
    ),
    "Lemma 40": (
        Sides(
            name="weighted random vectors", left="kst_lemmas.lemma_40_sum", right="kst_lemmas.lemma_40",
            axes={"p": Axis(1, 8, usual=3, whole=True, log=False),
                  "draw": Axis(0, 1e6, usual=0, whole=True, log=False)},
            reason="orthogonal vectors attain it; weights of both signs",
        ),
    ),
    "Lemma 41": (
        Sides(
            name="two columns at the least n", left="kst_selection.two_columns_off", right="kst_selection.half_signal",
            axes={"correlation": Axis(-0.999, 0.999, usual=0, log=False, corners=(0.5, -0.5, 0.9)),
                  "first": Axis(-0.5, 0.5, usual=-0.5, log=False), "second": Axis(-0.5, 0.5, usual=0.5, log=False),
                  "deviation": Axis(1e-4, 1, usual=0.01), "p": Axis(2, 1e6, usual=10, whole=True),
                  "signal": Axis(1e-3, 1, usual=1)},
            reason="the fit's error against half of the least signal, at the smallest n that the lemma allows",
        ),
    ),
    "Lemma 42": (
        Sides(
            name="two correlated columns", left="kst_selection.two_columns_error",
            right="kst_selection.two_columns_allowed",
            axes={"correlation": Axis(-0.999999, 0.999999, usual=0, log=False, corners=(0.5, -0.5, 0.9, 0.99)),
                  "first": Axis(-0.5, 0.5, usual=-0.5, log=False), "second": Axis(-0.5, 0.5, usual=0.5, log=False)},
            reason="columns nearly alike, and noise at its limit on both",
        ),
    ),
    "Theorem 44": (
        FITTED,
        Sides(
            name="the tail", left="kst_selection.theorem_44_missed", right="kst_selection.probability",
            axes={"epsilon": EPSILON, "level": axis("gamma", low=1e-12, high=500, usual=3, corners=(1e-3, 0.1)),
                  "sparsity": axis("sparsity", high=1000), "share": Axis(1e-3, 1, usual=1)},
            reason="gamma near 1, s >= 3",
        ),
        MISSED,
    ),
}  # fmt: skip

FEW_SIGNALS = Sides(
    name="a support of fewer elements", left="kst_selection.few_signals_missed", right="kst.theorem_8",
    axes={"p": Axis(2, 1e4, usual=100, whole=True), "sparsity": axis("sparsity", usual=2), "blocks": BLOCKS,
          "epsilon": axis("epsilon", low=1e-3, high=5), "signals": Axis(1, 100, usual=1, whole=True)},
    premise=("sparsity <= p", "signals <= sparsity"), reason="line 6 of Algorithm 5 always returns s coordinates",
)  # fmt: skip

PRINTED: Mapping[str, tuple[Attack, ...]] = {
    "Remark after Definition 2": (
        Sides(
            name="Gaussian rows", left="kst.rows_broken", right="1/2 + 0*n",
            axes={"n": N, "p": axis("p", high=1e12), "deviation": Axis(1e-3, 0.999, usual=0.7)},
            premise=("n >= 100*ln(p)",), reason="s = 1: some entry exceeds 1 with more than an even chance",
        ),
    ),
    "Table 2": (
        Sides(
            name="fewer signals, and blocks that name others beside them", right="1/10 + 0*p",
            left="kst_selection.rotating_votes_missed_at_table_2",
            axes={"p": Axis(2, 1e6, usual=1e4, whole=True), "sparsity": Axis(2, 1e5, usual=1000, whole=True),
                  "epsilon": axis("epsilon", low=1e-3, high=1), "signals": Axis(1, 1e5, usual=500, whole=True)},
            premise=("sparsity < p", "signals < sparsity"), reason="n = 1e4 s^2 log^2 p/epsilon^2, and s^4 is needed",
        ),
    ),
    "Theorem 7": (
        Sides(
            name="an orthogonal design", left="kst_selection.fitted_risk", right="kst_selection.theorem_7_as_printed",
            constant=GRANTED, axes={**PIPELINE, "p": P}, premise=(*WITHIN, "sparsity <= p"),
            reason="the first term rules where ln(1/delta) is far above s ln^2 p",
        ),
    ),
    "Theorem 8": (FEW_SIGNALS,),
    "Theorem 9": (ROTATING,),
    "Theorem 43": (ROTATING,),
    "Theorem 44": (
        ROTATING,
        Sides(
            name="gamma near 1", left="kst_selection.theorem_44_holds_with",
            right="kst_selection.theorem_44_missed_as_printed",
            axes={"n": axis("n", low=100, high=1e12, usual=1e9), "p": Axis(3, 1e6, usual=10, whole=True),
                  "epsilon": EPSILON, "rest": Axis(1e-60, 1, usual=1e-40, corners=(1e-30, 1e-20, 1e-10)),
                  "sparsity": Axis(3, 100, usual=3, whole=True), "psi": PSI},
            premise=("sparsity <= p",), reason="log(1/gamma) tends to 0 where the noise does not",
        ),
    ),
    "Theorem 38": (
        Sides(
            name="k = sqrt n changes", left="kst_privacy.turned_by_root_of_n", right="1*delta",
            axes={"epsilon": EPSILON, "delta": axis("delta"), "blocks": Axis(2, 1e6, usual=100, whole=True)},
            reason="n = k^2: one record more turns every block, whatever the partition",
        ),
    ),
}  # fmt: skip
