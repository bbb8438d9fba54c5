"""Every loss over every set: the minimiser of listed records is certified, and agrees with independent solvers."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from helpers.small_problems import losses
from scipy.optimize import linprog, minimize

import dprepro.problems.minimise.newton as newton_module
import dprepro.problems.minimise.pieces as pieces_module
import dprepro.problems.views.records_view as records_module
from dprepro.errors import DpreproError, Incompatible, InputError
from dprepro.problems import (
    AbsoluteLoss,
    Box,
    ConstraintSet,
    Domain,
    HalfSquaredDistance,
    HingeLoss,
    HuberLoss,
    L1Ball,
    L2Ball,
    LinearLoss,
    LocalBall,
    LogisticLoss,
    Loss,
    LqBall,
    Median,
    PositivePartLoss,
    Records,
    RecordsView,
    SharpDistance,
    Simplex,
    SpikedBall,
    SquaredLoss,
)

LOSSES = [*losses().values()]
ADDED = {"plain": (0.0, 0.0), "linear": (0.5, 0.0), "ridge": (0.0, 0.3), "both": (2.0, 1e-3)}


def sets(p: int, wide: float = 20.0) -> list[ConstraintSet]:
    centre = 0.6 * np.eye(1, p)[0]
    return [
        L1Ball(p, 0.7), L1Ball(p, wide), L2Ball(p, 0.5), L2Ball(p, wide), Simplex(p), Simplex(p, 3.0), Box(p, 0.2),
        Box(p, wide), LqBall(p, 0.6, 1.5), LqBall(p, 0.6, 3.0), LocalBall(p, 1.0, centre, 0.5),
        LocalBall(p, 1.0, -centre, 0.2), SpikedBall(p, 1.0, 0.3), SpikedBall(p, wide, 1.0),
    ]  # fmt: skip


def view_of(loss: Loss, within: ConstraintSet, rows: int, seed: int = 0, scale: float = 0.5) -> RecordsView:
    """Records of norm at most 1 with unequal numbers of copies; Huber's loss gets labels beyond its bend."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, within.p))
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    bound = 3.0 if isinstance(loss, HuberLoss) else 1.0
    labels = np.sign(rng.normal(size=rows)) if isinstance(loss, HingeLoss) else rng.uniform(-bound, bound, rows)
    records = Records(features, labels, rng.integers(1, 9, rows) * 1e6)
    return RecordsView(Domain(loss, within, records.n, label_bound=bound), records)


def named(each: object) -> str:
    return type(each).__name__ if isinstance(each, Loss) else str(each)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_every_minimum_is_certified_and_no_point_lies_below_it(loss: Loss, added: str, every: int) -> None:
    rng = np.random.default_rng(1)
    first = (LOSSES.index(loss) + list(ADDED).index(added)) % every  # every loss has every shape, and all that is added
    for rows, p in ((60, 5), (6, 9), (25, 1), (1, 3))[first::every]:
        linear, ridge = ADDED[added][0] * rng.normal(size=p), ADDED[added][1]
        for within in sets(p):
            view = view_of(loss, within, rows)
            minimum, domain = view.minimise(linear, ridge), view.domain
            assert within.contains(minimum.theta)
            size = domain.lipschitz + float(np.linalg.norm(linear)) + ridge * domain.radius
            assert minimum.gap <= 1e-9 * size * 2 * domain.radius
            near = [within.project(minimum.theta + 1e-3 * rng.normal(size=p)) for _ in range(5)]
            for theta in [*near, *(within.project(rng.normal(size=p)) for _ in range(5)), within.start()]:
                value = view.value(theta) + linear @ theta + 0.5 * ridge * theta @ theta
                assert value >= minimum.value - minimum.gap - 1e-14 * size * (1 + domain.radius)


