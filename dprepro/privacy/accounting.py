"""Composition of equal uses of one mechanism: pure losses in closed form, all else by the accountant `dp_accounting`.

The accountant is imported on first use (it costs about a second); results are remembered, since a sweep asks the same
question for every replicate.

Conversions, named in every answer:

* pure losses: T-fold randomised response, which dominates every T-fold adaptive composition of epsilon_0-private
  mechanisms (Kairouz, Oh and Viswanath 2015), in closed form. The accountant's discrete loss distribution agrees with
  it where it works (to 1e-5 at T = 1e7 and delta = 1e-6), but cuts tails off: at T = 3e5 and delta = 1e-11 it answers
  19 in place of 2.46. It also takes a second where the closed form takes .1 ms.
* bounded range: eta^2/8-zCDP a use, summed, and converted to (epsilon, delta) by the tight formula of Canonne, Kamath
  and Steinke 2020 (the simple one, rho + 2 sqrt(rho ln(1/delta)), gives about a fifth more).
* Gaussian: T uses of shift mu are one use of shift mu sqrt(T), exactly (Dong, Roth and Su 2022).
* Gaussian on one sampled record: Renyi accounting of sampling without replacement under replacement of a record (Wang,
  Balle and Kasiviswanathan 2019); a sample of one record is the same with and without replacement.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import BoundedRange, GaussianShift, Guarantee, PureLoss, SampledGaussianShift

KINDS: dict[str, type[PureLoss] | type[BoundedRange] | type[GaussianShift]] = {
    kind.__name__: kind for kind in (PureLoss, BoundedRange, GaussianShift)
}


@dataclass(frozen=True)
class Spent:
    """What a run has spent: at most ``epsilon`` at the budget's ``delta``, by the named conversion."""

    epsilon: float
    delta: float
    conversion: str


def spent(guarantee: Guarantee, uses: int, delta: float) -> Spent:
    """Epsilon at ``delta`` of ``uses`` adaptive uses of a mechanism with this guarantee.

    At delta = 0 only pure losses, and bounded ranges through the pure loss eta that they imply, have a finite epsilon:
    uses times the loss of one. Returns infinity where no finite epsilon exists.

    Raises:
        InputError: a negative number of uses.
    """
    if uses < 0:
        raise InputError(f"uses must be at least 0, got uses={uses}")
    if uses == 0:
        return Spent(0.0, delta, "no use")
    if isinstance(guarantee, PureLoss):
        return Spent(_pure(guarantee.epsilon, uses, delta), delta, "optimal composition of pure losses")
    if isinstance(guarantee, SampledGaussianShift):
        epsilon = _sampled_gaussian(guarantee.mu, int(guarantee.population), uses, delta)
        return Spent(epsilon, delta, "sampled Gaussian, Renyi accounting under replacement")
    if isinstance(guarantee, BoundedRange):
        # A range of eta implies the pure loss eta, which is the better account of a few large losses.
        pure = _pure(guarantee.eta, uses, delta)
        concentrated = _zcdp(uses * guarantee.eta**2 / 8, delta) if delta > 0 else math.inf
        if concentrated < pure:
            return Spent(concentrated, delta, "bounded range, zCDP, tight conversion")
        return Spent(pure, delta, "optimal composition of pure losses")
    return Spent(_gaussian(guarantee.mu * math.sqrt(uses), delta), delta, "Gaussian, exact")


def noise_for(guarantee_at: Callable[[float], Guarantee], uses: int, budget: Budget) -> float:
    """Smallest noise scale at which ``uses`` uses are certified to stay within the budget (constants ``exact``).

    ``guarantee_at(scale)`` is one use's guarantee, whose loss must be inversely proportional to the scale, as for all
    mechanisms of the project. The answer errs on the private side, by at most a relative 1e-6.

    Raises:
        InputError: no scale suffices (a Gaussian mechanism at delta = 0).
    """
    if uses == 0 or not budget.is_private:
        return 0.0
    unit = guarantee_at(1.0)
    return _loss(unit) / _largest_loss(type(unit).__name__, uses, budget.epsilon, budget.delta)


@lru_cache(maxsize=4096)
def _largest_loss(kind_name: str, uses: int, epsilon: float, delta: float) -> float:
    """Largest loss of one use (its epsilon, eta or mu) such that ``uses`` uses spend at most (epsilon, delta)."""
    kind = KINDS[kind_name]
    if not math.isfinite(spent(kind(1e-3 / uses), uses, delta).epsilon):
        raise InputError(f"{kind.__name__} cannot satisfy delta={delta:g}: no finite noise suffices")

    def within(loss: float) -> bool:
        return spent(kind(loss), uses, delta).epsilon <= epsilon

    low = epsilon / uses  # basic composition: always within for pure losses
    while not within(low):
        low /= 2
    high = 2 * low
    while within(high):
        low, high = high, 2 * high
    while high / low - 1 > 1e-6:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if within(middle) else (low, middle)
    return low


