"""One risk in several representations: records, moments, groups of vertices, a plane, and the problem that has them."""

from __future__ import annotations

import numpy as np
import pytest

from dprepro.errors import Incompatible, InputError
from dprepro.problems import (
    AbsoluteLoss,
    Box,
    ConstraintSet,
    Domain,
    GroupPoint,
    GroupsView,
    HalfSquaredDistance,
    HalfSquaredLoss,
    HingeLoss,
    L1Ball,
    L2Ball,
    LinearLoss,
    LogisticLoss,
    Loss,
    Median,
    Moments,
    MomentsView,
    OneHotView,
    PlanePoint,
    Problem,
    Records,
    RecordsView,
    SharpDistance,
    Simplex,
    SquaredLoss,
    VertexGroups,
    derived_representations,
)

QUADRATIC: list[Loss] = [SquaredLoss(), HalfSquaredLoss(), LinearLoss(), HalfSquaredDistance()]
INF = np.inf


def data(rows: int = 40, p: int = 6, seed: int = 0) -> Records:
    rng = np.random.default_rng(seed)
    return Records(rng.uniform(-1, 1, (rows, p)), rng.uniform(-1, 1, rows), rng.integers(1, 5, rows).astype(float))


def view_of(within: ConstraintSet, loss: Loss | None = None, records: Records | None = None) -> RecordsView:
    records = data(p=within.p) if records is None else records
    return RecordsView(Domain(loss or SquaredLoss(), within, records.n, feature_norm=INF), records)


def vertex_groups(view: RecordsView) -> VertexGroups:
    """Every vertex a group of its own: always true."""
    within, moments = view.domain.constraint_set, view.to_moments().moments
    corners = np.array([within.vertex(index) for index in range(within.vertices or 0)])
    images = corners @ moments.matrix() @ corners.T
    return VertexGroups(np.ones(len(corners)), images, corners @ moments.cross, moments.constant)


def needle(p: float, kappa: float = 0.01) -> GroupsView:
    """All rows m = (1/2, 1/2 - kappa, ..., 1/2 - kappa), y = 1: four groups of vertices, one state m.theta."""
    m = np.array([0.5, 0.5 - kappa])
    atoms = np.concatenate([m, -m])
    groups = VertexGroups(np.array([1.0, p - 1, 1.0, p - 1]), np.outer(atoms, atoms), atoms, 1.0)
    return GroupsView(Domain(SquaredLoss(), L1Ball(p), 1e12, feature_norm=INF), groups)


@pytest.mark.parametrize("within", [L1Ball(6), Simplex(6), L1Ball(6, 0.4)], ids=repr)
def test_records_moments_and_groups_agree_on_risk_gradient_and_minimum(within) -> None:
    by_records = view_of(within)
    by_moments = by_records.to_moments()
    by_groups = GroupsView(by_records.domain, vertex_groups(by_records))
    corners = np.array([within.vertex(index) for index in range(within.vertices)])
    for weights in np.random.default_rng(1).dirichlet(np.ones(len(corners)), size=20):
        # a group's weight is a share of the radius, which is in the vertices
        theta, point = weights @ corners, GroupPoint(weights)
        assert by_moments.value(theta) == pytest.approx(by_records.value(theta), rel=1e-12)
        assert by_groups.value(point) == pytest.approx(by_records.value(theta), rel=1e-12)
        gradient = by_records.gradient(theta)
        np.testing.assert_allclose(by_moments.gradient(theta), gradient, atol=1e-14)
        np.testing.assert_allclose(by_groups.gradient(point), within.scores(gradient), atol=1e-14)
        excess = by_records.excess(theta)
        assert by_moments.excess(theta) == pytest.approx(excess, abs=1e-12)
        assert by_groups.excess(point) == pytest.approx(excess, abs=1e-12)
        assert excess == pytest.approx(by_records.value(theta) - by_records.minimum.value, abs=1e-14)
    for other in (by_moments, by_groups):
        assert other.minimum.value == pytest.approx(by_records.minimum.value, abs=1e-12)
        assert other.trivial_risk == pytest.approx(by_records.trivial_risk, abs=1e-12)


