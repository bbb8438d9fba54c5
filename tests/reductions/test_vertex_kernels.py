"""Frank-Wolfe over vertices: the noisy minimum by thinning, Gram columns, records alone, and groups."""

import dataclasses
from functools import cache
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from helpers.reduction_problems import (
    ALARM,
    BUDGET,
    domain_of,
    every_other,
    least_p_value,
    problem_of,
    risks,
    some_records,
    thetas,
)
from numba import njit
from scipy.stats import chi2_contingency, chisquare, ks_2samp

from dprepro.algorithms import ConstantStep, DecayingStep, FrankWolfe, NoisyFrankWolfe
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import CentredNeedle, FlatOptimum, TunedNeedle
from dprepro.problems import (
    GroupsView,
    HalfSquaredDistance,
    HalfSquaredLoss,
    L1Ball,
    LinearLoss,
    Moments,
    MomentsView,
    Problem,
    Simplex,
    SquaredLoss,
    VertexGroups,
)
from dprepro.reductions import GroupedVertices, IncrementalGradients, frank_wolfe_reductions
from dprepro.reductions.kernels import selection_kernels, vertex_kernels

SELECTIONS = ["laplace", "gumbel"]
STAGES = {"records": (1e-9, 5.0), "given up": (0.7, 0.0), "matrix": (1e9, 5.0)}
"""GRAM_COST and RENEWED: what makes a solve stay on records, leave them on the way, or make the matrix at once."""


def staged(monkeypatch, stage):
    """Sets both."""
    for name, value in zip(("GRAM_COST", "RENEWED"), STAGES[stage], strict=True):
        monkeypatch.setattr(frank_wolfe_reductions, name, value)


def needle(family, view):
    """At n = 4000, p = 6, tuned to a quarter of the noise of a fifth of the steps."""
    point = {"n": 4000.0, "p": 6.0}
    domain = family.domain(point)
    built = family.build(point, NoisyFrankWolfe(steps_factor=0.2).schedule(domain, BUDGET).noise_scale / 4)
    return Problem(domain, {view: built.see(view)})


@every_other(("kind", "family"), SELECTIONS, [TunedNeedle(), CentredNeedle()])
def test_grouped_vertices_have_the_literal_law(kind, family):
    algorithm = NoisyFrankWolfe(selection=kind, steps_factor=0.2)
    sample = risks(algorithm, needle(family, "moments"), 500, seed=1)
    grouped = needle(family, "groups")
    assert ks_2samp(sample, risks(GroupedVertices(algorithm), grouped, 500, seed=2)).pvalue > ALARM
    # Three times as many rivals at the same scores are noticed by the same test.
    wrong = dataclasses.replace(grouped.groups.groups, sizes=np.array([1.0, 15.0, 1.0, 15.0]))
    wide = dataclasses.replace(grouped.domain, constraint_set=L1Ball(16))
    planted = Problem(wide, {"groups": GroupsView(wide, wrong)})
    assert ks_2samp(sample, risks(GroupedVertices(algorithm), planted, 500, seed=3)).pvalue < ALARM


@pytest.mark.parametrize("steps", [1, 2, 5, 40])
def test_grouped_vertices_start_where_the_literal_algorithm_does_on_a_simplex(steps):
    m = np.array([0.5, 0.2, 0.2, 0.2])
    domain = domain_of(SquaredLoss(), Simplex(4), 100)
    groups = VertexGroups(np.array([1.0, 3.0]), np.outer(m[:2], m[:2]), m[:2], 1.0)
    listed = Problem(domain, {"moments": MomentsView(domain, Moments(m, 1.0, np.outer(m, m)))})
    grouped = Problem(domain, {"groups": GroupsView(domain, groups)})
    algorithm, rng = FrankWolfe(steps=steps), np.random.default_rng(0)
    literal = listed.excess_risk(algorithm.solve(listed, BUDGET, rng).theta)
    assert grouped.excess_risk(GroupedVertices(algorithm).solve(grouped, BUDGET, rng).theta) == pytest.approx(literal)


SETS = [L1Ball(6), Simplex(30), pytest.param(L1Ball(20, radius=0.7), marks=pytest.mark.slow)]


