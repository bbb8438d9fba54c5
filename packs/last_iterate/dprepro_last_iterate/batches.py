"""Both sides of the statements on batches of convex losses, by exact laws on an interval; names as in `bounds`.

An epsilon of a law is that of half-lines, certified from below: epsilon itself where the likelihood ratio is monotone.
"""

from __future__ import annotations

import math

from dprepro.errors import PremiseError
from dprepro_last_iterate import published
from dprepro_last_iterate.pairs import FINE, allowed_error
from dprepro_last_iterate.published import gaussian_epsilon
from dprepro_last_iterate.transfer import Slope, affine, cyclic_half_lines, half_lines


def _slope(level: float, bend: float, step_size: float) -> Slope:
    if not 0 <= bend <= 2 / step_size:
        raise PremiseError("the losses are convex and 2/eta-smooth")
    return affine(level, bend)


def cyclic_convex_loss(
    epochs: float, batches: float, sensitivity: float, step_size: float, noise: float, delta: float,
    level: float, others: float, bend: float, start: float,
) -> float:  # fmt: skip
    """The exact epsilon of a record in the last batch of every epoch: steps after it are post-processing.

    F' is (``level`` s + ``bend`` x) in its batch and (``others`` s + bend x) in all others; G' = F' + s in its batch.
    """
    s = sensitivity
    used, other = (_slope(height * s, bend, step_size) for height in (level, others))
    before = (other,) * (int(batches) - 1)
    error = allowed_error(delta, cyclic_convex_bound(epochs, batches, s, step_size, noise, delta))
    pair = ((*before, used), (*before, used.plus(s)))
    found = cyclic_half_lines(pair, start, step_size, noise, int(epochs), error, FINE)
    return float(found.epsilons(delta)[0])


def cyclic_convex_bound(
    epochs: float, batches: float, sensitivity: float, step_size: float, noise: float, delta: float
) -> float:
    """epsilon of cyclic batches of convex losses, as derived in `published`."""
    return gaussian_epsilon(published.cyclic_convex_mu(epochs, batches, sensitivity, step_size, noise), delta)


def free_diameter(
    epochs: float, batches: float, sensitivity: float, step_size: float, noise: float, delta: float
) -> float:
    """Control: to close the diameter costs nothing, and of uses before the last one j = 1 is the least."""
    return gaussian_epsilon(math.sqrt(1 + min(epochs - 1, 1) / batches) * sensitivity / noise, delta)


def sampled_convex_loss(
    steps: float, sampling_rate: float, sensitivity: float, step_size: float, noise: float, delta: float,
    level: float, apart: float, bend: float, start: float,
) -> float:  # fmt: skip
    """The exact epsilon of a record that each step uses with probability q.

    F' is (``level`` s + ``bend`` x) without it, and ``apart`` s more with it; there G' = F' + s.
    """
    s, q = sensitivity, sampling_rate
    without = _slope(level * s, bend, step_size)
    used = without.plus(apart * s)
    pair = (((1 - q, without), (q, used)), ((1 - q, without), (q, used.plus(s))))
    error = allowed_error(delta, sampled_convex_bound(steps, q, s, step_size, noise, delta))
    found = half_lines(pair, start, step_size, noise, [int(steps)], error, FINE)
    return float(found.epsilons(delta)[0])


def sampled_convex_bound(
    steps: float, sampling_rate: float, sensitivity: float, step_size: float, noise: float, delta: float
) -> float:
    """epsilon of sampled batches of convex losses: the mean over uses, as derived in `published`."""
    return published.sampled_convex(int(steps), sampling_rate, sensitivity, step_size, noise, delta)[0]


def mean_uses(
    steps: float, sampling_rate: float, sensitivity: float, step_size: float, noise: float, delta: float
) -> float:
    """Control: the mean number of uses in place of the mean over uses."""
    s, q, v = sensitivity, sampling_rate, step_size * noise
    least = min(k * ((1 - q) / k**2 + q * (1 / k + step_size * s) ** 2) for k in range(1, int(steps) + 1))
    return gaussian_epsilon(math.sqrt(least) / v, delta)