@pytest.mark.parametrize("loss", QUADRATIC, ids=repr)
@pytest.mark.parametrize("within", [L2Ball(6, 0.5), Box(6, 0.2), Simplex(6)], ids=repr)
def test_moments_of_records_are_the_risk_of_every_quadratic_loss(loss: Loss, within: ConstraintSet) -> None:
    view = view_of(within, loss)
    moments, rng = view.to_moments(), np.random.default_rng(2)
    assert moments is view.to_moments()
    for _ in range(10):
        theta, linear, ridge = within.project(rng.normal(size=6)), rng.normal(size=6), rng.uniform()
        assert moments.value(theta) == pytest.approx(view.value(theta), abs=1e-14)
        np.testing.assert_allclose(moments.gradient(theta), view.gradient(theta), atol=1e-14)
        assert moments.excess(theta) == pytest.approx(view.excess(theta), abs=1e-14)
        found, other = view.minimise(linear, ridge), moments.minimise(linear, ridge)
        assert found.value == pytest.approx(other.value, abs=1e-10)
    assert moments.minimum.value == pytest.approx(view.minimum.value, abs=1e-10)


@pytest.mark.parametrize(
    "loss", [*QUADRATIC, LogisticLoss(), AbsoluteLoss(), HingeLoss(), Median(), SharpDistance()], ids=repr
)
def test_the_risk_is_the_mean_over_all_copies_and_so_is_its_gradient(loss: Loss) -> None:
    records = data()
    view, theta = view_of(L2Ball(6), loss, records), np.linspace(-0.1, 0.2, 6)
    every = np.repeat(np.arange(40), records.copies.astype(int))
    listed = view_of(L2Ball(6), loss, Records(records.features[every], records.targets[every]))
    assert view.value(theta) == pytest.approx(listed.value(theta), rel=1e-13)
    one_by_one = np.mean([view.record_gradient(theta, number) for number in every], axis=0)
    np.testing.assert_allclose(view.gradient(theta), one_by_one, atol=1e-14)
    step = 1e-6
    slopes = [(view.value(theta + step * e) - view.value(theta - step * e)) / (2 * step) for e in np.eye(6)]
    np.testing.assert_allclose(view.gradient(theta), slopes, atol=1e-8)


@pytest.mark.parametrize("loss", [Median(), SharpDistance()], ids=repr)
def test_the_gradient_at_a_tip_is_that_of_the_other_records(loss: Loss) -> None:
    records = data()
    view = view_of(L2Ball(6, 9.0), loss, records)
    assert not view.record_gradient(records.features[3], 3).any()
    rest = [view.records.weights[k] * view.record_gradient(records.features[3], k) for k in range(40) if k != 3]
    np.testing.assert_allclose(view.gradient(records.features[3]), np.sum(rest, axis=0), atol=1e-14)


def test_minimum_is_computed_once_and_has_no_excess() -> None:
    view = view_of(L1Ball(6))
    assert view.minimum is view.minimum
    assert view.excess(view.minimum.theta) == 0.0


def test_excess_risk_keeps_its_digits_far_below_the_risk() -> None:
    cross, step = np.array([0.3, 0.2]), np.array([3e-9, -4e-9])  # excess 25e-18, below the rounding of a risk near 1
    view = MomentsView(Domain(SquaredLoss(), L1Ball(2), 1e12, feature_norm=INF), Moments(cross, 1.0, ridge=np.ones(2)))
    assert view.excess(cross + step) == pytest.approx(25e-18, rel=1e-6)
    for loss in (SquaredLoss(), HalfSquaredDistance()):
        records = view_of(L2Ball(2, 5.0), loss, Records(np.eye(2), np.array([0.3, 0.2])))
        assert records.excess(np.asarray(records.minimum.theta) + step) == pytest.approx(12.5e-18, rel=1e-6)


