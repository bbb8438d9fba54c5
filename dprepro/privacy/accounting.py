"""Composition of mechanisms, like and unlike, and the noise that a budget needs.

`compose` takes the least of the accounts that hold, and names it in its answer:

* the dominating pairs (`pairs`): every part as its randomised responses or its Gaussian, composed exactly. Pure losses
  and Gaussians attain them, so for these nothing else is asked;
* Renyi curves, by the accountant of `dp_accounting`, with the tight conversion of Canonne, Kamath and Steinke 2020:
  for a bounded range (eta^2/8-zCDP) and for a Gaussian on a sampled record, beside parts of any kind. The simple
  conversion rho + 2 sqrt(rho ln(1/delta)) of zCDP gives about a fifth more;
* the worst adaptive composition of a few uses of one bounded range (`ranges`), a tenth to a third below that;
* the loss distribution of Gaussians on a sampled record alone (`sampled`), far below that;
* a split of delta: pure losses and Gaussians by their pairs, the rest by its Renyi curve.

Results are remembered, since a sweep asks the same question for every replicate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dprepro.budget import Budget
from dprepro.errors import InputError
from dprepro.mechanisms import Guarantee, SampledGaussianShift
from dprepro.privacy.ranges import range_epsilon
from dprepro.privacy.sampled import sampled_epsilon
from dprepro.privacy.worst_pairs import gaussian_epsilon, mixed_epsilon, pure_epsilon
from dprepro.support.roots import brentq

Parts = tuple[tuple[Guarantee, int], ...]

COARSE_ORDERS = tuple(1 + 0.02 * 1.25**k for k in range(80))
"""Renyi orders from 1.02 to 1e6; finer ones are tried around the best of them."""

WHOLE_ORDERS = (*map(float, range(2, 65)), 80.0, 100.0, 128.0, 180.0, 256.0, 360.0, 512.0, 720.0, 1024.0)
"""Higher than the accountant's own, as small composed shifts need."""

SHARES = (0.01, 0.1, 0.5, 0.9, 0.99)
"""Shares of delta that are tried for the Renyi curve where delta is split."""


@dataclass(frozen=True)
class PrivacyLoss:
    """The privacy loss of a run: at most ``epsilon`` at ``delta``, by the named conversion."""

    epsilon: float
    delta: float
    conversion: str


def compose(parts: Iterable[tuple[Guarantee, int]], delta: float) -> PrivacyLoss:
    """Epsilon at ``delta`` of all parts together, each a guarantee and how often it is used, adaptively, in any order.

    At delta = 0 the pure losses are summed; a Gaussian has none, and the answer is infinity, as it is for a part of
    infinite loss.

    Raises:
        InputError: a negative count, or a delta outside [0, 1).
    """
    if not 0 <= delta < 1:
        raise InputError(f"delta must be in [0, 1), got delta={delta:g}")
    epsilon, conversion = _least(_merged(parts), delta)
    return PrivacyLoss(epsilon, delta, conversion)


def privacy_loss(guarantee: Guarantee, uses: int, delta: float) -> PrivacyLoss:
    """Epsilon at ``delta`` of ``uses`` adaptive uses of a mechanism with this guarantee: `compose` of one part."""
    return compose([(guarantee, uses)], delta)


def noise_for(guarantee_at: Callable[[float], Guarantee], uses: int, budget: Budget) -> float:
    """Smallest noise scale at which ``uses`` uses are certified to stay within the budget (constants ``exact``).

    ``guarantee_at(scale)`` is one use's guarantee, whose loss must be inversely proportional to the scale, as for all
    mechanisms of the project. The answer errs on the private side, by at most a relative 1e-6.

    Raises:
        InputError: no scale suffices (a Gaussian mechanism at delta = 0, an infinite sensitivity).
    """
    return noise_factor([(guarantee_at(1.0), uses)], budget)


def noise_factor(parts: Iterable[tuple[Guarantee, int]], budget: Budget) -> float:
    """Smallest common factor on the noise of all parts with which they stay within the budget together.

    Parts are as in `compose`; their scales keep their proportions. 0 where no privacy is asked or nothing is used.
    Errs on the private side, by at most a relative 1e-6.

    Raises:
        InputError: a negative count, or no factor suffices (a Gaussian part at delta = 0, an infinite sensitivity).
    """
    used = _merged(parts)
    if not used or not budget.is_private:
        return 0.0
    unit = max(guarantee.loss for guarantee, _ in used)
    if not math.isfinite(unit):
        raise InputError("a part has an infinite sensitivity: no finite noise suffices")
    return unit * _least_factor(_scaled(used, unit), budget.epsilon, budget.delta)


def _merged(parts: Iterable[tuple[Guarantee, int]]) -> Parts:
    """Equal guarantees added up, in order of appearance; parts that cost nothing left out."""
    counts: dict[Guarantee, int] = {}
    for guarantee, count in parts:
        if count < 0:
            raise InputError(f"uses must be at least 0, got uses={count}")
        if count and guarantee.loss:
            counts[guarantee] = counts.get(guarantee, 0) + count
    return tuple(counts.items())


def _scaled(parts: Parts, noise: float) -> Parts:
    return tuple((guarantee.scaled(noise), count) for guarantee, count in parts)


