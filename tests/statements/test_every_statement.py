"""What every statement keeps: its premise is understood, its formulas have values, its powers are slopes of its rate.

All that `papers` finds are tried: the project's, those of packs that are installed, those of a user's folder. A new
statement is so covered by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dprepro import bounds
from dprepro.errors import InputError
from dprepro.statements.papers import papers
from dprepro.statements.statement import Says

POINT = {
    "n": 1e8, "p": 1e4, "epsilon": 0.5, "delta": 1e-9, "norm": 1.0, "radius": 1.0, "diameter": 2.0,
    "lipschitz": 4.0, "smoothness": 2.0, "strong_convexity": 1.0, "curvature": 8.0, "l1_lipschitz": 4.0,
    "l1_radius": 1.0, "self_bounding_lipschitz": 7.0, "loss_bound": 2.0, "label_bound": 1.0, "label_level": 1.0,
    "feature_bound": 1.0, "feature_norm": math.inf, "feature_length": 1.0, "width": 9.975, "vertices": 2000.0,
    "noise_scale": 3.0, "fit_noise": 2.0, "regulariser": 100.0, "ridge": 1.0, "weight": 0.01, "step_size": 1e-4,
    "steps": 1e4, "sketch": 100.0, "sketched_smoothness": 3.0, "smoothing": 0.01, "sparsity": 4.0, "blocks": 30.0,
    "level": 2.0, "runs": 3.0, "run_epsilon": 0.1, "selection_scale": 1e-5, "blind": 0.0, "initial_risk": 1.0,
    "step_regret": 0.1, "share": 0.1, "uses": 100.0, "power": 2.0, "number": 4.0, "tilt": 10.0, "precision": 0.1,
    "distance": 0.1, "eta": 2e5, "gamma": 0.1, "deviation": 0.1, "deviations": 2.0, "psi": 0.2, "phi": 1.1,
    "index": 10.0, "draw": 1.0, "low": -1.0, "high": 1.0, "beta": 1.0, "tau": 0.001, "order": 3.0, "flips": 5.0,
    "guesses": 8.0, "divided": 8.0, "failure": 0.05, "size": 1.0, "label": 1.0,
}  # fmt: skip
"""Numbers that a formula may take, at which every premise on sizes holds."""
OF_MATRICES = {"kst_lemmas.lemma_40": {"p": 50.0}}
"""Formulas that draw a matrix of p rows and columns: of 10,000 they take a minute, and say no more."""


def said(config_dir: str | None = None) -> Iterator[tuple[str, Says]]:
    """All that is stated, each with its name: as printed, and as repaired."""
    for paper, described in papers(config_dir).items():
        for statement in described.claims:
            for form, says in (("printed", statement.says), ("repaired", statement.repaired)):
                if says:
                    yield f"{paper}, {statement.item}, {form}", says


def value(name: str, **changes: float) -> float:
    return bounds.evaluate(name, POINT | OF_MATRICES.get(name, {}) | changes)


every = pytest.mark.parametrize("says", [pytest.param(says, id=name) for name, says in said()])


@every
def test_its_premise_is_understood_and_its_functions_exist(says: Says) -> None:
    says.check()


@every
def test_its_formulas_have_positive_values(says: Says) -> None:
    for name in says.functions:
        assert 0 < value(name) < math.inf, name


@every
def test_its_pure_powers_are_the_slopes_of_its_rate(says: Says) -> None:
    """Of delta it is the power of ln(1/delta); a rate may have p + 1 for p."""
    for axis, power in says.powers.items():
        assert says.rate, "powers are those of a rate"
        moved = {axis: POINT[axis] ** 2 if axis == "delta" else 2 * POINT[axis]}
        moved |= {"radius": 2 * POINT["radius"]} if axis == "norm" else {}
        slope = math.log2(value(says.rate, **moved) / value(says.rate))
        assert slope == pytest.approx(power, abs=1 / POINT["p"] if axis == "p" else 1e-9), axis


GOOD = "{text: It holds., direction: at_most, rate: p**.5/(n*epsilon), powers: {n: -1, p: 0.5}, premise: [n >= p]}"
PLANTED: dict[str, tuple[str, Callable[[Says], None]]] = {
    "a premise that nobody understands": (
        GOOD.replace("[n >= p]", "[n is large]"), test_its_premise_is_understood_and_its_functions_exist,
    ),
    "a function that does not exist": (
        GOOD.replace("p**.5/(n*epsilon)", "lasso.theorem_99"), test_its_premise_is_understood_and_its_functions_exist,
    ),
    "a formula of a number that nobody has": (
        GOOD.replace("p**.5/", "entropy/"), test_its_formulas_have_positive_values,
    ),
    "a rate that is negative": (GOOD.replace("p**.5/(", "-p**.5/("), test_its_formulas_have_positive_values),
    "a power that its rate has not": (
        GOOD.replace("p: 0.5", "p: 1"), test_its_pure_powers_are_the_slopes_of_its_rate,
    ),
}  # fmt: skip


def planted(folder: Path, says: str) -> Says:
    """The statement of a new paper in a user's folder, as the tests above are given those of all papers."""
    (folder / "papers").mkdir()
    text = f"{{title: Mine, authors: Me, year: 1999, claims: [{{item: Theorem 1, kind: rate, says: {says}}}]}}"
    (folder / "papers" / "mine.yaml").write_text(text, encoding="utf-8")
    known = dict(said())
    (new,) = (says for name, says in said(str(folder)) if name not in known)
    return new


def test_a_new_statement_that_is_sound_passes_every_test(tmp_path: Path) -> None:
    says = planted(tmp_path, GOOD)
    for _, test in PLANTED.values():
        test(says)


@pytest.mark.parametrize("wrong", PLANTED)
def test_a_new_statement_is_covered_by_itself(wrong: str, tmp_path: Path) -> None:
    says, test = PLANTED[wrong]
    with pytest.raises((AssertionError, InputError)):
        test(planted(tmp_path, says))
