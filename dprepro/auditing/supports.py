"""Floating-point supports: whether neighbours' answers have different sets of possible values.

A sum of two floats is rounded. With noise w the answer 0 + w may be any float, tiny ones with tiny last bits; 1 + w is
a multiple of 2^-53, however near to 0 it comes. So the last bit of an answer, the power of two of which it is an odd
multiple, tells the data sets apart where a theorem over the reals says that it cannot (Mironov 2012). Nothing else of
the answers is looked at here, so that what is told apart is told by rounding alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprepro.privacy.audit import LEVEL, audit

FloatArray = NDArray[np.float64]

PAIRS = ((0.0, 1.0), (1.0, 2.0), (0.1, 1.1))
"""Exact values that are published with noise, one apart."""

DRAWS = 20_000
"""Of each value of a pair."""

ZERO = 1100.0
"""The last bit of 0, beyond those of all other floats."""


@dataclass(frozen=True)
class Additive:
    """A mechanism that adds noise to a number, calibrated so that values one apart cost epsilon = 1.

    Attributes:
        name, package: of it, and of what has to be installed.
        release: so many answers on a value, with a seed.
    """

    name: str
    package: str
    release: Callable[[float, int, int], FloatArray]

    @property
    def version(self) -> str:
        """Of the package; empty where it is not installed."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ""


@dataclass(frozen=True)
class Support:
    """What last bits tell.

    Attributes:
        name, version: of the mechanism.
        epsilon: with probability `LEVEL` rounding alone spends at least so much at delta = 0.
        pair: the values on which, None where nothing is told.
        only: the larger share of answers on one value whose last bit is met on that value only, among all drawn.
    """

    name: str
    version: str
    epsilon: float
    pair: tuple[float, float] | None
    only: float

    @property
    def verdict(self) -> str:
        """``different`` sets of values where more is spent than the claimed epsilon = 1."""
        if self.epsilon > 1:
            return "different"
        return "told apart" if self.epsilon > 0 else "nothing told"


def last_bits(values: FloatArray) -> FloatArray:
    """The exponents k of the powers 2^k of which each value is an odd multiple; `ZERO` for 0 and what is not finite."""
    finite = np.where(np.isfinite(values), values, 0.0).astype(np.float64)
    fractions, exponents = np.frexp(finite)
    whole = np.abs(fractions * 2.0**53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return np.where(whole == 0, ZERO, exponents - 53.0 + lowest)


def compared(mechanism: Additive, draws: int = DRAWS, seed: int = 0) -> Support:
    """Last bits of answers on each of the `PAIRS`, as an audit compares them; all pairs hold together at `LEVEL`."""
    best = Support(mechanism.name, mechanism.version, 0.0, None, 0.0)
    for place, pair in enumerate(PAIRS):
        bits = [last_bits(mechanism.release(value, draws, seed + 2 * place + turn)) for turn, value in enumerate(pair)]
        found = audit(bits[0][:, None], bits[1][:, None], 0.0, 1 - (1 - LEVEL) / len(PAIRS))
        if found.epsilon > best.epsilon:
            only = max(float((~np.isin(a, b)).mean()) for a, b in (bits, bits[::-1]))
            best = Support(mechanism.name, mechanism.version, found.epsilon, pair, only)
    return best


def mechanisms() -> Iterator[Additive]:
    """Ours and those of other libraries, installed or not."""
    yield Additive("numpy Laplace", "numpy", lambda value, draws, seed: value + _rng(seed).laplace(size=draws))
    yield Additive("numpy Gaussian", "numpy", lambda value, draws, seed: value + 3 * _rng(seed).standard_normal(draws))
    for name in ("Laplace", "L2Laplace", "Gaussian"):
        yield Additive(f"dprepro {name}", "dprepro", _own(name))
    for name in ("Laplace", "GaussianAnalytic", "Snapping", "Geometric"):
        yield Additive(f"diffprivlib {name}", "diffprivlib", _diffprivlib(name))
    for name in ("laplace", "gaussian"):
        yield Additive(f"opendp {name}", "opendp", _opendp(name))
    yield Additive("opacus noise", "opacus", _opacus(secure=False))
    yield Additive("opacus noise, secure_mode", "opacus", _opacus(secure=True))


def rounded_to(grid: float, scale: float = 1.0) -> Additive:
    """A remedy: value and Laplace noise are each brought to the multiples of ``grid``, a power of two, before the sum.

    Sums of such multiples are exact within 2^53 of them, so that all values have one set of answers; the value's
    rounding adds ``grid`` to the sensitivity.
    """

    def release(value: float, draws: int, seed: int) -> FloatArray:
        noise = np.round(_rng(seed).laplace(scale=scale * (1 + grid), size=draws) / grid)
        return np.asarray((np.round(value / grid) + noise) * grid)

    return Additive(f"Laplace on multiples of {grid:g}", "numpy", release)


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _own(name: str) -> Callable[[float, int, int], FloatArray]:
    def release(value: float, draws: int, seed: int) -> FloatArray:
        from dprepro import mechanisms as own

        mechanism, rng = getattr(own, name)(3.0 if name == "Gaussian" else 1.0), _rng(seed)
        if name == "L2Laplace":
            return np.array([mechanism.release(np.array([value]), rng)[0][0] for _ in range(draws)])
        return np.asarray(mechanism.release(np.full(draws, value), rng)[0])

    return release


def _diffprivlib(name: str) -> Callable[[float, int, int], FloatArray]:
    def release(value: float, draws: int, seed: int) -> FloatArray:
        from diffprivlib import mechanisms

        given: dict[str, Any] = {"epsilon": 1.0, "sensitivity": 1, "random_state": seed}
        if name == "GaussianAnalytic":
            given["delta"] = 1e-3
        if name == "Snapping":
            given |= {"lower": 0.0, "upper": 4.0}
            del given["random_state"]
        mechanism = getattr(mechanisms, name)(**given)
        exact: float = round(value) if name == "Geometric" else value
        return np.array([float(mechanism.randomise(exact)) for _ in range(draws)])

    return release


def _opendp(name: str) -> Callable[[float, int, int], FloatArray]:
    def release(value: float, draws: int, seed: int) -> FloatArray:
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = (
            dp.vector_domain(dp.atom_domain(T=float, nan=False)),
            (dp.l1_distance(T=float) if name == "laplace" else dp.l2_distance(T=float)),
        )
        make = dp.m.make_laplace if name == "laplace" else dp.m.make_gaussian
        return np.asarray(make(*space, scale=1.0 if name == "laplace" else 3.0)([value] * draws))

    return release


def _opacus(*, secure: bool) -> Callable[[float, int, int], FloatArray]:
    def release(value: float, draws: int, seed: int) -> FloatArray:
        import torch
        from opacus.optimizers.optimizer import _generate_noise

        exact = torch.full((draws,), value)
        generator = torch.Generator().manual_seed(seed)
        noise = _generate_noise(std=3.0, reference=exact, generator=generator, secure_mode=secure)
        return np.asarray((exact + noise).numpy(), dtype=np.float64)

    return release


def table(draws: int = DRAWS, progress: Callable[[str], None] | None = None) -> list[Support]:
    """All that is installed; what is not is told by name."""
    rows = []
    for mechanism in (*mechanisms(), rounded_to(2.0**-20)):
        if not mechanism.version:
            if progress:
                progress(f"{mechanism.name}: skipped, {mechanism.package} is not installed")
            continue
        rows.append(compared(mechanism, draws))
        if progress:
            progress(f"{mechanism.name}: {rows[-1].verdict}, epsilon at least {rows[-1].epsilon:.3g}")
    return rows
