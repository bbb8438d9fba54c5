"""What every construction of `conf/construction` keeps: data are as declared, and all representations tell one risk."""

from __future__ import annotations

import inspect
import tracemalloc
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import yaml

import dprepro.constructions
from dprepro.constructions import Construction, OnePlace
from dprepro.constructions.ball import dense_problem
from dprepro.errors import InputError
from dprepro.problems import REPRESENTATIONS, GroupPoint, L1Ball, PlanePoint, Records
from dprepro.support.typed import build

CONF = Path(__file__).parents[2] / "conf" / "construction"
NAMES = sorted(path.stem for path in CONF.glob("*.yaml"))
POINT = {"n": 2000.0, "p": 16.0, "epsilon": 0.5, "delta": 1e-6, "norm": 1.0}
NOISE = 0.05
HUGE = 1e12


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(-1, 1, (2000, 16)), columns=[f"x{j}" for j in range(15)] + ["y"])
    path = tmp_path_factory.mktemp("table") / "data.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def construction(request, path):
    given = yaml.safe_load((CONF / f"{request.param}.yaml").read_text())
    if request.param == "table":
        given |= {"path": str(path), "target": "y", "bounds": {f"x{j}": [-1, 1] for j in range(15)} | {"y": [-1, 1]}}
    return build(Construction, given)


def each(*names):
    return pytest.mark.parametrize("construction", [name for name in NAMES if name not in names], indirect=True)


def drawn(construction, seed=0):
    """A data set of the family, at the point where its parameters put it."""
    return construction.draw(construction.resolve(POINT), NOISE, np.random.default_rng(seed))


class Undeclared(OnePlace):
    """A new construction that is built with a representation of which it says nothing."""

    def representations(self, point):
        return super().representations(point) - {"records"}


class TooLarge(OnePlace):
    """A new construction whose records leave the bounds of its domain."""

    def build(self, point, noise_scale):
        problem = super().build(point, noise_scale)
        return dense_problem(
            problem.domain, Records(3 * problem.records.records.features, counts=np.array([point["n"]]))
        )


class Restless(OnePlace):
    """A new construction that draws from a generator of its own."""

    chance: ClassVar[np.random.Generator] = np.random.default_rng(0)

    def draw(self, point, noise_scale, rng):
        return OnePlace(place=self.chance.uniform(0.1, 0.9)).draw(point, noise_scale, rng)


@pytest.mark.parametrize("wrong", [Undeclared, TooLarge, Restless])
def test_a_construction_that_is_new_is_tested_by_what_it_declares(wrong):
    """Every YAML of the group is tested, and every class has one: here three that would not pass, and one that does."""
    named = {
        Undeclared: test_views_and_domain_are_declared_as_they_are_built,
        TooLarge: test_records_are_whole_and_within_the_bounds_of_the_domain,
        Restless: test_equal_seeds_are_equal_data,
    }
    for test in named.values():
        test(OnePlace())
    with pytest.raises((AssertionError, InputError)):
        named[wrong](wrong())


def test_every_construction_that_the_package_exports_has_a_yaml():
    classes = {member for _, member in inspect.getmembers(dprepro.constructions, inspect.isclass)}
    wanted = {
        f"dprepro.constructions.{kind.__name__}"
        for kind in classes
        if issubclass(kind, Construction) and not inspect.isabstract(kind)
    }
    assert wanted <= {yaml.safe_load((CONF / f"{name}.yaml").read_text())["_target_"] for name in NAMES}


@each()
def test_views_and_domain_are_declared_as_they_are_built(construction):
    point = construction.resolve(POINT)
    declared = construction.representations(point)
    for problem in (construction.build(point, NOISE), drawn(construction)):
        assert problem.representations == declared & set(REPRESENTATIONS)
        assert problem.domain == construction.domain(point)
    assert problem.domain.n == point["n"]
    assert problem.domain.p == point["p"]


@each("tardos_lasso")
def test_records_are_listed_at_n_2000_and_p_16(construction):
    records = drawn(construction).records.records
    assert records.n == pytest.approx(2000)


@each()
def test_records_are_whole_and_within_the_bounds_of_the_domain(construction):
    problem = drawn(construction)
    if "records" not in problem.representations:
        return
    domain, records = problem.domain, problem.records.records
    sizes = np.linalg.norm(records.features, ord=domain.feature_norm, axis=1)
    assert sizes.max() <= domain.feature_bound * (1 + 1e-9)
    assert np.abs(records.targets).max() <= domain.label_bound * (1 + 1e-9)
    np.testing.assert_allclose(records.copies, np.round(records.copies), rtol=0, atol=1e-9 * domain.n)
    slopes = domain.loss.derivative(problem.records.arguments(np.asarray(problem.records.start)), records.targets)
    assert np.abs(slopes).max() <= domain.slope * (1 + 1e-9)


