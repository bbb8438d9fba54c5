"""What the command ``privacy`` answers of the last iterate, held against laws on an interval by code written apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache

import numpy as np
import pytest
from dprepro_last_iterate import published
from dprepro_last_iterate.batches import cyclic_convex_loss
from dprepro_last_iterate.final_model import final_model, theorems
from scipy.special import ndtr

from dprepro.practice.final_model import NoisyTraining, every_iterate
from dprepro.practice.final_model import final_model as answered

DELTA = 1e-5
Slope = Callable[[np.ndarray], np.ndarray]


class Interval:
    """x -> clip(x - eta (F'(x) + N(0, sigma^2)), 0, 1): atoms at both ends, and masses at nodes between."""

    def __init__(self, eta: float, sigma: float, breaks: tuple[float, ...] = (0.0, 1.0), nodes: int = 120) -> None:
        points, weights = np.polynomial.legendre.leggauss(nodes)
        ends = list(itertools.pairwise(breaks))
        self.nodes = np.concatenate([low + (high - low) * (1 + points) / 2 for low, high in ends])
        self.weights = np.concatenate([(high - low) * weights / 2 for low, high in ends])
        self.eta, self.v = eta, eta * sigma

    def step(self, slope: Slope, places: np.ndarray | None = None) -> np.ndarray:
        """The matrix of a step, from the places (all states) to the states."""
        x = np.concatenate([[0.0], self.nodes, [1.0]]) if places is None else places
        means = x - self.eta * slope(x)
        z = (self.nodes[:, None] - means) / self.v
        inside = self.weights[:, None] * np.exp(-(z**2) / 2) / (self.v * math.sqrt(2 * math.pi))
        return np.vstack([ndtr(-means / self.v), inside, ndtr((means - 1) / self.v)])

    def tails(self, slope: Slope, places: np.ndarray | None = None) -> np.ndarray:
        """Of the same step, into half-lines {y >= t} and {y <= t}: the normal law itself, no quadrature."""
        x = np.concatenate([[0.0], self.nodes, [1.0]]) if places is None else places
        z = (x - self.eta * slope(x) - np.linspace(0, 1, 401)[:, None]) / self.v
        return np.vstack([ndtr(z), ndtr(-z)])


@dataclass(frozen=True)
class Step:
    """A step of one data set, with its half-lines, from all states and from the start."""

    matrix: np.ndarray
    tails: np.ndarray
    first: np.ndarray
    first_tails: np.ndarray

    @staticmethod
    def made(interval: Interval, slope: Slope, start: float) -> Step:
        place = np.array([start])
        first, tails = interval.step(slope, place)[:, 0], interval.tails(slope, place)[:, 0]
        return Step(interval.step(slope), interval.tails(slope), first, tails)

    def mixed(self, other: Step, share: float) -> Step:
        """The other one with probability ``share``."""
        return Step(
            *((1 - share) * own + share * more for own, more in zip(astuple(self), astuple(other), strict=True))
        )


def half_lines(order: Callable[[int], Step], numbers: Sequence[int]) -> list[np.ndarray]:
    """Their probabilities after each of the numbers of steps, where ``order(t)`` is step t = 1, 2, ..."""
    found, law = [], order(1).first
    for t in range(1, max(numbers) + 1):
        if t in numbers:
            found.append(order(1).first_tails if t == 1 else order(t).tails @ law)
        law = order(t).matrix @ law if t > 1 else law
    return found


def epsilon_of(p: np.ndarray, q: np.ndarray, delta: float = DELTA) -> float:
    """Of events with these probabilities, in both orders."""
    found = [
        np.log(np.maximum(one - delta, 1e-300)) - np.log(np.maximum(other, 1e-300)) for one, other in ((p, q), (q, p))
    ]
    return max(0.0, float(np.max(found)))


def line(level: float, curvature: float = 0.0, centre: float = 0.0) -> Slope:
    return lambda x: level + curvature * (x - centre)


Case = tuple[NoisyTraining, float]
"""A training, and the epsilon of half-lines of losses that keep to its premise."""


def pairs_of(told: NoisyTraining, first: Step, second: Step, numbers: Sequence[int]) -> Iterator[Case]:
    laws = [half_lines(lambda t, step=step: step, numbers) for step in (first, second)]  # type: ignore[misc]
    for steps, p, q in zip(numbers, *laws, strict=True):
        yield replace(told, steps=steps), epsilon_of(p, q)


def full() -> Iterator[Case]:
    """B = 2, .5 and 128: linear losses that drift, and quadratics."""
    for s, eta, sigma in ((0.1, 0.05, 1.0), (0.1, 0.2, 1.0), (0.5, 0.64, 0.078)):
        told = NoisyTraining(1, s, sigma, step_size=eta, diameter=1.0, smoothness=2 / eta)
        interval = Interval(eta, sigma)
        for drift, curvature in (
            (0.0, 0.0),
            (0.8, 0.0),
            (3.0, 0.0),
            (0.0, 0.05 / eta),
            (0.0, 1.0 / eta),
            (0.0, 1.9 / eta),
        ):
            slopes = line(drift * s, curvature, 0.5), line((drift + 1) * s, curvature, 0.5)
            steps = [Step.made(interval, slope, 0.5 if curvature else 1.0) for slope in slopes]
            yield from pairs_of(replace(told, convexity=curvature), *steps, (1, 2, 4, 16, 64, 256))


def sharp() -> Case:
    """B = 128: the worst drift of linear losses, at its worst number of steps."""
    told = NoisyTraining(11, 0.5, 0.078, 0.64, 1.0, 0.0, 2 / 0.64)
    steps = [Step.made(Interval(0.64, 0.078, nodes=300), line(drift * 0.5), 1.0) for drift in (0.1766, 1.1766)]
    return next(pairs_of(told, *steps, (11,)))


def sampled() -> Iterator[Case]:
    """The other records have the gradient of the silent one: one law never takes the second slope."""
    for s, eta, sigma, rounds in ((1.0, 0.05, 1.0, 20.0), (0.3, 0.2, 1.0, 2.0)):
        told = NoisyTraining(1, s, sigma, eta, 1.0, 0.0, 2 / eta, "sampled", rounds, s)
        interval = Interval(eta, sigma)
        for level, curvature in ((0.3 * s, 0.0), (-0.5 * s, 0.2 / eta)):
            without, used = (Step.made(interval, line(level + more, curvature), 1.0) for more in (0.0, s))
            mixed = without.mixed(used, 1 / rounds)
            yield from pairs_of(replace(told, convexity=curvature), without, mixed, (1, 128))


def cyclic() -> Iterator[Case]:
    """The record in the first or in the last batch of every epoch."""
    for s, eta, sigma, r in ((1.0, 0.05, 1.0, 3), (3.0, 0.05, 1.0, 8)):
        told = NoisyTraining(1, s, sigma, eta, 1.0, 0.0, 2 / eta, "cyclic", r)
        interval = Interval(eta, sigma)
        for level, curvature in ((0.0, 0.0), (0.3 * s, 0.0), (0.0, 0.2 / eta)):
            without, used = (Step.made(interval, line(level + more, curvature), 1.0) for more in (0.0, s))
            for place in (1, 0):
                numbers = [r * epochs for epochs in (1, 2, 5, 30)]
                p = half_lines(lambda t: without, numbers)  # noqa: B023, used at once
                q = half_lines(lambda t: used if t % r == place else without, numbers)  # noqa: B023
                for steps, one, other in zip(numbers, p, q, strict=True):
                    yield replace(told, steps=steps, convexity=curvature), epsilon_of(one, other)


@cache
def cases(batches: str) -> list[Case]:
    """All of them."""
    return {"full": lambda: [*full(), sharp()], "sampled": lambda: [*sampled()], "cyclic": lambda: [*cyclic()]}[
        batches
    ]()


def proved(training: NoisyTraining) -> float:
    """What `answered` says, without the steps at which it is flat."""
    found = [account.epsilon for account in theorems(training, DELTA) if account.epsilon is not None]
    return min([every_iterate(training, DELTA)[0], *found])


@pytest.mark.parametrize("batches", ["full", "sampled", "cyclic"])
def test_no_exact_epsilon_exceeds_the_answer_and_half_of_the_sensitivity_is_noticed(batches: str) -> None:
    for training, exact in cases(batches):
        assert exact <= proved(training) + 1e-6
    half = [
        (proved(replace(t, sensitivity=t.sensitivity / 2, apart=t.apart / 2)), exact)
        for t, exact in cases(batches)
        if t.steps < 10
    ]
    assert any(exact > epsilon + 0.01 for epsilon, exact in half)


def test_half_of_the_diameter_and_a_curvature_that_is_not_there_are_noticed() -> None:
    training, exact = sharp()
    assert exact == pytest.approx(295.14, abs=0.5)  # what the search over drifts finds
    assert proved(replace(training, diameter=0.5)) < exact - 50
    told = [
        (replace(t, convexity=0.5 / (t.step_size or 1.0), smoothness=1 / (t.step_size or 1.0)), exact)
        for t, exact in cases("full")
        if t.convexity == 0
    ]
    assert any(exact > proved(training) + 0.1 for training, exact in told)


def test_the_answer_is_the_least_of_what_is_proved_and_of_composition() -> None:
    for training, _ in cases("full")[::7]:
        assert answered(training, DELTA, {"the pack's": theorems}).last == proved(training)


def test_a_convex_loss_that_is_not_smooth_leaks_more_than_the_bound_and_the_account_asks_for_smoothness() -> None:
    """From an outer ledge, on which steps jump from side to side, nothing comes back once it is near the middle.

    F' = u/eta for |u| < .15, u = x - 1/2, and 2 u/eta + .7 s sign(u) beyond: it rises, by a jump at .15. |u| drifts
    outwards by .7 eta s a step; G' = F' - s sign(u) lets it drift inwards.
    """
    eta, v, b, width = 1.0, 0.015, 8.0, 0.15
    s, sigma = b * v**2 / eta, v / eta
    interval = Interval(eta, sigma, (0.0, 0.5 - width, 0.5 + width, 1.0), nodes=130)
    outside = np.concatenate([[True], np.abs(interval.nodes - 0.5) > width, [True]])

    def loss(lift: float) -> Slope:
        return lambda x: np.where(np.abs(x - 0.5) < width, x - 0.5, 2 * (x - 0.5) + lift * np.sign(x - 0.5)) / eta

    masses = []
    for lift in (0.7 * s * eta, -0.3 * s * eta):
        x = np.linspace(0, 1, 2001)
        assert (np.diff(loss(lift)(x)) >= -1e-12).all()  # convex
        law, power = interval.step(loss(lift), np.array([1.0]))[:, 0], interval.step(loss(lift))
        for _ in range(14):
            power = power @ power
        masses.append(float((power @ law)[outside].sum()))
    exact = math.log(masses[0] - DELTA) - math.log(masses[1])
    told = NoisyTraining(1 + 2**14, s, sigma, eta, 1.0)
    assert exact > 45 > proved(replace(told, smoothness=2 / eta)) + 5  # as if it were smooth
    for smoothness in (None, 3 / eta):
        accounts = theorems(replace(told, smoothness=smoothness), DELTA)
        assert [account.epsilon for account in accounts] == [None, None]
        assert all("smooth" in account.lacks for account in accounts)
        assert proved(replace(told, smoothness=smoothness)) > exact


def test_strong_convexity_without_smoothness_is_exceeded_by_losses_that_turn_at_every_step() -> None:
    """F' = Mx with eta M = 2.5, G' = F' + s sign(x), far away: signs alternate, and all differences add up."""
    told = NoisyTraining(5, 1.0, 1.0, step_size=0.5, convexity=1.9)
    powers = 1.5 ** np.arange(5)
    mu = powers.sum() / math.sqrt((powers**2).sum())
    assert published.gaussian_epsilon(mu, DELTA) > proved(replace(told, smoothness=1.9)) + 1
    assert (
        proved(replace(told, smoothness=5.0)) == every_iterate(told, DELTA)[0] >= published.gaussian_epsilon(mu, DELTA)
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"smoothness": None}, "smoothness= is not told"),
        ({"step_size": None}, "step_size= is not told"),
        ({"convexity": -0.1}, "not promised to be convex"),
        ({"smoothness": 10.01}, "step_size=0.2 is above 2/smoothness"),
        ({"diameter": math.inf}, "diameter= is not told"),
    ],
)
def test_a_premise_that_fails_is_named_and_composition_answers(changes: dict[str, float | None], said: str) -> None:
    training = replace(NoisyTraining(500, 0.1, 1.0, 0.2, 1.0, 0.0, 10.0), **changes)  # type: ignore[arg-type]
    found = answered(training, DELTA, {"the pack's": theorems})
    assert found.last == found.every
    assert (found.by, found.saturation) == (None, None)
    assert said in found.accounts[1].lacks


