"""Attacks on section 6 and Theorem 3.4 of Bassily, Smith and Thakurta (2014)."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.bounds.bst_lemmas import cube_steps, lemma_6_1_time, sampler_steps, theorem_3_4_time
from dprepro.refute.attack import GRANTED, Attack, Sides
from dprepro.refute.search_axes import Axis, axis

PRECISION = Axis(1e-6, 1, usual=0.1)
TILT = Axis(1e-6, 1e6, usual=10, corners=(1,))
USUAL = sampler_steps(1e4, 10, 1) / theorem_3_4_time(1e4, 10, 1)
"""Printed steps over the printed order at a usual place: the order holds where no place has far more than that."""
USUAL_CUBE = cube_steps(10, 10, 0.1) / lemma_6_1_time(10, 10, 0.1)

ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Theorem 3.4": (
        Sides(
            name="the steps that are printed", left="bst_lemmas.sampler_steps", right="bst_lemmas.theorem_3_4_time",
            constant=10 * GRANTED * USUAL, premise=("n*epsilon >= 6*p", "epsilon <= 3"),
            axes={"n": axis("n"), "p": axis("p"), "epsilon": axis("epsilon")},
            reason="small n epsilon, where p and not n epsilon is the slope of the gauge; the factor of repetitions",
        ),
        Sides(
            name="the risk of a law within e^(epsilon/3)", left="2*6*p*exp(epsilon/3)/(n*epsilon)",
            right="p*2/(n*epsilon)", constant=GRANTED, premise=("epsilon <= 3",),
            axes={"n": axis("n"), "p": axis("p"), "epsilon": axis("epsilon")}, reason="e^(epsilon/3) is no constant",
        ),
    ),
    "Lemma 6.1": (
        Sides(
            name="the steps of the proof", left="bst_lemmas.cube_steps", right="bst_lemmas.lemma_6_1_time",
            constant=GRANTED * USUAL_CUBE, premise=("tilt >= 3*precision",),
            axes={"p": axis("p"), "tilt": TILT, "precision": PRECISION},
            reason="eta tau near 0, where the printed time is; eta tau large, where sqrt p is left out",
        ),
    ),
    "Lemma 6.2": (
        Sides(
            name="a walk on a line", left="bst_lemmas.flat_walk_deviation", right="bst_lemmas.lemma_6_2_precision",
            axes={"cells": Axis(2, 40, usual=5, corners=(3,), whole=True), "tilt": Axis(0, 30, usual=1, log=False),
                  "precision": Axis(1e-6, 100, usual=0.1)},
            reason="two states, a state of hardly any weight, epsilon' above 1/pi*",
        ),
    ),
    "Lemma 6.3": (
        Sides(
            name="is convex", left="bst_corners.extension_bend_at", right="bst_lemmas.one",
            axes={"quarters": Axis(0, 4, usual=2, log=False, whole=True)}, reason="a full and no slope",
        ),
        Sides(
            name="is Lipschitz", left="bst_corners.extension_slope_at", right="bst_lemmas.one",
            axes={"quarters": Axis(0, 4, usual=2, log=False, whole=True)}, reason="a full and no slope",
        ),
    ),
    "Lemma 6.4": (
        Sides(
            name="mass along a ray", left="bst_corners.gauge_outside", right="bst_corners.gauge_inside",
            axes={"p": axis("p", high=1e4), "steep": Axis(0, 500, usual=1), "precision": Axis(1e-9, 20, usual=0.1)},
            reason="no slope, p = 1, a large precision",
        ),
    ),
    "Lemma 6.5": (
        Sides(
            name="the sum of the proof", left="bst_corners.repeated_distance", right="exp(precision)",
            axes={"p": axis("p"), "steep": Axis(0, 1e6, usual=1), "diameter": Axis(2, 1e6, usual=4),
                  "precision": Axis(1e-9, 20, usual=0.1)},
            reason="no slope, a wide set in many dimensions, a small precision",
        ),
    ),
    "Lemma 6.6": (
        Sides(
            name="laws that differ on a rare event", left="bst_lemmas.tilted_loss", right="bst_lemmas.lemma_6_6",
            axes={"epsilon": axis("epsilon", high=5), "distance": Axis(1e-9, 5, usual=0.1)},
        ),
    ),
}  # fmt: skip

PRINTED: Mapping[str, tuple[Attack, ...]] = {}
