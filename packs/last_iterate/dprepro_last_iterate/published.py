"""What is published of the last iterate, and closed forms of quadratics.

Derived here again, after the papers' abstracts and code. s: gradient sensitivity, sup |grad F - grad G| (L/n where one
of n records is replaced); eta: step size; sigma: noise of the gradient; D: diameter of the constraint set; B =
sD/(eta sigma^2). A bound is a mu of Gaussian differential privacy.

**Shifted interpolation** (after Bok, Su and Altschuler 2024). Runs x_t of F and y_t of G start from one point. Let k be
given, and start the shift k steps before the end: x and y are at most D apart there. In each of the k steps the map of
F moves them no further apart (it is nonexpansive for convex F and eta <= 2/M, and so is the projection), the gradients
differ by s at most, and the noise hides what the shift closes: if each step closes a k-th part of D and the whole
eta s, then the k Gaussian steps have shifts of D/k + eta s at noise v = eta sigma, and what lies before does not count.
So mu^2 = k (D/k + eta s)^2/v^2 for every whole 1 <= k <= T. With a shift from the common start on it is composition,
mu^2 = T s^2/sigma^2.

**Strong convexity.** The map of F contracts by c. What step t closes, a_t, has shrunk to c^(T-t) a_t at the end, so all
is closed if sum c^(T-t) a_t = eta s sum c^(T-t); of sum a_t^2/v^2 the least is (s/sigma)^2 (sum c^k)^2/sum c^2k, by
Cauchy and Schwarz, at a_t proportional to c^(T-t).

**Cyclic batches**, strongly convex, the record in the last of r batches (steps after its last use are post-processing,
steps before its first change nothing). Step T closes its own eta s. The E - 1 uses before it, q = c^r, come to eta s
(q + ... + q^(E-1)) at the end, and the r(E - 1) steps from r to T - 1 close them: Cauchy and Schwarz with sum c^2k, k =
1 to r(E - 1), give the second term. a_t grows with t, faster than what is there to be closed: nothing is closed before
it is there.

**Cyclic batches**, convex, on a set of diameter D. The last use is closed at its own step. Before it lie, for every
whole j <= E - 1, r j steps that begin with the first of the j uses before: each closes the (r j)-th part of D + j eta
s. When i of the j rounds are over D (1 - i/j) is left, and more before: nothing is closed before it is there. mu^2 =
(s/sigma)^2 + (D + j eta s)^2/(r j v^2), or composition, E (s/sigma)^2; less than that from the common start on is in
`final_model`.

**Sampled batches**, convex, on a set of diameter D. Tell the batches, in which no record has a say: what is lost on
average over them is no less than what is lost without knowing them, since delta(epsilon) is jointly convex in the two
laws. Given them, the record is used in J of the last k steps. Let each of these k steps close a k-th part of D, and a
use its own eta s as well: mu^2 = (k - J) (D/k)^2/v^2 + J (D/k + eta s)^2/v^2. J is binomial, of k steps and the rate
b/n, as batches are sampled independently: delta(epsilon) <= E delta_mu(J)(epsilon), for every whole k <= T.

**Any batches**, strongly convex: a step that does not use the record has the difference 0, which is at most s.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr
from scipy.stats import binom


def gaussian_delta(epsilon: float, mu: float) -> float:
    """delta of N(0, 1) against N(mu, 1) at epsilon: Phi(-e/mu + mu/2) - e^epsilon Phi(-e/mu - mu/2)."""
    first, second = log_ndtr(-epsilon / mu + mu / 2), epsilon + log_ndtr(-epsilon / mu - mu / 2)
    return float(math.exp(first) * -math.expm1(min(second - first, 0.0)))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """epsilon of N(0, 1) against N(mu, 1) at delta, within 1e-12; for delta down to 1e-300."""
    if mu <= 0 or gaussian_delta(0.0, mu) <= delta:
        return 0.0

    def surplus(epsilon: float) -> float:
        first, second = log_ndtr(-epsilon / mu + mu / 2), epsilon + log_ndtr(-epsilon / mu - mu / 2)
        gap = -math.expm1(min(second - first, -1e-300))
        return float(first + math.log(max(gap, 1e-300)) - math.log(delta))

    high = mu**2 / 2 + mu * math.sqrt(-2 * math.log(delta)) + 1
    return float(brentq(surplus, 0.0, high, xtol=1e-12))


def ratio_b(s: float, eta: float, sigma: float, diameter: float = 1.0) -> float:
    """B = sD/(eta sigma^2)."""
    return s * diameter / (eta * sigma**2)


def composition_mu(steps: float, s: float, sigma: float) -> float:
    """sqrt(T) s/sigma: every step is seen."""
    return math.sqrt(steps) * s / sigma


def contraction(eta: float, convexity: float, smoothness: float) -> float:
    """c = max(|1 - eta m|, |1 - eta M|): of a gradient step of an m-strongly convex, M-smooth loss."""
    return max(abs(1 - eta * convexity), abs(1 - eta * smoothness))


def geometric_mu(steps: float, ratio: float, c: float) -> float:
    """(s/sigma) sqrt((1 + c)/(1 - c) (1 - c^T)/(1 + c^T)), ``ratio`` = s/sigma: after Bok, Su and Altschuler."""
    if c == 0:
        return ratio
    power = steps * math.log(c)
    return ratio * math.sqrt((1 + c) / (1 - c) * -math.expm1(power) / (1 + math.exp(power)))


def quadratic_mu(steps: float, ratio: float, c: float) -> float:
    """Exact, of F' = mx, G' = mx + s, c = 1 - eta m in (-1, 1], T whole.

    The mean moves by eta s sum c^k, the variance is v^2 sum c^2k.
    """
    if c == 1:
        return ratio * math.sqrt(steps)
    if c > 0:
        power = steps * math.log(c)
        moved, variance = -math.expm1(power) / (1 - c), -math.expm1(2 * power) / ((1 - c) * (1 + c))
    else:
        moved, variance = (1 - c**steps) / (1 - c), (1 - abs(c) ** (2 * steps)) / ((1 - c) * (1 + c))
    return float(ratio * moved / math.sqrt(variance))


def convex_steps(s: float, eta: float, diameter: float) -> int:
    """ceil(D/(s eta)) steps before the end the published shift starts."""
    return max(1, math.ceil(diameter / (s * eta) - 1e-9))


def convex_mu(steps: float, s: float, eta: float, sigma: float, diameter: float = 1.0) -> float:
    """As published: [3sD/eta + s^2 ceil(D/(s eta))]/sigma^2 from T >= D/(s eta) on, composition before."""
    k = convex_steps(s, eta, diameter)
    if steps < k:
        return composition_mu(steps, s, sigma)
    return math.sqrt(3 * s * diameter / eta + s**2 * k) / sigma


def convex_mu_least(steps: float, s: float, eta: float, sigma: float, diameter: float = 1.0) -> float:
    """The same proof at its best: the least of k (D/k + eta s)^2/v^2 over whole k <= T, and of composition."""
    best = diameter / (eta * s)
    choices = {max(1, min(int(steps), int(number))) for number in (math.floor(best), math.ceil(best))}
    shifted = min(k * (diameter / k + eta * s) ** 2 for k in choices) / (eta * sigma) ** 2
    return math.sqrt(min(shifted, composition_mu(steps, s, sigma) ** 2))


def cyclic_mu(epochs: float, batches: float, ratio: float, c: float) -> float:
    """Cyclic batches, strongly convex, ``ratio`` = s/sigma with s = L/b: after Bok, Su and Altschuler."""
    if epochs == 1:
        return ratio
    r, power = batches, batches * (epochs - 1)
    tail = c ** (2 * r - 2) * (1 - c**2) / (1 - c**r) ** 2 * (1 - c**power) / (1 + c**power)
    return ratio * math.sqrt(1 + tail)


def cyclic_quadratic_mu(epochs: float, batches: float, ratio: float, c: float) -> float:
    """Exact, of quadratics whose record lies in the last batch of every epoch."""
    moved = (1 - c ** (batches * epochs)) / (1 - c**batches)
    return float(ratio * moved / math.sqrt((1 - c ** (2 * batches * epochs)) / (1 - c**2)))


def cyclic_convex_mu(epochs: float, batches: float, s: float, eta: float, sigma: float, diameter: float = 1.0) -> float:
    """Cyclic batches, convex: the least of 1 + (D + j eta s)^2/(r j (eta s)^2) over whole j <= E - 1, and of E."""
    if epochs == 1:
        return s / sigma
    best = diameter / (eta * s)
    choices = {max(1, min(int(epochs - 1), int(rounds))) for rounds in (math.floor(best), math.ceil(best))}
    least = min(1 + (best + rounds) ** 2 / (batches * rounds) for rounds in choices)
    return math.sqrt(min(least, epochs)) * s / sigma


PLACES = 4000
"""Of a binomial: more hits are taken together, as many as the largest of them."""

LONGEST = 10**12
"""Of the numbers of last steps that are tried."""

WINDOWS = 24
"""Numbers of last steps that are tried for sampled batches, on each of two grids."""


def sampled_convex(
    steps: int, rate: float, s: float, eta: float, sigma: float, delta: float, diameter: float = 1.0
) -> tuple[float, int]:
    """epsilon at delta of sampled batches, convex, from above; and the number k of last steps of the bound."""

    def at(k: int) -> float:
        return _hits_epsilon(k, rate, diameter / (k * eta * sigma), s / sigma, delta)

    most = min(steps, LONGEST, math.ceil(100 * (1 + diameter / (eta * s)) / rate))
    low, high = 1, most
    found: dict[int, float] = {}
    for _ in range(2):
        grid = {max(low, min(high, round(k))) for k in np.geomspace(low, high, WINDOWS)}
        found |= {k: at(k) for k in grid if k not in found}
        order = sorted(found)
        place = order.index(min(found, key=lambda k: (found[k], k)))
        low, high = order[max(place - 1, 0)], order[min(place + 1, len(order) - 1)]
    best = min(found, key=lambda k: (found[k], k))
    return found[best], best


def _hits_epsilon(k: int, rate: float, closed: float, hit: float, delta: float) -> float:
    """epsilon where each of k steps closes ``closed`` standard deviations, and ``hit`` more with probability rate."""
    low, high = int(binom.ppf(1e-6 * delta, k, rate)), int(binom.isf(1e-6 * delta, k, rate))
    hits = np.unique(np.ceil(np.linspace(low, high, PLACES)))
    above = binom.sf(hits, k, rate)
    masses, rest = np.concatenate([[1.0], above[:-1]]) - above, float(above[-1])  # more hits: as if all were told
    mu = np.sqrt((k - hits) * closed**2 + hits * (closed + hit) ** 2)

    def log_surplus(epsilon: float) -> float:
        first, second = log_ndtr(-epsilon / mu + mu / 2), epsilon + log_ndtr(-epsilon / mu - mu / 2)
        deltas = np.exp(first) * -np.expm1(np.minimum(second - first, 0.0))
        return math.log(max(float(masses @ deltas) + rest, 1e-320)) - math.log(delta)

    worst = float(mu[-1])
    top = worst**2 / 2 + worst * math.sqrt(-2 * math.log(delta)) + 1e-9
    if worst > 1e5:  # differences of probabilities have no digits left
        return top
    if log_surplus(0.0) <= 0:
        return 0.0
    while log_surplus(top) > 0:
        top *= 1.01
    return float(brentq(log_surplus, 0.0, top, xtol=1e-10)) + 1e-10
