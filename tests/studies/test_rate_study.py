import math
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from dprepro import bounds
from dprepro.algorithms import (
    CodewordResponse,
    DataFree,
    ExactMinimiser,
    FrankWolfe,
    FullGradient,
    LeastRegulariser,
    NoisyFrankWolfe,
    NoisySGD,
    ObjectivePerturbation,
)
from dprepro.budget import Neighbours
from dprepro.constructions import (
    AxisPopulation,
    CentredNeedle,
    FlatOptimum,
    LinearSlope,
    OnePlace,
    Packing,
    RandomDesign,
    TunedNeedle,
)
from dprepro.engine import measure_cell
from dprepro.errors import Incompatible, InputError
from dprepro.reductions import IncrementalGradients
from dprepro.studies import Design, RateStudy, Series

SWEEP = {"n": [1e5, 1e6], "p": [20.0], "epsilon": [1.0], "delta": [1e-6]}


def study(**series):
    return RateStudy(series=series, bound="lasso.theorem_2_5", rate="lasso.theorem_2_5_rate")


def claim(**changes):
    return Series(**{"role": "claim", "algorithm": NoisyFrankWolfe(), "construction": TunedNeedle()} | changes)


def test_cells_are_series_by_grid_by_replicate_with_all_main_axes():
    cells = study(a=claim(), b=claim(role="context", at_most={"n": 1e5}, replicates=1)).cells(Design(SWEEP, 3))
    assert [cell.series for cell in cells] == ["a"] * 6 + ["b"]
    assert cells[0].axes == {"n": 100_000, "p": 20, "epsilon": 1, "delta": 1e-6, "norm": 1}


def test_series_with_the_same_science_share_their_cells_and_others_do_not():
    cells = study(a=claim(), b=claim(role="context"), c=claim(algorithm=NoisyFrankWolfe(selection="laplace"))).cells(
        Design(SWEEP)
    )
    keys = {cell.series: cell.key for cell in cells if cell.axes["n"] == 1e5}
    assert keys["a"] == keys["b"] != keys["c"]


@pytest.mark.parametrize(
    "changed",
    [
        claim(algorithm=NoisyFrankWolfe(constants="exact")),
        claim(construction=CentredNeedle()),
        claim(epsilon_factor=2.0),
        claim(reduction="grouped_vertices"),
        claim(bound="none"),
    ],
)
def test_everything_scientific_enters_the_key(changed):
    def key(series, neighbours=Neighbours.REPLACE_ONE, **design):
        one = RateStudy(series={"a": series}, bound="lasso.theorem_2_5", neighbours=neighbours)
        return one.cells(Design(SWEEP, **design))[0].key

    base = key(claim())
    assert key(changed) != base
    assert key(claim(), Neighbours.ZERO_OUT) != base
    assert key(claim(), seed=1) != base
    assert key(claim(role="context")) == base


def test_a_new_version_of_the_reduction_in_use_is_measured_anew_and_no_other(monkeypatch):
    def keys():
        cells = study(a=claim(), b=claim(construction=RandomDesign())).cells(Design(SWEEP))
        return {(cell.series, cell.axes["n"]): cell.key for cell in cells}

    before = keys()
    monkeypatch.setattr(IncrementalGradients, "version", IncrementalGradients.version + 1)
    changed = {series for (series, n), key in keys().items() if key != before[series, n]}
    assert changed == {"b"}


def test_where_no_reduction_serves_the_literal_algorithm_runs():
    one = RateStudy(series={"a": claim(algorithm=ExactMinimiser(), construction=OnePlace())})
    (cell,) = one.cells(Design({"n": [100.0], "p": [5.0]}))
    result = measure_cell(one.measure, cell)
    assert result.status == "ok"
    assert result.rows[0].columns["reduction"] == "literal"


