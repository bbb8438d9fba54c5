"""What noisy gradient descent leaks where every iterate is published, and where only the last one is.

Every iterate: composition (`dprepro.privacy`), exact for Gaussians. The last one alone: by accounts that packs bring,
functions of a `NoisyTraining` and delta that return `FinalModelAccount`s, each a theorem that applies, or what its
premise lacks. A pack registers its function by an entry point of the group ``dprepro.accounts``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from typing import Literal

from dprepro.budget import Neighbours
from dprepro.errors import InputError
from dprepro.mechanisms import GaussianShift, SampledGaussianShift
from dprepro.privacy import privacy_loss

ACCOUNTS = "dprepro.accounts"
KNOWN = "last_iterate"
"""The pack of this repository that brings an account."""

NEAR = 0.99
"""Of its limit a curve has reached where it is said to be flat."""

LENGTHS = 1e-30, 1e30
"""The least and the largest of all of them."""

ENDLESS = 10**15
"""Steps that nobody takes."""

Batches = Literal["full", "sampled", "cyclic"]


@dataclass(frozen=True)
class NoisyTraining:
    """x_{t+1} = P(x_t - eta (g_t(x_t) + N(0, sigma^2 I))), t = 1, ..., T, P the projection on a convex set.

    g_t is the gradient of the loss of all records, or of a batch. All numbers are of that loss, be it a mean or a sum.

    Attributes:
        steps: T.
        sensitivity: s, the largest l2 distance between g_t(x) of neighbours, over all x of the set.
        noise: sigma, the standard deviation in each coordinate of the gradient.
        step_size: eta; None where it is not told.
        diameter: of the set; infinite without constraint.
        convexity: m, the least curvature of every loss: 0 of convex ones, negative where they are not promised to be.
        smoothness: M, the largest curvature of every loss; None where it is not told.
        batches: all records at every step; a batch ``sampled`` anew, without replacement; ``cyclic``, in a fixed order.
        rounds: n/b, 1 for full batches.
        apart: as ``sensitivity``, between gradients of batches of which one record is any other: what sampling hides.

    Raises:
        InputError: a number that cannot be.
    """

    steps: int
    sensitivity: float
    noise: float
    step_size: float | None = None
    diameter: float = math.inf
    convexity: float = 0.0
    smoothness: float | None = None
    batches: Batches = "full"
    rounds: float = 1.0
    apart: float = 0.0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise InputError(f"steps must be at least 1, got steps={self.steps}")
        for name in ("sensitivity", "noise", "step_size", "smoothness", "diameter"):
            value = getattr(self, name)
            free = name == "diameter" and value == math.inf
            if value is not None and not free and not LENGTHS[0] <= value <= LENGTHS[1]:
                raise InputError(
                    f"{name} must be positive, between {LENGTHS[0]:g} and {LENGTHS[1]:g}, got {name}={value:g}"
                )
        if not math.isfinite(self.convexity) or self.convexity > (self.smoothness or math.inf):
            most = "finite" if self.smoothness is None else f"at most smoothness={self.smoothness:g}"
            raise InputError(f"convexity must be {most}, got convexity={self.convexity:g}")
        if not (self.rounds >= 1 and (self.batches == "full") == (self.rounds == 1)):
            raise InputError(f"rounds must be 1 of full batches, and above 1 of others, got rounds={self.rounds:g}")
        if self.batches == "cyclic" and self.rounds % 1:
            raise InputError(f"cyclic batches need n in whole batches, got n/batch={self.rounds:g}")
        if not 1e-15 < self.sensitivity / self.noise < 1e15:
            raise InputError(f"sensitivity/noise is {self.sensitivity / self.noise:g}; give both in the same unit")


@dataclass(frozen=True)
class FinalModelAccount:
    """What a theorem says of the last iterate.

    Attributes:
        theorem: its name and source. formula: what it says. premise: what it needs, in words.
        epsilon: at the delta that is asked for; None where the premise fails. lacks: then what fails.
        limit: epsilon for any number of steps, if there is one.
        settles: steps from which on the bound is within 1% of it.
        at_least: whether it says what some losses do leak, and not what none exceeds.
    """

    theorem: str
    formula: str
    premise: str
    epsilon: float | None = None
    lacks: str = ""
    limit: float | None = None
    settles: int = 1
    at_least: bool = False


Account = Callable[[NoisyTraining, float], Sequence[FinalModelAccount]]


@dataclass(frozen=True)
class FinalModelPrivacy:
    """Epsilon at ``delta``, published one way and the other.

    Attributes:
        every: of all iterates. every_by: by which account.
        accounts: of the last one alone, as packs know them.
        last: the least that is proved of it. by: by which of the accounts; None where composition is the least.
        limit: of ``last``, however many steps are taken; infinite where nothing is proved.
        saturation: the steps from which on ``last`` is within 1% of it; None where nobody takes so many.
        at_least: what some losses leak of it, where an account tells.
        packs: the packs that were asked.
    """

    delta: float
    every: float
    every_by: str
    accounts: tuple[FinalModelAccount, ...]
    last: float
    by: FinalModelAccount | None
    limit: float
    saturation: int | None
    at_least: FinalModelAccount | None
    packs: tuple[str, ...]


def gradient_distance(
    lipschitz: float, n: float, neighbours: Neighbours, batch: float | None = None, mean: bool = True
) -> tuple[float, float]:
    """``sensitivity`` and ``apart`` of losses with a Lipschitz constant, for the mean loss (over the batch) or the sum.

    A replacement moves a sum of gradients by 2C, a record that comes or goes or is zeroed out by C.

    Raises:
        InputError: n is private, and the mean or a batch of the n records would read it.
    """
    if not neighbours.n_is_public and (mean or batch is not None):
        asked = "batch= reads n" if batch is not None else "the mean divides by n"
        raise InputError(f"{asked}, which is private under neighbours={neighbours}; give objective=sum without batches")
    size = 1.0 if not mean else n if batch is None else batch
    return (2.0 if neighbours is Neighbours.REPLACE_ONE else 1.0) * lipschitz / size, 2 * lipschitz / size


def every_iterate(training: NoisyTraining, delta: float) -> tuple[float, str]:
    """Epsilon of all iterates, and its account.

    A record of cyclic batches is used in ceil(T b/n) steps at most; of sampled ones in each with probability b/n.
    """
    mu = training.sensitivity / training.noise
    if training.batches == "sampled":
        apart = max(training.apart, training.sensitivity)
        found = privacy_loss(SampledGaussianShift(apart / training.noise, training.rounds), training.steps, delta)
    else:
        found = privacy_loss(GaussianShift(mu), math.ceil(training.steps / training.rounds), delta)
    return found.epsilon, found.conversion


def final_model(training: NoisyTraining, delta: float, accounts: dict[str, Account] | None = None) -> FinalModelPrivacy:
    """The answer, by all ``accounts`` (those of the installed packs).

    Raises:
        InputError: a delta outside (0, 1); an account that cannot be loaded.
    """
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got delta={delta:g}")
    asked = installed_accounts() if accounts is None else accounts
    every, every_by = every_iterate(training, delta)
    found = tuple(item for account in asked.values() for item in account(training, delta))
    upper = [item for item in found if item.epsilon is not None and not item.at_least]
    lower = [item for item in found if item.epsilon is not None and item.at_least]
    best = min(upper, key=lambda item: item.epsilon or 0.0, default=None)
    by = best if best is not None and best.epsilon is not None and best.epsilon < every else None
    flat = min((item for item in upper if item.limit is not None), key=lambda item: item.limit or 0.0, default=None)
    limit = math.inf if flat is None or flat.limit is None else flat.limit
    reached = None if flat is None else _reached(training, delta, NEAR * limit)
    return FinalModelPrivacy(
        delta, every, every_by, found,
        last=every if by is None or by.epsilon is None else by.epsilon, by=by,
        limit=limit, saturation=None if reached is None or flat is None else max(flat.settles, reached),
        at_least=max(lower, key=lambda item: item.epsilon or 0.0, default=None), packs=tuple(asked),
    )  # fmt: skip


def _reached(training: NoisyTraining, delta: float, epsilon: float) -> int | None:
    """From how many steps on composition has ``epsilon``, to 1% of sampled batches; None where nobody takes so many."""

    def at(steps: int) -> float:
        return every_iterate(replace(training, steps=steps), delta)[0]

    low, high = 0, training.steps
    while at(high) < epsilon:
        if high >= ENDLESS:
            return None
        low, high = high, min(16 * high, ENDLESS)
    coarse = 100 if training.batches == "sampled" else 10**9  # an answer takes a while there
    while high - low > max(1, low // coarse):
        middle = (low + high) // 2 if low < 2 else max(low + 1, min(high - 1, round(math.sqrt(low * high))))
        low, high = (low, middle) if at(middle) >= epsilon else (middle, high)
    return high


def installed_accounts() -> dict[str, Account]:
    """By the names of their entry points; raises InputError for one that cannot be loaded."""
    return dict(_loaded())


def _loaded() -> Iterator[tuple[str, Account]]:
    for point in sorted(entry_points(group=ACCOUNTS), key=lambda point: (point.name, point.value)):
        said = f"the account {point.value}, declared by an entry point {ACCOUNTS},"
        try:
            account = point.load()
        except (ImportError, AttributeError) as error:
            raise InputError(f"{said} cannot be loaded ({error}); mend or uninstall it") from error
        if not callable(account):
            raise InputError(f"{said} is no function; mend or uninstall it")
        yield point.name, account
