"""Functions of libraries as subjects: by name, with bounds that are told; reported faults are found again."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from dprepro.auditing import DataDomain, Verdict, audit
from dprepro.auditing.peers import is_peer, peer, peers, warned
from dprepro.auditing.peers.audited_functions import SUBJECTS, AuditedCall, audited
from dprepro.auditing.peers.found import MissingPeer
from dprepro.errors import InputError

FAULTS = [subject for subject in SUBJECTS if subject.name.startswith("fault:")]


def both(subject: AuditedCall, **given: Any) -> list[Verdict]:
    """Audits of the fault and of its repair."""
    found, domain = peer(subject.name), DataDomain.parse(subject.domain)
    return [
        audit(
            found.function, 1.0, neighbours=subject.relation, domain=domain,
            parameters=found.parameters(domain) | {"repaired": repaired}, **given,
        )
        for repaired in (False, True)
    ]  # fmt: skip


@pytest.mark.parametrize("subject", FAULTS, ids=lambda subject: subject.name)
def test_a_fault_that_was_reported_in_public_is_found_and_its_repair_is_not(
    subject: AuditedCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By replay: what a fault spends is known and not counted; a repair is accused once in 10,000 seeds at most."""
    monkeypatch.setattr("dprepro.auditing.replay.CALLS", 100)
    monkeypatch.setattr("dprepro.auditing.replay.COUNTED", 40)
    monkeypatch.setattr("dprepro.auditing.replay.TRIED", 1)
    verdicts = both(subject, draws=2000, level=1 - 1e-4, replay=True)
    assert [verdict.violates for verdict in verdicts] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("subject", FAULTS, ids=lambda subject: subject.name)
def test_a_fault_is_found_by_counts_as_the_table_says(subject: AuditedCall) -> None:
    """The seed is fixed. With another one a repair is accused with probability .01 at most."""
    verdicts = both(subject, draws=subject.draws)
    assert [verdict.violates for verdict in verdicts] == [True, False]


def test_a_name_is_a_library_s_function_or_is_refused_with_what_there_is() -> None:
    assert is_peer("diffprivlib:mean")
    assert not is_peer("mine.py:fit")
    with pytest.raises(InputError, match="library"):
        peer("nobody:mean")
    with pytest.raises(InputError, match="even_length"):
        peer("fault:even_lengths")
    assert {"diffprivlib:mean", "diffprivlib:quantile", "opendp:theil_sen", "opacus:sgd"} <= set(peers())


def test_bounds_are_told_and_not_read_off_the_data() -> None:
    found = peer("fault:one_sided_sensitivity")
    assert found.parameters(DataDomain.parse("n=3 x=0..7")) == {"low": 0.0, "high": 7.0}
    assert found.target.endswith("of_fault.py:one_sided_sensitivity")


def test_an_estimator_with_epsilon_is_called_by_its_name() -> None:
    found = peer(f"estimator:{__name__}.Shrunk")
    answer = found.function(
        np.eye(2), np.ones(2), 1.0, 0.0, 3, **found.parameters(DataDomain(2, 2, labels=(-1.0, 1.0)))
    )
    assert answer.coef_.tolist() == [1.0, 1.0, 3.0]
    with pytest.raises(InputError, match="no argument epsilon"):
        peer("estimator:fractions.Fraction")
    with pytest.raises(MissingPeer, match="not installed"):
        peer("estimator:nowhere_at_all.Model")


class Shrunk:
    """An estimator as those of scikit-learn."""

    def __init__(self, epsilon: float = 1.0, random_state: int = 0) -> None:
        self.epsilon, self.random_state = epsilon, random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Shrunk:  # noqa: N803
        self.coef_ = np.append(X.T @ y * self.epsilon, self.random_state)
        return self


def test_a_missing_library_is_named_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dprepro.auditing.peers.found._installed", lambda package: False)
    with pytest.raises(MissingPeer, match=r"opendp:quantile needs opendp: pip install 'dprepro\[peers\]'"):
        peer("opendp:quantile")


def test_a_warning_of_privacy_is_part_of_what_a_function_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    class PrivacyLeakWarning(RuntimeWarning):
        pass

    def leaking(X: np.ndarray, epsilon: float) -> float:  # noqa: N803
        warnings.warn("bounds are read off the data", PrivacyLeakWarning, stacklevel=1)
        return float(X.mean())

    found = peer("fault:even_length")
    told = warned(type(found)("fault:leaking", leaking), DataDomain(3), 1.0, 0.0)
    assert told == ("PrivacyLeakWarning: bounds are read off the data",)
    assert warned(found, DataDomain(3), 1.0, 0.0) == ()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what libraries warn of is their own affair
@pytest.mark.parametrize("subject", [subject for subject in SUBJECTS if not subject.name.startswith("fault:")], ids=str)
def test_libraries_are_as_the_table_says(subject: object) -> None:
    asked = next(one for one in SUBJECTS if one is subject)
    library = asked.name.partition(":")[0]
    pytest.importorskip("diffprivlib" if library == "estimator" else library, reason=f"{library} is not installed")
    result = audited(asked)
    assert result.version.split()[-1][0].isdigit()
    if asked.name != "opendp:theil_sen":  # shown by counting, below
        assert ("violates" in result.verdict) is bool(asked.report), result


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what libraries warn of is their own affair
def test_one_record_that_comes_changes_two_predictions_of_opendp_where_it_promises_one() -> None:
    """OpenDP 2950: an odd record is dropped. Where this fails the fault is repaired."""
    pytest.importorskip("opendp", reason="opendp is not installed")
    # the package has a function of the module's name
    theil_sen = import_module("opendp.extras.sklearn.linear_model._make_private_theil_sen")
    peer("opendp:theil_sen")
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
    predict = theil_sen.make_pairwise_predict(np.array([25.0, 75.0]), runs=1)
    rows = np.array([[1.0, 1.0], [2.0, 3.0]])
    before, after = (
        {tuple(np.round(row, 6)) for row in predict(some)} for some in (rows, np.vstack([[9.0, 3.0], rows]))
    )
    assert predict.map(1) == 1
    assert len(before ^ after) == 2