def test_the_own_bound_is_that_of_the_algorithm_and_nobody_elses():
    def first_row(algorithm, bound):
        one = RateStudy(series={"a": claim(algorithm=algorithm)}, bound=bound, rate=bound and "own")
        (cell, *_) = one.cells(Design(SWEEP))
        return measure_cell(one.measure, cell).rows[0], cell.science

    own, science = first_row(NoisyFrankWolfe(), "own")
    named, _ = first_row(NoisyFrankWolfe(), "lasso.theorem_2_5")
    assert own.bound == named.bound > 0
    assert '"bound":"lasso.theorem_2_5"' in science
    noiseless = [first_row(FrankWolfe(steps=20), bound)[0].bound for bound in ("own", "lasso.theorem_2_2")]
    assert noiseless[0] == noiseless[1] > 0
    other, _ = first_row(DataFree(), "own")
    assert other.bound is None
    assert other.columns["rate"] is None


def test_an_axis_sets_the_parameter_of_its_name():
    one = Series("claim", FrankWolfe(), FlatOptimum(), bound="lasso.theorem_2_2")
    free = {"n": [4096.0], "p": [256.0], "steps": [10.0, 40.0]}
    fw = RateStudy(series={"a": one}, rate="lasso.theorem_2_2_rate")
    cells = fw.cells(Design(free))
    results = [measure_cell(fw.measure, cell) for cell in cells]
    assert [row.columns["total_steps"] for result in results for row in result.rows] == [10, 40]
    assert [row.quantity for row in results[0].rows] == ["excess_risk"]  # nothing private, nothing spent


def test_a_measurement_reports_risk_bound_trivial_risk_and_spending():
    one = study(a=claim())
    result = measure_cell(one.measure, one.cells(Design(SWEEP))[1])
    risk, spent, drawn = result.rows
    assert 0 < risk.value < risk.bound < risk.columns["trivial_risk"]
    assert risk.columns["reduction"] == "grouped_vertices"
    assert (spent.quantity, spent.bound) == ("certified_epsilon", 1)
    assert spent.value < 1
    assert drawn.quantity == "noise_moments"
    assert abs(drawn.value - 1) < 5 * math.sqrt(2 / drawn.columns["freedom"])


def test_the_literal_algorithm_can_be_asked_for_by_name():
    one = study(a=claim(reduction="literal"))
    cell = one.cells(Design(SWEEP | {"n": [3e4]}))[0]
    assert measure_cell(one.measure, cell).rows[0].columns["reduction"] == "literal"


def test_delta_can_follow_n():
    cells = study(a=claim(tied={"delta": "n^-2"})).cells(Design(SWEEP))
    assert [cell.axes["delta"] for cell in cells] == pytest.approx([1e-10, 1e-12])


def test_a_point_outside_the_premise_is_skipped_and_a_study_can_be_pickled():
    one = pickle.loads(pickle.dumps(study(a=claim())))
    assert measure_cell(one.measure, one.cells(Design(SWEEP | {"n": [1e3]}))[0]).status.startswith("skipped: kappa")


def one_place(**changes):
    return claim(**{"algorithm": NoisySGD(), "construction": OnePlace(), "bound": "none", "rate": "none"} | changes)


