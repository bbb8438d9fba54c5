"""Domains: constants by table, held against brute force over records and points, and data held against the bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro.errors import InputError
from dprepro.problems import (
    AbsoluteLoss,
    Box,
    ConstraintSet,
    DistanceLoss,
    Domain,
    HalfSquaredDistance,
    HalfSquaredLoss,
    HingeLoss,
    HuberLoss,
    L1Ball,
    L2Ball,
    LinearLoss,
    LocalBall,
    LogisticLoss,
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

INF = math.inf
P = 5
ROOT = math.sqrt(P)

UNIT_LASSO = Domain(SquaredLoss(), L1Ball(P), 100, feature_norm=INF)
KIFER = Domain(HalfSquaredLoss(), L2Ball(P, ROOT), 100, ROOT, label_bound=P)

TABLE = {
    "unit_lasso": (
        UNIT_LASSO,
        {"l1_lipschitz": 4, "lipschitz": 4 * ROOT, "curvature": 8, "vertices": 2 * P, "smoothness": 2 * P,
         "l1_radius": 1, "diameter": 2,
             "reach": 1, "feature_length": ROOT, "strong_convexity": None},
    ),
    "lasso_of_radius_3": (
        Domain(SquaredLoss(), L1Ball(P, 3.0), 100, 0.5, INF, 0.7),
        {"l1_lipschitz": 2 * (1.5 + 0.7) * 0.5, "curvature": 8 * 1.5**2, "l1_radius": 3, "diameter": 6},
    ),
    "simplex": (
        Domain(SquaredLoss(), Simplex(P), 100, feature_norm=INF),
        {"l1_lipschitz": 4, "curvature": 8, "vertices": P, "radius": 1, "l1_radius": 1, "diameter": math.sqrt(2)},
    ),
    "l2_ball": (
        Domain(SquaredLoss(), L2Ball(P), 100),
        {"l1_lipschitz": 4, "lipschitz": 4, "curvature": 8, "smoothness": 2, "vertices": None, "radius": 1,
         "diameter": 2, "l1_radius": ROOT},
    ),
    "lq_ball": (
        Domain(SquaredLoss(), LqBall(P, 1.0, 3.0), 100),
        {"radius": P ** (1 / 6), "lipschitz": 2 * (P ** (1 / 6) + 1), "curvature": 8 * P ** (1 / 3),
         "l1_radius": P ** (2 / 3)},
    ),
    "small_lq_ball": (Domain(SquaredLoss(), LqBall(P, 1.0, 1.5), 100), {"radius": 1, "lipschitz": 4, "curvature": 8}),
    "kifer_table_1": (
        KIFER,
        {"lipschitz": 2 * P**1.5, "smoothness": P, "curvature": 4 * P**2, "radius": ROOT, "diameter": 2 * ROOT,
         "vertices": None},
    ),
    "short_rows_in_a_box": (
        Domain(HalfSquaredLoss(), Box(P, 0.7), 100, feature_norm=1),
        {"lipschitz": 1.7, "l1_lipschitz": 1.7, "smoothness": 1, "reach": 0.7, "radius": 0.7 * ROOT,
         "diameter": 1.4 * ROOT,
             "curvature": 1.4**2, "l1_radius": 0.7 * P},
    ),
    "one_hot_squared": (
        Domain(SquaredLoss(), L2Ball(P, 3.0), 100, 0.5, label_bound=0.8),
        {"self_bounding_lipschitz": 2 * 0.8 * math.sqrt(2) * 0.5 + 2 * 2 * 3 * 0.25, "label_level": 0.8,
         "smoothness": 0.5,
             "lipschitz": 2 * (1.5 + 0.8) * 0.5},
    ),
    "one_hot_absolute": (
        Domain(AbsoluteLoss(), L2Ball(P, 3.0), 100, 0.5, label_bound=0.8),
        {"self_bounding_lipschitz": 0.5, "label_level": math.sqrt(0.8), "lipschitz": 0.5, "smoothness": INF,
         "curvature": INF},
    ),
    "logistic": (
        Domain(LogisticLoss(), L2Ball(P, 3.0), 100),
        {"self_bounding_lipschitz": 1, "label_level": math.sqrt(math.log(2)), "smoothness": 0.25,
             "lipschitz": 1 / (1 + math.exp(-3)), "curvature": 9.0},
    ),
    "hinge": (
        Domain(HingeLoss(), L2Ball(P), 100, math.sqrt(13) / 2),
        {"lipschitz": math.sqrt(13) / 2, "smoothness": INF, "curvature": INF, "strong_convexity": None,
         "label_level": 1},
    ),
    "positive_part": (
        Domain(PositivePartLoss(), L2Ball(1, 2.0), 100),
        {"lipschitz": 1, "diameter": 4, "smoothness": INF},
    ),
    "huber": (Domain(HuberLoss(), L2Ball(P), 100), {"lipschitz": 1, "smoothness": 1, "curvature": 4}),
    "linear": (
        Domain(LinearLoss(), L2Ball(P, 2.0), 100),
        {"lipschitz": 1, "smoothness": 0, "curvature": 0, "strong_convexity": None, "diameter": 4},
    ),
    "median": (Domain(Median(), L2Ball(P), 100), {"lipschitz": 1, "smoothness": INF, "curvature": INF, "reach": 2}),
    "sharp_distance": (
        Domain(SharpDistance(), L2Ball(P), 100),
        {"lipschitz": 3, "smoothness": INF, "strong_convexity": 1},
    ),
    "half_squared_distance": (
        Domain(HalfSquaredDistance(), L2Ball(P), 100),
        {"lipschitz": 2, "smoothness": 1, "strong_convexity": 1, "curvature": 4, "label_level": math.sqrt(0.5)},
    ),
    "spiked_ball": (
        Domain(LinearLoss(), SpikedBall(P, 3.0, 0.5), 100),
        {"radius": 3, "diameter": 6, "l1_radius": 3, "reach": 3, "lipschitz": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_constants_are_those_of_the_papers(name: str) -> None:
    domain, expected = TABLE[name]
    for constant, value in expected.items():
        found = getattr(domain, constant)
        assert (found is None) == (value is None), constant
        assert value is None or found == pytest.approx(value, rel=1e-12), constant


BRUTE = [
    *(domain for domain, _ in TABLE.values() if domain.p == P),
    *(
        Domain(loss, within, 100, 0.6, norm, 0.9)
        for loss in (SquaredLoss(), LogisticLoss(), HuberLoss(), HingeLoss(), SharpDistance())
        for within, norm in ((L1Ball(P, 1.7), INF), (Simplex(P, 1.7), INF), (Box(P, 0.3), 1), (L1Ball(P, 1.7), 2))
    ),
]


def on_bound(order: float, bound: float, rng: np.random.Generator) -> np.ndarray:
    """Records of the largest size: corners, flat ones, and random ones; shape (K, P)."""
    raw = np.concatenate([np.eye(P), -np.eye(P), rng.choice([-1.0, 1.0], (40, P)), rng.normal(size=(20, P))])
    return bound * raw / np.linalg.norm(raw, ord=order, axis=1)[:, None]


def extremes(within: ConstraintSet, rng: np.random.Generator) -> np.ndarray:
    directions = np.concatenate([np.eye(P), -np.eye(P), rng.choice([-1.0, 1.0], (40, P)), rng.normal(size=(20, P))])
    return np.array([within.minimise_linear(direction) for direction in directions])


@pytest.mark.parametrize("domain", BRUTE, ids=lambda d: f"{type(d.loss).__name__}-{d.constraint_set}-{d.feature_norm}")
def test_no_gradient_of_the_domain_exceeds_the_lipschitz_constants_and_some_attain_them(domain: Domain) -> None:
    rng = np.random.default_rng(0)
    features = on_bound(domain.feature_norm, domain.feature_bound, rng)
    # those that meet their theta head-on, for the largest reach, besides
    points = np.concatenate([extremes(domain.constraint_set, rng), [domain.constraint_set.start()]])
    largest = {2: 0.0, INF: 0.0}
    steepest = reached = 0.0
    for label in (-domain.label_bound, 0.0, domain.label_bound):
        for theta in points:
            view = RecordsView(Domain(**{**vars_of(domain), "n": len(features)}), records(features, label))
            s = view.arguments(theta)
            slopes = domain.loss.derivative(s, np.full(s.size, label))
            if isinstance(domain.loss, DistanceLoss):
                steps = (theta - features) / np.maximum(s, 1e-300)[:, None]
            else:
                steps = features
            for order in largest:
                norms = np.abs(slopes) * np.linalg.norm(steps, ord=order, axis=1)
                largest[order] = max(largest[order], float(norms.max()))
            steepest, reached = max(steepest, float(np.abs(slopes).max())), max(reached, float(np.abs(s).max()))
    assert largest[2] <= domain.lipschitz * (1 + 1e-12)
    assert largest[INF] <= domain.l1_lipschitz * (1 + 1e-12)
    assert steepest <= domain.slope * (1 + 1e-12)
    assert reached <= domain.reach * (1 + 1e-12)
    # theta and -x of the largest norms need not point the same way in other sets, and a distance wants just that
    if not isinstance(domain.loss, DistanceLoss) or isinstance(domain.constraint_set, L2Ball):
        assert steepest >= 0.97 * domain.slope
        assert reached >= 0.97 * domain.reach
    dual_pair = (domain.feature_norm, type(domain.constraint_set)) in [
        (INF, L1Ball),
        (INF, Simplex),
        (2, L2Ball),
        (1, Box),
    ]
    if dual_pair and not isinstance(domain.loss, DistanceLoss):
        assert largest[2] >= 0.97 * domain.lipschitz
        assert largest[INF] >= 0.97 * domain.l1_lipschitz


def vars_of(domain: Domain) -> dict[str, object]:
    return {name: getattr(domain, name) for name in Domain.__dataclass_fields__}


def records(features: np.ndarray, label: float) -> Records:
    return Records(features, np.full(len(features), label))


@pytest.mark.parametrize(
    "domain", [one for one in BRUTE if one.curvature < INF], ids=lambda d: f"{type(d.loss).__name__}-{d.constraint_set}"
)
def test_no_data_set_exceeds_curvature_and_smoothness_and_some_attain_them(domain: Domain) -> None:
    """Definition 2.1 over pairs of points and single records, at small and large steps toward the other."""
    rng = np.random.default_rng(1)
    features = on_bound(domain.feature_norm, domain.feature_bound, rng)
    points = extremes(domain.constraint_set, rng)
    curvature = smoothness = 0.0
    for a in points[::3]:
        for share in (1e-3, 1.0):
            c = a + share * (points - a)  # one for each point b; arrays below are of shape (points, records)
            sizes = ((c - a) ** 2).sum(axis=1)
            for label in (-domain.label_bound, 0.0, domain.label_bound):
                if isinstance(domain.loss, DistanceLoss):
                    at, to = np.linalg.norm(a - features, axis=1), np.linalg.norm(c[:, None] - features, axis=2)
                    slopes = domain.loss.derivative(at, label) / np.maximum(at, 1e-300) * ((c - a) @ (a - features).T)
                else:
                    at, to = features @ a, c @ features.T
                    slopes = domain.loss.derivative(at, label) * (to - at)
                rise = (domain.loss.value(to, label) - domain.loss.value(at, label) - slopes).max(axis=1)
                curvature = max(curvature, float(rise.max()) * 2 / share**2)
                far = sizes > 1e-12
                smoothness = max(smoothness, float((rise[far] * 2 / sizes[far]).max(initial=0.0)))
    # rise is a difference of numbers of order 1; the smallest step divides its rounding by 1e-6 of the squared distance
    assert curvature <= domain.curvature * (1 + 1e-6) + 1e-8
    assert smoothness <= domain.smoothness * (1 + 1e-6) + 1e-8
    if isinstance(domain.loss, SquaredLoss | HalfSquaredLoss | HalfSquaredDistance) and domain.feature_norm != 2:
        assert curvature >= 0.97 * domain.curvature


def test_the_gaussian_width_is_that_of_the_set() -> None:
    assert UNIT_LASSO.width == L1Ball(P).gaussian_width()


def test_the_hessian_of_a_loss_of_one_inner_product_has_rank_one_at_most() -> None:
    ranks = {LinearLoss: 0, HalfSquaredLoss: 1, HingeLoss: 1, Median: P, HalfSquaredDistance: P}
    assert {loss: Domain(loss(), L2Ball(P), 10).hessian_rank for loss in ranks} == ranks


def test_a_domain_tells_whether_zero_lies_in_its_set() -> None:
    sets = (L1Ball(1e250), Box(P), LqBall(P), SpikedBall(P), Simplex(1e12))
    assert [Domain(SquaredLoss(), one, 10).contains_zero for one in sets] == [1, 1, 1, 1, 0]
    away = [LocalBall(2, 1.0, np.array([0.6, 0.0]), reach) for reach in (0.3, 0.7)]
    assert [Domain(SquaredLoss(), one, 10).contains_zero for one in away] == [0, 1]


def test_a_local_ball_has_constants_too() -> None:
    centre = np.array([0.6, 0.0])
    domain = Domain(SharpDistance(), LocalBall(2, 1.0, centre, 0.3), 10)
    assert (domain.diameter, domain.radius, domain.lipschitz) == (0.6, 1.0, 3.0)


def test_constants_need_no_arrays_of_size_p() -> None:
    domain = Domain(SquaredLoss(), L1Ball(1e12), 1e15, feature_norm=INF)
    assert (domain.vertices, domain.l1_lipschitz, domain.lipschitz) == (2 * 10**12, 4.0, 4e6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Domain(SquaredLoss(), L1Ball(2), 5, feature_bound=0.0), "feature_bound must be finite and positive"),
        (lambda: Domain(SquaredLoss(), L1Ball(2), 5, label_bound=INF), "label_bound must be finite and positive"),
        (
            lambda: Domain(SquaredLoss(), L1Ball(2), 5, feature_norm=3),
            "feature_norm must be 1, 2 or inf, got feature_no",
        ),
        (lambda: Domain(SquaredLoss(), L1Ball(2), 0.5), "n must be finite and at least 1, got n=0.5"),
        (lambda: Domain(SquaredLoss(), L1Ball(2), 5, l1_weight=-1.0), "l1_weight must be finite and at least 0"),
        (
            lambda: Domain(LogisticLoss(), L1Ball(2), 5, label_bound=2),
            "LogisticLoss needs labels of at most 1, got label_b",
        ),
    ],
)
def test_bounds_that_make_no_sense_are_refused(make, message) -> None:
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("norm", "features", "label", "message"),
    [
        (INF, [[1.0, -1.1]], 1.0, r"every record must have \|\|x\|\|_inf <= 1, record 0 has 1.1"),
        (2, [[0.1, 0.1], [0.8, 0.8]], 1.0, r"every record must have \|\|x\|\|_2 <= 1, record 1 has 1.13"),
        (1, [[0.6, 0.6]], 1.0, r"every record must have \|\|x\|\|_1 <= 1, record 0 has 1.2"),
        (2, [[0.1, 0.1]], -1.5, r"every record must have \|y\| <= 1, record 0 has 1.5"),
        (2, [[0.1, 0.1, 0.1]], 1.0, "records have n=1, p=3; needed are n=1, p=2 of the domain"),
    ],
)
def test_records_are_held_against_the_bounds(norm: float, features: list, label: float, message: str) -> None:
    data = records(np.array(features), label)
    with pytest.raises(InputError, match=message) as refused:
        RecordsView(Domain(SquaredLoss(), L2Ball(2), len(features), feature_norm=norm), data)
    assert "\n" not in str(refused.value)


def test_records_of_another_n_are_refused_and_rounding_is_not() -> None:
    domain = Domain(SquaredLoss(), L2Ball(1), 1e6)
    features = np.full((3000, 1), 0.5)
    RecordsView(domain, Records(features, counts=np.full(3000, 1e6 / 3000)))
    with pytest.raises(InputError, match="records have n=999000, p=1; needed are n=1e\\+06"):
        RecordsView(domain, Records(features, counts=np.full(3000, 333.0)))


def test_a_record_on_its_bound_up_to_rounding_is_within_it() -> None:
    features = np.random.default_rng(0).normal(size=(50, 7))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    RecordsView(Domain(SquaredLoss(), L2Ball(7), 50), Records(features))
