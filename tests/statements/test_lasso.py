"""Talwar, Thakurta and Zhang: schedules as printed, premises that fit."""

from __future__ import annotations

import math

import pytest
from helpers.shipped import composed

from dprepro import bounds
from dprepro.algorithms import NoisyFrankWolfe
from dprepro.budget import Budget, Neighbours
from dprepro.config.checked_experiment import check
from dprepro.config.compose import compose
from dprepro.problems import Domain
from dprepro.problems.losses import SquaredLoss
from dprepro.problems.sets import L1Ball
from dprepro.statements.conditions import unmet
from dprepro.statements.lasso import STATEMENTS
from dprepro.studies import RateStudy

POINT = {
    "n": 1e6, "p": 1000.0, "epsilon": 1.0, "delta": 1e-6, "curvature": 8.0, "l1_lipschitz": 4.0, "l1_radius": 1.0,
    "lipschitz": 4.0, "width": 9.975, "vertices": 2000.0, "steps": 100.0, "initial_risk": 1.0, "step_regret": 0.1,
    "noise_scale": 0.1, "low": -1.0, "high": 1.0, "beta": 1.0, "level": 3.0, "tau": 0.001,
}  # fmt: skip
"""The unit LASSO, of which Gamma is 8, L_1 is 4 and ||C||_1 is 1, and numbers of the lemmas."""


@pytest.mark.parametrize(
    ("n", "epsilon", "delta"), [(1.3e9, 1, 1e-6), (1e11, 0.02, 1e-6), (1e9, 1, 1e-64), (1e8, 0.5, 1e-3)]
)
def test_the_schedule_of_theorem_2_5_is_2_n_epsilon_to_two_thirds_on_the_unit_lasso(
    n: float, epsilon: float, delta: float
) -> None:
    at = POINT | {"n": n, "epsilon": epsilon, "delta": delta}
    assert math.isclose(bounds.evaluate("lasso.theorem_2_5_steps", at), 2 ** (2 / 3) * (n * epsilon) ** (2 / 3))
    noise = 2 ** (23 / 6) * (n * epsilon) ** (-2 / 3) * math.sqrt(math.log(1 / delta))
    assert math.isclose(bounds.evaluate("lasso.theorem_2_4_noise", at), noise, rel_tol=1e-5)


def test_the_schedule_of_theorem_b_2_has_the_constant_of_the_l2_ball_in_100_dimensions() -> None:
    steps = bounds.evaluate("lasso.theorem_b_2_steps", POINT)
    assert math.isclose(steps, (8 / (4 * 9.975)) ** (2 / 3) * 1e6 ** (2 / 3))
    noise = math.sqrt(32 * 4 * math.ceil(steps)) * math.log(1e6 / 1e-6) / 1e6
    assert math.isclose(bounds.evaluate("lasso.theorem_b_1_noise", POINT), noise)


def _premise(item: str) -> dict[str, str]:
    conditions = [each for statement in STATEMENTS if statement.item == item for each in statement.holds.conditions]
    return {condition.text: item for condition in conditions if not condition.fact.startswith("algorithm.")}


SHIPPED = [
    ("lasso_rate", "Theorem 2.5", "tuned_needle small_n as_printed"),
    ("lasso_rate", "Corollary 2.7", "tuned_needle small_n"),
    ("lasso_rate", "Theorem 2.4", "tuned_needle small_n"),
    ("lasso_epsilon", "Theorem 2.5", "tuned_needle two_sizes"),
    ("lasso_epsilon", "Theorem 2.4", "tuned_needle"),
    ("lasso_delta", "Theorem 2.5", "tuned_needle as_printed delta_from_n"),
    ("lasso_dimension", "Theorem 2.5", "tuned_needle as_printed small_p centred_needle centred_small_p"),
    ("lasso_data", "Theorem 2.5", "against_epsilon against_n"),
    ("lasso_data", "Theorem 2.4", "against_epsilon against_n"),
    ("lasso_privacy_for_free", "Theorem 2.4", "private"),
    ("lasso_gaussian_width", "Theorem 2.6", "l2_ball l1_ball simplex lq_ball l2_ball_n l1_ball_n simplex_n lq_ball_n "
     "l2_ball_epsilon l2_ball_delta l1_ball_delta usual_delta lasso"),
    ("lasso_gaussian_width", "Theorem B.1", "l2_ball l1_ball lq_ball lasso l2_ball_epsilon l2_ball_delta"),
    ("frank_wolfe_convergence", "Theorem 2.2", "flat_optimum correlated_design planted_sparse pure_noise"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "item", "series"), SHIPPED)
def test_the_shipped_series_lie_within_the_premise_of_their_statement(name: str, item: str, series: str) -> None:
    checked, premise = check(composed(name).config), _premise(item)
    study = checked.study
    assert isinstance(study, RateStudy)
    for label in series.split():
        one = study.series[label]
        for point in one.grid(label, checked.design, [one.algorithm, one.construction]):
            setting = study._context(label, point)
            assert unmet(premise, setting.public.find, study._facts(setting)) == "", (label, point)


@pytest.mark.parametrize("delta", [0.1, 1e-2, 1e-6, 1e-20, 1e-128])
@pytest.mark.parametrize("n", [20.0, 1e3, 1e8])
def test_exponential_selection_at_the_printed_scale_is_certified_up_to_the_epsilon_of_theorem_2_4(
    n: float, delta: float
) -> None:
    domain = Domain(SquaredLoss(), L1Ball(50), n, feature_norm=math.inf)
    most = 2.4 + 1.1 * math.log(math.log(1 / delta))
    for epsilon in (0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 7.0, most):
        if epsilon > most:
            continue
        privacy_loss = NoisyFrankWolfe().privacy_loss(domain, Budget(epsilon, delta, Neighbours.REPLACE_ONE))
        assert privacy_loss is not None
        assert privacy_loss.epsilon <= epsilon


def test_an_inequality_on_another_grid_has_no_algorithm_that_its_statement_could_miss() -> None:
    checks = compose(["+experiment=lasso_lemmas", "sweep.level=[2]"]).config["checks"]
    assert "about" in checks["equation_5"]
    assert "lacks" not in checks["equation_5"]


def test_the_noise_as_printed_is_laplace_or_exponential_and_no_other_constants() -> None:
    for name, lacking in (("noisy_frank_wolfe_laplace", ""), ("noisy_frank_wolfe_exact", "algorithm.constants")):
        checks = compose(["+experiment=lasso_rate", f"algorithm={name}"]).config["checks"]
        for one in ("exponent_n", "schedule_total_steps", "schedule_noise_scale"):
            assert lacking in checks[one].get("lacks", "")
            assert bool(lacking) == ("lacks" in checks[one])


def test_a_series_that_departs_from_its_theorem_as_shipped_is_held_against_it_on_another_grid_too() -> None:
    checks = compose(["+experiment=lasso_gaussian_width", "sweep.epsilon=[0.5]"]).config["checks"]
    assert "printed_delta" in checks["below_bound"]["series"]  # its constants are squared
    assert "lacks" not in checks["below_bound"]
    other = compose(["+experiment=lasso_gaussian_width", "+algorithm.constants=squared"]).config["checks"]
    assert "algorithm.constants is exact, and here it is squared" in other["exponent_delta"]["lacks"]
