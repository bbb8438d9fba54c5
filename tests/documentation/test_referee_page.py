"""The tables of the referee are of one code, and the numbers of its page, and of the README, are theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dprepro.auditing.accountants import Enclosed, KnownLaw
from dprepro.auditing.accountants.comparison import SECONDS, VERDICTS, Case, ComparisonRow, cases
from dprepro.auditing.accountants.subjects import accountants
from dprepro.auditing.peers.audited_functions import SUBJECTS
from dprepro.auditing.supports import mechanisms
from dprepro.report import referee
from dprepro.report.referee import TABLES, write
from dprepro.support.regular_files import unpacked

ROOT = Path(__file__).parent.parent.parent
REFERENCE = ROOT / "results/reference"
PAGE = (ROOT / "docs/pages/howto/referee.md").read_text(encoding="utf-8")


def table(name: str) -> dict[str, Any]:
    return dict(json.loads(unpacked(REFERENCE / f"{name}.json.gz")))


ACCOUNTANTS = table("accountants")["rows"]
SUPPORTS = {row["name"]: row for row in table("supports")["rows"]}
OF_LAPLACE, OF_GAUSSIAN = (
    ("numpy Laplace", "dprepro Laplace", "dprepro L2Laplace"),
    ("dprepro Gaussian", "numpy Gaussian"),
)


def said(accountant: str, verdict: str, *, ordinary: bool = False) -> list[dict[str, Any]]:
    return [
        row for row in ACCOUNTANTS
        if row["accountant"] == accountant and row["verdict"] == verdict and (row["ordinary"] or not ordinary)
    ]  # fmt: skip


def short(number: float, digits: int) -> str:
    """Without the 0 before the point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.{digits}f}"


def on_the_page(words: str) -> None:
    assert " ".join(words.split()) in " ".join(PAGE.split()), words


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_what_its_data_say_today_and_nothing_was_left_out(name: str, tmp_path: Path) -> None:
    found = table(name)
    assert found["skipped"] == []
    write(name, found["rows"], [], tmp_path)
    assert (tmp_path / f"{name}.md").read_bytes() == (REFERENCE / f"{name}.md").read_bytes()


def test_the_tables_are_of_the_questions_that_are_asked_today() -> None:
    asked = [(case.law.words, case.delta, case.ordinary) for case in cases()]
    for accountant in accountants():
        own = [row for row in ACCOUNTANTS if row["accountant"] == accountant.name]
        assert [(row["law"], row["delta"], row["ordinary"]) for row in own] == asked
    assert [(row["name"], row["relation"], row["domain"], row["delta"]) for row in table("peers_audit")["rows"]] == [
        (subject.name, subject.relation, subject.domain, subject.delta) for subject in SUBJECTS
    ]
    assert list(SUPPORTS)[:-1] == [mechanism.name for mechanism in mechanisms()]


def test_every_verdict_on_an_accountant_is_that_of_its_answer_and_its_enclosure() -> None:
    case = Case(KnownLaw("gaussian", 1.0), 1e-6, True)
    assert referee.VERDICTS == VERDICTS
    for row in ACCOUNTANTS:
        answer = float("nan") if row["epsilon"] is None else row["epsilon"]
        again = ComparisonRow("", "", case, Enclosed(row["low"], row["high"]), answer, row["error"])
        assert again.verdict == row["verdict"], row
        assert row["high"] <= row["low"] * (1 + 5e-4) or row["high"] < 1e-280


def test_no_verdict_on_an_accountant_hangs_on_how_fast_the_machine_was() -> None:
    """Every answer came in half of the time that it was given, or not at all."""
    assert not [
        row for row in ACCOUNTANTS if row["verdict"] not in ("costly", "fails") and row["seconds"] > SECONDS / 2
    ]


