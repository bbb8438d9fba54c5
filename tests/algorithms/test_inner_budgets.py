"""What composed algorithms give their inner ones: the calls of a run are recorded, and held against numbers by hand.

No test rests on a draw: which numbers come out does not matter, only what was asked for.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import pytest
from helpers.small_problems import at, lasso, one_hot, random_problem, unit_ball

from dprepro.algorithms import (
    Algorithm,
    ConfidenceBoosting,
    CorrectedRegulariser,
    ExponentialMechanism,
    ExponentialSupport,
    FullGradient,
    GridSearch,
    HighProbability,
    Huberised,
    HuberisedObjectivePerturbation,
    JohnsonLindenstrauss,
    Localization,
    NoisyGD,
    NoisySGD,
    ObjectivePerturbation,
    OutputPerturbation,
    PrintedRegulariser,
    RegularisedOutputPerturbation,
    RegularisedRelease,
    SampleAndAggregate,
    SparseRegression,
    StronglyConvexPerturbation,
)
from dprepro.algorithms.exponential_support import SupportSelection
from dprepro.budget import Budget, Neighbours
from dprepro.mechanisms import BoundedRange, GumbelMin, LaplaceMin, NoiseMoments
from dprepro.privacy import compose
from dprepro.problems import (
    AbsoluteLoss,
    Box,
    Domain,
    HalfSquaredDistance,
    HalfSquaredLoss,
    L2Ball,
    LocalBall,
    OneHotView,
    PositivePartLoss,
    Problem,
    RecordsView,
    SquaredLoss,
)

REPLACE = Neighbours.REPLACE_ONE
BUDGET, PURE = Budget(0.8, 1e-5, REPLACE), Budget(0.8, 0.0, REPLACE)


@dataclass
class Call:
    """One call of an algorithm's ``solve``, or of a selection's ``support``."""

    by: Algorithm
    problem: Problem
    budget: Budget
    theta: np.ndarray

    @property
    def domain(self) -> Domain:
        return self.problem.domain


def calls(
    monkeypatch: pytest.MonkeyPatch, algorithm: Algorithm, problem: Problem, budget: Budget, *kinds: type[Algorithm]
) -> list[Call]:
    """Those of these classes in one run, in order of their ends."""
    found: list[Call] = []
    with monkeypatch.context() as patch:
        for kind in dict.fromkeys(kinds):
            name = "support" if issubclass(kind, SupportSelection) else "solve"
            method = getattr(kind, name)

            def spy(self, problem, budget, rng, method=method):  # type: ignore[no-untyped-def]
                answer = method(self, problem, budget, rng)
                found.append(Call(self, problem, budget, getattr(answer, "theta", answer)))
                return answer

            patch.setattr(kind, name, spy)
        algorithm.solve(problem, budget, np.random.default_rng(0))
    return found


def cost(parts: object, delta: float) -> float:
    return compose(parts, delta).epsilon  # type: ignore[arg-type]


SGD = NoisySGD(FullGradient(), constants="exact", steps=3)


@pytest.mark.parametrize("inner", [SGD, OutputPerturbation(noise="gaussian"), ExponentialMechanism(steps=8, chains=1)])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_localisation_gives_half_of_the_budget_to_both_and_the_second_the_ball_about_the_first(
    noise: str, inner: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C_0 has radius 3 ln(n) p 2 L/(Delta n epsilon/2), or sqrt(3 ln(n) p) sigma_0 at (epsilon/2, delta/2)."""
    problem, half = random_problem(HalfSquaredDistance(), L2Ball(3), n=40), Budget(0.4, 5e-6, REPLACE)
    algorithm = Localization(inner, noise=noise)
    first, second = calls(monkeypatch, algorithm, problem, BUDGET, OutputPerturbation, type(inner))
    assert (first.by, first.budget, first.domain) == (algorithm.outer, half, problem.domain)
    assert (second.by, second.budget, second.domain.n) == (inner, half, 40)
    ball, lipschitz = second.domain.constraint_set, problem.domain.lipschitz
    assert isinstance(ball, LocalBall)
    np.testing.assert_array_equal(ball.centre, first.theta)
    scale = 2 * lipschitz / (1.0 * 40 * 0.4) * (1.0 if noise == "laplace" else math.sqrt(math.log(2e5)))
    reach = 3 * math.log(40) * 3 * scale if noise == "laplace" else math.sqrt(3 * math.log(40) * 3) * scale
    assert ball.reach == pytest.approx(reach, rel=1e-12)
    assert algorithm.schedule(problem.domain, BUDGET) == inner.schedule(second.domain, half)
    together = [*algorithm.outer.parts(first.domain, half), *inner.parts(second.domain, half)]
    assert algorithm.privacy_loss(problem.domain, BUDGET).epsilon == pytest.approx(cost(together, 1e-5), rel=1e-9)


