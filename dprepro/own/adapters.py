"""Algorithms made of a function or an estimator with ``fit``, and data sets made of arrays or a function.

The least that serves as an algorithm is a function ``fit(X, y, epsilon, delta, rng) -> theta``: its risk is measured,
and nothing is said of its privacy. An `Algorithm` with a schedule and mechanisms is accounted for as well.
"""

from __future__ import annotations

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from dprepro.algorithms.base import Algorithm, Solution
from dprepro.budget import Budget, Neighbours
from dprepro.constructions.base import Construction, Point, constraint_set, loss_of, recorded
from dprepro.errors import DpreproError, InputError
from dprepro.problems import Domain, Loss, Problem, Records, RecordsView
from dprepro.problems.problem_data import FloatArray
from dprepro.support.global_generators import seeded
from dprepro.support.user_files import load

DPREPRO_IMPORTS = DPREPRO_READS = ()  # what is loaded is among `made_of`, arrays are in the fingerprint

MOST_ENTRIES = 1e8
"""Of the features that are written out for one call."""

ANSWERS = ("theta_", "coef_", "theta", "coef", "weights_")
"""Where an estimator keeps what it has found."""
COUNTS = ("counts", "sample_weight")
"""Arguments by which distinct records are handed over with their numbers, instead of each record."""
RANDOM = ("rng", "generator", "random_state", "seed")


def _given(problem: Problem | None, budget: Budget | None, rng: np.random.Generator | None) -> dict[str, Any]:
    """What a function may ask for by name; with None in the place of all it gives the names."""
    domain = problem.domain if problem else None
    return {
        "epsilon": budget and budget.epsilon, "eps": budget and budget.epsilon, "delta": budget and budget.delta,
        "rng": rng, "generator": rng, "n": domain and int(domain.n), "p": domain and domain.p,
        "domain": domain, "problem": problem, "budget": budget, "loss": domain and domain.loss,
        "constraint_set": domain and domain.constraint_set, "radius": domain and domain.radius,
        **{name: None if rng is None else int(rng.integers(2**31)) for name in ("random_state", "seed")},
    }  # fmt: skip