@pytest.mark.parametrize(
    ("series", "sweep", "word"),
    [
        (claim(reduction="literal"), SWEEP | {"p": [1e5]}, "needs a problem with a dense representation"),
        (claim(construction=RandomDesign(), reduction="grouped_vertices"), SWEEP, "groups"),
        (claim(), SWEEP | {"colour": [1.0]}, "sweep.colour"),
        (claim(), SWEEP | {"delta": [0.0]}, "delta > 0"),
        (claim(), SWEEP | {"epsilon": [math.inf]}, "finite epsilon"),
        (claim(replicates=10**9), SWEEP, "2e\\+09 cells"),
        (claim(at_most={"m": 3.0}), SWEEP, "at_most.m"),
        (claim(at_most={"n": 3.0}), SWEEP, "sweep is empty"),
        (claim(bound="lasso.nothing"), SWEEP, "unknown bound"),
        (claim(lemmas=("lemma_25",)), SWEEP, "did you mean lemma_24"),
        (
            one_place(bound="glm.corollary_1_rate"),
            SWEEP,
            "a function of smoothness, which Median over an l2 ball does not have; ",
        ),
        (
            one_place(bound="kst.lemma_3"),
            SWEEP,
            "bound kst.lemma_3 is a function of regulariser, which .*a.bound=none leaves the bound out$",
        ),
        (claim(sweep={"n": [-5.0]}), SWEEP, "n=-5"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_runs(series, sweep, word):
    with pytest.raises((InputError, Incompatible), match=word):
        study(a=series).cells(Design(sweep))


@pytest.mark.parametrize(
    ("axis", "value"),
    [("n", 0), ("n", 1.5), ("n", math.inf), ("p", 0), ("epsilon", 0), ("epsilon", math.nan), ("delta", 1), ("norm", 0)],
)
def test_an_axis_value_outside_its_range_is_refused_by_name(axis, value):
    with pytest.raises(InputError, match=f"sweep.{axis}"):
        Design({axis: [value]})


def test_the_trivial_answer_runs_everywhere():
    one = study(a=Series("context", DataFree(), TunedNeedle(), bound="none"))
    result = measure_cell(one.measure, one.cells(Design(SWEEP))[1])
    assert result.rows[0].value == pytest.approx(0.75, abs=1e-9)
    assert np.isfinite(result.rows[1].value)


@dataclass(frozen=True)
class Flipping(DataFree):
    """Says that it is deterministic, as what it inherits from is, and flips a coin."""

    def solve(self, problem, budget, rng):
        solution = super().solve(problem, budget, rng)
        weights = solution.theta.weights.copy()
        weights[0] += 0.1 * rng.random()
        return replace(solution, theta=replace(solution.theta, weights=weights))


def test_replicates_that_cannot_differ_are_measured_once_and_no_others():
    population = AxisPopulation(size=1.0)
    one = study(
        still=Series("context", DataFree(), TunedNeedle(), bound="none"),
        flipping=Series("context", Flipping(), TunedNeedle(), bound="none"),
        drawn=Series("context", DataFree(), population, bound="none", rate="none", sweep={"n": [200.0], "p": [3.0]}),
    )
    results = {}
    for cell in one.cells(Design(SWEEP, replicates=3)):
        results.setdefault((cell.series, cell.axes["n"]), []).append(measure_cell(one.measure, cell))
    assert all(result.status == "ok" for several in results.values() for result in several)
    risks = {key: [result.rows[0].value for result in several] for key, several in results.items()}
    assert len(set(risks["flipping", 1e5])) == 3
    assert len({id(result.rows) for result in results["flipping", 1e5]}) == 3
    assert len({id(result.rows) for result in results["drawn", 200.0]}) == 3
    for n in SWEEP["n"]:  # one measurement a grid point, each with its own
        assert len({id(result.rows) for result in results["still", n]}) == 1
    assert results["still", 1e5][0].rows is not results["still", 1e6][0].rows


def test_a_series_of_one_point_has_the_first_value_of_every_axis():
    control = claim(role="control", epsilon_factor=10.0, one_point=True, replicates=1)
    cells = study(a=claim(), control=control).cells(Design(SWEEP, 3))
    assert [cell.axes["n"] for cell in cells if cell.series == "control"] == [1e5]
    one = study(control=control)
    (cell,) = one.cells(Design(SWEEP))
    _, spent, _ = measure_cell(one.measure, cell).rows
    assert (spent.quantity, spent.bound) == ("certified_epsilon", 1)
    assert spent.value > 1


def test_a_control_violates_its_guarantee_as_much_as_can_be_and_the_run_says_so():
    grid = Design({"n": [40], "p": [16], "epsilon": [0.1], "delta": [0]})
    one = study(
        a=Series("control", CodewordResponse(), Packing(share=0.3), bound="none", rate="none", epsilon_factor=20)
    )
    (cell,) = one.cells(grid)
    _, spent, *_ = measure_cell(one.measure, cell).rows
    assert spent.value == pytest.approx(0.142)  # K - 1 = 255 allows epsilon (n - 1) <= ln 255
    assert one.remarks([cell]) == ["a: 1.42 times the budget, the most that can be, for 20"]
    with pytest.raises(InputError, match="K - 1"):
        study(a=replace(one.series["a"], role="claim")).cells(grid)


def test_an_own_bound_whose_numbers_the_domain_lacks_is_none(monkeypatch):
    monkeypatch.setattr(DataFree, "bound", "lasso.theorem_2_2")
    for family, known in ((TunedNeedle(), True), (OnePlace(), False)):
        one = study(a=claim(algorithm=DataFree(), construction=family, bound="own", rate="none"))
        row = measure_cell(one.measure, one.cells(Design(SWEEP))[0]).rows[0]
        assert (row.bound is not None) == known


def test_lemma_3_says_nothing_of_a_linear_loss_without_a_ridge():
    algorithm = ObjectivePerturbation(regulariser=LeastRegulariser())
    for bound, status in (("own", "ok"), ("kst.lemma_3", "skipped: kst.lemma_3 says nothing where regulariser is 0")):
        series = claim(algorithm=algorithm, construction=LinearSlope(), bound=bound, rate="none")
        one = study(a=series)
        (cell,) = one.cells(Design({"n": [2000], "p": [16], "epsilon": [1], "delta": [1e-6]}))
        result = measure_cell(one.measure, cell)
        assert (result.status, [row.bound for row in result.rows[:1]]) == (status, [None] if status == "ok" else [])


def test_numbers_of_a_bound_are_the_schedules_before_the_domains():
    from dprepro.dispatch import Numbers

    domain = TunedNeedle().domain({"n": 100, "p": 3})
    numbers = Numbers(domain, {"steps": 7.0}, {"n": 50.0, "initial_risk": 0.5})
    assert numbers.evaluate("lasso.theorem_2_2") == bounds.evaluate(
        "lasso.theorem_2_2", {"curvature": 8.0, "steps": 7.0, "initial_risk": 0.5}
    )
    assert numbers.find("n") == 50
    sharp = OnePlace(loss="sharp_distance").domain({"n": 100, "p": 3})
    given = {"steps": 7.0, "noise_scale": 0.1}
    assert math.isinf(sharp.smoothness)  # and the bound is the lesser of two, one of them without it
    assert not Numbers(sharp, given).lacks("bst.theorem_2_4_2")
    assert math.isfinite(Numbers(sharp, given).evaluate("bst.theorem_2_4_2"))
    assert numbers.lacks("lasso.theorem_2_5") == "step_regret"


def test_a_rate_with_a_logarithm_of_delta_has_no_value_at_zero():
    one = study(a=claim(algorithm=DataFree(), bound="none"))
    (cell, *_) = one.cells(Design(SWEEP | {"delta": [0.0]}))
    assert measure_cell(one.measure, cell).rows[0].columns["rate"] is None


def test_points_that_would_take_too_many_operations_are_skipped_with_their_number():
    algorithm, data = NoisySGD(FullGradient(), steps=100), RandomDesign(rows=10, constraint_set="l2_ball", loss="huber")
    one = RateStudy({"some": Series("claim", algorithm, data, most_operations=2e4)})
    cells = one.cells(Design({"n": [10, 1000], "p": [2], "epsilon": [1], "delta": [1e-6]}))
    states = [measure_cell(one.measure, cell).status for cell in cells]
    assert states[0] == "ok"
    assert states[1] == "skipped: series some: 2e+05 operations, more than most_operations=20000"
