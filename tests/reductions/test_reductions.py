"""Equality in distribution of the reductions and the literal algorithms.

Seeds are fixed; a p-value below 1e-4 fails. Each test that a wrong reduction must fail is shown to fail for one.
"""

import dataclasses

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare, ks_2samp

from dprepro.algorithms import FrankWolfe, NoisyFrankWolfe
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import CentredNeedle, FlatOptimum, RandomDesign, TunedNeedle
from dprepro.errors import Incompatible, InputError
from dprepro.problems import L1Ball, LeastSquares, Moments, Simplex, VertexGroups
from dprepro.reductions import GroupedVertices, IncrementalGradients, choose, kernels

ALARM = 1e-4
BUDGET = Budget(1.0, 1e-2, Neighbours.REPLACE_ONE)
SELECTIONS = ["laplace", "gumbel"]


def risks(solver, problem, draws, seed):
    rng = np.random.default_rng(seed)
    return np.array([problem.excess_risk(solver.solve(problem, BUDGET, rng).theta) for _ in range(draws)])


def random_problem(constraint_set, seed=0, **more):
    rng = np.random.default_rng(seed)
    p = constraint_set.p
    features = rng.uniform(-1, 1, (50, p))
    labels = np.clip(features[:, 0] * 0.9 - features[:, 1] * 0.5, -1, 1)
    moments = Moments(
        n=3000,
        cross=features.T @ labels / 50,
        second_moment=float(labels @ labels / 50),
        gram=features.T @ features / 50,
        **more,
    )
    return LeastSquares.from_moments(moments, constraint_set)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("construction", [TunedNeedle, CentredNeedle])
def test_grouped_vertices_have_the_literal_law(selection, construction):
    point = {"n": 4000.0, "p": 6.0}
    algorithm = NoisyFrankWolfe(selection=selection, steps_factor=0.2)
    scale = algorithm.schedule(construction().constants(point), BUDGET).noise_scale / 4
    literal = construction(view="moments").build(point, scale)
    grouped = construction().build(point, scale)
    sample = risks(algorithm, literal, 800, seed=1)
    assert ks_2samp(sample, risks(GroupedVertices(algorithm), grouped, 800, seed=2)).pvalue > ALARM
    # Three times as many rivals at the same scores are noticed by the same test.
    wrong = dataclasses.replace(grouped.groups, sizes=np.array([1.0, 15.0, 1.0, 15.0]))
    planted = LeastSquares.from_groups(wrong, 4000, L1Ball(16))
    assert ks_2samp(sample, risks(GroupedVertices(algorithm), planted, 800, seed=3)).pvalue < ALARM


@pytest.mark.parametrize("steps", [1, 2, 5, 40])
def test_grouped_vertices_start_where_the_literal_algorithm_does_on_a_simplex(steps):
    m = np.array([0.5, 0.2, 0.2, 0.2])
    listed = LeastSquares.from_moments(Moments(n=100, cross=m, second_moment=1.0, gram=np.outer(m, m)), Simplex(4))
    inner = m[:2]
    sizes = np.array([1.0, 3.0])
    grouped = LeastSquares.from_groups(VertexGroups(sizes, np.outer(inner, inner), inner, 1.0), 100, Simplex(4))
    algorithm, rng = FrankWolfe(steps=steps), np.random.default_rng(0)
    literal = listed.excess_risk(algorithm.solve(listed, BUDGET, rng).theta)
    assert grouped.excess_risk(GroupedVertices(algorithm).solve(grouped, BUDGET, rng).theta) == pytest.approx(literal)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("constraint_set", [L1Ball(6), Simplex(6), L1Ball(20, radius=0.7)])
def test_incremental_gradients_have_the_literal_law(selection, constraint_set):
    problem = random_problem(constraint_set)
    algorithm = NoisyFrankWolfe(selection=selection, steps_factor=0.1)
    assert (
        ks_2samp(
            risks(algorithm, problem, 600, seed=4), risks(IncrementalGradients(algorithm), problem, 600, seed=5)
        ).pvalue
        > ALARM
    )


def test_the_law_test_notices_noise_that_is_a_quarter_too_small():
    problem = random_problem(L1Ball(6))
    algorithm = NoisyFrankWolfe(steps_factor=0.1)
    louder = Budget(0.75, 1e-2, Neighbours.REPLACE_ONE)
    rng = np.random.default_rng(6)
    steps = algorithm.schedule(problem.constants, BUDGET).steps
    factor = 0.1 * steps / algorithm.schedule(problem.constants, louder).steps
    other = NoisyFrankWolfe(steps_factor=factor)
    sample = [problem.excess_risk(IncrementalGradients(other).solve(problem, louder, rng).theta) for _ in range(600)]
    assert ks_2samp(risks(algorithm, problem, 600, seed=7), sample).pvalue < ALARM