@pytest.mark.parametrize("shares", ["printed", "halved"])
def test_repeated_runs_have_a_kth_of_the_runs_budget_each_and_the_choice_as_much_as_all_of_them(
    shares: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, inner = random_problem(HalfSquaredDistance(), L2Ball(3), n=40), RegularisedRelease("gaussian")
    algorithm = HighProbability(inner, failure=0.2, shares=shares)  # k = ceil(log2 10) = 4
    found = calls(monkeypatch, algorithm, problem, BUDGET, RegularisedRelease)
    all_runs = 0.8 if shares == "printed" else 0.4
    assert [one.budget for one in found] == [Budget(all_runs / 4, 1e-5 / 4, REPLACE)] * 4
    schedule = algorithm.schedule(problem.domain, BUDGET)
    inside = inner.schedule(problem.domain, found[0].budget)
    assert (schedule.steps, schedule.noise_scale) == (4 * inside.steps, inside.noise_scale)
    swing = problem.domain.lipschitz * problem.domain.diameter / 40
    assert schedule.selection_scale == pytest.approx(2 * swing / all_runs)
    together = [(part, 4 * uses) for part, uses in inner.parts(problem.domain, found[0].budget)]
    together.append((BoundedRange(2 * swing / schedule.selection_scale), 1))
    assert algorithm.privacy_loss(problem.domain, BUDGET).epsilon == pytest.approx(cost(together, 1e-5), rel=1e-9)


def test_of_repeated_runs_the_chosen_one_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice is handed the runs' own risks, in their order, and its word is what counts."""
    problem, inner = random_problem(HalfSquaredDistance(), L2Ball(3), n=40), RegularisedRelease("gaussian")
    seen: list[np.ndarray] = []
    monkeypatch.setattr(
        GumbelMin, "select", lambda self, scores, rng: seen.append(scores) or (2, NoiseMoments(0.0, 1.0, 1.0))
    )
    runs: list[np.ndarray] = []
    solve = RegularisedRelease.solve

    def spy(self, *given):  # type: ignore[no-untyped-def]
        runs.append((found := solve(self, *given)).theta)
        return found

    monkeypatch.setattr(RegularisedRelease, "solve", spy)
    solution = HighProbability(inner, runs=4).solve(problem, BUDGET, np.random.default_rng(0))
    np.testing.assert_array_equal(solution.theta, runs[2])
    np.testing.assert_allclose(seen[0], [problem.records.value(theta) for theta in runs])


def counted(problem: Problem) -> np.ndarray:
    """How many records of each kind a part of one-hot counts has."""
    view = problem.one_hot
    return problem.domain.n * np.concatenate([view.plus, view.minus])


@pytest.mark.parametrize("inner", [NoisyGD(constants="exact"), RegularisedOutputPerturbation(constants="exact")])
def test_grid_search_runs_on_one_half_with_a_share_of_half_the_budget_over_each_ball(
    inner: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """41 records: 21 train. K = 3 runs at (epsilon/6, delta/6) over balls of radius 2, 4, 8, and all on the same."""
    problem = one_hot(SquaredLoss(), n=41, p=3, mass=1.0, coordinates=3)
    algorithm = GridSearch(inner, guesses=3)
    found = calls(monkeypatch, algorithm, problem, BUDGET, type(inner))
    assert [one.budget for one in found] == [Budget(0.8 / 6, 1e-5 / 6, REPLACE)] * 3
    assert [one.domain.constraint_set for one in found] == [L2Ball(3, radius) for radius in (2.0, 4.0, 8.0)]
    assert {one.domain.n for one in found} == {21}
    for one in found:
        np.testing.assert_array_equal(counted(one.problem), counted(found[0].problem))
    schedule = algorithm.schedule(problem.domain, BUDGET)
    assert schedule.noise_scale == pytest.approx(8 / 0.8)
    assert schedule.steps == 3 * inner.schedule(found[0].domain, found[0].budget).steps
    runs = [(part, 3 * uses) for part, uses in inner.parts(found[0].domain, found[0].budget)]
    choice = [(GumbelMin(10.0).guarantee(20.5 / 20), 1)]  # the choice has 20 records, not 20.5
    most = max(cost(runs, 1e-5), cost(choice, 1e-5))
    assert algorithm.privacy_loss(problem.domain, BUDGET).epsilon == pytest.approx(most, rel=1e-9)


@pytest.mark.parametrize("inner", [NoisyGD(), RegularisedOutputPerturbation()])
def test_grid_search_scores_by_the_other_half_with_line_6_s_penalty_and_a_mean_s_sensitivity(
    inner: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """q_j = held-out risk + Delta_j ln(K/beta)/n + sqrt(4 Y^2 Delta_j ln(K/beta)/n), D_j = 2 Delta_j/n; 0 has Y^2."""
    problem, algorithm = one_hot(SquaredLoss(), n=40, p=3, mass=1.0, coordinates=3), GridSearch(inner, guesses=2)
    seen: list[np.ndarray] = []
    monkeypatch.setattr(
        GumbelMin, "select", lambda self, scores, rng: seen.append(scores) or (1, NoiseMoments(0.0, 1.0, 1.0))
    )
    runs = calls(monkeypatch, algorithm, problem, BUDGET, type(inner))
    other = counted(problem) - counted(runs[0].problem)
    held = OneHotView(dataclasses.replace(problem.domain, n=20), problem.one_hot.label, other[:3] / 20, other[3:] / 20)
    logarithm, smooth = math.log(2 / 0.05), problem.domain.smoothness
    # predictions of descent stay within X B, so that a loss is at most (Y + sqrt(H/2) X B)^2; noise on w adds its tail
    noisy = isinstance(inner, RegularisedOutputPerturbation)
    sigmas = [inner.schedule(run.domain, run.budget).noise_scale * noisy for run in runs]
    tail = math.sqrt(2 * math.log(40 / (1e-5 / 8)))
    deltas = np.array([(1 + math.sqrt(smooth / 2) * (b + s * tail)) ** 2 for b, s in zip((2, 4), sigmas, strict=True)])
    risks = np.array([Problem(held.domain, {"one_hot": held}).dense.value(run.theta) for run in runs])
    scores = np.append(1.0, risks + deltas * logarithm / 40 + np.sqrt(4 * deltas * logarithm / 40))
    moved = np.append(0.0, 2 * deltas / 40)
    raised = scores + 8 * math.log(4 * 3 / 0.05) / 0.8 * moved
    expected = [max((raised[i] - raised[j]) / (moved[i] + moved[j]) for j in range(3) if i != j) for i in range(3)]
    np.testing.assert_allclose(seen[0], np.maximum(expected, 0.0), rtol=1e-9)


@pytest.mark.parametrize("inner", [NoisyGD(constants="exact"), RegularisedOutputPerturbation(constants="exact")])
def test_boosting_runs_on_disjoint_chunks_with_the_whole_budget_and_chooses_by_the_one_left(
    inner: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ceil(log2(2/.3)) = 3 runs; of 42 records chunks have 11, 11 and 10, and the choice 10."""
    problem = one_hot(SquaredLoss(), n=42, p=3, mass=1.0, coordinates=3)
    algorithm, seen = ConfidenceBoosting(inner, failure=0.3), []
    monkeypatch.setattr(
        LaplaceMin,
        "select",
        lambda self, scores, rng: seen.append((self.scale, scores)) or (2, NoiseMoments(0.0, 1.0, 1.0)),
    )
    found = calls(monkeypatch, algorithm, problem, BUDGET, type(inner))
    assert [one.budget for one in found] == [BUDGET] * 3
    assert [one.domain.n for one in found] == [11, 11, 10]
    rest = counted(problem) - sum(counted(one.problem) for one in found)
    assert rest.min() > -1e-9
    assert rest.sum() == pytest.approx(10)
    held = OneHotView(dataclasses.replace(problem.domain, n=10), problem.one_hot.label, rest[:3] / 10, rest[3:] / 10)
    ((scale, scores),) = seen
    np.testing.assert_allclose(
        scores, [Problem(held.domain, {"one_hot": held}).dense.value(one.theta) for one in found], atol=1e-12
    )
    reach = 1.0
    if isinstance(inner, RegularisedOutputPerturbation):  # of the smallest chunk, whose noise is the largest
        sigma = inner.schedule(found[2].domain, BUDGET).noise_scale
        reach += sigma * math.sqrt(2 * math.log(2 * 10 / (1e-5 / 12)))
    largest = (1 + math.sqrt(problem.domain.smoothness / 2) * reach) ** 2
    assert scale == pytest.approx(2 * largest / (10 * 0.8))
    runs = [inner.parts(one.domain, BUDGET) for one in found]
    choice = [(LaplaceMin(scale).guarantee(largest / 10), 1)]
    most = max(cost(part, 1e-5) for part in (*runs, choice))
    assert algorithm.privacy_loss(problem.domain, BUDGET).epsilon == pytest.approx(most, rel=1e-9)


@pytest.mark.parametrize("kind", [ExponentialSupport, SampleAndAggregate])
@pytest.mark.parametrize("noise", ["gaussian", "gamma"])
def test_sparse_regression_gives_half_of_epsilon_to_the_support_and_half_with_all_of_delta_to_the_fit(
    kind: type[SupportSelection], noise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """zeta = 2 s^(3/2), lambda = s on s coordinates of the unit box, and Delta = 2 lambda/epsilon' of the native half.

    Under replacement the fit runs at the half's half, for two records that are zeroed out.
    """
    budget, s = BUDGET if noise == "gaussian" else PURE, 2
    domain = Domain(HalfSquaredLoss(), Box(4), 40, feature_norm=math.inf, label_bound=2.0)
    problem = at(domain, np.random.default_rng(1).uniform(-1, 1, (40, 4)), np.ones(40), np.ones(40))
    selection = kind(2, **({"blocks": 4} if kind is SampleAndAggregate else {"constants": "exact"}))
    algorithm = SparseRegression(selection, sparsity=s, noise=noise)
    chosen, fitted = calls(monkeypatch, algorithm, problem, budget, kind, ObjectivePerturbation)
    assert (chosen.by, chosen.budget, chosen.domain) == (selection, Budget(0.4, 0.0, REPLACE), domain)
    assert fitted.budget == Budget(0.4, budget.delta, REPLACE)
    assert fitted.domain.p == s
    assert fitted.domain.lipschitz == pytest.approx(2 * s**1.5)
    assert fitted.domain.smoothness == pytest.approx(s)
    schedule = algorithm.schedule(domain, budget)
    assert schedule.regulariser == pytest.approx(2 * s / 0.2)
    native = budget.delta / (1 + math.exp(0.2))
    scale = 2 / 0.2 if noise == "gamma" else math.sqrt(8 * math.log(2 / native) + 4 * 0.2) / 0.2 if native else 0.0
    assert schedule.coordinate_scale == pytest.approx(2 * s**1.5 * scale)
    inside = selection.privacy_loss(domain, chosen.budget), fitted.by.privacy_loss(fitted.domain, fitted.budget)
    certified = algorithm.privacy_loss(domain, budget)
    assert certified is not None
    assert certified.epsilon == pytest.approx(sum(one.epsilon for one in inside), rel=1e-12)
    assert certified.delta == inside[1].delta


@pytest.mark.parametrize("inner", [ObjectivePerturbation(), NoisyGD(constants="exact")])
def test_the_inner_algorithm_of_a_rounded_loss_has_the_whole_budget(
    inner: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """h = X R sqrt(2/(n epsilon)) = .25 at 40 records; the rounded loss is of records divided by h."""
    problem, algorithm = random_problem(AbsoluteLoss(), L2Ball(3), n=40), Huberised(inner)
    (one,) = calls(monkeypatch, algorithm, problem, BUDGET, type(inner))
    assert (one.by, one.budget, one.domain.n) == (inner, BUDGET, 40)
    assert one.domain.feature_length == pytest.approx(1 / 0.25)
    assert one.domain.label_bound == pytest.approx(1 / 0.25)
    assert algorithm.privacy_loss(problem.domain, BUDGET) == inner.privacy_loss(one.domain, BUDGET)
    assert algorithm.parts(problem.domain, BUDGET) == inner.parts(one.domain, BUDGET)


@pytest.mark.parametrize("constants", ["printed", "exact"])
def test_descent_after_a_map_has_the_whole_budget_and_twice_the_radius(
    constants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """k = ceil((sqrt(H) B X n epsilon/(Y + sqrt(H) B X))^(2/3)/4), X and Y being 1; features may have the clip's norm.

    X (1 + sqrt(2 ln(p/1e-6)/k)).
    """
    problem = random_problem(SquaredLoss(), L2Ball(3), n=40)
    algorithm = JohnsonLindenstrauss(constants=constants)
    (one,) = calls(monkeypatch, algorithm, problem, BUDGET, NoisyGD)
    k = math.ceil((math.sqrt(2) * 40 * 0.8 / (1 + math.sqrt(2))) ** (2 / 3) / 4)
    assert (one.by, one.budget, one.domain.n) == (NoisyGD(constants=constants), BUDGET, 40)
    assert one.domain.constraint_set == L2Ball(k, 2.0)
    assert one.domain.feature_length == pytest.approx(1 + math.sqrt(2 * math.log(3e6) / k))
    assert algorithm.parts(problem.domain, BUDGET) == one.by.parts(one.domain, BUDGET)
    schedule = algorithm.schedule(problem.domain, BUDGET)
    inside = one.by.schedule(one.domain, BUDGET)
    assert [getattr(schedule, name) for name in vars(inside)] == list(vars(inside).values())


RELEASES = {
    "release": (RegularisedRelease(), HalfSquaredDistance(), PURE),
    "release_gaussian": (RegularisedRelease("gaussian"), AbsoluteLoss(), BUDGET),
    "regularised": (RegularisedOutputPerturbation(), SquaredLoss(), BUDGET),
    "regularised_lipschitz": (RegularisedOutputPerturbation(setting="lipschitz"), AbsoluteLoss(), BUDGET),
    "perturbed": (ObjectivePerturbation(), SquaredLoss(), BUDGET),
    "perturbed_gamma": (ObjectivePerturbation(noise="gamma"), HalfSquaredLoss(), PURE),
    "strongly_convex": (StronglyConvexPerturbation(), HalfSquaredDistance(), PURE),
    "output": (OutputPerturbation(), HalfSquaredDistance(), PURE),
}


@pytest.mark.parametrize("name", RELEASES)
def test_what_is_minimised_has_the_weight_and_the_noise_that_the_schedule_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weight of a mean; a regulariser of the sum, and noise on it, are divided by n = 40."""
    algorithm, loss, budget = RELEASES[name]
    problem = random_problem(loss, L2Ball(3), n=40)
    schedule, seen = algorithm.schedule(problem.domain, budget), []
    minimise = RecordsView.minimise

    def spy(self, linear=0.0, ridge=0.0):  # type: ignore[no-untyped-def]
        seen.append((float(np.linalg.norm(linear)), ridge))
        return minimise(self, linear, ridge)

    monkeypatch.setattr(RecordsView, "minimise", spy)
    fresh = Problem(problem.domain, {"records": RecordsView(problem.domain, problem.records.records)})
    solution = algorithm.solve(fresh, budget, np.random.default_rng(0))
    ((linear, ridge),) = seen or [(0.0, 0.0)]  # with neither it is the risk's own minimum
    expected = getattr(schedule, "weight", 0.0) or getattr(schedule, "regulariser", 0.0) / 40
    assert ridge == pytest.approx(expected)
    inside = isinstance(algorithm, ObjectivePerturbation | StronglyConvexPerturbation)
    assert linear == pytest.approx(solution.diagnostics["noise_norm"] / 40 if inside else 0.0, abs=1e-15)


def test_the_weight_of_a_release_at_the_best_of_its_bound_has_its_closed_form() -> None:
    """Delta = (2 L/R) sqrt(p/(n epsilon)); with Gaussian noise sqrt(s sqrt(p)/n), s the least deviation for 1."""
    domain = dataclasses.replace(unit_ball(AbsoluteLoss(), 1e4, 5), n=1e4)
    assert RegularisedRelease().schedule(domain, PURE).weight == pytest.approx(2 * math.sqrt(5 / (1e4 * 0.8)))
    schedule = RegularisedRelease("gaussian").schedule(domain, BUDGET)
    unit = schedule.noise_scale * schedule.weight / (2 / 1e4)
    assert schedule.weight == pytest.approx(2 * math.sqrt(unit * math.sqrt(5) / 1e4))


def test_equation_9_has_its_noise_and_one_of_two_regularisers() -> None:
    """b of deviation L sqrt(8 ln(1/delta))/epsilon, and X^2/(epsilon h), or a quarter of it as printed."""
    domain = unit_ball(PositivePartLoss(), 40, 1)
    for regulariser, share in ((CorrectedRegulariser(), 1), (PrintedRegulariser(), 4)):
        algorithm = HuberisedObjectivePerturbation(smoothing=0.05, regulariser=regulariser)
        schedule = algorithm.schedule(domain, BUDGET)
        assert schedule.regulariser == pytest.approx(1 / (share * 0.8 * 0.05))
        assert schedule.coordinate_scale == pytest.approx(math.sqrt(8 * math.log(1e5)) / 0.8)


COMPOSED = {
    "localisation": (Localization(SGD, "gaussian", "exact"), HalfSquaredDistance(), 0.55),
    "repeated": (HighProbability(RegularisedRelease("gaussian"), runs=2), AbsoluteLoss(), 0.75),
    "boosted": (ConfidenceBoosting(NoisyGD(constants="exact"), chunks=2), SquaredLoss(), 0.999),
    "grid": (GridSearch(NoisyGD(constants="exact"), guesses=2), SquaredLoss(), 0.25),
    "huberised": (Huberised(NoisyGD(constants="exact")), AbsoluteLoss(), 0.999),
    "map": (JohnsonLindenstrauss(constants="exact"), SquaredLoss(), 0.999),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_a_composed_algorithm_at_exact_constants_leaves_no_more_of_its_budget_than_basic_halves_do(name: str) -> None:
    """Both limits: more than the budget is unsound, and far less would be a certificate that nobody can use.

    The shares are what two halves that compose by their own laws leave; where one part has all it is all.
    """
    algorithm, loss, share = COMPOSED[name]
    domain = random_problem(loss, L2Ball(3), n=60).domain
    certified = algorithm.privacy_loss(domain, BUDGET)
    assert certified is not None
    assert share * 0.8 <= certified.epsilon <= 0.8 * (1 + 1e-9)


def test_the_first_half_of_sparse_regression_certifies_all_that_it_is_given() -> None:
    """The exponential mechanism at its least scale, and votes at s scales of 2 s/(k epsilon): epsilon/2 each."""
    domain = dataclasses.replace(lasso(40, 4), loss=HalfSquaredLoss())
    for selection in (ExponentialSupport(2, constants="exact"), SampleAndAggregate(2, blocks=4)):
        certified = selection.privacy_loss(domain, SparseRegression(selection).first(BUDGET))
        assert certified is not None
        assert certified.epsilon == pytest.approx(0.4)