@cache
def literal_answers(algorithm, constraint_set):
    """400 draws, which take longest of all and are the same for every reduction that is held against them."""
    return thetas(algorithm, problem_of(SquaredLoss(), constraint_set), 400, seed=6)


@pytest.mark.parametrize("kind", SELECTIONS)
@pytest.mark.parametrize("constraint_set", SETS)
def test_incremental_gradients_on_moments_have_the_literal_law(kind, constraint_set):
    problem = problem_of(SquaredLoss(), constraint_set, "moments")
    algorithm = NoisyFrankWolfe(selection=kind, steps_factor=0.3)
    literal = literal_answers(algorithm, constraint_set)
    assert least_p_value(problem, literal, thetas(IncrementalGradients(algorithm), problem, 400, seed=5)) > ALARM


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", SELECTIONS)
@pytest.mark.parametrize("constraint_set", SETS)
def test_incremental_gradients_on_records_have_the_literal_law(kind, constraint_set, stage, monkeypatch):
    staged(monkeypatch, stage)
    problem = problem_of(SquaredLoss(), constraint_set)
    algorithm = NoisyFrankWolfe(selection=kind, steps_factor=0.3)
    literal = literal_answers(algorithm, constraint_set)
    assert least_p_value(problem, literal, thetas(IncrementalGradients(algorithm), problem, 400, seed=7)) > ALARM
    assert ("moments" in problem._built) is (stage == "matrix")


def test_the_gram_matrix_is_made_at_once_where_steps_on_records_would_read_more(monkeypatch):
    monkeypatch.setattr(frank_wolfe_reductions, "_Columns", None)  # nothing is kept of records that are not read
    problem = problem_of(SquaredLoss(), L1Ball(6))
    IncrementalGradients(NoisyFrankWolfe()).solve(problem, BUDGET, np.random.default_rng(0))
    assert "moments" in problem._built


def test_a_wrong_bound_on_how_far_scores_move_is_noticed(monkeypatch):
    staged(monkeypatch, "records")
    problem, algorithm = problem_of(SquaredLoss(), L1Ball(6)), NoisyFrankWolfe(steps_factor=0.3)
    budget = Budget(2.0, 1e-2, Neighbours.REPLACE_ONE)
    literal = thetas(algorithm, problem, 400, 8, budget)
    assert least_p_value(problem, literal, thetas(IncrementalGradients(algorithm), problem, 1200, 9, budget)) > ALARM
    monkeypatch.setattr(frank_wolfe_reductions, "_kept", WeakKeyDictionary())
    monkeypatch.setattr(
        frank_wolfe_reductions._Columns, "reach", property(lambda _: 0.0, lambda *_: None), raising=False
    )
    wrong = thetas(IncrementalGradients(algorithm), problem, 1200, 9, budget)
    assert least_p_value(problem, literal, wrong) < ALARM


@every_other(("kind", "loss"), SELECTIONS, [HalfSquaredLoss(), LinearLoss(), HalfSquaredDistance()])
def test_every_quadratic_loss_is_served_on_its_records(kind, loss):
    problem = problem_of(loss, L1Ball(5), feature_norm=2)
    algorithm = NoisyFrankWolfe(selection=kind, steps_exponent=0.5)
    if loss.smoothness == 0:  # a linear loss has no curvature, so that one step is all
        algorithm = dataclasses.replace(algorithm, steps_factor=1e-9)
    literal = thetas(algorithm, problem, 300, seed=10)
    assert least_p_value(problem, literal, thetas(IncrementalGradients(algorithm), problem, 300, seed=11)) > ALARM


def test_a_solve_on_records_copies_features_of_proposed_vertices_and_computes_no_gram_column():
    records = some_records(400, rows=200, n=200)
    problem = problem_of(SquaredLoss(), L1Ball(400), n=200, records=records)
    IncrementalGradients(NoisyFrankWolfe()).solve(problem, BUDGET, np.random.default_rng(0))
    kept = frank_wolfe_reductions._kept[problem.records]
    assert 0 < kept.held.sum() < 400
    assert not kept.known.any()


