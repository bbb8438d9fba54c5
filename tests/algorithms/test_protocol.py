"""Every registered algorithm on small problems of all losses and sets: it runs where its assumptions hold."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, get_args, get_type_hints

import numpy as np
import pytest
import yaml
from helpers.small_problems import LOSSES, at, losses, one_hot, random_problem, sets

import dprepro.algorithms
from dprepro.algorithms import (
    Algorithm,
    ExponentialMechanism,
    ExponentialSupport,
    HighProbability,
    Localization,
    Solution,
)
from dprepro.algorithms.premises import Assumption
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import (
    Box,
    ConstraintSet,
    Domain,
    L2Ball,
    LinearLoss,
    Loss,
    LqBall,
    MarginLoss,
    PositivePartLoss,
    Problem,
    SharpDistance,
    Simplex,
    SquaredLoss,
)
from dprepro.support.typed import build

REGISTERED = sorted((Path(__file__).parent.parent.parent / "conf" / "algorithm").glob("*.yaml"))
QUICK = (SquaredLoss, SharpDistance)  # of all losses on an lq ball, onto which one projection takes 20 ms
RECORDS = 8  # the literal noisy SGD takes n^2 steps
REPLACE, ZERO_OUT, ADD = Neighbours.REPLACE_ONE, Neighbours.ZERO_OUT, Neighbours.ADD_OR_REMOVE_ONE


def registered(path: Path) -> Algorithm:
    """As its YAML has it, but for the number of hit-and-run steps, which are a matter of time."""
    algorithm = build(Algorithm, yaml.safe_load(path.read_text(encoding="utf-8")))
    quick = {"steps": 6, "chains": 2}
    if isinstance(algorithm, ExponentialMechanism):
        return dataclasses.replace(algorithm, **quick)
    if isinstance(algorithm, HighProbability | Localization):
        return dataclasses.replace(algorithm, inner=dataclasses.replace(algorithm.inner, **quick))
    return algorithm


def budget(algorithm: Algorithm, neighbours: Neighbours = REPLACE) -> Budget:
    return Budget(0.9, 0.0 if Assumption.PURE in algorithm.assumed() else 1e-6, neighbours)


# What a loss and a set are, by their numbers and not by what they declare; at p = 3.

S = {True: np.linspace(-3, 3, 6001), False: np.linspace(1e-3, 4, 4000)}
"""Predictions, and distances."""
LABELS = (1.0, -1.0, 0.5)
DIRECTIONS = np.random.default_rng(5).normal(size=(60, 3))


@cache
def slopes(loss: Loss) -> np.ndarray:
    """phi' of predictions and labels, or of distances, shape (labels, s)."""
    return np.array([loss.derivative(S[isinstance(loss, MarginLoss)], label) for label in LABELS])


@cache
def is_margin(loss: Loss) -> bool:
    """A record at x = 0 has no gradient, wherever theta is."""
    return not at(Domain(loss, L2Ball(3), 1), np.zeros((1, 3)), [1], np.ones(1)).gradient(np.full(3, 0.3)).any()


def is_linear(loss: Loss) -> bool:
    return is_margin(loss) and bool(np.ptp(slopes(loss)) == 0)


@cache
def is_smooth(loss: Loss) -> bool:
    """No jump between slopes that lie side by side, nor at the tip of a distance."""
    found = slopes(loss)
    return bool(np.abs(np.diff(found)).max() < 0.05 and (is_margin(loss) or found[0, 0] < 0.05))


def has_constant_bend(loss: Loss) -> bool:
    return bool(np.ptp(np.diff(slopes(loss))) < 1e-9)


@cache
def is_strongly_convex(loss: Loss) -> bool:
    """phi'' and phi'(r)/r are bounded from below."""
    bend, ratio = np.diff(slopes(loss)) / np.diff(S[False])[0], slopes(loss) / S[False]
    return min(bend.min(), ratio.min()) > 0.1


@cache
def touches(within: ConstraintSet) -> np.ndarray:
    """The support function in some directions."""
    return np.array([within.support(direction) for direction in DIRECTIONS])


