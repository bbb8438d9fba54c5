"""Exact laws that the errata of more than one paper are computed from."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

Array = npt.NDArray[np.float64]


def gaussian_delta(shift: float, epsilon: float) -> float:
    """The exact delta(epsilon) between two normal laws whose means differ by ``shift`` deviations."""
    one, other = stats.norm.cdf([shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift])
    return float(one - math.exp(epsilon) * other)


def least_estimation_risk(n: int) -> float:
    """No algorithm, private or not, has less population risk on -x theta over [-1, 1] with n records x = +-1.

    Two points: x has the mean h or -h, and theta loses h (1 - theta) or h (1 + theta), which sum to 2h. So the larger
    of the two risks is h (1 - TV) or more, TV being that between the two binomial laws of the records; the best h is
    about .7/sqrt n. Sums over 12 deviations.
    """
    reach = 12 * math.sqrt(n)
    count = np.arange(max(0, int(n / 2 - reach)), min(n, int(n / 2 + reach)) + 1)

    def level(h: float) -> float:
        one, other = (stats.binom.pmf(count, n, (1 + sign * h) / 2) for sign in (1, -1))
        return float(h * (1 - np.abs(one - other).sum() / 2))

    return max(level(min(1.0, size / math.sqrt(n))) for size in (0.5, 0.6, 0.7, 0.8, 0.9))


def replaced_record(centre: float, line: float, ridge: float, density: Callable[[Array], Array], reach: float) -> Array:
    """Answers of objective perturbation in one dimension on two records, n = 1: densities of both on one grid.

    Rows: the grid, the law for a parabola around ``centre`` that goes on with slope +-1 (L = beta = 1), the law for a
    line of slope ``line``. The answer alpha needs the noise -(slope + ridge alpha), whose derivative is ridge + beta.
    """
    near = np.linspace(centre - 1.5, centre + 1.5, 200_001)
    left = np.linspace(min(-reach, centre - 2), centre - 1.5, 50_001)
    right = np.linspace(centre + 1.5, max(reach, centre + 2), 50_001)
    alpha = np.concatenate([left[:-1], near, right[1:]])
    slope, curve = np.clip(alpha - centre, -1, 1), (np.abs(alpha - centre) < 1).astype(float)
    return np.stack([alpha, density(ridge * alpha + slope) * (ridge + curve), density(ridge * alpha + line) * ridge])


def spent_on_replacement(laws: Array, epsilon: float) -> float:
    """delta(epsilon) between the two laws of `replaced_record`, the larger of both directions."""
    alpha, one, other = laws
    assert np.allclose(np.trapezoid([one, other], alpha), 1, atol=1e-4)
    both = ((one, other), (other, one))
    return max(float(np.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0), alpha)) for p, q in both)
