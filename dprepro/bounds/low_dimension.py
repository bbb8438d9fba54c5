"""A lower bound for smooth generalised linear models in low dimension, derived here: H B^2 X^2 sqrt(d)/(n epsilon).

**Data.** d + 1 coordinates 0, 1, ..., d, squared loss (H/2)(<w, x> - y)^2, empirical risk, neighbours by replacing one
record. Signs s in {-1, 1}^d. For each j = 1, ..., d there are m records X (e_0 +- e_j)/sqrt 2 with label 0, of which
(m + s_j D)/2 have the sign +; the other n_0 = n - d m are xi e_0, xi <= X, with the largest label y, H y^2/2 = Y^2.

**Risk.** With b = D/m, c = H X^2 m/(4 n), A = H xi^2 n_0/(2 n) + d c (1 - b^2) the excess risk is exactly
A (w_0 - v)^2 + c sum_j (w_j + s_j b w_0)^2, v = H n_0 xi y/(2 n A): squares are completed. The minimiser's norm is
v sqrt(1 + d b^2), which a choice of xi makes B: v = B/sqrt(1 + d b^2) is a quadratic equation in xi (`feature`).

**Level.** Changing s_j replaces D records: the laws of the answer are (D epsilon, delta')-close, delta' = delta (e^(D
epsilon) - 1)/(e^epsilon - 1). Give coordinate j the share (A/d)(w_0 - v)^2 + c (w_j + s_j b w_0)^2 of the risk, never
negative. Such a pair of laws is made from one that reveals s_j with probability delta', and otherwise reports it with
error Q = 1/(1 + e^(D epsilon)), by looking at it alone (Kairouz, Oh and Viswanath 2015). Revealed, the share is 0 or
more. Reported, for either w_0 the best w_j is the posterior mean, which leaves 4 Q (1 - Q) c b^2 w_0^2, and 4 Q (1 - Q)
= 1/cosh^2(D epsilon/2); beside (A/d)(w_0 - v)^2 the best w_0 leaves a k/(a + k) v^2, a = A/d, k = c b^2/cosh^2. So for
fair signs, and for some signs s therefore,

    risk >= (1 - delta') A C/(A + C) v^2,    C = d c b^2/cosh^2(D epsilon/2).

**Constant.** m = D sqrt(d), so d b^2 = 1, v^2 = B^2/2, c = H X^2 D sqrt(d)/(4 n), A >= (d - 1) c, C <= c: with t = D
epsilon the level is t/(8 cosh^2(t/2)) H B^2 X^2 sqrt(d)/(n epsilon) times (1 - delta') A/(A + C), which is between
1 - 1/d and 1. That is .0983 at t = 1 and .1119, the most, at t = 1.543.

**Records.** The quadratic f^2 - 2 V f + K = 0, f = xi/X, V = Y/(v sqrt(2 H) X), K = d m (1 - b^2)/(2 n_0), has a root
in (0, 1] iff K <= V^2 where V <= 1, and K <= 2 V - 1 else (the smaller root is the one to ask for). At d b^2 = 1 and
B X >= Y/sqrt 2 (H = 2) that is n >= d m (1 + (1 - 1/d) B^2 X^2/Y^2); for smaller B X it is n >= d m (1 + (1 - 1/d)/(2
(sqrt 2 Y/(B X) - 1))), and n >= 1.5 d m is enough.

Formulas take H X^2 as ``smoothness`` and Y as ``label_level``, as all of this paper's; p = d + 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dprepro.bounds import glm


@dataclass(frozen=True)
class Instance:
    """The data's numbers, in units of X.

    Attributes:
        n: records. coordinates: d >= 2 that hide a sign. flips: D, records that tell it.
        smoothness, radius, label_level: H X^2, B, Y.
    """

    n: float
    coordinates: int
    flips: int
    smoothness: float
    radius: float
    label_level: float

    @property
    def copies(self) -> int:
        """m: the least whole number from D sqrt(d) on that is even or odd as D."""
        least = math.ceil(self.flips * math.sqrt(self.coordinates) * (1 - 1e-12))
        return least + (least - self.flips) % 2

    @property
    def tilt(self) -> float:
        """b."""
        return self.flips / self.copies

    @property
    def pull(self) -> float:
        """c."""
        return self.smoothness * self.copies / (4 * self.n)

    @property
    def slope(self) -> float:
        """v: the minimiser's coordinate 0."""
        return self.radius / math.sqrt(1 + self.coordinates * self.tilt**2)

    @property
    def _half(self) -> float:
        """V."""
        return self.label_level / (self.slope * math.sqrt(2 * self.smoothness))

    @property
    def _paired(self) -> float:
        """d m (1 - b^2)/2: K is this over n_0."""
        return self.coordinates * self.copies * (1 - self.tilt**2) / 2

    @property
    def needed_beside(self) -> float:
        """Records beside the d m from which on some feature makes the minimiser's norm B."""
        half = self._half
        return self._paired / (half**2 if half <= 1 else 2 * half - 1)

    @property
    def needed(self) -> float:
        """All records that the construction needs: `needed_beside` and the d m."""
        return self.coordinates * self.copies + self.needed_beside

    @property
    def feature(self) -> float:
        """xi/X, the smaller root; raises ValueError where there are too few records."""
        if self.coordinates < 2 or self.n < self.needed * (1 - 1e-12):
            raise ValueError(f"n={self.n:g} records are fewer than the {self.needed:g} that the construction needs")
        return self.root(self.n - self.coordinates * self.copies)

    def root(self, beside: float) -> float:
        """The smaller root of the quadratic in xi/X with so many records beside the d m."""
        half, product = self._half, self._paired / beside
        return product / (half + math.sqrt(max(0.0, half**2 - product)))

    @property
    def bend(self) -> float:
        """A."""
        others = self.n - self.coordinates * self.copies
        paired = self.coordinates * self.pull * (1 - self.tilt**2)
        return self.smoothness * self.feature**2 * others / (2 * self.n) + paired

    def risk(self, left: float) -> float:
        """The least risk of an answer that leaves ``left`` of each square (b w_0)^2 in expectation."""
        signs = left * self.coordinates * self.pull * self.tilt**2
        return self.bend * signs / (self.bend + signs) * self.slope**2

    def level(self, epsilon: float, delta: float) -> float:
        """What some signs make every private answer lose."""
        hidden = 1 / math.cosh(self.flips * epsilon / 2) ** 2
        return (1 - glm.group_delta(epsilon, delta, self.flips)) * self.risk(hidden)