@each()
def test_all_views_that_list_the_coordinates_agree(construction):
    problem, rng = drawn(construction), np.random.default_rng(1)
    within, domain = problem.constraint_set, problem.domain
    views = {name: problem.see(name) for name in problem.representations & {"one_hot", "moments", "records"}}
    assert views
    points = [within.project(rng.standard_normal(domain.p)) for _ in range(3)]
    first = next(iter(views.values()))
    least = domain.lipschitz * domain.diameter
    for view in views.values():
        for theta in points:  # up to a constant: a one-hot view leaves out the records x = 0
            change = view.value(theta) - view.value(points[0])
            assert change == pytest.approx(first.value(theta) - first.value(points[0]), abs=1e-12 * least)
            np.testing.assert_allclose(view.gradient(theta), first.gradient(theta), atol=1e-12 * domain.lipschitz)
            assert view.excess(theta) == pytest.approx(first.excess(theta), abs=1e-9 * least)
        assert view.minimum.gap <= 1e-7 * least


@each()
def test_groups_of_vertices_tell_the_risk_of_the_points_that_they_stand_for(construction):
    problem = drawn(construction)
    if "groups" not in problem.representations:
        return
    view, within, rng = problem.groups, problem.constraint_set, np.random.default_rng(2)
    sizes = view.groups.sizes.astype(int)
    ends = np.cumsum(sizes)
    for _ in range(3):
        weights = rng.dirichlet(np.ones(sizes.size))
        vertices = np.repeat(weights / sizes, sizes)  # of every vertex, in their order
        theta = within.radius * vertices[: within.p]
        if isinstance(within, L1Ball):
            theta = theta - within.radius * vertices[within.p :]
        assert view.value(GroupPoint(weights)) == pytest.approx(problem.dense.value(theta), rel=1e-9)
        assert view.excess(GroupPoint(weights)) == pytest.approx(problem.dense.excess(theta), rel=1e-6, abs=1e-9)
        scores = within.scores(problem.gradient(theta))[ends - 1]
        np.testing.assert_allclose(view.gradient(GroupPoint(weights)), scores, atol=1e-12)
    assert view.minimum.value == pytest.approx(problem.dense.minimum.value, abs=1e-9)
    assert problem.excess_risk(view.start) == pytest.approx(problem.excess_risk(within.start()))


@each()
def test_the_plane_tells_the_risk_of_the_points_that_it_stands_for(construction):
    problem, rng = drawn(construction), np.random.default_rng(3)
    if "plane" not in problem.representations:
        return
    view, cross = problem.plane, problem.moments.moments.cross
    unit = cross / np.linalg.norm(cross)
    aside = rng.standard_normal(cross.size)
    aside -= (aside @ unit) * unit
    aside /= np.linalg.norm(aside)
    for along, across in ((0.3, 0.4), (-0.2, 0.0), (0.0, 0.9)):
        point, theta = PlanePoint(np.array([along, across])), along * unit + across * aside
        assert view.value(point) == pytest.approx(problem.dense.value(theta), rel=1e-9)
        assert problem.excess_risk(point) == pytest.approx(problem.excess_risk(theta), rel=1e-9, abs=1e-15)
        gradient = problem.gradient(theta)
        np.testing.assert_allclose(view.gradient(point), [gradient @ unit, gradient @ aside], atol=1e-12)
    assert view.minimum.value == pytest.approx(problem.dense.minimum.value, rel=1e-9)


@each()
def test_a_declared_axis_is_one_of_symmetry(construction):
    problem, rng = drawn(construction), np.random.default_rng(4)
    if "axis" not in construction.representations(construction.resolve(POINT)):
        return
    unit, p = problem.records.axis.unit, problem.domain.p
    theta = problem.constraint_set.project(rng.standard_normal(p))
    aside = np.eye(p) - np.outer(unit, unit)
    mirror = aside @ rng.standard_normal(p)  # a reflection that leaves the axis alone
    turned = theta - (2 * (theta @ mirror) / max(mirror @ mirror, 1e-300)) * mirror
    assert problem.records.value(turned) == pytest.approx(problem.records.value(theta), rel=1e-12)


@each()
def test_a_declared_tail_is_even_and_where_it_is_said_to_be(construction):
    point = construction.resolve(POINT)
    words = construction.representations(point)
    if not words & {"tail", "signal"}:
        assert "one_hot" not in words or not drawn(construction).one_hot.tail
        return
    view = drawn(construction).one_hot
    assert np.ptp(view.share[view.touched - view.tail :]) == 0
    assert ("tail" in words) == (view.touched == view.domain.p)
    assert ("signal" in words) == (view.touched == view.tail + 1)


@each()
def test_equal_seeds_are_equal_data(construction):
    first, second = drawn(construction, 5), drawn(construction, 5)
    theta = first.constraint_set.project(np.random.default_rng(6).standard_normal(first.domain.p))
    np.testing.assert_array_equal(first.gradient(theta), second.gradient(theta))
    assert first.minimum.value == second.minimum.value


@each("packing")  # its p is bounded by its code
def test_what_is_public_costs_nothing_at_a_p_of_a_trillion(construction):
    point = POINT | {"n": HUGE, "p": HUGE}
    tracemalloc.start()
    try:
        domain = construction.domain(point)
        representations = construction.representations(point)
        numbers = domain.lipschitz, domain.l1_lipschitz, domain.radius, domain.diameter, domain.vertices
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()
    assert len(numbers) == 5
    assert domain.p < HUGE or not representations & {"records", "moments"}
