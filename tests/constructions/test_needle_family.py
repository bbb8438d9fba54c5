"""Needles among rivals and curved blocks: what is promised holds on records that are written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import hadamard

from dprepro.algorithms import NoisyFrankWolfe
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import CentredNeedle, NeedleFamily, TunedNeedle
from dprepro.constructions.needle_family import known_hard
from dprepro.errors import InputError
from dprepro.reductions import REDUCTIONS

POINT = {"n": 1024.0, "p": 16.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0}
NOISE = 0.02
APART = NeedleFamily(level=0.1, gap=6, heads=0.5, rivals=0.7, label=0.9, curved=0.5, fill=0.6, apart=1.3)
CURVED = NeedleFamily(level=-0.2, gap=5, heads=0.5, rivals=0.4, label=0.7, curved=0.6, fill=0.8)


def written_out(family, point, noise):
    """Records and labels of a member, one row each."""
    heads, rivals, rest = family.counts(point)
    n, share = int(point["n"]), family.share(point)
    height, needles = min(1.0, family.level + family.gap * noise), int(family.apart > 0)
    m = np.repeat([height, (1 - family.apart) * height, family.level, 0.0], [needles, heads, rivals, rest])
    curved = round(share * n)
    rows, labels = np.tile(m, (n - curved, 1)), np.full(n - curved, family.label)
    if curved:
        code = hadamard(2 ** math.ceil(math.log2(heads + 1)))[:, 1 : heads + 1].astype(float)
        block = np.zeros((curved, len(m)))
        block[:, needles : needles + heads] = np.tile(code, (curved // len(code), 1))
        rows, labels = np.vstack([rows, block]), np.append(labels, block.sum(axis=1) * family.fill / heads)
    return rows, labels


@pytest.mark.parametrize(
    "family", [CURVED, APART, NeedleFamily(), NeedleFamily(level=0.3, gap=4, heads=0.3, label=0.5)]
)
def test_a_member_is_the_mean_loss_of_records_within_the_bounds(family):
    rows, labels = written_out(family, POINT, NOISE)
    assert len(rows) == POINT["n"]
    assert max(np.abs(rows).max(), np.abs(labels).max()) <= 1
    problem = family.build(POINT, NOISE)
    for theta in np.random.default_rng(0).uniform(-0.06, 0.06, (5, 16)):
        mean = float(np.mean((rows @ theta - labels) ** 2))
        assert problem.dense.value(theta) == pytest.approx(mean, rel=1e-12)


def test_the_minimiser_of_a_curved_block_is_certified_by_its_gap():
    rng = np.random.default_rng(3)
    for _ in range(40):
        values = dict(zip(("heads", "rivals", "label", "curved", "fill"), rng.random(5), strict=True))
        values |= {"apart": max(0.0, rng.uniform(-1, 2))}
        problem = NeedleFamily(level=rng.uniform(-1, 1), gap=10 ** rng.uniform(-1, 3), **values).build(POINT, NOISE)
        assert problem.dense.minimum.gap <= 1e-9


def test_the_known_needles_are_members():
    centred, tuned, *_ = known_hard(POINT, NOISE)
    for values, needle in ((centred, CentredNeedle()), (tuned, TunedNeedle())):
        own, other = NeedleFamily(**values).build(POINT, NOISE), needle.build(POINT, NOISE)
        theta = np.linspace(-0.05, 0.07, 16)
        assert own.excess_risk(theta) == pytest.approx(other.excess_risk(theta), rel=1e-9)


def test_groups_and_moments_of_equal_records_give_one_law_of_the_risk():
    family, point = NeedleFamily(level=0.3, gap=2, heads=0.3, rivals=0.5), POINT | {"n": 3e4}
    budget = Budget(1.0, 1e-6, Neighbours.REPLACE_ONE)
    algorithm = NoisyFrankWolfe(steps_factor=0.1)
    problem = family.build(point, algorithm.schedule(family.domain(point), budget).noise_scale)
    means, errors = [], []
    for name in ("grouped_vertices", "incremental_gradients"):
        runs, rng = REDUCTIONS[name](algorithm), np.random.default_rng(7)
        risks = [problem.excess_risk(runs.solve(problem, budget, rng).theta) for _ in range(200)]
        means.append(np.mean(risks))
        errors.append(np.std(risks) / math.sqrt(len(risks)))
    assert abs(means[0] - means[1]) < 4 * math.hypot(*errors)  # a false alarm in 6e-5 of all seeds


def test_a_share_too_small_for_one_copy_of_the_code_leaves_equal_records():
    family = NeedleFamily(heads=1.0, curved=0.01)
    assert family.share(POINT) == 0
    assert "groups" in family.representations(POINT)
    assert family.representations(POINT | {"n": 1e5}) == {"moments"}


@pytest.mark.parametrize("wrong", [{"level": 1.5}, {"gap": -1}, {"heads": 2}, {"label": -0.1}, {"curved": 1.1}])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        NeedleFamily(**wrong)