HOLDS: dict[Assumption, Callable[[Loss, ConstraintSet, Budget], bool]] = {
    Assumption.MARGIN: lambda loss, within, given: is_margin(loss),
    Assumption.SQUARE: lambda loss, within, given: (
        is_margin(loss) and has_constant_bend(loss) and loss.value(0.3, 0.3) == 0 == loss.value(-1, -1)
    ),
    Assumption.SMOOTH: lambda loss, within, given: is_smooth(loss),
    Assumption.CURVED: lambda loss, within, given: is_smooth(loss) and not is_linear(loss),
    Assumption.STRONGLY_CONVEX: lambda loss, within, given: not is_margin(loss) and is_strongly_convex(loss),
    Assumption.SHARED_HESSIAN: lambda loss, within, given: (
        is_linear(loss) if is_margin(loss) else is_smooth(loss) and has_constant_bend(loss)
    ),
    Assumption.MEAN: lambda loss, within, given: (
        is_linear(loss) if is_margin(loss) else bool(np.ptp(slopes(loss) / S[False]) < 1e-9)
    ),
    Assumption.KINK: lambda loss, within, given: (
        is_margin(loss) and not is_smooth(loss) and (psi := loss.rounded()) is not None and is_smooth(psi)
    ),
    Assumption.ALIKE: lambda loss, within, given: np.allclose(
        touches(within), [within.support(direction) for direction in DIRECTIONS[:, ::-1]]
    ),
    Assumption.VERTICES: lambda loss, within, given: (
        len({tuple(within.minimise_linear(direction * [0, 1, 1]).round(9)) for direction in DIRECTIONS})
        < len(DIRECTIONS) / 2
    ),
    Assumption.L2_BALL: lambda loss, within, given: np.allclose(
        touches(within), within.radius * np.linalg.norm(DIRECTIONS, axis=1)
    ),
    Assumption.PRIVATE: lambda loss, within, given: given.epsilon < math.inf,
    Assumption.GAUSSIAN: lambda loss, within, given: given.delta > 0 or given.epsilon == math.inf,
    Assumption.DELTA: lambda loss, within, given: given.delta > 0 and given.epsilon < math.inf,
    Assumption.PURE: lambda loss, within, given: given.delta == 0 and given.epsilon < math.inf,
}
OF_SETS = {Assumption.ALIKE, Assumption.VERTICES, Assumption.L2_BALL}
OF_BUDGETS = {Assumption.PRIVATE, Assumption.GAUSSIAN, Assumption.DELTA, Assumption.PURE}


@cache
def holds(assumption: Assumption, loss: Loss, within: ConstraintSet, given: Budget) -> bool:
    return bool(HOLDS[assumption](loss, within, given))


def run_twice(algorithm: Algorithm, problem: Problem, given: Budget) -> None:
    """One answer: in the set, not better than the best, and equal bits for an equal seed."""
    one, other = (algorithm.solve(problem, given, np.random.default_rng(7)) for _ in range(2))
    first, second = (getattr(found.theta, "chosen", found.theta) for found in (one, other))  # a support by its numbers
    np.testing.assert_array_equal(first, second)
    assert np.isfinite(first).all()
    assert set(one.diagnostics) <= set(algorithm.measures)
    assert one.schedule == algorithm.schedule(problem.domain, given)
    certified = algorithm.privacy_loss(problem.domain, given)
    assert (one.privacy_loss is None) == (certified is None)
    if one.privacy_loss is not None and certified is not None:
        assert one.privacy_loss.epsilon == certified.epsilon
        assert one.privacy_loss.delta <= given.delta
    if problem.domain.proper and isinstance(one.theta, np.ndarray):
        assert problem.constraint_set.contains(one.theta)
        assert problem.excess_risk(one.theta) >= -problem.minimum.gap - 1e-12