def feasible(within: ConstraintSet) -> tuple[list[dict[str, object]], np.ndarray]:
    """The set for SLSQP, from its definition: constraints on x, which starts with theta, and a first x."""
    p, radius = within.p, within.radius

    def at_least(function) -> dict[str, object]:
        return {"type": "ineq", "fun": function}

    zero = np.zeros(p)
    match within:
        case L1Ball():  # positive and negative parts
            split = [at_least(lambda x: x[p:]), at_least(lambda x: radius - x[p:].sum())]
            joined = {"type": "eq", "fun": lambda x: x[:p] - x[p : 2 * p] + x[2 * p :]}
            return [*split, joined], np.zeros(3 * p)
        case L2Ball():
            return [at_least(lambda x: radius**2 - x[:p] @ x[:p])], zero
        case Simplex():
            whole = {"type": "eq", "fun": lambda x: x[:p].sum() - radius}
            return [at_least(lambda x: x[:p]), whole], np.full(p, radius / p)
        case Box():
            return [at_least(lambda x: radius - x[:p]), at_least(lambda x: radius + x[:p])], zero
        case LqBall():
            return [at_least(lambda x: radius**within.q - (x[:p] ** 2) ** (within.q / 2) @ np.ones(p))], zero + 0.01
        case LocalBall():
            centre = within.centre
            near = at_least(lambda x: within.reach**2 - (x[:p] - centre) @ (x[:p] - centre))
            return [near, at_least(lambda x: radius**2 - x[:p] @ x[:p])], centre.copy()
        case SpikedBall():  # a mixture of the two tips and a point of the ball: share of each tip, of the ball, point
            shares = [at_least(lambda x: x[p : p + 3]), {"type": "eq", "fun": lambda x: x[p : p + 3].sum() - 1}]
            inner = at_least(lambda x: (within.ball * x[p + 2]) ** 2 - x[p + 3 :] @ x[p + 3 :])
            first = np.eye(1, p)[0]
            mixed = {"type": "eq", "fun": lambda x: radius * (x[p] - x[p + 1]) * first + x[p + 3 :] - x[:p]}
            start = np.concatenate([zero, [0.25, 0.25, 0.5], zero])
            return [*shares, inner, mixed], start
    raise AssertionError(within)


@pytest.mark.parametrize("within", sets(3, wide=4.0), ids=named)
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.affine(np.ones(1)) is None], ids=named)
def test_minima_agree_with_slsqp_on_the_sets_definition(loss: Loss, within: ConstraintSet) -> None:
    """Norms are smooth where its steps go; for affine pieces see below."""
    view, linear, ridge = view_of(loss, within, 12, seed=5), np.array([0.1, -0.2, 0.05]), 0.1
    constraints, start = feasible(within)
    p = within.p

    def risk(x: np.ndarray) -> float:
        return view.value(x[:p]) + float(linear @ x[:p]) + 0.5 * ridge * float(x[:p] @ x[:p])

    def slope(x: np.ndarray) -> np.ndarray:
        return np.concatenate([view.gradient(x[:p]) + linear + ridge * x[:p], np.zeros(x.size - p)])

    options = {"ftol": 1e-15, "maxiter": 500}
    solved = minimize(risk, start, jac=slope, constraints=constraints, method="SLSQP", options=options)
    minimum = view.minimise(linear, ridge)
    assert within.contains(solved.x[:p], 1e-6)
    assert minimum.value == pytest.approx(solved.fun, abs=1e-7)


POLYHEDRA = [one for one in sets(4, wide=4.0) if isinstance(one, L1Ball | Simplex | Box)]


