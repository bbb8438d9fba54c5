"""``python -m dprepro challenge``: what is accepted, what is rejected, what is refused, and that nothing is lost."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dprepro.commands.ending import guarded
from dprepro.commands.parser import main
from dprepro.engine.cell import canonical
from dprepro.errors import InputError, PremiseError
from dprepro.register import ConstantsRegister, RegisterEntry, Submission
from dprepro.register.challenge_run import WitnessChallenge
from dprepro.register.constants_register import append, locked, read_register
from dprepro.register.register_page import constants_table, history, lower_table, table
from dprepro.register.submission import LARGEST_FILE, read_json

AT = {"n": 3e4, "p": 8, "epsilon": 1, "delta": 1e-6}
TUNED: dict[str, Any] = {
    "statement": "lasso-theorem-2-5", "who": "A. Reader", "algorithm": "noisy_frank_wolfe", "at": AT,
    "construction": "tuned_needle",
}  # fmt: skip
BELOW_AT = {"n": 2000, "p": 8, "epsilon": 0.1, "delta": 0}
FROM_BELOW: dict[str, Any] = {
    "statement": "bst-theorem-5-4", "who": "A. Reader", "at": BELOW_AT,
    "algorithm": {"name": "released_marginals", "release": "laplace"},
    "construction": {"name": "packing", "share": 0.3, "loss": "half_squared_distance"},
}  # fmt: skip
FAR = """
from dataclasses import dataclass, replace
from dprepro.algorithms import ReleasedMarginals

@dataclass(frozen=True)
class Far(ReleasedMarginals):
    release: str = "laplace"

    def solve(self, problem, budget, rng):
        found = super().solve(problem, budget, rng)
        return replace(found, theta=1000 * found.theta)
