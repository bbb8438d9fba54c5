"""The register that comes with the project: sound, within what is proved, and measured again to what it says."""

from __future__ import annotations

import fcntl
import json
import re
from pathlib import Path

import pytest

from dprepro.commands.parser import main
from dprepro.errors import InputError
from dprepro.register.challenge_run import repeated
from dprepro.register.constants_register import locked, read_register, shipped
from dprepro.statements.papers import papers
from dprepro.statements.statement import identity

ROOT = Path(__file__).parents[2]
SHIPPED = read_register(ROOT / "constants.json")
QUICK = ("bst-theorem-3-2", "lasso-theorem-2-6", "bst-theorem-5-4")


def test_the_register_beside_the_configuration_is_the_one_that_is_shipped() -> None:
    assert shipped() == ROOT / "constants.json"
    assert read_register(Path("nowhere/constants.json")) == SHIPPED


def test_every_rate_whose_constant_is_measured_in_the_mean_has_a_record() -> None:
    measured = {
        identity(paper, claim.item)
        for paper, described in papers().items()
        for claim in described.claims
        if claim.holds.constant and not claim.restates and "in expectation" in claim.holds.quantifiers
    }
    assert measured <= set(SHIPPED.statements())
    assert len(measured) >= 10


def test_every_lower_bound_of_the_risk_has_an_algorithm_above_what_is_proved() -> None:
    lower = {
        identity(paper, claim.item)
        for paper, described in papers().items()
        for claim in described.claims
        if claim.holds.rate and claim.holds.direction == "at_least" and not claim.restates
        and "for every private algorithm" in claim.holds.quantifiers
    }  # fmt: skip
    errors = {"bst-lemma-5-1-1", "bst-lemma-5-1-2"}  # of marginals: no risk
    entered = [one for one in SHIPPED.entries if one.kind == "family" and one.accepted]
    assert {one.statement for one in entered} == lower - errors
    assert len(entered) == 10
    for family in entered:
        best = SHIPPED.best(family.statement, family.place) or family
        assert 0 < float(family.proved or 0) < best.certified <= family.certified


def test_what_is_known_lies_below_what_is_proved() -> None:
    records = [SHIPPED.record(address) for address in SHIPPED.statements()]
    known = [one for one in records if one is not None and one.kind == "data" and one.proved is not None]
    assert len(known) >= 10
    assert all(0 < one.certified < one.value for one in known)
    assert all(one.certified <= float(one.proved or 0) * (1 + 1e-9) for one in known)


@pytest.mark.parametrize(
    "address",
    [
        *QUICK,
        *(pytest.param(one, marks=pytest.mark.slow) for one in SHIPPED.statements() if one not in QUICK),
    ],
)
def test_a_record_is_measured_again_from_its_seed(address: str) -> None:
    entry = SHIPPED.record(address)
    assert entry is not None
    # on another type of processor sums may be taken in another order
    assert repeated(SHIPPED, entry, False, entry.seed).worst.value == pytest.approx(entry.value, rel=1e-6)


def test_the_witness_of_the_page_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/pages/constants.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(\{.*?\})\n```", page, re.DOTALL)
    witness = tmp_path / "witness.json"
    witness.write_text(shown)
    assert json.loads(shown)["statement"] in SHIPPED.statements()
    assert main(["challenge", str(witness), f"register={tmp_path / 'constants.json'}", "minutes=1/20"]) == 0
    assert capsys.readouterr().out.startswith("not accepted: ")
    assert len(read_register(tmp_path / "constants.json").entries) == len(SHIPPED.entries) + 1


def test_a_register_that_cannot_be_locked_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(handle: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refused)
    with (
        pytest.raises(InputError, match=r"^cannot lock .*: Operation not supported; choose another register$"),
        locked(tmp_path / "constants.json"),
    ):
        raise AssertionError("nobody may write without the lock")