@pytest.mark.parametrize("within", POLYHEDRA, ids=named)
@pytest.mark.parametrize("loss", [AbsoluteLoss(), HingeLoss(), PositivePartLoss(), LinearLoss()], ids=named)
@pytest.mark.parametrize("pulled", [False, True])
def test_piecewise_linear_minima_over_polytopes_agree_with_a_linear_programme(loss, within, pulled: bool) -> None:
    view = view_of(loss, within, 40, seed=6)
    features, labels, weights = view.records.features, view.records.targets, view.records.weights
    linear = np.array([0.1, -0.2, 0.05, 0.0]) if pulled else np.zeros(4)
    # levels above every piece, written out for each loss
    pieces = {
        AbsoluteLoss: [(1.0, -labels), (-1.0, labels)],
        HingeLoss: [(-labels, 1.0), (0.0, 0.0)],
        PositivePartLoss: [(-1.0, labels), (0.0, 0.0)],
        LinearLoss: [(-1.0, 0.0)],
    }[type(loss)]
    above = [np.hstack([np.broadcast_to(slope, 40)[:, None] * features, -np.eye(40)]) for slope, _ in pieces]
    limits = [np.broadcast_to(-np.asarray(offset), 40) for _, offset in pieces]
    whole, sides = None, []
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * 4
    if isinstance(within, Box):
        bounds = [(-within.radius, within.radius)] * 4
    elif isinstance(within, Simplex):
        whole, bounds = np.r_[np.ones(4), np.zeros(40)][None, :], [(0, None)] * 4
    else:
        sides = [np.r_[signs, np.zeros(40)] for signs in itertools.product((-1.0, 1.0), repeat=4)]
    solved = linprog(
        np.r_[linear, weights],
        A_ub=np.vstack([*above, *sides]),
        b_ub=np.concatenate([*limits, np.full(len(sides), within.radius)]),
        A_eq=whole,
        b_eq=None if whole is None else [within.radius],
        bounds=[*bounds, *[(None, None)] * 40],
    )
    minimum = view.minimise(linear)
    assert minimum.value == pytest.approx(solved.fun, abs=1e-9)
    assert minimum.gap <= 1e-10


