"""A recorder of the noise that a function draws: numpy's generators, old and new, Python's, and torch's.

While it records, the generators that the function is given, makes, or finds (`np.random.default_rng`,
`np.random.normal`, `random.gauss`, those in its module) are others that draw the same and note it. Additive noise is
followed into the answer (`forms`); other draws are counted. Who draws by other means (`secrets`, C code) is not seen.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from dprepro.auditing.forms import FloatArray, Form, Ledger, noisy

HIDDEN = (
    "beta", "binomial", "bytes", "chisquare", "choice", "choices", "dirichlet", "f", "gamma", "geometric",
    "getrandbits", "hypergeometric", "integers", "lognormal", "multinomial", "multivariate_hypergeometric",
    "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "pareto", "permutation",
    "permuted", "poisson", "power", "rand", "randint", "random", "random_integers", "random_sample", "randrange",
    "rayleigh", "sample", "shuffle", "standard_gamma", "standard_t", "triangular", "uniform", "vonmises", "wald",
    "weibull", "zipf", "betavariate", "expovariate", "gammavariate", "lognormvariate", "paretovariate", "randbytes",
    "vonmisesvariate", "weibullvariate",
)  # fmt: skip
"""Draws that are counted, and not followed."""

SCALED = {"laplace": "laplace", "normal": "normal", "gumbel": "gumbel", "logistic": "logistic"}
"""Methods of numpy's generators with ``loc, scale, size``, and the law of their noise."""

STANDARD = {"standard_normal": "normal", "standard_cauchy": "cauchy", "standard_exponential": "exponential"}
"""Those with ``size`` alone."""


