"""Both sides of every statement, as functions of plain numbers; lengths in units of the diameter D = 1.

``sensitivity`` is s = sup |grad F - grad G|, ``step_size`` eta, ``noise`` sigma, ``steps`` T; v = eta sigma, B =
s/(eta sigma^2).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from dprepro.adversary import search
from dprepro.errors import PremiseError
from dprepro_last_iterate import pairs, published
from dprepro_last_iterate.pairs import allowed_error, pair_epsilon
from dprepro_last_iterate.published import gaussian_epsilon, ratio_b
from dprepro_last_iterate.transfer import FloatArray, Slope, affine, constant, half_lines, joined, steps_of

FAR = 1e200
"""Where the kinked pair starts, in units of sigma."""

KNOTS = 6
"""Of the losses that the search looks at."""


# Composition, strong convexity


def quadratic_loss(steps: float, signal: float, convexity: float, step_size: float) -> float:
    """mu of F' = mx, G' = mx + s, exactly; ``signal`` = s/sigma."""
    return published.quadratic_mu(steps, signal, 1 - step_size * convexity)


def strong_bound(steps: float, signal: float, convexity: float, step_size: float, smoothness: float) -> float:
    """mu after Bok, Su and Altschuler, c = max(|1 - eta m|, |1 - eta M|); eta < 2/M."""
    return published.geometric_mu(steps, signal, _contraction(step_size, convexity, smoothness))


def _contraction(step_size: float, convexity: float, smoothness: float) -> float:
    c = published.contraction(step_size, convexity, smoothness)
    if not (0 < convexity <= smoothness and c < 1):
        raise PremiseError("the bound asks for 0 < m <= M and eta < 2/M")
    return c


def strong_bound_squared(steps: float, signal: float, convexity: float, step_size: float, smoothness: float) -> float:
    """Control: c^2 for c."""
    return published.geometric_mu(steps, signal, _contraction(step_size, convexity, smoothness) ** 2)


def strong_bound_steep(steps: float, signal: float, convexity: float, step_size: float, smoothness: float) -> float:
    """Control: c = 1 - eta m even where eta > 2/(m + M)."""
    return published.geometric_mu(steps, signal, abs(1 - step_size * convexity))


def strong_bound_at_once(signal: float, convexity: float, step_size: float, smoothness: float) -> float:
    """What the bound tends to: (s/sigma) sqrt((1 + c)/(1 - c))."""
    c = _contraction(step_size, convexity, smoothness)
    return signal * math.sqrt((1 + c) / (1 - c))


def double_noise_loss(steps: float, signal: float, convexity: float, step_size: float) -> float:
    """Control: the loss of quadratics with half of the noise."""
    return 2 * quadratic_loss(steps, signal, convexity, step_size)


def kinked_loss(steps: float, signal: float, convexity: float, step_size: float, smoothness: float) -> float:
    """mu of G' = Mx, F' = Mx - s clip(x/w, -1, 1), w = s/(M - m), from a start so far away that x_t never comes near.

    F'' is m within w of 0 and M beyond: both losses are m-strongly convex and M-smooth, and their gradients differ by
    s at most. With eta > 2/(m + M), 1 - eta M = -c: x_t changes sign at every step, and so does the difference. Up to
    the probability of coming near, at most 1e-12 here (checked), laws are normal: mu = (s/sigma) sum c^k/sqrt(sum
    c^2k).
    """
    factor, c = 1 - step_size * smoothness, _contraction(step_size, convexity, smoothness)
    if not (factor < 0 and c == -factor):
        raise PremiseError("the kinked pair asks for eta > 2/(m + M)")
    # in units of sigma: half the width of the kink, eight deviations of all noise, all that the difference moves
    near = signal / (smoothness - convexity) + 8 * step_size / math.sqrt(1 - c**2) + step_size * signal / (1 - c)
    if math.log(FAR) + steps * math.log(c) < math.log(near):
        raise PremiseError(f"after {steps:g} steps a start at {FAR:g} has come near to the kink")
    return published.quadratic_mu(steps, signal, c)


def best_quadratic(steps: float, signal: float, convexity: float, step_size: float, smoothness: float) -> float:
    """The largest mu of quadratics with a constant difference, over curvatures from m to M."""
    return max(
        published.quadratic_mu(steps, signal, 1 - step_size * curvature)
        for curvature in np.linspace(convexity, smoothness, 101)
    )


def some_quadratic(
    steps: float, signal: float, convexity: float, step_size: float, smoothness: float, share: float
) -> float:
    """mu of a quadratic of curvature m + share (M - m)."""
    return published.quadratic_mu(steps, signal, 1 - step_size * (convexity + share * (smoothness - convexity)))


def composed(steps: float, signal: float) -> float:
    """mu of composition; ``signal`` = s/sigma."""
    return math.sqrt(steps) * signal


def composed_slowly(steps: float, signal: float) -> float:
    """Control: T^(1/4)."""
    return float(steps**0.25 * signal)


def free_linear(steps: float, signal: float) -> float:
    """mu of linear losses without constraint: the mean moves by T eta s, the variance is T v^2."""
    return steps * signal / math.sqrt(steps)


def renyi_quadratic(order: float, steps: float, signal: float, convexity: float, step_size: float) -> float:
    """D_alpha of quadratics, alpha mu^2/2, exactly, from a fixed start."""
    return order * quadratic_loss(steps, signal, convexity, step_size) ** 2 / 2


def renyi_strong(order: float, steps: float, signal: float, convexity: float, step_size: float) -> float:
    """8 alpha s^2/(m eta sigma^2) (1 - e^(-m eta T/2)): after a public implementation of Chourasia, Ye and Shokri."""
    rate = convexity * step_size
    return 8 * order * signal**2 / rate * -math.expm1(-rate * steps / 2)


def renyi_ninth(order: float, steps: float, signal: float, convexity: float, step_size: float) -> float:
    """Control: a ninth of it."""
    return renyi_strong(order, steps, signal, convexity, step_size) / 9


def cyclic_loss(epochs: float, batches: float, signal: float, contraction: float) -> float:
    """mu of quadratics whose record lies in the last batch, exactly."""
    return published.cyclic_quadratic_mu(epochs, batches, signal, contraction)


def cyclic_bound(epochs: float, batches: float, signal: float, contraction: float) -> float:
    """mu of cyclic batches after Bok, Su and Altschuler."""
    return published.cyclic_mu(epochs, batches, signal, contraction)


def cyclic_one_epoch(epochs: float, batches: float, signal: float, contraction: float) -> float:
    """Control: that only the last epoch counts."""
    return signal


# Convex losses on an interval


def plateau_bound(steps: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """epsilon as published for convex losses on a set of diameter 1 (composition before T = D/(s eta))."""
    return gaussian_epsilon(published.convex_mu(steps, sensitivity, step_size, noise), delta)


def plateau_bound_least(steps: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """epsilon of the same proof at its best whole number of steps."""
    return gaussian_epsilon(published.convex_mu_least(steps, sensitivity, step_size, noise), delta)


def composition_epsilon(steps: float, sensitivity: float, noise: float, delta: float) -> float:
    """epsilon of composition."""
    return gaussian_epsilon(published.composition_mu(steps, sensitivity, noise), delta)


def quarter_bound(steps: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """Control: a plateau at mu^2 = B/4."""
    return gaussian_epsilon(math.sqrt(ratio_b(sensitivity, step_size, noise)) / 2, delta)


def twice_b(steps: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """2B, what the stationary law loses."""
    return 2 * ratio_b(sensitivity, step_size, noise)


def largest_loss(steps: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """The largest epsilon of a linear pair after T steps, over drifts: exact laws, certified from below."""
    return pairs.worst_linear_at(int(steps), sensitivity, step_size, noise, delta).epsilon


def largest_loss_half_noise(steps: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """Control: the same with half of the noise."""
    return largest_loss(steps, sensitivity, step_size, noise / 2, delta)


def late_loss(multiple: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """The largest epsilon of a linear pair at ``multiple`` times T* = 4D/(eta s)."""
    steps = math.ceil(multiple * pairs.plateau_time(sensitivity, step_size))
    return largest_loss(steps, sensitivity, step_size, noise, delta)


def late_bound(sensitivity: float, step_size: float, noise: float) -> float:
    """2B(1 + 2 v/D): what the stationary law loses, with an allowance for finite steps in one dimension."""
    return 2 * ratio_b(sensitivity, step_size, noise) * (1 + 2 * step_size * noise)


def first_plateau(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """The largest epsilon of a linear pair at T*."""
    return late_loss(1.0, sensitivity, step_size, noise, delta)


def late_growth(multiple: float, sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """Control: what sqrt(T) would make of the loss at T*."""
    return late_loss(1.0, sensitivity, step_size, noise, delta) * math.sqrt(multiple)


def worst_loss(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """The largest epsilon of a linear pair over drifts and all T: exact laws, certified from below."""
    return pairs.worst_linear(sensitivity, step_size, noise, delta).epsilon


def published_epsilon(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """epsilon as published, for any number of steps."""
    return gaussian_epsilon(published.convex_mu(math.inf, sensitivity, step_size, noise), delta)


def four_b(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """4B(1 + 1.2 v/D): the conjecture, for ln(1/delta) < 8 (D/v)^2 and s <= 5 sigma."""
    if sensitivity > 5 * noise:
        raise PremiseError("one step takes over: s > 5 sigma")
    if -math.log(delta) >= 8 / (step_size * noise) ** 2:
        raise PremiseError("one step takes over: ln(1/delta) >= 8 (D/v)^2")
    return 4 * ratio_b(sensitivity, step_size, noise) * (1 + 1.2 * step_size * noise)


def four_b_anywhere(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """Control: 4B even where one step takes over."""
    return 4 * ratio_b(sensitivity, step_size, noise)


def one_step(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """epsilon of a single step, s/sigma-GDP."""
    return gaussian_epsilon(sensitivity / noise, delta)


def sixth_of_published(sensitivity: float, step_size: float, noise: float, delta: float) -> float:
    """Control: a sixth of the published epsilon."""
    return published_epsilon(sensitivity, step_size, noise, delta) / 6


def scaled_loss(inverse_noise: float, b: float, level: float) -> float:
    """worst_loss/B at D/v = ``inverse_noise``, ln(1/delta) = ``level`` B."""
    v = 1 / inverse_noise
    sensitivity = 0.02
    step_size = b * v**2 / sensitivity  # B = s/(eta sigma^2) = s eta/v^2
    return worst_loss(sensitivity, step_size, v / step_size, math.exp(-level * b)) / b


def forecast_loss(level: float) -> float:
    """(4 - 2/(1 + al)), level = 2 al^2/(1 + al): what large deviations foretell of epsilon/B."""
    drift = (level + math.sqrt(level**2 + 8 * level)) / 4
    return 4 - 2 / (1 + drift)


def sharp_share(b: float, delta: float) -> float:
    """The least k for which mu^2 = k B covers the worst linear loss at D/v = 20; k = 4 is published."""
    v = 0.05
    sensitivity = min(0.02 * max(b, 1.0), 0.5)
    step_size = b * v**2 / sensitivity
    epsilon = worst_loss(sensitivity, step_size, v / step_size, delta)
    low, high = 0.0, 40.0 * b
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_epsilon(math.sqrt(middle), delta) < epsilon else (low, middle)
    return high / b


# All convex losses: a search


def _losses(place: FloatArray, sensitivity: float, step_size: float) -> tuple[Slope, Slope, float]:
    """Two convex, 2/eta-smooth losses whose gradients differ by s at most, and a start, from a point of the cube."""
    knots = np.linspace(0, 1, KNOTS)
    most = 2 / step_size / (KNOTS - 1)
    scale = 4 / step_size
    rises = most * np.maximum(2 * place[: KNOTS - 1] - 1, 0.0) ** 3
    level = scale * (2 * place[KNOTS - 1] - 1) ** 3
    first = level + np.concatenate([[0.0], np.cumsum(rises)])
    second = first + sensitivity * (2 * place[KNOTS : 2 * KNOTS] - 1)
    for knot in range(1, KNOTS):  # convex and smooth as well; what this changes keeps to s, as first does all that
        second[knot] = min(max(second[knot], second[knot - 1]), second[knot - 1] + most)
    moved = np.clip(second - first, -sensitivity, sensitivity)
    second = first + moved
    if np.any(np.diff(second) < -1e-12) or np.any(np.diff(second) > most + 1e-12):
        second = first + sensitivity * np.sign(moved[0] or 1.0)
    return joined(tuple(knots), tuple(first)), joined(tuple(knots), tuple(second)), float(place[-1])


@lru_cache(maxsize=64)
def _searched(sensitivity: float, step_size: float, noise: float, delta: float, tries: int, seed: int) -> float:
    """The best of a search from random starts: no linear pair is given to it."""
    most = published_epsilon(sensitivity, step_size, noise, delta)
    steps = np.unique(np.geomspace(1, pairs.plateau_time(sensitivity, step_size), 40).astype(int))

    def value(place: FloatArray) -> float:
        first, second, start = _losses(place, sensitivity, step_size)
        return pair_epsilon(first, second, start, step_size, noise, steps.tolist(), delta, most)

    return search(value, 2 * KNOTS + 1, [], tries, np.random.default_rng(seed)).value


def searched_loss(sensitivity: float, step_size: float, noise: float, delta: float, tries: float, draw: float) -> float:
    """The largest exact epsilon that a search over convex losses finds; F' and G' piecewise linear with 6 knots."""
    return _searched(sensitivity, step_size, noise, delta, int(tries), int(draw))


def some_convex_loss(
    sensitivity: float, step_size: float, noise: float, delta: float, steps: float,
    level: float, bend: float, turn: float, start: float,
) -> float:  # fmt: skip
    """The exact epsilon of one convex pair: a linear loss that bends upwards at ``turn``, and its neighbour by s."""
    if not 0 <= bend <= 2 / step_size:
        raise PremiseError("the losses are 2/eta-smooth")
    values = (level * sensitivity, level * sensitivity, level * sensitivity + bend * (1 - turn))
    first = joined((0.0, turn, 1.0), values) if 0 < turn < 1 else affine(level * sensitivity, bend)
    second = first.plus(sensitivity)
    most = published_epsilon(sensitivity, step_size, noise, delta)
    return pair_epsilon(first, second, start, step_size, noise, [int(steps)], delta, most)


# Sampled batches: what the linear heuristic foretells


def heuristic_epsilon(steps: float, sampling_rate: float, signal: float, delta: float) -> float:
    """The heuristic of Steinke et al. 2024: sum of T Bernoulli(q) s + N(0, T sigma^2) against N(0, T sigma^2).

    The likelihood ratio is monotone: half-lines decide, both orders.
    """
    hits = np.arange(int(steps) + 1)
    weights = binom.pmf(hits, int(steps), sampling_rate)
    shift = signal * hits / math.sqrt(steps)
    t = np.linspace(-12, min(float(shift[-1]), 40.0) + 12, 4001)
    upper = (weights[:, None] * ndtr(shift[:, None] - t[None, :])).sum(axis=0) if steps <= 200 else None
    if upper is None:
        raise PremiseError("the heuristic is computed for at most 200 steps")
    lower = (weights[:, None] * ndtr(t[None, :] - shift[:, None])).sum(axis=0)
    best = 0.0
    for p, q in ((upper, ndtr(-t)), (ndtr(t), lower)):
        inside = p > delta
        best = max(best, float(np.max(np.log(p[inside] - delta) - np.log(q[inside]), initial=0.0)))
    return best


SAMPLED_WIDTH = 60.0
"""D/v of the interval on which sampled quadratics live: its ends are 30 v away."""


def sampled_loss(steps: float, sampling_rate: float, signal: float, delta: float, contraction: float) -> float:
    """Exact epsilon of quadratics with c = ``contraction`` on an interval of 60 v, batches sampled at rate q."""
    eta, v = 1.0, 1 / SAMPLED_WIDTH
    slope = affine(-0.5 * (1 - contraction), 1 - contraction)
    shifted = slope.plus(-signal * v)
    pair = (((1.0, slope),), ((1 - sampling_rate, slope), (sampling_rate, shifted)))
    found = half_lines(pair, 0.5, eta, v, [int(steps)], allowed_error(delta, 30.0), thresholds=1025)
    return float(found.epsilons(delta)[0])


def sampled_composition(steps: float, sampling_rate: float, signal: float, delta: float) -> float:
    """epsilon of the Gaussian composition without sampling, sqrt(T) s/sigma: above anything."""
    return gaussian_epsilon(math.sqrt(steps) * signal, delta)


# Not convex


def ledge_loss(
    multiple: float, sensitivity: float, step_size: float, noise: float, delta: float, lift: float, width: float,
    drop: float,
) -> float:  # fmt: skip
    """Exact epsilon of a loss that is not convex: a ledge of ``width`` at the top where F' = -lift s, steep below.

    F' jumps downhill to drop/eta below the ledge; G' = F' + s. What leaves the ledge does not come back.
    """
    steps = math.ceil(multiple * pairs.plateau_time(sensitivity, step_size))
    edge = 1 - width
    first = steps_of((0.0, edge, 1.0), (drop / step_size, -lift * sensitivity))
    most = max(60.0, published_epsilon(sensitivity, step_size, noise, delta) * 3)
    return pair_epsilon(first, first.plus(sensitivity), 1.0, step_size, noise, [steps], delta, most)


def convex_ledge_loss(
    multiple: float, sensitivity: float, step_size: float, noise: float, delta: float, lift: float, width: float,
    drop: float,
) -> float:  # fmt: skip
    """The same without the drop: linear losses, which are convex."""
    steps = math.ceil(multiple * pairs.plateau_time(sensitivity, step_size))
    first = constant(-lift * sensitivity)
    most = published_epsilon(sensitivity, step_size, noise, delta)
    return pair_epsilon(first, first.plus(sensitivity), 1.0, step_size, noise, [steps], delta, most)


# Not smooth


def jump_loss(
    steps: float, sensitivity: float, step_size: float, noise: float, delta: float, lift: float, width: float
) -> float:
    """Exact epsilon of a convex loss whose gradient jumps: F' = u/eta near the middle, 2u/eta + lift s sign(u) beyond.

    u = x - 1/2, and ``width`` is where it jumps. Beyond, steps change sides and drift outwards by lift eta s; those of
    G' = F' - s sign(u) drift inwards. Nothing that came near the middle comes back. Sides alternate: half-lines see it.
    """
    if not (0 < width < 0.5 and width + step_size * (lift - 1) * sensitivity >= 0):
        raise PremiseError("the loss is convex: its gradient jumps upwards, 0 < width < 1/2")

    def slope(lift: float) -> Slope:
        middle, jumped, end = width, 2 * width + step_size * lift * sensitivity, 1 + step_size * lift * sensitivity
        left, right = (-end, -middle, jumped), (-jumped, middle, end)
        return Slope(
            (0.0, 0.5 - width, 0.5 + width, 1.0),
            tuple(value / step_size for value in left),
            tuple(value / step_size for value in right),
        )

    most = 1.5 * published_epsilon(sensitivity, step_size, noise, delta)
    return pair_epsilon(slope(lift), slope(lift - 1), 1.0, step_size, noise, [int(steps)], delta, most)
