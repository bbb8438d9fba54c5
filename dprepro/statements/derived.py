"""Results of this project, which no paper states: statements, and their proofs in words (`PROOFS`)."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.statements import low_dimension_results, radius_results, schedule_results
from dprepro.statements.statement import Says, Statement

# fmt: off
STATEMENTS = (
    Statement(item="Balanced private Frank-Wolfe", kind="rate", says=Says(
        text=(r"Private Frank-Wolfe with exponential selection (lasso, Algorithm 2), run for $T$ steps that are "
              r"balanced against the logarithms, is $(\epsilon, \delta)$-private for $\epsilon \le 2$, $\delta \le "
              r"1/5$, and loses at most $3 \cdot 2^{2/3}$ times $\Gamma^{1/3} (L_1 \|C\|_1 \ln|S|)^{2/3} (\ln "
              r"1/\delta)^{1/3} (n \epsilon)^{-2/3}$ plus $2 h/(T (T + 1))$, $h$ being the first point's risk: the "
              r"power $1/3$ of $\ln 1/\delta$ in the place of $1/2$, and $2/3$ of $\ln|S|$ in the place of $1$."),
        latex=(r"T = \left\lceil \left(\frac{\sqrt 2\, \Gamma n \epsilon}{L_1 \|\mathcal C\|_1 \ln|S| \sqrt{\ln "
               r"1/\delta}}\right)^{2/3} \right\rceil, \quad R \le 3 \cdot 2^{2/3}\, \frac{\Gamma^{1/3} (L_1 "
               r"\|\mathcal C\|_1 \ln|S|)^{2/3} (\ln 1/\delta)^{1/3}}{(n\epsilon)^{2/3}} + \frac{2h}{T(T+1)}"),
        premise=("relation is replace_one or zero_out", "vertices >= 2", "curvature < inf", "epsilon <= 2",
                 "delta > 0", "delta <= 0.2"),
        assumes=("Gumbel noise of scale L_1 ||C||_1 sqrt(8 T ln(1/delta))/(n epsilon), steps 2/(t + 2)",),
        quantifiers=("for some algorithm", "for all data", "in expectation"), direction="at_most",
        rate="balanced.rate", bound="balanced.risk", powers={"n": -2 / 3, "epsilon": -2 / 3, "delta": 1 / 3},
        schedule={"total_steps": "balanced.steps"}),
        note=(r"An upper bound only in $\ln|S|$. On $\delta$ and $n$ the rate is attained by the needle that is tuned "
              "to the noise, for this algorithm; no lower bound for all private algorithms is claimed.")),
    *low_dimension_results.STATEMENTS,
    *schedule_results.STATEMENTS,
    *radius_results.STATEMENTS,
)
# fmt: on

PROOFS: Mapping[str, str] = {
    "Balanced private Frank-Wolfe": (
        r"Risk. Let $a = L_1 \|C\|_1$, $K = |S|$, $l = \ln(1/\delta)$, $b = a \ln(K) \sqrt{8 l}/(n \epsilon)$. The "
        r"definition of the curvature gives $h_{t+1} \le (1 - \mu_t) h_t + \mu_t r_t + \mu_t^2 \Gamma/2$, $r_t$ being "
        r"the regret of the choice in step $t$; times $(t + 1)(t + 2)$ and summed over $t = 1, \dots, T - 1$ it "
        r"telescopes to $T (T + 1) h_T \le 2 h_1 + 2 \Gamma (T - 1) + 2 \sum (t + 1) r_t$. A choice by Gumbel noise of "
        r"scale $\lambda$ has the law that minimises mean regret minus $\lambda$ times entropy, which is 0 for the "
        r"best choice: its mean regret is at most $\lambda \ln K$, so that $E h_T \le (2 h_1 + 2 \Gamma (T - 1))/(T (T "
        r"+ 1)) + b \sqrt T (1 - 2/(T (T + 1)))$. Now $2 \Gamma/x + b \sqrt x$ is least at $x "
        r"= (4 \Gamma/b)^{2/3}$, where it is $6 \Gamma/x$: the bound's first term. Rounding $x$ up to $T$ costs "
        r"nothing: at $T = 1$ the answer is the first point, of risk $2 h_1/2$; at $T = 2$, $\Gamma/3 + (8 \sqrt 2/3) "
        r"\Gamma x^{-3/2} \le 6 \Gamma/x$ for $1 < x \le 2$; and for $x > 2$, $(T - 1)/(T (T + 1)) \le 1/(x + 2)$ "
        r"gains at least $2 \Gamma/x^2$, as much as $\sqrt T \le \sqrt x + 1/(2 \sqrt x)$ loses, since $b = 4 \Gamma "
        r"x^{-3/2}$. Privacy. A score changes by at most $2 a/n$ between neighbours, so that a choice is an "
        r"exponential mechanism of range $\eta = 4 a/(n \lambda) = \epsilon \sqrt{2/(T l)}$, which is "
        r"$\eta^2/8$-zCDP: $T - 1$ of them are $\rho$-zCDP for $\rho = \epsilon^2/(4 l)$. With $\alpha = (\epsilon + "
        r"\rho)/(2 \rho) = 1/2 + 2 l/\epsilon$ the conversion $\delta' = e^{(\alpha - 1)(\alpha \rho - \epsilon)} (1 - "
        r"1/\alpha)^\alpha/(\alpha - 1)$ is at most $\delta \exp(\epsilon/2 - \epsilon^2/(16 l) - 1 - \ln(2 l/\epsilon "
        r"- 1/2))$. The exponent grows with $\epsilon$ and falls with $l$; at $\epsilon = 2$ and $l = 3/2$ it is "
        r"$-1/6$: hence $\delta' \le \delta$ for all $\epsilon \le 2$ and $\delta \le 1/5 < e^{-3/2}$."
    ),
    **low_dimension_results.PROOFS,
    **schedule_results.PROOFS,
    **radius_results.PROOFS,
}
"""The proof of each, in words and formulas."""