@pytest.mark.parametrize("step_size", ["decaying", "constant"])
def test_without_noise_the_incremental_gradients_are_the_literal_algorithm_bit_by_rounding(step_size):
    algorithm = FrankWolfe(steps=200, step_size=step_size)
    rng = np.random.default_rng(0)
    problems = [
        random_problem(L1Ball(23)),
        random_problem(Simplex(23)),
        random_problem(L1Ball(23), ridge=np.linspace(0, 1, 23)),
        random_problem(L1Ball(23), factor=np.random.default_rng(1).uniform(-1, 1, (2, 23))),
        FlatOptimum().build({"n": 4096.0, "p": 300.0}, 0.0),
        RandomDesign(rows=100).build({"n": 100.0, "p": 33.0}, 0.0),
    ]
    for problem in problems:
        literal = algorithm.solve(problem, BUDGET, rng).theta
        fast = IncrementalGradients(algorithm).solve(problem, BUDGET, rng).theta
        # Ties may be broken differently; the risk may not depend on it.
        assert problem.excess_risk(fast) == pytest.approx(problem.excess_risk(literal), abs=1e-9, rel=0.05)
    np.testing.assert_allclose(
        IncrementalGradients(algorithm).solve(problems[0], BUDGET, rng).theta,
        algorithm.solve(problems[0], BUDGET, rng).theta,
        atol=1e-12,
    )


