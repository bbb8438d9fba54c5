"""Every registered algorithm on small problems of all losses and sets: it runs literally, or its refusal is true."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from helpers.small_problems import LOSSES, one_hot, random_problem, sets

from dprepro.algorithms import Algorithm, ExponentialMechanism, ExponentialSupport, HighProbability, Localization
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import (
    Domain,
    L2Ball,
    LinearLoss,
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


def smooth(domain: Domain, budget: Budget) -> bool:
    return type(domain.loss).__name__ in {
        "SquaredLoss", "HalfSquaredLoss", "LinearLoss", "LogisticLoss", "HuberLoss", "HalfSquaredDistance",
    }  # fmt: skip


def curved(domain: Domain, budget: Budget) -> bool:
    return smooth(domain, budget) and not isinstance(domain.loss, LinearLoss)


def strongly_convex(domain: Domain, budget: Budget) -> bool:
    return type(domain.loss).__name__ in {"HalfSquaredDistance", "SharpDistance"}


def margin(domain: Domain, budget: Budget) -> bool:
    return isinstance(domain.loss, MarginLoss)


def always(domain: Domain, budget: Budget) -> bool:
    return True


def never(domain: Domain, budget: Budget) -> bool:
    return False


def polytope(domain: Domain, budget: Budget) -> bool:
    return type(domain.constraint_set).__name__ in {"L1Ball", "Simplex", "Box"}


def square(domain: Domain) -> bool:
    return type(domain.loss).__name__ in {"SquaredLoss", "HalfSquaredLoss"}


def alike(domain: Domain) -> bool:
    """The set is the same in all coordinates."""
    return type(domain.constraint_set).__name__ != "SpikedBall"


#: What the theorem behind each registered algorithm asks of a problem with records, at p = 3 and delta > 0 (for gamma
#: noise delta = 0), said once more and without looking at the code.
COVERED: dict[str, Callable[[Domain, Budget], bool]] = {
    "codeword_response": never,  # p = 3 has no code
    "confidence_boosting": lambda domain, budget: margin(domain, budget) and curved(domain, budget),
    "constant_prediction": margin,
    "data_free": always,
    "efficient_sampler": never,  # at p = 3 the printed walks are too long
    "exact_minimiser": always,
    "exponential_mechanism": always,
    "exponential_support": lambda domain, budget: margin(domain, budget) and alike(domain),
    "frank_wolfe": smooth,
    "gaussian_frank_wolfe": smooth,
    "grid_search": lambda domain, budget: margin(domain, budget) and curved(domain, budget),
    "high_probability": always,
    "huberised": lambda domain, budget: margin(domain, budget) and not smooth(domain, budget),
    "huberised_objective_perturbation": never,  # in one dimension
    "johnson_lindenstrauss": lambda domain, budget: margin(domain, budget) and curved(domain, budget),
    "localization": lambda domain, budget: (
        strongly_convex(domain, budget) and isinstance(domain.constraint_set, L2Ball)
    ),
    "noisy_frank_wolfe": lambda domain, budget: smooth(domain, budget) and polytope(domain, budget),
    "noisy_gd": smooth,
    "noisy_sgd": always,
    "noisy_sgd_full": always,
    "objective_perturbation": lambda domain, budget: margin(domain, budget) and smooth(domain, budget),
    "output_perturbation": strongly_convex,
    "penalised_least_squares": lambda domain, budget: square(domain),
    "regularised_output_perturbation": curved,
    "regularised_output_perturbation_lipschitz": always,
    "regularised_release": always,
    "released_marginals": lambda domain, budget: type(domain.loss).__name__ in {"LinearLoss", "HalfSquaredDistance"},
    "sample_and_aggregate": lambda domain, budget: square(domain) and alike(domain),
    "signed_counts": curved,
    "sparse_regression": lambda domain, budget: square(domain) and alike(domain),
    "sparse_regression_exponential": lambda domain, budget: (
        margin(domain, budget) and smooth(domain, budget) and alike(domain)
    ),
    "strongly_convex_perturbation": lambda domain, budget: type(domain.loss).__name__ == "HalfSquaredDistance",
    "sufficient_statistics": lambda domain, budget: square(domain),
}
COVERED |= {
    "noisy_frank_wolfe_exact": COVERED["noisy_frank_wolfe"],
    "noisy_frank_wolfe_laplace": COVERED["noisy_frank_wolfe"],
    "objective_perturbation_gamma": COVERED["objective_perturbation"],
    "output_perturbation_gaussian": COVERED["output_perturbation"],
}
PRIVATE_N = {
    "data_free", "exact_minimiser", "exponential_mechanism", "exponential_support", "frank_wolfe",
    "penalised_least_squares", "sparse_regression_exponential", "huberised_objective_perturbation",
    "objective_perturbation", "objective_perturbation_gamma",
}  # fmt: skip

WITHOUT_HALF = {
    "codeword_response", "confidence_boosting", "efficient_sampler", "grid_search",  # do not run at its sizes
    "constant_prediction",  # a zeroed-out record keeps its label
    "high_probability",  # runs at printed constants
    "huberised",  # a loss with a kink, in units of a width that both relations share
    "noisy_sgd",  # a random number of uses
    "regularised_release",  # its weight follows the sensitivity too
    "sample_and_aggregate", "sparse_regression",  # one block moves wholly
    "strongly_convex_perturbation",  # has no certificate for silent records
    "sufficient_statistics",  # two replaced records need not move products x x^T twice as far as one
}  # fmt: skip
"""Whose noise a silent record does not halve, and why."""


def budget(name: str, neighbours: Neighbours = REPLACE) -> Budget:
    return Budget(0.9, 0.0 if name == "objective_perturbation_gamma" else 1e-6, neighbours)


def covered(name: str, domain: Domain, given: Budget) -> bool | None:
    """What the table says; None of an algorithm that joined later, whose own word is taken."""
    return COVERED[name](domain, given) if name in COVERED else None


def run_twice(algorithm: Algorithm, problem: Problem, given: Budget) -> None:
    """One answer: in the set, not better than the best, and equal bits for an equal seed."""
    one, other = (algorithm.solve(problem, given, np.random.default_rng(7)) for _ in range(2))
    first, second = (getattr(found.theta, "chosen", found.theta) for found in (one, other))  # a support by its numbers
    np.testing.assert_array_equal(first, second)
    assert np.isfinite(first).all()
    assert set(one.diagnostics) <= set(algorithm.measures)
    assert one.schedule == algorithm.schedule(problem.domain, given)
    certified = algorithm.spent(problem.domain, given)
    assert (one.spent is None) == (certified is None)
    if one.spent is not None and certified is not None:
        assert one.spent.epsilon == certified.epsilon
        assert one.spent.delta <= given.delta
    if problem.domain.proper and isinstance(one.theta, np.ndarray):
        assert problem.constraint_set.contains(one.theta)
        assert problem.excess_risk(one.theta) >= -problem.minimum.gap - 1e-12


def test_the_table_of_theorems_names_registered_algorithms_of_the_four_papers() -> None:
    assert set(COVERED) <= {path.stem for path in REGISTERED}
    assert len(COVERED) >= 37


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", REGISTERED, ids=lambda path: path.stem)
def test_it_runs_exactly_where_its_theorem_covers_the_problem(path: Path, every: int) -> None:
    """Refused or not on all pairs of a loss and a set; run on each loss with one set in four, and on each set."""
    algorithm, given = registered(path), budget(path.stem)
    for first, loss in enumerate(LOSSES.values(), REGISTERED.index(path)):
        for place, within in enumerate(sets(3).values(), first):
            problem = random_problem(loss, within, n=RECORDS)
            refusal = algorithm.refusal(problem.domain, given)
            assert covered(path.stem, problem.domain, given) in (None, not refusal), (loss, within, refusal)
            if refusal:
                assert refusal.startswith(type(algorithm).__name__)
                assert "\n" not in refusal
                with pytest.raises(InputError, match=type(algorithm).__name__):
                    algorithm.schedule(problem.domain, given)
            elif place % every or algorithm.needs(problem.views):
                continue
            elif not isinstance(within, LqBall) or isinstance(loss, QUICK):
                run_twice(algorithm, problem, given)


@pytest.mark.parametrize("path", REGISTERED, ids=lambda path: path.stem)
def test_it_runs_on_one_hot_counts_where_their_loss_is_covered(path: Path) -> None:
    algorithm, given = registered(path), budget(path.stem)
    for name in ("SquaredLoss", "HalfSquaredLoss", "HuberLoss", "AbsoluteLoss", "LogisticLoss"):
        problem = one_hot(LOSSES[name], n=30, p=3, coordinates=2)
        refusal = algorithm.refusal(problem.domain, given)
        assert covered(path.stem, problem.domain, given) in (None, not refusal), (name, refusal)
        if not refusal and not algorithm.needs(problem.views):
            run_twice(algorithm, problem, given)


@pytest.mark.parametrize("path", REGISTERED, ids=lambda path: path.stem)
def test_exact_constants_spend_no_more_than_the_budget_under_every_relation_that_is_accepted(path: Path) -> None:
    algorithm = registered(path)
    if any(field.name == "constants" for field in dataclasses.fields(algorithm)):
        algorithm = dataclasses.replace(algorithm, constants="exact")
    elif isinstance(selection := getattr(algorithm, "selection", None), ExponentialSupport):
        # as printed it takes losses for positive: signed ones spend more, and are told so
        algorithm = dataclasses.replace(algorithm, selection=dataclasses.replace(selection, constants="exact"))
    accepted = {ADD, ZERO_OUT, REPLACE} if path.stem in PRIVATE_N else {ZERO_OUT, REPLACE}
    accepted = {REPLACE} if path.stem == "strongly_convex_perturbation" else accepted
    accepted = accepted if path.stem in COVERED else set(algorithm.relations)
    assert set(algorithm.relations) == accepted
    for neighbours in Neighbours:
        given = budget(path.stem, neighbours)
        for loss in LOSSES.values():
            for within in sets(3).values():
                domain = random_problem(loss, within, n=RECORDS).domain
                refusal = algorithm.refusal(domain, given)
                if neighbours not in accepted:
                    assert neighbours in refusal
                    assert "reads n" in refusal or neighbours is not ADD
                elif not refusal and (certified := algorithm.spent(domain, given)) is not None:
                    assert certified.epsilon <= given.epsilon * (1 + 1e-9)
                    assert certified.delta <= given.delta * (1 + 1e-9)
                else:
                    assert refusal or algorithm.spent(domain, given) is None


def noise(algorithm: Algorithm, neighbours: Neighbours, domain: Domain, delta: float) -> float:
    return algorithm.schedule(domain, Budget(0.5, delta, neighbours)).noise_scale


BY_DIAMETER = {"gaussian_frank_wolfe", "localization", "noisy_sgd_full", "output_perturbation",
               "output_perturbation_gaussian"}  # fmt: skip
"""Their noise is for what two records' gradients differ by: on half the squared distance no more than one's norm."""


@pytest.mark.parametrize("name", sorted(set(COVERED) - PRIVATE_N - WITHOUT_HALF))
def test_a_silent_record_needs_half_the_noise_of_a_replaced_one(name: str) -> None:
    """At exact constants, and where T does not depend on the noise; of localisation, which halves C_0, the inner."""
    algorithm = registered(next(path for path in REGISTERED if path.stem == name))
    for change in ({"constants": "exact"}, {"steps": 50}):
        if change.keys() <= {field.name for field in dataclasses.fields(algorithm)}:
            algorithm = dataclasses.replace(algorithm, **change)
    geometry = sets(3)["L1Ball" if "frank" in name else "L2Ball"]
    domains = [random_problem(LOSSES[one], geometry).domain for one in ("HalfSquaredDistance", "SquaredLoss")]
    domain = dataclasses.replace(next(one for one in domains if COVERED[name](one, budget(name))), n=1e6)
    replaced, silenced = (noise(algorithm, one, domain, 1e-6) for one in (REPLACE, ZERO_OUT))
    differ = domain.gradient_diameter if name in BY_DIAMETER else 2 * domain.lipschitz
    assert silenced / replaced == pytest.approx(domain.lipschitz / differ, rel=1e-5)


def test_in_one_dimension_the_huberised_hinge_runs_on_every_interval_and_nothing_else_does() -> None:
    path = next(one for one in REGISTERED if one.stem == "huberised_objective_perturbation")
    algorithm = registered(path)
    for loss in LOSSES.values():
        for within in sets(1).values():
            problem = random_problem(loss, within, n=RECORDS)
            refusal = algorithm.refusal(problem.domain, budget(path.stem))
            assert (not refusal) == isinstance(loss, PositivePartLoss), refusal
            if not refusal:
                for neighbours in Neighbours:
                    run_twice(algorithm, problem, budget(path.stem, neighbours))


def test_words_are_answered_on_every_set_that_holds_them() -> None:
    path = next(one for one in REGISTERED if one.stem == "codeword_response")
    algorithm, few = registered(path), 2  # at p = 4 there are four words
    for radius, fits in ((1.0, {"L2Ball", "Box"}), (2.0, {"L2Ball", "Box", "L1Ball", "LqBall", "SpikedBall"})):
        for name, within in sets(4).items():
            inner = {"ball": radius / 2} if name == "SpikedBall" else {}
            problem = random_problem(LinearLoss(), dataclasses.replace(within, radius=radius, **inner), n=few)
            refusal = algorithm.refusal(problem.domain, budget(path.stem))
            assert (not refusal) == (name in fits), (name, radius, refusal)
            if not refusal:
                run_twice(algorithm, problem, budget(path.stem))


def test_without_privacy_a_linear_loss_has_no_step_and_a_curved_one_has() -> None:
    algorithm = registered(next(path for path in REGISTERED if path.stem == "noisy_gd"))
    free = Budget(math.inf, 0.0, REPLACE)
    linear, squared = (random_problem(loss, L2Ball(3), n=RECORDS) for loss in (LinearLoss(), SquaredLoss()))
    assert "LinearLoss is linear" in algorithm.refusal(linear.domain, free)
    assert algorithm.spent(squared.domain, free) is None
    run_twice(algorithm, squared, free)


def test_a_walk_that_cannot_forget_its_start_is_refused_with_that_reason() -> None:
    long = ExponentialMechanism(steps=40)
    hinge = Domain(LOSSES["HingeLoss"], L2Ball(21), 100)
    assert "hit-and-run forgets its start in about p^2 steps" in long.refusal(hinge, budget(""))
    assert not long.refusal(dataclasses.replace(hinge, constraint_set=L2Ball(20)), budget(""))
    assert not long.refusal(dataclasses.replace(hinge, loss=LinearLoss()), budget(""))  # its law is known at any p
    exact = ExponentialMechanism(sampler="exact")
    assert "choices for sampler: automatic, hit_and_run" in exact.refusal(hinge, budget(""))
    assert "more than one point" in long.refusal(Domain(LinearLoss(), Simplex(1), 10), budget(""))
