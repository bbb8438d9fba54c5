"""Audits of all that mechanisms publish: losses that are known, falsehoods that are noticed, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dprepro.algorithms import (
    ConfidenceBoosting,
    ExponentialMechanism,
    FullGradient,
    GridSearch,
    HighProbability,
    Localization,
    NoisyFrankWolfe,
    NoisyGD,
    NoisySGD,
    OutputPerturbation,
    RegularisedRelease,
    ReleasedMarginals,
    StronglyConvexPerturbation,
)
from dprepro.algorithms.base import Algorithm
from dprepro.budget import Budget, Neighbours
from dprepro.constructions.corners import Corners
from dprepro.errors import InputError, PremiseError
from dprepro.mechanisms import Gaussian, GumbelMin, L2Laplace, Laplace, LaplaceMin, NoisyTop, noted
from dprepro.privacy.losses import limit_of_losses
from dprepro.privacy.worst_pairs import gaussian_epsilon
from dprepro.studies import AuditSeries
from dprepro.studies.transcripts import audit_transcripts, losses_of, worst_transcripts

REPLACE = Neighbours.REPLACE_ONE
BOTH = Corners(pairs=("plus minus both",))
HUBER = Corners(loss="huber", label_bound=60, proper=False, pairs=("plus flipped both",))
DISTANCE = Corners(loss="half_squared_distance", radius=0.1, pairs=("plus minus both",))
SELECTION = Corners(loss="huber", label_bound=2, over="l1_ball", feature_norm=math.inf, pairs=("plus flipped plus",))
GD = NoisyGD(constants="exact")
UNEVEN = Corners(pairs=("plus minus uneven",))
SLOW = pytest.mark.slow
LOCAL = Localization(inner=OutputPerturbation(constants="exact"), constants="exact")


def one_pair(data: Corners, n: float, p: float = 1.0):
    return next(iter(data.neighbours({"n": n, "p": p}, REPLACE).values()))


@pytest.mark.parametrize(
    ("mechanism", "value", "shifted"),
    [
        (Gaussian(2.0), np.array([0.3, 1.0]), np.array([0.0, 0.5])),
        (Laplace(2.0), np.array([0.3, 1.0]), np.array([0.0, 0.5])),
        (L2Laplace(2.0), np.array([0.3, 1.0]), np.array([0.0, 0.5])),
        (GumbelMin(2.0), np.array([0.3, 1.0, 4.0]), np.array([0.0, 2.0, 3.0])),
        (LaplaceMin(2.0), np.array([0.3, 1.0, 4.0]), np.array([0.0, 2.0, 3.0])),
    ],
)
def test_chances_are_those_of_the_draws(mechanism, value, shifted) -> None:
    """E exp(-loss) = 1, the total chance of all outputs on the other data."""
    rng, ratios = np.random.default_rng(1), []
    for _ in range(400):
        with noted() as transcript:
            draw = mechanism.release if hasattr(mechanism, "release") else mechanism.select
            draw(value, rng)
        (output,) = transcript.outputs
        ratios.append(math.exp(mechanism.log_chance(shifted, output) - transcript.log_chance))
    assert abs(np.mean(ratios) - 1) < 4 * np.std(ratios) / math.sqrt(len(ratios))


def test_a_choice_of_several_has_the_chance_of_its_law() -> None:
    top, scores = NoisyTop(1.0), np.array([0.0, 1.0, 2.0])
    with noted() as transcript:
        chosen = top.select(scores, 2, np.random.default_rng(0))[0]
    assert transcript.log_chance == pytest.approx(math.log(top.probability(scores, chosen)))


@pytest.mark.parametrize("shift", [0.3, 1.0, 2.0])
def test_limits_of_gaussian_losses_lie_below_their_epsilon_and_near(shift: float) -> None:
    """Each limit exceeds the truth with probability 1% at most: of 50 four or more with 0.2%."""
    rng, truth = np.random.default_rng(0), gaussian_epsilon(shift, 0.1)
    found = [limit_of_losses(rng.normal(shift**2 / 2, shift, 500), 0.1) for _ in range(50)]
    assert sum(one > truth for one in found) <= 3
    assert np.mean(found) > truth - 0.4


def test_the_largest_loss_is_the_limit_without_delta() -> None:
    assert limit_of_losses(np.array([-1.0, 0.7, 0.2]), 0.0) == 0.7
    assert limit_of_losses(np.array([]), 0.1) == 0.0
    assert limit_of_losses(np.full(100, np.inf), 0.1) > 60


def test_losses_of_one_release_are_those_of_its_law() -> None:
    losses, sees, _ = losses_of(
        ReleasedMarginals(release="laplace"),
        one_pair(BOTH, 20),
        Budget(1.0, 0.0, REPLACE),
        200,
        np.random.default_rng(0),
    )
    assert sees.all()
    assert np.abs(losses).max() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("algorithm", "data", "n", "p", "delta", "draws", "share"),
    [
        (GD, BOTH, 2, 1, 0.1, 600, 1.0),
        (NoisyFrankWolfe(constants="exact", steps_factor=0.12), SELECTION, 10, 2, 0.0, 400, 1.0),
        (LOCAL, DISTANCE, 20, 1, 0.0, 100, 1.0),
        pytest.param(HighProbability(inner=RegularisedRelease(), runs=2), UNEVEN, 17, 1, 0.0, 2500, 1.0, marks=SLOW),
        pytest.param(ConfidenceBoosting(chunks=1, inner=GD), HUBER, 4, 1, 0.1, 2000, 1.0, marks=SLOW),
        pytest.param(GridSearch(guesses=1, inner=GD), HUBER, 3, 1, 0.1, 2000, 0.5, marks=SLOW),
    ],
    ids=["descent", "selection", "localisation", "high probability", "boosting", "grid search"],
)
def test_a_third_more_than_is_claimed_is_noticed_and_the_claim_is_not(
    algorithm: Algorithm, data: Corners, n: float, p: float, delta: float, draws: int, share: float
) -> None:
    rng = np.random.default_rng(1)
    pairs = data.neighbours({"n": float(n), "p": float(p)}, REPLACE)
    _, pair = worst_transcripts(algorithm, pairs, Budget(1.0, delta, REPLACE), rng)
    found = [
        audit_transcripts(algorithm, pair, Budget(epsilon, delta, REPLACE), draws, share * delta, rng)[0].epsilon
        / share
        for epsilon in (1.0, 1.3)
    ]
    assert found[0] <= 1 < found[1]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [GD, NoisySGD(gradient=FullGradient(), constants="exact", steps=3)])
def test_no_correct_algorithm_is_refuted_in_fifty_seeds(algorithm: Algorithm) -> None:
    """Each limit exceeds the truth with probability 1% at most: of 50 four or more with 0.2%; it is seen in none."""
    pair, told = one_pair(BOTH, 3), Budget(1.0, 0.1, REPLACE)
    for seed in range(50):
        rng = np.random.default_rng(seed)
        assert audit_transcripts(algorithm, pair, told, 1000, 0.1, rng)[0].epsilon <= 1


def test_an_answer_that_tells_what_no_mechanism_published_is_an_infinite_loss() -> None:
    """The noise of the objective is drawn, not published: the answer depends on the data beside it."""
    algorithm, told = StronglyConvexPerturbation(noise="gaussian"), Budget(1.0, 0.1, REPLACE)
    losses, _, _ = losses_of(algorithm, one_pair(DISTANCE, 5), told, 100, np.random.default_rng(0))
    assert np.isinf(losses).any()


def test_transcripts_without_a_known_law_are_refused() -> None:
    told, rng = Budget(1.0, 0.1, REPLACE), np.random.default_rng(0)
    with pytest.raises(PremiseError, match="in secret"):
        losses_of(NoisySGD(), one_pair(BOTH, 2), told, 1, rng)
    with pytest.raises(PremiseError, match="nothing by a mechanism"):
        losses_of(ExponentialMechanism(), one_pair(BOTH, 2), told, 1, rng)
    with pytest.raises(InputError, match="transcripts need draws"):
        AuditSeries("claim", GD, BOTH, draws=0, transcript=True)
    with pytest.raises(InputError, match="share must be in"):
        AuditSeries("claim", GD, BOTH, share=0.0)
