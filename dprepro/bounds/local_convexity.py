"""Objective perturbation where the loss is strongly convex near its minimiser only: the radius that is needed, derived.

Algorithm 1 of Kifer, Smith and Thakurta (2012) with Gaussian noise: theta^priv minimises f + Delta/2 |theta|^2 + <b,
theta> over a convex set, f = n times the mean loss, b of deviation s in each of p coordinates. theta_hat minimises f,
which is eta-strongly convex within psi of it, and convex. Let v = b + Delta theta_hat and r = |theta^priv - theta_hat|.

**Each draw.** Along the segment f rises with a slope of eta min(r, psi) at least at its end, since it does not fall at
theta_hat, and theta^priv is optimal: eta min(r, psi) r + Delta r^2 <= -<v, theta^priv - theta_hat>. So r <= |v|/(Delta
+ eta) wherever that is psi or less. There the perturbed objective is (Delta + eta)-strongly convex between both points,
and the excess of f is at most |v| r - (Delta + eta/2) r^2 <= |v|^2/(2 (eta + 2 Delta)). Without any radius, eta = 0: at
most |v|^2/(4 Delta).

**Needed.** With q the 1 - gamma quantile of |v|, psi = q/(Delta + eta) is enough with probability 1 - gamma. It is
needed for that distance, and for the risk at theta_hat = 0: f = eta times a Huber function of |theta - theta_hat| with
its kink at psi, on the whole space, has r = |v|/(Delta + eta) up to psi and r = (|v| - eta psi)/Delta beyond, where the
excess grows by eta psi (|v| - (Delta + eta) psi)/Delta. With psi = c q/(Delta + eta), c < 1, P(|v| > (Delta + eta) psi)
> gamma, and the excess beyond exceeds any multiple of q^2/(Delta + eta) as eta/Delta grows, for
fixed p and gamma. For Algorithm 1 itself, whose losses have Hessians of rank 1 at most, this is shown at p = 1.

**Mean.** L = ln(1 + eta/Delta), psi = (s (sqrt p + 2 sqrt L) + Delta |theta_hat|)/(Delta + eta). The norm of b is above
s (sqrt p + w) with probability e^(-w^2/2) at most, so E |b|^2 beyond w = 2 sqrt L is at most s^2 x^2 (6.51 p + 8 L), x
= e^-L = Delta/(Delta + eta); x L <= 1/e. Both cases of a draw together: n times the mean excess is at most 5.3 s^2
p/(Delta + eta) + 3/4 Delta |theta_hat|^2. The root of a logarithm is needed: with a fixed multiple of s sqrt p the mean
is eta psi E(|v| - (Delta + eta) psi)_+/Delta or more on that Huber function, and eta/Delta may be anything.

Here s and Delta are units: `steepness` is eta/Delta, `pull` Delta |theta_hat|/s. Radii are in s/(Delta + eta), and
risks in s^2/(n Delta).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

MEAN = 5.3
FARTHEST = 12
"""So many deviations of a coordinate hold all but e^-72 of its law."""
NODES = 400


def risk(n: float, p: float, noise_scale: float, regulariser: float, eta: float, radius: float, gamma: float) -> float:
    """s^2 (sqrt p + sqrt(2 ln(1/gamma)))^2/(n (Delta + eta)) + Delta |theta_hat|^2/(2n); E |b|^2 is noise_scale^2."""
    longer = noise_scale * (1 + math.sqrt(2 * math.log(1 / gamma) / p))
    return longer**2 / (n * (regulariser + eta)) + regulariser * radius**2 / (2 * n)


def mean_risk(n: float, noise_scale: float, regulariser: float, eta: float, radius: float) -> float:
    """5.3 E |b|^2/(n (Delta + eta)) + 3/4 Delta |theta_hat|^2/n."""
    return MEAN * noise_scale**2 / (n * (regulariser + eta)) + 0.75 * regulariser * radius**2 / n


def beyond(length: float, p: float, pull: float) -> float:
    """P(|v| > length)."""
    if pull == 0:
        return float(special.gammaincc(p / 2, length**2 / 2))
    return float(stats.ncx2.sf(length**2, p, pull**2))


def needed(p: float, gamma: float, pull: float) -> float:
    """q: the least radius of strong convexity with which Theorem 31 holds."""
    if pull == 0:
        return math.sqrt(2 * float(special.gammainccinv(p / 2, gamma)))
    return math.sqrt(float(stats.ncx2.isf(gamma, p, pull**2)))


def stated(p: float, gamma: float, pull: float) -> float:
    """sqrt p + sqrt(2 ln(1/gamma)) + Delta |theta_hat|/s, which is no less."""
    return math.sqrt(p) + math.sqrt(2 * math.log(1 / gamma)) + pull


def theorem_30(p: float, gamma: float, steepness: float, pull: float) -> float:
    """Theorem 30's radius with 1 + ln(1/gamma), from which Theorem 31 was known to hold."""
    return math.sqrt(32 * p * (1 + math.log(1 / gamma))) + 2 * pull * math.sqrt(1 + steepness)


