"""What the checks compare, in the field's words: the sentences of a row are made of these.

A pair is a quantity and what it is held against, of which the sentence says how many times it is. A text is what a
confirmed check shows, where a ratio would say nothing: the two sides of an equality, a share of cases.
"""

from __future__ import annotations

from collections.abc import Mapping

Sides = tuple[str, str]
"""A quantity, and what it is held against."""

BOUND = {"at_most": "its explicit bound", "at_least": "the stated lower bound"}
"""What a quantity without words of its own is held against, by the direction of the statement."""

BUDGET = "the budget's"

QUANTITIES: Mapping[str, Sides] = {
    # privacy
    "certified_epsilon": (r"the $\epsilon$ that an accountant certifies", BUDGET),
    "lower_epsilon": (r"the $\epsilon$ that the distributions of the output show", BUDGET),
    "exact_delta": (r"the $\delta$ of the output", BUDGET),
    "exact_delta_zeroed_out": (r"the $\delta$ beside a zeroed-out record", BUDGET),
    "largest_loss": ("the largest privacy loss of the output", r"the budget's $\epsilon$"),
    "top_of_scores": ("the privacy loss of choosing the top $s$ scores", r"its $\epsilon$"),
    "sensitivity": ("the sensitivity of the score", r"the stated $\alpha$"),
    # lower bounds
    "certified_risk": ("the risk certified for every private algorithm", "the stated rate"),
    "certified_likely": ("the risk certified for every private algorithm with probability 1/3", "the stated rate"),
    "certified_error": ("the error certified for every private algorithm", "the stated rate"),
    "certified_level": ("the certified level", "the excess risk of the private algorithms that were run"),
    "risk": ("the mean risk of the private algorithms that were run", "the certified level"),
    "error": ("the mean error of the private algorithms that were run", "the certified level"),
    "risk_over_zero": ("the mean excess risk of the private algorithms that were run", "the certified level"),
    "risk_over_level": ("the mean excess risk of the private algorithms that were run", "the certified level"),
    "halfway": ("the risk of the answer halfway between two codewords", "the certified level"),
    "correlation": (
        "the correlation of the private answers that were run with the population's mean",
        "the limit for every private algorithm",
    ),
    "searched": ("the correlation of the best private answer, by a linear programme", "the stated limit"),
    "linear_two_point": ("the lower bound by two data sets", "the exact minimax risk"),
    "squared_two_point": ("the lower bound by two data sets", "the exact minimax risk"),
    "cube_packing": ("the lower bound by packing", "the exact minimax risk"),
    "squared_packing": ("the lower bound by packing", "the exact minimax risk"),
    "cube_fingerprinting": ("the lower bound by fingerprinting", "the exact minimax risk"),
    "squared_fingerprinting": ("the lower bound by fingerprinting", "the exact minimax risk"),
    "sparse_packing": ("the lower bound by packing on sparse data", "the exact minimax regret of a choice"),
    "selection_packing": ("the lower bound by packing on dense data", "the exact minimax regret of a choice"),
    "disagreeing": ("the least loss found of an answer that does not agree with the code", "the certified level"),
    "loss_at_agreement": ("the loss that Lemma 3.3 forces at the agreement seen", "the loss of the answer"),
    "lemma_1": ("the mean error of the private algorithms that were run", "what the lemma says"),
    "equation_3": ("the loss of the planted point", r"$(\tau + 4 \tau^2) w$, in its sharp form"),
    "lemma_3_3": ("the loss that the lemma forces on whoever does not agree", "the least loss of such an answer"),
    # shares of runs, against a limit
    "missed": ("the share of runs that miss a coordinate of the support", "the stated probability"),
    "decoded": (
        "the share of private answers from which the codeword is decoded",
        "the limit for every private algorithm",
    ),
    "accurate": ("the share of private answers that are accurate", "the limit for every private algorithm"),
    "traced": ("the share of members that are traced", "the limit for every private algorithm"),
    "caught": ("the share of runs in which a member is traced", "the limit for every private algorithm"),
    "accused": ("the share of innocents that are accused", "the stated probability"),
    "agrees": ("the share of answers of the minimiser that agree with the code", "1"),
    "least_caught": ("the share of answers of the least agreement that are traced", "1"),
    "sign_recovered": ("the share of signs that private answers recover", "the limit for every private algorithm"),
    # what a theorem says of every draw, or with a probability
    "lemma_3": ("the excess risk of a draw, in the mean over draws,", "what the lemma says of this draw"),
    "lemma_24": ("the distance by which a draw of the noise moves the minimiser, in the mean,", r"$2 \|b\|/\Delta$"),
    "corollary_25": ("what a draw of the noise costs, in the mean,", r"$2 \|b\|^2/(\Delta n)$"),
    "theorem_30": ("the distance of a draw's answer from the minimiser, in the mean,", "what its noise allows"),
    "selection_regret": ("the mean regret of the private choice", "the stated one"),
    "twice_expected_3": ("the share of runs with more than twice the risk in expectation", "the stated probability"),
    # samplers and limits
    "acceptance": ("the probability that the walk ends in the set", "the stated 1/2"),
    "mixing_steps": ("the number of steps after which the walk has mixed", "the printed number"),
    "walk_distance": ("the distance of the walk's end from its limit", "the allowed one"),
    "largest_gap": ("the largest distance of the $i$-th minimiser from the limit", "$1/i$"),
    "mass_near_zero": ("the density at zero before the limit", "the largest density elsewhere"),
    "limit_atom": ("the probability of exactly zero in the limit", "the one derived for it"),
    "farthest": ("the largest error of a coordinate", "half the signal"),
}
"""Of quantities that mean the same in all experiments; tails of theorems are found by :data:`TAILS`."""

