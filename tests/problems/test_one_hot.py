"""One-hot populations and their samples."""

import numpy as np
import pytest
from scipy.stats import chisquare

from dprepro.constructions import OneHotFamily
from dprepro.errors import InputError, PremiseError
from dprepro.problems import AbsoluteLoss, L2Ball, LogisticLoss, OneHot, SquaredLoss

LOSSES = [SquaredLoss(), AbsoluteLoss(), LogisticLoss()]


def problem(loss, n=4000, radius=6.0):
    return OneHot(n, L2Ball(5, radius), loss, [0.3, 0.2, 0.1], [0.9, 0.5, 0.7], [0.4, -0.8, 0.1])


def records(one):
    """The very records of a sample, as a matrix and labels; rows of zeros fill up."""
    features, labels = np.zeros((int(one.n), 5)), np.zeros(int(one.n))
    row = 0
    for j in range(one.touched):
        count, positive = int(one.count[j]), int(one.positive[j])
        features[row : row + count, j] = one.feature_bound
        labels[row : row + count] = -one.label[j]
        labels[row : row + positive] = one.label[j]
        row += count
    return features, labels


@pytest.mark.parametrize("loss", LOSSES)
def test_the_gradient_from_counts_is_the_mean_gradient_of_the_records(loss):
    one = problem(loss).sample(np.random.default_rng(0))
    features, labels = records(one)
    w = np.random.default_rng(1).normal(size=5)
    expected = features.T @ loss.derivative(features @ w, labels) / one.n
    np.testing.assert_allclose(one.gradient(w), expected, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_population_minimum_is_below_all_points_around_it(loss):
    one = problem(loss)
    rng = np.random.default_rng(2)
    for scale in (1e-3, 1e-1, 1.0):
        for _ in range(50):
            assert one.excess_risk(one.minimum.theta + scale * rng.normal(size=3)) >= -1e-12
    assert one.minimum.gap < 1e-9


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("radius", [6.0, 1.0])
@pytest.mark.parametrize("weight", [1e-3, 0.1, 2.0])
def test_the_regularised_minimum_is_below_all_points_of_the_ball(loss, radius, weight):
    base = problem(loss)
    radius = radius if radius > 2 else 1.001 * np.linalg.norm(base.minimum.theta)
    one = problem(loss, n=400, radius=radius).sample(np.random.default_rng(3))
    features, labels = records(one)

    def objective(w):
        return loss.value(features @ w, labels).mean() + weight / 2 * w @ w

    best = np.concatenate([one.regularised_minimum(weight), np.zeros(2)])
    assert np.linalg.norm(best) <= radius * (1 + 1e-9)
    rng = np.random.default_rng(4)
    for scale in (1e-4, 1e-2, 1.0):
        for _ in range(100):
            other = one.constraint_set.project(best + scale * rng.normal(size=5))
            assert objective(other) >= objective(best) - 1e-10


def test_a_sample_has_multinomial_counts_and_binomial_labels():
    population = problem(SquaredLoss(), n=50)
    rng = np.random.default_rng(5)
    draws = [population.sample(rng) for _ in range(2000)]
    counts = np.sum([one.count for one in draws], axis=0)
    total = 50 * 2000
    assert chisquare([*counts, total - counts.sum()], total * np.array([0.3, 0.2, 0.1, 0.4])).pvalue > 1e-4
    positive = np.sum([one.positive for one in draws], axis=0)
    error = np.sqrt(counts * (1 - population.bias**2) / 4)
    assert (np.abs(positive - counts * (1 + population.bias) / 2) < 4.5 * error).all()  # false alarm: 2e-5


def test_a_balanced_tail_appears_as_often_as_expected_and_the_rest_at_random():
    population = OneHotFamily(coordinates=2, mass=0.5, tail=10).build({"n": 1e6, "p": 20.0, "norm": 1.0}, 0.0)
    one = population.sample(np.random.default_rng(6))
    assert (one.count[2:] == 0.05 * 1e6).all()
    assert one.count.sum() == pytest.approx(1e6)


@pytest.mark.parametrize("loss", ["squared", "absolute", "logistic"])
def test_the_family_has_a_minimiser_of_the_norm_that_it_names(loss):
    one = OneHotFamily(loss=loss, coordinates=9, tail=3).build({"n": 100.0, "p": 30.0, "norm": 2.0}, 0.0)
    assert np.linalg.norm(one.minimum.theta) == pytest.approx(2.0)


def test_the_family_refuses_labels_beyond_their_bound_and_a_population_gives_no_gradient():
    with pytest.raises(PremiseError, match="exceeds sqrt"):
        OneHotFamily(coordinates=2).build({"n": 100.0, "p": 30.0, "norm": 2.0}, 0.0)
    with pytest.raises(InputError, match="draw a sample"):
        problem(SquaredLoss()).gradient(np.zeros(3))