def test_the_curve_is_flat_from_where_it_is_said_to_be() -> None:
    for told in (
        NoisyTraining(1, 0.1, 1.0, 0.2, 1.0, 0.0, 10.0),
        NoisyTraining(1, 0.1, 1.0, 0.2, math.inf, 1.0, 5.0),
        NoisyTraining(1, 0.5, 1.0, 0.2, 1.0, 0.0, 10.0, "cyclic", 5.0),
        NoisyTraining(1, 0.1, 1.0, 0.2, 1.0, 0.0, 10.0, "cyclic", 100.0),
    ):
        found = answered(told, DELTA, {"the pack's": theorems})
        assert found.saturation is not None
        after = [proved(replace(told, steps=factor * found.saturation)) for factor in (1, 10, 1000)]
        assert after == pytest.approx([found.limit] * 3, rel=0.0101)
        assert proved(replace(told, steps=max(1, round(0.9 * found.saturation) - 5))) < 0.99 * found.limit


def test_no_number_of_steps_leaks_more_than_the_limit_of_any() -> None:
    """What `published.cyclic_convex_mu` says, with composition in the place of the common start, rises and falls."""
    told = NoisyTraining(1, 0.1, 1.0, 0.2, 1.0, 0.0, 10.0, "cyclic", 100.0)
    limit = answered(told, DELTA, {"the pack's": theorems}).limit
    curve = [proved(replace(told, steps=100 * epochs)) for epochs in (1, 2, 5, 7, 20, 51, 150, 201, 1000)]
    assert curve == sorted(curve)
    assert curve[-1] <= limit * (1 + 1e-9)
    fallen = [published.cyclic_convex_mu(epochs, 100, 0.1, 0.2, 1.0) for epochs in (7, 51)]
    assert fallen[0] > 1.4 * fallen[1]
    sampled = NoisyTraining(1, 0.1, 1.0, 0.2, 1.0, 0.0, 10.0, "sampled", 100.0, 0.1)
    accounts = [theorems(replace(sampled, steps=steps), DELTA)[1] for steps in (1, 10**6)]
    assert accounts[0].epsilon == accounts[1].epsilon == accounts[1].limit


