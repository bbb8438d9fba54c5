"""Attacks in general: corners first, then a search, and what is found is measured once more on fresh draws."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from dprepro.algorithms import FrankWolfe, ObjectivePerturbation
from dprepro.budget import Neighbours
from dprepro.constructions import FewRecords, LinearSlope
from dprepro.errors import InputError, PremiseError
from dprepro.refute import GRANTED, Attack, Axis, Effort, Risks, Sides, Trial, axis, hunt, measured_again
from dprepro.refute.find import attacks_on, forms, says_of, statement_at, untried
from dprepro.refute.search_axes import STANDARD, corners, place_of, values_at
from dprepro.refute.witness import Witness, read_witness
from dprepro.statements.papers import papers
from dprepro.statements.statement import Says

SAYS = Says(text="x is at most 1", direction="at_most", bound="1*x", premise=("n >= 2",))
SIZES = {"n": axis("n", high=1e6), "p": axis("p", high=100)}


def test_corners_come_first_then_pairs_of_them_then_any() -> None:
    found = list(corners(SIZES, 1000))
    usual = {name: size.middle for name, size in SIZES.items()}
    assert found[0] == usual
    moved = [sum(one[name] != usual[name] for name in usual) for one in found]
    assert moved == sorted(moved)
    assert {one["n"] for one in found} == {1, 2, 100, 1e4, 1e6}
    assert {(one["n"], one["p"]) for one in found} >= {(1, 1), (2, 3), (1e6, 100)}
    assert found == list(corners(SIZES, 1000))
    assert len(list(corners(STANDARD, 77))) == 77


@pytest.mark.parametrize("one", [Axis(1e-3, 1e3), Axis(-1, 1, log=False), Axis(0, 0.5, usual=1e-6), axis("p")])
def test_a_place_and_its_value_are_inverse(one: Axis) -> None:
    for place in (0.0, 0.2, 0.5, 1.0):
        value = one.value(place)
        assert one.low <= value <= one.high
        assert one.value(one.place(value)) == pytest.approx(value, rel=1e-6, abs=1e-9 * one.high)
    assert one.value(0.0) == one.low
    assert one.value(1.0) == pytest.approx(one.high)
    numbers = {"x": one.middle}
    assert values_at({"x": one}, place_of({"x": one}, numbers))["x"] == pytest.approx(one.middle, rel=1e-6)


def test_ends_that_are_no_range_are_refused() -> None:
    for low, high, log in ((2.0, 1.0, False), (-1.0, 0.0, True), (0.0, math.inf, False)):
        with pytest.raises(InputError, match=r"an axis needs|geometric"):
            Axis(low, high, log=log)
    with pytest.raises(InputError, match="standard axis"):
        axis("m")


def test_a_falsehood_in_a_corner_is_found_there() -> None:
    attack = Sides(name="one coordinate", axes=SIZES, left="1+(1/p)^20", constant=1.5)
    tried = hunt(attack, SAYS, Effort(50, 0))
    assert tried.violated
    assert tried.numbers["p"] == 1
    assert tried.least_share == pytest.approx(2 / 1.5)


def test_a_falsehood_inside_is_found_by_the_search_and_not_by_corners() -> None:
    left = "exp(0-(ln(x)-1)^2)"
    attack = Sides(name="a hill", axes={"x": Axis(1e-4, 1e4, usual=1e-4)}, left=left, constant=0.99)
    free = replace(SAYS, premise=())
    assert not hunt(attack, free, Effort(50, 0)).violated
    tried = hunt(attack, free, Effort(50, 300))
    assert tried.violated
    assert tried.numbers["x"] == pytest.approx(math.e, rel=0.2)


def test_places_outside_the_premise_are_counted_and_show_nothing() -> None:
    attack = Sides(name="n", axes={"n": Axis(1, 3, log=False, whole=True)}, left="2/n")
    tried = hunt(attack, SAYS, Effort(10, 0))
    assert not tried.violated  # 2 at n = 1, which the premise leaves out
    assert tried.outside >= 1
    nowhere = hunt(replace(attack, premise=("n >= 10",)), SAYS, Effort(10, 10))
    assert nowhere.numbers == {}
    assert nowhere.outside >= 10
    assert not nowhere.violated


def test_a_side_without_a_value_is_outside_and_a_missing_axis_is_refused() -> None:
    free = replace(SAYS, premise=())
    attack = Sides(name="pole", axes={"x": Axis(0, 1, log=False)}, left="1/x", constant=1e30)
    assert hunt(attack, free, Effort(10, 0)).outside == 1
    with pytest.raises(InputError, match="needs the axis y"):
        hunt(replace(attack, left="1*y"), free, Effort(10, 0))


@dataclass(frozen=True, kw_only=True)
class Lucky(Attack):
    """A fair statement: what is taken is allowed in the mean, with much noise."""

    exact: ClassVar[bool] = False

    def see(self, says: Says, numbers: Mapping[str, float], rng: np.random.Generator) -> Trial:
        taken = rng.exponential(size=8)
        return Trial(float(taken.mean()), 1.0, float(np.std(taken, ddof=1) / math.sqrt(8)))


def test_luck_is_no_counterexample() -> None:
    """Of 200 searches over fair draws none is called violated: one in 30,000 would be by chance."""
    attack = Lucky(name="luck", axes={"x": Axis(0, 1, log=False)})
    tried = [hunt(attack, SAYS, Effort(20, 10), seed) for seed in range(200)]
    assert max(one.share for one in tried) > 1
    assert not any(one.violated for one in tried)


def test_the_same_effort_finds_the_same() -> None:
    attack = Lucky(name="luck", axes={"x": Axis(0, 1, log=False)})
    assert hunt(attack, SAYS, Effort(20, 10), 3) == hunt(attack, SAYS, Effort(20, 10), 3)
    assert measured_again(attack, SAYS, {"x": 0.5}, 1) != measured_again(attack, SAYS, {"x": 0.5}, 2)


def test_an_o_is_granted_a_constant_and_an_explicit_bound_none() -> None:
    family = LinearSlope()
    point = {"n": 1e4, "p": 16.0, "epsilon": 1.0, "delta": 1e-6}
    relation = Neighbours.ADD_OR_REMOVE_ONE
    attack = Risks(name="slope", axes={}, algorithm=ObjectivePerturbation(), family=family, relation=relation)
    rate = Says(text="", direction="at_most", rate="p/(n*epsilon)")
    bound = Says(text="", direction="at_most", bound="p/(n*epsilon)")
    shown = [attack.see(says, point, np.random.default_rng(0)).share for says in (rate, bound)]
    assert shown[1] / shown[0] == pytest.approx(GRANTED)


def test_words_of_a_premise_are_asked_of_what_runs() -> None:
    attack = Risks(name="one", axes={}, algorithm=FrankWolfe(), family=FewRecords(loss="linear"))
    point, rng = {"n": 10.0, "p": 2.0}, np.random.default_rng(0)
    for premise in ("algorithm is NoisyFrankWolfe", "loss is SquaredLoss", "set is L1Ball", "curvature > 0"):
        says = Says(text="", direction="at_most", rate="1/n", premise=(premise,))
        with pytest.raises(PremiseError, match=premise.split()[0]):
            attack.see(says, point, rng)


def test_a_point_that_is_the_whole_set_has_no_risk_by_rounding() -> None:
    family = FewRecords(over="simplex", radius=433.0, label=-0.05, others=0.44)
    attack = Risks(name="one", axes={}, algorithm=FrankWolfe(), family=family)
    says = Says(text="", direction="at_most", bound="0*n")
    assert attack.see(says, {"n": 12733.0, "p": 1.0}, np.random.default_rng(0)).taken == 0


def test_every_statement_of_every_paper_is_attacked_or_says_why_not() -> None:
    for paper, described in papers().items():
        for claim in described.claims:
            tried = any(attacks_on(paper, claim, form) for form in forms(claim))
            assert tried or untried(paper, claim), (paper, claim.item)


def test_addresses_lead_to_statements_and_wrong_ones_to_the_nearest() -> None:
    paper, statement = statement_at("kst-theorem-31")
    assert (paper, statement.item) == ("kst", "Theorem 31")
    with pytest.raises(InputError, match="did you mean kst-theorem-31"):
        statement_at("kst-theorem-311")
    with pytest.raises(InputError, match="unknown form"):
        says_of(statement, "true")


def test_a_witness_is_read_and_measured_again(tmp_path: object) -> None:
    from pathlib import Path

    paper, statement = statement_at("kst-theorem-26")
    attack = attacks_on(paper, statement, "printed")[0]
    tried = hunt(attack, says_of(statement, "printed"), Effort(300, 200))
    assert tried.violated
    witness = Witness("kst-theorem-26", "printed", attack.name, tried.numbers, tried.least_share)
    import json

    path = Path(str(tmp_path)) / "witness.json"
    path.write_text(json.dumps(witness.to_dict()), encoding="utf-8")
    again = read_witness(path)
    assert again.measured(seed=5).least_share == pytest.approx(tried.least_share)
    with pytest.raises(InputError, match="attack on"):
        replace(again, attack="nobody's").find()
    with pytest.raises(InputError, match="needs"):
        replace(again, numbers={}).find()
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError):
        read_witness(path)
