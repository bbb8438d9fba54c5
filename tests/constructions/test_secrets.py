"""Secrets of attacked instances: all of them are as likely, so that a guess without looking is right by chance alone.

Fixed seeds. Deviations are judged at 4.5 standard errors (one choice of a seed in 10^5 fails) or at a level of 10^-5.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from dprepro import constructions
from dprepro.constructions import (
    Attackable,
    Fingerprinting,
    LipschitzSignedLabels,
    Packing,
    PlantedSupport,
    SignedDirections,
    SignedLabels,
    TardosLasso,
)

DRAWS = 600
ERRORS = 4.5
SIGNS = {"n": 2000.0, "p": 16.0, "epsilon": 0.2, "delta": 1e-9, "norm": 1.0}


def test_every_family_that_can_be_attacked_has_its_secret_tested_here() -> None:
    exported = [getattr(constructions, name) for name in constructions.__all__]
    known = {kind for kind in exported if isinstance(kind, type) and issubclass(kind, Attackable)}
    tested = {Fingerprinting, LipschitzSignedLabels, Packing, SignedDirections, SignedLabels, TardosLasso}
    # the support of planted data is the first coordinates: see tests/algorithms/test_supports_anywhere.py
    assert {one for one in known if not one.__abstractmethods__} == {*tested, PlantedSupport}


def test_every_codeword_is_as_likely_to_be_the_secret() -> None:
    family, rng = Packing(), np.random.default_rng(0)
    point = {"n": 40.0, "p": 8.0, "epsilon": 0.1, "delta": 0.0}
    secrets = [family.challenge(point, 0.0, rng).secret for _ in range(DRAWS)]
    counts = np.bincount(secrets, minlength=16)
    assert counts.size == 16
    assert chisquare(counts).pvalue > 1e-5


def test_the_records_that_cancel_are_drawn_anew() -> None:
    family, rng = Packing(), np.random.default_rng(1)
    point = {"n": 40.0, "p": 16.0, "epsilon": 0.1, "delta": 0.0}
    found = np.array([family.challenge(point, 0.0, rng).problem.records.records.features[1] * 4 for _ in range(DRAWS)])
    assert set(np.unique(found)) == {-1.0, 1.0}
    assert np.abs(found.mean(axis=0)).max() < ERRORS / math.sqrt(DRAWS)


@pytest.mark.parametrize("family", [SignedLabels(), LipschitzSignedLabels()])
def test_every_hidden_sign_is_a_fair_coin_of_its_own(family: SignedLabels) -> None:
    rng = np.random.default_rng(2)
    sigma = np.array([family.challenge(SIGNS, 0.0, rng).sigma for _ in range(DRAWS)])
    coordinates = sigma.shape[1]
    assert coordinates > 10
    assert np.abs(sigma.mean(axis=0)).max() < ERRORS / math.sqrt(DRAWS)
    pairs = sigma.T @ sigma / DRAWS - np.eye(coordinates)
    assert np.abs(pairs).max() < (ERRORS + 1) / math.sqrt(DRAWS)  # 1 of 10^5 choices, over all pairs


def test_every_sign_hidden_in_directions_is_a_fair_coin_of_its_own_and_guessed_by_zero() -> None:
    rng, family, point = np.random.default_rng(4), SignedDirections(), SIGNS | {"n": 1e4}
    drawn = [family.challenge(point, 0.0, rng) for _ in range(DRAWS)]
    signs = np.array([challenge.signs for challenge in drawn])
    assert np.abs(signs.mean(axis=0)).max() < ERRORS / math.sqrt(DRAWS)
    pairs = signs.T @ signs / DRAWS - np.eye(signs.shape[1])
    assert np.abs(pairs).max() < (ERRORS + 1) / math.sqrt(DRAWS)
    hits = [challenge.attack(np.zeros(16), rng)[0].value for challenge in drawn]
    assert abs(np.mean(hits) - 0.5) < ERRORS * 0.5 / math.sqrt(DRAWS)


@pytest.mark.parametrize("family", [SignedLabels(), LipschitzSignedLabels()])
def test_a_guess_of_signs_without_looking_is_right_half_of_the_time(family: SignedLabels) -> None:
    """Zero is guessed, whichever sign is hidden; and all signs positive, or those of another instance, are guesses."""
    rng = np.random.default_rng(3)
    hits: dict[str, list[float]] = {}
    other = family.challenge(SIGNS, 0.0, rng).sigma
    for _ in range(DRAWS):
        challenge = family.challenge(SIGNS, 0.0, rng)
        zero, half = np.zeros(int(SIGNS["p"])), challenge.sigma > 0
        found = {one.quantity: one.value for one in challenge.attack(zero, rng)}
        hits.setdefault(f"zero, sign {challenge.sigma[0]:g}", []).append(found["sign_recovered"])
        for name, theta in (("positive", np.ones_like(zero)), ("another", np.append(other, zero)[: zero.size])):
            told = {one.quantity: one.value for one in challenge.attack(theta, rng)}
            hits.setdefault(name, []).append(told["sign_recovered"])
            hits.setdefault(f"{name}, all", []).append(told["signs_recovered"])
        if 0 < half.sum() < half.size:
            guessed = zero.copy()
            guessed[: half.size][half] = 1.0  # positive ones are known, the others guessed
            told = {one.quantity: one.value for one in challenge.attack(guessed, rng)}
            hits.setdefault("negative ones", []).append((told["signs_recovered"] - half.mean()) / (1 - half.mean()))
    assert len(hits) == 7
    for name, values in hits.items():
        assert abs(np.mean(values) - 0.5) < ERRORS * 0.5 / math.sqrt(len(values)), name


def test_no_direction_that_is_fixed_beforehand_knows_the_mean_of_a_population() -> None:
    """Entries of sqrt(p) mu are independent and of the arcsine law: mean 0, variance 1/2, fourth moment 3/8."""
    family, rng, p = Fingerprinting(), np.random.default_rng(4), 64
    point = {"n": 16.0, "p": float(p), "epsilon": 1.0, "delta": 1e-6}
    drawn = [family.challenge(point, 0.0, rng) for _ in range(DRAWS)]
    means = np.array([one.mean for one in drawn]) * math.sqrt(p)
    assert np.abs(means.mean(axis=0)).max() < (ERRORS + 0.5) * math.sqrt(0.5 / DRAWS)
    assert abs(np.mean(means**2) - 0.5) < ERRORS * math.sqrt(1 / 8 / means.size)
    apart = np.einsum("ij,ij->i", means[1:], means[:-1])  # of two populations
    assert abs(apart.mean()) < ERRORS * math.sqrt(p / 4 / apart.size)
    within = means[:, 1:] * means[:, :-1]  # of two coordinates of one
    assert abs(within.mean()) < ERRORS * math.sqrt(1 / 4 / within.size)


def test_the_member_of_fingerprinting_data_is_one_of_its_records_and_the_others_are_other_ones() -> None:
    family, rng = Fingerprinting(), np.random.default_rng(5)
    point = {"n": 12.0, "p": 64.0, "epsilon": 1.0, "delta": 1e-6}
    for _ in range(20):
        challenge = family.challenge(point, 0.0, rng)
        records = challenge.problem.records.records
        assert (records.features == challenge.member).all(axis=1).any()
        assert len(np.unique(records.features, axis=0)) == 12  # of 2^64, mean 1/2 apart or more


def test_an_answer_that_has_not_seen_the_data_traces_a_member_as_seldom_as_a_stranger() -> None:
    """Chance 1/20 for both, of an answer that is fixed and of the population's own mean: a binomial deviation."""
    family, rng = Fingerprinting(), np.random.default_rng(6)
    point = {"n": 8.0, "p": 32.0, "epsilon": 1.0, "delta": 1e-6}
    found: dict[str, list[float]] = {"traced": [], "accused": []}
    for _ in range(DRAWS):
        challenge = family.challenge(point, 0.0, rng)
        for theta in (np.linspace(-1, 1, 32), challenge.mean):
            for one in challenge.attack(theta, rng):
                if one.quantity in found:
                    found[one.quantity].append(one.value)
    for name, values in found.items():
        # ties of a lattice of scores make an accusation rarer, never likelier; a half of it is still seen
        error = math.sqrt(0.05 * 0.95 / len(values))
        assert 0.025 < np.mean(values) < 0.05 + ERRORS * error, name


