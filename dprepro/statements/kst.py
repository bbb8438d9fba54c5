"""Kifer, Smith and Thakurta (2012), Private Convex Empirical Risk Minimization: every numbered statement."""

from __future__ import annotations

from dprepro.statements.statement import Says, Statement

# fmt: off
RUNS = ("algorithm is ObjectivePerturbation",)
# under a third relation another noise is drawn than the printed one
DRAWN = (*RUNS, "relation is add_or_remove_one or zero_out")
PRIVATE = (*DRAWN, "smoothness < inf", "hessian_rank <= 1", "epsilon < inf", "delta < 1")
AS_PRINTED = (*PRIVATE, "algorithm.constants is printed", "algorithm.least is 2")
# ln(1/delta), and neither epsilon nor ln 2, rules the noise
RANGE = ("delta*exp(epsilon) <= 1", "delta <= 1/2")
VERIFIED = "the range of epsilon is what was verified; the paper leaves it open"
# p ln p is 0 at p = 1; the printed Delta exceeds 2 lambda/epsilon
LARGE_DELTA = ("algorithm.regulariser is theorem_4", "p >= 2", "2*smoothness*radius <= lipschitz*sqrt(p)", *RANGE)
BALANCED = (*AS_PRINTED, *LARGE_DELTA)
NICE = (*PRIVATE, "eta > 0", "delta > 0")
SUPPORTS = ("algorithm is ExponentialSupport", "algorithm.constants is printed", "loss_bound < inf", "p >= 2")
SQUARED = ("algorithm is SparseRegression", "loss is HalfSquaredLoss", "set is Box")
PIPELINE = (*SQUARED, "algorithm.rows is restricted", "relation is add_or_remove_one or zero_out", "delta > 0")
SELECTED = (*PIPELINE, "algorithm.selection is ExponentialSupport")
AGGREGATED = (*PIPELINE, "algorithm.selection is SampleAndAggregate")

ALL, EXACT, MEAN = ("for all data",), ("exactly",), ("for all data", "in expectation")
EACH, PROB, LIMIT = (("for all data", text) for text in ("exactly", "with probability", "in the limit"))
RADIUS = "the loss is strongly convex in a ball of radius 4 times the first term and twice the second"
BLOCKS = "Assumption 3, and n >= (16 sigma/(Psi Phi))^4 s^2 log^2 p"
BLOCKS_RIGHT = f"{BLOCKS}, and theta* has just s entries that are not zero: each block finds its support"

