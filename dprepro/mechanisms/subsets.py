"""Private choice of a few of many: the exponential mechanism over all subsets of a size, and the top of noisy scores.

Both laws are known exactly, for any number of candidates that are alike.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from dprepro.mechanisms.additive import Laplace
from dprepro.mechanisms.guarantees import PureLoss
from dprepro.mechanisms.noise_moments import NoiseMoments
from dprepro.mechanisms.published import published

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NODES = 24  # of a Gauss-Legendre rule on each piece of at most `PIECE` scales
PIECE = 2.0
_GAUSS = lru_cache(np.polynomial.legendre.leggauss)
FAR = 60.0  # scales beyond which nothing is left


@dataclass(frozen=True, eq=False)
class SubsetChoice:
    """The exponential mechanism over the subsets of one size, where what members gain adds up.

    P(S) is proportional to exp(sum over S of gain_j/scale). With w_j = exp(gain_j/scale) the sum over all S is an
    elementary symmetric polynomial e_size(w), so nothing is listed: candidates that gain nothing have w = 1 and enter
    by binomial coefficients alone, however many they are.

    Attributes:
        gains: of the candidates that are listed, shape (m,).
        others: number of further candidates, which gain nothing; as large as 1e300.
        size: of the subsets, at most m + others.
        scale: in the unit of the gains.
    """

    gains: FloatArray
    others: float
    size: int
    scale: float

    @cached_property
    def _tails(self) -> FloatArray:
        """ln e_k of the weights from number j on and of the others, shape (m + 1, size + 1); -inf where there is none.

        e_k(w_j, ...) = e_k(w_j+1, ...) + w_j e_(k-1)(w_j+1, ...): a sum of positive terms.
        """
        return _log_polynomials(self.gains / self.scale, self.others, self.size)

    def draw(self, rng: np.random.Generator) -> IntArray:
        """The members that are listed, ascending; the rest of the subset is anything of the others."""
        chosen, left, tails = [], self.size, self._tails
        for j, gain in enumerate(self.gains / self.scale):
            if left and math.log(1.0 - rng.random()) < gain + tails[j + 1, left - 1] - tails[j, left]:
                chosen.append(j)
                left -= 1
        return np.array(chosen, dtype=np.int64)

    def inclusion(self) -> FloatArray:
        """The probabilities with which candidates are members, shape (m,)."""
        gains, found = self.gains / self.scale, np.zeros(self.gains.size)
        for gain in np.unique(gains):
            alike = np.flatnonzero(gains == gain)
            rest = _log_polynomials(np.delete(gains, alike[0]), self.others, self.size)
            found[alike] = math.exp(min(0.0, gain + rest[0, self.size - 1] - self._tails[0, self.size]))
        return found

    def members(self) -> FloatArray:
        """Where all listed gains are equal: the probabilities of 0, ..., size listed members, shape (size + 1,)."""
        m, gain = self.gains.size, float(self.gains[0]) / self.scale
        logs = np.array([
            _log_binomial(m, c) + c * gain + _log_binomial(self.others, self.size - c) for c in range(self.size + 1)
        ])  # fmt: skip
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class NoisyTop:
    """The ``size`` largest of scores with Lap(scale) added to each."""

    scale: float

    def select(self, scores: FloatArray, size: int, rng: np.random.Generator) -> tuple[IntArray, NoiseMoments]:
        """The indices of the largest noisy scores, ascending, and the noise moments. Shape of scores: (candidates,)."""
        noisy = scores + rng.laplace(0.0, self.scale, size=scores.size)
        top = np.sort(np.argpartition(-noisy, size - 1)[:size]).astype(np.int64)
        return published(self, scores, top), Laplace(self.scale).moments(noisy - scores)

    def log_chance(self, value: FloatArray, output: IntArray) -> float:
        """ln of the probability of the choice, of one below all floats too.

        The integral over t of the density of the least of the chosen at t times the probability that all others lie
        below t. Between scores all factors are analytic, and none is negative, so small probabilities keep their
        digits.
        """
        inside = np.zeros(value.size, dtype=np.bool_)
        inside[output] = True
        high, n_high = np.unique(value[inside] / self.scale, return_counts=True)
        low, n_low = np.unique(value[~inside] / self.scale, return_counts=True)
        x, rule = _rule(np.concatenate([high, low]))
        above = _log_laplace_below(high - x[:, None])  # of one of the chosen: ln P(score + noise > x)
        density = -np.abs(x[:, None] - high) + np.log(n_high / 2)
        below = _log_laplace_below(x[:, None] - low) @ n_low
        logs = (above @ n_high + below + np.log(rule))[:, None] - above + density
        most = float(logs.max())
        with np.errstate(under="ignore"):
            return most + math.log(float(np.exp(logs - most).sum()))

    def guarantee(self, sensitivity: float) -> PureLoss:
        """Privacy of one choice where the scores' **l1** sensitivity is given: that of releasing them all."""
        return PureLoss(sensitivity / self.scale)

    def probability(self, scores: FloatArray, chosen: IntArray) -> float:
        """That exactly these are chosen: all of them above all others."""
        return math.exp(self.log_chance(scores, chosen))


def _rule(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places and weights of a quadrature over the line, with edges at the scores."""
    ends = np.unique(np.concatenate([scores, [scores.min() - FAR, scores.max() + FAR]]))
    fine = [np.linspace(a, b, math.ceil((b - a) / PIECE) + 1) for a, b in itertools.pairwise(ends)]
    edges = np.unique(np.concatenate(fine))
    nodes, weights = _GAUSS(NODES)
    half = 0.5 * np.diff(edges)
    return (edges[:-1, None] + half[:, None] * (1 + nodes)).ravel(), (half[:, None] * weights).ravel()


def _log_laplace_below(u: FloatArray) -> FloatArray:
    """ln P(Lap(1) < u)."""
    tail = 0.5 * np.exp(-np.abs(u))
    return np.where(u < 0, np.minimum(u, 0.0) - math.log(2), np.log1p(-np.minimum(tail, 0.5)))


def _log_binomial(n: float, k: int) -> float:
    """ln of n over k, -inf where there is none; by its k factors, so that n may be 1e300."""
    if not 0 <= k <= n:
        return -math.inf
    return math.fsum(math.log(n - i) for i in range(k)) - math.lgamma(k + 1)


def _log_polynomials(logs: FloatArray, others: float, size: int) -> FloatArray:
    """See `SubsetChoice._tails`; the weights by their logarithms."""
    table = np.empty((logs.size + 1, size + 1))
    table[-1] = [_log_binomial(others, k) for k in range(size + 1)]
    for j in range(logs.size - 1, -1, -1):
        table[j] = table[j + 1]
        table[j, 1:] = np.logaddexp(table[j + 1, 1:], logs[j] + table[j + 1, :-1])
    return table
