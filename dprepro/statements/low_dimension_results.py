"""The lower bound of generalised linear models in low dimension, derived here: statements, and proofs in words."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.statements.statement import Says, Statement

LEVEL = "Lower bound in low dimension"
CONSTANT = "Constant in low dimension"
RECORDS = "Records in low dimension"

_WHO = ("for every private algorithm", "for some data", "in expectation")
_PREMISE = (
    "relation is replace_one", "p >= 3", "epsilon <= 0.1", "delta > 0",
    "n*epsilon >= 1.2*(p - 1)^1.5*(1.5 + smoothness*radius^2/(2*label_level^2))",
)  # fmt: skip
_ASSUMES = (
    "squared loss (H/2)(<w, x> - y)^2, d = p - 1", "empirical risk over all w, not only those of norm B",
    "D = floor(1/epsilon)",
)  # fmt: skip

STATEMENTS = (
    Statement(
        item=LEVEL,
        kind="attack",
        place="proof in `dprepro.bounds.low_dimension`",
        says=Says(
            text=(
                r"Every private algorithm has empirical risk $(1 - \delta') v^2 A C/(A + C)$ or more on some data "
                "set whose minimiser has the norm $B$."
            ),
            latex=(
                r"(1-\delta')\frac{AC}{A+C}v^2,\quad C = \frac{dcb^2}{\cosh^2(D\epsilon/2)},\ \delta' = "
                r"\delta\frac{e^{D\epsilon}-1}{e^\epsilon-1}"
            ),
            premise=_PREMISE,
            assumes=_ASSUMES,
            quantifiers=_WHO,
            direction="at_least",
            rate="low_dimension.rate",
        ),
        note=(
            r"Noisy counts of directions come within 6% of it. Of the paper's Table 1 it is about the cell $\sqrt H "
            r"\|w^*\| X > Y$, $d \le (n \epsilon)^{2/3}$, where the upper bound has $H \|w^*\|^2 X^2 \sqrt d$ and "
            r"the lower one $\sqrt H \|w^*\| X Y \sqrt d$. Settings: the paper's lower bound is about empirical risk "
            "too and its upper one about population risk, of a ball whose radius is known. On empirical risk noisy "
            r"descent with many steps has at most $\sqrt{8 d \ln(1/\delta)} G B/(n \epsilon)$, $G \le 4 H B X^2$: "
            r"there the factor $\sqrt H B X/Y$ between both is closed but for $\sqrt{\ln(1/\delta)}$, and only for "
            r"$d$ up to about $(n \epsilon Y^2/(H B^2 X^2))^{2/3}$. Nothing is said of population risk, and for "
            "larger $d$ fewer coordinates give back the rate of Theorem 4, no more."
        ),
    ),
    Statement(
        item=CONSTANT,
        kind="attack",
        place="proof in `dprepro.bounds.low_dimension`",
        says=Says(
            text=(
                r"From $d = 16$ on the level is $.085 H B^2 X^2 \sqrt d/(n \epsilon)$ at least; its factor tends to "
                r".098 as $d$ grows and $\epsilon$ and $\delta/\epsilon$ fall."
            ),
            latex=r"0.085\frac{HB^2\|X\|^2\sqrt d}{n\epsilon}",
            premise=(*_PREMISE, "p >= 17", "delta <= epsilon/100"),
            assumes=_ASSUMES,
            quantifiers=_WHO,
            direction="at_least",
            rate="low_dimension.rate",
            powers={"n": -1, "epsilon": -1, "norm": 2},
        ),
        note=r"At $D \epsilon = 1.543$ in the place of 1 the factor is .112, the most that this argument has.",
    ),
    Statement(
        item=RECORDS,
        kind="inequality",
        place="proof in `dprepro.bounds.low_dimension`",
        says=Says(
            text=(
                "The data exist with $|w^*| = B$ and features within $X$ from $n = d m + d m (1 - b^2)/(2 g)$ on, "
                r"and not below, $g = V^2$ for $V \le 1$, else $2 V - 1$; the premise on $n \epsilon$ suffices."
            ),
            latex=(r"n \ge dm\left(1+\frac{1-b^2}{2g}\right),\quad V = \frac{Y\sqrt{1+db^2}}{\sqrt{2H}BX}"),
            premise=("p >= 3", "epsilon <= 0.1"),
            assumes=(
                "squared loss, d = p - 1",
                "D = floor(1/epsilon), m the least number from D sqrt(d) on of D's parity",
            ),
            quantifiers=("exactly",),
            direction="at_least",
            rate="low_dimension.needed",
        ),
        note=(
            r"At $m = D \sqrt d$, $H = 2$ and $B X \ge Y/\sqrt 2$ that is $n \ge d m (1 + (1 - 1/d) B^2 X^2/Y^2)$. "
            "For a smaller $B X$ that does not suffice, as the root of the quadratic is above $X$."
        ),
    ),
)

PROOFS: Mapping[str, str] = {
    LEVEL: (
        r"For each $j = 1, \dots, d$ there are $m$ records $X (e_0 \pm e_j)/\sqrt 2$ of label 0, $(m + s_j D)/2$ of "
        r"them with the sign +; the other $n_0 = n - d m$ are $\xi e_0$ with the largest label. With $b = D/m$, $c = "
        r"H X^2 m/(4 n)$, $A = H \xi^2 n_0/(2 n) + d c (1 - b^2)$ squares are completed: the excess risk is $A (w_0 "
        r"- v)^2 + c \sum_j (w_j + s_j b w_0)^2$, and $|w^*| = v \sqrt{1 + d b^2}$ is made $B$ by $\xi$. Another "
        r"$s_j$ replaces $D$ records, so the laws of the answer are $(D \epsilon, \delta')$-close, and come from a "
        r"pair that reveals $s_j$ with chance $\delta'$ and otherwise reports it with error $Q = 1/(1 + e^{D "
        r"\epsilon})$ (Kairouz, Oh and Viswanath 2015). Give $j$ the share $(A/d) (w_0 - v)^2 + c (w_j + s_j b "
        r"w_0)^2 \ge 0$. Not revealed, the best $w_j$ is a posterior mean and leaves $4 Q (1 - Q) c b^2 w_0^2 = c "
        r"b^2 w_0^2/\cosh^2(D \epsilon/2)$; then the best $w_0$ leaves $a k/(a + k) v^2$, $a = A/d$, $k = C/d$. The "
        r"mean over fair signs is the sum over $j$, $(1 - \delta') v^2 A C/(A + C)$, and some $s$ has as much."
    ),
    CONSTANT: (
        r"At $m = D \sqrt d$: $d b^2 = 1$, $v^2 = B^2/2$, $c = H X^2 D \sqrt d/(4 n)$, $A \ge (d - 1) c$, $C = "
        r"c/\cosh^2(D \epsilon/2)$. So the level is $t/(8 \cosh^2(t/2))$ times the rate, $t = D \epsilon$, times "
        r"$(1 - \delta') A/(A + C)$: .0983 at $t = 1$. For $\epsilon \le .1$, $t > .9$: .0925 at least; $A/(A + C) "
        r"\ge .949$ from $d = 16$ on; $\delta' \le 1.72 \delta/\epsilon$; and $m$ is $D \sqrt d + 2$ at most, which "
        "costs less than 1%, as $m/(m^2 + d D^2)$ is flat at its largest."
    ),
    RECORDS: (
        r"With $f = \xi/X$ the norm is $B$ where $f^2 - 2 V f + K = 0$, $K = d m (1 - b^2)/(2 n_0)$. The roots are "
        r"real iff $K \le V^2$, and their product and sum are positive. If $V \le 1$ the smaller root is at most "
        "$V$, and fits. If $V > 1$ the larger root does not fit, and the smaller one does iff the quadratic is not "
        r"positive at 1: $K \le 2 V - 1$. The premise suffices: $m \le (\sqrt d/\epsilon) (1 + 2 \epsilon/\sqrt d)$, "
        r"$g \ge \min(V^2, 1)$, and so the second term is at most $d m (1 - b^2)/2$ times $1 + 1/V^2$."
    ),
}