def test_users_signs_and_places_of_a_padded_code_are_drawn_anew() -> None:
    family, rng = TardosLasso(users=2, false_accusation=0.1), np.random.default_rng(7)
    point = family.resolve({"n": 1.0, "p": 1.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0})
    drawn = [family.challenge(point, 0.0, rng) for _ in range(200)]
    assert chisquare(np.bincount([one.left_out for one in drawn], minlength=3)).pvalue > 1e-5
    consensus = np.array([one.consensus for one in drawn])
    p = consensus.shape[1]
    # a constant answer agrees with half of the consensus columns; sums over columns have a variance of p at most
    assert np.abs(consensus.sum(axis=1)).max() < (ERRORS + 1) * math.sqrt(p)
    assert np.abs(consensus.mean(axis=0)).max() < (ERRORS + 1) / math.sqrt(len(drawn))
    apart = np.einsum("ij,ij->i", consensus[1:], consensus[:-1])
    assert abs(apart.mean()) < ERRORS * math.sqrt(p / apart.size)
    mixed = (consensus == 0).mean(axis=0)  # padding stands anywhere: every column is mixed as often
    error = np.sqrt(mixed.mean() * (1 - mixed.mean()) / len(drawn))
    assert np.abs(mixed - mixed.mean()).max() < (ERRORS + 1) * error


def test_the_user_that_is_asked_for_is_any_of_them_with_equal_chance() -> None:
    """Of an answer that has exactly one user's word every user of two is traced in half of the trials."""
    family, rng = TardosLasso(users=2, false_accusation=0.1), np.random.default_rng(8)
    point = family.resolve({"n": 1.0, "p": 1.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0})
    challenge = family.challenge(point, 0.0, rng)
    rows = np.delete(challenge.code.rows, challenge.left_out, axis=0)
    mixed = rows[0] != rows[1]
    traced: list[float] = []
    for user in rows:
        alone = np.where(mixed, user, 0.0)  # tells one user from the other
        for _ in range(100):
            traced += [one.value for one in challenge.attack(alone, rng) if one.quantity == "traced"]
    assert abs(np.mean(traced) - 0.5) < ERRORS * 0.5 / math.sqrt(len(traced))
