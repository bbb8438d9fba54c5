"""Exact laws in one dimension, against draws of the algorithm itself and against independent integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from dprepro import laws
from dprepro.algorithms import (
    DataFree,
    ExponentialMechanism,
    HuberisedObjectivePerturbation,
    LeastRegulariser,
    ObjectivePerturbation,
    PrintedRegulariser,
)
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import HuberCounterexample
from dprepro.errors import Incompatible, InputError
from dprepro.laws.perturbation_law import SILENT, _kernel_below
from dprepro.problems import (
    AbsoluteLoss,
    Domain,
    HalfSquaredLoss,
    HuberLoss,
    L2Ball,
    LogisticLoss,
    Moments,
    MomentsView,
    PositivePartLoss,
    Problem,
    Records,
    RecordsView,
)

ADD, REPLACE = Neighbours.ADD_OR_REMOVE_ONE, Neighbours.REPLACE_ONE
DRAWS = 1000
#: Dvoretzky, Kiefer and Wolfowitz: exceeded by the law itself, whatever its atoms, once in a million tests.
DISTANCE = math.sqrt(math.log(2e6) / (2 * DRAWS))


def data_set(loss, l1_weight=0.0, radius=1.0):
    x, y = np.array([[1.0], [-0.5], [0.25]]), np.array([0.8, 0.6, -1.0])
    domain = Domain(loss, L2Ball(1, radius), 10, l1_weight=l1_weight)
    return Problem(domain, {"records": RecordsView(domain, Records(x, y, np.array([5.0, 3.0, 2.0])))})


def to_be_solved(problem):
    """The same data; an l1 term has a certified minimiser beside a diagonal quadratic."""
    if not problem.domain.l1_weight:
        return problem
    dense = problem.records.to_moments().moments
    diagonal = Moments(dense.cross, dense.constant, ridge=dense.matrix()[0])
    return Problem(problem.domain, {"moments": MomentsView(problem.domain, diagonal)})


@pytest.mark.parametrize(
    ("algorithm", "problem", "delta"),
    [
        (ObjectivePerturbation(), data_set(HuberLoss()), 1e-6),
        (ObjectivePerturbation(regulariser=LeastRegulariser()), data_set(HuberLoss(), radius=0.3), 1e-6),
        (ObjectivePerturbation(noise="gamma"), data_set(LogisticLoss(), radius=4.0), 0.0),
        (ObjectivePerturbation(regulariser=LeastRegulariser()), data_set(HalfSquaredLoss(), l1_weight=20.0), 1e-6),
        (ObjectivePerturbation(noise="gamma", least=0.5), data_set(HalfSquaredLoss(), l1_weight=2.0), 0.0),
        (HuberisedObjectivePerturbation(smoothing=0.3), data_set(PositivePartLoss(), radius=2.0), 1e-6),
        (
            HuberisedObjectivePerturbation(smoothing=0.01, regulariser=PrintedRegulariser()),
            data_set(PositivePartLoss()),
            1e-6,
        ),
        (ExponentialMechanism(), data_set(AbsoluteLoss()), 0.0),
        (ExponentialMechanism(scale_factor=20.0), data_set(PositivePartLoss(), radius=2.0), 0.0),
    ],
)
def test_the_law_is_that_of_the_algorithms_own_answers(algorithm, problem, delta):
    budget, rng = Budget(2.0, delta, ADD), np.random.default_rng(1)
    law = laws.find(algorithm, problem.domain, budget)
    solved = to_be_solved(problem)
    answers = np.sort([float(algorithm.solve(solved, budget, rng).theta[0]) for _ in range(DRAWS)])
    radius = problem.domain.radius
    places = np.concatenate([np.linspace(-radius, radius, 401), [-1e-9, 0.0, radius - 1e-9]])
    seen = np.searchsorted(answers, places + 1e-10, side="right") / DRAWS
    found = law.below(problem, places)
    assert np.abs(found - seen).max() <= DISTANCE
    assert law.below(problem, np.array([-radius - 1e-6, radius])).tolist() == [0.0, 1.0]
    if problem.domain.l1_weight:  # the regulariser makes an atom, which a law without it would miss
        assert found[-2] - found[-3] > 2 * DISTANCE


SMOOTHED = [HuberisedObjectivePerturbation(smoothing=h) for h in (0.05, 2.0)]


@pytest.mark.parametrize(
    ("algorithm", "planted"),
    [
        (ObjectivePerturbation(), ObjectivePerturbation(noise_factor=1.5)),
        (
            ObjectivePerturbation(regulariser=LeastRegulariser()),
            ObjectivePerturbation(regulariser=LeastRegulariser(), least=4.0),
        ),
        (ObjectivePerturbation(), ObjectivePerturbation(noise="gamma")),
    ],
)
def test_another_law_is_told_apart_by_as_many_draws(algorithm, planted):
    problem, rng = data_set(HuberLoss(), radius=20.0), np.random.default_rng(1)
    budgets = {one: Budget(0.3, 0.0 if one.noise == "gamma" else 1e-6, ADD) for one in (algorithm, planted)}
    answers = np.sort([float(planted.solve(problem, budgets[planted], rng).theta[0]) for _ in range(DRAWS)])
    found = laws.find(algorithm, problem.domain, budgets[algorithm]).below(problem, answers)
    assert np.abs(found - np.arange(1, DRAWS + 1) / DRAWS).max() > DISTANCE


@pytest.mark.parametrize("algorithm", [*SMOOTHED, ExponentialMechanism()])
@pytest.mark.parametrize("data", ["d1", "d2"])
def test_the_expected_risk_is_the_mean_of_the_algorithms_own_risks(algorithm, data):
    problem = HuberCounterexample(data, smoothing=0.01).build({"n": 30.0}, 0.0)
    budget, rng = Budget(1.0, 1e-6, REPLACE), np.random.default_rng(2)
    law = laws.find(algorithm, problem.domain, budget)
    risks = [problem.excess_risk(algorithm.solve(problem, budget, rng).theta) for _ in range(DRAWS)]
    # one false alarm in 150000
    assert np.mean(risks) == pytest.approx(law.expected_risk(problem), abs=4.5 * np.std(risks) / math.sqrt(DRAWS))
    # and E = integral of P(risk > r) over the set, by another quadrature
    left, right = ((side, problem.minimum.theta[0]) for side in (-2.0, 2.0))
    slope = float(np.sign(right[0] - right[1]))

    def rate(t):
        return abs(problem.gradient(np.array([t]))[0])

    def below(t):
        return float(law.below(problem, np.array([t]))[0])

    points = [-1.0, *np.linspace(0.5, 1.5, 21)]
    mean = quad(lambda t: rate(t) * below(t), left[0], left[1], points=points, limit=500)[0]
    mean += slope * quad(lambda t: rate(t) * (1 - below(t)), right[1], right[0], points=points, limit=500)[0]
    assert law.expected_risk(problem) == pytest.approx(mean, rel=1e-5)


def test_a_record_that_only_shifts_costs_what_the_gaussian_mechanism_costs():
    law = laws.find(ObjectivePerturbation(), None, Budget(1.0, 1e-6, ADD))
    far = np.array([1.0]), np.array([9e3]), np.ones(1)
    mu, epsilon = 1 / law.schedule.coordinate_scale, 0.2
    expected = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
    assert law._pair(SILENT, far).lower_delta(epsilon) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("least", [0.5, 2.0])
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_delta_is_the_integral_of_the_densities_excess(least, epsilon):
    """nu(psi) psi' with and without the record, on a plain fine grid."""
    algorithm = ObjectivePerturbation(regulariser=LeastRegulariser(), least=least)
    law = laws.find(algorithm, None, Budget(epsilon, 1e-6, ADD))
    scale, ridge, centre = law.schedule.coordinate_scale, law.schedule.regulariser, 6.0
    middle = centre * scale / ridge
    alpha = np.linspace(middle - 4, middle + 12 * scale / ridge, 2_000_001)
    without = norm.pdf(ridge * alpha / scale) * ridge / scale
    bent = ridge + (np.abs(alpha - middle) < 1)
    added = norm.pdf((ridge * alpha + np.clip(alpha - middle, -1, 1)) / scale) * bent / scale
    both = ((added, without), (without, added))
    excess = max(float(np.trapezoid(np.maximum(p - math.exp(epsilon) * q, 0), alpha)) for p, q in both)
    assert law._pair(SILENT, law._record(1, centre)).lower_delta(epsilon) == pytest.approx(excess, rel=2e-3)


