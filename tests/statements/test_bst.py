"""Bassily, Smith and Thakurta (2014): where statements stand, and schedules as printed."""

import math

import pytest

from dprepro import bounds
from dprepro.statements.bst import STATEMENTS

LN = math.log


def test_every_statement_says_where_it_stands_and_over_what_it_ranges():
    assert all(
        statement.place and statement.says.quantifiers and statement.holds.quantifiers for statement in STATEMENTS
    )


@pytest.mark.parametrize(
    ("name", "numbers", "expected"),
    [
        ("algorithm_1_steps", {"n": 250}, 62500),
        ("algorithm_1_noise", {"n": 125, "epsilon": 32}, math.sqrt(32 * LN(125e6) * LN(1e6)) / 32),
        ("theorem_2_4_2_step", {}, 1),
        # of erm_rate: p s^2 = 8 and a first step of 2/3, up to the rounding of the steps
        ("note_2_steps", {"n": 1e5, "p": 256}, 1e10 / (4 * LN(1e11) * LN(1e6)) / 256),
        ("note_2_noise", {"n": 1e5, "p": 256}, math.sqrt(8 / 256)),
        ("note_2_step", {"n": 1e5, "p": 256}, 2 / 3),
        ("note_2_noise_of_1000", {"n": 1e5, "lipschitz": 2}, 2 * math.sqrt(32000 * LN(1e11) * LN(1e6)) / 1e5),
        ("algorithm_2_temperature", {"n": 1e6}, 4e-6),
        ("algorithm_7_temperature", {"n": 4}, 3),
        ("algorithm_4_temperature", {"n": 1e7, "p": 16, "lipschitz": 3}, 16 * 864 * LN(1e7) / 1e14),
        ("appendix_b_noise", {"n": 1e7, "lipschitz": 3}, 6e-7 * math.sqrt(LN(1e6))),
        ("equation_9_regulariser", {"smoothing": 0.01}, 25),
        ("equation_9_regulariser_repaired", {"smoothing": 0.01}, 100),
        ("equation_9_noise", {"epsilon": 0.5}, 2 * math.sqrt(8 * LN(1e6))),
        ("appendix_e_scale", {"delta": 0, "lipschitz": 2}, 4),
        ("appendix_e_length", {"p": 100, "delta": 0}, 2 * math.sqrt(10100)),
        ("theorem_f_3_weight", {"n": 1e8, "p": 16, "delta": 0}, 2 * math.sqrt(16 / 1e8)),
    ],
)
def test_schedules_as_printed_give_the_numbers_of_the_shipped_grids(name, numbers, expected):
    shipped = {"epsilon": 1, "delta": 1e-6, "lipschitz": 1, "diameter": 2, "radius": 1, "strong_convexity": 1}
    assert bounds.evaluate(f"bst_schedules.{name}", shipped | numbers) == pytest.approx(expected, rel=1e-4)


def test_the_first_step_of_theorem_2_4_1_is_the_printed_one_in_the_unit_of_the_mean():
    """n eta(1) = n C/sqrt(n^2 L^2 + p sigma^2), with sigma^2 = 32 L^2 n^2 ln(n/delta) ln(1/delta)/epsilon^2."""
    n, p, epsilon, delta, steep, wide = 300.0, 7.0, 2.0, 1e-5, 3.0, 5.0
    variance = 32 * steep**2 * n**2 * LN(n / delta) * LN(1 / delta) / epsilon**2
    numbers = {"n": n, "p": p, "epsilon": epsilon, "delta": delta, "lipschitz": steep, "diameter": wide}
    printed = n * wide / math.sqrt(n**2 * steep**2 + p * variance)
    assert bounds.evaluate("bst_schedules.theorem_2_4_1_step", numbers) == pytest.approx(printed)
    assert bounds.evaluate("bst_schedules.algorithm_1_noise", numbers) == pytest.approx(math.sqrt(variance) / n)
