"""Arora et al. (2022), Differentially Private Generalized Linear Models Revisited: every numbered statement."""

from __future__ import annotations

from typing import Any

from dprepro.statements.statement import Kind, Says, Statement

BUDGET = ("epsilon < inf", "delta > 0")
RELATION = ("relation is replace_one or zero_out",)
CERTIFIED = (*BUDGET, "delta <= 0.3", "delta >= 1e-200", "epsilon <= 4*ln(1/delta)^0.23")
"""Where steps of the printed noise are certified together."""

VERIFIED = "the range of epsilon is what was verified; the paper leaves it open"
EVERY = "the range of epsilon is what was verified; printed is every epsilon > 0"

SMOOTH = ("set is L2Ball", "smoothness < inf", "smoothness > 0", "n >= smoothness*radius^2/label_level^2")
GLM = "loss is SquaredLoss or HalfSquaredLoss or LogisticLoss or HuberLoss or HuberisedPartLoss"
SLOPED = "loss is AbsoluteLoss or LogisticLoss or HingeLoss or PositivePartLoss or HuberLoss or HuberisedPartLoss"
HIDDEN = ("relation is replace_one", "epsilon >= 1/n", "epsilon <= 1", "delta <= (1-exp(-epsilon))/16")
DESCENT = ("algorithm is NoisyGD", "algorithm.constants is printed")
PROJECTED = ("algorithm is JohnsonLindenstrauss", "algorithm.constants is printed")
PERTURBED = ("algorithm is RegularisedOutputPerturbation", "algorithm.setting is smooth")
SLOPES = ("algorithm is RegularisedOutputPerturbation", "algorithm.setting is lipschitz")
PRINTED = "algorithm.constants is printed"
NORM = ("B >= ||w*||", "records are drawn independently")
CONVEX = ("losses are convex, smooth ones nowhere negative",)

# fmt: off
THEOREM_2: dict[str, Any] = {
    "latex": (
        r"\tilde{O}\left(\frac{\sqrt{H}B\|X\|\|Y\|}{\sqrt{n}} + \frac{(\sqrt{H}B\|X\|\sqrt{\|Y\|})^{4/3} "
        r"+ (\sqrt{H}B\|X\|)^2}{(n\epsilon)^{2/3}}\right)"
    ),
    "premise": (*BUDGET, *SMOOTH, GLM, *PROJECTED),
    "assumes": NORM, "rate": "glm.theorem_2_rate", "powers": {"p": 0},
}
THEOREM_3: dict[str, Any] = {
    "latex": (
        r"\tilde{O}\left(\frac{\sqrt{H}B\|X\|\|Y\| + \|Y\|^2}{\sqrt{n}} + \frac{(\sqrt{H}B\|X\|)^{4/3}\|Y\|^{2/3} "
        r"+ (\sqrt{H}B\|X\|)^2}{(n\epsilon)^{2/3}}\right)"
    ),
    "premise": (*BUDGET, *SMOOTH, GLM, *PERTURBED, PRINTED),
    "assumes": NORM, "rate": "glm.theorem_3_rate", "powers": {"p": 0},
}
OTHER_NORMS = ("relation is replace_one", "epsilon <= 1", "delta <= epsilon")
OTHER_ASSUMED = ("1/p + 1/q = 1, p above 1", "the conditions on epsilon and delta are those of Theorem 6")
LEMMA_1: dict[str, Any] = {
    "latex": r"E[|A(S) - \tau| + |A(S') - \tau'|] \ge \frac14 |\tau - \tau'|",
    "premise": ("relation is replace_one", "delta <= (1-exp(-epsilon))/16"),
    "quantifiers": ("for every private algorithm", "for all data", "in expectation"), "direction": "at_least",
}
THEOREM_7: dict[str, Any] = {
    "premise": ("epsilon <= 1", *BUDGET, "smoothness < inf", "smoothness > 0", "algorithm is GridSearch"),
    "assumes": ("ERR(2^K) >= Y^2", "but with chance beta/(4K) a run's risk is at most ERR(B), its losses Delta(B)"),
    "schedule": {"noise_scale": "glm_adaptation.theorem_7_noise"},
}


def _mean(text: str, **more: Any) -> Says:
    """At most, in expectation, whatever the data."""
    return Says(text=text, quantifiers=("for all data", "in expectation"), direction="at_most", **more)


