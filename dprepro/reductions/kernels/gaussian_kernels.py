"""Compiled inner loops of Gaussian Frank-Wolfe. Randomness enters only as a `numpy.random.Generator`."""

from __future__ import annotations

import math

import numpy as np

from dprepro.reductions.kernels.compiled import entry, jit

# Wichura (1988), algorithm AS 241, PPND16: rational approximations with a relative error of about 1e-16.
# fmt: off
A = np.array([3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
              4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3])
B = np.array([1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
              2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3])
C = np.array([1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
              1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
              7.74545014278341407640e-4])
D = np.array([1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
              1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
              1.05075007164441684324e-9])
E = np.array([6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
              2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5,
              2.01033439929228813265e-7])
F = np.array([1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
              7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
              2.04426310338993978564e-15])
# fmt: on


@jit(inline="always")
def _ratio(top, bottom, x):  # type: ignore[no-untyped-def]
    above, below = top[7], bottom[7]
    for k in range(6, -1, -1):
        above = above * x + top[k]
        below = below * x + bottom[k]
    return above / below


@jit()
def quantile(q):  # type: ignore[no-untyped-def]
    """The standard normal quantile of a probability in (0, 1), accurate in the lower tail."""
    centred = q - 0.5
    if abs(centred) <= 0.425:
        return centred * _ratio(A, B, 0.180625 - centred * centred)
    tail = q if centred < 0 else 1.0 - q
    r = math.sqrt(-math.log(tail))
    value = _ratio(C, D, r - 1.6) if r <= 5.0 else _ratio(E, F, r - 5.0)
    return -value if centred < 0 else value


@jit()
def least_and_largest(count, rng):  # type: ignore[no-untyped-def]
    """The least and the largest of ``count`` independent standard normals, jointly.

    -count ln Phi(largest) is a unit exponential; given it the others are normal below the largest, and the
    survival function of their least is inverted likewise.
    """
    above = -math.expm1(-rng.standard_exponential() / count)  # 1 - Phi(largest)
    largest = -quantile(max(above, 1e-300))
    if count == 1.0:
        return largest, largest
    below = (1.0 - above) * -math.expm1(-rng.standard_exponential() / (count - 1.0))
    return quantile(min(max(below, 1e-300), 1.0 - 1e-16)), largest


@entry()
def on_groups(gram, cross, sizes, opposite, steps, sigma, constant, weights, rng):  # type: ignore[no-untyped-def]
    """Gaussian Frank-Wolfe on group weights, in place.

    Group g has ``sizes[g]`` vertices radius e_j and, where ``opposite[g]`` is not -1, that group has their negatives; a
    group whose size is zero is nothing but the negative of another. ``sigma`` includes the radius. Returns the sums of
    the squares of the least and of the largest noise of each group, sigma included.
    """
    groups = sizes.shape[0]
    squares = np.zeros(groups)
    for t in range(1, steps):
        best, chosen = 1e300, 0
        for g in range(groups):
            if sizes[g] == 0.0:
                continue
            score = 0.0
            for h in range(groups):
                score += gram[g, h] * weights[h]
            score = 2.0 * (score - cross[g])
            least, largest = least_and_largest(sizes[g], rng)
            least, largest = sigma * least, sigma * largest
            squares[g] += least * least + largest * largest
            if score + least < best:
                best, chosen = score + least, g
            if opposite[g] >= 0 and -score - largest < best:
                best, chosen = -score - largest, opposite[g]
        mu = 1.0 / (steps + 2) if constant else 2.0 / (t + 2)
        for h in range(groups):
            weights[h] *= 1.0 - mu
        weights[chosen] += mu
    return squares


@entry()
def in_plane(curvature, linear, spare, radius, steps, sigma, constant, theta, rng):  # type: ignore[no-untyped-def]
    """Gaussian Frank-Wolfe over an l2 ball in the coordinates along the data and the norm in ``spare`` more, in place.

    The gradient is curvature theta - linear, the last entries being those of the spare directions, where it points
    along theta's part there: that part's norm and the gradient's follow from one coordinate of the noise along it, and
    from the chi-square length of the others. Returns the sum of the noise's squares.
    """
    size, square = theta.shape[0] - 1, 0.0
    noisy = np.empty(size + 1)
    for t in range(1, steps):
        across = 2.0 * sigma * sigma * rng.standard_gamma(0.5 * (spare - 1.0)) if spare > 1.0 else 0.0
        norm = across
        for j in range(size + 1):
            push = sigma * rng.standard_normal()
            noisy[j] = curvature[j] * theta[j] - linear[j] + push
            norm += noisy[j] * noisy[j]
            square += push * push
        square += across
        factor = radius / math.sqrt(norm)
        mu = 1.0 / (steps + 2) if constant else 2.0 / (t + 2)
        for j in range(size + 1):
            theta[j] = (1.0 - mu) * theta[j] - mu * factor * noisy[j]
        theta[size] = math.sqrt(theta[size] ** 2 + (mu * factor) ** 2 * across)
    return square