@lru_cache(maxsize=4096)
def _least_factor(parts: Parts, epsilon: float, delta: float) -> float:
    if delta == 0 and (impure := [guarantee.words for guarantee, _ in parts if not math.isfinite(guarantee.pure_loss)]):
        raise InputError(f"{impure[0]} noise cannot satisfy delta=0: no finite noise suffices")

    def excess(log_noise: float) -> float:
        ratio = _least(_scaled(parts, math.exp(log_noise)), delta)[0] / epsilon
        return math.log(min(max(ratio, 1e-9), 1e9))

    # Epsilon is all but inversely proportional to the noise where it is small, and falls faster where it is large.
    high = 0.0
    while (over := excess(high)) > 0:
        high += over + 0.1
    low = high
    while (under := excess(low)) <= 0:
        high, low = low, low + under - 0.1
    log_noise = brentq(excess, low, high, xtol=1e-7) + 1e-7
    while excess(log_noise) > 0:
        log_noise += 1e-7
    return math.exp(log_noise)


@lru_cache(maxsize=4096)
def _least(parts: Parts, delta: float) -> tuple[float, str]:
    """The least epsilon that an account gives, and that account's name."""
    if not parts:
        return 0.0, "no use"
    if not all(math.isfinite(guarantee.loss) for guarantee, _ in parts):
        return math.inf, "a part of infinite loss"
    if delta == 0:
        return math.fsum(count * guarantee.pure_loss for guarantee, count in parts), "sum of pure losses"
    answers = [_by_pairs(parts, delta)]
    if len(parts) == 1 and math.isfinite(eta := parts[0][0].log_range):
        answers.append((range_epsilon(eta, parts[0][1], delta), "optimal composition of bounded ranges"))
    exact = tuple(part for part in parts if part[0].attained)
    rest = tuple(part for part in parts if not part[0].attained)
    if rest:
        answers.append(_by_rest(parts, delta))
    if rest and exact:
        for share in SHARES:
            (value, by), (other, otherwise) = _by_pairs(exact, (1 - share) * delta), _by_rest(rest, share * delta)
            answers.append((value + other, f"delta split: {by}; {otherwise}"))
    return min(answers)


def _by_pairs(parts: Parts, delta: float) -> tuple[float, str]:
    pure = tuple((guarantee.pure_loss, count) for guarantee, count in parts if math.isfinite(guarantee.pure_loss))
    mu = math.hypot(
        *(guarantee.shift * math.sqrt(count) for guarantee, count in parts if math.isfinite(guarantee.shift))
    )
    known = (
        ""
        if all(guarantee.attained for guarantee, _ in parts if math.isfinite(guarantee.shift))
        else ", as if not sampled"
    )
    if not pure:
        return gaussian_epsilon(mu, delta), f"Gaussian, exact{known}"
    if mu:
        return mixed_epsilon(pure, mu, delta), f"pure losses and a Gaussian, exact pairs{known}"
    epsilon = pure_epsilon(*pure[0], delta) if len(pure) == 1 else mixed_epsilon(pure, 0.0, delta)
    return epsilon, "optimal composition of pure losses"


def _by_rest(parts: Parts, delta: float) -> tuple[float, str]:
    """By Renyi curves; of a Gaussian on a sampled record alone by its loss distribution, where it is computed."""
    (guarantee, uses), *others = parts
    if isinstance(guarantee, SampledGaussianShift) and not others:
        epsilon = sampled_epsilon(guarantee.mu, guarantee.population, uses, delta)
        if math.isfinite(epsilon):
            return epsilon, "loss distribution of a sampled Gaussian"
    return _by_renyi_curves(parts, delta)


def _by_renyi_curves(parts: Parts, delta: float) -> tuple[float, str]:
    name = f"Renyi curves, tight conversion: {', '.join(dict.fromkeys(guarantee.words for guarantee, _ in parts))}"
    if any(guarantee.whole_orders for guarantee, _ in parts):
        return float(_accountant(parts, WHOLE_ORDERS).get_epsilon(delta)), name
    _, order = _converted(parts, COARSE_ORDERS, delta)
    orders = tuple(1 + (order - 1) * 1.01**k for k in range(-30, 31))
    return _converted(parts, orders, delta)[0], name


def _converted(parts: Parts, orders: tuple[float, ...], delta: float) -> tuple[float, float]:
    """Epsilon by the tight conversion, and the best of the orders.

    Lines rho times the order are converted here, by Proposition 12 of Canonne, Kamath and Steinke 2020 as
    `dp_accounting` has it: its import takes half a second.
    """
    if not all(math.isfinite(guarantee.rho) for guarantee, _ in parts):
        epsilon, order = _accountant(parts, orders).get_epsilon_and_optimal_order(delta)
        return float(epsilon), float(order)

    def at(order: float) -> float:
        curve = math.fsum(count * (guarantee.rho * order) for guarantee, count in parts)
        if delta**2 + math.expm1(-curve) > 0:  # delta <= sqrt(1 - exp(-KL))
            return 0.0
        if order <= 1.01:  # not stable there, and of no use
            return math.inf
        return curve + math.log1p(-1 / order) - math.log(delta * order) / (order - 1)

    least = min(orders, key=at)
    return max(0.0, at(least)), least


@lru_cache(maxsize=64)
def _accountant(parts: Parts, orders: tuple[float, ...]) -> Any:
    import dp_accounting.dp_event as events
    from dp_accounting import NeighboringRelation
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(orders, NeighboringRelation.REPLACE_ONE)
    accountant.compose(
        events.ComposedDpEvent([events.SelfComposedDpEvent(guarantee.event(), count) for guarantee, count in parts])
    )
    return accountant