def _likely(text: str, **more: Any) -> Says:
    """At most, with probability 1 - beta, whatever the data."""
    return Says(text=text, quantifiers=("for all data", "with probability"), direction="at_most", **more)


def _private(text: str, **more: Any) -> Says:
    """A privacy statement, which holds for all data."""
    return Says(text=text, quantifiers=("for all data",), direction="at_most", **more)


def _named(item: str, kind: Kind, place: str, text: str) -> Statement:
    """An item whose statement is in an appendix that is not at hand."""
    note = "Named in the body; its statement is in an appendix that is not at hand."
    return Statement(item=item, kind=kind, place=place, says=Says(text=text), note=note)


def _lower(text: str, **more: Any) -> Says:
    """At least, for every private algorithm on some data."""
    who = ("for every private algorithm", "for some data", "in expectation")
    return Says(text=text, quantifiers=who, direction="at_least", **more)


STATEMENTS = (
    Statement(item="Table 1", kind="rate", place="Table 1",
        restates=("Theorem 1", "Theorem 2", "Theorem 3", "Theorem 5"), says=_mean(
            (r"Private upper rates by regime of dimension and of $\|w^*\|$; in high dimension $(\sqrt{H} \|w^*\| "
             r"X)^{2/3} Y^{2/3}/(n \epsilon)^{2/3}$ for small $\|w^*\|$."),
            latex=r"\frac{(\sqrt{H}\|w^*\|\|X\|)^{2/3}\|Y\|^{2/3}}{(n\epsilon)^{2/3}}", premise=BUDGET,
            assumes=("rates without privacy come on top", "logarithms are left out")),
        false=("Table 1, high dimension",), repaired=_mean(
            "They are those of Theorems 1, 2, 3 and 5; in high dimension with the exponent 4/3.",
            latex=r"\frac{(\sqrt{H}\|w^*\|\|X\|)^{4/3}\|Y\|^{2/3}}{(n\epsilon)^{2/3}}", premise=BUDGET,
            assumes=("rates without privacy come on top", "logarithms are left out")),
        note="The cells without privacy and the upper rate in the rank of the design are quoted from elsewhere."),
    Statement(item="Table 1, lower bounds", kind="attack", place="Table 1", restates=("Theorem 4", "Theorem 6"),
        says=_lower(
            (r"Private lower rates by regime, which meet the upper ones but for powers of $\|w^*\|$; in high "
             r"dimension $(\sqrt{H} \|w^*\| X)^{2/3} Y^{2/3}/(n \epsilon)^{2/3}$ for large $\|w^*\|$."),
            latex=r"\frac{(\sqrt{H}\|w^*\|\|X\|)^{2/3}\|Y\|^{2/3}}{(n\epsilon)^{2/3}}", premise=HIDDEN),
        false=("Table 1, high dimension",), repaired=_lower(
            (r"They are those of Theorems 4 and 6, with the exponent 4/3, and none is above $Y^2$ or $H \|w^*\|^2 "
             "X^2$."),
            latex=r"\frac{(\sqrt{H}\|w^*\|\|X\|)^{4/3}\|Y\|^{2/3}}{(n\epsilon)^{2/3}}", premise=HIDDEN,
            rate="glm.theorem_4_rate"),
        note="Those of Theorems 4 and 6, which have rows of their own."),
    Statement(item="Section 1.2, the transition", kind="phase", place="section 1.2", says=Says(
        text=r"Projecting pays above a dimension of order $(\|w^*\| n \epsilon)^{2/3}$.",
        latex=r"d \approx (\|w^*\| n\epsilon)^{2/3}", premise=BUDGET, direction="equals", rate="glm.transition_printed",
        powers={"n": 2 / 3, "epsilon": 2 / 3, "norm": 2 / 3}),
        false=("Introduction, transition",), repaired=Says(
            text=(r"It pays above a dimension of order $(\min(1, \sqrt{H} \|w^*\| X/Y) n \epsilon)^{2/3}$, as "
                  "section 3.1 has it."),
            latex=r"d = \min\{(B\sqrt{H}\|X\|/\|Y\|)^{2/3}, 1\}\,(n\epsilon)^{2/3}", premise=BUDGET,
            direction="equals", rate="glm.transition", powers={"n": 2 / 3, "epsilon": 2 / 3}),
        note=(r"For $\sqrt{H} \|w^*\| X$ below $Y$. The crossing is compared with that of the explicit bounds; the "
              "exponent 2/3 itself is not reached on the grid.")),
    Statement(item="Lemma 1", kind="inequality", place="section 2", says=Says(
        text=("A private algorithm errs by a quarter of the distance of two targets whose data differ in at most "
              r"$\Delta$ records, $\Delta \le \log(1/(2 \gamma))/\epsilon$."),
        assumes=("S, S' differ in Delta <= ln(1/(2 gamma))/epsilon records, gamma being undefined",), **LEMMA_1),
        false=("Lemma 1",), repaired=Says(text=r"It does where $\Delta$ is at most $1/\epsilon$, and $\delta$ small.",
            assumes=("S, S' differ in Delta <= 1/epsilon records; the exact level has any Delta",), **LEMMA_1,
            bound="glm.lemma_1"),
        note="With the exact level of two data sets, .54, in the place of the quarter, which lies below it."),
    Statement(item="Definition 1", kind="inequality", place="section 2", says=Says(
        text=(r"The $(\alpha, \beta)$-JL property, a random map keeps inner products within $\alpha$ with "
              r"probability $1 - \beta$, is had with $k$ of order $\log(1/\beta)/\alpha^2$, $\alpha$ being 1 at most."),
        latex=r"P[\langle \Phi u, \Phi v\rangle - \langle u, v\rangle > \alpha\|u\|\|v\|] \le \beta",
        premise=("precision <= 1",),
        assumes=("k is at least 8 ln(1/beta)/alpha^2, a Gaussian map; precision is alpha",),
        quantifiers=("with probability",), direction="at_most", bound="glm_lemmas.beta"),
        note=(r"Gaussian maps with $k = 8 \log(1/\beta)/\alpha^2$, both tails; with a tenth of the rows, or one sign "
              r"a column, it fails. The paper names no range of $\alpha$; at $\alpha = 10$ and $\beta = 6\cdot "
              r"10^{-6}$ one row would do, and fails with chance $9\cdot 10^{-4}$.")),
    Statement(item="Self-bounding property", kind="inequality", place="section 3.1", says=Says(
        text=r"The gradient of a smooth non-negative function is at most $\sqrt{4 H f}$.",
        latex=r"\|\nabla f(u)\| \le \sqrt{4\tilde{H} f(u)}", premise=("smoothness < inf",),
        assumes=("f >= 0 everywhere",), quantifiers=("for all data", "exactly"), direction="at_most"),
        note=r"Parabolas, which have $\sqrt{2 H f}$, and the logistic loss; false where $f$ may be negative."),
    Statement(item="Lemma 2", kind="inequality", place="section 3.1", says=Says(
        text=(r"On a ball of radius $B$ the gradient of a smooth non-negative GLM is at most $2 Y \sqrt{H} X + 2 H B "
              "X^2$."),
        latex=r"\|\nabla\ell(w,(x,y))\| \le 2\|Y\|\sqrt{H}\|X\| + 2HB\|X\|^2", premise=("smoothness < inf",),
        assumes=("the loss is non-negative everywhere",), quantifiers=("for all data", "exactly"), direction="at_most",
        bound="glm_lemmas.lemma_2"),
        note="The squared loss has between a half and .71 of it."),
    Statement(item="Theorem 1", kind="rate", place="section 3.1.1", says=_mean(
        (r"Noisy gradient descent has population risk $\sqrt{H} B Y/\sqrt{n} + G B \sqrt{d \log 1/\delta}/(n "
         r"\epsilon)$."),
        latex=r"O\left(\frac{\sqrt{\tilde{H}}B\|Y\|}{\sqrt{n}} + \frac{GB\sqrt{d\log(1/\delta)}}{n\epsilon}\right)",
        premise=(*BUDGET, *SMOOTH, *DESCENT), assumes=(*NORM, *CONVEX), rate="glm.theorem_1_rate",
        bound="glm.theorem_1",
        schedule={"total_steps": "glm_schedule.theorem_1_steps", "noise_scale": "glm_schedule.theorem_1_noise",
                  "step_size": "glm_schedule.theorem_1_step_size"},
        constant={"schedule_games": ["gd_paper_known", "gd_paper_bound"]}),
        note=("One-hot designs, squared loss, the worst of a family; slopes against those of the two-term rate. On "
              "the data of the lower bound the empirical risk is held against the private term.")),
    Statement(item="Theorem 1, privacy", kind="privacy", place="section 3.1.1", says=_private(
        r"Algorithm 1, noisy gradient descent, is $(\epsilon, \delta)$-private with the printed noise.",
        latex=r"\sigma^2 = 8G^2T\log(1/\delta)/(n^2\epsilon^2)",
        premise=(*RELATION, *CERTIFIED, "algorithm is NoisyGD"), assumes=(EVERY,),
        schedule={"noise_scale": "glm_schedule.theorem_1_noise"}),
        note=(r"Certified in general for $\epsilon$ up to $4 \ln(1/\delta)^{.23}$, 7 at $\delta = 10^{-5}$. The "
              r'paper says "for any $\epsilon$": at $n = T = 2$ what is published exceeds $\delta$ 1.6 times at '
              r"$\epsilon = 20$, $\delta = .3$, and 6 times at $\epsilon = 40$, $\delta = .1$.")),
    Statement(item="Corollary 1", kind="rate", place="section 1.2, Non-private settings, and section 3.1.1", says=_mean(
        r"Without privacy $n$ steps of gradient descent have population risk $\sqrt{H} B Y/\sqrt{n}$.",
        latex=r"O\left(\frac{\sqrt{\tilde{H}}\|w^*\|\|Y\|}{\sqrt{n}}\right)",
        premise=("epsilon == inf", *SMOOTH, *DESCENT), assumes=(*NORM, *CONVEX), rate="glm.corollary_1_rate",
        bound="glm.theorem_1",
        powers={"n": -1 / 2, "norm": 1, "p": 0},
        schedule={"total_steps": "glm_schedule.theorem_1_steps", "step_size": "glm_schedule.corollary_1_step_size"},
        constant={"worst_constants": ["known_small_nonprivate", "bound_nonprivate"]}),
        note=("The statement is taken from the body of the paper. Certified by dual solutions is what the average "
              r"loses where the best risk is zero, $T \le 20$, over all smooth non-negative functions: at most $2/(T "
              "+ 3)$ of $H B^2$, the proof has $8/(3T)$.")),
    Statement(item="Theorem 2", kind="rate", place="section 3.1.2", says=_mean(
        ("After a random projection to $k$ dimensions, with the printed $k$ and step, the risk is $(n "
         r"\epsilon)^{-2/3}$ times $((\sqrt{H} B X)^{4/3} Y^{2/3} + (\sqrt{H} B X)^2)$, whatever the dimension $d$."),
            **THEOREM_2,
        schedule={"total_steps": "glm_schedule.theorem_1_steps", "noise_scale": "glm_schedule.theorem_1_noise",
                  "step_size": "glm_schedule.theorem_1_step_size", "sketch": "glm_schedule.theorem_2_sketch_printed"},
        constant={"schedule_games": ["sketch_paper_known", "sketch_paper_bound"]}),
        false=("Theorem 2, step size", "Theorem 2, k"), repaired=_mean(
            (r"It is with $\sqrt{k}$ for $\sqrt{d}$ in the step, $Y + \sqrt{H} B X$ in the denominator of $k$, and "
             "the ball of radius $2B$ throughout."), **THEOREM_2, bound="glm.theorem_2",
            schedule={"total_steps": "glm_schedule.theorem_1_steps", "noise_scale": "glm_schedule.theorem_2_noise",
                      "step_size": "glm_schedule.theorem_2_step_size", "sketch": "glm_schedule.theorem_2_sketch"}),
        note="Slopes against those of the finite-size bound."),
    Statement(item="Theorem 2, privacy", kind="privacy", place="section 3.1.2", says=_private(
        r"Algorithm 2, noisy gradient descent after a random projection, is $(\epsilon, \delta)$-private.",
        premise=(*RELATION, *BUDGET, GLM, "algorithm is JohnsonLindenstrauss")),
        false=("Theorem 2, few dimensions",), repaired=_private(
            "It is where projected features are clipped to the length for which the noise is made.",
            premise=(*RELATION, *CERTIFIED, GLM, "algorithm is JohnsonLindenstrauss"), assumes=(VERIFIED,)),
        note="With features clipped after the projection, in the place of the paper's event of small probability."),
    Statement(item="Theorem 3", kind="rate", place="section 3.1.2", says=_mean(
        (r"Regularised output perturbation with the printed $\lambda$ and $\sigma$ has the risk of Theorem 2, and "
         r"$Y^2/\sqrt{n}$ besides."), **THEOREM_3,
        schedule={"weight": "glm_schedule.theorem_3_weight_printed",
                  "noise_scale": "glm_schedule.theorem_3_noise_printed"},
        constant={"worst_constants": ["known_output_smooth", "bound_output_smooth"]}),
        false=("Theorem 3, sigma and lambda",), repaired=_mean(
            (r"It has with $\sqrt{H} X Y$ in the place of $Y$ in $\lambda$ and $\sigma$: with $G$ of Lemma 2, twice "
             "their sum."),
            **THEOREM_3, bound="glm.output_perturbation_smooth",
            schedule={"weight": "glm_schedule.theorem_3_weight", "noise_scale": "glm_schedule.theorem_3_noise"}),
        note=r"Squared loss, with the sensitivity's own constants in $\sigma$."),
    Statement(item="Theorem 3, privacy", kind="privacy", place="section 3.1.2", says=_private(
        (r"Regularised output perturbation with the printed $\lambda$ and $\sigma$ is $(\epsilon, \delta)$-private "
         "on smooth losses."),
            latex=r"\sigma^2 = O\left((\|Y\|^2 + H^2B^2\|X\|^4)\log(1/\delta)/(\lambda^2n^2\epsilon^2)\right)",
        premise=(*RELATION, *BUDGET, GLM, *PERTURBED),
        schedule={"noise_scale": "glm_schedule.theorem_3_noise_printed"}),
        false=("Theorem 3, sigma and lambda",), repaired=_private(
            (r"It is with $\sqrt{H} X Y$ in the place of $Y$ in $\lambda$ and $\sigma$, and the sensitivity's own "
             "constant."),
            latex=r"\sigma^2 = 8G^2\log(1/\delta)/(\lambda^2n^2\epsilon^2)",
            premise=(*RELATION, *CERTIFIED, GLM, *PERTURBED), assumes=(VERIFIED,),
            schedule={"noise_scale": "glm_schedule.theorem_3_noise"})),
    Statement(item="Section 3.1, low dimension", kind="rate", place="section 3.1.2", says=_mean(
        (r"In low dimension regularised output perturbation has a risk of order $(\sqrt{H} B X Y + Y^2)/\sqrt{n} + G "
         r"B \sqrt{d}/(n \epsilon)$."),
        latex=r"\frac{\sqrt{H}B\|X\|\|Y\| + \|Y\|^2}{\sqrt{n}} + \frac{GB\sqrt{d}}{n\epsilon}",
        premise=(*BUDGET, *SMOOTH, GLM, *PERTURBED), assumes=NORM, rate="glm.low_dimension_rate"),
        false=("Section 3.1, low dimension",), repaired=_mean(
            (r"In any dimension it has the risk of Theorem 3, and in one dimension, for small $\epsilon$ and large "
             r"$n \epsilon$, no $\lambda$ makes the private part less than a power -2/3 of $n \epsilon$."),
            **(THEOREM_3 | {"bound": "glm.output_perturbation_smooth"})),
        note=(r"Said after Theorem 3 in passing, without $\lambda$ or $\sigma$. Of a least risk over all $\lambda$, "
              r"on two distributions, 359 times the rate is left at $n \epsilon = 10^{12}$, $n = 10^{28}$.")),
    Statement(item="Section 3.1, the smallest sample", kind="comparison", place="section 3.1.1", says=Says(
        text=("Below $n_0 = H B^2 X^2/Y^2$ records the bound of Theorem 1 is above the risk $Y^2$ of the trivial "
              "predictor 0."),
        latex=r"n_0 = \tilde{H}B^2/\|Y\|^2", premise=("smoothness < inf",), quantifiers=("exactly",),
        direction="at_least", bound="glm_lemmas.theorem_1_first_term"),
        note="By arithmetic; at $n_0$ the bound's first term is $Y^2$."),
    Statement(item="Theorem 4", kind="attack", place="section 3.2", says=_lower(
        (r"Every private algorithm has empirical risk of order $\min(Y^2, (B X)^{4/3} (H Y)^{2/3}/(n "
         r"\epsilon)^{2/3}, \sqrt{d} B X Y \sqrt{H}/(n \epsilon))$ or more on some data set."),
        latex=(r"\Omega\left(\min\left\{\|Y\|^2, \frac{(B\|X\|)^{4/3}(H\|Y\|)^{2/3}}{(n\epsilon)^{2/3}}, "
               r"\frac{\sqrt{d}B\|X\|\|Y\|\sqrt{H}}{n\epsilon}\right\}\right)"), premise=HIDDEN,
        rate="glm.theorem_4_printed"),
        false=("Theorem 4, few records",), repaired=_lower(
            (r"It has $\min(Y^2, H B^2 X^2, (\sqrt{H} B X)^{4/3} Y^{2/3}/(n \epsilon)^{2/3}, \sqrt{d H} B X Y/(n "
             r"\epsilon))$ or more on some data set whose minimiser has a norm of order $B$."),
            latex=(r"\Omega\left(\min\left\{\|Y\|^2, HB^2\|X\|^2, \frac{(\sqrt{H}B\|X\|)^{4/3}\|Y\|^{2/3}}"
                   r"{(n\epsilon)^{2/3}}, \frac{\sqrt{d}B\|X\|\|Y\|\sqrt{H}}{n\epsilon}\right\}\right)"),
            premise=HIDDEN, rate="glm.theorem_4_rate"),
        note=(r"By two points on each instance, averaged over random signs, at $\epsilon$ of .1 and less: .5 times "
              "that. Noisy signed counts come within 6% of it.")),
    Statement(item="Theorem 5", kind="rate", place="section 4", says=_mean(
        r"On Lipschitz losses regularised output perturbation has risk $G B X/\sqrt{n} + G B X/\sqrt{n \epsilon}$.",
        latex=r"\tilde{O}\left(\frac{GB\|X\|}{\sqrt{n}} + \frac{GB\|X\|}{\sqrt{n\epsilon}}\right)",
        premise=(*BUDGET, SLOPED, "set is L2Ball", *SLOPES, PRINTED), assumes=NORM, rate="glm.theorem_5_rate",
        bound="glm.output_perturbation_lipschitz", powers={"n": -1 / 2, "norm": 1, "p": 0},
        schedule={"weight": "glm_schedule.theorem_5_weight", "noise_scale": "glm_schedule.theorem_5_noise"},
        constant={"worst_constants": ["known_output_lipschitz", "bound_output_lipschitz"]}),
        note="Absolute and logistic loss. The theorem's other half, \"and is private\", is the next row."),
    Statement(item="Theorem 5, privacy", kind="privacy", place="section 4", says=_private(
        (r"On Lipschitz losses regularised output perturbation with $\sigma^2 = 4 G^2 X^2 \log(1/\delta)/(\lambda n "
         r"\epsilon)^2$ is $(\epsilon, \delta)$-private."),
        latex=r"\sigma^2 = 4G^2\|X\|^2\log(1/\delta)/(\lambda^2n^2\epsilon^2)",
        premise=(*RELATION, *BUDGET, "lipschitz < inf", *SLOPES),
        schedule={"noise_scale": "glm_schedule.theorem_5_noise"}),
        false=("Theorem 5, sigma",), repaired=_private(
            "It is with 8 in the place of 4, or with the least noise that is certified.",
            latex=r"\sigma^2 = 8G^2\|X\|^2\log(1/\delta)/(\lambda^2n^2\epsilon^2)",
            premise=(*RELATION, *CERTIFIED, "lipschitz < inf", *SLOPES, "algorithm.constants is exact"),
            assumes=(VERIFIED,))),
    Statement(item="Theorem 6", kind="attack", place="section 4", says=_lower(
        (r"On Lipschitz losses every private algorithm has risk $G B X \min(1, 1/\sqrt{n \epsilon}, "
         r"\sqrt{\mathrm{rank}}/(n \epsilon))$ or more."),
            latex=r"\Omega(GB\|X\|\min(1, 1/\sqrt{n\epsilon}, \sqrt{\mathrm{rank}}/(n\epsilon)))",
        premise=("relation is replace_one", "epsilon <= 1.2", "delta <= epsilon"), rate="glm.theorem_6_rate"),
        note=(r"Population risk, by two points averaged over random signs, at $\epsilon$ of .05 and less and "
              r"$\delta$ of $10^{-9}$: .538 times that. Noisy signed counts come within 13% of it; Algorithm 3 is "
              r"within 6 times of it at $\delta = 10^{-5}$ (6.4 at $10^{-9}$), with 2.9 to 3.4 times the trivial "
              "predictor's risk.")),
    Statement(item="Assumption 1", kind="definition", place="section 5", says=_likely(
        r"With high probability the base algorithm's risk is at most $\mathrm{ERR}(B)$ when $B \ge \|w^*\|$.",
        latex=r"\varepsilon_{\mathrm{risk}}(A(S_1, B); D) \le \mathrm{ERR}(B)"),
        nothing="A definition."),
    Statement(item="Assumption 2", kind="definition", place="section 5", says=_likely(
        r"With high probability losses on the validation set are at most $\Delta(B)$.",
        latex=r"|\ell(A(S_1, B); (x, y))| < \Delta(B)"),
        nothing="A definition."),
    Statement(item="Theorem 7", kind="inequality", place="section 5", says=_likely(
        (r"With probability $1 - \beta$ private grid search over $B$ loses at most $\min(Y^2, \mathrm{ERR}(B) + "
         r"\sqrt{4 Y^2 \log(4K/\beta)/n} + 5 \Delta(B)/(n \epsilon))$ at $B = 2 \max(\|w^*\|, 1)$."),
        latex=(r"\min\left\{\|Y\|^2, \mathrm{ERR}(B^*) + \sqrt{\frac{4\|Y\|^2\log(4K/\beta)}{n}} + "
               r"\frac{5\Delta(B^*)}{n\epsilon}\right\}, B^* = 2\max\{\|w^*\|, 1\}"), **THEOREM_7),
        false=("Algorithm 4, sensitivities", "Theorem 7, middle term"), repaired=_likely(
            (r"It does with $Y^2 \Delta$ for $Y^2$ under both roots, that of line 6 and that of the bound, which is "
             r"doubled; with sensitivities $2 \Delta(B_j)/n$; and with $\log((K + 1)/\beta)$ in the last term."),
            latex=(r"\min\left\{\|Y\|^2, \mathrm{ERR}(B^*) + 2\sqrt{\frac{4\|Y\|^2\Delta(B^*)\log(4K/\beta)}{n}} + "
                   r"\frac{36\log(4(K+1)/\beta)\Delta(B^*)}{n\epsilon}\right\}, B^* = 2\max\{\|w^*\|, 1\}"),
            **(THEOREM_7 | {"assumes": (*THEOREM_7["assumes"], "ERR(B) and Delta(B) rise with B")}),
            bound="glm_adaptation.theorem_7"),
        note=(r"Output perturbation with $K = 8$, $\|w^*\| = 1$ to 6 on one-hot populations, ERR being the bound of "
              r"the mean. With $\Delta(B_j)$ as printed the choice is all but blind. The constant is that of Theorem "
              "8's rate.")),
    Statement(item="Theorem 7, privacy", kind="privacy", place="section 5", says=_private(
        r"Algorithm 4, grid search over $B$, is $(\epsilon, \delta)$-private.",
        premise=("epsilon <= 1", *RELATION, *BUDGET, "algorithm is GridSearch"),
        assumes=(("a run is (epsilon/(2K), delta/(2K))-private, its losses at most Delta(B) but with chance "
                  "delta/(4K)"),)),
        note=(r"A record is in one half: the choice spends $\epsilon/4$, eight runs at $\epsilon/16$ together less. "
              r"Runs at $\epsilon/2$ each, or a tenth of the choice's noise, exceed the budget. An audit of one run "
              "and the choice between it and answer 0 tells nothing below 16 times the budget: a record is in the "
              r"run half of the time, and that has half of $\epsilon$.")),
    Statement(item="Theorem 8", kind="rate", place="section 5", says=_likely(
        ("With output perturbation and boosting, grid search over $B$ has the rate of Theorem 3 at $B = 2 "
         r"\max(\|w^*\|, 1)$."),
        latex=(r"\tilde{O}\left(\min\left\{\|Y\|^2, \frac{(\sqrt{H}B^*\|X\|)^{4/3}\|Y\|^{2/3} + "
               r"(\sqrt{H}B^*\|X\|)^2}{(n\epsilon)^{2/3}} + \frac{\sqrt{H}B^*\|X\|\max\{\|Y\|, 1\} + "
               r"\|Y\|^2}{\sqrt{n}} + \frac{\|Y\|^2 + H(B^*\|X\|)^2}{n\epsilon}\right\}\right)"),
        premise=(*BUDGET, GLM, "algorithm is GridSearch"),
        assumes=("K of order ln(max(Y sqrt(n)/(X sqrt(H)), Y^2 (n epsilon)^(2/3)/(sqrt(H) X^2)))",),
        rate="glm_adaptation.theorem_8_rate", bound="glm_adaptation.theorem_8", powers={"p": 0},
        schedule={"noise_scale": "glm_adaptation.theorem_7_noise"}, upper_only=True),
        note=("The exponent in $n$ is that of the private term, without boosting; with it an explicit bound holds "
              r"with probability $1 - \beta$. The least radius is 2: for smaller $\|w^*\|$ the risk does not fall.")),
    _named("Lemma 4", "inequality", "section 3.1.1, appendix A", "Generalisation error from stability and risk."),
    _named("Lemma 5", "inequality", "section 3.1.1, appendix A", "Average stability from average regret."),
    _named("Lemma 6", "inequality", "section 3.1.1, appendix A", "Risk and regret of noisy gradient descent."),
    Statement(item="Theorem 10", kind="rate", place="Table 1 and section 4; stated in appendix B", says=_mean(
        "The JL method on Lipschitz losses.", latex=r"\frac{G\|w^*\|\|X\|}{\sqrt{n\epsilon}}"),
        note="Only named in the body (Table 1); $k$, steps and noise are in an appendix that is not at hand."),
    Statement(item="Lemma 12", kind="inequality", place="section 2; stated in the appendix", says=Says(
        text=r"Linear maps that keep the norms of $u + v$ and $u - v$, $|u| = |v| = 1$, keep $\langle u, v\rangle$.",
        quantifiers=("exactly",), direction="at_most"),
        note=(r"As the body says it, by polarisation - within $\alpha$ where the norms of $u + v$ and $u - v$ are. "
              "Those of $u$ and $v$ alone do not suffice.")),
    _named("Theorem 13", "rate", "section 5; stated in appendix D", "Confidence boosting."),
    _named("Theorem 15", "rate", "section 5; stated in the appendix", "Output perturbation with boosting."),
    Statement(item="Appendix D", kind="rate", place="section 1.2, Non-private settings, and section 5", says=_likely(
        r"Boosting makes risk in expectation hold with high probability without a term $Y^2/\sqrt{n}$.",
        latex=r"\tilde{O}\left(\frac{\sqrt{H}B\|X\|\|Y\|}{\sqrt{n}}\right)",
        premise=(*BUDGET, "smoothness < inf", "smoothness > 0", "n >= smoothness*radius^2/label_level^2",
                 "algorithm is ConfidenceBoosting"),
        assumes=("B >= ||w*||", *CONVEX, "without what the private algorithm inside adds",
                 "the condition on n is that of Theorems 1 to 3")),
        note=(r"As the body describes it, with $m = \log_2 (2/\beta)$ chunks. On one coordinate six runs have a "
              "seventh of one run's mean risk, on 64 they cost half more; a single run exceeds twice its mean three "
              "times as often as allowed.")),
    Statement(item="Corollary 4", kind="attack",
        place="section 1.2, Lower bounds for Non-Euclidean DP-SCO; stated in appendix B.4", says=_lower(
            (r"In $l_p/l_q$ geometry every private algorithm loses $G B \min((n \epsilon)^{-1/p}, d^{(p - 1)/p}/(n "
             r"\epsilon))$ or more."),
            latex=r"\Omega\left(G_qB_p\min\left(\frac1{(n\epsilon)^{1/p}}, \frac{d^{(p-1)/p}}{n\epsilon}\right)\right)",
            premise=OTHER_NORMS, assumes=OTHER_ASSUMED,
            rate="glm.corollary_4_printed"),
        false=("Corollary 4, few records",), repaired=_lower(
            r"It loses $G B \min(1, (n \epsilon)^{-1/p}, d^{(p - 1)/p}/(n \epsilon))$ or more.",
            latex=(r"\Omega\left(G_qB_p\min\left(1, \frac1{(n\epsilon)^{1/p}}, "
                   r"\frac{d^{(p-1)/p}}{n\epsilon}\right)\right)"),
            premise=OTHER_NORMS, assumes=OTHER_ASSUMED,
            rate="glm.corollary_4_rate"),
        note=("The statement is taken from the body of the paper. By two points, population risk, $p = 1.5$, 2, 3, "
              "4 and infinity: .538 times that; noisy signed counts come within a seventh of it.")),
)