@pytest.mark.parametrize("p", [10, 10**6, 10**12])
def test_the_tuned_needle_has_its_minimum_at_the_best_vertex_whatever_p(p: int) -> None:
    view = needle(p)
    np.testing.assert_allclose(view.minimum.theta.weights, [1, 0, 0, 0], atol=1e-12)
    assert view.minimum.value == pytest.approx(0.25)
    assert view.minimum.gap <= 1e-12
    assert view.trivial_risk == pytest.approx(0.75)
    assert view.domain.vertices == 2 * p


def test_an_interior_minimum_of_groups_leaves_weight_on_zero() -> None:
    groups = VertexGroups(np.array([1.0, 1.0]), np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([0.3, -0.3]), 1.0)
    minimum = GroupsView(Domain(SquaredLoss(), L1Ball(1), 5), groups).minimum
    assert minimum.theta.weights[0] - minimum.theta.weights[1] == pytest.approx(0.3)
    assert minimum.value == pytest.approx(1 - 0.09)


def test_a_simplex_of_groups_starts_at_the_barycentre() -> None:
    records = data(p=3)
    full = view_of(Simplex(3), records=Records(records.features[:, [0, 1, 1]], records.targets, records.copies))
    moments = full.to_moments().moments
    groups = VertexGroups(np.array([1.0, 2.0]), moments.matrix()[:2, :2], moments.cross[:2], moments.constant)
    view = GroupsView(full.domain, groups)
    np.testing.assert_allclose(view.start.weights, [1 / 3, 2 / 3])
    assert view.trivial_risk == pytest.approx(full.trivial_risk, abs=1e-12)
    with pytest.raises(InputError, match="nothing can be added"):
        view.minimise(0.0, 0.1)


def test_a_known_minimiser_of_moments_is_certified_before_it_is_believed() -> None:
    view = view_of(L1Ball(6)).to_moments()
    best = np.asarray(view.minimum.theta)
    again = MomentsView(view.domain, view.moments, known=best)
    assert again.minimum.theta is best
    assert again.minimum.value == view.minimum.value
    with pytest.raises(InputError, match="must lie in the set with a gap of at most 8e-09, got gap="):
        _ = MomentsView(view.domain, view.moments, known=0.9 * best).minimum
    with pytest.raises(InputError, match="must lie in the set"):
        _ = MomentsView(view.domain, view.moments, known=best + 2.0).minimum
    changed = again.minimise(0.3)
    assert changed.value == pytest.approx(view.minimise(0.3).value, abs=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("added", [0.0, 0.2])
def test_a_plane_tells_the_risk_of_all_the_coordinates_that_it_stands_for(ridge: float, added: float) -> None:
    """What is not along the data matters by its norm only; the noise's part across the data is put along one axis."""
    p = 9
    domain = Domain(SquaredLoss(), L2Ball(p, 0.5), 100)
    along = np.r_[0.6, np.zeros(p - 1)]
    listed = MomentsView(domain, Moments(along, 1.0, ridge=np.full(p, ridge)))
    plane = MomentsView(domain, Moments(along[:2], 1.0, ridge=np.full(2, ridge), spare=p - 1))
    assert isinstance(plane.start, PlanePoint)
    assert plane.minimum.value == pytest.approx(listed.minimum.value, abs=1e-14)
    noise = np.random.default_rng(3).normal(size=p)
    across = np.array([noise[0], np.linalg.norm(noise[1:])])
    found, other = plane.minimise(across, added), listed.minimise(noise, added)
    assert isinstance(found.theta, PlanePoint)
    assert found.value == pytest.approx(other.value, abs=1e-14)
    assert plane.excess(found.theta) == pytest.approx(listed.excess(other.theta), abs=1e-13)
    assert plane.trivial_risk == pytest.approx(listed.trivial_risk, abs=1e-14)


def test_an_l1_term_belongs_to_the_risk_in_records_and_in_moments() -> None:
    records = Records(np.diag([1.0, 0.5, 0.2]), np.array([1.0, -0.4, 0.9]))
    domain = Domain(SquaredLoss(), Box(3, 0.7), 3, l1_weight=0.3)
    view = RecordsView(domain, records)
    moments = MomentsView(domain, Moments(np.array([1, -0.2, 0.18]) / 3, 1.97 / 3, ridge=np.array([1, 0.25, 0.04]) / 3))
    theta = np.array([0.3, -0.2, 0.1])
    plain = RecordsView(Domain(SquaredLoss(), Box(3, 0.7), 3), records)
    assert view.value(theta) == pytest.approx(plain.value(theta) + 0.1 * 0.6)
    assert moments.value(theta) == pytest.approx(view.value(theta))
    assert moments.excess(theta) == pytest.approx(moments.value(theta) - moments.minimum.value)
    assert moments.minimum.gap <= 1e-15


def test_one_dimensional_data_have_an_axis_and_other_data_have_none() -> None:
    unit = np.array([0.6, 0.8, 0.0])
    line = Records(np.outer([1.0, -0.5, 0.25], unit), np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 1.0]))
    axis = view_of(L2Ball(3), HingeLoss(), line).axis
    side = axis.unit @ unit
    np.testing.assert_allclose(side * axis.unit, unit)
    np.testing.assert_allclose(side * axis.places, [1.0, -0.5, 0.25])
    np.testing.assert_allclose(axis.weights, [0.25, 0.5, 0.25])
    for loss in (LinearLoss(), HalfSquaredDistance()):
        records = data(p=3)
        axis = view_of(L2Ball(3), loss, records).axis
        np.testing.assert_allclose(axis.places * axis.unit, records.weights @ records.features)
    single = view_of(L2Ball(3), Median(), Records(line.features[:1])).axis
    np.testing.assert_allclose(single.places * single.unit, line.features[0])
    assert view_of(L2Ball(3), HingeLoss(), Records(np.zeros((1, 3)))).axis.places == [0.0]
    for loss, records in ((Median(), line), (HingeLoss(), data(p=3))):
        with pytest.raises(Incompatible, match="do not lie on one line"):
            _ = view_of(L2Ball(3), loss, records).axis


