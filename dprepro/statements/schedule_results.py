"""A number of steps for private Frank-Wolfe against all data sets, derived here: statements, and proofs in words."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.statements.statement import Says, Statement

COST = "Cost of a number of steps"
STEPS = "Steps of the best schedule"

_ASSUMES = (
    "the unit LASSO: squared loss, features and labels within 1, the l1 ball of radius 1, L_1 = 4, Gamma = 8",
    "theta_1 = 0, steps 2/(t + 2), Gumbel noise of scale 4 sqrt(8 T ln(1/delta))/(n epsilon), that of the Laplace "
    "noise in lasso, Algorithm 2",
)
_Y = "(8^0.5*n*epsilon/(ln(2*p)*sqrt(ln(1/delta))))^(2/3)"
"""x with ln(2 p) in the place of W."""
_PREMISE = ("relation is replace_one or zero_out", "delta > 0", "p >= 2")

STATEMENTS = (
    Statement(
        item=COST,
        kind="inequality",
        place="proof in `dprepro.bounds.schedule_game`",
        says=Says(
            text=(
                r"On some data set $T \ge 2$ steps of private Frank-Wolfe cost about $4/(3 T)$ or more where $T$ is "
                r"large and $p$ and $n$ are large against it, whatever they choose and whatever the noise; and on some "
                r"data set about $\lambda W((2 p - 2)/e)$, $\lambda$ "
                "being the scale of the noise and $W$ Lambert's function: the most that one choice can lose in the "
                "mean."
            ),
            latex=(
                r"\max\left\{\left(\frac{T+1}{T+13}-\frac{2k}{n}\right)\left(\frac{2(2T+1)}{3T(T+1)} - "
                r"\frac{4}{T^2(T+1)^2} - \frac1k\right),\ \frac{1-a}{1+a}\lambda W\right\},\quad 2a(1+a) = "
                r"\lambda(1+W)"
            ),
            premise=_PREMISE,
            assumes=(*_ASSUMES, "any k from 1 to p; a <= 1/2, else W/(2 (1 + W)) stands for the second"),
            quantifiers=("for some data", "in expectation"),
            direction="at_least",
            bound="schedule_game.known",
        ),
    ),
    Statement(
        item=STEPS,
        kind="inequality",
        place="proof in `dprepro.bounds.schedule_game`",
        says=Says(
            text=(
                r"The number of steps that costs least on its worst data set, over all data sets, is between $x/50$ "
                r"and $5 x/2$, $x = (\sqrt 8 n \epsilon/(W((2 p - 1)/e) \sqrt{\ln 1/\delta}))^{2/3}$: it grows as "
                r"$(n \epsilon)^{2/3}$, and beside the one of $p$ in $W$, where $p \ge x/5$, no logarithm of $n$ comes "
                "in."
            ),
            latex=(
                r"\frac{x}{50} \le T \le \frac52 x,\quad x = \left(\frac{\sqrt8\,n\epsilon}{W((2p-1)/e)\sqrt{\ln "
                r"1/\delta}}\right)^{2/3}"
            ),
            premise=(
                *_PREMISE,
                f"{_Y} >= 5000",
                f"p >= 0.3*{_Y}",
                f"n >= 6*{_Y}",
            ),
            assumes=(*_ASSUMES, "x >= 5000, p >= x/5, n >= 4 x, which follow: W is between .65 ln(2 p) and ln(2 p)"),
            quantifiers=("exactly",),
            direction="equals",
            rate="schedule_game.balanced",
            powers={"n": 2 / 3, "epsilon": 2 / 3, "delta": -1 / 3},
        ),
        note=(
            "For large $x$ the ends tend to $x/36$ and $9 x/4$. Fitted over $d$ decades of $n$ such numbers have a "
            "slope within $2.9/d$ of $2/3$, however they are chosen; against blocks and needles alone the best one "
            "tends to $x/24^{2/3}$, whose slope is $2/3$ on any grid. Where $T$ exceeds $p$ the block says nothing, "
            "and this does not either: games at $p = 1000$ end there."
        ),
    ),
)

PROOFS: Mapping[str, str] = {
    COST: (
        r"The answer is $\sum_t w_t s_t$ over the vertices $s_t$ that are chosen, $w_t = 2 (t + 1)/(T (T + 1))$; the "
        r"largest weight is $m = 2/(T + 1)$, $\sum w_t = 1 - 2/(T (T + 1))$, $A = \sum w_t^2$. Block: of $k$ heads a "
        r"share $s$ of the records has orthogonal signs and the labels of $\theta^* = (1, \dots, 1)/k$; the others "
        r"are equal, 1/2 in the heads, with label 1. The risk is $(1 - s)(S/2 - 1)^2 + s \|\theta - \theta^*\|^2$, "
        r"$S$ the sum over heads, and least at $\theta^*$. Let $N$ be the weight of choices that are no positive "
        r"head: $S \le 1 - N$, so the first part rises by $(1 - s) N/2$. If $P$ and $Q$ are the weights of $e_j$ and "
        r"$-e_j$, $(P - Q)^2$ is at least the sum of squared weights in $P$ less $2 m Q$: where $P \le m$ as $Q^2 + "
        r"2 (m - P) Q \ge 0$, else as $(P - Q)^2 - m P + 2 m Q$ is least at $Q = P - m$, where it is $m (P - m)$. So "
        r"$\|\theta\|^2 \ge A - 3 m N$, and for $(1 - s)/2 \ge 3 m s$ the excess risk is $s (A - 1/k)$ at least. $s "
        "= (T + 1)/(T + 13)$ does; whole copies of a Hadamard code of less than $2 k$ rows lower it by $2 k/n$ at "
        r"most. Needle: equal records $(a e_1, 1)$. Scores are $\mp 2 a r$ for $\pm e_1$ and 0 for the others, $r "
        r"\le 1 + a$, so each choice is another one than $e_1$ with probability $q \ge 1/(1 + e^{2 a (1 + "
        r"a)/\lambda}/(2 p - 2))$. Hence $E(1 - \theta_1) \ge q$, and the excess risk $a (1 - \theta_1)(2 - a - a "
        r"\theta_1)$ has a mean of $2 a (1 - a) q$ or more. At $2 a (1 + a) = \lambda (1 + W)$, $W e^W = (2 p - "
        r"2)/e$, $q \ge W/(1 + W)$."
    ),
    STEPS: (
        "Let $V(T)$ be the largest expected excess risk over data sets. By the recursion of Theorem 2.5 of lasso, "
        r"as a choice loses $\lambda W((2 p - 1)/e)$ at most in the mean, $V(T) \le (2 + 16 (T - 1))/(T (T + 1)) + b "
        r"\sqrt T (1 - 2/(T (T + 1)))$, $b \sqrt T$ being that loss. $16/x + b \sqrt x$ is least at $x = "
        "(32/b)^{2/3}$, and rounding $x$ up costs nothing, as is shown for balanced private Frank-Wolfe: the best "
        r"$T$ costs $48/x + 2/x^2$ at most. By the block it costs $4/(3 T)$ and by the needle $b \sqrt T = 32 "
        r"\sqrt{T/x}/x$, but for factors that tend to 1: $T \ge x/36$ and $T \le 9 x/4$ in the limit. At $x \ge "
        r"5000$, $p \ge x/5$, $n \ge 4 x$: at $T = x/50$ with $k = 10 T$, $s \ge .89$, $2 k/n \le .1$ and $A - 1/k "
        r"\ge 1.22/T$ give $48.1/x$, more than $48/x + 2/x^2$; the block of fewer steps costs more, and one step "
        r"costs 1 on the records $(e_1, 1)$. At $T = 5 x/2$, $a \le .01$ leaves $.97 \cdot 32 \sqrt{5/2} > 49$ over "
        r"$x$, and for more steps the same needle costs no less, as $q$ grows with $\lambda$."
    ),
}