def test_a_solve_without_noise_on_records_computes_the_gram_columns_that_it_chooses():
    problem = problem_of(SquaredLoss(), L1Ball(400), n=200, records=some_records(400, rows=200, n=200))
    solution = IncrementalGradients(FrankWolfe(steps=15)).solve(problem, BUDGET, np.random.default_rng(0))
    kept = frank_wolfe_reductions._kept[problem.records]
    assert kept.known.sum() == np.count_nonzero(solution.theta) < 20
    chosen = np.flatnonzero(kept.known)
    np.testing.assert_allclose(kept.gram[chosen], problem.moments.moments.matrix()[chosen], atol=1e-12)


@pytest.mark.parametrize("stage", STAGES)
def test_what_earlier_solves_left_behind_changes_no_answer(stage, monkeypatch):
    staged(monkeypatch, stage)
    problem = problem_of(SquaredLoss(), L1Ball(40))
    reduction = IncrementalGradients(NoisyFrankWolfe(selection="laplace"))
    first, second = (reduction.solve(problem, BUDGET, np.random.default_rng(12)).theta for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_many_solves_on_records_share_a_gram_matrix_and_have_the_literal_law():
    problem, algorithm = problem_of(SquaredLoss(), L1Ball(6)), NoisyFrankWolfe(steps_factor=0.3)
    literal = literal_answers(algorithm, L1Ball(6))
    streams = [np.random.default_rng([14, k]) for k in range(400)]
    together = np.array([one.theta for one in IncrementalGradients(algorithm).solve_many(problem, BUDGET, streams)])
    assert least_p_value(problem, literal, together) > ALARM
    assert "moments" in problem._built


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("step_size", [DecayingStep(), ConstantStep()], ids=lambda rule: rule.name)
def test_without_noise_the_literal_points_come_out(step_size, stage, monkeypatch):
    staged(monkeypatch, stage)
    algorithm, rng = FrankWolfe(steps=200, step_size=step_size), np.random.default_rng(0)
    factor = np.random.default_rng(1).uniform(-0.2, 0.2, (2, 23))
    domain = domain_of(SquaredLoss(), L1Ball(23), 3000)
    cross = np.linspace(-0.1, 0.2, 23)
    problems = [
        *(problem_of(SquaredLoss(), one, view) for one in (L1Ball(23), Simplex(23)) for view in ("records", "moments")),
        Problem(
            domain,
            {"moments": MomentsView(domain, Moments(cross, 1.0, 0.5 * np.eye(23), np.linspace(0, 0.5, 23)))},
        ),
        Problem(domain, {"moments": MomentsView(domain, Moments(cross, 1.0, None, 0.5, factor))}),
        FlatOptimum().build({"n": 4096.0, "p": 300.0}, 0.0),
    ]
    for index, problem in enumerate(problems):
        literal = algorithm.solve(problem, BUDGET, rng).theta
        fast = IncrementalGradients(algorithm).solve(problem, BUDGET, rng).theta
        # Ties may be broken differently; the risk may not depend on it.
        assert problem.excess_risk(fast) == pytest.approx(problem.excess_risk(literal), abs=1e-9, rel=0.05)
        if index < 4:
            np.testing.assert_allclose(fast, literal, atol=1e-12)


@njit
def race(scores, unit, top, plus, both, blocks, total, grow, laplace, leader, leader_sign, draws, rng):
    """Choices among fixed half scores, as counts of (+, -)."""
    counts = np.zeros(2 * scores.shape[0])
    for _ in range(draws):
        weight = np.exp(-unit * (leader_sign * scores[leader] + top)) if laplace else 0.0
        limit = selection_kernels.give_up_at(laplace, weight, rng)
        y, share = 0.0, 2.0 / 3.0
        while True:
            y, share, j, sign, inside = selection_kernels.propose(
                plus, both, blocks, total, grow, laplace, y, share, limit, rng
            )
            if j < 0:
                j, sign = leader, leader_sign
                break
            weight = np.exp(-unit * (sign * scores[j] + top))
            if selection_kernels.accepted(weight, inside, grow, laplace, y, share):
                break
        counts[j if sign > 0 else scores.shape[0] + j] += 1
    return counts


def choices(entered, scores, scale, kind, draws, seed, grow=1 + 1e-9, signed=True):
    """By a table that was made for the scores ``entered``."""
    p, unit = len(scores), 2 / scale
    width = -(-p // selection_kernels.ROWS)
    plus, both = np.zeros((2, selection_kernels.ROWS * width))
    blocks = np.zeros(width)
    plus[:p] = entered
    top = selection_kernels.largest(plus[:p], signed, blocks)
    total = selection_kernels.enter(p, signed, unit, top, plus, both, blocks)
    leader, leader_sign = -1, 1.0
    if kind == "laplace":
        leader, leader_sign, total = selection_kernels.take_leader(plus, both, blocks)
    return race(
        np.array(scores), unit, top, plus, both, blocks, total, grow, kind == "laplace", leader, leader_sign, draws,
        np.random.default_rng(seed),
    )  # fmt: skip


def direct_choices(scores, scale, kind, draws, seed, signed=True):
    rng = np.random.default_rng(seed)
    mechanism = NoisyFrankWolfe(selection=kind).mechanism(scale)
    values = np.r_[2 * np.array(scores), -2 * np.array(scores)] if signed else 2 * np.array(scores)
    noise = mechanism.noise(draws * len(values), rng).reshape(draws, -1)  # as its `select` draws it, for all at once
    return np.bincount(np.argmin(values + noise, axis=1), minlength=2 * len(scores))


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
    ratio = np.array([selection_kernels.power(one / 16) for one in depth]) * np.exp(depth)
    assert ratio.min() >= 1 - 1e-14
    assert ratio[np.abs(depth - 4) < 4].max() < 1.04


@every_other(("kind", "seen"), SELECTIONS, [(L1Ball(20, 0.7), "moments"), (Simplex(50), "records")])
def test_many_steps_on_one_table_have_the_literal_law(kind, seen):
    problem = problem_of(SquaredLoss(), *seen)
    algorithm = NoisyFrankWolfe(selection=kind, steps_factor=2)
    assert algorithm.schedule(problem.domain, BUDGET).steps > 400
    literal = thetas(algorithm, problem, 120, seed=15)
    assert least_p_value(problem, literal, thetas(IncrementalGradients(algorithm), problem, 120, seed=16)) > ALARM


@pytest.mark.parametrize("kind", SELECTIONS)
def test_orthogonal_data_and_little_noise_end_within_the_regret_of_a_step(kind):
    """The mass of the table falls to nothing in one step here, again and again; the law is then all but certain."""
    domain, steps = domain_of(SquaredLoss(), L1Ball(40), 100), 300
    moments = Moments(np.linspace(0.1, 0.2, 40), 1.0, np.eye(40))
    problem = Problem(domain, {"moments": MomentsView(domain, moments)})
    gram, factor, ridge, cross = frank_wolfe_reductions.coefficients(moments)
    theta, none, known = np.zeros(40), np.zeros((0, 40)), np.ones(40, dtype=bool)
    reached = vertex_kernels.on_columns(
        gram, known, none, np.zeros(0), none, known, 41, factor, ridge, cross, 1.0, True, np.zeros(40), theta, 1, steps,
        1e-9, kind == "laplace", False, np.zeros(3), np.random.default_rng(17),
    )  # fmt: skip
    noiseless = FrankWolfe(steps=steps).solve(problem, BUDGET, np.random.default_rng(0)).theta
    assert reached == steps
    np.testing.assert_allclose(theta, noiseless, atol=2 / steps)


def test_least_of_many_noises_has_the_law_of_the_least_of_an_array():
    @njit
    def sample(laplace, count, draws, rng):
        out = np.empty(draws)
        for i in range(draws):
            out[i] = selection_kernels.least_of(laplace, count, rng)
        return out

    rng = np.random.default_rng(10)
    for kind in SELECTIONS:
        for count in (1, 3, 50):
            noise = NoisyFrankWolfe(selection=kind).mechanism(1.0).noise(count * 3000, rng)
            least = noise.reshape(3000, count).min(axis=1)
            assert ks_2samp(sample(kind == "laplace", count, 3000, rng), least).pvalue > ALARM
