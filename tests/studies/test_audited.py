"""Whose privacy is measured: of all algorithms that may be named, or the reason why not."""

from __future__ import annotations

from helpers.shipped import composed

from dprepro.algorithms import Algorithm
from dprepro.config.group_pairs import blocks
from dprepro.support import typed

EXPERIMENTS = ("privacy_audit", "privacy_audit_glm", "privacy_laws")
WAYS = ("noise", "selection", "gradient", "setting", "transform", "release")
"""Fields that say by which noise or from which gradients an algorithm is private."""

HALVES = "with Gaussian noise its two halves have laws of their own; with gamma noise it has one"
NO_AUDIT = {
    "data_free": "reads no data",
    "direction_counts": "Laplace noise; tests/bounds/test_low_dimension.py tries every replacement for its sensitivity",
    "sparse_regression": HALVES,
    "sparse_regression_exponential": HALVES,
}
"""Private algorithms of which nothing is measured, and why."""


def way(algorithm: Algorithm) -> tuple[object, ...]:
    found = (getattr(rule := getattr(algorithm, name, ""), "name", rule) for name in WAYS)
    return type(algorithm), *(one for one in found if isinstance(one, str))


def claimed(experiment: str) -> set[tuple[object, ...]]:
    series = composed(experiment).config["study"]["series"].values()
    return {way(typed.build(Algorithm, one["algorithm"])) for one in series if one["role"] == "claim"}


def test_every_private_algorithm_is_audited_or_has_an_exact_law() -> None:
    """Claims of the experiments on privacy, by class and by the kind of noise; printed or exact constants are one."""
    seen = {one for name in EXPERIMENTS for one in claimed(name)}
    algorithms = {name: typed.build(Algorithm, block) for name, block in blocks("algorithm").items()}
    private = {name: algorithm for name, algorithm in algorithms.items() if algorithm.promises()}
    assert {name for name, value in private.items() if way(value) not in seen} == set(NO_AUDIT)


def test_all_maps_are_audited() -> None:
    assert {"gaussian", "rademacher", "srht", "countsketch"} <= set().union(*claimed("privacy_audit_glm"))
