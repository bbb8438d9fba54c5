"""Explanations, written by hand, of claims whose verdict on the held-out grid differs from the shipped one."""

from __future__ import annotations

EXPLANATIONS: dict[str, str] = {
    "erm_exponential:noise_as_scheduled": (
        "Power, and a threshold of the rule `noise`, as in erm_smooth: at p = 91 `too_cold` has more than 1e4 degrees"
        " of freedom, which leaves `linear_hit_and_run` alone with 12 runs, .92 of the schedule's."
    ),
    "erm_literal_sgd:literal_against_variant": (
        "Finite size: the one epsilon of these series is multiplied by .6 and delta by .03, so that more noise "
        "saturates 10 of 12 sizes. The two that are left agree (.977). Sizes 1.9 times as large would show it, at 3.5"
        " times the cost: the literal algorithm takes n^2 steps."
    ),
    "erm_literal_sgd:literal_against_variant_quadratic": (
        "Finite size: the one epsilon of these series is multiplied by .6 and delta by .03, so that more noise "
        "saturates all sizes but the largest two or less, which cannot be compared. Sizes 1.9 times as large would "
        "show it."
    ),
    "erm_population:exponent_epsilon_theorem_f_3": (
        "Power: the slope is -.007 of 0, and its interval reaches .013 beyond the margin of .1; 30 replicates at five"
        " values of epsilon are just enough on the shipped grid."
    ),
    "erm_rate:exponent_epsilon": (
        "Finite size: the slope is -.995 of -1, and its interval reaches .011 beyond the margin of .05, .048 of it "
        "for curvature: the local slope goes from -.977 at epsilon = .1, where the risk is near saturation, to -1.033"
        " at 7. At larger n the lower end is straight."
    ),
    "erm_smooth:noise_as_scheduled": (
        "Power, and a threshold of the rule `noise`: series of fewer than 1e4 degrees of freedom are pooled. At p = "
        "91 `spread_places` has more, which leaves `quarter` alone with two replicates, 90 degrees of freedom. Its "
        "noise is .95 of the schedule's."
    ),
    "erm_strongly_convex:exact_exponent_delta": (
        "Power: the slope is 1.035 of 1, and its interval reaches .017 beyond the margin of .1. Beyond 1e-300 lies no"
        " value, so the span of ln(1/delta) is a fifth shorter."
    ),
    "erm_strongly_convex:exponent_delta": (
        "Power: the slope is .019 of 0, and its interval reaches .008 beyond the margin of .08."
    ),
    "glm_adaptation:exponent_n": (
        "Finite size: n stays as shipped, since it has to be 13 times a power of 2, and at epsilon = .6 four of the "
        "six sizes are saturated. Sizes from 2.4e8 to 8e9 would show the slope."
    ),
    "glm_lp_lower_bound:above_level": (
        "Power: at order 3.46 the risk is 1.044 of the level, and the lower limit .9995 of it; the algorithm comes "
        "within 5% of what no private one can beat, and 40 replicates tell 4%. Some 60 would show it."
    ),
}
"""By ``experiment:check``."""
