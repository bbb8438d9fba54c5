"""Made-up measurements and verdicts for figures, and what a figure says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dprepro.figures.words import comparison, headline, judged


def cells(
    series: str, role: str, sweep: Mapping[str, Sequence[float]], risk: Any, **columns: Any
) -> list[dict[str, Any]]:
    """Rows of a series over a grid of two replicates; values are numbers or functions of the point."""
    rows = []
    grid = np.meshgrid(*sweep.values(), indexing="ij")
    for values in zip(*(one.ravel() for one in grid), strict=True):
        point = {"n": 100.0, "p": 10.0, "epsilon": 1.0, "delta": 0.0, "norm": 1.0} | dict(
            zip(sweep, values, strict=True)
        )
        given = {name: one(point) if callable(one) else one for name, one in {"value": risk, **columns}.items()}
        for replicate in range(2):
            rows.append(
                point
                | {"series": series, "role": role, "replicate": replicate, "status": "ok", "quantity": "excess_risk"}
                | {"bound": None, "shape": None, "trivial_risk": 1e9}
                | given
                | {"value": given["value"] * (1 + 0.01 * replicate)}
            )
    return rows


def check(name: str = "exponent", estimate: float = -1.0, **further: Any) -> dict[str, Any]:
    """A check of verdict.json."""
    found = {
        "role": "claim", "verdict": "confirmed", "expect": "confirmed", "as_expected": True, "estimate": estimate,
        "low": estimate - 0.01, "high": estimate + 0.01, "expected": -1.0, "margin": 0.05, "rule": name, "reason": "",
        "constant": None, "details": {},
    }  # fmt: skip
    return found | further


def verdict(verdict: str = "confirmed", **checks: Mapping[str, Any]) -> dict[str, Any]:
    """The part of verdict.json that figures read."""
    return {"claim": "Theorem 7", "verdict": verdict, "checks": checks}


def config(sweep: Mapping[str, Any] | None = None, **checks: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a run's configuration that figures read."""
    return {"checks": checks, "sweep": sweep or {}, "study": {"series": {}}}


def plain(text: str) -> str:
    """On one line, with ordinary spaces."""
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def title(figure: Any) -> str:
    """The headline and all that stands over the panels."""
    return plain(" ".join([figure.get_suptitle(), *(panel.get_title(loc="left") for panel in figure.axes)]))


def entries(figure: Any) -> list[str]:
    """The texts of the legend."""
    return [plain(text.get_text()) for text in figure.legends[0].get_texts()]


def bound_lines(figure: Any) -> list[str]:
    """The series whose explicit bounds are drawn."""
    gids = [str(line.get_gid()) for panel in figure.axes for line in panel.lines]
    return [gid.removeprefix("bound of ") for gid in gids if gid.startswith("bound of ")]


def assert_says_the_verdict(
    figure: Any, verdict: Mapping[str, Any], config: Mapping[str, Any], heading: str = ""
) -> None:
    """The title has claim, verdict and whether it is up to logarithms, and the comparisons that were judged."""
    said = title(figure)
    assert plain(headline(verdict, heading)) in said
    for one in judged(verdict, config):
        axis = str(one.options.get("axis", "n"))
        assert plain(comparison(one, axis)) in said, f"{one.name} is judged and not said"
