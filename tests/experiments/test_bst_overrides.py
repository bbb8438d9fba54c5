"""What an override leaves of the experiments on Bassily, Smith and Thakurta (2014), as composed."""

import pytest

from dprepro.config.compose import compose

EXPERIMENTS = [
    "erm_rate", "erm_strongly_convex", "erm_literal_sgd", "erm_exponential", "erm_high_probability",
    "erm_localization", "erm_localization_inner", "erm_smooth", "erm_population", "huberization",
]  # fmt: skip


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_no_claim_on_a_schedule_or_a_rate_holds_a_number_of_the_shipped_grid(name):
    claims = [check for check in compose([f"+experiment={name}"]).config["checks"].values() if check["role"] == "claim"]
    assert all(claim["expected"] == 1 for claim in claims if claim["rule"] in ("scheduled", "ratio"))


def test_exact_constants_are_not_held_against_the_printed_schedule():
    checks = compose(["+experiment=erm_smooth", "+algorithm.constants=exact"]).config["checks"]
    assert "printed constants" in checks["schedule_noise_scale"]["lacks"]
    falsified = compose(["+experiment=erm_smooth", "+algorithm.noise_factor=0.5"]).config["checks"]
    assert not falsified["schedule_noise_scale"].get("lacks")