"""
NO_DATA: dict[str, Any] = {"construction": None, "at": {}}
BETTER = {"name": "needle_family", "gap": 3, "heads": 0.25, "curved": 0.9, "fill": 1}


@pytest.fixture(autouse=True)
def nothing_is_shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("dprepro.register.constants_register.shipped", lambda: tmp_path / "none.json")


def enter(path: Path, seed: int | None = None, **changes: Any) -> RegisterEntry:
    given = {key: one for key, one in {**TUNED, **changes}.items() if one is not None}
    return WitnessChallenge(Submission(**given), None, 2.0, "0").enter(path, seed, "2026-01-01")


def command(tmp_path: Path, content: object, *words: str) -> tuple[int, Path]:
    witness, register = tmp_path / "witness.json", tmp_path / "constants.json"
    witness.write_text(content if isinstance(content, str) else json.dumps(content))
    return guarded(main, ["challenge", str(witness), f"register={register}", *words]), register


def test_a_better_witness_is_accepted_and_a_worse_one_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, register = command(tmp_path, {**TUNED, "construction": "needle_family"})
    assert code == 0
    assert capsys.readouterr().out.startswith("accepted: the first of this statement")
    assert command(tmp_path, TUNED)[0] == 0
    assert capsys.readouterr().out.startswith("accepted: better than the record")
    assert command(tmp_path, {**TUNED, "construction": "needle_family"})[0] == 0
    assert capsys.readouterr().out.startswith("not accepted: not better")
    found = read_register(register)
    assert [one.verdict for one in found.entries] == ["accepted", "accepted", "rejected"]
    record = found.record("lasso-theorem-2-5")
    assert record is not None
    assert record.proved is not None
    assert 0.5 < record.certified < record.value < record.proved


def test_a_lucky_witness_is_rejected_each_time_that_it_is_submitted(tmp_path: Path) -> None:
    """The same data with a constant that no seed repeats. By the levels any is accepted once in a hundred times."""
    path = tmp_path / "constants.json"
    first = enter(path, 0)
    found = [enter(path, seed, claimed=1.5 * first.value) for seed in range(1, 6)]
    assert all(one.verdict == "rejected" for one in found)
    assert all(one.reason.startswith("lucky seed") for one in found)
    assert [one.level for one in found] == sorted((one.level for one in found), reverse=True)


def test_seeds_are_fresh_unless_a_test_sets_them(tmp_path: Path) -> None:
    found = [enter(tmp_path / f"{number}.json") for number in range(2)]
    assert found[0].seed != found[1].seed
    assert found[0].value != found[1].value
    assert enter(tmp_path / "a.json", 7).value == enter(tmp_path / "b.json", 7).value


def test_an_entry_is_measured_again_to_the_same_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "constants.json"
    entry = enter(path, 3)
    assert guarded(main, ["challenge", f"again={entry.id}", f"register={path}"]) == 0
    said = capsys.readouterr().out
    assert f"{entry.value:.9g} as entered, {entry.value:.9g} from the same seed" in said
    assert "fresh seeds: " in said
    assert len(read_register(path).entries) == 1


def test_records_that_are_written_out_are_a_data_set(tmp_path: Path) -> None:
    records = {
        "X": [[1, 0], [-1, 0], [0, 1]], "y": [1, 1, -1], "copies": [15000, 13000, 2000],
        "constraint_set": "l1_ball", "feature_norm": "inf",
    }  # fmt: skip
    entry = enter(tmp_path / "constants.json", 1, construction=None, records=records, at={**AT, "p": 2})
    assert entry.accepted
    assert entry.at["n"] == 30000
    with pytest.raises(InputError, match="is 20000, and the data have n=30000"):
        enter(tmp_path / "constants.json", construction=None, records=records, at={**AT, "p": 2, "n": 2e4})


def test_a_schedule_is_held_against_all_data_known_and_what_a_search_finds(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    data = enter(path, 1)
    enter(path, 2, construction="centred_needle", at={**AT, "n": 2e4})
    fewer = {"name": "noisy_frank_wolfe", "steps_factor": 0.1}
    better = enter(path, 3, construction=None, at=AT, algorithm=fewer)
    assert better.accepted
    assert better.kind == "schedule"
    assert list(better.against) == [data.id]
    assert better.certified > better.value
    worse = enter(path, 4, construction=None, at=AT, algorithm={**fewer, "steps_factor": 0.99})
    assert not worse.accepted
    with pytest.raises(InputError, match="no data are known of lasso-theorem-2-5 at these sizes"):
        enter(path, construction=None, at={**AT, "n": 5e4}, algorithm=fewer)


def test_an_answer_without_data_is_no_better_algorithm(tmp_path: Path) -> None:
    """On needles, whose labels are small, it loses less than private Frank-Wolfe; on equal records it loses all."""
    path = tmp_path / "constants.json"
    needle = {"name": "needle_family", "gap": 1, "label": 0.1}
    enter(path, 1, construction=needle)
    entry = enter(path, 2, construction=None, at=AT, algorithm="data_free")
    assert entry.kind == "algorithm"
    assert not entry.accepted


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"at": {**AT, "delta": 0.9}}, "asks for delta"),
        ({"algorithm": "noisy_gd"}, "asks for algorithm is"),
        ({"algorithm": {"name": "noisy_frank_wolfe_exact"}}, "asks for algorithm.constants is printed"),
        ({"at": {**AT, "p": 1e12}}, "kappa"),
    ],
)
def test_a_violated_premise_is_said_and_nothing_is_entered(
    changes: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, register = command(tmp_path, {**TUNED, **changes})
    out = capsys.readouterr().out
    assert code == 0
    assert out.startswith("not accepted: premise violated: ")
    assert said in out
    assert not register.exists()


def test_a_lower_bound_takes_algorithms_that_lose_less_on_the_data_of_its_proof(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    first = enter(path, 1, **FROM_BELOW)
    assert (first.kind, first.accepted) == ("family", True)
    assert first.proved is not None
    assert 0 < first.proved < first.value < first.certified
    better = enter(path, 2, **FROM_BELOW | NO_DATA | {"algorithm": "data_free"})
    assert (better.kind, better.accepted, list(better.against)) == ("algorithm", True, [first.id])
    assert first.proved < better.certified < first.value
    worse = enter(path, 3, **FROM_BELOW | NO_DATA)
    assert worse.reason.startswith("not better")
    found = read_register(path)
    (line, who) = table(found)[1:]
    assert f"{better.certified:.4g} at most, proved {first.proved:.4g}" in line
    assert better.id in who
    assert f"| {first.proved:.4g} | {better.certified:.4g} | data&#95;free |" in lower_table(found)
    assert len(constants_table(found).splitlines()) == 2  # none from above


def test_a_lucky_algorithm_is_rejected_for_a_lower_bound(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    first = enter(path, 1, **FROM_BELOW)
    again = [enter(path, seed, **FROM_BELOW | NO_DATA, claimed=first.value / 2) for seed in range(2, 5)]
    assert all(one.reason.startswith("lucky seed") for one in again)


def test_who_is_not_private_does_not_undercut_a_lower_bound(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    enter(path, 1, **FROM_BELOW)
    with pytest.raises(PremiseError, match="ExactMinimiser"):
        enter(path, 2, **FROM_BELOW | NO_DATA | {"algorithm": "exact_minimiser"})


def test_what_loses_less_than_is_proved_is_said_to_contradict_the_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprepro.constructions.packing.PackingChallenge.mean_level", 1.0)
    assert "a counterexample to the proof" in enter(tmp_path / "constants.json", 1, **FROM_BELOW).reason


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"construction": "packing"}, "Packing proves bst_lower.theorem_5_2_rate, and not"),
        ({"construction": "one_way_marginals"}, "OneWayMarginals proves none"),
        ({"construction": None, "records": {"X": [[1, 0]], "y": [1], "copies": [9], "loss": "half_squared_distance"},
          "at": {**BELOW_AT, "n": 9, "p": 2}}, "proves none"),
        ({"at": {**BELOW_AT, "epsilon": 3}}, "asks for epsilon"),
        ({"neighbours": "zero_out"}, "is proved for neighbours=replace_one, and not for zero_out"),
    ],
)  # fmt: skip
def test_a_lower_bound_takes_no_data_but_a_family_that_proves_its_rate(
    changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """Else whoever chose easy data would break it."""
    path = tmp_path / "constants.json"
    with pytest.raises(PremiseError, match=said):
        enter(path, 1, **FROM_BELOW | changes)
    assert not path.exists()


def test_an_algorithm_that_is_private_for_another_relation_is_refused(tmp_path: Path) -> None:
    """Half the noise may do there: to lose less than what is proved for a replacement contradicts nothing."""
    path = tmp_path / "constants.json"
    enter(path, 1, **FROM_BELOW)
    with pytest.raises(InputError, match="known for neighbours=replace_one, and the witness has zero_out"):
        enter(path, 2, **FROM_BELOW | NO_DATA | {"neighbours": "zero_out"})


def test_answers_outside_the_set_undercut_no_lower_bound(tmp_path: Path) -> None:
    """Laplace noise and a thousandfold answer: private, and of less linear loss than any point of the set."""
    path, linear = tmp_path / "constants.json", FROM_BELOW | {"statement": "bst-theorem-5-2"}
    enter(path, 1, **linear | {"algorithm": "data_free", "construction": {"name": "packing", "share": 0.3}})
    (tmp_path / "submitted.py").write_text(FAR)
    given = {key: one for key, one in linear.items() if key not in ("construction", "at", "algorithm")}
    submission = Submission(**given, algorithm="submitted.py:Far")
    with pytest.raises(PremiseError, match="Far answers with a point outside the constraint set"):
        WitnessChallenge(submission, tmp_path, 2.0, "0").enter(path, 2)
    assert len(read_register(path).entries) == 1


def test_the_data_of_a_lower_bound_are_entered_once(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    first = enter(path, 1, **FROM_BELOW)
    with pytest.raises(InputError, match=f"are those of entry {first.id}"):
        enter(path, 2, **FROM_BELOW)


DEEP = json.dumps({**TUNED, "construction": "X"}).replace('"X"', '{"a":' * 500 + "1" + "}" * 500)
HOSTILE: dict[str, tuple[object, str]] = {
    "no JSON": ("{", "is no JSON"),
    "not a block": ("[1]", "holds no witness"),
    "text": ('"' + "a" * 100 + '"', "holds no witness"),
    "NaN": (json.dumps({**TUNED, "claimed": float("nan")}), "NaN is no number"),
    "infinite": (json.dumps({**TUNED, "claimed": float("inf")}), "Infinity is no number"),
    "huge number": (json.dumps({**TUNED, "claimed": 1}).replace('"claimed": 1', '"claimed": 1e999'), "1e999"),
    "huge whole number": (json.dumps({**TUNED, "claimed": 1}).replace('"claimed": 1', f'"claimed": {"9" * 9999}'),
                          "digits"),
    "nested": ("[" * 100_000 + "]" * 100_000, "nested too deep"),
    "nested less": (DEEP, "nested"),
    "twice": ('{"who": "a", "who": "b"}', "stands twice"),
    "missing": ({"statement": "lasso-theorem-2-5"}, "needs who, algorithm"),
    "unknown key": ({**TUNED, "verdict": "accepted"}, "unknown key"),
    "wrong type": ({**TUNED, "at": [1, 2]}, "at is [1, 2]; it must be"),
    "wrong number": ({**TUNED, "at": {**AT, "n": "many"}}, "at.n is 'many'; it must be"),
    "negative": ({**TUNED, "at": {**AT, "n": -5}}, "n must hold whole numbers"),
    "1e9 rows": ({**TUNED, "at": {**AT, "n": 1e9}, "construction": "nice_regression"}, ""),
    "1e300 rows": ({**TUNED, "at": {**AT, "n": 1e300}}, ""),
    "unknown axis": ({**TUNED, "at": {**AT, "__class__": 1}}, "neither a main axis"),
    "unknown statement": ({**TUNED, "statement": "lasso-theorem-99"}, "unknown statement"),
    "statement of an error": ({**TUNED, "statement": "kst-claim-22"}, "unknown statement"),
    "statement from below, restated": ({**TUNED, "statement": "lasso-theorem-1-2"}, "restates lasso-theorem-3-1"),
    "lower bound without data": ({**FROM_BELOW, "construction": None, "at": {}}, "no data are known of"),
    "lower bound on code": ({**FROM_BELOW, "algorithm": "submitted.py:Mine"}, "then add --trust"),
    "lower bound of few records": ({**FROM_BELOW, "at": {**BELOW_AT, "n": "inf"}}, ""),
    "lower bound, unknown parameter": ({**FROM_BELOW, "construction": {"name": "packing", "x": 1}}, "unknown"),
    "restated": ({**TUNED, "statement": "lasso-theorem-a-1"}, "restates lasso-theorem-2-5"),
    "unknown algorithm": ({**TUNED, "algorithm": "magic"}, "unknown algorithm"),
    "algorithm is a number": ({**TUNED, "algorithm": 3}, "algorithm must be a name"),
    "code": ({**TUNED, "algorithm": "submitted.py:Mine"}, "then add --trust"),
    "code elsewhere": ({**TUNED, "algorithm": "/tmp/submitted.py:Mine"}, "neither a word nor a number"),
    "code above": ({**TUNED, "algorithm": "../submitted.py:Mine"}, "neither a word nor a number"),
    "target": ({**TUNED, "algorithm": {"_target_": "os.system"}}, "must be a class of dprepro"),
    "target of a builtin": ({**TUNED, "construction": {"_target_": "builtins.eval"}}, "must be a class of dprepro"),
    "target of another kind":
        ({**TUNED, "construction": {"_target_": "dprepro.engine.store.Store"}}, "not of the kind"),
    "own code": ({**TUNED, "algorithm": {"_target_": "dprepro.own.adapters.Fitted", "code": "os.system"}}, "code is"),
    "a file": ({**TUNED, "construction": {"_target_": "dprepro.own.adapters.Arrays", "file": "x.npz"}}, "file is"),
    "a table": ({**TUNED, "construction": {"name": "table", "path": "x.csv"}}, "path is refused"),
    "expression": ({**TUNED, "construction": {"name": "tuned_needle", "x": "__import__('os')"}}, "refused"),
    "power": ({**TUNED, "at": {**AT, "n": "9**9**9**9"}}, "it is too large"),
    "hidden character": ({**TUNED, "who": "A\u202eB"}, "nobody sees"),
    "long name": ({**TUNED, "who": "a" * 999}, "more than 100"),
    "no name": ({**TUNED, "who": " "}, "who is empty"),
    "both": ({**TUNED, "records": {"X": [[1]], "y": [1]}}, "and not both"),
    "ragged": ({**TUNED, "construction": None, "records": {"X": [[1], [1, 2]], "y": [1, 1]}}, "as many features"),
    "no records": ({**TUNED, "construction": None, "records": {"X": [], "y": []}}, "at least one record"),
    "too few labels": ({**TUNED, "construction": None, "records": {"X": [[1], [1]], "y": [1]}}, "2 records, y 1"),
    "half a copy": ({**TUNED, "construction": None, "records": {"X": [[1]], "y": [1], "copies": [0.5]}}, "whole"),
    "out of bounds": ({**TUNED, "at": {}, "construction": None, "records": {"X": [[9]], "y": [1]}}, ""),
    "label bound": ({**TUNED, "construction": None, "at": {**AT, "n": 9, "p": 1},
                     "records": {"X": [[1]], "y": [1], "copies": [9], "label_bound": 1e300}}, ""),
    "relation": ({**TUNED, "neighbours": "replace_two"}, "replace_one"),
    "counterexample of nobody": ({"attack": "x", "statement": "kst-theorem-26", "form": "printed"}, "who is missing"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_a_damaged_or_hostile_witness_is_answered_in_one_line(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, said = HOSTILE[case]
    code, register = command(tmp_path, content)
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert printed.err.count("\n") == 1
    assert said in printed.err
    assert len(printed.err) < 1500
    assert not register.exists()


def test_a_file_that_is_too_large_or_none_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_text("[" + "1," * 2_100_000 + "1]")
    with pytest.raises(InputError, match="more than 4,000,000 bytes"):
        read_json(large, LARGEST_FILE)
    for other in (tmp_path, tmp_path / "absent.json", Path("/dev/null")):
        with pytest.raises(InputError, match="cannot read"):
            read_json(other, LARGEST_FILE)


OWN = """\
import math
from dataclasses import dataclass
from dprepro.algorithms import Algorithm, Schedule, Solution
from dprepro.algorithms.base import gradient_sensitivity
from dprepro.mechanisms import Gaussian


