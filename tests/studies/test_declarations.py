"""What a study declares is what its cells hold, on small runs of every kind of study."""

from __future__ import annotations

import pytest

from dprepro.algorithms import (
    DataFree,
    ExponentialMechanism,
    FullGradient,
    HuberisedObjectivePerturbation,
    LeastRegulariser,
    NoisyFrankWolfe,
    NoisyGD,
    NoisySGD,
    ObjectivePerturbation,
    RegularisedOutputPerturbation,
)
from dprepro.budget import Neighbours
from dprepro.constructions import (
    Fingerprinting,
    HuberCounterexample,
    LinearSlope,
    NeedleFamily,
    OneWayMarginals,
    OrthogonalRegression,
    Packing,
    RandomDesign,
    SignedLabels,
    TardosLasso,
    TunedNeedle,
)
from dprepro.engine import measure_cell
from dprepro.minimax import Linear, Squared
from dprepro.practice.shipped import RandHealth
from dprepro.practice.study import AdviceStudy, PublicDescription, Question
from dprepro.studies import (
    AttackStudy,
    Declaration,
    Design,
    EnvelopeStudy,
    Hunt,
    Inequality,
    InequalityStudy,
    MinimaxSeries,
    MinimaxStudy,
    PrivacySeries,
    PrivacyStudy,
    RateStudy,
    Series,
    Study,
    WorstCaseStudy,
)

ADD = Neighbours.ADD_OR_REMOVE_ONE
SWEEP = {"n": [3e4], "p": [16], "epsilon": [1.0], "delta": [1e-6]}
KST = ("lemma_24", "corollary_25", "lemma_3", "theorem_30")
LEAST = ObjectivePerturbation(regulariser=LeastRegulariser())


def claim(algorithm, construction, **fields):
    return Series("claim", algorithm, construction, **fields)


STUDIES: dict[str, tuple[Study, dict[str, list[float]]]] = {
    "rate": (
        RateStudy(
            {
                "needle": claim(NoisyFrankWolfe(), TunedNeedle()),
                "zero": claim(DataFree(), RandomDesign(), bound="none", sweep={"p": [3]}),
                "perturbed": claim(RegularisedOutputPerturbation(), RandomDesign(), bound="none", rate="none"),
            },
            bound="lasso.theorem_2_5",
            rate="own",
        ),
        SWEEP,
    ),
    "tails": (
        RateStudy(
            {"walk": claim(ExponentialMechanism(sampler="hit_and_run", steps=32), OneWayMarginals())},
            tails=("bst.theorem_3_2_tail",),
            levels=(1.0, 2.5),
        ),
        SWEEP | {"n": [100]},
    ),
    "lemmas": (
        RateStudy({"one": claim(LEAST, OrthogonalRegression())}, lemmas=KST, neighbours=ADD),
        SWEEP | {"n": [1e14], "size": [1.0]},
    ),
    "non_private": (RateStudy({"zero": claim(DataFree(), TunedNeedle())}), SWEEP | {"n": [1e6]}),
    "envelope": (
        EnvelopeStudy(
            {"one": claim(ObjectivePerturbation(), LinearSlope()), "zero": claim(DataFree(), LinearSlope())},
            lemmas=KST[:3],
            values=[1.0, 2.0],
            draws=2,
            neighbours=ADD,
        ),
        SWEEP | {"n": [1e9]},
    ),
    "expected": (
        EnvelopeStudy(
            {
                "best": claim(HuberisedObjectivePerturbation(), HuberCounterexample()),
                "mechanism": claim(ExponentialMechanism(), HuberCounterexample()),
            },
            over="data",
            values=["d1", "d2"],
            expected=True,
            best="smoothing",
            between=[1e-4, 1.0],
        ),
        SWEEP | {"n": [100]},
    ),
    "packing": (AttackStudy({"one": claim(DataFree(), Packing(share=0.3))}, trials=2), SWEEP | {"epsilon": [0.1]}),
    "fingerprinting": (AttackStudy({"one": claim(NoisyGD(), Fingerprinting())}, trials=2), SWEEP | {"n": [16]}),
    "signs": (AttackStudy({"one": claim(DataFree(), SignedLabels())}), SWEEP | {"epsilon": [0.1], "delta": [1e-9]}),
    "tardos": (AttackStudy({"one": claim(DataFree(), TardosLasso(users=2, tau=0.15))}), SWEEP),
    "inequality": (
        InequalityStudy({"one": Inequality("claim", "lasso.printed_threshold", "lasso.printed_lemma_3_3")}),
        {"tau": [0.001], "m": [1e4]},
    ),
    "privacy": (
        PrivacyStudy(
            {"one": PrivacySeries("claim", LEAST), "replaced": PrivacySeries("claim", HuberisedObjectivePerturbation())}
        ),
        {"epsilon": [1.0], "delta": [1e-6]},
    ),
    "limits": (
        PrivacyStudy({"one": PrivacySeries("claim", LEAST, law={"l1": 1.0})}, neighbours=ADD),
        {"epsilon": [1.0], "delta": [1e-6], "index": [10.0, float("inf")]},
    ),
    "minimax": (
        MinimaxStudy(
            {
                "best": MinimaxSeries(
                    "claim", Squared(4), levels=("minimax.squared_two_point",), rate="bst_lower.theorem_5_4_rate"
                ),
                "mechanism": MinimaxSeries("claim", Linear(), ExponentialMechanism(), draws=4),
                "zero": MinimaxSeries("claim", Linear(), DataFree(), symmetric=False),
            }
        ),
        {"n": [3], "epsilon": [1.0], "delta": [0.0]},
    ),
    "worst_case": (
        WorstCaseStudy(
            {
                "found": Hunt(
                    "claim",
                    NoisyFrankWolfe(),
                    NeedleFamily(),
                    evaluations=0,
                    tune="steps_factor",
                    between=[0.2, 1.0],
                    versus={"steps_factor": 1.0},
                ),
                "zero": Hunt("claim", DataFree(), NeedleFamily(), evaluations=0, bound="none", rate="none"),
            },
            bound="own",
            rate="own",
            own=TunedNeedle(),
            draws=2,
        ),
        SWEEP,
    ),
    "pure": (
        PrivacyStudy({"one": PrivacySeries("claim", ObjectivePerturbation(noise="gamma"))}, neighbours=ADD),
        {"epsilon": [1.0], "delta": [0.0]},
    ),
    "advice": (
        AdviceStudy(
            {
                "least": LEAST,
                "perturbed": RegularisedOutputPerturbation(),
                "descent": NoisySGD(gradient=FullGradient(), steps=50),
            },
            ("least", "perturbed", "descent"),
            fitted=(Question(n=100, p=2, loss="squared", set="l2", algorithm="perturbed", draws=2),),
            held_out=(Question(n=200, p=2, loss="squared", set="l1", algorithm="descent", draws=2),),
            problems=(Question(n=200, p=2, loss="squared", set="l2"),),
            tables={"iris": PublicDescription("target", {"target": [0, 2], "petal length (cm)": [0, 10]}, above=0.5)},
            designs={"planted": RandomDesign(kind="planted", rows=100, constraint_set="l2_ball")},
            copies=(100,),
            draws=2,
        ),
        SWEEP,
    ),
}


