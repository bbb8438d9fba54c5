"""Attacks on Kifer, Smith and Thakurta find what is false as printed and planted falsehoods, and nothing that holds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dprepro.bounds import kst_perturbed, kst_privacy, kst_selection
from dprepro.refute import GRANTED, Axis, Effort, Sides, hunt
from dprepro.refute.find import attacks_on, forms, says_of, untried
from dprepro.refute.kst import ATTACKS, PRINTED, UNTRIED
from dprepro.refute.kst_perturbation_attacks import CURVED_RECORD, POPULATION
from dprepro.statements.kst import RANGE, STATEMENTS

BY_ITEM = {statement.item: statement for statement in STATEMENTS}
CHEAP = Effort(300, 200)
HOLD = ("Lemma 3", "Theorem 5", "Theorem 7", "Theorem 8", "Theorem 9", "Theorem 29", "Theorem 30", "Theorem 31",
        "Theorem 38", "Theorem 44")  # fmt: skip


def test_every_statement_is_attacked_or_says_why_not() -> None:
    for statement in STATEMENTS:
        for form in forms(statement):
            wrong = form == "printed" and bool(statement.false)
            found = attacks_on("kst", statement, form)
            assert found or (untried("kst", statement) and not wrong), (statement.item, form)
    assert set(ATTACKS) | set(PRINTED) | set(UNTRIED) <= BY_ITEM.keys()
    assert set(PRINTED) == {row.item for row in STATEMENTS if row.false}


@pytest.mark.parametrize("item", PRINTED)
def test_what_is_false_as_printed_has_a_counterexample(item: str) -> None:
    says = says_of(BY_ITEM[item], "printed")
    for attack in PRINTED[item]:
        assert hunt(attack, says, CHEAP).violated, attack.name


@pytest.mark.parametrize("item", HOLD)
def test_what_holds_has_none(item: str) -> None:
    """Of those that compute; corners and a short search."""
    for attack in ATTACKS[item]:
        if attack.exact:
            tried = hunt(attack, BY_ITEM[item].holds, CHEAP)
            assert tried.numbers, attack.name
            assert not tried.violated, (attack.name, tried)


@pytest.mark.parametrize("attack", CURVED_RECORD, ids=lambda candidate: candidate.name)
def test_theorem_2_without_its_premise_on_rank_is_refuted(attack: Sides) -> None:
    says = BY_ITEM["Theorem 2"].says
    free = replace(says, premise=[one for one in says.premise if not one.startswith("hessian_rank")])
    assert not hunt(attack, says, CHEAP).violated
    assert hunt(attack, free, CHEAP).violated


def test_theorem_5_for_every_epsilon_and_delta_is_refuted() -> None:
    says = BY_ITEM["Theorem 5"].holds
    free = replace(says, premise=[one for one in says.premise if one not in RANGE])
    attack = replace(
        ATTACKS["Theorem 5"][0], axes={**ATTACKS["Theorem 5"][0].axes, "delta": Axis(1e-6, 0.999, usual=0.5)}
    )
    assert not hunt(attack, says, CHEAP).violated
    assert hunt(attack, free, CHEAP).violated


def test_theorem_29_over_a_set_that_is_larger_than_its_radius_is_refuted() -> None:
    one = {"lipschitz": Axis(1, 1), "radius": Axis(1, 1), "norm": Axis(1, 1)}
    attack = Sides(
        name="a large set", left="kst_perturbed.curved_population_risk", right="kst_population.theorem_29_rate",
        constant=GRANTED, axes={**POPULATION, **one, "ball": Axis(1, 1e6)},
    )  # fmt: skip
    assert hunt(attack, BY_ITEM["Theorem 29"].holds, CHEAP).violated


def test_theorem_44_without_1_beside_the_logarithm_is_refuted() -> None:
    missed = kst_selection.theorem_44_without_one_missed(1e-3, 3)
    attack = Sides(
        name="gamma near 1", left="1 - gamma", right="1 - missed",
        axes={"gamma": Axis(0.999, 0.999), "missed": Axis(missed, missed)},
    )  # fmt: skip
    assert hunt(attack, BY_ITEM["Theorem 44"].holds, CHEAP).violated


def test_a_record_of_full_rank_spends_what_integration_over_draws_says() -> None:
    """Answers without and with the record, by 4e6 draws within the ball; five standard errors."""
    epsilon, delta, rank, centre = 1.0, 1e-2, 3, 0.5
    sigma, ridge = kst_perturbed.noise_deviation(epsilon, delta), 2.0
    u = np.random.default_rng(0).uniform(-1, 1, (4_000_000, rank))
    at = ridge * u + np.array([centre * sigma, 0, 0])
    moved = at + u
    unit = (2 * math.pi * sigma**2) ** (-rank / 2)
    without, beside = (
        unit * det**rank * np.exp(-(some**2).sum(axis=1) / (2 * sigma**2)) for det, some in ((ridge, at), (3.0, moved))
    )
    over = np.where((u**2).sum(axis=1) <= 1, np.maximum(beside - math.exp(epsilon) * without, 0), 0) * 2**rank
    exact = kst_privacy.objective_delta(epsilon, delta, rank, centre, 2.0)
    assert over.mean() == pytest.approx(exact, abs=5 * over.std() / 2000)
    assert kst_privacy.objective_delta(1.0, 1e-6, 3, 0.0, 2.0) == pytest.approx(984.6e-6, rel=1e-3)


def test_the_fitted_risk_agrees_with_draws() -> None:
    """2e5 draws of one coordinate, clipped by the box; five standard errors."""
    n, epsilon, level, s, psi, signal = 1e4, 1.0, 14.0, 3.0, 0.5, 0.7
    noise = 2 * s**1.5 * math.sqrt(8 * (level + math.log(2)) + 2 * epsilon) * 2 / epsilon
    b = np.random.default_rng(2).normal(0, noise, 200_000)
    theta = np.clip((n * psi * signal - b) / (n * psi + 4 * s / epsilon), -1, 1)
    risks = psi / 2 * s * (theta - signal) ** 2
    exact = kst_selection.fitted_risk(n, epsilon, level, s, psi, signal)
    assert risks.mean() == pytest.approx(exact, abs=5 * risks.std() / 447)


@pytest.mark.parametrize("signal", [0.3, 1.0, 3.0])
def test_population_risks_agree_with_draws(signal: float) -> None:
    """Linear losses at n = 1e4, 4e5 draws; five standard errors and a normal law's 1e-2."""
    n, epsilon, delta, rng = 10_000, 1.0, 1e-6, np.random.default_rng(4)
    mean, ridge = signal / math.sqrt(n), math.sqrt(2 * math.log(1 / delta)) / epsilon
    total = 2.0 * rng.binomial(n, (1 + mean) / 2, 400_000) - n
    b = rng.normal(0, kst_perturbed.noise_deviation(epsilon, delta), total.size)
    risks = mean * (1 - np.clip((total - b) / ridge, -1, 1))
    exact = kst_perturbed.linear_population_risk(n, 2, epsilon, delta, signal)
    assert risks.mean() == pytest.approx(exact, abs=5 * risks.std() / 632 + 0.01 * exact)