@dataclass(frozen=True)
class Fitted(Algorithm):
    """The answer of a function ``fit(X, y, ...)``, or of an estimator with such a method.

    The first two arguments are the records: X of shape (n, p) and y of shape (n,), in random order; further ones are
    given by name where they are asked for: ``epsilon``, ``delta``, ``rng`` (or ``random_state``, ``seed``: a whole
    number), ``n``, ``p``, ``domain``, ``problem``, ``budget``, ``loss``, ``constraint_set``, ``radius``. With
    ``counts`` or ``sample_weight``, X and y are the distinct records. An estimator is constructed for each call, with
    those of these that its constructor names. The answer is theta, shape (p,): what is returned, or ``theta_`` or
    ``coef_`` of the estimator. One outside of the constraint set is projected onto it, which costs no privacy.

    The global generators of numpy and Python are seeded for each call, so that code that draws from them can be
    repeated. It promises no privacy: an `Algorithm` does, by its schedule and the mechanisms that it uses.

    Attributes:
        code: the function or the class, by the dotted name of `dprepro.support.user_files`.
        parameters: further arguments of the function, or of the constructor.

    Raises:
        InputError: an argument without default that nobody has.
    """

    representations: ClassVar[tuple[str, ...]] = ("records",)
    relations: ClassVar[tuple[Neighbours, ...]] = tuple(Neighbours)

    code: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = _given(None, None, None)
        taken = [self._asked(self._fit, 2)]
        if self._kind is not None:
            taken.append(self._asked(self._kind, 0))
        for function in taken:
            for name in function.required:
                if name not in (*known, *COUNTS, *self.parameters):
                    raise InputError(
                        f"{self.name} asks for {name}, which nobody has; give it a default, or ask for "
                        f"{', '.join(sorted({*known, *COUNTS}))}"
                    )
        names = {name for function in taken for name in function.names}
        for name in self.parameters:
            if name not in names and not any(function.open for function in taken):
                raise InputError(f"{self.name} takes no {name}; choices: {', '.join(sorted(names)) or 'none'}")

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self.code.rpartition(".")[2]

    @cached_property
    def _found(self) -> Any:
        found = load(self.code)
        if not callable(found):
            raise InputError(f"{self.name} is no function and no class with a method fit")
        if inspect.isclass(found) and not callable(getattr(found, "fit", None)):
            raise InputError(f"class {self.name} has neither solve (an Algorithm of dprepro) nor fit(X, y, ...)")
        return found

    @property
    def _kind(self) -> Callable[..., Any] | None:
        return self._found if inspect.isclass(self._found) else None

    @property
    def _fit(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(self._found, "fit") if inspect.isclass(self._found) else self._found  # noqa: B009
        return found

    def _asked(self, function: Callable[..., Any], data: int) -> _Asked:
        return _Asked.of(function, data, skip=inspect.isclass(self._found) and data > 0)

    def takes(self, name: str) -> bool:
        """Whether an argument of that name would reach it."""
        functions = [self._asked(self._fit, 2), *([self._asked(self._kind, 0)] if self._kind else [])]
        return any(
            {name, "budget", *(("eps",) if name == "epsilon" else ())} & {*function.names} for function in functions
        )

    def made_of(self) -> list[object]:
        """What it calls: its code makes the answers."""
        return [self._found, load(self.code)]

    def premise(self, domain: Domain, budget: Budget) -> str:
        """Records that fit into memory, unless they are handed over with their counts."""
        entries = domain.n * domain.p
        if entries <= MOST_ENTRIES or {*COUNTS} & {*self._asked(self._fit, 2).names}:
            return ""
        return (
            f"writes out n p = {entries:.2g} numbers, more than {MOST_ENTRIES:.0e}: sweep smaller n, or let fit take "
            "counts, to be given the distinct records"
        )

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        """Call it on the records."""
        given = _given(problem, budget, rng)
        fit, estimator = self._fit, None
        with seeded(rng):
            if self._kind is not None:
                estimator = self._kind(**self._asked(self._kind, 0).taken({**given, **self._own(given)}))
                fit = estimator.fit
            asked = _Asked.of(fit, 2)
            features, labels, counts = self._records(problem, {*COUNTS} & {*asked.names} != set(), rng)
            further = dict.fromkeys(COUNTS, counts)
            own = {} if self._kind is not None else self.parameters
            found = asked.call(fit, (features, labels), {**given, **further, **own})
        return Solution(self._answer(found, estimator, problem), self.schedule(problem.domain, budget), None)

    def _own(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of an estimator but for those that a grid point sets."""
        return {
            name: parameter
            for name, parameter in self.parameters.items()
            if name not in given or name in ("loss", "radius")
        }

    def _records(
        self, problem: Problem, distinct: bool, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        records = problem.records.records
        if distinct:
            return records.features.copy(), records.targets.copy(), records.copies.copy()
        rows = np.repeat(np.arange(records.copies.size), records.copies.astype(np.intp))
        rows = rows if records.in_order else rng.permutation(rows)
        return records.features[rows], records.targets[rows], np.ones(rows.size)

    def _answer(self, found: object, estimator: object, problem: Problem) -> FloatArray:
        """Theta, in the set; raises DpreproError for an answer that is none."""
        p, within = problem.domain.p, problem.constraint_set
        if estimator is not None and (found is None or found is estimator):
            found = next((getattr(estimator, name) for name in ANSWERS if hasattr(estimator, name)), None)
            if np.any(np.asarray(getattr(estimator, "intercept_", 0.0)) != 0):
                raise DpreproError(f"{self.name} has an intercept, and theta has none: set fit_intercept=False")
            if found is None:
                raise DpreproError(f"{self.name}.fit returns no theta and sets none of {', '.join(ANSWERS)}")
        try:
            theta = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError):
            raise DpreproError(
                f"{self.name} returned a {type(found).__name__}, and theta is an array of p={p}"
            ) from None
        if theta.size != p or max(theta.shape, default=1) != p:
            raise DpreproError(f"{self.name} returned an array of shape {theta.shape}; theta has shape ({p},)")
        if not np.isfinite(theta).all():
            raise DpreproError(f"{self.name} returned a theta that is not finite")
        return within.project(theta.ravel()) if problem.domain.proper else theta.ravel()


@dataclass(frozen=True)
class _Asked:
    """The arguments of a function: of the data by position, others by ``names``, of which some are ``required``."""

    data: tuple[str, ...]
    names: tuple[str, ...]
    required: tuple[str, ...]
    open: bool

    @classmethod
    def of(cls, function: Callable[..., Any], data: int, skip: bool = False) -> _Asked:
        """The arguments of a function whose first ``data`` ones are arrays; ``skip`` leaves out one before them."""
        try:
            found = list(inspect.signature(function).parameters.values())[int(skip) :]
        except (TypeError, ValueError):
            found = []
        known = {*_given(None, None, None), *COUNTS}
        usual = [
            parameter
            for parameter in found
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
        arrays = [
            parameter.name
            for parameter in usual
            if parameter.name not in known and parameter.default is parameter.empty
        ][:data]
        kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        rest = [parameter for parameter in found if parameter.kind in kinds and parameter.name not in arrays]
        return cls(
            tuple(arrays), tuple(parameter.name for parameter in rest),
            tuple(parameter.name for parameter in rest if parameter.default is parameter.empty),
            any(parameter.kind is parameter.VAR_KEYWORD for parameter in found),
        )  # fmt: skip

    def taken(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The given arguments that the function names."""
        return {name: value for name, value in given.items() if name in self.names}

    def call(self, function: Callable[..., Any], arrays: tuple[FloatArray, ...], given: Mapping[str, Any]) -> Any:
        """The function of the arrays and what it names."""
        return function(**dict(zip(self.data, arrays, strict=False)), **self.taken(given))


SetName = Literal["l1_ball", "l2_ball", "simplex", "box"]


@dataclass(frozen=True, kw_only=True)
class _Bounded(Construction):
    """Records within public bounds.

    Attributes:
        loss: its word (``squared``, ``logistic``, ...), or the loss itself.
        constraint_set, radius: the word of the set and its size.
        feature_bound, feature_norm: every record has ||x||_feature_norm <= feature_bound.
        label_bound: every record has |y| <= label_bound.
        seed: of the order of records, or of a function's draws.
    """

    loss: Loss | str = "squared"
    constraint_set: SetName = "l2_ball"
    radius: float = 1.0
    feature_bound: float = 1.0
    feature_norm: float = 2
    label_bound: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        self._demand("radius", 0 < self.radius < math.inf, "above 0")
        loss_of(self.loss)

    def domain(self, point: Point) -> Domain:
        within = constraint_set(self.constraint_set, point["p"], self.radius)
        return Domain(
            loss_of(self.loss), within, point["n"], self.feature_bound, self.feature_norm, self.label_bound
        )  # fmt: skip

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), point["n"])


