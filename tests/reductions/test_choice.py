"""Which reduction is used where: from the domain and the names of the representations alone."""

import pytest
from helpers.reduction_problems import domain_of

from dprepro.algorithms import FrankWolfe, GaussianFrankWolfe, NoisyFrankWolfe, ObjectivePerturbation
from dprepro.errors import Incompatible, InputError
from dprepro.problems import HuberLoss, L1Ball, L2Ball, Simplex, SquaredLoss
from dprepro.reductions import REDUCTIONS, IncrementalGradients, choose, solver

LASSO = domain_of(SquaredLoss(), L1Ball(4), 100)
BALL = domain_of(SquaredLoss(), L2Ball(4), 100, 2)


@pytest.mark.parametrize(
    ("algorithm", "domain", "representations", "expected"),
    [
        (NoisyFrankWolfe(), LASSO, {"groups", "moments"}, "grouped_vertices"),
        (NoisyFrankWolfe(), LASSO, {"moments"}, "incremental_gradients"),
        (NoisyFrankWolfe(), LASSO, {"records"}, "incremental_gradients"),
        (FrankWolfe(), domain_of(SquaredLoss(), Simplex(4), 100), {"records"}, "incremental_gradients"),
        (FrankWolfe(), BALL, {"records"}, "literal"),
        (NoisyFrankWolfe(), domain_of(HuberLoss(), L1Ball(4), 100), {"records"}, "literal"),
        (GaussianFrankWolfe(), LASSO, {"groups", "moments"}, "gaussian_groups"),
        (GaussianFrankWolfe(), BALL, {"plane", "moments"}, "gaussian_subspace"),
        (GaussianFrankWolfe(), BALL, {"moments"}, "literal"),
        (ObjectivePerturbation(), BALL, {"plane"}, "invariant_noise"),
        (ObjectivePerturbation(), BALL, {"records", "moments"}, "literal"),
    ],
)
def test_the_automatic_choice_takes_the_cheapest_that_serves(algorithm, domain, representations, expected):
    name = choose("automatic", algorithm, domain, frozenset(representations), "here")
    assert name == expected
    assert isinstance(solver(name, algorithm), REDUCTIONS.get(name, type(algorithm)))


@pytest.mark.parametrize(
    ("name", "domain", "representations", "match"),
    [
        ("grouped_vertices", LASSO, {"moments"}, "series a: GroupedVertices needs a problem with groups; this one has"),
        ("incremental_gradients", LASSO, {"groups"}, "needs a problem with moments or records; this one has groups"),
        ("incremental_gradients", BALL, {"moments"}, "needs an l1 ball or a simplex, not an l2 ball"),
        ("incremental_gradients", domain_of(HuberLoss(), L1Ball(4), 100), {"records"}, "needs a quadratic loss, Huber"),
        ("gaussian_groups", LASSO, {"groups"}, "GaussianGroups serves GaussianFrankWolfe, not NoisyFrankWolfe"),
        ("literal", LASSO, {"groups"}, "series a: NoisyFrankWolfe needs a problem with a dense representation"),
        ("automatic", LASSO, {"plane"}, "series a: NoisyFrankWolfe needs a problem with a dense representation"),
    ],
)
def test_what_cannot_serve_is_refused_with_the_reason(name, domain, representations, match):
    with pytest.raises(Incompatible, match=match):
        choose(name, NoisyFrankWolfe(), domain, frozenset(representations), "series a")


def test_an_unknown_name_is_refused_with_the_choices():
    with pytest.raises(InputError, match=r"did you mean incremental_gradients.*nearest of"):
        choose("incremental_gradient", NoisyFrankWolfe(), LASSO, frozenset({"moments"}), "series a")


class Brought(FrankWolfe):
    """An algorithm of another package, with a reduction of its own."""

    name = "quick"

    @classmethod
    def reductions(cls):
        return {cls.name: Quick}


class Quick(IncrementalGradients):
    """Serves it."""

    serves = (Brought,)


def test_an_algorithm_brings_its_own_reductions_and_they_go_first():
    name = choose("automatic", Brought(), LASSO, frozenset({"moments"}), "here")
    assert name == "quick"
    assert type(solver(name, Brought())) is Quick
    with pytest.raises(InputError, match="unknown reduction 'quick'"):
        choose("quick", FrankWolfe(), LASSO, frozenset({"moments"}), "here")


def test_a_reduction_that_is_brought_under_a_name_of_ours_is_refused(monkeypatch):
    monkeypatch.setattr(Brought, "name", "incremental_gradients")
    with pytest.raises(InputError, match="Brought brings a reduction called incremental_gradients"):
        choose("automatic", Brought(), LASSO, frozenset({"moments"}), "here")
