"""Compositions of privacy losses from above and from below, by convolution on a lattice, without a Fourier transform.

With P and Q the laws of an answer on two neighbours and the loss l = ln P/Q, delta(epsilon) is the mean of
(1 - e^(epsilon - l))_+ under P. Losses of independent uses add up, and delta grows with every loss and every mass.

* From above: within a cell of the lattice the masses of P and of Q go to its two ends such that both are kept: telling
  the ends apart can only help ("connect the dots", Doroshenko et al. 2022). What lies beyond the lattice is infinite.
* From below: a cell is one answer, and each cell is shared out between the two places of the lattice beside it, so that
  what meets at a place has that place's loss: answers are mixed, which can only hide. Where no shares do that the loss
  at a place is larger, and counts as that of the place. What lies beyond the lattice is left out.

Both errors are of second order in the step. The lattice gets coarser as the sum gets wider, by the same two rules. All
sums are of positive terms, so that small tails keep their digits, and each is rounded outwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

PLACES = 2**15
"""Of a lattice."""

CUT = 1e-6
"""Share of delta that tails beyond the lattice may have, all uses together."""

ROUNDING = 4e-13
"""Relative error of a mass by quadrature, and of a loss; each is moved outwards by it."""

FAINT = 1e-140
"""A mass below this is taken as infinite from above, and as none from below."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class LatticePair:
    """Two laws on a line, in whose places the loss rises.

    Attributes:
        density: of the first law.
        loss: at places.
        place: of a loss, minus or plus infinity beyond the range of losses.
        ends: between which all but nothing of the first law lies.
        atoms: (loss, mass) beside the density.
        unit: whole fractions 2^-k of which are steps.
    """

    density: Callable[[FloatArray], FloatArray]
    loss: Callable[[FloatArray], FloatArray]
    place: Callable[[FloatArray], FloatArray]
    ends: tuple[float, float]
    atoms: tuple[tuple[float, float], ...] = ()
    unit: float = 1.0


@dataclass(frozen=True)
class Losses:
    """Masses of the first law at ``origin + step * i``, and at infinity."""

    origin: float
    step: float
    masses: FloatArray
    infinite: float = 0.0

    def delta(self, epsilon: float) -> float:
        """Mean of (1 - e^(epsilon - l))_+."""
        losses = self.origin + self.step * np.arange(self.masses.size)
        some = losses > epsilon
        return self.infinite + float(-(self.masses[some] * np.expm1(epsilon - losses[some])).sum())


def laplace(epsilon: float) -> LatticePair:
    """Laplace noise of scale 1/epsilon on 0 or 1: the loss itself is the place."""
    return LatticePair(
        lambda x: np.exp((x - epsilon) / 2) / 4, lambda x: x, lambda loss: loss, (-epsilon, epsilon),
        ((epsilon, 0.5), (-epsilon, math.exp(-epsilon) / 2)), epsilon,
    )  # fmt: skip