@dataclass
class Recorder:
    """What one call draws.

    Attributes:
        ledger: the noise, and what was made of it.
        forced: noise in the place of what is drawn, by its number; where it has none, noise is as drawn.
        hidden: draws that are counted only. raw: all noise as drawn, before any is forced.
        depth: above 0 while a generator calls itself. rough: whether numbers are of single precision.
        aliases: draws that repeat earlier ones.
    """

    ledger: Ledger = field(default_factory=Ledger)
    forced: FloatArray = field(default_factory=lambda: np.empty(0))
    hidden: int = 0
    raw: list[float] = field(default_factory=list)
    depth: int = 0
    rough: bool = False
    aliases: set[int] = field(default_factory=set)
    _seen: dict[tuple[float, ...], int] = field(default_factory=dict)
    _call: int = 0

    def noise(self, law: str, drawn: FloatArray, loc: Any, scale: Any, rough: bool = False) -> tuple[FloatArray, Form]:
        """The values loc + scale * noise and their form, of noise in units of its scale; all of one shape.

        Noise that was drawn before, number for number, is the same: a generator was started anew with the same seed.
        Of single precision (``rough``) some numbers are met twice by chance: there only whole arrays are the same, and
        a single number that is met again may be either, so that it is counted with what is not followed.
        """
        start, self._call = len(self.ledger.noise), self._call + 1
        fresh = drawn.ravel().tolist()
        tags = self._tags(fresh, start, rough)
        self.rough |= rough
        for tag, value in zip(tags, fresh, strict=True):
            self.ledger.noise.append(float(self.forced[tag]) if tag < len(self.forced) else value)
        self.raw += fresh
        self.ledger.laws += [law] * len(fresh)
        self.ledger.calls += [self._call] * len(fresh)
        shape = drawn.shape
        form = Form(
            np.array(tags, dtype=np.int64).reshape(shape),
            np.array(np.broadcast_to(np.asarray(loc, dtype=np.float64), shape)),
            np.array(np.broadcast_to(np.asarray(scale, dtype=np.float64), shape)),
        )
        values = form.offsets + form.factors * np.array(self.ledger.noise)[form.tags]
        self.ledger.enter(values, form)
        return values, form

    def _tags(self, fresh: list[float], start: int, rough: bool) -> list[int]:
        """Of each number its place, or that at which it was drawn first."""
        if rough and len(fresh) > 1:
            first = self._seen.setdefault(tuple(fresh), start)
            tags = list(range(first, first + len(fresh)))
        else:
            tags = [self._seen.setdefault((value,), place) for place, value in enumerate(fresh, start=start)]
        again = {place for place, tag in enumerate(tags, start=start) if tag != place}
        if rough and len(fresh) == 1 and again:
            self.hidden += 1
        self.aliases |= again
        return tags

    def give(self, law: str, drawn: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
        """The same as an array, or a number, that remembers."""
        values, form = self.noise(law, np.asarray(drawn, dtype=np.float64), loc, scale)
        return noisy(self.ledger, values, form)

    @contextmanager
    def inner(self) -> Iterator[bool]:
        """Whether this is the outermost of generators that call one another."""
        self.depth += 1
        try:
            yield self.depth == 1
        finally:
            self.depth -= 1


class _Recording:
    """What recording generators share: the recorder of the call that is under way."""

    recorder: Recorder | None = None


def _hiding(base: type, name: str) -> Callable[..., Any]:
    own = getattr(base, name)

    def draw(self: Any, *positional: Any, **given: Any) -> Any:
        recorder = _Recording.recorder
        if recorder is None:
            return own(self, *positional, **given)
        with recorder.inner() as outermost:
            recorder.hidden += outermost
            return own(self, *positional, **given)

    return draw


def _scaled(base: type, name: str, law: str) -> Callable[..., Any]:
    own = getattr(base, name)

    def draw(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        recorder = _Recording.recorder
        if recorder is None or np.any(np.asarray(scale) < 0):
            return own(self, loc, scale, size)
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        with recorder.inner():
            return recorder.give(law, own(self, 0.0, 1.0, shape), loc, scale)

    return draw


def _standard(base: type, name: str, law: str) -> Callable[..., Any]:
    own = getattr(base, name)

    def draw(self: Any, *positional: Any, **given: Any) -> Any:
        recorder = _Recording.recorder
        found = own(self, *positional, **given)
        if recorder is None or given.get("out") is not None or np.asarray(found).dtype != np.float64:
            if recorder is not None:
                recorder.hidden += 1
            return found
        return recorder.give(law, found)

    return draw


def _exponential(base: type) -> Callable[..., Any]:
    own = base.exponential  # type: ignore[attr-defined]

    def exponential(self: Any, scale: Any = 1.0, size: Any = None) -> Any:
        recorder = _Recording.recorder
        if recorder is None:
            return own(self, scale, size)
        return recorder.give("exponential", own(self, 1.0, np.shape(scale) if size is None else size), 0.0, scale)

    return exponential


def _gauss(base: type, name: str) -> Callable[..., Any]:
    own = getattr(base, name)

    def gauss(self: Any, mu: float = 0.0, sigma: float = 1.0) -> Any:
        recorder = _Recording.recorder
        if recorder is None:
            return own(self, mu, sigma)
        with recorder.inner():
            return recorder.give("normal", own(self, 0.0, 1.0), mu, sigma)

    return gauss


def _made(name: str, base: type) -> type:
    methods: dict[str, Any] = {text: _hiding(base, text) for text in HIDDEN if hasattr(base, text)}
    if base is random.Random:
        methods |= {text: _gauss(base, text) for text in ("gauss", "normalvariate")}
    else:
        methods |= {key: _scaled(base, key, law) for key, law in SCALED.items()}
        methods |= {key: _standard(base, key, law) for key, law in STANDARD.items()}
        methods["exponential"] = _exponential(base)
    if base is np.random.RandomState:
        methods["randn"] = lambda self, *shape: self.standard_normal(shape or None)
    return type(name, (base,), methods)


RecordingGenerator: Any = _made("RecordingGenerator", np.random.Generator)
RecordingState: Any = _made("RecordingState", np.random.RandomState)
RecordingRandom: Any = _made("RecordingRandom", random.Random)


def default_rng(seed: Any = None) -> Any:
    """`numpy.random.default_rng`, of which the draws are recorded."""
    if isinstance(seed, np.random.BitGenerator):
        return RecordingGenerator(seed)
    return seed if isinstance(seed, RecordingGenerator) else RecordingGenerator(_default_rng(seed).bit_generator)


_default_rng = np.random.default_rng


def generator(seed: int) -> Any:
    """A generator of which the draws are recorded."""
    return RecordingGenerator(np.random.PCG64(seed))


@contextmanager
def recording(function: object, seed: int, forced: FloatArray) -> Iterator[Recorder]:
    """Record what is drawn inside; generators that belong to nobody are seeded.

    Args:
        function: in whose module generators, and functions of theirs, are replaced too.
        seed: of the global generators.
        forced: see `Recorder`.
    """
    recorder = Recorder(forced=forced)
    state, plain = RecordingState(seed % 2**32), RecordingRandom(seed)
    replaced = _replaced(state, plain)
    namespaces: list[dict[str, Any]] = [vars(np.random), vars(np.random.mtrand), vars(random)]
    own = getattr(function, "__globals__", None)
    if isinstance(own, dict):
        namespaces.append(own)
    before: list[tuple[dict[str, Any], str, Any]] = []
    with ExitStack() as stack:
        if "torch" in sys.modules:
            from dprepro.auditing.torch_noise import noting

            stack.enter_context(noting(recorder, seed))
        try:
            for names in namespaces:
                for name, value in list(names.items()):
                    new = replaced.get(id(value)) if not isinstance(value, ModuleType) else None
                    if new is None and names is own:
                        new = _wrapped(value, seed + 1 + len(before))
                    if new is not None:
                        before.append((names, name, value))
                        names[name] = new
            _Recording.recorder = recorder
            yield recorder
        finally:
            _Recording.recorder = None
            for names, name, value in before:
                names[name] = value


def _replaced(state: Any, plain: Any) -> dict[int, Any]:
    """What stands in the place of which object, by its identity."""
    found = {
        id(_default_rng): default_rng, id(np.random.Generator): RecordingGenerator,
        id(np.random.RandomState): RecordingState, id(random.Random): RecordingRandom,
        id(np.random.mtrand._rand): state,
    }  # fmt: skip
    for module, old, new in ((np.random, np.random.mtrand._rand, state), (random, random._inst, plain)):
        for name, value in vars(module).items():
            if getattr(value, "__self__", None) is old and hasattr(new, name):
                found[id(value)] = getattr(new, name)
    for name in ("seed", "get_state", "set_state"):  # of numpy these are functions of their own
        found[id(getattr(np.random, name))] = getattr(state, name)
    return found


def _wrapped(value: object, seed: int) -> Any:
    """Another generator for one that lies in the function's module; None for all else."""
    if isinstance(value, np.random.Generator):
        return generator(seed)
    return RecordingState(seed % 2**32) if isinstance(value, np.random.RandomState) else None


def repeated(calls: Sequence[Sequence[float]], least: int = 1) -> int:
    """How many of the calls drew, number for number, what an earlier one had drawn."""
    seen = [tuple(noise) for noise in calls if len(noise) >= least]
    return len(seen) - len(set(seen))