@dataclass(frozen=True, kw_only=True)
class Arrays(_Bounded):
    """Arrays X of shape (N, p) and y of shape (N,); the data set at n is the first n records of one random order.

    Attributes:
        file: a file of numpy (.npz) with X and y.
    """

    file: str = field(metadata={"identity": False})

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray]:
        """X and y, in the random order; raises InputError for a file that is none."""
        return _arrays(self.file, self.seed)

    def fingerprint(self) -> Mapping[str, str]:
        """The hash of X and y."""
        features, labels = _arrays(self.file, -1)
        content = repr(features.shape).encode() + features.tobytes() + labels.tobytes()
        return {"data": hashlib.sha256(content).hexdigest()}

    def resolve(self, point: Point) -> dict[str, float]:
        """p is that of X, and n at most the number of its records."""
        records, p = self.arrays[0].shape
        return dict(point) | {"n": min(point["n"], records), "p": p}

    def build(self, point: Point, noise_scale: float) -> Problem:
        features, labels = self.arrays
        n, domain = int(point["n"]), self.domain(point)
        return Problem(domain, {"records": RecordsView(domain, Records(features[:n], labels[:n]))})


@lru_cache(maxsize=4)
def _arrays(file: str, seed: int) -> tuple[FloatArray, FloatArray]:
    try:
        with np.load(Path(file), allow_pickle=False) as found:
            features, labels = (np.asarray(found[name], np.float64) for name in ("X", "y"))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{file} does not hold arrays X and y: {error}") from error
    count = len(labels)
    rows = np.arange(count) if seed < 0 else np.random.default_rng(seed).permutation(count)
    return features[rows], labels[rows]