def comes(mu: float, rate: float, far: float) -> LatticePair:
    """(1 - rate) N(0, 1) + rate N(mu, 1) against N(0, 1)."""

    def density(x: FloatArray) -> FloatArray:
        return (1 - rate) * _normal(x) + rate * _normal(x - mu)

    def loss(x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            inner = np.log1p(rate * np.expm1(mu * x - mu * mu / 2))
            return np.where(mu * x > 600, mu * x - mu * mu / 2 + math.log(rate), inner)

    def place(losses: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = np.log(np.maximum(1 + np.expm1(losses) / rate, 0.0))
            return (inner + mu * mu / 2) / mu

    return LatticePair(density, loss, place, (-far, mu + far))


def goes(mu: float, rate: float, far: float) -> LatticePair:
    """N(0, 1) against (1 - rate) N(0, 1) + rate N(mu, 1), on the line turned round."""
    other = comes(mu, rate, far)

    def place(losses: FloatArray) -> FloatArray:
        return -other.place(-losses)

    return LatticePair(_normal, lambda x: -other.loss(-x), place, (-far, far))


def _normal(x: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-x * x / 2) / math.sqrt(2 * math.pi))


def epsilons_between(
    kind: str, parameter: float, rate: float, uses: int, deltas: tuple[float, ...]
) -> list[tuple[float, float]]:
    """Epsilon of so many uses at each delta, from below and from above; the worse of both directions."""
    far = math.sqrt(2 * math.log(uses / (min(deltas) * CUT))) + 1
    pairs = [laplace(parameter)] if kind == "laplace" else [pair(parameter, rate, far) for pair in (comes, goes)]
    both = [[composed(pair, uses, min(deltas), above) for above in (False, True)] for pair in pairs]
    return [
        (max(_least(low, delta)[0] for low, _ in both), max(_least(high, delta)[1] for _, high in both))
        for delta in deltas
    ]


def _least(losses: Losses, delta: float) -> tuple[float, float]:
    if losses.delta(0.0) <= delta:
        return 0.0, 0.0
    low, high = 0.0, max(losses.origin + losses.step * losses.masses.size, losses.step)
    if losses.delta(high) > delta:
        return high, math.inf
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if losses.delta(middle) <= delta else (middle, high)
    return low, high


def composed(pair: LatticePair, uses: int, delta: float, above: bool) -> Losses:
    """The losses of so many uses, from above or from below."""
    power, left = single(pair, above), uses
    result: Losses | None = None
    done, share = 1, delta * CUT / (4 * max(uses.bit_length(), 1))
    while True:
        if left & 1:
            result = power if result is None else summed(result, power, above, share)
        left >>= 1
        if not left:
            break
        done *= 2
        power = summed(power, power, above, share * done / uses)
    assert result is not None
    return result


def single(pair: LatticePair, above: bool) -> Losses:
    """One use on the lattice."""
    first, last = (float(pair.loss(np.array([end]))[0]) for end in pair.ends)
    step = pair.unit * 2.0 ** math.ceil(math.log2((last - first) / pair.unit / PLACES))
    lowest = math.floor(first / step) - 1
    count = math.ceil(last / step) - lowest + 2
    losses: FloatArray = step * (lowest + np.arange(count, dtype=np.float64))
    edges = np.clip(pair.place(losses), *pair.ends)
    edges[0] = pair.ends[0]
    mass, other, upper = _integrated(pair, edges, losses, step)
    beyond = 0.0 if pair.atoms else 2 * math.exp(-(min(-pair.ends[0], pair.ends[1]) ** 2) / 2)
    if above:
        up = np.minimum(upper * (1 + 1e-11), mass)
        masses = np.zeros(count)
        masses[:-1] += mass[:-1] - up[:-1]
        masses[1:] += up[:-1]
        for loss, atom in pair.atoms:
            masses[math.ceil(loss / step - 1e-12) - lowest] += atom
        faint = masses < FAINT
        beyond += float(masses[faint].sum()) * (1 + 1e-12)
        return Losses(step * lowest, step, np.where(faint, 0.0, masses * (1 + 10 * ROUNDING)), beyond)
    mass = np.where(mass < FAINT, 0.0, mass)
    # of a cell, by how much it lifts the loss at its lower place, and by how much it pulls down that at its upper one
    lifts, pulls = mass - np.exp(losses) * other, np.exp(losses + step) * other - mass
    masses = _shared_out(np.zeros(count + 1), mass, np.maximum(lifts, 0.0), np.where(mass > 0, pulls, 0.0))
    for loss, atom in pair.atoms:
        masses[math.floor(loss / step + 1e-9) - lowest] += atom
    return Losses(step * lowest - step * 1e-9 - 4 * ROUNDING, step, masses * (1 - 10 * ROUNDING))


def _shared_out(places: FloatArray, mass: FloatArray, lifts: FloatArray, pulls: FloatArray) -> FloatArray:
    """The masses at ``places``, one more than cells, after each cell's is shared out between the two beside it.

    The share of a cell that goes up is the largest at which the loss of the place above is not below that place. The
    cells are gone through from the top, where all of a cell may have to stay below.
    """
    up = np.zeros(mass.size)
    left = 0.0  # what the cell above the place lifts it by, of its share that goes down
    for cell in range(mass.size - 1, -1, -1):
        share = min(left / pulls[cell], 1.0) if pulls[cell] > 0 else 0.0
        up[cell], left = share, (1 - share) * lifts[cell]
    found = places.copy()
    found[:-1] += (1 - up) * mass
    found[1:] += up * mass
    return found


def _integrated(
    pair: LatticePair, edges: FloatArray, losses: FloatArray, step: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For every cell the masses of both laws, and the first law's at the upper end where both are kept."""
    mesh = np.linspace(*pair.ends, 1 + math.ceil((pair.ends[1] - pair.ends[0]) / 0.25))
    places = np.unique(np.concatenate([edges, mesh]))
    half = np.diff(places) / 2
    nodes = (places[:-1] + half)[:, None] + half[:, None] * _NODES
    cell = np.clip(np.searchsorted(edges, places[:-1] + half, side="right") - 1, 0, losses.size - 1)
    weights = pair.density(nodes) * half[:, None] * _WEIGHTS
    here = pair.loss(nodes)
    inside = np.clip(here - losses[cell][:, None], 0.0, step)
    ends = -weights * np.expm1(-inside) / -math.expm1(-step)
    sums = []
    for values in (weights, weights * np.exp(-here), ends):
        sums.append(np.bincount(cell, values.sum(axis=1), losses.size).astype(np.float64))
    return sums[0], sums[1], sums[2]


def summed(first: Losses, second: Losses, above: bool, cut: float) -> Losses:
    """The sum of independent losses, its tails of mass ``cut`` cut off, on a lattice of `PLACES` at most."""
    step = max(first.step, second.step)
    first, second = (_coarse(some, step, above) for some in (first, second))
    masses = np.convolve(first.masses, second.masses)
    error = 2.3e-16 * (min(first.masses.size, second.masses.size) + 4)
    masses = masses * (1 + error if above else 1 - error)
    infinite = (first.infinite + second.infinite) * (1 + 1e-15)
    faint = masses < FAINT  # whose products are no normal numbers, and slow
    if above:
        infinite += float(masses[faint].sum()) * (1 + 1e-12)
    masses[faint] = 0.0
    origin = first.origin + second.origin
    # the cut at the bottom moves mass by little where it is kept
    bottom = max(int(np.searchsorted(np.cumsum(masses), cut)) - 1, 0)
    tail = np.cumsum(masses[::-1])
    top = masses.size - max(int(np.searchsorted(tail, cut)) - 1, 0)
    if above:
        infinite += float(masses[top:].sum()) * (1 + 1e-12)
    kept = masses[bottom:top].copy()
    if above:
        kept[0] += float(masses[:bottom].sum()) * (1 + 1e-12)
    found = Losses(origin + step * bottom, step, kept, infinite)
    while found.masses.size > PLACES:
        found = _coarse(found, 2 * found.step, above)
    return found


def _coarse(losses: Losses, step: float, above: bool) -> Losses:
    """The same on a lattice of a larger step, by doubling; the heavier half of the places stays, as atoms lie there."""
    while losses.step < step:
        if losses.masses[1::2].sum() > losses.masses[::2].sum():
            losses = replace(losses, origin=losses.origin - losses.step, masses=np.append(0.0, losses.masses))
        losses = _doubled_above(losses) if above else _doubled_below(losses)
    return losses


def _doubled_above(losses: Losses) -> Losses:
    """Every second place goes to its neighbours, such that both laws keep their masses."""
    masses, step = losses.masses, losses.step
    if masses.size % 2 == 0:
        masses = np.append(masses, 0.0)
    even, odd = masses[::2].copy(), masses[1::2]
    up = odd * (math.expm1(-step) / math.expm1(-2 * step)) * (1 + 1e-12)
    even[1:] += up
    even[:-1] += odd - np.minimum(up, odd)
    return Losses(losses.origin, 2 * step, even * (1 + 1e-15), losses.infinite)


def _doubled_below(losses: Losses) -> Losses:
    """Every second place is shared out between its neighbours, as cells are."""
    masses, step = losses.masses, losses.step
    if masses.size % 2 == 0:
        masses = np.append(masses, 0.0)
    odd = masses[1::2]
    found = _shared_out(masses[::2], odd, odd * -math.expm1(-step), odd * math.expm1(step))
    return Losses(losses.origin - 2e-15, 2 * step, found * (1 - 1e-15))
