"""Laws whose privacy is known exactly, to hold accountants against: what epsilon they spend at delta, enclosed.

One use is one of

* ``gaussian``: N(0, 1) or N(mu, 1), so that k uses are one of mu sqrt(k);
* ``laplace``: noise of scale 1/epsilon on a number that moves by 1;
* ``response``: a bit answered truthfully with probability e^epsilon/(1 + e^epsilon), the worst of all pure losses;
* ``sampled``: N(0, 1), or N(mu, 1) with probability ``rate``, in both directions: a record of dimension one comes or
  goes, and each use takes it with that probability (Poisson).

One use, and any number of Gaussian ones, are closed forms in the normal law, which are computed to so many digits that
cancellation leaves thirty. Randomised responses are a sum over the binomial law. Other compositions are enclosed by two
convolutions on a lattice (`lattice`), one from above and one from below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprepro.auditing.accountants.lattice import epsilons_between
from dprepro.errors import InputError

KINDS = ("gaussian", "laplace", "response", "sampled")

NARROW = 1e-12
"""Relative width to which epsilon is bisected in closed forms."""

GAMMA_ERROR = 1e-7
"""Relative error of a binomial probability of a million trials, more than enough."""

LEAST_CHANCE = 1e-307
"""What a chance that underflows may be, at most."""

DIGITS = 60


@dataclass(frozen=True)
class KnownLaw:
    """Uses of a mechanism of known law.

    Attributes:
        kind: see `KINDS`.
        parameter: of one use: mu of ``gaussian`` and ``sampled`` (sensitivity over standard deviation), else epsilon.
        uses: how many, independent.
        rate: of ``sampled``.

    Raises:
        InputError: another kind, a parameter that is not positive, no use, a rate outside (0, 1].
    """

    kind: str
    parameter: float
    uses: int = 1
    rate: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if not self.parameter > 0 or self.uses < 1 or not 0 < self.rate <= 1:
            raise InputError(f"a law needs parameter > 0, uses >= 1 and a rate in (0, 1], got {self}")

    @property
    def words(self) -> str:
        """In short."""
        name = {"gaussian": "mu", "sampled": "mu"}.get(self.kind, "epsilon")
        rate = f" rate={self.rate:g}" if self.kind == "sampled" else ""
        return f"{self.kind} {name}={self.parameter:g}{rate} uses={self.uses}"


@dataclass(frozen=True)
class Enclosed:
    """The epsilon that is spent lies between ``low`` and ``high``."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high:
            raise AssertionError(f"no enclosure: {self}")


def enclosed_epsilons(law: KnownLaw, deltas: tuple[float, ...]) -> list[Enclosed]:
    """The least epsilon at which the law is (epsilon, delta)-private, between two numbers, for each of several deltas.

    What is composed on a lattice is composed once, for the least delta.

    Raises:
        InputError: a delta outside (0, 1).
    """
    for delta in deltas:
        if not 0 < delta < 1:
            raise InputError(f"delta must be in (0, 1), got delta={delta:g}")
    if law.kind == "response" and law.uses > 1:
        return [_responses(law.parameter, law.uses, delta) for delta in deltas]
    if law.uses == 1 or law.kind == "gaussian":
        return [_closed(law, delta) for delta in deltas]
    return [Enclosed(*found) for found in epsilons_between(law.kind, law.parameter, law.rate, law.uses, deltas)]


def exact_delta(law: KnownLaw, epsilon: float) -> Any:
    """delta(epsilon) of one use, or of Gaussian ones, as a number of mpmath with thirty digits that hold.

    Twice the digits must say the same.

    Raises:
        ArithmeticError: they do not.
    """
    import mpmath

    digits = DIGITS + _cancelled(law, epsilon)
    found = []
    for precision in (digits, 2 * digits):
        with mpmath.workdps(precision):
            found.append(_delta(law, mpmath.mpf(epsilon), mpmath))
    with mpmath.workdps(digits):
        if abs(found[0] - found[1]) > abs(found[1]) * mpmath.mpf(10) ** -30:
            raise ArithmeticError(f"{digits} digits are too few for {law.words} at epsilon={epsilon:g}")
    return found[1]


def _cancelled(law: KnownLaw, epsilon: float) -> int:
    """Digits that differences may lose: of small shifts and rates, and of e^epsilon beside 1."""
    small = [law.parameter * math.sqrt(law.uses), law.rate, epsilon or 1.0]
    return int(sum(4 * max(0.0, -math.log10(value)) for value in small) + 2 * math.log10(1 + epsilon))