def test_cyclic_batches_need_no_diameter_and_no_exact_law_exceeds_what_is_proved_from_the_common_start() -> None:
    for training, exact in cases("cyclic"):
        (account,) = theorems(replace(training, diameter=math.inf), DELTA)[1:]
        assert account.limit is None
        assert account.epsilon is not None
        assert exact <= account.epsilon + 1e-6
    told = NoisyTraining(16, 0.4, 0.75, 0.08, math.inf, 0.0, 25.0, "cyclic", 2.0)
    exact = cyclic_convex_loss(8, 2, 0.4, 0.08, 0.75, 1e-3, level=0.4, others=-0.9, bend=0, start=1)
    least = theorems(told, 1e-3)[1].epsilon
    assert least is not None
    assert 0.9 * least < exact < least


def test_what_some_losses_leak_is_below_what_is_proved_and_no_unit_matters() -> None:
    told = NoisyTraining(300, 0.1, 1.0, 0.2, 1.0, 0.0, 10.0)
    found = answered(told, DELTA, {"the pack's": final_model})
    assert found.at_least is not None
    assert (found.at_least.epsilon or 0.0) < found.last < found.every
    scaled = answered(replace(told, step_size=2.0, diameter=10.0, smoothness=1.0), DELTA, {"the pack's": final_model})
    assert scaled.at_least is not None
    assert (scaled.last, scaled.at_least.epsilon) == pytest.approx((found.last, found.at_least.epsilon))
    free = answered(replace(told, diameter=math.inf), DELTA, {"the pack's": final_model})
    assert free.at_least is not None
    assert free.at_least.epsilon == pytest.approx(free.every) == pytest.approx(free.last)
    strong = answered(
        replace(told, diameter=math.inf, convexity=2.0, smoothness=8.0), DELTA, {"the pack's": final_model}
    )
    assert strong.at_least is not None
    assert strong.at_least.epsilon == pytest.approx(strong.last)  # quadratics attain it: eta <= 2/(m + M)


def test_hits_of_a_sampled_record_are_summed_as_one_by_one() -> None:
    k, rate, closed, hit, delta = 50, 0.1, 0.2, 0.5, 1e-6
    epsilon = published._hits_epsilon(k, rate, closed, hit, delta)
    total = sum(
        math.comb(k, j) * rate**j * (1 - rate) ** (k - j)
        * published.gaussian_delta(epsilon, math.sqrt((k - j) * closed**2 + j * (closed + hit) ** 2))
        for j in range(k + 1)
    )  # fmt: skip
    assert total == pytest.approx(delta, rel=1e-4)
    assert total <= delta
    every, _ = published.sampled_convex(10**6, 1.0, 0.1, 0.2, 1.0, delta)
    assert every == pytest.approx(published.gaussian_epsilon(published.convex_mu_least(10**6, 0.1, 0.2, 1.0), delta))
    for one in (1.0, 0.3):  # of rate 1 every step is a hit; fewer ones leak less
        assert published._hits_epsilon(k, one, closed, hit, delta) <= published.gaussian_epsilon(
            math.sqrt(k) * (closed + hit), delta
        ) * (1 + 1e-9)
