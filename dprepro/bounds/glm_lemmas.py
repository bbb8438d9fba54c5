"""Arora, Bassily, Guzman, Menart and Ullah (2022): both sides of lemmas, as numbers. What is exact says how.

``smooth`` is H, ``size`` X, ``radius`` B, ``label`` Y, ``share`` the place of a prediction between -1 and 1.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

Vector = NDArray[np.float64]


# the self-bounding property and Lemma 2, for the squared loss (z - y)^2, H = 2, and others


def parabola_slope(place: float, smooth: float) -> float:
    """|f'| of f = H/2 z^2."""
    return smooth * abs(place)


def parabola_root(place: float, smooth: float) -> float:
    """sqrt(4 H f)."""
    return math.sqrt(4 * smooth * smooth / 2 * place**2)


def parabola_root_halved(place: float, smooth: float) -> float:
    """A falsehood: sqrt(H f)."""
    return parabola_root(place, smooth) / 2


def sunken_root(place: float, smooth: float) -> float:
    """A falsehood: sqrt(4 H |f|) for f = H/2 z^2 - 0.3, which is negative around zero."""
    return math.sqrt(4 * smooth * abs(smooth / 2 * place**2 - 0.3))


def logistic_slope(place: float) -> float:
    """|f'| of f = ln(1 + e^-z), which is 1/4-smooth."""
    return float(special.expit(-place))


def logistic_root(place: float) -> float:
    """sqrt(4 H f)."""
    return math.sqrt(float(np.logaddexp(0.0, -place)))


def gradient_of_squares(size: float, radius: float, label: float) -> float:
    """max ||grad (<w, x> - y)^2|| over ||w|| <= B, ||x|| <= X, |y| <= Y: 2 X (X B + Y)."""
    return 2 * size * (size * radius + label)


def lemma_2(size: float, radius: float, label: float) -> float:
    """2 Y sqrt(H) X + 2 H B X^2 at H = 2."""
    return 2 * label * math.sqrt(2) * size + 4 * radius * size**2


def lemma_2_halved(size: float, radius: float, label: float) -> float:
    """A falsehood: half of that."""
    return lemma_2(size, radius, label) / 2


def gradient_outside(size: float, radius: float, label: float) -> float:
    """A falsehood: the same for w of norm 4 B, outside the ball."""
    return gradient_of_squares(size, 4 * radius, label)


# the smallest sample


def zero_risk(label: float) -> float:
    """Y^2, the largest excess risk of the trivial predictor 0."""
    return label**2


def theorem_1_first_term(label: float, radius: float, share: float) -> float:
    """sqrt(H) B X Y/sqrt(n) at n = share^2 n_0, n_0 = H B^2 X^2/Y^2, H X^2 = 2."""
    n = share**2 * 2 * radius**2 / label**2
    return math.sqrt(2) * radius * label / math.sqrt(n) * (1 + 1e-12)


# Definition 1 and Lemma 12: Johnson-Lindenstrauss maps


def _rows(level: float, precision: float, factor: float) -> int:
    """k = factor 8 ln(1/beta)/alpha^2, level = ln(1/beta)."""
    return math.ceil(factor * 8 * level / precision**2)


def beta(level: float) -> float:
    """beta = exp(-level)."""
    return math.exp(-level)


def jl_failure(cosine: float, precision: float, level: float) -> float:
    """P(|<Phi u, Phi v> - <u, v>| > alpha) of a Gaussian map with k = 8 ln(1/beta)/alpha^2, unit u, v, exactly."""
    return _gaussian_failure(cosine, precision, _rows(level, precision, 1.0))


def jl_failure_tenth(cosine: float, precision: float, level: float) -> float:
    """A falsehood: the same with a tenth of the rows."""
    return _gaussian_failure(cosine, precision, _rows(level, precision, 0.1))


def countsketch_failure(precision: float, level: float) -> float:
    """A falsehood: one sign a column, with as many rows; u = v = (e_1 + e_2)/sqrt 2 is off by 1 with chance 1/k."""
    return 1 / _rows(level, precision, 1.0)


@lru_cache(maxsize=512)
def _gaussian_failure(cosine: float, precision: float, rows: int) -> float:
    """<Phi u, Phi v> is (1 + c)/(2k) times one chi-square with k degrees of freedom less (1 - c)/(2k) times another.

    Both tails, by a sum over quantiles of the second one.
    """
    a, b = (1 + cosine) / (2 * rows), (1 - cosine) / (2 * rows)
    if b == 0:
        return float(_outside(np.array([0.0]), a, cosine, precision, rows)[0])
    t = np.linspace(0, 1, 20001)
    z = 12 * (2 * t - 1)
    other = special.chdtri(rows, special.ndtr(-z))
    weight = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.trapezoid(weight * _outside(b * other, a, cosine, precision, rows), z))


def _outside(less: Vector, a: float, cosine: float, precision: float, rows: int) -> Vector:
    low, high = (np.maximum((cosine + sign * precision + less) / a, 0.0) for sign in (-1, 1))
    return np.asarray(special.chdtrc(rows, high) + special.chdtr(rows, low))


def _kept(draw: float, rows: float) -> tuple[float, float, float]:
    """Of random unit u, v, a Gaussian map: errors of <u, v>, of ||u +- v||^2 (largest share), of ||u||^2, ||v||^2."""
    rng = np.random.default_rng(int(draw))
    u, v = rng.standard_normal((2, 40))
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    images = rng.standard_normal((int(rows), 40)) / math.sqrt(rows) @ np.stack([u, v, u + v, u - v], axis=1)
    length = (images**2).sum(axis=0)
    apart = np.abs(length / np.array([1, 1, (u + v) @ (u + v), (u - v) @ (u - v)]) - 1)
    return abs(float(images[:, 0] @ images[:, 1] - u @ v)), float(apart[2:].max()), float(apart[:2].max())


def inner_product_error(draw: float, rows: float) -> float:
    """|<Phi u, Phi v> - <u, v>| of unit u, v in 40 dimensions."""
    return _kept(draw, rows)[0]


def lemma_12(draw: float, rows: float) -> float:
    """alpha, the largest relative error of ||u + v||^2 and ||u - v||^2: by polarisation."""
    return _kept(draw, rows)[1]


def lemma_12_own_norms(draw: float, rows: float) -> float:
    """A falsehood: that of ||u||^2 and ||v||^2."""
    return _kept(draw, rows)[2]


# average stability and regret of gradient descent on one coordinate, under their own names


def descent_stability(decay: float, steps: float) -> float:
    """E ||A(S) - A(S^(i))||^2 times n^2 of the averaged iterate on (w - y)^2/2, y = +-1 fair, step ``decay``.

    w_t = (1 - (1 - eta)^t) mean(y), so the average moves by its mean factor c times (y - y')/n: 2 c^2.
    """
    return 2 * _mean_factor(decay, steps) ** 2


def descent_stability_bound(decay: float, steps: float) -> float:
    """8/3 H eta^2 T^2 M, M = Y^2 + R (step 3 of `glm`), Y^2 = 1/2 the mean loss at zero, R the regret above it."""
    return 8 / 3 * decay**2 * steps**2 * 0.5


def descent_stability_once(decay: float, steps: float) -> float:
    """A falsehood: the same with eta^2 T in the place of eta^2 T^2."""
    return descent_stability_bound(decay, steps) / steps


def _mean_factor(decay: float, steps: float) -> float:
    t = np.arange(steps)
    return float(np.mean(1 - (1 - decay) ** t))
