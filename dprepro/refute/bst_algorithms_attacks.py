"""Attacks on sections 2 to 4 and appendices B, D and F of Bassily, Smith and Thakurta (2014)."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.algorithms import ExponentialMechanism, FullGradient, NoisySGD, OutputPerturbation
from dprepro.constructions import FewRecords
from dprepro.constructions.corners import Corners
from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.neighbouring_attacks import Neighbouring
from dprepro.refute.risks import Risks
from dprepro.refute.search_axes import Axis, axis

PROVED = 10 * GRANTED
"""Times a rate, where the constants that the paper itself prints already make more than `GRANTED` of it."""

N, P = axis("n"), axis("p")
TWO = axis("n", low=2)
EPSILON, DELTA = axis("epsilon"), axis("delta")
ANY_DELTA = axis("delta", high=0.999)
"""Beyond a half, where ln(1/delta) vanishes."""
RANGE = axis("epsilon", high=1e4, corners=(0.1, 3, 10))
"""Of epsilon, where a statement says no more than was verified, and is false far beyond."""
STEEP = Axis(1e-6, 1e6, usual=1)
"""Of the Lipschitz constant, or the strong convexity."""
UNIT = Axis(1, 1)
SIZES = {"n": N, "p": P, "epsilon": EPSILON, "delta": DELTA}
CONVEX = {"n": TWO, "p": P, "epsilon": RANGE, "lipschitz": STEEP, "strong_convexity": STEEP}
SMALL = {"n": Axis(1, 12, usual=3, corners=(2,), whole=True), "epsilon": axis("epsilon", low=0.01), "p": UNIT}


def _descent(loss: str, rule: str) -> Attack:
    """Algorithm 1, literally, on a few records, by draws."""
    return Risks(
        name=f"Algorithm 1 on {loss} records, full gradients", algorithm=NoisySGD(gradient=FullGradient()), bound=rule,
        family=FewRecords(loss=loss), axes={
            "n": Axis(2, 30, usual=8, whole=True), "p": Axis(1, 8, usual=2, whole=True), "epsilon": EPSILON,
            "delta": axis("delta", low=1e-9), "radius": Axis(1e-3, 1e3, usual=1), "others": Axis(0, 1, log=False),
        }, reason="few steps, noise at its ends, kinks",
    )  # fmt: skip


ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Section 1.1, generalisation": (
        Sides(
            name="what Theorem F.4's proof gives", left="bst_population.theorem_f_4",
            right="bst_population.section_1_1_rate", constant=GRANTED,
            axes=SIZES | {"lipschitz": STEEP, "diameter": STEEP} | {"delta": Axis(0, 0, log=False)},
            reason="n = 1, n near (p/epsilon)^2",
        ),
        Sides(
            name="no algorithm has less", left="bst_corners.least_population_risk",
            right="1/sqrt(n) + sqrt(p)/(epsilon*n)", constant=GRANTED, axes=SIZES, reason="the whole range of n",
        ),
    ),
    "Note (1)": (_descent("absolute", "bst.theorem_2_4_1"), _descent("hinge", "bst.theorem_2_4_1")),
    "Note (2)": (_descent("linear", "bst.theorem_2_4_1"), _descent("absolute", "bst.theorem_2_4_1")),
    "Theorem 2.1": (
        Sides(
            name="the sum of all noisy gradients", left="bst_corners.iterates_delta", right="1*delta",
            axes={"n": axis("n", high=100, usual=10, corners=(2, 3)),
                  "epsilon": axis("epsilon", low=0.01, corners=(0.1, 3, 7)), "delta": axis("delta", high=0.999)},
            reason="n = 1 releases nothing, n = 2 samples a half; delta near 1 has little noise",
        ),
    ),
    "Lemma 2.2": (
        Sides(
            name="randomised response on the share", left="bst_lemmas.sampled_epsilon", right="bst_lemmas.lemma_2_2",
            axes={"share": Axis(1e-9, 1, usual=0.1, corners=(0.5,)), "epsilon": axis("epsilon", corners=(0.1, 1))},
            reason="epsilon = 1, all records or hardly any",
        ),
    ),
    "Lemma 2.3": (
        Sides(
            name="randomised responses composed", left="bst_lemmas.composed_epsilon", right="bst_lemmas.lemma_2_3",
            axes={"uses": axis("steps", high=1e3), "epsilon": axis("epsilon", low=1e-3, high=3),
                  "delta": axis("delta", high=0.999)},
            reason="one use, delta near 1 and near 0",
        ),
    ),
    "Theorem 2.4.1": (
        Sides(
            name="what the proof gives over the rate", left="bst_corners.theorem_2_4_1_proved",
            right="ln(n/delta)^1.5*sqrt(p*ln(1/delta))/(n*epsilon)", constant=GRANTED,
            axes={**SIZES, "delta": axis("delta", high=0.999)},
            reason="n = 1 and delta near 1, where the logarithms vanish; epsilon large, where the noise does",
        ),
        _descent("absolute", "bst.theorem_2_4_1"), _descent("hinge", "bst.theorem_2_4_1"),
    ),
    "Theorem 2.4.2": (
        Sides(
            name="a quadratic's last iterate over the rate", left="bst_corners.quadratic_last_iterate",
            right="bst.theorem_2_4_2_rate", constant=GRANTED,
            axes={**SIZES, "delta": axis("delta", high=0.999), "lipschitz": STEEP, "strong_convexity": STEEP},
            reason="n = 1 and 2, delta near 1",
        ),
    ),
    "Lemma 2.5": (
        Sides(
            name="the proof's constants over the rate", left="bst_lemmas.lemma_2_5", right="ln(steps)/sqrt(steps)",
            constant=GRANTED, axes={"steps": axis("steps", high=1e12)}, reason="T = 1 and 2",
        ),
        Sides(
            name="the function of Harvey et al.", left="bst_lemmas.last_iterate", right="bst_lemmas.lemma_2_5",
            axes={"steps": axis("steps", high=1e4)}, reason="T = 1 and 2; the logarithm",
        ),
    ),
    "Lemma 2.6": (
        Sides(
            name="the proof's constants over the rate", left="bst_lemmas.lemma_2_6", right="ln(steps)/steps",
            constant=PROVED, axes={"steps": axis("steps", high=1e12)}, reason="T = 1 and 2",
        ),
        Sides(
            name="the function of Harvey et al.", left="bst_lemmas.last_iterate_strongly_convex",
            right="bst_lemmas.lemma_2_6", axes={"steps": axis("steps", high=1e4)}, reason="T = 1 and 2; the logarithm",
        ),
    ),
    "Theorem 3.1": (
        Sides(
            name="linear losses", left="bst_corners.exponential_loss", right="1*epsilon",
            axes={"n": N, "epsilon": EPSILON},
            reason="the range of a difference of two losses is 2 L C, not L C; n = 1; large n, where it is attained",
        ),
        Neighbouring(
            name="absolute losses, one dimension", algorithm=ExponentialMechanism(), axes=SMALL,
            data=Corners(loss="absolute", pairs=("plus flipped plus",)),
            reason="n = 1, kinks",
        ),
    ),
    "Theorem 3.2": (
        Sides(
            name="the best constant over the rate", left="bst.theorem_3_2", right="p*lipschitz*diameter/(n*epsilon)",
            constant=GRANTED, axes={"n": N, "p": P, "epsilon": EPSILON, "lipschitz": STEEP, "diameter": STEEP},
        ),
    ),
    "Claim 3.3": (
        Sides(
            name="powers of the distance", left="bst_lemmas.ray_step", right="bst_lemmas.ray_step_before",
            axes={"power": Axis(1, 1e3, usual=2, corners=(1.001,)), "number": Axis(3, 1e4, usual=4, whole=True)},
            reason="the first steps",
        ),
        Sides(
            name="a hinge on the ray", left="bst_corners.ray_of_a_hinge", right="bst_corners.ray_of_a_hinge_before",
            axes={"power": UNIT, "kink": Axis(0, 100, usual=2.5, log=False), "steep": Axis(0, 1e6, usual=1),
                  "number": Axis(3, 200, usual=3, whole=True)},
            reason="a kink between two levels",
        ),
    ),
    "Theorem 4.1": (
        Neighbouring(
            name="the released minimiser", algorithm=OutputPerturbation(), known=True, axes={"epsilon": EPSILON},
            reason="the half that releases; the constant of its shift",
        ),
    ),
    "Lemma 4.2": (
        Sides(
            name="the centre of C_0 inside", left="bst_corners.centre_of_c_0",
            right="12*ln(n)*lipschitz^2*p/(strong_convexity*epsilon*n)", constant=GRANTED, axes=CONVEX,
            reason="n = 2 and large epsilon, where C_0 misses the minimiser with chance n^-3 all the same",
        ),
        Sides(
            name="Algorithm 2 inside", left="bst_corners.theorem_4_3_proved",
            right="lipschitz^2*p^2*ln(n)/(strong_convexity*n^2*epsilon^2)", constant=PROVED, axes=CONVEX,
            reason="the same, where what is missed is to be below F",
        ),
    ),
    "Theorem 4.3": (
        Sides(
            name="what the proof gives over the rate", left="bst_corners.theorem_4_3_proved",
            right="bst.theorem_4_3_rate", constant=PROVED, axes=CONVEX | {"n": N, "delta": Axis(0, 0, log=False)},
            reason="log n = 0 at n = 1; large epsilon, where C_0 misses the minimiser with chance n^-3 all the same",
        ),
    ),
    "Theorem B.1": (
        Sides(
            name="the released minimiser", left="bst_corners.released_delta", right="1*delta", constant=1 + 1e-6,
            axes={"epsilon": EPSILON, "delta": DELTA, "noise": UNIT}, reason="budgets at their ends",
        ),
    ),
    "Theorem B.2": (
        Sides(
            name="what the proof gives over the rate", left="bst_corners.theorem_b_2_proved",
            right="bst_generic.theorem_b_2_rate", constant=PROVED, axes=CONVEX | {"n": N, "delta": ANY_DELTA},
            reason="delta near 1; at p = 1 C_0 misses the minimiser with chance n^-1.5, not n^-3; log n = 0 at n = 1",
        ),
    ),
    "Appendix D": (
        Sides(
            name="runs that lose much with little chance", left="bst_corners.boosted_chance", right="1*rho",
            axes={"rho": Axis(1e-12, 0.5, usual=0.01), "level": Axis(1, 1e6, usual=1), "granted": Axis(100, 100)},
            reason="the choice costs L C ln(k/rho)/epsilon, which F(epsilon/k) has to hold",
        ),
    ),
    "Theorem F.1": (
        Sides(
            name="half squared distances of fair coins", left="bst_generalisation.failure_of_theorem_f_1",
            right="bst_generalisation.gamma",
            axes={"n": Axis(1, 400, usual=10, corners=(2, 3), whole=True), "level": Axis(0, 40, usual=1, log=False)},
            reason="gamma near 1, one record",
        ),
    ),
    "Theorem F.2": (
        Sides(
            name="what the proof gives over the rate", left="bst_corners.theorem_f_2_proved",
            right="lipschitz^2*p*sqrt(ln(n))/(strong_convexity*n*epsilon)", constant=GRANTED,
            axes=CONVEX | {"n": N}, reason="log n = 0 at n = 1; large epsilon, where the sample's own error is left",
        ),
    ),
    "Theorem F.3": (
        Sides(
            name="what the proof gives over the rate", left="bst_corners.theorem_f_3_proved",
            right="bst_corners.theorem_f_3_unit", constant=GRANTED,
            axes={"n": N, "p": P, "epsilon": RANGE, "delta": axis("delta", low=0.0, high=0.999)},
            reason="large epsilon, where the sample's own error is left; delta near 1",
        ),
    ),
    "Theorem F.4": (
        Sides(
            name="what the proof gives over the rate", left="bst_population.theorem_f_4",
            right="bst_population.theorem_f_4_rate", constant=GRANTED,
            axes={"n": N, "p": P, "epsilon": EPSILON, "lipschitz": STEEP, "diameter": STEEP},
            reason="n near (p/epsilon)^2",
        ),
    ),
    "Lemma F.5": (
        Sides(
            name="one record, published with chance delta", left="bst_generalisation.rare_minimiser_gap",
            right="2*lipschitz*(epsilon + delta)",
            axes={"n": Axis(1, 100, usual=1, whole=True), "epsilon": axis("epsilon", low=1e-12),
                  "delta": axis("delta", high=1), "lipschitz": STEEP},
            reason="n = 1; delta beside the Lipschitz constant",
        ),
        Sides(
            name="one record, by randomised response", left="bst_corners.published_gap",
            right="2*lipschitz*(epsilon + delta)",
            axes={"epsilon": axis("epsilon", low=1e-12), "delta": axis("delta", high=1), "lipschitz": STEEP},
            reason="n = 1",
        ),
        Sides(
            name="Algorithm 2 on coins", left="bst_generalisation.exponential_gap", right="2*epsilon",
            axes={"n": Axis(1, 400, usual=2, whole=True), "epsilon": EPSILON}, reason="n = 1",
        ),
    ),
    "Theorem F.6": (
        Sides(
            name="what the proof gives over the rate", left="bst_corners.theorem_f_6_proved", right="sqrt(p/n)",
            constant=GRANTED, axes={"n": N, "p": P}, reason="n below p",
        ),
        Sides(
            name="the Gaussian half", left="bst_corners.theorem_f_6_gaussian_proved",
            right="p^0.25*ln(n/delta)/sqrt(n)", constant=GRANTED,
            axes={"n": N, "p": P, "delta": ANY_DELTA},
            reason="n below p; a delta that does not fall with n, or is near 1, where one record has ln(n/delta) = 0",
        ),
    ),
}  # fmt: skip

PRINTED: Mapping[str, tuple[Attack, ...]] = {
    "Section 1.1, generalisation": (
        Sides(
            name="no algorithm has less", left="bst_corners.least_population_risk",
            right="bst_population.section_1_1_rate_as_printed", constant=GRANTED,
            axes=SIZES | {"lipschitz": UNIT, "diameter": UNIT},
            reason="1/sqrt n is needed without privacy, and the minimum is below it",
        ),
    ),
    "Theorem B.1": (
        Sides(
            name="the released minimiser", left="bst_corners.released_delta_as_printed", right="1*delta",
            axes={"epsilon": EPSILON, "delta": DELTA}, reason="sigma_0 has ln(1/delta) for 2 ln(1.25/delta)",
        ),
        Neighbouring(
            name="the released minimiser, its law", algorithm=OutputPerturbation(noise="gaussian"), known=True,
            axes={"epsilon": EPSILON, "delta": DELTA}, reason="the same, by the project's algorithm",
        ),
    ),
    "Lemma F.5": (
        Sides(
            name="one record, published with chance delta", left="bst_generalisation.rare_minimiser_gap",
            right="2*lipschitz*epsilon + 4*delta", constant=GRANTED,
            axes={"n": Axis(1, 100, usual=1, whole=True), "epsilon": axis("epsilon", low=1e-12),
                  "delta": axis("delta", high=1), "lipschitz": STEEP},
            reason="C^2 delta has no Lipschitz constant",
        ),
    ),
}  # fmt: skip
