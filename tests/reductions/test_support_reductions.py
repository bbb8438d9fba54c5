"""Supports drawn without listing them, against the algorithms as printed.

Seeds are fixed; a right reduction would fail once in 1e4 seeds.
"""

import math

import numpy as np
import pytest
from helpers.reduction_problems import BUDGET
from scipy.linalg import hadamard
from scipy.stats import chisquare

from dprepro.algorithms import ExponentialSupport, SparseRegression
from dprepro.algorithms.objective_perturbation import GammaDensity, GaussianDensity
from dprepro.laws import ExponentialSupportLaw
from dprepro.problems import (
    Box,
    Domain,
    HalfSquaredLoss,
    Moments,
    MomentsView,
    Problem,
    Records,
    RecordsView,
    SupportsView,
)
from dprepro.reductions.support_reductions import SeparableSupports


def orthogonal(theta, n):
    """Columns of signs that are orthogonal, and labels of which theta makes all."""
    theta, p = np.array(theta), len(theta)
    features = hadamard(p).astype(float)
    domain = Domain(HalfSquaredLoss(), Box(p), n, feature_norm=math.inf, label_bound=2.0)
    records = RecordsView(domain, Records(features, features @ theta, np.full(p, n / p)))
    moments = MomentsView(domain, Moments(0.5 * theta, 0.5 * float(theta @ theta), ridge=0.5))
    return Problem(domain, {"records": records, "moments": moments, "orthogonal": SupportsView(moments)})


GAINING = orthogonal([0.7, 0.4, -0.4, 0.0, 0.0, 0.0, 0.0, 0.0], 80)


def test_supports_are_as_likely_as_the_algorithm_says():
    algorithm = ExponentialSupport(sparsity=2)
    scores = algorithm.scores(GAINING) / algorithm.schedule(GAINING.domain, BUDGET).noise_scale
    law = np.exp(scores.min() - scores)
    listed = [tuple(support) for support in algorithm.supports(GAINING.domain)]
    rngs = [np.random.default_rng([3, i]) for i in range(6000)]
    answers = SeparableSupports(algorithm).solve_many(GAINING, BUDGET, rngs)
    drawn = [tuple(answer.theta.chosen.tolist()) for answer in answers]
    counts = [drawn.count(one) for one in listed]
    assert sum(counts) == len(drawn)
    assert chisquare(counts, len(drawn) * law / law.sum()).pvalue > 1e-4
    best = max(-scores)
    mean = float(law @ (best + scores) / law.sum()) * algorithm.schedule(GAINING.domain, BUDGET).noise_scale
    law_of = ExponentialSupportLaw(algorithm, GAINING.domain, BUDGET)
    assert law_of.expected_risk(GAINING) == pytest.approx(mean, rel=1e-9)


def test_the_fit_is_that_of_the_algorithm_on_the_support(monkeypatch):
    noise = np.array([0.7, -1.9])
    for density in (GammaDensity, GaussianDensity):
        monkeypatch.setattr(density, "sample", lambda *_, **__: noise)
    algorithm, rng = SparseRegression(selection=ExponentialSupport(sparsity=2), sparsity=2), np.random.default_rng(0)
    for seed in range(8):
        fast = SeparableSupports(algorithm).solve(GAINING, BUDGET, np.random.default_rng(seed))
        support = np.flatnonzero(fast.theta)
        literal = algorithm.on_support(GAINING, support, BUDGET, rng)
        assert 0 < np.abs(fast.theta[support]).max() < 1  # inside the box, where all terms matter
        assert fast.theta == pytest.approx(literal.theta, rel=1e-6)
        assert fast.diagnostics["noise_norm"] == pytest.approx(math.hypot(*noise))
