"""Which algorithm runs on which construction, from declarations alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dprepro.__main__ import main
from dprepro.algorithms import Algorithm
from dprepro.algorithms.efficient_sampler import MOST_STEPS
from dprepro.budget import Neighbours
from dprepro.config.group_pairs import POINT, all_pairs, blocks
from dprepro.constructions import Construction
from dprepro.dispatch.pair_table import word
from dprepro.engine import measure_cell
from dprepro.errors import DpreproError, InputError
from dprepro.problems import (
    Box,
    DistanceLoss,
    Domain,
    HalfSquaredDistance,
    L1Ball,
    L2Ball,
    LinearLoss,
    MarginLoss,
    Median,
    PositivePartLoss,
    Simplex,
    SpikedBall,
)
from dprepro.studies import Design, RateStudy, Series
from dprepro.support import typed

CONF = Path(__file__).parent.parent / "conf"
ALGORITHMS = {name: typed.build(Algorithm, block) for name, block in blocks("algorithm").items()}
FAMILIES = {name: block for name, block in blocks("construction").items() if name != "table"}
CONSTRUCTIONS = {name: typed.build(Construction, block) for name, block in FAMILIES.items()}
FOUND = {(pair.algorithm, pair.construction): pair for pair in all_pairs()}


def design_at(delta: float) -> Design:
    return Design({axis: [value] for axis, value in {**POINT, "delta": delta}.items()})


def test_the_matrix_has_every_name_of_the_config_groups() -> None:
    names = [{path.stem for path in (CONF / group).glob("*.yaml")} for group in ("algorithm", "construction")]
    assert {one for one, _ in FOUND} == names[0]
    assert {one for _, one in FOUND} == names[1]
    assert len(FOUND) == len(names[0]) * len(names[1])


def test_at_least_400_pairs_run() -> None:
    assert sum(one.runs for one in FOUND.values()) >= 400


@pytest.mark.parametrize(
    "name",
    ["noisy_gd", "noisy_sgd", "exponential_mechanism", "gaussian_frank_wolfe", "objective_perturbation",
     "regularised_output_perturbation", "johnson_lindenstrauss"],
)  # fmt: skip
def test_an_ordinary_design_serves_every_algorithm_for_smooth_losses(name: str) -> None:
    assert FOUND[name, "iid_design"].runs


def test_a_pair_says_how_it_runs_or_why_not_and_never_both() -> None:
    for one in FOUND.values():
        assert one.runs == bool(one.backend) == (not one.reason)
        assert one.runs or one.construction == "table" or word(one.reason) in CHECKS, one.reason


def test_a_refused_pair_is_refused_under_every_budget_and_relation_by_the_algorithm_itself() -> None:
    for one in FOUND.values():
        if one.runs or one.construction == "table":
            continue
        algorithm, construction = ALGORITHMS[one.algorithm], CONSTRUCTIONS[one.construction]
        for delta in (1e-6, 0.0):
            for relation in Neighbours:
                study = RateStudy({"pair": Series("claim", algorithm, construction)}, neighbours=relation)
                with pytest.raises(InputError, match="series pair: "):
                    study.cells(design_at(delta))


def jumps(domain: Domain) -> bool:
    """Whether the slope of the loss changes at once somewhere; a distance has slope 0 at its tip."""
    distance = isinstance(domain.loss, DistanceLoss)
    s = np.linspace(1e-9 if distance else -3.0, 3.0, 600_001)
    slopes = np.concatenate([[0.0] if distance else [], domain.loss.derivative(s, np.ones_like(s))])
    return bool(np.abs(np.diff(slopes)).max() > 0.4)


def lacks_words(domain: Domain) -> bool:
    """Whether no code of 2^(p/2) words +-1/sqrt p is known, or the set leaves them out."""
    p = domain.p
    return p % 2 == 1 or p > 32 or not domain.constraint_set.contains(np.full(p, p**-0.5))


def shortest_walk(domain: Domain) -> float:
    """4/phi^2 at p = 1 without the gauge: fewer than the printed number of steps; epsilon cancels."""
    steep, edge, precision = domain.n / (6 * domain.diameter), 2 * domain.radius, 1 / 24
    return 4 * (8 * steep * edge / precision) ** 2


CHECKS: dict[str, Callable[[Domain, frozenset[str]], bool]] = {
    "smoothness": lambda domain, representations: jumps(domain),
    "vertices": lambda domain, representations: not isinstance(domain.constraint_set, L1Ball | Simplex | Box),
    "strong convexity": lambda domain, representations: isinstance(domain.loss, MarginLoss | Median),
    "curvature": lambda domain, representations: isinstance(domain.loss, LinearLoss),
    "dimension": lambda domain, representations: domain.p > 1 or not isinstance(domain.loss, PositivePartLoss),
    "steps": lambda domain, representations: 2 * domain.p > 200,
    "data": lambda domain, representations: not {"one_hot", "records"} <= representations,
    "margins": lambda domain, representations: isinstance(domain.loss, DistanceLoss),
    "squares": lambda domain, representations: type(domain.loss).__name__ not in {"SquaredLoss", "HalfSquaredLoss"},
    "symmetry": lambda domain, representations: isinstance(domain.constraint_set, SpikedBall),
    "coordinates": lambda domain, representations: domain.p < 2,
    "means": lambda domain, representations: not isinstance(domain.loss, LinearLoss | HalfSquaredDistance),
    "code": lambda domain, representations: lacks_words(domain),
    "codewords": lambda domain, representations: 2 ** (domain.p // 2) - 1 < POINT["n"],
    "kinks": lambda domain, representations: isinstance(domain.loss, DistanceLoss) or not jumps(domain),
    "position": lambda domain, representations: not isinstance(domain.constraint_set, L2Ball | Box),
    "walk": lambda domain, representations: shortest_walk(domain) > MOST_STEPS,
}


def test_each_reason_is_true_of_the_domain() -> None:
    for one in FOUND.values():
        if not one.runs and one.construction != "table":
            construction = CONSTRUCTIONS[one.construction]
            domain, representations = construction.domain(POINT), construction.representations(POINT)
            assert CHECKS[word(one.reason)](domain, representations), one


@pytest.mark.parametrize(
    ("algorithm", "construction"),
    [
        ("noisy_gd", "iid_design"),
        ("noisy_frank_wolfe_exact", "noise_design"),
        ("gaussian_frank_wolfe", "spread_places"),
        ("gaussian_frank_wolfe", "fingerprinting"),
        ("johnson_lindenstrauss", "one_hot_family"),
        ("objective_perturbation", "signed_labels"),
        ("objective_perturbation_gamma", "flat_optimum"),
        ("regularised_output_perturbation_lipschitz", "hinge_corner"),
        ("released_marginals", "packing"),
        ("signed_counts", "signed_labels"),
        ("huberised_objective_perturbation", "huber_counterexample"),
        ("codeword_response", "packing"),
        ("noisy_sgd_full", "random_quadratic"),
        ("exponential_support", "planted_one_hot_support"),
        ("exponential_support", "planted_gaussian_support"),
        ("sample_and_aggregate", "iid_design"),
        ("sparse_regression", "planted_support"),
        ("sparse_regression_exponential", "signed_labels"),
        ("penalised_least_squares", "planted_design"),
    ],
)
def test_what_is_said_before_measuring_is_what_measuring_does(algorithm: str, construction: str) -> None:
    one = FOUND[algorithm, construction]
    parts = ALGORITHMS[algorithm], CONSTRUCTIONS[construction]
    for delta in (1e-6, 0.0):
        for relation in Neighbours:
            study = RateStudy({"pair": Series("claim", *parts)}, neighbours=relation)
            try:
                (cell,) = study.cells(Design({axis: [value] for axis, value in {**POINT, "delta": delta}.items()}))
            except InputError:
                continue
            result = measure_cell(study.measure, cell)
            assert one.runs
            assert result.status == "ok" or result.status.startswith("skipped: ")
            assert {row.columns["reduction"] for row in result.rows if row.quantity == "excess_risk"} <= {one.backend}
            return
    assert not one.runs


def test_the_command_imports_nothing_heavy_and_prints_a_list() -> None:
    code = (
        "import sys; from dprepro.__main__ import main; main(['pairs', '--json']); "
        "print([one for one in ('numba', 'scipy.stats', 'seaborn', 'dp_accounting', 'pandas') if one in sys.modules], "
        "file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    printed = json.loads(done.stdout)
    assert done.stderr.strip() == "[]"
    assert len(printed) == len(FOUND)
    assert set(printed[0]) == {"algorithm", "construction", "runs", "how", "reason"}


def test_the_table_has_a_mark_for_every_pair_and_every_reason_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pairs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.startswith("noisy_gd "))
    assert len(row.split()) == 2 + len(CONSTRUCTIONS)
    assert all(f"{one.reason}" in "\n".join(lines) for one in FOUND.values())


def test_relation_and_delta_of_ones_own_choice_restrict_the_pairs() -> None:
    pure = {(pair.algorithm, pair.construction): pair for pair in all_pairs({"delta": 0.0})}
    assert "delta > 0" in pure["noisy_gd", "iid_design"].reason
    private = all_pairs(neighbours="add_or_remove_one")
    assert {one.algorithm for one in private if one.runs} == {
        "data_free", "exact_minimiser", "exponential_mechanism", "exponential_support", "frank_wolfe",
        "huberised_objective_perturbation", "objective_perturbation", "objective_perturbation_gamma",
        "penalised_least_squares", "sparse_regression_exponential",
    }  # fmt: skip
    gradients = [one for one in private if one.algorithm == "noisy_gd" and one.construction != "table"]
    assert all("keeps private" in gradient.reason for gradient in gradients)


def test_ones_own_folder_adds_to_the_matrix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "algorithm").mkdir()
    (tmp_path / "algorithm" / "mine.yaml").write_text("_target_: dprepro.algorithms.NoisyGD\nnoise_factor: 2\n")
    (tmp_path / "algorithm" / "noisy_gd.yaml").write_text("_target_: dprepro.algorithms.DataFree\n")
    (tmp_path / "algorithm" / "broken.yaml").write_text("_target_: dprepro.algorithms.NoisyGD\nstep_count: 2\n")
    found = {(pair.algorithm, pair.construction): pair for pair in all_pairs(config_dir=str(tmp_path))}
    assert found["mine", "iid_design"].backend == FOUND["noisy_gd", "iid_design"].backend
    assert found["noisy_gd", "iid_design"] == FOUND["noisy_gd", "iid_design"]
    assert "unknown key 'step_count'" in found["broken", "iid_design"].reason
    assert main(["pairs", "--config-dir", str(tmp_path)]) == 0
    assert "noisy_gd.yaml has the name of a shipped one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["m=3"], "unknown argument 'm='"),
        (["--jason"], "did you mean --json"),
        (["n=many"], "n must be a number"),
        (["p=1.5"], "whole numbers"),
        (["epsilon=inf"], "epsilon=inf is no privacy"),
        (["n=1e300"], "leave the range of floats"),
        (["norm=1e-300"], "leave the range of floats"),
        (["neighbours=replace_two"], "did you mean replace_one"),
        (["--config-dir"], "needs a folder"),
        (["--config-dir", "/nowhere"], "is not a folder"),
    ],
)
def test_bad_input_is_refused(arguments: list[str], word: str) -> None:
    with pytest.raises(DpreproError, match=word):
        main(["pairs", *arguments])