RUNS = ("the share of runs beyond the stated bound", "the stated probability")
TAILS = ("appendix_d_", "theorem_34_", "theorem_35_tail_", "theorem_3_2_tail_", "theorem_44_tail_", "theorem_f_2_")
"""How the names of the quantities begin that are shares of runs beyond a bound with a probability."""

RATIOS: Mapping[str, Mapping[str, Sides]] = {
    "erm_literal_sgd": {
        "literal_against_variant": ("the mean excess risk with $n^2$ sampled steps", "that with few full gradients"),
        "literal_against_variant_quadratic": (
            "the mean excess risk with $n^2$ sampled steps", "that with few full gradients"
        ),
    },
}  # fmt: skip
"""By experiment and check, of two curves."""

CROSSINGS: Mapping[str, Mapping[str, Sides]] = {
    "glm_phase_diagram": {
        "exponent_n": ("the dimension from which projecting pays, over that of the explicit bounds,", "n"),
        "exponent_norm": ("the dimension from which projecting pays, over that of the explicit bounds,", r"\|w\|"),
    },
    "huberization": {
        "crossover": ("the $n$ from which the exponential mechanism loses less", r"\epsilon"),
    },
    "lasso_privacy_for_free": {
        "exponent": (
            r"the $n$ from which the privacy risk is below the generalisation error, $\ell$ being a logarithm that"
            r" tends to $\ln p$,", r"\ell"
        ),
        "exponent_epsilon": ("the $n$ from which the privacy risk is below the generalisation error", r"\epsilon"),
    },
    "schedule_runs": {
        "steps_in_n": ("the best number of steps, as run on needles and blocks,", "n"),
        "steps_in_epsilon": ("the best number of steps, as run on needles and blocks,", r"\epsilon"),
    },
}  # fmt: skip
"""By experiment and check: where two curves cross, and the letter of which it is a power."""

SQUARES = ("the risk certified for every private algorithm on strongly convex losses", "the stated rate")
AGREE = "the two sides agree up to rounding"

NO_COUNTEREXAMPLE = {"no_counterexample": "no attack found a counterexample to what holds"}

