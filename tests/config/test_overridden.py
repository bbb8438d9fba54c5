"""After an override every check says no more of what runs than it can."""

from __future__ import annotations

from typing import Any

import pytest

from dprepro.config.checked_experiment import check
from dprepro.config.compose import compose


def checks(*overrides: str, name: str = "lasso_rate") -> dict[str, Any]:
    found: dict[str, Any] = compose([f"+experiment={name}", *overrides]).config["checks"]
    return found


PLAIN = checks()


@pytest.mark.parametrize("override", ["seed=7", "replicates=3", "workers=1", "results_dir=elsewhere", "reuse=any"])
def test_what_changes_no_grid_point_changes_no_check(override: str) -> None:
    assert checks(override) == PLAIN


@pytest.mark.parametrize("override", ["sweep.epsilon=[0.5]", "sweep.delta=[1e-3]", "sweep.p=[100]",
                                      "construction=iid_design", "neighbours=zero_out"])  # fmt: skip
def test_elsewhere_a_rate_is_held_from_its_own_side_and_numbers_refute_nothing(override: str) -> None:
    found = checks(override)
    assert found["exponent_n"]["grid"] == "other"
    assert "is contradicted by no slope" in found["exponent_n"]["pinned"]
    assert found["spends_most"]["pinned"].startswith("0.84 was chosen for the experiment as shipped")
    for name in ("below_bound", "within_budget", "schedule_total_steps", "noise_as_scheduled"):
        assert found[name] == PLAIN[name]
    assert (
        "made for the experiment as shipped"
        in found["steps_too_few" if "iid" not in override else "smaller_bound"]["reason"]
    )


def test_a_check_that_was_set_by_hand_is_judged_as_it_was_set() -> None:
    found = checks("sweep.epsilon=[0.5]", "checks.exponent_n.expected=-0.5")
    assert found["exponent_n"] == PLAIN["exponent_n"] | {"expected": -0.5}


def test_a_theorem_says_nothing_of_another_algorithm_or_of_other_steps() -> None:
    other = checks("algorithm=noisy_gd", "~study.series.as_printed", "~checks.exponent_n_as_printed",
                   "~checks.laplace_within_budget", "~checks.context_below_bound")  # fmt: skip
    assert "is about NoisyFrankWolfe" in other["exponent_n"]["lacks"]
    steps = checks("+algorithm.steps_exponent=0.5")
    assert "asks for algorithm.steps_exponent is 2/3" in steps["exponent_n"]["lacks"]
    assert "lacks" in steps["schedule_total_steps"]
    assert steps["noise_as_scheduled"] == PLAIN["noise_as_scheduled"]


def test_the_predicted_risk_of_other_data_is_no_claim() -> None:
    found = checks("construction=iid_design")["as_derived"]
    assert (found["role"], found["expect"]) == ("context", "inconclusive")


def test_words_and_figure_are_those_of_what_runs() -> None:
    config = compose(["+experiment=lasso_rate", "construction=iid_design"]).config
    assert "overridden here: construction=iid_design" in config["statement"]
    figure = config["figure"]
    assert figure["note"] == "Overridden: construction=iid_design."
    assert figure["heading"].endswith("(overridden)")
    assert figure["labels"]["tuned_needle"] == "random design, noisy frank wolfe (in place of tuned needle)"
    assert figure["labels"]["constant_step"] == "constant step 1/(T+2)"
    check(config)


def test_of_an_algorithm_of_choice_the_bound_that_its_own_paper_proves_is_judged() -> None:
    plain = checks(name="pair")
    found = checks("algorithm=noisy_sgd_full", "construction=iid_design", name="pair")
    assert found["below_bound"] == plain["below_bound"]


def test_a_series_whose_algorithm_is_as_shipped_is_held_against_its_statement_on_another_grid() -> None:
    found = checks("sweep.epsilon=[0.5]", name="objective_perturbation")
    assert not [name for name, value in found.items() if "asks for" in value.get("lacks", "")]


def test_a_remark_beside_the_claims_is_called_refuted_no_more_than_they_are() -> None:
    context = checks("sweep.epsilon=[0.5]", name="objective_perturbation")["constant"]
    assert context["role"] == "context"
    assert "was chosen for the experiment as shipped" in context["pinned"]


def test_a_budget_that_no_statement_promises_is_refuted_by_changed_noise_only() -> None:
    held = checks("sweep.delta=[1e-10]", name="glm_lipschitz_lower_bound")["within_budget"]
    assert "upper limit" in held["pinned"]
    halved = checks("+algorithm.noise_factor=0.5", name="objective_perturbation")["within_budget"]
    assert "pinned" not in halved