def problem(loss: Loss | None = None) -> Problem:
    view = view_of(L1Ball(6), loss)
    return Problem(view.domain, {"records": view})


def test_records_of_a_quadratic_loss_have_moments_and_others_have_none() -> None:
    assert problem().representations == {"records", "moments"}
    assert problem().given == {"records"}
    assert problem(LogisticLoss()).representations == {"records"}
    with pytest.raises(Incompatible, match="this problem has no moments; it has: records"):
        _ = problem(LogisticLoss()).moments
    with pytest.raises(InputError, match="LogisticLoss has no moments: it is not quadratic"):
        problem(LogisticLoss()).records.to_moments()
    large = Domain(SquaredLoss(), L1Ball(6000), 40, feature_norm=INF)
    assert derived_representations(large, frozenset({"records"})) == {"records"}
    flat = Domain(LinearLoss(), L1Ball(6000), 40, feature_norm=INF)
    assert derived_representations(flat, frozenset({"records"})) == {"records", "moments"}


def test_one_hot_counts_have_records_and_moments_of_the_same_risk() -> None:
    domain = Domain(SquaredLoss(), L2Ball(4), 10)
    view = OneHotView(domain, np.array([0.5, 1.0]), np.array([0.3, 0.2]), np.array([0.1, 0.2]))
    whole = Problem(domain, {"one_hot": view})
    assert whole.representations == {"one_hot", "records", "moments"}
    theta = np.array([0.1, -0.2, 0.3, 0.0])
    for other in (whole.records, whole.moments):
        assert other.excess(theta) == pytest.approx(view.excess(theta), abs=1e-14)
    assert derived_representations(Domain(SquaredLoss(), L2Ball(1e5), 10), frozenset({"one_hot"})) == {"one_hot"}
    assert "moments" not in derived_representations(Domain(AbsoluteLoss(), L2Ball(4), 10), frozenset({"one_hot"}))


