"""Exact privacy by the law of the answer; nothing is random here."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dprepro.algorithms import (
    DataFree,
    ExponentialMechanism,
    HuberisedObjectivePerturbation,
    LeastRegulariser,
    ObjectivePerturbation,
    PrintedRegulariser,
)
from dprepro.analysis.checks import build, judge
from dprepro.budget import Neighbours
from dprepro.errors import InputError
from dprepro.laws import ObjectivePerturbationLaw
from dprepro.problems import Domain, HuberLoss, L2Ball
from dprepro.studies import Design, PrivacySeries, PrivacyStudy

ADD = Neighbours.ADD_OR_REMOVE_ONE


def rows(series, neighbours=ADD, **sweep):
    study = PrivacyStudy({"one": series}, neighbours=neighbours)
    (cell,) = study.cells(Design({"epsilon": [1.0], "delta": [1e-6]} | sweep))
    return {row.quantity: row for row in study.measure(cell, np.random.default_rng(0))}


def perturbation(**fields):
    return PrivacySeries("claim", ObjectivePerturbation(regulariser=LeastRegulariser(), **fields))


def test_delta_of_line_1_is_private_and_that_of_theorem_4_is_not():
    found = {}
    for name, least in (("line_1", 2.0), ("theorem_4", 0.5)):
        delta = rows(perturbation(least=least))["exact_delta"]
        loss = rows(perturbation(least=least, noise="gamma"), delta=[0.0])["largest_loss"]
        found[name] = delta.value / delta.bound, loss.value / loss.bound
    assert found["line_1"][0] < 1 < 1000 < found["theorem_4"][0]
    assert found["line_1"][1] < 1 < found["theorem_4"][1]


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_search_reaches_the_noise_at_which_privacy_can_fail(epsilon):
    """Up to 5 scales the loss stays below epsilon: residue. A search four times as fine gains little."""
    from dprepro import laws
    from dprepro.budget import Budget

    law, found = laws.find(ObjectivePerturbation(regulariser=LeastRegulariser()), None, Budget(epsilon, 1e-6, ADD)), []
    for centres in (law.centres, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), tuple(0.125 * k for k in range(81))):
        found.append(max(pair.lower_delta(epsilon) for pair in replace(law, centres=centres).pairs()))
    assert found[1] < 1e-20 < 1e-15 < found[0] <= found[2] <= 2 * found[0]


def test_under_replacement_pairs_beside_a_silent_record_are_told_apart():
    printed = PrivacySeries("context", HuberisedObjectivePerturbation(regulariser=PrintedRegulariser()))
    corrected = PrivacySeries("claim", HuberisedObjectivePerturbation())
    twice = PrivacySeries("claim", HuberisedObjectivePerturbation(noise_factor=2.0))
    replaced = {"neighbours": Neighbours.REPLACE_ONE, "epsilon": [0.5]}
    assert rows(printed, **replaced)["exact_delta_zeroed_out"].value > 1000e-6
    found = rows(corrected, **replaced)
    assert found["exact_delta_zeroed_out"].value < 1e-6
    assert found["exact_delta"].value == pytest.approx(2.35e-6, rel=0.01)  # replacement needs twice the noise
    assert rows(twice, **replaced)["exact_delta"].value < 1e-6
    silent = rows(corrected, neighbours=Neighbours.ZERO_OUT, epsilon=[0.5])
    assert silent["exact_delta"].value == found["exact_delta_zeroed_out"].value
    assert "exact_delta_zeroed_out" not in silent


def test_what_is_certified_stands_beside_what_is_spent():
    found = rows(perturbation())
    assert (found["certified_epsilon"].bound, found["exact_delta"].bound) == (1.0, 1e-6)
    assert 0 < found["certified_epsilon"].value < 1
    assert "certified_epsilon" not in rows(PrivacySeries("claim", HuberisedObjectivePerturbation()))


def test_a_domain_of_ones_own_is_used():
    wide = Domain(HuberLoss(), L2Ball(1, 1e4), 1, feature_bound=2.0, label_bound=1e4)
    series = replace(perturbation(), domain=wide)
    # zeta and lambda grow, the noise and Delta with them: the law is that of theta over another unit
    assert rows(series)["exact_delta"].value == pytest.approx(rows(perturbation())["exact_delta"].value, rel=0.2)
    small = replace(series, domain=Domain(HuberLoss(), L2Ball(1, 1e-3), 1))  # an answer that can hardly move
    assert rows(small)["exact_delta"].value < 1e-30


SWEEP = {"epsilon": [1.0], "delta": [1e-6]}
CHECKS = {
    "no_atom_before": {"quantity": "mass_near_zero", "expected": 2},
    "atom_of_the_limit": {"quantity": "limit_atom", "expected": 0.99, "side": "at_least"},
}


@pytest.mark.parametrize(
    ("check", "index", "false_index"), [("no_atom_before", 1e3, math.inf), ("atom_of_the_limit", math.inf, 1e3)]
)
def test_a_false_law_near_zero_refutes_the_checks(monkeypatch, check, index, false_index):
    """Planted: approximations that keep the kink of |theta|, and a limit that has lost it."""
    rule = {"rule": "below", "role": "claim", "series": ["limits"], "axes": ["index"], **CHECKS[check]}

    def found():
        series = replace(perturbation(), law={"l1": 1.0})
        columns = {"series": "limits", "role": "claim", "replicate": 0, "status": "ok", "deterministic": True}
        axes = {"n": 1.0, "p": 1.0, "epsilon": 1.0, "delta": 1e-6, "norm": 1.0, "index": index}
        frame = [
            columns | axes | {"quantity": row.quantity, "value": row.value, "bound": row.bound}
            for row in rows(series, index=[index]).values()
        ]
        return judge(pd.DataFrame(frame), {check: build(check, rule)})[check].verdict

    assert found() == "confirmed"
    honest = ObjectivePerturbationLaw.regulariser_slope
    monkeypatch.setattr(
        ObjectivePerturbationLaw,
        "regulariser_slope",
        lambda law, places: honest(replace(law, index=false_index), places),
    )
    assert found() == "refuted"


@pytest.mark.parametrize(
    ("series", "sweep", "word"),
    [
        (PrivacySeries("claim", DataFree()), SWEEP, "series one: no output distribution is known for DataFree"),
        (PrivacySeries("claim", ExponentialMechanism()), SWEEP, "series one: no worst neighbours are known"),
        (replace(perturbation(), domain=Domain(HuberLoss(), L2Ball(2), 1)), SWEEP, "HuberLoss at p=2"),
        (replace(perturbation(), law={"indx": 1.0}), SWEEP, "did you mean index"),
        (perturbation(), SWEEP | {"indx": [1.0]}, "sweep.indx is neither"),
        (perturbation(), SWEEP | {"index": [0.0]}, "index positive"),
        (perturbation(), SWEEP | {"delta": [0.0]}, "delta > 0"),
        (replace(perturbation(), sweep={"epsilon": [-1.0]}), SWEEP, "epsilon=-1"),
    ],
)
def test_what_has_no_law_is_refused(series, sweep, word):
    with pytest.raises(InputError, match=word):
        PrivacyStudy({"one": series}, neighbours=ADD).cells(Design(sweep))
