"""The rule of held-out grids: nothing that is shipped, whole numbers stay whole, and what is refused is not taken."""

from __future__ import annotations

import math

import pytest
from helpers.shipped import composed

from dprepro.axes import check_axis
from dprepro.config.compose import Composed
from dprepro.config.heldout_grid import (
    DRAWS,
    NEAR,
    REAL,
    ROUNDINGS,
    WHOLE,
    WITHIN,
    as_shipped,
    axes_of,
    held_out,
    moved_values,
)
from dprepro.errors import InputError
from dprepro.support.folders import experiment_files


@pytest.mark.parametrize("name", list(experiment_files()))
def test_no_held_out_value_is_shipped_on_its_axis_and_whole_numbers_stay_whole(name: str) -> None:
    for grid in axes_of(composed(name).config).values():
        for axis, shipped in grid.items():
            for how in range(len(ROUNDINGS.get(axis, (0,)))):
                for less in (WHOLE, WITHIN, NEAR):
                    found = moved_values(axis, shipped, how, less)
                    movable = {one for one in shipped if math.isfinite(one)} - ({0} if axis == "delta" else set())
                    assert not {*found} & movable
                    whole = all(one == int(one) for one in shipped if math.isfinite(one))
                    assert axis in REAL or not whole or all(one == int(one) for one in found if math.isfinite(one))
                    for value in found:
                        check_axis(axis, value)


@pytest.mark.parametrize(
    ("axis", "shipped", "expected"),
    [
        ("n", [1e4, 1e6], [1e5, 1e7]),
        ("epsilon", [0.01, 1], [0.001, 0.1]),
        ("epsilon", [1], [0.6]),
        ("delta", [1e-6], [3e-8]),
        ("delta", [0], []),
        ("p", [1000], [1401]),
        ("p", [1], []),
        ("size", [1, math.inf], []),
        ("index", [1, 100, math.inf], [10, 1000, math.inf]),
        ("delta", [0, 1e-6], [0, 3e-8]),
        ("place", [-4, -1, 0, 0.5], [-2, -0.5, 0.25]),
        ("power", [1.5, 2, 3], [1.73, 2.45]),
        ("steps", [1, 2, 8], [4, 16, 32]),
        ("number", [3, 4], []),
        ("draw", [1, 2, 3], [4, 5, 6]),
        ("sparsity", [2], []),
    ],
)
def test_a_swept_axis_is_moved_by_half_a_step_with_as_many_values_and_a_limit_stays(
    axis: str, shipped: list[float], expected: list[float]
) -> None:
    assert moved_values(axis, shipped) == pytest.approx(expected)


def test_no_axis_but_those_without_an_end_goes_beyond_what_is_shipped() -> None:
    for axis in ("share", "gamma", "cosine", "precision"):
        found = moved_values(axis, [0.1, 0.5, 1])
        assert 0.1 < min(found) <= max(found) < 1
    assert "draw" in DRAWS


def test_an_envelope_keeps_its_ends_beside_what_is_moved() -> None:
    assert moved_values("mass", [0.25, 1, 4], ends=True) == [0.25, 0.5, 2, 4]
    found = held_out(composed("glm_output_perturbation"), lambda _: 0)
    assert found is not None
    masses = found[0].config["sweep"]["mass"]
    assert (min(masses), max(masses)) == (2**-16, 2**-4)
    assert 2**-10 not in masses


def test_what_takes_long_is_left_out_of_a_near_grid() -> None:
    assert moved_values("n", [1e4, 1e6], less=NEAR) == moved_values("n", [1e4, 1e6], less=WITHIN) == [1e5]
    assert moved_values("p", [1000], less=WITHIN) == [1401]
    assert moved_values("p", [1000], less=NEAR) == []
    assert moved_values("epsilon", [1], less=NEAR) == [0.6]


def p_of(composed: Composed) -> float:
    return float(composed.config["sweep"]["p"][0])


def test_where_a_premise_refuses_odd_numbers_the_next_rounding_is_taken() -> None:
    found = held_out(
        composed("lasso_rate"), lambda candidate: int(p_of(candidate) != 1000 and p_of(candidate) % 8 != 0)
    )
    assert found is not None
    assert (p_of(found[0]), found[1]) == (1400, [])


def test_where_the_far_end_is_refused_what_lies_within_is_taken() -> None:
    found = held_out(composed("lasso_rate"), lambda candidate: int(max(candidate.config["sweep"]["n"]) > 4e9))
    assert found is not None
    assert found[0].config["sweep"]["n"] == pytest.approx([6.32e7, 1.41e8, 3.16e8, 8.06e8, 2.28e9])


def test_an_axis_of_which_no_other_value_is_accepted_stays_as_shipped() -> None:
    def refused(one: Composed) -> int:
        if p_of(one) != 1000:
            raise InputError("p must be 1000")
        return 0

    found = held_out(composed("lasso_rate"), refused)
    assert found is not None
    assert (p_of(found[0]), found[1]) == (1000, ["p"])
    assert found[0].config["sweep"]["epsilon"] == [0.6]
    assert "overridden here" in found[0].config["statement"]


def test_slopes_and_ratios_of_claims_are_judged_as_shipped_and_other_numbers_stay_pinned() -> None:
    plain = composed("lasso_rate")
    found = held_out(plain, lambda _: 0)
    assert found is not None
    checks = as_shipped(found[0].config)["checks"]
    assert checks["exponent_n"] == plain.config["checks"]["exponent_n"]
    assert checks["below_bound"] == plain.config["checks"]["below_bound"]
    assert "0.84 was chosen" in checks["spends_most"]["pinned"]