def runs_exactly_where_its_assumptions_hold(
    algorithm: Algorithm, kinds: Iterable[Loss], within: Iterable[ConstraintSet], every: int = 1
) -> None:
    """Refused or not on all pairs of a loss and a set, and run on some.

    Beyond its assumptions it may refuse all of them, by what it says of n and p, or none.
    """
    given, beyond = budget(algorithm), set[bool]()
    for first, loss in enumerate(kinds):
        for place, one in enumerate(within, first):
            problem = random_problem(loss, one, n=RECORDS)
            refusal = algorithm.refusal(problem.domain, given)
            assumed = all(holds(assumption, loss, one, given) for assumption in algorithm.assumed())
            assert assumed or refusal, (loss, one)
            beyond |= {bool(refusal)} if assumed else set()
            assert len(beyond) <= 1, (loss, one, refusal)
            if refusal:
                assert refusal.startswith(type(algorithm).__name__)
                assert "\n" not in refusal
                with pytest.raises(InputError, match=type(algorithm).__name__):
                    algorithm.schedule(problem.domain, given)
            elif place % every or algorithm.needs(problem.representations):
                continue
            elif not isinstance(one, LqBall) or isinstance(loss, QUICK):
                run_twice(algorithm, problem, given)


def keeps_to_the_budget(algorithm: Algorithm, kinds: Iterable[Loss], within: Iterable[ConstraintSet]) -> None:
    """At exact constants, under every relation that it accepts; where n is private, nothing but its unit reads n."""
    if any(field.name == "constants" for field in dataclasses.fields(algorithm)):
        algorithm = dataclasses.replace(algorithm, constants="exact")
    elif isinstance(selection := getattr(algorithm, "selection", None), ExponentialSupport):
        # as printed it takes losses for positive: signed ones spend more, and are told so
        algorithm = dataclasses.replace(algorithm, selection=dataclasses.replace(selection, constants="exact"))
    for neighbours in Neighbours:
        given = budget(algorithm, neighbours)
        for loss, one in itertools.product(kinds, within):
            domain = random_problem(loss, one, n=RECORDS).domain
            refusal = algorithm.refusal(domain, given)
            if neighbours not in algorithm.relations:
                assert neighbours in refusal
                assert "reads n" in refusal or neighbours is not ADD
                continue
            if not refusal and (certified := algorithm.privacy_loss(domain, given)) is not None:
                assert certified.epsilon <= given.epsilon * (1 + 1e-9)
                assert certified.delta <= given.delta * (1 + 1e-9)
            else:
                assert refusal or algorithm.privacy_loss(domain, given) is None
            if not refusal and neighbours is ADD:
                few, more = (
                    algorithm.schedule(dataclasses.replace(domain, n=n), given) for n in (RECORDS, 4 * RECORDS)
                )
                assert few.steps == more.steps
                assert few.noise_scale in (pytest.approx(more.noise_scale), pytest.approx(4 * more.noise_scale))


@pytest.mark.parametrize("assumption", Assumption, ids=lambda candidate: candidate.name)
def test_an_assumption_holds_where_the_numbers_of_loss_and_set_say_so(assumption: Assumption) -> None:
    found = set()
    for loss, within in itertools.product(LOSSES.values(), sets(3).values()):
        for given in (Budget(0.9, 1e-6, REPLACE), Budget(0.9, 0.0, REPLACE), Budget(math.inf, 0.0, REPLACE)):
            lacking = assumption.lacks(random_problem(loss, within, n=RECORDS).domain, given)
            assert (not lacking) == holds(assumption, loss, within, given), (loss, within, given)
            assert not lacking or lacking.startswith(f"needs {assumption.value}, got ")
            found.add(bool(lacking))
    assert found == {True, False}


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", REGISTERED, ids=lambda path: path.stem)
def test_it_runs_exactly_where_its_assumptions_hold(path: Path, every: int) -> None:
    """Run on each loss with one set in four, and on each set."""
    turn = REGISTERED.index(path) % len(LOSSES)
    kinds = [*LOSSES.values()][turn:] + [*LOSSES.values()][:turn]
    runs_exactly_where_its_assumptions_hold(registered(path), kinds, sets(3).values(), every)


def test_settings_that_assume_something_are_named_as_they_are_typed() -> None:
    for path in REGISTERED:
        algorithm = registered(path)
        typed = get_type_hints(type(algorithm))
        for name, table in algorithm.by_setting.items():
            assert set(table) <= set(get_args(typed[name])), (path.stem, name)


def test_every_algorithm_that_the_package_exports_has_a_yaml() -> None:
    named = [getattr(dprepro.algorithms, name) for name in dprepro.algorithms.__all__]  # imports them all
    exported = {kind for kind in named if inspect.isclass(kind) and issubclass(kind, Algorithm)}
    assert {one for one in exported if not inspect.isabstract(one)} <= {type(registered(path)) for path in REGISTERED}