def test_the_page_tells_what_the_table_of_accountants_says() -> None:
    own, ordinary = "dprepro", True
    assert not said(own, "below") + said(own, "undecided") + said(own, "fails") + said(own, "costly")
    ratio = max(row["ratio"] for row in said(own, "above", ordinary=ordinary))
    assert 1.9 < ratio < 2
    on_the_page(f"({len(list(cases()))} questions, versions in the table)")
    on_the_page(f"nowhere below; {len(said(own, 'tight'))} answers are tight, {len(said(own, 'above'))} are above")
    wrong = [row for row in said("dp-accounting PLD", "below") if row["law"].startswith("response")]
    first = next(row for row in wrong if row["law"].endswith("uses=16"))
    on_the_page(f"{short(first['epsilon'], 2)} in the place of {first['high']:.2f} for 16 uses")
    others = [row for row in said("dp-accounting PLD", "below") if row not in wrong]
    assert {row["delta"] for row in others} == {1e-12}
    on_the_page(f"{len(others)} answers at delta = 1e-12")
    on_the_page(f"by {1 - min(row['ratio'] for row in others):.2%} at most")
    fourier = next(
        row for row in said("autodp Fourier", "below") if row["law"] == "gaussian mu=1 uses=1" and row["delta"] == 1e-6
    )
    on_the_page(f"says {short(fourier['epsilon'], 3)} for a Gaussian that spends {fourier['high']:.3f}")
    assert len(said("autodp", "below")) == 2
    assert min(row["ratio"] for row in said("autodp", "below")) > 1 - 1e-6
    on_the_page(f"is below in {len(said('opacus GDP', 'below'))} cases")
    renyi = max(row["ratio"] for row in said("dp-accounting RDP", "above", ordinary=ordinary))
    assert 7 < renyi < 7.1
    (zero,) = said("dp-accounting RDP", "below")
    assert (zero["law"], zero["delta"], zero["epsilon"]) == ("response epsilon=1e-08 uses=1", 1e-300, 0.0)
    assert not [row for row in ACCOUNTANTS if row["verdict"] == "undecided"]


def test_the_page_tells_what_the_table_of_supports_says() -> None:
    least = min(SUPPORTS[name]["epsilon"] for name in OF_LAPLACE)
    gaussian = min(SUPPORTS[name]["epsilon"] for name in OF_GAUSSIAN)
    on_the_page(f"| numpy, and **this project's** `Laplace`, `L2Laplace` | {least:.1f} |")
    on_the_page(f"| this project's `Gaussian` | {gaussian:.1f} |")
    for words, names in (
        ("diffprivlib `Laplace`, `GaussianAnalytic`", ("diffprivlib Laplace", "diffprivlib GaussianAnalytic")),
        ("opacus's noise, without and with `secure_mode` (32 bits)", ("opacus noise", "opacus noise, secure_mode")),
    ):
        both = [SUPPORTS[name]["epsilon"] for name in names]
        on_the_page(f"| {words} | {both[0]:.1f}, {both[1]:.1f} |")
    for name in ("diffprivlib Snapping", "diffprivlib Geometric", "opendp laplace", "opendp gaussian"):
        assert SUPPORTS[name]["epsilon"] <= 1
    shares = [SUPPORTS[name]["only"] for name in OF_LAPLACE + OF_GAUSSIAN]
    on_the_page(f"with probability {short(min(shares[:3]), 2)} and {short(max(shares[3:]), 2)}")


def test_every_violation_of_a_library_on_the_page_is_one_of_the_table() -> None:
    rows = table("peers_audit")["rows"]
    violated = [row for row in rows if "violates" in row["verdict"]]
    assert all(row["report"] for row in violated)
    on_the_page(
        f"{len(rows)} functions, of which {len(violated)} spend more than the epsilon = 1 that they are asked for"
    )
    assert {"IBM/differential-privacy-library 105", "opendp/opendp 2950"} <= {row["report"] for row in violated}
    theil_sen = next(row for row in rows if row["name"] == "opendp:theil_sen")
    assert theil_sen["verdict"] == "not contradicted"
    on_the_page(f"would notice {theil_sen['noticed']:g} times the claim")
    assert not [row for row in rows if row["verdict"] == "without power"]


def test_the_readme_and_the_page_of_verdicts_warn_of_last_bits_as_the_table_says() -> None:
    laplace, gaussian = (
        short(pick(SUPPORTS[name]["only"] for name in names), 2)
        for pick, names in ((min, OF_LAPLACE), (max, OF_GAUSSIAN))
    )
    readme, verdicts = (
        " ".join((ROOT / page).read_text(encoding="utf-8").split()) for page in ("README.md", "docs/pages/verdicts.md")
    )
    assert f"no epsilon holds at a delta below {laplace}. Do not use it" in readme
    assert f"delta below {laplace} with Laplace noise and {gaussian} with Gaussian noise" in verdicts