STATEMENTS = (
    Statement(item="Definition 1", kind="definition", place="section 1", says=Says(
        text=r"$(\epsilon, \delta)$-differential privacy, neighbours differing by one added or removed record.",
        latex=(r"\Pr[\mathcal{A}(\mathcal{D}) \in \mathcal{O}] \le e^{\epsilon} \Pr[\mathcal{A}(\mathcal{D}') \in "
               r"\mathcal{O}] + \delta")),
        nothing="Nothing to measure; every experiment of this paper uses it."),
    Statement(item="Theorem 1", kind="privacy", place="section 2.1", says=Says(
        text="A pointwise limit of private algorithms is private.",
        latex=r"\lim_{i \to \infty} \phi^i(\mathcal{D}, b) = \phi(\mathcal{D}, b)",
        assumes=("all algorithms of the sequence are functions of the data and of one random b",
                 "they converge for all data and every b"), quantifiers=LIMIT),
        note=(r"One dimension, smoothed $\ell_1$ penalties, for chosen pairs of neighbours: the exact $\delta$, and "
              r"the $\epsilon$ that goes with the claimed one, between .6 and 1 of what is claimed.")),
    Statement(item="Example 1", kind="privacy", place="section 2.1", says=Says(
        text=(r"Objective perturbation with an $\ell_1$ penalty is the limit of smooth ones that have densities, "
              "though it has none."),
        latex=(r"\phi(\mathcal{D}, b) \equiv \arg\min_{\theta} \hat{\mathcal{L}}(\theta; \mathcal{D}) + "
               r"\frac{1}{n}(b^T\theta + \|\theta\|_1)"),
        assumes=("a strongly convex, twice continuously differentiable loss", "b has a density, positive everywhere"),
        quantifiers=LIMIT),
        note=("Densities by the mass near zero, which shrinks with the interval before the limit and does not in it (a "
              "control, refuted).")),
    Statement(item="Theorem 2", kind="privacy", place="section 2.2", says=Says(
        text=(r"Objective perturbation (Algorithm 1) with $\Delta \ge 2 \lambda/\epsilon$ is private for losses "
              "whose Hessian has a rank of at most one, over any closed convex set and with any convex penalty."),
        latex=(r"\Delta \ge \frac{2\lambda}{\epsilon}, \quad \nu_1(b) \propto e^{-\epsilon \|b\|_2/(2\zeta)}, \quad "
               r"\nu_2 = \mathcal{N}\left(0, \frac{\zeta^2(8\log\frac{2}{\delta} + 4\epsilon)}{\epsilon^2} I\right)"),
        premise=AS_PRINTED, quantifiers=ALL, schedule={"noise_scale": "kst.algorithm_1_noise"}),
        note=("Exactly computed in one dimension for chosen pairs of neighbours, without constraint or penalty (an "
              r"$\ell_1$ penalty in kst_limits). That can disprove privacy; elsewhere it is evidence only.")),
    Statement(item="Lemma 3", kind="inequality", place="section 2.2.1", says=Says(
        text=(r"The risk is at most $2 \|b\|^2/(\Delta n) + \Delta \|\hat{\theta}\|^2/(2n)$, for every draw of the "
              "noise."),
        latex=(r"\hat{J}(\theta^{priv}; \mathcal{D}) - \hat{J}(\hat\theta; \mathcal{D}) \le \frac{2\|b\|_2^2}{\Delta "
               r"n} + \frac{\Delta}{2n} \|\hat\theta\|_2^2"), premise=RUNS, assumes=("Delta is positive",),
        quantifiers=EACH, direction="at_most", bound="kst.lemma_3"),
        note=r"Every draw, on four sets, with and without an $\ell_1$ penalty."),
    Statement(item="Theorem 4", kind="rate", place="section 2.2.1", says=Says(
        text=(r"With $\Delta$ of order $\zeta p \log p/(\epsilon \|\hat{\theta}\|)$ and gamma noise, or $\zeta "
              r"\sqrt{p \log 1/\delta}/(\epsilon \|\hat{\theta}\|)$ and Gaussian noise, and $\Delta \ge \lambda/(2 "
              r"\epsilon)$, the risk of Algorithm 1 is $\zeta \|\hat{\theta}\| p \log p/(\epsilon n)$, or $\zeta "
              r"\|\hat{\theta}\| \sqrt{p \log 1/\delta}/(\epsilon n)$; for $p \ge 2$, $\delta \le 1/2$ and $\epsilon "
              r"\le \log(1/\delta)$."),
        latex=(r"O\left(\frac{\zeta \|\hat\theta\|_2 p \log p}{\epsilon n}\right), \quad O\left(\frac{\zeta "
               r"\|\hat\theta\|_2 \sqrt{p \log(1/\delta)}}{\epsilon n}\right), \quad \Delta \ge "
               r"\frac{\lambda}{2\epsilon}"),
        premise=(*PRIVATE, "algorithm.constants is printed", "algorithm.least is 2 or 1/2", *LARGE_DELTA),
        assumes=(VERIFIED,), quantifiers=MEAN, direction="at_most", rate="kst.theorem_4_rate", bound="kst.lemma_3",
        powers={"n": -1, "epsilon": -1, "delta": 1 / 2},
        schedule={"noise_scale": "kst.algorithm_1_noise", "regulariser": "kst.theorem_4_regulariser"},
        constant={"kst_constants": ["known_objective", "bound_objective"]}),
        note=(r"About risk alone: for privacy $\Delta \ge 2 \lambda/\epsilon$ of line 1 is needed, see the errata. "
              r"At $p = 1$ the half on gamma noise has $p \log p = 0$. For $\epsilon$ far above $\log(1/\delta)$, or "
              r"$\delta$ near 1, the noise exceeds any multiple of $\sqrt{p \log 1/\delta}$. Suprema over the norm "
              r"of the data, for linear losses; the dependence on $\delta$ is that of the printed noise.")),
    Statement(item="Assumption 1", kind="definition", place="section 2.2.2", says=Says(
        text=r"Strong convexity $\eta$ of order $\lambda n/p$ in a ball of a certain radius, and $n \ge p^2$.",
        latex=(r"\eta = \Omega(\lambda n/p), \quad \psi \ge \frac{p^{3/2}\zeta\sqrt{\log(1/\delta)}}{\lambda "
               r"n\epsilon^2} + \sqrt{\frac{p}{n}} \|\hat\theta\|_2, \quad n \ge p^2")),
        nothing="The premise of Theorem 5; the data of row 3 of Table 1 satisfy it."),
    Statement(item="Theorem 5", kind="rate", place="section 2.2.2", false=("Theorem 31, radius",), says=Says(
        text=(r"Where the mean loss is $\eta/n$-strongly convex in Assumption 1's ball around its minimiser, $\eta$ "
              r"of order $\lambda n/p$ and $n \ge p^2$, the risk is $O((p^2 \zeta^2 \log(1/\delta)/(\lambda n "
              r"\epsilon) + \lambda \|\hat{\theta}\|^2)/(n \epsilon))$."),
        latex=(r"O\left(\frac{1}{n\epsilon}\left(\frac{p^2\zeta^2\log(1/\delta)}{\lambda n\epsilon} + "
               r"\lambda\|\hat\theta\|_2^2\right)\right)"),
        premise=(*AS_PRINTED, "algorithm.regulariser is least", "eta > 0", "delta > 0", "n >= p^2",
                 "eta >= smoothness*n/p"), assumes=("Assumption 1, with its ball",), quantifiers=MEAN,
        direction="at_most", rate="kst.theorem_5_rate", upper_only=True),
        repaired=Says(
            text=(r"It is where the mean loss is so strongly convex on the whole set, for $\delta \le 1/2$ and "
                  r"$\epsilon \le \log(1/\delta)$."),
            latex=(r"O\left(\frac{1}{n\epsilon}\left(\frac{p^2\zeta^2\log(1/\delta)}{\lambda n\epsilon} + "
                   r"\lambda\|\hat\theta\|_2^2\right)\right)"),
            premise=(*AS_PRINTED, "algorithm.regulariser is least", "eta > 0", "delta > 0", "n >= p^2",
                     "eta >= smoothness*n/p", *RANGE),
            assumes=("the mean loss is eta/n-strongly convex on the whole set", VERIFIED), quantifiers=MEAN,
            direction="at_most", rate="kst.theorem_5_rate", bound="kst.theorem_31",
            schedule={"noise_scale": "kst.algorithm_1_noise", "regulariser": "kst.algorithm_1_regulariser"},
            upper_only=True),
        note=("As an upper bound only, with its constants; the exponents are out of reach, as the second term "
              "rules. With a ball of any fixed multiple of the printed radius an expectation fails in the end, "
              "since the noise leaves it with a probability that does not fall with $n$.")),
    Statement(item="Table 1", kind="rate", place="section 2.2.3", says=Says(
        text=(r"Linear regression with rows and parameter of norm $\sqrt{p}$ loses $p^3/n$, $p^{5/2}/n$, and $p^2/n$ "
              "on nice data."), latex=r"\tilde{O}(p^3/n), \quad \tilde{O}(p^{5/2}/n), \quad \tilde{O}(p^2/n)",
        premise=(*BALANCED, "loss is HalfSquaredLoss", "feature_length <= sqrt(p)", "radius <= sqrt(p)",
                 "label_bound <= p"), assumes=("y = <x, theta*> + w with theta* of norm sqrt(p) or less", VERIFIED),
        quantifiers=MEAN, direction="at_most", rate="kst.theorem_4_rate", bound="kst.lemma_3",
        powers={"n": -1, "epsilon": -1, "delta": 1 / 2},
        schedule={"noise_scale": "kst.algorithm_1_noise", "regulariser": "kst.theorem_4_regulariser"}),
        note="Rows 1 and 2 as exponents, row 3 as an inequality."),
    Statement(item="Definition 2", kind="definition", place="section 3.1", says=Says(
        text="Well-behaved designs, with restricted strong convexity.",
        latex=r"\|M\theta\|_2^2 \ge n'\Psi\|\theta\|_2^2, \quad \|M^T w\|_\infty \le 2\sigma\sqrt{n'\log p}"),
        nothing=("A definition; sparse_fits and sparse_regression measure its first three conditions on their own "
                 "data, which signs attain.")),
    Statement(item="Remark after Definition 2", kind="inequality", place="section 3.1",
        false=("Remark after Definition 2",), says=Says(
            text=("Gaussian rows with eigenvalues below 1 are well behaved with high probability once $n$ grows as "
                  r"$s \log p$."), quantifiers=("with probability",)),
        repaired=Says(
            text=(r"For $n p \ge 2$ rows of deviation $1/(2 \sqrt{\ln(n p)})$ satisfy condition 1 with probability "
                  "$1 - 1/p$ or more."),
            latex=r"1 - (1 - \Pr[|Z| > 2\sqrt{\ln(np)}])^{np} \le \frac{1}{p}", quantifiers=("with probability",),
            direction="at_most", bound="kst.small_probability"),
        note="At $s = 1$, which implies the condition for all $s$."),
    Statement(item="Assumption 2", kind="definition", place="section 3.1", says=Says(
        text="A sparse linear model with a well-behaved design.",
        latex=r"y = M\theta^* + w, \quad \|\theta^*\|_\infty \le 1, \quad \|\theta^*\|_0 \le s, \quad y \in [-s, s]^n"),
        nothing="A definition."),
    Statement(item="Assumption 3", kind="definition", place="section 3.1", says=Says(
        text=r"Assumption 2 on each of $\sqrt{n}$ blocks."),
        nothing="A definition."),
    Statement(item="Table 2", kind="rate", place="section 3.1", false=("Theorem 8, fewer signals",), says=Says(
        text=(r"Sparse regression needs $n$ above $s^3 \log p$ by the exponential mechanism and above $s^2 \log^2 p$ "
              "by sample and aggregate."), latex=r"n = \omega(s^3 \log p), \quad n = \omega(s^2 \log^2 p)",
        assumes=("Assumption 2 for the former, 3 for the latter",), quantifiers=ALL, direction="at_most"),
        repaired=Says(
            text=r"It needs no more, of the latter where $\theta^*$ has just $s$ entries that are not zero.",
            latex=r"n = \omega(s^3 \log p), \quad n = \omega(s^2 \log^2 p)",
            assumes=("Assumption 2 for the former, 3 for the latter, with just s entries of theta* that are not zero",
                     "epsilon, delta, Psi, Phi and sigma are constant"), quantifiers=ALL, direction="at_most"),
        note=("The $n$ at which the exact law of the support reaches a fixed quality, as upper bounds; one power "
              "less is refuted each time.")),
    Statement(item="Theorem 6", kind="rate", place="section 3.2", says=Says(
        text=r"The exponential mechanism over supports loses $O(\alpha s \log p/(\epsilon n))$.",
        latex=(r"\mathbb{E}[\hat{\mathcal{L}}(\phi; \mathcal{D}) - \hat{\mathcal{L}}(\theta^{sp}; \mathcal{D})] = "
               r"O\left(\frac{\alpha s \log p}{\epsilon n}\right)"), premise=SUPPORTS, quantifiers=MEAN,
        direction="at_most", rate="kst.theorem_6_rate", bound="kst.theorem_6", powers={"n": -1, "epsilon": -1},
        schedule={"noise_scale": "kst.algorithm_4_scale"},
        constant={"worst_constants": ["known_supports", "bound_supports"]}),
        note=("Suprema over the gap of the data, by the exact law of the support, for $p$ up to $10^{250}$; the "
              "constant tends to 2.")),
    Statement(item="Theorem 7", kind="rate", place="section 3.2", false=("Theorem 7",), says=Says(
        text=(r"With objective perturbation on the chosen support the risk is $O((s \log(1/\delta)/(n \epsilon \Psi) "
              r"+ s^3 \log p)/(n \epsilon))$."),
        latex=r"O\left(\frac{1}{n\epsilon}\left(\frac{s\log(1/\delta)}{n\epsilon\Psi} + s^3\log p\right)\right)",
        premise=(*SELECTED, "eta > 0", *RANGE), assumes=("Assumption 2",), quantifiers=MEAN, direction="at_most",
        rate="kst.theorem_7_as_printed", constant={"kst_constants": ["known_pipeline", "bound_pipeline"]}),
        repaired=Says(text=(r"The same with $s^4 \log(1/\delta)$ in the first term, for $\delta \le 1/2$ and "
                            r"$\epsilon \le \log(1/\delta)$."),
            latex=r"O\left(\frac{1}{n\epsilon}\left(\frac{s^4\log(1/\delta)}{n\epsilon\Psi} + s^3\log p\right)\right)",
            premise=(*SELECTED, "eta > 0", *RANGE), assumes=("Assumption 2, and a support from Algorithm 4", VERIFIED),
            quantifiers=MEAN, direction="at_most", rate="kst.theorem_7_rate", bound="kst.theorem_35",
            schedule={"noise_scale": "kst.theorem_7_scale", "regulariser": "kst.theorem_7_regulariser"}),
        note=("Each term is seen by itself, the first where the support is found, the second where signals are "
              r"weak. The printed sum is contradicted only where $\ln(1/\delta)$ is far above $s \ln^2 p$; it is the "
              "first term alone that is refuted.")),
    Statement(item="Theorem 8", kind="inequality", place="section 3.3", false=("Theorem 8, fewer signals",), says=Says(
        text=("If all blocks find the support, sample and aggregate returns it with probability $1 - p "
              r"\exp(-\epsilon k/(4 s))$ or more."),
        latex=r"\Pr[\hat\Gamma = \hat\Gamma^*] \ge 1 - p \exp\left(-\frac{\epsilon k}{4s}\right)",
        premise=("algorithm is SampleAndAggregate",), assumes=("the support of each block is the right one",),
        quantifiers=PROB, direction="at_most", bound="kst.theorem_8",
        schedule={"noise_scale": "kst.algorithm_5_scale"}),
        repaired=Says(text="It does where the support has $s$ elements.",
            latex=r"\Pr[\hat\Gamma = \hat\Gamma^*] \ge 1 - p \exp\left(-\frac{\epsilon k}{4s}\right)",
            premise=("algorithm is SampleAndAggregate",),
            assumes=("the support of each block is the right one, of s elements",), quantifiers=PROB,
            direction="at_most", bound="kst.theorem_8", schedule={"noise_scale": "kst.algorithm_5_scale"}),
        note="Draws agree with the exact probability, which falls twice as fast in $k$."),
    Statement(item="Theorem 9", kind="rate", place="section 3.3", restates=("Theorem 43",),
        false=("Theorem 8, fewer signals",), says=Says(
        text=(r"Under Assumption 3 and for $n \ge (16 \sigma/(\Psi \Phi))^4 s^2 \log^2 p$ sparse regression by "
              r"sample and aggregate has, with probability $1 - p \exp(-\epsilon \sqrt{n}/(8 s))$ over the choice of "
              r"the support, the risk $O(s^2/(n \epsilon) (s^2 \log(1/\delta)/(n \epsilon \Psi) + 1))$."),
        latex=r"O\left(\frac{s^2}{n\epsilon} \left(\frac{s^2 \log(1/\delta)}{n\epsilon \Psi} + 1\right)\right)",
        premise=(*AGGREGATED, "eta > 0", *RANGE), assumes=(BLOCKS,),
        quantifiers=("for all data", "in expectation", "with probability"), direction="at_most",
        rate="kst.theorem_9_rate", constant={"kst_constants": ["known_small_aggregated", "bound_aggregated"]}),
        repaired=Says(
            text=(r"The same where $\theta^*$ has just $s$ entries that are not zero, for $\delta \le 1/2$ and "
                  r"$\epsilon \le \log(1/\delta)$."),
            latex=(r"O\left(\frac{s^2}{n\epsilon} \left(\frac{s^2 \log(1/\delta)}{n\epsilon \Psi} + "
                   r"1\right)\right)"),
            premise=(*AGGREGATED, "eta > 0", *RANGE), assumes=(BLOCKS_RIGHT, VERIFIED),
            quantifiers=("for all data", "in expectation", "with probability"), direction="at_most",
            rate="kst.theorem_9_rate", bound="kst.theorem_44",
            schedule={"noise_scale": "kst.theorem_9_scale", "regulariser": "kst.theorem_7_regulariser"},
            constant={"kst_constants": ["known_small_aggregated", "bound_aggregated"]}),
        note="Its first term, with its constant; the second is an upper bound for the bias, which is smaller."),
    Statement(item="Table 3", kind="definition", place="appendix A", says=Says(
        text="The objective functions and the names of their minimisers."),
        nothing="Notation; nothing to measure."),
    Statement(item="Lemma 10", kind="privacy", place="appendix B", restates=("Theorem 1",), says=Says(
        text="Privacy of a pair of neighbours passes to pointwise limits.",
        latex=(r"\mu^i_{\mathcal{D}}(E) \le e^{\epsilon}\mu^i_{\mathcal{D}'}(E) + \delta \;\forall i \;\Rightarrow\; "
               r"\mu_{\mathcal{D}}(E) \le e^{\epsilon}\mu_{\mathcal{D}'}(E) + \delta"),
        assumes=("both sequences converge for every b",), quantifiers=("in the limit",)),
        note="On the pairs and the limit of Theorem 1's row, which is this lemma for all pairs."),
    Statement(item="Claim 11", kind="inequality", place="appendix B", says=Says(
        text="Borel sets are approximated by open and closed sets.",
        latex=r"B \subseteq E \subseteq A, \quad \mu(A) - \xi \le \mu(E) \le \mu(B) + \xi", quantifiers=EXACT,
        direction="at_most"),
        note="Regularity of measures, a textbook's theorem about sets; no number in it can be measured."),
    Statement(item="Claim 12", kind="inequality", place="appendix B", says=Says(
        text=("The measure of an open set under the limit is at most the lower limit of its measures, that of a closed "
              "set at least the upper limit."),
        latex=(r"\mu_{\mathcal{D}}(A) \le \liminf_{i \to \infty} \mu^i_{\mathcal{D}}(A), \quad "
               r"\mu_{\mathcal{D}}(B) \ge \limsup_{i \to \infty} \mu^i_{\mathcal{D}}(B)"),
        quantifiers=("in the limit",), direction="at_most"),
        note=(r"Open half-lines around the atom of an $\ell_1$ penalty in one dimension, whose complements are the "
              "closed ones; the first half is false of closed half-lines.")),
    Statement(item="Claim 13", kind="inequality", place="appendix B", says=Says(
        text=("Where all members of two sequences satisfy the inequality of privacy on all Borel sets, and have the "
              "limits of Claim 12, the limits satisfy it too."),
        latex=r"\mu_{\mathcal{D}}(E) \le e^{\epsilon}\mu_{\mathcal{D}'}(E) + \delta", quantifiers=EXACT,
        direction="at_most"),
        note=("By Claim 11; like it, about all Borel sets, with no number that can be measured. Printed of one Borel "
              "set, see the errata.")),
    Statement(item="Lemma 14", kind="privacy", place="appendix C.1", restates=("Theorem 2",), says=Says(
        text=(r"Objective perturbation with $\Delta \ge 2 \lambda/\epsilon$ is private for losses whose Hessian has "
              "a rank of at most one, smooth penalties and no constraints."), premise=AS_PRINTED,
        assumes=("a twice continuously differentiable penalty, and no constraint",), quantifiers=ALL,
        schedule={"noise_scale": "kst.algorithm_1_noise"}),
        note=("Exactly computed in one dimension, without constraint or penalty, for chosen pairs of neighbours. In "
              "the proof $E$ lacks the sign of A, see the errata.")),
    Statement(item="Lemma 15", kind="inequality", place="appendix C.1", false=("Lemma 15",), says=Says(
        text=(r"If $E$ has a rank of at most two, $\det(A + E)/\det(A) - 1$ is the sum of the two highest "
              "eigenvalues of $A^{-1} E$ and their product."),
        latex=(r"\frac{\det(A+E) - \det(A)}{\det(A)} = \lambda_1(A^{-1}E) + \lambda_2(A^{-1}E) + "
               r"\lambda_1(A^{-1}E)\lambda_2(A^{-1}E)"), quantifiers=EXACT, direction="equals"),
        repaired=Says(text="It is with the eigenvalues that are not zero, two at most, of either sign; others are 0.",
            latex=(r"\frac{\det(A+E) - \det(A)}{\det(A)} = \lambda_1(A^{-1}E) + \lambda_2(A^{-1}E) + "
                   r"\lambda_1(A^{-1}E)\lambda_2(A^{-1}E)"),
            assumes=("A is invertible, and E has a rank of at most two",), quantifiers=EXACT, direction="equals"),
        note="Quoted from elsewhere; random matrices."),
    Statement(item="Lemma 16", kind="inequality", place="appendix C.1", says=Says(
        text=r"A projection of a Gaussian vector on $v$ is Gaussian with variance $\|v\|^2$.",
        latex=r"\langle Z, v \rangle \sim \mathcal{N}(0, \|v\|_2^2)", quantifiers=EXACT, direction="equals"),
        note="By convolution, $v_j = 1/j$."),
    Statement(item="Lemma 17", kind="inequality", place="appendix C.1", says=Says(
        text=r"$\Pr(|Z| > t) \le \exp(-t^2/2)$ for $t > 1$.", latex=r"\Pr[|Z| > t] \le e^{-t^2/2}",
        premise=("deviations >= 1",), quantifiers=EXACT, direction="at_most", bound="kst_tails.lemma_17")),
    Statement(item="Lemma 18", kind="inequality", place="appendix C.2", says=Says(
        text=("Minimisers of objectives with mollified penalties converge pointwise to the minimiser with the penalty "
              "itself."), latex=r"\lim_{i \to \infty} \phi^i_{\mathcal{D}}(b) = \phi_{\mathcal{D}}(b)",
        quantifiers=LIMIT, direction="at_most", bound="kst_lemmas.lemma_18"),
        note=(r"An $\ell_1$ penalty in up to 5 dimensions, the worst noise vector; within the proof's $\sqrt{4 "
              r"\xi/\Delta}$.")),
    Statement(item="Claim 19", kind="inequality", place="appendix C.2", says=Says(
        text="Objectives with mollified penalties converge uniformly on bounded sets.",
        latex=r"n|J^{priv^i}(\theta, b; \mathcal{D}) - J^{priv}(\theta, b; \mathcal{D})| \le \xi",
        assumes=("theta stays in a bounded set",), quantifiers=LIMIT, direction="at_most", bound="kst_lemmas.claim_19"),
        note=r"An $\ell_1$ penalty; of $\theta^4$ on an unbounded set it is false."),
    Statement(item="Lemma 20", kind="privacy", place="appendix C.2", says=Says(
        text=(r"Objective perturbation with $\Delta \ge 2 \lambda/\epsilon$ is private for losses whose Hessian has "
              "a rank of at most one and any convex penalty, without constraints."), premise=AS_PRINTED,
        assumes=("no constraint",), quantifiers=ALL, schedule={"noise_scale": "kst.algorithm_1_noise"}),
        note=r"Exactly computed in one dimension with an $\ell_1$ penalty, for chosen pairs of neighbours."),
    Statement(item="Lemma 21", kind="inequality", place="appendix C.3", says=Says(
        text="Minimisers with growing penalties for leaving the set converge to the constrained one.",
        latex=r"\lim_{i \to \infty} \phi^i_{\mathcal{D}}(b) = \phi_{\mathcal{D}}(b)",
        assumes=("the penalty is a multiple of the distance to the set",), quantifiers=LIMIT, direction="equals"),
        note="In one dimension; they are equal from the slope on that the proof takes, not with squared distances."),
    Statement(item="Claim 22", kind="inequality", place="appendix C.3", false=("Claim 22",), says=Says(
        text=r"A $\Delta$-strongly convex function exceeds its minimum by $\Delta/2$ times the distance.",
        latex=r"g(\theta) - g(\hat\theta) \ge \frac{\Delta}{2}\|\theta - \hat\theta\|_2", quantifiers=EXACT,
        direction="at_least", bound="kst_tails.claim_22_as_printed"),
        repaired=Says(text=r"It exceeds it by $\Delta/2$ times the squared distance.",
            latex=r"g(\theta) - g(\hat\theta) \ge \frac{\Delta}{2}\|\theta - \hat\theta\|_2^2", quantifiers=EXACT,
            direction="at_least", bound="kst_tails.claim_22")),
    Statement(item="Claim 23", kind="inequality", place="appendix C.3", says=Says(
        text="Difference quotients of a convex function grow.",
        latex=(r"\frac{g(\theta_1 + s\theta_2) - g(\theta_1)}{\|s\theta_2\|_2} \ge \frac{g(\theta_1 + \theta_2) - "
               r"g(\theta_1)}{\|\theta_2\|_2}"), premise=("stretch >= 1",), assumes=("g is convex",), quantifiers=EXACT,
        direction="at_least"),
        note="Powers of $|t|$ of 1 to 4; false for a power of 1/2 and for $s < 1$."),
    Statement(item="Lemma 24", kind="inequality", place="appendix D.1", says=Says(
        text=r"The noise moves the minimiser by at most $2 \|b\|/\Delta$.",
        latex=r"\|\theta^{\#} - \theta^{priv}\|_2 \le \frac{2\|b\|_2}{\Delta}", premise=RUNS,
        assumes=("Delta is positive",), quantifiers=EACH, direction="at_most"),
        note="Every draw; the largest share of the bound is a half, as the proof drops a term."),
    Statement(item="Corollary 25", kind="inequality", place="appendix D.1", says=Says(
        text=r"The noise costs at most $2 \|b\|^2/(\Delta n)$ of the regularised objective.",
        latex=r"J^{\#}(\theta^{priv}; \mathcal{D}) - J^{\#}(\theta^{\#}; \mathcal{D}) \le \frac{2\|b\|_2^2}{\Delta n}",
        premise=RUNS, assumes=("Delta is positive",), quantifiers=EACH, direction="at_most"),
        note="Every draw; the largest share of the bound is a quarter."),
    Statement(item="Theorem 26", kind="inequality", place="appendix D.1.2", false=("Lemma 28, consequence",), says=Says(
        text=(r"With probability $1 - \gamma$ the risk is at most $8 \zeta^2 p^2 \log^2(p/\gamma)/(n \epsilon^2 "
              r"\Delta)$ with gamma noise, $4 p \zeta^2 (8 \log(2/\delta) + 4 \epsilon) \log(1/\gamma)/(n \epsilon^2 "
              r"\Delta)$ with Gaussian noise, and $\Delta \|\hat{\theta}\|^2/(2n)$ besides."),
        latex=(r"\frac{8\zeta^2 p^2 \log^2\frac{p}{\gamma}}{n\epsilon^2\Delta} + \frac{\Delta}{2n}\|\hat\theta\|_2^2, "
               r"\quad \frac{4p\zeta^2(8\log\frac{2}{\delta} + 4\epsilon)\log(1/\gamma)}{n\epsilon^2\Delta} + "
               r"\frac{\Delta}{2n}\|\hat\theta\|_2^2"), premise=DRAWN, assumes=("Delta is positive",), quantifiers=PROB,
        direction="at_most"),
        repaired=Says(text=r"It is, with $1 + \log(1/\gamma)$ in the place of $\log(1/\gamma)$.",
            latex=(r"\frac{8\zeta^2 p^2 \log^2\frac{p}{\gamma}}{n\epsilon^2\Delta} + "
                   r"\frac{\Delta}{2n}\|\hat\theta\|_2^2, \quad \frac{4p\zeta^2(8\log\frac{2}{\delta} + 4\epsilon)(1 + "
                   r"\log(1/\gamma))}{n\epsilon^2\Delta} + \frac{\Delta}{2n}\|\hat\theta\|_2^2"), premise=DRAWN,
            assumes=("Delta is positive",), quantifiers=PROB, direction="at_most"),
        note=("The half on gamma noise stands as printed. By Lemma 3, for every draw, and the exact tails of "
              r"$\|b\|$.")),
    Statement(item="Lemma 27", kind="inequality", place="appendix D.1.2", says=Says(
        text=r"A gamma variable exceeds $p \theta \log(p/\gamma)$ with probability at most $\gamma$.",
        latex=r"\Pr[X \ge p\theta\log\frac{p}{\gamma}] \le \gamma", premise=("p >= 1", "gamma <= 1"),
        quantifiers=("with probability",), direction="at_most", bound="kst_tails.level")),
    Statement(item="Lemma 28", kind="inequality", place="appendix D.1.2", says=Says(
        text=(r"A Gaussian vector's norm exceeds $\sqrt{\phi p}$ with probability at most $\exp(-p (\phi - 1 - \log "
              r"\phi)/2)$."),
        latex=r"\Pr[\|X\|_2 \ge \sqrt{\phi p}] \le e^{-\frac{p}{2}(\phi - 1 - \log\phi)}", premise=("phi >= 1",),
        quantifiers=("with probability",), direction="at_most", bound="kst_tails.lemma_28"),
        note="What the next two lines draw from it is false, see the errata."),
    Statement(item="Theorem 29", kind="rate", place="appendix D.2", false=("Theorem 29",), says=Says(
        text=(r"On generalised linear models the population risk of Algorithm 1 is $R L \sqrt{p \log 1/\delta} "
              r"\|\theta\|/(\epsilon n)$."),
        latex=r"O\left(\frac{(RL)\sqrt{p\log(1/\delta)}\|\bar\theta\|_2}{\epsilon n}\right)",
        premise=(*BALANCED, "delta > 0"), quantifiers=MEAN, direction="at_most",
        rate="kst_population.theorem_29_as_printed", powers={"n": -1, "p": 1 / 2, "epsilon": -1, "delta": 1 / 2}),
        repaired=Says(
            text=(r"It is that and a sampling term of order $R L/\sqrt{n}$, both times the radius of a bounded set "
                  r"in the place of $\|\theta\|$, in $\Delta$ too."),
            latex=(r"O\left(\frac{(RL)\sqrt{p\log(1/\delta)}\|\mathbb{F}\|_2}{\epsilon n} + "
                   r"\frac{RL\|\mathbb{F}\|_2}{\sqrt{n}}\right)"), premise=(*BALANCED, "delta > 0", "radius < inf"),
            assumes=("records are drawn independently",
                     "the bounded set of which `radius` is the norm holds theta_bar", VERIFIED), quantifiers=MEAN,
            direction="at_most", rate="kst_population.theorem_29_rate", bound="kst_population.theorem_29",
            schedule={"noise_scale": "kst.algorithm_1_noise", "regulariser": "kst.theorem_4_regulariser"}),
        note=(r"No worst data are searched for, as records are draws. Over a set that is large beside $\|\theta\|$, "
              r"with curvature $\Delta/n$, the answer's own deviation costs $(R L)^2/(8 \Delta)$, whatever $n$.")),
    Statement(item="Theorem 30", kind="inequality", place="appendix E.1", false=("Lemma 28, consequence",), says=Says(
        text=(r"Where the mean loss is $\eta/n$-strongly convex around its minimiser, $\theta^{\mathrm{priv}}$ is, "
              r"with probability $1 - \gamma$, within $\sqrt{2p} \zeta \sqrt{(8 \log(2/\delta) + 4 \epsilon) "
              r"\log(1/\gamma)}/(\epsilon (\Delta + \eta))$ of $\theta$# and that plus $\sqrt{\Delta/(\Delta + "
              r"\eta)} \|\hat{\theta}\|$ of $\hat{\theta}$."),
        latex=(r"\|\theta^{priv} - \hat\theta\|_2 \le \frac{\sqrt{2p}\zeta\sqrt{(8\log\frac{2}{\delta} + "
               r"4\epsilon)\log(1/\gamma)}}{\epsilon(\Delta + \eta)} + \sqrt{\frac{\Delta}{\Delta + "
               r"\eta}}\|\hat\theta\|_2"), premise=DRAWN, assumes=(RADIUS,), quantifiers=PROB, direction="at_most"),
        repaired=Says(text=r"It is, with $1 + \log(1/\gamma)$ in the place of $\log(1/\gamma)$.",
            latex=(r"\|\theta^{priv} - \hat\theta\|_2 \le \frac{\sqrt{2p}\zeta\sqrt{(8\log\frac{2}{\delta} + "
                   r"4\epsilon)(1 + \log(1/\gamma))}}{\epsilon(\Delta + \eta)} + \sqrt{\frac{\Delta}{\Delta + "
                   r"\eta}}\|\hat\theta\|_2"), premise=DRAWN, assumes=(RADIUS,), quantifiers=PROB, direction="at_most"),
        note="By the distance for every draw of the noise, and the exact tail of its norm."),
    Statement(item="Theorem 31", kind="inequality", place="appendix E.2",
        false=("Theorem 31, radius", "Lemma 28, consequence"), says=Says(
        text=(r"Where the mean loss is $\eta/n$-strongly convex in a ball of radius $\sqrt{p} \zeta "
              r"\sqrt{\log(1/\delta) \log(1/\gamma)}/(\epsilon (\Delta + \eta)) + \sqrt{\Delta/(\Delta + \eta)} "
              r"\|\hat{\theta}\|$ around its minimiser, the risk is, with probability $1 - \gamma$, $O(p \zeta^2 "
              r"\log(1/\delta) \log(1/\gamma)/(n \epsilon^2 (\Delta + \eta)) + \Delta \|\hat{\theta}\|^2/n)$."),
        latex=(r"O\left(\frac{p\zeta^2\log(1/\delta)\log(1/\gamma)}{n\epsilon^2(\Delta + \eta)} + "
               r"\frac{\Delta}{n}\|\hat\theta\|_2^2\right)"), premise=NICE, quantifiers=PROB, direction="at_most"),
        repaired=Says(
            text=(r"It is, with $1 + \log(1/\gamma)$ in the place of $\log(1/\gamma)$, and in a ball of Theorem 30's "
                  r"radius, for $\delta \le 1/2$ and $\epsilon \le \log(1/\delta)$."),
            latex=(r"O\left(\frac{p\zeta^2\log(1/\delta)(1 + \log(1/\gamma))}{n\epsilon^2(\Delta + \eta)} + "
                   r"\frac{\Delta}{n}\|\hat\theta\|_2^2\right)"), premise=(*NICE, *RANGE), assumes=(RADIUS, VERIFIED),
            quantifiers=PROB, direction="at_most", bound="kst.theorem_31"),
        note=(r"By the risk in expectation (Theorem 5), and the exact tail of $\|b\|$. A smaller ball is enough; the "
              "least one is derived here (Radius of local strong convexity).")),
    Statement(item="Theorem 32", kind="privacy", place="appendix F.1.1", says=Says(
        text=r"The exponential mechanism over supports is $\epsilon$-private.",
        latex=r"\Pr[\hat\Gamma = \Gamma] \propto e^{-\frac{\epsilon}{2\alpha} q(\Gamma; \mathcal{D})}",
        premise=("algorithm is ExponentialSupport", "loss_bound < inf", "relation is add_or_remove_one or zero_out"),
        quantifiers=ALL,
        schedule={"noise_scale": "kst.algorithm_4_scale"}),
        note=r"All 66 supports of a small problem; half of $\epsilon$ is what is spent, and is attained."),
    Statement(item="Lemma 33", kind="inequality", place="appendix F.1.1", says=Says(
        text=r"The score of a support has sensitivity $\alpha$.",
        latex=(r"|q(\Gamma; \mathcal{D}') - q(\Gamma; \mathcal{D})| \le \max_{\theta \in \mathbb{F}_\Gamma, d} "
               r"\ell(\theta; d) \le \alpha"), premise=("relation is add_or_remove_one or zero_out",),
        assumes=("losses are not negative",), quantifiers=ALL, direction="at_most")),
    Statement(item="Theorem 34", kind="inequality", place="appendix F.2", says=Says(
        text=(r"With probability $1 - \gamma$ the chosen support loses at most $2 \alpha s \log(p/\gamma)/(\epsilon "
              "n)$."),
        latex=(r"\hat{\mathcal{L}}(\phi; \mathcal{D}) - \hat{\mathcal{L}}(\theta^{sp}; \mathcal{D}) \le \frac{2\alpha "
               r"s \log(p/\gamma)}{\epsilon n}"), premise=SUPPORTS, quantifiers=PROB, direction="at_most",
        bound="kst.theorem_34", schedule={"noise_scale": "kst.algorithm_4_scale"}),
        note=r"Printed with an equality sign, see the errata. Attained up to the factor $1/(1 + \gamma)$ at $s = 1$."),
    Statement(item="Theorem 35", kind="inequality", place="appendix F.3", says=Says(
        text="The pipeline of the exponential mechanism and objective perturbation, with constants.",
        latex=(r"\frac{16s\zeta^2(8\log\frac{2}{\delta} + 2\epsilon)\log(2/\gamma)}{n\epsilon^2(\Delta + n\Psi)} + "
               r"\frac{4\alpha s}{n\epsilon}\log\frac{2p}{\gamma} + \frac{\Delta}{2n}\|\phi\|_2^2"),
        premise=(*SELECTED, "eta >= 0"), assumes=("a support from Algorithm 4",), quantifiers=PROB, direction="at_most",
        bound="kst.theorem_35",
        schedule={"noise_scale": "kst.theorem_7_scale", "regulariser": "kst.theorem_7_regulariser"}),
        note="In expectation with sharper constants, half of which is refuted; the printed tail was never reached."),
    Statement(item="Theorem 36", kind="privacy", place="appendix G.2", says=Says(
        text=(r"Sample and aggregate (Algorithm 5) is $\epsilon$-private where the partition is such that a record "
              "changes one block."), premise=("algorithm is SampleAndAggregate",),
        assumes=("n and the order of records are public and a record is replaced at its place, or blocks are assigned "
                 "at random and k is public",), quantifiers=ALL, schedule={"noise_scale": "kst.algorithm_5_scale"}),
        note=('"Partition the dataset into $k$ blocks of size $n/k$" leaves open how. Of consecutive blocks it is '
              "false where a record comes or goes, see the errata.")),
    Statement(item="Theorem 37", kind="privacy", place="appendix G.2", says=Says(
        text=r"Choosing the top $s$ of scores with Laplace noise $2 s \Delta_q/\epsilon$ is $\epsilon$-private.",
        latex=r"q_{noisy}(a, \mathcal{D}) = q(a, \mathcal{D}) + Lap\left(\frac{2s(\Delta q)}{\epsilon}\right)",
        quantifiers=ALL),
        note="Quoted from elsewhere, modified. For $p$ up to 5 and $s$ up to 3; attained."),
    Statement(item="Theorem 38", kind="privacy", place="appendix G.4.1", false=("Algorithm 6, number of blocks",),
        says=Says(
        text=r"Algorithm 6, private sparse regression, is $(\epsilon, \delta)$-private where a record comes or goes.",
        premise=("algorithm is SparseRegression",), quantifiers=ALL),
        repaired=Says(
            text=("It is where a record is zeroed out at its place: $n$, which rules $k$, and the order of the "
                  "records are public."), premise=(*SQUARED, "relation is zero_out"),
            assumes=("n and the order of records are public", "Delta is at least 2 lambda/(epsilon/2) = 4 s/epsilon"),
            quantifiers=ALL,
            schedule={"noise_scale": "kst.theorem_9_scale", "regulariser": "kst.theorem_7_regulariser"}),
        note="The joint law of support and answer on two coordinates."),
    Statement(item="Lemma 39", kind="inequality", place="appendix G.4.1", says=Says(
        text="The gradient on a support of size $s$ is at most $2 s^{3/2}$.",
        latex=r"\|\nabla\ell(\theta; d)\|_2 \le 2s^{3/2}",
        assumes=("||x||_2 <= sqrt(s) on the support, |y| <= s, ||theta||_inf <= 1",), quantifiers=ALL,
        direction="at_most", bound="kst.lemma_39"),
        note="The text at hand has < in the place of <=, see the errata."),
    Statement(item="Lemma 40", kind="inequality", place="appendix G.4.1", says=Says(
        text="The eigenvalues of a weighted sum of rank-one matrices sum to at most the weighted squared norms.",
        latex=r"\sum_{i=1}^p |\lambda_i(A)| \le \sum_i |w_i| \cdot \|x_i\|_2^2", quantifiers=EXACT, direction="at_most",
        bound="kst_lemmas.lemma_40"),
        note="Quoted from elsewhere; random matrices, and orthogonal ones, which attain it."),
    Statement(item="Lemma 41", kind="inequality", place="appendix G.4.2", says=Says(
        text=(r"For $n \ge (16 \sigma/(\Psi \Phi))^4 s^2 \log^2 p$ the $s$ coordinates of every block contain the "
              "support."),
        latex=r"n \ge \left(\frac{16\sigma}{\Psi\Phi}\right)^4 s^2\log^2 p", premise=("loss is HalfSquaredLoss",),
        assumes=("Assumption 3, with blocks of sqrt(n) rows, and Lambda = 4 sigma n^(1/4) sqrt(log p)",),
        quantifiers=ALL),
        note=("On certified designs with the worst admissible noise, from the least $n$ on; half the least signal "
              "is refuted.")),
    Statement(item="Lemma 42", kind="inequality", place="appendix G.4.2", says=Says(
        text=r"The $\ell_1$-penalised estimate errs by at most $8 \sigma/\Psi \sqrt{s \log p/n}$.",
        latex=r"\|\hat\theta - \theta^*\|_2^2 \le \frac{64\sigma^2}{\Psi^2}\frac{s\log p}{n}",
        premise=("algorithm is PenalisedLeastSquares", "loss is HalfSquaredLoss"),
        assumes=("(X, w) is (s, sigma, Psi)-well behaved, and Lambda = 4 sigma sqrt(n log p)",), quantifiers=ALL,
        direction="at_most", bound="kst.lemma_42"),
        note=("Quoted from elsewhere. On orthogonal designs the worst admissible noise reaches 9/16 of the squared "
              "bound; a tenth of the penalty exceeds it.")),
    Statement(item="Theorem 43", kind="rate", place="appendix G.4.2", false=("Theorem 8, fewer signals",), says=Says(
        text="Theorem 9 again, with its probability.",
        latex=r"O\left(\frac{1}{n\epsilon}\left(\frac{s^4\log(1/\delta)}{n\epsilon\Psi} + s^2\right)\right)",
        premise=(*AGGREGATED, "eta > 0", *RANGE), assumes=(BLOCKS,),
        quantifiers=("for all data", "in expectation", "with probability"), direction="at_most",
        rate="kst.theorem_9_rate", constant={"kst_constants": ["known_small_aggregated", "bound_aggregated"]}),
        repaired=Says(
            text=(r"The same where $\theta^*$ has just $s$ entries that are not zero, for $\delta \le 1/2$ and "
                  r"$\epsilon \le \log(1/\delta)$."),
            latex=r"O\left(\frac{1}{n\epsilon}\left(\frac{s^4\log(1/\delta)}{n\epsilon\Psi} + s^2\right)\right)",
            premise=(*AGGREGATED, "eta > 0", *RANGE), assumes=(BLOCKS_RIGHT, VERIFIED),
            quantifiers=("for all data", "in expectation", "with probability"), direction="at_most",
            rate="kst.theorem_9_rate", bound="kst.theorem_44",
            schedule={"noise_scale": "kst.theorem_9_scale", "regulariser": "kst.theorem_7_regulariser"}),
        note="Line 4 of Algorithm 6 is read as line 3 of Algorithm 3 has it, see the errata."),
    Statement(item="Theorem 44", kind="inequality", place="appendix G.4.2",
        false=("Theorem 8, fewer signals", "Lemma 28, consequence"), says=Says(
        text="Theorem 43 with its constants.",
        latex=(r"\frac{64s^4(8\log\frac{2}{\delta} + 2\epsilon)\log\frac{1}{\gamma}}{n\epsilon^2(\Delta + \Psi)} + "
               r"\frac{\Delta}{2n}\|\theta^{Emp}\|_2^2"), premise=(*AGGREGATED, "eta >= 0"), assumes=(BLOCKS,),
        quantifiers=PROB, direction="at_most"),
        repaired=Says(
            text=(r"The same where $\theta^*$ has just $s$ entries that are not zero, with $1 + \log(1/\gamma)$ in "
                  r"the place of $\log(1/\gamma)$, and with the denominator $\Delta + n \Psi$."),
            latex=(r"\frac{64s^4(8\log\frac{2}{\delta} + 2\epsilon)(1 + \log\frac{1}{\gamma})}{n\epsilon^2(\Delta + "
                   r"n\Psi)} + \frac{\Delta}{2n}\|\theta^{Emp}\|_2^2"), premise=(*AGGREGATED, "eta >= 0"),
            assumes=(BLOCKS_RIGHT,), quantifiers=PROB, direction="at_most", bound="kst.theorem_44",
            schedule={"noise_scale": "kst.theorem_9_scale", "regulariser": "kst.theorem_7_regulariser"}),
        note=(r"As printed its denominator has $\Psi$ in place of $n \Psi$, which makes the bound weaker: what fails "
              r"is the probability, of the support and for $\gamma$ near 1, see the errata.")),
)
# fmt: on
