"""Attacks on Arora, Bassily, Guzman, Menart and Ullah (2022); further ones follow from the algorithms of a premise."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.algorithms import RegularisedOutputPerturbation
from dprepro.constructions.corners import Corners
from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.neighbouring_attacks import Neighbouring
from dprepro.refute.search_axes import Axis, axis

SAMPLE = axis("n", high=1e30, usual=1e6, corners=(2, 100, 1e12))
EPSILON = axis("epsilon", low=1e-18, corners=(1e-12, 1e-6, 0.1, 3))
SMALL = axis("delta", high=0.3, low=1e-200, corners=(1e-15, 0.1))
ANY = Axis(1e-12, 1e12, usual=1, corners=(1e-6, 1e-3, 1e3, 1e6))
SHARE = Axis(0, 1, usual=0, log=False, corners=(0.01, 0.5))
MASS = Axis(1e-12, 1, usual=1, corners=(1e-6, 1e-3, 0.1))
SCALES = {"smoothness": ANY, "radius": ANY, "label_level": ANY}
SIZES = {"n": SAMPLE, "epsilon": EPSILON}
BUDGETS = {**SIZES, "delta": axis("delta", low=1e-200, high=0.999, corners=(1e-15, 0.1))}
HIGH = axis("p", high=1e30, corners=(2, 3, 1e12))
ENOUGH = ("n >= smoothness*radius^2/label_level^2",)
LONG = {"n": SAMPLE, "epsilon": EPSILON, "delta": SMALL, "feature_length": ANY, "radius": ANY, "label_level": ANY}
ROOM = ("feature_length*radius <= label_level", "n >= 2*feature_length^2*radius^2/label_level^2")
UNIT = Axis(1, 1)
GRANT = {"granted": Axis(GRANTED, GRANTED)}
FLIPS = {
    "epsilon": axis("epsilon", high=5),
    "delta": axis("delta", low=0.0),
    "flips": Axis(0, 1e6, usual=2, whole=True),
}


def _share(
    name: str, axes: Mapping[str, Axis], reason: str, constant: float = 1.0, premise: tuple[str, ...] = ()
) -> Sides:
    """A share that is computed as a whole."""
    called = name.partition(".")[2].replace("_", " ")
    return Sides(name=called, axes=axes, left=name, constant=constant, reason=reason, premise=premise)


PRIVACY = _share(
    "glm_corners.theorem_1_privacy", {"epsilon": axis("epsilon"), "delta": SMALL},
    "the Gaussian tail bound: large epsilon, and delta at both ends",
)  # fmt: skip
FEW = {
    "n": Axis(1, 20, usual=2, corners=(3,), whole=True), "epsilon": axis("epsilon", low=0.01),
    "delta": axis("delta", low=1e-9, high=0.3), "radius": Axis(1e-2, 1e2, usual=1),
    "label_bound": Axis(1e-2, 1e2, usual=1),
}  # fmt: skip
TURNED = "plus minus minus"


def _released(algorithm: RegularisedOutputPerturbation, loss: str) -> Neighbouring:
    """Exact laws in one dimension: of n records one is turned, or one among records that are all turned."""
    return Neighbouring(
        name=f"exact laws, {loss}", axes=FEW, algorithm=algorithm,
        data=Corners(loss=loss, proper=False, pairs=(TURNED,)), reason="one record or a few: the largest sensitivity",
    )  # fmt: skip


RIDGE = _share(
    "glm_corners.theorem_3_risk", {**BUDGETS, **SCALES, "mass": MASS, "noisy": SHARE},
    "ridge, noise and sampling in closed form, at any mass of the features", GRANTED,
)  # fmt: skip
DESCENT = {"n": SAMPLE, **SCALES}

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Table 1": (
        Sides(
            name="hidden signs above the cell", axes={**SIZES, **SCALES}, left="glm_corners.hidden_signs",
            right="glm_corners.table_1_repaired", constant=GRANTED, reason="an upper cell below the lower bound",
        ),
    ),
    "Table 1, lower bounds": (
        Sides(
            name="answer zero", axes={**SIZES, "p": HIGH, **SCALES}, left="glm.theorem_4_rate",
            right="glm_corners.zero_risk", constant=GRANTED, reason="few records, short or long w*",
        ),
    ),
    "Section 1.2, the transition": (
        Sides(
            name="crossing below", axes={**SIZES, **SCALES}, left="glm.transition",
            right="glm_corners.transition_crossing", constant=GRANTED, reason="where the two private terms are equal",
        ),
        Sides(
            name="crossing above", axes={**SIZES, **SCALES}, left="glm_corners.transition_crossing",
            right="glm.transition", constant=GRANTED, reason="where the two private terms are equal",
        ),
    ),
    "Lemma 1": (
        _share(
            "glm_corners.lemma_1_printed", FLIPS, "the best private answer on a path between the data sets",
            premise=("flips <= 1/epsilon",),
        ),
    ),
    "Definition 1": (
        _share(
            "glm_corners.definition_1_rows",
            {"precision": Axis(1e-3, 100, usual=0.3, corners=(1, 3, 10)), "level": Axis(1e-6, 40, usual=3)},
            "u = v: the tail of a chi-square is exponential, not normal, beyond alpha of order 1",
        ),
        Sides(
            name="any angle", axes={
                "cosine": Axis(0, 1, usual=0, log=False, whole=True), "precision": Axis(0.05, 1, usual=0.3),
                "level": Axis(1e-3, 20, usual=3),
            }, left="glm_lemmas.jl_failure", right="glm_lemmas.beta", reason="orthogonal u and v, and alike",
        ),
    ),
    "Self-bounding property": (
        _share(
            "glm_corners.self_bounding", {
                "place": Axis(-30, 30, usual=0.5, log=False, corners=(0, 1, 1.01, -1)), "smooth": ANY,
                "raised": Axis(0, 10, usual=0), "shape": Axis(0, 3, usual=0, log=False, whole=True),
            }, "parabolas, a kink, flat tails, a function that is not convex",
        ),
    ),
    "Lemma 2": (
        _share(
            "glm_corners.lemma_2_share", {
                "smooth": ANY, "size": ANY, "radius": ANY, "label": ANY,
                "centre": Axis(-1, 1, usual=1, log=False, corners=(0,)),
                "place": Axis(-1, 1, usual=-1, log=False, corners=(0,)),
            }, "the slope at zero is sqrt(2 H) Y, and grows by H B X",
        ),
    ),
    "Theorem 1": (
        _share(
            "glm_corners.theorem_1_risk", {**BUDGETS, "p": HIGH, **SCALES, "noisy": SHARE},
            "steps too short, or a sample too small, for what the sum promises", GRANTED, ENOUGH,
        ),
    ),
    "Theorem 1, privacy": (PRIVACY,),
    "Corollary 1": (
        _share(
            "glm_corners.corollary_1_risk", {**DESCENT, "noisy": SHARE}, "n = T of 1 and 2, eta at 1/(4H)", GRANTED,
            ENOUGH,
        ),
        _share(
            "glm_corners.corollary_1_mass", {**DESCENT, "mass": MASS}, "a direction of any curvature", GRANTED, ENOUGH
        ),
    ),
    "Theorem 2, privacy": (PRIVACY,),
    "Theorem 3": (RIDGE,),
    "Theorem 3, privacy": (
        PRIVACY,
        _released(RegularisedOutputPerturbation(constants="exact"), "squared"),
        _released(RegularisedOutputPerturbation(constants="exact"), "logistic"),
    ),
    "Section 3.1, low dimension": (RIDGE,),
    "Section 3.1, the smallest sample": (
        Sides(
            name="fewer than n_0", axes={"label": ANY, "radius": ANY, "share": Axis(1e-6, 1, usual=0.5)},
            left="glm_lemmas.zero_risk", right="glm_lemmas.theorem_1_first_term", reason="at n_0 both are equal",
        ),
    ),
    "Theorem 4": (
        Sides(
            name="private answers that are known", axes={**BUDGETS, "p": HIGH, **SCALES}, left="glm.theorem_4_rate",
            right="glm_corners.theorem_4_known", constant=GRANTED,
            reason="d' = (p B X n epsilon/Y)^(2/3) below 1, b above 1, p below 1",
        ),
    ),
    "Theorem 5": (
        Sides(
            name="absolute loss, one coordinate", axes={
                **BUDGETS, "mass": MASS, "radius": ANY, "lipschitz": ANY
            }, left="glm_laws.output_perturbation_absolute", right="glm.theorem_5_rate", constant=GRANTED,
            reason="ridge against noise at any mass",
        ),
    ),
    "Theorem 5, privacy": (
        PRIVACY,
        _released(RegularisedOutputPerturbation(setting="lipschitz", constants="exact"), "linear"),
        _released(RegularisedOutputPerturbation(setting="lipschitz", constants="exact"), "logistic"),
    ),
    "Theorem 6": (
        Sides(
            name="private answers that are known", axes={
                "n": SAMPLE, "p": HIGH, "epsilon": EPSILON, "delta": axis("delta", low=1e-200, high=0.99),
                "radius": ANY, "lipschitz": ANY,
            }, left="glm.theorem_6_rate", right="glm_corners.theorem_6_known", constant=GRANTED,
            reason="delta as large as epsilon: a sample may be published",
        ),
    ),
    "Theorem 7": (
        _share(
            "glm_corners.theorem_7_choice", {
                "n": axis("n", usual=1e8), "epsilon": axis("epsilon", high=1), "failure": axis("beta"),
                "label_level": ANY, "gap": Axis(0.01, 10, usual=1), "squared": Axis(2, 2),
            }, "two answers of nearly the same risk: what the validation half tells apart",
        ),
    ),
    "Theorem 7, privacy": (
        _share("glm_corners.theorem_7_privacy", {"epsilon": axis("epsilon", high=1), "divided": axis("sparsity")},
               "basic composition of K runs, or the choice"),
        _share(
            "glm_corners.theorem_7_delta",
            {"epsilon": axis("epsilon", high=1), "delta": axis("delta"), "divided": axis("sparsity")},
            "the event that a loss exceeds Delta(B), on both data sets",
        ),
    ),
    "Theorem 8": (
        _share(
            "glm_corners.theorem_8_risk", {
                **BUDGETS, "norm": ANY, "smoothness": ANY, "label_level": ANY, "mass": MASS, "noisy": SHARE,
                "guesses": Axis(1, 60, usual=8, whole=True),
            }, "||w*|| far below the least radius 2, or far above", GRANTED,
        ),
    ),
    "Appendix D": (
        _share(
            "glm_corners.chosen_chunk",
            {"n": SAMPLE, **SCALES, "gap": Axis(0.01, 10, usual=0.75), "mass": MASS},
            "Y far above B X: Y^2/sqrt(n) would be more than the rate", GRANTED,
        ),
    ),
    "Lemma 12": (
        _share(
            "glm_corners.lemma_12_share", {
                "sum_error": Axis(-1, 1, usual=0.1, log=False), "difference_error": Axis(-1, 1, usual=-0.1, log=False),
                "cosine": Axis(-1, 1, usual=0.5, log=False), "ratio": Axis(1, 1),
            }, "polarisation, at any angle",
        ),
    ),
    "Corollary 4": (
        Sides(
            name="answer zero", axes={
                "n": SAMPLE, "p": HIGH, "epsilon": axis("epsilon", low=1e-18, high=1), "norm": ANY, "lipschitz": ANY,
                "order": Axis(1.001, 1e3, usual=2),
            }, left="glm.corollary_4_rate", right="glm_corners.corollary_4_zero", constant=GRANTED,
            reason="fewer than 1/epsilon records; orders near 1 and infinity",
        ),
        Sides(
            name="private answers that are known, order 2", axes={
                "n": SAMPLE, "p": HIGH, "epsilon": axis("epsilon", low=1e-18, high=1),
                "delta": axis("delta", low=1e-200, high=0.99), "norm": UNIT, "radius": UNIT, "lipschitz": UNIT,
                "order": Axis(2, 2),
            }, left="glm.corollary_4_rate", right="glm_corners.theorem_6_known", constant=GRANTED,
            reason="delta far above epsilon: a sample may be published",
        ),
    ),
}  # fmt: skip

PRINTED: Mapping[str, tuple[Attack, ...]] = {
    "Table 1": (
        Sides(
            name="hidden signs above the cell", axes={**SIZES, **SCALES}, left="glm_corners.hidden_signs",
            right="glm_corners.table_1_cell", constant=GRANTED, reason="the exponent 2/3 where sqrt(H) B X > 1",
        ),
    ),
    "Table 1, lower bounds": (
        Sides(
            name="answer zero", axes={**SIZES, "p": HIGH, **SCALES}, left="glm_corners.table_1_lower_printed",
            right="glm_corners.zero_risk", constant=GRANTED, reason="the exponent 2/3 where A < 1; no minimum with Y^2",
            premise=("sqrt(smoothness)*radius >= label_level",),
        ),
    ),
    "Section 1.2, the transition": (
        Sides(
            name="crossing below", axes={**SIZES, "norm": ANY}, left="glm.transition_printed",
            right="glm_corners.transition_of_unit_losses", constant=GRANTED, reason="||w*|| above Y",
        ),
    ),
    "Lemma 1": (
        _share(
            "glm_corners.lemma_1_printed", {**FLIPS, "gamma": axis("gamma")}, "gamma, undefined, may be small",
            premise=("flips <= ln(1/(2*gamma))/epsilon",),
        ),
    ),
    "Theorem 2": (
        _share("glm_corners.theorem_2_step_printed", {**BUDGETS, "p": HIGH, **SCALES},
               "the step has sqrt(d)", GRANTED, (*ENOUGH, "smoothness*radius^2 <= 2*label_level^2")),
        _share("glm_corners.theorem_2_sketch_printed", {**LONG, **GRANT}, "k falls with X", GRANTED, ROOM),
    ),
    "Theorem 2, privacy": (
        _share(
            "glm_corners.theorem_2_privacy_printed", {
                "epsilon": axis("epsilon", high=1, corners=(0.1,)), "delta": axis("delta", low=1e-15, high=0.3),
                "ratio": Axis(1e-12, 1, usual=1e-3, corners=(1e-9, 1e-6)), **GRANT,
            }, "k below ln(1/delta): a map that keeps no norms, and features that are not clipped",
        ),
    ),
    "Theorem 3": (
        _share("glm_corners.theorem_3_risk_printed", LONG, "lambda has Y for sqrt(H) X Y: short features", GRANTED,
               ROOM),
    ),
    "Theorem 3, privacy": (
        _share("glm_corners.theorem_3_privacy_printed", {**LONG, **GRANT},
               "sigma has Y for sqrt(H) X Y: long features"),
    ),
    "Section 3.1, low dimension": (
        _share(
            "glm_corners.low_dimension_least",
            {**SIZES, "delta": axis("delta", low=1e-40, high=0.1), "scale": Axis(1e-3, 1, usual=1)},
            "a ridge and a noise that two distributions on one coordinate hold against each other", GRANTED,
        ),
    ),
    "Theorem 4": (
        Sides(
            name="answer zero", axes={**SIZES, "p": HIGH, **SCALES}, left="glm.theorem_4_printed",
            right="glm_corners.zero_risk", constant=GRANTED, reason="d' = (p B X n epsilon/Y)^(2/3) is below 1",
        ),
    ),
    "Theorem 5, privacy": (
        _share("glm_corners.theorem_5_privacy_printed", {"epsilon": axis("epsilon"), "delta": SMALL},
               "the sensitivity is 2 G X/(lambda n): 8 in the place of 4"),
        _released(RegularisedOutputPerturbation(setting="lipschitz"), "linear"),
    ),
    "Theorem 7": (
        _share(
            "glm_corners.theorem_7_choice", {
                "n": axis("n", usual=1e8), "epsilon": axis("epsilon", high=1), "failure": axis("beta"),
                "label_level": ANY, "gap": Axis(0.01, 10, usual=1), "squared": Axis(1, 1),
            }, "the middle term has a loss's root for a loss: labels above 1",
        ),
    ),
    "Corollary 4": (
        Sides(
            name="answer zero", axes={
                "n": SAMPLE, "p": HIGH, "epsilon": axis("epsilon", low=1e-18, high=1), "norm": ANY, "lipschitz": ANY,
                "order": Axis(1.001, 1e3, usual=2),
            }, left="glm.corollary_4_printed", right="glm_corners.corollary_4_zero", constant=GRANTED,
            reason="fewer than 1/epsilon records",
        ),
    ),
}  # fmt: skip

ABSENT = "Its statement is in an appendix that is not at hand: there is nothing definite to attack."
UNTRIED: Mapping[str, str] = {
    "Lemma 4": ABSENT,
    "Lemma 5": ABSENT,
    "Lemma 6": ABSENT,
    "Theorem 10": ABSENT,
    "Theorem 13": ABSENT,
    "Theorem 15": ABSENT,
}
"""By item why no number is attacked."""
