"""Rules as values: YAML gives one by its name, and its stored identity is that name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dprepro.algorithms import ConstantStep, FrankWolfe, NoisyFrankWolfe, NoisySGD, StepSize
from dprepro.algorithms.noisy_sgd import ConstantRate, FullGradient
from dprepro.budget import Budget, Neighbours
from dprepro.errors import InputError
from dprepro.problems import Domain, L1Ball, SquaredLoss
from dprepro.reductions import GroupedVertices, IncrementalGradients
from dprepro.studies.describe import describe
from dprepro.support import typed
from dprepro.support.frozen import copied
from dprepro.support.named import named


@dataclass(frozen=True)
class SlowStep(StepSize):
    """A rule of one's own, with a parameter."""

    lag: int = 10
    name = "slow"

    def at(self, t: int, steps: int) -> float:
        return 2 / (t + 2 + self.lag)


def test_a_rule_is_built_by_its_name_and_stored_by_it() -> None:
    algorithm = typed.build(NoisySGD, {"gradient": "full", "step_size": "constant"})
    assert algorithm == NoisySGD(FullGradient(), step_size=ConstantRate())
    assert (describe(algorithm)["gradient"], describe(algorithm)["step_size"]) == ("full", "constant")
    assert not algorithm.bound
    assert (NoisySGD().bound, NoisySGD().proved_rate) == ("bst.theorem_2_4_1", "bst.theorem_2_4_1_rate")


def test_an_unknown_name_is_refused_with_those_of_the_kind_s_own_module() -> None:
    assert set(named(StepSize)) == {"decaying", "constant"}
    with pytest.raises(InputError, match=r"step_size: unknown value 'slow'.*decaying"):
        typed.build(FrankWolfe, {"step_size": "slow"})


def test_a_rule_of_one_s_own_runs_literally_and_compiled_loops_refuse_it() -> None:
    domain, representations = (
        Domain(SquaredLoss(), L1Ball(3), 100, feature_norm=float("inf")),
        frozenset({"groups", "records"}),
    )
    own = NoisyFrankWolfe(step_size=SlowStep())
    assert describe(own)["step_size"]["lag"] == 10
    assert not own.refusal(domain, Budget(1.0, 1e-6, Neighbours.REPLACE_ONE))
    for reduction in (GroupedVertices, IncrementalGradients):
        assert "decaying or constant, not SlowStep" in reduction.obstacle(own, domain, representations)
        assert not reduction.obstacle(NoisyFrankWolfe(step_size=ConstantStep()), domain, representations)


def test_a_copy_with_another_field_leaves_the_first_as_it_is() -> None:
    first = SlowStep()
    assert (copied(first, lag=3).lag, first.lag) == (3, 10)