CHECKS: Mapping[str, Mapping[str, Sides | str]] = {
    **{f"attacks_{paper}": NO_COUNTEREXAMPLE for paper in ("bst", "derived", "glm", "kst", "lasso")},
    "bst_lemmas": {
        "claim_3_3": ("each step along the ray", "the one before it"),
        "lemma_2_2": (r"the $\epsilon$ of randomised response on a random share", r"$2 \gamma \epsilon$"),
        "lemma_2_3": (r"the $\epsilon$ of $T$ randomised responses together", "the stated one"),
        "lemma_2_5": ("the last iterate's risk on a constructed function", "the bound with the constants of its proof"),
        "lemma_2_6": ("the last iterate's risk on a constructed function", "the bound with the constants of its proof"),
        "lemma_6_1_weight": ("the lower bound on the least weight of a cell", "the least weight"),
        "time_of_a_walk": ("the number of steps over the stated one", ""),
        "time_of_the_sampler": ("the number of steps over the stated one", ""),
        "lemma_6_2": ("the largest relative deviation from the limit after the stated steps", "the stated one"),
        "lemma_6_3_convex": "the extension bends the wrong way nowhere, up to rounding",
        "lemma_6_3_slope": ("the largest slope of the extension", "the function's own constant"),
        "lemma_6_6": ("the privacy loss of the sampled law", r"$\epsilon + 2 \epsilon'$"),
        "theorem_f_1": ("the probability that some $\\theta$ breaks the bound", r"$\gamma$"),
        "lemma_f_5": ("the gap between population and empirical risk", r"$L C \epsilon$"),
        "lemma_f_5_delta": ("the gap between population and empirical risk", r"$L C \delta$"),
    },
    "bst_scaling": {
        "linear": "the risk scales with $L C$ up to rounding",
        "squares": r"the risk scales with $L^2/\Delta$ up to rounding",
        "premise": ("the lower bound", "$L C$, more than which no answer loses"),
    },
    "convexity_radius": {
        "leaves": ("the probability of leaving the least radius, on a Huber function,", r"$\gamma$"),
        "within": ("the probability of exceeding the stated risk, on a Huber function,", r"$\gamma$"),
        "stated": ("the least radius that will do", "the stated one"),
        "mean": ("the mean risk on a Huber function", "the stated one"),
    },
    "erm_sampler": {
        "near_the_mechanism": ("the distance of the density from the exponential mechanism's", r"$\epsilon/3$"),
    },
    "glm_lemmas": {
        "definition_1": ("the failure probability of a Gaussian map of the stated size", r"$\beta$"),
        "definition_1_grid": ("the failure probability of a Gaussian map of the stated size", r"$\beta$"),
        "self_bounding": ("the slope of the squared and of the logistic loss", r"$\sqrt{4 H f}$"),
        "self_bounding_logistic": ("the slope of the squared and of the logistic loss", r"$\sqrt{4 H f}$"),
        "lemma_2": ("the largest gradient of the squared loss", "the stated one"),
        "smallest_sample": ("the risk $Y^2$ of the trivial predictor", "the bound's first term"),
        "lemma_12": ("the error of an inner product", "the largest relative error of the two squared norms"),
    },
    "kst_lemmas": {
        "claim_12": (
            "the limit's probability of answers beyond a threshold", "that of a late member of the sequence"
        ),
        "lemma_15": AGREE,
        "lemma_16": AGREE,
        "lemma_18": ("the distance of the minimisers", "what the proof says of it"),
        "lemma_18_converges": ("the distance of the minimisers", "what the proof says of it"),
        "claim_19": ("the largest difference of the penalties", "what the proof says of it"),
        "lemma_21": "the minimisers are equal up to rounding from the slope on that the proof takes",
        "lemma_21_slope": ("the slope that is needed", "the one that the proof takes"),
        "lemma_21_radius": ("the distance of the minimisers", r"$d \sqrt{2/\Delta}$"),
        "claim_23": ("a difference quotient", "the next one"),
        "lemma_40": ("the sum of the absolute eigenvalues", "that of the weighted squared norms"),
    },
    "kst_tails": {
        "lemma_17": ("the probability", r"$\exp(-t^2/2)$"),
        "claim_22": (r"$\Delta/2$ times the squared distance", "what the function exceeds its minimum by"),
        "lemma_27": ("the probability", r"$\gamma$"),
        "lemma_28": ("the probability", "the stated one"),
        "norm": ("the probability that the squared norm of the noise exceeds $2 p (1 + \\log(1/\\gamma))$",
                 r"$\gamma$"),
    },
    "lasso_curvature": {
        "remark_1": ("the curvature found by a search on $\\theta^2$", r"$\lambda \|C\|^2$"),
        "remark_2": ("the curvature found by a search on $\\theta^2$", "twice the squared diameter"),
        "score": ("the largest change of a score over corners of the data", r"$2 L_1 \|C\|_1/n$"),
        "theorem_a_2": ("the largest risk that its recursion allows", r"$2 \Gamma (1 + \beta)/(T + 2)$"),
    },
    "lasso_lemmas": {
        "definition_2_1": ("the largest second-order error between vertices", "8"),
        "fact_2_3": "the least value at a vertex is that of the linear programme, up to rounding",
        "equation_5": ("the probability that some choice has a larger regret", r"$\zeta$"),
        "equation_5_grid": ("the probability that some choice has a larger regret", r"$\zeta$"),
        "equation_5_laplace": ("the probability that some choice has a larger regret", r"$\zeta$"),
    },
    "lasso_tardos_constants": {
        "equation_4": ("the loss of the planted point at the printed sizes", "the threshold of equation (4)"),
        "orthogonal_columns": ("the number of columns at the printed sizes", "what orthogonality allows"),
        "theorem_3_1": ("the risk that the printed constants prove", "the stated rate"),
        "theorem_3_1_most": ("the risk that the printed constants prove", "the stated rate"),
        "equation_3": ("the least loss of the planted point at the printed sizes", r"$(\tau + 4 \tau^2) w$"),
        "lemma_3_3": ("the threshold $1.1 \\tau w$ at the printed sizes", "the loss that the proof forces"),
    },
    "lasso_tardos": {
        "exact_caught": ("the share of answers of the minimiser that are traced", "1"),
    },
    "marginals_fingerprinting": {
        **dict.fromkeys(("certified_squares", "certified_squares_most"), SQUARES),
        "identity": "the fingerprinting identity holds for every function of the records",
    },
    "marginals_packing": {
        **dict.fromkeys(("certified_squares", "certified_squares_most"), SQUARES),
        "response_meets_line": (
            "the share of answers of randomised response from which the codeword is decoded",
            "the limit for every private algorithm",
        ),
    },
    "minimax_squared": dict.fromkeys(("certified_risk", "certified_risk_most"), SQUARES),
    "schedule_law": {
        **dict.fromkeys(
            (f"{which}_in_{axis}" for which in ("steps", "fewest", "largest") for axis in ("n", "epsilon", "delta")),
            ("the best number of steps on blocks and needles, as computed,", "its bound"),
        ),
        "between": "every best number of steps lies between the stated ends",
        "costs": ("the stated lower bound on what $T$ steps cost", "an upper bound"),
        "every_choice": (
            "what any choice between the two ends may change of the exponent 2/3 over 70 decades of $n$", "1"
        ),
    },
    "sparse_fits": {
        "lemma_42": ("the squared distance of the estimate", "the square of the stated one"),
        "share_of_lemma_42": ("the squared distance of the estimate", "the square of the stated one"),
        "share_of_lemma_42_most": ("the squared distance of the estimate", "the square of the stated one"),
    },
    "sparse_sizes": {
        **dict.fromkeys(("exponent_s", "exponent_p"), ("the $n$ that the exponential mechanism needs", "its bound")),
        **dict.fromkeys(("aggregation_s", "aggregation_p"), ("the $n$ that sample and aggregate needs", "its bound")),
        "theorem_8": ("the probability of missing the support", "the stated one"),
        "lemma_39": ("the gradient at corners of the data", r"$2 s^{3/2}$"),
        "remark_repaired": ("the probability that some row breaks condition 1", "the stated $1/p$"),
    },
    "support_aggregation": dict.fromkeys(
        ("exact", "exact_from_below"), ("the share of runs that miss a coordinate of the support", "its probability")
    ),
    "support_selection": dict.fromkeys(
        ("tail_tenth", "tail_1", "tail_3", "tail_10", "tail_is_attained"),
        ("the probability of a larger loss", r"$\gamma$"),
    ),
    "worst_functions": {
        "frank_wolfe": ("the worst risk over all smooth convex functions, by a semidefinite programme,", "the bound"),
        "frank_wolfe_attained": ("the risk of a function that a search found", "the bound"),
        "inexact": ("the worst risk with inexact choices, by a semidefinite programme,", "the bound"),
        "subgradient": ("the worst risk over all convex functions, by a semidefinite programme,", "the bound"),
        "subgradient_attained": ("the risk of a function that a search found", "the bound"),
        "averaged": ("the worst risk of the averaged iterate, by a semidefinite programme,", "what the proof leaves"),
    },
}  # fmt: skip
"""By experiment and check, where the quantity alone does not tell."""


def compared(experiment: str, check: str, quantity: str, direction: str) -> Sides | str:
    """What a check compares, or what it shows where it was confirmed."""
    own = CHECKS.get(experiment, {}).get(check)
    if own is not None:
        return own
    if quantity == "excess_risk":
        return "the mean excess risk", BOUND.get(direction, BOUND["at_most"])
    if quantity.startswith(TAILS):
        return RUNS
    return QUANTITIES.get(quantity) or (f"the {quantity.replace('_', ' ')}", BOUND.get(direction, BOUND["at_most"]))
