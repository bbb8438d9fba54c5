"""Bassily, Smith and Thakurta (2014), Private Empirical Risk Minimization, Revisited: every numbered statement.

The paper's risks, and its formulas here, are sums over n records; rates and bounds are of means.
"""

from __future__ import annotations

from dprepro.statements.statement import Says, Statement

LIPSCHITZ = ("lipschitz < inf", "diameter < inf")
STRONGLY_CONVEX = ("strong_convexity > 0", *LIPSCHITZ)
LINEAR_MODEL = (
    "hessian_rank <= 1", *LIPSCHITZ, "algorithm is ExponentialMechanism or ObjectivePerturbation", "n >= (p/epsilon)^2",
)  # fmt: skip
HUBERISED = ("algorithm is HuberisedObjectivePerturbation", "loss is PositivePartLoss", "p == 1")
CONVEX = "losses and set are convex"
DRAWN = "records are independent draws"
VERIFIED = "the range of epsilon is what was verified; the paper leaves it open"
LITTLE_DELTA = "delta <= 1/2"
"""As delta tends to 1 ln(1/delta) tends to 0, and what a sample or a certified noise costs does not."""
TABLE = ("n >= 2", "delta*n <= 1", "epsilon <= 10")
"""Table 1 is for delta < 1/n, and no row of it was verified for larger epsilon."""
NOISY = "epsilon^2 <= 32*p*ln(n/delta)*ln(1/delta)"
"""The noise of Algorithm 1 is as long as a gradient; beyond, the error of its n^2 steps is left, without epsilon."""
MANY = ("p >= 2", "epsilon <= p/2")
"""The proof of Lemma 5.1 takes p large; at p = 1 an exact private answer may be right more often than not."""
MEAN = ("for all data", "in expectation")
LOWER = ("for every private algorithm", "for some data", "with probability")
EXISTS = ("for some algorithm", "in expectation")

