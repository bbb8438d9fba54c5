"""The noise that is drawn is counted on every path that an algorithm can take, and half of it shows.

Statistics are judged in standard errors of the chi-square law that their degrees of freedom stand for: a correct
program fails in one of 10^5 choices of the fixed seeds at most, over all cases.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dprepro.algorithms import (
    Algorithm,
    ExponentialMechanism,
    FullGradient,
    GaussianFrankWolfe,
    HuberisedObjectivePerturbation,
    JohnsonLindenstrauss,
    Localization,
    NoisyFrankWolfe,
    NoisyGD,
    NoisySGD,
    ObjectivePerturbation,
    OutputPerturbation,
    RegularisedOutputPerturbation,
    ReleasedMarginals,
    SignedCounts,
)
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import (
    Construction,
    DirectionRegression,
    HuberCounterexample,
    LinearSlope,
    OneHotFamily,
    OnePlace,
    OneWayMarginals,
    RandomDesign,
    SignedLabels,
    TunedNeedle,
)
from dprepro.mechanisms import NoiseMoments
from dprepro.mechanisms.noise_moments import least_gumbel, least_laplace, least_normal, raw_moments
from dprepro.problems import derived_representations
from dprepro.reductions import REDUCTIONS, choose, solver

STANDARD_ERRORS = 6.0
POINT = {"n": 2e4, "p": 40.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}

ALL_DIRECTIONS = OneHotFamily()
ONE_WITH_TAIL = OneHotFamily(coordinates=1, tail=-1, mass=0.5)
TIP = OnePlace(loss="sharp_distance")

# algorithm, data, changes of the grid point, runs: every reduction that serves the pair is tried, and the literal one
CASES: dict[str, tuple[Algorithm, Construction, dict[str, float], int]] = {
    "gumbel_needle": (NoisyFrankWolfe(), TunedNeedle(), {"n": 1e5}, 1),
    "laplace_needle": (NoisyFrankWolfe(selection="laplace"), TunedNeedle(), {"n": 1e5}, 1),
    "gumbel_design": (NoisyFrankWolfe(), RandomDesign(), {}, 6),
    "laplace_design": (NoisyFrankWolfe(selection="laplace"), RandomDesign(), {}, 6),
    "gaussian_l1": (GaussianFrankWolfe(), DirectionRegression(within="l1_ball"), {"n": 1e5}, 2),
    "gaussian_simplex": (GaussianFrankWolfe(), DirectionRegression(within="simplex"), {"n": 1e5}, 2),
    "gaussian_l2": (GaussianFrankWolfe(), DirectionRegression(), {"n": 1e5}, 2),
    "descent_one_hot": (NoisyGD(), ALL_DIRECTIONS, {"n": 3e3}, 2),
    "descent_tail": (NoisyGD(), ONE_WITH_TAIL, {"n": 3e3}, 2),
    "sketched": (JohnsonLindenstrauss(), ONE_WITH_TAIL, {"n": 3e3, "p": 300.0}, 1),
    "full_gradient": (NoisySGD(gradient=FullGradient()), OneWayMarginals(), {}, 2),
    "sampled": (NoisySGD(), OneWayMarginals(), {"n": 60.0}, 2),
    "about_a_place": (NoisySGD(gradient=FullGradient()), OnePlace(), {}, 2),
    "perturbed_gaussian": (ObjectivePerturbation(), LinearSlope(), {}, 60),
    "perturbed_gamma": (ObjectivePerturbation(noise="gamma"), LinearSlope(), {"delta": 0.0}, 60),
    "perturbed_logistic": (ObjectivePerturbation(), RandomDesign(), {}, 20),
    "output_laplace": (OutputPerturbation(), TIP, {"delta": 0.0}, 60),
    "output_gaussian": (OutputPerturbation(noise="gaussian"), TIP, {}, 60),
    "localised": (Localization(), TIP, {"delta": 0.0, "n": 1e6}, 60),
    "regularised": (RegularisedOutputPerturbation(), ALL_DIRECTIONS, {}, 60),
    "marginals_gaussian": (ReleasedMarginals(), OneWayMarginals(), {}, 60),
    "marginals_laplace": (ReleasedMarginals(release="laplace"), OneWayMarginals(), {"delta": 0.0}, 60),
    "counts": (SignedCounts(), SignedLabels(), {"epsilon": 0.1, "delta": 0.0}, 20),
    "linear_exponential": (ExponentialMechanism(), OneWayMarginals(), {"delta": 0.0}, 200),
    "radial_exponential": (ExponentialMechanism(), OnePlace(), {"delta": 0.0}, 200),
    "walk": (
        ExponentialMechanism(sampler="hit_and_run", steps=100, chains=1), OneWayMarginals(),
        {"delta": 0.0, "n": 500.0, "p": 3.0}, 100,
    ),
    "huberised": (HuberisedObjectivePerturbation(), HuberCounterexample(), {"p": 1.0}, 400),
}  # fmt: skip


def paths() -> list[tuple[str, str]]:
    found = []
    for name, (algorithm, construction, changes, _) in CASES.items():
        domain, representations, _ = setting(algorithm, construction, {**POINT, **changes})
        for how in ("literal", *REDUCTIONS):
            try:
                choose(how, algorithm, domain, representations, name)
            except Exception:
                continue
            found.append((name, how))
    return found


def setting(algorithm: Algorithm, construction: Construction, point: dict[str, float]) -> tuple[Any, Any, Budget]:
    relation = Neighbours.REPLACE_ONE if Neighbours.REPLACE_ONE in algorithm.relations else Neighbours.ADD_OR_REMOVE_ONE
    domain = construction.domain(point)
    return (
        domain,
        derived_representations(domain, construction.representations(point)),
        Budget(point["epsilon"], point["delta"], relation),
    )


def ratio(name: str, how: str, runs: int = 0) -> tuple[float, float]:
    """The second moment that was drawn over the schedule's, and its degrees of freedom."""
    algorithm, construction, changes, usual = CASES[name]
    point = {**POINT, **changes}
    domain, _, budget = setting(algorithm, construction, point)
    scale = algorithm.schedule(domain, budget).noise_scale
    rng, total = np.random.default_rng(20), NoiseMoments()
    problem = construction.draw(point, scale, rng)
    for _ in range(runs or usual):
        drawn = solver(how, algorithm).solve(problem, budget, rng).noise
        assert drawn is not None
        total += drawn
    return total.ratio(scale), total.freedom


