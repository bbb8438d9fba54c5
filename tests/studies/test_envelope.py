"""The supremum over a family, and the privacy of objective perturbation in one dimension."""

import math

import numpy as np
import pytest

from dprepro.algorithms import DataFree, ObjectivePerturbation
from dprepro.budget import Budget, Neighbours
from dprepro.constructions import LinearSlope, NiceRegression, RandomQuadratic
from dprepro.errors import InputError
from dprepro.problems.constants import Constants
from dprepro.studies import Design, EnvelopeStudy, OneDimensionStudy, Series
from dprepro.studies.one_dimension import PrivacySeries, Record, _densities, _excess

ADD = Neighbours.ADD_OR_REMOVE_ONE
DESIGN = Design({"n": [1e6], "p": [50], "epsilon": [1], "delta": [1e-6]})


def study(values, algorithm=None, construction=None, draws=40):
    series = {"one": Series("claim", algorithm or ObjectivePerturbation(), construction or LinearSlope())}
    return EnvelopeStudy(
        series, bound="kst.lemma_3", shape="kst.theorem_4_rate", values=values, draws=draws, neighbours=ADD
    )


def rows(one, seed=0):
    found = one.measure(one.cells(DESIGN)[0], np.random.default_rng(seed))
    return {row.quantity: row for row in found}


def test_the_envelope_is_the_largest_member_on_equal_draws():
    values = [0.2, 0.7, 3.0, math.inf]
    singles = [rows(study([value]))["excess_risk"].value for value in values]
    together = rows(study(values))["excess_risk"]
    assert together.value == max(singles)
    assert together.columns["worst"] == 0.7
    assert together.columns["trivial_risk"] == pytest.approx(1.0)


def test_members_outside_their_premise_are_passed_over():
    assert rows(study([0.7, 1e9]))["excess_risk"].columns["worst"] == 0.7


def test_the_data_free_answer_is_judged_on_its_own_worst_member():
    series = {"one": Series("context", DataFree(), LinearSlope(), bound="none")}
    found = rows(EnvelopeStudy(series, values=[0.7, math.inf], neighbours=ADD))
    assert found["excess_risk"].value == pytest.approx(1.0)
    assert "lemma_24" not in found


@pytest.mark.parametrize("within", ["box", "l1_ball", "l2_ball"])
@pytest.mark.parametrize("l1", [0.0, 1e5])
def test_lemma_24_corollary_25_and_lemma_3_hold_in_every_draw(within, l1):
    algorithm = ObjectivePerturbation(regulariser="least")
    found = rows(study([1.0], algorithm, RandomQuadratic(within=within, l1=l1), draws=100))
    # b.(theta# - theta) >= Delta ||theta# - theta||^2 by strong convexity of both: the lemma has a factor 2 to spare
    assert found["lemma_24"].value <= 0.5 + 1e-9
    assert found["corollary_25"].value <= 0.25 + 1e-9
    assert found["lemma_3"].value <= 1


def test_an_empty_family_is_refused():
    with pytest.raises(InputError, match="values is empty"):
        study([])


@pytest.mark.parametrize("least", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_the_certified_epsilon_covers_the_exact_delta_in_one_dimension(least, epsilon):
    """What the accountant certifies, the exact delta of every pair confirms, too small a Delta included."""
    algorithm = ObjectivePerturbation(regulariser="least", least=least)
    one = Constants(1, 1, 1.0, 1.0, 0.0, 0, smoothness=1.0)
    budget = Budget(epsilon, 1e-6, ADD)
    schedule, certified = algorithm.schedule(one, budget), algorithm.spent(one, budget).epsilon
    for centre in (0.0, 1.0, 3.0, 5.0):
        middle = centre * schedule.coordinate_scale / schedule.regulariser
        densities = _densities("gaussian", schedule, Record(-1.0, 1.0, 1.0, middle), None)
        alpha, added, without = densities
        for log_p in (added, without):
            assert np.trapezoid(np.exp(log_p), alpha) == pytest.approx(1, abs=1e-3)
        assert _excess(alpha, added, without, certified) <= 1e-6
        assert _excess(alpha, without, added, certified) <= 1e-6


def test_delta_of_line_1_is_private_and_that_of_theorem_4_is_not():
    series = {
        name: PrivacySeries("context", ObjectivePerturbation(regulariser="least", least=least, noise=noise))
        for name, least, noise in (
            ("line_1", 2.0, "gaussian"),
            ("theorem_4", 0.5, "gaussian"),
            ("line_1_gamma", 2.0, "gamma"),
            ("theorem_4_gamma", 0.5, "gamma"),
        )
    }
    one = OneDimensionStudy(series, neighbours=ADD)
    found = {}
    for cell in one.cells(DESIGN):
        (row,) = one.measure(cell, np.random.default_rng(0))
        found[cell.series] = row.value / row.bound
    assert found["line_1"] < 1 < 1000 < found["theorem_4"]
    assert found["line_1_gamma"] < 1 < found["theorem_4_gamma"]


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_search_reaches_the_noise_at_which_privacy_can_fail(epsilon):
    """Up to 5 scales the loss stays below epsilon: residue. A search four times as fine gains little."""
    algorithm, found = ObjectivePerturbation(regulariser="least"), []
    for centres in (None, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), tuple(0.125 * k for k in range(81))):
        given = {} if centres is None else {"centres": centres}
        one = OneDimensionStudy({"one": PrivacySeries("claim", algorithm)}, neighbours=ADD, **given)
        (cell,) = one.cells(Design({"epsilon": [epsilon], "delta": [1e-6]}))
        found.append(one.measure(cell, np.random.default_rng(0))[0].value)
    assert found[1] < 1e-20 < 1e-15 < found[0] <= found[2] <= 2 * found[0]


@pytest.mark.parametrize("n", [1e4, 1e8])
def test_theorem_30_bounds_the_distance_in_every_draw_of_a_strongly_convex_problem(n):
    series = {"one": Series("claim", ObjectivePerturbation(regulariser="least"), NiceRegression())}
    one = EnvelopeStudy(series, bound="kst.theorem_31", values=[math.inf], draws=100, neighbours=ADD)
    design = Design({"n": [n], "p": [30], "epsilon": [1], "delta": [1e-6]})
    found = {row.quantity: row.value for row in one.measure(one.cells(design)[0], np.random.default_rng(0))}
    assert 0 < found["theorem_30"] <= 1
    assert "theorem_30" not in rows(study([1.0]))  # linear losses
