"""Attacks on what Kifer, Smith and Thakurta (2012) say of objective perturbation: sections 2, appendices B to E."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.algorithms import LeastRegulariser, ObjectivePerturbation
from dprepro.budget import Neighbours
from dprepro.constructions import FewRecords, LinearSlope, NiceRegression, OrthogonalRegression
from dprepro.constructions.corners import Corners
from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.neighbouring_attacks import Neighbouring
from dprepro.refute.risks import Risks
from dprepro.refute.search_axes import Axis, axis

ONE = Axis(1, 1)
NONE = Axis(0, 0, log=False)
EPSILON, DELTA = axis("epsilon"), axis("delta", corners=(0.1, 1e-12))
N = axis("n", low=1, high=1e12, corners=(2, 1e3, 1e6, 1e9))
REACH = Axis(1, 1e3, usual=1)
UNIT = {"p": ONE, "lipschitz": ONE, "smoothness": ONE}
GRANT = {"granted": Axis(GRANTED, GRANTED)}
NORM = {"norm": Axis(0, 1e3, usual=0, corners=(1e-3, 1))}
COME = Neighbours.ADD_OR_REMOVE_ONE

BUDGETS = {"epsilon": EPSILON, "delta": DELTA}
CURVED_RECORD: tuple[Attack, ...] = (
    Sides(
        name="a curved record, Gaussian noise", left="kst_privacy.objective_delta", right="1*delta",
        axes={**BUDGETS, "hessian_rank": Axis(1, 6, usual=1, corners=(2, 3), whole=True, log=False),
              "centre": Axis(0, 40, usual=4, log=False), "least": Axis(2, 50, usual=2)},
        reason="the determinant's factor where b is long; 1 + lambda/Delta for each rank",
    ),
    Sides(
        name="a curved record, gamma noise", left="kst_privacy.objective_loss", right="1*epsilon",
        axes={"epsilon": EPSILON, "hessian_rank": Axis(1, 6, usual=1, corners=(2, 3), whole=True, log=False),
              "least": Axis(2, 50, usual=2)},
        reason="determinant and shift together, at the end of the curved part",
    ),
)  # fmt: skip
LEAST = ObjectivePerturbation(regulariser=LeastRegulariser())
DENSE: tuple[Attack, ...] = tuple(
    Neighbouring(
        name=f"neighbours, {loss}", algorithm=LEAST, relation=COME,
        data=Corners(loss=loss, over=over, pairs=("plus silent both",)),
        axes={"n": Axis(2, 8, usual=3, whole=True), "p": ONE, **BUDGETS, "radius": Axis(1e-2, 1e2, usual=1)},
        reason="data sets of few records, and answers at the ends of the set",
    )
    for loss, over in (("logistic", "l2_ball"), ("squared", "box"))
)  # fmt: skip

DRAW: Mapping[str, Axis] = {
    "curvature": Axis(0, 1e6, usual=1, corners=(1e-3,)),
    "centre": Axis(-1e3, 1e3, usual=1, log=False, corners=(0, -1)),
    "kink": Axis(0, 1e3, usual=0, corners=(1,)),
    "place": Axis(-1e2, 1e2, usual=0, log=False, corners=(1, -1)),
    "low": Axis(-1e6, 1e3, usual=-10, log=False, corners=(0, 1, 10, -1)),
    "width": Axis(0, 1e6, usual=20, corners=(1e-3, 1)),
    "ridge": Axis(1e-6, 1e6, usual=1),
    "pull": Axis(-1e6, 1e6, usual=1, log=False, corners=(0, -1, 30, -30)),
}


def _draws(name: str) -> tuple[Attack, ...]:
    return (
        Sides(
            name="one draw, a kink and a set", left=f"kst_perturbed.{name}", right=f"kst_perturbed.{RIGHT[name]}",
            axes=DRAW, reason="sets without 0, of one point and unbounded; kinks at theta#; no curvature",
        ),
    )  # fmt: skip


RIGHT = {"lemma_24_distance": "lemma_24", "corollary_25_loss": "corollary_25", "lemma_3_risk": "lemma_3"}

GAMMA = axis("gamma", corners=(0.9, 0.999, 0.61, 1e-3))
TAILED = {"n": N, **BUDGETS, "gamma": GAMMA}
RANGE = ("delta <= 1/2", "delta*exp(epsilon) <= 1")


def _gamma_noise(name: str, family: LinearSlope | OrthogonalRegression | FewRecords) -> Risks:
    return Risks(
        name=f"gamma noise, {name}", algorithm=ObjectivePerturbation(noise="gamma"), family=family, relation=COME,
        axes={"n": axis("n", high=1e9, usual=1e6), "p": axis("p", high=50), "epsilon": axis("epsilon", low=1e-4),
              "delta": NONE, "size": Axis(0.1, 10, usual=1)},
        reason="p = 2, where p log p is least, and the slope that loses most",
    )  # fmt: skip


THEOREM_4 = (_gamma_noise("linear losses", LinearSlope()), _gamma_noise("squared losses", OrthogonalRegression()))

POPULATION = {"n": axis("n", low=1e4, high=1e12, usual=1e7), "p": Axis(2, 1e4, usual=2, whole=True), **BUDGETS}
LINEAR = Sides(
    name="linear losses of a weak mean", left="kst_perturbed.linear_population_risk",
    right="kst_population.theorem_29_rate", constant=GRANTED,
    axes={**POPULATION, "lipschitz": ONE, "smoothness": NONE, "radius": ONE, "signal": Axis(1e-2, 10, usual=1)},
    reason="a sample's mean misses the population's by 1/sqrt n, whatever the noise",
)  # fmt: skip
CURVED_POPULATION = Sides(
    name="curvature Delta/n", left="kst_perturbed.curved_population_risk_by_radius",
    right="kst_population.theorem_29_rate", constant=GRANTED,
    axes={**POPULATION, "lipschitz": ONE, "radius": Axis(1, 1e6, usual=1)},
    reason="a set that grows with n: the answer's own deviation costs 1/(8 Delta) for every n",
)  # fmt: skip

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Theorem 1": (
        Sides(
            name="signs as limits", left="kst_privacy.limit_delta", right="kst_privacy.sequence_delta",
            axes={"epsilon": EPSILON, "shift": Axis(1e-3, 20, usual=1), "threshold": Axis(-10, 10, usual=0, log=False)},
            reason="the limit has two values, members of the sequence all",
        ),
    ),
    "Example 1": (
        Sides(
            name="mass near zero before the limit", left="kst_lemmas.mass_before", right="kst_lemmas.mass_allowed",
            axes={"distance": Axis(1e-9, 1, usual=1e-3), "index": Axis(1, 1e12, usual=100)},
            reason="an atom, or a density above what the kernel allows",
        ),
    ),
    "Theorem 2": (*CURVED_RECORD, *DENSE),
    "Lemma 14": CURVED_RECORD,
    "Lemma 20": CURVED_RECORD,
    "Lemma 3": _draws("lemma_3_risk"),
    "Lemma 24": _draws("lemma_24_distance"),
    "Corollary 25": _draws("corollary_25_loss"),
    "Theorem 4": THEOREM_4,
    "Table 1": (
        Risks(
            name="gamma noise, regression", algorithm=ObjectivePerturbation(noise="gamma"),
            family=OrthogonalRegression(), relation=COME,
            axes={"n": axis("n", high=1e12, usual=1e6), "p": axis("p", high=50), "epsilon": axis("epsilon", low=1e-4),
                  "delta": NONE, "size": Axis(0.1, 10, usual=1)},
            reason="row 1, at p = 2 and the hardest scale of the design",
        ),
        Sides(
            name="row 3", left="kst_perturbed.table_1_nice", right="p^2/n", constant=GRANTED,
            axes={"n": N, "p": axis("p", high=1e4), "epsilon": ONE, "delta": Axis(1e-6, 1e-6)},
            premise=("n >= p^2", "p >= 2"), reason="n = p^2, where the first term of Theorem 5 is largest",
        ),
    ),
    "Theorem 5": (
        Sides(
            name="a quadratic on all of space", left="kst_perturbed.curved_risk", right="kst.theorem_5_rate",
            constant=GRANTED, axes={**BUDGETS, "n": N, "p": axis("p", high=1e5), "lipschitz": ONE, "smoothness": ONE,
                                    "radius": NONE, "spread": Axis(1, 1e5, usual=1)},
            premise=("spread <= p",), reason="theta_hat = 0: only the first term is left",
        ),
        Risks(
            name="nice designs", algorithm=LEAST, family=NiceRegression(), relation=COME,
            axes={"n": axis("n", high=1e10, usual=1e6), "p": axis("p", high=50), "epsilon": axis("epsilon", low=1e-3),
                  "delta": DELTA},
            reason="n = p^2, p = 1, small epsilon: the ridge rules",
        ),
    ),
    "Lemma 15": (
        Sides(
            name="random matrices", left="kst_lemmas.lemma_15", right="kst_lemmas.one", constant=1 + 1e-6,
            axes={"p": Axis(2, 8, usual=3, whole=True, log=False),
                  "draw": Axis(0, 1e6, usual=1, whole=True, log=False)},
            reason="rank two, eigenvalues of either sign and complex ones",
        ),
    ),
    "Lemma 16": (
        Sides(
            name="convolved densities", left="kst_lemmas.lemma_16", right="kst_lemmas.one", constant=1 + 1e-6,
            axes={"p": Axis(1, 4, usual=2, whole=True, log=False)}, reason="an equality of densities",
        ),
    ),
    "Lemma 17": (
        Sides(
            name="exact tails", left="kst_tails.lemma_17_tail", right="kst_tails.lemma_17",
            axes={"deviations": Axis(1, 37, usual=2, corners=(1.001, 5))}, reason="t = 1, and far tails",
        ),
    ),
    "Lemma 18": (
        Sides(
            name="an l1 penalty, mollified", left="kst_lemmas.minimiser_gap", right="kst_lemmas.lemma_18",
            axes={"p": Axis(1, 3, usual=1, whole=True, log=False), "index": Axis(1, 1e12, usual=100),
                  "ridge": Axis(1e-6, 1e6, usual=1)},
            reason="little strong convexity, and i = 1",
        ),
    ),
    "Claim 12": (
        Sides(
            name="open half-lines about the atom", left="kst_lemmas.claim_12_open", right="kst_lemmas.claim_12_before",
            axes={"threshold": Axis(-3, 3, usual=0, log=False, corners=(1e-3, -1e-3)), "index": Axis(1e14, 1e14)},
            reason="the atom at 0, at an i so large that thresholds lie beyond the kernel",
        ),
    ),
    "Claim 19": (
        Sides(
            name="an l1 penalty, mollified", left="kst_lemmas.claim_19_gap", right="kst_lemmas.claim_19",
            axes={"p": Axis(1, 5, usual=1, whole=True, log=False), "index": Axis(1, 1e12, usual=100)},
            reason="the kink at 0",
        ),
    ),
    "Lemma 21": (
        Sides(
            name="a wall of slope i", left="kst_lemmas.lemma_21", right="kst_lemmas.one", constant=1 + 1e-6,
            axes={"ridge": Axis(1e-2, 1e2, usual=1), "pull": Axis(2, 1e3, usual=20)},
            reason="the slope that the proof takes, 2 m",
        ),
    ),
    "Claim 22": tuple(
        Sides(
            name=name, left="kst_tails.claim_22", right=f"kst_tails.{name}",
            axes={"distance": Axis(1e-3, 300, usual=1, corners=(0.1, 10))}, reason="near the minimum, and far away",
        )
        for name in ("parabola", "catenary", "tip")
    ),
    "Claim 23": (
        Sides(
            name="powers", left="kst_lemmas.claim_23_near", right="kst_lemmas.claim_23_far", constant=1 + 1e-9,
            axes={"power": Axis(1, 4, usual=2), "start": Axis(-2, 2, usual=0, log=False, corners=(-0.25, -0.5)),
                  "stretch": Axis(1, 8, usual=2)},
            reason="the kink between the points, s = 1",
        ),
    ),
    "Theorem 26": (
        Sides(
            name="a quadratic of curvature Delta, Gaussian noise", left="kst_tails.theorem_26_missed",
            right="kst_tails.level", axes={"p": axis("p"), "gamma": GAMMA},
            reason="the tail of chi-square, gamma near 1",
        ),
        Sides(
            name="gamma noise", left="kst_tails.lemma_27_tail", right="kst_tails.level",
            axes={"p": axis("p"), "gamma": GAMMA}, reason="by Lemma 3 the norm alone decides; p = 1 is an equality",
        ),
    ),
    "Lemma 27": (
        Sides(
            name="exact tails", left="kst_tails.lemma_27_tail", right="kst_tails.level",
            axes={"p": axis("p"), "gamma": GAMMA}, reason="p = 1, an equality, and gamma = 1",
        ),
    ),
    "Lemma 28": (
        Sides(
            name="exact tails", left="kst_tails.lemma_28_tail", right="kst_tails.lemma_28",
            axes={"p": axis("p", high=1e4), "phi": Axis(1, 50, usual=2, corners=(1.001, 1.1))}, reason="phi = 1, p = 1",
        ),
    ),
    "Theorem 29": (LINEAR, CURVED_POPULATION),
    "Theorem 30": (
        Sides(
            name="quadratics", left="kst_tails.noise_norm_tail", right="kst_tails.level",
            axes={"p": axis("p"), "gamma": GAMMA}, reason="the distance is ||b||/(Delta + eta); gamma near 1",
        ),
        Sides(
            name="a kink at the radius", left="kst_perturbed.theorem_30_missed", right="kst_tails.level",
            axes={**TAILED, **NORM, "reach": REACH}, reason="without curvature from the radius on",
        ),
    ),
    "Theorem 31": (
        Sides(
            name="a kink at the radius", left="kst_perturbed.theorem_31_missed", right="kst_tails.level",
            axes={**TAILED, **NORM, "reach": REACH, **GRANT}, reason="without curvature from the radius on",
        ),
        Sides(
            name="quadratics", left="kst_perturbed.curved_risk_missed", right="kst_tails.level",
            axes={"p": axis("p"), **BUDGETS, "gamma": GAMMA, "share": Axis(1e-3, 1, usual=1), **GRANT},
            reason="the tail of chi-square; epsilon and delta at their ends",
        ),
    ),
}  # fmt: skip

PRINTED: Mapping[str, tuple[Attack, ...]] = {
    "Lemma 15": (
        Sides(
            name="I + diag(1, -1/2, 0)", left="kst_lemmas.lemma_15_as_printed", right="kst_lemmas.one",
            constant=1 + 1e-6, axes={"p": Axis(3, 20, usual=3, whole=True, log=False)},
            reason="the second highest eigenvalue is 0",
        ),
    ),
    "Claim 22": (
        Sides(
            name="parabola", left="kst_tails.claim_22_as_printed", right="kst_tails.parabola",
            axes={"distance": Axis(1e-6, 300, usual=1, corners=(0.1, 10))}, reason="near the minimum",
        ),
    ),
    "Theorem 5": (
        Sides(
            name="a kink at the radius", left="kst_perturbed.theorem_5_risk", right="kst.theorem_5_rate",
            constant=GRANTED, axes={"n": N, **BUDGETS, **UNIT, "radius": NONE, "reach": REACH},
            reason="psi lacks Theorem 30's constant, and no multiple of it is enough for an expectation",
        ),
    ),
    "Theorem 26": (
        Sides(
            name="a quadratic of curvature Delta", left="kst_tails.theorem_26_as_printed", right="kst_tails.level",
            axes={"p": axis("p"), "gamma": GAMMA}, reason="log(1/gamma) tends to 0 where the norm does not",
        ),
    ),
    "Theorem 29": (
        Sides(
            name="linear losses of a weak mean", left="kst_perturbed.linear_population_risk",
            right="kst_population.theorem_29_as_printed", constant=GRANTED, axes=LINEAR.axes, reason=LINEAR.reason,
        ),
    ),
    "Theorem 30": (
        Sides(
            name="quadratics", left="kst_tails.theorem_30_as_printed", right="kst_tails.level",
            axes={"p": axis("p"), "gamma": GAMMA}, reason="log(1/gamma) tends to 0 where the norm does not",
        ),
    ),
    "Theorem 31": (
        Sides(
            name="a kink at the radius", left="kst_perturbed.theorem_31_missed_as_printed", right="kst_tails.level",
            axes={**TAILED, **NORM, "reach": REACH, **GRANT}, reason="psi lacks Theorem 30's constant",
        ),
        Sides(
            name="quadratics, gamma near 1", left="kst_tails.confidence", right="kst_tails.theorem_31_as_printed",
            axes={"p": axis("p"), "gamma": axis("gamma", high=1 - 1e-9, corners=(0.9, 0.999, 0.9999999))},
            reason="log(1/gamma) tends to 0 where the norm does not, whatever the constant",
        ),
    ),
}  # fmt: skip

UNTRIED: Mapping[str, str] = {
    "Lemma 10": "It is Theorem 1 for one pair of neighbours, whose attacks are this lemma's too.",
    "Claim 11": "The regularity of measures, a textbook's theorem about all Borel sets, with no number to choose.",
    "Claim 13": "It follows from Claims 11 and 12 for all Borel sets, with no number to choose; see Claim 12.",
}