def choices(entered, scores, scale, kind, draws, seed, grow=1 + 1e-9, signed=True):
    """Choices among fixed half scores, as indices into (+, -), by a table that was made for the scores ``entered``."""
    rng = np.random.default_rng(seed)
    p, unit = len(scores), 2 / scale
    width = -(-p // kernels.ROWS)
    plus, both, blocks = np.zeros(kernels.ROWS * width), np.zeros(kernels.ROWS * width), np.zeros(width)
    plus[:p] = entered
    top = kernels.largest(plus[:p], signed, blocks)
    total = kernels.enter(p, signed, unit, top, plus, both, blocks)
    leader, leader_sign = -1, 1.0
    if kind == "laplace":
        leader, leader_sign, total = kernels.take_leader(plus, both, blocks)
    counts = np.zeros(2 * p)
    level, cross, number = np.array(scores), np.zeros(p), kernels.KINDS[kind]
    for _ in range(draws):
        j, sign = kernels.noisy_least(
            level, cross, unit, top, plus, both, blocks, total, grow, number, leader, leader_sign, rng
        )
        counts[j if sign > 0 else p + j] += 1
    return counts


def direct_choices(scores, scale, kind, draws, seed, signed=True):
    rng = np.random.default_rng(seed)
    mechanism = NoisyFrankWolfe(selection=kind).mechanism(scale)
    values = np.r_[2 * np.array(scores), -2 * np.array(scores)] if signed else 2 * np.array(scores)
    return np.bincount([mechanism.select(values, rng) for _ in range(draws)], minlength=2 * len(scores))


def same_law(one, other):
    """p-value of the chi-square test that two tables of counts have one law."""
    rare = one + other < 20
    table = np.array([np.r_[counts[~rare], counts[rare].sum()] for counts in (one, other)])
    table = table[:, table.sum(axis=0) > 0]
    return chi2_contingency(table).pvalue if table.shape[1] > 1 else 1.0


SHAPES = {
    "one block": np.linspace(-0.5, 0.4, 9),
    "three blocks": np.sin(np.arange(80.0)) * 0.3,
    "one outlier among many": np.r_[np.zeros(75), -1.5],
    "ties": np.zeros(35),
}


@pytest.mark.parametrize("kind", SELECTIONS)
@pytest.mark.parametrize("scale", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_lazy_minimum_has_the_probabilities_of_the_full_one(kind, scale, shape):
    draws = 12_000
    lazy = choices(SHAPES[shape], SHAPES[shape], scale, kind, draws, seed=8)
    direct = direct_choices(SHAPES[shape], scale, kind, draws, seed=9)
    assert lazy.sum() == direct.sum() == draws
    assert same_law(lazy, direct) > ALARM
    if kind == "gumbel":
        weights = np.exp(-np.r_[2 * SHAPES[shape], -2 * SHAPES[shape]] / scale)
        expected = draws * weights / weights.sum()
        often = expected > 5
        observed = np.r_[lazy[often], lazy[~often].sum()]
        expected = np.r_[expected[often], expected[~often].sum()]
        if expected[-1] == 0 or len(expected) == 1:
            observed, expected = observed[:-1], expected[:-1]
        if len(expected) > 1:
            assert chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > ALARM


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("kind", SELECTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_an_old_table_gives_the_present_law_if_its_bound_holds_and_only_then(shape, kind, signed):
    scale, draws, moved = 0.4, 12_000, 0.3
    old = SHAPES[shape]
    new = old + moved * np.random.default_rng(11).choice([-1.0, 1.0], len(old))
    grow = np.exp(2 / scale * moved)
    direct = direct_choices(new, scale, kind, draws, seed=12, signed=signed)
    assert same_law(choices(old, new, scale, kind, draws, 13, grow, signed), direct) > ALARM
    if shape != "one outlier among many":  # it wins nearly always, whatever is done to the rest
        assert same_law(choices(old, new, scale, kind, draws, 14, 1.0, signed), direct) < ALARM


def test_the_tables_entries_are_bounds_and_not_far_above():
    depth = np.linspace(-8, 60, 200)
    ratio = np.array([kernels.power(one / 16) for one in depth]) * np.exp(depth)
    assert ratio.min() >= 1 - 1e-14
    assert ratio[np.abs(depth - 4) < 4].max() < 1.04


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("ball", [L1Ball(20, radius=0.7), Simplex(50)])
def test_many_steps_on_one_table_have_the_literal_law(selection, ball):
    problem = random_problem(ball)
    algorithm = NoisyFrankWolfe(selection=selection, steps_factor=2)
    assert algorithm.schedule(problem.constants, BUDGET).steps > 400
    samples = []
    for seed, solver in ((15, algorithm), (16, IncrementalGradients(algorithm))):
        rng = np.random.default_rng(seed)
        thetas = np.array([solver.solve(problem, BUDGET, rng).theta for _ in range(200)])
        samples.append(np.c_[thetas[:, [0, 1, 7]], [problem.excess_risk(theta) for theta in thetas]])
    for literal, fast in zip(samples[0].T, samples[1].T, strict=True):
        assert ks_2samp(literal, fast).pvalue > ALARM


@pytest.mark.parametrize("kind", SELECTIONS)
def test_orthogonal_data_and_little_noise_end_within_the_regret_of_a_step(kind):
    """The mass of the table falls to nothing in one step here, again and again; the law is then all but certain."""
    moments = Moments(n=100, cross=np.linspace(0.1, 0.2, 40), second_moment=1.0, gram=np.eye(40))
    problem = LeastSquares.from_moments(moments, L1Ball(40))
    theta, steps = np.zeros(40), 300
    kernels.vertex_frank_wolfe(
        moments.gram, np.zeros((0, 40)), np.zeros(40), moments.cross, 1.0, True, np.zeros(40), theta, steps, 1e-9,
        kernels.KINDS[kind], False, np.random.default_rng(17),
    )  # fmt: skip
    noiseless = FrankWolfe(steps=steps).solve(problem, BUDGET, np.random.default_rng(0)).theta
    np.testing.assert_allclose(theta, noiseless, atol=2 / steps)


def test_least_of_many_noises_has_the_law_of_the_least_of_an_array():
    from numba import njit

    @njit
    def sample(kind, count, draws, rng):
        out = np.empty(draws)
        for i in range(draws):
            out[i] = kernels.least_of(kind, count, rng)
        return out

    rng = np.random.default_rng(10)
    for kind in SELECTIONS:
        for count in (1, 3, 50):
            arrays = (
                NoisyFrankWolfe(selection=kind).mechanism(1.0).noise(count * 3000, rng).reshape(3000, count).min(axis=1)
            )
            assert ks_2samp(sample(kernels.KINDS[kind], count, 3000, rng), arrays).pvalue > ALARM


def test_the_automatic_choice_takes_the_cheapest_that_serves():
    algorithm = NoisyFrankWolfe()
    assert choose("automatic", algorithm, frozenset({"groups", "moments"}), "x") == "grouped_vertices"
    assert choose("automatic", algorithm, frozenset({"moments", "vertices"}), "x") == "incremental_gradients"
    assert choose("automatic", algorithm, frozenset({"moments"}), "x") == "literal"
    assert choose("automatic", algorithm, frozenset({"records"}), "x") == "literal"


def test_a_reduction_that_cannot_serve_is_refused_with_the_reason():
    with pytest.raises(Incompatible, match="needs a problem with groups"):
        choose("grouped_vertices", NoisyFrankWolfe(), frozenset({"moments"}), "series a")
    with pytest.raises(Incompatible, match="IncrementalGradients needs a problem with vertices too"):
        choose("incremental_gradients", NoisyFrankWolfe(), frozenset({"moments"}), "series a")
    with pytest.raises(InputError, match="literal"):
        choose("faster", NoisyFrankWolfe(), frozenset({"moments"}), "series a")
