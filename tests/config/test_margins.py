"""The margins of the shipped experiments: those of their kinds, or exceptions with a reason."""

from __future__ import annotations

import pytest
from helpers.shipped import composed

from dprepro.analysis.checks import build
from dprepro.config.config_files import headers


@pytest.mark.parametrize("name", sorted(headers()))
def test_a_check_has_the_margin_of_its_kind_or_says_why_not(name: str) -> None:
    for key, check in composed(name).config["checks"].items():
        rule = build(key, check)
        if rule.margin != pytest.approx(rule.frozen_margin, rel=1e-12):
            assert rule.margin_reason, f"{key} has the margin {rule.margin:g} in the place of {rule.frozen_margin:g}"
        else:
            assert not rule.margin_reason, f"{key} needs no reason"


@pytest.mark.parametrize("name", sorted(headers()))
def test_an_inequality_has_no_margin(name: str) -> None:
    rules = [build(key, check) for key, check in composed(name).config["checks"].items()]
    assert all(rule.margin == 0 for rule in rules if rule.kind in ("inequality", "probability"))