def printed(p: float, epsilon: float, delta: float, gamma: float, steepness: float, pull: float) -> float:
    """Theorem 31's own radius; s is zeta sqrt(8 ln(2/delta) + 4 epsilon)/epsilon."""
    logs = math.log(1 / delta) * math.log(1 / gamma) / (8 * math.log(2 / delta) + 4 * epsilon)
    return math.sqrt(p * logs) + pull * math.sqrt(1 + steepness)


def leaves(p: float, gamma: float, pull: float, reach: float) -> float:
    """P(r > psi) on the Huber function whose kink is at the needed radius times ``reach``.

    That is P(|v| > kink), integrated over the coordinate of v along theta_hat, given which the others have a chi law of
    p - 1 coordinates: `needed` is a quantile of another form of the law, and is not held against its own inverse.
    """
    kink = reach * needed(p, gamma, pull)
    outside = float(special.ndtr(pull - kink) + special.ndtr(-pull - kink))
    if p == 1:
        return outside
    low, high = (math.asin(min(1.0, max(-1.0, (pull + side) / kink))) for side in (-FARTHEST, FARTHEST))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    angles = low + (high - low) / 2 * (nodes + 1)
    along = kink * np.sin(angles)  # in angles the tail of one further coordinate has no root at the ends
    density = np.exp(-((along - pull) ** 2) / 2) / math.sqrt(2 * math.pi) * kink * np.cos(angles)
    tails = special.gammaincc((p - 1) / 2, (kink * np.cos(angles)) ** 2 / 2)
    return outside + float((high - low) / 2 * weights @ (density * tails))


def missed(p: float, gamma: float, steepness: float, pull: float, reach: float, granted: float) -> float:
    """P(excess > granted times Theorem 31's rate with 1 + ln(1/gamma)) on that function.

    The rate is p (1 + ln(1/gamma))/(1 + eta/Delta) + pull^2, s^2 standing for zeta^2 ln(1/delta)/epsilon^2.
    """
    return _missed(p, gamma, steepness, pull, reach * needed(p, gamma, pull), granted)


def missed_as_printed(
    p: float, epsilon: float, delta: float, gamma: float, steepness: float, pull: float, granted: float
) -> float:
    """The same where the kink is at Theorem 31's own radius."""
    kink = printed(p, epsilon, delta, gamma, steepness, pull)
    return _missed(p, gamma, steepness, pull, kink, granted)


def _missed(p: float, gamma: float, steepness: float, pull: float, kink: float, granted: float) -> float:
    most = granted * (p * (1 + math.log(1 / gamma)) / (1 + steepness) + pull**2)
    psi = kink / (1 + steepness)
    if most <= steepness * psi**2 / 2:
        return beyond(math.sqrt(2 * most / steepness) * (1 + steepness), p, pull)
    return beyond(kink + (most - steepness * psi**2 / 2) / (steepness * psi), p, pull)


def huber_mean(p: float, steepness: float, reach: float) -> float:
    """The mean excess on the Huber function, theta_hat = 0, its kink at ``reach`` times sqrt p + 2 sqrt L."""
    return _mean(p, steepness, reach * (math.sqrt(p) + 2 * math.sqrt(math.log1p(steepness))))


def huber_mean_at_multiple(p: float, steepness: float, reach: float) -> float:
    """The same with its kink at ``reach`` times sqrt p, whatever eta/Delta is."""
    return _mean(p, steepness, reach * math.sqrt(p))


def _mean(p: float, steepness: float, kink: float) -> float:
    half, psi = kink**2 / 2, kink / (1 + steepness)
    outside = float(special.gammaincc(p / 2, half))
    length = math.sqrt(2) * math.exp(special.gammaln((p + 1) / 2) - special.gammaln(p / 2))
    over = max(0.0, length * float(special.gammaincc((p + 1) / 2, half)) - kink * outside)
    inside = p * float(special.gammainc(p / 2 + 1, half)) / (1 + steepness) ** 2
    return steepness * (inside / 2 + psi**2 / 2 * outside + psi * over)


def mean_allowed(p: float, steepness: float) -> float:
    """5.3 p/(1 + eta/Delta): `mean_risk` at theta_hat = 0."""
    return MEAN * p / (1 + steepness)


# one draw in one dimension, Delta = 1: |v| = length, and f from theta_hat on is (eta + stiffer) u^2/2 + slope u, with a
# kink at `place`, up to the end of the set at `width`


def draw_risk(
    length: float, steepness: float, stiffer: float, slope: float, kink: float, place: float, width: float
) -> float:
    """The excess of f for this draw."""
    curvature = steepness + stiffer
    u = max(0.0, (length - slope) / (1 + curvature))
    if u > place:
        u = max(place, (length - slope - kink) / (1 + curvature))
    u = min(u, width)
    return curvature * u**2 / 2 + slope * u + kink * max(0.0, u - place)


def draw_allowed(length: float, steepness: float) -> float:
    """|v|^2/(2 (eta + 2 Delta))."""
    return length**2 / (2 * (steepness + 2))
