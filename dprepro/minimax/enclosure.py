"""Rational numbers on both sides of e^epsilon."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

BITS = 96
"""Both sides are multiples of 2^-BITS."""


@lru_cache(maxsize=256)
def exponential(epsilon: float) -> tuple[Fraction, Fraction]:
    """(low, high) with low <= e^epsilon <= high, high - low <= 2^-90 e^epsilon.

    The Taylor series of y = epsilon/2^k <= 1/2 in rational arithmetic: after the term y^m/m! the rest is at most twice
    the next term. The sum and the sum with the rest, rounded outwards, are squared k times.

    Raises:
        ValueError: epsilon is negative or not finite.
    """
    if not 0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and at least 0, got epsilon={epsilon:g}")
    halvings = max(0, math.ceil(math.log2(epsilon)) + 1) if epsilon > 0 else 0
    y, bits = Fraction(epsilon) / 2**halvings, BITS + 2 * halvings + 32
    term, total, m = Fraction(1), Fraction(1), 0
    while term > Fraction(1, 2 ** (bits + 8)):
        m += 1
        term = term * y / m
        total += term
    low, high = rounded(total, bits, up=False), rounded(total + 2 * term, bits, up=True)
    for _ in range(halvings):
        low, high = rounded(low * low, bits, up=False), rounded(high * high, bits, up=True)
    return rounded(low, BITS, up=False), rounded(high, BITS, up=True)


def rounded(value: Fraction, bits: int, up: bool) -> Fraction:
    """The nearest multiple of 2^-bits that is not below, or not above."""
    scaled = value * 2**bits
    return Fraction(math.ceil(scaled) if up else math.floor(scaled), 2**bits)
