"""Noisy gradient descent: two dimensions where the risk has an axis, and the compiled loop."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from helpers.reduction_problems import ALARM, BUDGET, domain_of, least_p_value, problem_of, some_records, thetas
from scipy.stats import ks_2samp

from dprepro.algorithms import (
    ConstantRate,
    FullGradient,
    JohnsonLindenstrauss,
    LipschitzRate,
    NoisyGD,
    NoisySGD,
    SampledGradient,
    StronglyConvexRate,
)
from dprepro.constructions import HingeCorner, OnePlace, OneWayMarginals, SpreadPlaces
from dprepro.errors import DpreproError, Incompatible
from dprepro.problems import (
    AbsoluteLoss,
    Box,
    HalfSquaredDistance,
    HalfSquaredLoss,
    HingeLoss,
    HuberLoss,
    L1Ball,
    L2Ball,
    LinearLoss,
    LogisticLoss,
    LqBall,
    MarginLoss,
    Median,
    Moments,
    MomentsView,
    PositivePartLoss,
    Problem,
    Records,
    RecordsView,
    SharpDistance,
    Simplex,
    SquaredLoss,
)
from dprepro.reductions import AxisDescent, CompiledDescent, choose, descent_reductions

RECORDS = frozenset({"records"})
WITH_AXIS = {
    "linear": (OneWayMarginals(bias=0.6), LipschitzRate()),
    "half_squared": (OneWayMarginals(loss="half_squared_distance", bias=0.6), StronglyConvexRate()),
    "median": (OnePlace(), LipschitzRate()),
    "sharp": (OnePlace(loss="sharp_distance"), StronglyConvexRate()),
}
SMOOTH = [SquaredLoss(), HalfSquaredLoss(), LinearLoss(), LogisticLoss(), HuberLoss(), HalfSquaredDistance()]
KINKED = [AbsoluteLoss(), HingeLoss(), PositivePartLoss(), Median(), SharpDistance()]
SETS = [L2Ball(3, 0.8), L1Ball(3), Simplex(3), Box(3, 0.3)]
# little noise, so that the gradient matters: a slip in it could not hide
QUIET = {"noise_factor": 1e-3}


def collinear(loss, p):
    """Records at several places on one line through zero, labels of both signs."""
    places, unit = np.linspace(-1, 1, 6)[:, None], np.full(p, p**-0.5)
    records = Records(places * unit, np.sign(np.sin(7 * places[:, 0])), np.full(6, 2000 / 6))
    return problem_of(loss, L2Ball(p), "records", 2000, 2, records)


@pytest.mark.parametrize("p", [1, 2, 7])
@pytest.mark.parametrize("name", WITH_AXIS)
def test_axis_descent_has_the_literal_law(name, p):
    construction, step_size = WITH_AXIS[name]
    algorithm = NoisySGD(gradient=FullGradient(), step_size=step_size, steps=12)
    problem = construction.build({"n": 2000.0, "p": float(p)}, 0.0)
    literal, fast = thetas(algorithm, problem, 800, 1), thetas(AxisDescent(algorithm), problem, 800, 2)
    assert least_p_value(problem, literal, fast) > ALARM


@pytest.mark.parametrize("loss", [HingeLoss(), LogisticLoss(), AbsoluteLoss(), SquaredLoss()])
def test_axis_descent_has_the_literal_law_on_collinear_records(loss):
    algorithm, problem = NoisySGD(gradient=FullGradient(), steps=12), collinear(loss, 4)
    literal, fast = thetas(algorithm, problem, 800, 1), thetas(AxisDescent(algorithm), problem, 800, 2)
    assert least_p_value(problem, literal, fast) > ALARM


def test_a_reduction_that_forgets_one_degree_of_freedom_would_be_noticed(monkeypatch):
    algorithm = NoisySGD(gradient=FullGradient(), steps=12)
    problem = OneWayMarginals(bias=0.6).build({"n": 20000.0, "p": 4.0}, 0.0)
    literal = thetas(algorithm, problem, 4000, 1)
    from dprepro.reductions.kernels import descent_kernels as loops

    right = loops.about_axis

    def planted(slope, apart, places, labels, weights, p, *rest):
        return right(slope, apart, places, labels, weights, p - 1, *rest)

    monkeypatch.setattr(loops, "about_axis", planted)
    wrong = thetas(AxisDescent(algorithm), problem, 4000, 2)
    lengths = [np.linalg.norm(sample - sample @ np.full(4, 0.5)[:, None] * 0.5, axis=1) for sample in (literal, wrong)]
    assert ks_2samp(*lengths).pvalue < ALARM


def test_many_records_give_the_numbers_of_a_loop_over_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    records = Records(
        rng.uniform(-0.5, 0.5, (descent_reductions.MANY_RECORDS, 3)),
        rng.choice([-1.0, 1.0], descent_reductions.MANY_RECORDS),
    )
    problem = problem_of(LogisticLoss(), L2Ball(3), "records", descent_reductions.MANY_RECORDS, 2, records)
    for algorithm in (NoisySGD(FullGradient(), steps=40, noise_factor=0.1), JohnsonLindenstrauss()):
        at_once = CompiledDescent(algorithm).solve(problem, BUDGET, np.random.default_rng(4))
        with monkeypatch.context() as patch:
            patch.setattr(descent_reductions, "MANY_RECORDS", 1_000_000)
            one_by_one = CompiledDescent(algorithm).solve(problem, BUDGET, np.random.default_rng(4))
        np.testing.assert_allclose(at_once.theta, one_by_one.theta, atol=1e-10)
        assert at_once.noise.square == pytest.approx(one_by_one.noise.square)


def compare(algorithm, problem, seed=4):
    """The compiled loop against the readable one, number by number."""
    literal, fast = (
        solver.solve(problem, BUDGET, np.random.default_rng(seed)) for solver in (algorithm, CompiledDescent(algorithm))
    )
    np.testing.assert_allclose(fast.theta, literal.theta, atol=1e-9)
    assert fast.schedule == literal.schedule
    assert fast.privacy_loss == literal.privacy_loss
    return literal


@pytest.mark.parametrize("gradient", [SampledGradient(), FullGradient()], ids=lambda rule: rule.name)
@pytest.mark.parametrize("constraint_set", SETS, ids=lambda candidate: type(candidate).__name__)
@pytest.mark.parametrize("loss", SMOOTH + KINKED, ids=lambda candidate: type(candidate).__name__)
def test_the_compiled_loop_gives_the_readable_loops_numbers(gradient, constraint_set, loss):
    problem = problem_of(loss, constraint_set, n=20, feature_norm=2, records=some_records(3, 10, 20, 2))
    for step_size in (LipschitzRate(), ConstantRate(), *([StronglyConvexRate()] if loss.strong_convexity else [])):
        solution = compare(NoisySGD(gradient, step_size=step_size, steps=150, **QUIET), problem)
        assert solution.schedule.steps == (400 if gradient == SampledGradient() else 150)


@pytest.mark.parametrize("constraint_set", SETS, ids=lambda candidate: type(candidate).__name__)
@pytest.mark.parametrize(
    ("loss", "view"),
    [(loss, "records") for loss in SMOOTH] + [(loss, "moments") for loss in SMOOTH if loss.quadratic],
)
def test_the_compiled_loop_averages_as_the_readable_one(constraint_set, loss, view):
    problem = problem_of(loss, constraint_set, view, n=200, feature_norm=2, records=some_records(3, 10, 200, 2))
    compare(NoisyGD(**QUIET), problem)
    compare(dataclasses.replace(NoisySGD(FullGradient(), steps=50), **QUIET), problem)


@pytest.mark.parametrize("construction", [OneWayMarginals(bias=0.5), SpreadPlaces(), HingeCorner()])
def test_the_compiled_loop_serves_the_papers_families(construction):
    for gradient in (SampledGradient(), FullGradient()):
        compare(NoisySGD(gradient, steps=200, **QUIET), construction.build({"n": 32.0, "p": 3.0}, 0.0))


def test_all_parts_of_the_moments_enter_the_gradient():
    rng = np.random.default_rng(0)
    parts = {"gram": np.eye(5) * 0.1, "ridge": np.linspace(0, 0.3, 5), "factor": rng.uniform(-0.3, 0.3, (2, 5))}
    domain = domain_of(SquaredLoss(), L2Ball(5), 300)
    for names in (["gram"], ["ridge"], ["factor"], list(parts)):
        moments = Moments(np.linspace(-0.1, 0.2, 5), 1.0, **{name: parts[name] for name in names})
        compare(NoisyGD(**QUIET), Problem(domain, {"moments": MomentsView(domain, moments)}))


def test_many_records_go_through_their_moments_and_few_do_not():
    many, few = (problem_of(SquaredLoss(), L2Ball(20), records=some_records(20, rows)) for rows in (400, 5))
    for problem in (many, few):
        compare(NoisyGD(**QUIET), problem)
        CompiledDescent(NoisyGD()).solve(problem, BUDGET, np.random.default_rng(0))
    assert descent_reductions._moments_are_cheaper(many, 3000)
    assert not descent_reductions._moments_are_cheaper(few, 3000)


@dataclasses.dataclass(frozen=True)
class Cubic(MarginLoss):
    """phi = |z - y|^1.5, without a function that can be compiled."""

    @staticmethod
    def phi(z, y):
        return np.abs(z - y) ** 1.5

    def derivative(self, s, y):
        return 1.5 * np.sign(s - y) * np.sqrt(np.abs(s - y))


@dataclasses.dataclass(frozen=True)
class CompiledCubic(Cubic):
    """The same with one."""

    @staticmethod
    def slope(z, y):
        return 1.5 * np.sign(z - y) * np.sqrt(np.abs(z - y))


@dataclasses.dataclass(frozen=True)
class Weighted(HingeLoss):
    """Its derivative depends on a parameter of which the function that it inherits knows nothing."""

    weight: float = 2.0

    def derivative(self, s, y):
        return self.weight * super().derivative(s, y)


def test_a_loss_without_a_kernel_runs_literally_with_its_own_gradient():
    problem = problem_of(Cubic(), L2Ball(3), feature_norm=2)
    algorithm = NoisySGD(FullGradient(), steps=40, **QUIET)
    assert choose("automatic", algorithm, problem.domain, problem.representations, "here") == "literal"
    with pytest.raises(Incompatible, match=r"series a: CompiledDescent needs a loss with a slope.* Cubic has none"):
        choose("compiled_descent", algorithm, problem.domain, problem.representations, "series a")
    records, theta, rng = problem.records.records, np.zeros(3), np.random.default_rng(4)
    schedule = algorithm.schedule(problem.domain, BUDGET)
    for t in range(1, 40):
        miss = records.features @ theta - records.targets
        pull = 1.5 * np.sign(miss) * np.abs(miss) ** 0.5
        noise = schedule.noise_scale * rng.standard_normal(3)
        gradient = records.features.T @ (records.weights * pull) + noise
        theta = problem.constraint_set.project(theta - schedule.step(t) * gradient)
    np.testing.assert_allclose(algorithm.solve(problem, BUDGET, np.random.default_rng(4)).theta, theta, atol=1e-12)


def test_a_new_loss_with_a_kernel_runs_compiled_and_agrees():
    problem = problem_of(CompiledCubic(), L2Ball(3), feature_norm=2)
    for gradient in (FullGradient(), SampledGradient()):
        algorithm = NoisySGD(gradient, steps=40, **QUIET)
        assert choose("automatic", algorithm, problem.domain, problem.representations, "here") == "compiled_descent"
    compare(NoisySGD(FullGradient(), steps=40, **QUIET), problem)


def test_a_kernel_that_is_not_the_losss_derivative_is_refused():
    problem = problem_of(Weighted(), L2Ball(3), feature_norm=2)
    with pytest.raises(DpreproError, match=r"Weighted\.slope must be the derivative"):
        CompiledDescent(NoisySGD(FullGradient(), steps=3)).solve(problem, BUDGET, np.random.default_rng(0))


def test_a_projection_that_is_not_the_sets_is_refused():
    class Half(L2Ball):
        def project(self, point):
            return 0.5 * super().project(point)

    problem = problem_of(HingeLoss(), Half(3), feature_norm=2)
    with pytest.raises(DpreproError, match=r"Half\.projection must be its project"):
        CompiledDescent(NoisySGD(FullGradient(), steps=3)).solve(problem, BUDGET, np.random.default_rng(0))


def test_a_loss_that_was_typed_at_a_prompt_is_compiled_all_the_same():
    space = {"CompiledCubic": CompiledCubic, "np": np, "__name__": "__main__"}
    exec(
        "class Typed(CompiledCubic):\n    @staticmethod\n    def slope(z, y):\n"
        "        return 1.5 * np.sign(z - y) * np.abs(z - y) ** 0.5",
        space,
    )
    compare(NoisySGD(FullGradient(), steps=40, **QUIET), problem_of(space["Typed"](), L2Ball(3), feature_norm=2))


def test_a_set_without_a_projection_that_can_be_compiled_is_served_literally():
    domain = domain_of(HingeLoss(), LqBall(3), 100, 2)
    assert choose("automatic", NoisySGD(), domain, RECORDS, "here") == "literal"
    with pytest.raises(Incompatible, match="needs a set with a compiled projection, an lq ball has none"):
        choose("compiled_descent", NoisySGD(), domain, RECORDS, "here")


def test_the_automatic_choice_is_the_axis_then_the_compiled_loop():
    full, sampled = NoisySGD(gradient=FullGradient()), NoisySGD()
    domain = domain_of(Median(), L2Ball(3), 100, 2)
    axis = RECORDS | {"axis"}
    assert choose("automatic", full, domain, axis, "x") == "axis_descent"
    assert choose("automatic", full, domain, RECORDS, "x") == "compiled_descent"
    assert choose("automatic", sampled, domain, axis, "x") == "compiled_descent"
    box = dataclasses.replace(domain, constraint_set=Box(3))
    assert choose("automatic", full, box, axis, "x") == "compiled_descent"
    for name, algorithm, where, representations, match in (
        ("axis_descent", sampled, domain, axis, "not sampled"),
        ("axis_descent", full, box, axis, "needs an l2 ball, not a box"),
        ("axis_descent", full, domain, RECORDS, "needs a problem with axis; this one has records"),
        ("compiled_descent", sampled, domain, frozenset({"moments"}), "needs a problem with records"),
        (
            "compiled_descent",
            full,
            domain,
            frozenset({"one_hot"}),
            "needs records for such steps; this problem has one",
        ),
        ("compiled_descent", JohnsonLindenstrauss(), domain, frozenset({"moments"}), "one_hot or records; this one"),
    ):
        with pytest.raises(Incompatible, match=match):
            choose(name, algorithm, where, representations, "x")


def test_checking_a_choice_does_not_import_numba():
    code = (
        "import sys, dprepro.reductions as r\n"
        "from dprepro.algorithms import NoisyGD\n"
        "from dprepro.problems import Domain, L2Ball, LogisticLoss\n"
        "domain = Domain(LogisticLoss(), L2Ball(3), 100)\n"
        "print(r.choose('automatic', NoisyGD(), domain, frozenset({'records'}), ''), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["compiled_descent", "False"]


def test_read_only_records_are_served():
    records = some_records(3, feature_norm=2)
    records.features.setflags(write=False)
    domain = domain_of(HingeLoss(), L2Ball(3), 3000, 2)
    compare(NoisySGD(FullGradient(), steps=20, **QUIET), Problem(domain, {"records": RecordsView(domain, records)}))