@dataclass(frozen=True, kw_only=True)
class ListedRecords(_Bounded):
    """Distinct records that are written out, with their numbers of copies: n is the sum of these.

    Attributes:
        X, y: features, shape (K, p), and labels, shape (K,). copies: shape (K,); empty where each stands once.
    """

    X: Sequence[Sequence[float]]
    y: Sequence[float]
    copies: Sequence[float] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len({len(row) for row in self.X}) != 1 or not self.X[0]:
            raise InputError("X must have at least one record, and as many features in each")
        if not len(self.X) == len(self.y) == len(self._counts):
            raise InputError(f"X has {len(self.X)} records, y {len(self.y)} labels and copies {len(self._counts)}")
        if not all(math.isfinite(one) and one >= 1 and one == int(one) for one in self._counts):
            raise InputError("copies must be whole numbers of at least 1")

    @property
    def _counts(self) -> Sequence[float]:
        return self.copies or (1.0,) * len(self.y)

    def resolve(self, point: Point) -> dict[str, float]:
        """n and p are those of the records."""
        return dict(point) | {"n": math.fsum(self._counts), "p": len(self.X[0])}

    def representations(self, point: Point) -> frozenset[str]:
        return recorded(self.domain(point), len(self.y))

    def build(self, point: Point, noise_scale: float) -> Problem:
        domain = self.domain(point)
        features, labels, counts = (np.array(one, np.float64) for one in (self.X, self.y, self._counts))
        return Problem(domain, {"records": RecordsView(domain, Records(features, labels, counts))})


@dataclass(frozen=True, kw_only=True)
class Made(_Bounded):
    """What a function ``make(n, p, rng) -> (X, y)`` draws, once for each n and p; the same draws for all replicates.

    Attributes:
        code: the function, by the dotted name of `dprepro.support.user_files`.

    Raises:
        InputError: an argument without default that nobody has.
    """

    code: str

    def __post_init__(self) -> None:
        super().__post_init__()
        name = self.code.rpartition(".")[2]
        if inspect.isclass(self._function) or not callable(self._function):
            raise InputError(f"{name} is neither a Construction of dprepro nor a function of n, p and rng")
        for text in self._asked.required:
            if text not in ("n", "p", "rng", "generator", "seed", "random_state"):
                raise InputError(f"{name} asks for {text}, which nobody has; choices: n, p, rng, seed")

    @property
    def _function(self) -> Any:
        return load(self.code)

    @property
    def _asked(self) -> _Asked:
        return _Asked.of(self._function, 0)

    def made_of(self) -> list[object]:
        """The function: its code makes the data."""
        return [self._function]

    def build(self, point: Point, noise_scale: float) -> Problem:
        n, p, domain = int(point["n"]), int(point["p"]), self.domain(point)
        rng = np.random.default_rng([self.seed, n, p])
        with seeded(rng):
            numbers = {name: int(rng.integers(2**31)) for name in ("seed", "random_state")}
            made = self._function(**self._asked.taken({"n": n, "p": p, "rng": rng, "generator": rng, **numbers}))
        try:
            features, labels = made
        except (TypeError, ValueError):
            raise InputError(f"{self.code.rpartition('.')[2]} must return two arrays, X and y") from None
        return Problem(domain, {"records": RecordsView(domain, Records(features, labels))})
