"""Both sides of an inequality between pure functions, over a grid."""

from __future__ import annotations

import pytest

from dprepro.bounds import lasso
from dprepro.engine import measure_cell
from dprepro.errors import InputError
from dprepro.studies import Design, Inequality, InequalityStudy


def study(**changes):
    sides = {"role": "claim", "left": "lasso.printed_threshold", "right": "lasso.printed_lemma_3_3"} | changes
    return InequalityStudy(series={"lemma": Inequality(**sides)})


def test_ratio_of_both_sides_at_every_value_of_their_arguments():
    cells = study().cells(Design({"tau": [0.001, 0.0019], "m": [1e4, 1e5]}))
    assert [cell.axes["tau"] for cell in cells] == [0.001, 0.0019]  # m is an argument of neither side
    one = study()
    [row] = measure_cell(one.measure, cells[1]).rows
    assert row.value == pytest.approx(lasso.printed_threshold(0.0019) / lasso.printed_lemma_3_3(0.0019))
    assert (row.quantity, row.bound) == ("ratio", 1.0)


def test_a_series_may_have_a_grid_of_its_own():
    cells = study(sweep={"tau": [0.0003, 0.0005, 0.0007]}).cells(Design({"tau": [0.001]}))
    assert len(cells) == 3


@pytest.mark.parametrize(
    ("changes", "sweep", "word"),
    [
        ({"left": "lasso.printed_treshold"}, {"tau": [0.001]}, "printed_threshold"),
        ({"left": "lasso.printed_columns"}, {"tau": [0.001]}, "needs the axis m"),
        ({"sweep": {"m": [1e4]}}, {"tau": [0.001]}, "m is no argument"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(changes, sweep, word):
    with pytest.raises(InputError, match=word):
        study(**changes).cells(Design(sweep))