@pytest.mark.parametrize(("name", "how"), paths())
def test_what_is_drawn_has_the_second_moment_of_the_schedules_noise(name: str, how: str) -> None:
    found, freedom = ratio(name, how)
    assert freedom > 300
    assert abs(found - 1) < STANDARD_ERRORS * math.sqrt(2 / freedom)


def test_every_reduction_of_a_private_algorithm_is_among_the_paths() -> None:
    # the support that is best without privacy is found without noise, or by the exponential mechanism's own law
    without = {"batched_perturbation", "separable_supports"}
    assert {how for _, how in paths()} == {"literal", *REDUCTIONS} - without


def test_the_squares_of_normals_are_chi_square_with_as_many_degrees_of_freedom() -> None:
    assert NoiseMoments.normal(5.0, 7.0).freedom == 7.0


def test_the_least_of_many_draws_has_the_moments_of_the_least_of_an_array() -> None:
    rng = np.random.default_rng(3)
    laws = {
        least_laplace: rng.laplace(size=(40_000, 7)),
        least_normal: rng.standard_normal((40_000, 7)),
        least_gumbel: np.log(rng.standard_exponential((40_000, 7))),
    }
    for least, draws in laws.items():
        for count in (1, 7):
            squares = draws[:, :count].min(axis=1) ** 2
            second, fourth = raw_moments(least, float(count))
            for moment, values in ((second, squares), (fourth, squares**2)):
                assert abs(values.mean() - moment) < STANDARD_ERRORS * values.std() / math.sqrt(len(values))


@pytest.mark.parametrize(
    ("module", "name", "case", "how"),
    [
        ("dprepro.reductions.few_steps_reductions", "_FewSteps", "descent_one_hot", "few_steps"),
        ("dprepro.reductions.frank_wolfe_reductions", "_Vertices", "gumbel_needle", "grouped_vertices"),
        ("dprepro.reductions.frank_wolfe_reductions", "_Vertices", "gumbel_design", "incremental_gradients"),
        ("dprepro.reductions.frank_wolfe_reductions", "_Vertices", "laplace_design", "incremental_gradients"),
    ],
)
def test_a_reduction_that_draws_half_of_the_noise_is_noticed(
    monkeypatch: pytest.MonkeyPatch, module: str, name: str, case: str, how: str
) -> None:
    import importlib

    kind = getattr(importlib.import_module(module), name)
    place, method = (2, "_few") if name == "_FewSteps" else (1, "_plan")
    honest = getattr(kind, method)

    def halved(self: object, *given: object) -> tuple[object, ...]:
        plan = list(honest(self, *given))
        plan[place] = 0.5 * plan[place]
        return tuple(plan)

    monkeypatch.setattr(kind, method, halved)
    found, _ = ratio(case, how)
    assert found == pytest.approx(0.25, abs=0.15)


@pytest.mark.parametrize("case", ["gumbel_needle", "gumbel_design", "descent_one_hot"])
def test_a_run_without_noise_has_drawn_none_of_it(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    from dprepro.reductions.few_steps_reductions import _FewSteps
    from dprepro.reductions.frank_wolfe_reductions import _Vertices

    plan, few = _Vertices._plan, _FewSteps._few
    monkeypatch.setattr(_Vertices, "_plan", lambda *given: (plan(*given)[0], 0.0, *plan(*given)[2:]))
    monkeypatch.setattr(_FewSteps, "_few", lambda *given: (*few(*given)[:2], 0.0))
    how = {"gumbel_needle": "grouped_vertices", "gumbel_design": "incremental_gradients"}.get(case, "few_steps")
    found, freedom = ratio(case, how, runs=1)
    assert found == 0
    assert freedom > 10
