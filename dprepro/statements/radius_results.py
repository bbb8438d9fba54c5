"""The radius of local strong convexity for objective perturbation, derived here: statements, and proofs in words."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.statements.statement import Says, Statement

RADIUS = "Radius of local strong convexity"
MEAN = "Radius for a mean"

_PREMISE = ("algorithm is ObjectivePerturbation", "eta > 0", "delta > 0")
_ASSUMES = (
    "Delta is positive",
    "Gaussian noise b of deviation s in each coordinate (kst, Algorithm 1: s = zeta sqrt(8 ln(2/delta) + 4 "
    "epsilon)/epsilon)",
    "the mean loss is convex on a convex set, and eta/n-strongly convex in the ball around its minimiser there",
)

STATEMENTS = (
    Statement(
        item=RADIUS,
        kind="inequality",
        place="proof in `dprepro.bounds.local_convexity`",
        says=Says(
            text=(
                r"With probability $1 - \gamma$ objective perturbation stays in the ball, and its risk is at most "
                r"$s^2 (\sqrt p + \sqrt{2 \ln 1/\gamma})^2/(n (\Delta + \eta)) + \Delta \|\hat\theta\|^2/(2 n)$, "
                r"where the mean loss is strongly convex within $\psi = q/(\Delta + \eta)$ of $\hat\theta$, $q$ "
                r"being the $1 - \gamma$ quantile of $\|b + \Delta \hat\theta\|$, which is $s (\sqrt p + \sqrt{2 \ln "
                r"1/\gamma}) + \Delta \|\hat\theta\|$ at most. No smaller ball will do for all convex losses: in any "
                r"fixed part of it, at $\hat\theta = 0$ and any fixed $p$ and $\gamma$, the risk exceeds every "
                r"multiple of this with a larger probability than $\gamma$, for large $\eta/\Delta$."
            ),
            latex=(
                r"\psi = \frac{q}{\Delta+\eta},\ \Pr[\|b+\Delta\hat\theta\|_2 > q] = \gamma:\quad "
                r"\hat{\mathcal L}(\theta^{priv}) - \hat{\mathcal L}(\hat\theta) \le "
                r"\frac{\|b+\Delta\hat\theta\|_2^2}{2n(\eta+2\Delta)}"
            ),
            premise=(*_PREMISE, "gamma > 0", "gamma < 1"),
            assumes=_ASSUMES,
            quantifiers=("for all data", "with probability"),
            direction="at_most",
            bound="local_convexity.risk",
        ),
        note=(
            r"The example is a Huber function of $\|\theta\|$. At $p = 1$ it is a mean of losses as Algorithm 1 of "
            r"kst takes them; that it is one of losses with Hessians of rank 1, which its privacy asks for, is not "
            r"shown at $p > 1$. Theorem 31 of kst asks for $\sqrt p\,\zeta \sqrt{\log(1/\delta) "
            r"\log(1/\gamma)}/(\epsilon (\Delta + \eta))$ plus $\sqrt{\Delta/(\Delta + \eta)} \|\hat\theta\|$. Its "
            r"first term is .28 of what is needed at $p = 1$, $\gamma = .01$, $\epsilon = 1$, $\delta = 10^{-6}$, and "
            r"enough for many dimensions and tiny $\gamma$; its second one is more than is needed by a factor $\sqrt{1 "
            r"+ \eta/\Delta}$. The radius of its Theorem 30, with which Theorem 31 is repaired, is more than four "
            r"times what is needed at $\hat\theta = 0$."
        ),
    ),
    Statement(
        item=MEAN,
        kind="inequality",
        place="proof in `dprepro.bounds.local_convexity`",
        says=Says(
            text=(
                r"The mean risk of objective perturbation is at most $5.3\,p s^2/(n (\Delta + \eta)) + \frac34 "
                r"\Delta \|\hat\theta\|^2/n$ where the mean loss is strongly convex within $(s (\sqrt p + 2 "
                r"\sqrt{\ln(1 + \eta/\Delta)}) + \Delta \|\hat\theta\|)/(\Delta + \eta)$ of $\hat\theta$. With a "
                r"fixed multiple of $s \sqrt p$ in the place of the first part it exceeds every multiple of this for "
                r"some convex losses, fixed $p$ and large $\eta/\Delta$."
            ),
            latex=(
                r"\psi = \frac{s(\sqrt p + 2\sqrt{\ln(1+\eta/\Delta)}) + \Delta\|\hat\theta\|}{\Delta+\eta}:\quad "
                r"\mathbb E[\hat{\mathcal L}(\theta^{priv}) - \hat{\mathcal L}(\hat\theta)] \le \frac{5.3\,p\,s^2}{n"
                r"(\Delta+\eta)} + \frac{3\Delta\|\hat\theta\|^2}{4n}"
            ),
            premise=_PREMISE,
            assumes=_ASSUMES,
            quantifiers=("for all data", "in expectation"),
            direction="at_most",
            bound="local_convexity.mean_risk",
        ),
        note=(
            "With it Theorem 5 of kst needs no strong convexity on the whole set, and no multiple of its own radius "
            "is enough at a fixed $\\epsilon$ and $p = 1$: the root of a logarithm of $n$ is what is missing."
        ),
    ),
)

PROOFS: Mapping[str, str] = {
    RADIUS: (
        r"Let $f$ be $n$ times the mean loss, $v = b + \Delta \hat\theta$, $d = \theta^{priv} - \hat\theta$ and $r = "
        r"\|d\|$. Along the segment from $\hat\theta$, where $f$ does not fall, its slope rises by $\eta$ a unit "
        r"within the ball and does not fall beyond: at the end it is $\eta \min(r, \psi)$ or more. As "
        r"$\theta^{priv}$ is optimal, $\eta \min(r, \psi) r + \langle \Delta \theta^{priv} + b, d \rangle \le 0$, "
        r"that is $\eta \min(r, \psi) + \Delta r \le \|v\|$: so $r \le \|v\|/(\Delta + \eta)$ if that is $\psi$ or "
        r"less. The objective with the noise is then $(\Delta + \eta)$-strongly convex on the segment, so $f$ "
        r"exceeds its least value by $-\langle v, d \rangle - (\Delta + \eta/2) r^2 \le \|v\|^2/(2 (\eta + 2 "
        r"\Delta))$. $\|v\| \le q$ has the probability $1 - \gamma$, and nothing else is needed: $q \le s (\sqrt p + "
        r"\sqrt{2 \ln 1/\gamma}) + \Delta \|\hat\theta\|$, as $\|b\| \le s (\sqrt p + \sqrt{2 \ln 1/\gamma})$ has "
        r"that probability or more (a norm is 1-Lipschitz), so $\|v\|^2$ is at most twice the sum of both squares; and "
        r"$\Delta^2/(\eta + 2 \Delta) \le \Delta/2$. Needed: let $f$ be $\eta$ times the Huber "
        r"function of $\|\theta\|$ with its kink at $\psi = c q/(\Delta + \eta)$. If $\|b\| > c q$, which is more "
        r"probable than $\gamma$, then $r = (\|b\| - \eta \psi)/\Delta$ and the excess of $f$ is more than $\eta "
        r"\psi (\|b\| - c q)/\Delta$, which over $q^2/(\Delta + \eta)$ is $c (\|b\| - c q) \eta/(\Delta q)$ and "
        "grows without limit."
    ),
    MEAN: (
        r"Let $L = \ln(1 + \eta/\Delta)$ and $x = e^{-L} = \Delta/(\Delta + \eta)$. Where $\|b\| \le s (\sqrt p + 2 "
        r"\sqrt L)$, the answer stays in the ball and costs at most $\|v\|^2/(2 (\eta + 2 \Delta))$; elsewhere at "
        r"most $\|v\|^2/(4 \Delta) \le (\|b\|^2 + \Delta^2 \|\hat\theta\|^2)/(2 \Delta)$, by the same lines at $\eta "
        r"= 0$. $\Pr[\|b\| > s (\sqrt p + w)] \le e^{-w^2/2}$, so that beyond $w = 2 \sqrt L$ the mean of $\|b\|^2$ "
        r"is at most $s^2 x^2 ((\sqrt p + 2 \sqrt L)^2 + 2 + \sqrt{2 \pi p}) \le s^2 x^2 (6.51 p + 8 L)$. As $x \le "
        r"1$ and $x L \le 1/e$, over $2 \Delta$ that is $s^2 (6.51 p + 2.95)/(2 (\Delta + \eta)) \le 4.73\,p "
        r"s^2/(\Delta + \eta)$. The first case adds $p s^2/(2 (\Delta + \eta)) + \Delta \|\hat\theta\|^2/4$, and the "
        r"second $\Delta \|\hat\theta\|^2/2$. On the Huber function with its kink at $\psi = c s \sqrt p/(\Delta + "
        r"\eta)$ the mean is at least $\eta \psi E(\|b\| - c s \sqrt p)_+/\Delta$, a positive number that depends on "
        r"$c$ and $p$ alone times $s^2 \eta/(\Delta (\Delta + \eta))$: more than any multiple of $p s^2/(\Delta + "
        r"\eta)$ for large $\eta/\Delta$."
    ),
}