@dataclass(frozen=True)
class Mine(Algorithm):
    steps: int = 2
    drawn: float = 1.0

    def noise(self, domain, budget):
        per_unit = math.sqrt(8 * self.steps * math.log(1 / budget.delta)) / budget.epsilon
        return Gaussian(gradient_sensitivity(domain, budget.neighbours) * per_unit)

    def schedule(self, domain, budget):
        return Schedule(self.steps, self.noise(domain, budget).scale)

    def parts(self, domain, budget):
        sensitivity = gradient_sensitivity(domain, budget.neighbours)
        return ((self.noise(domain, budget).guarantee(sensitivity), self.steps),)

    def solve(self, problem, budget, rng):
        noise, theta = self.noise(problem.domain, budget), problem.constraint_set.start()
        for _ in range(self.steps):
            noisy = problem.gradient(theta) + self.drawn * noise.scale * rng.standard_normal(theta.size)
            theta = problem.constraint_set.project(theta - noisy / problem.domain.smoothness)
        return Solution(theta, self.schedule(problem.domain, budget), self.privacy_loss(problem.domain, budget))


@dataclass(frozen=True)
class Quiet(Mine):
    drawn: float = 1e-3


@dataclass(frozen=True)
class Short(Mine):
    def noise(self, domain, budget):
        return Gaussian(gradient_sensitivity(domain, budget.neighbours))