def _delta(law: KnownLaw, epsilon: Any, mp: Any) -> Any:
    if law.kind == "gaussian":
        mu = mp.mpf(law.parameter) * mp.sqrt(law.uses)
        return _above(mp, epsilon / mu - mu / 2) - mp.exp(epsilon) * _above(mp, epsilon / mu + mu / 2)
    parameter = mp.mpf(law.parameter)
    if law.kind == "laplace":
        return max(-mp.expm1((epsilon - parameter) / 2), mp.mpf(0))
    if law.kind == "response":
        return max(-mp.expm1(epsilon - parameter) / (1 + mp.exp(-parameter)), mp.mpf(0))
    return max(_comes(parameter, mp.mpf(law.rate), epsilon, mp), _goes(parameter, mp.mpf(law.rate), epsilon, mp))


def _above(mp: Any, place: Any) -> Any:
    """P(N(0, 1) > place)."""
    return mp.erfc(place / mp.sqrt(2)) / 2


def _comes(mu: Any, rate: Any, epsilon: Any, mp: Any) -> Any:
    """delta of the mixture against N(0, 1): answers above the place at which the ratio is e^epsilon."""
    place = mp.log1p(mp.expm1(epsilon) / rate) / mu + mu / 2
    return rate * _above(mp, place - mu) - (mp.expm1(epsilon) + rate) * _above(mp, place)


def _goes(mu: Any, rate: Any, epsilon: Any, mp: Any) -> Any:
    """delta of N(0, 1) against the mixture: answers below the place at which the ratio is e^epsilon."""
    odds = 1 + mp.expm1(-epsilon) / rate
    if odds <= 0:
        return mp.mpf(0)
    place = -(mp.log(odds) / mu + mu / 2)
    ratio = mp.exp(epsilon)
    return _above(mp, place) * (1 - ratio * (1 - rate)) - ratio * rate * _above(mp, place + mu)


def _closed(law: KnownLaw, delta: float) -> Enclosed:
    if law.kind in ("laplace", "response"):
        import mpmath as mp

        with mp.workdps(2 * DIGITS):
            epsilon, given = mp.mpf(law.parameter), mp.mpf(delta)
            if law.kind == "laplace":
                found = epsilon + 2 * mp.log1p(-given)
            else:
                inside = 1 - given * (1 + mp.exp(-epsilon))
                found = epsilon + mp.log(inside) if inside > 0 else mp.mpf(0)
            return _around(max(float(found), 0.0))
    if exact_delta(law, 0.0) <= delta:
        return Enclosed(0.0, 0.0)
    low, high = 0.0, law.parameter * math.sqrt(law.uses)
    while exact_delta(law, high) > delta:
        low, high = high, 2 * high
    while low == 0 or high - low > NARROW * high:
        middle = (low + high) / 2 if low > high / 8 else (math.sqrt(low * high) if low else high / 64)
        low, high = (low, middle) if exact_delta(law, middle) <= delta else (middle, high)
        if high < 1e-290:
            return Enclosed(0.0, high)
    return Enclosed(low, high)


def _around(value: float) -> Enclosed:
    return Enclosed(value * (1 - 1e-14), value * (1 + 1e-14))


def _responses(epsilon: float, uses: int, delta: float) -> Enclosed:
    from scipy.special import gammaln

    truths = np.arange(uses + 1, dtype=np.float64)
    losses = epsilon * (2 * truths - uses)
    logs = (
        gammaln(uses + 1.0) - gammaln(truths + 1) - gammaln(uses - truths + 1)
        - truths * math.log1p(math.exp(-epsilon)) - (uses - truths) * (epsilon + math.log1p(math.exp(-epsilon)))
    )  # fmt: skip
    chances = np.exp(logs)

    def at(x: float) -> float:
        some = losses > x
        return float(-(chances[some] * np.expm1(x - losses[some])).sum())

    margin = GAMMA_ERROR
    low = least_root(lambda x: at(x) * (1 - margin) <= delta, epsilon * uses)
    high = least_root(lambda x: at(x) * (1 + margin) + uses * LEAST_CHANCE <= delta, epsilon * uses)
    return Enclosed(low[0], high[1])


def least_root(private: Callable[[float], bool], most: float) -> tuple[float, float]:
    """Two numbers between which, from 0 to ``most``, ``private`` begins to hold."""
    if private(0.0):
        return 0.0, 0.0
    low, high = 0.0, most
    while high - low > NARROW * high:
        middle = (low + high) / 2
        low, high = (low, middle) if private(middle) else (middle, high)
    return low, high