def _loss(guarantee: Guarantee) -> float:
    match guarantee:
        case PureLoss(epsilon):
            return epsilon
        case BoundedRange(eta):
            return eta
        case GaussianShift(mu):
            return mu
        case SampledGaussianShift():
            raise InputError("the noise of a sampled Gaussian cannot be calibrated by its shift alone")


@lru_cache(maxsize=4096)
def _pure(epsilon: float, uses: int, delta: float) -> float:
    """Optimal composition of ``uses`` pure losses (Kairouz, Oh and Viswanath 2015), for any delta.

    The loss is epsilon (2 J - uses) with J binomial of parameter p = e^epsilon/(1 + e^epsilon) under one data set and
    1 - p under the other, hence delta(x) = P(J >= k) - e^x Q(J >= k) for every x in [loss(k - 1), loss(k)]. All
    probabilities are handled by their logarithms.
    """
    if delta == 0:
        return epsilon * uses
    from scipy.special import betainc

    p = 1 / (1 + math.exp(-epsilon))

    def log_tail(k: int, q: float) -> float:
        """ln P(J >= k) for 1 <= k <= uses; betainc where scipy.stats would cost an import of .8 s."""
        tail = float(betainc(k, uses - k + 1, q))
        return math.log(tail) if tail > 0 else -math.inf

    def log_delta(k: int, x: float) -> float:
        above, below = log_tail(k, p), log_tail(k, 1 - p)
        return above + math.log1p(-math.exp(min(0.0, x + below - above))) if x + below < above else -math.inf

    target = math.log(delta)
    low, high = uses // 2, uses  # loss(low) spends too much delta, loss(high) none at all
    while high - low > 1:
        middle = (low + high) // 2
        if log_delta(middle + 1, epsilon * (2 * middle - uses)) > target:
            low = middle
        else:
            high = middle
    above, below = log_tail(high, p), log_tail(high, 1 - p)
    if above <= target:
        return max(0.0, epsilon * (2 * low - uses))
    solution = above + math.log1p(-math.exp(target - above)) - below  # infinite where Q is below all floats
    return max(0.0, min(solution, epsilon * (2 * high - uses)))


@lru_cache(maxsize=4096)
def _zcdp(rho: float, delta: float) -> float:
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    # The accountant minimises over a fixed list of orders; the best one is near 1 + sqrt(ln(1/delta)/rho).
    best = 1 + math.sqrt(math.log(1 / delta) / rho) if rho > 0 else 2.0
    orders = sorted({1 + (best - 1) * 1.02**k for k in range(-60, 61)})
    accountant = RdpAccountant(orders)
    accountant.compose(dp_accounting.ZCDpEvent(rho))
    return float(accountant.get_epsilon(delta))


#: Below this delta the accountant's truncated tails answer infinity, and the closed form takes over.
SMALLEST_DELTA = 1e-12


@lru_cache(maxsize=4096)
def _gaussian(mu: float, delta: float) -> float:
    if mu == 0:
        return 0.0
    if delta == 0:
        return math.inf
    if delta < SMALLEST_DELTA:
        return gaussian_epsilon(mu, delta)
    import dp_accounting.dp_event as event
    from dp_accounting.pld import PLDAccountant

    # One Gaussian event of shift mu; the discretisation is made finer where epsilon is small.
    accountant = PLDAccountant(value_discretization_interval=min(1e-4, mu * 1e-3))
    accountant.compose(event.GaussianDpEvent(1 / mu))
    return float(accountant.get_epsilon(delta))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Epsilon of one Gaussian shift mu at delta > 0, in closed form (Balle and Wang 2018), for any delta.

    delta(x) = Phi(mu/2 - x/mu) - e^x Phi(-mu/2 - x/mu), by logarithms; the root in x by bisection, from above.
    """
    import numpy as np
    from scipy.special import log_ndtr

    def log_delta(x: float) -> float:
        first, second = float(log_ndtr(mu / 2 - x / mu)), x + float(log_ndtr(-mu / 2 - x / mu))
        return first + float(np.log1p(-math.exp(second - first))) if second < first else -math.inf

    target, low, high = math.log(delta), 0.0, mu
    if log_delta(0.0) <= target:
        return 0.0
    while log_delta(high) > target:
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if log_delta(middle) > target else (low, middle)
    return high


@lru_cache(maxsize=4096)
def _sampled_gaussian(mu: float, population: int, uses: int, delta: float) -> float:
    if delta == 0:
        return math.inf
    import dp_accounting
    import dp_accounting.dp_event as event
    from dp_accounting.rdp import RdpAccountant

    # Higher orders than the accountant's own: small composed shifts need them. The accountant wants whole orders here.
    orders = [*range(2, 65), 80, 100, 128, 180, 256, 360, 512, 720, 1024]
    accountant = RdpAccountant(orders, neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    one = event.SampledWithoutReplacementDpEvent(population, 1, event.GaussianDpEvent(1 / mu))
    accountant.compose(event.SelfComposedDpEvent(one, uses))
    return float(accountant.get_epsilon(delta))
