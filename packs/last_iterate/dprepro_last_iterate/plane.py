"""Both sides of the statements in two dimensions: boxes exactly, the disc by counting; D = 1, names as in `bounds`.

A rectangle has sides D (cos u, sin u), u = ``side_angle``; G' - F' = s (cos w, sin w), w = ``difference_angle``;
``drift_1`` and ``drift_2`` are a_j/h_j of the coordinates.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dprepro.errors import PremiseError
from dprepro_last_iterate import box, disc, pairs, published
from dprepro_last_iterate.published import gaussian_epsilon

DIAGONAL = math.pi / 4
CELLS = 1024
FEW_CELLS = 128
"""Of a lower limit: it is below epsilon by less than 1e-4 of itself even so."""

COARSE = 48
"""In a search."""


def _sides(
    s: float, eta: float, sigma: float, angles: tuple[float, float], drifts: tuple[float, float],
    steps: Sequence[int], delta: float, cells: int,
) -> list[tuple[box.Cells, box.Cells]]:  # fmt: skip
    """Both chains after each number of steps."""
    most = gaussian_epsilon(published.convex_mu(max(steps), s, eta, sigma), delta)
    error = pairs.allowed_error(delta, most) / (4 * cells)
    side, difference = angles
    chains = []
    for drift, length, h in zip(
        drifts, (math.cos(side), math.sin(side)), (s * math.cos(difference), s * math.sin(difference)), strict=True
    ):
        chains.append(box.chain(drift * h, h, eta / length, sigma, list(steps), error, cells))
    return list(zip(*chains, strict=True))


def _rectangle(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, side_angle: float,
    difference_angle: float, drift_1: float, drift_2: float, cells: int,
) -> box.Limits:  # fmt: skip
    if not (0 < side_angle < math.pi / 2 and 0 <= difference_angle <= math.pi / 2):
        raise PremiseError("a rectangle has two sides, and gradients differ in the first quadrant")
    angles, drifts = (side_angle, difference_angle), (drift_1, drift_2)
    (both,) = _sides(sensitivity, step_size, noise, angles, drifts, [int(steps)], delta, cells)
    return box.product_limits(*both, delta)


def rectangle_loss(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, side_angle: float,
    difference_angle: float, drift_1: float, drift_2: float,
) -> float:  # fmt: skip
    """epsilon of a linear pair on a rectangle, certified from below."""
    return _rectangle(
        steps, sensitivity, step_size, noise, delta, side_angle, difference_angle, drift_1, drift_2, FEW_CELLS
    ).lower


def rectangle_limit(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, side_angle: float,
    difference_angle: float, drift_1: float, drift_2: float,
) -> float:  # fmt: skip
    """The same epsilon, certified from above."""
    return _rectangle(
        steps, sensitivity, step_size, noise, delta, side_angle, difference_angle, drift_1, drift_2, CELLS
    ).upper


def rectangle_half_noise(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, side_angle: float,
    difference_angle: float, drift_1: float, drift_2: float,
) -> float:  # fmt: skip
    """Control: the pair with half of the noise."""
    return rectangle_loss(
        steps, sensitivity, step_size, noise / 2, delta, side_angle, difference_angle, drift_1, drift_2
    )


def coordinates_bound(
    steps: float, sensitivity: float, step_size: float, noise: float, side_angle: float, difference_angle: float
) -> float:
    """mu of what the one-dimensional proof at its best says of each coordinate, composed."""
    s, h = sensitivity, (math.cos(difference_angle), math.sin(difference_angle))
    sides = (math.cos(side_angle), math.sin(side_angle))
    parts = [
        published.convex_mu_least(steps, s * part, step_size, noise, side)
        for part, side in zip(h, sides, strict=True)
        if s * part * side > 0
    ]
    return math.hypot(*parts)


def rectangle_bound(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, side_angle: float,
    difference_angle: float,
) -> float:  # fmt: skip
    """epsilon of what `coordinates_bound` says."""
    mu = coordinates_bound(steps, sensitivity, step_size, noise, side_angle, difference_angle)
    return gaussian_epsilon(mu, delta)


def least_bound(steps: float, sensitivity: float, step_size: float, noise: float) -> float:
    """mu of the same proof for the whole set."""
    return published.convex_mu_least(steps, sensitivity, step_size, noise)


def half_least_bound(steps: float, sensitivity: float, step_size: float, noise: float) -> float:
    """Control: half of it."""
    return least_bound(steps, sensitivity, step_size, noise) / 2


@lru_cache(maxsize=128)
def worst_square(s: float, eta: float, sigma: float, delta: float) -> box.Limits:
    """The linear pair of a square with G' - F' in the diagonal that leaks most, over drifts in the diagonal and T.

    A search: about the interval's worst pair, whose drift and T scale alike, then finer about the best.
    """
    near = pairs.worst_linear(s, eta, sigma, delta)
    best, place = 0.0, (near.drift, near.steps)

    def look(drifts: Sequence[float], shares: Sequence[float]) -> None:
        nonlocal best, place
        middle = place[1]
        steps = sorted({max(1, round(share * middle)) for share in shares})
        for drift in drifts:
            laws = _sides(s, eta, sigma, (DIAGONAL, DIAGONAL), (drift, drift), steps, delta, FEW_CELLS)
            for count, both in zip(steps, laws, strict=True):
                found = box.Product(*both).lower(delta, best)
                if found > best:
                    best, place = found, (drift, count)

    look([near.drift * 1.15**power for power in range(-5, 3)], np.linspace(0.7, 1.3, 9).tolist())
    look([place[0] * 1.03**power for power in range(-4, 5)], np.linspace(0.92, 1.08, 5).tolist())
    angles, drifts = (DIAGONAL, DIAGONAL), (place[0], place[0])
    (both,) = _sides(s, eta, sigma, angles, drifts, [place[1]], delta, CELLS)
    return box.product_limits(*both, delta)


def square_limit(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """epsilon of the square's worst pair that was found, certified from above."""
    return worst_square(sensitivity, step_size, noise, delta).upper


