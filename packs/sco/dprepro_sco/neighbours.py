"""What one record moves, by pairs of data sets: exact functions of plain numbers, in units of L eta_i or of delta."""

from __future__ import annotations

import math

import numpy as np

from dprepro.budget import Budget, Neighbours
from dprepro.privacy.worst_pairs import gaussian_delta
from dprepro.problems import Domain, L2Ball, LinearLoss
from dprepro_sco.phased import PhasedERM, PhasedSchedule, PhasedSGD

ABSOLUTE = 1e9
"""eta beta of a loss that is not smooth."""


def erm_linear(size: float, step_size: float, mean: float, start: float) -> float:
    """|wbar - wbar'|/(L eta) on [-1, 1], linear losses: of ``size`` records one is 1 or -1, the others have a mean."""
    others = (size - 1) * mean
    ends = [min(1.0, max(-1.0, start + step_size / 2 * (others + record))) for record in (-1.0, 1.0)]
    return (ends[1] - ends[0]) / step_size


def erm_kink(size: float, step_size: float, share: float, place: float, start: float) -> float:
    """The same where ``share`` of the records have the loss |w - place|, and nothing bounds the set."""
    scale, threshold = step_size * size / 2, share * (size - 1) * step_size / 2
    ends = []
    for slope in (-1.0, 1.0):
        free = start + scale * slope / size
        ends.append(place + math.copysign(max(0.0, abs(free - place) - threshold), free - place))
    return (ends[1] - ends[0]) / step_size


def erm_quadratic(size: float, step_size: float, bend: float) -> float:
    """The same where all losses are bend/2 (w - y)^2 on [-1, 1], |y| <= 1, one of them of y = 1 or -1: L = 2 bend."""
    ridge = 2 / (step_size * size)
    return bend * 2 / size / (bend + ridge) / (2 * bend * step_size)


def sgd_pass(size: float, bend: float, tilt: float) -> float:
    """|wbar - wbar'|/(L eta) of a pass over losses of <u, w>, unit u, in as many dimensions as records.

    The first record differs: its slope is L in one pass and -L in the other. The further ones are Huber losses of
    curvature beta = bend/eta (slope L at most) about the middle of both points, along a new axis that leans by ``tilt``
    towards the difference of the points: one that is not smooth pushes them apart by 2 L eta, across that.
    """
    steps = int(size)
    apart, total = np.zeros(steps), np.zeros(steps)
    for t in range(steps):
        total += apart
        if t == 0:
            apart[0] += 2.0
            continue
        u = np.zeros(steps)
        u[t] = math.sqrt(1 - tilt**2)
        u += tilt * apart / float(np.linalg.norm(apart))
        u /= float(np.linalg.norm(u))
        apart = apart - 2 * min(1.0, bend * float(u @ apart) / 2) * u
    return float(np.linalg.norm(total)) / steps


def sgd_rough(size: float) -> float:
    """`sgd_pass` with absolute losses over the 2 L eta that smooth ones keep to: about sqrt(T/3)."""
    return sgd_pass(size, ABSOLUTE, 1e-3) / 2


def sgd_rounded(size: float) -> float:
    """Control: the same with losses of eta beta = 2."""
    return sgd_pass(size, 2.0, 1e-3) / 2


def root_growth(size: float) -> float:
    """Half of sqrt(T/3)."""
    return math.sqrt(size / 3) / 2


def sgd_share(size: float) -> float:
    """2 (T - 1)/T: what a pass over linear losses moves by, the first point being before all records."""
    return 2 * (size - 1) / size


def erm_released(n: float, p: float, epsilon: float, delta: float) -> float:
    """Exact delta at epsilon of w_1 where the phases are public, over the delta asked for; linear losses, balanced."""
    schedule = _schedule(PhasedERM(), n, p, epsilon, delta)
    moved = erm_linear(schedule.sizes[0], schedule.step_size, 0.0, 0.0) * schedule.step_size
    return _delta_at(moved / schedule.noise_scale, epsilon) / delta


def erm_released_half_noise(n: float, p: float, epsilon: float, delta: float) -> float:
    """Control: the same with half of the noise."""
    schedule = _schedule(PhasedERM(noise_factor=0.5), n, p, epsilon, delta)
    moved = erm_linear(schedule.sizes[0], schedule.step_size, 0.0, 0.0) * schedule.step_size
    return _delta_at(moved / schedule.noise_scale, epsilon) / delta


def sgd_released(n: float, p: float, epsilon: float, delta: float) -> float:
    """The same of phased SGD, where it does not leave the ball."""
    schedule = _schedule(PhasedSGD(), n, p, epsilon, delta)
    return _delta_at(sgd_share(schedule.sizes[0]) * schedule.step_size / schedule.noise_scale, epsilon) / delta


def sgd_released_half_noise(n: float, p: float, epsilon: float, delta: float) -> float:
    """Control: the same with half of the noise."""
    schedule = _schedule(PhasedSGD(noise_factor=0.5), n, p, epsilon, delta)
    return _delta_at(sgd_share(schedule.sizes[0]) * schedule.step_size / schedule.noise_scale, epsilon) / delta


def _schedule(algorithm: PhasedERM | PhasedSGD, n: float, p: float, epsilon: float, delta: float) -> PhasedSchedule:
    domain = Domain(LinearLoss(), L2Ball(int(p)), float(int(n)))
    return algorithm.schedule(domain, Budget(epsilon, delta, Neighbours.REPLACE_ONE))


def _delta_at(shift: float, epsilon: float) -> float:
    return float(gaussian_delta(shift, np.array([epsilon]))[0])