def _usual(n: float, p: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> Instance:
    """With D = floor(1/epsilon)."""
    flips = math.floor(1 / epsilon * (1 + 1e-12))
    return Instance(n, int(p) - 1, flips, smoothness, radius, label_level)


def level(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> float:
    """The exact level at D = floor(1/epsilon); raises ValueError where there are too few records."""
    return _usual(n, p, epsilon, smoothness, radius, label_level).level(epsilon, delta)


def rate(n: float, p: float, epsilon: float, smoothness: float, radius: float) -> float:
    """H B^2 X^2 sqrt(d)/(n epsilon), d = p - 1."""
    return smoothness * radius**2 * math.sqrt(p - 1) / (n * epsilon)


def stated(n: float, p: float, epsilon: float, smoothness: float, radius: float) -> float:
    """The constant that holds from d = 16 on for epsilon <= .1 and delta <= epsilon/100: .085."""
    return 0.085 * rate(n, p, epsilon, smoothness, radius)


def known(
    n: float, p: float, epsilon: float, delta: float, smoothness: float, radius: float, label_level: float
) -> float:
    """The least that is known of private answers on these data; with chance delta the minimiser is published.

    Zero; w_j = 0 with the best w_0; the signs of counts with Laplace noise of scale 2/epsilon, which err with chance
    e^(-D epsilon/2)/2: replacing a record moves the counts by 2 in l1.
    """
    data = _usual(n, p, epsilon, smoothness, radius, label_level)
    wrong = math.exp(-data.flips * epsilon / 2) / 2
    answers = (data.bend * data.slope**2, data.risk(1.0), data.risk(4 * wrong * (1 - wrong)))
    return (1 - delta) * min(answers)


def feature(n: float, p: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """xi/X, which the premise wants to be 1 at most."""
    return _usual(n, p, epsilon, smoothness, radius, label_level).feature


def least_feature(p: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """xi/X with the least records that the construction needs: 1 at most, and 1 for a short w*."""
    data = _usual(math.inf, p, epsilon, smoothness, radius, label_level)
    return data.root(data.needed_beside)


def needed(p: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """Records that the construction needs."""
    return _usual(math.inf, p, epsilon, smoothness, radius, label_level).needed


def supposed(p: float, epsilon: float, smoothness: float, radius: float, label_level: float) -> float:
    """Records that the premise supposes, which is simpler than what the construction needs."""
    return 1.2 * math.pow(p - 1, 1.5) * (1.5 + smoothness * radius**2 / (2 * label_level**2)) / epsilon


def reached(
    p: float, epsilon: float, smoothness: float, radius: float, label_level: float, share: float, place: float
) -> float:
    """Norm of the minimiser over B, at ``share`` of the records needed beyond d m and xi = ``place`` X."""
    data = _usual(math.inf, p, epsilon, smoothness, radius, label_level)
    pairs, others = data.coordinates * data.copies, share * data.needed_beside
    # v = H n_0 xi y/(2 n A), times n above and below
    paired = smoothness * pairs * (1 - data.tilt**2) / 4
    above = others * place * label_level * math.sqrt(smoothness / 2)
    return above / (smoothness * place**2 * others / 2 + paired) / data.slope