@pytest.mark.parametrize("path", REGISTERED, ids=lambda path: path.stem)
def test_it_runs_on_one_hot_counts_where_their_loss_is_covered(path: Path) -> None:
    algorithm, refused = registered(path), set()
    given = budget(algorithm)
    for loss in LOSSES.values():
        if not is_margin(loss):
            continue
        problem = one_hot(loss, n=30, p=3, coordinates=2)
        refusal = algorithm.refusal(problem.domain, given)
        if not all(holds(one, loss, problem.constraint_set, given) for one in algorithm.assumed()):
            assert refusal
        else:
            refused.add(bool(refusal))
            assert len(refused) == 1, (loss, refusal)
        if not refusal and not algorithm.needs(problem.representations):
            run_twice(algorithm, problem, given)


@pytest.mark.parametrize("path", REGISTERED, ids=lambda path: path.stem)
def test_exact_constants_spend_no_more_than_the_budget_under_every_relation_that_is_accepted(path: Path) -> None:
    keeps_to_the_budget(registered(path), LOSSES.values(), sets(3).values())


@pytest.mark.parametrize("path", REGISTERED, ids=lambda path: path.stem)
def test_a_zeroed_out_record_needs_the_declared_share_of_the_noise_of_a_replaced_one(path: Path) -> None:
    """At exact constants, and where T does not depend on the noise; of localisation, which halves C_0, the inner."""
    algorithm = registered(path)
    for change in ({"constants": "exact"}, {"steps": 50}):
        if change.keys() <= {field.name for field in dataclasses.fields(algorithm)}:
            algorithm = dataclasses.replace(algorithm, **change)
    domains = [
        dataclasses.replace(random_problem(LOSSES[loss], sets(3)[within]).domain, n=1e6)
        for within in ("L2Ball", "L1Ball") for loss in ("HalfSquaredDistance", "SquaredLoss")
    ]  # fmt: skip
    accepted = [domain for domain in domains if not algorithm.refusal(domain, budget(algorithm))]
    if not algorithm.promises() or not accepted or set(algorithm.relations) != {REPLACE, ZERO_OUT}:
        return  # n is private, or it does not run at these sizes
    replaced, zeroed = (
        algorithm.schedule(accepted[0], Budget(0.5, 1e-6, neighbours)).noise_scale for neighbours in (REPLACE, ZERO_OUT)
    )
    diameter = accepted[0].gradient_diameter
    shares = {"half": 0.5, "gradient": accepted[0].lipschitz / diameter}
    wanted = shares.get(algorithm.zeroed_out_noise)
    assert zeroed <= replaced
    assert wanted is None or zeroed / replaced == pytest.approx(wanted, rel=1e-5)


@dataclass(frozen=True)
class FourthPower(MarginLoss):
    """phi = r^4/12 for r = |z - y| <= 1, and r^2/2 - 2 r/3 + 1/4 beyond: a newcomer."""

    smoothness: ClassVar[float] = 1.0

    @staticmethod
    def phi(z: Any, y: Any) -> Any:
        r = np.abs(z - y)
        return np.where(r <= 1, r**4 / 12, r**2 / 2 - 2 * r / 3 + 0.25)

    @staticmethod
    def slope(z: Any, y: Any) -> Any:
        r = np.abs(z - y)
        return np.sign(z - y) * np.where(r <= 1, r**3 / 3, r - 2 / 3)


@dataclass(frozen=True)
class HalfBox(Box):
    """{theta : ||theta||_inf <= radius}: another newcomer, of a name of its own."""

    title: ClassVar[str] = "a box of an own name"


@dataclass(frozen=True)
class Forgetful(Algorithm):
    """Answers zero, and asks for a smooth loss: a newcomer that says of itself what is not so under ``wrong``."""

    assumptions: ClassVar[tuple[Assumption, ...]] = (Assumption.SMOOTH,)
    deterministic: ClassVar[bool] = True

    wrong: bool = False

    def premise(self, domain: Domain, budget: Budget) -> str:
        return "takes no margins" if self.wrong and isinstance(domain.loss, MarginLoss) else ""

    def solve(self, problem: Problem, budget: Budget, rng: np.random.Generator) -> Solution:
        return Solution(problem.constraint_set.start(), self.schedule(problem.domain, budget), None)