STATEMENTS = (
    Statement(item="Table 1", kind="rate", place="section 1", says=Says(
        text=("Upper bounds for Lipschitz and for strongly convex losses, under pure and approximate privacy: those of "
              "Theorems 3.2, 2.4.1, 4.3 and 2.4.2."),
        latex=(r"\frac p\epsilon,\ \frac{\sqrt p\log^2(n/\delta)}\epsilon,\ \frac{\log "
               r"n}\Delta\frac{p^2}{n\epsilon^2},\ \frac{\log^3(n/\delta)}\Delta\frac p{n\epsilon^2}"),
        premise=(*LIPSCHITZ, "algorithm is NoisySGD or ExponentialMechanism or Localization", *TABLE),
        assumes=("delta < 1/n is the paper's, to simplify the bounds", VERIFIED), quantifiers=MEAN,
        direction="at_most"),
        restates=("Theorem 2.4.1", "Theorem 2.4.2", "Theorem 3.2", "Theorem 4.3"),
        note=r'Columns "this work"; those on previous work are quoted. At $n = 1$ the third is 0, as $\log n$ is.'),
    Statement(item="Table 1, smooth losses", kind="rate", place="section 1", says=Says(
        text=(r"Upper bounds $p/\epsilon$ and $\sqrt{p} \log(1/\delta)/\epsilon$ for $O(p)$-smooth Lipschitz losses, "
              "by objective perturbation."), latex=r"\frac p\epsilon,\qquad\frac{\sqrt p\log(1/\delta)}\epsilon",
        premise=("smoothness <= p*lipschitz/diameter", *LIPSCHITZ, "contains_zero == 1",
                 "algorithm is ObjectivePerturbation", *TABLE),
        assumes=("delta < 1/n is the paper's, to simplify the bounds", VERIFIED), quantifiers=MEAN,
        direction="at_most", rate="bst_generic.theorem_e_1_rate"),
        false=("Table 1, smooth losses",), restates=("Theorem E.1",), repaired=Says(
            text=(r"They are for Hessians of rank one at most and $O(\sqrt{p})$-smooth losses on a set that contains "
                  r"0, as Theorem E.1 has it; $p/\epsilon$ for $O(p)$-smooth ones too."),
            latex=r"\frac p\epsilon,\qquad\frac{\sqrt p\log(1/\delta)}\epsilon",
            premise=("hessian_rank <= 1", "smoothness <= lipschitz*sqrt(p)/diameter", *LIPSCHITZ, "contains_zero == 1",
                     "algorithm is ObjectivePerturbation", *TABLE),
            assumes=("the rank is for privacy", VERIFIED), quantifiers=MEAN, direction="at_most",
            rate="bst_generic.theorem_e_1_rate", bound="kst.lemma_3", powers={"n": -1, "epsilon": -1}),
        note=r"Other algorithms reach the second cell at $\beta = p$; the one that it names does not."),
    Statement(item="Table 1, smooth and strongly convex losses", kind="rate", place="section 1", says=Says(
        text=(r"Upper bounds $p^2/(n \Delta \epsilon^2)$ and $p \log(1/\delta)/(n \Delta \epsilon^2)$ for "
              "$O(p)$-smooth strongly convex losses, by objective perturbation without a regulariser."),
              latex=r"\frac{p^2}{n\Delta\epsilon^2},\qquad\frac{p\log(1/\delta)}{n\Delta\epsilon^2}",
        premise=("smoothness < inf", *STRONGLY_CONVEX, "n*strong_convexity >= 2*smoothness/epsilon",
                 "algorithm is StronglyConvexPerturbation"),
        assumes=("for privacy the Hessians of two records differ by rank one at most",), quantifiers=MEAN,
        direction="at_most", rate="bst_generic.theorem_e_2_rate", bound="bst_generic.theorem_e_2",
        powers={"n": -2, "epsilon": -2, "delta": 1}),
        restates=("Theorem E.2",), note="Those of Theorem E.2, at $L = 1$."),
    Statement(item="Table 1, lower bounds", kind="attack", place="section 1", says=Says(
        text="Lower bounds of the same order, for linear losses and half squared distances.",
        latex=r"\frac p\epsilon,\ \frac{\sqrt p}\epsilon,\ \frac{p^2}{n\epsilon^2},\ \frac p{n\epsilon^2}",
        premise=("epsilon <= 1", "10*delta*n <= 1", *MANY), assumes=(VERIFIED,),
        quantifiers=("for every private algorithm", "for some data"),
        direction="at_least"),
        restates=("Theorem 5.2", "Theorem 5.3", "Theorem 5.4", "Theorem 5.5"),
        note="Those of Theorems 5.2 to 5.5, which have rows of their own."),
    Statement(item="Section 1.1, generalisation", kind="rate", place="section 1.1, Generalization Error", says=Says(
        text=(r"On generalised linear models the population risk is $O(\min(1/\sqrt{n}, p^c/(\epsilon n)))$, up to "
              "logarithms, with $c = 1$ under pure and $c = 2$ under approximate privacy."),
        latex=r"\tilde O\bigl(\min(\tfrac1{\sqrt n},\tfrac{p^c}{\epsilon n})\bigr)", premise=LINEAR_MODEL,
        assumes=(DRAWN,), quantifiers=EXISTS, direction="at_most", rate="bst_population.section_1_1_rate_as_printed"),
        false=("Section 1.1, the smaller of two rates",), restates=("Theorem F.4",), repaired=Says(
            text=(r"It is $O(1/\sqrt{n} + p^c/(\epsilon n))$, up to logarithms, with $c = 1$ and $c = 1/2$, as "
                  "Theorem F.4 has it."),
            latex=r"\tilde O\bigl(\tfrac1{\sqrt n}+\tfrac{p^c}{\epsilon n}\bigr)", premise=LINEAR_MODEL,
            assumes=(DRAWN,), quantifiers=EXISTS, direction="at_most", rate="bst_population.section_1_1_rate",
            bound="bst_population.theorem_f_4")),
    Statement(item="Section 1.1, Huberisation", kind="rate", place="section 1.1, Gradient descent-based algorithms",
        says=Says(
        text=(r"Huberised losses with objective perturbation have excess risk $\sqrt{p n}/\epsilon$ or more "
              "(Appendix A)."),
        latex=r"\Omega(\sqrt{pn}/\epsilon)", premise=("epsilon <= 1", "delta*n^4 >= 1"),
        assumes=("for some data and every width of the smoothing",), quantifiers=("for some data", "in expectation"),
        direction="at_least", rate="bst_corners.section_1_1_huberisation_rate"),
        false=("Section 1.1, Huberisation in p dimensions",), restates=("Theorem A.1",), repaired=Says(
            text=(r"It is $\sqrt{n}$ or more in one dimension, as Theorem A.1 has it, without a factor of $p$ or "
                  r"$1/\epsilon$."),
            latex=r"\Omega(\sqrt n)", premise=(*HUBERISED, "epsilon <= 1", "delta*n^4 >= 1"),
            assumes=("epsilon is a constant below 1",), quantifiers=("for some data", "in expectation"),
            direction="at_least", rate="bst.theorem_a_1_rate", powers={"n": -0.5}),
        note=(r"Hinge losses have Hessians of rank one: the best width loses $\sqrt{n/\epsilon} + \sqrt{p "
              r"\log(1/\delta)}/\epsilon$.")),
    Statement(item="Note (1)", kind="comparison", place="section 2", says=Says(
        text="Algorithm 1 and its guarantees need a subgradient of the loss only, no gradient.",
        premise=("algorithm is NoisySGD", *LIPSCHITZ, "delta > 0"), quantifiers=MEAN),
        note="The hinge and the 1-median, which have kinks, obey the bound too."),
    Statement(item="Note (2)", kind="comparison", place="section 2", says=Says(
        text="With full gradients in place of sampled ones Algorithm 1 keeps its utility.",
        premise=("algorithm is NoisySGD", *LIPSCHITZ, "delta > 0"), quantifiers=MEAN),
        note=("The risks agree within the margin at sizes where $n^2$ steps can be run. The variant takes far fewer "
              "steps than the note's $n^2$.")),
    Statement(item="Theorem 2.1", kind="privacy", place="section 2", says=Says(
        text=(r"Algorithm 1, noisy stochastic gradient descent, is $(\epsilon, \delta)$-private for $\epsilon$ of at "
              r"most $2 \sqrt{\log 1/\delta}$, as its proof assumes."),
        latex=r"\sigma^2=\frac{32L^2n^2\log(n/\delta)\log(1/\delta)}{\epsilon^2}",
        premise=("algorithm is NoisySGD", "lipschitz < inf", "delta > 0", "epsilon <= 2*sqrt(ln(1/delta))",
                 "relation is replace_one or zero_out"),
        assumes=("the range of epsilon is that of the proof, which the print does not repeat",),
        quantifiers=("for all data",),
        schedule={"total_steps": "bst_schedules.algorithm_1_steps", "noise_scale": "bst_schedules.algorithm_1_noise"}),
        note=("By accounting, audited with full gradients, and by the exact law of the last iterate in one "
              r"dimension, which with sampled records tells a fifth of what all iterates may $(n = 2, \delta = .1)$. "
              "The literal algorithm spends a quarter of its budget; see the errata on the proof's arithmetic. The "
              "statement is about a record that is replaced. Beside a zeroed-out one the step of a sampled record "
              "still moves by two gradients, since the record hides among others: one of $n = 20$ spends 4.1 at "
              r"$\delta = 10^{-6}$ where a shift of one gradient has 2.1, so the account takes two there too.")),
    Statement(item="Lemma 2.2", kind="privacy", place="section 2", says=Says(
        text=(r"An $\epsilon$-private algorithm, $\epsilon \le 1$, run on a random share $\gamma$ of the records "
              r"costs $2 \gamma \epsilon$."),
        latex=r"2\gamma\epsilon'", premise=("epsilon <= 1",), quantifiers=("for all data",),
        direction="at_most", bound="bst_lemmas.lemma_2_2"),
        note=(r"For $\epsilon$ up to 1, as stated, by randomised response on the share, which is the worst case. At "
              r"$\epsilon = 1.3$ it fails (a control).")),
    Statement(item="Lemma 2.3", kind="privacy", place="section 2", says=Says(
        text=(r"$T$ algorithms of $\epsilon$ each are together $(\epsilon \sqrt{2 T \ln(1/\delta')} + T \epsilon "
              r"(e^{\epsilon} - 1), \delta')$-private."),
        latex=r"\epsilon'=\sqrt{2T\ln(1/\delta')}\,\epsilon+T\epsilon(e^\epsilon-1)",
        quantifiers=("for all data",), direction="at_most", bound="bst_lemmas.lemma_2_3"),
        note="Against the exact composition of $T$ randomised responses, the worst case, for $T$ up to $10^{6}$."),
    Statement(item="Theorem 2.4.1", kind="rate", place="section 2", says=Says(
        text=r"On Lipschitz losses Algorithm 1 loses $L C \log^{3/2} (n/\delta) \sqrt{p \log 1/\delta}/\epsilon$.",
        latex=r"O\Bigl(\frac{L\lVert\mathcal C\rVert_2\log^{3/2}(n/\delta)\sqrt{p\log(1/\delta)}}\epsilon\Bigr)",
        premise=("algorithm is NoisySGD", *LIPSCHITZ, "delta > 0", "n >= 2", NOISY),
        assumes=(CONVEX, "steps are C/sqrt(t (n^2 L^2 + p sigma^2))", VERIFIED), quantifiers=MEAN, direction="at_most",
        rate="bst.theorem_2_4_1_rate", bound="bst.theorem_2_4_1", powers={"p": 0.5, "epsilon": -1},
        schedule={"total_steps": "bst_schedules.algorithm_1_steps", "noise_scale": "bst_schedules.algorithm_1_noise",
                  "step_size": "bst_schedules.theorem_2_4_1_step"},
        constant={"schedule_games": ["sgd_paper_known", "sgd_paper_bound"]}),
        note=("Exponents for the full-gradient variant on a linear loss; the hinge and the median are shown beside "
              "it. The logarithms of $n$ are within the explicit bound, not measured apart. At $n = 1$ the "
              r"algorithm answers without a step, and the bound vanishes as $\delta$ tends to 1.")),
    Statement(item="Theorem 2.4.2", kind="rate", place="section 2", says=Says(
        text=(r"On strongly convex Lipschitz losses Algorithm 1 loses $L^2 \log^2(n/\delta) p \log(1/\delta)/(n "
              r"\Delta \epsilon^2)$."),
        latex=r"O\Bigl(\frac{L^2\log^2(n/\delta)\,p\log(1/\delta)}{n\Delta\epsilon^2}\Bigr)",
        premise=("algorithm is NoisySGD", *STRONGLY_CONVEX, "delta > 0", "n >= 2", NOISY),
        assumes=(CONVEX, "steps are 1/(Delta n t)", VERIFIED), quantifiers=MEAN, direction="at_most",
        rate="bst.theorem_2_4_2_rate", bound="bst.theorem_2_4_2", powers={"p": 1, "epsilon": -2},
        schedule={"total_steps": "bst_schedules.algorithm_1_steps", "noise_scale": "bst_schedules.algorithm_1_noise",
                  "step_size": "bst_schedules.theorem_2_4_2_step"},
        constant={"worst_constants": ["known_strongly_convex", "bound_strongly_convex"]}),
        note=(r"Exponents for the full-gradient variant on half the squared distance. The powers of $L$ and $\Delta$ "
              "only through the explicit bound.")),
    Statement(item="Lemma 2.5", kind="rate", place="section 2", says=Says(
        text=(r"The last iterate of stochastic gradient descent on a convex function is within $O(C G \log "
              r"T/\sqrt{T})$ of the minimum."), latex=r"O\Bigl(\frac{\lVert\mathcal C\rVert_2G\log T}{\sqrt T}\Bigr)",
        premise=("steps > 1",),
        assumes=("F is convex, gradients have second moment G^2 at most, steps are C/(G sqrt t)",), quantifiers=MEAN,
        direction="at_most", bound="bst_lemmas.lemma_2_5"),
        note=(r"For $T \le 20$, without noise, an upper limit over all convex functions is certified by dual "
              "solutions, and reached by primal ones up to rounding. Besides, on the function of Harvey, Liaw, Plan "
              "and Randhawa, where the last iterate has the logarithm, by its closed form; the constants are those "
              "of Shamir and Zhang. Without the logarithm it is refuted (controls).")),
    Statement(item="Lemma 2.6", kind="rate", place="section 2", says=Says(
        text=(r"On strongly convex functions the last iterate of stochastic gradient descent is within $O(G^2 \log "
              r"T/(\lambda T))$ of the minimum."), latex=r"O\Bigl(\frac{G^2\log T}{\lambda T}\Bigr)",
        premise=("steps > 1",),
        assumes=("F is lambda-strongly convex, gradients have second moment G^2 at most, steps are 1/(lambda t)",),
        quantifiers=MEAN, direction="at_most", bound="bst_lemmas.lemma_2_6"),
        note="On their strongly convex function, likewise."),
    Statement(item="Theorem 3.1", kind="privacy", place="section 3.1", says=Says(
        text=(r"The exponential mechanism over the set, with density $\exp(-\epsilon L(\theta)/(2 L C))$, is "
              r"$\epsilon$-private."),
        latex=r"\exp\Bigl(-\frac\epsilon{2L\lVert\mathcal C\rVert_2}\mathcal L(\theta;\mathcal D)\Bigr)",
        premise=("algorithm is ExponentialMechanism", *LIPSCHITZ), quantifiers=("for all data",),
        schedule={"noise_scale": "bst_schedules.algorithm_2_temperature"}),
        note="By the sensitivity; a test shows that the scale is exact for replacement."),
    Statement(item="Theorem 3.2", kind="rate", place="section 3.1", says=Says(
        text=r"The exponential mechanism loses $O(p L C/\epsilon)$, without logarithms.",
        latex=r"O\Bigl(\frac{pL\lVert\mathcal C\rVert_2}\epsilon\Bigr)",
        premise=("algorithm is ExponentialMechanism", *LIPSCHITZ), assumes=(CONVEX,),
        quantifiers=("for all data", "in expectation", "with probability"), direction="at_most",
        rate="bst.theorem_3_2_rate", bound="bst.theorem_3_2", powers={"n": -1, "p": 1, "epsilon": -1},
        schedule={"noise_scale": "bst_schedules.algorithm_2_temperature"},
        constant={"worst_constants": ["known_exponential", "bound_exponential"]}),
        note=("Linear losses by their exact law, where the power is one of $p + 1$; bound and tail also on other "
              "losses. No cell exceeded the tail of the proof, which is very loose; the check named sharp has the "
              "best constants, which the paper does not claim.")),
    Statement(item="Claim 3.3", kind="inequality", place="section 3.1", says=Says(
        text="Along a ray from the minimiser of a convex risk equal steps of risk take ever shorter steps of distance.",
        latex=r"r_i-r_{i-1}\le r_{i-1}-r_{i-2}", premise=("power >= 1", "number >= 3"), quantifiers=("for all data",),
        direction="at_most", bound="bst_lemmas.ray_step_before"),
        note="On powers of the distance; with the power 1/2, which is not convex, it is refuted (a control)."),
    Statement(item="Theorem 3.4", kind="rate", place="section 3.2", says=Says(
        text=("An efficient sampler keeps the privacy and the risk of the exponential mechanism, in polynomial "
              "time."),
        latex=r"O\Bigl(\frac{pL\lVert\mathcal C\rVert_2}\epsilon\Bigr)",
        premise=("algorithm is EfficientSampler", *LIPSCHITZ, "radius >= 1", "epsilon <= 3"),
        assumes=("the set is in isotropic position", "for the time n is 6 p/epsilon or more", VERIFIED),
        quantifiers=MEAN, direction="at_most",
        rate="bst.theorem_3_2_rate", bound="bst_generic.theorem_3_4", powers={"n": -1, "p": 1, "epsilon": -1},
        schedule={"noise_scale": "bst_schedules.algorithm_7_temperature"}),
        note=("Linear losses, by the exact law of the walk: the printed grid for $p = 1$, coarse ones for $p = 2$, "
              "3, 4, $n$ up to 6. The printed steps, $10^{8}$ to $10^{11}$, are hundreds of times what the walk "
              r"needs. Its constants are chosen for $\epsilon$, and it spends a quarter of it. The time is that of "
              r"the printed counts, not measured; it grows as $p^5/\epsilon^2$ where $n \epsilon$ is below $6 p$, "
              "which the print leaves out.")),
    Statement(item="Theorem 4.1", kind="privacy", place="section 4", says=Says(
        text=r"Algorithm 4, localisation by output perturbation, is $\epsilon$-private.",
        premise=("algorithm is Localization", *STRONGLY_CONVEX, "n >= 2", "relation is replace_one or zero_out"),
        quantifiers=("for all data",)),
        note=("By composition of its two halves, which are audited apart; the law of the whole, exact in one "
              "dimension, spends a third of it.")),
    Statement(item="Lemma 4.2", kind="rate", place="section 4", says=Says(
        text=(r"Localisation has the risk of its inner algorithm on a set of diameter $O(L p \log n/(\Delta \epsilon "
              "n))$."),
        latex=r"O\Bigl(F\bigl(p,n,\epsilon,L,O(\tfrac{Lp\log n}{\Delta\epsilon n})\bigr)\Bigr)",
        premise=("algorithm is Localization", *STRONGLY_CONVEX, "n >= 2", "epsilon <= 10"),
        assumes=(CONVEX, "the inner algorithm has the mean risk F on every convex set", VERIFIED), quantifiers=MEAN,
        direction="at_most"),
        restates=("Theorem 4.3",),
        note=(r"At $n = 1 C_0$ is one point, as $\log n$ is 0. It misses the minimiser with chance $n^{-3}$ at every "
              r"$\epsilon$, which is more than $F$ at $n = 2$ from about $\epsilon = 100$ on. Three inner "
              "algorithms, the exponential mechanism, which attains its bound on a sharp loss, the centre of the "
              "small ball, and noisy gradient descent.")),
    Statement(item="Theorem 4.3", kind="rate", place="section 4", says=Says(
        text=(r"Localisation with the exponential mechanism loses $O(p^2 L^2 \log n/(n \Delta \epsilon^2))$, $n$ "
              "being 2 or more."),
        latex=r"O\Bigl(\frac{p^2L^2}{n\Delta\epsilon^2}\log n\Bigr)",
        premise=("algorithm is Localization", *STRONGLY_CONVEX, "n >= 2", "delta == 0", "epsilon <= 10"),
        assumes=(CONVEX, "Algorithm 2 inside", VERIFIED), quantifiers=MEAN, direction="at_most",
        rate="bst.theorem_4_3_rate",
        bound="bst.theorem_4_3", powers={"p": 2, "epsilon": -2},
        schedule={"noise_scale": "bst_schedules.algorithm_4_temperature"},
        constant={"schedule_games": ["localization_paper_known", "localization_paper_bound"]}),
        note=("On a sharp strongly convex loss, where neither half alone has the rate. On a quadratic, output "
              "perturbation alone is far better.")),
    Statement(item="Lemma 5.1.1", kind="attack", place="section 5", says=Says(
        text=(r"Every $\epsilon$-private answer to 1-way marginals of two columns or more errs by $p/(\epsilon n)$ "
              "or more on some data set."),
        latex=r"\Omega\bigl(\min(1,\tfrac p{\epsilon n})\bigr)", premise=("epsilon <= 2", *MANY), assumes=(VERIFIED,),
        quantifiers=LOWER, direction="at_least", rate="bst_lower.lemma_5_1_1_rate"),
        note=("With probability 1/2, as printed, and .15 in place of the 1/320 of the proof, by codes of length "
              "8 to 32: their distances by enumeration, the chance of decoding by group privacy, which "
              "randomised response attains.")),
    Statement(item="Lemma 5.1.2", kind="attack", place="section 5", says=Says(
        text=(r"Every $(\epsilon, \delta)$-private answer to 1-way marginals of two columns or more errs by "
              r"$\sqrt{p}/(\epsilon n)$ or more on some data set."),
              latex=r"\Omega\bigl(\min(1,\tfrac{\sqrt p}{\epsilon n})\bigr)",
        premise=("epsilon <= 1", "10*delta*n <= 1", *MANY), assumes=(VERIFIED, "delta = o(1/n)"), quantifiers=LOWER,
        direction="at_least", rate="bst_lower.lemma_5_1_2_rate"),
        note=(r"Half of the squared error, in the mean and with probability 1/3, as printed; $\epsilon$ up to .1. "
              "The fingerprinting lemma holds for all answer functions, by exact quadrature over the prior.")),
    Statement(item="Theorem 5.2", kind="attack", place="section 5.1", says=Says(
        text=(r"Every $\epsilon$-private algorithm loses $\min(n, p/\epsilon)$ or more on some linear loss of two "
              "dimensions or more."),
        latex=r"\Omega\bigl(\min(n,p/\epsilon)\bigr)", premise=("epsilon <= 2", *MANY),
        assumes=(VERIFIED, "linear losses over the unit ball"), quantifiers=LOWER, direction="at_least",
        rate="bst_lower.theorem_5_2_rate"),
        note=("With probability 1/2, as printed; at least .04 times that. Of the best private algorithm on corners, "
              "exactly: in the mean, which $p = 1$ keeps, .6 times that on [-1, 1], .3 times on the cube of 1 to 4 "
              r"dimensions ($\epsilon$ up to 1).")),
    Statement(item="Theorem 5.3", kind="attack", place="section 5.1", says=Says(
        text=(r"Every $(\epsilon, \delta)$-private algorithm loses $\min(n, \sqrt{p}/\epsilon)$ or more on some "
              "linear loss of two dimensions or more."),
        latex=r"\Omega\bigl(\min(n,\sqrt p/\epsilon)\bigr)", premise=("epsilon <= 1", "10*delta*n <= 1", *MANY),
        assumes=(VERIFIED, "delta = o(1/n), linear losses over the unit ball"), quantifiers=LOWER, direction="at_least",
        rate="bst_lower.theorem_5_3_rate"),
        note=r"In the mean and with probability 1/3, as printed; $\epsilon$ up to .1."),
    Statement(item="Section 5.1, dependence on L and C", kind="comparison", place="section 5.1, end", says=Says(
        text="For $L$-Lipschitz losses on a set of diameter $C$ the lower bounds pick up a factor $L C$.",
        quantifiers=("for all data", "exactly"), direction="equals", bound="bst_scaling.one"),
        note="Excess risks of the rescaled losses are that multiple, whatever the data and the answer."),
    Statement(item="Theorem 5.4", kind="attack", place="section 5.2", says=Says(
        text=(r"Every $\epsilon$-private algorithm loses $\min(n, p^2/(\epsilon^2 n))$ or more on some strongly "
              "convex loss of two dimensions or more."),
        latex=r"\Omega\bigl(\min(n,\tfrac{p^2}{\epsilon^2n})\bigr)", premise=("epsilon <= 2", *MANY),
        assumes=(VERIFIED, "half squared distances over the unit ball"), quantifiers=LOWER, direction="at_least",
        rate="bst_lower.theorem_5_4_rate"),
        note=("With probability 1/2, as printed; at least .011 times that, half of the squared error of Lemma 5.1.1. "
              "Of the best private algorithm on -1 and 1, exactly: in the mean .4 times that.")),
    Statement(item="Theorem 5.5", kind="attack", place="section 5.2", says=Says(
        text=(r"Every $(\epsilon, \delta)$-private algorithm loses $\min(n, p/(\epsilon^2 n))$ or more on some "
              "strongly convex loss of two dimensions or more."),
        latex=r"\Omega\bigl(\min(n,\tfrac p{\epsilon^2n})\bigr)",
        premise=("epsilon <= 1", "10*delta*n <= 1", *MANY),
        assumes=(VERIFIED, "delta = o(1/n), half squared distances over the unit ball"), quantifiers=LOWER,
        direction="at_least", rate="bst_lower.theorem_5_5_rate"),
        note=r"In the mean and with probability 1/3, as printed; $\epsilon$ up to .1."),
    Statement(item="Section 5.2, dependence on L, C and Delta", kind="comparison", place="section 5.2, end", says=Says(
        text=(r"Where $\Delta C/L$ is bounded below, the lower bounds on strongly convex losses pick up a factor "
              r"$L^2/\Delta$."),
        assumes=("Delta C/L is bounded below",), quantifiers=("for all data", "exactly"), direction="equals",
        bound="bst_scaling.one"),
        note=r"Likewise; where $\Delta C/L$ is not, the level exceeds what any answer can lose."),
    Statement(item="Lemma 6.1", kind="rate", place="section 6", says=Says(
        text=("A grid walk samples a log-concave density on a cube, close in every ratio of densities, in "
              "polynomial time."),
        latex=(r"O\Bigl(\frac{\eta^2\tau^2}{\tilde\epsilon^2}p^3\max\bigl(p\log(\tfrac{\eta\tau "
               r"p}{\tilde\epsilon}),\eta\tau\bigr)\Bigr)"),
        assumes=("F is log-concave and positive on the cube, ln F is eta-Lipschitz",
                 "epsilon~ is 1 at most, eta tau 3 epsilon~ at least"), quantifiers=("for all data",),
        direction="at_most", rate="bst_lemmas.lemma_6_1_time"),
        note=(r"By the walk's spectrum. In more than one dimension the printed least weight lacks $\sqrt{p}$, see "
              "the errata, and so does one of the two times; the steps that it gives are enough all the same. The "
              r"time is that of the printed counts, not measured; as $\eta \tau$ tends to 0 the printed order is "
              "less than a step.")),
    Statement(item="Lemma 6.2", kind="inequality", place="section 6", says=Says(
        text="A lazy reversible chain mixes in $L$-infinity within an integral of its conductance profile.",
        latex=r"1+\int_{4\pi^*}^{4/\epsilon'}\frac{4\,dx}{x\Phi^2(x)}",
        assumes=("the chain is lazy, reversible and finite",), quantifiers=("for all data",), direction="at_most",
        bound="bst_lemmas.lemma_6_2_precision"),
        note=("Walks on lines, with the exact profile, kept constant beyond 1/2: as printed it is 0 at 1, and the "
              "integral infinite. A walk that never stays has period two and does not mix (a control).")),
    Statement(item="Lemma 6.3", kind="inequality", place="section 6", says=Says(
        text="A convex Lipschitz function on a convex set extends to the whole space with the same constant.",
        latex=r"\bar f(\theta)=\min_{u\in\mathcal C}\bigl(f(u)+\eta\lVert\theta-u\rVert_2\bigr)",
        quantifiers=("for all data",), direction="at_most", bound="bst_lemmas.one"),
        note=("The extension of Algorithm 5, of linear functions on a disc. Extended by the projection a function "
              "stays Lipschitz but is not convex (a control).")),
    Statement(item="Lemma 6.4", kind="inequality", place="section 6", says=Says(
        text="With the gauge penalty the walk on the cube ends in the set with probability a half or more.",
        premise=("algorithm is EfficientSampler", *LIPSCHITZ, "radius >= 1"),
        quantifiers=("for all data", "with probability"), direction="at_least"),
        note=("Balls in cubes, $p = 2$, 3, 4, by counting. Without the penalty it is less than a third for $p = 4$ "
              "(a control).")),
    Statement(item="Lemma 6.5", kind="inequality", place="section 6", says=Says(
        text=r"Repeating until the walk ends in the set gives the wanted density within a factor $e^{\epsilon}$.",
        latex=r"\mathsf{Dist}_\infty(\hat\mu_{\mathcal C},\mu_{\mathcal C})\le\tilde\epsilon",
        premise=("algorithm is EfficientSampler", *LIPSCHITZ, "radius >= 1"), quantifiers=("for all data",),
        direction="at_most"),
        note=("The printed grid at $p = 1$, where every walk ends in the set. ($m$ is read with logarithms to the "
              "base 2.)")),
    Statement(item="Lemma 6.6", kind="privacy", place="section 6", says=Says(
        text=r"Sampling within a factor $e^{\epsilon'}$ of a private law costs $2 \epsilon'$ more.",
        latex=r"\epsilon+2\tilde\epsilon", quantifiers=("for all data",), direction="at_most",
        bound="bst_lemmas.lemma_6_6"),
        note=r"Attained by laws that differ on an event of small chance; $\epsilon'$ once is not enough (a control)."),
    Statement(item="Theorem A.1", kind="rate", place="appendix A", says=Says(
        text=(r"Objective perturbation on a Huberised hinge loses $\sqrt{n}$ or more on some data set, whatever the "
              "width of the smoothing."), latex=r"\Omega\bigl(\min\{n,\max\{nh,\tfrac1h\}\}\bigr)=\Omega(\sqrt n)",
        premise=(*HUBERISED, "epsilon <= 1", "delta*n^4 >= 1"), assumes=("epsilon is a constant below 1",),
        quantifiers=("for some data", "in expectation"), direction="at_least", rate="bst.theorem_a_1_rate",
        powers={"n": -0.5}, schedule={"noise_scale": "bst_schedules.equation_9_noise"}),
        note=("In one dimension, expectations in closed form; the least over $h$ of the larger risk on two data "
              "sets, the first of them corrected. The exponential mechanism loses a constant there.")),
    Statement(item="Equation (9)", kind="privacy", place="appendix A", says=Says(
        text=(r"Objective perturbation on the Huberised hinge, with regulariser $\theta^2/(8 \epsilon h)$ and noise "
              r"of variance $8 \log(1/\delta)/\epsilon^2$, is $(\epsilon, \delta)$-private."),
        latex=r"\arg\min_{\theta\in[-2,2]}\sum_{i=1}^n\hat\ell(\theta;d_i)+\frac{\theta^2}{8\epsilon h}+b\theta",
        premise=(*HUBERISED, "delta > 0", "relation is replace_one or zero_out"), quantifiers=("for all data",),
        schedule={"noise_scale": "bst_schedules.equation_9_noise",
                  "regulariser": "bst_schedules.equation_9_regulariser"}),
        false=("Equation (9), regulariser", "Equation (9), noise"), repaired=Says(
            text=(r"It is with regulariser $\theta^2/(2 \epsilon h)$, and noise of twice the length where a record "
                  "is replaced."),
            latex=r"\frac{\theta^2}{2\epsilon h}", premise=(*HUBERISED, "delta > 0", "delta <= 1/2", "epsilon <= 1"),
            assumes=(VERIFIED,), quantifiers=("for all data",),
            schedule={"regulariser": "bst_schedules.equation_9_regulariser_repaired"}),
        note=("At $n = 1$, for chosen pairs of data sets. The printed noise is enough beside a record that says "
              "nothing.")),
    Statement(item="Lemma A.2", kind="rate", place="appendix A", says=Says(
        text=r"On the first data set the loss is $n \min(1, h)$ or more.", latex=r"\Omega(n\cdot\min\{1,h\})",
        premise=(*HUBERISED, "epsilon < 1", "delta*n^4 >= 1", "smoothing > 0"),
        quantifiers=("for some data", "in expectation"), direction="at_least", bound="bst.lemma_a_2"),
        note=(r"In closed form, at $n = 3\cdot 10^{6}$, on the data set as corrected; the constant is 1/10, for $h$ "
              "of .001 to 10.")),
    Statement(item="Lemma A.3", kind="rate", place="appendix A", says=Says(
        text=r"On the second data set the loss is $\min(1/h, n)$ or more.",
        latex=r"\Omega\bigl(\min\{\tfrac1h,n\}\bigr)",
        premise=(*HUBERISED, "epsilon < 1", "delta*n^4 >= 1", "smoothing*ln(n) < 1"),
        quantifiers=("for some data", "in expectation"), direction="at_least", bound="bst.lemma_a_3"),
        note=r"In closed form, at $n = 3\cdot 10^{6}$; the constant is 1/22, for $h$ of $10^{-9}$ to .01."),
    Statement(item="Theorem B.1", kind="privacy", place="appendix B", says=Says(
        text=(r"Localisation with Gaussian output perturbation of variance $\sigma_0^2$ is $(\epsilon, "
              r"\delta)$-private."),
        latex=r"\sigma_0^2=\frac{4L^2\log(1/\delta)}{\Delta^2\epsilon^2n^2}",
        premise=("algorithm is Localization or OutputPerturbation", *STRONGLY_CONVEX, "delta > 0",
                 "relation is replace_one or zero_out"), quantifiers=("for all data",),
        schedule={"noise_scale": "bst_schedules.appendix_b_noise"}),
        false=("Appendix B, sigma_0",), repaired=Says(
            text=r"It is with the least Gaussian noise that is certified for a shift of $2 L/(\Delta n)$.",
            premise=("algorithm is Localization or OutputPerturbation", *STRONGLY_CONVEX, "delta > 0",
                     "relation is replace_one or zero_out"), quantifiers=("for all data",)),
        note=r"The two halves are audited apart, at $\delta = .1$."),
    Statement(item="Theorem B.2", kind="rate", place="appendix B", says=Says(
        text=(r"Gaussian localisation has the risk of its inner algorithm on a set of diameter $O(L \sqrt{p "
              r"\log(1/\delta) \log n}/(\Delta \epsilon n))$."),
        latex=(r"O\Bigl(F\bigl(p,n,\epsilon,\delta,L,O(\tfrac{L\sqrt{p\log(1/\delta)\log n}}{\Delta\epsilon "
               r"n})\bigr)\Bigr)"), premise=("algorithm is Localization", *STRONGLY_CONVEX, "n >= 2", "delta > 0",
               LITTLE_DELTA, "epsilon <= 10"),
        assumes=(CONVEX, "rate and bound are those of Algorithm 2 inside", VERIFIED), quantifiers=MEAN,
        direction="at_most",
        rate="bst_generic.theorem_b_2_rate", bound="bst_generic.theorem_b_2",
        powers={"p": 1.5, "epsilon": -2, "delta": 0.5},
        constant={"worst_constants": ["known_large_localization_gaussian", "bound_large_localization_gaussian"]}),
        note=("The exponential mechanism inside, which attains the explicit bound on a sharp loss, with noise from "
              "the accountant; the exponent of $n$ after division by the rate's own logarithm.")),
    Statement(item="Appendix D", kind="rate", place="appendix D", says=Says(
        text=(r"Where the risk $F$ in expectation is $L C/\epsilon$ or more, runs at $\epsilon/k$ and a private "
              "choice turn it into risk with high probability, at a polylogarithmic cost."),
        latex=(r"\max_i\mathsf{Excess\_risk}(\theta_i)-O\Bigl(\frac{L\lVert\mathcal "
               r"C\rVert_2}\epsilon\log(k/\rho)\Bigr)"), premise=("algorithm is HighProbability", *LIPSCHITZ),
        assumes=(CONVEX, "failure probabilities of a half at most", "rate and bound are those of Algorithm 2 inside"),
        quantifiers=("for all data", "with probability"), direction="at_most", rate="bst.theorem_3_2_rate",
        powers={"n": -1, "p": 1, "epsilon": -1}),
        note=("Strongly convex losses have a smaller $F$, which the choice exceeds, see the errata. With half of "
              r"$\epsilon$ for the runs and half for the choice, which the text does not count, see the errata. The "
              "bound is nearly attained by runs that answer without the data with a chance just below a half.")),
    Statement(item="Appendix E, privacy", kind="privacy", place="appendix E", says=Says(
        text=(r"Objective perturbation with $\Delta \ge \beta/(2 \epsilon)$ is private, with gamma noise "
              r"$\exp(-\epsilon \|b\|/(2 L))$ and with Gaussian noise of variance $8 L^2 \log(1/\delta)/\epsilon^2$."),
        latex=(r"e^{-\epsilon\lVert b\rVert_2/(2L)},\quad\mathcal N\bigl(0,\mathbb "
               r"I_p\tfrac{8L^2\log(1/\delta)}{\epsilon^2}\bigr),\quad\Delta\ge\frac\beta{2\epsilon}"),
        premise=("algorithm is ObjectivePerturbation", "lipschitz < inf", "smoothness < inf",
                 "relation is replace_one or zero_out"), quantifiers=("for all data",),
        schedule={"noise_scale": "bst_schedules.appendix_e_length"}),
        false=("Theorem E.1, Delta", "Appendix E, Gaussian noise", "Appendix E, gamma noise", "Appendix E, rank"),
        repaired=Says(
            text=(r"With $\Delta \ge 2 \beta/\epsilon$ and Hessians of rank one at most it is private for neighbours "
                  r"that add or remove a record, if the Gaussian variance is $L^2 (8 \log(2/\delta) + 4 "
                  r"\epsilon)/\epsilon^2$; where a record is replaced, with noise of twice the length."),
            latex=r"\Delta\ge\frac{2\beta}\epsilon,\qquad\frac{L^2(8\log(2/\delta)+4\epsilon)}{\epsilon^2}",
            premise=("algorithm is ObjectivePerturbation", "lipschitz < inf", "smoothness < inf", "hessian_rank <= 1"),
            assumes=("Delta >= 2 beta/epsilon",), quantifiers=("for all data",)),
        note=(r"In one dimension, for chosen pairs of neighbours. Full rank costs up to $p \ln(1 + \beta/\Delta)$, "
              "see the errata.")),
    Statement(item="Theorem E.1", kind="rate", place="appendix E", says=Says(
        text=(r"On smooth Lipschitz losses over a set that contains 0, objective perturbation with $\Delta$ of the "
              r"order $L p/(\epsilon C)$ and gamma noise loses $L C p/\epsilon$, with $\sqrt{p \log 1/\delta}$ in "
              r"the place of $p$ and Gaussian noise $L C \sqrt{p \log 1/\delta}/\epsilon$."),
        latex=(r"O\Bigl(\frac{L\lVert\mathcal C\rVert_2p}\epsilon\Bigr),\qquad O\Bigl(\frac{L\lVert\mathcal "
               r"C\rVert_2\sqrt{p\ln(1/\delta)}}\epsilon\Bigr)"),
        premise=("algorithm is ObjectivePerturbation", *LIPSCHITZ, "smoothness <= lipschitz*sqrt(p)/diameter",
                 "contains_zero == 1"),
        assumes=(CONVEX,
        "Delta = Theta(L p/(epsilon C)), or with sqrt(p log 1/delta), whatever beta/epsilon it exceeds"),
        quantifiers=MEAN, direction="at_most", rate="bst_generic.theorem_e_1_rate", bound="kst.lemma_3",
        powers={"n": -1, "epsilon": -1}, schedule={"noise_scale": "bst_schedules.appendix_e_length"}),
        note=("On utility; what keeps it private is in the row on Appendix $E$. Measured with the noise for "
              "neighbours that add or remove a record; twice the noise changes no exponent. The exponent of $n$ for "
              r"gamma noise is that of $\Delta$ with the logarithm. Its constants are half of those of Kifer, Smith "
              "and Thakurta's Theorem 4, whose radius is half of $C$.")),
    Statement(item="Theorem E.2", kind="rate", place="appendix E", says=Says(
        text=("On smooth strongly convex losses objective perturbation without a regulariser loses $L^2 p^2/(n "
              r"\Delta \epsilon^2)$ with gamma noise and $L^2 p \log(1/\delta)/(n \Delta \epsilon^2)$ with Gaussian "
              "noise."),
        latex=(r"O\Bigl(\frac{L^2p^2}{n\Delta\epsilon^2}\Bigr),\qquad "
               r"O\Bigl(\frac{L^2p\ln(1/\delta)}{n\Delta\epsilon^2}\Bigr)"),
        premise=("smoothness < inf", *STRONGLY_CONVEX, "algorithm is StronglyConvexPerturbation"),
        assumes=("Delta >= beta/(2 epsilon) is for privacy, see the errata",), quantifiers=MEAN,
        direction="at_most", rate="bst_generic.theorem_e_2_rate", bound="bst_generic.theorem_e_2",
        powers={"n": -2, "epsilon": -2, "delta": 1}, schedule={"noise_scale": "bst_schedules.appendix_e_scale"},
        constant={"worst_constants": ["known_smooth_gaussian", "bound_smooth_gaussian"]}),
        note=("On utility. Half the squared distance, whose records share the Hessian, so that its privacy needs no "
              r"strong convexity of a record; the explicit bound is attained. The assumption $\Delta \ge \beta/(2 "
              r"\epsilon)$, per record, is not what a proof needs, see the errata. The constant is that of Gaussian "
              "noise, the larger one.")),
    Statement(item="Theorem F.1", kind="inequality", place="appendix F", says=Says(
        text=(r"On strongly convex losses the population risk is, with probability $1 - \gamma$, at most $L \sqrt{2 "
              r"R/\Delta} + 4 L^2/(\gamma \Delta n)$, $R$ being the mean empirical risk."),
        latex=(r"\sqrt{\frac{2L^2}{n\Delta}}\sqrt{\mathcal L(\theta;\mathcal D)-\min_\theta\mathcal L(\theta;\mathcal "
               r"D)}+\frac{4L^2}{\gamma\Delta n}"), assumes=(DRAWN, "losses are L-Lipschitz and Delta-strongly convex"),
        quantifiers=("for all data", "with probability"), direction="at_most", bound="bst_generalisation.gamma"),
        note=(r"Half squared distances of fair coins, for all $\theta$ at once, exactly: it never fails at $\gamma = "
              r"0.1$ and 0.01. With $\gamma$ in the place of $1/\gamma$ it does (a control).")),
    Statement(item="Theorem F.2", kind="rate", place="appendix F", says=Says(
        text=(r"Private algorithms have population risk $p/(n \epsilon)$ (pure) and $\sqrt{p}/(n \epsilon)$ "
              "(approximate) on strongly convex losses."),
        latex=r"O\Bigl(\frac{L^2p\sqrt{\log n\cdot\mathsf{polylog}(1/\gamma)}}{\Delta n\epsilon\gamma}\Bigr)",
        premise=("algorithm is Localization or NoisySGD", *STRONGLY_CONVEX, "n >= 2", "epsilon <= 10"),
        assumes=(DRAWN, CONVEX, "for delta = 0 localisation with Algorithm 2 inside, for delta > 0 Algorithm 1",
                 VERIFIED), quantifiers=("for some algorithm", "with probability"),
        direction="at_most", rate="bst_population.theorem_f_2_rate", powers={"epsilon": -1}, upper_only=True),
        note=("As an upper bound only, for pure privacy, with its probability: on quadratic losses the risk falls "
              "as $1/n$.")),
    Statement(item="Theorem F.3", kind="rate", place="appendix F", says=Says(
        text=(r"On Lipschitz losses over a set that contains 0 the population risk falls as $1/\sqrt{n \epsilon}$, "
              r"with $\sqrt{p}$ (pure) and $p^{1/4}$ (approximate), times $(L + C) C$."),
        latex=(r"O\Bigl(\frac{\sqrt p(L+\lVert\mathcal C\rVert_2)\lVert\mathcal C\rVert_2(\log "
               r"n\cdot\mathsf{polylog}(1/\gamma))^{1/4}}{\sqrt{n\epsilon\gamma}}\Bigr)"),
        premise=("algorithm is RegularisedRelease", *LIPSCHITZ, "contains_zero == 1", "relation is replace_one",
                 "epsilon <= 10", LITTLE_DELTA),
        assumes=(DRAWN, CONVEX, VERIFIED), quantifiers=EXISTS, direction="at_most",
        rate="bst_population.theorem_f_3_rate", bound="bst_population.theorem_f_3", powers={"n": -0.5, "epsilon": -0.5},
        schedule={"weight": "bst_schedules.theorem_f_3_weight"}),
        note=("Of means over samples and noise, not of the probability that the theorem speaks of. Seen with $L C$, "
              "which is meant and less, see the errata. No worst data are searched for, as records are draws.")),
    Statement(item="Theorem F.4", kind="rate", place="appendix F", says=Says(
        text=(r"On generalised linear models the population risk is $L C/\sqrt{n}$, as without privacy, once $n$ is "
              r"far above $(p/\epsilon)^2$; for $\delta > 0$ it is $\log^2(n/\delta)$ times that, once $n$ is far "
              r"above $p/\epsilon^2$."),
        latex=r"O\Bigl(\frac{L\lVert\mathcal C\rVert_2\sqrt{\log(1/\gamma)}}{\sqrt n}\Bigr)",
        premise=LINEAR_MODEL,
        assumes=(DRAWN, CONVEX, "n grows beyond every multiple of (p/epsilon)^2, or of p/epsilon^2 for delta > 0"),
        quantifiers=EXISTS, direction="at_most", rate="bst_population.theorem_f_4_rate",
        bound="bst_population.theorem_f_4", powers={"n": -0.5}),
        note=(r"Of means over samples and noise, not with the printed probability $1 - \gamma$, whose bound vanishes "
              r"as $\gamma$ tends to 1. No worst data are searched for, as records are draws.")),
    Statement(item="Lemma F.5", kind="inequality", place="appendix F", says=Says(
        text=(r"The population risk of an $(\epsilon, \delta)$-private algorithm is $O(L C \epsilon + C^2 \delta)$ "
              "and the order of its empirical risk."),
        latex=(r"O\bigl(L\lVert\mathcal C\rVert_2\epsilon+\lVert\mathcal C\rVert_2^2\delta+\mathbb "
               r"E[\mathsf{EmpExcRisk}]\bigr)"), assumes=(DRAWN,), quantifiers=MEAN, direction="at_most",
        rate="bst_population.lemma_f_5_rate_as_printed"),
        false=("Lemma F.5, delta",), repaired=Says(text=(r"It is $O(L C \epsilon + L C \delta)$ and the empirical "
                                                         "risk."),
            latex=r"O\bigl(L\lVert\mathcal C\rVert_2(\epsilon+\delta)+\mathbb E[\mathsf{EmpExcRisk}]\bigr)",
            assumes=(DRAWN,), quantifiers=MEAN, direction="at_most", rate="bst_population.lemma_f_5_rate")),
    Statement(item="Theorem F.6", kind="rate", place="appendix F", says=Says(
        text=(r"With the best $\epsilon$ the population risk is $L C \sqrt{p/n}$ (pure) and $L C p^{1/4} "
              r"\log(n/\delta)/\sqrt{n}$ (approximate)."),
        latex=(r"O\Bigl(L\lVert\mathcal C\rVert_2\sqrt{\tfrac pn}\Bigr),\qquad O\Bigl(L\lVert\mathcal "
               r"C\rVert_2\frac{p^{1/4}\log(n/\delta)}{\sqrt n}\Bigr)"),
        premise=("algorithm is ExponentialMechanism or ObjectivePerturbation", *LIPSCHITZ, LITTLE_DELTA),
        assumes=(DRAWN, CONVEX, "epsilon is sqrt(p/n), or p^(1/4) log(n/delta)/sqrt(n), up to a constant"),
        quantifiers=EXISTS, direction="at_most", rate="bst_population.theorem_f_6_rate",
        bound="bst_population.theorem_f_6"),
        note="No worst data are searched for, as records are draws."),
)  # fmt: skip