def test_views_are_built_when_they_are_asked_for_and_once() -> None:
    calls = []

    def build() -> RecordsView:
        calls.append(1)
        return view_of(L1Ball(6))

    lazy = Problem(view_of(L1Ball(6)).domain, {"records": build})
    assert lazy.representations == {"records", "moments"}
    assert not calls
    assert lazy.records is lazy.records
    assert lazy.moments.value(np.zeros(6)) == pytest.approx(lazy.records.value(np.zeros(6)))
    assert len(calls) == 1


def test_a_problem_judges_every_kind_of_point_by_the_view_that_knows_it() -> None:
    view = view_of(L1Ball(6))
    both = Problem(view.domain, {"records": view, "groups": GroupsView(view.domain, vertex_groups(view))})
    weights = np.random.default_rng(4).dirichlet(np.ones(13))[:12]
    theta = weights[:6] - weights[6:]
    assert both.excess_risk(GroupPoint(weights)) == pytest.approx(both.excess_risk(theta), abs=1e-13)
    assert both.judge(theta) is both.dense is view
    assert both.cheapest is both.groups
    assert isinstance(both.start, GroupPoint)
    assert both.trivial_risk == pytest.approx(view.trivial_risk, abs=1e-12)
    assert both.minimum is view.minimum
    np.testing.assert_array_equal(both.gradient(theta), view.gradient(theta))
    with pytest.raises(Incompatible, match="this problem has no plane"):
        both.excess_risk(PlanePoint(np.zeros(2)))
    with pytest.raises(Incompatible, match="has no dense representation; it has: groups"):
        Problem(view.domain, {"groups": both.groups}).gradient(theta)


def test_moments_that_are_given_come_before_records() -> None:
    view = view_of(L1Ball(6))
    both = Problem(view.domain, {"records": view, "moments": view.to_moments()})
    assert both.dense is both.cheapest is both.moments


def test_a_problem_is_restricted_with_its_data() -> None:
    whole = problem()
    part = whole.restricted(L1Ball(6, 0.2))
    assert part.domain.radius == 0.2
    assert part.domain.n == whole.domain.n
    assert part.minimum.value > whole.minimum.value
    theta = np.full(6, 0.01)
    assert part.records.value(theta) == whole.records.value(theta)
    with pytest.raises(Incompatible, match="belongs to its set"):
        needle(10).over(part.domain)