@pytest.mark.parametrize("least", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_the_certified_epsilon_covers_every_pair(least, epsilon):
    """What the accountant certifies, the exact delta of every pair confirms, too small a Delta included."""
    budget = Budget(epsilon, 1e-6, ADD)
    law = laws.find(ObjectivePerturbation(regulariser=LeastRegulariser(), least=least), None, budget)
    certified = law.algorithm.privacy_loss(law.domain, budget).epsilon
    for pair in law.pairs():
        assert pair.first.sum() == pytest.approx(1, abs=1e-12)
        assert pair.second.sum() == pytest.approx(1, abs=1e-12)
        assert pair.lower_delta(certified) <= 1e-6


@pytest.mark.parametrize("least", [0.5, 2.0])
def test_the_largest_loss_with_gamma_noise_is_its_closed_form(least):
    budget = Budget(0.7, 0.0, ADD)
    law = laws.find(ObjectivePerturbation(noise="gamma", regulariser=LeastRegulariser(), least=least), None, budget)
    # ln(1 + lambda/Delta) + zeta/scale: the determinant and the shift, both at their largest at once
    expected = math.log1p(1 / law.schedule.regulariser) + 1 / law.schedule.coordinate_scale
    assert max(pair.lower_loss() for pair in law.pairs()) == pytest.approx(expected, rel=1e-4)
    assert law.algorithm.privacy_loss(law.domain, budget).epsilon == pytest.approx(expected)


def test_replacement_costs_twice_the_shift_of_equation_9():
    """(1, c) against (-1, -c') costs delta 2.35e-6 at a claimed 1e-6; the integral again, on a plain fine grid."""
    h, epsilon = 0.01, 0.5
    law = laws.find(HuberisedObjectivePerturbation(smoothing=h), None, Budget(epsilon, 1e-6, REPLACE))
    assert max(pair.lower_delta(epsilon) for pair in law.pairs()) == pytest.approx(2.35e-6, rel=0.01)
    assert max(pair.lower_delta(epsilon) for pair in law.pairs() if pair.zeroed_out) < 1e-6
    ridge, scale = 1 / (epsilon * h), math.sqrt(8 * math.log(1e6)) / epsilon
    c, other = -3.0 * scale / ridge, -3.5 * scale / ridge
    alpha = np.linspace(-1, 1, 2_000_001)

    def density(x, y):
        z = y - x * alpha
        slope = ridge * alpha - x * np.clip((z / h + 1) / 2, 0, 1)
        return norm.pdf(slope / scale) * (ridge + (np.abs(z) < h) / (2 * h)) / scale

    excess = np.maximum(density(-1.0, -other) - math.exp(epsilon) * density(1.0, c), 0)
    assert np.trapezoid(excess, alpha) == pytest.approx(2.35e-6, rel=0.01)


def smoothed(index, l1=1.0, **fields):
    algorithm = ObjectivePerturbation(regulariser=LeastRegulariser(), **fields)
    law = laws.find(algorithm, None, Budget(1.0, 1e-6, ADD))
    return law.with_parameters({"l1": l1, "index": index})


def objective(law, b):
    """The objective that the law is about, without records, |theta| being smoothed by the kernel itself."""
    u, share = _kernel_below()
    masses = np.diff(share[::100])
    middles = 0.5 * (u[::100][1:] + u[::100][:-1]) / law.index

    def value(theta):
        around = abs(theta) if math.isinf(law.index) else float(masses @ np.abs(theta - middles))
        return law.weight * around + law.schedule.regulariser / 2 * theta**2 + b * theta

    return value


@pytest.mark.parametrize("index", [1.0, 10.0, math.inf])
def test_the_smoothed_law_is_that_of_the_minimisers_of_its_objective(index):
    """Minimisers of the objective at 400 quantiles of b; the share near zero errs by at most one quantile per side."""
    law = smoothed(index)
    quantiles = law.schedule.coordinate_scale * norm.ppf((np.arange(400) + 0.5) / 400)
    far = 5 * law.schedule.coordinate_scale / law.schedule.regulariser
    found = [
        minimize_scalar(objective(law, b), bounds=(-far, far), method="bounded", options={"xatol": 1e-7}).x
        for b in quantiles
    ]
    for radius in (1.0, 0.1, 0.02):
        low, high = law.noise.below(law.psi(SILENT, np.array([-radius, radius])))
        assert high - low == pytest.approx(float(np.mean(np.abs(found) <= radius)), abs=2 / 400)
    if math.isfinite(index):
        limits = -np.copysign(np.maximum(np.abs(quantiles) - law.weight, 0) / law.schedule.regulariser, quantiles)
        assert np.abs(np.array(found) - limits).max() <= law.largest_gap() + 1e-4
        assert 0 < law.largest_gap() <= 1 / index


def test_the_limit_has_an_atom_and_is_as_private_as_what_it_is_the_limit_of():
    found = {index: smoothed(index, constants="exact") for index in (1e2, 1e4, math.inf)}
    reports = {index: law.report() for index, law in found.items()}
    assert all(set(law.measures) == set(reports[index]) for index, law in found.items())
    atom, bound = reports[math.inf]["limit_atom"]
    assert atom == pytest.approx(math.erf(1 / math.sqrt(2)), abs=1e-7) == bound
    near, density = reports[1e4]["mass_near_zero"]
    assert density == pytest.approx(near, rel=0.1)
    near, density = reports[math.inf]["limit_mass_near_zero"]
    assert near > 1e6 * density
    deltas = {index: max(pair.lower_delta(1.0) for pair in law.pairs()) for index, law in found.items()}
    assert deltas[1e4] == pytest.approx(deltas[math.inf], rel=0.05)
    assert max(deltas.values()) <= 1e-6


def test_without_a_regulariser_nothing_is_reported():
    law = smoothed(10.0, l1=0.0)
    assert not law.measures
    assert not law.report()


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda budget: laws.find(DataFree(), None, budget), "no output distribution is known for DataFree"),
        (lambda budget: laws.find(ObjectivePerturbation(), Domain(HuberLoss(), L2Ball(2), 1), budget), "at p=2"),
        (lambda budget: laws.find(ExponentialMechanism(), Domain(LogisticLoss(), L2Ball(1), 1), budget), "affine"),
        (lambda budget: laws.find(ExponentialMechanism(), None, budget).pairs(), "no worst neighbours"),
    ],
)
def test_a_law_that_is_not_known_is_refused(make, word):
    with pytest.raises(Incompatible, match=word):
        make(Budget(1.0, 1e-6, ADD))


def test_parameters_of_a_law_are_its_own():
    law = smoothed(10.0)
    with pytest.raises(InputError, match="did you mean index"):
        law.with_parameters({"indx": 1.0})
    with pytest.raises(InputError, match="unknown parameter"):
        law.with_parameters({"budget": 1.0})
    with pytest.raises(InputError, match="index positive"):
        law.with_parameters({"index": 0.0})


def test_a_law_serves_the_very_class_of_its_algorithm():
    class Colder(ExponentialMechanism):
        pass

    with pytest.raises(Incompatible, match="Colder"):
        laws.find(Colder(), None, Budget(1.0, 0.0, ADD))


def test_an_algorithm_of_another_package_brings_its_law_and_a_subclass_has_none() -> None:
    class Brought(ExponentialMechanism):
        @classmethod
        def law(cls) -> type | None:
            return laws.DescentLaw

    class Other(Brought): ...

    assert laws.law_of(Brought) is laws.DescentLaw
    assert laws.law_of(Other) is None
    assert laws.law_of(ExponentialMechanism) is laws.ExponentialLaw