@dataclass(frozen=True)
class Judge(Mine):
    def privacy_loss(self, domain, budget):
        return None


def fit(X, y):
    return X.T @ y
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A register with data that are cheap for anybody's loop, and a file of algorithms beside the witness."""
    monkeypatch.setattr("dprepro.register.own_promise.LEAST_CALLS", 2000)
    (tmp_path / "submitted.py").write_text(OWN)
    records = {"X": [[1, 0], [-1, 0]], "y": [1, -1], "copies": [150, 50], "constraint_set": "l1_ball",
               "feature_norm": "inf"}  # fmt: skip
    enter(tmp_path / "constants.json", 1, construction=None, records=records, at={**AT, "n": 200, "p": 2})
    return tmp_path


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Short", "spends epsilon="),
        ("Judge", "certifies itself by a privacy_loss of its own"),
        pytest.param("Quiet", "violates its guarantee", marks=pytest.mark.slow),
        ("fit", "promises no privacy"),
    ],
)
def test_an_algorithm_that_does_not_keep_its_privacy_is_not_accepted(name: str, said: str, mine: Path) -> None:
    submission = Submission("lasso-theorem-2-5", "A. Reader", f"submitted.py:{name}")
    with pytest.raises(PremiseError, match=said):
        WitnessChallenge(submission, mine, 2.0, "0").enter(mine / "constants.json", 5)
    assert len(read_register(mine / "constants.json").entries) == 1


