"""Sparse linear regression with a planted support: designs without interaction, and Gaussian ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from dprepro.bounds.kst import lemma_42, theorem_8, votes_missed
from dprepro.constructions.base import DENSE_LIMIT, RECORDS_LIMIT, Point, offered, recorded
from dprepro.constructions.challenge import Attackable, Challenge, Finding
from dprepro.constructions.hadamard import dividing_order, orthogonal_columns, paley_order
from dprepro.errors import PremiseError
from dprepro.problems import (
    Box,
    Domain,
    HalfSquaredLoss,
    Moments,
    Problem,
    Records,
    SupportPoint,
    derived_representations,
)
from dprepro.problems.problem_data import FloatArray
from dprepro.problems.views import MomentsView, OneHotView, RecordsView


@dataclass(frozen=True)
class SparseDomain(Domain):
    """A domain of data whose mean loss is psi-strongly convex on every support of size s, of which 0 promises nothing.

    That is a promise about the data, not about every record.
    """

    psi: float = 0.0

    @property
    def eta(self) -> float:
        """Strong convexity of the sum of the losses on a support."""
        return self.n * self.psi


# An integral, which is the same for all trials of a cell.
LINES: dict[str, Callable[..., float]] = {"theorem_8": theorem_8, "votes_missed": lru_cache(maxsize=64)(votes_missed)}


@dataclass(frozen=True)
class PlantedSupport(Attackable):
    """y = X theta* + w with half the squared loss over the unit box; theta* is ``signal`` on the first s coordinates.

    The order of the records, in turn where distinct ones have counts, is a part of the data, for contiguous blocks.
    theta* is the minimiser over the whole box, and so over all s-sparse points: w is orthogonal to every column of X
    (but for a single block, where it is not).

    Attributes:
        rows: ``one_hot``: floor(n/s) records (e_j, theta*_j) for each j of the support, and nothing else, for any p;
            |y| <= 1, ||x||_1 <= 1, alpha = 2. ``signs``: orthogonal columns of entries +-1, so that X^T X/n is the
            identity: well behaved (Definition 2) with Psi = 1 and all norms attained; |y| <= s, alpha = 2 s^2.
            ``gaussian``: n independent rows of deviation 1/sqrt(2 ln p); where the s largest entries are longer than
            sqrt s, the row is scaled.
        sparsity: s.
        signal: theta*_j.
        size: where positive, the signal is such that a coordinate of the support gains size ln(p) times noise_scale of
            the mean loss: what Algorithm 4 errs about most lies near its threshold, ln p. Infinite: the signal is 1.
        noise: sigma. Of ``signs`` w is the worst that Definition 2 allows: X^T w = +-2 sigma sqrt(n' ln p) in all
            coordinates of a block of n' records, against theta* on the support and with a sign that changes from block
            to block. Of ``gaussian`` it is normal.
        blocks: k, of n' = n/k records in turn; 0 for floor(sqrt n).
        share: of epsilon that the support may spend, for the line of ``missed``.
        line: that of Theorem 8, or the exact probability where all blocks are right (`votes_missed`).
        seed: of Gaussian rows.

    ``missed`` is 1 where an answer leaves out a coordinate of the support. Of signs in a single block, ``distance`` is
    ||theta - theta*||^2 over Lemma 42's bound, and ``farthest`` ||theta - theta*||_inf over half the signal: below 1
    the largest coordinates are the support (Lemma 41). ``row_norm``, ``column_norm`` and ``noise_correlation`` are the
    largest ratios of Definition 2's first three conditions over the blocks.
    """

    findings: ClassVar[tuple[str, ...]] = (
        "missed", "distance", "farthest", "row_norm", "column_norm", "noise_correlation"
    )  # fmt: skip

    rows: Literal["one_hot", "signs", "gaussian"] = "signs"
    sparsity: int = 2
    signal: float = 0.5
    size: float = 0.0
    noise: float = 0.0
    blocks: int = 0
    share: float = 1.0
    line: Literal["theorem_8", "votes_missed"] = "theorem_8"
    seed: int = 0

    def __post_init__(self) -> None:
        self._demand("sparsity", self.sparsity >= 1, "at least 1")
        self._demand("signal", 0 < self.signal <= 1, "in (0, 1]")
        self._demand("size", self.size >= 0, "at least 0")
        self._demand("noise", 0 <= self.noise < math.inf, "at least 0 and finite")
        self._demand("blocks", self.blocks >= 0, "at least 0")
        self._demand("share", 0 < self.share <= 1, "in (0, 1]")

    def domain(self, point: Point) -> Domain:
        p, n, s = int(point["p"]), point["n"], self.sparsity
        if s > p:
            raise PremiseError(f"p={p} coordinates do not hold a support of {s}")
        if self.rows == "one_hot":
            return SparseDomain(HalfSquaredLoss(), Box(p), n, feature_norm=1)
        if self.rows == "signs":
            return SparseDomain(HalfSquaredLoss(), Box(p), n, feature_norm=math.inf, label_bound=s, psi=1.0)
        long = math.sqrt(s)
        return SparseDomain(HalfSquaredLoss(), Box(p), n, feature_bound=long, feature_norm=math.inf, label_bound=s)

    def representations(self, point: Point) -> frozenset[str]:
        """``orthogonal``, unless rows are Gaussian; records of signs where an order of Hadamard's fits a block."""
        domain = self.domain(point)
        if self.rows == "one_hot":
            return derived_representations(domain, frozenset({"one_hot"})) | {"orthogonal"}
        if self.rows == "gaussian":
            return recorded(domain, domain.n)
        listed = {"moments", "orthogonal"} if domain.p <= DENSE_LIMIT else set()
        return frozenset(listed | ({"records"} if listed and self._order(point) else set()))

    def challenge(self, point: Point, noise_scale: float, rng: np.random.Generator) -> Challenge:
        """The same data at every call, so that what is known of them need not be found again."""
        problem, behaviour = _made(self, tuple(sorted(point.items())), self.height(point, noise_scale))
        n, p, s, k = point["n"], point["p"], self.sparsity, self.number(point)
        line = LINES[self.line](p, s, k, self.share * point["epsilon"]) if math.isfinite(point["epsilon"]) else None
        longest = lemma_42(n, p, s, self.noise, 1.0) if self.noise and self.rows == "signs" and k == 1 else 0.0
        return _Planted(problem, s, self.height(point, noise_scale), line, longest, behaviour)

    def number(self, point: Point) -> int:
        """k."""
        return self.blocks or math.isqrt(int(point["n"]))

    def height(self, point: Point, noise_scale: float) -> float:
        """theta*_j; raises PremiseError where it had to exceed 1."""
        if not self.size or math.isinf(self.size):
            return 1.0 if self.size else self.signal
        n = point["n"]
        share = math.floor(n / self.sparsity) / n if self.rows == "one_hot" else 1.0
        if not share:
            raise PremiseError(f"n={n:g} records do not cover a support of {self.sparsity}")
        height = math.sqrt(2 * self.size * math.log(point["p"]) * noise_scale / share)
        if height > 1:
            raise PremiseError(f"theta*_j={height:.3g} exceeds 1, the box")
        return height

    def _order(self, point: Point) -> int | None:
        """Rows of an orthogonal design that divide the records of a block, or all where blocks are alike."""
        n, p = point["n"], int(point["p"])
        parts = self.number(point) if self.noise else 1
        if n % parts:
            return None
        order = dividing_order(int(n / parts), p, int(RECORDS_LIMIT / p))
        return order if order is None or not self.noise or 2 * n / parts * p <= RECORDS_LIMIT else None


Made: TypeAlias = tuple[Problem, Sequence[Finding]]


@lru_cache(maxsize=4)
def _made(family: PlantedSupport, where: tuple[tuple[str, float], ...], height: float) -> Made:
    """The data of a family at a grid point, and what is found of their rows."""
    makers = {"one_hot": _one_hot, "signs": _signs, "gaussian": _gaussian}
    return makers[family.rows](family, dict(where), height)


def _one_hot(family: PlantedSupport, point: Point, height: float) -> Made:
    domain, s = family.domain(point), family.sparsity
    share = np.full(s, math.floor(domain.n / s) / domain.n)
    if not share.all():
        raise PremiseError(f"n={domain.n:g} records do not cover a support of {s}")
    view = OneHotView(domain, np.full(s, height), share, np.zeros(s))

    def records() -> RecordsView:
        return RecordsView(domain, replace(view.to_records(), in_order=True))

    return offered(domain, family.representations(point), one_hot=lambda: view, records=records), ()


def _signs(family: PlantedSupport, point: Point, height: float) -> Made:
    """Every block is an orthogonal design; w = +-a X u in it, a = 2 sigma sqrt(ln p/n'), u a vector of signs."""
    domain, s, k = family.domain(point), family.sparsity, family.number(point)
    n, p = domain.n, domain.p
    if p > n:
        raise PremiseError(f"p={p} orthogonal columns need as many records, got n={n:g}")
    if family.noise and (n % k or (k % 2 and k > 1)):
        raise PremiseError(f"n={n:g} records make no even number of equal blocks, or one, of blocks={k}")
    theta, u = np.zeros(p), np.random.default_rng([family.seed, p]).choice([-1.0, 1.0], p)
    theta[:s], u[:s] = height, -1.0
    a = 2 * family.noise * math.sqrt(math.log(p) * k / n) if family.noise else 0.0
    order = family._order(point)

    def labels(columns: FloatArray, sign: float) -> FloatArray:
        return np.asarray(columns @ (theta + sign * a * u))

    behaviour: list[Finding] = []
    if a:
        columns = orthogonal_columns(order or paley_order(p), p)
        behaviour = _behaviour(family, n / k, columns, a * (columns @ u))
        largest = max(float(np.abs(labels(columns, sign)).max()) for sign in (1.0, -1.0))
        if largest > domain.label_bound * (1 + 1e-12):
            raise PremiseError(f"|y| reaches {largest:.3g}, above s={s}")

    def moments() -> MomentsView:
        centre = theta + a * u if k == 1 else theta
        constant = s * height**2 + a**2 * p if k > 1 else float(centre @ centre)
        return MomentsView(domain, Moments(0.5 * centre, 0.5 * constant, ridge=0.5))

    def records() -> RecordsView:
        assert order is not None
        signs = [1.0] if not a or k == 1 else [1.0, -1.0]
        copies = round(n / k) // order if a else 1
        block = np.tile(orthogonal_columns(order, p), (copies, 1))
        y = np.concatenate([labels(block, sign) for sign in signs])
        return RecordsView(domain, Records(np.tile(block, (len(signs), 1)), y, np.full(y.size, n / y.size), True))

    return offered(domain, family.representations(point), moments=moments, records=records), behaviour


def _behaviour(family: PlantedSupport, records: float, x: FloatArray, w: FloatArray) -> list[Finding]:
    """Definition 2's first three ratios in a block of so many records, which repeats rows ``x`` with errors ``w``."""
    s, (rows, p) = family.sparsity, x.shape
    longest = np.linalg.norm(np.partition(np.abs(x), -s, axis=1)[:, -s:], axis=1).max()
    ratios = {
        "row_norm": longest / math.sqrt(s),
        "column_norm": np.linalg.norm(x, axis=0).max() / math.sqrt(rows),
    }
    if family.noise:
        line = 2 * family.noise * math.sqrt(math.log(p))
        ratios["noise_correlation"] = np.abs(x.T @ w).max() * math.sqrt(records) / rows / line
    return [Finding(name, float(ratio), 1.0, 0) for name, ratio in ratios.items()]


def _gaussian(family: PlantedSupport, point: Point, height: float) -> Made:
    domain, s, k = family.domain(point), family.sparsity, family.number(point)
    n, p = int(domain.n), domain.p
    if n * p > RECORDS_LIMIT:
        raise PremiseError(f"n={n} Gaussian rows of p={p} entries are too many to list")
    if n <= p:
        raise PremiseError(f"noise orthogonal to p={p} columns needs more than n={n} records")
    rng = np.random.default_rng([family.seed, n, p])
    x = rng.standard_normal((n, p)) / math.sqrt(2 * math.log(p))
    top = np.linalg.norm(np.partition(np.abs(x), -s, axis=1)[:, -s:], axis=1, keepdims=True)
    x *= np.minimum(1.0, math.sqrt(s) * (1 - 1e-12) / top)
    theta = np.zeros(p)
    theta[:s] = height
    gram, w = x.T @ x, family.noise * rng.standard_normal(n)
    w -= x @ np.linalg.solve(gram, x.T @ w)
    y = x @ theta + w
    if np.abs(y).max() > domain.label_bound:
        raise PremiseError(f"|y| reaches {np.abs(y).max():.3g}, above s={s}")
    form = Moments(0.5 * x.T @ y / n, 0.5 * float(y @ y) / n, 0.5 * gram / n)
    blocks = [_behaviour(family, vector.size, x[vector], w[vector]) for vector in np.array_split(np.arange(n), k)]
    problem = offered(
        domain,
        family.representations(point),
        moments=lambda: MomentsView(domain, form, theta),
        records=lambda: RecordsView(domain, Records(x, y, in_order=True)),
    )
    return problem, [max(found, key=lambda candidate: candidate.value) for found in zip(*blocks, strict=True)]


@dataclass(frozen=True)
class _Planted(Challenge):
    """The data with their support, and what they are measured against."""

    sparsity: int
    height: float
    line: float | None
    longest: float
    behaviour: Sequence[Finding]

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        """Whether the support was found, and how far the answer is from the truth."""
        chosen = theta.chosen if isinstance(theta, SupportPoint) else np.flatnonzero(theta)
        missed = not set(range(self.sparsity)) <= set(chosen.tolist())
        found = [Finding("missed", float(missed), self.line)]
        if self.longest and isinstance(theta, np.ndarray):
            step = theta - self.height * (np.arange(theta.size) < self.sparsity)
            found.append(Finding("distance", float(step @ step) / self.longest, 1.0, 0))
            found.append(Finding("farthest", float(np.abs(step).max()) / (0.5 * self.height), 1.0, 0))
        return [*found, *self.behaviour]