@pytest.mark.parametrize("loss", [AbsoluteLoss(), HingeLoss(), PositivePartLoss()], ids=named)
@pytest.mark.parametrize(
    "within", [L2Ball(3, 0.5), L2Ball(3, 4.0), LocalBall(3, 1.0, np.array([0.6, 0, 0]), 0.5)], ids=str
)
def test_piecewise_linear_minima_over_round_sets_agree_with_slsqp_on_the_epigraph(loss, within) -> None:
    view = view_of(loss, within, 10, seed=7)
    features, labels, weights = view.records.features, view.records.targets, view.records.weights
    slopes, offsets = loss.affine(labels)
    constraints, start = feasible(within)
    for slope, offset in zip(slopes, offsets, strict=True):
        constraints.append({"type": "ineq", "fun": lambda x, a=slope, b=offset: x[3:] - a * (features @ x[:3]) - b})
    solved = minimize(
        lambda x: weights @ x[3:],
        np.r_[start, np.full(10, 5.0)],
        jac=lambda x: np.r_[np.zeros(3), weights],
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert view.minimise().value == pytest.approx(solved.fun, abs=1e-7)


@pytest.mark.parametrize("loss", LOSSES, ids=named)
@pytest.mark.parametrize("within", [L2Ball(3, 0.5), L1Ball(3, 4.0), Box(3, 0.2)], ids=named)
def test_a_planted_minimiser_is_believed_where_it_is_right_and_refused_where_it_is_wrong(loss, within) -> None:
    view = view_of(loss, within, 40, seed=8)
    found = view.minimise()
    wrong = 0.95 * found.theta + 0.05 * within.minimise_linear(found.theta + 0.01)
    with pytest.raises(InputError, match="must lie in the set with a gap of at most"):
        RecordsView(view.domain, view.records, known=wrong).minimise()
    with pytest.raises(InputError, match="must lie in the set with a gap of at most"):
        RecordsView(view.domain, view.records, known=found.theta + 5.0).minimise()
    if math.isfinite(loss.smoothness):
        again = RecordsView(view.domain, view.records, known=found.theta)
        assert again.minimum.theta is found.theta
        assert again.minimum.gap <= 1e-9
        again.minimise(0.1)  # with an added term it is solved as ever


def test_a_planted_corner_is_certified_by_the_subgradients_at_its_kinks() -> None:
    """Hinges that meet at 2/3 e_1, norms whose tips pull against each other, and the median of an interval."""
    p = 6
    first, aside = 1.5 * np.eye(1, p), np.eye(p)[1:]
    once = np.concatenate([first + aside, first - aside])
    hinges = Records(np.concatenate([once, once]), np.repeat([1.0, -1.0], len(once)), np.repeat([3.0, 1.0], len(once)))
    corner = 2 / 3 * np.eye(1, p)[0]
    view = RecordsView(Domain(HingeLoss(), L2Ball(p), hinges.n, math.sqrt(13) / 2), hinges, corner)
    assert view.minimum.theta is corner
    assert view.minimum.gap <= 1e-9
    assert view.excess(corner) == 0.0
    centre = 0.5 * np.eye(1, p)[0]
    spread = Records(
        np.concatenate([[centre], centre + 0.3 * aside, centre - 0.3 * aside]), None, np.r_[10, np.ones(10)]
    )
    for loss in (Median(), SharpDistance()):
        view = RecordsView(Domain(loss, L2Ball(p), spread.n), spread, centre)
        assert view.minimum.gap <= 1e-15
        solved = RecordsView(view.domain, spread).minimise()
        assert solved.value == pytest.approx(view.minimum.value, abs=1e-9)
    with pytest.raises(InputError, match="gap of at most"):
        RecordsView(Domain(Median(), L2Ball(p), spread.n), spread, np.zeros(p)).minimise()


@pytest.mark.parametrize("loss", [Median(), SharpDistance(), HalfSquaredDistance()], ids=named)
def test_a_single_record_is_its_own_minimiser_or_its_projection(loss: Loss) -> None:
    """At any p: no programme is solved."""
    for within in (L2Ball(20_000), L2Ball(20_000, 0.2), L1Ball(20_000), Simplex(20_000)):
        record = np.full((1, 20_000), 0.5 / math.sqrt(20_000))
        view = RecordsView(Domain(loss, within, 7), Records(record, counts=np.array([7.0])))
        np.testing.assert_allclose(view.minimum.theta, within.project(record[0]), atol=1e-15)
        assert view.minimum.gap <= 1e-12


@pytest.mark.parametrize("loss", [AbsoluteLoss(), HingeLoss(), PositivePartLoss()], ids=named)
def test_on_a_line_the_minimum_is_the_best_kink_exactly(loss: Loss) -> None:
    rng = np.random.default_rng(9)
    for within in (L2Ball(1, 2.0), Box(1, 0.3), Simplex(1, 0.5)):
        for rows in (1, 2, 301):
            features, labels = rng.uniform(-1, 1, (rows, 1)), rng.uniform(-1, 1, rows)
            view = RecordsView(Domain(loss, within, rows), Records(features, labels))
            for linear in (0.0, 0.05, -3.0):
                minimum = view.minimise(np.array([linear]))
                values = [view.value(np.array([place])) + linear * place for place in view.kinks]
                assert minimum.gap == 0
                assert minimum.value == pytest.approx(min(values), abs=1e-15)


def test_kinks_are_where_the_slope_jumps_in_one_dimension_and_nowhere_else() -> None:
    features, labels = np.array([[1.0], [-1.0], [0.0], [0.5]]), np.array([0.3, 0.4, 1.0, 1.0])
    view = RecordsView(Domain(PositivePartLoss(), L2Ball(1, 1.5), 4), Records(features, labels))
    np.testing.assert_allclose(view.kinks, [-1.5, -0.4, 0.3, 1.5])
    with pytest.raises(Incompatible, match="only a one-dimensional risk of affine pieces"):
        _ = view_of(LogisticLoss(), L2Ball(1), 4).kinks
    with pytest.raises(Incompatible, match="only a one-dimensional risk of affine pieces"):
        _ = view_of(HingeLoss(), L2Ball(2), 4).kinks


@pytest.mark.parametrize("loss", [AbsoluteLoss(), HingeLoss()], ids=named)
@pytest.mark.parametrize("within", [L1Ball(50, 3.0), L2Ball(50)], ids=named)
@pytest.mark.slow
def test_two_thousand_records_in_fifty_dimensions_have_a_certificate_of_1e_10(loss: Loss, within) -> None:
    minimum = (view := view_of(loss, within, 2000, seed=10)).minimise()
    assert minimum.gap <= 1e-10 * 2 * view.domain.lipschitz * view.domain.radius


@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize("within", [L2Ball(3, 2.0), L1Ball(3, 5.0), Simplex(3, 3.0)], ids=named)
@pytest.mark.parametrize("loss", [AbsoluteLoss(), HingeLoss(), PositivePartLoss()], ids=named)
def test_many_records_have_the_minimiser_of_one_programme_whatever_their_sample_says(
    loss: Loss, within: ConstraintSet, added: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In any order, and by labels: the sample then is of one kind, and records have to come back in."""
    view = view_of(loss, within, 160, seed=3)
    whole, programme, sizes = view.minimise(*ADDED[added]), pieces_module._programme, []

    def counted(pieces: pieces_module.Pieces, *others: object) -> tuple[np.ndarray, np.ndarray]:
        sizes.append(len(pieces.weights))
        return programme(pieces, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(pieces_module, "AT_ONCE", 12)
    monkeypatch.setattr(pieces_module, "_programme", counted)
    records = view.records
    for order in (np.arange(160), np.argsort(records.targets), np.argsort(records.features[:, 0])):
        data = Records(records.features[order], records.targets[order], records.copies[order])
        part = RecordsView(view.domain, data).minimise(*ADDED[added])
        assert part.value == pytest.approx(whole.value, abs=1e-9)
        assert part.gap <= 1e-9
    assert 0 < max(sizes) < 160


def test_where_the_risk_is_flat_a_second_search_gives_the_digits_that_the_first_one_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view, exact, pulls = view_of(AbsoluteLoss(), L2Ball(3), 90, seed=4), pieces_module.minimise_pieces, []

    def rough(*arguments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pulls.append(arguments[-1])
        theta, shares = exact(*arguments)  # type: ignore[arg-type]
        return (theta * 0.999, shares) if len(pulls) == 1 else (theta, shares)

    monkeypatch.setattr(records_module, "minimise_pieces", rough)
    assert view.minimise().gap <= 1e-8 * view.domain.swing
    assert pulls[0] == 0
    assert pulls[1] > 0


def test_a_solver_that_errs_is_caught_by_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """In theta, in the multipliers, and in the direction of a step."""
    view = view_of(AbsoluteLoss(), L2Ball(3), 30)
    monkeypatch.setattr(
        records_module, "minimise_pieces", lambda pieces, *_: (np.zeros(3), np.full(pieces.slopes.shape, 0.5))
    )
    with pytest.raises(DpreproError, match="with a gap of at most"):
        view.minimise()
    norms = view_of(Median(), L2Ball(3), 30)
    assert norms.minimum.gap < 1e-9
    monkeypatch.setattr(records_module, "minimise_norms", lambda *_: (norms.minimum.theta, np.zeros((30, 3))))
    with pytest.raises(DpreproError, match="with a gap of at most"):
        norms.minimise()
    monkeypatch.setattr(newton_module, "best_point", lambda model, within: within.start())
    with pytest.raises(DpreproError, match="with a gap of at most"):
        view_of(LogisticLoss(), L2Ball(3), 30).minimise()


def test_a_conic_programme_is_deterministic_to_the_bit() -> None:
    first, second = (view_of(HingeLoss(), L1Ball(8), 100).minimise(0.1, 0.01) for _ in range(2))
    np.testing.assert_array_equal(first.theta, second.theta)
    assert (first.value, first.gap) == (second.value, second.gap)


def test_losses_without_a_method_and_l1_terms_are_refused() -> None:
    class Bent(AbsoluteLoss):
        """|z - y| + (z - y)^2: kinked and curved."""

        @staticmethod
        def phi(z, y):
            return np.abs(z - y) + (z - y) ** 2

        @staticmethod
        def slope(z, y):
            return np.sign(z - y) + 2 * (z - y)

    with pytest.raises(Incompatible, match="no certified minimiser is known for Bent"):
        view_of(Bent(), L2Ball(2), 5).minimise()
    records = Records(np.eye(2), np.ones(2))
    with pytest.raises(Incompatible, match="no minimiser is known for an l1 term beside LogisticLoss"):
        RecordsView(Domain(LogisticLoss(), L2Ball(2), 2, l1_weight=0.1), records).minimise()
    with pytest.raises(DpreproError, match="not diagonal"):
        RecordsView(Domain(SquaredLoss(), L2Ball(2), 2, l1_weight=0.1), records).minimise()


def test_importing_problems_imports_neither_scipy_nor_clarabel() -> None:
    code = (
        "import sys, dprepro.problems\n"
        "sys.exit(any(name.split('.')[0] in ('scipy', 'clarabel') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