def test_a_loss_and_a_set_that_are_new_are_in_every_test_with_no_list_of_them() -> None:
    new, within = losses(__name__), sets(3, __name__)  # no others: which tests this process has imported is chance
    assert set(new) == {"FourthPower"}
    assert set(within) == {"HalfBox"}
    assert not {*new, *within} & {*LOSSES, *sets(3)}
    for path in REGISTERED:
        runs_exactly_where_its_assumptions_hold(registered(path), new.values(), sets(3).values(), 4)
        runs_exactly_where_its_assumptions_hold(registered(path), [SquaredLoss(), *new.values()], within.values(), 2)
        keeps_to_the_budget(registered(path), new.values(), within.values())


def test_an_algorithm_that_is_new_is_tested_by_what_it_declares() -> None:
    for test in (runs_exactly_where_its_assumptions_hold, keeps_to_the_budget):
        test(Forgetful(), LOSSES.values(), sets(3).values())
    with pytest.raises(AssertionError, match="takes no margins"):
        runs_exactly_where_its_assumptions_hold(Forgetful(wrong=True), LOSSES.values(), sets(3).values())


def test_in_one_dimension_the_huberised_hinge_runs_on_every_interval_and_nothing_else_does() -> None:
    path = next(one for one in REGISTERED if one.stem == "huberised_objective_perturbation")
    algorithm = registered(path)
    for loss in LOSSES.values():
        for within in sets(1).values():
            problem = random_problem(loss, within, n=RECORDS)
            refusal = algorithm.refusal(problem.domain, budget(algorithm))
            assert (not refusal) == isinstance(loss, PositivePartLoss), refusal
            if not refusal:
                for neighbours in Neighbours:
                    run_twice(algorithm, problem, budget(algorithm, neighbours))


def test_words_are_answered_on_every_set_that_holds_them() -> None:
    path = next(one for one in REGISTERED if one.stem == "codeword_response")
    algorithm, few = registered(path), 2  # at p = 4 there are four words
    for radius, fits in ((1.0, {"L2Ball", "Box"}), (2.0, {"L2Ball", "Box", "L1Ball", "LqBall", "SpikedBall"})):
        for name, within in sets(4).items():
            inner = {"ball": radius / 2} if name == "SpikedBall" else {}
            problem = random_problem(LinearLoss(), dataclasses.replace(within, radius=radius, **inner), n=few)
            refusal = algorithm.refusal(problem.domain, budget(algorithm))
            assert (not refusal) == (name in fits), (name, radius, refusal)
            if not refusal:
                run_twice(algorithm, problem, budget(algorithm))


def test_without_privacy_a_linear_loss_has_no_step_and_a_curved_one_has() -> None:
    algorithm = registered(next(path for path in REGISTERED if path.stem == "noisy_gd"))
    free = Budget(math.inf, 0.0, REPLACE)
    linear, squared = (random_problem(loss, L2Ball(3), n=RECORDS) for loss in (LinearLoss(), SquaredLoss()))
    assert "got LinearLoss, which is linear" in algorithm.refusal(linear.domain, free)
    assert algorithm.privacy_loss(squared.domain, free) is None
    run_twice(algorithm, squared, free)


def test_a_walk_that_cannot_forget_its_start_is_refused_with_that_reason() -> None:
    long = ExponentialMechanism(steps=40)
    hinge = Domain(LOSSES["HingeLoss"], L2Ball(21), 100)
    assert "hit-and-run forgets its start in about p^2 steps" in long.refusal(hinge, budget(long))
    assert not long.refusal(dataclasses.replace(hinge, constraint_set=L2Ball(20)), budget(long))
    assert not long.refusal(dataclasses.replace(hinge, loss=LinearLoss()), budget(long))  # its law is known at any p
    exact = ExponentialMechanism(sampler="exact")
    assert "choices for sampler: automatic, hit_and_run" in exact.refusal(hinge, budget(long))
    assert "more than one point" in long.refusal(Domain(LinearLoss(), Simplex(1), 10), budget(long))