@pytest.mark.slow
def test_an_algorithm_of_a_file_is_measured_once_the_file_is_trusted(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register, given = (
        mine / "constants.json",
        {"statement": "lasso-theorem-2-5", "who": "B", "algorithm": "submitted.py:Mine"},
    )
    assert command(mine, given)[0] == 2
    assert "--trust" in capsys.readouterr().err
    assert command(mine, given, "--trust", "minutes=1/60")[0] == 0
    (entry,) = read_register(register).entries[1:]
    assert entry.kind == "algorithm"
    assert entry.source == OWN
    (mine / "submitted.py").unlink()  # the entry holds what it needs
    assert guarded(main, ["challenge", f"again={entry.id}", f"register={register}"]) == 2
    capsys.readouterr()
    assert guarded(main, ["challenge", f"again={entry.id}", f"register={register}", "--trust"]) == 0
    assert f"{entry.value:.9g} as entered, {entry.value:.9g} from the same seed" in capsys.readouterr().out


def made(number: int) -> RegisterEntry:
    return RegisterEntry(
        date="2026-01-01", who=f"{number}", statement="s", kind="data", verdict="rejected", reason="", at={"n": 1},
        witness={}, value=1.5, error=0, certified=1, level=0.1, draws=[1], seed=number,
    )  # fmt: skip


def test_concurrent_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"

    def write(number: int) -> None:
        with locked(path):
            append(path, read_register(path), made(number))

    threads = [threading.Thread(target=write, args=[number]) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(one.who) for one in read_register(path).entries) == list(range(24))
    assert [one.name for one in tmp_path.iterdir()] == ["constants.json"]


def test_the_history_is_only_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    for number in range(3):
        append(path, read_register(path), made(number))
    content = json.loads(path.read_text())
    changed = {
        "changed": [*content["history"][:1], {**content["history"][1], "value": 99}, content["history"][2]],
        "taken out": [content["history"][0], content["history"][2]],
        "in another order": content["history"][::-1],
        "without its end": [{**content["history"][0], "id": ""}],
    }
    for lines in changed.values():
        path.write_text(json.dumps({**content, "history": lines}))
        with pytest.raises(InputError, match="was changed, or one before it taken out"):
            read_register(path)
    for damaged in ("", "{", "[]", '{"schema_version": 9}', '{"schema_version": 1, "history": 3}',
                    '{"schema_version": 1, "history": [{}]}'):  # fmt: skip
        path.write_text(damaged)
        with pytest.raises(InputError):
            read_register(path)
        assert path.read_text() == damaged


def test_what_is_entered_meanwhile_is_measured_against(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A better record that comes while a witness is measured is the one that it must beat."""
    path = tmp_path / "constants.json"
    first, better = enter(tmp_path / "a.json", 1, construction="needle_family"), enter(tmp_path / "b.json", 1)
    measure = WitnessChallenge.measured

    def late(self: WitnessChallenge, register: ConstantsRegister, seed: int, sizes: Sequence[int] = ()) -> Any:
        found = measure(self, register, seed, sizes)
        if not path.exists():
            shutil.copy(tmp_path / "b.json", path)
        return found

    monkeypatch.setattr(WitnessChallenge, "measured", late)
    entry = enter(path, 2, construction="needle_family")
    assert first.value < better.value
    assert not entry.accepted
    assert len(read_register(path).entries) == 2


def test_a_counterexample_is_measured_again_and_entered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["refute", "kst-theorem-26", "form=printed", "minutes=1/30", f"results_dir={tmp_path}"]) == 0
    (witness,) = (tmp_path / "witnesses").iterdir()
    register = tmp_path / "constants.json"
    capsys.readouterr()
    assert main(["challenge", str(witness), f"register={register}", "who=A. Reader"]) == 0
    assert capsys.readouterr().out.startswith("accepted: a counterexample")
    content = json.loads(witness.read_text())
    witness.write_text(json.dumps({**content, "form": "repaired"}))
    guarded(main, ["challenge", str(witness), f"register={register}", "who=A. Reader"])
    assert sum(one.accepted for one in read_register(register).entries) == 1


def test_pages_show_a_strangers_words_as_words(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    enter(path, 1, who="<script>alert(1)</script>|[x](javascript:1)", remark="*larger* for `n` = 1e9")
    found = read_register(path)
    for text in (constants_table(found), history(found)):
        assert "<script" not in text
        assert "[x]" not in text
        assert all(line.startswith("| ") and line.count(" | ") == 6 for line in text.splitlines())
    assert "lasso-theorem-2-5: at least " in table(found)[1]


def test_an_empty_register_says_how_to_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["challenge", f"register={tmp_path / 'none.json'}"]) == 0
    assert "the register is empty" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.json", "again=x"], "give one of"),
        (["again=nothing"], "unknown entry"),
        (["minutes=0"], "minutes must be positive"),
        (["rows=1"], "unknown argument"),
    ],
)
def test_arguments_that_cannot_be_are_refused(words: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        main(["challenge", f"register={tmp_path / 'c.json'}", *words])


def test_an_entry_is_the_same_once_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "constants.json"
    entry = append(path, ConstantsRegister(), made(1))
    (read,) = read_register(path).entries
    assert canonical(read.content) == canonical(entry.content)
