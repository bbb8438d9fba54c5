"""A user's question: I publish only the final model; what does it leak? The account that ``dprepro privacy`` asks.

Registered by an entry point of the group ``dprepro.accounts``; nothing that measures imports it. Two things are derived
here beside `published`, whose names are used.

**Cyclic batches**, convex, from the common start on. Runs are one there, and no diameter comes in: of E uses r steps
apart the last one closes its own eta s, and each of the r (E - 1) steps before it, from the first use on, closes eta
s/r. After i steps i eta s/r is closed, of no less than ceil(i/r) eta s: mu^2 = (s/sigma)^2 (1 + (E - 1)/r). This is the
bound of strong convexity as c tends to 1. It is below that of j rounds and a diameter while E - 1 <= D/(eta s), so that
the less of both does not fall with the steps; composition in its place, as in `published.cyclic_convex_mu`, does.

**Sampled batches**: the bound of k last steps holds for T < k steps as well. With batches told, J' uses of T steps
compose to mu^2 = J' (s/sigma)^2, which is no more than that of J' uses in k steps; and J' is no larger than J in law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from dprepro.errors import PremiseError
from dprepro.mechanisms import GaussianShift
from dprepro.practice.final_model import ENDLESS, NEAR, FinalModelAccount, NoisyTraining
from dprepro.privacy import privacy_loss
from dprepro_last_iterate.pairs import worst_linear_at
from dprepro_last_iterate.published import (
    composition_mu,
    contraction,
    convex_mu_least,
    cyclic_convex_mu,
    cyclic_mu,
    geometric_mu,
    quadratic_mu,
    sampled_convex,
)

AFTER = "derived here, after Bok, Su and Altschuler 2024"
MOST_STEPS, WIDEST = 10**7, 60.0
"""Up to which an exact law is computed: its rounding grows with the steps, its cost with D/v."""
LARGEST = 200.0
"""Of epsilon and ln(1/delta) together: beyond, the law of such small probabilities takes long."""


def final_model(training: NoisyTraining, delta: float) -> tuple[FinalModelAccount, ...]:
    """Every theorem with epsilon at delta or what its premise lacks, and what some losses do leak."""
    return (*theorems(training, delta), *_seen(training, delta))


def theorems(training: NoisyTraining, delta: float) -> tuple[FinalModelAccount, ...]:
    """What no losses leak more than, and what is lacking for it."""
    return (_strongly_convex(training, delta), _convex(training, delta))


def _epsilon(mu: float, delta: float) -> float:
    """Of mu-Gaussian differential privacy, from above."""
    return privacy_loss(GaussianShift(mu), 1, delta).epsilon


def _lacks(training: NoisyTraining) -> str:
    """What keeps a step from being nonexpansive: needed is a convex loss, and a step size of 2/M at most."""
    if training.convexity < 0:
        return f"losses are not promised to be convex (convexity={training.convexity:g}); then hiding may gain nothing"
    if training.step_size is None:
        return "step_size= is not told"
    if training.smoothness is None:
        return "smoothness= is not told, and a step on a loss that is not smooth may part two runs"
    if training.step_size * training.smoothness > 2:
        return (
            f"step_size={training.step_size:g} is above 2/smoothness={2 / training.smoothness:g}: a step may part runs"
        )
    return ""


def _premise(training: NoisyTraining, losses: str) -> str:
    of, batches = ("every loss is", "") if training.batches == "full" else ("the loss of every batch is", ", batches")
    return (
        f"{of} {losses}, whatever the data; the step size is the same at every step, and 2/M at most; gradients are "
        f"not clipped; start, set{batches} and the number of steps depend on no record; nothing but the last iterate "
        "is seen"
    )


def _bounded(
    training: NoisyTraining, delta: float, mu_at: Callable[[int], float], theorem: str, formula: str, premise: str
) -> FinalModelAccount:
    """Of a bound by mu that does not fall with the steps."""
    limit = _epsilon(mu_at(ENDLESS), delta)
    low, high = 0, 1
    while _epsilon(mu_at(high), delta) < NEAR * limit:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _epsilon(mu_at(middle), delta) >= NEAR * limit else (middle, high)
    epsilon = _epsilon(mu_at(training.steps), delta)
    return FinalModelAccount(theorem, formula, premise, epsilon, limit=limit, settles=high)


def _strongly_convex(training: NoisyTraining, delta: float) -> FinalModelAccount:
    cyclic = training.batches == "cyclic"
    theorem = f"strong convexity, cyclic batches ({AFTER})" if cyclic else f"strong convexity ({AFTER})"
    formula = "mu <= (s/sigma) sqrt((1+c)/(1-c) (1-c^T)/(1+c^T)), c = max(|1 - eta m|, |1 - eta M|)"
    if cyclic:
        formula = "mu^2 <= (s/sigma)^2 [1 + c^(2r-2) (1-c^2)/(1-c^r)^2 (1-c^(r(E-1)))/(1+c^(r(E-1)))], r = n/b, E = T/r"
    if training.batches == "sampled":
        formula += ", as if every batch held the record"
    lacks = _lacks(training)
    if not lacks and training.convexity == 0:
        lacks = "convexity=0, and m > 0 is needed"
    if lacks or training.step_size is None or training.smoothness is None:
        return FinalModelAccount(theorem, formula, "", lacks=lacks)
    c = contraction(training.step_size, training.convexity, training.smoothness)
    if c >= 1:  # also where 1 - eta m rounds to it
        return FinalModelAccount(
            theorem, formula, "", lacks="eta m or 2 - eta M is 0 to all digits, and must be positive"
        )
    ratio = training.sensitivity / training.noise

    def mu_at(steps: int) -> float:
        if cyclic:
            return cyclic_mu(math.ceil(steps / training.rounds), training.rounds, ratio, c)
        return geometric_mu(steps, ratio, c)

    premise = _premise(training, f"{training.convexity:g}-strongly convex and {training.smoothness:g}-smooth")
    return _bounded(training, delta, mu_at, theorem, formula, premise)


def _convex(training: NoisyTraining, delta: float) -> FinalModelAccount:
    s, sigma, d = training.sensitivity, training.noise, training.diameter
    free = training.batches == "cyclic" and math.isinf(d)
    theorem, formula = {
        "full": (AFTER, "mu^2 <= min over k <= T of k (D/k + eta s)^2/(eta sigma)^2"),
        "cyclic": (
            f"cyclic batches, {AFTER}",
            "mu^2 <= (s/sigma)^2 (1 + (E-1)/r)"
            + (", and <= (s/sigma)^2 + min over j < E of (D + j eta s)^2/(r j (eta sigma)^2)" if not free else "")
            + ", r = n/b, E = T/r",
        ),
        "sampled": (
            "sampled batches, derived here",
            "delta(epsilon) <= the mean over J of that of mu^2 = [(k-J) (D/k)^2 + J (D/k + eta s)^2]/(eta sigma)^2, J "
            "binomial of any k and b/n",
        ),
    }[training.batches]
    theorem = f"convexity ({theorem})" if free else f"convexity on a bounded set ({theorem})"
    lacks = _lacks(training)
    if not lacks and math.isinf(d) and not free:
        full = training.batches == "full"
        known = "linear losses leak all that composition allows" if full else "nothing is derived here"
        lacks = f"diameter= is not told, and without constraint {known}"
    eta = training.step_size
    if lacks or eta is None or training.smoothness is None:
        return FinalModelAccount(theorem, formula, "", lacks=lacks)
    within = "on a convex set" if free else f"on a convex set of diameter {d:g}"
    premise = _premise(training, f"convex and {training.smoothness:g}-smooth {within}")
    if training.batches == "sampled":
        limit, _ = sampled_convex(ENDLESS, 1 / training.rounds, s, eta, sigma, delta, d)
        return FinalModelAccount(theorem, formula, premise, limit, limit=limit)

    def mu_at(steps: int) -> float:
        if training.batches == "cyclic":
            return _cyclic_mu(math.ceil(steps / training.rounds), training, eta)
        return convex_mu_least(steps, s, eta, sigma, d)

    if free:
        return FinalModelAccount(theorem, formula, premise, _epsilon(mu_at(training.steps), delta))
    return _bounded(training, delta, mu_at, theorem, formula, premise)


def _cyclic_mu(epochs: int, training: NoisyTraining, eta: float) -> float:
    """The less of the bound from the common start on and of that with a diameter."""
    s, sigma, r, d = training.sensitivity, training.noise, training.rounds, training.diameter
    common = s / sigma * math.sqrt(1 + (epochs - 1) / r)
    return common if math.isinf(d) else min(common, cyclic_convex_mu(epochs, r, s, eta, sigma, d))


def _seen(training: NoisyTraining, delta: float) -> Iterator[FinalModelAccount]:
    """What losses leak that keep to what is told of full batches: linear ones, or quadratics without constraint."""
    s, sigma, eta = training.sensitivity, training.noise, training.step_size
    if training.batches != "full":
        return
    if math.isinf(training.diameter):
        if training.convexity <= 0:
            yield _lower("some linear losses", _epsilon(composition_mu(training.steps, s, sigma), delta))
        elif eta is not None:
            factors = [
                1 - eta * curvature for curvature in (training.convexity, training.smoothness or 0.0) if curvature
            ]
            mus = [quadratic_mu(training.steps, s / sigma, factor) for factor in factors if -1 < factor <= 1]
            yield from (_lower("some quadratics", _epsilon(mu, delta)) for mu in mus)
    elif training.convexity <= 0 and eta is not None and training.steps <= MOST_STEPS:
        unit = training.diameter
        most = convex_mu_least(training.steps, s, eta, sigma, unit)
        if unit > WIDEST * eta * sigma or _epsilon(most, delta) - math.log(delta) > LARGEST:
            return
        try:
            found = worst_linear_at(training.steps, s / sigma, eta * sigma / unit, 1.0, delta)
        except PremiseError:  # such small probabilities need too many nodes
            return
        yield _lower("some linear losses on an interval", found.epsilon)


def _lower(words: str, epsilon: float) -> FinalModelAccount:
    return FinalModelAccount(words, "", "", epsilon, at_least=True)