def written(study: Study, design: Design) -> Declaration:
    quantities: dict[str, set[str]] = {label: set() for label in study.declare(design).series}
    columns, axes = set[str](), set[str]()
    for cell in study.cells(design):
        result = measure_cell(study.measure, cell)
        assert result.status == "ok", result.status
        axes |= set(cell.axes)
        for row in result.rows:
            quantities[cell.series].add(row.quantity)
            columns |= set(row.columns)
    found = {label: frozenset(names) for label, names in quantities.items()}
    return Declaration(found, frozenset(columns), frozenset(axes))


@pytest.mark.parametrize("name", STUDIES)
def test_what_is_declared_is_what_is_written(name: str) -> None:
    study, sweep = STUDIES[name]
    assert written(study, Design(sweep)) == study.declare(Design(sweep))


def test_a_tables_own_measures_are_declared() -> None:
    bounds = {"mdvis": [0, 20], "hlthg": [0, 1]}
    table = RandHealth(target="mdvis", bounds=bounds)
    study = RateStudy({"one": claim(DataFree(), table)})
    assert {"clipped_labels", "dropped_records"} <= set(table.measures)
    assert study.declare(Design(SWEEP)).series["one"] == {"excess_risk", "certified_epsilon", *table.measures}


def test_nothing_is_declared_to_be_spent_where_nothing_is_promised() -> None:
    from dprepro.algorithms import ExactMinimiser, FrankWolfe

    for algorithm in (ExactMinimiser(), FrankWolfe(), HuberisedObjectivePerturbation()):
        study = RateStudy({"one": claim(algorithm, HuberCounterexample())})
        assert study.declare(Design(SWEEP)).series["one"] - {"noise_moments"} == {"excess_risk"}


def test_a_study_that_says_nothing_may_write_anything() -> None:
    class Silent(InequalityStudy):
        declare = Study.declare

    declared = Silent(STUDIES["inequality"][0].series).declare(Design(STUDIES["inequality"][1]))
    assert declared.series == {"one": {"*"}}
    assert "tau" in declared.axes
