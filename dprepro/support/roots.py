"""Roots of functions of one number, by Brent's method: the bits of SciPy's, whose import takes a third of a second.

R. P. Brent, Algorithms for Minimization Without Derivatives (1973), chapter 4, as in SciPy's brentq.c.
"""

from __future__ import annotations

from collections.abc import Callable

MOST_STEPS = 100

RELATIVE = 8.881784197001252e-16
"""Four times the distance from 1 to the next float: the least relative tolerance."""


def brentq(function: Callable[[float], float], low: float, high: float, xtol: float = 2e-12) -> float:
    """A place between ``low`` and ``high`` where the function changes its sign, within ``xtol``.

    Raises:
        ValueError: the function has one sign at both ends. ArithmeticError: 100 steps do not do.
    """
    before, now = float(low), float(high)
    f_before, f_now = float(function(before)), float(function(now))
    if f_before == 0:
        return before
    if f_now == 0:
        return now
    if f_before * f_now > 0 or f_before != f_before or f_now != f_now:
        raise ValueError(f"the function must have different signs at {low:g} and {high:g}")
    across, f_across, step, last = 0.0, 0.0, 0.0, 0.0
    for _ in range(MOST_STEPS):
        if f_before != 0 and f_now != 0 and (f_before < 0) != (f_now < 0):
            across, f_across = before, f_before
            step = last = now - before
        if abs(f_across) < abs(f_now):
            before, now, across = now, across, now
            f_before, f_now, f_across = f_now, f_across, f_now
        tolerance = (xtol + RELATIVE * abs(now)) / 2
        half = (across - now) / 2
        if f_now == 0 or abs(half) < tolerance:
            return now
        if abs(last) > tolerance and abs(f_now) < abs(f_before):
            if before == across:  # interpolate
                tried = -f_now * (now - before) / (f_now - f_before)
            else:  # extrapolate
                first, second = (f_before - f_now) / (before - now), (f_across - f_now) / (across - now)
                tried = -f_now * (f_across * second - f_before * first) / (second * first * (f_across - f_before))
            if 2 * abs(tried) < min(abs(last), 3 * abs(half) - tolerance):
                last, step = step, tried
            else:
                last = step = half
        else:
            last = step = half
        before, f_before = now, f_now
        now += step if abs(step) > tolerance else (tolerance if half > 0 else -tolerance)
        f_now = float(function(now))
    raise ArithmeticError(f"no root was found between {low:g} and {high:g} in {MOST_STEPS} steps")