@dataclass(frozen=True)
class Thin:
    """A linear pair on a rectangle with one thin side.

    Attributes:
        epsilon: certified, from below.
        steps: T.
        angles: ``side_angle`` and ``difference_angle``. drifts: ``drift_1`` and ``drift_2``.
    """

    epsilon: float
    steps: int
    angles: tuple[float, float]
    drifts: tuple[float, float]


@lru_cache(maxsize=64)
def thin_rectangle(s: float, eta: float, sigma: float, delta: float) -> Thin:
    """The best of some 180 to 360 pairs, at what large deviations foretell.

    The thin side forgets all but the last step, and its end is an event of that step's noise alone: it loses z
    h_2/sigma at a cost of z^2/2 in ln(1/delta), and takes next to nothing of the diameter. The long side does what the
    worst pair of an interval does with what is left of ln(1/delta). Losses add up, e cos w + z (s/sigma) sin w, e the
    interval's loss; the largest sum, sqrt(e^2 + (z s/sigma)^2), belongs to tan w = z s/(sigma e).
    """
    level, best = -math.log(delta), Thin(0.0, 1, (DIAGONAL, DIAGONAL), (0.0, 0.0))
    for share in (0.1, 0.2, 0.35, 0.5, 0.7, 0.85):
        long = pairs.worst_linear(s, eta, sigma, delta**share)
        z = math.sqrt(2 * (1 - share) * level)
        turned = math.atan2(z * s / sigma, long.epsilon)
        steps = sorted({max(1, round(scale * long.steps)) for scale in (0.7, 0.85, 1, 1.2, 1.4)})
        for side, scale in itertools.product((0.08, 0.2), (0.8, 1, 1.1)):
            angles = (side, turned)
            drifts = (long.drift / math.cos(turned), scale * z * sigma / (s * math.sin(turned)))
            laws = _sides(s, eta, sigma, angles, drifts, steps, delta, COARSE)
            for count, both in zip(steps, laws, strict=True):
                found = box.Product(*both).lower(delta, best.epsilon)
                if found > best.epsilon:
                    best = Thin(found, count, angles, drifts)
    return best


def thin_loss(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """epsilon of the best rectangle with a thin side, certified from below."""
    return thin_rectangle(sensitivity, step_size, noise, delta).epsilon


def twice_interval(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """Control: twice the interval's loss."""
    return 2 * pairs.worst_linear(sensitivity, step_size, noise, delta).epsilon


def disc_loss(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, drift: float, angle: float,
    draws: float, draw: float,
) -> float:  # fmt: skip
    """A lower limit of epsilon on the disc, from counts, which holds with probability 0.99."""
    found = disc.counted(sensitivity, step_size, noise, int(steps), drift, angle, int(draws), int(draw))
    return found.lower(delta)


def disc_event_loss(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, drift: float, angle: float,
    draws: float, draw: float,
) -> float:  # fmt: skip
    """What no half-plane or sector of the disc loses more than, with probability 0.99."""
    found = disc.counted(sensitivity, step_size, noise, int(steps), drift, angle, int(draws), int(draw))
    return found.upper(delta)


def disc_half_noise(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, drift: float, angle: float,
    draws: float, draw: float,
) -> float:  # fmt: skip
    """Control: the disc with half of the noise."""
    return disc_loss(steps, sensitivity, step_size, noise / 2, delta, drift, angle, draws, draw)
