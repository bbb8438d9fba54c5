from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dprepro.algorithms import DataFree, ExactMinimiser
from dprepro.constructions import Attackable, Challenge, Finding, TunedNeedle
from dprepro.constructions.base import unit_lasso
from dprepro.engine import measure_cell
from dprepro.errors import InputError
from dprepro.problems import Problem, Records, RecordsView
from dprepro.studies import AttackStudy, Design, Series

SWEEP = {"n": [4], "p": [3], "epsilon": [1.0], "delta": [1e-6]}


@dataclass(frozen=True)
class SecretChallenge(Challenge):
    coordinate: int

    def attack(self, theta: Any, rng: np.random.Generator) -> Sequence[Finding]:
        found = float(np.abs(theta).argmax() == self.coordinate and np.any(theta != 0))
        return [Finding("decoded", found, 1 / len(theta)), Finding("size", float(np.abs(theta).sum()), trials=0)]


@dataclass(frozen=True)
class SecretCoordinate(Attackable):
    """All labels follow one coordinate: whoever fits gives it away."""

    findings = ("decoded", "size")
    certificates = ("margin",)

    def domain(self, point):
        return unit_lasso(point)

    def representations(self, point):
        return frozenset({"records"})

    def challenge(self, point, noise_scale, rng):
        n, p = int(point["n"]), int(point["p"])
        secret = int(rng.integers(p))
        x = np.tile(np.where(np.arange(p) == secret, 1.0, 0.0), (n, 1))
        problem = Problem(self.domain(point), {"records": RecordsView(self.domain(point), Records(x))})
        return SecretChallenge(problem, secret, certificates={"margin": 1.0})


def rows_of(study, replicates=1):
    return [row for cell in study.cells(Design(SWEEP, replicates)) for row in measure_cell(study.measure, cell).rows]


def one(algorithm, **changes):
    return Series(**{"role": "claim", "algorithm": algorithm, "construction": SecretCoordinate()} | changes)


def test_the_exact_minimiser_gives_every_secret_away_and_a_constant_none():
    study = AttackStudy(series={"exact": one(ExactMinimiser()), "zero": one(DataFree())}, trials=5)
    decoded = [row for row in rows_of(study) if row.quantity == "decoded"]
    assert [row.value for row in decoded] == [1.0, 0.0]
    assert [row.columns["trials"] for row in decoded] == [5, 5]
    assert [row.bound for row in decoded] == [1 / 3, 1 / 3]


def test_certificates_and_other_findings_are_stored_beside_the_risk_without_trials():
    rows = {row.quantity: row for row in rows_of(AttackStudy(series={"exact": one(ExactMinimiser())}, trials=3))}
    assert rows["margin"].value == 1.0
    assert "trials" not in rows["size"].columns
    assert rows["excess_risk"].value == pytest.approx(0, abs=1e-12)
    assert rows["excess_risk"].columns["gap"] <= 1e-9


def test_instances_are_fresh_in_every_trial():
    family = SecretCoordinate()
    rng = np.random.default_rng(0)
    secrets = {family.challenge({"n": 4, "p": 3}, 0.0, rng).coordinate for _ in range(50)}
    assert secrets == {0, 1, 2}


def test_a_construction_without_a_secret_cannot_be_attacked():
    with pytest.raises(InputError, match="series exact: TunedNeedle has no secret"):
        AttackStudy(series={"exact": one(ExactMinimiser(), construction=TunedNeedle())})


def test_the_factor_of_epsilon_enters_the_key_and_the_certified_epsilon():
    from dprepro.algorithms import NoisyFrankWolfe

    study = AttackStudy(series={"a": one(NoisyFrankWolfe()), "b": one(NoisyFrankWolfe(), epsilon_factor=10.0)})
    keys = [cell.key for cell in study.cells(Design(SWEEP))]
    assert keys[0] != keys[1]
    spent = [row.value for row in rows_of(study) if row.quantity == "certified_epsilon"]
    assert spent[1] > 1 > spent[0]