def test_a_population_judges_what_a_sample_was_used_for() -> None:
    domain = Domain(SquaredLoss(), L2Ball(2), 10)
    population = OneHotView(domain, np.ones(2), np.array([0.3, 0.2]), np.array([0.1, 0.4]))
    sample = OneHotView(domain, np.ones(2), np.array([0.4, 0.1]), np.array([0.1, 0.4]))
    seen = Problem(domain, {"one_hot": sample}, population=population)
    theta = np.array([0.2, 0.1])
    assert seen.excess_risk(theta) == population.excess(theta)
    assert seen.minimum is population.minimum
    np.testing.assert_array_equal(seen.gradient(theta), sample.gradient(theta))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x, y: Records(x * np.nan, y), "features must be finite, got 240"),
        (lambda x, y: Records(x, y[:-1]), "features has 40 rows and labels has 39"),
        (lambda x, y: Records(x, y, np.zeros(40)), "counts must be positive, got 0"),
        (lambda x, y: Records(x[0], y), "features must have 2 dimensions"),
        (lambda x, y: Records(x[:0], y), "features must have at least one row"),
        (lambda x, y: Records("a", y), "features must be an array of numbers, got str"),
        (lambda x, y: view_of(L1Ball(6)).value(np.zeros(5)), r"theta must have shape \(6,\), got shape \(5,\)"),
        (
            lambda x, y: view_of(L1Ball(6)).value(GroupPoint(np.ones(1))),
            r"theta must have shape \(6,\), got a GroupPoint",
        ),
        (lambda x, y: view_of(L1Ball(6)).to_moments().value(PlanePoint(np.zeros(6))), "got a PlanePoint"),
        (lambda x, y: Moments(x[0], -1.0), "constant must be finite and at least 0, got -1.0"),
        (lambda x, y: Moments(x[0], 1.0, x[:6]), "gram must be symmetric"),
        (lambda x, y: Moments(x[0], 1.0, x[:5]), r"gram must have shape \(6, 6\)"),
        (lambda x, y: Moments(x[0], 1.0, ridge=-1.0), "ridge must be at least 0"),
        (lambda x, y: Moments(x[0], 1.0, ridge=np.nan), "ridge must be finite"),
        (lambda x, y: Moments(x[0], 1.0, ridge=np.ones(3)), r"ridge must have shape \(6,\) like cross, got \(3,\)"),
        (lambda x, y: Moments(x[0], 1.0, factor=np.ones((2, 3))), "factor must have 6 columns"),
        (lambda x, y: Moments(x[0], 1.0, ridge=1.0, spare=3), "spare directions need a diagonal G and no linear term"),
        (lambda x, y: Moments(np.zeros(0)), "cross must have at least one entry"),
        (lambda x, y: GroupPoint(np.array([0.7, 0.7])), "weights must be at least 0 and sum to at most 1"),
        (lambda x, y: VertexGroups(np.ones(2), -np.eye(2), np.zeros(2), 1.0), "gram must be positive semidefinite"),
        (lambda x, y: VertexGroups(np.array([1, 0.5]), np.eye(2), np.zeros(2), 1.0), "sizes must be whole numbers"),
        (lambda x, y: GroupsView(L1, GROUPS), "groups must cover the set's 12 vertices, their sizes sum to 2"),
        (lambda x, y: GroupsView(L2, GROUPS), "groups need a polytope; choices: L1Ball, Simplex, got an l2 ball"),
        (lambda x, y: MomentsView(L1, Moments(x[0, :3])), "moments have p=3, the set has p=6"),
        (lambda x, y: MomentsView(L1, PLANE), "spare directions need an l2 ball and no l1 term, got an l1 ball"),
        (lambda x, y: MomentsView(Domain(AbsoluteLoss(), L1Ball(6), 5), Moments(x[0])), "AbsoluteLoss has no moments"),
        (lambda x, y: GroupsView(Domain(SquaredLoss(), L1Ball(6), 5, l1_weight=1), GROUPS), "knows no l1 term"),
        (lambda x, y: GroupsView(Domain(AbsoluteLoss(), L1Ball(6), 5), GROUPS), "AbsoluteLoss has no groups"),
        (lambda x, y: MomentsView(L1, Moments(np.zeros(6), 2500.0)), "a risk at zero of at most 1, got 2500"),
        (lambda x, y: MomentsView(L1, Moments(np.full(6, 1.1))), "a slope at zero of at most 2, got 2.2"),
        (lambda x, y: MomentsView(L2, Moments(np.full(6, 0.5))), "a slope at zero of at most 2, got 2.4"),
        (lambda x, y: MomentsView(L1, Moments(np.zeros(6), ridge=1.1)), "a curvature of at most 1, got 1.1"),
        (lambda x, y: MomentsView(MEAN, Moments(np.full(6, 0.3))), "a slope at zero of at most 1, got 1.46"),
        (lambda x, y: GroupsView(L1, steep_groups(2.0, 1.0)), "a slope at zero of at most 2, got 4"),
        (lambda x, y: GroupsView(L1, steep_groups(1.0, 1.5)), "a curvature of at most 1, got 1.5"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, message) -> None:
    records = data()
    with pytest.raises(InputError, match=message) as refused:
        make(records.features, records.targets)
    assert "\n" not in str(refused.value)


def steep_groups(cross: float, form: float) -> VertexGroups:
    return VertexGroups(np.full(2, 6.0), form * np.eye(2), np.full(2, cross), 1.0)


GROUPS = VertexGroups(np.ones(2), np.eye(2), np.zeros(2), 1.0)
PLANE = Moments(np.array([0.5, 0.0]), 1.0, ridge=1.0, spare=5)
MEAN = Domain(HalfSquaredDistance(), L2Ball(6), 5)
L1, L2 = Domain(SquaredLoss(), L1Ball(6), 5, feature_norm=INF), Domain(SquaredLoss(), L2Ball(6), 5)
